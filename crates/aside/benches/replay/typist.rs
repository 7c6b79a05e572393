//! An ideal typist who makes no mistakes and knows in advance what each key will bring: the fewest keys with which a line can be
//! typed, given what a tool offers at each of its characters. Every tool gets the same typist.
//!
//! A key is a character, → (all of the ghost), Alt-→ (its next word), or, with a bar, Shift-→ (the next candidate) and Tab (accept
//! it). Enter is the same for all and not counted. Nothing is ever deleted: what is accepted has to be a prefix of the intended
//! line.

/// The lines that a tool offers, best first. The first is the ghost, if it extends the typed text; an empty one means a bar without
/// a ghost.
pub type Offers = Vec<String>;

/// A line and what was offered while it was typed.
pub struct Watched<'a> {
    pub line: &'a str,
    /// For each number of characters typed, from 0 to all of them.
    pub offers: &'a [Offers],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// → alone, and only when the ghost is the whole line.
    Plain,
    /// → alone, whenever the whole ghost is right as far as it goes.
    Right,
    /// → and Alt-→.
    Ghost,
    /// → and Alt-→, Shift-→ and Tab.
    Bar,
}

impl Watched<'_> {
    /// The ghost after `typed` characters: the whole line that it would make.
    pub fn ghost(&self, typed: usize) -> Option<&str> {
        let ghost = self.offers.get(typed)?.first()?;
        let left = beginning(self.line, typed);
        (ghost.len() > left.len() && ghost.starts_with(left)).then_some(ghost)
    }

    pub fn length(&self) -> usize {
        self.line.chars().count()
    }

    /// The fewest keys that type the line.
    pub fn fewest(&self, keys: Keys) -> usize {
        let length = self.length();
        // From each position to the end; at the end there is nothing left to do.
        let mut fewest = vec![0; length + 1];
        for typed in (0..length).rev() {
            let mut best = 1 + fewest[typed + 1];
            for (to, cost) in self.leaps(typed, keys) {
                best = best.min(cost + fewest[to]);
            }
            fewest[typed] = best;
        }
        fewest[0]
    }

    /// The positions reachable from here other than by typing a character, and the number of keys.
    fn leaps(&self, typed: usize, keys: Keys) -> Vec<(usize, usize)> {
        let mut leaps = Vec::new();
        let reached = |text: &str| {
            let length = text.chars().count();
            (length > typed && self.line.starts_with(text)).then_some(length)
        };
        if let Some(ghost) = self.ghost(typed) {
            match keys {
                Keys::Plain => leaps.extend((ghost == self.line).then(|| (self.length(), 1))),
                Keys::Right => leaps.extend(reached(ghost).map(|to| (to, 1))),
                Keys::Ghost | Keys::Bar => {
                    leaps.extend(reached(ghost).map(|to| (to, 1)));
                    let left = beginning(self.line, typed).len();
                    leaps.extend(reached(&ghost[..next_word(ghost, left)]).map(|to| (to, 1)));
                }
            }
        }
        if keys == Keys::Bar {
            let offers = self.offers.get(typed).into_iter().flatten();
            // Without a ghost, Shift-→ selects the first in the bar, and Tab accepts it.
            let others = offers.enumerate().skip(1);
            leaps.extend(others.filter_map(|(place, text)| Some((reached(text)?, place + 1))));
        }
        leaps
    }
}

/// The first `count` characters.
pub fn beginning(line: &str, count: usize) -> &str {
    line.char_indices().nth(count).map_or(line, |(end, _)| &line[..end])
}

/// Where zsh's `forward-word` goes from byte `from`: over the rest of this word, then to the beginning of the next one.
pub fn next_word(line: &str, from: usize) -> usize {
    let rest = &line[from..];
    let after_word = rest.find(|character| !in_word(character)).unwrap_or(rest.len());
    let tail = &rest[after_word..];
    from + after_word + tail.find(in_word).unwrap_or(tail.len())
}

/// Letters, digits, and the default of `WORDCHARS`.
fn in_word(character: char) -> bool {
    character.is_alphanumeric() || "*?_-.[]~=/&;!#$%^(){}<>".contains(character)
}
