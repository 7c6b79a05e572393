//! The commands of a CMake file and their arguments, with their places: enough of its grammar to change one argument and nothing else.

use std::ops::Range;

/// A command such as `set(NAME value)`.
#[derive(Debug)]
pub struct Command<'a> {
    pub name: &'a str,
    pub arguments: Vec<Argument<'a>>,
    /// Where its closing bracket is.
    pub close: usize,
}

#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// With its quotes.
    pub text: &'a str,
    pub range: Range<usize>,
}

/// Which arguments of which command a request means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    commands: &'static [&'static str],
    target: Option<String>,
}

impl Arguments {
    pub fn new(words: &str, target: Option<String>) -> Option<Self> {
        let lower = words.to_lowercase();
        let commands: &'static [&'static str] = match () {
            () if lower.contains("definition") => &["target_compile_definitions", "add_compile_definitions"],
            () if lower.contains("compile") => &["target_compile_options", "add_compile_options"],
            () if lower.contains("source") => &["add_library", "add_executable", "target_sources"],
            () if lower.contains("librar") => &["target_link_libraries"],
            () => return None,
        };
        Some(Self { commands, target })
    }

    pub fn name(&self) -> &'static str {
        self.commands.first().copied().unwrap_or_default()
    }

    pub fn fits(&self, command: &Command<'_>) -> bool {
        let lower = command.name.to_lowercase();
        let first = command.arguments.first().map(|argument| argument.text);
        self.commands.contains(&lower.as_str()) && self.target.as_deref().is_none_or(|target| first == Some(target))
    }
}

pub fn is_cmake(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "CMakeLists.txt" || name.ends_with(".cmake")
}

/// All commands, in their order. An unfinished one ends the list.
pub fn commands(text: &str) -> Vec<Command<'_>> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes.get(at) {
            Some(b'#') => at = end_of_line(text, at),
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
                let start = at;
                while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                    at += 1;
                }
                let name = text.get(start..at).unwrap_or_default();
                while bytes.get(at).is_some_and(|byte| *byte == b' ' || *byte == b'\t') {
                    at += 1;
                }
                if bytes.get(at) == Some(&b'(') {
                    let Some((arguments, close)) = arguments(text, at + 1) else { return all };
                    all.push(Command { name, arguments, close });
                    at = close + 1;
                }
            }
            _ => at += 1,
        }
    }
    all
}

fn end_of_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| at + length)
}

/// The arguments up to the closing bracket, and where that is.
fn arguments(text: &str, from: usize) -> Option<(Vec<Argument<'_>>, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut depth) = (from, 0);
    loop {
        match bytes.get(at)? {
            b'#' => at = end_of_line(text, at),
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' if depth == 0 => return Some((found, at)),
            b')' => {
                depth -= 1;
                at += 1;
            }
            b'"' => {
                let start = at;
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
                }
                at += 1;
                found.push(Argument { text: text.get(start..at)?, range: start..at });
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let start = at;
                while bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace() && !b"()\"#".contains(byte)) {
                    at += 1;
                }
                found.push(Argument { text: text.get(start..at)?, range: start..at });
            }
        }
    }
}

/// Where variables and options get their values: the name and the range of the value.
pub fn variables(text: &str) -> Vec<(&str, Range<usize>)> {
    let value = |command: &Command<'_>| -> Option<Range<usize>> {
        let second = command.arguments.get(1)?;
        let third = command.arguments.get(2).map(|argument| argument.text);
        match command.name.to_lowercase().as_str() {
            "set" => (third.is_none() || matches!(third, Some("CACHE" | "PARENT_SCOPE"))).then(|| second.range.clone()),
            "option" => command.arguments.get(2).map(|value| value.range.clone()),
            _ => None,
        }
    };
    let all = commands(text);
    all.iter().filter_map(|command| Some((command.arguments.first()?.text, value(command)?))).collect()
}

/// Where a variable that is set to a list begins and ends: behind its name, and behind its last value.
pub fn assigned(text: &str, name: &str) -> Vec<Range<usize>> {
    let all = commands(text);
    let sets = |command: &&Command<'_>| {
        command.name.eq_ignore_ascii_case("set")
            && command.arguments.first().is_some_and(|first| first.text == name)
            && !command.arguments.iter().any(|argument| argument.text == "CACHE")
    };
    all.iter()
        .filter(sets)
        .filter_map(|command| Some(command.arguments.first()?.range.end..command.arguments.last()?.range.end))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_their_places() {
        let text =
            "# set(A 1)\nset(CMAKE_C_STANDARD 11)\noption(WITH_X \"Use (x)\" OFF)\nset(SRC\n  a.c # first\n  b.c)\n";
        let told: Vec<(&str, &str)> =
            variables(text).into_iter().map(|(name, range)| (name, text.get(range).unwrap())).collect();
        assert_eq!(told, [("CMAKE_C_STANDARD", "11"), ("WITH_X", "OFF")]);
        let lists: Vec<&str> = assigned(text, "SRC").into_iter().map(|range| text.get(range).unwrap()).collect();
        assert_eq!(lists, ["\n  a.c # first\n  b.c"]);
        assert!(commands("set(A").is_empty());
    }
}
