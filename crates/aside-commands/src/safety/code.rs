//! Finds what code of another language in a line does: `python -c`, `perl -e`, a here-document for `ruby`. Recognises calls by name
//! (`data/safety/code.toml`) and parses shell scripts in them like the line itself. Code that generates code cannot be analysed, and is
//! reported as opaque.

mod lex;
mod scripts;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use regex::Regex;
use shell_line::Redirect;

use crate::safety::code::lex::{Token, grammar, tokens};
use crate::safety::nested_commands::{NestedCommand, is_flag};
use crate::safety::target::{self, PathScope};
use crate::safety::toml_table;
use crate::safety::{Harm, sql};

const TABLE: &str = include_str!("../../data/safety/code.toml");

/// Nesting of code in code.
const MAX_DEPTH: usize = 3;
/// Calls that are examined.
const MAX_CALLS: usize = 256;
/// Tokens of the arguments of one call.
const MAX_ARGUMENTS: usize = 512;

#[derive(Default)]
struct Table {
    interpreters: HashMap<String, Vec<Interpreter>>,
    /// By language, then by the last part of the name.
    calls: HashMap<String, HashMap<String, Vec<Call>>>,
    patterns: HashMap<String, Vec<Pattern>>,
}

#[derive(Clone)]
struct Interpreter {
    language: String,
    flags: Vec<String>,
    sub: Vec<String>,
    operand: bool,
    stdin: bool,
}

#[derive(Clone)]
struct Call {
    /// `os` of `os.remove`; empty when any receiver is required.
    receiver: Option<String>,
    does: Does,
    /// Only without arguments.
    empty: bool,
    /// Only with arguments that match this.
    needs: Option<Arc<Lazy>>,
    /// A call even without brackets or arguments.
    bare: bool,
}

#[derive(Clone, PartialEq)]
enum Does {
    Harm(Harm),
    Shell,
    Code,
    Writes {
        file: usize,
        mode: Option<usize>,
        arrow: bool,
    },
    /// The file is the receiver: `Path("x").write_text(…)`.
    Receiver,
}

struct Pattern {
    pattern: Lazy,
    harm: Harm,
}

/// Compiled on first use.
struct Lazy {
    pattern: String,
    ready: OnceLock<Option<Regex>>,
}

impl Lazy {
    fn new(pattern: &str) -> Self {
        Lazy { pattern: pattern.to_owned(), ready: OnceLock::new() }
    }

    fn is_match(&self, text: &str) -> bool {
        let ready = self.ready.get_or_init(|| Regex::new(&self.pattern).ok());
        ready.as_ref().is_some_and(|ready| ready.is_match(text))
    }
}

static CODE: LazyLock<Table> = LazyLock::new(|| read(TABLE));

fn read(table: &str) -> Table {
    let mut read = Table::default();
    for row in toml_table::rows(table, "interpreter") {
        for command in row.list("command") {
            read.interpreters.entry(command).or_default().push(Interpreter {
                language: row.text("language").unwrap_or_default(),
                flags: row.list("flags"),
                sub: row.list("sub"),
                operand: row.is("operand"),
                stdin: row.is("stdin"),
            });
        }
    }
    for row in toml_table::rows(table, "call") {
        let harm = row.text("harm").as_deref().and_then(Harm::of);
        let does = match (harm, row.text("runs").as_deref(), row.number("writes")) {
            (Some(harm), _, _) => Does::Harm(harm),
            (_, Some("shell"), _) => Does::Shell,
            (_, Some(_), _) => Does::Code,
            (_, _, Some(file)) => Does::Writes { file, mode: row.number("mode"), arrow: row.is("arrow") },
            _ if row.is("receiver") => Does::Receiver,
            _ => continue,
        };
        let needs = row.text("needs").map(|pattern| Arc::new(Lazy::new(&pattern)));
        for language in row.list("language") {
            let calls = read.calls.entry(language).or_default();
            for name in row.list("names") {
                let (receiver, last) = match name.rsplit_once('.') {
                    Some((receiver, last)) => (Some(receiver.to_owned()), last.to_owned()),
                    None => (None, name),
                };
                let (does, needs) = (does.clone(), needs.clone());
                let call = Call { receiver, does, empty: row.is("empty"), needs, bare: row.is("bare") };
                calls.entry(last).or_default().push(call);
            }
        }
    }
    for row in toml_table::rows(table, "pattern") {
        let (Some(language), Some(pattern)) = (row.text("language"), row.text("pattern")) else { continue };
        let Some(harm) = row.text("harm").as_deref().and_then(Harm::of) else { continue };
        read.patterns.entry(language).or_default().push(Pattern { pattern: Lazy::new(&pattern), harm });
    }
    read
}

