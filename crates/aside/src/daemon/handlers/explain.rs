//! Handles `explain`: what a command does. Replies at once with what is known here; a model's explanation may follow.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_model_output::explanation::explanation;
use aside_proto::Reply;
use aside_proto::query::{ExplainParams, ExplainResult, ReplyStage};
use aside_text as text;
use aside_translate::explain::{explain, summary_lines};
use aside_translate::facts::PromptFacts;
use aside_translate::prompt;
use aside_translate::{ProposalSource, ToolFlavor, TranslateContext};
use shell_line::Dialect;
use tokio::sync::oneshot;

use crate::daemon::model::{self, Purpose};
use crate::daemon::state::{SessionRef, State};
use crate::daemon::updates::{ReplyMode, Updates};
use crate::provider::{Failure, Privacy, Question, Selection};
use crate::text_work;
use crate::world::MachineView;
use crate::world::system::looked_up;

/// Lines, and characters of each, that fit below a prompt.
const LINES: usize = 12;
const WIDTH: usize = 120;
/// Characters of a line of the embedded engine. It has columns, which break when the terminal wraps it.
const OWN_WIDTH: usize = 100;
/// Characters of a command; anything longer is a script.
const MAX_COMMAND: usize = 4096;
/// How long the lookups that the answer depends on may take. Formatting a manual page runs several programs.
const LOOK_UP: Duration = Duration::from_millis(700);

/// Tokens of an explanation, including the reasoning that some models write first.
const MAX_TOKENS: u32 = 1536;

pub async fn handle(state: &Arc<State>, asked: ExplainParams, privacy: Privacy, updates: &Updates) -> Reply {
    if asked.command.trim().is_empty() || asked.command.chars().nth(MAX_COMMAND).is_some() {
        return said(ReplyStage::Done, ProposalSource::Embedded, Vec::new());
    }
    let request = Arc::new(ExplainRequest::new(state, asked, privacy));
    let known = request.known().await;
    if model::endpoint(&state.config().llm, Purpose::Explain, Selection::AsSet).is_none() || !request.may_ask() {
        return said(ReplyStage::Done, ProposalSource::Embedded, known);
    }
    let (mode, teller, before) = (updates.mode(), updates.clone(), known.clone());
    // Dropped when another line arrives or the client disconnects, which cancels the model request.
    let (hold, given_up) = oneshot::channel::<()>();
    let (last, answered) = oneshot::channel();
    text_work::spawn(text_work::NO_TEXT, async move {
        let listener = teller.clone();
        let hear = move |lines| listener.send(said(ReplyStage::Partial, ProposalSource::Llm, lines));
        let reply = tokio::select! {
            answer = text_work::apart(text_work::UNKNOWN, async move { request.ask(hear).await }) => match answer {
                Ok(Ok(lines)) => said(ReplyStage::Done, ProposalSource::Llm, lines),
                Ok(Err(_)) | Err(_) => said(ReplyStage::Done, ProposalSource::Embedded, before),
            },
            _ = given_up => return,
        };
        match mode {
            ReplyMode::Single => drop(last.send(reply)),
            ReplyMode::Stream => teller.send(reply),
        }
    });
    updates.hold_work(hold);
    match mode {
        ReplyMode::Single => answered.await.unwrap_or_else(|_| said(ReplyStage::Done, ProposalSource::Embedded, known)),
        ReplyMode::Stream => said(ReplyStage::Partial, ProposalSource::Embedded, known),
    }
}

fn said(state: ReplyStage, source: ProposalSource, lines: Vec<String>) -> Reply {
    Reply::Explain(ExplainResult { state, source: source.name().to_owned(), lines })
}

struct ExplainRequest {
    state: Arc<State>,
    asked: ExplainParams,
    privacy: Privacy,
    names: Arc<ShellNames>,
    dialect: Dialect,
    view: MachineView,
    /// Whether the tools are GNU, BSD or BusyBox, and the name of the operating system.
    looked_up: OnceLock<(ToolFlavor, &'static str)>,
}

impl ExplainRequest {
    fn new(state: &Arc<State>, asked: ExplainParams, privacy: Privacy) -> Self {
        let asker = SessionRef { session: &asked.session, shell: &asked.shell, wait: asked.wait };
        let (names, dialect) = state.shell(asker);
        let view = state.view(&names);
        Self { state: Arc::clone(state), asked, privacy, names, dialect, view, looked_up: OnceLock::new() }
    }

    fn is_private(&self) -> bool {
        self.privacy == Privacy::Private
    }

    fn may_ask(&self) -> bool {
        !self.is_private() && self.state.may_leave(&self.asked.command)
    }

    async fn known(&self) -> Vec<String> {
        let _ = self.looked_up.set(looked_up(self.view.path()).await);
        let mut known = self.explained();
        self.view.settled(LOOK_UP).await;
        if self.view.take_news() {
            known = self.explained();
        }
        known
    }

    fn explained(&self) -> Vec<String> {
        let specs = self.state.specs();
        // The embedded lines are plain text; their alignment is kept.
        summary_lines(&explain(&self.asked.command, &self.place(&specs)), OWN_WIDTH)
    }

    fn place<'a>(&'a self, specs: &'a Specs) -> TranslateContext<'a> {
        let (system, _) = self.looked_up.get().copied().unwrap_or_default();
        TranslateContext {
            cwd: &self.asked.cwd,
            dialect: self.dialect,
            system,
            world: &self.view,
            names: &self.names,
            specs,
        }
    }

    fn question(&self) -> Question {
        let specs = self.state.specs();
        let (_, os) = self.looked_up.get().copied().unwrap_or_default();
        let prompt = prompt::explain(&self.asked.command, &PromptFacts::of(&self.place(&specs), os, &[]));
        Question {
            max_tokens: MAX_TOKENS,
            privacy: self.privacy,
            session: self.asked.session.clone(),
            ..Question::new(prompt.system.to_owned(), prompt.user())
        }
    }

    async fn ask(&self, mut hear: impl FnMut(Vec<String>)) -> Result<Vec<String>, Failure> {
        let (mut shown, mut ends) = (0, 0);
        let hear = |text: &str| {
            // Sends whole lines only, so that the painted text does not jump.
            let ended = text.bytes().filter(|byte| *byte == b'\n').count();
            if ended > ends {
                ends = ended;
                let lines = plain(text.rsplit_once('\n').map_or("", |(whole, _)| whole));
                if lines.len() > shown {
                    shown = lines.len();
                    hear(lines);
                }
            }
            if shown == LINES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let said = model::ask(&self.state, Purpose::Explain, &self.question(), hear).await?;
        let lines = plain(&said.text);
        if lines.is_empty() { Err(Failure::Garbled("it said nothing".to_owned())) } else { Ok(lines) }
    }
}

/// A model's text as lines that can be painted below a prompt: without reasoning, Markdown and escape sequences.
fn plain(said: &str) -> Vec<String> {
    let cut = |line: String| match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    };
    explanation(said).into_iter().map(|line| cut(text::clean(&line).into_owned())).take(LINES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_plain_lines_is_painted() {
        let said = "<think>hm</think>**Lists** files.\n\n```sh\n- `-l`: \u{1b}[31mlong\u{202e}\r\n  # x\n```";
        assert_eq!(plain(said), ["Lists files.", "-l: long", "x"]);
        assert_eq!(plain("--all: all"), ["--all: all"], "a flag keeps its dashes");
        assert_eq!(plain(&"a\n".repeat(50)).len(), LINES);
        assert_eq!(plain(&"x".repeat(500))[0].chars().count(), WIDTH + 1);
    }
}
