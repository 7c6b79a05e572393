//! `aside try`: a shell with Aside on, which reads the user's own rc file and writes none of their files. Settings, history and daemon live
//! in a temporary directory and go with the shell.

use std::ffi::OsString;
use std::fs::Permissions;
use std::io::IsTerminal;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aside_core::history::filter::HistoryFilter;
use aside_core::history::import::ImportFormat;

use crate::cli::{Exit, print};
use crate::config::Config;
use crate::daemon::control;
use crate::exec::{self, Own};
use crate::paths::Paths;
use crate::store::{History, history_files};

pub mod tutor;

/// Open a shell with Aside on, touching none of your files
#[derive(clap::Args)]
pub struct Args {
    /// zsh, bash or fish; your own shell when absent
    #[arg(value_parser = ["zsh", "bash", "fish"])]
    shell: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let shell = match args.shell {
        Some(shell) => shell,
        None => own_shell().context("zsh, bash or fish is needed; install zsh")?,
    };
    open(&shell, &TrialMode::Trial)
}

/// What the shell is opened for.
pub enum TrialMode {
    /// With the user's own history, and nothing else.
    Trial,
    /// A practice directory, and a script that zsh runs there before the first prompt.
    Tour { prepare: fn(&Path) -> std::io::Result<()>, script: &'static str },
}

/// Example commands for a user without a history.
const MADE_UP: &str = "git status --short\ngit log --oneline -10\nmake test\nmake build\nls -la\n\
                       docker ps --all\ngrep -rn TODO src\ntar -czf backup.tar.gz src\n";

pub fn open(shell: &str, visit: &TrialMode) -> anyhow::Result<Exit> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        bail!("it opens a shell for you to type in; run it in a terminal");
    }
    let Some(program) = exec::find(shell) else {
        bail!("{shell} is not installed; install it, or name another shell: `aside try bash`");
    };
    let mut home = tempfile::Builder::new();
    let home = home.prefix("aside-try-").permissions(Permissions::from_mode(0o700)).tempdir();
    let home = home.context("could not make a directory")?;
    let paths = Paths {
        config_file: home.path().join("config.toml"),
        data_dir: home.path().join("data"),
        state_dir: home.path().join("state"),
        socket: home.path().join("aside.sock"),
    };
    // Imports the histories of all of the user's shells, so that the first key already shows something.
    let known = fill(&paths, visit)?;
    // Puts `aside` on PATH, so that `aside doctor` and the others work before it is installed.
    let aside = home.path().join("bin/aside");
    std::fs::create_dir(home.path().join("bin")).context("could not make a directory")?;
    let program_itself = std::env::current_exe().context("could not find the program itself")?;
    std::os::unix::fs::symlink(program_itself, &aside).context("could not make a link")?;
    let mut last = String::new();
    if let TrialMode::Tour { prepare, script } = visit {
        let practice = home.path().join("practice");
        std::fs::create_dir(&practice).and_then(|()| prepare(&practice)).context("could not make a directory")?;
        last = format!("cd -- {}\n{script}", quoted(&practice));
    }
    let (args, mut env) = match shell {
        "zsh" => zsh(home.path(), &aside, &last)?,
        "bash" => bash(home.path(), &aside)?,
        _ => fish(&aside),
    };
    env.push(("ASIDE_HOME", home.path().into()));
    env.push(("ASIDE_SOCKET", paths.socket.clone().into()));
    let grey = "→ takes the grey text, Alt-→ a word of it.";
    let wish =
        "Say what you want after a question mark: ? find files larger than 100MB. Tab takes the command; you run it.";
    let enter = "Say what you want after a question mark: ? find files larger than 100MB. Enter puts the command into the line.";
    let sentence = "Or just ask, as if it were a command: how many files are here?";
    let hint = match (shell, known) {
        ("zsh", 0) => {
            format!("You have no history yet, so some commands are made up: type `ls -`. {grey}\n{wish}\n{sentence}")
        }
        ("zsh", _) => format!("Type the beginning of a command you have run before: {grey}\n{wish}\n{sentence}"),
        _ => format!("{enter}\n{sentence}"),
    };
    if let TrialMode::Trial = visit {
        print(&format!(
            "Aside is on in this {shell}, with {known} commands of your history. Nothing of yours is changed.
{hint}
`exit` leaves and forgets everything.
"
        ))?;
    }
    let status = exec::own(Own::Shell { program: program.as_os_str(), args: &args, env: &env });
    // The daemon would end by itself, but its directory is removed now.
    control::stop(&paths)?;
    // The exit status of the last command says nothing about the trial.
    status.map(|_| Exit::Done)
}

