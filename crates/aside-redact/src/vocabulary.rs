//! The words of `data/redact/words.toml`: names of secrets, and what stands in their place.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use toml_edit::Document;

const WORDS: &str = include_str!("../data/redact/words.toml");

#[derive(Default)]
pub struct Vocabulary {
    pub password_ends: Vec<String>,
    pub no_password_ends: Vec<String>,
    pub password_words: HashSet<String>,
    pub password_roots: Vec<String>,
    pub password_phrases: Vec<String>,
    pub token_phrases: Vec<String>,
    pub code_lists: Vec<String>,
    pub seed_lists: Vec<String>,
    /// Headers of password columns, if another column has users.
    pub access_columns: Vec<String>,
    pub printing: Vec<String>,
    pub tails: HashSet<String>,
    pub verbs: HashSet<String>,
    pub secret_keys: HashSet<String>,
    pub plain_keys: HashSet<String>,
    pub plain_tokens: HashSet<String>,
    pub placeholders: HashSet<String>,
    pub telltales: Finder,
    pub prose: HashSet<String>,
    pub copulas: Finder,
    pub secret_roots: Vec<String>,
    pub key_roots: Vec<String>,
    pub spaced_labels: Finder,
    pub places: HashSet<String>,
    pub place_nouns: Finder,
    pub extensions: HashSet<String>,
    pub user_titles: HashSet<String>,
    pub host_endings: HashSet<String>,
    pub terms: HashSet<String>,
    pub stores: HashSet<String>,
    pub store_verbs: HashSet<String>,
    /// Beginnings of a note to the reader, alone or followed by one of `instruction_words`.
    pub instructions: HashSet<String>,
    pub instruction_verbs: HashSet<String>,
    pub instruction_words: HashSet<String>,
    /// Roles and groups of users.
    pub roles: HashSet<String>,
    pub form_words: Finder,
    /// Every word for a password in any language: a text that contains one is a label.
    pub labels: Finder,
}

/// Searches for all words of a list at once.
#[derive(Default)]
pub struct Finder(Option<AhoCorasick>);

impl Finder {
    fn of(words: &[String]) -> Self {
        Self(AhoCorasick::new(words).ok())
    }

    pub fn is_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|finder| finder.is_match(text))
    }

    /// All occurrences of words of the list, also nested ones.
    pub fn all(&self, text: &str) -> Vec<Range<usize>> {
        let Some(finder) = &self.0 else { return Vec::new() };
        finder.find_overlapping_iter(text).map(|found| found.start()..found.end()).collect()
    }
}

pub fn words() -> &'static Vocabulary {
    static WORDS: LazyLock<Vocabulary> = LazyLock::new(read);
    &WORDS
}

fn read() -> Vocabulary {
    let Ok(document) = Document::parse(WORDS) else { return Vocabulary::default() };
    let list = |key: &str| -> Vec<String> {
        let items = document.get(key).and_then(|list| list.as_array()).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let set = |key: &str| list(key).into_iter().collect::<HashSet<_>>();
    let mut labels: Vec<String> = list("password_phrases").into_iter().chain(list("password_roots")).collect();
    labels.extend(["password", "passwd", "passphrase", "passcode"].map(str::to_owned));
    Vocabulary {
        password_ends: list("password_ends"),
        no_password_ends: list("no_password_ends"),
        password_words: set("password_words"),
        password_roots: list("password_roots"),
        secret_roots: list("secret_roots"),
        key_roots: list("key_roots"),
        spaced_labels: Finder::of(&list("spaced_labels")),
        places: set("places"),
        place_nouns: Finder::of(&list("place_nouns")),
        extensions: set("extensions"),
        user_titles: set("user_titles"),
        host_endings: set("host_endings"),
        terms: set("terms"),
        stores: set("stores"),
        store_verbs: set("store_verbs"),
        instructions: set("instructions"),
        instruction_verbs: set("instruction_verbs"),
        instruction_words: set("instruction_words"),
        roles: set("roles"),
        form_words: Finder::of(&list("form_words")),
        password_phrases: list("password_phrases"),
        token_phrases: list("token_phrases"),
        code_lists: list("code_lists"),
        seed_lists: list("seed_lists"),
        access_columns: list("access_columns"),
        printing: list("printing"),
        tails: set("tails"),
        verbs: set("verbs"),
        secret_keys: set("secret_keys"),
        plain_keys: set("plain_keys"),
        plain_tokens: set("plain_tokens"),
        placeholders: set("placeholders"),
        telltales: Finder::of(&list("telltales")),
        prose: set("prose"),
        copulas: Finder::of(&list("copulas")),
        labels: Finder::of(&labels),
    }
}
