//! What a moved file breaks: imports, includes, build files and documents that name it. Rewrites those that lead to it for certain, and
//! names the others. Also which files a class or a component takes along when it gets another name.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use crate::run::search::definitions::{defines, is_import};

/// Lines that are named.
const MAX_NAMED: usize = 5;

/// The consequences for the other files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// The new text of each file with rewritten imports.
    pub files: BTreeMap<String, String>,
    /// Lines that refer to the file and stay as they are: `src/a.rs:3`.
    pub left: Vec<String>,
}

impl References {
    /// A note for the user; empty when nothing refers to the file.
    pub fn note(&self) -> String {
        let mut note = String::new();
        if !self.files.is_empty() {
            let files = self.files.keys().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
            note.push_str(&format!("What names it is changed in {files}."));
        }
        if !self.left.is_empty() {
            let shown = self.left.iter().take(MAX_NAMED).map(|place| format!("`{place}`")).collect::<Vec<_>>();
            let more = self.left.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let space = if note.is_empty() { "" } else { " " };
            note.push_str(&format!(
                "{space}Not changed, and to be looked at since they name it: {}{more}.",
                shown.join(", ")
            ));
        }
        note
    }
}

/// The name that imports of a file have. `None` for files that are not imported by name.
pub fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_code = [
        "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "rs", "go", "c", "h", "cc", "cpp", "hpp", "rb", "php", "java",
        "kt", "css", "scss", "vue", "svelte", "sh", "lua", "ex", "dart", "swift",
    ]
    .contains(&ending);
    (is_code && !stem.is_empty()).then_some(stem)
}

/// Paths are from the root of the project.
pub fn references(from: &str, to: &str, files: &BTreeMap<String, String>) -> References {
    let mut made = References::default();
    // The file's own relative imports lead elsewhere from its new directory.
    if let Some(text) = files.get(from)
        && let Some(own) = own_imports(from, to, text)
    {
        made.files.insert(from.to_owned(), own);
    }
    let is_include = is_c(from);
    let stem = stem(from).unwrap_or_default();
    let word = Regex::new(&format!(r"(?:^|[^\w$]){}(?:$|[^\w$])", regex::escape(stem))).ok();
    for (path, text) in files.iter().filter(|(path, _)| *path != from) {
        let new = match () {
            () if from.ends_with(".py") => python(from, to, path, text),
            () if from.ends_with(".rs") => rust(from, to, path, text, files),
            () if is_include => included(from, to, text),
            () => scripts(from, to, path, text),
        };
        let new = by_path(from, to, path, &new);
        for (at, (old, line)) in text.lines().zip(new.lines()).enumerate() {
            let declares = line.trim_start().trim_start_matches("pub ").starts_with("mod ");
            let imports = (declares || is_import(line)) && !stem.is_empty() && !is_include;
            let refers = line.contains(from) || imports && word.as_ref().is_some_and(|word| word.is_match(line));
            if old == line && refers {
                made.left.push(format!("{path}:{}", at + 1));
            }
        }
        if new != *text {
            made.files.insert(path.clone(), new);
        }
    }
    made
}

fn is_c(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "ino"].contains(&ending)
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path itself wherever a text has it, from the root or from the directory of that text: build files, documentation, workflows.
fn by_path(from: &str, to: &str, path: &str, text: &str) -> String {
    let swap = |text: &str, old: &str, new: &str| -> String {
        let pattern = format!(r"(?m)(?P<before>^|[^\w./-]|[^\w.]\./){}(?P<behind>$|[^\w/-])", regex::escape(old));
        let Ok(pattern) = Regex::new(&pattern) else { return text.to_owned() };
        let new = format!("${{before}}{}${{behind}}", new.replace('$', "$$"));
        // Twice, since a match takes the letter between two neighbours.
        let once = pattern.replace_all(text, new.as_str()).into_owned();
        pattern.replace_all(&once, new.as_str()).into_owned()
    };
    let mut made = text.to_owned();
    if from.contains('/') || is_listing(path) {
        made = swap(&made, from, to);
    }
    let here = directory(path);
    let below = |file: &str| match here.is_empty() {
        true => None,
        false => file.strip_prefix(here).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned),
    };
    if let (Some(old), Some(new)) = (below(from), below(to))
        && (old.contains('/') || is_listing(path))
    {
        made = swap(&made, &old, &new);
    }
    made
}

