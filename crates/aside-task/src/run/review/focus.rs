//! What a review is asked for in particular: secrets, debugging leftovers, conflict markers, tests, whether a change is ready. The verdict
//! on that comes before the findings.

use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_redact::redact;
use aside_text::lazy_regex::Regex;

use crate::run::review::{FindingLocation, Severity, file_kind, patch, summarize, target};
use crate::run::search::definitions;
use crate::run::{code, short};

/// Rows of what was sought, and characters of one.
const MAX_SOUGHT: usize = 30;
const MAX_SHOWN: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    Secrets,
    Debugging,
    Conflicts,
    Todos,
    /// Whether each new function has a test.
    Tests,
    /// Whether it can be committed, pushed or merged.
    Ready,
    /// Whether what others call is declared otherwise.
    Api,
    /// Whether tests are switched off or gone.
    Disabled,
}

struct Patterns {
    debugging: Regex,
    conflicts: Regex,
    todos: Regex,
    tests: Regex,
    ready: Regex,
    api: Regex,
    disabled: Regex,
    /// A text that may be left in the change.
    sought: Regex,
    /// A question or an order about what is in a change.
    asks: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let new = |pattern: &str| Regex::new(&format!("(?i){pattern}")).ok();
    Some(Patterns {
        debugging: new(
            r"\bdebug(?:ging)?\b.*\b(?:code|statements?|prints?|output|logs?|lines?|leftovers?|stuff|calls?)\b|\b(?:leftover|stray|forgotten)\b.*\b(?:prints?|logs?|logging|console\.log|breakpoints?)\b|\b(?:prints?|console\.logs?|breakpoints?|print statements?)\b.*\b(?:left|forgot\w*|in my (?:changes|diff)|in the diff)\b|调试代码",
        )?,
        conflicts: new(r"\b(?:merge )?conflict (?:markers?|marks)\b|\bunresolved (?:merge )?conflicts?\b|冲突标记")?,
        todos: new(
            r"\btodos?\b.*\b(?:my (?:changes|diff)|the (?:diff|change)|did i|i (?:left|added))\b|\bdid i\b.*\btodos?\b",
        )?,
        tests: new(
            r"^(?:are|is|do|does|did|have|has|which|what|any)\b.*\b(?:new|added|changed|changes?|i (?:wrote|added|changed)|uncommitted)\b.*\b(?:tested|tests?|covered|untested)\b|^(?:are|is|do|does|did|have|has|which|what|any)\b.*\b(?:tests?|untested)\b.*\b(?:my (?:new )?(?:changes?|code|functions?)|what i (?:changed|wrote|added))\b",
        )?,
        ready: new(
            r"^(?:is|are) (?:this|it|that|everything|all of this|(?:my|the|this|that|our) (?:last |staged |latest )?(?:changes?|branch|work|diff|code|patch|commits?|pr|pull request|merge request|mr))(?: now)? (?:ready|good|ok|okay|fine|safe|clean enough|good enough)(?: (?:to|for) (?:be )?(?:push\w*|commit\w*|merg\w*|ship\w*|review\w*|send\w*|go|a pr|a pull request|main|release\w*)\b.*)?$|^(?:can|should|may) i (?:push|commit|merge|ship)(?: (?:this|it|now|that|my changes|like this|as it is))*$|^(?:ok|okay|safe|good|fine|ready|all good) to (?:push|commit|merge|ship|release)(?: (?:this|it|now|that))*$|^(?:is there |do you see |see )?(?:anything|something) (?:wrong|bad|off|suspicious|risky|dangerous|fishy|weird|broken)(?: (?:with|in|about) (?:this|the|my|that|these) (?:diff|patch|changes?|commits?|code|pr|branch|work))?$|^(?:这个|我的)?(?:改动|diff|补丁|提交)?(?:可以|能)(?:提交|合并|推送|合)(?:了)?(?:吗|么|不)$|(?:改动|补丁|diff|提交)(?:有没有|有)(?:什么)?问题|改得对不对",
        )?,
        api: new(
            r"\b(?:breaking|incompatible|backwards?[- ]incompatible)\b.*\b(?:apis?|changes?|interfaces?|signatures?)\b|\b(?:apis?|interfaces?|(?:function |method )?signatures?)\b.*\b(?:chang\w*|brok\w*|break\w*|compatible)\b|\b(?:chang\w*|brok\w*|break\w*)\b.*\b(?:public apis?|apis?|(?:function |method )?signatures?|callers?)\b|\bbackwards?[- ]compatible\b|接口|兼容",
        )?,
        disabled: new(
            r"^(?:please )?(?:did i|did we|have i|have we|do i|check (?:if|whether|that) i|does (?:my|this) (?:diff|change)|is there|are there|any)\b.*(?:\b(?:disabled?|skipp?(?:ed|ing)?|ignored?|comment(?:ed)? out|delet(?:e|ed)|remov(?:e|ed)|lost|lose|drop(?:ped)?|turn(?:ed)? off|leave out)\b.*\b(?:tests?|specs?)\b|\b(?:tests?|specs?)\b.*\b(?:disabled|skipped|ignored|removed|deleted|commented out|turned off)\b|\b(?:it|test|describe)\.(?:only|skip)\b|\b(?:focused|skipped) (?:tests?|specs?)\b)",
        )?,
        sought: new(
            r"^(?:please )?(?:did|have) (?:i|we) (?:accidentally |maybe |by accident |also )*(?:leave|left|forget|forgotten|add|added|commit|introduce|keep|put)(?: in)?(?: any| a| an| some| the)? `?(?P<text>[\w$.()\[\]:!<>#@/-]+)`?(?: (?:calls?|statements?|lines?|markers?))?(?: (?:in(?: there| here| it| the (?:diff|code|change)| my (?:diff|changes))?|there|somewhere|behind|left|anywhere))*$",
        )?,
        asks: new(
            r"^(?:please )?(?:are there|is there|is (?:this|my|the)|are (?:my|the|these)|will (?:this|my)|which (?:public|functions|signatures|apis)|what (?:public|signatures|apis)|any|am i|do i|did i|have i|does|do we|did we|check|look|scan|search|find|make sure|verify|anything|review|有没有|检查)",
        )?,
    })
});

