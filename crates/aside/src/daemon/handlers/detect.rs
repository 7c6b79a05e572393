//! Handles `detect`: whether a line is meant for the shell. Answers from caches, within the delay that Enter may have. Handles `wrong`: the
//! user marks a line as a command.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_commands::shell_names::ShellNames;
use aside_commands::world::World;
use aside_core::detect::{DetectContext, FailureVerdict, FirstWord, PreRunVerdict, has_agent_prefix};
use aside_proto::Reply;
use aside_proto::prose::{DetectParams, DetectPhase, DetectResult, WrongParams};
use shell_line::Dialect;

use crate::config::Reroute;
use crate::daemon::reroute_log::MarkError;
use crate::daemon::routing_overrides::{classify, shell};
use crate::daemon::state::{SessionRef, State};
use crate::provider::Privacy;
use crate::store::reroutes::{RerouteOutcome, Rerouted};
use crate::world::MachineView;

/// How long lookups on this machine may take while the user waits after Enter.
const SETTLE: Duration = Duration::from_millis(6);
/// The same after a line has failed, when only the answer is waited for: branches and targets take a subprocess.
const SETTLE_AFTER: Duration = Duration::from_millis(200);

pub async fn handle(state: &Arc<State>, mut asked: DetectParams, privacy: Privacy) -> Reply {
    let (names, dialect) = state.shell(SessionRef { session: &asked.session, shell: &asked.shell, wait: false });
    let config = state.config();
    let is_addressed = has_agent_prefix(asked.line.trim(), &config.detect.agent_prefix);
    if config.detect.reroute == Reroute::Off && !is_addressed {
        return Reply::Detect(shell(asked.phase, "detect.reroute is off".to_owned()));
    }
    state.reroute_log().refresh().await;
    if asked.phase == DetectPhase::After && asked.output.is_empty() {
        asked.output = state.printed_last(&asked.session, &asked.line).await.unwrap_or_default();
    }
    let ruling = DetectRequest { state, asked: &asked, names: &names, dialect }.rule().await;
    let is_sentence = [PreRunVerdict::Agent.name(), FailureVerdict::Agent.name()].contains(&ruling.verdict.as_str());
    // With `Reroute::Answer`, the `ask` request records the reroute instead.
    if is_sentence && config.detect.reroute == Reroute::Offer && !is_addressed {
        let was_private = asked.exit != 0 && state.ran_privately(&asked.session, &asked.line);
        let rerouted = Rerouted {
            session: asked.session.clone(),
            cwd: asked.cwd.clone(),
            shell: dialect.name().to_owned(),
            phase: asked.phase,
            exit: asked.exit,
            line: asked.line.clone(),
            reason: ruling.reason.clone(),
            became: RerouteOutcome::Offered,
        };
        state.rerouted(rerouted, if was_private { Privacy::Private } else { privacy });
    }
    Reply::Detect(ruling)
}

pub async fn wrong(state: &Arc<State>, wrong: WrongParams) -> Reply {
    if has_agent_prefix(wrong.line.trim(), &state.config().detect.agent_prefix) {
        return Reply::error("bad_request", "a line that begins with detect.agent_prefix is always a sentence");
    }
    let request = Arc::clone(state);
    let marking =
        tokio::task::spawn_blocking(move || request.reroute_log().mark(&request.paths, &wrong.session, &wrong.line));
    match marking.await {
        Ok(Ok(_)) => Reply::Ok,
        Ok(Err(MarkError::None)) => Reply::error("not_found", "no line was taken for a sentence yet"),
        Ok(Err(MarkError::Redacted)) => {
            Reply::error("not_found", "the secrets of that line were not kept; say which: aside detect wrong -- LINE")
        }
        Ok(Err(MarkError::Disk(error))) => {
            state.notice(format!("could not mark a line: {error}"));
            Reply::error("unavailable", format!("could not mark the line: {error}"))
        }
        Err(_) => Reply::error("internal", "the line was not marked; `aside doctor` says more"),
    }
}

/// A line while it is classified.
struct DetectRequest<'a> {
    state: &'a Arc<State>,
    asked: &'a DetectParams,
    names: &'a ShellNames,
    dialect: Dialect,
}

impl DetectRequest<'_> {
    async fn rule(&self) -> DetectResult {
        let view = self.state.view(self.names);
        if self.asked.phase == DetectPhase::After {
            return self.rule_after(&view).await;
        }
        let deadline = Instant::now() + SETTLE;
        loop {
            // The first look triggers the lookups, and a result may lead to another.
            let ruling = self.look(&view);
            if !view.waits_briefly() && !view.take_news() {
                return self.doubted(ruling, &view);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return self.doubted(ruling, &view);
            }
            let _ = tokio::time::timeout(left, view.settled_briefly()).await;
            view.take_news();
        }
    }

    async fn rule_after(&self, view: &MachineView) -> DetectResult {
        let deadline = Instant::now() + SETTLE_AFTER;
        loop {
            let ruling = self.look(view);
            let settled = view.settled(deadline.saturating_duration_since(Instant::now())).await;
            if !view.take_news() || !settled {
                return self.doubted(ruling, view);
            }
        }
    }

    /// A cache may be stale, for example about a file that was just created. Takes a line from the shell only when that does not change the
    /// verdict.
    fn doubted(&self, ruling: DetectResult, view: &MachineView) -> DetectResult {
        if view.is_behind() { self.look(&view.doubting()) } else { ruling }
    }

    fn look(&self, world: &dyn World) -> DetectResult {
        let (config, specs) = (self.state.config(), self.state.specs());
        let facts = DetectContext {
            cwd: &self.asked.cwd,
            dialect: self.dialect,
            first: FirstWord::of(&self.asked.first),
            world,
            names: self.names,
            specs: &specs,
            agent_prefix: &config.detect.agent_prefix,
        };
        classify(self.asked, &facts, self.state.reroute_log().marks(), &config.detect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Paths;

    #[tokio::test]
    async fn what_is_not_known_yet_may_be_there() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::new(Paths {
            config_file: temp.path().join("config.toml"),
            data_dir: temp.path().join("data"),
            state_dir: temp.path().join("state"),
            socket: temp.path().join("s"),
        });
        let asked = DetectParams {
            cwd: temp.path().display().to_string(),
            line: "touch base with me about the plan".to_owned(),
            shell: "zsh".to_owned(),
            first: "program".to_owned(),
            ..DetectParams::default()
        };
        let names = ShellNames::default();
        let request = DetectRequest { state: &state, asked: &asked, names: &names, dialect: Dialect::Zsh };
        let view = state.view(&names);
        assert_ne!(request.look(&view).verdict, "agent", "not looked up yet");
        assert!(view.settled(Duration::from_secs(20)).await);
        assert_eq!(request.look(&view).verdict, "agent");
        assert_eq!(request.look(&view.doubting()).verdict, "agent", "looked up just now");
        // A command may have created a file.
        state.something_ran("/", None);
        assert_ne!(request.look(&view.doubting()).verdict, "agent");
        assert_eq!(request.look(&view).verdict, "agent", "there was none");
        let addressed = DetectParams { line: "@ touch base".to_owned(), ..asked.clone() };
        let request = DetectRequest { asked: &addressed, ..request };
        assert_eq!(request.look(&view.doubting()).verdict, "agent", "that needs no lookup");
    }
}
