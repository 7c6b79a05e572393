//! A line whose first word is not a command. It would fail, so reading it as prose loses little; but it may be a typo,
//! or a tool that is not installed.

use crate::detect::english::{EnglishLine, ProseLevel, ProseScore, Token, TokenKind};
use crate::detect::evidence::Evidence;
use crate::detect::phrase::{is_counted, is_determined, is_determiner, is_polite, is_predicate, is_question};
use crate::detect::word_lists::{SentenceOpener, lists};
use crate::detect::{Classification, DetectContext, FailureVerdict, PreRunVerdict, local_names};

/// Verbs whose object may be a command line.
const ABOUT_COMMANDS: [&str; 7] = ["explain", "describe", "help", "tell", "show", "translate", "use"];

/// Verbs that take up, down or out.
const PHRASAL: [&str; 10] = ["clean", "tidy", "speed", "hurry", "shut", "slow", "back", "give", "sign", "wrap"];

const ADJECTIVES: [&str; 10] =
    ["current", "previous", "recent", "total", "average", "available", "installed", "running", "missing", "hidden"];

/// The ruling before it runs.
pub fn before_run(
    reading: &EnglishLine<'_>,
    is_foreign: bool,
    facts: &DetectContext<'_>,
) -> Classification<PreRunVerdict> {
    let Some(first) = reading.first() else { return Classification::<PreRunVerdict>::shell("it is empty") };
    let words = Words::of(reading, first, facts);
    if is_foreign {
        return Classification::<PreRunVerdict>::agent("it reads as a sentence");
    }
    if local_names::exists(first.raw, facts) && words.rest.level() < ProseLevel::Strong && !is_predicate(reading.rest())
    {
        return Classification::<PreRunVerdict>::shell(format!("{} is here", first.raw));
    }
    if words.is_pasted() {
        return Classification::<PreRunVerdict>::shell("it was written for something else than a shell");
    }
    if let Some(reason) = words.opening().or_else(|| words.looks()) {
        return Classification::<PreRunVerdict>::agent(reason);
    }
    let reads = || format!("{} is no command, and the line reads as a sentence", first.raw);
    match words.rest.level() {
        ProseLevel::Strong => Classification::<PreRunVerdict>::agent(reads()),
        ProseLevel::Fair if words.is_report() || reading.len() >= 5 && !words.is_command => {
            Classification::<PreRunVerdict>::agent(reads())
        }
        ProseLevel::Weak if words.rest.signs == 0 && reading.len() >= 6 && !words.is_command => {
            Classification::<PreRunVerdict>::agent(reads())
        }
        ProseLevel::Fair | ProseLevel::Weak => {
            Classification::<PreRunVerdict>::unsure(format!("{} is no command", first.raw))
        }
        ProseLevel::None if words.is_report() && words.rest.signs == 0 => {
            Classification::<PreRunVerdict>::agent(reads())
        }
        ProseLevel::None => Classification::<PreRunVerdict>::shell(format!(
            "{} is no command, and nothing speaks for a sentence",
            first.raw
        )),
    }
}

/// The ruling after it ran: what was unsure before is now known to have failed.
pub fn after_failure(
    reading: &EnglishLine<'_>,
    level: ProseLevel,
    by_document: bool,
    evidence: Evidence,
    facts: &DetectContext<'_>,
) -> Classification<FailureVerdict> {
    let Some(first) = reading.first() else { return Classification::<FailureVerdict>::nothing("it is empty") };
    let words = Words::of(reading, first, facts);
    if words.is_command && level < ProseLevel::Fair && !is_polite(reading.rest()) && !words.is_remark() {
        return Classification::<FailureVerdict>::nothing(format!("{} is a command that is not installed", first.raw));
    }
    let is_sentence = !words.is_pasted()
        && (level == ProseLevel::Strong
            || words.opens_after(level, by_document)
            || words.is_plain_english(level, facts));
    if is_sentence && (evidence.named || !evidence.seen) {
        Classification::<FailureVerdict>::reroute(format!(
            "{} is no command, and the line reads as a sentence",
            first.raw
        ))
    } else {
        Classification::<FailureVerdict>::nothing(format!(
            "{} is no command, and nothing speaks for a sentence",
            first.raw
        ))
    }
}

/// An adjective is no program that acts on the noun after it.
fn is_adjective(word: &str) -> bool {
    word.ends_with("est") || ADJECTIVES.contains(&word)
}

