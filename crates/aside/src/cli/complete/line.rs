//! `aside line`: answers a key of bash or fish about the line at the prompt. Replacement lines go to standard output, a list of them for
//! the user to standard error; or, with `--words`, completions of the word at the cursor, for the shell's own completion. Starts no daemon
//! and runs nothing: without a daemon it is silent.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use aside_proto::command_ended::{SuggestParams, SuggestResult};
use aside_proto::{CompleteParams, Reply, Request, WireCandidate};
use aside_text::is_clean;
use unicode_width::UnicodeWidthStr;

use crate::cli::complete::candidates::shown;
use crate::cli::{Exit, current_dir, one_line, print};
use crate::client;
use crate::paths::Paths;
use crate::screen::fit;

/// Cap on the input: the line and the command before it.
const MAX_INPUT: u64 = 64 * 1024;
/// Candidates requested, and the cap below which the list is surely complete: a shell inserts the words' common prefix, so all must be
/// known.
const ASKED: usize = 500;
const MOST_WORDS: usize = 200;
/// Timeout for a line, which may need a model; and for a word, which does not.
const PATIENCE: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_secs(1);
/// Width to which lines are aligned.
const WIDEST: usize = 60;
/// Between the fields of a line on standard output.
const SEPARATOR: char = '\x1f';

/// Print the lines that may stand in the place of one, read from standard input; used by the plugins of bash and fish
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// How the word at the cursor goes on instead, each with what it means behind a tab
    #[arg(long)]
    words: bool,
    /// The shell that asks
    #[arg(long, value_name = "SHELL", value_parser = ["bash", "fish"])]
    shell: String,
    /// Its name
    #[arg(long, value_name = "SESSION", default_value = "")]
    session: String,
    /// Columns of its terminal
    #[arg(long, value_name = "N", default_value_t = 80)]
    width: usize,
}

/// NUL-ended fields on standard input: every user can read a process's arguments.
#[derive(Default)]
struct Line {
    left: String,
    right: String,
    /// The command that ran before, unless it is private.
    command: String,
    exit: i32,
    seq: i64,
}

/// A replacement line, its cursor, and a description.
struct Offer {
    line: String,
    cursor: Option<u32>,
    shown: String,
    about: String,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let mut input = Vec::new();
    std::io::stdin().take(MAX_INPUT).read_to_end(&mut input)?;
    let line = Line::read(&String::from_utf8_lossy(&input));
    let socket = Paths::from_env()?.socket;
    let is_empty = line.left.trim().is_empty() && line.right.trim().is_empty();
    match (args.words, is_empty) {
        (true, true) => {
            let harmless = next(&socket, &args, line)?.filter(|next| next.warning.is_empty());
            print(&harmless.map_or_else(String::new, |next| next.command + "\n"))?;
        }
        (true, false) => print(&words(&line.left, &candidates(&socket, &args, &line)?))?,
        (false, true) => {
            say(&next(&socket, &args, line)?.map(Offer::of_next).into_iter().collect::<Vec<_>>(), args.width)?
        }
        (false, false) => {
            let found = candidates(&socket, &args, &line)?;
            say(&found.iter().filter_map(Offer::of_candidate).collect::<Vec<_>>(), args.width)?;
        }
    }
    Ok(Exit::Done)
}

impl Line {
    fn read(input: &str) -> Self {
        let mut fields = input.split('\0').map(str::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        Self {
            left: next(),
            right: next(),
            command: next(),
            exit: next().parse().unwrap_or_default(),
            seq: next().parse().unwrap_or_default(),
        }
    }
}

impl Offer {
    /// `None` if the line cannot be shown on one row.
    fn of_candidate(candidate: &WireCandidate) -> Option<Self> {
        let line = &candidate.completion;
        let is_plain = is_clean(line) && !line.chars().any(char::is_control);
        is_plain.then(|| Self {
            line: line.clone(),
            cursor: candidate.cursor_pos,
            shown: shown(candidate),
            about: one_line(&candidate.description),
        })
    }

