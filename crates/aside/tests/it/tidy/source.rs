//! A Rust file as the rules see it: without comments, without the contents of strings, without its tests; and the paths that it
//! names. Not a parser: it knows just enough to be right about code formatted by `rustfmt`.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Source {
    /// Relative to the root of the repository.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The code without its tests, comments and the contents of strings. A comment is an empty line.
    pub fn code(&self) -> String {
        without_tests(without_comments_and_strings(&self.text))
    }

    /// The comments, tests included, each with the number of its first line.
    pub fn comments(&self) -> Vec<(usize, &str)> {
        let mut comments = Vec::new();
        let mut at = 0;
        while at < self.text.len() {
            let (skipped, is_comment) = skipped(&self.text, at);
            if is_comment {
                let line = self.text[..at].matches('\n').count() + 1;
                comments.push((line, &self.text[at..at + skipped]));
            }
            at += skipped.max(self.text[at..].chars().next().map_or(1, char::len_utf8));
        }
        comments
    }

    /// `crates/aside/src/daemon/handlers/complete.rs` below `crates/aside/src` is `daemon::handlers::complete`.
    pub fn module(&self, root: &str) -> Option<Vec<String>> {
        let path = self.path.strip_prefix(root)?.strip_prefix('/')?.strip_suffix(".rs")?;
        let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
        if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            parts.pop();
        }
        Some(parts)
    }

    /// Every path with at least one `::` in the code, `use` trees expanded.
    pub fn paths(&self) -> Vec<Vec<String>> {
        let code = self.code();
        let tokens = tokens(&code);
        let mut paths = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if is_word(tokens[at]) {
                at = read_path(&tokens, at, &[], &mut paths);
            } else {
                at += 1;
            }
        }
        paths.retain(|path| path.len() > 1);
        paths
    }
}

/// Every file below `dir` whose name ends in `ending`, sorted, with paths from `root`.
pub fn files(root: &Path, dir: &str, ending: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = vec![root.join(dir)];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                let text = std::fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root).unwrap().display().to_string();
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// Reads `a::b::{c, d::e}` from `at`, adds `a::b::c` and `a::b::d::e`, and returns where it ends.
fn read_path(tokens: &[&str], mut at: usize, prefix: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(word) if is_word(word) || *word == "*" => path.push((*word).to_owned()),
            Some(&"{") => return read_group(tokens, at + 1, &path, paths),
            // `Vec::<T>` and the like: the path ends here.
            _ => break,
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    paths.push(path);
    at
}

fn read_group(tokens: &[&str], mut at: usize, prefix: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    while let Some(token) = tokens.get(at) {
        match *token {
            "}" => return at + 1,
            // Skips the alias of the path before it.
            "as" => at += 2,
            word if is_word(word) => at = read_path(tokens, at, prefix, paths),
            _ => at += 1,
        }
    }
    at
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(rest) {
            rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// Removes every item behind a `#[cfg(test)]`, wherever in the file it is; a field ends with a comma, or with what it is in.
fn without_tests(mut code: String) -> String {
    const TEST: &str = "#[cfg(test)]";
    while let Some(start) = code.find(TEST) {
        let mut end = start + TEST.len();
        let mut depth = 0;
        for letter in code[end..].chars() {
            end += letter.len_utf8();
            match letter {
                '{' | '(' | '[' => depth += 1,
                '}' if depth == 1 => break,
                '}' | ')' | ']' if depth == 0 => {
                    end -= 1;
                    break;
                }
                '}' | ')' | ']' => depth -= 1,
                ';' if depth == 0 => break,
                // The comma between two type parameters ends nothing.
                ',' if depth == 0 && !code[start..end].contains('<') => break,
                _ => {}
            }
        }
        code.replace_range(start..end, "");
    }
    code
}

fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let (skipped, is_comment) = skipped(text, at);
        if skipped == 0 {
            code.push(first);
            at += first.len_utf8();
        } else {
            // An empty string replaces a string, and line breaks are kept.
            code.push_str(if is_comment { " " } else { "\"\"" });
            code.extend(text[at..at + skipped].chars().filter(|letter| *letter == '\n'));
            at += skipped;
        }
    }
    code
}

