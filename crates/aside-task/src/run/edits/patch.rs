//! Converts a `*** Begin Patch`, a format that some models were trained on, to a unified diff. It has no line numbers: the lines themselves
//! have to tell the place.

use crate::diff::DiffRefusal;
use crate::diff::path::RelativePath;

pub fn unified(text: &str) -> Result<String, DiffRefusal> {
    let mut diff = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let head = line.trim_end();
        let named = |label: &str| head.strip_prefix(label).map(|name| checked(name.trim()));
        if let Some(name) = named("*** Add File:") {
            let name = name?;
            let mut added = String::new();
            let mut count = 0;
            while let Some(line) = lines.next_if(|line| !line.starts_with("*** ")) {
                added.push_str(&format!("+{}\n", line.strip_prefix('+').unwrap_or(line)));
                count += 1;
            }
            diff.push_str(&format!("--- /dev/null\n+++ {}\n@@ -0,0 +1,{count} @@\n{added}", side("b", &name)));
        } else if let Some(name) = named("*** Delete File:") {
            let name = name?;
            let (old, new) = (side("a", &name), side("b", &name));
            diff.push_str(&format!("diff --git {old} {new}\ndeleted file mode 100644\n"));
        } else if let Some(name) = named("*** Update File:") {
            let name = name?;
            let moved = lines.next_if(|line| line.starts_with("*** Move to:"));
            let moved =
                moved.and_then(|line| line.strip_prefix("*** Move to:")).map(|to| checked(to.trim())).transpose()?;
            let to = moved.as_ref().unwrap_or(&name);
            if let Some(to) = &moved {
                let (old, new) = (side("a", &name), side("b", to));
                diff.push_str(&format!(
                    "diff --git {old} {new}\nrename from {}\nrename to {}\n",
                    side("", &name),
                    side("", to)
                ));
            }
            let mut hunks = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("*** ") || *line == "*** End of File") {
                match line {
                    "*** End of File" => {}
                    _ if line.starts_with("@@") => hunks.push_str("@@\n"),
                    _ if hunks.is_empty() => hunks.push_str(&format!("@@\n{line}\n")),
                    _ => hunks.push_str(&format!("{line}\n")),
                }
            }
            if !hunks.is_empty() {
                diff.push_str(&format!("--- {}\n+++ {}\n{hunks}", side("a", &name), side("b", to)));
            }
        }
    }
    if diff.is_empty() {
        return Err(DiffRefusal::whole(
            "the patch names no file; write `*** Update File: PATH` and the lines that change",
        ));
    }
    Ok(diff)
}

fn checked(name: &str) -> Result<RelativePath, DiffRefusal> {
    RelativePath::new(name).map_err(|sentence| DiffRefusal::of(name, sentence))
}

/// In git's quotes where needed.
fn side(prefix: &str, name: &RelativePath) -> String {
    let slash = if prefix.is_empty() { "" } else { "/" };
    let name = format!("{prefix}{slash}{name}");
    if name.contains('"') { format!("\"{}\"", name.replace('"', "\\\"")) } else { name }
}
