//! Habits: what this user did next before. Only what happened more than once, and more often than everything else
//! together.

use crate::suggest::check::{Trust, passes};
use crate::suggest::parsed_run::ParsedRun;
use crate::suggest::worth_asking::filter;
use crate::suggest::{EndedRun, Follower, Suggestion, SuggestionSource, never_suggested};

/// Once is not a habit.
const TIMES: u32 = 2;
/// After a command that says nothing about what the user is doing, such as `ls`, it takes more: this many times, and
/// this many of five.
const IDLE_TIMES: u32 = 4;
const IDLE_OF_FIVE: u32 = 4;

pub fn habit(ended: &EndedRun<'_>, parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let idle = parsed_run.last().is_some_and(|step| filter().is_idle(step.name()));
    let here = clear(ended.next, idle, |next| next.here).map(|found| (found, "here"));
    let anywhere = || clear(ended.next, idle, |next| next.anywhere).map(|found| (found, "elsewhere"));
    let (found, place) = here.or_else(anywhere)?;
    let (next, times, all) = found;
    let command = next.command.trim();
    // The arrow-up key repeats the last command.
    if command == parsed_run.line
        || is_pointless(command, parsed_run.place.cwd)
        || !passes(command, Trust::Rule { may: None, line: "" }, &parsed_run.place)
        || never_suggested::is_incomplete(command, &parsed_run.place)
        || failed_each_time(command, ended)
    {
        return None;
    }
    let after = if ended.exit == 0 { "after this".to_owned() } else { format!("after this ended with {}", ended.exit) };
    let reason = format!("you ran it next {times} of {all} times {after} {place}");
    Some(Suggestion {
        command: command.to_owned(),
        source: SuggestionSource::History,
        reason,
        confidence: confidence(times, all),
    })
}

/// Aside itself, which was asked because something was missing, and going to where the user is.
fn is_pointless(command: &str, cwd: &str) -> bool {
    let mut words = command.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("aside"), ..) => true,
        (Some("cd"), Some(place), None) => {
            let place = place.trim_end_matches('/');
            let below_home = place.strip_prefix('~').filter(|below| below.starts_with('/'));
            place == cwd || below_home.is_some_and(|below| cwd.ends_with(below))
        }
        _ => false,
    }
}

/// Whether every run of the command in this session failed.
fn failed_each_time(command: &str, ended: &EndedRun<'_>) -> bool {
    let exits: Vec<Option<i32>> =
        ended.previous.iter().filter(|past| past.command.trim() == command).map(|past| past.exit).collect();
    !exits.is_empty() && exits.iter().all(|exit| exit.is_some_and(crate::history::is_failure))
}

fn clear<'n>(
    all: &'n [Follower<'n>],
    idle: bool,
    count: impl Fn(&Follower<'_>) -> u32,
) -> Option<(&'n Follower<'n>, u32, u32)> {
    let total: u32 = all.iter().map(&count).fold(0, u32::saturating_add);
    let most = all.iter().max_by_key(|next| count(next))?;
    let times = count(most);
    let is_habit = if idle {
        times >= IDLE_TIMES && times.saturating_mul(5) >= total.saturating_mul(IDLE_OF_FIVE)
    } else {
        times >= TIMES && times.saturating_mul(2) > total
    };
    is_habit.then_some((most, times, total))
}

fn confidence(times: u32, all: u32) -> f32 {
    let (times, all) =
        (f32::from(u16::try_from(times).unwrap_or(u16::MAX)), f32::from(u16::try_from(all).unwrap_or(u16::MAX)));
    // Leaves some probability for something else.
    0.95 * times / (all + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_aside_nor_the_directory_of_the_user_is_offered() {
        for command in ["aside fix", "aside doctor", "cd ~/repo", "cd ~/repo/", "cd /home/ada/repo"] {
            assert!(is_pointless(command, "/home/ada/repo"), "{command}");
        }
        for command in ["cd ~/other", "cd ..", "cd", "cd /home/ada", "git push", "cd ~/repo && make"] {
            assert!(!is_pointless(command, "/home/ada/repo"), "{command}");
        }
    }
}
