//! Adversarial tests: random words, texts made to break out of quotes, characters that a terminal would interpret. For
//! every query, each answer is one complete line, and a quoted text stays one word.

use aside_text as text;
use shell_line::{self as line, Dialect, Word};

use crate::ToolFlavor;
use crate::embedded::BOOK;
use crate::embedded::fake::Fake;

/// Number of queries; `ASIDE_WISHES` raises it.
const WISHES: usize = 600;

/// A program that no rule has: if an answer runs it, a text escaped its quotes.
const INTRUDER: &str = "zqxrun";

/// Texts that try to break out of their quotes. Each is put into a kind of quotes that it does not contain itself.
const TEXTS: &[&str] = &[
    "'; zqxrun; '",
    "\"; zqxrun; \"",
    "$(zqxrun)",
    "`zqxrun`",
    "a && zqxrun",
    "a | zqxrun",
    "a\\'; zqxrun; '",
    "\\'; zqxrun #",
    "\\\\'; zqxrun; '\\",
    "x' || zqxrun || 'y",
    "> zqxrun",
    "; zqxrun &",
    "(zqxrun)",
    "/e; zqxrun; /",
    "/; w zqxrun",
    "$'\\'; zqxrun; '",
    "${x:-$(zqxrun)}",
    "{zqxrun,b}",
    "!zqxrun",
    "-zqxrun",
    "--exec=zqxrun",
    "~zqxrun",
    "*zqxrun*",
    "zqxrun\\",
    "[zqxrun",
    "<path> zqxrun",
    "{?<word> zqxrun}",
    "<parts> zqxrun",
    "%s zqxrun %n",
    "\" + system(\"zqxrun\") + \"",
    "a\u{202e}zqxrun",
    "zqxrun\u{7}",
    "zqxrun 😀",
    "sudo zqxrun",
];

/// Odd tokens to put between words.
const ODD: &[&str] = &[
    "<path>",
    "{?x}",
    "<parts>",
    "<word:any>",
    "{",
    "}",
    "<",
    ">",
    "|",
    ";",
    "&",
    "&&",
    "$(",
    ")",
    "`",
    "'",
    "\"",
    "\\",
    "*.log;zqxrun",
    "*$(zqxrun)",
    "*.`zqxrun`",
    "$(zqxrun)",
    ";zqxrun;",
    "a.txt;zqxrun",
    "x|zqxrun",
    "~",
    "..",
    "../..",
    "/",
    "/etc/passwd",
    "a.txt",
    "docs",
    "src/",
    "*.log",
    "*",
    "?",
    "[a-z]",
    "$HOME",
    "$",
    "#",
    "!",
    "!!",
    "%",
    "=",
    "-rf",
    "--help",
    "100mb",
    "7 days",
    "0",
    "18446744073709551616",
    "99999999999999999999999",
    "-1",
    "3.5",
    "1.2.3.4",
    "::1",
    "10.0.0.0/8",
    ":8080",
    "port 3000",
    "localhost:99999",
    "example.com",
    "http://x.org/a?b=c&d='e'",
    "git@h:a/b.git",
    "a@b.co",
    "755",
    "+x",
    "HEAD~3",
    "a1b2c3d",
    "main",
    "\u{200f}",
    "\u{1b}[31m",
    "\u{0}",
    "\u{7f}",
    "é",
    "ß",
    "日志",
    "文件",
    "删除",
    "大于",
    "😀",
    "👩‍👩‍👧",
    "ａｂｃ",
    "“",
    "”",
    "「",
    "」",
    "{\"a\": 1}",
    "{\"",
    "2024-02-30",
    "24h",
    "yesterday",
    "line 5",
    "first 0",
    "last",
];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.roll(of.len())]
    }
}

/// A random query, sometimes with a hostile text in it.
fn query(dice: &mut Dice, lexicon: &[&str], hits: &[&str]) -> String {
    let quoted = |text: &str| match text {
        text if !text.contains('"') => format!("\"{text}\""),
        text if !text.contains('`') => format!("`{text}`"),
        text => format!("“{text}”"),
    };
    // Half of them begin like real queries, so that rules are reached.
    let mut words: Vec<String> = match dice.roll(2) {
        0 => dice.pick(hits).split(' ').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    for _ in 0..dice.roll(9) {
        let at = dice.roll(words.len() + 1);
        let word = match dice.roll(12) {
            0..=5 => dice.pick(lexicon).to_owned(),
            6 | 7 => dice.pick(ODD).to_owned(),
            8..=10 => quoted(dice.pick(TEXTS)),
            _ => "x".repeat(1 + dice.roll(400)),
        };
        words.insert(at, word);
    }
    // Puts the hostile text in the place of a named thing.
    if dice.roll(2) == 0 && !words.is_empty() {
        let at = dice.roll(words.len());
        words[at] = quoted(dice.pick(TEXTS));
    }
    words.join(" ")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "soak runs set the number of queries")]
