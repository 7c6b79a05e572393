//! The command line: one definition, from which help, man pages and completions are generated. Each subcommand is a file.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use aside_text as text;
use aside_text::markdown::style;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use shell_line::{Dialect, quote};

use crate::client::tasks::Tasks;
use crate::client::{self, ClientError};
use crate::config::check::{Source, read_text};
use crate::config::schema::{Value, setting};
use crate::config::{atomic_write, edit};
use crate::daemon::control;
use crate::exec::taint::TrustLevel;
use crate::paths::{self, Paths};
use crate::world::ancestors::{Process, ancestors};

/// Prints an error to standard error. Not `eprintln!`: a quoted name or argument may contain escape sequences.
macro_rules! complain {
    ($($words:tt)*) => {
        $crate::cli::write_error(&format!($($words)*))
    };
}

mod agent;
mod answer;
mod call;
mod chat;
mod complete;
mod completions;
mod config;
mod daemon;
mod detect;
mod doctor;
mod drain;
mod explain;
mod help;
mod history;
mod init;
mod log;
mod man;
mod mcp;
mod model;
mod pipe;
mod privacy;
mod proxy;
mod reader;
mod relay;
mod remote;
mod sandbox;
mod setup;
mod sink;
mod stats;
mod suggest;
mod supervisor;
mod task;
mod translate;
mod try_shell;
mod uninstall;
mod web;

/// Natural language at the shell prompt
#[derive(Parser)]
#[command(name = "aside", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 failed, no answer, or (doctor) something to do; 2 wrong
command line or settings; 3 no daemon; 4 (task) not approved; 130 Ctrl-C";

#[derive(Subcommand)]
enum Command {
    Setup(setup::Args),
    Init(init::Args),
    Try(try_shell::Args),
    Tutor(try_shell::tutor::Args),
    Daemon(daemon::Args),
    Translate(translate::Args),
    Explain(explain::Args),
    Answer(answer::Args),
    Detect(detect::Args),
    Task(task::Args),
    Chat(chat::Args),
    Web(web::Args),
    Remote(remote::Args),
    Relay(relay::Args),
    Suggest(suggest::Args),
    Fix(suggest::fix::Args),
    Log(log::Args),
    Complete(complete::Args),
    Why(complete::why::Args),
    History(history::Args),
    Model(model::Args),
    Reader(reader::Args),
    Agent(agent::Args),
    Mcp(mcp::Args),
    Privacy(privacy::Args),
    Stats(stats::Args),
    Config(config::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Uninstall(uninstall::Args),
    Man(man::Args),
    Call(call::Args),
    Drain(drain::Args),
    Keep(supervisor::Args),
    Line(complete::line::Args),
    Pipe(pipe::Args),
    Proxy(proxy::Args),
    Sandbox(sandbox::Args),
    Sink(sink::Args),
    Synapse(translate::synapse::Args),
}

/// How a subcommand ends when nothing failed. Failures are `anyhow::Error`s, printed once, here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    Usage,
    Unreachable,
    /// A proposal waits for approval, or was rejected.
    Unapproved,
    /// Ctrl-C: 130, as in shells.
    Stopped,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unreachable => 3,
            Exit::Unapproved => 4,
            Exit::Stopped => 130,
        })
    }
}

