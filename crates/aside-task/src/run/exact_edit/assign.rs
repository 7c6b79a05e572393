//! Gives a named constant or setting another value: `change TIMEOUT to 60`. Replaces the value that is assigned to the name, never the
//! name. Says so where the name is set at several places, or where its value is computed.

use std::collections::BTreeMap;
use std::ops::Range;

use aside_text::lazy_regex::Regex;

use crate::run::exact_edit::file_edit::{cmake, key, port};
use crate::run::exact_edit::{EditResult, text, units};
use crate::run::review::file_kind;
use crate::run::search::lists;
use crate::run::{code, short, values};

/// Places that are listed where a name is set more than once.
const MAX_PLACES: usize = 6;
const MAX_SAID: usize = 60;
/// Bytes of a line that is looked at for values within it.
const MAX_LINE: usize = 2_000;

/// The new value as the request has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub text: String,
    /// The request has it in quotes, so it is a text.
    pub quoted: bool,
}

/// The name in the words of the request: `TIMEOUT`, `server.port`, `max retries`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    /// The value that it has now, where the request says that.
    pub was: Option<String>,
    pub to: Value,
    pub file: Option<String>,
    /// What the number counts, where the request says that: `seconds`.
    pub unit: Option<String>,
    /// It is only switched on or off, so that it has to be on or off now.
    pub is_switch: bool,
}

/// How a file writes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Bare words are texts: YAML, INI, environment files, Makefiles.
    Bare,
    /// Texts are in quotes: TOML, JSON.
    Quoted,
    Code,
}

struct Place<'a> {
    path: &'a str,
    line: usize,
    /// The range of the value in the file.
    range: Range<usize>,
    value: &'a str,
    syntax: Syntax,
    /// The name is spelled exactly as in the request.
    exact: bool,
    /// The name, where it is only near to the one of the request.
    named: Option<String>,
}

impl Setting {
    /// A word that a file has to contain for the name to be set there.
    pub fn needle(&self) -> &str {
        let last = self.name.rsplit('.').next().unwrap_or_default();
        last.split(' ').next().unwrap_or_default()
    }

    pub fn is_certain(&self) -> bool {
        self.file.is_some() || self.is_name()
    }

    /// A single name with signs of code, as opposed to words of prose.
    fn is_name(&self) -> bool {
        !self.name.contains(' ') && super::is_text(&self.name)
            || self.name.len() > 2 && self.name.chars().all(|letter| letter.is_ascii_uppercase())
    }
}

/// Where the name is given a value: in a line of its own, within a line, or under a name with its words.
fn places<'a>(setting: &Setting, files: &'a BTreeMap<String, String>) -> Vec<Place<'a>> {
    let name = &setting.name;
    let patterns: Vec<Pattern> = Pattern::of(name).into_iter().chain(Pattern::dotted(name)).collect();
    let mut places: Vec<Place<'a>> =
        files.iter().flat_map(|(path, text)| patterns.iter().flat_map(|pattern| pattern.places(path, text))).collect();
    places.extend(files.iter().flat_map(|(path, text)| in_cmake(name, path, text)));
    if places.is_empty() {
        places = files
            .iter()
            .flat_map(|(path, text)| patterns.iter().flat_map(|pattern| pattern.inline(path, text)))
            .collect();
    }
    if places.iter().any(|place| place.exact) {
        places.retain(|place| place.exact);
    }
    keep_likeliest(setting, &mut places);
    // A reference is no value: `instance_type = var.instance_type` takes it from where the name is given one.
    let is_reference = |place: &Place<'_>| {
        super::is_path_of_names(place.value) && !is_constant(place.value) && place.syntax != Syntax::Bare
    };
    if places.iter().all(is_reference) {
        let near = near(name, files);
        if !near.is_empty() {
            places = near;
            keep_likeliest(setting, &mut places);
        }
    }
    places
}

