//! Random keys in two shells with the same setup, one of them with Aside: the line, what ran, its exit codes and the screen are the
//! same in both. Keys that take what is shown are left out, since taking is what they are for.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::harness::home::Home;
use crate::harness::keys::Key;
use crate::harness::screen::GHOST;
use crate::plugins::setups::{Keys, Order, Setup};
use crate::plugins::zsh::Zsh;

/// Tab is the shell's own, and no sentence is answered: what a line does is up to the shell then.
const CONFIG: &str = "[complete]\ntab = \"leave\"\n[detect]\nreroute = \"off\"\n";

/// Notes what runs and how it ends, as a precmd function of the user's own sees it, and tells the line when asked.
const TAIL: &str = r#"
note() { local code=$?; print -r -- "ended $code" >>~/notes; return code }
note-line() { print -r -- "ran $1" >>~/notes }
precmd_functions=(note ${precmd_functions:#note}) preexec_functions=(note-line ${preexec_functions:#note-line})
tell-line() { print -r -- "$CONTEXT [$PREBUFFER][$LBUFFER|$RBUFFER]" >|~/line.new; mv ~/line.new ~/line }
zle -N tell-line; for map in emacs viins vicmd; do bindkey -M $map '^X^B' tell-line; done
functions[ls]='print listed' functions[git]='print git'
(( $+functions[aside-off] )) || { aside-off() { : }; aside-on() { : } }
"#;

#[derive(Clone, Debug)]
enum Action {
    Types(&'static str),
    Presses(Key),
    Pastes(&'static str),
    Resizes(u16),
    /// A line that is typed on an empty one, and run.
    Runs(&'static str),
    /// Of the shell with Aside, and of no other.
    KillsDaemon,
}

const WORDS: &[&str] = &[
    "ls -l",
    "git st",
    "frob",
    "print x",
    "false",
    "true",
    "(exit 3)",
    "cd /",
    "cd",
    "for i in 1 2",
    "do print $i",
    "done",
    "print 'a",
    "'",
    "sleep 0",
    "print $?",
    " ",
    "x",
    "nosuch",
    "git commit -m ",
    "| cat",
    "&& ",
    "~/",
    "if true",
    "fi",
];
const PASTES: &[&str] = &["print pasted", " && true", "a\nb", "ert says", "frob"];
const LINES: &[&str] =
    &["source ~/.zshrc", "aside-off", "aside-on", "print $?", "false", "clear", "fc -l -2 >/dev/null"];
const KEYS: &[Key] = &[
    Key::Left,
    Key::Backspace,
    Key::Delete,
    Key::Ctrl('a'),
    Key::Ctrl('u'),
    Key::Ctrl('w'),
    Key::Ctrl('k'),
    Key::Ctrl('y'),
    Key::Ctrl('l'),
    Key::Up,
    Key::Up,
    Key::Down,
    Key::Enter,
    Key::Enter,
    Key::CtrlC,
    Key::Tab,
    Key::Alt('b'),
    Key::Alt('.'),
    Key::Ctrl('t'),
    Key::Ctrl('_'),
];

/// splitmix64: the same numbers each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

fn sequence(seed: u64) -> Vec<Action> {
    let mut random = Random(seed);
    let count = 6 + random.below(10);
    let mut actions = Vec::new();
    for _ in 0..count {
        actions.push(match random.below(20) {
            0..8 => Action::Types(random.of(WORDS)),
            8..15 => Action::Presses(random.of(KEYS)),
            15 | 16 => Action::Pastes(random.of(PASTES)),
            17 => Action::Resizes(random.of(&[30, 50, 80, 110])),
            18 => Action::Runs(random.of(LINES)),
            _ => Action::KillsDaemon,
        });
    }
    actions
}

/// How many sequences differ, of `count` from `seed` on. One that does is tried again in fresh shells, since both may be late.
pub fn run(setup: &Setup, plugins: &Path, seed: u64, count: u64) -> usize {
    let mut pair = Pair::start(setup, plugins);
    let (mut differ, mut late) = (0, 0);
    for seed in seed..seed + count {
        let actions = sequence(seed);
        if pair.agrees_on(&actions).is_ok() {
            continue;
        }
        pair = Pair::start(setup, plugins);
        if let Err(difference) = pair.agrees_on(&actions) {
            differ += 1;
            eprintln!("--- {} SEED={seed} N=1: {actions:?}\n{difference}---", setup.name);
            pair = Pair::start(setup, plugins);
        } else {
            late += 1;
        }
    }
    eprintln!("{}: {count} sequences, {differ} differ, {late} only once", setup.name);
    differ
}

struct Pair {
    bare: Zsh,
    with: Zsh,
    keys: Keys,
}

impl Pair {
    fn start(setup: &Setup, plugins: &Path) -> Self {
        let start = |order| {
            let home = Home::new();
            home.write(".config/aside/config.toml", CONFIG);
            let zsh = Zsh::start_in(home, setup, order, plugins, TAIL);
            // Some themes are busy for long before a line is read.
            while zsh.line().is_empty() {}
            zsh
        };
        let pair = Self { bare: start(Order::Absent), with: start(Order::Last), keys: setup.keys };
        pair.does(&Action::Runs("true"));
        pair
    }

    fn both(&self, act: impl Fn(&Zsh)) {
        act(&self.bare);
        act(&self.with);
    }

    fn agrees_on(&self, actions: &[Action]) -> Result<(), String> {
        self.both(|zsh| _ = zsh.resizes(24, 80));
        self.breaks_off();
        self.both(|zsh| _ = zsh.presses(Key::Ctrl('l')));
        self.both(|zsh| zsh.home.write("notes", ""));
        for action in actions {
            self.does(action);
        }
        let lines = [&self.bare, &self.with].map(Zsh::line);
        self.breaks_off();
        let notes = [&self.bare, &self.with].map(|zsh| zsh.home.read("notes"));
        let screens = [&self.bare, &self.with].map(shown);
        let mut difference = String::new();
        for (what, [bare, with]) in [("line", &lines), ("notes", &notes)] {
            if bare != with {
                difference += &format!("{what} without Aside:\n{bare}\n{what} with it:\n{with}\n");
            }
        }
        // What is shown below the line may have moved it up.
        let [bare, with] = &screens;
        let rows = bare.len().min(with.len());
        if bare[bare.len() - rows..] != with[with.len() - rows..] {
            difference += &format!("screen without Aside:\n{}\nwith it:\n{}\n", bare.join("\n"), with.join("\n"));
        }
        if difference.is_empty() { Ok(()) } else { Err(difference) }
    }

    /// An empty line at the top of an empty screen.
    fn breaks_off(&self) {
        // The first one may only end a search, or a widget that waits.
        for _ in 0..2 {
            self.ends(|zsh| _ = zsh.presses(Key::CtrlC), Duration::from_millis(700));
        }
        if self.keys == Keys::Vi {
            self.both(|zsh| _ = zsh.presses(Key::Esc));
            self.both(|zsh| _ = zsh.types("i"));
        }
        self.both(|zsh| zsh.rests_for(Duration::from_millis(60)));
    }

    fn does(&self, action: &Action) {
        const QUIET: Duration = Duration::from_millis(60);
        match action {
            Action::Types(text) => self.both(|zsh| _ = zsh.types_quickly(text)),
            Action::Presses(Key::Enter) => {
                self.ends(|zsh| _ = zsh.presses(Key::Enter), Duration::from_millis(400));
            }
            Action::Presses(Key::CtrlC) => {
                self.ends(|zsh| _ = zsh.presses(Key::CtrlC), Duration::from_millis(700));
            }
            Action::Presses(key) => self.both(|zsh| _ = zsh.presses(*key)),
            Action::Pastes(text) => self.both(|zsh| _ = zsh.pastes(text)),
            Action::Resizes(columns) => {
                self.both(|zsh| zsh.rests_for(QUIET));
                self.both(|zsh| _ = zsh.resizes(24, *columns));
                self.both(|zsh| zsh.rests_for(QUIET));
            }
            Action::Runs(line) => {
                self.ends(|zsh| _ = zsh.presses(Key::CtrlC), Duration::from_millis(700));
                self.both(|zsh| _ = zsh.types_quickly(line));
                self.ends(|zsh| _ = zsh.presses(Key::Enter), Duration::from_secs(8));
            }
            Action::KillsDaemon => {
                let status = self.with.home.aside(&["daemon", "status", "--json"]).stdout;
                let status: serde_json::Value = serde_json::from_str(&status).unwrap_or_default();
                if let Some(pid) = status["pid"].as_i64().and_then(|pid| Pid::from_raw(pid as i32)) {
                    _ = rustix::process::kill_process(pid, Signal::KILL);
                }
            }
        }
    }

    /// Does what may end a line, and waits until each has noted that one ended, or for so long.
    fn ends(&self, act: impl Fn(&Zsh), limit: Duration) {
        let noted =
            |zsh: &Zsh| std::fs::read_to_string(zsh.home.path("notes")).unwrap_or_default().matches("ended").count();
        let before = [noted(&self.bare), noted(&self.with)];
        self.both(act);
        let deadline = Instant::now() + limit;
        while (noted(&self.bare) == before[0] || noted(&self.with) == before[1]) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        // What comes before the next line is read would be echoed by the terminal.
        self.both(|zsh| _ = zsh.comes(|_| zsh.is_editing()));
        self.both(|zsh| zsh.rests_for(Duration::from_millis(60)));
    }
}

/// The rows without grey text, as far as something stands in them. Each shell has a home of its own.
fn shown(zsh: &Zsh) -> Vec<String> {
    let (screen, home) = (zsh.screen(), zsh.home.path("").display().to_string());
    let row = |row| {
        let kept = screen.spans(row).into_iter().filter(|span| span.style.fg != GHOST);
        kept.map(|span| span.text).collect::<String>().replace(&home, "~/").trim_end().to_owned()
    };
    let mut rows: Vec<String> = (0..screen.size().0).map(row).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}