struct Words<'w, 'l> {
    reading: &'w EnglishLine<'l>,
    first: &'w Token<'l>,
    rest: ProseScore,
    opener: Option<SentenceOpener>,
    /// Words of more than one letter behind the first.
    wordy: usize,
    /// Globs and variables.
    soft: usize,
    /// The first word is a command that may not be installed. A verb counts only without the function words of a
    /// sentence.
    is_command: bool,
    is_about_command: bool,
}

impl<'w, 'l> Words<'w, 'l> {
    fn of(reading: &'w EnglishLine<'l>, first: &'w Token<'l>, facts: &DetectContext<'_>) -> Self {
        let rest = ProseScore::of(reading.rest());
        let opener = lists().opener(&first.plain);
        let is_wish = opener.is_some() && rest.signs == 0 && rest.functional() >= 1;
        let is_wordy = |token: &&Token<'_>| token.is_wordy() && token.plain.chars().nth(1).is_some();
        let second = reading.rest().first().map_or("", |second| second.raw.trim_matches(['`', '"', '\'']));
        Self {
            reading,
            first,
            opener,
            wordy: reading.rest().iter().filter(is_wordy).count(),
            soft: reading.rest().iter().filter(|token| token.is_soft()).count(),
            is_command: local_names::is_known_command(first.raw, facts) && !is_wish,
            is_about_command: local_names::is_known_command(second, facts),
            rest,
        }
    }

    /// `SELECT * FROM users;`, `error: something`
    fn is_pasted(&self) -> bool {
        let asks =
            self.reading.tokens.iter().any(|token| matches!(token.plain.as_str(), "what" | "how" | "why" | "can"));
        // An error message.
        if self.first.raw.ends_with(':') {
            return !asks && !is_question(&self.reading.tokens);
        }
        let ends = self.reading.tokens.last().is_some_and(|last| last.raw.ends_with(';'));
        ends && self.rest.signs > 0 && !asks && self.opener != Some(SentenceOpener::Asks)
    }

    /// Why the first word begins a sentence, if it does.
    fn opening(&self) -> Option<String> {
        let Self { first, rest, wordy, is_command, .. } = self;
        let word = first.plain.as_str();
        let begins = || Some(format!("“{word}” begins a sentence"));
        let wish = || Some(format!("“{word}” is a wish, and no command"));
        if lists().agent.contains(word) && !is_command && *wordy >= 1 && rest.signs == 0 {
            return begins();
        }
        match self.opener? {
            _ if ABOUT_COMMANDS.contains(&word) && (rest.functional() >= 1 || self.is_about_command) => {
                Some(format!("“{word}” asks about something"))
            }
            SentenceOpener::Asks if *wordy >= 1 && !is_command => Some(format!("“{word}” begins a question")),
            SentenceOpener::Tells
                if *wordy >= 1 && !is_command && (self.reading.len() >= 3 || rest.functional() >= 1) =>
            {
                begins()
            }
            SentenceOpener::Wishes | SentenceOpener::WishesAlone | SentenceOpener::Forgets
                if !is_command && rest.functional() >= 1 && rest.signs * 2 <= rest.functional() + 1 =>
            {
                wish()
            }
            // `remove all *.tmp files`
            SentenceOpener::Wishes | SentenceOpener::WishesAlone
                if !is_command && rest.signs >= 1 && self.soft == rest.signs && *wordy >= 1.max(rest.signs) =>
            {
                wish()
            }
            SentenceOpener::WishesAlone if !is_command && wordy + rest.names >= 1 && rest.signs == 0 => wish(),
            SentenceOpener::Wishes | SentenceOpener::WishesAlone | SentenceOpener::Forgets
                if self.is_capital() && rest.signs == 0 =>
            {
                wish()
            }
            SentenceOpener::Wishes if !is_command && *wordy >= 2 && rest.signs + rest.names == 0 => wish(),
            SentenceOpener::Asks
            | SentenceOpener::Tells
            | SentenceOpener::Wishes
            | SentenceOpener::WishesAlone
            | SentenceOpener::Forgets => None,
        }
    }

    /// Why the line looks like a sentence whatever its first word, if it does.
    fn looks(&self) -> Option<String> {
        let Self { first, rest, wordy, is_command, .. } = self;
        let is_known = *is_command && !lists().common.contains(first.plain.as_str());
        if first.is_contracted() && *wordy >= 1 {
            return Some(format!("{} begins a sentence", first.raw));
        }
        if is_question(&self.reading.tokens) && !is_known && rest.signs == 0 && *wordy >= 1 {
            return Some("it is a question, and no command".to_owned());
        }
        // No command has such a name.
        let is_sentence = self.is_capital()
            && !is_command
            && (rest.signs == 0 || rest.quoted == 0 && self.soft == rest.signs)
            && *wordy >= 2;
        is_sentence.then(|| format!("{} begins a sentence", first.raw))
    }

