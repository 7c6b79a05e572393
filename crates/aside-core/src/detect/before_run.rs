//! Decides whether a line that is about to run belongs to the shell. The first layer of requirement 001
//! (docs/requirements.md), and its guards.

use shell_line::{self as line, Syntax, Unclosed};

use crate::detect::english::{EnglishLine, ProseLevel, ProseScore, Token, TokenKind};
use crate::detect::local_names::{self, CommandHead};
use crate::detect::phrase::is_predicate;
use crate::detect::word_lists::lists;
use crate::detect::{Classification, DetectContext, PreRunVerdict, known_command, languages, unknown_command};

/// Characters of a line; longer ones are not typed prose.
const MAX_LINE: usize = 2000;

pub fn before_run(line: &str, facts: &DetectContext<'_>) -> Classification<PreRunVerdict> {
    let line = line.trim();
    if has_agent_prefix(line, facts.agent_prefix) {
        return agent(format!("it begins with {}", facts.agent_prefix));
    }
    if line.is_empty() || line.starts_with('#') || line.contains('\n') || line.len() > MAX_LINE {
        return shell("it has no words of a sentence");
    }
    let reading = EnglishLine::of(line);
    let Some(first) = reading.first() else { return shell("it is empty") };
    if reading.len() == 1 {
        return single(first, facts);
    }
    if lists().reserved.contains(&first.raw) {
        return reserved(line, &reading, facts);
    }
    if lists().constructs.contains(&first.raw) {
        return compound(line, &reading, facts);
    }
    let foreign = is_foreign(&reading.tokens);
    if !may_begin_a_sentence(&reading) && !foreign || local_names::is_error(first.raw, facts) {
        return shell("it begins as only commands do");
    }
    if is_wrapped(first, line, facts) {
        return shell("it is a command in what belongs to the shell");
    }
    match local_names::command_head(first.raw, facts) {
        CommandHead::Own => shell(format!("{} is a command of your own", first.raw)),
        CommandHead::Perhaps => shell(format!("{} may be a command", first.raw)),
        CommandHead::Missing => unknown_command::before_run(&reading, foreign, facts),
        CommandHead::Command(command) => known_command::before_run(line, &command, &reading, foreign, facts),
    }
}

