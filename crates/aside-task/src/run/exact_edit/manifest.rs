//! Edits versions and dependencies in a project's manifest files. Changes only the line in question; all other bytes stay.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use crate::run::code;
use crate::run::exact_edit::{Bump, EditResult, lock};
use crate::run::versions;

/// Where a file states the version of the project.
fn version(path: &str, text: &str) -> Option<std::ops::Range<usize>> {
    let name = path.rsplit('/').next()?;
    let sections: &[&str] = match name {
        "package.json" | "composer.json" => {
            return json_version(text);
        }
        "VERSION" => {
            let trimmed = text.trim();
            let at = text.find(trimmed)?;
            return (!trimmed.is_empty() && !trimmed.contains('\n')).then(|| at..at + trimmed.len());
        }
        "pyproject.toml" => &["[project]", "[tool.poetry]"],
        "Cargo.toml" => &["[package]", "[workspace.package]"],
        "setup.cfg" => &["[metadata]"],
        // A file of the program repeats the version; it counts alone only where no manifest has one.
        _ => return None,
    };
    let line = Regex::new(r#"^version\s*=\s*["']?(\d[^"'\s]*)["']?"#).ok()?;
    let mut inside = false;
    let mut at = 0;
    for row in text.split_inclusive('\n') {
        if row.starts_with('[') {
            inside = sections.contains(&row.trim());
        }
        if let Some(found) = line.captures(row).filter(|_| inside).and_then(|found| found.get(1)) {
            return Some(at + found.start()..at + found.end());
        }
        at += row.len();
    }
    None
}

/// A file below another manifest, or one of tests, says nothing about the version of the whole.
fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// The versions that files state, the manifests of package managers first, then build files, then the program itself.
fn stated(files: &BTreeMap<String, String>) -> Vec<(&String, &String, std::ops::Range<usize>)> {
    let of_managers = files.iter().filter(|(path, _)| depth(path) == 0);
    let found: Vec<_> = of_managers.filter_map(|(path, text)| Some((path, text, version(path, text)?))).collect();
    if !found.is_empty() {
        return found;
    }
    let mut found: Vec<_> =
        files.iter().filter_map(|(path, text)| Some((path, text, versions::of_project(path, text)?))).collect();
    // The one nearest to the root is the project's; others count if they say the same.
    found.sort_by_key(|(path, ..)| (depth(path), (*path).clone()));
    let least = found.first().map_or(0, |(path, ..)| depth(path));
    found.retain(|(path, ..)| depth(path) == least);
    found
}

/// The value of `version` at the top level of a JSON object, however the file is laid out.
fn json_version(text: &str) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0, 0);
    // The last text at the top level that a colon follows.
    let mut key = None;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 1 => key = None,
            b'"' => {
                let start = at + 1;
                at = start;
                while *bytes.get(at)? != b'"' {
                    at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
                }
                match key {
                    Some("version") if depth == 1 => return (start < at).then_some(start..at),
                    None if depth == 1 => key = text.get(start..at),
                    _ => {}
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

pub fn bump(bump: &Bump, files: &BTreeMap<String, String>) -> EditResult {
    let found = stated(files);
    let of = |text: &str, range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
    let Some((_, text, range)) = found.first() else {
        return EditResult::Nothing(
            "No file here says a version of the project: a manifest, a build file, VERSION or a constant of that name would."
                .to_owned(),
        );
    };
    let old = of(text, range);
    let others = found.iter().filter(|(_, text, range)| of(text, range) != old);
    if let Some((path, text, range)) = others.into_iter().next() {
        return EditResult::Nothing(format!(
            "The files do not agree on the version: {} and {} in {}. Say which file to change, as in: replace \"{old}\" with … in FILE.",
            code(&old),
            code(&of(text, range)),
            code(path)
        ));
    }
    let step = |part: usize| stepped(&old, part);
    let new = match bump {
        Bump::To(version) => Some(version.clone()),
        Bump::Major => step(0),
        Bump::Minor => step(1),
        Bump::Patch => step(2),
        Bump::Unsaid => {
            let choices = [("major", 0), ("minor", 1), ("patch", 2)];
            let rows: Vec<String> = choices
                .iter()
                .filter_map(|(name, part)| {
                    Some(format!("- `bump the {name} version`: {}", code(&stepped(&old, *part)?)))
                })
                .collect();
            return EditResult::Nothing(format!(
                "The version is {}. Which part is to go up?\n\n{}",
                code(&old),
                rows.join("\n")
            ));
        }
    };
    let Some(new) = new else {
        return EditResult::Nothing(format!("The version {} has no three numbers; say the new one.", code(&old)));
    };
    if new == old {
        return EditResult::Nothing(format!("The version is {} already.", code(&old)));
    }
    // Other files that say the same version of the project go along.
    let says = |path: &String, text: &String| {
        let range = versions::of_project(path, text)?;
        let is_new = !found.iter().any(|(known, ..)| *known == path);
        (is_new && of(text, &range) == old).then_some(range)
    };
    let of_member = |path: &String, text: &String| {
        let range = version(path, text).filter(|_| depth(path) > 0)?;
        (of(text, &range) == old).then_some(range)
    };
    let repeated: Vec<_> = files
        .iter()
        .filter_map(|(path, text)| Some((path, text, says(path, text).or_else(|| of_member(path, text))?)))
        .collect();
    let found: Vec<_> = found.iter().cloned().chain(repeated).collect();
    let changed = |(path, text, range): &(&String, &String, std::ops::Range<usize>)| {
        let mut made = (*text).clone();
        made.replace_range(range.clone(), &new);
        ((*path).clone(), made)
    };
    let mut made: BTreeMap<String, String> = found.iter().map(changed).collect();
    made.extend(lock::with_version(&old, &new, files));
    let files = made;
    let summary = format!("Version {} becomes {}", code(&old), code(&new));
    EditResult::Texts { files, summary, note: String::new() }
}

fn stepped(version: &str, part: usize) -> Option<String> {
    let core = version.split(['-', '+']).next()?;
    let mut numbers: Vec<u64> = core.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    *numbers.get_mut(part)? += 1;
    numbers.iter_mut().skip(part + 1).for_each(|number| *number = 0);
    (numbers.len() == 3).then(|| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join("."))
}

fn is_requirement(line: &str, name: &str) -> bool {
    let end = line.find(|letter: char| "<>=!~;[ ".contains(letter)).unwrap_or(line.len());
    line.get(..end).is_some_and(|known| known.eq_ignore_ascii_case(name))
}

/// Files that list dependencies, from the root.
pub const LISTS: &[&str] = &[
    "package.json",
    "pyproject.toml",
    "Cargo.toml",
    "requirements.txt",
    "go.mod",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements/dev.txt",
    "pom.xml",
];

/// Lists of what only development needs, besides pyproject.toml.
const DEV_LISTS: [&str; 3] = ["requirements-dev.txt", "dev-requirements.txt", "requirements/dev.txt"];

/// A package to depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    /// As the request has it: `1`, `>=2.0`.
    pub version: Option<String>,
    /// Only development needs it.
    pub dev: bool,
    /// The list that the request names, where it names one.
    pub file: Option<String>,
}

/// A build file of Gradle.
pub fn is_gradle(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("build.gradle" | "build.gradle.kts"))
}

