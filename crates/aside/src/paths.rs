//! Where Aside keeps its files. Reads the environment once; creates nothing except the private socket directory.

use std::ffi::OsString;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use etcetera::BaseStrategy;

/// The kernel's limit for a socket's path, without the final NUL.
pub const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

#[derive(Clone, Debug)]
pub struct Paths {
    pub config_file: PathBuf,
    pub data_dir: PathBuf,
    pub state_dir: PathBuf,
    pub socket: PathBuf,
}

impl Paths {
    /// `$ASIDE_HOME`, when set, holds everything in one directory: `aside try` uses it, so that a trial touches none of the user's files
    /// and changes no variable that other programs read.
    pub fn from_env() -> anyhow::Result<Self> {
        // The daemon's directory is `/`, so a relative path would mean another file to it than to its clients.
        let socket = std::path::absolute(socket_path(&var, &is_private)).context("could not tell where you are")?;
        if let Some(home) = var("ASIDE_HOME") {
            let home = std::path::absolute(home).context("could not tell where you are")?;
            return Ok(Self {
                config_file: home.join("config.toml"),
                data_dir: home.join("data"),
                state_dir: home.join("state"),
                socket,
            });
        }
        let base = etcetera::base_strategy::Xdg::new().context("could not find your home directory; set HOME")?;
        Ok(Self {
            config_file: base.config_dir().join("aside/config.toml"),
            data_dir: base.data_dir().join("aside"),
            state_dir: base.state_dir().unwrap_or_else(|| base.data_dir()).join("aside"),
            socket,
        })
    }

    pub fn history_db(&self) -> PathBuf {
        self.data_dir.join("history.db")
    }

    /// The user's own specs, beside their settings.
    pub fn specs_dir(&self) -> PathBuf {
        self.config_file.with_file_name("specs")
    }

    pub fn log_file(&self) -> PathBuf {
        self.state_dir.join("daemon.log")
    }

    /// The log of the managed model server.
    pub fn model_log(&self) -> PathBuf {
        self.state_dir.join("model.log")
    }

    /// The installed models.
    pub fn models_dir(&self) -> PathBuf {
        self.data_dir.join("models")
    }

    /// The journal of what left this machine.
    pub fn privacy_journal(&self) -> PathBuf {
        self.state_dir.join("privacy.jsonl")
    }

    /// What the user did with suggestions.
    pub fn interactions(&self) -> PathBuf {
        self.state_dir.join("interactions.jsonl")
    }

    /// The log of lines that were taken for prose, and why.
    pub fn reroutes(&self) -> PathBuf {
        self.state_dir.join("reroutes.jsonl")
    }

    /// Its existence says that the user was told how outputs could be captured.
    pub fn capture_tip(&self) -> PathBuf {
        self.state_dir.join("capture-tip-shown")
    }

    /// Lines that the user marked as wrongly taken for prose.
    pub fn marks(&self) -> PathBuf {
        self.state_dir.join("wrong.jsonl")
    }

    /// Which chat messages were acted upon.
    pub fn remote_seen(&self) -> PathBuf {
        self.data_dir.join("remote-seen")
    }

    /// Secrets shared with chats, mode 0600.
    pub fn remote_secrets(&self) -> PathBuf {
        self.data_dir.join("remote.json")
    }

    /// The threads of agents.
    pub fn agent_threads(&self) -> PathBuf {
        self.state_dir.join("agent-threads.json")
    }

    /// The page's state that outlives a daemon.
    pub fn page_state(&self) -> PathBuf {
        self.state_dir.join("web.json")
    }

    /// Beside the socket. Only `aside uninstall` deletes it, and without it open shells start no daemon. Removing it while another process
    /// waits for the lock would let two hold it.
    pub fn lock_file(&self) -> PathBuf {
        lock_file(&self.socket)
    }

    /// Where bash and fish leave records for the daemon.
    pub fn inbox(&self) -> PathBuf {
        beside(&self.socket, ".inbox")
    }

    /// Called for an explicit start: by a new shell, or by the user.
    pub fn create_lock_file(&self) {
        // If it cannot be written, the daemon reports that.
        let _ = std::fs::File::options().append(true).create_new(true).mode(0o600).open(self.lock_file());
    }
}

/// Bytes without which nothing of ours can be written: a task's log, a page of the history.
const LEAST_ROOM: u64 = 64 * 1024;

/// Whether the disk of a directory has no room left. Looks at the nearest directory above that exists.
pub fn is_full(dir: &Path) -> bool {
    room(dir) == 0
}

/// Bytes that can be written to the disk of a directory, 0 if they are too few for anything.
pub fn room(dir: &Path) -> u64 {
    let Some(disk) = dir.ancestors().find_map(|dir| rustix::fs::statvfs(dir).ok()) else { return u64::MAX };
    let has_no_inode = disk.f_files > 0 && disk.f_favail == 0;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    match has_no_inode || is_too_little(free, disk.f_blocks) {
        true => 0,
        false => free.max(1),
    }
}

