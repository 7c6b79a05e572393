//! Follows git's configuration and hooks to other files: included files, hook directories, and every file that a value or a hook names,
//! since it may be run. Does not ask which settings are commands: there are too many, and each program adds some.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{Hooks, without_parents};
use crate::world::git_config::{self, Setting};

/// Longer files are not read.
const MAX_BYTES: u64 = 1024 * 1024;
const MAX_FILES: usize = 300;
/// Cap on words that are tried as file names, per snapshot.
const MAX_WORDS: usize = 4_000;
const MAX_NAME: usize = 1024;
/// A longer hook is a binary.
const MAX_HOOK: u64 = 64 * 1024;
/// Settings whose files git only reads.
const READ_ONLY: [&str; 5] = ["excludesfile", "template", "ignorerevsfile", "allowedsignersfile", "signingkey"];
/// Files by which hook managers run commands.
const MANAGERS: [&str; 13] = [
    ".husky",
    ".githooks",
    ".gitmodules",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    "lefthook-local.yml",
    ".overcommit.yml",
    ".huskyrc",
    ".huskyrc.json",
    ".simple-git-hooks.json",
];

/// Directories that a relative name may be relative to.
type Bases = Rc<[PathBuf]>;

/// `owners` are the git directories that were found, each with its working tree if known.
pub fn watch(owners: &[(PathBuf, Option<PathBuf>)], environment: &[(OsString, OsString)], hooks: &mut Hooks) {
    let mut trees: Vec<PathBuf> = owners.iter().filter_map(|(_, tree)| tree.clone()).collect();
    trees.push(hooks.workspace.clone());
    trees.sort();
    trees.dedup();
    let mut of_directory: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
    for (directory, tree) in owners {
        of_directory.entry(directory).or_insert_with(|| vec![directory.clone()]).extend(tree.clone());
    }
    let home = variable(environment, "HOME");
    let mut leads = Leads {
        home,
        files: Vec::new(),
        read: HashSet::new(),
        listed: HashSet::new(),
        tried: HashSet::new(),
        scripts: Vec::new(),
        hooks,
    };
    let all: Bases = trees.clone().into();
    leads.files.extend(of_user(environment).into_iter().map(|file| (file, all.clone(), None)));
    for tree in &trees {
        for name in MANAGERS {
            leads.hooks_in(&tree.join(name), &[tree.clone()].into());
        }
    }
    for (directory, mut bases) in of_directory {
        let files = ["config", "config.worktree"].map(|name| directory.join(name));
        bases.extend(files.iter().flat_map(|file| work_trees(file)));
        let bases: Bases = bases.into();
        leads.files.extend(files.map(|file| (file, bases.clone(), None)));
        leads.hooks_in(&directory.join("hooks"), &bases);
    }
    leads.configuration();
    leads.scripts();
}

/// The working tree from `core.worktree`, as submodules have it.
fn work_trees(file: &Path) -> Vec<PathBuf> {
    let settings = git_config::settings(&read(file, &mut Hooks::default()).unwrap_or_default());
    let trees = settings.into_iter().filter(|setting| setting.section == "core" && setting.key == "worktree");
    let around = file.parent().unwrap_or(file);
    trees.filter_map(|tree| around.join(OsStr::from_bytes(&tree.value)).canonicalize().ok()).collect()
}

