//! Changes and fixes that a model proposes, in whatever form. Its answer becomes a diff that is checked against the files before it is
//! shown; one that does not apply is sent back once, with the reason. A fix may also be a command, if the rules or the model name one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use aside_commands::project::goal::RequestedGoal;
use aside_core::agent::language::Language;
use aside_redact::REDACTED;
use aside_task::diff::DiffRefusal;
use aside_task::diff::resolve::ResolvedChanges;
use aside_task::proposal::{FileSummary, Proposal, WriteConfinement};
use aside_task::route::intent::{Intent, IntentParams};
use aside_task::route::params::split_piped;
use aside_task::run::context::ModelContext;
use aside_task::run::diagnose::{self, general, message, named};
use aside_task::run::edits::Edits;
use aside_task::run::facts;
use aside_task::run::follow_up::{self, FollowUp};
use aside_task::run::model_reply::TaskAnswer;
use aside_task::run::prompt::{Form, Size};
use aside_task::run::{ModelNeed, RunnerOutcome, code, prompt, short};

use crate::apply;
use crate::daemon::model::{self, Purpose};
use crate::daemon::tasks::attempt::fact_answers as lookup;
use crate::daemon::tasks::attempt::failure::{FailedCommand, Source, brings_output};
use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::model_stream::{AnswerEnd, Exchange, ModelAnswer, ModelStream};
use crate::daemon::tasks::attempt::tested_code::tested_code;
use crate::daemon::tasks::attempt::{Attempt, GatheredContext, TextSink, answer, blocking, one_line, value_answers};
use crate::provider::Selection;
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;

/// The result of a model's answer.
pub(super) enum EditOutcome {
    Diff(RunnerOutcome),
    /// It changes nothing.
    Words(TaskAnswer),
    Refused(DiffRefusal),
}

impl Attempt {
    pub(super) async fn change(
        &self,
        intent: &Intent,
        gathered: &GatheredContext,
        say: TextSink<'_>,
    ) -> Result<RunnerOutcome, String> {
        let request = intent.params.change_request.as_deref().unwrap_or(self.words());
        if let Some(lack) = self.lack() {
            let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
            if let Some(outcome) = self.exact(&here).await? {
                return Ok(outcome);
            }
            let language = Language::of(request);
            if let Some(outcome) = here.prints(self.words(), language) {
                return Ok(outcome);
            }
            if let Some(outcome) = here.ordered(self.words(), language).await {
                return Ok(outcome);
            }
            if let Some(outcome) = self.cleaned(&here).await? {
                return Ok(outcome);
            }
            // "Print the version" may be a task of the project.
            if let Some(outcome) = self.documented(&here).await?.filter(value_answers::acts) {
                return Ok(outcome);
            }
            let nothing = match Language::of(request) {
                Language::English => {
                    "Nothing was changed. Without a model, an exact change works: `set NAME to VALUE in FILE`, or `replace \"OLD\" with \"NEW\" in FILE`."
                }
                Language::Chinese => {
                    "没有修改任何文件。没有模型时可以写出确切的修改：`把 FILE 里的 NAME 改成 VALUE`，或者 `replace \"OLD\" with \"NEW\" in FILE`。"
                }
            };
            // Without a change the task fails.
            return Err(format!("{} {nothing}", one_line(&lack.told(request))));
        }
        if self.agent().is_some() {
            return self.by_agent(intent, request, say).await;
        }
        let form = self.form(gathered);
        let voice = ModelStream::new(self, say, prompt::MAX_TOKENS).after(form.example());
        let asked = voice.asks(&gathered.context, |context| prompt::change(request, context, form)).await;
        let exchange = asked.map_err(|silence| silence.excuse())?;
        match self.settled(&voice, &exchange, gathered, form).await? {
            EditOutcome::Diff(outcome) => Ok(outcome),
            // The model needs to know more first, so the answer is a plan.
            EditOutcome::Words(said) => {
                let summary = said.summary();
                let proposal = Proposal::Plan { text: said.words };
                Ok(RunnerOutcome { proposal, summary, details: told(&gathered.context), model: ModelNeed::Unneeded })
            }
            EditOutcome::Refused(refusal) => Err(prompt::given_up(&refusal)),
        }
    }

