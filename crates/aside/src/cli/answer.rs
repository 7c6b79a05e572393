//! `aside answer`: asks the daemon to answer prose, and shows the answer while it streams. For users, and for bash, which cannot listen to
//! the daemon itself. Runs nothing: a proposed command is only shown, or handed on.

mod render;

use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::Context;
use aside_proto::prose::{AskParams, AskResult};
use aside_proto::query::ReplyStage;
use aside_proto::{Failure, Reply, Request, json};
use aside_text::markdown::style;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Take};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use crate::cli::{Exit, Paint, current_dir, one_line, own_shell, paint, print};
use crate::client::{self, ClientError};
use crate::daemon::control;
use crate::paths::Paths;
use crate::screen::{Size, Surface};
use render::{AnswerRenderer, FinalOutput};

/// Cap on the prose read from standard input.
const MAX_INPUT: u64 = 64 * 1024;
/// Cap on the output that is read, from its end, where the error is.
const MAX_OUTPUT: i64 = 16 * 1024;
/// Cap on a reply.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;
/// Timeout for the daemon's first reply; later than that it hangs.
const PATIENCE: Duration = Duration::from_secs(5);
/// Timeout between replies. The daemon's own timeouts for a model are far shorter.
const SILENCE: Duration = Duration::from_secs(300);
/// How long to wait for the daemon to acknowledge a cancellation.
const FAREWELL: Duration = Duration::from_millis(500);

/// Answer a sentence, with a command where there is one
///
/// Nothing is run. Ctrl-C stops the answer. Options go before the words.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  aside answer why is my disk full
  make deploy 2>errors || aside answer --exit $? --output-file errors -- make deploy")]
pub struct Args {
    /// The sentence was run as a command, and ended with this
    #[arg(long, value_name = "N", default_value_t = 0)]
    exit: i32,
    /// What it printed then
    #[arg(long, value_name = "FILE")]
    output_file: Option<std::path::PathBuf>,
    /// Why it was taken for a sentence, for `aside log`
    #[arg(long, value_name = "WORDS", default_value = "")]
    reason: String,
    /// The shell whose language commands are to be in
    #[arg(long, value_name = "SHELL", value_parser = ["zsh", "bash", "fish"])]
    shell: Option<String>,
    /// The shell that asks, whose conversation this goes on with
    #[arg(long, value_name = "ID", default_value = "")]
    session: String,
    /// That shell's number for the sentence; the same again goes on listening
    #[arg(long, value_name = "N", default_value_t = 0)]
    number: u64,
    /// No colours, and nothing that changes on the screen
    #[arg(long)]
    plain: bool,
    /// Print JSON: a line for each time that more was said
    #[arg(long, conflicts_with = "plain")]
    json: bool,
    /// Write the command to this descriptor too, for a shell that has a key to take it
    #[arg(long, value_name = "N", hide = true)]
    proposal_fd: Option<u32>,
    /// What that key is, to be said beside the command
    #[arg(long, value_name = "WORDS", default_value = "", hide = true)]
    hint: String,
    /// The sentence; read from standard input when absent
    #[arg(trailing_var_arg = true)]
    words: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let words = if args.words.is_empty() && !std::io::stdin().is_terminal() {
        let mut input = Vec::new();
        std::io::stdin().take(MAX_INPUT).read_to_end(&mut input)?;
        String::from_utf8_lossy(&input).trim().to_owned()
    } else {
        args.words.join(" ").trim().to_owned()
    };
    if words.is_empty() {
        complain!("aside: say something: aside answer why is my disk full");
        return Ok(Exit::Usage);
    }
    let hands = args.proposal_fd.map(descriptor).transpose()?;
    let ask = AskParams {
        session: args.session,
        cwd: current_dir()?,
        query: words,
        shell: args.shell.unwrap_or_else(own_shell),
        number: args.number,
        width: u32::try_from(Size::here().columns).unwrap_or(u32::MAX),
        wait: false,
        private: client::is_private(),
        exit: args.exit,
        output: args.output_file.as_deref().map(end_of).transpose()?.unwrap_or_default(),
        reason: args.reason,
    };
    let stream = match connect() {
        Ok(stream) => stream,
        Err(error) => {
            complain!("aside: {error:#}");
            return Ok(Exit::Unreachable);
        }
    };
    let form = if args.json { Form::Json } else { Form::Shown(shows(args.plain, args.hint)) };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start the runtime")?;
    runtime.block_on(listen(stream, ask, form, hands))
}

/// How the answer is written.
enum Form {
    Shown(AnswerRenderer),
    Json,
}

fn shows(plain: bool, hint: String) -> AnswerRenderer {
    let can_move = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    let surface =
        if std::io::stdout().is_terminal() && can_move && !plain { Surface::Terminal } else { Surface::Paper };
    AnswerRenderer::new(surface, if plain { Paint::Plain } else { paint() }, hint)
}

/// Connects to the daemon, and starts it when there is none.
fn connect() -> anyhow::Result<UnixStream> {
    let paths = Paths::from_env()?;
    match client::connect(&paths.socket) {
        Err(ClientError::Absent) => {
            control::start(&paths)?;
            Ok(client::connect(&paths.socket)?)
        }
        connected => Ok(connected?),
    }
}

