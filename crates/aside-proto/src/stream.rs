//! Parses the bytes of a connection into requests, in either encoding: the first byte tells which. Bounded: a message that grows past its
//! cap ends the connection.

use crate::compat::{self, CompatMessage};
use crate::{Answer, Call, json, record};

/// One record, all its fields together.
pub const MAX_MESSAGE: usize = 64 * 1024;
/// One line of JSON: large enough for an edited diff, or for the variables of a terminal.
pub const MAX_LINE: usize = 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFormat {
    Record,
    Json,
}

#[derive(Debug, PartialEq)]
pub enum Frame {
    Call(Call),
    /// From a client of another daemon, which reads replies in its own format.
    Foreign(CompatMessage),
    /// This message is malformed; the next one may be valid.
    Bad {
        id: u64,
        why: String,
    },
    /// The start of the next message is unknown: replies, then closes the connection.
    Lost {
        why: String,
    },
}

#[derive(Debug, Default)]
pub struct Stream {
    buffer: Vec<u8>,
    /// Bytes at the front that were already consumed.
    taken: usize,
    /// Bytes at the front that hold no end of a message. Without it, a client that writes byte by byte would cause quadratic work.
    searched: usize,
    spelling: Option<WireFormat>,
}

/// All complete frames of a whole message.
pub fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut stream = Stream::default();
    stream.push(bytes);
    stream.frames()
}

impl Stream {
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.searched = self.searched.saturating_sub(self.taken);
            self.taken = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The encoding of replies on this connection. Records until the first byte arrives.
    pub fn spelling(&self) -> WireFormat {
        self.spelling.unwrap_or(WireFormat::Record)
    }

    /// All complete frames so far, up to one after which the stream cannot be parsed.
    pub fn frames(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while !matches!(frames.last(), Some(Frame::Lost { .. }))
            && let Some(frame) = self.next_frame()
        {
            frames.push(frame);
        }
        frames
    }

    fn next_frame(&mut self) -> Option<Frame> {
        let bytes = &self.buffer[self.taken..];
        let first = *bytes.first()?;
        let spelling = *self.spelling.get_or_insert(match first {
            b'0'..=b'9' => WireFormat::Record,
            _ => WireFormat::Json,
        });
        let end = match spelling {
            WireFormat::Record => 0,
            WireFormat::Json => b'\n',
        };
        let new = &self.buffer[self.searched.max(self.taken)..];
        let frame = match spelling {
            WireFormat::Record if new.contains(&end) => next_record(bytes),
            WireFormat::Json if new.contains(&end) => next_line(bytes),
            WireFormat::Record | WireFormat::Json => None,
        };
        match frame {
            Some((length, frame)) => {
                self.taken += length;
                Some(frame)
            }
            None if bytes.len() > most(spelling) => Some(too_long(spelling)),
            None => {
                self.searched = self.buffer.len();
                None
            }
        }
    }
}

pub fn encode(spelling: WireFormat, answer: &Answer) -> Vec<u8> {
    match spelling {
        WireFormat::Record => record::encode(answer),
        WireFormat::Json => json::encode(answer),
    }
}

fn most(spelling: WireFormat) -> usize {
    match spelling {
        WireFormat::Record => MAX_MESSAGE,
        WireFormat::Json => MAX_LINE,
    }
}

fn too_long(spelling: WireFormat) -> Frame {
    Frame::Lost { why: format!("a message may have {} bytes", most(spelling)) }
}

fn next_line(bytes: &[u8]) -> Option<(usize, Frame)> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let length = end + 1;
    if length > MAX_LINE {
        return Some((length, too_long(WireFormat::Json)));
    }
    let Ok(line) = std::str::from_utf8(&bytes[..end]) else {
        return Some((length, Frame::Bad { id: 0, why: "not UTF-8".to_owned() }));
    };
    let frame = match (compat::decode(line), json::decode(line)) {
        (Some(foreign), _) => Frame::Foreign(foreign),
        (None, Ok(call)) => Frame::Call(call),
        (None, Err(why)) => Frame::Bad { id: json::id_of(line), why },
    };
    Some((length, frame))
}

