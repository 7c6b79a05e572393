//! Secrets in a table column whose header names it: Markdown, CSV, the output of a database, columns separated by
//! blanks; and the values of an `INSERT`.

use std::collections::HashSet;
use std::ops::Range;

use crate::key_value::NamedSecret;
use crate::placeholder::is_label;
use crate::scan::{self, line_end, line_start, next_line};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::sentence_context::is_pin;
use crate::vocabulary::words;
use crate::{classifier, secret_name};

/// Rows above a cell that are searched for the header.
const MAX_ROWS: usize = 200;

/// Bytes of one row; a longer one is not a table.
const MAX_ROW: usize = 1000;

/// Bytes of one row of an insert, and those before its columns.
const MAX_VALUES: usize = 8 * 1024;
const MAX_INTO: usize = 200;

/// Words of a header cell: `Initial password`.
const MAX_WORDS: usize = 4;

/// The tables and inserts of one text. Each row is split once, however many columns are secret, and each line is a row of
/// one table: so they need no window.
#[derive(Default)]
pub struct Tables {
    /// The rows below a header that were read.
    read: Range<usize>,
    last: Option<Table>,
    insert: Option<Insert>,
}

impl Tables {
    /// The cells of the column or the insert with this name.
    pub fn below(&mut self, reader: &NamedSecret<'_>) -> Vec<Range<usize>> {
        if self.read.contains(&reader.name.start) {
            return Vec::new();
        }
        let mut found = self.cells(reader).unwrap_or_default();
        found.extend(self.inserted(reader).unwrap_or_default());
        found
    }

    /// The cells of a column such as `Zugang` beside one of users, or of hexadecimal keys.
    pub fn access(&mut self, reader: &NamedSecret<'_>) -> Vec<Range<usize>> {
        let (Some(cells), Some(head)) = (self.cells(reader), head(reader)) else { return Vec::new() };
        let hex =
            |cell: &Range<usize>| cell.len() == 32 && reader.of(cell).bytes().all(|byte| byte.is_ascii_hexdigit());
        let titles = reader.of(&head).split(['|', '│', ';', ',', '\t']).flat_map(|cell| cell.split("  "));
        if titles.into_iter().any(is_user_title) || cells.iter().all(hex) { cells } else { Vec::new() }
    }

    fn cells(&mut self, reader: &NamedSecret<'_>) -> Option<Vec<Range<usize>>> {
        if reader.class == SecretClass::Random {
            return None;
        }
        let head = head(reader)?;
        if self.last.as_ref().is_none_or(|table| table.head != head) {
            self.last = Table::of(reader, head);
        }
        let table = self.last.as_mut().filter(|table| table.is_table)?;
        let column =
            table.columns.iter().position(|cell| cell.start <= reader.name.start && reader.name.end <= cell.end)?;
        if !is_title(reader, table.columns.get(column)?) {
            return None;
        }
        let (found, end) = table.column(reader, column);
        // A line is below one header only, or it would be read once for each.
        if end > self.read.end {
            self.read = table.head.end..end;
        }
        Some(secrets(reader, found, table.has_users))
    }

    /// `INSERT INTO users (name, password) VALUES ('bob', '…')`
    fn inserted(&mut self, reader: &NamedSecret<'_>) -> Option<Vec<Range<usize>>> {
        let from = reader.text.ceil_char_boundary(reader.name.start.saturating_sub(MAX_ROW));
        let before = reader.text.get(from..reader.name.start)?;
        let open = before.rfind('(')?;
        let columns = before.get(open + 1..).filter(|columns| !columns.contains(')'))?;
        if self.insert.as_ref().is_none_or(|insert| insert.open != from + open) {
            if self.insert.as_ref().is_some_and(|insert| reader.name.start < insert.end) {
                return None;
            }
            self.insert = Some(Insert::of(reader, from + open)?);
        }
        let column = columns.matches(',').count();
        let rows = &self.insert.as_ref()?.rows;
        let cells = rows.iter().filter_map(|row| row.get(column).cloned().flatten());
        Some(cells.filter(|range| reader.fits(range)).collect())
    }
}

struct Table {
    head: Range<usize>,
    /// Whether the first line is one of titles.
    is_table: bool,
    has_users: bool,
    split: Split,
    columns: Vec<Range<usize>>,
    /// The rows that were split, without lines between rows.
    rows: Vec<Row>,
    /// The row behind the last one.
    next: Option<Range<usize>>,
}

struct Row {
    line: Range<usize>,
    cells: Vec<Range<usize>>,
    filled: usize,
}

/// The line around a name, unless it is too long for a row.
fn head(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let (bytes, name) = (reader.bytes, &reader.name);
    let from = name.start.saturating_sub(MAX_ROW);
    let start = memchr::memrchr(b'\n', bytes.get(from..name.start)?).map_or(from, |back| from + back + 1);
    if start == from && from > 0 && reader.byte(from - 1) != Some(b'\n') {
        return None;
    }
    Some(start..line_end(reader.text, name.end)).filter(|head| head.len() <= MAX_ROW)
}

