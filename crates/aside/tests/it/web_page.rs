//! The page in a real browser, against a scripted server. `web_live` covers it with the real daemon.

use std::path::PathBuf;

use serde_json::json;

use crate::harness::browser::{Browser, CONTROL, ENTER, ESCAPE, SHIFT};
use crate::harness::stub_web_server::StubWebServer;

const DIFF: &str = "diff --git a/src/lines.rs b/src/lines.rs
--- a/src/lines.rs
+++ b/src/lines.rs
@@ -1,7 +1,8 @@
 //! Lines of a text.
 
-pub fn parse(text: &str) -> Vec<&str> {
-    text.split('\\n').collect()
+/// Without the ends of lines.
+pub fn read(text: &str) -> Vec<&str> {
+    text.lines().collect()
 }
 
 #[cfg(test)]
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -3,2 +3,2 @@
-Call `parse`.
+Call `read`.
 That is all.
\\ No newline at end of file
";
const FILES: [&str; 2] = ["M src/lines.rs +3 -2", "M README.md +1 -1"];

/// The user moved the focus to the card with a key a moment ago.
const LISTENING: &str = "document.activeElement.matches('.card.listening')";

const RUN: [(&str, &str); 4] = [
    ("command", "make test"),
    ("in", "/home/ada/src/lines"),
    ("because", "the Makefile has a target for the tests"),
    ("rule", "no rule knows it, so it is asked"),
];

/// A command that waits in the thread `first`.
fn waiting(stage: &StubWebServer) {
    stage.asks("first", "t1", "run the tests").understands("t1", "run").offers_command("t1", 1, "make test", &RUN);
}

fn opened(stage: &StubWebServer, place: &str) -> Option<Browser> {
    let browser = Browser::start()?;
    browser.goes(&stage.url()).waits("document.title.includes('Aside')");
    browser.waits("document.querySelector('#threads a') || document.querySelector('.empty')");
    // A new page focuses the input; most scenes begin with a key.
    browser.waits("document.activeElement.id == 'input'").types(ESCAPE);
    if !place.is_empty() {
        browser.script(&format!("location.hash = {}", json!(place)));
    }
    Some(browser)
}

#[test]
fn web_page_an_empty_page_says_what_can_be_asked() {
    let stage = StubWebServer::start();
    let Some(browser) = opened(&stage, "") else { return };
    browser.shows(".empty", "explain src/lines.rs").shows(".empty .model", "No model is set");
    assert_eq!(browser.script("return document.querySelectorAll('.example').length"), 3);
    assert_eq!(browser.script("return location.hash + localStorage.getItem('aside').length"), "43");
    browser.clicks(".example").waits("document.activeElement.id == 'input'");
    browser.chord(&[SHIFT], ENTER).types("第二行").types(ENTER);
    let asked = stage.waits_to_hear("ask", 1);
    assert_eq!(asked, [json!({"op": "ask", "text": "run the tests\n第二行", "cwd": "/home/ada/src/lines"})]);
    browser
        .shows("article h2", "第二行")
        .shows("#title", "run the tests")
        .waits("document.getElementById('input').value == ''");
    assert_eq!(browser.script("return location.hash"), "#thread=thread-asked-1");
    // The next request belongs to the same thread.
    browser.types("and the docs").types(ENTER);
    assert_eq!(stage.waits_to_hear("ask", 2)[1]["threadId"], "thread-asked-1");
    browser.waits("document.querySelectorAll('article').length == 2");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_a_command_is_shown_and_approved_with_what_was_shown() {
    let stage = StubWebServer::start();
    waiting(&stage);
    let Some(browser) = opened(&stage, "") else { return };
    browser.shows("#threads", "run the tests").waits("document.title.startsWith('(1) ')").clicks("#threads a");
    browser
        .shows(".card .command", "make test")
        .shows(".card", "the Makefile has a target")
        .shows(".trail", "understood: run");
    browser.shows(".trail", "read Makefile, src/lines.rs").shows(".trail", "waiting for you");
    assert_eq!(browser.text(".approve"), "Run");
    browser.clicks(".approve");
    let approved = stage.waits_to_hear("approve", 1);
    assert_eq!(approved, [json!({"op": "approve", "taskId": "t1", "step": 1, "digest": format!("{:064x}", 1)})]);
    stage.state("t1", "EXECUTING", json!({"step": 1, "by": "page 1"}));
    browser.shows(".trail", "running, approved by you").lacks(".card");
    stage.prints(
        "t1",
        "\u{1b}[32mtest one ... ok\u{1b}[0m\r\ncompiling 1/2\rcompiling 2/2\n\u{1b}]0;title\u{7}12 passed\n",
    );
    browser.shows(".output", "12 passed");
    assert_eq!(browser.text(".output .rows"), "test one ... ok\ncompiling 2/2\n12 passed");
    stage.ends("t1", "COMPLETED", json!({"outcome": {"summary": "12 tests passed", "exit": 0}}));
    browser.shows(".end", "12 tests passed").shows(".end", "exit 0").waits("!document.title.startsWith('(')");
    browser.clicks("[data-op=retry]");
    assert_eq!(stage.waits_to_hear("retry", 1), [json!({"op": "retry", "taskId": "t1"})]);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_one_file_is_open_and_what_is_quoted_stands_out() {
    let stage = StubWebServer::start();
    let long: String = (0..120).map(|number| format!("+line {number}\n")).collect();
    let diff = format!(
        "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,120 @@\n{long}"
    );
    stage.asks("first", "t1", "write new.txt").understands("t1", "change");
    stage.offers_diff("t1", 1, &diff, &["A new.txt +120 -0"]);
    stage.asks("first", "t2", "run the tests").understands("t2", "run").offers_command(
        "t2",
        1,
        "make test",
        &[("command", "make test"), ("because", "`test` is a target of the <Makefile>."), ("rule", "ask `echo")],
    );
    stage.asks("first", "t3", "explain it").understands("t3", "explain");
    stage.ends("t3", "FAILED", json!({"message": "The model did not answer; `aside doctor` says why."}));
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.waits("document.querySelectorAll('.card tr.plus').length == 120");
    browser.waits("document.querySelector('.card .file').textContent.includes('line 119')");
    // The text stays the same, character for character: only its styling differs.
    browser.waits("[...document.querySelectorAll('.facts dd')].some((one) => one.textContent == '`test` is a target of the <Makefile>.')");
    browser.waits("[...document.querySelectorAll('.facts dd code')].map((one) => one.textContent).join() == '`test`'");
    browser.shows(".end .sentence", "`aside doctor` says why");
    assert_eq!(browser.text(".end.failed .sentence code"), "`aside doctor`");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_nothing_can_be_approved_before_it_was_seen() {
    let stage = StubWebServer::start();
    let long: String = (0..300).map(|number| format!("+line {number}\n")).collect();
    let diff = format!(
        "{DIFF}diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,300 @@\n{long}"
    );
    stage.asks("first", "t1", "rename parse to read").understands("t1", "change");
    stage.offers_diff("t1", 1, &diff, &[FILES[0], FILES[1], "A new.txt +300 -0"]);
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.shows(".card", "3 of 3 files not opened yet");
    // However long the card was visible: a file that was not opened was not seen.
    browser.waits("document.querySelector('.card .hint').textContent == '3 files to open first'");
    browser.clicks(".file:nth-child(1) .file-head").clicks(".file:nth-child(2) .file-head");
    browser.waits("document.querySelector('.card .hint').textContent == '1 file to open first'");
    assert_eq!(browser.script("return document.querySelector('.approve').disabled"), true);
    browser.types("a").waits(LISTENING).types("y").types("y");
    browser.types("v").waits("!document.querySelector('.approve').disabled");
    assert_eq!(browser.text(".approve"), "Apply 3 files");
    assert_eq!(browser.script("return document.querySelectorAll('.file:nth-child(3) tr.plus').length"), 300);
    // The next step is a new card in the same place: its checks start over, and a key pressed now has no effect.
    browser.script("window.gaps = []; new MutationObserver(() => { const one = document.querySelector('.approve'); if (one && document.querySelector('.card .command')) window.gaps.push(one.disabled) }).observe(document.body, { childList: true, subtree: true })");
    stage.offers_command(
        "t1",
        2,
        "rm -r target",
        &[("command", "rm -r target"), ("in", "/x"), ("danger", "removes files for good"), ("rule", "asked")],
    );
    browser.shows(".card .command", "rm -r target").shows(".dangers", "Danger: removes files for good").types("y");
    assert_eq!(browser.script("return window.gaps[0]"), true);
    browser.waits("!document.querySelector('.approve').disabled");
    assert_eq!(stage.heard("approve"), Vec::<serde_json::Value>::new());
    browser.types("a").waits(LISTENING).types("y");
    assert_eq!(stage.waits_to_hear("approve", 1)[0]["step"], 2);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_nothing_can_be_approved_while_a_command_runs_and_it_says_so() {
    let stage = StubWebServer::start();
    waiting(&stage);
    stage.asks("second", "t2", "watch the logs").understands("t2", "run").offers_command("t2", 1, "make logs", &RUN);
    stage.state("t2", "EXECUTING", json!({"step": 1, "by": "page 1"}));
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.shows(".card .hint", "waits until “watch the logs” has ended");
    browser.waits("document.querySelector('.approve').disabled");
    stage.ends("t2", "COMPLETED", json!({"outcome": {"summary": "no more logs", "exit": 0}}));
    browser.waits("!document.querySelector('.approve').disabled").clicks(".approve");
    stage.waits_to_hear("approve", 1);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_a_diff_is_seen_both_ways_and_every_sign_of_it() {
    let stage = StubWebServer::start();
    let odd = "diff --git a/odd.txt b/odd.txt
--- a/odd.txt
+++ b/odd.txt
@@ -1,4 +1,4 @@
 same\r
-if admin {\r
+if admin\u{202e} \u{2066}// check\u{2069} \u{2066}{\r
-scope
+s\u{441}ope\u{200b}  
--- old
+++ new
";
    stage.asks("first", "t1", "rename").understands("t1", "change");
    stage.offers_diff(
        "t1",
        1,
        &format!("{DIFF}{odd}"),
        &[FILES[0], FILES[1], "M odd.txt +3 -3 (with characters that cannot be seen)"],
    );
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.waits("!document.querySelector('.approve').disabled").shows(".diff", "3 files");
    let cells = |css: &str| {
        browser.script(&format!("return [...document.querySelectorAll('{css}')].map((one) => one.textContent)"))
    };
    assert_eq!(cells(".file:nth-child(1) .unified .word"), json!(["parse", "split('\\n'", "read", "lines("]));
    assert_eq!(cells(".file:nth-child(2) .eol"), json!(["⟨no newline⟩"]));
    assert_eq!(
        cells(".file:nth-child(3) .unseen"),
        json!(["⟨U+202E⟩", "⟨U+2066⟩", "⟨U+2069⟩", "⟨U+2066⟩", "⟨U+200B⟩"])
    );
    assert_eq!(cells(".file:nth-child(3) .eol"), json!(["␍", "␍", "␍"]));
    assert_eq!(cells(".file:nth-child(3) .mixed").as_array().unwrap().len(), 1);
    assert_eq!(cells(".file:nth-child(3) .blanks"), json!(["  "]));
    assert_eq!(cells(".file:nth-child(3) tr.minus td.text").as_array().unwrap()[2], "removed: -- old");
    assert_eq!(cells(".file:nth-child(1) tr.minus .number"), json!(["3", "", "4", ""]));
    browser.clicks(".way").waits("document.querySelector('.file:nth-child(1) table.split')");
    // The replacement is beside the line that it replaces.
    assert_eq!(
        cells(".file:nth-child(1) .split tr:nth-child(4) td"),
        json!(["", "", "3", "added: /// Without the ends of lines."])
    );
    assert_eq!(
        cells(".file:nth-child(1) .split tr:nth-child(6) td"),
        json!(["4", "removed:     text.split('\\n').collect()", "5", "added:     text.lines().collect()"])
    );
    browser.reloads().waits("document.querySelector('table.split') && !document.querySelector('.approve').disabled");
    // A phone has no room for two columns.
    browser.size(360, 740).reloads().waits("document.querySelector('table.unified')");
    assert_eq!(browser.script("return document.documentElement.scrollWidth"), 360);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_reject_edit_and_confine_say_what_they_mean() {
    let stage = StubWebServer::start();
    waiting(&stage);
    let Some(browser) = opened(&stage, "task=t1") else { return };
    browser.shows(".confine", "it may write in the workspace only: /home/ada/src/lines");
    browser.clicks(".card .actions button:nth-of-type(3)").waits("document.activeElement.className == 'editor'");
    browser.types(" && 测试").shows(".editing", "shown again before anything happens");
    // A window closed by accident still has the draft when it is reopened.
    browser
        .reloads()
        .clicks(".card .actions button:nth-of-type(3)")
        .waits("document.querySelector('.editor').value == 'make test && 测试'");
    stage.refuses("edit", "the command cannot be read: a quote does not end");
    browser.chord(&[CONTROL], ENTER).shows(".card .trouble", "a quote does not end");
    let digest = format!("{:064x}", 1);
    let edit = json!({"op": "edit", "taskId": "t1", "step": 1, "digest": digest, "text": "make test && 测试", "confine": "no"});
    assert_eq!(stage.waits_to_hear("edit", 1), [edit]);
    browser.types(ESCAPE).waits("document.activeElement.className.includes('card')").clicks(".confine input");
    let confine =
        json!({"op": "edit", "taskId": "t1", "step": 1, "digest": digest, "text": "make test", "confine": "workspace"});
    assert_eq!(stage.waits_to_hear("edit", 2)[1], confine);
    browser.waits("!document.querySelector('.confine input').checked");
    browser.clicks(".why").types("not now").types(ENTER);
    assert_eq!(
        stage.waits_to_hear("reject", 1),
        [json!({"op": "reject", "taskId": "t1", "step": 1, "digest": digest, "text": "not now"})]
    );
    stage.ends("t1", "REJECTED", json!({"message": "not now"}));
    browser.shows(".end", "Rejected: not now").lacks(".card").shows(".record", "make test");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_text_that_is_streamed_neither_flickers_nor_jumps() {
    let stage = StubWebServer::start();
    stage.asks("first", "t1", "explain").understands("t1", "explain");
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.shows(".trail", "proposing");
    stage.says("t1", "# What it does\n\nIt **reads** lines.\n\n- one\n- two\n");
    browser.shows(".markdown h3", "What it does").waits("document.querySelectorAll('.markdown li').length == 2");
    browser.script("window.heading = document.querySelector('.markdown h3'); window.removed = 0;\
         new MutationObserver((all) => all.forEach((one) => one.removedNodes.forEach((node) => { if (node === window.heading || node.contains?.(window.heading)) window.removed += 1 })))\
         .observe(document.body, { childList: true, subtree: true })");
    stage
        .says("t1", "  - inner\n\n```rust\nfn main() {\n")
        .says("t1", "    frobnicate();\n")
        .says("t1", "}\n```\n\n| a | b |\n|---|--:|\n| 1 | `x` |\n");
    for number in 0..120 {
        stage.says("t1", &format!("\nParagraph {number} of a long answer, which goes on for a while.\n"));
    }
    browser.shows(".markdown", "Paragraph 119").waits("document.querySelector('.markdown table td.right code')");
    assert_eq!(
        browser.script("return document.querySelector('.markdown pre').innerText"),
        "fn main() {\n    frobnicate();\n}"
    );
    let at_end = "(() => { const one = document.getElementById('scroller'); return one.scrollTop + one.clientHeight >= one.scrollHeight - 30 })()";
    browser.waits(at_end);
    // A reader who has scrolled up stays there.
    browser.script("document.getElementById('scroller').scrollTop = 200").is_null();
    browser.waits("document.getElementById('scroller').scrollTop == 200");
    stage.says("t1", "\nThe last one.\n");
    browser.shows(".markdown", "The last one.").waits("!document.getElementById('newest').hidden");
    assert_eq!(browser.script("return [document.getElementById('scroller').scrollTop, window.removed, document.querySelector('.markdown h3') === window.heading]"), json!([200, 0, true]));
    browser.clicks("#newest").waits(at_end);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_hostile_text_is_text() {
    let stage = StubWebServer::start();
    let evil = "<script>window.pwned = 1</script><img src=x onerror=\"window.pwned = 2\"> <svg onload=alert(1)>\n\n\
         [click](javascript:window.pwned=3) [two](data:text/html,x) ![p](https://evil.example/p.png) [site](https://good.example/?q=1)\n\n\
         [user](https://good.example@evil.example/) https://plain.example/a). \u{202e}drowssap\u{202c} \u{200b}\n\n\
         | <b>x</b> | [y](JaVaScRiPt:alert(1)) |\n|---|---|\n| <iframe src=//evil.example> | \"onclick=\"x |\n\n```\"><script>alert(2)</script>\ncode\n```\n";
    let request = "<img src=x onerror=window.pwned=4>";
    stage.asks_with("<b>th</b>&", "t1", request, json!({"source": "wecom", "fromUser": "<i>zhang\u{202e}</i>"}));
    stage
        .understands("t1", "run")
        .says("t1", evil)
        .says("t1", &format!("\n\n{}\n", "*".repeat(5000)))
        .says("t1", &"x".repeat(200_000));
    stage.offers_command(
        "t1",
        1,
        evil,
        &[
            ("command", "echo <script>window.pwned=5</script>⟨U+202E⟩"),
            ("in", "</pre><script>"),
            ("danger", "<img src=x onerror=window.pwned=6>"),
            ("because", evil),
            ("rule", "asked"),
        ],
    );
    stage.asks("first", "t2", "more").understands("t2", "search").proposes(
        "t2",
        1,
        json!({"type": "search_results", "items": [{"path": "<script>.rs", "preview": evil}]}),
    );
    stage.ends("t2", "COMPLETED", json!({"outcome": {"summary": evil}}));
    stage.asks("first", "t3", "answer").understands("t3", "explain").proposes(
        "t3",
        1,
        json!({"type": "answer", "text": evil}),
    );
    stage.ends("t3", "FAILED", json!({"message": evil}));
    let Some(browser) = opened(&stage, "task=t1") else { return };
    browser
        .shows(".card .command", "echo <script>window.pwned=5</script>⟨U+202E⟩")
        .shows("article h2", request)
        .shows(".afar", "from afar: <i>zhang⟨U+202E⟩</i>");
    browser.script("document.querySelector('.thoughts').open = true");
    browser.types("a").waits("!document.querySelector('.approve').disabled");
    browser.script("location.hash = 'thread=first'");
    browser.shows("article", "<script>.rs").shows(".end", "Failed: <script>");
    let links = browser.script("return [...document.querySelectorAll('article a:not(.permalink, .path)')].map((one) => [one.href, one.rel, one.target])");
    let link = |href: &str| json!([href, "noopener noreferrer nofollow", "_blank"]);
    assert_eq!(
        links,
        json!([link("https://evil.example/p.png"), link("https://good.example/?q=1"), link("https://plain.example/a")])
    );
    let place = browser.script("return document.querySelector('a.path').getAttribute('href')");
    assert_eq!(place, "edit://open/home/ada/src/lines/%3Cscript%3E.rs:1");
    browser
        .shows("article .markdown", "⟨U+202E⟩drowssap⟨U+202C⟩ ⟨U+200B⟩")
        .shows("article .markdown", "click (javascript:window.pwned=3)");
    assert_eq!(browser.script("return document.querySelectorAll('article script, article img, article iframe, article svg, article b, article i').length"), 0);
    assert_eq!(browser.script("return window.pwned ?? null"), serde_json::Value::Null);
    // Nothing even attempted what the page's policy would have blocked.
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let elsewhere: Vec<String> = browser
        .requested()
        .into_iter()
        .filter(|url| !url.starts_with(&stage.origin()) && !url.starts_with("data:"))
        .collect();
    assert_eq!(elsewhere, Vec::<String>::new());
}

#[test]
fn web_page_a_daemon_that_goes_takes_no_words_with_it() {
    let stage = StubWebServer::start();
    waiting(&stage);
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.shows(".card", "make test").clicks("#input").types("and then the docs");
    stage.is_away(true);
    browser.shows("#link", "The daemon is away").types(ENTER).shows("#trouble", "Your words are kept");
    browser.waits("document.getElementById('input').value == 'and then the docs'");
    // Another daemon makes the same offer with another digest; the old card would approve nothing.
    stage.offers_command("t1", 2, "make check", &[("command", "make check"), ("in", "/x"), ("rule", "asked")]);
    stage.is_away(false);
    browser.waits("document.getElementById('link').textContent == ''").shows(".card .command", "make check");
    browser.reloads().waits("document.getElementById('input').value == 'and then the docs'");
    stage.is_over();
    browser.shows(".over", "This page's session is over").shows(".over", "aside web");
    browser.waits(
        "document.getElementById('send').disabled && document.getElementById('input').value == 'and then the docs'",
    );
    assert_eq!(stage.heard("ask"), Vec::<serde_json::Value>::new());
}

#[test]
fn web_page_every_way_leads_by_the_keys_alone() {
    let stage = StubWebServer::start();
    stage.asks("old", "t0", "重命名函数 parse").ends("t0", "FAILED", json!({"message": "no model"}));
    waiting(&stage);
    stage.asks("first", "t2", "why is the build slow").understands("t2", "explain");
    stage.asks("third", "t3", "find frobnicate").ends("t3", "COMPLETED", json!({}));
    let Some(browser) = opened(&stage, "") else { return };
    // Waiting tasks are on top.
    browser
        .waits("document.querySelectorAll('#threads a').length == 3")
        .shows("#threads li:first-child", "run the tests");
    let focus = |is: &str| browser.waits(&format!("document.activeElement.id == '{is}'"));
    browser.script("document.activeElement.blur()");
    browser.types("a").shows(".card", "make test");
    focus("task-t1");
    browser.types("j");
    focus("task-t2");
    browser.types("jk");
    focus("task-t1");
    browser.types("]").shows("#title", "find frobnicate").types("[").shows("#title", "run the tests");
    browser
        .types("?")
        .waits("document.getElementById('help').open")
        .types(ESCAPE)
        .waits("!document.getElementById('help').open");
    browser.types("n").shows(".empty", "Ask in plain words");
    focus("input");
    browser.types("n?/").waits("document.getElementById('input').value == 'n?/'").types(ESCAPE).types("/");
    focus("search");
    browser
        .types("重命名")
        .shows("#found", "1 thread")
        .waits("document.querySelectorAll('#threads a').length == 1")
        .types(ENTER);
    browser.shows("#title", "重命名函数 parse").shows(".end", "失败：no model");
    browser.types(ESCAPE).waits("document.querySelectorAll('#threads a').length == 3");
    browser.chord(&[CONTROL], "k");
    focus("search");
    browser.types("zzz").shows("#found", "nothing found").types(ESCAPE).types(ESCAPE).types("t");
    browser
        .waits("document.documentElement.dataset.theme == 'light'")
        .types("t")
        .waits("document.documentElement.dataset.theme == 'dark'");
    // Text meant for the input approves nothing, even with an a and then a y; nor does a y after a click on the card.
    browser.script("location.hash = 'task=t1'");
    browser
        .waits("!document.querySelector('.approve').disabled")
        .types("maybe play away ayay")
        .shows(".card", "make test");
    browser.script("document.activeElement.blur()");
    browser.clicks(".card h3").waits("document.activeElement.matches('.card')").types("y");
    browser.script("document.activeElement.blur()");
    browser.clicks(".card h3").waits("document.activeElement.matches('.card')").types("n");
    // Enter approves nothing that has just appeared: new content never takes the focus.
    browser.script("location.hash = 'task=t1'");
    browser.waits("!document.querySelector('.approve').disabled").types(ENTER).types("y").types(ENTER);
    browser.types("a").waits(LISTENING).types(ENTER).types("n");
    stage.waits_to_hear("reject", 1);
    assert_eq!(stage.heard("approve"), Vec::<serde_json::Value>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_what_has_ended_can_be_tried_again_or_taken_back() {
    let stage = StubWebServer::start();
    stage.asks("first", "t1", "rename").understands("t1", "change").offers_diff("t1", 1, DIFF, &FILES);
    stage.state("t1", "EXECUTING", json!({"by": "pts/3"})).brief("t1", json!({"undo": true})).ends(
        "t1",
        "COMPLETED",
        json!({"outcome": {"summary": "2 files written"}}),
    );
    stage.asks("first", "t2", "fix the build").understands("t2", "diagnose").ends(
        "t2",
        "FAILED",
        json!({"message": "the model does not answer"}),
    );
    stage.asks("first", "t3", "look around").understands("t3", "explain");
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser
        .shows("#task-t1 .trail", "writing, approved at the terminal pts/3")
        .shows("#task-t1 .end", "2 files written")
        .clicks("#task-t1 [data-op=undo]");
    browser
        .shows("#task-t1 .undo", "Put the files back as they were?")
        .waits("document.activeElement.textContent == 'Keep'")
        .clicks("[data-op=undo-yes]");
    assert_eq!(stage.waits_to_hear("undo", 1), [json!({"op": "undo", "taskId": "t1"})]);
    browser.clicks("#task-t1 .record .file-head").waits("document.querySelector('#task-t1 .record tr.plus')");
    browser.shows("#task-t2 .end", "Failed: the model does not answer").clicks("#task-t2 [data-op=retry]");
    stage.waits_to_hear("retry", 1);
    stage.brief("t2", json!({"attempt": 2})).state("t2", "RECEIVED", json!({})).understands("t2", "diagnose");
    stage.proposes("t2", 1, json!({"type": "plan", "text": "1. look\n2. think"})).ends("t2", "COMPLETED", json!({}));
    browser
        .shows("#task-t2 .attempts", "Attempt 1: the model does not answer")
        .shows("#task-t2 .markdown ol", "think")
        .shows("#task-t2 .proposal", "A plan only");
    stage.refuses("cancel", "it has ended already");
    browser.clicks("#task-t3 [data-op=cancel]").shows("#task-t3 .trouble", "it has ended already");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_long_output_and_many_requests_stay_small() {
    let stage = StubWebServer::start();
    for number in 0..60 {
        stage.asks("first", &format!("t{number:02}"), &format!("request {number}")).ends(
            &format!("t{number:02}"),
            "COMPLETED",
            json!({}),
        );
    }
    stage.asks("first", "z", "run it").understands("z", "run").offers_command("z", 1, "yes", &[("command", "yes")]);
    stage.state("z", "EXECUTING", json!({"by": "page 1"}));
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser
        .shows("#task-z .trail", "running")
        .waits("document.querySelectorAll('article').length == 20")
        .shows(".earlier", "Show 20 of 41 earlier requests");
    for round in 0..20 {
        let lines: String = (0..1000).map(|line| format!("row {}\n", round * 1000 + line)).collect();
        stage.prints("z", &lines);
    }
    stage.prints("z", &"wide ".repeat(10_000));
    browser.shows("#task-z .output", "18501 lines above are not shown here").shows("#task-z .output", "row 19999");
    assert_eq!(browser.script("return document.querySelectorAll('#task-z .rows > div').length <= 1501"), true);
    browser.clicks(".earlier").waits("document.querySelectorAll('article').length == 40");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_an_order_to_apply_leads_to_what_waits() {
    let stage = StubWebServer::start();
    waiting(&stage);
    stage.asks("other", "t9", "look").ends("t9", "COMPLETED", json!({}));
    let Some(browser) = opened(&stage, "thread=other") else { return };
    browser.shows("#title", "look").clicks("#input").types("@dev apply t1").types(ENTER);
    browser.shows(".card", "make test").waits("location.hash == '#task=t1' && document.activeElement.id == 'task-t1'");
    assert_eq!(stage.heard("approve"), Vec::<serde_json::Value>::new());
    // An unknown task is reported, and a prefix is enough for an existing one.
    browser.script("location.hash = 'task=nobody'");
    browser.shows("#trouble", "there is no task nobody");
}

/// A browser allows six connections per host, and each window would like two permanent ones.
#[test]
fn web_page_many_windows_leave_room_for_a_question() {
    let stage = StubWebServer::start();
    waiting(&stage);
    let Some(browser) = opened(&stage, "task=t1") else { return };
    let first = browser.window();
    let mut last = first.clone();
    for _ in 0..4 {
        last = browser.opens_window();
        browser.goes(&format!("{}/#task=t1", stage.origin())).shows(".card", "make test");
    }
    browser.clicks("#input").types("is there room").types(ENTER);
    stage.waits_to_hear("ask", 1);
    browser.waits("document.getElementById('input').value == ''");
    browser.turns_to(&first);
    browser.waits("!document.querySelector('.approve').disabled").clicks(".approve");
    stage.waits_to_hear("approve", 1);
    stage.state("t1", "EXECUTING", json!({"by": "page 1"})).prints("t1", "12 passed\n").ends(
        "t1",
        "COMPLETED",
        json!({}),
    );
    browser.shows(".output", "12 passed");
    // A window without its own stream is updated too.
    browser.turns_to(&last);
    browser.shows(".output", "12 passed");
}

/// What would let foreign text become more than text, or let the page contact other hosts.
fn forbidden(name: &str, text: &str) -> Vec<String> {
    let words = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "createContextualFragment",
        "srcdoc",
        "eval(",
        "new Function",
        "setTimeout(\"",
        "javascript:",
        "@import",
        "url(",
        "<style",
        " style=",
        " onclick=",
        "http://",
        "https://",
    ];
    let lines = text.lines().filter(|line| !line.contains("www.w3.org/2000/svg") && !line.contains("(https?:"));
    let found =
        lines.flat_map(|line| words.into_iter().filter(|word| line.contains(word)).map(move |word| (word, line)));
    found.map(|(word, line)| format!("{name}: {word} in {}", line.trim())).collect()
}

#[test]
fn web_page_files_hold_nothing_that_reads_html_or_reaches_out() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("web");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let read = files.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
    let found: Vec<String> = read.flat_map(|(name, text)| forbidden(&name, &text)).collect();
    assert_eq!(found, Vec::<String>::new());
    for wrong in
        ["element.innerHTML = text;", "<p style=\"x\">", "fetch('https://cdn.example/')", "background: url(x.png)"]
    {
        assert!(!forbidden("x", wrong).is_empty(), "{wrong}");
    }
}

/// Screenshots to look at: `ASIDE_TEST_PICTURES=DIR cargo test -p aside --test it web_page_pictures`.
#[test]
fn web_page_a_long_thread_and_a_long_diff_stay_usable() {
    let stage = StubWebServer::start();
    for number in 0..300 {
        let id = format!("t{number:03}");
        stage.asks("first", &id, &format!("question {number}")).understands(&id, "explain");
        stage.proposes(&id, 1, json!({"type": "answer", "text": format!("Answer {number}.\n\n- one\n- two\n")}));
        stage.ends(&id, "COMPLETED", json!({}));
    }
    let pairs: String =
        (0..2500).map(|number| format!("-let a{number} = old({number});\n+let a{number} = new({number});\n")).collect();
    let diff = format!("diff --git a/long.rs b/long.rs\n--- a/long.rs\n+++ b/long.rs\n@@ -1,2500 +1,2500 @@\n{pairs}");
    stage.asks("first", "u1", "rename old to new").understands("u1", "change").offers_diff(
        "u1",
        1,
        &diff,
        &["M long.rs +2500 -2500"],
    );
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.shows(".card", "1 of 1 file not opened yet");
    browser.script("for (let times = 0; times < 15; times += 1) document.querySelector('.earlier')?.click()");
    browser.waits("document.querySelectorAll('article').length == 301");
    browser.waits("[...document.querySelectorAll('article .end:not([hidden])')].length == 300");
    // Content far away is in the document, for search and screen readers, but costs no layout until it is scrolled to.
    let far = "[...document.querySelectorAll('article')].filter((one) => !one.firstChild.checkVisibility({contentVisibilityAuto: true})).length";
    browser.waits(&format!("{far} > 250")).clicks(".card .file-head");
    browser.waits(
        "document.querySelectorAll('.card tr.minus').length == 2500 && !document.querySelector('.approve').disabled",
    );
    let rows = "[...document.querySelectorAll('.card .chunk')].filter((one) => !one.firstChild.checkVisibility({contentVisibilityAuto: true})).length";
    browser.waits(&format!("{rows} > 15"));
    browser.clicks(".card .way").waits("document.querySelectorAll('.card .split tr').length == 2501");
    browser.waits("!document.querySelector('.approve').disabled").clicks(".card .way");
    browser.waits("document.querySelectorAll('.card .unified tr').length == 5001");
    // The columns of all tables have the same width.
    let widths = "new Set([...document.querySelectorAll('.card .chunk table')].map((one) => one.offsetWidth)).size";
    browser.waits(&format!("{widths} == 1"));
    browser.script("location.hash = 'task=t003'");
    browser.waits("document.activeElement.id == 'task-t003'");
    browser.waits(
        "(() => { const top = document.activeElement.getBoundingClientRect().top; return top > 0 && top < 200 })()",
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_page_a_window_that_is_turned_shows_changes_the_way_that_fits() {
    let stage = StubWebServer::start();
    stage.asks("first", "t1", "rename parse to read").understands("t1", "change").offers_diff("t1", 1, DIFF, &FILES);
    let Some(browser) = opened(&stage, "thread=first") else { return };
    browser.clicks(".card .way").waits("document.querySelector('.card .split')");
    // Whole names are marked, not only the letters in them that differ.
    browser.shows(".card .minus .word", "parse").shows(".card .plus .word", "read");
    browser.size(390, 844).waits("document.querySelector('.card .unified') && !document.querySelector('.card .split')");
    browser
        .size(1280, 860)
        .waits("document.querySelector('.card .split') && !document.querySelector('.card .unified')");
}

#[test]
fn web_page_the_keys_do_not_sign_anybody_out_by_themselves() {
    let stage = StubWebServer::start();
    let Some(browser) = opened(&stage, "") else { return };
    browser.types("?").waits("document.getElementById('help').open && document.activeElement.innerText == 'Close'");
    browser.types(ENTER).waits("!document.getElementById('help').open").shows(".empty", "Ask in plain words");
    browser.shows("#none", "No threads yet");
}

#[test]
fn web_page_pictures() {
    let Some(folder) = std::env::var_os("ASIDE_TEST_PICTURES").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let stage = StubWebServer::start();
    let Some(browser) = opened(&stage, "") else { return };
    let takes = |name: &str| browser.picture(&folder.join(format!("{name}.png")));
    browser.shows(".empty", "run the tests");
    takes("empty");
    stage.asks("docs", "d1", "where is the config file read?").understands("d1", "search").proposes("d1", 1, json!({"type": "search_results", "items": [
        {"path": "src/config.rs:12", "preview": "pub fn load(path: &Path) -> Result<Config> {"}, {"path": "src/main.rs:40", "preview": "    let config = config::load(&path)?;"}]}));
    stage.ends("d1", "COMPLETED", json!({}));
    stage.asks("zh", "z1", "为什么构建这么慢？").understands("z1", "explain").proposes("z1", 1, json!({"type": "answer", "text":
        "## 原因\n\n构建慢主要有三个原因：\n\n1. **增量编译**被关闭了（`CARGO_INCREMENTAL=0`）\n2. 依赖里有两个版本的 `syn`\n3. 链接用的是默认的 `ld`\n\n| 步骤 | 时间 |\n|---|--:|\n| 编译 | 41 s |\n| 链接 | 12 s |\n\n```toml\n[profile.dev]\nincremental = true\n```\n\n详见 [Cargo 手册](https://doc.rust-lang.org/cargo/)。"}));
    stage.ends("z1", "COMPLETED", json!({}));
    stage
        .asks_with("afar", "w1", "@dev clean the build directory", json!({"source": "wecom", "fromUser": "zhang.wei"}))
        .understands("w1", "run");
    stage.offers_command(
        "w1",
        1,
        "rm -r target",
        &[
            ("command", "rm -r target"),
            ("in", "/home/ada/src/lines"),
            ("because", "the request asks for an empty build directory"),
            ("danger", "removes files for good: everything below target"),
            ("rule", "asked: it removes files, and the request came from afar"),
        ],
    );
    stage.asks("fail", "f1", "fix the flaky test").understands("f1", "diagnose").ends(
        "f1",
        "FAILED",
        json!({"message": "the model server at 127.0.0.1:11434 does not answer; start it, or set llm.provider"}),
    );
    stage
        .asks("first", "t0", "run the tests")
        .understands("t0", "run")
        .offers_command("t0", 1, "make test", &RUN)
        .state("t0", "EXECUTING", json!({"by": "page 1", "step": 1}));
    stage.prints("t0", "cargo test\n   Compiling lines v0.1.0\n    Finished test profile in 2.31s\ntest reads_lines ... ok\ntest keeps_ends ... FAILED\n\n---- keeps_ends stdout ----\nassertion `left == right` failed\n  left: [\"a\\r\", \"b\"]\n right: [\"a\", \"b\"]\n");
    stage.ends(
        "t0",
        "FAILED",
        json!({"message": "make test ended with exit status 2", "outcome": {"summary": "", "exit": 2}}),
    );
    stage
        .asks("first", "t1", "rename parse to read, and drop the ends of lines")
        .understands("t1", "change")
        .offers_diff("t1", 1, DIFF, &FILES);
    browser.script("location.hash = 'thread=first'");
    browser.waits("!document.querySelector('.approve').disabled").types("a");
    browser.waits(LISTENING);
    takes("diff-light");
    browser.prefers("dark");
    takes("diff-dark");
    browser.size(1600, 1000).clicks(".way").waits("document.querySelector('.split')");
    takes("diff-side-by-side-dark");
    browser.prefers("light");
    takes("diff-side-by-side-light");
    browser.size(360, 740).waits("innerWidth == 360").reloads().waits("!document.querySelector('.approve').disabled");
    takes("phone-diff");
    browser.clicks("#drawer").waits("document.body.classList.contains('drawer') && getComputedStyle(document.getElementById('side')).translate.startsWith('0')");
    takes("phone-drawer");
    browser.script("location.hash = 'thread=afar'");
    browser.waits("!document.querySelector('.approve').disabled");
    takes("phone-command");
    browser.size(1280, 860);
    takes("command-light");
    browser.prefers("dark");
    takes("command-dark");
    browser.script("location.hash = 'thread=zh'");
    browser.shows(".markdown", "增量编译");
    takes("chinese-dark");
    browser.prefers("light");
    takes("chinese-light");
    browser.script("location.hash = 'thread=fail'");
    browser.shows(".end", "Failed");
    takes("failed");
    browser.types("?").waits("document.getElementById('help').open");
    takes("keys");
    browser.types(ESCAPE);
    browser.script("location.hash = 'thread=first'");
    browser
        .waits("!document.querySelector('.approve').disabled")
        .types("a")
        .waits(LISTENING)
        .types("e")
        .waits("document.querySelector('.editor')");
    takes("edit");
    browser.script("document.getElementById('scroller').scrollTop = 0");
    takes("output");
}
