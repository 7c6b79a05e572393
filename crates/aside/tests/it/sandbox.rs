//! A program that is asked for its `--help`, ignores it and does its usual work: what the sandbox still lets it do.

use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use crate::harness::home::{ASIDE, Home};

/// Prints everything that it was able to do.
const WORKER: &str = r#"#!/usr/bin/env -S zsh -f
zmodload zsh/net/socket zsh/net/tcp
could() { "${@:2}" >/dev/null 2>&1 && print -r -- $1 }
write() { print x >new }
append() { print x >>kept }
empty() { : >kept }
null() { print x >/dev/null }
could read cat kept
could null null
could write write
could append append
could empty empty
could mode chmod 600 kept
could time touch -d 2001-01-01 kept
could link ln -s kept link
could directory mkdir directory
could socket zsocket socket
could network ztcp 127.0.0.1 PORT
could signal kill -CONT VICTIM
could session setsid true
could rename mv kept moved
could remove rm moved
print -r -- $1 >&2
"#;

fn could(start: impl FnOnce(&Home) -> Command) -> String {
    let home = Home::new();
    let network = TcpListener::bind("127.0.0.1:0").unwrap();
    let _socket = UnixListener::bind(home.path("socket")).unwrap();
    let mut victim = home.command("sleep").arg("60").spawn().unwrap();
    let port = network.local_addr().unwrap().port().to_string();
    home.write("worker", WORKER.replace("PORT", &port).replace("VICTIM", &victim.id().to_string()));
    home.write("kept", "x\n");
    // Pipes, as the daemon uses them: writing to a file would be refused.
    let said = start(&home).stdin(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    victim.kill().unwrap();
    victim.wait().unwrap();
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ");
    if said.stdout.is_empty() { words(&said.stderr) } else { words(&said.stdout) }
}

#[test]
fn a_program_asked_for_its_help_changes_nothing_and_reaches_nobody() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let free = could(|home| home.command(home.path("worker").to_str().unwrap()));
    let all = "read null write append empty mode time link directory socket network signal session rename remove";
    assert_eq!(free, all, "the worker itself is able to do all of it");
    let restricted = could(|home| {
        let mut command = home.command(ASIDE);
        command.args(["sandbox", "--"]).arg(home.path("worker"));
        command
    });
    // Where the kernel cannot restrict it, it is not started.
    if restricted.contains("the kernel has no Landlock") {
        return;
    }
    // stderr counts as part of the help.
    assert_eq!(restricted, "read null --help");
}
