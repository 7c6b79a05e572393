//! Decides whether every shell would run the same commands with the same words for a line: simple commands joined by `|`, `&&`, `||` and
//! `;`, with every byte accounted for. Everything else is ambiguous. Does not know what the commands do.

use aside_text::visible;
use shell_line::{self as line, Command, Dialect, Redirect, Redirection, Syntax};

use crate::denied_files;
use crate::gate::GateVerdict;

/// A command whose words are unambiguous.
pub(super) struct UnambiguousLine {
    pub text: String,
    pub words: Vec<PlainCommand>,
    /// Files that it reads by redirection.
    pub reads: Vec<String>,
}

pub(super) struct PlainCommand {
    pub value: String,
    pub kind: JoinKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinKind {
    Fixed,
    /// Expands to file names, none of which begins with a dash.
    Glob,
}

/// Variables that every program reads in the same way, with values that are no paths.
const HARMLESS: [&str; 9] =
    ["LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "NO_COLOR", "TZ"];

pub(super) fn commands(text: &str, dialect: Dialect) -> Result<Vec<UnambiguousLine>, GateVerdict> {
    let doubt = |part: &str, why: &str| GateVerdict::ask(part, why);
    if let Some(odd) = text.chars().find(|letter| !is_usual(*letter)) {
        return Err(doubt(&odd.to_string(), "this character is not what it looks like, or cannot be seen"));
    }
    if line::syntax(text, dialect) != Syntax::Whole {
        return Err(doubt(text, "a shell would not run this as it stands"));
    }
    let parsed = line::parse(text, dialect);
    if parsed.open.is_some() {
        return Err(doubt(text, "something in it is not closed"));
    }
    for other in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
        if words(&line::parse(text, other).commands) != words(&parsed.commands) {
            return Err(doubt(text, "not every shell reads it in the same way"));
        }
    }
    if parsed.commands.iter().any(|command| command.inside.is_some()) {
        return Err(doubt(text, "a command is substituted in another"));
    }
    let spans: Vec<_> = parsed.commands.iter().map(|command| command.span.clone()).collect();
    for (number, gap) in gaps(text, &spans).into_iter().enumerate() {
        let usual = match number {
            0 => gap.trim_matches(' ').is_empty(),
            last if last == spans.len() => matches!(gap.trim_matches(' '), "" | ";"),
            _ => matches!(gap.trim_matches(' '), "|" | "&&" | "||" | ";"),
        };
        if !usual {
            let why = match gap.contains('&') {
                true => "it would go on in the background",
                false => "there is more in it than plain commands",
            };
            return Err(doubt(text, why));
        }
    }
    parsed.commands.iter().map(|command| one(text, command)).collect()
}

fn one(text: &str, command: &Command) -> Result<UnambiguousLine, GateVerdict> {
    let raw = text.get(command.span.clone()).unwrap_or_default();
    let doubt = |why: &str| GateVerdict::ask(raw, why);
    let assigned = command.assignments.iter().map(|assignment| assignment.span.clone());
    let redirected = command.redirections.iter().map(|redirection| redirection.span.clone());
    let mut spans: Vec<_> = command.words.iter().map(|word| word.span.clone()).collect();
    spans.extend(assigned.chain(redirected));
    spans.sort_unstable_by_key(|span| span.start);
    let inner: Vec<_> =
        spans.iter().map(|span| span.start - command.span.start..span.end - command.span.start).collect();
    if gaps(raw, &inner).iter().any(|gap| !gap.trim_matches(' ').is_empty()) {
        return Err(doubt("there is more in it than words"));
    }
    for assignment in &command.assignments {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let harmless = HARMLESS.contains(&assignment.name.as_str())
            && text.get(assignment.span.clone()) == Some(&format!("{}={}", assignment.name, assignment.value.value))
            && assignment.value.value.bytes().all(plain);
        if !harmless || command.words.is_empty() {
            return Err(doubt(&format!("setting {} can change what a program does", assignment.name)));
        }
    }
    let mut reads = Vec::new();
    for redirection in &command.redirections {
        reads.extend(read(text, redirection).map_err(doubt)?);
    }
    let mut words = Vec::with_capacity(command.words.len());
    for word in &command.words {
        let raw = text.get(word.span.clone()).unwrap_or_default();
        let kind = spelled(raw).filter(|kind| (*kind == JoinKind::Fixed) == word.fixed);
        let Some(kind) = kind else {
            return Err(GateVerdict::ask(raw, "what a shell makes of this word is not certain"));
        };
        words.push(PlainCommand { value: word.value.clone(), kind });
    }
    match words.first() {
        Some(name) if name.value.contains('/') => Err(doubt("it names a file, and that can be any program")),
        Some(name)
            if !name.value.starts_with(|letter: char| letter.is_ascii_alphanumeric())
                || name.kind == JoinKind::Glob =>
        {
            Err(doubt("which program that is, is not certain"))
        }
        Some(_) => Ok(UnambiguousLine { text: raw.to_owned(), words, reads }),
        None => Err(doubt("it has no program")),
    }
}

/// The file that a redirection reads, or why the redirection does more than read.
fn read(text: &str, redirection: &Redirection) -> Result<Option<String>, &'static str> {
    let target = redirection.target.as_ref().ok_or("a redirection goes nowhere")?;
    let raw = text.get(target.span.clone()).unwrap_or_default();
    match redirection.kind {
        Redirect::Read if target.fixed && spelled(raw) == Some(JoinKind::Fixed) => Ok(Some(target.value.clone())),
        Redirect::Descriptor if raw == "1" || raw == "2" => Ok(None),
        Redirect::Write | Redirect::Append if raw == "/dev/null" => Ok(None),
        Redirect::Write | Redirect::Append => Err("it writes a file"),
        Redirect::Read | Redirect::Descriptor => Err("where it reads from is not certain"),
        Redirect::HereDocument | Redirect::HereString => Err("it is fed a text"),
    }
}

