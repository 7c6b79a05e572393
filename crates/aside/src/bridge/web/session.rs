//! Who may use the page: keys that open it once, and the sessions that they open. Knows no HTTP and no clock of its own.
//!
//! A session has two secrets. The browser sends the token as a cookie, and cookies go to every port of a host: a page that another
//! user of this machine serves may be sent it. The proof is therefore not to be had for a token: it is handed out once, with
//! it, to whoever brought the key, and the page keeps it where only pages of its own port can read.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use ring::hmac;
use ring::rand::SystemRandom;

/// A link is opened at once, or not by the person who asked for it.
pub const KEY_LIFE: Duration = Duration::from_secs(2 * 60);
/// A page that nobody has open for so long is over.
pub const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// Links that wait to be opened; the oldest is forgotten.
const MAX_KEYS: usize = 16;
/// Browsers at once; whoever was not heard of for the longest time is forgotten.
const MAX_SESSIONS: usize = 8;

pub struct Sessions {
    mint: Mint,
    keys: Vec<Key>,
    open: Vec<Session>,
    /// How many there ever were: their names.
    opened: u64,
}

/// Where somebody asked for the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub cwd: String,
    /// By name; the commands of the page's tasks are for it.
    pub shell: String,
}

struct Key {
    value: String,
    place: Place,
    made: Instant,
}

struct Session {
    token: String,
    proof: String,
    number: u64,
    place: Place,
    used: Instant,
}

/// What a browser is given for a key.
#[derive(Debug, PartialEq, Eq)]
pub struct Opened {
    pub token: String,
    pub proof: String,
}

/// A session, as far as others need to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    pub number: u64,
    /// Where the page was asked for last.
    pub place: Place,
}

impl Visitor {
    /// As the log of a task names it.
    pub fn name(&self) -> String {
        format!("page {}", self.number)
    }
}

impl Sessions {
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self { mint: Mint::new()?, keys: Vec::new(), open: Vec::new(), opened: 0 })
    }

    /// A key that opens the page once.
    pub fn key(&mut self, place: Place, now: Instant) -> String {
        self.forget(now);
        if self.keys.len() == MAX_KEYS {
            self.keys.remove(0);
        }
        let value = self.mint.make();
        self.keys.push(Key { value: value.clone(), place, made: now });
        value
    }

    /// Takes the key. A browser that has a session keeps it: its other tabs go on.
    pub fn open(&mut self, key: &str, tokens: &[&str], now: Instant) -> Option<Opened> {
        self.forget(now);
        let index = self.keys.iter().position(|known| is_same(&known.value, key))?;
        let Key { place, .. } = self.keys.remove(index);
        if let Some(known) = self.find(tokens) {
            known.place = place;
            known.used = now;
            return Some(Opened { token: known.token.clone(), proof: known.proof.clone() });
        }
        if self.open.len() == MAX_SESSIONS
            && let Some((oldest, _)) = self.open.iter().enumerate().min_by_key(|(_, session)| session.used)
        {
            self.open.remove(oldest);
        }
        self.opened += 1;
        let opened = Opened { token: self.mint.make(), proof: self.mint.make() };
        self.open.push(Session {
            token: opened.token.clone(),
            proof: opened.proof.clone(),
            number: self.opened,
            place,
            used: now,
        });
        Some(opened)
    }

    /// Whether one of the tokens is a session's. Enough for files that everybody has, and for nothing else.
    pub fn knows(&mut self, tokens: &[&str], now: Instant) -> bool {
        self.forget(now);
        self.find(tokens).is_some()
    }

    /// The session that a token and its proof belong to.
    pub fn visitor(&mut self, tokens: &[&str], proof: &str, now: Instant) -> Option<Visitor> {
        self.forget(now);
        let session = self.find(tokens)?;
        if !is_same(&session.proof, proof) {
            return None;
        }
        session.used = now;
        Some(Visitor { number: session.number, place: session.place.clone() })
    }

    /// Whether a session goes on. Asking keeps it: somebody has the page open.
    pub fn lives(&mut self, number: u64, now: Instant) -> bool {
        self.forget(now);
        let session = self.open.iter_mut().find(|session| session.number == number);
        session.map(|session| session.used = now).is_some()
    }

    /// A browser may be made to send several cookies of one name; a foreign one beside ours must not lock anybody out.
    fn find(&mut self, tokens: &[&str]) -> Option<&mut Session> {
        self.open.iter_mut().find(|session| tokens.iter().any(|token| is_same(&session.token, token)))
    }

    fn forget(&mut self, now: Instant) {
        self.keys.retain(|key| now.saturating_duration_since(key.made) < KEY_LIFE);
        self.open.retain(|session| now.saturating_duration_since(session.used) < IDLE);
    }
}

