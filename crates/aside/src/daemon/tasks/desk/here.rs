//! The place where a command of a task would run, as core's rules need it: shell, programs, project.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_core::agent;
use aside_core::agent::tongue::Tongue;
use aside_core::line::Dialect;
use aside_core::names::Names;
use aside_core::spec::Specs;
use aside_core::suggest;
use aside_core::task::proposal::{Confine, Meta, Proposal};
use aside_core::task::route::intent::Params;
use aside_core::task::run::diagnose::{Failure, diagnose};
use aside_core::task::run::explain::explain;
use aside_core::task::run::project::Project;
use aside_core::task::run::{Model, Outcome, code, forced, printed, script};
use aside_core::translate::check::check;
use aside_core::translate::{Nearness, Place, System, Wish, embedded};
use aside_core::world::Known;

use crate::daemon::state::{Asker, State};
use crate::world::View;
use crate::world::system::looked_up;

/// How long the lookups that the answer depends on may take: targets take a subprocess.
const LOOK_UP: Duration = Duration::from_secs(3);

pub struct Here {
    cwd: String,
    names: Arc<Names>,
    dialect: Dialect,
    system: System,
    view: View,
    specs: Arc<Specs>,
    blocklist: Vec<String>,
}

impl Here {
    pub async fn of(state: &Arc<State>, meta: &Meta, cwd: &Path) -> Self {
        let Meta { session, shell, .. } = meta;
        let (mut names, mut dialect) = state.shell(Asker { session, shell, wait: true });
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

    fn place(&self) -> Place<'_> {
        let Self { cwd, names, dialect, system, view, specs, blocklist: _ } = self;
        Place { cwd, dialect: *dialect, system: *system, world: view, names, specs }
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
        params: &Params,
        test_command: &str,
        project: &Project,
        tongue: Tongue,
        part: Option<&str>,
    ) -> Option<Outcome> {
        let find = |here: &Self| {
            let place = script::Place { cwd: &here.cwd, world: &here.view, test_command, tongue, project, part };
            match script::command(params, &place) {
                Known::Yes(outcome) => Some(outcome),
                Known::No | Known::NotYet => None,
            }
        };
        self.settled(find).await
    }

    pub async fn diagnose(&self, request: &str, failure: &Failure<'_>) -> Outcome {
        let find = |here: &Self| {
            let Self { cwd, names, dialect, view, specs, .. } = here;
            diagnose(request, failure, &suggest::Place { cwd, dialect: *dialect, world: view, names, specs })
        };
        self.settled(find).await
    }

    pub async fn explain(&self, question: &str, files: &[String], model: agent::Model) -> Outcome {
        self.settled(|here| explain(question, files, &here.place(), model)).await
    }

    /// The command for words that mean the same on any machine, if that is certain: a project has no script for `git`.
    pub async fn meant(&self, words: &str) -> Option<Outcome> {
        let (cmd, about) = self.usual(words).await?;
        let about = if about.is_empty() { String::new() } else { format!(": {about}") };
        let reason = format!("Nothing of the project is called that; this is the usual command{about}.");
        Some(self.proposed(cmd, reason))
    }

    /// The command for an order about files that is known without a model: `delete old.tmp`.
    pub async fn ordered(&self, words: &str, tongue: Tongue) -> Option<Outcome> {
        const FILES: [&str; 12] =
            ["rm", "mv", "cp", "mkdir", "rmdir", "touch", "ln", "chmod", "truncate", "tar", "zip", "unzip"];
        let (cmd, about) = self.usual(words).await?;
        let is_plain = cmd.split(' ').next().is_some_and(|program| FILES.contains(&program));
        let about = if about.is_empty() { String::new() } else { format!(": {about}") };
        let reason = match tongue {
            Tongue::English => format!("This is the usual command for what you ask{about}."),
            Tongue::Chinese => format!("这是通常用来做这件事的命令{about}。"),
        };
        is_plain.then(|| self.proposed(cmd, reason))
    }

    /// The command that prints a text, if that was requested.
    pub fn prints(&self, words: &str, tongue: Tongue) -> Option<Outcome> {
        let reason = tongue.pick("This prints the text as you wrote it.", "按你写的原样打印。");
        Some(self.proposed(printed::command(words, self.dialect)?, reason.to_owned()))
    }

    pub fn proposed(&self, cmd: String, reason: String) -> Outcome {
        let summary = format!("Run {}", code(&cmd));
        let cwd = Some(self.cwd.clone());
        let proposal = Proposal::Command { cmd, cwd, reason: Some(reason), confine: Confine::No };
        Outcome { proposal, summary, details: String::new(), model: Model::Unneeded }
    }

    pub(super) async fn usual(&self, words: &str) -> Option<(String, String)> {
        let find = |here: &Self| {
            let wish = Wish { words, place: here.place(), limit: 1 };
            let best = embedded::answer(&wish).into_iter().next()?;
            let checked = check(&best.command, &here.place(), &here.blocklist).ok()?;
            let is_whole = best.nearness == Nearness::Answer && checked.holes.is_empty();
            // Commands that amend, force or rewrite something are only proposed if the request says so.
            let is_meant = is_whole && !forced::is_forced(words, &checked.command);
            is_meant.then_some((checked.command, best.about))
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
