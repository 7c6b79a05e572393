//! Checks the shell that the doctor runs in: whether Aside works there, by what the plugin told the daemon, or else by the shell's rc
//! files.

use aside_proto::SessionStatus;

use crate::cli::doctor::facts::{Answer, Facts, RcFile, Shell};
use crate::cli::doctor::report::Finding;
use crate::cli::span;
use crate::config::{Autosuggestions, Capture, Config};

pub fn this_shell(facts: &Facts) -> Vec<Finding> {
    let mut findings = match facts.session() {
        Some(session) => greeted(facts, session),
        None => vec![not_greeted(facts)],
    };
    if facts.here.is_a_commands {
        let what = "a command of a task has started this terminal, so nothing can be asked for or approved here";
        findings.push(Finding::fix(what, "use a terminal that you have opened yourself"));
    }
    let shell = facts.here.shell();
    findings.extend((shell == Some(Shell::Bash)).then(|| grey_in_bash(facts)));
    findings.extend(shell.and_then(|shell| started_twice(&facts.here.rc_files_of(shell).collect::<Vec<_>>())));
    findings
}

/// bash cannot draw behind the cursor; the proxy can, where it is certain of the line.
fn grey_in_bash(facts: &Facts) -> Finding {
    let has_ble = facts.session().is_some_and(|session| told(&session.facts, "enter") == "ble.sh");
    let is_old = facts.session().is_some_and(|session| session.shell_version.starts_with("4."));
    match (has_ble, facts.terminal.ours) {
        (true, _) => Finding::ok("grey text: left to ble.sh"),
        (false, true) if is_old => {
            Finding::note("grey text: none in this bash; our terminal draws it from bash 5.0 on")
        }
        (false, true) => Finding::ok(
            "grey text: drawn by our terminal around this bash, where the line is certain (`aside help shells`)",
        ),
        (false, false) if is_in_tmux(facts) => Finding::note(
            "grey text: none, since bash cannot draw it and our terminal does not start by itself in tmux",
        )
        .advise("`aside config set suggest.capture pty` starts it there too, in new shells"),
        (false, false) => Finding::note("grey text: none, since bash cannot draw it")
            .advise("`eval \"$(aside init bash --proxy)\"` at the top of ~/.bashrc has our terminal draw it"),
    }
}

/// In tmux the pane's pipe captures outputs, so that the `--proxy` line does nothing there.
fn is_in_tmux(facts: &Facts) -> bool {
    let is_left_to_tmux = matches!(facts.config.values.suggest.capture, Capture::Auto | Capture::Tmux);
    is_left_to_tmux && facts.variable("TMUX").is_some_and(|value| !value.is_empty())
}

fn greeted(facts: &Facts, session: &SessionStatus) -> Vec<Finding> {
    let told = |name: &str| told(&session.facts, name);
    if told("switched") == "off" {
        let what = format!("Aside is off in this {}, by aside-off", session.shell);
        return vec![Finding::note(what).advise("aside-on turns it on again")];
    }
    let loaded = [told("loaded before"), told("loaded after")];
    let mut findings = vec![plugin(session, &facts.program.version)];
    if session.shell != Shell::Zsh.name() {
        let does = format!("in {} it remembers commands, answers sentences and completes on keys", session.shell);
        findings.push(Finding::ok(does));
        return findings;
    }
    findings.extend(transport(told("transport")));
    findings.extend(no_replies(told("replies")));
    findings.extend(enter(told("enter"), told("enter by")));
    let is_told = |fact: &str| told("enter by").is_empty() || !fact.starts_with("taken key ^M=");
    findings.extend(session.facts.lines().filter(|fact| is_told(fact)).filter_map(taken));
    findings.push(names(session));
    findings.push(neighbours(loaded));
    findings.extend(ghost(loaded, &facts.config.values));
    findings.extend(silence(told("was silent")));
    findings
}