pub fn set(setting: &Setting, files: &BTreeMap<String, String>) -> EditResult {
    let name = &setting.name;
    let mut places = places(setting, files);
    let mut note = String::new();
    // The manifest says what the compiler takes; the formatter has a copy.
    if name == "edition" && places.iter().any(|place| place.path.ends_with("Cargo.toml")) {
        let other = places.iter().find(|place| !place.path.ends_with("Cargo.toml"));
        note = other.map(|place| format!("`{}:{}` has its own edition.", place.path, place.line)).unwrap_or_default();
        places.retain(|place| place.path.ends_with("Cargo.toml"));
    }
    let place = match places.as_slice() {
        [] => return unset(setting, files),
        [only] => only,
        several => return EditResult::Nothing(at_several(name, several)),
    };
    if let Some(was) = setting.was.as_deref().filter(|was| !has_value(place.value, was)) {
        return EditResult::Nothing(format!(
            "{} is {} at `{}:{}`, not {}, so nothing is changed.",
            code(name),
            code(place.value),
            place.path,
            place.line,
            code(was)
        ));
    }
    if place.syntax == Syntax::Code && is_another_name(name, &setting.to) {
        return EditResult::Nothing(format!(
            "{to} may be the new name of {name} or its new value. Write `rename {bare} to {plain}` for the name, or the value in quotes.",
            to = code(&setting.to.text),
            name = code(name),
            bare = setting.name,
            plain = setting.to.text,
        ));
    }
    // A port that other files repeat would no longer be the same everywhere.
    let is_port = name.eq_ignore_ascii_case("port") && setting.file.is_none() && setting.was.is_none();
    let old = place.value.trim_matches(['"', '\'']);
    if is_port && old.len() > 1 && old.bytes().all(|byte| byte.is_ascii_digit()) && port::occurrences(old, files) > 1 {
        return EditResult::Nothing(format!(
            "{} is {} at `{}:{}`, and other lines have the same port. For all of them: change the port from {old} to {to}. For one: change {name} in FILE to {to}.",
            code(name),
            code(old),
            place.path,
            place.line,
            to = setting.to.text
        ));
    }
    // `switch BASE_URL to https` means a part of the address.
    let scheme = ["https", "http", "wss", "ws"].contains(&setting.to.text.as_str()) && !setting.to.quoted;
    if place.value.matches("://").count() == 1 && scheme {
        return with_scheme(place, setting, files);
    }
    if place.value.contains("://") && !setting.to.quoted && !setting.to.text.contains("://") {
        return EditResult::Nothing(format!(
            "{} is {} at `{}:{}`. Write the whole address that it is to be, or the new value in quotes.",
            code(name),
            code(&short(place.value, MAX_SAID)),
            place.path,
            place.line
        ));
    }
    let new = match new_value(setting, place) {
        Ok(new) => new,
        Err(why) => {
            return EditResult::Nothing(format!(
                "{} is {} at `{}:{}`: {why}.",
                code(name),
                code(&short(place.value, MAX_SAID)),
                place.path,
                place.line
            ));
        }
    };
    if new == place.value {
        return EditResult::Nothing(format!("{} is {} already.", code(name), code(place.value)));
    }
    let mut made = files.get(place.path).cloned().unwrap_or_default();
    made.replace_range(place.range.clone(), &new);
    let spelled = place.named.as_deref().unwrap_or(name);
    let summary = format!("Set {} to {} in {}", code(spelled), code(&new), code(place.path));
    EditResult::Texts { files: BTreeMap::from([(place.path.to_owned(), made)]), summary, note }
}

/// The new value as the file writes it: in its unit, with its suffix.
fn new_value(setting: &Setting, place: &Place<'_>) -> Result<String, String> {
    let name = place.named.as_deref().unwrap_or(&setting.name);
    let in_unit = |number: &str, unit: &str| units::number(place.value, name, number, unit);
    let bare = place.value.trim_matches(['"', '\'']);
    // `10s` in the place of a number is no value; the file counts in a unit.
    let is_counted = place.syntax == Syntax::Code && !place.value.starts_with(['"', '\''])
        || bare.bytes().all(|byte| byte.is_ascii_digit());
    let to = match (&setting.unit, units::split(&setting.to.text).filter(|_| is_counted && !setting.to.quoted)) {
        (Some(unit), _) => in_unit(&setting.to.text, unit)?,
        (None, Some((number, unit))) => in_unit(number, unit)?,
        (None, None) => setting.to.text.clone(),
    };
    // A product of numbers is replaced as a whole.
    if to.contains(" * ") && place.value.contains('*') && !setting.to.quoted {
        return Ok(to);
    }
    let new = spelled(place.value, &Value { text: to, quoted: setting.to.quoted }, place.syntax)?;
    Ok(like_number(place.value, &new).unwrap_or(new))
}

