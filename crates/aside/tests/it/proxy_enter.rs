//! How a shell enters the proxy terminal: by a line of its rc file, once, and never at the risk of losing the shell.

use crate::harness::home::{ASIDE, Home};
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::harness::shell::Shell;

const SHELLS: [Shell; 3] = [Shell::Zsh, Shell::Bash, Shell::Fish];

/// The line for the top of the rc file.
fn line(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => r#"eval "$(aside init zsh --proxy)""#,
        Shell::Bash => r#"eval "$(aside init bash --proxy)""#,
        Shell::Fish => "aside init fish --proxy | source",
    }
}

fn stage(shell: Shell) -> Setup {
    Setup::new(shell).without_aside().rc(line(shell)).rc("echo read >>~/read")
}

/// `inside`, `outside`, or whatever else the variable says.
#[track_caller]
fn place(scene: &mut Scene) -> String {
    let said = scene.runs("echo \"[$ASIDE_PROXY]\" (tty) | tr -d '()'".replace("(tty)", "`tty`").as_str());
    read_place(&said)
}

fn read_place(said: &str) -> String {
    let (variable, tty) = said.split_once("] ").unwrap_or((said, ""));
    match variable.trim_start_matches('[').rsplit_once(':') {
        Some((name, _)) if name == tty.trim() => "inside".to_owned(),
        Some(_) => "elsewhere".to_owned(),
        None => variable.trim_start_matches('[').to_owned(),
    }
}

#[track_caller]
fn place_in(shell: Shell, scene: &mut Scene) -> String {
    match shell {
        Shell::Zsh | Shell::Bash => place(scene),
        Shell::Fish => read_place(&scene.runs("echo \"[$ASIDE_PROXY]\" (tty)")),
    }
}

#[test]
fn the_line_runs_the_shell_inside_once() {
    for shell in SHELLS {
        let mut scene = stage(shell).start();
        assert_eq!(place_in(shell, &mut scene), "inside", "{shell:?}");
        // The outer shell did not get past the line.
        assert_eq!(scene.home.read("read"), "read\n", "{shell:?}");
        assert_eq!(scene.runs("echo $SHLVL"), "1", "{shell:?}");
        scene.sends("exit 5\r");
        assert_eq!(scene.ends(), 5, "{shell:?}");
    }
}

#[test]
fn a_shell_that_is_at_its_prompt_stays_what_it_is() {
    for shell in SHELLS {
        let mut scene = Setup::new(shell).without_aside().file("later", &format!("{}\n", line(shell))).start();
        scene.runs("source ~/later; echo");
        assert_eq!(place_in(shell, &mut scene), "", "{shell:?}");
    }
}

#[test]
fn a_login_shell_is_one_inside() {
    for (shell, rc) in [("zsh", ".zshrc"), ("bash", ".bash_profile")] {
        let home = Home::new();
        let what = match shell {
            "zsh" => "[[ -o login ]] && echo lo''gin $ASIDE_PROXY",
            _ => "shopt -q login_shell && echo lo''gin $ASIDE_PROXY",
        };
        home.write(rc, format!("eval \"$({ASIDE} init {shell} --proxy)\"\nPS1='ready$ '\n"));
        let mut command = home.command(shell);
        std::os::unix::process::CommandExt::arg0(&mut command, format!("-{shell}"));
        let mut tape = crate::harness::pty_recording::PtyRecording::start(command, 24, 80);
        tape.hears("ready$ ").sends(format!("{what}\r")).hears("login /dev/");
    }
}

#[test]
fn a_binary_that_is_broken_leaves_a_shell() {
    let whole = std::fs::read(ASIDE).unwrap();
    for shell in SHELLS {
        for (what, binary) in [
            ("missing", None),
            ("truncated", Some(whole[..whole.len() / 3].to_vec())),
            ("empty", Some(Vec::new())),
            ("failing", Some(b"#!/bin/sh\nexit 1\n".to_vec())),
            ("no program", Some(b"\x7fELF and nothing else".to_vec())),
        ] {
            let mut stage = stage(shell);
            if let Some(binary) = binary {
                stage = stage.program("bin/aside", &binary);
            }
            let bin = stage.path("bin");
            let mut scene = stage.env("PATH", &format!("{bin}:/usr/bin:/bin")).start();
            assert_eq!(place_in(shell, &mut scene), "", "{shell:?}, {what}");
        }
    }
}

