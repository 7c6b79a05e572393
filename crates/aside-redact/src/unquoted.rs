//! Values without quotes: where one ends in a settings file, an environment, a connection string or a note.

use std::ops::Range;

use crate::key_value::{MAX_NAME, NamedSecret, Operator};
use crate::placeholder::is_secret_name;
use crate::program::programs;
use crate::scan::{self, line_end, line_start};
use crate::secret_name;
use crate::secret_strength::{self, SecretClass, SecretStrength};

/// Words of an unquoted value in a settings file.
const MAX_WORDS: usize = 5;

/// Programs that a line runs with a variable set, and that take no secret themselves.
const RUNNERS: &[&str] = &[
    "npm", "node", "npx", "yarn", "pnpm", "bun", "deno", "python", "python3", "ruby", "rake", "rails", "php", "go",
    "cargo", "make", "bash", "sh", "zsh", "java", "mvn", "gradle", "pytest", "uvicorn", "gunicorn", "flask", "django",
    "dotnet", "mix",
];

impl NamedSecret<'_> {
    pub fn unquoted(&self, operator: Operator, end: usize, from: usize) -> Option<Range<usize>> {
        let tight = from == end;
        if self.is_in_template() {
            return None;
        }
        // A passed test; or a comment follows.
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
            // `Pwd={a;b};` of ODBC.
            b'{' if self.is_in_connection_string() => {
                let end = braced(self.of(&(from + 1..line_end(self.text, from))))?;
                let range = from + 1..from + 1 + end;
                // `{0}` and `{password}` are template slots.
                let template = secret_strength::is_identifier(self.of(&range)) || range.len() < 3;
                return Some(range).filter(|range| !template && self.fits(range));
            }
            b'[' | b'{' => return self.bytes_of(from).or_else(|| self.wrapped(from)),
            _ => {}
        }
        if let Some(range) = self.wrapped(from).or_else(|| self.fallback(from)) {
            return Some(range);
        }
        // A token has no brackets, an expression has.
        let plain = |range: &Range<usize>| {
            self.class != SecretClass::Token || !self.of(range).contains(['(', ')', '[', ']', '{', '}', '<', '>', '\\'])
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

    /// `{{ lookup('vault', 'secret=kv/data/db') }}`: the argument of a template says where the value is stored.
    fn is_in_template(&self) -> bool {
        let before = self.of(&(line_start(self.text, self.name.start)..self.name.start));
        let after = self.of(&(self.name.end..line_end(self.text, self.name.end)));
        before.rfind("{{").is_some_and(|open| !before.get(open..).is_some_and(|rest| rest.contains("}}")))
            && after.contains("}}")
            && before.contains(['(', '|'])
    }

    /// Behind a colon without a space, alone on a line of a note: `密码:abc`, `pw:abc`.
    fn is_unlike_code(&self, range: &Range<usize>) -> bool {
        let ends_line = scan::blank(self.text, range.end) == line_end(self.text, range.end);
        let value = self.of(range);
        // `密码：88889999`
        let number = self.class == SecretClass::Password
            && value.bytes().all(|byte| byte.is_ascii_digit())
            && value.len() >= if self.name().is_ascii() { 6 } else { 4 };
        ends_line
            && self.begins_line()
            && (number
                || secret_strength::secret_strength(value).is_some_and(|strength| strength >= SecretStrength::Soft))
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
        // A test vector counts up.
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

    /// `"NAME=several words"`: up to the quote that closes the pair.
    fn quoted_pair(&self, from: usize) -> Option<Range<usize>> {
        let quote = self.before(1).filter(|byte| b"\"'".contains(byte))?;
        let line = self.of(&(from..line_end(self.text, from)));
        let value = line.get(..line.find(char::from(quote))?)?;
        let range = from..from + value.len();
        let named = matches!(self.class, SecretClass::Password | SecretClass::Secret);
        // `-var 'db_password=Xq9,vT2~mm'`: a comma belongs to it, unless another pair follows.
        let one = value.contains(',')
            && !value.contains(['=', ' ', '&', ';', ':', '{', '(', '$'])
            && secret_strength::secret_strength(value) == Some(SecretStrength::Strong);
        let phrase = value.contains(' ') && secret_strength::is_passphrase(value);
        (named && (phrase || one) && !self.is_flag() && self.fits(&range)).then_some(range)
    }

    /// `NAME=value`: up to the end of the word, or of the line if the line contains nothing else.
    fn tight(&self, from: usize) -> Option<Range<usize>> {
        let line = from..line_end(self.text, from);
        let rest = self.of(&line).trim_end();
        if self.is_phrase_setting(rest) || self.is_phrase_property(rest) {
            return Some(from..from + rest.len());
        }
        if let Some(end) = self.phrase_in_pairs(rest) {
            return Some(from..from + end);
        }
        let alone = self.begins_line() && !rest.contains(char::is_whitespace);
        let setting = alone
            && !rest.starts_with(['$', '[', '{'])
            && !rest.ends_with([',', ';', ')', '}', '"', '\''])
            && !rest.contains(['(', '"', '\'']);
        let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let end = if setting || alone && upper && !rest.starts_with('$') { rest.len() } else { self.word(rest) };
        let range = from..from + end;
        let code = secret_strength::is_expression(self.of(&(from..line.end)))
            && (!self.begins_line() || self.of(&range).contains(['(', '[']))
            && matches!(self.byte(range.end), Some(b',' | b')' | b';' | b'(' | b'[' | b']' | b'"' | b'\''))
            && !self.is_flag();
        // `clientSecret=Client Secret`: a form's text, not a variable before a command.
        let label = self.begins_line()
            && !upper
            && rest.contains(' ')
            && !self.is_flag()
            && !(self.name().starts_with("TF_VAR_") && rest.split_whitespace().nth(1).is_some_and(is_command))
            && secret_strength::secret_strength(self.of(&range)) < Some(SecretStrength::Soft);
        if label {
            return None;
        }
        let list = self.of(&range).contains('=') && self.of(&range).contains(',') && self.is_flag();
        let soft =
            self.class == SecretClass::Token && (setting && self.is_word_setting(&range) || self.is_set_for(rest));
        (!code && !list && (self.fits(&range) || soft)).then_some(range)
    }

    /// `host=db user=app password=two or three words sslmode=require`: up to the next pair.
    fn phrase_in_pairs(&self, rest: &str) -> Option<usize> {
        let before = self.of(&(line_start(self.text, self.name.start)..self.name.start));
        let pairs = ["host=", "user=", "dbname="].iter().filter(|pair| before.contains(*pair)).count();
        let rest = rest.get(..rest.find(['"', '\'', ';']).unwrap_or(rest.len()))?;
        let next = rest.match_indices(' ').map(|(at, _)| at).find(|at| {
            let word = rest.get(at + 1..).unwrap_or_default();
            let name = word.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
            name > 2 && word.as_bytes().get(name) == Some(&b'=')
        });
        let value = rest.get(..next?)?;
        (pairs > 1
            && self.class == SecretClass::Password
            && value.contains(' ')
            && secret_strength::is_passphrase(value))
        .then_some(value.len())
    }

    /// `ADMIN_TOKEN=hedgehog ./server`: a word that is set for the command behind it.
    fn is_set_for(&self, rest: &str) -> bool {
        let mut words = rest.split_whitespace();
        let (Some(value), Some(command)) = (words.next(), words.next()) else { return false };
        let upper = self.name().contains('_') && !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        upper
            && self.begins_line()
            && (is_command(command) || command.starts_with("./") || command.starts_with("bin/"))
            && value.len() >= 6
            && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && !secret_strength::is_prose(value)
            && !is_secret_name(value)
            && secret_strength::secret_strength(value).is_some()
    }

    /// `storePassword=two words` between lines like `keyAlias=upload`. A file of texts has sentences beside it.
    fn is_phrase_property(&self, rest: &str) -> bool {
        const FORMS: &[&str] = &["confirm", "old", "new", "current", "repeat", "forgot", "reset", "change", "wrong"];
        const BESIDE: &[&str] =
            &["alias", "file", "user", "username", "url", "host", "port", "path", "type", "server", "store"];
        let own = self.name();
        let setting = |line: Option<Range<usize>>| {
            line.is_some_and(|line| {
                self.of(&line).trim().split_once('=').is_some_and(|(name, value)| {
                    let low = name.trim().to_ascii_lowercase();
                    let technical = value.contains(|letter: char| letter.is_ascii_digit() || "/.@:_".contains(letter));
                    !value.trim().is_empty()
                        && !value.trim().contains(' ')
                        && (technical || BESIDE.iter().any(|end| low.ends_with(end)))
                })
            })
        };
        self.class == SecretClass::Password
            && self.begins_line()
            && secret_name::count(own) > 1
            && !FORMS.iter().any(|form| own.to_ascii_lowercase().contains(form))
            && (2..=4).contains(&rest.split_whitespace().count())
            && secret_strength::is_passphrase(rest)
            && rest
                .split_whitespace()
                .all(|word| word.chars().all(char::is_alphanumeric) && !secret_strength::is_prose(word))
            && rest.split_whitespace().skip(1).all(|word| !is_command(word))
            && (setting(scan::previous_line(self.text, self.name.start))
                || setting(scan::next_line(self.text, self.name.end)))
    }

    /// `DB_PASSWORD=two words` among other lines of an environment file. In a script a command would follow the first
    /// word.
    fn is_phrase_setting(&self, rest: &str) -> bool {
        let mut words = rest.split_whitespace();
        let first = words.next().unwrap_or_default();
        let upper = self.name().contains('_') && !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        let neighbour = |line: Option<Range<usize>>| {
            line.is_some_and(|line| {
                let line = self.of(&line).trim().trim_start_matches("- ");
                line.split_once('=').is_some_and(|(name, value)| {
                    !name.is_empty()
                        && !value.contains(' ')
                        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
                })
            })
        };
        matches!(self.class, SecretClass::Password | SecretClass::Secret)
            && upper
            && self.begins_line()
            && secret_strength::is_passphrase(rest)
            && secret_strength::fits(self.class, first)
            && words.clone().count() < MAX_WORDS
            && words.all(|word| !secret_strength::is_prose(word) && word.chars().all(char::is_alphanumeric))
            && rest.split_whitespace().skip(1).all(|word| !is_command(word))
            && (neighbour(scan::previous_line(self.text, self.name.start))
                || neighbour(scan::next_line(self.text, self.name.end)))
    }

    /// A token chosen by people, in a settings file: `api-key=pdns-Schmiede`.
    fn is_word_setting(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        let upper = !self.name().bytes().any(|byte| byte.is_ascii_lowercase());
        // `secretKey: resource-id` names a field.
        let field = self.name().to_ascii_lowercase().ends_with("key")
            && !upper
            && !(secret_name::is_chosen_key(self.name()) && self.name().contains(['_', '-']))
            && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if upper && self.is_chosen_key(range) {
            return true;
        }
        (upper || self.is_among_settings())
            && !field
            && !self.is_sentence(value)
            && secret_strength::secret_strength(value) >= Some(SecretStrength::Soft)
            && !is_secret_name(value)
            && !secret_strength::is_expression(value)
            && !secret_strength::is_path(value)
    }

    /// The end of a value among others.
    fn word(&self, rest: &str) -> usize {
        let connection = self.is_in_connection_string();
        let closes = match () {
            () if connection => "\"';",
            () if self.is_flag() => "\"'`;|<>",
            () => "\"'`;|<>,)}\\",
        };
        let spaced = connection && rest.split(';').next().is_some_and(|value| !value.contains(' '));
        // `Password=a b c;`
        let closed = connection && rest.split_once(';').is_some_and(|(value, _)| secret_strength::is_passphrase(value));
        let mut at = 0;
        while let Some(letter) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            let behind = rest.get(at + letter.len_utf8()..).unwrap_or_default();
            if letter == '&' && behind.starts_with("amp;") && !is_entity(behind) {
                at += "&amp;".len();
                continue;
            }
            let stops = match letter {
                '&' => {
                    !behind.starts_with(|next: char| next.is_alphanumeric())
                        || is_parameter(behind)
                        || is_entity(behind)
                }
                // `x\&y`: escaped for a shell.
                '\\' if behind
                    .starts_with(['&', '!', '$', '#', '*', '(', ')', ';', '|', '<', '>', '?', '~', ' ', '\'']) =>
                {
                    at += 1 + behind.chars().next().map_or(0, char::len_utf8);
                    continue;
                }
                // `[x]` as a whole, but not the bracket around the pair.
                ']' => !rest.starts_with('[') && !spaced,
                ' ' if closed => false,
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
            && [
                "jdbc:",
                "server=",
                "data source=",
                "host=",
                "uid=",
                "user id=",
                "database=",
                "driver=",
                "user=",
                "endpoint=",
            ]
            .iter()
            .any(|part| before.contains(part))
    }

    /// `name = value`, in a settings file or in code.
    fn spaced(&self, from: usize) -> Option<Range<usize>> {
        let range = self.to_comment(from);
        let rest = self.of(&range);
        // `[password] => value`, as PHP prints an array.
        let printed = self.before(1) == Some(b'[') && self.begins_line() && !rest.contains(' ');
        if printed {
            return Some(range).filter(|range| {
                self.fits(range)
                    || self.class == SecretClass::Token
                        && secret_strength::secret_strength(self.of(range)) >= Some(SecretStrength::Soft)
            });
        }
        let code = rest.ends_with([';', '{', '(', ','])
            || secret_strength::is_expression(rest)
            || rest.contains('(')
            || secret_strength::is_identifier(rest) && self.name().contains('.') && self.before_last_dot_is_object();
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

    /// `name: value`, in a settings file, a log, or a sentence.
    fn behind_colon(&self, from: usize) -> Option<Range<usize>> {
        let mut range = self.to_comment(from);
        let first = self.of(&range).split_whitespace().next()?;
        let bare = first.trim_end_matches([',', ';', ')']);
        if self.class == SecretClass::Token && !secret_strength::is_token(bare) {
            let alone = first.len() == self.of(&range).len() && self.begins_line();
            let range = from..from + bare.len();
            let alone = alone && bare.len() == first.len() && !secret_strength::is_identifier(bare);
            return Some(range).filter(|range| alone && self.is_among_settings() && self.is_word_setting(range));
        }
        // One at a time: many times faster than both at once.
        for quote in ['"', '`'] {
            range.end = self.of(&range).find(quote).map_or(range.end, |end| range.start + end);
        }
        // `-H 'name: value'`
        if self.before(1) == Some(b'\'') {
            range.end = self.of(&range).find('\'').map_or(range.end, |end| range.start + end);
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
        let message = !self.begins_line() && self.class == SecretClass::Secret;
        self.words(range)
            .filter(|range| !message || secret_strength::secret_strength(self.of(range)) >= Some(SecretStrength::Soft))
    }

    /// A note or a setting of one word that may end with a bracket.
    fn is_whole_line(&self, range: &Range<usize>) -> bool {
        self.begins_line()
            && !self.of(range).contains([' ', '{'])
            && range.end == line_end(self.text, range.end)
            && self.class == SecretClass::Password
            && !self.of(range).ends_with(',')
            && !self.of(range).ends_with(';')
    }

    /// Whether a type or an expression follows the colon.
    fn is_declared(&self, rest: &str) -> bool {
        let first = rest.split_whitespace().next().unwrap_or_default();
        let bare = first.trim_end_matches([',', ';', ')', '}']);
        let follows = rest.get(first.len()..).unwrap_or_default().trim_start();
        let flow =
            self.class == SecretClass::Password && bare.ends_with(char::is_alphanumeric) && self.is_in_flow_mapping();
        let listed = bare.len() < first.len()
            && !flow
            && (secret_strength::is_identifier(bare)
                && secret_strength::secret_strength(bare) < Some(SecretStrength::Strong)
                || secret_strength::is_expression(bare)
                || secret_strength::is_type(bare));
        rest.starts_with(['*', '&', ':', '(', '|', '>', '['])
            || listed
            || follows.starts_with('=')
            || bare.contains("::")
            || secret_strength::is_expression(bare)
                && (bare.contains(['(', '[', '<'])
                    || bare.len() < first.len()
                    || !follows.is_empty() && secret_strength::secret_strength(bare) < Some(SecretStrength::Chosen))
    }

    /// `- { name: bob, password: value }`
    fn is_in_flow_mapping(&self) -> bool {
        let before = self.of(&(line_start(self.text, self.name.start)..self.name.start)).trim_start();
        before.starts_with("- {") && !before.contains('}')
    }

    fn to_comment(&self, from: usize) -> Range<usize> {
        let line = self.of(&(from..line_end(self.text, from)));
        let line = line.find(" #").map_or(line, |comment| line.get(..comment).unwrap_or(line)).trim_end();
        from..from + line.len()
    }

    /// A single word is the value. Of several, the first if it is not an ordinary word, or all if it is clearly a
    /// setting.
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
        let settings = matches!(self.class, SecretClass::Password | SecretClass::Secret) && more < MAX_WORDS;
        let phrase = self.name().to_ascii_lowercase().ends_with("phrase") || self.name().ends_with("mnemonic");
        let plain = |rest: &str| {
            !rest.contains(['(', '{', '[', '<', '"', '\'', '|', '='])
                && (phrase || !rest.split_whitespace().any(secret_strength::is_prose))
        };
        let below_user =
            self.class == SecretClass::Password && secret_strength::is_passphrase(rest) && self.is_below_user_setting();
        if below_user && more < MAX_WORDS {
            return Some(range).filter(|range| self.fits(range));
        }
        if self.class == SecretClass::Password && self.begins_line() && plain(rest) && is_titled_phrase(rest) {
            return Some(range).filter(|range| self.fits(range));
        }
        let whole = secret_name::count(self.name()) > 1 || phrase;
        if settings && plain(rest) && whole && self.begins_line() {
            return Some(range).filter(|range| self.fits(range));
        }
        let end = first.trim_end_matches([',', ';', ')']).len();
        let one = start..start + end;
        let least = if self.class == SecretClass::Password { SecretStrength::Soft } else { SecretStrength::Chosen };
        let strong = secret_strength::secret_strength(self.of(&one)) >= Some(least)
            && (self.is_chosen(&one) || self.class != SecretClass::Password);
        (strong && self.fits(&one)).then_some(one)
    }
}

/// The end of a bracketed ODBC value: a bracket within it is doubled.
fn braced(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'}'), Some(b'}')) => at += 2,
            (Some(b'}'), _) => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// `abcd efgh ijkl mnop`: groups of equal length, as in app passwords.
fn is_grouped(value: &str) -> bool {
    let groups: Vec<&str> = value.split_whitespace().collect();
    groups.len() >= 4
        && groups.iter().all(|group| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && !groups.iter().any(|group| secret_strength::is_prose(group))
}

/// `Gato Preto Feliz 7`: capitalized words, and a number or a symbol at the end.
fn is_titled_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let (Some(last), true) = (words.last(), (3..=MAX_WORDS).contains(&words.len())) else { return false };
    let titled =
        |word: &&str| word.chars().next().is_some_and(char::is_uppercase) && word.chars().all(char::is_alphabetic);
    words.iter().take(words.len() - 1).all(titled)
        && last.chars().all(|letter| letter.is_alphanumeric() || letter == '!')
        && last.contains(|letter: char| letter.is_ascii_digit() || letter == '!')
}

/// Whether it is the name of a program: what precedes it sets a variable for it.
fn is_command(word: &str) -> bool {
    programs().of(word).next().is_some() || RUNNERS.contains(&word)
}

/// `quot;` behind the `&` of an HTML entity.
pub fn is_entity(behind: &str) -> bool {
    if behind.starts_with('#') {
        return true;
    }
    // `Rain&amp;Snow`: an `&` within the value, unless the next parameter follows.
    if let Some(rest) = behind.strip_prefix("amp;") {
        return is_parameter(rest) || !rest.starts_with(|next: char| next.is_alphanumeric());
    }
    let name = behind.bytes().take_while(u8::is_ascii_lowercase).count();
    (2..=6).contains(&name) && behind.as_bytes().get(name) == Some(&b';')
}

/// `name=` behind the `&` of a URL or a form.
fn is_parameter(behind: &str) -> bool {
    let name = behind.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_-.[]%".contains(letter));
    name.is_some_and(|end| behind.get(end..).is_some_and(|rest| rest.starts_with('=')))
}
