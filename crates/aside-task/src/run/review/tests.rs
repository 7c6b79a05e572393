//! Whole changes as git prints them, and the reviews of them.

use super::*;
use crate::proposal::Proposal;

fn told(diff: &str, lines: usize) -> String {
    match review(diff, lines, Language::English).proposal {
        Proposal::Answer { text } => text,
        other => panic!("{other:?}"),
    }
}

fn found(diff: &str) -> Vec<String> {
    let all = summarize(diff).risks;
    all.iter()
        .flat_map(|risk| risk.places.iter().map(move |spot| (risk, spot)))
        .map(|(risk, spot)| match spot.line {
            Some(line) => format!("{} {}:{line}", risk.rule, spot.path),
            None => format!("{} {}", risk.rule, spot.path),
        })
        .collect()
}

/// A diff of one file with these lines.
fn changed(path: &str, lines: &[&str]) -> String {
    let of = |sign: char| lines.iter().filter(|line| line.starts_with(sign)).count();
    let both = lines.len() - of('+') - of('-');
    let (old, new) = (both + of('-'), both + of('+'));
    format!(
        "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n@@ -1,{old} +1,{new} @@\n{}\n",
        lines.join("\n")
    )
}

#[test]
fn a_change_is_told_the_gravest_first() {
    let diff = [
        changed(
            "src/user.rs",
            &[" fn a() {", "+    dbg!(&user);", "+    let x = load().unwrap();", " }", "-pub fn find(id: u64) {}"],
        ),
        changed("config.yml", &["+token: ghp_16C7e42F292c6912E7710c838347Ae178B4a"]),
        changed("Cargo.toml", &[" [dependencies]", "+serde = \"1.0\""]),
        changed("Cargo.lock", &["+checksum = \"16c7e42f292c6912e7710c838347ae178b4a16c7e42f292c6912e7710c838347\""]),
    ]
    .concat();
    assert_eq!(
        told(&diff, 40),
        "4 files, +5 −1: 1 code, 1 configuration, 1 dependencies, 1 lock file.\n\n\
         Look at these first. Rules found them; nobody has read the change:\n\
         - **a secret is added (github token)**: `config.yml:1` `token: [redacted]`\n\
         - debugging leftover: `src/user.rs:2` `dbg!(&user);`\n\
         - public name removed or renamed: `src/user.rs:3` `pub fn find(id: u64) {}`\n\
         - dependency added or changed: `Cargo.toml:2` `serde = \"1.0\"`\n\n\
         Small things:\n\
         - stops the program when it fails: `src/user.rs:3` `let x = load().unwrap();`\n\n\
         Files:\n\
         - `src/user.rs` +2 −1 (code)\n\
         - `config.yml` +1 −0 (configuration)\n\
         - `Cargo.toml` +1 −0 (dependencies)\n\
         - `Cargo.lock` +1 −0 (lock file)\n"
    );
    assert_eq!(
        review(&diff, 40, Language::English).summary,
        "4 files, +5 −1: 1 thing that should not be committed, 3 more to look at"
    );
    let chinese = review(&diff, 40, Language::Chinese);
    assert_eq!(chinese.summary, "4 个文件，+5 −1：1 处不应提交，另有 3 处需要看");
    let Proposal::Answer { text } = chinese.proposal else { panic!("{:?}", chinese.proposal) };
    assert!(text.starts_with("4 个文件，+5 −1：代码 1 个、"), "{text}");
    assert!(text.contains("\n小问题：\n- 失败时会终止程序：`src/user.rs:3` `let x = load().unwrap();`\n\n文件：\n- `src/user.rs` +2 −1（代码）\n"), "{text}");
}

