//! Classifies a path that is written or deleted, by its spelling alone: a disk, a sink, the whole system. Resolves `..`, `.` and double
//! slashes, but no links.

use std::borrow::Cow;

use aside_text as text;

/// Where written text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteTarget {
    /// `/dev/null`, the terminal, another process: nothing is lost.
    Nowhere,
    Disk,
    /// `/proc/sysrq-trigger`, the power state
    Kernel,
    /// `/proc/sys/kernel/…`: protection settings of the system.
    Setting,
    File,
}

const SINKS: [&str; 7] =
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/full", "/dev/console"];

/// Prefixes of disk names in `/dev`.
const DISKS: [&str; 22] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "loop", "sr", "mem", "kmem",
    "zvol", "block/", "vg", "nst", "st", "ram", "nbd",
];

pub fn write_target(path: &str) -> WriteTarget {
    if path.starts_with(">(") || path.starts_with("<(") || path.starts_with('&') {
        return WriteTarget::Nowhere;
    }
    let path = &*resolved(path);
    if SINKS.contains(&path) {
        return WriteTarget::Nowhere;
    }
    if let Some(below) = path.strip_prefix("/proc/").or(path.strip_prefix("/sys/")) {
        return kernel(path, below);
    }
    let Some(device) = path.strip_prefix("/dev/") else { return WriteTarget::File };
    if ["fd/", "pts/", "tty", "tcp/", "udp/", "shm/"].iter().any(|begin| device.starts_with(begin)) {
        return WriteTarget::Nowhere;
    }
    if DISKS.iter().any(|begin| device.starts_with(begin)) { WriteTarget::Disk } else { WriteTarget::File }
}

fn kernel(path: &str, below: &str) -> WriteTarget {
    let ends = ["sysrq-trigger", "power/state", "/remove", "/delete", "/unbind", "/reset"];
    if ends.iter().any(|end| path.ends_with(end)) {
        return WriteTarget::Kernel;
    }
    match below.split('/').next() {
        Some("sys") if !below.starts_with("sys/vm/") => WriteTarget::Setting,
        _ => WriteTarget::Nowhere,
    }
}

/// Resolves `.`, `..` and double slashes in absolute paths.
pub fn resolved(path: &str) -> Cow<'_, str> {
    let plain = !path.starts_with('/') || !path.contains("//") && !path.contains("/.");
    if plain {
        return Cow::Borrowed(path);
    }
    Cow::Owned(text::path::normalized("", path))
}

/// Bytes of a path. A longer one is not resolved.
const MAX_PATH: usize = 4096;

/// A path relative to the directory that the line changed to.
pub fn joined(directory: Option<&str>, path: &str) -> String {
    let own = path.starts_with(['/', '~', '$']) || path == "-";
    match directory.filter(|directory| !own && directory.len() <= MAX_PATH) {
        Some(directory) => format!("{}/{path}", directory.trim_end_matches('/')),
        None => path.to_owned(),
    }
}

/// How much lies below a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathScope {
    System,
    Home,
    Something,
}

/// Without these a machine does not boot again.
const SYSTEM: [&str; 25] = [
    "/",
    "/bin",
    "/boot",
    "/boot/efi",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/sbin",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/Library",
    "/System",
    "/Applications",
];

/// Spellings of a home.
const HOMES: [&str; 5] = ["~", "$HOME", "${HOME}", "${HOME:?}", "${HOME?}"];

/// `fixed` says that nothing in the path would be expanded.
pub fn path_scope(path: &str, fixed: bool) -> PathScope {
    if path.is_empty() {
        return PathScope::Something;
    }
    let mut parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    // Everything in a directory counts as the directory.
    while !fixed && parts.last().is_some_and(|part| is_everything(part)) {
        parts.pop();
    }
    let first = parts.first().copied().unwrap_or_default();
    let home = !fixed && !path.starts_with('/') && (HOMES.contains(&first) || is_tilde(first));
    if !home && !path.starts_with('/') {
        return PathScope::Something;
    }
    let mut deep: Vec<&str> = Vec::new();
    // A home lies two levels below the root.
    let mut above = 0usize;
    for part in parts.into_iter().skip(usize::from(home)) {
        match part {
            ".." if deep.pop().is_none() && home => above += 1,
            ".." => {}
            part => deep.push(part),
        }
    }
    if home {
        return match (above, deep.is_empty()) {
            (0 | 1, true) => PathScope::Home,
            (_, true) => PathScope::System,
            (1, false) => PathScope::Home,
            _ => PathScope::Something,
        };
    }
    // `/proc/self/root` is the root.
    while let ["proc", _, "root", ..] = deep.as_slice() {
        deep.drain(..3);
    }
    let bare = format!("/{}", deep.join("/"));
    if SYSTEM.contains(&bare.as_str()) || !fixed && deep.len() == 1 && fits_system(&bare) {
        return PathScope::System;
    }
    match deep.as_slice() {
        ["home" | "Users"] | ["home" | "Users", _] => PathScope::Home,
        _ => PathScope::Something,
    }
}

/// `/u*`, `/[a-z]*`: a pattern in the root that may match one of its directories.
fn fits_system(path: &str) -> bool {
    let Some(at) = path.find(['*', '?', '[']) else { return false };
    path.get(..at).is_some_and(|begin| SYSTEM.iter().any(|known| known.starts_with(begin)))
}

