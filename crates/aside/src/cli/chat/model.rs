//! The state of a conversation: keys and the daemon's events go in, requests and actions come out. Has no clock, no terminal and no
//! connection. `conversation_view` and `draw` decide how it looks.

pub mod key_bindings;
pub mod proposal_card;
pub mod task;
pub mod threads;

#[cfg(test)]
pub mod tests;

use std::collections::VecDeque;

use aside_proto::task::{TaskBrief, TaskList, TaskOp, TaskParams, TaskWelcome};
use aside_task::event::Event;
use aside_task::proposal::{Proposal, SearchResult};
use aside_task::state::StateName;

use crate::cli::chat::conversation_view::{self, ConversationRows};
use crate::cli::chat::input::Input;
use crate::cli::chat::keys::Key;
use crate::cli::chat::layout::{self, Areas};
use crate::cli::chat::model::proposal_card::Card;
use crate::cli::chat::model::task::TaskView;
use crate::cli::chat::model::threads::Thread;
use crate::cli::chat::rows::Row;
use crate::lone_key::LoneKey;

/// How many tasks are followed, newest first.
const FOLLOWED: u32 = 300;
/// Tasks loaded of the open conversation: per step further back, and at most.
const LOADED: usize = 20;
const MAX_LOADED: usize = 100;
/// Requests that arrow up brings back.
const MAX_HISTORY: usize = 200;
/// Cap on requests that wait until the first one of their conversation is known.
const MAX_HELD: usize = 20;

const NO_CONNECTION: &str = "there is no connection to the daemon; it is being tried again";

/// The user at the terminal. Sent along with requests.
#[derive(Clone, Debug, Default)]
pub struct UserContext {
    /// The terminal's name, for the log.
    pub by: String,
    pub cwd: String,
    pub shell: String,
    pub private: bool,
    /// `NAME=value`, for a command that is approved here.
    pub environment: Vec<String>,
    pub home: Option<String>,
}

/// An input of the model.
#[derive(Clone, Debug)]
pub enum ChatEvent {
    Key(Key),
    /// The time of `Model::wakes` has come, and no key waits to be read.
    Quiet,
    Resized(u16, u16),
    Connected,
    /// The connection is lost, with the reason.
    Lost(String),
    Answer(ReplyTag, Result<Box<TaskList>, String>),
    Event(Box<Event>),
    /// The user came back from the editor, with a changed text or none.
    Edited {
        task: String,
        text: Option<String>,
    },
    /// An action outside of the model failed.
    Failed(String),
}

/// An action for the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatAction {
    /// The reply comes back with the tag.
    Send(ReplyTag, Box<TaskParams>),
    /// Reconnect: this connection still sends events of tasks that are not shown any more.
    Renew,
    /// Open the user's editor on this text.
    Edit {
        task: String,
        text: String,
        suffix: &'static str,
    },
    Redraw,
    Suspend,
    Leave,
}

/// What a reply is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyTag {
    /// The request's text, and the number of the conversation in which it was asked.
    Ask(String, u64),
    Follow,
    Watch,
    Show(String),
    Approve(String),
    Reject(String),
    Edit(String),
    Cancel,
    Retry,
    Undo,
    Welcome,
}

/// What a key could answer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Question {
    /// The offer's task, step and digest.
    Card(String, u32, String),
    Undo(String),
}

/// Which part has the keyboard focus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Focus {
    Input,
    /// The conversation, with one task selected.
    Talk,
    Threads,
    /// A pending proposal, over the whole conversation.
    Card,
    /// Its command, being edited.
    Editing,
    /// A command's output, or all search results.
    Output,
    Found,
    Search,
    Help,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    Told,
    Trouble,
}

/// A full view and its scroll position.
#[derive(Clone, Debug, Default)]
pub struct Pane {
    pub rows: Vec<Row>,
    pub top: usize,
    /// Follows new output.
    pub at_end: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Up,
    /// Not connected yet, or not any more.
    Down,
}

