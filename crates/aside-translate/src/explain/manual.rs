//! Parses a manual page into a spec: the line under NAME, and a paragraph for each option. Takes the text as `man`
//! prints it; does not find the page.

use std::sync::Arc;

use aside_commands::spec::format::{Flag, Spec, Takes};
use aside_commands::spec::kind::{ArgKind, FreeText};
use aside_text as text;

/// Options of one page.
const MAX_OPTIONS: usize = 500;
/// Characters of one description.
const MAX_ABOUT: usize = 120;
/// Lines of a page that are parsed.
const MAX_LINES: usize = 20_000;

/// `None` when the page does not say what the command is.
pub fn spec(page: &str) -> Option<Spec> {
    let page = without_overstrikes(page);
    let page = text::clean(&page);
    let mut lines = page.lines().take(MAX_LINES).peekable();
    let mut about = String::new();
    let mut flags: Vec<Arc<Flag>> = Vec::new();
    let mut waiting = Vec::new();
    let mut section = "";
    while let Some(line) = lines.next() {
        if line.starts_with(|letter: char| !letter.is_whitespace()) {
            section = line.trim();
            waiting.clear();
            continue;
        }
        if section.eq_ignore_ascii_case("NAME") && !line.trim().is_empty() && about.is_empty() {
            let mut name = line.trim().to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with(' ') && !line.trim().is_empty()) {
                name.push(' ');
                name.push_str(more.trim());
            }
            about = described(&name);
        } else if line.trim_start().starts_with('-') && !is_prose(section) && flags.len() < MAX_OPTIONS {
            let indent = indent(line);
            let (mut flag, inline) = option(line.trim());
            let mut words = inline.to_owned();
            while let Some(more) = lines.next_if(|line| self::indent(line) > indent && !line.trim().is_empty()) {
                if words.ends_with('-') || words.ends_with('\u{2010}') {
                    words.pop();
                } else if !words.is_empty() {
                    words.push(' ');
                }
                words.push_str(more.trim());
                if words.len() > MAX_ABOUT * 4 {
                    break;
                }
            }
            // `-v` on one line and `--verbose` on the next are one option.
            flag.names.splice(0..0, std::mem::take(&mut waiting));
            if words.is_empty() {
                waiting = flag.names;
                continue;
            }
            flag.about = first_sentence(&words).into();
            if !flag.names.is_empty() && !flags.iter().any(|known| flag.names.iter().all(|name| known.is(name))) {
                flags.push(Arc::new(flag));
            }
        }
    }
    (!about.is_empty()).then(|| Spec { about: about.into(), flags, ..Spec::default() })
}

/// Sections in which a leading dash does not start an option.
fn is_prose(section: &str) -> bool {
    ["NAME", "SYNOPSIS", "EXAMPLES", "EXAMPLE", "SEE ALSO", "BUGS", "AUTHOR", "AUTHORS", "HISTORY"]
        .iter()
        .any(|prose| section.eq_ignore_ascii_case(prose))
}

/// Removes overstrikes, which print bold and underlined characters.
fn without_overstrikes(page: &str) -> String {
    let mut plain = String::with_capacity(page.len());
    for letter in page.chars() {
        if letter == '\u{8}' {
            plain.pop();
        } else {
            plain.push(letter);
        }
    }
    plain
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `ls - list directory contents`
fn described(name: &str) -> String {
    let parts = [" - ", " \u{2013} ", " \u{2014} ", " \u{2212} ", " -- "];
    let about =
        parts.iter().filter_map(|dash| name.split_once(dash)).map(|(_, about)| about).next().unwrap_or_default();
    first_sentence(about)
}

fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.find(". ").unwrap_or(text.len());
    let text = text[..end].trim_end_matches('.');
    let mut letters = text.chars();
    let text = match (letters.next(), letters.next()) {
        // A name or an abbreviation keeps its capital.
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            format!("{}{}", first.to_lowercase(), &text[first.len_utf8()..])
        }
        _ => text.to_owned(),
    };
    match text.char_indices().nth(MAX_ABOUT) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// `-a, --all=WHEN   do all`: the names, and the description on the same line.
fn option(line: &str) -> (Flag, &str) {
    // Two blanks separate the names from the description.
    let (head, inline) = line.split_once("  ").unwrap_or((line, ""));
    let mut flag = Flag::default();
    let mut takes = false;
    for part in head.split([',', '|']).map(str::trim) {
        if !part.starts_with('-') {
            takes |= !part.is_empty() && part.chars().all(|letter| !letter.is_lowercase());
            continue;
        }
        let end = part.find([' ', '=', '[', '<']).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if name.len() < 2 || !name.trim_start_matches('-').starts_with(char::is_alphanumeric) && name != "--" {
            continue;
        }
        // An optional value must be in the same word.
        let rest = rest.trim_start();
        takes |= !rest.is_empty() && !rest.starts_with('[');
        flag.names.push(name.into());
    }
    if takes {
        flag.takes = Some(Takes { kinds: vec![ArgKind::Free(FreeText::Text)], optional: false, command: false });
    }
    (flag, inline.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
FROB(1)                          User Commands                         FROB(1)

NAME
       frob, unfrob - Frobnicate files and
       directories. More words.

SYNOPSIS
       frob [-a] FILE

OPTIONS
       -a, --all
              Frob every file.  Even the hidden ones.

       -o FILE, --output=FILE
              write the result to FILE instead of standard out\u{2010}
              put

       -q     be quiet

       -W, --show [pattern...]
              list them

       --color[=WHEN]  colour it

       -v
       --verbose
              say more

EXAMPLES
       -x     is no option
";

    #[test]
    fn a_page_is_read() {
        let spec = spec(PAGE).unwrap();
        assert_eq!(&*spec.about, "frobnicate files and directories");
        let flags: Vec<String> = spec
            .flags
            .iter()
            .map(|flag| format!("{} [{}] {}", flag.names.join(" "), flag.takes.is_some(), flag.about))
            .collect();
        assert_eq!(
            flags,
            [
                "-a --all [false] frob every file",
                "-o --output [true] write the result to FILE instead of standard output",
                "-q [false] be quiet",
                "-W --show [false] list them",
                "--color [false] colour it",
                "-v --verbose [false] say more",
            ]
        );
    }

    #[test]
    fn letters_printed_over_each_other_are_one() {
        let page = "N\u{8}NA\u{8}AM\u{8}ME\u{8}E\n       x\u{8}xy - do it\n";
        assert_eq!(&*spec(page).unwrap().about, "do it");
    }

    #[test]
    fn what_is_no_page_says_nothing() {
        for text in
            ["", "No manual entry for frob", "NAME\n", "NAME\n       frob\n", "- - -\n  -\n", "é\u{8}\u{8}\u{8}"]
        {
            assert_eq!(spec(text), None, "{text}");
        }
    }
}
