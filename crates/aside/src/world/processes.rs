//! Processes, from `/proc`. Unknown where there is none.

use std::cmp::Reverse;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use aside_commands::world::LiveItem;

use crate::world::read::{item, read};

const MAX_PROCESSES: usize = 10_000;

/// Our own first, newest first.
pub fn numbers() -> Option<Vec<LiveItem>> {
    let processes = processes(Path::new("/proc"))?;
    Some(processes.into_iter().map(|process| item(process.number.to_string(), process.command)).collect())
}

pub fn names() -> Option<Vec<LiveItem>> {
    Some(processes(Path::new("/proc"))?.into_iter().map(|process| item(process.name, "")).collect())
}

struct Process {
    number: u32,
    name: String,
    /// With its arguments, if it is our own; those of other users are not shown.
    command: String,
    foreign: bool,
    started: u64,
}

fn processes(proc: &Path) -> Option<Vec<Process>> {
    let us = rustix::process::getuid().as_raw();
    let mut processes = Vec::new();
    for entry in std::fs::read_dir(proc).ok()?.flatten().take(MAX_PROCESSES) {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let (path, Ok(meta)) = (entry.path(), entry.metadata()) else { continue };
        let Some((name, started)) = read(&path.join("stat")).as_deref().and_then(name_and_start) else { continue };
        let arguments = read(&path.join("cmdline")).unwrap_or_default();
        // A kernel thread has none, and cannot be killed.
        if arguments.is_empty() || number == std::process::id() {
            continue;
        }
        let foreign = meta.uid() != us;
        let command = if foreign { name.clone() } else { arguments.trim_end_matches('\0').replace('\0', " ") };
        processes.push(Process { number, name, command, foreign, started });
    }
    processes.sort_by_key(|process| (process.foreign, Reverse(process.started), Reverse(process.number)));
    (!processes.is_empty()).then_some(processes)
}

/// The name is in parentheses and may contain some; the start time is the 20th field after it.
fn name_and_start(stat: &str) -> Option<(String, u64)> {
    let (front, fields) = stat.rsplit_once(')')?;
    let (_, name) = front.split_once('(')?;
    Some((name.to_owned(), fields.split_whitespace().nth(19)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_come_newest_first_and_threads_of_the_kernel_do_not_count() {
        let temp = tempfile::tempdir().unwrap();
        let fields = |start| format!("S 1 {}{start} 0\n", "0 ".repeat(17));
        for (number, name, arguments, start) in [
            (9_000_001, "vim", "vim\0a b\0", 50),
            (9_000_002, "odd) (name", "odd\0", 70),
            (9_000_003, "kworker/0", "", 10),
        ] {
            let directory = temp.path().join(number.to_string());
            std::fs::create_dir(&directory).unwrap();
            std::fs::write(directory.join("stat"), format!("{number} ({name}) {}", fields(start))).unwrap();
            std::fs::write(directory.join("cmdline"), arguments).unwrap();
        }
        std::fs::create_dir(temp.path().join("self")).unwrap();
        let found: Vec<_> = processes(temp.path()).unwrap();
        let found: Vec<_> = found.iter().map(|process| (process.name.as_str(), process.command.as_str())).collect();
        assert_eq!(found, [("odd) (name", "odd"), ("vim", "vim a b")]);
        assert!(processes(&temp.path().join("missing")).is_none());
    }

    #[test]
    fn this_machine_has_processes() {
        if cfg!(target_os = "linux") {
            assert!(!numbers().unwrap().is_empty());
            assert!(!names().unwrap().is_empty());
        }
    }
}
