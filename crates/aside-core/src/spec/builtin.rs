//! The specs that come with Aside: which there are, each read when it is first asked for.

use std::sync::{Arc, OnceLock};

use crate::spec::format::{self, Spec};

struct BuiltIn {
    name: &'static str,
    text: &'static str,
    parsed: OnceLock<Option<Arc<Spec>>>,
}

macro_rules! built_in {
    ($($name:literal)*) => {
        static BUILT_IN: [BuiltIn; [$($name),*].len()] = [$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../data/spec/", $name, ".toml")),
            parsed: OnceLock::new(),
        }),*];
    };
}

// In the order of names. A test compares it with the directory.
built_in! {
    "alias" "ansible" "ansible-galaxy" "ansible-playbook" "ansible-vault" "apt" "apt-cache" "apt-get" "apt-mark" "aside"
    "at" "awk" "aws" "az" "base64" "basename" "bat" "bc" "bg" "brew" "builtin" "bundle" "bzip2" "cal" "cargo" "cat" "cd"
    "chgrp" "chmod" "chown" "clang" "clear" "cmake" "code" "column" "comm" "command" "convert" "cp" "crontab" "curl"
    "cut" "date" "dd" "df" "diff" "dig" "dirname" "dirs" "disown" "dmesg" "doas" "docker" "docker-compose" "dpkg" "du"
    "echo" "emacs" "emacsclient" "env" "eval" "exec" "exit" "export" "eza" "false" "fd" "ffmpeg" "fg" "file" "find"
    "free" "fzf" "gcc" "gcloud" "gdb" "gem" "gh" "git" "go" "gofmt" "gpg" "gradle" "grep" "groupadd" "groups" "gunzip"
    "gzip" "hash" "head" "helm" "history" "host" "hostname" "htop" "id" "ifconfig" "ip" "java" "javac" "jobs" "join"
    "journalctl" "jq" "just" "kill" "killall" "kubectl" "less" "ln" "ls" "lsblk" "lsof" "make" "man" "mkdir" "mktemp"
    "mount" "mv" "mvn" "mysql" "nano" "nc" "netstat" "nginx" "nice" "ninja" "nl" "nmap" "node" "nohup" "npm" "nproc"
    "npx" "nslookup" "openssl" "passwd" "paste" "patch" "perf" "pgrep" "ping" "pip" "pkill" "pnpm" "podman" "poetry"
    "popd" "printf" "ps" "psql" "pushd" "pwd" "pytest" "python" "read" "readlink" "realpath" "reboot" "redis-cli"
    "renice" "rev" "rg" "rm" "rmdir" "rsync" "ruby" "rustc" "rustup" "scp" "screen" "sed" "seq" "service" "set" "sftp"
    "sha256sum" "shuf" "shutdown" "sleep" "snap" "sort" "source" "split" "sqlite3" "ss" "ssh" "ssh-copy-id" "ssh-keygen"
    "stat" "strace" "su" "sudo" "systemctl" "tac" "tail" "tar" "tee" "terraform" "test" "time" "timeout" "tmux" "top"
    "touch" "tr" "traceroute" "trap" "tree" "true" "truncate" "type" "ulimit" "umask" "umount" "unalias" "uname" "uniq"
    "unset" "unxz" "unzip" "unzstd" "uptime" "useradd" "userdel" "usermod" "uv" "uvx" "vim" "wait" "watch" "wc" "wget"
    "which" "who" "whoami" "xargs" "xxd" "xz" "yarn" "yes" "yq" "zip" "zstd"
}

/// By its name or one of its other names.
pub fn find(name: &str) -> Option<Arc<Spec>> {
    let spec = &BUILT_IN[position(name)?];
    spec.parsed.get_or_init(|| format::parse(spec.name, spec.text).0.map(Arc::new)).clone()
}

/// One line about a command, found without reading the whole text where that is still to be done: the spec of a large
/// program takes longer than the answer to a wish.
pub fn about(name: &str) -> Option<Box<str>> {
    let spec = &BUILT_IN[position(name)?];
    if spec.parsed.get().is_none()
        && let Some(about) = head_about(spec.text)
    {
        return Some(about.into());
    }
    find(name).map(|spec| spec.about.clone())
}

/// Nothing when it is written in a way that takes more than a look.
fn head_about(text: &str) -> Option<&str> {
    let mut head = text.lines().take_while(|line| !line.starts_with('['));
    let value = head.find_map(|line| line.strip_prefix("about")?.trim_start().strip_prefix('='))?;
    let (about, rest) = value.trim_start().strip_prefix('"')?.split_once('"')?;
    (!about.contains('\\') && rest.trim().is_empty() && !about.is_empty()).then_some(about)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|spec| spec.name)
}

pub fn has(name: &str) -> bool {
    position(name).is_some()
}

fn position(name: &str) -> Option<usize> {
    BUILT_IN.binary_search_by(|spec| spec.name.cmp(name)).ok().or_else(|| by_alias(name))
}