/// A number with the suffix and the separators of another one: `60_000L` for `30_000L`.
fn like_number(old: &str, new: &str) -> Option<String> {
    let digits = old.len() - old.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '_').len();
    let (number, suffix) = old.split_at_checked(digits)?;
    let is_suffix = ["L", "l", "u", "U", "UL", "ul", "n", "f", "F", "d", ""].contains(&suffix)
        || ["u", "i", "f"].iter().any(|kind| {
            suffix
                .trim_start_matches('_')
                .strip_prefix(kind)
                .is_some_and(|rest| rest.len() > 1 && rest.bytes().all(|byte| byte.is_ascii_digit()) || rest == "size")
        });
    if number.is_empty() || !is_suffix || new.is_empty() || !new.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let grouped = match number.contains('_') && new.len() > 3 {
        false => new.to_owned(),
        true => {
            let head = (new.len() - 1) % 3 + 1;
            let (first, rest) = new.split_at_checked(head)?;
            let groups: Vec<&str> =
                rest.as_bytes().chunks(3).filter_map(|group| std::str::from_utf8(group).ok()).collect();
            std::iter::once(first).chain(groups).collect::<Vec<_>>().join("_")
        }
    };
    Some(format!("{grouped}{suffix}"))
}

/// Tests that repeat a value are not where it is set, and what is switched is on or off.
fn keep_likeliest(setting: &Setting, places: &mut Vec<Place<'_>>) {
    if setting.is_switch {
        places.retain(|place| switched(place.value, setting.to.text == "on").is_some());
    }
    let is_test = |place: &Place<'_>| file_kind::of(place.path) == "tests";
    if setting.file.is_none() && !places.iter().all(is_test) {
        places.retain(|place| !is_test(place));
    }
}

