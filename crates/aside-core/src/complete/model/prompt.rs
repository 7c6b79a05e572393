//! Builds a model's prompt. The parts that stay the same between keystrokes come first, byte for byte the same, so that
//! a server's prompt cache computes only the end.

use aside_commands::world::{LiveKind, World};
use aside_redact as redact;
use aside_text as text;

use crate::history::filter::{HistoryFilter, NotStored};

/// More items cost time and tell the model little.
const MAX_RECENT: usize = 20;
pub(super) const MAX_FILES: usize = 40;
pub(super) const MAX_CHANGED: usize = 10;
/// Characters of one command or name; longer items are dropped.
const MAX_ITEM: usize = 200;

/// The context of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineContext {
    pub cwd: String,
    pub shell: String,
    /// Names in the directory.
    pub files: Vec<String>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// Files with changes, according to git.
    pub changed: Vec<String>,
    /// Oldest first.
    pub recent: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The rules: the same for every line.
    pub system: String,
    pub user: String,
}

impl LineContext {
    /// Collects what the world has cached and skips what would need a lookup first.
    pub fn of(world: &dyn World, cwd: &str, shell: &str, recent: Vec<String>) -> Self {
        let names = |what| world.live(what, cwd).yes();
        let entries = world.entries(cwd).yes();
        let shown = entries.iter().flat_map(|entries| entries.iter()).filter(|entry| !entry.name.starts_with('.'));
        let branches = names(LiveKind::GitBranch);
        let current = branches.iter().flat_map(|items| items.iter()).find(|item| &*item.about == "current");
        let changed = names(LiveKind::GitChanged);
        let changed = changed.iter().flat_map(|items| items.iter());
        Self {
            cwd: cwd.to_owned(),
            shell: shell.to_owned(),
            files: shown.take(MAX_FILES).map(|entry| entry.name.to_string()).collect(),
            branch: current.map(|item| item.name.to_string()),
            changed: changed.take(MAX_CHANGED).map(|item| item.name.to_string()).collect(),
            recent,
        }
    }
}

/// Marks the cursor in the prompt.
pub const CURSOR: &str = "<cursor>";

/// Asks for a whole line and not only its end: a model reads and writes tokens, and does badly when it has to continue
/// inside one.
const RULES: &str = "You finish command lines for a person at a shell prompt. \
You get what is known about the place and the line up to the cursor, marked <cursor>. \
Answer with the finished line, on one line, and nothing else: no explanation, no quotes, no Markdown. \
Keep what is typed before the cursor exactly as it is. \
Use only programs, flags, files and branches that exist. \
Prefer what fits the recent commands and the files here. \
Prefer what changes nothing over what deletes or overwrites. \
If the line is finished, or you are not sure, repeat it as it is.";

/// Whether the line may leave this machine: it is not hidden and contains no secret.
pub fn may_leave(left: &str, right: &str, filter: &HistoryFilter) -> bool {
    let line = format!("{left}{right}");
    match filter.refuses(&line) {
        // `history.secrets` is about what is stored: a line with a secret is never sent.
        None | Some(NotStored::Blank) => redact::secrets(&line).is_empty(),
        Some(NotStored::Hidden | NotStored::TooLong | NotStored::Ignored | NotStored::Secret) => false,
    }
}

pub fn prompt(left: &str, right: &str, around: &LineContext, filter: &HistoryFilter) -> Prompt {
    let LineContext { cwd, shell, files, branch, changed, recent } = around;
    let mut user = String::new();
    let mut part = |title: &str, text: &str| {
        if !text.is_empty() {
            user.push_str(title);
            user.push_str(text);
            user.push('\n');
        }
    };
    part("Shell: ", shell);
    part("Directory: ", &one_line(cwd));
    part("Files here: ", &listed(files, MAX_FILES));
    part("Git branch: ", &one_line(branch.as_deref().unwrap_or_default()));
    part("Changed files: ", &listed(changed, MAX_CHANGED));
    part("Recent commands:\n", &shown(recent, filter).join("\n"));
    part("Line:\n", &format!("{left}{CURSOR}{right}"));
    Prompt { system: RULES.to_owned(), user }
}

/// The commands that may leave this machine, oldest first.
pub(super) fn shown(recent: &[String], filter: &HistoryFilter) -> Vec<String> {
    let kept: Vec<&str> = recent.iter().map(String::as_str).filter(|command| filter.keeps(command)).collect();
    let kept = &kept[kept.len().saturating_sub(MAX_RECENT)..];
    kept.iter().filter(|command| is_short(command)).map(|command| one_line(command)).collect()
}

pub(super) fn listed(names: &[String], most: usize) -> String {
    let names = names.iter().filter(|name| is_short(name)).take(most).map(|name| one_line(name));
    names.collect::<Vec<_>>().join(", ")
}

fn is_short(item: &str) -> bool {
    item.chars().nth(MAX_ITEM).is_none()
}

pub(super) fn one_line(text: &str) -> String {
    text::clean(text).replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::filter::SecretPolicy;
    use insta::assert_snapshot;

    fn filter() -> HistoryFilter {
        HistoryFilter::new(&["(?i)token=".to_owned()], SecretPolicy::Skip).unwrap()
    }

    fn owned(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    fn around() -> LineContext {
        LineContext {
            cwd: "/home/ada/src".into(),
            shell: "zsh".into(),
            files: owned(&["Cargo.toml", "src"]),
            branch: Some("main".into()),
            changed: owned(&["src/main.rs"]),
            recent: owned(&["export TOKEN=abc", "cargo build", " hidden", "for i in 1\ndo x\ndone"]),
        }
    }

    #[test]
    fn what_changes_most_comes_last() {
        assert_snapshot!(prompt("git sta", " x", &around(), &filter()).user, @r"
        Shell: zsh
        Directory: /home/ada/src
        Files here: Cargo.toml, src
        Git branch: main
        Changed files: src/main.rs
        Recent commands:
        cargo build
        for i in 1\ndo x\ndone
        Line:
        git sta<cursor> x
        ");
        let one = prompt("git s", "", &around(), &filter());
        let two = prompt("git st", "", &around(), &filter());
        assert_eq!(one.system, two.system);
        let line = one.user.find("git s<").unwrap();
        assert_eq!(one.user[..line], two.user[..line]);
    }

    #[test]
    fn what_is_not_known_is_not_mentioned() {
        assert_snapshot!(prompt("ls", "", &LineContext::default(), &filter()).user, @r"
        Line:
        ls<cursor>
        ");
    }

    #[test]
    fn a_prompt_has_bounds() {
        let many = |count: usize| (0..count).map(|number| format!("item{number}")).collect::<Vec<_>>();
        let around = LineContext {
            files: many(1000),
            changed: many(1000),
            recent: [many(1000), vec!["x".repeat(10_000)]].concat(),
            ..LineContext::default()
        };
        let user = prompt("ls", "", &around, &filter()).user;
        assert!(user.len() < 1500, "{}", user.len());
        assert!(user.contains("item999\nLine:") && !user.contains("item979\n"), "the newest: {user}");
    }

    #[test]
    fn secrets_and_hidden_lines_stay_here() {
        assert!(may_leave("git sta", "", &filter()));
        for left in ["export TOKEN=a", " git sta", "\tls", &"x".repeat(100_000)] {
            assert!(!may_leave(left, "", &filter()));
        }
        assert!(!may_leave("export TO", "KEN=a", &filter()));
    }
}
