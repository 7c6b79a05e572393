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
fn setup_leaves_the_line_alone_on_its_line_whatever_the_file_ends_with() {
    for before in ["alias l=ls \\", "alias l=ls \\\n", "echo a\\\\", "# c \\"] {
        let home = home("/bin/zsh");
        home.write(".zshrc", before);
        let said = home.aside_does(&["setup", "--yes"]);
        assert_eq!(said.code, 0, "{before:?}: {}{}", said.stdout, said.stderr);
        home.aside_does(&["uninstall", "--yes"]);
        assert_eq!(home.read(".zshrc"), before);
    }
}

#[test]
fn setup_and_uninstall_keep_a_link_that_leads_nowhere() {
    let home = home("/bin/zsh");
    let _ = std::fs::remove_file(home.path(".zshrc"));
    std::fs::create_dir(home.path("dot")).unwrap();
    std::os::unix::fs::symlink("dot/nothere", home.path(".zshrc")).unwrap();
    home.aside_does(&["setup", "--yes"]);
    assert!(home.read("dot/nothere").contains("init zsh"));
    home.aside_does(&["uninstall", "--yes"]);
    assert_eq!(std::fs::read_link(home.path(".zshrc")).unwrap(), std::path::Path::new("dot/nothere"));
    assert!(!home.path("dot/nothere").exists());
}

#[test]
fn setup_touches_no_copy_that_the_user_made() {
    for before in [Some("alias l=ls"), None] {
        let home = home("/bin/zsh");
        home.write(".zshrc.before-aside", "mine\n");
        match before {
            Some(text) => home.write(".zshrc", text),
            None => _ = std::fs::remove_file(home.path(".zshrc")),
        }
        home.aside_does(&["setup", "--yes"]);
        assert_eq!(home.read(".zshrc.before-aside"), "mine\n");
        assert_eq!(std::fs::read_to_string(home.path(".zshrc.before-aside-2")).ok().as_deref(), before);
        home.aside_does(&["uninstall", "--yes"]);
        assert_eq!(std::fs::read_to_string(home.path(".zshrc")).ok().as_deref(), before);
        assert_eq!(home.read(".zshrc.before-aside"), "mine\n");
        assert!(!home.path(".zshrc.before-aside-2").exists());
    }
}

/// As on NixOS. Permissions would not stop a test that runs as root, so it is a file of the kernel's.
#[test]
fn setup_says_which_line_to_add_where_the_file_cannot_be_changed() {
    let home = home("/bin/zsh");
    let _ = std::fs::remove_file(home.path(".zshrc"));
    std::os::unix::fs::symlink("/proc/version", home.path(".zshrc")).unwrap();
    let said = home.aside(&["setup", "--yes"]);
    assert_eq!(said.code, 1, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("by hand") && said.stdout.contains("init zsh"), "{}", said.stdout);
    assert!(said.stderr.contains("~/.zshrc cannot be written"), "{}", said.stderr);
    assert!(!home.path(".zshrc.before-aside").exists());
    std::fs::remove_file(home.path(".zshrc")).unwrap();
    std::fs::create_dir(home.path(".zshrc")).unwrap();
    let said = home.aside(&["setup", "--yes"]);
    assert!(said.stderr.contains("~/.zshrc cannot be read") && said.stdout.contains("init zsh"), "{}", said.stderr);
}

#[test]
fn setup_does_not_pass_where_a_new_shell_does_not_get_to_the_line() {
    for (shell, rc, text) in [
        ("zsh", ".zshrc", "return\n"),
        ("bash", ".bashrc", "return\n"),
        ("bash", ".bashrc", "if true; then\n"),
        ("fish", ".config/fish/config.fish", "exit\n"),
    ] {
        let home = home(&format!("/bin/{shell}"));
        home.write(rc, text);
        let said = home.aside(&["setup", "--yes"]);
        assert_eq!(said.code, 1, "{shell}: {}{}", said.stdout, said.stderr);
        // The bad news comes last, alone, and with one thing to do.
        let news: Vec<&str> = said.stderr.trim().lines().collect();
        assert!(news[0].contains(&format!("a new {shell} does not load Aside")) && news.len() == 3, "{}", said.stderr);
        assert!(news[1].starts_with("Move that line to the top") && news[2].contains("init"), "{}", said.stderr);
        for good in ["check:", "and try"] {
            assert!(!said.stdout.contains(good), "{}", said.stdout);
        }
        home.write(rc, "");
        let said = home.aside(&["setup", "--yes"]);
        assert_eq!(said.code, 0, "{shell}: {}{}", said.stdout, said.stderr);
    }
}

