//! Finds the line of an output that says what went wrong, with the patterns of `data/task/errors.toml`.

use std::sync::LazyLock;

use aside_core::agent::language::{Bilingual, Language};
use aside_redact::redact;
use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::diagnose::general;
use crate::run::{code, short, toml_lists};

const LIST: &str = include_str!("../../../data/task/errors.toml");

/// Lines of an output that are searched, half of them at either end, and bytes of one.
const MAX_LINES: usize = 2000;
const MAX_LINE: usize = 500;
/// Maximum distance in lines between the message and its location.
const NEAR: usize = 12;
/// The same for a test, whose difference from what was expected stands between them.
const NEAR_TEST: usize = 40;
/// Lines that are quoted.
const MAX_QUOTED: usize = 6;
/// Locations that are listed.
const MAX_PLACES: usize = 8;
const MAX_MESSAGE: usize = 240;

struct Error {
    #[cfg(test)]
    name: String,
    tool: Bilingual,
    pattern: Regex,
    not: Option<Regex>,
    place: Option<Regex>,
    /// The location stands above the message.
    before: bool,
    /// The message stands on the line below.
    below: bool,
    /// Does not match without a location: other tools use the same words.
    needs_place: bool,
    /// Further lines of the message, below it.
    and: Option<Regex>,
    /// However many lines match, they mean one error.
    once: bool,
    last: bool,
}

static ALL: LazyLock<Vec<Error>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "error", |table| {
        let optional = |key: &str| match table.get(key) {
            Some(_) => toml_lists::pattern(table, key).map(Some),
            None => Some(None),
        };
        Some(Error {
            #[cfg(test)]
            name: toml_lists::text(table, "name")?,
            tool: toml_lists::both(table, "tool")?,
            pattern: toml_lists::pattern(table, "pattern")?,
            not: optional("not")?,
            place: optional("place")?,
            before: table.get("before").is_some(),
            below: table.get("below").is_some(),
            needs_place: table.get("needs").is_some(),
            and: optional("and")?,
            once: table.get("once").is_some(),
            last: toml_lists::text(table, "pick")? == "last",
        })
    })
});

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    tool: Bilingual,
    message: String,
    /// What the message is about, such as the name of a test; the message itself where nothing is named.
    key: String,
    once: bool,
    /// With the line, 0 when only the file is named.
    place: Option<(String, usize)>,
    lines: Vec<String>,
}

impl Cause {
    /// One sentence, with secrets redacted.
    pub fn sentence(&self, language: Language) -> String {
        let colon = if self.message.is_empty() { "" } else { language.pick(": ", "：") };
        format!("{}{colon}{}", self.tool.of(language), self.row(language))
    }

    /// The sentence without the tool, for a list.
    pub fn row(&self, language: Language) -> String {
        let place = match &self.place {
            Some((file, 0)) => Some((language.pick(", in ", "，在 "), code(file))),
            Some((file, line)) => Some((language.pick(", at ", "，在 "), code(&format!("{file}:{line}")))),
            None => None,
        };
        let place = place.map(|(at, place)| format!("{at}{place}")).unwrap_or_default();
        let message = short(&redact(&self.message), MAX_MESSAGE);
        let message = message.trim_end_matches('.');
        format!("{message}{place}{}", language.pick(".", "。"))
    }

    /// The message as the output has it.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether it names a file and a line.
    pub fn has_place(&self) -> bool {
        self.place.is_some()
    }

    pub fn is_test(&self) -> bool {
        self.tool.english == TEST
    }

    /// A test is named with its file alone; finds the line where it failed elsewhere in the output.
    fn locate(&mut self, lines: &[&str]) {
        let Some((file, line @ 0)) = &mut self.place else { return };
        let number = |text: &&str| {
            let rest = text.trim_start().strip_prefix(file.as_str())?.strip_prefix(':')?;
            rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
        };
        let found: Vec<usize> = lines.iter().filter_map(number).collect();
        if let [only] = found.as_slice() {
            *line = *only;
        }
    }

    /// Whether the sentence already contains all of the quoted lines.
    pub fn is_said(&self) -> bool {
        let sentence = self.sentence(Language::English);
        self.lines.iter().all(|line| sentence.contains(redact(line).trim()))
    }

