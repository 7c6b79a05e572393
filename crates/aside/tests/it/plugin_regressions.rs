//! Conflicts with real plugins, each reduced to a few lines that reproduce it. The plugins themselves are in `plugins.rs`.

use std::time::Duration;

use crate::harness::keys::Key;
use crate::harness::prose_script::ProseReply;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;
use crate::prose_zsh::begun_on;

/// Longer than a reply takes, short enough to wait for.
const A_WHILE: Duration = Duration::from_millis(150);

fn zsh() -> Setup {
    Scene::zsh().history(&["git stash pop", "git status --short"])
}

#[test]
fn reading_the_rc_file_again_leaves_ctrl_c_alive() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs(r#"eval "$(aside init zsh)""#);
    for prompt in 3..5 {
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).prompt(prompt);
        scene.stays_without_ghost(A_WHILE);
    }
}

#[test]
fn a_widget_with_traps_of_its_own_leaves_ctrl_c_to_us_and_no_trap_behind() {
    let rc = "careful() { setopt localoptions localtraps; trap : INT }; zle -N careful; bindkey '^Xc' careful";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").sends("\x18c").settles();
    scene.presses(Key::CtrlC).prompt(2).stays_without_ghost(A_WHILE);
    assert_eq!(scene.runs("trap; print $+functions[TRAPINT]"), "0");
}

