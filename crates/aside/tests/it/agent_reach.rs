//! What an agent can reach besides the workspace's files: terminals, devices, other processes, system settings, and secrets in
//! unusual places. None of it succeeds, in either protocol.

use crate::agent_adversarial::{REQUEST, ends, listed, waits_for};
use crate::harness::agents::Agents;
use crate::harness::pty;

/// `daemon` is a file with the daemon's process id.
const TRIES: &str = r#"
tried() { if (eval "$2") >/dev/null 2>&1; then printf '%s\n' "$1" >> "$own/succeeded"; fi; }
daemon=$(cat "$HOME/daemon")
tried a-terminal 'for terminal in /dev/pts/[0-9]*; do printf x > "$terminal" && exit 0; done; exit 1'
tried a-terminal-to-read 'for terminal in /dev/pts/[0-9]*; do : < "$terminal" && exit 0; done; exit 1'
tried a-terminal-elsewhere ': > /proc/$daemon/fd/0'
tried console ': > /dev/console'
tried kernel-log ': > /dev/kmsg'
tried disk 'head -c 1 /dev/vda || head -c 1 /dev/sda || head -c 1 /dev/loop0'
tried fuse ': > /dev/fuse'
tried tunnel ': > /dev/net/tun'
tried machine ': > /dev/kvm'
tried memory-of-others 'ls /dev/shm | grep -q aside-agent-reach'
tried processes-of-others 'cat /proc/[0-9]*/cmdline | tr "\0" " " | grep -q "[d]aemon run"'
tried signal 'kill -0 $daemon'
tried stop 'kill -STOP $daemon'
tried limit 'prlimit --pid $daemon --nofile=8'
tried priority 'renice 19 -p $daemon'
tried first-to-die 'echo 1000 > /proc/$daemon/oom_score_adj'
tried core-dump 'echo 0 > /proc/$daemon/coredump_filter'
tried memory 'head -c 1 /proc/$daemon/mem'
tried environment 'grep -q . /proc/$daemon/environ'
tried core-pattern ': > /proc/sys/kernel/core_pattern'
tried host-name ': > /proc/sys/kernel/hostname'
tried sysrq ': > /proc/sysrq-trigger'
tried group 'mkdir /sys/fs/cgroup/aside-agent-was-here'
tried enter 'nsenter -t $daemon -m true'
tried uncover 'unshare -rm sh -c "umount $HOME/.ssh && grep -q . $HOME/.ssh/id_rsa"'
tried cover 'unshare -rm sh -c "mount -t tmpfs x $PWD && echo x > new.txt && false"'
tried host-of-machine 'command -v python3 && python3 -c "import socket; socket.socket(40, 1)"'
tried raw-socket 'command -v python3 && python3 -c "import socket; socket.socket(17, 3)"'
tried ignored 'grep -q . built/cache/.env'
tried many 'grep -q . keys/one/299.pem'
tried shell-history 'grep -q . "$HOME/.zsh_history"'
tried other-history 'grep -q . "$HOME/.bash_history"'
tried registry 'grep -q . "$HOME/.npmrc"'
tried cargo 'grep -q . "$HOME/.cargo/credentials.toml"'
tried certificate 'grep -q . "$HOME/server.pem"'
tried sign-in-of-another 'grep -q . "$HOME/.gemini/oauth_creds.json"'
tried settings 'grep -q . "$HOME/.config/aside/config.toml"'
tried own-state 'echo x > "$own/own"'
tried own-devices 'echo x > /dev/null && head -c 1 /dev/zero && head -c 1 /dev/urandom'
tried own-terminal 'command -v script && script -qc true /dev/null'
readlink /proc/self/ns/ipc > "$own/queues"
words 1 'I tried.'
"#;

