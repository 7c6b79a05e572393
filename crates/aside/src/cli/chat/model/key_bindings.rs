//! What a key does, by focus. A key meant for something else can never approve: the user has to open the proposal, all of it must have been
//! on the screen, and the key must stand alone.

use aside_proto::task::{TaskOp, TaskParams};
use aside_task::proposal::Proposal;
use aside_task::state::StateName;

use crate::cli::chat::diff_view::{RowStart, WIDE};
use crate::cli::chat::input::{Consumed, Input};
use crate::cli::chat::keys::Key;
use crate::cli::chat::model::proposal_card::Direction;
use crate::cli::chat::model::{ChatAction, Focus, Line, MAX_HISTORY, Model, NO_CONNECTION, NoteKind, Pane, ReplyTag};
use crate::cli::chat::{conversation_view, rows};
use crate::lone_key::Pressed;

/// Milliseconds within which a second Ctrl-C leaves.
const TWICE: u64 = 2000;

/// Whether the user approves without having seen every row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Insists {
    Yes,
    No,
}

impl Model {
    pub(super) fn press(&mut self, key: &Key, now: u64, out: &mut Vec<ChatAction>) {
        self.keys.keeps(self.question().as_ref());
        let answer = self.answer_of(key);
        let became = match answer {
            Some(letter) => self.keys.answers(letter, now),
            None => self.keys.others(now),
        };
        if *key == Key::Ctrl('c') {
            return self.stop(now, out);
        }
        self.leaving = None;
        if !self.keys.is_remarked() {
            self.notice = None;
        }
        if answer.is_none() {
            if self.undo.take().is_some() {
                self.tell(NoteKind::Told, "nothing was undone");
            }
            self.press_other(key, out);
        }
        if let Pressed::Stray(letter) = became {
            self.tell(NoteKind::Told, &format!("press {letter} alone"));
        }
    }

    /// The letter, if it does something with what is asked: such a key has to stand alone.
    fn answer_of(&self, key: &Key) -> Option<char> {
        match (key, &self.focus) {
            (Key::Char(letter @ ('y' | 'Y' | 'e' | 'E' | 'c')), Focus::Card) => Some(*letter),
            (Key::Char('y'), Focus::Talk) if self.undo.is_some() => Some('y'),
            _ => None,
        }
    }

    /// Does what the last key says, once it stood alone.
    pub(super) fn stands(&mut self, now: u64, out: &mut Vec<ChatAction>) {
        self.keys.keeps(self.question().as_ref());
        let Some(letter) = self.keys.stands(now) else { return };
        if let Some(task) = self.undo.take() {
            self.tell(NoteKind::Told, "undoing it");
            let by = self.who.by.clone();
            return self.send(ReplyTag::Undo, TaskParams { by, ..Self::about(TaskOp::Undo, &task) }, out);
        }
        match letter {
            'y' => self.approve(Insists::No, out),
            'Y' => self.approve(Insists::Yes, out),
            'c' => self.confine(out),
            'E' => self.edit_outside(out),
            _ => self.edit(out),
        }
    }

    fn press_other(&mut self, key: &Key, out: &mut Vec<ChatAction>) {
        match key {
            Key::Ctrl('l') => return out.push(ChatAction::Redraw),
            Key::Ctrl('z') => return out.push(ChatAction::Suspend),
            Key::Ctrl('t') => return self.toggle_list(),
            Key::Ctrl('n') => {
                self.open(String::new(), out);
                self.focus = Focus::Input;
                return self.tell(NoteKind::Told, "a new conversation");
            }
            Key::F1 => return self.help(),
            _ => {}
        }
        match self.focus {
            Focus::Input => self.press_input(key, out),
            Focus::Talk => self.press_talk(key, out),
            Focus::Threads => self.press_threads(key, out),
            Focus::Card => self.press_card(key, out),
            Focus::Editing => self.press_editing(key, out),
            Focus::Search => self.press_search(key),
            Focus::Output | Focus::Help => self.press_pane(key),
            Focus::Found => self.press_found(key),
        }
    }

