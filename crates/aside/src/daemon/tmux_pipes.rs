//! Opens the pipes of tmux panes: when a shell reports that it runs in one, and again when a pipe has ended. `capture_registry` decides how often,
//! and for which shells.

use std::sync::Arc;
use std::time::Duration;

use crate::capture::tmux::{self, Pane, PipeRequest, TmuxReply};
use crate::config::{Capture, Config};
use crate::daemon::capture_registry::{CaptureRegistry, PipePermission, Tier};
use crate::daemon::state::State;
use crate::exec::{self, Probe};

/// How long to wait for a watcher that is reconnecting: one that outlived another daemon retries several times a second.
pub const ON_ITS_WAY: Duration = Duration::from_secs(1);

/// Why the pipe of a pane is not opened again: the user closed it, or has one of their own.
pub const LEFT: &str =
    "pipe-pane closed Aside's pipe of this pane, which is left to you since; a new pane has one again";

/// Whether outputs are captured, and the reason.
pub struct CaptureDecision {
    pub tier: Option<Tier>,
    pub reason: String,
}

/// The result of asking tmux.
enum Asked {
    Said(TmuxReply),
    /// One of the user's key bindings toggles pipes.
    Toggles,
    NoProgram,
    Silence,
}

/// Called when a shell sends a message: reopens the pipe of its pane if needed. Returns at once.
pub fn reopen_if_needed(state: &Arc<State>, session: &str) {
    let config = state.config();
    state.capture_registry().dismiss(&config.suggest);
    let Some((pane, tty)) = state.capture_registry().wants(session) else { return };
    if !Tier::Tmux.is_wanted(&config.suggest) {
        return;
    }
    let Ok(turn) = CaptureRegistry::turn(state, &pane) else { return };
    let state = Arc::clone(state);
    tokio::spawn(async move {
        let _turn = turn;
        open(&state, &pane, &tty, &config).await;
    });
}

/// Captures through the pipe of a pane.
pub async fn through_pane(state: &Arc<State>, pane: &Pane, tty: &str, config: &Config) -> CaptureDecision {
    let id = pane.id();
    let seen = || CaptureDecision::seen(Tier::Tmux, &format!("the pipe of pane {id}"));
    if state.capture_registry().has(pane, tty) {
        return seen();
    }
    if state.capture_registry().is_left(pane) {
        return CaptureDecision::off(LEFT);
    }
    let said = match CaptureRegistry::turn(state, pane) {
        Ok(turn) => {
            let asked = open(state, pane, tty, config).await;
            match asked {
                Asked::Said(TmuxReply::Opened) | Asked::Silence => drop(turn),
                Asked::Said(_) | Asked::Toggles | Asked::NoProgram => turn.in_vain(),
            }
            match asked {
                Asked::Said(said) => said,
                Asked::Toggles => {
                    return CaptureDecision::off(
                        "a key in tmux toggles pipes with `pipe-pane -o` and would close ours; \
                         suggest.capture = \"tmux\" opens it all the same",
                    );
                }
                Asked::NoProgram => return CaptureDecision::off("the daemon finds no tmux on its PATH"),
                // The shell marks its outputs all the same, and the next prompt retries.
                Asked::Silence => return seen(),
            }
        }
        Err(PipePermission::UnderWay) => return seen(),
        Err(PipePermission::Spent | PipePermission::Yours) => {
            return CaptureDecision::off("the pane's pipe ended too often");
        }
    };
    match said {
        TmuxReply::Opened => seen(),
        TmuxReply::Taken if state.capture_registry().moves(pane, tty) => seen(),
        // It is ours, and about to end; the next message of the shell opens another.
        TmuxReply::Taken if state.capture_registry().is_closing(pane) => seen(),
        // The pipe may belong to a watcher of an earlier daemon.
        TmuxReply::Taken => match state.capture_registry().will_see(tty, ON_ITS_WAY).await {
            Some(_) => seen(),
            None => CaptureDecision::off("the pane's pipe is in use"),
        },
        TmuxReply::Elsewhere => {
            CaptureDecision::off(&format!("this terminal is not that of pane {id}, but one inside it"))
        }
        TmuxReply::NoSuchPane => CaptureDecision::off(&format!("tmux knows no pane {id}")),
        TmuxReply::Refused => CaptureDecision::off("tmux does not open the pane's pipe; it may be too old"),
    }
}

/// Asks tmux, on a thread that may block.
async fn open(state: &Arc<State>, pane: &Pane, tty: &str, config: &Config) -> Asked {
    let (program, socket) = (state.program.path().to_owned(), state.paths.socket.clone());
    let Some(opening) = PipeRequest::new(pane, tty, &program, &socket) else { return Asked::Said(TmuxReply::Refused) };
    let (pane, tty, capture) = (pane.clone(), tty.to_owned(), config.suggest.capture);
    let asked = move || {
        if exec::find("tmux").is_none() {
            return Asked::NoProgram;
        }
        // A user who set capture to tmux explicitly accepts the effect on that key.
        if capture == Capture::Auto && exec::probe(&Probe::TmuxKeys(&pane)).is_some_and(|keys| tmux::toggles(&keys)) {
            return Asked::Toggles;
        }
        match exec::open_tmux_pipe(&opening) {
            Some(printed) => Asked::Said(TmuxReply::of(&printed, &tty)),
            None => Asked::Silence,
        }
    };
    tokio::task::spawn_blocking(asked).await.unwrap_or(Asked::Silence)
}

impl CaptureDecision {
    pub fn seen(tier: Tier, how: &str) -> Self {
        Self { tier: Some(tier), reason: how.to_owned() }
    }

    pub fn off(why: &str) -> Self {
        Self { tier: None, reason: why.to_owned() }
    }
}
