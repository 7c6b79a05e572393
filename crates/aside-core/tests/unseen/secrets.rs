//! Secrets that must be redacted from a text, and lookalikes that must stay.

use aside_redact::secrets;
use serde::Deserialize;

use crate::sets::{self, Share};

#[derive(Deserialize)]
pub struct Case {
    #[serde(default)]
    pub kind: String,
    pub text: String,
    /// Each exactly as it occurs in the text.
    pub secrets: Vec<String>,
}

impl Case {
    /// Whether every occurrence of the secret is covered to its last character.
    fn is_found(&self, secret: &str) -> bool {
        let found = secrets(&self.text);
        let mut places = self.text.match_indices(secret).peekable();
        assert!(places.peek().is_some(), "{secret:?} is not in {:?}", self.text);
        places.all(|(at, _)| found.iter().any(|found| found.span.start <= at && at + secret.len() <= found.span.end))
    }
}

const MIN_FOUND: f64 = 97.0;
const MAX_WRONG: f64 = 1.0;

#[test]
fn figures_of_secrets() {
    let (mut found, mut wrong) = (Share::default(), Share::default());
    for set in sets::load::<Case>("secrets") {
        let (mut found_here, mut wrong_here) = (Share::default(), Share::default());
        for case in &set.cases {
            for secret in &case.secrets {
                let is_found = case.is_found(secret);
                found_here.add(is_found);
                found.add(is_found);
                if !is_found {
                    sets::list("missed", &set.name, &format!("{secret} in {}", case.text));
                }
            }
            if case.secrets.is_empty() {
                let taken = secrets(&case.text);
                wrong_here.add(!taken.is_empty());
                wrong.add(!taken.is_empty());
                for taken in taken {
                    let what = &case.text[taken.span.clone()];
                    sets::list("wrong", &set.name, &format!("{what} ({}) in {}", taken.kind, case.text));
                }
            }
        }
        println!("secrets {}: {found_here} found; {wrong_here} lookalikes taken out", set.name);
    }
    println!("secrets: {found} found; {wrong} lookalikes taken out");
    if sets::are_own() {
        assert!(found.percent() >= MIN_FOUND && wrong.percent() <= MAX_WRONG, "{found} found, {wrong} wrong");
    }
}
