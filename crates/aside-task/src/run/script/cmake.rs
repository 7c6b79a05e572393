//! Configures and builds with CMake as the request says: with an option on or off, in a mode, one target alone. Options and targets are those
//! of CMakeLists.txt; a word that is none of them makes it another request.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::search::identifiers::{parts, stem};

struct BuildOption {
    name: String,
    about: String,
}

/// The command for a request. `texts` are all files of CMake, the one of the root first.
pub fn command(words: &str, texts: &[String]) -> Option<String> {
    static SHAPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^\s*(?:(?:please|pls|can you|could you|now|just|i want to|let's|lets)[\s,]+)*(?P<verb>(?:re-?)?configure(?:\s+(?:and|then|\+|&&?)\s+(?:then\s+)?(?:re)?build)?|(?:re)?build|compile|generate\s+(?:the\s+)?build\s+files|run\s+cmake|cmake)(?P<rest>\s.*)?$").ok()
    });
    let found = SHAPE.as_ref()?.captures(words.trim().trim_end_matches(['.', '!', '?']).trim_end_matches(" please"))?;
    let verb = found.name("verb")?.as_str().to_lowercase();
    let rest = found.name("rest").map_or("", |rest| rest.as_str());
    let text = texts.join("\n");
    let asked = Asked::of(rest, &options(&text), &targets(&text))?;
    let configures = verb.contains("configure") || verb.contains("cmake") || verb.contains("generate");
    let builds = verb.contains("build") && !verb.contains("generate") || verb.contains("compile");
    if asked.flags.is_empty() && asked.target.is_none() && !configures {
        return None;
    }
    let flags: String = asked.flags.iter().map(|flag| format!(" {flag}")).collect();
    let build = match &asked.target {
        Some(target) => format!("cmake --build build --target {target}"),
        None => "cmake --build build".to_owned(),
    };
    Some(match (configures || !asked.flags.is_empty(), builds) {
        (true, true) => format!("cmake -S . -B build{flags} && {build}"),
        (true, false) => format!("cmake -S . -B build{flags}"),
        (false, _) => build,
    })
}

#[derive(Default)]
struct Asked {
    flags: Vec<String>,
    target: Option<String>,
}

impl Asked {
    /// Reads the words behind the verb; `None` where one of them is not understood.
    fn of(rest: &str, options: &[BuildOption], targets: &[String]) -> Option<Self> {
        let mut asked = Self::default();
        let words: Vec<String> = rest
            .split(|letter: char| letter.is_whitespace() || letter == ',')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let mut at = 0;
        // What the next option is set to, until another word says otherwise.
        let mut to = "ON";
        while let Some(word) = words.get(at) {
            let lower = word.to_lowercase();
            let behind = words.get(at + 1).map(|next| next.to_lowercase()).unwrap_or_default();
            at += 1;
            match lower.as_str() {
                "with" | "enable" | "enabling" => to = "ON",
                "without" | "disable" | "disabling" | "no" => to = "OFF",
                "the" | "it" | "project" | "everything" | "in" | "a" | "an" | "and" | "but" | "mode" | "build"
                | "building" | "cmake" | "enabled" | "only" | "just" | "target" | "any" | "this" | "for" | "as"
                | "option" | "set" | "to" | "turned" => {}
                "debug" | "release" | "relwithdebinfo" | "minsizerel"
                    if options.iter().all(|option| !option.is_called(&[word])) =>
                {
                    let mode = match lower.as_str() {
                        "debug" => "Debug",
                        "release" => "Release",
                        "relwithdebinfo" => "RelWithDebInfo",
                        _ => "MinSizeRel",
                    };
                    asked.flags.push(format!("-DCMAKE_BUILD_TYPE={mode}"));
                }
                _ if word.starts_with("-D") => asked.flags.push(Some(word).filter(|word| is_plain(word))?.clone()),
                _ if targets.contains(word) => asked.target = Some(word.clone()),
                _ => {
                    let (name, value) = word.split_once('=').unwrap_or((word, ""));
                    let two = words.get(at).map(|next| [name, next.as_str()]);
                    let (option, used) = match two.and_then(|two| only(options, &two)) {
                        Some(option) => (option, 1),
                        None => (only(options, &[name])?, 0),
                    };
                    at += used;
                    let next = if used == 1 {
                        words.get(at).map(|next| next.to_lowercase()).unwrap_or_default()
                    } else {
                        behind
                    };
                    let value = match (value.to_uppercase().as_str(), next.as_str()) {
                        ("ON" | "OFF", _) => value.to_uppercase(),
                        (_, "on" | "enabled") => "ON".to_owned(),
                        (_, "off" | "disabled") => "OFF".to_owned(),
                        _ => to.to_owned(),
                    };
                    if ["on", "off", "enabled", "disabled"].contains(&next.as_str()) {
                        at += 1;
                    }
                    asked.flags.push(format!("-D{}={value}", option.name));
                }
            }
        }
        Some(asked)
    }
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_=./+".contains(letter))
}