    /// Ctrl-C: clears the input, else stops the running task, else leaves.
    fn stop(&mut self, now: u64, out: &mut Vec<ChatAction>) {
        if self.leaving.is_some_and(|since| now.saturating_sub(since) <= TWICE) {
            return out.push(ChatAction::Leave);
        }
        match self.focus {
            Focus::Editing => {
                self.focus = Focus::Card;
                return self.keys.hides();
            }
            Focus::Search => {
                self.focus = Focus::Talk;
                return;
            }
            Focus::Input if !self.input.is_empty() => {
                self.remember();
                self.input.clear();
                return;
            }
            _ => {}
        }
        self.leaving = Some(now);
        let busy = self.tasks.iter().rev().find(|task| task.is_busy()).map(|task| task.id.clone());
        match busy {
            Some(task) => {
                self.tell(NoteKind::Told, "cancelled; Ctrl-C again leaves");
                self.send(ReplyTag::Cancel, Self::about(TaskOp::Cancel, &task), out);
            }
            None => self.tell(NoteKind::Told, "Ctrl-C again leaves"),
        }
    }

    fn press_input(&mut self, key: &Key, out: &mut Vec<ChatAction>) {
        let empty = self.input.is_empty();
        match key {
            Key::Enter if self.waiting().is_some() && is_answer(self.input.text()) => {
                self.tell(NoteKind::Told, "Tab goes to the proposal; it is answered there");
            }
            Key::Enter if !self.input.text().trim().is_empty() => {
                let text = self.input.text().trim().to_owned();
                self.remember();
                self.input.clear();
                self.ask(text, out);
            }
            Key::Enter => {}
            Key::Tab => match self.waiting() {
                Some(task) => self.go_to_card(task, out),
                None => self.go_to_talk(),
            },
            Key::Esc | Key::BackTab => self.go_to_talk(),
            Key::Char('?') if empty => self.help(),
            Key::Char('/') if empty => self.search(),
            Key::Ctrl('d') if empty => out.push(ChatAction::Leave),
            Key::PageUp | Key::PageDown => self.scroll_talk(key, out),
            Key::Up if empty || self.recalled.is_some() => match self.input.press(key) {
                Consumed::Yes => {}
                Consumed::No => self.recall(Direction::Back),
            },
            Key::Down if self.recalled.is_some() => match self.input.press(key) {
                Consumed::Yes => {}
                Consumed::No => self.recall(Direction::Forward),
            },
            _ => {
                if self.input.press(key) == Consumed::Yes && !matches!(key, Key::Left | Key::Right) {
                    self.recalled = None;
                }
            }
        }
    }

    fn press_talk(&mut self, key: &Key, out: &mut Vec<ChatAction>) {
        let last = self.tasks.len().saturating_sub(1);
        match key {
            Key::Char('j') | Key::Down => self.choose((self.chosen + 1).min(last)),
            Key::Char('k') | Key::Up if self.chosen == 0 => self.load_earlier(out),
            Key::Char('k') | Key::Up => self.choose(self.chosen - 1),
            Key::Char('g') | Key::Home => {
                self.load_earlier(out);
                self.choose(0);
                self.top = Some(0);
            }
            Key::Char('G') | Key::End => {
                self.choose(last);
                self.top = None;
            }
            Key::PageUp | Key::PageDown | Key::Ctrl('u' | 'd' | 'b' | 'f') => self.scroll_talk(key, out),
            Key::Enter | Key::Char('o') => self.look(out),
            Key::Char('r') => self.retry(out),
            Key::Char('u') => self.ask_to_undo(),
            Key::Char('w') => self.ask_about_failure("why did it fail?", out),
            Key::Char('f') => self.ask_about_failure("fix it", out),
            Key::Char('/') => self.search(),
            Key::Char('n') => self.find(Direction::Back),
            Key::Char('N') => self.find(Direction::Forward),
            Key::Char('?') => self.help(),
            Key::Char('i') | Key::Esc | Key::BackTab => self.go_to_input(),
            Key::Tab => match self.waiting() {
                Some(task) => self.go_to_card(task, out),
                None => self.go_to_input(),
            },
            _ => {}
        }
    }

