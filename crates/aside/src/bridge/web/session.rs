//! Who may use the page: one-time keys, and the sessions that they open. Contains no HTTP; time comes from the caller.
//!
//! A session has two secrets. The browser sends the token as a cookie, and cookies go to every port of a host: a page that another user of
//! this machine serves may receive it. The proof therefore cannot be obtained with a token: it is handed out once, together with the token,
//! for the key, and the page keeps it where only pages of its own port can read it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use ring::hmac;
use ring::rand::SystemRandom;

/// Short, since the user who asked for a link opens it at once.
pub const KEY_LIFE: Duration = Duration::from_secs(2 * 60);
/// A session that no page used for so long ends.
pub const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// Cap on unopened links; drops the oldest.
const MAX_KEYS: usize = 16;
/// Cap on open challenges; drops the oldest.
const MAX_CHALLENGES: usize = 64;
/// A browser answers a challenge at once.
const CHALLENGE_LIFE: Duration = Duration::from_secs(30);
/// Cap on sessions; drops the one that was not heard of for the longest time.
const MAX_SESSIONS: usize = 8;
/// Cap on the base64 text that is decoded.
const MAX_SPELLED: usize = 256;
/// Letters of a host name: each is one of 26, so it carries more than four bits.
const NAME: usize = 24;

pub struct Sessions {
    mint: TokenGenerator,
    keys: Vec<Key>,
    open: Vec<Session>,
    /// How many sessions there ever were; the number names a session.
    opened: u64,
    parcels: Vec<Parcel>,
    parcelled: u64,
    challenges: Vec<Challenge>,
}

/// Sent in reply to a request that only the user may make; the request counts once it is sent again with this value. A command that wrote
/// the first request into its connection and ended before it was read cannot answer.
struct Challenge {
    value: String,
    /// The session and the request that it is for.
    about: Vec<u8>,
    made: Instant,
}

/// Where the page was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageContext {
    pub cwd: String,
    /// By name; the commands of the page's tasks are for it.
    pub shell: String,
}

struct Key {
    value: String,
    place: PageContext,
    made: Instant,
    comes: KeyUse,
}

/// How a key will be used.
#[derive(Debug, PartialEq, Eq)]
pub enum KeyUse {
    Anew,
    /// A tab of this session returns after a change of daemon, with the text that was typed in it.
    Back {
        session: u64,
        parcel: String,
    },
}

/// What a tab left for itself until it returns.
struct Parcel {
    number: u64,
    session: u64,
    content: String,
}

struct Session {
    token: String,
    proof: String,
    number: u64,
    place: PageContext,
    used: Instant,
}

/// Given to a browser in exchange for a key.
#[derive(Debug, PartialEq, Eq)]
pub struct SessionTokens {
    pub token: String,
    pub proof: String,
    /// The number of the parcel that waits for the tab.
    pub parcel: Option<u64>,
}

/// The public part of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    pub number: u64,
    /// Where the page was last asked for.
    pub place: PageContext,
}

impl SessionInfo {
    /// The name in a task's log.
    pub fn name(&self) -> String {
        format!("page {}", self.number)
    }
}

