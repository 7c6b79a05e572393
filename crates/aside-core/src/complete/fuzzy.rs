//! Fuzzy matching: whether a line contains what is typed, for lines that users remember by their middle or by initials.

/// Each typed piece must begin a word or a part of one, in order, ignoring case; a piece with a blank after it must be
/// all of that. A flag only matches a flag.
pub fn is_subsequence(line: &str, typed: &str) -> bool {
    let mut from = 0;
    let mut pieces = typed.split_whitespace().peekable();
    while let Some(piece) = pieces.next() {
        let is_whole = pieces.peek().is_some() || typed.ends_with(char::is_whitespace);
        let Some(at) = find(line.as_bytes(), from, piece.as_bytes(), is_whole) else { return false };
        from = at + piece.len();
    }
    true
}

/// Whether the typed word consists of the initials of the line's words, from the first word on.
pub fn matches_initials(line: &str, typed: &str) -> bool {
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

fn find(text: &[u8], from: usize, wanted: &[u8], is_whole: bool) -> Option<usize> {
    let (first, length) = (wanted.first()?.to_ascii_lowercase(), wanted.len());
    let is_letter = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_part = |at: usize| at == 0 || !wanted[0].is_ascii_alphanumeric() || !is_letter(at - 1);
    let ends = |at: usize| !is_whole || !is_letter(at + length);
    let is_same_sort = |at: usize| (wanted[0] == b'-') == is_in_flag(text, at);
    let begins = |&at: &usize| {
        text[at].to_ascii_lowercase() == first
            && text[at..at + length].eq_ignore_ascii_case(wanted)
            && is_part(at)
            && ends(at)
            && is_same_sort(at)
    };
    (from..(text.len() + 1).saturating_sub(length)).find(begins)
}

/// Whether the byte is part of a flag; the value after its `=` is not.
fn is_in_flag(text: &[u8], at: usize) -> bool {
    let begin = text[..at].iter().rposition(u8::is_ascii_whitespace).map_or(0, |blank| blank + 1);
    text.get(begin) == Some(&b'-') && !text[begin..at].contains(&b'=')
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
            ("docker rm ", "docker run --rm -it alpine", false, false),
            ("docker rm ", "docker container rm web", true, false),
            ("run it", "docker run --rm -it alpine", false, false),
            ("docker --rm", "docker run --rm alpine", true, false),
            ("stash ", "git stash pop", true, false),
            ("st pop", "git stash pop", false, false),
            ("output a", "frob --output=a.txt", false, false),
            ("frob a", "frob --output=a.txt", true, false),
            ("x", "", false, false),
            ("", "ls", true, false),
        ] {
            assert_eq!(
                (is_subsequence(line, typed), matches_initials(line, typed)),
                (pieces, initials),
                "{typed} in {line}"
            );
        }
    }
}
