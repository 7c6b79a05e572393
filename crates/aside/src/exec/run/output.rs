//! A command's output as text in pieces: whole characters, rate-limited, and capped. Knows no pipe.

use std::time::Duration;

use tokio::time::Instant;

/// A piece of this size is sent at once.
const PIECE: usize = 8 * 1024;
/// Minimum interval between smaller pieces. Doubles after every thousand of them, so that a task's chunks last for a day.
const PAUSE: Duration = Duration::from_millis(100);
const PIECES: u32 = 1000;
const SLOWEST: u32 = 10;
/// Of what exceeds the cap, the end is kept, where a program says what went wrong: this fraction of the room.
const END: usize = 64;

pub struct Output {
    /// Bytes of text until the cap.
    room: usize,
    is_full: bool,
    /// The last of what did not fit, and how much of it is kept.
    end: Vec<u8>,
    end_room: usize,
    /// An incomplete character.
    begun: Vec<u8>,
    held: String,
    printed: u64,
    kept: u64,
    pieces: u32,
    last: Option<Instant>,
    /// Notes to append to the output.
    notes: String,
}

impl Output {
    pub fn new(room: usize) -> Self {
        let (begun, held, notes) = (Vec::new(), String::new(), String::new());
        let (end, end_room) = (Vec::new(), room / END);
        let (printed, kept, pieces, last) = (0, 0, 0, None);
        Self { room, is_full: false, end, end_room, begun, held, printed, kept, pieces, last, notes }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.printed += bytes.len() as u64;
        if self.is_full {
            self.end.extend_from_slice(bytes);
            // Not at every piece: moving the bytes costs more than keeping them.
            if self.end.len() > 4 * self.end_room.max(PIECE) {
                self.end.drain(..self.end.len() - self.end_room);
            }
            return;
        }
        let mut bytes = [std::mem::take(&mut self.begun).as_slice(), bytes].concat();
        let begun = bytes.len() - unfinished(&bytes);
        self.begun = bytes.split_off(begun);
        self.keep(&bytes);
    }

    /// The end of the output: flushes an incomplete character, and says what was left out.
    pub fn finish(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        self.keep(&begun);
        if self.lost() > 0 {
            let mut end = self.end.split_off(self.end.len().saturating_sub(self.end_room));
            // Starts at the beginning of a line.
            let line = end.iter().position(|byte| *byte == b'\n').map_or(end.len(), |newline| newline + 1);
            end.drain(..line);
            self.kept += end.len() as u64;
            self.held.push_str(&format!("\n… {} bytes more were not kept\n", self.lost()));
            self.held.push_str(&String::from_utf8_lossy(&end));
        }
        self.held.push_str(&std::mem::take(&mut self.notes));
    }

    pub fn note(&mut self, text: &str) {
        self.notes.push_str(text);
    }

    fn keep(&mut self, bytes: &[u8]) {
        for chunk in bytes.utf8_chunks() {
            let valid = chunk.valid();
            let fits = (0..=valid.len().min(self.room)).rev().find(|end| valid.is_char_boundary(*end)).unwrap_or(0);
            self.held.push_str(valid.get(..fits).unwrap_or_default());
            self.kept += fits as u64;
            self.room -= fits;
            let is_broken = !chunk.invalid().is_empty();
            if fits < valid.len() || is_broken && self.room < char::REPLACEMENT_CHARACTER.len_utf8() {
                self.is_full = true;
                self.begun.clear();
                return;
            }
            if is_broken {
                self.held.push(char::REPLACEMENT_CHARACTER);
                self.kept += chunk.invalid().len() as u64;
                self.room -= char::REPLACEMENT_CHARACTER.len_utf8();
            }
        }
    }

    pub fn tell(&mut self, say: &mut impl FnMut(&str)) {
        if !self.held.is_empty() {
            say(&std::mem::take(&mut self.held));
            self.pieces = self.pieces.saturating_add(1);
            self.last = Some(Instant::now());
        }
    }

    pub fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    pub fn is_due(&self) -> bool {
        self.held.len() >= PIECE || self.is_waiting() && self.due() <= Instant::now()
    }

