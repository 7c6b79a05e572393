//! The page's state that outlives a daemon: its port, and how an open tab and the next daemon recognize each other. Nothing on disk opens
//! the page: for each tab the file holds a public key whose private half never leaves the tab's memory, and a secret by which a daemon
//! proves itself to the tab. A program that takes the port while no daemon has it can prove nothing, and what the tab sends it is
//! worthless.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use ring::{digest, hmac};
use serde::{Deserialize, Serialize};

use crate::bridge::web::session::{self, IDLE, PageContext, TokenGenerator};
use crate::trusted_file;

/// Cap on tabs that may return; drops the one that was not heard of for the longest time.
const MAX_TABS: usize = 16;
/// Cap on nonces that were not answered yet.
const MAX_NONCES: usize = 32;
const NONCE_LIFE: Duration = Duration::from_secs(30);
/// The file is ours, but it can grow for other reasons.
const MAX_FILE: u64 = 64 * 1024;
/// Bytes of an uncompressed curve point.
const KEY_LENGTH: usize = 65;

/// The file's content. Only we write it; a missing field takes its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Book {
    port: u16,
    /// How many sessions there ever were, so that a session name in a task's log is never reused.
    opened: u64,
    tabs: Vec<Tab>,
}

/// An open tab.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Tab {
    id: String,
    /// The host name under which it reaches us.
    host: String,
    /// The tab's public key.
    key: String,
    /// The secret by which the tab recognizes us.
    check: String,
    session: u64,
    cwd: String,
    shell: String,
    /// When it was last heard of, in seconds since the epoch.
    at: u64,
}

/// Given to a tab: its id, and the secret by which it will recognize the next daemon.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Ticket {
    pub id: String,
    pub check: String,
}

/// Proves to a tab that this daemon is ours.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Seal {
    /// For the tab to sign.
    pub nonce: String,
    pub seal: String,
    /// Whether this is the same daemon process that the tab had.
    pub same: bool,
}

/// A tab that has proved itself.
#[derive(Debug, PartialEq, Eq)]
pub struct ReturningTab {
    pub session: u64,
    pub place: PageContext,
}

struct Nonce {
    value: String,
    tab: String,
    made: Instant,
}

pub struct PersistedState {
    file: PathBuf,
    book: Book,
    nonces: Vec<Nonce>,
    mint: TokenGenerator,
}

impl PersistedState {
    /// `now` is in seconds since the epoch.
    pub fn read(file: PathBuf, now: u64) -> anyhow::Result<Self> {
        let text = trusted_file::read(&file, MAX_FILE).ok().flatten().unwrap_or_default();
        let mut kept = Self {
            file,
            book: serde_json::from_slice(&text).unwrap_or_default(),
            nonces: Vec::new(),
            mint: TokenGenerator::new()?,
        };
        kept.forget(now);
        Ok(kept)
    }

    pub fn port(&self) -> Option<u16> {
        // Lower ports are root's, or refused by browsers.
        Some(self.book.port).filter(|port| *port > 1024)
    }

    pub fn opened(&self) -> u64 {
        self.book.opened
    }

    pub fn has_tabs(&self) -> bool {
        !self.book.tabs.is_empty()
    }

    /// Whether an open tab was served under this name.
    pub fn is_known(&self, host: &str) -> bool {
        self.book.tabs.iter().any(|tab| tab.host == host)
    }

    pub fn remember(&mut self, port: u16, opened: u64) {
        if (self.book.port, self.book.opened) != (port, opened) {
            (self.book.port, self.book.opened) = (port, opened);
            self.write();
        }
    }

