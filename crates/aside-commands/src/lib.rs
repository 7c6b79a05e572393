//! What is known about commands and about the machine they run on: specs of commands, the targets of a project, the names that a
//! shell defines, and what a line can destroy. `world` is what may be asked about the machine.

pub mod project;
pub mod safety;
pub mod shell_names;
pub mod spec;
pub mod world;
