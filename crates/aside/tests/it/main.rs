//! Integration tests: one binary, so that the crate is linked once. `harness` drives real shells, `model` plays the
//! model server, `tidy` reads the source tree; the rest are scenes.

#![allow(clippy::disallowed_methods, reason = "tests start shells and programs themselves")]

mod harness;
mod model;

mod bar;
mod bar_keys;
mod bash;
mod command_line;
mod compat;
mod daemon;
mod doctor;
mod fish;
mod harness_itself;
mod line_oracle;
mod model_complete;
mod model_itself;
mod names;
mod neighbours;
mod replay;
mod sandbox;
mod tidy;
mod try_shell;
mod zsh;
