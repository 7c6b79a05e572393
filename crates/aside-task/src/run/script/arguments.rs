//! Modifiers of a run request: one test, with coverage, in parallel, on a port. `data/task/arguments.toml` says how each runner spells
//! them; without a known runner there is no command.

use std::sync::LazyLock;

use aside_commands::project::targets::{ProjectTarget, TargetOrigin, TargetReason};
use aside_text::lazy_regex::Regex;
use regex::Captures;

use super::spelled_out;
use crate::run::project::Project;
use crate::run::toml_lists;

pub const LIST: &str = include_str!("../../../data/task/arguments.toml");

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Tests with this in their names.
    Only(String),
    Port(String),
    /// All tests but those with this mark or name.
    Skip(String),
    /// The tests of a package, a module or a file, by its path.
    Part(String),
    /// A file or arguments that the program is given.
    Input(String),
    /// Variables of the environment, as `NAME=value`.
    Variables(String),
    /// A mode that each runner spells in its own way, by its name in the data.
    Mode(&'static str),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    pub all: Vec<Argument>,
    /// The request without them.
    pub rest: String,
}

struct Runner {
    is: Vec<String>,
    /// The name of the argument, its spelling, and what it needs.
    spelled: Vec<(&'static str, String, Option<String>)>,
}

const NAMES: [&str; 15] = [
    "only", "coverage", "parallel", "verbose", "failed", "first", "watch", "port", "release", "race", "part", "input",
    "skip", "failures", "fix",
];

static RUNNERS: LazyLock<Vec<Runner>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "runner", |table| {
        let spelled = |name: &'static str| {
            Some((name, toml_lists::text(table, name)?, toml_lists::text(table, &format!("{name}_needs"))))
        };
        let spelled = NAMES.into_iter().filter_map(spelled).collect();
        Some(Runner { is: toml_lists::texts(table, "is"), spelled })
    })
});

