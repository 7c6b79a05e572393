//! Words a way of doing something, with the things that the question names in the places of `{file:FILE}`.

use aside_core::agent::language::Language;

use crate::run::model_reply::fenced;
use crate::run::question::{QuestionReading, Things};

/// What the project adds to a way.
#[derive(Clone, Debug, Default)]
pub struct WayContext {
    pub branch: String,
    /// The command that runs its tests.
    pub test: String,
    /// The program that runs single tests: `vitest run`.
    pub runner: String,
}

/// The answer; `None` for a facet that says nothing by itself.
pub fn told(reading: &QuestionReading, context: &WayContext, language: Language) -> Option<String> {
    let says = reading.facet.says.as_ref()?.of(language);
    let says = filled(says, &reading.things, context);
    let cmd = filled(&reading.facet.cmd, &reading.things, context);
    Some(format!("{}\n{says}\n", fenced("sh", cmd.trim())))
}

fn filled(text: &str, things: &Things, context: &WayContext) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let Some((slot, after)) = behind.split_once('}') else {
            out.push('{');
            rest = behind;
            continue;
        };
        rest = after;
        let (name, default) = slot.split_once(':').unwrap_or((slot, ""));
        match value(name, things, context) {
            Some(value) => out.push_str(&value),
            // `stash@{1}` is no slot.
            None if name.chars().all(|letter| letter.is_ascii_digit()) => out.push_str(&format!("{{{slot}}}")),
            None => out.push_str(&of_default(default, things, context)),
        }
    }
    out.push_str(rest);
    out
}

/// `HEAD~<number:1>`: a default that may have a thing in it.
fn of_default(text: &str, things: &Things, context: &WayContext) -> String {
    let Some((before, behind)) = text.split_once('<') else { return text.to_owned() };
    let Some((slot, after)) = behind.split_once('>') else { return text.to_owned() };
    let (name, default) = slot.split_once(':').unwrap_or((slot, ""));
    let inner = value(name, things, context).unwrap_or_else(|| default.to_owned());
    format!("{before}{inner}{after}")
}

fn value(name: &str, things: &Things, context: &WayContext) -> Option<String> {
    let or_none = |text: &String| (!text.is_empty()).then(|| text.clone());
    match name {
        "file" => things.files.first().or(things.directories.first()).cloned(),
        "ref" => things.refs.first().cloned(),
        "branch" => things.refs.first().map(|name| name.strip_prefix("origin/").unwrap_or(name).to_owned()),
        "number" => things.numbers.first().map(usize::to_string),
        "name" => things.names.first().cloned(),
        "here" => or_none(&context.branch).or_else(|| Some("BRANCH".to_owned())),
        "test" => or_none(&context.test).or_else(|| Some("TEST_COMMAND".to_owned())),
        "runner" => or_none(&context.runner).or_else(|| Some("vitest run".to_owned())),
        _ => None,
    }
}
