//! Finds commands in lines of text: which lines are commands, which are prose, and which belong together.

use shell_line::{self as line, Dialect, Unclosed};

use crate::command_line::{self, Line};
use crate::markdown;

/// Steps that still read well as one line.
const MAX_STEPS: usize = 6;
/// Lines of one command.
const MAX_LINES: usize = 40;

pub struct Block {
    lines: Vec<String>,
    fenced: Fenced,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fenced {
    No,
    Yes,
}

/// How the next command relates to the one before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Step,
    Alternative,
}

impl Block {
    pub fn of(text: &str) -> Self {
        Block { lines: text.lines().map(str::to_owned).collect(), fenced: Fenced::No }
    }

    pub fn fenced(text: &str) -> Self {
        Block { lines: text.lines().map(str::to_owned).collect(), fenced: Fenced::Yes }
    }

    /// Whether the first line is recognisable as a command before it ends.
    pub fn leads(&self) -> bool {
        let first = self.lines.iter().find(|line| !line.trim().is_empty());
        first.is_some_and(|line| command_line::leads(command_line::unmarked(line).text))
    }

    pub fn commands(&self, dialect: Dialect) -> Vec<String> {
        let mut groups: Vec<Vec<String>> = Vec::new();
        let mut turn = Turn::Alternative;
        let mut refuses = false;
        let mut mentions = Vec::new();
        let mut lines = self.lines.iter().map(String::as_str).enumerate().peekable();
        // Once the first line has a prompt, only lines with a prompt are commands; the others are output.
        let mut prompted = None;
        while let Some((number, raw)) = lines.next() {
            let line = self.read(number, raw);
            match line {
                Line::Blank => {}
                Line::Or => turn = Turn::Alternative,
                Line::Talk { refusal } => {
                    if groups.is_empty() {
                        refuses |= refusal;
                        mentions.extend(command_line::mentions(raw));
                    } else if command_line::ends_answer(raw) && self.fenced == Fenced::No {
                        break;
                    }
                    turn = Turn::Alternative;
                }
                Line::Command { text, marked } => {
                    if *prompted.get_or_insert(marked.prompt) != marked.prompt && prompted == Some(true) {
                        continue;
                    }
                    let mut whole = text.to_owned();
                    let mut count = 0;
                    while let Some(glue) = glue(&whole, dialect, lines.peek().map(|(_, next)| *next)) {
                        let (Some((_, next)), Some(glue)) = (lines.next(), glue) else { return Vec::new() };
                        count += 1;
                        if count > MAX_LINES {
                            return Vec::new();
                        }
                        let next = command_line::without_comment(next.trim());
                        // The continuation prompt, where the prompt was copied too.
                        let next = next.strip_prefix("> ").filter(|_| marked.prompt).unwrap_or(next);
                        match glue {
                            Glue::Blank => {
                                whole = whole.trim_end().strip_suffix('\\').map(str::to_owned).unwrap_or(whole);
                                whole = format!("{} {next}", whole.trim_end());
                            }
                            Glue::Semicolon if next.is_empty() => {}
                            Glue::Semicolon => whole = format!("{}; {next}", whole.trim_end()),
                        }
                    }
                    // An incomplete command is dropped.
                    if line::parse(&whole, dialect).open.is_some() && count > 0 {
                        continue;
                    }
                    match groups.last_mut() {
                        Some(group) if !marked.listed && turn == Turn::Step => group.push(whole),
                        _ => groups.push(vec![whole]),
                    }
                    turn = if marked.listed { Turn::Alternative } else { Turn::Step };
                }
            }
        }
        if groups.is_empty() && !refuses {
            return command_line::best_mentions(mentions);
        }
        groups.iter().filter(|group| group.len() <= MAX_STEPS).map(|group| joined(group)).collect()
    }

    fn read<'l>(&self, number: usize, raw: &'l str) -> Line<'l> {
        match self.fenced {
            Fenced::Yes => command_line::in_fence(raw, self.lines.len()),
            Fenced::No => {
                command_line::outside(raw, self.lines.get(number + 1).is_some_and(|next| !next.trim().is_empty()))
            }
        }
    }
}