/// Whether a line is marked as prose by the prefix.
pub fn has_agent_prefix(line: &str, prefix: &str) -> bool {
    !prefix.is_empty() && line.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

fn single(word: &Token<'_>, facts: &DetectContext<'_>) -> Classification<PreRunVerdict> {
    if !matches!(local_names::command_head(word.raw, facts), CommandHead::Missing) || word.sort == TokenKind::Quoted {
        return shell("one word is a command");
    }
    if local_names::exists(word.raw, facts) {
        return shell(format!("{} is here", word.raw));
    }
    if lists().agent.contains(word.plain.as_str()) {
        return agent(format!("“{}” is said, not run", word.plain));
    }
    if languages::detect_language(&[word.raw]).is_some_and(|spoken| spoken.weight >= 0.5) {
        return agent("it reads as a sentence");
    }
    if word.raw.ends_with('?') && lists().is_word(&word.plain) {
        return agent("it is a question, and no command");
    }
    shell("one word is a command")
}

/// The specified first layer: such a word begins no command, unless the shell can parse the whole line after all.
fn reserved(line: &str, reading: &EnglishLine<'_>, facts: &DetectContext<'_>) -> Classification<PreRunVerdict> {
    let first = reading.first().map_or("", |token| token.raw);
    let rest = ProseScore::of(reading.rest());
    let is_prose = rest.level() >= ProseLevel::Fair || is_foreign(reading.rest());
    let said = || agent(format!("no command begins with {first}, and the rest reads as a sentence"));
    match line::syntax(line, facts.dialect) {
        // To a shell `in` is an ordinary word, and no command has that name.
        Syntax::Whole if first == "in" => match local_names::command_head(first, facts) {
            CommandHead::Missing if rest.signs == 0 => said(),
            CommandHead::Missing | CommandHead::Own | CommandHead::Perhaps | CommandHead::Command(_) => {
                shell("in is a command here")
            }
        },
        Syntax::Whole if is_prose && !runs(line, facts) => said(),
        Syntax::Whole => shell("the shell can read it"),
        Syntax::Open(open) if (is_prose || is_choice(reading)) && is_unlikely(open, first) && !runs(line, facts) => {
            said()
        }
        Syntax::Open(_) => shell("the shell waits for the rest of it"),
        // A pasted piece of a script.
        Syntax::Broken if rest.signs > 0 && (rest.functional() == 0 || line.ends_with(';')) => {
            shell("it looks like a piece of a script")
        }
        Syntax::Broken => agent(format!("no command begins with {first}, and the shell cannot read the line")),
    }
}

/// Whether the line is unlikely to be the first of several: that would end in an operator, a here-document or a
/// backslash.
fn is_unlikely(open: Unclosed, first: &str) -> bool {
    match open {
        Unclosed::Quote | Unclosed::Compound => true,
        // `{ what is this`
        Unclosed::Bracket => first == "{",
        Unclosed::Operator | Unclosed::HereDocument | Unclosed::Backslash => false,
    }
}

/// `select one` is prose; a name that is no word would be a variable: `select x`.
fn is_choice(reading: &EnglishLine<'_>) -> bool {
    let is_select = reading.first().is_some_and(|first| first.raw == "select");
    let rest = reading.rest();
    is_select && rest.iter().all(|token| token.is_plain() && token.is_english()) && !rest.iter().any(|t| t.raw == "in")
}

/// Whether the first command in the line exists, or may exist.
fn runs(line: &str, facts: &DetectContext<'_>) -> bool {
    let parsed = line::parse(line, facts.dialect);
    let Some(word) = parsed.commands.iter().find_map(|command| command.words.first()) else { return false };
    !word.fixed || local_names::runs(&word.value, facts)
}

/// `(make docs)`, `noglob find docs`: the command is not the first word.
fn is_wrapped(first: &Token<'_>, line: &str, facts: &DetectContext<'_>) -> bool {
    let parsed = line::parse(line, facts.dialect);
    let word = parsed.commands.iter().find_map(|command| command.words.first());
    word.is_some_and(|word| word.value != first.raw && (!word.fixed || local_names::runs(&word.value, facts)))
        && line::syntax(line, facts.dialect) != Syntax::Broken
}

/// `while you are at it`: the shell would wait for the end of the construct.
fn compound(line: &str, reading: &EnglishLine<'_>, facts: &DetectContext<'_>) -> Classification<PreRunVerdict> {
    let first = reading.first().map_or("", |token| token.raw);
    let rest = ProseScore::of(reading.rest());
    let level = if is_foreign(reading.rest()) { ProseLevel::Strong } else { rest.level() };
    let is_prose = level >= ProseLevel::Fair || is_spoken_of(first, reading);
    let said = || agent(format!("“{first}” is followed by the words of a sentence"));
    if !is_prose || line.contains(';') {
        return shell("the shell can read it, or waits for the rest of it");
    }
    let syntax = line::syntax(line, facts.dialect);
    let is_broken = syntax == Syntax::Broken;
    // zsh: `for each (one of them) print`
    if matches!(first, "for" | "foreach" | "case") && syntax == Syntax::Whole && runs(line, facts) {
        return shell("the shell can read it");
    }
    if !is_construct(line, first, reading, level, facts) || is_broken && level >= ProseLevel::Strong {
        said()
    } else {
        shell("the shell can read it, or waits for the rest of it")
    }
}

/// Words that follow no construct, even in a short line: `time to go`, `case sensitive search`, `repeat that`.
fn is_spoken_of(first: &str, reading: &EnglishLine<'_>) -> bool {
    let words = reading.rest();
    let second = words.first();
    let is_functional = second.is_some_and(Token::is_functional);
    let all_english = words.iter().all(Token::is_english);
    let is_plain = words.iter().all(Token::is_plain) && words.len() >= 3;
    let has = |word: &str| words.iter().any(|token| token.plain == word);
    match first {
        "time" => is_functional && words.iter().all(|token| token.sort != TokenKind::Sign),
        "case" => is_plain && words.get(1).is_some_and(|third| third.plain != "in"),
        "for" => is_plain && !has_bracket(words) && !has("in") && !has("do") && words.iter().any(Token::is_functional),
        "repeat" => is_functional && all_english,
        _ => false,
    }
}

/// `for x (a b) …`
fn has_bracket(words: &[Token<'_>]) -> bool {
    words.iter().any(|token| token.raw.starts_with('('))
}

/// Whether the shell can use the words behind the one that opens a construct.
fn is_construct(
    line: &str,
    first: &str,
    reading: &EnglishLine<'_>,
    level: ProseLevel,
    facts: &DetectContext<'_>,
) -> bool {
    let words = reading.rest();
    let second = words.first();
    match first {
        // The name of a variable follows, not a command.
        "for" if is_loop(words) => true,
        "for" | "foreach" | "case" => {
            let is_name = second
                .is_some_and(|token| !token.is_functional() && (token.sort != TokenKind::Listed || first == "case"));
            let is_sentence =
                level >= ProseLevel::Fair && !is_name && reading.len() >= 4 || is_spoken_of(first, reading);
            !is_sentence && !is_foreign(words)
        }
        "repeat" => second.is_some_and(|token| token.sort == TokenKind::Number),
        _ => runs(line, facts),
    }
}

/// `for each in a b`: whatever the name of the variable is, the shell waits for `do`.
fn is_loop(words: &[Token<'_>]) -> bool {
    let is_name = |name: &str| {
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
    };
    matches!(words, [name, by, _, ..] if is_name(name.raw) && by.raw == "in")
}

/// Letters, as at the beginning of a sentence; or the name of a file that the sentence is about.
fn may_begin_a_sentence(reading: &EnglishLine<'_>) -> bool {
    let Some(first) = reading.first() else { return false };
    match first.sort {
        TokenKind::Core
        | TokenKind::Link
        | TokenKind::Speech
        | TokenKind::Listed
        | TokenKind::Word
        | TokenKind::Number => !first.plain.is_empty(),
        TokenKind::Name => is_subject(reading),
        TokenKind::Quoted => is_quotation(reading),
        TokenKind::Sign => false,
    }
}

/// `main.py crashes on empty input`, but not `./main.py`
pub fn is_subject(reading: &EnglishLine<'_>) -> bool {
    let words = reading.rest();
    let is_bare = reading.first().is_some_and(|first| first.plain.starts_with(|letter: char| letter.is_alphanumeric()));
    let level = ProseScore::of(words).level();
    is_bare && words.len() >= 2 && (level == ProseLevel::Strong || is_predicate(words))
}

/// `"permission denied" when I run it`: a name of several words is not a command.
pub fn is_quotation(reading: &EnglishLine<'_>) -> bool {
    let is_long = reading.rest().first().is_some_and(|second| second.sort == TokenKind::Quoted);
    let words: Vec<Token<'_>> =
        reading.tokens.iter().filter(|token| token.sort != TokenKind::Quoted).cloned().collect();
    is_long && ProseScore::of(&words).level() == ProseLevel::Strong
}

/// Whether the words are a sentence in a language other than English.
fn is_foreign(tokens: &[Token<'_>]) -> bool {
    let words: Vec<&str> = tokens.iter().map(|token| token.raw).collect();
    tokens.iter().all(|token| !matches!(token.sort, TokenKind::Sign | TokenKind::Quoted))
        && languages::detect_language(&words).is_some_and(|spoken| spoken.weight >= 0.5)
}

fn shell(reason: impl Into<String>) -> Classification<PreRunVerdict> {
    Classification::<PreRunVerdict>::shell(reason)
}

fn agent(reason: impl Into<String>) -> Classification<PreRunVerdict> {
    Classification::<PreRunVerdict>::agent(reason)
}
