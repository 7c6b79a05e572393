//! Splits an answer into its pieces: words, unified diffs, patches, search and replace blocks, and other fences. Does not interpret them.

/// Pieces of one answer; the rest is ignored.
const MAX_PIECES: usize = 4000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerPart {
    /// As written, with fences.
    pub raw: String,
    pub what: AnswerPartKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerPartKind {
    /// A line of words.
    Words,
    /// Without its fence. `bare` when there is none.
    Diff {
        text: String,
        bare: bool,
    },
    /// Begins with `*** Begin Patch`.
    Patch(String),
    /// Consecutive blocks, with the info string of the fence around them.
    Blocks {
        info: String,
        blocks: Vec<Block>,
    },
    Fence {
        info: String,
        lines: Vec<String>,
        closed: bool,
    },
}

/// Lines to find, and their replacement.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Block {
    /// The line above it in its fence, and the text after its first marker: either may have a name.
    pub above: String,
    pub behind: String,
    pub old: Vec<String>,
    pub new: Vec<String>,
    /// Why it is unusable, phrased as the end of a sentence.
    pub broken: Option<&'static str>,
}

pub fn pieces(answer: &str) -> Vec<AnswerPart> {
    let lines: Vec<&str> = answer.split_inclusive('\n').collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < lines.len() && pieces.len() < MAX_PIECES {
        let rest = lines.get(at..).unwrap_or_default();
        let (length, what) = piece(rest);
        let raw = rest.get(..length).unwrap_or_default().concat();
        pieces.push(AnswerPart { raw, what });
        at += length.max(1);
    }
    pieces
}

fn piece(rest: &[&str]) -> (usize, AnswerPartKind) {
    let first = rest.first().copied().unwrap_or_default();
    if let Some(fence) = Fence::opens(first) {
        return fence.read(rest);
    }
    if opens_block(first).is_some() {
        let (block, length) = block(rest, 0, &|_| false);
        return (length, AnswerPartKind::Blocks { info: String::new(), blocks: vec![block] });
    }
    if first.trim_end() == "*** Begin Patch" {
        let end = rest.iter().position(|line| line.trim_end() == "*** End Patch").map_or(rest.len(), |end| end + 1);
        return (end, AnswerPartKind::Patch(rest.get(..end).unwrap_or_default().concat()));
    }
    if begins_diff(rest) {
        // An unfenced diff has no end marker; its parser skips trailing text.
        let ends = |line: &&str| Fence::opens(line).is_some() || opens_block(line).is_some();
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        return (
            length.max(1),
            AnswerPartKind::Diff { text: rest.get(..length).unwrap_or_default().concat(), bare: true },
        );
    }
    (1, AnswerPartKind::Words)
}

/// The line that opens a fence.
pub struct Fence {
    mark: String,
    indent: usize,
    /// The info string.
    pub info: String,
}

impl Fence {
    pub fn opens(line: &str) -> Option<Self> {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let line = line.trim();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        let mark = mark.to_string().repeat(length);
        (length >= 3 && !info.contains(&mark))
            .then(|| Self { mark, indent, info: info.trim().to_owned() })
            .filter(|fence| !fence.info.contains('`'))
    }

    /// A line of a diff begins with a blank, + or -, so a fence inside the changed file closes nothing.
    pub fn closes(&self, line: &str) -> bool {
        let line = self.dedented(line).trim_end();
        line.starts_with(&self.mark) && line.trim_matches(['`', '~']).is_empty()
    }

    /// Without the fence's own indentation.
    fn dedented<'a>(&self, line: &'a str) -> &'a str {
        let blanks = line.bytes().take(self.indent).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        line.get(blanks..).unwrap_or(line)
    }

    /// The whole fence, and its number of lines.
    fn read(&self, rest: &[&str]) -> (usize, AnswerPartKind) {
        let inside = rest.get(1..).unwrap_or_default();
        let blocks = self.blocks(inside);
        if let Some((length, blocks)) = blocks {
            return ((length + 2).min(rest.len()), AnswerPartKind::Blocks { info: self.info.clone(), blocks });
        }
        let length = self.length(inside);
        let body = inside.get(..length).unwrap_or_default();
        let closed = length < inside.len();
        let lines: Vec<String> = body.iter().map(|line| self.dedented(line).to_owned()).collect();
        let text = lines.concat();
        let views: Vec<&str> = lines.iter().map(String::as_str).collect();
        let behind = (length + 2).min(rest.len());
        let what = if views.iter().any(|line| line.trim_end() == "*** Begin Patch") {
            AnswerPartKind::Patch(text)
        } else if is_diff(&self.info.to_lowercase(), &views) {
            AnswerPartKind::Diff { text, bare: false }
        } else {
            let lines = views.iter().map(|line| line.trim_end_matches(['\n', '\r']).to_owned()).collect();
            AnswerPartKind::Fence { info: self.info.clone(), lines, closed }
        };
        (behind, what)
    }

    /// Number of lines up to the closing one. In Markdown, a fence with a language opens a nested one.
    fn length(&self, inside: &[&str]) -> usize {
        let close = |line: &&str| self.closes(line);
        let first = inside.iter().position(close).unwrap_or(inside.len());
        let language = self.info.split_whitespace().next().unwrap_or_default().to_lowercase();
        let markdown =
            ["md", "markdown", "mdx"].contains(&language.as_str()) || self.info.to_lowercase().contains(".md");
        if !markdown {
            return first;
        }
        let mut deep = false;
        for (at, line) in inside.iter().enumerate() {
            match (deep, self.closes(line), Fence::opens(line)) {
                (true, true, _) => deep = false,
                (false, true, _) => return at,
                (false, false, Some(fence)) if !fence.info.is_empty() => deep = true,
                _ => {}
            }
        }
        first
    }

    /// The blocks in the fence, and its number of lines; `None` when it has no blocks.
    fn blocks(&self, inside: &[&str]) -> Option<(usize, Vec<Block>)> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut above = String::new();
        let mut at = 0;
        while let Some(line) = inside.get(at) {
            if opens_block(line).is_some() {
                let rest = inside.get(at..).unwrap_or_default();
                let (mut block, length) = block(rest, self.indent, &|line| self.closes(line));
                block.above = std::mem::take(&mut above);
                blocks.push(block);
                at += length.max(1);
            } else if self.closes(line) {
                break;
            } else {
                if !line.trim().is_empty() {
                    above = line.trim().to_owned();
                }
                at += 1;
            }
        }
        (!blocks.is_empty()).then_some((at, blocks))
    }
}

