//! A conversation as rows: each request, its answer, its proposals and progress. Caches rows until their content changes. Decides the
//! wording; the model decides what may be done.

use std::ops::Range;

use aside_proto::task::TaskWelcome;
use aside_task::event::answered_from;
use aside_task::proposal::{Proposal, SearchResult};
use aside_task::run::model_reply::streaming_answer;
use aside_task::state::StateName;
use aside_text::markdown::TextEnd;
use aside_text::screen;
use aside_text::visible;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::cli::chat::model::proposal_card::{self, Card};
use crate::cli::chat::model::task::{MAX_ANSWER, MAX_OUTPUT, TaskView};
use crate::cli::chat::model::{Line as Connection, Model};
use crate::cli::chat::rows::{self, Row};
use crate::cli::from_home;

/// Columns before each row, for the mark of the selected task.
pub const MARGIN: usize = 2;
/// Caps on the rows of a request, of search results, of an output while it runs and when it has ended, and of a proposal's summary.
const MOST_REQUEST: usize = 20;
const MOST_FOUND: usize = 8;
const MOST_RUNNING: usize = 12;
const MOST_ENDED: usize = 8;
const MOST_CARD: usize = 8;
/// Bytes of an output that are rendered: enough for so many rows.
const RECENT: usize = 16 * 1024;

/// The rows of a conversation, by task.
#[derive(Default)]
pub struct ConversationRows {
    head: Vec<Row>,
    blocks: Vec<Block>,
    /// Requests not confirmed yet.
    tail: Vec<Row>,
}

struct Block {
    id: String,
    version: u64,
    width: usize,
    rows: Vec<Row>,
    /// The row with the spinner.
    busy: Option<usize>,
}

impl ConversationRows {
    pub fn len(&self) -> usize {
        self.head.len() + self.blocks.iter().map(|block| block.rows.len()).sum::<usize>() + self.tail.len()
    }

    pub fn rows_of(&self, task: usize) -> Range<usize> {
        let before = self.blocks.iter().take(task).map(|block| block.rows.len()).sum::<usize>();
        let start = self.head.len() + before;
        start..start + self.blocks.get(task).map_or(0, |block| block.rows.len())
    }

    pub fn row(&self, row: usize) -> Option<&Row> {
        match self.place(row) {
            Place::Head => self.head.get(row),
            Place::Block(task, row) => self.blocks.get(task)?.rows.get(row),
            Place::Tail(row) => self.tail.get(row),
        }
    }

    pub fn task_of(&self, row: usize) -> Option<usize> {
        match self.place(row) {
            Place::Block(task, _) => Some(task),
            Place::Head | Place::Tail(_) => None,
        }
    }

    /// Whether this row has a spinner.
    pub fn is_busy(&self, row: usize) -> bool {
        match self.place(row) {
            Place::Head => false,
            Place::Block(task, row) => self.blocks.get(task).is_some_and(|block| block.busy == Some(row)),
            Place::Tail(row) => row + 1 == self.tail.len(),
        }
    }

    fn place(&self, row: usize) -> Place {
        let Some(mut left) = row.checked_sub(self.head.len()) else { return Place::Head };
        for (task, block) in self.blocks.iter().enumerate() {
            match left.checked_sub(block.rows.len()) {
                Some(behind) => left = behind,
                None => return Place::Block(task, left),
            }
        }
        Place::Tail(left)
    }
}

enum Place {
    Head,
    Block(usize, usize),
    Tail(usize),
}

pub fn layout(model: &Model, width: usize, before: ConversationRows) -> ConversationRows {
    let width = width.saturating_sub(MARGIN + 1).max(10);
    let mut known = before.blocks;
    let blocks = model.tasks.iter().map(|task| {
        let fits = |block: &Block| block.id == task.id && block.version == task.version && block.width == width;
        match known.iter().position(fits) {
            Some(at) => known.swap_remove(at),
            None => block(task, width, model.home()),
        }
    });
    let blocks = blocks.collect();
    let mut tail = Vec::new();
    for sent in &model.sent {
        tail.extend(request(sent, width));
        tail.push(Line::from(vec![Span::raw("    "), Span::styled("sent", rows::DIM)]));
    }
    ConversationRows { head: head(model, width), blocks, tail }
}

