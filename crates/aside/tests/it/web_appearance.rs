//! The appearance and handling of the page: readable colours, touch targets, copy buttons, links, labels in the language of the
//! thread. In a real browser, against a scripted server.

use serde_json::{Value, json};

use crate::harness::browser::{Browser, ESCAPE};
use crate::harness::stub_web_server::StubWebServer;

const DIFF: &str = "diff --git a/src/lines.rs b/src/lines.rs
--- a/src/lines.rs
+++ b/src/lines.rs
@@ -3,4 +3,4 @@
 /// Lines of a text.
-pub fn parse(text: &str) -> Vec<&str> { \"a\" }
+pub fn read(text: &str) -> Vec<&str> { 12 } // why
 fn other() {}
 
";
const RUN: [(&str, &str); 3] =
    [("command", "make test"), ("in", "/home/ada/src/lines"), ("because", "the Makefile has a target `test`")];

fn opened(stage: &StubWebServer, thread: &str) -> Option<Browser> {
    let browser = Browser::start()?;
    browser.goes(&stage.url()).waits("document.querySelector('#threads a') || document.querySelector('.empty')");
    browser.waits("document.activeElement.id == 'input'").types(ESCAPE);
    if !thread.is_empty() {
        browser.script(&format!("location.hash = 'thread={thread}'"));
    }
    Some(browser)
}

/// One of everything: a search, an answer with code, a failed run, a change, a dangerous command, a rejected proposal.
fn furnished() -> StubWebServer {
    let stage = StubWebServer::start();
    stage.asks("all", "s1", "where is read called?").understands("s1", "search");
    stage.proposes(
        "s1",
        1,
        json!({"type": "search_results", "items": [
        {"path": "src/main.rs:40", "preview": "    let lines = read(&text);"}]}),
    );
    stage.ends("s1", "COMPLETED", json!({}));
    stage.asks("all", "e1", "explain src/lines.rs").understands("e1", "explain");
    stage.proposes("e1", 1, json!({"type": "answer", "text": "It reads `lines`.\n\n> as they are\n\n```rust\n// Without ends.\nlet count = 12 + read(\"a\");\n```\n\n| a | b |\n|---|---|\n| 1 | [docs](https://example.org) |\n"}));
    stage.ends("e1", "COMPLETED", json!({}));
    stage.asks("all", "f1", "run the tests").understands("f1", "run").offers_command("f1", 1, "make test", &RUN);
    stage.state("f1", "EXECUTING", json!({"step": 1, "by": "page 1"})).prints("f1", "test one ... FAILED\n");
    stage.ends("f1", "FAILED", json!({"message": "exit status 2", "outcome": {"summary": "exit status 2", "exit": 2}}));
    stage.asks("all", "r1", "rename read").understands("r1", "change");
    stage.offers_diff("r1", 1, DIFF, &["M src/lines.rs +1 -1"]);
    stage.ends("r1", "REJECTED", json!({"message": "not today", "by": "page 1"}));
    stage.asks("all", "d1", "rename parse to read").understands("d1", "change");
    stage.offers_diff("d1", 1, DIFF, &["M src/lines.rs +1 -1"]);
    let mut rows = RUN.to_vec();
    rows[0] = ("command", "rm -r target");
    rows.push(("danger", "removes files for good"));
    stage.asks_with("all", "w1", "clean the target directory", json!({"source": "wecom", "fromUser": "ming"}));
    stage.understands("w1", "run").offers_command("w1", 1, "rm -r target", &rows);
    stage
}

/// Finds text with too little contrast, and controls that are too small for a finger.
const MEASURES: &str = r#"
const parts = (colour) => { const found = colour.match(/[\d.]+/g).map(Number); return found.length < 4 ? [...found.slice(0, 3), 1] : found; };
const over = (top, under) => top.slice(0, 3).map((part, at) => part * top[3] + under[at] * (1 - top[3]));
const behind = (element) => {
  if (!element) return [255, 255, 255];
  const own = parts(getComputedStyle(element).backgroundColor);
  return own[3] === 1 ? own.slice(0, 3) : over(own, behind(element.parentElement));
};
const light = (colour) => colour.map((part) => part / 255).map((part) => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
  .reduce((sum, part, at) => sum + part * [.2126, .7152, .0722][at], 0);
const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length;
const texts = [...document.querySelectorAll("body *")].filter((element) => seen(element) && !element.closest(".unseen-label, .skip")
  && [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
const pale = texts.flatMap((element) => {
  const back = behind(element);
  const style = getComputedStyle(element);
  const front = over(parts(style.color), back);
  const [one, other] = [light(front), light(back)].sort((a, b) => b - a);
  const contrast = (one + .05) / (other + .05);
  return contrast < 4.5 ? [`${element.tagName}.${element.className} ${element.textContent.trim().slice(0, 30)}: ${contrast.toFixed(2)}`] : [];
});
const faint = [...document.querySelectorAll("[placeholder]")].filter((element) => seen(element) && !element.value).flatMap((element) => {
  const back = behind(element);
  const [one, other] = [light(over(parts(getComputedStyle(element, "::placeholder").color), back)), light(back)].sort((a, b) => b - a);
  const contrast = (one + .05) / (other + .05);
  return contrast < 4.5 ? [`placeholder ${element.placeholder}: ${contrast.toFixed(2)}`] : [];
});
const small = [...document.querySelectorAll("button, a, input, select, summary, textarea")].filter((element) => seen(element) && !element.closest(".skip, .markdown p, .markdown td")).flatMap((element) => {
  const box = (element.type === "checkbox" ? element.closest("label") : element).getBoundingClientRect();
  return box.width < 44 || box.height < 44 ? [`${element.tagName}.${element.className}#${element.id} ${element.textContent.trim().slice(0, 20)}: ${box.width.toFixed(0)}x${box.height.toFixed(0)}`] : [];
});
return { pale: [...pale, ...faint], small, count: texts.length };
"#;

#[test]
fn web_look_every_text_can_be_read_in_both_themes() {
    let stage = furnished();
    let Some(browser) = opened(&stage, "all") else { return };
    browser.waits("document.querySelectorAll('.card').length == 2 && document.querySelector('.results')");
    browser.clicks("#task-r1 .file-head").waits("document.querySelector('#task-r1 tr.plus')");
    for theme in ["light", "dark"] {
        browser.prefers(theme);
        let measured = browser.script(MEASURES);
        assert!(measured["count"].as_u64().unwrap() > 60, "{measured}");
        assert_eq!(measured["pale"], json!([]), "{theme}");
    }
    // On an empty page and in the list of keys too.
    browser.types("n").types(ESCAPE).shows(".empty", "run the tests").types("?");
    browser.waits("document.getElementById('help').open");
    for theme in ["light", "dark"] {
        browser.prefers(theme);
        assert_eq!(browser.script(MEASURES)["pale"], json!([]), "{theme}");
    }
}

#[test]
fn web_look_a_narrow_window_has_targets_for_fingers() {
    let stage = furnished();
    let Some(browser) = opened(&stage, "all") else { return };
    browser.size(390, 800).waits("innerWidth == 390").waits("document.querySelectorAll('.card').length == 2");
    assert_eq!(browser.script(MEASURES)["small"], json!([]));
    browser.clicks("#drawer").waits("document.body.classList.contains('drawer')");
    assert_eq!(browser.script(MEASURES)["small"], json!([]));
    assert_eq!(browser.script("return document.documentElement.scrollWidth <= innerWidth"), true);
}

#[test]
fn web_look_code_has_colours_and_can_be_copied() {
    let stage = furnished();
    let Some(browser) = opened(&stage, "all") else { return };
    browser.shows("#task-e1 .hl-comment", "// Without ends.").shows("#task-e1 .hl-keyword", "let");
    browser.shows("#task-e1 .hl-number", "12").shows("#task-e1 .hl-call", "read").shows("#task-e1 .hl-string", "\"a\"");
    browser.shows("#task-d1 tr.plus .hl-keyword", "pub").shows("#task-d1 tr.plus .hl-comment", "// why");
    let copied = "navigator.clipboard.writeText = async (text) => { window.copied = text; };";
    browser.script(copied);
    for (button, text) in [
        ("#task-e1 .copyable .copy", "// Without ends.\nlet count = 12 + read(\"a\");"),
        ("#task-w1 .card .copy", "rm -r target"),
        ("#task-f1 .printed .copy", "test one ... FAILED"),
    ] {
        browser.script(&format!("document.querySelector({}).click()", json!(button)));
        browser.waits(&format!("window.copied == {}", json!(text)));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_look_files_lead_to_the_editor() {
    let stage = furnished();
    let Some(browser) = opened(&stage, "all") else { return };
    let leads = |element: &str, place: &str| {
        browser.waits(&format!("document.querySelector({})", json!(element)));
        let href = browser.script(&format!("return document.querySelector({}).getAttribute('href')", json!(element)));
        assert_eq!(href, format!("edit://open/home/ada/src/lines/{place}"));
    };
    leads("#task-s1 a.path", "src/main.rs:40");
    leads("#task-d1 .file-line a.goto", "src/lines.rs:3");
}

#[test]
fn web_look_what_destroys_is_red_and_nothing_is_approved_without_a_daemon() {
    let stage = furnished();
    let Some(browser) = opened(&stage, "all") else { return };
    let ready = "[...document.querySelectorAll('.approve')].every((button) => !button.disabled)";
    browser.waits("document.querySelectorAll('.approve').length == 2");
    // Each has to be visible for a moment.
    for task in ["d1", "w1"] {
        browser.script(&format!("document.querySelector('#task-{task} .card').scrollIntoView()"));
        browser.waits(&format!("!document.querySelector('#task-{task} .approve').disabled"));
    }
    let colour = |task: &str| {
        let text =
            browser.script(&format!("return getComputedStyle(document.querySelector('#task-{task} .approve')).color"));
        let parts: Vec<u64> = text
            .as_str()
            .unwrap()
            .split(|letter: char| !letter.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .collect();
        (parts[0], parts[1])
    };
    let ((red, green), (plain_red, plain_green)) = (colour("w1"), colour("d1"));
    assert!(red > green && plain_green > plain_red, "{red} {green} {plain_red} {plain_green}");
    stage.is_away(true);
    browser.waits("[...document.querySelectorAll('.approve')].every((button) => button.disabled)");
    browser.shows("#task-w1 .card .hint", "the daemon is away");
    stage.is_away(false);
    browser.waits(ready);
}

#[test]
fn web_look_a_failed_run_offers_why_and_fix_and_a_key_stops_what_works() {
    let stage = furnished();
    let Some(browser) = opened(&stage, "all") else { return };
    browser.clicks("#task-f1 [data-op=why]");
    let asked = stage.waits_to_hear("ask", 1);
    assert_eq!((&asked[0]["text"], &asked[0]["threadId"]), (&json!("why did it fail?"), &json!("all")));
    browser.clicks("#task-f1 [data-op=fix]");
    assert_eq!(stage.waits_to_hear("ask", 2)[1]["text"], "fix it");
    // Nothing ran there, so there is no "why" to ask.
    browser.lacks("#task-r1 [data-op=why]");
    browser.waits("document.querySelector('#task-asked-2 [data-op=cancel]')").types(ESCAPE).types("x");
    let cancelled = stage.waits_to_hear("cancel", 1);
    assert_eq!(cancelled, [json!({"op": "cancel", "taskId": "asked-2"})]);
}

#[test]
fn web_look_what_came_of_an_approval_stays_in_view() {
    let stage = StubWebServer::start();
    let long: String = (0..150).map(|number| format!("+line {number}\n")).collect();
    let diff = format!(
        "diff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,150 @@\n{long}"
    );
    stage.asks("t", "c1", "add a file").understands("c1", "change").offers_diff("c1", 1, &diff, &["A n.txt +150 -0"]);
    let Some(browser) = opened(&stage, "t") else { return };
    browser.waits("!document.querySelector('.approve').disabled").clicks(".approve");
    stage.waits_to_hear("approve", 1);
    stage.state("c1", "EXECUTING", json!({"step": 1, "by": "page 1"}));
    stage.brief("c1", json!({"undo": true}));
    stage.ends("c1", "COMPLETED", json!({"outcome": {"summary": "changed 1 file", "undo": "1"}}));
    browser.shows(".end", "changed 1 file").shows(".task-actions", "Undo");
    let visible = "(() => { const box = document.querySelector('[data-op=undo]').getBoundingClientRect(); \
                   const room = document.getElementById('scroller').getBoundingClientRect(); \
                   return box.top >= room.top && box.bottom <= room.bottom; })()";
    browser.waits(visible);
    // A rejected change can still be looked at.
    stage.asks("t", "c2", "add another").understands("c2", "change").offers_diff("c2", 1, &diff, &["A n.txt +150 -0"]);
    stage.ends("c2", "REJECTED", json!({"message": "too long", "by": "pts/3"}));
    browser.shows("#task-c2 .end", "Rejected at the terminal pts/3: too long").shows("#task-c2 .record", "n.txt");
}

#[test]
fn web_look_a_change_is_not_shown_while_it_is_written() {
    let stage = StubWebServer::start();
    stage.asks("t", "c1", "fix the field").understands("c1", "change");
    stage.says("c1", "The field is misspelled.\n\nsrc/user.py\n<<<<<<< SEARCH\nnmae\n=====");
    let Some(browser) = opened(&stage, "t") else { return };
    browser.shows(".said", "The field is misspelled.").shows(".trail", "writing the change");
    assert!(!browser.text(".said").contains("SEARCH"), "{}", browser.text(".said"));
    stage.says("c1", "==\nname\n>>>>>>> REPLACE\n\nThat is all.\n");
    browser.shows(".said", "That is all.");
    let said = browser.text(".said");
    assert!(!said.contains("nmae") && !said.contains("user.py"), "{said}");
}

#[test]
fn web_look_labels_are_in_the_language_of_the_thread() {
    let stage = StubWebServer::start();
    stage.asks("zh", "z1", "运行测试").understands("z1", "run").offers_command("z1", 1, "make test", &RUN);
    let Some(browser) = opened(&stage, "zh") else { return };
    browser
        .shows(".card h3", "运行这条命令？")
        .shows(".approve", "运行")
        .shows(".card", "拒绝")
        .shows(".trail", "等你决定");
    browser.clicks(".approve");
    stage.waits_to_hear("approve", 1);
    stage.state("z1", "EXECUTING", json!({"step": 1, "by": "page 1"})).prints("z1", "1 failed\n");
    stage.ends("z1", "FAILED", json!({"message": "exit status 2", "outcome": {"summary": "exit status 2", "exit": 2}}));
    browser.shows(".end", "失败").shows(".task-actions", "为什么？").shows(".task-actions", "重试");
    browser.clicks("[data-op=why]");
    assert_eq!(stage.waits_to_hear("ask", 1)[0]["text"], "为什么失败了？");
}

#[test]
fn web_look_all_that_waits_is_dismissed_together_and_the_model_is_named() {
    let stage = furnished();
    stage.has_model("qwen2.5-coder");
    let Some(browser) = opened(&stage, "") else { return };
    browser.shows(".empty .model", "qwen2.5-coder").clicks(".example").waits("document.activeElement.id == 'input'");
    browser.types(ESCAPE);
    browser.clicks("[data-op=dismiss]").shows("#dismiss", "Reject 2 proposals?").clicks("[data-op=dismiss-yes]");
    let cancelled = stage.waits_to_hear("cancel", 2);
    let mut tasks: Vec<&Value> = cancelled.iter().map(|message| &message["taskId"]).collect();
    tasks.sort_by_key(|task| task.to_string());
    assert_eq!(tasks, [&json!("d1"), &json!("w1")]);
}
