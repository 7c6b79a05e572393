//! Which commands a line would run, however deep they are wrapped: behind `sudo`, in `sh -c '…'`, after `find -exec`, in
//! a substitution. Does not say what they do.

use std::borrow::Cow;
use std::ops::Range;

use crate::line::{self, Command, Dialect, Join, Open, Redirect, Redirection, Word};
use crate::safety::wrap::{self, Inner};

/// Scripts in scripts. Nobody reads what is deeper.
const MAX_DEPTH: usize = 8;
/// Wrappers before one command: `sudo nice env …`.
const MAX_WRAPPERS: usize = 16;
/// All that is read for a line, as a multiple of its length: scripts that quote each other would be read again and again.
const MAX_READ: usize = 8;
/// Read in any case, so that short lines are read to their ends.
const MIN_READ: usize = 4096;
/// Substitutions in each other. The parser reads a few more, and the rest as text.
const MAX_SUBSTITUTED: usize = 40;
/// Commands that feed one through pipes.
const MAX_STAGES: usize = 16;

/// In the order in which they are found: a wrapper before what it runs.
pub struct Runs {
    pub runs: Vec<Run>,
    /// Why the shell would ask for more, if it would.
    pub open: Option<Open>,
}

/// One command that would run. Spans are bytes of the whole line.
#[derive(Clone, Debug)]
pub struct Run {
    /// The first is its name as it is typed, with its directory.
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
    pub place: Place,
    pub dialect: Dialect,
    /// The commands whose output it reads, the nearest first, each with all that it runs, in `Runs::runs`.
    pub fed_by: Vec<Range<usize>>,
    /// The commands that are substituted in its words, likewise.
    pub substituted: Vec<Range<usize>>,
    pub(super) sign: Sign,
}

/// Whose programs it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Here,
    /// On another machine, in a container, in a virtual environment.
    Elsewhere,
}

/// What is odd about a command, before one knows what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Nothing,
    /// It is the body of a function that calls itself twice.
    Bomb,
    /// What it runs lies too deep to be read, by us or by anybody.
    Deep,
}

impl Runs {
    pub fn of(text: &str, dialect: Dialect) -> Self {
        let mut walk = Walk { runs: Vec::new(), left: (text.len() * MAX_READ).max(MIN_READ) };
        let text = blanks(text);
        let open = walk.script(&text, &Spans::Shift(0), dialect, Place::Here, 0);
        Runs { runs: walk.runs, open }
    }
}

/// Words may be parted by a variable, so as not to look like words. Every byte stays where it is.
fn blanks(text: &str) -> Cow<'_, str> {
    if !text.contains("IFS}") && !text.contains("$IFS") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("${IFS}", "      ").replace("$IFS", "    "))
}

impl Run {
    /// The name without its directory and without the letter that some systems put before GNU's tools.
    pub fn name(&self) -> &str {
        match self.words.first() {
            Some(word) if word.fixed => plain_name(&word.value),
            Some(word) if matches!(&*word.value, "$SHELL" | "${SHELL}" | "$BASH") => "sh",
            Some(_) | None => "",
        }
    }

    /// Without the name.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// From the name to the last word.
    pub fn span(&self) -> Range<usize> {
        let start = self.words.iter().map(|word| word.span.start).min().unwrap_or_default();
        let end = self.words.iter().map(|word| word.span.end).max().unwrap_or(start);
        start..end
    }
}

/// Homebrew's names of GNU tools.
const WITH_G: [&str; 20] = [
    "gchgrp",
    "gchmod",
    "gchown",
    "gcp",
    "gdd",
    "genv",
    "gfind",
    "ginstall",
    "gln",
    "gmv",
    "gnice",
    "gnohup",
    "grm",
    "gsed",
    "gshred",
    "gtee",
    "gtimeout",
    "gtruncate",
    "gunlink",
    "gxargs",
];