/// Adds a dependency of Maven coordinates to the build file of Gradle, beside those that it has.
fn in_gradle(dependency: &Dependency, files: &BTreeMap<String, String>) -> Option<EditResult> {
    let mut lists: Vec<(&String, &String)> = files.iter().filter(|(path, _)| is_gradle(path)).collect();
    lists.sort_by_key(|(path, _)| depth(path));
    let (path, text) = *lists.first()?;
    let others = lists.get(1).filter(|(other, _)| depth(other) == depth(path));
    if others.is_some() {
        return Some(EditResult::Nothing(
            "There are several build files; name one, as in: add X to the dependencies of FILE.".to_owned(),
        ));
    }
    let name = dependency.name.rsplit_once(':').map_or(dependency.name.as_str(), |(name, _)| name);
    if text.contains(name) {
        return Some(EditResult::Nothing(format!("{} has {} already.", code(path), code(name))));
    }
    let word = if dependency.dev { "testImplementation" } else { "implementation" };
    let row = match path.ends_with(".kts") {
        true => format!("{word}(\"{}\")", dependency.name),
        false => format!("{word} '{}'", dependency.name),
    };
    let head = Regex::new(r"(?m)^dependencies[ \t]*\{[ \t]*\n").ok()?.find(text)?;
    let inner = text.get(head.end()..)?.split("\n}").next()?;
    // Behind the last one of the same sort, or at the top.
    let mut at = head.end();
    let mut place = at;
    for line in inner.split_inclusive('\n') {
        at += line.len();
        if line.trim_start().starts_with(word) {
            place = at;
        }
    }
    let mut made = text.clone();
    let newline = if place > 0 && !made.get(..place)?.ends_with('\n') { "\n" } else { "" };
    let end = if newline.is_empty() { "\n" } else { "" };
    made.insert_str(place, &format!("{newline}    {row}{end}"));
    let files = BTreeMap::from([(path.clone(), made)]);
    Some(EditResult::Texts {
        files,
        summary: format!("Add {} to {}", code(&dependency.name), code(path)),
        note: String::new(),
    })
}

