//! The parts of the replay benchmark that its numbers depend on: the simulated typist, the directories, the model of
//! zsh-autosuggestions, the generated histories.

#[path = "../../benches/replay/autosuggestions.rs"]
mod autosuggestions;
#[path = "../../benches/replay/check.rs"]
mod check;
#[path = "../../benches/replay/generate/mod.rs"]
mod generate;
#[path = "../../benches/replay/history_lines.rs"]
#[expect(dead_code, reason = "the benchmark tells the names of commands")]
mod history_lines;
#[path = "../../benches/replay/playback.rs"]
#[expect(dead_code, reason = "the benchmark reports more of it")]
mod playback;
#[path = "../../benches/replay/typist.rs"]
mod typist;

use autosuggestions::{Autosuggestions, Strategy};
use history_lines::{HistoryLine, Role};
use playback::{Tool, play};
use typist::Offers;

/// Offers the same lines at every character.
struct Always(&'static [&'static str]);

impl Tool for Always {
    fn offers(&mut self, _left: &str, _cwd: &str) -> Offers {
        self.0.iter().map(|line| (*line).to_owned()).collect()
    }

    fn ran(&mut self, _typed: &HistoryLine) {}
}

/// The number of keys for `line`: accepting whole ghost texts only, with the ghost, with ghost and bar.
fn keys(line: &str, offers: &'static [&'static str]) -> [usize; 3] {
    let typed = history_lines::read("zsh", line.as_bytes());
    let tally = play(&typed, &mut Always(offers));
    [tally.plain, tally.ghost, tally.bar]
}

#[test]
fn without_help_every_character_is_a_key() {
    assert_eq!(keys("git status", &[]), [10, 10, 10]);
    assert_eq!(keys("écho 日本", &[]), [7, 7, 7]);
}

#[test]
fn the_ghost_is_one_key_once_something_is_typed() {
    assert_eq!(keys("git status", &["git status"]), [2, 2, 2]);
    // Nothing is offered before the first character.
    assert_eq!(keys("l", &["l"]), [1, 1, 1]);
}

#[test]
fn a_ghost_that_is_a_beginning_or_begins_right_helps_all_but_the_plain_typist() {
    // Keys: g, →, and the rest typed.
    assert_eq!(keys("git status", &["git "]), [10, 8, 8]);
    // Keys: g, Alt-→ over `git `, s, t, a; another Alt-→ would go too far.
    assert_eq!(keys("git status", &["git stash pop"]), [10, 8, 8]);
    // Keys: g, Alt-→ twice; a third would leave a trailing blank, which differs from the typed line.
    assert_eq!(keys("git add src/a.rs", &["git add src/a.rs tests"]), [16, 11, 11]);
    // Words end where zsh's do: at the colon, not at the dot.
    assert_eq!(keys("cat a.b:c", &["cat a.b:x"]), [9, 4, 4]);
}

#[test]
fn the_bar_costs_a_key_for_each_step_and_one_to_take_it() {
    assert_eq!(keys("git status", &["git stash", "git status"]), [10, 8, 3]);
    assert_eq!(keys("git status", &["git x", "git y", "git status"]), [10, 8, 4]);
    assert_eq!(keys("git status", &["ls", "git status"]), [10, 10, 3]);
}

#[test]
fn a_ghost_is_wrong_where_it_leads_elsewhere() {
    let typed = history_lines::read("zsh", b"git st");
    let ghosts = play(&typed, &mut Always(&["git stash"])).ghosts;
    assert_eq!((ghosts.places, ghosts.shown, ghosts.wrong, ghosts.after_the_end), (6, 6, 6, 1));
    let ghosts = play(&typed, &mut Always(&["git "])).ghosts;
    // Shown until it is typed; always right, though not the whole line.
    assert_eq!((ghosts.places, ghosts.shown, ghosts.wrong, ghosts.not_whole), (6, 3, 0, 3));
}

#[test]
fn the_directory_follows_the_text() {
    let lines =
        "cd code\nls\ncd ../notes && ls\ncd -\ncd \"two words\"\ncd $X\ncd ~/a/./b\ncd\n(cd /tmp)\ncd /srv; ls\npwd";
    let cwds: Vec<String> = history_lines::read("zsh", lines.as_bytes()).into_iter().map(|typed| typed.cwd).collect();
    let home = history_lines::HOME;
    let below = |path: &str| format!("{home}/{path}");
    let expected = [
        home.to_owned(),
        below("code"),
        below("code"),
        below("notes"),
        below("code"),
        below("code/two words"),
        below("code/two words"),
        below("a/b"),
        home.to_owned(),
        home.to_owned(),
        "/srv".to_owned(),
    ];
    assert_eq!(cwds, expected);
}

#[test]
fn several_lines_are_past_but_not_typed() {
    let typed = history_lines::read("zsh", b": 1700000000:0;for i in 1; do\\\necho\\\ndone\n: 1700000001:0;ls\n");
    let roles: Vec<Role> = typed.iter().map(|typed| typed.role).collect();
    assert_eq!(roles, [Role::OnlyPast, Role::Replayed]);
}

#[test]
fn our_account_of_zsh_autosuggestions_is_the_plugins() {
    for (name, history) in generate::people(200, 7, Some("backend")) {
        let asked = check::check(&history_lines::read("zsh", history.as_bytes()));
        assert!(matches!(asked, Ok(1000..)), "{name}: {asked:#?}");
    }
    // Patterns that are easy to get wrong, and a newest line that hides an older one.
    let hostile =
        "ls *.c\nls\nls [a]\necho 'a' | wc\nls (x)\necho #x^y~z\nls [a]\necho 'a' | wc\n\\ls\nls\nls -l\nls\nls <x\n";
    let asked = check::check(&history_lines::read("zsh", hostile.as_bytes()));
    assert!(matches!(asked, Ok(50..)), "{asked:#?}");
}

#[test]
fn made_up_histories_are_the_same_everywhere_and_partly_new() {
    let made = generate::people(1500, 1, None);
    assert_eq!(made, generate::people(1500, 1, None));
    assert_ne!(made, generate::people(1500, 2, None));
    for (name, history) in made {
        let typed = history_lines::read("zsh", history.as_bytes());
        let tally = play(&typed, &mut Autosuggestions::new(Strategy::History));
        let new = 100 * (tally.lines - tally.again.lines) / tally.lines;
        assert!((25..55).contains(&new), "{name}: {new} % of the lines are new");
    }
}

#[test]
fn the_typist_never_needs_more_keys_with_more_of_them() {
    for (name, history) in generate::people(300, 3, Some("backend")) {
        let typed = history_lines::read("zsh", history.as_bytes());
        let tally = play(&typed, &mut Autosuggestions::new(Strategy::MatchPrevCmd));
        let ordered = [tally.bar, tally.ghost, tally.plain, tally.characters];
        assert!(ordered.is_sorted(), "{name}: {ordered:?}");
        assert_eq!(tally.bar, tally.ghost, "a rival has no bar");
    }
}
