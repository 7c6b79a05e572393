//! `aside explain`: explains what a command does, part by part.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use aside_commands::safety::Harm;
use aside_proto::query::{ExplainParams, ExplainResult};
use aside_proto::{Reply, Request};
use aside_translate::explain::{self, Part, is_known, summary_lines};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::cli::{Exit, Paint, current_dir, one_line, own_shell, paint, print, spelled};
use crate::client;
use crate::config::Config;
use crate::daemon::control;
use crate::daemon::user_specs::UserSpecs;
use crate::paths::Paths;
use crate::world::Environment;
use crate::world::one_shot::OneShot;

/// The daemon's time besides the model's timeout.
const SLACK: Duration = Duration::from_secs(5);
/// Cap on a command from standard input.
const MAX_INPUT: u64 = 64 * 1024;
/// Width to which parts are aligned.
const WIDEST: usize = 24;
/// Width of the short form.
const SHORT: usize = 78;

const BOLD: &str = "1";
const RED: &str = "31";

/// Say what a command does, part by part
///
/// Nothing is run. A model is asked as well when the settings name one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  aside explain tar -czf src.tar.gz src")]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// As short as below a prompt
    #[arg(long)]
    short: bool,
    /// The shell whose language the command is in
    #[arg(long, value_name = "SHELL", value_parser = ["zsh", "bash", "fish"])]
    shell: Option<String>,
    /// The command; read from standard input when absent
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

#[derive(Serialize)]
struct Explained<'a> {
    command: &'a str,
    summary: &'a str,
    parts: Vec<JsonPart<'a>>,
    /// The model's explanation, line by line.
    model: &'a [String],
}

#[derive(Serialize)]
struct JsonPart<'a> {
    text: &'a str,
    about: &'a str,
    warning: &'a str,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let config = Config::load(&paths.config_file).unwrap_or_default();
    let command = if args.command.is_empty() { piped()? } else { spelled(&args.command) };
    if command.is_empty() {
        complain!("aside: say which command: aside explain tar -czf src.tar.gz src");
        return Ok(Exit::Usage);
    }
    if let Some(option) = args.command.first().filter(|word| word.len() > 1 && word.starts_with('-')) {
        complain!("aside: explain has no option {}; a command begins with its name", one_line(option));
        return Ok(Exit::Usage);
    }
    let cwd = current_dir()?;
    let shell = args.shell.unwrap_or_else(own_shell);
    let here = OneShot::new(&cwd, &shell, Environment::own(), UserSpecs::read(paths.specs_dir()).current());
    let known = explain::explain(&command, &here.place());
    let model = match config.llm.endpoint(&config.llm.translate) {
        Some(_) if !client::is_private() => from_model(&paths, &config, &command, &cwd, &shell),
        Some(_) | None => Vec::new(),
    };
    print(&if args.json {
        json(&command, &known, &model)?
    } else if args.short {
        let lines = if model.is_empty() { summary_lines(&known, SHORT) } else { model.clone() };
        lines.iter().map(|line| one_line(line) + "\n").collect()
    } else {
        long(&known, &model, paint())
    })?;
    let is_known = !model.is_empty() || is_known(&known);
    if !is_known {
        complain!("aside: nothing is known about this command");
    }
    Ok(if is_known { Exit::Done } else { Exit::Failed })
}

/// Reads the command from standard input: every user can read a process's arguments.
fn piped() -> anyhow::Result<String> {
    let mut input = Vec::new();
    if !std::io::stdin().is_terminal() {
        std::io::stdin().take(MAX_INPUT).read_to_end(&mut input)?;
    }
    Ok(String::from_utf8_lossy(&input).trim().to_owned())
}

/// Empty when it does not reply: the local explanation has to do.
fn from_model(paths: &Paths, config: &Config, command: &str, cwd: &str, shell: &str) -> Vec<String> {
    if !client::is_listening(&paths.socket) && control::start(paths).is_err() {
        return Vec::new();
    }
    let asked = ExplainParams {
        cwd: cwd.to_owned(),
        command: command.to_owned(),
        shell: shell.to_owned(),
        wait: true,
        ..ExplainParams::default()
    };
    let patience = Duration::from_millis(config.llm.timeout_wish_ms) + SLACK;
    match client::ask_with_timeout(&paths.socket, Request::Explain(asked), patience) {
        Ok(Reply::Explain(ExplainResult { source, lines, .. })) if source == "llm" => lines,
        Ok(_) | Err(_) => Vec::new(),
    }
}

fn long(known: &explain::Explanation, model: &[String], paint: Paint) -> String {
    // The model's summary takes precedence over ours.
    let mut text: String = if model.is_empty() {
        Some(one_line(&known.summary))
            .filter(|summary| !summary.is_empty())
            .map(|summary| summary + "\n")
            .into_iter()
            .collect()
    } else {
        model.iter().map(|line| one_line(line) + "\n").collect()
    };
    if !text.is_empty() && !known.parts.is_empty() {
        text.push('\n');
    }
    let widths = known.parts.iter().map(|part| one_line(&part.text).width()).filter(|width| *width <= WIDEST);
    let widest = widths.max().unwrap_or(0);
    for Part { text: part, about, harm } in &known.parts {
        let part = one_line(part);
        let fill = " ".repeat(widest.saturating_sub(part.width()));
        let mut row = format!("  {}{fill}  {}", paint.with(BOLD, &part), one_line(about));
        row.truncate(row.trim_end().len());
        if let Some(harm) = harm {
            row.push_str(&format!("  {}", paint.with(RED, &format!("! {}", harm.words()))));
        }
        text.push_str(&row);
        text.push('\n');
    }
    text
}

fn json(command: &str, known: &explain::Explanation, model: &[String]) -> anyhow::Result<String> {
    let parts = known.parts.iter();
    let parts = parts.map(|Part { text, about, harm }| JsonPart { text, about, warning: harm.map_or("", Harm::words) });
    let parts = parts.collect();
    crate::cli::json_lines(&Explained { command, summary: &known.summary, parts, model })
}
