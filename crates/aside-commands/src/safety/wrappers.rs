//! Finds what a command runs that it gets in words or on its standard input. Which commands do that is data; `find`, `tar`, git aliases and
//! code of other languages are handled in code.

pub mod forms;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use shell_line::{Dialect, Word};

use crate::safety::code;
use crate::safety::database_clients;
use crate::safety::nested_commands::{NestedCommand, RunsWhere, is_flag};
use crate::safety::rules::has_flag;
use crate::safety::startup;
use crate::safety::toml_table;
use crate::safety::variables::Scope;
use crate::safety::wrappers::forms::{Form, matches, variable_scripts};

/// Something that a command would run.
pub enum InnerCommand {
    /// These words are a command, after `head`, which is elsewhere. `more`: it gets further words that the line does not show.
    Command { head: Option<Word>, words: Range<usize>, place: RunsWhere, more: bool },
    /// These words are a script or a module with its arguments, after its interpreter.
    Module { words: Range<usize> },
    /// A shell reads these words, joined by blanks. Without a dialect, it is the one that reads the line. The arguments are `$0` and the
    /// following.
    Script { words: Range<usize>, place: RunsWhere, dialect: Option<Dialect>, arguments: Range<usize> },
    /// A shell reads this text, which is from this word.
    Text { text: String, word: usize, dialect: Option<Dialect>, place: RunsWhere },
}

/// Directories that a container mounts.
const MAX_MOUNTS: usize = 8;

/// The table of wrappers.
const TABLE: &str = include_str!("../../data/safety/wrappers.toml");

