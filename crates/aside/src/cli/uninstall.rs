//! `aside uninstall`: shows what it will do, asks, does it. `rc` decides which lines of an rc file are ours. The program itself stays: the
//! package manager that installed it should remove it.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use etcetera::BaseStrategy;

use crate::cli::{Exit, from_home, home, own_shell, refuse_commands};
use crate::config::atomic_write;
use crate::confirm::{Default, confirm};
use crate::daemon::control;
use crate::paths::{Paths, rest_file};
use crate::rc::{self, RcLine, StrippedRc};
use crate::store::interactions::Interactions;
use crate::store::journal::Journal;
use crate::store::marked_commands::MarkedCommands;
use crate::store::reroutes::Reroutes;

/// Cap on an rc file; a larger one is neither read nor changed.
const MAX_RC_BYTES: u64 = 4 << 20;

/// Remove what Aside put on this machine
///
/// Shows what it will do and asks first: stops the daemon, takes the lines that start Aside out of your rc files, and
/// deletes settings, history and logs. Nothing else in your files changes.
#[derive(clap::Args)]
pub struct Args {
    /// Do it without asking
    #[arg(long, short)]
    yes: bool,
    /// Leave the database of the commands you ran
    #[arg(long)]
    keep_history: bool,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    refuse_commands("uninstall Aside")?;
    let paths = Paths::from_env()?;
    let base = etcetera::base_strategy::Xdg::new().context("could not find your home directory; set HOME")?;
    let zdotdir = std::env::var_os("ZDOTDIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let rc_files = rc_files(base.home_dir(), &base.config_dir(), zdotdir.as_deref());
    let history = if args.keep_history { History::Keep } else { History::Delete };
    let plan = Plan::make(&paths, rc_files, history);
    let mut out = std::io::stdout();
    out.write_all(plan.describe().as_bytes())?;
    if !plan.is_empty() {
        if !args.yes && !confirmed()? {
            return Ok(Exit::Failed);
        }
        control::stop(&paths)?;
        // Without the lock file, open shells start no daemon; one may have been started in between.
        let _ = std::fs::remove_file(paths.lock_file());
        control::stop_listening(&paths)?;
        let failures = plan.perform();
        for failure in &failures {
            complain!("aside: {failure:#}");
        }
        if !failures.is_empty() {
            return Ok(Exit::Failed);
        }
    }
    let shell = own_shell();
    if let Some(file) = rc::loaded_by(&shell) {
        let from = file.map_or_else(String::new, |file| format!(", from {}", shown(&file)));
        let what = "aside cannot tell which of your lines do that, so take them out yourself";
        complain!("aside: a new {shell} still loads Aside{from}; {what}");
    }
    let program = std::env::current_exe().context("could not find out where aside is")?;
    out.write_all(farewell(&program, &extras(&program, &base)).as_bytes())?;
    Ok(Exit::Done)
}

#[derive(Clone, Copy, PartialEq)]
enum History {
    Keep,
    Delete,
}

struct Plan {
    cuts: Vec<(PathBuf, StrippedRc)>,
    /// Lines that may load Aside in another way.
    loading: Vec<(PathBuf, RcLine)>,
    removals: Vec<Removal>,
}

struct Removal {
    path: PathBuf,
    what: String,
    how: How,
    /// Goes without a word: the user never made it nor needs it.
    is_noise: bool,
}

enum How {
    File,
    /// Everything in it, except these.
    Dir {
        keep: Vec<PathBuf>,
    },
    /// A directory that we made; removed only if it is empty.
    IfEmpty,
}

impl Plan {
    fn make(paths: &Paths, rc_files: Vec<PathBuf>, history: History) -> Self {
        let (mut cuts, mut loading) = (Vec::new(), Vec::new());
        for path in rc_files {
            let Some(content) = read_rc(&path) else { continue };
            loading.extend(rc::loading(&content).into_iter().map(|line| (path.clone(), line)));
            let cut = rc::without_aside(&content);
            if !cut.removed.is_empty() || !cut.unsure.is_empty() {
                cuts.push((path, cut));
            }
        }
        Self { cuts, loading, removals: removals(paths, history) }
    }

    fn is_empty(&self) -> bool {
        let no_cuts = self.cuts.iter().all(|(_, cut)| cut.removed.is_empty());
        no_cuts && !self.removals.iter().any(Removal::is_worth_telling)
    }

