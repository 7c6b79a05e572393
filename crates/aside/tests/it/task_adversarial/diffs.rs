//! Diffs that lead out of the workspace, or to files in it that no task may touch: from a model, and from a client that edits the proposal.

use serde_json::json;

use super::fixture::{Attempt, Fixture, HARMLESS, adds, changes};

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("diffs");
    stage.twin("a harmless diff", |stage| {
        let task = stage.model_changes(HARMLESS);
        assert_eq!(stage.approves_blindly(&task), "COMPLETED");
        assert_eq!(stage.home.read("project/a.txt"), "one\nzwei\nthree\n");
    });
    stage.twin("a harmless new file, a rename, a mode and an edit", |stage| {
        let diff = format!(
            "{}diff --git a/b.txt b/c.txt\nsimilarity index 100%\nrename from b.txt\nrename to c.txt\n\
             diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n",
            adds("docs/new.txt")
        );
        let task = stage.model_changes(HARMLESS);
        let mut edit = stage.ada.sees(&task).answer("a twin");
        edit["text"] = json!(diff);
        let edited = stage.ada.says("edit", edit);
        assert_eq!(edited["type"], "task", "{edited}");
        assert_eq!(stage.approves_blindly(&task), "COMPLETED");
        assert_eq!(stage.home.read("project/docs/new.txt"), "canary\n");
        assert_eq!(stage.home.read("project/c.txt"), "un\ndeux\n");
    });
    for (name, diff) in hostile() {
        stage.attempt(name, |stage| {
            let task = stage.model_changes(&diff);
            stage.approves_blindly(&task);
        });
    }
    // The other way in: a local client submits it in place of the proposal. Not counted again, since the names are the same.
    stage.begin_uncounted();
    let task = stage.model_changes(HARMLESS);
    for (name, diff) in hostile() {
        let shown = stage.ada.sees(&task);
        let mut edit = shown.answer("an attempt");
        edit["text"] = json!(diff);
        let answer = stage.ada.says("edit", edit);
        assert_eq!(answer["error"]["code"], "refused", "{name}: {answer}");
    }
    let success = stage.came_to();
    assert_eq!(success, None, "an edit");
    stage.done()
}

/// With the name of the attempt. Even a user who approves each of them blindly must come to no harm.
fn hostile() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, diff: String| all.push((name.to_owned(), diff));
    for path in NEW {
        put(&format!("a new file {path:?}"), adds(path));
    }
    for (path, before) in OLD {
        put(&format!("a change of {path:?}"), changes(path, before));
    }
    for (from, to) in RENAMES {
        put(
            &format!("a rename from {from:?} to {to:?}"),
            format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"),
        );
    }
    for (name, diff) in WHOLE {
        put(name, (*diff).to_owned());
    }
    put("more than anybody reads", {
        let lines: String = (0..25_000).map(|number| format!("+{number}\n")).collect();
        format!("--- /dev/null\n+++ b/large.txt\n@@ -0,0 +1,25000 @@\n{lines}")
    });
    put("more files than anybody reads", (0..60).map(|number| adds(&format!("many/{number}.txt"))).collect());
    put("a harmless file and one outside", format!("{HARMLESS}{}", adds("../outside/new.txt")));
    put("a file outside and a harmless one", format!("{}{HARMLESS}", adds("../outside/new.txt")));
    put("a harmless file and a denied one", format!("{HARMLESS}{}", changes(".env", "TOKEN=before")));
    all
}

const NEW: [&str; 32] = [
    "../outside/new.txt",
    "../../escaped.txt",
    "src/../../outside/new.txt",
    "./../outside/new.txt",
    "src/./../../outside/new.txt",
    "src//../../outside/new.txt",
    "/tmp/aside-escaped.txt",
    "//tmp/aside-escaped.txt",
    "~/escaped.txt",
    "$HOME/../escaped.txt/..",
    "..\\outside\\new.txt",
    "C:\\escaped.txt",
    ".git/hooks/pre-commit",
    ".git/hooks/post-checkout",
    ".git/config.worktree",
    ".git/info/attributes",
    "src/.git/hooks/pre-commit",
    ".GIT/hooks/pre-commit",
    ".Git/config",
    ".git./hooks/pre-commit",
    ".git /hooks/pre-commit",
    "git~1/hooks/pre-commit",
    ".g\u{200d}it/hooks/pre-commit",
    ".gi\u{200c}t/config",
    "\u{202e}txt.evil",
    "src/\u{feff}x.rs",
    "name\rwith-return.txt",
    ".ssh/authorized_keys",
    ".config/aside/rules.toml",
    ".aside/rules.toml",
    ".local/state/aside/tasks/t1.jsonl",
    ".env.production",
];

