//! Finds the commands that a line would run, however deeply wrapped: after `sudo`, in `sh -c '…'`, after `find -exec`, in a substitution,
//! in a function, in code of another language. Does not say what they do.

mod effects;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use shell_line::{self as line, Assignment, Command, Dialect, Join, Redirect, Redirection, Unclosed, Word};

use crate::safety::blocks::Shape;
use crate::safety::code;
use crate::safety::known_output;
use crate::safety::nested_commands::effects::{NOCLOBBER, added, follow_links, gentle, mounted, remember, writes};
use crate::safety::startup;
use crate::safety::target::{self, PathScope};
use crate::safety::variables::{Body, Scope};
use crate::safety::wrappers::forms::variable_scripts;
use crate::safety::wrappers::{self, InnerCommand};

/// Nesting of scripts. Deeper ones are not read.
const MAX_DEPTH: usize = 8;
/// Wrappers before one command: `sudo nice env …`.
const MAX_WRAPPERS: usize = 16;
/// Total bytes read for a line, as a multiple of its length: scripts that quote each other would be read again and again.
const MAX_READ: usize = 8;
/// Always allowed, so that short lines are read completely.
const MIN_READ: usize = 8192;
/// Nesting of substitutions. The parser reads a few more levels, and the rest as text.
const MAX_SUBSTITUTED: usize = 40;
/// Commands that feed one through pipes.
const MAX_STAGES: usize = 16;
/// In the order in which they are found: a wrapper before what it runs.
pub struct NestedCommands {
    pub runs: Vec<NestedCommand>,
    /// Why the shell would ask for more input, if it would.
    pub open: Option<Unclosed>,
}

/// One command that would run. Spans are byte ranges of the whole line.
#[derive(Clone, Debug)]
pub struct NestedCommand {
    /// The first is its name as typed, with its directory. Variables that the line assigns are expanded.
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
    pub place: RunsWhere,
    pub dialect: Dialect,
    /// The commands whose output it reads, the nearest first, each with all that it runs, as ranges of `NestedCommands::runs`.
    pub fed_by: Vec<Range<usize>>,
    /// The commands substituted in its words, likewise.
    pub substituted: Vec<Range<usize>>,
    pub(super) sign: Anomaly,
    pub(super) role: Persistence,
    /// Standard input that the line contains: here-documents, the output of `echo`.
    pub(super) fed: Vec<String>,
    /// The directory that the line changed to, as spelled.
    pub(super) directory: Option<Arc<str>>,
    /// Another command runs it, and passes its redirections on.
    pub(super) is_inner: bool,
    /// The bytes from the first to the last word; empty while these may change.
    pub(super) extent: Range<usize>,
    /// A script or a module with its arguments, which another run starts by its interpreter: `json.tool` of `python -m json.tool`.
    pub is_module: bool,
}

/// Whose programs it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsWhere {
    Here,
    /// On another machine, in a container, in a virtual environment.
    Elsewhere,
}

/// What is odd about a command, whatever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anomaly {
    Nothing,
    /// It is the body of a function that calls itself twice.
    Bomb,
    /// What it runs is nested too deeply to be read.
    Deep,
}

/// Whether the effects of a command last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    Runs,
    /// In the body of a function: it runs where that is called, if it is.
    Defined,
    /// In a container that is discarded and shares no files.
    Discarded,
}

impl NestedCommands {
    pub fn of(text: &str, dialect: Dialect) -> Self {
        Self::read(text, dialect, Scope::default())
    }

    /// Like `of`, for a line that would run in this directory, so that relative paths are known.
    pub fn at(text: &str, dialect: Dialect, cwd: &str) -> Self {
        let mut scope = Scope::default();
        scope.directory = Some(cwd.into());
        Self::read(text, dialect, scope)
    }

    fn read(text: &str, dialect: Dialect, mut scope: Scope) -> Self {
        let left = (text.len() * MAX_READ).max(MIN_READ);
        let mut walk = Walk { runs: Vec::new(), left, expansions: left };
        let text = blanks(text);
        let start = Start { dialect, place: RunsWhere::Here, role: Persistence::Runs, depth: 0 };
        let open = walk.script(&text, &Spans::Shift(0), start, &mut scope, &[]);
        NestedCommands { runs: walk.runs, open }
    }
}

