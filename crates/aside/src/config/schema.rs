//! Defines what can be set, from `default.toml` alone: a key has the type of its default, the comment above it is its help text, and `# one
//! of:`, `# between:` and `# form:` lines bound its values. Reads no file of the user's.

use std::fmt;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Serialize;

pub const DEFAULTS: &str = include_str!("../../default.toml");

/// Below this Jaro-Winkler similarity, a suggestion confuses more than it helps.
const NEAR: f64 = 0.8;

/// How an empty text is written.
const EMPTY: &str = r#""""#;

const COLOURS: [&str; 9] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "default"];

#[derive(Debug, PartialEq)]
pub struct Setting {
    pub section: String,
    pub name: String,
    /// `section.name`, as on the command line. Sections can be nested: `llm.complete`.
    pub key: String,
    pub default: Value,
    pub why: String,
    pub rule: Rule,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Bool(bool),
    Integer(i64),
    /// Accepts integers too.
    Decimal(f64),
    Text(String),
    List(Vec<String>),
}

/// What a value must satisfy beyond its type.
#[derive(Debug, PartialEq)]
pub enum Rule {
    Any,
    OneOf(Vec<String>),
    Between(i64, i64),
    Highlight,
    Patterns,
    Form(Form),
}

/// What a text must look like. An empty one means the default, except for a request's prefix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A key as zsh gets it from `_aside_key_bytes`.
    Key,
    /// Where a server of HTTP is.
    Address,
    /// The name of an environment variable.
    Variable,
    /// A host and a port to listen on.
    Listen,
    /// What `task.agent` may name.
    Agent,
    /// One word, so that a blank can follow it.
    Prefix,
    /// The same, never empty: every line would begin with it.
    RequestPrefix,
}

impl Form {
    const ALL: [(Form, &str); 7] = [
        (Form::Key, "key"),
        (Form::Address, "address"),
        (Form::Variable, "variable"),
        (Form::Listen, "host and port"),
        (Form::Agent, "agent"),
        (Form::Prefix, "prefix"),
        (Form::RequestPrefix, "prefix of requests"),
    ];

    fn expected(self) -> &'static str {
        match self {
            Form::Key => r#"a key such as "ctrl-e", "alt-x", "f5" or "^X^E", or empty"#,
            Form::Address => r#"an address such as "https://example.com/v1", or empty"#,
            Form::Variable => r#"the name of a variable, such as "OPENAI_API_KEY" (not a key itself), or empty"#,
            Form::Listen => r#"a host and a port such as "127.0.0.1:8017", or empty"#,
            Form::Agent => r#""none", "codex", or "acp:" and a name"#,
            Form::Prefix => "one word without blanks, or empty",
            Form::RequestPrefix => "one word without blanks, and not empty; llm.natural_language turns requests off",
        }
    }

    fn fits(self, text: &str) -> bool {
        let is_word = !text.contains(|letter: char| letter.is_whitespace() || letter.is_control());
        match self {
            Form::RequestPrefix => is_word && !text.is_empty(),
            Form::Prefix => is_word,
            Form::Agent => text == "none" || text == "codex" || text.strip_prefix("acp:").is_some_and(is_name),
            _ if text.is_empty() => true,
            Form::Key => is_key(text),
            Form::Address => {
                let rest = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme));
                is_word && rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', ':', '?', '#']))
            }
            Form::Variable => is_name(text) && !text.contains(['-', '.']),
            Form::Listen => text.rsplit_once(':').is_some_and(|(host, port)| {
                is_word && !host.is_empty() && port.parse::<u16>().is_ok() && !host.contains('/')
            }),
        }
    }
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && text.chars().all(is_letter)
}

