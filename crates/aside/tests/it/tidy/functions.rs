//! How long a function may be. Tests, comments and empty lines are not counted.

use crate::tidy::source::Source;

const LONGEST: usize = 100;

/// Functions that are longer, and why they are not split.
const LONGER: [(&str, &str, &str); 5] = [
    ("crates/aside-proto/src/record.rs", "decode", "one arm for each request: the order of its fields"),
    ("crates/aside-proto/src/record.rs", "encode_call", "the same order, the other way"),
    ("crates/aside-task/src/run/exact_edit.rs", "edit", "one arm for each rule: what its groups mean"),
    ("crates/aside-task/src/run/search/plan.rs", "plan", "one decision that all words of the request take part in"),
    ("crates/aside-task/src/run/values.rs", "values", "one pass over the words"),
];

/// Functions that are too long, and exceptions that are none any more.
pub fn too_long(files: &[Source]) -> Vec<String> {
    let files = files.iter().filter(|file| !file.path.contains("/tests"));
    let long: Vec<(&str, String, usize)> = files
        .flat_map(|file| functions(file).into_iter().map(|(name, lines)| (file.path.as_str(), name, lines)))
        .filter(|(_, _, lines)| *lines > LONGEST)
        .collect();
    let is_allowed = |path: &str, name: &str| LONGER.iter().any(|longer| (longer.0, longer.1) == (path, name));
    let wrong = long.iter().filter(|(path, name, _)| !is_allowed(path, name));
    let wrong =
        wrong.map(|(path, name, lines)| format!("{path}: `{name}` has {lines} lines; split it before {LONGEST}"));
    let is_long = |path: &str, name: &str| long.iter().any(|long| (long.0, long.1.as_str()) == (path, name));
    let stale = LONGER.iter().filter(|(path, name, _)| !is_long(path, name));
    let stale = stale.map(|(path, name, _)| format!("{path}: `{name}` is no longer too long; remove the exception"));
    wrong.chain(stale).collect()
}

/// The name and the lines with code of each function. `rustfmt` puts the end at the indentation of the beginning.
fn functions(source: &Source) -> Vec<(String, usize)> {
    let code = source.code();
    let lines: Vec<&str> = code.lines().collect();
    let mut functions = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let Some(name) = name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_end = |line: &&str| line.strip_prefix(indent).is_some_and(|rest| rest.trim_end() == "}");
        let length = match line.trim_end().ends_with(['}', ';']) {
            true => 1,
            false => lines[first..].iter().position(is_end).map_or(1, |end| end + 1),
        };
        let body = lines[first..first + length].iter().filter(|line| !line.trim().is_empty());
        functions.push((name.to_owned(), body.count()));
    }
    functions
}

fn name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let is_qualified = |word: &str| word.starts_with("pub") || ["const", "async", "unsafe"].contains(&word);
    let is_item = before.split_whitespace().all(|word| is_qualified(word) || word.ends_with(')'));
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    (is_item && end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(lines: usize) -> Source {
        let body = "    // Why.\n    x();\n\n".repeat(lines - 2);
        let text = format!("const A: fn(u8) = f;\npub(in crate::a) async fn f(\n    x: fn(),\n) {{\n{body}}}\n");
        Source { path: "crates/aside/src/client.rs".to_owned(), text }
    }

    #[test]
    fn a_function_is_as_long_as_its_code() {
        assert_eq!(functions(&with(40)), [("f".to_owned(), 42)]);
        let nested = Source {
            path: String::new(),
            text: "impl A {\n    fn a() {}\n\n    fn b() {\n        {\n        }\n    }\n}\n".to_owned(),
        };
        assert_eq!(functions(&nested), [("a".to_owned(), 1), ("b".to_owned(), 4)]);
    }

    #[test]
    fn a_long_function_is_found_and_so_is_a_stale_exception() {
        let is_about_client = |wrong: &String| wrong.contains("client.rs");
        assert_eq!(too_long(&[with(LONGEST)]).into_iter().filter(is_about_client).count(), 1);
        assert_eq!(too_long(&[with(LONGEST - 2)]).into_iter().filter(is_about_client).count(), 0);
        assert_eq!(too_long(&[]).len(), LONGER.len());
    }
}
