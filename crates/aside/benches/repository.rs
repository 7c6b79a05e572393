//! Latency where there is much to look at: a history of 100 000 lines, a repository of 10 000 files, and a directory with 10 000 more.

use std::path::Path;
use std::time::Instant;

use crate::daemon::{Daemon, wait_until_loaded};
use crate::harness::home::Home;
use crate::table::{Row, Samples, Target};

const DIRECTORIES: usize = 100;
const FILES_IN_EACH: usize = 100;
const FILES_IN_ONE: usize = 10_000;
const BRANCHES: usize = 60;
const ROUNDS: usize = 12;

/// Each is typed to its end: names of commands, subcommands, flags, branches, files near and far.
const LINES: [&str; 14] = [
    "git status",
    "git add src/part-42/file-7",
    "git checkout main-3",
    "git commit --amend",
    "git diff src/part-9",
    "cat data/item-0042",
    "vim src/part-1/file-1",
    "cd src/part-7",
    "ls -la data/item-09",
    "grep -rn login src/",
    "make -C src/api",
    "cargo test -p cache",
    "cp data/item-00001.csv src",
    "gti status",
];

pub fn answers(home: &Home) -> Vec<Row> {
    let repository = home.path("code/large");
    lay_out(home, &repository);
    let cwd = repository.display().to_string();
    let mut daemon = Daemon::start(home);
    daemon.first_answer();
    wait_until_loaded(home);
    let (mut nothing, mut first, mut later) = (Samples::default(), Samples::default(), Samples::default());
    for round in 0..ROUNDS {
        for line in LINES {
            for typed in 1..=line.len() {
                let samples = if round == 0 { &mut first } else { &mut later };
                for (left, samples) in [("", &mut nothing), (&line[..typed], samples)] {
                    let asked = Instant::now();
                    daemon.asks_in(&cwd, left);
                    samples.add(asked.elapsed());
                }
            }
        }
    }
    let ratio = |share| Some(later.quantile(share)? / nothing.quantile(share)?);
    let slowest = || Some(later.quantile(1.0)?.max(first.quantile(1.0)?));
    vec![
        Row::alone("answer, 100 000 records, 10 000 files, p50", "ms", later.median(), Target::Value(1.0)),
        Row::alone("  as a ratio to an empty line's", "×", ratio(0.5), Target::None),
        Row::alone("answer, 100 000 records, 10 000 files, p99", "ms", later.quantile(0.99), Target::Value(5.0)),
        Row::alone("  as a ratio to an empty line's", "×", ratio(0.99), Target::None),
        Row::alone("  p99 of the first round, nothing known yet", "ms", first.quantile(0.99), Target::Value(5.0)),
        Row::alone("  the slowest of all", "ms", slowest(), Target::None),
    ]
}

fn lay_out(home: &Home, repository: &Path) {
    let write = |path: String| {
        let path = repository.join(path);
        std::fs::create_dir_all(path.parent().expect("it lies in the repository")).expect("a directory can be made");
        std::fs::write(path, "x\n").expect("a file can be written");
    };
    for directory in 0..DIRECTORIES {
        (0..FILES_IN_EACH).for_each(|file| write(format!("src/part-{directory}/file-{file}.rs")));
    }
    (0..FILES_IN_ONE).for_each(|file| write(format!("data/item-{file:05}.csv")));
    write(".gitignore".to_owned());
    let git = |arguments: &[&str]| {
        let mut command = home.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments).current_dir(repository);
        let ended = command.output().expect("git runs");
        assert!(ended.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=all of it"]);
    (0..BRANCHES).for_each(|branch| git(&["branch", &format!("main-{branch}")]));
    // Some uncommitted work.
    (0..20).for_each(|file| write(format!("src/part-{file}/new-{file}.rs")));
}
