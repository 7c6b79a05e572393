//! A line that is about to run and whose first word is a command. It runs, unless it cannot be meant as one: because
//! the shell cannot parse it, or because the words are a sentence and the command would act on them.

use shell_line::{self as line, Syntax, Unclosed};

use crate::detect::english::{EnglishLine, ProseLevel, ProseScore, Token, TokenKind};
use crate::detect::phrase::{
    has_between, has_content, has_predicate, is_determined, is_determiner, is_joined, is_object, is_polite,
    is_predicate,
};
use crate::detect::word_lists::lists;
use crate::detect::{Classification, DetectContext, PreRunVerdict, local_names};

/// Of the commands that act, those that act on files.
const NAMES_FILES: [&str; 23] = [
    "file", "more", "less", "touch", "mkdir", "rm", "mv", "cp", "ln", "tee", "truncate", "shred", "chmod", "chown",
    "install", "rmdir", "make", "vi", "vim", "nvim", "nano", "code", "source",
];

/// Commands that are followed by another one.
const WRAPPERS: [&str; 5] = ["sudo", "doas", "nohup", "exec", "watch"];

pub fn before_run(
    line: &str,
    command: &str,
    reading: &EnglishLine<'_>,
    foreign: bool,
    facts: &DetectContext<'_>,
) -> Classification<PreRunVerdict> {
    let rest = ProseScore::of(reading.rest());
    // `more` shows files, and none of these exist.
    let is_more = command == "more" && reading.rest().iter().all(Token::is_english);
    if is_more && names_nothing(command, reading.rest(), facts) {
        return Classification::<PreRunVerdict>::agent("more is said here, not run");
    }
    if lists().free.contains(command) || rest.quoted > 0 || (rest.functional() == 0 && !foreign) {
        return Classification::<PreRunVerdict>::shell(format!("{command} is a command"));
    }
    if command == "yes" && rest.signs == 0 && names_nothing(command, reading.rest(), facts) {
        return Classification::<PreRunVerdict>::agent("yes is said here, not run");
    }
    let level = if foreign { ProseLevel::Strong } else { rest.level() };
    let name = reading.rest().first().map_or("", |second| second.raw);
    // The shell would wait for the closing quote, or complain.
    if level >= ProseLevel::Fair && is_unreadable(line, level, facts) && !local_names::knows(command, name, facts) {
        return Classification::<PreRunVerdict>::agent(format!(
            "the shell cannot read it, and what follows {command} is a sentence"
        ));
    }
    let is_said = lists().agent.contains(command) && level >= ProseLevel::Fair && is_addressed(command, reading);
    let wraps = WRAPPERS.contains(&command) && local_names::runs(name, facts);
    let acts = lists().acts(command, name) && !wraps && (foreign || is_certain(command, reading, level, facts));
    // Skips the subcommand, which exists.
    let words = reading.tokens.get(if lists().acts(command, "") { 1.. } else { 2.. }).unwrap_or_default();
    if (is_said || acts) && rest.signs == 0 && names_nothing(command, words, facts) {
        let why = if acts { "would run with these words, which are a sentence" } else { "is said here, not run" };
        return Classification::<PreRunVerdict>::agent(format!("{command} {why}"));
    }
    if rest.signs > 0 {
        return Classification::<PreRunVerdict>::shell(format!("{command} is a command"));
    }
    Classification::<PreRunVerdict>::unsure(format!("{command} is a command, and what follows it may be a sentence"))
}

/// `who am i` and `which a b` are commands; longer ones are prose.
fn is_addressed(command: &str, reading: &EnglishLine<'_>) -> bool {
    let names = ProseScore::of(reading.rest()).names;
    let is_long = reading.len() >= if command == "who" { 5 } else { 4 };
    // `who mom likes` is a joke that works.
    let is_asked = command == "who" && reading.len() == 3 && reading.tokens.last().is_some_and(Token::is_functional);
    let second = reading.rest().first().map_or("", |second| second.plain.as_str());
    names == 0 && (is_long || is_asked && !matches!(second, "am" | "mom" | "are" | "is"))
}

