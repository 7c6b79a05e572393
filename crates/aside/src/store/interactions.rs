//! Records what users did with what they were offered: accepted, edited, dismissed, run. Stays on this machine, without secrets; `aside
//! stats` sums it up.

use std::io;

use aside_redact::{redact, redact_beside};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::paths::Paths;
use crate::store::jsonl::{Caps, JsonlFile};

/// Some ten thousand interactions a file.
const CAPS: Caps = Caps { bytes: 4 * 1024 * 1024, files: 4 };

/// Bytes of a text that are kept; anything longer was pasted.
const MAX_TEXT: usize = 16 * 1024;

pub struct Interactions {
    lines: JsonlFile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Inserted into the line.
    Accept,
    /// Run after an edit.
    Edit,
    /// Shown, and not used.
    Dismiss,
    /// Run as it was offered.
    Run,
}

impl Action {
    /// Parses the name on the wire.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "accept" => Self::Accept,
            "edit" => Self::Edit,
            "dismiss" => Self::Dismiss,
            "run" => Self::Run,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    pub session: String,
    pub action: Action,
    /// The line as it was typed, with the prefix of a query.
    pub buffer: String,
    pub suggestion: String,
    /// `history`, `spec`, …, `embedded`, `reader`, `llm`.
    pub source: String,
    pub confidence: f32,
    pub cwd: String,
    /// The query, if it was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nl_query: Option<String>,
    /// The line as it was run, if it was.
    #[serde(rename = "final", skip_serializing_if = "Option::is_none", default)]
    pub ran: Option<String>,
    /// Milliseconds from the request to the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_tokens: Option<u64>,
}

/// An interaction as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredInteraction {
    /// RFC 3339, in UTC.
    pub ts: String,
    #[serde(flatten)]
    pub interaction: Interaction,
}

impl Interactions {
    pub fn new(paths: &Paths) -> Self {
        Self { lines: JsonlFile::new(paths.interactions(), CAPS) }
    }

    pub fn lines(&self) -> &JsonlFile {
        &self.lines
    }

    /// Written when this returns, without its secrets.
    pub fn note(&self, interaction: &Interaction) -> io::Result<()> {
        self.lines.append(&StoredInteraction { ts: Timestamp::now().to_string(), interaction: clean(interaction) })
    }

    /// All stored interactions, oldest first.
    pub fn read(&self) -> io::Result<Vec<StoredInteraction>> {
        self.lines.read()
    }
}

fn clean(interaction: &Interaction) -> Interaction {
    let Interaction { session, action, buffer, suggestion, source, confidence, cwd, .. } = interaction;
    let Interaction { nl_query, ran, ms, provider, model, input_tokens, output_tokens, .. } = interaction;
    // A secret in one of the texts is a secret in all: a password in the request is also in the command made of it.
    let cut = |text: &str| text[..text.floor_char_boundary(MAX_TEXT)].to_owned();
    let said = [Some(buffer), Some(suggestion), nl_query.as_ref(), ran.as_ref()];
    let said: Vec<String> = said.into_iter().flatten().map(|text| cut(text)).collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    let beside = |text: &str| redact_beside(&cut(text), &said);
    Interaction {
        session: kept(session),
        action: *action,
        buffer: beside(buffer),
        suggestion: beside(suggestion),
        source: kept(source),
        confidence: *confidence,
        cwd: beside(cwd),
        nl_query: nl_query.as_deref().map(beside),
        ran: ran.as_deref().map(beside),
        ms: *ms,
        provider: provider.as_deref().map(kept),
        model: model.as_deref().map(kept),
        input_tokens: *input_tokens,
        output_tokens: *output_tokens,
    }
}

/// Truncates first: half a secret is still a secret, and is looked for in what is left.
fn kept(text: &str) -> String {
    redact(&text[..text.floor_char_boundary(MAX_TEXT)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interaction(buffer: &str) -> Interaction {
        Interaction {
            session: "zsh-1".to_owned(),
            action: Action::Accept,
            buffer: buffer.to_owned(),
            suggestion: "find . -size +100M".to_owned(),
            source: "llm".to_owned(),
            confidence: 0.95,
            cwd: "/home/user".to_owned(),
            nl_query: Some("find large files".to_owned()),
            ran: None,
            ms: Some(12),
            provider: None,
            model: None,
            input_tokens: None,
            output_tokens: None,
        }
    }

    fn interactions(dir: &std::path::Path) -> Interactions {
        Interactions { lines: JsonlFile::new(dir.join("interactions.jsonl"), CAPS) }
    }

    #[test]
    fn the_file_has_the_names_that_were_asked_for() {
        let temp = tempfile::tempdir().unwrap();
        let interactions = interactions(temp.path());
        interactions.note(&interaction("? find large files")).unwrap();
        let line = std::fs::read_to_string(interactions.lines.path()).unwrap();
        let mut line: serde_json::Value = serde_json::from_str(&line).unwrap();
        let ts = line.as_object_mut().unwrap().remove("ts").unwrap();
        assert!(ts.as_str().unwrap().parse::<Timestamp>().is_ok(), "{ts}");
        let confidence = line["confidence"].take();
        assert!((confidence.as_f64().unwrap() - 0.95).abs() < 1e-6);
        assert_eq!(
            line,
            serde_json::json!({
                "session": "zsh-1", "action": "accept", "buffer": "? find large files",
                "suggestion": "find . -size +100M", "source": "llm", "confidence": null, "cwd": "/home/user",
                "nl_query": "find large files", "ms": 12,
            })
        );
        assert_eq!(interactions.read().unwrap()[0].interaction, interaction("? find large files"));
    }

    #[test]
    fn every_action_of_the_wire_is_known() {
        for name in ["accept", "edit", "dismiss", "run"] {
            let action = Action::named(name).unwrap();
            assert_eq!(serde_json::to_value(action).unwrap(), name);
        }
        assert_eq!(Action::named("peek"), None);
    }

    #[test]
    fn a_secret_of_one_field_is_kept_in_none() {
        let words = "connect to postgres with password zzS3cr83x";
        let noted = clean(&Interaction {
            suggestion: "psql zzS3cr83x".to_owned(),
            nl_query: Some(words.to_owned()),
            ran: Some("psql -d zzS3cr83x".to_owned()),
            ..interaction(&format!("? {words}"))
        });
        assert!(!format!("{noted:?}").contains("zzS3cr83x"), "{noted:?}");
    }

    #[test]
    fn what_was_pasted_is_cut_between_letters() {
        assert_eq!(kept(&format!("x{}", "é".repeat(MAX_TEXT))).len(), MAX_TEXT - 1);
    }
}
