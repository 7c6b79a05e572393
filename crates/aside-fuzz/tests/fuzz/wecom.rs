//! Bodies from WeCom: XML and JSON of any shape; what was encrypted is read back, and what was changed on the way is not.

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};
use aside_wecom::callback::{self, Message};
use aside_wecom::crypto::{Crypto, Signed};
use aside_wecom::frame::Incoming;

const WORDS: &[&str] = &[
    "<xml>",
    "</xml>",
    "<Encrypt>",
    "</Encrypt>",
    "<![CDATA[",
    "]]>",
    "]]]]><![CDATA[>",
    "<MsgId>1</MsgId>",
    "<FromUserName>li</FromUserName>",
    "<MsgType>text</MsgType>",
    "<Content>",
    "</Content>",
    "<CreateTime>1700000000</CreateTime>",
    "<a b=\"c\">",
    "<!DOCTYPE x [<!ENTITY a \"b\">]>",
    "&a;",
    "&lt;",
    "&#x41;",
    "<?xml version=\"1.0\"?>",
    "<!-- -->",
    "{\"encrypt\":\"",
    "\"cmd\":\"aibot_msg_callback\",",
    "\"body\":{\"msgtype\":\"text\",\"text\":{\"content\":\"x\"}}",
    "\"errcode\":-1,",
    "[[[[[[[[",
];

#[test]
fn fuzz_wecom() {
    let seeds = [
        "<xml><ToUserName><![CDATA[corp]]></ToUserName><Encrypt><![CDATA[abc]]></Encrypt><AgentID><![CDATA[1]]></AgentID></xml>",
        "<xml><MsgId>1</MsgId><FromUserName><![CDATA[li]]></FromUserName><CreateTime>1700000000</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[run the tests]]></Content></xml>",
        "{\"encrypt\":\"abc\"}",
        "{\"cmd\":\"aibot_msg_callback\",\"headers\":{\"req_id\":\"R1\"},\"body\":{\"msgid\":\"m\",\"chattype\":\"single\",\"from\":{\"userid\":\"li\"},\"msgtype\":\"text\",\"text\":{\"content\":\"x\"}}}",
    ];
    let seeds = seeds.map(|seed| seed.as_bytes().to_vec()).to_vec();
    fuzz(Target { name: "wecom", seeds, words: WORDS, longest: 64 * 1024, check });
}

fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Some(encrypted) = callback::encrypted(&text) {
        assert!(encrypted.len() <= text.len());
    }
    if let Some(message) = Message::of_xml(&text) {
        assert!(!message.user.is_empty() && !message.kind.is_empty() && !message.key().is_empty());
        assert!(message.text.len() <= text.len());
    }
    let _ = Incoming::of(&text);

    let Ok(crypto) = Crypto::new("token", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ", "corp") else {
        panic!("the key is one");
    };
    let open = |encrypted: &str| {
        let signature = crypto.sign("1700000000", "nonce", encrypted);
        crypto.open(Signed { signature: &signature, timestamp: "1700000000", nonce: "nonce" }, encrypted)
    };
    // Ciphertext of anyone who knows the token alone.
    let _ = open(&text);
    if text.len() > 4000 {
        return;
    }
    let mut random = Random::of(input);
    let encrypted = crypto.encrypt(&text, [7; 16]);
    assert_eq!(open(&encrypted).as_deref(), Ok(text.as_ref()));
    let signature = crypto.sign("1700000000", "nonce", &encrypted);
    let mut changed = encrypted.into_bytes();
    let at = random.below(changed.len());
    changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8_lossy(&changed);
    let signed = Signed { signature: &signature, timestamp: "1700000000", nonce: "nonce" };
    assert!(crypto.open(signed, &changed).is_err(), "a changed message is taken");
}
