//! Output in a tmux pane is captured through the pane's pipe: opened once, never taken from another program, reopened, and closed
//! when it should be. The tests speak to the daemon as a shell would; the panes run plain shells, so nothing here depends on a
//! plugin.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::harness::home::{self, ASIDE, Home};
use crate::harness::socket_client::SocketClient;
use crate::harness::tmux::{Pane, Tmux, wait_until};

const MARK: &str = "5f1c9a2be07d4413";

/// A daemon, a tmux with one pane, and a shell in it that has sent `hello`.
fn stage(settings: &str) -> (Tmux, Pane) {
    let home = Home::new();
    home.write(".config/aside/config.toml", settings);
    let (tmux, pane) = Tmux::start(home, "sh");
    tmux.home.aside_does(&["daemon", "start"]);
    greets(&tmux, "one");
    (tmux, pane)
}

#[track_caller]
fn asks(tmux: &Tmux, request: Value) -> Value {
    tmux.home.wire().json(request)
}

#[track_caller]
fn greets(tmux: &Tmux, session: &str) {
    asks(tmux, json!({ "type": "hello", "protocol": 1, "shell": "zsh", "session_id": session, "pid": 1 }));
}

/// The daemon's reply to a shell in that pane: the capture tier, and the reason.
#[track_caller]
fn asks_capture(tmux: &Tmux, session: &str, pane: &Pane) -> (String, String) {
    let answer = asks(
        tmux,
        json!({
            "type": "capture", "session_id": session, "mark": MARK, "tty": pane.tty, "tmux": tmux.variable(),
            "pane": pane.id, "proxy": "",
        }),
    );
    let field = |name: &str| answer[name].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    (field("tier"), field("reason"))
}

/// Reports that a command ended in that shell.
#[track_caller]
fn finishes(tmux: &Tmux, session: &str) {
    asks(tmux, json!({ "type": "finished", "session_id": session, "seq": 1, "cwd": "/", "command": "true" }));
}

/// What the daemon knows about the capture of a shell.
#[track_caller]
fn known(tmux: &Tmux, session: &str) -> (String, String, bool) {
    let status = asks(tmux, json!({ "type": "status" }));
    let sessions = status["sessions"].as_array().unwrap();
    let session = sessions.iter().find(|known| known["session_id"] == session).unwrap();
    let field = |name: &str| session[name].as_str().unwrap().to_owned();
    (field("tier"), field("tier_reason"), session["watched"].as_bool().unwrap())
}

#[track_caller]
fn wait_until_watched(tmux: &Tmux, session: &str) {
    wait_until("somebody to watch", || known(tmux, session).2);
}

fn seen(id: &str) -> (String, String) {
    ("tmux".to_owned(), format!("the pipe of pane {id}"))
}

fn off(why: &str) -> (String, String) {
    ("off".to_owned(), why.to_owned())
}

#[test]
fn the_pipe_of_a_pane_is_opened_once_for_all_shells_in_it() {
    let (tmux, pane) = stage("");
    let answer = asks(
        &tmux,
        json!({
            "type": "capture", "session_id": "one", "mark": MARK, "tty": pane.tty, "tmux": tmux.variable(), "pane": pane.id,
        }),
    );
    assert_eq!(answer["tier"], "tmux", "{answer}");
    assert!(answer["skip"].as_str().unwrap().starts_with("vim nvim vi "), "{answer}");
    assert!(answer["skip_bare"].as_str().unwrap().starts_with("python python3 "), "{answer}");
    wait_until_watched(&tmux, "one");
    assert!(tmux.is_piped(&pane));
    // A shell nested in the first one.
    greets(&tmux, "two");
    assert_eq!(asks_capture(&tmux, "two", &pane), seen("%0"));
    assert_eq!(asks_capture(&tmux, "one", &pane), seen("%0"));
    assert!(known(&tmux, "two").2);
    assert_eq!(tmux.sinks().len(), 1);
    let other = tmux.opens("sh");
    greets(&tmux, "three");
    assert_eq!(asks_capture(&tmux, "three", &other), seen(&other.id));
    wait_until_watched(&tmux, "three");
    assert_eq!(tmux.sinks().len(), 2);
}

