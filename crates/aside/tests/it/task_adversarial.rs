//! Attempts to act without approval, or outside of the workspace: at the real daemon, with real files and commands, and a model that says
//! what an attacker would have it say. None may succeed. Each is seen by a look at every file before and after, and by the runs that the
//! logs tell; twins show that an approved act is seen that way. The page has a suite of its own.

mod chats;
mod commands;
mod confused_deputy;
mod diffs;
mod files;
mod fixture;
mod forged_approvals;
mod logs;
mod pages;
mod process_escape;
mod prompt_injection;
mod relays;
mod rules;
mod self_approval;
mod socket_access;
mod threads;
mod undo_records;

use std::collections::BTreeMap;

use fixture::{Attempt, Outcome};

type Family = fn() -> (Vec<Attempt>, usize);

const FAMILIES: &[(&str, Family)] = &[
    ("diffs", diffs::all),
    ("files", files::all),
    ("forged_approvals", forged_approvals::all),
    ("races", forged_approvals::races),
    ("commands", commands::all),
    ("rules", rules::all),
    ("prompt_injection", prompt_injection::all),
    ("threads", threads::all),
    ("logs", logs::all),
    ("socket_access", socket_access::all),
    ("self_approval", self_approval::all),
    ("confused_deputy", confused_deputy::all),
    ("process_escape", process_escape::all),
    ("pages", pages::all),
    ("chats", chats::all),
    ("relays", relays::all),
    ("undo_records", undo_records::all),
];

/// What the project has set itself.
const LEAST: usize = 150;

/// How often a family is played by itself in which something went another way than its scenes say, on a machine that may have been too busy.
/// None of these may. What an attempt changes or runs gets no second chance.
const AGAIN: usize = 2;

#[test]
fn no_attempt_to_act_without_approval_succeeds() {
    // One family alone: ASIDE_ADVERSARY=diffs
    let only = std::env::var("ASIDE_ADVERSARY").unwrap_or_default();
    let families: Vec<_> = FAMILIES.iter().filter(|(name, _)| only.is_empty() || only == *name).collect();
    let played: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = families.iter().map(|(_, family)| scope.spawn(|| play(*family))).collect();
        running.into_iter().map(|family| family.join().unwrap()).collect()
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut succeeded, mut unexpected, mut twins) = (Vec::new(), Vec::new(), 0);
    for ((name, family), first) in families.into_iter().zip(played) {
        let mut last = first;
        if !last.unexpected.is_empty() {
            eprintln!("{name} is played again by itself, since among the others {}", last.unexpected.join("; "));
            for _ in 0..AGAIN {
                succeeded.append(&mut last.succeeded);
                last = play(*family);
                unexpected.append(&mut last.unexpected);
            }
        }
        succeeded.extend(last.succeeded);
        counts.insert(*name, last.attempts);
        twins += last.twins;
    }
    let total: usize = counts.values().sum();
    eprintln!("{total} attempts ({counts:?}), {} succeeded; {twins} twins did", succeeded.len());
    assert_eq!(succeeded, [] as [String; 0]);
    assert_eq!(unexpected, [] as [String; 0]);
    assert!(!only.is_empty() || total >= LEAST, "{total} attempts");
}

#[derive(Default)]
struct Played {
    attempts: usize,
    twins: usize,
    unexpected: Vec<String>,
    succeeded: Vec<String>,
}

fn play(family: Family) -> Played {
    let (attempts, twins) = match std::panic::catch_unwind(family) {
        Ok(played) => played,
        Err(panic) => return Played { unexpected: vec![fixture::text(&*panic).to_owned()], ..Played::default() },
    };
    let names: std::collections::BTreeSet<_> = attempts.iter().map(|attempt| (attempt.family, &attempt.name)).collect();
    assert_eq!(names.len(), attempts.len(), "an attempt is counted twice");
    let mut played = Played { attempts: attempts.len(), twins, ..Played::default() };
    for Attempt { family, name, outcome } in attempts {
        match outcome {
            Outcome::Failed => {}
            Outcome::Unexpected(how) => played.unexpected.push(format!("{family}: {name}: {how}")),
            Outcome::Succeeded(changes) => played.succeeded.push(format!("{family}: {name}: {changes}")),
        }
    }
    played
}
