//! A user at a shell: what they type and what they see. Every `shows_…` waits until the condition holds, or fails with the screen.

use std::time::Duration;

use vt100::Color;

use crate::harness::home::Home;
use crate::harness::keys::Key;
use crate::harness::line::{self, Ghost};
use crate::harness::screen::{CURSOR, Screen};
use crate::harness::setup::Setup;
use crate::harness::shell::Shell;
use crate::harness::socket_client::SocketClient;
use crate::harness::terminal::Terminal;

pub struct Scene {
    // Declared before the home, so dropped first: the shell must have exited when the home looks for leftover processes.
    terminal: Terminal,
    pub home: Home,
    shell: Shell,
    ghost: Color,
    /// The number of the current prompt.
    at: usize,
}

impl Scene {
    pub fn zsh() -> Setup {
        Setup::new(Shell::Zsh)
    }

    pub fn bash() -> Setup {
        Setup::new(Shell::Bash)
    }

    pub fn fish() -> Setup {
        // A busy machine may be slow to reply.
        Setup::new(Shell::Fish).rc_after("set -g _aside_patience 9000")
    }

    pub fn begin(terminal: Terminal, home: Home, shell: Shell, ghost: Color) -> Self {
        Self { terminal, home, shell, ghost, at: 0 }
    }

    /// Waits for prompt `number`. From here on "the line" is the one after it.
    #[track_caller]
    pub fn prompt(&mut self, number: usize) -> &mut Self {
        let prompt = format!("{number}> ");
        self.wait_for(&format!("prompt {number}"), |screen| line::prompt_row(screen, &prompt).is_some());
        self.at = number;
        self
    }