#[test]
fn a_binary_that_breaks_after_the_line_was_printed_leaves_a_shell() {
    for shell in SHELLS {
        // A fake that prints what the real program prints but fails as a proxy: the checks below show that the shell continued.
        let fake =
            "#!/bin/sh\n[ \"$1\" = proxy ] || exec aside-real \"$@\" | sed \"s|$ASIDE_REAL|$ASIDE_GONE|g\"\nexit 1\n";
        let stage = stage(shell).file("bin/aside", fake);
        let bin = stage.path("bin");
        std::os::unix::fs::symlink(ASIDE, format!("{bin}/aside-real")).unwrap();
        let stage = stage.env("ASIDE_REAL", ASIDE).env("ASIDE_GONE", &format!("{bin}/gone"));
        let mut scene = stage.env("PATH", &format!("{bin}:/usr/bin:/bin")).start();
        assert_eq!(place_in(shell, &mut scene), "", "{shell:?}");
    }
}

#[test]
fn it_is_entered_only_where_it_is_wanted() {
    for (what, stage) in [
        ("off", stage(Shell::Zsh).config("[suggest]\ncapture = \"off\"\n")),
        ("tmux only", stage(Shell::Zsh).config("[suggest]\ncapture = \"tmux\"\n")),
        ("in tmux", stage(Shell::Zsh).env("TMUX", "/tmp/tmux-0/default,1,0").env("TMUX_PANE", "%1")),
        ("disabled", stage(Shell::Zsh).env("ASIDE_DISABLE", "1")),
        ("dumb", stage(Shell::Zsh).env("TERM", "dumb").rc("unsetopt zle prompt_cr")),
        ("failed before", stage(Shell::Zsh).env("ASIDE_PROXY", "off")),
        (
            "an instant prompt has the input",
            Setup::new(Shell::Zsh).without_aside().rc(&format!("{{ {} }} </dev/null", line(Shell::Zsh))),
        ),
        (
            "the output goes elsewhere",
            Setup::new(Shell::Zsh)
                .without_aside()
                .rc(&format!("exec 3>&1 >~/elsewhere; {}; exec >&3", line(Shell::Zsh))),
        ),
    ] {
        let mut scene = stage.start();
        let place = if what == "dumb" { dumb(&mut scene) } else { place(&mut scene) };
        assert!(place.is_empty() || place == "off", "{what}: {place}");
    }
    // A variable that leaked from another terminal does not keep the shell outside.
    let mut scene = stage(Shell::Zsh).env("ASIDE_PROXY", "/dev/pts/999:1").start();
    assert_eq!(place(&mut scene), "inside");
    // With `pty` the plugin enters the proxy by itself, without another line, in tmux too.
    for shell in SHELLS {
        let stage = Setup::new(shell).config("[suggest]\ncapture = \"pty\"\n").env("TMUX", "/tmp/tmux-0/default,1,0");
        let mut scene = stage.env("TMUX_PANE", "%1").start();
        assert_eq!(place_in(shell, &mut scene), "inside", "{shell:?}");
    }
}

#[track_caller]
fn dumb(scene: &mut Scene) -> String {
    scene.sends("echo \"<$ASIDE_PROXY>\"\r").shows("<>");
    String::new()
}

#[test]
fn a_shell_that_runs_one_command_stays_outside() {
    let home = Home::new();
    home.write(".zshrc", line(Shell::Zsh));
    let mut command = home.command("zsh");
    command.args(["-d", "-i", "-c", "echo \"<$ASIDE_PROXY>\"; exit 4"]);
    let mut tape = crate::harness::pty_recording::PtyRecording::start(command, 24, 80);
    tape.hears("<>");
    assert_eq!(tape.ends(), 4);
}
