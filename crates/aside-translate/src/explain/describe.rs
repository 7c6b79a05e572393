//! The wording for each piece of a command: what the program does, what a flag does, what an argument is.

use aside_commands::spec::kind::{ArgKind, FreeText};
use aside_commands::world::{self, LiveKind};
use shell_line::Dialect;

use crate::TranslateContext;
use crate::explain::dissect::{CommandSource, DissectedCommand, PartKind, Value};
use crate::explain::phrases::{self, Phrases};
use crate::explain::{mode, revision, script, shell, value};

/// For a command without a spec, manual page or phrase.
pub const UNKNOWN: &str = "an unknown program";
const UNKNOWN_FLAG: &str = "an option that is not known here";

pub fn command(taken: &DissectedCommand) -> String {
    if let Some(outer) = &taken.outer {
        return outer.clone();
    }
    let about = plain(taken);
    match &taken.source {
        CommandSource::Alias(stands_for) if about.is_empty() => format!("your alias for: {stands_for}"),
        CommandSource::Alias(stands_for) => format!("{about}; your alias for: {stands_for}"),
        CommandSource::Function => "a function of your shell".to_owned(),
        CommandSource::Variable => "runs whatever this stands for".to_owned(),
        CommandSource::Spec | CommandSource::Manual => about,
        CommandSource::Unknown if !about.is_empty() => about,
        CommandSource::Unknown if taken.text.contains('/') => "runs the program of this path".to_owned(),
        CommandSource::Unknown => UNKNOWN.to_owned(),
    }
}

/// What the command does, without naming the source.
pub fn plain(taken: &DissectedCommand) -> String {
    let own = phrases::of(&taken.chain).and_then(|phrases| phrases.about.clone());
    own.unwrap_or_else(|| match (taken.about.as_str(), taken.name.as_str()) {
        ("", "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish") => "run commands in another shell".to_owned(),
        ("", ":") => "do nothing, and succeed".to_owned(),
        (about, _) => about.to_owned(),
    })
}

/// The description of the item with this number.
pub fn item(taken: &DissectedCommand, number: usize, place: &TranslateContext<'_>) -> String {
    let Some(item) = taken.items.get(number) else { return String::new() };
    match &item.what {
        PartKind::Sub(about) => about.clone(),
        PartKind::Flag { name, flag, value } => {
            let known = flag_words(taken, name, flag.as_deref(), value.as_ref());
            let known = match known {
                Some(known) => known,
                None if matches!(taken.source, CommandSource::Spec | CommandSource::Manual) => UNKNOWN_FLAG.to_owned(),
                None => String::new(),
            };
            let raw = item.text.split_once([' ', '=']).map_or("", |(_, raw)| raw);
            // The shell does not expand values in single quotes.
            let notes = if value.as_ref().is_some_and(|value| !value.fixed) { notes(raw, place) } else { Vec::new() };
            with_notes(&known, &notes)
        }
        PartKind::Argument { value, number, kinds } => {
            let role = argument(taken, value, *number, kinds, place);
            let notes = if value.fixed { Vec::new() } else { notes(&item.text, place) };
            with_notes(&role, &notes)
        }
        PartKind::Assignment => {
            let (name, value) = item.text.split_once('=').unwrap_or((&item.text, ""));
            format!("sets {name} to {value} for the command")
        }
        PartKind::Dashes => "what follows is no option".to_owned(),
        PartKind::End if item.text.contains('+') => "with as many of them at once as fit".to_owned(),
        PartKind::End => "once for each of them".to_owned(),
        PartKind::Script(_) if taken.chain == "ssh" => "commands for the other machine:".to_owned(),
        PartKind::Script(_) => "commands, which it runs:".to_owned(),
        PartKind::Runs(_) | PartKind::Merged => String::new(),
    }
}

/// What the shell substitutes for parts of the value.
fn notes(raw: &str, place: &TranslateContext<'_>) -> Vec<String> {
    let mut notes = shell::expansions(raw);
    if place.dialect == Dialect::Fish && raw.contains('(') && !raw.contains("$(") {
        notes.push("(…) is replaced by what the command inside prints".to_owned());
    }
    notes
}

