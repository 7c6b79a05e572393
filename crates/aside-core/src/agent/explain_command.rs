//! Answers a question about a command: finds which one is meant, and renders its explanation as Markdown.

use aside_commands::shell_names::builtins;
use aside_translate::TranslateContext;
use aside_translate::explain::{Part, explain, is_known};

use crate::agent::language::Language;
use crate::agent::phrasing::{is_prose, strip_frame};
use crate::agent::shell_symbols;
use crate::agent::wording::{careful, code, sentence, unquoted};

/// Rows about the parts of a command, and about its most used subcommands.
const MAX_PARTS: usize = 8;
const MAX_SUBS: usize = 5;

/// The words around the command in a question. The most specific come first.
const FRAMES: &[(&str, &str)] = &[
    ("explain what", "does"),
    ("explain what", "means"),
    ("explain how", "works"),
    ("tell me what", "does"),
    ("tell me about", ""),
    ("what does", "do"),
    ("what does", "mean"),
    ("what does", "stand for"),
    ("what do", "do"),
    ("what would", "do"),
    ("what will", "do"),
    ("what is", "used for"),
    ("what is", "good for"),
    ("what is", "for"),
    ("what's", "for"),
    ("what is the use of", ""),
    ("what is the meaning of", ""),
    ("what is the purpose of", ""),
    ("how does", "work"),
    ("how do", "work"),
    ("how is", "used"),
    ("how do i use", ""),
    ("how can i use", ""),
    ("how do you use", ""),
    ("how to use", ""),
    ("when should i use", ""),
    ("when do i use", ""),
    ("why use", ""),
    ("explain to me", ""),
    ("explain", ""),
    ("describe", ""),
    ("what is", ""),
    ("what's", ""),
    ("what are", ""),
    ("was macht", ""),
    ("什么是", ""),
    ("解释一下", ""),
    ("解释", ""),
    ("", "是什么意思"),
    ("", "什么意思"),
    ("", "是什么"),
    ("", "是干什么的"),
    ("", "是做什么的"),
    ("", "有什么用"),
    ("", "怎么用"),
    ("", "如何使用"),
    ("", "的用法"),
];

/// The words around and between two commands that are compared.
const BETWEEN: &[(&str, &str, &str)] = &[
    ("what is the difference between", "and", ""),
    ("what's the difference between", "and", ""),
    ("what are the differences between", "and", ""),
    ("the difference between", "and", ""),
    ("difference between", "and", ""),
    ("explain the difference between", "and", ""),
    ("compare", "and", ""),
    ("compare", "with", ""),
    ("how does", "differ from", ""),
    ("how is", "different from", ""),
    ("", "vs", ""),
    ("", "vs.", ""),
    ("", "versus", ""),
    ("", "和", "有什么区别"),
    ("", "和", "的区别"),
    ("", "与", "的区别"),
];

/// Commands whose flags may stand without a dash: `tar xzf`, `ps aux`.
const DASHLESS: [&str; 3] = ["ar", "ps", "tar"];

const KINDS: [&str; 7] = [" command", " program", " tool", " utility", " builtin", "命令", " flag"];

pub fn answer(words: &str, place: &TranslateContext<'_>, language: Language) -> Option<String> {
    let whole = polite(words);
    let words = polite(words.trim_end_matches(['?', '!', '？', '！', '。', ' ']));
    if let Some(status) = status(words) {
        return status_told(status, language);
    }
    if let Some((one, other)) = compared(words) {
        let both = meant(one, place).zip(meant(other, place));
        // `merge` and `rebase` alone mean git's; `shelf-core` and `shelf-cli` do not.
        let is_sub = |name: &str| place.specs.find("git", place.world).is_some_and(|spec| spec.sub(name).is_some());
        let of_git = || {
            let both = is_sub(one) && is_sub(other);
            both.then(|| meant(&format!("git {one}"), place).zip(meant(&format!("git {other}"), place)))?
        };
        let (one, other) = both.or_else(of_git)?;
        return Some(format!("{}\n{}", told(&one, place, language)?, told(&other, place, language)?));
    }
    // Some frames end like a question.
    let mut asked = [whole, words]
        .into_iter()
        .flat_map(|words| FRAMES.iter().filter_map(move |(before, after)| framed(words, before, after)));
    if let Some(sign) = asked.find_map(|text| shell_symbols::explain(text, place.dialect)) {
        return Some(sign);
    }
    let mut commands = FRAMES.iter().filter_map(|(before, after)| meant(framed(words, before, after)?, place));
    told(&commands.find_map(Some).or_else(|| flag_of(words, place))?, place, language)
}