#[test]
fn a_pipe_of_somebody_else_is_left_alone() {
    let (tmux, pane) = stage("");
    let log = tmux.home.path("log").display().to_string();
    tmux.does(&["pipe-pane", "-t", &pane.id, &format!("cat > {log}")]);
    assert_eq!(asks_capture(&tmux, "one", &pane), off("the pane's pipe is in use"));
    finishes(&tmux, "one");
    tmux.types(&pane, "echo still th''ere");
    tmux.wait_for(&pane, "still there");
    wait_until("the log", || tmux.home.read("log").contains("still there"));
    assert_eq!(tmux.sinks(), []);
    assert_eq!(known(&tmux, "one").0, "off");
}

#[test]
fn a_sink_that_was_killed_is_replaced_when_a_command_has_ended() {
    let (tmux, pane) = stage("");
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    for sink in tmux.sinks() {
        kill_process(sink, Signal::KILL).unwrap();
    }
    wait_until("nobody to watch", || !known(&tmux, "one").2);
    // tmux notices that it cannot write only with the next byte.
    tmux.types(&pane, "true");
    wait_until("tmux to notice", || !tmux.is_piped(&pane));
    finishes(&tmux, "one");
    wait_until_watched(&tmux, "one");
    assert_eq!(tmux.sinks().len(), 1);
}

#[test]
fn a_sink_outlives_its_daemon_for_a_while_and_finds_the_next() {
    let (tmux, pane) = stage("");
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    let sinks = tmux.sinks();
    kill_daemon(&tmux);
    tmux.home.aside_does(&["daemon", "start"]);
    greets(&tmux, "one");
    // The new daemon knows nothing yet, but the pipe is taken: by Aside's own sink.
    assert_eq!(asks_capture(&tmux, "one", &pane), seen("%0"));
    assert!(known(&tmux, "one").2);
    assert_eq!(tmux.sinks(), sinks);
}

#[test]
fn a_sink_without_a_daemon_goes_and_the_next_daemon_opens_another() {
    let (tmux, pane) = stage("");
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    kill_daemon(&tmux);
    wait_until("the sink to go", || tmux.sinks().is_empty());
    tmux.types(&pane, "true");
    wait_until("tmux to notice", || !tmux.is_piped(&pane));
    tmux.home.aside_does(&["daemon", "start"]);
    greets(&tmux, "one");
    assert_eq!(asks_capture(&tmux, "one", &pane), seen("%0"));
    wait_until_watched(&tmux, "one");
}

#[track_caller]
fn kill_daemon(tmux: &Tmux) {
    let status = asks(tmux, json!({ "type": "status" }));
    let pid = status["pid"].as_i64().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    wait_until("the daemon to be gone", || !home::is_running(pid));
}

#[test]
fn nothing_is_left_of_a_pane_that_was_closed() {
    let (tmux, _) = stage("");
    let other = tmux.opens("sh");
    asks_capture(&tmux, "one", &other);
    wait_until_watched(&tmux, "one");
    tmux.does(&["kill-pane", "-t", &other.id]);
    wait_until("the sink to go", || tmux.sinks().is_empty());
    // The terminal may belong to another pane by now, whose shell must not be affected.
    let next = tmux.opens("sh");
    greets(&tmux, "two");
    assert_eq!(asks_capture(&tmux, "two", &next), seen(&next.id));
    wait_until_watched(&tmux, "two");
    tmux.does(&["kill-server"]);
    wait_until("all sinks to go", || tmux.sinks().is_empty());
}

/// The daemon's reason for a pane that is left to the user's own pipes.
const LEFT: &str = "pipe-pane closed Aside's pipe of this pane, which is left to you since; a new pane has one again";

#[test]
fn a_pipe_that_the_person_closed_stays_closed_in_that_pane() {
    let (tmux, pane) = stage("");
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    tmux.does(&["pipe-pane", "-t", &pane.id]);
    let closed = ("off".to_owned(), LEFT.to_owned(), false);
    wait_until("the daemon to hear of it", || known(&tmux, "one") == closed);
    finishes(&tmux, "one");
    greets(&tmux, "one");
    assert_eq!(known(&tmux, "one"), closed);
    assert!(!tmux.is_piped(&pane));
    // Nor for another shell: the next toggle of the user would close it again.
    greets(&tmux, "two");
    assert_eq!(asks_capture(&tmux, "two", &pane), off(LEFT));
    assert!(!tmux.is_piped(&pane));
    let other = tmux.opens("sh");
    greets(&tmux, "three");
    assert_eq!(asks_capture(&tmux, "three", &other), seen(&other.id));
}

