//! Changes that a request specifies exactly: a text, an identifier, an import, a version, an ignored file. Parses the request and produces
//! the new texts. Returns nothing for a request without an exact meaning, which is left to a model.

mod imports;
mod manifest;
mod text;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The change to make. File names are as the user wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces a text by another, in one file or in every file that has it.
    Replace {
        from: String,
        to: String,
        file: Option<String>,
    },
    /// Renames an identifier everywhere.
    Rename {
        from: String,
        to: String,
        file: Option<String>,
    },
    Move {
        from: String,
        to: String,
    },
    AddImport {
        import: String,
        file: String,
    },
    RemoveImport {
        name: String,
        file: String,
        unused: bool,
    },
    Ignore(String),
    Bump(Bump),
    Sort {
        file: String,
    },
    Append {
        line: String,
        file: String,
    },
    AddDependency(String),
    RemoveDependency(String),
    Format,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bump {
    To(String),
    Major,
    Minor,
    Patch,
    /// The request did not say which part.
    Unsaid,
}

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// The new text of each changed file, and a line about it.
    Texts {
        files: BTreeMap<String, String>,
        summary: String,
        note: String,
    },
    Move {
        from: String,
        to: String,
    },
    /// Nothing is changed: why, and what would help.
    Nothing(String),
}

/// An identifier.
const NAME: &str = r"[A-Za-z_$][\w$]*";
const PATH: &str = r"[\w./@+-]*\.?[\w+-]+(?:\.[\w]+)*";

