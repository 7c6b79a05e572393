//! A command line as the shell would read it, finished or not: commands with their words, assignments and redirections,
//! and what stands at the cursor. Expands nothing and knows no command; never fails, whatever the text is.

pub mod quote;

mod expand;
mod fish;
mod list;
mod redirect;
mod reserved;
mod scan;
mod spot;
mod syntax;
mod word;

#[cfg(test)]
mod tests;

use std::ops::Range;

/// Whose grammar the line is read with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    #[default]
    Zsh,
    Bash,
    Fish,
}

impl Dialect {
    /// By the name of a shell; one that we do not know is most likely to read as bash does.
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

/// All spans are bytes of `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub text: &'a str,
    pub dialect: Dialect,
    /// In the order in which they begin; those inside of `$(…)`, `<(…)`, backquotes, `{…}` and loops too.
    pub commands: Vec<Command>,
    /// Why the shell would ask for more, if it would.
    pub open: Option<Open>,
}

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub span: Range<usize>,
    pub join: Join,
    /// The place in `Line::commands` of the command in one of whose words this one is substituted.
    pub inside: Option<usize>,
    pub assignments: Vec<Assignment>,
    /// The first is its name. Reserved words (`if`, `time`, `!`, fish's `and`) are not among them.
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

/// How a command hangs together with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    First,
    /// `|` and `|&`
    Pipe,
    /// `&&`, fish's `and`
    And,
    /// `||`, fish's `or`
    Or,
    /// `;`, `&`, a new line, `then`, `do`, …
    Next,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub span: Range<usize>,
    /// Without quotes. Where something would be expanded, the text that stands for it.
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
    /// Missing while it is not typed yet.
    pub target: Option<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirect {
    /// `<`
    Read,
    /// `>`, `>|`, `>!`, `&>`, `<>`: what was in the file is lost, or may be.
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
pub enum Open {
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

/// What a shell would say of a whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// It would run it; which commands there are is not asked.
    Whole,
    /// It would ask for more.
    Open(Open),
    /// It would refuse it.
    Broken,
}

/// What stands at the cursor: the word that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot<'l> {
    /// The command that the cursor is in, if something of it is there already.
    pub command: Option<&'l Command>,
    pub role: Role,
    /// Where the word being typed begins, its opening quote included; the cursor itself when there is none yet.
    pub start: usize,
    /// What is typed of the word up to the cursor, without quotes.
    pub typed: String,
    /// Nothing in `typed` would be expanded. A leading `~` counts.
    pub fixed: bool,
    pub quote: Quote,
}

/// What the word at the cursor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name of a command.
    Name,
    /// The word with this number; the name is 0. The words of `for x in …` and `case … in` are arguments of no command.
    Argument(usize),
    /// Where a redirection goes to.
    Target(Redirect),
    /// The value in `NAME=value` before a command.
    Value(String),
    /// A variable after `$` or `${`, anywhere; `start` and `typed` are those of its name.
    Variable,
    /// A comment, the text of a here-document, arithmetic, right after a backslash: nothing of ours.
    Other,
}

/// In which quotes the cursor is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quote {
    #[default]
    None,
    Single,
    Double,
    /// `$'…'`
    Dollar,
}

/// Reads the line as the shell would, as far as it goes.
pub fn parse(text: &str, dialect: Dialect) -> Line<'_> {
    let read = scan::read(text, text.len(), dialect);
    Line { text, dialect, commands: read.commands, open: read.open }
}

/// Whether the shell would run the line, ask for more or refuse it. Never `Broken` where that is not certain.
pub fn syntax(text: &str, dialect: Dialect) -> Syntax {
    syntax::judge(text, dialect)
}

impl Line<'_> {
    /// What stands at the cursor, given in bytes. One past the end is the end; one within a letter is before it.
    pub fn at(&self, cursor: usize) -> Spot<'_> {
        spot::at(self, cursor)
    }
}
