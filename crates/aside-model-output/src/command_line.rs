//! Classifies one line of an answer: whether it is a command or prose, and how the command is spelled without its decoration.

use std::borrow::Cow;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    Blank,
    /// An alternative to what came before follows.
    Or,
    Talk {
        refusal: bool,
    },
    Command {
        text: &'l str,
        marked: Marked<'l>,
    },
}

/// A command, and what preceded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked<'l> {
    pub text: &'l str,
    /// A number or a bullet.
    pub listed: bool,
    /// `$ `
    pub prompt: bool,
}

/// First words of sentences. Commands nearly always begin in lower case, so only these are suspicious.
pub const SENTENCE_OPENINGS: [&str; 61] = [
    "Sure",
    "Here",
    "Here's",
    "The",
    "This",
    "That",
    "These",
    "Those",
    "You",
    "Your",
    "You'll",
    "To",
    "I",
    "I'm",
    "I'll",
    "I've",
    "I'd",
    "It",
    "It's",
    "Its",
    "Sorry",
    "Note",
    "If",
    "Please",
    "As",
    "There",
    "Based",
    "Certainly",
    "Okay",
    "OK",
    "Ok",
    "Yes",
    "No",
    "Unfortunately",
    "Explanation",
    "Since",
    "Use",
    "Using",
    "Try",
    "Run",
    "Running",
    "Of",
    "And",
    "But",
    "However",
    "For",
    "In",
    "On",
    "Let",
    "Let's",
    "We",
    "Note:",
    "Warning",
    "Assuming",
    "With",
    "When",
    "First",
    "Then",
    "Finally",
    "Output",
    "Absolutely",
];

/// Words that are common in prose and rare among arguments.
const SENTENCE: [&str; 30] = [
    "the",
    "a",
    "an",
    "that",
    "which",
    "is",
    "are",
    "of",
    "your",
    "you",
    "this",
    "these",
    "will",
    "can",
    "and",
    "with",
    "to",
    "it",
    "I",
    "be",
    "should",
    "would",
    "command",
    "following",
    "use",
    "here",
    "because",
    "cannot",
    "not",
    "please",
];

const REFUSALS: [&str; 18] = [
    "i cannot",
    "i can't",
    "i can not",
    "i do not think",
    "sorry",
    "i'm unable",
    "i am unable",
    "unable to",
    "i won't",
    "i am sorry",
    "as an ai",
    "i'm not able",
    "i am not able",
    "cannot assist",
    "can't help",
    "cannot help",
    "not possible to",
    "i do not have",
];

const LABELS: [&str; 19] = [
    "command",
    "answer",
    "output",
    "suggestion",
    "result",
    "shell command",
    "bash command",
    "zsh command",
    "shell",
    "bash",
    "solution",
    "response",
    "the command",
    "final answer",
    "final command",
    "terminal command",
    "bash script",
    "cmd",
    "run",
];

const NOTHING: [&str; 9] =
    ["none", "n/a", "null", "nothing", "no command", "empty", "undefined", "no answer", "no output"];

/// Where a model begins to prompt itself.
pub const REQUEST: &str = "Request:";

/// Language names that stand alone on a line instead of a fence.
const LANGUAGES: [&str; 7] = ["bash", "sh", "zsh", "shell", "fish", "console", "json"];

/// A line in a fence, which has so many lines.
pub fn in_fence(raw: &str, lines: usize) -> Line<'_> {
    let line = raw.trim();
    if line.is_empty() {
        return Line::Blank;
    }
    if let Some(comment) = line.strip_prefix('#') {
        let root = comment.trim_start();
        let words = root.split_whitespace().count();
        if lines == 1 && comment.starts_with(' ') && words > 0 && !is_sentence(root) && !begins_large(root) {
            return Line::Command {
                text: without_comment(root),
                marked: Marked { text: root, listed: false, prompt: true },
            };
        }
        return if says_or(root) { Line::Or } else { Line::Blank };
    }
    if says_or(line) && !leads(line) {
        return Line::Or;
    }
    let marked = unmarked(line);
    let text = without_comment(unwrapped(marked.text));
    if text.is_empty() || is_refusal(text) && begins_large(text) || ends_like_talk(text) && begins_large(text) {
        return Line::Talk { refusal: is_refusal(line) };
    }
    Line::Command { text, marked }
}

