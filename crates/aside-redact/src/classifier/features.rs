//! The features of a word for the classifier: its shape, the punctuation around it, the words before and behind it.

use crate::classifier::column;
use crate::classifier::hints::{self, Hint};
use crate::classifier::{CandidateShape, WordTokens};
use crate::key_value::is_unspaced;
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::{entropy, placeholder, secret_name};

/// Words before and behind whose spelling counts, words whose hints count, and letters of one.
const MAX_BEFORE: usize = 6;
const MAX_BEHIND: usize = 2;
const HINTS_BEFORE: usize = 10;
const HINTS_BEHIND: usize = 5;
const MAX_LETTERS: usize = 24;
/// Bytes of a column's title.
const MAX_TITLE: usize = 40;
/// Bytes of a word that something on its line may explain.
pub const MIN_EXPLAINED: usize = 12;
/// Words of a command or clause before a word.
const MAX_HEAD: usize = 14;

const PLACES: [&str; MAX_BEFORE] = ["1", "2", "3", "4", "5", "6"];

impl WordTokens<'_> {
    /// Calls `put` with every feature of the word, by the parts of its name.
    pub fn features(&self, at: usize, sort: CandidateShape, put: &mut dyn FnMut(&[&str])) {
        put(&["bias"]);
        put(&["sort ", sort.name()]);
        of_shape(self.word(at), put);
        self.of_place(at, put);
        self.of_neighbours(at, put);
        self.of_hints(at, sort, put);
        self.of_pairs(at, sort, put);
    }

    /// Combined features: the nearest word that announces a secret and the word between, the column and the shape, a
    /// program and its flag.
    fn of_pairs(&self, at: usize, sort: CandidateShape, put: &mut dyn FnMut(&[&str])) {
        let word = self.word(at);
        let look = look(word, sort);
        let (before, behind) = (glue(self.between(at)), glue(self.between(at + 1)));
        let one = self.tag(at, 1);
        put(&["tag ", one, " ", &before, " ", &behind]);
        if let Some((hint, distance)) = self.nearest(at) {
            put(&["nearest ", hint.name(), " ", bucket(distance), " ", one]);
        }
        let column = self.words.get(at).and_then(|word| column::title(self.text, word.start));
        if let Some((title, head)) = column.filter(|(title, _)| title.len() < MAX_TITLE) {
            let hint_in = |text: &str| {
                let hint = text
                    .split([' ', '|', ',', ';', '\t', '"', '~', ':'])
                    .rev()
                    .find_map(|word| hints::of_name(&low(word)));
                hint.or_else(|| hints::unspaced(text).next())
            };
            let hint = hint_in(title).map_or("none", Hint::name);
            let known = if hint_in(head).is_some() { "head" } else { "row" };
            put(&["column ", hint, " ", known]);
            put(&["column ", hint, " ", known, " ", look]);
            put(&["column ", hint, " ", known, " ", one]);
        }
        if let Some(head) = self.head(at) {
            let head_word = low(self.word(head));
            put(&["head of line ", &head_word]);
            put(&["head of line ", kind(self.word(head)), " ", bucket(at - head), " ", look]);
            if one == "flag" {
                put(&["head of line ", &head_word, " ", &low(self.word(at - 1))]);
            }
        }
    }

    /// The nearest earlier word on the line that announces a secret.
    pub fn nearest(&self, at: usize) -> Option<(Hint, usize)> {
        (1..=HINTS_BEFORE.min(at))
            .take_while(|distance| !self.between(at + 1 - distance).contains('\n'))
            .find_map(|distance| self.hint(at - distance).filter(|hint| hint.announces()).map(|hint| (hint, distance)))
    }

    /// Index of the first word of the command or clause that contains the word.
    fn head(&self, at: usize) -> Option<usize> {
        let mut head = None;
        for distance in 1..=MAX_HEAD.min(at) {
            if self.between(at + 1 - distance).contains(['\n', ';', '|'])
                || ["&&", "||", "$", "#"].contains(&self.word(at - distance))
            {
                break;
            }
            head = Some(at - distance);
        }
        head
    }

    fn of_place(&self, at: usize, put: &mut dyn FnMut(&[&str])) {
        let (before, behind) = (glue(self.between(at)), glue(self.between(at + 1)));
        put(&["before ", &before]);
        put(&["behind ", &behind]);
        put(&["around ", &before, " ", &behind]);
        let first = at == 0 || self.between(at).contains('\n');
        let last = at + 1 == self.words.len() || self.between(at + 1).contains('\n');
        put(&["line ", if first { "first" } else { "" }, if last { "last" } else { "" }]);
        put(&["count ", bucket(self.words.len())]);
        if let Some(word) = self.words.get(at).filter(|word| word.len() >= MIN_EXPLAINED) {
            put(&["explained ", if entropy::is_unexplained(self.text, word.start, word.end) { "no" } else { "yes" }]);
        }
    }

    fn of_neighbours(&self, at: usize, put: &mut dyn FnMut(&[&str])) {
        let mut line = "";
        for (distance, place) in PLACES.iter().enumerate() {
            let Some(before) = at.checked_sub(distance + 1) else { break };
            if self.between(before + 1).contains('\n') {
                line = "/";
            }
            let word = self.word(before);
            let low = low(word);
            if distance < 3 {
                put(&["word", place, line, " ", &low]);
                put(&["kind", place, line, " ", kind(word)]);
            }
            put(&["near", line, " ", &low]);
            put(&["stem", line, " ", stem(&low)]);
            if let Some(class) = secret_name::class(word) {
                put(&["name", place, line, " ", class_name(class)]);
                put(&["name", line, " ", class_name(class)]);
            }
            let unspaced: Vec<char> = self.between(before + 1).chars().filter(|letter| is_unspaced(*letter)).collect();
            for pair in unspaced.windows(2) {
                let pair: String = pair.iter().collect();
                put(&["han", line, " ", &pair]);
            }
        }
        for (distance, place) in PLACES.iter().take(MAX_BEHIND).enumerate() {
            let behind = at + distance + 1;
            if behind >= self.words.len() {
                break;
            }
            let line = if self.between(behind).contains('\n') { "/" } else { "" };
            let word = self.word(behind);
            put(&["next", place, line, " ", &low(word)]);
            put(&["follows", place, line, " ", kind(word)]);
        }
    }

    /// The nearest hint of each kind before and behind, the sequence of the last words, and what the line above
    /// mentions.
    fn of_hints(&self, at: usize, sort: CandidateShape, put: &mut dyn FnMut(&[&str])) {
        let mut seen: Vec<Hint> = Vec::new();
        let mut line = "";
        for distance in 0..HINTS_BEFORE.min(at) {
            let before = at - distance - 1;
            let between = self.between(before + 1);
            for hint in hints::unspaced(between) {
                put(&["hint unspaced ", hint.name()]);
                put(&["hint ", sort.name(), " unspaced ", hint.name()]);
            }
            if between.contains('\n') {
                line = if line.is_empty() { "/" } else { "//" };
            }
            if line.len() > 1 {
                break;
            }
            let Some(hint) = self.hint(before).filter(|hint| !seen.contains(hint)) else { continue };
            seen.push(hint);
            let far = bucket(distance + 1);
            put(&["hint ", line, hint.name()]);
            put(&["hint ", line, hint.name(), " ", far]);
            put(&["hint ", sort.name(), " ", line, hint.name()]);
            put(&["hint ", sort.name(), " ", line, hint.name(), " ", far]);
        }
        for one in &seen {
            for two in seen.iter().filter(|two| one.name() < two.name()) {
                put(&["hints ", one.name(), " ", two.name()]);
            }
        }
        let mut behind = Vec::new();
        for distance in 1..=HINTS_BEHIND {
            if at + distance >= self.words.len() || self.between(at + distance).contains('\n') {
                break;
            }
            let Some(hint) = self.hint(at + distance).filter(|hint| !behind.contains(hint)) else { continue };
            behind.push(hint);
            put(&["then ", hint.name()]);
            put(&["then ", sort.name(), " ", hint.name(), " ", bucket(distance)]);
        }
        let tags = [self.tag(at, 1), self.tag(at, 2), self.tag(at, 3)];
        put(&["tag ", sort.name(), " ", tags[0]]);
        put(&["tags ", tags[1], " ", tags[0]]);
        put(&["tags ", sort.name(), " ", tags[1], " ", tags[0]]);
        put(&["tags ", tags[2], " ", tags[1], " ", tags[0]]);
    }

    /// The hint or the kind of the word `distance` words before.
    fn tag(&self, at: usize, distance: usize) -> &'static str {
        let Some(before) = at.checked_sub(distance) else { return "-" };
        if self.between(before + 1).contains('\n') {
            return "/";
        }
        self.hint(before).map_or_else(|| kind(self.word(before)), Hint::name)
    }
}

