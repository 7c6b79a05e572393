//! Decides whether a name is that of a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `senha_banco`. Looks at the
//! words of the name, since `PASSWORD_FILE`, `max_tokens` and `primary_key` name no secret.

use crate::secret_strength::SecretClass;
use crate::vocabulary::words as vocabulary;

/// Letters of an inflection behind a root: `şifresi`, `паролем`.
const MAX_ENDING: usize = 5;

/// Words behind a word for a password that change its meaning: `senha_min`, `haslo_hash`.
const NO_TAILS: &[&str] = &[
    "file",
    "path",
    "hash",
    "min",
    "max",
    "length",
    "len",
    "policy",
    "hint",
    "url",
    "link",
    "label",
    "title",
    "error",
    "ttl",
    "expiry",
    "expires",
    "reset",
    "rules",
    "type",
    "count",
    "id",
    "name",
    "format",
    "dir",
    "field",
    "tries",
    "retry",
    "prompt",
    "uri",
    "endpoint",
    "header",
    "expiration",
    "lifetime",
    "prefix",
    "issuer",
    "audience",
    "algorithm",
    "alg",
    "scope",
    "version",
    "arn",
    "ref",
    "limit",
    "rotation",
    "size",
    "index",
    "address",
    "contract",
    "symbol",
    "mint",
    "public",
    "pub",
    "names",
    "ids",
    "digest",
    "commit",
    "sha",
    "publica",
    "publiczny",
    "pubblica",
    "publico",
];

/// Endings that turn a word for a password into one about passwords: `Kennwortlänge`.
const NO_ENDINGS: &[&str] = &["länge", "laenge", "alter", "regel", "typ"];

/// Words before `pass` that make it one of several passes.
const PASSES: &[&str] = &[
    "one",
    "two",
    "multi",
    "single",
    "first",
    "second",
    "third",
    "final",
    "next",
    "each",
    "last",
    "render",
    "compiler",
    "dry",
    "proxy",
    "fastcgi",
    "uwsgi",
    "scgi",
    "grpc",
    "memcached",
];

/// Words before the noun that make it the name of a hash.
const HASHED: &[&str] = &["hashed", "digest", "checksum", "fingerprint", "masked", "redacted"];

/// Words before `secret` that make it the name of an object that holds one.
const REFERENCES: &[&str] =
    &["existing", "pull", "tls", "name", "ref", "target", "create", "use", "image", "no", "is", "has"];

/// `first`, `render`: a word before `pass` that makes it one of several passes.
pub fn is_pass_kind(before: &str) -> bool {
    PASSES.contains(&before)
}

/// `length`, `policy`: behind a noun, it changes the meaning.
pub fn is_about(word: &str) -> bool {
    NO_TAILS.contains(&word)
        || HASHED.contains(&word)
        || ["age", "status", "expired", "changed", "strength", "manager"].contains(&word)
}