fn head(model: &Model, width: usize) -> Vec<Row> {
    if model.earlier > 0 {
        let many = if model.earlier == 1 { "request" } else { "requests" };
        let text = format!("{} earlier {many}; PgUp loads more", model.earlier);
        return vec![Line::styled(text, rows::DIM), Row::default()];
    }
    if !model.tasks.is_empty() || !model.sent.is_empty() {
        return Vec::new();
    }
    let text = match (&model.line, model.thread.is_empty()) {
        (Connection::Down, _) => "connecting to the daemon",
        (Connection::Up, true) => {
            "Say what you want: a question, a change, a command. Nothing runs and nothing is written before you approve it."
        }
        (Connection::Up, false) => "Nothing is known of this conversation any more; what you ask goes on with it.",
    };
    let told = rows::flow(text, width).into_iter().map(|row| Line::styled(row, rows::DIM)).collect();
    match &model.welcome {
        Some(welcome) if model.line == Connection::Up && model.thread.is_empty() => greeted(told, welcome, width),
        Some(_) | None => told,
    }
}

/// Below the greeting: which model answers, and example requests for this directory.
fn greeted(mut all: Vec<Row>, welcome: &TaskWelcome, width: usize) -> Vec<Row> {
    let model = match welcome.model.as_str() {
        "" => "No model is set: commands, searches, reviews and exact changes work without one. `aside model pull` gets one.".to_owned(),
        name => format!("Model: {}", rows::one_line(name)),
    };
    all.push(Row::default());
    all.extend(rows::flow(&model, width).into_iter().map(|row| Line::styled(row, rows::DIM)));
    if !welcome.examples.is_empty() {
        all.push(Row::default());
    }
    for example in &welcome.examples {
        let words = rows::cut(&rows::one_line(example), width.saturating_sub(2));
        all.push(Line::from(vec![Span::styled("› ", rows::ASKED), Span::raw(words)]));
    }
    all
}

fn block(task: &TaskView, width: usize, home: Option<&str>) -> Block {
    let mut all = request(&task.request, width);
    if let Some(from) = &task.from {
        all.push(Line::styled(rows::cut(&format!("  from {}", rows::one_line(from)), width), rows::DIM));
    }
    all.extend(body(task, width, home));
    if !task.output.is_empty() {
        let most = if task.has_ended() { MOST_ENDED } else { MOST_RUNNING };
        all.extend(recent_output(task, width, most));
    }
    let busy = task.is_busy().then_some(all.len());
    all.extend(progress(task, width));
    all.push(Row::default());
    Block { id: task.id.clone(), version: task.version, width, rows: all, busy }
}

fn request(text: &str, width: usize) -> Vec<Row> {
    let mut broken = rows::flow(rows::seen(text).trim_end(), width.saturating_sub(2));
    if broken.len() > MOST_REQUEST {
        broken.truncate(MOST_REQUEST);
        broken.push("…".to_owned());
    }
    let made = broken.into_iter().enumerate().map(|(row, text)| {
        let sign = if row == 0 { "› " } else { "  " };
        Line::from(vec![Span::styled(sign, rows::ASKED), Span::styled(text, rows::BOLD)])
    });
    made.collect()
}

