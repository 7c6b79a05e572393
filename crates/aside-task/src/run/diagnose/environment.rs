//! A variable of the environment that is not set: programs say so in many words, and as often only by an error of a dictionary.

use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;
use aside_text::lazy_regex::Regex;

struct Patterns {
    /// Messages that name the variable.
    said: Regex,
    /// A missing key, where the output shows that it was one of the environment.
    key: Regex,
    /// Rust's error for a variable that is not there names no variable.
    rust: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let name = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*";
    Some(Patterns {
        said: Regex::new(&format!(
            r#"(?m)(?i:env(?:ironment)?[ -]?var(?:iable)?s?|environment)\W+(?:is |are |not set|missing|required|named )*\W*(?P<a>{name})\b|\b(?P<b>{name})["'`]? ?(?:(?i:env(?:ironment)?[ -]?var(?:iable)?) )?(?:is not set|is not defined|is required|must be set|must be defined|not set|is missing|is unset|was not set|needs to be set|not found in (?:the )?env(?:ironment)?)|(?i:set the|missing|required|unset|undefined|no) ["'`]?(?P<c>{name})["'`]? (?i:env(?:ironment)?[ -]?var)|(?P<d>{name}): (?:unbound variable|parameter (?:null or )?not set)|The "(?P<e>{name})" variable is not set|required variable (?P<f>{name}) is missing"#
        ))
        .ok()?,
        key: Regex::new(&format!(r#"KeyError: ["'](?P<name>{name})["']"#)).ok()?,
        rust: Regex::new(r"\bNotPresent\b|environment variable not found").ok()?,
    })
});

/// What to do about a variable that an output says is not set.
pub fn unset(output: &str) -> Option<Bilingual> {
    let patterns = PATTERNS.as_ref()?;
    let is_environment =
        || ["os.environ", "/os.py\"", "<frozen os>", "os.py:", "environ["].iter().any(|sign| output.contains(sign));
    let said = patterns.said.captures(output).and_then(|found| {
        let groups = ["a", "b", "c", "d", "e", "f"];
        groups.iter().find_map(|group| found.name(group)).map(|name| name.as_str().to_owned())
    });
    let key = || patterns.key.captures(output).and_then(|found| Some(found.name("name")?.as_str().to_owned()));
    let name =
        said.filter(|name| is_variable(name)).or_else(|| key().filter(|name| is_environment() || name.contains('_')));
    let Some(name) = name else {
        return patterns.rust.is_match(output).then(|| {
            Bilingual::new(
                "The line reads an environment variable that is not set: `export NAME=…` before the command (or `NAME=… COMMAND`), or read it with a default (`env::var(…).unwrap_or_default()`).",
                "这一行读取的环境变量没有设置：先 `export NAME=…`（或 `NAME=… 命令`），或读取时给默认值（`env::var(…).unwrap_or_default()`）。",
            )
        });
    };
    let test = match () {
        () if output.contains("pytest") || output.contains("::test_") => {
            format!("; in the test, `monkeypatch.setenv(\"{name}\", \"…\")`")
        }
        () if output.contains("--- FAIL") => format!("; in the test, `t.Setenv(\"{name}\", \"…\")`"),
        () if output.contains("vitest") => format!("; in the test, `vi.stubEnv(\"{name}\", \"…\")`"),
        () => String::new(),
    };
    Some(Bilingual::new(
        format!(
            "The environment variable `{name}` is not set: `export {name}=…` before the command, or put it where the program gets its settings (`.env`, `environment:` of compose, `Environment=` of the unit, the secrets of CI){test}."
        ),
        format!(
            "环境变量 `{name}` 没有设置：先 `export {name}=…`，或写到程序读取设置的地方（`.env`、compose 的 `environment:`、单元文件的 `Environment=`、CI 的 secrets）{}。",
            test.replace("; in the test, ", "；测试里用 ")
        ),
    ))
}

/// Whether a word in capitals is a variable and not an abbreviation.
fn is_variable(name: &str) -> bool {
    name.len() > 3
        && (name.contains('_') || name.len() > 4)
        // Variables of CMake are none of the environment.
        && !name.starts_with("CMAKE_")
        && !["ERROR", "FATAL", "WARNING", "FAILED", "DEBUG"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_not_set_is_named_however_it_is_said() {
        for (output, name) in [
            ("Error: Missing required environment variable: DATABASE_URL\n", "DATABASE_URL"),
            ("2026/11/17 config: CHARGEHUB_DSN is not set\n", "CHARGEHUB_DSN"),
            ("  File \"/usr/lib/python3.12/os.py\", line 685, in __getitem__\nKeyError: 'SECRET'\n", "SECRET"),
            ("ImproperlyConfigured: Set the DJANGO_SECRET_KEY environment variable\n", "DJANGO_SECRET_KEY"),
            ("deploy.sh: line 3: DEPLOY_HOST: unbound variable\n", "DEPLOY_HOST"),
            (
                "level=warning msg=\"The \\\"DB_PASSWORD\\\" variable is not set. Defaulting\"\n"
                    .replace("\\\"", "\"")
                    .leak(),
                "DB_PASSWORD",
            ),
            ("FAILED a.py::test_x - KeyError: 'SMS_API_KEY'\n", "SMS_API_KEY"),
            ("Error: API_TOKEN is required\n", "API_TOKEN"),
        ] {
            let told = unset(output).map(|told| told.english).unwrap_or_default();
            assert!(told.contains(&format!("`{name}`")), "{output}: {told}");
        }
        assert!(unset("called `Result::unwrap()` on an `Err` value: NotPresent").is_some());
        for output in ["KeyError: 'name'\n", "ERROR: boom\n", "HTTP is required\n", "all good\n"] {
            assert!(unset(output).is_none(), "{output}");
        }
    }
}
