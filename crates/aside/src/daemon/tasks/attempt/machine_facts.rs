//! The place where a command of a task would run, as core's rules need it: shell, programs, project.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{Fact, World};
use aside_core::agent;
use aside_core::agent::language::Language;
use aside_core::suggest;
use aside_task::proposal::{Proposal, RequestMeta, WriteConfinement};
use aside_task::route::intent::IntentParams;
use aside_task::run::diagnose::{DiagnosedFailure, diagnose};
use aside_task::run::explain::explain;
use aside_task::run::project::Project;
use aside_task::run::{ModelNeed, RunnerOutcome, code, orders, overreach, print_text, script, wording};
use aside_translate::check::check;
use aside_translate::explain::{explain as explain_line, is_known};
use aside_translate::{Completeness, ToolFlavor, TranslateContext, TranslateQuery, embedded};
use shell_line::Dialect;

use crate::daemon::state::{SessionRef, State};
use crate::world::MachineView;
use crate::world::system::looked_up;

/// How long the lookups that the answer depends on may take: targets take a subprocess.
const LOOK_UP: Duration = Duration::from_secs(3);

pub struct MachineFacts {
    cwd: String,
    names: Arc<ShellNames>,
    dialect: Dialect,
    system: ToolFlavor,
    view: MachineView,
    specs: Arc<Specs>,
    blocklist: Vec<String>,
}

impl MachineFacts {
    pub async fn of(state: &Arc<State>, meta: &RequestMeta, cwd: &Path) -> Self {
        let RequestMeta { session, shell, .. } = meta;
        let (mut names, mut dialect) = state.shell(SessionRef { session, shell, wait: true });
        if !shell.is_empty() {
            dialect = Dialect::of(shell);
        }
        if names.builtins.is_empty() {
            // Clients without a session, and bash, report no names: with a builtin that every shell has, the names count as reported.
            Arc::make_mut(&mut names).take("builtin", 0, "cd");
        }
        let view = state.view(&names);
        let (system, _) = looked_up(view.path()).await;
        let blocklist = state.config().security.command_blocklist.clone();
        let cwd = cwd.to_string_lossy().into_owned();
        Self { cwd, names, dialect, system, view, specs: state.specs(), blocklist }
    }

