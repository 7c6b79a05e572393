//! A script or a target of the project that is given what the request names: "flash the board on /dev/ttyUSB1", "release 0.5.0". Every word
//! has to be said by the name of the script or by its text, so that nothing is run for words about something else.

use std::sync::LazyLock;

use aside_commands::project::goal::RequestedGoal;
use aside_text::lazy_regex::Regex;

use super::arguments::{self, Argument, Arguments};
use crate::run::project::Project;
use crate::run::search::identifiers::{parts, stem};

/// A script of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFile {
    pub path: String,
    pub text: String,
    pub is_executable: bool,
}

/// Words that say nothing about what is run.
const FILLERS: &[&str] = &[
    "run",
    "execute",
    "start",
    "call",
    "the",
    "a",
    "an",
    "script",
    "with",
    "on",
    "to",
    "for",
    "using",
    "use",
    "via",
    "over",
    "at",
    "of",
    "in",
    "argument",
    "arguments",
    "arg",
    "args",
    "parameter",
    "please",
    "pls",
    "my",
    "our",
    "this",
    "it",
    "make",
    "do",
    "now",
    "and",
    "as",
    "from",
    "into",
    "file",
    "value",
    "version",
    "port",
    "device",
    "can",
    "you",
    "could",
    "against",
    "number",
    "new",
    "by",
];

/// The command; `None` where no script takes what the request names.
pub fn command(words: &str, scripts: &[ScriptFile], project: &Project) -> Option<String> {
    let (said, arguments) = read(words)?;
    let mut found: Vec<(usize, String)> = Vec::new();
    for script in scripts {
        let name = script.path.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
        if let Some(fit) = fit(name, &said, &script.text)
            && takes_arguments(&script.text)
            && let Some(called) = called(script)
        {
            let arguments: Vec<String> = arguments.iter().map(|argument| argument.spelled(&script.text)).collect();
            found.push((fit, format!("{called} {}", arguments.join(" "))));
        }
    }
    found.extend(targets(&said, &arguments, project));
    let best = found.iter().map(|(fit, _)| *fit).max()?;
    found.retain(|(fit, _)| *fit == best);
    if found.len() == 1 { found.pop().map(|(_, cmd)| cmd) } else { None }
}

/// A documented command that starts a server, with the port of a request.
pub fn on_port(words: &str, command: &str) -> Option<String> {
    let asked = Arguments::of(words);
    let goal = RequestedGoal::of(&asked.rest).goal.is_none_or(|goal| goal.name == "start");
    match asked.all.as_slice() {
        [Argument::Port(port)] if goal => arguments::on_port(command, port),
        _ => None,
    }
}

struct GivenArgument {
    value: String,
    /// The word before it: `port` of "with port 3".
    before: String,
}

impl GivenArgument {
    /// With the option of the script that the word before it names.
    fn spelled(&self, text: &str) -> String {
        let value = quoted(&self.value);
        let option = format!("--{}", self.before);
        let is_option = !self.before.is_empty()
            && [
                format!("{option})"),
                format!("{option}|"),
                format!("\"{option}\""),
                format!("'{option}'"),
                format!("{option}="),
            ]
            .iter()
            .any(|form| text.contains(form.as_str()));
        if is_option { format!("{option} {value}") } else { value }
    }
}

fn quoted(value: &str) -> String {
    let is_plain = value.chars().all(|letter| letter.is_ascii_alphanumeric() || "./_-+@:=,%".contains(letter));
    if is_plain { value.to_owned() } else { format!("'{}'", value.replace('\'', "")) }
}

/// The words of a request, and the arguments in it; `None` where it has none.
fn read(words: &str) -> Option<(Vec<String>, Vec<GivenArgument>)> {
    static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""[^"]+"|'[^']+'|`[^`]+`|\S+"#).ok());
    static ARGUMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:/[\w./-]+|\.{1,2}/[\w./-]+|v?\d[\w.:-]*|[\w.-]+=\S+|https?://\S+|[\w.-]+@[\w.-]+|[\w./-]+\.(?:csv|json|txt|bin|hex|sql|ya?ml|toml|xml|log|dump|gz|zip|md|png|jpg))$").ok()
    });
    let (mut said, mut arguments) = (Vec::new(), Vec::new());
    let mut before = String::new();
    for token in QUOTED.as_ref()?.find_iter(words).map(|token| token.as_str()) {
        let bare = token.trim_end_matches([',', '!', '?', ';']).trim_end_matches('.');
        let is_quoted = token.starts_with(['"', '\'', '`']) && token.len() > 2;
        if is_quoted || ARGUMENT.as_ref()?.is_match(bare) {
            let value = if is_quoted { token.trim_matches(['"', '\'', '`']) } else { bare };
            arguments.push(GivenArgument { value: value.to_owned(), before: before.clone() });
        } else {
            let lower = bare.to_lowercase();
            said.extend(parts(&lower).into_iter().map(|part| stem(&part)).filter(|part| !part.is_empty()));
            before = lower;
        }
    }
    let is_safe = arguments
        .iter()
        .all(|argument| !argument.value.starts_with('-') && !argument.value.contains(['\n', '\'', '`', '$']));
    (!arguments.is_empty() && arguments.len() < 4 && said.len() < 12 && is_safe).then_some((said, arguments))
}

