//! Validates a configuration file and collects every problem in it: file, line, what was expected, nearest key. Knows keys and values only
//! through the schema, and changes nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, Key, TableLike};

use crate::config::schema::{self, Setting, Value};
use crate::trusted_file;

/// A hand-written file is never this large.
pub const MAX_BYTES: u64 = 1 << 20;

/// The keys that a file sets, with validated values.
pub type Values = BTreeMap<&'static str, Value>;

#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub file: PathBuf,
    /// Counted from 1; 0 for a problem with the whole file.
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// In file order, never empty.
#[derive(Debug, PartialEq)]
pub struct Problems(pub Vec<Problem>);

/// The text of a configuration file; empty if the file does not exist.
pub struct Source<'a> {
    pub file: &'a Path,
    pub text: &'a str,
}

/// Reads what the file sets; a missing file sets nothing.
pub fn read(file: &Path) -> Result<Values, Problems> {
    let text = read_text(file).map_err(|problem| Problems(vec![problem]))?;
    let source = Source { file, text: text.as_deref().unwrap_or_default() };
    let (values, problems) = source.check();
    if problems.is_empty() { Ok(values) } else { Err(Problems(problems)) }
}

/// Returns `None` if the file does not exist.
pub fn read_text(file: &Path) -> Result<Option<String>, Problem> {
    let whole = |message: String| Problem { file: file.to_owned(), line: 0, column: 0, message };
    let read = trusted_file::read(file, MAX_BYTES).map_err(|refused| whole(refused.to_string()))?;
    let Some(bytes) = read else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        Source { file, text: &good }.problem(good.len(), "this is not UTF-8 text".to_owned())
    })
}

impl<'a> Source<'a> {
    pub fn parse(&self) -> Result<Document<&'a str>, Problem> {
        Document::parse(self.text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            // Some parser messages span two lines.
            self.problem(offset, error.message().trim().replace('\n', ", "))
        })
    }

    /// Returns the valid values and every problem; after a syntax error, only that error.
    pub fn check(&self) -> (Values, Vec<Problem>) {
        let document = match self.parse() {
            Ok(document) => document,
            Err(problem) => return (Values::new(), vec![problem]),
        };
        let mut check = Check { source: self, values: Values::new(), problems: Vec::new() };
        check.top(document.as_table());
        check.problems.sort_by_key(|problem| (problem.line, problem.column));
        (check.values, check.problems)
    }

    pub fn problem(&self, offset: usize, message: String) -> Problem {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        Problem { file: self.file.to_owned(), line, column, message }
    }
}

struct Check<'a> {
    source: &'a Source<'a>,
    values: Values,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn top(&mut self, top: &toml_edit::Table) {
        for (key, item) in entries(top) {
            let name = key.get();
            let Some(section) = item.as_table_like() else {
                let message = if schema::has_section(name) {
                    format!("{name} must be a section, [{name}], not {}", found(item))
                } else {
                    schema::unknown_key(name)
                };
                self.complain(key, message);
                continue;
            };
            let header = item.as_table().is_some_and(|table| !table.is_dotted());
            let near = schema::nearest_section(name);
            if schema::has_section(name) {
                self.section(name, section);
            } else if header && (near.is_some() || section.is_empty()) {
                // A typo in a header is reported once, however many keys follow it.
                let hint = near.map_or_else(String::new, |near| format!("; did you mean [{near}]?"));
                self.complain(key, format!("unknown section [{name}]{hint}"));
            } else {
                self.section(name, section);
            }
        }
    }

    fn section(&mut self, name: &str, section: &dyn TableLike) {
        for (key, item) in entries(section) {
            let full = format!("{name}.{}", key.get());
            match (schema::setting(&full), item.as_table_like()) {
                (Some(setting), _) => self.setting(setting, key, item),
                (None, Some(within)) if schema::has_section(&full) => self.section(&full, within),
                (None, None) if schema::has_section(&full) => {
                    self.complain(key, format!("{full} must be a section, [{full}], not {}", found(item)));
                }
                (None, Some(_)) if schema::nearest_section(&full).is_some_and(|near| near.contains('.')) => {
                    let near = schema::nearest_section(&full).unwrap_or_default();
                    self.complain(key, format!("unknown section [{full}]; did you mean [{near}]?"));
                }
                (None, _) => self.complain(key, schema::unknown_key(&full)),
            }
        }
    }

    fn setting(&mut self, setting: &'static Setting, key: &Key, item: &Item) {
        let Some(value) = item.as_value().and_then(Value::from_toml) else {
            self.complain(key, format!("{}, not {}", setting.expected(), found(item)));
            return;
        };
        match setting.accept(&value) {
            Ok(()) => {
                self.values.insert(&setting.key, value);
            }
            Err(complaint) => {
                let place = complaint.item.and_then(|index| item.as_array()?.get(index)?.span());
                let offset = place.or_else(|| key.span()).map_or(0, |span| span.start);
                self.problems.push(self.source.problem(offset, complaint.message));
            }
        }
    }

    fn complain(&mut self, key: &Key, message: String) {
        let offset = key.span().map_or(0, |span| span.start);
        self.problems.push(self.source.problem(offset, message));
    }
}

fn entries(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}

/// Describes what was found in place of a value: short values are quoted, long ones are named by type.
fn found(item: &Item) -> String {
    match item {
        Item::Value(toml_edit::Value::InlineTable(_)) | Item::Table(_) => "a section".to_owned(),
        Item::ArrayOfTables(_) => "a list of sections".to_owned(),
        Item::Value(toml_edit::Value::Array(_)) => "a list".to_owned(),
        Item::Value(toml_edit::Value::Float(number)) => number.value().to_string(),
        Item::Value(toml_edit::Value::Datetime(date)) => date.value().to_string(),
        Item::Value(value) => Value::from_toml(value).map_or_else(String::new, |value| value.to_string()),
        Item::None => "nothing".to_owned(),
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(formatter, "{}: {}", self.file.display(), self.message),
            line => write!(formatter, "{}:{line}: {}", self.file.display(), self.message),
        }
    }
}