    fn press_threads(&mut self, key: &Key, out: &mut Vec<ChatAction>) {
        let last = self.threads.len().saturating_sub(1);
        match key {
            Key::Char('j') | Key::Down => self.list_at = (self.list_at + 1).min(last),
            Key::Char('k') | Key::Up => self.list_at = self.list_at.saturating_sub(1),
            Key::Char('g') | Key::Home => self.list_at = 0,
            Key::Char('G') | Key::End => self.list_at = last,
            Key::PageDown => self.list_at = (self.list_at + 10).min(last),
            Key::PageUp => self.list_at = self.list_at.saturating_sub(10),
            Key::Enter | Key::Char('l' | 'o') => {
                if let Some(thread) = self.threads.get(self.list_at) {
                    let thread = thread.id.clone();
                    self.open(thread, out);
                    self.focus = Focus::Input;
                }
            }
            Key::Char('n') => {
                self.open(String::new(), out);
                self.focus = Focus::Input;
            }
            Key::Char('?') => self.help(),
            Key::Esc | Key::Tab | Key::BackTab | Key::Char('q' | 'h') => self.focus = Focus::Input,
            _ => {}
        }
    }

    fn press_card(&mut self, key: &Key, out: &mut Vec<ChatAction>) {
        let height = usize::from(self.areas().pane_rows());
        let page = height.saturating_sub(1).max(1);
        let width_allows = usize::from(self.areas().main.width) >= WIDE;
        if matches!(key, Key::Esc) {
            return self.go_to_input();
        }
        let Some(card) = self.card_mut() else {
            if matches!(key, Key::Tab | Key::BackTab) {
                self.go_to_input();
            }
            return;
        };
        let top = card.top;
        match key {
            Key::Char('n') => self.reject(out),
            Key::Char('v') if card.is_change() && !width_allows => {
                self.tell(NoteKind::Told, "the window is too narrow for two sides");
            }
            Key::Char('v') if card.is_change() => card.turn(),
            Key::Char('j') | Key::Down => card.scroll_to(top + 1, height),
            Key::Char('k') | Key::Up => card.scroll_to(top.saturating_sub(1), height),
            Key::PageDown | Key::Char(' ') | Key::Ctrl('f') => card.scroll_to(top + page, height),
            Key::PageUp | Key::Ctrl('b') => card.scroll_to(top.saturating_sub(page), height),
            Key::Ctrl('d') => card.scroll_to(top + page / 2 + 1, height),
            Key::Ctrl('u') => card.scroll_to(top.saturating_sub(page / 2 + 1), height),
            Key::Char('g') | Key::Home => card.scroll_to(0, height),
            Key::Char('G') | Key::End => card.scroll_to(usize::MAX, height),
            Key::Char(']') => card.jump(RowStart::Hunk, Direction::Forward, height),
            Key::Char('[') => card.jump(RowStart::Hunk, Direction::Back, height),
            Key::Tab if card.files() > 1 => card.jump(RowStart::File, Direction::Forward, height),
            Key::BackTab if card.files() > 1 => card.jump(RowStart::File, Direction::Back, height),
            Key::Tab | Key::BackTab => self.go_to_input(),
            Key::Char('?') => self.help(),
            _ => {}
        }
    }

    fn press_editing(&mut self, key: &Key, out: &mut Vec<ChatAction>) {
        match key {
            Key::Enter => {
                let text = self.words.text().to_owned();
                self.focus = Focus::Card;
                if let Some(task) = self.tasks.get(self.chosen).map(|task| task.id.clone()) {
                    self.edited(&task, Some(text), out);
                }
            }
            Key::Esc => {
                self.focus = Focus::Card;
                self.keys.hides();
            }
            _ => {
                self.words.press(key);
            }
        }
    }

    fn press_search(&mut self, key: &Key) {
        match key {
            Key::Enter => {
                self.sought = self.words.text().trim().to_owned();
                self.focus = Focus::Talk;
                self.found_row = None;
                self.find(Direction::Back);
            }
            Key::Esc => self.go_to_input(),
            Key::Backspace if self.words.is_empty() => self.go_to_input(),
            _ => {
                self.words.press(key);
            }
        }
    }