    /// "Remove the build artefacts" is the project's own command, where it has one.
    async fn cleaned(&self, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        if RequestedGoal::of(self.words()).goal.is_none_or(|goal| goal.name != "clean") {
            return Ok(None);
        }
        let params = IntentParams { query: Some(self.words().to_owned()), ..IntentParams::default() };
        let workspace = self.workspace.clone();
        let project = blocking(move |_| workspace.project()).await?;
        let outcome = here.command(&params, "", &project, Language::of(self.words()), None).await;
        Ok(outcome.filter(|outcome| matches!(outcome.proposal, Proposal::Command { .. })))
    }

    /// The command whose output would say what is wrong, where a question names it and nothing else.
    async fn run_to_see(&self, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        let Some(goal) = diagnose::goal_asked_about(self.words()) else { return Ok(None) };
        let params = IntentParams { query: Some(goal), ..IntentParams::default() };
        let workspace = self.workspace.clone();
        let project = blocking(move |_| workspace.project()).await?;
        let (language, test_command) =
            (Language::of(self.words()), self.state.config().task.default_test_command.clone());
        let outcome = here.command(&params, &test_command, &project, language, None).await;
        Ok(outcome.and_then(|mut outcome| {
            let Proposal::Command { reason, .. } = &mut outcome.proposal else { return None };
            let why = language.pick(
                "No output of it is known here. This prints it; then ask `why`.",
                "这里没有它的输出。先运行它，再问“为什么”。",
            );
            *reason = Some(format!("{why} {}", reason.take().unwrap_or_default()));
            Some(outcome)
        }))
    }

    pub(super) async fn diagnose(
        &self,
        intent: &Intent,
        gathered: &GatheredContext,
        say: TextSink<'_>,
    ) -> Result<RunnerOutcome, String> {
        let request = intent.params.change_request.as_deref().unwrap_or(self.words());
        let failed = self.what_failed().await;
        let here = self.there(&failed).await;
        let mut known = here.diagnose(request, &failed.failure()).await;
        // "Check for leaks" names no error; a file of the project may have the command.
        if known.model == ModelNeed::Needed
            && !brings_output(self.words())
            && failed.command.is_empty()
            && let Some(outcome) = self
                .documented(&here)
                .await?
                .filter(|outcome| value_answers::acts(outcome) || outcome.model == ModelNeed::Unneeded)
        {
            return Ok(outcome);
        }
        // "Why do my tests fail" without any output: running them prints it.
        if known.model == ModelNeed::Needed
            && !brings_output(self.words())
            && failed.command.is_empty()
            && let Some(outcome) = self.run_to_see(&here).await?
        {
            return Ok(outcome);
        }
        self.show_line(&mut known, &failed).await?;
        // A fix from a rule is right more often than a model's, and instant.
        if matches!(known.proposal, Proposal::Command { .. }) {
            return Ok(known);
        }
        if let Some(lack) = self.lack() {
            let wants_cure = matches!(follow_up::parse(self.words()), Some(FollowUp::Cure));
            if known.model != ModelNeed::Needed
                && (wants_cure || lack.model() == aside_core::agent::ModelAbsence::Silent)
            {
                known.details = joined(&known.details, &lack.told(request));
            }
            return Ok(known);
        }
        let leaving = failed.leaving(&self.state);
        if self.agent().is_some() {
            let told = match (leaving.command.trim(), leaving.output.trim()) {
                ("", "") => request.to_owned(),
                // Often the request itself contains the output.
                ("", output) if request.contains(output) => request.to_owned(),
                ("", output) => format!("{request}\n\nThis was printed:\n~~~\n{output}\n~~~"),
                (command, "") => format!("{request}\n\nThe command `{command}` failed."),
                (command, output) => {
                    format!("{request}\n\nThe command `{command}` failed. It printed:\n~~~\n{output}\n~~~")
                }
            };
            return match self.by_agent(intent, &told, say).await {
                Err(sentence) if known.model != ModelNeed::Needed => {
                    known.details = joined(&known.details, &sentence);
                    Ok(known)
                }
                outcome => outcome,
            };
        }
        let form = self.form(gathered);
        let voice = ModelStream::new(self, say, prompt::MAX_TOKENS);
        let make = |context: &_| prompt::diagnose(request, &leaving.failure(), context, form);
        let exchange = match voice.asks(&gathered.context, make).await {
            Ok(exchange) => exchange,
            Err(silence) if known.model == ModelNeed::Needed => return Err(silence.excuse()),
            Err(silence) => {
                known.details = joined(&known.details, &silence.excuse());
                return Ok(known);
            }
        };
        let said = match self.settled(&voice, &exchange, gathered, form).await {
            Ok(EditOutcome::Diff(outcome)) => return Ok(outcome),
            Ok(EditOutcome::Words(said)) => said,
            Ok(EditOutcome::Refused(refusal)) => TaskAnswer::words(prompt::given_up(&refusal)),
            Err(sentence) if known.model == ModelNeed::Needed => return Err(sentence),
            Err(sentence) => TaskAnswer::words(sentence),
        };
        let mut commands = said.commands();
        commands.retain(|command| *command != failed.command.trim());
        if let Some(cmd) = here.runnable(&commands).await {
            let reason = Some(said.summary()).filter(|reason| !reason.is_empty());
            let summary = format!("Run `{cmd}`");
            let proposal =
                Proposal::Command { cmd, cwd: self.place_of(&failed), reason, confine: WriteConfinement::No };
            return Ok(RunnerOutcome { proposal, summary, details: said.words, model: ModelNeed::Unneeded });
        }
        let summary = said.summary();
        Ok(answer(said.words, summary, told(&gathered.context), ModelNeed::Unneeded))
    }

