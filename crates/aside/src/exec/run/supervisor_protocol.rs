//! The protocol between the daemon and a command's supervisor: both message formats, and nothing else.

use std::ffi::{OsStr, OsString};
use std::io::BufRead;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use rustix::process::Pid;
use shell_line::Dialect;

/// Changes with the format: the executable of a running daemon may have been replaced by another version.
const SPELLING: &str = "aside keep 2";
/// Far more than a system allows for a program's arguments and environment.
const MAX_ORDER: u64 = 16 * 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRequest {
    pub aside: PathBuf,
    pub shell: PathBuf,
    pub dialect: Dialect,
    pub text: String,
    pub cwd: PathBuf,
    pub bounds: WriteScope,
    /// Its own directory for temporary files, removed when it is over.
    pub temp: Option<PathBuf>,
    /// The complete environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// Where a command may write, besides its own temporary directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteScope {
    /// Wherever the user may.
    None,
    Workspace(PathBuf),
    /// Nowhere: the command was not reviewed.
    Unwatched,
}

impl RunRequest {
    /// NUL-ended fields, which contain no NUL themselves; an empty one ends the order.
    pub fn bytes(&self) -> Vec<u8> {
        let Self { aside, shell, dialect, text, cwd, bounds, temp, environment } = self;
        let (bounds, workspace) = match bounds {
            WriteScope::None => ("none", Path::new("")),
            WriteScope::Workspace(workspace) => ("workspace", workspace.as_path()),
            WriteScope::Unwatched => ("unwatched", Path::new("")),
        };
        let temp = temp.as_deref().unwrap_or(Path::new(""));
        let mut bytes = Vec::new();
        let fields: [&OsStr; 9] = [
            SPELLING.as_ref(),
            aside.as_ref(),
            shell.as_ref(),
            dialect.name().as_ref(),
            text.as_ref(),
            cwd.as_ref(),
            bounds.as_ref(),
            workspace.as_ref(),
            temp.as_ref(),
        ];
        for field in fields {
            bytes.extend_from_slice(field.as_bytes());
            bytes.push(0);
        }
        for (name, value) in environment {
            bytes.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
        }
        bytes.push(0);
        bytes
    }

    /// Reads no further than its end.
    pub fn read(from: impl BufRead) -> anyhow::Result<Self> {
        let mut from = from.take(MAX_ORDER);
        let mut field = || {
            let mut field = Vec::new();
            from.read_until(0, &mut field).context("could not read what is to be run")?;
            ensure!(field.pop() == Some(0), "what is to be run was not said to its end");
            Ok(OsString::from_vec(field))
        };
        ensure!(field()? == SPELLING, "another version of Aside is installed; run `aside daemon stop`");
        let (aside, shell) = (PathBuf::from(field()?), PathBuf::from(field()?));
        let dialect = Dialect::of(field()?.to_str().unwrap_or_default());
        let text = field()?.into_string().ok().context("the command is no text")?;
        let cwd = PathBuf::from(field()?);
        let bounds = (field()?, PathBuf::from(field()?));
        let bounds = match (bounds.0.to_str(), bounds.1) {
            (Some("none"), _) => WriteScope::None,
            (Some("workspace"), workspace) => WriteScope::Workspace(workspace),
            (Some("unwatched"), _) => WriteScope::Unwatched,
            _ => bail!("it is not said where the command may write"),
        };
        let temp = Some(PathBuf::from(field()?)).filter(|temp| !temp.as_os_str().is_empty());
        let mut environment = Vec::new();
        loop {
            let variable = field()?.into_vec();
            if variable.is_empty() {
                break;
            }
            let sign = variable.iter().position(|byte| *byte == b'=').context("a variable has no value")?;
            let (name, value) = (OsStr::from_bytes(&variable[..sign]), OsStr::from_bytes(&variable[sign + 1..]));
            environment.push((name.to_owned(), value.to_owned()));
        }
        Ok(Self { aside, shell, dialect, text, cwd, bounds, temp, environment })
    }
}