/// A file that names other files by their paths.
fn is_listing(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = [
        "CMakeLists.txt",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "meson.build",
        "BUILD",
        "BUILD.bazel",
        "Dockerfile",
        "justfile",
    ];
    known.contains(&name(path))
        || ["cmake", "mk", "md", "rst", "yml", "yaml", "toml", "json", "html", "in", "cfg"].contains(&ending)
}

/// `#include "ring/buf.h"`: the path ends with what the line has.
fn included(from: &str, to: &str, text: &str) -> String {
    let Ok(pattern) = Regex::new(r#"(?m)^(?P<head>[ \t]*#[ \t]*include[ \t]*[<"])(?P<path>[^">\n]+)"#) else {
        return text.to_owned();
    };
    let replaced = pattern.replace_all(text, |found: &regex::Captures<'_>| {
        let said = found["path"].to_owned();
        let whole = found[0].to_owned();
        let plain = said.trim_start_matches("../").trim_start_matches("./");
        let Some(root) = from.strip_suffix(plain).filter(|root| root.is_empty() || root.ends_with('/')) else {
            return whole;
        };
        let lead = said.strip_suffix(plain).unwrap_or_default();
        match (to.strip_prefix(root), directory(from) == directory(to)) {
            (Some(rest), _) => format!("{}{lead}{rest}", &found["head"]),
            (None, _) => whole,
        }
    });
    replaced.into_owned()
}

/// `mod weight;` of the module above it, and `crate::weight::` wherever the crate has no other module of that name.
fn rust(from: &str, to: &str, path: &str, text: &str, files: &BTreeMap<String, String>) -> String {
    let (Some(old), Some(new)) = (stem(from), stem(to)) else { return text.to_owned() };
    let is_only = !files.keys().any(|other| other != from && other.ends_with(".rs") && stem(other) == Some(old));
    if directory(from) != directory(to) || !path.ends_with(".rs") || !is_only || ["mod", "lib", "main"].contains(&old) {
        return text.to_owned();
    }
    let escaped = regex::escape(old);
    let here = directory(from);
    let parents = ["lib.rs", "main.rs", "mod.rs"]
        .map(|file| if here.is_empty() { file.to_owned() } else { format!("{here}/{file}") });
    let is_parent = parents.iter().any(|parent| parent == path) || path == format!("{here}.rs");
    let mut made = text.to_owned();
    let mut swap = |pattern: String| {
        if let Ok(pattern) = Regex::new(&pattern) {
            made = pattern.replace_all(&made, format!("${{1}}{new}${{2}}")).into_owned();
        }
    };
    if is_parent {
        swap(format!(r"(?m)^([ \t]*(?:pub(?:\([\w:]+\))?[ \t]+)?mod[ \t]+){escaped}([ \t]*;)"));
        swap(format!(r"(^|[^\w:.]){escaped}(::)"));
    }
    swap(format!(r"(\b\w+::){escaped}(::|;|,|[ \t]*\}})"));
    swap(format!(r"((?:crate|super|self)::\{{[^}}]*?\b){escaped}(::)"));
    made
}

/// The relative specifiers of a script, from its new directory. `None` where nothing changes.
fn own_imports(from: &str, to: &str, text: &str) -> Option<String> {
    let (old, new) = (directory(from), directory(to));
    let ending = from.rsplit_once('.').map_or("", |(_, ending)| ending);
    if old == new || !["js", "jsx", "ts", "tsx", "mjs", "cjs", "vue", "svelte", "css", "scss"].contains(&ending) {
        return None;
    }
    let quoted = Regex::new(r#"(?P<open>["'])(?P<path>\.\.?/[^"'\n]+)["']"#).ok()?;
    let made = quoted.replace_all(text, |found: &regex::Captures<'_>| match joined(old, &found["path"]) {
        Some(target) => format!("{open}{}{open}", relative(new, &target), open = &found["open"]),
        None => found[0].to_owned(),
    });
    (made != text).then(|| made.into_owned())
}

