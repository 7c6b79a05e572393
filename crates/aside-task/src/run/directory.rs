//! What a directory of the project is for: its manifest, its README, what its files say of themselves, and who uses it. Reads no file
//! itself.

use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;

use crate::run::{code, facts, short};

/// Files of a directory that are listed, and users of it.
const MAX_FILES: usize = 20;
const MAX_USERS: usize = 8;

struct Shapes {
    path: Regex,
    named: Regex,
}

static SHAPES: LazyLock<Option<Shapes>> = LazyLock::new(|| {
    let asks = r"(?:what is in|what's in|what do we have in|what is|what's|what are|what does|explain|describe|tell me about|about|show me what is in|what lives in|what belongs in)(?: the)?";
    let behind = r"(?: (?:directory|folder|package|module|app|crate|workspace|for|do|does|about|contain|contains|hold|holds|all about|used for|good for))*";
    Some(Shapes {
        path: Regex::new(&format!(r"(?i)^{asks}(?: (?:directory|folder|package|module))? `?(?P<path>[\w.@-]+(?:/[\w.@-]+)*/?)`?{behind}$")).ok()?,
        named: Regex::new(&format!(r"(?i)^{asks} `?(?P<name>[\w@.-]+)`? (?:directory|folder|package|crate|workspace)(?: (?:for|do|does|about|contain|contains|hold|used for|good for))*$")).ok()?,
    })
});

/// The directory that a question is about: a path with a slash, or a name followed by what it is.
pub fn asked(question: &str) -> Option<String> {
    let question = question.trim().trim_end_matches(['?', '.', '!']);
    let shapes = SHAPES.as_ref()?;
    if let Some(found) = shapes.named.captures(question) {
        return Some(found["name"].to_owned());
    }
    let path = shapes.path.captures(question)?["path"].to_owned();
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    (path.contains('/') && !is_file).then(|| path.trim_end_matches('/').to_owned())
}

/// The path of the directory of that name or path; `None` where there is none, or several.
pub fn located<'a>(asked: &str, paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for path in paths {
        let Some((above, _)) = path.rsplit_once('/') else { continue };
        let parts: Vec<&str> = above.split('/').collect();
        let wanted: Vec<&str> = asked.trim_start_matches("./").split('/').collect();
        for at in 0..parts.len() {
            let end = at + wanted.len();
            let is_it = parts.get(at..end).is_some_and(|some| some == wanted.as_slice());
            let whole = parts.get(..end).unwrap_or_default().join("/");
            if is_it && !found.contains(&whole) {
                found.push(whole);
            }
        }
    }
    let exact = found.iter().find(|path| path.as_str() == asked.trim_start_matches("./")).cloned();
    exact.or_else(|| if found.len() == 1 { found.pop() } else { None })
}

/// What is known of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryFacts {
    pub path: String,
    /// The first sentence of its README or of the package's documentation.
    pub about: String,
    /// Name and version of the package in it; empty where there is none.
    pub package: String,
    pub version: String,
    /// Files directly or further below in it, with what each says of itself.
    pub files: Vec<(String, String)>,
    /// Places that import it, or manifests that name it.
    pub users: Vec<String>,
}

/// What a file says of itself in its header comment.
pub fn header(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let head = facts::head(&lines)?.trim_end_matches('.').to_owned();
    // A comment that begins with code says what a line does.
    (!head.is_empty() && !head.starts_with('`')).then_some(head)
}

/// What a file says of itself: its header comment, else what it defines.
pub fn file_about(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if let Some(head) = facts::head(&lines) {
        return head.trim_end_matches('.').to_owned();
    }
    let names: Vec<String> = lines
        .iter()
        .filter(|line| crate::run::search::definitions::is_definition(line) && !line.starts_with([' ', '\t']))
        .filter_map(|line| crate::run::search::definitions::defined(line))
        .take(5)
        .map(code)
        .collect();
    names.join(", ")
}

