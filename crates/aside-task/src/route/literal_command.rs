//! Commands that a request spells out: `run make test | tee log`, ``run `make test` please``. The command is the exact text or there is
//! none: where words after it may say what not to run, nothing is left out and nothing is guessed.

use std::ops::Range;
use std::sync::LazyLock;

use aside_core::detect::word_lists::lists;
use aside_text::is_han;
use aside_text::pattern::Pattern;
use shell_line::{self as line, Dialect, Line, Syntax};

use crate::route::command::{self, MAX_COMMAND};
use crate::route::word_lists;

/// What the text after `run` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A command line, as written.
    Line(String),
    /// A command with words that are not part of it, or words that say what not to run.
    Unclear,
    /// Words: "the tests".
    Words,
}

/// Words that restrict or postpone what they stand with. A command with such a word as an argument has to be in backquotes.
const RESTRICTS: &[&str] = &[
    "except",
    "excepting",
    "excluding",
    "exclude",
    "but",
    "not",
    "never",
    "only",
    "unless",
    "without",
    "if",
    "until",
    "till",
    "before",
    "after",
    "instead",
    "rather",
    "wait",
    "don't",
    "dont",
    "doesn't",
    "won't",
    "can't",
    "provided",
    "assuming",
    "otherwise",
    "skip",
    "skipping",
    "ignoring",
    "besides",
    "when",
    "whenever",
    "once",
    "first",
    "ask",
    "confirm",
    "later",
];

/// Restricting phrases of several words.
const RESTRICTING: &[&[&str]] =
    &[&["dry", "run"], &["apart", "from"], &["other", "than"], &["as", "long", "as"], &["no", "wait"]];

/// `once more` postpones nothing.
const HARMLESS: &[&[&str]] = &[&["once", "more"], &["once", "again"]];

const RESTRICTS_CHINESE: &[&str] = &[
    "除了",
    "除去",
    "除外",
    "以外",
    "之外",
    "但",
    "不要",
    "不用",
    "不是",
    "别",
    "只",
    "仅",
    "如果",
    "要是",
    "假如",
    "除非",
    "等",
    "之前",
    "之后",
    "以后",
    "以前",
    "先问",
    "确认",
    "的话",
    "跳过",
    "排除",
    "試運行",
    "试运行",
    "演练",
    "直到",
    "才",
];

/// Programs whose arguments are text: "echo hello, world".
const PRINTS: &[&str] = &["echo", "printf", "say", "cowsay", "figlet", "banner", "wall", "notify-send", "espeak"];

struct Patterns {
    run: Pattern,
    run_chinese: Pattern,
    tail: Pattern,
    asks: Pattern,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        run: Pattern::new(
            r"^(?i:(?:(?:hey|hi|hello|ok|okay|now|so|well|then|next|also|and|please|pls|plz|kindly|just|quickly|simply|can|could|would|will|you|go ahead and|i want you to|i'd like you to|let's|lets)[\s,:]+)*(?:run|rerun|re-run|execute|invoke|launch)(?:\s+(?:the|this|that|following|shell|command|line|again|for me))*(?:\s*:\s*|\s+))",
        )?,
        run_chinese: Pattern::new(
            r"^(?:请|請|麻烦|麻煩|帮我|幫我|帮忙|给我|替我|你|现在|现在就|直接|可以|能不能|能否|再|重新)*(?:运行|運行|执行|執行|跑)(?:一下|下)?(?:这个|这条|以下|下面的?)?(?:命令)?\s*[:：]?\s*",
        )?,
        tail: Pattern::new(
            r"(?i)(?:[\s,，]+(?:please|pls|plz|thanks|thank you|thx|for me|谢谢|好吗|吧|吗|呗)[.!。！]*)+$|(?:吧|吗|呗|谢谢)?[。！？]+$|(?:[\s,]+(?:and|then|and then)|,)\s+(?:tell me|show me|let me know|report|explain|summari[sz]e|give me the (?:output|result))\b[^`]*$",
        )?,
        asks: Pattern::new(r"^(?i:(?:[a-z']+[\s,]+){0,3}?(?:can|could|would|will) you\b|能|可以)")?,
    })
});