impl Dependency {
    /// `group:artifact:version`, as Maven and Gradle name it.
    pub fn is_coordinate(&self) -> bool {
        self.name.matches(':').count() == 2
    }

    /// As pip reads it.
    fn requirement(&self) -> String {
        match &self.version {
            Some(version) if version.starts_with(['<', '>', '=', '~', '!']) => format!("{}{version}", self.name),
            Some(version) => format!("{}=={}", self.name, version.trim_start_matches(['^', '='])),
            None => self.name.clone(),
        }
    }
}

/// A package manager: the file that shows its use, and its commands. An empty one does not exist.
struct Manager {
    file: &'static str,
    add: &'static str,
    dev: &'static str,
    remove: &'static str,
    /// Versions are written as pip writes them.
    is_pip: bool,
}

const fn manager(file: &'static str, add: &'static str, dev: &'static str, remove: &'static str) -> Manager {
    Manager { file, add, dev, remove, is_pip: false }
}

const MANAGERS: [Manager; 9] = [
    manager("pnpm-lock.yaml", "pnpm add", "pnpm add --save-dev", "pnpm remove"),
    manager("yarn.lock", "yarn add", "yarn add --dev", "yarn remove"),
    manager("bun.lock", "bun add", "bun add --dev", "bun remove"),
    manager("package.json", "npm install", "npm install --save-dev", "npm uninstall"),
    manager("Cargo.toml", "cargo add", "cargo add --dev", "cargo remove"),
    Manager { is_pip: true, ..manager("uv.lock", "uv add", "uv add --dev", "uv remove") },
    manager("poetry.lock", "poetry add", "poetry add --group dev", "poetry remove"),
    manager("go.mod", "go get", "", ""),
    manager("composer.json", "composer require", "composer require --dev", "composer remove"),
];

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "@/_.-".contains(letter))
}

pub fn command(dependency: &Dependency, has: &dyn Fn(&str) -> bool) -> Option<String> {
    let Dependency { name, version, dev, file } = dependency;
    // A file of requirements is edited as it is.
    if dependency.is_coordinate() || file.as_deref().is_some_and(|file| file.ends_with(".txt")) {
        return None;
    }
    let manager = MANAGERS.iter().find(|manager| has(manager.file))?;
    let command = if *dev { manager.dev } else { manager.add };
    let package = match version {
        _ if manager.is_pip => dependency.requirement(),
        Some(version) => format!("{name}@{version}"),
        None => name.clone(),
    };
    let package = match () {
        () if is_plain(&package) => package,
        () if package.contains('\'') || !is_plain(name) => return None,
        () => format!("'{package}'"),
    };
    (!command.is_empty()).then(|| format!("{command} {package}"))
}

/// A dependency of one member of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberDependency {
    pub name: String,
    pub version: Option<String>,
    pub features: Option<String>,
    /// As the request calls it: its package, or the directory that it is in.
    pub member: String,
    pub dev: bool,
    pub remove: bool,
}

