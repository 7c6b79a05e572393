//! Answers as models write them, and the resulting files.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::diff::parse::parse_patch;
use crate::diff::path::RelativePath;
use crate::diff::resolve::{FileState, resolve};
use crate::run::context::{ContextFile, ModelContext, PickReason};
use crate::run::edits::Edits;

const USER: &str = "class User:\n\tdef name(self):\n\t\treturn self.nmae\n\n\tdef mail(self):\n\t\treturn self.mail\n";
const HELLO: &str = "def hello():\n    print(\"helo world\")\n";

/// Some files and how the model was shown them: unchanged, unless stated otherwise.
#[derive(Default)]
struct Scene {
    found: BTreeMap<RelativePath, Vec<u8>>,
    shown: ModelContext,
}

impl Scene {
    fn usual() -> Self {
        Self::default().file("src/user.py", USER).file("hello.py", HELLO).unseen("Makefile", "all:\n\ttrue\n")
    }

    fn only(path: &str, text: &str) -> Self {
        Self::default().file(path, text)
    }

    fn file(self, path: &str, text: &str) -> Self {
        let shown = text.replace("\r\n", "\n");
        self.shown_as(path, text, &shown)
    }

    fn shown_as(mut self, path: &str, text: &str, shown: &str) -> Self {
        let all = text.lines().count();
        let file = ContextFile {
            path: path.to_owned(),
            reason: PickReason::Named,
            text: shown.to_owned(),
            lines: (1, all, all),
            line: 0,
            name: String::new(),
        };
        self.shown.files.push(file);
        self.unseen(path, text)
    }

    fn unseen(mut self, path: &str, text: &str) -> Self {
        self.found.insert(RelativePath::new(path).unwrap(), text.as_bytes().to_vec());
        self.shown.tree.push_str(&format!("{path}\n"));
        self
    }

    /// The changed files; or the refusal; or that the answer has only words.
    fn answered(&self, answer: &str) -> String {
        let (edits, _) = Edits::of(answer, &self.shown);
        let found = match edits.names() {
            Err(refusal) => return format!("refused: {refusal}"),
            Ok(names) => self.found.clone().into_iter().filter(|(name, _)| names.contains(name)).collect(),
        };
        let diff = match edits.diff(&found, &self.shown) {
            Err(refusal) => return format!("refused: {refusal}"),
            Ok(None) => return "words".to_owned(),
            Ok(Some(diff)) => diff,
        };
        let states = self
            .found
            .iter()
            .map(|(name, bytes)| (name.clone(), FileState { bytes: bytes.clone(), executable: false }));
        let settled = parse_patch(&diff).and_then(|patch| resolve(&patch, &states.collect()));
        let changes = match settled {
            Err(refusal) => return format!("refused: {refusal}"),
            Ok(changes) => changes,
        };
        let mut told = String::new();
        for change in changes.files() {
            match change.after() {
                Some(after) => write!(told, "{}\n{}", change.row(), String::from_utf8_lossy(&after.bytes)).unwrap(),
                None => writeln!(told, "{}", change.row()).unwrap(),
            }
        }
        told
    }

    #[track_caller]
    fn makes(&self, answer: &str, path: &str, text: &str) {
        let told = self.answered(answer);
        let (row, after) = told.split_once('\n').unwrap_or((&told, ""));
        assert!(row.contains(path) && after == text, "{answer}\n=> {told}");
    }

    #[track_caller]
    fn refuses(&self, answer: &str, why: &str) {
        let told = self.answered(answer);
        assert!(told.starts_with("refused: ") && told.contains(why), "{answer}\n=> {told}");
    }

    #[track_caller]
    fn words(&self, answer: &str) {
        assert_eq!(self.answered(answer), "words", "{answer}");
    }
}

fn fixed(text: &str) -> String {
    text.replace("nmae", "name")
}

