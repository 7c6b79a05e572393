//! `aside config`: shows and changes settings. `crate::config` defines and validates them.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::bail;
use clap::Subcommand;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use serde::Serialize;

use crate::cli::{Exit, print, refuse_commands};
use crate::config::check::{self, Problem, Problems, Source, Values};
use crate::config::schema::{Setting, Value, schema, setting, unknown_key};
use crate::config::{atomic_write, edit};
use crate::exec::{self, Own};
use crate::paths::Paths;

/// Read and change settings
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Print the value of a setting
    ///
    /// A text is printed without quotes, a list one item a line.
    Get {
        #[arg(value_name = "KEY", value_parser = Key, hide_possible_values = true, help = KEY)]
        setting: &'static Setting,
        /// Print the value as JSON
        #[arg(long)]
        json: bool,
    },
    /// Change a setting in your file, keeping its comments and order
    ///
    /// The value is checked first. A running daemon uses it within a second.
    Set {
        #[arg(value_name = "KEY", value_parser = Key, hide_possible_values = true, help = KEY)]
        setting: &'static Setting,
        /// The new value; a text needs no quotes, a list is one TOML array or several values
        #[arg(value_name = "VALUE", required = true, allow_hyphen_values = true)]
        value: Vec<String>,
    },
    /// Take a setting out of your file, which brings its default back
    Unset {
        #[arg(value_name = "KEY", value_parser = Key, hide_possible_values = true, help = KEY)]
        setting: &'static Setting,
    },
    /// Print every setting: its value, where that comes from, and why the setting is there
    List {
        /// Print a JSON array of objects with key, value, default, from and why
        #[arg(long)]
        json: bool,
    },
    /// Print the path of your configuration file, which need not exist
    Path,
    /// Open your configuration file in $VISUAL, $EDITOR or vi, and check it afterwards
    ///
    /// A new file starts with every setting, commented out.
    Edit,
}

const KEY: &str = "A setting, such as complete.right_arrow; aside config list shows them all";

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let file = Paths::from_env()?.config_file;
    match &args.action {
        Action::Set { .. } | Action::Unset { .. } | Action::Edit => refuse_commands("change settings")?,
        Action::Get { .. } | Action::List { .. } | Action::Path => {}
    }
    match args.action {
        Action::Get { setting, json } => show(&file, |values| {
            let value = value(values, setting);
            if json { as_json(value) } else { Ok(plain(value)) }
        }),
        Action::List { json } => list(&file, json),
        Action::Path => print(&format!("{}\n", file.display())).map(|()| Exit::Done),
        Action::Set { setting, value } => match setting.parse(&value) {
            Ok(value) => match clash(&file, setting, &value) {
                Some(clash) => Ok(wrong(&format!("aside: {clash}"))),
                None => change(&file, |source| edit::set(source, setting, &value)),
            },
            Err(complaint) => Ok(wrong(&format!("aside: {}", complaint.message))),
        },
        Action::Unset { setting } => change(&file, |source| edit::unset(source, setting)),
        Action::Edit => open(&file),
    }
}

/// The settings that say how a line is read by how it begins.
const PREFIXES: [&str; 3] = ["llm.nl_prefix", "detect.agent_prefix", "detect.shell_prefix"];

/// Why a value cannot work beside the other settings, or on this machine: a prefix means one thing, and no command.
fn clash(file: &Path, setting: &'static Setting, value: &Value) -> Option<String> {
    let Value::Text(text) = value else { return None };
    if !PREFIXES.contains(&setting.key.as_str()) || text.is_empty() {
        return None;
    }
    if setting.key == PREFIXES[0]
        && let Some(program) = exec::find(text)
    {
        return Some(format!("{text} is a command here ({}), which could not be run any more", program.display()));
    }
    // A file with problems is told about when it is changed.
    let values = check::read(file).unwrap_or_default();
    let others = PREFIXES.iter().filter_map(|key| schema().iter().find(|other| other.key == *key));
    let same = { others }.find(|other| other.key != setting.key && self::value(&values, other) == value)?;
    Some(format!("{} is {text} already; a line that begins with it can mean only one of them", same.key))
}

