//! Handles `hello`: a shell connects and receives its settings. Also checks whether a newer version should take over.

use std::sync::Arc;

use aside_proto::{Hello, OnOff, Reply, Welcome};

use crate::daemon::handover;
use crate::daemon::state::{self, State};
use crate::daemon::tmux_pipes;

pub fn handle(state: &Arc<State>, hello: Hello) -> Reply {
    let config = state.config();
    handover::check(state, &hello.version);
    if config.history.import_first
        && !hello.histfile.is_empty()
        && let Some(history_writer) = state.history_writer()
    {
        history_writer.import_first(hello.shell.clone(), hello.histfile.clone());
    }
    let session = hello.session.clone();
    let is_late = !hello.facts.contains("switched=") && state.is_switched_off(&session);
    if !session.is_empty() && !is_late {
        if state::tells_off(&hello.facts) {
            state.capture_registry().switch_off(&session);
        } else {
            tmux_pipes::reopen_if_needed(state, &session);
        }
        state.greet(hello);
    }
    welcome(state, &session)
}

pub fn welcome(state: &State, session: &str) -> Reply {
    let config = state.config();
    // In a pane with a pipe of the user's, the shell must not print marks into it.
    let capture = if state.capture_registry().is_left_by(session) { "" } else { config.suggest.capture.name() };
    let switch = |on| if on { OnOff::On } else { OnOff::Off };
    Reply::Hello(Box::new(Welcome {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        complete: switch(config.complete.enabled),
        ghost_style: config.complete.ghost_style.clone(),
        right_arrow: config.complete.right_arrow.name().to_owned(),
        autosuggestions: config.complete.autosuggestions.name().to_owned(),
        min_input: config.complete.min_input,
        bar: config.complete.bar.name().to_owned(),
        bar_style: config.complete.bar_style.clone(),
        hint: switch(config.complete.hint),
        hint_style: config.complete.hint_style.clone(),
        tab: config.complete.tab.name().to_owned(),
        wish: switch(config.llm.natural_language),
        wish_prefix: config.llm.nl_prefix.clone(),
        wish_style: config.llm.nl_style.clone(),
        wish_min: u32::try_from(config.llm.nl_min_query_length).unwrap_or(u32::MAX),
        explain_key: config.llm.nl_explain_key.clone(),
        private_key: config.llm.private_key.clone(),
        reroute: config.detect.reroute.name().to_owned(),
        agent_prefix: config.detect.agent_prefix.clone(),
        shell_prefix: config.detect.shell_prefix.clone(),
        wrong_key: config.detect.wrong_key.clone(),
        suggest: switch(config.suggest.enabled),
        capture: capture.to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Paths;

    #[test]
    fn a_greeting_that_comes_after_that_of_aside_off_turns_nothing_on() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let paths = Paths { config_file: at("c"), data_dir: at("d"), state_dir: at("st"), socket: at("s") };
        let state = State::new(paths);
        let is_off_after = |shell: &str, facts: &str| {
            let (session, facts) = (format!("{shell}-1-1"), facts.to_owned());
            handle(&state, Hello { shell: shell.to_owned(), session: session.clone(), facts, ..Hello::default() });
            state.is_switched_off(&session)
        };
        for shell in ["bash", "fish"] {
            assert!(is_off_after(shell, "switched=off\nkeys=emacs"));
            assert!(is_off_after(shell, "keys=emacs"), "{shell}: a late one");
            assert!(!is_off_after(shell, "switched=on\nkeys=vi"));
            assert!(!is_off_after(shell, "keys=emacs"));
        }
        assert!(!is_off_after("zsh", "switched=off"), "zsh sends in order, and greets anew");
    }
}
