//! Questions that a project's files and history answer without a model: what it does, its version, who changed a file, what a target runs,
//! what a name stands for. Parses the question and words the answer; reads no files itself.

use std::sync::LazyLock;

use regex::Regex;

use crate::task::run::explain;
use crate::task::run::project::{Manifest, Project};
use crate::task::run::said::fenced;
use crate::task::run::search::definitions;
use crate::task::run::{code, short};

/// The question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    Project,
    Install,
    /// How to run it, and which part: `the tests`.
    RunIt(String),
    Version,
    Dependencies,
    Commits(usize),
    /// Who changed a file, and when.
    Authors(String),
    /// What a target or a script runs.
    Target(String),
    /// The command for something, in words.
    HowTo(String),
    /// A single identifier.
    Name(String),
    Files(Filter),
}

/// Selects files by metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    Larger(u64),
    Smaller(u64),
    Largest(usize),
    Newest(usize),
    Empty,
    /// Changed within so many days.
    Days(u64),
    /// In commits of this author.
    Author(String),
}

const PROJECT: &str = r"(?:project|repo|repository|code ?base|app|application|program|package|library|tool|code)";
const MAX_COMMITS: usize = 10;

static SHAPES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let rows = [
        ("project", format!(r"^what (?:does|is|can) (?:this|the|that) {PROJECT}(?: (?:do|does|for|about|all about|good for))?$|^what(?:'s| is) this(?: {PROJECT})?(?: (?:about|for|all about))?$|^(?:explain|describe|summari[sz]e|introduce) (?:this|the|me (?:this|the)) {PROJECT}(?: to me)?$|\b(?:overview|summary|purpose) of (?:this|the) {PROJECT}$|^what am i looking at$")),
        ("install", r"^how (?:do|can|should|would|to|does one)(?: (?:i|we|you|one))?(?: get)? (?:install|set ?up|get started|begin|build)(?: (?:with )?(?:this|it|the (?:project|app|repo|package|dependencies)|everything|the environment))?(?: (?:locally|here|up|on my machine|for development))?$|^(?:installation|setup) (?:instructions|steps|guide)$".to_owned()),
        ("run", format!(r"^how (?:do|can|should|would|to|does one)(?: (?:i|we|you|one))? (?:run|start|launch|use|execute) (?P<what>this|it|(?:the|this|my|our|all(?: the)?) [\w ]+|{PROJECT}|tests)(?: (?:locally|here))?$")),
        ("howto", r"^how (?:do|can|would|should|could)(?: (?:i|we|you|one)) (?P<what>.+)$|^how to (?P<other>.+)$|^what(?:'s| is) the (?:command|way) (?:to|for) (?P<third>.+)$|^which command (?P<fourth>.+)$".to_owned()),
        ("size", r"\b(?:files?|anything)\b.*\b(?P<way>larger|bigger|over|above|smaller|under|below|less|more) (?:than )?(?P<size>\d+(?:\.\d+)?) ?(?P<unit>b|bytes|k|kb|kib|m|mb|mib|g|gb|gib|kilobytes?|megabytes?|gigabytes?)\b".to_owned()),
        ("largest", r"\b(?P<many>\d+)? ?(?:largest|biggest) files?\b|\bfiles? (?:that )?(?:take|use)s? (?:up )?(?:the )?most (?:space|room)\b".to_owned()),
        ("newest", r"\b(?P<many>\d+)? ?(?:newest|latest|most recent(?:ly (?:changed|modified|edited))?|recently (?:changed|modified|edited)|last (?:changed|modified|edited)) files?\b".to_owned()),
        ("empty", r"\bempty files?\b".to_owned()),
        ("days", r"\bfiles?\b.*\b(?:changed|modified|edited|touched|updated|created|new)\b.*\b(?:(?P<when>today|yesterday|this week|this month|last week|last month)|(?:in|within) the (?:last|past) (?P<number>\d+)? ?(?P<unit>days?|weeks?|months?|hours?))\b".to_owned()),
        ("author", r"\bfiles? (?:that (?:were |was )?|which (?:were |was )?)?(?:changed|modified|edited|touched|written|committed|added) by (?P<name>[\w .@-]+)$|\bwhat (?:did|has) (?P<other>[\w.@-]+) (?:change|changed|edit|edited|touch|touched|commit|committed|do|done)\b".to_owned()),
        ("version", r"^(?:what|which)(?:'s| is)?(?: the)?(?: current)? version(?: (?:is|of))?(?: (?:this|it|the|that|we|are we)(?: \w+)?)?(?: (?:on|at|now|here))?$|^(?:what|which) version(?: of (?:this|it|the \w+|the))?\b.*$|^version\??$".to_owned()),
        ("dependencies", r"\b(?:what|which|list|show)\b.*\b(?:dependencies|deps|packages|libraries|crates|requirements)\b.*|^what (?:does|do) (?:this|it|the \w+|we) depend on$".to_owned()),
        ("commits", r"\b(?:last|latest|recent|newest|previous) (?P<many>\d+ |few |couple of )?commits?\b|\b(?:git|commit) (?:history|log)\b|^what (?:happened|has happened|changed|has changed|was done) (?:recently|lately|last|here lately|in the last)\b.*".to_owned()),
        ("authors", r"^(?:who|when)\b.*\b(?:changed?|wrote|written|edited|touched|made|modified|owns?|authored|created|added|last|updated|worked on)\b.*$|\bhistory of\b.*$|\bblame\b.*$".to_owned()),
        ("target", r"^(?:what (?:does|is|will|would)|explain|describe|show me what) (?:the )?(?:command )?`?(?:make|just|npm run|npm run-script|npm|yarn run|yarn|pnpm run|pnpm|bun run) (?P<target>[\w:.-]+)`?(?: (?:do|does|target|script|for|run))?$|^(?:what (?:does|is)|explain|describe) the `?(?P<other>[\w:.-]+)`? (?:target|script|recipe|make target|npm script|task)(?: (?:do|for|run))?$".to_owned()),
        ("name", r"^(?:what (?:does|is|are|do)|what's|explain|describe|how does|tell me about|show me)(?: the)?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module))? `?(?P<name>[a-z_$][\w$]*(?:(?:\.|::)[a-z_$][\w$]*)*)(?:\(\))?`?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module))?(?: (?:do|does|mean|for|work|works|about|return))?(?: (?:here|in this \w+))?$".to_owned()),
    ];
    rows.into_iter().filter_map(|(name, pattern)| Some((name, Regex::new(&format!("(?i){pattern}")).ok()?))).collect()
});