/// What code does.
#[derive(Debug, Default)]
pub struct Reading {
    pub harms: Vec<Harm>,
    /// Scripts that it passes to a shell.
    pub shells: Vec<String>,
    /// Files that it overwrites, as far as they are named.
    pub files: Vec<String>,
}

/// A program in the words of a command, or on its standard input.
struct Program {
    language: String,
    code: String,
    /// The index of the word.
    word: usize,
}

/// What the code in a command does.
pub fn reading(run: &NestedCommand) -> Reading {
    let mut reading = Reading::default();
    for program in programs(run) {
        read_code(&program.code, &program.language, 0, &mut reading);
    }
    scripts::read(run, &mut reading);
    reading
}

/// Shell scripts in the code of a command, each with the index of its word.
pub fn shell_texts(run: &NestedCommand) -> Vec<(String, usize)> {
    let mut texts = Vec::new();
    for program in programs(run) {
        let mut reading = Reading::default();
        read_code(&program.code, &program.language, 0, &mut reading);
        texts.extend(reading.shells.into_iter().map(|text| (text, program.word)));
    }
    let mut reading = Reading::default();
    scripts::read(run, &mut reading);
    texts.extend(reading.shells.into_iter().map(|text| (text, 0)));
    texts
}

/// Whether it interprets programs of its own language.
pub fn is_interpreter(name: &str) -> bool {
    CODE.interpreters.contains_key(unversioned(name)) || CODE.interpreters.contains_key(name)
}

/// `python3.11` is python.
fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}

fn programs(run: &NestedCommand) -> Vec<Program> {
    let name = run.name();
    if name.is_empty() {
        return Vec::new();
    }
    let known = CODE.interpreters.get(name).or_else(|| CODE.interpreters.get(unversioned(name)));
    known.into_iter().flatten().flat_map(|interpreter| interpreter.programs(run)).collect()
}

impl Interpreter {
    fn programs(&self, run: &NestedCommand) -> Vec<Program> {
        let words = &run.words;
        let value = |at: usize| words.get(at).map(|word| word.value.as_str());
        let mut found = Vec::new();
        let mut add = |code: &str, word: usize| {
            found.push(Program { language: self.language.clone(), code: code.to_owned(), word });
        };
        let mut operand = None;
        let mut at = 1;
        while let Some(word) = value(at) {
            match self.code_in(word) {
                Some(None) => {
                    at += 1;
                    if let Some(code) = value(at) {
                        add(code, at);
                    }
                }
                Some(Some(code)) => add(code, at),
                None if is_flag(word) => {}
                None if operand.is_none() && word != "-" => {
                    operand = Some(at);
                    if self.sub.iter().any(|sub| sub == word)
                        && let Some(code) = value(at + 1)
                    {
                        add(code, at + 1);
                    } else if self.operand {
                        add(word, at);
                    }
                }
                None => {}
            }
            at += 1;
        }
        let module = words.iter().any(|word| word.value == "-m");
        let file = operand.is_some() && self.language != "mongo";
        // `fed` may be what the line itself has written to the file that it runs.
        let handed =
            run.redirections.iter().any(|one| matches!(one.kind, Redirect::HereString | Redirect::HereDocument));
        let written = file && run.fed_by.is_empty() && !handed;
        if found.is_empty() && self.stdin && (!file || written) && !module && !run.fed.is_empty() {
            found.push(Program { language: self.language.clone(), code: run.fed.join("\n"), word: 0 });
        }
        found
    }