fn body(task: &TaskView, width: usize, home: Option<&str>) -> Vec<Row> {
    let mut all = Vec::new();
    let details = task.details.as_deref().unwrap_or_default();
    match &task.proposal {
        None if task.changes => {
            all.extend(said(&streaming_answer(&task.answer, TextEnd::No).words, width, TextEnd::No))
        }
        None => all.extend(said(&task.answer, width, TextEnd::No)),
        Some(Proposal::Plan { text } | Proposal::Answer { text }) => all.extend(said(text, width, TextEnd::Yes)),
        Some(Proposal::SearchResults { items }) => all.extend(few_found(items, &task.summary, width)),
        Some(Proposal::Command { cmd, .. }) => {
            all.extend(said(details, width, TextEnd::Yes));
            if !task.is_waiting() {
                let lines = cmd.split('\n').flat_map(|line| rows::fold(&visible::exact(line), width.saturating_sub(4)));
                let made = lines.enumerate().map(|(row, text)| {
                    let sign = if row == 0 { "  $ " } else { "    " };
                    Line::from(vec![Span::styled(sign, rows::DIM), Span::styled(text, rows::BOLD)])
                });
                all.extend(made.take(MOST_CARD));
            }
        }
        Some(Proposal::Diff { files, .. }) => {
            all.extend(said(details, width, TextEnd::Yes));
            if !task.is_waiting() {
                let made = files.iter().map(|file| {
                    let path = rows::cut(&visible::exact(&file.path), width.saturating_sub(16));
                    Line::from(vec![
                        Span::raw(format!("  {path} ")),
                        Span::styled(format!("+{} ", file.additions), rows::ADDED),
                        Span::styled(format!("-{}", file.deletions), rows::REMOVED),
                    ])
                });
                all.extend(made.take(MOST_CARD));
                if files.len() > MOST_CARD {
                    all.push(Line::styled(format!("  … {} more files", files.len() - MOST_CARD), rows::DIM));
                }
            }
        }
    }
    if let Some(card) = task.card.as_ref().filter(|_| task.is_waiting()) {
        all.extend(mention(card, width, home));
    }
    all
}

fn said(text: &str, width: usize, whole: TextEnd) -> Vec<Row> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let indented = |row: Row| {
        let mut spans = vec![Span::raw("  ")];
        spans.extend(row.spans);
        Line::from(spans)
    };
    let mut all: Vec<Row> = rows::markdown(text, width.saturating_sub(2), whole).into_iter().map(indented).collect();
    if text.len() + 4 > MAX_ANSWER {
        all.push(Line::styled("  … it is longer than is shown here; `aside task show` has all of it", rows::DIM));
    }
    all
}

/// A pending proposal in a few rows. It is answered in the full view.
fn mention(card: &Card, width: usize, home: Option<&str>) -> Vec<Row> {
    let offer = card.offer();
    let bar = || Span::styled("  ┃ ", rows::WAITS);
    let title = if card.is_change() { "a change to approve" } else { "a command to approve" };
    let mut all = vec![Line::from(vec![bar(), Span::styled(title, rows::WAITS)])];
    let mut inner = Vec::new();
    for row in offer.rows.iter().filter(|row| row.label != "rule") {
        let text = if row.label == "in" { from_home(&row.text, home) } else { row.text.clone() };
        inner.extend(proposal_card::labelled(&row.label, &text, width.saturating_sub(4)));
    }
    let more = inner.len().saturating_sub(MOST_CARD);
    inner.truncate(MOST_CARD);
    all.extend(inner.into_iter().map(|row| {
        let mut spans = vec![bar()];
        spans.extend(row.spans);
        Line::from(spans)
    }));
    if more > 0 {
        all.push(Line::from(vec![bar(), Span::styled(format!("… {}", rows::more(more)), rows::DIM)]));
    }
    all
}

fn few_found(items: &[SearchResult], summary: &str, width: usize) -> Vec<Row> {
    let mut all: Vec<Row> = rows::flow(&rows::one_line(summary), width.saturating_sub(2))
        .into_iter()
        .map(|row| Line::raw(format!("  {row}")))
        .collect();
    for item in items.iter().take(MOST_FOUND) {
        let path = rows::cut(&visible::exact(&item.path), width.saturating_sub(2));
        let room = width.saturating_sub(4 + rows::width(&path));
        let preview = rows::one_line(item.preview.as_deref().unwrap_or_default());
        let preview = if room > 8 { rows::cut(preview.trim(), room) } else { String::new() };
        all.push(Line::from(vec![
            Span::styled(format!("  {path}"), rows::HUNK),
            Span::styled(format!("  {preview}"), rows::DIM),
        ]));
    }
    if items.len() > MOST_FOUND {
        let text = format!("  … {} more; Esc Enter shows all", items.len() - MOST_FOUND);
        all.push(Line::styled(text, rows::DIM));
    }
    all
}