/// How many words of the request are the name's; `None` where a part of the name is not said, or a word is not explained by the text.
fn fit(name: &str, said: &[String], text: &str) -> Option<usize> {
    let own: Vec<String> =
        parts(name).into_iter().map(|part| stem(&part.to_lowercase())).filter(|part| !part.is_empty()).collect();
    let same = |one: &String, other: &String| {
        one == other
            || ["db", "databas"].contains(&one.as_str()) && other.starts_with("databas")
            || one.len() > 3 && other.starts_with(one.as_str())
    };
    if own.is_empty() || !own.iter().all(|part| said.iter().any(|word| same(part, word))) {
        return None;
    }
    let about: Vec<String> =
        text.split(|letter: char| !letter.is_alphanumeric()).map(|word| stem(&word.to_lowercase())).collect();
    let is_known = |word: &String| {
        own.iter().any(|part| same(part, word))
            || FILLERS.iter().any(|filler| stem(filler) == *word || filler == word)
            || about.contains(word)
    };
    said.iter().all(is_known).then_some(own.len())
}

fn takes_arguments(text: &str) -> bool {
    static TAKES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"\$\{?[1-9@*]|\$#|getopts|add_argument|sys\.argv|argparse|@click\.|typer|process\.argv|\bARGV\b|os\.Args",
        )
        .ok()
    });
    TAKES.as_ref().is_some_and(|takes| takes.is_match(text))
}

fn called(script: &ScriptFile) -> Option<String> {
    let path = &script.path;
    if path.starts_with('-') || !path.chars().all(|letter| letter.is_ascii_alphanumeric() || "./_-".contains(letter)) {
        return None;
    }
    if let Some((_, command)) = path.split_once("management/commands/") {
        return Some(format!("python manage.py {}", command.trim_end_matches(".py")));
    }
    Some(match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        _ if script.is_executable => format!("./{path}"),
        "sh" | "bash" => format!("bash {path}"),
        "py" => format!("python3 {path}"),
        "js" | "mjs" | "cjs" => format!("node {path}"),
        "ts" => format!("npx tsx {path}"),
        "rb" => format!("ruby {path}"),
        _ => return None,
    })
}

/// Targets of the Makefile whose recipe uses a variable that the request gives a value.
fn targets(said: &[String], arguments: &[GivenArgument], project: &Project) -> Vec<(usize, String)> {
    let Some(text) = project.text("Makefile") else { return Vec::new() };
    let [argument] = arguments else { return Vec::new() };
    let Ok(variable) = Regex::new(r"\$[({](\w+)[)}]") else { return Vec::new() };
    let names =
        text.lines().filter(|line| !line.starts_with(['\t', ' ', '.', '#'])).filter_map(|line| line.split_once(':'));
    let names = names
        .map(|(name, _)| name)
        .filter(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter)));
    let mut found = Vec::new();
    for name in names {
        let Some((_, lines)) = project.recipe(name) else { continue };
        let recipe = lines.join("\n");
        let Some(fit) = fit(name, said, &recipe) else { continue };
        let used: Vec<String> = variable.captures_iter(&recipe).map(|found| found[1].to_owned()).collect();
        let is_said = |variable: &&String| {
            said.contains(&stem(&variable.to_lowercase())) || argument.before == variable.to_lowercase()
        };
        let optional: Vec<&String> = used
            .iter()
            .filter(|variable| text.contains(&format!("{variable} ?=")) || !text.contains(&format!("{variable} ")))
            .collect();
        let wanted = match (used.iter().find(is_said), optional.as_slice()) {
            (Some(said), _) => said,
            (None, [only]) => only,
            (None, _) => continue,
        };
        found.push((fit, format!("make {name} {wanted}={}", quoted(&argument.value))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_gets_what_the_request_names() {
        let script = |path: &str, text: &str| ScriptFile {
            path: path.to_owned(),
            text: text.to_owned(),
            is_executable: path.ends_with(".sh"),
        };
        let scripts = [
            script("scripts/flash.sh", "# Flash the firmware image to the board.\nPORT=${1:-/dev/ttyUSB0}\n"),
            script("scripts/seed.py", "import sys\nprint(sys.argv)\n"),
            script("scripts/export.py", "parser.add_argument(\"--out\")\nimport argparse\n# writes orders\n"),
            script("scripts/clean.sh", "rm -rf build\n"),
        ];
        let project =
            Project { files: vec![("Makefile".to_owned(), "PORT ?= 1\nmonitor:\n\tscreen $(PORT)\n".to_owned())] };
        let told = |words: &str| command(words, &scripts, &project).unwrap_or_default();
        assert_eq!(told("flash the board on /dev/ttyUSB1"), "./scripts/flash.sh /dev/ttyUSB1");
        assert_eq!(told("flash with port /dev/ttyUSB1"), "./scripts/flash.sh /dev/ttyUSB1");
        assert_eq!(told("run the seed script with 100"), "python3 scripts/seed.py 100");
        assert_eq!(told("export the orders with out /tmp/a.csv"), "python3 scripts/export.py --out /tmp/a.csv");
        assert_eq!(told("monitor on port /dev/ttyUSB1"), "make monitor PORT=/dev/ttyUSB1");
        for other in
            ["flash the board", "clean build 3", "explain how flash works with 3 boards", "flash the moon on /dev/x"]
        {
            assert_eq!(told(other), "", "{other}");
        }
    }
}
