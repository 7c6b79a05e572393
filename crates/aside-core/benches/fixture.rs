//! A history for benchmarks, of 10 000 commands on the machine; the same in every run.

use aside_core::history::index::HistoryIndex;
use aside_core::history::run_record::RunRecord;

pub mod machine;

const LINES_OF_HISTORY: usize = 10_000;

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
