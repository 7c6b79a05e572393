//! What this machine shares with chats, in one file that only its owner can read. Nothing here is printed, logged or sent anywhere but to
//! the chat itself.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use crate::trusted_file;

/// Bytes of the file: a few keys.
const MAX_FILE: u64 = 64 * 1024;

#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Secrets {
    /// Of the intelligent robot.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub robot: String,
    /// Of the app: what callbacks are signed and encrypted with, and what fetches tokens of the API.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub token: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub aes_key: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub corp_secret: String,
    /// What calls of the webhook are signed with, both ways.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub webhook: String,
    /// What proves to the relay which machine this is, and as which it is known there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub relay_key: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub relay_machine: String,
}

impl Secrets {
    /// Empty when there is no file.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let opened = trusted_file::open(path).with_context(|| path.display().to_string())?;
        let Some(file) = opened else { return Ok(Self::default()) };
        let mode = file.metadata()?.mode();
        ensure!(mode & 0o077 == 0, "other users can read {0}; `chmod 600 {0}` mends that", path.display());
        let mut text = String::new();
        file.take(MAX_FILE).read_to_string(&mut text).with_context(|| format!("could not read {}", path.display()))?;
        // The error would quote the text.
        serde_json::from_str(&text)
            .map_err(|_| anyhow::anyhow!("{} is damaged; run `aside remote setup` again", path.display()))
    }

    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let dir = path.parent().context("there is no directory for secrets")?;
        std::fs::create_dir_all(dir)?;
        // 0600 from the beginning, and whole or not there.
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(serde_json::to_string(self)?.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn secrets_are_the_owners_alone() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("aside/remote.json");
        assert!(Secrets::read(&path).unwrap() == Secrets::default());
        let secrets = Secrets { robot: "sesame".into(), ..Secrets::default() };
        secrets.write(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(Secrets::read(&path).unwrap() == secrets);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let refused = Secrets::read(&path).err().unwrap().to_string();
        assert!(refused.contains("chmod 600"), "{refused}");
        std::fs::write(temp.path().join("bad"), "sesame{").unwrap();
        std::fs::set_permissions(temp.path().join("bad"), std::fs::Permissions::from_mode(0o600)).unwrap();
        let refused = Secrets::read(&temp.path().join("bad")).err().unwrap().to_string();
        assert!(!refused.contains("sesame"), "{refused}");
    }
}
