//! Speaks the Agent Client Protocol (JSON-RPC 2.0, one message per line). Serves file reads; refuses every write, command and permission
//! request and turns the first such request of a turn into a proposal. Never selects an option that allows something.

pub(super) mod tool;

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES as AGENT, CLIENT_METHOD_NAMES as CLIENT, CancelNotification, ClientCapabilities, ContentBlock,
    CreateTerminalRequest, FileSystemCapabilities, Implementation, InitializeRequest, InitializeResponse,
    LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse, PermissionOption,
    PermissionOptionKind, PromptRequest, PromptResponse, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
    SessionId, SessionModeState, SetSessionModeRequest, StopReason, WriteTextFileRequest,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;

use crate::agent::acp::tool::{TurnState, terminal};
use crate::agent::json_lines::JsonLines;
use crate::agent::rpc::{Dialect, Error, ErrorReply, Rpc, answered, answers};
use crate::agent::text::short;
use crate::agent::{AgentAction, AgentRequest, ENDS, Edit, Ended, Failure, FileChange, Listener, OPENS, named};

/// The JSON-RPC error code of an agent that is not signed in.
const AUTH_REQUIRED: i64 = -32000;
/// Ids of session modes in which agents ask before they act, the strictest first.
const ASKING: [&str; 3] = ["read-only", "default", "ask"];
/// Cap on refused requests per turn, so that an agent that keeps asking fails.
const MAX_REFUSALS: usize = 500;
const PROPOSED: &str =
    "not done: the user is asked whether to do it, and you are told what became of it. End your turn.";

pub struct Acp<'a, L> {
    rpc: Rpc<'a>,
    pub told: TurnState<'a, L>,
    session: SessionId,
}

/// A request of the agent.
enum Asked {
    Wants(AgentAction),
    /// A request that cannot become a proposal: permission to read something, or a method that Aside does not know.
    Else,
}

impl<'a, L: Listener> Acp<'a, L> {
    pub async fn open(
        lines: &'a mut JsonLines,
        brief: &AgentRequest<'_>,
        name: &str,
        listener: &'a L,
    ) -> Result<Self, Failure> {
        let rpc = Rpc::new(lines, Dialect::JsonRpc);
        let mut acp = Self { rpc, told: TurnState::new(listener), session: SessionId::new("") };
        let opened = tokio::time::timeout(OPENS, acp.opens(brief, name)).await;
        opened.unwrap_or(Err(Failure::TooLate(OPENS)))?;
        Ok(acp)
    }

