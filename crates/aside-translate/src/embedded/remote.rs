//! Names of other machines in a request. A directory that is said to be on another machine becomes `host:directory`, as scp writes it, so
//! that no rule takes it for one here; and no local command answers a request that names a login.

use std::borrow::Cow;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

/// A login: who, and on which machine.
const HOST: &str = r"(?P<host>[A-Za-z0-9][\w.+-]*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)";
const CALLED: &str = r"(?:(?:my|the|our|remote|server|host|machine|box)\s+)*";
/// What is certainly a directory: it has a slash, or is called one.
const DIRECTORY: &str = r"(?:(?P<dir>[/~][^\s,;，。:]*|[\w.-]+/[^\s,;，。:]*)(?:\s+(?:directory|folder|dir)\b)?|(?P<named>[\w.-]+)\s+(?:directory|folder|dir)\b)";

struct Patterns {
    login: Option<Regex>,
    /// `in /srv on ada@build`
    before: Option<Regex>,
    /// `ada@build in /srv`, `ada@build 的 /srv`
    behind: Option<Regex>,
    /// `ada@build /srv`
    beside: Option<Regex>,
    /// `notes.txt from ada@build:/srv`
    file: Option<Regex>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    Patterns {
    login: Regex::new(&format!(r"(?:^|[\s(,，:：\p{{Han}}]){HOST}")).ok(),
    before: Regex::new(&format!(
        r"(?i)\b(?P<lead>from|to|in|into|onto|under|inside|at)\s+(?:(?:the|directory|folder|dir|path)\s+)*{DIRECTORY}\s+(?:on|at|of)\s+{CALLED}{HOST}"
    ))
    .ok(),
    behind: Regex::new(&format!(
        r"(?i){HOST}(?:,?\s+(?:in|into|under|inside|within|at)\s+(?:(?:the|its|their|directory|folder|dir)\s+)*|\s*上?的\s*){DIRECTORY}"
    ))
    .ok(),
    beside: Regex::new(&format!(r"{HOST}\s+(?P<dir>[/~][^\s,;，。:]*)")).ok(),
    file: Regex::new(&format!(
        r"(?i)(?P<blank>^|\s)(?P<file>[^\s:@,*]+)\s+(?P<from>from|off)\s+{CALLED}{HOST}(?::(?P<dir>[^\s,;]*))?(?P<here>\s+to\s+(?:here|this\s+(?:directory|folder))\b)?"
    ))
    .ok(),
}
});

/// The login that the request names.
pub fn login(words: &str) -> Option<&str> {
    if !words.contains('@') {
        return None;
    }
    let captures = PATTERNS.login.as_ref()?.captures(words)?;
    captures.name("host").map(|host| host.as_str())
}

/// The request with directories and files of the other machine spelled as scp does.
pub fn spelled(words: &str) -> Cow<'_, str> {
    if login(words).is_none() {
        return Cow::Borrowed(words);
    }
    let directory = |captures: &regex::Captures<'_>| {
        let group = captures.name("dir").or_else(|| captures.name("named"));
        group.map_or("", |group| group.as_str()).to_owned()
    };
    let patterns = &*PATTERNS;
    let mut spelled = words.to_owned();
    if let Some(before) = &patterns.before {
        let join = |captures: &regex::Captures<'_>| {
            let lead = if captures["lead"].eq_ignore_ascii_case("from") { "from" } else { "to" };
            format!("{lead} {}:{}", &captures["host"], directory(captures))
        };
        spelled = before.replace(&spelled, join).into_owned();
    }
    if let Some(behind) = &patterns.behind {
        // `into the current directory` is here.
        let join = |captures: &regex::Captures<'_>| match directory(captures).as_str() {
            "current" | "this" | "that" | "same" | "my" | "your" | "our" | "home" => captures[0].to_owned(),
            directory => format!("{}:{directory}", &captures["host"]),
        };
        spelled = behind.replace(&spelled, join).into_owned();
    }
    if let Some(beside) = &patterns.beside {
        let join = |captures: &regex::Captures<'_>| format!("{}:{}", &captures["host"], directory(captures));
        spelled = beside.replace(&spelled, join).into_owned();
    }
    if let Some(file) = &patterns.file {
        let join = |captures: &regex::Captures<'_>| {
            let of = captures.name("dir").map_or("", |directory| directory.as_str());
            let slash = if of.is_empty() || of.ends_with('/') { "" } else { "/" };
            let here = if captures.name("here").is_some() { " here" } else { "" };
            // `the file from ada@build`: an ordinary word is no name.
            let (file, host, blank) = (&captures["file"], &captures["host"], &captures["blank"]);
            match file.contains('.') && !file.starts_with(['/', '~']) {
                true => format!("{blank}{host}:{of}{slash}{file}{here}"),
                false => captures[0].to_owned(),
            }
        };
        spelled = file.replace(&spelled, join).into_owned();
    }
    Cow::Owned(spelled)
}
