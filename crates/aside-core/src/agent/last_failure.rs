//! Explains a failed line where that is certain: the line as it was intended, or what its error means. The long list of errors and fixes is
//! not here.

use aside_commands::shell_names::builtins;
use aside_commands::world::{self, Fact};
use aside_text::speech_act::SpeechActs;
use aside_translate::TranslateContext;
use aside_translate::check::{CheckedCommand, check};
use aside_translate::read_only::is_read_only;
use shell_line as line;

use crate::agent::language::{Language, Message};
use crate::agent::query::begins_with_command;
use crate::agent::wording::{careful, code, fenced};
use crate::agent::{Advice, AdviceKind, AgentQuery, OfferedCommand};
use crate::complete::context::CompletionContext;
use crate::complete::correct;
use crate::detect::languages::wrong_layout;

/// Bytes of an output that are searched for its message, at either end.
const MAX_OUTPUT: usize = 4096;

/// A correction of a typo.
pub struct Slip {
    pub advice: Advice,
    /// The same letters in another order: almost certainly right.
    pub clear: bool,
}

pub fn corrected_line(asked: &AgentQuery<'_>, place: &TranslateContext<'_>, language: Language) -> Option<Slip> {
    // A trailing blank marks the last word as complete, so that it is corrected too.
    let left = format!("{} ", asked.words);
    let ask = CompletionContext {
        left: &left,
        right: "",
        cwd: place.cwd,
        dialect: place.dialect,
        names: place.names,
        history: asked.history,
        session: "",
        world: place.world,
        specs: place.specs,
        idea: None,
        limit: 1,
        list: false,
    };
    let best = correct::candidates(&ask).into_iter().next()?;
    let (old, new) = (first(asked.words), first(&best.text));
    // Among thousands of programs one is near every word: `deploy now` does not mean `depmod now`.
    if is_bare(asked.words) && asked.words.contains(' ') && old != new && !is_slip(old, new) {
        return None;
    }
    let (advice, command) = meant(best.text.trim(), asked, place, language)?;
    // `who deleted main.rs` is not a typo of a command that deletes.
    if !is_read_only(&command, place.dialect) && SpeechActs::of(asked.words).denies() {
        return None;
    }
    let changed = || asked.words.split(' ').zip(command.split(' ')).filter(|(old, new)| old != new);
    let clear = changed().count() > 0 && changed().all(|(old, new)| letters(old) == letters(new));
    Some(Slip { advice, clear })
}

/// The line as typed on an English keyboard layout, if it is a command there and nothing here.
pub fn english_layout(asked: &AgentQuery<'_>, place: &TranslateContext<'_>) -> Option<Advice> {
    let line = wrong_layout(asked.words, |word| begins_with_command(word, place))?;
    // A user who types commands on this layout reads English too.
    meant(&line, asked, place, Language::English).map(|(advice, _)| advice)
}

fn meant(
    line: &str,
    asked: &AgentQuery<'_>,
    place: &TranslateContext<'_>,
    language: Language,
) -> Option<(Advice, String)> {
    let CheckedCommand { command, warning, .. } = check(line, place, asked.blocklist).ok()?;
    let careful = careful(&warning, language);
    let careful = if careful.is_empty() { careful } else { format!("\n{careful}\n") };
    let markdown = format!("{}\n\n{}{careful}", language.says(Message::Meant), fenced(&command));
    let proposal = Some(OfferedCommand { command: command.clone(), warning });
    Some((Advice { kind: AdviceKind::Slip, markdown, proposal, lacks_model: false }, command))
}

