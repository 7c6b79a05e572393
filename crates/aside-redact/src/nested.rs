//! Secrets on another line or in another field than their name: block scalars, `name`/`value` pairs, nested elements, a
//! value on a line of its own.

use std::ops::Range;

use crate::key_value::NamedSecret;
use crate::placeholder::{is_label, is_placeholder};
use crate::scan::{self, line_end, line_start, next_line};
use crate::secret_strength::{self, SecretClass, SecretStrength};

/// Bytes behind a name within which its value may be in another field.
const REACH: usize = 400;

/// Bytes of a line that announces the next one.
const MAX_ANNOUNCEMENT: usize = 600;

/// Lines of a block, and blank lines before a value.
const MAX_LINES: usize = 100;
const MAX_BLANK: usize = 2;

/// Fields that hold the name of another field's value.
const NAMES: &[&str] = &[
    "name",
    "key",
    "id",
    "parameterkey",
    "variable",
    "field",
    "env",
    "header",
    "property",
    "option",
    "parameter",
    "setting",
    "attribute",
    "k",
    "secretname",
    "envvar",
    "n",
    "android:name",
];

/// Fields that hold the value for the name beside them.
const VALUES: &[&str] = &[
    "value",
    "parametervalue",
    "default",
    "content",
    "val",
    "secret",
    "data",
    "plaintext",
    "string",
    "text",
    "result",
    "defaultvalue",
    "v",
    "stringvalue",
    "plaintextvalue",
    "android:value",
    "password",
    "plain",
    "secretstring",
    "cleartext",
    "raw",
    "answer",
    "current",
    "initial",
];

pub fn value(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    block(reader)
        .or_else(|| pair(reader))
        .or_else(|| inner(reader))
        .or_else(|| item(reader))
        .or_else(|| assigned_below(reader))
        .or_else(|| alone(reader))
        .or_else(|| answer(reader))
}

/// `- --password` above `- value`: the arguments of a container.
fn item(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let own = line_start(reader.text, reader.name.start)..line_end(reader.text, reader.name.end);
    let dash = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        line.trim_start().starts_with("- ").then_some(indent)
    };
    let indent = dash(reader.of(&own))?;
    let ends = reader.of(&(reader.name.end..own.end)).trim_matches(['"', '\'', ' ']).is_empty();
    let next = next_line(reader.text, own.end)?;
    if !reader.is_flag() || !ends || dash(reader.of(&next))? != indent {
        return None;
    }
    let item = scan::trimmed(reader.text, next.start + indent + 2..next.end);
    let item = scan::quoted(reader.text, item.start).unwrap_or(item);
    let value = reader.of(&item);
    let one = !value.contains(' ') || reader.class == SecretClass::Password && secret_strength::is_passphrase(value);
    (!value.starts_with('-') && one && reader.fits(&item)).then_some(item)
}

/// `my $pass =` above `'value';`: the statement continues with a string.
fn assigned_below(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let end = line_end(reader.text, reader.name.end);
    let rest = reader.of(&(reader.name.end..end)).trim_start_matches(['"', '\'', ']', ')']).trim();
    let operator = rest.trim_end_matches('\\').trim_end();
    if !["=", ":", "=>", ":=", "=(", "= ("].contains(&operator) {
        return None;
    }
    let next = next_line(reader.text, end)?;
    let from = scan::blank(reader.text, next.start);
    let range = scan::quoted(reader.text, from)?;
    let behind = reader.of(&(range.end + 1..next.end.max(range.end + 1))).trim();
    let ends = behind.trim_matches([';', ',', ')', '.', '+', '\\', ' ']).is_empty();
    let value = reader.of(&range);
    let one = !value.contains(' ') || reader.class == SecretClass::Password && secret_strength::is_passphrase(value);
    (ends && one && !is_label(value) && reader.fits(&range)).then_some(range)
}