/// The last rows of a command's output, as a terminal would show them.
fn recent_output(task: &TaskView, width: usize, most: usize) -> Vec<Row> {
    let from = task.output.len().saturating_sub(RECENT);
    let from = (from..=task.output.len()).find(|at| task.output.is_char_boundary(*at)).unwrap_or(0);
    let recent = task.output.get(from..).unwrap_or_default();
    let lines = printed(recent, width.saturating_sub(4));
    let hidden = lines.len().saturating_sub(most);
    let mut all = Vec::new();
    if hidden > 0 || from > 0 || task.output_cut {
        all.push(Line::styled("  │ … Esc Enter shows more", rows::DIM));
    }
    all.extend(
        lines.into_iter().skip(hidden).map(|text| Line::from(vec![Span::styled("  │ ", rows::DIM), Span::raw(text)])),
    );
    all
}

fn printed(output: &str, width: usize) -> Vec<String> {
    let shown = rows::seen(&screen::CommandOutput::of_file(output.as_bytes()).shown());
    if shown.is_empty() { Vec::new() } else { shown.split('\n').flat_map(|line| rows::fold(line, width)).collect() }
}

/// All of the output that is kept.
pub fn output(task: &TaskView, width: usize) -> Vec<Row> {
    let mut all = Vec::new();
    if task.output_cut {
        let kept = MAX_OUTPUT / 1024;
        all.push(Line::styled(format!("… the last {kept} kB; `aside task show {}` has all", task.id), rows::DIM));
    }
    all.extend(printed(&task.output, width.saturating_sub(1)).into_iter().map(Line::raw));
    all
}

fn progress(task: &TaskView, width: usize) -> Vec<Row> {
    let message = rows::one_line(&task.message);
    let with = |words: &str| if message.is_empty() { words.to_owned() } else { format!("{words}: {message}") };
    let (sign, style, text): (&str, Style, String) = match task.state {
        StateName::Received => ("·", rows::DIM, with("received")),
        StateName::Routed => ("·", rows::DIM, format!("understood: {}", rows::one_line(&task.wanted))),
        StateName::ContextCollected | StateName::Proposing => {
            let files = match task.looked_at {
                Some(1) => ", with 1 file".to_owned(),
                Some(files @ 2..) => format!(", with {files} files"),
                Some(0) | None => String::new(),
            };
            ("·", rows::DIM, with(&format!("thinking{files}")))
        }
        StateName::ProposalReady => ("·", rows::DIM, with("proposed")),
        StateName::WaitingApproval => ("●", rows::WAITS, "waits for you: Tab looks at it".to_owned()),
        StateName::Executing => {
            let doing = if matches!(task.proposal, Some(Proposal::Diff { .. })) { "writing" } else { "running" };
            ("·", rows::DIM, with(doing))
        }
        StateName::Completed => ("✓", rows::GOOD, ended(task, "done")),
        StateName::Failed => ("✗", rows::DANGER, ended(task, &with("failed"))),
        StateName::Rejected => ("–", rows::DIM, with("rejected")),
    };
    let broken = rows::flow(&text, width.saturating_sub(4)).into_iter().enumerate();
    let made = broken.map(|(row, text)| {
        let sign = if row == 0 { format!("  {sign} ") } else { "    ".to_owned() };
        // A long reason is not coloured.
        let style = if sign.trim().is_empty() || text.len() > 40 { rows::PLAIN } else { style };
        // The spinner has its own style.
        let sign_style = if task.is_busy() { rows::PLAIN } else { style };
        Line::from(vec![Span::styled(sign, sign_style), Span::styled(text, style)])
    });
    made.collect()
}

fn ended(task: &TaskView, word: &str) -> String {
    let mut text = match &task.outcome {
        // The exit status is shown below.
        Some(outcome) if outcome.summary.starts_with("exit status") => {
            if outcome.exit == Some(0) { "ended well" } else { "failed" }.to_owned()
        }
        Some(outcome) if !outcome.summary.trim().is_empty() => rows::one_line(&outcome.summary),
        _ => word.to_owned(),
    };
    if let Some(exit) = task.outcome.as_ref().and_then(|outcome| outcome.exit) {
        text.push_str(&format!(", exit {exit}"));
    }
    if let Some(took) = task.took().filter(|took| *took > 0) {
        text.push_str(&format!(", {took} s"));
    }
    if task.attempt > 1 {
        text.push_str(&format!(", attempt {}", task.attempt));
    }
    if task.undo {
        text.push_str("; Esc u undoes it");
    }
    if let Some(by) = &task.undone_by {
        text.push_str(&format!("; undone {}", answered_from(&rows::one_line(by))));
    }
    if task.state == StateName::Failed {
        text.push_str("; Esc r tries again, w says why, f looks for a fix");
    }
    text
}