pub(super) fn plain_name(typed: &str) -> &str {
    let name = typed.rsplit('/').next().unwrap_or(typed);
    if WITH_G.contains(&name) { name.strip_prefix('g').unwrap_or(name) } else { name }
}

/// Where the bytes of a script are in the whole line.
#[derive(Clone, Debug)]
enum Spans {
    /// One after the other, from here on.
    Shift(usize),
    /// Spelled otherwise there: all of it is this.
    Whole(Range<usize>),
}

impl Spans {
    fn of(&self, span: &Range<usize>) -> Range<usize> {
        match self {
            Spans::Shift(by) => span.start + by..span.end + by,
            Spans::Whole(whole) => whole.clone(),
        }
    }

    /// Of the value of a word, whose span is one of this script.
    fn within(&self, text: &str, word: &Word) -> Spans {
        let raw = text.get(word.span.clone()).unwrap_or_default();
        let quoted = ['\'', '"'].iter().any(|quote| {
            raw.strip_prefix(*quote).and_then(|raw| raw.strip_suffix(*quote)) == Some(word.value.as_str())
        });
        match self {
            Spans::Shift(by) if quoted => Spans::Shift(by + word.span.start + 1),
            Spans::Shift(by) if raw == word.value => Spans::Shift(by + word.span.start),
            Spans::Shift(_) | Spans::Whole(_) => Spans::Whole(self.of(&word.span)),
        }
    }
}

struct Walk {
    runs: Vec<Run>,
    /// Bytes that may still be read.
    left: usize,
}

/// A script and where it stands.
struct Script<'a> {
    text: &'a str,
    spans: &'a Spans,
    depth: usize,
}

impl Walk {
    fn script(&mut self, text: &str, spans: &Spans, dialect: Dialect, place: Place, depth: usize) -> Option<Open> {
        self.left = self.left.saturating_sub(text.len());
        let line = line::parse(text, dialect);
        let script = Script { text, spans, depth };
        let mut at: Vec<Range<usize>> = Vec::with_capacity(line.commands.len());
        let mut depths: Vec<usize> = Vec::with_capacity(line.commands.len());
        for (number, command) in line.commands.iter().enumerate() {
            let from = self.runs.len();
            let within = command.inside.and_then(|outer| depths.get(outer)).map_or(0, |outer| outer + 1);
            depths.push(within);
            let deep = within >= MAX_SUBSTITUTED;
            let run = Run {
                words: unfolded(&command.words),
                redirections: command.redirections.iter().map(|redirection| gentle(text, redirection)).collect(),
                place,
                dialect,
                fed_by: feeding(&line.commands, number).iter().filter_map(|fed| at.get(*fed).cloned()).collect(),
                substituted: Vec::new(),
                sign: if deep { Sign::Deep } else { bomb(text, &line.commands, number) },
            };
            self.run(&script, run, 0);
            at.push(from..self.runs.len());
        }
        for (number, command) in line.commands.iter().enumerate() {
            let Some((outer, inner)) = command.inside.and_then(|outer| at.get(outer)).zip(at.get(number)) else {
                continue;
            };
            for run in self.runs.get_mut(outer.clone()).unwrap_or_default() {
                if run.substituted.len() < MAX_STAGES {
                    run.substituted.push(inner.clone());
                }
            }
        }
        line.open
    }