fn is_field(name: &str, fields: &[&str]) -> bool {
    let low = name.trim_matches(['"', '\'', ' ', '\\', '-', '$', '_']).to_ascii_lowercase();
    fields.contains(&low.as_str())
}

/// `password: |` and the more deeply indented lines.
fn block(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let end = line_end(reader.text, reader.name.end);
    let rest = reader.of(&(reader.name.end..end)).trim_start_matches(['"', '\'']).trim();
    let marker = rest.strip_prefix(':')?.trim();
    let marks = marker.strip_prefix('|').or_else(|| marker.strip_prefix('>'))?;
    if !marks.trim_matches(['+', '-', ' ']).bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let start = line_start(reader.text, reader.name.start);
    let outer = indent(reader.of(&(start..end)));
    let mut found: Option<Range<usize>> = None;
    let mut at = end;
    for _ in 0..MAX_LINES {
        let Some(line) = next_line(reader.text, at) else { break };
        let content = reader.of(&line);
        if !content.trim().is_empty() {
            if indent(content) <= outer {
                break;
            }
            let trimmed = scan::trimmed(reader.text, line.clone());
            found = Some(found.map_or(trimmed.clone(), |found| found.start..trimmed.end));
        }
        at = line.end;
    }
    let body = reader.of(found.as_ref()?);
    let public = body.starts_with("-----BEGIN") && !body.contains("PRIVATE") || is_placeholder(body);
    found.filter(|_| !public)
}

/// `name: PASSWORD` and `value: …` beside it; `<key>Password</key><string>…`
fn pair(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    if let Some(range) = attribute(reader) {
        return Some(range);
    }
    let before = reader.of(&(line_start(reader.text, reader.name.start)..reader.name.start));
    let before = before.trim_end_matches(['"', '\'', ' ', '\\']);
    let (field, close) = if let Some(before) = before.strip_suffix([':', '=']) {
        (
            before
                .trim_end_matches(['"', '\'', ' ', '\\'])
                .rsplit(['{', ',', ' ', '"', '\'', '<', '\t', '(', '\\'])
                .next()?,
            "",
        )
    } else {
        // `<key>Password</key>`
        let tag = before.strip_suffix('>')?.rsplit('<').next()?;
        (tag.split(' ').next()?, "</")
    };
    if !is_field(field, NAMES) || !close.is_empty() && !reader.text.get(reader.name.end..)?.starts_with(close) {
        return None;
    }
    let from = reader.name.end;
    let limit = reader.text.floor_char_boundary(from.saturating_add(REACH));
    field_value(reader, from..limit, field)
}

/// `<property name="password" value="…"/>`, `<string name="password">…</string>`
fn attribute(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let start = line_start(reader.text, reader.name.start);
    let before = reader.of(&(start..reader.name.start));
    let open = before.rfind('<')?;
    let tag = before.get(open..)?;
    let end = line_end(reader.text, reader.name.end);
    let rest = reader.of(&(reader.name.end..end));
    let close = rest.find('>')?;
    if !tag.contains('=') || tag.contains('>') || rest.get(..close)?.ends_with('/') {
        return None;
    }
    let element = tag.get(1..)?.split([' ', '\t']).next()?.to_ascii_lowercase();
    // A label or an input of a form has no value between its tags.
    if [
        "label", "input", "a", "div", "span", "button", "option", "form", "img", "td", "p", "h1", "h2", "h3", "li",
        "link", "script",
    ]
    .contains(&element.as_str())
    {
        return None;
    }
    let from = reader.name.end + close + 1;
    let value = reader.bytes.get(from..end)?.iter().position(|byte| *byte == b'<')?;
    Some(scan::trimmed(reader.text, from..from + value))
        .filter(|range| reader.fits(range) && !is_label(reader.of(range)))
}