/// The names that aside.below.zsh understands, and what bindkey writes.
fn is_key(text: &str) -> bool {
    if text.starts_with(['^', '\\']) {
        return text.len() > 1;
    }
    let lower = text.to_lowercase();
    if let Some(number) = lower.strip_prefix('f').and_then(|number| number.parse::<u8>().ok()) {
        return (1..=12).contains(&number);
    }
    let mut key = lower.as_str();
    let (mut ctrl, mut alt) = (false, false);
    while let Some((name, rest)) = key.split_once('-').filter(|(_, rest)| !rest.is_empty()) {
        match name {
            "ctrl" if !ctrl => ctrl = true,
            "alt" if !alt => alt = true,
            _ => return false,
        }
        key = rest;
    }
    let of_ctrl = |letter: char| letter.is_ascii_lowercase() || "]\\_^".contains(letter);
    let mut letters = key.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => alt && !ctrl || ctrl && of_ctrl(letter),
        _ => ctrl && key == "space",
    }
}

/// Why a value is rejected; `item` is its index in a list, so that the message can point to the line.
#[derive(Debug, PartialEq)]
pub struct Complaint {
    pub item: Option<usize>,
    pub message: String,
}

pub fn schema() -> &'static [Setting] {
    static SCHEMA: LazyLock<Vec<Setting>> = LazyLock::new(|| read(DEFAULTS));
    &SCHEMA
}

pub fn setting(key: &str) -> Option<&'static Setting> {
    schema().iter().find(|setting| setting.key == key)
}

pub fn has_section(name: &str) -> bool {
    schema().iter().any(|setting| setting.section == name)
}

/// The message for an unknown key, on the command line and in a file.
pub fn unknown_key(given: &str) -> String {
    match nearest_key(given) {
        Some(setting) => format!("unknown key {given}; did you mean {}?", setting.key),
        None => format!("unknown key {given}; `aside config list` shows them all"),
    }
}

pub fn nearest_section(given: &str) -> Option<&'static str> {
    nearest(schema().iter().map(|setting| (setting.section.as_str(), likeness(given, &setting.section))))
}

/// The name weighs most: a key is more often misspelt or in the wrong section than in a misspelt section.
fn nearest_key(given: &str) -> Option<&'static Setting> {
    let (section, name) = given.rsplit_once('.').unwrap_or(("", given));
    nearest(schema().iter().map(|setting| {
        let near = likeness(name, &setting.name);
        (setting, if near < NEAR { 0.0 } else { near + likeness(section, &setting.section) / 10.0 })
    }))
}

fn nearest<T>(scored: impl Iterator<Item = (T, f64)>) -> Option<T> {
    scored.filter(|(_, score)| *score >= NEAR).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(found, _)| found)
}

fn likeness(given: &str, known: &str) -> f64 {
    let given = given.to_lowercase().replace('-', "_");
    // A remembered part of a key (`style`, `candidates`) shares no prefix with it, which Jaro-Winkler relies on.
    let part = given.len() > 3 && known.split('_').any(|word| word == given);
    strsim::jaro_winkler(&given, known).max(if part { NEAR } else { 0.0 })
}

impl Setting {
    pub fn accept(&self, value: &Value) -> Result<(), Complaint> {
        let is_whole = matches!((&self.default, value), (Value::Decimal(_), Value::Integer(_)));
        let same_type = std::mem::discriminant(value) == std::mem::discriminant(&self.default);
        if !same_type && !is_whole {
            return Err(self.complaint(value));
        }
        match (&self.rule, value) {
            (Rule::OneOf(words), Value::Text(text)) if !words.contains(text) => Err(self.complaint(value)),
            (Rule::Between(low, high), Value::Integer(number)) if !(low..=high).contains(&number) => {
                Err(self.complaint(value))
            }
            // `contains` is false for NaN, so NaN is rejected.
            (Rule::Between(low, high), Value::Decimal(number)) if !(*low as f64..=*high as f64).contains(number) => {
                Err(self.complaint(value))
            }
            (Rule::Highlight, Value::Text(text)) if !is_highlight(text) => Err(self.complaint(value)),
            (Rule::Form(form), Value::Text(text)) if !form.fits(text) => Err(self.complaint(value)),
            (Rule::Patterns, Value::List(patterns)) => self.accept_patterns(patterns),
            _ => Ok(()),
        }
    }