#[test]
fn a_block_is_understood_wherever_its_file_is_named() {
    let block = "<<<<<<< SEARCH\n\t\treturn self.nmae\n=======\n\t\treturn self.name\n>>>>>>> REPLACE\n";
    let scene = Scene::usual();
    for answer in [
        format!("Fixes it.\n\nsrc/user.py\n{block}"),
        format!("Fixes it.\n\nsrc/user.py\n```python\n{block}```\nThat is all.\n"),
        format!("```python\nsrc/user.py\n{block}```\n"),
        format!("```python src/user.py\n{block}```\n"),
        format!("```src/user.py\n{block}```\n"),
        format!("```python:src/user.py\n{block}```\n"),
        format!("```python title=\"src/user.py\"\n{block}```\n"),
        format!("### `src/user.py`\n\n```\n{block}```\n"),
        format!("**src/user.py**\n{block}"),
        format!("1. **File: `src/user.py`**:\n~~~\n{block}~~~\n"),
        format!("File: src/user.py (modified)\n{block}"),
        format!("文件：src/user.py\n{block}"),
        format!("```python\n# src/user.py\n{block}```\n"),
        format!("```js\n// src/user.py\n{block}```\n"),
        format!("In `src/user.py` the field is misspelled:\n```\n{block}```\n"),
        format!("./src/user.py\n{block}"),
        format!("user.py\n{block}"),
        format!("src/user.py:3\n{block}"),
        format!("src/user.py\n{}", block.replace("<<<<<<< SEARCH", "<<<<<<< SEARCH src/user.py")),
        block.replace("<<<<<<< SEARCH", "<<<<<<< SEARCH src/user.py"),
        format!(
            "src/user.py\n{}",
            block.replace("<<<<<<<", "<<<<<").replace("=======", "=====").replace(">>>>>>>", ">>>>>")
        ),
        format!("src/user.py\n{}", block.replace("<<<<<<<", "<<<<<<<<<").replace(">>>>>>>", ">>>>>>>>>")),
        format!("src/user.py\n{}", block.replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED")),
        format!("src/user.py\n{}", block.replace("SEARCH", "search").replace(" REPLACE", "")),
        format!("src/user.py\n{}", block.replace('\n', "\r\n")),
        format!(
            "- src/user.py\n  ```python\n{}  ```\n",
            block.lines().map(|line| format!("  {line}\n")).collect::<String>()
        ),
    ] {
        scene.makes(&answer, "src/user.py", &fixed(USER));
    }
    Scene::only("hello.py", HELLO).makes(
        "<<<<<<< SEARCH\n    print(\"helo world\")\n=======\n    print(\"hello world\")\n>>>>>>> REPLACE",
        "hello.py",
        &HELLO.replace("helo", "hello"),
    );
    scene.refuses(&format!("So:\n\n{block}"), "block 1 does not say which file");
}

#[test]
fn several_blocks_change_one_file_or_more() {
    let scene = Scene::usual();
    let answer = "Both.\n\nsrc/user.py\n```python\n<<<<<<< SEARCH\nclass User:\n=======\nclass Person:\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n\t\treturn self.nmae\n=======\n\t\treturn self.name\n>>>>>>> REPLACE\n```\n";
    scene.makes(answer, "src/user.py", &fixed(USER).replace("User", "Person"));
    let two = "hello.py\n<<<<<<< SEARCH\n    print(\"helo world\")\n=======\n    print(\"hello world\")\n>>>>>>> REPLACE\n\nsrc/new.py\n<<<<<<< SEARCH\n=======\nX = 1\n>>>>>>> REPLACE\n";
    assert_eq!(
        scene.answered(two),
        "M hello.py +1 -1\ndef hello():\n    print(\"hello world\")\nA src/new.py +1 -0\nX = 1\n"
    );
    // A block that matches what the one before has produced.
    let after = "hello.py\n<<<<<<< SEARCH\ndef hello():\n=======\ndef greet():\n>>>>>>> REPLACE\n<<<<<<< SEARCH\ndef greet():\n=======\ndef greet(name):\n>>>>>>> REPLACE\n";
    scene.makes(after, "hello.py", &HELLO.replace("hello()", "greet(name)"));
    let deletes = "src/user.py\n<<<<<<< SEARCH\n\n\tdef mail(self):\n\t\treturn self.mail\n=======\n>>>>>>> REPLACE\n";
    scene.makes(deletes, "src/user.py", "class User:\n\tdef name(self):\n\t\treturn self.nmae\n");
}

#[test]
fn a_block_finds_its_place_or_says_why_not() {
    let block = |old: &str, new: &str| format!("src/user.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let scene = Scene::usual();
    // Trailing blanks, too little indentation, blanks for tabs, empty lines around it, a part of a line.
    scene.makes(&block("\t\treturn self.nmae  ", "\t\treturn self.name"), "src/user.py", &fixed(USER));
    scene.makes(
        &block("def name(self):\n\treturn self.nmae", "def name(self):\n\treturn self.name"),
        "src/user.py",
        &fixed(USER),
    );
    scene.makes(
        &block("    def name(self):\n        return self.nmae", "    def name(self):\n        return self.name"),
        "src/user.py",
        &fixed(USER),
    );
    scene.makes(&block("\n\t\treturn self.nmae\n", "\n\t\treturn self.name\n"), "src/user.py", &fixed(USER));
    scene.makes(&block("self.nmae", "self.name"), "src/user.py", &fixed(USER));
    let deeper = block(
        "\t\t\tdef name(self):\n\t\t\t\treturn self.nmae",
        "\t\t\tdef name(self):\n\t\t\t\tx = 1\n\t\t\t\treturn self.name",
    );
    scene.makes(
        &deeper,
        "src/user.py",
        &fixed(USER).replace("\t\treturn self.name", "\t\tx = 1\n\t\treturn self.name"),
    );
    for (old, new, why) in [
        (
            "\t\treturn self.nom",
            "\t\treturn self.name",
            "src/user.py: in block 1, the text to replace is not in the file: it has no line `return self.nom`",
        ),
        ("return self.nmae\ndef name(self):", "x", "not in the file in this order"),
        ("self", "this", "is there 4 times"),
        ("nma", "nam", "not in the file"),
        ("\treturn self.nom", "\t\treturn self.mail", "the file has what it would become already"),
        ("", "x = 1", "SEARCH is empty, and the file is there"),
        ("   ", "x = 1", "only blanks"),
        (
            "\t\treturn self.nmae",
            "\t\t# ... existing code ...\n\t\treturn self.name",
            "stands for lines that are left out",
        ),
        ("\t\treturn self.nmae", "\t\treturn self.nmae", "nothing of it would change"),
    ] {
        scene.refuses(&block(old, new), why);
    }
    let twice = Scene::only("a.c", "x();\ny();\nx();\n");
    let block = "a.c\n<<<<<<< SEARCH\nx();\n=======\nz();\n>>>>>>> REPLACE\n";
    twice.refuses(block, "a.c: in block 1, the text to replace is there 2 times; add lines around it");
    twice.makes(&block.replace("x();", "y();\nx();").replace("z();", "y();\nz();"), "a.c", "x();\ny();\nz();\n");
    // An exact match wins over approximate ones.
    let nearly = Scene::only("a.py", "if a:\n    x()\nx()\n");
    nearly.makes("a.py\n<<<<<<< SEARCH\nx()\n=======\ny()\n>>>>>>> REPLACE\n", "a.py", "if a:\n    x()\ny()\n");
    scene.refuses("src/gone.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "there is no such file");
}

#[test]
fn half_a_block_is_none() {
    let scene = Scene::usual();
    for (answer, why) in [
        ("hello.py\n<<<<<<< SEARCH\ndef hello():\n=======\ndef greet():\n", "block 1 has no line >>>>>>> REPLACE"),
        (
            "hello.py\n```\n<<<<<<< SEARCH\ndef hello():\n=======\ndef greet():\n```\nDone.\n",
            "block 1 has no line >>>>>>> REPLACE",
        ),
        ("hello.py\n<<<<<<< SEARCH\ndef hello():\n>>>>>>> REPLACE\n", "has no line ======="),
        ("hello.py\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", "several lines of ="),
        (
            "hello.py\n<<<<<<< SEARCH\ndef hello():\n=======\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
            "block 1 has no line",
        ),
        ("hello.py\n```\ndef hello():\n", "its block has no end"),
    ] {
        scene.refuses(answer, why);
    }
    // The underline of a heading is not the separator.
    let doc = Scene::only("a.rst", "Title\n===\n\nwords\n");
    doc.makes(
        "a.rst\n<<<<<<< SEARCH\nTitle\n===\n=======\nOther\n===\n>>>>>>> REPLACE\n",
        "a.rst",
        "Other\n===\n\nwords\n",
    );
    // A merge conflict of git is no edit.
    scene.words("You have a conflict in hello.py:\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```\n");
}

#[test]
fn a_whole_file_counts_when_it_is_named() {
    let body = "def hello():\n    print(\"hello world\")\n";
    let scene = Scene::usual();
    for answer in [
        format!("hello.py\n```\n{body}```"),
        format!("hello.py\n\n```python\n{body}```\nThat is all."),
        format!("```python hello.py\n{body}```"),
        format!("```hello.py\n{body}```"),
        format!("```python\n# hello.py\n{body}```"),
        format!("**`hello.py`**:\n```python\n{body}```"),
        format!("Here is the updated `hello.py`:\n\n```python\n{body}```"),
        format!("Here is hello.py with the word right:\n```python\n{body}```"),
        format!("Before:\n\nhello.py\n```\n{HELLO}```\n\nAfter:\n\nhello.py\n```\n{body}```"),
    ] {
        scene.makes(&answer, "hello.py", body);
    }
    scene.makes("Create `src/new.py`:\n```python\nX = 1\n```\n", "src/new.py", "X = 1\n");
    scene.makes("src/new.py\n```python\nX = 1\n```\n", "src/new.py", "X = 1\n");
    let readme = "docs/a.md\n````markdown\n# A\n```sh\nls\n```\n````\n";
    scene.makes(readme, "docs/a.md", "# A\n```sh\nls\n```\n");
    scene.makes("```markdown docs/a.md\n# A\n```sh\nls\n```\nEnd\n```\n", "docs/a.md", "# A\n```sh\nls\n```\nEnd\n");
    // Given twice, once as a block: the block counts.
    let both = format!(
        "hello.py\n<<<<<<< SEARCH\nhelo\n=======\nhello\n>>>>>>> REPLACE\n\nSo it becomes:\n\nhello.py\n```\n{body}```\n"
    );
    scene.makes(&both, "hello.py", body);
    scene.refuses(&format!("hello.py\n```\n{body}```\nhello.py\n```\n{body}x\n```"), "written twice, and not the same");
    scene.refuses(&format!("hello.py\n```\n{HELLO}```"), "hello.py: nothing of it would change");
}

#[test]
fn code_that_explains_is_no_change() {
    let scene = Scene::usual();
    for answer in [
        "```python\ndef hello():\n    print(\"hello world\")\n```",
        "The line is:\n```python\n    print(\"helo world\")\n```",
        "At `src/user.py:3` it says:\n```python\n\t\treturn self.nmae\n```",
        "src/user.py:3\n```python\n\t\treturn self.nmae\n```",
        "In `src/user.py` there is:\n```python\n\t\treturn self.nmae\n```",
        "Run `scripts/build.sh`:\n```sh\nscripts/build.sh --all\n```",
        "`hello.py` and `src/user.py` are alike:\n```python\ndef hello():\n    print(1)\n```",
        "```text/plain\nx\n```",
        "```python {.numbered}\nx = 1\n```",
        "```console\n# hello.py\nls\n```",
        "See https://example.com/a.py\n```\nx\n```",
        "I would have to see src/store.py first.",
    ] {
        scene.words(answer);
    }
}

#[test]
fn a_file_with_a_gap_or_a_part_of_it_is_refused() {
    let long: String = (0..20).map(|number| format!("line_{number} = {number}\n")).collect();
    let scene = Scene::usual().file("long.py", &long);
    for gap in [
        "# ... rest unchanged",
        "# ...",
        "…",
        "# … existing code …",
        "# rest of the code remains the same",
        "# the rest of the file is unchanged",
        "// ... other methods unchanged ...",
        "<!-- ... existing content ... -->",
        "/* ... */",
        "# 其余代码不变...",
        "# ... (其余不变)",
    ] {
        let (head, tail) = long.split_at(long.find("line_10").unwrap());
        let answer = format!("long.py\n```\n{head}{gap}\n{}```", tail.replace("= 19", "= 20"));
        let told = scene.answered(&answer);
        assert!(told.contains("left out") && told.contains(gap), "{gap}: {told}");
    }
    for plain in [
        "# Retry...",
        "# The existing users",
        "...",
        "x = [1, ...]",
        "print('...')",
        "# the same rest as other files do",
        "# ...and so on",
    ] {
        let answer = format!("long.py\n```\n{long}{plain}\n```");
        assert!(scene.answered(&answer).starts_with("M long.py +1 -0"), "{plain}: {}", scene.answered(&answer));
    }
    assert!(scene.answered(&format!("long.rs\n```\n{long}...\n```")).contains("left out"));
    scene.refuses("long.py\n```\nline_0 = 0\nline_1 = 2\n```", "it has 20 lines, and only 2 would be left");
    scene.refuses(
        "src/user.py\n```\n\tdef name(self):\n\t\treturn self.name\n\tdef mail(self):\n```",
        "begins in its middle",
    );
    scene.refuses("hello.py\n```\nWIDTH = 100\nHEIGHT = 25\n```", "hardly a word of it is left");
    scene.refuses("Makefile\n```\nall:\n\tfalse\n```", "not all of it was shown");
    let mut part = Scene::only("long.py", &long);
    part.shown.files[0].lines = (1, 10, 20);
    part.shown.files[0].text = long.split_inclusive('\n').take(10).collect();
    part.refuses(&format!("long.py\n```\n{}```", part.shown.files[0].text), "not all of it was shown");
    part.makes(
        "long.py\n<<<<<<< SEARCH\nline_15 = 15\n=======\nline_15 = 0\n>>>>>>> REPLACE\n",
        "long.py",
        &long.replace("= 15", "= 0"),
    );
}

#[test]
fn ends_of_lines_and_of_files_are_kept() {
    let crlf = Scene::only("a.txt", "one\r\ntwo  \r\nthree");
    let block = "a.txt\n<<<<<<< SEARCH\ntwo\n=======\ntwo\nand a half\n>>>>>>> REPLACE\n";
    crlf.makes(block, "a.txt", "one\r\ntwo  \r\nand a half\r\nthree");
    crlf.makes("a.txt\n```\none\ntwo\n3\n```", "a.txt", "one\r\ntwo  \r\n3");
    crlf.makes(
        "a.txt\n<<<<<<< SEARCH\nthree\n=======\nthree\nfour\n>>>>>>> REPLACE\n",
        "a.txt",
        "one\r\ntwo  \r\nthree\r\nfour",
    );
    let bare = Scene::only("a.txt", "one\ntwo");
    bare.makes("a.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n", "a.txt", "one\n2");
    bare.makes("a.txt\n```\none\n2\n```", "a.txt", "one\n2");
    // Where only blanks change, that is the intended change.
    let blanks = Scene::only("a.txt", "one  \ntwo\n");
    blanks.makes("a.txt\n```\none\ntwo\n```", "a.txt", "one\ntwo\n");
    Scene::only("empty.py", "").makes("empty.py\n```\nx = 1\n```", "empty.py", "x = 1\n");
    Scene::only("empty.py", "").makes(
        "empty.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n",
        "empty.py",
        "x = 1\n",
    );
}

#[test]
fn a_secret_that_was_not_shown_stays() {
    let (real, shown) = ("TOKEN = 'abc'\nRETRIES = 1\n", "TOKEN = '[redacted]'\nRETRIES = 1\n");
    let scene = Scene::default().shown_as("s.py", real, shown);
    let three = real.replace("= 1", "= 3");
    scene.makes("s.py\n```\nTOKEN = '[redacted]'\nRETRIES = 3\n```", "s.py", &three);
    let block = "s.py\n<<<<<<< SEARCH\nTOKEN = '[redacted]'\nRETRIES = 1\n=======\nTOKEN = '[redacted]'\nRETRIES = 3\n>>>>>>> REPLACE\n";
    scene.makes(block, "s.py", &three);
    scene.makes("s.py\n```\nRETRIES = 1\nTOKEN = '[redacted]'\n```", "s.py", "RETRIES = 1\nTOKEN = 'abc'\n");
    // What was shown differs from the file: it was changed in the meantime.
    let other = Scene::default().shown_as("s.py", "a = 1\nb = 2\n", "a = 1\nc = 3\n");
    other.refuses("s.py\n```\na = 1\nc = 4\n```", "not all of it was shown");
}

#[test]
fn diffs_and_patches_are_understood_beside_the_rest() {
    let scene = Scene::usual();
    let patch = "*** Begin Patch\n*** Update File: hello.py\n@@ def hello():\n-    print(\"helo world\")\n+    print(\"hello world\")\n*** End Patch\n";
    let body = HELLO.replace("helo", "hello");
    for answer in [patch.to_owned(), format!("Fixes it.\n```\n{patch}```\n"), format!("```diff\n{patch}```\n")] {
        scene.makes(&answer, "hello.py", &body);
    }
    let all = "*** Begin Patch\n*** Add File: src/b.py\n+X = 1\n+Y = 2\n*** Delete File: Makefile\n*** Update File: hello.py\n*** Move to: greet.py\n@@\n-def hello():\n+def greet():\n     print(\"helo world\")\n*** End Patch\n";
    assert_eq!(
        scene.answered(all),
        "A src/b.py +2 -0\nX = 1\nY = 2\nD Makefile +0 -2\nR hello.py → greet.py +1 -1\ndef greet():\n    print(\"helo world\")\n"
    );
    scene.refuses(&patch.replace("hello.py", "../hello.py"), "../hello.py");
    scene.refuses("*** Begin Patch\n*** End Patch\n", "names no file");
    let mixed = format!(
        "```diff\n--- a/Makefile\n+++ b/Makefile\n@@ -1,2 +1,2 @@\n all:\n-\ttrue\n+\tfalse\n```\nand\n\nhello.py\n```\n{body}```\n"
    );
    assert!(scene.answered(&mixed).contains("M Makefile +1 -1") && scene.answered(&mixed).contains("M hello.py +1 -1"));
}

#[test]
fn no_form_leads_out() {
    let scene = Scene::usual();
    for path in [
        "../x.py",
        "/etc/passwd",
        "~/.bashrc",
        ".env",
        ".git/config",
        "a/../../x.py",
        "src\\user.py",
        "C:\\x.py",
        ".git/hooks/pre-commit",
    ] {
        for answer in [
            format!("{path}\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"),
            format!(
                "hello.py\n<<<<<<< SEARCH\nhelo\n=======\nhello\n>>>>>>> REPLACE\n\n{path}\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
            ),
            format!("```python\n{path}\n<<<<<<< SEARCH\nhelo\n=======\nhello\n>>>>>>> REPLACE\n```\n"),
            format!("{path}\n```\nx\n```\n"),
            format!("```sh {path}\nx\n```\n"),
            format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"),
        ] {
            scene.refuses(&answer, &format!("{path}:"));
        }
        scene.words(&format!("Put this there yourself:\n```sh\n# {path}\nx\n```\n"));
    }
}

#[test]
fn the_words_are_what_is_left() {
    let scene = Scene::usual();
    let (_, words) = Edits::of("Fixes it.\n\nhello.py\n```\nx\n```\nThat is all.\n", &scene.shown);
    assert_eq!(words, "Fixes it.\n\nThat is all.\n");
    let (_, words) =
        Edits::of("Fixes it.\n\n**hello.py**\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", &scene.shown);
    assert_eq!(words, "Fixes it.\n\n");
}
