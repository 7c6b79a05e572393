//! Diffs as git and models write them, against files as they are.

use std::collections::BTreeMap;

use proptest::prelude::*;
use similar::TextDiff;

use crate::diff::parse::parse_patch;
use crate::diff::path::RelativePath;
use crate::diff::resolve::{FileState, ResolvedChanges, resolve};

/// Each file is a name and its text; a `*` after the name makes it executable.
pub fn settled(files: &[(&str, &str)], patch: &[u8]) -> Result<ResolvedChanges, String> {
    let patch = parse_patch(patch).map_err(|refusal| refusal.to_string())?;
    let state = |name: &str, text: &str| FileState { bytes: text.as_bytes().to_vec(), executable: name.ends_with('*') };
    let found: BTreeMap<RelativePath, FileState> = files
        .iter()
        .map(|(name, text)| (RelativePath::new(name.trim_end_matches('*')).unwrap(), state(name, text)))
        .collect();
    resolve(&patch, &found).map_err(|refusal| refusal.to_string())
}

/// Applies the hunks to a single file `x`.
fn patched(before: &str, hunks: &str) -> Result<String, String> {
    whole(before, &format!("--- a/x\n+++ b/x\n{hunks}"))
}

fn whole(before: &str, patch: &str) -> Result<String, String> {
    let changes = settled(&[("x", before)], patch.as_bytes())?;
    let [change] = changes.files() else { return Err(format!("{:?}", changes.rows())) };
    // Reading the rendered diff again gives the same changes.
    let again = settled(&[("x", before)], &changes.diff())?;
    assert_eq!(again, changes, "{changes}");
    Ok(change.after().map(|state| String::from_utf8_lossy(&state.bytes).into_owned()).unwrap_or_default())
}

const ABC: &str = "a\nb\nc\nd\ne\nf\ng\n";

