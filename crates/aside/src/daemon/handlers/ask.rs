//! Handles `ask`: answers prose. A configured model answers with streamed updates; without a model, or if it fails, the embedded engine
//! answers. The work continues when the client disconnects, since a shell reconnects with each line. Runs no command.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::World;
use aside_core::agent::model_reply::{self, ReplyCompleteness};
use aside_core::agent::prompt::{self, Exchange, MAX_TOKENS, STOPS};
use aside_core::agent::{self, Advice, AdviceKind, ModelAbsence, OfferedCommand};
use aside_proto::Reply;
use aside_proto::prose::{AskParams, AskResult};
use aside_proto::query::ReplyStage;
use aside_text::markdown::{Rendered, TextEnd, render};
use aside_translate::facts::PromptFacts;
use aside_translate::{ToolFlavor, TranslateContext};
use shell_line::Dialect;
use tokio::sync::{oneshot, watch};

use crate::daemon::conversations::{ReplySink, SharePolicy};
use crate::daemon::model::streaming::{self, StreamReader};
use crate::daemon::model::{self, Purpose};
use crate::daemon::reroute_log::from_ask;
use crate::daemon::state::{SessionRef, State};
use crate::daemon::updates::{AbortOnDrop, ReplyMode, Updates};
use crate::provider::http_exchange::FinishReason;
use crate::provider::{Failure, Privacy, Question, Selection};
use crate::text_work;
use crate::world::MachineView;
use crate::world::system::looked_up;

/// Interval between two updates: faster than the user reads, and slow enough for a shell to print them.
const PACE: Duration = Duration::from_millis(80);
/// How long the lookups that the answer depends on may take. Formatting a manual page runs several programs.
const LOOK_UP: Duration = Duration::from_millis(500);
/// Recent commands in the model's prompt.
const RECENT: usize = 20;
/// Cap on the bytes of an answer including its reasoning; some models do not stop.
const MAX_HEARD: usize = 32 * 1024;
/// Assumed width of a terminal that does not report one.
const USUAL_WIDTH: u32 = 80;

/// An answer that needs no model: Markdown, and the command to propose.
pub type Cure = (String, OfferedCommand);

/// `cure` is what to do about the last command, where the prose asks just that.
pub async fn handle(
    state: &Arc<State>,
    asked: AskParams,
    cure: Option<Cure>,
    privacy: Privacy,
    updates: &Updates,
) -> Reply {
    let who = if asked.session.is_empty() { updates.who() } else { asked.session.clone() };
    if asked.query.trim().is_empty() {
        return reply(state.conversations().stop(&who));
    }
    // A client without a session name cannot reattach.
    let number = if asked.session.is_empty() { 0 } else { asked.number };
    let (mut said, begun) = match state.conversations().attach(&who, number, &asked.query) {
        Some(said) => (said, true),
        None => {
            let query = asked.query.clone();
            // A line that failed in a private shell stays private, also after the shell leaves private mode.
            let was_private = asked.exit != 0 && state.ran_privately(&asked.session, &query);
            let privacy = if was_private { Privacy::Private } else { privacy };
            state.rerouted(from_ask(&asked), privacy);
            let mut asked = asked;
            if asked.exit != 0 && asked.output.is_empty() {
                asked.output = state.printed_last(&asked.session, &query).await.unwrap_or_default();
            }
            let request = AskRequest { cure, ..AskRequest::new(state, asked, privacy, who.clone()) };
            let think = |sink: ReplySink| async move { request.think(&sink).await };
            (state.conversations().begin(&who, number, &query, think), false)
        }
    };
    match updates.mode() {
        ReplyMode::Single => last(&mut said, updates).await,
        ReplyMode::Stream => {
            if !begun {
                // The answer always has an end, so there is always a change to wait for.
                let _ = said.changed().await;
            }
            let first = said.borrow_and_update().clone();
            if first.state != ReplyStage::Done {
                let (teller, hears) = (updates.clone(), tell(said, updates.clone()));
                teller.hold_work(AbortOnDrop(text_work::spawn(text_work::NO_TEXT, hears).abort_handle()));
            }
            reply(first)
        }
    }
}

/// Waits for the final answer, for a client that reads a single reply, unless it disconnects first.
async fn last(said: &mut watch::Receiver<AskResult>, updates: &Updates) -> Reply {
    let (hold, given_up) = oneshot::channel::<()>();
    updates.hold_work(hold);
    tokio::select! {
        _ = said.wait_for(|said| said.state == ReplyStage::Done) => {}
        _ = given_up => {}
    }
    reply(said.borrow().clone())
}

async fn tell(mut said: watch::Receiver<AskResult>, updates: Updates) {
    while said.changed().await.is_ok() {
        let now = said.borrow_and_update().clone();
        let is_last = now.state == ReplyStage::Done;
        updates.send(reply(now));
        if is_last {
            break;
        }
    }
}