struct Shapes(Vec<(&'static str, Regex)>);

/// Patterns of such requests, the specific before the general. Case-sensitive, since names differ by case.
static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let quoted = r#"(?:"(?P<A>[^"]+)"|'(?P<B>[^']+)'|`(?P<C>[^`]+)`|“(?P<D>[^”]+)”)"#;
    let two = |one: &str, other: &str| {
        let second = quoted.replace("<A>", "<E>").replace("<B>", "<F>").replace("<C>", "<G>").replace("<D>", "<H>");
        format!("{one}{quoted}{other}{second}")
    };
    let place = format!(
        r"(?:\s+(?:in|inside|within|of)\s+(?:the\s+)?(?:file\s+)?`?(?P<file>{PATH})`?|\s+(?:everywhere|in\s+all\s+files|in\s+every\s+file|throughout|in\s+the\s+(?:whole\s+)?(?:project|code|codebase|repo)))?"
    );
    let rows = [
        ("bump", r"(?i:(?:bump|set|change|update|raise|increase)\s+(?:the\s+)?(?:project\s+|package\s+)?version(?:\s+number)?\s+(?:from\s+\S+\s+)?to)\s+v?(?P<version>\d+(?:\.\d+)+(?:-[\w.]+)?)".to_owned()),
        ("bump-part", r"(?i:bump|raise|increase|increment)\s+(?:the\s+)?(?P<part>major|minor|patch)(?:\s+version|\s+number)*".to_owned()),
        ("bump-part", r"(?i:bump|raise|increase|increment)\s+(?:the\s+)?version(?:\s+number)?(?:\s+by\s+a\s+(?P<part>major|minor|patch)(?:\s+(?:version|step))?)?".to_owned()),
        ("ignore", r"(?i:add)\s+`?(?P<pattern>[\w*.?/\[\]-]+)`?\s+to\s+(?:the\s+)?\.?gitignore(?:\s+file)?".to_owned()),
        ("ignore", r"(?i:(?:add|create|make|write)\s+a\s+\.gitignore(?:\s+file)?\s+(?:for|with|that\s+ignores))\s+`?(?P<pattern>[\w*.?/\[\]-]+)`?(?:\s+files)?".to_owned()),
        ("ignore", r"(?i:(?:git)?ignore|make\s+git\s+ignore|let\s+git\s+ignore|have\s+git\s+ignore)\s+(?:all\s+|the\s+)*`?(?P<pattern>[\w*.?/\[\]-]+)`?(?:\s+(?P<sort>files?|folder|directory|dir))?(?:\s+(?:in|for|with)\s+git)?".to_owned()),
        ("import-remove", format!(r"(?i:remove|delete|drop)\s+(?:the\s+)?(?P<unused>unused\s+)?import\s+(?:of\s+|for\s+)?`?(?P<name>{NAME}(?:\.{NAME})*)`?\s+(?:from|in)\s+`?(?P<file>{PATH})`?")),
        ("import-remove", format!(r"(?i:remove|delete|drop)\s+(?:the\s+)?(?P<unused>unused\s+)?`?(?P<name>{NAME}(?:\.{NAME})*)`?\s+import\s+(?:from|in)\s+`?(?P<file>{PATH})`?")),
        ("import-add", format!(r"(?i:add)\s+(?:the\s+|an\s+)?`?(?P<import>(?:import|from|use|using|require)\s+[^`]+?)`?\s+(?:to|in|into|at\s+the\s+top\s+of)\s+`?(?P<file>{PATH})`?")),
        ("import-add", format!(r"(?i:add)\s+(?:the\s+|an\s+)?import\s+(?:of|for)\s+`?(?P<module>{NAME}(?:\.{NAME})*)`?\s+(?:to|in|into)\s+`?(?P<file>{PATH})`?")),
        ("import-add", format!(r"(?P<import>import\s+{NAME}(?:\.{NAME})*)\s+(?:in|into)\s+`?(?P<file>{PATH})`?")),
        ("move", format!(r"(?i:rename|move)\s+(?:the\s+)?(?:file\s+)?`?(?P<old>{PATH})`?\s+(?:to|into|as)\s+`?(?P<new>{PATH}/?)`?")),
        ("rename", format!(r"(?i:rename)\s+(?:the\s+)?(?:function|method|class|variable|constant|type|struct|interface|symbol|field|enum|trait)?\s*`?(?P<old>{NAME})(?:\(\))?`?\s+(?:to|into|as)\s+`?(?P<new>{NAME})(?:\(\))?`?{place}")),
        ("replace", two(r"(?i:replace|change|substitute|swap|turn)\s+(?:all\s+|every\s+)?(?:occurrences?\s+of\s+)?(?:the\s+(?:text|string|word)\s+)?", r"\s+(?:with|by|to|into|for)\s+(?:the\s+(?:text|string|word)\s+)?") + &place),
        ("replace", format!(r"(?i:replace|change|substitute)\s+(?:all\s+|every\s+)?(?:occurrences?\s+of\s+)?(?P<old>\S(?:.*?\S)?)\s+(?:with|by|to|into)\s+(?P<new>\S(?:.*?\S)?){place}")),
        ("append", format!(r"(?i:add|append)\s+(?:the\s+line\s+|a\s+line\s+)?{quoted}\s+to\s+(?:the\s+end\s+of\s+)?`?(?P<file>{PATH})`?")),
        ("sort", format!(r"(?i:sort)\s+(?:the\s+)?(?:lines\s+(?:of|in)\s+)?`?(?P<file>{PATH})`?(?:\s+alphabetically)?")),
        ("dependency-add", r"(?i:add)\s+(?:the\s+)?(?:package\s+|library\s+|crate\s+|dependency\s+)?`?(?P<name>@?[\w][\w./-]*)`?\s+(?:to|as|in)\s+(?:the\s+|a\s+|our\s+|my\s+)?(?:project\s+|dev\s+)?(?:dependenc(?:y|ies)|deps|requirements(?:\.txt)?)".to_owned()),
        ("dependency-add", r"(?i:add)\s+(?:a\s+|the\s+)?(?:dependency|package|library|crate)\s+(?:on\s+|called\s+|named\s+)?`?(?P<name>@?[\w][\w./-]*)`?".to_owned()),
        ("dependency-remove", r"(?i:remove|drop|delete|uninstall)\s+(?:the\s+)?(?:package\s+|library\s+|crate\s+|dependency\s+(?:on\s+)?)?`?(?P<name>@?[\w][\w./-]*)`?(?:\s+(?:dependency|package|library|crate))?(?:\s+from\s+(?:the\s+|our\s+|my\s+)?(?:project|dependenc(?:y|ies)|deps|requirements(?:\.txt)?|package\.json))?".to_owned()),
        ("format", r"(?i:format|reformat|prettify|beautify)\s+(?:all\s+|the\s+|my\s+|our\s+|this\s+)*(?:code|files?|project|sources?|code\s*base|repo|everything)".to_owned()),
    ];
    let polite = r"(?i:(?:please|pls|can you|could you|would you|now|kindly|i want to|i'd like to)[\s,]+)*";
    let whole = |pattern: &str| {
        Regex::new(&format!(r"^\s*{polite}(?:{pattern})(?i:\s*,?\s*please|\s+for\s+me)?\s*[.!]?\s*$")).ok()
    };
    Shapes(rows.iter().filter_map(|(name, pattern)| Some((*name, whole(pattern)?))).collect())
});

