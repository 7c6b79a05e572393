//! Adversarial tests: diffs that try to touch forbidden files, or to have the user approve other bytes than those written. None succeeds.
//! Changes on the disk in between are tested where files are written.

use crate::diff::tests::settled;
use crate::diff::{MAX_BYTES, MAX_CHANGED, MAX_FILES, MAX_HUNKS};

/// The user's files. `name` is what an attempt asks for, in place of `‹NAME›`.
const FILES: &[(&str, &str)] = &[("src/a.rs", "one\ntwo\nthree\n"), ("b", "1\n"), ("run.sh*", "#!/bin/sh\n")];

/// Names that lead outside the workspace, or to forbidden files.
const NAMES: &[(&str, &str)] = &[
    ("up one directory", "../x"),
    ("up from below", "src/../../x"),
    ("up in the middle", "src/../src/a.rs"),
    ("up at the end", "src/.."),
    ("here in the middle", "src/./a.rs"),
    ("an absolute name", "/etc/passwd"),
    ("an absolute name with two slashes", "//etc/passwd"),
    ("a home", "~/.bashrc"),
    ("a home of somebody", "~root/x"),
    ("a drive", "C:/Windows/x"),
    ("a drive without a slash", "c:x"),
    ("backslashes up", "..\\..\\x"),
    ("a backslash in a name", "src\\a.rs"),
    ("a share", "\\\\host\\share"),
    ("an empty part", "src//a.rs"),
    ("a slash at the end", "src/"),
    ("the hooks of git", ".git/hooks/pre-commit"),
    ("the settings of git", ".git/config"),
    ("git in capitals", ".GIT/config"),
    ("git in some capitals", ".Git/config"),
    ("git with a dot behind", ".git./config"),
    ("git with dots and blanks", ".git. ./config"),
    ("git with a stream", ".git::$INDEX_ALLOCATION/config"),
    ("git by its short name", "git~1/config"),
    ("git by another short name", "GIT~12/config"),
    ("git below", "vendor/lib/.git/config"),
    ("git as a file", ".git"),
    ("git with a zero-width character", ".g\u{200c}it/config"),
    ("git with a joiner", ".gi\u{200d}t/config"),
    ("git with a mark of order", "\u{feff}.git/config"),
    ("mercurial's hooks", ".hg/hgrc"),
    ("an environment file", ".env"),
    ("an environment file in capitals", ".ENV.Production"),
    ("an environment file below", "deploy/.env.local"),
    ("an environment file with a dot behind", ".env."),
    ("what direnv runs", ".envrc"),
    ("a key of ssh", ".ssh/id_rsa"),
    ("who may come by ssh", "home/.ssh/authorized_keys"),
    ("a key under another directory", "keys/id_ed25519"),
    ("a certificate's key", "tls/server.pem"),
    ("credentials of aws", ".aws/credentials"),
    ("a netrc", ".netrc"),
    ("a token of npm", ".npmrc"),
    ("our own settings", ".config/aside/config.toml"),
    ("a file that we write ourselves", ".aside-1-0.new"),
    ("an escape sequence in a name", "src/\u{1b}[2Jx"),
    ("a reversed name", "src/\u{202e}sr.x"),
    ("a blank at the end of a part", "src /a.rs"),
    ("a blank before a part", " src/a.rs"),
    ("nothing but a dot", "."),
];

/// Ways to put a name into a diff.
const WAYS: &[(&str, &str)] = &[
    ("new", "--- /dev/null\n+++ b/‹NAME›\n@@ -0,0 +1 @@\n+evil\n"),
    (
        "new, no prefix",
        "diff --git ‹NAME› ‹NAME›\nnew file mode 100644\n--- /dev/null\n+++ ‹NAME›\n@@ -0,0 +1 @@\n+evil\n",
    ),
    ("empty", "diff --git a/‹NAME› b/‹NAME›\nnew file mode 100755\n"),
    ("changed", "--- a/‹NAME›\n+++ b/‹NAME›\n@@ -1 +1 @@\n-one\n+evil\n"),
    ("changed, no prefix", "--- ‹NAME›\n+++ ‹NAME›\n@@ -1 +1 @@\n-one\n+evil\n"),
    ("deleted", "--- a/‹NAME›\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"),
    ("renamed to", "diff --git a/b b/‹NAME›\nrename from b\nrename to ‹NAME›\n"),
    ("renamed from", "diff --git a/‹NAME› b/new\nrename from ‹NAME›\nrename to new\n"),
    ("mode", "diff --git a/‹NAME› b/‹NAME›\nold mode 100644\nnew mode 100755\n"),
];

