//! One terminal session with one task: receives its events, draws them, asks when a proposal waits, and sends the answer. An answer is only
//! ever a key of `keys`, to a `ApprovalPrompt` whose proposal was drawn; everything else leaves the task as it is.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use aside_proto::task::{ApprovalOffer, TaskBrief, TaskOp, TaskParams};
use aside_task::event::{EndStatus, Event, EventKind};
use aside_task::state::StateName;

use crate::cli::task::approval_prompt::{ApprovalPrompt, KeyDecision, ShownExtent};
use crate::cli::task::edit::{self, Edited};
use crate::cli::task::keys::{KeyPress, Keys, Kind, PendingInput};
use crate::cli::task::proposal::{self, Extent, Page};
use crate::cli::task::signals::{self, Modes, Signals};
use crate::cli::task::style::{DIM, RED, Style, YELLOW};
use crate::cli::task::view::{Request, TURN, View};
use crate::cli::{Exit, one_line, print, tasks, terminal};
use crate::client::tasks::{TaskError, TaskMessage, Tasks};
use crate::lone_key::{Pressed, WORD};
use crate::paths::Paths;
use crate::screen::{Size, Surface};

/// Cap on reconnects.
const RETURNS: usize = 5;
/// Timeout for an agent's follow-up task to appear.
const FOLLOWS: Duration = Duration::from_secs(5);

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    Shown,
    Json,
}

/// When the session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCondition {
    /// The task has ended, or waits for a user who cannot be asked here.
    Answered,
    /// The task has ended, wherever it was answered.
    Ended,
    /// The current state was shown, and answered if it waits.
    Shown,
}

/// Whether the daemon accepted an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

pub struct Session<'a> {
    paths: &'a Paths,
    tasks: Tasks,
    view: View,
    keys: Option<Keys>,
    signals: Signals,
    look: Style,
    id: String,
    /// The last event, and the last one at the start: earlier ones are no news.
    seq: u64,
    known: u64,
    form: OutputFormat,
    until: StopCondition,
    begun: Instant,
    question: Option<ApprovalPrompt>,
    /// When a key last changed what is asked about.
    changed: Option<u64>,
    /// The proposal on the screen, and its workspace.
    offered: Option<u32>,
    workspace: String,
    /// An edited text that the daemon refused.
    draft: Option<String>,
    interrupted: bool,
    returns: usize,
    by: String,
    /// The follow-up task of an agent.
    next: Option<String>,
}

impl<'a> Session<'a> {
    pub fn begin(
        paths: &'a Paths,
        mut tasks: Tasks,
        id: &str,
        from: u64,
        form: OutputFormat,
        until: StopCondition,
    ) -> anyhow::Result<Self> {
        let brief = tasks.watch(id, from)?;
        let able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
        let (surface, kind) = match (std::io::stdout().is_terminal() && able, able) {
            (true, _) => (Surface::Terminal, Kind::Able),
            (false, true) => (Surface::Paper, Kind::Able),
            (false, false) => (Surface::Paper, Kind::Dumb),
        };
        let asks = form == OutputFormat::Shown && until != StopCondition::Ended && !has_ended(&brief);
        let mut keys = if asks { Keys::open(kind) } else { None };
        let signals = Signals::listen(if keys.is_some() { Modes::Ours } else { Modes::Untouched })?;
        if let Some(keys) = &mut keys {
            keys.enter();
        }
        let (look, by) = (Style::here(), terminal().unwrap_or_default());
        let by = by.strip_prefix("/dev/").unwrap_or(&by).to_owned();
        let request = if until == StopCondition::Answered { Request::Known } else { Request::Shown };
        Ok(Self {
            paths,
            tasks,
            view: View::new(look, surface, request, &brief.task_id, &by),
            keys,
            signals,
            look,
            id: brief.task_id,
            seq: from,
            known: brief.seq,
            form,
            until,
            begun: Instant::now(),
            question: None,
            changed: None,
            offered: None,
            workspace: String::new(),
            draft: None,
            interrupted: false,
            returns: 0,
            by,
            next: None,
        })
    }

    pub fn run(mut self) -> anyhow::Result<Exit> {
        loop {
            let over = match self.process_messages()? {
                Some(exit) => Some(exit),
                None => self.is_over()?,
            };
            if over.is_some() && self.follows()? {
                continue;
            }
            if let Some(exit) = over {
                self.ends()?;
                return Ok(exit);
            }
            self.draws()?;
            let key = self.waits()?;
            for heard in self.signals.pending() {
                if let Some(exit) = self.signalled(heard)? {
                    self.ends()?;
                    return Ok(exit);
                }
            }
            let over = if key { self.pressed()? } else { self.stands()? };
            if let Some(exit) = over {
                self.ends()?;
                return Ok(exit);
            }
        }
    }

