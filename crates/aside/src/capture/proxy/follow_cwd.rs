//! Keeps the proxy's working directory equal to the shell's: tmux, for instance, opens a new pane in the directory of the process it
//! started, which is the proxy. Stays out of directories where it could block an `umount`: the shell may leave and unmount in one line.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// Removable file systems are mounted below these.
const COMES_AND_GOES: [&str; 4] = ["/media", "/mnt", "/run", "/Volumes"];
#[cfg(target_os = "linux")]
const FUSE: u64 = 0x6573_5546;

pub struct CwdFollower {
    /// The /proc link to the shell's working directory.
    link: PathBuf,
    /// Devices that stay mounted: those of the root and the home directory.
    stays: Vec<u64>,
    /// The link's value at our last change of directory.
    at: Option<PathBuf>,
}

impl CwdFollower {
    pub fn new(shell: Pid) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let places = [Some(PathBuf::from("/")), home].into_iter().flatten();
        let stays = places.filter_map(|place| std::fs::metadata(place).ok()).map(|meta| meta.dev()).collect();
        Self { link: format!("/proc/{}/cwd", shell.as_raw_pid()).into(), stays, at: None }
    }

    pub fn follow(&mut self) {
        let Ok(there) = std::fs::read_link(&self.link) else { return };
        if self.at.as_ref() == Some(&there) {
            return;
        }
        let target = if self.is_in_the_way(&there) { Path::new("/") } else { self.link.as_path() };
        // On failure, goes to `/`: the directory may be gone, or we may not enter it.
        let _ = rustix::process::chdir(target).or_else(|_| rustix::process::chdir("/"));
        self.at = Some(there);
    }

    fn is_in_the_way(&self, there: &Path) -> bool {
        let stays = || std::fs::metadata(&self.link).is_ok_and(|meta| self.stays.contains(&meta.dev()));
        (COMES_AND_GOES.iter().any(|place| there.starts_with(place)) || self.is_fuse()) && !stays()
    }

    /// A FUSE file system's own process could make us wait.
    #[cfg(target_os = "linux")]
    fn is_fuse(&self) -> bool {
        rustix::fs::statfs(&self.link).is_ok_and(|system| u64::try_from(system.f_type).is_ok_and(|kind| kind == FUSE))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_fuse(&self) -> bool {
        false
    }
}