impl Sessions {
    /// `opened` counts the sessions before this daemon.
    pub fn new(opened: u64) -> anyhow::Result<Self> {
        let (keys, open, parcels) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { mint: TokenGenerator::new()?, keys, open, opened, parcels, parcelled: 0, challenges: Vec::new() })
    }

    pub fn opened(&self) -> u64 {
        self.opened
    }

    /// Makes a key that opens the page once.
    pub fn key(&mut self, place: PageContext, comes: KeyUse, now: Instant) -> String {
        self.forget(now);
        if self.keys.len() == MAX_KEYS {
            self.keys.remove(0);
        }
        let value = self.mint.make();
        self.keys.push(Key { value: value.clone(), place, made: now, comes });
        value
    }

    pub fn has_key(&mut self, key: &str, now: Instant) -> bool {
        self.forget(now);
        self.keys.iter().any(|known| is_same(&known.value, key))
    }

    /// Consumes the key. A browser that already has a session keeps it, so that its other tabs go on.
    pub fn open(&mut self, key: &str, tokens: &[&str], now: Instant) -> Option<SessionTokens> {
        self.forget(now);
        let index = self.keys.iter().position(|known| is_same(&known.value, key))?;
        let Key { place, comes, .. } = self.keys.remove(index);
        let (before, content) = match comes {
            KeyUse::Anew => (None, None),
            KeyUse::Back { session, parcel } => (Some(session), Some(parcel)),
        };
        // Two tabs of one browser may return at once: the second request was sent before the first response set the cookie.
        let by_number = before.and_then(|number| self.open.iter().position(|session| session.number == number));
        let by_token = |session: &Session| tokens.iter().any(|token| is_same(&session.token, token));
        let known = by_number.or_else(|| self.open.iter().position(by_token));
        let mut opened = match known.and_then(|known| self.open.get_mut(known)) {
            Some(known) => {
                known.place = place;
                known.used = now;
                SessionTokens { token: known.token.clone(), proof: known.proof.clone(), parcel: None }
            }
            None => self.begin(place, before, now),
        };
        let session = self.find(&[&opened.token])?.number;
        opened.parcel = content.map(|content| self.leave(session, content));
        Some(opened)
    }

    fn begin(&mut self, place: PageContext, before: Option<u64>, now: Instant) -> SessionTokens {
        if self.open.len() == MAX_SESSIONS
            && let Some((oldest, _)) = self.open.iter().enumerate().min_by_key(|(_, session)| session.used)
        {
            self.open.remove(oldest);
        }
        let number = before.unwrap_or_else(|| {
            self.opened += 1;
            self.opened
        });
        let opened = SessionTokens { token: self.mint.make(), proof: self.mint.make(), parcel: None };
        let (token, proof) = (opened.token.clone(), opened.proof.clone());
        self.open.push(Session { token, proof, number, place, used: now });
        opened
    }

    fn leave(&mut self, session: u64, content: String) -> u64 {
        if self.parcels.len() == MAX_KEYS {
            self.parcels.remove(0);
        }
        self.parcelled += 1;
        self.parcels.push(Parcel { number: self.parcelled, session, content });
        self.parcelled
    }

    /// Takes what a tab left for itself; works once.
    pub fn parcel(&mut self, session: u64, number: u64) -> Option<String> {
        let index = self.parcels.iter().position(|left| left.number == number && left.session == session)?;
        Some(self.parcels.remove(index).content)
    }

    /// Makes the challenge that the request has to be sent again with.
    pub fn challenge(&mut self, about: Vec<u8>, now: Instant) -> String {
        self.forget(now);
        if self.challenges.len() == MAX_CHALLENGES {
            self.challenges.remove(0);
        }
        let value = self.mint.make();
        self.challenges.push(Challenge { value: value.clone(), about, made: now });
        value
    }

    /// Whether this answers a challenge for the same request. Consumes the challenge.
    pub fn is_answer(&mut self, value: &str, about: &[u8], now: Instant) -> bool {
        self.forget(now);
        let known = self.challenges.iter().position(|known| is_same(&known.value, value));
        known.is_some_and(|known| self.challenges.remove(known).about == about)
    }

    /// Signs a session out, and drops its parcels.
    pub fn end(&mut self, number: u64) {
        self.open.retain(|session| session.number != number);
        self.parcels.retain(|left| left.session != number);
    }

    /// Ends all sessions and drops unopened links. Returns how many browsers were signed out.
    pub fn end_all(&mut self) -> usize {
        self.keys.clear();
        self.parcels.clear();
        self.open.drain(..).count()
    }

    /// Whether a token belongs to a session. Enough for static files only.
    pub fn knows(&mut self, tokens: &[&str], now: Instant) -> bool {
        self.forget(now);
        self.find(tokens).is_some()
    }

    /// The session of a token and its proof.
    pub fn visitor(&mut self, tokens: &[&str], proof: &str, now: Instant) -> Option<SessionInfo> {
        self.forget(now);
        let session = self.find(tokens)?;
        if !is_same(&session.proof, proof) {
            return None;
        }
        session.used = now;
        Some(SessionInfo { number: session.number, place: session.place.clone() })
    }

    pub fn is_open(&self, number: u64) -> bool {
        self.open.iter().any(|session| session.number == number)
    }

    /// Whether a session is still open. Asking renews it, since a page is open.
    pub fn lives(&mut self, number: u64, now: Instant) -> bool {
        self.forget(now);
        let session = self.open.iter_mut().find(|session| session.number == number);
        session.map(|session| session.used = now).is_some()
    }

    /// A browser may be made to send several cookies of one name; a foreign one beside ours must not lock the user out.
    fn find(&mut self, tokens: &[&str]) -> Option<&mut Session> {
        self.open.iter_mut().find(|session| tokens.iter().any(|token| is_same(&session.token, token)))
    }

    fn forget(&mut self, now: Instant) {
        self.keys.retain(|key| now.saturating_duration_since(key.made) < KEY_LIFE);
        self.challenges.retain(|challenge| now.saturating_duration_since(challenge.made) < CHALLENGE_LIFE);
        self.open.retain(|session| now.saturating_duration_since(session.used) < IDLE);
    }
}

