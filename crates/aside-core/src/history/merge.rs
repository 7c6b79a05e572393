//! Decides which incoming runs are new, given the known ones. The same run may arrive several ways: recorded live, from
//! the shell's own file, from a file that was imported before, from another program's database.
//!
//! A known run accounts for at most one incoming run of the same command:
//!
//! 1. at the same second, with a preference for the same shell: one of two programs may not have recorded the shell;
//! 2. then at most a second away, because a shell and a recorder read the clock one after the other;
//! 3. then, where one side has no time at all, in the same shell. This covers a plain history file of commands that
//!    were also recorded; and zsh, when told to keep times, stamps all its old commands with the present one.
//!
//! So importing a file twice adds nothing the second time, which a property test checks.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The compared parts of a run. A hash in place of the text keeps five million known runs in 120 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    command: u64,
    /// Whole seconds, since shells write no more. `None` sorts before every time.
    second: Option<u32>,
    shell: u32,
}

impl Run {
    pub fn new(command: &str, start_ms: Option<i64>, shell: &str) -> Self {
        // A time before 1970 or after 2106 counts as none.
        let second = start_ms.and_then(|start| u32::try_from(start.div_euclid(1000)).ok());
        Self { command: hash(command), second, shell: hash(shell) as u32 }
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The indices of the incoming runs that no known run accounts for, in their order.
pub fn new_runs(mut known: Vec<Run>, incoming: &[Run]) -> Vec<usize> {
    known.sort_unstable();
    let mut order: Vec<usize> = (0..incoming.len()).collect();
    order.sort_unstable_by_key(|&index| (incoming[index], index));

    let mut new = Vec::new();
    let mut known = known.as_slice();
    for group in order.chunk_by(|&one, &other| incoming[one].command == incoming[other].command) {
        let command = incoming[group[0]].command;
        known = &known[known.partition_point(|run| run.command < command)..];
        let (same, rest) = known.split_at(known.partition_point(|run| run.command == command));
        known = rest;
        unaccounted(same, group, incoming, &mut new);
    }
    new.sort_unstable();
    new
}

/// For one command. `known` and `group` are both sorted, so those without a time come first.
fn unaccounted(known: &[Run], group: &[usize], incoming: &[Run], new: &mut Vec<usize>) {
    let mut spent = vec![false; known.len()];
    let open = match_twins(known, &mut spent, group, incoming);
    let open = match_times(known, &mut spent, open, incoming, 0);
    let open = match_times(known, &mut spent, open, incoming, 1);
    match_shells(known, &mut spent, open, incoming, new);
}

/// The same second in the same shell. A run from an earlier import must match its own row, not one that another run
/// needs.
fn match_twins(known: &[Run], spent: &mut [bool], open: &[usize], incoming: &[Run]) -> Vec<usize> {
    let mut open = open.to_vec();
    let mut next = 0;
    open.retain(|&index| {
        let run = incoming[index];
        while next < known.len() && known[next] < run {
            next += 1;
        }
        let twin = run.second.is_some() && known.get(next) == Some(&run);
        if twin {
            spent[next] = true;
            next += 1;
        }
        !twin
    });
    open
}

/// Both sides are in ascending order, so taking the earliest known run that fits gives the largest matching.
fn match_times(known: &[Run], spent: &mut [bool], open: Vec<usize>, incoming: &[Run], tolerance: i64) -> Vec<usize> {
    let mut next = 0;
    let mut still_open = Vec::new();
    for index in open {
        let Some(second) = incoming[index].second.map(i64::from) else {
            still_open.push(index);
            continue;
        };
        let too_early = |run: &Run| run.second.is_none_or(|known| i64::from(known) < second - tolerance);
        while next < known.len() && (spent[next] || too_early(&known[next])) {
            next += 1;
        }
        match known.get(next).and_then(|run| run.second) {
            Some(known) if i64::from(known) <= second + tolerance => spent[next] = true,
            _ => still_open.push(index),
        }
    }
    still_open
}

fn match_shells(known: &[Run], spent: &mut [bool], open: Vec<usize>, incoming: &[Run], new: &mut Vec<usize>) {
    // Where the search for each shell's next run continues: there are few shells, but perhaps many runs of `ls`.
    let mut marks: Vec<(u32, usize)> = Vec::new();
    for index in open {
        let run = incoming[index];
        let at = marks.iter().position(|(shell, _)| *shell == run.shell).unwrap_or_else(|| {
            marks.push((run.shell, 0));
            marks.len() - 1
        });
        let next = &mut marks[at].1;
        while *next < known.len() && (spent[*next] || known[*next].shell != run.shell) {
            *next += 1;
        }
        match known.get(*next) {
            Some(other) if run.second.is_none() || other.second.is_none() => spent[*next] = true,
            _ => new.push(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `command@second/shell`; the second and the shell are optional.
    fn run(text: &str) -> Run {
        let (text, shell) = text.split_once('/').unwrap_or((text, "zsh"));
        let (command, second) = text.split_once('@').map_or((text, None), |(command, second)| (command, Some(second)));
        Run::new(command, second.map(|second| second.parse::<i64>().unwrap() * 1000), shell)
    }

    fn runs(text: &str) -> Vec<Run> {
        text.split_whitespace().map(run).collect()
    }

    fn new(known: &str, incoming: &str) -> String {
        let words: Vec<&str> = incoming.split_whitespace().collect();
        let new = new_runs(runs(known), &runs(incoming));
        new.into_iter().map(|index| words[index]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn everything_is_new_when_nothing_is_known() {
        assert_eq!(new("", "b@2 a@1 a@1 c"), "b@2 a@1 a@1 c");
    }

    #[test]
    fn nothing_is_new_the_second_time() {
        assert_eq!(new("a@1 b@2 a@3 c c", "a@1 b@2 a@3 c c"), "");
    }

    #[test]
    fn only_what_grew_is_new() {
        assert_eq!(new("a@1 b@2 c", "a@1 b@2 a@9 c c"), "a@9 c");
    }

    #[test]
    fn a_file_that_lost_its_beginning_adds_only_its_end() {
        assert_eq!(new("a@1 a@2 b@3", "a@2 b@3 a@40"), "a@40");
    }

    #[test]
    fn a_recorded_run_may_be_a_second_off() {
        assert_eq!(new("a@10", "a@11"), "");
        assert_eq!(new("a@11", "a@10"), "");
        assert_eq!(new("a@10", "a@12"), "a@12");
        assert_eq!(new("a@10", "b@10"), "b@10");
    }

    #[test]
    fn the_same_second_comes_before_the_next_one() {
        assert_eq!(new("a@10 a@11", "a@11 a@12"), "a@12");
    }

    #[test]
    fn one_known_run_accounts_for_one_run_only() {
        assert_eq!(new("a@10", "a@10 a@10 a@11"), "a@10 a@11");
    }

    #[test]
    fn runs_without_a_time_are_counted_within_their_shell() {
        assert_eq!(new("a a", "a a a"), "a");
        assert_eq!(new("a/bash a/bash", "a/zsh"), "a/zsh");
    }

    #[test]
    fn a_plain_file_does_not_double_what_was_recorded() {
        assert_eq!(new("a@10 a@20 b@30", "a a a b"), "a");
        assert_eq!(new("a@10/bash", "a/zsh"), "a/zsh");
    }

    #[test]
    fn a_plain_file_that_zsh_stamped_later_does_not_double() {
        assert_eq!(new("a a b", "a@500 a@500 b@500 b@900"), "b@900");
    }

    #[test]
    fn milliseconds_do_not_part_a_run_from_itself() {
        let recorded = Run::new("a", Some(10_999), "zsh");
        assert_eq!(new_runs(vec![recorded], &[Run::new("a", Some(10_000), "zsh")]), Vec::<usize>::new());
    }

    fn some_runs() -> impl Strategy<Value = Vec<Run>> {
        let some_run = ("[ab]", proptest::option::of(0..8_i64), "[zf]");
        let some_run =
            some_run.prop_map(|(command, second, shell)| Run::new(&command, second.map(|s| s * 1000), &shell));
        proptest::collection::vec(some_run, 0..24)
    }

    proptest! {
        #[test]
        fn importing_again_adds_nothing(known in some_runs(), file in some_runs()) {
            let mut after = known.clone();
            after.extend(new_runs(known, &file).into_iter().map(|index| file[index]));
            prop_assert_eq!(new_runs(after, &file), Vec::<usize>::new());
        }

        #[test]
        fn what_is_new_is_in_the_order_of_the_file(known in some_runs(), file in some_runs()) {
            let new = new_runs(known, &file);
            prop_assert!(new.is_sorted());
        }
    }
}
