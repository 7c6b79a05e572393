//! Generated lines through the classifier: nothing panics, and no command that would run is taken from the shell. Ten thousand
//! lines, or as many as `ASIDE_LINES` says.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "reads the number of lines, prints figures")]

mod generated;

use aside_core::detect::{PreRunVerdict, RunEnd, after_failure};
use shell_line::{Dialect, Syntax};

use crate::generated::{Dice, MACHINE};

const LINES: usize = 10_000;

/// How many errors are printed.
const MAX_SHOWN: usize = 40;

const OUTPUTS: [Option<&str>; 4] =
    [None, Some("zsh: parse error near `\\n'"), Some("zsh: command not found: x"), Some("No such file or directory")];

#[test]
fn no_generated_command_is_taken_from_the_shell() {
    let lines = std::env::var("ASIDE_LINES").ok().and_then(|text| text.parse().ok()).unwrap_or(LINES);
    let mut dice = Dice(0x5eed);
    let (mut commands, mut sentences, mut excepted) = (0usize, 0usize, 0usize);
    let mut wrong = Vec::new();
    for number in 0..lines {
        let line = MACHINE.line(&mut dice);
        let dialect = [Dialect::Zsh, Dialect::Bash, Dialect::Zsh, Dialect::Fish][number % 4];
        let found = MACHINE.judge(&line, dialect);
        let runs = found.syntax == Syntax::Whole && found.exists;
        commands += usize::from(runs);
        sentences += usize::from(found.verdict == PreRunVerdict::Agent);
        excepted += usize::from(found.verdict == PreRunVerdict::Agent && runs && found.excepted);
        if runs && found.is_taken() && wrong.len() < MAX_SHOWN {
            wrong.push(format!("{number} {dialect:?} {line:?}: {}", found.reason));
        }
        let end = RunEnd { exit: number as i32 % 140, unreadable: number % 3 == 0, output: OUTPUTS[number / 4 % 4] };
        after_failure(&line, &end, &MACHINE.facts(dialect));
    }
    // Shown with `--nocapture`.
    eprintln!(
        "{lines} lines: {commands} would run, {sentences} are sentences, {excepted} of them although they would run"
    );
    assert!(wrong.is_empty(), "commands that were taken from the shell:\n{}", wrong.join("\n"));
    // A corpus without enough commands and prose would prove nothing.
    assert!(commands > lines / 3 && sentences > lines / 20, "{commands} {sentences} of {lines}");
}
