//! `aside history`: imports, searches and counts commands. Only prints; `store` decides which file is read and what is kept.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use aside_core::history::filter::{HistoryFilter, NotStored};
use aside_core::history::import::ParsedHistory;
use aside_proto::Request;
use clap::Subcommand;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cli::{Exit, from_home, home, one_line, progress_bar, refuse_commands};
use crate::client;
use crate::config::Config;
use crate::paths::{self, Paths};
use crate::store::history_files::{self, Source};
use crate::store::search::{Outcome, Search, Stats, Tally};
use crate::store::{History, Notice, Row};

const NO_HISTORY: &str = "no history yet; run `aside history import zsh` (or bash, fish, atuin)";

/// Import, search and count the commands you ran
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Add the commands that another program wrote down; doing it again adds only what is new
    Import {
        /// Who wrote them down
        source: Source,
        /// The file to read; without it, the usual place
        file: Option<PathBuf>,
    },
    /// Print the commands that contain all of the words, newest last
    Search {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Print at most so many
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
        /// Only what ran in this directory
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        /// Only what failed
        #[arg(long)]
        failed: bool,
        /// Words that the command contains
        text: Vec<String>,
    },
    /// Print how many commands there are, and which you run most
    Stats {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    match args.command {
        Command::Import { source, file } => {
            refuse_commands("add to the history")?;
            import(&paths, source, file)
        }
        Command::Search { json, limit, cwd, failed, text } => {
            let directories = cwd.as_deref().map(spellings).unwrap_or_default();
            let outcome = if failed { Outcome::Failed } else { Outcome::Any };
            search(&paths, &Search { words: text, directories, outcome, limit }, json)
        }
        Command::Stats { json } => stats(&paths, json),
    }
}

