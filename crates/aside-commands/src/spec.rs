//! Specs of commands: their subcommands, flags and arguments. Built-in data, written by the user, or learnt from a
//! command's own help. Does not decide what is offered or explained from them.

mod builtin;
pub mod format;
pub mod kind;
pub mod walk;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::spec::format::{Problem, Spec};
use crate::world::{Fact, World};

/// Parsed learnt specs that are cached.
const MAX_LEARNT: usize = 64;

/// All available specs.
#[derive(Debug, Default)]
pub struct Specs {
    own: HashMap<Box<str>, Arc<Spec>>,
    learnt: Mutex<Vec<Learnt>>,
}

#[derive(Debug)]
struct Learnt {
    text: Arc<str>,
    spec: Option<Arc<Spec>>,
}

impl Specs {
    /// The built-in specs, with the user's own taking precedence, given by command and text. Reports problems in a text
    /// and uses the rest of it.
    pub fn with(own: Vec<(String, String)>) -> (Self, Vec<Problem>) {
        let mut specs = Self::default();
        let mut problems = Vec::new();
        let mut aliases: Vec<(Box<str>, Arc<Spec>)> = Vec::new();
        for (name, text) in own {
            let (spec, wrong) = format::parse(&format!("{name}.toml"), &text);
            problems.extend(wrong);
            if let Some(spec) = spec.map(Arc::new) {
                aliases.extend(spec.aliases.iter().map(|alias| (alias.clone(), Arc::clone(&spec))));
                specs.own.insert(name.into(), spec);
            }
        }
        for (alias, spec) in aliases {
            specs.own.entry(alias).or_insert(spec);
        }
        (specs, problems)
    }

    /// The spec of a command: the user's own, a built-in one, or a learnt one.
    pub fn find(&self, name: &str, world: &dyn World) -> Option<Arc<Spec>> {
        let own = self.own.get(name).cloned();
        own.or_else(|| builtin::find(name)).or_else(|| self.learnt(name, world))
    }

    /// One line about a command.
    pub fn about(&self, name: &str, world: &dyn World) -> Option<Box<str>> {
        let about = match self.own.get(name) {
            Some(own) => Some(own.about.clone()),
            None => builtin::about(name).or_else(|| self.learnt(name, world).map(|spec| spec.about.clone())),
        };
        about.filter(|about| !about.is_empty())
    }

    /// Whether the user has written one for it.
    pub fn is_own(&self, name: &str) -> bool {
        self.own.contains_key(name)
    }

    /// Whether there is a spec without learning one.
    pub fn has(&self, name: &str) -> bool {
        self.own.contains_key(name) || builtin::has(name)
    }

    /// The commands that have a spec without learning one.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.own.keys().map(|name| -> &str { name });
        own.chain(builtin::names().map(|name| -> &str { name }))
    }

    fn learnt(&self, name: &str, world: &dyn World) -> Option<Arc<Spec>> {
        let Fact::Yes(text) = world.learnt(name) else { return None };
        // Nothing panics while the lock is held; and if it did, the list would still be valid.
        let mut learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = learnt.iter().find(|known| Arc::ptr_eq(&known.text, &text) || known.text == text) {
            return known.spec.clone();
        }
        let spec = format::parse(name, &text).0.map(Arc::new);
        if learnt.len() >= MAX_LEARNT {
            learnt.remove(0);
        }
        learnt.push(Learnt { text, spec: spec.clone() });
        spec
    }
}
