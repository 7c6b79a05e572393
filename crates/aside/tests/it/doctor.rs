//! `aside doctor` on real homes: what it finds, what it advises, and what it does not reveal.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vt100::Color;

use crate::harness::home::{self, Home, Said};
use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;

/// The findings of a section as `mark what`, in order.
fn findings(report: &Value, section: &str) -> Vec<String> {
    let sections = report["sections"].as_array().unwrap();
    let section = sections.iter().find(|candidate| candidate["name"] == section);
    let findings = section.map(|section| section["findings"].as_array().unwrap().as_slice()).unwrap_or_default();
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
    findings.iter().map(|finding| format!("{} {}", text(finding, "mark"), text(finding, "what"))).collect()
}

#[track_caller]
fn parsed(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("not JSON ({error}): {said:?}"))
}

/// Runs the doctor at the scene's prompt, through a file: the screen would truncate long lines.
#[track_caller]
fn doctor(scene: &mut Scene) -> Value {
    scene.runs("aside doctor --json > report.json");
    serde_json::from_str(&scene.home.read("report.json")).unwrap()
}

/// The first prompt appears before the daemon has answered.
#[track_caller]
fn wait_for_greeting(scene: &Scene) {
    let mut wire = scene.wire();
    let deadline = Instant::now() + patience();
    while wire.json(json!({ "type": "status" }))["sessions"] == json!([]) {
        assert!(Instant::now() < deadline, "the shell did not greet the daemon");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn is_well(report: &Value) -> bool {
    !report.to_string().contains(r#""mark":"fix""#)
}

#[track_caller]
fn assert_found(report: &Value, section: &str, wanted: &str) {
    let found = findings(report, section);
    assert!(found.iter().any(|line| line.contains(wanted)), "no {wanted:?} in {found:#?}");
}

/// Every zsh module except `zsh/net/socket`.
fn modules_without_sockets(home: &Path) -> PathBuf {
    let said = home::run(std::process::Command::new("zsh").args(["-fc", "print -r -- $module_path[1]"]), "");
    let installed = PathBuf::from(said.stdout.trim());
    let ours = home.join("modules");
    let mut dirs = vec![PathBuf::from("zsh")];
    while let Some(dir) = dirs.pop() {
        std::fs::create_dir_all(ours.join(&dir)).unwrap();
        for entry in std::fs::read_dir(installed.join(&dir)).unwrap() {
            let path = dir.join(entry.unwrap().file_name());
            if installed.join(&path).is_dir() {
                dirs.push(path);
            } else if !path.ends_with("net/socket.so") {
                std::os::unix::fs::symlink(installed.join(&path), ours.join(&path)).unwrap();
            }
        }
    }
    ours
}

#[test]
fn a_fresh_home_is_told_its_first_steps_and_stays_as_it_is() {
    let mut home = Home::new();
    home.set_env("SHELL", "/bin/zsh");
    let before = files(&home.path(""));
    let said = home.aside(&["doctor"]);
    assert_eq!(said.code, 1, "{}", said.stdout);
    let out = &said.stdout;
    assert!(out.contains("  note  it is not running\n"), "{out}");
    assert!(out.contains("  fix   there is no history yet in ~/.local/share/aside/history.db"), "{out}");
    assert!(out.contains("        → add this line at the end of ~/."), "{out}");
    assert!(out.ends_with("2 things need doing: see fix above.\n"), "{out}");
    assert_eq!(files(&home.path("")), before);
    assert!(!home.socket().exists(), "a daemon was started");
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { [files(&path), vec![path]].concat() } else { vec![path] }).collect();
    files.sort();
    files
}

#[test]
fn a_zsh_with_aside_needs_nothing() {
    let mut scene = Scene::zsh().history(&["git stash pop", "git status --short"]).start();
    wait_for_greeting(&scene);
    let report = doctor(&mut scene);
    assert!(is_well(&report), "{report:#}");
    assert_found(&report, "this shell", &format!("ok Aside {} is on in this zsh", env!("CARGO_PKG_VERSION")));
    assert_found(&report, "this shell", "ok it speaks to the daemon over the socket");
    assert_found(&report, "daemon", "ok its version is ours");
    assert_found(&report, "daemon", "µs (median)");
    assert_found(&report, "daemon", "aside.sock, mode 0600, yours");
    assert_found(&report, "history", "records in ~/.local/share/aside/history.db");
    assert_eq!(scene.runs("aside doctor > report.txt; echo $?"), "0");
    assert!(scene.home.read("report.txt").ends_with("\nNothing needs doing.\n"));
}

#[test]
fn what_was_typed_and_where_you_live_are_not_in_it() {
    let mut scene = Scene::zsh().history(&["open sesame"]).start();
    wait_for_greeting(&scene);
    scene.runs("true abracadabra");
    for command in ["aside doctor > report", "aside doctor --json > report"] {
        scene.runs(command);
        let report = scene.home.read("report");
        let home = scene.home.path("").display().to_string();
        for secret in ["sesame", "abracadabra", home.trim_end_matches('/')] {
            assert!(!report.contains(secret), "{secret} is in {report}");
        }
    }
}

#[test]
fn neighbours_are_named_on_the_side_they_were_loaded() {
    let mut scene = Scene::zsh()
        .rc_before("_zsh_autosuggest_start() { }")
        .rc_after("p10k() { }")
        .history(&["git status --short"])
        .config("complete.autosuggestions = 'yield'\n")
        .start();
    wait_for_greeting(&scene);
    let report = doctor(&mut scene);
    assert_found(&report, "this shell", "ok loaded before it: zsh-autosuggestions; after it: powerlevel10k");
    assert_found(&report, "this shell", "note the grey text is that of zsh-autosuggestions");
    assert_found(&report, "configuration", "changes complete.autosuggestions");
}

#[test]
fn a_key_that_another_took_is_named_with_its_owner_and_can_be_taken_back() {
    let rc = "my-tab() { zle complete-word }; zle -N my-tab";
    let mut scene = Scene::zsh().rc(rc).history(&["git status --short"]).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    let is_taken =
        |report: &Value| findings(report, "this shell").iter().any(|line| line.contains("it was bound after"));
    assert!(!is_taken(&doctor(&mut scene)));
    scene.runs("bindkey '^I' my-tab");
    assert_found(
        &doctor(&mut scene),
        "this shell",
        "note Tab does my-tab of ~/.zshrc: it was bound after Aside took it",
    );
    scene.runs("aside-off; aside-on");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    assert!(!is_taken(&doctor(&mut scene)));
}

/// zinit loads plugins after the prompt, and zsh-vi-mode changes the keys there.
#[test]
fn plugins_and_keys_are_told_as_they_are_when_it_is_asked() {
    let mut scene = Scene::zsh().history(&["git status --short"]).start();
    wait_for_greeting(&scene);
    for _ in 0..3 {
        scene.runs("true");
    }
    assert_found(&doctor(&mut scene), "this shell", "no other plugin that it knows is loaded");
    // fast-syntax-highlighting has functions of zsh-syntax-highlighting, and zinit one of prezto.
    scene.runs("_zsh_highlight() { }; fast-theme() { }; zinit() { }; pmodload() { ZINIT_ICE=() }");
    assert_found(&doctor(&mut scene), "this shell", "nothing it knows; after it: fast-syntax-highlighting, zinit");
    scene.runs("unfunction zinit; pmodload() { : }; _zsh_highlight_load_highlighters() { }; bindkey -v");
    let report = doctor(&mut scene);
    let loaded = "nothing it knows; after it: zsh-syntax-highlighting, fast-syntax-highlighting, prezto";
    assert_found(&report, "this shell", loaded);
    assert_found(&report, "this shell", ", vi keys, heard");
    scene.runs("bindkey -e");
    scene.runs("true; aside doctor --json > report.json");
    let report = serde_json::from_str(&scene.home.read("report.json")).unwrap();
    assert_found(&report, "this shell", ", emacs keys, heard");
}

#[test]
fn an_enter_that_is_not_ours_is_named_with_its_function_and_file() {
    let rc = "enter_fn() { zle accept-line }; zle -N my-enter enter_fn";
    let early = format!("{rc}; bindkey '^M' my-enter");
    for (rc, line) in [(rc, "bindkey '^M' my-enter"), (&*early, "true")] {
        let mut scene = Scene::zsh().rc_before(rc).history(&["git status --short"]).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.runs(line);
        scene.runs("true");
        let report = doctor(&mut scene);
        assert_found(&report, "this shell", "note Enter does my-enter(enter_fn) of ~/.zshrc, so the plugin looks");
        scene.runs("bindkey '^M' accept-line; aside-off; aside-on");
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.runs("true");
        let found = findings(&doctor(&mut scene), "this shell");
        assert!(!found.iter().any(|line| line.contains("on their way")), "{found:#?}");
    }
}

#[test]
fn a_function_that_is_still_to_be_loaded_is_named_with_its_file() {
    let rc = "mkdir -p ~/fns; print 'zle complete-word' >~/fns/late-tab; fpath+=(~/fns); autoload -Uz late-tab; zle -N late-tab";
    let mut scene = Scene::zsh().rc(rc).history(&["git status --short"]).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("bindkey '^I' late-tab");
    assert_found(&doctor(&mut scene), "this shell", "note Tab does late-tab of ~/fns/late-tab: it was bound after");
}

#[test]
fn with_few_descriptors_the_grey_text_is_shown_all_the_same() {
    let mut scene = Scene::zsh().rc_before("ulimit -n 16").history(&["git status --short"]).start();
    for _ in 0..12 {
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.runs("true");
    }
    assert!(!findings(&doctor(&mut scene), "this shell").iter().any(|line| line.contains("no reply")));
}

#[test]
fn a_hook_that_another_takes_at_every_prompt_is_named_with_its_owner() {
    let rc = "mine() { : }; take() { zle -N zle-line-init mine }; precmd_functions+=(take)";
    let mut scene = Scene::zsh().rc(rc).history(&["git status --short"]).start();
    let taken = "fix mine of ~/.zshrc takes zle-line-init again and again";
    // When keys arrive faster than prompts, the plugin does not check its hooks at every prompt.
    let report = (0..5).map(|_| {
        (0..45).for_each(|_| drop(scene.runs("true")));
        doctor(&mut scene)
    });
    let is_found = |report: &Value| findings(report, "this shell").iter().any(|line| line.starts_with(taken));
    assert!(report.into_iter().any(|report| is_found(&report)), "doctor does not say: {taken}");
}

#[test]
fn a_zsh_without_the_line_is_given_it_and_one_with_it_is_told_to_open_a_new_one() {
    let mut scene = Scene::zsh().without_aside().start();
    scene.home.aside_does(&["daemon", "start"]);
    assert_found(&doctor(&mut scene), "this shell", "fix nothing starts Aside in zsh");
    let line = r#"eval "$(aside init zsh)""#;
    scene.home.write(".zshrc", format!("{line}\n{line}\n"));
    let report = doctor(&mut scene);
    assert_found(&report, "this shell", "fix ~/.zshrc starts Aside, but it is not on in this zsh");
    assert_found(&report, "this shell", "note Aside is started more than once: ~/.zshrc");
}

#[test]
fn bash_and_fish_are_well_with_the_line_alone() {
    for stage in [Scene::bash(), Scene::fish()] {
        let mut scene = stage.history(&["echo once"]).start();
        let report = doctor(&mut scene);
        assert!(is_well(&report), "{report:#}");
        assert_found(&report, "this shell", "completes on keys");
    }
}

#[test]
fn a_zsh_without_sockets_is_explained() {
    let stage = Scene::zsh().history(&["git status --short"]);
    let temp = tempfile::tempdir().unwrap();
    let modules = modules_without_sockets(temp.path());
    let mut scene = stage.rc_before(&format!("module_path=({})", modules.display())).start();
    wait_for_greeting(&scene);
    let report = doctor(&mut scene);
    assert!(is_well(&report), "{report:#}");
    assert_found(&report, "this shell", "note this zsh has no zsh/net/socket module");
}

#[test]
fn a_wrong_configuration_is_listed_line_by_line() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "[complete]\nright_arow = 'word'\nenabled = 3\n");
    let said = home.aside(&["doctor", "--json"]);
    assert_eq!(said.code, 1);
    assert_eq!(
        findings(&parsed(&said), "configuration"),
        [
            "fix ~/.config/aside/config.toml:2: unknown key complete.right_arow; did you mean complete.right_arrow?",
            "fix ~/.config/aside/config.toml:3: complete.enabled must be true or false, not 3",
        ]
    );
}