/// A line outside of fences.
pub fn outside(raw: &str, has_next: bool) -> Line<'_> {
    let line = raw.trim();
    if line.is_empty() || line.chars().all(|letter| matches!(letter, '-' | '*' | '_' | '=' | '`' | '~')) {
        return Line::Blank;
    }
    if LANGUAGES.contains(&line) && has_next {
        return Line::Blank;
    }
    let marked = unmarked(line);
    if leads(marked.text) {
        let text = without_comment(without_note(marked));
        return Line::Command { text: without_period(text), marked };
    }
    if says_or(line) {
        return Line::Or;
    }
    // Headings; `# apt update` may be a root prompt.
    if let Some(root) = line.strip_prefix('#') {
        let typed = root.strip_prefix(' ').filter(|root| !is_sentence(root) && !begins_large(root) && !has_next);
        return match typed {
            Some(root) => Line::Command {
                text: without_comment(root),
                marked: Marked { text: root, listed: false, prompt: true },
            },
            None => Line::Talk { refusal: false },
        };
    }
    if let Some(inside) = code(titled(marked.text)) {
        let refusal = is_refusal(line);
        return match inside.is_empty() || refusal {
            true => Line::Talk { refusal },
            false => Line::Command { text: without_comment(inside), marked },
        };
    }
    let bare = unwrapped(marked.text);
    if is_talk(bare) || bare.is_empty() {
        return Line::Talk { refusal: is_refusal(line) };
    }
    let text = without_comment(without_note(Marked { text: bare, ..marked }));
    Line::Command { text: without_period(text), marked }
}

/// Removes numbers, bullets, labels, prompts.
pub fn unmarked(line: &str) -> Marked<'_> {
    let mut text = line.trim();
    let mut listed = false;
    if let Some(rest) = quoted(text) {
        text = rest;
    }
    if let Some(rest) = bullet(text) {
        text = rest;
        listed = true;
    }
    if let Some((rest, instead)) = label(text) {
        text = rest;
        listed |= instead;
    }
    let typed = prompt(text);
    Marked { text: typed.unwrap_or(text), listed, prompt: typed.is_some() }
}

/// A mail-style quotation: `> ls -la`. In `> notes.txt` and `> a.log make` the sign is a redirection; dropping it would show another
/// command, without its warning.
fn quoted(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("> ")?.trim_start();
    let mut words = rest.split_whitespace();
    let (target, next) = (words.next()?, words.next());
    let is_marked = bullet(rest).is_some() || label(rest).is_some() || prompt(rest).is_some();
    let is_written = is_marked || rest.starts_with(['`', '*', '#']) || is_talk(rest);
    let is_argument = next.is_some_and(|next| next.starts_with('-'));
    let is_file = target.contains(['.', '/', '$', '~', '"', '\'']) || target.ends_with([';', '&', '|']);
    let ends = next.is_none_or(|next| next.starts_with(['&', '|', ';', '<', '>', '#']));
    (is_written || is_argument || !is_file && !ends).then_some(rest)
}

fn bullet(text: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "• ", "– ", "+ ", "◦ ", "▪ "].iter().find_map(|mark| text.strip_prefix(mark))
    {
        return Some(rest.trim_start());
    }
    let emphasis = text.strip_prefix("**").unwrap_or(text);
    let digits = emphasis.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 2 {
        return None;
    }
    let rest = emphasis.get(digits..)?;
    let rest = rest.strip_prefix('.').or(rest.strip_prefix(')')).or(rest.strip_prefix(':'))?;
    let rest = rest.strip_prefix("**").unwrap_or(rest);
    rest.starts_with(' ').then(|| rest.trim_start())
}

