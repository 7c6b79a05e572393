//! The page in a real browser with the real daemon behind it: a request that is sent, shown and approved there is carried out here.

use std::time::Duration;

use serde_json::json;

use crate::harness::browser::{Browser, CONTROL, ENTER};
use crate::harness::home::{self, ASIDE, Home};
use crate::harness::tasks::TaskClient;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const LINES: &str = "pub fn parse(text: &str) -> Vec<&str> {\n    text.lines().collect()\n}\n";
const RENAME: &str = "The function gets another name.\n\n```diff\n--- a/src/lines.rs\n+++ b/src/lines.rs\n@@ -1,3 +1,3 @@\n\
     -pub fn parse(text: &str) -> Vec<&str> {\n+pub fn read(text: &str) -> Vec<&str> {\n     text.lines().collect()\n }\n```\n";

/// The user moved the focus to the card with a key a moment ago.
const LISTENING: &str = "document.activeElement.matches('.card.listening')";

/// A workspace with a test target in its Makefile.
fn workspace() -> Home {
    let home = Home::new();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/Makefile", "test:\n\t@echo 12 passed; echo once >> ran\n");
    home.write("project/src/lines.rs", LINES);
    home
}

fn with_model(model: &Model) -> Home {
    let home = workspace();
    let url = model.base_url();
    home.write(
        ".config/aside/config.toml",
        format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n"),
    );
    home
}

/// A browser at the page of this home, opened with a link from `aside web`.
fn opened(home: &Home) -> Option<Browser> {
    let browser = Browser::start()?;
    visits(home, &browser);
    Some(browser)
}

/// When the tests run as root, a running command of any other scene keeps the page closed.
const VISITS: usize = 30;