/// How users phrase the modifiers, the most specific first. A name is an identifier, or stands where only a name can.
static SAID: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    const NAME: &str =
        r"`?(?P<name>[A-Za-z][A-Za-z0-9]*(?:[_:][A-Za-z0-9_:]+|[a-z0-9][A-Z][A-Za-z0-9]*)(?:\[[\w-]+\])?)`?";
    let rows = [
        ("input", r"\s+with\s+(?:the\s+)?(?:arguments?|args?|parameters?)\s+`?(?P<name>[\w./:=@+-]+(?:\s[\w./:=@+-]+)*)`?$".to_owned()),
        ("port", r"\s*\b(?:on|at|using|with)\s+port\s+(?P<name>[0-9]{2,5})\b".to_owned()),
        ("coverage", r"[\s,]*\b(?:with|and(?:\s+(?:show|measure|report))?|including|measuring)\s+(?:a\s+|the\s+|test\s+|code\s+)*coverage(?:\s+report)?\b".to_owned()),
        ("failures", r"[\s,]*\bwith\s+output\s+on\s+failure\b".to_owned()),
        ("fix", r"[\s,]*\bin\s+fix\s+mode\b".to_owned()),
        ("parallel", r"[\s,]*\bin\s+parallel\b".to_owned()),
        ("verbose", r"[\s,]*\b(?:verbosely|in\s+verbose\s+mode|with\s+(?:verbose|more|full)\s+output|with\s+-v)\b".to_owned()),
        ("watch", r"[\s,]*\b(?:in\s+watch\s+mode|and\s+watch(?:\s+for\s+changes)?|on\s+every\s+change|continuously)\b".to_owned()),
        ("release", r"[\s,]*\b(?:in\s+(?:the\s+)?release(?:\s+(?:mode|profile))?|with\s+(?:the\s+release\s+profile|optimi[sz]ations?)|as\s+(?:a\s+)?release|optimi[sz]ed)(?:\s+build)?\b".to_owned()),
        ("race", r"[\s,]*\b(?:with|using|under)\s+(?:the\s+)?race\s+(?:detector|detection)(?:\s+on|\s+enabled)?\b".to_owned()),
        ("first", r"[\s,]*\b(?:(?:and|but)\s+)?(?:stop|stopping|until|up to)\s+(?:at|on|after|with)?\s*the\s+first\s+(?:failure|failing\s+(?:one|test)|error)\b".to_owned()),
        ("failed", r"\b(?:only\s+|just\s+)?(?:the\s+)?(?:tests\s+that\s+(?:have\s+)?failed|(?:last\s+)?fail(?:ed|ing)\s+(?:tests|ones))(?:\s+(?:only|last\s+time|again))?".to_owned()),
        ("skip", r"[\s,]*\b(?:but\s+|and\s+)?(?:skip(?:ping)?|without|except(?:\s+for)?|excluding|exclude|leav(?:e|ing)\s+out|ignoring)\s+(?:the\s+|any\s+|all\s+)?(?P<name>[a-z][a-z0-9_]*)(?:\s+(?:ones|tests?|marked\s+ones))".to_owned()),
        ("only", format!(r"(?:\b(?:only|just)\s+)?\b(?:the\s+)?(?:single\s+)?tests?\s+(?:called\s+|named\s+|case\s+)?{NAME}(?:\s+(?:only|alone|by\s+itself))?\s*$")),
        ("only", format!(r"\b(?:only|just)\s+(?:the\s+)?{NAME}(?:\s+tests?)?\s*$")),
        ("only", format!(r"(?:\bthe\s+)?{NAME}\s+(?:tests?(?:\s+(?:only|alone))?|only|alone|by\s+itself)\s*$")),
        ("only", r"\b(?:only|just)\s+the\s+(?P<name>[a-z][a-z0-9]+)\s+tests?\s*$".to_owned()),
        ("only", r"^\s*`?(?P<name>test_\w+|Test[A-Z]\w*)`?\s*$".to_owned()),
    ];
    // Case distinguishes names from words, so only the words around a name are case-insensitive.
    let new = |(name, pattern): (&'static str, String)| Some((name, Regex::new(&pattern).ok()?));
    rows.into_iter().filter_map(new).collect()
});

impl Arguments {
    pub fn of(words: &str) -> Self {
        let words = words.trim().trim_end_matches(['.', '!', '?']);
        let mut all = Vec::new();
        let mut rest = words.to_owned();
        if let Some((head, variables)) = spelled_out::variables(words) {
            all.push(Argument::Variables(variables));
            rest = head.to_owned();
        }
        for (what, pattern) in SAID.iter() {
            let Some(found) = pattern.captures(&rest) else { continue };
            let Some(range) = found.get(0).map(|whole| whole.range()) else { continue };
            // One name means one test.
            if *what == "only" && all.iter().any(|known| matches!(known, Argument::Only(_))) {
                continue;
            }
            all.push(argument(what, &found));
            rest.replace_range(range, " ");
        }
        Self { all, rest: rest.split_whitespace().collect::<Vec<_>>().join(" ") }
    }

    /// The goal when the request names none.
    pub fn goal(&self) -> &'static str {
        if self.all.iter().any(|argument| matches!(argument, Argument::Port(_))) { "start" } else { "tests" }
    }
}

fn argument(what: &'static str, found: &Captures<'_>) -> Argument {
    let name = found.name("name").map_or("", |name| name.as_str()).to_owned();
    match what {
        "only" => Argument::Only(name),
        "port" => Argument::Port(name),
        "skip" => Argument::Skip(name),
        "input" => Argument::Input(name),
        _ => Argument::Mode(what),
    }
}

