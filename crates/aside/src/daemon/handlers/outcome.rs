//! Handles `outcome`: the user accepted or dismissed something that was offered. Stores that on this machine, except of a private shell.

use std::sync::Arc;

use aside_proto::Reply;
use aside_proto::query::OutcomeParams;
use aside_translate::ProposalSource;

use crate::daemon::pending_queries::LastAnswer;
use crate::daemon::state::State;
use crate::provider::Privacy;
use crate::store::interactions::{Action, Interaction, Interactions};

pub async fn handle(state: &Arc<State>, outcome: OutcomeParams, privacy: Privacy) -> Reply {
    let Some(action) = Action::named(&outcome.action) else {
        return Reply::error("bad_request", "an outcome is accept, edit, dismiss or run");
    };
    let answered = state.pending_queries().last_answer(&outcome.session, &outcome.query);
    let asked = answered.as_ref().and_then(|answered| answered.model.as_ref());
    if let Some(asked) = asked.filter(|_| outcome.source == ProposalSource::Llm.name()) {
        state.pending_queries().learn(&asked.name(), |trust| trust.was_taken(action != Action::Dismiss));
    }
    // A request whose command was taken may be changed by the next one.
    if let Some(answered) = answered.as_ref().filter(|_| action != Action::Dismiss) {
        state.pending_queries().enter(&outcome.session, &answered.query, answered.changes.clone());
    }
    if privacy == Privacy::Private {
        return Reply::Ok;
    }
    let interaction = interaction(action, outcome, answered, &state.config().llm.nl_prefix);
    let paths = state.paths.clone();
    let noted = tokio::task::spawn_blocking(move || Interactions::new(&paths).note(&interaction)).await;
    if let Ok(Err(error)) = noted {
        state.notice(format!("could not note what became of a suggestion: {error}"));
    }
    // The shell could do nothing about a failure.
    Reply::Ok
}

fn interaction(action: Action, outcome: OutcomeParams, answered: Option<LastAnswer>, prefix: &str) -> Interaction {
    let OutcomeParams { session, action: _, query, suggestion, source, confidence, cwd, r#final } = outcome;
    let is_query = is_query(&query, &suggestion, &source);
    let answered = answered.filter(|_| is_query);
    let ms = answered.as_ref().map(|answered| answered.ms);
    let model = answered.and_then(|answered| answered.model).filter(|_| source == ProposalSource::Llm.name());
    Interaction {
        session,
        action,
        buffer: if is_query { format!("{prefix} {query}") } else { query.clone() },
        suggestion,
        source,
        confidence: if confidence.is_finite() { confidence } else { 0.0 },
        cwd,
        nl_query: is_query.then_some(query),
        ran: Some(r#final).filter(|line| !line.is_empty()),
        ms,
        provider: model.as_ref().map(|asked| asked.provider.clone()),
        input_tokens: model.as_ref().and_then(|asked| asked.tokens_in),
        output_tokens: model.as_ref().and_then(|asked| asked.tokens_out),
        model: model.map(|asked| asked.model),
    }
}

/// Whether the suggestion answers a query: a completion continues what was typed, a translation does not.
fn is_query(query: &str, suggestion: &str, source: &str) -> bool {
    match source {
        "embedded" | "reader" => true,
        "llm" => !suggestion.starts_with(query),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_told_from_a_line_that_was_completed() {
        for (query, suggestion, source, expected) in [
            ("find large files", "find . -size +100M", "embedded", true),
            ("große Dateien", "find . -size +100M", "reader", true),
            ("find large files", "find . -size +100M", "llm", true),
            ("git st", "git status", "llm", false),
            ("gti status", "git status", "correction", false),
        ] {
            assert_eq!(is_query(query, suggestion, source), expected, "{query}");
        }
        let outcome = OutcomeParams {
            query: "find large files".to_owned(),
            suggestion: "find . -size +100M".to_owned(),
            source: "llm".to_owned(),
            confidence: f32::NAN,
            ..OutcomeParams::default()
        };
        let noted = interaction(Action::Accept, outcome, None, "?");
        assert_eq!(
            (noted.buffer.as_str(), noted.nl_query.as_deref()),
            ("? find large files", Some("find large files"))
        );
        assert_eq!((noted.confidence, noted.ran), (0.0, None));
    }
}