/// What is asked for in particular; `None` for a review of everything.
pub fn focus(words: &str) -> Option<Focus> {
    // The name of a file is no word about what is asked: `src/api/client.ts`.
    let plain: Vec<&str> = words.split(' ').filter(|word| !word.contains('/') || !word.contains('.')).collect();
    let plain = plain.join(" ");
    let words = plain.as_str();
    let words = words.trim().trim_end_matches(['?', '.', '!', '？', '。']);
    let patterns = PATTERNS.as_ref()?;
    // "In the code" is a search of all files, not of the change.
    let is_search = ["in the code", "in this repo", "in the repo", "in the project", "anywhere"]
        .iter()
        .any(|place| words.to_lowercase().contains(place));
    let asks = patterns.asks.is_match(words) && !is_search;
    match () {
        () if patterns.ready.is_match(words) => Some(Focus::Ready),
        () if patterns.disabled.is_match(words) && !is_search && (is_own(words) || is_of_change(words)) => {
            Some(Focus::Disabled)
        }
        () if patterns.tests.is_match(words) => Some(Focus::Tests),
        () if patterns.conflicts.is_match(words) && asks => Some(Focus::Conflicts),
        () if patterns.debugging.is_match(words) && asks => Some(Focus::Debugging),
        () if patterns.todos.is_match(words) && asks => Some(Focus::Todos),
        () if patterns.api.is_match(words) && asks && (is_own(words) || is_of_change(words)) => Some(Focus::Api),
        () if target::is_about_secrets(words) => Some(Focus::Secrets),
        () => None,
    }
}

/// Whether a question is about what the user did.
fn is_own(words: &str) -> bool {
    let lower = words.to_lowercase();
    ["did i", "am i", "did we", "have i", "have we", "do i", "if i", "whether i", "that i"]
        .iter()
        .any(|own| lower.contains(own))
}

/// Whether a question is about a change.
fn is_of_change(words: &str) -> bool {
    let lower = words.to_lowercase();
    let of =
        ["my ", "the diff", "this diff", "the change", "this change", "uncommitted", "staged", "this branch", "改动"];
    of.iter().any(|of| lower.contains(of))
}

/// The text that a question seeks in the added lines: `it.only` of "did I leave any it.only in". It is code, not a word.
pub fn sought(words: &str) -> Option<String> {
    let words = words.trim().trim_end_matches(['?', '!', '？']);
    let found = PATTERNS.as_ref()?.sought.captures(words)?;
    let named = found.name("text")?.as_str();
    let text = named.trim_end_matches("()").trim_end_matches('.');
    let is_code =
        words.contains('`') || named.trim_end_matches('.').contains(['.', '(', '_', '!', ':', '#', '$', '@', '<', '>']);
    (is_code && text.len() > 2).then(|| text.to_owned())
}

