//! `aside task`: what a request wants, as scripts hear it.

use serde_json::Value;

use crate::harness::home::Home;

fn routed(home: &Home, words: &str) -> Value {
    let said = home.aside_does(&["task", "route", "--json", "--", words]);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {}", said.stdout))
}

#[test]
fn task_route_says_what_is_wanted_and_does_nothing() {
    let home = Home::new();
    for (words, kind, mode) in [
        ("why is the build slow", "explain", "none"),
        ("explain how to add a column", "explain", "none"),
        ("remove unused imports", "change", "local_approval"),
        ("run the tests", "run", "local_approval"),
        ("where is parse_line defined", "search", "none"),
        ("运行测试", "run", "local_approval"),
    ] {
        let told = routed(&home, words);
        assert_eq!((&told["kind"], &told["requires"]["mode"]), (&kind.into(), &mode.into()), "{words}: {told}");
        assert!(told["confidence"].as_f64().is_some_and(|sure| sure >= 0.55), "{told}");
        assert!(!told["summary"].as_str().unwrap_or_default().is_empty(), "{told}");
    }
    assert!(!home.path(".local/state/aside").exists(), "nothing was written");
    let said = home.aside_does(&["task", "route", "--", "rename", "foo", "to", "bar"]);
    assert!(said.stdout.starts_with("change "), "{}", said.stdout);
}

#[test]
fn task_route_follows_the_setting() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "[task]\nconfidence_threshold = 1.0\n");
    let told = routed(&home, "remove unused imports");
    assert_eq!((&told["scope"], &told["requires"]["mode"]), (&"plan".into(), &"none".into()), "{told}");
}
