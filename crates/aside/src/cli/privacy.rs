//! `aside privacy`: shows what left this machine, byte for byte; what would be redacted from a text; how to keep a shell private. Reads the
//! journal itself, and needs no daemon.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use aside_redact as redact;
use aside_text::escaped_json;
use clap::Subcommand;
use serde::Serialize;

use crate::agent::setup;
use crate::cli::{Exit, from_home, home, local_time, one_line, print};
use crate::config::Config;
use crate::paths::Paths;
use crate::store::journal::{Entry, Journal, Line};

mod clean;

/// Poll interval of `--follow`.
const LOOK: Duration = Duration::from_millis(200);

/// Cap on a text to test, in bytes.
const MAX_TEXT: u64 = 64 * 1024 * 1024;

/// Show what left this machine, and what would be taken out of it
///
/// Each request is noted before it is sent: one that cannot be noted is not sent. The body is kept as it went over the
/// wire, secrets already taken out; the key that was sent with it is not.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Show the last request, byte for byte
    #[arg(long)]
    last: bool,
    /// Show the bodies too
    #[arg(long)]
    full: bool,
    /// Print the body of the last request and nothing else
    #[arg(long, conflicts_with_all = ["full", "follow", "json"])]
    body: bool,
    /// Wait, and show each request as it leaves
    #[arg(long, conflicts_with = "last")]
    follow: bool,
    /// Print JSON, one request on each line
    #[arg(long)]
    json: bool,
    /// Print at most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

