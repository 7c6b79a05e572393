//! Questions about the project itself, answered by the tool whose manifest is here: which packages it depends on, which of
//! them are out of date, its version; and a package to be added. `this project` is no name of a package, so a sentence is
//! read only if every word of it is known.

use aside_commands::world::DirEntry;
use shell_line::quote;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::{Draft, Objects};

/// A manifest or lock file, and the commands of its tool. An empty command means that the tool has none.
struct Manifest {
    file: &'static str,
    dependencies: &'static str,
    outdated: &'static str,
    version: &'static str,
    add: &'static str,
    add_dev: &'static str,
}

/// Lock files come before the manifest that several tools share.
const MANIFESTS: &[Manifest] = &[
    Manifest {
        file: "Cargo.toml",
        dependencies: "cargo tree --depth 1",
        outdated: "",
        version: "cargo pkgid",
        add: "cargo add",
        add_dev: "cargo add --dev",
    },
    Manifest {
        file: "pnpm-lock.yaml",
        dependencies: "pnpm ls --depth 0",
        outdated: "pnpm outdated",
        version: "npm pkg get version",
        add: "pnpm add",
        add_dev: "pnpm add -D",
    },
    Manifest {
        file: "yarn.lock",
        dependencies: "yarn list --depth=0",
        outdated: "yarn outdated",
        version: "npm pkg get version",
        add: "yarn add",
        add_dev: "yarn add -D",
    },
    Manifest {
        file: "package.json",
        dependencies: "npm ls --depth=0",
        outdated: "npm outdated",
        version: "npm pkg get version",
        add: "npm install",
        add_dev: "npm install --save-dev",
    },
    Manifest { file: "go.mod", dependencies: "go list -m all", outdated: "", version: "", add: "go get", add_dev: "" },
    Manifest {
        file: "uv.lock",
        dependencies: "uv tree --depth 1",
        outdated: "uv tree --outdated --depth 1",
        version: "",
        add: "uv add",
        add_dev: "uv add --dev",
    },
    Manifest {
        file: "poetry.lock",
        dependencies: "poetry show --top-level",
        outdated: "poetry show --outdated",
        version: "poetry version",
        add: "poetry add",
        add_dev: "",
    },
    Manifest {
        file: "requirements.txt",
        dependencies: "cat requirements.txt",
        outdated: "pip list --outdated",
        version: "",
        add: "",
        add_dev: "",
    },
    Manifest {
        file: "Gemfile",
        dependencies: "bundle list",
        outdated: "bundle outdated",
        version: "",
        add: "bundle add",
        add_dev: "",
    },
    Manifest {
        file: "composer.json",
        dependencies: "composer show --direct",
        outdated: "composer outdated --direct",
        version: "",
        add: "composer require",
        add_dev: "composer require --dev",
    },
    Manifest { file: "pom.xml", dependencies: "mvn dependency:tree", outdated: "", version: "", add: "", add_dev: "" },
];

const DEPENDS: &[&str] =
    &["dependencies", "dependency", "deps", "depend", "depends", "depending", "requirements", "依赖", "依赖项"];
const PACKAGES: &[&str] =
    &["package", "packages", "library", "libraries", "libs", "module", "modules", "crate", "crates", "包", "库"];
const OUTDATED: &[&str] = &["outdated", "old", "stale", "过时", "过期"];
const PROJECT: &[&str] =
    &["project", "app", "application", "repo", "repository", "codebase", "code", "项目", "工程", "项", "目"];
/// Words around these that change nothing.
const AROUND: &[&str] = &[
    "what", "which", "list", "show", "me", "all", "the", "this", "my", "our", "of", "does", "do", "is", "are", "on",
    "in", "we", "i", "it", "its", "have", "has", "need", "needs", "use", "uses", "used", "here", "tell", "see",
    "direct", "there", "any", "please", "current", "own", "what's", "whats", "for", "by", "these", "a", "列出", "查看",
    "显示", "这个", "当前", "本", "哪些", "哪", "些", "了", "的", "有", "什么", "所有", "是", "多少", "个", "我们",
    "我",
];

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let has = |known: &[&str]| reading.words.iter().any(|word| known.contains(&word.low.as_str()));
    let only = |lists: &[&[&str]]| {
        let is_known = |low: &str| AROUND.contains(&low) || lists.iter().any(|list| list.contains(&low));
        reading.words.iter().all(|word| word.low.split(' ').all(is_known))
    };
    let version: &[&str] = &["version", "版本", "版本号"];
    let Some(entries) = reading.place.world.entries(reading.place.cwd).yes() else { return Vec::new() };
    let Some(manifest) = MANIFESTS.iter().find(|manifest| is_there(&entries, manifest.file)) else {
        return Vec::new();
    };
    let is_plural = || has(&["packages", "libraries", "libs", "modules", "crates", "dependencies", "deps", "依赖"]);
    let speaks_of_it = has(PROJECT) || has(&["we", "our", "my"]);
    // `what depends on this package` asks for the other direction.
    let is_reversed = reading.words.iter().rev().skip(1).any(|word| word.low == "on" || word.low.ends_with(" on"));
    if (has(DEPENDS) || has(PACKAGES) && has(&["need", "needs", "use", "uses"]) && speaks_of_it)
        && only(&[DEPENDS, PACKAGES, PROJECT])
        && !has(&["it"])
        && !is_reversed
    {
        return made(reading, manifest.dependencies, "lists what the project depends on");
    }
    if has(OUTDATED) && is_plural() && (has(DEPENDS) || speaks_of_it) && only(&[OUTDATED, DEPENDS, PACKAGES, PROJECT]) {
        return made(reading, manifest.outdated, "lists what the project depends on and has newer versions");
    }
    if has(version) && has(PROJECT) && only(&[version, PROJECT]) {
        return made(reading, manifest.version, "tells the version of the project");
    }
    let scripts: &[&str] = &["scripts", "脚本"];
    let has_scripts = is_there(&entries, "package.json");
    if has(scripts) && has(PROJECT) && has_scripts && only(&[scripts, PROJECT, &["available", "run", "can"]]) {
        return made(reading, "npm run", "lists the scripts of package.json");
    }
    added(reading, manifest)
}

