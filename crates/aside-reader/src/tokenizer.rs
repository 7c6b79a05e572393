//! Text to tokens and back: digits one by one, then GPT-2's split into words, then byte-level BPE by the order of its merges.

use std::collections::HashMap;

use crate::error::{Error, wrong};
use crate::unicode::is_letter;

/// Tokens of a vocabulary, and bytes of one, at most.
const TOKENS: usize = 1 << 20;
const LONGEST: usize = 1 << 16;
/// A run without a break is cut before so many bytes, since merging is quadratic in the length of a word.
const WORD: usize = 1024;

/// Two neighbours that become one token; lower ranks first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Merge {
    left: u32,
    right: u32,
    rank: u32,
    token: u32,
}

#[derive(Debug)]
pub struct Tokenizer {
    /// The bytes of all tokens, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// The token of each byte; a byte that has none is dropped.
    of_byte: [Option<u32>; 256],
    /// Sorted by the neighbours.
    merges: Vec<Merge>,
}

impl Tokenizer {
    /// From tokens and merges as GGUF has them: in GPT-2's alphabet, in which each byte is a printable character.
    pub(crate) fn from_gpt2(tokens: &[String], merges: &[String]) -> Result<Tokenizer, Error> {
        let mut ids = HashMap::new();
        for (id, token) in (0u32..).zip(tokens) {
            ids.insert(token.as_str(), id);
        }
        let letters: [char; 256] = std::array::from_fn(|byte| letter_of(byte as u8));
        let of_byte = letters.map(|letter| ids.get(letter.encode_utf8(&mut [0; 4]) as &str).copied());
        let bytes: HashMap<char, u8> = letters.into_iter().zip(0..=255).collect();
        let mut found = Vec::with_capacity(merges.len());
        for (rank, merge) in (0u32..).zip(merges) {
            let unknown = || wrong(format!("merge {rank} of the base names an unknown token"));
            let (left, right) = merge.split_once(' ').ok_or_else(unknown)?;
            let id = |text: &str| ids.get(text).copied().ok_or_else(unknown);
            found.push(Merge { left: id(left)?, right: id(right)?, rank, token: id(&format!("{left}{right}"))? });
        }
        let mut tokenizer = Tokenizer { bytes: Vec::new(), ends: Vec::new(), of_byte, merges: found };
        for token in tokens {
            match token.chars().map(|letter| bytes.get(&letter).copied()).collect::<Option<Vec<u8>>>() {
                Some(bytes) => tokenizer.bytes.extend(bytes),
                // A special token, which no text contains.
                None => tokenizer.bytes.extend(token.as_bytes()),
            }
            tokenizer.ends.push(tokenizer.bytes.len() as u32);
        }
        tokenizer.merges.sort_unstable();
        tokenizer.check()?;
        Ok(tokenizer)
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut number = |value: u32| out.extend(value.to_le_bytes());
        number(self.ends.len() as u32);
        number(self.merges.len() as u32);
        self.ends.iter().for_each(|end| number(*end));
        self.of_byte.iter().for_each(|token| number(token.unwrap_or(u32::MAX)));
        for merge in &self.merges {
            [merge.left, merge.right, merge.rank, merge.token].into_iter().for_each(&mut number);
        }
        out.extend(&self.bytes);
    }

    pub(crate) fn read(section: &[u8]) -> Result<Tokenizer, Error> {
        let (mut numbers, rest) = (section.as_chunks::<4>().0.iter(), section);
        let mut next = || numbers.next().map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(cut);
        let (tokens, merges) = (next()? as usize, next()? as usize);
        if tokens > TOKENS || merges > TOKENS {
            return Err(cut());
        }
        let ends = (0..tokens).map(|_| next()).collect::<Result<_, _>>()?;
        let mut of_byte = [None; 256];
        for token in &mut of_byte {
            *token = Some(next()?).filter(|token| *token != u32::MAX);
        }
        let mut found = Vec::with_capacity(merges);
        for _ in 0..merges {
            found.push(Merge { left: next()?, right: next()?, rank: next()?, token: next()? });
        }
        let bytes = rest.get(4 * (2 + tokens + 256 + 4 * merges)..).ok_or_else(cut)?.to_vec();
        let tokenizer = Tokenizer { bytes, ends, of_byte, merges: found };
        tokenizer.check()?;
        Ok(tokenizer)
    }

    fn check(&self) -> Result<(), Error> {
        let count = self.ends.len() as u32;
        let known = |token: u32| token < count;
        let rises = self.ends.is_sorted() && self.ends.last().is_none_or(|end| *end as usize == self.bytes.len());
        let merges = |merge: &Merge| known(merge.left) && known(merge.right) && known(merge.token);
        let sound = rises
            && self.bytes.len() <= TOKENS * 64
            && (0..count).all(|token| self.token_bytes(token).len() <= LONGEST)
            && self.of_byte.iter().flatten().all(|token| known(*token))
            && self.merges.is_sorted()
            && self.merges.iter().all(merges);
        if sound { Ok(()) } else { Err(wrong("the tokenizer contradicts itself")) }
    }

