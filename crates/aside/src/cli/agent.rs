//! `aside agent`: lists agents, chooses the one that works through tasks, and checks that it works. The daemon decides what the agent is
//! asked.

use std::path::Path;

use anyhow::{Context, bail};
use aside_text::edit_distance::{MaxDistance, near_words};
use clap::Subcommand;
use serde::Serialize;

use crate::agent::setup::{self, ACP, CODEX, KNOWN, Kind, Setup};
use crate::agent::text::quoted;
use crate::agent::{self, Failure};
use crate::cli::{Exit, change_setting, one_line, print, refuse_commands};
use crate::config::Config;
use crate::config::schema::Value;
use crate::exec::{self, Probe};
use crate::paths::Paths;
use crate::world::sandbox;

/// Parent directories of a program that may hold its package.
const ABOVE: usize = 4;

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
    #[command(
        after_help = "Example:\n  aside agent add codex -- ~/tools/codex/bin/codex\n  aside agent add acp:goose -- goose acp"
    )]
    Add {
        /// As `aside agent list` calls it, or acp:NAME for another one that speaks the Agent Client Protocol
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
    name: String,
    in_use: bool,
    /// Empty when it is not installed.
    program: String,
    /// Empty when only the started program could tell.
    version: String,
    signs_in: &'static str,
    asks: &'static str,
    costs: &'static str,
    /// How to install it.
    #[serde(skip)]
    package: &'static str,
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
    let all = all(&config);
    if json {
        for listed in &all {
            print(&crate::cli::json_line(listed)?)?;
        }
        return Ok(Exit::Done);
    }
    for listed in &all {
        print(&row(listed))?;
    }
    match setup::named(&config.task) {
        None => print(&format!("{}\n", none_in_use(&all)))?,
        Some(name) if all.iter().all(|listed| listed.name != name) => {
            print(&format!("task.agent names {}, which is none of these.\n", one_line(name)))?;
        }
        Some(_) => {}
    }
    Ok(Exit::Done)
}

/// Says that no agent is in use, and what to do about it.
fn none_in_use(all: &[Listed]) -> String {
    match all.iter().find(|listed| !listed.program.is_empty()) {
        Some(listed) => format!("No agent is in use; `aside agent use {}` changes that.", one_line(&listed.name)),
        None => "No agent is in use, and none is installed; tasks go on without.".to_owned(),
    }
}

/// The built-in agents, and those that the settings add.
fn all(config: &Config) -> Vec<Listed> {
    let costs = "what its provider takes; tokens are in `aside privacy`";
    let listed = |name: String, usual: &str, signs_in, asks, package| {
        let command = setup::command_of(&config.task, &name).unwrap_or(usual);
        let program = exec::split(command).and_then(|words| setup::program(words.first()?));
        // Does not start an ACP program to ask its version: it might take any argument as a request to begin.
        let version = program.as_ref().and_then(|program| match name == CODEX {
            true => exec::probe(&Probe::AgentVersion(program)),
            false => packaged_version(program, package),
        });
        Listed {
            in_use: setup::named(&config.task) == Some(&name),
            name,
            program: program.map(|program| program.display().to_string()).unwrap_or_default(),
            version: version.map(|version| one_line(version.trim())).unwrap_or_default(),
            signs_in,
            asks,
            costs,
            package,
        }
    };
    let asks = "yes: it works in a read-only sandbox, and what it asks leave for becomes a proposal";
    let codex =
        listed(CODEX.to_owned(), CODEX, "`codex login`, or the key that its own settings name", asks, "@openai/codex");
    let asks = "it is kept from writing; what it asks leave for, writes or runs becomes a proposal";
    let known = KNOWN
        .iter()
        .map(|known| listed(format!("{ACP}{}", known.name), known.command, known.signs_in, asks, known.package));
    let added = config.task.agents.iter().filter_map(|entry| Some(entry.split_once('=')?.0.trim()));
    let added =
        added.filter(|name| name.strip_prefix(ACP).is_some_and(|name| KNOWN.iter().all(|known| known.name != name)));
    let added = added.map(|name| listed(name.to_owned(), "", "by itself, in a terminal", asks, ""));
    std::iter::once(codex).chain(known).chain(added).collect()
}

/// The version from the package that contains the program.
fn packaged_version(program: &Path, package: &str) -> Option<String> {
    let real = program.canonicalize().ok()?;
    real.ancestors().skip(1).take(ABOVE).find_map(|above| {
        let text = std::fs::read(above.join("package.json")).ok()?;
        let told: serde_json::Value = serde_json::from_slice(&text).ok()?;
        (told["name"] == package).then(|| told["version"].as_str().map(str::to_owned))?
    })
}