/// The question, if facts can answer it. `file` is the first file that it names.
pub fn read(question: &str, file: Option<&str>) -> Option<Ask> {
    let trimmed = question.trim().trim_end_matches(['?', '.', '!']).trim();
    let lower = trimmed.to_lowercase();
    let polite =
        ["please ", "can you tell me ", "could you tell me ", "tell me ", "can you ", "could you ", "hey, ", "so, "];
    let start = polite.iter().filter(|polite| lower.starts_with(*polite)).map(|polite| polite.len()).max().unwrap_or(0);
    let asked = trimmed.get(start..).unwrap_or(trimmed).trim_end_matches(" please").trim();
    if asked.contains('\n') || asked.split_whitespace().count() > 16 {
        return None;
    }
    SHAPES.iter().find_map(|(shape, pattern)| ask(shape, &pattern.captures(asked)?, file))
}

fn ask(shape: &str, found: &regex::Captures<'_>, file: Option<&str>) -> Option<Ask> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let many = || of("many").and_then(|many| many.parse().ok()).unwrap_or(MAX_COMMITS);
    Some(match shape {
        "size" => {
            let size: f64 = of("size")?.parse().ok()?;
            let unit = match of("unit")?.to_lowercase().chars().next()? {
                'k' => 1024.0,
                'm' => 1024.0 * 1024.0,
                'g' => 1024.0 * 1024.0 * 1024.0,
                _ => 1.0,
            };
            let bytes = (size * unit) as u64;
            match of("way")?.to_lowercase().as_str() {
                "smaller" | "under" | "below" | "less" => Ask::Files(Filter::Smaller(bytes)),
                _ => Ask::Files(Filter::Larger(bytes)),
            }
        }
        "largest" => Ask::Files(Filter::Largest(many())),
        "newest" => Ask::Files(Filter::Newest(many())),
        "empty" => Ask::Files(Filter::Empty),
        "days" => Ask::Files(Filter::Days(days(of("when"), of("number"), of("unit"))?)),
        "author" => Ask::Files(Filter::Author(of("name").or_else(|| of("other")).filter(|name| is_person(name))?)),
        "project" => Ask::Project,
        "install" => Ask::Install,
        "run" => Ask::RunIt(of("what")?),
        // A question about the version of a named program or package is not about the project.
        "version" => Ask::Version,
        "dependencies" => Ask::Dependencies,
        "commits" => Ask::Commits(many()),
        "authors" => Ask::Authors(file?.to_owned()),
        "target" => Ask::Target(of("target").or_else(|| of("other"))?),
        "howto" => Ask::HowTo(["what", "other", "third", "fourth"].iter().find_map(|group| of(group))?),
        "name" => Ask::Name(of("name").filter(|_| file.is_none())?),
        _ => return None,
    })
}

