//! Learns about programs from their `--help`. Decides which programs may be asked, and how often; core parses the help text, and `sandbox`
//! limits what the program may do.

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aside_core::complete::spec_from_help::spec;

use crate::exec::{Probe, probe};
use crate::paths;
use crate::trusted_file;
use crate::world::read::read;
use crate::world::{locked, plain};

/// How often the user must have run it successfully.
const RUNS: u32 = 2;
/// Cap on counted commands.
const MAX_COUNTED: usize = 4096;
/// Rate limit: programs asked within `WHILE`.
const MAX_ASKED: usize = 6;
const WHILE: Duration = Duration::from_secs(60);
/// Cap on cached files.
const MAX_KEPT: usize = 1000;
const MAX_NAME: usize = 64;
/// Changes with core's parser, so that all help texts are parsed again.
const EDITION: u32 = 1;

/// Directories of installed programs, as opposed to those of a cloned project.
const INSTALLED: &[&str] =
    &["/usr", "/bin", "/sbin", "/opt", "/nix", "/gnu", "/snap", "/home/linuxbrew", "/run/current-system"];
/// The same below the home directory. Hidden directories there count too.
const INSTALLED_AT_HOME: &[&str] = &["bin", "go", "Applications"];
/// Path components of a project's own directories.
const BROUGHT: &[&str] = &["node_modules", ".venv", "venv", ".direnv", ".git", "target", "vendor", "site-packages"];

/// Programs that do harm, wait for input, or take any argument for something else.
const NEVER: &str = "\
    rm rmdir unlink dd shred srm wipe wipefs truncate fdisk sfdisk cfdisk gdisk sgdisk parted mkswap cryptsetup \
    shutdown reboot halt poweroff init telinit kexec systemd-run kill killall killall5 pkill skill xkill sudo su \
    doas pkexec run0 runuser login passwd chpasswd chroot nsenter unshare sh ash bash dash ksh mksh zsh fish csh \
    tcsh nu elvish xonsh pwsh rbash busybox toybox vi vim view nvim ex ed nano pico emacs micro joe hx kak helix \
    code subl less more most man ssh scp sftp telnet ftp nc ncat netcat socat mosh tmux screen zellij at batch \
    crontab mount umount iptables ip6tables nft ufw yes reset clear tput stty startx Xorg X exec eval echo \
    printf test [ true false aside";
const NEVER_BEGINS: &[&str] = &["mkfs", "fsck", "mkntfs", "dracut", "grub", "lilo", "flash"];

pub struct Learner {
    /// Aside itself, which restricts itself and then execs the program.
    sandbox: PathBuf,
    /// The cache directory.
    kept: PathBuf,
    ran: Mutex<HashMap<Box<str>, u32>>,
    /// When programs were asked. Locked during a probe, so that only one runs at a time.
    asked: Mutex<VecDeque<Instant>>,
}

impl Learner {
    pub fn new(sandbox: PathBuf, kept: PathBuf) -> Self {
        Self { sandbox, kept, ran: Mutex::default(), asked: Mutex::default() }
    }

    /// The user ran it successfully.
    pub fn ran(&self, name: &str) {
        if !is_fit(name) {
            return;
        }
        let mut ran = locked(&self.ran);
        if let Some(count) = ran.get_mut(name) {
            *count = count.saturating_add(1);
        } else if ran.len() < MAX_COUNTED {
            ran.insert(name.into(), 1);
        }
    }

    /// What is known of the command on this PATH; asks the program if that is allowed. Blocks meanwhile.
    pub fn learnt(&self, name: &str, path: &str, home: &str) -> Option<Arc<str>> {
        if !is_fit(name) {
            return None;
        }
        let program = installed(name, path, home)?;
        let file = self.kept.join(format!("{name}.toml"));
        let stamp = stamp(&program)?;
        let kept = read(&file);
        match kept.as_deref().and_then(|text| text.split_once('\n')) {
            Some((first, text)) if first == stamp => return (!text.is_empty()).then(|| text.into()),
            // It was learnt before, so the user did run it; it has changed since.
            Some(_) => {}
            None => {
                if locked(&self.ran).get(name).is_none_or(|count| *count < RUNS) {
                    return None;
                }
            }
        }
        let help = self.ask(&program, path)?;
        let text = spec(&help).unwrap_or_default();
        // Also without useful content, so that it is not asked again.
        if let Err(error) = self.keep(&file, &format!("{stamp}\n{text}")) {
            tracing::warn!("could not keep what {name} says about itself: {error:#}");
        }
        (!text.is_empty()).then(|| text.into())
    }

