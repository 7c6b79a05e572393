//! Aside next to the real plugins. They are fetched by hand and never committed: `make neighbours PLUGINS=dir` runs the table over
//! a directory of checkouts. Each conflict that the table found is reproduced in `plugin_regressions.rs`, which needs
//! no plugin.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

mod checks;
mod fuzz;
mod setups;
mod zsh;

use setups::{Order, SETUPS, Setup};

/// The directory of checkouts, if there is one.
pub fn directory() -> Option<PathBuf> {
    let dir = std::env::var_os("ASIDE_TEST_PLUGINS").map(PathBuf::from);
    if dir.is_none() {
        eprintln!("skipped: ASIDE_TEST_PLUGINS is not set; `make neighbours PLUGINS=dir` sets it");
    }
    dir
}

/// Whether a setup is selected: `ASIDE_TEST_ONLY` is a comma-separated list of parts of names.
pub fn is_wanted(name: &str) -> bool {
    let only = std::env::var("ASIDE_TEST_ONLY").unwrap_or_default();
    only.is_empty() || only.split(',').any(|part| name.contains(part))
}

/// The same for checks, with `ASIDE_TEST_CHECK`.
pub fn is_wanted_check(name: &str) -> bool {
    let only = std::env::var("ASIDE_TEST_CHECK").unwrap_or_default();
    only.is_empty() || only.split(',').any(|part| name.contains(part))
}

/// `make neighbours-fuzz`: six setups in parallel, each with its own seeds.
#[test]
fn random_keys_do_the_same_with_and_without_aside() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let Some(count) = number("ASIDE_TEST_FUZZ") else {
        // A few in every test run.
        assert_eq!(fuzz::run(SETUPS[..2].iter(), Path::new("/"), 1, 12), 0, "sequences that differ");
        return;
    };
    let (dir, seed) = (directory().unwrap_or_default(), number("ASIDE_TEST_SEED").unwrap_or(1));
    let names = ["bare", "vi", "both", "omz", "p10k", "all"];
    let is_meant = |setup: &&Setup| names.contains(&setup.name) && is_wanted(setup.name) && setup.is_there(&dir);
    assert_eq!(fuzz::run(SETUPS.iter().filter(is_meant), &dir, seed, count), 0, "sequences that differ");
}

/// How many rows of the table run in parallel: they mostly wait.
const AT_ONCE: usize = 4;

#[test]
fn the_table() {
    let Some(dir) = directory() else { return };
    let setups = SETUPS.iter().filter(|setup| setup.is_there(&dir));
    let rows = setups.flat_map(|setup| [Order::First, Order::Last].map(|order| (setup, order)));
    let rows: Vec<_> = rows.filter(|(setup, order)| is_wanted(&row_name(setup, *order))).collect();
    let results: Vec<OnceLock<String>> = rows.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < rows.len()) {
            let (setup, order) = rows[number];
            let failed = checks::run(setup, order, &dir);
            let result = if failed.is_empty() { "ok".to_owned() } else { failed.join(", ") };
            eprintln!("{:<32} {result}", row_name(setup, order));
            results[number].set(result).unwrap();
        }
    };
    std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| _ = scope.spawn(work)));
    eprintln!("\n{} rows", rows.len());
    for ((setup, order), result) in rows.iter().zip(&results) {
        eprintln!("{:<32} {}", row_name(setup, *order), result.get().map_or("broke off", String::as_str));
    }
    let failed = results.iter().filter(|result| result.get().is_none_or(|result| result != "ok")).count();
    assert_eq!(failed, 0, "set ASIDE_TEST_SHOW=1 to see the screens");
}

fn row_name(setup: &Setup, order: Order) -> String {
    format!("{} {order:?}", setup.name)
}