    fn describe(&self) -> String {
        let mut text = String::new();
        let line = |path: &Path, line: &RcLine| format!("  {}:{}: {}\n", shown(path), line.number, line.text);
        let lines = |of: fn(&StrippedRc) -> &Vec<RcLine>| -> Vec<String> {
            self.cuts.iter().flat_map(|(path, cut)| of(cut).iter().map(move |there| line(path, there))).collect()
        };
        let (removed, mut unsure) = (lines(|cut| &cut.removed), lines(|cut| &cut.unsure));
        unsure.extend(self.loading.iter().map(|(path, there)| line(path, there)));
        if self.is_empty() {
            text.push_str("There is nothing of Aside to remove.\n");
        }
        if !removed.is_empty() {
            let _ = write!(text, "Lines to take out of your files:\n{}", removed.concat());
        }
        let removals = self.removals.iter().filter(|removal| !removal.is_noise && removal.is_worth_telling());
        let removals = removals.map(|removal| (removal.path.clone(), removal.what.as_str()));
        let copies = self.cuts.iter().filter_map(|(path, cut)| copy_of(path, cut)).filter(|copy| copy.exists());
        let removals: Vec<_> = copies.map(|copy| (copy, "a copy that setup made")).chain(removals).collect();
        if !removals.is_empty() {
            text.push_str("To delete, after stopping the daemon:\n");
        } else if removed.is_empty() && !self.is_empty() {
            text.push_str("To stop: the daemon.\n");
        }
        for (path, what) in removals {
            let _ = writeln!(text, "  {} ({what})", shown(&path));
        }
        if !unsure.is_empty() {
            let _ = write!(text, "Lines that may start Aside too, for you to look at; they stay:\n{}", unsure.concat());
        }
        text
    }

    /// Continues after a failure, so that as little as possible is left; running it again finishes the job.
    fn perform(&self) -> Vec<anyhow::Error> {
        let cuts = self.cuts.iter().filter(|(_, cut)| !cut.removed.is_empty());
        let cuts = cuts.map(|(path, _)| {
            // Reads it again: the file may have changed while the question was on the screen.
            let content = std::fs::read(path).with_context(|| format!("could not read {}", path.display()))?;
            take_out(path, &rc::without_aside(&content))
        });
        cuts.chain(self.removals.iter().map(Removal::perform)).filter_map(Result::err).collect()
    }
}

impl Removal {
    fn is_worth_telling(&self) -> bool {
        match &self.how {
            How::File => self.path.symlink_metadata().is_ok(),
            How::Dir { keep } => doomed(&self.path, keep).is_ok_and(|paths| !paths.is_empty()),
            How::IfEmpty => false,
        }
    }

