//! Changes one key in the text of a configuration file and leaves every other byte alone. Cuts and pastes by position: rendering the parsed
//! TOML would lose CRLF, the byte order mark and the spacing of dotted keys.

use std::ops::Range;

use toml_edit::{Item, Table};

use crate::config::check::{Problem, Source, Values};
use crate::config::schema::{DEFAULTS, Setting, Value};

/// Longer lists get one line per item.
const WIDTH: usize = 80;

/// Where a setting is, or where it would be inserted.
enum Place {
    Present {
        entry: Range<usize>,
        value: Range<usize>,
        shape: Shape,
    },
    /// After the `{` of an inline table.
    Inside {
        brace: usize,
        empty: bool,
    },
    /// On its own line, after the line that contains this offset.
    After {
        offset: usize,
        prefix: String,
    },
    /// In a section that does not exist either.
    Nowhere,
}

enum Shape {
    Lines,
    Inline,
}

pub fn set(source: &Source, setting: &'static Setting, value: &Value) -> Result<String, Problem> {
    let text = source.text;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let name = &setting.name;
    let rendered = render(value, newline);
    let changed = match place(source, setting)? {
        Place::Present { value, .. } => splice(text, value, &rendered),
        Place::Inside { brace, empty: true } => splice(text, brace..brace, &format!(" {name} = {rendered} ")),
        Place::Inside { brace, empty: false } => splice(text, brace..brace, &format!(" {name} = {rendered},")),
        Place::After { offset, prefix } => insert_line(text, offset, &format!("{prefix}{name} = {rendered}"), newline),
        Place::Nowhere => {
            let blank = if text.is_empty() { "" } else { newline };
            let end = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
            format!("{text}{end}{blank}[{}]{newline}{name} = {rendered}{newline}", setting.section)
        }
    };
    let mut expected = source.check().0;
    expected.insert(&setting.key, value.clone());
    verify(source, setting, changed, &expected)
}

/// Removes the key from the text. Leaves the comments above it: they may be about more than the key.
pub fn unset(source: &Source, setting: &'static Setting) -> Result<String, Problem> {
    let text = source.text;
    let Place::Present { entry, shape, .. } = place(source, setting)? else { return Ok(text.to_owned()) };
    let changed = match shape {
        Shape::Lines => splice(text, line_start(text, entry.start)..line_end(text, entry.end), ""),
        Shape::Inline => splice(text, with_comma(text, entry), ""),
    };
    let mut expected = source.check().0;
    expected.remove(setting.key.as_str());
    verify(source, setting, changed, &expected)
}

/// The text of a new file: `default.toml` with every value commented out.
pub fn template() -> String {
    let stays = |line: &str| line.is_empty() || line.starts_with(['#', '[']);
    DEFAULTS.lines().map(|line| if stays(line) { format!("{line}\n") } else { format!("# {line}\n") }).collect()
}

fn place(source: &Source, setting: &Setting) -> Result<Place, Problem> {
    let document = source.parse()?;
    let start = |span: Option<Range<usize>>| span.map_or(0, |span| span.start);
    let refuse = |what: &str, span| {
        Err(source.problem(start(span), format!("{what} is not what it should be here; change it by hand")))
    };
    let mut names = setting.section.split('.');
    let Some((mut section_key, mut section)) = names.next().and_then(|name| document.as_table().get_key_value(name))
    else {
        return Ok(Place::Nowhere);
    };
    // Descends into nested sections.
    for name in names {
        let Some(table) = section.as_table_like() else { return refuse(&setting.section, section_key.span()) };
        match (table.get_key_value(name), section) {
            (Some(found), _) => (section_key, section) = found,
            // A new header can only follow another header, not dotted keys or an inline table.
            (None, Item::Table(outer)) if !outer.is_dotted() => return Ok(Place::Nowhere),
            (None, _) => return refuse(&setting.section, section_key.span()),
        }
    }
    let Some(table) = section.as_table_like() else { return refuse(&setting.section, section_key.span()) };
    if let Some((key, item)) = table.get_key_value(&setting.name) {
        let (Some(value), Some(key_span)) = (item.as_value().and_then(toml_edit::Value::span), key.span()) else {
            return refuse(&setting.key, key.span());
        };
        let shape = if section.is_inline_table() { Shape::Inline } else { Shape::Lines };
        return Ok(Place::Present { entry: key_span.start..value.end, value, shape });
    }
    Ok(match section {
        // Dotted keys below a header belong to that header, and it is not known here which one that is.
        Item::Table(table) if table.is_dotted() && setting.section.contains('.') => {
            return refuse(&setting.section, section_key.span());
        }
        Item::Table(table) if table.is_dotted() => {
            let prefix = format!("{}.", setting.section);
            Place::After { offset: last_value(table).unwrap_or_else(|| start(section.span())), prefix }
        }
        // Only `[section.something]` exists.
        Item::Table(table) if table.is_implicit() => Place::Nowhere,
        Item::Table(table) => {
            let header = section.span().map_or(0, |span| span.end);
            let offset = commented_out(source.text, header, table, &setting.name)
                .unwrap_or_else(|| last_value(table).unwrap_or(header));
            Place::After { offset, prefix: String::new() }
        }
        inline => Place::Inside { brace: start(inline.span()) + 1, empty: table.is_empty() },
    })
}

