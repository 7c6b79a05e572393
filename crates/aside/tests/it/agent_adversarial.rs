//! Adversarial agents that lie, write, flood, hang, die and leave processes behind. The scripts do what no real agent does; none of
//! it succeeds.

use std::time::Duration;

use crate::harness::agents::Agents;
use crate::harness::patience;

pub const REQUEST: &str = "change hello.txt so that it says bye";

/// What an agent attempts with files and processes.
pub const TRIES: &str = r#"
tried() { if (eval "$2") >/dev/null 2>&1; then printf '%s\n' "$1" >> "$own/succeeded"; fi; }
tried write 'echo x > hello.txt'
tried append 'echo x >> hello.txt'
tried truncate ': > hello.txt'
tried new 'echo x > new.txt'
tried remove 'rm -f hello.txt'
tried rename 'mv hello.txt hallo.txt'
tried directory 'mkdir sub'
tried link 'ln -s /etc/passwd link'
tried hard-link 'ln hello.txt hard'
tried mode 'chmod 600 hello.txt'
tried time 'touch hello.txt'
tried hook 'echo x > .git/hooks-x'
tried rc 'echo x >> "$HOME/.bashrc"'
tried config 'echo x >> "$HOME/.config/aside/config.toml"'
tried bin 'echo x > "$HOME/bin/tool"'
tried dot 'echo x > "$HOME/.profile"'
tried tmp 'echo x > /tmp/aside-agent-was-here'
tried var 'echo x > /var/tmp/aside-agent-was-here'
tried etc 'echo x > /etc/aside-agent-was-here'
tried shm 'echo x > /dev/shm/aside-agent-was-here'
tried remount 'mount -o remount,rw /'
tried bind 'mount --bind /tmp /mnt'
tried unshare 'unshare -rm sh -c "mount -o remount,rw,bind / && echo x > $PWD/new.txt"'
tried unshare-write 'unshare -rm sh -c "echo x > $PWD/new.txt"'
tried other-root 'test -r /proc/1/root/etc/hostname && echo x > /proc/1/root/tmp/aside-agent-was-here'
tried parent-cwd 'echo x > /proc/$PPID/cwd/tmp/aside-agent-was-here'
tried key 'grep -q . "$HOME/.ssh/id_rsa"'
tried denied 'grep -q . .env'
tried denied-copy 'grep -q unreadable .env'
tried history 'cat "$HOME/.local/share/aside/"* | grep -q .'
tried journal 'cat "$HOME/.local/state/aside/"* | grep -q .'
tried socket 'command -v python3 >/dev/null && python3 -c "import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ[\"XDG_RUNTIME_DIR\"]+\"/aside.sock\")"'
tried approve 'aside task list | grep -q .'
tried setting 'aside config set task.agent none && grep -q none "$HOME/.config/aside/config.toml"'
tried own-state 'echo x > "$own/own"'
words 1 'I tried.'
"#;

#[test]
fn nothing_outside_of_its_own_state_can_be_written_or_read_that_is_secret() {
    let codex = Agents::scripted(&format!("{TRIES}done_with completed; read -r _"), "");
    keeps_to_its_own(codex, ".codex");
    keeps_to_its_own(Agents::acp(&format!("{TRIES}done_with end_turn; read -r _"), ""), ".local/share/scripted");
}

/// Checks that, whatever the agent attempted, only its `own` directory has changed.
#[track_caller]
pub fn keeps_to_its_own(mut scene: Agents, own: &str) {
    let hello = scene.home.path("project/hello.txt");
    let before = (std::fs::metadata(&hello).unwrap().modified().unwrap(), listed(&scene));
    let (_, rest) = scene.asks(REQUEST);
    assert_eq!(rest["state"], "COMPLETED", "{own}: {rest}");
    let succeeded = std::fs::read_to_string(scene.home.path(&format!("{own}/succeeded"))).unwrap_or_default();
    assert_eq!(succeeded, "own-state\n", "{own}: these tries succeeded");
    assert_eq!((std::fs::metadata(&hello).unwrap().modified().unwrap(), listed(&scene)), before);
    assert_eq!((scene.file("hello.txt").as_str(), scene.file(".env").is_empty()), ("hello\n", false));
}