pub struct Model {
    who: UserContext,
    /// Which model answers, and example requests, once the daemon has sent them.
    pub welcome: Option<TaskWelcome>,
    size: (u16, u16),
    pub focus: Focus,
    pub input: Input,
    /// The command being edited, or the search words.
    pub words: Input,
    history: VecDeque<String>,
    /// How far back in the history arrow up has gone.
    recalled: Option<usize>,
    briefs: Vec<TaskBrief>,
    pub threads: Vec<Thread>,
    pub list_shown: bool,
    pub list_at: usize,
    /// The open conversation; empty until the first request of a new one is known.
    pub thread: String,
    pub tasks: Vec<TaskView>,
    /// How many of its tasks may be loaded.
    load: usize,
    /// How many earlier ones are not loaded.
    pub earlier: usize,
    /// Requests sent, but not confirmed by the daemon.
    pub sent: Vec<String>,
    held: VecDeque<String>,
    /// Replies that are outstanding. The connection is not renewed before they arrive.
    pending: usize,
    following: bool,
    stale: bool,
    /// Counts the conversations opened, to recognize a reply for an earlier one.
    opened: u64,
    pub line: Line,
    pub chosen: usize,
    /// The conversation as rows, and the topmost visible row; `None` follows the end.
    pub laid: ConversationRows,
    pub top: Option<usize>,
    pub sought: String,
    pub found_row: Option<usize>,
    pub pane: Pane,
    pub picked: usize,
    pub notice: Option<(String, NoteKind)>,
    /// The task to undo if the user confirms.
    undo: Option<String>,
    keys: LoneKey<Question>,
    leaving: Option<u64>,
    /// The state differs from what was painted.
    pub changed: bool,
}

impl Model {
    pub fn new(who: UserContext, thread: String, size: (u16, u16)) -> Self {
        Self {
            who,
            welcome: None,
            size,
            focus: Focus::Input,
            input: Input::default(),
            words: Input::default(),
            history: VecDeque::new(),
            recalled: None,
            briefs: Vec::new(),
            threads: Vec::new(),
            list_shown: true,
            list_at: 0,
            thread,
            tasks: Vec::new(),
            load: LOADED,
            earlier: 0,
            sent: Vec::new(),
            held: VecDeque::new(),
            pending: 0,
            following: false,
            stale: false,
            opened: 0,
            line: Line::Down,
            chosen: 0,
            laid: ConversationRows::default(),
            top: None,
            sought: String::new(),
            found_row: None,
            pane: Pane::default(),
            picked: 0,
            notice: None,
            undo: None,
            keys: LoneKey::default(),
            leaving: None,
            changed: true,
        }
    }

    pub fn update(&mut self, happened: ChatEvent, now: u64) -> Vec<ChatAction> {
        self.changed = true;
        let mut out = Vec::new();
        match happened {
            ChatEvent::Key(key) => {
                self.lay();
                self.press(&key, now, &mut out);
            }
            ChatEvent::Quiet => self.stands(now, &mut out),
            ChatEvent::Resized(width, height) => {
                self.size = (width, height);
                // All of it has moved, perhaps since another program had the terminal.
                self.keys.hides();
                out.push(ChatAction::Redraw);
            }
            ChatEvent::Connected => self.connected(&mut out),
            ChatEvent::Lost(why) => {
                self.line = Line::Down;
                self.pending = 0;
                // Requests in flight may or may not have arrived: puts them back into the input, so that the user can send them again.
                let unsaid = self.sent.drain(..).chain(self.held.drain(..)).collect::<Vec<_>>().join("\n");
                if self.input.is_empty() {
                    self.input = Input::of(&unsaid);
                }
                self.tell(NoteKind::Trouble, &why);
            }
            ChatEvent::Answer(tag, told) => self.answered(tag, told, &mut out),
            ChatEvent::Event(event) => self.heard(&event, now, &mut out),
            ChatEvent::Edited { task, text } => self.edited(&task, text, &mut out),
            ChatEvent::Failed(why) => self.tell(NoteKind::Trouble, &why),
        }
        if self.stale && self.pending == 0 && self.line == Line::Up {
            self.stale = false;
            self.line = Line::Down;
            out.push(ChatAction::Renew);
        }
        out
    }