fn show(file: &Path, text: impl FnOnce(&Values) -> anyhow::Result<String>) -> anyhow::Result<Exit> {
    match check::read(file) {
        Ok(values) => print(&text(&values)?).map(|()| Exit::Done),
        Err(problems) => Ok(wrong(&problems)),
    }
}

/// Reports errors in the file after the list, and lists the other settings all the same.
fn list(file: &Path, json: bool) -> anyhow::Result<Exit> {
    let text = match check::read_text(file) {
        Ok(text) => text.unwrap_or_default(),
        Err(problem) => return Ok(wrong(&problem)),
    };
    let (values, problems) = Source { file, text: &text }.check();
    let rows = rows(&values);
    print(&if json { as_json(&rows)? } else { table(&rows) })?;
    Ok(if problems.is_empty() { Exit::Done } else { wrong(&Problems(problems)) })
}

fn change(file: &Path, edit: impl FnOnce(&Source) -> Result<String, Problem>) -> anyhow::Result<Exit> {
    let text = match check::read_text(file) {
        Ok(text) => text.unwrap_or_default(),
        Err(problem) => return Ok(wrong(&problem)),
    };
    let changed = match edit(&Source { file, text: &text }) {
        Ok(changed) => changed,
        Err(problem) => return Ok(wrong(&problem)),
    };
    if changed != text {
        atomic_write::replace_own(file, changed.as_bytes())?;
    }
    let (_, problems) = Source { file, text: &changed }.check();
    if problems.is_empty() {
        return Ok(Exit::Done);
    }
    let rest = "aside: done, but not in force until the rest of the file is right:";
    Ok(wrong(&format!("{rest}\n{}", Problems(problems))))
}

fn open(file: &Path) -> anyhow::Result<Exit> {
    if !file.exists() {
        atomic_write::replace_own(file, edit::template().as_bytes())?;
    }
    let ended = exec::own(Own::Editor(file))?;
    if !ended.success() {
        bail!("the editor failed ({ended}); check your changes with `aside config list`");
    }
    match check::read(file) {
        Ok(_) => Ok(Exit::Done),
        Err(problems) => Ok(wrong(&problems)),
    }
}

fn wrong(what: &dyn std::fmt::Display) -> Exit {
    complain!("{what}");
    Exit::Usage
}

fn value<'a>(values: &'a Values, setting: &'static Setting) -> &'a Value {
    values.get(setting.key.as_str()).unwrap_or(&setting.default)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text}\n"),
        Value::List(items) => items.iter().map(|item| format!("{item}\n")).collect(),
        Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) => format!("{value}\n"),
    }
}

#[derive(Serialize)]
struct Row<'a> {
    key: &'a str,
    value: &'a Value,
    default: &'a Value,
    from: From,
    why: &'a str,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum From {
    Default,
    File,
}

fn rows(values: &Values) -> Vec<Row<'_>> {
    let row = |setting: &'static Setting| Row {
        key: &setting.key,
        value: value(values, setting),
        default: &setting.default,
        from: if values.contains_key(setting.key.as_str()) { From::File } else { From::Default },
        why: &setting.why,
    };
    schema().iter().map(row).collect()
}

fn table(rows: &[Row]) -> String {
    let assignment = |row: &Row, width: usize| format!("{:width$} = {}", row.key, short(row.value));
    let key_width = rows.iter().map(|row| row.key.len()).max().unwrap_or_default();
    let width = rows.iter().map(|row| assignment(row, key_width).len()).max().unwrap_or_default();
    let from = |row: &Row| match row.from {
        From::Default => "default".to_owned(),
        From::File => format!("file, default {}", short(row.default)),
    };
    let from_width = rows.iter().map(|row| from(row).len()).max().unwrap_or_default();
    let mut table = String::new();
    for row in rows {
        let _ = writeln!(table, "{:width$}  {:from_width$}  {}", assignment(row, key_width), from(row), row.why);
    }
    table
}

/// A list would push everything else off the screen; `get` prints it whole.
fn short(value: &Value) -> String {
    match value {
        Value::List(items) if !items.is_empty() => format!("[{} items]", items.len()),
        Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) | Value::Text(_) | Value::List(_) => value.to_string(),
    }
}