    /// Adds the line of the workspace that an error names, unless the output has it already; and where a missing key is read.
    async fn show_line(&self, known: &mut RunnerOutcome, failed: &FailedCommand) -> Result<(), String> {
        if known.model == ModelNeed::Needed {
            return Ok(());
        }
        let language = Language::of(self.words());
        let named = failed.places().into_iter().next();
        let (workspace, output) = (self.workspace.clone(), failed.output.clone());
        // A library is named as often as the own code that calls it: the innermost place of the project counts.
        let frames = general::places(&failed.output);
        let is_upwards = failed.output.contains("most recent call last");
        let looks = self.workspace.clone();
        let own = blocking(move |cancelled| own_place(&looks, &frames, is_upwards, cancelled)).await?;
        let is_foreign = named
            .as_ref()
            .is_some_and(|(file, _)| own.as_ref().is_some_and(|(path, _)| !file.ends_with(path.as_str())));
        // A variable of the environment is read in the code, wherever the error was noticed.
        let is_loud = |key: &String| {
            key.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_' || letter.is_ascii_digit())
        };
        let key = missing_key(&failed.output);
        let is_variable = key.as_ref().is_some_and(is_loud);
        let key = key.filter(|_| named.is_none() || is_variable);
        let (cwd, secrets) = (failed.cwd.clone(), self.secrets());
        let names = message(&failed.output).map(|message| general::names(&message)).unwrap_or_default();
        let shown = match &own {
            Some((path, line)) => {
                let (workspace, path, line) = (workspace.clone(), path.clone(), *line);
                blocking(move |_| excerpt(&workspace, &path, line, secrets, is_foreign, language)).await?
            }
            None => None,
        };
        let (looks, all, near) = (workspace.clone(), names, own.clone());
        let said = failed.output.clone();
        let what = message(&failed.output).unwrap_or_default();
        let tested = blocking(move |cancelled| match is_variable {
            true => None,
            false => tested_code(&looks, near.as_ref(), &said, &what, secrets, language, cancelled),
        })
        .await?;
        // The code says more than where its name is defined.
        let (looks, near) = (workspace.clone(), own.clone());
        let known_names = match &tested {
            Some(_) => String::new(),
            None => {
                let near = near.map(|(path, _)| path);
                blocking(move |cancelled| {
                    value_answers::known_names(&looks, &all, near.as_deref(), secrets, language, cancelled)
                })
                .await?
            }
        };
        let place = named.filter(|_| shown.is_none() && !is_variable);
        let row = blocking(move |cancelled| match (place, key) {
            (Some((file, line)), _) => {
                line_of(&workspace, &cwd, &file, line, &output, secrets).map(|(path, text)| match language {
                    Language::English => format!("`{path}:{line}` is {}.\n", code(&text)),
                    Language::Chinese => format!("`{path}:{line}` 是 {}。\n", code(&text)),
                })
            }
            (None, Some(key)) => {
                let found = lookup::reads_key(&workspace, &key, secrets, cancelled);
                (!found.is_empty()).then(|| match language {
                    Language::English => format!("It is read in {}.\n", found.join(", ")),
                    Language::Chinese => format!("读取它的地方：{}。\n", found.join("、")),
                })
            }
            (None, None) => None,
        });
        let tested = tested.map(|tested| format!("\n{tested}")).unwrap_or_default();
        let row = format!("{}{}{known_names}{tested}", shown.unwrap_or_default(), row.await?.unwrap_or_default());
        if row.trim().is_empty() {
            return Ok(());
        }
        match &mut known.proposal {
            Proposal::Answer { text } => *text = format!("{}\n\n{row}", text.trim_end()),
            _ => known.details = joined(&known.details, &row),
        }
        Ok(())
    }

