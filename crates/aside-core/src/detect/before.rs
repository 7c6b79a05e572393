//! Decides whether a line that is about to run belongs to the shell. The first layer of requirement 001
//! (docs/requirements.md), and its guards.

use crate::detect::here::{self, Head};
use crate::detect::lists::lists;
use crate::detect::phrase::is_predicate;
use crate::detect::reading::{Level, Prose, Reading, Sort, Token};
use crate::detect::{Before, Facts, Ruling, found, missing, tongue};
use crate::line::{self, Open, Syntax};

/// Characters of a line; longer ones are not typed prose.
const MAX_LINE: usize = 2000;

pub fn before(line: &str, facts: &Facts<'_>) -> Ruling<Before> {
    let line = line.trim();
    if forced(line, facts.agent_prefix) {
        return agent(format!("it begins with {}", facts.agent_prefix));
    }
    if line.is_empty() || line.starts_with('#') || line.contains('\n') || line.len() > MAX_LINE {
        return shell("it has no words of a sentence");
    }
    let reading = Reading::of(line);
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
    if !may_begin_a_sentence(&reading) && !foreign || here::is_error(first.raw, facts) {
        return shell("it begins as only commands do");
    }
    if is_wrapped(first, line, facts) {
        return shell("it is a command in what belongs to the shell");
    }
    match here::head(first.raw, facts) {
        Head::Own => shell(format!("{} is a command of your own", first.raw)),
        Head::Perhaps => shell(format!("{} may be a command", first.raw)),
        Head::Missing => missing::before(&reading, foreign, facts),
        Head::Command(command) => found::before(line, &command, &reading, foreign, facts),
    }
}

