//! The line by which a starting shell replaces itself with the proxy. Printed only where that works and is wanted; the shell inside the
//! proxy reads the same line and finds nothing to do.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use crate::capture::proxy;
use crate::cli::init::{Shell, fish_quoted, is_read_by_a_shell, quoted};
use crate::config::{Capture, Config};
use crate::exec;

/// Which line is asked for: the one at the top of an rc file, or the one that loads the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedLine {
    ForProxy,
    ForPlugin,
}

/// How the shell that reads this was started.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Started {
    program: PathBuf,
    name: OsString,
    arguments: Vec<OsString>,
}

/// The line, or `None`.
pub fn line(shell: Shell, config: &Config, asked: RequestedLine, program: &Path) -> Option<String> {
    let is_wanted = match (config.suggest.capture, asked) {
        (Capture::Pty, _) => true,
        // In tmux, the pane's pipe captures the output.
        (Capture::Auto, RequestedLine::ForProxy) => !is_set("TMUX") || !is_set("TMUX_PANE"),
        (Capture::Auto, RequestedLine::ForPlugin) | (Capture::Tmux | Capture::Off, _) => false,
    };
    if !is_wanted || !is_read_by_a_shell() {
        return None;
    }
    let terminal = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok()?;
    let terminal = OsStr::from_bytes(terminal.as_bytes());
    let variable = std::env::var_os(proxy::VARIABLE).unwrap_or_default();
    if variable == "off" || proxy::is_ours(&variable, terminal) {
        return None;
    }
    let parent = asking(rustix::process::getppid()?, terminal);
    let started = started(parent).filter(|started| started.is_interactive(shell))?;
    let works = exec::is_executable(&started.program) && prints_to(parent, terminal) && proxy::can_open();
    works.then(|| spelled(shell, program, &started, terminal)).flatten()
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// The pid of the asking shell. bash 4.4 runs `$( )` in a fork of itself, whose output is our pipe.
fn asking(parent: Pid, terminal: &OsStr) -> Pid {
    let place = |pid: Pid| PathBuf::from(format!("/proc/{}", pid.as_raw_pid()));
    let program = |pid: Pid| std::fs::read_link(place(pid).join("exe")).ok();
    let status = std::fs::read_to_string(place(parent).join("status")).unwrap_or_default();
    let above = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok()).and_then(Pid::from_raw);
    let is_original = |above: &Pid| program(*above).is_some_and(|above| Some(above) == program(parent));
    above.filter(|above| !prints_to(parent, terminal) && is_original(above)).unwrap_or(parent)
}

/// A shell whose output goes elsewhere is not interactive.
fn prints_to(shell: Pid, terminal: &OsStr) -> bool {
    let device = |path: &Path| std::fs::metadata(path).map(|meta| meta.rdev());
    let Ok(wanted) = device(Path::new(terminal)) else { return false };
    [1, 2].iter().all(|number| {
        let path = format!("/proc/{}/fd/{number}", shell.as_raw_pid());
        device(Path::new(&path)).is_ok_and(|device| device == wanted)
    })
}

/// Read from /proc. Where there is none, the shell stays as it is.
fn started(shell: Pid) -> Option<Started> {
    let place = PathBuf::from(format!("/proc/{}", shell.as_raw_pid()));
    let words = std::fs::read(place.join("cmdline")).ok()?;
    let words = words.strip_suffix(b"\0").unwrap_or(&words);
    let mut words = words.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
    let program = std::fs::read_link(place.join("exe")).ok()?;
    Some(Started { program, name: words.next()?, arguments: words.collect() })
}

impl Started {
    /// Whether it is the given shell, started interactively: without a script and without `-c`.
    fn is_interactive(&self, shell: Shell) -> bool {
        let (name, takes, takes_long): (_, _, &[&str]) = match shell {
            Shell::Zsh => ("zsh", "o", &[]),
            Shell::Bash => ("bash", "oO", &["--rcfile", "--init-file"]),
            Shell::Fish => ("fish", "CdDfop", &["--init-command", "--debug", "--features", "--profile"]),
        };
        if !self.program.file_name().is_some_and(|file| file.to_string_lossy().contains(name)) {
            return false;
        }
        let mut words = self.arguments.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            match word.strip_prefix(['-', '+']) {
                // A script, or its arguments.
                None | Some("" | "-") => return false,
                Some(letters) if !letters.starts_with('-') => {
                    // `-c`, or arguments for a shell that reads standard input.
                    if letters.contains(['c', 's']) {
                        return false;
                    }
                    if letters.ends_with(|letter| takes.contains(letter)) {
                        words.next();
                    }
                }
                Some(long) if long.starts_with("-command") => return false,
                Some(_) => {
                    if takes_long.contains(&&*word) {
                        words.next();
                    }
                }
            }
        }
        true
    }
}

