//! `aside chat`: a conversation in full screen. `model` holds the state, `conversation_view` and `draw` its look, `screen` the terminal, and `event_loop` is
//! the event loop.

mod conversation_view;
mod diff_view;
mod draw;
mod event_loop;
mod input;
mod keys;
mod layout;
mod model;
mod rows;
mod screen;
mod signals;

use std::io::IsTerminal;

use aside_task::event::TaskId;

use crate::cli::chat::event_loop::EventLoop;
use crate::cli::chat::model::{Model, UserContext};
use crate::cli::chat::screen::Canvas;
use crate::cli::{Exit, current_dir, home, own_shell, paint, tasks, terminal};
use crate::client;
use crate::paths::Paths;

/// Have a conversation about this directory, on the whole screen
///
/// Ask for anything: an explanation, a change to files, a command. What would change something is shown in full first, and
/// happens only when you approve it. Tasks go on when you leave.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  aside chat                    a new conversation; Ctrl-T has the earlier ones
  aside chat --thread main      go on with one
  NO_COLOR=1 aside chat         without colours

F1 shows the keys.")]
pub struct Args {
    /// The conversation to go on with
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        complain!(
            "aside: a conversation needs a terminal; without one, `aside task --json` tells what becomes of a request"
        );
        return Ok(Exit::Usage);
    }
    if std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb") {
        complain!("aside: this terminal cannot show a whole screen; use `aside task`");
        return Ok(Exit::Usage);
    }
    let thread = args.thread.unwrap_or_default();
    if !thread.is_empty() && TaskId::of(&thread).is_none() {
        complain!(
            "aside: `{}` is not the name of a conversation; Ctrl-T in `aside chat` lists them",
            crate::cli::one_line(&thread)
        );
        return Ok(Exit::Usage);
    }
    let paths = Paths::from_env()?;
    let who = UserContext {
        by: terminal().map(|name| name.trim_start_matches("/dev/").to_owned()).unwrap_or_default(),
        cwd: current_dir()?,
        shell: own_shell(),
        private: client::is_private(),
        environment: environment(),
        home: home(),
    };
    // Connects before the screen is taken over, so that an error stays visible in the terminal.
    let tasks = tasks(&paths)?;
    let model = Model::new(who, thread, screen::size());
    EventLoop::new(&paths, model, Canvas::new(paint()), tasks)?.run()
}

/// The environment for commands approved here, as if they were typed here. Leaves out names and values that are not UTF-8.
fn environment() -> Vec<String> {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    variables.map(|(name, value)| format!("{name}={value}")).collect()
}
