//! Failpoints of the writing code. Each has a name, so that tests can inject a failure or a crash there; outside tests they do nothing.

use std::io;

pub fn failpoint(name: &'static str) -> io::Result<()> {
    #[cfg(test)]
    plan::reach(name)?;
    let _ = name;
    Ok(())
}

#[cfg(test)]
pub mod plan {
    use std::cell::{Cell, RefCell};
    use std::io;

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Fate {
        /// The disk is full once.
        Fails,
        /// The disk stays full.
        KeepsFailing,
        Dies,
    }

    thread_local! {
        static PLAN: Cell<Option<(usize, Fate)>> = const { Cell::new(None) };
        static MEANWHILE: RefCell<Option<Meanwhile>> = const { RefCell::new(None) };
        static PASSED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }

    /// Schedules a fate for the failpoint with this number, counted from 0.
    pub fn plan(at: usize, fate: Fate) {
        PLAN.set(Some((at, fate)));
    }

    type Meanwhile = (&'static str, Box<dyn FnOnce()>);

    /// Runs an action when this failpoint is first reached, to simulate another program.
    pub fn meanwhile(name: &'static str, act: impl FnOnce() + 'static) {
        MEANWHILE.set(Some((name, Box::new(act))));
    }

    /// Clears the plan; returns the failpoints that were passed.
    pub fn passed() -> Vec<&'static str> {
        PLAN.set(None);
        PASSED.take()
    }

    pub fn reach(name: &'static str) -> io::Result<()> {
        PASSED.with_borrow_mut(|passed| passed.push(name));
        if let Some((_, act)) = MEANWHILE.with_borrow_mut(|meanwhile| meanwhile.take_if(|(at, _)| *at == name)) {
            act();
        }
        let Some((left, fate)) = PLAN.get() else { return Ok(()) };
        if left > 0 {
            PLAN.set(Some((left - 1, fate)));
            return Ok(());
        }
        match fate {
            Fate::Fails => PLAN.set(None),
            Fate::KeepsFailing => {}
            Fate::Dies => std::process::abort(),
        }
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }
}