    fn process_messages(&mut self) -> anyhow::Result<Option<Exit>> {
        while let Some(heard) = self.tasks.next_message() {
            match heard {
                TaskMessage::Event(event) => self.takes(&event)?,
                TaskMessage::Answer { .. } => {}
                TaskMessage::Gone(trouble) => {
                    if let Some(exit) = self.returns(&trouble)? {
                        return Ok(Some(exit));
                    }
                }
            }
        }
        Ok(None)
    }

    fn takes(&mut self, event: &Event) -> anyhow::Result<()> {
        if event.seq <= self.seq {
            return Ok(());
        }
        self.seq = event.seq;
        if self.form == OutputFormat::Json {
            print(&crate::cli::json_line(event)?)?;
        }
        if let EventKind::TaskState(change) = &event.what
            && let Some(next) = change.outcome.as_ref().and_then(|outcome| outcome.next.as_ref())
        {
            self.next = Some(next.to_string());
        }
        self.view.take(event, Size::here());
        // The proposal was answered elsewhere, or replaced.
        if self.question.as_ref().is_some_and(|question| Some(question.offer.step) != self.view.step()) {
            self.question = None;
        }
        Ok(())
    }

    /// Reconnects to the next daemon, which knows the task too. Shows a pending proposal again, since an answer to the old one would not
    /// count.
    fn returns(&mut self, trouble: &TaskError) -> anyhow::Result<Option<Exit>> {
        self.returns += 1;
        let again = if self.returns > RETURNS {
            None
        } else {
            tasks(self.paths).ok().and_then(|mut tasks| Some((tasks.watch(&self.id, self.seq).ok()?, tasks)))
        };
        let Some((brief, tasks)) = again else {
            self.complains(&trouble.to_string());
            return Ok(Some(Exit::Unreachable));
        };
        self.tasks = tasks;
        self.known = self.known.max(brief.seq);
        (self.question, self.offered) = (None, None);
        Ok(None)
    }

    /// Continues with the agent's follow-up task.
    fn follows(&mut self) -> anyhow::Result<bool> {
        let Some(next) = self.next.take().filter(|_| self.until == StopCondition::Answered && !self.interrupted) else {
            return Ok(false);
        };
        // It is created right after the previous task has ended.
        let deadline = Instant::now() + FOLLOWS;
        let brief = loop {
            match self.tasks.watch(&next, 0) {
                Ok(brief) => break brief,
                Err(TaskError::Refused(_)) if Instant::now() < deadline => std::thread::sleep(FOLLOWS / 100),
                Err(_) => return Ok(false),
            }
        };
        if self.form == OutputFormat::Shown {
            self.draws()?;
            write(&self.view.clears(Size::here()))?;
        }
        self.view = View::new(self.look, self.view.surface(), Request::Known, &brief.task_id, &self.by);
        (self.id, self.seq, self.known) = (brief.task_id, 0, brief.seq);
        (self.question, self.offered, self.draft) = (None, None, None);
        Ok(true)
    }

    /// The exit status, once there is nothing to wait for.
    fn is_over(&mut self) -> anyhow::Result<Option<Exit>> {
        if self.seq < self.known {
            return Ok(None);
        }
        if let Some(status) = self.view.ended() {
            return Ok(Some(match (status, self.until, self.offered) {
                _ if self.interrupted => Exit::Stopped,
                // The task was only displayed.
                (_, StopCondition::Shown, None) | (EndStatus::Ok, ..) => Exit::Done,
                (EndStatus::Error, ..) => Exit::Failed,
                (EndStatus::Rejected, ..) => Exit::Unapproved,
            }));
        }
        if let Some(step) = self.view.step() {
            if self.form == OutputFormat::Json {
                return Ok(match self.until {
                    StopCondition::Shown => Some(Exit::Done),
                    StopCondition::Answered => Some(Exit::Unapproved),
                    StopCondition::Ended => None,
                });
            }
            if self.offered != Some(step) && !self.interrupted {
                self.offers(step)?;
            }
            if self.keys.is_none() && self.until != StopCondition::Ended && self.offered == Some(step) {
                self.complains(&format!("{} waits for you: aside task show {} at a terminal asks", self.id, self.id));
                return Ok(Some(Exit::Unapproved));
            }
        } else if self.until == StopCondition::Shown && self.offered.is_none() {
            self.complains(&format!("{} goes on: aside task watch {}", self.id, self.id));
            return Ok(Some(Exit::Done));
        }
        Ok(None)
    }