    fn of_next(next: SuggestResult) -> Self {
        let warning = match next.warning.as_str() {
            "" => String::new(),
            warning => format!("careful, it {}; ", one_line(warning)),
        };
        Self {
            shown: one_line(&next.command),
            about: warning + &one_line(&next.reason),
            line: next.command,
            cursor: None,
        }
    }
}

/// Whether the daemon answers at all: only then is it worth waiting for a model.
fn is_awake(socket: &Path) -> bool {
    client::ask_with_timeout(socket, Request::Status, SOON).is_ok()
}

/// Empty without a daemon.
fn candidates(socket: &Path, args: &Args, line: &Line) -> anyhow::Result<Vec<WireCandidate>> {
    let asked = CompleteParams {
        session: args.session.clone(),
        cwd: current_dir()?,
        left: line.left.clone(),
        right: line.right.clone(),
        shell: args.shell.clone(),
        wait: true,
        list: args.words,
        max_candidates: if args.words { ASKED } else { 0 },
        ..CompleteParams::default()
    };
    let patience = if args.words || !is_awake(socket) { SOON } else { PATIENCE };
    Ok(match client::ask_with_timeout(socket, Request::Complete(asked), patience) {
        Ok(Reply::Complete(found)) => found.candidates,
        Ok(_) | Err(_) => Vec::new(),
    })
}

fn next(socket: &Path, args: &Args, line: Line) -> anyhow::Result<Option<SuggestResult>> {
    if line.command.is_empty() {
        return Ok(None);
    }
    let ended = SuggestParams {
        session: args.session.clone(),
        cwd: current_dir()?,
        command: line.command,
        exit: line.exit,
        shell: args.shell.clone(),
        seq: line.seq,
        wait: true,
        ..SuggestParams::default()
    };
    let is_one = |next: &SuggestResult| !next.command.is_empty() && !next.command.chars().any(char::is_control);
    let patience = if args.words || !is_awake(socket) { SOON } else { PATIENCE };
    Ok(match client::ask_with_timeout(socket, Request::Suggest(ended), patience) {
        Ok(Reply::Suggest(next)) => Some(*next).filter(is_one),
        Ok(_) | Err(_) => None,
    })
}

/// Lines for the shell, and a list of them for the user. A single line without a description needs no list.
fn say(offers: &[Offer], width: usize) -> anyhow::Result<()> {
    let rows = offers.iter().map(|Offer { line, cursor, .. }| {
        format!("{line}{SEPARATOR}{}\n", cursor.map(|cursor| cursor.to_string()).unwrap_or_default())
    });
    print(&rows.collect::<String>())?;
    if offers.len() > 1 || offers.iter().any(|offer| !offer.about.is_empty()) {
        listed(offers, width).iter().for_each(|row| complain!("{row}"));
    }
    Ok(())
}

fn listed(offers: &[Offer], width: usize) -> Vec<String> {
    let widths = offers.iter().map(|offer| offer.shown.width()).filter(|width| *width <= WIDEST);
    let widest = widths.max().unwrap_or(0);
    let row = |Offer { shown, about, .. }: &Offer| {
        let fill = " ".repeat(widest.saturating_sub(shown.width()));
        fit(format!("{shown}{fill}  {about}").trim_end(), width.saturating_sub(1))
    };
    offers.iter().map(row).collect()
}

/// Completions that are words of the command itself, including those used before. Leaves files to the shell, which knows how the user wants
/// them, and words that need quotes.
fn words(left: &str, found: &[WireCandidate]) -> String {
    let typed = left.rsplit(char::is_whitespace).next().unwrap_or_default();
    let has = |source: &str| found.iter().any(|candidate| candidate.source == source);
    if !has("spec") || has("filesystem") || found.len() >= MOST_WORDS || !typed.chars().all(is_plain) {
        return String::new();
    }
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for WireCandidate { completion, description, .. } in found {
        let Some(rest) = completion.strip_prefix(left) else { continue };
        let rest = rest.split(char::is_whitespace).next().unwrap_or_default();
        let is_word = !(typed.is_empty() && rest.is_empty()) && rest.chars().all(is_plain);
        if is_word && rows.iter().all(|(known, _)| *known != rest) {
            rows.push((rest, description));
        }
    }
    // `make `: targets, not every flag.
    if typed.is_empty() && rows.iter().any(|(rest, _)| !rest.starts_with('-')) {
        rows.retain(|(rest, _)| !rest.starts_with('-'));
    }
    // Destructive words are not offered before a letter is typed, so a common prefix of the others would be wrong.
    let is_begun = typed.ends_with(|last: char| !"/=:,-".contains(last));
    let first = |(rest, _): &(&str, &str)| rest.chars().next();
    if !is_begun && rows.iter().all(|row| first(row) == rows.first().and_then(first)) {
        return String::new();
    }
    rows.iter().map(|(rest, about)| format!("{rest}\t{}\n", one_line(about))).collect()
}

fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "-_./:=@,+%".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(completion: &str, source: &str, description: &str) -> WireCandidate {
        WireCandidate {
            completion: completion.to_owned(),
            cursor_pos: None,
            confidence: 0.5,
            source: source.to_owned(),
            description: description.to_owned(),
            facts: String::new(),
        }
    }

