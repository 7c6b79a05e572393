//! The corpus that redaction is measured on: parses `data/redact/corpus.txt`, and generates the values that it only
//! describes.

use std::ops::Range;

const CORPUS: &str = include_str!("../data/redact/corpus.txt");

#[derive(Clone, Debug)]
pub struct Sample {
    pub text: String,
    pub secrets: Vec<Range<usize>>,
    /// Held-out sample: rules are not tuned on it.
    pub held_out: bool,
    pub line: usize,
}

pub fn samples() -> Vec<Sample> {
    let mut marked: Vec<(usize, bool, String)> = Vec::new();
    let mut blank = 0;
    for (number, line) in CORPUS.lines().enumerate() {
        if let Some(text) = line.strip_prefix("+ ").or_else(|| line.strip_prefix("- ")) {
            marked.push((number + 1, line.starts_with('+'), text.to_owned()));
            blank = 0;
        } else if line.is_empty() {
            blank += 1;
        } else if let Some(rest) = line.strip_prefix("  ") {
            let (_, _, text) = marked.last_mut().unwrap();
            text.push_str(&"\n".repeat(std::mem::take(&mut blank) + 1));
            text.push_str(rest);
        } else {
            assert!(line.starts_with("# "), "line {}: {line}", number + 1);
        }
    }
    let mut counts = [0, 0];
    let samples = marked.into_iter().map(|(line, positive, text)| {
        let count = &mut counts[usize::from(positive)];
        *count += 1;
        let (text, secrets) = unmark(&draw(&text, line as u64));
        assert_eq!(secrets.is_empty(), !positive, "line {line}");
        Sample { text, secrets, held_out: *count % 2 == 0, line }
    });
    samples.collect()
}

/// Expands `‹A36›` to 36 characters, the same in every run.
pub fn draw(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635;
    let mut next = move |below: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    };
    let mut drawn = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('‹') {
        let (what, behind) = after.split_once('›').unwrap();
        let letters = match &what[..1] {
            "A" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            "B" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
            "h" => "0123456789abcdef",
            "d" => "0123456789",
            "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
            other => panic!("no letters {other}"),
        };
        drawn.push_str(before);
        let length: usize = what[1..].parse().unwrap();
        drawn.extend((0..length).map(|_| char::from(letters.as_bytes()[next(letters.len())])));
        rest = behind;
    }
    drawn + rest
}

/// The text without `⟦` and `⟧`, and the spans that were between them.
pub fn unmark(marked: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut secrets = Vec::new();
    let mut rest = marked;
    while let Some((before, after)) = rest.split_once('⟦') {
        let (secret, behind) = after.split_once('⟧').unwrap();
        text.push_str(before);
        secrets.push(text.len()..text.len() + secret.len());
        text.push_str(secret);
        rest = behind;
    }
    (text + rest, secrets)
}
