//! `aside model`: manages the local models. The daemon decides what they are asked.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Subcommand;

use crate::cli::{Exit, print, refuse_commands};
use crate::config::check::{Problem, Source, read_text};
use crate::config::schema::{Value, setting};
use crate::config::{Config, atomic_write, edit};
use crate::confirm::{Default, confirm};
use crate::exec;
use crate::paths::{self, Paths};
use crate::provider::local::installed_models::{InstalledModels, ResolvedModel, size};

mod list;
mod pull;

/// List, fetch and choose models that answer on this machine
///
/// A model is one GGUF file, and answers through llama.cpp's llama-server, which the daemon starts with the first
/// question and stops when it is idle.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// List the models that are here, and those that can be fetched by name
    List {
        /// Print JSON, one model on each line
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model: one that is listed, one at an address, or a file that is here already
    ///
    /// What was cut off goes on with the same command. Nothing is used before its checksum has been compared with the
    /// one in the list, with the one that you give, or with the one that the server tells.
    Pull(pull::Args),
    /// Answer with this model from now on; embedded is none
    Use {
        /// As `aside model list` calls it
        name: String,
    },
    /// Delete a model from this machine
    Remove {
        /// As `aside model list` calls it
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Print where models are, or the file of one
    Where {
        /// As `aside model list` calls it
        name: Option<String>,
    },
    /// Become a model server that ends with the daemon; used by the daemon
    #[command(hide = true)]
    Serve {
        #[arg(long)]
        parent: u32,
        program: PathBuf,
        #[arg(last = false, allow_hyphen_values = true, trailing_var_arg = true)]
        arguments: Vec<OsString>,
    },
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let action = args.action.unwrap_or(Action::List { json: false });
    if let Action::Serve { parent, program, arguments } = &action {
        return Err(exec::model_server::become_model_server(*parent, program, arguments));
    }
    let paths = Paths::from_env()?;
    match &action {
        Action::Pull(_) | Action::Use { .. } | Action::Remove { .. } => {
            refuse_commands("fetch, choose or delete models")?
        }
        Action::List { .. } | Action::Where { .. } | Action::Serve { .. } => {}
    }
    match action {
        Action::List { json } => list::run(&paths, json),
        Action::Pull(args) => pull::run(&paths, &args),
        Action::Use { name } => choose(&paths, &name),
        Action::Remove { name, yes } => {
            remove(&paths, &name, if yes { Confirmation::Never } else { Confirmation::First })
        }
        Action::Where { name } => tell_where(&paths, name.as_deref()),
        Action::Serve { .. } => Ok(Exit::Failed),
    }
}

/// Whether to ask the user for confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confirmation {
    First,
    Never,
}

impl Confirmation {
    /// Whether the user agrees.
    fn goes_on(self, question: &str) -> anyhow::Result<bool> {
        if self == Confirmation::Never {
            return Ok(true);
        }
        match confirm(question, Default::No)? {
            Some(answer) => Ok(answer),
            None => bail!("{question} No answer can be given without a terminal; say --yes"),
        }
    }
}