/// The text after `run`; `None` when the request does not begin with such a word.
pub fn rest(request: &str) -> Option<&str> {
    let patterns = PATTERNS.as_ref()?;
    let found =
        patterns.run.find(request).or_else(|| patterns.run_chinese.find(request).filter(|found| found.end() > 0))?;
    Some(request.get(found.end()..)?.trim_end()).filter(|rest| !rest.is_empty())
}

/// Classifies an order to run something. `is_program` knows the programs of the machine.
pub fn order(request: &str, is_program: &dyn Fn(&str) -> bool) -> Literal {
    let Some(rest) = rest(request) else { return Literal::Words };
    let asks = PATTERNS.as_ref().is_some_and(|patterns| patterns.asks.is_match(request));
    // "Can you run make test?", "Please run make test." After a path or a flag the same sign is part of it.
    let rest = match rest.strip_suffix('?') {
        Some(line) if asks && line.ends_with(|last: char| last.is_alphanumeric() || last == '`') => line,
        _ => rest,
    };
    let is_sentence = asks || request.starts_with(char::is_uppercase);
    let rest = match rest.strip_suffix('.') {
        Some(line) if is_sentence && last_is_plain(line) => line,
        _ => rest,
    };
    // A program whose name is not a word about work: `run true`, but not `run test`.
    let name = without_tail(rest);
    if !name.contains(char::is_whitespace) && is_known(name, is_program) && !word_lists::knows(name) {
        return Literal::Line(name.to_owned());
    }
    read(rest, is_program)
}

fn last_is_plain(line: &str) -> bool {
    line.ends_with(char::is_alphabetic)
        && line.split_whitespace().last().is_some_and(|last| last.chars().all(char::is_alphanumeric))
}

/// Classifies a text by itself: a line, or one in quotes.
pub fn read(text: &str, is_program: &dyn Fn(&str) -> bool) -> Literal {
    let text = text.trim();
    if text.is_empty() {
        return Literal::Words;
    }
    if let Some((inner, behind)) = quoted(text) {
        let starts = first_word(inner).is_some_and(|first| is_known(&first, is_program) || is_path(&first));
        if text.starts_with('`') || starts && is_tail(behind) {
            let fits = is_tail(behind) && is_whole(inner);
            return if fits { Literal::Line(inner.to_owned()) } else { Literal::Unclear };
        }
    }
    let text = without_tail(text);
    let mut lines = text.lines();
    let (first, more) = (lines.next().unwrap_or_default(), lines.any(|line| !line.trim().is_empty()));
    let literal = unquoted(first.trim_end(), is_program);
    let is_cut = more && (matches!(literal, Literal::Line(_)) || restricts(text));
    if is_cut { Literal::Unclear } else { literal }
}

/// Whether words outside of quotes say what not to run, or to wait.
pub fn restricts(text: &str) -> bool {
    let quotes =
        |text: &str| text.starts_with('`').then(|| quoted(text)).flatten().map(|(_, behind)| text.len() - behind.len());
    let mut own = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let taken = quotes(rest).unwrap_or(letter.len_utf8());
        own.push_str(if taken > letter.len_utf8() { " " } else { rest.get(..taken).unwrap_or_default() });
        rest = rest.get(taken..).unwrap_or_default();
    }
    let words: Vec<String> = own
        .split(|letter: char| letter.is_whitespace() || ",;:()，；：（）。、".contains(letter))
        .map(|word| word.trim_end_matches(['.', '!', '?']).replace('’', "'").to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    has_restriction(&words.iter().map(String::as_str).collect::<Vec<_>>())
        || RESTRICTS_CHINESE.iter().any(|word| own.contains(word))
}

fn has_restriction(words: &[&str]) -> bool {
    let begins = |at: usize, phrases: &[&[&str]]| {
        let rest = words.get(at..).unwrap_or_default();
        phrases.iter().any(|phrase| rest.starts_with(phrase))
    };
    let restricting =
        |(at, word): (usize, &&str)| begins(at, RESTRICTING) || RESTRICTS.contains(word) && !begins(at, HARMLESS);
    words.iter().enumerate().any(restricting)
}