impl MemberDependency {
    /// The command of the package manager, if one of the manifests is that member's. A manifest is its path and the name of its package.
    pub fn command(&self, manifests: &[(String, String)], has: &dyn Fn(&str) -> bool) -> Option<String> {
        let Self { name, version, features, member, dev, remove } = self;
        let is_it = |(path, package): &&(String, String)| {
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            let last = directory.rsplit('/').next().unwrap_or_default();
            !directory.is_empty() && (package == member || directory == member || last == member)
        };
        // `cli` is `hive-cli`, where no other member has that part.
        let is_part = |(path, package): &&(String, String)| {
            path.contains('/') && package.split(['-', '_', '/']).any(|part| part.eq_ignore_ascii_case(member))
        };
        let exact: Vec<&(String, String)> = manifests.iter().filter(is_it).collect();
        let found = if exact.is_empty() { manifests.iter().filter(is_part).collect() } else { exact };
        let [(path, package)] = found.as_slice() else { return None };
        let version = version.as_ref().filter(|_| !*remove);
        let name = &version.map_or_else(|| name.clone(), |version| format!("{name}@{version}"));
        if !is_plain(name) || !is_plain(package) || name.starts_with('-') || package.starts_with('-') {
            return None;
        }
        let (adds, flag) = (!*remove, if *dev { " -D" } else { "" });
        Some(match () {
            () if path.ends_with("Cargo.toml") => {
                let (verb, dev) = (if adds { "add" } else { "remove" }, if *dev { " --dev" } else { "" });
                let features = features.as_ref().map(|features| format!(" --features {features}")).unwrap_or_default();
                // A crate beside others without a workspace is named by its manifest.
                let of =
                    if has("Cargo.toml") { format!("--package {package}") } else { format!("--manifest-path {path}") };
                format!("cargo {verb} {of}{dev} {name}{features}")
            }
            () if !path.ends_with("package.json") => return None,
            () if has("pnpm-workspace.yaml") || has("pnpm-lock.yaml") => {
                format!("pnpm --filter {package} {}{flag} {name}", if adds { "add" } else { "remove" })
            }
            () if has("yarn.lock") => {
                format!("yarn workspace {package} {}{flag} {name}", if adds { "add" } else { "remove" })
            }
            () => format!("npm {}{flag} {name} -w {package}", if adds { "install" } else { "uninstall" }),
        })
    }
}

pub fn remove_command(name: &str, has: &dyn Fn(&str) -> bool) -> Option<String> {
    let manager = MANAGERS.iter().find(|manager| has(manager.file))?;
    (!manager.remove.is_empty() && is_plain(name)).then(|| format!("{} {name}", manager.remove))
}

pub fn add(dependency: &Dependency, files: &BTreeMap<String, String>) -> EditResult {
    if dependency.is_coordinate() {
        return in_gradle(dependency, files).unwrap_or_else(|| {
            EditResult::Nothing("No build file here lists dependencies by such coordinates.".to_owned())
        });
    }
    let is_meant = |file: &str| dependency.file.as_deref().is_none_or(|named| named == file);
    let pyproject = files.get("pyproject.toml").filter(|_| is_meant("pyproject.toml"));
    let lists: &[(&str, &str)] = match dependency.dev {
        true => &[("[project.optional-dependencies]", "dev"), ("[dependency-groups]", "dev")],
        false => &[("[project]", "dependencies")],
    };
    if let Some(text) = pyproject
        && let Some(range) = lists.iter().find_map(|(section, key)| list(text, section, key))
    {
        return in_pyproject(text, range, dependency, files);
    }
    let names: &[&str] = if dependency.dev { &DEV_LISTS } else { &["requirements.txt"] };
    let Some((path, text)) = names.iter().find_map(|name| Some((*name, files.get(*name)?))) else {
        return no_list(dependency.dev);
    };
    if text.lines().any(|line| is_requirement(line.trim(), &dependency.name)) {
        return EditResult::Nothing(format!("{} has {} already.", code(path), code(&dependency.name)));
    }
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let row = dependency.requirement();
    let files = BTreeMap::from([(path.to_owned(), format!("{text}{newline}{row}\n"))]);
    let note = format!("To install it: `pip install -r {path}`");
    EditResult::Texts { files, summary: format!("Add {} to {}", code(&row), code(path)), note }
}

