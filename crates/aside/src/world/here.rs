//! The world for a one-shot command: this directory, this PATH, these tools. For callers without a daemon, or without need of one.

use std::sync::Arc;

use aside_core::line::Dialect;
use aside_core::names::Names;
use aside_core::spec::Specs;
use aside_core::translate::{Place, System};

use crate::world::Environment;
use crate::world::now::Now;
use crate::world::system::system;

pub struct Here {
    cwd: String,
    dialect: Dialect,
    system: System,
    now: Now,
    names: Names,
    specs: Arc<Specs>,
}

impl Here {
    pub fn new(cwd: &str, shell: &str, environment: Environment, specs: Arc<Specs>) -> Self {
        let mut names = Names::default();
        // No shell will report its names; one builtin that every shell has marks the list as received.
        names.take("builtin", 0, "cd");
        Self {
            cwd: cwd.to_owned(),
            dialect: if shell.is_empty() { Dialect::default() } else { Dialect::of(shell) },
            system: system(&environment.path),
            now: Now::new(environment),
            names,
            specs,
        }
    }

    pub fn place(&self) -> Place<'_> {
        Place {
            cwd: &self.cwd,
            dialect: self.dialect,
            system: self.system,
            world: &self.now,
            names: &self.names,
            specs: &self.specs,
        }
    }
}
