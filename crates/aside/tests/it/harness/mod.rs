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
pub mod answers;
pub mod backstage;
pub mod browser;
pub mod caller;
pub mod home;
pub mod http;
pub mod keys;
pub mod line;
pub mod next;
pub mod pty;
pub mod relay;
pub mod report;
pub mod saying;
pub mod scene;
pub mod screen;
pub mod script;
pub mod sentences;
pub mod shell;
pub mod stage;
pub mod talking;
pub mod tape;
pub mod tasks;
pub mod terminal;
pub mod tmux;
pub mod wecom;
pub mod wire;

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
