//! The time grows with the length of the text, not with its square, whatever the text consists of: each trigger word of
//! every table, repeated. A new rule is part of this by being in its table.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::redact;
use crate::trigger::{TRIGGERS, Trigger};

const KIB: usize = 1024;

/// What stands between two of the same word.
const SEPARATORS: &[&str] = &[
    "",
    " ",
    "\n",
    "\"",
    "'",
    "{",
    "(",
    "=",
    ":",
    "&",
    ";",
    "\\",
    ": \"",
    "=a ",
    " is ",
    "\":{\"a\":",
    "((",
    "\t| ",
    ",",
    "=\"a\" + ",
    "://a:",
    "A1b2",
    "\n\n- ",
    " <<EOF\n",
];

/// Texts that were slow once, and texts in which nearly every byte begins something.
const FAMOUS: &[&str] = &[
    "https://a:",
    "password=",
    "the password is ",
    "token ",
    "\"password\": {",
    "a:b@c.d ",
    "/accept/",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----END RSA PRIVATE KEY-----\n",
    "\"mysql\", ",
    "mysql -pa ; ",
    "kind: Secret\n",
    "| password | a |\n",
    "password=Sommer2024!\n",
    "keys: ['a-b', ",
    "users: { a: 'b', ",
    "\\\n",
    "Пароль:",
    "密码",
    "eyJhbGciOi.",
    "aGVsbG8gd29ybGQ",
    "A",
    "!",
    "\"",
    "'",
    "((",
    "{\"a\":",
    "`$(",
    "abcd ",
    "1234 ",
    "a=b&",
    "u/Aa1!",
    "660 918\n",
    "aB3dE5fG7hJ9kL2mN4pQ6 ",
    "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9dE2fG4 ",
    "aB3d+5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9dE2fG4 ",
    "abcd efgh ijkl mnop, ",
    "Winter2024! ",
    "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9dE2fG4aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7==",
    "\n",
    "INSERT INTO a (password) VALUES ('",
    "ab12cd34ef56ab78 ",
    "sudo echo a | ",
    "pw ",
];

/// The CPU time of this thread: other processes may take the CPU away at any moment.
fn time(text: &str) -> Duration {
    let now = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let start = now();
    std::hint::black_box(redact(text));
    now() - start
}

fn filled(unit: &str, size: usize) -> String {
    unit.repeat(size.div_ceil(unit.len()))
}

/// One word for each kind of trigger and each rule.
fn words() -> Vec<&'static str> {
    let mut seen: HashSet<(Discriminant<Trigger>, Option<usize>)> = HashSet::new();
    let mut is_new = |trigger: &Trigger| {
        let rule = if let Trigger::Rule(number, _) = trigger { Some(*number) } else { None };
        seen.insert((discriminant(trigger), rule))
    };
    let all = [&TRIGGERS.ascii, &TRIGGERS.other].into_iter();
    let all = all.flat_map(|words| words.words.iter().zip(&words.triggers));
    all.filter(|(_, triggers)| triggers.iter().filter(|trigger| is_new(trigger)).count() > 0)
        .map(|(word, _)| &**word)
        .collect()
}

/// Panics if eight times the text takes more than 24 times as long, where the square would be 64: what else the machine
/// does changes a figure by less than that. The least of several runs counts, with an allowance for texts that take next
/// to nothing.
fn check(unit: &str, size: usize) {
    const TIMES: usize = 8;
    const ALLOWANCE: Duration = Duration::from_millis(2);
    let (small, large) = (filled(unit, size), filled(unit, TIMES * size));
    let (mut least_small, mut least_large) = (Duration::MAX, Duration::MAX);
    let is_linear = (0..6).any(|_| {
        least_small = least_small.min(time(&small));
        least_large = least_large.min(time(&large));
        least_large < least_small * 24 + ALLOWANCE
    });
    assert!(is_linear, "{unit:?}: {least_small:?}, and for {TIMES} times the text {least_large:?}");
}

#[test]
fn time_is_linear_in_a_text_that_repeats_one_trigger() {
    let filler = "some plain words and ".repeat(50);
    for (number, word) in words().into_iter().enumerate() {
        for which in 0..2 {
            check(&format!("{word}{}", SEPARATORS[(2 * number + which) % SEPARATORS.len()]), KIB);
        }
        if number % 20 == 0 {
            check(&format!("{word}{filler}"), 4 * KIB);
        }
    }
}

#[test]
fn time_is_linear_in_texts_that_were_slow() {
    for unit in FAMOUS {
        check(unit, 8 * KIB);
        check(&format!("{}\n", unit.repeat(8)), 4 * KIB);
    }
}

/// Each repeated to a megabyte, for a release build: `ASIDE_REDACT_SLOWEST=1` or more prints every nth word with all
/// separators.
#[test]
#[expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "asked for by hand, to read the figures")]
fn the_slowest_megabytes() {
    let Some(step) = std::env::var("ASIDE_REDACT_SLOWEST").ok().and_then(|step| step.parse::<usize>().ok()) else {
        return;
    };
    let mut units: Vec<String> = FAMOUS.iter().map(|unit| (*unit).to_owned()).collect();
    for word in words().into_iter().step_by(step.max(1)) {
        units.extend(SEPARATORS.iter().map(|separator| format!("{word}{separator}")));
    }
    let mut rows: Vec<(Duration, String)> =
        units.into_iter().map(|unit| (time(&filled(&unit, KIB * KIB)), unit)).collect();
    rows.sort();
    for (took, unit) in rows.iter().rev().take(40) {
        println!("{took:?}\t{unit:?}");
    }
}
