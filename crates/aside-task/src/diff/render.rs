//! Renders a settled change as a unified diff that git accepts too, and as one row for each file. Shows exactly the bytes that will be
//! written; the client sanitizes them for a terminal.

use std::fmt;

use crate::diff::locate::{self, Splice};
use crate::diff::path::RelativePath;
use crate::diff::resolve::{FileState, ResolvedChanges, ResolvedFile};

/// Lines of context around a change, as diff(1) shows.
const CONTEXT: usize = 3;

impl ResolvedChanges {
    pub fn diff(&self) -> Vec<u8> {
        self.files().iter().flat_map(ResolvedFile::diff).collect()
    }

    pub fn rows(&self) -> Vec<String> {
        self.files().iter().map(ResolvedFile::row).collect()
    }
}

impl fmt::Display for ResolvedChanges {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&String::from_utf8_lossy(&self.diff()))
    }
}

impl ResolvedFile {
    pub fn diff(&self) -> Vec<u8> {
        let mut out = self.header();
        let bytes = self.before().map_or(&[][..], |state| &state.bytes);
        let lines = locate::lines(bytes);
        if !self.splices().is_empty() {
            let old = self.before().map(|_| self.from().unwrap_or(self.name()));
            let new = self.after().map(|_| self.name());
            out.extend(side("---", "a", old).into_bytes());
            out.extend(side("+++", "b", new).into_bytes());
        }
        let mut shift = 0;
        for group in groups(self.splices()) {
            shift = hunk(&lines, group, shift, &mut out);
        }
        out
    }

    /// `M src/x.rs +3 -1`
    pub fn row(&self) -> String {
        let (added, removed) = self.counts();
        let letter = match (self.before(), self.after(), self.from()) {
            (None, _, _) => "A",
            (_, None, _) => "D",
            (_, _, Some(_)) => "R",
            (Some(_), Some(_), None) => "M",
        };
        let from = self.from().map(|from| format!("{from} → ")).unwrap_or_default();
        let mode = match (self.before(), self.after()) {
            (Some(before), Some(after)) if before.executable != after.executable => {
                if after.executable {
                    " +x"
                } else {
                    " -x"
                }
            }
            (None, Some(after)) if after.executable => " +x",
            _ => "",
        };
        let hidden = if self.hidden().is_empty() { "" } else { " (with characters that cannot be seen)" };
        format!("{letter} {from}{} +{added} -{removed}{mode}{hidden}", self.name())
    }

    fn header(&self) -> Vec<u8> {
        let mode = |state: &FileState| if state.executable { "100755" } else { "100644" };
        let old = quoted("a", self.from().unwrap_or(self.name()));
        let mut header = format!("diff --git {old} {}\n", quoted("b", self.name()));
        match (self.before(), self.after()) {
            (None, Some(after)) => header += &format!("new file mode {}\n", mode(after)),
            (Some(before), None) => header += &format!("deleted file mode {}\n", mode(before)),
            (Some(before), Some(after)) if before.executable != after.executable => {
                header += &format!("old mode {}\nnew mode {}\n", mode(before), mode(after));
            }
            _ => {}
        }
        if let Some(from) = self.from() {
            let plain = |name: &RelativePath| quoted("", name);
            header += &format!("rename from {}\nrename to {}\n", plain(from), plain(self.name()));
        }
        header.into_bytes()
    }
}

fn side(mark: &str, prefix: &str, name: Option<&RelativePath>) -> String {
    let Some(name) = name else { return format!("{mark} /dev/null\n") };
    // Without the tab, the end of a name with blanks would be ambiguous.
    let tab = if name.as_str().contains(' ') { "\t" } else { "" };
    format!("{mark} {}{tab}\n", quoted(prefix, name))
}

/// Quotes `"`, the only character that needs quotes in git and that `RelativePath` accepts.
fn quoted(prefix: &str, name: &RelativePath) -> String {
    let slash = if prefix.is_empty() { "" } else { "/" };
    let name = format!("{prefix}{slash}{name}");
    if name.contains('"') { format!("\"{}\"", name.replace('"', "\\\"")) } else { name }
}

/// Groups splices whose context would touch.
fn groups(splices: &[Splice]) -> impl Iterator<Item = &[Splice]> {
    splices.chunk_by(|one, next| next.at.saturating_sub(one.at + one.removed) <= 2 * CONTEXT)
}

/// Returns by how many lines the new file is ahead of the old one after this hunk.
fn hunk(lines: &[&[u8]], group: &[Splice], shift: i64, out: &mut Vec<u8>) -> i64 {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return shift };
    let start = first.at.saturating_sub(CONTEXT);
    let end = (last.at + last.removed + CONTEXT).min(lines.len());
    let added: usize = group.iter().map(|splice| splice.added.len()).sum();
    let removed: usize = group.iter().map(|splice| splice.removed).sum();
    let old = end - start;
    let new = old + added - removed;
    let new_start = usize::try_from(i64::try_from(start).unwrap_or(0) + shift).unwrap_or(0);
    out.extend(format!("@@ -{} +{} @@\n", range(start, old), range(new_start, new)).into_bytes());
    let mut at = start;
    for splice in group {
        put(b' ', lines.get(at..splice.at).unwrap_or_default(), out);
        put(b'-', lines.get(splice.at..splice.at + splice.removed).unwrap_or_default(), out);
        let added: Vec<&[u8]> = splice.added.iter().map(Vec::as_slice).collect();
        put(b'+', &added, out);
        at = splice.at + splice.removed;
    }
    put(b' ', lines.get(at..end).unwrap_or_default(), out);
    shift + i64::try_from(added).unwrap_or(0) - i64::try_from(removed).unwrap_or(0)
}

fn range(start: usize, count: usize) -> String {
    match count {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{count}", start + 1),
    }
}

fn put(mark: u8, lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.push(mark);
        out.extend(*line);
        if !line.ends_with(b"\n") {
            out.extend(b"\n\\ No newline at end of file\n");
        }
    }
}
