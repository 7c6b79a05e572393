//! The record encoding, for shells that cannot parse JSON. A request is a field count and that many NUL-terminated fields, which is what
//! `print -rNu $fd -- N f1 … fN` writes; a reply is `\x1f`-separated fields terminated by NUL.

use std::collections::BTreeMap;

use aside_text as text;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::command_ended::{
    CaptureParams, CaptureTier, CapturedParams, RecallParams, SuggestParams, SuggestResult, WatchParams,
};
use crate::privacy;
use crate::prose::{AskParams, AskResult, DetectParams, DetectPhase, DetectResult, WrongParams};
use crate::query::{ExplainParams, ExplainResult, OutcomeParams, TranslateParams, TranslateResult, WireProposal};
use crate::{
    Answer, Call, CompleteParams, CompleteResult, Failure, Finished, Ghost, Hello, NamesParams, OnOff, Reply, Request,
    Welcome, WhyParams,
};

/// Fields of one request.
pub const MAX_FIELDS: usize = 16;

/// Columns of a description.
pub const MAX_DESCRIPTION: usize = 60;

const SEPARATOR: char = '\x1f';

/// The first field is the number, the second the verb. Missing fields at the end are empty: an older plugin may talk to a newer daemon.
pub fn decode(fields: &[&str]) -> Result<Call, String> {
    let field = |number: usize| fields.get(number).copied().unwrap_or_default();
    let text = |number: usize| field(number).to_owned();
    let id = number(field(0), "request number")?;
    let request = match field(1) {
        "hello" => Request::Hello(Hello {
            protocol: number(field(2), "protocol")?,
            version: text(3),
            shell: text(4),
            shell_version: text(5),
            session: text(6),
            pid: number(field(7), "pid")?,
            histfile: text(8),
            facts: text(9),
            private: privacy::says(field(10)),
        }),
        "complete" => Request::Complete(CompleteParams {
            session: text(2),
            cwd: text(3),
            left: text(4),
            right: text(5),
            shell: text(6),
            wait: switch(field(7), "wait")?,
            describe: switch(field(8), "describe")?,
            list: switch(field(9), "list")?,
            max_candidates: number(field(10), "max_candidates")?,
            ghost: switch(field(11), "ghost")?,
        }),
        "translate" => Request::Translate(TranslateParams {
            session: text(2),
            cwd: text(3),
            query: text(4),
            shell: text(5),
            wait: switch(field(6), "wait")?,
            now: switch(field(7), "now")?,
            private: privacy::says(field(8)),
            provider: text(9),
            limit: number(field(10), "limit")?,
            besides: text(11),
            recent_commands: Vec::new(),
            env_hints: BTreeMap::new(),
            is_foreign: false,
        }),
        "explain" => Request::Explain(ExplainParams {
            session: text(2),
            cwd: text(3),
            command: text(4),
            shell: text(5),
            wait: switch(field(6), "wait")?,
            private: privacy::says(field(7)),
        }),
        "outcome" => Request::Outcome(OutcomeParams {
            session: text(2),
            action: text(3),
            query: text(4),
            suggestion: text(5),
            source: text(6),
            confidence: number(field(7), "confidence")?,
            cwd: text(8),
            r#final: text(9),
        }),
        "detect" => Request::Detect(DetectParams {
            session: text(2),
            cwd: text(3),
            line: text(4),
            shell: text(5),
            phase: DetectPhase::of(field(6))
                .ok_or_else(|| format!("the phase must be before or after, not {:?}", field(6)))?,
            exit: number(field(7), "exit status")?,
            first: text(8),
            unreadable: switch(field(9), "unreadable")?,
            output: text(10),
        }),
        "wrong" => Request::Wrong(WrongParams { session: text(2), line: text(3) }),
        "ask" => Request::Ask(AskParams {
            session: text(2),
            cwd: text(3),
            query: text(4),
            shell: text(5),
            number: number(field(6), "number of the question")?,
            width: number(field(7), "width")?,
            wait: switch(field(8), "wait")?,
            private: privacy::says(field(9)),
            exit: number(field(10), "exit status")?,
            output: text(11),
            reason: text(12),
        }),
        "finished" => Request::Finished(Finished {
            session: text(2),
            seq: number(field(3), "sequence number")?,
            cwd: text(4),
            exit: number(field(5), "exit status")?,
            start_ms: number(field(6), "start")?,
            duration_ms: number(field(7), "duration")?,
            shell: text(8),
            command: text(9),
            private: privacy::says(field(10)),
        }),
        "capture" => Request::Capture(CaptureParams {
            session: text(2),
            mark: text(3),
            tty: text(4),
            tmux: text(5),
            pane: text(6),
            proxy: text(7),
        }),
        "watching" => Request::Watching(WatchParams { tty: text(2), tier: text(3), pid: number(field(4), "pid")? }),
        "captured" => Request::Captured(CapturedParams {
            tty: text(2),
            mark: text(3),
            seq: number(field(4), "sequence number")?,
            output: text(5),
            bytes: number(field(6), "size")?,
        }),
        "suggest" => Request::Suggest(SuggestParams {
            session: text(2),
            cwd: text(3),
            command: text(4),
            exit: number(field(5), "exit status")?,
            shell: text(6),
            seq: number(field(7), "sequence number")?,
            private: privacy::says(field(8)),
            wait: switch(field(9), "wait")?,
            output: None,
        }),
        "recall" => Request::Recall(RecallParams { session: text(2), tty: text(3), limit: number(field(4), "limit")? }),
        "names" => Request::Names(NamesParams {
            session: text(2),
            kind: text(3),
            part: number(field(4), "part")?,
            names: text(5),
        }),
        // Shells do not build this message themselves: one field holds the JSON encoding.
        "task" => {
            Request::Task(Box::new(serde_json::from_str(field(2)).map_err(|error| format!("not a task: {error}"))?))
        }
        "reload" => Request::Reload,
        "why" => Request::Why(WhyParams { session: text(2) }),
        "status" => Request::Status,
        "stop" => Request::Stop,
        verb => return Err(format!("unknown request {verb:?}")),
    };
    // The only request that may reach a model and has no private field of its own.
    let says_private = matches!(request, Request::Complete(_)) && privacy::says(field(12));
    let mut call = Call::new(id, request);
    call.private |= says_private;
    Ok(call)
}

