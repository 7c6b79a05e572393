//! Programs that a test makes, written by a process of their own: a child that another test starts meanwhile would hold a file of ours open
//! for writing, and such a file cannot be run (ETXTBSY).

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The copy may be run, like what it is a copy of.
#[track_caller]
pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    assert!(Command::new("cp").arg(from.as_ref()).arg(to.as_ref()).status().unwrap().success());
}

#[track_caller]
pub fn write(path: &Path, contents: &[u8]) {
    let script = r#"cat > "$1" && chmod 755 "$1""#;
    let mut sh = Command::new("sh").args(["-c", script, "sh"]).arg(path).stdin(Stdio::piped()).spawn().unwrap();
    sh.stdin.take().unwrap().write_all(contents).unwrap();
    assert!(sh.wait().unwrap().success());
}