/// The toggle of tmux's manual page closes a pipe that is open, and the user has not opened any.
#[test]
fn a_toggle_of_the_user_writes_their_log_at_once() {
    let (tmux, pane) = stage("");
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    let toggle = || tmux.does(&["pipe-pane", "-o", "-t", &pane.id, "cat >>\"$HOME/it's #I\""]);
    let log = |text: &str| {
        let path = tmux.home.path("it's 0");
        wait_until(&format!("{text} in the log"), || {
            std::fs::read_to_string(&path).is_ok_and(|log| log.contains(text))
        });
    };
    toggle();
    wait_until("the sink to go", || tmux.sinks().is_empty());
    tmux.types(&pane, "echo fir''st");
    log("first");
    wait_until("the daemon to hear of it", || known(&tmux, "one").1 == LEFT);
    let welcome = asks(&tmux, json!({ "type": "hello", "protocol": 1, "shell": "zsh", "session_id": "one", "pid": 1 }));
    assert_eq!(welcome["capture"], "", "the shell prints no marks into the log");
    toggle();
    wait_until("the log to be closed", || !tmux.is_piped(&pane));
    toggle();
    tmux.types(&pane, "echo sec''ond");
    log("second");
    assert_eq!(tmux.sinks(), []);
}

#[test]
fn a_hook_of_the_user_on_pipes_stays() {
    let (tmux, pane) = stage("");
    tmux.does(&["set-hook", "-g", "after-pipe-pane", "set-option -g @seen yes"]);
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    tmux.does(&["set-option", "-g", "@seen", "no"]);
    tmux.does(&["pipe-pane", "-t", &pane.id]);
    wait_until("the hook", || tmux.does(&["show-options", "-gv", "@seen"]) == "yes");
}

#[test]
fn a_pane_that_was_started_anew_keeps_its_pipe() {
    let (tmux, pane) = stage("");
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    let sinks = tmux.sinks();
    tmux.does(&["respawn-pane", "-k", "-t", &pane.id, "sh"]);
    let anew = tmux.pane(&pane.id);
    greets(&tmux, "two");
    assert_eq!(asks_capture(&tmux, "two", &anew), seen("%0"));
    assert!(known(&tmux, "two").2);
    assert_eq!(tmux.sinks(), sinks);
}

#[test]
fn a_terminal_that_is_not_the_panes_is_not_seen() {
    let (tmux, pane) = stage("");
    let other = tmux.opens("sh");
    let inside = Pane { tty: other.tty, ..pane.clone() };
    let why = "this terminal is not that of pane %0, but one inside it";
    assert_eq!(asks_capture(&tmux, "one", &inside), off(why));
    let gone = Pane { id: "%77".to_owned(), ..pane.clone() };
    assert_eq!(asks_capture(&tmux, "one", &gone), off("tmux knows no pane %77"));
    let evil = Pane { id: "%0;kill-server".to_owned(), ..pane.clone() };
    assert_eq!(asks_capture(&tmux, "one", &evil), off("TMUX or TMUX_PANE makes no sense"));
    let evil = Pane { tty: "/dev/pts/0' ; kill-server".to_owned(), ..pane };
    assert_eq!(asks_capture(&tmux, "one", &evil), off("the shell does not say where it runs"));
    assert_eq!(tmux.sinks(), []);
}

/// A shell in a nested terminal of a pane does not take the pipe from the pane's own shell.
#[test]
fn a_terminal_inside_a_pane_that_is_seen_changes_nothing() {
    let (tmux, pane) = stage("");
    asks_capture(&tmux, "one", &pane);
    wait_until_watched(&tmux, "one");
    let inside = Pane { tty: tmux.opens("sh").tty, ..pane };
    greets(&tmux, "two");
    let why = "this terminal is not that of pane %0, but one inside it";
    assert_eq!(asks_capture(&tmux, "two", &inside), off(why));
    assert!(known(&tmux, "one").2, "the pane's own shell is seen as before");
}