/// All search results; the selected one in full.
pub fn found(items: &[SearchResult], picked: usize, width: usize) -> Vec<Row> {
    items.iter().enumerate().flat_map(|(at, item)| item_rows(item, at == picked, width)).collect()
}

pub fn found_row(items: &[SearchResult], picked: usize, width: usize) -> Range<usize> {
    let start = items.iter().take(picked).map(|item| item_rows(item, false, width).len()).sum();
    start..start + items.get(picked).map_or(0, |item| item_rows(item, true, width).len())
}

fn item_rows(item: &SearchResult, is_picked: bool, width: usize) -> Vec<Row> {
    let path = visible::exact(&item.path);
    let preview = rows::one_line(item.preview.as_deref().unwrap_or_default());
    let preview = preview.trim();
    let style = if is_picked { rows::HUNK.patch(rows::TURNED) } else { rows::HUNK };
    let mut all: Vec<Row> = match is_picked {
        true => rows::fold(&path, width).into_iter().map(|row| Line::styled(row, style)).collect(),
        false => vec![Line::styled(rows::cut(&path, width), style)],
    };
    let indented = |row: String| Line::styled(format!("  {row}"), if is_picked { rows::PLAIN } else { rows::DIM });
    match (preview.is_empty(), is_picked) {
        (true, _) => {}
        (false, true) => all.extend(rows::fold(preview, width.saturating_sub(2)).into_iter().map(indented)),
        (false, false) => all.push(indented(rows::cut(preview, width.saturating_sub(2)))),
    }
    all
}

const KEYS: [(&str, &str); 32] = [
    ("Enter", "send what is typed"),
    ("Alt-Enter, Ctrl-J", "a new line in it"),
    ("↑ on an empty line", "what you sent before"),
    ("Tab", "go to the proposal that waits"),
    ("PgUp, PgDn", "scroll the conversation"),
    ("Esc", "go to the conversation, and back"),
    ("Ctrl-T", "the list of conversations"),
    ("Ctrl-N", "a new conversation"),
    ("Ctrl-C", "cancel what runs; twice leaves"),
    ("Ctrl-L", "draw everything again"),
    ("Ctrl-Z", "to the shell; fg comes back"),
    ("", ""),
    ("at a proposal", ""),
    ("y", "run it, or write it"),
    ("Y", "also if not all of it was on the screen"),
    ("n", "reject it"),
    ("e", "edit it: that is a new proposal"),
    ("E", "edit it in your editor"),
    ("c", "let it write in the workspace only, or not"),
    ("v", "a change side by side, or not"),
    ("] [", "next and previous hunk"),
    ("Tab, Shift-Tab", "next and previous file"),
    ("j k Space g G", "scroll"),
    ("", ""),
    ("in the conversation", ""),
    ("j k", "next and previous request"),
    ("Enter, o", "see all of it: output, what was found"),
    ("r", "try it again"),
    ("u", "undo what it wrote"),
    ("w f", "why it failed; a fix for it"),
    ("/ n N", "search; further up, further down"),
    ("i, Esc", "back to typing"),
];

pub fn help(width: usize) -> Vec<Row> {
    let column = KEYS.iter().map(|(key, _)| rows::width(key)).max().unwrap_or(0) + 2;
    let mut all = Vec::new();
    for (key, meaning) in KEYS {
        let narrow = width < column + 20;
        let room = if narrow { width.saturating_sub(2) } else { width.saturating_sub(column) };
        let pad = " ".repeat(column.saturating_sub(rows::width(key)));
        if narrow && !meaning.is_empty() {
            all.push(Line::styled(key, rows::BOLD));
        } else if meaning.is_empty() {
            all.push(Line::styled(key, rows::DIM));
            continue;
        }
        for (row, text) in rows::flow(meaning, room).into_iter().enumerate() {
            let before = match (narrow, row) {
                (true, _) => "  ".to_owned(),
                (false, 0) => format!("{key}{pad}"),
                (false, _) => " ".repeat(column),
            };
            all.push(Line::from(vec![Span::styled(before, rows::BOLD), Span::raw(text)]));
        }
    }
    all
}
