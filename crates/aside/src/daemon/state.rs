//! State shared by all connections: settings, the history index, sessions, notices.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use aside_commands::shell_names::ShellNames;
use aside_commands::spec;
use aside_core::history::filter::HistoryFilter;
use aside_core::history::index::HistoryIndex;
use aside_core::history::run_record::RunRecord;
use aside_proto::{self as proto, Hello, HistoryStatus, SessionStatus, Status};
use aside_redact::{REDACTED, redact};
use shell_line::Dialect;
use tokio::sync::{Notify, watch};

use crate::config::Config;
use crate::config::live_reload::LiveConfig;
use crate::connections::Connections;
use crate::daemon::capture_registry::{CaptureRegistry, CaptureStatus};
use crate::daemon::complete_model::CompleteModel;
use crate::daemon::conversations::Conversations;
use crate::daemon::handover::Program;
use crate::daemon::history_writer::HistoryWriter;
use crate::daemon::idle::Rest;
use crate::daemon::last_shown::LastShown;
use crate::daemon::model::Models;
use crate::daemon::pending_queries::PendingQueries;
use crate::daemon::pending_suggestions::PendingSuggestions;
use crate::daemon::reader::Reader;
use crate::daemon::recent_commands::RecentCommands;
use crate::daemon::remote::Remote;
use crate::daemon::reroute_log::RerouteLog;
use crate::daemon::suggest_model::SuggestModel;
use crate::daemon::tasks::Tasks;
use crate::daemon::user_specs::UserSpecs;
use crate::daemon::web_page::WebPage;
use crate::paths::Paths;
use crate::store::agent_threads::AgentThreads;
use crate::store::journal::Journal;
use crate::text_work;
use crate::world::{Environment, Learning, Machine, MachineView};

/// Cap on open connections: a shell has one while it waits at its prompt.
const MAX_CONNECTIONS: usize = 512;
/// Of those, cap on the connections of processes that are not the user.
const MAX_OF_COMMANDS: usize = 64;
/// Cap on the notices for `aside doctor`; the log has them all.
const MAX_NOTICES: usize = 32;
/// Cap on greeted sessions; the least recently seen is evicted.
const MAX_SESSIONS: usize = 256;
/// Bytes of a shell's facts, and of each name: all of them go into one reply.
const MAX_FACTS: usize = 4096;
const MAX_NAME: usize = 256;
/// How long a reply may wait for the history of a daemon that has just started.
const FIRST_READ: Duration = Duration::from_secs(2);

pub struct State {
    pub paths: Paths,
    pub program: Program,
    live: LiveConfig,
    index: Mutex<HistoryIndex>,
    /// How often the index was replaced.
    generation: AtomicU64,
    filter: Mutex<Option<(Arc<Config>, Arc<HistoryFilter>)>>,
    machine: Machine,
    specs: UserSpecs,
    last_shown: LastShown,
    sessions: Mutex<HashMap<String, Session>>,
    /// A private session was evicted: from now on, every unknown session counts as private.
    forgot_private: AtomicBool,
    notices: Mutex<VecDeque<(Instant, String)>>,
    journal: Arc<Journal>,
    models: Models,
    recent_commands: RecentCommands,
    pending_suggestions: PendingSuggestions,
    complete_model: CompleteModel,
    suggest_model: SuggestModel,
    pending_queries: PendingQueries,
    reader: Reader,
    conversations: Conversations,
    tasks: Tasks,
    agents: AgentThreads,
    page: WebPage,
    remote: Remote,
    capture_registry: CaptureRegistry,
    reroute_log: RerouteLog,
    history_writer: OnceLock<HistoryWriter>,
    started: Instant,
    last_active: Mutex<Instant>,
    rest: Rest,
    connections: Arc<Connections>,
    under_way: AtomicUsize,
    rested: Notify,
    answered: AtomicU64,
    /// Commands that were not stored because of a secret.
    withheld: AtomicU64,
    records: AtomicU64,
    /// Why commands cannot be stored, or empty; and how many wait.
    unstored: Mutex<(String, usize)>,
    loading: AtomicBool,
    /// The newest part of the history has been read, or cannot be.
    readable: watch::Sender<bool>,
    ending: watch::Sender<Option<ShutdownReason>>,
}

