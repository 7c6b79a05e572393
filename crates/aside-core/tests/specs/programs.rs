//! Compares each spec with the program of its name, where it is installed: the long flags of the spec that its `--help` does not
//! mention. Versions differ, and many help texts are incomplete, so only a spec that is mostly wrong fails; `ASIDE_PROGRAMS_LIST=1`
//! prints every flag that was not found.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aside_commands::spec::format::Spec;

use crate::library::Library;

/// Never run: they do harm, wait for input, or interpret `--help` differently.
const NEVER: &str = "\
    rm rmdir unlink dd shred wipefs truncate fdisk sfdisk cfdisk gdisk sgdisk parted mkswap cryptsetup shutdown reboot halt poweroff \
    init telinit systemd-run kill killall pkill skill xkill sudo su doas pkexec runuser login passwd chpasswd chroot nsenter unshare \
    sh ash bash dash ksh zsh fish csh tcsh nu vi vim nvim ex ed nano emacs emacsclient micro code less more most man ssh scp sftp \
    telnet ftp nc ncat socat mosh tmux screen zellij at batch crontab mount umount yes reset clear tput stty startx Xorg exec eval \
    echo printf test true false aside write wall mesg";
const NEVER_BEGINS: &[&str] = &["mkfs", "fsck", "grub", "mkntfs"];
/// Programs whose short help lists few flags, and how to get the others.
const FULL_HELP: &[(&str, &[&str])] =
    &[("curl", &["--help", "all"]), ("gpg", &["--dump-options"]), ("xz", &["--long-help"]), ("unxz", &["--long-help"])];
/// Another program has the same name, or its help describes something else.
const DIFFERENT: &[&str] = &["npx", "yq"];
const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BYTES: u64 = 1 << 20;
/// A spec with fewer flags is too small to judge.
const MIN_FLAGS: usize = 5;
const THREADS: usize = 4;

struct Outcome {
    name: String,
    flags: usize,
    missing: Vec<String>,
}

#[test]
fn specs_fit_the_programs_that_are_installed() {
    let library = Library::load();
    let specs: Vec<_> = library.iter().filter(|(name, _)| is_fit(name)).collect();
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((name, spec)) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    outcomes.lock().unwrap().extend(compare(name, spec));
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap();
    outcomes.sort_by(|a, b| a.name.cmp(&b.name));
    if std::env::var_os("ASIDE_PROGRAMS_LIST").is_some() {
        for outcome in &outcomes {
            println!("{}\t{} of {}\t{}", outcome.name, outcome.missing.len(), outcome.flags, outcome.missing.join(" "));
        }
        println!("{} programs compared", outcomes.len());
    }
    let wrong = outcomes.iter().filter(|outcome| outcome.missing.len() * 2 > outcome.flags);
    let wrong: Vec<String> =
        wrong.map(|outcome| format!("{} has no {}", outcome.name, outcome.missing.join(" "))).collect();
    assert_eq!(wrong, Vec::<String>::new());
}

fn is_fit(name: &str) -> bool {
    !NEVER.split_whitespace().any(|never| never == name)
        && !DIFFERENT.contains(&name)
        && !NEVER_BEGINS.iter().any(|beginning| name.starts_with(beginning))
}

/// `None` where there is no such program, or its help or the spec has too few flags to judge.
fn compare(name: &str, spec: &Spec) -> Option<Outcome> {
    let program = program(name)?;
    let flags: Vec<&str> =
        spec.flags.iter().flat_map(|flag| &flag.names).map(|name| &**name).filter(|name| is_long(name)).collect();
    if flags.len() < MIN_FLAGS {
        return None;
    }
    let words = FULL_HELP.iter().find(|(known, _)| *known == name).map_or(&["--help"][..], |(_, words)| words);
    let help = help(&program, words)?;
    // A help that lists few flags is a summary.
    if help.matches("--").count() * 2 < flags.len() {
        return None;
    }
    let missing = flags.iter().filter(|flag| !names(&help, flag)).map(|flag| (*flag).to_owned()).collect();
    Some(Outcome { name: name.to_owned(), flags: flags.len(), missing })
}

fn is_long(name: &str) -> bool {
    name.starts_with("--") && !matches!(name, "--help" | "--version")
}

/// Whether the help mentions the flag: as a whole word, or as `--[no-]flag`.
fn names(help: &str, flag: &str) -> bool {
    let bare = flag.trim_start_matches('-');
    let bare = bare.strip_prefix("no-").unwrap_or(bare);
    let ends =
        |rest: &str| !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_');
    help.match_indices(bare).any(|(at, _)| help[..at].ends_with(['-', ']']) && ends(&help[at + bare.len()..]))
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file());
    // Version managers install shims there that download or fail.
    found.filter(|file| !file.to_string_lossy().contains("/shims/"))
}

/// The output within the timeout.
fn help(program: &Path, words: &[&str]) -> Option<String> {
    let mut child = Command::new(program)
        .args(words)
        .current_dir("/")
        .env("TERM", "dumb")
        .env("PAGER", "cat")
        .env("COLUMNS", "200")
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let (out, error) = (child.stdout.take()?, child.stderr.take()?);
    let text = std::thread::scope(|scope| {
        let readers = [scope.spawn(|| read(out)), scope.spawn(|| read(error))];
        let deadline = Instant::now() + TIMEOUT;
        while child.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() > deadline {
                let _ = child.kill();
                let _ = child.wait();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        readers.map(|reader| reader.join().unwrap_or_default()).concat()
    });
    // In a man page a bold letter is printed twice, with a backspace between.
    Some(text.replace('\u{8}', ""))
}

fn read(pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.take(MAX_BYTES).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