fn of_shape(word: &str, put: &mut dyn FnMut(&[&str])) {
    put(&["shape ", &shape(word, 3)]);
    put(&["runs ", &shape(word, 1)]);
    put(&["size ", bucket(word.len())]);
    put(&["kind ", kind(word)]);
    put(&["variety ", bucket(secret_strength::variety(word))]);
    put(&["digits ", bucket(word.bytes().filter(u8::is_ascii_digit).count())]);
    put(&[
        "strength ",
        match secret_strength::secret_strength(word) {
            None => "none",
            Some(SecretStrength::Word) => "word",
            Some(SecretStrength::Soft) => "soft",
            Some(SecretStrength::Chosen) => "chosen",
            Some(SecretStrength::Strong) => "strong",
        },
    ]);
    for symbol in word.chars().filter(|letter| !letter.is_alphanumeric()) {
        put(&["has ", symbol.encode_utf8(&mut [0; 4])]);
    }
    let tests: [(&str, bool); 8] = [
        ("ordinary", secret_strength::is_ordinary(word)),
        ("prose", secret_strength::is_prose(word)),
        ("words", secret_strength::is_words(word)),
        ("random", secret_strength::is_random(word)),
        ("identifier", secret_strength::is_identifier(word)),
        ("hash", secret_strength::is_hash(word)),
        ("dated", secret_strength::is_dated(word)),
        ("secret name", placeholder::is_secret_name(word)),
    ];
    for (name, _) in tests.iter().filter(|(_, holds)| *holds) {
        put(&["is ", name]);
    }
    if let Some(class) = secret_name::class(word) {
        put(&["names ", class_name(class)]);
    }
    let bytes = word.as_bytes();
    if bytes.windows(3).any(|three| matches!(three, [one, two, three] if one.is_ascii_alphabetic() && two.is_ascii_digit() && three.is_ascii_lowercase())) {
        put(&["leet"]);
    }
    if !word.is_ascii() {
        put(&["letters other"]);
    }
    let head: String = word.chars().take(3).flat_map(char::to_lowercase).collect();
    put(&["head ", &head]);
    let tail: String = word.chars().rev().take(3).flat_map(char::to_lowercase).collect();
    put(&["tail ", &tail]);
}