/// The first value field in `range`, before the next field called `again`.
fn field_value(reader: &NamedSecret<'_>, range: Range<usize>, again: &str) -> Option<Range<usize>> {
    let text = reader.text.get(range.clone())?;
    let again = again.to_ascii_lowercase();
    let mut start = None;
    for (at, byte) in text.bytes().enumerate() {
        let of_name = byte.is_ascii_alphanumeric()
            || byte == b':' && start.is_some() && text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_alphabetic)
            || byte == b'_';
        match (of_name, start) {
            (true, None) => start = Some(at),
            (true, Some(_)) => {}
            (false, Some(from)) => {
                start = None;
                let word = text.get(from..at)?.to_ascii_lowercase();
                let rest = text.get(at..)?.trim_start_matches(['"', '\'', '\\', ' ']);
                let begins_tag = from > 0 && text.as_bytes().get(from - 1) == Some(&b'<');
                let is_key = rest.starts_with([':', '=']) || begins_tag && byte != b'/';
                if !is_key {
                    continue;
                }
                // The next pair begins.
                if word == again || ["name", "key"].contains(&word.as_str()) {
                    return None;
                }
                if VALUES.contains(&word.as_str()) || begins_tag && ["string", "value"].contains(&word.as_str()) {
                    let behind = if begins_tag {
                        range.start + at + text.get(at..)?.find('>')? + 1
                    } else {
                        range.start + text.len() - rest.len() + 1
                    };
                    return field_literal(reader, behind, begins_tag);
                }
            }
            (false, None) => {
                // Leaves the object that contains the name.
                if byte == b'}' {
                    return None;
                }
            }
        }
    }
    None
}

fn field_literal(reader: &NamedSecret<'_>, at: usize, element: bool) -> Option<Range<usize>> {
    let from = scan::blank(reader.text, at);
    let range = if element {
        let end = from + reader.text.get(from..line_end(reader.text, from))?.find('<')?;
        from..end
    } else {
        match scan::quoted(reader.text, from) {
            Some(range) => range,
            None => {
                let line = reader.of(&(from..line_end(reader.text, from)));
                let line = line.find(" #").map_or(line, |comment| line.get(..comment).unwrap_or(line)).trim_end();
                let end = if line.contains(['}', ',']) { line.find([',', '}', ' '])? } else { line.len() };
                from..from + end
            }
        }
    };
    let value = reader.of(&range);
    let quoted = reader.byte(from).is_some_and(|byte| b"\"'`".contains(&byte));
    let code = !quoted && !element && (secret_strength::is_expression(value) || value.contains('('));
    let other = code
        || value.starts_with(['$', '{', '[', '!', '|', '>', '*', '&', '('])
        || value.split_whitespace().count() > 4
        || is_label(value);
    (!other && !range.is_empty() && reader.fits(&range)).then_some(range)
}

/// `"adminPassword": {"value": "…"}`, `variable "db_password" { default = "…" }`, `<Password><Value>…`, `password:` above `value: …`
fn inner(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let rest =
        reader.text.get(reader.name.end..reader.text.floor_char_boundary(reader.name.end.saturating_add(REACH)))?;
    let head = rest.trim_start_matches(['"', '\'', ' ', ':', '=', '>', '\\', '\r']);
    // `{{ lookup(…) }}` is a template.
    let opens = head.starts_with('{') && !head.starts_with("{{")
        || head.starts_with('\n') && rest.len() - head.len() <= 6
        || head.starts_with('<') && reader.before(1) == Some(b'<');
    if !opens || !matches!(reader.before(1), Some(b'"' | b'\'' | b'<' | b' ' | b'\t' | b'\n') | None) {
        return None;
    }
    let behind = head.trim_start_matches(['{', '\n', '\r', ' ', '\t', '"', '\'']);
    let from = reader.name.end + rest.len() - behind.len();
    // The first fields of the nested object, on at most six lines.
    let limit = behind.match_indices('\n').nth(5).map_or(behind.len(), |(end, _)| end);
    let close = behind.get(..limit)?.find(['}']).unwrap_or(limit);
    let element = head.starts_with('<');
    let block = if element { from.checked_sub(1)?..from + limit } else { from..from + close };
    // In YAML only more deeply indented lines belong to the name.
    if head.starts_with('\n') && !is_further_in(reader, from) {
        return None;
    }
    field_value(reader, block, "\n")
}

