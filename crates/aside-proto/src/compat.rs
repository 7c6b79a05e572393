//! Requests of two other clients, ashlet's and ghst's, which find our daemon at their socket, and replies in their formats. Recognised by
//! their shape; `docs/compat.md` says what they can expect.

use std::io;

use aside_text as text;
use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;
use serde_json::{Value, json};

use crate::command_ended::SuggestParams;
use crate::query::{self, TranslateParams};
use crate::{CompleteParams, FailureDetail, MissingModel, Reply, Request, WireCandidate};

/// ghst shows nothing longer.
const MAX_SUGGESTION: usize = 200;
/// Commands that a search returns; ghst takes the first.
const MAX_RESULTS: usize = 10;

#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is taken apart at once")]
#[derive(Debug, PartialEq)]
pub enum CompatMessage {
    /// A request for the daemon, and the format of its reply.
    Asks { request: Request, shape: CompatReplyFormat },
    /// Answered here, without the daemon: this is the reply.
    Answered(Vec<u8>),
}

/// The reply format of a foreign client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompatReplyFormat {
    Ashlet {
        request_id: i64,
        /// Zero for no limit.
        max_candidates: usize,
    },
    Ghst {
        request_id: String,
        /// The suggestion is appended to it, wherever the cursor is.
        buffer: String,
    },
    /// The reply to a query in prose.
    GhstWish,
}

/// Parses a foreign request; `None` when it is one of ours, or unknown.
pub fn decode(line: &str) -> Option<CompatMessage> {
    match serde_json::from_str::<Seen>(line) {
        Ok(seen) => seen.foreign(),
        Err(_) => damaged(line).map(Ghst::asks),
    }
}

/// The fields of all their requests. None of them has `left` and `right`, which ours have.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Seen {
    r#type: Option<String>,
    request_id: Value,
    input: Option<String>,
    cursor_pos: i64,
    cwd: String,
    session_id: Value,
    max_candidates: i64,
    action: Option<String>,
    buffer: Option<String>,
    query: String,
    prompt: String,
    history: Vec<String>,
    exit_status: i32,
    last_command: String,
    last_output: Option<String>,
}

struct Ghst {
    request_id: String,
    buffer: String,
    cursor_pos: i64,
    cwd: String,
}