/// Returns how many of the user's own commands were imported.
fn fill(paths: &Paths, visit: &TrialMode) -> anyhow::Result<usize> {
    let config = Config::default();
    let filter = HistoryFilter::new(&config.history.ignore, config.history.secrets.into())?;
    let (mut history, _) = History::open(&paths.history_db())?;
    let own = match visit {
        TrialMode::Trial => history.import(&history_files::everything_found(&filter, |_| {}), &mut |_| {})?.added,
        TrialMode::Tour { .. } => 0,
    };
    if own == 0 {
        history.import(&ImportFormat::Bash.parse(MADE_UP.as_bytes()).entries, &mut |_| {})?;
    }
    Ok(own)
}

fn own_shell() -> Option<String> {
    let login = std::env::var_os("SHELL").map(PathBuf::from);
    let login = login.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned);
    let candidates = login.into_iter().chain(["zsh".to_owned(), "bash".to_owned(), "fish".to_owned()]);
    let known = |shell: &String| ["zsh", "bash", "fish"].contains(&shell.as_str()) && exec::find(shell).is_some();
    candidates.into_iter().find(known)
}

type Start = (Vec<OsString>, Vec<(&'static str, OsString)>);

/// zsh reads its rc files from `$ZDOTDIR`: ours there read the user's as if ours did not exist. `last` ends them.
fn zsh(home: &Path, aside: &Path, last: &str) -> anyhow::Result<Start> {
    let dir = home.join("zsh");
    std::fs::create_dir(&dir).context("could not make a directory")?;
    let (dir_word, history) = (quoted(&dir), quoted(&dir.join("history")));
    let back = "if [[ -n ${_aside_try_zdotdir-} ]]; then ZDOTDIR=$_aside_try_zdotdir; else unset ZDOTDIR; fi";
    let zshenv = format!(
        "typeset -g _aside_try_zdotdir=${{ASIDE_TRY_ZDOTDIR-}}
unset ASIDE_TRY_ZDOTDIR
{back}
[[ -r ${{ZDOTDIR:-$HOME}}/.zshenv ]] && source \"${{ZDOTDIR:-$HOME}}/.zshenv\"
_aside_try_zdotdir=${{ZDOTDIR-}}
ZDOTDIR={dir_word}
# Completion would otherwise write its cache into the person's directory.
compinit() {{ unfunction compinit; autoload -Uz compinit; compinit -d {dump} \"$@\" }}
",
        dump = quoted(&dir.join("zcompdump")),
    );
    let zshrc = format!(
        "{back}
[[ -r ${{ZDOTDIR:-$HOME}}/.zshrc ]] && source \"${{ZDOTDIR:-$HOME}}/.zshrc\"
[[ -r ${{HISTFILE-}} ]] && command cp -- \"$HISTFILE\" {history}
HISTFILE={history}
(( HISTSIZE < 1000 )) && HISTSIZE=1000
unset _aside_try_zdotdir
PATH={bin}:$PATH
eval \"$(aside init zsh)\"
{last}",
        bin = bin(aside),
    );
    std::fs::write(dir.join(".zshenv"), zshenv).context("could not write an rc file")?;
    std::fs::write(dir.join(".zshrc"), zshrc).context("could not write an rc file")?;
    let theirs = std::env::var_os("ZDOTDIR").unwrap_or_default();
    Ok((vec!["-i".into()], vec![("ZDOTDIR", dir.into()), ("ASIDE_TRY_ZDOTDIR", theirs)]))
}

fn bash(home: &Path, aside: &Path) -> anyhow::Result<Start> {
    let (rc, history) = (home.join("bashrc"), quoted(&home.join("bash_history")));
    let text = format!(
        "[[ -r ~/.bashrc ]] && source ~/.bashrc
HISTFILE=${{HISTFILE:-$HOME/.bash_history}}
[[ -r $HISTFILE ]] && command cp -- \"$HISTFILE\" {history}
HISTFILE={history}
PATH={bin}:$PATH
eval \"$(aside init bash)\"
",
        bin = bin(aside),
    );
    std::fs::write(&rc, text).context("could not write an rc file")?;
    Ok((vec!["--rcfile".into(), rc.into(), "-i".into()], Vec::new()))
}

/// With an empty history name, fish keeps its history in memory only.
fn fish(aside: &Path) -> Start {
    let init = format!("set -g fish_history ''; set -gx PATH {} $PATH; aside init fish | source", bin(aside));
    (vec!["--init-command".into(), init.into()], Vec::new())
}

fn bin(aside: &Path) -> String {
    quoted(aside.parent().unwrap_or(aside))
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