/// The length of the comment, string or character at this place, zero where there is none, and whether it is a comment.
fn skipped(text: &str, at: usize) -> (usize, bool) {
    let rest = &text[at..];
    match rest.as_bytes()[0] {
        b'/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), true),
        b'/' if rest.starts_with("/*") => (block_comment(rest), true),
        b'"' => (string(rest), false),
        b'r' if !ends_in_word(&text[..at]) => (raw_string(rest), false),
        b'\'' => (character(rest), false),
        _ => (0, false),
    }
}

/// A raw byte string (`br"…"`) still counts as a string.
fn ends_in_word(code: &str) -> bool {
    let before = code.strip_suffix('b').unwrap_or(code);
    before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Zero when it is only a word that begins with `r`.
fn raw_string(text: &str) -> usize {
    let hashes = text[1..].chars().take_while(|letter| *letter == '#').count();
    if !text[1 + hashes..].starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let body = 2 + hashes;
    text[body..].find(&end).map_or(text.len(), |at| body + at + end.len())
}

/// Zero when it is a lifetime.
fn character(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => text[3..].find('\'').map_or(0, |at| at + 4),
        Some(_) => letters.next().filter(|(_, letter)| *letter == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { path: "crates/aside/src/daemon/handlers/complete.rs".to_owned(), text: text.to_owned() }
    }

    fn paths(text: &str) -> Vec<String> {
        source(text).paths().iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn use_trees_are_spread_out() {
        let text = "use crate::{a, b::{c, d as e}, f::*};\nuse std::fs;\nfn x() { crate::g::h(); y(); }";
        assert_eq!(paths(text), ["crate::a", "crate::b::c", "crate::b::d", "crate::f::*", "std::fs", "crate::g::h"]);
    }

    #[test]
    fn comments_strings_and_tests_are_not_code() {
        let text = "// std::a\n/* std::b /* std::c */ std::d */ \"std::e \\\" std::f\" r#\"std::g\"#\nb\"std::h\" \
                    '\"' '\\'' 'a std::i<'a> br\"std::j\" for\n#[cfg(test)]\nmod tests { std::k }";
        assert_eq!(paths(text), ["std::i"]);
    }

    #[test]
    fn code_behind_tests_is_read() {
        let text = "use std::a;\n#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nfn x() { std::b() }\n#[cfg(test)]\nmod more {\n    \
                    fn y(_: [u8; 2]) { std::c() }\n}\n#[cfg(test)]\nuse std::d;\nfn z() { std::e() }";
        assert_eq!(paths(text), ["std::a", "std::b", "std::e"]);
    }

    #[test]
    fn a_field_for_tests_does_not_hide_what_follows() {
        let text = "fn x() -> X {\n    X {\n        #[cfg(test)]\n        a: std::a(1),\n        b: std::b(),\n        \
                    #[cfg(test)]\n        c: Vec<std::c, std::d>,\n    }\n}\nfn y() { std::e() }\n#[cfg(test)]\nfn z<A, B>() { std::f() }";
        assert_eq!(paths(text), ["std::b", "std::e"]);
    }

    #[test]
    fn comments_are_found_with_their_lines() {
        let text = "//! One.\nlet a = \"// no\"; // Two.\n#[cfg(test)]\nmod tests {\n    /* Three. */\n}\n";
        assert_eq!(source(text).comments(), [(1, "//! One."), (2, "// Two."), (5, "/* Three. */")]);
    }

    #[test]
    fn a_file_knows_its_module() {
        let module = |path: &str| Source { path: path.to_owned(), text: String::new() }.module("crates/aside/src");
        assert_eq!(module("crates/aside/src/daemon/handlers/complete.rs").unwrap(), ["daemon", "handlers", "complete"]);
        assert_eq!(module("crates/aside/src/cli/mod.rs").unwrap(), ["cli"]);
        assert_eq!(module("crates/aside/src/main.rs").unwrap(), Vec::<String>::new());
        assert_eq!(module("crates/aside-core/src/lib.rs"), None);
    }
}