fn by_alias(name: &str) -> Option<usize> {
    static ALIASES: OnceLock<Vec<(&'static str, usize)>> = OnceLock::new();
    let aliases = ALIASES.get_or_init(|| {
        let specs = BUILT_IN.iter().enumerate();
        let mut aliases: Vec<_> =
            specs.flat_map(|(number, spec)| head_aliases(spec.text).map(move |alias| (alias, number))).collect();
        aliases.sort_unstable();
        aliases
    });
    aliases.binary_search_by(|(alias, _)| (*alias).cmp(name)).ok().map(|found| aliases[found].1)
}

/// `aliases` of the command itself, found without reading the whole text: that would read all specs to find one.
fn head_aliases(text: &str) -> impl Iterator<Item = &str> {
    let head = text.lines().take_while(|line| !line.starts_with('['));
    let line = head.filter_map(|line| line.strip_prefix("aliases")).next().unwrap_or_default();
    line.split('"').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::walk::{self, End, Piece};
    use std::collections::BTreeSet;

    fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|spec| spec.name)
    }

    fn specs() -> Vec<(&'static str, Arc<Spec>)> {
        names().map(|name| (name, find(name).unwrap_or_else(|| panic!("{name} is not read")))).collect()
    }

    /// Every spec and subcommand, with its full name.
    fn all() -> Vec<(String, Arc<Spec>)> {
        let mut found: Vec<(String, Arc<Spec>)> =
            specs().into_iter().map(|(name, spec)| (name.to_owned(), spec)).collect();
        let mut at = 0;
        while at < found.len() {
            let (name, spec) = found[at].clone();
            found.extend(spec.subs.iter().map(|sub| (format!("{name} {}", sub.name), Arc::clone(&sub.spec))));
            at += 1;
        }
        found
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "only the directory itself knows what is in it")]
    fn the_table_is_sorted_and_names_every_file() {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/spec");
        let files =
            std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.map(|file| file.trim_end_matches(".toml").to_owned()).collect();
        let table: Vec<&str> = names().collect();
        assert_eq!(table, files.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn a_look_at_the_head_says_what_the_whole_says() {
        for (name, spec) in specs() {
            let (text, read) = (BUILT_IN[position(name).unwrap()].text, &*spec.about);
            assert!(head_about(text).is_none_or(|about| about == read), "{name}: {read}");
        }
        assert!(head_about(BUILT_IN[position("git").unwrap()].text).is_some(), "it is worth it");
    }

    #[test]
    fn nothing_is_wrong_with_them() {
        let problems = BUILT_IN.iter().flat_map(|spec| format::parse(spec.name, spec.text).1);
        let problems: Vec<String> = problems.map(|problem| problem.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn other_names_lead_to_them_and_to_one_only() {
        let mut seen: BTreeSet<String> = names().map(str::to_owned).collect();
        for (name, spec) in specs() {
            for alias in &spec.aliases {
                assert!(seen.insert(alias.to_string()), "{alias} is there twice");
                assert!(Arc::ptr_eq(&find(alias).unwrap(), &spec), "{alias} does not lead to {name}");
            }
        }
        assert!(find("no-such-command").is_none());
    }

    #[test]
    fn descriptions_are_short_lower_case_and_without_a_full_stop() {
        let mut bad = Vec::new();
        let mut check = |place: &str, about: &str| {
            // An abbreviation or a key may begin with a capital letter: what follows it then is not lower case.
            let capital = about.starts_with(char::is_uppercase)
                && about.chars().nth(1).is_none_or(|letter| letter.is_lowercase())
                && !KEPT.iter().any(|word| about.starts_with(word));
            if about.is_empty() || about.ends_with('.') || capital || about.chars().count() > 100 {
                bad.push(format!("{place}: {about:?}"));
            }
        };
        for (name, spec) in all() {
            check(&name, &spec.about);
            for flag in &spec.flags {
                check(&format!("{name} {}", flag.names[0]), &flag.about);
            }
        }
        assert_eq!(bad, Vec::<String>::new());
    }

    /// Names that are written with a capital letter wherever they stand.
    const KEPT: &[&str] =
        &["Docker", "Go ", "Git", "Python", "Rust", "Cargo", "Perl", "Unix", "Node", "Ctrl", "Unicode", "Kubernetes"];

    #[test]
    fn every_subcommand_is_found_on_the_way() {
        for (name, spec) in all() {
            let pieces: Vec<Piece<'_>> =
                name.split(' ').map(|word| Piece { value: word.into(), fixed: true, word: None }).collect();
            let walk = walk::walk(find(&pieces[0].value).unwrap(), &pieces);
            assert!(Arc::ptr_eq(walk.spec(), &spec), "{name}");
            assert_eq!(walk.end(), End::Open, "{name}");
        }
    }

    #[test]
    fn subcommands_have_different_names() {
        for (name, spec) in all() {
            let mut seen = BTreeSet::new();
            for sub in &spec.subs {
                for known in std::iter::once(&sub.name).chain(&sub.spec.aliases) {
                    assert!(seen.insert(known), "{name} {known} is there twice");
                }
            }
        }
    }
}
