//! Removes the contents of denied files from a diff. Keeps the fact that they changed: a committed key is worth reporting.

use aside_core::agent::language::Bilingual;

use crate::denied_files::denial;
use crate::diff::header::{Side, git_names, side};

/// The diff, and a sentence for each file whose contents are left out.
pub fn without_denied(diff: &str) -> (String, Vec<Bilingual>) {
    let mut kept = String::with_capacity(diff.len());
    let mut notes = Vec::new();
    let mut section: Vec<&str> = Vec::new();
    // Lines of a file's contents begin with a sign, so only a header begins with these.
    for line in diff.split_inclusive('\n') {
        if line.starts_with("diff --") {
            keep(&section, &mut kept, &mut notes);
            section.clear();
        }
        section.push(line);
    }
    keep(&section, &mut kept, &mut notes);
    (kept, notes)
}

fn keep(section: &[&str], kept: &mut String, notes: &mut Vec<Bilingual>) {
    let end = section.iter().position(|line| line.starts_with("@@") || line.starts_with("GIT binary patch"));
    let (header, _) = section.split_at(end.unwrap_or(section.len()));
    let found = header.iter().flat_map(|line| names(line.trim_end())).find_map(|name| Some((denial(&name)?, name)));
    match found {
        None => kept.extend(section.iter().copied()),
        Some((what, name)) => {
            kept.extend(header.iter().copied());
            let name = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(&name);
            let name = aside_text::clean(name);
            notes.push(Bilingual::new(
                format!("what is in {name} is left out: {}", what.english),
                format!("{name} 的内容没有显示：{}", what.chinese),
            ));
        }
    }
}

fn names(line: &str) -> Vec<String> {
    if let Some(both) = line.strip_prefix("diff --git ") {
        // If the boundary between the names is unclear, checks each word, since one of them may be a denied file.
        return match git_names(both.as_bytes()) {
            Some((old, new)) => vec![old, new],
            None => both.split(' ').map(str::to_owned).collect(),
        };
    }
    let starts =
        ["--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ", "diff --cc ", "diff --combined "];
    let name = starts.iter().find_map(|start| side(line.strip_prefix(start)?.as_bytes()));
    match name {
        Some(Side::Path(name)) => vec![name],
        Some(Side::Nothing) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_denied_file_is_left_out_and_that_it_changed_is_not() {
        let diff = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-diff --git a/x b/x\n+two\n\
            diff --git a/.env b/.env\nnew file mode 100644\n--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+TOKEN=hunter2\n\
            diff --git a/id_rsa b/notes\nsimilarity index 90%\nrename from id_rsa\nrename to notes\n@@ -1 +1 @@\n-secret\n+secret too\n\
            diff --cc keys/id_ed25519\n@@@ -1 @@@\n++secret\n\
            diff --git a/b.rs b/b.rs\n@@ -1 +1 @@\n-1\n+2\n";
        let (kept, notes) = without_denied(diff);
        assert!(!kept.contains("hunter2") && !kept.contains("secret"), "{kept}");
        assert!(kept.contains("+two\n") && kept.contains("+++ b/.env\n") && kept.ends_with("-1\n+2\n"), "{kept}");
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes[0].english.starts_with("what is in .env is left out: "), "{notes:?}");
        assert_eq!(without_denied("").0, "");
        assert_eq!(without_denied("no diff at all").0, "no diff at all");
    }
}