    pub fn due(&self) -> Instant {
        let pause = PAUSE * 2_u32.pow((self.pieces / PIECES).min(SLOWEST));
        self.last.map_or_else(Instant::now, |last| last + pause)
    }

    /// Whether further output is only counted.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    pub fn printed(&self) -> u64 {
        self.printed
    }

    pub fn lost(&self) -> u64 {
        // An incomplete character that may still be completed is not lost.
        self.printed - self.kept - self.begun.len() as u64
    }
}

/// How many bytes at the end are an incomplete character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map(|chunk| chunk.invalid()).unwrap_or_default();
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        Err(_) | Ok(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(room: usize, pieces: &[&[u8]]) -> (String, u64) {
        let mut output = Output::new(room);
        let mut text = String::new();
        for piece in pieces {
            output.push(piece);
            output.tell(&mut |piece: &str| text.push_str(piece));
        }
        output.finish();
        output.tell(&mut |piece: &str| text.push_str(piece));
        (text, output.lost())
    }

    #[test]
    fn letters_are_whole_wherever_a_piece_ends() {
        let text = "a ä € 😀 z";
        for size in 1..text.len() {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            assert_eq!(told(1000, &pieces), (text.to_owned(), 0), "in pieces of {size}");
        }
    }

    #[test]
    fn what_is_no_text_is_told_as_such_in_pieces_as_at_once() {
        let bytes = b"a\xff\xc3(\xe2\x82b\xf0\x9f\x98";
        let whole = String::from_utf8_lossy(bytes).into_owned();
        for size in 1..=bytes.len() {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            assert_eq!(told(1000, &pieces), (whole.clone(), 0), "in pieces of {size}");
        }
    }

    #[test]
    fn what_does_not_fit_is_counted_and_said_once() {
        assert_eq!(told(4, &[b"abcd"]), ("abcd".to_owned(), 0));
        assert_eq!(told(4, &[b"abc", b"defg", b"hi"]), ("abcd\n… 5 bytes more were not kept\n".to_owned(), 5));
        assert_eq!(told(4, &["abcä".as_bytes()]), ("abc\n… 2 bytes more were not kept\n".to_owned(), 2));
        assert_eq!(told(4, &[b"ab\xff"]), ("ab\n… 1 bytes more were not kept\n".to_owned(), 1));
        assert_eq!(told(0, &[b"a"]), ("\n… 1 bytes more were not kept\n".to_owned(), 1));
        assert_eq!(told(0, &[]), (String::new(), 0));
    }

    #[test]
    fn of_what_does_not_fit_the_last_lines_are_kept() {
        let lines: Vec<String> = (0..2000).map(|line| format!("line {line}\n")).collect();
        let pieces: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        let (text, lost) = told(6400, &pieces);
        let (before, behind) = text.split_once("\n… ").unwrap();
        assert!(before.starts_with("line 0\n") && before.len() == 6400);
        let (note, end) = behind.split_once('\n').unwrap();
        assert!(end.starts_with("line 19") && end.ends_with("line 1999\n") && end.len() <= 100, "{end}");
        let whole: usize = lines.iter().map(String::len).sum();
        assert_eq!(note, format!("{lost} bytes more were not kept"));
        assert_eq!(lost as usize, whole - before.len() - end.len());
    }

    #[test]
    fn a_note_stands_behind_all_that_was_printed() {
        let mut output = Output::new(2);
        output.note("… noted\n");
        output.push(b"abc");
        output.finish();
        let mut text = String::new();
        output.tell(&mut |piece: &str| text.push_str(piece));
        assert_eq!(text, "ab\n… 1 bytes more were not kept\n… noted\n");
    }

    #[test]
    fn the_pieces_of_a_day_are_fewer_than_a_task_may_have() {
        let mut output = Output::new(usize::MAX);
        let mut seconds = 0.0;
        for _ in 0..aside_task::machine::MAX_CHUNKS {
            output.push(b"x");
            output.tell(&mut |_: &str| {});
            seconds += output.due().duration_since(output.last.unwrap()).as_secs_f64();
        }
        assert!(seconds > 86400.0, "{seconds}");
    }
}
