//! Renders a task's events as they arrive: streaming Markdown, a command's output, the outcome, and one live row below with the current
//! activity. Decides what to write; does not write, and asks nothing.

use std::time::Duration;

use aside_core::agent::language::needs_model;
use aside_task::event::{ActOutcome, EndStatus, Event, EventKind, OutputChannel, StateChange, answered_from};
use aside_task::proposal::{Proposal, TaskResult};
use aside_task::remote::asked_by;
use aside_task::route::TaskScope;
use aside_task::route::intent::TaskKind;
use aside_task::run::model_reply::{StreamingAnswer, streaming_answer};
use aside_task::state::StateName;
use aside_text::markdown::{TextEnd, render_with};

use crate::cli::task::output::Output;
use crate::cli::task::proposal;
use crate::cli::task::style::{BOLD, Charset, DIM, GREEN, RED, Style, YELLOW};
use crate::cli::{STALLED, one_line, span, stalled};
use crate::screen::{Live, Size, Surface, fit};

const WHEEL: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII_WHEEL: [&str; 4] = ["|", "/", "-", "\\"];
/// Interval of the spinner.
pub const TURN: Duration = Duration::from_millis(120);
/// Rows below search results: the count of the rest, and the next prompt.
const BELOW_FOUND: usize = 6;
/// Search results shown on the smallest screen.
const LEAST_FOUND: usize = 8;
/// Cap on the rows of a repeated request, which may contain a long output.
const MAX_REQUEST_ROWS: usize = 12;

pub struct View {
    look: Style,
    live: Live,
    request: Request,
    /// Rows to write next, and notes that do not belong into a file.
    stand: Vec<String>,
    remarks: Vec<String>,
    answer: Answer,
    output: Output,
    /// A proposal that is not on the screen yet.
    proposed: Option<Box<TaskResult>>,
    state: Option<StateName>,
    step: Option<u32>,
    ended: Option<EndStatus>,
    stopping: bool,
    /// When the last event arrived, by the clock of `draws`; `None` until the next draw.
    heard: Option<Duration>,
    name: String,
    /// This terminal's name: the user need not be told of their own approval.
    by: String,
}

/// Whether to show the request: the user who has just typed it knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Shown,
    Known,
}

/// A streaming text.
#[derive(Default)]
struct Answer {
    id: String,
    text: String,
    /// Rows already printed.
    printed: usize,
    /// The width it was begun with: another width would wrap differently.
    width: usize,
    /// The completed texts of this attempt.
    said: String,
    hides: Hides,
}

/// Hides a change while the model still writes it: it is shown once, as what it really does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hides {
    #[default]
    Nothing,
    Changes,
}

impl Answer {
    fn shown(&self, whole: TextEnd) -> StreamingAnswer {
        match self.hides {
            Hides::Nothing => StreamingAnswer { words: self.text.clone(), is_writing: false },
            Hides::Changes => streaming_answer(&self.text, whole),
        }
    }
}

impl View {
    pub fn new(look: Style, surface: Surface, request: Request, name: &str, by: &str) -> Self {
        Self {
            look,
            live: Live::new(surface),
            request,
            stand: Vec::new(),
            remarks: Vec::new(),
            answer: Answer::default(),
            output: Output::default(),
            proposed: None,
            state: None,
            step: None,
            ended: None,
            stopping: false,
            heard: None,
            name: name.to_owned(),
            by: by.to_owned(),
        }
    }

    pub fn state(&self) -> Option<StateName> {
        self.state
    }

    /// The step of the pending proposal.
    pub fn step(&self) -> Option<u32> {
        self.step.filter(|_| self.state == Some(StateName::WaitingApproval))
    }

    pub fn surface(&self) -> Surface {
        self.live.surface()
    }

    pub fn ended(&self) -> Option<EndStatus> {
        self.ended
    }

    pub fn stopping(&mut self) {
        self.stopping = true;
    }

