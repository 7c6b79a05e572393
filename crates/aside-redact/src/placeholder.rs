//! Text in place of a secret that is not one: placeholders, variables, references to a secret store, values that are
//! already encrypted, labels of a form.

use crate::REDACTED;
use crate::not_secret::is_path;
use crate::vocabulary::words;

/// Bytes of a value that are searched for a telltale.
const MAX_PLACEHOLDER: usize = 200;

/// A telltale of at most this many letters must begin a word: `uw-` is in `nieuw-…` too.
const SHORT_TELLTALE: usize = 6;

/// Prefixes of references to a secret store, a file or the environment.
const REFERENCES: &[&str] = &[
    "realm=",
    "env:",
    "env://",
    "env.",
    "file:",
    "pkcs11:",
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

/// Prefixes of ciphertext, as tools for encrypted configuration write it.
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

/// Prefixes of public keys.
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

/// Beginnings of a regular expression, in a search for secrets.
const PATTERNS: &[&str] = &[
    ".*", ".+", "[^", "\\S", "\\s", "\\w", "\\d", "(?", "[a-z", "[A-Z", "[0-9", "^", "([", "\\b", "(.", "%s", "%v",
    "%q", "%d", "%@", "{}", "{0}", "{:", "{{", "*)", "...", "..\"", "\\(", "\\[",
];

/// A public key.
pub fn is_public(value: &str) -> bool {
    PUBLIC.iter().any(|start| value.starts_with(start))
}

pub fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    if value.contains(REDACTED) {
        // The rest may be half of a secret that was found.
        return value.replace(REDACTED, "").chars().filter(|letter| letter.is_alphanumeric()).count() < 4;
    }
    let plain = value.trim_matches(|letter: char| ".,;:!?()\"'`*".contains(letter));
    // A placeholder has its telltale at the beginning.
    let low = plain.get(..plain.floor_char_boundary(MAX_PLACEHOLDER)).unwrap_or(plain).to_lowercase();
    words().placeholders.contains(low.as_str())
        || is_repeated(plain)
        || value.contains("****")
        || is_variable(value)
        || is_within(value)
        || is_crypt_hash(value)
        || starts_with_any(&low, REFERENCES)
        || low.strip_prefix('@').is_some_and(|rest| is_reference(rest) || is_path(rest))
        || names_store(&low)
        || is_encrypted(value, &low)
        || is_public(value)
        || PATTERNS.iter().any(|start| value.starts_with(start))
        || value.ends_with("...")
        || low.ends_with("example")
        || low.ends_with("examplekey")
        || low.ends_with("@prompt")
        || low.starts_with("example")
        || has_telltale(&low)
        || names_place(&low)
        || is_url(value)
        || is_only_variables(value)
        || is_sequence(&low)
        || is_instruction(&low)
        || is_algorithm(&low)
        || is_written_by_machines(value, &low)
        || POINTERS.iter().any(|start| low.starts_with(start))
}

/// `see the wiki`: says where a value is.
const POINTERS: &[&str] =
    &["see ", "siehe ", "voir ", "vedi ", "zie ", "ask ", "frag ", "stored in ", "kept in ", "same as ", "depends on "];

/// `HTTP/1.1`, `1.3.6.1.2.1.1`, `\\u0000`, `§payload§`: a version, an object identifier, an escape, a tool's marker.
fn is_written_by_machines(value: &str, low: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let version = low.strip_prefix("http/").is_some_and(|version| version.split('.').all(digits));
    let object = value.matches('.').count() >= 5 && value.trim_start_matches('.').split('.').all(digits);
    let escape = value.len() <= 6 && value.starts_with('\\') && value.bytes().skip(2).all(|byte| byte == b'0');
    let marked = value.chars().count() > 1 && value.starts_with('§') && value.ends_with('§');
    version || object || escape || marked
}

/// `rsa-sha-256`, `aes_128_gcm`: only names of algorithms and numbers.
fn is_algorithm(low: &str) -> bool {
    const NAMES: &[&str] = &[
        "rsa", "sha", "sha1", "sha256", "sha384", "sha512", "hmac", "aes", "aes128", "aes256", "ecdsa", "ed25519",
        "pkcs", "hs256", "rs256", "es256", "gcm", "cbc", "ctr", "ecb", "pss", "oaep", "scram", "kms", "managed",
        "chacha20", "poly1305", "bcrypt", "argon2", "argon2id", "pbkdf2", "scrypt", "md5", "rsassa", "p256",
    ];
    let parts: Vec<&str> = low.split(['-', '_']).collect();
    let number = |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() > 1
        && parts.iter().any(|part| NAMES.contains(part))
        && parts.iter().all(|part| NAMES.contains(part) || number(part))
}

