//! Lists with an announcement: recovery codes, and the seed words of a wallet.

use std::ops::Range;

use crate::placeholder::{is_label, is_secret_name};
use crate::scan::{self, line_end, line_start, next_line};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::vocabulary::words;

/// Lines of a list, and lines before it begins.
const MAX_LINES: usize = 40;
const MAX_BEFORE: usize = 3;

/// Seed words of a wallet: twelve to twenty-five, of three to eight letters.
const SEEDS: &[usize] = &[12, 15, 18, 21, 24, 25];

/// The codes behind `recovery codes:`, on this line or on the next ones.
pub fn codes(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let end = line_end(text, word.end);
    let start = line_start(text, word.start);
    let spaced = spaced_on_line(text, word.end..end);
    if !spaced.is_empty() {
        return spaced;
    }
    let same = on_line(text, word.end..end, false);
    if !same.is_empty() {
        return same;
    }
    // A sentence about codes announces nothing.
    let line = text.get(start..end).unwrap_or_default();
    if line.len() > 160 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = end;
    for number in 0..MAX_LINES {
        let Some(line) = next_line(text, at) else { break };
        at = line.end;
        let codes = on_line(text, line.clone(), true);
        let blank = text
            .get(line)
            .is_none_or(|line| line.trim().trim_matches(['-', '=', '*', '`', '─', '│', '|', '+']).is_empty());
        if codes.is_empty() && !blank && (!found.is_empty() || number >= MAX_BEFORE) {
            break;
        }
        found.extend(codes);
    }
    found
}

/// `…: 4821 9930, 1175 2064`: only codes of digit groups follow the last colon.
fn spaced_on_line(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    const BETWEEN: [char; 4] = [',', '、', ';', '/'];
    let content = text.get(line.clone()).unwrap_or_default();
    let digits_follow = |(at, letter): &(usize, char)| {
        let rest = content.get(at + letter.len_utf8()..).unwrap_or_default();
        [':', '：'].contains(letter) && rest.trim_start().starts_with(|first: char| first.is_ascii_digit())
    };
    let Some((at, colon)) = content.char_indices().find(digits_follow) else {
        return Vec::new();
    };
    // A sentence may follow.
    let end = content.get(at..).and_then(|rest| rest.find(". ")).map_or(line.end, |stop| line.start + at + stop);
    let mut from = line.start + at + colon.len_utf8();
    let mut found = Vec::new();
    for part in text.get(from..end).unwrap_or_default().split_inclusive(BETWEEN) {
        let code = scan::trimmed(text, from..from + part.trim_end_matches(BETWEEN).len());
        from += part.len();
        let groups: Vec<&str> = text.get(code.clone()).unwrap_or_default().split(' ').collect();
        let digits = |group: &&str| (3..=6).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit());
        if !(2..=6).contains(&groups.len()) || !groups.iter().all(digits) {
            return Vec::new();
        }
        found.push(code);
    }
    found
}

