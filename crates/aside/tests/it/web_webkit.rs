//! The core of the page in WebKit, the other common browser engine: a request, both diff views, an approval, and a reconnect to the
//! next daemon. For `make soak`: it needs a virtual screen and a hundred megabytes of packages.

use std::time::Duration;

use crate::harness::browser::{Browser, CONTROL, ENTER};
use crate::harness::home::{self, ASIDE, Home};
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const LINES: &str = "pub fn parse(text: &str) -> Vec<&str> {\n    text.lines().collect()\n}\n";
const RENAME: &str = "The function gets another name.\n\n```diff\n--- a/src/lines.rs\n+++ b/src/lines.rs\n@@ -1,3 +1,3 @@\n\
     -pub fn parse(text: &str) -> Vec<&str> {\n+pub fn read(text: &str) -> Vec<&str> {\n     text.lines().collect()\n }\n```\n";

#[test]
fn web_webkit_asks_shows_approves_and_comes_back() {
    if std::env::var_os("ASIDE_TEST_WEBKIT").is_none() {
        return;
    }
    let model = Model::start();
    model.always(
        ScriptedReply::streams([&RENAME[..40], &RENAME[40..90], &RENAME[90..]]).pace(Duration::from_millis(30)),
    );
    let home = Home::new();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/Makefile", "test:\n\t@echo 12 passed; echo once >> ran\n");
    home.write("project/src/lines.rs", LINES);
    let url = model.base_url();
    let config = format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n");
    home.write(".config/aside/config.toml", config);
    let Some(browser) = Browser::start_webkit() else { panic!("there is no WebKit here") };
    let mut command = home.command(ASIDE);
    let said = home::run(command.args(["web", "--print"]).current_dir(home.path("project")), "");
    browser.goes(said.stdout.trim()).shows(".empty", "Ask in plain words");
    browser.waits("document.getElementById('where').value.endsWith('/project')");

    browser.clicks("#input").types("run the tests").types(ENTER).shows(".card .command", "make test");
    browser.clicks(".approve").shows(".end", "exit 0").shows(".output", "12 passed");
    assert_eq!(home.read("project/ran"), "once\n");

    // A change, in both views, edited and approved with the keyboard.
    browser.clicks("#input").types("rename the function parse to read in src/lines.rs").types(ENTER);
    browser.shows(".card .unified .minus .word", "parse");
    browser.clicks(".card .way").shows(".card .split .plus .word", "read");
    browser.clicks(".card .way").shows(".card .unified .plus .word", "read");
    let listening = "document.activeElement.matches('.card.listening')";
    browser.script("document.getElementById('scroller').focus()");
    browser.types("a").waits(listening).types("e").waits("document.activeElement.className == 'editor'");
    browser
        .script("document.activeElement.value = document.activeElement.value.replace('+pub fn read', '+pub fn lines')");
    browser.chord(&[CONTROL], ENTER).shows(".card", "step 2").shows(".card .plus .word", "lines");
    browser.script("document.getElementById('scroller').focus()");
    browser.waits("!document.querySelector('.approve').disabled").types("a").waits(listening).types("y");
    browser.waits("document.querySelectorAll('.end.done').length == 2");
    assert_eq!(home.read("project/src/lines.rs"), LINES.replace("parse", "lines"));

    let before = browser.script("return location.host").as_str().unwrap().to_owned();
    browser.clicks("#input").types("half a sentence");
    home.aside_does(&["daemon", "stop"]);
    browser.shows("#link", "The daemon is away");
    home.aside_does(&["daemon", "start"]);
    browser
        .waits(&format!("location.host != '{before}' && document.getElementById('input')?.value == 'half a sentence'"));
    browser.shows(".output", "12 passed");
}
