//! Parses `@dev` and what may follow it: a short command (docs/task-routes.md), or words.

/// A request without its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortcut<'a> {
    Help,
    Status,
    Plan(&'a str),
    Patch(&'a str),
    Apply(&'a str),
    Test(Option<String>),
    /// Not a shortcut: words.
    Words(&'a str),
}

pub fn read<'a>(request: &'a str, prefix: &str) -> Shortcut<'a> {
    let request = request.trim();
    let Some(rest) = without(request, prefix) else { return Shortcut::Words(request) };
    let (verb, words) = rest.split_once(char::is_whitespace).map_or((rest, ""), |(verb, words)| (verb, words.trim()));
    match (verb.to_ascii_lowercase().as_str(), words) {
        ("" | "help", "") => Shortcut::Help,
        ("status", "") => Shortcut::Status,
        ("plan", words) if !words.is_empty() => Shortcut::Plan(words),
        ("patch", words) if !words.is_empty() => Shortcut::Patch(words),
        ("apply", id) if is_id(id) => Shortcut::Apply(id),
        ("test", "") => Shortcut::Test(None),
        ("test", flag) => match command(flag) {
            Some(command) => Shortcut::Test(Some(command)),
            None => Shortcut::Words(rest),
        },
        _ => Shortcut::Words(rest),
    }
}

fn without<'a>(request: &'a str, prefix: &str) -> Option<&'a str> {
    let head = request.get(..prefix.len()).filter(|_| !prefix.is_empty())?;
    let rest = request.get(prefix.len()..)?;
    let parted = rest.is_empty() || rest.starts_with([' ', '\t', '\n', ',', ':', '，', '：']);
    let rest = rest.trim_start_matches([',', ':', '，', '：']).trim();
    (head.eq_ignore_ascii_case(prefix) && parted).then_some(rest)
}

fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// `--cmd="npm test"`, in either kind of quotes or none, or with a blank instead of `=`.
fn command(flag: &str) -> Option<String> {
    let rest = flag.strip_prefix("--cmd")?;
    let value = rest.strip_prefix('=').or_else(|| rest.strip_prefix(' '))?.trim();
    let quoted = [('"', '"'), ('\'', '\''), ('“', '”')]
        .iter()
        .find_map(|(open, close)| value.strip_prefix(*open)?.strip_suffix(*close));
    let command = quoted.unwrap_or(value).trim();
    (!command.is_empty()).then(|| command.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcuts_and_words() {
        for (request, expected) in [
            ("@dev help", Shortcut::Help),
            ("@dev", Shortcut::Help),
            ("@DEV status", Shortcut::Status),
            ("@dev: status", Shortcut::Status),
            ("@dev plan split the module", Shortcut::Plan("split the module")),
            ("@dev patch split it", Shortcut::Patch("split it")),
            ("@dev apply 4f-21", Shortcut::Apply("4f-21")),
            ("@dev test", Shortcut::Test(None)),
            ("@dev test --cmd=\"npm test\"", Shortcut::Test(Some("npm test".to_owned()))),
            ("@dev test --cmd='npm test'", Shortcut::Test(Some("npm test".to_owned()))),
            ("@dev test --cmd npm test", Shortcut::Test(Some("npm test".to_owned()))),
            ("@dev test the cart", Shortcut::Words("test the cart")),
            ("@dev apply the patch; rm", Shortcut::Words("apply the patch; rm")),
            ("@dev fix the header", Shortcut::Words("fix the header")),
            ("@dev plan", Shortcut::Words("plan")),
            ("@developer help", Shortcut::Words("@developer help")),
            ("status", Shortcut::Words("status")),
            ("@devé help", Shortcut::Words("@devé help")),
        ] {
            assert_eq!(read(request, "@dev"), expected, "{request}");
        }
    }
}
