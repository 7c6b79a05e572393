//! Names of commits in words: `HEAD~1`, `main..dev`, `stash@{0}`.

/// `None` when it is only a name.
pub fn words(text: &str) -> Option<String> {
    if let Some((from, to)) = text.split_once("...") {
        return Some(format!("what {} and {} do not share", one(from), one(to)));
    }
    if let Some((from, to)) = text.split_once("..") {
        return Some(format!("from {}, not included, to {}", one(from), one(to)));
    }
    let known = one(text);
    (known != text).then_some(known)
}

fn one(text: &str) -> String {
    match text {
        "" | "HEAD" | "@" => return "the current commit".to_owned(),
        "FETCH_HEAD" => return "what was fetched last".to_owned(),
        "ORIG_HEAD" => return "where it was before the last big step".to_owned(),
        "@{u}" | "@{upstream}" => return "the branch that this one follows".to_owned(),
        "-" | "@{-1}" => return "the branch before this one".to_owned(),
        _ => {}
    }
    if let Some((name, number)) = text.strip_suffix('}').and_then(|text| text.split_once("@{"))
        && let Ok(number) = number.parse::<u32>()
    {
        return match (name, number) {
            ("stash", 0) => "the newest stash".to_owned(),
            ("stash", number) => format!("stash {number}, counted from 0"),
            ("" | "HEAD", number) => format!("where HEAD was {number} steps ago"),
            (name, number) => format!("where {name} was {number} steps ago"),
        };
    }
    if let Some(at) = text.find(['~', '^']) {
        let (base, steps) = text.split_at(at);
        let base = match base {
            "HEAD" | "@" | "" => "the current one".to_owned(),
            base => one(base),
        };
        if let Some(count) = ancestors(steps) {
            return match count {
                1 => format!("the commit before {base}"),
                count => format!("{count} commits before {base}"),
            };
        }
        if let Some(parent) = steps.strip_prefix('^').and_then(|digit| digit.parse::<u32>().ok()) {
            return format!("parent {parent} of {base}");
        }
        return text.to_owned();
    }
    if (7..=40).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
    {
        return format!("the commit {}", text.get(..7).unwrap_or(text));
    }
    text.to_owned()
}

/// `~~`, `~3`, `^^`: how many steps back.
fn ancestors(steps: &str) -> Option<u32> {
    if steps.bytes().all(|byte| byte == b'^') || steps.bytes().all(|byte| byte == b'~') {
        return u32::try_from(steps.len()).ok();
    }
    steps.strip_prefix('~').and_then(|digits| digits.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_misses() {
        for (text, expected) in [
            ("HEAD", "the current commit"),
            ("HEAD~1", "the commit before the current one"),
            ("HEAD^", "the commit before the current one"),
            ("HEAD~3", "3 commits before the current one"),
            ("main~2", "2 commits before main"),
            ("main..dev", "from main, not included, to dev"),
            ("origin/main...HEAD", "what origin/main and the current commit do not share"),
            ("stash@{0}", "the newest stash"),
            ("HEAD@{2}", "where HEAD was 2 steps ago"),
            ("a1b2c3d4e5", "the commit a1b2c3d"),
            ("HEAD^2", "parent 2 of the current one"),
        ] {
            assert_eq!(words(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["main", "feature/x", "v1.0", "abcdef", "HEAD^{tree}"] {
            assert_eq!(words(text), None, "{text}");
        }
    }
}
