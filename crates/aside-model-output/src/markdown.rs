//! Splits an answer into fences and the text between them.

/// A piece of an answer.
#[derive(Debug)]
pub struct Part {
    /// The language of its fence.
    pub fence: Option<String>,
    pub text: String,
}

/// The contents of one fence.
pub struct Step {
    pub text: String,
    /// It follows the one before, rather than being an alternative.
    pub goes_on: bool,
}

const SHELLS: [&str; 13] = [
    "",
    "bash",
    "sh",
    "zsh",
    "fish",
    "shell",
    "console",
    "terminal",
    "shell-session",
    "shellscript",
    "cmd",
    "command",
    "ksh",
];
const JSON: [&str; 3] = ["json", "jsonc", "json5"];

/// Words that introduce a second step.
const THEN: [&str; 12] =
    ["then", "next", "after", "afterwards", "finally", "second", "step", "once", "now", "followed", "lastly", "third"];

pub fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut outside = String::new();
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let Some((mark, length, info)) = opening(line) else {
            outside.push_str(line);
            continue;
        };
        if !outside.trim().is_empty() {
            parts.push(Part { fence: None, text: std::mem::take(&mut outside) });
        }
        outside.clear();
        let fence: String = std::iter::repeat_n(mark, length).collect();
        // A fence on one line.
        if let Some((inside, after)) = info.split_once(&fence) {
            parts.push(one_liner(inside));
            outside.push_str(after);
            continue;
        }
        let mut inside = String::new();
        for line in lines.by_ref() {
            if closes(line, mark, length) {
                break;
            }
            // The closing fence may be at the end of the last line.
            if let Some(last) =
                line.trim_end().strip_suffix(&fence).filter(|last| !last.trim().is_empty() && mark == '`')
            {
                inside.push_str(last);
                break;
            }
            inside.push_str(line);
        }
        let (language, rest) = language_and_rest(info);
        // ```` ``` ls ```` and a newline: the command stands in place of a language.
        let text = if rest.is_empty() { inside } else { format!("{rest}\n{inside}") };
        parts.push(Part { fence: Some(language), text });
    }
    if !outside.trim().is_empty() {
        parts.push(Part { fence: None, text: outside });
    }
    parts
}

/// The fences that contain commands; other fences if there are none.
pub fn fenced(parts: &[Part]) -> Vec<Step> {
    let holds = |part: &Part, languages: &[&str]| {
        part.fence.as_ref().is_some_and(|language| languages.contains(&language.as_str()))
    };
    let has_named = parts.iter().any(|part| holds(part, &SHELLS) && part.fence.as_deref() != Some(""));
    let mut steps: Vec<Step> = Vec::new();
    let mut between = "";
    for part in parts {
        if part.fence.is_none() {
            between = &part.text;
            continue;
        }
        // Next to a fence marked as shell, an unmarked one shows output.
        let shows_output = has_named && part.fence.as_deref() == Some("") && !steps.is_empty();
        if !shows_output && (holds(part, &SHELLS) || holds(part, &JSON) && steps.is_empty()) {
            steps.push(Step { text: part.text.clone(), goes_on: !steps.is_empty() && says_then(between) });
        }
        between = "";
    }
    if steps.is_empty() {
        let other = parts.iter().find(|part| {
            part.fence
                .as_deref()
                .is_some_and(|language| matches!(language, "text" | "txt" | "plaintext" | "plain" | "makefile"))
        });
        steps.extend(other.map(|part| Step { text: part.text.clone(), goes_on: false }));
    }
    steps
}

fn says_then(between: &str) -> bool {
    let words = between.split(|end: char| !end.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut lower = words.map(str::to_lowercase);
    let alternative = between.to_lowercase();
    let instead = ["or ", "or,", "or:", "alternative", "instead"].iter().any(|word| alternative.contains(word));
    !instead && lower.any(|word| THEN.contains(&word.as_str()))
}

/// The first fence's contents, if its opening line is complete and names a shell.
pub fn first_fence(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((_, _, info)) = opening(line) {
            let language = info.trim().to_lowercase();
            let opens = line.ends_with('\n') && SHELLS.contains(&language.as_str());
            return opens.then(|| Some((text.get(..at)?, text.get(at + line.len()..)?))).flatten();
        }
        at += line.len();
    }
    None
}

pub fn has_fence(text: &str) -> bool {
    text.lines().any(|line| opening(line).is_some())
}

fn opening(line: &str) -> Option<(char, usize, &str)> {
    let start = line.trim_start();
    let mark = start.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = start.trim_start_matches(mark);
    let length = start.len() - rest.len();
    (length >= 3).then_some((mark, length, rest))
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|letter| letter == mark)
}

fn one_liner(inside: &str) -> Part {
    let inside = inside.trim();
    let (first, rest) = inside.split_once(' ').unwrap_or((inside, ""));
    let known = SHELLS.contains(&first) || JSON.contains(&first);
    match known && !rest.is_empty() {
        true => Part { fence: Some(first.to_owned()), text: rest.to_owned() },
        false => Part { fence: Some(String::new()), text: inside.to_owned() },
    }
}

/// A known language before a command, or alone.
fn language_and_rest(info: &str) -> (String, String) {
    let info = info.trim();
    let (first, rest) = info.split_once(char::is_whitespace).unwrap_or((info, ""));
    let language = first.trim_matches(['{', '}', '.']).to_lowercase();
    let known = SHELLS.contains(&language.as_str()) || JSON.contains(&language.as_str());
    match (known, rest.is_empty()) {
        (true, _) => (language, if rest.contains('=') { String::new() } else { rest.trim().to_owned() }),
        (false, true) => (language, String::new()),
        (false, false) => (String::new(), info.to_owned()),
    }
}
