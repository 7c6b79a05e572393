//! What all connections share: settings, the history in memory, who is connected, what went wrong.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use aside_core::history::filter::Filter;
use aside_core::history::index::{Index, Ran};
use aside_core::line::Dialect;
use aside_core::names::Names;
use aside_core::proto::{self, Hello, HistoryStatus, SessionStatus, Status};
use aside_core::redact::{REDACTED, redact};
use aside_core::spec;
use tokio::sync::{Notify, watch};

use crate::config::Config;
use crate::config::live::Live;
use crate::connections::Connections;
use crate::daemon::foresight::Foresight;
use crate::daemon::handover::Program;
use crate::daemon::keeper::Keeper;
use crate::daemon::memory::Memory;
use crate::daemon::model::Models;
use crate::daemon::nexts::Nexts;
use crate::daemon::offers::Offers;
use crate::daemon::page::Page;
use crate::daemon::remote::Remote;
use crate::daemon::sentences::Sentences;
use crate::daemon::specs::Specs;
use crate::daemon::talks::Talks;
use crate::daemon::tasks::Tasks;
use crate::daemon::thought::Thoughts;
use crate::daemon::watchers::{Seen, Watchers};
use crate::daemon::wishes::Wishes;
use crate::paths::Paths;
use crate::store::agent_threads::AgentThreads;
use crate::store::journal::Journal;
use crate::world::{Environment, Learning, Machine, View};

/// Open connections: a shell has one while it waits at its prompt.
const MAX_CONNECTIONS: usize = 512;
/// Of those, of processes that are not the user.
const MAX_OF_COMMANDS: usize = 64;
/// Remembered for `aside doctor`; the log has them all.
const MAX_NOTICES: usize = 32;
/// Shells that said hello; the one heard from longest ago is forgotten first.
const MAX_SESSIONS: usize = 256;
/// Bytes of what a shell says about itself, and of each name that it gives: all of them go into one answer.
const MAX_FACTS: usize = 4096;
const MAX_NAME: usize = 256;
/// How long an answer may wait for the history of a daemon that has just started.
const FIRST_READ: Duration = Duration::from_secs(2);

pub struct State {
    pub paths: Paths,
    pub program: Program,
    live: Live,
    index: Mutex<Index>,
    /// How often the index was replaced.
    generation: AtomicU64,
    filter: Mutex<Option<(Arc<Config>, Arc<Filter>)>>,
    machine: Machine,
    specs: Specs,
    offers: Offers,
    sessions: Mutex<HashMap<String, Session>>,
    /// A private shell was forgotten: from now on, every shell that is not known counts as private.
    forgot_private: AtomicBool,
    notices: Mutex<VecDeque<(Instant, String)>>,
    journal: Arc<Journal>,
    models: Models,
    memory: Memory,
    nexts: Nexts,
    thoughts: Thoughts,
    foresight: Foresight,
    wishes: Wishes,
    talks: Talks,
    tasks: Tasks,
    agents: AgentThreads,
    page: Page,
    remote: Remote,
    watchers: Watchers,
    sentences: Sentences,
    keeper: OnceLock<Keeper>,
    started: Instant,
    last_active: Mutex<Instant>,
    connections: Arc<Connections>,
    under_way: AtomicUsize,
    rested: Notify,
    answered: AtomicU64,
    records: AtomicU64,
    loading: AtomicBool,
    /// The newest part of the history has been read, or cannot be.
    readable: watch::Sender<bool>,
    ending: watch::Sender<Option<Ending>>,
}

#[derive(Clone, Debug)]
pub enum Ending {
    Stopped,
    /// The program on disk is another one now.
    Replaced(PathBuf),
}

/// Who asks: a shell that said hello, or one that only says which it is.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    pub session: &'a str,
    pub shell: &'a str,
    /// It reads one answer and no update.
    pub wait: bool,
}

struct Session {
    hello: Hello,
    seen: Instant,
    names: Arc<Names>,
}