/// All of a line or nothing: a line of a list contains only codes and their numbers.
fn on_line(text: &str, line: Range<usize>, whole: bool) -> Vec<Range<usize>> {
    let content = text.get(line.clone()).unwrap_or_default();
    if whole && let Some(codes) = spaced_codes(content, line.start) {
        return codes;
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut others: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for word in content.split([' ', '\t', ',', '|', '│', ';', '/', '、', '"', '\'', '`', '[', ']']) {
        let at = line.start + start;
        start += word.len()
            + content.get(start + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let plain = word
            .trim_end_matches(['.', ')', ':', '*'])
            .trim_start_matches(['-', '*', '•', '·', '(', ':', '：', '☐', '✓', '□', '▢', '#']);
        let number = plain.len() <= 3 && plain.bytes().all(|byte| byte.is_ascii_digit());
        if plain.is_empty() || number {
            continue;
        }
        let offset = word.find(plain).unwrap_or(0);
        let range = at + offset..at + offset + plain.len();
        if is_code(plain) {
            found.push(range);
        } else if plain.len() >= 6 && plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            others.push(range);
        } else if whole
            && !["used", "usato", "benutzt", "✗", "x", "utilisé", "usado"]
                .contains(&plain.to_ascii_lowercase().as_str())
        {
            return Vec::new();
        }
    }
    // A code without a digit, among others of the same length.
    let length = found.first().map_or(0, Range::len);
    let (same, different): (Vec<_>, Vec<_>) = others.into_iter().partition(|other| other.len() == length);
    if whole && !different.is_empty() {
        return Vec::new();
    }
    if found.len() > 1 || whole && !found.is_empty() {
        found.extend(same);
    }
    found
}

/// `4829 1736`, `1. pxk2 3qaz   2. j9wc 4cj0`: groups of equal length, in one or more columns.
fn spaced_codes(line: &str, start: usize) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut at = start;
    for column in line.split("  ") {
        let from = at;
        at += column.len() + 2;
        let bullets = |letter: char| letter.is_whitespace() || "-*•·☐✓□▢|".contains(letter);
        let code = column.trim_start_matches(bullets).trim_end_matches(bullets);
        let code = code.split_once(['.', ')', ':']).map_or(code, |(number, rest)| {
            if number.len() <= 3 && number.bytes().all(|byte| byte.is_ascii_digit()) { rest.trim_start() } else { code }
        });
        if code.is_empty() {
            continue;
        }
        let groups: Vec<&str> = code.split(' ').collect();
        let length = groups.first()?.len();
        let alphabet = |group: &&str| {
            group.len() == length
                && (group.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
                    || group.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()))
        };
        let digits = code.bytes().any(|byte| byte.is_ascii_digit());
        if !((2..=6).contains(&groups.len()) && (3..=6).contains(&length) && digits && groups.iter().all(alphabet)) {
            return None;
        }
        let place = from + column.find(code)?;
        found.push(place..place + code.len());
    }
    (!found.is_empty()).then_some(found)
}

/// `7177-5732`, `a7c79-f113b`, `79d60df9930ce550`, `ABCD EFGH`: short, with a digit, nothing else.
fn is_code(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let alphabet = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    alphabet
        && (digits > 0 || is_drawn(&groups))
        && (6..=48).contains(&word.len())
        && (groups.len() == 1 || groups.iter().all(|group| (3..=10).contains(&group.len())))
        && !is_date(word)
        && !secret_strength::is_ordinary_word(word)
}

/// `kzvw-pqrx-mtnb`: groups of the same length, most of them unlike a word.
fn is_drawn(groups: &[&str]) -> bool {
    let length = groups.first().map_or(0, |group| group.len());
    let small = |group: &&str| group.bytes().all(|byte| byte.is_ascii_lowercase());
    let capital = |group: &&str| group.bytes().all(|byte| byte.is_ascii_uppercase());
    let odd = |group: &&&str| {
        let mut runs = group.split(|letter| "aeiouyAEIOUY".contains(letter));
        runs.any(|run| run.len() >= 3)
    };
    groups.len() > 1
        && (4..=8).contains(&length)
        && groups.iter().all(|group| group.len() == length)
        && (groups.iter().all(small) || groups.iter().all(capital))
        && 2 * groups.iter().filter(odd).count() >= groups.len()
}

/// `2024-11-02`
fn is_date(word: &str) -> bool {
    let mut parts = word.split('-').map(str::len);
    word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        && (parts.next(), parts.next(), parts.next()) == (Some(4), Some(2), Some(2))
}

/// The words behind `seed phrase:`, on this line or on the next ones, perhaps numbered.
pub fn seeds(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let mut line = word.end..line_end(text, word.end);
    for _ in 0..=MAX_BEFORE {
        let colon = text.get(line.clone()).and_then(|rest| rest.rfind(": ")).map(|at| line.start + at + 2);
        if let Some(found) = phrase(text, line.start).or_else(|| phrase(text, colon?)) {
            return Some(found);
        }
        line = next_line(text, line.end)?;
    }
    None
}

