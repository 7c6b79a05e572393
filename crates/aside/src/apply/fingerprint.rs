//! Fingerprints a file, to tell whether it is still the one that was seen: the digest of its bytes, and whether it is executable.

use std::fmt;

use ring::digest;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub digest: Digest,
    pub executable: bool,
}

/// SHA-256 in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest(String);

impl Fingerprint {
    pub fn of(bytes: &[u8], executable: bool) -> Self {
        Self { digest: Digest::of(&[bytes]), executable }
    }
}

impl Digest {
    /// Digests all parts, each prefixed with its length, so that moving a byte from one part to the next changes the digest.
    pub fn of_all(parts: &[&[u8]]) -> Self {
        let lengths: Vec<[u8; 8]> =
            parts.iter().map(|part| u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes()).collect();
        let both: Vec<&[u8]> = lengths.iter().zip(parts).flat_map(|(length, part)| [&length[..], part]).collect();
        Self::of(&both)
    }

    pub fn read(text: &str) -> Option<Self> {
        let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_digest.then(|| Self(text.to_owned()))
    }

    fn of(parts: &[&[u8]]) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        for part in parts {
            context.update(part);
        }
        Self(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
