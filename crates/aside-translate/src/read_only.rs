//! Decides by parsing whether a command only reads. A command that is not known to read may change something: files,
//! processes, services, a repository, settings. Stricter than `safety`, which names what cannot be undone, and separate
//! from what a task may run without asking (`task/gate`), which also depends on the place.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use aside_commands::safety::nested_commands::{NestedCommand, NestedCommands};
use aside_text::lazy_regex::Regex;
use shell_line::{Dialect, Redirect, Redirection};

const TABLE: &str = include_str!("../data/translate/read-only.rules");

/// Redirection targets that leave nothing behind.
const NOWHERE: [&str; 4] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/// Directories that a program's name may be typed with.
const SYSTEM: [&str; 6] = ["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
/// Programs of a project that are typed with their directory.
const OWN: [&str; 2] = ["./gradlew", "bin/rails"];
/// Searches that run a command only when told to.
const SEARCHES: [&str; 3] = ["find", "fd", "fdfind"];

/// Whether every command in the line, however wrapped, only reads.
pub fn is_read_only(command: &str, dialect: Dialect) -> bool {
    let NestedCommands { mut runs, open } = NestedCommands::of(command, dialect);
    // The table lists modules together with their interpreters.
    runs.retain(|run| !run.is_module);
    open.is_none() && !runs.is_empty() && runs.iter().enumerate().all(|(at, run)| reads(run, runs.get(at + 1)))
}

/// Judges one command. `next` is the following command of the line, which is the inner command if this one runs
/// another.
fn reads(run: &NestedCommand, next: Option<&NestedCommand>) -> bool {
    if run.redirections.iter().any(writes) {
        return false;
    }
    let words: Vec<&str> = run.words.iter().map(|word| word.value.as_str()).collect();
    let Some((typed, arguments)) = words.split_first() else { return false };
    let name = run.name();
    let is_elsewhere = typed.rsplit_once('/').is_some_and(|(directory, _)| !SYSTEM.contains(&directory));
    if is_elsewhere && !OWN.contains(typed) {
        return false;
    }
    let inner = inner(run, next);
    let fits = |entry: &Entry| {
        let body = entry.body();
        match (body.runs, inner) {
            // Flags behind the inner command's name belong to that command.
            // A search goes on behind what it runs: `find . -exec true {} \; -delete`.
            (true, Some(_)) if SEARCHES.contains(&name) => body.fits(&outside_of_runs(arguments)),
            (true, Some(own)) => body.fits(arguments.get(..own).unwrap_or_default()),
            (true, None) => SEARCHES.contains(&name) && body.fits(arguments),
            (false, _) => body.fits(arguments),
        }
    };
    let of = |name: &str| TABLE_BY_NAME.get(name).into_iter().flatten().any(fits);
    !name.is_empty() && (name == ":" || of(name) || of("*"))
}

/// The words of a search without those of the commands that it runs.
fn outside_of_runs<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    const RUNS: [&str; 8] = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    let mut outside = Vec::new();
    let mut is_inside = false;
    for word in arguments {
        is_inside |= RUNS.contains(word);
        if !is_inside {
            outside.push(*word);
        }
        is_inside &= !matches!(*word, ";" | "+");
    }
    outside
}

fn writes(redirection: &Redirection) -> bool {
    let to = redirection.target.as_ref().map_or("", |target| target.value.as_str());
    matches!(redirection.kind, Redirect::Write | Redirect::Append) && !NOWHERE.contains(&to)
}

/// How many arguments come before the inner command; `None` when there is no inner command.
fn inner(run: &NestedCommand, next: Option<&NestedCommand>) -> Option<usize> {
    let (outer, inner) = (run.span(), next?.span());
    let is_inner = outer.start < inner.start && inner.end <= outer.end;
    let before = run.arguments().iter().take_while(|word| word.span.end <= inner.start);
    // A quoted script begins inside a word.
    is_inner.then(|| before.count())
}

struct Entry {
    lines: &'static str,
    subs: &'static str,
    body: OnceLock<Body>,
}