#[test]
fn no_name_leads_out() {
    for (what, name) in NAMES {
        for (way, template) in WAYS {
            let tried = settled(FILES, template.replace("‹NAME›", name).as_bytes());
            assert!(tried.is_err(), "{what}, {way}: {:?}", tried.map(|changes| changes.rows()));
            let escaped: String = name.bytes().map(|byte| format!("\\{byte:03o}")).collect();
            let quoted = template
                .replace("a/‹NAME›", &format!("\"a/{escaped}\""))
                .replace("b/‹NAME›", &format!("\"b/{escaped}\""))
                .replace("‹NAME›", &format!("\"{escaped}\""));
            let tried = settled(FILES, quoted.as_bytes());
            assert!(tried.is_err(), "{what}, {way}, escaped: {:?}", tried.map(|changes| changes.rows()));
        }
    }
}

#[test]
fn the_ways_work_with_a_name_that_is_allowed() {
    let works = |way: &str, name: &str| {
        let template = WAYS.iter().find(|(other, _)| *other == way).unwrap().1;
        settled(FILES, template.replace("‹NAME›", name).as_bytes()).map(|changes| changes.rows().join(","))
    };
    let cases = [
        ("new", "n", "A n +1 -0"),
        ("new, no prefix", "n", "A n +1 -0"),
        ("empty", "n", "A n +0 -0 +x"),
        ("changed", "src/a.rs", "M src/a.rs +1 -1"),
        ("changed, no prefix", "src/a.rs", "M src/a.rs +1 -1"),
        ("renamed to", "n", "R b → n +0 -0"),
        ("renamed from", "src/a.rs", "R src/a.rs → new +0 -0"),
        ("mode", "b", "M b +0 -0 +x"),
    ];
    for (way, name, row) in cases {
        assert_eq!(works(way, name), Ok(row.to_owned()), "{way}");
    }
}

