//! Explains a command part by part, from specs, manual pages and phrases. Runs nothing and asks no model. `dissect` takes
//! a command apart, `describe` has the wording for each piece, `shell` for what is between commands, `sentence` for the
//! whole; `value`, `script` and `find` interpret arguments; `manual` parses a manual page.

mod clause;
mod describe;
mod dissect;
mod find;
mod manual;
mod mode;
mod phrases;
mod revision;
mod script;
mod sentence;
mod shell;
mod summary;
mod value;

#[cfg(test)]
mod tests;

use std::ops::Range;

use aside_commands::safety::{self, Danger, Harm};
use aside_text as text;
use shell_line::{self as line, Command, Redirection};

use crate::TranslateContext;
use crate::explain::dissect::{DissectedCommand, PartKind};
use crate::explain::shell::GapPosition;

/// Bytes of a line that are explained; of a longer script only the beginning is.
const MAX_BYTES: usize = 8 * 1024;
/// Rows of one explanation.
const MAX_PARTS: usize = 400;
/// Nesting of scripts and command substitutions.
const MAX_DEPTH: usize = 6;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// In the order of the line.
    pub parts: Vec<Part>,
    /// One sentence about the whole line.
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    /// Empty when nothing is known about it.
    pub about: String,
    pub harm: Option<Harm>,
}

pub fn explain(command: &str, place: &TranslateContext<'_>) -> Explanation {
    let command = text::clean(command);
    let end = command.floor_char_boundary(MAX_BYTES);
    let command = command[..end].trim();
    let mut teller = Teller { place: *place, rows: Vec::new(), depth: 0 };
    let summary = match shell::schedule(command) {
        // A crontab line: the schedule, then the command.
        Some((when, rest)) => {
            teller.row(0..when.len(), when, shell::times(when));
            let told = teller.script(rest, &Shift::By(command.len() - rest.len()));
            sentence::scheduled(&shell::times(when), &sentence::whole(&told))
        }
        None => sentence::whole(&teller.script(command, &Shift::By(0))),
    };
    let mut dangers = safety::dangers_in(command, place.dialect, place.cwd, place.world);
    dangers.sort_by_key(|danger| danger.harm);
    let mut parts = teller.rows;
    parts.truncate(MAX_PARTS);
    for danger in &dangers {
        blame(&mut parts, danger);
    }
    Explanation { parts: parts.into_iter().map(|row| row.part).collect(), summary: one_line(&summary) }
}

/// Whether anything is known about the command; an unknown program still has a part.
pub fn is_known(explanation: &Explanation) -> bool {
    let known = |part: &Part| part.harm.is_some() || (!part.about.is_empty() && part.about != describe::UNKNOWN);
    explanation.parts.iter().any(known)
}

/// At most `width` columns wide, for the space under a prompt.
pub fn summary_lines(explanation: &Explanation, width: usize) -> Vec<String> {
    summary::summary_lines(explanation, width)
}

/// A part, and its position in the line.
struct Row {
    span: Range<usize>,
    part: Part,
}

/// The explained commands of one script, for the summary sentence.
struct Told {
    commands: Vec<ToldCommand>,
}

struct ToldCommand {
    taken: DissectedCommand,
    join: line::Join,
    background: bool,
    redirections: Vec<Redirection>,
    /// Set when a loop or a condition decides whether the command runs.
    lead: Option<String>,
}

/// Maps offsets in a script to offsets in the whole line.
enum Shift {
    By(usize),
    /// The script is spelled differently in the line (escapes), so every offset maps to this span.
    Whole(Range<usize>),
}

impl Shift {
    fn of(&self, span: &Range<usize>) -> Range<usize> {
        match self {
            Shift::By(bytes) => span.start + bytes..span.end + bytes,
            Shift::Whole(span) => span.clone(),
        }
    }
}

struct Teller<'a> {
    place: TranslateContext<'a>,
    rows: Vec<Row>,
    depth: usize,
}

