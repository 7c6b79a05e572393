//! What is tried against a relay: each attempt comes to nothing, and the relay goes on.

use std::time::Duration;

use aside_relay::chat::webhook;
use aside_relay::http::{self, HttpResponse};
use aside_relay::key::MachineKey;
use aside_relay::protocol::{MAX_FRAME, MAX_REPLY, ToMachine, ToRelay};
use aside_relay::relay::MAX_USERS;
use aside_relay::seconds;
use futures_util::SinkExt;
use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message as Frame;

use crate::harness::{Chat, Identity, KEY, Machine, Site, TOKEN, backends, call, raw, site, site_with, sqlite};

async fn enrols(site: &Site, code: &str, key: &MachineKey) -> u16 {
    let body = json!({ "code": code, "public_key": key.public() }).to_string();
    call(site.public, "POST", "/enroll", &[], &body).await.0
}

#[tokio::test]
async fn a_code_is_good_once_also_for_two_at_the_same_time_and_not_for_long() {
    for backend in backends() {
        let chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let (key, _) = MachineKey::generate().unwrap();
        let (other, _) = MachineKey::generate().unwrap();
        let code = site.relay.invite("dev-1", &[], Duration::from_secs(60)).await.unwrap();
        let (one, two) = tokio::join!(enrols(&site, &code, &key), enrols(&site, &code, &other));
        let mut both = [one, two];
        both.sort_unstable();
        assert_eq!(both, [200, 403]);
        assert_eq!(enrols(&site, &code, &other).await, 403, "it was used");
        let expired = site.relay.invite("dev-2", &[], Duration::ZERO).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(enrols(&site, &expired, &other).await, 403);
        for wrong in ["", "AAAAA-AAAAA-AAAAA-AAAAA", "'; --", &"A".repeat(10_000)] {
            assert_eq!(enrols(&site, wrong, &other).await, 403);
        }
        let code = site.relay.invite("dev-3", &[], Duration::from_secs(60)).await.unwrap();
        for body in [
            json!({ "code": code, "public_key": "AAAA" }),
            json!({ "code": code, "public_key": "" }),
            json!({ "code": code }),
            json!([]),
        ] {
            let status = call(site.public, "POST", "/enroll", &[], &body.to_string()).await.0;
            assert!(matches!(status, 400 | 403), "{body}");
        }
        assert_eq!(enrols(&site, &code, &key).await, 200, "what is no key does not use a code up");
        for name in ["", "Dev", "dev.1", "dev/1", "dev 1", "*", &"d".repeat(41)] {
            assert!(site.relay.invite(name, &[], Duration::from_secs(60)).await.is_err(), "{name}");
        }
    }
}

/// What a machine is told that says hello like this.
async fn hello(site: &Site, name: &str, sign: impl Fn(&str) -> String) -> Option<ToMachine> {
    let mut machine = Machine::opens(site.public).await;
    let nonce = machine.challenged().await;
    machine.says(&ToRelay::Hello { machine: name.to_owned(), signature: sign(&nonce) }).await;
    let told = machine.next().await;
    assert_eq!(machine.next().await, None, "it hangs up");
    told
}

#[tokio::test]
async fn a_machine_cannot_be_another_and_a_signature_is_good_once() {
    let chat = Chat::start().await;
    let backend = sqlite();
    let site = site(&backend, &chat).await;
    let (victim, eve) = (site.enrols("dev-1", &["li"]).await, site.enrols("eve-1", &["eve"]).await);
    let mut machine = victim.connects(&site).await;
    let refused = |told: Option<ToMachine>| matches!(told, Some(ToMachine::Refused { .. }));
    assert!(refused(hello(&site, "dev-1", |nonce| eve.key.sign("dev-1", nonce)).await));
    assert!(refused(hello(&site, "dev-1", |nonce| eve.key.sign("eve-1", nonce)).await));
    assert!(refused(hello(&site, "dev-1", |_| victim.key.sign("dev-1", "a nonce that was seen")).await));
    assert!(refused(hello(&site, "dev-1", |_| String::new()).await));
    assert!(refused(hello(&site, "unknown", |nonce| eve.key.sign("unknown", nonce)).await));
    // None of them has taken the place of the machine, and eve's machine gets nothing of li's.
    let mut hers = eve.connects(&site).await;
    site.hears("m1", "li", "for dev-1 alone").await;
    site.hears("m2", "eve", "on dev-1: for dev-1").await;
    site.hears("m3", "eve", "for eve-1").await;
    assert_eq!(machine.takes().await, "for dev-1 alone");
    let message = hers.delivered().await;
    assert_eq!(message.text, "for eve-1");
    // Nor can it settle another's message, or speak into another's chat.
    assert!(matches!(hers.replies("r1", "webhook/li", "hi").await, Some(ToMachine::Rejected { .. })));
    assert!(matches!(hers.replies("r2", "wecom/li", "hi").await, Some(ToMachine::Rejected { .. })));
    assert!(matches!(hers.replies("r3", "li", "hi").await, Some(ToMachine::Rejected { .. })));
    let long = "x".repeat(MAX_REPLY + 1);
    assert!(matches!(hers.replies("r4", &message.chat, &long).await, Some(ToMachine::Rejected { .. })));
    assert!(matches!(hers.replies("r5", &message.chat, "hi").await, Some(ToMachine::Stored { .. })));
}

