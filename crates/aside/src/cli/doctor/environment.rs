//! Checks the program itself, the shells and the terminal around it, and the variables that steer it.

use crate::cli::doctor::facts::{Facts, Installed, OnPath, Shell, Terminal};
use crate::cli::doctor::report::Finding;

/// Variables whose values reveal no more about the user than a path does.
const SHOWN: [&str; 3] = ["ASIDE_DISABLE", "ASIDE_HOME", "ASIDE_SOCKET"];

pub fn program(facts: &Facts) -> Vec<Finding> {
    let program = &facts.program;
    let version = Finding::ok(format!("aside {} at {}", program.version, program.path.display()));
    let on_path = match &program.on_path {
        OnPath::This => Finding::ok("PATH finds this one"),
        OnPath::Other { path, version } => {
            let version = version.as_deref().unwrap_or("no version it would tell");
            let what = format!("PATH finds another aside: {version}, at {}", path.display());
            Finding::note(what).advise("remove the one you do not want")
        }
        // The plugin works all the same: it has the full path.
        OnPath::Nothing => {
            let dir = program.path.parent().unwrap_or(&program.path);
            let advice = format!("add {} to PATH", dir.display());
            match facts.session() {
                Some(_) => Finding::note("PATH does not find aside").advise(advice),
                None => Finding::fix("PATH does not find aside", advice),
            }
        }
    };
    vec![version, on_path]
}

pub fn shells(facts: &Facts) -> Vec<Finding> {
    if facts.shells.is_empty() {
        return vec![Finding::fix("there is no zsh, bash or fish on PATH", "install zsh")];
    }
    facts.shells.iter().map(|installed| shell(installed, facts.here.shell())).collect()
}

fn shell(Installed { shell, version }: &Installed, used: Option<Shell>) -> Finding {
    let (name, (major, minor)) = (shell.name(), shell.oldest());
    let Some(version) = version else {
        return Finding::note(format!("{name} does not tell its version; Aside needs {major}.{minor}"));
    };
    match numbers(version) {
        Some(numbers) if numbers >= (major, minor) => Finding::ok(format!("{name} {version}")),
        _ if used == Some(*shell) => {
            let what = format!("{name} {version} is too old: Aside needs {major}.{minor}");
            Finding::fix(what, format!("install a newer {name}"))
        }
        _ => Finding::note(format!("{name} {version} is too old for Aside, which needs {major}.{minor}")),
    }
}

/// The first two numbers of a version.
pub fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.').map(|part| {
        let digits = part.find(|char: char| !char.is_ascii_digit()).unwrap_or(part.len());
        part[..digits].parse().ok()
    });
    Some((parts.next()??, parts.next().flatten().unwrap_or(0)))
}

/// The version in the output of `SHELL --version`: the first word that begins with a digit.
pub fn version_in(answer: &str) -> Option<String> {
    let word = answer.split_whitespace().find(|word| word.starts_with(|char: char| char.is_ascii_digit()))?;
    let end = word.find(|char: char| !char.is_ascii_alphanumeric() && char != '.').unwrap_or(word.len());
    Some(word[..end].to_owned())
}

pub fn terminal(terminal: &Terminal) -> Vec<Finding> {
    let mut words = vec![format!("TERM={}", terminal.term.as_deref().unwrap_or("(not set)"))];
    words.extend(terminal.colour.as_ref().map(|colour| format!("COLORTERM={colour}")));
    words.extend(terminal.tmux.then(|| "in tmux".to_owned()));
    words.extend(terminal.ssh.then(|| "over ssh".to_owned()));
    words.push(terminal.columns.map_or("no terminal attached".to_owned(), |columns| format!("{columns} columns")));
    let what = words.join(", ");
    vec![if terminal.is_dumb() {
        Finding::note(what).advise("a shell on a dumb terminal leaves Aside off; in another terminal it is on")
    } else {
        Finding::ok(what)
    }]
}

pub fn environment(variables: &[(String, String)]) -> Vec<Finding> {
    variables.iter().map(|(name, value)| variable(name, value)).collect()
}