    /// Draws a pending proposal, and asks if the user can be asked.
    fn offers(&mut self, step: u32) -> anyhow::Result<()> {
        let told =
            match self.tasks.call(TaskParams { op: TaskOp::Show, task: self.id.clone(), ..TaskParams::default() }) {
                Ok(told) => told,
                // The next event says why.
                Err(TaskError::Lost(_)) => return Ok(()),
                Err(TaskError::Refused(message)) => {
                    self.offered = Some(step);
                    self.complains(&message);
                    return Ok(());
                }
            };
        // It was answered elsewhere; the events say so.
        let Some(offer) = told.offer.filter(|offer| offer.step == step) else { return Ok(()) };
        let brief = told.tasks.first().map(|brief| brief.summary.clone()).unwrap_or_default();
        let summary = Some(self.view.summary()).filter(|summary| !summary.is_empty()).unwrap_or(brief);
        self.workspace = told.tasks.first().map(|brief| brief.workspace.clone()).unwrap_or_default();
        let Page { rows, left, whole } = proposal::page(&offer, &summary, &self.workspace, self.look, self.extent());
        self.view.prints(rows);
        self.view.offered();
        self.offered = Some(step);
        if self.keys.is_some() {
            let seen = if whole { ShownExtent::Whole } else { ShownExtent::Part(left) };
            self.question = Some(ApprovalPrompt::new(*offer, summary, seen));
        }
        Ok(())
    }

    /// Everything where there is no terminal or no scrolling back.
    fn extent(&self) -> Extent {
        match &self.keys {
            Some(keys) if keys.kind() == Kind::Able => Extent::Screen(Size::here()),
            Some(_) | None => Extent::All,
        }
    }

    /// By the clock of `LoneKey`.
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn pressed(&mut self) -> anyhow::Result<Option<Exit>> {
        let now = self.now();
        let (Some(keys), Some(question)) = (&mut self.keys, &mut self.question) else { return Ok(None) };
        let pressed = keys.read();
        // It ends the line, of which a terminal without single keys sends all at once or not.
        if pressed == KeyPress::Enter && keys.kind() == Kind::Dumb {
            return Ok(None);
        }
        let decision = question.means(pressed);
        // The `c` that changed what is asked about may have begun a word, whose `y` is no approval.
        let in_word = self.changed.is_some_and(|changed| now.saturating_sub(changed) < WORD);
        let became = match (&decision, pressed) {
            (KeyDecision::Approve, KeyPress::Letter(letter)) if in_word => {
                question.keys.letter(now);
                Pressed::Stray(letter)
            }
            (
                KeyDecision::Approve | KeyDecision::Edit | KeyDecision::View | KeyDecision::Confine,
                KeyPress::Letter(letter),
            ) => question.keys.answers(letter, now),
            // `h` shows the help, and may begin a word.
            (KeyDecision::Nothing | KeyDecision::Help, KeyPress::Letter(letter)) if letter != '?' => {
                question.keys.letter(now)
            }
            _ => question.keys.others(now),
        };
        match decision {
            KeyDecision::Reject | KeyDecision::Leave | KeyDecision::Help => return self.acts(decision),
            KeyDecision::Remark(_) if became == Pressed::Nothing => return self.acts(decision),
            _ => {}
        }
        if let Pressed::Stray(letter) = became {
            self.remarks(&format!("press {letter} alone"));
        }
        Ok(None)
    }

    /// Does what the last key says, once it stood alone.
    fn stands(&mut self) -> anyhow::Result<Option<Exit>> {
        let now = self.now();
        let decision = self
            .question
            .as_mut()
            .and_then(|question| question.keys.stands(now).map(|letter| question.means(KeyPress::Letter(letter))));
        decision.map_or(Ok(None), |decision| self.acts(decision))
    }

