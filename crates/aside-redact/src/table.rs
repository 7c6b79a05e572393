//! Secrets in a table column whose header names it: Markdown, CSV, the output of a database, columns separated by
//! blanks; and the values of an `INSERT`.

use std::ops::Range;

use crate::key_value::NamedSecret;
use crate::placeholder::is_label;
use crate::scan::{self, line_end, line_start, next_line};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::sentence_context::is_pin;
use crate::vocabulary::words;
use crate::{classifier, secret_name};

/// Rows of one table.
const MAX_ROWS: usize = 200;

/// Bytes of one row; a longer one is not a table.
const MAX_ROW: usize = 1000;

/// Words of a header cell: `Initial password`.
const MAX_WORDS: usize = 4;

/// The cells below the name, and the end of the table.
pub fn cells(reader: &NamedSecret<'_>) -> Option<(Vec<Range<usize>>, usize)> {
    if reader.class == SecretClass::Random {
        return None;
    }
    let head = line_start(reader.text, reader.name.start)..line_end(reader.text, reader.name.end);
    if head.len() > MAX_ROW {
        return None;
    }
    let next = next_line(reader.text, head.end)?;
    let split = Split::of(reader.of(&head), reader.name.start - head.start)?;
    let columns = split.cells(reader.text, &head);
    let column = columns.iter().position(|cell| cell.start <= reader.name.start && reader.name.end <= cell.end)?;
    let cell = columns.get(column)?;
    let filled = |cells: &[Range<usize>]| cells.iter().filter(|cell| !cell.is_empty()).count();
    if filled(&columns) < 2 || !is_title(reader, cell) || split.is_loose() && is_code(reader.of(&head)) {
        return None;
    }
    // `RuleID:   generic-api-key` is a field and its value.
    let record = split.is_loose() && columns.first().is_some_and(|cell| reader.of(cell).ends_with(':'));
    if record || columns.iter().any(|cell| is_data(reader.of(cell))) {
        return None;
    }
    // A data row is not a header.
    let above = scan::previous_line(reader.text, head.start);
    if above.is_some_and(|above| {
        above.len() <= MAX_ROW
            && !is_rule(reader.of(&above))
            && filled(&split.cells(reader.text, &above)) + 1 >= filled(&columns)
            && filled(&columns) > 1
            && split != Split::Blanks
    }) {
        return None;
    }
    let mut found = Vec::new();
    let mut row = next;
    let mut end = head.end;
    for _ in 0..MAX_ROWS {
        let content = reader.of(&row);
        if content.trim().is_empty() || row.len() > MAX_ROW {
            break;
        }
        if !is_rule(content) {
            let cells = split.cells(reader.text, &row);
            let same = match split {
                Split::Blanks if cells.len() == columns.len() => cells.get(column).cloned(),
                // A column may be empty: takes the cell that is positioned below the name.
                Split::Blanks => cells
                    .iter()
                    .find(|below| {
                        below.start - row.start <= cell.start - head.start + 2
                            && below.end - row.start >= cell.start - head.start
                    })
                    .cloned(),
                Split::At(_)
                    if cells.len() + 1 >= columns.len() && cells.len() <= columns.len() + 2
                        || cells.len() > column && cells.len() > 2 =>
                {
                    cells.get(column).cloned()
                }
                Split::At(_) => None,
            };
            let Some(below) = same.filter(|_| filled(&cells) > 1) else { break };
            found.push(unquoted(reader.text, below));
        }
        end = row.end;
        let Some(next) = next_line(reader.text, row.end) else { break };
        row = next;
    }
    let logins = columns.iter().any(|cell| is_user_title(reader.of(cell)));
    Some((secrets(reader, found, logins), end))
}

/// A separator line between rows.
fn is_rule(row: &str) -> bool {
    row.chars().all(|letter| " -=+|:─┼├┤│\t^╪═".contains(letter))
}

