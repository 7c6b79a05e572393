//! Computes what a command prints, where the line alone tells: `echo`, `printf`, a here-document, and decoding filters after them. Runs
//! nothing, and does not guess.

use aside_text::base64;
use shell_line::{self as line, Dialect, Join, Redirect, Redirection, Word};

use crate::safety::nested_commands::{NestedCommand, is_flag};

/// Bytes of one text. A longer one is ignored.
const MAX_TEXT: usize = 16 * 1024;
/// How often a format is reused for the remaining arguments.
const MAX_ROUNDS: usize = 64;
/// Stages of a pipe in a substitution.
const MAX_STAGES: usize = 8;

/// The output of `mktemp`: a new file, so overwriting it loses nothing.
pub const TEMPORARY: &str = "/tmp/tmp.XXXXXXXXXX";

/// The text that a command writes to a pipe.
pub fn output(run: &NestedCommand) -> Option<String> {
    printed(run.name(), run.arguments(), &run.fed)
}

fn printed(name: &str, arguments: &[Word], fed: &[String]) -> Option<String> {
    let fed = || (!fed.is_empty()).then(|| fed.join("\n"));
    let has = |flags: &[&str]| arguments.iter().any(|word| flags.contains(&word.value.as_str()));
    let values = || arguments.iter().map(|word| word.value.as_str());
    let text = match name {
        "echo" | "print" => {
            let words: Vec<&str> = values().skip_while(|word| is_flag(word)).collect();
            format!("{}\n", unescaped(&words.join(" ")))
        }
        "printf" => {
            let words: Vec<&str> = values().skip_while(|word| *word == "--").collect();
            formatted(&words)
        }
        "cat" | "tee" if values().all(is_flag) => fed()?,
        "base64" if has(&["-d", "-D", "--decode"]) => base64(&fed()?)?,
        "openssl" if has(&["base64", "-base64"]) && has(&["-d"]) => base64(&fed()?)?,
        "xxd" if has(&["-r"]) && has(&["-p", "-ps"]) || has(&["-rp", "-pr"]) => hex(&fed()?)?,
        "rev" => fed()?.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n"),
        _ => return None,
    };
    (text.len() <= MAX_TEXT).then_some(text)
}

/// The output of a substitution, given without its brackets.
pub fn substituted(script: &str, dialect: Dialect) -> Option<String> {
    if script.len() > MAX_TEXT {
        return None;
    }
    let parsed = line::parse(script, dialect);
    let plain = parsed.open.is_none()
        && !parsed.commands.is_empty()
        && parsed.commands.len() <= MAX_STAGES
        && parsed.commands.iter().enumerate().all(|(number, command)| {
            let piped = if number == 0 { command.join == Join::First } else { command.join == Join::Pipe };
            piped && command.inside.is_none() && command.words.iter().all(|word| word.fixed)
        });
    if !plain {
        return None;
    }
    let mut text: Option<String> = None;
    for command in &parsed.commands {
        let (name, arguments) = command.words.split_first()?;
        let mut fed: Vec<String> = text.into_iter().collect();
        let strings = command.redirections.iter().filter(|redirection| redirection.kind == Redirect::HereString);
        fed.extend(strings.filter_map(|redirection| redirection.target.as_ref()).map(|word| word.value.clone()));
        let documents = command.redirections.iter().filter(|one| one.kind == Redirect::HereDocument);
        fed.extend(documents.filter_map(|one| document(script, one)).map(|(body, _)| body));
        let name = name.value.rsplit('/').next()?;
        text = Some(match (name, arguments) {
            ("mktemp", _) => TEMPORARY.to_owned(),
            ("which", [program]) => program.value.clone(),
            ("command" | "type" | "whence" | "where", [flag, program]) if is_flag(&flag.value) => program.value.clone(),
            _ => printed(name, arguments, &fed)?,
        });
    }
    text.map(|text| text.trim_end_matches('\n').to_owned())
}

/// The text of a here-document, and where it begins.
pub fn document(text: &str, redirection: &Redirection) -> Option<(String, usize)> {
    let delimiter = &redirection.target.as_ref()?.value;
    let from = redirection.span.end + text.get(redirection.span.end..)?.find('\n')? + 1;
    let body = text.get(from..)?;
    let mut length = 0;
    for line in body.split_inclusive('\n') {
        if line.trim() == delimiter {
            break;
        }
        length += line.len();
    }
    body.get(..length).map(|body| (body.to_owned(), from))
}