    /// The quoted lines as they are.
    pub fn lines(&self) -> String {
        self.lines.join("\n")
    }

    /// The quoted lines as a fenced block.
    pub fn quoted(&self) -> String {
        let lines = redact(&self.lines.join("\n")).replace("~~~", "~ ~ ~");
        format!("~~~\n{lines}\n~~~\n")
    }
}

/// Causes that are listed together.
const MAX_CAUSES: usize = 20;
/// The tool of entries about failing tests.
const TEST: &str = "A test failed";
/// Further lines of a message.
const MAX_AND: usize = 3;

/// The decisive one first, then all others that the same tool reports.
pub fn causes(output: &str) -> Vec<Cause> {
    let Some(first) = cause(output) else { return Vec::new() };
    let lines = ends(output);
    let mut all = vec![first.clone()];
    let entries = ALL.iter().filter(|error| error.tool == first.tool);
    let mut found: Vec<(usize, Cause)> = Vec::new();
    for error in entries {
        let mut fitting = lines.iter().enumerate().filter(|(_, line)| error.fits(line));
        if error.once {
            let once = fitting.next().and_then(|(at, _)| Some((at, error.cause(&lines, at)?)));
            found.extend(once.filter(|_| !first.once));
        } else {
            found.extend(fitting.filter_map(|(at, _)| Some((at, error.cause(&lines, at)?))));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    for (_, cause) in found {
        let same = |other: &&mut Cause| {
            other.key == cause.key
                && (other.place == cause.place
                    || other.place.is_none()
                    || cause.place.is_none()
                    || cause.is_test() && other.key != other.message)
        };
        match all.iter_mut().find(same) {
            // The later line may say more about the same test.
            Some(other) if other.place.is_none() && cause.place.is_some() => *other = cause,
            Some(_) => {}
            None => all.push(cause),
        }
    }
    all.truncate(MAX_CAUSES);
    // A test fails when one of its parts does; only the part is named.
    let keys: Vec<String> = all.iter().map(|cause| cause.key.clone()).collect();
    all.retain(|cause| !keys.iter().any(|key| key.strip_prefix(&cause.key).is_some_and(|rest| rest.starts_with('/'))));
    for cause in &mut all {
        cause.locate(&lines);
    }
    all
}

pub fn cause(output: &str) -> Option<Cause> {
    let lines = ends(output);
    // A headline says that it failed, another line says why.
    let telling: Vec<&str> =
        lines.iter().copied().map(|line| if general::is_headline(line) { "" } else { unlabelled(line) }).collect();
    let unlabelled: Vec<&str> = lines.iter().map(|line| unlabelled(line)).collect();
    found(&telling).or_else(|| general_cause(&telling)).or_else(|| found(&unlabelled)).or_else(|| found(&lines))
}

/// What a tool says that no pattern knows.
fn general_cause(lines: &[&str]) -> Option<Cause> {
    let general::SaidError { message, place, lines } = general::said(&lines.join("\n"))?;
    let tool = Bilingual::new("It says", "输出里写着");
    Some(Cause { tool, key: message.clone(), message, once: true, place, lines })
}

/// Whether the output has an error that a pattern knows.
pub fn is_known(output: &str) -> bool {
    let lines = ends(output);
    let unlabelled: Vec<&str> = lines.iter().map(|line| unlabelled(line)).collect();
    found(&unlabelled).is_some()
}

/// Strips a Chinese label before an error: `报错: KeyError: 'name'`. Keeps a file name in Chinese.
fn unlabelled(line: &str) -> &str {
    let line = without_prefix(line);
    match line.split_once([':', '：']) {
        Some((label, rest)) if Language::of(label) == Language::Chinese && !label.contains(['/', '.']) => {
            rest.trim_start()
        }
        Some(_) | None => line,
    }
}

/// Without what a log puts before the lines of a program: `Nov 17 09:12:01 host unit[811]: `, `web-1  | `.
fn without_prefix(line: &str) -> &str {
    static PREFIX: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \S+ [\w.@/-]+(?:\[\d+\])?: |[\w.-]+-\d+ +\| )").ok()
    });
    let end = PREFIX.as_ref().and_then(|pattern| pattern.find(line)).map_or(0, |found| found.end());
    line.get(end..).unwrap_or(line)
}