/// `password | value` and `| password | value |`: a row with a name and its value, as databases and consoles print one
/// record.
pub fn record(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let row = line_start(reader.text, reader.name.start)..line_end(reader.text, reader.name.end);
    let content = reader.of(&row);
    if content.len() > MAX_ROW || !content.contains(" |") {
        return None;
    }
    let inner = content.trim().trim_matches('|');
    let (title, value) = inner.split_once('|').filter(|(_, value)| !value.contains('|'))?;
    let value = value.trim();
    let start = row.start + content.rfind(value).filter(|_| !value.is_empty())?;
    let found = start..start + value.len();
    // `| API Secret | value |`: the name ends the title.
    let title = title.trim();
    let own = title.to_ascii_lowercase().ends_with(&reader.name().to_ascii_lowercase());
    let before = title.get(..title.len().saturating_sub(reader.name.len())).unwrap_or_default();
    let described = before.split_whitespace().count() <= 2 && !before.split_whitespace().any(secret_strength::is_prose);
    let whole =
        own && (title.len() == reader.name.len() || described) && reader.name.end < start && !value.contains(' ');
    let strong =
        secret_strength::secret_strength(value) >= Some(SecretStrength::Chosen) || secret_strength::is_random(value);
    (whole && strong && reader.fits(&found)).then_some(found)
}

/// `pass,data,string,value` below `key,type,encoding,value`: the name is a cell of a column of names.
pub fn row(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    const NAMES: &[&str] = &[
        "key",
        "name",
        "param",
        "parameter",
        "variable",
        "setting",
        "property",
        "option",
        "field",
        "nom",
        "nombre",
        "nome",
        "nazwa",
        "naam",
        "feld",
        "champ",
        "campo",
        "pole",
        "eigenschaft",
        "ключ",
        "имя",
        "名称",
        "項目",
        "이름",
    ];
    const VALUES: &[&str] = &[
        "value",
        "val",
        "wert",
        "valeur",
        "valor",
        "valore",
        "wartość",
        "waarde",
        "değer",
        "verdi",
        "värde",
        "значение",
        "值",
        "値",
        "값",
    ];
    let line = line_start(reader.text, reader.name.start)..line_end(reader.text, reader.name.end);
    let split = Split::of(reader.of(&line), reader.name.start - line.start).filter(|_| line.len() <= MAX_ROW)?;
    let cells = split.cells(reader.text, &line);
    let column = cells.iter().position(|cell| unquoted(reader.text, cell.clone()) == reader.name)?;
    let is_row = |row: &Range<usize>| {
        row.len() <= MAX_ROW && (is_rule(reader.of(row)) || split.cells(reader.text, row).len() + 1 >= cells.len())
    };
    let mut head = line.clone();
    for _ in 0..MAX_ROWS {
        let Some(above) = scan::previous_line(reader.text, head.start).filter(is_row) else { break };
        head = above;
    }
    let titles: Vec<String> = split
        .cells(reader.text, &head)
        .into_iter()
        .map(|cell| reader.of(&unquoted(reader.text, cell)).to_lowercase())
        .collect();
    let value = titles.iter().position(|title| VALUES.contains(&title.as_str()))?;
    let found = unquoted(reader.text, cells.get(value)?.clone());
    let named = titles.get(column).is_some_and(|title| NAMES.contains(&title.as_str()));
    (named && head != line && !found.is_empty() && reader.fits(&found)).then_some(found)
}

/// The cells of a column such as `Zugang` beside one of users, or of hexadecimal keys.
pub fn access(text: &str, name: Range<usize>) -> Vec<Range<usize>> {
    let reader = NamedSecret { text, bytes: text.as_bytes(), name, class: SecretClass::Password };
    let head = line_start(text, reader.name.start)..line_end(text, reader.name.end);
    let Some((cells, _)) = cells(&reader) else { return Vec::new() };
    let hex = |cell: &Range<usize>| cell.len() == 32 && reader.of(cell).bytes().all(|byte| byte.is_ascii_hexdigit());
    let users = reader.of(&head).split(['|', '│', ';', ',', '\t']).flat_map(|cell| cell.split("  ")).any(is_user_title);
    if users || cells.iter().all(hex) { cells } else { Vec::new() }
}