    /// A command, whose spans are still those of the script, and what it runs.
    fn run(&mut self, script: &Script<'_>, run: Run, wrappers: usize) {
        let Script { text, spans, depth } = *script;
        let mut inner = wrap::inner(&run);
        let mut sign = run.sign;
        if wrappers >= MAX_WRAPPERS && !inner.is_empty() {
            inner.clear();
            sign = Sign::Deep;
        }
        let fed_by = run.fed_by.clone();
        let (dialect, place) = (run.dialect, run.place);
        let mut scripts: Vec<(String, Spans, Dialect, Place)> = Vec::new();
        let mut commands: Vec<Run> = Vec::new();
        for found in inner {
            match found {
                Inner::Command { words, place: where_to } => commands.push(Run {
                    words: run.words.get(words).unwrap_or_default().to_vec(),
                    redirections: run.redirections.clone(),
                    place: further(place, where_to),
                    dialect,
                    fed_by: fed_by.clone(),
                    substituted: Vec::new(),
                    sign: Sign::Nothing,
                }),
                Inner::Script { words, place: where_to, dialect: read_as } => {
                    let words = run.words.get(words).unwrap_or_default();
                    let Some((text, spans)) = joined(text, spans, words) else { continue };
                    scripts.push((text, spans, read_as.unwrap_or(dialect), further(place, where_to)));
                }
                Inner::Text { text, word, dialect: read_as } => {
                    let Some(word) = run.words.get(word) else { continue };
                    scripts.push((text, Spans::Whole(spans.of(&word.span)), read_as.unwrap_or(dialect), place));
                }
            }
        }
        // What is handed to a shell without being a word of it.
        if wrap::reads_commands(&run) {
            let handed = run.redirections.iter().filter(|redirection| redirection.kind == Redirect::HereString);
            for word in handed.filter_map(|redirection| redirection.target.as_ref()) {
                scripts.push((word.value.clone(), spans.within(text, word), shell_dialect(&run), place));
            }
            for redirection in run.redirections.iter().filter(|redirection| redirection.kind == Redirect::HereDocument)
            {
                if let Some((body, from)) = document(text, redirection) {
                    let spans = match spans {
                        Spans::Shift(by) => Spans::Shift(by + from),
                        Spans::Whole(whole) => Spans::Whole(whole.clone()),
                    };
                    scripts.push((body, spans, shell_dialect(&run), place));
                }
            }
            let fed = fed_by.first().and_then(|fed| self.runs.get(fed.start));
            if let Some((said, span)) = fed.and_then(spoken) {
                scripts.push((said, Spans::Whole(span), shell_dialect(&run), place));
            }
        }
        let total: usize = scripts.iter().map(|(text, ..)| text.len()).sum();
        if !scripts.is_empty() && (depth >= MAX_DEPTH || total > self.left) {
            scripts.clear();
            sign = Sign::Deep;
        }
        self.runs.push(Run {
            sign,
            words: run.words.iter().map(|word| moved(word, spans)).collect(),
            redirections: run.redirections.iter().map(|redirection| moved_redirection(redirection, spans)).collect(),
            ..run
        });
        for command in commands {
            self.run(script, command, wrappers + 1);
        }
        for (text, spans, dialect, place) in scripts {
            self.script(&text, &spans, dialect, place, depth + 1);
        }
    }
}

fn further(outer: Place, inner: Place) -> Place {
    if outer == Place::Elsewhere { outer } else { inner }
}

fn shell_dialect(run: &Run) -> Dialect {
    match run.name() {
        "eval" | "source" | "." => run.dialect,
        name => Dialect::of(name),
    }
}

fn joined(text: &str, spans: &Spans, words: &[Word]) -> Option<(String, Spans)> {
    match words {
        [] => None,
        [word] => Some((word.value.clone(), spans.within(text, word))),
        [first, .., last] => {
            let values: Vec<&str> = words.iter().map(|word| word.value.as_str()).collect();
            let (first, last) = (spans.of(&first.span), spans.of(&last.span));
            Some((values.join(" "), Spans::Whole(first.start..last.end.max(first.end))))
        }
    }
}

fn moved(word: &Word, spans: &Spans) -> Word {
    Word { span: spans.of(&word.span), value: word.value.clone(), fixed: word.fixed }
}

fn moved_redirection(redirection: &Redirection, spans: &Spans) -> Redirection {
    Redirection {
        span: spans.of(&redirection.span),
        kind: redirection.kind,
        target: redirection.target.as_ref().map(|word| moved(word, spans)),
    }
}