/// Loaded by a file that the rc file reads, in each of the shells, also where the rc file has no word of it.
#[test]
fn setup_adds_no_second_line_and_uninstall_says_what_it_leaves() {
    for (shell, rc, text, file) in [
        ("zsh", ".zshrc", "source ~/.zsh/aside.zsh\n", ".zsh/aside.zsh"),
        ("zsh", ".zshrc", "for file in ~/rc.d/*.zsh; do source $file; done\n", "rc.d/50-tools.zsh"),
        ("bash", ".bashrc", ". ~/dot/aside.bash\n", "dot/aside.bash"),
        ("fish", ".config/fish/config.fish", "\n", ".config/fish/conf.d/aside.fish"),
    ] {
        let home = home(&format!("/bin/{shell}"));
        let start = match shell {
            "fish" => format!("{} init fish | source\n", home::ASIDE),
            _ => format!("eval \"$({} init {shell})\"\n", home::ASIDE),
        };
        home.write(file, start);
        home.write(rc, text);
        let said = home.aside(&["setup", "--yes"]);
        assert_eq!((said.code, home.read(rc).as_str()), (0, text), "{shell}: {}{}", said.stdout, said.stderr);
        assert!(said.stdout.contains(&format!("a new {shell} loads Aside already")), "{}", said.stdout);
        let named = text.contains("aside").then(|| format!("line 1 of ~/{rc}"));
        assert!(named.is_none_or(|named| said.stdout.contains(&named)), "{}", said.stdout);
        assert!(shell == "fish" || said.stdout.contains(&format!("from ~/{file}")), "{}", said.stdout);
        let said = home.aside(&["uninstall", "--yes"]);
        assert!(said.stderr.contains(&format!("a new {shell} still loads Aside")), "{}", said.stderr);
        assert!(shell == "fish" || said.stderr.contains(&format!("from ~/{file}")), "{}", said.stderr);
        let listed = said.stdout.contains(&format!("~/{rc}:1: {}", text.trim()));
        assert_eq!(listed, text.contains("aside"), "{}", said.stdout);
    }
}

#[test]
fn a_link_out_of_home_that_leads_nowhere_makes_no_directory() {
    let home = home("/bin/zsh");
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("gone/zshrc");
    let _ = std::fs::remove_file(home.path(".zshrc"));
    std::os::unix::fs::symlink(&target, home.path(".zshrc")).unwrap();
    let said = home.aside(&["setup", "--yes"]);
    assert_eq!(said.code, 1, "{}", said.stdout);
    let why = format!("it is a link to {}, and there is no {}", target.display(), target.parent().unwrap().display());
    assert!(said.stderr.contains(&why) && said.stdout.contains("by hand"), "{}{}", said.stdout, said.stderr);
    assert!(!target.parent().unwrap().exists());
    // Where the directory exists, the file that is changed is named.
    std::fs::create_dir(target.parent().unwrap()).unwrap();
    std::fs::write(&target, "alias l=ls\n").unwrap();
    let said = home.aside(&["setup", "--yes"]);
    let edited = format!("at the end of {} (~/.zshrc is a link to it)", target.display());
    assert!(said.code == 0 && said.stdout.contains(&edited), "{}{}", said.stdout, said.stderr);
    assert!(std::fs::read_to_string(&target).unwrap().contains("init zsh"));
}

