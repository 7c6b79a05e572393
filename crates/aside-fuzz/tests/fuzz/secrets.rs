//! Redaction: its output is not changed by another pass, a planted token never stays, also in a stream of pieces.

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};
use aside_redact::{redact, redact_beside, secrets};
use aside_task::redact_log::{Hold, Stream};

use crate::lines::LINES;

const WORDS: &[&str] = &[
    "password=",
    "PASSWORD: ",
    "--password ",
    "-p",
    "token",
    "Authorization: Bearer ",
    "https://user:pw@host/",
    "AKIAIOSFODNN7EXAMPLE",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----END RSA PRIVATE KEY-----\n",
    "[redacted]",
    "eyJhbGciOiJIUzI1NiJ9.e30.abc",
    "curl -u ",
    "mysql ",
    "export ",
    "API_KEY=",
    "\"secret\": \"",
    "xoxb-1-2-",
    "sk-",
    "hunter2",
    "0123456789abcdef",
    "密码是",
    "\n",
    "=",
    "'",
    "\"",
    "$(",
    "\\",
];

/// Bytes of a text that is also tried as a stream.
const MAX_STREAMED: usize = 600;

#[test]
fn fuzz_secrets() {
    let seeds = [
        "mysql -u root -phunter2 db",
        "curl -H 'Authorization: Bearer abcdef0123456789' https://user:pw@host/x",
        "export API_KEY=0a1b2c3d4e5f6071 && ./run --password \"pass word\"",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END RSA PRIVATE KEY-----\n",
        "{\"user\": \"li\", \"password\": \"hunter2\"}",
        "我的密码是 hunter2",
    ];
    let seeds = seeds.iter().chain(LINES).map(|seed| seed.as_bytes().to_vec());
    fuzz(Target { name: "secrets", seeds: seeds.collect(), words: WORDS, longest: 1024, check });
}

fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let clean = redact(&text);
    let again = redact(&clean);
    assert_eq!(again, clean, "of {text:?}");
    let found = secrets(&text);
    assert!(found.is_sorted_by(|one, next| one.span.end <= next.span.start), "{found:?}");
    for secret in &found {
        assert!(text.get(secret.span.clone()).is_some_and(|value| !value.is_empty()), "{secret:?}");
    }
    assert!(redact_beside(&text, &[&text]).len() <= 16 * text.len() + 16);

    let mut random = Random::of(input);
    let token = token(&mut random);
    let at = text.floor_char_boundary(random.below(text.len() + 1));
    let planted = format!("{}\n{token}\n{}", &text[..at], &text[at..]);
    assert!(!redact(&planted).contains(&token), "{token} stays in {planted:?}");
    // Each piece is looked at with what precedes it: long texts in short pieces would take most of the time.
    if planted.len() > MAX_STREAMED {
        return;
    }
    for hold in [Hold::Line, Hold::Word] {
        let mut stream = Stream::new(hold);
        let mut released = String::new();
        let mut rest = planted.as_str();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.ceil_char_boundary(1 + random.below(60)));
            released += &stream.push(piece);
            rest = behind;
        }
        released += &stream.rest();
        assert!(!released.contains(&token), "{token} stays in {released:?}");
    }
}

/// One of GitHub's form, with letters of its own.
fn token(random: &mut Random) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let letters = (0..36).map(|_| char::from(LETTERS[random.below(LETTERS.len())]));
    ["ghp_"].into_iter().flat_map(str::chars).chain(letters).collect()
}