fn first(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// Whether the line has only words.
pub fn is_bare(line: &str) -> bool {
    line.chars().all(|letter| letter.is_alphabetic() || letter == ' ')
}

/// Letters in another order, or one letter too many or too few.
fn is_slip(old: &str, new: &str) -> bool {
    let within = |short: &str, long: &str| {
        let mut letters = long.chars();
        short.chars().all(|letter| letters.any(|other| other == letter))
            && long.chars().count() == short.chars().count() + 1
    };
    letters(old) == letters(new) || within(old, new) || within(new, old)
}

fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// What the error of a line means, where the state of the machine confirms it.
pub fn error(asked: &AgentQuery<'_>, place: &TranslateContext<'_>, language: Language) -> Option<Advice> {
    if asked.exit == 0 {
        return None;
    }
    let parsed = line::parse(asked.words, place.dialect);
    let name = parsed.commands.first()?.words.first()?;
    let output = asked.output.map(ends).unwrap_or_default();
    if name.value.contains('/') {
        return path(&name.value, asked, place, language);
    }
    if builtins::known(place.names, place.world, place.dialect, &name.value) == Fact::No {
        return Some(missing(&name.value, place, language));
    }
    let file = missing_file(&output)?;
    let is_named = parsed.commands.iter().flat_map(|command| &command.words).any(|word| word.value == file);
    let markdown = match language {
        Language::English => format!("There is no {} in {}.", code(&file), code(place.cwd)),
        Language::Chinese => format!("{} 里没有 {}。", code(place.cwd), code(&file)),
    };
    (is_named && !file.starts_with(['/', '~'])).then(|| Advice::said(AdviceKind::Error, markdown))
}

fn missing(name: &str, place: &TranslateContext<'_>, language: Language) -> Advice {
    let about = place.specs.about(name, place.world).map(|about| format!(" ({about})")).unwrap_or_default();
    let name = code(name);
    let markdown = match language {
        Language::English => {
            format!("There is no command {name}{about} here: it is not installed, or not in a directory of `PATH`.")
        }
        Language::Chinese => format!("这里没有 {name} 命令{about}：没有安装，或者不在 `PATH` 的目录里。"),
    };
    Advice { lacks_model: true, ..Advice::said(AdviceKind::Error, markdown) }
}

/// A program by its path that exists and is not executable, or does not exist.
fn path(path: &str, asked: &AgentQuery<'_>, place: &TranslateContext<'_>, language: Language) -> Option<Advice> {
    let whole = match path.strip_prefix("./") {
        Some(below) => format!("{}/{below}", place.cwd.trim_end_matches('/')),
        None if path.starts_with('/') => path.to_owned(),
        None => format!("{}/{path}", place.cwd.trim_end_matches('/')),
    };
    let (directory, name) = whole.rsplit_once('/')?;
    let entries = place.world.entries(if directory.is_empty() { "/" } else { directory }).yes()?;
    let found = entries.iter().find(|entry| &*entry.name == name);
    match found.map(|entry| entry.kind) {
        None => {
            let markdown = match language {
                Language::English => format!("There is no {} here.", code(path)),
                Language::Chinese => format!("这里没有 {}。", code(path)),
            };
            Some(Advice::said(AdviceKind::Error, markdown))
        }
        Some(world::FileKind::File) if asked.exit == 126 => {
            let checked = check(&format!("chmod +x {}", quoted(path)?), place, asked.blocklist).ok()?;
            let markdown = match language {
                Language::English => format!("{} is there, but may not be run. This allows it:\n\n", code(path)),
                Language::Chinese => format!("{} 存在，但没有运行权限。这样可以允许：\n\n", code(path)),
            };
            let markdown = format!("{markdown}{}", fenced(&checked.command));
            let proposal = Some(OfferedCommand { command: checked.command, warning: checked.warning });
            Some(Advice { proposal, ..Advice::said(AdviceKind::Error, markdown) })
        }
        Some(_) => None,
    }
}

/// The path, if it needs no quotes.
fn quoted(path: &str) -> Option<&str> {
    path.chars().all(|letter| letter.is_alphanumeric() || "./_-+@".contains(letter)).then_some(path)
}

/// The name that "No such file or directory" refers to.
fn missing_file(output: &str) -> Option<String> {
    let line = output.lines().find(|line| line.to_ascii_lowercase().contains("no such file or directory"))?;
    let at = line.to_ascii_lowercase().find("no such file or directory")?;
    // zsh puts the name after the message, other programs before it.
    let after = line.get(at + "no such file or directory".len()..)?.trim_start_matches(':').trim();
    let before = line.get(..at)?.trim_end().trim_end_matches(':');
    let named = if after.is_empty() { before.rsplit(": ").next()? } else { after };
    let named = named.trim_start_matches("cannot access ").trim_start_matches("cannot open ").trim();
    let named = named.trim_matches(['\'', '"', '‘', '’', '`']);
    (!named.is_empty()).then(|| named.to_owned())
}

/// The beginning and the end of a long output.
fn ends(output: &str) -> String {
    if output.len() <= 2 * MAX_OUTPUT {
        return output.to_owned();
    }
    let head = output.get(..output.floor_char_boundary(MAX_OUTPUT)).unwrap_or_default();
    let tail = output.get(output.ceil_char_boundary(output.len() - MAX_OUTPUT)..).unwrap_or_default();
    format!("{head}\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_is_not_there() {
        for (output, expected) in [
            ("cat: notes.txt: No such file or directory\n", Some("notes.txt")),
            ("ls: cannot access 'a b': No such file or directory", Some("a b")),
            ("cd: no such file or directory: src2", Some("src2")),
            ("bash: cd: src2: No such file or directory", Some("src2")),
            ("No such file or directory", None),
            ("fine", None),
            ("", None),
        ] {
            assert_eq!(missing_file(output).as_deref(), expected, "{output}");
        }
    }
}