/// Takes as long for a good guess as for a bad one.
fn is_same(known: &str, said: &str) -> bool {
    let (known, said) = (known.as_bytes(), said.as_bytes());
    let difference = known.iter().zip(said).fold(0, |difference, (one, other)| black_box(difference | (one ^ other)));
    known.len() == said.len() && black_box(difference) == 0
}

/// Makes secrets of 256 bits out of one that the system's randomness gave: that can fail once, at the start, and then no more.
struct Mint {
    root: hmac::Key,
    made: u64,
}

impl Mint {
    fn new() -> anyhow::Result<Self> {
        let root = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        Ok(Self { root: root.map_err(|_| anyhow!("this system has no randomness to make a key of"))?, made: 0 })
    }

    fn make(&mut self) -> String {
        self.made += 1;
        spelled(hmac::sign(&self.root, &self.made.to_le_bytes()).as_ref())
    }
}

/// Base64 for addresses, unpadded.
fn spelled(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        let letter = |place: usize| LETTERS[(number >> (18 - 6 * place)) as usize & 63] as char;
        text.extend((0..=chunk.len()).map(letter));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cwd: &str) -> Place {
        Place { cwd: cwd.into(), shell: "fish".into() }
    }

    fn opened(sessions: &mut Sessions, now: Instant) -> Opened {
        let key = sessions.key(at("/somewhere"), now);
        sessions.open(&key, &[], now).unwrap()
    }

    #[test]
    fn a_key_opens_once_and_only_for_a_while() {
        let (mut sessions, now) = (Sessions::new().unwrap(), Instant::now());
        let key = sessions.key(at("/somewhere"), now);
        assert_eq!(sessions.open("", &[], now), None);
        assert_eq!(sessions.open(&key[1..], &[], now), None);
        let opened = sessions.open(&key, &[], now).unwrap();
        assert_eq!(sessions.open(&key, &[], now), None, "it was used");
        let visitor = sessions.visitor(&["else", &opened.token], &opened.proof, now).unwrap();
        assert_eq!((visitor.name().as_str(), visitor.place), ("page 1", at("/somewhere")));
        let late = sessions.key(at("/somewhere"), now);
        assert_eq!(sessions.open(&late, &[], now + KEY_LIFE), None, "it is too old");
    }

    #[test]
    fn a_token_without_its_own_proof_is_worth_nothing() {
        let (mut sessions, now) = (Sessions::new().unwrap(), Instant::now());
        let (one, other) = (opened(&mut sessions, now), opened(&mut sessions, now));
        assert!(sessions.knows(&[&one.token], now));
        for (token, proof) in [
            (&one.token, &other.proof),
            (&one.token, &one.token),
            (&one.proof, &one.proof),
            (&one.token, &String::new()),
        ] {
            assert_eq!(sessions.visitor(&[token], proof, now), None);
        }
        assert!(sessions.visitor(&[&other.token], &other.proof, now).is_some());
    }

    #[test]
    fn a_browser_that_comes_again_keeps_its_session() {
        let (mut sessions, now) = (Sessions::new().unwrap(), Instant::now());
        let first = opened(&mut sessions, now);
        let key = sessions.key(at("/elsewhere"), now);
        let second = sessions.open(&key, &[&first.token], now).unwrap();
        assert_eq!(first, second);
        assert_eq!(sessions.visitor(&[&first.token], &first.proof, now).unwrap().place, at("/elsewhere"));
    }

    #[test]
    fn what_nobody_uses_is_forgotten() {
        let (mut sessions, now) = (Sessions::new().unwrap(), Instant::now());
        let kept = opened(&mut sessions, now);
        assert!(sessions.lives(1, now + IDLE / 2), "a stream keeps it");
        assert!(sessions.knows(&[&kept.token], now + IDLE));
        assert!(!sessions.knows(&[&kept.token], now + IDLE * 2));
        assert!(!sessions.lives(1, now + IDLE * 2));

        let first = opened(&mut sessions, now);
        for number in 1..=MAX_SESSIONS as u32 {
            opened(&mut sessions, now + Duration::from_secs(1) * number);
        }
        assert!(!sessions.knows(&[&first.token], now), "the ninth browser takes the place of the first");
        let key = sessions.key(Place::default(), now);
        for _ in 0..MAX_KEYS {
            sessions.key(Place::default(), now);
        }
        assert_eq!(sessions.open(&key, &[], now), None, "too many links wait");
    }

    #[test]
    fn secrets_are_long_and_all_different() {
        let (mut one, mut other) = (Mint::new().unwrap(), Mint::new().unwrap());
        let made = [one.make(), one.make(), other.make(), other.make()];
        assert!(made.iter().all(|secret| secret.len() == 43), "{made:?}");
        assert!((1..made.len()).all(|place| !made[..place].contains(&made[place])), "{made:?}");
        assert_eq!([&b"M"[..], b"Ma", b"Man", b"\xfb\xff"].map(spelled), ["TQ", "TWE", "TWFu", "-_8"]);
    }
}
