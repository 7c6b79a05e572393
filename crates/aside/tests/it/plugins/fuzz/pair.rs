//! Two shells with the same setup, one of them with Aside, that receive the same keys.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::sequence::Action;
use crate::harness::home::{ASIDE, Home};
use crate::harness::keys::Key;
use crate::harness::programs;
use crate::harness::screen::GHOST;
use crate::plugins::setups::{Order, Setup};
use crate::plugins::zsh::Zsh;

/// Tab stays the shell's own, and prose is not rerouted: what a line does is then up to the shell.
const CONFIG: &str = "[complete]\ntab = \"leave\"\n[detect]\nreroute = \"off\"\n";

/// Logs what runs and how it ends, as the user's own precmd function sees it. One key makes the shell report its line and emit a
/// mark when it is idle; another resets the shell, and a third one reports details for debugging a difference.
const TAIL: &str = r#"
note() { local code=$?; print -r -- "ended $code" >>~/notes; return code }
note-line() { print -r -- "ran $1" >>~/notes }
precmd_functions=(note ${precmd_functions:#note}) preexec_functions=(note-line ${preexec_functions:#note-line})
tell-line() {
  print -r -- "$CONTEXT [$PREBUFFER][$LBUFFER|$RBUFFER]" >|~/line
  print -r -- ${_aside_on:-1} >|~/on
  local fd; exec {fd}</dev/null; zle -F $fd set-mark
}
set-mark() { zle -F $1; exec {1}<&-; print -n '\e]7777;\a' >$TTY }
go-back() { builtin cd -q ~; print -n >|~/notes }
tell-more() { { trap; functions TRAPINT; print -r -- ${(kv)_aside_trap_was} armed $_aside_armed on $_aside_on } >|~/more }
zle -N tell-line; zle -N go-back; zle -N tell-more
for map in emacs viins vicmd; do bindkey -M $map '^X^B' tell-line '^X^G' go-back '^X^P' tell-more; done
functions[ls]='print listed' functions[git]='print git'
(( $+functions[aside-off] )) || { aside-off() { : }; aside-on() { : } }
"#;

/// Two builds of the program, each in its own file. `ASIDE_TEST_OTHER` names a real second one.
pub struct Builds {
    dir: tempfile::TempDir,
}

impl Builds {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let other = std::env::var_os("ASIDE_TEST_OTHER").map_or_else(|| PathBuf::from(ASIDE), PathBuf::from);
        programs::copy(ASIDE, dir.path().join("0"));
        programs::copy(other, dir.path().join("1"));
        Self { dir }
    }

    /// Replaces the installed program, as an installation does.
    fn install(&self, number: usize, home: &Home) {
        let new = home.path("bin/aside.new");
        _ = std::fs::remove_file(&new);
        std::fs::hard_link(self.dir.path().join((number % 2).to_string()), &new).unwrap();
        std::fs::rename(new, home.path("bin/aside")).unwrap();
    }
}

pub struct Pair<'a> {
    bare: Zsh,
    with: Zsh,
    builds: &'a Builds,
    installed: std::cell::Cell<usize>,
}

impl<'a> Pair<'a> {
    /// The second shell loads Aside at the place that `order` gives.
    pub fn start(setup: &Setup, order: Order, plugins: &Path, builds: &'a Builds) -> Self {
        let start = |order| {
            let mut home = Home::new();
            home.write(".config/aside/config.toml", CONFIG);
            home.write("bin/.keep", "");
            builds.install(0, &home);
            home.set_env("PATH", &format!("{}:/usr/local/bin:/usr/bin:/bin", home.path("bin").display()));
            // zsh 5.9 reads a flag of its undo list that it never set, so what Ctrl-_ does depends on what was in that memory before.
            home.set_env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.perturb=255");
            Zsh::start_in(home, setup, order, plugins, TAIL)
        };
        let pair = Self { bare: start(Order::Absent), with: start(order), builds, installed: 0.into() };
        // Some themes are busy for a long time before a line is read.
        while !pair.settles() {}
        pair.does(&Action::Runs("true"));
        pair
    }

    /// What differs after these actions, starting on an empty line at the top of an empty screen.
    pub fn differs_after(&self, actions: &[Action]) -> Option<String> {
        self.goes_back();
        for action in actions {
            self.does(action);
        }
        self.settles();
        let lines = self.each(|zsh| zsh.home.read("line"));
        self.breaks_off();
        let notes = self.each(|zsh| zsh.home.read("notes"));
        let mut difference = String::new();
        for (what, told) in [("line", lines), ("notes", notes)] {
            let [bare, with] = [self.bare.hides_itself(&told[0]), self.with.hides_itself(&told[1])];
            if bare != with {
                difference += &format!("{what} without Aside:\n{bare}\n{what} with it:\n{with}\n");
            }
        }
        // Themes redraw their prompt when they know more.
        if !self.both_come_to_look_alike() {
            let [bare, with] = self.each(|zsh| shown(zsh).join("\n"));
            difference += &format!("screen without Aside:\n{bare}\nwith it:\n{with}\n");
        }
        if difference.is_empty() {
            return None;
        }
        self.both(|zsh| zsh.sends("\x18\x10"));
        let are_settled = self.settles();
        let more = std::fs::read_to_string(self.with.home.path("more")).unwrap_or_default();
        Some(format!("{difference}settled: {are_settled}, line: {}{more}", self.with.home.read("line")))
    }

