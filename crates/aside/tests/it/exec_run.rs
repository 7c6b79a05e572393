//! The supervisor of approved commands as the daemon starts it: what it reports, and what happens to the command when the daemon is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::harness::home::{ASIDE, Home};

const HANG: Duration = Duration::from_secs(60);

/// The same encoding as `Order::bytes`.
fn order(home: &Home, text: &str) -> Vec<u8> {
    let cwd = home.path("").canonicalize().unwrap();
    let cwd = cwd.to_str().unwrap().trim_end_matches('/');
    let bash = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
    let bash = bash.iter().find(|bash| Path::new(bash).exists()).unwrap();
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    let fields = ["aside keep 2", ASIDE, bash, "bash", text, cwd, "none", "", "", &path, ""];
    fields.iter().flat_map(|field| [field.as_bytes(), b"\0"].concat()).collect()
}

#[test]
fn a_keeper_says_how_the_command_ended() {
    let home = Home::new();
    for (text, printed, ended) in [
        ("echo \"$BASH_VERSION\" | grep -c .; exit 4", "1\n", "exit 4\n"),
        ("echo out; echo err >&2; kill -KILL $$", "out\nerr\n", "signal 9\n"),
    ] {
        let mut keeper = home.command(ASIDE);
        let keeper = keeper.arg("keep").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut keeper = keeper.spawn().unwrap();
        let mut lifeline = keeper.stdin.take().unwrap();
        lifeline.write_all(&order(&home, text)).unwrap();
        let said = keeper.wait_with_output().unwrap();
        drop(lifeline);
        let report = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(report.starts_with("started ") && report.ends_with(ended), "{report}");
        assert_eq!(String::from_utf8_lossy(&said.stderr), printed);
    }
}

#[test]
fn a_command_dies_with_the_daemon_that_is_killed() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let home = Home::new();
    // One process in the command's group, and one in its own session that ignores SIGTERM.
    home.write("order", order(&home, "(trap '' TERM; exec setsid sleep 600) & echo $!; echo $$; exec sleep 600"));
    // No other process may hold the write end of the supervisor's input.
    let mut daemon = home.command("sh");
    let daemon = daemon.args(["-c", "cat order; exec sleep 600"]).current_dir(home.path(""));
    let mut daemon = daemon.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keeper = home.command(ASIDE);
    let keeper = keeper.arg("keep").stdin(daemon.stdout.take().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut keeper = keeper.spawn().unwrap();
    let printed = BufReader::new(keeper.stderr.take().unwrap()).lines().take(2);
    let pids: Vec<String> = printed.map(|line| line.unwrap()).collect();
    let runs = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
    };
    assert!(pids.len() == 2 && pids.iter().all(runs), "{pids:?}");
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let begun = Instant::now();
    while pids.iter().any(runs) {
        // On failure, shows whether the supervisor exited without the command, or has not noticed the daemon's end.
        assert!(
            begun.elapsed() < HANG,
            "something of it still runs: {:?}",
            pids.iter()
                .cloned()
                .chain([keeper.id().to_string()])
                .map(|pid| {
                    std::fs::read_to_string(format!("/proc/{pid}/stat"))
                        .unwrap_or_else(|error| format!("{pid}: {error}"))
                })
                .collect::<Vec<_>>()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut report = String::new();
    let mut said = BufReader::new(keeper.stdout.take().unwrap());
    while said.read_line(&mut report).unwrap() > 0 {}
    keeper.wait().unwrap();
    assert!(report.ends_with("stopped\n"), "{report}");
}
