//! Logs which lines were classified as prose, why, and what happened to them. Stays on this machine, without secrets; `aside log` shows it.

use std::io;

use aside_proto::prose::DetectPhase;
use aside_redact::redact;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::paths::Paths;
use crate::store::jsonl::{Caps, JsonlFile};

/// Some thousand lines a file.
const CAPS: Caps = Caps { bytes: 1024 * 1024, files: 4 };

/// Bytes of a text that are kept; anything longer was pasted.
const MAX_TEXT: usize = 4 * 1024;

pub struct Reroutes {
    lines: JsonlFile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RerouteOutcome {
    /// It was classified as prose, and answered.
    Answered,
    /// It was classified as prose, and the user was offered an answer.
    Offered,
    /// The user explicitly asked.
    Asked,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rerouted {
    pub session: String,
    pub cwd: String,
    pub shell: String,
    /// Before or after it was run.
    pub phase: DetectPhase,
    pub exit: i32,
    /// As it was typed.
    pub line: String,
    pub reason: String,
    pub became: RerouteOutcome,
}

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReroute {
    /// RFC 3339, in UTC.
    pub ts: String,
    #[serde(flatten)]
    pub rerouted: Rerouted,
}

impl Reroutes {
    pub fn new(paths: &Paths) -> Self {
        Self { lines: JsonlFile::new(paths.reroutes(), CAPS) }
    }

    pub fn lines(&self) -> &JsonlFile {
        &self.lines
    }

    /// Written when this returns, without its secrets.
    pub fn note(&self, rerouted: &Rerouted) -> io::Result<()> {
        self.lines.append(&StoredReroute { ts: Timestamp::now().to_string(), rerouted: clean(rerouted) })
    }

    /// All stored entries, oldest first. An accepted offer is listed once, as an answer.
    pub fn read(&self) -> io::Result<Vec<StoredReroute>> {
        let mut all: Vec<StoredReroute> = Vec::new();
        for noted in self.lines.read::<StoredReroute>()? {
            let Rerouted { session, line, became, .. } = &noted.rerouted;
            if *became == RerouteOutcome::Answered {
                // Only the last offer of a session can still be accepted.
                let last = all.iter().rposition(|earlier| earlier.rerouted.session == *session);
                let offered = last.filter(|last| {
                    let earlier = &all[*last].rerouted;
                    earlier.became == RerouteOutcome::Offered && earlier.line == *line
                });
                offered.map(|offered| all.remove(offered));
            }
            all.push(noted);
        }
        Ok(all)
    }

    /// The last line that was classified as prose, of a session or of all.
    pub fn last(&self, session: &str) -> io::Result<Option<String>> {
        let taken = |noted: &StoredReroute| noted.rerouted.became != RerouteOutcome::Asked;
        let own = |noted: &StoredReroute| session.is_empty() || noted.rerouted.session == session;
        let last = self.read()?.into_iter().rfind(|noted| taken(noted) && own(noted));
        Ok(last.map(|noted| noted.rerouted.line))
    }
}

fn clean(rerouted: &Rerouted) -> Rerouted {
    let Rerouted { session, cwd, shell, phase, exit, line, reason, became } = rerouted;
    Rerouted {
        session: kept(session),
        cwd: kept(cwd),
        shell: kept(shell),
        phase: *phase,
        exit: *exit,
        line: kept(line),
        reason: kept(reason),
        became: *became,
    }
}

/// Truncates first: half a secret is still a secret, and is looked for in what is left.
fn kept(text: &str) -> String {
    redact(&text[..text.floor_char_boundary(MAX_TEXT)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reroutes(dir: &std::path::Path) -> Reroutes {
        Reroutes { lines: JsonlFile::new(dir.join("reroutes.jsonl"), CAPS) }
    }

    fn rerouted(session: &str, line: &str, became: RerouteOutcome) -> Rerouted {
        Rerouted {
            session: session.to_owned(),
            cwd: "/home/me".to_owned(),
            shell: "zsh".to_owned(),
            phase: DetectPhase::After,
            exit: 2,
            line: line.to_owned(),
            reason: "it reads as a sentence".to_owned(),
            became,
        }
    }

    fn told(reroutes: &Reroutes) -> Vec<(String, RerouteOutcome)> {
        let read = reroutes.read().unwrap().into_iter();
        read.map(|noted| (noted.rerouted.line, noted.rerouted.became)).collect()
    }

    #[test]
    fn the_file_has_plain_names_and_no_secrets() {
        let temp = tempfile::tempdir().unwrap();
        let reroutes = reroutes(temp.path());
        reroutes.note(&rerouted("zsh-1", "please log in with mysql -phunter2 shop", RerouteOutcome::Answered)).unwrap();
        let line = std::fs::read_to_string(reroutes.lines.path()).unwrap();
        let mut line: serde_json::Value = serde_json::from_str(&line).unwrap();
        let ts = line.as_object_mut().unwrap().remove("ts").unwrap();
        assert!(ts.as_str().unwrap().parse::<Timestamp>().is_ok(), "{ts}");
        assert_eq!(
            line,
            serde_json::json!({
                "session": "zsh-1", "cwd": "/home/me", "shell": "zsh", "phase": "after", "exit": 2,
                "line": "please log in with mysql -p[redacted] shop", "reason": "it reads as a sentence",
                "became": "answered",
            })
        );
    }

    #[test]
    fn an_offer_that_was_taken_is_told_once() {
        let temp = tempfile::tempdir().unwrap();
        let reroutes = reroutes(temp.path());
        for (session, line, became) in [
            ("a", "make sure it works", RerouteOutcome::Offered),
            ("b", "make sure it works", RerouteOutcome::Offered),
            ("a", "make sure it works", RerouteOutcome::Answered),
            ("b", "who am i really", RerouteOutcome::Offered),
            ("b", "make sure it works", RerouteOutcome::Answered),
        ] {
            reroutes.note(&rerouted(session, line, became)).unwrap();
        }
        let expected = [
            ("make sure it works", RerouteOutcome::Offered),
            ("make sure it works", RerouteOutcome::Answered),
            ("who am i really", RerouteOutcome::Offered),
            ("make sure it works", RerouteOutcome::Answered),
        ];
        assert_eq!(told(&reroutes), expected.map(|(line, became)| (line.to_owned(), became)));
    }

    #[test]
    fn the_last_of_a_session_is_the_last_that_the_person_did_not_ask_for() {
        let temp = tempfile::tempdir().unwrap();
        let reroutes = reroutes(temp.path());
        assert_eq!(reroutes.last("").unwrap(), None);
        reroutes.note(&rerouted("a", "find out why", RerouteOutcome::Answered)).unwrap();
        reroutes.note(&rerouted("b", "make sure", RerouteOutcome::Offered)).unwrap();
        reroutes.note(&rerouted("a", "hello", RerouteOutcome::Asked)).unwrap();
        assert_eq!(reroutes.last("a").unwrap().as_deref(), Some("find out why"));
        assert_eq!(reroutes.last("").unwrap().as_deref(), Some("make sure"));
        assert_eq!(reroutes.last("c").unwrap(), None);
    }

    #[test]
    fn what_was_pasted_is_cut_between_letters() {
        assert_eq!(kept(&format!("x{}", "é".repeat(MAX_TEXT))).len(), MAX_TEXT - 1);
    }
}
