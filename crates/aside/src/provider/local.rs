//! Runs llama.cpp's server: starts it on demand, stops it when idle, and restarts it after a crash, but not endlessly. Chooses the program
//! and the model file; does not see the requests.

pub mod catalogue;
pub mod installed_models;
mod server_log;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode, Url};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::watch;

use crate::config;
use crate::exec;
use crate::exec::model_server::{self, ModelServer, ModelServerSpec};
use crate::paths::Paths;
use crate::provider::{Failure, Provider, http_exchange};
use installed_models::{InstalledModels, ResolvedModel};
use server_log::ServerLog;

/// The server's program when the settings name none.
pub const PROGRAM: &str = "llama-server";
/// How long a large model may take to load from a slow disk.
const START: Duration = Duration::from_secs(180);
/// Poll intervals while a server starts, and while it runs.
const GLANCE: Duration = Duration::from_millis(50);
const LOOK: Duration = Duration::from_secs(1);
/// Timeout of a health check.
const HEALTH: Duration = Duration::from_secs(2);
/// Ports that are tried; another program may take one before the server does.
const PORTS: usize = 3;
/// After so many crashes within this time, the server is not restarted until the first of them is that old.
const MAX_DEATHS: usize = 3;
const DEATHS: Duration = Duration::from_secs(300);
/// Cap on servers: each use of a model may have its own.
const MAX_KEPT: usize = 3;

/// A server as the settings describe it. Equal values mean the same server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    program: PathBuf,
    model: PathBuf,
    pub name: String,
    settings: config::Local,
}

/// What is missing to run a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    Program { named: String },
    Model { name: String, bytes: Option<u64> },
}

/// Whether the caller waits for the server to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartupWait {
    No,
    For(Duration),
}

#[derive(Default)]
pub struct Servers {
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    wanted: ServerSpec,
    phase: watch::Receiver<Phase>,
    /// Dropping it stops the server.
    task: Option<Task>,
    usage: Arc<Mutex<Usage>>,
    server: Arc<Mutex<Option<ModelServer>>>,
    deaths: VecDeque<Instant>,
}

#[derive(Clone)]
enum Phase {
    Starting,
    Ready(Arc<Provider>),
    Died(Failure),
    /// Stopped after being idle.
    AtRest,
}

struct Usage {
    under_way: usize,
    last: Instant,
}

struct Task(tokio::task::AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A running server, which is kept running while this is held.
pub struct Lease {
    pub provider: Arc<Provider>,
    usage: Arc<Mutex<Usage>>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut usage = locked(&self.usage);
        usage.under_way = usage.under_way.saturating_sub(1);
        usage.last = Instant::now();
    }
}

impl ServerSpec {
    /// The server for the model that a setting names.
    pub fn new(settings: &config::Local, model: &str, paths: &Paths) -> Result<Self, Unavailable> {
        let (name, model) = match InstalledModels::new(paths).chosen(model) {
            ResolvedModel::Here { name, path } => (name, path),
            ResolvedModel::Missing { name, bytes } => return Err(Unavailable::Model { name, bytes }),
        };
        let program =
            program(&settings.server).ok_or_else(|| Unavailable::Program { named: settings.server.clone() })?;
        Ok(Self { program, model, name, settings: settings.clone() })
    }

    fn arguments(&self, port: u16) -> Vec<OsString> {
        let config::Local { server: _, threads, context, idle_s: _, port: _, arguments } = &self.settings;
        let threads = threads.to_string();
        let mut all: Vec<OsString> = vec!["--model".into(), self.model.clone().into_os_string()];
        let rest = [
            ("--alias", self.name.as_str()),
            ("--host", "127.0.0.1"),
            ("--port", &port.to_string()),
            ("--threads", &threads),
            ("--threads-batch", &threads),
            ("--ctx-size", &context.to_string()),
            ("--parallel", "1"),
        ];
        all.extend(rest.iter().flat_map(|(name, value)| [OsString::from(name), OsString::from(value)]));
        all.extend(arguments.iter().map(OsString::from));
        all
    }
}

/// The path of the server's program, from the setting.
pub fn program(named: &str) -> Option<PathBuf> {
    let named = named.trim();
    let named = if named.is_empty() { PROGRAM } else { named };
    if let Some(rest) = named.strip_prefix("~/") {
        return executable(&Path::new(&std::env::var_os("HOME")?).join(rest));
    }
    if named.contains('/') { executable(Path::new(named)) } else { exec::find(named) }
}

fn executable(path: &Path) -> Option<PathBuf> {
    exec::is_executable(path).then(|| path.to_owned())
}

impl Unavailable {
    pub fn failure(self) -> Failure {
        match self {
            Unavailable::Program { named } => Failure::NoServer { named },
            Unavailable::Model { name, bytes } => Failure::NotHere { name, bytes },
        }
    }
}