/// File systems of the kernel's have no blocks at all.
fn is_too_little(free: u64, blocks: u64) -> bool {
    blocks > 0 && free < LEAST_ROOM
}

/// The part of the plugin that a shell reads after its first prompt is drawn.
pub fn rest_file(socket: &Path, shell: &str) -> PathBuf {
    beside(socket, &format!(".{shell}"))
}

/// Redirects a browser to the page, until it was opened.
pub fn page_file(socket: &Path) -> PathBuf {
    beside(socket, ".html")
}

/// The pid in the name of a session of ours: `bash-4711-1700000000000`.
pub fn shell_of_session(session: &str) -> Option<i32> {
    session.split('-').nth(1)?.parse().ok().filter(|pid| *pid > 0)
}

/// The same, for a process that knows only the socket.
pub fn lock_file(socket: &Path) -> PathBuf {
    beside(socket, ".lock")
}

/// Where a shell finds which tier captures it. aside.bash and aside.fish make the same name.
pub fn tier_file(socket: &Path, shell: i32) -> PathBuf {
    beside(socket, &format!(".{shell}.tier"))
}

/// The pid of the shell, if `file` is such a file.
pub fn shell_of_tier_file(socket: &Path, file: &Path) -> Option<i32> {
    let name = file.file_name()?.to_str()?.strip_prefix(socket.file_name()?.to_str()?)?;
    name.strip_prefix('.')?.strip_suffix(".tier")?.parse().ok()
}