/// The certain part of the first command, while the answer streams.
pub fn begun(spoken: &str, dialect: Dialect) -> Option<String> {
    if !markdown::has_fence(spoken) {
        let mut lines = spoken.split_inclusive('\n').filter(|line| !line.trim().is_empty());
        let line = lines.next()?;
        let so_far = whole_words(line)?;
        let unmarked = command_line::unmarked(so_far);
        return command_line::leads(unmarked.text)
            .then(|| certain(so_far, command_line::outside(so_far, false), dialect))
            .flatten();
    }
    let (before, inside) = markdown::first_fence(spoken)?;
    if Block::of(before).leads() {
        return None;
    }
    let line =
        inside.split_inclusive('\n').find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
    if line.contains("```") || line.contains("~~~") {
        return None;
    }
    let so_far = whole_words(line)?;
    certain(so_far, command_line::in_fence(so_far, 2), dialect)
}

/// Up to the last blank, or the whole of a complete line.
fn whole_words(line: &str) -> Option<&str> {
    let end = if line.ends_with('\n') { line.len() } else { line.rfind(' ')? };
    line.get(..end).map(str::trim_end)
}

fn certain(so_far: &str, line: Line<'_>, dialect: Dialect) -> Option<String> {
    // Quotes, emphasis and code markup around all of it are removed at its end.
    if command_line::unmarked(so_far).text.starts_with(['`', '*', '"', '\'', '_', '<', '#', '{', '[', '“', '‘', '('])
    {
        return None;
    }
    let Line::Command { text, .. } = line else { return None };
    // It may be a prompt, a number or a label before the command.
    let first = text.split_whitespace().next()?;
    let one = first.len() == text.trim_end().len();
    if !first.contains(char::is_alphabetic)
        || first.starts_with(char::is_uppercase)
        || one && first.contains(['@', '$', '%', '#', ':', '>', ')'])
    {
        return None;
    }
    let text = text.trim_end_matches(['-', '—', '–', '#', ' ', '\\', '/', '(']);
    // An open quote may never be closed, and then it is no command.
    let open = line::parse(text, dialect).open;
    (open != Some(Unclosed::HereDocument) && !text.is_empty()).then(|| text.to_owned())
}

fn joined(steps: &[String]) -> String {
    let mut whole = String::new();
    for step in steps {
        if whole.ends_with(['&', ';', '|']) {
            whole.push(' ');
        } else if !whole.is_empty() {
            whole.push_str(" && ");
        }
        whole.push_str(step.trim());
    }
    whole
}

enum Glue {
    Blank,
    Semicolon,
}

/// How the next line belongs to the same command, if it does. `Some(None)`: it does, but they cannot be joined to one line.
fn glue(text: &str, dialect: Dialect, next: Option<&str>) -> Option<Option<Glue>> {
    let open = line::parse(text, dialect).open;
    let next = next.map(str::trim);
    let goes_on = next.is_some_and(|next| ["|", "&&", "||"].iter().any(|begin| next.starts_with(begin)));
    match open {
        None => goes_on.then_some(Some(Glue::Blank)),
        Some(Unclosed::Backslash | Unclosed::Operator) => next.map(|_| Some(Glue::Blank)),
        Some(Unclosed::Quote | Unclosed::HereDocument) => Some(None),
        Some(Unclosed::Bracket | Unclosed::Compound) => {
            next?;
            let last = text.trim_end().rsplit([' ', ';']).next().unwrap_or_default();
            let opens =
                matches!(last, "do" | "then" | "else" | "{" | "(" | "in" | "begin" | "$(") || last.ends_with('(');
            let continues = text.trim_end().ends_with('\\');
            Some(Some(if opens || continues || text.trim_end().ends_with(';') { Glue::Blank } else { Glue::Semicolon }))
        }
    }
}