    /// Takes the notes for beside the rows. Not for a file.
    pub fn remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    pub fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    pub fn take(&mut self, event: &Event, size: Size) {
        self.heard = None;
        match &event.what {
            EventKind::TaskStart { intent, scope } => {
                let unsure = match scope {
                    TaskScope::Full => "",
                    TaskScope::Plan => " (a plan only: it is not clear enough what is wanted)",
                };
                self.beside(&format!("{}{unsure}", one_line(&intent.summary)));
                self.answer.hides = match intent.kind {
                    TaskKind::Change | TaskKind::Diagnose => Hides::Changes,
                    TaskKind::Help
                    | TaskKind::Status
                    | TaskKind::Explain
                    | TaskKind::Run
                    | TaskKind::Search
                    | TaskKind::Review => Hides::Nothing,
                };
            }
            EventKind::TaskState(change) => self.changes(change, event.attempt),
            EventKind::TaskStreamChunk { message_id, channel: OutputChannel::Answer, chunk } => {
                if self.answer.id != *message_id {
                    self.settle();
                    let hides = self.answer.hides;
                    self.answer = Answer { id: message_id.clone(), width: size.columns, hides, ..Answer::default() };
                }
                self.answer.text.push_str(chunk);
            }
            EventKind::TaskStreamChunk { channel: OutputChannel::Output, chunk, .. } => {
                self.settle();
                let lines = self.output.push(chunk);
                self.stand.extend(lines);
            }
            EventKind::TaskProposal(offered) => self.proposes(&offered.result, size),
            EventKind::TaskEnd { status } => {
                self.settle();
                self.unoffered();
                self.ended = Some(*status);
            }
        }
    }

    /// Prints rows permanently.
    pub fn prints(&mut self, rows: impl IntoIterator<Item = String>) {
        self.settle();
        self.stand.extend(rows);
    }

    /// The proposal is on the screen, so it is not printed again.
    pub fn offered(&mut self) {
        self.proposed = None;
    }

    /// The pending proposal in one line.
    pub fn summary(&self) -> String {
        self.proposed.as_ref().map(|result| result.summary.clone()).unwrap_or_default()
    }

    fn changes(&mut self, change: &StateChange, attempt: u32) {
        self.state = Some(change.state);
        self.step = change.step.or(self.step);
        let message = change.message.as_deref().map(one_line).unwrap_or_default();
        match change.state {
            StateName::Received => {
                self.ended = None;
                self.stopping = false;
                self.answer = Answer::default();
                if let (Some(request), Request::Shown) = (&change.request, self.request) {
                    let mut rows = request.text.lines().map(one_line);
                    let first: Vec<String> = rows.by_ref().take(MAX_REQUEST_ROWS).collect();
                    let more = rows.count();
                    if let Some(by) = asked_by(request) {
                        self.stand.push(self.look.with(YELLOW, &format!("asked by {by}")));
                    }
                    self.stand.extend(first.iter().map(|row| self.look.with(BOLD, &format!("> {row}"))));
                    if more > 0 {
                        self.stand.push(self.look.with(DIM, &format!("> … {more} more {}", proposal::lines(more))));
                    }
                }
                if attempt > 1 {
                    self.beside(&format!("attempt {attempt}"));
                }
            }
            StateName::Routed
            | StateName::ContextCollected
            | StateName::Proposing
            | StateName::ProposalReady
            | StateName::WaitingApproval => {
                if !message.is_empty() {
                    self.beside(&message);
                }
            }
            StateName::Executing => {
                self.settle();
                self.unoffered();
                if let Some(by) = change.by.as_ref().filter(|by| **by != self.by) {
                    self.beside(&format!("approved {}", answered_from(&one_line(by))));
                }
                if !message.is_empty() {
                    self.beside(&message);
                }
            }
            StateName::Completed => {
                self.settle();
                self.unoffered();
                if let Some(outcome) = &change.outcome {
                    self.completes(outcome);
                }
                // Only an undone task has `by`.
                if let Some(by) = &change.by {
                    let row = format!("undone {}", answered_from(&one_line(by)));
                    match self.live.surface() {
                        Surface::Terminal => self.stand.push(row),
                        Surface::Paper => self.remarks.push(row),
                    }
                }
            }
            StateName::Failed => {
                self.settle();
                self.unoffered();
                let why = if message.is_empty() { "it failed".to_owned() } else { message };
                match needs_model(&why) {
                    true => self.fails(&why),
                    false => self.fails(&format!("failed: {why}")),
                }
            }
            StateName::Rejected => {
                self.settle();
                let row = match message.as_str() {
                    "" => "rejected; nothing was done".to_owned(),
                    // It was stopped before there was anything to reject.
                    "cancelled" => "cancelled; nothing was done".to_owned(),
                    why => format!("rejected: {why}; nothing was done"),
                };
                match self.live.surface() {
                    Surface::Terminal => self.beside(&row),
                    Surface::Paper => self.remarks.push(row),
                }
            }
        }
    }