#[test]
fn diffs_as_models_write_them() {
    let cases: &[(&str, &str, &str, &str)] = &[
        ("as it should be", ABC, "@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("counts are wrong", ABC, "@@ -2,9 +2,1 @@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("counts are too small", ABC, "@@ -2,1 +2,1 @@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("the line is wrong", ABC, "@@ -70,3 +70,3 @@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("no numbers", ABC, "@@ ... @@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("a bare mark", ABC, "@@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("a heading instead of numbers", ABC, "@@ fn main() @@\n b\n-c\n+C\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("the second mark is missing", ABC, "@@ -2,3 +2,3\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("letters for numbers", ABC, "@@ -x,y +x,y @@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("huge numbers", ABC, "@@ -99999999999999999999,3 +1,3 @@\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"),
        ("empty lines lost their blank", "a\n\nb\n\nc\n", "@@ -1,5 +1,5 @@\n a\n\n-b\n+B\n\n c\n", "a\n\nB\n\nc\n"),
        ("the same, with wrong counts", "a\n\nb\n\nc\n", "@@ -1,9 +1,9 @@\n a\n\n-b\n+B\n\n c\n", "a\n\nB\n\nc\n"),
        (
            "two hunks out of order",
            ABC,
            "@@ -6,2 +6,2 @@\n-f\n+F\n g\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
            "A\nb\nc\nd\ne\nF\ng\n",
        ),
        (
            "contexts that overlap",
            ABC,
            "@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n d\n@@ -3,4 +3,4 @@\n c\n d\n-e\n+E\n f\n",
            "a\nB\nc\nd\nE\nf\ng\n",
        ),
        ("blanks at line ends", "a  \nb\t\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a  \nB\nc\n"),
        ("blanks that only the patch has", ABC, "@@ -1,3 +1,3 @@\n a  \n-b \n+B\n c\n", "a\nB\nc\nd\ne\nf\ng\n"),
        (
            "a file of CRLF, a patch of LF",
            "a\r\nb\r\nc\r\n",
            "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+C\n c\n",
            "a\r\nB\r\nC\r\nc\r\n",
        ),
        ("both of CRLF", "a\r\nb\r\nc\r\n", "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n", "a\r\nB\r\nc\r\n"),
        ("ends that change", "a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n", "a\nb\n"),
        ("mixed ends stay", "a\r\nb\nc\r\nd\n", "@@ -1,4 +1,4 @@\n a\n b\n-c\n+C\n d\n", "a\r\nb\nC\nd\n"),
        (
            "no newline, said",
            "a\nb",
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n",
            "a\nB",
        ),
        ("no newline, not said", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB"),
        ("a newline comes", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n"),
        ("a newline goes", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n", "a\nb"),
        ("more behind a last line without a newline", "a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc"),
        ("one wrong line of context", ABC, "@@ -1,5 +1,5 @@\n wrong\n b\n-c\n+C\n d\n e\n", "a\nb\nC\nd\ne\nf\ng\n"),
        (
            "two wrong lines at each end",
            "1\n2\n3\n4\n5\n6\n7\n",
            "@@ -1,7 +1,7 @@\n x\n y\n 3\n-4\n+four\n 5\n y\n z\n",
            "1\n2\n3\nfour\n5\n6\n7\n",
        ),
        ("a number decides between two places", "a\nb\na\nb\n", "@@ -3,2 +3,2 @@\n a\n-b\n+B\n", "a\nb\na\nB\n"),
        (
            "an earlier hunk tells how far the numbers are off",
            "0\n0\na\nb\nx\na\nb\n",
            "@@ -3,2 +3,1 @@\n x\n-a\n b\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n x\n",
            "0\n0\na\nB\nx\nb\n",
        ),
        ("a removed line that looks like a header", "-- x\nb\n", "@@ -1,2 +1,2 @@\n--- x\n+++ y\n b\n", "++ y\nb\n"),
        (
            "a hunk that changes nothing beside one that does",
            ABC,
            "@@ -1,1 +1,1 @@\n a\n@@ -2,1 +2,1 @@\n-b\n+B\n",
            "a\nB\nc\nd\ne\nf\ng\n",
        ),
        ("the same line goes and comes", ABC, "@@ -1,3 +1,3 @@\n-a\n+a\n-b\n+B\n c\n", "a\nB\nc\nd\ne\nf\ng\n"),
        (
            "text behind the last hunk",
            ABC,
            "@@ -1,1 +1,1 @@\n-a\n+A\n\nThis makes a large:\n- it is larger\n",
            "A\nb\nc\nd\ne\nf\ng\n",
        ),
        ("an empty file gets lines", "", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"),
        ("all lines go", "a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", ""),
    ];
    for (what, before, hunks, after) in cases {
        assert_eq!(patched(before, hunks), Ok((*after).to_owned()), "{what}");
    }
}

#[test]
fn diffs_that_are_refused_say_why() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "another file",
            ABC,
            "@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z\n",
            "x, hunk 1: it does not fit: line 1 should be `x` and is `a`; ask again with the file as it is now",
        ),
        (
            "behind the end",
            "a\n",
            "@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
            "x, hunk 1: it does not fit: line 2 should be `b` and the file ends before; ask again with the file as it is now",
        ),
        (
            "two places",
            "a\nb\na\nb\n",
            "@@ -9,2 +9,2 @@\n a\n-b\n+B\n",
            "x, hunk 1: it fits at several places (lines 1, 3); ask for more lines around the change",
        ),
        (
            "twice the same lines",
            ABC,
            "@@ -2,1 +2,1 @@\n-b\n+B\n@@ -2,1 +2,1 @@\n-b\n+X\n",
            "x, hunk 2: another hunk changes the same lines; ask for one hunk instead of both",
        ),
        (
            "done already",
            "a\nB\nc\n",
            "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
            "x, hunk 1: the file has it already, at line 1; leave this hunk out",
        ),
        (
            "only a number says where",
            ABC,
            "@@ -3,0 +4,1 @@\n+new\n",
            "x, hunk 1: it adds lines and does not show where; ask for three lines around the change",
        ),
        ("nothing would change", ABC, "@@ -1,1 +1,1 @@\n-a\n+a\n", "x: nothing of it would change; leave it out"),
        (
            "no hunk changes anything",
            ABC,
            "@@ -1,2 +1,2 @@\n a\n b\n",
            "x: nothing of it is changed; write hunks that begin with @@",
        ),
        (
            "a line without a mark",
            ABC,
            "@@ -1,3 +1,3 @@\n a\nb\n-c\n+C\n",
            "x, hunk 1: the line `b` begins with neither a blank, + nor -, and lines of the diff follow; begin every line with one of them",
        ),
        (
            "the end in the middle",
            ABC,
            "@@ -1,2 +1,2 @@\n-a\n\\ No newline at end of file\n-b\n+B\n",
            "x, hunk 1: it says in its middle that the file ends; put that mark behind the last line only",
        ),
        (
            "only blank lines are left of it",
            "\n\n\nq\n",
            "@@ -1,3 +1,4 @@\n x\n \n+new\n \n y\n",
            "x, hunk 1: it does not fit: line 1 should be `x` and is ``; ask again with the file as it is now",
        ),
        ("a binary file", "a\0b\n", "@@ -1,1 +1,1 @@\n-a\n+b\n", "x: it is a binary file; only text can be changed"),
    ];
    for (what, before, hunks, sentence) in cases {
        assert_eq!(patched(before, hunks), Err((*sentence).to_owned()), "{what}");
    }
}

#[test]
fn what_stands_around_a_diff_is_passed_over() {
    let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n";
    let after = "A\nb\nc\nd\ne\nf\ng\n";
    for patch in [
        format!("Here it is:\n\n```diff\n{diff}```\n\nIt does this:\n- one\n+ two\n"),
        format!("~~~\n{diff}~~~\n"),
        format!("diff --git a/x b/x\nindex 123..456 100644\n{diff}"),
        format!("Index: x\n====\n{diff}"),
        format!("From 1234 Mon Sep 17\nSubject: x\n---\n x | 2 +-\n\n{diff}-- \n2.39.2\n"),
        diff.replace('\n', "\r\n"),
        diff.replace("a/x", "x").replace("b/x", "x"),
        diff.replace("a/x", "x\t2024-01-01").replace("b/x", "x\t2024-01-01"),
        diff.trim_end().to_owned(),
    ] {
        assert_eq!(whole(ABC, &patch), Ok(after.to_owned()), "{patch}");
    }
}

fn rows(files: &[(&str, &str)], patch: &str) -> Result<Vec<String>, String> {
    let changes = settled(files, patch.as_bytes())?;
    assert_eq!(settled(files, &changes.diff()).as_ref(), Ok(&changes), "{changes}");
    Ok(changes.rows())
}

#[test]
fn files_come_and_go_and_get_other_names() {
    let files = &[("old", "1\n2\n"), ("tool*", "#!\n"), ("sp ace", "a\n"), ("empty", "")];
    let cases: &[(&str, &[&str])] = &[
        ("--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n", &["A new +2 -0"]),
        ("--- a/new\n+++ b/new\n@@ -0,0 +1 @@\n+a\n", &["A new +1 -0"]),
        (
            "diff --git a/new b/new\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n",
            &["A new +1 -0 +x"],
        ),
        ("diff --git a/n/m b/n/m\nnew file mode 100644\nindex 0..1\n", &["A n/m +0 -0"]),
        ("--- a/old\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n", &["D old +0 -2"]),
        ("diff --git a/old b/old\ndeleted file mode 100644\n", &["D old +0 -2"]),
        ("diff --git a/empty b/empty\ndeleted file mode 100644\n", &["D empty +0 -0"]),
        ("diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n", &["R old → new +0 -0"]),
        (
            "diff --git a/old b/new\nrename from old\nrename to new\n--- a/old\n+++ b/new\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n",
            &["R old → new +1 -1"],
        ),
        ("diff --git a/tool b/tool\nold mode 100755\nnew mode 100644\n", &["M tool +0 -0 -x"]),
        ("--- a/sp ace\t\n+++ b/sp ace\t\n@@ -1 +1 @@\n-a\n+b\n", &["M sp ace +1 -1"]),
        ("--- /dev/null\n+++ \"b/q\\\"\\303\\244\"\n@@ -0,0 +1 @@\n+a\n", &["A q\"ä +1 -0"]),
        (
            "--- a/old\n+++ b/old\n@@ -1 +1 @@\n-1\n+one\n--- a/old\n+++ b/old\n@@ -2 +2 @@\n-2\n+two\n--- a/tool\n+++ b/tool\n@@ -1 +1,2 @@\n #!\n+x\n",
            &["M old +2 -2", "M tool +1 -0"],
        ),
        (
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\u{202e}b\n",
            &["A new +1 -0 (with characters that cannot be seen)"],
        ),
    ];
    for (patch, expected) in cases {
        assert_eq!(rows(files, patch), Ok(expected.iter().map(|row| (*row).to_owned()).collect()), "{patch}");
    }
    let refused: &[(&str, &str)] = &[
        ("--- /dev/null\n+++ b/old\n@@ -0,0 +1 @@\n+a\n", "old: it is there already; ask for a change to it"),
        (
            "--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n",
            "gone: there is no such file; ask for a new one, or check the name",
        ),
        (
            "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
            "old: it has more lines than the diff deletes; ask again with the file as it is now",
        ),
        (
            "diff --git a/old b/tool\nrename from old\nrename to tool\n",
            "tool: it is there already, and old cannot get its name",
        ),
        ("diff --git a/gone b/new\nrename from gone\nrename to new\n", "gone: there is no such file; check the name"),
        (
            "diff --git a/old b/new\ncopy from old\ncopy to new\n",
            "b/new: copies are not taken; write the copy as a new file",
        ),
        (
            "diff --git a/old b/new\nrename from old\n",
            "b/new: half of a rename is missing; write both `rename from` and `rename to`",
        ),
        (
            "--- a/old\n+++ b/new\n@@ -1 +1 @@\n-1\n+one\n",
            "b/new: it has two names; a rename needs `rename from` and `rename to`",
        ),
        ("no diff at all", "there is no unified diff in it; ask for one with ---, +++ and @@ lines"),
        ("@@ -1 +1 @@\n-1\n+2\n", "a hunk stands before any file name; write `--- a/NAME` and `+++ b/NAME` above it"),
    ];
    for (patch, sentence) in refused {
        assert_eq!(rows(files, patch), Err((*sentence).to_owned()), "{patch}");
    }
}

#[test]
fn what_is_shown_is_a_diff_of_its_own() {
    let before: String = (1..=30).map(|line| format!("{line}\n")).collect();
    let patch = "--- a/x\n+++ b/x\n@@ -99 +99 @@\n 4\n-5\n+five\n@@ @@\n 24\n+24b\n 25\n@@ -30 +30 @@\n-30\n+end\n";
    let shown = settled(&[("x", &before)], patch.as_bytes()).unwrap().to_string();
    let expected = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
                    @@ -22,9 +22,10 @@\n 22\n 23\n 24\n+24b\n 25\n 26\n 27\n 28\n 29\n-30\n+end\n";
    assert_eq!(shown, expected);
}

/// Few distinct lines, so that places are hard to tell apart.
fn a_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["", "a", "b", "}", "  x", "é", "--", "++ y", "-- x", "@@ -1 +1 @@", "c \t"]);
    let ending = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    (prop::collection::vec(line, 0..30), ending, any::<bool>()).prop_map(|(lines, ending, newline)| {
        let text = lines.join(ending);
        if newline && !text.is_empty() { text + ending } else { text }
    })
}

/// A text, and another that differs in some lines.
fn two_texts() -> impl Strategy<Value = (String, String)> {
    let edit = (any::<prop::sample::Index>(), 0..3_usize, prop::collection::vec("[abz }]{0,3}", 0..3));
    (a_text(), prop::collection::vec(edit, 1..5)).prop_map(|(old, edits)| {
        let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
        let ending = if old.contains("\r\n") { "\r\n" } else { "\n" };
        for (at, removed, added) in edits {
            let at = at.index(lines.len() + 1);
            let end = (at + removed).min(lines.len());
            lines.splice(at..end, added.into_iter().map(|line| line + ending));
        }
        // Only the last line may lack a newline.
        let last = lines.len().saturating_sub(1);
        for line in lines.iter_mut().take(last).filter(|line| !line.ends_with('\n')) {
            line.push_str(ending);
        }
        (old, lines.concat())
    })
}

fn diff_of(old: &str, new: &str, context: usize) -> String {
    TextDiff::from_lines(old, new).unified_diff().context_radius(context).header("a/x", "b/x").to_string()
}

#[test]
fn a_change_at_the_end_is_not_made_where_the_end_was() {
    let old = "++ y\n--\n++ y\n--\n++ y\n";
    let patch = diff_of(old, &format!("{old}\n"), 3);
    let sentence = whole(&format!("p\np\n{old}"), &patch).unwrap_err();
    assert!(sentence.contains("several places"), "{sentence}");
    assert_eq!(whole(old, &patch), Ok(format!("{old}\n")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_diff_of_two_texts_makes_one_of_the_other((old, new) in two_texts()) {
        prop_assume!(old != new);
        let patch = diff_of(&old, &new, 3);
        prop_assert_eq!(whole(&old, &patch), Ok(new), "{}", patch);
    }

    /// In a file that has grown at its beginning the hunks are found or refused, never put at a wrong place.
    #[test]
    fn lines_that_came_before_do_not_matter((old, new) in two_texts(), ahead in 1..6_usize, unique in "[p-t]{6}") {
        prop_assume!(old != new && !old.is_empty());
        let ahead = format!("{unique}\n").repeat(ahead);
        match whole(&(ahead.clone() + &old), &diff_of(&old, &new, 3)) {
            Ok(after) => prop_assert_eq!(after, ahead + &new),
            Err(sentence) => prop_assert!(
                sentence.contains("several places") || sentence.contains("where") || sentence.contains("same lines"),
                "{}", sentence
            ),
        }
    }

    /// Nothing panics, and an accepted patch can be read again.
    #[test]
    fn whatever_is_written_is_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
        before in a_text(),
    ) {
        let _ = whole(&before, &pieces.concat());
    }
}

const PIECES: &[&str] = &[
    "--- a/x\n",
    "+++ b/x\n",
    "--- /dev/null\n",
    "+++ /dev/null\n",
    "diff --git a/x b/x\n",
    "diff --git a/x b/y\n",
    "@@ -1,3 +1,3 @@\n",
    "@@ -1 +1 @@\n",
    "@@ -0,0 +1 @@\n",
    "@@\n",
    "@@ -9,0 +9,0 @@\n",
    "@@@ -1 -1 +1 @@@\n",
    " a\n",
    "-a\n",
    "+a\n",
    " b\n",
    "-b\n",
    "+b\n",
    "+\n",
    "-\n",
    " \n",
    "\n",
    "\r\n",
    "+c\r\n",
    "\\ No newline at end of file\n",
    "new file mode 100644\n",
    "deleted file mode 100644\n",
    "rename from x\n",
    "rename to y\n",
    "old mode 100644\n",
    "new mode 100755\n",
    "```\n",
    "text\n",
    "-- \n",
    "--- \"a/\\\n",
    "+++ \"\n",
    "--- ",
    "+++ ",
    "@@ -",
    "\u{e9}",
    "diff --git \"a\n",
    "index 1..2\n",
    "GIT binary patch\n",
];
