//! Finds where in a file the hunks of a patch belong. Tries the named line; then any other; then lines that differ only in line ends or
//! trailing blanks; then up to two lines of context less at each end, as patch(1) does. Refuses an ambiguous place, unless it is the very
//! line that the patch names.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use crate::diff::{DiffLine, Hunk, LineKind, quoted};

/// Lines of context that may be wrong, at each end.
const MAX_FUZZ: usize = 2;

/// Lines of a hunk that are compared to explain why it fits nowhere.
const MAX_EXPLAINED: usize = 200;

/// Places that are considered, and reported.
const MAX_PLACES: usize = 1000;
const MAX_TOLD: usize = 4;

/// Lines of a file to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The first line, from 0.
    pub at: usize,
    pub removed: usize,
    /// Whole lines, with their line ends.
    pub added: Vec<Vec<u8>>,
}

/// A hunk that cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnplacedHunk {
    pub hunk: usize,
    pub why: UnplacedReason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnplacedReason {
    /// The first differing line at the most similar place, from 1. `found` is `None` at the end of the file.
    Nowhere { line: usize, expected: String, found: Option<String> },
    /// The file already has what the hunk would produce.
    Already { line: usize },
    /// It fits at each of these lines.
    Several { lines: Vec<usize> },
    /// Another hunk changes the same lines.
    Overlaps,
    /// It only adds lines and has no context.
    NoContext,
}

pub fn apply(text: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, UnplacedHunk> {
    Ok(spliced(&lines(text), &locate(text, hunks)?))
}

/// The lines of a text, with their line ends.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The splices that the hunks make, in the order of the file, without those that change nothing.
pub fn locate(text: &[u8], hunks: &[Hunk]) -> Result<Vec<Splice>, UnplacedHunk> {
    let lines = lines(text);
    let file = File::new(&lines);
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut splices: Vec<Splice> = Vec::new();
    let mut drift = 0;
    for hunk in hunks {
        let found = find(&file, hunk, drift, &taken).map_err(|why| UnplacedHunk { hunk: hunk.number, why })?;
        if let Some(start) = hunk.start {
            drift = signed(found.at) - signed(found.head) - signed(start.saturating_sub(1));
        }
        taken.push(found.core(hunk));
        splices.extend(found.splices(&lines, hunk));
    }
    splices.sort_by_key(|splice| splice.at);
    // A splice that only adds a missing newline may touch a line that another hunk removes.
    if splices.windows(2).any(|pair| matches!(pair, [one, next] if one.at + one.removed > next.at)) {
        let hunk = hunks.last().map_or(0, |hunk| hunk.number);
        return Err(UnplacedHunk { hunk, why: UnplacedReason::Overlaps });
    }
    let mut splices = merged(splices);
    splices.retain_mut(|splice| splice.shrink(&lines));
    Ok(splices)
}

/// Joins adjacent splices, so that reading the rendered diff again gives the same splices.
fn merged(splices: Vec<Splice>) -> Vec<Splice> {
    let mut all: Vec<Splice> = Vec::new();
    for splice in splices {
        match all.last_mut() {
            Some(last) if last.at + last.removed == splice.at => {
                last.removed += splice.removed;
                last.added.extend(splice.added);
            }
            _ => all.push(splice),
        }
    }
    all
}

pub fn spliced(lines: &[&[u8]], splices: &[Splice]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for splice in splices {
        out.extend(lines.get(at..splice.at).unwrap_or_default().concat());
        out.extend(splice.added.concat());
        at = splice.at + splice.removed;
    }
    out.extend(lines.get(at..).unwrap_or_default().concat());
    out
}

impl Splice {
    /// Drops unchanged lines at both ends. Returns whether anything is left.
    fn shrink(&mut self, lines: &[&[u8]]) -> bool {
        let same = |line: usize, added: Option<&Vec<u8>>| {
            added.is_some_and(|added| lines.get(line).is_some_and(|line| *line == added.as_slice()))
        };
        while self.removed > 0 && same(self.at + self.removed - 1, self.added.last()) {
            self.added.pop();
            self.removed -= 1;
        }
        let alike = (0..self.removed).take_while(|ahead| same(self.at + ahead, self.added.get(*ahead))).count();
        self.added.drain(..alike);
        self.at += alike;
        self.removed -= alike;
        self.removed > 0 || !self.added.is_empty()
    }
}

/// How strictly two lines are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alike {
    Exactly,
    /// Ignores CR, and a missing newline at the end of the file.
    Ends,
    /// Also ignores trailing blanks.
    Blanks,
}