    fn completes(&mut self, outcome: &ActOutcome) {
        let mut row = one_line(&outcome.summary);
        if let Some(exit) = outcome.exit.filter(|exit| *exit != 0 || row.is_empty()) {
            row = format!("{row} (exit {exit})");
        }
        if outcome.undo.is_some() {
            row = format!("{row}; undo with: aside task undo {}", self.name);
        }
        let row = self.look.with(GREEN, row.trim());
        match self.live.surface() {
            Surface::Terminal => self.stand.push(row),
            Surface::Paper => self.remarks.push(row),
        }
    }

    fn fails(&mut self, why: &str) {
        match self.live.surface() {
            Surface::Terminal => self.stand.push(self.look.with(RED, why)),
            Surface::Paper => self.remarks.push(why.to_owned()),
        }
    }

    fn beside(&mut self, row: &str) {
        if self.live.surface() == Surface::Terminal {
            self.settle();
            self.stand.push(self.look.with(DIM, row));
        }
    }

    fn proposes(&mut self, result: &TaskResult, size: Size) {
        match &result.proposal {
            Proposal::Plan { text } | Proposal::Answer { text } => {
                let streamed = self.answer.text.trim();
                let whole = text.trim();
                let hidden = self.answer.hides == Hides::Changes && streaming_answer(text, TextEnd::Yes).words != *text;
                self.answer.hides = Hides::Nothing;
                if hidden {
                    self.answer.hides = Hides::Changes;
                    self.settle();
                    self.answer.hides = Hides::Nothing;
                    self.says(text, size);
                } else if !streamed.is_empty() && whole.starts_with(streamed) {
                    let begins = self.answer.text.len() - self.answer.text.trim_start().len();
                    let text = format!("{}{whole}", self.answer.text.get(..begins).unwrap_or_default());
                    self.answer.text = text;
                    self.settle();
                } else if has_lines(streamed, whole) {
                    self.settle();
                } else if !self.answer.said.contains(whole) {
                    self.settle();
                    self.says(text, size);
                }
                self.notes(result, size);
            }
            Proposal::SearchResults { .. } => {
                self.settle();
                let mut rows = proposal::settled_rows(&result.proposal, self.look);
                // Cuts at the end: the best results come first, and must not scroll off.
                let room = size.rows.saturating_sub(BELOW_FOUND).max(LEAST_FOUND);
                let cuts = self.live.surface() == Surface::Terminal && self.request == Request::Known;
                if cuts && rows.len() > room {
                    let more = rows.len() - room;
                    rows.truncate(room);
                    rows.push(self.look.with(DIM, &format!("… {more} more: aside task show {} | less", self.name)));
                }
                self.stand.extend(rows);
                self.notes(result, size);
            }
            Proposal::Diff { .. } | Proposal::Command { .. } => {
                self.settle();
                if self.proposed.is_none() {
                    self.notes(result, size);
                }
                self.proposed = Some(Box::new(result.clone()));
            }
        }
    }

    /// Prints what the result adds to the proposal and was not printed before.
    fn notes(&mut self, result: &TaskResult, size: Size) {
        let details = result.details.as_deref().unwrap_or_default().trim();
        // The files of a change, and search results, stand in the proposal itself.
        let lists = |part: &str| match &result.proposal {
            Proposal::Diff { files, .. } => {
                let is_one = |line: &str| line.starts_with("- ") && files.iter().any(|file| line.contains(&file.path));
                part.trim().lines().all(is_one)
            }
            // A name is between backquotes, and its places are below it; a note is neither.
            Proposal::SearchResults { .. } => {
                part.lines().all(|line| line.starts_with("- `") || line.starts_with("  - ") || line.is_empty())
            }
            Proposal::Plan { .. } | Proposal::Answer { .. } | Proposal::Command { .. } => part.trim().is_empty(),
        };
        let is_new = |part: &&str| !self.answer.said.contains(part.trim()) && !lists(part);
        let parts = details.split("\n\n").filter(is_new);
        let rest = parts.collect::<Vec<&str>>().join("\n\n");
        if !rest.is_empty() {
            self.says(&rest, size);
        }
    }

    /// Prints a complete text.
    fn says(&mut self, text: &str, size: Size) {
        self.settle();
        self.answer.text = text.to_owned();
        (self.answer.printed, self.answer.width) = (0, size.columns);
        self.settle();
    }

