//! Keys of machines (Ed25519: the relay knows the public half alone), one-time codes, and tokens. Secrets are compared in constant time.

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// Bytes of a public key.
const PUBLIC: usize = 32;
/// Characters of a code, five bits each: too many to guess at any rate.
const CODE: usize = 20;
const GROUP: usize = 5;
/// Without letters that are mistaken for each other.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// What a code stands for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Invitation {
    pub machine: String,
    pub users: Vec<String>,
    #[serde(default)]
    pub made: u64,
    pub until: u64,
}

impl Invitation {
    /// Void before it was made, too: a clock that was set back must not make it good for longer.
    pub fn is_good(&self, now: u64) -> bool {
        (self.made..=self.until).contains(&now)
    }
}

/// The secret half, as a machine keeps it.
pub struct MachineKey(Ed25519KeyPair);

impl MachineKey {
    /// A new one, and the text in which it is kept.
    pub fn generate() -> anyhow::Result<(Self, String)> {
        let document =
            Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).ok().context("there are no random numbers")?;
        let text = STANDARD.encode(document.as_ref());
        Ok((Self::of(&text).context("the new key cannot be read")?, text))
    }

    pub fn of(text: &str) -> Option<Self> {
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(&STANDARD.decode(text).ok()?).ok().map(Self)
    }

    pub fn public(&self) -> String {
        STANDARD.encode(self.0.public_key())
    }

    pub fn sign(&self, machine: &str, nonce: &str) -> String {
        STANDARD.encode(self.0.sign(&signed(machine, nonce)))
    }
}

pub fn is_public_key(text: &str) -> bool {
    STANDARD.decode(text).is_ok_and(|bytes| bytes.len() == PUBLIC)
}

/// Whether the machine with this public key has signed this nonce under this name.
pub fn is_signed(public: &str, machine: &str, nonce: &str, signature: &str) -> bool {
    let (Ok(public), Ok(signature)) = (STANDARD.decode(public), STANDARD.decode(signature)) else { return false };
    UnparsedPublicKey::new(&ED25519, public).verify(&signed(machine, nonce), &signature).is_ok()
}

fn signed(machine: &str, nonce: &str) -> Vec<u8> {
    format!("aside-relay 1\n{machine}\n{nonce}").into_bytes()
}

/// 256 bits, for a nonce or a token.
pub fn random() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).ok().context("there are no random numbers")?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// A one-time code, in groups that can be read aloud.
pub fn code() -> anyhow::Result<String> {
    let mut bytes = [0; CODE];
    SystemRandom::new().fill(&mut bytes).ok().context("there are no random numbers")?;
    let letters: Vec<char> = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    let groups: Vec<String> = letters.chunks(GROUP).map(|group| group.iter().collect()).collect();
    Ok(groups.join("-"))
}

/// What is kept of a code, however it was typed.
pub fn code_digest(code: &str) -> String {
    let code: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    digest(&[&code.to_ascii_uppercase()])
}

/// Hexadecimal SHA-256 of several texts; where one ends and the next begins counts.
pub fn digest(parts: &[&str]) -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        context.update(part.as_bytes());
    }
    hex(context.finish().as_ref())
}

/// Takes as long for every pair of texts: their digests are compared.
pub fn is_same(left: &str, right: &str) -> bool {
    let [left, right] = [left, right].map(|text| digest::digest(&digest::SHA256, text.as_bytes()));
    left.as_ref().ct_eq(right.as_ref()).into()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_good_for_its_key_its_name_and_its_nonce_alone() {
        let (key, text) = MachineKey::generate().unwrap();
        let (other, _) = MachineKey::generate().unwrap();
        let signature = MachineKey::of(&text).unwrap().sign("dev-1", "nonce");
        assert!(is_public_key(&key.public()) && is_signed(&key.public(), "dev-1", "nonce", &signature));
        assert!(!is_signed(&key.public(), "dev-2", "nonce", &signature));
        assert!(!is_signed(&key.public(), "dev-1", "other", &signature));
        assert!(!is_signed(&other.public(), "dev-1", "nonce", &signature));
        for wrong in ["", "AAAA", "no base64"] {
            assert!(!is_signed(&key.public(), "dev-1", "nonce", wrong));
            assert!(!is_signed(wrong, "dev-1", "nonce", &signature));
            assert!(!is_public_key(wrong));
        }
    }

    #[test]
    fn a_code_is_known_however_it_was_typed_and_parts_do_not_run_together() {
        let code = code().unwrap();
        assert_eq!(code.len(), CODE + CODE / GROUP - 1);
        assert_eq!(code_digest(&code), code_digest(&code.to_lowercase().replace('-', " ")));
        assert_ne!(code_digest(&code), code_digest(&super::code().unwrap()));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert!(is_same("token", "token") && !is_same("token", "token2") && !is_same("", "token"));
    }

    #[test]
    fn a_code_is_good_from_when_it_was_made_until_its_end_whatever_the_clock_does() {
        let invitation = Invitation { machine: "m".to_owned(), users: Vec::new(), made: 1000, until: 2000 };
        let good: Vec<u64> =
            [0, 999, 1000, 1500, 2000, 2001, u64::MAX].into_iter().filter(|now| invitation.is_good(*now)).collect();
        assert_eq!(good, [1000, 1500, 2000]);
    }
}