/// `Command: ls`, `**Command:** ls`, `Step 1: ls`; and whether it is one of several alternatives.
fn label(text: &str) -> Option<(&str, bool)> {
    let bare = text.trim_start_matches('*');
    let (name, rest) = bare.split_once(':')?;
    let rest = rest.strip_prefix("**").unwrap_or(rest);
    let name = name.trim_end_matches('*').to_lowercase();
    let numbered = |word: &&str| {
        let number = name.strip_prefix(*word).map(str::trim);
        number.is_some_and(|number| number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    let instead = ["option", "alternative", "candidate", "method"].iter().any(&numbered);
    let known = instead || LABELS.contains(&name.as_str()) || ["step", "command"].iter().any(&numbered);
    let follows = (rest.starts_with(' ') || rest.starts_with('`')) && !rest.trim().is_empty();
    (known && follows).then(|| (rest.trim(), instead))
}

/// The text after a prompt.
fn prompt(text: &str) -> Option<&str> {
    for mark in ["$ ", "% ", "❯ ", "➜ ", "λ ", "» ", "▶ ", ">>> ", "PS> "] {
        if let Some(rest) = text.strip_prefix(mark) {
            let rest = rest.trim_start();
            // `➜  ~ ls`
            return Some(if mark == "➜ " { rest.strip_prefix("~ ").unwrap_or(rest) } else { rest });
        }
    }
    // `ada@host:~$ ls`, `[ada@host ~]$ ls`, `bash-5.2$ ls`, `root@host:/# ls`
    let end = text.find("$ ").or(text.find("# ")).or(text.find("% "))?;
    let before = text.get(..end)?;
    let host = before.contains('@') && before.len() < 60 && !before.contains(['\'', '"', '|', ';', '=']);
    let version = before.starts_with("bash-") || before.starts_with("sh-");
    let one = before.split_whitespace().count() <= if before.starts_with('[') { 2 } else { 1 };
    ((host || version) && one).then(|| text.get(end + 2..).map(str::trim_start)).flatten()
}

/// A flag, a path, a pipe or a quote after a first word, with no prose before it. Later text cannot change that.
pub fn leads(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return false };
    let begins =
        first.starts_with(|letter: char| letter.is_ascii_lowercase() || matches!(letter, '.' | '/' | '~' | '$' | '_'));
    if !begins
        || first.ends_with([':', ',', '.'])
        || first.contains(['`', '“', '‘', '’'])
        || first == "e.g."
        || SENTENCE.contains(&first)
    {
        return false;
    }
    for word in words {
        let mut letters = word.chars();
        let flag = letters.next() == Some('-')
            && letters.next().is_some_and(|next| next.is_ascii_alphanumeric() || next == '-');
        let other = matches!(word, "|" | "&&" | "||" | ">" | ">>")
            || word.starts_with(['"', '\'', '$', '*', '~', '/', '.']) && word != "...";
        if flag || other {
            return true;
        }
        if SENTENCE.contains(&word) || word.ends_with([':', ',', '.', '!', '?']) || word.contains(['`', '’']) {
            return false;
        }
    }
    false
}

fn is_talk(line: &str) -> bool {
    if line == ":" {
        return false;
    }
    if line.starts_with(REQUEST) {
        return true;
    }
    let lower = line.to_lowercase();
    let bare = lower.trim_matches(|mark: char| mark.is_ascii_punctuation() && mark != '/');
    if NOTHING.contains(&bare) || !line.contains(char::is_alphanumeric) {
        return true;
    }
    let first =
        line.split(|end: char| end.is_whitespace() || matches!(end, ',' | ':' | '.' | '!')).next().unwrap_or_default();
    let first = first.replace('’', "'");
    let words = line.split_whitespace().count();
    if SENTENCE_OPENINGS.contains(&first.as_str()) && (words > 1 || line.ends_with(['.', ':', '!', ',']))
        || is_refusal(line) && begins_large(line)
    {
        return true;
    }
    if line.ends_with(':') && !line.contains(" -") || ends_like_talk(line) && begins_large(line) {
        return true;
    }
    if line.ends_with('?') && words > 2 && !line.contains(['*', '/']) {
        return true;
    }
    begins_large(line) && words > 2 && !leads_anyway(line) || is_sentence(line)
}

/// A capitalised program, followed by a flag.
fn leads_anyway(line: &str) -> bool {
    line.split_whitespace()
        .nth(1)
        .is_some_and(|word| word.len() > 1 && word.starts_with(['-', '/', '.', '"', '\'', '$']))
}

fn begins_large(line: &str) -> bool {
    let mut letters = line.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_none_or(|next| next.is_lowercase() || matches!(next, ' ' | '\'' | '’'))
}

fn ends_like_talk(line: &str) -> bool {
    line.ends_with(['.', '!', ':', '…', '。']) && line.split_whitespace().count() > 2
}

/// Words of prose, and no characters that only commands have.
fn is_sentence(line: &str) -> bool {
    let has_signs = line.split_whitespace().skip(1).any(|word| {
        word.starts_with(['-', '/', '$', '"', '\'', '|', '>', '*', '~', '.'])
            || word.contains(['*', '=', '/', ';', '|'])
    });
    if has_signs {
        return false;
    }
    // The first may be a program: `which`, `use`.
    let words = line.split_whitespace().skip(1);
    words.filter(|word| SENTENCE.contains(&word.trim_matches(['.', ',', ':', '!']))).count() > 1
}

fn is_refusal(line: &str) -> bool {
    let lower = line.to_lowercase().replace('’', "'");
    REFUSALS.iter().any(|refusal| {
        lower.find(refusal).is_some_and(|at| {
            let before = lower.get(..at).unwrap_or_default();
            !before.contains('"') && !before.contains(" '") && before.split_whitespace().count() < 6
        })
    })
}

/// "Or:", "Alternatively, …", "Option 2"
fn says_or(line: &str) -> bool {
    let lower = line.trim_matches(['*', '#', ' ', ':', '_', '-']).to_lowercase();
    let first = lower.split(|end: char| !end.is_alphanumeric()).next().unwrap_or_default();
    let short = lower.split_whitespace().count() <= 2;
    matches!(first, "alternatively" | "alternative")
        || first == "or" && (short || lower.ends_with(':') || line.ends_with(':') || lower.starts_with("or,"))
        || matches!(first, "option" | "method") && short
}

/// A line after which the model only explains.
pub fn ends_answer(line: &str) -> bool {
    let lower = line.trim().trim_matches(['*', '#', ' ', '_']).to_lowercase();
    ["explanation", "note", "this command", "this will", "where:", "breakdown", "output", "here's what", "here is what"]
        .iter()
        .any(|begin| lower.starts_with(begin))
}

/// Code at the start of a line: `` `ls` lists files ``.
fn code(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches(['*', '_']);
    let ticks = bare.bytes().take_while(|byte| *byte == b'`').count();
    if ticks == 0 || ticks > 2 {
        return None;
    }
    let inside = bare.get(ticks..)?;
    let close = "`".repeat(ticks);
    let end = inside.find(&close)?;
    let inside = inside.get(..end)?.trim();
    Some(prompt(inside).unwrap_or(inside))
}

/// The code after a title: `**List files**: …`.
fn titled(text: &str) -> &str {
    let behind = text.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(_, behind)| behind);
    let behind = behind.map(|behind| behind.trim_start_matches([':', '-', '–', ' ']));
    behind.filter(|behind| behind.starts_with('`')).unwrap_or(text)
}