impl Argument {
    fn name(&self) -> &'static str {
        match self {
            Argument::Only(_) => "only",
            Argument::Port(_) => "port",
            Argument::Skip(_) => "skip",
            Argument::Part(_) => "part",
            Argument::Input(_) => "input",
            Argument::Variables(_) => "variables",
            Argument::Mode(name) => name,
        }
    }

    fn value(&self) -> &str {
        match self {
            Argument::Only(value)
            | Argument::Port(value)
            | Argument::Skip(value)
            | Argument::Part(value)
            | Argument::Input(value)
            | Argument::Variables(value) => value,
            Argument::Mode(_) => "",
        }
    }

    /// The file or the arguments that the program is given.
    pub fn input(&self) -> Option<&str> {
        match self {
            Argument::Input(value) => Some(value),
            _ => None,
        }
    }

    /// In words, for the user.
    pub fn said(&self) -> String {
        match self {
            Argument::Only(name) => format!("only {name}"),
            Argument::Port(port) => format!("port {port}"),
            Argument::Skip(name) => format!("without {name}"),
            Argument::Part(path) => format!("only {path}"),
            Argument::Input(path) => path.clone(),
            Argument::Variables(all) => all.clone(),
            Argument::Mode(name) => (*name).to_owned(),
        }
    }
}

/// A command with its arguments, and what has to be installed for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub cmd: String,
    pub needs: Vec<String>,
    /// The command is the target's recipe, not the target itself.
    pub by_recipe: bool,
}

/// An offer with these arguments applied; `None` where its runner does not support one of them.
pub fn applied(offer: &ProjectTarget, arguments: &[Argument], project: &Project) -> Option<Applied> {
    if arguments.is_empty() {
        return Some(Applied { cmd: offer.cmd.clone(), needs: Vec::new(), by_recipe: false });
    }
    // Variables stand before any command.
    if let Some(Argument::Variables(variables)) =
        arguments.iter().find(|argument| matches!(argument, Argument::Variables(_)))
    {
        let others: Vec<Argument> =
            arguments.iter().filter(|argument| !matches!(argument, Argument::Variables(_))).cloned().collect();
        let applied = applied(offer, &others, project)?;
        let joined = applied.cmd.contains(['&', '|', ';']);
        return (!joined).then(|| Applied { cmd: format!("{variables} {}", applied.cmd), ..applied });
    }
    let recipe = recipe_of(offer, project);
    // A script that watches already is called as it is.
    let has_mode = |argument: &Argument| match (argument, &recipe) {
        (Argument::Mode(mode), Some(recipe)) => {
            recipe.split_whitespace().any(|word| word.trim_start_matches('-') == *mode)
        }
        _ => false,
    };
    if arguments.iter().all(has_mode) {
        return Some(Applied { cmd: offer.cmd.clone(), needs: Vec::new(), by_recipe: false });
    }
    if let [Argument::Port(port)] = arguments
        && let Some(cmd) = with_port(offer, recipe.as_deref(), port, project)
    {
        return Some(cmd);
    }
    let runs = match (&recipe, offer.origin) {
        (Some(recipe), _) => recipe.as_str(),
        (None, TargetOrigin::Usual(_) | TargetOrigin::File) => offer.cmd.as_str(),
        (None, TargetOrigin::Script) if matches!(offer.why, TargetReason::Cargo(_)) => offer.cmd.as_str(),
        (None, TargetOrigin::Target | TargetOrigin::Script) => return None,
    };
    // `vitest run` ends after one run, whatever flags follow. A file of tests is given to the script that runs all of them.
    if let [Argument::Mode("watch")] = arguments {
        let of_file = offer.cmd.split_once(" test -- ").filter(|_| offer.origin == TargetOrigin::File);
        let script = of_file.and_then(|_| project.script("test"));
        if has_words(script.as_deref().unwrap_or(runs), "vitest run") {
            let manager = offer.cmd.split(' ').next().unwrap_or_default();
            let exec = if manager == "npm" { "npx" } else { &format!("{manager} exec") };
            let file = of_file.map(|(_, file)| format!(" {file}")).unwrap_or_default();
            return Some(Applied { cmd: format!("{exec} vitest{file}"), needs: Vec::new(), by_recipe: false });
        }
    }
    let runner = RUNNERS.iter().find(|runner| runner.is.iter().any(|is| has_words(runs, is)))?;
    let mut added = String::new();
    let mut needs = Vec::new();
    for argument in arguments {
        // A mark is only known to pytest if the project declares it.
        if let Argument::Skip(name) = argument
            && runner.is.iter().any(|is| is == "pytest")
            && !declares_mark(name, project)
        {
            return None;
        }
        let (_, spelled, need) = runner.spelled.iter().find(|(name, ..)| *name == argument.name())?;
        let spelled = match argument {
            Argument::Part(path) => of_part(spelled, path),
            _ => spelled.replace("{}", argument.value()),
        };
        needs.extend(need.clone());
        // The runner does so by itself.
        if spelled.is_empty() {
            continue;
        }
        // A target whose recipe has it already is called as it is.
        if recipe.as_deref().is_some_and(|recipe| has_words(recipe, &spelled)) {
            continue;
        }
        added.push(' ');
        added.push_str(&spelled);
    }
    if added.is_empty() {
        return Some(Applied { cmd: offer.cmd.clone(), needs, by_recipe: false });
    }
    // All packages of Go are a path too, and would be run beside the part.
    if arguments.iter().any(|argument| matches!(argument, Argument::Part(_))) && runs.contains(" ./...") {
        let cmd = runs.replacen(" ./...", &added, 1);
        return Some(Applied { cmd, needs, by_recipe: recipe.is_some() });
    }
    let program = offer.cmd.split(' ').next().unwrap_or_default();
    let (cmd, by_recipe) = match program {
        _ if offer.origin != TargetOrigin::Target => (format!("{}{added}", offer.cmd), false),
        "npm" => (format!("{} --{added}", offer.cmd), false),
        "yarn" | "pnpm" | "bun" => (format!("{}{added}", offer.cmd), false),
        _ => (format!("{runs}{added}"), true),
    };
    Some(Applied { cmd, needs, by_recipe })
}