#[test]
fn a_quiet_change_is_said_to_be_quiet() {
    let diff = changed("src/a.rs", &["-let x = one();", "+let x = two();"]);
    assert_eq!(
        told(&diff, 40),
        "1 file, +1 −1: all code.\n\nNothing stands out. That is what rules found; whether the change is right, they cannot tell.\n\n\
         Files:\n- `src/a.rs` +1 −1 (code)\n"
    );
    assert_eq!(told("", 40), "Nothing has changed that could be looked at.");
    assert_eq!(review("", 40, Language::English).summary, "Nothing has changed");
    assert_eq!(review("", 40, Language::Chinese).summary, "没有改动");
}

#[test]
fn the_forms_of_git_are_read() {
    let diff = "diff --git a/logo.bin b/logo.bin\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/logo.bin differ\n\
        diff --git a/old name.rs b/new name.rs\nsimilarity index 100%\nrename from old name.rs\nrename to new name.rs\n\
        diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
        diff --git a/link b/link\nnew file mode 120000\nindex 0000000..1\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n\
        diff --git \"a/\\303\\244.md\" \"b/\\303\\244.md\"\ndeleted file mode 100644\nindex 1..0\n--- \"a/\\303\\244.md\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
        diff --cc both.rs\nindex 1,2..3\n--- a/both.rs\n+++ b/both.rs\n@@@ -1,1 -1,1 +1,1 @@@\n++x\n\
        diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n\
        diff --git a/copy.rs b/copied.rs\nsimilarity index 90%\ncopy from copy.rs\ncopy to copied.rs\n";
    let review = summarize(diff);
    let files: Vec<String> =
        review.files.iter().map(|file| format!("{} [{}]", file.path, file.change.english)).collect();
    assert_eq!(
        files,
        [
            "logo.bin [new, binary]",
            "new name.rs [renamed from old name.rs]",
            "run.sh []",
            "link [new]",
            "ä.md [deleted]",
            "sub []",
            "copied.rs [copied from copy.rs]",
        ]
    );
    assert_eq!(
        review.notes.iter().map(|note| &note.english).collect::<Vec<_>>(),
        ["both.rs was merged by hand; a combined diff is not looked at"]
    );
    assert_eq!(found(diff), ["binary logo.bin", "mode run.sh", "link link", "submodule sub"]);
}

