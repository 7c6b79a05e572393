//! Decides whether a command after a pipe still reads standard input: `ps aux | grep -r nginx src` would not. The table
//! is `data/complete/stdin.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use aside_commands::spec::kind::ArgKind;
use aside_commands::spec::walk::{NextWord, SpecWalk};
use shell_line::{Command, Join};

use crate::complete::spec::resolve::ResolvedCommand;

const TABLE: &str = include_str!("../../../data/complete/stdin.txt");

/// Commands that pass standard input on as arguments: the inner command reads files.
const HAND_ON: [&str; 2] = ["xargs", "parallel"];

/// The flags, by command name, with which a command needs files.
static FLAGS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once('|'));
    let by_name = |(names, flags): (&'static str, &'static str)| {
        names.split_whitespace().map(move |name| (name, flags.split_whitespace().collect()))
    };
    rows.flat_map(by_name).collect()
});

/// Whether the word makes a command after a pipe read files instead. `reached` is the parse before the word, `after`
/// the parse with it.
pub fn ignores_pipe(command: &Command, reached: &ResolvedCommand<'_>, next: &NextWord<'_>, after: &SpecWalk) -> bool {
    if command.join != Join::Pipe || command.words.iter().any(|word| HAND_ON.contains(&word.value.as_str())) {
        return false;
    }
    let name = reached.pieces.first().map_or("", |name| name.value.rsplit('/').next().unwrap_or_default());
    let Some(flags) = FLAGS.get(name) else { return false };
    let given = after.given.get(reached.walk.given.len()..).unwrap_or_default();
    if given.iter().any(|given| flags.iter().any(|flag| given.is(flag))) {
        return true;
    }
    // `… | cat - footer.txt`
    let reads_both = || reached.pieces.iter().any(|piece| piece.value == "-");
    let is_path = |kind: &ArgKind| matches!(kind, ArgKind::File(_) | ArgKind::Path | ArgKind::Directory);
    matches!(next, NextWord::Argument { kinds, .. } if kinds.iter().any(is_path)) && !reads_both()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_commands::spec::Specs;
    use aside_commands::world::EmptyWorld;

    #[test]
    fn every_flag_of_the_table_is_one_of_the_spec() {
        let specs = Specs::default();
        let mut wrong = Vec::new();
        for (name, flags) in &*FLAGS {
            // Commands without a spec are not checked.
            let Some(spec) = specs.find(name, &EmptyWorld) else { continue };
            wrong.extend(flags.iter().filter(|flag| spec.flag(flag).is_none()).map(|flag| format!("{name} {flag}")));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
