//! Corrects typos and missing apostrophes in the words of a request, so that the readers of questions see the words they know. Leaves
//! alone what may be an object: text in quotes, names, commands, and all of a request for a change or a search.

use aside_core::detect::word_lists::{is_one_slip, lists};

use crate::route::word_lists;
use crate::route::{command, normalize};

/// Contractions without their apostrophe. Those that are words of their own (`ill`, `well`, `were`) are not among them.
const CONTRACTIONS: &[(&str, &str)] = &[
    ("whats", "what's"),
    ("wheres", "where's"),
    ("whos", "who's"),
    ("hows", "how's"),
    ("thats", "that's"),
    ("havent", "haven't"),
    ("hasnt", "hasn't"),
    ("isnt", "isn't"),
    ("arent", "aren't"),
    ("wasnt", "wasn't"),
    ("dont", "don't"),
    ("doesnt", "doesn't"),
    ("didnt", "didn't"),
    ("cant", "can't"),
    ("wont", "won't"),
    ("couldnt", "couldn't"),
    ("shouldnt", "shouldn't"),
    ("ive", "I've"),
];

/// Words of the state of a repository, which the lists of the router do not have.
const MORE: &[&str] =
    &["uncommitted", "untracked", "committed", "conflicts", "stashed", "modified", "changed", "branches"];

/// The request in the usual spelling; `None` where nothing is to be corrected.
pub fn corrected(request: &str) -> Option<String> {
    let words: Vec<&str> = request.split(' ').collect();
    let may_correct = !is_literal(&words);
    let mut quoted = false;
    let mut changed = false;
    let mut spelled = Vec::new();
    let mut before = "";
    for word in words {
        // "What did tess change": a name, not a slip.
        let is_name = ["did", "has", "have", "by", "from", "of", "whats", "what's"].contains(&before) && word.len() < 9
            || word.ends_with("'s");
        before = word;
        let quotes = word.matches(['`', '"', '“', '”']).count();
        let outside = !quoted && quotes == 0;
        quoted ^= quotes % 2 == 1;
        let bare = word.trim_end_matches(['?', '!', ',', '.', ':']);
        let end = word.get(bare.len()..).unwrap_or_default();
        let right = Some(bare).filter(|_| outside && !is_name).and_then(|bare| usual(bare, may_correct));
        changed |= right.is_some();
        spelled.push(right.map_or_else(|| word.to_owned(), |right| format!("{right}{end}")));
    }
    changed.then(|| spelled.join(" "))
}

fn usual(word: &str, may_correct: bool) -> Option<&'static str> {
    let lower = word.to_lowercase();
    if let Some((_, right)) = CONTRACTIONS.iter().find(|(wrong, _)| *wrong == lower) {
        return Some(right);
    }
    if !may_correct || MORE.contains(&word) {
        return None;
    }
    let near = |known: &&&str| word.len() > 5 && is_one_slip(known, word);
    normalize::meant(word).or_else(|| {
        let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase()) && !lists().is_word(word);
        MORE.iter().find(near).copied().filter(|_| is_plain)
    })
}

/// Whether words of the request may be meant to the letter: it names a command line, or text to look for or to change.
fn is_literal(words: &[&str]) -> bool {
    let is_command = |word: &&str| lists().is_command(word) && !lists().is_word(word) && !word_lists::knows(word);
    // In the place of a command only a verb of requests is no command: `npm run buld`, `run make buld`.
    let runs = |word: &&str| ["run", "execute"].contains(word);
    let first = words.iter().copied().find(|word| !runs(word)).unwrap_or_default();
    let is_line =
        command::is_program(first) && (word_lists::classes(first).is_empty() || words.first().is_some_and(runs));
    let polite = ["please", "pls", "can", "could", "would", "you", "hey", "just", "now", "to", "i", "want", "need"];
    let verb = words.iter().find(|word| !polite.contains(&word.to_lowercase().as_str()));
    let verb = verb.map(|verb| normalize::meant(verb).unwrap_or(verb)).unwrap_or_default();
    let classes = word_lists::classes(verb);
    is_line
        || words.iter().any(is_command)
        || words.iter().any(|word| word.starts_with('-') || word.contains(['=', '|', '>', '$']))
        || classes.iter().any(|class| ["edits", "searches"].contains(class)) && !classes.contains(&"runs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_of_everyday_words_are_corrected() {
        for (request, expected) in [
            ("buld the binary", Some("build the binary")),
            ("whats the current version", Some("what's the current version")),
            ("What havent I pushed?", Some("What haven't I pushed?")),
            ("show my uncommited changes", Some("show my uncommitted changes")),
            ("reveiw my chnages", Some("review my changes")),
            ("whats in `dont.txt`", Some("what's in `dont.txt`")),
            ("run the tests", None),
            ("explain parse_line", None),
        ] {
            assert_eq!(corrected(request).as_deref(), expected, "{request}");
        }
    }

    #[test]
    fn what_may_be_meant_to_the_letter_stays() {
        for request in [
            "search for recieve",
            "rename fucntion to function",
            "find \"uncommited\"",
            "git comit -m wip",
            "npm run buld",
            "replace teh with the",
            "run make buld",
        ] {
            assert_eq!(corrected(request), None, "{request}");
        }
    }
}