    fn place(&self) -> TranslateContext<'_> {
        let Self { cwd, names, dialect, system, view, specs, blocklist: _ } = self;
        TranslateContext { cwd, dialect: *dialect, system: *system, world: view, names, specs }
    }

    /// Repeats `find` while lookups are pending, until the deadline.
    async fn settled<T>(&self, find: impl Fn(&Self) -> T) -> T {
        let deadline = Instant::now() + LOOK_UP;
        loop {
            let found = find(self);
            let settled = self.view.settled(deadline.saturating_duration_since(Instant::now())).await;
            if !self.view.take_news() || !settled {
                return found;
            }
        }
    }

    /// Returns `None` if the project's files were not read in time.
    pub async fn command(
        &self,
        params: &IntentParams,
        test_command: &str,
        project: &Project,
        language: Language,
        part: Option<&str>,
    ) -> Option<RunnerOutcome> {
        let find = |here: &Self| {
            let place =
                script::ScriptContext { cwd: &here.cwd, world: &here.view, test_command, language, project, part };
            match script::command(params, &place) {
                Fact::Yes(outcome) => Some(outcome),
                Fact::No | Fact::NotYet => None,
            }
        };
        self.settled(find).await
    }

    pub async fn diagnose(&self, request: &str, failure: &DiagnosedFailure<'_>) -> RunnerOutcome {
        let find = |here: &Self| {
            let Self { cwd, names, dialect, view, specs, .. } = here;
            diagnose(request, failure, &suggest::SuggestContext { cwd, dialect: *dialect, world: view, names, specs })
        };
        self.settled(find).await
    }

    pub async fn explain(&self, question: &str, files: &[String], model: agent::ModelAbsence) -> RunnerOutcome {
        self.settled(|here| explain(question, files, &here.place(), model)).await
    }

    /// The command for words that mean the same on any machine, if that is certain: a project has no script for `git`.
    pub async fn certain_command(&self, words: &str, language: Language) -> Option<RunnerOutcome> {
        let (cmd, about) = self.usual(words).await?;
        let reason = match language {
            Language::English if about.is_empty() => "This is the usual command for that.".to_owned(),
            Language::English => format!("This is the usual command for that: it {about}."),
            Language::Chinese => "这是通常用来做这件事的命令。".to_owned(),
        };
        Some(self.spoken(cmd, reason, language))
    }

    /// The command that answers a question about this machine.
    pub async fn of_machine(&self, words: &str, language: Language) -> Option<RunnerOutcome> {
        let mut numbers = words.split(|letter: char| !letter.is_ascii_digit());
        let is_about_port = ["port", "listen", "bound", "running on"].iter().any(|word| words.contains(word));
        let port = numbers.find(|number| (2..=5).contains(&number.len())).filter(|_| is_about_port);
        if let Some(port) = port {
            // Programs that listen, not those that are connected to the port.
            let commands = [format!("ss -ltnp 'sport = :{port}'"), format!("lsof -nP -iTCP:{port} -sTCP:LISTEN")];
            if let Some(cmd) = self.runnable(&commands).await {
                let reason = language.pick(
                    "It shows what listens on that port; no row means nothing does.",
                    "显示谁在监听这个端口；没有结果就是没有。",
                );
                return Some(self.spoken(cmd, reason.to_owned(), language));
            }
        }
        self.certain_command(words, language).await
    }

    /// What a command does, in a sentence, and the harm that it can do; both empty where nothing is known.
    pub fn about(&self, command: &str) -> (String, String) {
        let explanation = explain_line(command, &self.place());
        let harm = explanation.parts.iter().filter_map(|part| part.harm).max().map(|harm| harm.words().to_owned());
        let about = if is_known(&explanation) { explanation.summary } else { String::new() };
        (about, harm.unwrap_or_default())
    }

    /// A proposal whose summary is in the language of the request.
    fn spoken(&self, cmd: String, reason: String, language: Language) -> RunnerOutcome {
        let outcome = self.proposed(cmd, reason);
        RunnerOutcome { summary: wording::sentence(&outcome.summary, language), ..outcome }
    }

    /// The command for an order that is known without a model: `delete old.tmp`, `switch to main`.
    pub async fn ordered(&self, words: &str, language: Language) -> Option<RunnerOutcome> {
        if orders::is_restricted(words) {
            return None;
        }
        let (cmd, about) = self.usual(words).await?;
        let reason = match language {
            Language::English if about.is_empty() => "This is the usual command for that.".to_owned(),
            Language::English => format!("This is the usual command for that: it {about}."),
            Language::Chinese => "这是通常用来做这件事的命令。".to_owned(),
        };
        orders::acts(&cmd).then(|| self.spoken(cmd, reason, language))
    }

    /// The command that prints a text, if that was requested.
    pub fn prints(&self, words: &str, language: Language) -> Option<RunnerOutcome> {
        let reason = language.pick("This prints the text as you wrote it.", "按你写的原样打印。");
        Some(self.proposed(print_text::command(words, self.dialect)?, reason.to_owned()))
    }

    pub fn proposed(&self, cmd: String, reason: String) -> RunnerOutcome {
        let summary = format!("Run {}", code(&cmd));
        let cwd = Some(self.cwd.clone());
        let proposal = Proposal::Command { cmd, cwd, reason: Some(reason), confine: WriteConfinement::No };
        RunnerOutcome { proposal, summary, details: String::new(), model: ModelNeed::Unneeded }
    }

    pub(super) async fn usual(&self, words: &str) -> Option<(String, String)> {
        let find = |here: &Self| {
            let query = TranslateQuery { words, place: here.place(), limit: 1 };
            let best = embedded::answer(&query).into_iter().next()?;
            let checked = check(&best.command, &here.place(), &here.blocklist).ok()?;
            let is_whole = best.nearness == Completeness::Answer && checked.holes.is_empty();
            // Commands that amend, force or rewrite something are only proposed if the request says so.
            let is_meant = is_whole && !overreach::overreaches(words, &checked.command);
            let is_meant = is_meant && !here.lacks_source(&checked.command);
            is_meant.then_some((checked.command, best.about))
        };
        self.settled(find).await
    }

    /// Whether a command moves or copies what is not there: "copy parse_line into a.py" names a function, and would overwrite the file.
    fn lacks_source(&self, command: &str) -> bool {
        let mut words = command.split_whitespace();
        if !words.next().is_some_and(|program| ["mv", "cp"].contains(&program)) {
            return false;
        }
        let Some(source) = words.find(|word| !word.starts_with('-')) else { return false };
        // A pattern, or a path in quotes, is left to the shell.
        if source.contains(['*', '?', '[', '\'', '"', '$', '~', '\\']) {
            return false;
        }
        let path = Path::new(&self.cwd).join(source.trim_end_matches('/'));
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return false };
        match self.view.entries(&directory.to_string_lossy()) {
            Fact::Yes(entries) => !entries.iter().any(|entry| *entry.name == *name.to_string_lossy()),
            Fact::No => true,
            Fact::NotYet => false,
        }
    }

    /// The program of a command, if it is known not to be installed.
    pub async fn missing_program(&self, command: &str) -> Option<String> {
        let find = |here: &Self| {
            let Fact::Yes(programs) = here.view.programs() else { return None };
            let program = command.split_whitespace().find(|word| !word.contains('='))?;
            let is_there = program.contains('/') || programs.iter().any(|known| &**known == program);
            (!is_there).then(|| program.to_owned())
        };
        self.settled(find).await
    }

    /// The first of the commands that could run here and is not forbidden.
    pub async fn runnable(&self, commands: &[String]) -> Option<String> {
        let find = |here: &Self| {
            let checked = commands.iter().filter_map(|command| check(command, &here.place(), &here.blocklist).ok());
            checked.filter(|checked| checked.holes.is_empty()).map(|checked| checked.command).next()
        };
        self.settled(find).await
    }
}
