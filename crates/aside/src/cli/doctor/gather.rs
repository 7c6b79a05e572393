//! Collects the facts from the machine. Judges nothing, changes nothing, and asks the daemon only if one is running.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::Context;
use aside_proto::task::{self, TaskOp};
use aside_proto::{Answer as Spoken, CompleteParams, Reply, Request, SessionStatus, json};
use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;
use regex::Regex;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::agent::setup::{self, Setup};
use crate::capture::proxy;
use crate::cli;
use crate::cli::doctor::environment;
use crate::cli::doctor::facts::{
    Answer, ConfigFile, Configuration, CurrentShell, Daemon, Detect, Facts, History, Installed, Kind, OnPath, Owned,
    Program, RcFile, Records, Shell, Socket, Specs, Tasks, Terminal,
};
use crate::client::{self, ClientError};
use crate::config::{Config, check, schema};
use crate::daemon::tasks::rules;
use crate::daemon::{control, user_specs};
use crate::exec::taint::TrustLevel;
use crate::exec::{self, Probe, presence};
use crate::paths::{self, Paths};
use crate::provider::local::{ServerSpec, Unavailable};
use crate::reader_file;
use crate::store;
use crate::store::clean::{self, Deadline};
use crate::store::marked_commands::MarkedCommands;
use crate::store::reroutes::{RerouteOutcome, Reroutes};
use crate::trusted_file;
use crate::workspace::Workspace;
use crate::world::{ancestors, sandbox};

/// Cap on an rc file.
const MAX_RC_BYTES: u64 = 4 << 20;
/// Pings of which the median is taken.
const PINGS: u64 = 20;
/// Time limit for the search for secrets in stored commands and logs, newest first.
const LOOK: Duration = Duration::from_secs(2);

pub struct Gathered {
    pub facts: Facts,
    /// Spellings of the home directory that may occur in a path: as the user has it, and with links resolved.
    pub homes: Vec<String>,
}

/// The agent that a task would start; it is not started.
fn agent(config: &Config, paths: &Paths) -> Option<(String, Result<(), String>)> {
    let name = setup::named(&config.task)?.to_owned();
    let found = Setup::of(&config.task, paths, Path::new("aside")).map(|_| ()).map_err(|failure| failure.to_string());
    Some((name, found))
}

pub fn gather() -> anyhow::Result<Gathered> {
    let paths = Paths::from_env()?;
    let base = Xdg::new().context("could not find your home directory; set HOME")?;
    let real = base.home_dir().canonicalize().ok();
    let homes = real.iter().map(PathBuf::as_path).chain([base.home_dir()]);
    let homes = homes.map(|home| home.display().to_string()).collect();
    let config = configuration(&paths.config_file);
    let keeps = config.values.history.secrets.into();
    let facts = Facts {
        program: program()?,
        shells: shells(),
        here: here(&base),
        terminal: terminal(),
        daemon: daemon(&paths),
        lacks: lacks(&config.values, &paths),
        agent: agent(&config.values, &paths),
        reader: reader_file::check(&paths),
        config,
        history: history(&paths.history_db()),
        full: [&paths.data_dir, &paths.state_dir].into_iter().filter(|dir| paths::is_full(dir)).cloned().collect(),
        secrets: clean::look(&paths, keeps, Deadline(Some(Instant::now() + LOOK))).ok(),
        specs: specs(&paths),
        detect: detect(&paths),
        tasks: tasks(&paths),
        no_sandbox: sandbox::check().err().map(|why| format!("{why:#}")),
        environment: environment(),
    };
    Ok(Gathered { facts, homes })
}

fn tasks(paths: &Paths) -> Tasks {
    let workspace = std::env::current_dir().ok().and_then(|cwd| Workspace::of(&cwd).ok());
    let workspace = workspace.as_ref().map_or(Path::new("/nonexistent"), Workspace::root);
    let listed = rules::load(paths, workspace).listed();
    let refused = listed.iter().filter_map(|line| line.strip_prefix("refused: ")).map(str::to_owned);
    let list = task::TaskParams { op: TaskOp::List, limit: 1000, ..task::TaskParams::default() };
    let waiting = match client::ask(&paths.socket, Request::Task(Box::new(list))) {
        Ok(Reply::Task(tasks)) => Some(tasks.tasks.iter().filter(|task| task.state == "WAITING_APPROVAL").count()),
        Ok(_) | Err(_) => None,
    };
    // Only below a daemon that replied to the request above.
    let daemon = control::holder(paths).filter(|_| waiting.is_some());
    let left = daemon.map(presence::left_by).unwrap_or_default();
    Tasks { waiting, refused: refused.collect(), left }
}

