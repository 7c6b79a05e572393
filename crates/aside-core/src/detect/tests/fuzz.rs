//! Property tests: every line and every output gets a verdict.

use proptest::prelude::*;
use shell_line::Dialect;

use super::with;
use crate::detect::{PreRunVerdict, RunEnd, after_failure, before_run};

/// Words that rules ask about, and characters that split words at odd places.
fn line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("make"),
        Just("find"),
        Just("ssh"),
        Just("who"),
        Just("the"),
        Just("a"),
        Just("is"),
        Just("it"),
        Just("all"),
        Just("of"),
        Just("for"),
        Just("in"),
        Just("'"),
        Just("it's"),
        Just("(`x"),
        Just("<é>"),
        Just("$ß*"),
        Just("*.txt?"),
        Just("3*7"),
        Just("é"),
        Just("ist's"),
        Just("—"),
        Just("\u{301}"),
        Just("ies"),
        Just("ing"),
        Just("éed"),
        Just("?"),
        Just("😀s"),
        Just("-"),
        Just("--é"),
        Just("who()"),
        Just(";"),
        Just("”"),
    ];
    prop::collection::vec(piece, 0..9).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_has_a_verdict_and_a_reason(line in prop_oneof![line(), any::<String>()], output in any::<String>(), exit in -1..260) {
        for dialect in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
            for output in [None, Some(output.as_str())] {
                let end = RunEnd { exit, unreadable: exit % 2 == 0, output };
                let (first, last) = with(dialect, |facts| (before_run(&line, facts), after_failure(&line, &end, facts)));
                prop_assert!(!first.reason.is_empty() && !last.reason.is_empty());
                prop_assert!(first.verdict != PreRunVerdict::Agent || !line.trim().is_empty());
            }
        }
    }
}
