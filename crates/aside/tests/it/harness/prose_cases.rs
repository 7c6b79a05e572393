//! The prose of the classifier's reference table, and a daemon that is ready to classify it.

use crate::harness::scene::Scene;
use crate::harness::setup::Setup;

pub const TABLE: [&str; 10] = [
    "do We already have a way to uninstall?",
    "in the codebase where is auth?",
    "find out how the auth system works",
    "make sure the tests pass",
    "git me the latest changes",
    "while you are at it fix the tests",
    "test the login flow works",
    "go ahead and fix the tests",
    "go for it and deploy",
    "cargo ahead with the release",
];

/// Programs in `~/bin` that fail like the real ones of their names, whatever this machine has.
pub fn with_failing_programs(stage: Setup) -> Setup {
    let fails = |says: &str, code: u8| format!("#!/bin/sh\necho \"{says}\" >&2\nexit {code}\n");
    stage
        .file("bin/find", &fails("find: paths must precede expression: 'how'", 1))
        .file("bin/make", &fails("make: *** No rule to make target '$1'.  Stop.", 2))
        .file("bin/git", &fails("git: '$1' is not a git command. See 'git --help'.", 1))
        .file("bin/go", &fails("go $1: unknown command", 2))
        .file("bin/cargo", &fails("error: no such command: '$1'", 101))
        .file("bin/grep", &fails("grep: foo: binary file matches", 2))
}

/// Waits until the daemon has looked up what it needs: in doubt it leaves a line to the shell, and on a loaded machine a lookup takes long.
#[track_caller]
pub fn knows(scene: &Scene, session: &str, shell: &str, line: &str) {
    let word = line.split(' ').next().unwrap_or_default();
    let first = match word {
        "do" | "while" | "then" => "reserved",
        "test" => "builtin",
        "in" | "what's" | "how" => "none",
        _ => "program",
    };
    let cwd = scene.home.path("").display().to_string();
    let says_agent = |phase: &str, exit: &str, first: &str| {
        let fields =
            ["11", "1", "detect", session, cwd.trim_end_matches('/'), line, shell, phase, exit, first, "0", ""];
        let said = scene.home.aside_reads(&["call", "--within-ms", "9000"], &(fields.join("\0") + "\0"));
        said.stdout.contains("\x1fagent\x1f")
    };
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !says_agent("before", "0", first) && (first == "none" || !says_agent("after", "1", first)) {
        assert!(std::time::Instant::now() < deadline, "the daemon does not take `{line}` for a sentence");
    }
}
