//! `aside setup`: adds the line that starts Aside to the rc files of the installed shells, imports their histories, offers to choose a
//! model, and checks that the daemon replies. Asks before each change; `aside uninstall` undoes all of it.

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aside_core::history::filter::{HistoryFilter, NotStored};
use aside_proto::{CompleteParams, Ghost, Reply, Request};
use etcetera::BaseStrategy;
use shell_line::{Dialect, quote};

use crate::cli::{Exit, current_dir, from_home, home, one_line, own_shell, print, progress_bar, refuse_commands};
use crate::client;
use crate::config::check::{Source, read_text};
use crate::config::schema::{Value, setting};
use crate::config::{Config, atomic_write, edit};
use crate::confirm::{self, Default, confirm};
use crate::daemon::control;
use crate::exec::{self, Probe};
use crate::paths::{self, Paths};
use crate::provider::local::catalogue::{self, USUAL};
use crate::provider::local::installed_models::size;
use crate::rc;
use crate::store::{History, history_files};

/// Put Aside into your shells, one question at a time
///
/// Finds your shells, shows the line that each rc file would get, and adds it when you say yes (a copy of the file is kept).
/// Then it imports your history, asks whether to name a model, and checks that completion works.
#[derive(clap::Args)]
pub struct Args {
    /// Take each question's default: your login shell, no model
    #[arg(long, short)]
    yes: bool,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    refuse_commands("set Aside up")?;
    let is_at_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !args.yes && !is_at_terminal {
        bail!("setup asks questions; run it in a terminal, or with --yes");
    }
    let paths = Paths::from_env()?;
    let config = match Config::load(&paths.config_file) {
        Ok(config) => config,
        Err(problems) => {
            complain!("{problems}");
            return Ok(Exit::Usage);
        }
    };
    let ask = if args.yes { Ask::Defaults } else { Ask::User };
    let shells = found_shells()?;
    if shells.is_empty() {
        bail!("neither zsh, bash nor fish is on PATH; install zsh, and run this again");
    }
    let login = own_shell();
    let mut on = Vec::new();
    let mut unloaded = None;
    for shell in &shells {
        match add_line(shell, shell.name == login, ask)? {
            Line::None => continue,
            Line::Elsewhere => {}
            Line::InFile if !loads_line(shell)? => _ = unloaded.get_or_insert(shell),
            Line::InFile => {}
        }
        on.push(shell.name);
    }
    let Some(first) = on.first() else {
        print(&in_none(&shells, &login, ask))?;
        return Ok(Exit::Failed);
    };
    import(&paths, &config)?;
    choose_model(&paths, &config, ask)?;
    paths::prepare_socket_dir(&paths.socket)?;
    paths.create_lock_file();
    // What does not work is said last and alone: nothing that could be tried would work.
    if let Some(shell) = unloaded {
        complain!("{}", not_loaded(shell));
        return Ok(Exit::Failed);
    }
    let Some(stem) = check(&paths)? else { return Ok(Exit::Failed) };
    print(&next_steps(first, &stem))?;
    if let Some(line) = path_line(first)? {
        print(&format!(
            "\nPATH does not find aside, so the commands above are not found yet. Add this to your rc file:\n  {line}\n"
        ))?;
    }
    Ok(Exit::Done)
}