    fn press_pane(&mut self, key: &Key) {
        let height = usize::from(self.areas().pane_rows());
        let last = self.pane.rows.len().saturating_sub(height);
        let page = height.saturating_sub(1).max(1);
        let top = self.pane.top;
        let top = match key {
            Key::Char('j') | Key::Down => top + 1,
            Key::Char('k') | Key::Up => top.saturating_sub(1),
            Key::PageDown | Key::Char(' ') | Key::Ctrl('f') => top + page,
            Key::PageUp | Key::Ctrl('b') => top.saturating_sub(page),
            Key::Char('g') | Key::Home => 0,
            Key::Char('G') | Key::End => last,
            Key::Esc | Key::Char('q' | 'o' | '?') | Key::Tab | Key::Enter => {
                let back = if self.focus == Focus::Output { Focus::Talk } else { Focus::Input };
                self.focus = back;
                return;
            }
            _ => return,
        };
        self.pane.top = top.min(last);
        self.pane.at_end = self.focus == Focus::Output && self.pane.top == last;
    }

    fn press_found(&mut self, key: &Key) {
        let last = self.found().len().saturating_sub(1);
        match key {
            Key::Char('j') | Key::Down => self.picked = (self.picked + 1).min(last),
            Key::Char('k') | Key::Up => self.picked = self.picked.saturating_sub(1),
            Key::PageDown => self.picked = (self.picked + 10).min(last),
            Key::PageUp => self.picked = self.picked.saturating_sub(10),
            Key::Char('g') | Key::Home => self.picked = 0,
            Key::Char('G') | Key::End => self.picked = last,
            Key::Enter => {
                // Inserts the path, so that the next request can name it.
                let path = self.found().get(self.picked).map(|item| rows::one_line(&item.path)).unwrap_or_default();
                self.input.insert(&path);
                self.focus = Focus::Input;
            }
            Key::Esc | Key::Tab | Key::Char('q' | 'o') => self.focus = Focus::Talk,
            _ => {}
        }
        self.show_picked();
    }

    fn show_picked(&mut self) {
        let height = usize::from(self.areas().pane_rows());
        let width = usize::from(self.areas().main.width);
        let at = conversation_view::found_row(self.found(), self.picked, width);
        let top = self.pane.top.min(at.start);
        self.pane.top = top.max(at.end.saturating_sub(height));
    }

    fn approve(&mut self, insists: Insists, out: &mut Vec<ChatAction>) {
        let (by, environment) = (self.who.by.clone(), self.who.environment.clone());
        if self.line == Line::Down {
            return self.tell(NoteKind::Trouble, NO_CONNECTION);
        }
        let Some(card) = self.card() else { return };
        let unseen = card.unseen();
        if unseen > 0 && insists == Insists::No {
            let told = if unseen == 1 { "1 row was".to_owned() } else { format!("{unseen} rows were") };
            return self.tell(NoteKind::Told, &format!("{told} not seen yet: scroll on, or Y"));
        }
        let offer = card.offer();
        let approval = TaskParams {
            op: TaskOp::Approve,
            task: offer.task_id.clone(),
            step: offer.step,
            digest: offer.digest.clone(),
            by,
            environment,
            ..TaskParams::default()
        };
        self.keys.hides();
        self.send(ReplyTag::Approve(approval.task.clone()), approval, out);
        self.focus = Focus::Input;
        self.top = None;
    }

    fn reject(&mut self, out: &mut Vec<ChatAction>) {
        let by = self.who.by.clone();
        if self.line == Line::Down {
            return self.tell(NoteKind::Trouble, NO_CONNECTION);
        }
        if !self.keys.is_shown() {
            return self.tell(NoteKind::Told, "that was too soon to have been read; once more");
        }
        let Some(card) = self.card() else { return };
        let offer = card.offer();
        let rejection = TaskParams {
            op: TaskOp::Reject,
            task: offer.task_id.clone(),
            step: offer.step,
            digest: offer.digest.clone(),
            by,
            ..TaskParams::default()
        };
        self.keys.hides();
        self.send(ReplyTag::Reject(rejection.task.clone()), rejection, out);
        self.focus = Focus::Input;
    }