/// Serializes the value itself: a `serde_json::Value` in between would sort the fields.
fn as_json(value: &impl Serialize) -> anyhow::Result<String> {
    crate::cli::json_lines(value)
}

/// A clap parser that offers the keys for completion, and suggests the nearest to a wrong one.
#[derive(Clone)]
struct Key;

impl TypedValueParser for Key {
    type Value = &'static Setting;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&clap::Arg>,
        given: &OsStr,
    ) -> Result<&'static Setting, clap::Error> {
        let given = given.to_string_lossy();
        setting(&given)
            .ok_or_else(|| clap::Error::raw(ErrorKind::InvalidValue, unknown_key(&given) + "\n").with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            schema().iter().map(|setting| PossibleValue::new(setting.key.as_str()).help(setting.why.as_str())),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scene {
        _temp: tempfile::TempDir,
        file: std::path::PathBuf,
    }

    fn scene(text: &str) -> Scene {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        Scene { _temp: temp, file }
    }

    impl Scene {
        fn set(&self, key: &str, value: &str) -> Exit {
            let setting = setting(key).unwrap();
            let value = setting.parse(&[value.to_owned()]).unwrap();
            change(&self.file, |source| edit::set(source, setting, &value)).unwrap()
        }

        fn text(&self) -> String {
            std::fs::read_to_string(&self.file).unwrap()
        }
    }

    #[test]
    fn setting_writes_the_file_and_says_when_the_rest_of_it_is_wrong() {
        let scene = scene("[complete]\nenabled = true # mine\n");
        assert_eq!(scene.set("complete.enabled", "false"), Exit::Done);
        assert_eq!(scene.text(), "[complete]\nenabled = false # mine\n");
        std::fs::write(&scene.file, "[complete]\nenabled = true\nnonsense = 1\n").unwrap();
        assert_eq!(scene.set("complete.enabled", "false"), Exit::Usage);
        assert_eq!(scene.text(), "[complete]\nenabled = false\nnonsense = 1\n");
    }

    #[test]
    fn a_mistake_in_the_file_does_not_hide_the_list() {
        let scene = scene("[complete]\nright_arrow = 'word'\nnonsense = 1\n");
        assert_eq!(list(&scene.file, false).unwrap(), Exit::Usage);
        let (values, _) = Source { file: &scene.file, text: &scene.text() }.check();
        assert!(table(&rows(&values)).contains("= \"word\"      file, default \"all\""));
    }

    #[test]
    fn a_file_that_does_not_parse_loses_nothing() {
        let scene = scene("[complete\nenabled = true\n");
        assert_eq!(scene.set("complete.enabled", "false"), Exit::Usage);
        assert_eq!(scene.text(), "[complete\nenabled = true\n");
    }

    #[test]
    fn the_table_is_aligned_and_names_the_origin() {
        let values = Values::from([("complete.right_arrow", Value::Text("word".to_owned()))]);
        let table = table(&rows(&values));
        let start = |key: &str| table.lines().find(|line| line.starts_with(key)).unwrap()[..88].to_owned();
        assert_eq!(
            start("complete.right_arrow"),
            "complete.right_arrow           = \"word\"      file, default \"all\"  How much of the grey t"
        );
        assert_eq!(
            start("daemon.log"),
            "daemon.log                     = \"warn\"      default              What the daemon writes"
        );
    }

    #[test]
    fn json_has_the_fields_in_reading_order() {
        let json = as_json(&rows(&Values::new())).unwrap();
        let first: String = json.lines().take(8).map(str::trim).collect();
        assert_eq!(
            first,
            r#"[{"key": "complete.enabled","value": true,"default": true,"from": "default","why": "Show what you are likely to type next, in grey, after the cursor."},"#
        );
    }

    #[test]
    fn a_text_is_plain_and_a_list_is_one_item_a_line() {
        assert_eq!(plain(&Value::Text("fg=8".to_owned())), "fg=8\n");
        assert_eq!(plain(&Value::List(vec!["a".to_owned(), "b c".to_owned()])), "a\nb c\n");
        assert_eq!(plain(&Value::List(vec![])), "");
    }
}
