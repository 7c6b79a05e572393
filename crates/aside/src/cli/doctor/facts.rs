//! All inputs of the doctor as plain values: `gather` fills them in from the machine, tests construct them. Judges nothing.

use std::path::PathBuf;

use aside_proto::{SessionStatus, Status};

use crate::config::Config;
use crate::provider::local::Unavailable;
use crate::store::clean::SecretsFound;
use crate::trusted_file::Refused;
use crate::world::ancestors::Process;

pub struct Facts {
    pub program: Program,
    pub shells: Vec<Installed>,
    pub here: CurrentShell,
    pub terminal: Terminal,
    pub daemon: Daemon,
    pub config: Configuration,
    pub history: History,
    /// Directories of ours whose disk has no room left.
    pub full: Vec<PathBuf>,
    /// Where secrets are stored; `None` when that could not be found out.
    pub secrets: Option<SecretsFound>,
    pub specs: Specs,
    pub detect: Detect,
    pub tasks: Tasks,
    /// Why the sandbox for help texts does not work here; `None` when it does.
    pub no_sandbox: Option<String>,
    /// Whether the reader is installed and sound; otherwise why not.
    pub reader: Result<(), String>,
    /// The agent that works through tasks, and what prevents it.
    pub agent: Option<(String, Result<(), String>)>,
    /// What the managed model server lacks.
    pub lacks: Vec<Unavailable>,
    /// Every `ASIDE_…` variable that is set.
    pub environment: Vec<(String, String)>,
}

#[derive(Default)]
pub struct Tasks {
    /// How many wait for an approval; `None` when the daemon does not say.
    pub waiting: Option<usize>,
    /// Rules that could not be parsed.
    pub refused: Vec<String>,
    /// Processes left over from this daemon's commands: pid and name.
    pub left: Vec<(i32, String)>,
}

pub struct Program {
    pub version: String,
    pub path: PathBuf,
    pub on_path: OnPath,
}

/// Which program the word `aside` starts.
pub enum OnPath {
    This,
    Other { path: PathBuf, version: Option<String> },
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    Zsh,
    Bash,
    Fish,
}

pub struct Installed {
    pub shell: Shell,
    /// `None` when it prints none.
    pub version: Option<String>,
}

/// Where the doctor was started.
pub struct CurrentShell {
    /// Nearest first.
    pub ancestors: Vec<Process>,
    /// Whether a task's command started this terminal.
    pub is_a_commands: bool,
    /// What `$SHELL` names.
    pub login_shell: Option<Shell>,
    pub rc_files: Vec<RcFile>,
}

/// A startup file of a shell. The first of each shell is the one to write to.
pub struct RcFile {
    pub shell: Shell,
    pub path: PathBuf,
    /// How many of its lines start Aside.
    pub starts: usize,
}

pub struct Terminal {
    pub term: Option<String>,
    pub colour: Option<String>,
    pub tmux: bool,
    pub ssh: bool,
    /// The proxy's pty is around the shell.
    pub ours: bool,
    /// `None` without a terminal.
    pub columns: Option<u16>,
}

pub struct Daemon {
    pub answer: Answer,
    /// The median, in microseconds.
    pub round_trip: Option<u64>,
    pub lock_holder: Option<i32>,
    pub socket: Socket,
}

pub enum Answer {
    Alive(Box<Status>),
    Silent,
    Foreign,
    /// Started by a task's command.
    Impostor,
    Garbled,
    Absent,
}

pub struct Socket {
    pub path: PathBuf,
    /// `$ASIDE_SOCKET` names it, so its directory may be shared.
    pub chosen: bool,
    pub file: Option<Owned>,
    pub dir: Option<Owned>,
    pub our_uid: u32,
}

pub struct Owned {
    pub kind: Kind,
    /// Permission bits only.
    pub mode: u32,
    pub uid: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Socket,
    Directory,
    Other,
}

pub struct Configuration {
    pub path: PathBuf,
    pub file: ConfigFile,
    /// The settings that a daemon started now would use.
    pub values: Config,
}

pub enum ConfigFile {
    Absent,
    /// Keys whose value is not the default.
    Good(Vec<&'static str>),
    /// Another user could have written it.
    Refused(Refused),
    /// Line, or 0 for the whole file, and the error.
    Wrong(Vec<(usize, String)>),
}

pub struct History {
    pub path: PathBuf,
    pub bytes: u64,
    pub records: Records,
    /// Damaged files that the store moved out of the way.
    pub set_aside: Vec<PathBuf>,
}

/// Specs that the user wrote.
pub struct Specs {
    pub directory: PathBuf,
    pub count: usize,
    /// With file and line.
    pub problems: Vec<String>,
}

/// Lines that were taken for prose.
#[derive(Default)]
pub struct Detect {
    /// As far as they are still in the log.
    pub rerouted: usize,
    /// Those that the user marked as wrong.
    pub marked: usize,
    /// Why the log cannot be read.
    pub problem: Option<String>,
}

pub enum Records {
    NoFile,
    Count(usize),
    Unreadable(String),
}

impl Shell {
    pub const ALL: [Shell; 3] = [Shell::Zsh, Shell::Bash, Shell::Fish];

    /// `/bin/zsh`, `-zsh`, `zsh-5.9`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next()?.trim_start_matches('-');
        let name = name.split('-').next()?;
        Self::ALL.into_iter().find(|shell| shell.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Shell::Zsh => "zsh",
            Shell::Bash => "bash",
            Shell::Fish => "fish",
        }
    }

    /// The oldest version that the plugin supports.
    pub fn oldest(self) -> (u32, u32) {
        match self {
            Shell::Zsh => (5, 3),
            Shell::Bash => (4, 4),
            Shell::Fish => (3, 1),
        }
    }