/// The value of a `name=value` line.
fn told<'a>(facts: &'a str, name: &str) -> &'a str {
    facts.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
}

fn plugin(session: &SessionStatus, program: &str) -> Finding {
    let SessionStatus { shell, shell_version, plugin_version, seen_s_ago, .. } = session;
    let keys = match told(&session.facts, "keys") {
        "" => String::new(),
        keys => format!(", {keys} keys"),
    };
    let ago = span(*seen_s_ago);
    let what = format!("Aside {plugin_version} is on in this {shell} {shell_version}{keys}, heard from {ago} ago");
    if plugin_version == program {
        Finding::ok(what)
    } else {
        Finding::note(what).advise(format!("open a new shell to have {program}"))
    }
}

fn transport(transport: &str) -> Option<Finding> {
    match transport {
        "" => None,
        "socket" => Some(Finding::ok("it speaks to the daemon over the socket")),
        "pipe" => {
            let what = "this zsh has no zsh/net/socket module, so a process of ours, `aside pipe`, relays for it";
            Some(Finding::note(what).advise("all works; with a zsh that has the module the process is not needed"))
        }
        other => Some(Finding::note(format!("it speaks to the daemon over {other}, which this version does not know"))),
    }
}

/// The plugin reached the daemon with what the doctor asks, but never read a reply.
fn no_replies(replies: &str) -> Option<Finding> {
    (replies == "none").then(|| {
        Finding::fix(
            "no reply of the daemon reaches this shell, so nothing is shown here",
            "see whether `ulimit -n` is low here; then open a new shell",
        )
    })
}

/// Whether the plugin sees lines when Enter is pressed. Reports only a problem. `by` is the widget on that key, and its file.
fn enter(enter: &str, by: &str) -> Option<Finding> {
    if enter != "bypassed" {
        return None;
    }
    let still = "sentences are still caught, but `reroute = \"offer\"` cannot stop one";
    Some(if by.is_empty() {
        Finding::note(
            "something else accepts lines in this shell, so the plugin looks at them when they are on their way",
        )
        .advise(format!("{still}; load Aside after other plugins"))
    } else {
        let whose = owner(by);
        Finding::note(format!("Enter does {whose}, so the plugin looks at lines only when they are on their way"))
            .advise(format!("{still}; `bindkey '^M' accept-line; aside-off; aside-on` gives Enter to Aside"))
    })
}

/// `widget file`, where the file may be unknown.
fn owner(by: &str) -> String {
    match by.split_once(' ').unwrap_or((by, "")) {
        (widget, "") => widget.to_owned(),
        (widget, file) => format!("{widget} of {file}"),
    }
}

/// A key or a hook that another plugin has taken since: `taken key ^I=widget file`.
fn taken(fact: &str) -> Option<Finding> {
    let (what, by) = fact.strip_prefix("taken ")?.split_once('=')?;
    let (kind, name) = what.split_once(' ')?;
    let widget = by.split(' ').next().unwrap_or(by);
    let whose = owner(by);
    if kind == "hook" {
        let hook = name.trim_start_matches("zle-");
        let what = format!("{whose} takes {name} again and again, so Aside is not called there");
        return Some(Finding::fix(
            what,
            format!("have it registered by `add-zle-hook-widget {hook} {widget}` instead"),
        ));
    }
    // Aside takes these only from the widget that is named here.
    let (key, usual) = match name {
        "^I" => ("Tab", ""),
        "^[[Z" => ("Shift-Tab", ""),
        "^M" | "^J" => ("Enter", "accept-line"),
        "^[[C" | "^[OC" => ("the right arrow", "forward-char"),
        "^[[F" | "^[OF" | "^[[4~" => ("End", "end-of-line"),
        "^[[1;2C" => ("Shift-→", ""),
        "^[[1;2D" => ("Shift-←", ""),
        "^[[1;2B" => ("Shift-↓", ""),
        "^[[A" | "^[OA" => ("the up arrow", ""),
        "^[[B" | "^[OB" => ("the down arrow", ""),
        "^P" => ("Ctrl-P", ""),
        "^N" => ("Ctrl-N", ""),
        "^[[200~" => ("a paste", ""),
        other => (other, ""),
    };
    let what = format!("{key} does {whose}: it was bound after Aside took it");
    let again = match usual {
        "" => "`aside-off; aside-on` puts Aside in front of it again".to_owned(),
        usual => format!("`bindkey '{name}' {usual}; aside-off; aside-on` gives it to Aside again"),
    };
    Some(Finding::note(what).advise(again))
}