fn variable(name: &str, value: &str) -> Finding {
    let what = if SHOWN.contains(&name) { format!("{name}={value}") } else { format!("{name} is set") };
    if name == "ASIDE_DISABLE" && !value.is_empty() {
        return Finding::note(what).advise("shells that inherit it leave Aside off; unset it to have Aside");
    }
    Finding::ok(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::{Answer, healthy};

    #[test]
    fn the_aside_on_path_is_this_one_another_or_none() {
        let mut facts = healthy();
        assert_eq!(program(&facts)[1], Finding::ok("PATH finds this one"));
        facts.program.on_path = OnPath::Other { path: "/usr/bin/aside".into(), version: Some("aside 0.9.0".into()) };
        assert_eq!(
            program(&facts)[1],
            Finding::note("PATH finds another aside: aside 0.9.0, at /usr/bin/aside")
                .advise("remove the one you do not want")
        );
        facts.program.on_path = OnPath::Nothing;
        assert_eq!(
            program(&facts)[1],
            Finding::note("PATH does not find aside").advise("add /home/me/bin to PATH"),
            "the shell works all the same"
        );
        facts.daemon.answer = Answer::Absent;
        assert_eq!(program(&facts)[1], Finding::fix("PATH does not find aside", "add /home/me/bin to PATH"));
    }

    #[test]
    fn an_old_shell_matters_when_it_is_yours() {
        let judge = |which, version: Option<&str>| {
            let installed = Installed { shell: which, version: version.map(str::to_owned) };
            shell(&installed, Some(Shell::Bash))
        };
        assert_eq!(judge(Shell::Bash, Some("4.4.20")), Finding::ok("bash 4.4.20"));
        assert_eq!(
            judge(Shell::Bash, Some("3.2.57")),
            Finding::fix("bash 3.2.57 is too old: Aside needs 4.4", "install a newer bash")
        );
        assert_eq!(judge(Shell::Zsh, Some("5.0.2")), Finding::note("zsh 5.0.2 is too old for Aside, which needs 5.3"));
        assert_eq!(judge(Shell::Fish, None), Finding::note("fish does not tell its version; Aside needs 3.1"));
        assert_eq!(judge(Shell::Fish, Some("4.0b1")), Finding::ok("fish 4.0b1"));
    }

    #[test]
    fn without_any_shell_one_is_needed() {
        let mut facts = healthy();
        facts.shells.clear();
        assert_eq!(shells(&facts), [Finding::fix("there is no zsh, bash or fish on PATH", "install zsh")]);
    }

    #[test]
    fn versions_are_found_in_what_shells_print() {
        for (answer, version) in [
            ("zsh 5.9 (x86_64-debian-linux-gnu)\n", Some("5.9")),
            ("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright", Some("5.2.15")),
            ("fish, version 3.6.0-12-gabc\n", Some("3.6.0")),
            ("no idea", None),
        ] {
            assert_eq!(version_in(answer).as_deref(), version, "{answer}");
        }
        assert_eq!(["5.10.1", "5", "x", "4.0b1"].map(numbers), [Some((5, 10)), Some((5, 0)), None, Some((4, 0))]);
    }

    #[test]
    fn the_terminal_is_named_and_a_dumb_one_explained() {
        let mut facts = healthy();
        assert_eq!(terminal(&facts.terminal), [Finding::ok("TERM=xterm, COLORTERM=truecolor, 80 columns")]);
        facts.terminal =
            Terminal { term: Some("dumb".into()), colour: None, tmux: true, ssh: true, ours: false, columns: None };
        let advice = "a shell on a dumb terminal leaves Aside off; in another terminal it is on";
        let expected = Finding::note("TERM=dumb, in tmux, over ssh, no terminal attached").advise(advice);
        assert_eq!(terminal(&facts.terminal), [expected]);
    }

    #[test]
    fn only_harmless_variables_show_their_value() {
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let variables = [set("ASIDE_API_KEY", "hunter2"), set("ASIDE_HOME", "/tmp/a"), set("ASIDE_DISABLE", "1")];
        assert_eq!(
            environment(&variables),
            [
                Finding::ok("ASIDE_API_KEY is set"),
                Finding::ok("ASIDE_HOME=/tmp/a"),
                Finding::note("ASIDE_DISABLE=1")
                    .advise("shells that inherit it leave Aside off; unset it to have Aside"),
            ]
        );
    }
}