    fn both_come_to_look_alike(&self) -> bool {
        for _ in 0..40 {
            let [bare, with] = self.each(shown);
            // What was shown below the line may have scrolled it up.
            let rows = bare.len().min(with.len());
            if bare[bare.len() - rows..] == with[with.len() - rows..] {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    }

    /// Resets to: home directory, no notes, Aside on, an empty line at the top of an empty screen of the usual size.
    fn goes_back(&self) {
        self.both(|zsh| _ = zsh.resizes(24, 80));
        self.breaks_off();
        self.both(|zsh| zsh.sends("\x18\x07"));
        self.settles();
        if self.with.home.read("on").trim() == "0" {
            self.does(&Action::Runs("aside-on"));
            self.both(|zsh| zsh.sends("\x18\x07"));
        }
        self.both(|zsh| zsh.sends("\x0c"));
        self.settles();
    }

    /// Interrupts until there is an empty line that is no continuation. A single Ctrl-C may only end a search, or a widget that waits.
    fn breaks_off(&self) {
        for _ in 0..4 {
            self.ends(Key::CtrlC);
            let are_settled = self.settles();
            if are_settled && self.each(|zsh| zsh.home.read("line")).iter().all(|line| line == "start [][|]\n") {
                return;
            }
        }
    }

    fn does(&self, action: &Action) {
        match action {
            Action::Types(text) => {
                for letter in text.chars() {
                    self.both(|zsh| zsh.sends(letter.encode_utf8(&mut [0; 4])));
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            Action::Bursts(text) => self.both(|zsh| zsh.sends(text)),
            Action::Presses(key @ (Key::Enter | Key::CtrlC)) => self.ends(*key),
            // The shell may ask whether to list everything, and takes the next key for the answer, unless that came before the question.
            Action::Presses(Key::Tab) => _ = self.at_once(|zsh| zsh.types("\t").rests()),
            Action::Presses(key) => _ = self.at_once(|zsh| zsh.presses_at_rest(*key)),
            Action::Pastes(text) => self.both(|zsh| _ = zsh.pastes(text)),
            Action::Resizes(columns) => {
                self.settles();
                self.both(|zsh| _ = zsh.resizes(24, *columns));
                self.settles();
            }
            Action::Waits => std::thread::sleep(Duration::from_millis(60)),
            Action::Runs(line) => {
                self.breaks_off();
                self.both(|zsh| zsh.sends(line));
                self.ends(Key::Enter);
            }
            Action::KillsDaemon => {
                let lock = self.with.home.socket().with_extension("sock.lock");
                let pid = std::fs::read_to_string(lock).ok().and_then(|text| Pid::from_raw(text.trim().parse().ok()?));
                if let Some(pid) = pid {
                    _ = rustix::process::kill_process(pid, Signal::KILL);
                }
            }
            Action::Upgrades => {
                self.installed.set(self.installed.get() + 1);
                self.builds.install(self.installed.get(), &self.with.home);
            }
        }
    }

    /// Presses a key that may end a line, and waits until each shell reads the next line or continues with this one.
    fn ends(&self, key: Key) {
        self.at_once(|zsh| {
            let line = zsh.lines_begun();
            zsh.presses_at_rest(key);
            zsh.reads_on(line);
        });
    }

    /// Whether both shells have reported their line and are idle.
    fn settles(&self) -> bool {
        self.at_once(|zsh| zsh.answers(zsh.asks())) == [true; 2]
    }

    /// Like `each`, for what waits for the shell.
    fn at_once<T: Send>(&self, act: impl Fn(&Zsh) -> T + Sync) -> [T; 2] {
        let (bare, with) = (&self.bare, &self.with);
        std::thread::scope(|scope| {
            let bare = scope.spawn(|| act(bare));
            let with = act(with);
            [bare.join().unwrap(), with]
        })
    }

    fn both(&self, act: impl Fn(&Zsh)) {
        act(&self.bare);
        act(&self.with);
    }

    fn each<T>(&self, tell: impl Fn(&Zsh) -> T) -> [T; 2] {
        [tell(&self.bare), tell(&self.with)]
    }
}

/// The rows without ghost text, up to the last that is not empty.
fn shown(zsh: &Zsh) -> Vec<String> {
    let screen = zsh.screen();
    let row = |row| {
        let (ghost, kept): (Vec<_>, Vec<_>) = screen.spans(row).into_iter().partition(|span| span.style.fg == GHOST);
        let text = zsh.hides_itself(&kept.into_iter().map(|span| span.text).collect::<String>()).trim_end().to_owned();
        // A long ghost has rows of its own.
        (!text.is_empty() || ghost.iter().all(|span| span.text.trim().is_empty())).then_some(text)
    };
    let mut rows: Vec<String> = (0..screen.size().0).filter_map(row).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}