    /// Registers a tab of this session by its public key. For a tab that is already registered, only updates the time.
    pub fn keep(
        &mut self,
        host: &str,
        session: u64,
        place: PageContext,
        key: &str,
        id: &str,
        now: u64,
    ) -> Option<Ticket> {
        self.forget(now);
        let known = self.book.tabs.iter_mut().find(|tab| tab.id == id && tab.session == session && tab.key == key);
        if let Some(tab) = known {
            tab.at = now;
            let ticket = Ticket { id: tab.id.clone(), check: tab.check.clone() };
            self.write();
            return Some(ticket);
        }
        session::from_base64url(key).filter(|key| key.len() == KEY_LENGTH)?;
        if self.book.tabs.len() >= MAX_TABS
            && let Some((oldest, _)) = self.book.tabs.iter().enumerate().min_by_key(|(_, tab)| tab.at)
        {
            self.book.tabs.remove(oldest);
        }
        let ticket = Ticket { id: self.mint.make(), check: self.mint.make() };
        let PageContext { cwd, shell } = place;
        let (id, check) = (ticket.id.clone(), ticket.check.clone());
        self.book.tabs.push(Tab {
            id,
            host: host.to_owned(),
            key: key.to_owned(),
            check,
            session,
            cwd,
            shell,
            at: now,
        });
        self.write();
        Some(ticket)
    }

    /// Proves to a tab that this daemon is ours, using the tab's fresh nonce, and gives it a nonce to sign. `ours` is the current host
    /// name.
    pub fn seal(&mut self, ours: &str, host: &str, id: &str, made_up: &str, now: (u64, Instant)) -> Option<Seal> {
        self.forget(now.0);
        self.nonces.retain(|nonce| now.1.saturating_duration_since(nonce.made) < NONCE_LIFE);
        let tab = self.book.tabs.iter().find(|tab| tab.id == id && tab.host == host)?;
        let nonce = self.mint.make();
        let key = hmac::Key::new(hmac::HMAC_SHA256, tab.check.as_bytes());
        let same = ours == host;
        let who = if same { "daemon still" } else { "daemon" };
        let seal = session::to_base64url(hmac::sign(&key, said(who, host, made_up, &nonce).as_bytes()).as_ref());
        if self.nonces.len() == MAX_NONCES {
            self.nonces.remove(0);
        }
        self.nonces.push(Nonce { value: nonce.clone(), tab: id.to_owned(), made: now.1 });
        Some(Seal { nonce, seal, same })
    }

    /// Accepts the tab's signature of the nonce, once, and forgets the tab, since it goes on under another name.
    pub fn returns(
        &mut self,
        host: &str,
        id: &str,
        nonce: &str,
        signature: &str,
        now: (u64, Instant),
    ) -> Option<ReturningTab> {
        self.forget(now.0);
        let place = self.nonces.iter().position(|known| known.value == nonce && known.tab == id)?;
        let asked = self.nonces.remove(place);
        if now.1.saturating_duration_since(asked.made) >= NONCE_LIFE {
            return None;
        }
        let place = self.book.tabs.iter().position(|tab| tab.id == id && tab.host == host)?;
        let key = session::from_base64url(&self.book.tabs[place].key)?;
        let message = said("page", host, id, nonce);
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key);
        key.verify(message.as_bytes(), &session::from_base64url(signature)?).ok()?;
        let Tab { session, cwd, shell, .. } = self.book.tabs.remove(place);
        self.write();
        Some(ReturningTab { session, place: PageContext { cwd, shell } })
    }

    /// Forgets the tabs of sessions that have ended. Returns how many there were.
    pub fn drop_tabs(&mut self, is_over: impl Fn(u64) -> bool) -> usize {
        let before = self.book.tabs.len();
        self.book.tabs.retain(|tab| !is_over(tab.session));
        let dropped = before - self.book.tabs.len();
        if dropped > 0 {
            self.write();
        }
        dropped
    }

    fn forget(&mut self, now: u64) {
        // Also drops times in the future: after the clock was set back such a tab would never expire.
        self.book.tabs.retain(|tab| tab.at <= now && now - tab.at < IDLE.as_secs());
    }

    /// Atomic, and readable by the user only. If the disk is full, the next daemon does not recognize the tab; nothing else is lost.
    fn write(&self) {
        if let Err(error) = self.try_write() {
            tracing::warn!("what the page is to be known by could not be kept: {error:#}");
        }
    }

    fn try_write(&self) -> anyhow::Result<()> {
        let directory = self.file.parent().context("no directory")?;
        std::fs::create_dir_all(directory)?;
        let mut written = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer(&mut written, &self.book)?;
        written.persist(&self.file)?;
        Ok(())
    }
}

