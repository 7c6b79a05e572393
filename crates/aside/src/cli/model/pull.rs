//! `aside model pull`: decides what is downloaded from where and under which name, and shows the progress. `provider::download` transfers
//! and verifies the file.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::model::{Confirmation, without_program};
use crate::cli::{Exit, from_home, home, one_line, print};
use crate::client;
use crate::config::Config;
use crate::paths::{self, Paths};
use crate::provider::download::{self, Checked, DownloadEvent, Fetch, Fetched, Trust};
use crate::provider::local::catalogue;
use crate::provider::local::installed_models::{self, InstalledModels, Name, size};
use crate::provider::{Failure, OutboundRequest, RequestEnd, RequestRecorder};
use crate::store::journal::{self, Answer, Id, Journal};

#[derive(clap::Args)]
pub struct Args {
    /// A name of `aside model list`, an address (https://…), or a file
    #[arg(value_name = "NAME|URL|FILE")]
    what: String,
    /// Call it so; else as in the list, or as its file
    #[arg(long)]
    name: Option<String>,
    /// The checksum that it must have, in hexadecimal
    #[arg(long, value_name = "SUM")]
    sha256: Option<String>,
    /// Copy a file, instead of linking to it
    #[arg(long)]
    copy: bool,
    /// Fetch it again, or in place of the one of that name
    #[arg(long)]
    force: bool,
    /// Allow a connection that others can read and change (http://)
    #[arg(long)]
    insecure: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

enum What<'a> {
    Known(&'static catalogue::Entry),
    Address(&'a str),
    File(PathBuf),
}

pub fn run(paths: &Paths, args: &Args) -> anyhow::Result<Exit> {
    paths::leave_to_its_owner(&paths.data_dir)?;
    if let Some(sum) = args.sha256.as_ref().filter(|sum| !download::is_sum(sum)) {
        complain!("aside: {} is no SHA-256: 64 hexadecimal digits make one", one_line(sum));
        return Ok(Exit::Usage);
    }
    let what = what(&args.what)?;
    let name = name(&what, args)?;
    let installed_models = InstalledModels::new(paths);
    installed_models.prepare().with_context(|| format!("could not make {}", installed_models.dir().display()))?;
    let target = installed_models.path(&name);
    if !args.force && target.exists() {
        print(&format!(
            "{name} is here already. `aside model use {name}` lets it answer; --force fetches it again.\n"
        ))?;
        return Ok(Exit::Done);
    }
    let done = match what {
        What::File(file) => take(&file, &target, &name, args)?,
        What::Known(entry) => {
            let sum = args.sha256.as_deref().or(entry.sha256.as_deref());
            fetch(paths, &name, &target, &entry.url, sum, Some(entry), args)?
        }
        What::Address(url) => fetch(paths, &name, &target, url, args.sha256.as_deref(), None, args)?,
    };
    if done == Exit::Done {
        print(&format!("`aside model use {name}` lets it answer.\n"))?;
        print(&without_program(&Config::load(&paths.config_file).unwrap_or_default()))?;
    }
    Ok(done)
}

fn what(given: &str) -> anyhow::Result<What<'_>> {
    if given.contains("://") {
        return Ok(What::Address(given));
    }
    if let Some(entry) = catalogue::entry(given) {
        return Ok(What::Known(entry));
    }
    let path = std::path::absolute(given).context("could not tell where you are")?;
    if path.exists() {
        return Ok(What::File(path));
    }
    let near = catalogue::catalogue()
        .iter()
        .map(|entry| (entry, strsim::jaro_winkler(&given.to_lowercase(), &entry.name)))
        .filter(|(_, near)| *near > 0.85)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    match near {
        Some((entry, _)) => {
            bail!("{} is neither in the list nor a file; did you mean {}?", one_line(given), entry.name)
        }
        None => bail!("{} is neither in the list (`aside model list`) nor a file", one_line(given)),
    }
}

/// The model's local name. Sanitizes the name that a server or a file gives.
fn name(what: &What<'_>, args: &Args) -> anyhow::Result<Name> {
    if let Some(name) = &args.name {
        return Name::new(name).map_err(anyhow::Error::msg);
    }
    let file = match what {
        What::Known(entry) => return Name::new(&entry.name).map_err(anyhow::Error::msg),
        What::Address(url) => url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').to_owned(),
        What::File(path) => path.display().to_string(),
    };
    let name = Name::from_file(&file).context("its file has no name that could be used; say --name")?;
    if is_one_of_several(&name.to_string()) {
        bail!("{name} is one of several parts of a model; fetch one that is a single file");
    }
    Ok(name)
}

/// Whether it is a part of a split model: `…-00001-of-00003`.
fn is_one_of_several(name: &str) -> bool {
    let mut words = name.rsplit('-');
    let (last, of, number) = (words.next(), words.next(), words.next());
    let is_number = |word: Option<&str>| word.is_some_and(|word| word.len() == 5 && word.parse::<u32>().is_ok());
    of == Some("of") && is_number(last) && is_number(number)
}

/// Installs a local file.
fn take(file: &Path, target: &Path, name: &Name, args: &Args) -> anyhow::Result<Exit> {
    let reading = || format!("could not read {}", file.display());
    if !file.metadata().with_context(reading)?.is_file() || !installed_models::is_model(file).with_context(reading)? {
        bail!("{} is no GGUF model", file.display());
    }
    if let Some(expected) = &args.sha256 {
        let sum = download::sha256(file).with_context(reading)?;
        if !sum.eq_ignore_ascii_case(expected) {
            bail!("it is not the file that it should be: its SHA-256 is {sum}, and not {}", expected.to_lowercase());
        }
    }
    if args.copy {
        download::copy(file, target)?;
        print(&format!("{name} is here, as a copy of {}.\n", file.display()))?;
        return Ok(Exit::Done);
    }
    // Makes the link beside the target and renames it: an atomic replacement.
    let beside = target.with_extension("link");
    let _ = std::fs::remove_file(&beside);
    std::os::unix::fs::symlink(file, &beside)
        .and_then(|()| std::fs::rename(&beside, target))
        .with_context(|| format!("could not write {}", target.display()))?;
    print(&format!("{name} is here, as a link to {}; --copy would have made a copy.\n", file.display()))?;
    Ok(Exit::Done)
}

fn fetch(
    paths: &Paths,
    name: &Name,
    target: &Path,
    url: &str,
    sha256: Option<&str>,
    entry: Option<&catalogue::Entry>,
    args: &Args,
) -> anyhow::Result<Exit> {
    if client::is_private() {
        bail!(
            "this shell is private (ASIDE_PRIVATE), and fetching a model would tell its server who you are; unset it"
        );
    }
    let from = url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', '?']).next().unwrap_or_default();
    let from = one_line(from.rsplit('@').next().unwrap_or_default());
    let question = match entry {
        Some(entry) => format!("Fetch {name} ({}, license {}) from {from}?", size(entry.bytes), entry.license),
        None => format!("Fetch {name} from {from}?"),
    };
    if let Some(entry) = entry {
        download::room(target, entry.bytes)?;
    }
    if !if args.yes { Confirmation::Never } else { Confirmation::First }.goes_on(&question)? {
        return Ok(Exit::Failed);
    }
    let trust = if args.insecure { Trust::Any } else { Trust::Safe };
    let witness = Account { journal: Journal::new(paths), name: name.to_string() };
    paths::private_dir(&paths.state_dir)?;
    let mut show = Show::new(name);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start the runtime")?;
    let fetched = runtime.block_on(async {
        let fetch = Fetch { url, target, sha256, trust };
        tokio::select! {
            fetched = download::fetch(&fetch, &witness, |news| show.tell(news)) => fetched,
            _ = tokio::signal::ctrl_c() => bail!("stopped; the same command goes on from here"),
        }
    });
    show.end();
    let Fetched { bytes, sha256, checked } = fetched?;
    let checked = match checked {
        Checked::ByUs => "its checksum is right",
        Checked::ByServer => "its checksum is the one that its server tells",
        Checked::Unverified => "its checksum is not known, so compare it yourself",
    };
    let place = from_home(&target.display().to_string(), home().as_deref());
    print(&format!("{name} is here: {}, {checked} (SHA-256 {sha256}); {place}\n", size(bytes)))?;
    Ok(Exit::Done)
}

/// A progress bar at a terminal, an occasional line elsewhere.
struct Show {
    bar: Option<ProgressBar>,
    name: String,
    tenth: u64,
    told: Instant,
}

/// Interval of the lines for a file of unknown size.
const PAUSE: Duration = Duration::from_secs(10);

impl Show {
    fn new(name: &Name) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            let style = "{msg} {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
            let bar = match ProgressStyle::with_template(style) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            };
            bar.with_message(name.to_string())
        });
        Self { bar, name: name.to_string(), tenth: 0, told: Instant::now() }
    }

    fn tell(&mut self, news: DownloadEvent) {
        let line = match news {
            DownloadEvent::At { bytes, of } => return self.at(bytes, of),
            DownloadEvent::GoesOn { bytes } => {
                // A resumed download starts from there; the part before must not count for the ETA.
                if let Some(bar) = &self.bar {
                    bar.set_position(bytes);
                    bar.reset_eta();
                }
                format!("goes on after {}", size(bytes))
            }
            DownloadEvent::StartsAgain => "the file over there is another one now; from the beginning".to_owned(),
            DownloadEvent::CutOff => "the connection was lost; once more".to_owned(),
            DownloadEvent::Unreached => "the server does not answer; once more".to_owned(),
            DownloadEvent::Checking => "comparing its checksum".to_owned(),
        };
        match &self.bar {
            Some(bar) => bar.println(format!("{}: {line}", self.name)),
            None => complain!("{}: {line}", self.name),
        }
    }

    fn at(&mut self, bytes: u64, of: Option<u64>) {
        if let Some(bar) = &self.bar {
            bar.set_length(of.unwrap_or(bytes));
            bar.set_position(bytes);
            return;
        }
        match of {
            Some(of) if of > 0 => {
                let tenth = bytes.saturating_mul(10) / of;
                if tenth > self.tenth {
                    self.tenth = tenth;
                    complain!("{}: {} % of {}", self.name, tenth * 10, size(of));
                }
            }
            Some(_) | None if self.told.elapsed() >= PAUSE => {
                self.told = Instant::now();
                complain!("{}: {}", self.name, size(bytes));
            }
            Some(_) | None => {}
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Records in the journal which server was asked for a file.
struct Account {
    journal: Journal,
    name: String,
}

struct Note {
    id: Id,
    left: Instant,
}

impl RequestRecorder for Account {
    type Note = Note;

    async fn leaves(&self, leaving: &OutboundRequest<'_>) -> Result<Note, Failure> {
        let OutboundRequest { address, model: _, body } = *leaving;
        let leaving =
            journal::OutboundRecord { purpose: "pull", provider: "download", model: &self.name, address, body };
        let id = self.journal.leaves(&leaving).map_err(|error| {
            Failure::Settings(format!("nothing is fetched, since what leaves cannot be written down: {error}"))
        })?;
        Ok(Note { id, left: Instant::now() })
    }

    fn ended(&self, Note { id, left }: Note, ended: &RequestEnd) {
        let RequestEnd { status, bytes, tokens_in: _, tokens_out: _, failure } = ended.clone();
        let ms = u64::try_from(left.elapsed().as_millis()).unwrap_or(u64::MAX);
        let failure = failure.map(|failure| failure.to_string()).unwrap_or_default();
        // The file is complete; a failed journal entry does not change that.
        let _ = self.journal.answered(id, Answer { status, bytes, ms, failure, ..Answer::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_model_is_known_by_its_name() {
        for (name, expected) in
            [("m-00001-of-00003", true), ("m-1-of-3", false), ("m", false), ("best-of-00003", false)]
        {
            assert_eq!(is_one_of_several(name), expected, "{name}");
        }
    }
}