fn names(SessionStatus { aliases, functions, variables, .. }: &SessionStatus) -> Finding {
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("one {one}"),
        _ => format!("{number} {many}"),
    };
    Finding::ok(format!(
        "it told the names of {}, {} and {}",
        count(*aliases, "alias", "aliases"),
        count(*functions, "function", "functions"),
        count(*variables, "variable", "variables")
    ))
}

fn neighbours([before, after]: [&str; 2]) -> Finding {
    let list = |names: &str| names.split_whitespace().collect::<Vec<_>>().join(", ");
    Finding::ok(match (list(before), list(after)) {
        (before, after) if before.is_empty() && after.is_empty() => {
            "no other plugin that it knows is loaded".to_owned()
        }
        (before, after) if after.is_empty() => format!("loaded before it: {before}; after it: nothing it knows"),
        (before, after) if before.is_empty() => format!("loaded before it: nothing it knows; after it: {after}"),
        (before, after) => format!("loaded before it: {before}; after it: {after}"),
    })
}

/// Which plugin draws the grey text.
fn ghost(loaded: [&str; 2], config: &Config) -> Option<Finding> {
    if !config.complete.enabled {
        let off = Finding::note("the grey text is off (complete.enabled)");
        return Some(off.advise("`aside config set complete.enabled true` turns it on"));
    }
    if !loaded.iter().any(|names| names.split_whitespace().any(|name| name == "zsh-autosuggestions")) {
        return None;
    }
    Some(match config.complete.autosuggestions {
        Autosuggestions::Replace => {
            Finding::ok("the grey text is Aside's; zsh-autosuggestions rests while Aside answers")
        }
        Autosuggestions::Yield => {
            let yields = Finding::note("the grey text is that of zsh-autosuggestions (complete.autosuggestions)");
            yields.advise("`aside config set complete.autosuggestions replace` shows Aside's")
        }
    })
}

/// Why the plugin fell silent. It is working again, or it could not have told the daemon.
fn silence(reason: &str) -> Option<Finding> {
    let (what, advice) = match reason {
        "" => return None,
        "no daemon" => return Some(Finding::ok("it was silent for a while: there was no daemon, and it started one")),
        "the daemon does not answer" => (
            "it was silent for a while: the daemon did not answer".to_owned(),
            "if it happens again, `aside daemon stop`; the next prompt starts a new one",
        ),
        "the program is gone" => (
            "it was silent for a while: the program was not where this shell looks for it".to_owned(),
            "open a new shell if you moved the program",
        ),
        other => (format!("it was silent for a while: {other}"), "open a new shell if it happens again"),
    };
    Some(Finding::note(what).advise(advice))
}

