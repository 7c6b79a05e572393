//! Which agent the settings name, where its program is, what it keeps and where, and what it may not see. Starts nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::agent::Failure;
use crate::config;
use crate::exec;
use crate::exec::agent::Spec;
use crate::paths::Paths;
use crate::world::sandbox::enclose::Enclosure;

/// What holds keys and passwords in a home directory, and what other programs remember.
const SECRETS: [&str; 16] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".mozilla",
    ".config/gh",
    ".config/gcloud",
    ".config/google-chrome",
    ".config/chromium",
    ".local/share/keyrings",
];

/// The name by which the settings know Codex, and its program.
pub const CODEX: &str = "codex";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Codex,
}

/// An agent that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    pub kind: Kind,
    pub name: String,
    /// The program of ours that watches over it.
    pub aside: PathBuf,
    pub program: PathBuf,
    arguments: Vec<String>,
    /// Where it keeps its own state; it is made if it is not there.
    pub state: PathBuf,
    environment: Vec<(OsString, OsString)>,
    hidden: Vec<PathBuf>,
}

/// The name of the agent in `task.agent`; none when tasks are to go on without.
pub fn named(settings: &config::Task) -> Option<&str> {
    let name = settings.agent.trim();
    (!name.is_empty() && name != "none").then_some(name)
}

/// The words of the command that `task.agents` gives an agent.
pub fn command_of<'a>(settings: &'a config::Task, name: &str) -> Option<&'a str> {
    settings.agents.iter().find_map(|entry| {
        let (known, command) = entry.split_once('=')?;
        (known.trim() == name).then_some(command.trim()).filter(|command| !command.is_empty())
    })
}

impl Setup {
    /// Of the agent that the settings name.
    pub fn of(settings: &config::Task, paths: &Paths, aside: &Path) -> Result<Self, Failure> {
        let name = named(settings).unwrap_or_default();
        match name {
            CODEX => Self::codex(settings, paths, aside),
            other => Err(Failure::Unknown(other.to_owned())),
        }
    }

    fn codex(settings: &config::Task, paths: &Paths, aside: &Path) -> Result<Self, Failure> {
        let command = command_of(settings, CODEX).unwrap_or(CODEX);
        let mut words = exec::split(command).unwrap_or_default();
        let missing = || Failure::Missing {
            name: CODEX.to_owned(),
            advice:
                "install it with `npm install -g @openai/codex`, or say where it is: `aside agent add codex -- PROGRAM`"
                    .to_owned(),
        };
        if words.is_empty() {
            return Err(missing());
        }
        let program = program(&words.remove(0)).ok_or_else(missing)?;
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let state = std::env::var_os("CODEX_HOME").map_or_else(|| home.join(".codex"), PathBuf::from);
        words.extend(CODEX_ARGUMENTS.iter().map(|word| (*word).to_owned()));
        let environment = vec![("CODEX_HOME".into(), state.clone().into_os_string())];
        let hidden = hidden(&home, paths, &state);
        let (kind, name, aside) = (Kind::Codex, CODEX.to_owned(), aside.to_owned());
        Ok(Self { kind, name, aside, program, arguments: words, state, environment, hidden })
    }

    /// These files of a workspace are empty for the agent, too.
    pub fn hides(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        self.hidden.extend(files);
    }

    /// What is started, and with which variables.
    pub fn spec(&self, cwd: &Path, temp: &Path) -> anyhow::Result<(Spec, Vec<(OsString, OsString)>)> {
        std::fs::create_dir_all(&self.state).with_context(|| format!("could not make {}", self.state.display()))?;
        let real = |path: &Path| path.canonicalize().with_context(|| format!("could not open {}", path.display()));
        let (state, temp) = (real(&self.state)?, real(temp)?);
        let hidden = self.hidden.iter().filter_map(|place| place.canonicalize().ok());
        // What it keeps itself is not hidden from it, wherever that is.
        let hidden = hidden.filter(|place| !state.starts_with(place) && !cwd.starts_with(place)).collect();
        let enclosure = Enclosure { writable: vec![state, temp.clone()], hidden };
        let mut environment = self.environment.clone();
        environment.extend(["TMPDIR", "TEMP", "TMP"].map(|name| (name.into(), temp.clone().into_os_string())));
        let (program, arguments) = (self.program.clone(), self.arguments.clone());
        Ok((Spec { program, arguments, cwd: cwd.to_owned(), enclosure }, environment))
    }
}

/// Nothing of the user's settings that acts by itself: no servers of tools, no program that is told when a turn ends.
const CODEX_ARGUMENTS: [&str; 15] = [
    "app-server",
    "-c",
    "mcp_servers={}",
    "-c",
    "notify=[]",
    "-c",
    "features.hooks=false",
    "-c",
    "approval_policy=\"on-request\"",
    "-c",
    "sandbox_mode=\"read-only\"",
    "-c",
    "check_for_update_on_startup=false",
    "-c",
    "analytics.enabled=false",
];

fn hidden(home: &Path, paths: &Paths, state: &Path) -> Vec<PathBuf> {
    let secrets = SECRETS.iter().map(|name| home.join(name));
    let own = [paths.state_dir.clone(), paths.data_dir.clone(), PathBuf::from("/run/user")];
    secrets.chain(own).filter(|place| !state.starts_with(place)).collect()
}

/// Where a program is that is named by its path or its name.
pub fn program(named: &str) -> Option<PathBuf> {
    if let Some(rest) = named.strip_prefix("~/") {
        let path = Path::new(&std::env::var_os("HOME")?).join(rest);
        return exec::is_executable(&path).then_some(path);
    }
    if named.contains('/') {
        let path = std::path::absolute(named).ok()?;
        return exec::is_executable(&path).then_some(path);
    }
    exec::find(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_named_by_the_settings_or_not_at_all() {
        let mut settings = config::Config::default().task;
        assert_eq!(named(&settings), None);
        settings.agent = "codex".to_owned();
        settings.agents = vec!["codex = /opt/codex/bin/codex --x".to_owned(), "other=o".to_owned(), "bad".to_owned()];
        assert_eq!(named(&settings), Some("codex"));
        assert_eq!(command_of(&settings, "codex"), Some("/opt/codex/bin/codex --x"));
        assert_eq!((command_of(&settings, "bad"), command_of(&settings, "co")), (None, None));
    }

    #[test]
    fn what_an_agent_keeps_itself_is_never_hidden_from_it() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for name in [".ssh", ".docker/codex", "work"] {
            std::fs::create_dir_all(home.join(name)).unwrap();
        }
        let setup = Setup {
            kind: Kind::Codex,
            name: CODEX.to_owned(),
            aside: "/x".into(),
            program: "/x".into(),
            arguments: Vec::new(),
            state: home.join(".docker/codex"),
            environment: Vec::new(),
            hidden: SECRETS.iter().map(|name| home.join(name)).collect(),
        };
        let (spec, _) = setup.spec(&home.join("work"), &home).unwrap();
        assert_eq!(spec.enclosure.hidden, [home.join(".ssh")]);
        assert_eq!(spec.enclosure.writable, [home.join(".docker/codex"), home]);
    }
}