/// Replaces `$IFS`, which can hide blanks between words, without moving any byte.
fn blanks(text: &str) -> Cow<'_, str> {
    if !text.contains("IFS}") && !text.contains("$IFS") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("${IFS}", "      ").replace("$IFS", "    "))
}

impl NestedCommand {
    /// The name without its directory and without the `g` that some systems put before GNU tools. Empty where it is unknown.
    pub fn name(&self) -> &str {
        match self.words.first() {
            Some(word) if word.fixed => plain_name(&word.value),
            Some(word) if matches!(&*word.value, "$SHELL" | "${SHELL}" | "$BASH") => "sh",
            // `$HOME/bin/x`, `$(npm bin)/x`
            Some(word) => match word.value.rsplit_once('/') {
                Some((_, last)) if !last.contains(['$', '`', '*', '?', '{', '(', ')', '[']) => plain_name(&word.value),
                _ => "",
            },
            None => "",
        }
    }

    /// The words after the name.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Everything that may be a path: words, values of flags and `x=y`, targets of redirections; resolves `.`, `..` and the directory that
    /// the line changed to.
    pub fn paths(&self) -> Vec<String> {
        let targets = self.redirections.iter().filter(|redirection| redirection.kind != Redirect::Descriptor);
        let targets = targets.filter_map(|redirection| redirection.target.as_ref());
        let words = self.arguments().iter().chain(targets).map(|word| word.value.as_str());
        let mut paths = Vec::new();
        for word in words {
            // `if=` of dd is only read.
            let value = word.split_once('=').filter(|(key, _)| *key != "if").map(|(_, value)| value);
            for path in [Some(word), value].into_iter().flatten() {
                let joined = target::joined(self.directory.as_deref(), path);
                paths.push(target::resolved(&joined).into_owned());
            }
        }
        paths.extend(code::reading(self).files);
        paths
    }

    /// From the name to the last word.
    pub fn span(&self) -> Range<usize> {
        if !self.extent.is_empty() {
            return self.extent.clone();
        }
        extent(&self.words)
    }
}

fn extent(words: &[Word]) -> Range<usize> {
    let start = words.iter().map(|word| word.span.start).min().unwrap_or_default();
    start..words.iter().map(|word| word.span.end).max().unwrap_or(start)
}

/// Homebrew's names of GNU tools.
const WITH_G: [&str; 22] = [
    "gawk",
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
    "gtar",
    "gtee",
    "gtimeout",
    "gtruncate",
    "gunlink",
    "gxargs",
];

pub(super) fn plain_name(typed: &str) -> &str {
    let name = typed.rsplit('/').next().unwrap_or(typed);
    // The builtins of zsh/files are the programs under another name.
    if let Some(builtin) = name.strip_prefix("zf_") {
        return builtin;
    }
    if WITH_G.contains(&name) { name.strip_prefix('g').unwrap_or(name) } else { name }
}

/// Where the bytes of a script are in the whole line.
#[derive(Clone, Debug)]
enum Spans {
    /// Contiguous, from this offset.
    Shift(usize),
    /// Quoted or generated: every byte maps to this range.
    Whole(Range<usize>),
}

impl Spans {
    fn of(&self, span: &Range<usize>) -> Range<usize> {
        match self {
            Spans::Shift(by) => span.start + by..span.end + by,
            Spans::Whole(whole) => whole.clone(),
        }
    }

    fn further(&self, by: usize) -> Spans {
        match self {
            Spans::Shift(before) => Spans::Shift(before + by),
            Spans::Whole(whole) => Spans::Whole(whole.clone()),
        }
    }