pub fn described(facts: &DirectoryFacts, language: Language) -> String {
    let DirectoryFacts { path, about, package, version, files, users } = facts;
    let name = code(path);
    let version =
        if version.is_empty() { String::new() } else { format!(", {} {version}", language.pick("version", "版本")) };
    let mut told = match (package.is_empty(), language) {
        (false, Language::English) => format!("{name} is the package {}{version}.", code(package)),
        (false, Language::Chinese) => format!("{name} 是包 {}{version}。", code(package)),
        (true, Language::English) if files.len() == 1 => format!("{name} has 1 file."),
        (true, Language::English) => format!("{name} has {} files.", files.len()),
        (true, Language::Chinese) => format!("{name} 里有 {} 个文件。", files.len()),
    };
    if !about.is_empty() {
        told.push_str(&format!(" {about}"));
    }
    told.push_str("\n\n");
    for (file, about) in files.iter().take(MAX_FILES) {
        let short_name = file.strip_prefix(&format!("{path}/")).unwrap_or(file);
        let about = if about.is_empty() {
            String::new()
        } else {
            format!("{}{}", language.pick(": ", "："), short(about, 120))
        };
        told.push_str(&format!("- {}{about}\n", code(short_name)));
    }
    match (files.len().saturating_sub(MAX_FILES), language) {
        (0, _) => {}
        (more, Language::English) => told.push_str(&format!("- and {more} more\n")),
        (more, Language::Chinese) => told.push_str(&format!("- 还有 {more} 个\n")),
    }
    told.push_str(&used_by(users, language));
    told
}

/// `Used by:` with a list; empty where nothing is known to use it.
pub fn used_by(users: &[String], language: Language) -> String {
    if users.is_empty() {
        return String::new();
    }
    let rows: Vec<String> = users.iter().take(MAX_USERS).map(|user| code(user)).collect();
    let more = users.len().saturating_sub(MAX_USERS);
    let more = if more > 0 { format!(", … +{more}") } else { String::new() };
    format!("\n{} {}{more}\n", language.pick("Used by:", "使用它的："), rows.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_asked_about_and_found() {
        assert_eq!(asked("what is packages/utils").as_deref(), Some("packages/utils"));
        assert_eq!(asked("what's in the migrations folder?").as_deref(), Some("migrations"));
        assert_eq!(asked("explain the internal/store/ directory").as_deref(), Some("internal/store"));
        assert_eq!(asked("what does the utils package do").as_deref(), Some("utils"));
        assert_eq!(asked("about crates/imap").as_deref(), Some("crates/imap"));
        assert_eq!(asked("explain src/a.rs"), None);
        assert_eq!(asked("what is redis"), None);
        let paths = ["packages/utils/src/a.ts", "packages/ui/src/b.ts", "src/x.ts"];
        let find = |name: &str| located(name, paths.into_iter());
        assert_eq!(find("packages/utils").as_deref(), Some("packages/utils"));
        assert_eq!(find("utils").as_deref(), Some("packages/utils"));
        assert_eq!(find("src").as_deref(), Some("src"));
        assert_eq!(find("nothing"), None);
    }

    #[test]
    fn a_directory_is_described_by_its_package_and_files() {
        let facts = DirectoryFacts {
            path: "packages/utils".to_owned(),
            package: "@shop/utils".to_owned(),
            version: "1.4.2".to_owned(),
            files: vec![(
                "packages/utils/src/a.ts".to_owned(),
                file_about("/** Days between dates. */\nexport function d() {}\n"),
            )],
            users: vec!["apps/web/package.json".to_owned()],
            ..DirectoryFacts::default()
        };
        assert_eq!(
            described(&facts, Language::English),
            "`packages/utils` is the package `@shop/utils`, version 1.4.2.\n\n- `src/a.ts`: Days between dates\n\nUsed by: `apps/web/package.json`\n"
        );
        assert_eq!(file_about("export function days() {}\nexport const A = 1;\n"), "`days`, `A`");
    }
}
