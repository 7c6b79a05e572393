//! Real shells in a real terminal, for tests that read like a scene:
//!
//! ```ignore
//! let mut scene = Scene::zsh().history(&["git status --short"]).start();
//! scene.types("git st").shows_ghost("git st|atus --short");
//! scene.presses(Key::Right).shows_line("git status --short|");
//! assert_eq!(scene.runs("echo hi"), "hi");
//! ```
//!
//! Everything waits for a condition and fails with the screen on timeout. Nothing relies on a sleep.

use std::time::Duration;

pub mod agents;
pub mod browser;
pub mod home;
pub mod http;
pub mod keys;
pub mod line;
pub mod programs;
pub mod prose_cases;
pub mod prose_script;
pub mod pty;
pub mod pty_recording;
pub mod query_script;
pub mod relay;
pub mod report;
pub mod scene;
pub mod screen;
pub mod scripted_daemon;
pub mod setup;
pub mod shell;
pub mod shell_client;
pub mod socket_client;
pub mod stub_web_server;
pub mod suggestion_script;
pub mod tasks;
pub mod terminal;
pub mod terminal_replies;
pub mod tmux;
pub mod wecom;

/// Whether to run the tests that need programs which only `make soak` installs.
pub fn has_tools() -> bool {
    let has = std::env::var_os("ASIDE_TEST_TOOLS").is_some();
    if !has {
        eprintln!("skipped: ASIDE_TEST_TOOLS is not set; `make soak` sets it");
    }
    has
}

/// The timeout for any condition. Far more than anything needs, so that a loaded machine passes; `ASIDE_TEST_PATIENCE=3` trebles it
/// for a still slower one.
pub fn patience() -> Duration {
    let factor = std::env::var("ASIDE_TEST_PATIENCE").ok().and_then(|value| value.parse::<f64>().ok());
    Duration::from_secs(20).mul_f64(factor.filter(|factor| *factor > 0.0).unwrap_or(1.0))
}
