//! Opens a proposal in the user's editor, or whole in their pager.

use std::io::Write;

use anyhow::Context;

use crate::exec::{self, Own};

/// What the editor left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    Same,
    Empty,
    New(String),
}

pub fn edit(text: &str, is_diff: bool) -> anyhow::Result<Edited> {
    let file = written(text, if is_diff { ".diff" } else { ".sh" })?;
    let ended = exec::own(Own::Editor(file.path()))?;
    anyhow::ensure!(ended.success(), "the editor failed ({ended}); nothing was changed");
    // Reads it by name: many editors replace the file.
    let edited = std::fs::read_to_string(file.path()).context("could not read what the editor wrote")?;
    Ok(changed(text, edited))
}

/// Ignores a final newline, which editors add.
fn changed(before: &str, edited: String) -> Edited {
    let plain = |text: &str| text.trim_end_matches('\n').to_owned();
    if edited.trim().is_empty() {
        Edited::Empty
    } else if plain(before) == plain(&edited) {
        Edited::Same
    } else {
        Edited::New(edited)
    }
}

pub fn view(rows: &[String]) -> anyhow::Result<()> {
    let file = written(&rows.join("\n"), ".txt")?;
    let ended = exec::own(Own::Pager(file.path()))?;
    anyhow::ensure!(ended.success(), "the pager failed ({ended}); set PAGER to one you have");
    Ok(())
}

/// Whether `less` will show colours: it does if $LESS asks for them, and we set that where the user has not.
pub fn pager_has_colours() -> bool {
    std::env::var("LESS").map_or(true, |less| less.contains(['r', 'R']) || less.contains("RAW"))
}

/// A temporary file that only the user can read; removed when dropped.
fn written(text: &str, suffix: &str) -> anyhow::Result<tempfile::NamedTempFile> {
    let file = tempfile::Builder::new().prefix("aside-").suffix(suffix).tempfile();
    let mut file = file.context("could not make a temporary file")?;
    let end = if text.ends_with('\n') { "" } else { "\n" };
    file.write_all(format!("{text}{end}").as_bytes()).context("could not write a temporary file")?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_left_as_it_was_is_no_change() {
        assert_eq!(changed("make", "make\n".to_owned()), Edited::Same);
        assert_eq!(changed("a\nb\n", "a\nb\n".to_owned()), Edited::Same);
        assert_eq!(changed("make", " \n".to_owned()), Edited::Empty);
        assert_eq!(changed("make", "make test\n".to_owned()), Edited::New("make test\n".to_owned()));
    }
}
