//! Measures the classifier by a corpus of typed lines: are commands left to the shell, and is prose noticed? See
//! docs/detect-eval.md. `make eval-detect` prints the figures and the errors in the development half.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a judge says what it found, and is told how much"
)]

mod corpus;
mod home;

use std::fmt::Write as _;

use aside_commands::spec::Specs;
use aside_core::detect::{DetectContext, FailureVerdict, FirstWord, PreRunVerdict, RunEnd, after_failure, before_run};
use shell_line::Dialect;

use corpus::{Case, Half, Kind, Reading};
use home::Home;

/// The maximum share of failing commands that may be taken for prose, in percent, with the output or without.
const FAILING_AT_MOST: f64 = 1.0;
/// The maximum for mistyped commands, in percent. They fail whatever happens, so a few are tolerated.
const MISTYPED_AT_MOST: f64 = 3.0;
/// The minimum share of prose that must be noticed, in percent, when the output is known.
const SENTENCES_AT_LEAST: f64 = 90.0;
/// The minimum for prose, in percent, when the output was not captured.
const SENTENCES_UNSEEN_AT_LEAST: f64 = 92.0;

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It never reaches the shell.
    Taken,
    /// The shell ran it, it failed, and then it was rerouted to the agent.
    Rerouted,
    /// Left to the shell.
    Left,
}

/// Whether the daemon got the line's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Seen,
    Unseen,
}

struct Judge {
    home: Home,
    specs: Specs,
}

struct Judged {
    fate: Fate,
    reason: String,
}

impl Judge {
    fn new() -> Self {
        Self { home: Home::new(), specs: Specs::default() }
    }

    fn judge(&self, case: &Case, output: Output) -> Judged {
        let names = self.home.names(case.shell);
        let facts = DetectContext {
            cwd: &format!("/home/me/{}", case.folder),
            dialect: Dialect::of(case.shell),
            first: FirstWord::of(case.first),
            world: &self.home,
            names: &names,
            specs: &self.specs,
            agent_prefix: "@",
        };
        let ruling = before_run(&case.line, &facts);
        if ruling.verdict == PreRunVerdict::Agent {
            return Judged { fate: Fate::Taken, reason: ruling.reason };
        }
        // A shell that waits for more has not run anything, so there is no failure to classify.
        if case.exit == 0 || case.reading == Reading::Open {
            return Judged { fate: Fate::Left, reason: ruling.reason };
        }
        let seen = (output == Output::Seen).then_some(case.output.as_str()).filter(|output| !output.is_empty());
        let end = RunEnd { exit: case.exit, unreadable: case.reading == Reading::Unreadable, output: seen };
        let ruling = after_failure(&case.line, &end, &facts);
        let fate = if ruling.verdict == FailureVerdict::Agent { Fate::Rerouted } else { Fate::Left };
        Judged { fate, reason: ruling.reason }
    }

    fn figures(&self, half: &Half, kind: Kind) -> Figures {
        let cases = half.cases.iter().filter(|case| case.kind == kind);
        let mut figures = Figures::default();
        for case in cases {
            figures.lines += 1;
            figures.taken += usize::from(self.judge(case, Output::Seen).fate == Fate::Taken);
            figures.seen += usize::from(self.judge(case, Output::Seen).fate != Fate::Left);
            figures.unseen += usize::from(self.judge(case, Output::Unseen).fate != Fate::Left);
        }
        figures
    }

    /// A row for each line that was misclassified.
    fn wrong(&self, half: &Half) -> String {
        let mut report = String::new();
        for case in &half.cases {
            let judged = [Output::Seen, Output::Unseen].map(|output| (output, self.judge(case, output)));
            let wrong =
                judged.iter().filter(|(_, judged)| (judged.fate != Fate::Left) != (case.kind == Kind::Sentence));
            let wrong: Vec<&(Output, Judged)> = wrong.collect();
            let when = match wrong.as_slice() {
                [] => continue,
                [(Output::Seen, _)] => "seen",
                [(Output::Unseen, _)] => "unseen",
                _ => "both",
            };
            let Judged { fate, reason } = &wrong[0].1;
            let Case { kind, shell, exit, first, line, .. } = case;
            let line = line.replace('\n', "\\n");
            let _ = writeln!(report, "{kind:?} {shell} {first} {exit} {when}: {line}\n    {fate:?}: {reason}");
        }
        report
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    lines: usize,
    /// Rerouted before they ran.
    taken: usize,
    /// Rerouted, before or after, when the output is known.
    seen: usize,
    unseen: usize,
}

impl Figures {
    fn percent(&self, count: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "some hundred lines")]
        let percent = count as f64 * 100.0 / self.lines.max(1) as f64;
        percent
    }
}