/// Sufficient evidence of prose for a command that could have taken those words.
fn is_certain(command: &str, reading: &EnglishLine<'_>, level: ProseLevel, facts: &DetectContext<'_>) -> bool {
    // Behind a subcommand everything is one word later.
    let skipped = usize::from(!lists().acts(command, ""));
    let words = reading.rest().get(skipped..).unwrap_or_default();
    let (rest, count) = (ProseScore::of(words), words.len());
    let Some(first) = words.first() else { return false };
    if first.sort == TokenKind::Name {
        return !lists().hosts.contains(command)
            && level == ProseLevel::Strong
            && rest.core >= 1
            && rest.functional() >= 2
            && count >= 4;
    }
    let leaves = matches!(command, "exit" | "logout") && first.is_functional();
    if !first.is_wordy() || level < ProseLevel::Weak || !has_content(words) && !leaves {
        return false;
    }
    // What runs on another machine may be anything.
    let is_run = |next: &Token<'_>| !next.is_functional() && local_names::is_known_command(next.raw, facts);
    if lists().hosts.contains(command) && !first.is_functional() && words.get(1).is_some_and(is_run) {
        return false;
    }
    let is_short = count >= 2
        && (is_polite(words) || first.plain == "sure" || first.plain == "me" && !lists().users.contains(command));
    let is_sure = leaves || is_short || is_about(command, words) || is_absurd(command, words);
    let joins = rest.link + rest.speech >= 1 || !lists().creates.contains(command);
    let is_prose = level == ProseLevel::Strong && rest.names == 0 && joins
        || first.is_functional() && rest.functional() >= 2 && joins
        || is_determined(words) && rest.names == 0
        || has_predicate(words) && rest.names == 0;
    is_sure || is_prose && count >= 3 || is_prose && level == ProseLevel::Strong && rest.functional() >= 3
}

/// A statement about a command or its object. A command that creates something accepts any name.
fn is_about(command: &str, words: &[Token<'_>]) -> bool {
    if words.len() < 2 || !words.iter().all(Token::is_plain) {
        return false;
    }
    let is_content = words.get(1).is_some_and(|next| !next.is_functional());
    if lists().hosts.contains(command) || matches!(command, "exit" | "logout") {
        let english = words.iter().filter(|token| token.is_english()).count();
        let is_linked = has_between(words) && english >= 3.max(words.len() - 1);
        return words.first().is_some_and(Token::is_functional) || is_linked;
    }
    is_predicate(words) && is_content && lists().acts(command, "")
        || is_object(words) && !lists().creates.contains(command) && !lists().users.contains(command)
}

/// What this particular command could not mean: `set EDITOR to vim`, `export my bookmarks`.
fn is_absurd(command: &str, words: &[Token<'_>]) -> bool {
    let is_plain = words.iter().all(Token::is_plain);
    match command {
        "set" | "export" | "unset" | "declare" => is_plain && (has_between(words) || is_determined(words)),
        "read" | "typeset" => is_plain && is_determined(words),
        // They show existing files, and nothing of that name exists.
        "file" | "more" | "less" | "last" => {
            is_plain && (is_determined(words) || is_joined(words) || has_between(words) || has_predicate(words))
        }
        // They would start with a new file of that name.
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "code" => {
            is_plain && is_determined(words) && words.first().is_some_and(is_determiner)
        }
        // No program has such a name.
        "sudo" | "doas" | "nohup" | "exec" | "watch" => {
            words.len() >= 2 && words.first().is_some_and(is_determiner) && words.get(1).is_some_and(Token::is_plain)
        }
        _ => false,
    }
}

fn names_nothing(command: &str, words: &[Token<'_>], facts: &DetectContext<'_>) -> bool {
    // To the other commands a file of that name means nothing.
    let is_file = |token: &Token<'_>| {
        NAMES_FILES.contains(&command)
            && (local_names::exists(token.raw, facts) || local_names::exists(&token.plain, facts))
    };
    // Only the first word is a machine; the rest runs there.
    let lives = if lists().hosts.contains(command) { words.get(..1).unwrap_or_default() } else { words };
    !lives.iter().any(|token| local_names::is_live(command, token.raw, facts)) && !words.iter().any(is_file)
}

/// To a shell an apostrophe in a word opens a quote; in some shells brackets do as well.
fn is_unreadable(line: &str, level: ProseLevel, facts: &DetectContext<'_>) -> bool {
    match line::syntax(line, facts.dialect) {
        Syntax::Broken => true,
        Syntax::Open(Unclosed::Bracket | Unclosed::Compound) => level == ProseLevel::Strong,
        Syntax::Open(Unclosed::Quote) => line.split_whitespace().any(|word| {
            let mut letters = word.trim_matches('\'').chars();
            letters.any(|letter| letter == '\'')
        }),
        Syntax::Open(_) | Syntax::Whole => false,
    }
}
