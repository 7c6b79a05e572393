//! Commands of a task that try to approve the next task: through the socket, themselves, by processes that inherit their
//! connection, at the daemon that follows the one that started them.

use serde_json::{Value, json};

use super::fixture::{Attempt, Fixture};
use crate::harness::home;
use crate::harness::tasks::ShownProposal;

/// Connects, sends a line, and prints the reply. `heir`: the process that connected has exited by then.
const SAYS: &str = r#"
zmodload zsh/net/socket || exit 9
zsocket $1 || exit 8
fd=$REPLY
says() { print -r -u $fd -- "$(<$2)"; read -r -t 60 -u $fd line || line="waited for an answer: $line"; print -r -- "$line" }
if [[ $3 == heir ]]; then
  # Not before its parent has ended, and was buried.
  ( while kill -0 $$; do sleep 0.02; done 2>/dev/null; says $1 $2 ) &!
  exit
fi
says $1 $2
"#;

/// Keeps approving whatever waits, at whichever daemon there is, and ignores signals to end.
const STAYS: &str = r#"
trap '' TERM HUP INT
zmodload zsh/net/socket || exit 9
repeat 400; do
  if zsocket $1 2>/dev/null; then
    fd=$REPLY
    print -r -u $fd -- "{\"type\":\"task\",\"request_id\":1,\"op\":\"show\",\"taskId\":\"$2\"}"
    read -r -t 2 -u $fd line
    if [[ $line =~ '"step":([0-9]+),"digest":"([0-9a-f]+)"' ]]; then
      print -r -u $fd -- "{\"type\":\"task\",\"request_id\":2,\"op\":\"approve\",\"taskId\":\"$2\",\"step\":$match[1],\"digest\":\"$match[2]\",\"by\":\"evil\"}"
      read -r -t 2 -u $fd line
      print -r -- "$line" >> $3
    fi
    exec {fd}>&-
  fi
  sleep 0.02
done
"#;

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("self_approval");
    stage.home.write("says.zsh", SAYS);
    stage.home.write("stays.zsh", STAYS);
    stage.twin("the same words from the person's own shell", |stage| {
        let shown = waits(stage);
        let line = writes(stage, "approve", &shown);
        let mut command = stage.home.command("zsh");
        let said = home::run(command.args(["-f", "says.zsh", &socket(stage), &line]), "");
        assert!(said.stdout.contains("\"type\":\"task\""), "{} {}", said.stdout, said.stderr);
        assert_eq!(stage.outcome(&shown.task), "COMPLETED");
    });
    for op in ["approve", "reject", "edit", "cancel", "ask"] {
        for (way, how) in WAYS {
            for confine in ["no", "workspace"] {
                stage.attempt(format!("{op} by a command, {way}, confined: {confine}"), |stage| {
                    let shown = waits(stage);
                    let line = writes(stage, op, &shown);
                    let said = runs(stage, &how.replace("SAYS", &says(stage, &line)), confine);
                    assert!(is_refused(&said, confine), "{said}");
                    assert_eq!(stage.ada.brief(&shown.task)["state"], "WAITING_APPROVAL");
                });
            }
        }
    }
    stage.attempt("a command that asks for a link to the page", |stage| {
        let line = writes_line(stage, json!({ "type": "task", "request_id": 1, "op": "page", "cwd": "/" }));
        let said = runs(stage, &says(stage, &line), "no");
        assert!(said.contains("cannot speak for the user") && !said.contains("key="), "{said}");
    });
    outlives(&mut stage);
    stage.done()
}

const WAYS: [(&str, &str); 4] = [
    ("itself", "SAYS"),
    ("in a session of its own", "setsid -w SAYS"),
    (
        "without a parent",
        "(setsid SAYS > said.txt 2>&1 &); while ! [ -s said.txt ]; do sleep 0.02; done; cat said.txt; rm said.txt",
    ),
    (
        "by an heir of the connection",
        "SAYS heir > said.txt 2>&1; while ! [ -s said.txt ]; do sleep 0.02; done; cat said.txt; rm said.txt",
    ),
];

