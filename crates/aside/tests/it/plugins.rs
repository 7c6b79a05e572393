//! Aside beside the plugins themselves. They are fetched by hand and never committed: `make neighbours PLUGINS=dir` runs the
//! table over a directory of checkouts. What the table found once has a stand-in in `beside.rs`, which needs no plugin.

use std::path::{Path, PathBuf};

mod checks;
mod fuzz;
mod setups;
mod zsh;

use setups::{Order, SETUPS};

/// The directory of checkouts, if there is one.
fn directory() -> Option<PathBuf> {
    let dir = std::env::var_os("ASIDE_TEST_PLUGINS").map(PathBuf::from);
    if dir.is_none() {
        eprintln!("skipped: ASIDE_TEST_PLUGINS is not set; `make neighbours PLUGINS=dir` sets it");
    }
    dir
}

/// Whether a name is wanted: `ASIDE_TEST_ONLY` is a comma-separated list of parts of names.
fn is_wanted(name: &str) -> bool {
    let only = std::env::var("ASIDE_TEST_ONLY").unwrap_or_default();
    only.is_empty() || only.split(',').any(|part| name.contains(part))
}

/// The same for checks, with `ASIDE_TEST_CHECK`.
fn is_wanted_check(name: &str) -> bool {
    let only = std::env::var("ASIDE_TEST_CHECK").unwrap_or_default();
    only.is_empty() || only.split(',').any(|part| name.contains(part))
}

/// `make neighbours-fuzz`: six setups at once, each with its own numbers.
#[test]
fn random_keys_do_the_same_with_and_without_aside() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let Some(count) = number("ASIDE_TEST_FUZZ") else {
        // A few in every run of the tests.
        assert_eq!(fuzz::run(&SETUPS[0], Path::new("/"), 1, 4) + fuzz::run(&SETUPS[1], Path::new("/"), 5, 2), 0);
        return;
    };
    let (dir, seed) = (directory().unwrap_or_default(), number("ASIDE_TEST_SEED").unwrap_or(1));
    let names = ["bare", "vi", "both", "omz", "p10k", "all", "fzf-tab", "fast-highlighting"];
    let is_meant = |name: &str| names.contains(&name) && is_wanted(name);
    let setups = SETUPS.iter().filter(|setup| setup.is_there(&dir) && is_meant(setup.name));
    let differ: usize = std::thread::scope(|scope| {
        let runs: Vec<_> = setups.map(|setup| scope.spawn(|| fuzz::run(setup, &dir, seed, count))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    });
    assert_eq!(differ, 0, "sequences that differ");
}

#[test]
fn the_table() {
    let Some(dir) = directory() else { return };
    let mut failures = 0;
    for setup in SETUPS.iter().filter(|setup| setup.is_there(&dir)) {
        for order in [Order::First, Order::Last] {
            let name = format!("{} {order:?}", setup.name);
            if !is_wanted(&name) {
                continue;
            }
            let failed = checks::run(setup, order, &dir);
            eprintln!("{name:<32} {}", if failed.is_empty() { "ok".to_owned() } else { failed.join(", ") });
            failures += failed.len();
        }
    }
    assert_eq!(failures, 0, "set ASIDE_TEST_SHOW=1 to see the screens");
}