#[test]
fn what_the_settings_do_not_want_is_not_opened_and_ends() {
    let (tmux, pane) = stage("[suggest]\ncapture = 'off'\n");
    assert_eq!(asks_capture(&tmux, "one", &pane), off("suggest.capture is off"));
    assert!(!tmux.is_piped(&pane));
    set(&tmux, "suggest.enabled", "false");
    wait_until("the setting", || asks_capture(&tmux, "one", &pane) == off("suggest.enabled is false"));
    set(&tmux, "suggest.enabled", "true");
    set(&tmux, "suggest.capture", "pty");
    let why = "in tmux, but suggest.capture is pty, and this is no terminal of ours";
    wait_until("the setting", || asks_capture(&tmux, "one", &pane) == off(why));
    set(&tmux, "suggest.capture", "tmux");
    wait_until("the pipe", || asks_capture(&tmux, "one", &pane) == seen("%0"));
    wait_until_watched(&tmux, "one");
    set(&tmux, "suggest.capture", "off");
    wait_until("the sink to go", || {
        finishes(&tmux, "one");
        tmux.sinks().is_empty()
    });
    let (mut sink, input) = own_sink(&tmux, &pane);
    let ended = sink.wait().unwrap();
    assert!(ended.success(), "it is refused, and goes although its pipe is open");
    drop(input);
}

fn set(tmux: &Tmux, key: &str, value: &str) {
    tmux.home.aside_does(&["config", "set", key, value]);
}

/// A sink that the daemon did not start.
fn own_sink(tmux: &Tmux, pane: &Pane) -> (std::process::Child, std::process::ChildStdin) {
    let mut command = tmux.home.command(ASIDE);
    command.args(["sink", "--tty", &pane.tty, "--socket"]).arg(tmux.home.socket());
    let mut sink = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let input = sink.stdin.take().unwrap();
    (sink, input)
}

#[test]
fn a_key_that_toggles_pipes_keeps_its_meaning() {
    let (tmux, pane) = stage("");
    tmux.does(&["bind-key", "P", "pipe-pane", "-o", "cat >> ~/pane.log"]);
    let (tier, reason) = asks_capture(&tmux, "one", &pane);
    assert_eq!(tier, "off");
    assert!(reason.starts_with("a key in tmux toggles pipes with `pipe-pane -o`"), "{reason}");
    set(&tmux, "suggest.capture", "tmux");
    wait_until("the pipe", || asks_capture(&tmux, "one", &pane) == seen("%0"));
}

#[test]
fn odd_paths_of_program_and_socket_reach_the_sink() {
    let mut home = Home::new();
    let odd = "it's #{pane_id} %H \"$x` #[a]é";
    home.write(&format!("{odd}/note"), "");
    let program = home.path(&format!("{odd}/aside"));
    if std::fs::hard_link(ASIDE, &program).is_err() {
        crate::harness::programs::copy(ASIDE, &program);
    }
    home.set_env("ASIDE_SOCKET", &home.path(&format!("{odd}/s")).display().to_string());
    let socket = home.path(&format!("{odd}/s"));
    let (tmux, pane) = Tmux::start(home, "sh");
    let started = home::run(tmux.home.command(&program.display().to_string()).args(["daemon", "start"]), "");
    assert_eq!(started.code, 0, "{started:?}");
    let mut wire = SocketClient::connect(&socket);
    wire.record(&["1", "hello", "1", "", "zsh", "5.9", "one", "1"]);
    let answer = wire.record(&["2", "capture", "one", MARK, &pane.tty, &tmux.variable(), &pane.id, ""]);
    assert_eq!(answer[2], "tmux", "{answer:?}");
    let watched = || {
        let mut wire = SocketClient::connect(&socket);
        wire.json(json!({ "type": "status" }))["sessions"][0]["watched"] == true
    };
    wait_until("somebody to watch", watched);
    drop(wire);
    let stopped = home::run(tmux.home.command(&program.display().to_string()).args(["daemon", "stop"]), "");
    assert_eq!(stopped.code, 0, "{stopped:?}");
}