impl Seen {
    fn foreign(self) -> Option<CompatMessage> {
        let kind = self.r#type.as_deref();
        match (kind, &self.action, &self.input, &self.buffer) {
            (None, None, Some(_), _) => Some(self.ashlet()),
            (None, Some(action), ..) => Some(CompatMessage::Answered(compact(&about_settings(action)))),
            (Some("context"), ..) => Some(CompatMessage::Answered(compact(&json!({"ok": true})))),
            (Some("complete"), _, _, Some(_)) => {
                let request_id = match self.request_id {
                    Value::String(text) => text,
                    Value::Null => String::new(),
                    other => other.to_string(),
                };
                let buffer = self.buffer.unwrap_or_default();
                if let (true, Some(output)) = (buffer.is_empty(), self.last_output) {
                    let request = Request::Suggest(SuggestParams {
                        cwd: self.cwd,
                        command: self.last_command,
                        exit: self.exit_status,
                        shell: "zsh".to_owned(),
                        output: Some(output),
                        wait: true,
                        ..SuggestParams::default()
                    });
                    return Some(CompatMessage::Asks {
                        request,
                        shape: CompatReplyFormat::Ghst { request_id, buffer },
                    });
                }
                Some(Ghst { request_id, buffer, cursor_pos: self.cursor_pos, cwd: self.cwd }.asks())
            }
            (Some("history_search"), ..) => {
                Some(answered(&Results { r#type: "history_search", results: search(&self.query, &self.history) }))
            }
            (Some("nl"), ..) => {
                let Seen { prompt, cwd, history, .. } = self;
                let (shell, wait) = ("zsh".to_owned(), true);
                let wish =
                    TranslateParams { query: prompt, cwd, shell, wait, recent_commands: history, ..Default::default() };
                Some(CompatMessage::Asks { request: Request::Translate(wish), shape: CompatReplyFormat::GhstWish })
            }
            // Error correction is not supported: the client reports that itself when the reply is empty.
            (Some("error_correct"), ..) => Some(answered(&json!({"suggestion": "", "type": "error_correct"}))),
            (Some("reload_config"), ..) => Some(answered(&json!({"ok": true, "type": "reload_config"}))),
            (Some(_) | None, ..) => None,
        }
    }

    fn ashlet(self) -> CompatMessage {
        let input = unended(self.input.as_deref().unwrap_or_default());
        let (left, right) = split(input, self.cursor_pos);
        let session = match &self.session_id {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let max_candidates = usize::try_from(self.max_candidates).unwrap_or_default();
        CompatMessage::Asks {
            request: Request::Complete(CompleteParams {
                // Keeps it apart from another client of the same shell.
                session: if session.is_empty() { session } else { format!("ashlet-{session}") },
                cwd: unended(&self.cwd).to_owned(),
                left: left.to_owned(),
                right: right.to_owned(),
                max_candidates,
                wait: true,
                ..CompleteParams::default()
            }),
            shape: CompatReplyFormat::Ashlet {
                request_id: self.request_id.as_i64().unwrap_or_default(),
                max_candidates,
            },
        }
    }
}

impl Ghst {
    fn asks(self) -> CompatMessage {
        let (left, right) = split(&self.buffer, self.cursor_pos);
        let (left, right) = (left.to_owned(), right.to_owned());
        let line = CompleteParams { cwd: self.cwd, left, right, wait: true, ..CompleteParams::default() };
        let shape = CompatReplyFormat::Ghst { request_id: self.request_id, buffer: self.buffer };
        CompatMessage::Asks { request: Request::Complete(line), shape }
    }
}

/// ghst sends its JSON through a `print` that strips the backslashes, so that a quote in the line or in the last commands ends a string too
/// early. Its fields always come in the same order, which is enough to find them.
fn damaged(line: &str) -> Option<Ghst> {
    let rest = line.strip_prefix(r#"{"type": "complete", "request_id": ""#)?;
    let (request_id, rest) = rest.split_once(r#"", "buffer": ""#)?;
    let (buffer, rest) = rest.split_once(r#"", "cursor_pos": "#)?;
    let (cursor_pos, rest) = rest.split_once(r#", "cwd": ""#)?;
    let (cwd, _) = rest.split_once(r#"", "shell": "#)?;
    Some(Ghst {
        request_id: request_id.to_owned(),
        buffer: buffer.to_owned(),
        cursor_pos: cursor_pos.parse().ok()?,
        cwd: cwd.to_owned(),
    })
}

/// ashlet's `print` ends each field with a newline.
fn unended(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// Splits at the cursor, which ashlet's documentation counts in bytes and its client in characters. An offset that is invalid in one unit
/// is in the other. Where both fit it counts characters, as the client does, unless that would be within a word and the bytes would not.
fn split(line: &str, cursor_pos: i64) -> (&str, &str) {
    let cursor = usize::try_from(cursor_pos).unwrap_or_default();
    let is_within_word = |place: usize| {
        let (before, after) = line.split_at(place);
        before.ends_with(|letter: char| !letter.is_whitespace())
            && after.starts_with(|letter: char| !letter.is_whitespace())
    };
    let by_characters = line.char_indices().map(|(place, _)| place).chain([line.len()]).nth(cursor);
    let by_bytes = Some(cursor).filter(|cursor| line.is_char_boundary(*cursor));
    let place = match (by_characters, by_bytes) {
        (Some(characters), Some(bytes)) if is_within_word(characters) && !is_within_word(bytes) => bytes,
        (Some(characters), _) => characters,
        (None, _) => line.floor_char_boundary(cursor),
    };
    line.split_at(place)
}

/// ashlet's client writes the settings that it gets into a file of ashlet's, so it gets none of ours.
fn about_settings(action: &str) -> Value {
    match action {
        // Changed settings take effect by themselves.
        "reload" | "validate" => json!({}),
        "get" | "defaults" | "default_prompt" => json!({
            "error": {"code": "not_configured", "message": "Aside answers here; `aside config` has its settings"},
        }),
        _ => json!({"error": {"code": "unknown_action", "message": format!("unknown config action: {action}")}}),
    }
}

fn search(query: &str, history: &[String]) -> Vec<String> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut results: Vec<String> = Vec::new();
    for command in history.iter().rev() {
        let lower = command.to_lowercase();
        let fits = !words.is_empty() && words.iter().all(|word| lower.contains(word));
        if fits && !results.contains(command) && results.len() < MAX_RESULTS {
            results.push(command.clone());
        }
    }
    results
}

impl CompatReplyFormat {
    /// Encodes a reply as one line. Replies that these clients do not know become an empty result.
    pub fn encode(&self, reply: &Reply) -> Vec<u8> {
        let (candidates, failure) = match reply {
            Reply::Complete(found) | Reply::Update(found) => (found.candidates.as_slice(), None),
            Reply::Error(failure) => (&[][..], Some(&failure.error)),
            Reply::Hello(_)
            | Reply::Translate(_)
            | Reply::Explain(_)
            | Reply::Detect(_)
            | Reply::Said(_)
            | Reply::Ok
            | Reply::Why(_)
            | Reply::Capture(_)
            | Reply::Suggest(_)
            | Reply::Recall(_)
            | Reply::Task(_)
            | Reply::TaskEvent(_)
            | Reply::Status(_) => (&[][..], None),
        };
        let best = match reply {
            Reply::Translate(suggestion) => suggestion.proposals.first(),
            _ => None,
        };
        let missing = match reply {
            Reply::Complete(found) => found.missing.as_ref(),
            _ => None,
        };
        let next = match reply {
            Reply::Suggest(next) => Some(next.command.as_str()),
            _ => None,
        };
        // Both clients show what they get unfiltered.
        let clean = candidates.iter().filter(|candidate| text::is_clean(&candidate.completion));
        match self {
            CompatReplyFormat::Ashlet { request_id, max_candidates } => {
                let most = if *max_candidates == 0 { usize::MAX } else { *max_candidates };
                let candidates = clean.take(most).map(for_ashlet).collect();
                let error = failure.map(AshletError::from).or(missing.map(AshletError::from));
                compact(&ForAshlet { request_id: *request_id, candidates, error })
            }
            CompatReplyFormat::Ghst { request_id, buffer } => {
                let suggestion = clean.filter_map(|candidate| suggestion(candidate, buffer)).next();
                // Drops a command that would be truncated: half a command is another command.
                let suggestion = suggestion.or(next.filter(|next| text::is_clean(next) && readable(next) == *next));
                spaced(&ForGhst { r#type: "complete", request_id, suggestion: suggestion.unwrap_or_default() })
            }
            CompatReplyFormat::GhstWish => spaced(&best.map(for_ghst).unwrap_or_default()),
        }
    }
}

#[derive(Serialize)]
struct ForAshlet<'a> {
    request_id: i64,
    candidates: Vec<AshletCandidate<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<AshletError<'a>>,
}

#[derive(Serialize)]
struct AshletError<'a> {
    code: &'a str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<Value>,
}

impl<'a> From<&'a FailureDetail> for AshletError<'a> {
    fn from(failure: &'a FailureDetail) -> Self {
        Self { code: &failure.code, message: failure.message.clone(), models: Vec::new() }
    }
}

impl From<&MissingModel> for AshletError<'_> {
    fn from(MissingModel { name, bytes }: &MissingModel) -> Self {
        let command = format!("aside model pull {name}");
        let message = format!("the model {name} is not here; get it with: {command}");
        Self {
            code: "model_not_found",
            message,
            models: vec![json!({"command": command, "name": name, "size": bytes})],
        }
    }
}

#[derive(Serialize)]
struct AshletCandidate<'a> {
    completion: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor_pos: Option<u32>,
    confidence: f32,
}

fn for_ashlet(candidate: &WireCandidate) -> AshletCandidate<'_> {
    let WireCandidate { completion, cursor_pos, confidence, .. } = candidate;
    AshletCandidate { completion, cursor_pos: *cursor_pos, confidence: *confidence }
}

#[derive(Serialize)]
struct ForGhst<'a> {
    r#type: &'a str,
    request_id: &'a str,
    suggestion: &'a str,
}

/// For an empty command, ghst reports that there is none.
#[derive(Serialize)]
struct GhstCommand<'a> {
    r#type: &'static str,
    command: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    warning: &'a str,
}

impl Default for GhstCommand<'_> {
    fn default() -> Self {
        Self { r#type: "nl", command: "", warning: "" }
    }
}

fn for_ghst(proposal: &query::WireProposal) -> GhstCommand<'_> {
    GhstCommand { command: &proposal.text, warning: &proposal.warning, ..GhstCommand::default() }
}

#[derive(Serialize)]
struct Results {
    r#type: &'static str,
    results: Vec<String>,
}

/// The text to append. The client ends a string at the first quote, escaped or not, and shows it with an `echo` that interprets
/// backslashes: it gets only what comes before either.
fn suggestion<'a>(candidate: &'a WireCandidate, buffer: &str) -> Option<&'a str> {
    let rest = readable(candidate.completion.strip_prefix(buffer)?);
    (!rest.trim().is_empty() && rest.chars().count() <= MAX_SUGGESTION).then_some(rest)
}