    #[test]
    fn a_word_goes_on_with_names_of_the_command() {
        let found = [
            candidate("git status --short", "history", ""),
            candidate("git stash", "spec", "set changes aside"),
            candidate("git stash pop", "spec", "a second time"),
            candidate("git st\\ range", "history", ""),
            candidate("git show", "correction", ""),
        ];
        assert_eq!(words("git st", &found), "atus\t\nash\tset changes aside\n");
        assert_eq!(words("git 'st", &found), "");
        // A complete word gets its description only, and nothing is made of an empty word.
        assert_eq!(words("git stash", &found[1..3]), "\tset changes aside\n");
        assert_eq!(words("git ", &[candidate("git  x", "spec", "")]), "");
        let flags =
            [candidate("make -B", "spec", ""), candidate("make all", "spec", ""), candidate("make test", "make", "")];
        assert_eq!(words("make ", &flags), "all\t\ntest\t\n");
    }

    #[test]
    fn what_may_not_be_all_there_is_is_left_to_the_shell() {
        let files = [candidate("cat stone", "filesystem", ""), candidate("cat status", "spec", "")];
        assert_eq!(words("cat st", &files), "");
        assert_eq!(words("frob st", &[candidate("frob start", "history", "")]), "");
        let many: Vec<WireCandidate> = (0..MOST_WORDS).map(|n| candidate(&format!("x b{n}"), "spec", "")).collect();
        assert_eq!(words("x b", &many), "");
        assert_eq!(words("x b", &many[1..]).lines().count(), MOST_WORDS - 1);
        // A destructive word is not offered before it is begun.
        let drop = [candidate("db dry", "spec", ""), candidate("db dump", "spec", "")];
        assert_eq!(words("db ", &drop), "");
        assert_eq!(words("db d", &drop), "ry\t\nump\t\n");
        assert_eq!(
            words("db ", &[candidate("db dry", "spec", ""), candidate("db run", "spec", "")]).lines().count(),
            2
        );
    }

    #[test]
    fn the_list_is_aligned_and_no_row_wraps() {
        let found = [candidate("git st", "spec", "short"), candidate("git status --short", "history", &"x".repeat(90))];
        let offers: Vec<Offer> = found.iter().filter_map(Offer::of_candidate).collect();
        let rows = listed(&offers, 40);
        assert_eq!(rows[0], "git st              short");
        assert!(rows[1].starts_with("git status --short  xxx") && rows[1].width() <= 39, "{rows:?}");
        assert!(Offer::of_candidate(&candidate("a\nb", "history", "")).is_none());
    }
}
