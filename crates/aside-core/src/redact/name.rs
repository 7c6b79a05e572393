//! Whether a name is that of a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`. Looks at the words of the name, since
//! `PASSWORD_FILE`, `max_tokens` and `primary_key` are none.

use crate::redact::value::Class;

/// Behind the word that counts, without changing what it is.
const TAILS: &[&str] =
    &["base", "data", "value", "b64", "base64", "plain", "prod", "production", "staging", "old", "new"];

const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "contrasena"];

/// Keys of these kinds are secret, and what they open is not said by the value.
const SECRET_KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "decryption",
    "signing",
    "signature",
    "master",
    "account",
    "shared",
    "service",
    "client",
    "app",
    "application",
    "license",
    "preshared",
    "symmetric",
    "session",
    "webhook",
    "deploy",
    "consumer",
    "subscription",
    "storage",
    "admin",
    "hmac",
    "aes",
    "jwt",
    "crypto",
    "cookie",
    "vault",
    "unseal",
    "integration",
    "ingest",
    "write",
];

/// Keys of these kinds are names.
const PLAIN_KEYS: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "partition",
    "sort",
    "cache",
    "group",
    "object",
    "hot",
    "index",
    "unique",
    "composite",
    "lookup",
    "row",
    "hash",
    "range",
    "map",
    "dict",
    "json",
    "config",
    "routing",
    "idempotency",
    "translation",
    "sub",
    "registry",
    "property",
    "message",
    "label",
    "modifier",
    "shortcut",
    "pub",
    "ssh",
    "host",
    "any",
    "each",
    "by",
];

/// Tokens of these kinds are words of a text or places in a list.
const PLAIN_TOKENS: &[&str] = &[
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "cls",
    "sep",
    "stop",
    "special",
    "next",
    "page",
    "continuation",
    "sync",
    "start",
    "end",
    "image",
    "unexpected",
    "invalid",
    "expected",
    "per",
    "punctuator",
];

pub fn class(name: &str) -> Option<Class> {
    let words = words(name);
    let mut words = words.as_slice();
    while let [rest @ .., last] = words
        && !rest.is_empty()
        && (TAILS.contains(&last.as_str()) || last.bytes().all(|byte| byte.is_ascii_digit()))
    {
        words = rest;
    }
    let (last, before) = words.split_last()?;
    let last = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let before = before.last().map(String::as_str);
    let ends = |ends: &[&str]| ends.iter().any(|end| last.ends_with(end));
    match last {
        "pwd" | "pass" | "pw" | "psk" | "pincode" => Some(Class::Password),
        _ if ends(&["bypass", "compass", "onepass", "surpass", "trespass"]) => None,
        _ if ends(PASSWORDS) || ends(&["pwd", "pass"]) => Some(Class::Password),
        _ if last.ends_with("secret") => Some(Class::Secret),
        "token" if before.is_some_and(|before| PLAIN_TOKENS.contains(&before)) => None,
        _ if last.ends_with("token") => Some(Class::Token),
        "key" => match before {
            None => None,
            Some(before) if PLAIN_KEYS.contains(&before) => None,
            Some(before) if SECRET_KEYS.contains(&before) => Some(Class::Token),
            Some(_) => Some(Class::Random),
        },
        _ if last.strip_suffix("key").is_some_and(|before| SECRET_KEYS.contains(&before)) => Some(Class::Token),
        "credential" | "credentials" | "auth" | "bearer" => Some(Class::Random),
        _ => None,
    }
}

/// How many words a name has: that of one word may be the beginning of a sentence.
pub fn count(name: &str) -> usize {
    words(name).len()
}

/// In small letters: `x-apiKey` is x, api, key.
fn words(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let mut words = vec![String::new()];
    for (at, byte) in bytes.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b'_');
        let after = bytes.get(at + 1).copied().unwrap_or(b'_');
        let begins = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && after.is_ascii_lowercase());
        if begins || !byte.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if byte.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_misses() {
        let hits = [
            "password",
            "DB_PASSWORD",
            "dbPassword",
            "keyStorePassword",
            "spring.datasource.password",
            "PGPASSWORD",
            "MYSQL_PWD",
            "ansible_become_pass",
            "storepass",
            "api_key",
            "apiKey",
            "x-api-key",
            "APIKey",
            "apikey",
            "SECRET_KEY_BASE",
            "client-key-data",
            "clientSecret",
            "_authToken",
            "AccountKey",
            "PASSWORD2",
            "privateKey",
            "STRIPE_KEY",
            "MAILGUN_KEY",
            "--db-password",
        ];
        for name in hits {
            assert!(class(name).is_some(), "{name}");
        }
        let misses = [
            "PASSWORD_FILE",
            "max_tokens",
            "token_type",
            "primary_key",
            "publicKey",
            "key",
            "monkey",
            "keyboard",
            "bypass",
            "tokenizer",
            "secretName",
            "secretKeyRef",
            "KEY_PATH",
            "token_url",
            "passwordless",
            "secrets",
            "eos_token",
            "password.test.ts",
            "authorization",
            "author",
            "access_key_rotation",
            "access_key_id",
            "",
        ];
        for name in misses {
            assert_eq!(class(name), None, "{name}");
        }
    }
}