pub fn class(name: &str) -> Option<SecretClass> {
    let words = words(name);
    if let Some(class) = foreign(&words) {
        return Some(class);
    }
    let shouted = name.contains('_') && !name.chars().any(char::is_lowercase);
    let prefixed = shouted && is_prefixed(&words);
    let mut words = words.as_slice();
    while let [rest @ .., last] = words
        && !rest.is_empty()
        && (vocabulary().tails.contains(last)
            || last.strip_prefix('v').unwrap_or(last).bytes().all(|byte| byte.is_ascii_digit()))
    {
        words = rest;
    }
    let (last, before) = words.split_last()?;
    // `NEXT_PUBLIC_ANALYTICS_KEY`: visible in browsers.
    let hashed = before.iter().any(|word| HASHED.contains(&word.as_str()));
    if hashed {
        return None;
    }
    let public = before.iter().any(|word| ["public", "publishable", "anon"].contains(&word.as_str()));
    let last = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let before = before.last().map(String::as_str);
    let ends = |ends: &[String]| ends.iter().any(|end| last.ends_with(end.as_str()));
    match last {
        _ if ends(&vocabulary().no_password_ends) => None,
        "pass" if before.is_some_and(|before| PASSES.contains(&before)) => None,
        _ if vocabulary().password_words.contains(last) || ends(&vocabulary().password_ends) => {
            Some(SecretClass::Password)
        }
        "secret" if before.is_some_and(|before| REFERENCES.contains(&before)) => None,
        "libsecret" | "gitsecret" => None,
        _ if last.ends_with("secret") => Some(SecretClass::Secret),
        "token" if before.is_some_and(|before| vocabulary().plain_tokens.contains(before)) => None,
        _ if last.ends_with("token") && !public => Some(SecretClass::Token),
        // `X-Gotify-Key`, a header.
        "key" | "token" | "apikey" if public => None,
        "key" if words.first().is_some_and(|first| first == "x") && words.len() > 2 => Some(SecretClass::Token),
        // `TOKEN_STORAGE_KEY`: the name under which a browser stores it.
        "key"
            if before == Some("storage")
                && words.iter().any(|word| ["token", "local", "session", "auth"].contains(&word.as_str())) =>
        {
            None
        }
        "key" if before == Some("shared") => Some(SecretClass::Password),
        "material" if before == Some("key") => Some(SecretClass::Password),
        "key" | "keys" => key(before).filter(|_| last == "key"),
        _ if last.strip_suffix("key").is_some_and(|before| vocabulary().secret_keys.contains(before)) => {
            Some(SecretClass::Token)
        }
        "credential" | "credentials" | "creds" | "auth" | "bearer" | "signing" | "pepper" | "seed" => {
            Some(SecretClass::Random)
        }
        "sessid" | "sessionid" | "phpsessid" | "jsessionid" => Some(SecretClass::Token),
        // `NUGET_PAT`: a personal access token.
        "pat" | "ticket" if shouted && words.len() > 1 => Some(SecretClass::Random),
        "salt" if before.is_some() => Some(SecretClass::Random),
        "id" if before == Some("secret") => Some(SecretClass::Random),
        // `vmware-api-session-id`, a header.
        "id" if before == Some("session")
            && words.iter().any(|word| ["api", "auth", "login", "admin"].contains(&word.as_str())) =>
        {
            Some(SecretClass::Random)
        }
        "iv" if before.is_some_and(|before| ["hash", "aes", "cipher", "encryption", "crypto"].contains(&before)) => {
            Some(SecretClass::Random)
        }
        "hashkey" | "hashiv" => Some(SecretClass::Random),
        "code" if before == Some("auth") => Some(SecretClass::Random),
        "license" | "licence" | "lizenz" => Some(SecretClass::Random),
        "access" if before.is_some() => Some(SecretClass::Random),
        "sid" if before == Some("connect") => Some(SecretClass::Random),
        "cookie" if before == Some("erlang") => Some(SecretClass::Token),
        "session" if before.is_some() => Some(SecretClass::Random),
        "refresh" => Some(SecretClass::Random),
        _ if prefixed => Some(SecretClass::Random),
        _ => None,
    }
}

/// `API_KEY_SMS`, `TOKEN_TELEGRAM`: the noun comes first, then the service.
fn is_prefixed(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = match words.as_slice() {
        ["token" | "secret", _, ..] => true,
        ["key", ..] => false,
        [kind, "key", _, ..] => vocabulary().secret_keys.contains(*kind),
        ["access" | "auth" | "refresh" | "bot" | "api", "token", _, ..] => true,
        // `REDCAP_TOKEN_STUDY`
        [_, "token" | "secret", _] => !vocabulary().plain_tokens.contains(words[0]),
        _ => false,
    };
    first && !words.iter().any(|word| NO_TAILS.contains(word) || HASHED.contains(word))
}

fn key(before: Option<&str>) -> Option<SecretClass> {
    match before {
        None => None,
        Some(before) if vocabulary().plain_keys.contains(before) => None,
        Some("publishable" | "anon") => None,
        Some(before) if vocabulary().secret_keys.contains(before) => Some(SecretClass::Token),
        Some(_) => Some(SecretClass::Random),
    }
}