const OLD: [(&str, &str); 8] = [
    ("../outside/secret.txt", "TOKEN=before"),
    (".env", "TOKEN=before"),
    (".ENV", "TOKEN=before"),
    ("./.env", "TOKEN=before"),
    ("config/id_rsa", "TOKEN=before"),
    ("config/ID_RSA", "TOKEN=before"),
    (".git/HEAD", "ref: refs/heads/main"),
    (".git/config", "[core]"),
];

const RENAMES: [(&str, &str); 8] = [
    ("b.txt", ".env"),
    (".env", "shown.txt"),
    ("b.txt", "../outside/secret.txt"),
    ("../outside/secret.txt", "stolen.txt"),
    ("b.txt", ".git/hooks/pre-commit"),
    (".git/HEAD", "head.txt"),
    ("b.txt", "config/id_rsa"),
    ("tool.sh", "/tmp/aside-escaped.sh"),
];

const WHOLE: [(&str, &str); 17] = [
    (
        "a link",
        "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+../outside\n\\ No newline at end of file\n",
    ),
    (
        "a file that becomes a link",
        "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 120000\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1 @@\n-one\n-two\n-three\n+../outside/secret.txt\n",
    ),
    (
        "a link and a file through it",
        "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+../outside\n--- /dev/null\n+++ b/link/new.txt\n@@ -0,0 +1 @@\n+canary\n",
    ),
    (
        "a submodule",
        "diff --git a/sub b/sub\nnew file mode 160000\nindex 0000000..1234567\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 1234567890123456789012345678901234567890\n",
    ),
    ("a mode that nobody asked for", "diff --git a/tool.sh b/tool.sh\nold mode 100755\nnew mode 104755\n"),
    ("a device", "diff --git a/dev b/dev\nnew file mode 020666\n--- /dev/null\n+++ b/dev\n@@ -0,0 +1 @@\n+x\n"),
    ("a mode change of a denied file", "diff --git a/.env b/.env\nold mode 100644\nnew mode 100755\n"),
    (
        "a binary patch",
        "diff --git a/a.bin b/a.bin\nnew file mode 100644\nindex 0000000..e69de29\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n",
    ),
    ("a NUL", "--- /dev/null\n+++ b/nul.txt\n@@ -0,0 +1 @@\n+a\u{0}b\n"),
    (
        "a copy of a denied file",
        "diff --git a/.env b/copy.txt\nsimilarity index 100%\ncopy from .env\ncopy to copy.txt\n",
    ),
    (
        "names that contradict each other",
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/.env\n@@ -1 +1 @@\n-TOKEN=before\n+canary\n",
    ),
    (
        "a header that says one name and a hunk that says another",
        "diff --git a/a.txt b/../outside/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/../outside/new.txt\n@@ -0,0 +1 @@\n+canary\n",
    ),
    ("a quoted name with an escape", "--- /dev/null\n+++ \"b/\\056\\056/outside/new.txt\"\n@@ -0,0 +1 @@\n+canary\n"),
    ("a quoted name of git's", "--- /dev/null\n+++ \"b/\\056git/hooks/pre-commit\"\n@@ -0,0 +1 @@\n+canary\n"),
    ("a quoted name with a newline", "--- /dev/null\n+++ \"b/a\\nb.txt\"\n@@ -0,0 +1 @@\n+canary\n"),
    ("a file that is deleted outside", "--- a/../outside/secret.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-TOKEN=before\n"),
    ("a script for ed", "2c\ncanary\n.\nw ../outside/new.txt\n!touch ../outside/canary\nq\n"),
];
