//! Attempts to act without approval, or outside of the workspace: at the real daemon, with real files and commands, and a model that says
//! what an attacker would have it say. None may succeed. Each is seen by a look at every file before and after, and by the runs that the
//! logs tell; twins show that an approved act is seen that way. The page has a suite of its own.

mod answers;
mod commands;
mod diffs;
mod door;
mod errands;
mod files;
mod leftovers;
mod logs;
mod pages;
mod rules;
mod speakers;
mod stage;
mod threads;
mod words;

use std::collections::BTreeMap;

use stage::Attempt;

type Family = fn() -> (Vec<Attempt>, usize);

const FAMILIES: &[(&str, Family)] = &[
    ("diffs", diffs::all),
    ("files", files::all),
    ("answers", answers::all),
    ("races", answers::races),
    ("commands", commands::all),
    ("rules", rules::all),
    ("words", words::all),
    ("threads", threads::all),
    ("logs", logs::all),
    ("door", door::all),
    ("speakers", speakers::all),
    ("errands", errands::all),
    ("leftovers", leftovers::all),
    ("pages", pages::all),
];

/// What the project has set itself.
const LEAST: usize = 150;

#[test]
fn no_attempt_to_act_without_approval_succeeds() {
    // One family alone: ASIDE_ADVERSARY=diffs
    let only = std::env::var("ASIDE_ADVERSARY").unwrap_or_default();
    let families = FAMILIES.iter().filter(|(name, _)| only.is_empty() || only == *name);
    let (mut attempts, mut twins) = (Vec::new(), 0);
    std::thread::scope(|scope| {
        let running: Vec<_> = families.map(|(name, family)| (name, scope.spawn(family))).collect();
        for (name, family) in running {
            let (made, beside) = family.join().unwrap_or_else(|_| panic!("the attempts of {name} could not be made"));
            attempts.extend(made);
            twins += beside;
        }
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    attempts.iter().for_each(|attempt| *counts.entry(attempt.family).or_default() += 1);
    let successes = attempts.iter().filter_map(|Attempt { family, name, success }| {
        success.as_ref().map(|success| format!("{family}: {name}: {success}"))
    });
    let successes: Vec<String> = successes.collect();
    eprintln!("{} attempts ({counts:?}), {} succeeded; {twins} twins did", attempts.len(), successes.len());
    assert_eq!(successes, [] as [String; 0]);
    let names: std::collections::BTreeSet<_> = attempts.iter().map(|attempt| (attempt.family, &attempt.name)).collect();
    assert_eq!(names.len(), attempts.len(), "an attempt is counted twice");
    assert!(!only.is_empty() || attempts.len() >= LEAST, "{} attempts", attempts.len());
}