/// Shape and strength of a word combined.
fn look(word: &str, sort: CandidateShape) -> &'static str {
    match (sort, secret_strength::secret_strength(word)) {
        (CandidateShape::Number, _) => "number",
        (CandidateShape::Hex, _) => "hex",
        (CandidateShape::Word, _) => "plain",
        (CandidateShape::Chosen, None) => "none",
        (CandidateShape::Chosen, Some(SecretStrength::Word)) => "word",
        (CandidateShape::Chosen, Some(SecretStrength::Soft)) => "soft",
        (CandidateShape::Chosen, Some(SecretStrength::Chosen)) => "chosen",
        (CandidateShape::Chosen, Some(SecretStrength::Strong)) => "strong",
    }
}

/// `Aa9!`: runs of capitals, small letters, digits and symbols, each at most `most` long.
fn shape(word: &str, most: usize) -> String {
    let mut shape = String::new();
    let (mut last, mut run) = (' ', 0);
    for letter in word.chars().take(MAX_LETTERS) {
        let class = match letter {
            letter if letter.is_numeric() => '9',
            letter if letter.is_uppercase() => 'A',
            letter if letter.is_alphabetic() => 'a',
            other => other,
        };
        run = if class == last { run + 1 } else { 1 };
        last = class;
        if run <= most {
            shape.push(class);
        }
    }
    shape
}

/// A coarse kind of word.
fn kind(word: &str) -> &'static str {
    let low = word.to_lowercase();
    let count = word.chars().count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    match () {
        () if word.starts_with('-') => "flag",
        () if word.contains("://") => "url",
        () if word.contains('@') && word.contains('.') => "mail",
        () if word.contains('/') => "path",
        () if digits == count => "number",
        () if letters == 0 && digits > 0 => "numbers",
        () if letters == count && low == word => "word",
        () if letters == count && word.chars().all(char::is_uppercase) => "shout",
        () if letters == count && word.chars().skip(1).all(char::is_lowercase) => "title",
        () if letters == count => "camel",
        () if word.contains('.') && !word.contains(['!', '#', '$', '*', '&']) => "dotted",
        () if digits == 0 && word.contains(['_', '-']) => "joined",
        () if digits > 0 && digits + letters == count => "mixed",
        () => "other",
    }
}

pub fn low(word: &str) -> String {
    word.chars()
        .take(MAX_LETTERS)
        .flat_map(char::to_lowercase)
        .map(|letter| if letter.is_ascii_digit() { '0' } else { letter })
        .collect()
}

fn stem(low: &str) -> &str {
    low.char_indices().nth(4).map_or(low, |(end, _)| low.get(..end).unwrap_or(low))
}

/// The text between two words, normalized.
fn glue(between: &str) -> String {
    let mut glue = String::new();
    for letter in between.chars().take(6) {
        let mark = match letter {
            '\n' | '\r' => '/',
            letter if letter.is_whitespace() => ' ',
            letter if is_unspaced(letter) => '字',
            letter => letter,
        };
        if !glue.ends_with(mark) {
            glue.push(mark);
        }
    }
    glue
}

fn bucket(count: usize) -> &'static str {
    match count {
        0 => "0",
        1 => "1",
        2 => "2",
        3 => "3",
        4 => "4",
        5..=6 => "5",
        7..=8 => "7",
        9..=11 => "9",
        12..=15 => "12",
        16..=23 => "16",
        24..=39 => "24",
        40..=80 => "40",
        _ => "80",
    }
}

fn class_name(class: SecretClass) -> &'static str {
    match class {
        SecretClass::Password => "password",
        SecretClass::Secret => "secret",
        SecretClass::Token => "token",
        SecretClass::Random => "random",
    }
}