/// Code spans within prose.
pub fn mentions(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, piece) in line.split('`').enumerate() {
        let typed = piece.trim();
        let begins = typed
            .starts_with(|letter: char| letter.is_ascii_lowercase() || matches!(letter, '.' | '/' | '~' | '$' | '['));
        if number % 2 == 1 && begins && !typed.ends_with("()") && !typed.ends_with(':') {
            found.push(prompt(typed).unwrap_or(typed).to_owned());
        }
    }
    // The last may not be closed.
    if line.matches('`').count() % 2 == 1 {
        let last = line.rsplit('`').next().unwrap_or_default().trim();
        if found.last().is_some_and(|found| found == last) {
            found.pop();
        }
    }
    found
}

/// The mentions with arguments; without any, the first bare program name.
pub fn best_mentions(mentions: Vec<String>) -> Vec<String> {
    let longer = |mention: &&String| mention.contains(' ');
    if mentions.iter().any(|mention| mention.contains(' ')) {
        return mentions.iter().filter(longer).cloned().collect();
    }
    mentions.into_iter().take(1).collect()
}

/// Removes emphasis and quotes around all of it.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim();
    for mark in ["**", "__", "``", "`"] {
        if let Some(inside) =
            text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)).filter(|inside| !inside.contains(mark))
        {
            text = inside.trim();
        }
    }
    for (open, close) in [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')] {
        let inside = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        // `"a b" c "d"` is a command; `"ls -la"` is a quoted one.
        if let Some(inside) = inside.filter(|inside| !inside.contains([open, close]) && !inside.contains('\\')) {
            text = inside.trim();
        }
    }
    text
}

/// Removes an explanation after a dash, in a list: `ls -a - Lists all files`.
fn without_note(marked: Marked<'_>) -> &str {
    let text = marked.text;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, ' ') => {
                let rest = text.get(at..).unwrap_or_default();
                let dash = rest
                    .strip_prefix(" — ")
                    .or(rest.strip_prefix(" – "))
                    .or(rest.strip_prefix(" - ").filter(|_| marked.listed));
                let arrow = rest.strip_prefix(" → ").or(rest.strip_prefix(" # "));
                if dash.is_some_and(|note| note.starts_with(char::is_uppercase)) || arrow.is_some() {
                    return text.get(..at).unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    text
}

/// Removes a comment: zsh would run it as words, since it does not accept one at the prompt by default.
pub fn without_comment(text: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, '#') if before == ' ' => {
                let rest = text.get(at + 1..).unwrap_or_default();
                if rest.is_empty() || rest.starts_with(' ') || rest.starts_with(char::is_uppercase) {
                    return text.get(..at).unwrap_or_default().trim_end();
                }
            }
            _ => {}
        }
        before = letter;
    }
    text.trim_end()
}

