//! Handles `capture`: a shell reports where it runs, and learns whether its output is captured. Handles `watching`: a process captures it.

use std::sync::Arc;

use aside_proto::Reply;
use aside_proto::command_ended::{self, WatchParams};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::capture::tmux::{self, NoPane, Pane};
use crate::config::{Capture, Config};
use crate::daemon::blocking_io;
use crate::daemon::capture_registry::{self, ShellLocation, Tier};
use crate::daemon::state::State;
use crate::daemon::tmux_pipes::{self, CaptureDecision, ON_ITS_WAY};
use crate::daemon::updates::Updates;

pub async fn handle(state: &Arc<State>, asked: command_ended::CaptureParams) -> Reply {
    let config = state.config();
    let CaptureDecision { tier, reason } = if state.is_switched_off(&asked.session) {
        CaptureDecision::off(capture_registry::SWITCHED_OFF)
    } else {
        rule(state, &asked, &config).await
    };
    state.capture_registry().settle(&asked.session, tier, &reason);
    // `aside-off` may have come while tmux was asked.
    if state.is_switched_off(&asked.session) {
        state.capture_registry().switch_off(&asked.session);
    }
    let suggest = &config.suggest;
    Reply::Capture(command_ended::CaptureTier {
        tier: tier.map_or("off", Tier::name).to_owned(),
        reason,
        skip: suggest.capture_blocklist.join(" "),
        skip_bare: suggest.capture_blocklist_bare.join(" "),
    })
}

pub fn watching(state: &Arc<State>, watching: WatchParams, updates: &Updates) -> Reply {
    // The terminal that this connection captured is no longer captured.
    if watching.tier.is_empty() {
        state.watched_in_vain(&watching, tmux_pipes::LEFT);
        return Reply::Ok;
    }
    let wanted = [Tier::Tmux, Tier::Pty].into_iter().find(|tier| tier.name() == watching.tier);
    let is_late = watching.tier == Tier::Tmux.name() && state.capture_registry().is_switched_off(&watching.tty);
    if is_late || !wanted.is_some_and(|tier| tier.is_wanted(&state.config().suggest)) {
        return capture_registry::not_wanted();
    }
    match state.watch(&watching, updates) {
        Some(guard) => {
            updates.hold_work(guard);
            Reply::Ok
        }
        None => Reply::error("bad_request", "no such terminal"),
    }
}

async fn rule(state: &Arc<State>, asked: &command_ended::CaptureParams, config: &Config) -> CaptureDecision {
    let suggest = &config.suggest;
    if asked.session.is_empty() || !capture_registry::is_mark(&asked.mark) || !tmux::is_terminal(&asked.tty) {
        return CaptureDecision::off("the shell does not say where it runs");
    }
    let (tmux, id) = (asked.tmux.clone(), asked.pane.clone());
    let Ok(pane) = blocking_io::run(&asked.tmux, move || Pane::of(&tmux, &id)).await else {
        return CaptureDecision::off("the directory of the tmux socket does not answer");
    };
    let place = ShellLocation {
        mark: asked.mark.clone(),
        tty: asked.tty.clone(),
        pane: pane.clone().ok(),
        tier: None,
        reason: String::new(),
    };
    state.capture_registry().place(&asked.session, place);
    if !suggest.enabled {
        return CaptureDecision::off("suggest.enabled is false");
    }
    if suggest.capture == Capture::Off {
        return CaptureDecision::off("suggest.capture is off");
    }
    let is_ours = is_around(&asked.proxy, &asked.tty) && Tier::Pty.is_wanted(suggest);
    // The variable may be stale: a closed terminal may have left its tty name to a tmux pane.
    let watched = match (is_ours, &pane) {
        (true, Ok(_)) => state.capture_registry().will_see(&asked.tty, ON_ITS_WAY).await,
        (true, Err(_)) => Some(Tier::Pty),
        (false, _) => state.capture_registry().sees(&asked.tty),
    };
    if watched == Some(Tier::Pty) && Tier::Pty.is_wanted(suggest) {
        return CaptureDecision::seen(Tier::Pty, "a terminal of ours around this shell");
    }
    match pane {
        Ok(_) if !Tier::Tmux.is_wanted(suggest) => {
            CaptureDecision::off("in tmux, but suggest.capture is pty, and this is no terminal of ours")
        }
        Ok(pane) => tmux_pipes::through_pane(state, &pane, &asked.tty, config).await,
        Err(NoPane::NoTmux) if suggest.capture == Capture::Tmux => CaptureDecision::off("not in tmux"),
        Err(NoPane::NoTmux) => CaptureDecision::off("neither in tmux nor in a terminal of ours"),
        Err(NoPane::Garbled) => CaptureDecision::off("TMUX or TMUX_PANE makes no sense"),
        Err(NoPane::NotOurs) => CaptureDecision::off("the tmux server that TMUX names has gone, or is another user's"),
    }
}

/// Whether the variable `TTY:PID` set by Aside's proxy terminal is about this one: it may be inherited from another, or stale.
fn is_around(proxy: &str, tty: &str) -> bool {
    let Some((terminal, pid)) = proxy.rsplit_once(':') else { return false };
    let pid = pid.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    terminal == tty && pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_of_ours_has_this_name_and_lives() {
        let ours = std::process::id();
        assert!(is_around(&format!("/dev/pts/3:{ours}"), "/dev/pts/3"));
        for proxy in [
            format!("/dev/pts/4:{ours}"),
            "/dev/pts/3".to_owned(),
            "/dev/pts/3:0".to_owned(),
            "/dev/pts/3:-1".to_owned(),
            String::new(),
        ] {
            assert!(!is_around(&proxy, "/dev/pts/3"), "{proxy}");
        }
    }
}
