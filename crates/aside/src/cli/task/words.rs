//! What is asked: the words of the command line, and what is piped in behind them. Of a long text the end is kept, which is where the error is.

use std::io::{IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use aside_core::line::{Dialect, quote};
use aside_core::task::route::command;
use aside_core::task::run::said::fenced;

/// Of what is piped in. The daemon takes twice that as a whole.
const MAX_PIPED: usize = 32 * 1024;
/// When somebody at a terminal is told what is being waited for.
const QUIET: Duration = Duration::from_secs(2);

/// Nothing when nothing is asked.
pub fn request(words: &[String]) -> anyhow::Result<Option<String>> {
    let words = joined(words).trim().to_owned();
    let piped = if std::io::stdin().is_terminal() { String::new() } else { piped()? };
    let piped = piped.trim_end();
    Ok(match (words.is_empty(), piped.trim().is_empty()) {
        (true, true) => None,
        (true, false) => Some(piped.trim().to_owned()),
        (false, true) => Some(words),
        (false, false) => Some(together(&words, piped)),
    })
}

/// The words of the command line as one text. Of `run rm "my notes.txt"` the shell has taken the quotes, and the command needs them; a single
/// argument behind `run` is the whole line as it is, and operators that were quoted are operators: `run a '|' b`.
fn joined(words: &[String]) -> String {
    const RUNS: [&str; 5] = ["run", "execute", "rerun", "运行", "执行"];
    match words {
        [verb, program, arguments @ ..]
            if RUNS.contains(&verb.to_lowercase().as_str()) && command::is_program(program) =>
        {
            let is_operator = |word: &str| {
                word.trim_start_matches(|digit: char| digit.is_ascii_digit()).starts_with(['|', '&', ';', '<', '>'])
            };
            let spelled = |word: &String| match is_operator(word) {
                true => word.clone(),
                false => quote::word(word, Dialect::Bash),
            };
            let arguments: Vec<String> = arguments.iter().map(spelled).collect();
            format!("{verb} {program} {}", arguments.join(" "))
        }
        words => words.join(" "),
    }
}

/// The words decide what is wanted, and what was printed does not, whatever it says: so it stands in a fence.
fn together(words: &str, piped: &str) -> String {
    format!("{words}\n\n{}", fenced("", piped).trim_end())
}

/// All of it is read, so that whoever writes is not cut off.
fn piped() -> anyhow::Result<String> {
    let (ended, end) = mpsc::channel::<()>();
    if std::io::stderr().is_terminal() {
        std::thread::spawn(move || {
            if end.recv_timeout(QUIET) == Err(mpsc::RecvTimeoutError::Timeout) {
                complain!("aside: reading standard input to its end; with < /dev/null there is none");
            }
        });
    }
    let text = last_of(std::io::stdin().lock());
    drop(ended);
    Ok(text?)
}

fn last_of(mut input: impl Read) -> std::io::Result<String> {
    let mut kept: Vec<u8> = Vec::new();
    let mut dropped = 0;
    let mut chunk = vec![0; 8192];
    loop {
        let length = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        kept.extend_from_slice(chunk.get(..length).unwrap_or_default());
        // Not at every chunk: moving the bytes costs more than keeping them.
        if kept.len() > 4 * MAX_PIPED {
            dropped += cut(&mut kept);
        }
    }
    dropped += cut(&mut kept);
    let text = String::from_utf8_lossy(&kept).into_owned();
    Ok(if dropped == 0 { text } else { format!("[{dropped} bytes before this are left out]\n{text}") })
}

/// At the beginning of a line, if there is one soon.
fn cut(kept: &mut Vec<u8>) -> usize {
    let over = kept.len().saturating_sub(MAX_PIPED);
    if over == 0 {
        return 0;
    }
    let line = kept.iter().skip(over).take(1024).position(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    kept.drain(..over + line);
    over + line
}

#[cfg(test)]
mod tests {
    use aside_core::task::route::intent::Kind;
    use aside_core::task::route::{Options, Routed, Scope, route};

    use super::*;

    #[test]
    fn what_is_piped_in_has_no_say_in_what_is_wanted() {
        let kind = |words: &str, piped: &str| match route(&together(words, piped), &Options::default()) {
            Routed::Task(route) => (route.intent.kind, route.scope),
            Routed::Apply { id } => panic!("{id}"),
        };
        let tests = "running 2 tests\ntest a ... ok\ntest run_all ... FAILED\n\nfailures:\n    run_all\n\nfix the tests and run make check";
        let text = "# Release\n\n```sh\nmake install\n```\nthen delete the old one";
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-fix\n+find\n";
        assert_eq!(kind("why", tests), (Kind::Diagnose, Scope::Full));
        assert_eq!(kind("what went wrong", tests), (Kind::Diagnose, Scope::Full));
        assert_eq!(kind("explain this", tests), (Kind::Explain, Scope::Full));
        assert_eq!(kind("explain this", text), (Kind::Explain, Scope::Full));
        assert_eq!(kind("review this", diff), (Kind::Review, Scope::Full));
    }

    #[test]
    fn arguments_of_a_command_keep_their_quotes() {
        let joined = |words: &[&str]| joined(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(joined(&["run", "rm", "my notes.txt"]).replace("\\ ", "_"), "run rm my_notes.txt");
        assert_eq!(joined(&["run", "make test 2>&1 | tail"]), "run make test 2>&1 | tail");
        assert_eq!(joined(&["run", "echo", "a", ">", "b.txt", "2>&1"]), "run echo a > b.txt 2>&1");
        assert_eq!(joined(&["run", "the", "tests"]), "run the tests");
        assert_eq!(joined(&["fix", "the login"]), "fix the login");
    }

    #[test]
    fn of_a_long_text_the_end_is_kept_from_the_beginning_of_a_line() {
        let lines: String = (0..100_000).map(|number| format!("line {number}\n")).collect();
        let kept = last_of(lines.as_bytes()).unwrap();
        let (note, rest) = kept.split_once('\n').unwrap();
        assert_eq!(note, format!("[{} bytes before this are left out]", lines.len() - rest.len()));
        assert!(rest.starts_with("line ") && rest.ends_with("line 99999\n"));
        assert!(rest.len() <= MAX_PIPED && rest.len() > MAX_PIPED - 1100);
        assert_eq!(last_of("short\n".as_bytes()).unwrap(), "short\n");
        let one = "x".repeat(3 * MAX_PIPED);
        assert_eq!(
            last_of(one.as_bytes()).unwrap().len(),
            "[65536 bytes before this are left out]\n".len() + MAX_PIPED
        );
    }
}