/// A run of short lower-case words, as many as a wallet has.
fn phrase(text: &str, from: usize) -> Option<Range<usize>> {
    const REACH: usize = 600;
    let rest = text.get(from..text.floor_char_boundary(from.saturating_add(REACH)))?;
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for word in rest.split_inclusive(|letter: char| letter.is_whitespace() || ",\"'`".contains(letter)) {
        let at = from + start;
        start += word.len();
        let plain = word.trim_matches(|letter: char| letter.is_whitespace() || ",\"'`.;:=-)(".contains(letter));
        let number = plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b')');
        if plain.is_empty() || number {
            continue;
        }
        let is_word = (3..=8).contains(&plain.len()) && plain.bytes().all(|byte| byte.is_ascii_lowercase());
        if !is_word {
            if !words.is_empty() {
                break;
            }
            continue;
        }
        let offset = word.find(plain)?;
        words.push(at + offset..at + offset + plain.len());
        if words.len() > 25 {
            return None;
        }
    }
    let prose = words.iter().filter(|word| text.get((*word).clone()).is_some_and(secret_strength::is_prose)).count();
    let found = words.first()?.start..words.last()?.end;
    (SEEDS.contains(&words.len()) && prose * 6 <= words.len()).then(|| scan::trimmed(text, found))
}

/// Values of one list.
const MAX_VALUES: usize = 32;

/// Each value of `KEYS=a,b`, `keys = ['a', 'b']`, and of the lines `- a` below `keys:`. A list of names has no
/// generated value.
pub fn values(text: &str, name: Range<usize>, class: SecretClass) -> Vec<Range<usize>> {
    let Some(open) = opening(text, name.end) else { return Vec::new() };
    let end = line_end(text, open);
    let line = text.get(open..end).unwrap_or_default();
    let bracket = line.starts_with(['[', '(', '{']);
    let found = if line.trim().is_empty() || bracket && !line.contains([']', ')', '}']) {
        on_lines(text, end, bracket)
    } else {
        on_one_line(line, open)
    };
    let fits = |range: &Range<usize>| {
        let value = text.get(range.clone()).unwrap_or_default();
        let chosen = secret_strength::secret_strength(value) >= Some(SecretStrength::Chosen)
            && secret_strength::fits(SecretClass::Password, value);
        let quoted = range.start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        let quoted = quoted.is_some_and(|byte| b"\"'`".contains(byte));
        secret_strength::fits(SecretClass::Random, value)
            || class == SecretClass::Password
                && chosen
                && !value.contains([':', '='])
                && (quoted || !value.contains(' '))
    };
    // In a list of secrets all values look like one; in a list of their names, single ones may.
    if found.iter().all(fits) { found } else { Vec::new() }
}

/// `secret: ['new', 'old']`: several values of a singular name, all literals.
pub fn literals(text: &str, name: Range<usize>, class: SecretClass) -> Vec<Range<usize>> {
    let Some(open) = opening(text, name.end) else { return Vec::new() };
    let line = text.get(open..line_end(text, open)).unwrap_or_default();
    let literal = line.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['"', '\'', '`']));
    if !literal {
        return Vec::new();
    }
    match values(text, name, SecretClass::Password) {
        found if found.is_empty() && class == SecretClass::Secret => chosen_literals(text, open),
        found => found,
    }
}

/// Bytes before `keys` that are searched for the function or object that takes them.
const MAX_CALL: usize = 160;

/// `cookieSession({ keys: ['new', 'old'] })`, `app.keys = ['new', 'old']`: keys that sign cookies.
pub fn cookie_keys(text: &str, name: Range<usize>) -> Vec<Range<usize>> {
    let own = text.get(name.clone()).unwrap_or_default();
    let from = text.ceil_char_boundary(name.start.saturating_sub(MAX_CALL));
    let before = text.get(from..name.start).unwrap_or_default().to_ascii_lowercase();
    let call = before.rfind("session(").filter(|at| !before.get(*at..).is_some_and(|rest| rest.contains(')')));
    let takes = own == "app.keys" || own == "keys" && call.is_some();
    match opening(text, name.end) {
        Some(open) if takes => chosen_literals(text, open),
        _ => Vec::new(),
    }
}

