//! Asks the daemon for completions on a thread of its own: nothing waits for it, and only the newest question is asked. The answer uses
//! local sources only.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, SystemTime};

use aside_proto::{self as proto, Call, CompleteParams, CompleteResult, Ghost, Reply, Request, WireCandidate, json};
use aside_text::is_clean;
use rustix::process::Pid;

use crate::client;
use crate::config::{Config, RightArrow};
use crate::paths::Paths;

/// A question is asked after so long without a newer one: between quick keys there is no time to read an answer.
const DEBOUNCE: Duration = Duration::from_millis(15);
/// Timeout for the daemon's reply.
const PATIENCE: Duration = Duration::from_secs(1);
/// Retries per line when the daemon is absent or does not reply, with a pause before each.
const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(300);
/// Cap on the bytes of a reply.
const MAX_ANSWER: u64 = 1024 * 1024;
/// Cap on the letters that are drawn and accepted at once.
const MAX_REST: usize = 400;

pub struct CompletionClient {
    questions: Sender<Question>,
    answers: Receiver<Answer>,
    ear: PipeReader,
    expected: GhostSettings,
}

struct Question {
    line: String,
    session: String,
    /// The shell that reads the line.
    shell: Pid,
}

/// The completion of a line; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub line: String,
    pub rest: String,
    expected: GhostSettings,
}

/// The settings that concern the ghost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GhostSettings {
    /// SGR parameters for its colour.
    style: String,
    /// Whether → accepts one word.
    pub word_on_right: bool,
}

impl Default for GhostSettings {
    fn default() -> Self {
        Self { style: "90".to_owned(), word_on_right: false }
    }
}

impl CompletionClient {
    pub fn start(socket: PathBuf) -> Option<Self> {
        let (ear, mouth) = std::io::pipe().ok()?;
        let (questions, asked) = mpsc::channel();
        let (tell, answers) = mpsc::channel();
        let thread = std::thread::Builder::new().name("ghost".to_owned());
        thread.spawn(move || attend(&asked, &tell, mouth, &socket)).ok()?;
        Some(Self { questions, answers, ear, expected: GhostSettings::default() })
    }

    pub fn readable_fd(&self) -> BorrowedFd<'_> {
        self.ear.as_fd()
    }

    pub fn ask(&self, line: &str, session: &str, shell: Pid) {
        let _ = self.questions.send(Question { line: line.to_owned(), session: session.to_owned(), shell });
    }

    /// The newest answer. Call it only when `ear` is readable.
    pub fn answer(&mut self) -> Option<Answer> {
        let _ = self.ear.read(&mut [0; 64]);
        let answer = self.answers.try_iter().last()?;
        self.expected = answer.expected.clone();
        Some(answer)
    }

    pub fn expected(&self) -> &GhostSettings {
        &self.expected
    }

    pub fn style(&self) -> &str {
        &self.expected.style
    }
}

fn attend(asked: &Receiver<Question>, tell: &Sender<Answer>, mut mouth: PipeWriter, socket: &Path) {
    let mut settings = Settings::default();
    while let Ok(mut question) = asked.recv() {
        let (mut tries, mut pause) = (TRIES, DEBOUNCE);
        while tries > 0 {
            match asked.recv_timeout(pause) {
                Ok(newer) => {
                    (question, tries, pause) = (newer, TRIES, DEBOUNCE);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if let Some(rest) = rest(socket, &question) {
                let answer = Answer { line: question.line, rest, expected: settings.expected() };
                if tell.send(answer).is_err() || mouth.write_all(b".").is_err() {
                    return;
                }
                break;
            }
            (tries, pause) = (tries - 1, PAUSE);
        }
    }
}

/// The completion of the line, empty where there is none; `None` without a daemon.
fn rest(socket: &Path, question: &Question) -> Option<String> {
    let cwd = std::fs::read_link(format!("/proc/{}/cwd", question.shell.as_raw_pid())).ok()?;
    let asked = CompleteParams {
        session: question.session.clone(),
        cwd: cwd.to_str()?.to_owned(),
        left: question.line.clone(),
        shell: "bash".to_owned(),
        max_candidates: 1,
        ghost: true,
        ..CompleteParams::default()
    };
    let found = ask(socket, asked)?;
    let fit = found.candidates.first().filter(|_| found.ghost == Ghost::Fit);
    Some(fit.and_then(|candidate| rest_of(candidate, &question.line)).unwrap_or_default())
}

fn rest_of(candidate: &WireCandidate, line: &str) -> Option<String> {
    let rest = candidate.completion.strip_prefix(line)?;
    let at_end = candidate.cursor_pos.is_none_or(|cursor| cursor as usize == candidate.completion.chars().count());
    (at_end && rest.len() <= MAX_REST && is_clean(rest) && !rest.contains(char::is_control)).then(|| rest.to_owned())
}

/// One request and its first reply. Asks no model, which would reply too late.
fn ask(socket: &Path, asked: CompleteParams) -> Option<CompleteResult> {
    let mut stream = client::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut call = Call::new(1, Request::Complete(asked));
    call.make_private();
    stream.write_all(&json::encode_call(&call)).ok()?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_ANSWER)).read_line(&mut line).ok()?;
    match serde_json::from_str::<proto::Answer>(&line).ok()?.reply {
        Reply::Complete(found) => Some(found),
        _ => None,
    }
}