#[test]
fn settings_and_rules_that_others_can_write_to_are_not_obeyed() {
    let home = Home::new();
    let chmod = |name: &str, mode| {
        std::fs::set_permissions(home.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let (config, rules) = (".config/aside/config.toml", ".config/aside/rules.toml");
    home.write(config, "[complete]\nmax_candidates = 7\n");
    home.write(rules, "[[allow]]\nprogram = 'ls'\n");
    chmod(config, 0o666);
    chmod(rules, 0o666);
    let report = parsed(&home.aside(&["doctor", "--json"]));
    let what = "~/.config/aside/config.toml is not read: other users can write to ~/.config/aside/config.toml";
    assert_eq!(findings(&report, "configuration"), [format!("fix {what}: every setting has its default")]);
    assert!(report.to_string().contains("`chmod go-w ~/.config/aside/config.toml`"), "{report:#}");
    assert!(report.to_string().contains("your rules, the file is not read: other users"), "{report:#}");
    assert_ne!(home.aside(&["config", "get", "complete.max_candidates"]).code, 0);
    // What is in the directory could be replaced, too.
    chmod(config, 0o600);
    chmod(".config/aside", 0o777);
    assert_ne!(home.aside(&["config", "get", "complete.max_candidates"]).code, 0);
    chmod(".config/aside", 0o755);
    assert_eq!(home.aside_does(&["config", "get", "complete.max_candidates"]).stdout.trim(), "7");
    // Dotfiles are often links.
    home.write("dotfiles/config.toml", "[complete]\nmax_candidates = 8\n");
    std::fs::remove_file(home.path(config)).unwrap();
    std::os::unix::fs::symlink("../../dotfiles/config.toml", home.path(config)).unwrap();
    assert_eq!(home.aside_does(&["config", "get", "complete.max_candidates"]).stdout.trim(), "8");
}

#[test]
fn a_damaged_history_is_found_and_left_alone_and_what_was_set_aside_is_noted() {
    let home = Home::new();
    let path = ".local/share/aside/history.db";
    home.write(path, "garbage, and plenty of it ".repeat(100));
    let said = home.aside(&["doctor", "--json"]);
    assert_eq!(said.code, 1);
    assert_found(&parsed(&said), "history", "fix the history cannot be read: could not read ~/.local/share/aside/");
    assert!(home.read(path).starts_with("garbage"));
    home.write(".zsh_history", "ls\n");
    home.aside_does(&["history", "import", "zsh", &home.path(".zsh_history").display().to_string()]);
    let report = parsed(&home.aside(&["doctor", "--json"]));
    assert_found(&report, "history", "ok one record in ~/.local/share/aside/history.db");
    assert_found(&report, "history", "note a damaged history was set aside: ~/.local/share/aside/history.db.corrupt-");
}

#[test]
fn a_daemon_that_was_killed_leaves_a_socket_that_is_explained() {
    let home = Home::new();
    home.aside_does(&["daemon", "start"]);
    let running = parsed(&home.aside(&["doctor", "--json"]));
    assert_found(&running, "daemon", "ok running for");
    let pid = home.wire().json(json!({ "type": "status" }))["pid"].as_i64().unwrap();
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    while home::is_running(pid) {
        std::thread::yield_now();
    }
    let report = parsed(&home.aside(&["doctor", "--json"]));
    assert_found(&report, "daemon", "note it is not running");
    assert_found(&report, "daemon", "is left over from a daemon that has gone");
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let home = Home::new();
    assert!(!home.aside(&["doctor"]).stdout.contains('\x1b'), "a pipe");
    let coloured = |stage: Setup| {
        let mut scene = stage.without_aside().size(60, 160).start();
        scene.runs("aside doctor");
        let screen = scene.screen();
        let mut spans = (0..screen.size().0).flat_map(|row| screen.spans(row));
        spans.any(|span| span.style.fg != Color::Default)
    };
    assert!(coloured(Scene::zsh()));
    assert!(!coloured(Scene::zsh().env("NO_COLOR", "1")));
    assert!(!coloured(Scene::zsh().env("TERM", "dumb")));
}