    async fn opens(&mut self, brief: &AgentRequest<'_>, name: &str) -> Result<(), Failure> {
        let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(true);
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files).terminal(true))
            .client_info(Implementation::new("aside", env!("CARGO_PKG_VERSION")));
        let hello = self.call(AGENT.initialize, &hello).await?;
        let hello: InitializeResponse = read(hello.map_err(|why| unread(AGENT.initialize, &why.message))?)?;
        if hello.protocol_version != ProtocolVersion::V1 {
            return Err(Failure::Version {
                name: name.to_owned(),
                found: format!("with version {} of ACP", hello.protocol_version),
                known: "1",
                advice: "install a release that speaks version 1".to_owned(),
            });
        }
        if let Some(info) = &hello.agent_info {
            self.told.reply.model = short(&format!("{} {}", info.title.as_ref().unwrap_or(&info.name), info.version));
        }
        let loaded = match brief.thread.filter(|_| hello.agent_capabilities.load_session) {
            Some(thread) => self.loads(thread, brief).await?,
            None => None,
        };
        let modes = match loaded {
            Some(modes) => modes,
            None => {
                let made = self.call(AGENT.session_new, &NewSessionRequest::new(brief.cwd)).await?;
                let made: NewSessionResponse = read(made.map_err(|why| not_opened(&why, &hello))?)?;
                self.session = made.session_id;
                made.modes
            }
        };
        named(&self.session.0)?;
        self.told.reply.thread = self.session.to_string();
        self.asks_first(modes).await
    }

    /// Resumes a session and returns its modes; `None` if the agent cannot load it. The agent replays the old messages, which `call` skips.
    async fn loads(
        &mut self,
        thread: &str,
        brief: &AgentRequest<'_>,
    ) -> Result<Option<Option<SessionModeState>>, Failure> {
        let session = SessionId::new(thread);
        let load = LoadSessionRequest::new(session.clone(), brief.cwd);
        let Ok(loaded) = self.call(AGENT.session_load, &load).await? else { return Ok(None) };
        self.session = session;
        // Some agents reply with `null`.
        Ok(Some(serde_json::from_value::<LoadSessionResponse>(loaded).ok().and_then(|loaded| loaded.modes)))
    }

    /// Selects a mode in which the agent asks, if it has one. The sandbox forbids writes in every mode; in any other mode they would only
    /// fail.
    async fn asks_first(&mut self, modes: Option<SessionModeState>) -> Result<(), Failure> {
        let Some(modes) = modes else { return Ok(()) };
        let wanted = ASKING.iter().find_map(|name| modes.available_modes.iter().find(|mode| &*mode.id.0 == *name));
        let Some(wanted) = wanted.filter(|wanted| wanted.id != modes.current_mode_id) else { return Ok(()) };
        let set = SetSessionModeRequest::new(self.session.clone(), wanted.id.clone());
        let taken = self.call(AGENT.session_set_mode, &set).await?;
        taken.map(drop).map_err(|why| {
            Failure::Unsafe(format!("it does not take the mode `{}`, in which it asks ({})", wanted.id, why.message))
        })
    }

    async fn call(&mut self, method: &str, params: &impl Serialize) -> Result<Result<Value, ErrorReply>, Failure> {
        self.rpc.call(method, written(params)?).await
    }

    pub async fn turn(&mut self, prompt: &str) -> Result<Ended, Failure> {
        let ask = PromptRequest::new(self.session.clone(), vec![ContentBlock::from(prompt)]);
        let id = self.rpc.sends(AGENT.session_prompt, written(&ask)?).await?;
        let (mut wants, mut ends, mut refusals) = (None, None, 0);
        loop {
            let message = match self.rpc.next_before(ends).await {
                Ok(Some(message)) => message,
                // The proposal is already known, so it does not matter how the agent ends.
                Ok(None) | Err(Failure::Died(_)) if wants.is_some() => return Ok(whole(wants)),
                Ok(None) => return Err(Failure::TooLate(ENDS)),
                Err(failure) => return Err(failure),
            };
            if answers(&message, id) {
                return self.ended(answered(message), wants);
            }
            let params = &message["params"];
            match message["method"].as_str().unwrap_or_default() {
                method if method == CLIENT.session_update => self.told.on_notification(params),
                method if method == CLIENT.fs_read_text_file => self.reads(&message).await?,
                method if message.get("id").is_some() => {
                    refusals += 1;
                    if refusals > MAX_REFUSALS {
                        return Err(Failure::Flood);
                    }
                    let asked = self.asked(method, params)?;
                    self.refuses(&message, &asked).await?;
                    // Only the first request becomes the proposal.
                    if let (Asked::Wants(wanted), None) = (asked, &wants) {
                        wants = Some(wanted);
                        ends = Some(Instant::now() + ENDS);
                        let cancel = written(&CancelNotification::new(self.session.clone()))?;
                        self.rpc.notes(AGENT.session_cancel, cancel).await?;
                    }
                }
                _ => {}
            }
        }
    }

    fn asked(&mut self, method: &str, params: &Value) -> Result<Asked, Failure> {
        if method == CLIENT.session_request_permission {
            let asked: RequestPermissionRequest = read(params.clone())?;
            return self.told.wanted(asked.tool_call);
        }
        if method == CLIENT.fs_write_text_file {
            let write: WriteTextFileRequest = read(params.clone())?;
            let (path, edit) = (write.path.display().to_string(), Edit::Whole(write.content));
            return Ok(Asked::Wants(AgentAction::Change(vec![FileChange { path, edit }])));
        }
        if method == CLIENT.terminal_create {
            return terminal(read::<CreateTerminalRequest>(params.clone())?).map(Asked::Wants);
        }
        Ok(Asked::Else)
    }

    async fn refuses(&mut self, message: &Value, asked: &Asked) -> Result<(), Failure> {
        if message["method"] == CLIENT.session_request_permission {
            let asked: RequestPermissionRequest = read(message["params"].clone())?;
            let answer = written(&RequestPermissionResponse::new(refusal(&asked.options)))?;
            return self.rpc.replies(message, answer).await;
        }
        match asked {
            Asked::Wants(_) => self.rpc.refuses(message, Error::Declined, PROPOSED).await,
            Asked::Else => self.rpc.refuses(message, Error::NotServed, "Aside serves nothing of this kind").await,
        }
    }

    async fn reads(&mut self, message: &Value) -> Result<(), Failure> {
        let Ok(asked) = read::<ReadTextFileRequest>(message["params"].clone()) else {
            return self.rpc.refuses(message, Error::Declined, "it does not say which file").await;
        };
        match self.told.listener.reads(&asked.path.display().to_string()).await {
            Ok(text) => {
                let part = lines_of(&text, asked.line, asked.limit);
                self.rpc.replies(message, written(&ReadTextFileResponse::new(part))?).await
            }
            Err(why) => self.rpc.refuses(message, Error::NotFound, &why).await,
        }
    }

    fn ended(&mut self, answer: Result<Value, ErrorReply>, wants: Option<AgentAction>) -> Result<Ended, Failure> {
        if wants.is_some() {
            return Ok(whole(wants));
        }
        self.told.shows_begun();
        let answer = answer.map_err(|why| Failure::Failed(why.message))?;
        // Token usage is not in the protocol yet, but many agents send it.
        self.told.reply.tokens_in = answer["usage"]["inputTokens"].as_u64();
        self.told.reply.tokens_out = answer["usage"]["outputTokens"].as_u64();
        let answer: PromptResponse = read(answer)?;
        match answer.stop_reason {
            StopReason::EndTurn | StopReason::Cancelled
                if self.told.reply.text.trim().is_empty()
                    && let Some(refused) = &self.told.refused =>
            {
                Err(Failure::Refused(format!("it asked leave for this, which is not given: {refused}")))
            }
            StopReason::EndTurn => Ok(Ended::Whole),
            StopReason::Cancelled => Err(Failure::Failed("it broke off its turn".to_owned())),
            StopReason::Refusal => Err(Failure::Failed("its model refuses this request".to_owned())),
            _ => Err(Failure::Failed("it came to the end of what one turn may take".to_owned())),
        }
    }
}

