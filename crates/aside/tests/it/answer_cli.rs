//! `aside answer` as a user, a script and bash use it: at a terminal, in a pipe, interrupted, and without a daemon.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::{ASIDE, Home, Said, run};
use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::screen::GHOST;
use crate::harness::terminal::Terminal;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const BOLD: char = '\u{e101}';
const RESET: char = '\u{e100}';

/// A stub daemon that records each request and sends the replies the test wants.
#[derive(Clone, Default)]
struct Mouth(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    asked: Vec<Value>,
    to: Option<UnixStream>,
    /// Replies sent as soon as a request arrives.
    ready: Vec<Value>,
}

impl Mouth {
    fn listens(home: &Home) -> Self {
        let mouth = Self::default();
        let listener = UnixListener::bind(home.socket()).unwrap();
        let serving = mouth.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mouth = serving.clone();
                std::thread::spawn(move || mouth.serves(stream));
            }
        });
        mouth
    }

    fn serves(&self, stream: UnixStream) {
        for line in BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok) {
            let asked: Value = serde_json::from_str(&line).unwrap();
            let mut heard = self.0.lock().unwrap();
            let says = if asked["query"] == "" { vec![said("done", &[], &[])] } else { heard.ready.clone() };
            heard.to = Some(stream.try_clone().unwrap());
            heard.asked.push(asked.clone());
            says.into_iter().for_each(|say| tell(&stream, &asked, say));
        }
    }

    /// Sends these replies to every request from now on.
    fn says_at_once(self, says: &[Value]) -> Self {
        self.0.lock().unwrap().ready = says.to_vec();
        self
    }

    /// Waits until a request has arrived.
    #[track_caller]
    fn says(&self, say: Value) {
        self.waits("a question", |heard| heard.to.is_some());
        let heard = self.0.lock().unwrap();
        tell(heard.to.as_ref().unwrap(), &heard.asked[0], say);
    }

    fn hangs_up(&self) {
        let heard = self.0.lock().unwrap();
        heard.to.as_ref().unwrap().shutdown(std::net::Shutdown::Both).unwrap();
    }

    fn asked(&self) -> Vec<Value> {
        self.0.lock().unwrap().asked.clone()
    }

    #[track_caller]
    fn waits(&self, what: &str, condition: impl Fn(&Heard) -> bool) {
        let deadline = Instant::now() + patience();
        while !condition(&self.0.lock().unwrap()) {
            assert!(Instant::now() < deadline, "waited for {what}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn tell(mut stream: &UnixStream, asked: &Value, mut say: Value) {
    say["request_id"] = asked["request_id"].clone();
    // The client may have disconnected.
    _ = writeln!(stream, "{say}");
}

fn said(state: &str, rows: &[&str], tail: &[&str]) -> Value {
    json!({
        "type": "said", "state": state, "note": "", "proposal": "", "warning": "", "rows": rows, "tail": tail,
    })
}

fn proposes(mut say: Value, proposal: &str, warning: &str) -> Value {
    say["proposal"] = proposal.into();
    say["warning"] = warning.into();
    say
}

fn notes(mut say: Value, note: &str) -> Value {
    say["note"] = note.into();
    say
}

fn answer(home: &Home, args: &[&str]) -> Said {
    home.aside(&[&["answer"], args].concat())
}

/// Runs `aside answer` alone in a terminal.
fn at_terminal(home: &Home, args: &[&str], size: (u16, u16)) -> Terminal {
    let mut command = home.command(ASIDE);
    command.arg("answer").args(args);
    Terminal::start(command, size, GHOST, home.daemon_log())
}

#[test]
fn an_answer_grows_on_the_terminal_and_ends_with_a_command() {
    let home = Home::new();
    let mouth = Mouth::listens(&home);
    let mut terminal = at_terminal(&home, &["why", "is", "it", "slow"], (10, 40));
    let shows = |wanted: &str| {
        terminal.wait_for(&format!("the screen {wanted:?}"), |screen| screen.text() == wanted);
    };
    shows("thinking…");
    mouth.says(said("thinking", &[], &[]));
    mouth.says(said("partial", &[], &["It is", "slo"]));
    shows("It is\nslo");
    mouth.says(said("partial", &["It is slow"], &["because"]));
    shows("It is slow\nbecause");
    let bold = format!("{BOLD}so{RESET}");
    let last = notes(said("done", &["It is slow", &bold], &[]), "from the embedded engine");
    mouth.says(proposes(last, "rm -rf build", "deletes files"));
    assert_eq!(terminal.wait_for_end(), 0);
    let screen = terminal.screen();
    assert_eq!(screen.text(), "It is slow\nso\n\n  rm -rf build  ! deletes files\nfrom the embedded engine");
    assert_eq!(screen.cursor, (5, 0));
    let styled = |row: usize, text: &str| screen.spans(row).into_iter().find(|span| span.text == text).unwrap().style;
    assert!(styled(1, "so").bold && styled(3, "rm -rf build").bold);
    assert_eq!(styled(3, "! deletes files").fg, vt100::Color::Idx(1));
    assert!(styled(4, "from the embedded engine").dim);
    assert_eq!(mouth.asked()[0]["width"], 40);
}

#[test]
fn more_than_the_screen_holds_is_there_once_when_it_stands() {
    let home = Home::new();
    let mouth = Mouth::listens(&home);
    let mut terminal = at_terminal(&home, &["tell", "me"], (6, 20));
    let rows: Vec<String> = (1..=15).map(|number| format!("row {number}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    for standing in 0..rows.len() {
        mouth.says(said("partial", &rows[..standing], &rows[standing..]));
        terminal.wait_for("the last row", |screen| screen.contains("row 15") && !screen.contains("thinking"));
    }
    mouth.says(said("done", &rows, &[]));
    assert_eq!(terminal.wait_for_end(), 0);
    assert_eq!(terminal.transcript().join("\n").trim_end(), rows.join("\n"));
}

#[test]
fn ctrl_c_stops_the_answer_and_leaves_what_was_read() {
    let home = Home::new();
    let mouth = Mouth::listens(&home);
    let mut terminal = at_terminal(&home, &["--session", "bash-1", "--number", "7", "tell", "me"], (10, 40));
    mouth.says(said("partial", &["First."], &["Second, and"]));
    terminal.wait_for("the tail", |screen| screen.contains("Second, and"));
    terminal.press(Key::Ctrl('c'));
    assert_eq!(terminal.wait_for_end(), 130);
    let screen = terminal.screen();
    assert_eq!((screen.text().as_str(), screen.cursor), ("First.\nSecond, and", (2, 0)));
    let asked = mouth.asked();
    let named = |asked: &Value| (asked["query"].clone(), asked["session_id"].clone(), asked["number"].clone());
    assert_eq!(
        asked.iter().map(named).collect::<Vec<_>>(),
        [("tell me".into(), "bash-1".into(), 7.into()), ("".into(), "bash-1".into(), 7.into())]
    );
}

#[test]
fn ctrl_c_while_nothing_was_said_leaves_nothing() {
    let home = Home::new();
    let mouth = Mouth::listens(&home);
    let mut terminal = at_terminal(&home, &["tell", "me"], (10, 40));
    mouth.says(said("thinking", &[], &[]));
    terminal.wait_for("a sign of life", |screen| screen.contains("thinking…"));
    terminal.press(Key::Ctrl('c'));
    assert_eq!(terminal.wait_for_end(), 130);
    let screen = terminal.screen();
    assert_eq!((screen.text().as_str(), screen.cursor), ("", (0, 0)));
}

#[test]
fn a_pipe_gets_plain_text_and_what_is_no_part_of_it_goes_elsewhere() {
    let mut home = Home::new();
    let bold = format!("{BOLD}One{RESET} row");
    let last =
        notes(proposes(said("done", &[&bold, "two\u{1b}[31m"], &[]), "ls -l", ""), "private, so no model was asked");
    let mouth = Mouth::listens(&home).says_at_once(&[said("partial", &[], &["On"]), last]);
    home.set_env("COLUMNS", "57");
    let said = answer(&home, &["what", "is", "-l"]);
    assert_eq!((said.stdout.as_str(), said.code), ("One row\ntwo\\u{1b}[31m\n\n  ls -l\n", 0));
    assert_eq!(said.stderr, "aside: private, so no model was asked\n");
    let asked = &mouth.asked()[0];
    assert_eq!((&asked["query"], &asked["width"], &asked["wait"]), (&"what is -l".into(), &57.into(), &false.into()));
    // `--plain` prints the same at a terminal, without styles.
    let mut terminal = at_terminal(&home, &["--plain", "what", "is", "-l"], (10, 40));
    assert_eq!(terminal.wait_for_end(), 0);
    let screen = terminal.screen();
    assert!(screen.contains("One row") && !screen.spans(0)[0].style.bold, "{}", screen.text());
}

#[test]
fn everything_that_is_known_about_the_line_is_told() {
    let mut home = Home::new();
    let mouth = Mouth::listens(&home).says_at_once(&[said("done", &["Yes."], &[])]);
    home.write("output", format!("{}the end", "x".repeat(100_000)));
    home.set_env("ASIDE_PRIVATE", "1");
    let options = ["--exit", "2", "--reason", "sure", "--shell", "fish", "--session", "s-1", "--number", "3"];
    let said = answer(&home, &[&options[..], &["--output-file", "output", "--", "make", "sure"]].concat());
    assert_eq!((said.stdout.as_str(), said.stderr.as_str(), said.code), ("Yes.\n", "", 0));
    let asked = &mouth.asked()[0];
    for (name, value) in [
        ("exit_status", json!(2)),
        ("reason", json!("sure")),
        ("shell", json!("fish")),
        ("session_id", json!("s-1")),
        ("number", json!(3)),
        ("private", json!(true)),
        ("query", json!("make sure")),
        ("cwd", json!(home.path("").display().to_string().trim_end_matches('/'))),
    ] {
        assert_eq!(asked[name], value, "{name}");
    }
    let output = asked["output"].as_str().unwrap();
    assert!(output.ends_with("xthe end") && output.len() == 16 * 1024, "{}", output.len());
    let said = home.aside_reads(&["answer"], "what is\nthis\n");
    assert_eq!((said.code, &mouth.asked()[1]["query"]), (0, &"what is\nthis".into()));
    let said = answer(&home, &["--output-file", "missing", "x"]);
    assert_eq!(said.code, 1);
    assert!(said.stderr.starts_with("aside: could not read missing: "), "{said:?}");
}

#[test]
fn a_program_gets_an_object_for_each_time_that_more_was_said() {
    let home = Home::new();
    let marked = format!("{BOLD}One{RESET}");
    let says = [said("partial", &[], &["On"]), proposes(said("done", &[&marked], &[]), "ls", "")];
    let _mouth = Mouth::listens(&home).says_at_once(&says);
    let said = answer(&home, &["--json", "tell", "me"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let objects: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |object: &Value| (object["state"].clone(), object["rows"].clone(), object["proposal"].clone());
    assert_eq!(
        objects.iter().map(told).collect::<Vec<_>>(),
        [("partial".into(), json!([]), "".into()), ("done".into(), json!(["One"]), "ls".into())]
    );
}

#[test]
fn a_command_is_handed_on_alone_and_shown_with_its_key() {
    let home = Home::new();
    let last = proposes(said("done", &["Do this:"], &[]), "rm -rf \u{1b}[1mbuild", "deletes files");
    let _mouth = Mouth::listens(&home).says_at_once(&[last]);
    for redirected in ["3>&1 >shown", "3>|handed >shown; cat handed"] {
        let script = format!("'{ASIDE}' answer --proposal-fd 3 --hint 'Tab takes it' -- tell me {redirected}");
        let said = run(home.command("/bin/sh").args(["-c", &script]), "");
        assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("rm -rf \\u{1b}[1mbuild\n", ""), "{script}");
        assert_eq!(home.read("shown"), "Do this:\n\n  rm -rf \\u{1b}[1mbuild  ! deletes files  Tab takes it\n");
    }
    let said = answer(&home, &["--proposal-fd", "77", "tell", "me"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.starts_with("aside: could not write to descriptor 77"), "{said:?}");
}

#[test]
fn it_says_so_when_there_is_no_answer() {
    let home = Home::new();
    assert_eq!(answer(&home, &[" "]).code, 2);
    let mouth = Mouth::listens(&home).says_at_once(&[notes(said("done", &[], &[]), "a model would know: aside model")]);
    let said = answer(&home, &["frobnicate", "it"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert_eq!(said.stderr, "aside: a model would know: aside model\n");
    let error = json!({"type": "error", "error": {"code": "bad_request", "message": "unknown request \"ask\""}});
    let mouth = mouth.says_at_once(&[error]);
    let said = answer(&home, &["frobnicate", "it"]);
    assert_eq!((said.code, said.stderr.as_str()), (1, "aside: unknown request \"ask\"\n"));
    mouth.says_at_once(&[json!({"type": "dance"})]);
    let said = answer(&home, &["frobnicate", "it"]);
    assert_eq!((said.code, said.stderr.contains("makes no sense")), (1, true), "{said:?}");
}

#[test]
fn a_daemon_that_ends_in_the_middle_is_told_of() {
    let home = Home::new();
    let mouth = Mouth::listens(&home);
    let mut terminal = at_terminal(&home, &["tell", "me"], (10, 60));
    mouth.says(said("partial", &["First."], &["Second"]));
    terminal.wait_for("the tail", |screen| screen.contains("Second"));
    mouth.hangs_up();
    assert_eq!(terminal.wait_for_end(), 1);
    let told = "First.\nSecond\naside: the daemon ended before the answer did; ask again";
    assert_eq!(terminal.screen().text(), told);
}

#[test]
fn nobody_to_ask_is_one_line_and_what_to_do() {
    let mut home = Home::new();
    home.write("file", "");
    home.set_env("ASIDE_SOCKET", &home.path("file/aside.sock").display().to_string());
    let said = answer(&home, &["tell", "me"]);
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.lines().count()), (3, "", 1), "{said:?}");
}

#[test]
fn the_daemon_is_started_and_a_models_markdown_is_shown() {
    let home = Home::new();
    let model = Model::start();
    let url = model.base_url();
    home.write(
        ".config/aside/config.toml",
        format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\ntimeout_connect_ms = 10000\n"),
    );
    model.next(ScriptedReply::streams(["The **quux** is", " slow:\n\n- it wai", "ts\n- it `spins`\n"]));
    let mut terminal = at_terminal(&home, &["why", "is", "the", "quux", "slow"], (10, 40));
    assert_eq!(terminal.wait_for_end(), 0);
    let screen = terminal.screen();
    assert_eq!(screen.text(), "The quux is slow:\n\n• it waits\n• it spins");
    assert!(screen.spans(0).iter().any(|span| span.text == "quux" && span.style.bold), "{:?}", screen.spans(0));
}
