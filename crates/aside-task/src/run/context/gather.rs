//! Turns what was read into what the model is shown: without secrets and hidden characters, within a byte budget, cut at line ends.

use aside_redact::redact;
use aside_text as text;

use crate::denied_files::denied;
use crate::run::context::{
    ContextFile, Ignored, ListedFile, MAX_DIAGNOSTICS_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_GIT_BYTES, MAX_READ,
    MAX_SELECTION_BYTES, MAX_TOTAL_BYTES, MAX_TREE_BYTES, ModelContext, PickedFile,
};

/// What the caller found out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// Each file with its bytes; `None` when it could not be read.
    pub read: &'a [(PickedFile, Option<Vec<u8>>)],
    pub selection: &'a str,
    pub tree: &'a [ListedFile<'a>],
    /// Branch, status and diff statistics, as git prints them.
    pub git: &'a str,
    /// Messages of compilers and linters.
    pub diagnostics: &'a str,
}

pub fn gather(facts: &Facts<'_>) -> ModelContext {
    // The user's selection comes first, then the file names, then the files, each within the room that is left.
    let mut context = ModelContext {
        selection: cut(&clean(facts.selection), MAX_SELECTION_BYTES).to_owned(),
        diagnostics: cut(&clean(facts.diagnostics), MAX_DIAGNOSTICS_BYTES).to_owned(),
        git: cut(&clean(facts.git), MAX_GIT_BYTES).to_owned(),
        tree: tree(facts.tree),
        ..ModelContext::default()
    };
    let mut files = Vec::new();
    let mut room = MAX_TOTAL_BYTES.saturating_sub(context.bytes());
    for (pick, bytes) in facts.read.iter().take(MAX_FILES) {
        // Checked again here, whatever the caller's list says.
        if let Some(what) = denied(&pick.path) {
            context.notes.push(format!("{} is left out: {what}", pick.path));
            continue;
        }
        let Some(bytes) = bytes else {
            context.notes.push(format!("{} could not be read", pick.path));
            continue;
        };
        let Some(whole) = readable(bytes) else {
            context.notes.push(format!("{} is left out: it is binary", pick.path));
            continue;
        };
        let clean = self::clean(&whole);
        if *clean != whole.replace("\r\n", "\n") {
            context.notes.push(format!("{}: secrets or hidden characters were taken out", pick.path));
        }
        let (text, first, last, all) = window(&clean, pick.line, MAX_FILE_BYTES.min(room));
        if text.is_empty() && !clean.is_empty() {
            context.notes.push(format!("{} is left out: there is no room for it", pick.path));
            continue;
        }
        if (first, last) != (1, all) {
            context.notes.push(format!("{}: lines {first} to {last} of {all} are shown", pick.path));
        }
        room -= text.len();
        files.push(ContextFile {
            path: pick.path.clone(),
            reason: pick.reason,
            text: text.to_owned(),
            lines: (first, last, all),
            line: pick.line,
            name: pick.name.clone(),
        });
    }
    context.files = files;
    context
}

/// The text of a file; `None` for a binary file.
fn readable(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..bytes.len().min(MAX_READ)).unwrap_or_default();
    if head.contains(&0) {
        return None;
    }
    match std::str::from_utf8(head) {
        Ok(text) => Some(text.to_owned()),
        // A character cut in half at the end does not make it binary.
        Err(error) if error.error_len().is_none() && head.len() < bytes.len() => {
            head.get(..error.valid_up_to()).and_then(|head| std::str::from_utf8(head).ok()).map(str::to_owned)
        }
        Err(_) => None,
    }
}

/// Removes secrets and hidden characters. Drops the CR of CRLF too: a model would lose it anyway, and the file keeps its own.
fn clean(text: &str) -> String {
    let clean = redact(&text::clean(&text.replace("\r\n", "\n"))).into_owned();
    // `|>` is an operator in some languages; alone it opens no turn of a chat template.
    let opens = ["<|", "[INST]", "_of_turn>", "</s>", "<｜"].iter().any(|turn| clean.contains(turn));
    if opens { text::escape_chat_turns(clean) } else { clean }
}

/// The beginning, in whole lines.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(bytes)).unwrap_or_default();
    head.rfind('\n').and_then(|end| head.get(..=end)).unwrap_or_default()
}

/// Whole lines around a given line, within a byte budget: the text, its first and last line, and the number of lines of the file.
pub(super) fn window(text: &str, line: usize, bytes: usize) -> (&str, usize, usize, usize) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let all = lines.len();
    if text.len() <= bytes {
        return (text, 1, all, all);
    }
    let middle = line.clamp(1, all.max(1)) - 1;
    let (mut first, mut end) = (middle, middle);
    let mut size = 0;
    // Takes twice as much after the line as before it: declarations above are mostly short.
    let length = |at: usize| lines.get(at).map(|line| line.len());
    loop {
        let mut grown = false;
        for _ in 0..2 {
            if let Some(more) = length(end).filter(|more| size + more <= bytes) {
                size += more;
                end += 1;
                grown = true;
            }
        }
        if let Some(more) = first.checked_sub(1).and_then(length).filter(|more| size + more <= bytes) {
            size += more;
            first -= 1;
            grown = true;
        }
        if !grown {
            break;
        }
    }
    if size == 0 {
        return ("", 1, 1, all);
    }
    let start: usize = lines.iter().take(first).map(|line| line.len()).sum();
    (text.get(start..start + size).unwrap_or_default(), first + 1, end, all)
}

/// File names only; keeps those of the topmost directories when there are too many.
fn tree(tree: &[ListedFile<'_>]) -> String {
    let shown = tree.iter().filter(|listed| listed.ignored == Ignored::No && denied(listed.path).is_none());
    let mut paths: Vec<String> = shown.map(|listed| clean(listed.path).replace('\n', " ")).collect();
    let all = paths.len();
    paths.sort_by_key(|path| path.matches('/').count());
    let mut room = MAX_TREE_BYTES - 40;
    let fits = |path: &String| {
        let fits = path.len() < room;
        room = room.saturating_sub(path.len() + 1);
        fits
    };
    let mut paths: Vec<String> = paths.into_iter().take_while(fits).collect();
    let left = all - paths.len();
    paths.sort();
    let mut tree: String = paths.iter().map(|path| format!("{path}\n")).collect();
    if left > 0 {
        tree.push_str(&format!("… and {left} more\n"));
    }
    tree
}
