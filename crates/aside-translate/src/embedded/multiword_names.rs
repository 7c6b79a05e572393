//! Names of several words: `delete my notes.txt`, where a file `my notes.txt` exists. Quotes a span of the request that
//! is the name of an existing file, so that it is read as one name. If both `my notes.txt` and `notes.txt` exist, the
//! longer one wins.

use std::borrow::Cow;

use aside_commands::world::DirEntry;

use crate::TranslateContext;
use crate::embedded::lexicon::is_han;

/// Directories other than the current one that are listed for one request.
const MAX_DIRECTORIES: usize = 8;
/// Bytes of a name.
const MAX_NAME: usize = 255;

pub fn quoted<'w>(words: &'w str, place: &TranslateContext<'_>) -> Cow<'w, str> {
    if !words.trim().contains(char::is_whitespace) {
        return Cow::Borrowed(words);
    }
    let here = place.world.entries(place.cwd).yes();
    let mut spelled = String::new();
    let (mut at, mut copied, mut looked) = (0, 0, 0);
    let mut quote: Option<char> = None;
    while let Some(letter) = words.get(at..).and_then(|rest| rest.chars().next()) {
        let before = words.get(..at).and_then(|before| before.chars().next_back());
        let rest = words.get(at..).unwrap_or_default();
        let begins =
            before.is_none_or(|before| before.is_whitespace() || is_han(before) || "(,:：，（".contains(before));
        if let Some(close) = quote {
            quote = Some(close).filter(|close| letter != *close);
        } else if let Some(close) = closing(letter).filter(|close| (begins || letter != '\'') && closes(rest, *close)) {
            quote = Some(close);
        } else if begins && !letter.is_whitespace() {
            let found = here.as_deref().and_then(|entries| longest(rest, entries).map(|name| (0, name)));
            let found = found.or_else(|| {
                let directory = directory(rest)?;
                looked += 1;
                let path = absolute(directory, place);
                let entries = place.world.entries(&path).yes().filter(|_| looked <= MAX_DIRECTORIES)?;
                let length = directory.len() + 1;
                longest(rest.get(length..)?, &entries).map(|name| (length, name))
            });
            // A request that is nothing but a name is left as it is.
            let found = found.filter(|(before, name)| before + name.len() < words.trim().len());
            if let Some((before, name)) = found {
                let mark = if name.contains('"') { '\'' } else { '"' };
                spelled.push_str(words.get(copied..at).unwrap_or_default());
                spelled.push(mark);
                spelled.push_str(rest.get(..before).unwrap_or_default());
                spelled.push_str(&name);
                spelled.push(mark);
                at += before + name.len();
                copied = at;
                continue;
            }
        }
        at += letter.len_utf8();
    }
    if copied == 0 {
        return Cow::Borrowed(words);
    }
    spelled.push_str(words.get(copied..).unwrap_or_default());
    Cow::Owned(spelled)
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' | '\'' | '`' => open,
        '“' => '”',
        '‘' => '’',
        '「' => '」',
        _ => return None,
    })
}

fn closes(rest: &str, close: char) -> bool {
    rest.chars().skip(1).any(|letter| letter == close)
}

/// The directory of a path that the text begins with.
fn directory(rest: &str) -> Option<&str> {
    let word = rest.split(char::is_whitespace).next()?;
    word.rfind('/').and_then(|slash| word.get(..slash)).filter(|directory| !directory.is_empty())
}

fn absolute(directory: &str, place: &TranslateContext<'_>) -> String {
    match directory.strip_prefix('~') {
        Some(rest) => format!("{}{rest}", place.world.home()),
        None if directory.starts_with('/') => directory.to_owned(),
        None => format!("{}/{}", place.cwd.trim_end_matches('/'), directory.trim_start_matches("./")),
    }
}

/// The longest name with a blank that the text begins with, in its spelling on disk. Ignores case where that leaves one
/// match.
fn longest(rest: &str, entries: &[DirEntry]) -> Option<String> {
    let is_usable = |name: &str| {
        name.contains(' ')
            && name.len() <= MAX_NAME
            && !name.contains(['\n', '\0'])
            && !(name.contains('"') && name.contains('\''))
    };
    let ends = |length: usize| {
        let mut behind = rest.get(length..).unwrap_or_default().chars();
        match behind.next() {
            None => true,
            Some('.' | '-' | '_' | '/' | '+' | '~') => behind.next().is_none_or(|next| !next.is_alphanumeric()),
            Some(next) => is_han(next) || !next.is_alphanumeric(),
        }
    };
    let stands = |name: &str| rest.starts_with(name) && ends(name.len());
    let names = || entries.iter().map(|entry| &*entry.name).filter(|name| is_usable(name));
    if let Some(name) = names().filter(|name| stands(name)).max_by_key(|name| name.len()) {
        return Some(name.to_owned());
    }
    let alike =
        |name: &&str| rest.get(..name.len()).is_some_and(|said| said.eq_ignore_ascii_case(name)) && ends(name.len());
    let mut found = names().filter(alike);
    found.next().filter(|_| found.next().is_none()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use crate::embedded::fake::Fake;
    use aside_commands::world::FileKind;

    fn best(files: &[&'static str], words: &str) -> String {
        let mut machine = Fake::default();
        machine.directory.extend(files.iter().map(|name| (*name, FileKind::File)));
        machine.best(words)
    }

    #[test]
    fn a_name_of_several_words_is_one_name() {
        let both = ["my notes.txt", "notes.txt"];
        let mut wrong = Vec::new();
        for (files, words, expected) in [
            (&both[..], "delete my notes.txt", "rm 'my notes.txt'"),
            (&both[..1], "delete my notes.txt", "rm 'my notes.txt'"),
            (&both[1..], "delete my notes.txt", "rm notes.txt"),
            (&both[..], "delete notes.txt", "rm notes.txt"),
            (&both[..], "please remove My Notes.txt", "rm 'my notes.txt'"),
            (&both[..], "delete \"my notes.txt\"", "rm 'my notes.txt'"),
            (&both[..], "delete my notes.txt.", "rm 'my notes.txt'"),
            (&both[..], "删除 my notes.txt", "rm 'my notes.txt'"),
            (&both[..], "把 my notes.txt 删掉", "rm 'my notes.txt'"),
            (&both[..], "move my notes.txt to docs", "mv 'my notes.txt' docs/"),
            (&both[..], "rename my notes.txt to old.txt", "mv 'my notes.txt' old.txt"),
            (&both[..], "copy my notes.txt to docs", "cp 'my notes.txt' docs/"),
            (&both[..], "how many lines are in my notes.txt", "wc -l 'my notes.txt'"),
            (&both[..], "show my notes.txt", "cat 'my notes.txt'"),
            (&["report (final) 2.txt"], "delete report (final) 2.txt", "rm report \\(final\\) 2.txt"),
            (&["how to kill it.md"], "delete how to kill it.md", "rm 'how to kill it.md'"),
        ] {
            let best = best(files, words);
            if best.replace("\\ ", " ") != expected.replace('\'', "") && best != expected {
                wrong.push(format!("{words}: {best}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