    fn acts(&mut self, decision: KeyDecision) -> anyhow::Result<Option<Exit>> {
        let Some(question) = &self.question else { return Ok(None) };
        let offer = question.offer.clone();
        match decision {
            KeyDecision::Approve => {
                let environment = std::env::vars_os().filter_map(|(name, value)| {
                    Some(format!("{}={}", name.into_string().ok()?, value.into_string().ok()?))
                });
                let answer = TaskParams { environment: environment.collect(), ..self.answer(TaskOp::Approve, &offer) };
                let _ = self.says(answer);
            }
            KeyDecision::Reject => {
                let _ = self.says(self.answer(TaskOp::Reject, &offer));
            }
            KeyDecision::Edit => self.edits(&offer)?,
            KeyDecision::View => self.views(&offer)?,
            KeyDecision::Confine => {
                self.changed = Some(self.now());
                let confine = if offer.confine == "workspace" { "no" } else { "workspace" };
                let text = offer.text.clone();
                let _ =
                    self.says(TaskParams { text, confine: confine.to_owned(), ..self.answer(TaskOp::Edit, &offer) });
            }
            KeyDecision::Help => {
                let help = question.help();
                self.view.prints(help);
            }
            KeyDecision::Leave => return Ok(Some(self.leaves())),
            KeyDecision::Remark(remark) => self.remarks(&remark),
            KeyDecision::Nothing => {}
        }
        Ok(None)
    }

    fn answer(&self, op: TaskOp, offer: &ApprovalOffer) -> TaskParams {
        TaskParams {
            op,
            task: self.id.clone(),
            step: offer.step,
            digest: offer.digest.clone(),
            by: self.by.clone(),
            ..TaskParams::default()
        }
    }

    /// Sends an answer. Its effect arrives as events; a refusal is shown, and the pending proposal is asked about anew.
    fn says(&mut self, task: TaskParams) -> Taken {
        match self.tasks.call(task) {
            Ok(_) => {
                self.question = None;
                Taken::Yes
            }
            Err(trouble) => {
                self.question = None;
                self.offered = None;
                self.complains(&trouble.to_string());
                Taken::No
            }
        }
    }

    fn edits(&mut self, offer: &ApprovalOffer) -> anyhow::Result<()> {
        let is_diff = offer.action == "apply_diff";
        let text = self.draft.take().unwrap_or_else(|| offer.text.clone());
        let edited = self.lends(|| edit::edit(&text, is_diff))?;
        match edited {
            Ok(Edited::New(new)) => {
                if self.says(TaskParams { text: new.clone(), ..self.answer(TaskOp::Edit, offer) }) == Taken::No {
                    // Keeps the text for the next time that the editor opens.
                    self.draft = Some(new);
                    self.remarks("e goes on with what you wrote");
                }
            }
            Ok(Edited::Same) => self.remarks("nothing was changed"),
            Ok(Edited::Empty) => self.remarks("nothing was left, so nothing was changed"),
            Err(error) => self.complains(&format!("{error:#}")),
        }
        Ok(())
    }

    fn views(&mut self, offer: &ApprovalOffer) -> anyhow::Result<()> {
        let summary = self.question.as_ref().map(|question| question.summary.clone()).unwrap_or_default();
        let page = |look| proposal::page(offer, &summary, &self.workspace, look, Extent::All).rows;
        let is_dumb = self.keys.as_ref().is_some_and(|keys| keys.kind() == Kind::Dumb);
        let viewed = if is_dumb {
            self.view.prints(page(self.look));
            Ok(())
        } else {
            let look = if edit::pager_has_colours() { self.look } else { self.look.plain() };
            let rows: Vec<String> = page(look).iter().map(|row| look.written(row).into_owned()).collect();
            self.lends(|| edit::view(&rows))?
        };
        match viewed {
            Ok(()) => {
                if let Some(question) = &mut self.question {
                    question.seen = ShownExtent::Whole;
                }
            }
            Err(error) => self.complains(&format!("{error:#}")),
        }
        Ok(())
    }

    /// Lends the terminal to another program, in its original modes. Keys pressed there do not count for the question.
    fn lends<T>(&mut self, program: impl FnOnce() -> T) -> anyhow::Result<T> {
        let size = Size::here();
        write(&self.view.clears(size))?;
        if let Some(keys) = &mut self.keys {
            keys.leave();
        }
        let (came, end) = self.signals.lend(program);
        if let Some(signal) = end {
            signals::end(signal);
        }
        self.returns_to_terminal();
        Ok(came)
    }

    fn returns_to_terminal(&mut self) {
        if let Some(keys) = &mut self.keys {
            keys.enter();
        }
        if let Some(question) = &mut self.question {
            question.keys.hides();
        }
    }

