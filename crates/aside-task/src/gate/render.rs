//! Renders an offer for the user: all of it, in rows, with hidden and deceptive characters spelled out. The client chooses colours and
//! widths.

use std::borrow::Cow;

use aside_text::visible;

use crate::gate::offer::{GateOffer, OfferedAct, OfferedChange, OfferedRun};
use crate::proposal::WriteConfinement;

/// Shown at approval: what an unconfined command could do beyond its purpose. docs/security.md has the rest.
const UNCONFINED: &str = "anywhere: not confined, it can do all that you can";

/// For a workspace that is the home directory or above it: the command could then write files that later programs start from.
const HOME: &str = "all of your home, so your shell's files and Aside's settings, too; in a project's directory it could write there only";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub label: Label,
    pub text: String,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A line of the command; a command with newlines has several rows.
    Command,
    Directory,
    Variable,
    /// Where it may write.
    Limit,
    File,
    Reason,
    Danger,
    /// Something that the user may not expect.
    Note,
    /// The rule that asks, or why none is needed.
    Rule,
}

impl Label {
    pub fn name(self) -> &'static str {
        match self {
            Label::Command => "command",
            Label::Directory => "in",
            Label::Variable => "with",
            Label::Limit => "writes",
            Label::File => "file",
            Label::Reason => "because",
            Label::Danger => "danger",
            Label::Note => "note",
            Label::Rule => "rule",
        }
    }
}

/// Whether a directory is the other one, or above it.
fn holds(directory: &str, other: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    !other.is_empty()
        && other
            .trim_end_matches('/')
            .strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub fn offer_rows(offer: &GateOffer) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |label: Label, text: String| rows.push(Row { label, text });
    let reason = match &offer.act {
        OfferedAct::Run(OfferedRun { cmd, cwd, environment, reason, confine }) => {
            for line in cmd.split('\n') {
                row(Label::Command, visible::exact(line).into_owned());
            }
            row(Label::Directory, visible::exact(cwd).into_owned());
            for (name, value) in environment {
                row(Label::Variable, format!("{}={}", visible::exact(name), visible::exact(value)));
            }
            match confine {
                WriteConfinement::No => row(Label::Limit, UNCONFINED.to_owned()),
                WriteConfinement::Workspace => {
                    let workspace = from_home(&offer.workspace, &offer.home);
                    let workspace = visible::exact(&workspace);
                    match holds(&offer.workspace, &offer.home) {
                        true => row(Label::Limit, format!("{HOME}: {workspace}")),
                        false => row(Label::Limit, format!("in the workspace only: {workspace}")),
                    }
                }
            }
            reason
        }
        OfferedAct::Apply(OfferedChange { digest: _, rows, names: _, reason }) => {
            for file in rows {
                row(Label::File, visible::exact(file).into_owned());
            }
            reason
        }
    };
    if let Some(reason) = reason {
        row(Label::Reason, visible::prose(reason).into_owned());
    }
    for danger in &offer.dangers {
        row(Label::Danger, visible::exact(danger).into_owned());
    }
    for note in &offer.notes {
        row(Label::Note, visible::exact(note).into_owned());
    }
    if let OfferedAct::Run(OfferedRun { cmd, .. }) = &offer.act
        && let Some(program) = wants_terminal(cmd)
    {
        let program = visible::exact(program);
        row(
            Label::Note,
            format!("{program} wants a terminal, and a task has none for it: run it in your shell instead"),
        );
    }
    row(Label::Rule, offer.verdict.explain());
    rows
}

/// Abbreviates the home directory to `~`. Expects an absolute path, so that no other path begins with `~`.
fn from_home<'p>(path: &'p str, home: &str) -> Cow<'p, str> {
    match path.strip_prefix(home.trim_end_matches('/')) {
        Some("") if home.len() > 1 => Cow::Borrowed("~"),
        Some(rest) if home.len() > 1 && rest.starts_with('/') => Cow::Owned(format!("~{rest}")),
        _ => Cow::Borrowed(path),
    }
}

/// Programs that always use the full screen or prompt at the terminal.
const FULL_SCREEN: &[&str] = &[
    "vi", "vim", "nvim", "view", "vimdiff", "nano", "emacs", "pico", "joe", "micro", "hx", "kak", "less", "more",
    "most", "man", "top", "htop", "btop", "atop", "watch", "tmux", "screen", "mc", "ranger", "nnn", "lazygit", "tig",
    "fzf", "ssh", "telnet", "ftp", "sftp",
];
/// Programs that prompt when they get no arguments.
const TALKATIVE: &[&str] = &[
    "python", "python3", "ipython", "node", "irb", "ghci", "psql", "mysql", "sqlite3", "bash", "zsh", "fish", "sh",
    "su", "gdb", "bc", "cat",
];

/// The interactive program that a command begins with, if any. Does not find one that the command starts indirectly.
fn wants_terminal(cmd: &str) -> Option<&str> {
    let is_before =
        |word: &&str| matches!(*word, "sudo" | "env" | "exec" | "command" | "time" | "nice") || word.contains('=');
    let mut words = cmd.split_whitespace().skip_while(is_before);
    let program = words.next()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let wants = FULL_SCREEN.contains(&name) || TALKATIVE.contains(&name) && words.next().is_none();
    wants.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_at_home_where_it_is_below_that() {
        for (path, home, shown) in [
            ("/home/ada/src", "/home/ada", "~/src"),
            ("/home/ada/src", "/home/ada/", "~/src"),
            ("/home/ada", "/home/ada", "~"),
            ("/home/adam/src", "/home/ada", "/home/adam/src"),
            ("/srv/x", "/home/ada", "/srv/x"),
            ("/srv/x", "/", "/srv/x"),
            ("/srv/x", "", "/srv/x"),
        ] {
            assert_eq!(from_home(path, home), shown, "{path} {home}");
        }
    }

    #[test]
    fn a_program_that_wants_a_terminal_is_told() {
        for (cmd, program) in [
            ("vi README", Some("vi")),
            ("sudo EDITOR=x /usr/bin/vim /etc/hosts", Some("vim")),
            ("python3", Some("python3")),
            ("python3 build.py", None),
            ("bash -c 'vi x'", None),
            ("make test", None),
            ("git log | less", None),
            ("", None),
        ] {
            assert_eq!(wants_terminal(cmd), program, "{cmd}");
        }
    }
}
