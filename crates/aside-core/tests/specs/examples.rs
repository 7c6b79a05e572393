//! The share of the flags and subcommands in public examples that the specs know. `ASIDE_EXAMPLES` names a file of JSON lines with
//! `src` and `cmd`; `ASIDE_EXAMPLES_LIST=1` prints the unknown ones, most frequent first.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::library::Library;
use crate::uses::{self, Use, Uses};

#[derive(Deserialize)]
struct Example {
    /// The collection that it comes from.
    src: String,
    cmd: String,
}

/// How often a command occurs, and in which collections.
#[derive(Debug, Default)]
struct Command {
    lines: usize,
    collections: BTreeSet<String>,
    /// Uses of each, by (path, word).
    uses: BTreeMap<(String, String), Count>,
    firsts: BTreeMap<String, usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    times: usize,
    known: bool,
}

/// How many different words after a command without a spec make them subcommands.
const MIN_SUBCOMMANDS: usize = 3;

#[test]
fn figures_of_examples() {
    let Some(file) = std::env::var_os("ASIDE_EXAMPLES") else { return };
    let library = Library::load();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut commands: BTreeMap<String, Command> = BTreeMap::new();
    for line in text.lines() {
        let example: Example = serde_json::from_str(line).unwrap();
        count(&example.src, uses::of(&example.cmd, &library), &mut commands);
    }
    for (name, command) in &mut commands {
        if library.find(name).is_none() {
            command.guess_subcommands();
        }
    }
    println!("{} specs", library.iter().count());
    let mut ranked: Vec<(&String, &Command)> = commands.iter().collect();
    ranked.sort_by_key(|(name, command)| (std::cmp::Reverse(command.lines), *name));
    report("by lines", &ranked, &library);
    ranked.sort_by_key(|(name, command)| {
        (std::cmp::Reverse(command.collections.len()), std::cmp::Reverse(command.lines), *name)
    });
    report("by collections, then lines", &ranked, &library);
    if std::env::var_os("ASIDE_EXAMPLES_LIST").is_some() {
        list(&ranked, &library);
    }
}

fn count(source: &str, uses: Uses, commands: &mut BTreeMap<String, Command>) {
    for name in uses.commands {
        let command = commands.entry(name).or_default();
        command.lines += 1;
        command.collections.insert(source.to_owned());
    }
    for Use { command, path, word, known } in uses.uses {
        let count = commands.entry(command).or_default().uses.entry((path, word)).or_default();
        count.times += 1;
        count.known |= known;
    }
    for (command, first) in uses.firsts {
        *commands.entry(command).or_default().firsts.entry(first).or_default() += 1;
    }
}

impl Command {
    /// Without a spec, plain first words count as subcommands if most lines have one and they differ.
    fn guess_subcommands(&mut self) {
        let times: usize = self.firsts.values().sum();
        if self.firsts.len() < MIN_SUBCOMMANDS || times * 5 < self.lines * 2 {
            return;
        }
        for (word, times) in &self.firsts {
            self.uses.insert((String::new(), word.clone()), Count { times: *times, known: false });
        }
    }
}

fn report(order: &str, ranked: &[(&String, &Command)], library: &Library) {
    for commonest in [60, 250, 500] {
        let ranked = &ranked[..commonest.min(ranked.len())];
        let missing = ranked.iter().filter(|(name, _)| library.find(name).is_none()).count();
        let all: Vec<Count> = ranked.iter().flat_map(|(_, command)| command.uses.values().copied()).collect();
        let known: Vec<Count> = all.iter().copied().filter(|count| count.known).collect();
        let times = |counts: &[Count]| counts.iter().map(|count| count.times).sum::<usize>();
        println!(
            "{order}: the commonest {commonest}: {missing} without a spec; known {} of {} ({:.1} %), by use {:.1} %",
            known.len(),
            all.len(),
            percent(known.len(), all.len()),
            percent(times(&known), times(&all)),
        );
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some thousand cases")]
    let percent = part as f64 * 100.0 / whole.max(1) as f64;
    percent
}

/// One line each: the command's rank by collections and by lines, its count, its name, the unknown word.
fn list(ranked: &[(&String, &Command)], library: &Library) {
    let mut by_lines: Vec<usize> = (0..ranked.len()).collect();
    by_lines.sort_by_key(|at| (std::cmp::Reverse(ranked[*at].1.lines), ranked[*at].0));
    let mut place = vec![0; ranked.len()];
    for (rank, at) in by_lines.into_iter().enumerate() {
        place[at] = rank + 1;
    }
    for (at, (name, command)) in ranked.iter().enumerate() {
        let spec = if library.find(name).is_some() { "spec" } else { "none" };
        let mut unknown: Vec<_> = command.uses.iter().filter(|(_, count)| !count.known).collect();
        unknown.sort_by_key(|(word, count)| (std::cmp::Reverse(count.times), *word));
        println!(
            "#\t{}\t{}\t{spec}\t{name}\t{} of {}",
            at + 1,
            place[at],
            command.uses.len() - unknown.len(),
            command.uses.len()
        );
        for ((path, word), count) in unknown {
            println!("-\t{}\t{name}\t{path}\t{word}", count.times);
        }
    }
}