    /// Toggles whether the command may write only in the workspace or wherever the user may. Either way makes a new offer.
    fn confine(&mut self, out: &mut Vec<ChatAction>) {
        let by = self.who.by.clone();
        let Some(card) = self.card().filter(|card| !card.is_change()) else { return };
        let offer = card.offer();
        let confine = if offer.confine == "workspace" { "no" } else { "workspace" };
        let edit = TaskParams {
            op: TaskOp::Edit,
            task: offer.task_id.clone(),
            text: offer.text.clone(),
            step: offer.step,
            digest: offer.digest.clone(),
            confine: confine.to_owned(),
            by,
            ..TaskParams::default()
        };
        self.send(ReplyTag::Edit(edit.task.clone()), edit, out);
    }

    fn edit(&mut self, out: &mut Vec<ChatAction>) {
        let Some(card) = self.card() else { return };
        // The one-line editor strips tabs and invisible characters, which would change the command: uses the external editor.
        if card.is_change() || rows::seen(&card.offer().text) != card.offer().text {
            return self.edit_outside(out);
        }
        self.words = Input::of(&card.offer().text);
        self.focus = Focus::Editing;
    }

    fn edit_outside(&mut self, out: &mut Vec<ChatAction>) {
        let Some(card) = self.card() else { return };
        let suffix = if card.is_change() { ".diff" } else { ".sh" };
        let offer = card.offer();
        out.push(ChatAction::Edit { task: offer.task_id.clone(), text: offer.text.clone(), suffix });
    }

    fn retry(&mut self, out: &mut Vec<ChatAction>) {
        match self.tasks.get(self.chosen) {
            Some(task) if task.has_ended() => {
                let task = task.id.clone();
                self.send(ReplyTag::Retry, Self::about(TaskOp::Retry, &task), out);
            }
            Some(_) => self.tell(NoteKind::Told, "it has not ended yet"),
            None => {}
        }
    }

    /// Asks before it undoes, since that writes files.
    fn ask_to_undo(&mut self) {
        match self.tasks.get(self.chosen) {
            Some(task) if task.undo => {
                self.undo = Some(task.id.clone());
                self.tell(NoteKind::Told, "undo what it wrote? y");
            }
            Some(_) => self.tell(NoteKind::Told, "it wrote nothing that could be undone"),
            None => {}
        }
    }

    /// Sends a request about the last failure of this conversation.
    fn ask_about_failure(&mut self, words: &str, out: &mut Vec<ChatAction>) {
        match self.tasks.get(self.chosen) {
            Some(task) if task.state == StateName::Failed => {
                self.go_to_input();
                self.ask(words.to_owned(), out);
            }
            Some(_) => self.tell(NoteKind::Told, "it did not fail"),
            None => {}
        }
    }

    /// Opens the details of the selected task.
    fn look(&mut self, out: &mut Vec<ChatAction>) {
        let Some(task) = self.tasks.get(self.chosen) else { return };
        let found = matches!(&task.proposal, Some(Proposal::SearchResults { items }) if !items.is_empty());
        if task.is_waiting() {
            self.go_to_card(self.chosen, out);
        } else if found {
            (self.picked, self.pane) = (0, Pane::default());
            self.focus = Focus::Found;
        } else if !task.output.is_empty() {
            self.pane = Pane { at_end: true, ..Pane::default() };
            self.focus = Focus::Output;
        } else {
            self.tell(NoteKind::Told, "there is nothing more to see of it");
        }
    }

    fn go_to_card(&mut self, task: usize, out: &mut Vec<ChatAction>) {
        self.chosen = task;
        self.focus = Focus::Card;
        self.keys.hides();
        // The offer was requested when the proposal appeared; that reply may have been lost.
        if let Some(task) = self.tasks.get(task).filter(|task| task.card.is_none()).map(|task| task.id.clone()) {
            self.show(&task, out);
        }
    }

    fn go_to_input(&mut self) {
        self.focus = Focus::Input;
    }

    fn go_to_talk(&mut self) {
        self.focus = Focus::Talk;
        self.chosen = self.chosen.min(self.tasks.len().saturating_sub(1));
        // Selects the last task, unless the view is scrolled up.
        if self.top.is_none() {
            self.chosen = self.tasks.len().saturating_sub(1);
        }
    }

    fn help(&mut self) {
        self.pane = Pane::default();
        self.focus = Focus::Help;
    }

    fn search(&mut self) {
        self.words.clear();
        self.focus = Focus::Search;
    }