fn found(lines: &[&str]) -> Option<Cause> {
    ALL.iter().find_map(|error| {
        let mut fitting = lines.iter().enumerate().filter(|(_, line)| error.fits(line));
        let (at, _) = if error.last { fitting.next_back() } else { fitting.next() }?;
        error.cause(lines, at)
    })
}

/// All locations that any pattern finds in the output.
pub fn places(output: &str) -> Vec<(String, usize)> {
    let lines = ends(output);
    let mut places: Vec<(String, usize)> = cause(output).and_then(|cause| cause.place).into_iter().collect();
    for line in &lines {
        let patterns = ALL.iter().flat_map(|error| [Some(&error.pattern), error.place.as_ref()]).flatten();
        for found in patterns.filter_map(|pattern| place(&pattern.captures(line)?)) {
            if !places.iter().any(|(file, _)| *file == found.0) {
                places.push(found);
            }
        }
        if places.len() >= MAX_PLACES {
            break;
        }
    }
    places.truncate(MAX_PLACES);
    places
}

static MENTIONED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?P<file>[\w./@+-]*[\w-]\.[A-Za-z]\w{0,9}):(?P<line>[0-9]{1,7})\b").ok());

/// Like `places`, plus everything else that looks like a file and a line.
pub fn mentioned(output: &str) -> Vec<(String, usize)> {
    let mut places = places(output);
    let Some(pattern) = MENTIONED.as_ref() else { return places };
    for found in ends(output).into_iter().flat_map(|line| pattern.captures_iter(line)).filter_map(|found| place(&found))
    {
        if places.len() >= MAX_PLACES {
            break;
        }
        if !places.iter().any(|(file, _)| *file == found.0) {
            places.push(found);
        }
    }
    places
}

/// The beginning and the end of a long output, with long lines truncated.
fn ends(output: &str) -> Vec<&str> {
    let lines: Vec<&str> =
        output.lines().map(|line| line.get(..line.floor_char_boundary(MAX_LINE)).unwrap_or(line)).collect();
    if lines.len() <= MAX_LINES {
        return lines;
    }
    let half = MAX_LINES / 2;
    let (head, tail) = (lines.get(..half), lines.get(lines.len() - half..));
    [head.unwrap_or_default(), tail.unwrap_or_default()].concat()
}

impl Error {
    fn fits(&self, line: &str) -> bool {
        self.pattern.is_match(line) && !self.not.as_ref().is_some_and(|not| not.is_match(line))
    }