/// The text between the quotes at the beginning, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next()?;
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let close = match open {
        '`' => "`".repeat(ticks),
        '"' | '\'' => open.to_string(),
        '“' => "”".to_owned(),
        '‘' => "’".to_owned(),
        '「' => "」".to_owned(),
        _ => return None,
    };
    let rest = text.get(if ticks > 0 { ticks } else { open.len_utf8() }..)?;
    let end = rest.find(&close)?;
    let (inner, behind) = (rest.get(..end)?.trim(), rest.get(end + close.len()..)?);
    (!inner.is_empty()).then_some((inner, behind))
}

fn is_tail(behind: &str) -> bool {
    let behind = behind.trim_end();
    matches!(behind, "" | "." | "!" | "?" | "。" | "？" | "！")
        || without_tail(behind).trim().is_empty() && !restricts(behind)
}

/// The command whose output a question is about: `what does node --version say`.
pub fn asked_output(question: &str) -> Option<String> {
    static ASKS: LazyLock<Option<Pattern>> = LazyLock::new(|| {
        Pattern::new(r"^(?i:(?:please\s+)?(?:what does|what would|what will|show me what|tell me what)\s+)")
    });
    static SAYS: LazyLock<Option<Pattern>> =
        LazyLock::new(|| Pattern::new(r"(?i:\s+(?:say|says|print|prints|output|outputs|report|reports)\??)$"));
    let start = ASKS.as_ref()?.find(question)?.end();
    let rest = question.get(start..)?;
    let end = SAYS.as_ref()?.find(rest)?.start();
    match read(rest.get(..end)?, &|_| false) {
        Literal::Line(cmd) => Some(cmd),
        Literal::Unclear | Literal::Words => None,
    }
}

/// Removes politeness and "tell me the result" from the end.
pub fn without_tail(text: &str) -> &str {
    let found = PATTERNS.as_ref().and_then(|patterns| patterns.tail.find(text));
    match found {
        Some(found) if !restricts(found.as_str()) && !is_argument(text, found.start()) => {
            text.get(..found.start()).unwrap_or_default().trim_end()
        }
        _ => text,
    }
}

/// Whether apparent politeness belongs to the command: `echo thanks`, `git commit -m please`.
fn is_argument(text: &str, tail: usize) -> bool {
    let (before, behind) = text.split_at_checked(tail).unwrap_or((text, ""));
    let spoken = behind.starts_with([',', '，', '。', '！', '？']);
    let mut words = before.split_whitespace();
    let prints = words.next().is_some_and(|program| PRINTS.contains(&program));
    let last = words.last();
    let thanks = ["thank", "thx"].iter().any(|word| behind.to_lowercase().contains(word));
    // A flag takes one word, not a phrase.
    let phrase = behind.split_whitespace().count() > 1;
    !spoken
        && !phrase
        && (prints && (last.is_none() || thanks)
            || last.is_some_and(|last| last.starts_with('-') && !last.contains('=')))
}

/// Whether the first word is a program and not a word of prose, so that everything after it can only be its arguments.
pub fn names_program(text: &str, is_program: &dyn Fn(&str) -> bool) -> bool {
    let Some(first) = first_word(text) else { return false };
    is_known(&first, is_program) && !word_lists::knows(&first) && !lists().is_word(&first)
}

/// Whether a shell would run it as it is.
pub fn is_whole(line: &str) -> bool {
    line.chars().count() <= MAX_COMMAND
        && !line.contains('\n')
        && line::syntax(line, Dialect::Bash) == Syntax::Whole
        && line::parse(line, Dialect::Bash).commands.iter().any(|command| !command.words.is_empty())
}

fn first_word(text: &str) -> Option<String> {
    let line = line::parse(text, Dialect::Bash);
    line.commands.iter().find_map(|command| command.words.first()).map(|word| word.value.clone())
}

fn is_known(program: &str, is_program: &dyn Fn(&str) -> bool) -> bool {
    command::is_program(program) || is_program(program)
}

fn is_path(word: &str) -> bool {
    ["./", "../", "~/", "/"].iter().any(|start| word.starts_with(start)) && word.len() > 2
}