fn beside(socket: &Path, ending: &str) -> PathBuf {
    let mut name = socket.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn var(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// `$ASIDE_SOCKET`, the runtime directory, or a private directory in the temporary one. Ignores a runtime directory that is not private:
/// after `su` it is still another user's, and some containers set it to `/tmp`.
fn socket_path(var: &dyn Fn(&str) -> Option<OsString>, is_private: &dyn Fn(&Path) -> bool) -> PathBuf {
    if let Some(path) = var("ASIDE_SOCKET") {
        return PathBuf::from(path);
    }
    if let Some(home) = var("ASIDE_HOME") {
        return Path::new(&home).join("aside.sock");
    }
    if let Some(dir) = var("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| is_private(dir)) {
        return dir.join("aside.sock");
    }
    let temporary = var("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    temporary.join(private_name()).join("aside.sock")
}

fn private_name() -> String {
    format!("aside-{}", us())
}

fn us() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Whether it is a directory of ours that no other user can enter.
pub fn is_private(dir: &Path) -> bool {
    let meta = std::fs::metadata(dir).ok();
    dir.is_absolute()
        && meta.is_some_and(|meta| meta.is_dir() && meta.uid() == us() && meta.permissions().mode() & 0o077 == 0)
}

/// Makes the socket's directory, or checks that no other user can have put a socket there. Changes the mode only of a directory with our
/// name: one that the user chose is theirs, and may be `/tmp`.
pub fn prepare_socket_dir(socket: &Path) -> anyhow::Result<()> {
    if socket.as_os_str().len() > MAX_SOCKET_PATH {
        bail!("{} is longer than {MAX_SOCKET_PATH} bytes; set ASIDE_SOCKET to a shorter path", socket.display());
    }
    let Some(dir) = socket.parent() else { return Ok(()) };
    if dir.file_name().is_some_and(|name| name == private_name().as_str()) || !dir.exists() {
        return private_dir(dir);
    }
    let meta = std::fs::metadata(dir).with_context(|| format!("could not look at {}", dir.display()))?;
    if ![us(), 0].contains(&meta.uid()) {
        bail!("{} belongs to another user; set ASIDE_SOCKET to a path of your own", dir.display());
    }
    Ok(())
}

/// For a daemon whose files were deleted: makes a directory with our name again, and no other: what the user or the system has removed
/// stays removed.
pub fn restore_socket_dir(socket: &Path) -> anyhow::Result<()> {
    match socket.parent() {
        Some(dir) if !dir.exists() && dir.file_name().is_none_or(|name| name != private_name().as_str()) => {
            bail!("{} is gone", dir.display())
        }
        Some(dir) if dir.parent().is_some_and(|above| !above.exists()) => bail!("{} is gone", dir.display()),
        _ => prepare_socket_dir(socket),
    }
}

/// Refuses to create files in another user's home: after `sudo -E` the home is still the user's, and they could not write to what root
/// creates there. Only root can get that far.
pub fn leave_to_its_owner(dir: &Path) -> anyhow::Result<()> {
    let nearest = dir.ancestors().find_map(|dir| Some((dir, std::fs::metadata(dir).ok()?.uid())));
    match nearest {
        Some((dir, owner)) if us() == 0 && owner != 0 => {
            bail!("{} belongs to user {owner}, and you are root; run it as that user, or use `sudo -H`", dir.display())
        }
        _ => Ok(()),
    }
}

/// Makes `dir` with mode 0700, or checks that it is a directory of ours that no other user can enter.
pub fn private_dir(dir: &Path) -> anyhow::Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).recursive(true).create(dir) {
        Ok(()) => {}
        Err(error) => return Err(error).with_context(|| format!("could not create {}", dir.display())),
    }
    let meta = std::fs::symlink_metadata(dir).with_context(|| format!("could not look at {}", dir.display()))?;
    if !meta.is_dir() {
        bail!("{} is not a directory; remove it", dir.display());
    }
    if meta.uid() != us() {
        bail!("{} belongs to another user; set ASIDE_SOCKET to a path of your own", dir.display());
    }
    if meta.permissions().mode() & 0o077 != 0 {
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700))
            .with_context(|| format!("could not make {} private", dir.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(vars: &[(&str, &str)]) -> String {
        let lookup = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        socket_path(&lookup, &|dir| dir == Path::new("/run/u")).display().to_string()
    }

    #[test]
    fn a_disk_is_full_before_nothing_at_all_is_left() {
        assert!(is_too_little(0, 100) && is_too_little(LEAST_ROOM - 1, 100));
        assert!(!is_too_little(LEAST_ROOM, 100) && !is_too_little(0, 0), "the kernel's own have no blocks");
        assert!(!is_full(Path::new("/proc/nowhere/at/all")));
    }

    #[test]
    fn the_socket_follows_its_precedence() {
        let uid = rustix::process::getuid().as_raw();
        let all = [("ASIDE_SOCKET", "/a/s"), ("ASIDE_HOME", "/h"), ("XDG_RUNTIME_DIR", "/run/u"), ("TMPDIR", "/t")];
        assert_eq!(socket(&all), "/a/s");
        assert_eq!(socket(&all[1..]), "/h/aside.sock");
        assert_eq!(socket(&all[2..]), "/run/u/aside.sock");
        assert_eq!(socket(&all[3..]), format!("/t/aside-{uid}/aside.sock"));
        assert_eq!(socket(&[]), format!("/tmp/aside-{uid}/aside.sock"));
        assert_eq!(socket(&[("XDG_RUNTIME_DIR", "/run/other")]), format!("/tmp/aside-{uid}/aside.sock"));
    }

    #[test]
    fn a_runtime_directory_counts_only_if_it_is_ours_alone() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert!(is_private(temp.path()));
        assert!(!is_private(&temp.path().join("missing")));
        assert!(!is_private(Path::new(".")), "the daemon has another directory than its clients");
        std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(!is_private(temp.path()));
    }

    #[test]
    fn a_directory_that_the_person_chose_keeps_its_mode() {
        let temp = tempfile::tempdir().unwrap();
        let mode = |dir: &Path| std::fs::metadata(dir).unwrap().permissions().mode() & 0o7777;
        std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
        prepare_socket_dir(&temp.path().join("a.sock")).unwrap();
        assert_eq!(mode(temp.path()), 0o1777);
        let ours = temp.path().join(private_name());
        std::fs::create_dir(&ours).unwrap();
        std::fs::set_permissions(&ours, std::fs::Permissions::from_mode(0o755)).unwrap();
        prepare_socket_dir(&ours.join("a.sock")).unwrap();
        assert_eq!(mode(&ours), 0o700);
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_named() {
        let error = prepare_socket_dir(Path::new(&format!("/{}", "x".repeat(200)))).unwrap_err().to_string();
        assert!(error.ends_with("bytes; set ASIDE_SOCKET to a shorter path"), "{error}");
    }

    #[test]
    fn what_belongs_to_somebody_else_is_left_alone() {
        // Only root can act as two users.
        if us() != 0 {
            return;
        }
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::chown(temp.path(), Some(65534), None).unwrap();
        let error = prepare_socket_dir(&temp.path().join("a.sock")).unwrap_err().to_string();
        assert!(error.contains("belongs to another user; set ASIDE_SOCKET"), "{error}");
        let error = leave_to_its_owner(&temp.path().join("not/there/yet")).unwrap_err().to_string();
        assert!(error.contains("belongs to user 65534"), "{error}");
    }

    #[test]
    fn a_directory_that_others_can_enter_is_closed() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("open");
        std::fs::create_dir(&dir).unwrap();
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o777)).unwrap();
        private_dir(&dir).unwrap();
        assert_eq!(std::fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_link_in_place_of_the_directory_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let link = temp.path().join("link");
        std::os::unix::fs::symlink(temp.path(), &link).unwrap();
        let error = private_dir(&link).unwrap_err().to_string();
        assert!(error.contains("is not a directory"), "{error}");
    }
}
