//! What a path that is written to or deleted stands for, by its spelling alone: a disk, a sink, everything.

/// Where a written text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// `/dev/null`, the terminal, another process: nothing is lost.
    Nowhere,
    Disk,
    /// `/proc/sysrq-trigger`
    Kernel,
    File,
}

const SINKS: [&str; 7] =
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/full", "/dev/console"];

/// How the names of disks in `/dev` begin.
const DISKS: [&str; 17] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "loop", "sr", "mem", "kmem",
    "zvol", "block/",
];

pub fn goes(path: &str) -> Goes {
    if path == "/proc/sysrq-trigger" {
        return Goes::Kernel;
    }
    if SINKS.contains(&path) || path.starts_with(">(") || path.starts_with("<(") || path.starts_with('&') {
        return Goes::Nowhere;
    }
    let Some(device) = path.strip_prefix("/dev/") else { return Goes::File };
    if ["fd/", "pts/", "tty", "tcp/", "udp/"].iter().any(|begin| device.starts_with(begin)) {
        return Goes::Nowhere;
    }
    if DISKS.iter().any(|begin| device.starts_with(begin)) { Goes::Disk } else { Goes::File }
}

/// How much lies below a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    System,
    Home,
    Something,
}

/// Without these a machine does not start again.
const SYSTEM: [&str; 20] = [
    "/",
    "/bin",
    "/boot",
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
    "/var",
    "/Library",
    "/System",
    "/Applications",
];

/// `fixed` says that nothing in the path would be expanded.
pub fn below(path: &str, fixed: bool) -> Below {
    let rest = if fixed { path } else { path.strip_suffix("/*").or(path.strip_suffix("/.*")).unwrap_or(path) };
    if rest.is_empty() && !path.is_empty() {
        return Below::System;
    }
    let mut bare = rest;
    while let Some(shorter) = bare.strip_suffix("/.").or(bare.strip_suffix('/')).filter(|shorter| !shorter.is_empty()) {
        bare = shorter;
    }
    if SYSTEM.contains(&bare) || bare.starts_with('/') && bare.bytes().all(|byte| matches!(byte, b'/' | b'.')) {
        return Below::System;
    }
    let home = !fixed && matches!(bare, "~" | "$HOME" | "${HOME}" | "~root" | "$HOME/." | "${HOME:?}");
    let homes = matches!(bare, "/home" | "/Users") || is_one_home(bare);
    if home || homes { Below::Home } else { Below::Something }
}

/// `/home/ada`, `/Users/ada`, `/home/$USER`
fn is_one_home(path: &str) -> bool {
    let name = path.strip_prefix("/home/").or(path.strip_prefix("/Users/"));
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}
