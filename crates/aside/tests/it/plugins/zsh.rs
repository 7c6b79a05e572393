//! A zsh with a setup, in the test terminal. Its prompt is the theme's own, so prompts are not counted here.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::home::Home;
use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::screen::{GHOST, Screen};
use crate::harness::shell::Shell;
use crate::harness::terminal::Terminal;
use crate::plugins::setups::{HEAD, Order, Setup};

/// The last one becomes ghost text, and both `frobnicate` lines are in the bar.
const HISTORY: [&str; 3] = ["ls -la /usr/share", "frobnicate --some later", "frobnicate --all now"];

/// Longer than the plugin ever waits for anything.
const A_MOMENT: Duration = Duration::from_millis(40);

pub struct Zsh {
    // Declared before the home, so dropped first: the shell must have exited when the home looks for leftover processes.
    terminal: Terminal,
    pub home: Home,
}

impl Zsh {
    pub fn start(setup: &Setup, order: Order, plugins: &Path) -> Self {
        Self::start_in(Home::new(), setup, order, plugins, "")
    }

    /// In a home with its own files, and with these lines at the end of the rc file.
    pub fn start_in(home: Home, setup: &Setup, order: Order, plugins: &Path, tail: &str) -> Self {
        let aside = r#"eval "$(aside init zsh)""#;
        let (first, last) = match order {
            Order::Absent => ("", ""),
            Order::First => (aside, ""),
            Order::Last => ("", aside),
        };
        let plugins = plugins.display();
        home.write(".zshrc", format!("P={plugins}\n{HEAD}{first}\n{}\n{last}\n{tail}", setup.rc));
        Shell::Zsh.write_history(&home, &HISTORY.map(str::to_owned));
        if order != Order::Absent {
            home.aside_does(&["history", "import", "zsh"]);
        }
        let terminal = Terminal::start(Shell::Zsh.command(&home), (24, 80), GHOST, home.daemon_log());
        let zsh = Self { terminal, home };
        // Keys before the first prompt would interrupt what the plugins start with.
        while !zsh.comes(|screen| !screen.text().is_empty()) {}
        zsh.rests();
        zsh
    }

    pub fn screen(&self) -> Screen {
        self.terminal.screen()
    }

    pub fn text(&self) -> String {
        self.screen().text()
    }

    /// Waits until nothing was written for a while in which neither the shell nor a program of it had anything to do: on a busy
    /// machine a silent shell may only be waiting for its turn.
    pub fn rests(&self) {
        let mut calm = Calm::of(Duration::from_millis(250));
        let deadline = Instant::now() + patience();
        let mut before = self.screen();
        while Instant::now() < deadline {
            let now = self.screen();
            if calm.has_lasted(now == before && self.terminal.is_idle()) {
                return;
            }
            before = now;
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the condition becomes true in time.
    pub fn comes(&self, condition: impl Fn(&Screen) -> bool) -> bool {
        let deadline = Instant::now() + patience();
        while !condition(&self.screen()) {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// Types key by key, about as fast as they are echoed.
    pub fn types(&self, text: &str) -> &Self {
        for letter in text.chars() {
            self.terminal.send(letter.to_string().as_bytes());
            std::thread::sleep(Duration::from_millis(15));
        }
        self
    }

    pub fn sends(&self, text: &str) {
        self.terminal.send(text.as_bytes());
    }

    /// Presses a key when the shell is idle. A Ctrl-C that arrives while a function runs would go to that function, and zsh itself
    /// loses one that comes between the moment in which it sees a reply of the daemon and the call of the handler.
    pub fn presses_at_rest(&self, key: Key) {
        if key == Key::CtrlC {
            let deadline = Instant::now() + patience();
            while !self.home.is_daemon_idle() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(2));
            }
            self.sleeps_until(A_MOMENT, || false);
        }
        self.terminal.press(key);
    }

    /// The screen without what differs between two shells that do the same: their homes and their process numbers.
    pub fn hides_itself(&self, text: &str) -> String {
        let (home, pid) = (self.home.path("").display().to_string(), self.terminal.pid().to_string());
        // In a narrow terminal only part of the path may be on a row.
        let part = home.split('/').find(|part| part.starts_with("as-")).unwrap_or(&home);
        text.replace(&home, "~/").replace(part, "as-home").replace(&pid, "PID")
    }

    pub fn lines_begun(&self) -> usize {
        self.terminal.lines_begun()
    }

    /// Waits until the shell reads another line than this one, or until it has handled the key that could have ended it.
    pub fn reads_on(&self, line: usize) {
        self.sleeps_until(A_MOMENT, || self.terminal.lines_begun() != line);
    }

    /// Waits until `is_so`, or until the shell has done nothing but wait for keys for `long`. A program that it started may still
    /// have something for it, such as a signal.
    fn sleeps_until(&self, long: Duration, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + patience();
        let mut calm = Calm::of(long);
        while !is_so() && Instant::now() < deadline {
            if calm.has_lasted(self.terminal.takes_pastes() && self.terminal.is_idle()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Presses the key that makes the shell report its line (see `fuzz`); returns the number of marks before.
    pub fn asks(&self) -> usize {
        let marks = self.terminal.marks();
        self.sends("\x18\x02");
        marks
    }

    /// Whether the shell reports its line, which it does not while another program or a widget reads the keys.
    pub fn answers(&self, marks: usize) -> bool {
        let has_answered = || self.terminal.comes_to_mark(marks, Duration::from_millis(20));
        self.sleeps_until(Duration::from_secs(1), has_answered);
        has_answered()
    }

    pub fn presses(&self, key: Key) -> &Self {
        self.terminal.press(key);
        std::thread::sleep(Duration::from_millis(30));
        self
    }

    pub fn pastes(&self, text: &str) -> &Self {
        self.terminal.paste(text);
        self
    }

    pub fn resizes(&self, rows: u16, columns: u16) -> &Self {
        self.terminal.resize(rows, columns);
        self
    }

    /// Leaves an empty line at the top of an empty screen.
    pub fn clears(&self) -> &Self {
        self.rests();
        // The first Ctrl-C may only end a widget that waits.
        for _ in 0..2 {
            self.presses(Key::CtrlC);
            self.rests();
        }
        self.types(" clear").presses(Key::Enter);
        self.rests();
        self
    }

    /// Runs lines and returns their output. They are sourced from a file, because some plugins change what is typed.
    pub fn told(&self, lines: &str) -> String {
        let file = self.home.path("told");
        _ = std::fs::remove_file(&file);
        self.home.write("tell", lines);
        self.types(" . ~/tell >|~/told.new 2>&1; mv ~/told.new ~/told").presses(Key::Enter);
        let deadline = Instant::now() + patience();
        while !file.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.rests();
        String::from_utf8_lossy(&std::fs::read(&file).unwrap_or_default()).into_owned()
    }
}

/// How long something has lasted, and how often in a row it was observed: on a busy machine much may happen between two looks.
struct Calm {
    wanted: Duration,
    since: Option<Instant>,
    looks: usize,
}

impl Calm {
    fn of(wanted: Duration) -> Self {
        Self { wanted, since: None, looks: 0 }
    }

    fn has_lasted(&mut self, is_so: bool) -> bool {
        if !is_so {
            (self.since, self.looks) = (None, 0);
            return false;
        }
        self.looks += 1;
        self.since.get_or_insert_with(Instant::now).elapsed() > self.wanted && self.looks > 12
    }
}