/// Whether a configuration of pytest names a mark.
fn declares_mark(name: &str, project: &Project) -> bool {
    let files = ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"];
    files.iter().filter_map(|file| project.text(file)).any(|text| {
        text.split_once("markers").is_some_and(|(_, rest)| {
            rest.lines().take(20).any(|line| {
                let mark = line.trim_start_matches([' ', '\t', '=', '[', '"', '\'', ',']);
                mark.split([':', '"', '\'', ' ']).next() == Some(name)
            })
        })
    })
}

/// A command that starts a server on another port; `None` where its runner is not told a port, or it has one already.
pub fn on_port(command: &str, port: &str) -> Option<String> {
    if command.contains(['&', '|', ';', '$', '>']) || command.contains("port") || command.contains(" -p ") {
        return None;
    }
    let runner = RUNNERS.iter().find(|runner| runner.is.iter().any(|is| has_words(command, is)))?;
    let (_, spelled, _) = runner.spelled.iter().find(|(name, ..)| *name == "port")?;
    Some(format!("{command} {}", spelled.replace("{}", port)))
}

/// `{}` is the name of the part, `{path}` its path, and `{dir}` the directory that it is in.
fn of_part(spelled: &str, path: &str) -> String {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let dir = if name.contains('.') { above } else { path };
    spelled.replace("{}", stem).replace("{path}", path).replace("{dir}", dir)
}

/// The recipe of a target, if it is a single plain line.
fn recipe_of(offer: &ProjectTarget, project: &Project) -> Option<String> {
    let plain = |line: &String| !line.contains(['$', ';', '|', '&', '`', '<', '>', '{', '\\']);
    if offer.origin == TargetOrigin::Script && matches!(offer.why, TargetReason::NpmScript(_)) {
        return Some(offer.about.clone()).filter(plain);
    }
    if offer.origin != TargetOrigin::Target {
        return None;
    }
    let program = offer.cmd.split(' ').next()?;
    let line = match program {
        "make" | "just" => {
            let (_, lines) = project.recipe(&offer.name)?;
            let [line] = lines.as_slice() else { return None };
            line.clone()
        }
        _ => project.script(&offer.name)?,
    };
    Some(line).filter(plain)
}