    /// Whether the flag has code: in the next word, or in this one.
    fn code_in<'w>(&self, word: &'w str) -> Option<Option<&'w str>> {
        if !is_flag(word) {
            return None;
        }
        for flag in &self.flags {
            let Some(rest) = word.strip_prefix(flag.as_str()) else { continue };
            if rest.is_empty() {
                return Some(None);
            }
            if let Some(code) = rest.strip_prefix('=') {
                return Some(Some(code));
            }
            if flag.len() == 2 && rest.contains(|letter: char| !letter.is_alphanumeric() && letter != '.') {
                return Some(Some(rest));
            }
        }
        // `-lane`, `-0777pe`
        let cluster = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let plain = cluster.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        let last = cluster.chars().next_back()?;
        let ends = self.flags.iter().any(|flag| flag.len() == 2 && flag.ends_with(last));
        (plain && ends && matches!(self.language.as_str(), "perl" | "ruby" | "node" | "raku")).then_some(None)
    }
}

/// Adds what the code does to the reading.
fn read_code(code: &str, language: &str, depth: usize, reading: &mut Reading) {
    // All of the code is in a variable.
    if code.trim_start().starts_with('$') && !code.contains(['(', ';', ' ']) && language != "perl" && language != "php"
    {
        reading.harms.push(Harm::Opaque);
        return;
    }
    // IPython: `!ls`
    if language == "python" {
        reading.shells.extend(code.lines().filter_map(|line| line.trim_start().strip_prefix('!')).map(str::to_owned));
    }
    let grammar = grammar(language);
    let tokens = tokens(code, grammar);
    if let Some(patterns) = CODE.patterns.get(language) {
        let text = plain_text(&tokens);
        let dry = text.to_lowercase().contains("-whatif") || text.to_lowercase().contains("- whatif");
        let matching = patterns.iter().filter(|pattern| !dry && pattern.pattern.is_match(&text));
        reading.harms.extend(matching.map(|pattern| pattern.harm));
    }
    let aliases = aliases(&tokens, language);
    let (bare, lisp) = (grammar.bare, grammar.lisp);
    Reader { tokens: &tokens, language, depth, bare, lisp, aliases, calls: 0 }.read(reading);
}

/// The code without its strings.
fn plain_text(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Name(name) => {
                text.push(' ');
                text.push_str(name);
            }
            Token::Mark(mark) => text.push(*mark),
            Token::Text(_) | Token::Shell(_) => text.push_str(" \"\" "),
            Token::End => text.push('\n'),
        }
    }
    text
}

struct Reader<'t> {
    tokens: &'t [Token],
    language: &'t str,
    depth: usize,
    bare: bool,
    lisp: bool,
    /// Aliases of modules.
    aliases: HashMap<String, String>,
    calls: usize,
}

/// `import subprocess as s`
fn aliases(tokens: &[Token], language: &str) -> HashMap<String, String> {
    let mut aliases = HashMap::new();
    if language == "python" {
        for window in tokens.windows(3) {
            if let [Token::Name(module), Token::Name(word), Token::Name(alias)] = window
                && word == "as"
            {
                aliases.insert(alias.clone(), module.clone());
            }
        }
    }
    aliases
}

/// Calls that only print their arguments.
const SHOWS: [&str; 16] = [
    "print",
    "println",
    "puts",
    "echo",
    "console.log",
    "log",
    "printf",
    "pprint",
    "display",
    "cat",
    "message",
    "say",
    "write",
    "info",
    "fprintf",
    "format",
];
/// Names that bring remote text into code.
const FETCHES: [&str; 16] = [
    "urlopen",
    "urlretrieve",
    "requests",
    "fetch",
    "httpx",
    "LWP",
    "open-uri",
    "http.get",
    "https.get",
    "file_get_contents",
    "source",
    "urllib",
    "curl",
    "URI",
    "Net",
    "get",
];

