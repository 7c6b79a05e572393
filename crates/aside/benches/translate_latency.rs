//! Queries that the embedded engine answers: as a separate process, compared with one that does nothing, and in the daemon, with
//! the growth of its memory.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::daemon::Daemon;
use crate::harness::home::{ASIDE, Home};
use crate::table::{Row, Samples, Target};

const PROCESSES: usize = 200;
const ROUNDS: usize = 60;
const DIRECTORIES: usize = 5;
const PROGRAMS_IN_EACH: usize = 600;

const WISHES: [&str; 8] = [
    "find files larger than 100MB",
    "kill whatever is using port 3000",
    "show the last 5 commits as one-liners",
    "compress this directory into a tar.gz",
    "find all TODO comments in python files",
    "count the lines of every rust file, largest first",
    "which branch am i on",
    "wat is useing teh most memmory",
];

pub fn measure() -> Vec<Row> {
    let mut home = Home::new();
    let path = many_programs(&home);
    home.set_env("PATH", &path);
    let places = [(20, "some"), (2000, "many")].map(|(files, name)| directory(&home, name, files));
    let mut rows = processes(&home, &places);
    rows.extend(in_the_daemon(&home, &places));
    rows
}

/// A PATH as users have it after some years.
fn many_programs(home: &Home) -> String {
    let mut path = Vec::new();
    for place in 0..DIRECTORIES {
        let directory = home.path(&format!("programs-{place}"));
        std::fs::create_dir_all(&directory).expect("a directory can be made");
        for number in 0..PROGRAMS_IN_EACH {
            symlink("/bin/true", directory.join(format!("tool-{place}-{number}"))).expect("a link can be made");
        }
        path.push(directory.display().to_string());
    }
    path.join(":") + ":/usr/local/bin:/usr/bin:/bin"
}

fn directory(home: &Home, name: &str, files: usize) -> PathBuf {
    (0..files).for_each(|number| home.write(&format!("{name}/file-{number:04}.txt"), "x\n"));
    home.path(name)
}

/// They take turns, so that other load on the machine affects all of them alike.
fn processes(home: &Home, places: &[PathBuf; 2]) -> Vec<Row> {
    let [mut nothing, mut some, mut many]: [Samples; 3] = Default::default();
    let words: Vec<&str> = WISHES[0].split(' ').collect();
    for _ in 0..PROCESSES {
        nothing.add(took(home, "true", &[], &places[0]));
        for (samples, place) in [(&mut some, &places[0]), (&mut many, &places[1])] {
            let arguments = [&["translate"], words.as_slice()].concat();
            samples.add(took(home, ASIDE, &arguments, place));
        }
    }
    let ratio = |samples: &Samples| Some(samples.median()? / nothing.median()?);
    vec![
        Row::alone("aside translate, 20 files", "ms", some.median(), Target::Value(15.0)),
        Row::alone("  as a ratio to a process that does nothing", "×", ratio(&some), Target::None),
        Row::alone("aside translate, 2000 files", "ms", many.median(), Target::Value(15.0)),
        Row::alone("  as a ratio to a process that does nothing", "×", ratio(&many), Target::None),
    ]
}

fn took(home: &Home, program: &str, arguments: &[&str], place: &Path) -> Duration {
    let mut command = home.command(program);
    command.args(arguments).current_dir(place);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    command.status().expect("it runs");
    started.elapsed()
}

fn in_the_daemon(home: &Home, places: &[PathBuf; 2]) -> Vec<Row> {
    let mut daemon = Daemon::start(home);
    daemon.first_answer();
    std::thread::sleep(Duration::from_millis(500));
    let before = daemon.resident("VmRSS");
    let [mut first, mut later, mut nothing]: [Samples; 3] = Default::default();
    for round in 0..ROUNDS {
        for wish in WISHES {
            let samples = if round == 0 { &mut first } else { &mut later };
            let place = places[round % 2].display().to_string();
            for (asked, samples) in [("", &mut nothing), (wish, samples)] {
                let began = Instant::now();
                daemon.wishes(&place, asked);
                samples.add(began.elapsed());
            }
        }
    }
    let after = daemon.resident("VmRSS");
    let grown = before.zip(after).map(|(before, after)| after - before);
    let ratio = |share| Some(later.quantile(share)? / nothing.quantile(share)?);
    vec![
        Row::alone("wish in the daemon, p50", "ms", later.median(), Target::Value(3.0)),
        Row::alone("  as a ratio to an empty one", "×", ratio(0.5), Target::None),
        Row::alone("wish in the daemon, p99", "ms", later.quantile(0.99), Target::Value(3.0)),
        Row::alone("  the slowest of the first of each", "ms", first.quantile(1.0), Target::None),
        Row::alone("memory that wishes add", "MB", grown, Target::Value(20.0)),
    ]
}
