//! Whether a line has in it what is typed, for lines that are remembered by their middle or by their first letters.

/// Every piece between blanks begins a word or a part of one, in this order, whatever the case.
pub fn has_in_order(line: &str, typed: &str) -> bool {
    let mut rest = line.as_bytes();
    typed.split_whitespace().all(|piece| match find(rest, piece.as_bytes()) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// One word whose letters are the first ones of the line's words, from the first word on.
pub fn has_initials(line: &str, typed: &str) -> bool {
    if typed.contains(char::is_whitespace) {
        return false;
    }
    let words = line.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut initials = words.filter_map(|word| word.chars().next());
    let mut letters = typed.chars();
    let same = |one: char, other: char| one.eq_ignore_ascii_case(&other);
    letters.next().zip(initials.next()).is_some_and(|(letter, initial)| same(letter, initial))
        && letters.all(|letter| initials.any(|initial| same(letter, initial)))
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let (first, length) = (wanted.first()?.to_ascii_lowercase(), wanted.len());
    let is_part = |at: usize| at == 0 || !wanted[0].is_ascii_alphanumeric() || !text[at - 1].is_ascii_alphanumeric();
    let begins = |&at: &usize| {
        text[at].to_ascii_lowercase() == first && text[at..at + length].eq_ignore_ascii_case(wanted) && is_part(at)
    };
    (0..(text.len() + 1).saturating_sub(length)).find(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_misses() {
        for (typed, line, pieces, initials) in [
            ("stash pop", "git stash pop", true, false),
            ("STASH", "git stash pop", true, false),
            ("pop stash", "git stash pop", false, false),
            ("gsp", "git stash pop", false, true),
            ("gcm", "git checkout -b main", false, true),
            ("sp", "git stash pop", false, false),
            ("dcu", "docker compose up -d", false, true),
            ("日本", "cd 日本語", true, false),
            ("cd s", "cd ~/ops", false, false),
            ("cd s", "cd ~/src", true, false),
            ("ssh prod", "ssh -p 22 me@prod.example", true, false),
            ("x", "", false, false),
            ("", "ls", true, false),
        ] {
            assert_eq!((has_in_order(line, typed), has_initials(line, typed)), (pieces, initials), "{typed} in {line}");
        }
    }
}
