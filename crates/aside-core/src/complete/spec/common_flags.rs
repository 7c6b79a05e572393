//! The most used flags of a command, best first: a curated list, otherwise counts over public examples.

use std::collections::HashMap;
use std::sync::LazyLock;

const OWN: &str = include_str!("../../../data/complete/usual-flags-own.txt");
const COUNTED: &str = include_str!("../../../data/complete/usual-flags.txt");

static USUAL: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let rows = COUNTED.lines().chain(OWN.lines()).filter_map(|row| row.split_once(':'));
    rows.map(|(path, flags)| (path, flags.split_whitespace().collect())).collect()
});

/// For a command and its subcommands: `git commit`.
pub fn flags(path: &str) -> &'static [&'static str] {
    USUAL.get(path).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_commands::spec::{Specs, walk};
    use aside_commands::world::EmptyWorld;

    /// A listed flag that the spec lacks would never be offered, or would be wrong.
    #[test]
    fn every_flag_of_the_lists_is_one() {
        let mut wrong = Vec::new();
        for (path, flags) in OWN.lines().chain(COUNTED.lines()).filter_map(|row| row.split_once(':')) {
            let words: Vec<&str> = path.split(' ').collect();
            let Some(spec) = Specs::default().find(words[0], &EmptyWorld) else {
                wrong.push(path.to_owned());
                continue;
            };
            let piece = |(number, word): (usize, &&str)| walk::SpecWord {
                value: (*word).to_owned().into(),
                fixed: true,
                word: Some(number),
            };
            let pieces: Vec<walk::SpecWord<'_>> = words.iter().enumerate().map(piece).collect();
            let walk = walk::walk(spec, &pieces);
            let is_known = |flag: &&str| {
                let mut walk = walk.clone();
                let piece = walk::SpecWord { value: (*flag).into(), fixed: true, word: None };
                matches!(*flag, "-" | "--") || matches!(walk.go(1, &piece), walk::WalkStep::Flag)
            };
            wrong.extend(flags.split_whitespace().filter(|flag| !is_known(flag)).map(|flag| format!("{path} {flag}")));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