#[tokio::test]
async fn a_revoked_key_ends_its_open_connection_and_opens_no_other() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let dev = site.enrols("dev-1", &["li"]).await;
        let mut machine = dev.connects(&site).await;
        assert_eq!(site.admin("POST", "/admin/revoke", &json!({ "machine": "dev-1" })).await.0, 200);
        assert!(matches!(machine.next().await, Some(ToMachine::Refused { .. })));
        assert_eq!(machine.next().await, None);
        assert!(matches!(
            hello(&site, "dev-1", |nonce| dev.key.sign("dev-1", nonce)).await,
            Some(ToMachine::Refused { .. })
        ));
        assert_eq!(site.hears("m1", "li", "run the tests").await, 202);
        assert!(chat.heard_nothing(), "the user has no machine any more");
        assert_eq!(site.admin("POST", "/admin/revoke", &json!({ "machine": "dev-1" })).await.0, 404);
        // A new code gives the machine a new key, and the old one stays void.
        let again = site.enrols("dev-1", &["li"]).await;
        let mut machine = again.connects(&site).await;
        assert!(matches!(
            hello(&site, "dev-1", |nonce| dev.key.sign("dev-1", nonce)).await,
            Some(ToMachine::Refused { .. })
        ));
        site.hears("m2", "li", "with the new key").await;
        assert_eq!(machine.takes().await, "with the new key");
        // A key that is rotated ends the connection of the one before.
        let Identity { .. } = site.enrols("dev-1", &[]).await;
        assert!(matches!(machine.next().await, Some(ToMachine::Refused { .. })));
    }
}

#[tokio::test]
async fn the_newest_connection_of_a_machine_is_the_one() {
    let chat = Chat::start().await;
    let backend = sqlite();
    let site = site(&backend, &chat).await;
    let dev = site.enrols("dev-1", &["li"]).await;
    let mut first = dev.connects(&site).await;
    let mut second = dev.connects(&site).await;
    assert_eq!(first.next().await, None);
    site.hears("m1", "li", "once").await;
    assert_eq!(second.takes().await, "once");
}