fn whole(wants: Option<AgentAction>) -> Ended {
    wants.map_or(Ended::Whole, Ended::Wants)
}

/// Chooses the refusal by option kind: each agent invents its own option ids and names.
fn refusal(options: &[PermissionOption]) -> RequestPermissionOutcome {
    let rejects = options.iter().find(|option| option.kind == PermissionOptionKind::RejectOnce);
    rejects.map_or(RequestPermissionOutcome::Cancelled, |option| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
    })
}

/// Cuts a range of lines out of a text. Line numbers start at 1.
fn lines_of(text: &str, from: Option<u32>, most: Option<u32>) -> String {
    let skipped = usize::try_from(from.unwrap_or(1).saturating_sub(1)).unwrap_or(usize::MAX);
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    text.split_inclusive('\n').skip(skipped).take(most).collect()
}

fn not_opened(why: &ErrorReply, hello: &InitializeResponse) -> Failure {
    if why.code != AUTH_REQUIRED {
        return Failure::Failed(format!("it opens no conversation: {}", why.message));
    }
    let ways: Vec<String> = hello.auth_methods.iter().take(3).map(|way| short(way.name())).collect();
    Failure::SignIn(format!("start it once by itself, in a terminal ({})", ways.join(", ")))
}

fn written(params: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(params).map_err(|error| Failure::Garbled(short(&error.to_string())))
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::Garbled(short(&error.to_string())))
}

fn unread(method: &str, why: &str) -> Failure {
    Failure::Garbled(format!("{method}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(id: &str, kind: PermissionOptionKind) -> PermissionOption {
        PermissionOption::new(id.to_owned(), id, kind)
    }

    #[test]
    fn leave_is_refused_by_the_kind_of_an_option_and_never_given() {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let options = [option("no", AllowOnce), option("yes", RejectOnce), option("x", AllowAlways)];
        let RequestPermissionOutcome::Selected(chosen) = refusal(&options) else { panic!("nothing was chosen") };
        assert_eq!(&*chosen.option_id.0, "yes");
        for options in [vec![], vec![option("reject", AllowOnce)], vec![option("never", RejectAlways)]] {
            assert_eq!(refusal(&options), RequestPermissionOutcome::Cancelled, "{options:?}");
        }
    }

    #[test]
    fn a_part_of_a_file_is_counted_in_lines() {
        let text = "one\ntwo\nthree";
        assert_eq!(lines_of(text, None, None), text);
        assert_eq!(lines_of(text, Some(2), Some(1)), "two\n");
        assert_eq!(lines_of(text, Some(0), Some(1)), "one\n");
        assert_eq!(lines_of(text, Some(9), None), "");
    }
}