/// The class that a file of Java or Kotlin is called by, and its new name, where the file gets another one in its directory.
pub fn class_of(from: &str, to: &str, files: &BTreeMap<String, String>) -> Option<(String, String)> {
    let is_class = from.ends_with(".java") || from.ends_with(".kt");
    let (old, new) = (stem(from)?, stem(to)?);
    let defines = files.get(from).is_some_and(|text| text.lines().any(|line| defines(line, old)));
    (is_class && directory(from) == directory(to) && old != new && defines).then(|| (old.to_owned(), new.to_owned()))
}

/// Files that are called like a class or a component, with the new name in the place of the old one: `Card.tsx`, `Card.test.tsx`, `Card/`.
/// Empty where none of them defines it.
pub fn namesakes<'a>(
    from: &str,
    to: &str,
    files: &BTreeMap<String, String>,
    paths: impl Iterator<Item = &'a str>,
) -> BTreeMap<String, String> {
    if !from.starts_with(char::is_uppercase) {
        return BTreeMap::new();
    }
    let renamed = |path: &str| {
        let parts: Vec<String> = path
            .split('/')
            .map(|part| match part.split_once('.') {
                Some((head, rest)) if head == from => format!("{to}.{rest}"),
                None if part == from => to.to_owned(),
                _ => part.to_owned(),
            })
            .collect();
        parts.join("/")
    };
    let all: Vec<&str> = paths.collect();
    let moves: BTreeMap<String, String> =
        all.iter().map(|path| ((*path).to_owned(), renamed(path))).filter(|(old, new)| old != new).collect();
    let defines = |path: &String| files.get(path).is_some_and(|text| text.lines().any(|line| defines(line, from)));
    let is_taken = moves.values().any(|new| all.contains(&new.as_str()));
    if is_taken || !moves.keys().any(defines) { BTreeMap::new() } else { moves }
}

/// `ledgerlite.tax` wherever it is spelled so, and `from .tax import` beside it.
fn python(from: &str, to: &str, path: &str, text: &str) -> String {
    let parts = |file: &str| -> Vec<String> { file.trim_end_matches(".py").split('/').map(str::to_owned).collect() };
    let (old, new) = (parts(from), parts(to));
    let mut made = text.to_owned();
    // The longest path first, since the shorter ones are parts of it. One part alone is a word like any other.
    for skipped in 0..old.len().saturating_sub(1) {
        if old.get(..skipped) != new.get(..skipped) || new.len() <= skipped + 1 {
            break;
        }
        let dotted = |parts: &[String]| parts.get(skipped..).unwrap_or_default().join(".");
        let pattern = format!(r"(?P<before>^|[^\w.]){}(?P<behind>$|\W)", regex::escape(&dotted(&old)));
        if let Ok(pattern) = Regex::new(&format!("(?m){pattern}")) {
            made = pattern.replace_all(&made, format!("${{before}}{}${{behind}}", dotted(&new))).into_owned();
        }
    }
    if directory(from) == directory(path)
        && directory(to) == directory(path)
        && let (Some(stem), Some(name)) = (old.last(), new.last())
        && let Ok(pattern) = Regex::new(&format!(r"(?m)^(\s*from \.){}( import )", regex::escape(stem)))
    {
        made = pattern.replace_all(&made, format!("${{1}}{name}${{2}}")).into_owned();
    }
    made
}

/// Specifiers in quotes that lead to the file: `"./tax"`, `'../src/tax.js'`, `'@/lib/tax'`.
fn scripts(from: &str, to: &str, path: &str, text: &str) -> String {
    let Ok(quoted) = Regex::new(r#"(?P<open>["'])(?P<path>(?:\.\.?|[@~#]\w*)/[^"'\n]+)["']"#) else {
        return text.to_owned();
    };
    let here = directory(path);
    let bare = |path: &str| -> String {
        let endings = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".cjs"];
        let ending = endings.iter().find(|ending| path.ends_with(**ending));
        ending.and_then(|ending| path.strip_suffix(*ending)).unwrap_or(path).to_owned()
    };
    let replaced = quoted.replace_all(text, |found: &regex::Captures<'_>| {
        let said = &found["path"];
        let whole = found[0].to_owned();
        let open = &found["open"];
        let ending = said.get(bare(said).len()..).unwrap_or_default();
        if !said.starts_with('.') {
            // An alias stands for a directory that both paths are in.
            let Some((alias, rest)) = said.split_once('/') else { return whole };
            let (old, rest) = (bare(from), bare(rest));
            let root = old.strip_suffix(&rest).filter(|root| root.is_empty() || root.ends_with('/'));
            let new = bare(to);
            return match root.and_then(|root| new.strip_prefix(root)) {
                Some(new) if !rest.is_empty() => format!("{open}{alias}/{new}{ending}{open}"),
                _ => whole,
            };
        }
        if joined(here, said).is_none_or(|target| bare(&target) != bare(from) && target != from) {
            return whole;
        }
        let new = relative(here, &bare(to));
        let new = if bare(to) == to { new } else { format!("{new}{ending}") };
        format!("{open}{new}{open}")
    });
    replaced.into_owned()
}