    fn ask(&self, program: &Path, path: &str) -> Option<String> {
        let mut asked = locked(&self.asked);
        let now = Instant::now();
        asked.retain(|when| now.saturating_duration_since(*when) < WHILE);
        if asked.len() >= MAX_ASKED {
            return None;
        }
        asked.push_back(now);
        let empty = tempfile::tempdir().ok()?;
        let help = probe(&Probe::Help { aside: &self.sandbox, program, path, empty: empty.path() });
        tracing::debug!(program = %program.display(), answered = help.is_some(), "asked for help");
        // A program that printed nothing, or could not be sandboxed and was not started, is asked again later.
        help.filter(|help| !help.trim().is_empty())
    }

    fn keep(&self, file: &Path, text: &str) -> anyhow::Result<()> {
        paths::private_dir(&self.kept)?;
        if std::fs::read_dir(&self.kept)?.count() >= MAX_KEPT {
            return Ok(());
        }
        let mut new = tempfile::NamedTempFile::new_in(&self.kept)?;
        new.write_all(text.as_bytes())?;
        new.persist(file)?;
        Ok(())
    }
}

/// Whether it is a plain name, and not on the deny list.
fn is_fit(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    name.len() <= MAX_NAME
        && name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
        && name.bytes().all(plain)
        && !NEVER.split(' ').any(|never| never == name)
        && !NEVER_BEGINS.iter().any(|beginning| name.starts_with(beginning))
}

/// The program that the shell would run, if it is installed where no other user could have put it.
fn installed(name: &str, path: &str, home: &str) -> Option<PathBuf> {
    let directories = path.split(':').filter_map(plain).map(Path::new);
    let program = directories.map(|directory| directory.join(name)).find(|program| program.is_file())?;
    // Checks the resolved path too: a link may lead into a project.
    let real = program.canonicalize().ok()?;
    let home = Path::new(home);
    let real_home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let fit = is_installed(&program, home) && is_installed(&real, &real_home);
    (fit && trusted_file::is_ours(&real)).then_some(program)
}

fn is_installed(program: &Path, home: &Path) -> bool {
    let brought = program.iter().any(|part| BROUGHT.iter().any(|brought| part == *brought));
    let at_home = match program.strip_prefix(home) {
        Ok(below) => match below.iter().next().and_then(|first| first.to_str()) {
            Some(first) => Some(first.starts_with('.') || INSTALLED_AT_HOME.contains(&first)),
            None => Some(false),
        },
        Err(_) => None,
    };
    !brought && at_home.unwrap_or_else(|| INSTALLED.iter().any(|place| program.starts_with(place)))
}

