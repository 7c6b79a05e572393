//! Decides whether a candidate names a date in the past.

use crate::complete::context::CompletionContext;
use crate::complete::filter::is_missing;

/// Whether it adds a word with a date that names nothing here, or writes to such a file: `backup-2024-03-01.tar.gz` was
/// made on that day.
pub fn names_old_date(context: &CompletionContext<'_>, text: &str, from: usize) -> bool {
    let begin = text.get(..from).and_then(|typed| typed.rfind(char::is_whitespace)).map_or(0, |blank| blank + 1);
    let words = text
        .get(begin..)
        .unwrap_or_default()
        .split(|letter: char| letter.is_whitespace() || "'\"`;|&<>()".contains(letter));
    let is_target = text.get(..begin).unwrap_or_default().trim_end().ends_with('>');
    let added = text.get(if is_target { begin } else { from }..).unwrap_or_default();
    let is_written = || added.split('>').skip(usize::from(!is_target)).any(has_date);
    words.filter(|word| has_date(word)).any(|word| is_missing(context, word)) || is_written()
}

/// `2024-03-01`, `20240301`
fn has_date(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is = |at: usize, form: &[u8]| {
        bytes.get(at..at + form.len()).is_some_and(|part| {
            part.iter().zip(form).all(|(byte, form)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form })
        })
    };
    let is_alone = |at: usize, length: usize| {
        let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        !digit(at.checked_sub(1)) && !digit(Some(at + length))
    };
    (0..bytes.len()).any(|at| {
        word.get(at..at + 2).is_some_and(|century| matches!(century, "19" | "20"))
            && (is(at, b"0000-00-00") && is_alone(at, 10) || is(at, b"00000000") && is_alone(at, 8))
    })
}