/// Removes politeness; a question word at the beginning stays.
fn polite(words: &str) -> &str {
    const BEFORE: [&str; 14] = [
        "please",
        "can you",
        "could you",
        "would you",
        "hey",
        "hi",
        "so",
        "ok",
        "do you know",
        "i want to know",
        "i'd like to know",
        "i wonder",
        "请",
        "请问",
    ];
    let mut rest = words.trim();
    while let Some(inner) = BEFORE.iter().find_map(|frame| strip_frame(rest, frame)).filter(|inner| !inner.is_empty()) {
        rest = inner.trim_start_matches([',', '，']).trim_start();
    }
    rest
}

fn framed<'a>(words: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let inner = if before.is_empty() { words } else { strip_frame(words, before)? };
    let inner = match after {
        "" => inner,
        after => {
            let (head, tail) = inner.split_at_checked(inner.len().checked_sub(after.len())?)?;
            let parted = head.ends_with(' ') || after.chars().any(|letter| letter > '\u{2e80}');
            (tail.eq_ignore_ascii_case(after) && parted).then_some(head)?
        }
    };
    Some(inner.trim()).filter(|inner| !inner.is_empty())
}

fn compared(words: &str) -> Option<(&str, &str)> {
    BETWEEN.iter().find_map(|(before, between, after)| {
        let inner = framed(words, before, after)?;
        let spaced = format!(" {between} ");
        let (one, other) = match inner.split_once(&spaced) {
            Some(both) => both,
            None if between.chars().any(|letter| letter > '\u{2e80}') => inner.split_once(between)?,
            None => return None,
        };
        Some((one.trim(), other.trim()))
    })
}

/// The exit status in question: "exit code 127".
fn status(words: &str) -> Option<i32> {
    let lower = words.to_lowercase();
    let named = ["exit code ", "exit status ", "return code ", "status code ", "退出码 ", "退出码"];
    let rest = named.iter().find_map(|name| lower.split_once(name))?.1;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    let asks = ["what", "explain", "why", "meaning", "mean", "什么", "解释"].iter().any(|word| lower.contains(word));
    digits.parse().ok().filter(|_| asks)
}

/// What the status means in every shell; program-specific meanings are left to its manual.
fn status_told(status: i32, language: Language) -> Option<String> {
    let signal = |number: i32| {
        let known =
            [(1, "HUP"), (2, "INT"), (3, "QUIT"), (6, "ABRT"), (9, "KILL"), (11, "SEGV"), (13, "PIPE"), (15, "TERM")];
        known.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
    };
    let (english, chinese) = match status {
        0 => ("it went well".to_owned(), "成功".to_owned()),
        126 => ("the file is there, but may not be run".to_owned(), "文件存在，但没有运行权限".to_owned()),
        127 => ("there is no such command".to_owned(), "没有这个命令".to_owned()),
        129..=192 => {
            let number = status - 128;
            let name = signal(number).map(|name| format!(" (SIG{name})")).unwrap_or_default();
            (format!("signal {number}{name} ended the program"), format!("程序被信号 {number}{name} 终止"))
        }
        _ => return None,
    };
    Some(match language {
        Language::English => format!("Exit status {status}: {english}."),
        Language::Chinese => format!("退出状态 {status}：{chinese}。"),
    })
}