fn program() -> anyhow::Result<Program> {
    let path = std::env::current_exe().context("could not find out where aside is")?;
    let on_path = match exec::find("aside") {
        None => OnPath::Nothing,
        Some(found) if found.canonicalize().ok() == path.canonicalize().ok() => OnPath::This,
        Some(found) => {
            let version = exec::probe(&Probe::AsideVersion(&found)).map(|answer| answer.trim().to_owned());
            OnPath::Other { path: found, version }
        }
    };
    Ok(Program { version: env!("CARGO_PKG_VERSION").to_owned(), path, on_path })
}

fn shells() -> Vec<Installed> {
    let installed = Shell::ALL.into_iter().filter(|shell| exec::find(shell.name()).is_some());
    let version = |shell: Shell| environment::version_in(&exec::probe(&Probe::ShellVersion(shell.name()))?);
    installed.map(|shell| Installed { shell, version: version(shell) }).collect()
}

fn here(base: &Xdg) -> CurrentShell {
    let login_shell = var("SHELL").and_then(|shell| Shell::from_name(&shell));
    let rc_files = Shell::ALL.into_iter().flat_map(|shell| {
        rc_paths(shell, base).into_iter().map(move |path| RcFile { starts: starts(shell, &path), shell, path })
    });
    let is_a_commands = TrustLevel::own() == TrustLevel::Command;
    CurrentShell { ancestors: ancestors::ancestors(), is_a_commands, login_shell, rc_files: rc_files.collect() }
}

fn rc_paths(shell: Shell, base: &Xdg) -> Vec<PathBuf> {
    let home = base.home_dir();
    match shell {
        Shell::Zsh => vec![var("ZDOTDIR").map_or_else(|| home.to_owned(), PathBuf::from).join(".zshrc")],
        Shell::Bash => [".bashrc", ".bash_profile", ".profile"].map(|name| home.join(name)).to_vec(),
        Shell::Fish => {
            let fish = base.config_dir().join("fish");
            let parts = entries(&fish.join("conf.d"))
                .into_iter()
                .filter(|path| path.extension().is_some_and(|end| end == "fish"));
            std::iter::once(fish.join("config.fish")).chain(parts).collect()
        }
    }
}

fn starts(shell: Shell, path: &Path) -> usize {
    let readable = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_RC_BYTES);
    let content = if readable { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    lines_that_start(shell, &String::from_utf8_lossy(&content))
}

fn lines_that_start(shell: Shell, content: &str) -> usize {
    static INIT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:^|[^\w-])aside["']?\s+init\s+["']?(zsh|bash|fish)\b"#).expect("a pattern of ours")
    });
    // The `--proxy` line loads no plugin.
    let lines = content.lines().filter(|line| !line.trim_start().starts_with('#') && !line.contains("--proxy"));
    lines.filter(|line| INIT.captures(line).is_some_and(|found| &found[1] == shell.name())).count()
}

fn terminal() -> Terminal {
    // A terminal without a size reports 0.
    let size = |fd: &dyn std::os::fd::AsFd| {
        rustix::termios::tcgetwinsize(fd.as_fd()).ok().map(|size| size.ws_col).filter(|columns| *columns > 0)
    };
    let columns = size(&std::io::stdout()).or_else(|| size(&std::io::stderr())).or_else(|| size(&std::io::stdin()));
    Terminal {
        term: var("TERM"),
        colour: var("COLORTERM"),
        tmux: var("TMUX").is_some(),
        ssh: var("SSH_CONNECTION").or_else(|| var("SSH_TTY")).is_some(),
        ours: var(proxy::VARIABLE)
            .zip(cli::terminal())
            .is_some_and(|(ours, tty)| proxy::is_ours(ours.as_ref(), tty.as_ref())),
        columns,
    }
}