fn is_further_in(reader: &NamedSecret<'_>, from: usize) -> bool {
    let indent = |at: usize| {
        let start = line_start(reader.text, at);
        scan::blank(reader.text, start) - start
    };
    indent(from) > indent(reader.name.start)
}

/// The next line that is not blank is one word, and this line announces it.
fn alone(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let end = line_end(reader.text, reader.name.end);
    let rest = reader.of(&(reader.name.end..end)).trim_end();
    let start = line_start(reader.text, reader.name.start);
    // A longer line is no announcement.
    if end - start > MAX_ANNOUNCEMENT {
        return None;
    }
    let line = reader.of(&(start..end)).to_ascii_lowercase();
    let innocent = [
        "pubkey",
        "public",
        "fingerprint",
        "sha256sum",
        "sha1",
        "md5",
        "checksum",
        "digest",
        "commit",
        "rev-parse",
        "secret create",
        "secret ls",
        "hash",
        "uuid",
        "select ",
        "grep ",
    ];
    if innocent.iter().any(|word| line.contains(word)) {
        return None;
    }
    // A name at the end of a line of base64 or of a path announces nothing.
    let joined = !reader
        .before(1)
        .is_none_or(|byte| byte.is_ascii_whitespace() || byte >= 0x80 || b"\"'(-*#[.=".contains(&byte));
    let colon = rest.ends_with([':', '：']);
    let announces = colon || rest.is_empty() && line.len() < 40;
    let prompt =
        |line: &str| ["$ ", "# ", "> ", "% ", "❯ ", "➜ ", "+ ", "++ "].iter().any(|prompt| line.starts_with(prompt));
    let command = prompt(line.trim_start())
        || ["$ ", "# ", "% "].iter().any(|prompt| line.contains(prompt)) && line.contains('@')
        || line.contains("c:\\")
        || line.contains(" && echo")
        || line.contains("base64 -d");
    let shows = command
        && ["cat ", "type ", "get-content ", "gc ", "bat ", "more ", "less ", "head "]
            .iter()
            .any(|show| line.contains(show));
    if joined && !command {
        return None;
    }
    let mut at = end;
    for _ in 0..=MAX_BLANK {
        let next = next_line(reader.text, at)?;
        let content = reader.of(&next).trim_matches([' ', '\t', '>', '|', '│', '*', '"', '\'', '`', '┃', '║']);
        at = next.end;
        // zsh marks output without a final newline with `%`.
        let content = if shows { content.trim_end_matches('%') } else { content };
        if content.is_empty() {
            continue;
        }
        let offset = reader.of(&next).find(content)?;
        let range = next.start + offset..next.start + offset + content.len();
        let strength = secret_strength::secret_strength(content);
        let made = secret_strength::is_token(content) && content.len() >= 12 && !secret_strength::is_ordinary(content)
            || strength >= Some(SecretStrength::Strong) && content.len() >= 8;
        let decodes = line.contains("base64 -d") || line.contains("base64 --d");
        let enough = match () {
            () if content.contains(char::is_whitespace) => false,
            () if decodes => strength >= Some(SecretStrength::Soft) && content.len() >= 6,
            () if colon && reader.class == SecretClass::Password && rest.trim_end_matches([':', '：']).is_empty() => {
                strength >= Some(SecretStrength::Chosen) || is_grouped(content)
            }
            () if shows && strength >= Some(SecretStrength::Chosen) && content.len() >= 6 => true,
            () if announces || command => made || is_grouped(content),
            () => false,
        };
        let other = content.ends_with([':', '{', '(', ',', ';', '$', '#', '%', '='])
            || is_label(content)
            || secret_strength::is_expression(content) && !(shows && secret_strength::is_random(content))
            || content.starts_with(['-', '<', '/', '{', '[', '@', '}', '!', '.', '&', '=', '#', '\\'])
            || content.contains("://")
            || is_constant(content)
            || is_uuid(content)
            || is_assignment(content);
        return (enough && !other).then_some(range);
    }
    None
}

