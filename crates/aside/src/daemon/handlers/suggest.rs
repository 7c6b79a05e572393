//! Handles `suggest`: a command ended, which one comes next? The embedded engine decides from its status and output, a model if the engine
//! has no idea. A shell asks when it builds its prompt and again when a line begins, so the result belongs to the command and not to the
//! connection. Runs no command.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_commands::safety;
use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::EmptyWorld;
use aside_core::agent::{self, OfferedCommand};
use aside_core::detect::{self, FailureVerdict, FirstWord};
use aside_core::suggest::{self, EarlierRun, EndedRun, Follower, SuggestContext, Suggestion};
use aside_proto::Reply;
use aside_proto::command_ended::{self, SuggestParams, SuggestResult};
use aside_proto::prose::{AskParams, DetectParams, DetectPhase};
use aside_proto::query::ReplyStage;
use aside_translate::check::blocked;
use shell_line::Dialect;
use tokio::sync::watch;

use crate::config::{Capture, Reroute};
use crate::daemon::pending_suggestions;
use crate::daemon::routing_overrides::classify;
use crate::daemon::state::{SessionRef, State};
use crate::daemon::suggest_model::{self, EndedCommand};
use crate::daemon::updates::{AbortOnDrop, ReplyMode, Updates};
use crate::provider::Privacy;
use crate::text_work;
use crate::world::MachineView;

/// Delay before the work: the shell is about to draw its prompt and needs the CPU more.
const AFTER_YOU: Duration = Duration::from_millis(6);
/// How long the lookups that the answer depends on may take: branches and targets take a subprocess.
const LOOK_UP: Duration = Duration::from_millis(1500);

/// Shown once when outputs are not captured, so it names the command that tells it again.
const CAPTURE_TIP: &str = "aside: outputs are not seen here; `aside doctor` says what helps (shown once)";

/// Statuses from here on are the shell's own: the command did not run, or a signal ended it.
const CANNOT_RUN: i32 = 126;
/// The status of a shell when there is no such command.
const NOT_FOUND: i32 = 127;

/// The session of clients that report output but no session: they share one, as in ghst.
const THEIRS: &str = "ghst";

pub async fn handle(state: &Arc<State>, mut ended: SuggestParams, privacy: Privacy, updates: &Updates) -> Reply {
    ended.exit = suggest::status(&ended.command, ended.exit, Dialect::of(&ended.shell));
    let kept = state.filter().is_some_and(|filter| filter.keeps(&ended.command));
    if !kept {
        state.recent_commands().ran_hidden(&ended.session, ended.seq, ended.exit);
    }
    if !state.config().suggest.enabled || !kept {
        return reply(SuggestResult::none(ReplyStage::Done));
    }
    if let (Some(output), true) = (&ended.output, ended.session.is_empty()) {
        ended.session = THEIRS.to_owned();
        ended.seq = state.recent_commands().after_last(THEIRS);
        state.recent_commands().printed(THEIRS, ended.seq, output);
    }
    let who = if ended.session.is_empty() { updates.who() } else { ended.session.clone() };
    let (seq, command) = (ended.seq, ended.command.clone());
    let found = match state.pending_suggestions().known(&who, seq, &command).filter(|_| !ended.session.is_empty()) {
        Some(found) => found,
        None => {
            let SuggestParams { session, cwd, exit, shell, .. } = &ended;
            // The command may have run while the shell was private, reported to an earlier daemon.
            let was_private = state.seq_ran_privately(session, seq, &command);
            let privacy = if was_private { Privacy::Private } else { privacy };
            let is_news = state.ran(session, shell, (seq, &command, cwd, *exit), privacy);
            let request = SuggestRequest::new(state, ended, privacy);
            state.pending_suggestions().begin(&who, (seq, &command), |found| request.think(is_news, found))
        }
    };
    if updates.mode() == ReplyMode::Single {
        return reply(pending_suggestions::wait_final(found).await);
    }
    let known = pending_suggestions::current(&found);
    if known.state != ReplyStage::Done {
        let teller = updates.clone();
        let tells = async move { teller.send(reply(pending_suggestions::wait_final(found).await)) };
        updates.hold_work(AbortOnDrop(text_work::spawn(text_work::NO_TEXT, tells).abort_handle()));
    }
    reply(known)
}

/// Loads the rules in advance, which takes as long as a hundred answers.
pub fn prepare() {
    let (names, specs) = (ShellNames::default(), Specs::default());
    let ended = EndedRun { command: "make", exit: 2, output: Some("run `make`"), previous: &[], next: &[] };
    let place =
        SuggestContext { cwd: "/", dialect: Dialect::default(), world: &EmptyWorld, names: &names, specs: &specs };
    suggest::suggest(&ended, &place);
}