impl State {
    pub fn new(paths: Paths) -> Arc<Self> {
        let now = Instant::now();
        let live = Live::new(paths.config_file.clone());
        Arc::new(Self {
            program: Program::running(),
            live,
            index: Mutex::default(),
            generation: AtomicU64::new(0),
            filter: Mutex::default(),
            machine: Machine::new(&paths.data_dir.join("learnt")),
            specs: Specs::new(paths.specs_dir()),
            offers: Offers::default(),
            sessions: Mutex::default(),
            forgot_private: AtomicBool::new(false),
            notices: Mutex::default(),
            journal: Arc::new(Journal::new(&paths)),
            models: Models::default(),
            memory: Memory::default(),
            nexts: Nexts::default(),
            thoughts: Thoughts::default(),
            foresight: Foresight::default(),
            wishes: Wishes::default(),
            talks: Talks::default(),
            watchers: Watchers::default(),
            sentences: Sentences::new(&paths),
            tasks: Tasks::new(&paths),
            agents: AgentThreads::new(&paths),
            page: Page::new(&paths),
            remote: Remote::default(),
            keeper: OnceLock::new(),
            started: now,
            last_active: Mutex::new(now),
            connections: Connections::new(MAX_CONNECTIONS, MAX_OF_COMMANDS),
            under_way: AtomicUsize::new(0),
            rested: Notify::new(),
            answered: AtomicU64::new(0),
            records: AtomicU64::new(0),
            loading: AtomicBool::new(false),
            readable: watch::Sender::new(false),
            ending: watch::Sender::new(None),
            paths,
        })
    }

    /// Looks at the settings and at the user's own specs again when that is due. Called for every request, before it is answered.
    pub async fn refresh(&self) {
        tokio::join!(self.live.refresh(), self.specs.refresh());
    }

    /// The settings are looked at with the next request.
    pub fn hurry(&self) {
        self.live.hurry();
    }

    /// The same as `refresh`, without waiting for it.
    pub fn refresh_later(self: &Arc<Self>) {
        let state = Arc::clone(self);
        tokio::spawn(async move { state.refresh().await });
    }

    /// The last configuration that made sense. Touches no file.
    pub fn config(&self) -> Arc<Config> {
        self.live.current()
    }