    /// Notes that the current state was painted. Only what was on the screen can be answered.
    pub fn painted(&mut self, now: u64) {
        self.changed = false;
        let height = usize::from(self.areas().pane_rows());
        if self.focus == Focus::Card
            && let Some(card) = self.card_mut()
        {
            let unseen = card.unseen();
            card.painted(height);
            // The card's head shows how much of it was seen.
            self.changed = card.unseen() != unseen;
        }
        match self.question() {
            Some(question) => self.keys.shows(question, now),
            None => self.keys.hides(),
        }
    }

    /// When to say `Quiet`.
    pub fn wakes(&self, now: u64) -> Option<u64> {
        self.keys.wakes(now)
    }

    fn question(&self) -> Option<Question> {
        match self.focus {
            Focus::Card => {
                let offer = self.card()?.offer();
                Some(Question::Card(offer.task_id.clone(), offer.step, offer.digest.clone()))
            }
            Focus::Talk => self.undo.clone().map(Question::Undo),
            Focus::Input
            | Focus::Threads
            | Focus::Editing
            | Focus::Output
            | Focus::Found
            | Focus::Search
            | Focus::Help => None,
        }
    }

    /// Lays out all that changed. Call it before painting, and before a key that moves by rows.
    pub fn lay(&mut self) {
        let areas = self.areas();
        let width = usize::from(areas.main.width);
        let before = std::mem::take(&mut self.laid);
        self.laid = conversation_view::layout(self, width, before);
        let height = usize::from(areas.pane_rows());
        match self.focus {
            Focus::Card | Focus::Editing => {
                if let Some(card) = self.card_mut() {
                    card.lay(width);
                    card.scroll_to(card.top, height);
                }
            }
            Focus::Output => {
                let rows =
                    self.tasks.get(self.chosen).map(|task| conversation_view::output(task, width)).unwrap_or_default();
                self.pane.rows = rows;
            }
            Focus::Help => self.pane.rows = conversation_view::help(width),
            Focus::Found => self.pane.rows = conversation_view::found(self.found(), self.picked, width),
            Focus::Input | Focus::Talk | Focus::Threads | Focus::Search => {}
        }
        let last = self.pane.rows.len().saturating_sub(height);
        self.pane.top = if self.pane.at_end { last } else { self.pane.top.min(last) };
    }

    pub fn areas(&self) -> Areas {
        let rows = match self.focus {
            Focus::Editing | Focus::Search => &self.words,
            _ => &self.input,
        };
        // A proposal needs the width: a side-by-side diff fits from a hundred columns on.
        let list_shown = self.list_shown && !matches!(self.focus, Focus::Card | Focus::Editing);
        layout::layout(self.size, list_shown, self.focus == Focus::Threads, rows.text())
    }

    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    pub fn home(&self) -> Option<&str> {
        self.who.home.as_deref()
    }

    /// The card of the selected task.
    pub fn card(&self) -> Option<&Card> {
        self.tasks.get(self.chosen).and_then(|task| task.card.as_ref())
    }

    pub fn waiting(&self) -> Option<usize> {
        let chosen = (self.focus != Focus::Input).then_some(self.chosen);
        let waits = |at: &usize| self.tasks.get(*at).is_some_and(TaskView::is_waiting);
        chosen.filter(waits).or_else(|| (0..self.tasks.len()).find(waits))
    }

    pub fn is_busy(&self) -> bool {
        !self.sent.is_empty() || self.tasks.iter().any(TaskView::is_busy)
    }