/// The literals of a list, if all were chosen by people: joined words, or several.
fn chosen_literals(text: &str, open: usize) -> Vec<Range<usize>> {
    let end = line_end(text, open);
    let line = text.get(open..end).unwrap_or_default();
    if !line.starts_with('[') {
        return Vec::new();
    }
    let found = if line.contains(']') { on_one_line(line, open) } else { on_lines(text, end, true) };
    let fits = |range: &Range<usize>| {
        let value = text.get(range.clone()).unwrap_or_default();
        let quote = |at: Option<usize>| {
            at.and_then(|at| text.as_bytes().get(at)).copied().filter(|byte| b"\"'`".contains(byte))
        };
        let quoted = quote(range.start.checked_sub(1)).is_some_and(|open| quote(Some(range.end)) == Some(open));
        let chosen = secret_strength::secret_strength(value) >= Some(SecretStrength::Soft)
            || secret_strength::is_passphrase(value);
        quoted && chosen && !is_label(value) && !is_secret_name(value)
    };
    if found.iter().all(fits) { found } else { Vec::new() }
}

/// Headers of sections that contain only secrets.
pub const SECTIONS: &[&str] = &["[secrets]", "[credentials]", "[passwords]", "[tokens]", "[secrets.", "[api_keys]"];

/// Settings in such a section that describe how secrets are stored.
const NO_SECRETS: &[&str] = &[
    "backend",
    "path",
    "provider",
    "hasher",
    "type",
    "engine",
    "helper",
    "issuer",
    "store",
    "file",
    "url",
    "user",
    "username",
    "host",
    "region",
    "name",
    "algorithm",
    "mount",
    "namespace",
    "audience",
];

/// `name = "value"` below `[secrets]`, up to the next section.
pub fn section(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if line_start(text, word.start) != word.start {
        return found;
    }
    let mut at = line_end(text, word.end);
    for _ in 0..MAX_LINES {
        let Some(line) = next_line(text, at) else { break };
        at = line.end;
        let content = text.get(line.clone()).unwrap_or_default();
        if content.trim_start().starts_with('[') {
            break;
        }
        let Some((name, value)) = content.split_once('=') else { continue };
        if NO_SECRETS.contains(&name.trim()) {
            continue;
        }
        let Some(range) = scan::quoted(text, line.end - value.trim_start().len()) else { continue };
        let value = text.get(range.clone()).unwrap_or_default();
        if secret_strength::secret_strength(value) >= Some(SecretStrength::Soft)
            && !is_label(value)
            && !is_secret_name(value)
        {
            found.push(range);
        }
    }
    found
}

/// Beginnings of a map of users.
pub const LOGINS: &[&str] = &[
    "users: {",
    "users:{",
    "users\": {",
    "users\":{",
    "users\" : {",
    "users' => [",
    "users={",
    "users = {",
    "users: '{",
    "users='{",
    "users=\"{",
    "users: \"{",
];

/// Entries of one map of users.
const MAX_USERS: usize = 16;