#[test]
fn setup_says_how_many_lines_it_left_out_and_why() {
    let home = home("/bin/zsh");
    home.write(".bash_history", "ls -la\nexport API_TOKEN=abcdef123456\nmysql -psecret99 db\n");
    let said = home.aside_does(&["setup", "--yes"]);
    assert!(said.stdout.contains("history: 2 lines were left out: a password, key or token"), "{}", said.stdout);
    let said = home.aside_does(&["uninstall", "--yes"]);
    assert!(said.stdout.contains("  ~/.local/share/aside (the history of your commands"), "{}", said.stdout);
    assert!(!said.stdout.contains("the socket") && !said.stdout.contains("its lock"), "{}", said.stdout);
}

#[test]
fn uninstall_names_the_copy_of_the_rc_file() {
    let home = home("/bin/zsh");
    home.write(".zshrc", "alias l=ls\n");
    home.aside_does(&["setup", "--yes"]);
    let said = home.aside(&["uninstall", "--yes"]);
    assert!(said.stdout.contains("  ~/.zshrc.before-aside (a copy that setup made)"), "{}", said.stdout);
    assert!(said.stderr.is_empty() && said.stdout.contains("  ~/.zshrc:2: eval"), "{}{}", said.stdout, said.stderr);
}

#[test]
fn setup_changes_no_file_of_a_shell_that_is_not_the_users() {
    for shell in ["/bin/tcsh", ""] {
        let home = home(shell);
        let _ = std::fs::remove_file(home.path(".zshrc"));
        let said = home.aside(&["setup", "--yes"]);
        assert_eq!(said.code, 1, "{}", said.stdout);
        assert!(said.stdout.contains("SHELL names none of zsh, bash and fish"), "{}", said.stdout);
        for rc in [".zshrc", ".bashrc", ".config/fish/config.fish"] {
            assert!(!home.path(rc).exists(), "{rc}");
        }
    }
}

#[test]
fn uninstall_names_all_that_goes_with_the_history() {
    let home = home("/bin/zsh");
    for file in ["models/m.gguf", "remote.json", "relay/settings.toml", "notes.txt"] {
        home.write(&format!(".local/share/aside/{file}"), "x");
    }
    let said = home.aside(&["uninstall"]);
    for what in ["models", "the secrets of chats", "the relay that runs here", "notes.txt"] {
        assert!(said.stdout.contains(what), "{what}: {}", said.stdout);
    }
    assert!(!said.stdout.contains("history"), "there is none: {}", said.stdout);
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
    scene.shows("zsh: this line would be added").shows("Add it? [Y/n]").answers("y\r");
    scene.shows("bash: this line would be added").shows("Add it? [y/N]").sends("\r");
    scene.shows("fish: this line would be added").sends("n\r");
    scene.shows("OpenAI, with the key in $OPENAI_API_KEY").shows("Which?").sends("frob\r");
    scene.shows("Please answer with a number from 1 to 3").sends("2\r");
    scene.shows("No model is fetched now").shows("aside model pull qwen2.5-coder-1.5b    1.1 GB to fetch");
    scene.shows("aside model use").shows("check: `").shows("? find files larger than 100MB");
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
    scene.types("echo something else").sends("\r").prompt(4).shows("3/6 is not done yet: `lesson` shows it again");
    scene.types("clear").sends("\r").prompt(5).shows("3/6  Say what you want");
    scene.types("skip").sends("\r").prompt(6).shows("4/6");
    scene.types("how many files are here?").sends("\r").shows("[↹] take").sends("\t");
    // An Enter before the command is drawn would be dropped.
    scene.wait_for("the command to be taken", |screen| {
        let text = screen.text();
        text.contains("> find . -maxdepth 1 -type f | wc -l") && !text.contains("[↹] take")
    });
    scene.sends("\r").shows("That was prose").shows("5/6").prompt(8);
    scene
        .types("gti status")
        .sends("\r")
        .prompt(9)
        .shows_ghost("|git status")
        .sends("\x1b[C\r")
        .shows("6/6")
        .prompt(10);
    scene.types("aside task run the tests").sends("\r").shows("make test").shows("y yes").sends("n");
    scene.shows("That is all there is to learn");
    scene.types("exit").sends("\r");
}
