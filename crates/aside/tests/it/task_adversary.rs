//! Attempts to act without approval, or outside of the workspace: at the real daemon, with real files and commands, and a model that says
//! what an attacker would have it say. None may succeed. Each is seen by a look at every file before and after, and by the runs that the
//! logs tell; twins show that an approved act is seen that way. The page has a suite of its own.

mod answers;
mod chats;
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
    ("chats", chats::all),
];

/// What the project has set itself.
const LEAST: usize = 150;

/// As the harness says that its patience is at an end: nothing was found, on a machine that is too busy.
const OVERDUE: &[&str] =
    &["waited ", "did not come to", "do not come to rest", "did not end in", "Resource temporarily unavailable"];

#[test]
fn no_attempt_to_act_without_approval_succeeds() {
    // One family alone: ASIDE_ADVERSARY=diffs
    let only = std::env::var("ASIDE_ADVERSARY").unwrap_or_default();
    let families = FAMILIES.iter().filter(|(name, _)| only.is_empty() || only == *name);
    let (mut attempts, mut twins, mut not_made) = (Vec::new(), 0, Vec::new());
    std::thread::scope(|scope| {
        let running: Vec<_> = families.map(|(name, family)| (name, scope.spawn(family))).collect();
        for (name, family) in running {
            match family.join() {
                Ok((made, beside)) => {
                    attempts.extend(made);
                    twins += beside;
                }
                Err(panic) => match panic.downcast_ref::<String>() {
                    Some(why) if OVERDUE.iter().any(|overdue| why.contains(overdue)) => not_made.push(*name),
                    _ => std::panic::resume_unwind(panic),
                },
            }
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
    // scripts/scenes plays it again then.
    assert!(not_made.is_empty(), "\nattempts not made: {}", not_made.join(", "));
    let names: std::collections::BTreeSet<_> = attempts.iter().map(|attempt| (attempt.family, &attempt.name)).collect();
    assert_eq!(names.len(), attempts.len(), "an attempt is counted twice");
    assert!(!only.is_empty() || attempts.len() >= LEAST, "{} attempts", attempts.len());
}