#[test]
fn the_screen_and_how_commands_end_are_the_same_with_and_without() {
    let script = "stty -echo; PS1=; exec 2>&1\n\
        printf '\\033]133;C;aside=5f1c9a2be07d4413.1.80.24\\007'\n\
        seq 1 3000; printf '\\033[31mred\\033[0m\\n'; for n in 1 2 3; do printf '\\r%s %%' $n; done; echo\n\
        printf 'wide 漢字 \\342\\202'; echo; printf '\\033[?1049halternate\\033[?1049l'\n\
        test -t 0 && test -t 1 && test -t 2 && echo a terminal; stty size; (exit 7); echo $?; kill -TERM $$; echo $?\n\
        head -c 100000 /dev/zero | tr '\\0' x | fold -w 79 | tail -n 5\n\
        printf '\\033]133;D;0;aside=5f1c9a2be07d4413.1\\007'; echo the end; sleep 60\n";
    let home = Home::new();
    home.write("script", script.replace("kill -TERM $$", "sh -c 'kill -TERM $$'"));
    let (tmux, _) = Tmux::start(home, "sh");
    tmux.does(&["set-option", "-g", "history-limit", "5000"]);
    tmux.home.aside_does(&["daemon", "start"]);
    let bare = tmux.opens("sh");
    let piped = tmux.opens("sh");
    greets(&tmux, "one");
    assert_eq!(asks_capture(&tmux, "one", &piped), seen(&piped.id));
    wait_until_watched(&tmux, "one");
    let screens = [&bare, &piped].map(|pane| {
        tmux.types(pane, "clear; . ./script");
        tmux.wait_for(pane, "the end");
        tmux.shows(pane)
    });
    assert_eq!(screens[0], screens[1]);
    for line in ["\n3000\n", "\na terminal\n", "\n24 80\n", "\n7\n", "\n143\n"] {
        assert!(screens[0].contains(line), "{line:?} in {}", screens[0]);
    }
}

/// A zsh with the plugin, in a captured pane.
fn zsh() -> (Tmux, Pane) {
    let home = Home::new();
    home.write(".zshrc", "PS1='> '\neval \"$(aside init zsh)\"\n");
    let (tmux, pane) = Tmux::start(home, "zsh -i");
    wait_until("the shell to be watched", || watched(&tmux) == 1);
    settles(&tmux, &pane);
    (tmux, pane)
}

const SETTLING: &str = "print settling";

/// The daemon knows that a pane is captured before its shell does, and the shell emits no marks until it has been told. Output
/// printed before that is rightly attributed to no command.
#[track_caller]
fn settles(tmux: &Tmux, pane: &Pane) {
    wait_until("the shell to mark what it runs", || {
        let before = past(tmux, pane);
        tmux.types(pane, SETTLING);
        wait_until("the command to be known", || past(tmux, pane) != before);
        past(tmux, pane).last().is_some_and(|(command, output)| command == SETTLING && output.is_some())
    });
}

/// The number of shells that are captured.
fn watched(tmux: &Tmux) -> usize {
    let status = asks(tmux, json!({ "type": "status" }));
    status["sessions"].as_array().unwrap().iter().filter(|session| session["watched"] == true).count()
}

/// The last commands on a terminal and their output, without the `SETTLING` ones.
fn recalled(tmux: &Tmux, pane: &Pane) -> Vec<(String, Option<String>)> {
    past(tmux, pane).into_iter().filter(|(command, _)| command != SETTLING).collect()
}

fn past(tmux: &Tmux, pane: &Pane) -> Vec<(String, Option<String>)> {
    let answer = asks(tmux, json!({ "type": "recall", "tty": pane.tty }));
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let commands = answer["commands"].as_array().unwrap().iter();
    commands.map(|past| (text(&past["command"]).unwrap(), text(&past["output"]))).collect()
}

#[track_caller]
fn wait_for_output(tmux: &Tmux, pane: &Pane, command: &str, output: &str) {
    let wanted = (command.to_owned(), Some(output.to_owned()));
    wait_until(&format!("{wanted:?}"), || recalled(tmux, pane).last() == Some(&wanted));
}

