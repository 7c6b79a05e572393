//! The world for a one-shot command: this directory, this PATH, these tools. For callers without a daemon, or without need of one.

use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_translate::{ToolFlavor, TranslateContext};
use shell_line::Dialect;

use crate::world::Environment;
use crate::world::blocking::BlockingWorld;
use crate::world::system::system;

pub struct OneShot {
    cwd: String,
    dialect: Dialect,
    system: ToolFlavor,
    now: BlockingWorld,
    names: ShellNames,
    specs: Arc<Specs>,
}

impl OneShot {
    pub fn new(cwd: &str, shell: &str, environment: Environment, specs: Arc<Specs>) -> Self {
        let mut names = ShellNames::default();
        // No shell will report its names; one builtin that every shell has marks the list as received.
        names.take("builtin", 0, "cd");
        Self {
            cwd: cwd.to_owned(),
            dialect: if shell.is_empty() { Dialect::default() } else { Dialect::of(shell) },
            system: system(&environment.path),
            now: BlockingWorld::new(environment),
            names,
            specs,
        }
    }

    pub fn place(&self) -> TranslateContext<'_> {
        TranslateContext {
            cwd: &self.cwd,
            dialect: self.dialect,
            system: self.system,
            world: &self.now,
            names: &self.names,
            specs: &self.specs,
        }
    }
}
