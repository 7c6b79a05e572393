//! Chats that call this machine: an app of WeCom, with a stand-in of its API, and a signed webhook, with a program at its other end.

use std::time::{SystemTime, UNIX_EPOCH};

use aside_wecom::crypto::Crypto;
use ring::hmac;
use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::http::{Server, call, free, raw};
use crate::harness::tasks::TaskClient;

const KEY: &str = "6qkdMrq68nTKduznJYO1A37W2oEgpkMUvkttRToqhUt";

fn home() -> Home {
    let home = Home::new();
    home.write(".config/aside/config.toml", "[remote]\nusers = ['li', 'wang']\n");
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/make.sh", "echo made >> made.txt\n");
    home
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// WeCom's API; the first token goes stale once it was used.
fn api() -> Server {
    let mut tokens = 0;
    Server::start(move |called| {
        let answer = if called.path == "/cgi-bin/gettoken?corpid=ww1&corpsecret=app-secret" {
            tokens += 1;
            json!({ "errcode": 0, "errmsg": "ok", "access_token": format!("T{tokens}"), "expires_in": 7200 })
        } else if called.path == "/cgi-bin/message/send?access_token=T2" {
            json!({ "errcode": 0, "errmsg": "ok" })
        } else {
            json!({ "errcode": 42_001, "errmsg": "access_token expired" })
        };
        (200, answer.to_string())
    })
}

struct App {
    home: Home,
    api: Server,
    listen: String,
    crypto: Crypto,
}

impl App {
    fn start() -> Self {
        let (home, api, listen) = (home(), api(), free());
        let project = home.path("project").display().to_string();
        let args = ["remote", "setup", "--chat", "app", "--corp-id", "ww1", "--agent-id", "7", "--workspace", &project];
        let args = [&args[..], &["--listen", &listen, "--server", &api.address]].concat();
        let said = home.aside_reads(&args, &format!("token\n{KEY}\napp-secret\n"));
        assert_eq!(said.code, 0, "{said:?}");
        Self { home, api, listen, crypto: Crypto::new("token", KEY, "ww1").unwrap() }
    }

    /// The query and the body of a callback.
    fn sealed(&self, time: u64, text: &str) -> (String, String) {
        let ciphertext = self.crypto.encrypt(text, [3; 16]);
        let signature = self.crypto.sign(&time.to_string(), "nonce", &ciphertext);
        let body = format!("<xml><ToUserName>ww1</ToUserName><Encrypt><![CDATA[{ciphertext}]]></Encrypt></xml>");
        (format!("/?msg_signature={signature}&timestamp={time}&nonce=nonce"), body)
    }

    fn writes(&self, user: &str, id: &str, text: &str) -> u16 {
        let text = format!(
            "<xml><ToUserName>ww1</ToUserName><FromUserName>{user}</FromUserName><CreateTime>1</CreateTime>\
             <MsgType>text</MsgType><Content><![CDATA[{text}]]></Content><MsgId>{id}</MsgId><AgentID>7</AgentID></xml>"
        );
        let (path, body) = self.sealed(now(), &text);
        call(&self.listen, "POST", &path, &[], &body).0
    }

    /// What WeCom is asked to send next.
    fn sends(&self) -> Value {
        let sent = self.api.hears("/cgi-bin/message/send?access_token=T2");
        serde_json::from_str(&sent.body).unwrap()
    }
}

#[test]
fn an_app_of_wecom_calls_and_is_answered_through_its_api() {
    let app = App::start();
    let (path, _) = app.sealed(now(), "1616140317555161061");
    let echo = app.crypto.encrypt("1616140317555161061", [3; 16]).replace('+', "%2B").replace('/', "%2F");
    let checked = call(&app.listen, "GET", &format!("{path}&echostr={}", echo.replace('=', "%3D")), &[], "");
    assert_eq!(checked, (200, "1616140317555161061".to_owned()));
    // WeCom calls again what was not answered in time.
    for _ in 0..3 {
        assert_eq!(app.writes("li", "m1", "@dev run `sh make.sh`"), 200);
    }
    assert_eq!(app.writes("eve", "m2", "@dev run `sh make.sh`"), 200);
    let received = app.sends();
    assert_eq!(
        (&received["touser"], &received["agentid"], &received["msgtype"]),
        (&json!("li"), &json!(7), &json!("text"))
    );
    let waits = app.sends()["text"]["content"].as_str().unwrap().to_owned();
    assert!(waits.contains("waiting for local approval"), "{waits}");
    let mut ada = TaskClient::at(&app.home, &app.home.path("project"));
    let tasks = ada.says("list", json!({}));
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
    let task = tasks["tasks"][0]["taskId"].as_str().unwrap();
    assert_eq!((&tasks["tasks"][0]["source"], &tasks["tasks"][0]["fromUser"]), (&json!("wecom"), &json!("li")));
    let shown = ada.sees(task);
    ada.approves(&shown);
    while !app.sends()["text"]["content"].as_str().unwrap().contains("Done.") {}
    assert_eq!(app.home.read("project/made.txt"), "made\n");
}

#[test]
fn callbacks_that_are_wrong_old_huge_or_slow_come_to_nothing() {
    let app = App::start();
    let text = "<xml><ToUserName>ww1</ToUserName><FromUserName>li</FromUserName><MsgType>text</MsgType>\
        <Content>@dev run `sh make.sh`</Content><MsgId>m</MsgId><AgentID>7</AgentID></xml>";
    let (path, body) = app.sealed(now(), text);
    let (old, old_body) = app.sealed(now() - 3600, text);
    let other = App { crypto: Crypto::new("token", KEY, "ww2").unwrap(), ..App::start() };
    let (elsewhere, elsewhere_body) = other.sealed(now(), text);
    for (path, body) in [
        (path.replace("nonce=nonce", "nonce=other"), body.clone()),
        (path.replace("msg_signature=", "msg_signature=0"), body.clone()),
        (path.clone(), body.replace("<Encrypt><![CDATA[", "<Encrypt><![CDATA[A")),
        (path.clone(), String::new()),
        ("/".to_owned(), body.clone()),
        (old, old_body),
        (elsewhere, elsewhere_body),
    ] {
        assert_eq!(call(&app.listen, "POST", &path, &[], &body).0, 403, "{path}");
    }
    assert_eq!(call(&app.listen, "PUT", &path, &[], &body).0, 405);
    let huge = "x".repeat(1024 * 1024);
    assert!(matches!(call(&app.listen, "POST", &path, &[], &huge).0, 413 | 0));
    let slow = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n<xml>");
    assert!(raw(&app.listen, slow.as_bytes()).starts_with("HTTP/1.1 408 "), "a body that does not come is cut");
    let long = format!("GET /?{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(100_000));
    assert!(!raw(&app.listen, long.as_bytes()).starts_with("HTTP/1.1 200"));
    assert_eq!(app.home.aside(&["task", "list"]).stdout, "");
    let log = app.home.read(".local/state/aside/daemon.log");
    assert!(log.contains("a callback was refused: Signature") && log.contains("its time is not ours"), "{log}");
}

#[test]
fn a_webhook_carries_any_other_chat() {
    let home = home();
    let replies = Server::start(|_| (204, String::new()));
    let listen = free();
    let project = home.path("project").display().to_string();
    let args = ["remote", "setup", "--chat", "webhook", "--listen", &listen, "--workspace", &project];
    let said = home.aside(&[&args[..], &["--reply-url", &format!("{}/reply", replies.address)]].concat());
    assert_eq!(said.code, 0, "{said:?}");
    let key = said.stdout.lines().find(|line| line.starts_with("    ")).unwrap().trim().to_owned();
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
    let signed = |time: &str, body: &str| -> String {
        let tag = hmac::sign(&key, format!("{time}.{body}").as_bytes());
        format!("sha256={}", tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    };
    let time = now().to_string();
    let body = json!({ "id": "m1", "user": "li", "chat": "room", "text": "@dev run `sh make.sh`" }).to_string();
    let post = |signature: &str| {
        call(&listen, "POST", "/", &[("x-aside-timestamp", &time), ("x-aside-signature", signature)], &body).0
    };
    assert_eq!(post("sha256=00"), 403);
    // The limits are those of a relay.
    for (user, text, expected) in [("l".repeat(200), "x".to_owned(), 400), ("eve".to_owned(), "x".repeat(8193), 413)] {
        let body = json!({ "id": "m0", "user": user, "text": text }).to_string();
        let signature = signed(&time, &body);
        let headers = [("x-aside-timestamp", time.as_str()), ("x-aside-signature", signature.as_str())];
        assert_eq!(call(&listen, "POST", "/", &headers, &body).0, expected);
    }
    assert_eq!([post(&signed(&time, &body)), post(&signed(&time, &body))], [202, 202]);
    let mut heard = Vec::new();
    while heard.len() < 2 {
        let reply = replies.hears("/reply");
        assert_eq!(reply.header("x-aside-signature"), signed(reply.header("x-aside-timestamp"), &reply.body));
        heard.push(serde_json::from_str::<Value>(&reply.body).unwrap());
    }
    assert!(heard.iter().all(|reply| reply["chat"] == "room" && reply["task"] == heard[0]["task"]), "{heard:?}");
    let mut ada = TaskClient::at(&home, &home.path("project"));
    let tasks = ada.says("list", json!({}));
    assert_eq!((&tasks["tasks"][0]["source"], &tasks["tasks"][1]), (&json!("webhook"), &Value::Null), "{tasks}");
    // The next daemon knows what this one has acted upon; another user's message with the same id is another message.
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    let begun = std::time::Instant::now();
    while std::net::TcpStream::connect(&listen).is_err() {
        assert!(begun.elapsed() < crate::harness::patience(), "the next daemon does not listen");
    }
    assert_eq!(post(&signed(&time, &body)), 202);
    let mut ada = TaskClient::at(&home, &home.path("project"));
    let other = json!({ "id": "m1", "user": "wang", "chat": "room", "text": "status" }).to_string();
    let signature = signed(&time, &other);
    let headers = [("x-aside-timestamp", time.as_str()), ("x-aside-signature", signature.as_str())];
    assert_eq!(call(&listen, "POST", "/", &headers, &other).0, 202);
    while !serde_json::from_str::<Value>(&replies.hears("/reply").body).unwrap()["text"]
        .as_str()
        .is_some_and(|text| text.starts_with("You have asked for nothing yet."))
    {}
    let tasks = ada.says("list", json!({}));
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
    let mut answer = ada.sees(heard[0]["task"].as_str().unwrap()).answer("eve");
    answer["source"] = json!("webhook");
    assert_eq!(ada.says("approve", answer)["error"]["code"], "refused");
}
