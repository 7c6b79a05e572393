//! Which flags and subcommands a command line uses, and whether the specs know them. Words that cannot be told from arguments count
//! as neither.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use aside_commands::spec::format::Spec;
use aside_commands::spec::kind::ArgKind;
use aside_commands::spec::walk::{SpecEnd, SpecWalk, SpecWord, WalkStep};
use shell_line::{self as line, Dialect, Word};

use crate::library::Library;

/// Stands for a placeholder in an example. Looks like a path, so that it is not taken for a name.
const BLANK: &str = "/blank/";
/// Nested commands: `sudo env nice …`.
const MAX_DEPTH: usize = 8;

/// A flag or a subcommand in an example.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    pub command: String,
    /// The subcommands before it.
    pub path: String,
    pub word: String,
    pub known: bool,
}

/// What an example uses.
#[derive(Debug, Default)]
pub struct Uses {
    /// The names of the commands in it.
    pub commands: BTreeSet<String>,
    pub uses: BTreeSet<Use>,
    /// The first plain word after a command without a spec: a subcommand, if there are many of them.
    pub firsts: BTreeSet<(String, String)>,
}

/// Everything that a line of a collection uses, with every alternative that it gives.
pub fn of(example: &str, library: &Library) -> Uses {
    let mut uses = Uses::default();
    for text in spellings(example) {
        let parsed = line::parse(&text, Dialect::Bash);
        for command in &parsed.commands {
            uses.command(&command.words, library, 0);
        }
    }
    uses
}

/// `{{[-a|--all]}}` has two alternatives, `{{file}}` is a placeholder.
fn spellings(example: &str) -> BTreeSet<String> {
    [false, true].into_iter().map(|last| spelling(example, last)).collect()
}

fn spelling(example: &str, last: bool) -> String {
    let mut text = String::new();
    let mut rest = example;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        // `{{{a}}}` ends with the last of its braces.
        let Some(end) = after.find("}}").map(|end| if after[end + 2..].starts_with('}') { end + 1 } else { end })
        else {
            rest = after;
            break;
        };
        let (inner, after) = (&after[..end], &after[end + 2..]);
        let choices: Vec<&str> = inner.trim_matches(['[', ']']).split('|').collect();
        let named = choices.len() > 1 && choices.iter().all(|choice| is_spelling(choice));
        let choice = if last { choices[choices.len() - 1] } else { choices[0] };
        text.push_str(if named { choice } else { BLANK });
        rest = after;
    }
    text.push_str(rest);
    text
}