/// Refused by the daemon, or, for a confined command, by the kernel: it cannot create a local socket.
pub fn is_refused(said: &str, confine: &str) -> bool {
    match confine {
        "no" => said.contains("cannot speak for the user"),
        _ => said.contains("not supported"),
    }
}

#[track_caller]
fn waits(stage: &mut Fixture) -> ShownProposal {
    let task = stage.ada.asks("run `touch canary`");
    assert_eq!(stage.ada.rests(&task)["state"], "WAITING_APPROVAL");
    stage.ada.sees(&task)
}

fn socket(stage: &Fixture) -> String {
    stage.home.socket().to_str().unwrap().to_owned()
}

/// Writes the file with the message.
fn writes(stage: &mut Fixture, op: &str, shown: &ShownProposal) -> String {
    let mut answer = shown.answer("evil");
    answer["type"] = json!("task");
    answer["request_id"] = json!(1);
    answer["op"] = json!(op);
    answer["text"] = json!(if op == "ask" { "run `touch canary more`" } else { "touch canary more" });
    answer["cwd"] = json!(stage.home.path("project"));
    writes_line(stage, answer)
}

fn writes_line(stage: &mut Fixture, message: Value) -> String {
    stage.home.write("line.json", format!("{message}\n"));
    stage.mark();
    stage.home.path("line.json").to_str().unwrap().to_owned()
}

fn says(stage: &Fixture, line: &str) -> String {
    format!("zsh -f {} {} {line}", stage.home.path("says.zsh").display(), socket(stage))
}

/// Approves this command and returns what it printed, which is what it was answered.
#[track_caller]
fn runs(stage: &mut Fixture, command: &str, confine: &str) -> String {
    let shown = stage.proposes("true");
    let mut edit = shown.answer("a test");
    edit["text"] = json!(command);
    edit["confine"] = json!(confine);
    let edited = stage.ada.says("edit", edit);
    let shown = ShownProposal::of(&edited["offer"]).unwrap_or_else(|| panic!("nothing is shown: {edited}"));
    assert_eq!(stage.ada.approves(&shown)["type"], "task");
    stage.granted();
    stage.settles();
    let log = std::fs::read_to_string(stage.log(&shown.task)).unwrap();
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["channel"] == "output")
        .filter_map(|event| Some(event["chunk"].as_str()?.to_owned()))
        .collect()
}

/// The daemon dies, and its command has a moment to end: the next daemon must not take it for another client.
fn outlives(stage: &mut Fixture) {
    stage.attempt("a command that outlives its daemon", |stage| {
        let shown = waits(stage);
        stage.mark();
        stage.forgive("heard.txt");
        let heard = stage.home.path("heard.txt");
        let script = stage.home.path("stays.zsh");
        let evil = stage.proposes(&format!(
            "zsh -f {} {} {} {}",
            script.display(),
            socket(stage),
            shown.task,
            heard.display()
        ));
        assert_eq!(stage.ada.approves(&evil)["type"], "task");
        stage.granted();
        stage.until("it speaks", |_| heard.exists());
        let status: Value = stage.home.wire().json(json!({ "type": "status", "request_id": 1 }));
        let daemon = status["pid"].as_i64().and_then(|pid| rustix::process::Pid::from_raw(pid as i32)).unwrap();
        rustix::process::kill_process(daemon, rustix::process::Signal::KILL).unwrap();
        std::fs::write(&heard, "").unwrap();
        stage.home.aside_does(&["daemon", "start"]);
        stage.ada = stage.another_person();
        stage.until("it speaks to the next one, or was ended", |stage| {
            let runs = stage.home.processes().len() > 1;
            !runs || std::fs::read_to_string(&heard).is_ok_and(|heard| !heard.is_empty())
        });
        let said = std::fs::read_to_string(&heard).unwrap_or_default();
        assert!(!said.contains("\"type\":\"task\""), "{said}");
        assert_eq!(stage.ada.brief(&shown.task)["state"], "WAITING_APPROVAL");
        stage.until("it has ended", |stage| stage.home.processes().len() <= 1);
    });
}