    /// What the user asks about: the text they pasted, or the last failed command of their shell or this conversation.
    pub(super) async fn what_failed(&self) -> FailedCommand {
        let mut failed = self.asked_about().await;
        let workspace = self.workspace.clone();
        let project = blocking(move |cancelled| workspace.own_project(cancelled)).await;
        failed.project = project.ok().map(Arc::new);
        failed
    }

    async fn asked_about(&self) -> FailedCommand {
        if let Some((path, output)) = self.named_output().await {
            let mut failed = FailedCommand::pasted(output);
            failed.source = Source::File;
            tracing::debug!("{path} is diagnosed");
            return failed;
        }
        let pasted = FailedCommand::pasted(self.words());
        if brings_output(self.words()) {
            return pasted;
        }
        // A single line may be an error message.
        let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        if here.diagnose(self.words(), &pasted.failure()).await.model != ModelNeed::Needed {
            return pasted;
        }
        let session = &self.request.meta.session;
        FailedCommand::last(&self.state, session, self.earlier().await).await.unwrap_or(pasted)
    }

    /// The output in a file that the request names, or nearly names, where it asks what failed.
    pub(super) async fn named_output(&self) -> Option<&(String, String)> {
        let look = async || {
            let words = self.words();
            if split_piped(&self.request.text).1.is_some() || words.contains('\n') || !named::asks(words) {
                return None;
            }
            let (workspace, secrets, words) = (self.workspace.clone(), self.secrets(), words.to_owned());
            blocking(move |cancelled| workspace.named_output(&words, secrets, cancelled)).await.ok().flatten()
        };
        self.named_output.get_or_init(look).await.as_ref()
    }

    /// Where the command failed, if that is in the workspace.
    async fn there(&self, failed: &FailedCommand) -> MachineFacts {
        let cwd = self.place_of(failed);
        let cwd = cwd.as_deref().map_or(self.workspace.cwd(), Path::new);
        MachineFacts::of(&self.state, &self.request.meta, cwd).await
    }

    fn place_of(&self, failed: &FailedCommand) -> Option<String> {
        let inside = Path::new(&failed.cwd).starts_with(self.workspace.root());
        Some(failed.cwd.clone()).filter(|cwd| !cwd.is_empty() && inside)
    }

    /// Evaluates an answer; one that does not apply to the files is requested once more.
    async fn settled(
        &self,
        voice: &ModelStream<'_>,
        exchange: &Exchange,
        gathered: &GatheredContext,
        form: Form,
    ) -> Result<EditOutcome, String> {
        let refusal = match self.read(&exchange.heard, gathered).await? {
            EditOutcome::Refused(refusal) => refusal,
            answered @ (EditOutcome::Diff(_) | EditOutcome::Words(_)) => return Ok(answered),
        };
        voice.remarks(&format!("That does not fit the files ({refusal}). Once more:"));
        let again = prompt::again(std::slice::from_ref(&refusal), form);
        let heard = voice.asks_again(exchange, again).await.map_err(|silence| silence.excuse())?;
        self.read(&heard, gathered).await
    }

    /// A model that Aside runs itself is small, since it shares this machine with everything else.
    fn form(&self, gathered: &GatheredContext) -> Form {
        let endpoint = model::endpoint(&self.state.config().llm, Purpose::Task, Selection::AsSet);
        let size = if endpoint.is_some_and(|endpoint| endpoint.server.is_kept()) { Size::Small } else { Size::Any };
        Form::of(size, &gathered.context)
    }