/// The one option that words name.
fn only<'a>(options: &'a [BuildOption], words: &[&str]) -> Option<&'a BuildOption> {
    let mut found: Vec<&BuildOption> = options.iter().filter(|option| option.is_called(words)).collect();
    if found.len() == 1 { found.pop() } else { None }
}

impl BuildOption {
    /// By its name, by parts of it, or by the words of its description.
    fn is_called<T: AsRef<str>>(&self, words: &[T]) -> bool {
        if let [only] = words
            && only.as_ref().eq_ignore_ascii_case(&self.name)
        {
            return true;
        }
        let bare = |word: &str| stem(word.to_lowercase().trim_end_matches('s'));
        let own: Vec<String> = parts(&self.name).iter().map(|part| bare(part)).collect();
        let about: Vec<String> = self.about.split(|letter: char| !letter.is_alphanumeric()).map(bare).collect();
        words.iter().all(|word| {
            let word = bare(word.as_ref());
            word.len() > 1
                && (own.contains(&word) || about.contains(&word) || word == "testing" && own.contains(&bare("tests")))
        })
    }
}

fn options(text: &str) -> Vec<BuildOption> {
    static OPTION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?i)option\s*\(\s*(?P<name>\w+)\s*(?:"(?P<about>[^"]*)")?"#).ok());
    let Some(option) = OPTION.as_ref() else { return Vec::new() };
    let group =
        |found: &regex::Captures<'_>, name: &str| found.name(name).map_or(String::new(), |one| one.as_str().to_owned());
    option
        .captures_iter(text)
        .map(|found| BuildOption { name: group(&found, "name"), about: group(&found, "about") })
        .collect()
}

fn targets(text: &str) -> Vec<String> {
    static TARGET: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)add_(?:executable|library|custom_target)\s*\(\s*(?P<name>[\w.+-]+)").ok());
    let Some(target) = TARGET.as_ref() else { return Vec::new() };
    target.captures_iter(text).filter_map(|found| found.name("name").map(|name| name.as_str().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_targets_are_those_of_the_file() {
        let text = "option(KILN_BUILD_TESTS \"Build the unit tests\" ON)\noption(KILN_GUI \"Build the viewer\" OFF)\nadd_executable(kiln-cli a.c)\n";
        let told = |words: &str| command(words, &[text.to_owned()]).unwrap_or_default();
        assert_eq!(
            told("configure and build without the tests"),
            "cmake -S . -B build -DKILN_BUILD_TESTS=OFF && cmake --build build"
        );
        assert_eq!(told("configure cmake without tests"), "cmake -S . -B build -DKILN_BUILD_TESTS=OFF");
        assert_eq!(told("configure with the gui on"), "cmake -S . -B build -DKILN_GUI=ON");
        assert_eq!(told("build with the viewer"), "cmake -S . -B build -DKILN_GUI=ON && cmake --build build");
        assert_eq!(told("build with KILN_GUI off"), "cmake -S . -B build -DKILN_GUI=OFF && cmake --build build");
        assert_eq!(told("configure in debug mode"), "cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug");
        assert_eq!(
            told("build in release mode without the tests"),
            "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DKILN_BUILD_TESTS=OFF && cmake --build build"
        );
        assert_eq!(told("build only kiln-cli"), "cmake --build build --target kiln-cli");
        assert_eq!(told("configure"), "cmake -S . -B build");
        for other in ["build", "build the docs", "configure the logger", "build without asserts"] {
            assert_eq!(told(other), "", "{other}");
        }
    }
}