#[test]
fn neither_terminals_nor_devices_nor_processes_nor_secrets_elsewhere_are_reached() {
    let codex = Agents::scripted(&format!("{TRIES}done_with completed; read -r _"), "");
    reaches_nothing(codex, ".codex");
    reaches_nothing(Agents::acp(&format!("{TRIES}done_with end_turn; read -r _"), ""), ".local/share/scripted");
}

#[track_caller]
fn reaches_nothing(mut scene: Agents, own: &str) {
    let pid = daemon(&scene);
    scene.home.write("daemon", format!("{pid}\n"));
    for secret in
        [".zsh_history", ".bash_history", ".npmrc", ".cargo/credentials.toml", "server.pem", ".gemini/oauth_creds.json"]
    {
        scene.home.write(secret, "an-unreadable-word\n");
    }
    scene.home.write("project/.gitignore", "built\nkeys\n");
    scene.home.write("project/built/cache/.env", "TOKEN=an-unreadable-word\n");
    for number in 0..300 {
        scene.home.write(&format!("project/keys/one/{number}.pem"), "an-unreadable-word\n");
    }
    let shared = tempfile::Builder::new().prefix("aside-agent-reach").tempfile_in("/dev/shm");
    let _terminal = pty::open();
    let before = listed(&scene);
    let (_, rest) = scene.asks(REQUEST);
    assert_eq!(rest["state"], "COMPLETED", "{own}: {rest}");
    let read = |name: &str| std::fs::read_to_string(scene.home.path(&format!("{own}/{name}"))).unwrap_or_default();
    let succeeded = read("succeeded");
    assert_eq!(succeeded, "own-state\nown-devices\nown-terminal\n", "{own}: these tries succeeded");
    let queues = std::fs::read_link(format!("/proc/{pid}/ns/ipc")).unwrap();
    assert!(!read("queues").is_empty() && read("queues").trim() != queues.to_str().unwrap(), "{own}");
    assert_eq!(listed(&scene), before, "{own}");
    drop(shared);
}

fn daemon(scene: &Agents) -> u64 {
    let status = scene.home.aside_does(&["daemon", "status", "--json"]).stdout;
    serde_json::from_str::<serde_json::Value>(&status).unwrap()["pid"].as_u64().unwrap()
}

/// A process that keeps forking a successor and exiting is gone each time the process table is scanned.
#[test]
fn a_process_that_never_stays_ends_with_the_turn() {
    let does = r#"
printf '#!/bin/sh\nsleep 0.02\nsetsid "%s/hop" 4751 >/dev/null 2>&1 &\n' "$own" > "$own/hop"; chmod +x "$own/hop"
for _ in 1 2 3 4 5; do setsid "$own/hop" 4751 > /dev/null 2>&1 & done
words 1 'They hop.'; done_with end_turn; read -r _
"#;
    let mut scene = Agents::acp(does, "");
    let (_, rest) = scene.asks(REQUEST);
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    scene.leaves_nothing(&scene.home.path(".local/share/scripted/hop"));
}

#[test]
fn many_processes_that_hear_nothing_end_with_the_turn() {
    let does = "trap '' TERM HUP INT; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do (setsid sh -c 'sleep 4752 & sleep 4753 & wait' &) ; done\n\
                words 1 'They stay.'; done_with completed; exec sleep 4754";
    let mut scene = Agents::scripted(does, "");
    let (_, rest) = scene.asks(REQUEST);
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    ends(&scene);
}

/// If the agent's supervisor is killed, the agent and everything that it started are killed too.
#[test]
fn an_agent_whose_supervisor_is_killed_ends_with_all_that_it_started() {
    for (mut scene, own) in [(Agents::scripted(STAYS, ""), ".codex"), (Agents::acp(STAYS, ""), ".local/share/scripted")]
    {
        let task = scene.person.asks(REQUEST);
        waits_for(&scene, &format!("{own}/asked"));
        let keepers = scene.home.processes().into_iter().filter(|pid| {
            let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_pid())).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(" keep --agent ") && !line.contains("--enter")
        });
        let keepers: Vec<_> = keepers.collect();
        assert_eq!(keepers.len(), 1, "{own}");
        rustix::process::kill_process(keepers[0], rustix::process::Signal::KILL).unwrap();
        assert_eq!(scene.person.ends(&task)["state"], "FAILED", "{own}");
        ends(&scene);
    }
}