fn number<T: std::str::FromStr + Default>(field: &str, what: &str) -> Result<T, String> {
    if field.is_empty() {
        return Ok(T::default());
    }
    field.parse().map_err(|_| format!("the {what} must be a number, not {field:?}"))
}

fn switch(field: &str, what: &str) -> Result<bool, String> {
    Ok(number::<u8>(field, what)? != 0)
}

fn flag(on: bool) -> &'static str {
    if on { "1" } else { "0" }
}

/// Encodes a request as a shell would: for our own client, and to test that both directions agree.
pub fn encode_call(call: &Call) -> Vec<u8> {
    let id = call.id.to_string();
    let fields: Vec<String> = match &call.request {
        Request::Hello(Hello { protocol, version, shell, shell_version, session, pid, histfile, facts, private }) => [
            &id,
            "hello",
            &protocol.to_string(),
            version,
            shell,
            shell_version,
            session,
            &pid.to_string(),
            histfile,
            facts,
            flag(*private),
        ]
        .map(str::to_owned)
        .to_vec(),
        Request::Complete(CompleteParams {
            session,
            cwd,
            left,
            right,
            shell,
            wait,
            describe,
            list,
            max_candidates,
            ghost,
        }) => {
            let [wait, describe, list, ghost] = [wait, describe, list, ghost].map(|on| flag(*on));
            let most = max_candidates.to_string();
            let fields = [&id, "complete", session, cwd, left, right, shell, wait, describe, list, &most, ghost];
            let private = call.private.then_some(flag(true));
            fields.into_iter().chain(private).map(str::to_owned).collect()
        }
        Request::Translate(TranslateParams {
            session,
            cwd,
            query,
            shell,
            wait,
            now,
            private,
            provider,
            limit,
            besides,
            // A shell leaves these to the daemon.
            recent_commands: _,
            env_hints: _,
            is_foreign: _,
        }) => [
            &id,
            "translate",
            session,
            cwd,
            query,
            shell,
            flag(*wait),
            flag(*now),
            flag(*private),
            provider,
            &limit.to_string(),
            besides,
        ]
        .map(str::to_owned)
        .to_vec(),
        Request::Explain(ExplainParams { session, cwd, command, shell, wait, private }) => {
            [&id, "explain", session, cwd, command, shell, flag(*wait), flag(*private)].map(str::to_owned).to_vec()
        }
        Request::Outcome(OutcomeParams { session, action, query, suggestion, source, confidence, cwd, r#final }) => {
            let confidence = confidence.to_string();
            [&id, "outcome", session, action, query, suggestion, source, &confidence, cwd, r#final]
                .map(str::to_owned)
                .to_vec()
        }
        Request::Detect(DetectParams { session, cwd, line, shell, phase, exit, first, unreadable, output }) => {
            let exit = exit.to_string();
            [&id, "detect", session, cwd, line, shell, phase.name(), &exit, first, flag(*unreadable), output]
                .map(str::to_owned)
                .to_vec()
        }
        Request::Wrong(WrongParams { session, line }) => [&id, "wrong", session, line].map(str::to_owned).to_vec(),
        Request::Ask(AskParams { session, cwd, query, shell, number, width, wait, private, exit, output, reason }) => [
            &id,
            "ask",
            session,
            cwd,
            query,
            shell,
            &number.to_string(),
            &width.to_string(),
            flag(*wait),
            flag(*private),
            &exit.to_string(),
            output,
            reason,
        ]
        .map(str::to_owned)
        .to_vec(),
        Request::Finished(Finished { session, seq, cwd, exit, start_ms, duration_ms, shell, command, private }) => [
            &id,
            "finished",
            session,
            &seq.to_string(),
            cwd,
            &exit.to_string(),
            &start_ms.to_string(),
            &duration_ms.to_string(),
            shell,
            command,
            flag(*private),
        ]
        .map(str::to_owned)
        .to_vec(),
        Request::Names(NamesParams { session, kind, part, names }) => {
            [&id, "names", session, kind, &part.to_string(), names].map(str::to_owned).to_vec()
        }
        Request::Capture(CaptureParams { session, mark, tty, tmux, pane, proxy }) => {
            [&id, "capture", session, mark, tty, tmux, pane, proxy].map(str::to_owned).to_vec()
        }
        Request::Watching(WatchParams { tty, tier, pid }) => {
            [&id, "watching", tty, tier, &pid.to_string()].map(str::to_owned).to_vec()
        }
        Request::Captured(CapturedParams { tty, mark, seq, output, bytes }) => {
            [&id, "captured", tty, mark, &seq.to_string(), output, &bytes.to_string()].map(str::to_owned).to_vec()
        }
        Request::Suggest(SuggestParams { session, cwd, command, exit, shell, seq, private, wait, output: _ }) => [
            &id,
            "suggest",
            session,
            cwd,
            command,
            &exit.to_string(),
            shell,
            &seq.to_string(),
            flag(*private),
            flag(*wait),
        ]
        .map(str::to_owned)
        .to_vec(),
        Request::Recall(RecallParams { session, tty, limit }) => {
            [&id, "recall", session, tty, &limit.to_string()].map(str::to_owned).to_vec()
        }
        Request::Task(task) => vec![id, "task".to_owned(), serde_json::to_string(task).unwrap_or_default()],
        Request::Reload => vec![id, "reload".to_owned()],
        Request::Why(WhyParams { session }) => vec![id, "why".to_owned(), session.clone()],
        Request::Status => vec![id, "status".to_owned()],
        Request::Stop => vec![id, "stop".to_owned()],
    };
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    encode_fields(&fields)
}

/// A field count and the fields, each terminated by NUL. Drops NULs inside a field, which would shift the rest.
pub fn encode_fields(fields: &[&str]) -> Vec<u8> {
    let mut bytes = fields.len().to_string().into_bytes();
    bytes.push(0);
    for field in fields {
        bytes.extend(field.bytes().filter(|&byte| byte != 0));
        bytes.push(0);
    }
    bytes
}

pub fn encode(answer: &Answer) -> Vec<u8> {
    let mut record = Record(answer.id.to_string());
    match &answer.reply {
        Reply::Hello(welcome) => record.welcome(welcome),
        Reply::Complete(found) => record.candidates("complete", found),
        Reply::Update(found) => record.candidates("update", found),
        Reply::Translate(suggestion) => record.suggestion(suggestion),
        Reply::Explain(explanation) => record.explanation(explanation),
        Reply::Detect(DetectResult { verdict, reason }) => record.fields(&["detect", verdict, reason]),
        Reply::Said(said) => record.said(said),
        Reply::Capture(CaptureTier { tier, reason, skip, skip_bare }) => {
            record.fields(&["capture", tier, reason, skip, skip_bare]);
        }
        Reply::Suggest(found) => {
            let SuggestResult { state, command, source, reason, warning, confidence } = &**found;
            record.fields(&["next", state.name(), command, source, reason, warning, &confidence.to_string()]);
        }
        Reply::Recall(recalled) => {
            record.fields(&["recall", &serde_json::to_string(recalled).unwrap_or_default()]);
        }
        Reply::Task(tasks) => record.fields(&["task", &serde_json::to_string(tasks).unwrap_or_default()]),
        Reply::TaskEvent(told) => record.fields(&["task_event", &told.event.to_string()]),
        Reply::Ok => record.fields(&["ok"]),
        Reply::Why(offer) => record.fields(&["why", &serde_json::to_string(offer).unwrap_or_default()]),
        Reply::Status(status) => {
            record.fields(&["status", &serde_json::to_string(status).unwrap_or_default()]);
        }
        Reply::Error(Failure { error }) => record.fields(&["error", &error.code, &error.message]),
    }
    let mut bytes = record.0.into_bytes();
    bytes.push(0);
    bytes
}

/// A description on one line that fits beside a candidate.
fn brief(description: &str) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = text::clean(&line);
    if line.width() <= MAX_DESCRIPTION {
        return line.into_owned();
    }
    let mut columns = 1;
    let fits = |letter: &char| {
        columns += letter.width().unwrap_or(0);
        columns <= MAX_DESCRIPTION
    };
    let cut: String = line.chars().take_while(fits).collect();
    format!("{}…", cut.trim_end())
}

struct Record(String);

impl Record {
    fn welcome(&mut self, welcome: &Welcome) {
        let Welcome {
            version,
            pid,
            complete,
            ghost_style,
            right_arrow,
            autosuggestions,
            min_input,
            bar,
            bar_style,
            hint,
            hint_style,
            tab,
            wish,
            wish_prefix,
            wish_style,
            wish_min,
            explain_key,
            private_key,
            reroute,
            agent_prefix,
            shell_prefix,
            wrong_key,
            suggest,
            capture,
        } = welcome;
        let switch = |on: &OnOff| match on {
            OnOff::On => "on",
            OnOff::Off => "off",
        };
        self.fields(&["hello", version, &pid.to_string(), switch(complete), ghost_style, right_arrow, autosuggestions]);
        self.fields(&[&min_input.to_string(), bar, bar_style, switch(hint), hint_style, tab]);
        self.fields(&[switch(wish), wish_prefix, wish_style, &wish_min.to_string(), explain_key, private_key]);
        self.fields(&[reroute, agent_prefix, shell_prefix, wrong_key, switch(suggest), capture]);
    }

    fn candidates(&mut self, verb: &str, found: &CompleteResult) {
        self.fields(&[verb, &found.candidates.len().to_string()]);
        for candidate in &found.candidates {
            let cursor = candidate.cursor_pos.map(|cursor| cursor.to_string()).unwrap_or_default();
            self.fields(&[&candidate.completion, &cursor, &candidate.source]);
            if found.described {
                self.fields(&[&brief(&candidate.description)]);
            }
        }
        if found.asks_ghost {
            self.fields(&[flag(found.ghost == Ghost::Fit)]);
        }
    }

    fn suggestion(&mut self, suggestion: &TranslateResult) {
        let TranslateResult { state, note, proposals } = suggestion;
        self.fields(&["translate", state.name(), note, &proposals.len().to_string()]);
        for proposal in proposals {
            let WireProposal { text, source, confidence, description, warning, nearness } = proposal;
            self.fields(&[text, source, &confidence.to_string(), description, warning, nearness.name()]);
        }
    }

    fn explanation(&mut self, explanation: &ExplainResult) {
        let ExplainResult { state, source, lines } = explanation;
        self.fields(&["explain", state.name(), source, &lines.len().to_string()]);
        for line in lines {
            self.fields(&[line]);
        }
    }

    fn said(&mut self, said: &AskResult) {
        let AskResult { state, note, proposal, warning, rows, tail } = said;
        self.fields(&["said", state.name(), note, proposal, warning, &rows.len().to_string()]);
        for row in rows {
            self.fields(&[row]);
        }
        self.fields(&[&tail.len().to_string()]);
        for row in tail {
            self.fields(&[row]);
        }
    }

    fn fields(&mut self, fields: &[&str]) {
        for field in fields {
            self.0.push(SEPARATOR);
            self.0.push_str(&text::clean(field));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WireCandidate;

    fn record(described: bool, description: &str) -> String {
        let candidate = WireCandidate {
            completion: "git commit --amend".to_owned(),
            source: "spec".to_owned(),
            description: description.to_owned(),
            ..WireCandidate::default()
        };
        let reply = Reply::Complete(CompleteResult {
            candidates: vec![candidate.clone(), candidate],
            described,
            ..CompleteResult::default()
        });
        String::from_utf8(encode(&Answer { id: 7, reply })).unwrap().replace(SEPARATOR, "|").replace('\0', "")
    }

    #[test]
    fn only_a_client_that_asks_for_descriptions_gets_them() {
        let plain = "|git commit --amend||spec".repeat(2);
        assert_eq!(record(false, "replace the tip"), format!("7|complete|2{plain}"));
        let described = "|git commit --amend||spec|replace the tip".repeat(2);
        assert_eq!(record(true, "replace the tip"), format!("7|complete|2{described}"));
        // What an older plugin sends, and what a newer one does.
        let call = |fields: &[&str]| decode(fields).unwrap().request;
        let line =
            CompleteParams { session: "s".into(), cwd: "/".into(), left: "ls".into(), ..CompleteParams::default() };
        assert_eq!(call(&["1", "complete", "s", "/", "ls", ""]), Request::Complete(line.clone()));
        let described = CompleteParams { describe: true, list: true, ..line };
        assert_eq!(call(&["1", "complete", "s", "/", "ls", "", "", "", "1", "1"]), Request::Complete(described));
    }

    #[test]
    fn a_description_is_one_short_clean_line() {
        for (description, wanted) in [
            ("", "".to_owned()),
            ("two\n lines\t here", "two lines here".to_owned()),
            ("\u{1b}[31mred\u{1f}\u{202e}", "[31mred".to_owned()),
            (&"a".repeat(60), "a".repeat(60)),
            (&"a".repeat(61), format!("{}…", "a".repeat(59))),
            (&"修改".repeat(15), "修改".repeat(15)),
            (&"修改".repeat(16), format!("{}修…", "修改".repeat(14))),
        ] {
            assert_eq!(brief(description), wanted, "{description:?}");
            assert!(wanted.width() <= MAX_DESCRIPTION, "{wanted:?}");
        }
    }
}
