//! Every vector bit for bit, every negative one refused, and none of a thousand mutated callbacks accepted.

use aside_wecom::callback::{Message, encrypted};
use aside_wecom::crypto::{BadKey, Crypto, Refusal, Signed};
use aside_wecom::seen::Seen;
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
    negative: Vec<Vector>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Vector {
    name: String,
    kind: String,
    token: String,
    encoding_aes_key: String,
    receive_id: String,
    timestamp: String,
    nonce: String,
    msg_signature: String,
    echostr: String,
    encrypt: String,
    post_body_xml: String,
    post_body_json: serde_json::Value,
    plaintext: String,
    random16_hex: String,
    expect: String,
}

impl Vector {
    fn crypto(&self) -> Crypto {
        Crypto::new(&self.token, &self.encoding_aes_key, &self.receive_id).unwrap()
    }

    fn signed(&self) -> Signed<'_> {
        Signed { signature: &self.msg_signature, timestamp: &self.timestamp, nonce: &self.nonce }
    }

    fn ciphertext(&self) -> &str {
        if self.encrypt.is_empty() { &self.echostr } else { &self.encrypt }
    }

    fn random(&self) -> [u8; 16] {
        std::array::from_fn(|index| u8::from_str_radix(&self.random16_hex[2 * index..2 * index + 2], 16).unwrap())
    }
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

#[test]
fn every_vector_is_opened_and_made_again_bit_for_bit() {
    let vectors = vectors().vectors;
    assert_eq!(vectors.len(), 18);
    for vector in vectors {
        let (crypto, name) = (vector.crypto(), &vector.name);
        assert_eq!(
            crypto.open(vector.signed(), vector.ciphertext()).as_deref(),
            Ok(vector.plaintext.as_str()),
            "{name}"
        );
        assert_eq!(crypto.encrypt(&vector.plaintext, vector.random()), vector.ciphertext(), "{name}");
        assert_eq!(crypto.sign(&vector.timestamp, &vector.nonce, vector.ciphertext()), vector.msg_signature, "{name}");
        if !vector.post_body_xml.is_empty() {
            assert_eq!(encrypted(&vector.post_body_xml).as_deref(), Some(vector.ciphertext()), "{name}");
        }
        if vector.kind == "aibot_json" {
            let body = match &vector.post_body_json {
                serde_json::Value::String(body) => body.clone(),
                body => body.to_string(),
            };
            assert_eq!(encrypted(&body).as_deref(), Some(vector.ciphertext()), "{name}");
        }
    }
}

#[test]
fn every_negative_vector_is_refused_for_its_reason() {
    let negative = vectors().negative;
    assert_eq!(negative.len(), 6);
    for vector in negative {
        let refused = vector.crypto().open(vector.signed(), vector.ciphertext()).unwrap_err();
        let is_expected = match vector.expect.as_str() {
            "reject: signature" => refused == Refusal::Signature,
            "reject: corp id" => refused == Refusal::Receiver,
            _ => refused != Refusal::Signature,
        };
        assert!(is_expected, "{}: {refused:?}, expected {}", vector.name, vector.expect);
    }
}

/// A fixed sequence, so that a failure can be looked at.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn changed(&mut self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let at = self.below(bytes.len().max(1));
        match self.below(4) {
            0 if !bytes.is_empty() => drop(bytes.remove(at)),
            1 => bytes.insert(at, b"0Az+/="[self.below(6)]),
            2 => bytes.truncate(at),
            _ if !bytes.is_empty() => bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' },
            _ => {}
        }
        String::from_utf8(bytes).unwrap()
    }
}