/// Where the added lines have a text.
pub fn seek(text: &str, diff: &str, language: Language) -> String {
    let patch::Patch { files, .. } = patch::read(diff);
    let of = |file: &patch::PatchFile<'_>| -> Vec<String> {
        let has = file.added().filter(|(_, line)| line.contains(text));
        let row = |(line, shown): (usize, &str)| {
            let shown = short(&redact(shown.trim()), MAX_SHOWN);
            format!("- {} {}\n", code(&format!("{}:{line}", file.path)), code(&shown))
        };
        has.map(row).collect()
    };
    let rows: Vec<String> = files.iter().flat_map(of).take(MAX_SOUGHT).collect();
    match (rows.is_empty(), language) {
        (true, Language::English) => format!("No added line has {}.\n\n", code(text)),
        (true, Language::Chinese) => format!("新增的行里没有 {}。\n\n", code(text)),
        (false, Language::English) => format!("Yes, these added lines have {}:\n\n{}\n", code(text), rows.concat()),
        (false, Language::Chinese) => format!("有，这些新增的行里有 {}：\n\n{}\n", code(text), rows.concat()),
    }
}

/// The answer to what is asked for in particular, from the change alone; empty where the files have to be looked at.
pub fn verdict(focus: Focus, diff: &str, language: Language) -> String {
    let review = summarize(diff);
    let of = |rules: &[&str]| -> Vec<&FindingLocation> {
        review.risks.iter().filter(|risk| rules.contains(&risk.rule.as_str())).flat_map(|risk| &risk.places).collect()
    };
    let listed = |yes: (&str, &str), no: (&str, &str), places: &[&FindingLocation]| {
        if places.is_empty() {
            return format!("{}\n\n", language.pick(no.0, no.1));
        }
        let rows: String = places.iter().map(|place| format!("- {}\n", shown(place))).collect();
        format!("{}\n\n{rows}\n", language.pick(yes.0, yes.1))
    };
    match focus {
        Focus::Secrets => super::secrets(diff, language),
        Focus::Debugging => listed(
            ("Yes, these added lines look like debugging:", "有，这些新增的行像是调试代码："),
            ("No added line looks like debugging.", "新增的行里没有像调试代码的。"),
            &of(&["debugger", "print"]),
        ),
        Focus::Conflicts => listed(
            ("Yes, conflict markers are left:", "有，还留着冲突标记："),
            ("No conflict marker is in the change.", "改动里没有冲突标记。"),
            &of(&["conflict-marker"]),
        ),
        Focus::Todos => listed(
            ("Yes, these added lines have one:", "有，这些新增的行里有："),
            ("No added line has one.", "新增的行里没有。"),
            &of(&["todo"]),
        ),
        Focus::Ready => {
            let first = |risk: &&super::Risk| risk.weight != Severity::Minor;
            let many = review.risks.iter().filter(first).count();
            let text = match (review.files.is_empty(), many, language) {
                (true, _, Language::English) => "There is no change to judge.".to_owned(),
                (true, _, Language::Chinese) => "没有改动可以判断。".to_owned(),
                (false, 0, language) => language
                    .pick(
                        "Rules find nothing against it; whether it is right, they cannot tell.",
                        "规则没有发现问题；改动对不对，规则判断不了。",
                    )
                    .to_owned(),
                (false, 1, Language::English) => "Not yet: look at one thing first.".to_owned(),
                (false, many, Language::English) => format!("Not yet: look at {many} things first."),
                (false, many, Language::Chinese) => format!("还不行：先看 {many} 处。"),
            };
            format!("{text}\n\n")
        }
        Focus::Api => listed(
            ("Yes, these declarations are other ones now:", "有，这些声明变了："),
            ("No public declaration is changed or removed.", "没有更改或删除公开的声明。"),
            &of(&["api-removed", "api-changed"]),
        ),
        Focus::Disabled => listed(
            ("Yes, tests are switched off or gone:", "有，测试被关闭或删除："),
            ("No test is switched off or removed.", "没有关闭或删除测试。"),
            &of(&["only", "skipped-test", "test-removed", "tests-removed"]),
        ),
        Focus::Tests => String::new(),
    }
}

fn shown(place: &FindingLocation) -> String {
    let at = place.line.map_or_else(|| code(&place.path), |line| code(&format!("{}:{line}", place.path)));
    if place.text.is_empty() { at } else { format!("{at} {}", code(place.text.trim())) }
}

