//! A machine and a history for benchmarks: 2000 files, 3000 programs, 10 000 commands; the same in every run.

use std::sync::Arc;

use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};
use aside_core::history::index::HistoryIndex;
use aside_core::history::run_record::RunRecord;

const LINES_OF_HISTORY: usize = 10_000;

pub struct Machine {
    entries: Arc<[DirEntry]>,
    programs: Arc<[Box<str>]>,
    items: Arc<[LiveItem]>,
}

impl Machine {
    pub fn new() -> Self {
        let entry = |number| DirEntry { name: format!("file-{number:04}.txt").into(), kind: FileKind::File };
        let known = ["docker", "find", "git", "grep", "ls", "make", "rm", "sudo", "systemctl", "xargs"].map(Box::from);
        let mut programs: Vec<Box<str>> = (0..3000).map(|number| format!("tool-{number}").into()).collect();
        programs.extend(known);
        programs.sort();
        let item = |number| LiveItem { name: format!("name-{number}").into(), about: "".into() };
        Self { entries: (0..2000).map(entry).collect(), programs: programs.into(), items: (0..200).map(item).collect() }
    }
}

impl World for Machine {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if directory == "/code" { Fact::Yes(Arc::clone(&self.entries)) } else { Fact::No }
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::Yes(Arc::clone(&self.programs))
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        Fact::Yes("/code".into())
    }

    fn live(&self, _what: LiveKind, _directory: &str) -> Fact<Arc<[LiveItem]>> {
        Fact::Yes(Arc::clone(&self.items))
    }
}

/// A history in which the lines recur with other names.
pub fn history() -> HistoryIndex {
    let mut index = HistoryIndex::default();
    for number in 0..LINES_OF_HISTORY {
        let command = match number % 12 {
            0 => "git status".to_owned(),
            1 => format!("git checkout name-{}", number % 200),
            2 => format!("git commit -m 'change {number}'"),
            3 => format!("rm file-{:04}.txt", number % 2000),
            4 => format!("docker run --rm image-{}", number % 50),
            5 => "make test".to_owned(),
            6 => format!("find . -name '*.rs' | xargs grep word-{}", number % 300),
            7 => format!("sudo systemctl restart unit-{}", number % 40),
            8 => format!("cd name-{}", number % 200),
            9 => format!("tool-{} --flag {}", number % 300, number % 7),
            10 => "ls -la".to_owned(),
            _ => format!("git push origin name-{}", number % 200),
        };
        let cwd = if number % 3 == 0 { "/code" } else { "/elsewhere" };
        index.add(RunRecord { command: &command, cwd: Some(cwd), exit: Some(0), session: Some("1"), private: false });
    }
    index
}