fn table(judge: &Judge, halves: &[Half]) -> String {
    let mut table = "to the agent         lines  before it ran  in all, output seen  in all, unseen\n".to_owned();
    for half in halves {
        for kind in [Kind::Valid, Kind::Failing, Kind::Mistyped, Kind::Sentence] {
            let figures = judge.figures(half, kind);
            let share = |count: usize| format!("{count} ({:.1} %)", figures.percent(count));
            let name = format!("{} {}", half.name, format!("{kind:?}").to_lowercase());
            let (taken, seen, unseen) = (share(figures.taken), share(figures.seen), share(figures.unseen));
            let _ = writeln!(table, "{name:<18} {:>7}  {taken:>13}  {seen:>19}  {unseen:>14}", figures.lines);
        }
    }
    table
}

/// `ASIDE_DETECT=dev` lists the errors there, `ASIDE_DETECT=more` those in the other development part, `ASIDE_DETECT=all` also
/// those in the held-out half.
#[test]
fn figures() {
    let (judge, halves) = (Judge::new(), [corpus::dev(), corpus::more(), corpus::held()]);
    println!("{}", table(&judge, &halves));
    let list = std::env::var("ASIDE_DETECT").unwrap_or_default();
    for half in halves.iter().filter(|half| list == "all" || list == half.name && half.name != "held") {
        println!("{}:\n{}", half.name, judge.wrong(half));
    }
}

#[test]
fn no_valid_command_is_taken_from_the_shell() {
    let judge = Judge::new();
    for half in [corpus::dev(), corpus::more(), corpus::held()] {
        let valid = half.cases.iter().filter(|case| case.kind == Kind::Valid);
        let taken: Vec<&str> = valid
            .filter(|case| judge.judge(case, Output::Seen).fate != Fate::Left)
            .map(|case| case.line.as_str())
            .collect();
        assert_eq!(taken, Vec::<&str>::new(), "{}", half.name);
    }
}

#[test]
fn failing_commands_are_left_alone() {
    let judge = Judge::new();
    for half in [corpus::dev(), corpus::more(), corpus::held()] {
        for (kind, most) in [(Kind::Failing, FAILING_AT_MOST), (Kind::Mistyped, MISTYPED_AT_MOST)] {
            let figures = judge.figures(&half, kind);
            let worst = figures.percent(figures.seen.max(figures.unseen));
            assert!(worst <= most, "{} {kind:?}: {worst:.1} %", half.name);
        }
    }
}

#[test]
fn sentences_are_caught() {
    let judge = Judge::new();
    for half in [corpus::dev(), corpus::more(), corpus::held()] {
        let figures = judge.figures(&half, Kind::Sentence);
        let (seen, unseen) = (figures.percent(figures.seen), figures.percent(figures.unseen));
        assert!(seen >= SENTENCES_AT_LEAST, "{}: {seen:.1} %", half.name);
        assert!(unseen >= SENTENCES_UNSEEN_AT_LEAST, "{} without the output: {unseen:.1} %", half.name);
    }
}

/// The figures depend on the composition of the corpus.
#[test]
fn the_corpus_is_what_it_says() {
    let (dev, held) = (corpus::dev(), corpus::held());
    for half in [&dev, &held] {
        let count = |kind| half.cases.iter().filter(|case| case.kind == kind).count();
        let commands = count(Kind::Valid) + count(Kind::Failing) + count(Kind::Mistyped);
        assert!(commands >= 300 && count(Kind::Failing) >= 100 && count(Kind::Sentence) >= 300, "{}", half.name);
        for case in &half.cases {
            assert!(case.kind != Kind::Valid || case.exit == 0 && case.reading == Reading::Read, "{}", case.line);
            assert!(case.kind != Kind::Failing || case.exit != 0, "{}", case.line);
            assert_ne!(FirstWord::of(case.first), FirstWord::Unasked, "{}", case.line);
        }
    }
    let key = |case: &Case| (case.shell, case.folder, case.line.clone());
    let learnt: Vec<_> = dev.cases.iter().map(key).collect();
    let both: Vec<_> = held.cases.iter().map(key).filter(|case| learnt.contains(case)).collect();
    assert_eq!(both, []);
}