#[derive(Clone, Debug)]
pub enum ShutdownReason {
    Stopped,
    /// The executable on disk was replaced.
    Replaced(PathBuf),
}

/// The session of a request, or only the kind of shell.
#[derive(Clone, Copy)]
pub struct SessionRef<'a> {
    pub session: &'a str,
    pub shell: &'a str,
    /// The client reads a single reply and no update.
    pub wait: bool,
}

struct Session {
    hello: Hello,
    seen: Instant,
    names: Arc<ShellNames>,
}

/// Whether these facts are of the greeting with which `aside-off` ends.
pub fn tells_off(facts: &str) -> bool {
    facts.lines().any(|fact| fact == "switched=off")
}

impl State {
    pub fn new(paths: Paths) -> Arc<Self> {
        let now = Instant::now();
        let live = LiveConfig::new(paths.config_file.clone());
        Arc::new(Self {
            program: Program::running(),
            live,
            index: Mutex::default(),
            generation: AtomicU64::new(0),
            filter: Mutex::default(),
            machine: Machine::new(&paths.data_dir.join("learnt")),
            specs: UserSpecs::new(paths.specs_dir()),
            last_shown: LastShown::default(),
            sessions: Mutex::default(),
            forgot_private: AtomicBool::new(false),
            notices: Mutex::default(),
            journal: Arc::new(Journal::new(&paths)),
            models: Models::default(),
            recent_commands: RecentCommands::default(),
            pending_suggestions: PendingSuggestions::default(),
            complete_model: CompleteModel::default(),
            suggest_model: SuggestModel::default(),
            pending_queries: PendingQueries::default(),
            reader: Reader::default(),
            conversations: Conversations::default(),
            capture_registry: CaptureRegistry::default(),
            reroute_log: RerouteLog::new(&paths),
            tasks: Tasks::new(&paths),
            agents: AgentThreads::new(&paths),
            page: WebPage::new(&paths),
            remote: Remote::default(),
            history_writer: OnceLock::new(),
            started: now,
            last_active: Mutex::new(now),
            rest: Rest::default(),
            connections: Connections::new(MAX_CONNECTIONS, MAX_OF_COMMANDS),
            under_way: AtomicUsize::new(0),
            rested: Notify::new(),
            answered: AtomicU64::new(0),
            withheld: AtomicU64::new(0),
            records: AtomicU64::new(0),
            unstored: Mutex::default(),
            loading: AtomicBool::new(false),
            readable: watch::Sender::new(false),
            ending: watch::Sender::new(None),
            paths,
        })
    }

    /// Re-reads the settings and the user's specs if due. Called for every request, before it is handled.
    pub async fn refresh(&self) {
        tokio::join!(self.live.refresh(), self.specs.refresh());
    }

    /// Makes the next request re-read the settings.
    pub fn hurry(&self) {
        self.live.hurry();
    }

    /// Like `refresh`, without waiting.
    pub fn refresh_later(self: &Arc<Self>) {
        let state = Arc::clone(self);
        text_work::spawn(text_work::NO_TEXT, async move { state.refresh().await });
    }

    /// The last valid configuration. Accesses no file.
    pub fn config(&self) -> Arc<Config> {
        self.live.current()
    }

