//! Aside: natural language at the shell prompt. Parses the command line and hands over to one file of `cli/`.

#[cfg_attr(not(test), expect(dead_code, reason = "the engine that calls it is not there yet"))]
mod apply;
mod capture;
mod cli;
mod client;
mod config;
mod daemon;
mod exec;
mod paths;
mod provider;
mod store;
mod world;

fn main() -> std::process::ExitCode {
    cli::main()
}
