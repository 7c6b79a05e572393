//! Renders an untracked file as a diff: all of it is new.

use aside_core::agent::language::Bilingual;
use aside_text as text;

/// The reviewed part of a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrackedFile {
    pub diff: String,
    /// What is not reviewed.
    pub note: Option<Bilingual>,
}

/// `None` for a name that a diff would have to quote.
pub fn header(path: &str) -> Option<String> {
    let plain = !path.is_empty() && text::clean(path) == path && !path.contains(['\n', '\t', '"', '\\']);
    plain.then(|| format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"))
}

/// Shows at most `bytes` of its contents, in whole lines.
pub fn added(path: &str, contents: &[u8], bytes: usize) -> Option<UntrackedFile> {
    let mut diff = header(path)?;
    let shown = contents.get(..contents.len().min(bytes)).unwrap_or_default();
    let is_binary = shown.contains(&0);
    let whole = shown.len() == contents.len();
    let shown = match shown.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if !whole => shown.get(..=end).unwrap_or_default(),
        _ => shown,
    };
    if is_binary {
        let head = diff.split("--- /dev/null").next().unwrap_or_default().to_owned();
        return Some(UntrackedFile { diff: format!("{head}Binary files /dev/null and b/{path} differ\n"), note: None });
    }
    let text = String::from_utf8_lossy(shown);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        let head = diff.split("--- /dev/null").next().unwrap_or_default().to_owned();
        return Some(UntrackedFile { diff: head, note: None });
    }
    diff.push_str(&format!("@@ -0,0 +1,{} @@\n", lines.len()));
    for line in &lines {
        diff.push_str(&format!("+{}\n", line.trim_end_matches('\n')));
    }
    if whole && !text.ends_with('\n') {
        diff.push_str("\\ No newline at end of file\n");
    }
    let note = (!whole).then(|| match lines.len() {
        1 => Bilingual::new(
            format!("only the beginning of {path}, {bytes} bytes, was looked at"),
            format!("{path} 只看了开头的 {bytes} 字节"),
        ),
        lines => Bilingual::new(
            format!("only the first {lines} lines of {path} were looked at"),
            format!("{path} 只看了前 {lines} 行"),
        ),
    });
    Some(UntrackedFile { diff, note })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::review::summarize;

    #[test]
    fn a_new_file_is_looked_at_like_one_that_was_added() {
        let fresh = added("src/new.js", b"let a = 1;\nconsole.log(a)\n", 1000).unwrap();
        assert_eq!(
            fresh.diff,
            "diff --git a/src/new.js b/src/new.js\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.js\n@@ -0,0 +1,2 @@\n\
             +let a = 1;\n+console.log(a)\n"
        );
        let review = summarize(&fresh.diff);
        assert_eq!((review.files[0].change.english.as_str(), review.files[0].added), ("new", 2));
        assert!(review.risks.iter().any(|risk| risk.rule == "debugger"), "{review:?}");
        let spaced = summarize(&added("a file.txt", b"x\n", 100).unwrap().diff);
        assert_eq!(spaced.files[0].path, "a file.txt");
    }

    #[test]
    fn what_is_cut_binary_or_empty_says_so() {
        let cut = added("a.txt", b"one\ntwo\nthree\n", 9).unwrap();
        assert_eq!(
            cut.note.map(|note| note.english).as_deref(),
            Some("only the first 2 lines of a.txt were looked at")
        );
        assert!(cut.diff.ends_with("@@ -0,0 +1,2 @@\n+one\n+two\n"), "{}", cut.diff);
        let binary = summarize(&added("a.png", b"\x89PNG\0\0", 100).unwrap().diff);
        assert_eq!((binary.files.len(), binary.files[0].change.english.as_str()), (1, "new, binary"));
        assert_eq!(summarize(&added("empty", b"", 100).unwrap().diff).files[0].added, 0);
        assert!(added("end", b"x", 100).unwrap().diff.ends_with("+x\n\\ No newline at end of file\n"));
        for odd in ["", "a\nb", "a\"b", "a\u{1b}[0m", "a\u{202e}b", "a\\b"] {
            assert_eq!(added(odd, b"x\n", 100), None, "{odd:?}");
        }
    }
}