/// Compares in constant time.
fn is_same(known: &str, said: &str) -> bool {
    let (known, said) = (known.as_bytes(), said.as_bytes());
    let difference = known.iter().zip(said).fold(0, |difference, (one, other)| black_box(difference | (one ^ other)));
    known.len() == said.len() && black_box(difference) == 0
}

/// Derives 256-bit secrets from one random root, so that the system's randomness can fail only at the start.
pub struct TokenGenerator {
    root: hmac::Key,
    made: u64,
}

impl TokenGenerator {
    pub fn new() -> anyhow::Result<Self> {
        let root = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        Ok(Self { root: root.map_err(|_| anyhow!("this system has no randomness to make a key of"))?, made: 0 })
    }

    pub fn make(&mut self) -> String {
        self.made += 1;
        to_base64url(hmac::sign(&self.root, &self.made.to_le_bytes()).as_ref())
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Unpadded base64url.
pub fn to_base64url(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        let letter = |place: usize| LETTERS[(number >> (18 - 6 * place)) as usize & 63] as char;
        text.extend((0..=chunk.len()).map(letter));
    }
    text
}

/// Decodes it; for short values such as keys and signatures.
pub fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    if text.len() > MAX_SPELLED {
        return None;
    }
    let (mut number, mut bits) = (0_u32, 0);
    for letter in text.bytes() {
        let value = LETTERS.iter().position(|known| *known == letter)?;
        number = (number << 6 | u32::try_from(value).ok()?) & 0xff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(number >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// An unguessable host label for `.localhost`: lower-case letters only, so that it does not begin with a digit.
pub fn random_host(mint: &mut TokenGenerator) -> String {
    let letters = mint
        .make()
        .bytes()
        .map(|byte| b"abcdefghijklmnopqrstuvwxyz"[usize::from(byte) % 26] as char)
        .collect::<String>();
    format!("aside-{}", &letters[..NAME])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cwd: &str) -> PageContext {
        PageContext { cwd: cwd.into(), shell: "fish".into() }
    }

    fn opened(sessions: &mut Sessions, now: Instant) -> SessionTokens {
        let key = sessions.key(at("/somewhere"), KeyUse::Anew, now);
        sessions.open(&key, &[], now).unwrap()
    }

    #[test]
    fn a_key_opens_once_and_only_for_a_while() {
        let (mut sessions, now) = (Sessions::new(0).unwrap(), Instant::now());
        let key = sessions.key(at("/somewhere"), KeyUse::Anew, now);
        assert_eq!(sessions.open("", &[], now), None);
        assert_eq!(sessions.open(&key[1..], &[], now), None);
        let opened = sessions.open(&key, &[], now).unwrap();
        assert_eq!(sessions.open(&key, &[], now), None, "it was used");
        let visitor = sessions.visitor(&["else", &opened.token], &opened.proof, now).unwrap();
        assert_eq!((visitor.name().as_str(), visitor.place), ("page 1", at("/somewhere")));
        let late = sessions.key(at("/somewhere"), KeyUse::Anew, now);
        assert_eq!(sessions.open(&late, &[], now + KEY_LIFE), None, "it is too old");
    }

    #[test]
    fn a_token_without_its_own_proof_is_worth_nothing() {
        let (mut sessions, now) = (Sessions::new(0).unwrap(), Instant::now());
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
        let (mut sessions, now) = (Sessions::new(0).unwrap(), Instant::now());
        let first = opened(&mut sessions, now);
        let key = sessions.key(at("/elsewhere"), KeyUse::Anew, now);
        let second = sessions.open(&key, &[&first.token], now).unwrap();
        assert_eq!(first, second);
        assert_eq!(sessions.visitor(&[&first.token], &first.proof, now).unwrap().place, at("/elsewhere"));
    }

    #[test]
    fn what_nobody_uses_is_forgotten() {
        let (mut sessions, now) = (Sessions::new(0).unwrap(), Instant::now());
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
        let key = sessions.key(PageContext::default(), KeyUse::Anew, now);
        for _ in 0..MAX_KEYS {
            sessions.key(PageContext::default(), KeyUse::Anew, now);
        }
        assert_eq!(sessions.open(&key, &[], now), None, "too many links wait");
    }

    #[test]
    fn a_tab_that_comes_back_has_its_name_and_its_parcel_and_nobody_elses() {
        let (mut sessions, now) = (Sessions::new(7).unwrap(), Instant::now());
        let back = |parcel: &str| KeyUse::Back { session: 3, parcel: parcel.into() };
        let keys = ["one", "two"].map(|parcel| sessions.key(at("/somewhere"), back(parcel), now));
        let first = sessions.open(&keys[0], &[], now).unwrap();
        assert_eq!(sessions.visitor(&[&first.token], &first.proof, now).unwrap().name(), "page 3");
        // Another tab of the same browser, which sent its request before it had the cookie.
        let second = sessions.open(&keys[1], &[], now).unwrap();
        assert_eq!(second.token, first.token);
        let stranger = opened(&mut sessions, now);
        assert_eq!(sessions.visitor(&[&stranger.token], &stranger.proof, now).unwrap().name(), "page 8");
        let (one, two) = (first.parcel.unwrap(), second.parcel.unwrap());
        assert_eq!(sessions.parcel(8, one), None);
        assert_eq!([sessions.parcel(3, two).unwrap(), sessions.parcel(3, one).unwrap()], ["two", "one"]);
        assert_eq!(sessions.parcel(3, one), None);
    }

    #[test]
    fn who_signs_out_is_out_and_all_can_be() {
        let (mut sessions, now) = (Sessions::new(0).unwrap(), Instant::now());
        let (one, other) = (opened(&mut sessions, now), opened(&mut sessions, now));
        sessions.end(1);
        assert_eq!([&one, &other].map(|opened| sessions.knows(&[&opened.token], now)), [false, true]);
        assert_eq!([sessions.is_open(1), sessions.is_open(2)], [false, true]);
        let key = sessions.key(at("/somewhere"), KeyUse::Anew, now);
        assert_eq!(sessions.end_all(), 1);
        assert!(!sessions.knows(&[&other.token], now));
        assert_eq!(sessions.open(&key, &[], now), None, "nor does a link that waited");
    }

    #[test]
    fn secrets_are_long_and_all_different() {
        let (mut one, mut other) = (TokenGenerator::new().unwrap(), TokenGenerator::new().unwrap());
        let made = [one.make(), one.make(), other.make(), other.make()];
        assert!(made.iter().all(|secret| secret.len() == 43), "{made:?}");
        assert!((1..made.len()).all(|place| !made[..place].contains(&made[place])), "{made:?}");
        assert_eq!([&b"M"[..], b"Ma", b"Man", b"\xfb\xff"].map(to_base64url), ["TQ", "TWE", "TWFu", "-_8"]);
        for text in ["", "TQ", "TWE", "TWFu", "-_8", made[0].as_str()] {
            assert_eq!(to_base64url(&from_base64url(text).unwrap()), text);
        }
        assert_eq!(
            [from_base64url("a+b"), from_base64url("a="), from_base64url(&"A".repeat(MAX_SPELLED + 1))],
            [None, None, None]
        );
        let names = [random_host(&mut one), random_host(&mut one), random_host(&mut other)];
        assert!(names.iter().all(|name| name.len() == 30 && !names.iter().all(|other| other == name)), "{names:?}");
    }
}