    /// Parses a value from the command line, where a text needs no quotes and a list is one TOML array or several words.
    pub fn parse(&self, words: &[String]) -> Result<Value, Complaint> {
        let one = words.join(" ");
        let value = match &self.default {
            Value::Bool(_) => one.parse().ok().map(Value::Bool),
            Value::Integer(_) => one.parse().ok().map(Value::Integer),
            Value::Decimal(_) => one.parse().ok().map(Value::Decimal),
            Value::Text(_) if words.len() == 1 => Some(Value::Text(one.clone())),
            Value::Text(_) => None,
            Value::List(_) => Some(Value::List(array(words).unwrap_or_else(|| words.to_vec()))),
        };
        let value = value.ok_or_else(|| self.complaint(&Value::Text(one)))?;
        self.accept(&value).map(|()| value)
    }

    /// `must be true or false`, without what was found instead: only the caller can name a date or a section.
    pub fn expected(&self) -> String {
        let expected = match (&self.rule, &self.default) {
            (Rule::OneOf(words), _) => {
                let words: Vec<&str> = words.iter().map(|word| if word.is_empty() { EMPTY } else { word }).collect();
                format!("one of {}", words.join(", "))
            }
            (Rule::Between(low, high), _) => format!("between {low} and {high}"),
            (Rule::Highlight, _) => r#"a zsh highlight such as "fg=8" or "fg=#808080,underline""#.to_owned(),
            (Rule::Patterns, _) => "a list of regular expressions in quotes".to_owned(),
            (Rule::Form(form), _) => form.expected().to_owned(),
            (Rule::Any, Value::Bool(_)) => "true or false".to_owned(),
            (Rule::Any, Value::Integer(_)) => "a whole number".to_owned(),
            (Rule::Any, Value::Decimal(_)) => "a number".to_owned(),
            (Rule::Any, Value::Text(_)) => "text in quotes".to_owned(),
            (Rule::Any, Value::List(_)) => "a list of texts in quotes".to_owned(),
        };
        format!("{} must be {expected}", self.key)
    }

    fn complaint(&self, value: &Value) -> Complaint {
        Complaint { item: None, message: format!("{}, not {value}", self.expected()) }
    }

    fn accept_patterns(&self, patterns: &[String]) -> Result<(), Complaint> {
        for (index, pattern) in patterns.iter().enumerate() {
            if let Err(error) = Regex::new(pattern) {
                let message = format!("{}: {pattern} is not a regular expression: {}", self.key, reason(&error));
                return Err(Complaint { item: Some(index), message });
            }
        }
        // Each pattern may be small enough while all of them together are too large.
        RegexSet::new(patterns).map(drop).map_err(|error| {
            let message = format!("{}: these patterns cannot be used together: {}", self.key, reason(&error));
            Complaint { item: None, message }
        })
    }
}

/// Prints the value as TOML, on one line.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(yes) => write!(formatter, "{yes}"),
            Self::Integer(number) => write!(formatter, "{number}"),
            Self::Decimal(number) => write!(formatter, "{}", toml_edit::Value::from(*number)),
            Self::Text(text) => write!(formatter, "{}", toml_edit::Value::from(text.as_str())),
            Self::List(items) => write!(formatter, "{}", toml_edit::Value::from_iter(items.iter().map(String::as_str))),
        }
    }
}

impl Value {
    /// Converts a TOML value; `None` for dates and for lists that hold anything but text.
    pub fn from_toml(value: &toml_edit::Value) -> Option<Self> {
        match value {
            toml_edit::Value::Boolean(yes) => Some(Self::Bool(*yes.value())),
            toml_edit::Value::Integer(number) => Some(Self::Integer(*number.value())),
            toml_edit::Value::String(text) => Some(Self::Text(text.value().clone())),
            toml_edit::Value::Array(items) => {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>().map(Self::List)
            }
            toml_edit::Value::Float(number) => Some(Self::Decimal(*number.value())),
            toml_edit::Value::Datetime(_) | toml_edit::Value::InlineTable(_) => None,
        }
    }
}

