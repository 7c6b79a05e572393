//! `aside agent`: which agents there are, which one works through tasks, and whether it can. What it is asked is the daemon's business.

use anyhow::{Context, bail};
use clap::Subcommand;
use serde::Serialize;

use crate::agent::setup::{self, CODEX, Setup};
use crate::agent::{self, Failure};
use crate::cli::{Exit, current_dir, one_line, print, refuse_commands};
use crate::config::check::{Source, read_text};
use crate::config::schema::{Value, setting};
use crate::config::{Config, edit, write};
use crate::exec::{self, Probe};
use crate::paths::{self, Paths};
use crate::world::sandbox;

/// List, choose and check the agents that work through tasks
///
/// An agent reads the workspace and proposes; it can write nothing itself. Whatever it wants done is shown to you first, like every
/// other proposal.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// List the agents that are known, and what each is like
    List {
        /// Print JSON, one agent on each line
        #[arg(long)]
        json: bool,
    },
    /// Let this agent work through tasks from now on; none is without one
    Use {
        /// As `aside agent list` calls it
        name: String,
    },
    /// Say where the program of an agent is
    #[command(after_help = "Example:\n  aside agent add codex -- ~/tools/codex/bin/codex")]
    Add {
        /// As `aside agent list` calls it
        name: String,
        /// The program, and what it is started with
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Start the agent in use, greet it, and say whether it keeps to what it is told; no model is asked
    Doctor,
}

/// One agent, for a list.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    in_use: bool,
    /// Empty when it is not here.
    program: String,
    version: String,
    signs_in: &'static str,
    asks: &'static str,
    costs: &'static str,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    match args.action.unwrap_or(Action::List { json: false }) {
        Action::List { json } => list(&paths, json),
        Action::Use { name } => {
            refuse_commands("choose an agent")?;
            choose(&paths, &name)
        }
        Action::Add { name, command } => {
            refuse_commands("choose an agent")?;
            add(&paths, &name, &command)
        }
        Action::Doctor => doctor(&paths),
    }
}

fn list(paths: &Paths, json: bool) -> anyhow::Result<Exit> {
    let config = Config::load(&paths.config_file).unwrap_or_default();
    let command = setup::command_of(&config.task, CODEX).unwrap_or(CODEX).to_owned();
    let program = exec::split(&command).and_then(|words| setup::program(words.first()?));
    let version = program.as_ref().and_then(|program| exec::probe(&Probe::AgentVersion(program)));
    let codex = Listed {
        name: CODEX,
        in_use: setup::named(&config.task) == Some(CODEX),
        program: program.map(|program| program.display().to_string()).unwrap_or_default(),
        version: version.map(|version| one_line(version.trim())).unwrap_or_default(),
        signs_in: "by itself: `codex login`, or the key that its own settings name",
        asks: "yes: it works in a read-only sandbox, and what it asks leave for becomes a proposal",
        costs: "what its provider takes; tokens are in `aside privacy`",
    };
    if json {
        print(&crate::cli::json_line(&codex)?)?;
        return Ok(Exit::Done);
    }
    let Listed { name, in_use, program, version, signs_in, asks, costs } = codex;
    let mark = if in_use { "* " } else { "  " };
    let there = match (program.as_str(), version.as_str()) {
        ("", _) => "not here; `npm install -g @openai/codex` installs it".to_owned(),
        (program, "") => format!("{}, which does not say its version", one_line(program)),
        (program, version) => format!("{version}, {}", one_line(program)),
    };
    print(&format!(
        "{mark}{name}  {there}\n    signs in         {signs_in}\n    asks first       {asks}\n    costs            {costs}\n"
    ))?;
    let used = match setup::named(&config.task) {
        None => "No agent is in use; `aside agent use codex` changes that.\n".to_owned(),
        Some(CODEX) => String::new(),
        Some(other) => format!("task.agent names {}, which is none of these.\n", one_line(other)),
    };
    print(&used)?;
    Ok(Exit::Done)
}