fn with_notes(words: &str, notes: &[String]) -> String {
    let notes = notes.join("; ");
    match (words.is_empty(), notes.is_empty()) {
        (_, true) => words.to_owned(),
        (true, false) => notes,
        (false, false) => format!("{words}; {notes}"),
    }
}

/// The phrases of the command and of its parents: `git log`, `git`.
fn chains(chain: &str) -> impl Iterator<Item = &'static Phrases> {
    let ends = chain.match_indices(' ').map(|(at, _)| at).collect::<Vec<_>>();
    let outer: Vec<&str> = ends.into_iter().rev().filter_map(|end| chain.get(..end)).collect();
    let all: Vec<&Phrases> = std::iter::once(chain).chain(outer).filter_map(phrases::of).collect();
    all.into_iter()
}

/// What a flag does; empty when unknown.
pub fn flag_words(
    taken: &DissectedCommand,
    name: &str,
    flag: Option<&aside_commands::spec::format::Flag>,
    given: Option<&Value>,
) -> Option<String> {
    let text = given.map_or("", |given| given.value.as_str());
    let mut names: Vec<&str> = vec![name];
    names.extend(flag.into_iter().flat_map(|flag| flag.names.iter().map(|name| &**name)));
    let own = chains(&taken.chain).find_map(|phrases| names.iter().find_map(|name| phrases.flags.get(*name)));
    if let Some(phrase) = own
        && (given.is_some() || !phrase.contains('{'))
        && let Some(words) = value::fill(phrase, stream(phrase, text))
    {
        return Some(words);
    }
    if taken.chain == "kill" || taken.chain == "pkill" || taken.chain == "killall" {
        let signal = if name == "-#" { text } else { name.trim_start_matches('-') };
        if let Some(words) = value::signal(signal) {
            return Some(format!("sends {words}"));
        }
    }
    if matches!(taken.chain.as_str(), "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish") {
        let letters = name.trim_start_matches('-');
        let words = letters.chars().filter_map(|letter| match letter {
            'c' => Some("runs the next word as commands"),
            'e' => Some("stops at the first failure"),
            'x' => Some("prints each command before it runs"),
            'u' => Some("unset variables are an error"),
            'l' => Some("as if you had logged in"),
            'i' => Some("as one that you type into"),
            'n' => Some("only checks the syntax"),
            's' => Some("reads the commands from its input"),
            _ => None,
        });
        let words: Vec<&str> = words.collect();
        if !name.starts_with("--") && !words.is_empty() {
            return Some(words.join("; "));
        }
    }
    let flag = flag?;
    let kinds = flag.takes.as_ref().map(|takes| takes.kinds.as_slice()).unwrap_or_default();
    let detail = if text.is_empty() { None } else { choice(kinds, text).or_else(|| free(kinds, text)) };
    match (flag.about.is_empty(), detail) {
        (true, detail) => detail,
        (false, Some(detail)) => Some(format!("{}: {detail}", flag.about)),
        (false, None) => Some(flag.about.to_string()),
    }
}

/// A lone dash is not a file name.
fn stream<'t>(phrase: &str, text: &'t str) -> &'t str {
    match text {
        "-" if phrase.starts_with("writes") => "the standard output",
        "-" if phrase.starts_with("the archive") => "the standard input or output",
        "-" => "the standard input",
        text => text,
    }
}

/// The description of one of a list's choices.
fn choice(kinds: &[ArgKind], text: &str) -> Option<String> {
    let lists = kinds.iter().filter_map(|kind| if let ArgKind::List(list) = kind { Some(list) } else { None });
    let found = lists.flatten().find(|choice| &*choice.value == text && !choice.about.is_empty());
    found.map(|choice| choice.about.to_string())
}

fn free(kinds: &[ArgKind], text: &str) -> Option<String> {
    kinds.iter().find_map(|kind| match kind {
        ArgKind::Free(FreeText::Mode) => mode::words(text),
        ArgKind::Live(LiveKind::GitCommit | LiveKind::GitBranch) => revision::words(text),
        _ => None,
    })
}