fn reply(said: AskResult) -> Reply {
    Reply::Said(Box::new(said))
}

/// A request and its context while the answer is being found.
struct AskRequest {
    state: Arc<State>,
    asked: AskParams,
    privacy: Privacy,
    who: String,
    names: Arc<ShellNames>,
    dialect: Dialect,
    view: MachineView,
    /// Whether the tools are GNU, BSD or BusyBox, and the name of the operating system.
    looked_up: OnceLock<(ToolFlavor, &'static str)>,
    cure: Option<Cure>,
}

impl AskRequest {
    fn new(state: &Arc<State>, mut asked: AskParams, privacy: Privacy, who: String) -> Self {
        let prefix = &state.config().detect.agent_prefix;
        // The prefix that marked the line as prose is not part of the query.
        let words = asked.query.trim().strip_prefix(prefix.as_str()).filter(|_| !prefix.is_empty());
        if let Some(words) = words.filter(|words| words.starts_with(char::is_whitespace)) {
            asked.query = words.trim().to_owned();
        }
        // A client without a session is a user on the command line, whose shell is the one that was seen last.
        let wait = asked.wait || asked.session.is_empty();
        let (mut names, dialect) = state.shell(SessionRef { session: &asked.session, shell: &asked.shell, wait });
        if dialect == Dialect::Bash && names.builtins.is_empty() {
            // bash never reports its names. A command that failed is not a builtin, so at worst a correction is lost.
            Arc::make_mut(&mut names).take("builtin", 0, "cd");
        }
        let view = state.view(&names);
        Self {
            state: Arc::clone(state),
            asked,
            privacy,
            who,
            names,
            dialect,
            view,
            looked_up: OnceLock::new(),
            cure: None,
        }
    }

    async fn think(&self, sink: &ReplySink) {
        let cwd = &self.asked.cwd;
        self.view.entries(cwd);
        self.view.programs();
        self.view.repository(cwd);
        let _ = self.looked_up.set(looked_up(self.view.path()).await);
        if let Some((markdown, proposal)) = self.cure.clone() {
            return self.finish(sink, &markdown, Some(proposal), String::new(), self.leaves());
        }
        let named = model::endpoint(&self.state.config().llm, Purpose::Ask, Selection::AsSet);
        let excuse = match named {
            None => return self.known(sink, ModelAbsence::Unset, "").await,
            Some(_) if self.is_private() => "private, so no model was asked".to_owned(),
            Some(_) if !self.state.may_leave(&self.asked.query) => {
                "history.ignore matches, so no model was asked".to_owned()
            }
            Some(_) => match self.ask(sink).await {
                Ok(()) => return,
                Err(excuse) => excuse,
            },
        };
        self.known(sink, ModelAbsence::Silent, &excuse).await;
    }

    /// Gives the embedded answer, after the lookups that it depends on.
    async fn known(&self, sink: &ReplySink, model: ModelAbsence, excuse: &str) {
        let mut advice = self.embedded(model);
        self.view.settled(LOOK_UP).await;
        if self.view.take_news() {
            advice = self.embedded(model);
        }
        if advice.kind == AdviceKind::Beyond && model == ModelAbsence::Unset {
            // The advice on how to get a model is given once.
            let short = self.embedded(ModelAbsence::StillUnset);
            if self.state.conversations().has_said(&self.who, &[&advice.markdown, &short.markdown]) {
                advice = short;
            }
        }
        let note = match excuse {
            "" => String::new(),
            excuse if advice.lacks_model => excuse.to_owned(),
            excuse => format!("{excuse}; from the embedded engine"),
        };
        // An answer that says a model is needed is not sent to a model later.
        let leaves = if advice.kind == AdviceKind::Beyond { SharePolicy::Never } else { self.leaves() };
        self.finish(sink, &advice.markdown, advice.proposal, note, leaves);
    }

    fn embedded(&self, model: ModelAbsence) -> Advice {
        let (specs, config) = (self.state.specs(), self.state.config());
        self.state.with_history(self.asked.query.len() + self.asked.output.len(), |history| {
            let asked = agent::AgentQuery {
                words: &self.asked.query,
                exit: self.asked.exit,
                output: self.output(),
                history,
                blocklist: &config.security.command_blocklist,
                model,
            };
            agent::embedded(&asked, &self.place(&specs))
        })
    }

