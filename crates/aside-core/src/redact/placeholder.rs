//! What stands where a secret would stand without being one: placeholders, variables, references to a store of secrets,
//! values that are encrypted already, labels of a form.

use crate::redact::REDACTED;
use crate::redact::vocabulary::words;

/// Bytes of a value in which it may say that it is none.
const MAX_PLACEHOLDER: usize = 200;

/// A telltale of at most so many letters has to begin a word: `uw-` is in `nieuw-…` too.
const SHORT_TELLTALE: usize = 6;

/// How references to a store of secrets, a file or the environment begin.
const REFERENCES: &[&str] = &[
    "realm=",
    "env:",
    "env://",
    "env.",
    "file:",
    "fd:",
    "stdin:",
    "prompt:",
    "@/",
    "@~",
    "@./",
    "@file",
    "op://",
    "vault:",
    "vault://",
    "arn:",
    "ref+",
    "sm://",
    "ssm:",
    "ssm/",
    "awssm",
    "gcpsm",
    "akv:",
    "azkv",
    "kms:",
    "keyring:",
    "keychain:",
    "keystore:",
    "secret:",
    "secrets:",
    "secret://",
    "bitwarden:",
    "bw:",
    "pass:/",
    "gopass:",
    "lpass:",
    "doppler:",
    "infisical:",
    "projects/",
    "@microsoft.keyvault",
    "@azure.keyvault",
    "key_vault",
    "{{resolve:",
    "cred:",
    "credstore",
    "dapr:",
    "conjur:",
    "awskms:",
    "gcpkms:",
    "chamber:",
    "systemd-creds",
    "config.",
    "conf.",
    "settings.",
    "args.",
    "options.",
    "opts.",
    "params.",
    "props.",
    "this.",
    "self.",
    "request.",
    "req.",
    "input.",
    "form.",
    "data.",
    "event.",
    "ctx.",
    "context.",
    "var.",
    "local.",
    "module.",
    "each.",
    "random_password.",
    "aws_",
    "google_",
    "azurerm_",
    "data.aws",
    "event[",
    "params[",
    "config[",
    "settings[",
    "opts[",
    "options[",
    "env[",
    "env(",
    "secrets[",
    "$env:",
    "%env",
    "process.",
    "system.",
    "os.",
    "std::",
    "builtins.",
    "runtime.",
    "viper.",
    "configuration[",
    "application.",
    "rails.",
    "env!",
];

/// How ciphertext begins, as tools for configuration in a repository write it.
const ENCRYPTED: &[&str] = &[
    "enc[",
    "enc(",
    "{cipher}",
    "{crypt}",
    "vault:v",
    "aqicah",
    "$ansible_vault",
    "age-encryption",
    "-----begin age",
    "-----begin pgp message",
    "sops:",
    "encrypted:",
    "{aes}",
    "{rsa}",
    "crypt:",
    "!encrypted",
    "!vault",
    "!secret",
    "!env",
    "!ref",
    "!sub",
    "!include",
    "!kms",
    "!getatt",
    "!sops",
    "pkcs7",
    "{ssha",
    "{sha",
    "{crypt",
    "{md5",
    "{smd5",
    "{pbkdf2",
    "{bcrypt",
    "{argon2",
    "{noop}$",
];

/// How keys begin that anybody may see.
const PUBLIC: &[&str] = &[
    "pk_live_",
    "pk_test_",
    "pk.eyJ",
    "ssh-rsa ",
    "ssh-ed25519 ",
    "ecdsa-sha2-",
    "AAAAB3NzaC1yc2E",
    "AAAAC3NzaC1lZDI1",
    "AAAAE2VjZHNh",
    "-----BEGIN PUBLIC",
    "-----BEGIN CERT",
    "-----BEGIN RSA PUBLIC",
    "LS0tLS1CRUdJTiBDRVJU",
    "LS0tLS1CRUdJTiBQVUJM",
    "age1",
    "ca-app-pub-",
    "pk-lf-",
    "sb_publishable_",
    "MIIBIjANBgkqhkiG",
    "MFkwEwYHKoZIzj0",
];

/// What a pattern begins with, in a search for secrets.
const PATTERNS: &[&str] = &[
    ".*", ".+", "[^", "\\S", "\\s", "\\w", "\\d", "(?", "[a-z", "[A-Z", "[0-9", "^", "([", "\\b", "(.", "%s", "%v",
    "%q", "%d", "%@", "{}", "{0}", "{:", "{{", "*)", "...", "..\"", "\\(", "\\[",
];