fn readable(text: &str) -> &str {
    match text.find(['"', '\\', '\n']) {
        Some(end) => text[..end].trim_end(),
        None => text,
    }
}

fn answered(value: &impl Serialize) -> CompatMessage {
    CompatMessage::Answered(spaced(value))
}

fn compact(value: &impl Serialize) -> Vec<u8> {
    ended(serde_json::to_vec(value).unwrap_or_default())
}

/// Formats JSON as Python does, with a blank after each colon, which ghst's parser relies on.
fn spaced(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Spaced);
    // Our own types have string keys and no failing `Serialize`.
    let _ = value.serialize(&mut serializer);
    ended(bytes)
}

fn ended(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CompleteResult;
    use proptest::prelude::*;

    fn asks(line: &str) -> (CompleteParams, CompatReplyFormat) {
        match decode(line) {
            Some(CompatMessage::Asks { request: Request::Complete(line), shape }) => (line, shape),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn answer(line: &str) -> String {
        match decode(line) {
            Some(CompatMessage::Answered(bytes)) => String::from_utf8(bytes).unwrap(),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn found(completions: &[(&str, Option<u32>)]) -> Reply {
        let candidates = completions.iter().map(|(completion, cursor_pos)| WireCandidate {
            completion: (*completion).to_owned(),
            cursor_pos: *cursor_pos,
            confidence: 0.5,
            source: "history".to_owned(),
            ..WireCandidate::default()
        });
        Reply::Complete(CompleteResult { candidates: candidates.collect(), ..CompleteResult::default() })
    }

    fn spoken(shape: &CompatReplyFormat, reply: &Reply) -> String {
        String::from_utf8(shape.encode(reply)).unwrap()
    }

    #[test]
    fn ashlet_is_understood_with_its_newlines() {
        let (line, shape) = asks(
            r#"{"request_id":12,"input":"git st\n","cursor_pos":6,"cwd":"/home/ada\n","session_id":"4242","max_candidates":4}"#,
        );
        let expected = CompleteParams {
            session: "ashlet-4242".into(),
            cwd: "/home/ada".into(),
            left: "git st".into(),
            max_candidates: 4,
            wait: true,
            ..CompleteParams::default()
        };
        assert_eq!(line, expected);
        assert_eq!(shape, CompatReplyFormat::Ashlet { request_id: 12, max_candidates: 4 });
        // Only one newline is the client's.
        assert_eq!(asks(r#"{"request_id":1,"input":"a\n\n","cursor_pos":2}"#).0.left, "a\n");
        assert_eq!(asks(r#"{"input":"a b"}"#).0.right, "a b");
    }

    #[test]
    fn a_cursor_counts_characters_or_bytes() {
        for (cursor, left) in [(0, ""), (2, "äö"), (5, "äö ls"), (7, "äö ls"), (99, "äö ls"), (-1, "")] {
            assert_eq!(split("äö ls", cursor).0, left, "{cursor}");
        }
        assert_eq!(split("ls ", 2), ("ls", " "));
        // Within the line a number may be valid in both units.
        for (line, cursor, left) in [
            ("git añadir fichero", 10, "git añadir"),
            ("git añadir fichero", 11, "git añadir "),
            ("cat ñandú.txt -n", 13, "cat ñandú.txt"),
            ("cat ñandú.txt -n", 15, "cat ñandú.txt"),
            ("echo 日本 | wc", 7, "echo 日本"),
            ("echo 日本 | wc", 11, "echo 日本"),
            ("echo 日本語 x", 7, "echo 日本"),
        ] {
            assert_eq!(split(line, cursor).0, left, "{line} {cursor}");
        }
    }

    #[test]
    fn ashlet_gets_candidates_with_confidence() {
        let shape = CompatReplyFormat::Ashlet { request_id: 12, max_candidates: 2 };
        let reply =
            found(&[("bad \u{1b}[31m", None), ("git status", None), ("git stash -m ''", Some(14)), ("c", None)]);
        assert_eq!(
            spoken(&shape, &reply),
            "{\"request_id\":12,\"candidates\":[{\"completion\":\"git status\",\"confidence\":0.5},\
             {\"completion\":\"git stash -m ''\",\"cursor_pos\":14,\"confidence\":0.5}]}\n"
        );
        assert_eq!(spoken(&shape, &found(&[])), "{\"request_id\":12,\"candidates\":[]}\n");
        assert_eq!(
            spoken(&shape, &Reply::error("internal", "lost")),
            "{\"request_id\":12,\"candidates\":[],\"error\":{\"code\":\"internal\",\"message\":\"lost\"}}\n"
        );
    }

    #[test]
    fn ashlet_hears_which_model_is_missing() {
        let shape = CompatReplyFormat::Ashlet { request_id: 1, max_candidates: 4 };
        let missing = Some(MissingModel { name: "small".into(), bytes: Some(5) });
        let reply = Reply::Complete(CompleteResult { missing, ..CompleteResult::default() });
        assert_eq!(
            spoken(&shape, &reply),
            "{\"request_id\":1,\"candidates\":[],\"error\":{\"code\":\"model_not_found\",\
             \"message\":\"the model small is not here; get it with: aside model pull small\",\
             \"models\":[{\"command\":\"aside model pull small\",\"name\":\"small\",\"size\":5}]}}\n"
        );
    }

    #[test]
    fn ashlets_other_messages_are_answered_without_thought() {
        assert_eq!(answer(r#"{"type":"context","cwd":"/home/ada"}"#), "{\"ok\":true}\n");
        assert_eq!(answer(r#"{"action":"reload"}"#), "{}\n");
        assert!(answer(r#"{"action":"get"}"#).starts_with(r#"{"error":{"code":"not_configured","#));
        assert!(answer(r#"{"action":"dance"}"#).contains("unknown config action: dance"));
    }

    const GHST: &str = r#"{"type": "complete", "request_id": "ac-17", "buffer": "git st", "cursor_pos": 6, "cwd": "/home/ada", "shell": "zsh", "history": ["ls", "cd src"], "exit_status": 0}"#;

    #[test]
    fn ghst_is_understood_and_answered_with_its_blanks() {
        let (line, shape) = asks(GHST);
        let expected =
            CompleteParams { cwd: "/home/ada".into(), left: "git st".into(), wait: true, ..CompleteParams::default() };
        assert_eq!(line, expected);
        let reply = found(&[("got status", None), ("git status --short", None)]);
        assert_eq!(
            spoken(&shape, &reply),
            "{\"type\": \"complete\", \"request_id\": \"ac-17\", \"suggestion\": \"atus --short\"}\n"
        );
        let nothing = "{\"type\": \"complete\", \"request_id\": \"ac-17\", \"suggestion\": \"\"}\n";
        assert_eq!(spoken(&shape, &found(&[("git st", None)])), nothing);
        assert_eq!(spoken(&shape, &Reply::error("internal", "lost")), nothing);
    }

    #[test]
    fn ghst_asks_what_comes_next_after_an_output() {
        let asked = r#"{"type": "complete", "request_id": "pro-1", "buffer": "", "cursor_pos": 0, "cwd": "/p", "shell": "zsh", "history": ["ls"], "exit_status": 1, "last_command": "frob", "last_output": "run `spin`"}"#;
        let Some(CompatMessage::Asks { request: Request::Suggest(ended), shape }) = decode(asked) else {
            panic!("{asked}")
        };
        assert_eq!((ended.command.as_str(), ended.exit, ended.output.as_deref()), ("frob", 1, Some("run `spin`")));
        let next = |command: &str| {
            let none = crate::command_ended::SuggestResult::none(query::ReplyStage::Done);
            let next = crate::command_ended::SuggestResult { command: command.to_owned(), ..none };
            spoken(&shape, &Reply::Suggest(Box::new(next)))
        };
        assert_eq!(next("spin"), "{\"type\": \"complete\", \"request_id\": \"pro-1\", \"suggestion\": \"spin\"}\n");
        assert!(next("spin \"a b\"").contains("\"suggestion\": \"\""), "it would be read as `spin`");
        // Without an output there is nothing to suggest from.
        let typed = asked.replace(", \"last_output\": \"run `spin`\"", "");
        assert_eq!(asks(&typed).0.left, "");
    }

    #[test]
    fn ghst_gets_only_what_it_can_read_back() {
        let (_, shape) = asks(GHST);
        for (completion, suggestion) in [
            (r#"git stash push -m "a b""#, "ash push -m"),
            (r"git stash push -- a\ b", "ash push -- a"),
            ("git stash\npop", "ash"),
            ("git stätus 日本", "ätus 日本"),
        ] {
            let spoken = spoken(&shape, &found(&[(completion, None)]));
            assert!(spoken.contains(&format!("\"suggestion\": \"{suggestion}\"}}")), "{spoken}");
        }
        let long = format!("git st{}", "x".repeat(300));
        assert!(spoken(&shape, &found(&[(&long, None), ("git sta", None)])).contains("\"suggestion\": \"a\""));
    }

    #[test]
    fn ghsts_damaged_requests_are_understood() {
        // What `print` makes of {"buffer": "echo \"a\" \\.", … "history": ["grep \"x\""]}.
        let damaged = r#"{"type": "complete", "request_id": "ac-1", "buffer": "echo "a" \.", "cursor_pos": 11, "cwd": "/home/ada", "shell": "zsh", "history": ["grep "x""], "exit_status": 0}"#;
        let (line, shape) = asks(damaged);
        assert_eq!((line.left.as_str(), line.cwd.as_str()), (r#"echo "a" \."#, "/home/ada"));
        assert_eq!(shape, CompatReplyFormat::Ghst { request_id: "ac-1".into(), buffer: r#"echo "a" \."#.into() });
    }

    #[test]
    fn ghsts_queries_are_understood_and_answered() {
        let line = r#"{"type":"nl","prompt":"list files","buffer":"x","cwd":"/","shell":"zsh","history":["ls","cd"]}"#;
        let Some(CompatMessage::Asks { request: Request::Translate(wish), shape }) = decode(line) else {
            panic!("{line}")
        };
        assert_eq!((wish.query.as_str(), wish.cwd.as_str(), wish.wait), ("list files", "/", true));
        assert_eq!(wish.recent_commands, ["ls", "cd"]);
        let proposal = |warning: &str| query::WireProposal {
            text: "rm \"a\"".to_owned(),
            warning: warning.to_owned(),
            ..query::WireProposal::default()
        };
        let suggestion = |proposals| {
            let suggestion = query::TranslateResult { state: query::ReplyStage::Done, note: String::new(), proposals };
            spoken(&shape, &Reply::Translate(Box::new(suggestion)))
        };
        assert_eq!(
            suggestion(vec![proposal("deletes files"), proposal("")]),
            "{\"type\": \"nl\", \"command\": \"rm \\\"a\\\"\", \"warning\": \"deletes files\"}\n"
        );
        assert_eq!(suggestion(Vec::new()), "{\"type\": \"nl\", \"command\": \"\"}\n");
        assert_eq!(spoken(&shape, &Reply::error("internal", "lost")), "{\"type\": \"nl\", \"command\": \"\"}\n");
    }

    #[test]
    fn ghsts_other_messages_are_answered_without_thought() {
        assert_eq!(
            answer(r#"{"type":"history_search","query":"Git push","history":["git push -f","ls","git push"]}"#),
            "{\"type\": \"history_search\", \"results\": [\"git push\", \"git push -f\"]}\n"
        );
        assert_eq!(answer(r#"{"type": "reload_config"}"#), "{\"ok\": true, \"type\": \"reload_config\"}\n");
    }

    #[test]
    fn our_own_requests_are_not_theirs() {
        for line in [
            r#"{"type":"complete","request_id":7,"session_id":"s","cwd":"/","left":"git st","right":""}"#,
            r#"{"type":"status","request_id":1}"#,
            r#"{"type":"dance","action":"x"}"#,
            r#"{"type":"hello","session_id":"zsh-1"}"#,
            "{}",
            "[]",
            "12",
            "{\"type\": \"complete\"",
        ] {
            assert_eq!(decode(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_taken(line in "\\PC{0,60}", cursor in any::<i64>(), completion in "\\PC{0,20}") {
            decode(&line);
            let request = json!({"request_id": 1, "input": line, "cursor_pos": cursor}).to_string();
            let (complete, shape) = asks(&request);
            prop_assert_eq!(format!("{}{}", complete.left, complete.right), line.as_str());
            let spoken = spoken(&shape, &found(&[(&format!("{line}{completion}"), None)]));
            prop_assert!(serde_json::from_str::<Value>(&spoken).is_ok());
            let request = json!({"type": "complete", "request_id": "a", "buffer": line, "cursor_pos": cursor});
            let (_, shape) = asks(&request.to_string());
            let spoken = shape.encode(&found(&[(&format!("{line}{completion}"), None)]));
            prop_assert!(serde_json::from_slice::<Value>(&spoken).is_ok());
        }
    }
}