fn is_person(name: &str) -> bool {
    !["i", "me", "you", "we", "it", "this", "that", "the", "git", "they"].contains(&name.to_lowercase().as_str())
        && name.split_whitespace().count() <= 3
}

fn days(when: Option<String>, number: Option<String>, unit: Option<String>) -> Option<u64> {
    if let Some(when) = when {
        return Some(match when.to_lowercase().as_str() {
            "today" => 1,
            "yesterday" => 2,
            "this week" | "last week" => 7,
            _ => 31,
        });
    }
    let number: u64 = number.map_or(Some(1), |number| number.parse().ok())?;
    Some(match unit?.to_lowercase().trim_end_matches('s') {
        "week" => number * 7,
        "month" => number * 31,
        "hour" => number.div_ceil(24),
        _ => number,
    })
}

impl Ask {
    /// Whether the project's README and manifests have the answer.
    pub fn is_about_project(&self) -> bool {
        matches!(self, Ask::Project | Ask::Install | Ask::RunIt(_) | Ask::Version | Ask::Dependencies)
    }

    /// Whether files or git answer it better than a model could.
    pub fn is_certain(&self) -> bool {
        match self {
            Ask::Version | Ask::Dependencies | Ask::Commits(_) | Ask::Authors(_) | Ask::Files(_) | Ask::RunIt(_) => {
                true
            }
            Ask::Project | Ask::Install | Ask::Target(_) | Ask::HowTo(_) | Ask::Name(_) => false,
        }
    }
}

/// The answer from the project's files; `None` when they have none.
pub fn of_project(ask: &Ask, project: &Project) -> Option<String> {
    let manifests = project.manifests();
    match ask {
        Ask::Project => about(project, &manifests),
        Ask::Install => install(project, &manifests),
        Ask::Version => version(&manifests),
        Ask::Dependencies => dependencies(&manifests),
        Ask::Target(name) => target(project, name),
        _ => None,
    }
}

fn about(project: &Project, manifests: &[Manifest]) -> Option<String> {
    let mut text = String::new();
    let named = manifests.iter().find(|manifest| !manifest.name.is_empty());
    if let Some((file, paragraph)) = project.about() {
        text.push_str(&format!("{paragraph}\n\n(from {})\n", code(file)));
    }
    if let Some(Manifest { file, name, version, description, .. }) = named {
        let version = if version.is_empty() { String::new() } else { format!(", version {version}") };
        let description = if description.is_empty() { String::new() } else { format!(": {description}") };
        text.push_str(&format!("\n{} calls it {}{version}{description}.\n", code(file), code(name)));
    }
    (!text.is_empty()).then_some(text)
}

fn install(project: &Project, manifests: &[Manifest]) -> Option<String> {
    if let Some((file, section)) = project.section(&[
        "install",
        "installation",
        "installing",
        "setup",
        "started",
        "quickstart",
        "build",
        "building",
    ]) {
        return Some(format!("{section}\n\n(from {})\n", code(file)));
    }
    let command = |manifest: &Manifest| match manifest.file.rsplit('/').next()? {
        "package.json" => Some("npm install"),
        "pyproject.toml" => Some("pip install -e ."),
        "requirements.txt" => Some("pip install -r requirements.txt"),
        "Cargo.toml" => Some("cargo build"),
        "go.mod" => Some("go build ./..."),
        "composer.json" => Some("composer install"),
        _ => None,
    };
    let (manifest, command) = manifests.iter().find_map(|manifest| Some((manifest, command(manifest)?)))?;
    let needs =
        if manifest.needs.is_empty() { String::new() } else { format!(" It needs {}.", manifest.needs.join(", ")) };
    Some(format!("{} is here, so {} installs what it needs.{needs}\n", code(&manifest.file), code(command)))
}

fn version(manifests: &[Manifest]) -> Option<String> {
    let rows = manifests.iter().filter(|manifest| !manifest.version.is_empty() || !manifest.needs.is_empty());
    let row = |manifest: &Manifest| {
        let Manifest { file, name, version, needs, .. } = manifest;
        let version = if version.is_empty() { String::new() } else { format!(" version {}", code(version)) };
        let needs = if needs.is_empty() { String::new() } else { format!(", needs {}", needs.join(", ")) };
        format!("- {name}{version}{needs} ({})\n", code(file))
    };
    let text: String = rows.map(row).collect();
    (!text.is_empty()).then_some(text)
}

