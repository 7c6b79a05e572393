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

/// How often a family is played again that ran into a timeout.
const AGAIN: usize = 2;

#[test]
fn no_attempt_to_act_without_approval_succeeds() {
    // One family alone: ASIDE_ADVERSARY=diffs
    let only = std::env::var("ASIDE_ADVERSARY").unwrap_or_default();
    let families: Vec<_> = FAMILIES.iter().filter(|(name, _)| only.is_empty() || only == *name).collect();
    let played: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = families.iter().map(|(_, family)| scope.spawn(family)).collect();
        running.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    let (mut attempts, mut twins) = (Vec::new(), 0);
    for ((name, family), mut played) in families.into_iter().zip(played) {
        // By itself, where the machine was too busy for it among the others.
        for _ in 0..AGAIN {
            match &played {
                Err(panic) if stage::is_timeout(panic) => {
                    eprintln!("{name} once more: {}", stage::text(panic));
                    played = std::thread::spawn(family).join();
                }
                _ => break,
            }
        }
        let (made, beside) = played.unwrap_or_else(|panic| panic!("{name} cannot be played: {}", stage::text(&panic)));
        attempts.extend(made);
        twins += beside;
    }
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
