//! The code that a failed test is about, with what was changed in it since the last commit: the place of the cause more often than the test.

use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_redact::redact;
use aside_task::run::diagnose::under_test;
use aside_task::run::find::Kind;
use aside_task::run::model_reply::fenced;
use aside_task::run::review::target::ReviewTarget;
use aside_task::run::search::definitions;
use aside_task::run::{code, facts};

use crate::daemon::tasks::attempt::fact_answers::has_word;
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;
use crate::workspace::texts::TextFilter;

/// Lines of the code that are shown.
const MAX_SHOWN: usize = 18;

struct TestedCode {
    name: String,
    path: String,
    line: usize,
    body: String,
}

/// What the failed test calls, where it is defined, and what of it is not committed. `place` is the innermost place of the project that the
/// output names.
pub(super) fn tested_code(
    workspace: &Workspace,
    place: Option<&(String, usize)>,
    output: &str,
    message: &str,
    secrets: Secrets,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<String> {
    if !under_test::is_test_output(output) {
        return None;
    }
    let (path, line) =
        place.cloned().filter(|(path, _)| is_test(path, output)).or_else(|| named_test(workspace, output))?;
    let text = text_of(workspace, &path, secrets)?;
    // The output may be of another state of the file.
    if under_test::named(output).is_some_and(|name| !text.contains(&name)) {
        return None;
    }
    let names = under_test::called(&text, line, message);
    let found = names.iter().find_map(|name| defined(workspace, name, &path, secrets, cancelled))?;
    let TestedCode { name, path, line, body } = found;
    let end = line + body.lines().count();
    let shown: Vec<&str> = body.lines().take(MAX_SHOWN).collect();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let at = code(&format!("{path}:{line}"));
    let head = match language {
        Language::English => format!("The code that it tests: {} at {at}:", code(&name)),
        Language::Chinese => format!("被测的代码：{}，在 {at}：", code(&name)),
    };
    let mut told = format!("{head}\n\n{}", fenced(ending, &redact(&shown.join("\n"))));
    let diff = workspace.change(&ReviewTarget::Now, std::slice::from_ref(&path)).map(|change| change.diff);
    let touched = diff.map(|diff| under_test::touched(&diff, line, end)).unwrap_or_default();
    told.push_str(&match (touched.is_empty(), language) {
        (true, Language::English) => {
            "\nCompare what it gives with what the test expects: correct it there, or the test if the new result is meant.\n"
                .to_owned()
        }
        (true, Language::Chinese) => "\n把它的结果和测试的期望对照：在这里改正；如果新结果是有意的，就改测试。\n".to_owned(),
        (false, Language::English) => format!(
            "\nIt has changes that are not committed; look at these first:\n\n{}\nCorrect it there, or the test if the new result is meant.\n",
            fenced("diff", &redact(&touched))
        ),
        (false, Language::Chinese) => format!(
            "\n这里有还没提交的改动，请先看它们：\n\n{}\n在这里改正；如果新结果是有意的，就改测试。\n",
            fenced("diff", &redact(&touched))
        ),
    });
    Some(told)
}

/// Whether a place is one of a test. Tests of Rust are in the file that they test.
fn is_test(path: &str, output: &str) -> bool {
    Kind::Tests.has(path) || path.ends_with(".rs") && output.contains("test result: FAILED")
}

/// The test that a summary names without its line: `FAILED tests/test_a.py::test_b`.
fn named_test(workspace: &Workspace, output: &str) -> Option<(String, usize)> {
    let row = output.lines().find_map(|line| line.strip_prefix("FAILED "))?;
    let (path, rest) = row.split_once("::")?;
    let name = rest.split([' ', '[']).next()?.rsplit("::").next()?;
    let text = text_of(workspace, path, Secrets::Masked)?;
    let at = text.lines().position(|line| line.contains(&format!("def {name}(")))?;
    Some((path.to_owned(), at + 1))
}

fn text_of(workspace: &Workspace, path: &str, secrets: Secrets) -> Option<String> {
    let bytes = read(&Root::open(workspace.root()).ok()?, path).ok()?;
    secrets.shown(String::from_utf8(bytes).ok()?)
}

/// Where code that is no test defines a name; headers only declare it.
fn defined(
    workspace: &Workspace,
    name: &str,
    test: &str,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<TestedCode> {
    let mut found: Vec<TestedCode> = Vec::new();
    let is_code = |path: &str| {
        (!Kind::Tests.has(path) || path == test && path.ends_with(".rs"))
            && !path.ends_with(".h")
            && !path.ends_with(".md")
    };
    let wanted = TextFilter { text: &|_: &str, text: &str| text.contains(name), ..TextFilter::ALL };
    workspace.each_text_of(&wanted, secrets, cancelled, |path, text| {
        if !is_code(path) {
            return;
        }
        let mut above = "";
        for (at, line) in text.lines().enumerate() {
            // A test is no code under test, though Rust has both in one file.
            let is_test = std::mem::replace(&mut above, line.trim()) == "#[test]";
            if is_test {
                continue;
            }
            let is_prototype = line.trim_end().ends_with(';') && line.contains('(');
            if has_word(line, name) && definitions::defines(line, name) && !is_prototype {
                let body = facts::definition(text, at + 1);
                found.push(TestedCode { name: name.to_owned(), path: path.to_owned(), line: at + 1, body });
            }
        }
    })?;
    // A name that several files define is not told apart, unless one is beside the test.
    let directory = |path: &str| path.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
    let beside = found.iter().position(|code| directory(&code.path) == directory(test));
    match (beside, found.len()) {
        (Some(at), _) => Some(found.swap_remove(at)),
        (None, 1) => found.pop(),
        _ => None,
    }
}