impl Servers {
    /// Returns a lease on the server, and starts it if needed. Must be called on the runtime's thread.
    pub async fn ready(&self, wanted: &ServerSpec, wait: StartupWait, log: &Path) -> Result<Lease, Failure> {
        let (mut phase, usage) = self.running(wanted, log)?;
        let started = async {
            let phase = phase.wait_for(|phase| !matches!(phase, Phase::Starting)).await;
            phase.map_or(Phase::AtRest, |phase| phase.clone())
        };
        let limit = match wait {
            StartupWait::No => Duration::ZERO,
            StartupWait::For(limit) => limit,
        };
        match tokio::time::timeout(limit, started).await {
            Ok(Phase::Ready(provider)) => {
                locked(&usage).under_way += 1;
                Ok(Lease { provider, usage })
            }
            Ok(Phase::Died(failure)) => Err(failure),
            Ok(Phase::Starting | Phase::AtRest) | Err(_) => Err(Failure::Starting),
        }
    }

    fn running(&self, wanted: &ServerSpec, log: &Path) -> Result<(watch::Receiver<Phase>, Arc<Mutex<Usage>>), Failure> {
        let now = Instant::now();
        let mut all = self.lock();
        let place = all.iter().position(|kept| kept.wanted == *wanted).unwrap_or_else(|| {
            if all.len() == MAX_KEPT {
                let oldest = (0..all.len()).min_by_key(|place| locked(&all[*place].usage).last).unwrap_or(0);
                all.remove(oldest);
            }
            all.push(Kept::new(wanted.clone()));
            all.len() - 1
        });
        let kept = &mut all[place];
        locked(&kept.usage).last = now;
        // The watching task may not have noticed a recent crash yet.
        let ended = locked(&kept.server).as_mut().and_then(ModelServer::has_ended);
        let over = match &*kept.phase.borrow() {
            Phase::Ready(_) if ended.is_some() => {
                let how = ended.map(|status| status.to_string()).unwrap_or_default();
                Some(Some(Failure::ServerDied(how)))
            }
            Phase::Starting | Phase::Ready(_) => None,
            Phase::AtRest => Some(None),
            Phase::Died(failure) => Some(Some(failure.clone())),
        };
        if let Some(died) = over {
            kept.deaths.retain(|death| now.saturating_duration_since(*death) < DEATHS);
            if let Some(failure) = died {
                // A crash is counted when the next request arrives: until then it has no effect.
                if kept.task.take().is_some() {
                    kept.deaths.push_back(now);
                }
                if kept.deaths.len() >= MAX_DEATHS {
                    return Err(failure);
                }
            }
            kept.start(log);
        }
        Ok((kept.phase.clone(), Arc::clone(&kept.usage)))
    }

    /// Stops servers that the settings no longer name.
    pub fn keep_only(&self, wanted: &[ServerSpec]) {
        self.lock().retain(|kept| wanted.contains(&kept.wanted));
    }

    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// In words, for `aside doctor`.
    pub fn told(&self) -> String {
        let all = self.lock();
        let told = all.iter().map(|kept| match &*kept.phase.borrow() {
            Phase::Ready(provider) => super::displayed_address(&provider.base),
            Phase::Starting => "starting".to_owned(),
            Phase::Died(_) => "ended".to_owned(),
            Phase::AtRest => "at rest".to_owned(),
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() { "at rest".to_owned() } else { told.join(", ") }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        locked(&self.kept)
    }
}

impl Kept {
    fn new(wanted: ServerSpec) -> Self {
        let (_, phase) = watch::channel(Phase::AtRest);
        let usage = Arc::new(Mutex::new(Usage { under_way: 0, last: Instant::now() }));
        Self { wanted, phase, task: None, usage, server: Arc::default(), deaths: VecDeque::new() }
    }

    fn start(&mut self, log: &Path) {
        let (phase, receiver) = watch::channel(Phase::Starting);
        self.phase = receiver;
        self.server = Arc::default();
        let (wanted, usage, log) = (self.wanted.clone(), Arc::clone(&self.usage), log.to_owned());
        let server = Arc::clone(&self.server);
        let task = tokio::spawn(async move {
            let ended = run(&wanted, &usage, &server, &phase, &log).await;
            drop(locked(&server).take());
            phase.send_replace(ended);
        });
        self.task = Some(Task(task.abort_handle()));
    }
}

/// Runs a server from its start to its end.
async fn run(
    wanted: &ServerSpec,
    usage: &Mutex<Usage>,
    server: &Mutex<Option<ModelServer>>,
    phase: &watch::Sender<Phase>,
    log: &Path,
) -> Phase {
    let (started, words, provider) = match start(wanted, log).await {
        Ok(started) => started,
        Err(failure) => return Phase::Died(failure),
    };
    *locked(server) = Some(started);
    locked(usage).last = Instant::now();
    phase.send_replace(Phase::Ready(provider));
    let idle = Duration::from_secs(wanted.settings.idle_s);
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            // The output closes a moment before the process ends.
            () = words.ended() => tokio::time::sleep(GLANCE).await,
        }
        if let Some(status) = locked(server).as_mut().and_then(ModelServer::has_ended) {
            return Phase::Died(died(&status.to_string(), &words));
        }
        let is_idle = {
            let usage = locked(usage);
            !idle.is_zero() && usage.under_way == 0 && usage.last.elapsed() >= idle
        };
        if is_idle {
            tracing::info!("the model server is stopped: nobody asks");
            return Phase::AtRest;
        }
    }
}