/// The end of the last value directly in this table.
fn last_value(table: &Table) -> Option<usize> {
    value_spans(table).map(|span| span.end).max()
}

fn value_spans(table: &Table) -> impl Iterator<Item = Range<usize>> {
    table.iter().filter_map(|(_, item)| item.as_value()?.span())
}

/// The end of the commented-out default that `template` wrote, so that the value is inserted below its own explanation.
fn commented_out(text: &str, header: usize, table: &Table, name: &str) -> Option<usize> {
    let mut offset = line_end(text, header);
    let mut lines = Vec::new();
    while offset < text.len() {
        let end = line_end(text, offset);
        lines.push((offset, text[offset..end].trim()));
        offset = end;
    }
    let mut section = lines.into_iter().take_while(|(_, line)| !line.starts_with('['));
    // A line of a multi-line string may look like a comment.
    let in_value = |offset| value_spans(table).any(|span| span.contains(&offset));
    let (offset, line) = section.find(|(offset, line)| is_comment_of(line, name) && !in_value(*offset))?;
    if line.ends_with('[') { section.find(|(_, line)| *line == "# ]").map(|(end, _)| end) } else { Some(offset) }
}

fn is_comment_of(line: &str, name: &str) -> bool {
    let rest = line.strip_prefix('#').map(str::trim_start).and_then(|line| line.strip_prefix(name));
    rest.is_some_and(|rest| rest.trim_start().starts_with('='))
}

fn insert_line(text: &str, offset: usize, line: &str, newline: &str) -> String {
    let end = line_end(text, offset);
    if text[..end].ends_with('\n') {
        splice(text, end..end, &format!("{line}{newline}"))
    } else {
        splice(text, end..end, &format!("{newline}{line}"))
    }
}

/// An entry of an inline table, with the comma that must be removed with it.
fn with_comma(text: &str, entry: Range<usize>) -> Range<usize> {
    let after = text[entry.end..].trim_start();
    if let Some(rest) = after.strip_prefix(',') {
        return entry.start..text.len() - rest.trim_start().len();
    }
    let before = text[..entry.start].trim_end();
    match before.strip_suffix(',') {
        Some(rest) => rest.len()..entry.end,
        None => entry,
    }
}

fn render(value: &Value, newline: &str) -> String {
    let line = value.to_string();
    match value {
        Value::List(items) if line.len() > WIDTH => {
            let items: String = items.iter().map(|item| format!("  {},{newline}", Value::Text(item.clone()))).collect();
            format!("[{newline}{items}]")
        }
        Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) | Value::Text(_) | Value::List(_) => line,
    }
}

fn splice(text: &str, at: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..at.start], &text[at.end..])
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |newline| offset + newline + 1)
}