#[test]
fn none_of_a_thousand_changed_callbacks_is_accepted() {
    let vectors = vectors().vectors;
    let mut numbers = Numbers(7);
    let mut tried = 0;
    while tried < 1000 {
        let vector = &vectors[numbers.below(vectors.len())];
        let parts = [&vector.msg_signature, &vector.timestamp, &vector.nonce];
        let mut changed: Vec<String> = parts.iter().map(|part| (*part).clone()).collect();
        let mut ciphertext = vector.ciphertext().to_owned();
        match numbers.below(4) {
            3 => ciphertext = numbers.changed(&ciphertext),
            part => changed[part] = numbers.changed(&changed[part].clone()),
        }
        if ciphertext == vector.ciphertext() && parts.iter().zip(&changed).all(|(part, changed)| *part == changed) {
            continue;
        }
        tried += 1;
        let signed = Signed { signature: &changed[0], timestamp: &changed[1], nonce: &changed[2] };
        let opened = vector.crypto().open(signed, &ciphertext);
        assert_eq!(opened, Err(Refusal::Signature), "{} {changed:?} {ciphertext}", vector.name);
    }
}

/// Changes that are signed again, as only WeCom or a thief of the token could: padding, length and receiver refuse them, unless the
/// change is within the random bytes or the text.
#[test]
fn a_changed_ciphertext_that_is_signed_again_never_reaches_beyond_its_message() {
    let vectors = vectors().vectors;
    let mut numbers = Numbers(11);
    for _ in 0..1000 {
        let vector = &vectors[numbers.below(vectors.len())];
        let (crypto, ciphertext) = (vector.crypto(), numbers.changed(vector.ciphertext()));
        let signature = crypto.sign(&vector.timestamp, &vector.nonce, &ciphertext);
        let signed = Signed { signature: &signature, ..vector.signed() };
        if let Ok(text) = crypto.open(signed, &ciphertext) {
            assert_eq!(text.len(), vector.plaintext.len(), "{}", vector.name);
        }
    }
}

#[test]
fn a_key_is_43_characters_of_base64() {
    let key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
    assert!(Crypto::new("t", key, "").is_ok());
    for wrong in ["", &key[1..], &format!("{key}="), &key.replace('j', "-"), &key.replace('j', "é")] {
        assert_eq!(Crypto::new("t", wrong, "").err(), Some(BadKey), "{wrong}");
    }
}

#[test]
fn messages_are_read_and_what_is_no_message_is_not() {
    for vector in
        vectors().vectors.iter().filter(|vector| vector.name.starts_with("text-") || vector.name.starts_with("cdata"))
    {
        let message = Message::of_xml(&vector.plaintext).unwrap_or_else(|| panic!("{}", vector.name));
        assert_eq!((message.user.as_str(), message.kind.as_str()), ("zhangsan", "text"), "{}", vector.name);
        assert!(!message.id.is_empty() && message.key() == message.id);
    }
    let split = "<xml><FromUserName>a&lt;b</FromUserName><MsgType>text</MsgType>\
        <Content><![CDATA[x]]]]><![CDATA[>y]]></Content><MsgId>1</MsgId><Deep><A>1</A></Deep></xml>";
    let message = Message::of_xml(split).unwrap();
    assert_eq!((message.user.as_str(), message.text.as_str()), ("a<b", "x]]>y"));
    for wrong in [
        "",
        "<xml>",
        "<xml></xml>",
        "<xml><a></xml>",
        "<xml><FromUserName>a</FromUserName></xml>",
        "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><xml><FromUserName>&e;</FromUserName><MsgType>text</MsgType></xml>",
        "<xml><FromUserName>&e;</FromUserName><MsgType>text</MsgType></xml>",
        "<xml><FromUserName>a</FromUserName><MsgType>text</MsgType><CreateTime>soon</CreateTime></xml>",
    ] {
        assert_eq!(Message::of_xml(wrong), None, "{wrong}");
    }
}

#[test]
fn events_of_one_second_are_told_apart_and_each_is_taken_once() {
    let event = |event: &str| Message {
        user: "li".into(),
        kind: "event".into(),
        event: event.into(),
        created: 1,
        ..Message::default()
    };
    let mut seen = Seen::default();
    assert!(seen.is_first(&event("enter_agent").key()));
    assert!(seen.is_first(&event("click").key()));
    assert!(!seen.is_first(&event("click").key()));
    assert!(!seen.is_first(&"x".repeat(10_000)));
}