    pub(super) async fn read(&self, heard: &ModelAnswer, gathered: &GatheredContext) -> Result<EditOutcome, String> {
        let said = TaskAnswer::of(&heard.aloud, &gathered.context);
        let whole = heard.end == AnswerEnd::Whole;
        if said.edits.is_empty() || (!whole && !said.edits.is_sure()) {
            if said.words.is_empty() {
                return Err("The model said nothing that could be used. Retry, or ask in other words.".to_owned());
            }
            return Ok(EditOutcome::Words(said));
        }
        // Half a change would be a different change.
        match heard.end {
            AnswerEnd::Whole => {}
            AnswerEnd::Cut => {
                return Err(
                    "The model had no room for the whole change. Ask for a smaller step, or let it write more \
                            (llm.local.context); then retry."
                        .to_owned(),
                );
            }
            AnswerEnd::Stuck => {
                return Err(
                    "The model only repeated itself and was stopped; nothing was changed. Ask for a smaller step, \
                            or let a larger model answer."
                        .to_owned(),
                );
            }
        }
        let (root, edits, shown) = (self.workspace.root().to_owned(), said.edits.clone(), gathered.context.clone());
        let checked = blocking(move |_| made(&root, &edits, &shown)).await?;
        match checked {
            Ok(None) => Ok(EditOutcome::Words(said)),
            Ok(Some(CheckedDiff { unified_diff, files })) => {
                let count = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
                let summary = Some(said.summary()).filter(|summary| !summary.is_empty());
                let details = joined(&said.words, &told(&gathered.context));
                // The diff's id is assigned by the caller that stores the task.
                let proposal = Proposal::Diff { diff_id: String::new(), unified_diff, files };
                let summary = summary.unwrap_or_else(|| format!("Change {count}"));
                Ok(EditOutcome::Diff(RunnerOutcome { proposal, summary, details, model: ModelNeed::Unneeded }))
            }
            Err(error) => match error.downcast::<DiffRefusal>() {
                Ok(refusal) => Ok(EditOutcome::Refused(refusal)),
                Err(error) => Err(format!("The change could not be compared with the files: {error:#}. Retry it.")),
            },
        }
    }
}

/// A diff as it will be shown and written.
#[derive(Debug)]
pub(super) struct CheckedDiff {
    pub unified_diff: String,
    pub files: Vec<FileSummary>,
}

/// Applies the edits to the current files; `None` if they change nothing. Blocks.
fn made(root: &Path, edits: &Edits, shown: &ModelContext) -> anyhow::Result<Option<CheckedDiff>> {
    let found = apply::before(root, edits.names()?.iter())?;
    match edits.diff(&found, shown)? {
        Some(diff) => checked(root, &diff).map(Some),
        None => Ok(None),
    }
}

/// Parses a diff, applies it to the current files, and renders it again. Blocks.
pub(super) fn checked(root: &Path, diff: &[u8]) -> anyhow::Result<CheckedDiff> {
    let proposal = apply::Proposal::new(root, diff)?;
    let changes = proposal.changes();
    without_holes(changes)?;
    let unified_diff = String::from_utf8(changes.diff()).map_err(|_| {
        DiffRefusal::whole("a file of it is not UTF-8; leave that one out, it has to be changed by hand")
    })?;
    // The approved change is parsed from this text again, so it must mean the same.
    let again = apply::Proposal::new(root, unified_diff.as_bytes())?;
    if again.digest() != proposal.digest() {
        return Err(
            DiffRefusal::whole("it cannot be written down so that it means the same; ask for a smaller step").into()
        );
    }
    let files = changes.files().iter().map(|change| {
        let (additions, deletions) = change.counts();
        FileSummary { path: change.name().to_string(), additions, deletions }
    });
    Ok(CheckedDiff { unified_diff, files: files.collect() })
}

/// A model sees a mark in place of each secret. Written into a file, the mark would replace the secret itself.
fn without_holes(changes: &ResolvedChanges) -> Result<(), DiffRefusal> {
    let marks =
        |bytes: Option<&[u8]>| bytes.map_or(0, |bytes| String::from_utf8_lossy(bytes).matches(REDACTED).count());
    for change in changes.files() {
        let before = marks(change.before().map(|state| state.bytes.as_slice()));
        if marks(change.after().map(|state| state.bytes.as_slice())) > before {
            let sentence =
                format!("it would write {REDACTED} where a secret was taken out; leave such lines as they are");
            return Err(DiffRefusal::of(change.name().as_str(), sentence));
        }
    }
    Ok(())
}

