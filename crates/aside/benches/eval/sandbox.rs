//! Runs a command in a fixture home and reports its outcome. The command sees the system read-only, a loopback-only network, only
//! its own processes, and no file of the user who runs this.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::engine::PATH;
use super::request::Place;
use super::tree::{self, Tree};

/// The timeout in seconds. Ends commands that follow a file or wait for a key.
const LIMIT: u32 = 4;
/// The maximum size of the output.
const BYTES: usize = 200_000;
/// A larger file of the fixture is sparse until its blocks are allocated.
const SPARSE: u64 = 100_000;
/// The programs that the fixture starts.
const PROGRAMS: &[&str] = &["node", "nginx", "python3", "postgres", "memhog", "myworker", "sleep"];

/// What all commands in it share.
pub struct World {
    eval: PathBuf,
    scratch: tempfile::TempDir,
    /// The initial state.
    pub tree: Tree,
}

/// What a command did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub output: String,
    /// `None` when the sandbox failed before it could report.
    pub code: Option<i32>,
    pub tree: Tree,
    pub git: String,
    pub alive: BTreeSet<String>,
    /// The members of each new archive: size and name.
    pub archives: BTreeMap<String, Vec<(u64, String)>>,
}

impl World {
    /// The error says why nothing can be run here.
    pub fn new(eval: &Path) -> Result<World, String> {
        let scratch = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
        let root = scratch.path().join("me");
        let built = Command::new(eval.join("fixture/build")).arg(&root).status();
        if !built.is_ok_and(|status| status.success()) {
            return Err("eval/fixture/build failed".to_owned());
        }
        let tree = tree::read(&root);
        let world = World { eval: eval.to_owned(), scratch, tree };
        world.try_the_sandbox()?;
        Ok(world)
    }

    /// The path of the home for both the sandbox and the engine. Nothing is run in this one.
    pub fn root(&self) -> PathBuf {
        self.scratch.path().join("me")
    }

    pub fn folder(&self, place: &Place) -> PathBuf {
        self.root().join(&place.folder)
    }

    fn try_the_sandbox(&self) -> Result<(), String> {
        let place = Place { folder: "project".to_owned(), running: false };
        let mut room = self.room("try");
        let outcome = room.run(&place, "echo it works; touch made; echo > /usr/made");
        let right = outcome.output.trim() == "it works" && outcome.tree.contains_key("project/made");
        if right {
            return Ok(());
        }
        Err(format!(
            "commands cannot be run apart from this machine: bubblewrap (bwrap) is missing or may not make namespaces here\n{}",
            room.complaint
        ))
    }

    /// A home to run commands in, one after the other. Its name must be unique.
    pub fn room(&self, name: &str) -> Room<'_> {
        let home = self.scratch.path().join(format!("room-{name}"));
        let told = self.scratch.path().join(format!("told-{name}"));
        std::fs::create_dir_all(&home).expect("a scratch directory");
        let stale = self.tree.keys().filter(|path| !path.contains('/')).cloned().collect();
        Room { world: self, home, told, stale, complaint: String::new() }
    }
}

pub struct Room<'a> {
    world: &'a World,
    home: PathBuf,
    /// Where the sandbox reports.
    told: PathBuf,
    /// The entries directly below the home that have changed.
    stale: BTreeSet<String>,
    pub complaint: String,
}

