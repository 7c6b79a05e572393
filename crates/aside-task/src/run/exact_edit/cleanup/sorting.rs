//! Puts the keys of a JSON file, the entries of one of its objects, a table of TOML or a list of code in alphabetical order. Moves whole
//! entries; every byte within one stays.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::run::code;
use crate::run::exact_edit::add_to::end;
use crate::run::exact_edit::text::Quotes;
use crate::run::exact_edit::{EditResult, assign};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sorting {
    /// The list, table or object; all keys of the file where there is none.
    pub name: Option<String>,
    pub file: Option<String>,
}

impl Sorting {
    /// `None` where the words are about something else: the imports have rules of their own.
    pub fn new(name: Option<String>, file: Option<String>) -> Option<Self> {
        let others = ["imports", "includes", "uses", "lines", "import", "it", "them", "everything", "the", "keys"];
        let is_other = name.as_ref().is_some_and(|name| others.contains(&name.to_lowercase().as_str()));
        let is_json = file.as_ref().is_some_and(|file| file.ends_with(".json") || file.ends_with(".arb"));
        (!is_other && (name.is_some() || is_json)).then_some(Self { name, file })
    }

    pub fn sort(&self, files: &BTreeMap<String, String>) -> EditResult {
        let mut made: Vec<(&String, String)> = Vec::new();
        for (path, text) in files {
            let sorted = match &self.name {
                None => keys(text),
                Some(name) if path.ends_with(".json") => object(text, name),
                Some(name) if path.ends_with(".toml") => table(text, name).or_else(|| list(path, text, name)),
                Some(name) => list(path, text, name),
            };
            made.extend(sorted.map(|sorted| (path, sorted)));
        }
        let what = self.name.as_ref().map_or("The keys".to_owned(), |name| code(name));
        match made.as_slice() {
            // Whether there is such a list, only the files say.
            [] if self.file.is_none() => EditResult::Nothing(String::new()),
            [] => EditResult::Nothing(format!(
                "{what} of {} cannot be sorted for certain: comments or computed entries may belong to their neighbours.",
                files.keys().next().map(|path| code(path)).unwrap_or_default()
            )),
            [(path, sorted)] if files.get(*path) == Some(sorted) => {
                EditResult::Nothing(format!("{what} of {} is sorted already.", code(path)))
            }
            [(path, sorted)] => EditResult::Texts {
                files: BTreeMap::from([((*path).clone(), sorted.clone())]),
                summary: match &self.name {
                    None => format!("Sort the keys of {}", code(path)),
                    Some(name) => format!("Sort {} of {}", code(name), code(path)),
                },
                note: String::new(),
            },
            several => {
                let rows: Vec<String> = several.iter().map(|(path, _)| format!("- {}", code(path))).collect();
                EditResult::Nothing(format!(
                    "Several files have {what}. Say which one is meant:\n\n{}",
                    rows.join("\n")
                ))
            }
        }
    }
}

/// All objects of a JSON text with their keys in order. `None` where it is no plain JSON.
fn keys(text: &str) -> Option<String> {
    serde_json::from_str::<serde_json::Value>(text).ok()?;
    let start = text.find('{')?;
    text.get(..start)?.trim().is_empty().then_some(())?;
    let close = end(text.get(start..)?)? + start;
    Some(format!("{}{}{}", text.get(..start)?, sorted(text.get(start..=close)?, true)?, text.get(close + 1..)?))
}

/// One object of a JSON text, by its key.
fn object(text: &str, name: &str) -> Option<String> {
    serde_json::from_str::<serde_json::Value>(text).ok()?;
    let key = format!("\"{name}\"");
    let mut found = text.match_indices(&key).filter_map(|(at, _)| {
        let rest = text.get(at + key.len()..)?;
        let behind = rest.trim_start().strip_prefix(':')?.trim_start();
        behind.starts_with(['{', '[']).then_some(text.len() - behind.len())
    });
    let start = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let close = end(text.get(start..)?)? + start;
    Some(format!("{}{}{}", text.get(..start)?, sorted(text.get(start..=close)?, false)?, text.get(close + 1..)?))
}