/// The text between the spans, before the first and after the last.
fn gaps<'t>(text: &'t str, spans: &[std::ops::Range<usize>]) -> Vec<&'t str> {
    let starts = spans.iter().map(|span| span.start).chain([text.len()]);
    let ends = [0].into_iter().chain(spans.iter().map(|span| span.end));
    // Overlapping spans yield text that no caller accepts as a gap.
    ends.zip(starts).map(|(end, start)| text.get(end..start).unwrap_or("overlap")).collect()
}

fn words(commands: &[Command]) -> Vec<Vec<(&str, bool)>> {
    commands.iter().map(|one| one.words.iter().map(|word| (word.value.as_str(), word.fixed)).collect()).collect()
}

/// Letters of any language, and printable ASCII.
fn is_usual(letter: char) -> bool {
    matches!(letter, ' '..='~')
        || (letter.is_alphanumeric() && !letter.is_ascii() && visible::likeness(letter).is_none())
}

/// How any shell, with any options, reads a word with this spelling; `None` when that depends on the shell.
fn spelled(raw: &str) -> Option<JoinKind> {
    let plain = |letter: char| letter.is_alphanumeric() || "_-./:@%+,=".contains(letter);
    if raw.is_empty() || raw.starts_with(['=', '%']) {
        return None;
    }
    let bare = raw.find(|letter| !plain(letter));
    let Some((start, rest)) = bare.and_then(|at| raw.split_at_checked(at)) else { return Some(JoinKind::Fixed) };
    for quote in ['\'', '"'] {
        let inside = rest.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        let Some(inside) = inside else { continue };
        let active = if quote == '"' { &['"', '$', '`', '\\', '!'][..] } else { &['\''][..] };
        // Quotes around the whole word, or around the value of a flag: `-d' '`, `--grep='a b'`.
        let before = start.is_empty() || start.starts_with('-');
        return (before && !inside.contains(active)).then_some(JoinKind::Fixed);
    }
    // `HEAD~2`, `main^`. Where `^` and `~` are glob operators, their matches still begin with the same letters.
    let revision = rest.starts_with(['~', '^']) && rest.chars().all(|letter| matches!(letter, '~' | '^' | '0'..='9'));
    if revision && start.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return Some(JoinKind::Fixed);
    }
    let glob = rest.chars().all(|letter| plain(letter) || matches!(letter, '*' | '?'));
    let begins = start.starts_with(|letter: char| letter.is_ascii_alphanumeric()) || start.starts_with("./");
    (glob && begins).then_some(JoinKind::Glob)
}

/// Whether a path is the directory or lies below it, by spelling alone.
pub(super) fn is_within(path: &str, directory: &str) -> bool {
    let Some(rest) = path.strip_prefix(directory.trim_end_matches('/')) else { return false };
    directory.starts_with('/')
        && (rest.is_empty() || rest.starts_with('/'))
        && !path.split('/').any(|part| part == "..")
}

/// Why a word must not go to a command that runs without approval: it could name a file outside the workspace.
pub(super) fn reaches(word: &str, workspace: &str) -> Option<String> {
    // Pathspec magic of git.
    if word.len() > 1 && word.starts_with(':') {
        return Some(format!("`{word}` may be any file"));
    }
    for piece in [word].into_iter().chain(word.split([':', '=', ','])) {
        if let Some(what) = denied_files::denied(piece) {
            return Some(format!("`{piece}` may be {what}"));
        }
        let leads_out = piece.starts_with('~')
            || piece.split('/').any(|part| part == "..")
            || piece.starts_with('/') && !is_within(piece, workspace);
        if leads_out {
            return Some(format!("`{piece}` may be outside of the workspace"));
        }
    }
    None
}
