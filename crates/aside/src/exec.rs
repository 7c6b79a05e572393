//! The only file that starts a process, through two doors: `probe` asks a program a read-only question and waits a
//! bounded time; `own` starts our daemon, or the shell or editor of the person who typed the command. A third door,
//! for commands that a person approved, comes with the task engine.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// How long a probe may take.
const PROBE_TIME: Duration = Duration::from_secs(2);
/// What is read of a probe's answer.
const PROBE_BYTES: u64 = 64 * 1024;

const INHERIT: &str = "ASIDE_INHERIT_FDS";

/// The questions we may ask, each harmless by what it runs.
pub enum Probe<'a> {
    /// `PATH --version` of what should be Aside.
    AsideVersion(&'a Path),
    /// `SHELL --version`.
    ShellVersion(&'a str),
}

/// What the program printed, or `None` when it is missing, failed or took too long.
pub fn probe(probe: &Probe<'_>) -> Option<String> {
    let program: &OsStr = match probe {
        Probe::AsideVersion(path) => path.as_os_str(),
        Probe::ShellVersion(shell) => OsStr::new(shell),
    };
    let mut child = command(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?.take(PROBE_BYTES);
    let (sender, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        let read = stdout.read_to_end(&mut answer).ok().map(|_| answer);
        sender.send(read)
    });
    let deadline = Instant::now() + PROBE_TIME;
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    if !status.success() {
        return None;
    }
    // Something that it started may hold its output open long after it has ended.
    let answer = answer.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()??;
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// What we start on behalf of the person who typed the command.
pub enum Own<'a> {
    /// The daemon, detached from this terminal.
    Daemon,
    /// A shell with these arguments and variables, until it ends.
    Shell { program: &'a OsStr, args: &'a [OsString], env: &'a [(&'static str, OsString)] },
    /// The person's editor on a file, until it ends.
    Editor(&'a Path),
}