/// The configuration that applies to every repository.
fn of_user(environment: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let set = |name: &str| variable(environment, name);
    let home = set("HOME");
    let global = match set("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![file],
        None => {
            let xdg = set("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
            xdg.map(|xdg| xdg.join("git/config")).into_iter().chain(home.map(|home| home.join(".gitconfig"))).collect()
        }
    };
    let system = set("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    global.into_iter().chain([system]).filter(|file| file.is_absolute()).collect()
}

fn variable(environment: &[(OsString, OsString)], wanted: &str) -> Option<PathBuf> {
    let (_, value) = environment.iter().find(|(name, value)| name == wanted && !value.is_empty())?;
    Some(PathBuf::from(value))
}

struct Leads<'a> {
    home: Option<PathBuf>,
    /// Configuration still to be read, and the file that includes it.
    files: Vec<(PathBuf, Bases, Option<PathBuf>)>,
    read: HashSet<(PathBuf, Bases)>,
    /// Hook directories already listed.
    listed: HashSet<PathBuf>,
    /// Words already tried as file names.
    tried: HashSet<(Vec<u8>, Bases)>,
    /// Hooks, which may name other files.
    scripts: Vec<(PathBuf, Bases)>,
    hooks: &'a mut Hooks,
}

impl Leads<'_> {
    fn configuration(&mut self) {
        while let Some((file, bases, includer)) = self.files.pop() {
            if !self.read.insert((file.clone(), bases.clone())) {
                continue;
            }
            if self.read.len() > MAX_FILES {
                self.hooks.is_cut = true;
                return;
            }
            self.hooks.naming = includer;
            self.hooks.watch(&file);
            let Some(text) = read(&file, self.hooks) else { continue };
            self.hooks.naming = without_parents(&file);
            for setting in git_config::settings(&text) {
                self.setting(&file, &setting, &bases);
            }
        }
        self.hooks.naming = None;
    }

    fn setting(&mut self, file: &Path, setting: &Setting, bases: &Bases) {
        let Setting { section, key, value, .. } = setting;
        if section.starts_with("include") && key == "path" {
            // Git resolves includes relative to the file's name; also trying the link's target does no harm.
            let resolved = file.canonicalize().ok();
            for around in [Some(file), resolved.as_deref()].into_iter().flatten().filter_map(Path::parent) {
                let includer = without_parents(file);
                self.files.push((self.from(around, value), bases.clone(), includer));
            }
        } else if matches!(key.as_str(), "hookspath" | "templatedir") {
            for base in bases.iter() {
                let directory = self.from(base, value);
                self.hooks_in(&directory, bases);
                self.hooks_in(&directory.join("hooks"), bases);
                // Husky keeps the scripts that its hooks call beside the hooks directory.
                if directory.file_name() == Some(OsStr::new("_")) {
                    directory.parent().into_iter().for_each(|around| self.hooks_in(around, bases));
                }
            }
        } else if !READ_ONLY.contains(&key.as_str()) {
            self.words(value, bases);
        }
    }

    fn from(&self, base: &Path, value: &[u8]) -> PathBuf {
        let path = Path::new(OsStr::from_bytes(value));
        match (path.strip_prefix("~"), &self.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => base.join(path),
        }
    }

    /// A hook directory, or a single file of that kind.
    fn hooks_in(&mut self, path: &Path, bases: &Bases) {
        if !self.hooks.is_inside(path) || !self.listed.insert(path.to_owned()) {
            return;
        }
        let Some(file) = self.hooks.watch(path) else { return };
        let scripts = if file.is_dir() {
            self.hooks.watch_all(path);
            super::entries(path).filter(|script| script.extension() != Some(OsStr::new("sample"))).collect()
        } else {
            vec![path.to_owned()]
        };
        self.scripts.extend(scripts.into_iter().take(MAX_FILES).map(|script| (script, bases.clone())));
    }

    /// Watches the files that hooks call.
    fn scripts(&mut self) {
        for (script, bases) in std::mem::take(&mut self.scripts) {
            let is_short = std::fs::metadata(&script).is_ok_and(|file| file.is_file() && file.len() <= MAX_HOOK);
            if let Some(text) = read(&script, self.hooks).filter(|_| is_short) {
                self.hooks.naming = without_parents(&script);
                let around = script.parent().map(Path::to_owned);
                self.words(&text, &bases.iter().cloned().chain(around).collect());
            }
        }
        self.hooks.naming = None;
    }

    /// Watches every word that is the name of a file. For `$(dirname "$0")/x` that is `x`, in any of the base directories.
    fn words(&mut self, text: &[u8], bases: &Bases) {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`;|&()<>=!{},:*?[]".contains(byte);
        // The whole text may be one name with blanks.
        for word in text.split(is_between).chain([text]).filter(|word| (1..=MAX_NAME).contains(&word.len())) {
            // Options, numbers and words with NUL cannot be file names here.
            if word.starts_with(b"-") || word.iter().all(|byte| byte.is_ascii_digit()) || word.contains(&0) {
                continue;
            }
            if !self.tried.insert((word.to_owned(), bases.clone())) {
                continue;
            }
            if self.tried.len() > MAX_WORDS {
                self.hooks.is_cut = true;
                return;
            }
            let below = match word.iter().position(|byte| *byte == b'/') {
                Some(slash) if word.starts_with(b"$") || slash == 0 => &word[slash + 1..],
                _ => word,
            };
            let is_whole = word.starts_with(b"/") || word.starts_with(b"~/");
            let whole = is_whole.then(|| self.from(Path::new("/"), word));
            for path in whole.into_iter().chain(bases.iter().map(|base| base.join(OsStr::from_bytes(below)))) {
                if path.is_file() {
                    self.hooks.watch(&path);
                }
            }
        }
    }
}

/// `None` when it is no file, or too long, which is noted.
pub fn read(file: &Path, hooks: &mut Hooks) -> Option<Vec<u8>> {
    use std::io::Read;
    // Opening a FIFO would block.
    let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits().cast_signed();
    let is_file = std::fs::metadata(file).is_ok_and(|file| file.is_file());
    let opened = is_file.then(|| std::fs::OpenOptions::new().read(true).custom_flags(flags).open(file))?.ok()?;
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_BYTES {
        hooks.is_cut = true;
        return None;
    }
    Some(bytes)
}