/// Prints one problem per line.
impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> String {
        let (_, problems) = Source { file: Path::new("config.toml"), text }.check();
        Problems(problems).to_string()
    }

    #[test]
    fn all_problems_are_told_at_once_in_the_order_of_the_file() {
        let text = r##"
[complete]
right_arow = "word"
enabled = "yes"
ghost_style = "grey"

max_candidates = 99
autosuggestions = 1979-05-27
[history]
right_arrow = "all"
ignore = [
  "fine",
  "(",
]
record = { yes = true }
[daemon]
idle_exit_s = 1.5
log = "loud"
"##;
        assert_eq!(
            problems(text),
            r##"config.toml:3: unknown key complete.right_arow; did you mean complete.right_arrow?
config.toml:4: complete.enabled must be true or false, not "yes"
config.toml:5: complete.ghost_style must be a zsh highlight such as "fg=8" or "fg=#808080,underline", not "grey"
config.toml:7: complete.max_candidates must be between 1 and 20, not 99
config.toml:8: complete.autosuggestions must be one of replace, yield, not 1979-05-27
config.toml:10: unknown key history.right_arrow; did you mean complete.right_arrow?
config.toml:13: history.ignore: ( is not a regular expression: unclosed group
config.toml:15: history.record must be true or false, not a section
config.toml:17: daemon.idle_exit_s must be between 0 and 604800, not 1.5
config.toml:18: daemon.log must be one of error, warn, info, debug, not "loud""##
        );
    }

    #[test]
    fn a_wrong_section_is_one_problem() {
        let hint = "config.toml:1: unknown section [complte]; did you mean [complete]?";
        assert_eq!(problems("[complte]\nenabled = true\nright_arrow = 'word'\n"), hint);
        assert_eq!(problems("[complte]"), hint);
        assert_eq!(problems("[zzz]"), "config.toml:1: unknown section [zzz]");
        let moved = "config.toml:2: unknown key ghost.right_arrow; did you mean complete.right_arrow?";
        assert_eq!(problems("[ghost]\nright_arrow = 'word'"), moved);
        let dotted = "config.toml:1: unknown key complte.enabled; did you mean complete.enabled?";
        assert_eq!(problems("complte.enabled = true"), dotted);
        let bare = "config.toml:1: unknown key right_arrow; did you mean complete.right_arrow?";
        assert_eq!(problems("right_arrow = 'word'"), bare);
        assert_eq!(problems("complete = 3"), "config.toml:1: complete must be a section, [complete], not 3");
        let many = "config.toml:1: complete must be a section, [complete], not a list of sections";
        assert_eq!(problems("[[complete]]"), many);
        let deep = "config.toml:1: complete.enabled must be true or false, not a section";
        assert_eq!(problems("[complete.enabled]\nx = 1"), deep);
    }

    #[test]
    fn sections_within_others_are_checked_too() {
        assert_eq!(problems("[llm.task]\nprovider = 'openai'\n[llm]\ntranslate = { model = 'm' }\n"), "");
        assert_eq!(
            problems("[llm.task]\nprovider = 'opnai'\nmodle = 'x'\n[llm]\ncomplete = 3\n[llm.tsk]\nmodel = 'm'\n"),
            "config.toml:2: llm.task.provider must be one of \"\", embedded, none, openai, anthropic, local, not \"opnai\"\n\
             config.toml:3: unknown key llm.task.modle; did you mean llm.task.model?\n\
             config.toml:5: llm.complete must be a section, [llm.complete], not 3\n\
             config.toml:6: unknown section [llm.tsk]; did you mean [llm.task]?"
        );
    }

    #[test]
    fn a_syntax_error_names_its_line_and_hides_the_rest() {
        assert_eq!(
            problems("[complete]\nenabled = \"x\nzzz = 1\n"),
            "config.toml:2: invalid basic string, expected `\"`"
        );
        assert_eq!(problems("[complete]\n[complete]\n"), "config.toml:2: duplicate key");
    }

    #[test]
    fn a_list_of_anything_but_text_is_refused() {
        let wrong = "config.toml:1: history.ignore must be a list of regular expressions in quotes, not a list";
        assert_eq!(problems("history.ignore = [1]"), wrong);
    }

    #[test]
    fn the_column_counts_characters() {
        let (_, problems) = Source { file: Path::new("f"), text: "\u{feff}a = 'é' ; x\n" }.check();
        assert_eq!((problems[0].line, problems[0].column), (1, 10));
    }

    #[test]
    fn files_that_cannot_be_read_are_problems_and_a_missing_one_is_not() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        assert_eq!(read(&file), Ok(Values::new()));
        assert_eq!(
            read(temp.path()).unwrap_err().to_string(),
            format!("{}: is not a plain file", temp.path().display())
        );
        std::fs::write(&file, b"[complete]\n# \xff\n").unwrap();
        assert_eq!(read(&file).unwrap_err().to_string(), format!("{}:2: this is not UTF-8 text", file.display()));
        std::fs::write(&file, vec![b'\n'; (MAX_BYTES + 1).try_into().unwrap()]).unwrap();
        assert_eq!(read(&file).unwrap_err().to_string(), format!("{}: is larger than 1048576 bytes", file.display()));
    }
}