    fn perform(&self) -> anyhow::Result<()> {
        let done = match &self.how {
            How::File => remove(&self.path),
            How::Dir { keep } => {
                doomed(&self.path, keep).and_then(|paths| paths.iter().try_for_each(|path| remove(path)))
            }
            How::IfEmpty => match std::fs::remove_dir(&self.path) {
                Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
                done => done,
            },
        };
        match done {
            // The daemon removes its socket when it ends, and two of the directories may be the same.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done.with_context(|| format!("could not delete {}", self.path.display())),
        }
    }
}

/// The path itself when nothing in it is kept; otherwise the parts that can go.
fn doomed(path: &Path, keep: &[PathBuf]) -> std::io::Result<Vec<PathBuf>> {
    if path.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    let kept = |kept: &&PathBuf| kept.starts_with(path) && kept.exists();
    match keep.iter().find(kept) {
        None => Ok(vec![path.to_owned()]),
        Some(kept) if kept == path => Ok(Vec::new()),
        Some(_) => entries(path)?
            .iter()
            .map(|path| doomed(path, keep))
            .collect::<Result<Vec<_>, _>>()
            .map(|paths| paths.concat()),
    }
}

fn removals(paths: &Paths, history: History) -> Vec<Removal> {
    let database = ["", "-wal", "-shm"].map(|end| {
        let mut path = paths.history_db().into_os_string();
        path.push(end);
        PathBuf::from(path)
    });
    let keep = match history {
        History::Keep => database.to_vec(),
        History::Delete => Vec::new(),
    };
    let mut removals = Vec::new();
    let mut add = |path: &Path, what: &str, how| {
        removals.push(Removal { path: path.to_owned(), what: what.to_owned(), how, is_noise: false })
    };
    let config_dir = paths.config_file.parent().unwrap_or(Path::new("."));
    // With `$ASIDE_HOME` they share a directory that the user chose, and which may contain anything.
    let chosen = paths.data_dir.parent() == Some(config_dir);
    if is_ours(config_dir) && !chosen {
        add(config_dir, "your settings", How::Dir { keep: keep.clone() });
    } else {
        add(&paths.config_file, "your settings", How::File);
    }
    if is_ours(&paths.data_dir) {
        add(&paths.data_dir, &contents(&paths.data_dir, history), How::Dir { keep: keep.clone() });
    } else {
        for path in database.iter().filter(|path| !keep.contains(path)) {
            add(path, "the history of your commands; --keep-history keeps it", How::File);
        }
        add(&paths.data_dir, "when it is empty", How::IfEmpty);
    }
    if !is_ours(&paths.state_dir) {
        add(&paths.log_file(), "the log", How::File);
        for path in Journal::new(paths).lines().files() {
            add(&path, "what left this machine", How::File);
        }
        for path in Interactions::new(paths).lines().files() {
            add(&path, "what you did with what was offered", How::File);
        }
        for path in Reroutes::new(paths).lines().files() {
            add(&path, "which lines were taken for sentences", How::File);
        }
        add(MarkedCommands::new(paths).path(), "which lines are none", How::File);
        add(&paths.state_dir, "when it is empty", How::IfEmpty);
    } else if paths.state_dir != paths.data_dir {
        add(&paths.state_dir, "the log, and what was noted", How::Dir { keep });
    }
    let private = |dir: &&Path| dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with("aside-"));
    for dir in paths.socket.parent().filter(private).into_iter().chain(chosen.then_some(config_dir)) {
        add(dir, "when it is empty", How::IfEmpty);
    }
    // Before the directory that they are in.
    let rest = |shell| rest_file(&paths.socket, shell);
    let files = [paths.socket.clone(), paths.lock_file(), rest("zsh"), rest("bash")].map(|path| (path, How::File));
    let noise = files.into_iter().chain([(paths.inbox(), How::Dir { keep: Vec::new() })]);
    let noise = noise.map(|(path, how)| Removal { path, what: String::new(), how, is_noise: true });
    noise.chain(removals).collect()
}

/// What the names in the data directory hold, in words.
const CONTENTS: [(&str, &str); 6] = [
    ("history.db", "the history of your commands; --keep-history keeps it"),
    ("models", "models"),
    ("remote.json", "the secrets of chats"),
    ("remote-seen", "which messages of chats were acted upon"),
    ("relay", "the relay that runs here, with its secrets, queue and audit log"),
    ("learnt", "what programs print for --help"),
];

/// Names everything in the data directory, the unknown by its file name, so that no secret or model goes unannounced.
fn contents(dir: &Path, history: History) -> String {
    let mut names: Vec<String> = entries(dir).unwrap_or_default().iter().filter_map(|path| file_name(path)).collect();
    names.sort();
    let is_history = |name: &str| ["history.db", "history.db-wal", "history.db-shm"].contains(&name);
    let mut words = Vec::new();
    for (name, what) in CONTENTS {
        let is_there = names.iter().any(|there| there == name);
        if is_there && !(history == History::Keep && is_history(name)) {
            words.push(what.to_owned());
        }
    }
    names.retain(|name| !is_history(name) && !CONTENTS.iter().any(|(known, _)| known == name));
    words.extend(names);
    let stays = if history == History::Keep { "; the history of your commands stays" } else { "" };
    words.join(", ") + stays
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Only a directory of our name is deleted with all its content.
fn is_ours(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name == "aside")
}

fn remove(path: &Path) -> std::io::Result<()> {
    if path.symlink_metadata()?.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
}

fn entries(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    std::fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect()
}