/// What the model was shown and what it was not, for the user.
fn told(context: &ModelContext) -> String {
    let notes: String = context.notes.iter().map(|note| format!("- {note}\n")).collect();
    joined(&context.shown(), &notes)
}

fn joined(one: &str, other: &str) -> String {
    match (one.trim_end(), other) {
        ("", other) => other.to_owned(),
        (one, "") => one.to_owned(),
        (one, other) => format!("{one}\n\n{other}"),
    }
}

/// The key that a program did not find: `KeyError: 'net'`.
fn missing_key(output: &str) -> Option<String> {
    let (_, rest) = output.split_once("KeyError: ")?;
    let quote = rest.chars().next().filter(|letter| ['\'', '"'].contains(letter))?;
    let key = rest.get(1..)?.split(quote).next()?;
    (!key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || letter == '_')).then(|| key.to_owned())
}

/// The path and the text of a line, if it is in the workspace and the output does not show it.
/// The place of the output that is a file of the project: the innermost one.
fn own_place(
    workspace: &Workspace,
    frames: &[(String, usize)],
    is_upwards: bool,
    cancelled: &AtomicBool,
) -> Option<(String, usize)> {
    let tree = workspace.tree(&[], cancelled).unwrap_or_default();
    let listed = tree.listed();
    let is_foreign = |file: &str| {
        ["site-packages", "node_modules", ".cargo/", "/usr/lib", "dist-packages", "/rustc/", "vendor/"]
            .iter()
            .any(|part| file.contains(part))
    };
    let own = |(file, line): &(String, usize)| {
        if is_foreign(file) || file.contains("..") {
            return None;
        }
        // The path of another machine ends as the one of the project does.
        let mut rest = file.trim_start_matches("./");
        loop {
            if listed.iter().any(|listed| listed.path == rest) {
                return Some((rest.to_owned(), *line));
            }
            match rest.split_once('/') {
                Some((_, below)) => rest = below,
                None => break,
            }
        }
        let name = file.rsplit('/').next().unwrap_or(file);
        let mut named = listed.iter().filter(|listed| listed.path.rsplit('/').next() == Some(name));
        match (named.next(), named.next()) {
            (Some(only), None) => Some((only.path.to_owned(), *line)),
            _ => None,
        }
    };
    let mut found = frames.iter().filter_map(own);
    if is_upwards { found.next_back() } else { found.next() }
}

/// The line of the project with its neighbours, if the file still has it.
fn excerpt(
    workspace: &Workspace,
    path: &str,
    line: usize,
    secrets: Secrets,
    is_foreign: bool,
    language: Language,
) -> Option<String> {
    let bytes = read(&Root::open(workspace.root()).ok()?, path).ok()?;
    let text = secrets.shown(String::from_utf8(bytes).ok()?)?;
    let head = if is_foreign { language.pick("In your code: ", "在你的代码里：") } else { "" };
    // The file may be shorter now than when the error came.
    let place = || is_foreign.then(|| code(&format!("{path}:{line}")));
    let around = facts::around(path, &aside_redact::redact(&text), line, language).or_else(place)?;
    Some(format!("{head}{around}\n"))
}

