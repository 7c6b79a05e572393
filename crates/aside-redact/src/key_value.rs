//! Secrets behind their name and an operator: `NAME=value`, `"name": "value"`, `name: value`, `<name>value<`,
//! `name("value")`. Finds where the value begins and ends; `unquoted` reads values without quotes. `name_fits_value`, `secret_name`
//! and `secret_strength` decide whether it is a secret. Values without an operator are read in `name_then_value`, those on another line in
//! `nested`.

use std::ops::Range;

use crate::placeholder::{is_label, is_secret_name};
use crate::scan::{self, line_end};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::{name_then_value, nested, passphrase, secret_name};

/// Bytes of a name on either side of the trigger word.
pub const MAX_NAME: usize = 80;

/// Bytes of a remark in brackets behind a name.
const MAX_REMARK: usize = 40;

/// Bytes of the prefix of an element: `wsse:`.
const MAX_PREFIX: usize = 32;

/// The span of the name around `part`. Dots and dashes belong to it: `db.password`, `--db-password`.
pub fn around(text: &str, part: Range<usize>) -> Range<usize> {
    let of_name = |letter: char| letter.is_alphanumeric() && !is_unspaced(letter) || "_-.".contains(letter);
    let before = text.get(text.ceil_char_boundary(part.start.saturating_sub(MAX_NAME))..part.start).unwrap_or_default();
    let start = part.start - (before.len() - before.trim_end_matches(of_name).len());
    let after = text.get(part.end..text.floor_char_boundary(part.end.saturating_add(MAX_NAME))).unwrap_or_default();
    let end = after.len() - after.trim_start_matches(of_name).len();
    let end = after.get(..end).unwrap_or_default().trim_end_matches(['-', '.']).len();
    // `user%5Bpassword%5D=`
    let encoded = text.get(..start).is_some_and(|before| before.ends_with('%'))
        && text.get(start..start + 2).is_some_and(|two| two.eq_ignore_ascii_case("5b"))
        && start + 2 <= part.start;
    start + if encoded { 2 } else { 0 }..part.end + end
}

/// Letters of scripts that do not separate words.
pub fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{0e00}'..='\u{0eff}' | '\u{ac00}'..='\u{d7af}')
}

/// The value of the name at `name`, if it is a secret.
pub fn of_class(text: &str, name: Range<usize>, class: SecretClass) -> Option<Range<usize>> {
    let reader = NamedSecret { text, bytes: text.as_bytes(), name, class };
    let found = reader.value().or_else(|| nested::value(&reader))?;
    (!found.is_empty()).then_some(found)
}

pub struct NamedSecret<'a> {
    pub text: &'a str,
    pub bytes: &'a [u8],
    pub name: Range<usize>,
    pub class: SecretClass,
}

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Assign,
    Colon,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoted {
    No,
    Yes,
    /// As the first argument of a function: `define('NAME', 'value')`.
    Call,
}

