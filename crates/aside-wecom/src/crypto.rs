//! The encryption and signature of WeCom's callbacks. AES-256-CBC with the first half of the key as initialization vector; inside are 16
//! random bytes, a length, the message and the receiver's id, padded to 32 bytes. The signature is the SHA-1 of the sorted parts.
//! Knows nothing of HTTP, nor of what a message says.

use aes::Aes256;
use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use ring::digest;
use subtle::ConstantTimeEq;

/// WeCom pads to this, not to AES's 16.
const BLOCK: usize = 32;
const RANDOM: usize = 16;
const LENGTH: usize = 4;
/// Characters of an EncodingAESKey: the base64 of 32 bytes without its `=`.
const KEY_CHARACTERS: usize = 43;
/// Bytes of a ciphertext that is decrypted: far more than any message of WeCom has.
const MAX_CIPHERTEXT: usize = 256 * 1024;

/// The last character of an EncodingAESKey carries two bits that belong to no byte; WeCom draws them at random.
const KEY_BASE64: GeneralPurpose =
    GeneralPurpose::new(&ALPHABET, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// What the receiver of callbacks shares with WeCom.
pub struct Crypto {
    token: String,
    key: [u8; 32],
    /// The corp id; the suite id for a third party; empty for an intelligent robot.
    receiver: String,
}

/// Why a callback is refused. Says nothing of the key or the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Signature,
    /// Not base64, or not of whole blocks.
    Ciphertext,
    Padding,
    /// The length that the plaintext states does not fit.
    Length,
    /// Meant for another corp or app.
    Receiver,
    /// Not UTF-8.
    Text,
}

/// The EncodingAESKey is not 43 characters of base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadKey;

/// The signed parts of a callback, as its query string has them.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    pub signature: &'a str,
    pub timestamp: &'a str,
    pub nonce: &'a str,
}

impl Crypto {
    pub fn new(token: &str, encoding_aes_key: &str, receiver: &str) -> Result<Self, BadKey> {
        if encoding_aes_key.len() != KEY_CHARACTERS {
            return Err(BadKey);
        }
        let key = KEY_BASE64.decode(format!("{encoding_aes_key}=")).map_err(|_| BadKey)?;
        let key = <[u8; 32]>::try_from(key).map_err(|_| BadKey)?;
        Ok(Self { token: token.to_owned(), key, receiver: receiver.to_owned() })
    }

    /// Hexadecimal SHA-1 of token, timestamp, nonce and ciphertext in sorted order.
    pub fn sign(&self, timestamp: &str, nonce: &str, encrypted: &str) -> String {
        let mut parts = [self.token.as_str(), timestamp, nonce, encrypted];
        parts.sort_unstable();
        let mut context = digest::Context::new(&digest::SHA1_FOR_LEGACY_USE_ONLY);
        parts.iter().for_each(|part| context.update(part.as_bytes()));
        hex(context.finish().as_ref())
    }

    /// The plaintext of a callback, once its signature is right.
    pub fn open(&self, signed: Signed<'_>, encrypted: &str) -> Result<String, Refusal> {
        let expected = self.sign(signed.timestamp, signed.nonce, encrypted);
        if !bool::from(expected.as_bytes().ct_eq(signed.signature.as_bytes())) {
            return Err(Refusal::Signature);
        }
        self.decrypt(encrypted)
    }

    /// For a reply within a callback, and for tests: `random` must be unpredictable.
    pub fn encrypt(&self, message: &str, random: [u8; RANDOM]) -> String {
        let mut plain = Vec::with_capacity(RANDOM + LENGTH + message.len() + self.receiver.len() + BLOCK);
        plain.extend_from_slice(&random);
        plain.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
        plain.extend_from_slice(message.as_bytes());
        plain.extend_from_slice(self.receiver.as_bytes());
        let padding = BLOCK - plain.len() % BLOCK;
        plain.resize(plain.len() + padding, u8::try_from(padding).unwrap_or_default());
        let (key, iv) = (self.key.into(), self.iv().into());
        let encrypted = cbc::Encryptor::<Aes256>::new(&key, &iv).encrypt_padded_vec::<NoPadding>(&plain);
        STANDARD.encode(encrypted)
    }

    fn decrypt(&self, encrypted: &str) -> Result<String, Refusal> {
        if encrypted.len() > MAX_CIPHERTEXT {
            return Err(Refusal::Ciphertext);
        }
        let bytes = STANDARD.decode(encrypted).map_err(|_| Refusal::Ciphertext)?;
        if bytes.is_empty() || bytes.len() % BLOCK != 0 {
            return Err(Refusal::Ciphertext);
        }
        let (key, iv) = (self.key.into(), self.iv().into());
        let plain = cbc::Decryptor::<Aes256>::new(&key, &iv);
        let plain = plain.decrypt_padded_vec::<NoPadding>(&bytes).map_err(|_| Refusal::Ciphertext)?;
        let content = unpadded(&plain)?;
        let (head, rest) = content.split_at_checked(RANDOM + LENGTH).ok_or(Refusal::Length)?;
        let length = head[RANDOM..].iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
        let (message, receiver) = rest.split_at_checked(length).ok_or(Refusal::Length)?;
        if !bool::from(receiver.ct_eq(self.receiver.as_bytes())) {
            return Err(Refusal::Receiver);
        }
        String::from_utf8(message.to_vec()).map_err(|_| Refusal::Text)
    }

    fn iv(&self) -> [u8; 16] {
        std::array::from_fn(|index| self.key[index])
    }
}

/// All of the padding is looked at, whatever its first wrong byte.
fn unpadded(plain: &[u8]) -> Result<&[u8], Refusal> {
    let last = *plain.last().ok_or(Refusal::Padding)?;
    let padding = usize::from(last);
    if padding == 0 || padding > BLOCK || padding > plain.len() {
        return Err(Refusal::Padding);
    }
    let (content, padded) = plain.split_at(plain.len() - padding);
    let wrong = padded.iter().fold(0, |wrong, byte| wrong | (byte ^ last));
    if wrong == 0 { Ok(content) } else { Err(Refusal::Padding) }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    digits.map(char::from).collect()
}
