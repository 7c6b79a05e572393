//! Tencent's own crypto package and ours, both ways. Only with `make test-wecom`, which fetches it.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the other side is a program, and a skipped test says so"
)]

use std::process::Command;

use aside_wecom::crypto::{Crypto, Signed};
use serde_json::{Value, json};

const KEY: &str = "6qkdMrq68nTKduznJYO1A37W2oEgpkMUvkttRToqhUt";
const SCRIPT: &str = r"
const crypto = require('@wecom/crypto');
const asked = JSON.parse(process.argv[1]);
const answer = asked.messages.map((message) => {
  const encrypt = crypto.encrypt(asked.key, message, asked.id);
  return { encrypt, signature: crypto.getSignature(asked.token, asked.timestamp, asked.nonce, encrypt) };
});
const opened = asked.encrypted.map((encrypt) => crypto.decrypt(asked.key, encrypt));
console.log(JSON.stringify({ answer, opened: opened.map(({ message, id }) => ({ message, id })) }));
";

#[test]
fn tencents_own_package_opens_what_we_seal_and_we_open_what_it_seals() {
    let Some(packages) = std::env::var_os("ASIDE_TEST_WECOM") else {
        eprintln!("skipped: ASIDE_TEST_WECOM is not set; `make test-wecom` sets it");
        return;
    };
    let (timestamp, nonce) = ("1700000000", "nonce");
    for id in ["ww1436e0e65a779aee", ""] {
        let crypto = Crypto::new("token", KEY, id).unwrap();
        // Every length of padding, and letters of several bytes.
        let messages: Vec<String> = (0..70)
            .map(|length| "x".repeat(length) + &"解释".repeat(length % 5))
            .chain(["<xml>&]]></xml>".into()])
            .collect();
        let encrypted: Vec<String> =
            messages.iter().enumerate().map(|(number, message)| crypto.encrypt(message, [number as u8; 16])).collect();
        let asked = json!({ "key": KEY, "id": id, "token": "token", "timestamp": timestamp, "nonce": nonce,
            "messages": messages, "encrypted": encrypted });
        let node =
            Command::new("node").args(["-e", SCRIPT, &asked.to_string()]).current_dir(&packages).output().unwrap();
        assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
        let told: Value = serde_json::from_slice(&node.stdout).unwrap();
        for (message, (answer, opened)) in
            messages.iter().zip(told["answer"].as_array().unwrap().iter().zip(told["opened"].as_array().unwrap()))
        {
            let (signature, encrypt) = (answer["signature"].as_str().unwrap(), answer["encrypt"].as_str().unwrap());
            assert_eq!(crypto.open(Signed { signature, timestamp, nonce }, encrypt).as_ref(), Ok(message));
            assert_eq!(opened, &json!({ "message": message, "id": id }));
        }
    }
}