async fn listen(stream: UnixStream, ask: AskParams, mut form: Form, hands: Option<File>) -> anyhow::Result<Exit> {
    let mut interrupt = signal(SignalKind::interrupt()).context("could not listen for Ctrl-C")?;
    let mut talk = Talk::begin(stream, &ask).await?;
    if let Form::Shown(show) = &mut form {
        write(&show.thinks(Size::here()))?;
    }
    let mut patience = PATIENCE;
    loop {
        let heard = tokio::select! {
            heard = timeout(patience, talk.next_reply()) => heard,
            _ = interrupt.recv() => {
                talk.stops(ask).await;
                if let Form::Shown(show) = &mut form {
                    write(&show.stops(Size::here()))?;
                }
                return Ok(Exit::Stopped);
            }
        };
        patience = SILENCE;
        let failure = match heard {
            Ok(Ok(Some(Reply::Said(said)))) => match tell(&mut form, &said)? {
                Some(exit) => {
                    hand_on(hands, &said)?;
                    return Ok(exit);
                }
                None => continue,
            },
            Ok(Ok(Some(Reply::Error(Failure { error })))) => error.message,
            Ok(Ok(Some(_))) => continue,
            Ok(Ok(None)) => "the daemon ended before the answer did; ask again".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => ClientError::Silent.to_string(),
        };
        if let Form::Shown(show) = &mut form {
            write(&show.stops(Size::here()))?;
        }
        complain!("aside: {}", one_line(&failure));
        return Ok(Exit::Failed);
    }
}

/// Shows a reply. Returns the exit status once the answer is complete.
fn tell(form: &mut Form, said: &AskResult) -> anyhow::Result<Option<Exit>> {
    let is_done = said.state == ReplyStage::Done;
    match form {
        Form::Json => write(&crate::cli::json_line(&unmarked(said))?)?,
        Form::Shown(show) if is_done => {
            let FinalOutput { shown, remarks } = show.ends(said, Size::here());
            write(&shown)?;
            for remark in remarks {
                complain!("aside: {remark}");
            }
        }
        Form::Shown(show) => write(&show.goes_on(said, Size::here()))?,
    }
    let says_something = !said.rows.is_empty() || !said.tail.is_empty() || !said.proposal.is_empty();
    Ok(is_done.then_some(if says_something { Exit::Done } else { Exit::Failed }))
}

/// Removes markup: a program does not need it.
fn unmarked(said: &AskResult) -> AskResult {
    let plain = |rows: &[String]| rows.iter().map(|row| style::paint(row, style::ColorMode::Plain)).collect();
    AskResult { rows: plain(&said.rows), tail: plain(&said.tail), ..said.clone() }
}

/// Writes the command alone, on one line.
fn hand_on(hands: Option<File>, said: &AskResult) -> anyhow::Result<()> {
    match hands {
        Some(mut file) if !said.proposal.is_empty() => {
            writeln!(file, "{}", one_line(&said.proposal)).context("could not hand on the command")
        }
        Some(_) | None => Ok(()),
    }
}

fn descriptor(number: u32) -> anyhow::Result<File> {
    let path = format!("/dev/fd/{number}");
    OpenOptions::new().write(true).open(path).with_context(|| format!("could not write to descriptor {number}"))
}

fn end_of(path: &std::path::Path) -> anyhow::Result<String> {
    let read = || {
        let mut file = File::open(path)?;
        // A pipe has length 0 and cannot seek.
        if file.metadata()?.len() > MAX_OUTPUT.unsigned_abs() {
            file.seek(SeekFrom::End(-MAX_OUTPUT))?;
        }
        let mut bytes = Vec::new();
        file.take(MAX_OUTPUT.unsigned_abs()).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().with_context(|| format!("could not read {}", path.display()))
}

/// Flushes at once, since a line that is still streaming has no newline.
fn write(text: &str) -> anyhow::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    print(text)?;
    Ok(std::io::stdout().flush()?)
}

/// One question to the daemon, and all of its replies.
struct Talk {
    answers: BufReader<Take<OwnedReadHalf>>,
    asks: OwnedWriteHalf,
    /// The bytes received of an incomplete reply.
    part: Vec<u8>,
}

impl Talk {
    async fn begin(stream: UnixStream, ask: &AskParams) -> anyhow::Result<Self> {
        stream.set_nonblocking(true).context("could not wait for the daemon")?;
        let stream = tokio::net::UnixStream::from_std(stream).context("could not wait for the daemon")?;
        let (answers, asks) = stream.into_split();
        let mut talk = Self { answers: BufReader::new(answers.take(MAX_ANSWER)), asks, part: Vec::new() };
        talk.asks(1, ask.clone()).await.map_err(|_| ClientError::Silent)?;
        Ok(talk)
    }

    async fn asks(&mut self, id: u64, ask: AskParams) -> std::io::Result<()> {
        self.asks.write_all(&json::encode_call(&client::call(id, Request::Ask(ask)))).await
    }

    /// `None` when the daemon has closed the connection. Cancel-safe: bytes received so far are kept.
    async fn next_reply(&mut self) -> Result<Option<Reply>, ClientError> {
        self.answers.get_mut().set_limit(MAX_ANSWER);
        let read = self.answers.read_until(b'\n', &mut self.part).await;
        if read.is_err() || self.part.last() != Some(&b'\n') {
            return Ok(None);
        }
        Ok(Some(client::decode(&std::mem::take(&mut self.part))?.reply))
    }

    /// Cancels the question, and waits for the daemon's acknowledgement.
    async fn stops(&mut self, ask: AskParams) {
        let farewell = async {
            let ask = AskParams { query: String::new(), output: String::new(), ..ask };
            if self.asks(2, ask).await.is_ok() {
                while let Ok(Some(Reply::Said(said))) = self.next_reply().await {
                    if said.state == ReplyStage::Done {
                        break;
                    }
                }
            }
        };
        // Gives up on a daemon that hangs.
        let _ = timeout(FAREWELL, farewell).await;
    }
}
