//! Which values a project gives names to: constants, settings, defaults of parameters and flags, in code and configuration of any language.
//! Finds the one that a question or a change speaks of, by its name or by words near it. Reads no files itself.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::search::identifiers::{Tokens, parts, stem};
use crate::run::search::lists;
use crate::run::search::term::Term;

/// Bytes of a line that is looked at, and characters of a value.
const MAX_LINE: usize = 300;
const MAX_VALUE: usize = 160;
/// Words of a question that name the value.
const MAX_WORDS: usize = 6;
/// Comment lines above a value that describe it.
const MAX_ABOVE: usize = 3;

/// A name with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    pub name: String,
    pub value: String,
    /// From 1.
    pub line: usize,
    /// The line as it is.
    pub text: String,
    /// The sections, blocks and classes around it, the outermost first.
    within: Vec<String>,
    /// The comment above it, and the rest of its line.
    about: String,
}

impl NamedValue {
    /// Whether its name has all words of a request, or the block that it is the default of.
    pub fn is_called(&self, wanted: &ValueQuestion) -> bool {
        let name = self.full_name();
        let tokens = Tokens::of(&name);
        let has = |word: &str| tokens.names.iter().any(|token| token.parts.iter().any(|part| stem(part) == stem(word)));
        wanted.terms.iter().all(|(word, _)| has(word))
    }

    /// The same, where the blocks around it may say a part: `limits: memory:` for the memory limit. A measure may be missing.
    pub fn is_named(&self, wanted: &ValueQuestion) -> bool {
        self.says(wanted, WEAK)
    }

    /// The same, with every word.
    pub fn is_named_whole(&self, wanted: &ValueQuestion) -> bool {
        self.says(wanted, &[])
    }

    fn says(&self, wanted: &ValueQuestion, unneeded: &[&str]) -> bool {
        let said = |text: &str, word: &str| {
            let tokens = Tokens::of(text);
            tokens.names.iter().any(|token| token.parts.iter().any(|part| stem(part) == stem(word)))
        };
        let name = self.full_name();
        let has = |word: &str| {
            said(&name, word) || self.within.iter().any(|block| said(block, word)) || unneeded.contains(&word)
        };
        wanted.terms.iter().all(|(word, _)| has(word)) && wanted.terms.iter().any(|(word, _)| said(&name, word))
    }

    /// The name, with that of its block where it says nothing alone: `instance_type` for the default of `variable "instance_type"`.
    pub fn full_name(&self) -> String {
        match self.within.last().filter(|_| BARE_KEYS.contains(&self.name.as_str())) {
            Some(block) => {
                let label = block.split('"').nth(1).map_or_else(|| block.clone(), str::to_owned);
                if self.name == "default" { label } else { format!("{label}.{}", self.name) }
            }
            None => self.name.clone(),
        }
    }
}