fn in_pyproject(
    text: &str,
    (at, end): (usize, usize),
    dependency: &Dependency,
    files: &BTreeMap<String, String>,
) -> EditResult {
    let name = &dependency.name;
    let inner = text.get(at..end).unwrap_or_default();
    let known = inner.split(',').map(|one| one.trim().trim_matches(['"', '\'', '\n']));
    if known.into_iter().any(|one| is_requirement(one, name)) {
        return EditResult::Nothing(format!("`pyproject.toml` has {} already.", code(name)));
    }
    let row = dependency.requirement();
    let trimmed = inner.trim_end();
    let comma = if trimmed.is_empty() || trimmed.ends_with(',') { "" } else { "," };
    let rest = inner.get(trimmed.len()..).unwrap_or_default();
    let added = match inner.contains('\n') {
        true => format!("{trimmed}{comma}\n    \"{row}\",{rest}"),
        false if trimmed.is_empty() => format!("\"{row}\""),
        false => format!("{trimmed}{comma} \"{row}\"{rest}"),
    };
    let mut made = text.to_owned();
    made.replace_range(at..end, &added);
    let mut all = BTreeMap::from([("pyproject.toml".to_owned(), made)]);
    // A project that has both lists keeps them in step.
    if let Some(EditResult::Texts { files: more, .. }) = files
        .get("requirements.txt")
        .filter(|_| !dependency.dev && dependency.file.is_none())
        .map(|list| add(dependency, &BTreeMap::from([("requirements.txt".to_owned(), list.clone())])))
    {
        all.extend(more);
    }
    let (summary, note) = match dependency.dev {
        true => ("dev dependencies", "To install it: `pip install -e '.[dev]'`"),
        false => ("dependencies", "To install it: `pip install -e .`"),
    };
    EditResult::Texts { files: all, summary: format!("Add {} to the {summary}", code(&row)), note: note.to_owned() }
}

/// Adds a script to package.json, or a target to the Makefile: whichever of them is there.
pub fn script(name: &str, command: &str, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    if path != "package.json" {
        let head = format!("{name}:");
        if text.lines().any(|line| line.starts_with(&head)) {
            return EditResult::Nothing(format!("{} has a target {} already.", code(path), code(name)));
        }
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let made = format!("{text}{newline}\n{name}:\n\t{}\n", command.replace('$', "$$"));
        let files = BTreeMap::from([(path.clone(), made)]);
        let summary = format!("Add the target {} to {}", code(name), code(path));
        return EditResult::Texts { files, summary, note: String::new() };
    }
    let nothing = || EditResult::Nothing("`package.json` has no scripts that one could be added to.".to_owned());
    let Some(head) = Regex::new(r#"(?m)^(?P<indent>[ \t]+)"scripts"\s*:\s*\{\n"#).ok() else { return nothing() };
    let Some(found) = head.captures(text) else { return nothing() };
    let indent = found.name("indent").map_or("", |indent| indent.as_str());
    let Some(start) = found.get(0).map(|whole| whole.end()) else { return nothing() };
    let rest = text.get(start..).unwrap_or_default();
    let Some(length) = rest.find(&format!("\n{indent}}}")) else { return nothing() };
    let inner = rest.get(..length).unwrap_or_default();
    if inner.contains(&format!("\"{name}\"")) {
        return EditResult::Nothing(format!("`package.json` has a script {} already.", code(name)));
    }
    let Ok(value) = serde_json::to_string(command) else { return nothing() };
    let row = format!(",\n{indent}{indent}\"{name}\": {value}");
    let mut made = text.clone();
    made.insert_str(start + length, &row);
    let summary = format!("Add the script {} to `package.json`", code(name));
    EditResult::Texts { files: BTreeMap::from([("package.json".to_owned(), made)]), summary, note: String::new() }
}

/// The range between the brackets of a list in a section of pyproject.toml.
fn list(text: &str, section: &str, key: &str) -> Option<(usize, usize)> {
    let start = match text.starts_with(section) {
        true => 0,
        false => text.find(&format!("\n{section}\n"))? + 1,
    } + section.len();
    let rest = text.get(start..)?;
    let next = rest.match_indices("\n[").find(|(at, _)| !rest.get(..*at).is_some_and(is_open)).map(|(at, _)| at);
    let body = rest.get(..next.unwrap_or(rest.len()))?;
    let head = Regex::new(&format!(r"(?m)^{key}\s*=\s*\[")).ok()?.find(body)?;
    let at = start + head.end();
    let mut end = at + text.get(at..)?.find(']')?;
    // Skips brackets inside a requirement, `uvicorn[standard]`.
    while text.get(at..end)?.matches('[').count() > text.get(at..end)?.matches(']').count() {
        end = end + 1 + text.get(end + 1..)?.find(']')?;
    }
    Some((at, end))
}

/// Whether a list is not closed yet, so that a line that begins with a bracket is no section.
fn is_open(text: &str) -> bool {
    text.matches('[').count() > text.matches(']').count()
}

/// A build file that lists dependencies and has no program to edit it.
pub fn is_build_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["pom.xml", "go.mod", "build.gradle", "build.gradle.kts", "Gemfile"].contains(&name)
        || name.ends_with(".txt") && name.contains("requirements")
}