/// Parsed lazily, when a command of that name is first judged: parsing the whole table would take longer than answering
/// a request.
#[derive(Default)]
struct Body {
    subs: Vec<Vec<&'static str>>,
    values: Vec<&'static str>,
    never: Vec<&'static str>,
    only: Option<Vec<&'static str>>,
    needs: Vec<&'static str>,
    most: Option<usize>,
    argument: Option<Pattern>,
    some: Option<Pattern>,
    refuse: Vec<Pattern>,
    whole: bool,
    runs: bool,
}

struct Pattern(Option<Regex>);

impl Pattern {
    /// An invalid pattern never matches, which decides against the command.
    fn is(&self, word: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_match(word))
    }

    fn refuses(&self, word: &str) -> bool {
        self.0.as_ref().is_none_or(|pattern| pattern.is_match(word))
    }
}

static TABLE_BY_NAME: LazyLock<HashMap<&str, Vec<Entry>>> = LazyLock::new(|| index(TABLE));

/// Where each program's entries are in the table.
fn index(table: &'static str) -> HashMap<&'static str, Vec<Entry>> {
    let mut entries: HashMap<&str, Vec<Entry>> = HashMap::new();
    for block in table.split("\n\n") {
        let mut rest = block;
        while !rest.is_empty() {
            let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
            rest = below;
            let Some((names, subs)) = line.split_once(':').filter(|_| !line.starts_with([' ', '#'])) else { continue };
            for name in names.split(' ') {
                entries.entry(name).or_default().push(Entry { lines: below, subs: subs.trim(), body: OnceLock::new() });
            }
            break;
        }
    }
    entries
}

impl Entry {
    fn body(&self) -> &Body {
        self.body.get_or_init(|| Body::read(self.subs, self.lines))
    }
}

impl Body {
    fn read(subs: &'static str, lines: &'static str) -> Self {
        let mut body = Self::default();
        let subs_of = |text: &'static str| {
            let subs = text.split(" | ").map(|sub| sub.split_whitespace().collect::<Vec<_>>());
            subs.filter(|sub| !sub.is_empty()).collect::<Vec<_>>()
        };
        body.subs = subs_of(subs);
        let whole = |pattern: &str| Pattern(Regex::new(&format!("^(?s:{pattern})$")).ok());
        for line in lines.lines() {
            let (key, value) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let list = || value.split(' ');
            match key {
                "sub" => body.subs.extend(subs_of(value)),
                "values" => body.values.extend(list()),
                "never" => body.never.extend(list()),
                "only" => body.only.get_or_insert_default().extend(list()),
                "needs" => body.needs.extend(list()),
                "most" => body.most = value.parse().ok().or(Some(0)),
                "argument" => body.argument = Some(whole(value)),
                "some" => body.some = Some(whole(value)),
                "refuse" => body.refuse.push(Pattern(Regex::new(value).ok())),
                "whole" => body.whole = true,
                "runs" => body.runs = true,
                _ => {}
            }
        }
        body
    }

    /// Whether the arguments match this entry.
    fn fits(&self, arguments: &[&str]) -> bool {
        let (flags, others) = self.sorted(arguments);
        let sub = self.subs.iter().filter(|sub| others.get(..sub.len()) == Some(sub.as_slice())).map(Vec::len).max();
        let Some(sub) = sub.or(self.subs.is_empty().then_some(0)) else { return false };
        let others = others.get(sub..).unwrap_or_default();
        let has = |known: &&str, flag: &str| self.is_flag(known, flag);
        !flags.iter().any(|flag| self.never.iter().any(|known| has(known, flag)))
            && self.only.as_ref().is_none_or(|only| flags.iter().all(|flag| self.is_only(only, flag)))
            && (self.needs.is_empty() || flags.iter().any(|flag| self.needs.iter().any(|known| has(known, flag))))
            && self.most.is_none_or(|most| others.len() <= most)
            && self.argument.as_ref().is_none_or(|pattern| others.iter().all(|word| pattern.is(word)))
            && self.some.as_ref().is_none_or(|pattern| others.iter().any(|word| pattern.is(word)))
            && !arguments.iter().any(|word| self.refuse.iter().any(|pattern| pattern.refuses(word)))
    }

    /// Splits arguments into flags and operands; values of flags are dropped.
    fn sorted<'w>(&self, arguments: &[&'w str]) -> (Vec<&'w str>, Vec<&'w str>) {
        let (mut flags, mut others) = (Vec::new(), Vec::new());
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if *word == "--" {
                others.extend(words.by_ref());
            } else if word.starts_with('-') && word.len() > 1 {
                flags.push(*word);
                if self.values.contains(word) {
                    words.next();
                }
            } else {
                others.push(*word);
            }
        }
        (flags, others)
    }

    fn is_flag(&self, known: &str, flag: &str) -> bool {
        let long = |known: &str| flag.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        if let Some(prefix) = known.strip_suffix('*') {
            return flag.starts_with(prefix);
        }
        long(known) || !self.whole && letter(known).is_some_and(|letter| letters(flag).contains(letter))
    }

    fn is_only(&self, only: &[&str], flag: &str) -> bool {
        let known = |known: &&str| self.is_flag_alone(known, flag);
        only.iter().any(known)
            || !self.whole
                && !letters(flag).is_empty()
                && letters(flag).chars().all(|one| only.iter().any(|known| letter(known) == Some(one)))
    }

    /// Like `is_flag`, but does not match a letter inside a cluster.
    fn is_flag_alone(&self, known: &str, flag: &str) -> bool {
        match known.strip_suffix('*') {
            Some(prefix) => flag.starts_with(prefix),
            None => flag.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')),
        }
    }
}