/// zsh runs a trap in the middle of these, and crashes if the trap does the same, or forks in the middle of the first.
#[test]
fn ctrl_c_while_a_plugin_reads_functions_or_matches_patterns_does_not_end_the_shell() {
    let rc = "setopt extendedglob
              functions[big]=${(pj:\\n:)${:-print\\ -r\\ {1..400}}}; long=${(l:300::a:)}
              show() { zle -M $1; zle -R }
              look() { show looking; while :; do [[ -v functions[big] ]]; done }; zle -N look; bindkey '^Xl' look
              match() { show matching; while :; do [[ $long == (a|aa)#b ]]; done }; zle -N match; bindkey '^Xm' match";
    let mut scene = zsh().rc(rc).start();
    let mut prompt = 2;
    for (keys, shown) in [("\x18l", "looking"), ("\x18m", "matching")] {
        for _ in 0..4 {
            scene
                .types("git st")
                .shows_ghost("git st|atus --short")
                .sends(keys)
                .shows(shown)
                .presses(Key::CtrlC)
                .prompt(prompt);
            assert!(!scene.screen().contains("atus"), "{}", scene.screen().text());
            prompt += 1;
        }
    }
    assert_eq!(scene.runs("print alive"), "alive");
}

/// As zsh-autocomplete does; and there zsh crashes if it finds a trap. Ctrl-C ends the line, or only what zsh just completes.
#[test]
fn ctrl_c_while_a_plugin_completes_in_the_background_does_not_end_the_shell() {
    let rc = "zle -C .list list-choices listed; listed() { compadd a b }
              .autocomplete:async:complete:callback() { local i; zle -M completing; zle -R; for i in {1..2000}; do zle .list; done }
              zle -N .autocomplete:async:complete:callback; bindkey '^Xc' .autocomplete:async:complete:callback";
    let mut clean = false;
    for _ in 0..3 {
        let mut scene = zsh().rc(rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").sends("\x18c").shows("completing");
        for _ in 0..4 {
            scene.sends("\x03");
            std::thread::sleep(Duration::from_millis(5));
        }
        // A Ctrl-C that zsh has seen and not acted on takes the next key.
        std::thread::sleep(Duration::from_millis(600));
        scene.sends("\r").settles().sends("\x15").settles();
        // The second Ctrl-C may interrupt what the first one does.
        clean |= !scene.screen().contains("atus");
        scene.sends("print al''ive\r").shows("alive");
    }
    assert!(clean);
}

/// Where a trap would end the line.
#[test]
fn ctrl_c_ends_a_search_a_question_or_a_nested_line_and_not_the_line() {
    let rc = "bindkey -e; autoload -Uz compinit; compinit -u; LISTMAX=2
              nested() { local line=$BUFFER; BUFFER='a nested line'; zle recursive-edit; print -r status $? > ~/nested; BUFFER=$line; CURSOR=$#BUFFER; }
              zle -N nested; bindkey '^Xr' nested";
    let mut scene = zsh().rc(rc).start();
    for (keys, shown) in [("\x12sh", "bck-i-search: sh"), ("\x04", "do you wish"), ("\x18r", "1> a nested line")] {
        scene.types("git st").shows_ghost("git st|atus --short").sends(keys).shows(shown);
        std::thread::sleep(A_WHILE);
        scene.presses(Key::CtrlC).shows_line("git st|");
        scene.presses(Key::Ctrl('u')).shows_line("|").settles();
    }
    assert_eq!(scene.runs("cat ~/nested"), "status 1");
}

#[test]
fn a_trap_of_yours_sees_the_last_status_and_your_precmd_runs_once() {
    let rc = "TRAPINT() { print -r status $? > ~/trap; return 130 }; precmd() { (( ++calls )) }
              busy() { show; while :; do :; done }; show() { zle -M busy; zle -R }; zle -N busy; bindkey '^Xb' busy";
    let mut scene = zsh().rc(rc).start();
    scene.runs("(exit 3)");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).prompt(3);
    assert_eq!(scene.runs("cat ~/trap"), "status 3");
    scene.runs("unfunction TRAPINT; calls=0");
    scene.types("git st").shows_ghost("git st|atus --short").sends("\x18b").shows("busy").presses(Key::CtrlC).prompt(6);
    assert_eq!(scene.runs("print $calls"), "2");
}

/// zsh expands `$?` at Tab; a widget of the user's, on a key of ours or called by one of theirs, may read it; and no trap runs for it.
#[test]
fn a_key_sees_the_status_of_the_last_command() {
    let rc = "told() { print -r -- $1 $? >> ~/told; zle .$1 }
              forward-char() { told forward-char }; zle -N forward-char
              goes() { zle beginning-of-line; zle forward-char }; zle -N goes; bindkey '^Xe' goes
              TRAPZERR() { print -r error $? >> ~/told }";
    let mut scene = zsh().rc(rc).start();
    scene.runs("(exit 3)");
    scene.types("print $?").presses(Key::Tab).shows_line("print 3|");
    scene.presses(Key::Left).presses(Key::Right).sends("\x18e").settles().presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("cat ~/told"), "error 3\nforward-char 3\nforward-char 0");
    // A completion of the shell's own.
    let mut scene = zsh().rc("autoload -Uz compinit; compinit -u").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).prompt(2);
    scene.types("print $?").presses(Key::Tab).shows_line("print 130|");
}

#[test]
fn a_plugin_that_wraps_every_widget_after_the_first_prompt_leaves_enter_alive() {
    let rc = "wrap() { local w; for w in ${(k)widgets}; do [[ $w != .* && $widgets[$w] == builtin ]] || continue
              eval \"wrapped_$w() { zle .$w -- \\\"\\$@\\\" }\"; zle -N $w wrapped_$w; done }";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("wrap");
    assert_eq!(scene.runs("print alive"), "alive");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
    assert!(!scene.screen().contains("No such widget"), "{}", scene.screen().text());
}

#[test]
fn a_widget_that_goes_through_the_history_and_waits_shows_no_old_ghost() {
    let rc = "older() { BUFFER='true 1' CURSOR=6; zle -R; read -t 2 -k 1 }; zle -N older
              bindkey '^[[A' older '^[OA' older";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Up).shows("1> true 1");
    assert!(!scene.screen().contains("atus"), "{}", scene.screen().text());
}

#[test]
fn a_narrower_window_has_a_narrower_bar() {
    let script = ScriptedDaemon::new().knows("git st|", &["git status --short", "git stash pop"]);
    let mut scene = Scene::zsh().scripted(&script).start();
    scene.types("git st").shows("navigate").resizes(24, 50);
    scene.wait_for("a bar of one row", |screen| {
        screen.row(1).starts_with("(1/2) git status --short") && screen.row(2).is_empty()
    });
    scene.presses(Key::CtrlC).prompt(2).screen_is("1> git st\n2>");
}

#[test]
fn a_trap_that_is_no_function_runs_and_leaves_no_ghost() {
    let mut scene = zsh().rc("trap 'print caught; return 130' INT").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).shows("caught").prompt(2);
    scene.stays_without_ghost(A_WHILE);
    scene.runs("aside-off");
    assert_eq!(scene.runs("trap"), "trap -- $'print caught\\nreturn 130' INT");
}

/// Prompts such as those of pure and powerlevel10k.
#[test]
fn an_answer_stands_above_a_prompt_that_returns_or_makes_room_for_itself() {
    for top in ["top\\n%{\\r%}", "%{\\n\\e[A%}top\\n"] {
        let script = ScriptedDaemon::new().sets("reroute", "answer").takes("what's my ip");
        let script = script.says("what's my ip", &[ProseReply::done(&["Ask your router."])]);
        let rc = format!("_scene_prompt() {{ (( ++_scene_number )); PS1=$'{top}'\"$_scene_number> \" }}");
        let mut scene = begun_on(&script, Scene::zsh().scripted(&script).rc(&rc));
        scene.types("what's my ip").presses(Key::Enter).prompt(3).shows("Ask your router.");
        scene.rests("one prompt", A_WHILE, |screen| screen.text().matches("3>").count() <= 1);
        scene.wait_for("one prompt", |screen| screen.text().matches("3>").count() == 1);
    }
}

/// zsh reads the plugin once the first prompt is drawn; a half-read plugin would leave Enter dead.
#[test]
fn ctrl_c_again_and_again_at_the_first_prompt_leaves_a_whole_plugin() {
    for gap in [1, 2, 3, 5, 8] {
        let mut scene = zsh().start();
        scene.types("exec zsh -d -i").presses(Key::Enter);
        scene.wait_for("the first prompt of another zsh", |screen| screen.row(1).starts_with("1>"));
        for _ in 0..20 {
            scene.sends("\x03");
            std::thread::sleep(Duration::from_millis(gap));
        }
        // Even a bare zsh sometimes loses a key after such a burst, or waits for the rest of a line that was not typed. One more
        // Ctrl-C, as a user would press, recovers it; with a half-read plugin it would not.
        let alive = (0..5).any(|_| {
            std::thread::sleep(A_WHILE);
            scene.sends("\x03");
            std::thread::sleep(A_WHILE);
            scene.sends("print al$((40+2))ve\r");
            let until = std::time::Instant::now() + Duration::from_secs(4);
            while std::time::Instant::now() < until && !scene.screen().contains("\nal42ve") {
                std::thread::sleep(Duration::from_millis(20));
            }
            scene.screen().contains("\nal42ve")
        });
        assert!(alive, "{}", scene.screen().text());
        scene.settles();
        let text = scene.screen().text();
        assert!(!text.contains("not found: _aside") && !text.contains("No such"), "{text}");
    }
}

/// The trap: zsh loses the interrupt, or applies it to the next key. A trap such as powerlevel10k's returns from only one function
/// of the plugin. The slow functions: what handles a reply, what is around it, and what is scheduled by it.
#[test]
fn ctrl_c_while_an_answer_is_dealt_with_ends_the_line_and_takes_no_key() {
    let busy = "if (( ! busy++ )); then zmodload zsh/zselect; print >~/began; zselect -t 70; fi";
    // For one reply: the next ones are dealt with as always.
    let once = "functions -c _aside_unbroken real; _aside_unbroken() { functions -c real _aside_unbroken";
    let slow = [
        format!("_aside_hear() {{ {busy} }}"),
        format!("{once}; {busy}; _aside_unbroken \"$@\" }}"),
        format!("{once}; _aside_unbroken \"$@\"; {busy} }}"),
        format!("_aside_look_at_traps() {{ {busy}; _aside_armed=0; return 1 }}"),
    ];
    let ends_the_line = |slow: &str, rc: &str| {
        let mut scene = zsh().rc(rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.home.write("slow", slow);
        scene.types(". ~/slow").presses(Key::Enter).prompt(2);
        if slow.starts_with("_aside_look_at_traps") {
            scene.sends("git st");
        }
        begun(&scene);
        scene.sends("\x03");
        let until = std::time::Instant::now() + Duration::from_secs(4);
        while !scene.screen().contains("\n3>") {
            if std::time::Instant::now() > until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(scene.prompt(3).runs("print $?"), "130", "{slow}");
        true
    };
    for slow in slow {
        for rc in ["", RETURNS] {
            // What is sent again may, on a busy machine, come where a function of ours runs.
            assert!((0..3).any(|_| ends_the_line(&slow, rc)), "{slow} {rc}");
        }
    }
}

/// A trap as powerlevel10k's.
const RETURNS: &str = "interrupt() { trap 'return 130' INT }; precmd_functions+=(interrupt)";

/// Waits until the shell has made the file `began`.
fn begun(scene: &Scene) {
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !scene.home.path("began").exists() {
        assert!(std::time::Instant::now() < deadline, "{}", scene.screen().text());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The daemon is gone, and a new one is started where the line begins, which takes a moment.
#[test]
fn ctrl_c_while_a_daemon_is_started_ends_the_line() {
    for rc in ["", RETURNS] {
        let mut scene = zsh().rc(rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.home.write(
            "slow",
            "zmodload zsh/zselect; functions[real]=$functions[_aside_launch]
            _aside_launch() { functions -c real _aside_launch; print >~/began; zselect -t 70; real \"$@\" }",
        );
        scene.runs(". ~/slow");
        scene.types("aside daemon stop").presses(Key::Enter).prompt(3);
        begun(&scene);
        scene.sends("\x03").prompt(4);
        assert_eq!(scene.runs("print $?"), "130", "{rc}");
        scene.types("git st").shows_ghost("git st|atus --short");
    }
}

/// Enter is bound to another widget while vi's search reads its text. A function that zsh interrupts leaves the status as it was.
#[test]
fn ctrl_c_in_a_search_of_vi_ends_the_line_as_without_us() {
    let screen = |stage: Setup| {
        let mut scene = stage.rc("bindkey -v; KEYTIMEOUT=1").start();
        scene.types("git st").settles().presses(Key::Esc).settles();
        scene.sends("/").shows("?_").sends("tru").shows("?tru_").presses(Key::CtrlC).prompt(2);
        assert_eq!(scene.runs("print $?"), "130");
        scene.screen().text()
    };
    assert_eq!(screen(zsh()), screen(zsh().without_aside()));
}

/// While something is shown the plugin binds Esc, and many key sequences begin with it.
#[test]
fn a_key_that_zsh_does_not_know_does_the_same_as_without_us() {
    let line = |stage: Setup| {
        let mut scene = stage.start();
        scene.types("git st").settles().sends("\x1b[3;9~").settles().types("x").settles();
        let row = scene.screen().row(0);
        row.split_once("git st").map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    };
    assert_eq!(line(zsh()), line(zsh().without_aside()));
}

/// Wraps the existing hooks and installs its own, as fast-syntax-highlighting does.
const HIGHLIGHTER: &str = r#"
_zsh_highlight() { : }
_zsh_highlight_call_widget() { zle "$@"; _zsh_highlight }
late() {
  local hook inner
  for hook in zle-line-init zle-line-finish zle-isearch-update zle-isearch-exit; do
    inner=orig-s1-r1-$hook
    if [[ -n ${widgets[$hook]-} ]]; then
      zle -N $inner ${widgets[$hook]#user:}
      eval "_zsh_highlight_widget_$inner() { _zsh_highlight_call_widget $inner -- \"\$@\" }"
      zle -N $hook _zsh_highlight_widget_$inner
    elif [[ $hook == *-(finish|update) ]]; then
      eval "_zsh_highlight_widget_$hook() { :; _zsh_highlight }"
      zle -N $hook _zsh_highlight_widget_$hook
    fi
  done
}
"#;

/// compinit makes the widgets of completion anew, each time.
#[test]
fn completions_that_are_set_up_again_leave_tab_to_us() {
    let rc = "autoload -Uz compinit; compinit -u";
    let mut scene = zsh().rc(rc).start();
    for line in ["true", "compinit -u", "compinit -u; eval \"$(aside init zsh)\"", "aside-off", "aside-on"] {
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Tab).shows_line("git status --short|");
        scene.presses(Key::Ctrl('u')).settles();
        scene.runs(line);
        if line == "aside-off" {
            assert!(scene.runs("print -r $widgets[expand-or-complete]").starts_with("completion:.expand-or-complete:"));
            scene.runs("aside-on");
        }
    }
}

/// The name need not tell what the widget was.
#[test]
fn a_widget_that_you_keep_under_another_name_is_the_one_that_was_there() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("zle -A accept-line kept; mine() { (( ++entered )); zle kept }; zle -N accept-line mine");
    scene.runs("zle -N 'w[tab]' mine; zle -A end-of-line 'e[nd'");
    for _ in 0..2 {
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.runs("entered=0");
        assert_eq!(scene.runs("print $entered"), "1");
        scene.runs("aside-off");
        assert_eq!(scene.runs("print $widgets[kept] $widgets[e\\[nd]"), "builtin builtin");
        scene.runs("aside-on");
    }
}

/// A widget of yours that fails is an error for your own widget that calls it.
#[test]
fn a_failure_of_a_key_is_an_error_for_the_widget_that_called_it() {
    let rc = "mine() { emulate -L zsh; setopt err_return; zle expand-or-complete; print went on >~/on }
              zle -N mine; bindkey '^Xm' mine";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.types("qxzq").sends("\x18m").settles().presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("ls ~/on 2>&1 | grep -c cannot"), "1");
}

/// zsh keeps a name that was given the same widget twice when it is deleted, and crashes when a value is looked for in `$widgets`.
#[test]
fn a_widget_that_returns_leaves_no_name_behind_that_crashes_the_shell() {
    let rc = "mine() { zle .expand-or-complete }; zle -N expand-or-complete mine; zle -A expand-or-complete keep";
    let mut scene = zsh().rc(rc).start();
    for line in ["zle -A keep expand-or-complete", "aside-off"] {
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).settles();
        scene.runs(line);
    }
    scene.runs(
        "zle -D keep; other() { : }; zle -N expand-or-complete other; for i in {1..300}; do x=${(l:i%60::y:)}; done",
    );
    assert_eq!(scene.runs("print ${(k)widgets[(R)user:nothing]} alive"), "alive");
}

#[test]
fn aside_off_leaves_nothing() {
    for (before, then) in [("", "true"), (HIGHLIGHTER, "late")] {
        leaves_nothing(before, then);
    }
}

/// Checks a shell with these lines in its rc file, after this line ran.
#[track_caller]
fn leaves_nothing(before: &str, then: &str) {
    let rc = "mine() { : }; zle -N zle-line-init mine; zle -N up mine; bindkey '^[[A' up; bindkey -s '^N' NN
              state() { for m in emacs viins vicmd main; do bindkey -M $m -L; done; zle -lL; zle -FL; trap; functions -m '^(_scene|state|aside-o)*'
              print -l $precmd_functions $preexec_functions }";
    let state = |stage: Setup, lines: &[&str]| {
        let mut scene = stage.rc(before).rc(rc).start();
        scene.types("git st").settles().presses(Key::Ctrl('u'));
        for line in lines {
            scene.runs(line);
        }
        // The last function removes itself a second later, while a line waits for keys.
        let deadline = std::time::Instant::now() + crate::harness::patience();
        while scene.runs("print $+functions[_aside_end]") == "1" {
            assert!(std::time::Instant::now() < deadline, "{}", scene.screen().text());
            std::thread::sleep(Duration::from_millis(500));
        }
        scene.runs("setopt extended_glob; state >~/state");
        let state = scene.home.read("state");
        let kept = state.lines().filter(|line| !line.contains("aside-o"));
        (kept.map(str::to_owned).collect::<Vec<_>>(), scene)
    };
    let (bare, _) = state(zsh().without_aside(), &[then]);
    // A descriptor of ours that zsh is about to call us for: without our function it would call, and use a whole core, for ever.
    let called = "exec {called}< <(:); zle -F $called _aside_heard; aside-off";
    let (left, mut scene) = state(zsh(), &[then, called]);
    let missing: Vec<&String> = bare.iter().filter(|line| !left.contains(line)).collect();
    let added: Vec<&String> = left.iter().filter(|line| !bare.contains(line)).collect();
    assert!(missing.is_empty() && added.is_empty(), "missing {missing:#?}, added {added:#?}");
    scene.runs("aside-on");
    scene.types("git st").shows_ghost("git st|atus --short");
}
