//! Work that somebody asked for in words: what is wanted (route), what comes of each kind of request (run), which files nothing
//! may touch (deny), changes to files (diff), who may act on what (gate), and what becomes of a request until it has ended
//! (machine, with its input, states, effects, events and log, and what of them is written down: clean). What a user in a chat may say and is told
//! is in remote. Decides only: nothing here reads a file, writes one or runs
//! anything.

pub mod clean;
pub mod deny;
pub mod diff;
pub mod effect;
pub mod event;
pub mod gate;
pub mod input;
pub mod log;
pub mod machine;
pub mod proposal;
pub mod remote;
pub mod route;
pub mod run;
pub mod state;