#[derive(Debug, Default)]
struct Wrapper {
    /// Words that have to follow the name: `exec`.
    sub: Vec<String>,
    /// Flags that take the next word.
    values: Vec<String>,
    /// Flags that take the next two.
    pairs: Vec<String>,
    /// Flags with which nothing is run.
    stops: Vec<String>,
    /// Flags whose value is a script.
    scripts: Vec<String>,
    /// Flags whose value is a script in the same word: `-Orm`.
    glued: Vec<String>,
    /// Flags whose value is the program that gets the other words.
    entry: Vec<String>,
    /// Settings whose value is a script.
    settings: Vec<String>,
    /// Where settings stand: flags before `NAME=value`, `=` for a word by itself, words after which it is two.
    assigned: Vec<String>,
    /// Words that begin with this carry a script.
    begins: Vec<String>,
    /// How its scripts are spelled.
    form: Form,
    /// Flags count only before the first other word.
    leading: bool,
    /// After this word, a further command for the same program begins.
    between: Option<String>,
    /// What the words after the flags are.
    rest: Rest,
    /// Number of words before the command that are not flags.
    skip: usize,
    /// `NAME=value` may precede the command.
    assigns: bool,
    /// The command begins after this word; without it there is none.
    after: Option<String>,
    /// The command ends before a word that begins with this.
    until: Option<String>,
    /// Without a command, it reads commands from its standard input.
    stdin: bool,
    place: Option<RunsWhere>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rest {
    /// They run nothing.
    #[default]
    Nothing,
    Command,
    /// All of them, as one.
    Script,
    /// The first alone.
    First,
    /// Each by itself.
    Each,
    /// They are keys that are typed somewhere.
    Keys,
}

/// By name; a command may have several entries, told apart by what follows.
static WRAPPERS: LazyLock<HashMap<String, Vec<Wrapper>>> = LazyLock::new(|| read(TABLE));

fn read(table: &str) -> HashMap<String, Vec<Wrapper>> {
    let mut wrappers: HashMap<String, Vec<Wrapper>> = HashMap::new();
    for row in toml_table::rows(table, "wrapper") {
        for command in row.list("command") {
            let mut names = command.split(' ').map(str::to_owned);
            let Some(name) = names.next() else { continue };
            wrappers.entry(name).or_default().push(Wrapper {
                sub: names.collect(),
                values: row.list("values"),
                pairs: row.list("pairs"),
                stops: row.list("stops"),
                scripts: row.list("scripts"),
                glued: row.list("glued"),
                entry: row.list("entry"),
                settings: row.list("settings"),
                assigned: row.list("assigned"),
                begins: row.list("begins"),
                form: Form::of(row.text("form").as_deref()),
                leading: row.is("leading"),
                between: row.text("between"),
                rest: match row.text("rest").as_deref() {
                    Some("command") => Rest::Command,
                    Some("script") => Rest::Script,
                    Some("first") => Rest::First,
                    Some("each") => Rest::Each,
                    Some("keys") => Rest::Keys,
                    _ => Rest::Nothing,
                },
                skip: row.number("skip").unwrap_or_default(),
                assigns: row.is("assigns"),
                after: row.text("after"),
                until: row.text("until"),
                stdin: row.is("stdin"),
                place: row.text("place").map(|_| RunsWhere::Elsewhere),
            });
        }
    }
    wrappers
}

/// Everything that the command runs, in the order of its words.
pub fn inner_commands(run: &NestedCommand) -> Vec<InnerCommand> {
    let mut found = given_commands(run);
    let texts = code::shell_texts(run).into_iter().chain(database_clients::shell_texts(run));
    found.extend(texts.map(|(text, word)| InnerCommand::Text {
        text,
        word,
        dialect: Some(Dialect::Bash),
        place: RunsWhere::Here,
    }));
    if run.name() == "alias" {
        found.extend(aliases(run));
    }
    found
}

/// What everyday commands would do from now on: `alias ls='rm x'`, fish's `alias ls 'rm x'`.
fn aliases(run: &NestedCommand) -> Vec<InnerCommand> {
    let pairs = run.words.windows(2).enumerate().skip(1);
    let glued = run.words.iter().enumerate().filter_map(|(at, word)| Some((at, word.value.split_once('=')?)));
    let apart = pairs.map(|(at, pair)| (at + 1, (pair[0].value.as_str(), pair[1].value.as_str())));
    let all = glued.chain(apart).filter(|(_, (name, _))| startup::is_everyday(name));
    let text =
        |text: &str, word| InnerCommand::Text { text: text.to_owned(), word, dialect: None, place: RunsWhere::Here };
    all.map(|(word, (_, value))| text(value, word)).collect()
}

/// What it gets as a command or as a script.
pub fn given_commands(run: &NestedCommand) -> Vec<InnerCommand> {
    let name = run.name();
    match name {
        "find" => return after_flags(run, &["-exec", "-execdir", "-ok", "-okdir"]),
        "fd" | "fdfind" => return after_flags(run, &["-x", "-X", "--exec", "--exec-batch"]),
        _ => {}
    }
    let mut found = Vec::new();
    for wrapper in wrappers(name) {
        wrapper.unwrap(run, &mut found);
    }
    if found.is_empty() {
        found.extend(script_file(run));
    }
    found
}

/// `php artisan migrate`, `java -jar x.jar`, `python -m pip`: the words after the interpreter are another command.
fn script_file(run: &NestedCommand) -> Option<InnerCommand> {
    let name = run.name();
    const RUN_FILES: [&str; 13] = [
        "python", "pypy", "perl", "ruby", "node", "php", "lua", "luajit", "Rscript", "julia", "tclsh", "expect", "java",
    ];
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if !is_shell(name) && !RUN_FILES.contains(&bare) {
        return None;
    }
    let mut at = 1;
    while let Some(word) = run.words.get(at).map(|word| word.value.as_str()) {
        match word {
            "-m" if name.starts_with("python") => return inner_command(run, at + 1),
            "-jar" => return inner_command(run, at + 1),
            // Only checked, or not a file at all.
            "-n" | "-c" | "--check" | "-l" | "-e" | "-p" | "--eval" | "--print" | "-s" | "-" | "-r" => return None,
            // `perl -ne CODE`
            flag if matches!(bare, "perl" | "ruby") && is_flag(flag) && flag.ends_with(['e', 'E']) => return None,
            "-W" | "-X" | "-I" | "-cp" | "-classpath" | "-o" | "-O" | "-d" => at += 2,
            flag if is_flag(flag) => at += 1,
            _ if name == "java" => return None,
            _ => return inner_command(run, at),
        }
    }
    None
}

fn inner_command(run: &NestedCommand, at: usize) -> Option<InnerCommand> {
    // A bare word may be named like a command without being one.
    const BARE: [&str; 8] = ["artisan", "ace", "yii", "craft", "occ", "spark", "flarum", "console"];
    let module = run.words.get(at.checked_sub(1)?).is_some_and(|word| word.value == "-m");
    let plain = run.words.get(at).is_some_and(|word| {
        let named = word.value.contains(['/', '.']) || module || BARE.contains(&word.value.as_str());
        word.fixed && named && !word.value.starts_with("/dev/")
    });
    plain.then_some(InnerCommand::Module { words: at..run.words.len() })
}

fn wrappers(name: &str) -> &'static [Wrapper] {
    WRAPPERS.get(name).map(Vec::as_slice).unwrap_or_default()
}

