//! `aside daemon`: runs, starts, stops and shows the daemon.

use std::io::IsTerminal;
use std::time::Duration;

use aside_proto::Status;
use aside_text as text;
use serde::Serialize;

use crate::cli::{Exit, print, span};
use crate::daemon::{self, control};
use crate::paths::{self, Paths};

/// Cap on `start --after`.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Start, stop and look at the daemon
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Serve in the foreground until stopped
    Run {
        /// Leave the terminal first; used by `start`
        #[arg(long, hide = true)]
        detach: bool,
    },
    /// Start the daemon in the background; does nothing when it runs already
    Start {
        /// Print nothing
        #[arg(long)]
        quiet: bool,
        /// Wait this many seconds first; used by the plugins, which cannot
        #[arg(long, hide = true, value_name = "SECONDS", default_value_t = 0.0)]
        after: f64,
    },
    /// Stop the daemon; a command of a task that runs is ended. The next prompt starts it again: aside-off turns Aside off
    Stop,
    /// Say whether the daemon runs, and how it is
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    match args.action {
        Action::Run { detach } => serve(paths, detach),
        Action::Start { quiet, after } => {
            std::thread::sleep(Duration::try_from_secs_f64(after).unwrap_or_default().min(LONGEST_WAIT));
            if !quiet {
                paths::prepare_socket_dir(&paths.socket)?;
                paths.create_lock_file();
            } else if control::is_unwanted(&paths) {
                // The plugin reads this and unloads itself.
                print("uninstalled\n")?;
            }
            start(&paths, quiet)
        }
        Action::Stop => {
            print(if control::stop(&paths)? { "stopped\n" } else { "the daemon is not running\n" })?;
            if std::io::stdout().is_terminal() {
                print("The next line that you type in a shell starts it again; aside-off turns Aside off there.\n")?;
            }
            Ok(Exit::Done)
        }
        Action::Status { json } => status(&paths, json),
    }
}

fn serve(paths: Paths, detach: bool) -> anyhow::Result<Exit> {
    if detach {
        // A session of its own: a closed terminal or a signal to the shell's group does not reach the daemon.
        let _ = rustix::process::setsid();
    }
    // Otherwise the directory it was started from could not be unmounted.
    let _ = std::env::set_current_dir("/");
    let socket = paths.socket.clone();
    match daemon::run(paths)? {
        daemon::Outcome::Ended => Ok(Exit::Done),
        daemon::Outcome::AlreadyRunning => {
            complain!("aside: a daemon is already running on {}", socket.display());
            Ok(Exit::Failed)
        }
    }
}

fn start(paths: &Paths, quiet: bool) -> anyhow::Result<Exit> {
    let running = control::status(paths).ok();
    let status = match &running {
        Some(status) => status.clone(),
        None => control::start(paths)?,
    };
    if !quiet {
        let how = if running.is_some() { "already running" } else { "started" };
        print(&format!("{how}, pid {}\n", status.pid))?;
    }
    Ok(Exit::Done)
}

fn status(paths: &Paths, json: bool) -> anyhow::Result<Exit> {
    let status = match control::status(paths) {
        Ok(status) => status,
        Err(error) if json => {
            print(&format!("{}\n", serde_json::json!({ "running": false, "error": error.to_string() })))?;
            return Ok(Exit::Unreachable);
        }
        Err(error) => {
            complain!("aside: {error}");
            return Ok(Exit::Unreachable);
        }
    };
    if json {
        let status = Running { running: true, status: &status };
        print(&crate::cli::json_lines(&status)?)?;
        return Ok(Exit::Done);
    }
    // A notice may quote a setting's key, and the socket's path may contain anything.
    print(&text::clean(&report(&status)))?;
    Ok(Exit::Done)
}

/// JSON with the same first field whether a daemon runs or not.
#[derive(Serialize)]
struct Running<'a> {
    running: bool,
    #[serde(flatten)]
    status: &'a Status,
}

fn report(status: &Status) -> String {
    let Status { pid, version, uptime_s, socket, history, sessions, rss_kb, notices, .. } = status;
    let loading = if history.loading { ", still reading" } else { "" };
    let mut text = format!(
        "running   pid {pid}, version {version}, for {}\n\
         socket    {socket}\n\
         history   {} records, {} commands{loading}\n\
         sessions  {}\n\
         memory    {:.1} MB\n",
        span(*uptime_s),
        history.records,
        history.commands,
        sessions.len(),
        *rss_kb as f64 / 1024.0,
    );
    if history.withheld > 0 {
        text.push_str(&format!("withheld  {} commands, each with what looked like a secret\n", history.withheld));
    }
    for notice in notices {
        text.push_str(&format!("notice    {} ago: {}\n", span(notice.s_ago), notice.text));
    }
    text
}