/// Parses a block from its first marker, and returns its number of lines. `ends` tells lines that end it early.
fn block(rest: &[&str], indent: usize, ends: &dyn Fn(&str) -> bool) -> (Block, usize) {
    let first = rest.first().copied().unwrap_or_default();
    let own = first.len() - first.trim_start_matches([' ', '\t']).len();
    let indent = own.max(indent);
    let behind = opens_block(first).unwrap_or_default();
    let body = rest.get(1..).unwrap_or_default();
    let stop = body.iter().position(|line| closes_block(line) || opens_block(line).is_some());
    let Some(end) = stop.filter(|stop| body.get(*stop).is_some_and(|line| closes_block(line))) else {
        // The next block begins or the fence ends before this one is complete.
        let fence = body.iter().take(stop.unwrap_or(body.len())).position(|line| ends(line));
        let broken = Some("has no line >>>>>>> REPLACE at its end");
        return (Block { behind, broken, ..Block::default() }, fence.or(stop).unwrap_or(body.len()) + 1);
    };
    let lines = body.get(..end).unwrap_or_default();
    let signs = first.trim().bytes().take_while(|byte| *byte == b'<').count();
    let divides = |line: &&str| {
        let line = line.trim();
        (line.len() >= 3 && line.bytes().all(|byte| byte == b'=')).then_some(line.len())
    };
    let all: Vec<(usize, usize)> =
        lines.iter().enumerate().filter_map(|(at, line)| divides(line).map(|signs| (at, signs))).collect();
    let exact: Vec<usize> = all.iter().filter(|(_, count)| *count == signs).map(|(at, _)| *at).collect();
    let (middle, broken) = match (exact.as_slice(), all.as_slice()) {
        ([middle], _) | ([], [(middle, _)]) => (*middle, None),
        ([], []) => (lines.len(), Some("has no line ======= between what is searched and what it becomes")),
        _ => (lines.len(), Some("has several lines of =; make it smaller, so that ======= stands in it once")),
    };
    let plain = |lines: &[&str]| -> Vec<String> {
        let dedent = |line: &str| {
            let blanks = line.bytes().take(indent).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            line.get(blanks..).unwrap_or(line).trim_end_matches(['\n', '\r']).to_owned()
        };
        lines.iter().map(|line| dedent(line)).collect()
    };
    let (old, new) = lines.split_at(middle.min(lines.len()));
    let new = new.get(1..).unwrap_or_default();
    let block = Block { above: String::new(), behind, old: unfenced(plain(old)), new: unfenced(plain(new)), broken };
    (block, end + 2)
}

/// Some models put each half into a fence of its own.
fn unfenced(lines: Vec<String>) -> Vec<String> {
    match lines.as_slice() {
        [first, inside @ .., last] => match Fence::opens(first) {
            Some(fence) if fence.closes(last) && !inside.iter().any(|line| fence.closes(line)) => inside.to_vec(),
            Some(_) | None => lines,
        },
        [] | [_] => lines,
    }
}

/// `<<<<<<< SEARCH`, and the text after it.
fn opens_block(line: &str) -> Option<String> {
    let line = line.trim();
    let rest = line.trim_start_matches('<');
    let signs = line.len() - rest.len();
    let rest = rest.trim();
    let word = rest.split([' ', ':', '`']).next().unwrap_or_default();
    let behind = rest.get(word.len()..).unwrap_or_default();
    let meant = match word.to_ascii_uppercase().as_str() {
        "SEARCH" => signs >= 3,
        // Not HEAD, which is how git marks a conflict.
        "ORIGINAL" | "OLD" | "FIND" | "BEFORE" => signs >= 5,
        _ => false,
    };
    meant.then(|| behind.trim_matches([' ', ':', '`', '>']).to_owned())
}

fn closes_block(line: &str) -> bool {
    let line = line.trim();
    let rest = line.trim_start_matches('>');
    let signs = line.len() - rest.len();
    let word = rest.trim().split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
    match word.as_str() {
        "REPLACE" => signs >= 3,
        "" | "UPDATED" | "NEW" | "AFTER" | "END" => signs >= 5,
        _ => false,
    }
}

fn is_diff(info: &str, block: &[&str]) -> bool {
    let language = info.split_whitespace().next().unwrap_or_default();
    let told = ["diff", "patch", "udiff", "git-diff"].contains(&language);
    told || (0..block.len()).any(|at| block.get(at..).is_some_and(begins_diff))
}

fn begins_diff(lines: &[&str]) -> bool {
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    line(0).starts_with("diff --git ") || line(0).starts_with("--- ") && line(1).starts_with("+++ ")
}