fn unquoted(text: &str, is_program: &dyn Fn(&str) -> bool) -> Literal {
    let line = line::parse(text, Dialect::Bash);
    let program = first_word(text).filter(|first| is_known(first, is_program) || is_path(first));
    let Some(program) = program else {
        return if restricts(text) { Literal::Unclear } else { Literal::Words };
    };
    let prose = first_prose(&line, is_program);
    let before = text.get(..prose.clone().unwrap_or(text.len()..text.len()).start).unwrap_or_default();
    let before = before.trim_end_matches(|letter: char| letter.is_whitespace() || ",;(，；（".contains(letter));
    match prose {
        Some(_) if restricts(text) || is_command(before, &program) => Literal::Unclear,
        Some(_) => Literal::Words,
        None if !is_command(text, &program) => Literal::Words,
        None if is_whole(text) => Literal::Line(text.to_owned()),
        None => Literal::Unclear,
    }
}

/// Programs that run the one behind them: `time make test`.
const WRAPPERS: &[&str] =
    &["time", "nice", "nohup", "timeout", "env", "sudo", "doas", "strace", "ionice", "caffeinate"];

/// Whether a line runs another command through one of these.
fn wraps(text: &str) -> bool {
    let mut words = text.split_whitespace();
    // The parser takes `time` for a keyword, so it is no word of the command.
    let is_wrapper = words.next().is_some_and(|first| WRAPPERS.contains(&first));
    let mut rest = words.skip_while(|word| word.starts_with('-') || is_value(word));
    is_wrapper && rest.next().is_some_and(|next| command::is_program(next) && next != "up")
}

/// Whether a line whose first word is a program is meant as a command: "run test", "run build" and "run find usages" are words.
fn is_command(text: &str, program: &str) -> bool {
    let bare = text.trim_end_matches(['.', ':', '!']);
    let is_argument = |word: &str| {
        word.starts_with(['/', '~', '-'])
            || word.contains(['\'', '"']) && !word.ends_with("n't")
            || word == "."
            || word.contains("://")
            || word.contains(['|', '&', ';', '<', '>', '$', '*', '[', '{', '=', '`', '\\'])
    };
    let is_place = |word: &str| word.contains('/') && !word_lists::knows(program);
    let starts = text.split_whitespace().next().is_some_and(|first| first.contains('=') || first.starts_with('('));
    let own = text.split_whitespace().nth(1).is_some_and(|second| command::is_subcommand(program, second));
    is_path(program)
        || starts
        || own
        || wraps(text)
        || program == "echo" && text.contains(' ')
        || command::is_typed(bare)
        || text.split_whitespace().skip(1).any(|word| is_argument(word) || is_place(word))
        || !command::is_program(program) && text.split_whitespace().skip(1).all(is_value)
}

/// What can only be an argument, for a program that is on no list.
fn is_value(word: &str) -> bool {
    word.starts_with('-') || word.contains(|letter: char| letter.is_ascii_digit() || "./=:".contains(letter))
}

/// The first word of a line that is prose.
fn first_prose(line: &Line<'_>, is_program: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for command in line.commands.iter().filter(|command| command.inside.is_none()) {
        let name = command.words.first().map_or("", |word| word.value.as_str());
        // After an operator comes another program, or prose: "make; I need it".
        let is_unknown = command.join != line::Join::First && !is_known(name, is_program) && !is_path(name);
        if let Some(word) = command.words.first().filter(|word| is_unknown && command::is_spoken(&word.value)) {
            found.push(word.span.clone());
        }
        if PRINTS.contains(&name) {
            continue;
        }
        let raw = |word: &line::Word| line.text.get(word.span.clone()).unwrap_or_default();
        let words: Vec<&str> = command.words.iter().map(raw).collect();
        for (at, word) in command.words.iter().enumerate().skip(1) {
            let before = words.get(at - 1).copied().unwrap_or_default();
            let rest = words.get(at..).unwrap_or_default();
            if at == 1 && command::is_subcommand(name, &word.value) {
                continue;
            }
            if is_prose(raw(word), before, at, rest) {
                found.push(word.span.clone());
                break;
            }
        }
    }
    let arrow = line.text.find(" -> ").or_else(|| line.text.find(" => ")).or_else(|| line.text.find(" → "));
    found.extend(arrow.map(|at| at..at + 1));
    let bracket = spoken_bracket(line);
    found.extend(bracket);
    found.into_iter().min_by_key(|range| range.start)
}