fn choose(paths: &Paths, name: &str) -> anyhow::Result<Exit> {
    let changes = if ["embedded", "none"].contains(&name) {
        vec![("llm.provider", Some("embedded".to_owned()))]
    } else {
        let installed_models = InstalledModels::new(paths);
        let name = match installed_models.chosen(name) {
            // A file elsewhere is named by its path.
            ResolvedModel::Here { .. } if name.contains('/') => name.to_owned(),
            ResolvedModel::Here { name, .. } => name,
            ResolvedModel::Missing { name, .. } => bail!("{name} is not here; {}", advice(&name)),
        };
        vec![
            ("llm.provider", Some("local".to_owned())),
            ("llm.model", Some(name)),
            // A base URL would mean another server than the managed one.
            ("llm.base_url", None),
        ]
    };
    let file = &paths.config_file;
    let before = match read_text(file) {
        Ok(text) => text.unwrap_or_default(),
        Err(problem) => return Ok(wrong(&problem)),
    };
    let mut text = before.clone();
    for (key, value) in &changes {
        match edited(paths, &text, key, value.as_deref()) {
            Ok(changed) => text = changed,
            Err(problem) => return Ok(wrong(&problem)),
        }
    }
    if text != before {
        paths::leave_to_its_owner(&paths.data_dir)?;
        atomic_write::replace_own(file, text.as_bytes())?;
    }
    let Ok(config) = Config::load(file) else {
        complain!("aside: done, but not in force until the rest of {} is right", file.display());
        return Ok(Exit::Usage);
    };
    match changes.get(1).and_then(|(_, model)| model.as_ref()) {
        None => print("No model is asked any more: the embedded engine answers.\n")?,
        Some(model) => {
            print(&format!("{model} answers from now on, on this machine.\n"))?;
            let sections = [("complete", &config.llm.complete), ("translate", &config.llm.translate)];
            for (name, choice) in sections {
                if choice.provider.is_some() || !choice.model.is_empty() {
                    print(&format!("But llm.{name} names another one for itself: see `aside config list`.\n"))?;
                }
            }
            print(&without_program(&config))?;
        }
    }
    Ok(Exit::Done)
}

fn edited(paths: &Paths, text: &str, key: &str, value: Option<&str>) -> Result<String, Problem> {
    let source = Source { file: &paths.config_file, text };
    let Some(setting) = setting(key) else { return Ok(text.to_owned()) };
    match value {
        Some(value) => edit::set(&source, setting, &Value::Text(value.to_owned())),
        None => edit::unset(&source, setting),
    }
}

fn wrong(problem: &Problem) -> Exit {
    complain!("{problem}");
    Exit::Usage
}

/// What to do about a model that is not here.
fn advice(name: &str) -> String {
    use crate::provider::local::catalogue::entry;
    match entry(name) {
        Some(entry) => format!("get it ({}) with: aside model pull {}", size(entry.bytes), entry.name),
        None => "`aside model list` shows which there are".to_owned(),
    }
}

/// Warns when llama-server is missing: a model alone cannot answer.
fn without_program(config: &Config) -> String {
    use crate::provider::local::{PROGRAM, program};
    match program(&config.llm.local.server) {
        Some(_) => String::new(),
        None => format!(
            "It needs {PROGRAM}, which is not on PATH: install llama.cpp, or set llm.local.server to where it is.\n"
        ),
    }
}

fn remove(paths: &Paths, name: &str, ask: Confirmation) -> anyhow::Result<Exit> {
    let installed_models = InstalledModels::new(paths);
    let Some(model) = installed_models.find(name) else {
        bail!("{name} is not here; `aside model list` shows which there are")
    };
    let is_link = model.path.is_symlink();
    let what = match (is_link, model.bytes) {
        (true, _) => "a link; the file that it leads to stays".to_owned(),
        (false, Some(bytes)) => size(bytes),
        (false, None) => "no file".to_owned(),
    };
    if !ask.goes_on(&format!("Delete {} ({what})?", model.name))? {
        return Ok(Exit::Failed);
    }
    std::fs::remove_file(&model.path).with_context(|| format!("could not delete {}", model.path.display()))?;
    print(&format!("{} is deleted.\n", model.name))?;
    if list::in_use(paths).contains(&model.name) {
        print("It was in use; `aside model use` names another one, or embedded for none.\n")?;
    }
    Ok(Exit::Done)
}

fn tell_where(paths: &Paths, name: Option<&str>) -> anyhow::Result<Exit> {
    let installed_models = InstalledModels::new(paths);
    let path = match name {
        None => installed_models.dir().to_owned(),
        Some(name) => match installed_models.find(name) {
            Some(model) => model.path,
            None => bail!("{name} is not here; {}", advice(name)),
        },
    };
    print(&format!("{}\n", path.display()))?;
    Ok(Exit::Done)
}