    pub fn init_line(self) -> &'static str {
        match self {
            Shell::Zsh => r#"eval "$(aside init zsh)""#,
            Shell::Bash => r#"eval "$(aside init bash)""#,
            Shell::Fish => "aside init fish | source",
        }
    }
}

impl Facts {
    /// What the daemon knows about the shell that the doctor runs in.
    pub fn session(&self) -> Option<&SessionStatus> {
        let Answer::Alive(status) = &self.daemon.answer else { return None };
        self.here.ancestors.iter().find_map(|process| {
            let same = |session: &&SessionStatus| {
                // Compares the name too: the pid may have been reused.
                session.pid == process.pid && (process.name.is_empty() || shell_name(process) == session.shell)
            };
            status.sessions.iter().find(same)
        })
    }

    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl CurrentShell {
    /// The shell that the doctor runs in, or the user's login shell.
    pub fn shell(&self) -> Option<Shell> {
        self.nearest_shell().or(self.login_shell)
    }

    pub fn nearest_shell(&self) -> Option<Shell> {
        self.ancestors.iter().find_map(|process| Shell::from_name(&process.name))
    }

    pub fn rc_files_of(&self, shell: Shell) -> impl Iterator<Item = &RcFile> {
        self.rc_files.iter().filter(move |file| file.shell == shell)
    }
}

fn shell_name(process: &Process) -> &str {
    Shell::from_name(&process.name).map_or("", Shell::name)
}

impl Terminal {
    pub fn is_dumb(&self) -> bool {
        self.term.as_deref().is_none_or(|term| term == "dumb")
    }
}

/// Everything in order, as a base for tests: a zsh with the plugin, at a prompt, and a daemon of the same version.
#[cfg(test)]
pub fn healthy() -> Facts {
    let session = SessionStatus {
        session: "zsh-42-1".into(),
        shell: "zsh".into(),
        shell_version: "5.9".into(),
        plugin_version: "1.2.3".into(),
        pid: 42,
        facts: "transport=socket\nterm=xterm\nkeys=emacs\nloaded before=\nloaded after=".into(),
        seen_s_ago: 1,
        aliases: 3,
        functions: 1,
        variables: 20,
        tier: "tmux".into(),
        tier_reason: "the pipe of pane %3".into(),
        watched: true,
    };
    let status = Status {
        pid: 7,
        version: "1.2.3".into(),
        executable: "/home/me/bin/aside".into(),
        uptime_s: 3700,
        rss_kb: 10_240,
        sessions: vec![session],
        ..Status::default()
    };
    let ours = |kind, mode| Some(Owned { kind, mode, uid: 1000 });
    Facts {
        full: Vec::new(),
        program: Program { version: "1.2.3".into(), path: "/home/me/bin/aside".into(), on_path: OnPath::This },
        shells: vec![Installed { shell: Shell::Zsh, version: Some("5.9".into()) }],
        here: CurrentShell {
            ancestors: vec![
                Process { pid: 50, name: "make".into() },
                Process { pid: 42, name: "zsh".into() },
                Process { pid: 1, name: "init".into() },
            ],
            login_shell: Some(Shell::Zsh),
            is_a_commands: false,
            rc_files: vec![RcFile { shell: Shell::Zsh, path: "/home/me/.zshrc".into(), starts: 1 }],
        },
        terminal: Terminal {
            term: Some("xterm".into()),
            colour: Some("truecolor".into()),
            tmux: false,
            ssh: false,
            ours: false,
            columns: Some(80),
        },
        daemon: Daemon {
            answer: Answer::Alive(Box::new(status)),
            round_trip: Some(60),
            lock_holder: Some(7),
            socket: Socket {
                path: "/run/user/1000/aside.sock".into(),
                chosen: false,
                file: ours(Kind::Socket, 0o600),
                dir: ours(Kind::Directory, 0o700),
                our_uid: 1000,
            },
        },
        config: Configuration {
            path: "/home/me/.config/aside/config.toml".into(),
            file: ConfigFile::Absent,
            values: Config::default(),
        },
        history: History {
            path: "/home/me/.local/share/aside/history.db".into(),
            bytes: 4096,
            records: Records::Count(12),
            set_aside: Vec::new(),
        },
        secrets: Some(SecretsFound::default()),
        specs: Specs { directory: "/home/me/.config/aside/specs".into(), count: 0, problems: Vec::new() },
        detect: Detect::default(),
        tasks: Tasks::default(),
        no_sandbox: None,
        reader: Ok(()),
        agent: None,
        lacks: Vec::new(),
        environment: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_the_nearest_shell_that_greeted() {
        let mut facts = healthy();
        assert_eq!(facts.session().map(|session| session.pid), Some(42));
        facts.here.ancestors[1].name = "-zsh".into();
        assert!(facts.session().is_some(), "a login shell");
        facts.here.ancestors[1].name = String::new();
        assert!(facts.session().is_some(), "a system that does not tell names");
        facts.here.ancestors[1].name = "sleep".into();
        assert!(facts.session().is_none(), "the number went to another program");
        facts.here.ancestors.clear();
        assert!(facts.session().is_none());
    }

    #[test]
    fn a_shell_is_known_by_its_file() {
        let names = ["/usr/bin/zsh", "-bash", "fish", "zsh-5.9", "sh", "zshx", ""];
        let shells = names.map(Shell::from_name);
        use Shell::{Bash, Fish, Zsh};
        assert_eq!(shells, [Some(Zsh), Some(Bash), Some(Fish), Some(Zsh), None, None, None]);
    }
}
