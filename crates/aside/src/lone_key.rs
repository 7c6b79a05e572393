//! Decides whether a key was meant as the answer to a question: only one that stands alone, after the question was on the screen for a
//! moment. `maybe` has a `y`, and so has what is still being typed when a question appears. Has no clock and no terminal: every time is in
//! milliseconds, and passed in. A key that changes nothing, as one that rejects, need not stand alone.

/// How long a question is on the screen before a key answers it.
pub const READ: u64 = 500;
/// How long nothing was typed before a key that answers, and after it.
pub const BEFORE: u64 = 400;
pub const AFTER: u64 = 250;
/// How long nothing was typed before it when the last key was a letter that means nothing: of a word that is typed slowly.
pub const WORD: u64 = 1500;

/// `Question` tells one question from another.
#[derive(Clone, Debug)]
pub struct LoneKey<Question> {
    /// What is on the screen, and since when.
    shown: Option<(Question, u64)>,
    /// When the last key came.
    typed: Option<u64>,
    /// When a letter came that means nothing.
    letter: Option<u64>,
    /// The key that may stand alone.
    held: Option<(char, u64)>,
    row: KeyRow,
}

/// Whether the keys since the last pause were remarked on: one remark is enough for a word, and for a key that is held down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyRow {
    Quiet,
    Remarked,
}

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// It counts unless another one follows: ask `stands` at `wakes`.
    Held,
    /// This key answers nothing, since it did not stand alone.
    Stray(char),
    /// It is none of the question's.
    Nothing,
}

impl<Question> Default for LoneKey<Question> {
    fn default() -> Self {
        Self { shown: None, typed: None, letter: None, held: None, row: KeyRow::Quiet }
    }
}

impl<Question: PartialEq> LoneKey<Question> {
    /// Notes what is on the screen. Another question is a new one.
    pub fn shows(&mut self, question: Question, now: u64) {
        if self.shown.as_ref().is_none_or(|(shown, _)| *shown != question) {
            (self.shown, self.held) = (Some((question, now)), None);
        }
    }

    /// There is no question, or it is to be read anew.
    pub fn hides(&mut self) {
        (self.shown, self.held) = (None, None);
    }

    /// Forgets the question unless it is still this one.
    pub fn keeps(&mut self, question: Option<&Question>) {
        if self.shown.as_ref().map(|(shown, _)| shown) != question {
            self.hides();
        }
    }

    pub fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Whether the question was on the screen for long enough.
    pub fn is_read(&self, now: u64) -> bool {
        self.shown.as_ref().is_some_and(|(_, since)| now.saturating_sub(*since) >= READ)
    }

    /// A key that would answer.
    pub fn answers(&mut self, key: char, now: u64) -> Pressed {
        let is_first = self.typed.is_none_or(|typed| now.saturating_sub(typed) >= BEFORE);
        if let stray @ Pressed::Stray(_) = self.others(now) {
            return stray;
        }
        let is_in_word = self.letter.is_some_and(|letter| now.saturating_sub(letter) < WORD);
        if is_in_word {
            self.letter = Some(now);
        }
        if is_first && !is_in_word && self.is_read(now) {
            self.held = Some((key, now));
            return Pressed::Held;
        }
        self.strays(key)
    }

    /// Any other key: it may make a stray of the one before it.
    pub fn others(&mut self, now: u64) -> Pressed {
        if self.typed.replace(now).is_none_or(|typed| now.saturating_sub(typed) >= BEFORE) {
            self.row = KeyRow::Quiet;
        }
        match self.held.take() {
            Some((key, _)) => self.strays(key),
            None => Pressed::Nothing,
        }
    }

    /// A letter that means nothing: the next one may belong to the same word.
    pub fn letter(&mut self, now: u64) -> Pressed {
        self.letter = Some(now);
        self.others(now)
    }

    fn strays(&mut self, key: char) -> Pressed {
        match std::mem::replace(&mut self.row, KeyRow::Remarked) {
            KeyRow::Quiet => Pressed::Stray(key),
            KeyRow::Remarked => Pressed::Nothing,
        }
    }

    /// The key that stood alone. Call it only when no key waits to be read.
    pub fn stands(&mut self, now: u64) -> Option<char> {
        self.held.take_if(|(_, since)| now.saturating_sub(*since) >= AFTER).map(|(key, _)| key)
    }

    /// When the next thing changes without a key: one may stand alone, or the question is read.
    pub fn wakes(&self, now: u64) -> Option<u64> {
        let stands = self.held.as_ref().map(|(_, since)| since + AFTER);
        let read = self.shown.as_ref().map(|(_, since)| since + READ).filter(|read| *read > now);
        stands.into_iter().chain(read).min()
    }