    pub fn size(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of a token; none for a number that is no token.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        let token = token as usize;
        let Some(&end) = self.ends.get(token) else { return &[] };
        let start = if token == 0 { 0 } else { self.ends[token - 1] };
        &self.bytes[start as usize..end as usize]
    }

    /// The text of tokens; bytes that are no UTF-8 become U+FFFD.
    pub fn decode(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.token_bytes(*token)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.encode_at_most(text, usize::MAX)
    }

    /// The tokens of a text, or the first few more than `most` of them: a long text takes no longer than that.
    pub fn encode_at_most(&self, text: &str, most: usize) -> Vec<u32> {
        let mut tokens = Vec::new();
        for_each_word(text, |word| {
            if tokens.len() > most {
                return;
            }
            for part in word.as_bytes().chunks(WORD) {
                self.merge_word(part, &mut tokens);
            }
        });
        tokens
    }

    fn merge_word(&self, word: &[u8], out: &mut Vec<u32>) {
        let start = out.len();
        out.extend(word.iter().filter_map(|byte| self.of_byte[usize::from(*byte)]));
        loop {
            let pairs = out[start..].windows(2).enumerate();
            let best = pairs.filter_map(|(at, pair)| Some((self.merge(pair[0], pair[1])?, at)));
            let Some((merge, at)) = best.min_by_key(|(merge, at)| (merge.rank, *at)) else { return };
            out[start + at] = merge.token;
            out.remove(start + at + 1);
        }
    }

    fn merge(&self, left: u32, right: u32) -> Option<Merge> {
        let at = self.merges.partition_point(|merge| (merge.left, merge.right) < (left, right));
        self.merges.get(at).filter(|merge| (merge.left, merge.right) == (left, right)).copied()
    }
}

fn cut() -> Error {
    wrong("the tokenizer is cut off")
}

/// Calls with each word: `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`, within the pieces between digits.
fn for_each_word(text: &str, mut word: impl FnMut(&str)) {
    let mut piece = 0;
    for (at, character) in text.char_indices() {
        if character.is_numeric() {
            words_of_piece(&text[piece..at], &mut word);
            piece = at + character.len_utf8();
            word(&text[at..piece]);
        }
    }
    words_of_piece(&text[piece..], &mut word);
}

fn words_of_piece(mut text: &str, word: &mut impl FnMut(&str)) {
    while !text.is_empty() {
        let (found, rest) = text.split_at(first_word(text));
        word(found);
        text = rest;
    }
}

/// The length of the word that a text without digits begins with.
fn first_word(text: &str) -> usize {
    if let Some(ending) = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"].iter().find(|ending| text.starts_with(**ending))
    {
        return ending.len();
    }
    let body = text.strip_prefix(' ').unwrap_or(text);
    let space = text.len() - body.len();
    let run = |of: fn(char) -> bool| body.find(|character| !of(character)).unwrap_or(body.len());
    match run(is_letter) {
        0 => {}
        letters => return space + letters,
    }
    match run(|character| !character.is_whitespace() && !is_letter(character)) {
        0 => {}
        others => return space + others,
    }
    let spaces = text.find(|character: char| !character.is_whitespace()).unwrap_or(text.len());
    // The last of several spaces belongs to the word that follows.
    match text[..spaces].char_indices().next_back() {
        Some((last, _)) if spaces < text.len() && last > 0 => last,
        _ => spaces,
    }
}

/// GPT-2's character for a byte: itself where it is printable, else one from U+0100 on.
fn letter_of(byte: u8) -> char {
    if is_printable(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|byte| !is_printable(*byte)).count() as u32;
    char::from_u32(256 + before).expect("below U+0200")
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn text_is_split_as_gpt2_splits_it() {
        assert_eq!(words("it's  a  tree"), ["it", "'s", " ", " a", " ", " tree"]);
        assert_eq!(words("v12 x\n\n$ "), ["v", "1", "2", " x", "\n", "\n", "$", " "]);
        assert_eq!(words(" 3中文 (ab)\t"), [" ", "3", "中文", " (", "ab", ")", "\t"]);
        assert_eq!(words("'S 'll\u{a0}\u{a0}b"), ["'", "S", " '", "ll", "\u{a0}", "\u{a0}", "b"]);
    }

    #[test]
    fn each_byte_has_its_letter() {
        assert_eq!((letter_of(b' '), letter_of(b'a'), letter_of(0xad)), ('Ġ', 'a', 'Ń'));
        let letters: std::collections::HashSet<char> = (0..=255).map(letter_of).collect();
        assert_eq!(letters.len(), 256);
    }
}
