//! Rules that the compiler cannot check, applied by reading the source tree. Each is a pure function with a test that shows it can
//! fail; the tests at the top apply them to the actual tree.

use std::path::{Path, PathBuf};

use crate::harness::home::{self, Home};
use crate::tidy::source::Source;

mod behaviours;
mod direction;
mod functions;
mod links;
mod map;
mod requirements;
mod source;
mod words;

/// Tests are not counted.
const LONGEST_FILE: usize = 800;

/// The only file that starts a process, and those that belong to it.
const STARTER: &str = "crates/aside/src/exec.rs";
const STARTERS: &str = "crates/aside/src/exec/";

/// The crates that do I/O. Every other one takes values and returns values.
const ACTING: [&str; 4] = ["crates/aside/", "crates/aside-relay/", "crates/aside-reader/", "crates/aside-fuzz/"];

/// What reads texts of any length.
const READERS: [&str; 9] = [
    "aside_redact",
    "aside_core",
    "aside_translate",
    "aside_model_output",
    "aside_text::markdown",
    "aside_text::screen",
    "aside_task::run",
    "aside_task::diff",
    "aside_task::redact_log",
];

#[test]
fn imports_go_one_way() {
    let core = files("crates/aside-core/src", ".rs");
    let aside = files("crates/aside/src", ".rs");
    let commands = files("crates/aside-commands/src", ".rs");
    complain(direction::wrong_imports(&core, &direction::CORE));
    complain(direction::wrong_imports(&commands, &direction::COMMANDS));
    complain(direction::wrong_imports(&aside, &direction::ASIDE));
    let pure = production().into_iter().filter(|file| !ACTING.iter().any(|name| file.path.starts_with(name)));
    complain(pure.flat_map(|file| direction::acts(&file)));
}

#[test]
fn one_file_starts_processes() {
    complain(production().iter().flat_map(starts_process));
}

#[test]
fn no_text_is_read_where_requests_wait() {
    complain(production().iter().flat_map(reads_where_requests_wait));
}

#[test]
fn errors_are_cleaned_before_they_are_printed() {
    complain(production().iter().flat_map(prints_uncleaned));
}

#[test]
fn files_say_what_they_decide_and_stay_short() {
    complain(rust().iter().flat_map(badly_kept));
}

#[test]
fn functions_stay_short() {
    complain(functions::too_long(&production()));
}

#[test]
fn comments_have_plain_words() {
    complain(rust().iter().flat_map(words::in_rust));
    let scripts = [".zsh", ".bash", ".fish"].map(|shell| files("crates/aside/shell", shell)).concat();
    complain(scripts.iter().flat_map(words::in_shell));
    let pages = [files("crates/aside/web", ".js"), files("editors/vscode/src", ".ts")].concat();
    complain(pages.iter().flat_map(words::in_rust));
}

#[test]
fn nothing_is_left_for_later() {
    complain(rust().iter().flat_map(left_for_later));
}

#[test]
fn shell_files_are_valid_as_they_stand() {
    for shell in ["zsh", "bash", "fish"] {
        complain(files("crates/aside/shell", &format!(".{shell}")).iter().flat_map(|file| invalid_shell(shell, file)));
    }
    complain(files("crates/aside/shell", ".bash").iter().flat_map(unreadable_in_old_bash));
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let reasons = std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    complain(unexplained_dependencies(&manifest, &reasons));
}

#[test]
fn the_map_of_the_architecture_names_every_folder_and_no_other() {
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    complain(map::wrong_map(&architecture, &map::folders(&root())));
}

#[test]
fn every_scene_is_played_after_some_change() {
    let list = std::fs::read_to_string(root().join("scripts/scenes-of.txt")).unwrap();
    let main = std::fs::read_to_string(root().join("crates/aside/tests/it/main.rs")).unwrap();
    let scenes = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let scenes = scenes.filter(|name| !["harness", "model"].contains(name)).map(str::to_owned).collect();
    let tree: Vec<String> = behaviours::TREES.iter().flat_map(|tree| behaviours::files(&root(), tree)).collect();
    complain(behaviours::untrue(&list, &scenes, &tree));
}

#[test]
fn every_requirement_names_the_test_that_holds_it() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let tests = requirements::tests(&rust());
    complain(requirements::untrue(&read("docs/requirements.md"), &read("docs/compat.md"), &tests));
}

#[test]
fn every_shell_has_what_its_table_says() {
    let read = |page: &str| std::fs::read_to_string(root().join(page)).unwrap();
    let tests = requirements::tests(&rust());
    complain(requirements::untrue_of_shells(&read("docs/shells.md"), &read("README.md"), &tests));
}

#[test]
fn every_link_of_the_pages_leads_somewhere() {
    let at_root = ["README.md", "ARCHITECTURE.md", "STYLE.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"];
    let read =
        |path: &&str| Source { path: (*path).to_owned(), text: std::fs::read_to_string(root().join(path)).unwrap() };
    let pages: Vec<Source> = files("docs", ".md").into_iter().chain(at_root.iter().map(read)).collect();
    assert!(pages.len() > 20, "{} pages", pages.len());
    complain(pages.iter().flat_map(|page| links::dead(page, &root())));
    let index = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    complain(links::unlisted(&index, &files("docs", ".md")));
}