    fn is_capital(&self) -> bool {
        let mut letters = self.first.raw.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.clone().nth(1).is_some()
            && letters.all(|letter| letter.is_lowercase() || letter == ',')
    }

    /// `tests keep failing`
    fn is_report(&self) -> bool {
        let second = self.reading.rest().first();
        second.is_some_and(|second| {
            let is_verb = second.sort == TokenKind::Core && !is_determiner(second);
            self.reading.len() >= 3 && (is_verb || lists().reports.contains(second.plain.as_str()))
        })
    }

    fn opens_after(&self, level: ProseLevel, by_document: bool) -> bool {
        if self.reading.len() == 2 && self.is_short_report() {
            return true;
        }
        match self.opener {
            // `compose up` may be a command; `clean up` is prose.
            Some(SentenceOpener::Wishes)
                if !PHRASAL.contains(&self.first.plain.as_str())
                    && self.reading.rest().iter().all(|token| lists().forgotten.contains(token.plain.as_str())) =>
            {
                false
            }
            Some(
                SentenceOpener::Asks | SentenceOpener::Tells | SentenceOpener::WishesAlone | SentenceOpener::Wishes,
            ) => self.wordy >= 1 || self.rest.names == 1 && self.rest.words == 1,
            Some(SentenceOpener::Forgets) => {
                by_document && self.wordy >= 2
                    || level >= ProseLevel::Weak && self.wordy >= 1
                    || self.is_wish_for_things()
            }
            None => false,
        }
    }

    /// `just checking`, but not `just build`
    fn is_remark(&self) -> bool {
        let is_said = |token: &Token<'_>| {
            token.is_english() && token.is_wordy() && !lists().forgotten.contains(token.plain.as_str())
        };
        self.opener == Some(SentenceOpener::Tells) && self.reading.rest().iter().all(is_said)
    }

    /// `update packages`, `fetch package list`, but not `push origin` or `run build`
    fn is_wish_for_things(&self) -> bool {
        let words = self.reading.rest();
        let is_thing = |token: &Token<'_>| {
            token.is_english() && token.is_wordy() && !lists().forgotten.contains(token.plain.as_str())
        };
        let is_plural = words.last().is_some_and(|last| last.plain.ends_with('s') && last.plain.len() > 3);
        let is_english = words.iter().all(|token| token.is_english() && token.is_wordy());
        words.iter().all(is_thing) && is_plural || words.len() >= 2 && is_english && words.iter().any(is_thing)
    }

    /// `build broke`
    fn is_short_report(&self) -> bool {
        self.first.is_english()
            && self.reading.rest().first().is_some_and(|second| lists().reports.contains(second.plain.as_str()))
    }

    /// Dictionary words from the first on, or a typo in the first of them.
    fn is_plain_english(&self, level: ProseLevel, facts: &DetectContext<'_>) -> bool {
        let Self { first, reading, .. } = self;
        let words = reading.rest();
        if self.opener.is_some() || !words.iter().all(|token| token.is_plain() || token.sort == TokenKind::Name) {
            return false;
        }
        if first.is_english() && first.sort != TokenKind::Number && words.iter().all(Token::is_plain) {
            // `server start` may be meant as a command.
            return words.len() >= 2
                || is_adjective(&first.plain)
                || !words.iter().any(|token| lists().forgotten.contains(token.plain.as_str()));
        }
        if first.sort == TokenKind::Number {
            return words.first().is_some_and(Token::is_english) && words.iter().any(Token::is_wordy);
        }
        let english = words.iter().filter(|token| token.is_english()).count();
        if let Some(opener) = lists().misspelt_opener(&first.plain)
            && english == words.len()
        {
            let asks = opener == SentenceOpener::Asks && english >= 2;
            let speaks = level >= ProseLevel::Weak && words.len() >= 2;
            return asks || speaks || english >= if local_names::is_misspelt(first.raw, facts) { 3 } else { 2 };
        }
        if local_names::is_misspelt(first.raw, facts) {
            // A single function word does not make a typo a sentence.
            return level >= ProseLevel::Fair && words.len() >= 3;
        }
        is_determined(words)
            || is_counted(words)
            || level == ProseLevel::Weak && english >= 1
            || self.is_report()
            || level >= ProseLevel::Fair && words.len() >= 3
    }
}
