//! The event loop: polls keys, the daemon and signals, feeds the model, performs its actions, and paints when something changed. Decides
//! nothing.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use anyhow::Context;
use ratatui_core::terminal::Terminal;
use rustix::event::{PollFd, PollFlags, Timespec};

use crate::cli::chat::draw;
use crate::cli::chat::keys::{Decoder, Key};
use crate::cli::chat::model::{ChatAction, ChatEvent, Model, ReplyTag};
use crate::cli::chat::screen::{self, Canvas, Screen};
use crate::cli::chat::signals::{self, SignalEvent, Signals};
use crate::cli::{self, Exit};
use crate::client::tasks::{TaskError, TaskMessage as Told, Tasks};
use crate::exec::{self, Own};
use crate::paths::Paths;

/// Interval of the spinner.
const TURN: Duration = Duration::from_millis(120);
/// Minimum time between paints: a stream arrives in very many small pieces.
const PICTURE: Duration = Duration::from_millis(33);
/// Reconnect backoff: initial and maximum.
const AGAIN: Duration = Duration::from_millis(300);
const AGAIN_AT_MOST: Duration = Duration::from_secs(5);
/// Bytes per read.
const KEYS: usize = 4096;
/// Cap on a text that comes back from the editor.
const MAX_EDITED: u64 = 4 * 1024 * 1024;

pub struct EventLoop<'a> {
    paths: &'a Paths,
    model: Model,
    terminal: Terminal<Canvas>,
    screen: Option<Screen>,
    signals: Signals,
    decoder: Decoder,
    /// When a key last arrived.
    typed: Instant,
    tasks: Option<Tasks>,
    tags: HashMap<u64, ReplyTag>,
    started: Instant,
    painted: Option<Instant>,
    /// When to reconnect, and the next backoff.
    again: Option<(Instant, Duration)>,
    /// Set when the loop is to end.
    end: Option<Exit>,
}

impl<'a> EventLoop<'a> {
    pub fn new(paths: &'a Paths, model: Model, canvas: Canvas, tasks: Tasks) -> anyhow::Result<Self> {
        let signals = Signals::listen()?;
        screen::give_back_on_panic();
        let screen = Screen::take()?;
        let terminal = Terminal::new(canvas).context("could not take the screen over")?;
        Ok(Self {
            paths,
            model,
            terminal,
            screen: Some(screen),
            signals,
            decoder: Decoder::default(),
            typed: Instant::now(),
            tasks: Some(tasks),
            tags: HashMap::new(),
            started: Instant::now(),
            painted: None,
            again: None,
            end: None,
        })
    }