pub fn main() -> ExitCode {
    // The plugin of another program (Synapse) calls us by that program's name.
    if let Some(code) = translate::synapse::by_name() {
        return code;
    }
    let given: Vec<OsString> = std::env::args_os().collect();
    if let Some(args) = init::Args::at_once(&given) {
        return ended(init::run(args));
    }
    if let Some(page) = help::page(&given) {
        // A closed pipe is no failure.
        let _ = print(&help::for_terminal(page));
        return ExitCode::SUCCESS;
    }
    if let Some(error) = help::unknown(&given) {
        complain!("{error}");
        return Exit::Usage.into();
    }
    let parsed = match parsed(words(given)) {
        Ok(parsed) => parsed,
        Err(error) => return misread(&error),
    };
    let outcome = match parsed.command {
        Command::Setup(args) => setup::run(args),
        Command::Init(args) => init::run(args),
        Command::Try(args) => try_shell::run(args),
        Command::Tutor(args) => try_shell::tutor::run(args),
        Command::Daemon(args) => daemon::run(args),
        Command::Translate(args) => translate::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Answer(args) => answer::run(args),
        Command::Detect(args) => detect::run(args),
        Command::Task(args) => task::run(args),
        Command::Chat(args) => chat::run(args),
        Command::Web(args) => web::run(args),
        Command::Remote(args) => remote::run(args),
        Command::Relay(args) => relay::run(args),
        Command::Suggest(args) => suggest::run(args),
        Command::Fix(args) => suggest::fix::run(args),
        Command::Log(args) => log::run(args),
        Command::Complete(args) => complete::run(args),
        Command::Why(args) => complete::why::run(args),
        Command::History(args) => history::run(args),
        Command::Model(args) => model::run(args),
        Command::Reader(args) => reader::run(args),
        Command::Agent(args) => agent::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Privacy(args) => privacy::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Config(args) => config::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Uninstall(args) => uninstall::run(args),
        Command::Man(args) => man::run(args),
        Command::Call(args) => call::run(args),
        Command::Drain(args) => drain::run(args),
        Command::Keep(args) => supervisor::run(args),
        Command::Line(args) => complete::line::run(args),
        Command::Pipe(args) => pipe::run(args),
        Command::Proxy(args) => proxy::run(args),
        Command::Sandbox(args) => sandbox::run(args),
        Command::Sink(args) => sink::run(args),
        Command::Synapse(args) => translate::synapse::run(args),
    };
    ended(outcome)
}

fn ended(outcome: anyhow::Result<Exit>) -> ExitCode {
    match outcome {
        Ok(exit) => exit.into(),
        // The reader closed the pipe (`| head`): that is no failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain!("aside: {error:#}");
            Exit::Failed.into()
        }
    }
}

fn parsed(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    // Only the top-level help lists the commands in groups.
    let asks_for_help = words.len() < 2 || words.get(1).is_some_and(|word| word == "--help" || word == "-h");
    let command = if asks_for_help { help::grouped(Cli::command()) } else { Cli::command() };
    Cli::from_arg_matches(&command.try_get_matches_from(words)?)
}

/// `aside help translate` is `aside translate --help`. Replaces clap's own `help`, which repeats every subcommand, in the completions too.
/// Also separates a request that begins like a subcommand of `aside task`.
fn words(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    task::request_or_command::mark_request(words)
}

/// Prints help and versions as they are, but sanitizes an error: it quotes arguments, which may contain escape sequences.
fn misread(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // Rust's words for a number that cannot be read.
        let said = error.render().to_string().replace("invalid digit found in string", "it is no whole number");
        complain!("{}", said.trim_end());
    } else {
        let _ = error.print();
    }
    u8::try_from(error.exit_code()).unwrap_or(2).into()
}

/// JSON for scripts, on one line. Escapes what could move a terminal's cursor.
fn json_line(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(text::escaped_json(&serde_json::to_string(value)?).into_owned() + "\n")
}

/// The same, indented for reading.
fn json_lines(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(text::escaped_json(&serde_json::to_string_pretty(value)?).into_owned() + "\n")
}

fn write_error(text: &str) {
    // A failed write to stderr cannot be reported.
    let _ = writeln!(std::io::stderr(), "{}", text::clean(text));
}

/// Refuses when called from a task's command, or from a process that it left behind: only the user may change this.
fn refuse_commands(what: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        TrustLevel::own() == TrustLevel::User,
        "a command of a task cannot {what}; run it in a terminal of your own"
    );
    Ok(())
}

