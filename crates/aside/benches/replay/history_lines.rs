//! What is typed in which directory: parses a history file into lines to type. Reads no directory: a history does not say where its
//! commands ran, so the directory is only a name that follows every `cd` in the text. It starts in a home that does not exist, and
//! neither does anything below it.

use std::collections::{BTreeSet, HashMap};

use aside_core::history::HistoryEntry;
use aside_core::history::import::ImportFormat;
use aside_text as text;

/// Where the replay begins. Nothing exists there.
pub const HOME: &str = "/replay/home/you";
/// In characters. Longer lines are pasted, not typed.
const LONGEST_TYPED: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryLine {
    pub command: String,
    /// Where it ran.
    pub cwd: String,
    /// Milliseconds since 1970; zero when the file does not say.
    pub start_ms: i64,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Typed character by character, then run.
    Replayed,
    /// Several lines, or too long: it only becomes part of the history.
    OnlyPast,
}

/// The commands of a history file, oldest first. If the contents do not reveal the format, the file name does, else zsh is assumed.
pub fn read(name: &str, file: &[u8]) -> Vec<HistoryLine> {
    let named = || match name.rsplit('/').next().unwrap_or(name) {
        name if name.contains("bash") => ImportFormat::Bash,
        name if name.contains("fish") => ImportFormat::Fish,
        _ => ImportFormat::Zsh,
    };
    let format = ImportFormat::guess(file).unwrap_or_else(named);
    from_entries(format.parse(file).entries)
}

fn from_entries(entries: Vec<HistoryEntry>) -> Vec<HistoryLine> {
    let mut walk = Walk::default();
    let typed = entries.into_iter().filter(|entry| !entry.command.trim().is_empty()).map(|entry| {
        let HistoryEntry { command, start_ms, .. } = entry;
        let long = command.chars().count() > LONGEST_TYPED || command.contains('\n');
        let role = if long { Role::OnlyPast } else { Role::Replayed };
        let cwd = walk.here.clone();
        walk.run(&command);
        HistoryLine { command, cwd, start_ms: start_ms.unwrap_or(0), role }
    });
    typed.collect()
}

/// Tracks the directory through the commands.
struct Walk {
    here: String,
    before: String,
    stack: Vec<String>,
    /// Directories by their base name: `cd ../shop` and `cd ~/code/shop` lead to the same project.
    known: HashMap<String, String>,
}

impl Default for Walk {
    fn default() -> Self {
        Self { here: HOME.to_owned(), before: HOME.to_owned(), stack: Vec::new(), known: HashMap::new() }
    }
}

impl Walk {
    /// Follows `cd` at the beginning of a command or after `&&` or `;`. In a subshell it changes nothing.
    fn run(&mut self, command: &str) {
        if command.contains('\n') || command.trim_start().starts_with('(') {
            return;
        }
        for part in command.split("&&").flat_map(|part| part.split(';')) {
            let words: Vec<&str> = part.split_whitespace().collect();
            match words[..] {
                ["cd"] => self.goes(HOME.to_owned()),
                ["cd", "-"] => self.goes(self.before.clone()),
                ["cd", path] | ["cd", "--", path] => self.follow(path),
                ["pushd", path] => {
                    self.stack.push(self.here.clone());
                    self.follow(path);
                }
                ["popd"] => {
                    if let Some(path) = self.stack.pop() {
                        self.goes(path);
                    }
                }
                [".."] => self.follow(".."),
                // A name with blanks in it, quoted or not.
                ["cd", ..] => {
                    if let Some((_, path)) = part.split_once("cd ") {
                        self.follow(path.trim());
                    }
                }
                _ => {}
            }
        }
    }

    /// Stays in place if the shell would have to expand the path.
    fn follow(&mut self, path: &str) {
        let path: String = path.chars().filter(|character| !matches!(character, '"' | '\'' | '\\')).collect();
        let path = match path.strip_prefix("$HOME") {
            Some(rest) => format!("~{rest}"),
            None => path,
        };
        if path.is_empty() || path.contains(['$', '`', '*', '?', '(', '|', '>', '<', '&']) {
            return;
        }
        let from = match path.as_bytes() {
            [b'/', ..] | [b'~'] | [b'~', b'/', ..] => String::new(),
            // Another user's home.
            [b'~', ..] => return,
            _ => self.here.clone(),
        };
        let path = match path.strip_prefix('~') {
            Some(rest) => format!("{HOME}{rest}"),
            None => path,
        };
        let reached = text::path::normalized(&from, &path);
        let known = match path.rsplit('/').find(|name| !name.is_empty()) {
            Some(name) if !name.starts_with('.') => self.known.entry(name.to_owned()).or_insert(reached).clone(),
            _ => reached,
        };
        self.goes(known);
    }

    fn goes(&mut self, path: String) {
        self.before = std::mem::replace(&mut self.here, path);
    }
}

/// The commands that the user has: all that they name, except for typos of one that they name more often.
pub fn known_commands(all: &[HistoryLine]) -> BTreeSet<&str> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for name in all.iter().flat_map(|typed| commands_in(&typed.command)) {
        *uses.entry(name).or_default() += 1;
    }
    let is_slip = |name: &str, count: usize| {
        let swapped = |place: usize| {
            let mut bytes = name.as_bytes().to_vec();
            bytes.swap(place, place + 1);
            String::from_utf8(bytes).ok().filter(|other| other != name)
        };
        let others = (1..name.len()).filter_map(|place| swapped(place - 1));
        others.into_iter().any(|other| uses.get(other.as_str()).is_some_and(|more| *more > count))
    };
    uses.iter().filter(|(name, count)| !is_slip(name, **count)).map(|(name, _)| *name).collect()
}

/// The names of the commands in a line, roughly: at its beginning, after `|`, `;`, `&`, and after words like `sudo`. The replay
/// reports them to Aside: the user who typed this had them, and this machine may not.
pub fn commands_in(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in line.split(['|', ';', '&', '(', '\n']) {
        for word in part.split_whitespace() {
            let leads_on = matches!(
                word,
                "sudo"
                    | "env"
                    | "time"
                    | "nohup"
                    | "exec"
                    | "command"
                    | "xargs"
                    | "then"
                    | "do"
                    | "else"
                    | "if"
                    | "while"
            );
            let assigns = word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with('-'));
            let named = |character: char| character.is_alphanumeric() || "._+-".contains(character);
            if word.len() <= 64 && word.chars().all(named) && !word.starts_with('-') {
                found.push(word);
            }
            if !leads_on && !assigns {
                break;
            }
        }
    }
    found
}