/// If one value of a column is a password, all are, even ordinary words. Beside a column of users, joined words are
/// passwords too.
fn secrets(reader: &NamedSecret<'_>, cells: Vec<Range<usize>>, logins: bool) -> Vec<Range<usize>> {
    let strength = |cell: &Range<usize>| {
        let value = reader.of(cell);
        let one = !value.contains(' ')
            && !value.is_empty()
            && reader.fits(cell)
            && !is_label(value)
            && secret_name::class(value).is_none();
        // In `secret | rotation` the first column lists names of objects.
        let object = reader.class == SecretClass::Secret
            && value.contains('-')
            && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !secret_strength::is_random(value);
        secret_strength::secret_strength(value).filter(|_| one && !object)
    };
    // `PIN1`, `Admin-PIN`: the values are numbers.
    if cells.iter().all(|cell| is_pin(reader.name(), reader.of(cell))) {
        return cells;
    }
    let enough = if logins { SecretStrength::Soft } else { SecretStrength::Chosen };
    let strong = cells.iter().any(|cell| strength(cell) >= Some(enough)) || logins && are_words(reader, &cells);
    let least = if strong { SecretStrength::Word } else { SecretStrength::Chosen };
    // Among passwords a number is one too.
    let number = |cell: &Range<usize>| {
        strong
            && reader.class == SecretClass::Password
            && cell.len() > 3
            && reader.of(cell).bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_secret = |cell: &Range<usize>| strength(cell) >= Some(least) && reader.of(cell).len() > 2 || number(cell);
    cells.into_iter().filter(is_secret).collect()
}

/// Distinct ordinary words, none of which describes the state of a password.
fn are_words(reader: &NamedSecret<'_>, cells: &[Range<usize>]) -> bool {
    let is_word = |cell: &Range<usize>| {
        let value = reader.of(cell);
        let letters = value.chars().count() > 4 && value.chars().all(char::is_alphabetic);
        letters
            && !secret_strength::is_prose(value)
            && classifier::is_neutral(value)
            && !words().roles.contains(&value.to_lowercase())
    };
    let distinct = |cell: &Range<usize>| cells.iter().filter(|other| reader.of(other) == reader.of(cell)).count() == 1;
    cells.len() > 1 && cells.iter().all(|cell| is_word(cell) && distinct(cell))
}

fn is_user_title(title: &str) -> bool {
    let low = title.trim_matches(['"', '\'', '*', '`', ' ']).to_lowercase();
    words().user_titles.contains(low.as_str())
}

/// Whether the whole cell is a name: `Initial password (change it)`, not `password is wrong`.
fn is_title(reader: &NamedSecret<'_>, cell: &Range<usize>) -> bool {
    let title = reader.of(cell).trim_matches(['"', '\'', '*', '`', ' ']);
    let letters = title.chars().all(|letter| letter.is_alphanumeric() || " _-.()/#:".contains(letter));
    letters
        && title.split_whitespace().count() <= MAX_WORDS
        && !title.contains(['=', ':'])
        && title.len() <= 40
        && (reader
            .of(&(reader.name.end..cell.end))
            .trim_matches(['"', '\'', '*', '`', ' '])
            .chars()
            .next()
            .is_none_or(|first| "([".contains(first))
            || is_qualified(reader.of(&(reader.name.end..cell.end)))
            || ["pin", "puk"].contains(&reader.name().to_lowercase().as_str()))
}

/// `Contraseña recuperada`: one word behind the noun that says which, not what it is about.
fn is_qualified(rest: &str) -> bool {
    let word = rest.trim_matches(['"', '\'', '*', '`', ' ']).to_lowercase();
    rest.starts_with(' ')
        && word.chars().count() > 3
        && word.chars().all(char::is_alphabetic)
        && !secret_strength::is_prose(&word)
        && !secret_name::is_about(&word)
}

/// A list in code: bracketed, assigned, or continued.
fn is_code(head: &str) -> bool {
    head.contains(['(', ')', '{', '}', '=', '[', ']'])
        || head.trim_end().ends_with([',', ';', '\\'])
        || head.starts_with([' ', '\t']) && head.contains(['"', '\''])
}

/// A number, or a name that contains one: not the title of a column.
fn is_data(cell: &str) -> bool {
    cell.bytes().filter(u8::is_ascii_digit).count() > 1 || cell.contains(['/', '\\', '@', '=', '[', '>'])
}

fn unquoted(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = text.get(range.clone()).unwrap_or_default();
    for quote in ['"', '\'', '`'] {
        if inner.len() > 1 && inner.starts_with(quote) && inner.ends_with(quote) {
            return range.start + 1..range.end - 1;
        }
    }
    range
}

/// The column separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Split {
    At(char),
    /// At least two blanks.
    Blanks,
}

impl Split {
    /// Separators that prose and code have too.
    fn is_loose(self) -> bool {
        matches!(self, Split::At(',' | ';' | '~') | Split::Blanks)
    }

