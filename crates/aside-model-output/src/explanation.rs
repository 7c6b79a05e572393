//! Extracts an explanation in plain lines from a model's answer: without reasoning, fences and Markdown.

use crate::{readable, reasoning};

/// Lines below a prompt.
const MAX_LINES: usize = 12;
/// Characters of one line.
const MAX_LINE: usize = 200;

/// At most a dozen non-empty lines. While the answer streams, only complete lines.
pub fn explanation(said: &str) -> Vec<String> {
    let said = readable(said);
    let Some(spoken) = reasoning::strip_all(&said) else { return Vec::new() };
    let lines = spoken.lines().map(plain).filter(|line| !line.is_empty());
    lines.take(MAX_LINES).collect()
}

fn plain(line: &str) -> String {
    let line = line.trim();
    // A fence, or a rule between parts.
    if line.starts_with("```")
        || line.starts_with("~~~")
        || line.chars().all(|sign| matches!(sign, '-' | '*' | '=' | '_'))
    {
        return String::new();
    }
    let heading = line.trim_start_matches('#');
    let line = if heading.len() < line.len() && heading.starts_with(' ') { heading.trim_start() } else { line };
    let bullet = ["- ", "* ", "• ", "> "].iter().find_map(|mark| line.strip_prefix(mark));
    let line = bullet.unwrap_or(line).replace("**", "").replace("__", "");
    let line = unticked(&line);
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default().trim_end()),
        None => words,
    }
}

/// Removes the backquotes around code; a single one may be part of a command.
fn unticked(line: &str) -> String {
    if line.matches('`').count().is_multiple_of(2) { line.replace('`', "") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_come_out() {
        let said = "<think>hm</think>\n## What it does\n\nFinds **big** files.\n\n- `-type f`: only files\n* `-size +1M`: \
                    above 1 MB\n---\n```\nfind .\n```\n\u{1b}[31mCareful: nothing.\u{1b}[0m";
        assert_eq!(
            explanation(said),
            [
                "What it does",
                "Finds big files.",
                "-type f: only files",
                "-size +1M: above 1 MB",
                "find .",
                "Careful: nothing."
            ]
        );
        assert_eq!(explanation("<think>still"), [""; 0]);
        assert_eq!(explanation(""), [""; 0]);
        assert_eq!(explanation("a ` b"), ["a ` b"]);
        let long = explanation(&format!("{}\n", "é".repeat(500)).repeat(50));
        assert_eq!((long.len(), long.first().map(|line| line.chars().count())), (MAX_LINES, Some(MAX_LINE + 1)));
    }
}