fn argument(
    taken: &DissectedCommand,
    given: &Value,
    number: usize,
    kinds: &[ArgKind],
    place: &TranslateContext<'_>,
) -> String {
    let text = given.value.as_str();
    let last = taken.count() > 1 && number + 1 == taken.count();
    if let Some(words) = special(taken, text, number) {
        return words;
    }
    if text == "{}" {
        return "stands for what was found".to_owned();
    }
    if taken.source == CommandSource::Unknown && plain(taken).is_empty() {
        // Without knowing the program, its arguments cannot be described.
        return String::new();
    }
    let role = phrases::of(&taken.chain).and_then(|phrases| {
        let role = if last { phrases.last.as_ref() } else { None };
        role.or_else(|| phrases.args.get(number).or(phrases.args.last()))
    });
    let path = kinds.iter().any(|kind| matches!(kind, ArgKind::File(_) | ArgKind::Directory | ArgKind::Path));
    let looks = given.fixed.then(|| looks_like(text, place)).flatten();
    let detail = choice(kinds, text).or_else(|| looks.filter(|_| path || kinds.is_empty()));
    let git = taken.chain.starts_with("git ");
    let detail = detail.or_else(|| if git { revision::words(text) } else { None });
    if let Some(role) = role {
        let role = value::fill(role, text).unwrap_or_else(|| role.clone());
        return match detail {
            Some(detail) if !detail.ends_with(&role) => format!("{role}: {detail}"),
            _ => role,
        };
    }
    if let Some(detail) = detail {
        return detail;
    }
    if !given.fixed && text.contains(['$', '*', '?', '`', '{']) {
        // The expansion already describes it.
        return String::new();
    }
    free(kinds, text).or_else(|| by_kind(kinds)).unwrap_or_else(|| unknown(text))
}

fn unknown(text: &str) -> String {
    let address = ["http://", "https://", "ftp://", "git://", "ssh://"];
    if address.iter().any(|scheme| text.starts_with(scheme)) {
        return "an address".to_owned();
    }
    if text.contains('=') { "a setting".to_owned() } else { "an argument".to_owned() }
}