/// A build file without a dependency; `None` where it does not name it, or twice.
fn without(path: &str, text: &str, name: &str) -> Option<String> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let escaped = regex::escape(name);
    let pattern = match file {
        "pom.xml" => format!(
            r"(?m)^[ \t]*<dependency>(?:\s*<(?:groupId|version|scope|type|optional)>[^<]*</\w+>)*\s*<artifactId>(?:[\w.-]*-)?{escaped}(?:-core)?</artifactId>(?:\s*<\w+>[^<]*</\w+>)*\s*</dependency>[ \t]*\n"
        ),
        "go.mod" => format!(r"(?m)^[ \t]*(?:require[ \t]+)?(?:[\w.-]+/)*{escaped}(?:/v\d+)?[ \t]+v\S+[^\n]*\n"),
        "Gemfile" => format!(r#"(?m)^[ \t]*gem[ \t]+["']{escaped}["'][^\n]*\n"#),
        "build.gradle" | "build.gradle.kts" => {
            format!(r#"(?m)^[ \t]*\w+[ \t(]+["'](?:[\w.-]+:)?{escaped}(?::[^"']*)?["']\)?[ \t]*\n"#)
        }
        _ => {
            let kept: String = text.split_inclusive('\n').filter(|line| !is_requirement(line.trim(), name)).collect();
            return (kept != text).then_some(kept);
        }
    };
    let pattern = Regex::new(&pattern).ok()?;
    let mut found = pattern.find_iter(text);
    let range = found.next().filter(|_| found.next().is_none())?.range();
    let mut made = text.to_owned();
    made.replace_range(range, "");
    Some(made)
}

pub fn remove(name: &str, files: &BTreeMap<String, String>) -> EditResult {
    let mut made: BTreeMap<String, String> = files
        .iter()
        .filter(|(path, _)| is_build_file(path))
        .filter_map(|(path, text)| Some((path.clone(), without(path, text, name)?)))
        .collect();
    let note = match made.keys().any(|path| path.ends_with("go.mod")) {
        true => "To bring `go.sum` up to date: `go mod tidy`".to_owned(),
        false => String::new(),
    };
    if let Some((text, (at, end))) =
        files.get("pyproject.toml").and_then(|text| Some((text, list(text, "[project]", "dependencies")?)))
    {
        let inner = text.get(at..end).unwrap_or_default();
        let quoted = Regex::new(r#"\s*["']([^"']+)["']\s*,?"#).ok();
        let gone = quoted.and_then(|quoted| {
            let found = quoted.captures_iter(inner).find(|found| is_requirement(&found[1], name))?;
            found.get(0).map(|whole| whole.range())
        });
        if let Some(range) = gone {
            let mut rest = inner.to_owned();
            rest.replace_range(range, "");
            let rest = if rest.contains('\n') { rest } else { rest.trim().trim_end_matches(',').to_owned() };
            let mut changed = text.clone();
            changed.replace_range(at..end, &rest);
            made.insert("pyproject.toml".to_owned(), changed);
        }
    }
    if made.is_empty() {
        return EditResult::Nothing(format!("{} is no dependency that a file here names.", code(name)));
    }
    EditResult::Texts { files: made, summary: format!("Remove {} from the dependencies", code(name)), note }
}

fn no_list(dev: bool) -> EditResult {
    let text = match dev {
        true => "No file here lists what only development needs, so nothing is added.",
        false => "No file here lists dependencies that can be changed without its package manager.",
    };
    EditResult::Nothing(text.to_owned())
}
