//! Secrets behind their name and an operator: `NAME=value`, `"name": "value"`, `name: value`, `<name>value<`, `name("value")`.
//! Finds where the value begins and ends; whether it is a secret is decided in `name` and `value`. What has no operator is
//! read in `prose`, what stands on another line in `nested`.

use std::ops::Range;

use crate::redact::placeholder::{is_label, is_secret_name};
use crate::redact::scan::{self, line_end, line_start};
use crate::redact::value::{self, Class, Strength};
use crate::redact::{name, nested, prose};

/// Bytes of a name on either side of what was noticed.
const MAX_NAME: usize = 80;

/// Words of a value without quotes, in a file of settings.
const MAX_WORDS: usize = 5;

/// Where a name with this part in it stands. Dots and dashes belong to it: `db.password`, `--db-password`.
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

/// Letters of scripts that do not set words apart.
pub fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{0e00}'..='\u{0eff}' | '\u{ac00}'..='\u{d7af}')
}

/// The value that belongs to the name at `name`, if it is a secret.
pub fn of_class(text: &str, name: Range<usize>, class: Class) -> Option<Range<usize>> {
    let reader = Reader { text, bytes: text.as_bytes(), name, class };
    let found = reader.value().or_else(|| nested::value(&reader))?;
    (!found.is_empty()).then_some(found)
}

pub struct Reader<'a> {
    pub text: &'a str,
    pub bytes: &'a [u8],
    pub name: Range<usize>,
    pub class: Class,
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

