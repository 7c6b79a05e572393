//! Finds what to run, by the words for it in `data/task/projects.toml`.

use std::sync::LazyLock;

use aside_text::speech_act;

use crate::project::toml_lists;

pub const LIST: &str = include_str!("../../data/project/projects.toml");

pub struct Goal {
    pub name: String,
    /// The tool's usual command fits as well.
    pub plain: bool,
    pub words: Vec<String>,
    pub targets: Vec<String>,
    /// Words that say no more than the goal itself: "the unit tests".
    pub also: Vec<String>,
}

pub static GOALS: LazyLock<Vec<Goal>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "goal", |table| {
        Some(Goal {
            name: toml_lists::text(table, "name")?,
            plain: table.get("plain").is_some(),
            words: toml_lists::texts(table, "words"),
            targets: toml_lists::texts(table, "targets"),
            also: toml_lists::texts(table, "also"),
        })
    })
});

pub struct RequestedGoal<'a> {
    pub goal: Option<&'a Goal>,
    /// The other words: `integration` of "the integration tests".
    pub rest: Vec<String>,
    /// All words, including those of the goal.
    pub all: Vec<String>,
    /// The verb, if it is not one of running something: `stop`, `delete`, `commit`.
    pub verb: Option<String>,
}

/// Verbs of running something, whatever it is.
const RUNS: &[&str] = &[
    "run", "rerun", "re-run", "execute", "exec", "launch", "start", "invoke", "trigger", "call", "use", "do",
    "perform", "issue", "have", "get", "bring", "fire", "spin", "kick", "give", "make", "go", "carry", "conduct",
    "initiate", "help", "repeat", "retry", "redo", "boot", "play", "take", "serve", "host", "watch",
];

/// The first word, if it is another order.
fn other_order(said: &[String]) -> Option<String> {
    let first = said.first()?;
    let is_goal = GOALS.iter().any(|goal| goal.words.contains(first) || goal.targets.contains(first));
    (!is_goal && !RUNS.contains(&first.as_str()) && speech_act::is_order(first)).then(|| first.clone())
}

/// Words that name nothing.
const FILLERS: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "my",
    "our",
    "your",
    "this",
    "that",
    "these",
    "of",
    "for",
    "in",
    "on",
    "with",
    "to",
    "and",
    "again",
    "please",
    "now",
    "script",
    "scripts",
    "target",
    "task",
    "command",
    "job",
    "recipe",
    "npm",
    "make",
    "just",
    "yarn",
    "pnpm",
    "cargo",
    "run",
    "rerun",
    "execute",
    "it",
    "here",
    "whole",
    "entire",
    "full",
    "up",
    "me",
    "us",
    "code",
    "once",
    "more",
    "everything",
    "thing",
    "lot",
    "step",
    "locally",
    "some",
    "file",
    "files",
    "把",
    "起来",
    "给我",
    "帮我",
    "脚本",
    "命令",
    "一下",
    "全部",
    "所有",
    "这个",
    "的",
    "运行",
    "执行",
    "跑",
    "再",
    "任务",
    "代码",
];

/// Longer words first, since Chinese has no blanks.
const CHINESE_FILLERS: &[&str] = &[
    "一下", "全部", "所有", "这个", "起来", "给我", "帮我", "把", "脚本", "命令", "运行", "执行", "任务", "代码", "的",
    "跑", "再", "下",
];

/// Whether a word starts things, whatever they are.
pub fn is_start(word: &str) -> bool {
    RUNS.contains(&word)
}

pub fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

impl RequestedGoal<'static> {
    pub fn of(words: &str) -> Self {
        let said = tokens(words);
        let all: Vec<String> = said.iter().filter(|word| !is_filler(word)).cloned().collect();
        if let Some(goal) = cleaned(&said) {
            let is_rest = |word: &&String| {
                !goal.words.contains(word) && !CLEANED.contains(&word.as_str()) && Some(*word) != said.first()
            };
            let rest = all.iter().filter(is_rest).cloned().collect();
            return Self { goal: Some(goal), rest, all, verb: None };
        }
        let named = |goal: &&Goal| all.iter().any(|word| goal.words.contains(word));
        // "The release build" is a build: the noun comes last. "Test coverage" is not a test, though.
        let last = all.iter().rev().find_map(|word| GOALS.iter().find(|goal| goal.words.contains(word)));
        let goal = last.or_else(|| GOALS.iter().find(named));
        // "Install the program", "build the app": the verb is the goal, and the noun only means the project.
        let first = said.first().and_then(|word| GOALS.iter().find(|goal| goal.words.contains(word)));
        let whole = all.iter().skip(1).all(|word| WHOLE.contains(&word.as_str()));
        let verb_is_goal = whole && all.len() > 1 && goal.is_some_and(|goal| goal.name == "start");
        let goal = first.filter(|first| verb_is_goal && first.name != "start").or(goal);
        let is_said = |word: &&String| {
            goal.is_some_and(|goal| goal.words.contains(word)) || verb_is_goal && WHOLE.contains(&word.as_str())
        };
        let rest = all.iter().filter(|word| !is_said(word)).cloned().collect();
        let verb = other_order(&said);
        Self { goal, rest, all, verb }
    }
}

