//! How a user of a chat is let in: a code that is shown at this machine, sent from the chat, and confirmed at this machine again. One code
//! at a time, for a few minutes and a few tries.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;

pub const LIFE: Duration = Duration::from_secs(10 * 60);
/// Wrong codes before the right one is void: 40 bits are not guessed in so few.
const MAX_WRONG: u32 = 5;
const LENGTH: usize = 8;
/// Without letters that are mistaken for each other.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

#[derive(Default)]
pub struct Pairing(Mutex<Option<Open>>);

struct Open {
    code: String,
    until: Instant,
    wrong: u32,
    claimed: Option<Claim>,
}

/// Who has brought the code, where, and in which words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    pub user: String,
    pub chat: String,
    pub words: String,
}

impl Pairing {
    /// A new code, in place of the last one.
    pub fn open(&self) -> Result<String, String> {
        let mut bytes = [0; LENGTH];
        SystemRandom::new().fill(&mut bytes).map_err(|_| "this machine has no random numbers".to_owned())?;
        let code: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        *self.lock() = Some(Open { code: code.clone(), until: Instant::now() + LIFE, wrong: 0, claimed: None });
        Ok(code)
    }

    /// Whether this user has brought the code. The first one who does is remembered.
    pub fn claim(&self, code: &str, claim: Claim) -> bool {
        let mut open = self.lock();
        let Some(pending) = open.as_mut().filter(|open| open.until > Instant::now() && open.claimed.is_none()) else {
            return false;
        };
        let code: String = code.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
        if bool::from(code.to_ascii_uppercase().as_bytes().ct_eq(pending.code.as_bytes())) {
            pending.claimed = Some(claim);
            return true;
        }
        pending.wrong += 1;
        if pending.wrong == MAX_WRONG {
            *open = None;
        }
        false
    }

    /// Who has brought this code.
    pub fn claimed(&self, code: &str) -> Result<Option<String>, String> {
        let open = self.lock();
        match open.as_ref().filter(|open| open.code == code && open.until > Instant::now()) {
            Some(open) => Ok(open.claimed.as_ref().map(|claim| claim.user.clone())),
            None => Err("the code is no longer good; `aside remote pair` makes another".to_owned()),
        }
    }

    /// The user who has brought the code, if that user is let in by now. Said once.
    pub fn admitted(&self, users: &[String]) -> Option<Claim> {
        let mut open = self.lock();
        let is_in = |open: &&Open| open.claimed.as_ref().is_some_and(|claim| users.contains(&claim.user));
        open.as_ref().filter(is_in)?;
        open.take()?.claimed
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(user: &str) -> Claim {
        Claim { user: user.to_owned(), chat: user.to_owned(), words: "pair".to_owned() }
    }

    #[test]
    fn a_code_is_taken_once_and_void_after_a_few_guesses() {
        let pairing = Pairing::default();
        assert!(!pairing.claim("ABCDEFGH", by("eve")), "nothing is open");
        let code = pairing.open().unwrap();
        assert!(!pairing.claim("", by("eve")));
        let written = format!("{}-{}", &code[..4], code[4..].to_lowercase());
        assert!(pairing.claim(&written, by("li")));
        assert_eq!(pairing.claimed(&code), Ok(Some("li".to_owned())));
        assert!(!pairing.claim(&code, by("eve")), "it was taken");
        assert_eq!(pairing.admitted(&["eve".to_owned()]), None, "the user was not let in");
        assert_eq!(pairing.admitted(&["eve".to_owned(), "li".to_owned()]), Some(by("li")));
        assert_eq!(pairing.admitted(&["li".to_owned()]), None, "it was said");
        let code = pairing.open().unwrap();
        assert_eq!(pairing.admitted(&["li".to_owned()]), None, "no user has brought this one");
        for _ in 0..MAX_WRONG {
            assert!(!pairing.claim("AAAA", by("eve")));
        }
        assert!(!pairing.claim(&code, by("li")));
        assert!(pairing.claimed(&code).is_err());
    }
}