fn visits(home: &Home, browser: &Browser) {
    for _ in 0..VISITS {
        let mut command = home.command(ASIDE);
        let said = home::run(command.args(["web", "--print"]).current_dir(home.path("project")), "");
        assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
        let closed = "document.body?.innerText.includes('does not open now')";
        browser.goes(said.stdout.trim()).waits(&format!("document.querySelector('.empty') || {closed}"));
        if browser.script(&format!("return !!({closed})")) != true {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    browser.shows(".empty", "Ask in plain words").waits("document.getElementById('where').value.endsWith('/project')");
}

fn asks(browser: &Browser, words: &str) {
    browser.clicks("#input").types(words).types(ENTER);
}

fn ran(home: &Home) -> usize {
    std::fs::read_to_string(home.path("project/ran")).unwrap_or_default().lines().count()
}

#[test]
fn web_live_the_tests_run_once_they_are_approved() {
    let home = workspace();
    let Some(browser) = opened(&home) else { return };
    asks(&browser, "run the tests");
    browser
        .shows(".trail", "understood: run")
        .shows(".trail", "waiting for you")
        .shows(".card .command", "make test")
        .shows(".card dd.code", "/project");
    assert_eq!(ran(&home), 0);
    browser.clicks(".approve").shows(".end", "exit 0").shows(".output", "12 passed").shows(".trail", "approved by you");
    assert_eq!(ran(&home), 1);
    // A later visitor finds the same by its address.
    let place = browser.script("return document.querySelector('.permalink').href");
    browser
        .goes("about:blank")
        .goes(place.as_str().unwrap())
        .shows(".output", "12 passed")
        .shows(".end", "exit 0")
        .shows("#title", "run the tests");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_live_a_change_is_seen_both_ways_written_and_taken_back() {
    let model = Model::start();
    model.next(ScriptedReply::streams([&RENAME[..40], &RENAME[40..90], &RENAME[90..]]).pace(Duration::from_millis(30)));
    let home = with_model(&model);
    let Some(browser) = opened(&home) else { return };
    asks(&browser, "rename the function parse to read in src/lines.rs");
    browser
        .shows(".card", "Write these changes?")
        .shows(".card .unified .minus .word", "parse")
        .shows(".card .file-head", "src/lines.rs");
    browser
        .clicks(".way")
        .shows(".card .split .plus .word", "read")
        .clicks(".way")
        .shows(".card .unified .plus .word", "read");
    assert_eq!(home.read("project/src/lines.rs"), LINES);
    browser.clicks(".approve").shows(".trail", "writing, approved by you").waits("document.querySelector('.end.done')");
    assert_eq!(home.read("project/src/lines.rs"), LINES.replace("parse", "read"));
    browser
        .clicks("[data-op=undo]")
        .clicks("[data-op=undo-yes]")
        .waits("!document.querySelector('.task > .note').hidden");
    assert_eq!(home.read("project/src/lines.rs"), LINES);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_live_what_is_rejected_edited_or_tried_again() {
    let home = workspace();
    let Some(browser) = opened(&home) else { return };
    asks(&browser, "run `exit 3`");
    browser.shows(".card .command", "exit 3").clicks(".approve").shows(".end.failed", "3").clicks("[data-op=retry]");
    browser.shows(".attempts", "Attempt 1").shows(".card .command", "exit 3");
    browser.types("a").waits(LISTENING).types("e").waits("document.activeElement.className == 'editor'");
    browser.script("document.activeElement.select()");
    browser
        .types("echo fine >> ran")
        .chord(&[CONTROL], ENTER)
        .shows(".card .command", "echo fine >> ran")
        .shows(".card", "step 3");
    assert_eq!(ran(&home), 0);
    // Visible for a moment, then approved with two keys.
    browser
        .waits("!document.querySelector('.approve').disabled")
        .types("a")
        .waits(LISTENING)
        .types("y")
        .shows(".end.done", "exit 0");
    assert_eq!(home.read("project/ran"), "fine\n");
    asks(&browser, "run the tests");
    browser
        .shows("article:nth-of-type(2) .card .command", "make test")
        .clicks("article:nth-of-type(2) .why")
        .types("not today")
        .types(ENTER);
    browser.shows(".end.rejected", "not today");
    assert_eq!(ran(&home), 1);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_live_of_two_who_approve_at_once_one_does_and_the_other_sees_who() {
    let home = workspace();
    let (Some(one), Some(other)) = (opened(&home), Browser::start()) else { return };
    visits(&home, &other);
    asks(&one, "run the tests");
    one.shows(".card .command", "make test");
    other.shows("#threads", "run the tests").clicks("#threads a").shows(".card .command", "make test");
    let ready = "!document.querySelector('.approve').disabled";
    one.waits(ready);
    other.waits(ready);
    // Scheduled on the clock that both share: a slow driver would find the card gone.
    let moment = one.script("return Date.now() + 2000").as_u64().unwrap();
    std::thread::scope(|scope| {
        for browser in [&one, &other] {
            scope.spawn(move || browser.script(&format!("const yes = document.querySelector('.approve'); setTimeout(() => yes.click(), {moment} - Date.now())")));
        }
    });
    for browser in [&one, &other] {
        browser.shows(".end", "exit 0");
    }
    assert_eq!(ran(&home), 1);
    let mine = [&one, &other].map(|browser| browser.text(".trail").contains("approved by you"));
    assert_eq!(mine.iter().filter(|mine| **mine).count(), 1, "{mine:?}");
    let loser = if mine[0] { &other } else { &one };
    loser.shows(".trail", "approved in another window");
    assert_eq!([one.complaints(), other.complaints()], [const { Vec::<String>::new() }; 2]);
}

#[test]
fn web_live_hostile_answers_stay_text_and_every_file_is_served() {
    let model = Model::start();
    let evil = "<img src=x onerror=\"window.pwned = 1\"> <script>window.pwned = 2</script> [x](javascript:window.pwned=3) \u{202e}abc\n";
    model.always(ScriptedReply::chat(evil));
    let home = with_model(&model);
    let Some(browser) = opened(&home) else { return };
    asks(&browser, "explain what <b>frobnicate</b> does in src/lines.rs");
    browser
        .shows("article h2", "<b>frobnicate</b>")
        .waits("document.querySelector('.end')")
        .shows("article", "<script>window.pwned = 2</script>");
    assert!(!browser.text("article").contains('\u{202e}'));
    assert_eq!(browser.script("return window.pwned ?? null"), serde_json::Value::Null);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if name == "index.html" {
            continue;
        }
        let path = format!("/{name}");
        let status = browser.script(&format!(
            "const asked = new XMLHttpRequest(); asked.open('GET', '{path}', false); asked.send(); return asked.status"
        ));
        assert_eq!(status, 200, "{path} is not served");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let origin = browser.script("return location.origin");
    let elsewhere: Vec<String> = browser
        .requested()
        .into_iter()
        .filter(|url| !url.starts_with(origin.as_str().unwrap()) && !url.starts_with("data:"))
        .collect();
    assert_eq!(elsewhere, Vec::<String>::new());
}

#[test]
fn web_live_what_a_terminal_decides_is_seen_with_its_name() {
    let home = workspace();
    let Some(browser) = opened(&home) else { return };
    let mut person = TaskClient::at(&home, &home.path("project"));
    for (number, op) in ["reject", "approve"].iter().enumerate() {
        asks(&browser, "run the tests");
        let article = format!("article:nth-of-type({})", number + 1);
        browser.shows(&format!("{article} .card .command"), "make test");
        let id = browser.script(&format!("return document.querySelector('{article}').id.slice(5)"));
        let shown = person.says("show", json!({"taskId": id}))["offer"].clone();
        let answer =
            json!({"taskId": id, "step": shown["step"], "digest": shown["digest"], "by": "tty7", "text": "not now"});
        assert_eq!(person.says(op, answer)["type"], "task");
        match *op {
            "reject" => browser.shows(&format!("{article} .end"), "Rejected at the terminal tty7: not now"),
            _ => browser
                .shows(&format!("{article} .trail"), "approved at the terminal tty7")
                .shows(&format!("{article} .end"), "exit 0"),
        };
        browser.lacks(".card");
    }
    assert_eq!(ran(&home), 1);
}