/// For prose that asks why the last command of the shell failed: the answer of `aside fix`, as Markdown and as a command to propose. Asks
/// no model.
pub async fn cure(state: &Arc<State>, asked: &AskParams, privacy: Privacy) -> Option<(String, OfferedCommand)> {
    if !agent::asks_why(&asked.query) {
        return None;
    }
    let is_other = |past: &command_ended::RecalledCommand| {
        past.command != asked.query && past.command.split(' ').next() != Some("aside")
    };
    let failed = state.recent_commands().recall(&asked.session, 0).into_iter().rfind(is_other)?;
    if matches!(failed.exit, 0 | 130) || failed.command.is_empty() {
        return None;
    }
    let ended = SuggestParams {
        session: asked.session.clone(),
        cwd: failed.cwd,
        command: failed.command,
        exit: failed.exit,
        shell: asked.shell.clone(),
        seq: failed.seq,
        ..SuggestParams::default()
    };
    let mut request = SuggestRequest::new(state, ended, privacy);
    let known = request.known().await;
    request.hear_status(&known);
    let Idea::Command(found) = request.embedded(&known).await else { return None };
    let markdown = format!("`{}` ended with {}: {}", request.ended.command, request.ended.exit, found.reason);
    let warning = safety::summary(&safety::dangers(&found.command, request.dialect));
    Some((markdown, OfferedCommand { command: found.command, warning }))
}

fn reply(found: SuggestResult) -> Reply {
    Reply::Suggest(Box::new(found))
}

/// A command that has ended and its context, while the next one is being found.
struct SuggestRequest {
    state: Arc<State>,
    ended: SuggestParams,
    privacy: Privacy,
    names: Arc<ShellNames>,
    dialect: Dialect,
}

/// The output of the command, the commands before it, and what usually follows.
struct CommandContext {
    output: Option<String>,
    previous: Vec<command_ended::RecalledCommand>,
    next: Vec<(String, u32, u32)>,
}

/// The result of the embedded engine.
enum Idea {
    Command(Suggestion),
    None,
    /// The line was prose; the agent answers it.
    Sentence,
}

impl SuggestRequest {
    fn new(state: &Arc<State>, ended: SuggestParams, privacy: Privacy) -> Self {
        let wait = ended.session.is_empty();
        let (names, dialect) = state.shell(SessionRef { session: &ended.session, shell: &ended.shell, wait });
        Self { state: Arc::clone(state), ended, privacy, names, dialect }
    }

    async fn think(mut self, is_news: bool, found: watch::Sender<SuggestResult>) {
        tokio::time::sleep(AFTER_YOU).await;
        if is_news {
            // The command may have made caches about this directory stale.
            self.state.something_ran(&self.ended.cwd, None);
        }
        self.state.reroute_log().refresh().await;
        let known = self.known().await;
        self.hear_status(&known);
        let is_unseen = known.output.is_none();
        let suggested = match self.embedded(&known).await {
            Idea::Command(suggestion) => self.suggested(suggestion),
            Idea::None => match suggest_model::suggest(&self.state, self.question(known)).await {
                Some(suggestion) => self.suggested(suggestion),
                None if is_unseen => {
                    SuggestResult { warning: self.capture_tip(), ..SuggestResult::none(ReplyStage::Done) }
                }
                None => SuggestResult::none(ReplyStage::Done),
            },
            Idea::Sentence => SuggestResult::none(ReplyStage::Done),
        };
        if !suggested.command.is_empty() {
            self.state.last_shown().note_next(&self.ended.session, &self.ended.cwd, &suggested);
        }
        found.send_replace(suggested);
    }

    /// The tip on capturing output, shown once per user: after a failure whose output might have helped, in a shell that can show it.
    fn capture_tip(&self) -> String {
        let SuggestParams { session, exit, shell, command, .. } = &self.ended;
        // What our own commands print is known.
        let is_ours = command.split_whitespace().next().is_some_and(|word| word.rsplit('/').next() == Some("aside"));
        let is_failure =
            (1..CANNOT_RUN).contains(exit) && shell == "zsh" && self.privacy != Privacy::Private && !is_ours;
        let is_wanted = matches!(self.state.config().suggest.capture, Capture::Auto | Capture::Pty);
        let is_off = self.state.capture_registry().seen(session).tier == "off";
        let is_first = || std::fs::File::create_new(self.state.paths.capture_tip()).is_ok();
        if is_failure && is_wanted && is_off && is_first() { CAPTURE_TIP.to_owned() } else { String::new() }
    }

