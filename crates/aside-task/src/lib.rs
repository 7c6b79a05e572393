//! Tasks that a user requests in words. `route` decides what is wanted, `run` does the work of each kind of request, `denied_files` lists files
//! that no task may touch, `diff` handles changes to files, `gate` decides what may act, and `machine` runs the life cycle (with `input`,
//! `state`, `effect`, `event` and `log`; `redact_log` redacts what is logged). `remote` decides what a user in a chat may say and is told. Only
//! decides: nothing here reads a file, writes one or runs anything.

pub mod denied_files;
pub mod diff;
pub mod effect;
pub mod event;
pub mod executed_files;
pub mod gate;
pub mod input;
pub mod log;
pub mod machine;
mod path_patterns;
pub mod proposal;
pub mod redact_log;
pub mod remote;
pub mod route;
pub mod run;
pub mod state;
