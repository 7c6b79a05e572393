//! What this person did next the last times. Only what was done more than once, and more often than all else together.

use std::collections::HashMap;

use crate::suggest::check::{Trust, passes};
use crate::suggest::scene::Scene;
use crate::suggest::{Ended, Next, Source, Suggestion};

/// Once is no habit.
const TIMES: u32 = 2;

pub fn habit(ended: &Ended<'_>, scene: &Scene<'_>) -> Option<Suggestion> {
    let here = clear(ended.next, |next| next.here).map(|found| (found, "here"));
    let (found, place) = here.or_else(|| clear(ended.next, |next| next.anywhere).map(|found| (found, "elsewhere")))?;
    let (next, times, all) = found;
    let command = next.command.trim();
    // The same again is what the arrow up is for.
    if command == scene.line || !passes(command, Trust::Rule { may: None, line: "" }, &scene.place) {
        return None;
    }
    let after = if ended.exit == 0 { "after this".to_owned() } else { format!("after this ended with {}", ended.exit) };
    let reason = format!("you ran it next {times} of {all} times {after} {place}");
    Some(Suggestion {
        command: command.to_owned(),
        source: Source::History,
        reason,
        confidence: confidence(times, all),
    })
}

fn clear<'n>(all: &'n [Next<'n>], count: impl Fn(&Next<'_>) -> u32) -> Option<(&'n Next<'n>, u32, u32)> {
    let total: u32 = all.iter().map(&count).fold(0, u32::saturating_add);
    let most = all.iter().max_by_key(|next| count(next))?;
    let times = count(most);
    (times >= TIMES && times.saturating_mul(2) > total).then_some((most, times, total))
}

fn confidence(times: u32, all: u32) -> f32 {
    let (times, all) =
        (f32::from(u16::try_from(times).unwrap_or(u16::MAX)), f32::from(u16::try_from(all).unwrap_or(u16::MAX)));
    // One more of something else is always possible.
    0.95 * times / (all + 0.5)
}

/// Counts what came after a command, while the history passes by, the oldest first.
pub struct Followed<'q> {
    command: &'q str,
    exit: i32,
    cwd: &'q str,
    /// Sessions in which it was the last command, and whether it ran here.
    waiting: HashMap<String, Where>,
    counts: HashMap<String, (u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Here,
    Elsewhere,
}

/// Commands that are counted; a person has fewer habits after one command.
const MAX_COUNTED: usize = 512;
/// Shells that are followed at once.
const MAX_SESSIONS: usize = 1024;

impl<'q> Followed<'q> {
    pub fn new(command: &'q str, exit: i32, cwd: &'q str) -> Self {
        Self { command: command.trim(), exit, cwd, waiting: HashMap::new(), counts: HashMap::new() }
    }

    pub fn see(&mut self, session: &str, cwd: Option<&str>, command: &str, exit: Option<i32>) {
        let command = command.trim();
        if let Some(place) = self.waiting.remove(session)
            && (self.counts.contains_key(command) || self.counts.len() < MAX_COUNTED)
        {
            let (here, anywhere) = self.counts.entry(command.to_owned()).or_default();
            *here += u32::from(place == Where::Here);
            *anywhere += 1;
        }
        if command == self.command && exit == Some(self.exit) && self.waiting.len() < MAX_SESSIONS {
            let place = if cwd == Some(self.cwd) { Where::Here } else { Where::Elsewhere };
            self.waiting.insert(session.to_owned(), place);
        }
    }

    pub fn next(&self) -> Vec<Next<'_>> {
        let counts = self.counts.iter();
        counts.map(|(command, &(here, anywhere))| Next { command, here, anywhere }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_followed_is_counted_per_session() {
        let mut followed = Followed::new("make", 2, "/app");
        for (session, cwd, command, exit) in [
            ("a", "/app", "make", 2),
            ("b", "/other", "make", 2),
            ("a", "/app", "vim main.c", 0),
            ("b", "/other", "vim main.c", 0),
            ("a", "/app", "make", 0),
            ("a", "/app", "git push", 0),
            ("a", "/app", "make", 2),
        ] {
            followed.see(session, Some(cwd), command, Some(exit));
        }
        let next: Vec<(String, u32, u32)> =
            followed.next().iter().map(|next| (next.command.to_owned(), next.here, next.anywhere)).collect();
        assert_eq!(next, [("vim main.c".to_owned(), 1, 2)]);
    }
}