const STAYS: &str = "trap '' TERM; (setsid sleep 4755 &); setsid sh -c 'trap \"\" TERM; sleep 4756 & wait' & touch \"$own/asked\"; while :; do sleep 1; done";

#[test]
fn nothing_of_an_agent_is_left_in_the_temporary_directory_when_the_daemon_is_killed() {
    let does = "printf '%s' \"$TMPDIR\" > \"$own/temp\"; echo x > \"$TMPDIR/x\"; touch \"$own/asked\"; sleep 4757";
    let mut scene = Agents::acp(does, "");
    scene.person.asks(REQUEST);
    waits_for(&scene, ".local/share/scripted/asked");
    let temp = std::path::PathBuf::from(scene.home.read(".local/share/scripted/temp"));
    assert!(temp.join("x").exists());
    let pid = rustix::process::Pid::from_raw(i32::try_from(daemon(&scene)).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    ends(&scene);
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while temp.exists() {
        assert!(std::time::Instant::now() < deadline, "{} is left", temp.display());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// Most users are not root, and the kernel is stricter with them: entries of `/proc/self` may not be theirs.
#[test]
fn an_agent_of_a_user_who_is_not_root_is_enclosed_the_same_way() {
    const UNPRIVILEGED: u32 = 65534;
    let home = crate::harness::home::Home::new();
    home.write("own/x", "");
    home.write("secret", "an-unreadable-word\n");
    let aside = home.path("aside");
    crate::harness::programs::copy(crate::harness::home::ASIDE, &aside);
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        for place in ["", "own", "own/x", "secret"] {
            std::os::unix::fs::chown(home.path(place), Some(UNPRIVILEGED), Some(UNPRIVILEGED)).unwrap();
        }
    }
    let at = |name: &str| home.path(name).display().to_string();
    let tries = "tr -s ' ' < /proc/self/uid_map; ls -d /proc/[0-9]* | wc -l; cat secret; ls /dev/pts | grep -v ptmx\n\
                 echo x > new || echo refused; echo x > own/y && echo kept; sh -c 'sh -c \"echo forked\"'\n";
    let spec = serde_json::json!({
        "program": "/bin/sh", "arguments": ["-c", tries], "cwd": at(""), "temp": at("own/temp"),
        "enclosure": { "writable": [at("own")], "hidden": [at("secret")] },
    });
    let mut words = vec![aside.display().to_string(), "keep".to_owned(), "--agent".to_owned(), spec.to_string()];
    if is_root {
        let user = UNPRIVILEGED.to_string();
        let before = ["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups"].map(str::to_owned);
        words.splice(0..0, before);
    }
    let mut command = home.command(&words[0]);
    let piped = std::process::Stdio::piped;
    let mut child = command.args(&words[1..]).current_dir("/").stdin(piped()).stdout(piped()).spawn().unwrap();
    // Keeps stdin open: the agent is ended when its input closes.
    let held = child.stdin.take();
    let said = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    drop(held);
    child.wait().unwrap();
    let rows: Vec<&str> = said.lines().collect();
    let user = if is_root { UNPRIVILEGED } else { rustix::process::geteuid().as_raw() };
    assert_eq!(rows.first().map(|row| row.trim()), Some(format!("{user} {user} 1").as_str()), "{said:?}");
    let few = rows.get(1).and_then(|row| row.trim().parse::<u32>().ok()).is_some_and(|count| count < 10);
    assert!(few && rows[2..] == ["refused", "kept", "forked"], "{said:?}");
}