fn died(how: &str, words: &ServerLog) -> Failure {
    let complaint = words.complaint();
    Failure::ServerDied(if complaint.is_empty() { how.to_owned() } else { format!("{how}: {complaint}") })
}

async fn start(wanted: &ServerSpec, log: &Path) -> Result<(ModelServer, ServerLog, Arc<Provider>), Failure> {
    let broken = |why: String| Failure::ServerDied(why);
    let mut tries = if wanted.settings.port == 0 { PORTS } else { 1 };
    loop {
        tries -= 1;
        let port = match wanted.settings.port {
            0 => free_port().map_err(|error| broken(format!("no port is free: {error}")))?,
            port => port,
        };
        let key = key().ok_or_else(|| broken("there is no randomness for its key".to_owned()))?;
        let arguments = wanted.arguments(port);
        let serve = ModelServerSpec { program: &wanted.program, arguments: &arguments, key: &key };
        let (mut server, said) = model_server::serve(&serve).map_err(|error| broken(format!("{error:#}")))?;
        let words = ServerLog::of(said, log.to_owned());
        let provider = Provider::kept(port, &key)?;
        match up(&mut server, &words, &provider, &key).await {
            Ok(()) => return Ok((server, words, Arc::new(provider))),
            // Another program took the port meanwhile.
            Err(Failure::ServerDied(_) | Failure::Settings(_)) if tries > 0 && is_taken(port) => {}
            Err(failure) => return Err(failure),
        }
    }
}

/// Waits until the server answers, and verifies that it is the process that was started.
async fn up(server: &mut ModelServer, words: &ServerLog, provider: &Provider, key: &str) -> Result<(), Failure> {
    let since = Instant::now();
    loop {
        if let Some(status) = server.has_ended() {
            return Err(died(&status.to_string(), words));
        }
        if provider.status("health", None).await == Some(StatusCode::OK) {
            break;
        }
        if since.elapsed() > START {
            return Err(Failure::ServerDied(format!("it was not ready after {} s", START.as_secs())));
        }
        tokio::time::sleep(GLANCE).await;
    }
    // The process on this port must accept our key and reject any other: requests are for our server only.
    let refuses = provider.status("props", Some(&key.chars().rev().collect::<String>())).await;
    let takes = provider.status("props", Some(key)).await;
    let is_ours = refuses == Some(StatusCode::UNAUTHORIZED) && takes.is_some_and(|status| status.is_success());
    if let Some(status) = server.has_ended() {
        return Err(died(&status.to_string(), words));
    }
    if is_ours { Ok(()) } else { Err(Failure::Settings("llm.local.port: another program answers there".to_owned())) }
}

impl Provider {
    /// The provider of a server that Aside runs.
    fn kept(port: u16, key: &str) -> Result<Self, Failure> {
        let settings = |why: String| Failure::Settings(why);
        let base = Url::parse(&format!("http://127.0.0.1:{port}/v1")).map_err(|error| settings(error.to_string()))?;
        Self::with_key_of_ours(base, key)
    }

    /// The status of a GET request; `None` if there is no reply.
    async fn status(&self, path: &str, key: Option<&str>) -> Option<StatusCode> {
        let mut address = self.base.clone();
        address.set_path(path);
        let client: &Client = &self.client;
        let mut request = client.get(address).timeout(HEALTH);
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        request.send().await.ok().map(|answer| answer.status())
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn is_taken(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err()
}

/// A random key.
fn key() -> Option<String> {
    let mut bytes = [0; 24];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The HTTP client for a server on this machine.
pub fn client(base: &Url) -> Result<Client, Failure> {
    http_exchange::client(base, HEALTH)
}

/// A panic while it was held lost one answer; the remaining state is valid.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_told_to_stay_on_this_machine_and_no_secret() {
        let mut settings = config::Config::default().llm.local;
        settings.arguments = vec!["--n-gpu-layers".to_owned(), "99".to_owned()];
        let wanted = ServerSpec { program: "/x".into(), model: "/m.gguf".into(), name: "m".to_owned(), settings };
        let arguments: Vec<String> =
            wanted.arguments(4711).into_iter().map(|word| word.into_string().unwrap()).collect();
        assert_eq!(
            arguments.join(" "),
            "--model /m.gguf --alias m --host 127.0.0.1 --port 4711 --threads 1 --threads-batch 1 --ctx-size 4096 \
             --parallel 1 --n-gpu-layers 99"
        );
        let (one, two) = (key().unwrap(), key().unwrap());
        assert!(one.len() == 48 && one != two);
    }

    #[test]
    fn a_program_is_found_by_its_path_or_its_name() {
        assert_eq!(program("/bin/sh"), Some("/bin/sh".into()));
        assert_eq!(program("/bin/no-such-program"), None);
        assert!(program("sh").is_some());
        assert_eq!(program("/etc/passwd"), None, "it cannot be run");
    }
}