/// `users: { 'admin': 'value', kim: 'value' }` of a server with basic authentication. `word` is the name up to the
/// bracket.
pub fn logins(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let from = text.ceil_char_boundary(word.start.saturating_sub(MAX_CALL));
    let before = text.get(from..word.end).unwrap_or_default().to_ascii_lowercase().replace('_', "");
    if !before.contains("auth") && !before.contains("registeredusers") && !before.contains("credentials") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = word.end;
    for _ in 0..MAX_USERS {
        let rest = text.get(at..text.floor_char_boundary(at.saturating_add(MAX_CALL))).unwrap_or_default();
        let entry = rest.trim_start_matches([' ', '\n', '\r', '\t', ',']);
        let name = entry.trim_start_matches(['"', '\'', '\\']);
        let end =
            name.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_.-@".contains(letter)).unwrap_or(name.len());
        let behind = name.get(end..).unwrap_or_default().trim_start_matches(['"', '\'', '\\']).trim_start();
        let Some(value) = behind.strip_prefix("=>").or_else(|| behind.strip_prefix(':')).filter(|_| end > 0) else {
            break;
        };
        let Some(range) = scan::quoted(text, at + rest.len() - value.trim_start().len()) else { break };
        at = range.end + 1 + usize::from(text.as_bytes().get(range.end) == Some(&b'\\'));
        let password = text.get(range.clone()).unwrap_or_default();
        // A map of roles.
        if words().roles.contains(password.to_ascii_lowercase().as_str()) {
            return Vec::new();
        }
        if secret_strength::fits(SecretClass::Password, password)
            && !password.contains(' ')
            && !secret_strength::is_prose(password)
        {
            found.push(range);
        }
    }
    found
}

fn on_lines(text: &str, end: usize, bracket: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = end;
    while found.len() < MAX_VALUES
        && let Some(next) = next_line(text, at)
    {
        let line = text.get(next.clone()).unwrap_or_default();
        let item = line.trim().strip_prefix("- ").unwrap_or(if bracket { line.trim() } else { "" });
        let inner = item.trim().trim_end_matches(',').trim_matches(['"', '\'']);
        if inner.is_empty() || inner.starts_with([']', ')', '}']) {
            break;
        }
        let start = next.start + line.find(inner).unwrap_or(0);
        found.push(start..start + inner.len());
        at = next.end;
    }
    found
}

fn on_one_line(line: &str, start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = start;
    let bracket = line.starts_with('[');
    for part in line.split(',').take(MAX_VALUES) {
        let closes = bracket && part.trim_end_matches([' ', '}', ')', ';']).ends_with(']');
        let inner = part.trim_matches([' ', '"', '\'', '[', ']', '(', ')', '{', '}', ';']);
        let start = at + part.find(inner).unwrap_or(0);
        if !inner.is_empty() {
            found.push(start..start + inner.len());
        }
        at += part.len() + 1;
        if closes {
            break;
        }
    }
    found
}

/// The offset behind the operator.
fn opening(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..line_end(text, end))?;
    let behind = rest.trim_start_matches(['"', '\'', ']', ' ', '\t']);
    let value = ["=>", ":=", "=", ":"].iter().find_map(|operator| behind.strip_prefix(operator))?.trim_start();
    Some(end + rest.len() - value.len())
}
/// Pieces of one string.
const MAX_PIECES: usize = 6;

/// `"first" + "second"`, `"first" \\` above `"second"`: the other pieces of a string whose first piece was found.
pub fn continued(text: &str, first: &Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut end = first.end;
    let Some(quote) = text.as_bytes().get(end).copied().filter(|byte| b"\"'".contains(byte)) else { return pieces };
    for _ in 0..MAX_PIECES {
        let rest = text.get(end + 1..).unwrap_or_default();
        let next = rest.trim_start_matches([' ', '\t', '\r', '\n', '\\', '+', '.', '&', '_']);
        let joint = rest.get(..rest.len() - next.len()).unwrap_or_default();
        let joins = joint.len() < MAX_JOINT
            && (joint.contains(['+', '\\', '\n']) || joint == " . " || joint == " & ")
            && joint.matches('\n').count() <= 1;
        let start = end + 1 + joint.len();
        if !joins || text.as_bytes().get(start) != Some(&quote) {
            break;
        }
        let Some(piece) = scan::quoted(text, start) else { break };
        let value = text.get(piece.clone()).unwrap_or_default();
        // The name of the next pair.
        let key = text.get(piece.end + 1..).is_some_and(|rest| rest.trim_start().starts_with([':', '=']));
        if value.is_empty() || value.contains(' ') || key {
            break;
        }
        end = piece.end;
        pieces.push(piece);
    }
    pieces
}

/// Bytes between two pieces.
const MAX_JOINT: usize = 24;