/// Escapes of `echo -e` and of formats.
fn unescaped(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend(rest.get(..at).unwrap_or_default().bytes());
        let behind = rest.get(at + 1..).unwrap_or_default();
        let Some(letter) = behind.chars().next() else {
            bytes.push(b'\\');
            rest = "";
            break;
        };
        let digits = |from: usize, most: usize, radix: u32| {
            let digits: String = behind.chars().skip(from).take(most).take_while(|one| one.is_digit(radix)).collect();
            u8::from_str_radix(&digits, radix).ok().map(|byte| (byte, from + digits.len()))
        };
        let (byte, length) = match letter {
            'n' => (b'\n', 1),
            't' => (b'\t', 1),
            'r' => (b'\r', 1),
            '\\' => (b'\\', 1),
            'x' => digits(1, 2, 16).unwrap_or((b'x', 1)),
            '0' => digits(1, 3, 8).unwrap_or((0, 1)),
            '1'..='7' => digits(0, 3, 8).unwrap_or((b'?', 1)),
            _ => {
                bytes.push(b'\\');
                rest = behind;
                continue;
            }
        };
        bytes.push(byte);
        rest = behind.get(length..).unwrap_or_default();
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `printf FORMAT ARGUMENT…`
fn formatted(words: &[&str]) -> String {
    let Some((format, arguments)) = words.split_first() else { return String::new() };
    let format = unescaped(format);
    let mut arguments = arguments.iter();
    let mut text = String::new();
    for _ in 0..MAX_ROUNDS {
        let mut rest = format.as_str();
        while let Some((before, behind)) = rest.split_once('%') {
            text.push_str(before);
            let skip = behind.find(|letter: char| letter.is_ascii_alphabetic() || letter == '%').unwrap_or(0);
            match behind.get(skip..).and_then(|behind| behind.chars().next()) {
                Some('%') => text.push('%'),
                Some('b') => text.push_str(&unescaped(arguments.next().unwrap_or(&""))),
                Some(_) => text.push_str(arguments.next().unwrap_or(&"")),
                None => {}
            }
            rest = behind.get(skip + 1..).unwrap_or_default();
        }
        text.push_str(rest);
        if arguments.len() == 0 || !format.contains('%') || text.len() > MAX_TEXT {
            break;
        }
    }
    text
}

/// As the programs decode it: over several lines, and several texts in a row.
fn base64(text: &str) -> Option<String> {
    let body: String = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '=').collect();
    base64::decoded(&body)
}

fn hex(text: &str) -> Option<String> {
    let digits: Vec<u32> =
        text.chars().filter(|letter| !letter.is_whitespace()).map(|one| one.to_digit(16)).collect::<Option<_>>()?;
    let bytes = digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let cases = [
            ("echo rm x", Some("rm x")),
            ("printf '%s' kube ctl", Some("kubectl")),
            ("printf '\\x72\\x6d'", Some("rm")),
            ("printf 'a\\nb\\n'", Some("a\nb")),
            ("printf '%s-%s\\n' a b c d", Some("a-b\nc-d")),
            ("printf '100%%'", Some("100%")),
            ("echo cm0gLXJm | base64 -d", Some("rm -rf")),
            ("base64 -d <<< cm0gLXJm", Some("rm -rf")),
            ("echo 726d | xxd -r -p", Some("rm")),
            ("echo mr | rev", Some("rm")),
            ("mktemp -d", Some(TEMPORARY)),
            ("which rm", Some("rm")),
            ("command -v rm", Some("rm")),
            ("cat x", None),
            ("date", None),
            ("echo $x", None),
            ("echo a; echo b", None),
            ("curl x | base64 -d", None),
            ("printf", Some("")),
            ("printf '%'", Some("")),
            ("printf '%s'", Some("")),
            ("echo '\\'", Some("\\")),
            ("echo '\\x'", Some("x")),
        ];
        for (script, expected) in cases {
            assert_eq!(substituted(script, Dialect::Bash).as_deref(), expected, "{script}");
        }
    }
}
