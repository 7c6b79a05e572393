//! The same keys in three shells: bare, with Aside, with zsh-autosuggestions or another build of Aside. They take turns, so that
//! other load on the machine affects all of them alike.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::daemon;
use crate::harness::home::{self, ASIDE, Home};
use crate::harness::shell::Shell;
use crate::history_fixture;
use crate::table::{Row, Samples, Target};
use crate::typist::Typist;

const RIVAL: &str = "/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";

/// Between two keys: a fast typist, and time enough for a reply to arrive.
const PACE: Duration = Duration::from_millis(45);
const QUIET: Duration = Duration::from_millis(15);

const LINES: usize = 26;
const KEYS_PER_LINE: usize = 9;
const STARTS: usize = 25;
const COMMANDS: usize = 30;
const BURSTS: usize = 8;
const TRACED_KEYS: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setup {
    Bare,
    Aside,
    Rival,
    /// Another build of Aside, which `ASIDE_BENCH_BEFORE` names.
    Before,
}

/// The program to compare with, if it is another build of Aside.
fn before() -> Option<PathBuf> {
    std::env::var_os("ASIDE_BENCH_BEFORE").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The headings of the third column.
pub fn rival() -> [&'static str; 3] {
    if before().is_some() { ["before", "", "before"] } else { ["zsh-auto-", "suggest.", "z-a"] }
}

/// A shell and its measurements.
struct Lane {
    setup: Setup,
    home: Home,
    times: Times,
}

#[derive(Default)]
struct Times {
    first_prompt: Samples,
    first_prompt_of_novice: Samples,
    first_key: Samples,
    echo: Samples,
    ghost_after_key: Samples,
    ghost_after_prefix: Samples,
    burst: Samples,
    empty_line: Samples,
    command: Samples,
    command_and_key: Samples,
    /// A command followed by the words of prose, which the plugin sends to the daemon.
    doubtful: Samples,
    /// How often the ghost text did not appear, or was a different one.
    missed: usize,
    processes_per_key: Option<f64>,
}

/// Measures everything. The lines list minima and 90th percentiles of the same rows.
pub fn measure(past: &[String]) -> (Vec<Row>, Vec<String>) {
    let file = history_fixture::as_zsh_history(past);
    assert!(Path::new(RIVAL).exists(), "nothing to compare with: install zsh-autosuggestions");
    let third = if before().is_some() { Setup::Before } else { Setup::Rival };
    let mut lanes = [Setup::Bare, Setup::Aside, third].map(|setup| Lane::new(setup, &file));
    start_shells(&mut lanes);
    let mut typists: Vec<Typist> = lanes.iter().map(|lane| Typist::start(lane.shell()).0).collect();
    let mut turns: Vec<Turn> = lanes.iter_mut().zip(&mut typists).map(|(lane, typist)| Turn { lane, typist }).collect();
    turns.iter_mut().for_each(|turn| turn.typist.rest(Duration::from_millis(300)));
    type_lines(&mut turns, past);
    type_prefixes(&mut turns, past);
    type_bursts(&mut turns);
    run_commands(&mut turns);
    drop(typists);
    lanes.iter_mut().for_each(trace);
    (rows(&lanes), details(&lanes))
}

impl Lane {
    fn new(setup: Setup, history: &str) -> Self {
        let mut home = Home::new();
        home.write(".zsh_history", history);
        // Both in the same way: how `aside init` is found is part of the measurement.
        let program = if setup == Setup::Before { before() } else { None }.unwrap_or_else(|| PathBuf::from(ASIDE));
        home.write("bin/.keep", "");
        std::os::unix::fs::symlink(&program, home.path("bin/aside")).unwrap();
        home.set_env("PATH", &format!("{}:/usr/local/bin:/usr/bin:/bin", home.path("bin").display()));
        let load = match setup {
            Setup::Bare => String::new(),
            Setup::Aside | Setup::Before => Shell::Zsh.init_line().to_owned(),
            Setup::Rival => format!("source {RIVAL}"),
        };
        let size = "HISTSIZE=200000 SAVEHIST=200000 HISTFILE=~/${NOVICE:-.zsh_history}";
        home.write(Shell::Zsh.rc_file(), [Shell::Zsh.stage_directions(), size, &load, ""].join("\n"));
        if matches!(setup, Setup::Aside | Setup::Before) {
            for arguments in [["history", "import", "zsh"].as_slice(), &["daemon", "start"]] {
                let said = home::run(home.command("aside").args(arguments), "");
                assert_eq!(said.code, 0, "{arguments:?}: {said:?}");
            }
            daemon::wait_until_loaded(&home);
        }
        Self { setup, home, times: Times::default() }
    }

    fn shell(&self) -> Command {
        Shell::Zsh.command(&self.home)
    }
}

/// A shell and its typist.
struct Turn<'a> {
    lane: &'a mut Lane,
    typist: &'a mut Typist,
}

