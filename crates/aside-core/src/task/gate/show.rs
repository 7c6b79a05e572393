//! What a person sees of an offer: all of it, in rows, with what is hidden or pretends to be something else spelled out. Colours and widths
//! are for whoever paints it.

use std::borrow::Cow;

use crate::task::gate::offer::{Act, Change, Command, Offer};
use crate::task::proposal::Confine;
use crate::text::visible;

/// Said where the user approves: what a command that is not confined could do beside what it is meant for. docs/security.md has the rest.
const UNCONFINED: &str = "anywhere: not confined, it can do all that you can";

/// The workspace is the home directory, or one above it: what is started later may be the command's work.
const HOME: &str = "all of your home, so your shell's files and Aside's settings, too; in a project's directory it could write there only";

/// Of what an explanation quotes. An offer itself is never cut.
const MAX_QUOTED: usize = 120;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub label: Label,
    pub text: String,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A line of the command; several when it has newlines.
    Command,
    Directory,
    Variable,
    /// Where it may write.
    Limit,
    File,
    Reason,
    Danger,
    /// What would surprise whoever runs it.
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

pub fn shown(offer: &Offer) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |label: Label, text: String| rows.push(Row { label, text });
    let reason = match &offer.act {
        Act::Run(Command { cmd, cwd, environment, reason, confine }) => {
            for line in cmd.split('\n') {
                row(Label::Command, visible::exact(line).into_owned());
            }
            row(Label::Directory, visible::exact(cwd).into_owned());
            for (name, value) in environment {
                row(Label::Variable, format!("{}={}", visible::exact(name), visible::exact(value)));
            }
            match confine {
                Confine::No => row(Label::Limit, UNCONFINED.to_owned()),
                Confine::Workspace => {
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
        Act::Apply(Change { digest: _, rows, reason }) => {
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
    if let Act::Run(Command { cmd, .. }) = &offer.act
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

/// A path as people write it: `~` is the home. Absolute paths are taken, so that nothing else begins so.
fn from_home<'p>(path: &'p str, home: &str) -> Cow<'p, str> {
    match path.strip_prefix(home.trim_end_matches('/')) {
        Some("") if home.len() > 1 => Cow::Borrowed("~"),
        Some(rest) if home.len() > 1 && rest.starts_with('/') => Cow::Owned(format!("~{rest}")),
        _ => Cow::Borrowed(path),
    }
}

/// Programs that fill the screen or ask at the terminal whatever they are given.
const FULL_SCREEN: &[&str] = &[
    "vi", "vim", "nvim", "view", "vimdiff", "nano", "emacs", "pico", "joe", "micro", "hx", "kak", "less", "more",
    "most", "man", "top", "htop", "btop", "atop", "watch", "tmux", "screen", "mc", "ranger", "nnn", "lazygit", "tig",
    "fzf", "ssh", "telnet", "ftp", "sftp",
];
/// Those that do when they are given nothing.
const TALKATIVE: &[&str] = &[
    "python", "python3", "ipython", "node", "irb", "ghci", "psql", "mysql", "sqlite3", "bash", "zsh", "fish", "sh",
    "su", "gdb", "bc", "cat",
];

/// The program that a command begins with, if it is one of those. A command that only brings it about is not seen.
fn wants_terminal(cmd: &str) -> Option<&str> {
    let is_before =
        |word: &&str| matches!(*word, "sudo" | "env" | "exec" | "command" | "time" | "nice") || word.contains('=');
    let mut words = cmd.split_whitespace().skip_while(is_before);
    let program = words.next()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let wants = FULL_SCREEN.contains(&name) || TALKATIVE.contains(&name) && words.next().is_none();
    wants.then_some(name)
}

/// For one line of an explanation.
pub(super) fn short(text: &str) -> String {
    cut(text, MAX_QUOTED)
}

pub(super) fn cut(text: &str, most: usize) -> String {
    let shown = visible::exact(text);
    match shown.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or_default()),
        None => shown.into_owned(),
    }
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
