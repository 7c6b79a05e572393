//! The cases of the corpus: a command, how it ended, and the expected next command. `crates/aside/eval/suggest/README.md` describes
//! the format.

pub struct Case {
    pub name: &'static str,
    pub source: Source,
    pub shell: &'static str,
    pub line: &'static str,
    pub exit: i32,
    pub output: Option<String>,
    /// Any of these is right; `-` is no suggestion.
    pub want: Vec<&'static str>,
    pub has: Vec<&'static str>,
    pub lacks: Vec<&'static str>,
    /// The session's earlier commands, with their output.
    pub before: Vec<(&'static str, &'static str)>,
    /// The count everywhere, the count in this directory, and the command.
    pub next: Vec<(u32, u32, &'static str)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Ran,
    ByHand,
}

pub struct Half {
    pub name: &'static str,
    pub cases: Vec<Case>,
}

/// The half for development.
pub fn dev() -> Half {
    Half { name: "dev", cases: read(include_str!("../../../aside/eval/suggest/dev.txt")) }
}

/// The held-out half: only its figures are looked at.
pub fn held() -> Half {
    Half { name: "held", cases: read(include_str!("../../../aside/eval/suggest/held.txt")) }
}

/// Cases that are not committed, such as those derived from public data.
pub fn foreign(path: &str) -> Half {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("could not read {path}: {error}"));
    Half { name: "own", cases: read(text.leak()) }
}

fn read(text: &'static str) -> Vec<Case> {
    let blocks = text.split("\n## ").skip(1);
    blocks.map(|block| case(block).unwrap_or_else(|| panic!("not a case of the corpus: {block}"))).collect()
}

fn case(block: &'static str) -> Option<Case> {
    let (name, rows) = block.split_once('\n')?;
    let rows: Vec<(&str, &str)> = rows.lines().map(|row| row.split_once(' ').unwrap_or((row, ""))).collect();
    let all = |word: &str| rows.iter().filter(|(key, _)| *key == word).map(|(_, rest)| *rest).collect::<Vec<_>>();
    let one = |word: &str| all(word).first().copied();
    let source = match one("by")? {
        "ran" => Source::Ran,
        "hand" => Source::ByHand,
        _ => return None,
    };
    let out = all("out");
    let printed = all("beforeout");
    let earlier = all("before").into_iter().enumerate();
    let next = all("next").into_iter().map(|row| {
        let mut words = row.splitn(3, ' ');
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?))
    });
    Some(Case {
        name,
        source,
        shell: one("shell").unwrap_or("bash"),
        line: one("line")?,
        exit: one("exit")?.parse().ok()?,
        output: (!out.is_empty()).then(|| out.join("\n")),
        want: [all("want"), all("also")].concat(),
        has: all("has").into_iter().map(|fact| fact.trim_start_matches('+')).collect(),
        lacks: all("lacks"),
        before: earlier.map(|(at, command)| (command, printed.get(at).copied().unwrap_or_default())).collect(),
        next: next.collect::<Option<_>>()?,
    })
}
