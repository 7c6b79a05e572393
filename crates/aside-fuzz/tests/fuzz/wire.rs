//! The daemon's wire: the boundaries of the chunks do not matter, and a request that was read is written and read as the same.

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};
use aside_proto::stream::{Frame, Stream};
use aside_proto::{Call, CompleteParams, NamesParams, Request, compat, json, record};

use crate::lines::LINES;

const WORDS: &[&str] = &[
    "{\"id\":1,\"type\":\"complete\",\"left\":\"git st\",\"right\":\"\"}\n",
    "{\"type\":\"status\"}\n",
    "\"type\":\"translate\",",
    "\"type\":\"suggest\",",
    "\"type\":\"detect\",",
    "\"type\":\"hello\",",
    "\"type\":\"task\",",
    "\"type\":\"complete\",",
    "\"private\":true,",
    "\"private\":\"yes\",",
    "\"input\":\"git\",\"cursor_pos\":3,",
    "\"request_id\":7,",
    "\"buffer\":\"ls\",",
    "\"action\":\"x\",",
    "\"query\":\"list files\",",
    "\"history\":[\"ls\"],",
    "\"last_output\":\"no such file\",",
    "\"exit\":-1,",
    "\"id\":18446744073709551615,",
    "\\u0000",
    "\\ud800",
    "null",
    "1e999",
    "[[[[",
    "complete",
    "detect",
    "suggest",
    "translate",
    "names",
    "hello",
    "task",
    "approve",
];

#[test]
fn fuzz_wire() {
    let requests = LINES.iter().flat_map(|line| {
        let text = (*line).to_owned();
        [
            Request::Status,
            Request::Names(NamesParams { names: text.clone(), ..NamesParams::default() }),
            Request::Complete(CompleteParams { left: text, ..CompleteParams::default() }),
        ]
    });
    let seeds = requests.enumerate().flat_map(|(id, request)| {
        let call = Call::new(id as u64, request);
        [record::encode_call(&call), json::encode_call(&call)]
    });
    fuzz(Target { name: "wire", seeds: seeds.collect(), words: WORDS, longest: 64 * 1024, check });
}

fn check(bytes: &[u8]) {
    let mut random = Random::of(bytes);
    let most = if random.below(2) == 0 { 4 } else { 4000 };
    let cuts: Vec<usize> = (0..4).map(|_| 1 + random.below(most)).collect();
    let whole = fed(bytes, &[bytes.len().max(1)]);
    assert_eq!(fed(bytes, &cuts), whole, "in pieces of {cuts:?}");
    for frame in &whole {
        if let Frame::Call(call) = frame {
            let again = fed(&json::encode_call(call), &[usize::MAX]);
            assert_eq!(again.first(), Some(frame), "as JSON");
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = compat::decode(text);
        let _ = json::id_of(text);
    }
}

/// All frames, up to the first after which the stream cannot be decoded.
fn fed(bytes: &[u8], cuts: &[usize]) -> Vec<Frame> {
    let mut stream = Stream::default();
    let mut frames = Vec::new();
    let mut rest = bytes;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() || matches!(frames.last(), Some(Frame::Lost { .. })) {
            break;
        }
        let (chunk, left) = rest.split_at((*cut).min(rest.len()));
        stream.push(chunk);
        frames.extend(stream.frames());
        rest = left;
    }
    frames
}