/// Arguments in a small language of their own.
fn special(taken: &DissectedCommand, text: &str, number: usize) -> Option<String> {
    let first = number == 0;
    match taken.chain.as_str() {
        "find" => match text {
            "(" => Some("together:".to_owned()),
            ")" => Some("end of that".to_owned()),
            "!" => Some("not:".to_owned()),
            _ => None,
        },
        "sed" if first && !taken.has_any(&["-e", "-f"]) => {
            Some(script::sed(text).unwrap_or_else(|| "the commands that edit each line".to_owned()))
        }
        "awk" if first && !taken.has_any(&["-f", "-e"]) => {
            Some(script::awk(text).unwrap_or_else(|| "the program that is run for each line".to_owned()))
        }
        "jq" if first && !taken.has("-f") => {
            Some(script::jq(text).unwrap_or_else(|| "the filter that makes the output".to_owned()))
        }
        "grep" | "rg" if first && !taken.has_any(&["-e", "-f", "--files"]) => {
            let fixed = taken.name == "fgrep" || taken.has("-F");
            Some(if fixed { "the text to look for".to_owned() } else { pattern(text) })
        }
        "chmod" if first && !taken.has("--reference") => mode::words(text),
        "umask" if first => u32::from_str_radix(text, 8).ok().map(|mask| {
            let left = 0o777 & !mask;
            format!("new files: {}", mode::words(&format!("{left:o}")).unwrap_or_default())
        }),
        "date" => text.strip_prefix('+').map(|format| {
            value::date_format(format)
                .map_or_else(|| "how to print it".to_owned(), |words| format!("printed as: {words}"))
        }),
        "sleep" => value::duration(text).map(|time| format!("for {time}")),
        "timeout" if first => value::duration(text).map(|time| format!("for {time} at most")),
        "ssh" | "ssh-copy-id" if first => Some(value::host(text)),
        "scp" | "rsync" | "sftp" => {
            let there = value::remote(text)?;
            let last = taken.count() > 1 && number + 1 == taken.count();
            Some(if last { format!("to {there}") } else { format!("from {there}") })
        }
        "chown" | "chgrp" if first => {
            let (user, group) = text.split_once([':', '.']).unwrap_or((text, ""));
            Some(match (taken.chain.as_str(), user, group) {
                ("chgrp", group, _) => format!("the group {group}"),
                (_, "", group) => format!("the group {group}"),
                (_, user, "") => format!("the owner {user}"),
                (_, user, group) => format!("the owner {user} and the group {group}"),
            })
        }
        "test" => match text {
            "]" | "]]" => Some("end of the test".to_owned()),
            "=" | "==" => Some("is the same text as".to_owned()),
            "!=" => Some("is another text than".to_owned()),
            "!" => Some("not:".to_owned()),
            _ => None,
        },
        "git push" | "git pull" | "git fetch" if number == 1 => {
            let (from, to) = text.split_once(':')?;
            Some(match from.trim_start_matches('+') {
                "" => format!("deletes the branch {to} there"),
                from => format!("the branch {from}, there called {to}"),
            })
        }
        "git checkout" | "git switch" | "git restore" if text == "." => Some("everything here".to_owned()),
        "git add" if text == "." => Some("everything here and below".to_owned()),
        "tr" => set(text),
        "dig" | "host" => {
            let types = ["A", "AAAA", "MX", "NS", "TXT", "CNAME", "SOA", "SRV", "CAA", "PTR", "ANY"];
            let upper = text.to_ascii_uppercase();
            if let Some(server) = text.strip_prefix('@') {
                return Some(format!("asks the server {server}"));
            }
            types.contains(&&*upper).then(|| format!("records of the type {upper}"))
        }
        "less" if text == "+F" => Some("waits for more, as tail -f does".to_owned()),
        "less" if text == "+G" => Some("begins at the end".to_owned()),
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" => Some(
            if first && taken.scripts().next().is_none() { "the script to run" } else { "what it is given" }.to_owned(),
        ),
        "lsof" => text.strip_prefix(':').map(|port| format!("port {port}")),
        "python" if taken.has_any(&["-m", "-c"]) => Some("what it is given".to_owned()),
        "crontab" if text == "-" => Some("reads the table from its input".to_owned()),
        _ => None,
    }
}

/// A regular expression in words, if it is simple enough.
fn pattern(text: &str) -> String {
    let plain = |text: &str| !text.contains(['^', '$', '.', '*', '[', '\\', '|', '+', '?', '(']);
    if plain(text) {
        return format!("the text to look for: {}", script::quoted(text));
    }
    if let Some(start) = text.strip_prefix('^').filter(|start| plain(start)) {
        return format!("the pattern to look for: lines that begin with {}", script::quoted(start));
    }
    if let Some(end) = text.strip_suffix('$').filter(|end| plain(end)) {
        return format!("the pattern to look for: lines that end in {}", script::quoted(end));
    }
    let choices: Vec<&str> = text.split("\\|").flat_map(|part| part.split('|')).collect();
    if choices.len() > 1 && choices.iter().all(|choice| plain(choice)) {
        return format!("the pattern to look for: {}", choices.join(" or "));
    }
    "the pattern to look for".to_owned()
}

/// A character set of tr.
pub fn set(text: &str) -> Option<String> {
    Some(
        match text {
            "[:upper:]" | "A-Z" => "capital letters",
            "[:lower:]" | "a-z" => "small letters",
            "[:digit:]" | "0-9" => "digits",
            "[:space:]" => "blanks, tabs and new lines",
            "[:alpha:]" | "a-zA-Z" | "A-Za-z" => "letters",
            "[:alnum:]" | "a-zA-Z0-9" => "letters and digits",
            "[:punct:]" => "punctuation marks",
            "\\n" => "new lines",
            "\\t" => "tabs",
            " " => "blanks",
            "\\r" => "carriage returns",
            "\\0" => "zero bytes",
            "," | ":" | ";" | "|" | "/" | "=" => return Some(value::separator(text)),
            _ => return Some(format!("the characters {text}")),
        }
        .to_owned(),
    )
}

