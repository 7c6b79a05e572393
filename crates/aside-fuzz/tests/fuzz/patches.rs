//! Diffs: a patch that was taken renders to one that does the same; applied and undone it leaves the bytes that were there; and the diff
//! between any two texts applies.

use std::collections::BTreeMap;

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};
use aside_task::diff::compute::unified_diff;
use aside_task::diff::parse::parse_patch;
use aside_task::diff::path::RelativePath;
use aside_task::diff::resolve::{FileState, resolve};

const WORDS: &[&str] = &[
    "diff --git a/x b/x\n",
    "index 000..111 100644\n",
    "old mode 100644\nnew mode 100755\n",
    "new file mode 100644\n",
    "deleted file mode 100644\n",
    "similarity index 90%\nrename from x\nrename to y\n",
    "copy from x\ncopy to z\n",
    "Binary files a/x and b/x differ\n",
    "--- a/x\n+++ b/x\n",
    "--- /dev/null\n+++ b/new\n",
    "--- a/y\n+++ /dev/null\n",
    "--- \"a/t\\303\\244b\"\n",
    "@@ -1,3 +1,3 @@\n",
    "@@ -0,0 +1 @@\n",
    "@@ -5 +5 @@ fn main() {\n",
    "@@ ... @@\n",
    "-two\n",
    "+2\n",
    " one\n",
    "\\ No newline at end of file\n",
    "```diff\n",
    "```\n",
    "../../etc/passwd",
    ".git/config",
    "one\n",
    "}\n",
    "\r\n",
];

/// The files that patches are applied to.
const FILES: [(&str, &str); 3] =
    [("x", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"), ("y", "}\n}\n}\r\n\n}"), ("dir/z", "")];

#[test]
fn fuzz_patches() {
    let seeds = [
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -6,3 +6,4 @@\n six\n seven\n+7.5\n eight\n",
        "diff --git a/y b/w\nsimilarity index 80%\nrename from y\nrename to w\n--- a/y\n+++ b/w\n@@ -4,2 +4,2 @@\n \n-}\n\\ No newline at end of file\n+}\n",
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
        "--- a/y\n+++ /dev/null\n@@ -1,5 +0,0 @@\n-}\n-}\n-}\r\n-\n-}\n\\ No newline at end of file\n",
        // Failed: the last line ends with a CR and no newline.
        "--- y+++)l\n@@ -5@\n--\x7f\r",
        "diff --git a/x b/c\nsimilarity index 100%\ncopy from x\ncopy to c\n",
    ];
    // Failed: the place is behind a thousand equal ones.
    let far = b"\r\n".repeat(1500);
    fuzz(Target {
        name: "patches",
        seeds: seeds.iter().map(|seed| seed.as_bytes().to_vec()).chain([far]).collect(),
        words: WORDS,
        longest: 32 * 1024,
        check: |input| {
            applied(input);
            between(input);
        },
    });
}

fn applied(input: &[u8]) {
    let Ok(patch) = parse_patch(input) else { return };
    let state = |text: &[u8]| FileState { bytes: text.to_vec(), executable: false };
    let files = FILES.map(|(name, text)| (RelativePath::new(name).unwrap(), state(text.as_bytes())));
    let files: BTreeMap<RelativePath, FileState> = files.into_iter().collect();
    let Ok(changes) = resolve(&patch, &files) else { return };
    for change in changes.files() {
        let name = change.name().as_str();
        assert!(!name.starts_with('/') && name.split('/').all(|part| part != ".." && !part.is_empty()), "{name:?}");
        assert!(!name.split('/').any(|part| part.eq_ignore_ascii_case(".git")), "{name:?}");
    }
    // What the user is shown does what the patch does.
    let shown = changes.diff();
    if !shown.is_empty() {
        let again = parse_patch(&shown).expect("what is shown is a patch");
        let again = resolve(&again, &files).expect("what is shown applies");
        assert_eq!(again.files().len(), changes.files().len());
        for (one, other) in changes.files().iter().zip(again.files()) {
            assert_eq!(
                (one.name(), one.after()),
                (other.name(), other.after()),
                "{:?}",
                shown.escape_ascii().to_string()
            );
        }
    }
    // Undone, the bytes are those from before.
    for change in changes.files() {
        let (Some(before), Some(after)) = (change.before(), change.after()) else { continue };
        assert_eq!(through(change.name(), &after.bytes, &before.bytes), before.bytes);
    }
}

/// Two texts of the input's lines.
fn between(input: &[u8]) {
    // A diff with a NUL is refused: only text is changed.
    if input.contains(&0) || input.len() > 4000 {
        return;
    }
    let mut random = Random::of(input);
    let before = input;
    let mut after: Vec<u8> = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        match random.below(6) {
            0 => {}
            1 => after.extend([line, b"new\n"].concat()),
            2 => after.extend([b"new", line].concat()),
            _ => after.extend(line),
        }
    }
    let name = RelativePath::new("x").unwrap();
    assert_eq!(through(&name, before, &after), after, "from {:?}", before.escape_ascii().to_string());
}

/// What the diff from one text to another makes of the first.
fn through(name: &RelativePath, from: &[u8], to: &[u8]) -> Vec<u8> {
    let diff = unified_diff(name, Some(from), to);
    if from == to {
        assert_eq!(diff, b"");
        return from.to_vec();
    }
    let patch = parse_patch(&diff).unwrap_or_else(|refusal| panic!("{refusal}: {:?}", diff.escape_ascii().to_string()));
    let state = FileState { bytes: from.to_vec(), executable: false };
    let changes = resolve(&patch, &BTreeMap::from([(name.clone(), state)]));
    let changes = changes.unwrap_or_else(|refusal| panic!("{refusal}: {:?}", diff.escape_ascii().to_string()));
    changes.files()[0].after().map_or_else(Vec::new, |after| after.bytes.clone())
}