/// `add lodash as a dependency`, `install express in this project`
fn added(reading: &AnalyzedQuery<'_>, manifest: &Manifest) -> Vec<Draft> {
    const ADDS: &[&str] = &["add", "install", "添加", "安装"];
    const LINKS: &[&str] =
        &["as", "to", "a", "an", "the", "this", "my", "our", "for", "in", "into", "please", "new", "of"];
    const DEV: &[&str] = &["dev", "development"];
    let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let first = (0..reading.words.len()).find(|place| at(*place) != "please");
    let Some(verb) = first.filter(|place| ADDS.contains(&at(*place))) else { return Vec::new() };
    let mut rest = verb + 2..reading.words.len();
    let is_known = |place: usize| {
        let low = at(place);
        LINKS.contains(&low)
            || DEPENDS.contains(&low)
            || PROJECT.contains(&low)
            || DEV.contains(&low)
            || low == "dev dependency"
    };
    let says_where = rest.clone().any(|place| DEPENDS.contains(&at(place)) || PROJECT.contains(&at(place)));
    let Some(package) = reading.words.get(verb + 1) else { return Vec::new() };
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_@/.".contains(letter);
    let is_package = package.text.chars().all(is_name)
        && !LINKS.contains(&package.low.as_str())
        && !DEPENDS.contains(&package.low.as_str())
        && !PACKAGES.contains(&package.low.as_str());
    let command = if rest.clone().any(|place| DEV.contains(&at(place))) { manifest.add_dev } else { manifest.add };
    // `install npm dependencies` names no package.
    let is_linked = matches!(at(verb + 2), "as" | "to" | "in" | "into" | "for");
    if !says_where || !is_linked || !is_package || !rest.all(is_known) || command.is_empty() {
        return Vec::new();
    }
    let command = format!("{command} {}", quote::word(&package.text, reading.place.dialect));
    let mut drafts = made(reading, &command, "adds the package to the project");
    drafts.iter_mut().for_each(|draft| draft.used.fill(verb + 1));
    drafts
}

fn is_there(entries: &[DirEntry], file: &str) -> bool {
    entries.iter().any(|entry| &*entry.name == file)
}

fn made(reading: &AnalyzedQuery<'_>, command: &str, about: &str) -> Vec<Draft> {
    if command.is_empty() {
        return Vec::new();
    }
    let mut used = reading.unused();
    (0..reading.words.len()).for_each(|place| used.mark(place));
    vec![Draft {
        command: command.to_owned(),
        about: about.to_owned(),
        used,
        objects: Objects::Filled,
        doubt: 0.0,
        specific: 4,
        rule: "project",
    }]
}

#[cfg(test)]
mod tests {
    use crate::embedded::fake::Fake;

    #[test]
    fn the_manifest_says_which_tool_knows_the_project() {
        for (files, words, expected) in [
            (&["package.json"][..], "what packages does this project depend on", "npm ls --depth=0"),
            (&["Cargo.toml"], "dependencies of this project", "cargo tree --depth 1"),
            (&["go.mod"], "list the dependencies", "go list -m all"),
            (&["poetry.lock", "pyproject.toml"], "what are our dependencies", "poetry show --top-level"),
            (&["package.json", "yarn.lock"], "which libraries does the app use", "yarn list --depth=0"),
            (&["requirements.txt"], "show the dependencies", "cat requirements.txt"),
            (&["package.json"], "这个项目依赖哪些包", "npm ls --depth=0"),
            (&["package.json"], "which dependencies are outdated", "npm outdated"),
            (&["package.json"], "what version is this project", "npm pkg get version"),
            (&["package.json"], "list the scripts of this project", "npm run"),
            (&["package.json"], "add lodash as a dependency", "npm install lodash"),
            (&["package.json"], "add jest as a dev dependency", "npm install --save-dev jest"),
            (&["Cargo.toml"], "please add serde as a dependency", "cargo add serde"),
        ] {
            assert_eq!(Fake::beside(files).best(words), expected, "{words} beside {files:?}");
        }
    }

    #[test]
    fn a_phrase_that_points_at_something_is_no_name() {
        for words in ["what packages does this project depend on", "what depends on this package", "ping my laptop"] {
            for here in ["notes.txt", "package.json"] {
                let best = Fake::beside(&[here]).best(words);
                let names = ["project", "laptop", "this"].iter().any(|name| best.contains(name));
                assert!(!names && (!words.starts_with("what depends") || !best.starts_with("npm")), "{words}: {best}");
            }
        }
    }
}
