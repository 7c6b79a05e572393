//! What a command does to pass for the user: it raises its limits, hides in a long chain of processes, kills its supervisor,
//! outlives its task, starts its own daemon. Each then tries to approve what waits.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::fixture::{Attempt, Fixture};
use crate::harness::home::ASIDE;
use crate::harness::tasks::ShownProposal;

/// Approves the waiting proposal of a task at the socket: SOCKET TASK FILE [delay]. The reply goes to the file.
const APPROVES: &str = r#"
zmodload zsh/net/socket || exit 9
[[ -n $4 ]] && sleep $4
zsocket $1 || { print -r -- "no daemon" >> $3; exit 8 }
fd=$REPLY
print -r -u $fd -- "{\"type\":\"task\",\"request_id\":1,\"op\":\"show\",\"taskId\":\"$2\"}"
read -r -t 60 -u $fd line
[[ $line =~ '"step":([0-9]+),"digest":"([0-9a-f]+)"' ]]
print -r -u $fd -- "{\"type\":\"task\",\"request_id\":2,\"op\":\"approve\",\"taskId\":\"$2\",\"step\":$match[1],\"digest\":\"$match[2]\",\"by\":\"evil\"}"
read -r -t 60 -u $fd line || line="waited for an answer: $line"
print -r -- "$line" >> $3
"#;

/// Each process starts the next one and waits for it; the last one approves.
const CHAIN: &str = r#"
if (( $1 > 0 )); then zsh -f $0 $(( $1 - 1 )) "${@:2}"; true; else zsh -f "${@:2}"; fi
"#;

/// Ways to run APPROVES so that it passes for the user; SELF is its command line without the delay, HEARD the file.
const WAYS: [(&str, &str); 16] = [
    ("with the limit raised by ulimit", "ulimit -Hx unlimited 2>/dev/null; ulimit -Sx unlimited 2>/dev/null; SELF"),
    ("with the limit raised by prlimit", "prlimit --pid $$ --locks=unlimited:unlimited 2>/dev/null; SELF"),
    ("under prlimit", "prlimit --locks=unlimited SELF 2>/dev/null || SELF"),
    ("in a user namespace", "unshare -Ur sh -c 'prlimit --pid $$ --locks=unlimited; SELF' 2>/dev/null || SELF"),
    ("with other groups", "setpriv --clear-groups SELF 2>/dev/null || SELF"),
    ("at the end of a chain", "zsh -f CHAIN LENGTH APPROVES"),
    ("with a terminal of its own", "script -qec 'SELF' /dev/null >/dev/null 2>&1 || SELF"),
    ("from a tmux of its own", "tmux -L evil -f /dev/null new-session -d 'SELF; tmux -L evil kill-server'; WAIT"),
    ("after its supervisor was killed", "setsid sh -c 'kill -9 '$PPID'; sleep 0.2; SELF' & sleep 5"),
    ("from a process that stays behind", "setsid sh -c 'sleep 1; SELF' >/dev/null 2>&1 &"),
    ("from a child of what stays behind", "setsid sh -c '(sleep 1; setsid -w SELF) & wait' >/dev/null 2>&1 &"),
    ("twice removed", "(setsid sh -c '(setsid sh -c \"sleep 1; SELF\" &)' &) >/dev/null 2>&1"),
    ("with a new program in its process", "exec SELF"),
    ("in place of the shell, as another name", "exec -a zsh SELF"),
    ("with every signal ignored", "trap '' TERM HUP INT; SELF"),
    ("stopped and continued", "SELF & pid=$!; kill -STOP $pid; sleep 0.2; kill -CONT $pid; wait"),
];

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("process_escape");
    stage.home.write("approves.zsh", APPROVES);
    stage.home.write("chain.zsh", CHAIN);
    stage.twin("the same script in the user's own shell", |stage| {
        let shown = waits(stage);
        let mut command = stage.home.command("zsh");
        crate::harness::home::run(command.args(["-fc", &own_words(stage, &shown)]), "");
        assert_eq!(stage.outcome(&shown.task), "COMPLETED");
    });
    for (way, how) in WAYS {
        stage.attempt(format!("approved by a command {way}"), |stage| {
            let shown = waits(stage);
            let command = in_words(stage, how, &shown);
            tries(stage, &shown, &command);
        });
    }
    daemons(&mut stage);
    stage.done()
}