/// The exact change that a request specifies; `None` where it is less than exact.
pub fn read(request: &str) -> Option<Edit> {
    SHAPES.0.iter().find_map(|(name, pattern)| edit(name, &pattern.captures(request)?))
}

fn edit(name: &str, found: &Captures<'_>) -> Option<Edit> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let any =
        |groups: &[&str]| groups.iter().find_map(|group| found.name(group).map(|value| value.as_str().to_owned()));
    Some(match name {
        "bump" => Edit::Bump(Bump::To(of("version")?)),
        "bump-part" => Edit::Bump(match of("part").as_deref() {
            Some("major") => Bump::Major,
            Some("minor") => Bump::Minor,
            Some("patch") => Bump::Patch,
            _ => Bump::Unsaid,
        }),
        "ignore" => Edit::Ignore(ignored(&of("pattern")?, of("sort").as_deref())?),
        "import-remove" => {
            Edit::RemoveImport { name: of("name")?, file: of("file")?, unused: found.name("unused").is_some() }
        }
        "import-add" => {
            let import = of("import").or_else(|| Some(format!("import {}", of("module")?)))?;
            Edit::AddImport { import, file: of("file")? }
        }
        "move" => {
            let (from, to) = (of("old")?, of("new")?);
            if !is_file(&from) || !is_file(&to) && !to.ends_with('/') {
                return None;
            }
            let to = if to.ends_with('/') { format!("{to}{}", from.rsplit('/').next()?) } else { to };
            Edit::Move { from, to }
        }
        "rename" => {
            let (from, to) = (of("old")?, of("new")?);
            (from != to).then_some(())?;
            Edit::Rename { from, to, file: of("file") }
        }
        "replace" => {
            let quoted = any(&["A", "B", "C", "D"]).zip(any(&["E", "F", "G", "H"]));
            let is_quoted = quoted.is_some();
            let (from, to) = quoted.or_else(|| of("old").zip(of("new")))?;
            // Unquoted prose is not a text of a file: "change the button to blue".
            (is_quoted || is_text(&from) && !has_quotes(&from)).then_some(())?;
            Edit::Replace { from, to, file: of("file") }
        }
        "append" => Edit::Append { line: any(&["A", "B", "C", "D"])?, file: of("file").filter(|file| is_file(file))? },
        "sort" => Edit::Sort { file: of("file").filter(|file| is_file(file))? },
        "dependency-add" => Edit::AddDependency(of("name").filter(|name| is_package(name))?),
        "dependency-remove" => Edit::RemoveDependency(of("name").filter(|name| is_package(name))?),
        "format" => Edit::Format,
        _ => return None,
    })
}

fn is_file(path: &str) -> bool {
    path.contains('.') || path.contains('/')
}

fn has_quotes(text: &str) -> bool {
    text.contains(['"', '\'', '`', '“'])
}

/// Whether an unquoted text can only come from a file: it has characters that prose does not have, or is camel case.
fn is_text(text: &str) -> bool {
    let sign = |letter: char| "_=.:/()[]{}<>$@#%&*+|\\".contains(letter) || letter.is_ascii_digit();
    let camel = text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    text.contains(sign) || camel
}

fn is_package(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "a",
        "an",
        "the",
        "it",
        "this",
        "that",
        "them",
        "all",
        "tests",
        "test",
        "new",
        "dark",
        "support",
        "some",
        "unused",
        "everything",
        "comments",
        "dead",
    ];
    !WORDS.contains(&name) && !name.starts_with('.') && !name.contains("..") && !name.ends_with('/')
}