fn is_prose(word: &str, before: &str, at: usize, rest: &[&str]) -> bool {
    let is_quoted = word.contains(['\'', '"', '$', '`', '\\']) && !word.ends_with("n't");
    if is_quoted || word.starts_with('-') && word.len() > 1 {
        return false;
    }
    if word.contains(['，', '。', '（', '）', '；', '：', '、']) {
        return true;
    }
    if word.chars().any(is_han) {
        return !word.contains(['/', '.', '*']) || RESTRICTS_CHINESE.iter().any(|chinese| word.contains(chinese));
    }
    let plain = word.trim_end_matches([',', '.', '!', '?', ';', ':']).to_lowercase();
    let lower: Vec<String> =
        rest.iter().take(3).map(|word| word.trim_end_matches([',', '.', '!']).to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let restricts = lower.get(..1).is_some_and(|first| first.iter().any(|word| RESTRICTS.contains(word)))
        || RESTRICTING.iter().any(|phrase| lower.starts_with(phrase));
    let is_value = before.starts_with('-') && command::is_time(&plain);
    // `cp in out`: too few words for the link word to be prose.
    // "eslint on src/a.ts" is a sentence all the same.
    let is_spoken_link = matches!(plain.as_str(), "on" | "for" | "with" | "against" | "over" | "using");
    let is_first = at == 1 && rest.len() <= 2 && command::is_link(&plain) && !is_spoken_link;
    word.ends_with(',') && !word.contains('{')
        || restricts && !is_subcommand(&plain, at)
        || command::is_spoken(&plain) && !is_value && !is_first
}

/// `cargo install`, `pip wait`: the word after the program is more often its subcommand.
fn is_subcommand(word: &str, at: usize) -> bool {
    at == 1 && matches!(word, "skip" | "ask" | "confirm" | "exclude" | "wait" | "first")
}

/// Prose in brackets after a command: "rm -r docs (the old ones)".
fn spoken_bracket(line: &Line<'_>) -> Option<Range<usize>> {
    let inner = |at: usize| line.commands.iter().any(|command| command.inside.is_some() && command.span.contains(&at));
    let in_word = |at: usize| {
        line.commands.iter().flat_map(|command| &command.words).any(|word| {
            let raw = line.text.get(word.span.clone()).unwrap_or_default();
            word.span.contains(&at) && word.span.start < at && raw.contains(['\'', '"', '$', '`', '<', '\\', '='])
        })
    };
    let starts = line.text.match_indices(" (").map(|(at, _)| at + 1);
    let behind = |at: &usize| {
        let before = line.text.get(..*at).unwrap_or_default().trim_end();
        !before.is_empty() && !before.ends_with(['|', '&', ';', '(', '=', '!', '<', '>', '$'])
    };
    starts.filter(behind).find(|at| !inner(*at) && !in_word(*at)).map(|at| at..at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(request: &str) -> String {
        let machine = |program: &str| program == "frobnicate";
        match order(request, &machine) {
            Literal::Line(line) => line,
            Literal::Unclear => "unclear".to_owned(),
            Literal::Words => "words".to_owned(),
        }
    }

    #[test]
    fn a_command_is_taken_to_the_byte() {
        let mut wrong = Vec::new();
        let mut check = |request: &str, line: &str| {
            let told = told(request);
            if told != line {
                wrong.push(format!("{request}: {told}"));
            }
        };
        for line in [
            "true",
            "htop",
            "echo hi > out.txt",
            "sort app.log > sorted.txt",
            "wc -l < app.log",
            "echo a; echo b",
            "echo a && echo b",
            "cat app.log | sort | uniq",
            "make test 2>&1 | tee log.txt",
            "tar czf b.tgz src && rm -rf src",
            "rm -rf docs/{old,new}",
            "rm -rf docs/[a-c]*",
            "rm -rf ./src/$(date +%F)",
            "find . -name \"*.c\" -exec wc -l {} +",
            "find . -name '*.c' -exec rm {} \\;",
            "find /",
            "ls .",
            "curl http://h/a/?x=1",
            "curl http://h/a/",
            "rm -rf src/main.c.",
            "rm \"my notes.txt\"",
            "rm my\\ notes.txt",
            "FOO=1 make test",
            "git commit -m 'do not merge, please'",
            "git commit -m \"fix the bug\"",
            "echo hello, world",
            "git log --since yesterday",
            "awk '{print $1}' a.txt",
            "cp in out",
            "grep -rn 'a b' .",
            "npm test -- --watch=false",
            "docker run --rm -it ubuntu bash",
            "(cd web && make)",
            "for f in *.c; do wc -l $f; done",
            "diff <(ls a) <(ls b)",
            "sleep 1 &",
            "./deploy.sh staging",
            "frobnicate 30",
            "rm -rf 测试/",
            "echo $((1 + 2))",
        ] {
            for frame in
                ["run ", "please run ", "execute ", "run the command: ", "跑一下 ", "帮我运行 ", "Can you run "]
            {
                check(&format!("{frame}{line}"), line);
            }
            check(&format!("run {line} please"), line);
            if !line.contains('`') {
                check(&format!("run `{line}`"), line);
                check(&format!("run `{line}` and tell me what it prints."), line);
                check(&format!("运行 `{line}`，谢谢。"), line);
            }
        }
        for (request, line) in [
            ("run \"make test\"", "make test"),
            ("run 'git clean -fd'", "git clean -fd"),
            ("run ``echo `date` ``", "echo `date`"),
            ("Please run npm test.", "npm test"),
            ("could you run make test?", "make test"),
            ("跑一下 make test 吧", "make test"),
            ("运行 make clean。", "make clean"),
            ("run make test and tell me what fails", "make test"),
            ("run echo thanks", "echo thanks"),
            ("run echo so many thanks", "echo so many thanks"),
            ("run docker ps", "docker ps"),
            ("run git show", "git show"),
            ("run kubectl get pods", "kubectl get pods"),
            ("run npm ls", "npm ls"),
            ("run echo done!", "echo done!"),
            ("run make CFLAGS=", "make CFLAGS="),
            ("run `rm -f *.tmp but not x`", "rm -f *.tmp but not x"),
        ] {
            check(request, line);
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn what_has_words_of_a_sentence_is_not_guessed() {
        let mut wrong = Vec::new();
        for request in [
            "run git clean -fd, dry run",
            "run rm -r docs (the old ones)",
            "run rm -f *.tmp except old.tmp",
            "run rm -rf src/old, but not src/new",
            "run git branch -D old-stuff, not main",
            "run rm -rf src, no wait, docs",
            "run make clean only if the tests pass",
            "run rm app.log but ask me first",
            "run `rm app.log` but ask me first",
            "run `make deploy` only on staging",
            "run make test in the web folder",
            "run rm -rf build unless it is tracked",
            "run rm *.log without touching app.log",
            "run npm test, then fix it",
            "run make deploy after the tests",
            "run make deploy and tell me before you do",
            "run the tests but not e2e",
            "run all tests except the slow ones",
            "run rm x; don't touch y",
            "run rm \"my notes.txt",
            "run echo `date",
            "run make test -> it fails",
            "run make\nbut not on main",
            "运行 rm -rf build，但是不要动 src",
            "运行 rm *.tmp 除了 old.tmp",
            "如果测试通过就跑",
            "跑一下测试，但不要跑 e2e",
            "跑一下 make deploy 之前先问我",
        ] {
            let told = told(request);
            if told != "unclear" && !(told == "words" && rest(request).is_none()) {
                wrong.push(format!("{request}: {told}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn words_are_no_line() {
        for request in [
            "run the tests",
            "run tests",
            "run test",
            "run build",
            "run the deploy script",
            "run it again",
            "run the tests once more",
            "run make the login button blue",
            "run find usages of it",
            "跑一下测试",
            "make test",
            "",
            "run",
        ] {
            assert_eq!(told(request), "words", "{request}");
        }
    }

    #[test]
    fn wrappers_and_questions_for_an_output_are_commands() {
        let is_line =
            |text: &str, line: &str| assert_eq!(order(text, &|_| false), Literal::Line(line.to_owned()), "{text}");
        is_line("run time make test", "time make test");
        is_line("run timeout 30 make test", "timeout 30 make test");
        is_line("please run git diff --stat for me", "git diff --stat");
        assert_eq!(asked_output("what does node --version say?").as_deref(), Some("node --version"));
        assert_eq!(asked_output("what does git log --oneline -3 print").as_deref(), Some("git log --oneline -3"));
        assert_eq!(asked_output("what does the parser print"), None);
        assert_eq!(order("run eslint on src/auth.ts", &|_| false), Literal::Unclear);
        is_line("run cp in out", "cp in out");
    }
}
