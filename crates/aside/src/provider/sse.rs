//! Decodes server-sent events: bytes of a body to the data of its events. Does not interpret the data.

/// Bytes of one event; no supported server sends more.
const MAX_EVENT: usize = 256 * 1024;

/// The decoder's state between two reads.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    data: String,
    has_data: bool,
    /// Whether the last byte was a carriage return, so that a line feed after it does not end another line.
    after_return: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

impl Decoder {
    /// Returns the data of each event that ends in these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(&mut events),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.len() > MAX_EVENT {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self, events: &mut Vec<String>) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                events.push(std::mem::take(&mut self.data));
            }
            return;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        // Ignores comments, event names and other fields.
        if field == "data" {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push('\n');
            }
            self.data.push_str(value.strip_prefix(' ').unwrap_or(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(chunks: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::default();
        chunks.iter().flat_map(|chunk| decoder.push(chunk).unwrap()).collect()
    }

    #[test]
    fn events_are_what_the_standard_says() {
        assert_eq!(decode(&[b"data: a\n\ndata:b\n\n"]), ["a", "b"]);
        assert_eq!(decode(&[b"data: a\r\n\r\ndata: b\r\r"]), ["a", "b"]);
        assert_eq!(decode(&[b"event: x\nid: 1\ndata: a\ndata: b\n\n"]), ["a\nb"]);
        assert_eq!(decode(&[b": ping\n\n\n\nevent: x\n\n"]), Vec::<String>::new());
        assert_eq!(decode(&[b"data:  two blanks\n\n"]), [" two blanks"]);
        assert_eq!(decode(&[b"data\n\n"]), [""]);
        assert_eq!(decode(&[b"data: not ended"]), Vec::<String>::new());
        assert_eq!(decode(&["\u{feff}data: ä\n\n".as_bytes()]), ["ä"]);
    }

    #[test]
    fn an_event_has_a_bound() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(&vec![b'x'; MAX_EVENT + 1]), Err(TooLong));
        let mut decoder = Decoder::default();
        let line = [b"data: ".as_slice(), &[b'x'; 1000], b"\n"].concat();
        let pushed: Result<Vec<_>, TooLong> = (0..1000).map(|_| decoder.push(&line)).collect();
        assert_eq!(pushed, Err(TooLong));
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_does_not_matter(
            events in prop::collection::vec("[a-zä☃ :]{0,20}", 0..6),
            end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let body: String = events.iter().map(|event| format!("data: {event}{end}: note{end}{end}")).collect();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
            places.extend([0, body.len()]);
            places.sort_unstable();
            let chunks: Vec<&[u8]> = places.windows(2).map(|cut| &body.as_bytes()[cut[0]..cut[1]]).collect();
            prop_assert_eq!(decode(&chunks), events);
        }

        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Decoder::default().push(&bytes);
        }
    }
}