/// The same for a whole URL.
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
        // `$5` is money, `$9$…` a router's password, `$X` a variable.
        Some(b'$') => !second.is_ascii_digit() || value.len() < 4 || is_crypt_hash(value),
        Some(b'(' | b'`') => true,
        Some(b'%') => value.len() <= 3 || value.contains('(') && !value.contains(' '),
        Some(b'&') => {
            value.starts_with("&#")
                || value.starts_with("&&")
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

/// `$6$salt$…`: the hash of a password, which opens nothing.
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
        "hmac-sha256:",
        "hmac-sha1:",
        "hmac-sha512:",
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
        || ["__", "**", "##", "--", "=="].iter().any(|mark| {
            let inner = value.strip_prefix(mark).and_then(|value| value.strip_suffix(mark));
            inner.is_some_and(|inner| !inner.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase()))
        })
        || value.starts_with("__") && value.ends_with("__")
        || value.starts_with("<") && value.contains('>') && !value.contains(char::is_numeric)
        || value.starts_with('{') && (value.contains('}') || value.contains('[') || value.len() < 24)
        || value.starts_with("<%")
        || value.starts_with("[[")
}

fn starts_with_any(low: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| low.starts_with(start))
}

/// `keychain:NAME` behind an `@`.
fn is_reference(low: &str) -> bool {
    REFERENCES.iter().any(|start| start.ends_with(':') && low.starts_with(start))
}

fn is_encrypted(value: &str, low: &str) -> bool {
    starts_with_any(low, ENCRYPTED)
        // A value that kubeseal encrypted.
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

/// `token-here`, `senha_aqui`: the word for a place, beside a noun for what goes there.
fn names_place(low: &str) -> bool {
    let mut parts = low.split(|letter: char| !letter.is_alphanumeric());
    parts.any(|part| words().places.contains(part)) && words().place_nouns.is_in(low)
}

/// `ENC_FROM_VAULT`, `set-by-jenkins`: only words, of which one is a secret store and another says how.
fn names_store(low: &str) -> bool {
    if !low.contains(['-', '_', ' ', '.']) {
        return false;
    }
    let parts: Vec<&str> = low.split(['-', '_', ' ', '.']).collect();
    let said = |set: &std::collections::HashSet<String>| parts.iter().any(|part| set.contains(*part));
    (2..=6).contains(&parts.len())
        && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric))
        && low.bytes().filter(u8::is_ascii_digit).count() <= 2
        && said(&words().stores)
        && said(&words().store_verbs)
}

/// `please-generate-me`, `must-be-set-by-you`, `ask-your-lead`: an instruction to the reader.
fn is_instruction(low: &str) -> bool {
    let parts: Vec<&str> = low.split(['-', '_', ' ', '.']).collect();
    let words = words();
    let Some((first, rest)) = parts.split_first().filter(|(_, rest)| (1..8).contains(&rest.len())) else {
        return false;
    };
    let alone = words.instructions.contains(*first);
    let told =
        words.instruction_verbs.contains(*first) && rest.iter().any(|part| words.instruction_words.contains(*part));
    (alone || told)
        && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric))
        && low.bytes().filter(u8::is_ascii_digit).count() <= 3
}

/// `12345678`, `abcdefghij`: consecutive characters.
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

/// The label of a form field, in any language: `Passwort`, `密码`, `Enter your password`.
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
    // `builder-token-x2k9z`: Kubernetes appends five characters.
    let appended = |parts: &[String]| {
        let last = parts.last().is_some_and(|last| last.len() == 5);
        last && parts.len() > 2 && parts.iter().take(parts.len() - 1).all(whole) && value.contains("-token-")
    };
    (2..=5).contains(&parts.len())
        && one_case
        && plain
        && (parts.iter().all(whole) || appended(&parts))
        && parts.iter().any(|part| NOUNS.contains(&part.as_str()))
}
