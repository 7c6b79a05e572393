//! Sessions of tmux. Asks tmux only if a server's socket exists.

use std::path::PathBuf;

use aside_commands::world::LiveItem;

use crate::exec::{Probe, probe};
use crate::world::read::item;

pub fn sessions() -> Option<Vec<LiveItem>> {
    let directory = std::env::var_os("TMUX_TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let user = rustix::process::getuid().as_raw();
    rustix::fs::stat(directory.join(format!("tmux-{user}/default"))).ok()?;
    Some(parse(&probe(&Probe::TmuxSessions)?))
}

fn parse(text: &str) -> Vec<LiveItem> {
    let rows = text.lines().map(|line| line.split_once('\t').unwrap_or((line, "")));
    rows.map(|(name, about)| item(name, if about == "1 windows" { "1 window" } else { about })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_have_windows() {
        assert_eq!(
            parse("work\t1 windows\nmy notes\t3 windows\n"),
            [item("work", "1 window"), item("my notes", "3 windows")]
        );
        assert_eq!(parse(""), []);
    }
}