/// `*`, `.*`, `**`, `.[!.]*`
pub fn is_everything(part: &str) -> bool {
    part.contains('*') && part.trim_matches(['*', '.', '?', '[', ']', '!', '^', '@', '(', ')', '|']).is_empty()
}

/// `~`, `~ada`
fn is_tilde(part: &str) -> bool {
    let name = part.strip_prefix('~').filter(|name| !name.starts_with(['+', '-']));
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')))
}

/// Whether a file most likely exists and matters: dotfiles of a home, system directories, `/etc`.
pub fn is_valuable(path: &str) -> bool {
    let path = &*resolved(path);
    if let Some(name) = path.strip_prefix("~/").or(path.strip_prefix("$HOME/")).or(path.strip_prefix("${HOME}/")) {
        return name.starts_with('.') && !name.starts_with(".cache/") && !name.starts_with(".local/");
    }
    let system =
        ["/boot/", "/bin/", "/sbin/", "/lib/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/var/log/", "/var/spool/"];
    if system.iter().any(|begin| path.starts_with(begin)) {
        return true;
    }
    let Some(name) = path.strip_prefix("/etc/") else { return false };
    // A file put into a directory of snippets is new.
    let snippet = name.split('/').any(|part| part.ends_with(".d") || part == "sites-available" || part == "system");
    !snippet || name.starts_with("sudoers.d/") || name.starts_with("pam.d/")
}

/// A file that controls access.
pub fn is_access_file(path: &str) -> bool {
    let path = &*resolved(path);
    let begins = ["/etc/sudoers", "/etc/passwd", "/etc/shadow", "/etc/pam.d/", "/etc/ld.so.preload", "/etc/polkit-1/"];
    begins.iter().any(|begin| path.starts_with(begin))
        || path.ends_with(".ssh/authorized_keys")
        || path.ends_with("/pg_hba.conf")
        || path.ends_with("/.rhosts")
        || path.ends_with("/hosts.equiv")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_are_known_however_they_are_spelled() {
        let disks = [
            "/dev/sda",
            "//dev/sda1",
            "/dev/./sda",
            "/dev/../dev/sda",
            "/tmp/../dev/sda",
            "/dev/disk/by-id/x",
            "/dev/mapper/vg-root",
            "/dev/nvme0n1",
            "/dev/dm-0",
            "/dev/rdisk2",
        ];
        for path in disks {
            assert_eq!(write_target(path), WriteTarget::Disk, "{path}");
        }
        for path in ["/dev/null", "//dev/null", "/dev/stderr", "/dev/fd/3", "/dev/tty", "/dev/shm/x"] {
            assert_eq!(write_target(path), WriteTarget::Nowhere, "{path}");
        }
        for path in ["x", "/tmp/sda", "dev/sda", "/device", "/"] {
            assert_eq!(write_target(path), WriteTarget::File, "{path}");
        }
        assert_eq!(write_target("/proc/sysrq-trigger"), WriteTarget::Kernel);
        assert_eq!(write_target("/proc/sys/kernel/randomize_va_space"), WriteTarget::Setting);
        assert_eq!(write_target("/proc/sys/vm/drop_caches"), WriteTarget::Nowhere);
    }

    #[test]
    fn everything_is_known_however_it_is_spelled() {
        let system = [
            "/",
            "//",
            "/.",
            "/..",
            "/*",
            "/usr/..",
            "/usr/../",
            "/usr/../etc",
            "/etc/",
            "/var/*",
            "/home/..",
            "~/../..",
            "/**",
        ];
        for path in system {
            assert_eq!(path_scope(path, false), PathScope::System, "{path}");
        }
        let homes = [
            "~",
            "~/",
            "~/*",
            "~/.*",
            "$HOME",
            "${HOME}/",
            "~root",
            "~ada/*",
            "~/..",
            "/home",
            "/home/ada",
            "/home/*",
            "/home/ada/x/..",
            "$HOME/.",
        ];
        for path in homes {
            assert_eq!(path_scope(path, false), PathScope::Home, "{path}");
        }
        for path in [
            "x",
            "*",
            ".",
            "./*",
            "~/x",
            "/tmp",
            "/tmp/*",
            "/home/ada/x",
            "/usr/local/x",
            "~x/y",
            "~+",
            "/etc/x",
            "",
            "$HOME/x",
        ] {
            assert_eq!(path_scope(path, false), PathScope::Something, "{path}");
        }
        assert_eq!(path_scope("~", true), PathScope::Something);
        assert_eq!(path_scope("/*", true), PathScope::Something);
    }

    #[test]
    fn valuable_files() {
        for path in [
            "/etc/fstab",
            "/etc/ssh/sshd_config",
            "~/.bashrc",
            "~/.ssh/config",
            "/boot/grub/grub.cfg",
            "/etc/sudoers.d/x",
        ] {
            assert!(is_valuable(path), "{path}");
        }
        for path in ["/tmp/x", "x", "~/x", "/etc/apt/sources.list.d/x.list", "/etc/systemd/system/x.service", "/srv/x"]
        {
            assert!(!is_valuable(path), "{path}");
        }
    }
}