fn import(paths: &Paths, source: Source, file: Option<PathBuf>) -> anyhow::Result<Exit> {
    let config = match Config::load(&paths.config_file) {
        Ok(config) => config,
        Err(problems) => {
            complain!("{problems}");
            return Ok(Exit::Usage);
        }
    };
    let filter = HistoryFilter::new(&config.history.ignore, config.history.secrets.into())?;
    let file = file.map_or_else(|| history_files::usual_file(source), Ok)?;
    let mut parsed = source.read(&file)?;
    if parsed.entries.is_empty() && parsed.skipped == 0 {
        bail!("{} holds no commands; give the file to read: `aside history import {source} FILE`", file.display());
    }
    let left_out = leave_out(&mut parsed, &filter);
    paths::leave_to_its_owner(&paths.data_dir)?;
    let (mut history, notice) = History::open(&paths.history_db())?;
    let bar = progress_bar(parsed.entries.len());
    let imported = history.import(&parsed.entries, &mut |done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    // Damage may show only while writing.
    if let Some(Notice(text)) = history.notice().cloned().or(notice) {
        complain!("aside: {text}");
    }
    // Tells a running daemon to read the history again; another reads it at its start.
    let _ = client::ask(&paths.socket, Request::Reload);
    let summary = summary(imported.added, imported.already_there, &left_out, parsed.skipped, &file);
    writeln!(std::io::stdout(), "{summary}")?;
    Ok(Exit::Done)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    hidden: usize,
    too_long: usize,
    ignored: usize,
    secret: usize,
}

fn leave_out(parsed: &mut ParsedHistory, filter: &HistoryFilter) -> LeftOut {
    let mut left_out = LeftOut::default();
    filter.sift(&mut parsed.entries, |refusal| match refusal {
        NotStored::Blank => {}
        NotStored::Hidden => left_out.hidden += 1,
        NotStored::TooLong => left_out.too_long += 1,
        NotStored::Ignored => left_out.ignored += 1,
        NotStored::Secret => left_out.secret += 1,
    });
    left_out
}

fn summary(added: usize, already_there: usize, left_out: &LeftOut, skipped: usize, file: &Path) -> String {
    let LeftOut { hidden, too_long, ignored, secret } = *left_out;
    let rest: Vec<String> = [
        (already_there, "already there"),
        (hidden, "left out for beginning with a space"),
        (ignored, "left out by your ignore patterns"),
        (secret, "left out for a secret in them"),
        (too_long, "too long"),
        (skipped, "not UTF-8"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{} {what}", grouped(count)))
    .collect();
    let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join(", ")) };
    let commands = if added == 1 { "command" } else { "commands" };
    format!("imported {} {commands} from {}{rest}", grouped(added), file.display())
}

fn search(paths: &Paths, search: &Search, json: bool) -> anyhow::Result<Exit> {
    let Some(mut history) = History::open_to_read(&paths.history_db())? else { return no_history(json, "[]") };
    let rows = history.search(search)?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if json {
        out.write_all(crate::cli::json_lines(&rows)?.as_bytes())?;
    } else {
        out.write_all(table(&rows, &TimeZone::system(), home().as_deref()).as_bytes())?;
    }
    out.flush()?;
    if rows.is_empty() && !json {
        complain!("aside: no command fits");
    }
    Ok(if rows.is_empty() { Exit::Failed } else { Exit::Done })
}

fn stats(paths: &Paths, json: bool) -> anyhow::Result<Exit> {
    let Some(mut history) = History::open_to_read(&paths.history_db())? else { return no_history(json, "null") };
    let stats = history.stats()?;
    let mut out = std::io::stdout().lock();
    if json {
        out.write_all(crate::cli::json_lines(&stats)?.as_bytes())?;
    } else {
        out.write_all(report(&stats, &TimeZone::system(), home().as_deref()).as_bytes())?;
    }
    Ok(Exit::Done)
}

/// With `--json`, an empty result is still JSON.
fn no_history(json: bool, nothing: &str) -> anyhow::Result<Exit> {
    if json {
        writeln!(std::io::stdout(), "{nothing}")?;
    }
    complain!("aside: {NO_HISTORY}");
    Ok(Exit::Failed)
}

/// A shell records the directory as the user entered it, perhaps through links: searches for each spelling.
fn spellings(dir: &Path) -> Vec<String> {
    let logical = std::env::var_os("PWD").map(|pwd| PathBuf::from(pwd).join(dir));
    let logical = logical.and_then(|path| std::path::absolute(path).ok());
    let spellings = [logical, std::path::absolute(dir).ok(), std::fs::canonicalize(dir).ok()];
    let mut spellings: Vec<String> = spellings.into_iter().flatten().map(without_slash).collect();
    spellings.sort();
    spellings.dedup();
    spellings
}

fn without_slash(path: PathBuf) -> String {
    // Collecting the components drops `.` and a trailing slash.
    path.components().collect::<PathBuf>().display().to_string()
}

/// Time, exit code if it failed, directory, command; one line each.
fn table(rows: &[Row], zone: &TimeZone, home: Option<&str>) -> String {
    let mut lines = String::new();
    let cells: Vec<[String; 3]> = rows
        .iter()
        .map(|Row { entry, .. }| {
            let failed = entry.exit.filter(|exit| *exit != 0).map(|exit| format!("!{exit}"));
            let cwd = entry.cwd.as_deref().map(|cwd| one_line(&from_home(cwd, home)));
            [entry.start_ms.map(|start| time(start, zone)), failed, cwd].map(Option::unwrap_or_default)
        })
        .collect();
    let width = |column: usize| cells.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for (cells, Row { entry, .. }) in cells.iter().zip(rows) {
        for (cell, width) in cells.iter().zip(widths).filter(|(_, width)| *width > 0) {
            lines.push_str(&format!("{cell:width$}  "));
        }
        lines.push_str(&one_line(&entry.command));
        lines.push('\n');
    }
    lines
}

fn report(stats: &Stats, zone: &TimeZone, home: Option<&str>) -> String {
    let Stats { total, distinct, first_ms, last_ms, ok, failed, commands, shells, directories } = stats;
    let mut text = format!("{} commands, {} of them different\n", grouped(*total), grouped(*distinct));
    if let (Some(first), Some(last)) = (first_ms, last_ms) {
        text.push_str(&format!("from {} to {}\n", time(*first, zone), time(*last, zone)));
    }
    if ok + failed > 0 {
        text.push_str(&format!("{} succeeded, {} failed\n", grouped(*ok), grouped(*failed)));
    }
    let names = |tallies: &[Tally]| tallies.iter().map(|tally| (one_line(&tally.name), tally.count)).collect();
    let places = directories.iter().map(|tally| (one_line(&from_home(&tally.name, home)), tally.count)).collect();
    let lists: [(&str, Vec<(String, usize)>); 3] =
        [("most often", names(commands)), ("by shell", names(shells)), ("by directory", places)];
    for (title, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        text.push_str(&format!("\n{title}\n"));
        let width = list.iter().map(|(_, count)| grouped(*count).len()).max().unwrap_or(0);
        for (name, count) in list {
            text.push_str(&format!("  {:>width$}  {name}\n", grouped(*count)));
        }
    }
    text
}

fn time(start_ms: i64, zone: &TimeZone) -> String {
    let Ok(time) = Timestamp::from_millisecond(start_ms) else { return String::new() };
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// 1234567 as `1 234 567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use aside_core::history::HistoryEntry;
    use aside_core::history::filter::SecretPolicy;

    use super::*;

    fn row(command: &str, start_ms: Option<i64>, exit: Option<i32>, cwd: Option<&str>) -> Row {
        let cwd = cwd.map(str::to_owned);
        Row {
            id: 1,
            entry: HistoryEntry { command: command.to_owned(), start_ms, exit, cwd, ..HistoryEntry::default() },
        }
    }

    #[test]
    fn prints_aligned_lines_and_escapes_what_a_terminal_would_obey() {
        let rows = [
            row("make", Some(1_700_000_000_000), Some(2), Some("/home/me/src")),
            row("for i in 1\necho \x1b[2J", Some(1_700_000_060_000), Some(0), Some("/home/meet")),
            row("ls \u{202e}fdp.exe", None, None, None),
        ];
        assert_eq!(
            table(&rows, &TimeZone::UTC, Some("/home/me")),
            "2023-11-14 22:13  !2  ~/src       make\n\
             2023-11-14 22:14      /home/meet  for i in 1\\necho \\u{1b}[2J\n\
             \x20                                 ls \\u{202e}fdp.exe\n"
        );
    }

    #[test]
    fn leaves_out_columns_that_nothing_fills() {
        assert_eq!(table(&[row("ls", None, Some(0), None)], &TimeZone::UTC, None), "ls\n");
    }

    #[test]
    fn sums_up_an_import() {
        let file = Path::new("/h");
        let nothing = LeftOut::default();
        assert_eq!(summary(1, 0, &nothing, 0, file), "imported 1 command from /h");
        let left_out = LeftOut { hidden: 2, too_long: 0, ignored: 3, secret: 4 };
        assert_eq!(
            summary(1234, 56, &left_out, 1, file),
            "imported 1 234 commands from /h (56 already there, 2 left out for beginning with a space, \
             3 left out by your ignore patterns, 4 left out for a secret in them, 1 not UTF-8)"
        );
    }

    #[test]
    fn groups_digits_by_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1 000", "1 234 567"]);
    }

    #[test]
    fn reports_the_numbers() {
        let tally = |name: &str, count| Tally { name: name.to_owned(), count };
        let stats = Stats {
            total: 1200,
            distinct: 2,
            first_ms: Some(1_700_000_000_000),
            last_ms: Some(1_700_000_060_000),
            ok: 5,
            failed: 1,
            commands: vec![tally("ls", 1100), tally("make", 100)],
            shells: vec![tally("zsh", 1200)],
            directories: vec![],
        };
        assert_eq!(
            report(&stats, &TimeZone::UTC, None),
            "1 200 commands, 2 of them different\n\
             from 2023-11-14 22:13 to 2023-11-14 22:14\n\
             5 succeeded, 1 failed\n\
             \n\
             most often\n\
             \x20 1 100  ls\n\
             \x20   100  make\n\
             \n\
             by shell\n\
             \x20 1 200  zsh\n"
        );
    }

    #[test]
    fn counts_what_the_filter_leaves_out() {
        let filter = HistoryFilter::new(&["^pass".to_owned()], SecretPolicy::Skip).unwrap();
        let long = "x".repeat(20_000);
        let entry = |command: &str| HistoryEntry { command: command.to_owned(), ..HistoryEntry::default() };
        let mut parsed =
            ParsedHistory { entries: [" a", "pass b", "c", "mysql -phunter2", &long].map(entry).to_vec(), skipped: 0 };
        let left_out = leave_out(&mut parsed, &filter);
        assert_eq!(left_out, LeftOut { hidden: 1, too_long: 1, ignored: 1, secret: 1 });
        assert_eq!(parsed.entries, [entry("c")]);
    }
}
