//! What is set up before a scene begins: rc files, history, configuration, files. Decides only their order.

use vt100::Color;

use crate::harness::home::Home;
use crate::harness::programs;
use crate::harness::scene::Scene;
use crate::harness::screen::GHOST;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::shell::Shell;
use crate::harness::terminal::Terminal;

pub struct Setup {
    home: Home,
    shell: Shell,
    before: Vec<String>,
    after: Vec<String>,
    aside: Aside,
    history: Vec<String>,
    size: (u16, u16),
    ghost: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aside {
    Loaded,
    Absent,
}

impl Setup {
    pub fn new(shell: Shell) -> Self {
        Self {
            home: Home::new(),
            shell,
            before: Vec::new(),
            after: Vec::new(),
            aside: Aside::Loaded,
            history: Vec::new(),
            size: (24, 80),
            ghost: GHOST,
        }
    }

    /// More lines for the rc file, where their order does not matter.
    pub fn rc(self, lines: &str) -> Self {
        self.rc_before(lines)
    }

    /// With a scripted daemon. It has no history.
    pub fn scripted(self, script: &ScriptedDaemon) -> Self {
        script.listens(&self.home.socket());
        self
    }

    /// Lines of the rc file before the one that loads Aside.
    pub fn rc_before(mut self, lines: &str) -> Self {
        self.before.push(lines.to_owned());
        self
    }

    /// Lines of the rc file after the one that loads Aside.
    pub fn rc_after(mut self, lines: &str) -> Self {
        self.after.push(lines.to_owned());
        self
    }

    /// The bare shell.
    pub fn without_aside(mut self) -> Self {
        self.aside = Aside::Absent;
        self
    }

    /// Past commands, oldest first, in the shell's own history file and, where Aside is loaded, in Aside's.
    pub fn history(mut self, commands: &[&str]) -> Self {
        self.history.extend(commands.iter().map(|command| (*command).to_owned()));
        self
    }

    pub fn size(mut self, rows: u16, columns: u16) -> Self {
        self.size = (rows, columns);
        self
    }

    /// The whole `config.toml`.
    pub fn config(self, toml: &str) -> Self {
        self.file(".config/aside/config.toml", toml)
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.home.set_env(name, value);
        self
    }

    /// A file in the home directory. It is executable if it begins with `#!`.
    pub fn file(self, path: &str, contents: &str) -> Self {
        self.home.write(path, contents);
        self
    }

    /// An executable in the home directory, with arbitrary contents.
    pub fn program(self, path: &str, bytes: &[u8]) -> Self {
        self.home.write(path, "");
        programs::write(&self.home.path(path), bytes);
        self
    }

    /// The absolute path of a file in the home directory.
    pub fn path(&self, relative: &str) -> String {
        self.home.path(relative).display().to_string()
    }

    /// The colour that counts as ghost text, for a test that configures another.
    pub fn ghost(mut self, colour: Color) -> Self {
        self.ghost = colour;
        self
    }

    /// Starts the shell and waits for prompt 1.
    #[track_caller]
    pub fn start(self) -> Scene {
        let mut scene = self.begins();
        scene.prompt(1);
        scene
    }

    /// Starts the shell without waiting: it still reads its rc file.
    #[track_caller]
    pub fn begins(self) -> Scene {
        self.shell.prepare(&self.home);
        let init = match self.aside {
            Aside::Loaded => self.shell.init_line(),
            Aside::Absent => "",
        };
        let before = self.before.iter().map(String::as_str);
        let after = self.after.iter().map(String::as_str);
        let rc: Vec<&str> =
            std::iter::once(self.shell.stage_directions()).chain(before).chain([init]).chain(after).collect();
        self.home.write(self.shell.rc_file(), rc.join("\n") + "\n");
        if !self.history.is_empty() {
            self.write_history();
        }
        let log = self.home.daemon_log();
        let terminal = Terminal::start(self.shell.command(&self.home), self.size, self.ghost, log);
        Scene::begin(terminal, self.home, self.shell, self.ghost)
    }

    #[track_caller]
    fn write_history(&self) {
        // Commands in the history must be able to run: creates a repository with a stash.
        if self.history.iter().any(|command| command.starts_with("git ")) {
            self.home.write(".git/HEAD", "ref: refs/heads/main\n");
            self.home.write(".git/logs/refs/stash", "0 1 me <me@example.invalid> 0 +0000\tOn main: later\n");
        }
        self.shell.write_history(&self.home, &self.history);
        if self.aside == Aside::Loaded {
            self.home.aside_does(&["history", "import", self.shell.name()]);
        }
    }
}