/// `-z` of `tar`: "the -z flag of tar", "what does -z do in tar".
fn flag_of(words: &str, place: &TranslateContext<'_>) -> Option<String> {
    let words = ["mean", "do"].iter().find_map(|after| framed(words, "", after)).unwrap_or(words);
    let all: Vec<&str> = words.split(' ').collect();
    let flag = all.iter().position(|word| word.starts_with('-') && word.len() > 1)?;
    let of = all.iter().rposition(|word| ["in", "of", "for", "to", "with"].contains(word)).filter(|of| *of > flag)?;
    let asks =
        all.first().is_some_and(|first| ["what", "explain", "the", "describe"].contains(&&*first.to_lowercase()));
    let [name] = all.get(of + 1..)? else { return None };
    let (name, flag) = (unquoted(name), unquoted(all.get(flag)?));
    (asks && is_command(name, place)).then(|| format!("{name} {flag}"))
}

/// The command that is named, if any: a single name, or a line that looks like a command.
fn meant(text: &str, place: &TranslateContext<'_>) -> Option<String> {
    let is_quoted = unquoted(text) != text;
    let text = unquoted(text);
    let (text, is_thing) = match ["the ", "The ", "a "].iter().find_map(|article| text.strip_prefix(article)) {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let kind = KINDS.iter().find_map(|kind| text.strip_suffix(kind));
    let line = unquoted(kind.unwrap_or(text).trim());
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    if !is_command(name, place) {
        return None;
    }
    let has = |is: fn(char) -> bool| rest.split(' ').any(|word| word.contains(is));
    let has_flag = rest.split(' ').any(|word| word.starts_with('-'));
    let is_line = || has_flag || has(|letter| !letter.is_alphabetic()) && !is_prose(line);
    let spec = || place.specs.find(name, place.world);
    let is_bundle = || DASHLESS.contains(&name) && rest.split(' ').next().is_some_and(|word| word.len() <= 6);
    let is_sub = || spec().is_some_and(|spec| spec.sub(rest.split(' ').next().unwrap_or_default()).is_some());
    // "the test runner" is not `test`, "the code in main.rs" not `code`, and "the find" means nothing.
    let fits = match (rest.is_empty(), is_thing) {
        (true, true) => kind.is_some(),
        (true, false) => true,
        (false, true) => is_quoted || has_flag || is_sub() && kind.is_some(),
        (false, false) => is_quoted || is_line() || is_sub() || is_bundle(),
    };
    fits.then(|| line.to_owned())
}

fn is_command(name: &str, place: &TranslateContext<'_>) -> bool {
    place.specs.has(name)
        || builtins::has(place.names, place.dialect, name)
        || place.world.has_program(name).yes() == Some(true)
}

/// `None` when nothing is known about it.
fn told(command: &str, place: &TranslateContext<'_>, language: Language) -> Option<String> {
    let explanation = explain(command, place);
    if !is_known(&explanation) {
        return None;
    }
    let mut told = format!("{}: {}\n", code(command), sentence(&explanation.summary));
    let mut rows: Vec<(String, String)> = Vec::new();
    if let [_, rest @ ..] = explanation.parts.as_slice() {
        let row = |part: &Part| (part.text.clone(), part.about.clone());
        rows.extend(rest.iter().filter(|part| !part.about.is_empty()).take(MAX_PARTS).map(row));
    }
    if rows.is_empty() && !command.contains(' ') {
        let spec = place.specs.find(command, place.world);
        let subs = spec.iter().flat_map(|spec| spec.subs.iter().take(spec.common.min(MAX_SUBS)));
        rows.extend(subs.map(|sub| (format!("{command} {}", sub.name), sub.spec.about.to_string())));
    }
    if !rows.is_empty() {
        told.push('\n');
    }
    for (text, about) in rows {
        told.push_str(&format!("- {}: {about}\n", code(&text)));
    }
    if let Some(harm) = explanation.parts.iter().filter_map(|part| part.harm).max() {
        told.push_str(&format!("\n{}\n", careful(harm.words(), language)));
    }
    Some(told)
}