fn filled(cells: &[Range<usize>]) -> usize {
    cells.iter().filter(|cell| !cell.is_empty()).count()
}

impl Table {
    fn of(reader: &NamedSecret<'_>, head: Range<usize>) -> Option<Self> {
        let split = Split::of(reader.of(&head), reader.name.start - head.start)?;
        let columns = split.cells(reader.text, &head);
        let next = next_line(reader.text, head.end);
        // `RuleID:   generic-api-key` is a field and its value.
        let record = split.is_loose() && columns.first().is_some_and(|cell| reader.of(cell).ends_with(':'));
        let above = scan::previous_line(reader.text, head.start);
        let is_row = above.is_some_and(|above| {
            above.len() <= MAX_ROW
                && split != Split::Blanks
                && !is_rule(reader.of(&above))
                && filled(&split.cells(reader.text, &above)) + 1 >= filled(&columns)
        });
        let is_code = split.is_loose() && is_code(reader.of(&head));
        let is_data = columns.iter().any(|cell| is_data(reader.of(cell)));
        let is_table = next.is_some() && filled(&columns) > 1 && !(is_code || record || is_data || is_row);
        let has_users = columns.iter().any(|cell| is_user_title(reader.of(cell)));
        Some(Self { head, is_table, has_users, split, columns, rows: Vec::new(), next })
    }

    /// The cells of a column, and the end of the table.
    fn column(&mut self, reader: &NamedSecret<'_>, column: usize) -> (Vec<Range<usize>>, usize) {
        let (mut found, mut end) = (Vec::new(), self.head.end);
        let mut number = 0;
        while number < self.rows.len() || self.read(reader) {
            let Some((row, below)) = self.rows.get(number).and_then(|row| Some((row, self.cell(row, column)?))) else {
                break;
            };
            found.push(unquoted(reader.text, below));
            end = row.line.end;
            number += 1;
        }
        (found, end)
    }

    /// Splits the next row.
    fn read(&mut self, reader: &NamedSecret<'_>) -> bool {
        while let Some(line) = self.next.take() {
            let content = reader.of(&line);
            if content.trim().is_empty() || line.len() > MAX_ROW {
                return false;
            }
            self.next = next_line(reader.text, line.end);
            if !is_rule(content) {
                let cells = self.split.cells(reader.text, &line);
                self.rows.push(Row { filled: filled(&cells), line, cells });
                return true;
            }
        }
        false
    }

    fn cell(&self, row: &Row, column: usize) -> Option<Range<usize>> {
        let (cells, title) = (&row.cells, self.columns.get(column)?);
        let same = match self.split {
            Split::Blanks if cells.len() == self.columns.len() => cells.get(column),
            // A column may be empty: takes the cell that is positioned below the name.
            Split::Blanks => cells.iter().find(|below| {
                below.start - row.line.start <= title.start - self.head.start + 2
                    && below.end - row.line.start >= title.start - self.head.start
            }),
            Split::At(_)
                if cells.len() + 1 >= self.columns.len() && cells.len() <= self.columns.len() + 2
                    || cells.len() > column && cells.len() > 2 =>
            {
                cells.get(column)
            }
            Split::At(_) => None,
        };
        same.filter(|_| row.filled > 1).cloned()
    }
}

/// The rows of an `INSERT` whose columns are listed from `open` on.
struct Insert {
    open: usize,
    /// The quoted values of each row.
    rows: Vec<Vec<Option<Range<usize>>>>,
    end: usize,
}

impl Insert {
    fn of(reader: &NamedSecret<'_>, open: usize) -> Option<Self> {
        let text = reader.text;
        let before = text.get(text.ceil_char_boundary(open.saturating_sub(MAX_INTO))..open)?;
        let rest = text.get(reader.name.end..text.floor_char_boundary(reader.name.end.saturating_add(MAX_ROW)))?;
        let close = reader.name.end + rest.find(')')? + 1;
        let behind = text.get(close..)?;
        let word = behind.trim_ascii_start();
        let is_insert = word.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("values"));
        if !is_insert || !before.to_ascii_lowercase().contains("into") {
            return None;
        }
        let mut insert = Self { open, rows: Vec::new(), end: close + behind.len() - word.len() + 6 };
        let bytes = text.as_bytes();
        while let Some(next) = bytes.get(insert.end) {
            match next {
                b'(' => {
                    let Some((row, end)) = literals(reader, insert.end + 1) else { break };
                    insert.rows.push(row);
                    insert.end = end;
                }
                b',' => insert.end += 1,
                blank if blank.is_ascii_whitespace() => insert.end += 1,
                _ => break,
            }
        }
        Some(insert)
    }
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
    let mut seen = HashSet::new();
    cells.len() > 1 && cells.iter().all(|cell| is_word(cell) && seen.insert(reader.of(cell)))
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

/// The values up to the closing bracket: the quoted ones, and `None` for the others.
fn literals(reader: &NamedSecret<'_>, mut at: usize) -> Option<(Vec<Option<Range<usize>>>, usize)> {
    let limit = at.saturating_add(MAX_VALUES);
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