struct Patterns {
    define: Regex,
    assigned: Regex,
    key: Regex,
    tag: Regex,
    parameter: Regex,
    flag: Regex,
    go_flag: Regex,
    symbol: Regex,
    section: Regex,
    opens: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let value = r#"(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s=>~{(\[].*?)"#;
    let tail = r"\s*[;,]?(?:\s+(?:#|//|--|/\*).*)?\s*$";
    Some(Patterns {
        define: Regex::new(r"^\s*#\s*define\s+(?P<name>[A-Za-z_]\w*)\s+(?P<value>\S.*?)\s*(?:(?:/\*|//).*)?$").ok()?,
        assigned: Regex::new(&format!(
            r#"^\s*(?:-\s+)?(?:[A-Za-z_@][\w:<>\[\]&'*.@()-]*\s+){{0,5}}?["']?(?P<name>[A-Za-z_$][\w$.-]*)["']?(?:\s*:\s*[^=:]+?)?\s*(?:::=|:=|\?=|\+=|=)\s*{value}{tail}"#
        ))
        .ok()?,
        key: Regex::new(&format!(r#"^\s*(?:-\s+)?(?:\{{\s*)?["']?(?P<name>[A-Za-z_$@][\w$@./-]*)["']?\s*:\s+{value}{tail}"#)).ok()?,
        tag: Regex::new(r"<(?P<name>[A-Za-z][\w.-]*)>\s*(?P<value>[^<>\s][^<>]*?)\s*</").ok()?,
        parameter: Regex::new(
            r#"[(,]\s*(?:\w+\s+)?(?P<name>[A-Za-z_]\w*)\s*(?::\s*[\w<>\[\]., ?|]+?)?\s*=\s*(?P<value>-?\d[\w.]*|"[^"]*"|'[^']*'|[A-Z][A-Z0-9_]+|True|False|None|true|false|nil|null)"#,
        )
        .ok()?,
        flag: Regex::new(
            r#"["'](?:-\w["'],\s*["'])?--?(?P<name>[A-Za-z][\w-]*)[^"']*["'].*?\bdefault(?:_value(?:_t)?)?\s*[=:(]\s*(?P<value>"[^"]*"|'[^']*'|[^,)\s]+)"#,
        )
        .ok()?,
        go_flag: Regex::new(r#"\b(?:flag|pflag|flags?|fs)\.\w+\(\s*(?:&\w+,\s*)?"(?P<name>[\w-]+)",\s*(?P<value>[^,]+),"#).ok()?,
        symbol: Regex::new(r"^\s*(?:set|config\.\w+|option)\s+:(?P<name>\w+),\s*(?P<value>\S.*?)\s*$").ok()?,
        section: Regex::new(r"^\s*\[{1,2}(?P<name>[^\]]+)\]{1,2}\s*$").ok()?,
        opens: Regex::new(r"^\s*(?:-\s+)?(?P<name>[^\s#/*{}()].*?)\s*[:{(\[]+\s*$").ok()?,
    })
});

/// The values of a file. Prose, lock files and long lines have none.
pub fn values(path: &str, text: &str) -> Vec<NamedValue> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_prose = ["md", "rst", "txt", "adoc", "lock", "csv", "tsv", "svg", "ipynb", "html", "css", "log", "map"]
        .contains(&ending);
    let Some(patterns) = PATTERNS.as_ref().filter(|_| !is_prose && !name.ends_with("-lock.json") && name != "go.sum")
    else {
        return Vec::new();
    };
    let is_config = matches!(
        ending,
        "yaml"
            | "yml"
            | "json"
            | "jsonc"
            | "toml"
            | "ini"
            | "cfg"
            | "conf"
            | "properties"
            | "env"
            | "tf"
            | "tfvars"
            | "hcl"
            | "xml"
            | "plist"
    );
    let mut all: Vec<NamedValue> = Vec::new();
    // Blocks that are open, with their indentation.
    let mut within: Vec<(usize, String)> = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || line.len() > MAX_LINE {
            above.clear();
            continue;
        }
        let is_comment = lists::is_comment(line) && !trimmed.starts_with("#define") && !trimmed.starts_with("# define");
        if is_comment {
            above.push(trimmed);
            continue;
        }
        let depth = line.len() - line.trim_start().len();
        if let Some(section) = patterns.section.captures(line).and_then(|found| found.name("name")) {
            within = vec![(0, section.as_str().to_owned())];
            above.clear();
            continue;
        }
        // A section of an INI file holds until the next; its keys are not indented.
        let is_closed = |open: usize, label: &str| {
            depth <= open
                && !(depth == 0
                    && is_config
                    && open == 0
                    && !label.contains(['{', ' ', ':'])
                    && !matches!(ending, "yaml" | "yml" | "tf" | "hcl" | "json"))
        };
        while within.last().is_some_and(|(open, label)| is_closed(*open, label)) {
            within.pop();
        }
        let inner = || within.iter().map(|(_, label)| label.clone()).collect::<Vec<String>>();
        let comment = above.iter().rev().take(MAX_ABOVE).rev().copied().collect::<Vec<_>>().join(" ");
        let mut take = |name: &str, value: &str| {
            let value: String = value.trim().trim_end_matches([';', ',']).chars().take(MAX_VALUE).collect();
            let is_statement = ["return", "if", "else", "while", "for", "case", "elif", "assert"].contains(&name);
            if value.is_empty() || is_statement || all.iter().any(|known| known.line == at + 1 && known.name == name) {
                return;
            }
            let about = format!("{comment} {}", trimmed.replacen(name, " ", 1));
            all.push(NamedValue {
                name: name.to_owned(),
                value,
                line: at + 1,
                text: trimmed.to_owned(),
                within: inner(),
                about,
            });
        };
        let whole = match () {
            () if is_config
                && !matches!(
                    ending,
                    "toml" | "ini" | "cfg" | "conf" | "properties" | "env" | "tf" | "tfvars" | "hcl"
                ) =>
            {
                [&patterns.key, &patterns.tag, &patterns.define]
            }
            () if is_config => [&patterns.assigned, &patterns.key, &patterns.symbol],
            () => [&patterns.define, &patterns.assigned, &patterns.symbol],
        };
        let declares = |found: &regex::Captures<'_>| {
            let first = trimmed.split_whitespace().next().unwrap_or_default();
            found.name("name").is_some()
                && !["return", "if", "while", "for", "assert", "elif", "else", "case"].contains(&first)
        };
        if let Some(found) = whole.iter().find_map(|pattern| pattern.captures(line).filter(|found| declares(found)))
            && let (Some(name), Some(value)) = (found.name("name"), found.name("value"))
            && !lists::is_import(line)
        {
            // Go writes the type behind the name: `Pending State = iota`.
            let before = line.get(..name.start()).unwrap_or_default();
            let typed = before
                .split_whitespace()
                .next_back()
                .filter(|word| ending == "go" && !["const", "var", "return"].contains(word));
            take(typed.unwrap_or(name.as_str()), value.as_str());
        }
        for pattern in [&patterns.flag, &patterns.go_flag, &patterns.parameter] {
            // An argument of a call is not where a parameter gets its default.
            let counts = !is_config && (!std::ptr::eq(pattern, &patterns.parameter) || lists::defined_by_keyword(line));
            for found in pattern.captures_iter(line).filter(|_| counts) {
                if let (Some(name), Some(value)) = (found.name("name"), found.name("value")) {
                    take(name.as_str(), value.as_str());
                }
            }
        }
        if let Some(label) = patterns.opens.captures(line).and_then(|found| found.name("name")) {
            within.push((depth, label.as_str().trim_matches(['"', '\'', ' ']).to_owned()));
        }
        above.clear();
    }
    all
}