#[test]
fn what_all_lines_together_show() {
    let removed_test = changed("tests/test_a.py", &["-def test_login():", "-    assert login()", " x = 1"]);
    assert_eq!(found(&removed_test), ["test-removed tests/test_a.py:1"]);
    let of_rust = changed("src/a.rs", &["-#[test]", "-fn adds() {", "-}", " mod b;"]);
    assert_eq!(found(&of_rust), ["test-removed src/a.rs:2"]);
    let moved = [changed("src/a.rs", &["-pub fn find() {}", " x"]), changed("src/b.rs", &["+pub fn find() {}", " x"])];
    assert_eq!(found(&moved.concat()), Vec::<String>::new(), "it has moved");
    let again = changed("src/a.rs", &["-pub fn find() {}", "+pub fn find(id: u64) {}"]);
    assert_eq!(found(&again), ["api-changed src/a.rs:1"]);
    let blanks = changed("src/a.js", &["-  go( x )", "+\tgo(x)"]);
    assert_eq!(found(&blanks), ["whitespace src/a.js"]);
    let python = changed("src/a.py", &["-  go(x)", "+    go(x)"]);
    assert_eq!(found(&python), Vec::<String>::new(), "its blanks mean something");
    let environment = changed(".env", &["+A=1"]);
    assert_eq!(found(&environment), ["denied .env"]);
    let hidden = changed("src/a.c", &["+if (a /*\u{202e} } \u{2066}*/) {"]);
    assert_eq!(found(&hidden), ["hidden src/a.c:1"]);
    let family = changed("src/a.c", &["+puts(\"\u{1f469}\u{200d}\u{1f467}\");"]);
    assert_eq!(found(&family), Vec::<String>::new());
    let fake = changed("tests/a.rs", &["+let token = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\";"]);
    assert_eq!(summarize(&fake).risks[0].weight, Severity::Look);
    let conflict = changed("docs/a.md", &["+<<<<<<< HEAD", " a", "+=======", "+>>>>>>> other"]);
    assert_eq!(found(&conflict), ["conflict-marker docs/a.md:1", "conflict-marker docs/a.md:4"]);
    let rows: Vec<String> = (0..1200).map(|number| format!("+let a{number} = {number};")).collect();
    let large = changed("src/a.rs", &rows.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(found(&large), ["large src/a.rs"]);
    let key = changed(
        "src/key.rs",
        &[
            "+const KEY: &str = \"-----BEGIN RSA PRIVATE KEY-----",
            "+MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB",
            "+-----END RSA PRIVATE KEY-----\";",
        ],
    );
    assert_eq!(found(&key), ["secret src/key.rs:1"]);
}

#[test]
fn it_never_has_more_lines_than_there_is_room_for() {
    let files: String = (0..60)
        .map(|number| {
            changed(
                &format!("src/f{number}.rs"),
                &["+    dbg!(x);", "+    // TODO: x", "+unsafe { y() }", "-pub fn go() {}"],
            )
        })
        .collect();
    for lines in [1, 8, 12, 20, 40, 500] {
        let told = told(&files, lines);
        assert!(told.lines().count() <= lines.max(8), "{lines}: {}\n{told}", told.lines().count());
    }
    let told = told(&files, 20);
    assert!(
        told.contains("debugging leftover, 60 times: `src/f0.rs:1`, `src/f1.rs:1`, `src/f2.rs:1`, and 57 more"),
        "{told}"
    );
}

#[test]
fn no_text_is_too_odd() {
    let odd = [
        "diff --git",
        "diff --git \n",
        "@@ -1 +1 @@\n+x",
        "--- a\n+++ b\n@@ -99999999999999999999 +1 @@\n",
        "diff --git a b\n@@ -1,5 +1,5 @@\n+",
        "--- a/x\n+++ b/x\n@@ -18446744073709551615,2 +18446744073709551615,2 @@\n+x\n-y\n",
        "diff --git \"a/\\ b/\\\n",
        "\0\u{feff}é",
    ];
    for text in odd {
        let _ = review(text, 10, Language::Chinese);
        let _ = review(&text.repeat(3), 10, Language::English);
    }
}

/// The Chinese texts contain no English of ours: only names and code have Latin letters.
#[test]
fn every_word_of_ours_is_said_in_chinese_too() {
    let is_chinese = |text: &str| Language::of(text) == Language::Chinese;
    let untold: Vec<&str> =
        rules::ALL.iter().map(|rule| rule.what.of(Language::Chinese)).filter(|what| !is_chinese(what)).collect();
    assert_eq!(untold, Vec::<&str>::new());
    for kind in ["code", "tests", "lock file", "documentation", "configuration"] {
        assert!(is_chinese(file_kind::called(kind, Language::Chinese)), "{kind}");
        assert_eq!(file_kind::called(kind, Language::English), kind);
    }
    let (_, notes) =
        denied_files::without_denied("diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-A=1\n+A=2\n");
    assert_eq!(notes[0].chinese, ".env 的内容没有显示：环境变量文件，可能含有机密");
}

#[test]
fn secrets_are_named_by_their_place_and_small_changes_are_shown() {
    let diff = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,2 @@\n a = 1\n+TOKEN = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"\n";
    let told = secrets(diff, Language::English);
    assert!(told.contains("- `x.py:2`") && !told.contains("ghp_"), "{told}");
    assert!(secrets("", Language::English).starts_with("No added line"));
    let shown = excerpt(diff, Language::English);
    assert!(shown.contains("+TOKEN") && !shown.contains("ghp_0123"), "{shown}");
    assert_eq!(file_kind::of("big.log"), "log");
}
