//! Decides whether a value can belong to its name, and what the lines around a name say about it.

use std::ops::Range;

use crate::key_value::{MAX_NAME, NamedSecret, is_unspaced};
use crate::placeholder::{is_label, is_placeholder, is_secret_name};
use crate::scan::{self, line_start};
use crate::secret_name;
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::vocabulary::words;

/// `Linux-gradle-0d9b529e…`: words, and the hash of what they stand for.
fn ends_with_hash(value: &str) -> bool {
    value.rsplit_once(['-', ':', '_']).is_some_and(|(words, hash)| {
        matches!(hash.len(), 40 | 64)
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
            && words.split(['-', '_']).all(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()))
    })
}

impl NamedSecret<'_> {
    pub fn fits(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        // `password=password`, `key_password = args.key_password`
        let last = |text: &str| text.rsplit(['.', ':', '-']).next().unwrap_or_default().to_ascii_lowercase();
        let short = self.class == SecretClass::Random
            && secret_strength::is_short_key(value)
            && self.name().bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        (secret_strength::fits(self.class, value) || short || self.is_ideographic(range))
            && !self.is_sentence(value)
            && !self.is_contact(value)
            && !self.is_measure(value)
            && last(value) != last(self.name())
            && !(is_secret_name(value) && self.class != SecretClass::Password)
            && !(is_constant(value) && secret_name::class(value).is_some())
            && !(self.class == SecretClass::Secret && self.is_object_name(range))
            && !(secret_name::is_action(self.name())
                && secret_strength::secret_strength(value).is_none_or(|strength| strength < SecretStrength::Chosen))
            && !(self.class == SecretClass::Random
                && secret_strength::is_hash(value)
                && (self.is_among_hashes(range) || self.names_hash()))
            && !self.is_of_parser()
            && !(self.is_license() && value.bytes().filter(u8::is_ascii_digit).count() < 4)
            && !(self.is_secret_id() && value.contains('/'))
            && !(self.is_pwd() && value.starts_with(['/', '~', '.']))
            && !self.is_seed_of_chance(value)
            && !(self.class == SecretClass::Random && ends_with_hash(value))
    }

    /// `level-seed=-903398614608883909`: the seed of a map or an experiment.
    fn is_seed_of_chance(&self, value: &str) -> bool {
        let number = value.trim_start_matches('-');
        self.name().to_ascii_lowercase().ends_with("seed") && number.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// `BORG_PASSPHRASE="豆花加薑汁"`: quoted, and a variable or a setting below a user. The text of a form does not count.
    fn is_ideographic(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        let variable = self.name().contains('_') && !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let quoted =
            range.start.checked_sub(1).and_then(|at| self.byte(at)).is_some_and(|byte| b"\"'`".contains(&byte));
        // `口令：天王盖地虎037`
        let marked = value.bytes().any(|byte| byte.is_ascii_digit()) && !value.contains(' ');
        self.class == SecretClass::Password
            && (quoted && (variable || self.is_below_user_setting()) || marked)
            && (value.chars().any(is_unspaced) || variable && !value.is_ascii())
            && (4..=80).contains(&value.chars().count())
            && !value.contains(['：', '，', '。', '？', '！', '（', '、', '…'])
            && !is_label(value)
            && !is_placeholder(value)
            && !words().form_words.is_in(value)
    }

    /// `initScriptsSecret=special-scripts`: the name of an object that holds one. A quoted `apiSecret` is the secret.
    fn is_object_name(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let listed = self.name() == "secret" && self.before(2) == Some(b'-') && self.before(1) == Some(b' ');
        let quoted =
            range.start.checked_sub(1).and_then(|at| self.byte(at)).is_some_and(|byte| b"\"'`".contains(&byte));
        let literal = quoted && secret_name::is_chosen_secret(self.name()) && !is_secret_name(value);
        let dashed = value.contains('-') && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        // `--secret=stripe-webhook-prod2`
        let numbered = |part: &str| {
            let stem = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
            part.len() - stem.len() <= 2 && stem.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let flag = self.name().trim_start_matches('-') == "secret" && self.is_flag() && value.contains('-');
        listed || !upper && dashed && !literal || flag && value.trim_end_matches(')').split('-').all(numbered)
    }

    /// `SECRET_KEY = 'a few words'`: a key made up by people, as frameworks ask for one.
    pub fn is_chosen_key(&self, range: &Range<usize>) -> bool {
        const STAGES: &[&str] = &[
            "develop",
            "development",
            "testing",
            "staging",
            "production",
            "unused",
            "localhost",
            "insecure",
            "required",
            "optional",
        ];
        let value = self.of(range);
        let low = value.to_lowercase();
        let strength = secret_strength::secret_strength(value);
        let phrase = value.contains(' ') && secret_strength::is_passphrase(value) && !self.is_sentence(value);
        let word = strength == Some(SecretStrength::Word)
            && value.len() >= 6
            && !secret_strength::is_prose(value)
            && !STAGES.contains(&low.as_str());
        let joined = strength >= Some(SecretStrength::Soft) && !value.contains(' ');
        // A form has `encryptionKey: 'Encryption key'`, a manifest `secretKey: 'resource-id'`.
        let plain = !self.name().contains(['_', '-']);
        let field = plain && (phrase || word || value.matches(['-', '_', '.']).count() < 2);
        secret_name::is_chosen_key(self.name())
            && (phrase || word || joined)
            && !field
            && !is_label(value)
            && !is_secret_name(value)
            && !secret_strength::is_path(value)
            && !secret_strength::is_expression(value)
            && !secret_strength::is_identifier_of(value, self.name())
    }

    /// `Minimalna długość hasła: 14`: a short number behind several words is a quantity.
    fn is_measure(&self, value: &str) -> bool {
        let number = value.len() <= 3 && value.bytes().all(|byte| byte.is_ascii_digit());
        let before = self.of(&(line_start(self.text, self.name.start)..self.name.start));
        // `alarm code: 4 digits`
        let counted = value.split_once(' ').is_some_and(|(count, unit)| {
            count.len() <= 3
                && count.bytes().all(|byte| byte.is_ascii_digit())
                && unit.len() > 3
                && unit.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        number && !self.is_flag() && before.trim_end().ends_with(char::is_alphabetic) || counted
    }

    /// The number of a contact is not a PIN, which has at least four digits.
    fn is_contact(&self, value: &str) -> bool {
        let name = self.name().to_ascii_lowercase();
        let pin = ["pin", "puk"]
            .iter()
            .any(|end| name == *end || name.ends_with(&format!("_{end}")) || name.ends_with(&format!("-{end}")));
        let digits = value.len() >= 4 && value.bytes().all(|byte| byte.is_ascii_digit());
        pin && !digits && secret_strength::secret_strength(value) < Some(SecretStrength::Strong)
    }

    /// A form's text about a password, or how it is checked. A passphrase may have many words.
    pub fn is_sentence(&self, value: &str) -> bool {
        let variable = self.name().contains('_') && !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let phrase = self.name().to_ascii_lowercase().ends_with("phrase") || variable;
        let words = value.split_whitespace().count();
        let rule =
            value.split_once('|').is_some_and(|(first, _)| secret_strength::is_prose(first) || first.contains(':'))
                || ["min:", "max:", "size:", "regex:", "same:", "between:", "digits:"]
                    .iter()
                    .any(|rule| value.starts_with(rule));
        let prose = value.split_whitespace().filter(|word| secret_strength::is_prose(word)).count();
        words > 3 && !phrase && prose > 0 && !(prose * 3 < words && self.is_titled(value)) || rule
    }

    /// `"Painel do Patio 24h"` among settings: capitals inside, and a number.
    fn is_titled(&self, value: &str) -> bool {
        let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
        self.class == SecretClass::Password
            && value.split_whitespace().skip(1).any(capital)
            && value.bytes().any(|byte| byte.is_ascii_digit())
            && self.is_among_settings()
    }

    /// `unexpected token: end-of-line`
    fn is_of_parser(&self) -> bool {
        if !self.name().eq_ignore_ascii_case("token") {
            return false;
        }
        let before = self.of(&(line_start(self.text, self.name.start)..self.name.start));
        let last = before.split_whitespace().next_back().unwrap_or_default().to_ascii_lowercase();
        before.ends_with(' ') && ["unexpected", "invalid", "expected", "unknown"].contains(&last.as_str())
    }

    /// `license: GPL-3.0-or-later` names the terms of use.
    fn is_license(&self) -> bool {
        let low = self.name().to_ascii_lowercase();
        ["license", "licence", "lizenz"].contains(&low.as_str())
    }

    /// `--secret-id prod/db`: the path of a secret in its store.
    pub fn is_secret_id(&self) -> bool {
        let low = self.name().to_ascii_lowercase();
        ["secret-id", "secret_id", "secretid"].iter().any(|id| low.ends_with(id))
    }

    /// `PWD=/home/me` is a directory.
    fn is_pwd(&self) -> bool {
        matches!(self.name(), "PWD" | "OLDPWD" | "pwd" | "oldpwd" | "INIT_CWD")
    }

    /// `hash_key: …`: the hexadecimal digits are the hash itself.
    fn names_hash(&self) -> bool {
        let low = self.name().to_ascii_lowercase();
        low.ends_with("hash_key") || low.ends_with("hashkey") || low.ends_with("hash-key")
    }

    /// A list of names with a hash each is a list of checksums.
    fn is_among_hashes(&self, range: &Range<usize>) -> bool {
        let length = range.len();
        let has_hash = |line: Option<Range<usize>>| {
            line.is_some_and(|line| {
                let mut words = self.of(&line).split(|letter: char| !letter.is_ascii_alphanumeric());
                words.any(|word| word.len() == length && secret_strength::is_hash(word))
            })
        };
        has_hash(scan::next_line(self.text, range.end)) || has_hash(scan::previous_line(self.text, range.start))
    }

    pub fn is_chosen(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        secret_strength::is_chosen(value)
            && !secret_strength::is_path(value)
            && !secret_strength::is_ordinary(value)
            && !is_label(value)
    }

    /// Whether only what may precede a setting is on the line before the name.
    pub fn begins_line(&self) -> bool {
        let from = line_start(self.text, self.name.start);
        let before = self.of(&(from..self.name.start));
        if before.len() > MAX_NAME {
            return false;
        }
        let before = past_history(before);
        let before = before.trim_matches(|letter: char| " \t+-\"'#;*>·•・/$@[\u{3000}".contains(letter));
        // `新密码：`
        let unspaced = self.name().starts_with(is_unspaced);
        let joined = |letter: char| is_unspaced(letter) || unspaced && letter.is_alphanumeric();
        if !before.is_empty() && before.chars().count() <= 10 && before.chars().all(joined) {
            return true;
        }
        matches!(
            before,
            "" | "export" | "env" | "ENV" | "ARG" | "set" | "SET" | "setx" | "declare -x" | "local" | "define"
        )
    }

    /// Whether the line above is a user setting such as `user: ana`, with the same indentation.
    pub fn is_below_user_setting(&self) -> bool {
        let Some(above) = scan::previous_line(self.text, self.name.start) else { return false };
        let above = self.of(&above);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = self.of(&(line_start(self.text, self.name.start)..self.name.end));
        let key = above.trim_start().split([':', '=']).next().unwrap_or_default().trim_end().to_ascii_lowercase();
        let named = ["user", "username", "login", "host", "usuario", "uzytkownik", "port"].contains(&key.as_str());
        named && indent(above) == indent(own) && scan::is_setting(above) && self.begins_line()
    }

    /// Whether the line above or below is a setting too.
    pub fn is_among_settings(&self) -> bool {
        let is_setting = |line: Option<Range<usize>>| line.is_some_and(|line| scan::is_setting(self.of(&line)));
        is_setting(scan::previous_line(self.text, self.name.start))
            || is_setting(scan::next_line(self.text, self.name.end))
    }
}

/// Skips what a shell's history or a prompt writes before a command: `  983  `, `: 1709541201:0;`, `me@host dir % `.
fn past_history(before: &str) -> &str {
    let line = before.trim_start();
    if let Some(rest) = line.strip_prefix(": ")
        && let Some((time, command)) = rest.split_once(';')
        && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
    {
        return command;
    }
    let number = line.bytes().take_while(u8::is_ascii_digit).count();
    if number > 0 && line.get(number..).is_some_and(|rest| rest.starts_with([' ', '*', '\t'])) {
        return line.get(number..).unwrap_or_default();
    }
    let prompt = ["$ ", "# ", "% ", "> "].iter().filter_map(|end| line.rfind(end).map(|at| at + 2)).max();
    prompt
        .filter(|at| line.get(..*at).is_some_and(|prompt| prompt.contains('@') && prompt.len() < 60))
        .map_or(before, |at| line.get(at..).unwrap_or_default())
}

/// `CLIENT_SECRET`
fn is_constant(value: &str) -> bool {
    value.contains('_') && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
