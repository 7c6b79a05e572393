//! `aside setup` and `aside tutor`: from the bare program to a shell that loads it, and back.

use crate::harness::home::{self, Home};
use crate::harness::scene::Scene;

fn home(shell: &str) -> Home {
    let mut home = Home::new();
    home.set_env("SHELL", shell);
    home
}

#[test]
fn setup_and_uninstall_leave_the_rc_file_as_it_was_to_the_byte() {
    for before in [Some("alias l=ls\n"), Some("alias l=ls"), Some(""), None] {
        let home = home("/bin/zsh");
        match before {
            Some(text) => home.write(".zshrc", text),
            None => _ = std::fs::remove_file(home.path(".zshrc")),
        }
        home.write(".bash_history", "git status --short\nls -la\n");
        let said = home.aside_does(&["setup", "--yes"]);
        assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
        assert!(said.stdout.contains("2 commands imported") && said.stdout.contains("check: `"), "{}", said.stdout);
        assert_eq!(home.read(".zshrc").matches("init zsh").count(), 1);
        let again = home.aside_does(&["setup", "--yes"]);
        assert!(again.stdout.contains("starts Aside already"), "{}", again.stdout);
        assert_eq!(home.read(".zshrc").matches("init zsh").count(), 1);
        let said = home.aside_does(&["uninstall", "--yes"]);
        assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
        assert_eq!(std::fs::read_to_string(home.path(".zshrc")).ok().as_deref(), before);
        assert!(!home.path(".zshrc.before-aside").exists());
        assert!(!home.path(".bashrc").exists() && !home.path(".config/fish/config.fish").exists());
    }
}

#[test]
fn what_the_user_wrote_since_stays_when_the_line_goes() {
    let home = home("/bin/zsh");
    home.write(".zshrc", "alias l=ls");
    home.aside_does(&["setup", "--yes"]);
    let since = home.read(".zshrc") + "alias g=git\n";
    home.write(".zshrc", since);
    home.aside_does(&["uninstall", "--yes"]);
    assert_eq!(home.read(".zshrc"), "alias l=ls\nalias g=git\n");
    assert!(!home.path(".zshrc.before-aside").exists());
}

#[test]
fn without_a_terminal_nothing_is_changed() {
    let home = home("/bin/zsh");
    home.write(".zshrc", "alias l=ls\n");
    let said = home.aside(&["setup"]);
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("--yes"), "{}", said.stderr);
    assert_eq!(home.read(".zshrc"), "alias l=ls\n");
}

/// The first example has to work at once: `git st` has no ghost text for a user with a single git command of each kind.
#[test]
fn what_is_to_be_tried_first_shows_grey_text() {
    let lines = "git status --short\ngit stash pop\nmake test\ndocker ps --all\nmake test\n";
    let mut scene = Scene::zsh().without_aside().file(".bash_history", lines).start();
    let said = home::run(scene.home.command(home::ASIDE).args(["setup", "--yes"]).env("SHELL", "/bin/zsh"), "");
    assert_eq!(said.code, 0, "{said:?}");
    let between =
        |text: &str, from: &str, to: &str| text.split_once(from).unwrap().1.split(to).next().unwrap().to_owned();
    let (stem, line) = (between(&said.stdout, "check: `", "`"), between(&said.stdout, "completes to `", "`"));
    assert!(said.stdout.contains(&format!("and try:\n  {stem} ")), "{}", said.stdout);
    scene.types("clear; exec zsh").sends("\r").prompt(1);
    scene.types(&stem).shows_ghost(&format!("{stem}|{}", line.strip_prefix(&stem).unwrap()));
}

#[test]
fn setup_asks_before_each_change_and_the_next_shell_has_it() {
    let mut scene = Scene::zsh().without_aside().file(".bash_history", "echo from the past\n").start();
    scene.types("SHELL=/bin/zsh OPENAI_API_KEY=invented aside setup").sends("\r");
    scene.shows("zsh: this line would be added").shows("Add it? [Y/n]").sends("y\r");
    scene.shows("bash: this line would be added").shows("Add it? [y/N]").sends("\r");
    scene.shows("fish: this line would be added").sends("n\r");
    scene.shows("OpenAI, with the key in $OPENAI_API_KEY").shows("Which?").sends("\r");
    scene.shows("No model, then").shows("check: `").shows("? find files larger than 100MB");
    assert!(scene.home.read(".zshrc").contains("# added by aside setup"));
    assert!(!scene.home.path(".bashrc").exists());
}

#[test]
fn the_tour_goes_on_when_a_lesson_was_done_or_skipped() {
    let mut scene = Scene::zsh().without_aside().start();
    scene.types("aside tutor").sends("\r").shows("1/6").prompt(1);
    scene
        .types("make t")
        .shows_ghost("make t|est")
        .sends("\x1b[C\r")
        .prompt(2)
        .shows("That was grey text")
        .shows("2/6");
    scene.types("git log --oneline").sends("\r").prompt(3).shows("3/6");
    scene.types("echo something else").sends("\r").prompt(4);
    scene.types("skip").sends("\r").prompt(5).shows("4/6");
    scene.types("how many files are here?").sends("\r").shows("wc -l").sends("\t");
    scene.shows("> find . -maxdepth 1 -type f | wc -l").sends("\r").shows("That was prose").shows("5/6").prompt(7);
    scene.types("gti status").sends("\r").prompt(8).shows_ghost("|git status").sends("\x1b[C\r").shows("6/6").prompt(9);
    scene.types("aside task run the tests").sends("\r").shows("make test").shows("y yes").sends("n");
    scene.shows("That is all there is to learn");
    scene.types("exit").sends("\r");
}
