//! `aside log`: lists the lines that were taken for prose, and why. Reads the log itself, and needs no daemon.

use std::fmt::Write as _;

use anyhow::Context;
use aside_proto::prose::DetectPhase;

use crate::cli::{Exit, Paint, from_home, home, local_time, one_line, paint, print};
use crate::config::{Config, Reroute};
use crate::paths::Paths;
use crate::store::marked_commands::MarkedCommands;
use crate::store::reroutes::{RerouteOutcome, Rerouted, Reroutes, StoredReroute};

const DIM: &str = "2";
const BOLD: &str = "1";

/// Show which lines were taken for sentences, and why
///
/// The newest is the last. `aside detect wrong` says that it was none.
#[derive(clap::Args)]
pub struct Args {
    /// Print at most so many
    #[arg(short, value_name = "N", default_value_t = 20)]
    number: usize,
    /// Print all that are kept
    #[arg(long, conflicts_with = "number")]
    all: bool,
    /// Print JSON, one line for each
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let (reroutes, marks) = (Reroutes::new(&paths), MarkedCommands::new(&paths));
    let noted = reroutes.read().context("could not read which lines were taken for sentences")?;
    let number = if args.all { noted.len() } else { args.number };
    let chosen = &noted[noted.len().saturating_sub(number)..];
    let mut text = String::new();
    for noted in chosen {
        text.push_str(&if args.json {
            crate::cli::json_line(noted)?
        } else {
            told(noted, marks.has(&noted.rerouted.line), paint())
        });
    }
    if !args.json {
        let config = Config::load(&paths.config_file).unwrap_or_default();
        let file = from_home(&reroutes.lines().path().display().to_string(), home().as_deref());
        text.push_str(&remark(noted.is_empty(), &config, &file));
    }
    print(&text)?;
    Ok(Exit::Done)
}

fn told(StoredReroute { ts, rerouted }: &StoredReroute, is_marked: bool, paint: Paint) -> String {
    let Rerouted { session: _, cwd: _, shell: _, phase, exit, line, reason, became } = rerouted;
    let mut facts = match became {
        RerouteOutcome::Answered => "answered".to_owned(),
        RerouteOutcome::Offered => "offered".to_owned(),
        RerouteOutcome::Asked => "you asked".to_owned(),
    };
    match phase {
        DetectPhase::Before => {}
        DetectPhase::After => {
            let _ = write!(facts, ", after it ended with {exit}");
        }
    }
    if is_marked {
        facts.push_str(", marked as no sentence");
    }
    let (time, line) = (paint.with(DIM, &local_time(ts)), paint.with(BOLD, &one_line(line)));
    let why = if reason.is_empty() { facts } else { format!("{} ({facts})", one_line(reason)) };
    format!("{time}  {line}\n    → {why}\n")
}

/// Explains why the list is empty or short.
fn remark(is_empty: bool, config: &Config, file: &str) -> String {
    let mut text = String::new();
    if is_empty {
        let _ = writeln!(text, "No line was taken for a sentence: none is noted in {file}.");
    }
    if !config.detect.log {
        text.push_str("None is written down at the moment: detect.log is false.\n");
    }
    if config.detect.reroute == Reroute::Off {
        let prefix = &config.detect.agent_prefix;
        let _ = match prefix.is_empty() {
            true => writeln!(text, "None is taken for one at the moment: detect.reroute is off."),
            false => writeln!(text, "Only `{prefix} words` is one at the moment: detect.reroute is off."),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(phase: DetectPhase, reason: &str, became: RerouteOutcome) -> StoredReroute {
        let rerouted = Rerouted {
            session: "zsh-1".to_owned(),
            cwd: "/home/me".to_owned(),
            shell: "zsh".to_owned(),
            phase,
            exit: 2,
            line: "make sure\n\x1b[31mit works".to_owned(),
            reason: reason.to_owned(),
            became,
        };
        StoredReroute { ts: "nonsense".to_owned(), rerouted }
    }

    #[test]
    fn a_line_is_told_with_why_and_what_became_of_it() {
        let told = |phase, reason, became, marked| told(&noted(phase, reason, became), marked, Paint::Plain);
        assert_eq!(
            told(DetectPhase::After, "“sure” is no target", RerouteOutcome::Answered, true),
            "nonsense  make sure\\n\\u{1b}[31mit works\n    \
             → “sure” is no target (answered, after it ended with 2, marked as no sentence)\n"
        );
        assert!(told(DetectPhase::Before, "why", RerouteOutcome::Offered, false).ends_with("    → why (offered)\n"));
        assert!(told(DetectPhase::Before, "", RerouteOutcome::Asked, false).ends_with("    → you asked\n"));
    }

    #[test]
    fn an_empty_list_says_why_it_is() {
        let mut config = Config::default();
        assert_eq!(remark(false, &config, "f"), "");
        assert_eq!(remark(true, &config, "f"), "No line was taken for a sentence: none is noted in f.\n");
        config.detect.log = false;
        config.detect.reroute = Reroute::Off;
        assert_eq!(
            remark(false, &config, "f"),
            "None is written down at the moment: detect.log is false.\n\
             Only `@ words` is one at the moment: detect.reroute is off.\n"
        );
    }
}
