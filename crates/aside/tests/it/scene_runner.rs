//! `scripts/scenes`, which runs these tests: it tells a flaky test from a broken one, and fails when too many are flaky. And what
//! `scripts/check` chooses for the paths that changed.

use std::process::Command;

use crate::harness::home::{self, Home, Said};

/// Runs it with a stub `cargo` that first prints `first`, then, for a single test, each of `later` in turn: `ok`, `FAILED`, or
/// `none` for no such test.
fn plays(first: &str, later: &str) -> Said {
    let home = Home::new();
    let stand_in = r#"cd "$(dirname "$0")" || exit
case "$*" in
*--exact*)
  echo x >> played
  how=$(sed -n "$(wc -l < played)p" later)
  case $how in
  ok) echo 'test result: ok. 1 passed; 0 failed; 0 ignored' ;;
  none) echo 'test result: ok. 0 passed; 0 failed; 0 ignored' ;;
  *) printf 'failures:\n\nfailures:\n    %s\n\ntest result: FAILED. 0 passed; 1 failed\n' "$5"; exit 101 ;;
  esac ;;
*) cat first; grep -q 'result: ok' first ;;
esac
"#;
    home.write("cargo", stand_in);
    home.write("first", first);
    home.write("later", later.replace(' ', "\n"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/scenes");
    let mut playing = Command::new(script);
    playing.args(["--test", "it"]).env("CARGO", format!("sh {}", home.path("cargo").display()));
    home::run(&mut playing, "")
}

const ALL: &str = "test a::b ... ok\n\ntest result: ok. 2 passed; 0 failed\n";

fn failing(names: &[&str]) -> String {
    failing_with(names, "printed")
}

/// A failed run in which the first of the names printed `printed`.
fn failing_with(names: &[&str], printed: &str) -> String {
    let list: String = names.iter().map(|name| format!("    {name}\n")).collect();
    format!(
        "test {0} ... FAILED\n\nfailures:\n\n---- {0} stdout ----\n    at the top\n{printed}\n\n---- z::z stdout ----\n\
         waited for theirs\n\nfailures:\n{list}\n\
         test result: FAILED. 9 passed; {1} failed\n\nerror: 1 target failed:\n    `-p aside --test it`\n",
        names[0],
        names.len()
    )
}

#[test]
fn what_passes_is_played_once() {
    let ran = plays(ALL, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn what_fails_once_is_named_and_what_fails_again_is_broken() {
    let ran = plays(&failing(&["a::b"]), "ok ok ok");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("a::b is unsteady") && !ran.stderr.contains("printed"), "{ran:?}");
    let ran = plays(&failing(&["a::b", "c::d"]), "ok ok ok ok ok ok");
    assert!(ran.code == 0 && ran.stderr.contains("c::d is unsteady"), "{ran:?}");
    for later in ["FAILED", "ok ok FAILED", "none"] {
        let ran = plays(&failing(&["a::b"]), later);
        assert!(ran.code == 1 && ran.stderr.contains("a::b is broken"), "{later}: {ran:?}");
    }
}

#[test]
fn an_adversary_gets_no_second_chance() {
    let ran = plays(&failing(&["a_adversarial::b"]), "ok ok ok");
    assert!(ran.code == 1 && ran.stderr.contains("a_adversarial::b failed"), "{ran:?}");
    // This suite repeats by itself what may be repeated.
    let ran = plays(&failing_with(&["task_adversarial::b"], "waited until it runs"), "ok ok ok");
    assert!(ran.code == 1 && ran.stderr.contains("task_adversarial::b failed"), "{ran:?}");
}

#[test]
fn an_attempt_that_ran_into_a_timeout_is_made_again() {
    let first = failing_with(&["a_adversarial::b"], "waited until it runs");
    let ran = plays(&first, "ok ok ok");
    assert!(ran.code == 0 && ran.stderr.contains("a_adversarial::b is unsteady"), "{ran:?}");
    assert_eq!(plays(&first, "ok FAILED").code, 1);
}

#[test]
fn too_much_chance_is_none_and_what_did_not_end_has_failed() {
    let ran = plays(&failing(&["a::a", "b::b", "c::c", "d::d", "e::e", "f::f"]), &"ok ".repeat(18));
    assert!(ran.code == 1 && ran.stderr.contains("6 failed"), "{ran:?}");
    for first in ["", "error: could not compile `aside`\n", "test a::b ... FAILED\n"] {
        assert_eq!(plays(first, "ok ok ok").code, 1, "{first:?}");
    }
}

/// The crates and the scenes that are tested after a change of these paths.
fn chosen(paths: &str) -> (String, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/check");
    let said = home::run(Command::new(script).args(["--list", "-"]), paths);
    let (crates, scenes) = said.stdout.trim_end().split_once("\nscenes: ").unwrap_or_else(|| panic!("{said:?}"));
    (crates.trim_start_matches("crates: ").to_owned(), scenes.to_owned())
}

#[test]
fn a_change_is_tested_with_what_depends_on_it_and_the_scenes_of_its_behaviour() {
    let own = |crates: &str, scenes: &str| (crates.to_owned(), scenes.to_owned());
    assert_eq!(chosen("crates/aside-wecom/src/lib.rs\n").0, "aside aside-fuzz aside-relay aside-wecom");
    assert_eq!(chosen("crates/aside/src/world/sandbox/x.rs\n"), own("aside", "agent_reach sandbox scene_runner tidy"));
    assert_eq!(chosen("docs/web.md\n"), own("", "doc_pages scene_runner tidy"));
    assert_eq!(
        chosen("crates/aside/tests/it/zsh.rs\ndata/pairs/git.tsv\n"),
        own("aside-translate", "scene_runner tidy zsh")
    );
    assert_eq!(chosen("crates/aside/tests/it/harness/pty.rs\n").1, "all");
    assert_eq!(chosen("Cargo.lock\n"), own("all", "all"));
}
