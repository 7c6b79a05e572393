//! Edits in a model's answer: a diff that is built from them applies, renders to itself and keeps the final newline.

use std::collections::BTreeMap;

use aside_fuzz::{Target, fuzz};
use aside_task::diff::parse::parse_patch;
use aside_task::diff::path::RelativePath;
use aside_task::diff::resolve::{FileState, resolve};
use aside_task::run::context::{ContextFile, ModelContext, PickReason};
use aside_task::run::edits::Edits;

/// Pieces of answers that change files.
pub const ANSWERS: &[&str] = &[
    "<<<<<<< SEARCH\n",
    "<<<<< SEARCH a.py\n",
    "=======\n",
    "=====\n",
    ">>>>>>> REPLACE\n",
    ">>>>>\n",
    "```\n",
    "```python\n",
    "```python a.py\n",
    "````markdown b.md\n",
    "~~~\n",
    "  ```\n",
    "a.py\n",
    "**`sub/b.md`**:\n",
    "# a.py\n",
    "../a.py\n",
    "new.py\n",
    "Here is `a.py`:\n",
    "Create `c.py`:\n",
    "*** Begin Patch\n",
    "*** Update File: a.py\n",
    "*** Add File: d.py\n",
    "*** Delete File: a.py\n",
    "*** Move to: e.py\n",
    "*** End Patch\n",
    "--- a/a.py\n",
    "+++ b/a.py\n",
    "@@ -1,2 +1,2 @@\n",
    "@@\n",
    "-one\n",
    "+two\n",
    " one\n",
    "one\n",
    "  two\n",
    "\ttwo\n",
    "two  \n",
    "three\r\n",
    "# ... rest unchanged\n",
    "[redacted]\n",
    "\n",
    "one",
    "é…\u{202e}",
    "\0",
];

#[test]
fn fuzz_edits() {
    let seeds = [
        "Here is `a.py`:\n```python a.py\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n",
        "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+two\n*** End Patch\n",
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-one\n+two\n \ttwo\n",
        "**`sub/b.md`**:\n````markdown b.md\n# B\n```\n````\n",
    ];
    fuzz(Target {
        name: "edits",
        seeds: seeds.map(|seed| seed.as_bytes().to_vec()).to_vec(),
        words: ANSWERS,
        longest: 32 * 1024,
        check: |input| check(&String::from_utf8_lossy(input)),
    });
}

fn check(answer: &str) {
    let real = "one\n\ttwo\r\n  two\n\none\ntoken\nthree";
    let text = real.replace("\r\n", "\n").replace("token", "[redacted]");
    let file = ContextFile {
        path: "a.py".to_owned(),
        reason: PickReason::Named,
        text,
        lines: (1, 7, 7),
        line: 0,
        name: String::new(),
    };
    let shown = ModelContext { files: vec![file], tree: "a.py\nsub/b.md\n".to_owned(), ..ModelContext::default() };
    let (edits, _) = Edits::of(answer, &shown);
    let Ok(names) = edits.names() else { return };
    let all = [("a.py", real), ("sub/b.md", "# B\n")];
    let all = all.map(|(name, text)| (RelativePath::new(name).unwrap(), text.as_bytes().to_vec()));
    let found: BTreeMap<RelativePath, Vec<u8>> =
        all.clone().into_iter().filter(|(name, _)| names.contains(name)).collect();
    let Ok(Some(diff)) = edits.diff(&found, &shown) else { return };
    // A diff that the answer itself contains may be anything, and its parser rejects a NUL. A diff built here must apply,
    // render to itself, and keep the final newline.
    let lower = answer.to_lowercase();
    if ["--- ", "*** ", "@@", "diff", "patch", "\0"].iter().any(|mark| lower.contains(mark)) {
        return;
    }
    let states = all.map(|(name, bytes)| (name, FileState { bytes, executable: false }));
    let changes = resolve(&parse_patch(&diff).unwrap(), &states.into_iter().collect()).unwrap();
    assert_eq!(changes.diff(), diff, "{answer:?}");
    // An empty line at the end of a whole file is one more newline.
    if answer.contains("\n\n") || answer.contains("\n\r\n") {
        return;
    }
    for change in changes.files() {
        let ended = change.before().is_none_or(|before| before.bytes.ends_with(b"\n"));
        let after = &change.after().unwrap().bytes;
        assert!(after.is_empty() || after.ends_with(b"\n") == ended, "{answer:?} {change:?}");
    }
}