#[derive(Subcommand)]
enum Command {
    /// Print a text without its secrets, and on standard error what was taken out
    Test {
        /// The file to read; - for standard input
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take secrets out of what Aside has stored: the history, the logs of tasks and the others
    ///
    /// Commands are removed or redacted, as `history.secrets` says. Your shell's own history file is never touched.
    Clean {
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Say how to keep everything of this shell on this machine
    On,
    /// Say how to let a model be asked again
    Off,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    match args.command {
        Some(Command::Test { file, json }) => test(&file, json),
        Some(Command::Clean { dry_run }) => clean::run(&paths, dry_run),
        Some(Command::On) => switch(&paths, ON),
        Some(Command::Off) => switch(&paths, OFF),
        None if args.follow => follow(&Journal::new(&paths), &args),
        None => show(&paths, &args),
    }
}

fn show(paths: &Paths, args: &Args) -> anyhow::Result<Exit> {
    let journal = Journal::new(paths);
    let entries = journal.read().context("could not read what was noted")?;
    let file = from_home(&journal.lines().path().display().to_string(), home().as_deref());
    let Some(newest) = entries.last() else {
        if !args.json && !args.body {
            print(&nothing(&file, &asked(paths)))?;
        }
        return Ok(Exit::Done);
    };
    if args.body {
        print(&shown(&newest.body))?;
        return Ok(Exit::Done);
    }
    let limit = if args.last { 1 } else { args.limit };
    let chosen = entries.get(entries.len().saturating_sub(limit)..).unwrap_or_default();
    for entry in chosen {
        tell(entry, args)?;
    }
    if !args.json && !args.last && !args.full {
        let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        let since = entries.first().map(|entry| local_time(&entry.ts)).unwrap_or_default();
        let count = many(entries.len(), "request");
        let here = match entries.iter().filter(|entry| is_here(&entry.address)).count() {
            0 => String::new(),
            here if here == entries.len() => ", all to this machine itself".to_owned(),
            here => format!(", {here} to this machine itself"),
        };
        print(&format!("\n{count}, {} since {since}{here}; noted in {file}\n", bytes_of(bytes)))?;
        print("`aside privacy --last` shows the newest, byte for byte\n")?;
        let config = Config::load(&paths.config_file).unwrap_or_default();
        if let Some(agent) = setup::named(&config.task) {
            print(&agent_reads(agent))?;
        }
    }
    Ok(Exit::Done)
}

fn nothing(file: &str, asked: &str) -> String {
    format!(
        "Nothing has left this machine: no request is noted in {file}, and none is sent before it is noted.\n{asked}"
    )
}

/// What the agent reads by itself, which the journal does not contain.
fn agent_reads(agent: &str) -> String {
    format!(
        "The agent {} is told what is noted here. It reads files of the workspace of a task by itself, but for those that no task touches and \
         for keys in your home, and sends what it likes of them to its own model: `aside help agents`.\n",
        one_line(agent)
    )
}

/// The servers that the settings name.
fn asked(paths: &Paths) -> String {
    let private = std::env::var_os("ASIDE_PRIVATE").is_some_and(|value| !value.is_empty() && value != "0");
    let shell = if private { "This shell is private (ASIDE_PRIVATE): nothing of it will leave either.\n" } else { "" };
    let Ok(config) = Config::load(&paths.config_file) else { return shell.to_owned() };
    let remote = [&config.llm.complete, &config.llm.translate, &config.llm.task]
        .into_iter()
        .filter_map(|choice| config.llm.endpoint(choice))
        .next();
    if let Some(agent) = setup::named(&config.task) {
        return format!("{shell}{}", agent_reads(agent));
    }
    match remote {
        None if config.remote.enabled => {
            format!("{shell}The settings name no model; what a chat is told (remote.enabled) will be noted here.\n")
        }
        None => format!("{shell}Nothing will: the settings name no model (llm.provider).\n"),
        Some(_) => shell.to_owned(),
    }
}

fn follow(journal: &Journal, args: &Args) -> anyhow::Result<Exit> {
    let mut follow = journal.follow().context("could not read what is noted")?;
    if std::io::stderr().is_terminal() {
        complain!("aside: waiting for a request to leave; Ctrl-C ends this");
    }
    loop {
        for line in follow.more::<Line>().context("could not read what is noted")? {
            match line {
                Line::Left(entry) => tell(&entry, args)?,
                Line::Answered { .. } if args.json => {
                    print(&crate::cli::json_line(&line)?)?;
                }
                Line::Answered { answer, .. } => print(&format!("    {}\n", came_back(&answer)))?,
            }
        }
        std::thread::sleep(LOOK);
    }
}

fn tell(entry: &Entry, args: &Args) -> anyhow::Result<()> {
    if args.json {
        return print(&crate::cli::json_line(entry)?);
    }
    print(&head(entry))?;
    if args.last || args.full {
        print(&format!("\n{}\n\n", shown(&entry.body)))?;
    }
    Ok(())
}

/// When, why, to which server, how much, and the response.
fn head(entry: &Entry) -> String {
    let Entry { ts, purpose, provider, model, address, bytes, redacted, answer, .. } = entry;
    let who = if model.is_empty() { provider.clone() } else { format!("{provider} {model}") };
    let mut text = format!("{}  {}  {}", local_time(ts), one_line(purpose), one_line(&format!("{who}  {address}")));
    text.push_str(if is_here(address) { " (this machine)\n" } else { "\n" });
    text.push_str(&format!("    {} left", bytes_of(*bytes)));
    if *redacted > 0 {
        text.push_str(&format!(", {} taken out before", many(*redacted, "secret")));
    }
    text.push('\n');
    if let Some(answer) = answer {
        text.push_str(&format!("    {}\n", came_back(answer)));
    }
    text
}

/// Whether the server is on this machine: what is sent to it does not leave it.
fn is_here(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(host, _)| host);
    host == "localhost" || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn came_back(answer: &crate::store::journal::Answer) -> String {
    let mut text = match answer.status {
        Some(status) => format!("status {status}, {} came back in {} ms", bytes_of(answer.bytes), answer.ms),
        // An agent has no HTTP status.
        None if answer.failure.is_empty() => format!("{} came back in {} ms", bytes_of(answer.bytes), answer.ms),
        None => format!("no answer within {} ms", answer.ms),
    };
    if let (Some(sent), Some(got)) = (answer.input_tokens, answer.output_tokens) {
        text.push_str(&format!(", {sent} + {got} tokens"));
    }
    if !answer.failure.is_empty() {
        text.push_str(&format!(": {}", one_line(&answer.failure)));
    }
    text
}

/// A file or a pipe gets every byte unchanged; for a terminal, escape sequences are escaped.
fn shown(text: &str) -> String {
    if std::io::stdout().is_terminal() { escaped(text) } else { text.to_owned() }
}

/// Keeps everything, but escapes what a terminal would interpret, in the way of the body's own JSON.
fn escaped(text: &str) -> String {
    escaped_json(text).into_owned()
}

fn bytes_of(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

fn many(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Found {
    line: usize,
    /// In characters, from 1.
    column: usize,
    kind: &'static str,
    /// Enough to recognize it by.
    masked: String,
}

fn test(file: &Path, json: bool) -> anyhow::Result<Exit> {
    let text = read(file)?;
    let found = found(&text);
    let clean = redact::redact(&text);
    if json {
        let answer = serde_json::json!({ "secrets": found, "text": clean });
        print(&format!("{answer:#}\n"))?;
        return Ok(Exit::Done);
    }
    std::io::stdout().flush()?;
    for Found { line, column, kind, masked } in &found {
        complain!("line {line}, column {column}: {kind}  {masked}");
    }
    complain!(
        "aside: {}",
        match found.len() {
            0 => "nothing would be taken out".to_owned(),
            count => format!("{} would be taken out", many(count, "secret")),
        }
    );
    print(&shown(&clean))?;
    Ok(Exit::Done)
}

fn read(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let name = || format!("could not read {}", file.display());
    if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_TEXT + 1).read_to_end(&mut bytes).with_context(name)?;
    } else {
        std::fs::File::open(file)
            .and_then(|file| file.take(MAX_TEXT + 1).read_to_end(&mut bytes))
            .with_context(name)?;
    }
    if bytes.len() as u64 > MAX_TEXT {
        bail!("{} is larger than {} MiB; split it", file.display(), MAX_TEXT >> 20);
    }
    // A request body is UTF-8 too, so invalid bytes never leave as they are.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn found(text: &str) -> Vec<Found> {
    let (mut line, mut begins, mut counted) = (1, 0, 0);
    let place = |secret: redact::Secret| {
        let before = text.get(counted..secret.span.start).unwrap_or_default();
        if let Some(last) = before.rfind('\n') {
            line += before.matches('\n').count();
            begins = counted + last + 1;
        }
        counted = secret.span.start;
        let column = text.get(begins..secret.span.start).unwrap_or_default().chars().count() + 1;
        let masked = masked(text.get(secret.span).unwrap_or_default());
        Found { line, column, kind: secret.kind, masked }
    };
    redact::secrets(text).into_iter().map(place).collect()
}

/// The beginning of a long secret, nothing of a short one.
fn masked(secret: &str) -> String {
    let letters = secret.chars().count();
    let shown: String = secret.chars().take(if letters >= 16 { 4 } else { 0 }).collect();
    one_line(&format!(
        "{shown}… ({})",
        if letters == 1 { "1 character".to_owned() } else { format!("{letters} characters") }
    ))
}

const ON: &str = "A program cannot change the shell that started it, so this is for you to type.

To keep everything of a shell on this machine, any of:

  aside-private               in zsh; say it again to switch back
  export ASIDE_PRIVATE=1      before the shell starts, or in its rc file above the line of aside
  set -gx ASIDE_PRIVATE 1     the same in fish
  a key in zsh                after `aside config set llm.private_key alt-p`

To keep everything of every shell on this machine:

  aside config set llm.provider embedded
";

const OFF: &str = "A program cannot change the shell that started it, so this is for you to type.

To let a model be asked for this shell again:

  aside-private               in zsh, when it made the shell private
  unset ASIDE_PRIVATE         and start the shell anew (fish: set -e ASIDE_PRIVATE)

Nothing leaves as long as `aside config get llm.provider` says embedded.
";

fn switch(paths: &Paths, how: &str) -> anyhow::Result<Exit> {
    let asked = asked(paths);
    print(how)?;
    if !asked.is_empty() {
        print(&format!("\n{asked}"))?;
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_told_from_others() {
        for here in ["http://127.0.0.1:11434/v1", "http://localhost/x", "http://[::1]:80/v1", "http://127.9.9.9"] {
            assert!(is_here(here), "{here}");
        }
        for there in [
            "https://api.example.com/v1",
            "http://localhost.example.com",
            "http://10.0.0.1:80",
            "http://127.0.0.1.nip.example/",
        ] {
            assert!(!is_here(there), "{there}");
        }
    }

    #[test]
    fn a_terminal_is_shown_what_it_must_not_obey() {
        let body = "{\"a\":\"x\u{9b}31m\u{202e}y\u{1b}[0m\"}";
        assert_eq!(escaped(body), r#"{"a":"x\u009b31m\u202ey\u001b[0m"}"#);
    }

    #[test]
    fn a_secret_is_named_by_its_place_and_not_told() {
        let text = "ok\nDB_PASSWORD=hunter2\né PASSWORD=correct-horse-battery-9 x";
        assert_eq!(
            found(text),
            [
                Found { line: 2, column: 13, kind: "password", masked: "… (7 characters)".to_owned() },
                Found { line: 3, column: 12, kind: "password", masked: "corr… (23 characters)".to_owned() },
            ]
        );
    }
}