/// Checks that the edit changed only the given setting, in case TOML allows a form that the edits by position do not handle.
fn verify(source: &Source, setting: &Setting, changed: String, expected: &Values) -> Result<String, Problem> {
    let (values, _) = Source { file: source.file, text: &changed }.check();
    if values == *expected {
        return Ok(changed);
    }
    let message = format!("{} could not be changed without touching the rest; change it by hand", setting.key);
    Err(Problem { file: source.file.to_owned(), line: 0, column: 0, message })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::schema::setting;

    fn source(text: &str) -> Source<'_> {
        Source { file: Path::new("config.toml"), text }
    }

    fn set_to(text: &str, key: &str, words: &[&str]) -> String {
        let setting = setting(key).unwrap();
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let value = setting.parse(&words).unwrap();
        set(&source(text), setting, &value).unwrap_or_else(|problem| problem.to_string())
    }

    fn unset_in(text: &str, key: &str) -> String {
        unset(&source(text), setting(key).unwrap()).unwrap_or_else(|problem| problem.to_string())
    }

    #[test]
    fn a_value_is_replaced_and_every_other_byte_stays() {
        let before = "\u{feff}# Mine\r\n[ complete ]   # c\r\n\tenabled=true # why\n\n\n[history]\nignore = [ 'a',\n\n 'b' ]\n# end";
        let after = set_to(before, "complete.enabled", &["false"]);
        assert_eq!(after, before.replace("=true", "=false"));
        let after = set_to(before, "history.ignore", &["c"]);
        assert_eq!(after, before.replace("[ 'a',\n\n 'b' ]", r#"["c"]"#));
    }

    #[test]
    fn a_new_key_goes_to_the_end_of_its_section() {
        let set = |text| set_to(text, "complete.right_arrow", &["word"]);
        assert_eq!(set(""), "[complete]\nright_arrow = \"word\"\n");
        assert_eq!(set("# Mine"), "# Mine\n\n[complete]\nright_arrow = \"word\"\n");
        assert_eq!(
            set("[history]\nrecord = false\n"),
            "[history]\nrecord = false\n\n[complete]\nright_arrow = \"word\"\n"
        );
        assert_eq!(set("[complete]\n\n[history]\n"), "[complete]\nright_arrow = \"word\"\n\n[history]\n");
        assert_eq!(
            set("[complete]\r\nenabled = true # yes\r\n\r\n# More\r\n[history]\r\n"),
            "[complete]\r\nenabled = true # yes\r\nright_arrow = \"word\"\r\n\r\n# More\r\n[history]\r\n"
        );
        assert_eq!(set("[complete]\nenabled = true"), "[complete]\nenabled = true\nright_arrow = \"word\"");
        assert_eq!(
            set("[history]\nignore = ['''\n[complete]\n''']\n[complete]"),
            "[history]\nignore = ['''\n[complete]\n''']\n[complete]\nright_arrow = \"word\""
        );
    }

    #[test]
    fn dotted_keys_and_inline_tables_keep_their_style() {
        let set = |text| set_to(text, "complete.right_arrow", &["word"]);
        assert_eq!(
            set("complete . enabled = true\n\n[daemon]\n"),
            "complete . enabled = true\ncomplete.right_arrow = \"word\"\n\n[daemon]\n"
        );
        assert_eq!(set("complete = { enabled = true }\n"), "complete = { right_arrow = \"word\", enabled = true }\n");
        assert_eq!(set("complete = {}"), "complete = { right_arrow = \"word\" }");
        assert_eq!(
            set("complete = { right_arrow = 'all', enabled = true }"),
            "complete = { right_arrow = \"word\", enabled = true }"
        );
    }

    #[test]
    fn a_section_within_another_is_found_or_made() {
        let set = |text| set_to(text, "llm.task.model", &["m"]);
        assert_eq!(set(""), "[llm.task]\nmodel = \"m\"\n");
        assert_eq!(set("[llm]\nmodel = 'x'\n"), "[llm]\nmodel = 'x'\n\n[llm.task]\nmodel = \"m\"\n");
        assert_eq!(set("[llm.task]\nmodel = 'x'\n[llm]\n"), "[llm.task]\nmodel = \"m\"\n[llm]\n");
        assert_eq!(set("[llm.task]\n\n[llm]\n"), "[llm.task]\nmodel = \"m\"\n\n[llm]\n");
        assert_eq!(set("[llm]\ntask = {}\n"), "[llm]\ntask = { model = \"m\" }\n");
        assert_eq!(set_to("[llm.task]\n", "llm.model", &["m"]), "[llm.task]\n\n[llm]\nmodel = \"m\"\n");
        let by_hand = "llm.task is not what it should be here; change it by hand";
        assert_eq!(set("llm.model = 'x'\n"), format!("config.toml:1: {by_hand}"));
        assert_eq!(set("[llm]\ntask.provider = 'local'\n"), format!("config.toml:2: {by_hand}"));
        assert_eq!(unset_in("[llm.task]\nmodel = 'x'\n", "llm.task.model"), "[llm.task]\n");
        let template = template();
        let changed = set_to(&template, "llm.task.model", &["m"]);
        assert_eq!(changed.len(), template.len() + "model = \"m\"\n".len());
        assert_eq!(unset_in(&changed, "llm.task.model"), template);
    }

    #[test]
    fn a_price_may_be_whole_or_not() {
        assert_eq!(set_to("", "llm.input_price", &["3"]), "[llm]\ninput_price = 3.0\n");
        assert_eq!(set_to("", "llm.input_price", &["0.15"]), "[llm]\ninput_price = 0.15\n");
        let price = setting("llm.input_price").unwrap();
        for wrong in ["-1", "nan", "inf", "much"] {
            let expected = "llm.input_price must be between 0 and 1000000";
            let complaint = price.parse(&[wrong.to_owned()]).unwrap_err().message;
            assert!(complaint.starts_with(expected), "{complaint}");
        }
    }

    #[test]
    fn unsetting_takes_the_line_and_nothing_else() {
        let unset = |text| unset_in(text, "history.ignore");
        assert_eq!(
            unset("[history]\n# Why\n  ignore = [\n 'a', # x\n] # y\r\nrecord = true"),
            "[history]\n# Why\nrecord = true"
        );
        assert_eq!(unset("[history]\nignore = []"), "[history]\n");
        assert_eq!(unset("history.ignore = []\n# z\n"), "# z\n");
        assert_eq!(unset("history = { ignore = [], record = true }"), "history = { record = true }");
        assert_eq!(unset("history = { record = true, ignore = [] }"), "history = { record = true }");
        assert_eq!(unset("history = { ignore = [] }"), "history = {  }");
        assert_eq!(unset("[daemon]\n"), "[daemon]\n");
    }

    #[test]
    fn a_wrong_value_can_be_put_right_while_other_problems_remain() {
        let before = "[complete]\nenabled = 'maybe'\nnonsense = 1\n";
        assert_eq!(set_to(before, "complete.enabled", &["true"]), before.replace("'maybe'", "true"));
    }

    #[test]
    fn a_file_that_cannot_be_parsed_is_refused_with_its_line() {
        assert_eq!(
            set_to("[complete]\nenabled = tru\n", "complete.enabled", &["true"]),
            "config.toml:2: invalid boolean, expected `true`"
        );
        let wrong = "config.toml:1: complete is not what it should be here; change it by hand";
        assert_eq!(set_to("complete = 1", "complete.enabled", &["true"]), wrong);
        assert_eq!(set_to("[[complete]]", "complete.enabled", &["true"]), wrong);
    }

    #[test]
    fn the_template_sets_nothing_and_shows_everything() {
        let template = template();
        assert_eq!(source(&template).check(), (Values::new(), vec![]));
        assert!(template.contains("\n# right_arrow = \"all\"\n"));
    }

    #[test]
    fn a_value_lands_below_its_commented_default() {
        let template = template();
        assert_eq!(
            set_to(&template, "complete.right_arrow", &["word"]),
            template.replace("# right_arrow = \"all\"\n", "# right_arrow = \"all\"\nright_arrow = \"word\"\n")
        );
        let (before, after) = template.rsplit_once("# ]\n").unwrap();
        let set = set_to(&template, "suggest.capture_blocklist", &["x"]);
        assert_eq!(set, format!("{before}# ]\ncapture_blocklist = [\"x\"]\n{after}"));
    }

    #[test]
    fn what_is_set_and_unset_again_leaves_the_file_as_it_was() {
        for before in
            [template(), "[complete]\r\nenabled = true".to_owned() + "\r\n", "complete = { enabled = true }".to_owned()]
        {
            let changed = set_to(&before, "complete.max_candidates", &["7"]);
            assert_eq!(unset_in(&changed, "complete.max_candidates"), before);
        }
    }

    #[test]
    fn a_long_list_gets_a_line_for_each_item() {
        let items = ["a".repeat(60), r"\bb".repeat(12)];
        let after = set_to("", "history.ignore", &[&items[0], &items[1]]);
        assert_eq!(after, format!("[history]\nignore = [\n  \"{}\",\n  '{}',\n]\n", items[0], items[1]));
    }
}