fn row(listed: &Listed) -> String {
    let Listed { name, in_use, program, version, signs_in, asks, costs, package } = listed;
    let mark = if *in_use { "* " } else { "  " };
    let there = match (program.as_str(), version.as_str()) {
        ("", _) if package.is_empty() => "not installed".to_owned(),
        ("", _) => format!("not installed; `npm install -g {package}` installs it"),
        (program, "") => one_line(program),
        (program, version) => format!("{version}, {}", one_line(program)),
    };
    let name = one_line(name);
    if program.is_empty() && !in_use {
        return format!("{mark}{name}  {there}\n");
    }
    format!(
        "{mark}{name}  {there}\n    signs in         {signs_in}\n    asks first       {asks}\n    costs            {costs}\n"
    )
}

/// Whether the settings accept this name.
fn is_agent(name: &str) -> bool {
    name == CODEX || name.strip_prefix(ACP).is_some_and(setup::is_name)
}

fn choose(paths: &Paths, name: &str) -> anyhow::Result<Exit> {
    let mut config = Config::load(&paths.config_file).unwrap_or_default();
    if name != "none" {
        if !is_agent(name) {
            bail!(unknown(name, &config));
        }
        name.clone_into(&mut config.task.agent);
        if let Err(failure) = ready(&config, paths) {
            complain!("aside: {failure}; nothing was changed");
            return Ok(Exit::Failed);
        }
    }
    change_setting(paths, "task.agent", &Value::Text(name.to_owned()))?;
    print(&match name {
        "none" => "Tasks go on without an agent.\n".to_owned(),
        name => format!("{name} works through tasks from now on. `aside agent doctor` tries it.\n"),
    })?;
    Ok(Exit::Done)
}

/// The message for an unknown name, with a likely correction.
fn unknown(name: &str, config: &Config) -> String {
    let plain = name.strip_prefix(ACP).unwrap_or(name).to_lowercase();
    let all = all(config);
    let is_near = |listed: &&Listed| {
        let known = listed.name.strip_prefix(ACP).unwrap_or(&listed.name);
        known == plain || !near_words(&plain, std::iter::once(known), MaxDistance::Usual).is_empty()
    };
    let meant = all.iter().filter(is_near).map(|listed| format!("`{}`", one_line(&listed.name))).collect::<Vec<_>>();
    let name = one_line(name);
    if meant.is_empty() {
        return format!("there is no agent {name}; `aside agent list` shows which there are");
    }
    format!("there is no agent {name}; did you mean {}?", meant.join(" or "))
}

fn add(paths: &Paths, name: &str, command: &[String]) -> anyhow::Result<Exit> {
    if !is_agent(name) {
        bail!(
            "an agent of yours is called {ACP}NAME, in small letters, and speaks the Agent Client Protocol: `aside agent add {ACP}{} -- …`",
            if setup::is_name(name) { name } else { "NAME" }
        );
    }
    let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    let line = words.join(" ");
    let first = command.first().context("say which program")?;
    if setup::program(first).is_none() {
        bail!("{first} is no program that can be started; say where it is");
    }
    let config = Config::load(&paths.config_file).unwrap_or_default();
    let mut all = config.task.agents.clone();
    all.retain(|entry| entry.split_once('=').is_none_or(|(known, _)| known.trim() != name));
    all.push(format!("{name} = {line}"));
    change_setting(paths, "task.agents", &Value::List(all))?;
    print(&format!("{name} is {}. `aside agent use {name}` lets it work through tasks.\n", one_line(&line)))?;
    Ok(Exit::Done)
}

/// The setup that would be started.
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
    // An agent that is only greeted must not see a project.
    let nowhere = tempfile::tempdir().context("could not make a temporary directory")?;
    let cwd = nowhere.path().canonicalize().context("could not find a temporary directory")?;
    match runtime.block_on(agent::greet(&setup, &cwd)) {
        Ok(model) => {
            print(&format!("ok    {}\n", greeted(&setup.kind, &one_line(&model))))?;
            let keeps: Vec<String> = setup.keeps.iter().map(|place| one_line(&place.display().to_string())).collect();
            let keeps = if keeps.is_empty() { "nothing".to_owned() } else { format!("only {}", keeps.join(", ")) };
            print(&format!("note  it can read what you can, but for keys and denied files, and write {keeps}\n"))?;
            Ok(Exit::Done)
        }
        Err(failure) => {
            complain!("aside: {failure}");
            Ok(Exit::Failed)
        }
    }
}

fn greeted(kind: &Kind, told: &str) -> String {
    match (kind, told) {
        (Kind::Codex, "") => "it answers, in its read-only sandbox, and would ask a model of its own".to_owned(),
        (Kind::Codex, model) => format!("it answers, in its read-only sandbox, and would ask {model}"),
        (Kind::Acp, "") => "it answers, and opens a conversation".to_owned(),
        (Kind::Acp, who) => format!("it answers, and opens a conversation: {who}"),
    }
}
