//! `aside task`: a request in plain words, its result, and the user's answer to it. The daemon decides what may happen; this asks, shows,
//! and passes on a key that was pressed in front of the whole proposal.

mod approval_prompt;
mod diff;
mod edit;
mod keys;
mod list;
mod output;
mod proposal;
pub mod request_or_command;
mod request_text;
mod route;
mod session;
mod signals;
mod style;
pub mod view;

use aside_proto::task::{TaskOp, TaskParams};
use clap::Subcommand;

use crate::cli::{Exit, current_dir, one_line, own_shell, session, tasks};
use crate::client;
use crate::client::tasks::{TaskError, Tasks};
use crate::paths::Paths;
use session::{OutputFormat, Session, StopCondition};

/// Have something done: it is proposed first, and you approve it
///
/// The answer is shown as it comes. A command or a change to files is shown whole, and is carried out when you press y in front of it: no
/// option and no pipe can do that. Only what your approval rules allow runs unasked. What is piped in becomes part of the request.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true, after_help = AFTER_HELP)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print every event as a line of JSON, and approve nothing
    #[arg(long)]
    json: bool,
    /// Begin a conversation: what was asked in this shell before is not meant
    #[arg(long)]
    new: bool,
    /// The request; behind -- where it could be taken for one of the commands
    #[arg(trailing_var_arg = true, value_name = "WORDS")]
    words: Vec<String>,
}

const AFTER_HELP: &str = "\
Examples:
  aside task run the tests
  aside task \"list the files that mention frobnicate\"
  make 2>&1 | aside task why did this fail

Exit codes:
  0    done
  1    it failed
  2    the command line is wrong
  3    the daemon could not be reached
  4    nothing was carried out: it waits for you, or was rejected
  130  stopped with Ctrl-C";

#[derive(Subcommand)]
enum Command {
    /// List tasks, the newest first
    List {
        /// All of them, not only the newest 50
        #[arg(long)]
        all: bool,
        /// Print a JSON array
        #[arg(long)]
        json: bool,
        /// Only those that have all of these words
        #[arg(long, value_name = "WORDS", num_args = 1..)]
        find: Vec<String>,
    },
    /// Show all of a task, and ask if it waits for you
    Show {
        #[arg(value_name = "ID", default_value = "", hide_default_value = true, help = ID)]
        id: String,
        /// Print every event so far as a line of JSON, and ask nothing
        #[arg(long)]
        json: bool,
    },
    /// Show a task as it goes on, until it ends
    ///
    /// Ctrl-C stops watching, not the task.
    Watch {
        #[arg(value_name = "ID", default_value = "", hide_default_value = true, help = ID)]
        id: String,
        /// Begin behind this event
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        from: u64,
        /// Print every event as a line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Stop a task
    Cancel {
        #[arg(value_name = "ID", default_value = "", hide_default_value = true, help = ID)]
        id: String,
        /// Dismiss all proposals that wait for you
        #[arg(long, conflicts_with = "id")]
        waiting: bool,
    },
    /// Try a task again that has ended
    Retry {
        #[arg(value_name = "ID", default_value = "", hide_default_value = true, help = ID)]
        id: String,
        /// Print every event as a line of JSON, and approve nothing
        #[arg(long)]
        json: bool,
    },
    /// Undo what a task wrote
    Undo {
        #[arg(value_name = "ID", default_value = "", hide_default_value = true, help = CHANGED)]
        id: String,
    },
    /// Say which commands need no approval here, and which are never run
    Rules {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Say what a request wants, and do nothing
    Route {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// The request
        #[arg(required = true, trailing_var_arg = true, value_name = "WORDS")]
        words: Vec<String>,
    },
}

impl Command {
    /// The action and the task's id.
    fn about(&self) -> Option<(&'static str, &str)> {
        match self {
            Command::Show { id, .. } => Some(("show", id)),
            Command::Watch { id, .. } => Some(("watch", id)),
            Command::Cancel { id, .. } => Some(("cancel", id)),
            Command::Retry { id, .. } => Some(("retry", id)),
            Command::Undo { id } => Some(("undo", id)),
            Command::List { .. } | Command::Rules { .. } | Command::Route { .. } => None,
        }
    }
}

const CHANGED: &str = "Its name, or how that begins; when absent, the newest that changed files here";
const ID: &str = "Its name, or how that begins; the newest when absent";

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let Args { command, json, new, words } = args;
    let command = match command {
        Some(Command::Route { json, words }) => return route::run(&words, json),
        Some(command) => command,
        None => return ask(&words, form(json), if new { Begins::Anew } else { Begins::There }),
    };
    let paths = Paths::from_env()?;
    let Some(mut tasks) = connect(&paths) else { return Ok(Exit::Unreachable) };
    if let Some((verb, id)) = command.about().filter(|(_, id)| !id.is_empty())
        && let Err(trouble @ TaskError::Refused(_)) = tasks.call(named(TaskOp::Show, id.to_owned()))
    {
        said(&trouble)?;
        if let Some(otherwise) = request_or_command::did_you_mean(verb, id) {
            complain!("aside: as a request in words: {otherwise}");
        }
        return Ok(Exit::Usage);
    }
    match command {
        Command::List { all, json, find } => told(list::list(&mut tasks, &find.join(" "), all, json)),
        Command::Rules { json } => told(list::rules(&mut tasks, json)),
        Command::Undo { id } => told(list::undo(&mut tasks, id)),
        Command::Cancel { waiting: true, .. } => told(list::dismiss(&mut tasks)),
        Command::Cancel { id, .. } => told(list::cancel(&mut tasks, id)),
        Command::Show { id, json } => goes_on(&paths, tasks, named(TaskOp::Show, id), form(json), StopCondition::Shown),
        Command::Watch { id, from, json } => {
            let task = TaskParams { from, ..named(TaskOp::Show, id) };
            goes_on(&paths, tasks, task, form(json), StopCondition::Ended)
        }
        Command::Retry { id, json } => {
            // Shows only new events: the earlier ones were shown before.
            let from = match tasks.call(named(TaskOp::Show, id.clone())) {
                Ok(told) => told.tasks.first().map_or(0, |brief| brief.seq),
                Err(trouble) => return said(&trouble),
            };
            goes_on(&paths, tasks, TaskParams { from, ..named(TaskOp::Retry, id) }, form(json), StopCondition::Answered)
        }
        Command::Route { .. } => Ok(Exit::Usage),
    }
}

/// Which conversation a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begins {
    /// The conversation of this shell.
    There,
    Anew,
}

