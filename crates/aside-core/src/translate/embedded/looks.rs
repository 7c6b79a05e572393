//! Whether a command only looks: what is not known to, may change something. Stricter than `safety`, which names what
//! cannot be taken back.

use crate::line::{self, Command, Dialect, Redirect};

/// Programs that change nothing, whatever they are given.
const LOOK: &[&str] = &[
    "ls",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "cat",
    "head",
    "tail",
    "wc",
    "uniq",
    "cut",
    "du",
    "df",
    "ps",
    "ss",
    "lsof",
    "netstat",
    "cal",
    "whoami",
    "id",
    "who",
    "w",
    "last",
    "uname",
    "free",
    "uptime",
    "stat",
    "file",
    "tree",
    "diff",
    "cmp",
    "comm",
    "column",
    "printenv",
    "echo",
    "printf",
    "pwd",
    "which",
    "history",
    "fc",
    "lsblk",
    "findmnt",
    "nproc",
    "lscpu",
    "lsusb",
    "lspci",
    "dig",
    "host",
    "ping",
    "traceroute",
    "jq",
    "tr",
    "nl",
    "rev",
    "tac",
    "paste",
    "join",
    "fold",
    "fmt",
    "shuf",
    "seq",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "cksum",
    "base64",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "pgrep",
    "pstree",
    "top",
    "groups",
    "getent",
    "hostname",
    "journalctl",
    "dmesg",
    "type",
    "jobs",
    "zcat",
    "zgrep",
    "less",
    "more",
    "expr",
    "test",
    "true",
    "nvidia-smi",
    "sensors",
    "vmstat",
    "iostat",
    "man",
    "apropos",
    "locate",
    "cd",
];

/// Programs of which some words only look: the words that must follow.
const SOME: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "blame",
            "shortlog",
            "ls-files",
            "rev-parse",
            "rev-list",
            "reflog",
            "describe",
            "grep",
            "count-objects",
            "check-ignore",
        ],
    ),
    ("docker", &["ps", "images", "logs", "stats", "inspect", "version", "info"]),
    ("kubectl", &["get", "describe", "logs", "top"]),
    ("systemctl", &["status", "list-units", "list-timers", "--failed", "is-active", "is-enabled"]),
    ("apt", &["list", "search", "show"]),
    ("dpkg", &["-l", "-s", "-S", "-L"]),
    ("npm", &["ls", "outdated"]),
    ("pip", &["list", "show"]),
    ("ip", &["-brief", "addr", "address", "link", "route"]),
    ("tar", &["-tf", "-tvf", "-tzf", "-tzvf", "tf", "tvf", "tzf"]),
    ("unzip", &["-l"]),
    ("crontab", &["-l"]),
    ("tmux", &["ls"]),
    ("command", &["-v"]),
    ("ulimit", &["-n", "-a"]),
];

pub fn only_looks(command: &str, dialect: Dialect) -> bool {
    line::parse(command, dialect).commands.iter().all(looks)
}

/// Whether it is certain to change files or what runs: what nobody does to answer a question.
pub fn changes_files(command: &str, dialect: Dialect) -> bool {
    const CHANGE: &[&str] = &[
        "chmod", "chown", "chgrp", "mkdir", "touch", "mv", "cp", "rm", "rmdir", "ln", "truncate", "kill", "pkill",
        "killall", "shred",
    ];
    const GIT: &[&str] = &[
        "add", "commit", "push", "reset", "checkout", "switch", "merge", "rebase", "clean", "restore", "rm", "mv",
        "pull",
    ];
    line::parse(command, dialect).commands.iter().any(|command| {
        let mut words = command.words.iter().map(|word| word.value.as_str()).skip_while(|word| *word == "sudo");
        let (name, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        CHANGE.contains(&name) || name == "git" && GIT.contains(&next)
    })
}

fn looks(command: &Command) -> bool {
    let writes = |redirect: &Redirect| matches!(redirect, Redirect::Write | Redirect::Append);
    let harmless = |target: Option<&line::Word>| target.is_some_and(|target| target.value == "/dev/null");
    if command
        .redirections
        .iter()
        .any(|redirection| writes(&redirection.kind) && !harmless(redirection.target.as_ref()))
    {
        return false;
    }
    let words: Vec<&str> = command.words.iter().map(|word| word.value.as_str()).collect();
    let Some((name, rest)) = words.split_first() else { return true };
    let has = |refused: &[&str]| rest.iter().any(|word| refused.contains(word));
    match *name {
        "find" => !has(&["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fls"]),
        "sort" => !has(&["-o"]),
        "date" => !has(&["-s", "--set"]),
        "sed" => !rest.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place")),
        "awk" => !rest.iter().any(|word| word.contains('>') && word.contains("print") || word.contains("system(")),
        "curl" => !has(&["-o", "-O", "-X", "-d", "--data", "-T"]) && !rest.iter().any(|word| word.starts_with("-fLO")),
        "env" => rest.is_empty(),
        "mount" => rest.is_empty(),
        "xargs" => rest.iter().find(|word| !word.starts_with('-')).is_some_and(|run| LOOK.contains(run)),
        name if LOOK.contains(&name) => true,
        name => SOME
            .iter()
            .any(|(known, firsts)| *known == name && rest.first().is_some_and(|first| firsts.contains(first))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_something_is_told_from_what_looks() {
        for command in [
            "ls -la",
            "find . -name '*.py'",
            "ps aux | sort -rn | head",
            "git log --oneline",
            "grep -q x f > /dev/null && echo yes",
            "sed -n 1,5p a.txt",
            "awk '{print $1}' a.txt",
            "find . -type f | xargs wc -l",
            "command -v ls",
            "ls 2>&1",
        ] {
            assert!(only_looks(command, Dialect::Zsh), "{command}");
        }
        for command in [
            "rm a",
            "find . -delete",
            "ls > a",
            "git push",
            "git branch x",
            "sed -i s/a/b/ f",
            "kill 1",
            "touch a",
            "sort -o a a",
            "mv a b",
            "curl -O http://x",
            "find . | xargs rm",
            "docker run x",
            "unknown",
            "echo $(rm a)",
            "mkdir x && ls",
        ] {
            assert!(!only_looks(command, Dialect::Zsh), "{command}");
        }
        for (command, changes) in
            [("chmod 700 .", true), ("sudo rm a", true), ("git push", true), ("git branch -vv", false), ("ls", false)]
        {
            assert_eq!(changes_files(command, Dialect::Zsh), changes, "{command}");
        }
    }
}