/// A key that anybody may see.
pub fn is_public(value: &str) -> bool {
    PUBLIC.iter().any(|start| value.starts_with(start))
}

pub fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    if value.contains(REDACTED) {
        // What is left of it may be half of a secret that was found.
        return value.replace(REDACTED, "").chars().filter(|letter| letter.is_alphanumeric()).count() < 4;
    }
    let plain = value.trim_matches(|letter: char| ".,;:!?()\"'`*".contains(letter));
    // A placeholder says so at its beginning.
    let low = plain.get(..plain.floor_char_boundary(MAX_PLACEHOLDER)).unwrap_or(plain).to_lowercase();
    words().placeholders.contains(low.as_str())
        || is_repeated(plain)
        || is_variable(value)
        || is_within(value)
        || is_crypt_hash(value)
        || starts_with_any(&low, REFERENCES)
        || is_encrypted(value, &low)
        || is_public(value)
        || PATTERNS.iter().any(|start| value.starts_with(start))
        || value.ends_with("...")
        || low.ends_with("example")
        || low.ends_with("examplekey")
        || low.starts_with("example")
        || has_telltale(&low)
        || names_place(&low)
        || is_url(value)
        || is_only_variables(value)
        || is_sequence(&low)
}

/// The same for an address as a whole.
pub fn is_placeholder_address(value: &str) -> bool {
    let low = value.to_lowercase();
    has_telltale(&low) || names_place(&low) || value.contains(['<', '{', '$']) || value.contains("XXXX")
}

/// `aaaa`, `********`, `xx-xx`
fn is_repeated(value: &str) -> bool {
    let mut letters = value.chars().filter(|letter| !"-_ .".contains(*letter));
    let first = letters.next();
    letters.all(|letter| Some(letter) == first)
}

fn is_variable(value: &str) -> bool {
    let tag = |value: &str| value.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    let mut bytes = value.bytes();
    let second = bytes.nth(1).unwrap_or(b'_');
    match value.bytes().next() {
        // `$5` is money, `$9$…` a password of a router, `$X` a variable.
        Some(b'$') => !second.is_ascii_digit() || value.len() < 4 || is_crypt_hash(value),
        Some(b'(' | b'`') => true,
        Some(b'%') => value.len() <= 3 || value.contains('(') && !value.contains(' '),
        Some(b'&') => {
            value.starts_with("&#")
                || value.starts_with("&lt;")
                || value.starts_with("&amp;")
                || value.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        }
        Some(b'!') => value.get(1..).is_some_and(tag) && value.len() > 1,
        Some(b':') => value.bytes().skip(1).all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
        Some(b'@') => {
            value.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte))
                && !value.bytes().any(|byte| byte.is_ascii_digit())
        }
        _ => false,
    }
}

/// `$6$salt$…`: what a password was turned into, which opens nothing.
pub fn is_crypt_hash(value: &str) -> bool {
    let hashed = [
        "pbkdf2_",
        "pbkdf2:",
        "bcrypt_sha",
        "scrypt:",
        "scrypt$",
        "sha1$",
        "sha256$",
        "sha512$",
        "md5$",
        "argon2$",
        "bcrypt$",
        "md5:",
        "sha256:",
        "sha512:",
        "sha1:",
        "SCRAM-SHA-",
    ];
    let mysql =
        value.strip_prefix('*').is_some_and(|hex| hex.len() == 40 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    mysql
        || hashed.iter().any(|start| value.starts_with(start))
        || [
            "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$apr1$", "$argon2", "$pbkdf2",
            "$scrypt", "$sha1$", "$P$", "$H$", "$S$", "$8$",
        ]
        .iter()
        .any(|start| value.starts_with(start))
}

/// `<token>`, `[your key]`, `{secret}`, `%PASSWORD%`
fn is_within(value: &str) -> bool {
    let pairs = [
        ('<', '>'),
        ('[', ']'),
        ('{', '}'),
        ('%', '%'),
        ('«', '»'),
        ('‹', '›'),
        ('【', '】'),
        ('「', '」'),
        ('＜', '＞'),
        ('@', '@'),
        ('~', '~'),
    ];
    pairs.iter().any(|(open, close)| value.starts_with(*open) && value.ends_with(*close) && value.chars().count() > 1)
        || value.starts_with("__") && value.ends_with("__")
        || value.starts_with("<") && value.contains('>') && !value.contains(char::is_numeric)
        || value.starts_with('{') && (value.contains('}') || value.contains('[') || value.len() < 24)
        || value.starts_with("<%")
        || value.starts_with("[[")
}

fn starts_with_any(low: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| low.starts_with(start))
}