fn dependencies(manifests: &[Manifest]) -> Option<String> {
    let listed = manifests.iter().filter(|manifest| !manifest.dependencies.is_empty());
    let row = |manifest: &Manifest| {
        let all: String = manifest
            .dependencies
            .iter()
            .map(|(name, version)| {
                format!("- {}{}\n", code(name), if version.is_empty() { String::new() } else { format!(" {version}") })
            })
            .collect();
        format!("{} names:\n\n{all}\n", code(&manifest.file))
    };
    let text: String = listed.map(row).collect();
    if text.is_empty() && !manifests.is_empty() {
        return Some("No file of the project names a dependency.\n".to_owned());
    }
    (!text.is_empty()).then_some(text)
}

fn target(project: &Project, name: &str) -> Option<String> {
    if let Some((file, lines)) = project.recipe(name) {
        let body = match lines.is_empty() {
            true => "It runs nothing by itself: what it depends on is made.\n".to_owned(),
            false => format!("It runs:\n\n{}", fenced("sh", &lines.join("\n"))),
        };
        return Some(format!("{} is a target of {}. {body}", code(name), code(file)));
    }
    let script = project.script(name)?;
    Some(format!("{} is a script of `package.json`. It runs:\n\n{}", code(name), fenced("sh", &script)))
}

/// Lines of a definition, and names of an outline, that are shown.
const MAX_BODY: usize = 24;
const MAX_OUTLINE: usize = 40;

/// The outline of a file: what it says about itself, and what it defines.
pub fn outline(path: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let about = explain::about_path(path).map(|about| format!(" is {about}. It")).unwrap_or_default();
    let count = if lines.len() == 1 { "1 line".to_owned() } else { format!("{} lines", lines.len()) };
    let mut told = format!("{}{about} has {count}.", code(path));
    if let Some(about) = head(&lines) {
        told.push_str(&format!(" It begins: {about}"));
    }
    told.push_str("\n\n");
    let is_data = matches!(
        path.rsplit_once('.').map_or("", |(_, ending)| ending),
        "json" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "md" | "txt"
    );
    let rows: Vec<String> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| if is_data { is_key(line) } else { definitions::is_definition(line) })
        .map(|(at, line)| {
            format!("- {}: {}\n", at + 1, code(&short(line.trim().trim_end_matches(['{', ':', ' ']), 100)))
        })
        .collect();
    if rows.is_empty() {
        told.push_str(&fenced("", &lines.iter().take(MAX_BODY).copied().collect::<Vec<_>>().join("\n")));
        return told;
    }
    let more = rows.len().saturating_sub(MAX_OUTLINE);
    rows.iter().take(MAX_OUTLINE).for_each(|row| told.push_str(row));
    if more > 0 {
        told.push_str(&format!("- and {more} more\n"));
    }
    told
}

/// The first sentence of a file's header comment.
fn head(lines: &[&str]) -> Option<String> {
    let first = lines.iter().map(|line| line.trim()).find(|line| !line.is_empty() && !line.starts_with("#!"))?;
    let comment = ["//!", "///", "//", "/**", "/*", "\"\"\"", "'''", "#", "--", ";"]
        .iter()
        .find_map(|sign| first.strip_prefix(sign))?;
    let comment = comment.trim_matches(['*', '/', '"', '\'', '#', ' ']);
    (comment.split_whitespace().count() >= 2).then(|| format!("{}.", short(comment.trim_end_matches('.'), 200)))
}

fn is_key(line: &str) -> bool {
    let plain = line.trim_start_matches("  ");
    let depth = (line.len() - plain.len()) / 2;
    depth <= 1 && (plain.starts_with('[') || plain.starts_with('#') || plain.contains([':', '=']))
}