/// A full stop after a command is the model's, unless the command prints it.
fn without_period(text: &str) -> &str {
    let first = text.split_whitespace().next().unwrap_or_default();
    if matches!(first, "echo" | "printf" | "print" | "say") {
        return text;
    }
    let Some(bare) = text.strip_suffix('.') else { return text };
    let last = bare.chars().next_back();
    if last.is_some_and(|last| last.is_alphanumeric() || matches!(last, '"' | '\'' | ')')) { bare } else { text }
}

/// Normalises typographic quotes, blanks and dashes for the shell. Keeps quoted text as it is.
pub fn polished(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut quote: Option<Quote> = None;
    let mut before = ' ';
    let mut rest = text.trim();
    while let Some(letter) = rest.chars().next() {
        let entity = entity(rest).filter(|_| quote.is_none_or(|quote| quote.entity));
        let (said, length): (Cow<'_, str>, usize) = match entity {
            Some((letter, length)) => (Cow::Owned(letter.to_string()), length),
            None => (Cow::Borrowed(rest.get(..letter.len_utf8()).unwrap_or_default()), letter.len_utf8()),
        };
        let sign = said.chars().next().unwrap_or(letter);
        let escaped = before == '\\' && quote.is_none_or(|quote| quote.close != '\'');
        match quote {
            Some(open) if sign == open.close && !escaped => {
                plain.push(open.plain);
                quote = None;
            }
            Some(_) => plain.push_str(&said),
            None if escaped => plain.push_str(&said),
            None => match sign {
                '\'' | '"' | '`' => {
                    quote = Some(Quote { close: sign, plain: sign, entity: entity.is_some() });
                    plain.push(sign);
                }
                '“' | '”' | '„' => {
                    quote = closing(rest, length, &['”', '“']).map(|close| Quote { close, plain: '"', entity: false });
                    plain.push('"');
                }
                '‘' | '‚' => {
                    quote = closing(rest, length, &['’', '‘']).map(|close| Quote { close, plain: '\'', entity: false });
                    plain.push('\'');
                }
                '’' => plain.push('\''),
                '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}' => plain.push(' '),
                // Two hyphens that a text editor turned into one dash.
                '—' | '–' if before == ' ' => {
                    let word = rest.get(length..).unwrap_or_default();
                    let name = word.bytes().take_while(u8::is_ascii_alphabetic).count();
                    plain.push_str(if name > 1 {
                        "--"
                    } else if name == 1 {
                        "-"
                    } else {
                        &said
                    });
                }
                _ => plain.push_str(&said),
            },
        }
        before = if escaped && sign == '\\' { ' ' } else { plain.chars().next_back().unwrap_or(' ') };
        rest = rest.get(length..).unwrap_or_default();
    }
    plain
}

/// Like `polished`, for the beginning of a command: `None` when it has a curly quote, since the closing one decides what it is.
pub fn polished_so_far(text: &str) -> Option<String> {
    (!text.contains(['“', '”', '„', '‘', '’', '‚'])).then(|| polished(text))
}

#[derive(Clone, Copy)]
struct Quote {
    close: char,
    plain: char,
    /// Opened by an HTML entity, so the contents are spelled with entities too.
    entity: bool,
}

/// Which of the characters closes first.
fn closing(rest: &str, from: usize, letters: &[char]) -> Option<char> {
    rest.get(from..)?.chars().find(|letter| letters.contains(letter))
}

/// A character spelled as an HTML entity.
fn entity(text: &str) -> Option<(char, usize)> {
    const ENTITIES: [(&str, char); 10] = [
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
        ("&quot;", '"'),
        ("&#39;", '\''),
        ("&#x27;", '\''),
        ("&apos;", '\''),
        ("&#34;", '"'),
        ("&nbsp;", ' '),
        ("&#96;", '`'),
    ];
    ENTITIES.iter().find(|(spelled, _)| text.starts_with(spelled)).map(|(spelled, letter)| (*letter, spelled.len()))
}