/// What a question asks the value of, in words that a name may have.
#[derive(Clone, Debug)]
pub struct ValueQuestion {
    terms: Vec<(String, Term)>,
}

static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:what(?:'s| is| are| was)?|which|how (?:many|much|long|big|large|high|low|heavy|wide|deep|old|often|fast|small|far|tall)|where (?:is|are|do we|does it)|value of|show(?: me)?|tell me|under which|on which|in which|at what|to what)\b(?P<rest>.+)$").ok()
});

/// Words that say nothing about which value is meant.
const EMPTY: &[&str] = &[
    "the",
    "a",
    "an",
    "is",
    "are",
    "was",
    "be",
    "of",
    "for",
    "in",
    "on",
    "at",
    "to",
    "by",
    "do",
    "does",
    "did",
    "we",
    "i",
    "it",
    "its",
    "this",
    "that",
    "our",
    "my",
    "you",
    "your",
    "default",
    "defaults",
    "current",
    "currently",
    "configured",
    "set",
    "value",
    "values",
    "used",
    "use",
    "uses",
    "using",
    "setting",
    "allowed",
    "may",
    "can",
    "could",
    "must",
    "should",
    "will",
    "per",
    "there",
    "here",
    "have",
    "has",
    "project",
    "app",
    "application",
    "code",
    "repo",
    "program",
    "with",
    "and",
    "or",
    "from",
    "how",
    "what",
    "which",
    "many",
    "much",
    "maximum",
    "max",
    "minimum",
    "min",
    "most",
    "least",
    "run",
    "runs",
    "get",
    "gets",
    "wait",
    "waits",
    "please",
    "me",
    "show",
    "tell",
    "defined",
    "stored",
    "number",
    "connect",
    "connects",
    "deploy",
    "deployed",
    "hold",
    "holds",
    "take",
    "takes",
    "fit",
    "fits",
    "where",
    "when",
    "before",
    "after",
    "if",
    "not",
    "no",
    "one",
    "single",
    "each",
    "any",
    "all",
    "time",
    "exactly",
    "right",
    "now",
];

/// A measure in a question, and what names call it.
const MEASURES: &[(&str, &[&str])] = &[
    (
        "long",
        &[
            "length", "timeout", "duration", "seconds", "ms", "days", "interval", "ttl", "len", "delay", "expiry",
            "window", "wait",
        ],
    ),
    ("big", &["size", "capacity", "bytes", "limit", "buffer", "max", "length"]),
    ("large", &["size", "capacity", "bytes", "limit", "buffer", "max", "length"]),
    ("small", &["size", "min"]),
    ("heavy", &["weight", "grams", "mass", "kg", "load"]),
    ("high", &["height", "limit", "max", "threshold", "level"]),
    ("wide", &["width", "cols", "columns"]),
    ("deep", &["depth", "level", "levels"]),
    ("old", &["age", "ttl", "days", "expiry"]),
    ("often", &["interval", "period", "every", "cron", "schedule", "frequency", "seconds", "rate"]),
    ("fast", &["rate", "speed", "interval", "fps"]),
    ("far", &["distance", "range", "radius"]),
];