fn is_encrypted(value: &str, low: &str) -> bool {
    starts_with_any(low, ENCRYPTED)
        // A value that kubeseal sealed.
        || value.len() > 150 && value.starts_with("Ag") && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}

fn has_telltale(low: &str) -> bool {
    words().telltales.all(low).into_iter().any(|found| {
        let long = found.len() >= SHORT_TELLTALE;
        let begins =
            long || !low.get(found.clone()).unwrap_or_default().starts_with(|first: char| first.is_ascii_alphabetic());
        begins || !low.get(..found.start).unwrap_or_default().ends_with(char::is_alphanumeric)
    })
}

/// `token-here`, `senha_aqui`: the word for a place, beside a noun that says what goes there.
fn names_place(low: &str) -> bool {
    let mut parts = low.split(|letter: char| !letter.is_alphanumeric());
    parts.any(|part| words().places.contains(part)) && words().place_nouns.is_in(low)
}

/// `12345678`, `abcdefghij`: counted up.
fn is_sequence(low: &str) -> bool {
    let mut steps = low.bytes().zip(low.bytes().skip(1));
    low.len() >= 10 && steps.all(|(one, two)| two == one + 1 || one == b'9' && two == b'0')
}

/// `"$USER"`, `${A}:${B}`, `$(pass show x)`
fn is_only_variables(value: &str) -> bool {
    let mut rest = value;
    let mut variables = 0;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        if before.chars().any(char::is_alphanumeric) {
            return false;
        }
        let after = after.get(1..).unwrap_or_default();
        if after.starts_with(|first: char| first.is_ascii_digit()) && after.len() > 2 {
            return false;
        }
        let end = match after.chars().next() {
            Some('{') => after.find('}').map(|end| end + 1),
            Some('(') => after.rfind(')').map(|end| end + 1),
            _ => after.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'),
        };
        rest = after.get(end.unwrap_or(after.len())..).unwrap_or_default();
        variables += 1;
    }
    variables > 0 && !rest.chars().any(char::is_alphanumeric)
}

fn is_url(value: &str) -> bool {
    let Some((scheme, rest)) = value.split_once("://") else { return false };
    !rest.is_empty()
        && scheme.len() <= 12
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(&byte))
}

/// What a form calls a field, in any language: `Passwort`, `密码`, `Enter your password`.
pub fn is_label(value: &str) -> bool {
    if value.bytes().any(|byte| byte.is_ascii_digit()) && !value.contains(' ') || value.len() > MAX_PLACEHOLDER {
        return false;
    }
    let low = value.to_lowercase();
    let spaced = low.contains(' ') && !low.bytes().any(|byte| byte.is_ascii_digit());
    words().labels.is_in(&low) || spaced && words().spaced_labels.is_in(&low)
}

/// `db-credentials`, `prod/db/password`, `github:token`: the name of a secret, not the secret.
pub fn is_secret_name(value: &str) -> bool {
    const NOUNS: &[&str] = &[
        "secret",
        "secrets",
        "password",
        "passwords",
        "passwd",
        "pass",
        "pw",
        "pwd",
        "token",
        "tokens",
        "key",
        "keys",
        "apikey",
        "credential",
        "credentials",
        "creds",
        "cred",
        "auth",
        "tls",
        "cert",
        "certs",
        "passphrase",
        "login",
        "kubeconfig",
        "pullsecret",
        "regcred",
        "sa",
        "psk",
    ];
    let one_case =
        !value.bytes().any(|byte| byte.is_ascii_lowercase()) || !value.bytes().any(|byte| byte.is_ascii_uppercase());
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte));
    let parts: Vec<String> = value.split(['-', '_', '.', '/', ':']).map(str::to_ascii_lowercase).collect();
    let whole = |part: &String| {
        part.is_empty()
            || part
                .trim_end_matches(|letter: char| letter.is_ascii_digit())
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic())
                && part.bytes().filter(u8::is_ascii_digit).count() <= 1
            || part.len() <= 3
            || part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() <= 4
    };
    (2..=5).contains(&parts.len())
        && one_case
        && plain
        && parts.iter().all(whole)
        && parts.iter().any(|part| NOUNS.contains(&part.as_str()))
}
