//! What the keys of everyday configuration files mean, from `data/task/config_keys.toml`: which key a question is about, and a file with
//! its keys explained. Reads no files itself.

use std::sync::LazyLock;

use aside_core::agent::language::{Bilingual, Language};
use aside_redact::redact;
use aside_text::lazy_regex::Regex;

use crate::run::{code, short, toml_lists};

const LIST: &str = include_str!("../../data/task/config_keys.toml");

/// Rows of a file that are explained, and characters of a line.
const MAX_ROWS: usize = 40;
const MAX_SHOWN: usize = 100;
/// Words of a question about a key.
const MAX_WORDS: usize = 16;

struct ConfigFile {
    file: Regex,
    line: String,
    stems: Vec<String>,
    keys: Vec<ConfigKey>,
}

/// A key and its meaning.
struct ConfigKey {
    name: String,
    says: Bilingual,
    /// A word that anything may be called.
    is_plain: bool,
}

static ALL: LazyLock<Vec<ConfigFile>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "file", |table| {
        let read = |list: &str, is_plain: bool| -> Option<Vec<ConfigKey>> {
            let rows = toml_lists::texts(table, list);
            rows.iter().map(|row| key(row, is_plain)).collect()
        };
        let mut keys = read("keys", false)?;
        keys.extend(read("plain", true)?);
        Some(ConfigFile {
            file: toml_lists::pattern(table, "file")?,
            line: toml_lists::text(table, "line")?,
            stems: toml_lists::texts(table, "stems"),
            keys,
        })
    })
});

/// `name|English|Chinese`; a bar within a text is written `\|`.
fn key(row: &str, is_plain: bool) -> Option<ConfigKey> {
    let row = row.replace("\\|", "\u{1}");
    let mut parts = row.split('|').map(|part| part.replace('\u{1}', "|"));
    let (name, english, chinese) = (parts.next()?, parts.next()?, parts.next()?);
    Some(ConfigKey { name, says: Bilingual::new(english, chinese), is_plain })
}

/// A key that a question is about.
pub struct AskedKey {
    file: &'static ConfigFile,
    key: &'static ConfigKey,
}

/// The keys that a question may be about, the most certain first; empty for what is no question about a key.
pub fn asked(question: &str) -> Vec<AskedKey> {
    static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:please |can you |could you |so )*(?:what|what's|whats|explain|describe|why|meaning|how does|tell me|does|is|do we|do i|should)\b|\b(?:meaning|means?|purpose|effect)\b|[?？]\s*$|什么|解释|为什么|作用|意思").ok()
    });
    let asks = ASKS.as_ref().is_some_and(|pattern| pattern.is_match(question.trim()));
    if !asks || question.contains('\n') || question.split_whitespace().count() > MAX_WORDS {
        return Vec::new();
    }
    let words: Vec<&str> = question
        .split(|end: char| end.is_whitespace() || "`\"'“”，。？,?=:()[]".contains(end) || !end.is_ascii())
        .map(|word| word.trim_end_matches(['.', '!']))
        .filter(|word| !word.is_empty())
        .collect();
    let lower = question.to_lowercase();
    let mut found = Vec::new();
    for file in ALL.iter() {
        let names_file = file.stems.iter().any(|stem| lower.contains(stem.as_str()));
        // `Restart=on-failure` names a key by its form.
        let is_set = |key: &ConfigKey| {
            let key = &key.name;
            question.contains(&format!("{key}="))
                || question.contains(&format!("{key} = "))
                || question.contains(&format!("{key}: "))
        };
        let is_meant =
            |key: &&ConfigKey| words.contains(&key.name.as_str()) && (names_file || !key.is_plain || is_set(key));
        let keys = file.keys.iter().filter(is_meant);
        found.extend(keys.map(|key| (!names_file, key.is_plain, AskedKey { file, key })));
    }
    found.sort_by_key(|(unnamed, is_plain, _)| (*unnamed, *is_plain));
    found.into_iter().map(|(_, _, asked)| asked).collect()
}

impl AskedKey {
    /// Whether a file of this path may have the key.
    pub fn is_of(&self, path: &str) -> bool {
        self.file.file.is_match(path)
    }