#[tokio::test]
async fn the_operators_endpoints_need_the_token_and_are_not_for_the_public() {
    let chat = Chat::start().await;
    let backend = sqlite();
    let site = site(&backend, &chat).await;
    site.enrols("dev-1", &["li"]).await;
    let calls = [
        ("POST", "/admin/enroll", json!({ "machine": "dev-2" })),
        ("POST", "/admin/revoke", json!({ "machine": "dev-1" })),
        ("POST", "/admin/route", json!({ "user": "eve", "machine": "dev-1" })),
        ("GET", "/admin/machines", Value::Null),
        ("GET", "/admin/audit", Value::Null),
        ("GET", "/", Value::Null),
    ];
    for (method, path, body) in &calls {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let longer = format!("Bearer {TOKEN}x");
        let shorter = format!("Bearer {}", &TOKEN[1..]);
        for header in ["", "Bearer ", "Bearer wrong", TOKEN, "Basic eDp5", longer.as_str(), shorter.as_str()] {
            let answered = call(site.admin, method, path, &[("authorization", header)], &body).await;
            assert_eq!(answered, (401, String::new()), "{path} {header}");
        }
        let token = format!("Bearer {TOKEN}");
        let answered = call(site.public, method, path, &[("authorization", &token)], &body).await;
        assert_eq!(answered.0, 404, "{path} is public");
    }
    assert_eq!(call(site.public, "GET", "/metrics", &[], "").await.0, 404);
    let (_, machines) = site.admin("GET", "/admin/machines", &Value::Null).await;
    assert_eq!(
        (machines["machines"].as_array().unwrap().len(), &machines["machines"][0]["revoked"]),
        (1, &json!(false))
    );
    assert_eq!(site.admin("POST", "/admin/enroll", &json!({ "machine": "Dev 2" })).await.0, 400);
    assert_eq!(site.admin("POST", "/admin/enroll", &json!({ "name": "dev-2" })).await.0, 400);
    for minutes in [0, 10_081, 99_999_999] {
        let (status, told) =
            site.admin("POST", "/admin/enroll", &json!({ "machine": "dev-2", "minutes": minutes })).await;
        assert_eq!((status, &told["error"]), (400, &json!("a code is good for 1 to 10080 minutes")));
    }
    let metrics = call(site.admin, "GET", "/metrics", &[], "").await.1;
    assert!(!metrics.contains("li") || !metrics.contains("\"li\""), "{metrics}");
    assert!(metrics.contains("aside_relay_admin_calls_total{result=\"refused\"} "));
}

#[tokio::test]
async fn calls_that_are_forged_old_huge_or_slow_come_to_nothing() {
    let mut chat = Chat::start().await;
    let backend = sqlite();
    let site = site(&backend, &chat).await;
    let dev = site.enrols("dev-1", &["li"]).await;
    let body = json!({ "id": "m", "user": "li", "text": "x" }).to_string();
    let post = async |key: &str, time: u64, body: &str| {
        let (time, signature) = webhook::headers(key, time, body);
        call(site.public, "POST", "/webhook", &[("x-aside-timestamp", &time), ("x-aside-signature", &signature)], body)
            .await
            .0
    };
    assert_eq!(post("another key", seconds(), &body).await, 403);
    assert_eq!(post(KEY, seconds() - 3600, &body).await, 403);
    assert_eq!(post(KEY, seconds() + 3600, &body).await, 403);
    assert_eq!(post(KEY, seconds(), "{}").await, 400);
    for (user, id, text) in [
        ("", "m", "x".to_owned()),
        ("li", "", "x".to_owned()),
        (&"l".repeat(200), "m", "x".to_owned()),
        ("li", &"m".repeat(300), "x".to_owned()),
    ] {
        let body = json!({ "id": id, "user": user, "text": text }).to_string();
        assert_eq!(post(KEY, seconds(), &body).await, 400, "{user} {id}");
    }
    assert_eq!(call(site.public, "GET", "/webhook", &[], "").await.0, 405);
    assert_eq!(call(site.public, "GET", "/machine", &[], "").await.0, 426);
    assert_eq!(call(site.public, "POST", "/wecom", &[], "<xml/>").await.0, 404, "no app is set up");
    let huge = "x".repeat(1024 * 1024);
    assert!(matches!(call(site.public, "POST", "/webhook", &[], &huge).await.0, 413 | 0));
    let head = format!("GET /?{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(100_000));
    assert!(!raw(site.public, head.as_bytes()).await.starts_with("HTTP/1.1 200"));
    // A body and a hello that do not come: both are given up after a while.
    let slow = b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";
    let mut silent = Machine::opens(site.public).await;
    silent.challenged().await;
    let (answer, told) = tokio::join!(raw(site.public, slow), silent.next());
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert_eq!(told, None);
    // A machine that sends no frame, or one that is too long, is cut off.
    for frame in ["{}".to_owned(), "x".repeat(MAX_FRAME + 1), json!({ "type": "approve", "id": "t1" }).to_string()] {
        let mut machine = dev.connects(&site).await;
        let _ = machine.0.send(Frame::text(frame)).await;
        while machine.next().await.is_some() {}
    }
    let mut machine = dev.connects(&site).await;
    assert_eq!(post(KEY, seconds(), &body).await, 202);
    assert_eq!(machine.takes().await, "x", "the relay goes on");
    assert!(chat.heard_nothing());
}

#[tokio::test]
async fn a_reply_goes_to_the_address_of_the_settings_and_follows_nothing() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = format!("http://{}/", elsewhere.local_addr().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let reply_url = format!("http://{}/reply", listener.local_addr().unwrap());
    let tell_other = tell.clone();
    let location = other.clone();
    let redirecting = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = Vec::new();
            let body = loop {
                let mut piece = [0; 4096];
                let read = stream.read(&mut piece).await.unwrap();
                asked.extend_from_slice(&piece[..read]);
                let text = String::from_utf8_lossy(&asked).into_owned();
                if let Some((_, body)) = text.split_once("\r\n\r\n")
                    && body.ends_with('}')
                {
                    break body.to_owned();
                }
                assert!(read > 0, "{text}");
            };
            let answer =
                format!("HTTP/1.1 307 x\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            let _ = tell.send(("reply", body));
        }
    });
    let waiting = tokio::spawn(http::serve(elsewhere, move |asked| {
        let _ = tell_other.send(("elsewhere", asked.path));
        async { HttpResponse::of(StatusCode::OK, "") }
    }));
    let backend = sqlite();
    let site = site_with(&backend, |settings| settings.reply_url = reply_url).await;
    let dev = site.enrols("dev-1", &["li"]).await;
    let mut machine = dev.connects(&site).await;
    // A user and a chat that look like headers and addresses are texts.
    let body = json!({ "id": "m1", "user": "li", "chat": format!("{other}\r\nX: y"), "text": "x" }).to_string();
    let (time, signature) = webhook::headers(KEY, seconds(), &body);
    let headers = [(webhook::TIMESTAMP, time.as_str()), (webhook::SIGNATURE, signature.as_str())];
    assert_eq!(call(site.public, "POST", "/webhook", &headers, &body).await.0, 202);
    let message = machine.delivered().await;
    machine.replies("r1", &message.chat, &format!("see {other}")).await;
    let (place, text) = told.recv().await.unwrap();
    assert_eq!(place, "reply");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["chat"], format!("{other}\r\nX: y"));
    // It is tried again at the same place; the place that the answer named is never called.
    assert_eq!(told.recv().await.unwrap().0, "reply");
    redirecting.abort();
    waiting.abort();
}