/// Changes when the program does.
fn stamp(program: &Path) -> Option<String> {
    let meta = std::fs::metadata(program).ok()?;
    Some(format!("# {EDITION} {} {}.{:09} {}", meta.len(), meta.mtime(), meta.mtime_nsec(), program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    struct Scene {
        temp: tempfile::TempDir,
        learner: Learner,
    }

    impl Scene {
        fn new() -> Self {
            let temp = tempfile::tempdir().unwrap();
            // A stub for Aside, which execs the program without a sandbox.
            let sandbox = temp.path().join("sandbox");
            script(&sandbox, "shift 2; exec \"$1\" --help");
            let learner = Learner::new(sandbox, temp.path().join("learnt"));
            Self { temp, learner }
        }

        fn program(&self, place: &str, text: &str) {
            script(&self.temp.path().join(place), text);
        }

        fn learnt(&self, name: &str, path: &str) -> Option<String> {
            let home = self.temp.path().to_str().unwrap();
            let path = path.replace('~', home);
            self.learner.learnt(name, &path, home).map(|text| text.to_string())
        }
    }

    fn script(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    const HELP: &str =
        "/bin/cat <<'.'\nUsage: frob [options]\n\n  -a, --all   everything\n  -q, --quiet  say less\n.\n";

    #[test]
    fn only_what_ran_twice_is_asked_and_only_once() {
        let scene = Scene::new();
        scene.program(".local/bin/frob", &format!("echo ran >>\"$0.runs\"\n{HELP}"));
        let learnt = || scene.learnt("frob", "~/.local/bin");
        assert_eq!(learnt(), None);
        scene.learner.ran("frob");
        assert_eq!(learnt(), None);
        scene.learner.ran("frob");
        let text = learnt().unwrap();
        assert!(text.contains("\"-q, --quiet\" = \"say less\""), "{text}");
        assert_eq!(learnt().as_deref(), Some(&*text));
        // Another daemon reads it from the cache, without asking, and without having seen it run.
        let other = Learner::new("/missing".into(), scene.temp.path().join("learnt"));
        let home = scene.temp.path().to_str().unwrap();
        assert!(other.learnt("frob", &format!("{home}/.local/bin"), home).is_some());
        let runs = std::fs::read_to_string(scene.temp.path().join(".local/bin/frob.runs")).unwrap();
        assert_eq!(runs.lines().count(), 1);
        // A new version is asked again.
        scene.program(".local/bin/frob", &format!("# new\n{}", HELP.replace("say less", "hush")));
        assert!(learnt().unwrap().contains("hush"));
    }

    #[test]
    fn one_that_says_nothing_of_use_is_not_asked_again() {
        let scene = Scene::new();
        scene.program("bin/deaf", "echo ran >>\"$0.runs\"; echo 'no such option'");
        for _ in 0..3 {
            scene.learner.ran("deaf");
            assert_eq!(scene.learnt("deaf", "~/bin"), None);
        }
        assert_eq!(std::fs::read_to_string(scene.temp.path().join("bin/deaf.runs")).unwrap(), "ran\n");
    }

    #[test]
    fn what_a_project_brought_or_others_can_write_is_not_asked() {
        let scene = Scene::new();
        let home = scene.temp.path().to_str().unwrap();
        let found = |path: &str| installed("frob", &path.replace('~', home), home).is_some();
        for place in ["bin", ".local/bin", "project/bin", "project/node_modules/.bin", ".cache/x/venv/bin", "open/bin"]
        {
            scene.program(&format!("{place}/frob"), "");
        }
        assert!(found("~/bin"));
        assert!(found("~/.local/bin"));
        assert!(!found("~/project/bin"));
        assert!(!found("~/project/node_modules/.bin"));
        assert!(!found("~/.cache/x/venv/bin"));
        assert!(!found("."));
        // The first on PATH is the one that runs, so the second must not be asked instead.
        assert!(!found("~/project/bin:~/bin"));
        let bin = scene.temp.path().join("bin");
        std::fs::set_permissions(&bin, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(!found("~/bin"));
        std::fs::create_dir_all(scene.temp.path().join("go")).unwrap();
        std::os::unix::fs::symlink(scene.temp.path().join("project/bin/frob"), scene.temp.path().join("go/frob"))
            .unwrap();
        assert!(!found("~/go"));
    }

    #[test]
    fn some_are_never_asked() {
        for name in ["rm", "mkfs.ext4", "bash", "vim", "../x", "-x", "", ".hidden", "a b", "aside", "a/b"] {
            assert!(!is_fit(name), "{name}");
        }
        for name in ["frob", "g++", "x-y_z", "7z"] {
            assert!(is_fit(name), "{name}");
        }
    }

    #[test]
    fn not_too_many_are_asked_at_a_time() {
        let scene = Scene::new();
        for number in 0..MAX_ASKED + 2 {
            let name = format!("frob{number}");
            scene.program(&format!("bin/{name}"), HELP);
            scene.learner.ran(&name);
            scene.learner.ran(&name);
            assert_eq!(scene.learnt(&name, "~/bin").is_some(), number < MAX_ASKED, "{number}");
        }
    }
}