    /// Types key by key and waits until the shell is idle before each. For input that is not echoed, use `sends`.
    #[track_caller]
    pub fn types(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            self.terminal.type_letter(letter);
        }
        self
    }

    /// Sends everything at once, as a bracketed paste.
    #[track_caller]
    pub fn pastes(&mut self, text: &str) -> &mut Self {
        self.terminal.paste(text);
        self
    }

    #[track_caller]
    pub fn presses(&mut self, key: Key) -> &mut Self {
        self.terminal.press(key);
        self
    }

    /// Sends raw bytes and waits for nothing.
    #[track_caller]
    pub fn sends(&mut self, bytes: &str) -> &mut Self {
        self.terminal.send(bytes.as_bytes());
        self
    }

    /// Answers a question once it could be read.
    #[track_caller]
    pub fn answers(&mut self, bytes: &str) -> &mut Self {
        self.terminal.answer(bytes.as_bytes());
        self
    }

    /// Types a command, runs it, waits for the next prompt, and returns the output without the last newline. The command must be
    /// one line, and its output must end in a newline.
    #[track_caller]
    pub fn runs(&mut self, command: &str) -> String {
        self.types(command).presses(Key::Enter);
        let (here, next) = (format!("{}> ", self.at), format!("{}> ", self.at + 1));
        self.prompt(self.at + 1);
        let lines = self.terminal.transcript();
        let mut begin = lines.iter().rposition(|line| line.starts_with(&here)).expect("the prompt was there");
        let end = lines.iter().rposition(|line| line.starts_with(next.trim_end())).expect("the prompt is there");
        // fish wraps a long command itself.
        let mut left = here.len() + command.trim_end().len();
        while begin < end && left > 0 {
            left = left.saturating_sub(lines[begin].len());
            begin += 1;
        }
        lines[begin..end].join("\n")
    }

    /// Waits until the line is `git st|atus`, with the cursor at `|` and no ghost text. A line that contains a pipe writes the
    /// cursor as `▮`. Wrapped rows are joined; a newline in `wanted` stands for a line break of the shell's.
    #[track_caller]
    pub fn shows_line(&mut self, wanted: &str) -> &mut Self {
        self.waits_for_line("the line", wanted, Ghost::Absent)
    }

    /// Waits until the line is `git st|atus`, where everything after the cursor is painted as ghost text.
    #[track_caller]
    pub fn shows_ghost(&mut self, wanted: &str) -> &mut Self {
        self.waits_for_line("ghost text", wanted, Ghost::AfterCursor)
    }

    /// Waits until nothing from the prompt down is painted as ghost text. Ghost text may still appear later: see `stays`.
    #[track_caller]
    pub fn shows_no_ghost(&mut self) -> &mut Self {
        let (prompt, ghost) = (self.here(), self.ghost);
        self.wait_for("no ghost text", |screen| {
            line::prompt_row(screen, &prompt)
                .is_some_and(|first| (first..screen.size().0).all(|row| !screen.has_ghost(row, ghost)))
        });
        self
    }

    /// Waits until `text` is anywhere on the screen.
    #[track_caller]
    pub fn shows(&mut self, text: &str) -> &mut Self {
        self.wait_for(&format!("{text:?} on the screen"), |screen| screen.contains(text));
        self
    }

    /// Waits until the whole screen is `wanted`, drawn as failures draw it: `‹ghost›`, and the cursor as `▮` where the test cares.
    /// Shared indentation and surrounding blank lines are ignored.
    #[track_caller]
    pub fn screen_is(&mut self, wanted: &str) -> &mut Self {
        let wanted = dedent(wanted);
        let ghost = self.ghost;
        self.wait_for(&format!("this screen:\n\n{wanted}\n"), |screen| {
            let rendered = screen.rendered(ghost).join("\n");
            if wanted.contains(CURSOR) { rendered == wanted } else { without_cursor(&rendered) == wanted }
        });
        self
    }

    /// Waits until the shell has processed every key sent so far and reads the keyboard again. Invisible, but possible only at a
    /// prompt; a history search or a menu would end.
    #[track_caller]
    pub fn settles(&mut self) -> &mut Self {
        self.terminal.settle(self.shell.settling());
        self
    }

    /// Asserts that `condition` holds and keeps holding: once the shell has settled, at every change until nothing was written for
    /// `quiet`, and when the shell has settled again. No test can prove that nothing will ever happen; choose `quiet` longer than
    /// the delay to be ruled out, or zero when only keys matter.
    #[track_caller]
    pub fn stays(&mut self, what: &str, quiet: Duration, condition: impl Fn(&Screen) -> bool) -> &mut Self {
        self.settles();
        self.terminal.wait_while_quiet(what, quiet, &condition);
        self.settles();
        self.terminal.wait_while_quiet(what, Duration::ZERO, &condition);
        self
    }

    /// Asserts that no ghost text appears.
    #[track_caller]
    pub fn stays_without_ghost(&mut self, quiet: Duration) -> &mut Self {
        let ghost = self.ghost;
        self.stays("no ghost text", quiet, |screen| (0..screen.size().0).all(|row| !screen.has_ghost(row, ghost)))
    }

    #[track_caller]
    pub fn wait_for(&self, what: &str, condition: impl Fn(&Screen) -> bool) -> Screen {
        self.terminal.wait_for(what, condition)
    }

    /// How many lines the shell has begun to read.
    pub fn lines_begun(&self) -> usize {
        self.terminal.lines_begun()
    }

    pub fn screen(&self) -> Screen {
        self.terminal.screen()
    }

    /// The marks around commands so far, and where the cursor was.
    pub fn command_marks(&self) -> Vec<(String, (u16, u16))> {
        self.terminal.command_marks()
    }

    /// Asserts that `condition` holds and keeps holding until nothing was written for `quiet`. Presses no key, not even the one
    /// that `settles` needs.
    #[track_caller]
    pub fn rests(&mut self, what: &str, quiet: Duration, condition: impl Fn(&Screen) -> bool) -> &mut Self {
        self.terminal.wait_while_quiet(what, quiet, condition);
        self
    }

    /// Every line since the start, as far back as the terminal's scrollback goes.
    pub fn transcript(&self) -> Vec<String> {
        self.terminal.transcript()
    }

    pub fn resizes(&mut self, rows: u16, columns: u16) -> &mut Self {
        self.terminal.resize(rows, columns);
        self
    }

    /// Waits for the shell to exit and returns its exit code.
    #[track_caller]
    pub fn ends(&mut self) -> i32 {
        self.terminal.wait_for_end()
    }

    /// A client of the daemon of this home.
    #[track_caller]
    pub fn wire(&self) -> SocketClient {
        self.home.wire()
    }

    fn here(&self) -> String {
        format!("{}> ", self.at)
    }

    #[track_caller]
    fn waits_for_line(&mut self, what: &str, wanted: &str, ghost: Ghost) -> &mut Self {
        let line = line::wanted(wanted, ghost);
        let lines = wanted.split('\n').count();
        let prompt = self.here();
        let colour = self.ghost;
        self.wait_for(&format!("{what} `{wanted}` at prompt {}", self.at), |screen| {
            line::read(screen, &prompt, lines, colour).as_ref() == Some(&line)
        });
        self
    }
}

fn dedent(text: &str) -> String {
    let lines: Vec<&str> = text.trim_matches('\n').lines().map(str::trim_end).collect();
    let filled = lines.iter().filter(|line| !line.is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    lines.join("\n").trim_end().to_owned()
}

fn without_cursor(rendered: &str) -> String {
    let lines: Vec<String> = rendered.lines().map(|line| line.replace(CURSOR, "").trim_end().to_owned()).collect();
    lines.join("\n").trim_end().to_owned()
}