/// The question for a value; `None` where it asks for something else.
pub fn asked(question: &str) -> Option<ValueQuestion> {
    let plain = question.trim().trim_end_matches(['?', '.', '!']).trim();
    let rest = ASKS.as_ref()?.captures(plain)?.name("rest")?.as_str();
    let lower = plain.to_lowercase();
    let measure = MEASURES.iter().find(|(word, _)| lower.starts_with(&format!("how {word} ")));
    let mut question = of_words(rest).unwrap_or(ValueQuestion { terms: Vec::new() });
    if let Some((word, names)) = measure {
        let likes = names.iter().map(|name| stem(name)).collect();
        question.terms.push(((*word).to_owned(), Term::Word { word: (*word).to_owned(), stem: stem(word), likes }));
    }
    let said = question.terms.iter().filter(|(word, _)| measure.is_none_or(|(measure, _)| word != measure)).count();
    (said > 0 && question.terms.len() <= MAX_WORDS).then_some(question)
}

/// The words of a change that name a setting: `instance type`.
pub fn of_words(words: &str) -> Option<ValueQuestion> {
    let mut terms: Vec<(String, Term)> = Vec::new();
    for word in words.split(|letter: char| !letter.is_alphanumeric() && !"_-.".contains(letter)) {
        for part in parts(word) {
            if part.len() > 1 && !EMPTY.contains(&part.as_str()) && !terms.iter().any(|(known, _)| *known == part) {
                terms.push((part.clone(), Term::word(&part)));
            }
        }
    }
    (!terms.is_empty() && terms.len() <= MAX_WORDS).then_some(ValueQuestion { terms })
}

/// Measures that a name may leave out: the buffer size may be called `BUFFER`.
const WEAK: &[&str] = &["size", "length", "limit", "count", "amount", "level", "period", "interval"];
/// Keys that say nothing without what is around them.
const BARE_KEYS: &[&str] = &["default", "value", "name", "version", "type", "Max", "max", "Enabled", "enabled"];
/// Abbreviations in names of files and sections.
const SHORT: &[(&str, &str)] = &[
    ("production", "prod"),
    ("development", "dev"),
    ("configuration", "config"),
    ("database", "db"),
    ("environment", "env"),
    ("connections", "conn"),
    ("password", "pass"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("identifier", "id"),
    ("directory", "dir"),
    ("compiler", "cc"),
    ("flags", "flags"),
    ("compiler", "cflags"),
    ("flags", "cflags"),
    ("linker", "ldflags"),
    ("flags", "ldflags"),
];

impl ValueQuestion {
    /// How well a value fits; 0 where it is another one. Every word has to be said by its name, by what is around it, or by its comment, and
    /// one of them by the name itself.
    pub fn fit(&self, path: &str, value: &NamedValue) -> u32 {
        let name = Tokens::of(&value.name);
        let around = value.within.join(" ");
        let (around, about, path_tokens) = (Tokens::of(&around), Tokens::of(&value.about), Tokens::of(path));
        let is_bare = BARE_KEYS.contains(&value.name.as_str());
        let mut score = 0;
        let (mut named, mut missing) = (0, 0);
        for (word, term) in &self.terms {
            let short = |tokens: &Tokens<'_>| {
                let has = |short: &str| tokens.names.iter().any(|token| token.parts.iter().any(|part| part == short));
                SHORT.iter().any(|(long, short)| long == word && has(short))
            };
            let says = |tokens: &Tokens<'_>| term.strength(tokens) >= 40 || short(tokens);
            match () {
                () if says(&name) => {
                    named += 1;
                    score += 40 + u32::from(term.strength(&name)) / 10;
                }
                () if says(&around) => {
                    named += u32::from(is_bare);
                    score += if is_bare { 35 } else { 20 };
                }
                () if says(&path_tokens) => score += 12,
                () if says(&about) => score += 8,
                () if WEAK.contains(&word.as_str()) => missing += 1,
                () => return 0,
            }
        }
        if named == 0 || missing > 1 {
            return 0;
        }
        // Words of the name that nothing asked for make it another one; a unit does not.
        let words = name.names.iter().flat_map(|token| token.parts.iter()).count() as u32;
        let extra = words.saturating_sub(self.terms.len() as u32).min(4);
        let is_constant = value.name.chars().any(|letter| letter.is_uppercase())
            && !value.name.chars().any(|letter| letter.is_lowercase());
        let is_literal = is_literal(&value.value);
        let is_test = path
            .split(['/', '_', '.'])
            .any(|part| ["test", "tests", "spec", "specs", "fixtures", "examples"].contains(&part));
        (score + 4 * u32::from(is_constant) + 10 * u32::from(is_literal))
            .saturating_sub(extra * 3 + 25 * u32::from(is_test))
            .max(1)
    }
}