fn not_greeted(facts: &Facts) -> Finding {
    let Some(shell) = facts.here.shell() else {
        return Finding::note("this runs in no zsh, bash or fish, and SHELL names none")
            .advise("run `aside doctor` at a prompt");
    };
    let name = shell.name();
    if facts.variable("ASIDE_DISABLE").is_some_and(|value| !value.is_empty()) {
        return Finding::note(format!("Aside is off in this {name}: ASIDE_DISABLE is set"))
            .advise("unset it and open a new shell");
    }
    if facts.terminal.is_dumb() {
        return Finding::note(format!("Aside is off in this {name}: the terminal is dumb"));
    }
    let files: Vec<&RcFile> = facts.here.rc_files_of(shell).collect();
    let Some(file) = files.iter().find(|file| file.starts > 0) else {
        let place = files.first().map_or_else(|| format!("{name}'s rc file"), |file| file.path.display().to_string());
        return Finding::fix(
            format!("nothing starts Aside in {name}"),
            format!("add this line at the end of {place}, then open a new shell: {}", shell.init_line()),
        );
    };
    let file = file.path.display();
    match (shell, &facts.daemon.answer) {
        (Shell::Bash, _) => Finding::ok(format!(
            "{file} starts Aside; in bash it remembers commands, answers sentences and completes on keys"
        )),
        (Shell::Fish, _) => Finding::ok(format!(
            "{file} starts Aside; in fish it remembers commands, answers sentences and completes on keys"
        )),
        (Shell::Zsh, Answer::Alive(_)) if facts.here.nearest_shell() == Some(Shell::Zsh) => {
            // A new shell helps only one that is older than the line.
            let what = format!("{file} starts Aside, but it is not on in this zsh");
            let init = shell.init_line();
            Finding::fix(
                what,
                format!(
                    "open a new shell; if it is not on there either, {file} does not get to that line, and `{init}` typed here says why"
                ),
            )
        }
        (Shell::Zsh, Answer::Alive(_)) => Finding::ok(format!("{file} starts Aside; this does not run in a zsh")),
        (Shell::Zsh, Answer::Absent | Answer::Silent | Answer::Foreign | Answer::Impostor | Answer::Garbled) => {
            Finding::note(format!("{file} starts Aside; only the daemon could tell whether it is on here"))
        }
    }
}

