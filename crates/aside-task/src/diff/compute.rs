//! Computes the diff between two texts, for a caller that knows the new file and not the changes. It is read and settled like any other
//! diff.

use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::diff::locate::{self, Splice};
use crate::diff::path::RelativePath;
use crate::diff::resolve::{FileState, ResolvedFile};

/// Lines of one text times lines of the other, without the common prefix and suffix. Above it everything between becomes one change, since
/// the time of the comparison grows with this product.
const MAX_COMPARED: usize = 20_000_000;

/// `before` is `None` for a new file. Returns an empty diff when nothing changes.
pub fn unified_diff(name: &RelativePath, before: Option<&[u8]>, after: &[u8]) -> Vec<u8> {
    if before == Some(after) {
        return Vec::new();
    }
    let (old, new) = (locate::lines(before.unwrap_or_default()), locate::lines(after));
    let splice = |(gone, come): (Range<usize>, Range<usize>)| Splice {
        at: gone.start,
        removed: gone.len(),
        added: new.get(come).unwrap_or_default().iter().map(|line| line.to_vec()).collect(),
    };
    let splices = changed_ranges(&old, &new).into_iter().map(splice).collect();
    let state = |bytes: &[u8]| FileState { bytes: bytes.to_vec(), executable: false };
    ResolvedFile::made(name.clone(), before.map(state), state(after), splices).diff()
}

/// Where two lists differ: the removed range of the old one and the range of the new one in its place. In order, and no two touch.
pub fn changed_ranges<T: Hash + Ord>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old.iter().skip(head).rev().zip(new.iter().skip(head).rev()).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let (old, new) = (old.get(head..old_end).unwrap_or_default(), new.get(head..new_end).unwrap_or_default());
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    if old.len().saturating_mul(new.len()) > MAX_COMPARED {
        return vec![(head..old_end, head..new_end)];
    }
    // Uses only the equal runs: the indices of deletions and insertions may be wrong where lines were moved.
    let mut all = Vec::new();
    let (mut gone, mut come) = (0, 0);
    let equal = |op: DiffOp| match op {
        DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
        DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => None,
    };
    let end = (old.len(), new.len(), 0);
    for (old_at, new_at, length) in
        capture_diff_slices(Algorithm::Myers, old, new).into_iter().filter_map(equal).chain([end])
    {
        if gone < old_at || come < new_at {
            all.push((gone + head..old_at + head, come + head..new_at + head));
        }
        (gone, come) = (old_at + length, new_at + length);
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::diff::parse::parse_patch;
    use crate::diff::resolve::resolve;

    /// Applies the diff to the old text.
    fn there(before: Option<&str>, after: &str) -> Option<Vec<u8>> {
        let name = RelativePath::new("src/a b.txt").unwrap();
        let diff = unified_diff(&name, before.map(str::as_bytes), after.as_bytes());
        let state = |text: &str| (name.clone(), FileState { bytes: text.into(), executable: true });
        let found: BTreeMap<RelativePath, FileState> = before.map(state).into_iter().collect();
        let changes = resolve(&parse_patch(&diff).unwrap(), &found).unwrap();
        changes.files()[0].after().map(|state| state.bytes.clone())
    }

    #[test]
    fn the_diff_of_two_texts_leads_from_one_to_the_other() {
        let name = RelativePath::new("x").unwrap();
        let told = |before: Option<&[u8]>, after: &[u8]| String::from_utf8(unified_diff(&name, before, after)).unwrap();
        assert_eq!(told(Some(b"a\nb\n"), b"a\nb\n"), "");
        assert_eq!(
            told(Some(b"a\nb\nc"), b"a\nB\nc"),
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n"
        );
        assert_eq!(
            told(None, b"a\n"),
            "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
        );
    }

    #[test]
    fn what_is_too_long_to_be_compared_is_one_change() {
        let old: Vec<usize> = (0..5000).collect();
        let new: Vec<usize> = std::iter::once(0).chain(10_000..15_000).chain([4999]).collect();
        assert_eq!(changed_ranges(&old, &new), [(1..4999, 1..5001)]);
    }

    #[test]
    fn a_change_far_behind_equal_lines_and_a_last_line_that_ends_with_a_cr() {
        let blank = "\n".repeat(5000);
        let (old, new) = (format!("{blank}a\n{blank}"), format!("{blank}a\n{blank}\n"));
        assert_eq!(there(Some(&old), &new).unwrap(), new.as_bytes());
        assert_eq!(there(Some("a\r"), "b\na\r").unwrap(), b"b\na\r");
        assert_eq!(there(Some("a\r"), "b\r").unwrap(), b"b\r");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn there_from_anywhere_to_anywhere(old in "([ab]?(\r\n|\n)){0,12}[ab]{0,2}", new in "([ab]?(\r\n|\n)){0,12}[ab]{0,2}") {
            prop_assume!(old != new);
            prop_assert_eq!(there(Some(&old), &new).unwrap(), new.as_bytes());
            if !new.is_empty() {
                prop_assert_eq!(there(None, &new).unwrap(), new.as_bytes());
            }
        }
    }
}
