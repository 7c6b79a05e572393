//! Decides whether a command may be offered: one line that the shell would run, of installed programs, and that
//! destroys nothing that neither the user nor the tool has named. Does not say whether it helps.

use aside_commands::safety::nested_commands::{self, NestedCommands};
use aside_commands::safety::{self, Harm};
use aside_commands::shell_names::builtins;
use aside_commands::world::Fact;
use aside_redact as redact;
use shell_line::{self as line, Syntax};

use crate::suggest::{SuggestContext, trust};

/// Bytes of a command that fits beside a prompt.
const MAX_COMMAND: usize = 600;

/// Programs whose effect as root is plain from their names. Nothing else is offered behind `sudo`.
const ROOTS: [&str; 29] = [
    "mknod",
    "modprobe",
    "swapon",
    "apt",
    "apt-get",
    "dpkg",
    "dnf",
    "yum",
    "pacman",
    "zypper",
    "apk",
    "snap",
    "systemctl",
    "service",
    "journalctl",
    "dmesg",
    "docker",
    "mount",
    "umount",
    "ufw",
    "usermod",
    "lsof",
    "ss",
    "fdisk",
    "smartctl",
    "iptables",
    "tcpdump",
    "nginx",
    "ip",
];

/// Programs that fetch, send or interpret what they are given: never offered on the word of an output.
const UNTRUSTED: [&str; 31] = [
    "curl",
    "wget",
    "nc",
    "ncat",
    "socat",
    "telnet",
    "ftp",
    "scp",
    "sftp",
    "rsync",
    "ssh",
    "eval",
    "exec",
    "source",
    ".",
    "bash",
    "sh",
    "zsh",
    "fish",
    "dash",
    "ksh",
    "perl",
    "ruby",
    "php",
    "base64",
    "xargs",
    "dd",
    "crontab",
    "osascript",
    "powershell",
    "su",
];

/// Where a command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust<'a> {
    /// The user typed it, except for a typo.
    Typed,
    /// A rule that may do this much harm; `line` is what ran, whose harms the user accepted.
    Rule { may: Option<Harm>, line: &'a str },
    /// An output, which may be written by an attacker. `typed` are lines of the user.
    Output { typed: &'a [&'a str] },
}

pub fn passes(command: &str, trust: Trust<'_>, place: &SuggestContext<'_>) -> bool {
    command.len() <= MAX_COMMAND
        && !command.trim().is_empty()
        && !command.contains('\n')
        && aside_text::is_clean(command)
        && line::syntax(command, place.dialect) == Syntax::Whole
        && redact::secrets(command)
            .iter()
            .all(|secret| secret.kind == "random string" || is_typed(trust, command, secret))
        && programs_are_here(command, trust, place)
        && is_harmless(command, trust, place)
        && is_believed(command, trust, place)
}

/// Whether a command that only an output names contains nothing that could be a trap.
fn is_believed(command: &str, trust: Trust<'_>, place: &SuggestContext<'_>) -> bool {
    match trust {
        Trust::Output { typed } => trust::believes(command, typed, place),
        Trust::Rule { .. } | Trust::Typed => true,
    }
}

/// A secret that the user typed may stay where it was.
fn is_typed(trust: Trust<'_>, command: &str, secret: &redact::Secret) -> bool {
    match trust {
        Trust::Typed => true,
        Trust::Rule { line, .. } => command.get(secret.span.clone()).is_some_and(|secret| line.contains(secret)),
        Trust::Output { .. } => false,
    }
}

/// Whether any program in it fetches, sends or interprets what it is given.
pub fn interprets(command: &str, place: &SuggestContext<'_>) -> bool {
    NestedCommands::of(command, place.dialect).runs.iter().any(|run| {
        let name = run.name();
        let evaluates = |word: &line::Word| matches!(word.value.as_str(), "-c" | "-e" | "--eval");
        UNTRUSTED.contains(&name) || is_interpreter(name) && run.words.iter().any(evaluates)
    })
}

fn is_interpreter(name: &str) -> bool {
    name.starts_with("python") || matches!(name, "node" | "deno" | "bun" | "awk" | "lua")
}

fn programs_are_here(command: &str, trust: Trust<'_>, place: &SuggestContext<'_>) -> bool {
    let runs = NestedCommands::of(command, place.dialect);
    let mut behind_sudo = false;
    let mut any = false;
    for run in &runs.runs {
        let Some(name) = run.words.first().map(|word| word.value.as_str()) else { continue };
        any = true;
        if run.place == nested_commands::RunsWhere::Elsewhere {
            continue;
        }
        if behind_sudo && trust != Trust::Typed && !ROOTS.contains(&name) && !was_sudo(trust, name) {
            return false;
        }
        behind_sudo = matches!(name, "sudo" | "doas");
        let known = name.contains('/') || name.contains('$');
        // bash reports no names, so its functions are never known; these are programs in any case.
        let is_program = matches!(name, "sudo" | "doas" | "systemctl");
        if is_program
            && !builtins::has(place.names, place.dialect, name)
            && place.world.has_program(name) == Fact::Yes(false)
        {
            return false;
        }
        if !known && builtins::known(place.names, place.world, place.dialect, name) == Fact::No {
            return false;
        }
    }
    any
}

/// The user already ran it as root.
fn was_sudo(trust: Trust<'_>, name: &str) -> bool {
    // `env` passes on what was asked for.
    matches!(trust, Trust::Rule { line, .. } if line.contains("sudo") && (name == "env" || line.contains(name)))
}

fn is_harmless(command: &str, trust: Trust<'_>, place: &SuggestContext<'_>) -> bool {
    if removes_by_force(command, place) {
        return false;
    }
    let dangers = safety::dangers_in(command, place.dialect, place.cwd, place.world);
    let Some(worst) = dangers.iter().map(|danger| danger.harm).max() else { return true };
    match trust {
        // A typo in `git reset --hard` is corrected; one in a command that ends a system is left to the user.
        Trust::Typed => worst <= Harm::LosesWork || matches!(worst, Harm::DeletesFiles | Harm::DeletesOther),
        Trust::Rule { may, line } => {
            let before = safety::dangers_in(line, place.dialect, place.cwd, place.world);
            let wanted = before.iter().map(|danger| danger.harm).max();
            wanted.max(may).is_some_and(|most| worst <= most)
        }
        Trust::Output { .. } => false,
    }
}

/// `rm -rf` in any spelling is never written by us.
fn removes_by_force(command: &str, place: &SuggestContext<'_>) -> bool {
    NestedCommands::of(command, place.dialect).runs.iter().any(|run| {
        let mut words = run.words.iter().map(|word| word.value.as_str());
        let is_rm = words.next().is_some_and(|name| name.rsplit('/').next() == Some("rm"));
        let has = |short: [char; 2], long: &str| {
            let mut flags = run.words.iter().skip(1).map(|word| word.value.as_str());
            flags.any(|flag| flag == long || (flag.starts_with('-') && !flag.starts_with("--") && flag.contains(short)))
        };
        is_rm && has(['r', 'R'], "--recursive") && has(['f', 'f'], "--force")
    })
}