fn starts_process(source: &Source) -> Vec<String> {
    if source.path == STARTER || source.path.starts_with(STARTERS) || source.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    let names = source.paths().into_iter().map(|path| path.join("::"));
    let starting = names.filter(|name| {
        name.contains("Command::new") || name.contains("process::Command") || name.starts_with("tokio::process")
    });
    starting.map(|name| format!("{}: only exec.rs starts processes, not `{name}`", source.path)).collect()
}

/// A file of the daemon that knows a reader has to say how long the texts of a task are: `text_work::spawn` asks for it. The handlers of
/// requests are called by `daemon/dispatch.rs` alone, which says so for all of them.
fn reads_where_requests_wait(source: &Source) -> Vec<String> {
    const DAEMON: &str = "crates/aside/src/daemon";
    let is_daemon = source.path.starts_with(DAEMON) && !source.path.ends_with("/tests.rs");
    let names: Vec<String> = source.paths().into_iter().map(|path| path.join("::")).collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted || name.starts_with(&format!("{wanted}::")));
    let mut wrong = Vec::new();
    if is_daemon && READERS.into_iter().any(has) && has("tokio::spawn") {
        wrong.push(format!("{}: it knows a reader of texts, so it starts tasks with `text_work::spawn`", source.path));
    }
    if source.path == format!("{DAEMON}/dispatch.rs") && !has("text_work::apart") {
        wrong.push(format!("{}: handlers are called through `text_work::apart`", source.path));
    }
    wrong
}

fn prints_uncleaned(source: &Source) -> Vec<String> {
    let is_test = source.path.ends_with("/tests.rs");
    let prints = source.code().lines().any(|line| line.trim_start().starts_with("eprintln!("));
    let wrong = prints && !is_test && source.path.starts_with("crates/aside/src/");
    wrong.then(|| format!("{}: use `complain!`, which removes escape sequences", source.path)).into_iter().collect()
}

fn badly_kept(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    if !source.text.starts_with("//! ") {
        wrong.push(format!("{}: the first line must say, after `//!`, what the file decides", source.path));
    }
    let lines = source.code().lines().count();
    if lines > LONGEST_FILE {
        wrong.push(format!("{}: {lines} lines; split it before {LONGEST_FILE}", source.path));
    }
    wrong
}

fn left_for_later(source: &Source) -> Vec<String> {
    // Its tests too: skipped tests are what this rule looks for.
    let whole = Source { path: source.path.clone(), text: source.text.replace("#[cfg(test)]", "") };
    let code: String = whole.code().split_whitespace().collect();
    let found = ["todo!(", "unimplemented!(", "#[ignore"].into_iter().filter(|word| code.contains(word));
    found.map(|word| format!("{}: has `{word}`", source.path)).collect()
}

/// The shell's own complaint, if any. It reads the text from its standard input.
fn invalid_shell(shell: &str, source: &Source) -> Option<String> {
    let home = Home::new();
    let said = home::run(home.command(shell).arg("-n"), &source.text);
    let complaint = format!("{}: {shell} -n says: {}{}", source.path, said.stdout, said.stderr);
    (said.code != 0 || !said.stderr.is_empty()).then_some(complaint)
}

/// bash 3.2, that of macOS, takes the `)` of a pattern inside of `$( )` for the end of the substitution, and complains at every start of a
/// shell, though nothing of ours works there. `(pattern)` is read by all.
fn unreadable_in_old_bash(source: &Source) -> Vec<String> {
    let (mut inside, mut in_case) = (false, false);
    let mut found = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        let code = line.trim();
        match code {
            _ if code.ends_with("$(") => inside = true,
            _ if inside && code.starts_with(')') => inside = false,
            _ if code.starts_with("case ") && code.ends_with(" in") => in_case = true,
            "esac" => in_case = false,
            _ if inside && in_case && code.contains(')') && code.contains(";;") && !code.starts_with('(') => {
                found.push(format!("{}:{}: bash 3.2 does not read this pattern", source.path, number + 1));
            }
            _ => {}
        }
    }
    found
}

/// The bold name counts, so that a mention elsewhere on the page does not.
fn unexplained_dependencies(manifest: &str, reasons: &str) -> Vec<String> {
    let manifest: toml_edit::DocumentMut = manifest.parse().unwrap();
    let dependencies = manifest["workspace"]["dependencies"].as_table_like().unwrap().iter();
    let dependencies = dependencies.filter(|(_, value)| value.get("path").is_none()).map(|(name, _)| name);
    let missing = dependencies.filter(|name| !reasons.contains(&format!("**{name}**")));
    missing.map(|name| format!("docs/dependencies.md does not say what `{name}` is for")).collect()
}

