//! What could follow on the line being typed. Asks the sources for candidates and the ranking for their order; does
//! not know how they are shown.

pub mod candidate;
mod history;
mod rank;

use crate::history::index::Index;
use candidate::Candidate;

/// The line being typed, and where.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Text before the cursor.
    pub left: &'a str,
    /// Text after the cursor.
    pub right: &'a str,
    pub cwd: &'a str,
}

/// At most `limit` candidates, best first.
pub fn complete(line: Line<'_>, index: &Index, limit: usize) -> Vec<Candidate> {
    let mut candidates = history::candidates(line, index, limit);
    rank::order(&mut candidates);
    candidates.truncate(limit);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::index::Ran;
    use insta::assert_snapshot;

    /// Runs a scene: `history COMMAND [in DIR] [exit N]` lines oldest first, `cwd DIR`, `line TEXT` with `|` as the
    /// cursor. Gives one line per candidate.
    fn run(scene: &str) -> String {
        let mut index = Index::default();
        let (mut cwd, mut line) = ("~", String::new());
        for row in scene.lines().map(str::trim).filter(|row| !row.is_empty()) {
            let (word, rest) = row.split_once(char::is_whitespace).unwrap_or((row, ""));
            let rest = rest.trim();
            match word {
                "history" => {
                    let (rest, exit) = match rest.rsplit_once(" exit ") {
                        Some((rest, exit)) => (rest.trim(), exit.parse().unwrap()),
                        None => (rest, 0),
                    };
                    let (command, cwd) = match rest.rsplit_once(" in ") {
                        Some((command, cwd)) => (command.trim(), cwd.trim()),
                        None => (rest, "~"),
                    };
                    index.add(Ran { command: &command.replace("\\n", "\n"), cwd: Some(cwd), exit: Some(exit), session: None });
                }
                "cwd" => cwd = rest,
                "line" => line = rest.replace("\\n", "\n"),
                _ => panic!("unknown word in scene: {word}"),
            }
        }
        let (left, right) = line.split_once('|').expect("the line has a cursor");
        let candidates = complete(Line { left, right, cwd }, &index, 4);
        let rows = candidates
            .iter()
            .map(|candidate| format!("{}  {}", candidate.text.replace('\n', "\\n"), candidate.source.name()));
        rows.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn prefers_what_you_ran_in_this_directory() {
        let scene = "
            history  git status      in ~/work
            history  git stash pop
            cwd      ~/work
            line     git st|
        ";
        assert_snapshot!(run(scene), @r"
        git status  history
        git stash pop  history
        ");
    }

    #[test]
    fn prefers_what_worked_over_what_failed() {
        let scene = "
            history  cargo test --all
            history  cargo tset  exit 101
            line     cargo t|
        ";
        assert_snapshot!(run(scene), @r"
        cargo test --all  history
        cargo tset  history
        ");
    }

    #[test]
    fn is_silent_before_the_first_letter_and_in_the_middle_of_a_line() {
        assert_snapshot!(run("history ls -l\nline |"), @"");
        assert_snapshot!(run("history ls -l\nline    |"), @"");
        assert_snapshot!(run("history ls -l\nline l|s"), @"");
    }

    #[test]
    fn is_silent_when_there_is_nothing_to_add() {
        assert_snapshot!(run("history ls\nline ls|"), @"");
    }

    #[test]
    fn offers_multi_line_commands_but_not_scripts() {
        let scene = "
            history  while true; do\\n  date\\ndone
            line     while|
        ";
        assert_snapshot!(run(scene), @r"while true; do\n  date\ndone  history");
        let script = format!("history cat {}\nline cat|", "x\\n".repeat(40));
        assert_snapshot!(run(&script), @"");
    }
}