/// One line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SupervisorReport {
    /// The shell, which leads the process group.
    Started(Pid),
    Exit(i32),
    Signal(i32),
    /// The supervisor killed it, since the daemon wanted that or is gone.
    Stopped,
    /// A process that it started goes on.
    Left,
    /// Why it was not run.
    Failed(String),
    /// A note for the user.
    Note(String),
}

impl SupervisorReport {
    pub fn line(&self) -> String {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        match self {
            Self::Started(pid) => format!("started {}\n", pid.as_raw_pid()),
            Self::Exit(code) => format!("exit {code}\n"),
            Self::Signal(number) => format!("signal {number}\n"),
            Self::Stopped => "stopped\n".to_owned(),
            Self::Left => "left\n".to_owned(),
            Self::Failed(text) => format!("failed {}\n", one_line(text)),
            Self::Note(text) => format!("note {}\n", one_line(text)),
        }
    }

    pub fn read(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "started" => Some(Self::Started(Pid::from_raw(rest.parse().ok().filter(|pid| *pid > 1)?)?)),
            "exit" => Some(Self::Exit(rest.parse().ok()?)),
            "signal" => Some(Self::Signal(rest.parse().ok()?)),
            "stopped" => Some(Self::Stopped),
            "left" => Some(Self::Left),
            "failed" => Some(Self::Failed(rest.to_owned())),
            "note" => Some(Self::Note(rest.to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(bounds: WriteScope, temp: Option<&str>) -> RunRequest {
        let strange = OsString::from_vec(b"\xff=\n".to_vec());
        RunRequest {
            aside: "/usr/bin/aside".into(),
            shell: "/bin/zsh".into(),
            dialect: Dialect::Zsh,
            text: "-x 'a b'\n\tc=\"$d\"".to_owned(),
            cwd: "/home/ada/a b".into(),
            bounds,
            temp: temp.map(PathBuf::from),
            environment: vec![("A".into(), "".into()), ("B".into(), strange)],
        }
    }

    #[test]
    fn an_order_is_heard_as_it_was_said() {
        for order in [
            order(WriteScope::None, None),
            order(WriteScope::Workspace("/home/ada".into()), Some("/tmp/x")),
            order(WriteScope::Unwatched, Some("/tmp/x")),
        ] {
            let mut bytes = order.bytes();
            bytes.extend(b"more");
            let mut from = bytes.as_slice();
            assert_eq!(RunRequest::read(&mut from).unwrap(), order);
            assert_eq!(from, b"more");
        }
    }

    #[test]
    fn an_order_that_is_not_whole_is_none() {
        let bytes = order(WriteScope::Workspace("/home/ada".into()), Some("/tmp/x")).bytes();
        for end in 0..bytes.len() {
            assert!(RunRequest::read(&bytes[..end]).is_err(), "up to {end}");
        }
        assert!(RunRequest::read(&b"aside keep 0\0"[..]).unwrap_err().to_string().contains("another version"));
    }

    #[test]
    fn a_report_is_heard_as_it_was_said() {
        for report in [
            SupervisorReport::Started(Pid::from_raw(42).unwrap()),
            SupervisorReport::Exit(255),
            SupervisorReport::Signal(9),
            SupervisorReport::Stopped,
            SupervisorReport::Left,
            SupervisorReport::Failed("no such thing".to_owned()),
            SupervisorReport::Note("it changed a file".to_owned()),
        ] {
            assert_eq!(SupervisorReport::read(report.line().trim_end_matches('\n')), Some(report));
        }
        assert_eq!(SupervisorReport::Failed("a\nexit 0".to_owned()).line(), "failed a exit 0\n");
        for line in ["", "started", "started -1", "started 1", "started 0", "exit", "exit x", "running 1 test"] {
            assert_eq!(SupervisorReport::read(line), None, "{line}");
        }
    }
}