    /// The mapping for the value of a word, whose span is in this script.
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

/// How a script is read.
#[derive(Clone, Copy)]
struct Start {
    dialect: Dialect,
    place: RunsWhere,
    role: Persistence,
    depth: usize,
}

struct Walk {
    runs: Vec<NestedCommand>,
    /// Remaining bytes to read.
    left: usize,
    /// Remaining bytes for expanded variables.
    expansions: usize,
}

/// A script and its position.
#[derive(Clone, Copy)]
struct Script<'a> {
    text: &'a str,
    spans: &'a Spans,
    depth: usize,
}

/// A script that a command runs.
struct Nested {
    text: String,
    spans: Spans,
    start: Start,
    scope: Scope,
    /// Standard input of its first command.
    fed: Vec<String>,
}

impl Walk {
    fn script(
        &mut self,
        text: &str,
        spans: &Spans,
        start: Start,
        scope: &mut Scope,
        handed: &[String],
    ) -> Option<Unclosed> {
        self.left = self.left.saturating_sub(text.len());
        let line = line::parse(text, start.dialect);
        let shape = Shape::of(text, &line.commands, start.dialect);
        for function in &shape.functions {
            let Some(body) = text.get(function.body.clone()) else { continue };
            let at = match spans {
                Spans::Shift(by) => Some(by + function.body.start),
                Spans::Whole(_) => None,
            };
            let span = spans.of(&function.body);
            scope.define(&function.name, Body { text: body.to_owned(), start: at, span, dialect: start.dialect });
        }
        let script = Script { text, spans, depth: start.depth };
        let mut at: Vec<Range<usize>> = Vec::with_capacity(line.commands.len());
        let mut depths: Vec<usize> = Vec::with_capacity(line.commands.len());
        let mut surroundings = Surroundings::default();
        for (number, command) in line.commands.iter().enumerate() {
            let from = self.runs.len();
            let within = command.inside.and_then(|outer| depths.get(outer)).map_or(0, |outer| outer + 1);
            depths.push(within);
            surroundings.enter(text, &shape, command, start.dialect, scope, &mut self.expansions);
            let function = shape.function(command.span.start);
            // Who redefines an everyday command hardly calls it knowingly.
            let defined = function.is_some_and(|function| !startup::is_everyday(&function.name));
            let fed_by = feeding(&line.commands, number, &shape);
            let mut run = NestedCommand {
                words: scope.expand(&unfolded(&command.words), text, start.dialect, &mut self.expansions),
                redirections: command
                    .redirections
                    .iter()
                    .map(|redirection| self.redirection(text, redirection, scope, start.dialect))
                    .collect(),
                place: start.place,
                dialect: start.dialect,
                fed_by: fed_by.iter().filter_map(|fed| at.get(*fed).cloned()).collect(),
                substituted: Vec::new(),
                sign: if within >= MAX_SUBSTITUTED { Anomaly::Deep } else { bomb(text, &line.commands, number) },
                role: if defined { Persistence::Defined } else { start.role },
                fed: Vec::new(),
                directory: scope.directory.clone(),
                is_inner: false,
                extent: 0..0,
                is_module: false,
            };
            // The budget ended within the line: what its lists and variables hold is unknown.
            if self.expansions == 0 && run.words.iter().any(|word| !word.fixed && word.value.starts_with('$')) {
                run.sign = Anomaly::Deep;
            }
            if run.name() != "ln" {
                follow_links(&mut run.words, scope);
            }
            run.fed = self.fed(text, &run, scope);
            if run.fed.is_empty() && number == 0 {
                run.fed = handed.to_vec();
            }
            let mut own: Option<Scope> = None;
            let mut values: Vec<String> = Vec::with_capacity(command.assignments.len());
            for assignment in &command.assignments {
                let words = self.assigned(text, assignment, scope, start.dialect);
                values.push(words.join(" "));
                let target = match command.words.is_empty() {
                    true => &mut *scope,
                    false => own.get_or_insert_with(|| scope.clone()),
                };
                target.assign(&assignment.name, words);
            }
            if function.is_none() && run.role != Persistence::Defined {
                remember(&run, scope);
                writes(&run, scope);
            }
            let nested = Start { depth: start.depth + 1, ..start };
            self.run(&script, run, 0, own.as_ref().unwrap_or(scope));
            for (assignment, value) in command.assignments.iter().zip(&values) {
                self.command_variable(&script, assignment, value, nested, scope);
            }
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

    /// The words of a new value; `x+=y` appends to the old one.
    fn assigned(&mut self, text: &str, assignment: &Assignment, scope: &Scope, dialect: Dialect) -> Vec<String> {
        let words = scope.assigned(&assignment.value, dialect, &mut self.expansions);
        let raw = text.get(assignment.span.clone()).unwrap_or_default();
        let adds = raw.get(assignment.name.len()..).is_some_and(|rest| rest.starts_with("+="));
        match (scope.value(&assignment.name).filter(|_| adds), words.as_slice()) {
            (Some(before), [word]) => vec![format!("{before}{word}")],
            _ => words,
        }
    }

    /// `GIT_SSH_COMMAND='…' git fetch`: a program runs the value of a variable.
    fn command_variable(
        &mut self,
        script: &Script<'_>,
        assignment: &Assignment,
        value: &str,
        start: Start,
        scope: &Scope,
    ) {
        for text in variable_scripts(&assignment.name, value) {
            if start.depth > MAX_DEPTH || text.len() > self.left {
                return;
            }
            let spans = Spans::Whole(script.spans.of(&assignment.span));
            let mut scope = scope.clone();
            self.script(&text, &spans, Start { dialect: Dialect::Bash, ..start }, &mut scope, &[]);
        }
    }

    fn redirection(&mut self, text: &str, redirection: &Redirection, scope: &Scope, dialect: Dialect) -> Redirection {
        let mut redirection = gentle(text, redirection, scope.value(NOCLOBBER).is_some());
        if let Some(word) = redirection.target.take() {
            let made = scope.expand(std::slice::from_ref(&word), text, dialect, &mut self.expansions);
            redirection.target = Some(match <[Word; 1]>::try_from(made) {
                Ok([made]) => made,
                Err(_) => word,
            });
        }
        redirection
    }

    /// The texts on its standard input that the line contains.
    fn fed(&self, text: &str, run: &NestedCommand, scope: &Scope) -> Vec<String> {
        let mut fed: Vec<String> = Vec::new();
        for redirection in &run.redirections {
            match redirection.kind {
                Redirect::HereString => fed.extend(redirection.target.as_ref().map(|word| word.value.clone())),
                Redirect::HereDocument => fed.extend(known_output::document(text, redirection).map(|(body, _)| body)),
                // `< <(echo x)`
                Redirect::Read => {
                    let inside = redirection.target.as_ref().and_then(|word| word.value.strip_prefix("<("));
                    let script = inside.and_then(|inside| inside.strip_suffix(')'));
                    fed.extend(script.and_then(|script| known_output::substituted(script, run.dialect)));
                    let file = redirection.target.as_ref().and_then(|word| scope.file(&word.value));
                    fed.extend(file.map(|text| text.to_string()));
                }
                _ => {}
            }
        }
        // `sh x`, `psql -f x`, where the line has written x.
        let named = run.arguments().iter().filter(|word| word.fixed).filter_map(|word| scope.file(&word.value));
        if wrappers::reads_files(run) {
            // A file that is named again adds nothing.
            for text in named.map(|text| text.to_string()) {
                if fed.len() < MAX_STAGES && !fed.contains(&text) {
                    fed.push(text);
                }
            }
        }
        if fed.is_empty() {
            for range in &run.fed_by {
                let runs = self.runs.get(range.clone()).unwrap_or_default();
                let Some(output) = runs.iter().find_map(known_output::output) else { break };
                fed.insert(0, output);
                // A stage with input of its own has consumed the earlier ones; stages of one group have none, and all count.
                if !runs.iter().all(|run| run.fed_by.is_empty()) {
                    break;
                }
            }
        }
        fed
    }

    /// Adds a command, whose spans are still those of the script, and what it runs.
    fn run(&mut self, script: &Script<'_>, run: NestedCommand, wrappers: usize, scope: &Scope) {
        let Script { text, spans, depth } = *script;
        let mut inner = wrappers::inner_commands(&run);
        let mut sign = run.sign;
        if wrappers >= MAX_WRAPPERS && !inner.is_empty() {
            inner.clear();
            sign = Anomaly::Deep;
        }
        let role = match run.role {
            Persistence::Runs if wrappers::is_discarded(&run) => Persistence::Discarded,
            role => role,
        };
        let start = Start { dialect: run.dialect, place: run.place, role, depth: depth + 1 };
        let mut scripts: Vec<Nested> = Vec::new();
        let mut commands: Vec<NestedCommand> = Vec::new();
        for found in inner {
            match found {
                InnerCommand::Command { head, words, place, more } => {
                    let words = run.words.get(words).unwrap_or_default().iter().cloned();
                    let mut words: Vec<Word> = head.into_iter().chain(words).collect();
                    if let Some(last) = words.last().filter(|_| more) {
                        let given = added(&run, last.span.clone());
                        words.extend(given);
                    }
                    for (inside, outside) in wrappers::mounts(&run) {
                        words.iter_mut().for_each(|word| mounted(word, &inside, &outside));
                    }
                    commands.push(NestedCommand {
                        words,
                        place: further(run.place, place),
                        substituted: Vec::new(),
                        sign: Anomaly::Nothing,
                        role,
                        is_inner: true,
                        is_module: false,
                        ..run.clone()
                    });
                }
                InnerCommand::Module { words } => commands.push(NestedCommand {
                    words: run.words.get(words).unwrap_or_default().to_vec(),
                    place: RunsWhere::Elsewhere,
                    substituted: Vec::new(),
                    sign: Anomaly::Nothing,
                    role,
                    is_inner: true,
                    is_module: true,
                    ..run.clone()
                }),
                InnerCommand::Script { words, place, dialect, arguments } => {
                    let given = run.words.get(arguments).unwrap_or_default().iter().map(|word| word.value.clone());
                    let given: Vec<String> = given.collect();
                    let words = run.words.get(words).unwrap_or_default();
                    let Some((text, spans)) = joined(text, spans, words) else { continue };
                    let start =
                        Start { dialect: dialect.unwrap_or(run.dialect), place: further(run.place, place), ..start };
                    let mut scope = scope.clone();
                    if !given.is_empty() {
                        scope.positional = Some(given.into_iter().skip(1).collect());
                    }
                    scripts.push(Nested { text, spans, start, scope, fed: run.fed.clone() });
                }
                InnerCommand::Text { text, word, dialect, place } => {
                    let Some(word) = run.words.get(word) else { continue };
                    let start =
                        Start { dialect: dialect.unwrap_or(run.dialect), place: further(run.place, place), ..start };
                    let spans = Spans::Whole(spans.of(&word.span));
                    scripts.push(Nested { text, spans, start, scope: scope.clone(), fed: Vec::new() });
                }
            }
        }
        scripts.extend(self.handed(script, &run, start, scope));
        if role != Persistence::Defined {
            scripts.extend(called(&run, spans, start, scope));
        }
        let total: usize = scripts.iter().map(|nested| nested.text.len()).sum();
        if !scripts.is_empty() && (depth >= MAX_DEPTH || total > self.left) {
            scripts.clear();
            sign = Anomaly::Deep;
        }
        let words: Vec<Word> = run.words.iter().map(|word| moved(word, spans)).collect();
        self.runs.push(NestedCommand {
            sign,
            extent: extent(&words),
            words,
            redirections: run.redirections.iter().map(|redirection| moved_redirection(redirection, spans)).collect(),
            ..run
        });
        for command in commands {
            self.run(script, command, wrappers + 1, scope);
        }
        for mut nested in scripts {
            self.script(&nested.text, &nested.spans, nested.start, &mut nested.scope, &nested.fed);
        }
    }

    /// Scripts that reach a shell other than as a word.
    fn handed(&self, script: &Script<'_>, run: &NestedCommand, start: Start, scope: &Scope) -> Vec<Nested> {
        let Script { text, spans, .. } = *script;
        let mut scripts = Vec::new();
        let (place, dialect) = match wrappers::reads_commands(run) {
            true => (run.place, shell_dialect(run)),
            // `at`, `ssh host`, `crontab -`
            false if wrappers::takes_commands(run) => (RunsWhere::Elsewhere, Dialect::Bash),
            false => return scripts,
        };
        let start = Start { dialect, place: further(run.place, place), ..start };
        let mut found = false;
        let plain = wrappers::reads_commands(run) || matches!(run.name(), "ssh" | "at" | "batch");
        for redirection in run.redirections.iter().filter(|_| plain) {
            let target = redirection.target.as_ref();
            match (redirection.kind, target) {
                (Redirect::HereString, Some(word)) => {
                    found = true;
                    let (text, spans) = (word.value.clone(), spans.within(text, word));
                    scripts.push(Nested { text, spans, start, scope: scope.clone(), fed: Vec::new() });
                }
                (Redirect::HereDocument, _) => {
                    let Some((body, from)) = known_output::document(text, redirection) else { continue };
                    found = true;
                    let spans = spans.further(from);
                    scripts.push(Nested { text: body, spans, start, scope: scope.clone(), fed: Vec::new() });
                }
                _ => {}
            }
        }
        if !found && !run.fed.is_empty() {
            let fed_by = run.fed_by.first().and_then(|range| self.runs.get(range.start)).map(NestedCommand::span);
            let spans = fed_by.unwrap_or_else(|| spans.of(&run.span()));
            let text = wrappers::fed_commands(run);
            let spans = Spans::Whole(spans);
            scripts.push(Nested { text, spans, start, scope: scope.clone(), fed: Vec::new() });
        }
        scripts
    }
}

/// Names that the line itself defines: functions, aliases, git aliases.
fn called(run: &NestedCommand, spans: &Spans, start: Start, scope: &Scope) -> Option<Nested> {
    let name = run.words.first().filter(|word| word.fixed)?.value.as_str();
    if scope.calling.iter().any(|calling| calling == name) {
        return None;
    }
    let whole = || {
        let span = run.span();
        Spans::Whole(spans.of(&span))
    };
    let mut own = scope.clone();
    own.calling.push(name.to_owned());
    if let Some(body) = scope.function(name) {
        own.positional = Some(run.arguments().iter().map(|word| word.value.clone()).collect());
        let spans = body.start.map_or_else(|| Spans::Whole(body.span.clone()), Spans::Shift);
        let start = Start { dialect: body.dialect, ..start };
        return Some(Nested { text: body.text.clone(), spans, start, scope: own, fed: run.fed.clone() });
    }
    let rest = |from: usize| {
        let words = run.words.get(from..).unwrap_or_default().iter().map(|word| word.value.as_str());
        words.collect::<Vec<_>>().join(" ")
    };
    let file = scope.file(name).filter(|_| name.contains('/'));
    let file = file.or_else(|| {
        let read = run.arguments().iter().find(|word| !is_flag(&word.value));
        let runs_file = wrappers::is_shell(run.name()) || matches!(run.name(), "source" | ".");
        let read = read.filter(|_| runs_file)?;
        // `bash <(echo …)`
        let inside = read.value.strip_prefix("<(").and_then(|inside| inside.strip_suffix(')'));
        let printed = inside.and_then(|script| known_output::substituted(script, run.dialect)).map(Arc::from);
        printed.or_else(|| scope.file(&read.value))
    });
    if let Some(text) = file {
        let (text, spans) = (text.to_string(), whole());
        return Some(Nested { text, spans, start, scope: own, fed: Vec::new() });
    }
    if let Some(text) = scope.alias(name) {
        let text = format!("{text} {}", rest(1));
        return Some(Nested { text, spans: whole(), start, scope: own, fed: run.fed.clone() });
    }
    let (text, from) = wrappers::git_alias(run, scope)?;
    own.calling.push("git".to_owned());
    let text = match text.strip_prefix('!') {
        Some(script) => format!("{script} {}", rest(from)),
        None => format!("command git {text} {}", rest(from)),
    };
    Some(Nested { text, spans: whole(), start, scope: own, fed: Vec::new() })
}

/// Loops that have begun, and subshells that have not ended.
#[derive(Default)]
struct Surroundings {
    entered: BTreeSet<usize>,
    /// The directory outside, by the end of the subshell.
    outside: BTreeMap<usize, Option<Arc<str>>>,
}

impl Surroundings {
    fn enter(
        &mut self,
        text: &str,
        shape: &Shape,
        command: &Command,
        dialect: Dialect,
        scope: &mut Scope,
        left: &mut usize,
    ) {
        let at = command.span.start;
        while let Some(over) = self.outside.first_entry().filter(|over| *over.key() <= at) {
            scope.directory = over.remove();
        }
        if let Some(subshell) = shape.subshell(at) {
            self.outside.entry(subshell.end).or_insert_with(|| scope.directory.clone());
        }
        for one in shape.loops.iter().filter(|one| one.body.contains(&at)) {
            if !self.entered.insert(one.body.start) {
                continue;
            }
            let values = text.get(one.values.clone()).unwrap_or_default();
            let parsed = line::parse(values, dialect);
            let words = parsed.commands.first().map(|command| command.words.as_slice()).unwrap_or_default();
            let words = scope.expand(words, values, dialect, left);
            // One value stands for all: the most dangerous one.
            let worst = words.iter().find(|word| target::path_scope(&word.value, word.fixed) != PathScope::Something);
            match worst.or(words.first()) {
                Some(word) => scope.assign(&one.variable, vec![word.value.clone()]),
                None => scope.forget(&one.variable),
            }
        }
    }
}

fn further(outer: RunsWhere, inner: RunsWhere) -> RunsWhere {
    if outer == RunsWhere::Elsewhere { outer } else { inner }
}

fn shell_dialect(run: &NestedCommand) -> Dialect {
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

pub(super) fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The commands before this one in its pipeline, the nearest first.
fn feeding(commands: &[Command], number: usize, shape: &Shape) -> Vec<usize> {
    let mut feeding = Vec::new();
    let mut at = number;
    while let Some(command) = commands.get(at).filter(|command| command.join == Join::Pipe) {
        let before = commands.iter().enumerate().take(at).rev().take(MAX_STAGES);
        let Some((before, last)) = before.into_iter().find(|(_, before)| before.inside == command.inside) else {
            break;
        };
        feeding.push(before);
        at = before;
        // All commands of a group write to the pipe.
        if let Some(group) = shape.group(last.span.start, command.span.start) {
            for (other, one) in commands.iter().enumerate().take(before).rev().take(MAX_STAGES) {
                if group.contains(&one.span.start) && one.inside == command.inside {
                    feeding.push(other);
                    at = other;
                }
            }
        }
        if feeding.len() >= MAX_STAGES {
            break;
        }
    }
    feeding
}

/// `f() { f | f & }`: a command that is piped into itself right where a function of its name begins.
fn bomb(text: &str, commands: &[Command], number: usize) -> Anomaly {
    let only =
        |at: usize| commands.get(at).filter(|command| command.words.len() == 1).and_then(|one| one.words.first());
    let (Some(command), Some(word), Some(next)) = (commands.get(number), only(number), only(number + 1)) else {
        return Anomaly::Nothing;
    };
    let piped = commands.get(number + 1).is_some_and(|next| next.join == Join::Pipe);
    if !piped || next.value != word.value {
        return Anomaly::Nothing;
    }
    let before = text.get(..command.span.start).unwrap_or_default().trim_end();
    let before = before.strip_suffix(['{', '(', ';']).unwrap_or(before).trim_end();
    let header = before.strip_suffix("()").unwrap_or(before).trim_end();
    let named = header.strip_suffix(word.value.as_str());
    let declared = before.len() > header.len() || named.is_some_and(|rest| rest.trim_end().ends_with("function"));
    if named.is_some() && declared { Anomaly::Bomb } else { Anomaly::Nothing }
}
