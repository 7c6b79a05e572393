//! Synthetic but plausible histories, for users who have none to spare: five users with different jobs, each with projects, files,
//! branches, hosts and habits that change over time. The same seed gives the same histories everywhere.
//!
//! They were adjusted to what twenty real histories have in common, and to nothing that Aside does with them: 33 to 43 lines of a
//! hundred were never typed before, a line has about 19 characters in three words, one of eight has no more than four, one of ten
//! is `ls`, one of four was typed within the last five, one of forty-five is mistyped and typed again, and zsh-autosuggestions
//! saves 38 to 48 % of the keys and is wrong with half of what it shows. One real history in four has more new lines, up to 80 of a
//! hundred, and saves less.

mod rng;
mod simulated_project;
mod simulated_user;

use std::fmt::Write;

use simulated_user::{PEOPLE, SimulatedUser};

/// Names and histories, in zsh's format with times. All users, unless `only` names one.
pub fn people(count: usize, seed: u64, only: Option<&str>) -> Vec<(String, String)> {
    let wanted = PEOPLE.iter().zip(0u64..).filter(|((name, _), _)| only.is_none_or(|only| only == *name));
    let made = wanted.map(|(&(name, trade), place)| {
        let lines = SimulatedUser::new(trade, seed.wrapping_mul(PEOPLE.len() as u64).wrapping_add(place)).lives(count);
        (name.to_owned(), as_zsh_history(&lines))
    });
    made.collect()
}

fn as_zsh_history(lines: &[String]) -> String {
    let mut file = String::new();
    for (line, number) in lines.iter().zip(0u64..) {
        // Writing to a string cannot fail.
        let _ = writeln!(file, ": {}:0;{line}", 1_700_000_000 + number * 41);
    }
    file
}