/// Whether a line is marked as prose by the prefix.
pub fn forced(line: &str, prefix: &str) -> bool {
    !prefix.is_empty() && line.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

fn single(word: &Token<'_>, facts: &Facts<'_>) -> Ruling<Before> {
    if !matches!(here::head(word.raw, facts), Head::Missing) || word.sort == Sort::Quoted {
        return shell("one word is a command");
    }
    if here::exists(word.raw, facts) {
        return shell(format!("{} is here", word.raw));
    }
    if lists().agent.contains(word.plain.as_str()) {
        return agent(format!("“{}” is said, not run", word.plain));
    }
    if tongue::spoken(&[word.raw]).is_some_and(|spoken| spoken.weight >= 0.5) {
        return agent("it reads as a sentence");
    }
    if word.raw.ends_with('?') && lists().is_word(&word.plain) {
        return agent("it is a question, and no command");
    }
    shell("one word is a command")
}

/// The specified first layer: such a word begins no command, unless the shell can parse the whole line after all.
fn reserved(line: &str, reading: &Reading<'_>, facts: &Facts<'_>) -> Ruling<Before> {
    let first = reading.first().map_or("", |token| token.raw);
    let rest = Prose::of(reading.rest());
    let is_prose = rest.level() >= Level::Fair || is_foreign(reading.rest());
    let said = || agent(format!("no command begins with {first}, and the rest reads as a sentence"));
    match line::syntax(line, facts.dialect) {
        // To a shell `in` is an ordinary word, and no command has that name.
        Syntax::Whole if first == "in" => match here::head(first, facts) {
            Head::Missing if rest.signs == 0 => said(),
            Head::Missing | Head::Own | Head::Perhaps | Head::Command(_) => shell("in is a command here"),
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
fn is_unlikely(open: Open, first: &str) -> bool {
    match open {
        Open::Quote | Open::Compound => true,
        // `{ what is this`
        Open::Bracket => first == "{",
        Open::Operator | Open::HereDocument | Open::Backslash => false,
    }
}

/// `select one` is prose; a name that is no word would be a variable: `select x`.
fn is_choice(reading: &Reading<'_>) -> bool {
    let is_select = reading.first().is_some_and(|first| first.raw == "select");
    let rest = reading.rest();
    is_select && rest.iter().all(|token| token.is_plain() && token.is_english()) && !rest.iter().any(|t| t.raw == "in")
}

/// Whether the first command in the line exists, or may exist.
fn runs(line: &str, facts: &Facts<'_>) -> bool {
    let parsed = line::parse(line, facts.dialect);
    let Some(word) = parsed.commands.iter().find_map(|command| command.words.first()) else { return false };
    !word.fixed || here::runs(&word.value, facts)
}

/// `(make docs)`, `noglob find docs`: the command is not the first word.
fn is_wrapped(first: &Token<'_>, line: &str, facts: &Facts<'_>) -> bool {
    let parsed = line::parse(line, facts.dialect);
    let word = parsed.commands.iter().find_map(|command| command.words.first());
    word.is_some_and(|word| word.value != first.raw && (!word.fixed || here::runs(&word.value, facts)))
        && line::syntax(line, facts.dialect) != Syntax::Broken
}

/// `while you are at it`: the shell would wait for the end of the construct.
fn compound(line: &str, reading: &Reading<'_>, facts: &Facts<'_>) -> Ruling<Before> {
    let first = reading.first().map_or("", |token| token.raw);
    let rest = Prose::of(reading.rest());
    let level = if is_foreign(reading.rest()) { Level::Strong } else { rest.level() };
    let is_prose = level >= Level::Fair || is_spoken_of(first, reading);
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
    if !is_construct(line, first, reading, level, facts) || is_broken && level >= Level::Strong {
        said()
    } else {
        shell("the shell can read it, or waits for the rest of it")
    }
}

/// Words that follow no construct, even in a short line: `time to go`, `case sensitive search`, `repeat that`.
fn is_spoken_of(first: &str, reading: &Reading<'_>) -> bool {
    let words = reading.rest();
    let second = words.first();
    let is_functional = second.is_some_and(Token::is_functional);
    let all_english = words.iter().all(Token::is_english);
    let is_plain = words.iter().all(Token::is_plain) && words.len() >= 3;
    let has = |word: &str| words.iter().any(|token| token.plain == word);
    match first {
        "time" => is_functional && words.iter().all(|token| token.sort != Sort::Sign),
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
fn is_construct(line: &str, first: &str, reading: &Reading<'_>, level: Level, facts: &Facts<'_>) -> bool {
    let words = reading.rest();
    let second = words.first();
    match first {
        // The name of a variable follows, not a command.
        "for" | "foreach" | "case" => {
            let is_name =
                second.is_some_and(|token| !token.is_functional() && (token.sort != Sort::Listed || first == "case"));
            let is_sentence = level >= Level::Fair && !is_name && reading.len() >= 4 || is_spoken_of(first, reading);
            !is_sentence && !is_foreign(words)
        }
        "repeat" => second.is_some_and(|token| token.sort == Sort::Number),
        _ => runs(line, facts),
    }
}

/// Letters, as at the beginning of a sentence; or the name of a file that the sentence is about.
fn may_begin_a_sentence(reading: &Reading<'_>) -> bool {
    let Some(first) = reading.first() else { return false };
    match first.sort {
        Sort::Core | Sort::Link | Sort::Speech | Sort::Listed | Sort::Word | Sort::Number => !first.plain.is_empty(),
        Sort::Name => is_subject(reading),
        Sort::Quoted => is_quotation(reading),
        Sort::Sign => false,
    }
}

/// `main.py crashes on empty input`, but not `./main.py`
pub fn is_subject(reading: &Reading<'_>) -> bool {
    let words = reading.rest();
    let is_bare = reading.first().is_some_and(|first| first.plain.starts_with(|letter: char| letter.is_alphanumeric()));
    let level = Prose::of(words).level();
    is_bare && words.len() >= 2 && (level == Level::Strong || is_predicate(words))
}

/// `"permission denied" when I run it`: a name of several words is not a command.
pub fn is_quotation(reading: &Reading<'_>) -> bool {
    let is_long = reading.rest().first().is_some_and(|second| second.sort == Sort::Quoted);
    let words: Vec<Token<'_>> = reading.tokens.iter().filter(|token| token.sort != Sort::Quoted).cloned().collect();
    is_long && Prose::of(&words).level() == Level::Strong
}

/// Whether the words are a sentence in a language other than English.
fn is_foreign(tokens: &[Token<'_>]) -> bool {
    let words: Vec<&str> = tokens.iter().map(|token| token.raw).collect();
    tokens.iter().all(|token| !matches!(token.sort, Sort::Sign | Sort::Quoted))
        && tongue::spoken(&words).is_some_and(|spoken| spoken.weight >= 0.5)
}

fn shell(reason: impl Into<String>) -> Ruling<Before> {
    Ruling::<Before>::shell(reason)
}

fn agent(reason: impl Into<String>) -> Ruling<Before> {
    Ruling::<Before>::agent(reason)
}
