//! From a message in WeCom to an applied change: a sealed callback, the relay, the machine, the page in a real browser in which it is
//! approved, and the short answer at WeCom's API. With `make test-wecom` the callback is sealed by Tencent's own package.

use std::path::PathBuf;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use aside_wecom::crypto::Crypto;
use serde_json::{Value, json};

use crate::harness::browser::Browser;
use crate::harness::home::{self, ASIDE, Home};
use crate::harness::http::{Server, call};
use crate::harness::relay::Relay;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const KEY: &str = "6qkdMrq68nTKduznJYO1A37W2oEgpkMUvkttRToqhUt";
const SEAL: &str = r"
const crypto = require('@wecom/crypto');
const { text, time } = JSON.parse(process.argv[1]);
const encrypt = crypto.encrypt(process.argv[2], text, 'ww1');
console.log(JSON.stringify([encrypt, crypto.getSignature('token', time, 'nonce', encrypt)]));
";
const LINES: &str = "pub fn parse(text: &str) -> Vec<&str> {\n    text.lines().collect()\n}\n";
const RENAME: &str = "The function gets another name.\n\n```diff\n--- a/src/lines.rs\n+++ b/src/lines.rs\n@@ -1,3 +1,3 @@\n\
     -pub fn parse(text: &str) -> Vec<&str> {\n+pub fn read(text: &str) -> Vec<&str> {\n     text.lines().collect()\n }\n```\n";
/// Where the tests run as root, a command of any other scene keeps the page closed for as long as it runs.
const VISITS: usize = 30;

/// The ciphertext and the signature of a callback.
fn sealed(text: &str, time: &str) -> (String, String) {
    let Some(packages) = std::env::var_os("ASIDE_TEST_WECOM") else {
        let crypto = Crypto::new("token", KEY, "ww1").unwrap();
        let ciphertext = crypto.encrypt(text, [3; 16]);
        let signature = crypto.sign(time, "nonce", &ciphertext);
        return (ciphertext, signature);
    };
    let asked = json!({ "text": text, "time": time }).to_string();
    let output = Command::new("node").args(["-e", SEAL, &asked, KEY]).current_dir(packages).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
    (said[0].clone(), said[1].clone())
}

/// A user writes to the app in WeCom, which calls the relay.
fn writes(relay: &Relay, user: &str, text: &str) {
    let xml = format!(
        "<xml><ToUserName>ww1</ToUserName><FromUserName>{user}</FromUserName><CreateTime>1</CreateTime>\
         <MsgType>text</MsgType><Content><![CDATA[{text}]]></Content><MsgId>m1</MsgId><AgentID>7</AgentID></xml>"
    );
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().to_string();
    let (ciphertext, signature) = sealed(&xml, &time);
    let body = format!("<xml><ToUserName>ww1</ToUserName><Encrypt><![CDATA[{ciphertext}]]></Encrypt></xml>");
    let path = format!("/wecom?msg_signature={signature}&timestamp={time}&nonce=nonce");
    assert_eq!(call(&relay.listen, "POST", &path, &[], &body).0, 200);
}

/// The next message that WeCom is asked to send, of those that have these words.
fn sent(api: &Server, words: &str) -> Value {
    loop {
        let sent: Value = serde_json::from_str(&api.hears("/cgi-bin/message/send").body).unwrap();
        if sent["text"]["content"].as_str().unwrap().contains(words) {
            return sent;
        }
    }
}

fn opened(home: &Home) -> Option<Browser> {
    let browser = Browser::start()?;
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
    Some(browser)
}

#[test]
fn remote_page_a_message_in_wecom_becomes_a_change_that_is_approved_here() {
    let model = Model::start();
    model.next(ScriptedReply::streams([RENAME]));
    let home = Home::new();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/src/lines.rs", LINES);
    let url = model.base_url();
    home.write(
        ".config/aside/config.toml",
        format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n"),
    );
    let api = Server::start(|called| {
        let answer = if called.path.starts_with("/cgi-bin/gettoken") {
            json!({ "errcode": 0, "errmsg": "ok", "access_token": "T", "expires_in": 7200 })
        } else {
            json!({ "errcode": 0, "errmsg": "ok" })
        };
        (200, answer.to_string())
    });
    let app = format!(
        "[wecom]\ncorp_id = 'ww1'\nagent_id = 7\ntoken = 'token'\naes_key = '{KEY}'\nsecret = 's'\napi = '{}'\n",
        api.address
    );
    let (relay, code) = Relay::start(&home, &app);
    let said = relay.enrols(&home, &code);
    assert_eq!(said.code, 0, "{said:?}");
    let Some(browser) = opened(&home) else { return };
    writes(&relay, "li", "rename the function parse to read in src/lines.rs");
    let waits = sent(&api, "waiting for local approval");
    assert_eq!((&waits["touser"], &waits["agentid"]), (&json!("li"), &json!(7)));
    let words = waits["text"]["content"].as_str().unwrap();
    assert!(words.contains("src/lines.rs (+1 -1)") && !words.contains("+pub fn"), "{words}");
    // The page has it at once, with who asked; it is opened from its list.
    browser.shows("#threads .afar", "afar").clicks("#threads a");
    browser
        .shows(".facts-line .afar", "from afar: li")
        .shows(".card", "Write these changes?")
        .shows(".card .unified .plus .word", "read");
    let task = words.strip_prefix('[').unwrap().split_once(']').unwrap().0;
    assert_eq!(home.read("project/src/lines.rs"), LINES);
    if let Some(folder) = std::env::var_os("ASIDE_TEST_PICTURES") {
        browser.waits("!document.querySelector('.card').innerText.includes('a moment')");
        browser.picture(&PathBuf::from(folder).join("remote.png"));
    }
    browser.clicks(".approve").waits("document.querySelector('.end.done')");
    assert_eq!(home.read("project/src/lines.rs"), LINES.replace("parse", "read"));
    let done = sent(&api, "Done");
    let words = done["text"]["content"].as_str().unwrap();
    assert!(words.starts_with(&format!("[{task}] Done")) && words.len() <= 2048, "{words}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