impl RequestedGoal<'_> {
    /// "A clean build": cleaning comes first.
    pub fn is_clean_build(&self) -> bool {
        self.goal.is_some_and(|goal| goal.name == "build") && self.rest == ["clean"] && self.verb.is_none()
    }
}

/// Words for the whole project.
const WHOLE: &[&str] =
    &["project", "app", "application", "program", "package", "crate", "site", "website", "项目", "应用", "程序"];

/// The parts of words that join several goals: "the build and then the tests". Empty where there is one goal.
pub fn several(words: &str) -> Vec<&str> {
    let mut parts = vec![words];
    for joint in [
        ", and then ",
        " and then ",
        ", then ",
        " then ",
        ", and ",
        " and ",
        ", ",
        " & ",
        "，然后",
        "然后",
        "并且",
        "和",
    ] {
        parts = parts.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    let parts: Vec<&str> = parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    let mut goals: Vec<&str> = Vec::new();
    for part in &parts {
        let Some(goal) = RequestedGoal::of(part).goal else { continue };
        if !goals.contains(&goal.name.as_str()) {
            goals.push(&goal.name);
        }
    }
    if goals.len() > 1 { parts } else { Vec::new() }
}

/// Objects of cleaning: "clean up the build" is no build, but "a clean build" is.
const CLEANED: &[&str] = &[
    "build",
    "project",
    "artifacts",
    "artefacts",
    "output",
    "outputs",
    "dist",
    "workspace",
    "repo",
    "tree",
    "leftovers",
    "products",
    "caches",
    "compiled",
    "构建",
    "编译",
    "项目",
    "产物",
    "out",
    "away",
];

/// The goal of cleaning, where a request begins with its verb.
fn cleaned(said: &[String]) -> Option<&'static Goal> {
    const BEHIND: &[&str] = &["up", "out", "the", "my", "our", "all", "this", "everything"];
    let goal = GOALS.iter().find(|goal| goal.name == "clean")?;
    let (first, behind) = said.split_first()?;
    let is_verb = !first.is_ascii() || behind.first().is_none_or(|next| BEHIND.contains(&next.as_str()));
    // "Remove the build artefacts" cleans; "remove the build" may mean anything.
    const REMOVES: &[&str] = &["remove", "delete", "wipe", "clear", "purge", "删除"];
    const PRODUCTS: &[&str] =
        &["artifacts", "artefacts", "output", "outputs", "leftovers", "products", "caches", "产物", "compiled"];
    let is_object = |word: &&String| !is_filler(word);
    let objects: Vec<&String> = behind.iter().filter(is_object).collect();
    let is_product = |word: &&String| PRODUCTS.contains(&word.as_str());
    let removes = REMOVES.contains(&first.as_str())
        && objects.iter().any(is_product)
        && objects.iter().all(|word| is_product(word) || CLEANED.contains(&word.as_str()));
    (goal.words.contains(first) && is_verb || removes).then_some(goal)
}

/// Lower case; splits Chinese by the known words.
fn tokens(words: &str) -> Vec<String> {
    let lower = words.to_lowercase();
    let mut tokens = Vec::new();
    for word in lower.split(|letter: char| !(letter.is_alphanumeric() || "_-:.".contains(letter))) {
        let word = word.trim_matches(['.', ':', '-']);
        if word.is_ascii() {
            tokens.extend(parts(word));
        } else {
            tokens.extend(chinese(word));
        }
    }
    joined(tokens)
}

/// Joins two words that are the name of a goal together: "the type checker".
fn joined(tokens: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let both = all.last().map(|last| format!("{last}{token}")).filter(|both| {
            both.is_ascii() && GOALS.iter().any(|goal| goal.words.contains(both) || goal.targets.contains(both))
        });
        match both {
            Some(both) => {
                all.pop();
                all.push(both);
            }
            None => all.push(token),
        }
    }
    all
}

fn chinese(word: &str) -> Vec<String> {
    let mut known: Vec<&str> = GOALS.iter().flat_map(|goal| &goal.words).map(String::as_str).collect();
    known.extend(CHINESE_FILLERS);
    known.retain(|known| !known.is_ascii());
    known.sort_by_key(|known| usize::MAX - known.len());
    let mut tokens = Vec::new();
    let mut other = String::new();
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        let found = known.iter().find(|known| rest.starts_with(**known)).copied();
        if found.is_some() && !other.is_empty() {
            tokens.extend(parts(&std::mem::take(&mut other)));
        }
        match found {
            Some(found) => {
                tokens.push(found.to_owned());
                rest = rest.get(found.len()..).unwrap_or_default();
            }
            None => {
                other.push(letter);
                rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            }
        }
    }
    tokens.extend(parts(&other));
    tokens
}

/// The words of a name: `test:unit`, `test-unit`, `testUnit`.
pub fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let parted = "-_:./ ".contains(letter);
        if parted || letter.is_uppercase() && before.is_lowercase() {
            parts.push(String::new());
        }
        if !parted && let Some(last) = parts.last_mut() {
            last.extend(letter.to_lowercase());
        }
        before = letter;
    }
    parts.retain(|part| !part.is_empty());
    parts
}