    pub fn found(&self) -> &[SearchResult] {
        match self.tasks.get(self.chosen).and_then(|task| task.proposal.as_ref()) {
            Some(Proposal::SearchResults { items }) => items,
            _ => &[],
        }
    }

    fn card_mut(&mut self) -> Option<&mut Card> {
        self.tasks.get_mut(self.chosen).and_then(|task| task.card.as_mut())
    }

    fn tell(&mut self, tone: NoteKind, text: &str) {
        self.notice = Some((text.to_owned(), tone));
    }

    fn send(&mut self, tag: ReplyTag, task: TaskParams, out: &mut Vec<ChatAction>) {
        if self.line == Line::Down {
            return self.tell(NoteKind::Trouble, NO_CONNECTION);
        }
        self.pending += 1;
        out.push(ChatAction::Send(tag, Box::new(task)));
    }

    fn about(op: TaskOp, task: &str) -> TaskParams {
        TaskParams { op, task: task.to_owned(), ..TaskParams::default() }
    }

    fn show(&mut self, task: &str, out: &mut Vec<ChatAction>) {
        self.send(ReplyTag::Show(task.to_owned()), Self::about(TaskOp::Show, task), out);
    }

    fn watch(&mut self, task: &str, from: u64, out: &mut Vec<ChatAction>) {
        self.send(ReplyTag::Watch, TaskParams { from, ..Self::about(TaskOp::Watch, task) }, out);
    }

    fn connected(&mut self, out: &mut Vec<ChatAction>) {
        self.line = Line::Up;
        self.pending = 0;
        self.following = false;
        self.stale = false;
        self.send(ReplyTag::Follow, TaskParams { op: TaskOp::Follow, limit: FOLLOWED, ..TaskParams::default() }, out);
        if self.thread.is_empty() && self.tasks.is_empty() && self.welcome.is_none() {
            let UserContext { cwd, shell, .. } = &self.who;
            let welcome =
                TaskParams { op: TaskOp::Welcome, cwd: cwd.clone(), shell: shell.clone(), ..TaskParams::default() };
            self.send(ReplyTag::Welcome, welcome, out);
        }
        let known: Vec<(String, u64, bool)> =
            self.tasks.iter().map(|task| (task.id.clone(), task.seq, task.is_waiting())).collect();
        for (task, seq, waits) in known {
            self.watch(&task, seq, out);
            if waits {
                // A restarted daemon has other digests.
                self.show(&task, out);
            }
        }
    }

    pub(in crate::cli::chat) fn ask(&mut self, text: String, out: &mut Vec<ChatAction>) {
        if self.line == Line::Down {
            self.input = Input::of(&text);
            return self.tell(NoteKind::Trouble, NO_CONNECTION);
        }
        // Two requests at once would begin two conversations.
        if self.thread.is_empty() && !self.sent.is_empty() {
            if self.held.len() < MAX_HELD {
                self.held.push_back(text);
            }
            return;
        }
        let UserContext { by, cwd, shell, private, .. } = &self.who;
        let asked = TaskParams {
            op: TaskOp::Ask,
            thread: self.thread.clone(),
            text: text.clone(),
            by: by.clone(),
            cwd: cwd.clone(),
            shell: shell.clone(),
            private: *private,
            ..TaskParams::default()
        };
        self.sent.push(text.clone());
        self.top = None;
        self.send(ReplyTag::Ask(text, self.opened), asked, out);
    }