impl Reader<'_> {
    fn read(&mut self, reading: &mut Reading) {
        // `fetch(x).then(eval)`
        let names = |wanted: &[&str]| {
            self.tokens.iter().any(|token| matches!(token, Token::Name(name) if wanted.contains(&name.as_str())))
        };
        if matches!(self.language, "node" | "mongo")
            && names(&["eval", "Function"])
            && names(&["fetch", "https", "http"])
        {
            reading.harms.push(Harm::RunsUnseen);
        }
        for (at, token) in self.tokens.iter().enumerate() {
            match token {
                Token::Shell(script) => reading.shells.push(script.clone()),
                // zx and Bun: $`…`
                Token::Mark('$') if self.language == "node" => {
                    if let Some(Token::Text(script)) = self.tokens.get(at + 1) {
                        reading.shells.push(script.clone());
                    }
                }
                Token::Text(text) if self.is_lossy(at, text) => reading.harms.push(Harm::DeletesOther),
                // `array_map("unlink", …)`, `$f = "unlink"`
                Token::Text(name) if self.language == "php" && (self.is_passed(at) || self.is_assigned(at)) => {
                    let calls = CODE.calls.get("php").and_then(|calls| calls.get(name));
                    for call in calls.into_iter().flatten() {
                        if let Does::Harm(harm) = call.does
                            && call.receiver.is_none()
                        {
                            reading.harms.push(harm);
                        }
                    }
                }
                Token::Name(name) => self.name(at, name, reading),
                _ => {}
            }
        }
    }

    fn name(&mut self, at: usize, name: &str, reading: &mut Reading) {
        if self.language == "applescript" {
            let before = at.checked_sub(1).and_then(|at| self.tokens.get(at));
            if name == "script" && before == Some(&Token::Name("shell".to_owned())) {
                let text = self.arguments(at + 1);
                reading.shells.push(script(&text));
            }
            return;
        }
        // `source("https://…")`
        if name == "source" && self.language == "r" {
            let remote = |token: &Token| matches!(token, Token::Text(text) if text.contains("://"));
            if self.arguments(at + 1).first().is_some_and(|first| first.iter().any(|token| remote(token))) {
                reading.harms.push(Harm::RunsUnseen);
            }
        }
        let Some(calls) = CODE.calls.get(self.language).and_then(|calls| calls.get(name)) else { return };
        let receiver = self.receiver(at);
        let is_call = self.is_call(at) || receiver.is_some() && self.is_passed(at);
        for call in calls {
            let fits = match (&call.receiver, &receiver) {
                (None, _) => true,
                (Some(wanted), Some(_)) if wanted.is_empty() => true,
                (Some(wanted), Some(found)) => {
                    let found = found.replace('/', ".");
                    found == *wanted || found.ends_with(&format!(".{wanted}"))
                }
                (Some(_), None) => false,
            };
            if !fits || !(is_call || call.bare) || self.calls >= MAX_CALLS {
                continue;
            }
            self.calls += 1;
            let arguments = self.arguments(at + 1);
            if call.empty && !arguments.iter().all(Vec::is_empty) {
                continue;
            }
            if let Some(needs) = &call.needs
                && !needs.is_match(&arguments.iter().map(|one| spelled(one)).collect::<Vec<_>>().join(","))
            {
                continue;
            }
            if let Does::Receiver = call.does {
                reading.files.extend(self.receiver(at));
                return;
            }
            self.does(call, &arguments, reading);
            return;
        }
    }

    fn does(&self, call: &Call, arguments: &[Vec<&Token>], reading: &mut Reading) {
        match &call.does {
            Does::Harm(harm) => {
                let all =
                    arguments.first().and_then(|first| text_of(first)).map(|path| target::path_scope(&path, false));
                match (harm, all) {
                    (Harm::DeletesFiles, Some(PathScope::System)) => reading.harms.push(Harm::EndsSystem),
                    (Harm::DeletesFiles, Some(PathScope::Home)) => reading.harms.push(Harm::DeletesHome),
                    _ => {}
                }
                reading.harms.push(*harm);
            }
            Does::Shell => {
                let text = if self.language == "tcl" { bare_words(arguments) } else { script(arguments) };
                if !text.trim().is_empty() {
                    reading.shells.push(text);
                }
            }
            Does::Receiver => {}
            Does::Code => self.code(arguments, reading),
            Does::Writes { file, mode, arrow } => {
                if *arrow {
                    return reading.files.extend(opened(arguments));
                }
                let text = |at: usize| arguments.get(at).and_then(|tokens| text_of(tokens));
                let writes = mode.is_none_or(|mode| text(mode).is_some_and(|mode| mode.starts_with('w')));
                reading.files.extend(text(*file).filter(|_| writes));
            }
        }
    }

    /// `eval("…")`, `exec(urlopen(…).read())`
    fn code(&self, arguments: &[Vec<&Token>], reading: &mut Reading) {
        let Some(first) = arguments.first().filter(|first| !first.is_empty()) else { return };
        // A block is not a string: perl's `eval { … }`.
        if matches!(first.first(), Some(Token::Mark('{'))) {
            return;
        }
        let fetches = |token: &&&Token| matches!(token, Token::Name(name) if FETCHES.contains(&name.as_str()));
        match first.as_slice() {
            [Token::Text(code)] if self.depth < MAX_DEPTH => read_code(code, self.language, self.depth + 1, reading),
            _ if first.iter().any(|token| fetches(&token)) => reading.harms.push(Harm::RunsUnseen),
            // A local file, as if it were run.
            [Token::Name(open), ..] if open == "open" => {}
            _ => reading.harms.push(Harm::Opaque),
        }
    }

    /// The part of a name before the last one: `os` of `os.remove`; empty for a call on a bracket.
    fn receiver(&self, at: usize) -> Option<String> {
        let mark = |at: usize| match self.tokens.get(at) {
            Some(Token::Mark(mark)) => Some(*mark),
            _ => None,
        };
        let before = at.checked_sub(1)?;
        let dots = match mark(before)? {
            '.' => 1,
            ':' if before > 0 && mark(before - 1) == Some(':') => 2,
            ':' if matches!(self.language, "erlang" | "lua") => 1,
            '>' if before > 0 && mark(before - 1) == Some('-') => 2,
            _ => return None,
        };
        let last = at.checked_sub(dots + 1)?;
        match self.tokens.get(last) {
            Some(Token::Name(name)) => Some(self.aliases.get(name).unwrap_or(name).clone()),
            // `require('fs')`, `__import__("os")`
            Some(Token::Mark(')')) => match last.checked_sub(1).and_then(|at| self.tokens.get(at)) {
                Some(Token::Text(module)) => Some(module.trim_start_matches("node:").to_owned()),
                _ => Some(String::new()),
            },
            _ => Some(String::new()),
        }
    }

    fn is_call(&self, at: usize) -> bool {
        if self.lisp {
            return at > 0 && self.tokens.get(at - 1) == Some(&Token::Mark('('));
        }
        match self.tokens.get(at + 1) {
            Some(Token::Mark('(')) => true,
            Some(Token::Text(_) | Token::Shell(_)) => self.bare || self.language == "julia",
            Some(Token::Name(next)) if matches!(next.as_str(), "if" | "unless" | "for" | "foreach") => {
                self.language == "perl" && self.tokens.get(at) == Some(&Token::Name("unlink".to_owned()))
            }
            Some(Token::Name(next)) => {
                self.bare && !matches!(next.as_str(), "if" | "unless" | "and" | "or" | "in" | "do")
            }
            Some(Token::Mark('$' | '@' | '[' | '-' | '<' | '{' | ':')) => self.bare,
            // `perl -ne unlink`, `for (<*>) { unlink }`
            None | Some(Token::Mark('}' | ';')) => {
                self.language == "perl" && self.tokens.get(at) == Some(&Token::Name("unlink".to_owned()))
            }
            _ => false,
        }
    }

    /// The arguments of a call whose bracket, or whose first argument, is here; each as its tokens.
    fn arguments(&self, at: usize) -> Vec<Vec<&Token>> {
        let mut arguments: Vec<Vec<&Token>> = vec![Vec::new()];
        let bracketed = !self.lisp && self.tokens.get(at) == Some(&Token::Mark('('));
        let mut deep = 0usize;
        let from = if bracketed { at + 1 } else { at };
        for token in self.tokens.iter().skip(from).take(MAX_ARGUMENTS) {
            match token {
                Token::Mark('(' | '[' | '{') => deep += 1,
                Token::Mark(')' | ']' | '}') if deep == 0 => break,
                Token::Mark(')' | ']' | '}') => deep -= 1,
                Token::Mark(',') if deep == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                Token::Mark(';') | Token::End if !bracketed && deep == 0 => break,
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        if self.lisp {
            arguments = arguments.into_iter().flatten().map(|token| vec![token]).collect();
        }
        arguments
    }

    /// Whether a string is a destructive statement for a database: any argument of a call with such a name, and any unmistakable statement,
    /// unless it is only printed.
    fn is_lossy(&self, at: usize, text: &str) -> bool {
        let call = self.enclosing(at).unwrap_or_default().to_lowercase();
        if SHOWS.contains(&call.as_str()) {
            return false;
        }
        let runs = ["exec", "query", "sql", "raw"].iter().any(|part| call.contains(part));
        (runs || sql::is_statement(text)) && text.contains(' ') && sql::loses_data(text)
    }

    /// The name of the call that a token is an argument of.
    fn enclosing(&self, at: usize) -> Option<&str> {
        let mut deep = 0usize;
        for before in (0..at).rev().take(MAX_ARGUMENTS) {
            match self.tokens.get(before) {
                Some(Token::Mark(')')) => deep += 1,
                Some(Token::Mark('(')) if deep == 0 => {
                    return match before.checked_sub(1).and_then(|at| self.tokens.get(at)) {
                        Some(Token::Name(name)) => Some(name),
                        _ => None,
                    };
                }
                Some(Token::Mark('(')) => deep -= 1,
                Some(Token::Name(name)) if self.bare && SHOWS.contains(&name.as_str()) => return Some(name),
                Some(Token::Mark(';') | Token::End) => break,
                _ => {}
            }
        }
        None
    }

    fn is_assigned(&self, at: usize) -> bool {
        at.checked_sub(1).and_then(|before| self.tokens.get(before)) == Some(&Token::Mark('='))
    }

    /// A function passed to another: `map(os.remove, files)`.
    fn is_passed(&self, at: usize) -> bool {
        const CALLERS: [&str; 13] = [
            "map",
            "filter",
            "forEach",
            "foreach",
            "each",
            "apply",
            "array_map",
            "array_walk",
            "array_filter",
            "call_user_func",
            "call_user_func_array",
            "submit",
            "then",
        ];
        let ends = matches!(self.tokens.get(at + 1), Some(Token::Mark(',' | ')')));
        ends && self.enclosing(at).is_some_and(|name| CALLERS.contains(&name))
    }
}

/// The only string of an argument, however it is wrapped: `"x"`, `file="x"`, `Path("x")`.
fn text_of(tokens: &[&Token]) -> Option<String> {
    let mut texts = tokens.iter().filter_map(|token| match token {
        Token::Text(text) => Some(text.clone()),
        _ => None,
    });
    let first = texts.next()?;
    texts.next().is_none().then_some(first)
}

fn spelled(tokens: &[&Token]) -> String {
    let words = tokens.iter().map(|token| match token {
        Token::Name(name) => name.clone(),
        Token::Text(text) | Token::Shell(text) => text.clone(),
        Token::Mark(mark) => mark.to_string(),
        Token::End => " ".to_owned(),
    });
    words.collect()
}

/// The shell script in the arguments: a string, several words, or a list of words. Unknown parts become a variable.
fn script(arguments: &[Vec<&Token>]) -> String {
    let mut words = Vec::new();
    for (number, argument) in arguments.iter().enumerate() {
        let named = matches!(argument.as_slice(), [Token::Name(_), Token::Mark('=' | ':'), ..]);
        if number > 0 && named {
            continue;
        }
        let mut word = String::new();
        let mut known = false;
        for token in argument {
            match token {
                Token::Text(text) | Token::Shell(text) => {
                    // `f"rm {x}"`, "rm #{x}"
                    word.push_str(&text.replace("#{", "${"));
                    known = true;
                }
                // Elements of a list.
                Token::Mark(',') => word.push(' '),
                Token::Name(name) if !known && argument.len() == 1 => {
                    word.push_str("$unknown_");
                    word.push_str(&name.to_lowercase());
                }
                Token::Name(_) if known && !word.ends_with("$x") => word.push_str("$x"),
                _ => {}
            }
        }
        if !word.is_empty() {
            words.push(word);
        }
    }
    words.join(" ")
}

/// Words of a language that does not quote them.
fn bare_words(arguments: &[Vec<&Token>]) -> String {
    let mut text = String::new();
    let mut glued = false;
    for token in arguments.iter().flatten() {
        let (word, glues) = match token {
            Token::Name(word) | Token::Text(word) | Token::Shell(word) => (word.clone(), false),
            Token::Mark(mark) => (mark.to_string(), true),
            Token::End => continue,
        };
        if !glued {
            text.push(' ');
        }
        text.push_str(&word);
        glued = glues;
    }
    text
}

/// The file of perl's `open F, ">x"` and `open F, ">", "x"`.
fn opened(arguments: &[Vec<&Token>]) -> Option<String> {
    let texts: Vec<String> = arguments.iter().filter_map(|one| text_of(one)).collect();
    let rest = texts.first()?.strip_prefix('>').filter(|rest| !rest.starts_with('>'))?;
    match rest.trim() {
        "" => texts.get(1).cloned(),
        mode if mode.starts_with(':') => texts.get(1).cloned(),
        file => Some(file.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety;
    use shell_line::Dialect;

    fn strings(row: &toml_edit::Table, key: &str) -> Vec<String> {
        let list = row.get(key).and_then(|list| list.as_array()).into_iter().flatten();
        list.filter_map(|item| item.as_str()).map(str::to_owned).collect()
    }

    #[test]
    fn every_row_hits_and_misses() {
        toml_table::tests::is_read_whole(TABLE);
        let table: toml_edit::DocumentMut = TABLE.parse().unwrap();
        let mut wrong = Vec::new();
        let mut count = 0;
        let rows = ["call", "pattern"].into_iter().flat_map(|name| table[name].as_array_of_tables().unwrap());
        for row in rows {
            let harm = match (row.get("harm").and_then(|harm| harm.as_str()), row.get("runs")) {
                (Some(harm), _) => Harm::of(harm).unwrap_or_else(|| panic!("{row}")),
                (None, Some(_)) => Harm::DeletesFiles,
                (None, None) => Harm::Overwrites,
            };
            assert!(!strings(row, "hits").is_empty() && !strings(row, "misses").is_empty(), "{row}");
            for hit in strings(row, "hits") {
                count += 1;
                let dangers = safety::dangers(&hit, Dialect::Bash);
                if !dangers.iter().any(|danger| danger.harm == harm) {
                    wrong.push(format!("no {}: {hit}: {}", harm.name(), safety::summary(&dangers)));
                }
            }
            for miss in strings(row, "misses") {
                count += 1;
                let dangers = safety::dangers(&miss, Dialect::Bash);
                if !dangers.is_empty() {
                    wrong.push(format!("{}: {miss}", safety::summary(&dangers)));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert!(count > 200, "{count}");
    }
}