#[test]
fn no_diff_says_one_thing_and_does_another() {
    let many_files: String =
        (0..=MAX_FILES).map(|file| format!("--- /dev/null\n+++ b/f{file}\n@@ -0,0 +1 @@\n+x\n")).collect();
    let many_lines = format!("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n{}", "+x\n".repeat(MAX_CHANGED + 1));
    let many_hunks = format!("--- a/b\n+++ b/b\n{}", "@@ -1 +1 @@\n-1\n+2\n".repeat(MAX_HUNKS + 1));
    let long = format!("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+{}\n", "x".repeat(MAX_BYTES));
    let deep = format!("--- /dev/null\n+++ b/{}x\n@@ -0,0 +1 @@\n+x\n", "d/".repeat(1000));
    let part = format!("--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+x\n", "d".repeat(300));
    let change = "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n";
    let attempts: &[(&str, &str)] = &[
        (
            "a symbolic link",
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
        ),
        (
            "a file becomes a link",
            "diff --git a/b b/b\nold mode 100644\nnew mode 120000\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+/etc/passwd\n",
        ),
        (
            "a submodule",
            "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit 123\n",
        ),
        ("a set-uid file", "diff --git a/s b/s\nnew file mode 104755\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x\n"),
        ("a directory's mode", "diff --git a/src b/src\nold mode 040755\nnew mode 040777\n"),
        (
            "a binary patch",
            "diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 2\nKc\n",
        ),
        ("a binary file that differs", "diff --git a/b b/b\nindex 1..2 100644\nBinary files a/b and b/b differ\n"),
        ("binary data in a line", "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+\0\n"),
        ("a combined diff", "diff --cc b\nindex 1,2..3\n--- a/b\n+++ b/b\n@@@ -1,1 -1,1 +1,1 @@@\n- 1\n -1\n++2\n"),
        ("a combined hunk", "--- a/b\n+++ b/b\n@@@ -1,1 -1,1 +1,1 @@@\n- 1\n++2\n"),
        ("a copy", "diff --git a/b b/c\nsimilarity index 100%\ncopy from b\ncopy to c\n"),
        (
            "names that contradict each other",
            "diff --git a/b b/b\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-one\n+evil\n",
        ),
        (
            "a rename that contradicts its names",
            "diff --git a/b b/c\nrename from b\nrename to c\n--- a/src/a.rs\n+++ b/c\n@@ -1 +1 @@\n-one\n+x\n",
        ),
        ("a rename without saying so", "--- a/b\n+++ b/c\n@@ -1 +1 @@\n-1\n+2\n"),
        ("a rename over a file", "diff --git a/b b/src/a.rs\nrename from b\nrename to src/a.rs\n"),
        ("a rename to itself", "diff --git a/b b/b\nrename from b\nrename to b\n"),
        (
            "two renames that swap",
            "diff --git a/b b/src/a.rs\nrename from b\nrename to src/a.rs\ndiff --git a/src/a.rs b/b\nrename from src/a.rs\nrename to b\n",
        ),
        (
            "two renames to one name",
            "diff --git a/b b/n\nrename from b\nrename to n\ndiff --git a/src/a.rs b/n\nrename from src/a.rs\nrename to n\n",
        ),
        ("new and deleted at once", "diff --git a/b b/b\nnew file mode 100644\ndeleted file mode 100644\n"),
        ("new twice", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+y\n"),
        ("deleted and changed", "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n"),
        ("a new file over one that is there", "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n"),
        (
            "a file where a directory is needed",
            "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/n/m\n@@ -0,0 +1 @@\n+x\n",
        ),
        (
            "a file below a file that is deleted",
            "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n--- /dev/null\n+++ b/b/x\n@@ -0,0 +1 @@\n+x\n",
        ),
        ("deletes more than it shows", "--- a/src/a.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"),
        ("nothing but /dev/null", "--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n"),
        ("/dev/null as a file", "--- a/dev/null\n+++ b/../dev/null\n@@ -0,0 +1 @@\n+x\n"),
        ("a hunk without a file", "@@ -1 +1 @@\n-1\n+2\n"),
        ("a place that is guessed by its number", "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -2,0 +3 @@\n+evil\n"),
        (
            "lines hidden behind a line without a mark",
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,1 +1,1 @@\n-one\n+uno\ntwo\n+evil\n",
        ),
        ("a removed line that is another", "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-2\n+3\n"),
        ("a patch for another program", "*** Begin Patch\n*** Update File: b\n@@\n-1\n+2\n*** End Patch\n"),
        ("a script of ed", "1c\nevil\n.\nw\n!touch evil\n"),
        ("ed behind a name", "--- a/b\n+++ b/b\n1c\n!touch evil\n.\n"),
        ("a normal diff", "1c1\n< 1\n---\n> evil\n"),
        ("a context diff", "*** b\n--- b\n***************\n*** 1 ****\n! 1\n--- 1 ----\n! evil\n"),
        ("too many files", &many_files),
        ("too many lines", &many_lines),
        ("too many hunks", &many_hunks),
        ("too long", &long),
        ("a name too long", &deep),
        ("a part of a name too long", &part),
        ("one good file and one that leads out", &format!("{change}--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n")),
        (
            "one good file and one that does not fit",
            &format!("{change}--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-zero\n+x\n"),
        ),
    ];
    assert!(NAMES.len() + attempts.len() >= 60);
    for (what, patch) in attempts {
        let tried = settled(FILES, patch.as_bytes());
        assert!(tried.is_err(), "{what}: {:?}", tried.map(|changes| changes.rows()));
    }
    assert!(settled(FILES, change.as_bytes()).is_ok());
}

#[test]
fn a_refusal_is_a_sentence_that_a_terminal_can_show() {
    let patches = NAMES.iter().map(|(_, name)| format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"));
    let long = format!("--- a/b\n+++ b/b\n@@ -1 +1 @@\n-{}\u{1b}[2J\n+x\n", "é".repeat(5000));
    for patch in patches.chain([long]) {
        let sentence = settled(FILES, patch.as_bytes()).unwrap_err();
        assert!(aside_text::is_clean(&sentence) && !sentence.contains('\n') && sentence.len() < 600, "{sentence:?}");
    }
}

/// Files and patches that would keep a naive search busy for hours. The test passes if it does not hang.
#[test]
fn no_patch_keeps_us_busy() {
    let blank = "\n".repeat(90_000);
    let hunk = format!("@@ -5 +5 @@\n{}-x\n", " \n".repeat(15_000));
    let patch = format!("--- a/b\n+++ b/b\n{}", hunk.repeat(20));
    assert!(settled(&[("b", &blank)], patch.as_bytes()).is_err());
    let near = format!("@@ -5 +5 @@\n{}+x\n \n-\n", " \n".repeat(2000));
    assert!(settled(&[("b", &blank)], format!("--- a/b\n+++ b/b\n{}", near.repeat(100)).as_bytes()).is_err());
    let prose = "--- a\n".repeat(100_000);
    assert!(settled(&[], prose.as_bytes()).is_err());
    let open = format!("--- a/b\n+++ b/b\n{}", "@@ -1,99999 +1,99999 @@\n x\n".repeat(10_000));
    assert!(settled(&[("b", "x\n")], open.as_bytes()).is_err());
    let quotes = format!("diff --git {}\n", "a ".repeat(200_000));
    assert!(settled(&[], quotes.as_bytes()).is_err());
}