/// Drops sessions whose shell has ended or was replaced (`exec zsh`): the daemon is not told of either.
fn living(mut sessions: Vec<SessionStatus>) -> Vec<SessionStatus> {
    sessions.sort_by_key(|session| (session.seen_s_ago, Reverse(session.session.clone())));
    let mut pids = HashSet::new();
    sessions.retain(|session| match i32::try_from(session.pid).ok().and_then(Pid::from_raw) {
        Some(pid) => test_kill_process(pid) != Err(Errno::SRCH) && pids.insert(session.pid),
        None => true,
    });
    sessions
}

fn daemon(paths: &Paths) -> Daemon {
    let answer = match control::status(paths) {
        Ok(mut status) => {
            status.sessions = living(status.sessions);
            Answer::Alive(Box::new(status))
        }
        Err(ClientError::Silent) => Answer::Silent,
        Err(ClientError::Foreign) => Answer::Foreign,
        Err(ClientError::Impostor) => Answer::Impostor,
        Err(ClientError::Garbled(_)) => Answer::Garbled,
        Err(ClientError::Absent) => Answer::Absent,
    };
    let round_trip = matches!(answer, Answer::Alive(_)).then(|| round_trip(&paths.socket)).flatten();
    let socket = Socket {
        path: paths.socket.clone(),
        chosen: var("ASIDE_SOCKET").is_some(),
        file: owned(&paths.socket),
        dir: paths.socket.parent().and_then(owned),
        our_uid: rustix::process::getuid().as_raw(),
    };
    Daemon { answer, round_trip, lock_holder: control::holder(paths), socket }
}

/// The median time of a trivial request, in microseconds.
fn round_trip(socket: &Path) -> Option<u64> {
    let mut stream = client::connect(socket).ok()?;
    let mut answers = BufReader::new(stream.try_clone().ok()?);
    let mut times = Vec::new();
    for id in 1..=PINGS {
        let question = json::encode_call(&client::call(id, Request::Complete(CompleteParams::default())));
        let began = Instant::now();
        stream.write_all(&question).ok()?;
        let mut line = String::new();
        answers.read_line(&mut line).ok()?;
        let answer: Spoken = serde_json::from_str(&line).ok()?;
        if answer.id != id {
            return None;
        }
        times.push(began.elapsed().as_micros());
    }
    times.sort_unstable();
    times.get(times.len() / 2).and_then(|median| u64::try_from(*median).ok())
}

fn owned(path: &Path) -> Option<Owned> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    let kind = match meta.file_type() {
        kind if kind.is_socket() => Kind::Socket,
        kind if kind.is_dir() => Kind::Directory,
        _ => Kind::Other,
    };
    Some(Owned { kind, mode: meta.mode() & 0o7777, uid: meta.uid() })
}

fn configuration(path: &Path) -> Configuration {
    if let Err(refused) = trusted_file::find(path) {
        return Configuration { path: path.to_owned(), file: ConfigFile::Refused(refused), values: Config::default() };
    }
    let (file, values) = match check::read(path) {
        Ok(values) => {
            let changed = schema::schema()
                .iter()
                .filter(|setting| values.get(setting.key.as_str()).is_some_and(|value| *value != setting.default));
            let keys = changed.map(|setting| setting.key.as_str()).collect();
            let file = if path.exists() { ConfigFile::Good(keys) } else { ConfigFile::Absent };
            (file, Config::load(path).unwrap_or_default())
        }
        Err(problems) => {
            let problems = problems.0.into_iter().map(|problem| (problem.line, problem.message)).collect();
            (ConfigFile::Wrong(problems), Config::default())
        }
    };
    Configuration { path: path.to_owned(), file, values }
}

fn lacks(config: &Config, paths: &Paths) -> Vec<Unavailable> {
    let llm = &config.llm;
    let mut lacks = Vec::new();
    for choice in [&llm.complete, &llm.translate, &llm.task] {
        let Some(endpoint) = llm.endpoint(choice).filter(|endpoint| endpoint.server.is_kept()) else { continue };
        let lack = ServerSpec::new(&llm.local, &endpoint.model, paths).err();
        lacks.extend(lack.filter(|lack| !lacks.contains(lack)));
    }
    lacks
}