/// A UUID that a program prints behind a password prompt is more likely an id.
fn is_uuid(value: &str) -> bool {
    let groups: Vec<&str> = value.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The output of a command that prints secrets: one word on the next line.
pub fn printed(text: &str, command: Range<usize>) -> Option<Range<usize>> {
    let line = text.get(line_start(text, command.start)..command.start)?.trim_start();
    let next = next_line(text, command.end)?;
    let range = scan::trimmed(text, next);
    let content = text.get(range.clone())?;
    let first = line.chars().next();
    // At a prompt, or at the beginning of a line.
    let typed = first.is_none_or(|first| "$#>%❯➜+".contains(first))
        || line.contains(['$', '#', '>', '%'])
        || !line.contains(' ');
    let one = !content.contains(char::is_whitespace) && content.len() >= 6;
    let strength = secret_strength::secret_strength(content);
    let secret = strength >= Some(SecretStrength::Soft)
        || secret_strength::is_token(content) && !secret_strength::is_path(content);
    let other = content.ends_with([':', '{', '$', '#', '%'])
        || content.starts_with(['-', '{', '[', '/', '.'])
        || content.contains("://")
        || is_constant(content);
    (typed && one && secret && !other && !is_label(content)).then_some(range)
}

/// `PORT=5432`: the next setting.
fn is_assignment(value: &str) -> bool {
    value.split_once('=').is_some_and(|(name, value)| {
        !value.is_empty()
            && !value.starts_with('=')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
    })
}

/// `AARCH64_SIGN_LINK`
fn is_constant(value: &str) -> bool {
    value.contains('_') && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// `283866-359821-…`: groups of digits, as in recovery keys.
fn is_grouped(value: &str) -> bool {
    let groups: Vec<&str> = value.split('-').collect();
    groups.len() >= 4
        && groups.iter().all(|group| group.len() >= 4 && group.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// A question about a password, and a reply on one of the next lines that contains a word like one.
fn answer(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let end = line_end(reader.text, reader.name.end);
    let rest = reader.of(&(reader.name.end..end)).trim_end();
    if reader.class != SecretClass::Password || !rest.ends_with(['?', '？']) {
        return None;
    }
    let mut at = end;
    for _ in 0..2 {
        let next = next_line(reader.text, at)?;
        at = next.end;
        let line = reader.of(&next);
        for word in line.split([' ', '\t', ',', '，', '。']) {
            let plain = word.trim_matches(['"', '\'', '`', '(', ')', ';', ':', '.', '*']);
            let strong = plain.len() >= 6
                && secret_strength::secret_strength(plain) == Some(SecretStrength::Strong)
                && !is_label(plain);
            // `it's still Gimli-son-of-Gloin`
            let said = ["it's", "its", "is", "still", "c'est", "ist", "es"];
            let before = line.split(plain).next().unwrap_or_default().split_whitespace().next_back();
            let chosen = (plain.len() >= 8 && secret_strength::secret_strength(plain) >= Some(SecretStrength::Soft)
                || plain.len() >= 6 && secret_strength::secret_strength(plain) >= Some(SecretStrength::Chosen))
                && !is_label(plain)
                && before.is_some_and(|before| said.contains(&before.to_ascii_lowercase().as_str()));
            if chosen
                || strong
                    && plain.contains(['!', '@', '#', '$', '%', '&', '*', '_', '-', '.'])
                        | plain.chars().any(char::is_uppercase)
            {
                let offset = line.find(plain)?;
                return Some(next.start + offset..next.start + offset + plain.len());
            }
        }
    }
    None
}