/// Sets the port by a variable of the Makefile, or by replacing the number in the recipe.
fn with_port(offer: &ProjectTarget, recipe: Option<&str>, port: &str, project: &Project) -> Option<Applied> {
    static PORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"((?:--port|-p|--bind|--listen)[ =](?:[\w.]+:)?|\b(?:PORT=|localhost:|0\.0\.0\.0:|127\.0\.0\.1:))[0-9]{2,5}\b").ok()
    });
    if offer.origin == TargetOrigin::Target && offer.cmd.starts_with("make ") && project.has_variable("PORT") {
        return Some(Applied { cmd: format!("{} PORT={port}", offer.cmd), needs: Vec::new(), by_recipe: false });
    }
    // A server that takes its port from the environment, as its README says.
    static READS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"`\$?PORT`|\bPORT=\d").ok());
    let is_npm = matches!(offer.why, TargetReason::NpmScript(_));
    let readme = project.text("README.md").unwrap_or_default();
    if is_npm && READS.as_ref().is_some_and(|pattern| pattern.is_match(readme)) {
        return Some(Applied { cmd: format!("PORT={port} {}", offer.cmd), needs: Vec::new(), by_recipe: false });
    }
    let recipe = recipe.filter(|_| offer.cmd.starts_with("make ") || offer.cmd.starts_with("just "))?;
    let pattern = PORT.as_ref()?;
    (pattern.find_iter(recipe).count() == 1).then(|| {
        let cmd = pattern.replace(recipe, |found: &Captures<'_>| format!("{}{port}", &found[1])).into_owned();
        Applied { cmd, needs: Vec::new(), by_recipe: true }
    })
}

/// Whether the words occur in a text in sequence, as whole words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, found)| {
        let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '-');
        edge(text.get(..at).and_then(|before| before.chars().next_back()))
            && edge(text.get(at + found.len()..).and_then(|behind| behind.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_whole() {
        assert_eq!(RUNNERS.len(), toml_lists::count(LIST, "runner"));
        assert!(RUNNERS.iter().all(|runner| !runner.is.is_empty() && !runner.spelled.is_empty()));
        assert_eq!(SAID.len(), 18);
    }

    #[test]
    fn what_is_said_beside_the_name_is_taken_out() {
        let told = |words: &str| {
            let Arguments { all, rest } = Arguments::of(words);
            format!("{} / {rest}", all.iter().map(Argument::said).collect::<Vec<_>>().join(", "))
        };
        for (words, expected) in [
            ("test_coupon only", "only test_coupon / "),
            ("just test_login_fails", "only test_login_fails / "),
            ("only the TestHello test", "only TestHello / "),
            ("the test parsesDates", "only parsesDates / "),
            ("TestHello", "only TestHello / "),
            ("only the coupon tests", "only coupon / "),
            ("the tests with coverage", "coverage / the tests"),
            ("the tests in parallel with coverage", "coverage, parallel / the tests"),
            ("the unit tests verbosely", "verbose / the unit tests"),
            ("only the failed tests", "failed / "),
            ("the tests and stop at the first failure", "first / the tests"),
            ("the tests again but stop at the first failure", "first / the tests again"),
            ("build in release mode", "release / build"),
            ("the tests in release", "release / the tests"),
            ("all go tests with the race detector", "race / all go tests"),
            ("the release script", " / the release script"),
            ("the server on port 9000", "port 9000 / the server"),
            ("the tests", " / the tests"),
            ("the tests only if it builds", " / the tests only if it builds"),
            ("all tests except e2e", " / all tests except e2e"),
            ("pytest but skip the slow ones", "without slow / pytest"),
            ("the tests without the network tests", "without network / the tests"),
            ("deploy only on staging", " / deploy only on staging"),
        ] {
            assert_eq!(told(words), expected, "{words}");
        }
    }
}
