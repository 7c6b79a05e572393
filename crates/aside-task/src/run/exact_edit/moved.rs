//! What a moved file breaks: the imports of it. Rewrites those that spell the whole path of the module, and names the others.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use crate::run::search::definitions::is_import;

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
            note.push_str(&format!("The imports of it are changed in {files}."));
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
    let Some(stem) = stem(from) else { return made };
    let Ok(word) = Regex::new(&format!(r"(?:^|[^\w$]){}(?:$|[^\w$])", regex::escape(stem))) else { return made };
    for (path, text) in files.iter().filter(|(path, _)| *path != from) {
        let new = if from.ends_with(".py") { python(from, to, path, text) } else { scripts(from, to, path, text) };
        for (at, (old, line)) in text.lines().zip(new.lines()).enumerate() {
            let declares = line.trim_start().trim_start_matches("pub ").starts_with("mod ");
            let refers = line.contains(from) || (declares || is_import(line)) && word.is_match(line);
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
    let directory = |file: &str| file.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned());
    if directory(from) == directory(path)
        && directory(to) == directory(path)
        && let (Some(stem), Some(name)) = (old.last(), new.last())
        && let Ok(pattern) = Regex::new(&format!(r"(?m)^(\s*from \.){}( import )", regex::escape(stem)))
    {
        made = pattern.replace_all(&made, format!("${{1}}{name}${{2}}")).into_owned();
    }
    made
}

/// Relative specifiers in quotes that lead to the file: `"./tax"`, `'../src/tax.js'`.
fn scripts(from: &str, to: &str, path: &str, text: &str) -> String {
    let Ok(quoted) = Regex::new(r#"(?P<open>["'])(?P<path>\.\.?/[^"'\n]+)["']"#) else { return text.to_owned() };
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let bare = |path: &str| -> String {
        let endings = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".cjs"];
        let ending = endings.iter().find(|ending| path.ends_with(**ending));
        ending.and_then(|ending| path.strip_suffix(*ending)).unwrap_or(path).to_owned()
    };
    let replaced = quoted.replace_all(text, |found: &regex::Captures<'_>| {
        let said = &found["path"];
        let whole = found[0].to_owned();
        if joined(directory, said).is_none_or(|target| bare(&target) != bare(from) && target != from) {
            return whole;
        }
        let ending = said.get(bare(said).len()..).unwrap_or_default();
        let new = relative(directory, &bare(to));
        let new = if bare(to) == to { new } else { format!("{new}{ending}") };
        format!("{open}{new}{open}", open = &found["open"])
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
