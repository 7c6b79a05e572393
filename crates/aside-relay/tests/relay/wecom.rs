//! An app of WeCom in front of the relay: a callback comes in, and the answer goes to a stand-in of its API.

use std::sync::atomic::{AtomicU64, Ordering};

use aside_relay::chat::wecom::App;
use aside_relay::http::{self, HttpResponse};
use aside_relay::protocol::ToRelay;
use aside_relay::seconds;
use aside_wecom::crypto::Crypto;
use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::harness::{PATIENCE, call, site_with, sqlite};

const KEY: &str = "6qkdMrq68nTKduznJYO1A37W2oEgpkMUvkttRToqhUt";

#[tokio::test]
async fn a_callback_becomes_a_message_and_the_answer_goes_to_the_api() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let api = format!("http://{}", listener.local_addr().unwrap());
    let (tell, mut told) = mpsc::unbounded_channel();
    let tokens = AtomicU64::new(0);
    let serving = tokio::spawn(http::serve(listener, move |asked| {
        let answer = match (asked.path.as_str(), asked.query.as_str()) {
            ("/cgi-bin/gettoken", "corpid=ww1&corpsecret=s3") => {
                let number = tokens.fetch_add(1, Ordering::Relaxed);
                json!({ "errcode": 0, "errmsg": "ok", "access_token": format!("T{number}"), "expires_in": 7200 })
            }
            ("/cgi-bin/message/send", _) => {
                let _ = tell.send(serde_json::from_slice::<Value>(&asked.body).unwrap());
                json!({ "errcode": 0, "errmsg": "ok" })
            }
            _ => json!({ "errcode": 40_001, "errmsg": "invalid" }),
        };
        async move { HttpResponse::json(StatusCode::OK, &answer) }
    }));
    let backend = sqlite();
    let site = site_with(&backend, |settings| {
        let (corp_id, agent_id, token, aes_key) = ("ww1".into(), 7, "token".into(), KEY.into());
        settings.wecom = Some(App { corp_id, agent_id, token, aes_key, secret: "s3".into(), api });
    })
    .await;
    let dev = site.enrols("dev-1", &["li"]).await;
    let mut machine = dev.connects(&site).await;
    let crypto = Crypto::new("token", KEY, "ww1").unwrap();
    let sealed = |text: &str| {
        let (time, ciphertext) = (seconds().to_string(), crypto.encrypt(text, [3; 16]));
        let signature = crypto.sign(&time, "nonce", &ciphertext);
        let body = format!("<xml><ToUserName>ww1</ToUserName><Encrypt><![CDATA[{ciphertext}]]></Encrypt></xml>");
        (format!("/wecom?msg_signature={signature}&timestamp={time}&nonce=nonce"), body)
    };
    let text = "<xml><ToUserName>ww1</ToUserName><FromUserName>li</FromUserName><CreateTime>1</CreateTime>\
        <MsgType>text</MsgType><Content><![CDATA[运行测试]]></Content><MsgId>m1</MsgId><AgentID>7</AgentID></xml>";
    let (path, body) = sealed(text);
    // WeCom calls again what was not answered in time.
    for _ in 0..3 {
        assert_eq!(call(site.public, "POST", &path, &[], &body).await, (200, String::new()));
    }
    for (path, body) in [
        (path.replace("nonce=nonce", "nonce=other"), body.clone()),
        (path.clone(), body.replace("CDATA[", "CDATA[A")),
        ("/wecom".to_owned(), body.clone()),
    ] {
        assert_eq!(call(site.public, "POST", &path, &[], &body).await.0, 403);
    }
    let message = machine.delivered().await;
    assert_eq!((message.user.as_str(), message.chat.as_str()), ("li", "wecom/li"));
    machine.says(&ToRelay::Taken { id: message.id }).await;
    machine.replies("r1", "wecom/li", "[t1] 完成。").await;
    let sent = timeout(PATIENCE, told.recv()).await.expect("WeCom is asked for nothing").unwrap();
    assert_eq!(
        (&sent["touser"], &sent["agentid"], &sent["text"]["content"]),
        (&json!("li"), &json!(7), &json!("[t1] 完成。"))
    );
    site.hears("m9", "li", "through the webhook").await;
    assert_eq!(machine.takes().await, "through the webhook", "the callback was delivered once");
    serving.abort();
}
