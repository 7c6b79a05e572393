//! Secrets that are an argument: `--password value`, `set -x NAME value`, `config set name value`.

use std::ops::Range;

use crate::key_value::NamedSecret;
use crate::placeholder::{is_label, is_secret_name};
use crate::scan::{self, line_end};
use crate::secret_name;
use crate::secret_strength::{self, SecretClass, SecretStrength};

/// Bytes before a name that are searched for a command that takes the name and its value as two words.
const MAX_COMMAND: usize = 60;

/// `--password value`, `-storepass value`. In help texts the same words precede a description.
pub fn value(reader: &NamedSecret<'_>, at: usize) -> Option<Range<usize>> {
    let name = reader.name();
    let flag = name.trim_start_matches('-');
    let dashes = name.len() - flag.len();
    // `-pmypassword` is `-p` and its value.
    let glued = dashes == 1
        && flag.starts_with('p')
        && !["pass", "pwd", "psk", "pw"].iter().any(|start| flag.to_ascii_lowercase().starts_with(start));
    if flag.len() < 2 || glued || dashes > 2 {
        return None;
    }
    let range = next_word(reader, at)?;
    let word = reader.of(&range);
    let rest = reader.of(&(range.end..line_end(reader.text, range.end)));
    // `-W, --password   force a prompt`
    let columns = reader.of(&(reader.name.end..range.start)).contains("  ");
    let help = (reader.begins_line() || columns)
        && rest.split_whitespace().count() > 1
        && !rest.trim_end().ends_with('\\')
        && !rest.contains(" -");
    let strength = secret_strength::secret_strength(word);
    // `--apiKey D383SF739X --apiIssuer …`: an id that refers to a key in a file.
    let identifies = word.len() <= 12
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && rest.to_ascii_lowercase().contains("issuer");
    let metavariable =
        word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') && secret_name::class(word).is_some();
    (!(metavariable || identifies || help && strength < Some(SecretStrength::Chosen))).then_some(range)
}

/// `set -x NAME value`, `setx NAME value`, `ENV NAME value`, `config set name value`
pub fn follows_command(reader: &NamedSecret<'_>) -> bool {
    let from = reader.text.ceil_char_boundary(reader.name.start.saturating_sub(MAX_COMMAND));
    let before = reader.of(&(from..reader.name.start));
    let before = before.rsplit(['\n', ';', '|']).next().unwrap_or_default();
    if !before.ends_with([' ', '\t', ':', '"', '\'']) {
        return false;
    }
    let mut words = before.split_whitespace().rev().peekable();
    let mut flags = 0;
    while words.next_if(|word| word.starts_with('-') || word.contains("//")).is_some() {
        flags += 1;
    }
    // `set app:NAME value`
    let scoped = words.next_if(|word| word.ends_with(':')).is_some();
    let Some(word) = words.next() else { return false };
    match word {
        "set" if scoped => true,
        "setx" | "ENV" | "setenv" | "SetEnv" | "fastcgi_param" | "uwsgi_param" => {
            words.next().is_none_or(|before| before.ends_with(['$', '#', '>', '+', '%']))
        }
        "env:set" | "set-env" => true,
        "set" => {
            flags > 0
                || words.next().is_some_and(|before| {
                    [
                        "config",
                        "configure",
                        "secrets",
                        "secret",
                        "variable",
                        "variables",
                        "user-secrets",
                        "env",
                        "configuration",
                    ]
                    .contains(&before)
                })
        }
        // `cf set-env app NAME value`
        _ => words.next() == Some("set-env"),
    }
}

/// The next word, as an argument of a program.
pub fn next_word(reader: &NamedSecret<'_>, at: usize) -> Option<Range<usize>> {
    let range = match scan::quoted(reader.text, at) {
        Some(range) => range,
        None => {
            let line = reader.of(&(at..line_end(reader.text, at)));
            let stops = |letter: char| letter.is_whitespace() || "\"'`;|<>)]".contains(letter);
            let mut end = line.find(stops).unwrap_or(line.len());
            // `a&b` is a word in cmd.exe; `a &` ends a command in a shell.
            if line.get(..end).is_some_and(|word| word.ends_with('&')) {
                end -= 1;
            }
            at..at + end
        }
    };
    let word = reader.of(&range);
    // `--passphrase "several words of any script"`
    if range.start > at
        && reader.is_flag()
        && reader.class == SecretClass::Password
        && secret_strength::is_passphrase(word)
    {
        return Some(range);
    }
    let number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 4;
    let other = word.starts_with("--")
        || word.starts_with('-') && reader.byte(at) == Some(b'-')
        || number
        // `/v Password /t REG_SZ`
        || word.starts_with('/') && word.len() < 4
        || secret_strength::is_prose(word)
        || secret_strength::is_path(word)
        || word.starts_with("pass:")
        || secret_name::is_action(reader.name().trim_start_matches('-')) && secret_strength::secret_strength(word) < Some(SecretStrength::Chosen);
    // `--secret id=npmrc,src=…`
    let parts =
        word.split_once('=').is_some_and(|(name, _)| ["id", "type", "source", "src", "name", "env"].contains(&name));
    let fits = match reader.class {
        SecretClass::Password => secret_strength::fits(SecretClass::Password, word),
        SecretClass::Secret => {
            secret_strength::fits(SecretClass::Secret, word)
                && (secret_strength::secret_strength(word) >= Some(SecretStrength::Soft)
                    || is_chosen_word(reader, word))
                && !is_secret_name(word)
        }
        SecretClass::Token => {
            secret_strength::fits(SecretClass::Token, word)
                || secret_strength::secret_strength(word) >= Some(SecretStrength::Soft)
                    && !is_secret_name(word)
                    && !secret_strength::is_dated(word)
        }
        SecretClass::Random => {
            secret_strength::fits(SecretClass::Random, word) && !(reader.is_secret_id() && word.contains('/'))
        }
    };
    (!other && !parts && fits && !is_label(word)).then_some(range)
}

/// `--secret hedgehog`: a plain word, unless the program takes the name of a secret there.
fn is_chosen_word(reader: &NamedSecret<'_>, word: &str) -> bool {
    const BY_NAME: &[&str] = &[
        "docker",
        "podman",
        "buildah",
        "nerdctl",
        "gcloud",
        "kubectl",
        "oc",
        "helm",
        "nomad",
        "flux",
        "fly",
        "flyctl",
        "az",
        "aws",
        "wrangler",
        "gh",
        "modal",
        "swarm",
        "vault",
        "doppler",
        "kamal",
        "buildctl",
        "depot",
        "earthly",
        "secret-tool",
        "render",
        "secrets",
        "secret",
        "k",
    ];
    let before = reader.of(&(scan::line_start(reader.text, reader.name.start)..reader.name.start));
    let named = |part: &str| BY_NAME.contains(&part);
    reader.is_flag()
        && word.len() >= 6
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !secret_strength::is_prose(word)
        && !before.split([' ', '/', '\t', '"', '\'']).any(named)
}
