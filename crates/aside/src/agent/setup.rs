//! Resolves the agent that the settings name: its program, its writable directories, and the files hidden from it. Starts nothing.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use aside_task::denied_files;

use crate::agent::Failure;
use crate::config;
use crate::exec;
use crate::exec::agent::Spec;
use crate::paths::Paths;
use crate::world::sandbox::agent_sandbox::AgentSandbox;

/// Files and directories in a home that hold credentials or other programs' state. They are hidden from agents, together with the paths
/// that no task may touch.
const SECRETS: [&str; 29] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".config/gh",
    ".config/gcloud",
    ".config/rclone",
    ".config/op",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".local/share/keyrings",
    ".local/share/atuin",
    ".local/share/fish/fish_history",
    // Credentials of other agents.
    ".codex/auth.json",
    ".claude/.credentials.json",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".local/share/opencode/auth.json",
];

/// Directories below the home where programs keep their settings and state.
const SHARED: [&str; 4] = [".local/share", ".local/state", ".cache", ".config"];
/// Programs that execute what is written in those directories: an agent of such a name gets no writable directory there.
const OBEY: [&str; 18] = [
    "aside",
    "autostart",
    "bash",
    "bin",
    "emacs",
    "environment",
    "fish",
    "git",
    "less",
    "nvim",
    "pip",
    "profile",
    "screen",
    "systemd",
    "tmux",
    "vim",
    "vscode",
    "zsh",
];

/// The name of Codex in the settings, and of its program.
pub const CODEX: &str = "codex";
const CODEX_OVER_ACP: &str = "acp:codex";
/// Codex runs no command unless this directory of its user exists. It creates the directory where it can, and leaves it empty.
const OF_CODEX: &str = "/tmp/codex-daemon-";
/// Prefix of the names of agents that speak ACP.
pub const ACP: &str = "acp:";

/// A built-in ACP agent. Any other can be added with a start command in `task.agents`.
pub struct KnownAgent {
    /// The name after `acp:`.
    pub name: &'static str,
    pub command: &'static str,
    pub package: &'static str,
    /// Directories that the agent writes to, as an environment variable and a path below the home.
    keeps: &'static [(&'static str, &'static str)],
    /// Makes the agent ask before it acts, and disables its update check.
    environment: &'static [(&'static str, &'static str)],
    pub signs_in: &'static str,
}

pub const KNOWN: [KnownAgent; 4] = [
    KnownAgent {
        name: "codex",
        command: "codex-acp",
        package: "@agentclientprotocol/codex-acp",
        keeps: &[("CODEX_HOME", ".codex")],
        environment: &[],
        signs_in: "`codex login`, or the key that its own settings name",
    },
    KnownAgent {
        name: "opencode",
        command: "opencode acp",
        package: "opencode-ai",
        keeps: &[
            ("XDG_DATA_HOME", ".local/share/opencode"),
            ("XDG_STATE_HOME", ".local/state/opencode"),
            ("XDG_CACHE_HOME", ".cache/opencode"),
            ("XDG_CONFIG_HOME", ".config/opencode"),
        ],
        environment: &[
            ("OPENCODE_PERMISSION", r#"{"edit":"ask","bash":"ask","webfetch":"ask","external_directory":"ask"}"#),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ],
        signs_in: "`opencode auth login`, or the key that its own settings name",
    },
    KnownAgent {
        name: "claude",
        command: "claude-agent-acp",
        package: "@agentclientprotocol/claude-agent-acp",
        keeps: &[("CLAUDE_CONFIG_DIR", ".claude")],
        environment: &[("DISABLE_AUTOUPDATER", "1")],
        signs_in: "`claude` in a terminal, once",
    },
    KnownAgent {
        name: "gemini",
        command: "gemini --experimental-acp",
        package: "@google/gemini-cli",
        keeps: &[("", ".gemini")],
        environment: &[],
        signs_in: "`gemini` in a terminal, once",
    },
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Codex,
    Acp,
}

/// An agent that is ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    pub kind: Kind,
    pub name: String,
    /// The `aside` program, which supervises the agent.
    pub aside: PathBuf,
    pub program: PathBuf,
    arguments: Vec<String>,
    /// Directories of the agent's own state; created if missing.
    pub keeps: Vec<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    hidden: Vec<PathBuf>,
}

/// The name of the agent in `task.agent`; `None` when tasks run without an agent.
pub fn named(settings: &config::Task) -> Option<&str> {
    let name = settings.agent.trim();
    (!name.is_empty() && name != "none").then_some(name)
}

/// The start command that `task.agents` gives an agent.
pub fn command_of<'a>(settings: &'a config::Task, name: &str) -> Option<&'a str> {
    settings.agents.iter().find_map(|entry| {
        let (known, command) = entry.split_once('=')?;
        (known.trim() == name).then_some(command.trim()).filter(|command| !command.is_empty())
    })
}