/// Whether a shell reads commands from standard input: it has no script and no file.
pub fn reads_commands(run: &NestedCommand) -> bool {
    if !is_shell(run.name()) {
        let first = run.arguments().first().map(|word| word.value.as_str());
        return match run.name() {
            "source" | "." => {
                matches!(first, Some("/dev/stdin" | "/dev/fd/0")) || first.is_none() && run.dialect == Dialect::Fish
            }
            _ => false,
        };
    }
    let mut arguments = run.arguments().iter().map(|word| word.value.as_str());
    loop {
        match arguments.next() {
            None | Some("-") => return true,
            Some("-n") => return false,
            Some("-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") => drop(arguments.next()),
            Some("-s") => return true,
            Some(flag) if flag.starts_with("--") => {}
            Some(flag) if is_flag(flag) && flag.contains('c') => return false,
            Some(flag) if is_flag(flag) && flag.contains('s') => return true,
            Some(flag) if is_flag(flag) => {}
            Some(file) => return matches!(file, "/dev/stdin" | "/dev/fd/0"),
        }
    }
}

/// Something other than a shell that reads commands from standard input: `at`, `crontab -`, `ssh host`.
pub fn takes_commands(run: &NestedCommand) -> bool {
    match run.name() {
        "crontab" => run.arguments().last().is_none_or(|word| word.value == "-"),
        "make" | "gmake" => {
            let files = &["-f", "--file", "--makefile"];
            has_pair(run.arguments(), files, "-") || has_pair(run.arguments(), files, "/dev/stdin")
        }
        "sudo" | "doas" => {
            has_flag(run.arguments(), &["-s", "-i", "--shell", "--login"]) && given_commands(run).is_empty()
        }
        name => {
            let is_text = |inner: &InnerCommand| matches!(inner, InnerCommand::Text { .. });
            wrappers(name).iter().any(|wrapper| wrapper.stdin) && given_commands(run).iter().all(is_text)
        }
    }
}

fn has_pair(arguments: &[Word], flags: &[&str], value: &str) -> bool {
    arguments.windows(2).any(|pair| flags.contains(&pair[0].value.as_str()) && pair[1].value == value)
        || arguments.iter().any(|word| flags.iter().any(|flag| word.value.strip_prefix(flag) == Some(value)))
}

/// Whether it reads a given file as code or statements.
pub fn reads_files(run: &NestedCommand) -> bool {
    database_clients::is_client(run.name()) || code::is_interpreter(run.name())
}

/// The commands on its standard input.
pub fn fed_commands(run: &NestedCommand) -> String {
    let text = run.fed.join("\n");
    match run.name() {
        "crontab" => text.lines().filter_map(scheduled).collect::<Vec<_>>().join("\n"),
        "make" | "gmake" => recipes(&text),
        // `dc <<< '!ls'`
        name if wrappers(name).iter().any(|wrapper| wrapper.stdin && wrapper.form == Form::Bang) => {
            text.lines().filter_map(|line| line.trim_start().strip_prefix('!')).collect::<Vec<_>>().join("\n")
        }
        _ => text,
    }
}