    /// Whether the remark about a stray key is still about what is being typed.
    pub fn is_remarked(&self) -> bool {
        self.row == KeyRow::Remarked
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Presses these keys at these times, at a question that is on the screen since 1000: what was answered, and the strays. `y` answers.
    fn pressed(keys: &[(char, u64)]) -> (Option<char>, String) {
        let mut lone = LoneKey::default();
        lone.shows("run it?", 1000);
        let (mut answer, mut strays) = (None, String::new());
        for (at, (key, now)) in keys.iter().enumerate() {
            let pressed = match key {
                'y' => lone.answers(*key, *now),
                'a'..='z' => lone.letter(*now),
                _ => lone.others(*now),
            };
            if let Pressed::Stray(stray) = pressed {
                strays.push(stray);
            }
            let until = keys.get(at + 1).map_or(u64::MAX, |(_, next)| next - 1);
            answer = answer.or_else(|| lone.stands(until));
        }
        (answer, strays)
    }

    fn typed(text: &str, begin: u64, pause: u64) -> Vec<(char, u64)> {
        (begin..).step_by(usize::try_from(pause).unwrap()).zip(text.chars()).map(|(at, key)| (key, at)).collect()
    }

    #[test]
    fn a_key_answers_when_it_stands_alone() {
        assert_eq!(pressed(&typed("y", 1500, 1)), (Some('y'), String::new()));
        // Much later, and after other keys.
        assert_eq!(pressed(&typed("\ty", 2000, BEFORE)), (Some('y'), String::new()));
        assert_eq!(pressed(&typed("ay", 2000, WORD)), (Some('y'), String::new()));
    }

    #[test]
    fn a_key_before_the_question_could_be_read_answers_nothing() {
        for early in [1000, 1001, 1250, 1499] {
            assert_eq!(pressed(&typed("y", early, 1)), (None, "y".to_owned()), "{early}");
        }
        assert_eq!(pressed(&[('y', 1100), ('y', 1500)]), (Some('y'), "y".to_owned()));
        assert_eq!(pressed(&[('y', 1200), ('y', 1500)]), (None, "y".to_owned()), "too soon after the first");
    }

    #[test]
    fn a_key_in_a_word_answers_nothing_and_one_remark_is_enough() {
        for word in ["maybe", "yes", "okay", "y\n", "yy", "yyyyyyyyyyyyyyyyyyyy", "try it by yourself"] {
            for pause in [1, 20, 100, 249] {
                assert_eq!(pressed(&typed(word, 5000, pause)), (None, "y".to_owned()), "{word:?} at {pause}");
            }
        }
        assert_eq!(pressed(&typed("no", 5000, 100)), (None, String::new()));
        // A word that is typed slowly is one all the same.
        for pause in [400, 600, 1000, 1499] {
            assert_eq!(pressed(&typed("maybe", 5000, pause)), (None, "y".to_owned()), "at {pause}");
        }
        assert_eq!(pressed(&typed("okay yes", 5000, 700)).0, None);
    }

    #[test]
    fn another_question_is_read_anew() {
        let mut lone = LoneKey::default();
        lone.shows(1, 0);
        assert_eq!(lone.answers('y', 1000), Pressed::Held);
        lone.shows(2, 1100);
        assert_eq!((lone.stands(9000), lone.is_read(1599), lone.is_read(1600)), (None, false, true));
        lone.hides();
        assert_eq!((lone.answers('y', 9000), lone.is_shown()), (Pressed::Stray('y'), false));
    }

    #[test]
    fn it_wakes_for_the_key_and_for_the_question() {
        let mut lone = LoneKey::default();
        assert_eq!(lone.wakes(0), None);
        lone.shows((), 100);
        assert_eq!((lone.wakes(100), lone.wakes(600)), (Some(600), None));
        assert_eq!((lone.answers('y', 700), lone.wakes(700)), (Pressed::Held, Some(950)));
        assert_eq!((lone.stands(949), lone.stands(950), lone.wakes(950)), (None, Some('y'), None));
    }

    proptest! {
        #[test]
        fn whatever_is_typed_an_answer_stood_alone(pauses in prop::collection::vec((0u64..700, prop::bool::ANY), 1..30)) {
            let mut now = 1000;
            let keys: Vec<(char, u64)> = pauses
                .into_iter()
                .map(|(pause, is_y)| {
                    now += pause;
                    (if is_y { 'y' } else { '\t' }, now)
                })
                .collect();
            let alone = keys.iter().enumerate().any(|(at, (key, now))| {
                let before = at.checked_sub(1).and_then(|at| keys.get(at)).is_none_or(|(_, before)| now - before >= BEFORE);
                let after = keys.get(at + 1).is_none_or(|(_, after)| after - now > AFTER);
                *key == 'y' && *now >= 1000 + READ && before && after
            });
            prop_assert_eq!(pressed(&keys).0.is_some(), alone);
        }
    }
}