impl Teller<'_> {
    fn row(&mut self, span: Range<usize>, text: &str, about: impl Into<String>) {
        if self.rows.len() >= MAX_PARTS {
            return;
        }
        let text = one_line(text);
        if !text.is_empty() {
            self.rows.push(Row { span, part: Part { text, about: one_line(&about.into()), harm: None } });
        }
    }

    fn script(&mut self, text: &str, shift: &Shift) -> Told {
        let parsed = line::parse(text, self.place.dialect);
        let mut told = Told { commands: Vec::new() };
        let mut at = 0;
        for (number, command) in parsed.commands.iter().enumerate() {
            if command.inside.is_some() {
                // Explained at its own position.
                continue;
            }
            let gap = text.get(at..command.span.start).unwrap_or_default();
            let lead = self.gap(gap, at, shift, GapPosition::Before);
            at = command.span.end.max(at);
            let background = shell::is_background(text.get(at..).unwrap_or_default());
            let taken = self.command(text, &parsed.commands, number, shift);
            told.commands.push(ToldCommand {
                taken,
                join: command.join,
                background,
                redirections: command.redirections.clone(),
                lead,
            });
        }
        let rest = text.get(at..).unwrap_or_default();
        self.gap(rest, at, shift, GapPosition::Last);
        told
    }

    /// Explains what is between commands. Returns the condition under which the next command runs.
    fn gap(&mut self, gap: &str, at: usize, shift: &Shift, stands: GapPosition) -> Option<String> {
        let mut lead = None;
        for sign in shell::signs(gap, self.place.dialect, stands) {
            let span = shift.of(&(at + sign.span.start..at + sign.span.end));
            self.row(span, &gap[sign.span.clone()], sign.about);
            // `for x in …; do`: the loop says more than its `do`.
            lead = lead.or(sign.leads);
        }
        lead
    }

    fn command(&mut self, text: &str, all: &[Command], number: usize, shift: &Shift) -> DissectedCommand {
        let Some(command) = all.get(number) else { return DissectedCommand::default() };
        for assignment in &command.assignments {
            let raw = text.get(assignment.span.clone()).unwrap_or_default();
            let about = shell::assignment(assignment, command.words.is_empty());
            self.row(shift.of(&assignment.span), raw, about);
            self.substituted(text, all, number, &assignment.value.span, shift);
        }
        let taken = dissect::dissect(text, &command.words, &self.place, self.depth);
        self.taken(text, all, number, &taken, shift);
        for redirection in &command.redirections {
            let raw = text.get(redirection.span.clone()).unwrap_or_default();
            self.row(shift.of(&redirection.span), raw, shell::redirection(raw, redirection));
            self.substituted(text, all, number, &redirection.span, shift);
        }
        taken
    }

    fn taken(&mut self, text: &str, all: &[Command], number: usize, taken: &DissectedCommand, shift: &Shift) {
        if taken.text.is_empty() {
            return;
        }
        self.row(shift.of(&taken.span), &taken.text, describe::command(taken));
        if let dissect::CommandSource::Alias(stands_for) = &taken.source
            && taken.about.is_empty()
            && self.depth < MAX_DEPTH
        {
            self.depth += 1;
            self.script(stands_for, &Shift::Whole(shift.of(&taken.span)));
            self.depth -= 1;
        }
        if let Some(word) = taken.name_span.clone() {
            self.substituted(text, all, number, &word, shift);
        }
        for (place, item) in taken.items.iter().enumerate() {
            match &item.what {
                PartKind::Runs(inner) => self.taken(text, all, number, inner, shift),
                PartKind::Script(script) => {
                    self.row(shift.of(&item.span), &item.text, describe::item(taken, place, &self.place));
                    self.nested(text, &item.span, script, shift);
                }
                PartKind::Merged => {}
                _ => {
                    self.row(shift.of(&item.span), &item.text, describe::item(taken, place, &self.place));
                    self.substituted(text, all, number, &item.span, shift);
                }
            }
        }
    }

    /// The commands in `$(…)`, `<(…)` and backquotes of a word.
    fn substituted(&mut self, text: &str, all: &[Command], owner: usize, span: &Range<usize>, shift: &Shift) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let within = |command: &Command| {
            command.inside == Some(owner) && span.start <= command.span.start && command.span.end <= span.end
        };
        let mut at: Option<usize> = None;
        for (number, command) in all.iter().enumerate().filter(|(_, command)| within(command)) {
            match at {
                // A further command of the same list; before the first there is only the bracket.
                Some(at) if command.join != line::Join::First => {
                    let gap = text.get(at..command.span.start).unwrap_or_default();
                    self.gap(gap, at, shift, GapPosition::Before);
                }
                _ => {}
            }
            at = Some(command.span.end);
            self.command(text, all, number, shift);
        }
        self.depth -= 1;
    }

    /// A script that is passed as an argument.
    fn nested(&mut self, text: &str, span: &Range<usize>, script: &str, shift: &Shift) {
        if self.depth >= MAX_DEPTH || script.trim().is_empty() {
            return;
        }
        self.depth += 1;
        let raw = text.get(span.clone()).unwrap_or_default();
        let shift = match (raw.find(script), shift) {
            (Some(at), Shift::By(bytes)) => Shift::By(bytes + span.start + at),
            _ => Shift::Whole(shift.of(span)),
        };
        self.script(script, &shift);
        self.depth -= 1;
    }
}

/// Marks the part that causes the danger: a flag if there is one, else the command.
fn blame(rows: &mut [Row], danger: &Danger) {
    let within = |row: &Row| danger.span.start <= row.span.start && row.span.end <= danger.span.end;
    let culprit = |row: &Row| {
        let flag = row.part.text.split(['=', ' ']).next().unwrap_or_default();
        let culprits: &[&str] = match danger.harm {
            Harm::DeletesFiles => &["-delete", "--delete", "--delete-after", "--delete-before", "--delete-excluded"],
            Harm::EditsInPlace => &["-i", "--in-place", "-pi"],
            Harm::RewritesShared => &["--force", "-f", "--force-with-lease", "--mirror"],
            Harm::LosesWork => &["--hard", "--force"],
            Harm::RawDisk => &["of"],
            _ => &[],
        };
        culprits.contains(&flag)
    };
    let found = rows.iter().position(|row| within(row) && culprit(row));
    let found = found.or_else(|| rows.iter().position(|row| row.span.start == danger.span.start));
    let found = found.or_else(|| {
        let holds = rows.iter().enumerate().filter(|(_, row)| row.span.contains(&danger.span.start));
        holds.min_by_key(|(_, row)| row.span.len()).map(|(number, _)| number)
    });
    let found = found.or_else(|| rows.iter().rposition(|row| row.span.start <= danger.span.start));
    if let Some(row) = found.and_then(|number| rows.get_mut(number)) {
        row.part.harm = row.part.harm.max(Some(danger.harm));
    }
}

/// Cleans the text and joins it to one line.
fn one_line(text: &str) -> String {
    text::clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