    pub fn index(&self) -> MutexGuard<'_, HistoryIndex> {
        locked(&self.index)
    }

    /// Gives the history to a reader of so many bytes. A long text is read without it: its lock is taken by every keystroke.
    pub fn with_history<T>(&self, length: usize, read: impl FnOnce(&HistoryIndex) -> T) -> T {
        if length > text_work::SHORT { read(&HistoryIndex::default()) } else { read(&self.index()) }
    }

    /// Recent commands outside private shells, oldest first, preferring this directory: these may be sent to a model.
    pub fn recent(&self, cwd: &str, most: usize) -> Vec<String> {
        let index = self.index();
        let mut newest = index.starting_with("", cwd, most);
        newest.retain(|found| !found.private);
        newest.sort_by_key(|found| found.order);
        newest.iter().map(|found| found.command.to_owned()).collect()
    }

    /// A view of the machine as the shell that reported these names sees it, for one line.
    pub fn view(&self, names: &ShellNames) -> MachineView {
        let learning = if self.config().complete.learn { Learning::On } else { Learning::Off };
        let mut environment = Environment::own();
        if let Some(path) = &names.path {
            environment.path = Arc::from(path.as_ref());
        }
        self.machine.view(environment, learning)
    }

    /// A command ended in a directory, so caches about it may be stale. A program that succeeded may be run for its help text.
    pub fn something_ran(&self, cwd: &str, succeeded: Option<&str>) {
        self.machine.something_ran(cwd);
        if let Some(name) = succeeded {
            self.machine.ran(name);
        }
    }

    /// A command was not stored because of a secret, which `status` and `doctor` say.
    pub fn withheld_command(&self) {
        self.withheld.fetch_add(1, Ordering::Relaxed);
    }

    /// The built-in specs with the user's own.
    pub fn specs(&self) -> Arc<spec::Specs> {
        self.specs.current()
    }

    pub fn last_shown(&self) -> &LastShown {
        &self.last_shown
    }

    /// Adds a command to the index before it is stored: the next keystroke may already need it. Returns the generation of the index.
    pub fn learn(&self, ran: RunRecord<'_>) -> u64 {
        let mut index = self.index();
        index.add(ran);
        self.generation.load(Ordering::Relaxed)
    }

    /// Adds a command that is stored now, unless the index that learnt it is still in use.
    pub fn learn_again(&self, ran: RunRecord<'_>, learnt: u64) {
        let mut index = self.index();
        if self.generation.load(Ordering::Relaxed) != learnt {
            index.add(ran);
        }
    }

    /// Decides which commands may be stored. Cached until the settings change, since building it takes a while.
    pub fn filter(&self) -> Option<Arc<HistoryFilter>> {
        let config = self.config();
        let mut known = locked(&self.filter);
        if let Some((made_from, filter)) = &*known
            && Arc::ptr_eq(made_from, &config)
        {
            return Some(Arc::clone(filter));
        }
        match HistoryFilter::new(&config.history.ignore, config.history.secrets.into()) {
            Ok(filter) => {
                let filter = Arc::new(filter);
                *known = Some((config, Arc::clone(&filter)));
                Some(filter)
            }
            // The configuration was validated, so this cannot happen; if it does, nothing is stored rather than a secret.
            Err(bad) => {
                drop(known);
                self.notice(format!("history.ignore: {bad}"));
                None
            }
        }
    }

    /// Whether a text may be sent to a model once its secrets are redacted: what the settings keep out of the history may not.
    pub fn may_leave(&self, text: &str) -> bool {
        // Redacted parts become `$`, like a variable, since they are no longer secret.
        let without = redact(text.trim()).replace(REDACTED, "$");
        self.filter().is_some_and(|filter| !filter.is_ignored(&without))
    }

    pub fn replace_index(&self, index: HistoryIndex) {
        let mut current = self.index();
        self.generation.fetch_add(1, Ordering::Relaxed);
        let old = std::mem::replace(&mut *current, index);
        drop(current);
        // Freeing millions of entries takes a while; the lock is released by now.
        drop(old);
    }

    /// The record of what leaves this machine.
    pub fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    pub fn models(&self) -> &Models {
        &self.models
    }

    /// The last commands of each shell.
    pub fn recent_commands(&self) -> &RecentCommands {
        &self.recent_commands
    }

    pub fn pending_suggestions(&self) -> &PendingSuggestions {
        &self.pending_suggestions
    }

    pub fn complete_model(&self) -> &CompleteModel {
        &self.complete_model
    }

    pub fn suggest_model(&self) -> &SuggestModel {
        &self.suggest_model
    }

    pub fn pending_queries(&self) -> &PendingQueries {
        &self.pending_queries
    }

    pub fn reroute_log(&self) -> &RerouteLog {
        &self.reroute_log
    }

    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// The stored conversations of agents.
    pub fn agents(&self) -> &AgentThreads {
        &self.agents
    }

    pub fn page(&self) -> &WebPage {
        &self.page
    }

    /// The chat from which tasks can be requested.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The executable that this daemon was started from.
    pub fn program(&self) -> &std::path::Path {
        self.program.path()
    }

    pub fn conversations(&self) -> &Conversations {
        &self.conversations
    }

    /// The registry of captured terminals.
    pub fn capture_registry(&self) -> &CaptureRegistry {
        &self.capture_registry
    }

    pub fn history_writer(&self) -> Option<&HistoryWriter> {
        self.history_writer.get()
    }

    pub fn set_keeper(&self, history_writer: HistoryWriter) {
        let _ = self.history_writer.set(history_writer);
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

    /// Waits a bounded time for the history: a daemon that has just started should not reply "nothing" a few milliseconds too early.
    pub async fn readable(&self) {
        let mut receiver = self.readable.subscribe();
        let _ = tokio::time::timeout(FIRST_READ, receiver.wait_for(|readable| *readable)).await;
    }

    /// Records a problem that the prompt must not show but that the user may want to know.
    pub fn notice(&self, text: impl Into<String>) {
        let text = text.into();
        tracing::warn!("{text}");
        let mut notices = locked(&self.notices);
        // What goes on happening is one notice.
        notices.retain(|(_, known)| *known != text);
        if notices.len() == MAX_NOTICES {
            notices.pop_front();
        }
        notices.push_back((Instant::now(), text));
    }

    /// Why commands cannot be stored, or empty; and how many wait for it.
    pub fn set_unstored(&self, problem: &str, waiting: usize) {
        *locked(&self.unstored) = (problem.to_owned(), waiting);
    }

    pub fn set_unstored_count(&self, waiting: usize) {
        locked(&self.unstored).1 = waiting;
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
            // Evicts open sessions before private ones: an unknown session counts as open.
            let oldest = sessions.iter().min_by_key(|(_, session)| (session.hello.private, session.seen));
            let oldest = oldest.map(|(name, _)| name.clone());
            let forgotten = oldest.and_then(|name| sessions.remove(&name));
            if forgotten.is_some_and(|session| session.hello.private) {
                self.forgot_private.store(true, Ordering::Relaxed);
            }
        }
        let previous = sessions.remove(&hello.session);
        let names = previous.as_ref().map(|session| Arc::clone(&session.names)).unwrap_or_default();
        // A plugin sends its facts once; later greetings are short.
        if hello.facts.is_empty() {
            hello.facts = previous.map(|session| session.hello.facts).unwrap_or_default();
        }
        sessions.insert(hello.session.clone(), Session { hello, seen: Instant::now(), names });
    }

    /// Stores names that a shell reported. Ignores sessions that never sent `hello`.
    pub fn name(&self, told: proto::NamesParams) {
        let proto::NamesParams { session, kind, part, names } = told;
        let mut sessions = locked(&self.sessions);
        let Some(session) = sessions.get_mut(&session) else { return };
        Arc::make_mut(&mut session.names).take(&kind, part, &names);
    }

    /// The names that a session reported, and its dialect. A session that never sent `hello` gets the dialect it claims; a client outside
    /// any shell gets the names of the shell seen last.
    pub fn shell(&self, asker: SessionRef<'_>) -> (Arc<ShellNames>, Dialect) {
        let SessionRef { session, shell, wait } = asker;
        let sessions = locked(&self.sessions);
        let like_it = || sessions.values().filter(|known| shell.is_empty() || known.hello.shell == shell);
        let last = || like_it().max_by_key(|known| known.seen).filter(|_| wait && session.is_empty());
        if let Some(known) = sessions.get(session).or_else(last) {
            return (Arc::clone(&known.names), Dialect::of(&known.hello.shell));
        }
        let dialect = if shell.is_empty() { Dialect::default() } else { Dialect::of(shell) };
        let mut names = ShellNames::default();
        if wait {
            // No further names will be reported. With a builtin that every shell has, the names count as reported: no alias is going to
            // make `gti` a command.
            names.take("builtin", 0, "cd");
        }
        (Arc::new(names), dialect)
    }

    /// The full name of a session given by its shell and pid only (`zsh-4711`); the given name if there is no such session.
    pub fn session_called(&self, name: &str) -> String {
        let begins = format!("{name}-");
        let is_it = |session: &str| session == name || session.starts_with(&begins);
        let greeted = locked(&self.sessions).keys().find(|session| is_it(session)).cloned();
        let heard = greeted
            .filter(|_| !name.is_empty())
            .or_else(|| self.recent_commands().called(&is_it).filter(|_| !name.is_empty()));
        heard.unwrap_or_else(|| name.to_owned())
    }

    /// Whether the last greeting of the session was that of `aside-off`. Bash and fish send each message from a process of its own, so that an
    /// earlier one may come later; zsh sends all of them in order.
    pub fn is_switched_off(&self, session: &str) -> bool {
        let sessions = locked(&self.sessions);
        let known = sessions.get(&session[..session.floor_char_boundary(MAX_NAME)]);
        known.is_some_and(|known| known.hello.shell != "zsh" && tells_off(&known.hello.facts))
    }

    /// Whether the session is private, so that nothing of it may leave.
    pub fn is_private(&self, session: &str) -> bool {
        match locked(&self.sessions).get(&session[..session.floor_char_boundary(MAX_NAME)]) {
            Some(session) => session.hello.private,
            None => !session.is_empty() && self.forgot_private.load(Ordering::Relaxed),
        }
    }

    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    pub fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Held by a request until its reply is written, or dropped.
    pub fn working(self: &Arc<Self>) -> ActiveRequest {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(Arc::clone(self))
    }

    pub fn end(&self, ending: ShutdownReason) {
        self.ending.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                *current = Some(ending);
            }
            first
        });
    }

    pub async fn ending(&self) -> ShutdownReason {
        let mut receiver = self.ending.subscribe();
        // The sender lives as long as `self`, so this waits for a value.
        let ending = receiver.wait_for(Option::is_some).await;
        ending.ok().and_then(|ending| ending.clone()).unwrap_or(ShutdownReason::Stopped)
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
        // A chat can send a request at any time.
        if self.remote.is_on() {
            return false;
        }
        let limit = self.config().daemon.idle_exit_s;
        let quiet = self.quiet(now);
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
                let CaptureStatus { tier, reason, watched } = self.capture_registry.seen(&hello.session);
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
        let (problem, waiting) = locked(&self.unstored).clone();
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
                waiting,
                problem,
                withheld: self.withheld.load(Ordering::Relaxed),
            },
            sessions,
            answered: self.answered.load(Ordering::Relaxed),
            rss_kb: resident_kb(),
            notices,
            models: self.models.status(&self.config().llm),
            remote: self.remote.status(),
        }
    }

    /// Marks the daemon as active, so that it does not exit as idle for a while.
    pub fn touch(&self) {
        *locked(&self.last_active) = Instant::now();
        self.rest.end();
    }

    pub fn rest(&self) -> &Rest {
        &self.rest
    }

    /// Time since the last request.
    pub fn quiet(&self, now: Instant) -> Duration {
        now.saturating_duration_since(*locked(&self.last_active))
    }

    /// Whether nothing is under way that needs frequent housekeeping.
    pub fn is_resting(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) == 0 && !self.remote.is_on() && !self.models.has_servers()
    }
}

/// A request in progress.
pub struct ActiveRequest(Arc<State>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.answered.fetch_add(1, Ordering::Relaxed);
        if self.0.under_way.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.rested.notify_waiters();
        }
    }
}

/// Truncates at a character boundary.
fn cut(text: &mut String, cap: usize) {
    let end = (0..=cap.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text.shrink_to_fit();
}

/// A panic in a request that held the lock lost its reply; the data behind it is still valid.
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