/// Common startup files, without duplicates: `$ZDOTDIR` may be `~`, and one may link to another.
fn rc_files(home: &Path, config: &Path, zdotdir: Option<&Path>) -> Vec<PathBuf> {
    let zsh = zdotdir.into_iter().chain([home]).map(|dir| dir.join(".zshrc"));
    let bash = [".bashrc", ".bash_profile", ".profile"].map(|name| home.join(name));
    let mut seen = Vec::new();
    zsh.chain(bash)
        .chain([config.join("fish/config.fish")])
        .filter(|path| {
            let Ok(real) = path.canonicalize() else { return false };
            let new = !seen.contains(&real);
            seen.push(real);
            new
        })
        .collect()
}

fn shown(path: &Path) -> String {
    from_home(&path.display().to_string(), home().as_deref())
}

/// The copy that `aside setup` kept.
fn copy_of(path: &Path, cut: &StrippedRc) -> Option<PathBuf> {
    cut.removed.iter().find_map(|line| rc::copy_of(path, &line.text))
}

/// Restores the file: `aside setup` kept a copy, or created the file itself.
fn take_out(path: &Path, cut: &StrippedRc) -> anyhow::Result<()> {
    let copy = copy_of(path, cut);
    let before = copy.as_deref().and_then(read_rc);
    if before.is_none() && cut.rest.is_empty() && cut.removed.iter().any(|line| line.text.contains(rc::MARK)) {
        // Setup wrote the file that a link names, so the link stays.
        let file = atomic_write::behind_links(path)?;
        return std::fs::remove_file(&file).with_context(|| format!("could not delete {}", file.display()));
    }
    // Setup may have added newlines, so that the line stands alone.
    let added =
        |before: &[u8]| cut.rest.strip_prefix(before).is_some_and(|added| [&b"\n"[..], b"\n\n"].contains(&added));
    let rest = before.filter(|before| added(before));
    atomic_write::replace(path, rest.as_ref().unwrap_or(&cut.rest))?;
    let Some(copy) = copy else { return Ok(()) };
    match std::fs::remove_file(&copy) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not delete {}", copy.display()))
        }
        _ => Ok(()),
    }
}

fn read_rc(path: &Path) -> Option<Vec<u8>> {
    let meta = path.metadata().ok()?;
    if meta.is_file() && meta.len() <= MAX_RC_BYTES { std::fs::read(path).ok() } else { None }
}

fn confirmed() -> anyhow::Result<bool> {
    match confirm("Do this?", Default::No)? {
        Some(true) => return Ok(true),
        Some(false) => complain!("Nothing was changed."),
        None => complain!("Nothing was changed. Run it in a terminal, or with --yes."),
    }
    Ok(false)
}

/// Man pages and completions made with `aside man` and `aside completions`, in the usual directories.
fn extras(program: &Path, base: &impl BaseStrategy) -> Vec<PathBuf> {
    let share = program.parent().and_then(Path::parent).map(|prefix| prefix.join("share"));
    let shares: Vec<PathBuf> = share.into_iter().chain([base.data_dir()]).collect();
    let page = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        name == "aside.1" || (name.starts_with("aside-") && name.ends_with(".1"))
    };
    let pages = shares.iter().flat_map(|share| entries(&share.join("man/man1")).unwrap_or_default()).filter(page);
    let bash = shares.iter().map(|share| share.join("bash-completion/completions/aside"));
    let completions =
        ["zsh/site-functions/_aside", "zsh/vendor-completions/_aside", "fish/vendor_completions.d/aside.fish"];
    let completions = shares.iter().flat_map(|share| completions.map(|name| share.join(name)));
    let notes = ["copyright", "changelog.Debian.gz"];
    let notes = shares.iter().flat_map(|share| notes.map(|name| share.join("doc/aside").join(name)));
    let fish = base.config_dir().join("fish/completions/aside.fish");
    let others = bash.chain(completions).chain(notes).chain([fish]).filter(|path| path.exists());
    let mut found: Vec<PathBuf> = pages.chain(others).collect();
    found.sort();
    found.dedup();
    found
}

fn farewell(program: &Path, extras: &[PathBuf]) -> String {
    let path = program.display();
    let how = if program.ends_with(".cargo/bin/aside") {
        "cargo uninstall aside".to_owned()
    } else if program.components().any(|part| part.as_os_str() == "Cellar") {
        "brew uninstall aside".to_owned()
    } else if program.starts_with("/usr/bin") || program.starts_with("/nix/store") {
        format!("remove {path} with the package manager that installed it")
    } else {
        format!("rm {}", quoted(program))
    };
    let extras: String = commands_for(extras).into_iter().map(|line| format!("  {line}\n")).collect();
    format!(
        "Shells that are open keep the plugin until you close them; it does nothing any more. What is left is the program:\n  {how}\n{extras}"
    )
}