impl Room<'_> {
    pub fn run(&mut self, place: &Place, command: &str) -> Outcome {
        self.tidy();
        let _ = fs::remove_dir_all(&self.told);
        fs::create_dir_all(&self.told).expect("a scratch directory");
        fs::write(self.told.join("command"), command).expect("a scratch file");
        let ran = self.bwrap(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
        self.complaint = match ran {
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        let outcome = self.heard();
        self.stale = tree::changed(&self.world.tree, &outcome.tree);
        if place.is_repository() {
            // Repository directories are not scanned, so they may have changed unnoticed.
            self.stale.extend([place.folder.clone(), "repo.git".to_owned()]);
        }
        outcome
    }

    /// Restores the home to its initial state.
    fn tidy(&mut self) {
        for name in std::mem::take(&mut self.stale) {
            let (path, made) = (self.home.join(&name), self.world.root().join(&name));
            remove(&path);
            if self.world.tree.contains_key(&name) {
                let copied = Command::new("cp").arg("-a").arg(&made).arg(&path).status();
                assert!(copied.is_ok_and(|status| status.success()), "could not copy the fixture");
            }
            let below = format!("{name}/");
            let large =
                self.world.tree.iter().filter(|(path, entry)| path.starts_with(&below) && entry.size() > SPARSE);
            large.for_each(|(path, _)| allocate(&self.home.join(path)));
        }
    }

    fn bwrap(&self, place: &Place) -> Command {
        let (root, folder) = (self.world.root(), self.world.folder(place));
        let fixture = self.world.eval.join("fixture");
        let mut bwrap = Command::new("bwrap");
        bwrap.args(["--unshare-all", "--die-with-parent", "--new-session", "--hostname", "box"]);
        bwrap.args(["--uid", "1000", "--gid", "1000", "--clearenv"]);
        bwrap.args(["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"]);
        for path in ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/var/lib/dpkg"] {
            bwrap.args(["--ro-bind-try", path, path]);
        }
        for name in ["passwd", "group"] {
            bwrap.arg("--ro-bind").arg(fixture.join(name)).arg(Path::new("/etc").join(name));
        }
        bwrap.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run"]);
        bwrap.arg("--ro-bind").arg(&fixture).arg("/run/fixture");
        bwrap.arg("--bind").arg(&self.home).arg(&root);
        bwrap.arg("--bind").arg(&self.told).arg("/run/eval");
        bwrap.arg("--chdir").arg(&folder).arg("--setenv").arg("HOME").arg(&root);
        if place.is_repository() {
            bwrap.arg("--setenv").arg("EVAL_GIT").arg(&folder);
        }
        if place.running {
            bwrap.args(["--setenv", "EVAL_RUNNING", "1"]);
        }
        let path = format!("/run/fixture/bin:{PATH}");
        let limit = LIMIT.to_string();
        let variables = [
            ("PATH", path.as_str()),
            ("EVAL", "/run/eval"),
            ("EVAL_LIMIT", &limit),
            ("USER", "me"),
            ("LOGNAME", "me"),
            ("SHELL", "/bin/bash"),
            ("LANG", "C.UTF-8"),
            ("TZ", "UTC"),
            ("TERM", "dumb"),
            ("PAGER", "cat"),
            ("GIT_PAGER", "cat"),
            ("MANPAGER", "cat"),
            ("SYSTEMD_PAGER", "cat"),
            ("EDITOR", "true"),
            ("VISUAL", "true"),
            ("GIT_EDITOR", "true"),
            ("GIT_TERMINAL_PROMPT", "0"),
        ];
        for (name, value) in variables {
            bwrap.args(["--setenv", name, value]);
        }
        bwrap.arg("/run/fixture/inside");
        bwrap
    }

    fn heard(&self) -> Outcome {
        let read = |name: &str| {
            let mut bytes = fs::read(self.told.join(name)).unwrap_or_default();
            bytes.truncate(BYTES);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let mut archives: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
        let root = format!("{}/", self.world.root().display());
        for line in read("archives").lines() {
            let mut parts = line.splitn(3, '\t');
            let (Some(archive), Some(size), Some(member)) = (parts.next(), parts.next(), parts.next()) else {
                continue;
            };
            let archive = archive.strip_prefix(&root).unwrap_or(archive).to_owned();
            archives.entry(archive).or_default().push((size.parse().unwrap_or(0), member.to_owned()));
        }
        let alive = read("alive");
        let alive = alive.lines().filter(|name| PROGRAMS.contains(name)).map(str::to_owned).collect();
        Outcome {
            output: read("stdout"),
            code: read("code").trim().parse().ok(),
            tree: tree::read(&self.home),
            git: read("git"),
            alive,
            archives,
        }
    }
}

fn remove(path: &Path) {
    let remove = || if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    if path.symlink_metadata().is_ok() && remove().is_err() {
        // A command has removed the permissions that are needed to delete it.
        let _ = Command::new("chmod").args(["-R", "u+rwX"]).arg(path).stderr(Stdio::null()).status();
        remove().expect("what a command made can be removed");
    }
}

/// Allocates the blocks of a file, so that `du` and `ls` agree on its size. Where the file system cannot, it stays sparse.
fn allocate(path: &Path) {
    let Ok(file) = fs::OpenOptions::new().write(true).open(path) else { return };
    let Ok(facts) = file.metadata() else { return };
    let _ = rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, facts.len());
    if let Ok(changed) = facts.modified() {
        let _ = file.set_modified(changed);
    }
}