    fn signalled(&mut self, heard: signals::SignalEvent) -> anyhow::Result<Option<Exit>> {
        // Discards pending input, as the terminal itself would without NOFLSH.
        if let (signals::SignalEvent::Interrupt, Some(keys)) = (heard, &self.keys) {
            keys.forgets();
        }
        match heard {
            signals::SignalEvent::Interrupt if self.question.is_some() => return Ok(Some(self.leaves())),
            signals::SignalEvent::Interrupt if self.until != StopCondition::Answered && self.offered.is_none() => {
                return Ok(Some(Exit::Stopped));
            }
            signals::SignalEvent::Interrupt if self.interrupted => {
                self.complains(&format!("{} is left to itself: aside task watch {}", self.id, self.id));
                return Ok(Some(Exit::Stopped));
            }
            signals::SignalEvent::Interrupt => {
                self.interrupted = true;
                self.view.stopping();
                if let Err(trouble) =
                    self.tasks.call(TaskParams { op: TaskOp::Cancel, task: self.id.clone(), ..TaskParams::default() })
                {
                    self.complains(&trouble.to_string());
                }
            }
            signals::SignalEvent::Stop => {
                write(&self.view.clears(Size::here()))?;
                if let Some(keys) = &mut self.keys {
                    keys.leave();
                }
                signals::stop();
                self.returns_to_terminal();
            }
            signals::SignalEvent::Continued => self.returns_to_terminal(),
            signals::SignalEvent::Resized => {}
            signals::SignalEvent::End(signal) => {
                write(&self.view.clears(Size::here()))?;
                self.keys = None;
                signals::end(signal);
                return Ok(Some(Exit::Stopped));
            }
        }
        Ok(None)
    }

    fn leaves(&mut self) -> Exit {
        self.question = None;
        self.complains(&format!("{} waits: aside task show {} asks again", self.id, self.id));
        Exit::Unapproved
    }

    /// Prints a note about a key.
    fn remarks(&mut self, remark: &str) {
        let row = self.look.with(YELLOW, &one_line(remark));
        self.view.prints([row]);
    }

    /// Prints an error for the user, never into a file.
    fn complains(&mut self, what: &str) {
        let what = one_line(what);
        if self.form == OutputFormat::Shown && std::io::stdout().is_terminal() {
            let style = if self.question.is_some() || self.interrupted { RED } else { DIM };
            let row = self.look.with(style, &what);
            self.view.prints([row]);
        } else if self.form == OutputFormat::Shown {
            self.view.remark(what);
        } else {
            complain!("aside: {what}");
        }
    }

    fn draws(&mut self) -> anyhow::Result<()> {
        if self.form == OutputFormat::Json {
            return Ok(());
        }
        let (size, now) = (Size::here(), self.now());
        let mut asked = None;
        let mut line = String::new();
        let is_new = self.question.as_ref().is_some_and(|question| !question.keys.is_shown());
        if let (Some(question), Some(keys)) = (&mut self.question, &self.keys) {
            if is_new && keys.kind() == Kind::Dumb {
                line = format!("{}\n", question.row(self.look, size, now));
            }
            asked = Some(question.row(self.look, size, now));
        }
        write(&(self.view.draws(asked, self.begun.elapsed(), size) + &line))?;
        // Counted from when a slow terminal has taken it all.
        let now = self.now();
        if let (true, Some(question), Some(keys)) = (is_new, &mut self.question, &self.keys) {
            // Discards what was typed so far, which cannot answer this. If there was any, the user is still typing or holds a key.
            if keys.forgets() == PendingInput::Something {
                question.keys.others(now);
            }
            question.keys.shows((), now);
        }
        for remark in self.view.remarks() {
            complain!("aside: {remark}");
        }
        Ok(())
    }

    fn ends(&mut self) -> anyhow::Result<()> {
        self.question = None;
        if self.form == OutputFormat::Shown {
            self.draws()?;
            write(&self.view.clears(Size::here()))?;
        }
        self.keys = None;
        Ok(())
    }

    /// Waits for an event. Returns whether it is a key for the question.
    fn waits(&mut self) -> anyhow::Result<bool> {
        let keys = self.keys.as_ref().filter(|_| self.question.is_some());
        let now = self.now();
        let patience = match &self.question {
            Some(question) => question.keys.wakes(now).map(|wakes| Duration::from_millis(wakes.saturating_sub(now))),
            None if self.form == OutputFormat::Json => None,
            None if self.view.state() == Some(StateName::WaitingApproval) && self.keys.is_none() => None,
            None => Some(TURN),
        };
        let mut fds = vec![self.signals.descriptor()];
        fds.extend(keys.map(Keys::descriptor));
        let ready = self.tasks.wait(&fds, patience)?;
        Ok(ready.get(1).copied().unwrap_or(false))
    }
}

fn has_ended(brief: &TaskBrief) -> bool {
    matches!(brief.state.as_str(), "COMPLETED" | "FAILED" | "REJECTED")
}

/// Flushes at once, since the live row has no newline.
fn write(text: &str) -> anyhow::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    print(text)?;
    Ok(std::io::stdout().flush()?)
}