    /// Ends the streaming text or output.
    fn settle(&mut self) {
        if !self.answer.text.is_empty() {
            let shown = self.answer.shown(TextEnd::Yes).words;
            let rows = render_with(&shown, self.answer.width, TextEnd::Yes, self.look.spans()).rows;
            let rows = rows.iter().skip(self.answer.printed).map(|row| self.look.marked(row));
            self.stand.extend(rows);
            self.answer.printed = 0;
            let text = std::mem::take(&mut self.answer.text);
            self.answer.said.push_str(&text);
            self.answer.said.push('\n');
        }
    }

    /// Prints a proposal that was answered elsewhere, or by a rule.
    fn unoffered(&mut self) {
        if let Some(result) = self.proposed.take() {
            self.stand.extend([String::new(), self.look.with(BOLD, &one_line(&result.summary))]);
            self.stand.extend(proposal::settled_rows(&result.proposal, self.look));
        }
        self.stand.extend(self.output.ends());
    }

    /// What to write: everything new, and below it the live rows: `question`, or the current activity.
    pub fn draws(&mut self, question: Option<String>, elapsed: Duration, size: Size) -> String {
        let mut live = Vec::new();
        let heard = *self.heard.get_or_insert(elapsed);
        let StreamingAnswer { words, is_writing } = self.answer.shown(TextEnd::No);
        if !self.answer.text.is_empty() {
            let said = render_with(&words, self.answer.width, TextEnd::No, self.look.spans());
            let fresh = said.rows.iter().skip(self.answer.printed).map(|row| self.look.marked(row));
            self.stand.extend(fresh);
            self.answer.printed = self.answer.printed.max(said.rows.len());
            live.extend(said.tail.iter().map(|row| self.look.marked(row)));
        } else if !self.output.line().is_empty() {
            live.push(self.output.line().to_owned());
        }
        match question {
            Some(question) => live.extend([String::new(), question]),
            None => live.extend(self.progress(is_writing, elapsed.saturating_sub(heard), elapsed, size)),
        }
        let written =
            |rows: Vec<String>| -> Vec<String> { rows.iter().map(|row| self.look.written(row).into_owned()).collect() };
        let (stand, live) = (written(std::mem::take(&mut self.stand)), written(live));
        self.live.draws(&stand, live, size)
    }

    /// Removes the live rows.
    pub fn clears(&mut self, size: Size) -> String {
        self.live.clears(size)
    }

    fn progress(&self, is_writing: bool, quiet: Duration, elapsed: Duration, size: Size) -> Option<String> {
        let doing = match (self.state, self.stopping) {
            (Some(StateName::Completed | StateName::Failed | StateName::Rejected), _) => return None,
            (Some(StateName::ContextCollected | StateName::Proposing), false) if quiet >= STALLED => {
                return Some(self.turning(&stalled(quiet), elapsed, size));
            }
            (_, true) => "stopping",
            (None | Some(StateName::Received), _) => "reading the request",
            (Some(StateName::Routed), _) => "looking around",
            (Some(StateName::ContextCollected | StateName::Proposing), _) if is_writing => {
                "writing the change; Ctrl-C stops"
            }
            (Some(StateName::ContextCollected | StateName::Proposing), _) => "thinking; Ctrl-C stops",
            (Some(StateName::ProposalReady), _) => "checking",
            (Some(StateName::WaitingApproval), _) => "waits for approval",
            (Some(StateName::Executing), _) => "running; Ctrl-C stops",
        };
        Some(self.turning(&format!("{doing} · {}", span(elapsed.as_secs())), elapsed, size))
    }

    fn turning(&self, doing: &str, elapsed: Duration, size: Size) -> String {
        let turn = usize::try_from(elapsed.as_millis() / TURN.as_millis()).unwrap_or(0);
        let wheel = match self.look.letters {
            Charset::All => WHEEL[turn % WHEEL.len()],
            Charset::Ascii => ASCII_WHEEL[turn % ASCII_WHEEL.len()],
        };
        self.look.with(DIM, &fit(&format!("{wheel} {doing}"), size.columns.saturating_sub(1)))
    }
}

/// Whether all lines of an answer were printed, in this order: an agent reports its actions in between.
fn has_lines(told: &str, answer: &str) -> bool {
    let mut rest = told.lines().map(str::trim);
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| rest.any(|told| told == line))
}

#[cfg(test)]
mod tests;