/// Runs the command, waits for its reply, and checks that it was refused.
#[track_caller]
fn tries(stage: &mut Fixture, shown: &ShownProposal, command: &str) {
    let heard = stage.home.path("heard.txt");
    let _ = std::fs::remove_file(&heard);
    stage.mark();
    stage.forgive("heard.txt");
    let evil = stage.proposes(command);
    assert_eq!(stage.ada.approves(&evil)["type"], "task");
    stage.granted();
    let said = hears(stage);
    assert!(said.contains("cannot speak for the user"), "{said}");
    assert_eq!(stage.ada.brief(&shown.task)["state"], "WAITING_APPROVAL");
    stage.settles();
}

#[track_caller]
fn hears(stage: &mut Fixture) -> String {
    let heard = stage.home.path("heard.txt");
    let is_told = |_: &mut Fixture| std::fs::read_to_string(&heard).is_ok_and(|heard| heard.ends_with('\n'));
    stage.until("it was told something", is_told);
    std::fs::read_to_string(&heard).unwrap()
}

/// A daemon that a command starts, or something that looks like one.
fn daemons(stage: &mut Fixture) {
    stage.attempt("a daemon of its own in the place of the user's", |stage| {
        let shown = waits(stage);
        let socket = stage.home.socket().display().to_string();
        let own = own_words(stage, &shown);
        // It takes over the socket and the lock of the daemon that it kills, and claims to continue with them.
        let script = format!(
            "sleep 1; kill -9 {}; sleep 0.3; {ASIDE} daemon run > daemon.txt 2>&1 &\n\
             (zmodload zsh/net/socket; rm -f {socket}; zsocket -l {socket}; exec 9>{socket}.lock; \
             ASIDE_INHERIT_FDS=$sysparams[pid],$REPLY,9 exec {ASIDE} daemon run) >> daemon.txt 2>&1 &\n\
             sleep 1.5; {own}\n",
            daemon(stage).as_raw_pid()
        );
        // As a command line it would be denied; the contents of a script are not read.
        stage.home.write("replaces.zsh", &script);
        let script = stage.home.path("replaces.zsh").display().to_string();
        let command = format!("setsid zsh -f {script} >/dev/null 2>&1 &");
        let heard = stage.home.path("heard.txt");
        let _ = std::fs::remove_file(&heard);
        stage.mark();
        stage.forgive("heard.txt");
        stage.forgive("project/daemon.txt");
        let evil = stage.proposes(&command);
        stage.ada.sends("approve", evil.answer("a test"));
        stage.granted();
        let said = hears_again(stage);
        assert!(said.contains("no daemon"), "{said}");
        stage.home.aside_does(&["daemon", "start"]);
        stage.ada = stage.another_person();
        assert_eq!(stage.ada.brief(&shown.task)["state"], "WAITING_APPROVAL");
    });
    stage.attempt("something that listens in the place of the daemon", |stage| {
        let shown = waits(stage);
        let socket = stage.home.socket().display().to_string();
        let listens = format!(
            "zmodload zsh/net/socket; rm -f {socket}; zsocket -l {socket} && print listening >> HEARD; \
             zsocket -a -t $REPLY; sleep 3"
        );
        let listens = listens.replace("HEARD", &stage.home.path("heard.txt").display().to_string());
        let _ = std::fs::remove_file(stage.home.path("heard.txt"));
        stage.mark();
        stage.forgive("heard.txt");
        let evil = stage.proposes(&format!("setsid zsh -fc '{listens}' >/dev/null 2>&1 &"));
        stage.ada.sends("approve", evil.answer("a test"));
        stage.granted();
        // The user's own client refuses to talk to it, unless the daemon has taken its place back by then.
        for _ in 0..20 {
            let said = stage.home.aside(&["task", "list"]);
            let refuses = said.stderr.contains("started by a command of a task") || said.stderr.contains("no daemon");
            assert!(refuses || said.stdout.contains(&shown.task), "{said:?}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        stage.home.aside(&["daemon", "stop"]);
        stage.home.aside_does(&["daemon", "start"]);
        stage.ada = stage.another_person();
        assert_eq!(stage.ada.brief(&shown.task)["state"], "WAITING_APPROVAL");
    });
    stage.attempt("what one daemon's command has left approves at the next daemon", |stage| {
        let shown = waits(stage);
        let command = format!("setsid sh -c 'sleep 3; {}' >/dev/null 2>&1 &", own_words(stage, &shown));
        let heard = stage.home.path("heard.txt");
        let _ = std::fs::remove_file(&heard);
        stage.mark();
        stage.forgive("heard.txt");
        let evil = stage.proposes(&command);
        assert_eq!(stage.ada.approves(&evil)["type"], "task");
        stage.granted();
        stage.settles();
        kill_process(daemon(stage), Signal::KILL).unwrap();
        stage.home.aside_does(&["daemon", "start"]);
        stage.ada = stage.another_person();
        let said = hears(stage);
        assert!(said.contains("cannot speak for the user"), "{said}");
        assert_eq!(stage.ada.brief(&shown.task)["state"], "WAITING_APPROVAL");
    });
}

#[track_caller]
fn hears_again(stage: &mut Fixture) -> String {
    // The daemon that could report the task's state is gone.
    let heard = stage.home.path("heard.txt");
    let deadline = std::time::Instant::now() + crate::harness::patience();
    loop {
        match std::fs::read_to_string(&heard) {
            Ok(heard) if heard.ends_with('\n') => return heard,
            _ if std::time::Instant::now() < deadline => std::thread::sleep(std::time::Duration::from_millis(50)),
            _ => panic!("it was told nothing"),
        }
    }
}

#[track_caller]
fn waits(stage: &mut Fixture) -> ShownProposal {
    let task = stage.ada.asks("run `touch canary`");
    assert_eq!(stage.ada.rests(&task)["state"], "WAITING_APPROVAL");
    stage.ada.sees(&task)
}

fn daemon(stage: &Fixture) -> Pid {
    let status: Value = stage.home.wire().json(json!({ "type": "status", "request_id": 1 }));
    status["pid"].as_i64().and_then(|pid| Pid::from_raw(pid as i32)).unwrap()
}

/// The command line of the approving script.
fn own_words(stage: &Fixture, shown: &ShownProposal) -> String {
    format!("zsh -f {}", arguments(stage, shown))
}

fn arguments(stage: &Fixture, shown: &ShownProposal) -> String {
    let path = |name: &str| stage.home.path(name).display().to_string();
    format!("{} {} {} {}", path("approves.zsh"), stage.home.socket().display(), shown.task, path("heard.txt"))
}

fn in_words(stage: &Fixture, how: &str, shown: &ShownProposal) -> String {
    // Ten thousand and more take a while: `make soak` runs them.
    let length = std::env::var("ASIDE_TEST_CHAIN").unwrap_or_else(|_| "150".to_owned());
    how.replace("SELF", &own_words(stage, shown))
        .replace("APPROVES", &arguments(stage, shown))
        .replace("CHAIN", &stage.home.path("chain.zsh").display().to_string())
        .replace("LENGTH", &length)
        .replace("WAIT", &format!("while ! [ -s {} ]; do sleep 0.1; done", stage.home.path("heard.txt").display()))
}
