//! The engine that needs no model: words become a typed question, the question a command for this machine. A wish is
//! read (`reading`), every domain drafts commands from it, and `rank` chooses among them by how many of the words each
//! explains. Rules are data (`data/translate`); what is too free for a rule is a domain of its own.

mod draft;
#[cfg(test)]
mod fake;
mod files;
#[cfg(test)]
mod guard;
#[cfg(test)]
mod harmless;
#[cfg(test)]
mod hostile;
mod lexicon;
mod matching;
mod names;
mod permit;
mod present;
mod project;
mod rank;
mod reading;
mod rules;
mod schedule;
mod slots;
mod split;
mod sums;
mod text;
mod things;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use crate::mood::Mood;
use crate::redact;
use crate::translate::embedded::draft::Draft;
use crate::translate::embedded::lexicon::Lexicon;
use crate::translate::embedded::reading::Reading;
use crate::translate::embedded::rules::Rule;
use crate::translate::{Proposal, Wish};

/// Bytes of a wish that are read; what is longer is a text, not a wish.
const MAX_WISH: usize = 2000;

/// What drafts commands in code, beside the rules.
type Domain = fn(&Reading<'_>) -> Vec<Draft>;

const DOMAINS: &[Domain] = &[files::draft, text::draft, project::draft];

/// The words and rules that come with Aside, read when first asked for.
static BOOK: LazyLock<Book> = LazyLock::new(Book::new);

struct Book {
    lexicon: Lexicon,
    rules: Vec<Rule>,
}

macro_rules! data {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../data/translate/", $name)))
    };
}

const WORDS: &[(&str, &str)] = &[
    data!("common.words"),
    data!("files.words"),
    data!("text.words"),
    data!("git.words"),
    data!("system.words"),
    data!("dev.words"),
    data!("phrases.words"),
    data!("chinese.words"),
];
const RULES: &[(&str, &str)] = &[
    data!("seed.rules"),
    data!("files.rules"),
    data!("text.rules"),
    data!("git.rules"),
    data!("system.rules"),
    data!("dev.rules"),
];
/// The long tail: they bring no words of their own.
const TAIL: &[(&str, &str)] = &[
    data!("docker.rules"),
    data!("kubernetes.rules"),
    data!("systemd.rules"),
    data!("packages.rules"),
    data!("node.rules"),
    data!("python.rules"),
    data!("languages.rules"),
    data!("ssh.rules"),
    data!("web.rules"),
    data!("crypto.rules"),
    data!("tmux.rules"),
    data!("media.rules"),
    data!("database.rules"),
    data!("cloud.rules"),
    data!("shell.rules"),
    data!("admin.rules"),
    data!("desktop.rules"),
];

impl Book {
    fn new() -> Self {
        let mut lexicon = Lexicon::parse(WORDS.iter().map(|(_, text)| *text));
        rules::learn(RULES, &mut lexicon);
        let mut rules = Vec::new();
        for (file, text) in RULES {
            rules::parse(file, text, &lexicon, &mut rules);
        }
        for (file, text) in TAIL {
            rules::parse(file, text, &lexicon, &mut rules);
        }
        Self { lexicon, rules }
    }
}

/// The best first; nothing when it does not understand.
pub fn answer(wish: &Wish<'_>) -> Vec<Proposal> {
    answer_part(wish, wish.words)
}

/// As `answer`, for words that a caller took out of a request or changed: the mood of the whole request counts as well, so that
/// `can I delete a.txt` is not answered as `delete a.txt` is.
pub fn answer_part(wish: &Wish<'_>, request: &str) -> Vec<Proposal> {
    if wish.words.len() > MAX_WISH {
        return Vec::new();
    }
    let book = &*BOOK;
    let words = names::quoted(wish.words, &wish.place);
    let mut reading = Reading::new(&words, wish.place, &book.lexicon);
    if reading.mood.only_forbids() {
        return Vec::new();
    }
    if request != wish.words && !Mood::of(request).asks_to_act() {
        reading.mood = Mood::default();
    }
    let mut drafts = drafts(&reading);
    // A password that was said belongs in no command.
    let secrets: Vec<&str> = redact::secrets(wish.words)
        .into_iter()
        .filter_map(|secret| wish.words.get(secret.span))
        .filter(|secret| secret.len() > 2)
        .collect();
    drafts.retain(|draft| !secrets.iter().any(|secret| draft.command.contains(secret)));
    rank::rank(&reading, drafts, wish.limit)
}

/// All drafts for a wish, before they are ranked.
fn drafts(reading: &Reading<'_>) -> Vec<Draft> {
    let book = &*BOOK;
    let mut drafts: Vec<Draft> = DOMAINS.iter().flat_map(|domain| domain(reading)).collect();
    drafts.extend(book.rules.iter().flat_map(|rule| matching::drafts(rule, reading)));
    drafts
}