#[tokio::test]
async fn a_code_that_was_not_used_can_be_made_void() {
    for backend in backends() {
        let chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let (_, told) = site.admin("POST", "/admin/enroll", &json!({ "machine": "dev-2", "users": ["wang"] })).await;
        let (_, machines) = site.admin("GET", "/admin/machines", &Value::Null).await;
        assert_eq!((&machines["codes"][0]["machine"], &machines["codes"][1]), (&json!("dev-2"), &Value::Null));
        assert!(!machines.to_string().contains(told["code"].as_str().unwrap()));
        let revoked = site.admin("POST", "/admin/revoke", &json!({ "machine": "dev-2" })).await;
        assert_eq!(revoked, (200, json!({ "key": false, "codes": 1 })));
        let (key, _) = MachineKey::generate().unwrap();
        let body = json!({ "code": told["code"], "public_key": key.public() }).to_string();
        assert_eq!(call(site.public, "POST", "/enroll", &[], &body).await.0, 403);
        assert_eq!(site.admin("POST", "/admin/revoke", &json!({ "machine": "dev-2" })).await.0, 404);
    }
}

#[tokio::test]
async fn a_machine_with_all_the_users_that_it_can_have_says_so() {
    let chat = Chat::start().await;
    let backend = sqlite();
    let site = site(&backend, &chat).await;
    let users: Vec<String> = (0..MAX_USERS).map(|number| format!("user-{number}")).collect();
    site.enrols("dev-1", &users.iter().map(String::as_str).collect::<Vec<&str>>()).await;
    let (status, told) = site.admin("POST", "/admin/route", &json!({ "user": "li", "machine": "dev-1" })).await;
    let error = told["error"].as_str().unwrap();
    assert!(status == 400 && error.starts_with("dev-1 has 64 users"), "{told}");
    let (status, told) = site.admin("POST", "/admin/enroll", &json!({ "machine": "dev-1", "users": ["li"] })).await;
    assert!(status == 400 && told["error"] == error, "{told}");
    // One of those that it has can still be routed.
    assert_eq!(site.admin("POST", "/admin/route", &json!({ "user": "user-3", "machine": "dev-1" })).await.0, 200);
}