/// `{rm,-rf,x}` is three words.
fn unfolded(words: &[Word]) -> Vec<Word> {
    let folded = words.first().filter(|word| !word.fixed).and_then(|word| {
        let inside = word.value.strip_prefix('{')?.strip_suffix('}')?;
        (inside.contains(',') && !inside.contains(['{', '}', '$'])).then_some((word, inside))
    });
    let Some((word, inside)) = folded else { return words.to_vec() };
    let parts = inside.split(',').map(|part| Word { span: word.span.clone(), value: part.to_owned(), fixed: true });
    parts.chain(words.iter().skip(1).cloned()).collect()
}

/// `<>` and fish's `>?` write, but lose nothing: they count as adding to the file.
fn gentle(text: &str, redirection: &Redirection) -> Redirection {
    let target = redirection.target.as_ref().map_or(redirection.span.end, |word| word.span.start);
    let operator = text.get(redirection.span.start..target).unwrap_or_default();
    let keeps = operator.contains("<>") || operator.contains(">?");
    let kind = if keeps && redirection.kind == Redirect::Write { Redirect::Append } else { redirection.kind };
    Redirection { kind, ..redirection.clone() }
}

/// The text of a here-document, and where it begins.
fn document(text: &str, redirection: &Redirection) -> Option<(String, usize)> {
    let delimiter = &redirection.target.as_ref()?.value;
    let from = redirection.span.end + text.get(redirection.span.end..)?.find('\n')? + 1;
    let body = text.get(from..)?;
    let mut length = 0;
    for line in body.split_inclusive('\n') {
        if line.trim() == delimiter {
            break;
        }
        length += line.len();
    }
    body.get(..length).map(|body| (body.to_owned(), from))
}

/// What a command prints that only repeats its words.
fn spoken(run: &Run) -> Option<(String, Range<usize>)> {
    let words = match run.name() {
        "echo" | "print" | "printf" => run.arguments(),
        _ => return None,
    };
    let words: Vec<&str> = words.iter().map(|word| word.value.as_str()).skip_while(|word| is_flag(word)).collect();
    Some((words.join(" ").replace("\\n", "\n"), run.span()))
}

pub(super) fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The commands before this one in its pipeline, the nearest first.
fn feeding(commands: &[Command], number: usize) -> Vec<usize> {
    let mut feeding = Vec::new();
    let mut at = number;
    while let Some(command) = commands.get(at).filter(|command| command.join == Join::Pipe) {
        let before = commands.iter().enumerate().take(at).rev().take(MAX_STAGES);
        let Some((before, _)) = before.into_iter().find(|(_, before)| before.inside == command.inside) else { break };
        feeding.push(before);
        at = before;
        if feeding.len() == MAX_STAGES {
            break;
        }
    }
    feeding
}

/// `f() { f | f & }`: a command that is piped into itself right where a function of its name begins.
fn bomb(text: &str, commands: &[Command], number: usize) -> Sign {
    let only =
        |at: usize| commands.get(at).filter(|command| command.words.len() == 1).and_then(|one| one.words.first());
    let (Some(command), Some(word), Some(next)) = (commands.get(number), only(number), only(number + 1)) else {
        return Sign::Nothing;
    };
    let piped = commands.get(number + 1).is_some_and(|next| next.join == Join::Pipe);
    if !piped || next.value != word.value {
        return Sign::Nothing;
    }
    let before = text.get(..command.span.start).unwrap_or_default().trim_end();
    let before = before.strip_suffix(['{', '(', ';']).unwrap_or(before).trim_end();
    let header = before.strip_suffix("()").unwrap_or(before).trim_end();
    let named = header.strip_suffix(word.value.as_str());
    let declared = before.len() > header.len() || named.is_some_and(|rest| rest.trim_end().ends_with("function"));
    if named.is_some() && declared { Sign::Bomb } else { Sign::Nothing }
}