fn with_scheme(place: &Place<'_>, setting: &Setting, files: &BTreeMap<String, String>) -> EditResult {
    let at = place.value.find("://").unwrap_or(0);
    let head = place.value.get(..at).unwrap_or_default();
    let start = head.rfind(|letter: char| !letter.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    if head.get(start..) == Some(setting.to.text.as_str()) {
        return EditResult::Nothing(format!("{} is {} already.", code(&setting.name), code(place.value)));
    }
    let mut made = files.get(place.path).cloned().unwrap_or_default();
    made.replace_range(place.range.start + start..place.range.start + at, &setting.to.text);
    let summary = format!("Use {} for {} in {}", code(&setting.to.text), code(&setting.name), code(place.path));
    EditResult::Texts { files: BTreeMap::from([(place.path.to_owned(), made)]), summary, note: String::new() }
}

/// `set(NAME value)` and `option(NAME "…" OFF)` of CMake.
fn in_cmake<'a>(name: &str, path: &'a str, text: &'a str) -> Vec<Place<'a>> {
    if !cmake::is_cmake(path) {
        return Vec::new();
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let place = |range: Range<usize>, exact: bool| Place {
        path,
        line: text.get(..range.start).unwrap_or_default().matches('\n').count() + 1,
        value: text.get(range.clone()).unwrap_or_default(),
        range,
        syntax: Syntax::Bare,
        exact,
        named: None,
    };
    let all = cmake::variables(text).into_iter().filter(|(known, _)| plain(known) == plain(name));
    all.map(|(known, range)| place(range, known == name)).collect()
}

/// The word for on or off in the place of another one, as that is written; `None` where the value is neither.
fn switched(old: &str, on: bool) -> Option<String> {
    let bare = old.trim_matches(['"', '\'']);
    let (yes, no) = match bare.to_lowercase().as_str() {
        "true" | "false" => ("true", "false"),
        "on" => ("on", "off"),
        "yes" | "no" => ("yes", "no"),
        "enabled" | "disabled" => ("enabled", "disabled"),
        "enable" | "disable" => ("enable", "disable"),
        "1" | "0" => ("1", "0"),
        // A rule of a linter has levels; only off is one of them for certain.
        "warn" | "error" | "warning" | "info" if !on => ("", "off"),
        "off" if !on || bare == "OFF" || old == bare => ("on", "off"),
        _ => return None,
    };
    let word = if on { yes } else { no };
    let word = match bare.chars().next().is_some_and(char::is_uppercase) {
        true if bare.len() > 1 && bare.chars().all(char::is_uppercase) => word.to_uppercase(),
        true => word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default(),
        false => word.to_owned(),
    };
    Some(old.replace(bare, &word))
}

/// Values whose names have all words of the request: `DEFAULT_THRESHOLD` for `threshold`, the default of `variable "instance_type"`.
fn near<'a>(name: &str, files: &'a BTreeMap<String, String>) -> Vec<Place<'a>> {
    let Some(wanted) = values::of_words(name) else { return Vec::new() };
    let mut found: Vec<(u32, Place<'a>)> = Vec::new();
    for (path, text) in files {
        let Some(syntax) = syntax(path) else { continue };
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        for value in values::values(path, text).into_iter().filter(|value| value.is_named(&wanted)) {
            let is_plain = syntax == Syntax::Bare && !value.value.contains(['$', '{', '[']);
            if !values::is_literal(&value.value) && !is_plain {
                continue;
            }
            let Some(start) = starts.get(value.line - 1).copied() else { continue };
            let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
            let Some(at) = line.rfind(value.value.as_str()) else { continue };
            let range = start + at..start + at + value.value.len();
            let shown = text.get(range.clone()).unwrap_or_default();
            let place = Place {
                path,
                line: value.line,
                range,
                value: shown,
                syntax,
                exact: false,
                named: Some(value.full_name()),
            };
            found.push((
                wanted.fit(path, &value)
                    + 100 * u32::from(value.is_called(&wanted))
                    + 50 * u32::from(value.is_named_whole(&wanted)),
                place,
            ));
        }
    }
    // Tests and examples that repeat a value are not where it is set.
    let best = found.iter().map(|(fit, _)| *fit).max().unwrap_or(0);
    found.into_iter().filter(|(fit, _)| *fit + 20 >= best).map(|(_, place)| place).collect()
}

/// Where a name is given a value in a file: the line, the place where the value begins, and how the file writes values.
pub fn assigned(path: &str, text: &str, name: &str) -> Vec<(usize, usize, Syntax)> {
    let Some(syntax) = syntax(path) else { return Vec::new() };
    let sign = match syntax {
        Syntax::Code => r"(?:\s*:\s*[^=:]+?)?\s*(?:::=|:=|\?=|\+=|=)",
        Syntax::Bare | Syntax::Quoted => r"\s*(?:::=|:=|\?=|\+=|=|:)",
    };
    let head = r#"^\s*(?:[A-Za-z_@][\w:<>\[\]&'*.@]*\s+){0,5}?["']?"#;
    let Ok(pattern) = Regex::new(&format!(r#"{head}{}["']?{sign}[ \t]*(?P<value>)[^=]"#, regex::escape(name))) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = 0;
    for (number, row) in text.split_inclusive('\n').enumerate() {
        let first = row.split_whitespace().next().unwrap_or_default();
        if let Some(value) =
            pattern.captures(row).and_then(|found| found.name("value")).filter(|_| !STATEMENTS.contains(&first))
        {
            found.push((number + 1, at + value.start(), syntax));
        }
        at += row.len();
    }
    found
}

/// The name has no value in these files. A name of code may still be one to rename.
fn unset(setting: &Setting, files: &BTreeMap<String, String>) -> EditResult {
    let Setting { name, to, file, .. } = setting;
    if let Some((path, _)) = files.first_key_value().filter(|(path, _)| {
        file.is_some() && path.ends_with("tsconfig.json") && key::COMPILER_OPTIONS.contains(&name.as_str())
    }) {
        let text = match (setting.is_switch, to.text == "on") {
            (false, _) => to.text.clone(),
            (true, on) => on.to_string(),
        };
        return key::add(
            name,
            &Value { text, quoted: to.quoted },
            &BTreeMap::from([(path.clone(), files[path].clone())]),
        );
    }
    if setting.is_switch {
        return EditResult::Nothing(String::new());
    }
    if setting.is_name() && !to.quoted && super::is_identifier(name) && super::is_identifier(&to.text) {
        return match text::rename(name, &to.text, files) {
            EditResult::Nothing(_) => text::replace(name, &to.text, files),
            made => made,
        };
    }
    let place = match (file, files.keys().next()) {
        (Some(_), Some(path)) => code(path),
        _ if setting.is_name() => "the files of the project".to_owned(),
        _ => return EditResult::Nothing(String::new()),
    };
    EditResult::Nothing(format!(
        "{} is not given a value in {place} that could be changed. To replace a text: replace \"{name}\" with \"{}\".",
        code(name),
        to.text
    ))
}

fn at_several(name: &str, places: &[Place<'_>]) -> String {
    let rows = places
        .iter()
        .take(MAX_PLACES)
        .map(|place| format!("- `{}:{}` {}", place.path, place.line, code(&short(place.value, MAX_SAID))));
    let rows = rows.collect::<Vec<_>>().join("\n");
    let more = places.len().saturating_sub(MAX_PLACES);
    let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
    let one_file = places.iter().all(|place| Some(place.path) == places.first().map(|first| first.path));
    let hint = match one_file {
        true => "Which one is meant, cannot be told; replace the text of one line instead".to_owned(),
        false => format!("Say which file is meant, as in: change {name} in FILE to VALUE"),
    };
    format!("{} is set at {} places. {hint}.\n\n{rows}{more}", code(name), places.len())
}

/// Whether the value has the text that the request says it has now.
fn has_value(value: &str, was: &str) -> bool {
    let bare = was.trim_matches(['"', '\'', '`']);
    value.trim_matches(['"', '\'']) == bare
        || literals(value)
            .iter()
            .any(|range| value.get(range.clone()).is_some_and(|literal| literal.trim_matches(['"', '\'']) == bare))
}

/// `change userName to fullName` may rename it as well.
fn is_another_name(name: &str, to: &Value) -> bool {
    #[derive(PartialEq, Eq)]
    enum Style {
        Camel,
        Snake,
        Screaming,
    }
    let style = |text: &str| {
        let camel = text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        match text {
            text if !super::is_identifier(text) => None,
            _ if camel => Some(Style::Camel),
            text if text.contains('_') && text.chars().any(|letter| letter.is_lowercase()) => Some(Style::Snake),
            text if text.contains('_') => Some(Style::Screaming),
            _ => None,
        }
    };
    !to.quoted && style(name).is_some() && style(name) == style(&to.text)
}

struct Pattern {
    equals: Regex,
    colon: Regex,
    blank: Regex,
    inline: Regex,
    name: String,
    /// The sections or keys around it.
    above: Vec<String>,
}

/// Words before a name after which it is not assigned to.
const STATEMENTS: &[&str] = &[
    "return", "if", "elif", "else", "while", "assert", "case", "for", "and", "or", "not", "in", "del", "raise", "when",
];

impl Pattern {
    fn of(name: &str) -> Option<Self> {
        let mut parts: Vec<&str> = name.split('.').collect();
        let last = parts.pop()?;
        Self::new(last, parts.into_iter().map(str::to_owned).collect())
    }

    /// The dots are a part of the name, as in a file of properties: `timeout.seconds=30`.
    fn dotted(name: &str) -> Option<Self> {
        name.contains('.').then(|| Self::new(name, Vec::new()))?
    }

    fn new(name: &str, above: Vec<String>) -> Option<Self> {
        let words: Vec<String> = name.split([' ', '_', '-']).map(regex::escape).collect();
        // Words of prose fit `max_retries`, `max-retries` and `maxRetries`.
        let key = format!("(?i:{})", words.join("[_ -]?"));
        let value = r#"(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s=>~].*?)"#;
        let tail = r"(?:\s*[;,]?(?:\s+(?:#|//|--|;|/\*).*)?\s*)$";
        let kind = r"(?:\s*:\s*[^=:]+?)?";
        Some(Self {
            equals: Regex::new(&format!(
                r#"^(?P<head>\s*(?:-\s+)?(?:[A-Za-z_@][\w:<>\[\]&'*.@()]*\s+){{0,5}}?)["']?(?P<name>{key})["']?{kind}\s*(?::=|\?=|=)\s*{value}{tail}"#
            ))
            .ok()?,
            colon: Regex::new(&format!(
                r#"^(?P<head>\s*(?:-\s+)?(?:\{{\s*)?)["']?(?P<name>{key})["']?\s*:\s*{value}{tail}"#
            ))
            .ok()?,
            blank: Regex::new(&format!(r"^(?P<head>\s*(?:#\s*define|ENV|ARG)\s+)(?P<name>{key})\s+{value}{tail}"))
                .ok()?,
            inline: Regex::new(&format!(
                r#"(?:[{{(,]\s*|^\s*)["']?(?:[\w-]+\.)*(?P<name>{key})["']?\s*(?P<sign>[:=])\s*(?P<value>"[^"]*"|'[^']*'|-?\d[\w.]*|true|false|True|False|null|None|nil)\s*[,)}}\]]"#
            ))
            .ok()?,
            name: name.to_owned(),
            above,
        })
    }

    fn places<'a>(&self, path: &'a str, text: &'a str) -> Vec<Place<'a>> {
        let Some(syntax) = syntax(path) else { return Vec::new() };
        let mut places = Vec::new();
        let mut at = 0;
        for (number, row) in text.split_inclusive('\n').enumerate() {
            let line = row.trim_end_matches(['\n', '\r']);
            if let Some((range, exact)) = self.value(line, path, syntax)
                && self.is_below(text, at, line, syntax)
            {
                places.push(Place {
                    path,
                    line: number + 1,
                    value: line.get(range.clone()).unwrap_or_default(),
                    range: at + range.start..at + range.end,
                    syntax,
                    exact,
                    named: None,
                });
            }
            at += row.len();
        }
        places
    }

    /// Values that stand within a line: in an object, in the arguments of a call, in JSON of one line.
    fn inline<'a>(&self, path: &'a str, text: &'a str) -> Vec<Place<'a>> {
        let Some(syntax) = syntax(path) else { return Vec::new() };
        let mut places = Vec::new();
        let mut at = 0;
        for (number, row) in text.split_inclusive('\n').enumerate() {
            if row.len() <= MAX_LINE && !lists::is_comment(row) {
                for found in self.inline.captures_iter(row) {
                    let (Some(value), Some(name)) = (found.name("value"), found.name("name")) else { continue };
                    // An argument that is called like a constant is not the constant.
                    let is_constant = !self.name.contains(|letter: char| letter.is_lowercase());
                    let is_argument = found.name("sign").is_some_and(|sign| sign.as_str() == "=");
                    if is_constant && is_argument || !self.is_below(text, at, row, syntax) {
                        continue;
                    }
                    places.push(Place {
                        path,
                        line: number + 1,
                        value: text.get(at + value.start()..at + value.end()).unwrap_or_default(),
                        range: at + value.start()..at + value.end(),
                        syntax: if syntax == Syntax::Bare { Syntax::Code } else { syntax },
                        exact: name.as_str() == self.name,
                        named: None,
                    });
                }
            }
            at += row.len();
        }
        places
    }

    /// The range of the value in a line that assigns it, and whether the name is spelled the same.
    fn value(&self, line: &str, path: &str, syntax: Syntax) -> Option<(Range<usize>, bool)> {
        let by_colon = || {
            let found = self.colon.captures(line)?;
            let value = found.name("value")?.as_str();
            // In code a colon also stands before a type.
            let fits = syntax != Syntax::Code || is_literal(value);
            fits.then_some(found)
        };
        let by_equals = || {
            let json = path.ends_with(".json") || path.ends_with(".yaml") || path.ends_with(".yml");
            let found = self.equals.captures(line).filter(|_| !json)?;
            let head = found.name("head")?.as_str();
            let plain = syntax == Syntax::Code || head.split_whitespace().count() <= 1;
            (plain && !head.split_whitespace().any(|word| STATEMENTS.contains(&word))).then_some(found)
        };
        let found = by_equals().or_else(by_colon).or_else(|| self.blank.captures(line))?;
        let value = found.name("value")?;
        let open = value.as_str().ends_with(['(', '[', '{', '\\', '|', '>']) || value.as_str().starts_with(['&', '*']);
        let exact = found.name("name")?.as_str() == self.name;
        (!open).then(|| (value.range(), exact))
    }

    /// Whether the line is inside of the sections that a dotted name has: `server` of `server.port`.
    fn is_below(&self, text: &str, at: usize, line: &str, syntax: Syntax) -> bool {
        let mut wanted = self.above.iter().rev();
        let Some(mut next) = wanted.next() else { return true };
        let depth = |line: &str| line.len() - line.trim_start().len();
        let mut inside = depth(line);
        let before = text.get(..at).unwrap_or_default();
        for above in before.lines().rev().filter(|line| !line.trim().is_empty()) {
            if above.trim_start().starts_with('[') && syntax != Syntax::Code {
                let section = above.trim().trim_matches(['[', ']']).trim_matches(['"', ' ']).to_lowercase();
                return section == self.above.join(".").to_lowercase();
            }
            if depth(above) >= inside {
                continue;
            }
            inside = depth(above);
            let key = above.trim_start().trim_start_matches("- ").split([':', '=', '{']).next().unwrap_or_default();
            let key = key.trim().trim_matches(['"', '\'']);
            if !key.eq_ignore_ascii_case(next) {
                return false;
            }
            match wanted.next() {
                Some(more) => next = more,
                None => return true,
            }
        }
        false
    }
}

/// `None` for files that assign nothing: prose, lock files, generated files.
fn syntax(path: &str) -> Option<Syntax> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if name.starts_with(".env") {
        return Some(Syntax::Bare);
    }
    if [".prettierrc", ".eslintrc", ".babelrc", ".swcrc", ".stylelintrc"].contains(&name) {
        return Some(Syntax::Quoted);
    }
    // Its own commands set its variables.
    if cmake::is_cmake(path) {
        return None;
    }
    match file_kind::of(path) {
        "documentation" | "lock file" | "generated" | "media" | "log" => return None,
        _ => {}
    }
    Some(match ending {
        "yaml" | "yml" | "ini" | "cfg" | "conf" | "properties" | "env" | "mk" | "editorconfig" => Syntax::Bare,
        "toml" | "json" | "jsonc" | "json5" | "tfvars" | "tf" | "hcl" => Syntax::Quoted,
        "csv" | "tsv" | "html" | "xml" | "svg" | "css" | "sql" => return None,
        "" if ["Makefile", "makefile", "GNUmakefile", "Dockerfile", "Procfile"].contains(&name) => Syntax::Bare,
        _ => Syntax::Code,
    })
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.starts_with(|letter: char| letter.is_ascii_digit())
        && digits.chars().all(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter))
        && digits.chars().filter(|letter| *letter == '.').count() <= 1
}

fn is_constant(text: &str) -> bool {
    ["true", "false", "True", "False", "None", "null", "nil", "NULL", "undefined"].contains(&text)
}

fn is_string(text: &str) -> bool {
    let mut letters = text.chars();
    let (first, last) = (letters.next(), letters.next_back());
    matches!(first, Some('"' | '\'' | '`')) && first == last && {
        let inner = text.get(1..text.len() - 1).unwrap_or_default();
        first.is_some_and(|quote| !inner.contains(quote))
    }
}

fn is_literal(text: &str) -> bool {
    is_number(text) || is_constant(text) || is_string(text)
}

/// The ranges of the strings and numbers of an expression.
fn literals(text: &str) -> Vec<Range<usize>> {
    let pattern = Regex::new(r#""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b\d[\w.]*"#);
    pattern.map(|pattern| pattern.find_iter(text).map(|found| found.range()).collect()).unwrap_or_default()
}

fn is_python(value: &str) -> bool {
    value == "True" || value == "False"
}

/// The new value in the place of the old one. The error says why it does not fit there.
fn spelled(old: &str, to: &Value, syntax: Syntax) -> Result<String, String> {
    // Python capitalizes them.
    match to.text.as_str() {
        "true" if is_python(old) && !to.quoted => return Ok("True".to_owned()),
        "false" if is_python(old) && !to.quoted => return Ok("False".to_owned()),
        _ => {}
    }
    let new = to.text.as_str();
    // On and off are spelled as the file spells them.
    if !to.quoted
        && let Some(on) = [("on", true), ("off", false), ("true", true), ("false", false)]
            .into_iter()
            .find_map(|(word, on)| (word == new.to_lowercase()).then_some(on))
        && !(is_string(old) && ["true", "false"].contains(&new))
        && let Some(word) = switched(old, on)
        && !["0", "1"].contains(&old)
    {
        return Ok(word);
    }
    if new.contains(['\n', '\\']) {
        return Err("such a text cannot be written there without a model".to_owned());
    }
    if is_string(old) {
        let quote = old.get(..1).unwrap_or("\"");
        return match new.contains(quote) {
            true => Err("the new text has quotes of the same sort".to_owned()),
            false => Ok(format!("{quote}{new}{quote}")),
        };
    }
    let quoted = || match new.contains('"') {
        true => Err("the new text has quotes of the same sort".to_owned()),
        false => Ok(format!("\"{new}\"")),
    };
    if syntax == Syntax::Bare {
        let plain = new.chars().all(|letter| letter.is_alphanumeric() || "_./:@%+,=-".contains(letter));
        let ends = new.ends_with(':') || new.starts_with(['@', '%', ',']);
        return if plain && !ends && !new.is_empty() { Ok(new.to_owned()) } else { quoted() };
    }
    if is_number(old) || is_constant(old) {
        return match () {
            () if to.quoted => quoted(),
            () if is_number(new) || is_constant(new) => Ok(new.to_owned()),
            () => Err(format!("{} is no such value; write a text in quotes", code(new))),
        };
    }
    if super::is_path_of_names(old) && !to.quoted && super::is_path_of_names(new) {
        return Ok(new.to_owned());
    }
    // One number in an expression is the value: `Decimal("0.20")`, `process.env.PORT ?? 8080`.
    let found = literals(old);
    let computed = || Err("it is computed, so which part is to change cannot be told".to_owned());
    // The variable that is read first has a name, and the value behind it is the default: `os.environ.get("PORT", "8080")`.
    let is_variable = |range: &Range<usize>| {
        let text = old.get(range.clone()).unwrap_or_default().trim_matches(['"', '\'']);
        !text.is_empty()
            && text.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
            && text.contains(|letter: char| letter.is_ascii_uppercase())
    };
    let reads = old.to_lowercase().contains("env");
    let found: Vec<Range<usize>> = found.into_iter().filter(|range| !(reads && is_variable(range))).collect();
    let [range] = found.as_slice() else { return computed() };
    let literal = old.get(range.clone()).unwrap_or_default();
    let inner = literal.trim_matches(['"', '\'']);
    let around = format!("{} {}", old.get(..range.start).unwrap_or_default(), old.get(range.end..).unwrap_or_default());
    // `30 * time.Second` has its unit beside it.
    let is_duration = around.trim().starts_with("* time.") && !around.trim().contains('(');
    if is_duration && is_number(new) {
        return Ok(old.replacen(literal, new, 1));
    }
    if reads && is_string(literal) && !is_number(inner) && !new.contains(['"', '\'']) {
        let mut made = old.to_owned();
        made.replace_range(range.clone(), &literal.replace(inner, new));
        return Ok(made);
    }
    if around.contains(['+', '*', '%', '[', '<', '>']) || around.contains(" - ") || around.contains(" / ") {
        return computed();
    }
    if !is_number(inner) || !is_number(new) {
        return computed();
    }
    let mut made = old.to_owned();
    made.replace_range(range.clone(), &literal.replace(inner, new));
    Ok(made)
}