    fn answered(&mut self, tag: ReplyTag, told: Result<Box<TaskList>, String>, out: &mut Vec<ChatAction>) {
        // A followed list is sent repeatedly, but counts as one reply.
        if tag != ReplyTag::Follow || !std::mem::replace(&mut self.following, true) {
            self.pending = self.pending.saturating_sub(1);
        }
        match (tag, told) {
            (ReplyTag::Ask(_, opened), Ok(_)) if opened != self.opened => {}
            (ReplyTag::Ask(text, _), Ok(told)) => {
                self.forget_sent(&text);
                if let Some(brief) = told.tasks.into_iter().next() {
                    self.begun(&brief, out);
                }
                if let Some(held) = self.held.pop_front() {
                    self.ask(held, out);
                }
            }
            (ReplyTag::Ask(text, _), Err(why)) => {
                self.forget_sent(&text);
                if self.input.is_empty() {
                    self.input = Input::of(&text);
                }
                self.tell(NoteKind::Trouble, &why);
            }
            (ReplyTag::Follow, Ok(told)) => self.followed(told.tasks, out),
            (ReplyTag::Welcome, Ok(told)) => self.welcome = told.welcome,
            // The welcome is optional: the screen shows general examples without it.
            (ReplyTag::Welcome, Err(_)) => {}
            (ReplyTag::Show(task), Ok(told)) => self.offered(&task, *told),
            // Fetches the offer again: the pending one may have changed since.
            (ReplyTag::Approve(task) | ReplyTag::Reject(task), Err(why)) => {
                self.tell(NoteKind::Trouble, &why);
                self.show(&task, out);
            }
            (ReplyTag::Edit(task), told) => {
                if let Err(why) = told {
                    self.tell(NoteKind::Trouble, &why);
                }
                self.show(&task, out);
            }
            (_, Err(why)) => self.tell(NoteKind::Trouble, &why),
            (ReplyTag::Watch | ReplyTag::Approve(_) | ReplyTag::Reject(_), Ok(_)) => {}
            (ReplyTag::Cancel | ReplyTag::Retry | ReplyTag::Undo, Ok(told)) => {
                if let Some(line) = told.lines.first() {
                    self.tell(NoteKind::Told, line);
                }
                for brief in &told.tasks {
                    if let Some(task) = self.tasks.iter_mut().find(|task| task.id == brief.task_id) {
                        task.undo = brief.undo;
                        task.version += 1;
                    }
                }
            }
        }
    }

    fn forget_sent(&mut self, text: &str) {
        if let Some(at) = self.sent.iter().position(|sent| sent == text) {
            self.sent.remove(at);
        }
    }

    /// The daemon has accepted a request; `@dev apply ID` returns a task that already exists.
    fn begun(&mut self, brief: &TaskBrief, out: &mut Vec<ChatAction>) {
        if self.thread.is_empty() && self.tasks.is_empty() {
            self.thread.clone_from(&brief.thread_id);
        }
        if brief.thread_id != self.thread {
            self.open(brief.thread_id.clone(), out);
        }
        self.add(brief, out);
        self.chosen = self.tasks.iter().position(|task| task.id == brief.task_id).unwrap_or(0);
        self.top = None;
    }

    fn add(&mut self, brief: &TaskBrief, out: &mut Vec<ChatAction>) {
        if self.tasks.iter().all(|task| task.id != brief.task_id) {
            self.tasks.push(TaskView::of(brief));
            self.watch(&brief.task_id, 0, out);
        }
    }

    fn followed(&mut self, briefs: Vec<TaskBrief>, out: &mut Vec<ChatAction>) {
        self.briefs = briefs;
        self.threads = threads::of(&self.briefs);
        self.list_at = self.list_at.min(self.threads.len().saturating_sub(1));
        self.load_tasks(out);
    }

    /// Loads the newest tasks of this conversation that are known but not loaded.
    fn load_tasks(&mut self, out: &mut Vec<ChatAction>) {
        if self.thread.is_empty() {
            return;
        }
        let mut briefs: Vec<TaskBrief> =
            self.briefs.iter().filter(|brief| brief.thread_id == self.thread).cloned().collect();
        briefs.sort_by(|one, other| (one.since, &one.task_id).cmp(&(other.since, &other.task_id)));
        self.earlier = briefs.len().saturating_sub(self.load);
        let first = self.tasks.is_empty();
        for brief in briefs.split_off(self.earlier) {
            self.add(&brief, out);
        }
        let since =
            |id: &str| self.briefs.iter().find(|brief| brief.task_id == id).map_or(u64::MAX, |brief| brief.since);
        let chosen = self.tasks.get(self.chosen).map(|task| task.id.clone());
        self.tasks.sort_by_key(|task| (since(&task.id), task.id.clone()));
        let place = chosen.and_then(|chosen| self.tasks.iter().position(|task| task.id == chosen));
        self.chosen = place.filter(|_| !first).unwrap_or(self.tasks.len().saturating_sub(1));
    }