/// Parses a single word as a TOML array. A pattern such as `[ab]` is not one, and stays a word.
fn array(words: &[String]) -> Option<Vec<String>> {
    let [word] = words else { return None };
    match Value::from_toml(&word.trim().parse().ok()?)? {
        Value::List(items) => Some(items),
        Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) | Value::Text(_) => None,
    }
}

/// The syntax that zsh accepts in `region_highlight`. zsh silently ignores anything else, so the user would never learn of a mistake.
fn is_highlight(text: &str) -> bool {
    text.split(',').all(|part| match part.split_once('=') {
        Some(("fg" | "bg", colour)) => is_colour(colour),
        Some(_) => false,
        None => matches!(part, "none" | "bold" | "underline" | "standout"),
    })
}

fn is_colour(text: &str) -> bool {
    let is_hex = |digits: &str| matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    let is_number = || text.chars().all(|digit| digit.is_ascii_digit()) && text.parse::<u8>().is_ok();
    COLOURS.contains(&text) || text.strip_prefix('#').map_or_else(is_number, is_hex)
}

/// The last line of the error: the others repeat the pattern with an arrow below it.
fn reason(error: &regex::Error) -> String {
    let error = error.to_string();
    let last = error.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// Reads the embedded file line by line, since its form is known and every new shell waits for it: a TOML parser takes ten times as long.
/// A test compares the two. Panics if the file is malformed, which any test would catch.
fn read(defaults: &str) -> Vec<Setting> {
    let (mut settings, mut section, mut comment) = (Vec::new(), "", String::new());
    let mut lines = defaults.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix('[') {
            (section, comment) = (heading.trim_end_matches(']'), String::new());
        } else if line.starts_with('#') {
            comment = comment + line + "\n";
        } else if let Some((name, value)) = line.split_once(" = ") {
            let mut value = value.to_owned();
            while value.starts_with('[') && !value.ends_with(']') {
                value += lines.next().expect("a list that ends");
            }
            let (why, rule) = read_comment(&std::mem::take(&mut comment));
            let (section, name, key) = (section.to_owned(), name.to_owned(), format!("{section}.{name}"));
            settings.push(Setting { section, name, key, default: read_value(&value), why, rule });
        }
    }
    settings
}

fn read_value(text: &str) -> Value {
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let plain = match (quoted.filter(|quoted| !quoted.contains('\\')), text) {
        (Some(quoted), _) => Some(Value::Text(quoted.to_owned())),
        (None, "true" | "false") => Some(Value::Bool(text == "true")),
        (None, "[]") => Some(Value::List(Vec::new())),
        (None, _) => text.parse().ok().map(Value::Integer),
    };
    let whole = || Value::from_toml(&text.parse().ok()?);
    plain.or_else(whole).expect("a default of a type we know")
}