fn started_twice(files: &[&RcFile]) -> Option<Finding> {
    if files.iter().map(|file| file.starts).sum::<usize>() < 2 {
        return None;
    }
    let files: Vec<String> =
        files.iter().filter(|file| file.starts > 0).map(|file| file.path.display().to_string()).collect();
    let what = format!("Aside is started more than once: {}", files.join(", "));
    Some(Finding::note(what).advise("that does no harm; one line is enough"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::{CurrentShell, Daemon, healthy};

    fn with_facts(told: &str) -> Facts {
        let mut facts = healthy();
        let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
        status.sessions[0].facts = told.to_owned();
        facts
    }

    fn without_session() -> Facts {
        let mut facts = healthy();
        let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
        status.sessions.clear();
        facts
    }

    #[test]
    fn a_shell_that_greeted_is_described() {
        assert_eq!(
            this_shell(&healthy()),
            [
                Finding::ok("Aside 1.2.3 is on in this zsh 5.9, emacs keys, heard from 1 s ago"),
                Finding::ok("it speaks to the daemon over the socket"),
                Finding::ok("it told the names of 3 aliases, one function and 20 variables"),
                Finding::ok("no other plugin that it knows is loaded"),
            ]
        );
    }

    #[test]
    fn a_plugin_of_another_version_wants_a_new_shell() {
        let mut facts = healthy();
        facts.program.version = "1.3.0".into();
        assert_eq!(
            this_shell(&facts)[0],
            Finding::note("Aside 1.2.3 is on in this zsh 5.9, emacs keys, heard from 1 s ago")
                .advise("open a new shell to have 1.3.0")
        );
    }

    #[test]
    fn a_relay_and_a_silence_are_explained() {
        let told = this_shell(&with_facts("transport=pipe\nwas silent=the daemon does not answer"));
        let texts: Vec<&str> = told.iter().map(|finding| finding.what.as_str()).collect();
        assert_eq!(
            texts[1..],
            [
                "this zsh has no zsh/net/socket module, so a process of ours, `aside pipe`, relays for it",
                "it told the names of 3 aliases, one function and 20 variables",
                "no other plugin that it knows is loaded",
                "it was silent for a while: the daemon did not answer",
            ]
        );
        assert_eq!((enter("wrapped", "mine /x"), enter("", "")), (None, None));
        assert!(this_shell(&with_facts("enter=bypassed"))[1].what.starts_with("something else accepts lines"));
        let told = "enter=bypassed\nenter by=my-enter(enter_fn) /home/me/my files/x.zsh\ntaken key ^M=my-enter /x";
        let named = this_shell(&with_facts(told));
        assert!(named[1].what.starts_with("Enter does my-enter(enter_fn) of /home/me/my files/x.zsh, so the plugin"));
        assert!(!format!("{named:?}").contains("it was bound after"), "it is named once");
        let unheard = this_shell(&with_facts("transport=socket\nreplies=none"));
        assert!(unheard[2].what.starts_with("no reply of the daemon reaches this shell"), "{unheard:?}");
        let normal = Finding::ok("it was silent for a while: there was no daemon, and it started one");
        assert_eq!(silence("no daemon"), Some(normal));
        assert_eq!(silence("").map(|finding| finding.what), None);
        assert_eq!(silence("of the lambs").unwrap().what, "it was silent for a while: of the lambs");
    }

    #[test]
    fn what_was_taken_is_named_with_its_owner_and_one_thing_to_do() {
        let told = "taken key ^I=my-tab /home/me/.zshrc\ntaken key ^[[C=mine \ntaken hook zle-line-init=mine /x.zsh";
        let again = "`aside-off; aside-on` puts Aside in front of it again";
        let found: Vec<Finding> = told.lines().filter_map(taken).collect();
        assert_eq!(
            found,
            [
                Finding::note("Tab does my-tab of /home/me/.zshrc: it was bound after Aside took it").advise(again),
                Finding::note("the right arrow does mine: it was bound after Aside took it")
                    .advise("`bindkey '^[[C' forward-char; aside-off; aside-on` gives it to Aside again"),
                Finding::fix(
                    "mine of /x.zsh takes zle-line-init again and again, so Aside is not called there",
                    "have it registered by `add-zle-hook-widget line-init mine` instead"
                ),
            ]
        );
        assert!(["", "enter=bypassed", "taken", "taken key", "taken =x"].iter().all(|fact| taken(fact).is_none()));
    }

    #[test]
    fn the_neighbours_are_named_and_who_shows_the_grey_text() {
        let mut facts = with_facts("loaded before=oh-my-zsh zsh-autosuggestions\nloaded after=fzf");
        let list = Finding::ok("loaded before it: oh-my-zsh, zsh-autosuggestions; after it: fzf");
        let ours = Finding::ok("the grey text is Aside's; zsh-autosuggestions rests while Aside answers");
        assert_eq!(this_shell(&facts)[2..], [list, ours]);
        facts.config.values.complete.autosuggestions = Autosuggestions::Yield;
        let yields = Finding::note("the grey text is that of zsh-autosuggestions (complete.autosuggestions)")
            .advise("`aside config set complete.autosuggestions replace` shows Aside's");
        assert_eq!(this_shell(&facts)[3], yields);
        facts.config.values.complete.enabled = false;
        assert_eq!(this_shell(&facts)[3].what, "the grey text is off (complete.enabled)");
        assert_eq!(neighbours(["", "fzf"]).what, "loaded before it: nothing it knows; after it: fzf");
        assert_eq!(neighbours(["fzf", ""]).what, "loaded before it: fzf; after it: nothing it knows");
    }

    #[test]
    fn without_the_line_the_line_is_given() {
        let mut facts = without_session();
        facts.here.rc_files[0].starts = 0;
        let advice = r#"add this line at the end of /home/me/.zshrc, then open a new shell: eval "$(aside init zsh)""#;
        assert_eq!(this_shell(&facts), [Finding::fix("nothing starts Aside in zsh", advice)]);
    }

    #[test]
    fn with_the_line_a_new_shell_is_wanted_where_that_helps() {
        let judge = |facts: &Facts| this_shell(facts).remove(0);
        let mut facts = without_session();
        let off = judge(&facts);
        assert_eq!(off.what, "/home/me/.zshrc starts Aside, but it is not on in this zsh");
        assert!(format!("{off:?}").contains("/home/me/.zshrc does not get to that line"), "{off:?}");
        facts.here.ancestors.clear();
        assert_eq!(judge(&facts), Finding::ok("/home/me/.zshrc starts Aside; this does not run in a zsh"));
        facts.daemon = Daemon { answer: Answer::Absent, ..facts.daemon };
        assert_eq!(
            judge(&facts),
            Finding::note("/home/me/.zshrc starts Aside; only the daemon could tell whether it is on here")
        );
    }

    #[test]
    fn a_terminal_of_a_command_is_named() {
        let mut facts = without_session();
        let is_said = |facts: &Facts| format!("{:?}", this_shell(facts)).contains("a command of a task has started");
        assert!(!is_said(&facts));
        facts.here.is_a_commands = true;
        assert!(is_said(&facts));
    }

    #[test]
    fn bash_and_fish_need_not_greet_and_that_is_no_fault() {
        let mut facts = without_session();
        facts.here.ancestors[1].name = "bash".into();
        facts.here.rc_files.push(RcFile { shell: Shell::Bash, path: "/home/me/.bashrc".into(), starts: 1 });
        assert_eq!(
            this_shell(&facts),
            [
                Finding::ok(
                    "/home/me/.bashrc starts Aside; in bash it remembers commands, answers sentences and completes on keys"
                ),
                grey_in_bash(&facts)
            ]
        );
        assert_eq!(grey_in_bash(&facts).what, "grey text: none, since bash cannot draw it");
        facts.environment.push(("TMUX".into(), "/tmp/tmux-0/default,1,0".into()));
        assert!(format!("{:?}", grey_in_bash(&facts)).contains("suggest.capture pty"));
        facts.terminal.ours = true;
        assert!(grey_in_bash(&facts).what.starts_with("grey text: drawn by our terminal"));
    }

    #[test]
    fn of_a_bash_that_has_asked_something_only_what_it_has_is_told() {
        let mut facts = healthy();
        facts.here.ancestors.iter_mut().for_each(|process| process.name = "bash".into());
        if let Answer::Alive(status) = &mut facts.daemon.answer {
            let session = &mut status.sessions[0];
            (session.shell, session.shell_version) = ("bash".into(), "5.2".into());
            session.facts = "keys=vi\nenter=ours".to_owned();
        }
        let on = "Aside 1.2.3 is on in this bash 5.2, vi keys, heard from 1 s ago";
        let does = "in bash it remembers commands, answers sentences and completes on keys";
        assert_eq!(this_shell(&facts), [Finding::ok(on), Finding::ok(does), grey_in_bash(&facts)]);
    }

    #[test]
    fn a_shell_that_was_told_to_leave_it_off_is_no_fault() {
        let mut facts = without_session();
        facts.terminal.term = Some("dumb".into());
        assert_eq!(this_shell(&facts), [Finding::note("Aside is off in this zsh: the terminal is dumb")]);
        facts.environment.push(("ASIDE_DISABLE".into(), "1".into()));
        let disabled = Finding::note("Aside is off in this zsh: ASIDE_DISABLE is set");
        assert_eq!(this_shell(&facts), [disabled.advise("unset it and open a new shell")]);
    }

    #[test]
    fn no_shell_at_all_is_said() {
        let mut facts = without_session();
        facts.here = CurrentShell { ancestors: vec![], is_a_commands: false, login_shell: None, rc_files: vec![] };
        assert_eq!(this_shell(&facts)[0].what, "this runs in no zsh, bash or fish, and SHELL names none");
    }

    #[test]
    fn two_lines_are_one_too_many() {
        let mut facts = healthy();
        facts.here.rc_files[0].starts = 2;
        assert_eq!(this_shell(&facts).pop().unwrap().what, "Aside is started more than once: /home/me/.zshrc");
    }
}