    /// Shows and focuses the list, or hides it.
    fn toggle_list(&mut self) {
        if self.focus == Focus::Threads {
            (self.focus, self.list_shown) = (Focus::Input, false);
        } else {
            (self.focus, self.list_shown) = (Focus::Threads, true);
            self.list_at = self.threads.iter().position(|thread| thread.id == self.thread).unwrap_or(0);
        }
    }

    fn choose(&mut self, task: usize) {
        self.chosen = task;
        let rows = self.laid.rows_of(task);
        let height = usize::from(self.areas().main.height);
        let top = self.top.unwrap_or(self.laid.len().saturating_sub(height));
        if rows.start < top || rows.end > top + height {
            // From the task's first row, which is its request.
            self.scroll_to(rows.start.min(rows.end.saturating_sub(1)));
        }
    }

    fn scroll_to(&mut self, top: usize) {
        let last = self.laid.len().saturating_sub(usize::from(self.areas().main.height));
        self.top = (top < last).then_some(top);
    }

    fn scroll_talk(&mut self, key: &Key, out: &mut Vec<ChatAction>) {
        let height = usize::from(self.areas().main.height);
        let page = match key {
            Key::Ctrl('u' | 'd') => height / 2 + 1,
            _ => height.saturating_sub(1).max(1),
        };
        let last = self.laid.len().saturating_sub(height);
        let top = self.top.unwrap_or(last);
        match key {
            Key::PageUp | Key::Ctrl('u' | 'b') if top == 0 => self.load_earlier(out),
            Key::PageUp | Key::Ctrl('u' | 'b') => self.top = Some(top.saturating_sub(page)).filter(|top| *top < last),
            _ => self.scroll_to(top + page),
        }
    }

    /// Jumps to the next row with the search words; upwards first, since the newest is at the bottom.
    fn find(&mut self, way: Direction) {
        if self.sought.is_empty() {
            return;
        }
        let from = self.found_row;
        let is_hit = |row: &usize| self.laid.row(*row).is_some_and(|row| has(&rows::plain(row), &self.sought));
        let all = 0..self.laid.len();
        let hit = match way {
            Direction::Back => all.rev().filter(|row| from.is_none_or(|from| *row < from)).find(is_hit),
            Direction::Forward => all.filter(|row| from.is_none_or(|from| *row > from)).find(is_hit),
        };
        let Some(row) = hit else {
            return self.tell(NoteKind::Told, if from.is_some() { "no more" } else { "not found" });
        };
        self.found_row = Some(row);
        if let Some(task) = self.laid.task_of(row) {
            self.chosen = task;
        }
        let height = usize::from(self.areas().main.height);
        let top = self.top.unwrap_or(self.laid.len().saturating_sub(height));
        if row < top || row >= top + height {
            self.scroll_to(row.saturating_sub(height / 2));
        }
    }

    fn remember(&mut self) {
        let text = self.input.text().trim().to_owned();
        self.recalled = None;
        if !text.is_empty() && self.history.back() != Some(&text) {
            self.history.push_back(text);
            let extra = self.history.len().saturating_sub(MAX_HISTORY);
            self.history.drain(..extra);
        }
    }

    fn recall(&mut self, way: Direction) {
        let place = match (way, self.recalled) {
            (Direction::Back, None) => 0,
            (Direction::Back, Some(back)) => (back + 1).min(self.history.len().saturating_sub(1)),
            (Direction::Forward, None | Some(0)) => {
                self.recalled = None;
                return self.input.clear();
            }
            (Direction::Forward, Some(back)) => back - 1,
        };
        if let Some(text) = self.history.iter().rev().nth(place) {
            self.input = Input::of(text);
            self.recalled = Some(place);
        }
    }
}

/// Whether the text looks like an answer to a proposal that was typed into the input by mistake.
fn is_answer(text: &str) -> bool {
    ["y", "yes", "n", "no", "ok", "approve", "reject"].contains(&text.trim().to_lowercase().as_str())
}

/// Smart case: ignores case unless the words have an upper-case letter.
fn has(text: &str, words: &str) -> bool {
    match words.chars().any(char::is_uppercase) {
        true => text.contains(words),
        false => text.to_lowercase().contains(words),
    }
}