fn next_record(bytes: &[u8]) -> Option<(usize, Frame)> {
    let mut ends = bytes.iter().enumerate().filter(|&(_, &byte)| byte == 0).map(|(place, _)| place);
    let count_end = ends.next()?;
    let count = std::str::from_utf8(&bytes[..count_end]).ok().and_then(|count| count.parse::<usize>().ok());
    let Some(count) = count.filter(|count| (1..=record::MAX_FIELDS).contains(count)) else {
        let why = format!("a record begins with its number of fields, at most {}", record::MAX_FIELDS);
        return Some((count_end + 1, Frame::Lost { why }));
    };
    let mut fields = Vec::with_capacity(count);
    let mut start = count_end + 1;
    for _ in 0..count {
        let end = ends.next()?;
        fields.push(&bytes[start..end]);
        start = end + 1;
    }
    if start > MAX_MESSAGE {
        return Some((start, too_long(WireFormat::Record)));
    }
    let id = std::str::from_utf8(fields[0]).ok().and_then(|id| id.parse().ok()).unwrap_or(0);
    let decoded = fields.into_iter().map(std::str::from_utf8).collect::<Result<Vec<_>, _>>();
    let frame = match decoded {
        Err(_) => Frame::Bad { id, why: "not UTF-8".to_owned() },
        Ok(fields) => match record::decode(&fields) {
            Ok(call) => Frame::Call(call),
            Err(why) => Frame::Bad { id, why },
        },
    };
    Some((start, frame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{ExplainParams, OutcomeParams, TranslateParams};
    use crate::{CompleteParams, Finished, Hello, Request, WhyParams};
    use proptest::prelude::*;

    fn frames(bytes: &[u8]) -> Vec<Frame> {
        let mut stream = Stream::default();
        stream.push(bytes);
        stream.frames()
    }

    #[test]
    fn empty_fields_keep_their_place() {
        let line = CompleteParams { session: "s".into(), left: "ls ".into(), ..CompleteParams::default() };
        let call = Call::new(7, Request::Complete(line));
        assert_eq!(frames(b"6\x007\0complete\0s\0\0ls \0\0"), [Frame::Call(call)]);
    }

    #[test]
    fn the_name_that_others_have_for_a_query_means_one_answer() {
        let line = br#"{"type":"natural_language","session_id":"abc","query":"find files","cwd":"/","recent_commands":["ls"],"env_hints":{"A":"b"}}"#;
        let wish = TranslateParams {
            session: "abc".into(),
            query: "find files".into(),
            cwd: "/".into(),
            wait: true,
            recent_commands: vec!["ls".into()],
            env_hints: [("A".to_owned(), "b".to_owned())].into(),
            is_foreign: true,
            ..TranslateParams::default()
        };
        let expected = Call::new(0, Request::Translate(wish));
        assert_eq!(frames(&[line.as_slice(), b"\n"].concat()), [Frame::Call(expected)]);
        let ours = frames(b"{\"type\":\"translate\",\"query\":\"natural_language\"}\n");
        let wish = TranslateParams { query: "natural_language".into(), ..TranslateParams::default() };
        assert_eq!(ours, [Frame::Call(Call::new(0, Request::Translate(wish)))]);
    }

    #[test]
    fn a_bad_message_does_not_spoil_the_next() {
        let status = Frame::Call(Call::new(2, Request::Status));
        assert_eq!(
            frames(b"2\x001\0dance\x002\x002\0status\0"),
            [Frame::Bad { id: 1, why: "unknown request \"dance\"".into() }, status]
        );
        let got = frames(b"{\"request_id\":4,\"type\":\"dance\"}\n{\"request_id\":5,\"type\":\"status\"}\n");
        assert!(matches!(&got[0], Frame::Bad { id: 4, .. }), "{got:?}");
        assert_eq!(got[1], Frame::Call(Call::new(5, Request::Status)));
    }

    #[test]
    fn a_lost_frame_is_the_last() {
        for bytes in [&b"99\0x\0"[..], b"0\0", b"7x\0"] {
            assert!(matches!(frames(bytes)[..], [Frame::Lost { .. }]), "{bytes:?}");
        }
        assert!(matches!(frames(&vec![b'1'; MAX_MESSAGE + 1])[..], [Frame::Lost { .. }]));
        assert!(matches!(frames(&[b"{".as_slice(), &vec![b'x'; MAX_LINE + 1]].concat())[..], [Frame::Lost { .. }]));
    }

    #[test]
    fn answers_carry_no_control_characters() {
        let answer = Answer { id: 1, reply: crate::Reply::error("a\x1fb", "x\0\x1b[31my\nz") };
        assert_eq!(record::encode(&answer), b"1\x1ferror\x1fab\x1fx[31my\nz\0");
    }

    #[test]
    fn a_message_that_drips_is_read_once() {
        // Takes a minute, unoptimised, when each byte causes a rescan of all those before it.
        let call = Call::new(1, Request::Complete(CompleteParams { left: "x".repeat(60_000), ..Default::default() }));
        for encode in [record::encode_call, json::encode_call] {
            let mut stream = Stream::default();
            let bytes = encode(&call);
            let mut got = Vec::new();
            for byte in &bytes {
                stream.push(&[*byte]);
                got.extend(stream.next_frame());
            }
            assert_eq!(got, [Frame::Call(call.clone())]);
        }
    }

    fn text() -> impl Strategy<Value = String> {
        "[^\\x00]{0,40}"
    }

    fn call() -> impl Strategy<Value = Call> {
        let hello = (any::<u32>(), text(), text(), text(), any::<u32>(), text(), text(), any::<bool>()).prop_map(
            |(protocol, version, shell, session, pid, histfile, facts, private)| {
                let shell_version = version.clone();
                Request::Hello(Hello {
                    protocol,
                    version,
                    shell,
                    shell_version,
                    session,
                    pid,
                    histfile,
                    facts,
                    private,
                })
            },
        );
        let translate = (text(), text(), text(), text(), text(), any::<[bool; 3]>(), any::<u32>(), text()).prop_map(
            |(session, cwd, query, shell, provider, [wait, now, private], limit, besides)| {
                Request::Translate(TranslateParams {
                    session,
                    cwd,
                    query,
                    shell,
                    wait,
                    now,
                    private,
                    provider,
                    limit,
                    besides,
                    ..TranslateParams::default()
                })
            },
        );
        let explain = (text(), text(), text(), text(), any::<[bool; 2]>()).prop_map(
            |(session, cwd, command, shell, [wait, private])| {
                Request::Explain(ExplainParams { session, cwd, command, shell, wait, private })
            },
        );
        let outcome = (text(), text(), text(), text(), text(), 0f32..1.0, text(), text()).prop_map(
            |(session, action, query, suggestion, source, confidence, cwd, r#final)| {
                Request::Outcome(OutcomeParams { session, action, query, suggestion, source, confidence, cwd, r#final })
            },
        );
        let complete = (text(), text(), text(), text(), text(), any::<[bool; 4]>(), 0..100_usize).prop_map(
            |(session, cwd, left, right, shell, [wait, describe, list, ghost], max_candidates)| {
                Request::Complete(CompleteParams {
                    session,
                    cwd,
                    left,
                    right,
                    shell,
                    wait,
                    describe,
                    list,
                    max_candidates,
                    ghost,
                })
            },
        );
        let why = text().prop_map(|session| Request::Why(WhyParams { session }));
        let finished = (text(), any::<i64>(), text(), any::<i32>(), any::<i64>(), any::<i64>(), text(), text())
            .prop_map(|(session, seq, cwd, exit, start_ms, duration_ms, shell, command)| {
                Request::Finished(Finished {
                    session,
                    seq,
                    cwd,
                    exit,
                    start_ms,
                    duration_ms,
                    shell,
                    command,
                    private: false,
                })
            });
        let plain = prop_oneof![Just(Request::Reload), Just(Request::Status), Just(Request::Stop)];
        let request = prop_oneof![hello, complete, translate, explain, outcome, finished, why, plain];
        (any::<u64>(), request).prop_map(|(id, request)| Call::new(id, request))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_spellings_carry_every_request(calls in prop::collection::vec(call(), 1..5), cut in 1usize..50) {
            for encode in [record::encode_call, json::encode_call] {
                let bytes: Vec<u8> = calls.iter().flat_map(encode).collect();
                let mut stream = Stream::default();
                let mut got = Vec::new();
                for chunk in bytes.chunks(cut) {
                    stream.push(chunk);
                    while let Some(frame) = stream.next_frame() {
                        got.push(frame);
                    }
                }
                let expected: Vec<_> = calls.iter().cloned().map(Frame::Call).collect();
                prop_assert_eq!(got, expected);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            frames(&bytes);
        }
    }
}
