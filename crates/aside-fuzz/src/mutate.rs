//! Makes an input from earlier ones: words and bytes inserted, removed, doubled, exchanged, spliced; now and then a long one.

use crate::random::Random;

/// Bytes that parsers treat specially.
const BYTES: &[u8] = b"\0\n\r\t \x1b\x07\x18\x83\\\"'`{}[]()<>|&;:,=#$-@%0\xff\xc3\xe2";
const MAX_CHANGES: usize = 12;
const MAX_PIECE: usize = 32;
/// One of so many inputs is repeated until it is long.
const LONG: usize = 400;

pub fn mutated(inputs: &[Vec<u8>], words: &[&str], longest: usize, random: &mut Random) -> Vec<u8> {
    let any = |random: &mut Random| inputs.get(random.below(inputs.len())).map_or(&[][..], Vec::as_slice);
    let mut input = if random.below(8) == 0 { Vec::new() } else { any(random).to_vec() };
    for _ in 0..=random.below(MAX_CHANGES) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(MAX_PIECE)).min(input.len());
        match random.below(10) {
            0 => drop(input.drain(at..end)),
            1 => input = [&input[..end], &input[at..]].concat(),
            2 if random.below(3) == 0 => input.truncate(at),
            3 if at < input.len() => input[at] ^= 1 << random.below(8),
            4 if at < input.len() => input[at] = BYTES[random.below(BYTES.len())],
            5 => input.insert(at, BYTES[random.below(BYTES.len())]),
            6 => {
                let other = any(random);
                let from = random.below(other.len() + 1);
                let to = (from + random.below(4 * MAX_PIECE)).min(other.len());
                input.splice(at..at, other[from..to].iter().copied());
            }
            7 => {
                let letter = char::from_u32(random.below(0x3000) as u32).unwrap_or('x');
                input.splice(at..at, letter.to_string().into_bytes());
            }
            _ => {
                let word = random.one_of(words).unwrap_or_default();
                input.splice(at..at, word.bytes());
            }
        }
    }
    if random.below(LONG) == 0 && !input.is_empty() {
        input = input.repeat((longest / input.len()).clamp(1, 2000));
    }
    input.truncate(longest);
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_inputs_and_none_is_too_long() {
        let seeds = [b"one two".to_vec(), b"three".to_vec()];
        let run = || {
            let mut random = Random::new(7);
            (0..2000).map(|_| mutated(&seeds, &["word"], 500, &mut random)).collect::<Vec<_>>()
        };
        let inputs = run();
        assert_eq!(inputs, run());
        assert!(inputs.iter().all(|input| input.len() <= 500));
        assert!(inputs.iter().any(|input| input.len() == 500));
        assert!(inputs.iter().any(|input| input.windows(4).any(|part| part == b"word")));
    }
}
