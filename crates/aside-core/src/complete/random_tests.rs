//! Random prefixes of lines over random histories: every candidate parses, is balanced, fits its spec and names what
//! exists. Checks this independently of `filter`.

use aside_commands::spec::kind::ArgKind as Takes;
use aside_commands::spec::walk::{NextWord, SpecWord, WalkStep};
use aside_commands::world::Fact;
use shell_line::{self as line, Command};

use crate::complete::candidate::{CandidateKind, MatchKind};
use crate::complete::complete;
use crate::complete::context::CompletionContext;
use crate::complete::fake::Fake;
use crate::complete::rank::Ranked;
use crate::complete::resolve_path;
use crate::complete::spec::resolve::{self, Resolution};

/// Prefixes that every test run tries; `ASIDE_RANDOM_STEMS` overrides the number.
const STEMS: usize = 400;
const STEMS_PER_HISTORY: usize = 40;
const SEED: u64 = 16;

const MACHINE: &str = "
    cwd /home/me/shop
    repository /home/me/shop
    directory src
    file src/main.rs
    file src/lib.rs
    file docs/guide.md
    file README.md
    file Makefile
    file My notes.txt
    file build/app.tar.gz
    git-branch main
    git-branch feature/login
    git-remote origin
    git-changed src/main.rs
    git-changed README.md
    make-target build
    make-target test
    host web1
    docker-container db
";

const PROGRAMS: [&str; 20] = [
    "git",
    "cargo",
    "make",
    "docker",
    "tar",
    "grep",
    "ssh",
    "cat",
    "vim",
    "rm",
    "cp",
    "mv",
    "curl",
    "find",
    "kubectl",
    "npm",
    "ls",
    "systemctl",
    "python3",
    "sudo",
];

const WORDS: &str = "status commit checkout push add log diff build test run compose up down logs exec get pods describe install \
    -m -a -v --all --oneline --release --force --nocapture -n -rf -xzf --short -p --no-such-flag main feature/login gone origin web1 \
    src/main.rs src/old.rs docs/ README.md lost.txt Makefile /etc/hosts /no/where 'fix it' \"two words\" 'open build all > out.txt | && ; $HOME *.rs";

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn line(&mut self) -> String {
        let words: Vec<&str> = WORDS.split(' ').filter(|word| !word.is_empty()).collect();
        let mut line = PROGRAMS[self.below(PROGRAMS.len())].to_owned();
        for _ in 0..self.below(5) {
            line.push(' ');
            line.push_str(words[self.below(words.len())]);
        }
        line
    }

    /// A prefix of such a line, or of one that ran.
    fn stem(&mut self, history: &[String]) -> String {
        let line = if self.below(2) == 0 { self.line() } else { history[self.below(history.len())].clone() };
        let cut = 1 + self.below(line.chars().count());
        line.chars().take(cut).collect()
    }
}

/// What is wrong with a candidate.
fn fault(fake: &Fake, ranked: &Ranked) -> Option<String> {
    let context = fake.context();
    let candidate = &ranked.candidate;
    let (text, facts) = (candidate.text.trim_end(), &candidate.facts);
    if facts.fit == MatchKind::Extends && !candidate.text.starts_with(context.left) {
        return Some("does not go on with what is typed".to_owned());
    }
    if !(0.0..=1.0).contains(&ranked.chance) {
        return Some("has no chance from 0 to 1".to_owned());
    }
    let line = line::parse(text, context.dialect);
    if line.open.is_some() && line::parse(context.left, context.dialect).open.is_none() {
        return Some("does not balance".to_owned());
    }
    let from = context.left.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
    // After a correction comes what is typed.
    let typed =
        context.left.trim_end().bytes().rev().zip(text.bytes().rev()).take_while(|(one, other)| one == other).count();
    let to = text.len() - typed.min(text.len() - from);
    for command in &line.commands {
        for (number, word) in command.words.iter().enumerate().skip(1) {
            if word.span.end <= from || word.span.start >= to || !word.fixed {
                continue;
            }
            let is_path = word.value.contains('/') && !word.value.contains([':', '=']) && !word.value.starts_with('-');
            let is_path = is_path && takes_paths(&context, command, number, &word.value);
            let is_missing = || {
                resolve_path::absolute(&context, &word.value, true)
                    .is_some_and(|path| resolve_path::kind(&context, &path) == Fact::No)
            };
            let is_branch = word.value.starts_with("feature/") || word.value.starts_with("origin/");
            if is_path && !is_branch && facts.past.is_none() && is_missing() {
                return Some(format!("names {}, which is not there", word.value));
            }
            // A whole line that ran may have what our spec lacks.
            if facts.past.is_some() || facts.kind == CandidateKind::Idea || !word.value.starts_with('-') {
                continue;
            }
            if let Resolution::Spec(reached) = resolve::resolve(&context, command, number) {
                let piece = SpecWord { value: word.value.as_str().into(), fixed: true, word: Some(number) };
                let mut walk = reached.walk.clone();
                if matches!(walk.go(reached.pieces.len(), &piece), WalkStep::Unknown) {
                    return Some(format!("has {}, which its spec has not", word.value));
                }
            }
        }
    }
    None
}

/// Whether the slot takes a path, as far as is known.
fn takes_paths(context: &CompletionContext<'_>, command: &Command, number: usize, value: &str) -> bool {
    let Resolution::Spec(reached) = resolve::resolve(context, command, number) else { return true };
    let is_path = |kind: &Takes| matches!(kind, Takes::File(_) | Takes::Directory | Takes::Path);
    match reached.walk.next(value) {
        NextWord::Argument { kinds, .. } => kinds.iter().all(is_path),
        NextWord::Value { flag, .. } => flag.takes.as_ref().is_some_and(|takes| takes.kinds.iter().all(is_path)),
        NextWord::Command => true,
        NextWord::Flag | NextWord::Nothing => false,
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the number of stems is set by hand")]
#[expect(clippy::disallowed_macros, reason = "make random-stems shows how many candidates there were")]
fn whatever_is_begun_is_completed_by_what_fits() {
    let stems = std::env::var("ASIDE_RANDOM_STEMS").ok().and_then(|count| count.parse().ok()).unwrap_or(STEMS);
    let programs: String = PROGRAMS.iter().map(|name| format!("program {name}\n")).collect();
    let (mut offered, mut faults) = (0, Vec::new());
    for round in 0..stems.div_ceil(STEMS_PER_HISTORY) {
        let seed = SEED + round as u64;
        let mut dice = Dice(seed);
        let history: Vec<String> = (0..1 + dice.below(60)).map(|_| dice.line()).collect();
        let rows: String = history.iter().map(|line| format!("history {line}\n")).collect();
        let mut fake = Fake::new(&format!("{MACHINE}\n{programs}\n{rows}"));
        for _ in 0..STEMS_PER_HISTORY {
            fake.left = dice.stem(&history);
            let found = complete(&fake.context());
            offered += found.len();
            let wrong = found.iter().filter_map(|ranked| Some((ranked, fault(&fake, ranked)?)));
            faults.extend(
                wrong.map(|(ranked, fault)| {
                    format!("seed {seed}: {:?} → {:?} {fault}", fake.left, ranked.candidate.text)
                }),
            );
        }
    }
    println!("{stems} stems, {offered} candidates, {} faults", faults.len());
    assert!(offered > stems / 4, "{offered} candidates for {stems} stems");
    assert!(faults.is_empty(), "{} of {offered}:\n{}", faults.len(), faults[..faults.len().min(30)].join("\n"));
}