fn choose(paths: &Paths, name: &str) -> anyhow::Result<Exit> {
    if !["none", CODEX].contains(&name) {
        bail!("{name} is no agent that is known; `aside agent list` shows which are");
    }
    set(paths, "task.agent", &Value::Text(name.to_owned()))?;
    let config = Config::load(&paths.config_file).unwrap_or_default();
    if name == "none" {
        print("Tasks go on without an agent.\n")?;
        return Ok(Exit::Done);
    }
    match ready(&config, paths) {
        Ok(_) => print(&format!("{name} works through tasks from now on. `aside agent doctor` tries it.\n"))?,
        Err(failure) => print(&format!("{name} is to work through tasks, but {failure}.\n"))?,
    }
    Ok(Exit::Done)
}

fn add(paths: &Paths, name: &str, command: &[String]) -> anyhow::Result<Exit> {
    if name != CODEX {
        bail!("{name} is no agent that is known; `aside agent list` shows which are");
    }
    let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    let line = words.join(" ");
    let first = command.first().context("say which program")?;
    if setup::program(first).is_none() {
        bail!("{first} is no program that can be started");
    }
    let config = Config::load(&paths.config_file).unwrap_or_default();
    let mut all = config.task.agents.clone();
    all.retain(|entry| entry.split_once('=').is_none_or(|(known, _)| known.trim() != name));
    all.push(format!("{name} = {line}"));
    set(paths, "task.agents", &Value::List(all))?;
    print(&format!("{name} is {}. `aside agent use {name}` lets it work through tasks.\n", one_line(&line)))?;
    Ok(Exit::Done)
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:,@%+-=~".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn set(paths: &Paths, key: &str, value: &Value) -> anyhow::Result<()> {
    let text = read_text(&paths.config_file).map_err(|problem| anyhow::anyhow!("{problem}"))?.unwrap_or_default();
    let setting = setting(key).context("there is no such setting")?;
    let source = Source { file: &paths.config_file, text: &text };
    let changed = edit::set(&source, setting, value).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    if changed != text {
        paths::leave_to_its_owner(&paths.data_dir)?;
        write::replace(&paths.config_file, changed.as_bytes())?;
    }
    Ok(())
}

/// What would be started.
fn ready(config: &Config, paths: &Paths) -> Result<Setup, Failure> {
    let aside = std::env::current_exe().map_err(|error| Failure::NotStarted(error.to_string()))?;
    Setup::of(&config.task, paths, &aside)
}

fn doctor(paths: &Paths) -> anyhow::Result<Exit> {
    let config = Config::load(&paths.config_file).unwrap_or_default();
    let Some(name) = setup::named(&config.task) else {
        print("No agent is in use; `aside agent use codex` changes that.\n")?;
        return Ok(Exit::Done);
    };
    let setup = match ready(&config, paths) {
        Ok(setup) => setup,
        Err(failure) => {
            complain!("aside: {failure}");
            return Ok(Exit::Failed);
        }
    };
    print(&format!("ok    {name}: {}\n", one_line(&setup.program.display().to_string())))?;
    if let Err(why) = sandbox::check() {
        complain!(
            "aside: the kernel cannot keep an agent from writing ({why:#}); use a newer one, or `aside agent use none`"
        );
        return Ok(Exit::Failed);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start")?;
    let cwd = std::path::PathBuf::from(current_dir()?);
    match runtime.block_on(agent::greet(&setup, &cwd)) {
        Ok(model) => {
            let model = if model.is_empty() { "a model of its own".to_owned() } else { one_line(&model) };
            print(&format!("ok    it answers, in its read-only sandbox, and would ask {model}\n"))?;
            let state = one_line(&setup.state.display().to_string());
            print(&format!("note  it can read what you can, but for keys and denied files, and write only {state}\n"))?;
            Ok(Exit::Done)
        }
        Err(failure) => {
            complain!("aside: {failure}");
            Ok(Exit::Failed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_again_as_it_was_given() {
        for words in [vec!["/opt/codex/bin/codex"], vec!["/opt/my codex", "-c", "model='x'"], vec!["codex", ""]] {
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            assert_eq!(exec::split(&line.join(" ")).unwrap(), words);
        }
    }
}