/// Includes the sender's role, so that neither party's message can be replayed as the other's, and the address, so that it cannot be
/// relayed.
fn said(who: &str, host: &str, one: &str, other: &str) -> String {
    let text = format!("aside {who}\n{host}\n{one}\n{other}");
    session::to_base64url(digest::digest(&digest::SHA256, text.as_bytes()).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    use std::os::unix::fs::PermissionsExt;

    const NOW: u64 = 1_700_000_000;
    const HOST: &str = "abc.localhost:4321";
    const OURS: &str = "new.localhost:4321";

    /// A stub tab with what a tab has in memory.
    struct Browser {
        key: EcdsaKeyPair,
        ticket: Ticket,
    }

    impl Browser {
        fn new(kept: &mut PersistedState, session: u64) -> Self {
            let random = SystemRandom::new();
            let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
            let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random).unwrap();
            let public = session::to_base64url(key.public_key().as_ref());
            let ticket = kept.keep(HOST, session, place(), &public, "", NOW).unwrap();
            Self { key, ticket }
        }

        fn believes(&self, made_up: &str, seal: &Seal) -> bool {
            let key = hmac::Key::new(hmac::HMAC_SHA256, self.ticket.check.as_bytes());
            let message = said("daemon", HOST, made_up, &seal.nonce);
            hmac::verify(&key, message.as_bytes(), &session::from_base64url(&seal.seal).unwrap()).is_ok()
        }

        fn signs(&self, host: &str, nonce: &str) -> String {
            let message = said("page", host, &self.ticket.id, nonce);
            session::to_base64url(self.key.sign(&SystemRandom::new(), message.as_bytes()).unwrap().as_ref())
        }
    }

    fn place() -> PageContext {
        PageContext { cwd: "/somewhere".into(), shell: "fish".into() }
    }

    fn fresh() -> (tempfile::TempDir, PersistedState) {
        let directory = tempfile::tempdir().unwrap();
        let kept = PersistedState::read(directory.path().join("web.json"), NOW).unwrap();
        (directory, kept)
    }

    fn again(kept: &PersistedState, now: u64) -> PersistedState {
        PersistedState::read(kept.file.clone(), now).unwrap()
    }

    #[test]
    fn a_tab_and_the_next_daemon_know_each_other() {
        let (_directory, mut kept) = fresh();
        let tab = Browser::new(&mut kept, 7);
        kept.remember(4321, 7);
        let mut next = again(&kept, NOW + 60);
        assert_eq!((next.port(), next.opened(), next.is_known(HOST)), (Some(4321), 7, true));
        let now = (NOW + 60, Instant::now());
        let seal = next.seal(OURS, HOST, &tab.ticket.id, "made up", now).unwrap();
        assert!(tab.believes("made up", &seal));
        assert!(!tab.believes("of another time", &seal));
        let still = kept.seal(HOST, HOST, &tab.ticket.id, "made up", now).unwrap();
        assert!(still.same && !tab.believes("made up", &still), "that it is the same one is part of what is said");
        let signature = tab.signs(HOST, &seal.nonce);
        let returned = next.returns(HOST, &tab.ticket.id, &seal.nonce, &signature, now);
        assert_eq!(returned, Some(ReturningTab { session: 7, place: place() }));
        assert_eq!(next.seal(OURS, HOST, &tab.ticket.id, "made up", now), None, "it has gone elsewhere");
        assert!(!again(&next, NOW + 60).has_tabs());
    }

    #[test]
    fn what_was_sent_to_somebody_else_is_worth_nothing() {
        let (_directory, mut kept) = fresh();
        let (tab, other) = (Browser::new(&mut kept, 1), Browser::new(&mut kept, 2));
        let now = (NOW, Instant::now());
        let id = &tab.ticket.id;
        // The squatter knows the tab's name, its public key and all that it sends, but not its private key, nor the file.
        let squatter = PersistedState::read(kept.file.with_file_name("his.json"), NOW).unwrap();
        let forged = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, id.as_bytes()), b"daemon");
        let seal = Seal { nonce: "n".into(), seal: session::to_base64url(forged.as_ref()), same: false };
        assert!(!tab.believes("made up", &seal));
        drop(squatter);
        let nonce = kept.seal(OURS, HOST, id, "made up", now).unwrap().nonce;
        for (host, id, nonce, signature) in [
            (HOST, id, &nonce, other.signs(HOST, &nonce)),
            (HOST, id, &nonce, tab.signs("xyz.localhost:4321", &nonce)),
            ("xyz.localhost:4321", id, &nonce, tab.signs("xyz.localhost:4321", &nonce)),
            (HOST, &other.ticket.id, &nonce, tab.signs(HOST, &nonce)),
            (HOST, id, &"of another daemon".to_owned(), tab.signs(HOST, "of another daemon")),
            (HOST, id, &nonce, tab.ticket.check.clone()),
            (HOST, id, &nonce, String::new()),
        ] {
            assert_eq!(kept.returns(host, id, nonce, &signature, now), None);
        }
        let nonce = kept.seal(OURS, HOST, id, "made up", now).unwrap().nonce;
        let signature = tab.signs(HOST, &nonce);
        let late = (NOW, now.1 + NONCE_LIFE);
        assert_eq!(kept.returns(HOST, id, &nonce, &signature, late), None, "it took too long");
        let nonce = kept.seal(OURS, HOST, id, "made up", now).unwrap().nonce;
        let signature = tab.signs(HOST, &nonce);
        assert!(kept.returns(HOST, id, &nonce, &signature, now).is_some());
        assert_eq!(kept.returns(HOST, id, &nonce, &signature, now), None, "it was said once");
    }

    #[test]
    fn the_file_is_ours_alone_and_opens_nothing() {
        let (_directory, mut kept) = fresh();
        let tab = Browser::new(&mut kept, 1);
        let mode = std::fs::metadata(&kept.file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // An attacker who has the file still has no private key to sign with.
        let mut his = again(&kept, NOW);
        let now = (NOW, Instant::now());
        let nonce = his.seal(OURS, HOST, &tab.ticket.id, "made up", now).unwrap().nonce;
        let Tab { id, check, key, .. } = his.book.tabs[0].clone();
        for signature in [&check, &key, &nonce] {
            assert_eq!(his.returns(HOST, &id, &nonce, signature, now), None);
        }
    }

    #[test]
    fn tabs_grow_old_and_sessions_end() {
        let (_directory, mut kept) = fresh();
        let (one, _other) = (Browser::new(&mut kept, 1), Browser::new(&mut kept, 2));
        assert!(again(&kept, NOW + IDLE.as_secs() - 1).has_tabs());
        assert!(!again(&kept, NOW + IDLE.as_secs()).has_tabs());
        assert!(!again(&kept, NOW - 1).has_tabs(), "a clock that was put back makes nobody young");
        let key = session::to_base64url(one.key.public_key().as_ref());
        assert_eq!(kept.keep(HOST, 1, place(), &key, &one.ticket.id, NOW + 3600).as_ref(), Some(&one.ticket));
        assert_eq!(kept.keep(HOST, 1, place(), "short", "", NOW + 3600), None);
        assert_eq!(kept.drop_tabs(|session| session == 2), 1);
        assert!(again(&kept, NOW + 3600 + IDLE.as_secs() - 1).has_tabs(), "it was heard of since");
        for session in 0..40 {
            Browser::new(&mut kept, session);
        }
        assert_eq!(kept.book.tabs.len(), MAX_TABS);
        assert_eq!(kept.drop_tabs(|_| true), MAX_TABS);
        std::fs::write(&kept.file, "{ nonsense").unwrap();
        assert_eq!(again(&kept, NOW).book, Book::default());
    }
}
