//! Aside without its daemon: calls the same code directly. No socket, no store, no program, and only those files that the history
//! names: for trying out a ranking in seconds.

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_core::complete::context::CompletionContext;
use aside_core::complete::{complete, ghost};
use aside_core::history::index::HistoryIndex;
use aside_core::history::run_record::RunRecord;
use shell_line::Dialect;

use super::history_lines::{self, HistoryLine};
use super::playback::Tool;
use super::typist::Offers;
use super::world::Remembered;

/// The exit status of shells for an unknown command.
const NOT_FOUND: i32 = 127;

/// The daemon's default.
const CANDIDATES: usize = 4;
const SESSION: &str = "replay";

pub struct InProcess {
    index: HistoryIndex,
    names: ShellNames,
    specs: Specs,
    world: Remembered,
}

impl InProcess {
    /// The machine of the user who will type these lines.
    pub fn of(all: &[HistoryLine]) -> Self {
        let mut names = ShellNames::default();
        history_lines::known_commands(all).iter().for_each(|name| names.take("function", 1, name));
        Self { index: HistoryIndex::default(), names, specs: Specs::default(), world: Remembered::of(all) }
    }

    fn knows(&self, name: &str) -> bool {
        self.names.functions.binary_search_by(|known| (**known).cmp(name)).is_ok()
    }

    pub fn ask<'a>(&'a self, left: &'a str, cwd: &'a str) -> CompletionContext<'a> {
        CompletionContext {
            left,
            right: "",
            cwd,
            dialect: Dialect::Zsh,
            names: &self.names,
            history: &self.index,
            session: SESSION,
            world: &self.world,
            specs: &self.specs,
            idea: None,
            limit: CANDIDATES,
            list: false,
        }
    }
}

impl Tool for InProcess {
    fn offers(&mut self, left: &str, cwd: &str) -> Offers {
        let found = complete(&self.ask(left, cwd));
        let needs = ghost::GhostRequirements { threshold: ghost::THRESHOLD, commands: self.index.len() };
        let is_unsure = found.first().is_some_and(|first| !ghost::is_fit(left, first, needs));
        let unsure = is_unsure.then(String::new);
        unsure.into_iter().chain(found.into_iter().map(|ranked| ranked.candidate.text)).collect()
    }

    fn ran(&mut self, typed: &HistoryLine) {
        let is_found = history_lines::commands_in(&typed.command).iter().all(|name| self.knows(name));
        if is_found {
            self.world.ran(typed);
        }
        self.index.add(RunRecord {
            command: &typed.command,
            cwd: Some(&typed.cwd),
            exit: Some(if is_found { 0 } else { NOT_FOUND }),
            session: Some(SESSION),
            private: false,
        });
    }
}