/// The commands of a makefile.
pub fn recipes(text: &str) -> String {
    let recipes =
        text.lines().filter_map(|line| line.strip_prefix('\t').or(line.split_once(';').map(|(_, rest)| rest)));
    recipes.map(|line| line.trim_start_matches(['@', '-', '+'])).collect::<Vec<_>>().join("\n")
}

/// The command of a crontab line.
fn scheduled(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if line.starts_with('@') {
        return line.split_once(char::is_whitespace).map(|(_, rest)| rest);
    }
    let mut rest = line;
    for _ in 0..5 {
        let (field, behind) = rest.split_once(char::is_whitespace)?;
        if !field.starts_with(|letter: char| letter.is_ascii_digit() || letter == '*') {
            return None;
        }
        rest = behind.trim_start();
    }
    Some(rest)
}

pub fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "zsh" | "fish" | "dash" | "ksh" | "mksh" | "ash" | "tcsh" | "csh" | "rbash")
}

/// A container that is removed after its command and shares nothing with the machine.
pub fn is_discarded(run: &NestedCommand) -> bool {
    let words: Vec<&str> = run.arguments().iter().map(|word| word.value.as_str()).collect();
    // The services of compose mount what its file says.
    let container = matches!(run.name(), "docker" | "podman" | "nerdctl")
        && words.contains(&"run")
        && words.contains(&"--rm")
        && !words.contains(&"compose");
    let shares = |word: &&str| {
        let long = word.split_once('=').map_or(*word, |(flag, _)| flag);
        matches!(
            long,
            "--volume"
                | "--mount"
                | "--volumes-from"
                | "--privileged"
                | "--pid"
                | "--device"
                | "--cap-add"
                | "--network"
                | "--net"
        ) || word.starts_with("-v")
    };
    container && !words.iter().any(shares)
}

/// A container's mounts, as pairs of the path inside and the path outside: `-v /:/host`.
pub fn mounts(run: &NestedCommand) -> Vec<(String, String)> {
    let is_container = matches!(run.name(), "docker" | "podman" | "nerdctl");
    if !is_container || !run.arguments().iter().any(|word| matches!(word.value.as_str(), "run" | "create")) {
        return Vec::new();
    }
    let mut mounts = Vec::new();
    let mut words = run.arguments().iter().map(|word| word.value.as_str()).peekable();
    while let Some(word) = words.next() {
        let value = match word {
            "-v" | "--volume" | "--mount" => words.peek().copied(),
            word => ["--volume=", "--mount=", "-v"].iter().find_map(|flag| word.strip_prefix(flag)),
        };
        let Some(value) = value.filter(|_| mounts.len() < MAX_MOUNTS) else { continue };
        let part = |names: [&str; 3]| {
            let mut parts = value.split(',').filter_map(|part| part.split_once('='));
            parts.find(|(name, _)| names.contains(name)).map(|(_, path)| path)
        };
        let bound = part(["source", "src", ""]).zip(part(["target", "destination", "dst"]));
        let mut plain = value.split(':');
        if let Some((outside, inside)) = bound.or_else(|| plain.next().zip(plain.next()))
            && inside.starts_with('/')
            && inside.len() > 1
        {
            mounts.push((inside.trim_end_matches('/').to_owned(), outside.trim_end_matches('/').to_owned()));
        }
    }
    mounts
}