/// What to do where no shell got the line.
fn in_none(shells: &[Found], login: &str, ask: Ask) -> String {
    if ask == Ask::User || !login.is_empty() {
        return "Aside is in none of your shells; `aside try` shows it without changing anything.\n".to_owned();
    }
    let names: Vec<&str> = shells.iter().map(|shell| shell.name).collect();
    format!(
        "SHELL names none of zsh, bash and fish, so no file was changed. `aside setup` without --yes asks for each of \
         yours: {}.\n",
        names.join(", ")
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    User,
    Defaults,
}

impl Ask {
    fn goes_on(self, question: &str, default: Default) -> anyhow::Result<bool> {
        match self {
            Ask::User => Ok(confirm(question, default)?.unwrap_or(false)),
            Ask::Defaults => Ok(default == Default::Yes),
        }
    }
}

const SHELLS: [&str; 3] = ["zsh", "bash", "fish"];

struct Found {
    name: &'static str,
    rc: PathBuf,
    line: String,
}

/// The shells on PATH, the login shell first.
fn found_shells() -> anyhow::Result<Vec<Found>> {
    let base = etcetera::base_strategy::Xdg::new().context("could not find your home directory; set HOME")?;
    let program = program()?;
    let mut found = Vec::new();
    for name in SHELLS {
        if exec::find(name).is_some() {
            let rc = rc_file(name, base.home_dir(), &base.config_dir());
            found.push(Found { name, rc, line: start_line(name, &program) });
        }
    }
    let login = own_shell();
    found.sort_by_key(|shell| shell.name != login);
    Ok(found)
}

fn rc_file(shell: &str, home: &Path, config: &Path) -> PathBuf {
    let zdotdir = std::env::var_os("ZDOTDIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    match shell {
        "zsh" => zdotdir.as_deref().unwrap_or(home).join(".zshrc"),
        "bash" => home.join(".bashrc"),
        _ => config.join("fish/config.fish"),
    }
}

/// `aside` if PATH finds this program under that name, else its path.
fn program() -> anyhow::Result<String> {
    let own = std::env::current_exe().context("could not find out where aside is")?;
    let on_path = exec::find("aside").and_then(|found| found.canonicalize().ok());
    let is_own = on_path.is_some() && on_path == own.canonicalize().ok();
    Ok(if is_own { "aside".to_owned() } else { format!("'{}'", own.display().to_string().replace('\'', r"'\''")) })
}

fn start_line(shell: &str, program: &str) -> String {
    match shell {
        "fish" => format!("{program} init fish | source"),
        _ => format!(r#"eval "$({program} init {shell})""#),
    }
}

/// What starts Aside in a shell.
enum Line {
    /// Nothing does.
    None,
    InFile,
    /// A file that the rc file reads, or a plugin manager. A new shell was asked.
    Elsewhere,
}

/// A file that cannot be changed (NixOS has such) is left to the user.
fn add_line(shell: &Found, is_login: bool, ask: Ask) -> anyhow::Result<Line> {
    let Found { name, rc, line } = shell;
    let shown = shown(rc);
    let default = if is_login { Default::Yes } else { Default::No };
    let by_hand = |what: &str, error: &dyn std::fmt::Display| {
        complain!("aside: {shown} cannot be {what} ({error}), so it was not changed");
        let how = "Add this line to it by hand, or to the file that it is made from, and run `aside setup` again:";
        print(&format!("{name}: {how}\n    {line}\n")).map(|()| Line::None)
    };
    let before = match std::fs::read(rc) {
        Ok(content) => Some(content),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(_) if ask == Ask::Defaults && !is_login => return Ok(Line::None),
        Err(error) => return by_hand("read", &error),
    };
    let content = before.as_deref().unwrap_or_default();
    let cut = rc::without_aside(content);
    if let Some(there) = cut.removed.first().or(cut.unsure.first()) {
        print(&format!("{name}: {shown} starts Aside already, in line {}.\n", there.number))?;
        return Ok(Line::InFile);
    }
    if ask == Ask::Defaults && default == Default::No {
        return Ok(Line::None);
    }
    if let Some(file) = rc::loaded_by(name) {
        let through = rc::loading(content).first().map(|line| format!("line {} of {shown}", line.number));
        let named = file.map(|file| format!("from {}", self::shown(&file)));
        let from = [through, named].into_iter().flatten().collect::<Vec<_>>().join(", ");
        let from = if from.is_empty() { String::new() } else { format!(" ({from})") };
        print(&format!("{name}: a new {name} loads Aside already{from}; {shown} stays as it is.\n"))?;
        return Ok(Line::Elsewhere);
    }
    let target = atomic_write::behind_links(rc)?;
    let home = home();
    let is_at_home = |path: &Path| home.as_deref().is_some_and(|home| path.starts_with(home));
    if let Some(dir) = target.parent()
        && !dir.is_dir()
        && !is_at_home(dir)
    {
        return by_hand("written", &format!("it is a link to {}, and there is no {}", target.display(), dir.display()));
    }
    let edited =
        if target == *rc { shown.clone() } else { format!("{} ({shown} is a link to it)", self::shown(&target)) };
    print(&format!("{name}: this line would be added at the end of {edited}\n    {line}\n"))?;
    if !ask.goes_on("Add it?", default)? {
        return Ok(Line::None);
    }
    let copy = before.as_ref().and_then(|_| rc::copy_path(rc));
    let mark = rc::mark(rc, copy.as_deref());
    let mut told = format!("{} has it", self::shown(&target));
    if let (Some(before), Some(copy)) = (&before, &copy) {
        if let Err(error) = atomic_write::replace(copy, before) {
            return by_hand("copied", &plainly(&error));
        }
        let _ = write!(told, "; {} is the file as it was", self::shown(copy));
    }
    let after = rc::with_line(content, &format!("{line}  {mark}"));
    if let Err(error) = atomic_write::replace(rc, &after) {
        if let Some(copy) = &copy {
            let _ = std::fs::remove_file(copy);
        }
        return by_hand("written", &plainly(&error));
    }
    print(&format!("{told}.\n"))?;
    Ok(Line::InFile)
}

fn shown(path: &Path) -> String {
    from_home(&path.display().to_string(), home().as_deref())
}

/// The system's own words, without the path of a temporary file that the user never heard of.
fn plainly(error: &anyhow::Error) -> String {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    match io.map(std::io::Error::kind) {
        Some(ErrorKind::PermissionDenied) => "permission denied".to_owned(),
        Some(ErrorKind::ReadOnlyFilesystem) => "the file system is read-only".to_owned(),
        Some(ErrorKind::StorageFull) => "the disk is full".to_owned(),
        _ => error.root_cause().to_string().split(" at path ").next().unwrap_or_default().to_owned(),
    }
}

/// Starts the shell as a terminal would, and checks that it gets as far as the line. Returns whether anything speaks against it.
fn loads_line(shell: &Found) -> anyhow::Result<bool> {
    match exec::probe(&Probe::LoadsAside(shell.name)) {
        Some(said) => Ok(said.contains(exec::LOADED)),
        None => {
            let doubt = "took too long to start for a check; open a new one, and run `aside doctor` in it";
            print(&format!("check: {} {doubt}.\n", shell.name))?;
            Ok(true)
        }
    }
}

/// What keeps a new shell from getting to the line, and what to do.
fn not_loaded(shell: &Found) -> String {
    let Found { name, rc, line } = shell;
    let cut = rc::without_aside(&std::fs::read(rc).unwrap_or_default());
    let number = cut.removed.first().or(cut.unsure.first()).map_or(0, |there| there.number);
    format!(
        "\naside: a new {name} does not load Aside: {rc} ends before line {number} (by return, exit, exec or an error).\n\
         Move that line to the top of {rc}, and run `aside setup` again:\n    {line}",
        rc = shown(rc)
    )
}

fn import(paths: &Paths, config: &Config) -> anyhow::Result<()> {
    let filter = HistoryFilter::new(&config.history.ignore, config.history.secrets.into())?;
    let mut secrets = 0;
    let entries =
        history_files::everything_found(&filter, |refusal| secrets += usize::from(refusal == NotStored::Secret));
    paths::leave_to_its_owner(&paths.data_dir)?;
    let (mut stored, _) = History::open(&paths.history_db())?;
    let bar = progress_bar(entries.len());
    let imported = stored.import(&entries, &mut |done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    let _ = client::ask(&paths.socket, Request::Reload);
    print(&match (imported.added, imported.already_there) {
        (0, 0) => "history: none yet; what you run from now on is remembered, on this machine only.\n".to_owned(),
        (0, there) => format!("history: all {there} commands were here already.\n"),
        (added, _) => format!("history: {added} commands imported; they stay on this machine.\n"),
    })?;
    let lines = if secrets == 1 { "1 line was" } else { &format!("{secrets} lines were") };
    let why = "a password, key or token seems to be in them; `aside config get history.secrets` is the setting";
    if secrets > 0 { print(&format!("history: {lines} left out: {why}.\n")) } else { Ok(()) }
}

/// Offers the available models. Nothing leaves the machine before the user chooses one.
fn choose_model(paths: &Paths, config: &Config, ask: Ask) -> anyhow::Result<()> {
    if config.llm.asks_somebody() {
        return print("model: one is named already; `aside config get llm.provider` says which.\n");
    }
    if ask == Ask::Defaults {
        return print("model: none; everything works without one. `aside model --help` says how to name one.\n");
    }
    let keys = [("OPENAI_API_KEY", "openai", "OpenAI"), ("ANTHROPIC_API_KEY", "anthropic", "Anthropic")];
    let has_key = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let found: Vec<_> = keys.into_iter().filter(|(name, _, _)| has_key(name)).collect();
    let mut menu =
        "model: everything works without one; with one, more is understood.\n  1  none, nothing leaves this \
                    machine (Enter)\n  2  one on this machine, free: shows the commands for it, and fetches nothing now\n"
            .to_owned();
    for (number, (name, _, company)) in found.iter().enumerate() {
        let _ = writeln!(menu, "  {}  {company}, with the key in ${name}: what you ask goes there", number + 3);
    }
    print(&menu)?;
    loop {
        let answer = confirm::line("Which? ")?;
        let chosen = answer.parse::<usize>().ok().and_then(|number| found.get(number.checked_sub(3)?));
        return match (answer.as_str(), chosen) {
            ("2", _) => print(&local_model()),
            ("" | "1", _) => print("No model, then. `aside config set llm.provider …` names one later.\n"),
            (_, Some((_, provider, company))) => {
                set(paths, "llm.provider", provider)?;
                print(&format!("{company} is asked from now on; `aside privacy` shows all that leaves.\n"))
            }
            _ => {
                complain!("Please answer with a number from 1 to {}.", found.len() + 2);
                continue;
            }
        };
    }
}

/// The commands that make a model answer on this machine, with the size of the one that is advised.
fn local_model() -> String {
    let server = match exec::find("llama-server") {
        Some(_) => "",
        None => "  install llama.cpp: its `llama-server` runs the model, and is not on PATH\n",
    };
    let bytes = catalogue::entry(USUAL).map_or_else(String::new, |model| format!("    {} to fetch", size(model.bytes)));
    format!(
        "No model is fetched now. When you want one:\n{server}  aside model pull {USUAL}{bytes}\n  aside model use \
         {USUAL}\n`aside model list` shows smaller and larger ones.\n"
    )
}

fn set(paths: &Paths, key: &str, value: &str) -> anyhow::Result<()> {
    let file = &paths.config_file;
    let setting = setting(key).with_context(|| format!("{key} is no setting"))?;
    let wrong = |problem| anyhow::anyhow!("{problem}");
    let text = read_text(file).map_err(wrong)?.unwrap_or_default();
    let changed = edit::set(&Source { file, text: &text }, setting, &Value::Text(value.to_owned())).map_err(wrong)?;
    atomic_write::replace_own(file, changed.as_bytes())
}

/// Prefixes that have a completion nearly everywhere.
const STEMS: [&str; 3] = ["git st", "ls --a", "cd /u"];

/// How many prefixes of the user's own commands are tried.
const OWN_STEMS: usize = 8;
const NEWEST: usize = 200;

/// The prefix to suggest to the user: one with a grey completion, from their own commands if possible.
fn check(paths: &Paths) -> anyhow::Result<Option<String>> {
    control::start(paths)?;
    let (mut stored, _) = History::open(&paths.history_db())?;
    let newest = stored.newest(NEWEST, None)?;
    let own = stems(newest.iter().map(|row| row.entry.command.as_str()));
    let mut completed = Vec::new();
    for stem in own.into_iter().chain(STEMS.map(str::to_owned)) {
        let asked = CompleteParams { cwd: current_dir()?, left: stem.clone(), wait: true, ..CompleteParams::default() };
        if let Ok(Reply::Complete(found)) = client::ask(&paths.socket, Request::Complete(asked))
            && let Some(first) = found.candidates.first()
        {
            let grey = found.ghost == Ghost::Fit && first.completion.starts_with(&stem);
            completed.push((!grey, stem, one_line(&first.completion)));
            if grey {
                break;
            }
        }
    }
    // Prefers one that is drawn grey.
    completed.sort_by_key(|(is_unsure, ..)| *is_unsure);
    let Some((_, stem, line)) = completed.into_iter().next() else {
        complain!("check: the daemon runs, but completes nothing; `aside doctor` says why");
        return Ok(None);
    };
    print(&format!("check: `{stem}` completes to `{line}`.\n"))?;
    Ok(Some(stem))
}

/// Prefixes of the most frequent commands: the first word, and a letter of the second.
fn stems<'a>(commands: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut counts: Vec<(usize, &str)> = Vec::new();
    for command in commands.filter(|command| command.is_ascii() && !command.contains(char::is_control)) {
        match counts.iter_mut().find(|(_, line)| *line == command) {
            Some((count, _)) => *count += 1,
            None => counts.push((1, command)),
        }
    }
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let stem = |line: &str| {
        let (first, rest) = line.split_once(' ')?;
        let letter = rest.chars().next().filter(char::is_ascii_alphanumeric)?;
        (rest.len() > 2).then(|| format!("{first} {letter}"))
    };
    counts.iter().filter_map(|(_, line)| stem(line)).take(OWN_STEMS).collect()
}

/// The line that adds this program to PATH, where it is missing.
fn path_line(shell: &str) -> anyhow::Result<Option<String>> {
    if exec::find("aside").is_some() {
        return Ok(None);
    }
    let own = std::env::current_exe().context("could not find out where aside is")?;
    let directory = own.parent().unwrap_or(&own).display().to_string();
    Ok(Some(match shell {
        "fish" => format!("fish_add_path {}", quote::word(&directory, Dialect::Bash)),
        _ => format!("export PATH={}:$PATH", quote::word(&directory, Dialect::Bash)),
    }))
}

fn next_steps(shell: &str, stem: &str) -> String {
    let tries = match shell {
        "zsh" => &format!(
            "  {stem:<33} the rest appears in grey; → takes it
  ? find files larger than 100MB    Tab takes the command; you run it
  how many files are here?          a sentence is answered
`aside tutor` shows each of them in five minutes."
        ),
        "bash" => {
            "  ? find files larger than 100MB    Enter puts the command into the line; you run it
  how many files are here?          a sentence is answered
  aside fix                         after a command failed
  aside task run the tests          is proposed first, and you approve it"
        }
        _ => {
            "  ? find files larger than 100MB    Enter puts the command into the line; you run it
  aside fix                         after a command failed
  aside task run the tests          is proposed first, and you approve it"
        }
    };
    format!("\nOpen a new {shell}, and try:\n{tries}\n`aside uninstall` takes everything back.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_those_of_the_commonest_lines() {
        let lines = ["ls", "make test", "git push", "make test", "echo '", "git push", "git push", "cd ..", "rm -r x"];
        assert_eq!(stems(lines.into_iter()), ["git p", "make t"]);
    }

    #[test]
    fn an_error_is_told_without_a_path_that_the_user_never_heard_of() {
        let failed = |kind, text: &str| {
            let error = std::io::Error::new(kind, format!("{text} at path \"/home/ann/.aside-x1y2\""));
            plainly(&anyhow::Error::new(error).context("could not write /home/ann/.zshrc"))
        };
        assert_eq!(failed(ErrorKind::PermissionDenied, "Permission denied (os error 13)"), "permission denied");
        assert_eq!(failed(ErrorKind::ReadOnlyFilesystem, "Read-only"), "the file system is read-only");
        assert_eq!(failed(ErrorKind::Other, "Quota exceeded"), "Quota exceeded");
    }

    #[test]
    fn the_line_is_on_a_line_of_its_own_and_uninstall_knows_it() {
        for shell in SHELLS {
            for program in ["aside", "'/opt/my tools/aside'", "'/home/ann/.local/bin/aside'"] {
                let line = start_line(shell, program);
                for before in ["", "alias l=ls\n", "alias l=ls", "alias l=ls \\", "alias l=ls \\\n", "alias b=\\\\"] {
                    let after = rc::with_line(before.as_bytes(), &format!("{line}  {}", rc::MARK));
                    let cut = rc::without_aside(&after);
                    assert_eq!(cut.removed.len(), 1, "{line}");
                    let rest = String::from_utf8(cut.rest).unwrap();
                    assert_eq!(rest.trim_end_matches('\n'), before.trim_end_matches('\n'), "{line}");
                }
            }
        }
    }
}