fn read_comment(comment: &str) -> (String, Rule) {
    let mut why = Vec::new();
    let mut rule = Rule::Any;
    for line in comment.lines().filter_map(|line| line.strip_prefix("# ")) {
        match line.split_once(": ") {
            Some(("one of", words)) => {
                let words = words.split(", ").map(|word| if word == EMPTY { "" } else { word });
                rule = Rule::OneOf(words.map(str::to_owned).collect());
            }
            Some(("between", bounds)) => {
                let (low, high) = bounds.split_once(" and ").expect("between: LOW and HIGH");
                rule = Rule::Between(low.parse().expect("a number"), high.parse().expect("a number"));
            }
            Some(("form", "zsh highlight")) => rule = Rule::Highlight,
            Some(("form", "regular expressions")) => rule = Rule::Patterns,
            Some(("form", name)) => {
                let form = Form::ALL.iter().find(|(_, known)| *known == name).expect("a form that we know");
                rule = Rule::Form(form.0);
            }
            Some(_) | None => why.push(line),
        }
    }
    (why.join(" "), rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(key: &str, words: &[&str]) -> Result<Value, String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        setting(key).unwrap().parse(&words).map_err(|complaint| complaint.message)
    }

    fn read_as_toml(section: &str, table: &toml_edit::Table, settings: &mut Vec<Setting>) {
        for (name, item) in table {
            let key = if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") };
            if let Some(within) = item.as_table() {
                read_as_toml(&key, within, settings);
                continue;
            }
            let comment = table.key(name).and_then(|key| key.leaf_decor().prefix()).and_then(|prefix| prefix.as_str());
            let (why, rule) = read_comment(comment.unwrap_or_default());
            let default = item.as_value().and_then(Value::from_toml).unwrap();
            settings.push(Setting { section: section.to_owned(), name: name.to_owned(), key, default, why, rule });
        }
    }

    #[test]
    fn line_by_line_it_is_what_toml_reads() {
        let document: toml_edit::DocumentMut = DEFAULTS.parse().unwrap();
        let mut expected = Vec::new();
        read_as_toml("", document.as_table(), &mut expected);
        assert_eq!(read(DEFAULTS), expected);
        let odd = "[a.b]\n# why\nx = \"a \\\" b\"\ny = [\n  \"p\", \"q]\",\n]\nz = 0.5\n";
        let document: toml_edit::DocumentMut = odd.parse().unwrap();
        let mut expected = Vec::new();
        read_as_toml("", document.as_table(), &mut expected);
        assert_eq!(read(odd), expected);
    }

    #[test]
    fn every_key_says_why_in_one_line_and_accepts_its_own_default() {
        for setting in schema() {
            assert!(setting.why.ends_with('.'), "{}: {:?}", setting.key, setting.why);
            // The generated zsh completion would not quote these characters.
            assert!(!setting.why.contains(['"', '`', '\\']), "{}: {:?}", setting.key, setting.why);
            assert_eq!(setting.accept(&setting.default), Ok(()), "{}", setting.key);
        }
        let block = |setting: &Setting| DEFAULTS.matches(&format!("# {}\n", setting.why)).count();
        assert!(schema().iter().all(|setting| block(setting) == 1), "a why is one line of default.toml");
    }

    #[test]
    fn the_bounds_are_read_from_the_comments() {
        let rule = |key: &str| &setting(key).unwrap().rule;
        assert_eq!(*rule("complete.enabled"), Rule::Any);
        assert_eq!(*rule("complete.max_candidates"), Rule::Between(1, 20));
        assert_eq!(*rule("complete.right_arrow"), Rule::OneOf(vec!["all".into(), "word".into()]));
        assert_eq!(*rule("complete.ghost_style"), Rule::Highlight);
        assert_eq!(*rule("history.ignore"), Rule::Patterns);
    }

    #[test]
    fn the_nearest_key_is_the_one_that_was_meant() {
        for (given, meant) in [
            ("complete.right_arow", Some("complete.right_arrow")),
            ("complte.right_arrow", Some("complete.right_arrow")),
            ("complete.right-arrow", Some("complete.right_arrow")),
            ("Complete.Enabled", Some("complete.enabled")),
            ("daemon.right_arrow", Some("complete.right_arrow")),
            ("right_arrow", Some("complete.right_arrow")),
            ("complete.candidates", Some("complete.max_candidates")),
            ("ghost", Some("complete.ghost_style")),
            ("history.ignored", Some("history.ignore")),
            ("daemon.idle_exit", Some("daemon.idle_exit_s")),
            ("complete.zzz", None),
            ("banana", None),
            ("", None),
        ] {
            assert_eq!(nearest_key(given).map(|setting| setting.key.as_str()), meant, "{given}");
        }
    }

    #[test]
    fn a_value_needs_no_quotes_on_the_command_line() {
        let text = |text: &str| Ok(Value::Text(text.to_owned()));
        let list = |items: &[&str]| Ok(Value::List(items.iter().map(|&item| item.to_owned()).collect()));
        assert_eq!(parse("complete.enabled", &["false"]), Ok(Value::Bool(false)));
        assert_eq!(parse("daemon.idle_exit_s", &["0"]), Ok(Value::Integer(0)));
        assert_eq!(parse("complete.ghost_style", &["fg=#808080,bold"]), text("fg=#808080,bold"));
        assert_eq!(parse("history.ignore", &["^a b", "c"]), list(&["^a b", "c"]));
        assert_eq!(parse("history.ignore", &[r#"["a", 'b\d']"#]), list(&["a", r"b\d"]));
        assert_eq!(parse("history.ignore", &["[ab]"]), list(&["[ab]"]));
        assert_eq!(parse("history.ignore", &["[]"]), list(&[]));
    }

    #[test]
    fn a_wrong_value_is_told_what_was_expected() {
        let wrong = |key, words: &[&str]| parse(key, words).unwrap_err();
        assert_eq!(wrong("complete.enabled", &["yes"]), r#"complete.enabled must be true or false, not "yes""#);
        assert_eq!(
            wrong("complete.max_candidates", &["99"]),
            "complete.max_candidates must be between 1 and 20, not 99"
        );
        assert_eq!(
            wrong("complete.max_candidates", &["4.5"]),
            r#"complete.max_candidates must be between 1 and 20, not "4.5""#
        );
        assert_eq!(
            wrong("complete.right_arrow", &["none"]),
            r#"complete.right_arrow must be one of all, word, not "none""#
        );
        assert_eq!(
            wrong("complete.ghost_style", &["grey"]),
            r#"complete.ghost_style must be a zsh highlight such as "fg=8" or "fg=#808080,underline", not "grey""#
        );
        assert_eq!(
            wrong("history.ignore", &["a", "(b"]),
            "history.ignore: (b is not a regular expression: unclosed group"
        );
    }

    #[test]
    fn a_value_that_could_never_work_is_refused() {
        let rows: [(&str, &[&str], &[&str]); 11] = [
            (
                "llm.nl_explain_key",
                &["", "ctrl-e", "Alt-X", "ctrl-alt-x", "alt-ctrl-x", "f12", "^X^E", r"\ee", "ctrl-space", "alt--"],
                &["e", "ctrl-", "f13", "shift-a", "ctrl-1", "banana", "alt-", "ctrl-ctrl-a", "^"],
            ),
            ("llm.private_key", &["alt-p"], &["p"]),
            ("detect.wrong_key", &["alt-w"], &["wrong"]),
            (
                "llm.base_url",
                &["", "http://127.0.0.1:11434/v1", "https://a"],
                &["localhost:11434", "ftp://a", "http://", "https:///v1", "http://a b"],
            ),
            ("llm.task.base_url", &["https://a/v1"], &["a"]),
            ("remote.reply_url", &["https://a/v1"], &["a"]),
            ("llm.api_key_env", &["", "MY_KEY"], &["sk-live-123", "MY KEY", "$KEY", "1A"]),
            (
                "remote.listen",
                &["", "127.0.0.1:8017", "[::1]:80", "localhost:1"],
                &["8017", "localhost", ":80", "a:99999", "http://a:80"],
            ),
            ("task.agent", &["none", "codex", "acp:goose"], &["", "claude", "acp:", "acp:a b"]),
            ("task.prefix", &["", "@dev"], &["a b"]),
            ("llm.nl_prefix", &["?", ",", "ai"], &["", " ", "a b"]),
        ];
        for (key, good, bad) in rows {
            for value in good {
                assert_eq!(parse(key, &[value]), Ok(Value::Text((*value).to_owned())), "{key}");
            }
            for value in bad {
                let wrong = parse(key, &[value]).unwrap_err();
                assert!(wrong.starts_with(&format!("{key} must be ")), "{wrong}");
            }
        }
    }

    #[test]
    fn a_highlight_is_what_zsh_understands() {
        for good in ["none", "fg=8", "bg=255", "fg=#fff", "fg=#a0A0a0,underline", "fg=red,bg=default,bold,standout"] {
            assert!(is_highlight(good), "{good}");
        }
        for bad in ["", "8", "fg", "fg=", "fg=256", "fg=+8", "fg=#ff", "fg=grey", "fg=8, bold", "fg=8,", "dim"] {
            assert!(!is_highlight(bad), "{bad}");
        }
    }
}