/// The letter of `-o`.
fn letter(flag: &str) -> Option<char> {
    let mut letters = flag.strip_prefix('-')?.chars();
    let first = letters.next().filter(|first| *first != '-')?;
    letters.next().is_none().then_some(first)
}

/// The letters of `-rnk`.
fn letters(flag: &str) -> &str {
    flag.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hit_only_reads_and_no_miss_does() {
        let (mut wrong, mut count) = (Vec::new(), 0);
        for line in TABLE.lines() {
            let (key, command) = line.trim().split_once(' ').unwrap_or_default();
            if line.starts_with("  hit ") || line.starts_with("  miss ") {
                count += 1;
                if is_read_only(command, Dialect::Zsh) != (key == "hit") {
                    wrong.push(line);
                }
            }
        }
        assert!(count > 300 && wrong.is_empty(), "{count}, wrong:\n{}", wrong.join("\n"));
    }

    #[test]
    fn every_pattern_and_word_of_the_table_makes_sense() {
        for (name, entries) in &*TABLE_BY_NAME {
            for entry in entries {
                let Body { argument, some, refuse, .. } = entry.body();
                let patterns = argument.iter().chain(some).chain(refuse);
                assert!(patterns.map(|pattern| &pattern.0).all(Option::is_some), "{name}: {}", entry.lines);
            }
        }
        const KEYS: &[&str] = &[
            "sub", "values", "never", "only", "needs", "most", "argument", "some", "refuse", "whole", "runs", "hit",
            "miss",
        ];
        for line in TABLE.lines().filter(|line| line.starts_with(' ')) {
            let key = line.trim().split(' ').next().unwrap_or_default();
            assert!(KEYS.contains(&key), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_read_to_its_end_is_not_said_to_read() {
        for command in [
            "",
            "ls '",
            "$x",
            "ls |",
            "$(echo rm) x",
            "unknown",
            "./ls",
            "ls\nrm x",
            "x=1",
            "for f in *; do rm $f; done",
        ] {
            assert!(!is_read_only(command, Dialect::Zsh), "{command}");
        }
        for command in ["for f in *; do echo $f; done", "/bin/ls", "if [ -f x ]; then cat x; fi", "LC_ALL=C ls"] {
            assert!(is_read_only(command, Dialect::Zsh), "{command}");
        }
    }
}