/// An object or a list with its entries in order, and the objects within it too where that is wanted.
fn sorted(text: &str, deep: bool) -> Option<String> {
    let ranges = entries(text)?;
    let mut rows: Vec<String> =
        ranges.iter().map(|range| text.get(range.clone()).unwrap_or_default().to_owned()).collect();
    if deep {
        for row in &mut rows {
            if let Some(at) = row.find(": {").map(|at| at + 2).or_else(|| row.find(":{").map(|at| at + 1))
                && row.get(..at).is_some_and(|key| key.matches('"').count() == 2)
            {
                let inner = sorted(row.get(at..)?, true)?;
                row.replace_range(at.., &inner);
            }
        }
    }
    rows.sort_by(|one, other| {
        let key = |row: &str| {
            row.trim_start_matches(['"', '\'']).split(['"', '\'', ':']).next().unwrap_or_default().to_owned()
        };
        key(one).to_lowercase().cmp(&key(other).to_lowercase()).then_with(|| key(one).cmp(&key(other)))
    });
    let mut made = text.to_owned();
    for (range, row) in ranges.iter().zip(&rows).rev() {
        made.replace_range(range.clone(), row);
    }
    Some(made)
}

/// The ranges of the entries between the brackets of a text, without the blanks around them. `None` where there is a comment.
fn entries(text: &str) -> Option<Vec<Range<usize>>> {
    let close = end(text)?;
    let (mut found, mut start, mut depth, mut quotes) = (Vec::new(), 1, 0_i32, Quotes::default());
    for (at, letter) in text.char_indices().take_while(|(at, _)| *at <= close) {
        match letter {
            _ if quotes.hold(letter, "\"'") => {}
            '#' => return None,
            '/' if text.get(at..).is_some_and(|rest| rest.starts_with("//") || rest.starts_with("/*")) => return None,
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 1 => {
                found.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(start..close);
    let trimmed = found.into_iter().map(|range| {
        let inner = text.get(range.clone()).unwrap_or_default();
        let lead = inner.len() - inner.trim_start().len();
        range.start + lead..range.start + lead + inner.trim().len()
    });
    Some(trimmed.filter(|range| !range.is_empty()).collect())
}

/// A list of plain values that a variable of code is given.
fn list(path: &str, text: &str, name: &str) -> Option<String> {
    let found = assign::assigned(path, text, name);
    let [(_, at, _)] = found.as_slice() else { return None };
    let rest = text.get(*at..)?;
    let open = rest.find(['[', '(', '{'])?;
    // `vec![`, `[]string{`, `List.of(` are the only words before the entries.
    let head = rest.get(..open)?;
    let is_empty_pair = rest.get(open..)?.starts_with("[]");
    let open = if is_empty_pair { open + rest.get(open..)?.find('{')? } else { open };
    if head.contains(['\n', '"', ';']) {
        return None;
    }
    let start = at + open;
    let close = end(text.get(start..)?)? + start;
    let inner = text.get(start..=close)?;
    let plain = |range: &Range<usize>| {
        let entry = inner.get(range.clone()).unwrap_or_default();
        !entry.is_empty() && !entry.contains(['(', '{', '[', '*', '\n', ':'])
            || entry.starts_with(['"', '\'']) && !entry.contains('\n')
    };
    let ranges = entries(inner)?;
    if ranges.len() < 2 || !ranges.iter().all(plain) {
        return None;
    }
    Some(format!("{}{}{}", text.get(..start)?, sorted(inner, false)?, text.get(close + 1..)?))
}

/// The lines of a table of TOML: `dependencies` of `[dependencies]` or `[tool.poetry.dependencies]`.
fn table(text: &str, name: &str) -> Option<String> {
    let is_head = |line: &str| {
        let inner = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        inner.is_some_and(|inner| inner == name || inner.ends_with(&format!(".{name}")))
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let heads: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| is_head(line)).map(|(at, _)| at).collect();
    // The table itself comes before those of members and groups: `[dependencies]`, `[target.x.dependencies]`.
    let exact = heads.iter().find(|at| lines.get(**at).is_some_and(|line| line.trim() == format!("[{name}]")));
    let head = match (exact, heads.as_slice()) {
        (Some(at), _) => *at,
        (None, [only]) => *only,
        // `[tool.poetry.dependencies]` is the list itself, `[tool.poetry.group.dev.dependencies]` one of a group.
        (None, several) => {
            let depth = |at: &usize| lines.get(*at).map_or(0, |line| line.matches('.').count());
            let least = several.iter().map(depth).min()?;
            let mut nearest = several.iter().filter(|at| depth(at) == least);
            *nearest.next().filter(|_| nearest.next().is_none())?
        }
    };
    let rows: Vec<&str> = lines
        .iter()
        .skip(head + 1)
        .copied()
        .take_while(|line| !line.trim().is_empty() && !line.starts_with('['))
        .collect();
    let is_row = |line: &&str| {
        line.contains('=')
            && !line.starts_with([' ', '\t', '#'])
            && line.matches(['[', '{']).count() == line.matches([']', '}']).count()
    };
    if rows.is_empty() || !rows.iter().all(is_row) || !rows.iter().all(|row| row.ends_with('\n')) {
        return None;
    }
    let mut sorted = rows.clone();
    sorted.sort_by_key(|row| row.split('=').next().unwrap_or_default().trim().to_lowercase());
    let before = lines.get(..=head)?.concat();
    let after = lines.get(head + 1 + rows.len()..)?.concat();
    Some(format!("{before}{}{after}", sorted.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str, name: Option<&str>) -> String {
        let files = BTreeMap::from([(path.to_owned(), text.to_owned())]);
        let sorting = Sorting::new(name.map(str::to_owned), Some(path.to_owned())).unwrap();
        match sorting.sort(&files) {
            EditResult::Texts { files, .. } => files.into_values().next().unwrap(),
            EditResult::Nothing(why) => format!("? {why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_are_sorted_with_their_values() {
        assert_eq!(
            told("fr.json", "{\n  \"b\": \"x, {y}\",\n  \"a\": {\n    \"d\": 1,\n    \"c\": [2, 1]\n  }\n}\n", None),
            "{\n  \"a\": {\n    \"c\": [2, 1],\n    \"d\": 1\n  },\n  \"b\": \"x, {y}\"\n}\n"
        );
        assert!(told("a.json", "{\"a\": 1, \"b\": 2}", None).starts_with("? The keys of `a.json` is sorted"));
        assert!(told("a.json", "{ // c\n \"b\": 1, \"a\": 2}", None).starts_with("? "));
        assert_eq!(
            told("package.json", "{\"z\": 1, \"dependencies\": {\"b\": \"1\", \"a\": \"2\"}}", Some("dependencies")),
            "{\"z\": 1, \"dependencies\": {\"a\": \"2\", \"b\": \"1\"}}"
        );
    }

    #[test]
    fn lists_and_tables_are_sorted() {
        assert_eq!(told("a.py", "ZONES = [\"b\", \"a\"]\n", Some("ZONES")), "ZONES = [\"a\", \"b\"]\n");
        assert_eq!(
            told("a.ts", "const names = [\n  'b',\n  'a',\n];\n", Some("names")),
            "const names = [\n  'a',\n  'b',\n];\n"
        );
        assert_eq!(
            told(
                "Cargo.toml",
                "[dependencies]\nserde = \"1\"\nanyhow = { version = \"1\" }\n\n[features]\n",
                Some("dependencies")
            ),
            "[dependencies]\nanyhow = { version = \"1\" }\nserde = \"1\"\n\n[features]\n"
        );
        assert!(told("a.py", "ZONES = [f(1), g(2)]\n", Some("ZONES")).starts_with("? "));
    }
}