/// The value of a git alias, and the index of the first word after it.
pub fn git_alias(run: &NestedCommand, scope: &Scope) -> Option<(Arc<str>, usize)> {
    if run.name() != "git" || scope.calling.iter().any(|calling| calling == "git") {
        return None;
    }
    let mut given: Option<(&str, &str)> = None;
    let mut at = 1;
    while let Some(word) = run.words.get(at).map(|word| word.value.as_str()) {
        match word {
            "-c" => {
                let setting = run.words.get(at + 1).and_then(|word| word.value.split_once('='));
                given = setting.and_then(|(key, value)| Some((key.strip_prefix("alias.")?, value))).or(given);
                at += 2;
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => at += 2,
            flag if is_flag(flag) => at += 1,
            name => {
                let here = given.filter(|(alias, _)| *alias == name).map(|(_, text)| Arc::from(text));
                return here.or_else(|| scope.git_alias(name)).map(|text| (text, at + 1));
            }
        }
    }
    None
}

/// `git config alias.x TEXT`
pub fn sets_git_alias(run: &NestedCommand) -> Option<(String, String)> {
    let mut words = run.arguments().iter().map(|word| word.value.as_str()).filter(|word| !is_flag(word));
    words.find(|word| *word == "config")?;
    let name = words.find_map(|word| word.strip_prefix("alias."))?;
    Some((name.to_owned(), words.next()?.to_owned()))
}

/// `find … -exec COMMAND ;`
fn after_flags(run: &NestedCommand, flags: &[&str]) -> Vec<InnerCommand> {
    let mut found = Vec::new();
    let mut words = run.words.iter().enumerate();
    while let Some((number, word)) = words.next() {
        if !flags.contains(&word.value.as_str()) {
            continue;
        }
        let ends = |word: &Word| word.value == ";" || word.value == "+";
        let end = words.by_ref().find(|(_, word)| ends(word)).map_or(run.words.len(), |(end, _)| end);
        found.push(InnerCommand::Command { head: None, words: number + 1..end, place: RunsWhere::Here, more: false });
    }
    found
}

/// Where one wrapper's command is read.
struct Place {
    runs: RunsWhere,
    dialect: Option<Dialect>,
    /// The program that gets the other words.
    head: Option<Word>,
}

impl Wrapper {
    fn unwrap(&self, run: &NestedCommand, found: &mut Vec<InnerCommand>) {
        let words = &run.words;
        let runs = self.place.unwrap_or(RunsWhere::Here);
        let dialect = is_shell(run.name()).then(|| Dialect::of(run.name())).or(self.place.map(|_| Dialect::Bash));
        let mut place = Place { runs, dialect, head: None };
        let Some(mut at) = self.behind_sub(words) else { return };
        self.settings(run, at, found);
        if has_flag(words.iter().skip(at), &self.stops) && self.rest != Rest::Command {
            return;
        }
        let value = |at: usize| words.get(at).map(|word| word.value.as_str());
        if let Some(after) = &self.after {
            let Some(place_of) = words.iter().skip(at).position(|word| word.value == *after) else { return };
            let from = at + place_of + 1;
            return self.rest(run, from, place, found);
        }
        let mut skip = self.skip;
        while let Some(word) = value(at) {
            if word == "--" {
                at += 1;
                if skip == 0 {
                    break;
                }
            } else if is_flag(word) {
                if self.stops.iter().any(|stop| stop == word) {
                    return;
                }
                let Some(length) = self.flag(run, at, &mut place, found) else { return };
                at += length;
            } else if self.assigns && is_assignment(word) {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                texts(variable_scripts(name, value), at, found);
                at += 1;
            } else if skip > 0 {
                skip -= 1;
                at += 1;
                // The command follows the host or the time limit, unless only flags matter.
                let goes_on = value(at).is_some_and(|next| is_flag(next) && self.takes_value(next));
                if skip == 0 && self.rest != Rest::Nothing && !self.has_script(words.get(at)) && !goes_on {
                    break;
                }
            } else if self.rest == Rest::Nothing {
                if is_shell(run.name()) || self.leading {
                    return;
                }
                at += 1;
            } else {
                break;
            }
        }
        if skip == 0 {
            self.rest(run, at, place, found);
        }
    }

    /// Where the words after the subcommand begin, if it is this one.
    fn behind_sub(&self, words: &[Word]) -> Option<usize> {
        let value = |at: usize| words.get(at).map(|word| word.value.as_str());
        let mut at = 1;
        for sub in &self.sub {
            // Flags of the command itself may precede it.
            while let Some(flag) = value(at).filter(|word| is_flag(word) && word != sub) {
                at += if self.takes_value(flag) { 2 } else { 1 };
            }
            if value(at) != Some(sub) {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Adds what a flag runs; returns the number of words that it takes, none where a shell's arguments follow.
    fn flag(&self, run: &NestedCommand, at: usize, place: &mut Place, found: &mut Vec<InnerCommand>) -> Option<usize> {
        let words = &run.words;
        let word = words.get(at)?;
        let flag = word.value.as_str();
        if let Some(long) = self.entry.iter().find_map(|entry| flag.strip_prefix(entry.as_str())) {
            let glued = long.strip_prefix('=').map(|value| Word { value: value.to_owned(), ..word.clone() });
            if let Some(head) = glued.clone().or_else(|| words.get(at + 1).filter(|_| long.is_empty()).cloned()) {
                // Compose takes a line or a list.
                if head.value.contains([' ', '[']) {
                    let text = head.value.replace(['[', ']', '"', ','], " ").trim().to_owned();
                    let (place, dialect) = (place.runs, place.dialect);
                    found.push(InnerCommand::Text { text, word: at, dialect, place });
                } else {
                    place.head = Some(head);
                }
                return Some(if glued.is_some() { 1 } else { 2 });
            }
        }
        let Some(script) = self.script_in(flag) else {
            return Some(match flag {
                flag if self.pairs.iter().any(|pair| pair == flag) => 3,
                flag if self.takes_value(flag) => 2,
                _ => 1,
            });
        };
        let shell = is_shell(run.name());
        let length = if script.is_none() { 2 } else { 1 };
        match script {
            None if self.form == Form::Shell => {
                let words = at + 1..(at + 2).min(words.len());
                let arguments = if shell { words.end..run.words.len() } else { 0..0 };
                let (place, dialect) = (place.runs, place.dialect);
                found.push(InnerCommand::Script { words, place, dialect, arguments });
            }
            None => {
                let value = words.get(at + 1).map_or("", |word| word.value.as_str());
                texts(self.form.scripts(value), at + 1, found);
            }
            Some(text) => {
                // `--checkpoint-action=exec=…`
                let text = text.strip_prefix("exec=").unwrap_or(text);
                let (place, dialect) = (place.runs, place.dialect);
                let scripts = self.form.scripts(text).into_iter();
                found.extend(scripts.map(|text| InnerCommand::Text { text, word: at, dialect, place }));
            }
        }
        // Its arguments follow, or more flags.
        (!shell).then_some(length)
    }

    /// Adds the settings in the words, `git -c core.pager=…`, and the words that are scripts by their beginning.
    fn settings(&self, run: &NestedCommand, from: usize, found: &mut Vec<InnerCommand>) {
        if self.settings.is_empty() && self.begins.is_empty() && self.between.is_none() {
            return;
        }
        let known = |name: &str| self.settings.iter().any(|setting| matches(setting, name));
        let glued = |text: &str| {
            // `ssh -o 'ProxyCommand …'`
            let (name, value) = text.split_once(['=', ' '])?;
            let (name, value) = (name.trim_end_matches([':', '+']), value.trim_start_matches(['=', ' ']));
            known(name).then(|| value.to_owned())
        };
        // Words after which a setting is two words: `git config core.pager …`
        let mut apart = false;
        for (at, word) in run.words.iter().enumerate().skip(from) {
            let value = word.value.as_str();
            let next = run.words.get(at + 1).map(|next| next.value.as_str());
            for assigned in &self.assigned {
                match value.strip_prefix(assigned.as_str()) {
                    _ if assigned == "=" => {
                        texts(glued(value).iter().flat_map(|one| self.form.scripts(one)), at, found)
                    }
                    Some("") if is_flag(assigned) => {
                        let value = next.and_then(glued);
                        texts(value.iter().flat_map(|one| self.form.scripts(one)), at + 1, found);
                        // `set -gx PAGER …` of fish
                        let behind = run.words.get(at + 2).filter(|_| next.is_some_and(known));
                        texts(behind.iter().flat_map(|one| self.form.scripts(&one.value)), at + 2, found);
                    }
                    Some("") => apart = true,
                    Some(rest) if is_flag(assigned) => {
                        let value = glued(rest.trim_start_matches('='));
                        texts(value.iter().flat_map(|one| self.form.scripts(one)), at, found);
                    }
                    _ => {}
                }
            }
            if apart && known(value) {
                texts(next.into_iter().flat_map(|next| self.form.scripts(next)), at + 1, found);
            }
            let begins = self.begins.iter().find_map(|begin| {
                let rest = value.get(begin.len()..)?;
                value.get(..begin.len()).filter(|here| here.eq_ignore_ascii_case(begin)).map(|_| rest)
            });
            texts(begins.into_iter().flat_map(|rest| self.form.scripts(rest)), at, found);
            if self.between.as_deref() == Some(value) {
                let head = run.words.first().cloned();
                let words = at + 1..run.words.len();
                found.push(InnerCommand::Command { head, words, place: RunsWhere::Here, more: false });
                return;
            }
        }
    }

    fn has_script(&self, word: Option<&Word>) -> bool {
        word.is_some_and(|word| is_flag(&word.value) && self.script_in(&word.value).is_some())
    }

    fn rest(&self, run: &NestedCommand, from: usize, place: Place, found: &mut Vec<InnerCommand>) {
        let Place { runs: place, dialect, head } = place;
        let rest = run.words.get(from..).unwrap_or_default();
        let ends = |word: &Word| self.until.as_ref().is_some_and(|until| word.value.starts_with(until));
        let end = from + rest.iter().position(ends).unwrap_or(rest.len());
        let from = if rest.first().is_some_and(|word| word.value == "--") { from + 1 } else { from };
        let lists = self.until.as_deref() == Some(":::") && end + 1 < run.words.len();
        if from >= end && head.is_none() {
            // `parallel ::: 'rm a' 'rm b'`
            let values = (end + 1..run.words.len()).filter(|_| lists);
            found.extend(values.map(|at| InnerCommand::Script { words: at..at + 1, place, dialect, arguments: 0..0 }));
            return;
        }
        let arguments = 0..0;
        let text = |words: &[Word]| words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
        match (self.rest, &self.form) {
            (Rest::Nothing, _) => {}
            (Rest::Command, form) => {
                let given = run.words.get(..from).unwrap_or_default();
                let replaces = |word: &Word| word.value.starts_with("-I") || word.value.starts_with("--replace");
                let more = run.name() == "xargs" && !given.iter().any(replaces);
                let program = match form {
                    Form::Of(_) => run.words.first().cloned(),
                    _ => None,
                };
                found.push(InnerCommand::Command { head: head.or(program), words: from..end.max(from), place, more });
            }
            // `parallel rm {} ::: a b`
            (Rest::Script, Form::Shell) if lists => {
                let command = text(run.words.get(from..end).unwrap_or_default());
                let values = text(run.words.get(end + 1..).unwrap_or_default());
                let text = match command.contains("{}") {
                    true => command.replace("{}", &values),
                    false => format!("{command} {values}"),
                };
                found.push(InnerCommand::Text { text, word: from, dialect, place });
            }
            (Rest::Script, Form::Shell) => {
                found.push(InnerCommand::Script { words: from..end, place, dialect, arguments });
            }
            (Rest::Script, form) => {
                texts(form.scripts(&text(run.words.get(from..end).unwrap_or_default())), from, found);
            }
            (Rest::First, _) => {
                found.push(InnerCommand::Script { words: from..from + 1, place, dialect, arguments });
            }
            (Rest::Each, form) => {
                let mut at = from;
                while let Some(word) = run.words.get(at).filter(|_| at < end) {
                    if !is_flag(&word.value) && *form == Form::Shell {
                        let arguments = 0..0;
                        found.push(InnerCommand::Script { words: at..at + 1, place, dialect, arguments });
                    } else if !is_flag(&word.value) {
                        texts(form.scripts(&word.value), at, found);
                    }
                    at += if self.takes_value(&word.value) { 2 } else { 1 };
                }
            }
            (Rest::Keys, _) => {
                let keys = run.words.get(from..end).unwrap_or_default().iter().map(|word| word.value.as_str());
                let text = keys.map(|key| if is_key(key) { "\n" } else { key }).collect::<Vec<_>>().join(" ");
                found.push(InnerCommand::Text { text, word: from, dialect, place: RunsWhere::Elsewhere });
            }
        }
    }

    /// Whether the flag takes the word after it: `-n` of `-n 5` and of `-0n 5`, not of `-n5`.
    fn takes_value(&self, flag: &str) -> bool {
        let known = |flag: &str| self.values.iter().any(|value| value == flag);
        if known(flag) {
            return true;
        }
        let Some(letters) = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else { return false };
        let mut letters = letters.chars();
        let last = letters.next_back();
        let glued = letters.any(|letter| known(&format!("-{letter}")));
        !glued && last.is_some_and(|letter| known(&format!("-{letter}")))
    }

    /// Whether the flag has a script: in the next word, or in this one.
    fn script_in<'w>(&self, flag: &'w str) -> Option<Option<&'w str>> {
        for script in &self.scripts {
            let Some(rest) = flag.strip_prefix(script.as_str()) else { continue };
            if rest.is_empty() {
                return Some(None);
            }
            if let Some(text) = rest.strip_prefix('=') {
                return Some(Some(text));
            }
            // `-c'rm x'`
            if script.len() == 2 && rest.contains(' ') {
                return Some(Some(rest));
            }
        }
        let glued = self.glued.iter().find_map(|glued| flag.strip_prefix(glued.as_str()));
        if let Some(text) = glued.filter(|text| !text.is_empty()) {
            return Some(Some(text.trim_start_matches('=')));
        }
        let letters =
            flag.strip_prefix('-').filter(|letters| letters.bytes().all(|letter| letter.is_ascii_alphabetic()))?;
        let last = letters.chars().next_back()?;
        let inside = |letter: char| self.scripts.iter().any(|script| *script == format!("-{letter}"));
        // `-lc`, and `-cl` too: shells find the letter anywhere.
        (inside(last) || letters.len() < 5 && letters.chars().any(inside)).then_some(None)
    }
}

/// Adds scripts from this word that run here.
fn texts(scripts: impl IntoIterator<Item = String>, word: usize, found: &mut Vec<InnerCommand>) {
    let dialect = Some(Dialect::Bash);
    let text = |text: String| InnerCommand::Text { text, word, dialect, place: RunsWhere::Here };
    found.extend(scripts.into_iter().map(text));
}

/// The name of a key rather than a text.
fn is_key(word: &str) -> bool {
    matches!(
        word,
        "Enter" | "C-m" | "C-c" | "C-d" | "C-u" | "C-l" | "C-j" | "Escape" | "Tab" | "KPEnter" | "q" | "Return"
    )
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::{self, Harm};

    #[test]
    fn every_wrapper_finds_what_it_runs() {
        toml_table::tests::is_read_whole(TABLE);
        let table: toml_edit::DocumentMut = TABLE.parse().unwrap();
        let rows = ["wrapper", "variable"].into_iter().flat_map(|name| table[name].as_array_of_tables().unwrap());
        let mut count = 0;
        let mut wrong = Vec::new();
        for row in rows {
            let list = |key: &str| -> Vec<String> {
                let list = row.get(key).and_then(|list| list.as_array()).into_iter().flatten();
                list.map(|item| item.as_str().unwrap().to_owned()).collect()
            };
            let finds = |line: &str| {
                let dangers = safety::dangers(line, Dialect::Bash);
                dangers.iter().any(|danger| matches!(danger.harm, Harm::DeletesFiles | Harm::RunsUnseen))
            };
            assert!(!list("hits").is_empty(), "{row}");
            for hit in list("hits") {
                count += 1;
                if !finds(&hit) {
                    wrong.push(hit);
                }
            }
            for miss in list("misses") {
                count += 1;
                if finds(&miss) {
                    wrong.push(miss);
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert!(count > 80, "{count}");
    }
}