fn ask(words: &[String], form: OutputFormat, begins: Begins) -> anyhow::Result<Exit> {
    let Some(text) = request_text::request(words)? else {
        complain!("aside: say what you want: aside task run the tests");
        return Ok(Exit::Usage);
    };
    let paths = Paths::from_env()?;
    let Some(tasks) = connect(&paths) else { return Ok(Exit::Unreachable) };
    let task = TaskParams {
        op: TaskOp::Ask,
        text,
        cwd: current_dir()?,
        session: session(),
        goes_on: begins == Begins::There,
        shell: own_shell(),
        private: client::is_private(),
        ..TaskParams::default()
    };
    goes_on(&paths, tasks, task, form, StopCondition::Answered)
}

/// Sends the request, and shows its events.
fn goes_on(
    paths: &Paths,
    mut tasks: Tasks,
    task: TaskParams,
    form: OutputFormat,
    until: StopCondition,
) -> anyhow::Result<Exit> {
    let from = task.from;
    let brief = match tasks.call(task) {
        Ok(told) => told.tasks.into_iter().next(),
        Err(trouble) => return said(&trouble),
    };
    match brief {
        Some(brief) => Session::begin(paths, tasks, &brief.task_id, from, form, until)?.run(),
        None => anyhow::bail!("the daemon knows nothing of the task; restart it"),
    }
}

fn connect(paths: &Paths) -> Option<Tasks> {
    tasks(paths).map_err(|error| complain!("aside: {error:#}")).ok()
}

fn told(outcome: Result<(), list::Error>) -> anyhow::Result<Exit> {
    match outcome {
        Ok(()) => Ok(Exit::Done),
        Err(list::Error::Trouble(trouble)) => said(&trouble),
        Err(list::Error::Print(error)) => Err(error),
    }
}

/// Prints why the daemon refuses or fails.
fn said(trouble: &TaskError) -> anyhow::Result<Exit> {
    complain!("aside: {}", one_line(&trouble.to_string()));
    Ok(match trouble {
        TaskError::Refused(_) => Exit::Failed,
        TaskError::Lost(_) => Exit::Unreachable,
    })
}

fn named(op: TaskOp, id: String) -> TaskParams {
    TaskParams { op, task: id, ..TaskParams::default() }
}

fn form(json: bool) -> OutputFormat {
    if json { OutputFormat::Json } else { OutputFormat::Shown }
}
