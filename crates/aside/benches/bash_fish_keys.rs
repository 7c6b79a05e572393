//! The same keys in bash and in fish: bare, with Aside, and in bash also inside the proxy terminal. They take turns, as in `shells`.

use std::process::Command;
use std::time::Duration;

use crate::harness::home::{self, Home};
use crate::harness::shell::Shell;
use crate::table::{Row, Samples, Target};
use crate::typist::Typist;

const PACE: Duration = Duration::from_millis(45);
const STARTS: usize = 25;
const LINES: usize = 20;
const COMMANDS: usize = 30;
const TEXT: &str = "git commit -m 'fix";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setup {
    Bare,
    Aside,
    Proxy,
}

struct Lane {
    shell: Shell,
    setup: Setup,
    home: Home,
    first_prompt: Samples,
    echo: Samples,
    empty_line: Samples,
    command: Samples,
    processes_at_prompt: Option<f64>,
    processes_per_key: Option<f64>,
}

pub fn measure() -> Vec<Row> {
    let bash = [Setup::Bare, Setup::Aside, Setup::Proxy].map(|setup| Lane::new(Shell::Bash, setup));
    let fish = [Setup::Bare, Setup::Aside].map(|setup| Lane::new(Shell::Fish, setup));
    let mut lanes: Vec<Lane> = bash.into_iter().chain(fish).collect();
    for _ in 0..STARTS {
        for lane in &mut lanes {
            let (_, took) = Typist::start(lane.command());
            lane.first_prompt.add(took);
        }
    }
    let mut typists: Vec<Typist> = lanes.iter().map(|lane| Typist::start(lane.command()).0).collect();
    typists.iter_mut().for_each(|typist| typist.rest(Duration::from_millis(500)));
    for _ in 0..LINES {
        for (lane, typist) in lanes.iter_mut().zip(&mut typists) {
            type_keys(lane, typist);
        }
    }
    for _ in 0..COMMANDS {
        for (lane, typist) in lanes.iter_mut().zip(&mut typists) {
            run_commands(lane, typist);
        }
    }
    drop(typists);
    lanes.iter_mut().filter(|lane| lane.setup != Setup::Proxy).for_each(trace);
    rows(&lanes)
}

impl Lane {
    fn new(shell: Shell, setup: Setup) -> Self {
        let home = Home::new();
        let proxy = if setup == Setup::Proxy { r#"eval "$(aside init bash --proxy)""# } else { "" };
        let load = if setup == Setup::Bare { "" } else { shell.init_line() };
        // fish's own autosuggestions would be taken for typed text.
        let own = if shell == Shell::Fish { "set -g fish_autosuggestion_enabled 0" } else { "" };
        shell.prepare(&home);
        home.write(shell.rc_file(), [proxy, shell.stage_directions(), own, load, ""].join("\n"));
        if setup != Setup::Bare {
            let said = home::run(home.command("aside").args(["daemon", "start"]), "");
            assert_eq!(said.code, 0, "{said:?}");
        }
        Self {
            shell,
            setup,
            home,
            first_prompt: Samples::default(),
            echo: Samples::default(),
            empty_line: Samples::default(),
            command: Samples::default(),
            processes_at_prompt: None,
            processes_per_key: None,
        }
    }

    fn command(&self) -> Command {
        self.shell.command(&self.home)
    }
}

fn type_keys(lane: &mut Lane, typist: &mut Typist) {
    typist.clears();
    typist.rest(PACE);
    for key in TEXT.chars() {
        let pressed = typist.press(key.encode_utf8(&mut [0; 4]));
        let echo = typist.first_echo().expect("a key is echoed");
        lane.echo.add(echo.duration_since(pressed));
        typist.rest(PACE);
    }
    typist.clears();
}

fn run_commands(lane: &mut Lane, typist: &mut Typist) {
    typist.rest(PACE);
    let pressed = typist.press("\r");
    lane.empty_line.add(typist.next_prompt().duration_since(pressed));
    typist.rest(PACE);
    typist.press("true");
    typist.until(|line| line.typed == "true");
    typist.rest(PACE);
    let pressed = typist.press("\r");
    lane.command.add(typist.next_prompt().duration_since(pressed));
}

/// Counts the processes that the shell starts up to its first prompt, and while keys are typed.
fn trace(lane: &mut Lane) {
    let log = lane.home.path("trace");
    let mut traced = lane.home.command("strace");
    traced.args(["-D", "-f", "-qq", "-e", "trace=clone,clone3,fork,vfork", "-e", "signal=none", "-o"]);
    traced.arg(&log).args([lane.shell.name(), "-i"]);
    let probe = lane.home.command("strace").args(["-o", "/dev/null", "true"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        return;
    }
    let (mut typist, _) = Typist::start(traced);
    typist.rest(Duration::from_millis(500));
    // Threads of `aside` do not count as processes.
    let calls = || {
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        log.lines().filter(|line| !line.contains(" resumed>") && !line.contains("CLONE_THREAD")).count() as f64
    };
    let before = calls();
    lane.processes_at_prompt = Some(before);
    for key in TEXT.chars() {
        typist.press(key.encode_utf8(&mut [0; 4]));
        typist.rest(PACE);
    }
    typist.rest(Duration::from_millis(200));
    lane.processes_per_key = Some((calls() - before) / TEXT.len() as f64);
}

/// A row's name, what was measured, its target.
type Time = (&'static str, fn(&Lane) -> &Samples, Target);
type Count = (&'static str, fn(&Lane) -> Option<f64>, Target);

fn rows(lanes: &[Lane]) -> Vec<Row> {
    let mut rows = Vec::new();
    for lane in lanes.iter().filter(|lane| lane.setup != Setup::Bare) {
        let bare = lanes.iter().find(|other| other.shell == lane.shell && other.setup == Setup::Bare);
        let name = match lane.setup {
            Setup::Proxy => format!("{} in our terminal", lane.shell.name()),
            Setup::Bare | Setup::Aside => lane.shell.name().to_owned(),
        };
        let first = Target::Added(if lane.shell == Shell::Fish { 10.0 } else { 8.0 });
        // A shell in the proxy terminal starts twice.
        let first = if lane.setup == Setup::Proxy { Target::None } else { first };
        let samples: [Time; 4] = [
            ("key to echo", |lane| &lane.echo, Target::Added(1.0)),
            ("Enter on an empty line to prompt", |lane| &lane.empty_line, Target::None),
            ("Enter on `true` to prompt", |lane| &lane.command, Target::Added(1.5)),
            ("first prompt", |lane| &lane.first_prompt, first),
        ];
        for (what, samples, target) in samples {
            let bare = bare.and_then(|bare| samples(bare).median());
            let aside = samples(lane).median();
            rows.push(Row { name: format!("{name}: {what}"), unit: "ms", bare, aside, rival: None, target });
        }
        let counts: [Count; 2] = [
            ("processes up to the first prompt", |lane| lane.processes_at_prompt, Target::None),
            ("processes started per key", |lane| lane.processes_per_key, Target::Value(0.0)),
        ];
        for (what, count, target) in counts.into_iter().filter(|_| lane.setup != Setup::Proxy) {
            let (bare, aside) = (bare.and_then(count), count(lane));
            rows.push(Row { name: format!("{name}: {what}"), unit: "n", bare, aside, rival: None, target });
        }
    }
    rows
}