fn line_of(
    workspace: &Workspace,
    cwd: &str,
    file: &str,
    line: usize,
    output: &str,
    secrets: Secrets,
) -> Option<(String, String)> {
    let there = Workspace::of(Path::new(cwd)).ok().filter(|there| there.root() == workspace.root());
    let path = there.as_ref().unwrap_or(workspace).named(file);
    let bytes = read(&Root::open(workspace.root()).ok()?, &path).ok()?;
    let text = secrets.shown(String::from_utf8(bytes).ok()?)?;
    let text = aside_redact::redact(text.lines().nth(line.checked_sub(1)?)?.trim()).to_string();
    // A file that was changed since may have another line there: the line has to have a word of the message.
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        parts
            .filter(|part| part.len() > 2 && !part.starts_with(|letter: char| letter.is_ascii_digit()))
            .map(str::to_owned)
            .collect()
    };
    let said = words(output);
    let is_comment = ["//", "#", "*", "--", ";"].iter().any(|sign| text.starts_with(sign));
    let fits = !is_comment && words(&text).iter().any(|word| said.contains(word));
    (fits && !output.contains(&text)).then(|| (path, short(&text, 160)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.py"), "TOKEN = 'x'\ndef f():\n\treturn 1\n").unwrap();
        dir
    }

    fn refused(root: &Path, diff: &str) -> String {
        checked(root, diff.as_bytes()).unwrap_err().downcast::<DiffRefusal>().unwrap().to_string()
    }

    #[test]
    fn what_is_shown_is_what_would_be_written() {
        let dir = workspace();
        // Wrong line numbers, and the file has tabs.
        let diff = "--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,2 @@\n def f():\n-\treturn 1\n+\treturn 2\n";
        let checked = checked(dir.path(), diff.as_bytes()).unwrap();
        assert!(checked.unified_diff.contains("@@ -1,3 +1,3 @@\n TOKEN = 'x'\n def f():\n-\treturn 1\n+\treturn 2\n"));
        assert_eq!(checked.files, [FileSummary { path: "a.py".to_owned(), additions: 1, deletions: 1 }]);
    }

    #[test]
    fn a_mark_never_takes_the_place_of_a_secret() {
        let dir = workspace();
        let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-TOKEN = 'x'\n+TOKEN = '[redacted]'\n def f():\n";
        assert!(refused(dir.path(), diff).starts_with("a.py: it would write [redacted]"));
        std::fs::write(dir.path().join("doc.md"), "[redacted]\na\n").unwrap();
        let kept = "--- a/doc.md\n+++ b/doc.md\n@@ -1,2 +1,2 @@\n [redacted]\n-a\n+b\n";
        assert!(checked(dir.path(), kept.as_bytes()).is_ok());
    }

    #[test]
    fn what_leads_out_or_cannot_be_shown_is_refused() {
        let dir = workspace();
        std::fs::write(dir.path().join("latin"), b"caf\xe9\none\n").unwrap();
        let latin = "--- a/latin\n+++ b/latin\n@@ -2 +2 @@\n-one\n+two\n";
        assert!(refused(dir.path(), latin).contains("not UTF-8"));
        for name in ["../x", "/etc/passwd", ".env", ".git/config"] {
            let diff = format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n");
            assert!(checked(dir.path(), diff.as_bytes()).is_err(), "{name}");
        }
    }

    #[test]
    fn blocks_and_files_are_held_to_the_same_rules() {
        let dir = workspace();
        std::fs::write(dir.path().join(".env"), "KEY=1\n").unwrap();
        std::fs::write(dir.path().join("fixed"), "a\n").unwrap();
        std::os::unix::fs::symlink("a.py", dir.path().join("link.py")).unwrap();
        let fixed = dir.path().join("fixed");
        std::fs::set_permissions(&fixed, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
        let said = |answer: &str| {
            let (edits, _) = Edits::of(answer, &ModelContext::default());
            made(dir.path(), &edits, &ModelContext::default())
        };
        let block = |path: &str, old: &str, new: &str| {
            format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
        };
        let made = said(&block("a.py", "    return 1", "    return 2")).unwrap().unwrap();
        assert!(made.unified_diff.ends_with(" def f():\n-\treturn 1\n+\treturn 2\n"), "{}", made.unified_diff);
        for (path, why) in [
            ("../x.py", "leads out"),
            ("/etc/passwd", "not relative"),
            ("~/.bashrc", "not relative"),
            (".env", "environment"),
            (".git/config", "inside .git"),
            ("src/../../x.py", "leads out"),
            ("link.py", "symbolic link"),
            ("fixed", "read-only"),
        ] {
            for answer in [block(path, "", "x"), block(path, "x", "y"), format!("{path}\n```\nx\n```\n")] {
                // A file without an extension is not recognized as a name.
                let Some(refusal) = said(&answer).err() else {
                    assert_eq!(path, "fixed", "{answer}");
                    continue;
                };
                let refusal = refusal.downcast::<DiffRefusal>().unwrap().to_string();
                assert!(refusal.starts_with(path) && refusal.contains(why), "{path}: {refusal}");
            }
        }
        let hole = said(&block("a.py", "TOKEN = 'x'", "TOKEN = '[redacted]'")).unwrap_err().to_string();
        assert!(hole.starts_with("a.py: it would write [redacted]"), "{hole}");
    }
}