const WAYS: [Alike; 3] = [Alike::Exactly, Alike::Ends, Alike::Blanks];

impl Alike {
    fn key(self, line: &[u8]) -> &[u8] {
        match self {
            Alike::Exactly => line,
            Alike::Ends => without_end(line),
            Alike::Blanks => line.trim_ascii_end(),
        }
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A file with interned lines, so that a comparison is cheap: equal lines have equal numbers.
struct File<'a> {
    ways: [Way<'a>; 3],
    length: usize,
}

struct Way<'a> {
    numbers: HashMap<&'a [u8], u32>,
    lines: Vec<u32>,
}

impl<'a> File<'a> {
    fn new(lines: &[&'a [u8]]) -> Self {
        let way = |alike: Alike| {
            let mut numbers = HashMap::new();
            let mut next = 0;
            let mut number = |line: &'a [u8]| {
                *numbers.entry(alike.key(line)).or_insert_with(|| {
                    next += 1;
                    next
                })
            };
            let lines = lines.iter().map(|line| number(line)).collect();
            Way { numbers, lines }
        };
        Self { ways: WAYS.map(way), length: lines.len() }
    }

    /// The places where these lines occur: the first ones, and the named one.
    fn places(&self, lines: &[&DiffLine], way: usize, alike: Alike, named: Option<usize>) -> Vec<usize> {
        let Some(way) = self.ways.get(way) else { return Vec::new() };
        let wanted: Option<Vec<u32>> =
            lines.iter().map(|line| way.numbers.get(alike.key(&line.bytes)).copied()).collect();
        wanted.map(|wanted| occurrences(&way.lines, &wanted, named)).unwrap_or_default()
    }
}

/// Knuth-Morris-Pratt search: a file of a hundred thousand empty lines takes no longer than another.
fn occurrences(all: &[u32], wanted: &[u32], named: Option<usize>) -> Vec<usize> {
    let mut falls = vec![0];
    let mut length = 0;
    for number in wanted.iter().skip(1) {
        length = step(wanted, &falls, length, *number);
        falls.push(length);
    }
    let mut found = Vec::new();
    let mut length = 0;
    for (at, number) in all.iter().enumerate() {
        if length == wanted.len() {
            length = falls.get(length.saturating_sub(1)).copied().unwrap_or(0);
        }
        length = step(wanted, &falls, length, *number);
        if length == wanted.len() && length > 0 {
            let place = at + 1 - length;
            if found.len() < MAX_PLACES || named == Some(place) {
                found.push(place);
            } else if named.is_none_or(|named| named < place) {
                break;
            }
        }
    }
    found
}

fn step(wanted: &[u32], falls: &[usize], mut length: usize, number: u32) -> usize {
    while length > 0 && wanted.get(length) != Some(&number) {
        length = falls.get(length - 1).copied().unwrap_or(0);
    }
    if wanted.get(length) == Some(&number) { length + 1 } else { length }
}

/// Where a hunk was found, and how much of it.
struct Found {
    /// The line of the file where the compared part begins.
    at: usize,
    /// Lines of context at the hunk's ends that were not compared.
    head: usize,
    tail: usize,
    alike: Alike,
}

fn find(file: &File<'_>, hunk: &Hunk, drift: i64, taken: &[Range<usize>]) -> Result<Found, UnplacedReason> {
    let old: Vec<&DiffLine> = hunk.old_lines().collect();
    if old.is_empty() {
        let found = Found { at: 0, head: 0, tail: 0, alike: Alike::Exactly };
        return if file.length == 0 && taken.is_empty() { Ok(found) } else { Err(UnplacedReason::NoContext) };
    }
    let leading = hunk.lines.iter().take_while(|line| line.kind == LineKind::Context).count();
    let trailing = hunk.lines.iter().rev().take_while(|line| line.kind == LineKind::Context).count();
    let expected = hunk.start.map(|start| signed(start.saturating_sub(1)) + drift);
    let mut collided = false;
    let mut last = None;
    for fuzz in 0..=MAX_FUZZ {
        // Drops from the longer context first, as patch(1) does.
        let longer = leading.max(trailing);
        let head = (fuzz + leading).saturating_sub(longer).min(leading);
        let tail = (fuzz + trailing).saturating_sub(longer).min(trailing);
        if last.replace((head, tail)) == Some((head, tail)) {
            continue;
        }
        let compared = old.get(head..old.len() - tail).unwrap_or_default();
        if compared.is_empty() || (fuzz > 0 && compared.iter().all(|line| line.bytes.trim_ascii().is_empty())) {
            continue;
        }
        for (way, alike) in WAYS.into_iter().enumerate() {
            let found = |at: usize| Found { at, head, tail, alike };
            let named = expected.and_then(|expected| usize::try_from(expected + signed(head)).ok());
            let mut places = file.places(compared, way, alike, named);
            let all = places.len();
            places.retain(|at| {
                let core = found(*at).core(hunk);
                !taken.iter().any(|other| collide(&core, other))
            });
            collided |= places.len() < all;
            // Less context behind the change than before it: the diff was made at the end of the file, which may have moved.
            let is_last = |at: usize| at + compared.len() == file.length;
            let is_last_elsewhere = |places: &[usize], named: usize| {
                trailing < leading && !is_last(named) && places.iter().any(|at| is_last(*at))
            };
            match (places.as_slice(), named) {
                ([], _) => {}
                (_, Some(named)) if fuzz == 0 && places.contains(&named) && !is_last_elsewhere(&places, named) => {
                    return Ok(found(named));
                }
                ([only], _) => return Ok(found(*only)),
                (several, _) => {
                    let lines = several.iter().take(MAX_TOLD).map(|at| (at + 1).saturating_sub(head).max(1)).collect();
                    return Err(UnplacedReason::Several { lines });
                }
            }
        }
    }
    if collided {
        return Err(UnplacedReason::Overlaps);
    }
    Err(already(file, hunk).unwrap_or_else(|| nearest(file, &old, expected)))
}

/// Two hunks that begin at the same line collide, since their order is undefined.
fn collide(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start == other.start || (one.start < other.end && other.start < one.end)
}

fn already(file: &File<'_>, hunk: &Hunk) -> Option<UnplacedReason> {
    let new: Vec<&DiffLine> = hunk.new_lines().collect();
    if !new.iter().any(|line| line.kind == LineKind::Added) {
        return None;
    }
    let places = file.places(&new, 2, Alike::Blanks, None);
    places.first().map(|at| UnplacedReason::Already { line: at + 1 })
}

/// The place where most lines match, and the first line there that does not.
fn nearest(file: &File<'_>, old: &[&DiffLine], expected: Option<i64>) -> UnplacedReason {
    let way = &file.ways[2];
    let wanted: Vec<Option<u32>> =
        old.iter().take(MAX_EXPLAINED).map(|line| way.numbers.get(Alike::Blanks.key(&line.bytes)).copied()).collect();
    let right = |at: usize| {
        let there = way.lines.get(at..).unwrap_or_default();
        wanted.iter().zip(there).filter(|(wanted, there)| **wanted == Some(**there)).count()
    };
    let distance = |at: usize| expected.map_or(0, |expected| (signed(at) - expected).unsigned_abs());
    let best = (0..file.length.max(1)).max_by_key(|at| (right(*at), std::cmp::Reverse(distance(*at)))).unwrap_or(0);
    let wrong = wanted.iter().enumerate().find(|(ahead, wanted)| {
        let there = way.lines.get(best + ahead);
        there.is_none() || there.copied() != **wanted
    });
    let ahead = wrong.map_or(0, |(ahead, _)| ahead);
    let expected = old.get(ahead).map(|line| quoted(&line.bytes)).unwrap_or_default();
    let number = way.lines.get(best + ahead);
    let there = number.and_then(|number| way.numbers.iter().find(|(_, other)| *other == number));
    UnplacedReason::Nowhere { line: best + ahead + 1, expected, found: there.map(|(line, _)| quoted(line)) }
}

impl Found {
    /// The lines of the hunk without the dropped context.
    fn part<'a>(&self, hunk: &'a Hunk) -> &'a [DiffLine] {
        hunk.lines.get(self.head..hunk.lines.len().saturating_sub(self.tail)).unwrap_or_default()
    }

    /// From the first changed line to the last.
    fn core(&self, hunk: &Hunk) -> Range<usize> {
        let part = self.part(hunk);
        let leading = part.iter().take_while(|line| line.kind == LineKind::Context).count();
        let trailing = part.iter().rev().take_while(|line| line.kind == LineKind::Context).count();
        let old = part.iter().filter(|line| line.kind != LineKind::Added).count();
        self.at + leading..self.at + old.saturating_sub(trailing)
    }

    fn splices(&self, lines: &[&[u8]], hunk: &Hunk) -> Vec<Splice> {
        let mut splices = Vec::new();
        let mut current: Option<Splice> = None;
        let mut at = self.at;
        for line in self.part(hunk) {
            match line.kind {
                LineKind::Context => {
                    splices.extend(current.take());
                    at += 1;
                }
                LineKind::Removed => {
                    current.get_or_insert(Splice { at, removed: 0, added: Vec::new() }).removed += 1;
                    at += 1;
                }
                LineKind::Added => {
                    let splice = current.get_or_insert(Splice { at, removed: 0, added: Vec::new() });
                    splice.added.push(line.bytes.clone());
                }
            }
        }
        splices.extend(current);
        for splice in &mut splices {
            self.end_lines(splice, lines, hunk);
        }
        splices
    }

    /// Gives the added lines the line ends used around them. A hunk that matched exactly keeps its own.
    fn end_lines(&self, splice: &mut Splice, lines: &[&[u8]], hunk: &Hunk) {
        if splice.added.is_empty() {
            return;
        }
        let end = end_near(lines, splice);
        let exact = self.alike == Alike::Exactly && (hunk.old_lines().next().is_some() || lines.is_empty());
        if !exact {
            for line in &mut splice.added {
                let newline = line.ends_with(b"\n");
                line.truncate(without_end(line).len());
                if newline {
                    line.extend(end);
                }
            }
        }
        let at_end = splice.at + splice.removed >= lines.len();
        let before = lines.last().filter(|last| at_end && splice.removed == 0 && !last.ends_with(b"\n"));
        let ended = lines.last().is_none_or(|last| last.ends_with(b"\n"));
        // Text appended after a last line without a newline adds that newline.
        if let Some(before) = before {
            splice.added.insert(0, before.to_vec());
            splice.at -= 1;
            splice.removed = 1;
        }
        let length = splice.added.len();
        for (number, line) in splice.added.iter_mut().enumerate() {
            let last = at_end && number + 1 == length;
            let wanted = match (last, exact) {
                (false, _) => true,
                (true, true) => line.ends_with(b"\n"),
                (true, false) => wants_newline(hunk).unwrap_or(ended),
            };
            if wanted && !line.ends_with(b"\n") {
                line.extend(end);
            } else if !wanted && !exact {
                // In an exact hunk a CR before the end of the file is text.
                line.truncate(without_end(line).len());
            }
        }
    }
}