/// Caches the settings; reads them again when their file changes.
#[derive(Default)]
struct Settings {
    read: Option<(Option<SystemTime>, GhostSettings)>,
}

impl Settings {
    fn expected(&mut self) -> GhostSettings {
        let Ok(paths) = Paths::from_env() else { return GhostSettings::default() };
        let changed = std::fs::metadata(&paths.config_file).and_then(|meta| meta.modified()).ok();
        match &self.read {
            Some((when, expected)) if *when == changed => expected.clone(),
            _ => {
                let complete = Config::load(&paths.config_file).unwrap_or_default().complete;
                let word_on_right = complete.right_arrow == RightArrow::Word;
                let expected = GhostSettings { style: style(&complete.ghost_style), word_on_right };
                self.read = Some((changed, expected.clone()));
                expected
            }
        }
    }
}

/// Turns a zsh highlight into SGR parameters: `fg=8` is 90, `fg=#808080,underline` is 38;2;128;128;128;4. Leaves out backgrounds.
fn style(highlight: &str) -> String {
    let codes: Vec<String> = highlight.split(',').filter_map(|part| code(part.trim())).collect();
    if codes.is_empty() { GhostSettings::default().style } else { codes.join(";") }
}

fn code(part: &str) -> Option<String> {
    const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
    let plain = match part {
        "bold" => Some("1"),
        "faint" => Some("2"),
        "italic" => Some("3"),
        "underline" => Some("4"),
        _ => None,
    };
    if plain.is_some() {
        return plain.map(str::to_owned);
    }
    let colour = part.strip_prefix("fg=")?;
    if let Some(light) = colour.strip_prefix('#') {
        let number = u32::from_str_radix(light, 16).ok()?;
        let [_, red, green, blue] = number.to_be_bytes();
        return match light.len() {
            3 => {
                let [_, _, high, low] = number.to_be_bytes();
                let (red, green, blue) = (high & 15, low >> 4, low & 15);
                Some(format!("38;2;{};{};{}", red * 17, green * 17, blue * 17))
            }
            6 => Some(format!("38;2;{red};{green};{blue}")),
            _ => None,
        };
    }
    let number = NAMES.iter().position(|name| *name == colour).map_or_else(|| colour.parse().ok(), Some)?;
    match number {
        0..=7 => Some((30 + number).to_string()),
        8..=15 => Some((82 + number).to_string()),
        16..=255 => Some(format!("38;5;{number}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_highlight_of_zsh_selects_the_same_colour() {
        for (highlight, wanted) in [
            ("fg=8", "90"),
            ("fg=#808080,underline", "38;2;128;128;128;4"),
            ("fg=#0f8", "38;2;0;255;136"),
            ("fg=red,bold", "31;1"),
            ("fg=244", "38;5;244"),
            ("none", "90"),
            ("bg=3", "90"),
        ] {
            assert_eq!(style(highlight), wanted, "{highlight}");
        }
    }

    #[test]
    fn only_what_continues_the_line_to_its_end_is_expected() {
        let candidate = |completion: &str, cursor_pos| WireCandidate {
            completion: completion.to_owned(),
            cursor_pos,
            ..WireCandidate::default()
        };
        assert_eq!(rest_of(&candidate("git status", None), "git st").as_deref(), Some("atus"));
        assert_eq!(rest_of(&candidate("git status", Some(10)), "git st").as_deref(), Some("atus"));
        assert_eq!(rest_of(&candidate("git commit -m ''", Some(15)), "git co"), None);
        assert_eq!(rest_of(&candidate("git status", None), "gti"), None);
        assert_eq!(rest_of(&candidate("echo a\x1b[31m", None), "echo"), None);
        assert_eq!(rest_of(&candidate(&format!("echo {}", "x".repeat(500)), None), "echo"), None);
    }
}