    /// Streams a model's answer. Fails with the reason if the model has said nothing usable.
    async fn ask(&self, sink: &ReplySink) -> Result<(), String> {
        sink.send(self.said(ReplyStage::Thinking, Rendered::default(), None, String::new()));
        self.view.settled_briefly().await;
        let question = self.question();
        let listener = StreamReader {
            pace: PACE,
            enough: |text: &str| text.len() > MAX_HEARD,
            tell: |text: &str| self.tell_part(sink, text),
        };
        let (outcome, heard) = streaming::read_stream(&self.state, Purpose::Ask, &question, listener).await;
        let (text, note) = match outcome {
            Ok(said) if said.end == FinishReason::Cut => (said.text, "the model had no room for more".to_owned()),
            Ok(said) => (said.text, String::new()),
            // What the user has already read stays.
            Err(failure) if self.has_words(&heard) => (heard, broke_off(&failure)),
            Err(failure) => return Err(self.state.pending_queries().excuse(&self.who, &failure)),
        };
        if !self.has_words(&text) {
            return Err("the model has no usable answer".to_owned());
        }
        let markdown = model_reply::markdown(&text);
        let proposal = self.proposal(&markdown, ReplyCompleteness::All);
        self.finish(sink, &markdown, proposal, note, self.leaves());
        Ok(())
    }

    fn has_words(&self, text: &str) -> bool {
        !model_reply::markdown(text).trim().is_empty()
    }

    fn tell_part(&self, sink: &ReplySink, text: &str) {
        let markdown = model_reply::markdown(text);
        if !markdown.trim().is_empty() {
            let rendered = render(&markdown, self.width(), TextEnd::No);
            let proposal = self.proposal(&markdown, ReplyCompleteness::Part);
            sink.send(self.said(ReplyStage::Partial, rendered, proposal, String::new()));
        }
    }

    fn proposal(&self, markdown: &str, heard: ReplyCompleteness) -> Option<OfferedCommand> {
        let (specs, config) = (self.state.specs(), self.state.config());
        model_reply::proposal(markdown, heard, &self.place(&specs), &config.security.command_blocklist)
    }

    fn leaves(&self) -> SharePolicy {
        if !self.is_private() && self.state.may_leave(&self.asked.query) {
            SharePolicy::Yes
        } else {
            SharePolicy::Never
        }
    }

    fn finish(
        &self,
        sink: &ReplySink,
        markdown: &str,
        proposal: Option<OfferedCommand>,
        note: String,
        leaves: SharePolicy,
    ) {
        let exchange = Exchange { question: self.asked.query.clone(), answer: markdown.to_owned() };
        self.state.conversations().remember(&self.who, exchange, leaves);
        let rendered = render(markdown, self.width(), TextEnd::Yes);
        sink.send(self.said(ReplyStage::Done, rendered, proposal, note));
    }

    fn said(&self, state: ReplyStage, rendered: Rendered, proposal: Option<OfferedCommand>, note: String) -> AskResult {
        let Rendered { rows, tail } = rendered;
        let OfferedCommand { command, warning } = proposal.unwrap_or_default();
        AskResult { state, note, proposal: command, warning, rows, tail }
    }

    fn question(&self) -> Question {
        let specs = self.state.specs();
        let (_, os) = self.looked_up.get().copied().unwrap_or_default();
        let facts = PromptFacts::of(&self.place(&specs), os, &self.recent());
        let output = self.output().map(|output| self.may_leave_of(output));
        let earlier = self.state.conversations().earlier(&self.who);
        let prompt = prompt::ask(
            &prompt::AgentPromptInput {
                words: &self.asked.query,
                exit: self.asked.exit,
                output: output.as_deref(),
                earlier: &earlier,
            },
            &facts,
        );
        Question {
            max_tokens: MAX_TOKENS,
            stop: STOPS.map(str::to_owned).to_vec(),
            privacy: self.privacy,
            session: self.asked.session.clone(),
            ..Question::new(prompt.system.to_owned(), prompt.user())
        }
    }

    /// The lines of an output that may be sent to a model, up to the prompt's limit.
    fn may_leave_of(&self, output: &str) -> String {
        let printed = prompt::printed(output);
        printed.lines().filter(|line| self.state.may_leave(line)).collect::<Vec<_>>().join("\n")
    }

    /// Recent commands that may be sent to a model, oldest first.
    fn recent(&self) -> Vec<String> {
        let Some(filter) = self.state.filter() else { return Vec::new() };
        let mut recent = self.state.recent(&self.asked.cwd, RECENT);
        recent.retain(|command| filter.keeps(command));
        recent
    }

    fn output(&self) -> Option<&str> {
        Some(self.asked.output.as_str()).filter(|output| !output.trim().is_empty())
    }

    fn is_private(&self) -> bool {
        self.privacy == Privacy::Private
    }

    fn width(&self) -> usize {
        let width = if self.asked.width == 0 { USUAL_WIDTH } else { self.asked.width };
        usize::try_from(width).unwrap_or(usize::MAX)
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
}

fn broke_off(failure: &Failure) -> String {
    format!("the model broke off ({failure})")
}