/// What a path appears to be.
fn looks_like(text: &str, place: &TranslateContext<'_>) -> Option<String> {
    let known = match text {
        "." | "./" => "this directory",
        ".." | "../" => "the directory above",
        "/" => "the whole machine",
        "-" => "the standard input or output",
        "/dev/null" => "nothing, or nowhere",
        "/etc" => "the directory of the system's settings",
        "/tmp" => "the directory for temporary files",
        "/var/log" => "the directory of the system's logs",
        _ => "",
    };
    if !known.is_empty() {
        return Some(known.to_owned());
    }
    if let Some(device) = text.strip_prefix("/dev/") {
        return Some(format!("the device {device}"));
    }
    let name = text.strip_suffix('/').unwrap_or(text);
    if name.contains('/') || !place.cwd.starts_with('/') {
        // `s/a/b/` is not a path.
        let is_path = text.starts_with(['/', '.', '~']) && text.ends_with('/');
        return is_path.then(|| "a directory".to_owned());
    }
    let entries = place.world.entries(place.cwd).yes()?;
    let entry = entries.iter().find(|entry| &*entry.name == name);
    match entry.map(|entry| entry.kind) {
        Some(world::FileKind::Directory) => Some("a directory here".to_owned()),
        Some(world::FileKind::File | world::FileKind::Program) => Some("a file here".to_owned()),
        Some(world::FileKind::Other) => None,
        None => text.ends_with('/').then(|| "a directory".to_owned()),
    }
}

fn by_kind(kinds: &[ArgKind]) -> Option<String> {
    let words: Vec<&str> = kinds.iter().filter_map(kind).take(2).collect();
    (!words.is_empty()).then(|| words.join(", or "))
}

fn kind(kind: &ArgKind) -> Option<&'static str> {
    Some(match kind {
        ArgKind::File(_) => "a file",
        ArgKind::Directory => "a directory",
        ArgKind::Path => "a file or directory",
        ArgKind::Program | ArgKind::Command => "a command",
        ArgKind::Variable => "a variable",
        ArgKind::ManPage => "a page of the manual",
        ArgKind::List(_) => return None,
        ArgKind::Free(free) => match free {
            FreeText::Text => return None,
            FreeText::Number => "a number",
            FreeText::Url => "an address",
            FreeText::New => "a new name",
            FreeText::Package => "a package",
            FreeText::Port => "a port",
            FreeText::Pattern => "a pattern",
            FreeText::Date => "a date",
            FreeText::Size => "a size",
            FreeText::Mode => "permissions",
        },
        ArgKind::Live(live) => match live {
            LiveKind::GitBranch => "a branch",
            LiveKind::GitRemote => "a remote",
            LiveKind::GitTag => "a tag",
            LiveKind::GitChanged => "a changed file",
            LiveKind::GitStaged => "a staged file",
            LiveKind::GitStash => "a stash",
            LiveKind::GitCommit => "a commit",
            LiveKind::GitState => "what git has begun",
            LiveKind::MakeTarget => "a target of the Makefile",
            LiveKind::JustRecipe => "a recipe of the justfile",
            LiveKind::NpmScript => "a script of package.json",
            LiveKind::CargoPackage => "a package of the workspace",
            LiveKind::CargoBin => "a program of the package",
            LiveKind::CargoExample => "an example of the package",
            LiveKind::CargoTest => "a test of the package",
            LiveKind::CargoFeature => "a feature of the package",
            LiveKind::Host => "a machine",
            LiveKind::DockerContainer => "a container",
            LiveKind::DockerImage => "an image",
            LiveKind::SystemdUnit => "a service or other unit",
            LiveKind::TmuxSession => "a session",
            LiveKind::Process => "a process, by its number",
            LiveKind::ProcessName => "a process, by its name",
            LiveKind::User => "a user",
            LiveKind::Group => "a group",
            LiveKind::Package => "a package",
        },
    })
}