/// Whether the last line gains or loses its newline; `None` if the patch does not change that.
fn wants_newline(hunk: &Hunk) -> Option<bool> {
    let ended = |line: &DiffLine| line.bytes.ends_with(b"\n");
    let old = hunk.old_lines().last().is_none_or(ended);
    let new = hunk.new_lines().last().is_none_or(ended);
    (old != new).then_some(new)
}

/// The line end of the nearest line: the one before, the one replaced, or the one two before.
fn end_near(lines: &[&[u8]], splice: &Splice) -> &'static [u8] {
    let near = [splice.at.checked_sub(1), Some(splice.at), splice.at.checked_sub(2)];
    let line = near.into_iter().flatten().filter_map(|at| lines.get(at)).find(|line| line.ends_with(b"\n"));
    if line.is_some_and(|line| line.ends_with(b"\r\n")) { b"\r\n" } else { b"\n" }
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX / 4)
}

impl fmt::Display for UnplacedReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnplacedReason::Nowhere { line, expected, found: Some(found) } => {
                write!(
                    out,
                    "it does not fit: line {line} should be `{expected}` and is `{found}`; ask again with the file as it is now"
                )
            }
            UnplacedReason::Nowhere { line, expected, found: None } => {
                write!(
                    out,
                    "it does not fit: line {line} should be `{expected}` and the file ends before; ask again with the file as it is now"
                )
            }
            UnplacedReason::Already { line } => {
                write!(out, "the file has it already, at line {line}; leave this hunk out")
            }
            UnplacedReason::Several { lines } => {
                let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
                write!(
                    out,
                    "it fits at several places (lines {}); ask for more lines around the change",
                    lines.join(", ")
                )
            }
            UnplacedReason::Overlaps => {
                out.write_str("another hunk changes the same lines; ask for one hunk instead of both")
            }
            UnplacedReason::NoContext => {
                out.write_str("it adds lines and does not show where; ask for three lines around the change")
            }
        }
    }
}