impl Setup {
    /// Resolves the agent that the settings name.
    pub fn of(settings: &config::Task, paths: &Paths, aside: &Path) -> Result<Self, Failure> {
        let named = named(settings).unwrap_or_default();
        let unknown = || Failure::Unknown(named.to_owned());
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let command = command_of(settings, named);
        let known = named.strip_prefix(ACP).and_then(|name| KNOWN.iter().find(|known| known.name == name));
        let (kind, usual, package) = match (named, known, named.strip_prefix(ACP)) {
            (CODEX, ..) => (Kind::Codex, CODEX, Some("@openai/codex")),
            (_, Some(known), _) => (Kind::Acp, known.command, Some(known.package)),
            (_, None, Some(name)) if is_name(name) => (Kind::Acp, "", None),
            _ => return Err(unknown()),
        };
        let mut words = exec::split(command.unwrap_or(usual)).unwrap_or_default();
        let missing = || missing(named, package);
        if words.is_empty() {
            return Err(missing());
        }
        let program = program(&words.remove(0)).ok_or_else(missing)?;
        let (keeps, mut environment) = match (&kind, known) {
            (Kind::Codex, _) => {
                words.extend(CODEX_ARGUMENTS.iter().map(|word| (*word).to_owned()));
                kept(&home, &[("CODEX_HOME", ".codex")])
            }
            (Kind::Acp, Some(known)) => kept(&home, known.keeps),
            (Kind::Acp, None) => {
                let others = hidden(&home, paths, &[]);
                (by_convention(&home, named.strip_prefix(ACP).unwrap_or_default(), &others), Vec::new())
            }
        };
        let set = known.map(|known| known.environment).unwrap_or_default();
        environment.extend(set.iter().map(|(name, value)| (name.into(), value.into())));
        let hidden = hidden(&home, paths, &keeps);
        let (name, aside) = (named.to_owned(), aside.to_owned());
        Ok(Self { kind, name, aside, program, arguments: words, keeps, environment, hidden })
    }

    /// Makes these files of a workspace look empty to the agent.
    pub fn hides(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        self.hidden.extend(files);
    }

    /// Builds the sandbox specification and the environment of the agent.
    pub fn spec(&self, cwd: &Path, temp: &Path) -> anyhow::Result<(Spec, Vec<(OsString, OsString)>)> {
        let real = |path: &Path| path.canonicalize().with_context(|| format!("could not open {}", path.display()));
        if self.kind == Kind::Codex || self.name == CODEX_OVER_ACP {
            let user = rustix::process::geteuid().as_raw();
            let _ = std::fs::DirBuilder::new().mode(0o700).create(format!("{OF_CODEX}{user}"));
        }
        let home = std::env::var_os("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
        let mut writable = Vec::new();
        for place in &self.keeps {
            std::fs::create_dir_all(place).with_context(|| format!("could not make {}", place.display()))?;
            let place = real(place)?;
            let holds = |other: &Path| other.starts_with(&place);
            ensure!(!holds(cwd), "{} is where it keeps its own state; ask elsewhere", place.display());
            ensure!(!home.as_deref().is_some_and(holds), "{} holds more than an agent's state", place.display());
            writable.push(place);
        }
        let hidden = self.hidden.iter().filter_map(|place| place.canonicalize().ok());
        // The agent's own state is never hidden from it.
        let is_own = |place: &Path| writable.iter().any(|own| own.starts_with(place));
        let hidden: Vec<PathBuf> = hidden.filter(|place| !is_own(place)).collect();
        if let Some(place) = hidden.iter().find(|place| cwd.starts_with(place)) {
            bail!("{} is kept from agents; ask elsewhere", place.display());
        }
        let temp = real(temp)?;
        writable.push(temp.clone());
        let enclosure = AgentSandbox { writable, hidden };
        let mut environment = self.environment.clone();
        environment.extend(["TMPDIR", "TEMP", "TMP"].map(|name| (name.into(), temp.clone().into_os_string())));
        let (program, arguments) = (self.program.clone(), self.arguments.clone());
        Ok((Spec { program, arguments, cwd: cwd.to_owned(), enclosure, temp }, environment))
    }
}

/// Disables whatever acts by itself in the user's Codex settings: MCP servers, and programs notified when a turn ends.
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

fn missing(named: &str, package: Option<&str>) -> Failure {
    let says = format!("say where it is: `aside agent add {named} -- PROGRAM`");
    let advice =
        package.map_or(says.clone(), |package| format!("install it with `npm install -g {package}`, or {says}"));
    Failure::Missing { name: named.to_owned(), advice }
}

pub fn is_name(name: &str) -> bool {
    let is_fit = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
    !name.is_empty() && name.len() <= 40 && name.chars().all(is_fit)
}

/// Resolves the agent's state directories and the variables that name them: an XDG variable names the parent directory, the agent's own
/// variable names the directory itself.
fn kept(home: &Path, keeps: &[(&str, &str)]) -> (Vec<PathBuf>, Vec<(OsString, OsString)>) {
    let mut environment = Vec::new();
    let place = |(variable, below): &(&str, &str)| {
        let set = Some(variable).filter(|name| !name.is_empty()).and_then(std::env::var_os);
        let set = set.map(PathBuf::from).filter(|set| set.is_absolute());
        if variable.starts_with("XDG_") {
            let name = Path::new(below).file_name().unwrap_or_default();
            return set.map_or_else(|| home.join(below), |set| set.join(name));
        }
        let place = set.unwrap_or_else(|| home.join(below));
        if !variable.is_empty() {
            environment.push((variable.into(), place.clone().into_os_string()));
        }
        place
    };
    (keeps.iter().map(place).collect(), environment)
}

/// The writable directories of an agent that is not built in, by convention: `~/.local/share/NAME`, and the other usual ones that exist.
/// Skips directories that belong to other programs too.
fn by_convention(home: &Path, name: &str, others: &[PathBuf]) -> Vec<PathBuf> {
    if OBEY.contains(&name) {
        return Vec::new();
    }
    let shared = SHARED.map(|place| home.join(place));
    let usual = shared.each_ref().map(|place| place.join(name));
    let there = std::iter::once(home.join(format!(".{name}"))).chain(usual.iter().skip(1).cloned());
    let there = there.filter(|place| place.is_dir());
    let is_alone = |place: &PathBuf| {
        let real = place.canonicalize().unwrap_or_else(|_| place.clone());
        let meets = |other: &PathBuf| other.starts_with(&real) || real.starts_with(other);
        !others.iter().any(meets) && !shared.iter().any(|shared| shared.starts_with(&real))
    };
    usual.iter().take(1).cloned().chain(there).filter(is_alone).collect()
}

fn hidden(home: &Path, paths: &Paths, keeps: &[PathBuf]) -> Vec<PathBuf> {
    let secrets = SECRETS.iter().map(|name| home.join(name));
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten();
    let denied =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| denied_files::denied(name).is_some()));
    let settings = paths.config_file.parent().map(Path::to_owned);
    let own = [paths.state_dir.clone(), paths.data_dir.clone(), PathBuf::from("/run/user")].into_iter().chain(settings);
    let all = secrets.chain(denied.map(|entry| entry.path())).chain(own);
    all.filter(|place| !keeps.iter().any(|own| own.starts_with(place) || place.starts_with(own))).collect()
}

