//! Replaces one of the user's files by an atomic rename, through links and with its mode kept. Does not decide about the content.

use std::fs::{DirBuilder, Metadata, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rustix::fs::Access;

/// The limit that Linux has.
const MAX_LINKS: usize = 40;

/// Modes of a new file and of the directories made for it; the umask applies. What exists keeps its mode.
#[derive(Clone, Copy)]
struct Modes {
    file: u32,
    dir: u32,
}

/// Also creates the directory of a new file.
pub fn replace(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    replace_with(path, content, Modes { file: 0o666, dir: 0o777 })
}

/// The same for a file of ours: a new one, and its directory, are readable by the user alone.
pub fn replace_own(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    replace_with(path, content, Modes { file: 0o600, dir: 0o700 })
}

fn replace_with(path: &Path, content: &[u8], modes: Modes) -> anyhow::Result<()> {
    let doing = || format!("could not write {}", path.display());
    let target = behind_links(path).with_context(doing)?;
    let dir = target.parent().with_context(doing)?;
    if let Some(above) = dir.parent() {
        std::fs::create_dir_all(above).with_context(doing)?;
    }
    DirBuilder::new().recursive(true).mode(modes.dir).create(dir).with_context(doing)?;
    let before = std::fs::metadata(&target).ok();
    // Renaming over a read-only file would succeed, against the intent of making it read-only.
    if before.is_some() {
        rustix::fs::access(&target, Access::WRITE_OK).with_context(doing)?;
    }
    replace_target(&target, (dir, modes.file), before.as_ref(), content).with_context(doing)
}

fn replace_target(
    target: &Path,
    (dir, mode): (&Path, u32),
    before: Option<&Metadata>,
    content: &[u8],
) -> anyhow::Result<()> {
    let mut file =
        tempfile::Builder::new().prefix(".aside-").permissions(Permissions::from_mode(mode)).tempfile_in(dir)?;
    file.write_all(content)?;
    if let Some(before) = before {
        let now = file.as_file().metadata()?;
        if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
            std::os::unix::fs::fchown(file.as_file(), Some(before.uid()), Some(before.gid()))?;
        }
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// The file that a write would replace. Not with `canonicalize`: the last link may point to a file that does not exist yet.
pub fn behind_links(path: &Path) -> anyhow::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&target) {
            Ok(link) => target = target.parent().unwrap_or(Path::new("/")).join(link),
            Err(_) => return Ok(target),
        }
    }
    bail!("too many links")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_of_ours_is_for_the_user_alone_and_an_old_one_keeps_its_mode() {
        let temp = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = temp.path().join("config/aside/config.toml");
        replace_own(&file, b"new").unwrap();
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        std::fs::set_permissions(file.parent().unwrap(), Permissions::from_mode(0o755)).unwrap();
        replace_own(&file, b"newer").unwrap();
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o644, 0o755));
    }

    #[test]
    fn links_stay_links_and_the_mode_stays() {
        let temp = tempfile::tempdir().unwrap();
        let (real, link) = (temp.path().join("dotfiles/config.toml"), temp.path().join("config/config.toml"));
        std::fs::create_dir_all(real.parent().unwrap()).unwrap();
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("../dotfiles/config.toml", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"new");
        assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read_dir(real.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_to_nothing_makes_what_it_points_to() {
        let temp = tempfile::tempdir().unwrap();
        let link = temp.path().join("config.toml");
        std::os::unix::fs::symlink("dotfiles/config.toml", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(std::fs::read(temp.path().join("dotfiles/config.toml")).unwrap(), b"new");
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let link = temp.path().join("config.toml");
        std::os::unix::fs::symlink("config.toml", &link).unwrap();
        let error = format!("{:#}", replace(&link, b"new").unwrap_err());
        assert_eq!(error, format!("could not write {}: too many links", link.display()));
    }
}
