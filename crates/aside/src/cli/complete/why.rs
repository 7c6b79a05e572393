//! `aside why`: explains why the last suggestion was offered. The daemon remembers it; this puts it into words.

use std::fmt::Write;

use aside_proto::{Reply, Request, WhyParams, WhyResult, WireCandidate};

use crate::cli::complete::candidates;
use crate::cli::{Exit, Paint, from_home, home, one_line, paint, print, session, span};
use crate::client::{self, ClientError};
use crate::paths::Paths;

const DIM: &str = "2";
const BOLD: &str = "1";

const WEIGHED: &str = "\
The score says how likely it is that this is meant. For a line that you ran it is weighed where, how often, how
recently and how well it ran, what ran before it, and what is typed already; for everything else how well it fits
what is typed, how many others fit as well, and how often the like of it comes here.
";

/// For a suggestion on an empty line.
const FOLLOWS: &str = "\
The score says how likely it is that this is meant. It comes from how the last command ended and what it
printed, if that was seen, or from what you ran after it before.
";

/// Say why the last suggestion was offered
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The shell that is meant, as `aside daemon status --json` names it; this one when absent, or any where nothing was
    /// offered in it
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let ask = |session| client::ask(&paths.socket, Request::Why(WhyParams { session }));
    let said = match args.session {
        Some(session) => ask(session),
        None => match ask(session()) {
            // From a script, or a shell without the plugin.
            Ok(Reply::Why(offer)) if offer.candidates.is_empty() => ask(String::new()),
            said => said,
        },
    };
    match said {
        Ok(Reply::Why(offer)) if offer.candidates.is_empty() => {
            complain!("aside: nothing was offered yet; type the beginning of a command at a prompt with Aside");
            Ok(Exit::Failed)
        }
        Ok(Reply::Why(offer)) => {
            print(&if args.json { crate::cli::json_lines(&offer)? } else { told(&offer, paint(), home().as_deref()) })?;
            Ok(Exit::Done)
        }
        Ok(other) => Err(ClientError::Garbled(format!("{other:?}")).into()),
        Err(error @ (ClientError::Absent | ClientError::Silent | ClientError::Foreign | ClientError::Impostor)) => {
            complain!("aside: {error}");
            Ok(Exit::Unreachable)
        }
        Err(error @ ClientError::Garbled(_)) => Err(error.into()),
    }
}

fn told(offer: &WhyResult, paint: Paint, home: Option<&str>) -> String {
    let WhyResult { session, cwd, left, right, ms_ago, candidates } = offer;
    let place = if cwd.is_empty() { String::new() } else { format!(" in {}", one_line(&from_home(cwd, home))) };
    let shell = if session.is_empty() { String::new() } else { format!(", to {}", one_line(session)) };
    let is_next = left.is_empty() && right.is_empty();
    let line = match is_next {
        true => "as the next command\n\n".to_owned(),
        false => format!("for\n\n   {}\n\n", paint.with(BOLD, &candidates::line_with_cursor(left, right))),
    };
    let mut text = format!("Offered {} ago{place}{shell}, {line}", span(ms_ago / 1000));
    for (number, candidate) in (1..).zip(candidates) {
        let WireCandidate { completion: _, cursor_pos: _, confidence, source, description, facts } = candidate;
        let shown = paint.with(BOLD, &candidates::shown(candidate));
        let _ = writeln!(text, "{number}. {shown}");
        let known = paint.with(DIM, &candidates::known(description, facts));
        let _ = writeln!(text, "   {confidence:.2}, {}: {known}", one_line(source));
    }
    text + "\n" + if is_next { FOLLOWS } else { WEIGHED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_and_every_candidate_are_told_in_words() {
        let candidate = |completion: &str, description: &str, source: &str, facts: &str| WireCandidate {
            completion: completion.to_owned(),
            confidence: 0.5,
            source: source.to_owned(),
            description: description.to_owned(),
            facts: facts.to_owned(),
            ..WireCandidate::default()
        };
        let offer = WhyResult {
            session: "zsh-1".to_owned(),
            cwd: "/home/me/src".to_owned(),
            left: "git st".to_owned(),
            right: " -s".to_owned(),
            ms_ago: 65_000,
            candidates: vec![
                candidate("git status -s", "", "history", "whole line, ran here, 12×"),
                candidate("git stash -s", "put changes away", "spec", "subcommand"),
            ],
        };
        let expected = "\
Offered 1 min 5 s ago in ~/src, to zsh-1, for

   git st| -s

1. git status -s
   0.50, history: whole line, ran here, 12×
2. git stash -s
   0.50, spec: put changes away · subcommand

";
        assert_eq!(told(&offer, Paint::Plain, Some("/home/me")), expected.to_owned() + WEIGHED);
        let offer = WhyResult {
            cwd: "/home/me/src".to_owned(),
            ms_ago: 2_000,
            candidates: vec![candidate("git status", "", "rule", "there is no gti, but git")],
            ..WhyResult::default()
        };
        let expected = "\
Offered 2 s ago in ~/src, as the next command

1. git status
   0.50, rule: there is no gti, but git

";
        assert_eq!(told(&offer, Paint::Plain, Some("/home/me")), expected.to_owned() + FOLLOWS);
    }
}