/// Other languages put the noun first and inflect it.
fn foreign(words: &[String]) -> Option<SecretClass> {
    let is_root = |word: &String| {
        vocabulary().password_roots.iter().any(|root| {
            word.strip_prefix(root.as_str())
                .is_some_and(|ending| ending.chars().count() <= MAX_ENDING && !NO_ENDINGS.contains(&ending))
        })
    };
    let starts = |roots: &[String]| {
        words.iter().any(|word| {
            let ending = |root: &String| word.strip_prefix(root.as_str()).map(|ending| ending.chars().count());
            roots.iter().any(|root| ending(root).is_some_and(|ending| ending <= 2))
        })
    };
    let phrase = words.windows(3).any(|three| three == ["mot", "de", "passe"]);
    let plain = words.last().is_some_and(|last| NO_TAILS.contains(&last.as_str()));
    if plain || words.iter().any(|word| HASHED.contains(&word.as_str())) {
        return None;
    }
    if words.iter().any(is_root) || phrase {
        return Some(SecretClass::Password);
    }
    if starts(&vocabulary().secret_roots) {
        return Some(SecretClass::Secret);
    }
    let public = ["publica", "public", "publiczny", "pubblica", "publico", "oeffentlich"];
    let known = words.iter().any(|word| public.contains(&word.as_str()));
    (starts(&vocabulary().key_roots) && words.len() > 1 && !known).then_some(SecretClass::Random)
}

/// The class of each value of a plural name: `APP_KEYS`, `tokens`.
pub fn plural(name: &str) -> Option<SecretClass> {
    if words(name).last().is_some_and(|last| NO_TAILS.contains(&last.as_str())) {
        return None;
    }
    let singular = name.strip_suffix(['s', 'S'])?;
    match class(singular)? {
        SecretClass::Password | SecretClass::Secret => Some(SecretClass::Password),
        SecretClass::Token | SecretClass::Random => Some(SecretClass::Random),
    }
}

/// `secret_key`, `encryptionKey`: often made up by people where a framework asks for one.
pub fn is_chosen_key(name: &str) -> bool {
    let words = words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.pop_if(|last| *last == "base");
    matches!(words.as_slice(), [.., "secret" | "encryption" | "jwt" | "hmac" | "signing" | "cookie", "key"])
}

/// `apiSecret`, `jwt_secret`: the qualifier says that the secret itself is meant, not an object that holds it.
pub fn is_chosen_secret(name: &str) -> bool {
    const KINDS: &[&str] = &[
        "api", "client", "jwt", "webhook", "session", "cookie", "app", "signing", "auth", "consumer", "shared", "token",
    ];
    matches!(words(name).as_slice(), [.., kind, last] if last == "secret" && KINDS.contains(&kind.as_str()))
}

/// `update_password`, `hasPassword`: an action or a predicate.
pub fn is_action(name: &str) -> bool {
    words(name).first().is_some_and(|first| vocabulary().verbs.contains(first)) && count(name) > 1
}

/// `password`, `setPassword`, `clientSecret` as the name of a function that takes a secret.
pub fn is_setter(name: &str) -> bool {
    let words = words(name);
    let kinds = [
        "db",
        "root",
        "smtp",
        "mail",
        "proxy",
        "key",
        "store",
        "trust",
        "http",
        "basic",
        "bind",
        "keystore",
        "truststore",
        "refresh",
    ];
    match words.as_slice() {
        [_] => true,
        [first, ..] if ["set", "with", "add", "use", "using"].contains(&first.as_str()) => words.len() <= 4,
        [first, _] => vocabulary().secret_keys.contains(first) || kinds.contains(&first.as_str()),
        _ => false,
    }
}

/// `set_convar`, `PutString`: the name of a function that stores a value.
pub fn begins_with_setter(name: &str) -> bool {
    let words = words(name);
    matches!(words.first().map(String::as_str), Some("set" | "put" | "store" | "save" | "define" | "setr"))
        && words.len() > 1
}

/// Number of words in a name; a one-word name may be the beginning of a sentence.
pub fn count(name: &str) -> usize {
    words(name).len()
}

/// The words in lower case: `x-apiKey` is x, api, key.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let after = letters.peek().copied().unwrap_or('_');
        let begins = letter.is_uppercase()
            && (before.is_lowercase() || before.is_ascii_digit() || before.is_uppercase() && after.is_lowercase());
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
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