/// Starts it, and waits unless it is the daemon.
pub fn own(own: Own<'_>) -> anyhow::Result<ExitStatus> {
    match own {
        Own::Daemon => {
            let executable = std::env::current_exe().context("could not find the program itself")?;
            let mut daemon = command(executable.as_os_str());
            daemon.args(["daemon", "run", "--detach"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = daemon.spawn().context("could not start the daemon")?;
            // `aside pipe` lives as long as its shell, and would keep each daemon that has gone as a zombie.
            std::thread::spawn(move || child.wait());
            Ok(ExitStatus::default())
        }
        Own::Shell { program, args, env } => command(program)
            .args(args)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .status()
            .with_context(|| format!("could not start {}", Path::new(program).display())),
        Own::Editor(file) => {
            let words = editor(|name| std::env::var(name).ok())?;
            let [program, arguments @ ..] = words.as_slice() else { bail!("no editor is set; set EDITOR") };
            let started = command(program).args(arguments).arg(file).status();
            started.with_context(|| format!("could not start {program}; set EDITOR to an editor you have"))
        }
    }
}

/// An empty or blank variable counts as unset, as it does for git.
fn editor(var: impl Fn(&str) -> Option<String>) -> anyhow::Result<Vec<String>> {
    let set = |name| var(name).filter(|value| !value.trim().is_empty()).map(|value| (name, value));
    let Some((name, value)) = set("VISUAL").or_else(|| set("EDITOR")) else { return Ok(vec!["vi".to_owned()]) };
    split(&value).with_context(|| format!("{name} has a quote that is not closed: {value}"))
}

/// Words as a shell would cut them: blanks separate, quotes and `\` protect. Nothing is expanded and no shell runs, so
/// `~` and `$HOME` in the variable must have been expanded when it was set. Nothing when a quote is left open.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == char => quote = None,
            // Within double quotes `\` protects only what would mean something there.
            (Some('"'), '\\') => {
                let next = chars.next()?;
                let protects = matches!(next, '"' | '\\' | '$' | '`');
                word.get_or_insert_default().extend((!protects).then_some('\\').into_iter().chain([next]));
            }
            (None, '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, _) if char.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The open socket and lock of a daemon, kept across the start of its new version in the same process.
#[derive(Clone, Copy)]
pub struct Inherited {
    pub listener: RawFd,
    pub lock: RawFd,
}

impl Inherited {
    /// Only what `become_daemon` of this very process left: the pid is part of the value, since a variable may leak
    /// into other processes.
    pub fn from_env() -> Option<Self> {
        let value = std::env::var(INHERIT).ok()?;
        let mut numbers = value.split(',').map(|number| number.parse::<i32>().ok());
        let (pid, listener, lock) = (numbers.next()??, numbers.next()??, numbers.next()??);
        (pid == std::process::id() as i32).then_some(Self { listener, lock })
    }
}

/// Becomes the program at `executable`, as a daemon on the same socket. Returns only when that fails.
pub fn become_daemon(executable: &Path, inherited: &Inherited) -> anyhow::Error {
    let value = format!("{},{},{}", std::process::id(), inherited.listener, inherited.lock);
    let error = command(executable.as_os_str()).args(["daemon", "run"]).env(INHERIT, value).exec();
    anyhow::Error::new(error).context(format!("could not start {}", executable.display()))
}

/// Where a program is, as the shell would find it.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

#[expect(clippy::disallowed_methods, reason = "this is the one place; every caller above is a door")]
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove(INHERIT);
    command
}

/// What a shell that is installed here prints. For the tests of what we print for it.
#[cfg(test)]
pub fn printed_by(shell: &str, args: &[&str]) -> Option<String> {
    let ended = command(shell).args(args).env("ASIDE_DISABLE", "1").stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Whether a shell that is installed here can parse the script (`-n`: it runs nothing). For the tests of what we print.
#[cfg(test)]
pub fn parses(shell: &str, script: &str) -> Option<bool> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), script).unwrap();
    let ended = command(shell).arg("-n").arg(file.path()).output().ok()?;
    Some(ended.status.success() && ended.stderr.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn script(dir: &Path, text: &str) -> PathBuf {
        let path = dir.join("script");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    #[test]
    fn a_probe_that_hangs_fails_or_is_missing_gives_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let hangs = script(temp.path(), "#!/bin/sh\nexec sleep 60\n");
        assert_eq!(probe(&Probe::AsideVersion(&hangs)), None);
        let fails = script(temp.path(), "#!/bin/sh\necho aside 9; exit 3\n");
        assert_eq!(probe(&Probe::AsideVersion(&fails)), None);
        assert_eq!(probe(&Probe::AsideVersion(&temp.path().join("missing"))), None);
        let lingers = script(temp.path(), "#!/bin/sh\nsleep 5 &\necho aside 9\n");
        let asked = Instant::now();
        assert_eq!(probe(&Probe::AsideVersion(&lingers)), None);
        assert!(asked.elapsed() < Duration::from_secs(4));
        let speaks = script(temp.path(), "#!/bin/sh\necho aside 9\n");
        assert_eq!(probe(&Probe::AsideVersion(&speaks)).as_deref(), Some("aside 9\n"));
    }

    fn chosen(vars: &[(&str, &str)]) -> String {
        let lookup = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        editor(lookup).map_or_else(|error| error.to_string(), |words| words.join("|"))
    }

    #[test]
    fn visual_wins_over_editor_and_vi_is_always_there() {
        assert_eq!(chosen(&[("VISUAL", "code --wait"), ("EDITOR", "nano")]), "code|--wait");
        assert_eq!(chosen(&[("VISUAL", " "), ("EDITOR", "nano")]), "nano");
        assert_eq!(chosen(&[]), "vi");
        assert_eq!(chosen(&[("EDITOR", "vim '")]), "EDITOR has a quote that is not closed: vim '");
    }

    #[test]
    fn words_are_cut_as_a_shell_would() {
        for (text, words) in [
            ("  vim   -f ", vec!["vim", "-f"]),
            (r#""/opt/My Editor/ed" -c 'set nu'"#, vec!["/opt/My Editor/ed", "-c", "set nu"]),
            (r"/opt/My\ Editor/ed", vec!["/opt/My Editor/ed"]),
            (r#"ed "" 'a'"b"c"#, vec!["ed", "", "abc"]),
            (r#"ed "a\"b\n" 'a\'"#, vec!["ed", r#"a"b\n"#, r"a\"]),
            ("ed $HOME ~", vec!["ed", "$HOME", "~"]),
        ] {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
        for open in ["'", "a \"b", "a\\", "\"a\\"] {
            assert_eq!(split(open), None, "{open}");
        }
    }
}
