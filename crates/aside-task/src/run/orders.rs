//! Which commands an order may mean whose words are like a change of files or a review: those of `data/task/orders.toml`.

use std::sync::LazyLock;

use crate::route::literal_command::restricts;
use crate::run::toml_lists;

const LIST: &str = include_str!("../../data/task/orders.toml");

struct Order {
    programs: Vec<String>,
    with: Vec<String>,
}

static ALL: LazyLock<Vec<Order>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "order", |table| {
        let programs = toml_lists::text(table, "program")?.split(' ').map(str::to_owned).collect();
        Some(Order { programs, with: toml_lists::texts(table, "with") })
    })
});

/// Whether a command acts in a way that an order states.
pub fn acts(command: &str) -> bool {
    let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
    // "git tag" lists, "git tag v1" makes one: the blank behind a subcommand asks for an argument.
    let fits = |with: &String| rest.strip_prefix(with.as_str()).is_some_and(|tail| ends(with, tail));
    ALL.iter().any(|order| {
        order.programs.iter().any(|known| known == program) && (order.with.is_empty() || order.with.iter().any(fits))
    })
}

fn ends(with: &str, tail: &str) -> bool {
    with.ends_with([' ', '-']) || tail.is_empty() || tail.starts_with(' ')
}

/// Whether words leave something out that the engine of `? ` may not see: "all but a.py", "only if it is empty". To keep the changes of
/// an undone commit is a way to undo it.
pub fn is_restricted(words: &str) -> bool {
    let lower = words.to_lowercase();
    restricts(&lower.replace("but keep ", "and keep "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "order"));
        let examples = toml_lists::tables(LIST, "order", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        for (hits, misses) in examples {
            assert!(!hits.is_empty() && !misses.is_empty());
            assert_eq!(hits.iter().filter(|hit| !acts(hit)).collect::<Vec<_>>(), Vec::<&String>::new());
            assert_eq!(misses.iter().filter(|miss| acts(miss)).collect::<Vec<_>>(), Vec::<&String>::new());
        }
    }

    #[test]
    fn what_is_left_out_counts() {
        for words in ["discard my changes except in a.py", "delete a.py, but only if it is empty", "push all but main"]
        {
            assert!(is_restricted(words), "{words}");
        }
        assert!(!is_restricted("undo my last commit but keep the changes"));
    }
}