#[test]
fn what_a_zsh_runs_in_a_pane_is_known_with_what_it_printed() {
    let (tmux, pane) = zsh();
    tmux.types(&pane, "print -l first 'second line'; false");
    wait_for_output(&tmux, &pane, "print -l first 'second line'; false", "first\nsecond line");
    // Marks with an id that no shell reported are ignored. The sink cannot attribute what is between them to the command any more:
    // that loses this output, and nothing else.
    let forged = r"printf '\e]133;C;aside=0123456789abcdef.1.80.24\aforged\e]133;D;0;aside=0123456789abcdef.1\a\n'";
    tmux.types(&pane, forged);
    tmux.wait_for(&pane, "\nforged");
    tmux.types(&pane, "print after");
    wait_for_output(&tmux, &pane, "print after", "after");
    let all = recalled(&tmux, &pane);
    assert_eq!((all.len(), &all[1]), (3, &(forged.to_owned(), None)), "{all:?}");
    tmux.types(&pane, "aside doctor --json > report.json");
    wait_until("the report", || {
        std::fs::read_to_string(tmux.home.path("report.json")).is_ok_and(|text| text.ends_with("}\n"))
    });
    let report = tmux.home.read("report.json");
    assert!(report.contains("outputs: seen through tmux (the pipe of pane %0)"), "{report}");
}

#[test]
fn a_shell_within_a_shell_in_a_pane_is_told_from_it() {
    let (tmux, pane) = zsh();
    tmux.types(&pane, "print outer");
    wait_for_output(&tmux, &pane, "print outer", "outer");
    tmux.types(&pane, "zsh -i");
    wait_until("the inner shell to be watched", || watched(&tmux) == 2);
    settles(&tmux, &pane);
    tmux.types(&pane, "print inner");
    wait_for_output(&tmux, &pane, "print inner", "inner");
    assert_eq!(tmux.sinks().len(), 1);
    tmux.types(&pane, "exit");
    tmux.wait_for(&pane, "exit");
    tmux.types(&pane, "print outer again");
    wait_for_output(&tmux, &pane, "print outer again", "outer again");
    let commands: Vec<String> = recalled(&tmux, &pane).into_iter().map(|(command, _)| command).collect();
    assert_eq!(commands, ["print outer", "zsh -i", "print outer again"]);
}

#[test]
fn aside_off_closes_the_pipe_of_the_pane_and_aside_on_opens_it_again() {
    let (tmux, pane) = zsh();
    for _ in 0..3 {
        tmux.types(&pane, "aside-off");
        wait_until("the sink to go", || tmux.sinks().is_empty());
        tmux.types(&pane, "print while off");
        tmux.wait_for(&pane, "while off");
        // At the latest when there is something to pipe.
        wait_until("tmux to notice", || !tmux.is_piped(&pane));
        assert_eq!((tmux.sinks(), watched(&tmux)), (vec![], 0));
        tmux.types(&pane, "aside-on");
        wait_until("the shell to be watched", || watched(&tmux) == 1);
    }
    settles(&tmux, &pane);
    tmux.types(&pane, "aside-off; aside-on");
    tmux.types(&pane, "true");
    settles(&tmux, &pane);
}

#[test]
fn aside_off_in_bash_and_fish_closes_the_pipe_of_the_pane_too() {
    for (rc, text, shell) in [
        (".bashrc", "PS1='> '\neval \"$(aside init bash)\"\n", "bash -i"),
        (".config/fish/config.fish", "aside init fish | source\n", "fish"),
    ] {
        let home = Home::new();
        home.write(rc, text);
        let (tmux, pane) = Tmux::start(home, shell);
        wait_until("the shell to be watched", || tmux.sinks().len() == 1);
        tmux.types(&pane, "aside-off");
        wait_until("the sink to go", || tmux.sinks().is_empty());
        // It notices at the latest when there is something to pipe.
        tmux.types(&pane, "echo while off");
        wait_until("tmux to notice", || !tmux.is_piped(&pane));
        tmux.types(&pane, "aside doctor --json > report.json");
        let report = || std::fs::read_to_string(tmux.home.path("report.json")).unwrap_or_default();
        wait_until("the report", || report().ends_with("}\n"));
        assert!(report().contains("by aside-off"), "{shell}: {}", report());
        assert_eq!(tmux.sinks(), [], "{shell}");
        tmux.types(&pane, "aside-on");
        wait_until("the pipe to be opened again", || tmux.sinks().len() == 1);
    }
}

#[test]
fn uninstalling_ends_the_sinks() {
    let (tmux, pane) = zsh();
    tmux.home.aside_does(&["uninstall", "--yes"]);
    wait_until("the sink to go", || tmux.sinks().is_empty());
    tmux.types(&pane, "true");
    wait_until("tmux to notice", || !tmux.is_piped(&pane));
}
