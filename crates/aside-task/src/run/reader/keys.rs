//! The names that the files give a value, and which of them the words of a request mean: `cache size` is `CACHE_SIZE`.

/// A line that gives a name a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLine {
    pub file: String,
    pub key: String,
    pub value: String,
    /// The line below the name of its section.
    pub line: String,
    parts: Vec<String>,
}

/// Letters of a line that can be such a line.
const MAX_LINE: usize = 200;

/// All lines of a text that give a name a value.
pub fn key_lines(file: &str, text: &str) -> Vec<KeyLine> {
    let mut section = "";
    let of = |line| {
        // `[profile.release]` says what the lines below it are about.
        let line: &str = line;
        if line.starts_with('[') && line.trim_end().ends_with(']') {
            section = line.trim();
        }
        let (key, value) = assigned(line)?;
        Some(KeyLine {
            file: file.to_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
            line: format!("{section} {}", line.trim()),
            parts: parts(key),
        })
    };
    // A program has calls and labels with the same signs; only its constants are settings.
    let is_setting = is_settings(file);
    text.lines().filter_map(of).filter(|line| is_setting || is_literal(&line.value)).collect()
}

impl KeyLine {
    /// Whether words are its whole name.
    pub fn is(&self, words: &[String]) -> bool {
        self.parts == words
    }

    /// Whether its name has all of the words.
    pub fn has(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.parts.contains(word))
    }

    pub fn is_switch(&self) -> bool {
        ["true", "false", "on", "off", "yes", "no"].contains(&self.value.to_lowercase().as_str())
    }
}

/// Files that hold settings and no code.
fn is_settings(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["toml", "yaml", "yml", "json", "ini", "cfg", "conf", "properties", "env"].contains(&ending)
        || name.starts_with(".env")
        || ["Makefile", "Dockerfile", ".editorconfig"].contains(&name)
}

/// `15`, `"text"`, `true`, `10 * time.Second`, `Duration::from_secs(5)`.
fn is_literal(value: &str) -> bool {
    value.starts_with(|letter: char| letter.is_ascii_digit() || "\"'-".contains(letter))
        || ["true", "false", "True", "False", "None", "null"].contains(&value)
        || value.starts_with("Duration::from_") && value.ends_with(')')
}

/// The name and the value of `NAME = VALUE`, `"NAME": VALUE`, `const NAME: TYPE = VALUE`.
fn assigned(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.len() > MAX_LINE || line.starts_with('#') || line.starts_with("//") || line.starts_with('-') {
        return None;
    }
    let at = line.find(['=', ':'])?;
    let (head, mut value) = (line.get(..at)?, line.get(at + 1..)?);
    let word = head.trim_end_matches(['?', ':', '+']).split_whitespace().next_back()?;
    let key = word.trim_matches(['"', '\'']);
    // The type of a constant stands before its value.
    if line.get(at..)?.starts_with(':')
        && let Some((kind, behind)) = value.split_once(" = ")
        && kind.len() < 30
    {
        value = behind;
    }
    let value = value.trim_start_matches('=').trim().trim_end_matches([',', ';']).trim();
    let is_name = key.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter));
    let keywords = ["if", "for", "while", "return", "else", "case", "default", "import", "use", "assert"];
    let words = head.split_whitespace().count();
    let introduced = head.split_whitespace().next().is_some_and(|first| {
        ["const", "let", "var", "static", "export", "pub", "final", "private", "public", "val", "ENV", "ARG"]
            .contains(&first)
    });
    let is_statement = head.split_whitespace().any(|word| keywords.contains(&word)) || words > 1 && !introduced;
    (is_name && !is_statement && !value.is_empty() && !value.starts_with(['{', '[', '('])).then_some((key, value))
}

/// The words of a name, in lower case.
pub fn parts(name: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && !before.is_uppercase() {
            all.push(String::new());
        }
        before = letter;
        if let Some(last) = all.last_mut().filter(|_| letter.is_alphanumeric()) {
            last.extend(letter.to_lowercase());
        }
    }
    all.retain(|part| !part.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &str, text: &str) -> Vec<String> {
        key_lines(file, text).into_iter().map(|line| format!("{} {}", line.parts.join(" "), line.value)).collect()
    }

    #[test]
    fn names_with_values_are_found_in_settings_and_code() {
        assert_eq!(told("a.yaml", "server:\n  max-workers: 4\n# port: 1\n"), ["max workers 4"]);
        assert_eq!(told("a.json", "{ \"a\": {\n  \"logLevel\": \"info\",\n"), ["log level \"info\""]);
        assert_eq!(told("a.rs", "pub const MAX_BRICKS: usize = 512;\nlet x = y.z();\n"), ["max bricks 512"]);
        assert_eq!(told("a.rs", "const A_B: Duration = Duration::from_secs(3);"), ["a b Duration::from_secs(3)"]);
        assert_eq!(told("a.py", "if x == 3:\n    return 1\nTTL = 600\n"), ["ttl 600"]);
        assert_eq!(told(".env", "LOG_FORMAT=plain\n"), ["log format plain"]);
    }
}
