//! Replaces one of the user's files by an atomic rename, through links and with its mode kept. Does not decide about the content.

use std::fs::{Metadata, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rustix::fs::Access;

/// The limit that Linux has.
const MAX_LINKS: usize = 40;

/// Also creates the directory of a new file.
pub fn replace(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let doing = || format!("could not write {}", path.display());
    let target = behind_links(path).with_context(doing)?;
    let dir = target.parent().with_context(doing)?;
    std::fs::create_dir_all(dir).with_context(doing)?;
    let before = std::fs::metadata(&target).ok();
    // Renaming over a read-only file would succeed, against the intent of making it read-only.
    if before.is_some() {
        rustix::fs::access(&target, Access::WRITE_OK).with_context(doing)?;
    }
    replace_target(&target, dir, before.as_ref(), content).with_context(doing)
}

fn replace_target(target: &Path, dir: &Path, before: Option<&Metadata>, content: &[u8]) -> anyhow::Result<()> {
    // The umask applies to the mode of a new file.
    let mut file =
        tempfile::Builder::new().prefix(".aside-").permissions(Permissions::from_mode(0o666)).tempfile_in(dir)?;
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

/// Resolves links. Not with `canonicalize`: the last link may point to a file that does not exist yet.
fn behind_links(path: &Path) -> anyhow::Result<PathBuf> {
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
