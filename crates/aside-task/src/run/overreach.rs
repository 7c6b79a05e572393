//! Whether a command goes further than the request: options that amend, force or rewrite are proposed only where the request says so.

use shell_line::{self as line, Dialect};

/// Words of a command, and the words that a request for it has.
const FORCES: &[(&[&str], &[&str])] = &[
    (
        &["--amend"],
        &[
            "amend",
            "last commit",
            "previous commit",
            "commit message",
            "reword",
            "author",
            "forgot",
            "修改提交",
            "上次提交",
            "最近一次提交",
        ],
    ),
    (
        &["--force", "--force-with-lease", "--hard", "-f"],
        &[
            "force",
            "overwrite",
            "discard",
            "throw",
            "reset",
            "hard",
            "drop",
            "delete",
            "remove",
            "undo",
            "clean",
            "even if",
            "anyway",
            "kill",
            "强制",
            "丢弃",
            "放弃",
            "follow",
            "tail",
            "file",
            "删除",
        ],
    ),
    (&["--no-verify"], &["verify", "hook", "without check", "skip"]),
    (&["filter-branch", "filter-repo"], &["history", "rewrite", "历史"]),
    (&["rebase"], &["rebase", "squash", "reorder", "rewrite", "on top", "变基", "合并"]),
];

pub fn overreaches(words: &str, command: &str) -> bool {
    let lower = words.to_lowercase();
    let line = line::parse(command, Dialect::Bash);
    let has = |sign: &&str| line.commands.iter().flat_map(|command| &command.words).any(|word| word.value == **sign);
    FORCES.iter().any(|(signs, said)| signs.iter().any(&has) && !said.iter().any(|word| lower.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_further_needs_its_word() {
        for (words, command) in [
            ("commit my changes with message x", "git commit --amend -m x"),
            ("push it", "git push --force"),
            ("go back to main", "git reset --hard main"),
            ("update my branch", "git rebase main"),
            ("commit it", "git commit --no-verify -m x"),
        ] {
            assert!(overreaches(words, command), "{words}");
        }
        for (words, command) in [
            ("amend the last commit", "git commit --amend"),
            ("force push", "git push --force-with-lease"),
            ("discard all changes", "git reset --hard"),
            ("rebase on main", "git rebase main"),
            ("commit it", "git commit -m '--amend it'"),
            ("push it", "git push"),
        ] {
            assert!(!overreaches(words, command), "{words}");
        }
    }
}