fn history(path: &Path) -> History {
    let records = match store::History::open_to_read(path) {
        Ok(None) => Records::NoFile,
        Ok(Some(mut history)) => match history.count() {
            Ok(count) => Records::Count(count),
            Err(error) => Records::Unreadable(format!("{error:#}")),
        },
        Err(error) => Records::Unreadable(format!("{error:#}")),
    };
    let siblings = path.parent().map(entries).unwrap_or_default();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let ours = name(path);
    let size = |path: &PathBuf| path.metadata().map_or(0, |meta| meta.len());
    let files = ["", "-wal"].map(|end| path.with_file_name(format!("{ours}{end}")));
    // Each was set aside with its WAL; counts only the database itself.
    let is_set_aside = |path: &PathBuf| {
        let name = name(path);
        name.starts_with(&format!("{ours}.corrupt-")) && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    let mut set_aside: Vec<PathBuf> = siblings.into_iter().filter(is_set_aside).collect();
    set_aside.sort();
    History { path: path.to_owned(), bytes: files.iter().map(size).sum(), records, set_aside }
}

/// Reads them as the daemon does, whether one runs or not.
fn specs(paths: &Paths) -> Specs {
    let directory = paths.specs_dir();
    let specs = user_specs::UserSpecs::read(directory.clone());
    Specs { directory, problems: specs.problems(), count: specs.count() }
}

fn detect(paths: &Paths) -> Detect {
    let read = Reroutes::new(paths).read().and_then(|noted| Ok((noted, MarkedCommands::new(paths).list()?)));
    match read {
        Ok((noted, marks)) => {
            let taken = noted.iter().filter(|noted| noted.rerouted.became != RerouteOutcome::Asked);
            Detect { rerouted: taken.count(), marked: marks.len(), problem: None }
        }
        Err(error) => Detect { problem: Some(error.to_string()), ..Detect::default() },
    }
}

fn environment() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let all = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let mut ours: Vec<_> = all.filter(|(name, _)| name.starts_with("ASIDE_")).collect();
    ours.sort();
    ours
}

fn var(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_start_aside_are_counted_and_comments_are_not() {
        for (line, count) in [
            (r#"eval "$(aside init zsh)""#, 1),
            (r#"(( $+commands[aside] )) && eval "$(~/.cargo/bin/aside init zsh)""#, 1),
            (r#"eval "$("$HOME/bin/aside" init zsh)""#, 1),
            ("_evalcache aside init zsh", 1),
            ("eval \"$(aside init zsh)\"\neval \"$(aside init zsh)\"\n", 2),
            (r##"# eval "$(aside init zsh)""##, 0),
            (r#"eval "$(aside init bash)""#, 0),
            (r#"eval "$(inside init zsh)""#, 0),
            ("eval \"$(aside init zsh --proxy)\"\neval \"$(aside init zsh)\"\n", 1),
            ("", 0),
        ] {
            assert_eq!(lines_that_start(Shell::Zsh, line), count, "{line}");
        }
    }

    #[test]
    fn damaged_files_are_found_without_their_logs() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("history.db");
        for name in ["history.db.corrupt-2", "history.db.corrupt-1", "history.db.corrupt-1-wal", "history.db.lock"] {
            std::fs::write(temp.path().join(name), "x").unwrap();
        }
        let found = ["history.db.corrupt-1", "history.db.corrupt-2"].map(|name| temp.path().join(name));
        let history = history(&path);
        assert_eq!(history.set_aside, found);
        assert!(matches!(history.records, Records::NoFile));
    }

    #[test]
    fn keys_that_differ_from_the_default_are_named() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config.toml");
        std::fs::write(&path, "[complete]\nenabled = true\nright_arrow = 'word'\n").unwrap();
        let config = configuration(&path);
        assert!(matches!(config.file, ConfigFile::Good(keys) if keys == ["complete.right_arrow"]));
    }
}