    pub fn run(mut self) -> anyhow::Result<Exit> {
        self.happens(ChatEvent::Connected)?;
        loop {
            self.next_message()?;
            self.paint()?;
            if let Some(exit) = self.end {
                return Ok(exit);
            }
            let (keys, signals) = self.wait()?;
            if signals {
                for heard in self.signals.pending() {
                    self.signal(heard)?;
                }
            }
            match keys {
                true => self.read_keys()?,
                false => self.end_sequence()?,
            }
            if !keys && self.key_stands().is_some_and(|at| Instant::now() >= at) {
                self.happens(ChatEvent::Quiet)?;
            }
            self.connect_again()?;
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn happens(&mut self, happened: ChatEvent) -> anyhow::Result<()> {
        let now = self.now();
        let outs = self.model.update(happened, now);
        for out in outs {
            self.act(out)?;
        }
        Ok(())
    }

    fn act(&mut self, out: ChatAction) -> anyhow::Result<()> {
        match out {
            ChatAction::Send(tag, task) => {
                let Some(tasks) = &mut self.tasks else { return Ok(()) };
                match tasks.send(*task) {
                    Ok(number) => {
                        self.tags.insert(number, tag);
                        Ok(())
                    }
                    Err(trouble) => self.lost(&trouble),
                }
            }
            ChatAction::Renew => {
                self.tasks = None;
                self.again = Some((Instant::now(), AGAIN));
                Ok(())
            }
            ChatAction::Edit { task, text, suffix } => self.edit(&task, &text, suffix),
            ChatAction::Redraw => self.clear(),
            ChatAction::Suspend if signals::can_suspend() => self.suspend(),
            ChatAction::Suspend => {
                self.happens(ChatEvent::Failed("no shell started this, so there is none to go to".to_owned()))
            }
            ChatAction::Leave => {
                self.end = Some(Exit::Done);
                Ok(())
            }
        }
    }

    /// Takes all pending replies before painting.
    fn next_message(&mut self) -> anyhow::Result<()> {
        while let Some(told) = self.tasks.as_mut().and_then(Tasks::next_message) {
            match told {
                Told::Event(event) => self.happens(ChatEvent::Event(event))?,
                Told::Answer { number, told } => {
                    // A followed list is sent repeatedly under the same number.
                    let tag = match self.tags.get(&number) {
                        Some(ReplyTag::Follow) => Some(ReplyTag::Follow),
                        _ => self.tags.remove(&number),
                    };
                    if let Some(tag) = tag {
                        self.happens(ChatEvent::Answer(tag, told.map_err(|trouble| trouble.to_string())))?;
                    }
                }
                Told::Gone(trouble) => self.lost(&trouble)?,
            }
        }
        Ok(())
    }

    fn lost(&mut self, trouble: &TaskError) -> anyhow::Result<()> {
        self.tasks = None;
        self.tags.clear();
        self.again = Some((Instant::now() + AGAIN, AGAIN));
        self.happens(ChatEvent::Lost(format!("the connection was lost: {trouble}")))
    }

    fn connect_again(&mut self) -> anyhow::Result<()> {
        let Some((at, pause)) = self.again.filter(|(at, _)| Instant::now() >= *at) else { return Ok(()) };
        match cli::tasks(self.paths) {
            Ok(tasks) => {
                self.tasks = Some(tasks);
                self.tags.clear();
                self.again = None;
                self.happens(ChatEvent::Connected)
            }
            Err(error) => {
                self.again = Some((at + pause, (pause * 2).min(AGAIN_AT_MOST)));
                self.happens(ChatEvent::Failed(format!("{error:#}")))
            }
        }
    }

    /// Waits; returns whether keys and whether signals are pending.
    fn wait(&self) -> anyhow::Result<(bool, bool)> {
        let now = Instant::now();
        let until = |at: Instant| at.saturating_duration_since(now);
        let pauses = [
            self.sequence_ends().map(until),
            self.key_stands().map(until),
            self.again.map(|(at, _)| until(at)),
            self.model.is_busy().then_some(TURN),
            self.model.changed.then(|| self.painted.map_or(Duration::ZERO, |painted| until(painted + PICTURE))),
        ];
        let pause = pauses.into_iter().flatten().min();
        let (input, signals) = (io::stdin(), self.signals.descriptor());
        let others: [BorrowedFd<'_>; 2] = [input.as_fd(), signals];
        let ready = match &self.tasks {
            Some(tasks) => tasks.wait(&others, pause),
            None => ready(&others, pause),
        };
        let ready = ready.context("could not wait for the terminal")?;
        Ok((ready.first().copied().unwrap_or(false), ready.get(1).copied().unwrap_or(false)))
    }

    fn read_keys(&mut self) -> anyhow::Result<()> {
        let mut bytes = [0; KEYS];
        let keys = match rustix::io::read(io::stdin(), &mut bytes) {
            // The terminal is gone.
            Ok(0) | Err(rustix::io::Errno::IO) => {
                self.end = Some(Exit::Done);
                return Ok(());
            }
            Ok(count) => {
                self.typed = Instant::now();
                self.decoder.feed(bytes.get(..count).unwrap_or_default())
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Vec::new(),
            Err(error) => return Err(error).context("could not read from the terminal"),
        };
        self.press(keys)
    }

    /// Emits Esc once the timeout for a sequence has passed.
    fn end_sequence(&mut self) -> anyhow::Result<()> {
        let is_due = self.sequence_ends().is_some_and(|at| Instant::now() >= at);
        let key = if is_due { self.decoder.rest() } else { None };
        self.press(key.into_iter().collect())
    }

    fn sequence_ends(&self) -> Option<Instant> {
        Some(self.typed + self.decoder.patience()?)
    }

    /// When a key stood alone. An incomplete sequence may be another one.
    fn key_stands(&self) -> Option<Instant> {
        let wakes = self.model.wakes(self.now()).filter(|_| self.decoder.patience().is_none())?;
        Some(self.started + Duration::from_millis(wakes))
    }

    fn press(&mut self, keys: Vec<Key>) -> anyhow::Result<()> {
        for key in keys {
            self.happens(ChatEvent::Key(key))?;
            // Keys typed after one that leaves belong to the next program.
            if self.end.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn signal(&mut self, heard: SignalEvent) -> anyhow::Result<()> {
        match heard {
            SignalEvent::Resized => {
                let (width, height) = screen::size();
                self.happens(ChatEvent::Resized(width, height))
            }
            SignalEvent::Continued => {
                self.screen = None;
                self.come_back()
            }
            SignalEvent::Suspend if signals::can_suspend() => self.suspend(),
            SignalEvent::Suspend => Ok(()),
            SignalEvent::Interrupt => self.happens(ChatEvent::Key(Key::Ctrl('c'))),
            SignalEvent::End(signal) => {
                self.screen = None;
                signals::end_by(signal);
                self.end = Some(Exit::Stopped);
                Ok(())
            }
        }
    }

    fn suspend(&mut self) -> anyhow::Result<()> {
        self.screen = None;
        signals::suspend();
        self.come_back()
    }

    /// Takes the screen again after a shell or an editor had it.
    fn come_back(&mut self) -> anyhow::Result<()> {
        self.screen = Some(Screen::take()?);
        // Drops signals of our own stop and continue, and those meant for the other program.
        for heard in self.signals.pending() {
            if let SignalEvent::End(_) = heard {
                self.signal(heard)?;
            }
        }
        let (width, height) = screen::size();
        self.happens(ChatEvent::Resized(width, height))
    }

    fn clear(&mut self) -> anyhow::Result<()> {
        self.terminal.clear().context("could not write to the terminal")?;
        self.model.changed = true;
        self.painted = None;
        Ok(())
    }

    fn edit(&mut self, task: &str, text: &str, suffix: &str) -> anyhow::Result<()> {
        self.screen = None;
        let edited = edited(text, suffix);
        self.come_back()?;
        match edited {
            Ok(text) => self.happens(ChatEvent::Edited { task: task.to_owned(), text }),
            Err(error) => self.happens(ChatEvent::Failed(format!("{error:#}"))),
        }
    }

    fn paint(&mut self) -> anyhow::Result<()> {
        // Checks the size itself: SIGWINCH may not have been handled yet, and rows are laid out for what is painted.
        let (width, height) = screen::size();
        if self.model.size() != (width, height) {
            self.happens(ChatEvent::Resized(width, height))?;
        }
        let turns = self.model.is_busy() && self.painted.is_none_or(|painted| painted.elapsed() >= TURN);
        let due = self.painted.is_none_or(|painted| painted.elapsed() >= PICTURE);
        if self.end.is_some() || !(turns || self.model.changed && due) {
            return Ok(());
        }
        self.model.lay();
        let turn = usize::try_from(self.started.elapsed().as_millis() / TURN.as_millis()).unwrap_or(0);
        let model = &self.model;
        let drawn = self.terminal.draw(|frame| {
            let cursor = draw::draw(model, turn, frame.buffer_mut());
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        });
        drawn.context("could not write to the terminal")?;
        self.painted = Some(Instant::now());
        let now = self.now();
        self.model.painted(now);
        Ok(())
    }
}

/// The edited text, or `None` if it was not changed.
fn edited(text: &str, suffix: &str) -> anyhow::Result<Option<String>> {
    let mut file = tempfile::Builder::new().prefix("aside-").suffix(suffix).tempfile();
    let file = file.as_mut().map_err(|error| anyhow::anyhow!("could not make a file to edit: {error}"))?;
    // Editors add a final newline.
    let ended = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    file.write_all(ended.as_bytes()).context("could not write the file to edit")?;
    let status = exec::own(Own::Editor(file.path()))?;
    anyhow::ensure!(status.success(), "the editor failed; nothing was changed");
    // Opens it by name: many editors replace the file.
    let mut read = String::new();
    let changed = std::fs::File::open(file.path()).context("could not read what was edited")?;
    changed.take(MAX_EDITED).read_to_string(&mut read).context("could not read what was edited")?;
    if read == ended {
        return Ok(None);
    }
    let has_end = text.ends_with('\n');
    Ok(Some(if has_end { read } else { read.strip_suffix('\n').unwrap_or(&read).to_owned() }))
}

/// Which of them are readable.
fn ready(fds: &[BorrowedFd<'_>], patience: Option<Duration>) -> Result<Vec<bool>, rustix::io::Errno> {
    let mut polled: Vec<PollFd<'_>> = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match rustix::event::poll(&mut polled, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error),
    }
    Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect())
}
