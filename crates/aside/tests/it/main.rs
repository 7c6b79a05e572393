//! Integration tests: one binary, so that the crate is linked once. `harness` drives real shells, `model` plays the
//! model server, `tidy` reads the source tree; the rest are scenes.

#![allow(clippy::disallowed_methods, reason = "tests start shells and programs themselves")]

mod harness;
mod model;

mod answer_cli;
mod ask_daemon;
mod bar;
mod bar_keys;
mod bash;
mod bash_talk;
mod bash_talk_keys;
mod bash_talk_live;
mod command_line;
mod compat;
mod daemon;
mod detect_cli;
mod detect_oracle;
mod doctor;
mod eval;
mod fish;
mod harness_itself;
mod line_oracle;
mod model_complete;
mod model_itself;
mod model_local;
mod model_network;
mod model_pull;
mod model_real;
mod names;
mod neighbours;
mod privacy;
mod replay;
mod sandbox;
mod suggest_cli;
mod synapse;
mod syntax_oracle;
mod talk;
mod talk_history;
mod talk_live;
mod talk_screen;
mod tidy;
mod translate_cli;
mod try_shell;
mod wish;
mod wish_daemon;
mod wish_keys;
mod wish_live;
mod zsh;