/// The definition at a line (from 1), with the comments above it and its body.
pub fn definition(text: &str, line: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = line.saturating_sub(1);
    let belongs = |line: &&str| {
        let line = line.trim_start();
        ["//", "#", "*", "/*", "@", "--"].iter().any(|sign| line.starts_with(sign))
    };
    let above = lines.get(..at).unwrap_or_default().iter().rev().take_while(|line| belongs(line)).count();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = lines.get(at).map_or(0, |line| indent(line));
    let ends = |line: &&str| {
        !line.trim().is_empty() && indent(line) <= own && !line.trim_start().starts_with(['}', ')', ']', '{'])
    };
    let body = lines.get(at + 1..).unwrap_or_default().iter().take_while(|line| !ends(line)).count();
    let body = body.min(MAX_BODY);
    let shown = lines.get(at - above..(at + 1 + body).min(lines.len())).unwrap_or_default();
    let cut: Vec<&str> = shown.iter().map(|line| line.get(own.min(indent(line))..).unwrap_or(line)).collect();
    cut.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_facts_answer() {
        let mut wrong = Vec::new();
        for (question, expected) in [
            ("what does this project do?", "Project"),
            ("what is this repo about", "Project"),
            ("explain this codebase", "Project"),
            ("give me an overview of the project", "Project"),
            ("how do I install this?", "Install"),
            ("how do I set up the project locally", "Install"),
            ("how do I get started", "Install"),
            ("how do I run this", "RunIt(\"this\")"),
            ("how can I start the server", "RunIt(\"the server\")"),
            ("how do I run the tests", "RunIt(\"the tests\")"),
            ("what version is this", "Version"),
            ("which version are we on", "Version"),
            ("what are the dependencies", "Dependencies"),
            ("which packages does this use", "Dependencies"),
            ("what are the last commits", "Commits(10)"),
            ("show me the last 3 commits", "Commits(3)"),
            ("what happened recently", "Commits(10)"),
            ("what does make clean do", "Target(\"clean\")"),
            ("explain npm run build", "Target(\"build\")"),
            ("what does the deploy script do", "Target(\"deploy\")"),
            ("how do I undo my last commit", "HowTo(\"undo my last commit\")"),
            ("how to squash two commits", "HowTo(\"squash two commits\")"),
            ("what does average do", "Name(\"average\")"),
            ("explain the Cart class", "Name(\"Cart\")"),
            ("what is MAX_RETRIES", "Name(\"MAX_RETRIES\")"),
            ("find files larger than 1k", "Files(Larger(1024))"),
            ("files smaller than 2 MB", "Files(Smaller(2097152))"),
            ("show the 5 largest files", "Files(Largest(5))"),
            ("how do I find files larger than 1k", "HowTo(\"find files larger than 1k\")"),
            ("which files changed this week", "Files(Days(7))"),
            ("files modified in the last 3 days", "Files(Days(3))"),
            ("files changed by Bob", "Files(Author(\"Bob\"))"),
            ("what did Ada change", "Files(Author(\"Ada\"))"),
            ("find empty files", "Files(Empty)"),
        ] {
            let told = read(question, None).map(|ask| format!("{ask:?}")).unwrap_or_default();
            if told != expected {
                wrong.push(format!("{question}: {told}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(read("who changed a.py", Some("a.py")), Some(Ask::Authors("a.py".to_owned())));
        assert_eq!(read("when was a.py last updated?", Some("a.py")), Some(Ask::Authors("a.py".to_owned())));
        for question in [
            "fix the version check",
            "run the tests",
            "why is the parser slow",
            "rename average to mean",
            "add a version flag to the cli that prints the version of every dependency and exits",
        ] {
            assert_eq!(read(question, None), None, "{question}");
        }
    }

    #[test]
    fn a_file_is_told_by_what_it_defines() {
        let text = "\"\"\"A cart and its lines.\"\"\"\nimport os\n\nclass Cart:\n    def add(self):\n        total = 1\n\ndef average(cart):\n    return 1\n";
        let told = outline("cart.py", text);
        assert!(told.starts_with("`cart.py` has 9 lines. It begins: A cart and its lines."), "{told}");
        assert!(told.contains("- 4: `class Cart`\n- 5: `def add(self)`\n- 8: `def average(cart)`"), "{told}");
        assert!(outline("t.json", "{\n  \"strict\": true\n}\n").contains("`\"strict\": true`"));
    }

    #[test]
    fn a_definition_has_its_comment_and_its_body() {
        let python = "x = 1\n\n# The mean.\n@cached\ndef average(cart):\n    return 1\n\n\ndef other():\n    pass\n";
        assert_eq!(definition(python, 5), "# The mean.\n@cached\ndef average(cart):\n    return 1");
        let rust = "impl A {\n    /// Adds.\n    fn add(&self) {\n        x();\n    }\n\n    fn b() {}\n}\n";
        assert_eq!(definition(rust, 3), "/// Adds.\nfn add(&self) {\n    x();\n}");
    }
}