fn whatever_is_asked_the_answer_is_one_whole_line() {
    let queries = std::env::var("ASIDE_WISHES").ok().and_then(|text| text.parse().ok()).unwrap_or(WISHES);
    let book = &*BOOK;
    let lexicon = book.lexicon.all();
    let hits: Vec<&str> = book
        .rules
        .iter()
        .flat_map(|rule| &rule.body(&book.lexicon).hits)
        .map(|hit| hit.split("=>").next().unwrap_or(hit).trim())
        .collect();
    let mut dice = Dice(0x5eed);
    for number in 0..queries {
        let words = query(&mut dice, &lexicon, &hits);
        let dialect = [Dialect::Zsh, Dialect::Bash, Dialect::Fish][number % 3];
        let system = [ToolFlavor::Gnu, ToolFlavor::Bsd, ToolFlavor::Busybox][number / 3 % 3];
        let machine = Fake { dialect, system, ..Fake::default() };
        for answer in machine.answers(&words) {
            let wrong = wrong_with(&answer.command, dialect);
            assert_eq!(
                wrong, None,
                "query {number} {dialect:?}: {words:?}\n  gives {}\n  {}",
                answer.command, answer.about
            );
        }
    }
}

fn wrong_with(command: &str, dialect: Dialect) -> Option<String> {
    let line = line::parse(command, dialect);
    if line.open.is_some() {
        return Some(format!("is not whole: {:?}", line.open));
    }
    if command.trim().is_empty() || command.contains(['\n', '\r', '\t']) || !text::is_clean(command) {
        return Some("is not one clean line".to_owned());
    }
    let is_intruder = |word: &Word| word.value.trim_start_matches(['!', '~', '*', '-']) == INTRUDER;
    for command in &line.commands {
        if command.words.first().is_some_and(is_intruder) || command.assignments.iter().any(|one| one.name == INTRUDER)
        {
            return Some("runs a text".to_owned());
        }
        if command.redirections.iter().filter_map(|one| one.target.as_ref()).any(|word| word.value == INTRUDER) {
            return Some("writes where a text says".to_owned());
        }
        // A text that is expanded would be more than a text.
        let expands = |word: &&Word| !word.fixed && word.value.contains(INTRUDER) && word.value.contains(['$', '`']);
        if let Some(word) = command.words.iter().find(expands) {
            return Some(format!("expands a text: {}", word.value));
        }
    }
    None
}

#[test]
fn a_text_made_to_break_out_would_be_seen() {
    for (command, dialect) in [
        ("grep ''; zqxrun; '' a", Dialect::Zsh),
        ("echo \"$(zqxrun)\"", Dialect::Bash),
        ("echo '\\'\\''; zqxrun; '\\''", Dialect::Fish),
        ("echo 'a", Dialect::Zsh),
        ("echo a > zqxrun", Dialect::Zsh),
        ("echo a\nb", Dialect::Zsh),
    ] {
        assert!(wrong_with(command, dialect).is_some(), "{command}");
    }
    assert_eq!(wrong_with("grep '; zqxrun; ' a.txt", Dialect::Zsh), None);
}

#[test]
fn what_is_forbidden_is_answered_with_nothing() {
    let machine = Fake::default();
    let mut wrong = Vec::new();
    for words in [
        "don't delete app.log",
        "do not overwrite app.log",
        "never rename app.log",
        "rather not delete app.log",
        "let's not remove app.log",
        "I would never delete app.log",
        "please do not delete app.log",
        "please don't move app.log",
        "不要删除 app.log",
        "要不要删掉 app.log",
        "别清空 app.log",
        "请不要移动 app.log",
        "先别删除 app.log",
        "what was stopped last night",
    ] {
        let best = machine.best(words);
        if best.contains("grep -v") || best.contains("night") {
            wrong.push(format!("{words}: {best}"));
        }
    }
    for (words, part) in [
        ("don't just list, delete old.tmp", "grep"),
        ("overwrite app.log with an empty file", "test -s"),
        ("connect to postgres with password zzS3cr83x", "zzS3cr83x"),
        ("connect to mysql as root with the password hunter2hunter", "hunter2hunter"),
        ("log in to the registry, my token is ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_"),
        ("用密码 zzS3cr83x 连接 postgres", "zzS3cr83x"),
        ("stop", "top"),
    ] {
        let best = machine.best(words);
        if best.contains(part) {
            wrong.push(format!("{words}: {best}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