/// One line for each file, and one for all man pages of a directory.
fn commands_for(extras: &[PathBuf]) -> Vec<String> {
    let is_page = |path: &&PathBuf| path.parent().is_some_and(|parent| parent.ends_with("man/man1"));
    let mut lines: Vec<String> = extras
        .iter()
        .filter(is_page)
        .filter_map(|page| page.parent())
        .map(|pages| format!("rm {0}/aside.1* {0}/aside-*.1*", quoted(pages)))
        .collect();
    lines.dedup();
    lines.extend(extras.iter().filter(|path| !is_page(path)).map(|path| format!("rm {}", quoted(path))));
    lines
}

fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |char: char| char.is_ascii_alphanumeric() || "/._+-".contains(char);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Scene {
        _temp: tempfile::TempDir,
        home: PathBuf,
        paths: Paths,
    }

    /// A home directory in which Aside is installed, with a file of each kind.
    fn scene() -> Scene {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().to_owned();
        let paths = Paths {
            config_file: home.join(".config/aside/config.toml"),
            data_dir: home.join(".local/share/aside"),
            state_dir: home.join(".local/state/aside"),
            socket: home.join("run/aside.sock"),
        };
        let scene = Scene { _temp: temp, home, paths };
        for file in [
            ".config/aside/config.toml",
            ".config/other/config.toml",
            ".local/share/aside/history.db",
            ".local/share/aside/history.db-wal",
            ".local/share/aside/more/file",
            ".local/state/aside/daemon.log",
            "run/aside.sock",
            "run/aside.sock.lock",
            "run/other",
        ] {
            scene.write(file, "");
        }
        scene
    }

    impl Scene {
        fn write(&self, name: &str, text: &str) {
            let path = self.home.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn plan(&self, history: History) -> Plan {
            Plan::make(&self.paths, rc_files(&self.home, &self.home.join(".config"), None), history)
        }

        /// Every file and empty directory, relative to the home.
        fn files(&self) -> Vec<String> {
            fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
                let entries = entries(dir).unwrap();
                if entries.is_empty() {
                    found.push(dir.to_owned());
                }
                for path in entries {
                    if path.is_dir() && !path.is_symlink() { walk(&path, found) } else { found.push(path) }
                }
            }
            let mut found = Vec::new();
            walk(&self.home, &mut found);
            found.sort();
            let relative = |path: &PathBuf| path.strip_prefix(&self.home).unwrap().display().to_string();
            found.iter().map(relative).collect()
        }
    }

    #[test]
    fn everything_of_ours_goes_and_nothing_else() {
        let scene = scene();
        assert_eq!(scene.plan(History::Delete).perform().len(), 0);
        assert_eq!(scene.files(), [".config/other/config.toml", ".local/share", ".local/state", "run/other"]);
        assert!(scene.plan(History::Delete).is_empty());
    }

    #[test]
    fn the_history_can_stay() {
        let scene = scene();
        assert_eq!(scene.plan(History::Keep).perform().len(), 0);
        let (db, wal) = (".local/share/aside/history.db", ".local/share/aside/history.db-wal");
        assert_eq!(scene.files(), [".config/other/config.toml", db, wal, ".local/state", "run/other"]);
        assert!(scene.plan(History::Keep).is_empty());
    }

    #[test]
    fn a_home_that_the_person_chose_loses_only_the_files_we_know() {
        let mut scene = scene();
        let home = scene.home.join("aside");
        scene.paths = Paths {
            config_file: home.join("config.toml"),
            data_dir: home.join("data"),
            state_dir: home.join("state"),
            socket: home.join("aside.sock"),
        };
        for file in ["config.toml", "data/history.db", "data/thesis.txt", "state/daemon.log", "aside.sock"] {
            scene.write(&format!("aside/{file}"), "");
        }
        for file in ["privacy.jsonl", "interactions.jsonl.1", "reroutes.jsonl", "reroutes.jsonl.3", "wrong.jsonl"] {
            scene.write(&format!("aside/state/{file}"), "");
        }
        assert_eq!(scene.plan(History::Delete).perform().len(), 0);
        assert_eq!(entries(&home).unwrap(), [home.join("data")]);
        assert_eq!(entries(&home.join("data")).unwrap(), [home.join("data/thesis.txt")]);
        std::fs::remove_file(home.join("data/thesis.txt")).unwrap();
        assert_eq!(scene.plan(History::Delete).perform().len(), 0);
        assert!(!home.exists());
    }

    #[test]
    fn the_history_stays_when_settings_and_data_share_a_directory() {
        let mut scene = scene();
        let home = scene.home.join("xdg/aside");
        scene.paths.config_file = home.join("config.toml");
        scene.paths.data_dir = home.clone();
        scene.paths.state_dir = home.clone();
        for file in ["config.toml", "history.db", "daemon.log"] {
            scene.write(&format!("xdg/aside/{file}"), "");
        }
        assert_eq!(scene.plan(History::Keep).perform().len(), 0);
        assert_eq!(entries(&home).unwrap(), [home.join("history.db")]);
        assert_eq!(scene.plan(History::Delete).perform().len(), 0);
        assert!(!home.exists());
    }

    #[test]
    fn settings_behind_a_link_stay_with_the_dotfiles() {
        let scene = scene();
        scene.write("dotfiles/aside/config.toml", "mine");
        std::fs::remove_dir_all(scene.home.join(".config/aside")).unwrap();
        std::os::unix::fs::symlink(scene.home.join("dotfiles/aside"), scene.home.join(".config/aside")).unwrap();
        assert_eq!(scene.plan(History::Delete).perform().len(), 0);
        assert!(!scene.home.join(".config/aside").is_symlink());
        assert!(scene.home.join("dotfiles/aside/config.toml").exists());
    }

    #[test]
    fn rc_files_lose_the_line_and_keep_their_mode_and_link() {
        let scene = scene();
        scene.write("dotfiles/zshrc", "a\r\neval \"$(aside init zsh)\"\r\nb");
        let real = scene.home.join("dotfiles/zshrc");
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o604)).unwrap();
        std::os::unix::fs::symlink("dotfiles/zshrc", scene.home.join(".zshrc")).unwrap();
        scene.write(".bashrc", "echo hi; eval \"$(aside init bash)\"\n");
        scene.write(".config/fish/config.fish", "aside init fish | source\n");
        let plan = scene.plan(History::Delete);
        let home = scene.home.display();
        assert_eq!(
            plan.describe().lines().filter(|line| line.contains("aside init")).collect::<Vec<_>>(),
            [
                format!("  {home}/.zshrc:2: eval \"$(aside init zsh)\""),
                format!("  {home}/.config/fish/config.fish:1: aside init fish | source"),
                format!("  {home}/.bashrc:1: echo hi; eval \"$(aside init bash)\""),
            ]
        );
        assert_eq!(plan.perform().len(), 0);
        assert!(scene.home.join(".zshrc").is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"a\r\nb");
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o604);
        assert_eq!(std::fs::read(scene.home.join(".config/fish/config.fish")).unwrap(), b"");
        assert!(std::fs::read_to_string(scene.home.join(".bashrc")).unwrap().contains("aside init"));
    }

    #[test]
    fn a_file_that_is_reached_twice_is_listed_once() {
        let scene = scene();
        scene.write(".zshrc", "");
        std::os::unix::fs::symlink(".zshrc", scene.home.join(".profile")).unwrap();
        let files = rc_files(&scene.home, &scene.home.join(".config"), Some(&scene.home));
        assert_eq!(files, [scene.home.join(".zshrc")]);
    }

    #[test]
    fn the_farewell_fits_how_the_program_came() {
        let how = |path: &str| farewell(Path::new(path), &[]).lines().nth(1).unwrap().trim().to_owned();
        assert_eq!(how("/home/me/.cargo/bin/aside"), "cargo uninstall aside");
        assert_eq!(how("/opt/homebrew/Cellar/aside/1.0/bin/aside"), "brew uninstall aside");
        assert_eq!(how("/usr/bin/aside"), "remove /usr/bin/aside with the package manager that installed it");
        assert_eq!(how("/home/me/my bin/aside"), "rm '/home/me/my bin/aside'");
    }
}