/// Quotes each word, so that no alias applies. A shell that only reads its rc file again, at its prompt, is not replaced: it may have jobs
/// and variables that the user needs. `None` where a name is not Unicode, since the printed line has to be.
fn spelled(shell: Shell, program: &Path, started: &Started, terminal: &OsStr) -> Option<String> {
    let quote = match shell {
        Shell::Zsh | Shell::Bash => quoted,
        Shell::Fish => fish_quoted,
    };
    let program = quote(program.to_str()?);
    let name = quote(started.name.to_str()?);
    let words = [started.program.as_os_str()].into_iter().chain(started.arguments.iter().map(OsString::as_os_str));
    let words: Option<Vec<String>> = words.map(|word| word.to_str().map(quote)).collect();
    let proxy = format!("{program} proxy --name {name} -- {}", words?.join(" "));
    // Sets argv[0] to the shell's name where the shell can, since terminals show the program's name.
    Some(match shell {
        // A failed `exec` ends zsh, so the program's existence is checked first.
        Shell::Zsh => format!(
            "'builtin' '[' \"${{ZSH_EVAL_CONTEXT%%:*}}\" != toplevel -a -x {program} ']' && 'builtin' 'exec' '-a' {name} {proxy}\n"
        ),
        // A failed `exec` ends bash too, unless execfail is set.
        Shell::Bash => format!(
            "if \\builtin [ \"${{BASH_LINENO[*]: -1}}\" = 0 ] && \\builtin [ -x {program} ]; then\n\
             _aside_execfail=$(\\builtin shopt -p execfail)\n\
             \\builtin shopt -s execfail\n\
             \\builtin exec -a {name} {proxy}\n\
             \\builtin eval \"$_aside_execfail\"\n\
             \\builtin unset -v _aside_execfail\n\
             fi\n"
        ),
        // Code read from a pipe runs with that pipe as its input.
        Shell::Fish => format!(
            "if builtin test (status current-command) = fish; and builtin test -x {program}\nexec {proxy} <{}\nend\n",
            quote(terminal.to_str()?)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(program: &str, words: &str) -> Started {
        let mut words = words.split(' ').map(OsString::from);
        Started { program: program.into(), name: words.next().unwrap(), arguments: words.collect() }
    }

    #[test]
    fn only_a_shell_that_somebody_sits_at_gives_way() {
        for (shell, program, words, interactive) in [
            (Shell::Zsh, "/usr/bin/zsh", "zsh", true),
            (Shell::Zsh, "/usr/bin/zsh", "-zsh", true),
            (Shell::Zsh, "/opt/zsh-5.8", "zsh -l -i", true),
            (Shell::Zsh, "/usr/bin/zsh", "zsh -o vi +o beep", true),
            (Shell::Zsh, "/usr/bin/zsh", "zsh --login", true),
            (Shell::Zsh, "/usr/bin/zsh", "zsh -ic true", false),
            (Shell::Zsh, "/usr/bin/zsh", "zsh -i -l -c true", false),
            (Shell::Zsh, "/usr/bin/zsh", "zsh script", false),
            (Shell::Zsh, "/usr/bin/zsh", "zsh -i -- script", false),
            (Shell::Zsh, "/usr/bin/bash", "bash", false),
            (Shell::Bash, "/usr/bin/bash", "bash --rcfile file -O extglob", true),
            (Shell::Bash, "/usr/bin/bash", "bash --norc -i", true),
            (Shell::Bash, "/usr/bin/bash", "bash -lc true", false),
            (Shell::Fish, "/usr/bin/fish", "fish -C true --init-command=true", true),
            (Shell::Fish, "/usr/bin/fish", "fish --command=true", false),
            (Shell::Fish, "/usr/bin/fish", "fish -c true", false),
        ] {
            assert_eq!(started(program, words).is_interactive(shell), interactive, "{words}");
        }
    }

    #[test]
    fn the_line_is_one_that_the_shell_can_read() {
        let odd = Path::new("/it's a $(touch x) \\ path");
        for (shell, name) in [(Shell::Zsh, "zsh"), (Shell::Bash, "bash"), (Shell::Fish, "fish")] {
            let started = started("/usr/bin/it's", "-sh --option 'x' \\ $y");
            let line = spelled(shell, odd, &started, OsStr::new("/dev/pts/1")).unwrap();
            assert_ne!(exec::parses(name, &line), Some(false), "{line}");
        }
    }
}
