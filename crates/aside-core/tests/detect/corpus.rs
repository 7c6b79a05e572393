//! The rows of the corpus: lines as typed, and their outcome. `crates/aside/eval/detect/README.md` describes the format.

/// A line as a user typed it.
#[derive(Debug)]
pub struct Case {
    pub kind: Kind,
    pub shell: &'static str,
    /// Below the home.
    pub folder: &'static str,
    pub exit: i32,
    /// What the shell finds under the first word, in the protocol's terms.
    pub first: &'static str,
    pub reading: Reading,
    pub line: String,
    pub output: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command that succeeds.
    Valid,
    /// A command that fails.
    Failing,
    /// Meant as a command, but not one: a typo, a tool that is not installed, another shell's syntax.
    Mistyped,
    Sentence,
}

/// How the shell parses a line when Enter is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    Read,
    /// It is incomplete, and the shell keeps waiting for more.
    Open,
    Unreadable,
}

/// A part of the corpus.
pub struct Half {
    pub name: &'static str,
    pub cases: Vec<Case>,
}

/// The half for development.
pub fn dev() -> Half {
    Half { name: "dev", cases: read(include_str!("../../../aside/eval/detect/dev.txt")) }
}

/// Written while the rules were developed, and learnt from as well.
pub fn more() -> Half {
    Half { name: "more", cases: read(include_str!("../../../aside/eval/detect/more.txt")) }
}

/// The held-out half: only its figures are looked at.
pub fn held() -> Half {
    Half { name: "held", cases: read(include_str!("../../../aside/eval/detect/held.txt")) }
}

fn read(text: &'static str) -> Vec<Case> {
    let rows = text.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| case(row).unwrap_or_else(|| panic!("not a row of the corpus: {row}"))).collect()
}

fn case(row: &'static str) -> Option<Case> {
    let fields: Vec<&str> = row.split('\t').collect();
    let [kind, shell, folder, exit, first, reading, source, line, output] = fields.try_into().ok()?;
    let kind = match kind {
        "valid" => Kind::Valid,
        "failing" => Kind::Failing,
        "mistyped" => Kind::Mistyped,
        "sentence" => Kind::Sentence,
        _ => return None,
    };
    let reading = match reading {
        "read" => Reading::Read,
        "open" => Reading::Open,
        "unreadable" => Reading::Unreadable,
        _ => return None,
    };
    let known = matches!(source, "ran" | "by hand") && matches!(shell, "zsh" | "bash" | "fish");
    let exit = exit.parse().ok().filter(|_| known)?;
    Some(Case { kind, shell, folder, exit, first, reading, line: unescape(line), output: unescape(output) })
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, character == '\\') {
            (_, false) => plain.push(character),
            (_, true) => match characters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('\\') => plain.push('\\'),
                other => panic!("no escape of the corpus: \\{other:?} in {text}"),
            },
        }
    }
    plain
}