/// A function or a class that a change adds to code, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewName {
    pub name: String,
    pub path: String,
    pub line: usize,
}

/// What a change adds that could have a test. A declaration that only changed is none.
pub fn new_names(diff: &str) -> Vec<NewName> {
    let patch::Patch { files, .. } = patch::read(diff);
    let sorts = ["fn ", "func ", "def ", "function ", "class ", "struct ", "fun "];
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file_kind::of(&file.path) == file_kind::CODE) {
        let removed: Vec<&str> =
            file.of_side(patch::RowSide::Removed).filter_map(|row| definitions::defined(row.text)).collect();
        for (line, text) in file.added() {
            let is_sort = sorts.iter().any(|sort| format!(" {}", text.trim_start()).contains(&format!(" {sort}")));
            let name = definitions::defined(text).filter(|_| is_sort && definitions::is_definition(text));
            if let Some(name) = name.filter(|name| !removed.contains(name) && !name.starts_with("__")) {
                found.push(NewName { name: name.to_owned(), path: file.path.clone(), line });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focus_is_read() {
        for (words, expected) in [
            ("is this ready to push?", Some(Focus::Ready)),
            ("can I commit this", Some(Focus::Ready)),
            ("are my changes good to merge", Some(Focus::Ready)),
            ("are there conflict markers left", Some(Focus::Conflicts)),
            ("did I leave any debug code in", Some(Focus::Debugging)),
            ("any stray prints?", Some(Focus::Debugging)),
            ("are the new functions tested?", Some(Focus::Tests)),
            ("is what I changed covered by tests", Some(Focus::Tests)),
            ("did I add any TODOs", Some(Focus::Todos)),
            ("any secrets in my changes?", Some(Focus::Secrets)),
            ("are there breaking api changes in my diff", Some(Focus::Api)),
            ("did I change any public signatures?", Some(Focus::Api)),
            ("am I breaking callers of area", Some(Focus::Api)),
            ("is my change backwards compatible", Some(Focus::Api)),
            ("did i disable any tests", Some(Focus::Disabled)),
            ("are there skipped tests in my changes?", Some(Focus::Disabled)),
            ("are there skipped tests", None),
            ("what are breaking changes", None),
            ("does the api break on empty input", None),
            ("review my changes", None),
            ("is it ready", Some(Focus::Ready)),
            ("is the server ready", None),
            ("any console.log left in the code?", None),
            ("how do conflict markers look", None),
            ("are the tests green", None),
            ("remove the debug prints", None),
        ] {
            assert_eq!(focus(words), expected, "{words}");
        }
    }

    #[test]
    fn code_that_may_be_left_is_sought() {
        for (words, expected) in [
            ("did I leave any it.only in", Some("it.only")),
            ("did we forget a console.log somewhere?", Some("console.log")),
            ("have I left `sleep` in there", Some("sleep")),
            ("did I leave any print() calls in my diff", Some("print")),
            ("did I forget anything", None),
            ("did I add a test", None),
        ] {
            assert_eq!(sought(words).as_deref(), expected, "{words}");
        }
        assert_eq!(
            seek("breakpoint", DIFF, Language::English),
            "Yes, these added lines have `breakpoint`:\n\n- `a.py:2` `breakpoint()`\n\n"
        );
        assert_eq!(seek("it.only", DIFF, Language::English), "No added line has `it.only`.\n\n");
    }

    const DIFF: &str = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,5 @@\n-def old(x):\n+def old(x, y):\n+    breakpoint()\n     return 1\n+def fresh(x):\n+    return 2\n";

    #[test]
    fn the_verdict_comes_from_the_rules() {
        let told = |focus| verdict(focus, DIFF, Language::English);
        assert_eq!(
            told(Focus::Debugging),
            "Yes, these added lines look like debugging:\n\n- `a.py:2` `breakpoint()`\n\n"
        );
        assert_eq!(told(Focus::Conflicts), "No conflict marker is in the change.\n\n");
        assert_eq!(told(Focus::Ready), "Not yet: look at one thing first.\n\n");
        assert_eq!(verdict(Focus::Ready, "", Language::English), "There is no change to judge.\n\n");
    }

    #[test]
    fn only_new_names_count() {
        let names: Vec<String> =
            new_names(DIFF).into_iter().map(|new| format!("{} {}:{}", new.name, new.path, new.line)).collect();
        assert_eq!(names, ["fresh a.py:4"]);
    }
}