    pub(in crate::cli::chat) fn load_earlier(&mut self, out: &mut Vec<ChatAction>) {
        if self.earlier > 0 && self.load < MAX_LOADED {
            self.load += LOADED;
            self.load_tasks(out);
        }
    }

    /// Opens another conversation; an empty name starts a new one. Drops the tasks of this one; they are loaded again from the daemon.
    pub(in crate::cli::chat) fn open(&mut self, thread: String, out: &mut Vec<ChatAction>) {
        if thread == self.thread && !thread.is_empty() {
            return;
        }
        self.thread = thread;
        self.opened += 1;
        self.stale |= !self.tasks.is_empty();
        self.tasks.clear();
        self.sent.clear();
        self.held.clear();
        (self.load, self.earlier, self.chosen, self.top) = (LOADED, 0, 0, None);
        (self.found_row, self.undo) = (None, None);
        // After a reconnect the task list comes again, and loads them.
        if !self.stale {
            self.load_tasks(out);
        }
    }

    fn heard(&mut self, event: &Event, now: u64, out: &mut Vec<ChatAction>) {
        let Some(at) = self.tasks.iter().position(|task| task.id == event.task_id.as_str()) else { return };
        let Some(task) = self.tasks.get_mut(at) else { return };
        let known = task.waits;
        task.hear(event);
        task.begun.get_or_insert(now);
        task.heard = now;
        let (id, waits, state) = (task.id.clone(), task.waits, task.state);
        // The proposal was answered elsewhere or has ended: moves the focus, so that the next key does not answer what comes after it.
        let is_open = matches!(state, StateName::ProposalReady | StateName::WaitingApproval);
        if matches!(self.focus, Focus::Card | Focus::Editing) && at == self.chosen && !is_open {
            self.focus = Focus::Input;
        }
        if self.focus == Focus::Editing && at == self.chosen && waits != known {
            self.focus = Focus::Card;
            self.tell(NoteKind::Trouble, "the proposal has changed meanwhile");
        }
        if waits.is_some() && waits != known {
            self.show(&id, out);
        }
    }

    fn offered(&mut self, task: &str, told: TaskList) {
        let Some(shown) = self.tasks.iter_mut().find(|shown| shown.id == task) else { return };
        let Some(offer) = told.offer else { return };
        shown.version += 1;
        // The same offer keeps its card; a new offer counts as unseen.
        let same = shown.card.as_ref().is_some_and(|card| *card.offer() == *offer);
        if !same {
            shown.waits = Some(offer.step);
            shown.card = Some(Card::of(*offer));
        }
    }

    fn edited(&mut self, task: &str, text: Option<String>, out: &mut Vec<ChatAction>) {
        let Some(shown) = self.tasks.iter_mut().find(|shown| shown.id == task) else { return };
        let Some(card) = &shown.card else { return };
        self.keys.hides();
        let offer = card.offer();
        match text {
            Some(text) if text.trim().is_empty() => self.tell(NoteKind::Trouble, "nothing is left of it; n rejects it"),
            Some(text) if text != offer.text => {
                let edit = TaskParams {
                    op: TaskOp::Edit,
                    task: task.to_owned(),
                    text,
                    by: self.who.by.clone(),
                    step: offer.step,
                    digest: offer.digest.clone(),
                    ..TaskParams::default()
                };
                self.send(ReplyTag::Edit(task.to_owned()), edit, out);
            }
            Some(_) | None => self.tell(NoteKind::Told, "nothing was changed"),
        }
    }
}