impl NamedSecret<'_> {
    fn value(&self) -> Option<Range<usize>> {
        if self.begins_element() {
            return self.element();
        }
        if self.is_count() {
            return None;
        }
        let (quoted, at) = self.after_name();
        let at = if quoted == Quoted::No { self.after_remark(at) } else { at };
        let behind = scan::blank(self.text, at);
        if quoted != Quoted::No && self.byte(behind) == Some(b',') && self.is_flag() {
            return self.listed(behind + 1);
        }
        if quoted == Quoted::Call && self.byte(behind) == Some(b',') {
            return self.argument(behind + 1);
        }
        if quoted == Quoted::Yes && self.byte(behind) == Some(b',') {
            return self.argument(behind + 1).filter(|range| {
                secret_strength::secret_strength(self.of(range)) >= Some(SecretStrength::Strong)
                    && self.of(range).len() > 11
            });
        }
        if quoted == Quoted::No && self.byte(behind) == Some(b',') {
            return self
                .argument(behind + 1)
                .filter(|range| secret_strength::secret_strength(self.of(range)) >= Some(SecretStrength::Soft));
        }
        if quoted == Quoted::No && at == behind && self.byte(at) == Some(b'(') {
            return self.call(at + 1);
        }
        if let Some(range) = self.compared(behind) {
            return Some(range);
        }
        let Some((operator, end)) = self.operator(behind) else {
            return if quoted == Quoted::No { name_then_value::value(self, behind, at < behind) } else { None };
        };
        let from = self.after_tag(scan::blank(self.text, end));
        if operator == Operator::Assign && end == at + 1 && end < from && self.is_empty_before_argument(from) {
            return None;
        }
        self.literal(from).or_else(|| self.unquoted(operator, end, from)).or_else(|| passphrase::at(self, from))
    }

    /// Skips the type in `password: !!str value`.
    fn after_tag(&self, at: usize) -> usize {
        let rest = self.of(&(at..line_end(self.text, at)));
        let tag = ["!!str ", "!!binary ", "!unsafe ", "! "].iter().find(|tag| rest.starts_with(*tag));
        tag.map_or(at, |tag| scan::blank(self.text, at + tag.len()))
    }

    /// Skips the brackets in `Password (LAPS): value`.
    fn after_remark(&self, at: usize) -> usize {
        let open = scan::blank(self.text, at);
        let rest = self.of(&(open..line_end(self.text, open)));
        let close = rest.strip_prefix('(').and_then(|rest| rest.find(')')).filter(|close| *close < MAX_REMARK);
        let end = close.map(|close| open + close + 2);
        end.filter(|end| matches!(self.byte(*end), Some(b':' | b'='))).unwrap_or(at)
    }

    /// `-e NAME= -p8080:80`, `NAME= ./run`: the value is empty, and the next argument or the command follows.
    fn is_empty_before_argument(&self, from: usize) -> bool {
        let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let dash = self.byte(from) == Some(b'-') && self.byte(from + 1).is_some_and(|byte| byte != b' ');
        upper && (dash || !self.begins_line())
    }

    /// `password === 'value'`, `headers.get('x-api-key') != "value"`: code that compares with a literal.
    fn compared(&self, at: usize) -> Option<Range<usize>> {
        let rest = self.text.get(at..line_end(self.text, at))?;
        let operator = rest.trim_start_matches([')', ' ']);
        let behind = ["===", "!==", "==", "!="].iter().find_map(|compare| operator.strip_prefix(compare))?;
        let start = at + rest.len() - behind.trim_start().len();
        let prefix = usize::from(matches!(self.byte(start), Some(b'b' | b'u' | b'r')));
        let range = scan::quoted(self.text, start + prefix)?;
        let value = self.of(&range);
        let enough = match self.class {
            SecretClass::Password => value.len() >= 4 && !secret_strength::is_prose(value),
            // `token == "end-of-file"` is a parser.
            SecretClass::Token if secret_name::count(self.name()) < 2 => secret_strength::is_token(value),
            SecretClass::Secret | SecretClass::Token => {
                secret_strength::secret_strength(value) >= Some(SecretStrength::Soft)
            }
            SecretClass::Random => secret_strength::secret_strength(value) >= Some(SecretStrength::Strong),
        };
        (enough
            && !is_label(value)
            && !is_secret_name(value)
            && (self.fits(&range) || self.class != SecretClass::Password))
            .then_some(range)
    }

    /// `"--password", "value"`: a command line as a list.
    fn listed(&self, at: usize) -> Option<Range<usize>> {
        let next = at + self.text.get(at..)?.bytes().take(MAX_NAME).take_while(u8::is_ascii_whitespace).count();
        let range = scan::quoted(self.text, next)?;
        let value = self.of(&range);
        (!value.starts_with('-') && !value.contains(' ') && value.len() > 2 && self.fits(&range)).then_some(range)
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    pub fn before(&self, count: usize) -> Option<u8> {
        self.byte(self.name.start.checked_sub(count)?)
    }

    pub fn of(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    pub fn name(&self) -> &str {
        self.of(&self.name)
    }

    /// `-password`, `--password`, `/password`
    pub fn is_flag(&self) -> bool {
        let slash = self.before(1) == Some(b'/') && self.before(2).is_none_or(|byte| byte.is_ascii_whitespace());
        self.name().starts_with('-') || slash
    }

    /// Skips the quote and the bracket that close the name.
    fn after_name(&self) -> (Quoted, usize) {
        let Some(quote) = self.before(1).filter(|byte| b"\"'`".contains(byte)) else {
            // `$db[password]`, `[password]`
            let bracket = self.before(1) == Some(b'[') && self.byte(self.name.end) == Some(b']');
            return (Quoted::No, self.name.end + usize::from(bracket));
        };
        let mut at = self.name.end;
        let escaped = self.before(2) == Some(b'\\');
        if escaped && self.byte(at) == Some(b'\\') {
            at += 1;
        }
        if self.byte(at) != Some(quote) {
            return (Quoted::No, self.name.end);
        }
        at += 1;
        if self.byte(at) == Some(b']') {
            at += 1;
        }
        let mut open = self.name.start - 1;
        while open > 0 && self.bytes.get(open - 1).is_some_and(|byte| b" \t\\".contains(byte)) {
            open -= 1;
        }
        let call = open.checked_sub(1).and_then(|at| self.byte(at)).is_some_and(|byte| b"([".contains(&byte));
        (if call { Quoted::Call } else { Quoted::Yes }, at)
    }

    /// The operator, and where it ends. A type may precede it.
    fn operator(&self, at: usize) -> Option<(Operator, usize)> {
        let at = self.typed(at).unwrap_or(at);
        let encoded = self.text.get(at..at + 4).is_some_and(|end| end.eq_ignore_ascii_case("%5d="));
        let at = if encoded { at + 3 } else { at };
        let rest = self.text.get(at..)?;
        let two = self.bytes.get(at..at + 2).unwrap_or_default();
        if rest.starts_with('：') || rest.starts_with('﹕') {
            return Some((Operator::Colon, at + 3));
        }
        if rest.starts_with('＝') {
            return Some((Operator::Assign, at + 3));
        }
        match two {
            // In LDIF two colons announce base64.
            b"::" if self.byte(at + 2) == Some(b' ') && self.begins_line() => return Some((Operator::Colon, at + 2)),
            b"==" if self.byte(at + 2) == Some(b' ') || self.byte(at + 2) == Some(b'=') => return None,
            b"=~" | b"::" => return None,
            b":=" | b"=>" | b"?=" | b"+=" => return Some((Operator::Assign, at + 2)),
            b"<-" => {
                return Some((Operator::Assign, at + 2))
                    .filter(|_| scan::quoted(self.text, scan::blank(self.text, at + 2)).is_some());
            }
            _ => {}
        }
        if rest.starts_with("||=") || rest.starts_with("??=") {
            return Some((Operator::Assign, at + 3));
        }
        // `secret:` inside a longer resource name.
        let resource = self.before(1) == Some(b':') && self.byte(at) == Some(b':');
        match self.byte(at)? {
            b' ' if self.of(&(0..at)).ends_with(" VALUE") => Some((Operator::Assign, at)),
            b'=' => Some((Operator::Assign, at + 1)),
            b':' if !resource => Some((Operator::Colon, at + 1)),
            _ => None,
        }
    }

    /// Skips the type in `password string = "…"`, `password: str = "…"` and `KEY[16] = {…}`.
    fn typed(&self, at: usize) -> Option<usize> {
        let line = self.text.get(at..line_end(self.text, at))?;
        if let Some(rest) = line.strip_prefix('[') {
            let close = rest.find(']').filter(|close| *close < 24)?;
            let behind = rest.get(close + 1..)?.trim_start();
            return (behind.starts_with('=') && !behind.starts_with("==")).then(|| at + line.len() - behind.len());
        }
        // `WS-PASSWD PIC X(8) VALUE 'value'`, `lv_pass TYPE string VALUE 'value'`
        let declared =
            [" PIC ", " TYPE "].iter().any(|kind| line.starts_with(kind) || line.starts_with(kind.trim_start()));
        if let Some(value) = line.find(" VALUE '").filter(|value| declared && *value < 40) {
            return Some(at + value + " VALUE".len());
        }
        let kind = line.trim_start_matches([':', ' ', '\t']);
        let rest = [
            "string",
            "str",
            "String",
            "&'static str",
            "&str",
            "text",
            "bytes",
            "&[u8]",
            "[]byte",
            "char*",
            "SecretStr",
            "Optional[str]",
            "str | None",
            "string?",
            "String?",
            "any",
            "[u8; 32]",
            "SecureString",
        ]
        .iter()
        .find_map(|name| kind.strip_prefix(name))?;
        let rest = rest.trim_start();
        (rest.starts_with('=') && !rest.starts_with("==")).then(|| at + line.len() - rest.len())
    }

    /// Quoted, perhaps with a prefix or inside a call: `b"…"`, `SecretStr("…")`, `env("NAME", "…")`.
    fn literal(&self, from: usize) -> Option<Range<usize>> {
        let prefix =
            usize::from(matches!(self.byte(from), Some(b'$' | b'b' | b'r' | b'@' | b'u' | b'f' | b'N' | b'L')));
        for start in [from, from + prefix] {
            if let Some(range) = scan::quoted(self.text, start) {
                let value = self.of(&range);
                // `"…Pwd=" & variable & ";"`: the apparent opening quote closes another string.
                let joined =
                    value.trim_start().starts_with(['&', '+', '.', ',', ')']) && value.starts_with([' ', '+', '&']);
                let joined = joined || self.closes_other(start, value);
                let default = self.default_in(&range).or_else(|| self.template_default(&range));
                let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase()) && self.begins_line();
                let word = |range: &Range<usize>| {
                    self.class == SecretClass::Token
                        && (upper || self.is_flag())
                        && !self.of(range).contains(' ')
                        && secret_strength::secret_strength(self.of(range)) >= Some(SecretStrength::Soft)
                        && !is_secret_name(self.of(range))
                        && !is_label(self.of(range))
                };
                let chosen = |range: &Range<usize>| self.class == SecretClass::Token && self.is_chosen_key(range);
                let fits = |range: &Range<usize>| self.fits(range) || word(range) || chosen(range);
                return default.or(Some(range)).filter(|range| !joined && fits(range));
            }
        }
        None
    }

    /// `read -p 'Password: ' PW && printf '%s'`: the quote at `start` closes the string that contains the name.
    fn closes_other(&self, start: usize, value: &str) -> bool {
        let quote = self.byte(start);
        let line = self.of(&(scan::line_start(self.text, self.name.start)..self.name.start));
        let opened = line.bytes().filter(|byte| Some(*byte) == quote).count() % 2 == 1;
        let goes_on = value.starts_with([' ', ')', ',', ';']);
        let closed = self.byte(self.name.end) == quote || self.byte(self.name.end) == Some(b'\\');
        quote.is_some_and(|quote| b"\"'".contains(&quote)) && !closed && opened && (self.before(1) == quote || goes_on)
    }

    /// `${NAME:-value}`: the fallback value.
    pub fn default_in(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let inner = self.of(range).strip_prefix("${")?.strip_suffix('}')?;
        let (name, default) = inner
            .split_once(":-")
            .or_else(|| inner.split_once(":="))
            .or_else(|| inner.split_once('-'))
            .or_else(|| inner.split_once(':'))?;
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        let start = range.end - 1 - default.len();
        (plain && !default.is_empty() && !default.starts_with('?') && !default.contains(['=', '$']))
            .then_some(start..range.end - 1)
    }

    /// `{{ env_var('NAME', 'value') }}`
    fn template_default(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let template = self.of(range).strip_prefix("{{")?;
        let call = template.find("env")?;
        let comma = template.get(call..)?.find(',')?;
        let found = scan::quoted(self.text, scan::blank(self.text, range.start + 2 + call + comma + 1))?;
        (found.end < range.end).then_some(found)
    }

    /// `<name>`, `<prefix:name>`
    fn begins_element(&self) -> bool {
        if self.before(1) == Some(b':') {
            let from = self.text.ceil_char_boundary(self.name.start.saturating_sub(MAX_PREFIX));
            let before = self.of(&(from..self.name.start - 1));
            let tag = before.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter));
            return tag.len() < before.len() && tag.ends_with('<');
        }
        self.before(1) == Some(b'<')
    }

    /// `PASS=866 WARN=2`: counts of tests. `first pass: …`: one of several passes.
    fn is_count(&self) -> bool {
        const OTHERS: &[&str] = &["fail", "error", "skip", "total", "warn"];
        if !self.name().eq_ignore_ascii_case("pass") {
            return false;
        }
        let line = self.of(&(scan::line_start(self.text, self.name.start)..self.name.start));
        if line
            .split_whitespace()
            .next_back()
            .is_some_and(|before| secret_name::is_pass_kind(&before.to_ascii_lowercase()))
        {
            return true;
        }
        let rest = self.of(&(self.name.end..line_end(self.text, self.name.end)));
        let number = rest.trim_start_matches([':', '=', ' ']);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let ends = number.get(digits..).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()));
        let start = scan::line_start(self.text, self.name.start);
        let line = self.of(&(start..line_end(self.text, self.name.end))).to_ascii_lowercase();
        number.len() < rest.len() && digits > 0 && ends && OTHERS.iter().any(|other| line.contains(other))
    }

    /// `<name>value<`, `<name attribute="x">value<`
    fn element(&self) -> Option<Range<usize>> {
        let end = line_end(self.text, self.name.end);
        let open = self.text.get(self.name.end..end)?;
        let close = open.find('>')?;
        // `<pin digest="SHA-256">` is the hash of a public key.
        let digest = open.get(..close)?.contains("digest=");
        if !open.starts_with(['>', ' ']) || open.get(..close)?.ends_with('/') || digest {
            return None;
        }
        let start = self.name.end + close + 1;
        let value = self.bytes.get(start..end)?.iter().position(|byte| *byte == b'<')?;
        // `<user>:<password>@host` has no closing tag; neither has OFX, which uses capitals.
        let closes =
            self.byte(start + value + 1) == Some(b'/') || self.name().bytes().all(|byte| byte.is_ascii_uppercase());
        Some(scan::trimmed(self.text, start..start + value)).filter(|range| closes && self.fits(range))
    }
}