    pub fn index(&self) -> MutexGuard<'_, Index> {
        locked(&self.index)
    }

    /// What ran lately in open shells, here first, oldest first: a model may be told.
    pub fn recent(&self, cwd: &str, most: usize) -> Vec<String> {
        let index = self.index();
        let mut newest = index.starting_with("", cwd, most);
        newest.retain(|found| !found.private);
        newest.sort_by_key(|found| found.order);
        newest.iter().map(|found| found.command.to_owned()).collect()
    }

    /// The machine as a shell sees it that told us these names, for one line.
    pub fn view(&self, names: &Names) -> View {
        let learning = if self.config().complete.learn { Learning::On } else { Learning::Off };
        let mut environment = Environment::own();
        if let Some(path) = &names.path {
            environment.path = Arc::from(path.as_ref());
        }
        self.machine.view(environment, learning)
    }

    /// A command ended in a directory, and may have changed what is there. One that succeeded may be asked for its help.
    pub fn something_ran(&self, cwd: &str, succeeded: Option<&str>) {
        self.machine.something_ran(cwd);
        if let Some(name) = succeeded {
            self.machine.ran(name);
        }
    }

    /// What is known about commands, with the person's own files.
    pub fn specs(&self) -> Arc<spec::Specs> {
        self.specs.current()
    }

    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// Notes a command in memory, before it is stored: the next key may already ask for it. Returns which index knows it.
    pub fn learn(&self, ran: Ran<'_>) -> u64 {
        let mut index = self.index();
        index.add(ran);
        self.generation.load(Ordering::Relaxed)
    }

    /// Notes a command that is stored now, unless the index that learnt it before is still in use.
    pub fn learn_again(&self, ran: Ran<'_>, learnt: u64) {
        let mut index = self.index();
        if self.generation.load(Ordering::Relaxed) != learnt {
            index.add(ran);
        }
    }

    /// Which commands may be kept. Building it takes a while, so it is kept until the settings change.
    pub fn filter(&self) -> Option<Arc<Filter>> {
        let config = self.config();
        let mut known = locked(&self.filter);
        if let Some((made_from, filter)) = &*known
            && Arc::ptr_eq(made_from, &config)
        {
            return Some(Arc::clone(filter));
        }
        match Filter::new(&config.history.ignore, config.history.secrets.into()) {
            Ok(filter) => {
                let filter = Arc::new(filter);
                *known = Some((config, Arc::clone(&filter)));
                Some(filter)
            }
            // The configuration was checked, so this cannot be; if it is, nothing is kept rather than a secret.
            Err(bad) => {
                drop(known);
                self.notice(format!("history.ignore: {bad}"));
                None
            }
        }
    }

    /// Whether a text may be told to somebody, once its secrets are taken out: what the settings would not have in the
    /// history is nobody's business either.
    pub fn may_leave(&self, text: &str) -> bool {
        // A variable is no secret, and what was taken out is none any more.
        let without = redact(text.trim()).replace(REDACTED, "$");
        self.filter().is_some_and(|filter| !filter.is_ignored(&without))
    }

    pub fn replace_index(&self, index: Index) {
        let mut current = self.index();
        self.generation.fetch_add(1, Ordering::Relaxed);
        let old = std::mem::replace(&mut *current, index);
        drop(current);
        // Freeing millions of entries takes a while; the lock is open again by now.
        drop(old);
    }

    /// What leaves this machine.
    pub fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    pub fn models(&self) -> &Models {
        &self.models
    }

    /// What each shell ran lately.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    pub fn nexts(&self) -> &Nexts {
        &self.nexts
    }

    pub fn thoughts(&self) -> &Thoughts {
        &self.thoughts
    }

    pub fn foresight(&self) -> &Foresight {
        &self.foresight
    }

    pub fn wishes(&self) -> &Wishes {
        &self.wishes
    }

    pub fn sentences(&self) -> &Sentences {
        &self.sentences
    }

    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// The conversations that agents keep of theirs.
    pub fn agents(&self) -> &AgentThreads {
        &self.agents
    }

    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The chat from which tasks can be asked for.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The file that this daemon was started from.
    pub fn program(&self) -> &std::path::Path {
        self.program.path()
    }

    pub fn talks(&self) -> &Talks {
        &self.talks
    }

    /// Who sees what is printed where.
    pub fn watchers(&self) -> &Watchers {
        &self.watchers
    }

    pub fn keeper(&self) -> Option<&Keeper> {
        self.keeper.get()
    }

    pub fn set_keeper(&self, keeper: Keeper) {
        let _ = self.keeper.set(keeper);
    }

    pub fn set_records(&self, records: u64) {
        self.records.store(records, Ordering::Relaxed);
    }

    pub fn add_record(&self) {
        self.records.fetch_add(1, Ordering::Relaxed);
    }

    pub fn set_loading(&self, loading: bool) {
        self.loading.store(loading, Ordering::Relaxed);
    }

    pub fn set_readable(&self) {
        self.readable.send_replace(true);
    }

    /// Waits a bounded time: a daemon that has just started should not answer "nothing" for want of a few milliseconds.
    pub async fn readable(&self) {
        let mut receiver = self.readable.subscribe();
        let _ = tokio::time::timeout(FIRST_READ, receiver.wait_for(|readable| *readable)).await;
    }

    /// Something went wrong that the prompt must not show and a person may want to know.
    pub fn notice(&self, text: impl Into<String>) {
        let text = text.into();
        tracing::warn!("{text}");
        let mut notices = locked(&self.notices);
        if notices.len() == MAX_NOTICES {
            notices.pop_front();
        }
        notices.push_back((Instant::now(), text));
    }

    pub fn greet(&self, mut hello: Hello) {
        let Hello { protocol: _, version, shell, shell_version, session, pid: _, histfile, facts, private: _ } =
            &mut hello;
        for (field, cap) in [
            (version, MAX_NAME),
            (shell, MAX_NAME),
            (shell_version, MAX_NAME),
            (session, MAX_NAME),
            (histfile, 0),
            (facts, MAX_FACTS),
        ] {
            cut(field, cap);
        }
        let mut sessions = locked(&self.sessions);
        if sessions.len() >= MAX_SESSIONS && !sessions.contains_key(&hello.session) {
            // Open ones first: one that is not known counts as open.
            let oldest = sessions.iter().min_by_key(|(_, session)| (session.hello.private, session.seen));
            let oldest = oldest.map(|(name, _)| name.clone());
            let forgotten = oldest.and_then(|name| sessions.remove(&name));
            if forgotten.is_some_and(|session| session.hello.private) {
                self.forgot_private.store(true, Ordering::Relaxed);
            }
        }
        let previous = sessions.remove(&hello.session);
        let names = previous.as_ref().map(|session| Arc::clone(&session.names)).unwrap_or_default();
        // A plugin tells its facts once; later greetings are short.
        if hello.facts.is_empty() {
            hello.facts = previous.map(|session| session.hello.facts).unwrap_or_default();
        }
        sessions.insert(hello.session.clone(), Session { hello, seen: Instant::now(), names });
    }

    /// Takes note of names that a shell told us. One that never said hello is not known, and not listened to.
    pub fn name(&self, told: proto::Names) {
        let proto::Names { session, kind, part, names } = told;
        let mut sessions = locked(&self.sessions);
        let Some(session) = sessions.get_mut(&session) else { return };
        Arc::make_mut(&mut session.names).take(&kind, part, &names);
    }

    /// The names that a shell told us, and which shell it is: the one that is named if it never said hello. Whoever asks
    /// from no shell at all gets the names of the one heard from last.
    pub fn shell(&self, asker: Asker<'_>) -> (Arc<Names>, Dialect) {
        let Asker { session, shell, wait } = asker;
        let sessions = locked(&self.sessions);
        let like_it = || sessions.values().filter(|known| shell.is_empty() || known.hello.shell == shell);
        let last = || like_it().max_by_key(|known| known.seen).filter(|_| wait && session.is_empty());
        if let Some(known) = sessions.get(session).or_else(last) {
            return (Arc::clone(&known.names), Dialect::of(&known.hello.shell));
        }
        let dialect = if shell.is_empty() { Dialect::default() } else { Dialect::of(shell) };
        let mut names = Names::default();
        if wait {
            // There is nobody who could tell more. With one that every shell has, the others count as told: no alias is
            // going to make `gti` a command.
            names.take("builtin", 0, "cd");
        }
        (Arc::new(names), dialect)
    }

    /// The whole name of a session that somebody knows by its shell alone (`zsh-4711`); as it was given when nobody has heard of it.
    pub fn session_called(&self, name: &str) -> String {
        let begins = format!("{name}-");
        let is_it = |session: &str| session == name || session.starts_with(&begins);
        let greeted = locked(&self.sessions).keys().find(|session| is_it(session)).cloned();
        let heard =
            greeted.filter(|_| !name.is_empty()).or_else(|| self.memory().called(&is_it).filter(|_| !name.is_empty()));
        heard.unwrap_or_else(|| name.to_owned())
    }

    /// Whether a shell has said that nothing of it may leave.
    pub fn is_private(&self, session: &str) -> bool {
        match locked(&self.sessions).get(&session[..session.floor_char_boundary(MAX_NAME)]) {
            Some(session) => session.hello.private,
            None => !session.is_empty() && self.forgot_private.load(Ordering::Relaxed),
        }
    }

    pub fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Held by a request until its answer was written, or dropped.
    pub fn working(self: &Arc<Self>) -> Work {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        Work(Arc::clone(self))
    }

    pub fn end(&self, ending: Ending) {
        self.ending.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                *current = Some(ending);
            }
            first
        });
    }

    pub async fn ending(&self) -> Ending {
        let mut receiver = self.ending.subscribe();
        // The sender lives as long as `self`, so this waits for a value.
        let ending = receiver.wait_for(Option::is_some).await;
        ending.ok().and_then(|ending| ending.clone()).unwrap_or(Ending::Stopped)
    }

    pub async fn drained(&self) {
        loop {
            let rested = self.rested.notified();
            if self.under_way.load(Ordering::Relaxed) == 0 {
                return;
            }
            rested.await;
        }
    }

    pub fn is_idle(&self, now: Instant) -> bool {
        // A chat can ask at any time.
        if self.remote.is_on() {
            return false;
        }
        let limit = self.config().daemon.idle_exit_s;
        let quiet = now.saturating_duration_since(*locked(&self.last_active));
        let rests = self.connections.count() == 0 && self.under_way.load(Ordering::Relaxed) == 0;
        limit > 0 && rests && quiet >= Duration::from_secs(limit)
    }

    pub fn status(&self) -> Status {
        let now = Instant::now();
        let ago = |then: Instant| now.saturating_duration_since(then).as_secs();
        let mut notices: Vec<proto::Notice> = locked(&self.notices)
            .iter()
            .map(|(when, text)| proto::Notice { s_ago: ago(*when), text: text.clone() })
            .collect();
        if let Some(problems) = self.live.problems() {
            notices.push(proto::Notice { s_ago: 0, text: format!("the configuration is not in force: {problems}") });
        }
        notices.extend(self.specs.problems().into_iter().map(|text| proto::Notice { s_ago: 0, text }));
        let mut sessions: Vec<SessionStatus> = locked(&self.sessions)
            .values()
            .map(|Session { hello, seen, names }| {
                let Seen { tier, reason, watched } = self.watchers.seen(&hello.session);
                SessionStatus {
                    session: hello.session.clone(),
                    shell: hello.shell.clone(),
                    shell_version: hello.shell_version.clone(),
                    plugin_version: hello.version.clone(),
                    pid: hello.pid,
                    facts: hello.facts.clone(),
                    seen_s_ago: ago(*seen),
                    aliases: names.aliases.len(),
                    functions: names.functions.len(),
                    variables: names.variables.len(),
                    tier: tier.to_owned(),
                    tier_reason: reason,
                    watched,
                }
            })
            .collect();
        sessions.sort_by_key(|session| session.seen_s_ago);
        Status {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: proto::PROTOCOL,
            socket: self.paths.socket.display().to_string(),
            uptime_s: ago(self.started),
            executable: self.program.path().display().to_string(),
            config: self.paths.config_file.display().to_string(),
            database: self.paths.history_db().display().to_string(),
            history: HistoryStatus {
                commands: self.index().len(),
                records: self.records.load(Ordering::Relaxed),
                loading: self.loading.load(Ordering::Relaxed),
            },
            sessions,
            answered: self.answered.load(Ordering::Relaxed),
            rss_kb: resident_kb(),
            notices,
            models: self.models.status(&self.config().llm),
            remote: self.remote.status(),
        }
    }

    /// The daemon is in use: it does not end as idle for a while.
    pub fn touch(&self) {
        *locked(&self.last_active) = Instant::now();
    }
}

/// One request under way.
pub struct Work(Arc<State>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.answered.fetch_add(1, Ordering::Relaxed);
        if self.0.under_way.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.rested.notify_waiters();
        }
    }
}

/// At the end of a character.
fn cut(text: &mut String, cap: usize) {
    let end = (0..=cap.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text.shrink_to_fit();
}

/// A request that panicked while it held the lock lost its answer; what it guarded is still there.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn resident_kb() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|line| line.split(' ').nth(1)?.parse::<u64>().ok()).unwrap_or(0);
    pages * (rustix::param::page_size() as u64) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_says_about_itself_is_cut() {
        let long = "é".repeat(40_000);
        let nowhere = PathBuf::from("/nowhere");
        let state = State::new(Paths {
            config_file: nowhere.join("config.toml"),
            data_dir: nowhere.clone(),
            state_dir: nowhere.clone(),
            socket: nowhere,
        });
        state.greet(Hello { session: format!("x{long}"), facts: long.clone(), shell: long, ..Hello::default() });
        let session = &state.status().sessions[0];
        assert_eq!(
            (session.session.len(), session.facts.len(), session.shell.len()),
            (MAX_NAME - 1, MAX_FACTS, MAX_NAME)
        );
    }
}