/// Whether a value stands for itself: a number, a text, a plain word of a configuration.
pub fn is_literal(value: &str) -> bool {
    let value = value.trim();
    let first = value.chars().next();
    first.is_some_and(|letter| letter.is_ascii_digit() || "\"'-+.".contains(letter))
        || ["true", "false", "True", "False", "yes", "no", "on", "off"].contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[(&str, &str)] = &[
        (
            "core/Limits.kt",
            "object Limits {\n    const val MAX_WEIGHT_GRAMS = 30_000\n    const val DEFAULT_TIMEOUT_MS = 5000L\n}\n",
        ),
        (
            "churn/train.py",
            "RANDOM_SEED = 42\n\nclass Model:\n    def __init__(self, threshold=0.5, learning_rate=0.05):\n        self.threshold = threshold\n\nparser.add_argument(\"--epochs\", type=int, default=20)\n",
        ),
        ("src/ring.h", "#define RING_CAPACITY 512\n#define DEFAULT_PORT 7000 /* of the server */\n"),
        ("Makefile", "CFLAGS = -O2 -Wall\nVERSION ?= 1.2.0\n\nbuild:\n\tgcc $(CFLAGS)\n"),
        ("config/prod.yaml", "listen: \":9090\"\ndatabase:\n  host: db.internal\n  max_connections: 100\n"),
        ("config/dev.yaml", "database:\n  max_connections: 20\n"),
        ("infra/variables.tf", "variable \"region\" {\n  type    = string\n  default = \"eu-central-1\"\n}\n"),
        ("app.rb", "set :port, 4567\nPAGE_SIZE = 25\n"),
        (
            "main.go",
            "var path = flag.String(\"config\", \"config/prod.yaml\", \"path\")\nconst RequestTimeout = 15 * time.Second\n",
        ),
        ("pom.xml", "<project>\n  <java.version>17</java.version>\n</project>\n"),
    ];

    fn best(question: &str) -> String {
        let Some(asked) = asked(question) else { return String::new() };
        let mut found: Vec<(u32, String)> = Vec::new();
        for (path, text) in FILES {
            for value in values(path, text) {
                found
                    .push((asked.fit(path, &value), format!("{path}:{} {} = {}", value.line, value.name, value.value)));
            }
        }
        found
            .into_iter()
            .filter(|(fit, _)| *fit > 0)
            .max_by_key(|(fit, _)| *fit)
            .map(|(_, told)| told)
            .unwrap_or_default()
    }

    #[test]
    fn a_value_is_found_by_words_near_its_name() {
        let mut wrong = Vec::new();
        for (question, expected) in [
            ("what is the random seed?", "churn/train.py:1 RANDOM_SEED = 42"),
            ("what is the learning rate", "churn/train.py:4 learning_rate = 0.05"),
            ("how many epochs by default", "churn/train.py:7 epochs = 20"),
            ("how big is the ring", "src/ring.h:1 RING_CAPACITY = 512"),
            ("how heavy may it be in grams", "core/Limits.kt:2 MAX_WEIGHT_GRAMS = 30_000"),
            ("which compiler flags are used", "Makefile:1 CFLAGS = -O2 -Wall"),
            ("how many database connections are allowed in production", "config/prod.yaml:4 max_connections = 100"),
            ("what region do we deploy to", "infra/variables.tf:3 default = \"eu-central-1\""),
            ("what is the page size", "app.rb:2 PAGE_SIZE = 25"),
            ("what is the request timeout", "main.go:2 RequestTimeout = 15 * time.Second"),
            ("which config is used", "main.go:1 config = \"config/prod.yaml\""),
            ("which java version", "pom.xml:2 java.version = 17"),
            ("what is the database host", "config/prod.yaml:3 host = db.internal"),
            ("what is the meaning of life", ""),
            ("what is the colour of the page", ""),
            ("why is the timeout so short", ""),
        ] {
            let told = best(question);
            if told != expected {
                wrong.push(format!("{question}: {told}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