pub fn listed(scene: &Agents) -> Vec<String> {
    let entries = std::fs::read_dir(scene.home.path("project")).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What the agent sends, and what the task reports then. Nothing is ever applied, and no process of the agent survives.
#[test]
fn whatever_an_agent_says_its_task_ends_with_a_reason_and_nothing_is_done() {
    for (name, does, says) in [
        ("dies", "exit 3", "ended before"),
        ("dies with words", "echo 'no key' >&2; exit 1", "no key"),
        ("closes its mouth", "exec >&-; sleep 60", "ended before"),
        ("hangs", "sleep 600", "took longer"),
        ("hangs and holds", "trap '' TERM; while :; do sleep 1; done", "took longer"),
        (
            "a line without end",
            "while :; do printf '%s' aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
            "",
        ),
        ("lines without end", "yes '{\"method\":\"x\",\"params\":{}}'", "stopped"),
        ("no JSON without end", "yes nonsense", "stopped"),
        ("half a message", "printf '{\"method\":'; exit 0", "ended before"),
        (
            "fails",
            "say '{\"method\":\"turn/completed\",\"params\":{\"turn\":{\"status\":\"failed\",\"error\":{\"message\":\"out of credit\"}}}}'; read -r _",
            "out of credit",
        ),
        ("breaks off", "done_with interrupted; read -r _", "broke off"),
        (
            "leave for nothing",
            "say '{\"method\":\"item/fileChange/requestApproval\",\"id\":0,\"params\":{\"itemId\":\"nothing\"}}'; read -r _; done_with completed; read -r _",
            "does not name",
        ),
        (
            "a change of no file",
            "say '{\"method\":\"item/started\",\"params\":{\"item\":{\"type\":\"fileChange\",\"id\":\"c1\",\"changes\":[]}}}'; say '{\"method\":\"item/fileChange/requestApproval\",\"id\":0,\"params\":{\"itemId\":\"c1\"}}'; read -r _; read -r _",
            "a change of 0 files",
        ),
        (
            "outside",
            "change /etc/passwd add x; done_with interrupted; read -r _; change /etc/passwd add x; done_with interrupted; read -r _; change /etc/passwd add x; done_with interrupted; read -r _",
            "outside of the workspace",
        ),
        (
            "leads out",
            "for _ in 1 2 3; do change \"$PWD/../x\" add x; done_with interrupted; read -r _; done",
            "cannot be proposed",
        ),
        (
            "a denied file",
            "for _ in 1 2 3; do change \"$PWD/.env\" add x; done_with interrupted; read -r _; done",
            "cannot be proposed",
        ),
        (
            "git's own files",
            "for _ in 1 2 3; do change \"$PWD/.git/config\" add x; done_with interrupted; read -r _; done",
            "cannot be proposed",
        ),
        (
            "a change that does not fit",
            "for _ in 1 2 3; do change \"$PWD/hello.txt\" update '@@ -1 +1 @@\\n-other\\n+bye\\n'; done_with interrupted; read -r _; done",
            "cannot be proposed",
        ),
        (
            "a mode that was not asked for",
            "for _ in 1 2 3; do change \"$PWD/hello.txt\" chmod x; done_with interrupted; read -r _; done",
            "without a file",
        ),
        (
            "a command for a change",
            "for _ in 1 2 3; do run 'rm -rf .'; done_with interrupted; read -r _; done",
            "cannot be proposed",
        ),
    ] {
        let mut scene = Agents::scripted(does, "agent_timeout_s = 10");
        let (_, rest) = scene.asks(REQUEST);
        let message = rest["message"].as_str().unwrap_or_default();
        assert!(rest["state"] == "FAILED" && message.contains(says), "{name}: {rest}");
        assert_eq!((scene.file("hello.txt").as_str(), listed(&scene).len()), ("hello\n", 3), "{name}");
        scene.leaves_nothing(&scene.home.path("bin"));
    }
}

/// An agent that reports a laxer sandbox than the one it was told to use never receives the request.
#[test]
fn an_agent_that_would_act_by_itself_is_stopped_before_it_is_asked() {
    for bounds in [
        r#""approvalPolicy":"never","sandbox":{"type":"readOnly"}"#,
        r#""approvalPolicy":"on-request","sandbox":{"type":"workspaceWrite"}"#,
        r#""approvalPolicy":"on-request","sandbox":{"type":"dangerFullAccess"}"#,
        r#""approvalPolicy":"on-request""#,
        r#""sandbox":{"type":"readOnly"}"#,
    ] {
        let script = format!(
            "#!/bin/sh\nread -r _; echo '{{\"id\":1,\"result\":{{\"userAgent\":\"aside/0.166.0\"}}}}'; read -r _; read -r _\n\
             echo '{{\"id\":2,\"result\":{{\"thread\":{{\"id\":\"t\"}},{bounds}}}}}'\nread -r asked && echo asked > \"$CODEX_HOME/asked\"\nread -r _\n"
        );
        let mut scene = Agents::script(&script, "");
        let (_, rest) = scene.asks(REQUEST);
        let message = rest["message"].as_str().unwrap_or_default();
        assert!(
            message.contains("the agent was stopped") || message.contains("The agent was stopped"),
            "{bounds}: {rest}"
        );
        assert!(!scene.home.path(".codex/asked").exists(), "{bounds}");
    }
}

#[test]
fn what_is_swapped_after_it_was_shown_changes_nothing_that_was_approved() {
    // The agent asks for one change and for another one right behind it: only the first is shown, approved and written.
    let does = r#"
change "$PWD/hello.txt" update '@@ -1 +1 @@\n-hello\n+bye\n'
change "$PWD/hello.txt" update '@@ -1 +1 @@\n-hello\n+evil\n'
say "{\"method\":\"item/started\",\"params\":{\"item\":{\"type\":\"fileChange\",\"id\":\"c1\",\"changes\":[{\"path\":\"$PWD/evil.txt\",\"kind\":{\"type\":\"add\"},\"diff\":\"x\"}]}}}"
done_with interrupted; read -r _
"#;
    let mut scene = Agents::scripted(does, "");
    let (task, _) = scene.asks(REQUEST);
    let shown = scene.person.sees(&task);
    assert!(shown.text.contains("+bye") && !shown.text.contains("evil"), "{}", shown.text);
    scene.person.approves(&shown);
    scene.person.ends(&task);
    assert_eq!((scene.file("hello.txt").as_str(), scene.file("evil.txt").as_str()), ("bye\n", ""));
}

/// Its change is proposed all the same, and its process has been terminated.
#[test]
fn an_agent_that_does_not_end_its_turn_when_it_is_refused_is_ended() {
    for does in
        ["trap '' TERM; setsid sleep 4761 & while :; do words 1 more; sleep 1; done", "exit 3", "exec >&-; sleep 4762"]
    {
        let asks = r#"change "$PWD/hello.txt" update '@@ -1 +1 @@\n-hello\n+bye\n'"#;
        let mut scene = Agents::scripted(&format!("{asks}; {does}"), "");
        let (task, rest) = scene.asks(REQUEST);
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{does}: {rest}");
        ends(&scene);
        let shown = scene.person.sees(&task);
        assert!(shown.text.contains("+bye"), "{does}: {}", shown.text);
        assert_eq!(scene.file("hello.txt"), "hello\n", "{does}");
    }
}

/// A command that waits for approval has not run, and the events do not list it as a step that ran.
#[test]
fn a_command_is_told_as_a_step_only_when_it_was_run() {
    let does = r#"
say '{"method":"item/started","params":{"item":{"type":"commandExecution","id":"x0","command":"cat looked-at","cwd":"/"}}}'
say '{"method":"item/completed","params":{"item":{"type":"commandExecution","id":"x0","command":"cat looked-at"}}}'
run 'touch wanted'; done_with interrupted; read -r _
"#;
    let mut scene = Agents::scripted(does, "");
    let task = scene.person.asks("the deployment failed");
    let events = scene.person.hears_until(&task, &["WAITING_APPROVAL", "FAILED"]);
    let all = serde_json::to_string(&events).unwrap();
    assert!(all.contains("$ cat looked-at") && !all.contains("$ touch wanted"), "{all}");
}

#[test]
fn escape_sequences_of_an_agent_reach_no_screen() {
    let does = "words 1 'before\\u001b[2J\\u001b]0;title\\u0007\\u202eafter'; done_with completed; read -r _";
    let mut scene = Agents::scripted(does, "");
    let task = scene.person.asks("why does hello.txt greet with this word and no other?");
    let events = scene.person.hears_until(&task, &["COMPLETED", "FAILED"]);
    let all = serde_json::to_string(&events).unwrap();
    assert!(all.contains("before") && !all.contains("\\u001b") && !all.contains('\u{202e}'), "{all}");
}

#[test]
fn what_an_agent_starts_ends_with_its_turn_however_far_it_went() {
    let does = r#"
(setsid sleep 4711 &) ; setsid sh -c 'trap "" TERM HUP; sleep 4712 & wait' & sh -c 'sleep 4713 & exec sleep 4714' &
words 1 'Servers run.'; done_with completed; read -r _
"#;
    let mut scene = Agents::scripted(does, "");
    let (_, rest) = scene.asks(REQUEST);
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    assert_eq!(sleeping(&scene), Vec::<String>::new());
}

#[test]
fn an_agent_ends_when_its_task_is_cancelled_and_when_the_daemon_is_killed() {
    let does = "trap '' TERM; setsid sleep 4721 & touch \"$CODEX_HOME/asked\"; while :; do sleep 1; done";
    let mut scene = Agents::scripted(does, "");
    let task = scene.person.asks(REQUEST);
    waits_for(&scene, ".codex/asked");
    scene.person.says("cancel", serde_json::json!({ "taskId": task }));
    assert_eq!(scene.person.ends(&task)["state"], "REJECTED");
    ends(&scene);
    std::fs::remove_file(scene.home.path(".codex/asked")).unwrap();
    scene.person.asks(REQUEST);
    waits_for(&scene, ".codex/asked");
    let pid: i32 = scene
        .home
        .aside_does(&["daemon", "status", "--json"])
        .stdout
        .split("\"pid\":")
        .nth(1)
        .and_then(|rest| rest.trim_start().split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok())
        .unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    ends(&scene);
}

#[track_caller]
pub fn ends(scene: &Agents) {
    scene.leaves_nothing(&scene.home.path("bin"));
    let deadline = std::time::Instant::now() + patience();
    while !sleeping(scene).is_empty() {
        assert!(std::time::Instant::now() < deadline, "{:?}", sleeping(scene));
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub fn sleeping(scene: &Agents) -> Vec<String> {
    let all = scene.home.processes().into_iter().filter_map(|pid| {
        let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_pid())).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    all.filter(|line| line.starts_with("sleep 47")).collect()
}

#[track_caller]
pub fn waits_for(scene: &Agents, file: &str) {
    let deadline = std::time::Instant::now() + patience();
    while !scene.home.path(file).exists() {
        assert!(std::time::Instant::now() < deadline, "{file} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}