fn is_spelling(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A word that may be the name of a subcommand.
fn is_plain(word: &Word) -> bool {
    word.fixed
        && word.value.len() > 1
        && word.value.starts_with(|letter: char| letter.is_ascii_lowercase())
        && word.value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The name of a flag as given, without a value in the same word.
fn flag_name(word: &str) -> Option<&str> {
    let name = if word.starts_with("--") { word.split('=').next().unwrap_or(word) } else { word };
    // `-10` is a number, `-{{x}}` and `-$lines` are unknown.
    let number = name[1..].bytes().all(|byte| byte.is_ascii_digit());
    let odd = !name.bytes().all(|byte| byte.is_ascii_graphic()) || name.contains(BLANK) || name.contains('$');
    (name.len() > 1 && name != "--" && !number && !odd).then_some(name)
}

impl Uses {
    fn command(&mut self, words: &[Word], library: &Library, depth: usize) {
        let Some(first) = words.first().filter(|first| first.fixed && depth < MAX_DEPTH) else { return };
        let name = first.value.rsplit('/').next().unwrap_or_default();
        if !name.starts_with(|letter: char| letter.is_ascii_alphanumeric()) || first.value.contains(BLANK) {
            return;
        }
        let name = library.name(name).to_owned();
        self.commands.insert(name.clone());
        match library.find(&name) {
            Some(spec) => self.by_spec(&name, Arc::clone(spec), words, library, depth),
            None => self.by_looks(&name, words),
        }
    }

    fn by_looks(&mut self, name: &str, words: &[Word]) {
        let words = || words.iter().skip(1).take_while(|word| word.value != "--");
        for word in words() {
            self.flag(name, "", &word.value, false);
        }
        if let Some(word) = words().find(|word| !word.value.starts_with('-')).filter(|word| is_plain(word)) {
            self.firsts.insert((name.to_owned(), word.value.clone()));
        }
    }

    fn by_spec(&mut self, name: &str, spec: Arc<Spec>, words: &[Word], library: &Library, depth: usize) {
        let mut walk = SpecWalk::begin(spec);
        let mut path = String::new();
        let mut number = 1;
        while let Some(word) = words.get(number) {
            let piece = SpecWord { value: Cow::Borrowed(&*word.value), fixed: word.fixed, word: Some(number) };
            let runs = walk.pending().and_then(|flag| flag.takes.as_ref()).is_some_and(|takes| takes.command);
            if runs {
                // `find -exec`: a nested command up to `;` or `+`, then the flags continue.
                let end = words[number..].iter().position(|word| matches!(&*word.value, ";" | "+"));
                let end = end.map_or(words.len(), |end| number + end);
                self.command(&words[number..end], library, depth + 1);
                walk = SpecWalk::begin(Arc::clone(walk.spec()));
                number = end + 1;
                continue;
            }
            let inside = walk.value_inside(&word.value).map(|(_, skip)| skip);
            let step = walk.go(number, &piece).clone();
            if let SpecEnd::Command(at) = walk.end() {
                return self.command(&words[at..], library, depth + 1);
            }
            match step {
                WalkStep::Subcommand => {
                    self.add(name, &path, &word.value, true);
                    if !path.is_empty() {
                        path.push(' ');
                    }
                    path.push_str(&word.value);
                }
                WalkStep::Flag => self.flag(name, &path, &word.value[..inside.unwrap_or(word.value.len())], true),
                WalkStep::Unknown if word.value.starts_with('-') => self.flag(name, &path, &word.value, false),
                WalkStep::Unknown => return self.lost(name, &path, &words[number..]),
                WalkStep::Argument(spec, at) => self.argument(name, &path, word, &spec, at),
                WalkStep::Dashes => return,
                WalkStep::Value | WalkStep::AfterDashes => {}
            }
            number += 1;
        }
    }

    /// An argument where the spec has none may be a missing subcommand.
    fn argument(&mut self, name: &str, path: &str, word: &Word, spec: &Spec, at: usize) {
        if !is_plain(word) || at > 0 {
            return;
        }
        let kinds = spec.args.at(at);
        let listed = |kind: &ArgKind| matches!(kind, ArgKind::List(list) if list.iter().any(|choice| *choice.value == word.value));
        if kinds.iter().any(listed) {
            self.add(name, path, &word.value, true);
        } else if spec.args.is_empty() {
            self.add(name, path, &word.value, false);
        }
    }

    /// After an unknown subcommand its flags are unknown too.
    fn lost(&mut self, name: &str, path: &str, words: &[Word]) {
        if !is_plain(&words[0]) {
            return;
        }
        self.add(name, path, &words[0].value, false);
        let path = format!("{path} {}", words[0].value);
        for word in words.iter().take_while(|word| word.value != "--") {
            self.flag(name, path.trim(), &word.value, false);
        }
    }

    fn flag(&mut self, name: &str, path: &str, word: &str, known: bool) {
        if (word.starts_with('-') || known)
            && let Some(flag) = flag_name(word)
        {
            self.add(name, path, flag.trim_end_matches('='), known);
        }
    }

    fn add(&mut self, command: &str, path: &str, word: &str, known: bool) {
        self.uses.insert(Use { command: command.into(), path: path.into(), word: word.into(), known });
    }
}