/// Prints to standard output. Not `println!`, which panics on a closed pipe (`| head`).
fn print(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// Joins arguments into a command line. A single argument is the whole line, and quoted operators become operators: `a '|' b`.
fn spelled(words: &[String]) -> String {
    let is_operator = |word: &str| {
        word.trim_start_matches(|digit: char| digit.is_ascii_digit()).starts_with(['|', '&', ';', '<', '>'])
    };
    let spelled = |(place, word): (usize, &String)| match place == 0 || is_operator(word) {
        true => word.clone(),
        false => quote::word(word, Dialect::Bash),
    };
    words.iter().enumerate().map(spelled).collect::<Vec<_>>().join(" ")
}

/// The caller's shell, if it is a supported one.
fn own_shell() -> String {
    let shell = std::env::var("SHELL").unwrap_or_default();
    let name = shell.rsplit('/').next().unwrap_or_default();
    if ["zsh", "bash", "fish"].contains(&name) { name.to_owned() } else { String::new() }
}

/// The session of the shell above us, as far as it is known here: the daemon completes the name, if it knows the shell.
fn session() -> String {
    let named = std::env::var("ASIDE_SESSION").ok().filter(|named| !named.is_empty());
    let above = || {
        ancestors().into_iter().find_map(|Process { pid, name }| {
            let name = name.trim_start_matches('-');
            ["zsh", "bash", "fish"].contains(&name).then(|| format!("{name}-{pid}"))
        })
    };
    named.or_else(above).unwrap_or_default()
}

/// A timestamp in local time.
fn local_time(ts: &str) -> String {
    let Ok(time) = ts.parse::<Timestamp>() else { return one_line(ts) };
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The terminal that we were started in.
fn terminal() -> Option<String> {
    let name = |fd: BorrowedFd<'_>| rustix::termios::ttyname(fd, Vec::new()).ok();
    let (input, output, errors) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let name = name(input.as_fd()).or_else(|| name(errors.as_fd())).or_else(|| name(output.as_fd()))?;
    name.into_string().ok()
}

fn current_dir() -> anyhow::Result<String> {
    let dir = std::env::current_dir().context("this directory cannot be found any more; go to another one")?;
    Ok(dir.display().to_string())
}

/// Connects to the daemon for tasks, and starts it when there is none.
fn tasks(paths: &Paths) -> anyhow::Result<Tasks> {
    let stream = match client::connect(&paths.socket) {
        Err(ClientError::Absent) => {
            control::start(paths)?;
            client::connect(&paths.socket)?
        }
        connected => connected?,
    };
    Ok(Tasks::over(stream))
}

/// Changes one of the user's settings, and no other byte of the file.
fn change_setting(paths: &Paths, key: &str, value: &Value) -> anyhow::Result<()> {
    let text = read_text(&paths.config_file).map_err(|problem| anyhow::anyhow!("{problem}"))?.unwrap_or_default();
    let setting = setting(key).context("there is no such setting")?;
    let source = Source { file: &paths.config_file, text: &text };
    let changed = edit::set(&source, setting, value).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    if changed != text {
        paths::leave_to_its_owner(&paths.data_dir)?;
        atomic_write::replace_own(&paths.config_file, changed.as_bytes())?;
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    Plain,
    Colour,
}

impl Paint {
    /// A rendered Markdown row.
    fn row(self, row: &str) -> String {
        let palette = match self {
            Paint::Plain => style::ColorMode::Plain,
            Paint::Colour => style::ColorMode::Colour,
        };
        style::paint(row, palette)
    }

    /// `style` is what stands between `ESC [` and `m`.
    fn with(self, style: &str, text: &str) -> String {
        match self {
            Paint::Plain => text.to_owned(),
            Paint::Colour => format!("\x1b[{style}m{text}\x1b[0m"),
        }
    }
}

/// Colours only where the terminal supports them and the user has not disabled them.
fn paint() -> Paint {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let plain = set("NO_COLOR").is_some() || set("TERM").is_none_or(|term| term == "dumb");
    if std::io::stdout().is_terminal() && !plain { Paint::Colour } else { Paint::Plain }
}

fn home() -> Option<String> {
    std::env::var("HOME").ok().filter(|home| home.len() > 1)
}

fn from_home(path: &str, home: Option<&str>) -> String {
    match home.and_then(|home| path.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// Sanitizes a command for one line: it may contain line breaks, escape sequences, and characters that hide or reorder others.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        let shows = !char.is_control() && text::is_clean(char.encode_utf8(&mut [0; 4]));
        if shows { line.push(char) } else { line.extend(char.escape_default()) }
    }
    line
}

fn progress_bar(length: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64);
    match ProgressStyle::with_template("importing {bar:40} {percent}%") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// After so long without output a model may be stuck.
const STALLED: Duration = Duration::from_secs(20);

/// The note about a model that has been silent for a while.
fn stalled(quiet: Duration) -> String {
    format!("nothing from the model for {}; Ctrl-C gives up", span(quiet.as_secs()))
}

/// `2 h 5 min`: the two largest units.
fn span(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_the_two_largest_units() {
        assert_eq!([5, 65, 3700, 90_000].map(span), ["5 s", "1 min 5 s", "1 h 1 min", "1 d 1 h"]);
    }
}