/// The .gitignore rule for the request.
fn ignored(pattern: &str, sort: Option<&str>) -> Option<String> {
    const WORDS: &[&str] =
        &["it", "this", "that", "them", "errors", "warnings", "case", "whitespace", "me", "everything", "the"];
    if WORDS.contains(&pattern) || pattern.starts_with('-') {
        return None;
    }
    let exact = pattern.contains(['*', '.', '/', '_']) || sort.is_some_and(|sort| sort != "file" && sort != "files");
    match sort {
        Some("folder" | "directory" | "dir") => Some(format!("{}/", pattern.trim_end_matches('/'))),
        // "ignore log files" names an extension.
        Some("file" | "files") if !exact => Some(format!("*.{pattern}")),
        _ => exact.then(|| pattern.to_owned()),
    }
}

impl Edit {
    /// The files that it names.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Edit::Replace { file, .. } | Edit::Rename { file, .. } => file.as_deref().into_iter().collect(),
            Edit::AddImport { file, .. }
            | Edit::RemoveImport { file, .. }
            | Edit::Sort { file }
            | Edit::Append { file, .. } => vec![file],
            Edit::Move { from, .. } => vec![from],
            Edit::Ignore(_) | Edit::Bump(_) | Edit::AddDependency(_) | Edit::RemoveDependency(_) | Edit::Format => {
                Vec::new()
            }
        }
    }

    /// A text that a file must contain to be relevant, if any file may be.
    pub fn needle(&self) -> Option<&str> {
        match self {
            Edit::Replace { from, file: None, .. } | Edit::Rename { from, file: None, .. } => Some(from),
            _ => None,
        }
    }

    /// The files in the project root that it concerns.
    pub fn manifests(&self) -> &'static [&'static str] {
        match self {
            Edit::Ignore(_) => &[".gitignore"],
            Edit::Bump(_) => &["package.json", "pyproject.toml", "Cargo.toml", "VERSION", "setup.cfg", "composer.json"],
            Edit::AddDependency(_) | Edit::RemoveDependency(_) => {
                &["package.json", "pyproject.toml", "Cargo.toml", "requirements.txt", "go.mod"]
            }
            _ => &[],
        }
    }
}

/// The new texts of the files, which are given by their paths from the root.
pub fn make(edit: &Edit, files: &BTreeMap<String, String>) -> Made {
    match edit {
        Edit::Replace { from, to, .. } => text::replace(from, to, files),
        Edit::Rename { from, to, .. } => text::rename(from, to, files),
        Edit::Move { from, to } => Made::Move { from: from.clone(), to: to.clone() },
        Edit::AddImport { import, .. } => imports::add(import, files),
        Edit::RemoveImport { name, unused, .. } => imports::remove(name, *unused, files),
        Edit::Ignore(pattern) => text::ignore(pattern, files),
        Edit::Bump(bump) => manifest::bump(bump, files),
        Edit::Sort { .. } => text::sort(files),
        Edit::Append { line, .. } => text::append(line, files),
        Edit::AddDependency(name) => manifest::add(name, files),
        Edit::RemoveDependency(name) => manifest::remove(name, files),
        Edit::Format => Made::Nothing(String::new()),
    }
}

/// The package manager's command, where it maintains its own list. `None` where the list is a file to edit.
pub fn command(edit: &Edit, has: &dyn Fn(&str) -> bool) -> Option<String> {
    let (verbs, name) = match edit {
        Edit::AddDependency(name) => (0, name),
        Edit::RemoveDependency(name) => (1, name),
        _ => return None,
    };
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "@/_.-".contains(letter));
    let managers: [(&str, [&str; 2]); 9] = [
        ("pnpm-lock.yaml", ["pnpm add", "pnpm remove"]),
        ("yarn.lock", ["yarn add", "yarn remove"]),
        ("bun.lock", ["bun add", "bun remove"]),
        ("package.json", ["npm install", "npm uninstall"]),
        ("Cargo.toml", ["cargo add", "cargo remove"]),
        ("uv.lock", ["uv add", "uv remove"]),
        ("poetry.lock", ["poetry add", "poetry remove"]),
        ("go.mod", ["go get", ""]),
        ("composer.json", ["composer require", "composer remove"]),
    ];
    let (_, commands) = managers.iter().find(|(file, _)| has(file))?;
    let command = commands.get(verbs).filter(|command| !command.is_empty() && plain)?;
    Some(format!("{command} {name}"))
}
