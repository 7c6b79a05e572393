//! Aside: natural language at the shell prompt. Parses the command line and hands over to one file of `cli/`.

mod agent;
mod apply;
mod bridge;
mod capture;
mod cli;
mod client;
mod config;
mod confirm;
mod connections;
mod daemon;
mod exec;
mod lone_key;
mod paths;
mod provider;
mod rc;
mod reader_file;
mod screen;
mod store;
mod text_work;
mod touched_files;
mod trusted_file;
mod workspace;
mod world;

fn main() -> std::process::ExitCode {
    exec::taint::refuse_tracing();
    cli::main()
}