    fn cause(&self, lines: &[&str], at: usize) -> Option<Cause> {
        let line = lines.get(at)?;
        let captures = self.pattern.captures(line)?;
        let mut message = captures.name("message").map_or("", |message| message.as_str()).trim().to_owned();
        let mut last = at;
        if self.below && message.is_empty() {
            message = lines.get(at + 1).copied().unwrap_or_default().trim().trim_start_matches("• ").to_owned();
            last += 1;
        }
        // A message that ends in a colon continues on the next line, which often is the remedy: `to add it:`.
        if message.ends_with(':')
            && let Some(next) = lines.get(last + 1).filter(|next| next.starts_with([' ', '\t']) && !self.fits(next))
        {
            message = format!("{message} {}", next.trim());
            last += 1;
        }
        if let Some(pattern) = &self.and {
            let below = lines.get(at + 1..).unwrap_or_default().iter().take(NEAR).enumerate();
            let below = below.map(|(near, line)| (near, *line)).take_while(|(_, line)| self.once || !self.fits(line));
            let found = below.filter_map(|(near, line)| {
                let found = pattern.captures(line)?;
                let text = found.name("and").or_else(|| found.name("and2"))?.as_str().trim();
                Some((at + 1 + near, whole_sentences(text).trim_end_matches(',')))
            });
            for (near, text) in found.take(MAX_AND).filter(|(_, text)| !message.contains(text)).collect::<Vec<_>>() {
                message = if message.is_empty() { text.to_owned() } else { format!("{message}; {text}") };
                last = last.max(near);
            }
        }
        let name = captures.name("name").map(|name| name.as_str().trim());
        let key = name.unwrap_or(&message).to_owned();
        let message = match name {
            Some(name) if message.is_empty() => name.to_owned(),
            Some(name) => format!("{name}: {message}"),
            None => message,
        };
        let mut first = at;
        let mut place = self::place(&captures);
        if let Some(pattern) = self.place.as_ref().filter(|_| place.as_ref().is_none_or(|(_, line)| *line == 0)) {
            let fits = |at: &usize| lines.get(*at).is_some_and(|line| pattern.is_match(line));
            let other = |at: &usize| !lines.get(*at).is_some_and(|line| self.fits(line));
            let found = if self.before {
                (at.saturating_sub(NEAR)..at).rev().find(fits)
            } else {
                let near = if self.tool.english == TEST { NEAR_TEST } else { NEAR };
                (at + 1..=at + near).take_while(other).find(fits)
            };
            if let Some(found) = found {
                let near =
                    lines.get(found).and_then(|line| pattern.captures(line)).and_then(|found| self::place(&found));
                // One of the two may have only the file, the other only the line.
                let line = captures.name("line").and_then(|line| line.as_str().parse().ok()).unwrap_or(0);
                place = near.map(|(file, near)| (file, if near == 0 { line } else { near })).or(place);
                first = first.min(found);
                last = last.max(found);
            }
        }
        if self.needs_place && place.is_none() {
            return None;
        }
        let quoted = lines.get(first..=last.min(first + MAX_QUOTED - 1)).unwrap_or_default();
        let mut quoted: Vec<String> = quoted.iter().map(|line| line.trim_end().to_owned()).collect();
        // Includes the message itself when it is far from its location.
        if last - first >= MAX_QUOTED {
            quoted.truncate(MAX_QUOTED - 1);
            let end = if self.before { at } else { last };
            quoted.push(lines.get(end).copied().unwrap_or_default().trim_end().to_owned());
        }
        Some(Cause { tool: self.tool.clone(), message, key, once: self.once, place, lines: quoted })
    }
}

/// A line that breaks off within a sentence, up to the end of the sentence before.
fn whole_sentences(text: &str) -> &str {
    let ends = text.ends_with(['.', '!', '?', ':', ')', '"', '\'', '`', ',', ';', '>', '}', ']']);
    let cut = text.rfind(". ").filter(|_| !ends).and_then(|at| text.get(..=at));
    cut.filter(|_| text.rsplit(". ").next().is_some_and(|rest| rest.starts_with(char::is_uppercase))).unwrap_or(text)
}

fn place(captures: &Captures<'_>) -> Option<(String, usize)> {
    let file = captures.name("file")?.as_str();
    let line = captures.name("line").and_then(|line| line.as_str().parse().ok()).unwrap_or(0);
    Some((file.to_owned(), line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_whoever_names_it() {
        let output = "quux: not ready\n  at src/user.py:3, lib/a-b.rs:12\nhttp://127.0.0.1:80 10:20:30 v1.2:3\n";
        assert_eq!(mentioned(output), [("src/user.py".to_owned(), 3), ("lib/a-b.rs".to_owned(), 12)]);
        assert_eq!(places(output), []);
    }

    #[test]
    fn every_error_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "error"));
        let examples = toml_lists::tables(LIST, "error", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (error, (hits, misses)) in ALL.iter().zip(examples) {
            assert!(!hits.is_empty() && misses.len() >= 2, "{}", error.name);
            for hit in hits {
                let (line, expected) = hit.split_once(" => ").unwrap();
                let found = Some(line).filter(|line| error.fits(line)).and_then(|line| error.pattern.captures(line));
                let told = found.map(|captures| {
                    let message = captures.name("message").map_or("", |message| message.as_str());
                    let place =
                        place(&captures).map(|(file, line)| if line == 0 { file } else { format!("{file}:{line}") });
                    format!("{message} @ {}", place.unwrap_or_default())
                });
                if told.as_deref() != Some(expected) {
                    wrong.push(format!("{}: {line}: {told:?}", error.name));
                }
            }
            wrong.extend(
                misses.iter().filter(|line| error.fits(line)).map(|line| format!("{}: miss {line}", error.name)),
            );
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