    fn of(head: &str, at: usize) -> Option<Self> {
        for separator in ['|', '│', '┃', '║', '^', '\t', ';', '~', '¦', ','] {
            let (before, after) = head.split_at_checked(at)?;
            // Table columns have blanks around `|`; patterns and types have none.
            let drawn =
                separator != '|' || head.trim_start().starts_with('|') || head.contains(" | ") || head.contains("\t|");
            if (before.contains(separator) || after.contains(separator)) && drawn {
                return Some(Split::At(separator));
            }
        }
        head.trim().contains("  ").then_some(Split::Blanks)
    }

    fn cells(self, text: &str, row: &Range<usize>) -> Vec<Range<usize>> {
        let content = text.get(row.clone()).unwrap_or_default();
        let mut cells = Vec::new();
        match self {
            Split::At(separator) => {
                let mut start = 0;
                let mut quoted = false;
                // DokuWiki writes `^` between titles and `|` between values.
                let separates = |letter: char| letter == separator || separator == '^' && letter == '|';
                for (at, letter) in content.char_indices() {
                    if letter == '"' && separator != '|' && separator != '│' {
                        quoted = !quoted;
                    }
                    if separates(letter) && !quoted {
                        cells.push(start..at);
                        start = at + letter.len_utf8();
                    }
                }
                cells.push(start..content.len());
            }
            Split::Blanks => {
                let bytes = content.as_bytes();
                let blank = |at: usize| bytes.get(at).is_none_or(|byte| *byte == b' ');
                let mut start = None;
                for at in 0..=bytes.len() {
                    match start {
                        None if at < bytes.len() && !blank(at) => start = Some(at),
                        Some(from) if blank(at) && (blank(at + 1) || at == bytes.len()) => {
                            cells.push(from..at);
                            start = None;
                        }
                        _ => {}
                    }
                }
            }
        }
        cells.into_iter().map(|cell| scan::trimmed(text, row.start + cell.start..row.start + cell.end)).collect()
    }
}

/// `INSERT INTO users (name, password) VALUES ('bob', '…')`
pub fn inserted(reader: &NamedSecret<'_>) -> Vec<Range<usize>> {
    values(reader).unwrap_or_default()
}

fn values(reader: &NamedSecret<'_>) -> Option<Vec<Range<usize>>> {
    let from = reader.text.ceil_char_boundary(reader.name.start.saturating_sub(MAX_ROW));
    let before = reader.text.get(from..reader.name.start)?;
    let open = before.rfind('(')?;
    let columns = before.get(open + 1..)?;
    if columns.contains(')') || !before.get(..open)?.to_ascii_lowercase().contains("into") {
        return None;
    }
    let column = columns.matches(',').count();
    let rest = reader
        .text
        .get(reader.name.end..reader.text.floor_char_boundary(reader.name.end.saturating_add(MAX_ROW * 8)))?;
    let close = rest.find(')')?;
    let behind = rest.get(close + 1..)?;
    let word = behind.trim_start();
    let rows = word.get(..6).filter(|word| word.eq_ignore_ascii_case("values")).and(word.get(6..))?;
    let mut at = reader.name.end + rest.len() - rows.len();
    let mut found = Vec::new();
    for _ in 0..MAX_ROWS {
        let Some(open) =
            reader.text.get(at..).and_then(|rest| rest.find(|letter: char| !letter.is_whitespace() && letter != ','))
        else {
            break;
        };
        at += open;
        if reader.byte(at) != Some(b'(') {
            break;
        }
        let (row, end) = literals(reader, at + 1)?;
        found.extend(row.get(column).cloned().flatten().filter(|range| reader.fits(range)));
        at = end;
    }
    Some(found)
}

/// The values up to the closing bracket: the quoted ones, and `None` for the others.
fn literals(reader: &NamedSecret<'_>, mut at: usize) -> Option<(Vec<Option<Range<usize>>>, usize)> {
    let limit = at.saturating_add(MAX_ROW);
    let mut row = vec![None];
    let mut depth = 0;
    while at < limit {
        match reader.byte(at)? {
            b'\'' | b'"' => {
                let range = scan::quoted(reader.text, at)?;
                at = range.end;
                // `crypt('value', …)`
                let first = depth == 0 || depth == 1 && row.last() == Some(&None);
                if first && let Some(last) = row.last_mut() {
                    *last = Some(range);
                }
            }
            b',' if depth == 0 => row.push(None),
            b'(' => depth += 1,
            b')' if depth == 0 => return Some((row, at + 1)),
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}