    /// The line of a file that sets the key.
    pub fn line<'a>(&self, text: &'a str) -> Option<(usize, &'a str)> {
        let pattern = pattern(self.file, self.key)?;
        text.lines().enumerate().find(|(_, line)| pattern.is_match(line)).map(|(at, line)| (at + 1, line.trim()))
    }

    /// The answer, with the place where the project sets the key.
    pub fn told(&self, place: Option<(&str, usize, &str)>, language: Language) -> String {
        let (name, says) = (code(&self.key.name), self.key.says.of(language));
        match (place, language) {
            (Some((path, line, text)), Language::English) => {
                let shown = code(&short(&redact(text), MAX_SHOWN));
                format!("{name}: {says}.\n\nHere: {} {shown}\n", code(&format!("{path}:{line}")))
            }
            (Some((path, line, text)), Language::Chinese) => {
                let shown = code(&short(&redact(text), MAX_SHOWN));
                format!("{name}：{says}。\n\n这里：{} {shown}\n", code(&format!("{path}:{line}")))
            }
            (None, Language::English) => format!("{name}: {says}.\n\nNo file of the project sets it.\n"),
            (None, Language::Chinese) => format!("{name}：{says}。\n\n项目里没有文件设置它。\n"),
        }
    }

    /// Whether the answer stands without a file of the project that sets the key.
    pub fn is_distinct(&self) -> bool {
        !self.key.is_plain
    }
}

fn pattern(file: &ConfigFile, key: &ConfigKey) -> Option<Regex> {
    Regex::new(&file.line.replace("KEY", &regex::escape(&key.name))).ok()
}

/// A configuration file with what its keys mean, a row for each; `None` for a file of another kind, or with no key that is known.
pub fn explained(path: &str, text: &str, language: Language) -> Option<String> {
    let file = ALL.iter().find(|file| file.file.is_match(path))?;
    let known: Vec<(&ConfigKey, Regex)> = file.keys.iter().filter_map(|key| Some((key, pattern(file, key)?))).collect();
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with("//") {
            continue;
        }
        // Where two match, the longer name is the key: `ExecStartPre`.
        let found = known.iter().filter(|(_, pattern)| pattern.is_match(line)).max_by_key(|(key, _)| key.name.len());
        if let Some((key, _)) = found {
            let shown = code(&short(&redact(trimmed), MAX_SHOWN));
            rows.push(format!("- {}: {shown}{}{}\n", at + 1, language.pick(": ", "："), key.says.of(language)));
        }
    }
    if rows.len() < 2 {
        return None;
    }
    let more = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let more = match (more, language) {
        (0, _) => String::new(),
        (more, Language::English) => format!("- and {more} more\n"),
        (more, Language::Chinese) => format!("- 还有 {more} 行\n"),
    };
    let (name, lines) = (code(path), text.lines().count());
    let head = match language {
        Language::English => format!("{name} has {lines} lines:"),
        Language::Chinese => format!("{name} 有 {lines} 行："),
    };
    Some(format!("{head}\n\n{}{more}", rows.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_whole() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "file"));
        for file in ALL.iter() {
            assert!(file.keys.iter().all(|key| pattern(file, key).is_some()));
            assert!(file.keys.len() > 8, "{}", file.line);
        }
    }

    #[test]
    fn questions_about_keys_are_told_from_others() {
        let keys = |question: &str| asked(question).iter().map(|asked| asked.key.name.clone()).collect::<Vec<_>>();
        assert_eq!(keys("what's noUncheckedIndexedAccess in tsconfig for"), ["noUncheckedIndexedAccess"]);
        assert_eq!(keys("what does lto = true do in Cargo.toml"), ["lto"]);
        assert_eq!(keys("what does Restart=on-failure mean"), ["Restart"]);
        assert_eq!(keys("why do we set `depends_on`?"), ["depends_on"]);
        assert_eq!(keys("Restart 在 systemd 里是什么意思"), ["Restart"]);
        for question in [
            "what does the target do",
            "restart the service",
            "what is the image of the car",
            "set lto to true in Cargo.toml",
        ] {
            assert_eq!(keys(question), Vec::<String>::new(), "{question}");
        }
    }

    #[test]
    fn files_are_explained_row_by_row() {
        let docker = "FROM golang:1.22 AS build\n# all of it\nCOPY . .\nENTRYPOINT [\"/a\"]\n";
        let told = explained("Dockerfile", docker, Language::English).unwrap();
        assert!(
            told.starts_with("`Dockerfile` has 4 lines:\n\n- 1: `FROM golang:1.22 AS build`: begins with this image"),
            "{told}"
        );
        assert!(told.contains("- 4: `ENTRYPOINT [\"/a\"]`: what a container always runs"), "{told}");
        let unit = "[Service]\nExecStartPre=/bin/a\nExecStart=/bin/b\nRestart=on-failure\n";
        let told = explained("deploy/a.service", unit, Language::Chinese).unwrap();
        assert!(
            told.contains("- 2: `ExecStartPre=/bin/a`：启动前的命令\n- 3: `ExecStart=/bin/b`：服务的命令\n"),
            "{told}"
        );
        assert_eq!(explained("src/a.rs", "fn main() {}", Language::English), None);
    }
}