/// A ghost that takes longer than this does not count.
const SOON: Duration = Duration::from_millis(500);

fn start_shells(lanes: &mut [Lane]) {
    for _ in 0..STARTS {
        for lane in lanes.iter_mut() {
            let (mut typist, took) = Typist::start(lane.shell());
            lane.times.first_prompt.add(took);
            // A prompt that is drawn may not accept keys yet.
            let pressed = typist.press("x");
            let seen = typist.until(|line| line.typed == "x").expect("a key is echoed");
            lane.times.first_key.add(took + seen.duration_since(pressed));
            // Reading a long history takes so long, and varies so much, that it hides everything else.
            let mut novice = lane.shell();
            novice.env("NOVICE", ".no_history");
            lane.times.first_prompt_of_novice.add(Typist::start(novice).1);
        }
    }
}

/// Types lines of the history again, key by key, until most of them would have been recognised.
fn type_lines(turns: &mut [Turn<'_>], past: &[String]) {
    let step = past.len() / LINES;
    for line in past.iter().step_by(step).take(LINES) {
        for Turn { lane, typist } in turns.iter_mut() {
            typist.clears();
            typist.rest(PACE);
            let mut known = None;
            for end in 1..=KEYS_PER_LINE {
                let prefix = &line[..end];
                let expected = history_fixture::newest(past, prefix);
                let key = &prefix[end - 1..];
                // A ghost that the user types along with is not a new one.
                let goes_on = typist.line().is_some_and(|line| line.ghost.starts_with(key));
                let pressed = typist.press(key);
                let echo = typist.first_echo().expect("a key is echoed");
                lane.times.echo.add(echo.duration_since(pressed));
                let is_new = match lane.setup {
                    Setup::Bare => false,
                    Setup::Aside | Setup::Before => !goes_on,
                    Setup::Rival => expected != known,
                };
                if is_new {
                    let shown = see_ghost(typist, lane.setup, prefix, expected);
                    lane.note_ghost(shown, pressed, |times| &mut times.ghost_after_key);
                }
                known = expected;
                typist.rest(PACE.saturating_sub(pressed.elapsed()).max(QUIET));
            }
        }
    }
}

/// Prefixes of lines that arrive at once.
fn type_prefixes(turns: &mut [Turn<'_>], past: &[String]) {
    let step = past.len() / LINES;
    for line in past.iter().skip(step / 2).step_by(step).take(LINES) {
        let prefix = &line[..KEYS_PER_LINE];
        for Turn { lane, typist } in turns.iter_mut().filter(|turn| turn.lane.setup != Setup::Bare) {
            typist.clears();
            typist.rest(PACE);
            let pressed = typist.press(prefix);
            let shown = see_ghost(typist, lane.setup, prefix, history_fixture::newest(past, prefix));
            lane.note_ghost(shown, pressed, |times| &mut times.ghost_after_prefix);
            typist.rest(PACE);
        }
    }
}

/// zsh-autosuggestions shows the newest line with this prefix. Aside's ghost depends on more than that, and there may be none:
/// whatever appears soon counts.
fn see_ghost(typist: &mut Typist, setup: Setup, prefix: &str, expected: Option<&str>) -> Option<Instant> {
    if matches!(setup, Setup::Aside | Setup::Before) {
        return typist.within(SOON, |line| line.typed == prefix && !line.ghost.is_empty());
    }
    let rest = &expected?[prefix.len()..];
    typist.until(|line| line.typed == prefix && line.ghost == rest)
}

impl Lane {
    fn note_ghost(&mut self, shown: Option<Instant>, pressed: Instant, which: fn(&mut Times) -> &mut Samples) {
        match shown {
            Some(shown) => which(&mut self.times).add(shown.duration_since(pressed)),
            None => self.times.missed += 1,
        }
    }
}

/// Like a terminal that pastes without brackets, or a shell that was busy while the user typed.
fn type_bursts(turns: &mut [Turn<'_>]) {
    let text: String = "echo lorem ipsum dolor sit amet ".chars().cycle().take(200).collect();
    for _ in 0..BURSTS {
        for Turn { lane, typist } in turns.iter_mut() {
            typist.clears();
            typist.rest(PACE);
            let pressed = typist.press(&text);
            let seen = typist.until(|line| line.typed == text).expect("200 keys are echoed");
            lane.times.burst.add(seen.duration_since(pressed));
            typist.rest(PACE);
        }
    }
    turns.iter_mut().for_each(|turn| turn.typist.clears());
}

fn type_line(typist: &mut Typist, text: &str) {
    typist.rest(PACE);
    typist.press(text);
    typist.until(|line| line.typed == text);
    typist.rest(PACE);
}

fn run_commands(turns: &mut [Turn<'_>]) {
    for _ in 0..COMMANDS {
        for Turn { lane, typist } in turns.iter_mut() {
            typist.rest(PACE);
            let pressed = typist.press("\r");
            lane.times.empty_line.add(typist.next_prompt().duration_since(pressed));

            type_line(typist, "true");
            let pressed = typist.press("\r");
            lane.times.command.add(typist.next_prompt().duration_since(pressed));

            type_line(typist, "true");
            let pressed = typist.press("\rx");
            let seen = typist.next_prompt_and("x");
            lane.times.command_and_key.add(seen.duration_since(pressed));
            typist.clears();

            type_line(typist, "true to the last of it");
            let pressed = typist.press("\r");
            lane.times.doubtful.add(typist.next_prompt().duration_since(pressed));
        }
    }
}

/// Counts the processes that the shell starts while keys are typed.
fn trace(lane: &mut Lane) {
    let log = lane.home.path("trace");
    let mut traced = lane.home.command("strace");
    traced.args(["-D", "-f", "-qq", "-e", "trace=clone,clone3,fork,vfork,execve", "-e", "signal=none", "-o"]);
    traced.arg(&log).args(["zsh", "-d", "-i"]);
    let probe = lane.home.command("strace").args(["-o", "/dev/null", "true"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        return;
    }
    let (mut typist, _) = Typist::start(traced);
    typist.rest(Duration::from_millis(500));
    let calls = || {
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        log.lines().filter(|line| !line.contains(" resumed>")).count()
    };
    let before = calls();
    for key in "git commit -m 'fix the parser".chars().take(TRACED_KEYS) {
        typist.press(key.encode_utf8(&mut [0; 4]));
        typist.rest(PACE);
    }
    typist.rest(Duration::from_millis(200));
    lane.times.processes_per_key = Some((calls() - before) as f64 / TRACED_KEYS as f64);
}

/// A row's name, its samples, their statistic, its target.
type Metric = (&'static str, fn(&Times) -> &Samples, fn(&Samples) -> Option<f64>, Target);

const ROWS: [Metric; 11] = [
    ("key to echo", |times| &times.echo, Samples::median, Target::Added(1.0)),
    ("key to new ghost text", |times| &times.ghost_after_key, Samples::median, Target::Ratio(1.0)),
    ("9 keys at once to ghost text", |times| &times.ghost_after_prefix, Samples::median, Target::Ratio(1.0)),
    ("200 keys at once to echo", |times| &times.burst, Samples::median, Target::None),
    // zsh spends nearly all of it reading the 100 000 lines, and its own time varies by half: only the minima are comparable.
    ("first prompt, at best", |times| &times.first_prompt, Samples::min, Target::Added(5.0)),
    ("first prompt without a history file", |times| &times.first_prompt_of_novice, Samples::median, Target::Added(5.0)),
    ("first prompt and one key", |times| &times.first_key, Samples::median, Target::None),
    ("Enter on an empty line to prompt", |times| &times.empty_line, Samples::median, Target::Added(1.0)),
    ("Enter on `true` to prompt", |times| &times.command, Samples::median, Target::Added(1.0)),
    ("Enter on `true` and words to prompt", |times| &times.doubtful, Samples::median, Target::Added(10.0)),
    ("Enter on `true` to the next key's echo", |times| &times.command_and_key, Samples::median, Target::None),
];

fn rows(lanes: &[Lane; 3]) -> Vec<Row> {
    let [bare, aside, rival] = lanes.each_ref().map(|lane| &lane.times);
    let mut rows: Vec<Row> = ROWS
        .iter()
        .map(|(name, samples, stands_for, target)| {
            let [bare, aside, rival] = [bare, aside, rival].map(|times| stands_for(samples(times)));
            Row { name: (*name).to_owned(), unit: "ms", bare, aside, rival, target: *target }
        })
        .collect();
    rows.push(Row {
        name: "processes started per key".to_owned(),
        unit: "n",
        bare: bare.processes_per_key,
        aside: aside.processes_per_key,
        rival: rival.processes_per_key,
        target: Target::Value(0.0),
    });
    rows
}

fn details(lanes: &[Lane; 3]) -> Vec<String> {
    let mut details = Vec::new();
    for (name, samples, _, _) in ROWS {
        let cells = lanes.iter().map(|lane| {
            let samples = samples(&lane.times);
            match (samples.min(), samples.quantile(0.9)) {
                (Some(min), Some(high)) => format!("{min:>8.2} {high:>8.2} {:>4}", samples.len()),
                _ => " ".repeat(22),
            }
        });
        details.push(format!("{name:<40}{}", cells.collect::<Vec<_>>().join(" |")));
    }
    for lane in lanes.iter().filter(|lane| lane.times.missed > 0) {
        details.push(format!("{:?}: ghost text did not come {} times", lane.setup, lane.times.missed));
    }
    details
}