    async fn known(&self) -> CommandContext {
        let SuggestParams { session, cwd, command, exit, seq, .. } = &self.ended;
        let output = self.state.printed(session, *seq).await;
        let previous = self.state.recent_commands().before(session, *seq);
        let index = self.state.index();
        let next = index.next(command.trim(), *exit, cwd).into_iter();
        let next = next.map(|(command, here, anywhere)| (command.to_owned(), here, anywhere)).collect();
        CommandContext { output, previous, next }
    }

    /// A shell that has not reported its names yet, at its first prompts, still tells by its status that a command does not exist.
    fn hear_status(&mut self, known: &CommandContext) {
        let first = self.ended.command.split_whitespace().next().unwrap_or_default();
        let is_named = known.output.as_ref().is_none_or(|output| output.contains(first));
        if self.ended.exit == NOT_FOUND && is_named && self.names.builtins.is_empty() {
            // With a builtin that every shell has, the names count as reported.
            Arc::make_mut(&mut self.names).take("builtin", 0, "cd");
        }
    }

    /// Asks the embedded engine, repeatedly while lookups on this machine finish within the deadline.
    async fn embedded(&self, known: &CommandContext) -> Idea {
        let view = self.state.view(&self.names);
        let deadline = Instant::now() + LOOK_UP;
        loop {
            let found = match self.look(known, &view) {
                _ if self.is_sentence(known, &view) => Idea::Sentence,
                Some(suggestion) => Idea::Command(suggestion),
                None => Idea::None,
            };
            let settled = view.settled(deadline.saturating_duration_since(Instant::now())).await;
            if !view.take_news() || !settled {
                return found;
            }
        }
    }

    fn look(&self, known: &CommandContext, view: &MachineView) -> Option<Suggestion> {
        let mut previous: Vec<EarlierRun<'_>> = Vec::with_capacity(known.previous.len());
        for command_ended::RecalledCommand { command, exit, output, .. } in &known.previous {
            previous.push(EarlierRun { command, exit: Some(*exit), output: output.as_deref() });
        }
        let next: Vec<Follower<'_>> = known
            .next
            .iter()
            .map(|(command, here, anywhere)| Follower { command, here: *here, anywhere: *anywhere })
            .collect();
        let specs = self.state.specs();
        let ended = EndedRun {
            command: &self.ended.command,
            exit: self.ended.exit,
            output: known.output.as_deref(),
            previous: &previous,
            next: &next,
        };
        let place = SuggestContext {
            cwd: &self.ended.cwd,
            dialect: self.dialect,
            world: view,
            names: &self.names,
            specs: &specs,
        };
        let blocklist = &self.state.config().security.command_blocklist;
        suggest::suggest(&ended, &place).filter(|found| blocked(&found.command, self.dialect, blocklist).is_none())
    }

    /// Whether the line is prose, which the agent answers instead.
    fn is_sentence(&self, known: &CommandContext, view: &MachineView) -> bool {
        let config = self.state.config();
        if self.ended.exit == 0 || config.detect.reroute == Reroute::Off {
            return false;
        }
        let asked = DetectParams {
            session: self.ended.session.clone(),
            cwd: self.ended.cwd.clone(),
            line: self.ended.command.clone(),
            shell: self.ended.shell.clone(),
            phase: DetectPhase::After,
            exit: self.ended.exit,
            output: known.output.clone().unwrap_or_default(),
            ..DetectParams::default()
        };
        let specs = self.state.specs();
        let facts = detect::DetectContext {
            cwd: &self.ended.cwd,
            dialect: self.dialect,
            first: FirstWord::of(""),
            world: view,
            names: &self.names,
            specs: &specs,
            agent_prefix: &config.detect.agent_prefix,
        };
        classify(&asked, &facts, self.state.reroute_log().marks(), &config.detect).verdict
            == FailureVerdict::Agent.name()
    }

    fn question(&self, known: CommandContext) -> EndedCommand {
        let SuggestParams { session, cwd, command, exit, shell, .. } = self.ended.clone();
        let privacy = self.privacy;
        let previous = self.state.recent_commands().before_in_the_open(&session, self.ended.seq);
        let worth = self.state.recent_commands().session(&session, self.ended.seq);
        EndedCommand { session, shell, cwd, command, exit, output: known.output, previous, worth, privacy }
    }

    fn suggested(&self, suggestion: Suggestion) -> SuggestResult {
        let Suggestion { command, source, reason, confidence } = suggestion;
        let warning = safety::summary(&safety::dangers(&command, self.dialect));
        SuggestResult {
            state: ReplyStage::Done,
            command,
            source: source.name().to_owned(),
            reason,
            warning,
            confidence,
        }
    }
}
