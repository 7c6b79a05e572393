//! Parses a command line as the shell would, complete or not: commands with their words, assignments and redirections, and what is at the
//! cursor. Expands nothing and knows no commands; never fails, whatever the text is.

pub mod quote;

mod commands;
mod compound;
mod cursor;
mod expand;
mod fish;
mod redirect;
mod scan;
mod syntax;
mod word;

#[cfg(test)]
mod tests;

use std::ops::Range;

/// The shell grammar to parse with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    #[default]
    Zsh,
    Bash,
    Fish,
}

impl Dialect {
    /// By the name of a shell; an unknown shell is most likely close to bash.
    pub fn of(shell: &str) -> Self {
        match shell {
            "zsh" => Dialect::Zsh,
            "fish" => Dialect::Fish,
            _ => Dialect::Bash,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Dialect::Zsh => "zsh",
            Dialect::Bash => "bash",
            Dialect::Fish => "fish",
        }
    }
}

/// All spans are byte ranges of `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub text: &'a str,
    pub dialect: Dialect,
    /// In the order in which they begin; includes those inside `$(…)`, `<(…)`, backquotes, `{…}` and loops.
    pub commands: Vec<Command>,
    /// Why the shell would ask for more input, if it would.
    pub open: Option<Unclosed>,
}

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub span: Range<usize>,
    pub join: Join,
    /// The index in `Line::commands` of the command in one of whose words this one is substituted.
    pub inside: Option<usize>,
    pub assignments: Vec<Assignment>,
    /// The first is its name. Excludes reserved words (`if`, `time`, `!`, fish's `and`).
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

/// How a command is joined to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    First,
    /// `|` and `|&`
    Pipe,
    /// `&&`, fish's `and`
    And,
    /// `||`, fish's `or`
    Or,
    /// `;`, `&`, a newline, `then`, `do`, …
    Next,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub span: Range<usize>,
    /// Without quotes. Expansions are kept as their source text.
    pub value: String,
    /// Nothing in it would be expanded: `value` is what the command gets. `~` and globs count as expansions.
    pub fixed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub span: Range<usize>,
    pub name: String,
    pub value: Word,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// From the operator (or the number before it) to the end of the target.
    pub span: Range<usize>,
    pub kind: Redirect,
    /// `None` while it is not typed yet.
    pub target: Option<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirect {
    /// `<`
    Read,
    /// `>`, `>|`, `>!`, `&>`, `<>`: overwrites the file, or may.
    Write,
    /// `>>`, `&>>`
    Append,
    /// `2>&1`, `>&-`
    Descriptor,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// What is not closed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclosed {
    Quote,
    /// `$(`, `${`, `((`, a backquote, `(`, `{`
    Bracket,
    /// After `|`, `&&`, `||`
    Operator,
    /// `if` without `fi`, `for` without `done`, …
    Compound,
    HereDocument,
    /// A backslash at the very end
    Backslash,
}

/// How a shell would judge a whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// It would run it; whether the commands exist is not checked.
    Whole,
    /// It would ask for more input.
    Open(Unclosed),
    /// It would report a syntax error.
    Broken,
}

/// What is at the cursor: the word being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorSpot<'l> {
    /// The command that contains the cursor, if any of it is typed already.
    pub command: Option<&'l Command>,
    pub role: CursorRole,
    /// Where the word being typed begins, including its opening quote; the cursor itself when there is none yet.
    pub start: usize,
    /// The word up to the cursor, without quotes.
    pub typed: String,
    /// Nothing in `typed` would be expanded. A leading `~` counts as an expansion.
    pub fixed: bool,
    pub quote: Quote,
}

/// The role of the word at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorRole {
    /// The name of a command.
    Name,
    /// The word with this index; the name is 0. The words of `for x in …` and `case … in` are arguments of no command.
    Argument(usize),
    /// The target of a redirection.
    Target(Redirect),
    /// The value in `NAME=value` before a command.
    Value(String),
    /// A variable after `$` or `${`, anywhere; `start` and `typed` are those of its name.
    Variable,
    /// A comment, the text of a here-document, arithmetic, right after a backslash: nothing to complete.
    Other,
}

/// The quotes that the cursor is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quote {
    #[default]
    None,
    Single,
    Double,
    /// `$'…'`
    Dollar,
}

/// Parses the line as the shell would, as far as it goes.
pub fn parse(text: &str, dialect: Dialect) -> Line<'_> {
    let read = scan::read(text, text.len(), dialect);
    Line { text, dialect, commands: read.commands, open: read.open }
}

/// Whether the shell would run the line, ask for more or refuse it. Never returns `Broken` unless certain.
pub fn syntax(text: &str, dialect: Dialect) -> Syntax {
    syntax::judge(text, dialect)
}

impl Line<'_> {
    /// What is at the cursor, given in bytes. Clamps to the end of the text, and to the start of a character.
    pub fn at(&self, cursor: usize) -> CursorSpot<'_> {
        cursor::at(self, cursor)
    }
}
