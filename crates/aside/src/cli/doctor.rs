//! `aside doctor`: says what is installed, what works, what needs doing. `gather` collects `Facts` from the machine; the checks are pure
//! functions from facts to findings; `report` prints them so that they can be pasted. Changes nothing, and never starts a daemon.

use std::io::Write;

use crate::cli::{Exit, paint};

mod complete;
mod current_shell;
mod daemon_health;
mod detect;
mod environment;
mod facts;
mod gather;
mod report;
mod storage;
mod suggest;
mod task;

use facts::Facts;
use report::{Finding, Mark, Report, Section};

/// Say what is installed, what works and what needs doing
///
/// The answer can be pasted: your home directory is written as ~, and no command and no setting's value is in it.
#[derive(clap::Args)]
#[command(after_help = "ok    as it should be\nnote  worth knowing\nfix   needs doing; the exit code is 1")]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let gathered = gather::gather()?;
    let report = Report::new(examine(&gathered.facts), &gathered.homes);
    let text = if args.json { report.json()? } else { report.text(paint()) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(if report.count(Mark::Fix) > 0 { Exit::Failed } else { Exit::Done })
}

fn examine(facts: &Facts) -> Vec<Section> {
    let section = |name, findings: Vec<Finding>| Section { name, findings };
    vec![
        section("program", environment::program(facts)),
        section("shells", environment::shells(facts)),
        section("this shell", current_shell::this_shell(facts)),
        section("terminal", environment::terminal(&facts.terminal)),
        section("daemon", daemon_health::daemon(facts)),
        section("complete", complete::complete(facts)),
        section("detect", detect::detect(facts)),
        section("suggest", suggest::suggest(facts)),
        section("task", task::task(facts)),
        section("configuration", storage::configuration(&facts.config)),
        section("history", storage::history(facts)),
        section("secrets", storage::secrets(facts)),
        section("environment", environment::environment(&facts.environment)),
    ]
}