/// A relative path from a directory, as a path from the root.
fn joined(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A path from the root, as one relative to a directory.
fn relative(directory: &str, path: &str) -> String {
    let here: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let there: Vec<&str> = path.split('/').collect();
    let alike = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
    let up = "../".repeat(here.len() - alike);
    let start = if up.is_empty() { "./" } else { &up };
    format!("{start}{}", there.get(alike..).unwrap_or_default().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(from: &str, to: &str, files: &[(&str, &str)]) -> String {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let made = references(from, to, &files);
        let rows: Vec<String> = made.files.iter().map(|(path, text)| format!("{path}: {}", text.trim())).collect();
        format!("{} | {}", rows.join("; "), made.left.join(", "))
    }

    #[test]
    fn build_files_includes_and_modules_follow_a_file() {
        assert_eq!(
            told(
                "src/ring.c",
                "src/ring_buffer.c",
                &[("CMakeLists.txt", "add_library(a src/ring.c src/b.c)"), ("t.c", "#include \"ring.h\"")]
            ),
            "CMakeLists.txt: add_library(a src/ring_buffer.c src/b.c) | "
        );
        assert_eq!(
            told(
                "include/orbit.hpp",
                "include/orbits.hpp",
                &[("src/a.cpp", "#include \"orbit.hpp\"\n#include <x/orbit.hpp>")]
            ),
            "src/a.cpp: #include \"orbits.hpp\"\n#include <x/orbit.hpp> | "
        );
        assert_eq!(
            told(
                "src/weight.rs",
                "src/mass.rs",
                &[("src/lib.rs", "pub mod weight;\n"), ("src/a.rs", "use crate::weight::Grams;\nlet weight = 1;")]
            ),
            "src/a.rs: use crate::mass::Grams;\nlet weight = 1;; src/lib.rs: pub mod mass; | "
        );
        assert_eq!(
            told("src/lib/due.ts", "src/util/due.ts", &[("src/lib/due.ts", "import a from '../config';"), ("src/b.ts", "import x from '@/lib/due';"), ("README.md", "See `src/lib/due.ts`.")]),
            "README.md: See `src/util/due.ts`.; src/b.ts: import x from '@/util/due';; src/lib/due.ts: import a from '../config'; | "
                .replace("; src/lib/due.ts: import a from '../config';", "")
        );
        assert_eq!(
            told(
                "src/lib/due.ts",
                "src/due.ts",
                &[("src/lib/due.ts", "import a from '../config';\nimport b from './b';")]
            ),
            "src/lib/due.ts: import a from './config';\nimport b from './lib/b'; | "
        );
    }

    #[test]
    fn files_called_like_a_component_move_with_it() {
        let files = BTreeMap::from([("src/Card.tsx".to_owned(), "export function Card() {}\n".to_owned())]);
        let paths = ["src/Card.tsx", "src/Card.module.css", "src/Card.test.tsx", "src/Cards.tsx", "src/List.tsx"];
        let moves = namesakes("Card", "Tile", &files, paths.into_iter());
        let rows: Vec<String> = moves.iter().map(|(old, new)| format!("{old}>{new}")).collect();
        assert_eq!(
            rows,
            [
                "src/Card.module.css>src/Tile.module.css",
                "src/Card.test.tsx>src/Tile.test.tsx",
                "src/Card.tsx>src/Tile.tsx"
            ]
        );
        assert!(namesakes("Card", "Cards", &files, paths.into_iter()).is_empty());
        assert!(namesakes("card", "tile", &files, ["src/card.tsx"].into_iter()).is_empty());
    }
}