/// Finds a program by its path or its name.
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
    fn an_agent_that_is_not_known_writes_where_its_name_says() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join(".goose")).unwrap();
        let kept = |name: &str| by_convention(temp.path(), name, &[temp.path().join(".ssh")]);
        assert_eq!(kept("goose"), [temp.path().join(".local/share/goose"), temp.path().join(".goose")]);
        // A directory that other programs use is not writable.
        for place in [".ssh", ".config/git", ".local/share/x", ".cache"] {
            std::fs::create_dir_all(temp.path().join(place)).unwrap();
        }
        for name in ["ssh", "config", "local", "cache"] {
            assert_eq!(kept(name), [temp.path().join(".local/share").join(name)], "{name}");
        }
        assert_eq!((kept("git"), kept("aside")), (Vec::new(), Vec::new()));
        assert!(is_name("goose-2") && !is_name("../x") && !is_name("") && !is_name("a/b"));
    }

    fn setup(keeps: Vec<PathBuf>, hidden: Vec<PathBuf>) -> Setup {
        let (kind, name) = (Kind::Codex, CODEX.to_owned());
        let (arguments, environment) = (Vec::new(), Vec::new());
        Setup { kind, name, aside: "/x".into(), program: "/x".into(), arguments, keeps, environment, hidden }
    }

    #[test]
    fn no_agent_works_where_it_could_write_or_where_secrets_are() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for name in [".ssh/sub", ".codex/sub", "work"] {
            std::fs::create_dir_all(home.join(name)).unwrap();
        }
        let setup = setup(vec![home.join(".codex")], vec![home.join(".ssh")]);
        for (place, is_fit) in
            [("work", true), (".codex", false), (".codex/sub", false), (".ssh", false), (".ssh/sub", false)]
        {
            assert_eq!(setup.spec(&home.join(place), &home).is_ok(), is_fit, "{place}");
        }
    }

    #[test]
    fn what_an_agent_keeps_itself_is_never_hidden_from_it() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for name in [".ssh", ".docker/codex", "work"] {
            std::fs::create_dir_all(home.join(name)).unwrap();
        }
        let hidden = SECRETS.iter().map(|name| home.join(name)).collect();
        let setup = setup(vec![home.join(".docker/codex")], hidden);
        let (spec, _) = setup.spec(&home.join("work"), &home).unwrap();
        assert_eq!(spec.enclosure.hidden, [home.join(".ssh")]);
        assert_eq!(spec.enclosure.writable, [home.join(".docker/codex"), home]);
    }
}