impl Reader<'_> {
    fn value(&self) -> Option<Range<usize>> {
        if self.before(1) == Some(b'<') {
            return self.element();
        }
        let (quoted, at) = self.after_name();
        let behind = scan::blank(self.text, at);
        if quoted != Quoted::No && self.byte(behind) == Some(b',') && self.is_flag() {
            return self.listed(behind + 1);
        }
        if quoted == Quoted::Call && self.byte(behind) == Some(b',') {
            return self.argument(behind + 1);
        }
        if quoted == Quoted::Yes && self.byte(behind) == Some(b',') {
            return self.argument(behind + 1).filter(|range| {
                value::strength(self.of(range)) >= Some(Strength::Strong) && self.of(range).len() > 11
            });
        }
        if quoted == Quoted::No && self.byte(behind) == Some(b',') {
            return self.argument(behind + 1).filter(|range| value::strength(self.of(range)) >= Some(Strength::Soft));
        }
        if quoted == Quoted::No && at == behind && self.byte(at) == Some(b'(') {
            return self.call(at + 1);
        }
        let Some((operator, end)) = self.operator(behind) else {
            return if quoted == Quoted::No { prose::value(self, behind, at < behind) } else { None };
        };
        let from = scan::blank(self.text, end);
        self.literal(from).or_else(|| self.unquoted(operator, end, from))
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

    pub fn fits(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        // `password=password`, `key_password = args.key_password`
        let last = |text: &str| text.rsplit(['.', ':', '-']).next().unwrap_or_default().to_ascii_lowercase();
        let short = self.class == Class::Random
            && value::is_short_key(value)
            && self.name().bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        (value::fits(self.class, value) || short)
            && !self.is_sentence(value)
            && !self.is_contact(value)
            && !self.is_measure(value)
            && last(value) != last(self.name())
            && !(is_secret_name(value) && self.class != Class::Password)
            && !(is_constant(value) && name::class(value).is_some())
            && !(self.class == Class::Secret && self.is_object_name(value))
            && !(name::is_action(self.name())
                && value::strength(value).is_none_or(|strength| strength < Strength::Chosen))
            && !(self.class == Class::Random && value::is_hash(value) && self.is_among_hashes(range))
            && !(self.is_pwd() && value.starts_with(['/', '~', '.']))
    }

    /// `initScriptsSecret=special-scripts`: the name of an object that holds one.
    fn is_object_name(&self, value: &str) -> bool {
        let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let listed = self.name() == "secret" && self.before(2) == Some(b'-') && self.before(1) == Some(b' ');
        listed || !upper && value.contains('-') && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    }

    /// `Minimalna długość hasła: 14`: a short number behind several words counts something.
    fn is_measure(&self, value: &str) -> bool {
        let number = value.len() <= 3 && value.bytes().all(|byte| byte.is_ascii_digit());
        let before = self.of(&(line_start(self.text, self.name.start)..self.name.start));
        number && !self.is_flag() && before.trim_end().ends_with(char::is_alphabetic)
    }

    /// The number of a contact is no PIN: that has four digits at least.
    fn is_contact(&self, value: &str) -> bool {
        let name = self.name().to_ascii_lowercase();
        let pin = ["pin", "puk"]
            .iter()
            .any(|end| name == *end || name.ends_with(&format!("_{end}")) || name.ends_with(&format!("-{end}")));
        let digits = value.len() >= 4 && value.bytes().all(|byte| byte.is_ascii_digit());
        pin && !digits && value::strength(value) < Some(Strength::Strong)
    }

    /// What a form says about a password, or how it is checked. A passphrase may be many words.
    fn is_sentence(&self, value: &str) -> bool {
        let variable = self.name().contains('_') && !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let phrase = self.name().to_ascii_lowercase().ends_with("phrase") || variable;
        let words = value.split_whitespace().count();
        let rule = value.split_once('|').is_some_and(|(first, _)| value::is_prose(first) || first.contains(':'))
            || ["min:", "max:", "size:", "regex:", "same:", "between:", "digits:"]
                .iter()
                .any(|rule| value.starts_with(rule));
        words > 3 && !phrase && value.split_whitespace().any(value::is_prose) || rule
    }

    /// `PWD=/home/me` is a directory.
    fn is_pwd(&self) -> bool {
        matches!(self.name(), "PWD" | "OLDPWD" | "pwd" | "oldpwd" | "INIT_CWD")
    }

    /// A list of names with a hash each is a list of checksums.
    fn is_among_hashes(&self, range: &Range<usize>) -> bool {
        let length = range.len();
        let has_hash = |line: Option<Range<usize>>| {
            line.is_some_and(|line| {
                let mut words = self.of(&line).split(|letter: char| !letter.is_ascii_alphanumeric());
                words.any(|word| word.len() == length && value::is_hash(word))
            })
        };
        has_hash(scan::next_line(self.text, range.end)) || has_hash(scan::previous_line(self.text, range.start))
    }

    pub fn is_chosen(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        value::is_chosen(value) && !value::is_path(value) && !value::is_ordinary(value) && !is_label(value)
    }

    /// `-password`, `--password`, `/password`
    pub fn is_flag(&self) -> bool {
        let slash = self.before(1) == Some(b'/') && self.before(2).is_none_or(|byte| byte.is_ascii_whitespace());
        self.name().starts_with('-') || slash
    }

    /// Past the quote and the bracket that close the name.
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

    /// What is assigned with, and where it ends. A type may stand before it.
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
        // `secret:` within a longer name of a resource.
        let resource = self.before(1) == Some(b':') && self.byte(at) == Some(b':');
        match self.byte(at)? {
            b'=' => Some((Operator::Assign, at + 1)),
            b':' if !resource => Some((Operator::Colon, at + 1)),
            _ => None,
        }
    }

    /// Past the type in `password string = "…"`, `password: str = "…"` and `KEY[16] = {…}`.
    fn typed(&self, at: usize) -> Option<usize> {
        let line = self.text.get(at..line_end(self.text, at))?;
        if let Some(rest) = line.strip_prefix('[') {
            let close = rest.find(']').filter(|close| *close < 24)?;
            let behind = rest.get(close + 1..)?.trim_start();
            return (behind.starts_with('=') && !behind.starts_with("==")).then(|| at + line.len() - behind.len());
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

    /// In quotes, maybe behind a prefix, or within a call: `b"…"`, `SecretStr("…")`, `env("NAME", "…")`.
    fn literal(&self, from: usize) -> Option<Range<usize>> {
        let prefix =
            usize::from(matches!(self.byte(from), Some(b'$' | b'b' | b'r' | b'@' | b'u' | b'f' | b'N' | b'L')));
        for start in [from, from + prefix] {
            if let Some(range) = scan::quoted(self.text, start) {
                let value = self.of(&range);
                // `"…Pwd=" & variable & ";"`: what looks like the opening quote closes another string.
                let joined =
                    value.trim_start().starts_with(['&', '+', '.', ',', ')']) && value.starts_with([' ', '+', '&']);
                let default = self.default_in(&range).or_else(|| self.template_default(&range));
                let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase()) && self.begins_line();
                let word = |range: &Range<usize>| {
                    self.class == Class::Token
                        && (upper || self.is_flag())
                        && !self.of(range).contains(' ')
                        && value::strength(self.of(range)) >= Some(Strength::Soft)
                        && !is_secret_name(self.of(range))
                        && !is_label(self.of(range))
                };
                return default.or(Some(range)).filter(|range| !joined && (self.fits(range) || word(range)));
            }
        }
        None
    }

    /// `${NAME:-value}`: what is taken when the variable is not set.
    fn default_in(&self, range: &Range<usize>) -> Option<Range<usize>> {
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

    /// `<name>value<`, `<name attribute="x">value<`
    fn element(&self) -> Option<Range<usize>> {
        let end = line_end(self.text, self.name.end);
        let open = self.text.get(self.name.end..end)?;
        let close = open.find('>')?;
        if !open.starts_with(['>', ' ']) || open.get(..close)?.ends_with('/') {
            return None;
        }
        let start = self.name.end + close + 1;
        let value = self.bytes.get(start..end)?.iter().position(|byte| *byte == b'<')?;
        // `<user>:<password>@host` has no closing tag; OFX has none either, and writes capitals.
        let closes =
            self.byte(start + value + 1) == Some(b'/') || self.name().bytes().all(|byte| byte.is_ascii_uppercase());
        Some(scan::trimmed(self.text, start..start + value)).filter(|range| closes && self.fits(range))
    }

    fn unquoted(&self, operator: Operator, end: usize, from: usize) -> Option<Range<usize>> {
        let tight = from == end;
        // A test passed; a comment follows.
        if self.name() == "PASS" && operator == Operator::Colon || !tight && self.byte(from) == Some(b'#') {
            return None;
        }
        match self.byte(from)? {
            b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'(' => return None,
            b'$' if self.byte(from + 1) == Some(b'{') => {
                let line = self.of(&(from..line_end(self.text, from)));
                let close = line.find('}')? + 1;
                return self.default_in(&(from..from + close)).filter(|range| self.fits(range));
            }
            b'$' if !self.byte(from + 1).is_some_and(|byte| byte.is_ascii_digit()) => return None,
            b'[' | b'{' => return self.bytes_of(from),
            _ => {}
        }
        if let Some(range) = self.wrapped(from).or_else(|| self.fallback(from)) {
            return Some(range);
        }
        // A token has no brackets, an expression has.
        let plain = |range: &Range<usize>| {
            self.class != Class::Token || !self.of(range).contains(['(', ')', '[', ']', '{', '}', '<', '>', '\\'])
        };
        let found = match (operator, tight) {
            (Operator::Assign, true) => self.quoted_pair(from).or_else(|| self.tight(from)),
            (Operator::Assign, false) => self.spaced(from),
            (Operator::Colon, true) if self.is_flag() => self.tight(from),
            (Operator::Colon, true) => {
                self.tight(from).filter(|range| self.is_chosen(range) || self.is_unlike_code(range))
            }
            (Operator::Colon, false) => self.behind_colon(from),
        };
        found.filter(plain)
    }

    /// Behind a colon without a space, in a note: `密码:abc`, `pw:abc`, alone on its line.
    fn is_unlike_code(&self, range: &Range<usize>) -> bool {
        let ends_line = scan::blank(self.text, range.end) == line_end(self.text, range.end);
        ends_line
            && self.begins_line()
            && value::strength(self.of(range)).is_some_and(|strength| strength >= Strength::Soft)
    }

    /// `[127, 45, …]`, `{ 0x39, 0xA4, … }`: a key as its bytes.
    fn bytes_of(&self, from: usize) -> Option<Range<usize>> {
        let limit = self.text.floor_char_boundary(from.saturating_add(scan::MAX_LINE));
        let inner = self.text.get(from + 1..limit)?;
        let inner = inner.get(..inner.find(['}', ']'])?)?;
        let numbers: Vec<&str> = inner.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let is_byte = |part: &&str| match part.strip_prefix("0x").or_else(|| part.strip_prefix("0X")) {
            Some(hex) => hex.len() <= 2 && u8::from_str_radix(hex, 16).is_ok(),
            None => part.parse::<u8>().is_ok(),
        };
        // A vector of a test counts up.
        let counts = numbers.iter().take(4).zip(0..).all(|(part, number)| {
            part.trim_start_matches("0x").trim_start_matches('0')
                == if number == 0 { String::new() } else { number.to_string() }
                || **part == (number + 1).to_string()
        });
        let different = numbers.iter().collect::<std::collections::BTreeSet<_>>().len();
        let key = [8, 16, 24, 32, 48, 64].contains(&numbers.len())
            && different * 2 > numbers.len()
            && !counts
            && numbers.iter().all(|part| is_byte(&part.trim_start_matches("(byte)").trim()));
        key.then(|| scan::trimmed(self.text, from + 1..from + 1 + inner.len()))
    }

    /// `"NAME=several words"`: to the quote that closes the pair.
    fn quoted_pair(&self, from: usize) -> Option<Range<usize>> {
        let quote = self.before(1).filter(|byte| b"\"'".contains(byte))?;
        let line = self.of(&(from..line_end(self.text, from)));
        let value = line.get(..line.find(char::from(quote))?)?;
        let range = from..from + value.len();
        let named = matches!(self.class, Class::Password | Class::Secret);
        (named && value.contains(' ') && value::is_passphrase(value) && !self.is_flag() && self.fits(&range))
            .then_some(range)
    }

    /// `NAME=value`: to the end of the word, or of the line when the line is nothing else.
    fn tight(&self, from: usize) -> Option<Range<usize>> {
        let line = from..line_end(self.text, from);
        let rest = self.of(&line).trim_end();
        let alone = self.begins_line() && !rest.contains(char::is_whitespace);
        let setting = alone
            && !rest.starts_with(['$', '[', '{'])
            && !rest.ends_with([',', ';', ')', '}', '"', '\''])
            && !rest.contains(['(', '"', '\'']);
        let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let end = if setting || alone && upper && !rest.starts_with('$') { rest.len() } else { self.word(rest) };
        let range = from..from + end;
        let code = value::is_expression(self.of(&(from..line.end)))
            && (!self.begins_line() || self.of(&range).contains(['(', '[']))
            && matches!(self.byte(range.end), Some(b',' | b')' | b';' | b'(' | b'[' | b']'))
            && !self.is_flag();
        // `clientSecret=Client Secret`: a text for a form, not a variable before a command.
        let label = self.begins_line()
            && !upper
            && rest.contains(' ')
            && !self.is_flag()
            && value::strength(self.of(&range)) < Some(Strength::Soft);
        if label {
            return None;
        }
        let list = self.of(&range).contains('=') && self.of(&range).contains(',') && self.is_flag();
        let soft = self.class == Class::Token && setting && self.is_word_setting(&range);
        (!code && !list && (self.fits(&range) || soft)).then_some(range)
    }

    /// A token that people chose, in a file of settings: `api-key=pdns-Schmiede`.
    fn is_word_setting(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        // `secretKey: resource-id` names a field.
        let field = self.name().to_ascii_lowercase().ends_with("key")
            && !upper
            && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        (upper || self.is_among_settings())
            && !field
            && value::strength(value) >= Some(Strength::Soft)
            && !is_secret_name(value)
            && !value::is_expression(value)
            && !value::is_path(value)
    }

    /// Where a value ends that stands among others.
    fn word(&self, rest: &str) -> usize {
        let closes = match () {
            () if self.is_in_connection_string() => "\"';",
            () if self.is_flag() => "\"'`;|<>",
            () => "\"'`;|<>,)}\\",
        };
        let spaced = self.is_in_connection_string() && rest.split(';').next().is_some_and(|value| !value.contains(' '));
        let mut at = 0;
        while let Some(letter) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            let behind = rest.get(at + letter.len_utf8()..).unwrap_or_default();
            let stops = match letter {
                '&' => {
                    !behind.starts_with(|next: char| next.is_alphanumeric())
                        || is_parameter(behind)
                        || is_entity(behind)
                }
                // `[x]` as a whole, but not the bracket around the pair.
                ']' => !rest.starts_with('[') && !spaced,
                _ => letter.is_whitespace() || closes.contains(letter),
            };
            if stops {
                break;
            }
            at += letter.len_utf8();
        }
        at
    }

    /// `Server=x;User Id=y;Password=…;`: only a semicolon or the quote ends the value.
    fn is_in_connection_string(&self) -> bool {
        let from = self.text.ceil_char_boundary(self.name.start.saturating_sub(2 * MAX_NAME));
        let before = self.of(&(from..self.name.start)).to_ascii_lowercase();
        let before = before.rsplit(['\n', '"', '\'']).next().unwrap_or_default();
        before.trim_end().ends_with(';')
            && ["server=", "data source=", "host=", "uid=", "user id=", "database=", "driver=", "user=", "endpoint="]
                .iter()
                .any(|part| before.contains(part))
    }

    /// `name = value`, in a file of settings or in code.
    fn spaced(&self, from: usize) -> Option<Range<usize>> {
        let range = self.to_comment(from);
        let rest = self.of(&range);
        // `[password] => value`, as PHP prints an array.
        let printed = self.before(1) == Some(b'[') && self.begins_line() && !rest.contains(' ');
        if printed {
            return Some(range).filter(|range| {
                self.fits(range)
                    || self.class == Class::Token && value::strength(self.of(range)) >= Some(Strength::Soft)
            });
        }
        let code = rest.ends_with([';', '{', '(', ','])
            || value::is_expression(rest)
            || rest.contains('(')
            || value::is_identifier(rest) && self.name().contains('.') && self.before_last_dot_is_object();
        // `$password = randAlphaNum 10`: a variable of a script.
        if code || self.before(1) == Some(b'$') || !self.begins_line() && !self.is_chosen(&range) {
            return None;
        }
        self.words(range)
    }

    /// `self.password = value` is code, `db.password = value` a setting.
    fn before_last_dot_is_object(&self) -> bool {
        let name = self.name();
        ["self.", "this.", "cls.", "args.", "options.", "opts."].iter().any(|object| name.starts_with(object))
            || name.bytes().filter(|byte| *byte == b'.').count() == 1
                && line_start(self.text, self.name.start) != self.name.start
    }

    /// `name: value`, in a file of settings, a log, or a sentence.
    fn behind_colon(&self, from: usize) -> Option<Range<usize>> {
        let mut range = self.to_comment(from);
        let first = self.of(&range).split_whitespace().next()?;
        let bare = first.trim_end_matches([',', ';', ')']);
        if self.class == Class::Token && !value::is_token(bare) {
            let alone = first.len() == self.of(&range).len() && self.begins_line();
            let range = from..from + bare.len();
            let alone = alone && bare.len() == first.len() && !value::is_identifier(bare);
            return Some(range).filter(|range| alone && self.is_among_settings() && self.is_word_setting(range));
        }
        // One at a time: that is many times faster than both at once.
        for quote in ['"', '`'] {
            range.end = self.of(&range).find(quote).map_or(range.end, |end| range.start + end);
        }
        if self.is_declared(self.of(&range)) {
            return None;
        }
        if let Some(comma) = self.of(&range).find(", ") {
            range.end = range.start + comma;
        }
        let rest = self.of(&range);
        let closed = rest.trim_end_matches([',', ';', ')', '}', ']']);
        let unbalanced = !['(', '{', '['].iter().any(|open| closed.contains(*open));
        if unbalanced && (closed.len() < rest.len()) && !self.is_whole_line(&range) {
            range.end = range.start + closed.len();
        }
        // `cannot get secret: secrets "db" not found` is a sentence.
        let message = !self.begins_line() && self.class == Class::Secret;
        self.words(range).filter(|range| !message || value::strength(self.of(range)) >= Some(Strength::Soft))
    }

    /// A note or a setting of one word that may end with a bracket.
    fn is_whole_line(&self, range: &Range<usize>) -> bool {
        self.begins_line()
            && !self.of(range).contains([' ', '{'])
            && range.end == line_end(self.text, range.end)
            && self.class == Class::Password
            && !self.of(range).ends_with(',')
            && !self.of(range).ends_with(';')
    }

    /// What stands behind the colon is a type, or a value of a program's.
    fn is_declared(&self, rest: &str) -> bool {
        let first = rest.split_whitespace().next().unwrap_or_default();
        let bare = first.trim_end_matches([',', ';', ')', '}']);
        let follows = rest.get(first.len()..).unwrap_or_default().trim_start();
        let listed = bare.len() < first.len()
            && (value::is_identifier(bare) && value::strength(bare) < Some(Strength::Strong)
                || value::is_expression(bare)
                || value::is_type(bare));
        rest.starts_with(['*', '&', ':', '(', '|', '>', '['])
            || listed
            || follows.starts_with('=')
            || bare.contains("::")
            || value::is_expression(bare)
                && (bare.contains(['(', '[', '<'])
                    || bare.len() < first.len()
                    || !follows.is_empty() && value::strength(bare) < Some(Strength::Chosen))
    }

    fn to_comment(&self, from: usize) -> Range<usize> {
        let line = self.of(&(from..line_end(self.text, from)));
        let line = line.find(" #").map_or(line, |comment| line.get(..comment).unwrap_or(line)).trim_end();
        from..from + line.len()
    }

    /// One word is the value. Of several, the first, if it is no ordinary word; or all, when it is plainly a setting.
    fn words(&self, range: Range<usize>) -> Option<Range<usize>> {
        let rest = self.of(&range);
        let mut words = rest.split_whitespace();
        let (first, more) = (words.next()?, words.take(MAX_WORDS).count());
        let start = range.start + (rest.len() - rest.trim_start().len());
        let one = start..start + first.len();
        if more == 0 {
            return Some(one).filter(|range| self.fits(range));
        }
        if is_grouped(rest) && self.begins_line() {
            return Some(range);
        }
        let settings = matches!(self.class, Class::Password | Class::Secret) && more < MAX_WORDS;
        let phrase = self.name().to_ascii_lowercase().ends_with("phrase") || self.name().ends_with("mnemonic");
        let plain = |rest: &str| {
            !rest.contains(['(', '{', '[', '<', '"', '\'', '|', '='])
                && (phrase || !rest.split_whitespace().any(value::is_prose))
        };
        let below_user = self.class == Class::Password && value::is_passphrase(rest) && self.is_below_user_setting();
        if below_user && more < MAX_WORDS {
            return Some(range).filter(|range| self.fits(range));
        }
        let whole = name::count(self.name()) > 1 || phrase;
        if settings && plain(rest) && whole && self.begins_line() {
            return Some(range).filter(|range| self.fits(range));
        }
        let end = first.trim_end_matches([',', ';', ')']).len();
        let one = start..start + end;
        let least = if self.class == Class::Password { Strength::Soft } else { Strength::Chosen };
        let strong =
            value::strength(self.of(&one)) >= Some(least) && (self.is_chosen(&one) || self.class != Class::Password);
        (strong && self.fits(&one)).then_some(one)
    }

    /// Nothing but what may precede a setting is on the line before the name.
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

    /// `user: ana` is the line above, as far in as this one.
    fn is_below_user_setting(&self) -> bool {
        let Some(above) = scan::previous_line(self.text, self.name.start) else { return false };
        let above = self.of(&above);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = self.of(&(line_start(self.text, self.name.start)..self.name.end));
        let key = above.trim_start().split([':', '=']).next().unwrap_or_default().trim_end().to_ascii_lowercase();
        let named = ["user", "username", "login", "host", "usuario", "uzytkownik", "port"].contains(&key.as_str());
        named && indent(above) == indent(own) && scan::is_setting(above) && self.begins_line()
    }

    /// The line above or below is a setting too.
    pub fn is_among_settings(&self) -> bool {
        let is_setting = |line: Option<Range<usize>>| line.is_some_and(|line| scan::is_setting(self.of(&line)));
        is_setting(scan::previous_line(self.text, self.name.start))
            || is_setting(scan::next_line(self.text, self.name.end))
    }
}

/// Past what a shell's history or a prompt writes before a command: `  983  `, `: 1709541201:0;`, `me@host dir % `.
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

/// `abcd efgh ijkl mnop`: groups of one length, as app passwords have them.
fn is_grouped(value: &str) -> bool {
    let groups: Vec<&str> = value.split_whitespace().collect();
    groups.len() >= 4
        && groups.iter().all(|group| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && !groups.iter().any(|group| value::is_prose(group))
}

/// `CLIENT_SECRET`
fn is_constant(value: &str) -> bool {
    value.contains('_') && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// `quot;` behind the `&` of HTML.
pub fn is_entity(behind: &str) -> bool {
    if behind.starts_with('#') {
        return true;
    }
    let name = behind.bytes().take_while(u8::is_ascii_lowercase).count();
    (2..=6).contains(&name) && behind.as_bytes().get(name) == Some(&b';')
}

/// `name=` behind the `&` of an address or a form.
fn is_parameter(behind: &str) -> bool {
    let name = behind.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_-.[]%".contains(letter));
    name.is_some_and(|end| behind.get(end..).is_some_and(|rest| rest.starts_with('=')))
}