#[track_caller]
fn complain(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn files(dir: &str, ending: &str) -> Vec<Source> {
    source::files(&root(), dir, ending)
}

fn production() -> Vec<Source> {
    rust().into_iter().filter(|file| file.path.split('/').nth(2) == Some("src")).collect()
}

fn rust() -> Vec<Source> {
    files("crates", ".rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Source {
        Source { path: "crates/aside/src/client.rs".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn an_error_that_is_not_cleaned_is_found() {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let prints = "fn f() {\n    eprintln!(\"{name}\");\n}\n";
        assert_eq!(prints_uncleaned(&source("crates/aside/src/cli/x.rs", prints)).len(), 1);
        assert_eq!(prints_uncleaned(&source("crates/aside/src/cli/tests.rs", prints)), Vec::<String>::new());
        assert_eq!(prints_uncleaned(&source("crates/aside/src/cli/x.rs", "complain!(\"x\");")), Vec::<String>::new());
    }

    #[test]
    fn a_process_started_elsewhere_is_found() {
        assert_eq!(starts_process(&file("use std::process::ExitCode; // Command::new")), Vec::<String>::new());
        assert_eq!(starts_process(&file("fn f() { Command::new(\"ls\"); }")).len(), 1);
        assert_eq!(starts_process(&file("use std::process::{Command, Stdio};")).len(), 1);
        assert_eq!(starts_process(&file("use tokio::process;")).len(), 1);
        let starter = Source { path: STARTER.to_owned(), text: "use std::process::Command;".to_owned() };
        assert_eq!(starts_process(&starter), Vec::<String>::new());
    }

    #[test]
    fn a_text_that_is_read_where_requests_wait_is_found() {
        let source = |text: &str| {
            let path = "crates/aside/src/daemon/x.rs".to_owned();
            reads_where_requests_wait(&Source { path, text: text.to_owned() }).len()
        };
        assert_eq!(source("use aside_redact::redact;\nfn f() { tokio::spawn(g()); }"), 1);
        assert_eq!(source("use aside_redact::redact;\nfn f() { text_work::spawn(text_work::UNKNOWN, g()); }"), 0);
        assert_eq!(source("fn f() { tokio::spawn(g()); }"), 0);
        let path = "crates/aside/src/daemon/dispatch.rs".to_owned();
        assert_eq!(reads_where_requests_wait(&Source { path, text: "fn f() {}".to_owned() }).len(), 1);
    }

    #[test]
    fn a_file_without_a_purpose_or_an_end_is_found() {
        let long = "//! Long.\n".to_owned() + &"\n".repeat(LONGEST_FILE);
        assert_eq!(badly_kept(&file(&long)).len(), 1);
        assert_eq!(badly_kept(&file(&long.replacen("\n\n", "\n#[cfg(test)]\n", 1))), Vec::<String>::new());
        assert_eq!(badly_kept(&file("// Not a purpose.\n")).len(), 1);
    }

    #[test]
    fn what_is_left_for_later_is_found() {
        assert_eq!(left_for_later(&file("// todo!() and #[ignore]\n\"unimplemented!(\"")), Vec::<String>::new());
        assert_eq!(left_for_later(&file("fn f() { todo!() }")).len(), 1);
        assert_eq!(left_for_later(&file("fn f() { unimplemented!(\"x\") }")).len(), 1);
        assert_eq!(
            left_for_later(&file("#[cfg(test)]\nmod tests { #[ignore = \"slow\"] #[test] fn f() {} }")).len(),
            1
        );
    }

    #[test]
    fn a_broken_shell_file_is_found() {
        for (shell, good, bad) in [
            ("zsh", "f() { print -r -- ${(q)1} }\n", "if true; then\n"),
            ("bash", "f() { local x=$1; }\n", "f() { (\n"),
            ("fish", "function f\nend\n", "function f\n"),
        ] {
            assert_eq!(invalid_shell(shell, &file(good)), None);
            assert!(invalid_shell(shell, &file(bad)).is_some(), "{shell} takes {bad:?}");
        }
    }

    #[test]
    fn a_pattern_that_old_bash_does_not_read_is_found() {
        let text = |pattern: &str| file(&format!("x=$(\n  case $1 in\n    {pattern} echo b ;;\n  esac\n)\n"));
        assert_eq!(unreadable_in_old_bash(&text("(a)")), Vec::<String>::new());
        assert_eq!(unreadable_in_old_bash(&text("a)")).len(), 1);
        assert_eq!(unreadable_in_old_bash(&file("case $1 in\n  a) echo b ;;\nesac\n")), Vec::<String>::new());
    }

    #[test]
    fn an_unexplained_dependency_is_found() {
        let manifest = "[workspace.dependencies]\nserde = \"1\"\nserde_json = { version = \"1\" }\n";
        assert_eq!(unexplained_dependencies(manifest, "**serde**: x. **serde_json**: y."), Vec::<String>::new());
        assert_eq!(
            unexplained_dependencies(manifest, "**serde**, serde_json"),
            ["docs/dependencies.md does not say what `serde_json` is for"]
        );
    }
}
