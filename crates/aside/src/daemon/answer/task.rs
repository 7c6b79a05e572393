//! Handles `task`: requests, events and the user's decisions about proposals. Only translates between the wire and the task modules, which
//! decide what may happen.

use std::sync::Arc;
use std::time::Duration;

use aside_core::line::Dialect;
use aside_core::proto::Reply;
use aside_core::proto::task::{Brief, Op, Task, TaskEvent, Tasks};
use aside_core::task::deny::denied;
use aside_core::task::event::Id;
use aside_core::task::proposal::{Confine, Meta, Source, UserRequest};
use aside_core::task::route::{Options, applies};

use crate::bridge::web::session::Place;
use crate::daemon::disk;
use crate::daemon::later::{Later, Stream};
use crate::daemon::page::Page;
use crate::daemon::state::{Asker, State};
use crate::daemon::tasks::Trouble;
use crate::daemon::tasks::actor::{Said, Word};
use crate::daemon::tasks::desk::welcome::welcome;
use crate::daemon::tasks::rules;
use crate::provider::Privacy;
use crate::workspace::Workspace;

/// Tasks of a list for a client that gives no limit.
const SCREEN: usize = 50;
/// Minimum interval between two lists for a client that follows all tasks.
const PACE: Duration = Duration::from_millis(100);
/// Characters of the approver's name in the log.
const MAX_BY: usize = 100;
/// Cap on the names of open files that an editor sends.
const MAX_OPEN: usize = 50;
/// Cap on the environment variables taken over from a terminal.
const MAX_VARIABLES: usize = 4096;

pub async fn answer(state: &Arc<State>, mut asked: Task, privacy: Privacy, later: &Later) -> Reply {
    asked.private = privacy == Privacy::Private;
    match told(state, asked, later).await {
        Ok(tasks) => Reply::Task(Box::new(tasks)),
        Err(Trouble::Unknown) => Reply::error("not_found", "there is no such task; `aside task list` shows them"),
        Err(Trouble::Refused(why)) => Reply::error("refused", why),
        Err(Trouble::Broken(why)) => Reply::error("unavailable", why),
    }
}

/// Whether an operation is reserved to the user. A running command must not approve the next one, open the page that could, or create a
/// proposal that looks like the user's own request.
pub fn is_for_the_user(op: Op) -> bool {
    match op {
        Op::Ask | Op::Cancel | Op::Retry => true,
        Op::Approve | Op::Reject | Op::Edit | Op::Undo | Op::Page | Op::SignOut | Op::Pair | Op::Clean => true,
        Op::List | Op::Show | Op::Watch | Op::Follow | Op::Rules | Op::Welcome => false,
    }
}

async fn told(state: &Arc<State>, asked: Task, later: &Later) -> Result<Tasks, Trouble> {
    // Logs of earlier tasks can be cleaned also while tasks are turned off.
    if asked.op == Op::Clean {
        source(&asked).and_then(local)?;
        return Ok(Tasks { lines: state.tasks().clean().await?, ..Tasks::default() });
    }
    if !state.config().task.enabled {
        return Err(Trouble::Refused(
            "tasks are turned off; `aside config set task.enabled true` turns them on".to_owned(),
        ));
    }
    let tasks = state.tasks();
    match asked.op {
        Op::Ask => ask(state, asked).await,
        Op::List => {
            let limit = usize::try_from(asked.limit).unwrap_or(usize::MAX);
            let limit = if limit == 0 { SCREEN } else { limit };
            // A chat lists the tasks of one user: those of others are none of its business.
            if source(&asked)? != Source::LocalUi {
                let mut found = tasks.list(state, &asked.text, &asked.thread, usize::MAX).await;
                found.retain(|brief| brief.source == asked.source && brief.from_user == asked.from_user);
                found.truncate(limit);
                return Ok(Tasks { tasks: found, ..Tasks::default() });
            }
            Ok(Tasks { tasks: tasks.list(state, &asked.text, &asked.thread, limit).await, ..Tasks::default() })
        }
        Op::Follow => follow(state, &asked, later).await,
        Op::Rules => {
            let (paths, cwd) = (state.paths().clone(), asked.cwd.clone());
            let blocklist = state.config().security.command_blocklist.clone();
            let rules = disk::look(&asked.cwd, move || {
                let workspace = Workspace::of(std::path::Path::new(&cwd))?;
                let mut lines = vec![
                    format!("yours: {}", rules::of_person(&paths).display()),
                    format!("the repository's: {}", rules::of_repository(workspace.root()).display()),
                ];
                lines.extend(rules::load(&paths, workspace.root()).blocking(&blocklist).listed());
                anyhow::Ok(lines)
            });
            let lines = rules.await.flatten().map_err(|error| Trouble::Refused(format!("{error:#}")))?;
            Ok(Tasks { lines, ..Tasks::default() })
        }
        Op::Welcome => {
            let cwd = asked.cwd.clone();
            let workspace = disk::look(&asked.cwd, move || Workspace::of(std::path::Path::new(&cwd))).await.flatten();
            let workspace = workspace.map_err(|error| Trouble::Refused(format!("{error:#}")))?;
            let welcome = welcome(state, workspace, &asked.shell).await;
            Ok(Tasks { welcome: Some(welcome), ..Tasks::default() })
        }
        Op::Page => {
            source(&asked).and_then(local)?;
            let place = Place { cwd: asked.cwd, shell: asked.shell };
            let link = at_page(state, move |page| page.link(place)).await;
            let link = link.map_err(|error| Trouble::Broken(format!("{error:#}")))?;
            Ok(Tasks { lines: vec![link], ..Tasks::default() })
        }
        Op::SignOut => {
            source(&asked).and_then(local)?;
            let count = at_page(state, Page::sign_out).await.map_err(|error| Trouble::Broken(format!("{error:#}")))?;
            let line = match count {
                0 => "no browser was signed in".to_owned(),
                1 => "one browser is signed out".to_owned(),
                _ => format!("{count} browsers are signed out"),
            };
            Ok(Tasks { lines: vec![line], ..Tasks::default() })
        }
        Op::Pair => {
            source(&asked).and_then(local)?;
            let lines = state.remote().pair(&state.config(), &asked.text).map_err(Trouble::Refused)?;
            Ok(Tasks { lines, ..Tasks::default() })
        }
        Op::Watch => {
            let id = tasks.named(state, &asked.task).await?;
            let stream = later.stream().ok_or_else(|| Trouble::Refused("nobody listens".to_owned()))?;
            watch(state, &id, asked.from, stream).await?;
            one(state, &id).await
        }
        Op::Undo => {
            let id = tasks.named(state, &asked.task).await?;
            source(&asked).and_then(local)?;
            let line = tasks.undo(state, &id, &by(&asked)).await?;
            Ok(Tasks { lines: vec![line], ..one(state, &id).await? })
        }
        Op::Show | Op::Approve | Op::Reject | Op::Edit | Op::Cancel | Op::Retry | Op::Clean => {
            let id = tasks.named(state, &asked.task).await?;
            // A remote client may not touch a task that was requested here: a retry could run it.
            if matches!(asked.op, Op::Cancel | Op::Retry) && one(state, &id).await?.tasks.iter().any(is_from_here) {
                source(&asked).and_then(local)?;
            }
            say(state, &id, asked).await
        }
    }
}

/// Runs on a thread for file access, since the page stores its tabs in a file.
async fn at_page<T: Send + 'static>(
    state: &Arc<State>,
    act: impl FnOnce(&Page) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let page = Arc::clone(state);
    disk::look_at_file(&state.paths().page_state(), move || act(page.page())).await.flatten()
}

async fn ask(state: &Arc<State>, mut asked: Task) -> Result<Tasks, Trouble> {
    asked.session = state.session_called(&asked.session);
    if asked.text.trim().is_empty() {
        return Err(Trouble::Refused("say what you want: aside task run the tests".to_owned()));
    }
    let source = source(&asked)?;
    let settings = state.config();
    let options = Options { prefix: &settings.task.prefix, threshold: settings.task.confidence_threshold };
    if let Some(id) = applies(&asked.text, &options) {
        // Text never approves anything: the waiting proposal is shown again.
        let id = state.tasks().named(state, id).await?;
        return say(state, &id, Task { op: Op::Show, ..Task::default() }).await;
    }
    let (cwd, active) = (asked.cwd.clone(), asked.active.clone());
    let seen = disk::look(&asked.cwd, move || {
        let workspace = Workspace::of(std::path::Path::new(&cwd))?;
        let is_denied =
            denied(&active).is_some() || behind_links(&workspace, &active).is_some_and(|path| denied(&path).is_some());
        Ok((workspace, is_denied))
    });
    let (workspace, is_denied) = seen.await.flatten().map_err(|error| Trouble::Refused(format!("{error:#}")))?;
    let path = |path: &std::path::Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| Trouble::Refused("this directory has no UTF-8 name".to_owned()))
    };
    // The shell is fixed now: commands of the task are parsed in its dialect.
    let dialect = if asked.shell.is_empty() && asked.session.is_empty() {
        Dialect::of(&own_shell())
    } else {
        state.shell(Asker { session: &asked.session, shell: &asked.shell, wait: true }).1
    };
    // A selection in a file that no task may read is dropped.
    if is_denied {
        asked.selection.clear();
        asked.diagnostics.clear();
    }
    asked.open.truncate(MAX_OPEN);
    let meta = Meta {
        cwd: path(workspace.cwd())?,
        workspace: path(workspace.root())?,
        private: asked.private || state.is_private(&asked.session),
        untrusted: asked.untrusted,
        session: asked.session,
        shell: dialect.name().to_owned(),
        active: asked.active,
        active_line: asked.active_line,
        open: asked.open,
        selection: asked.selection,
        diagnostics: asked.diagnostics,
        continues: String::new(),
    };
    let from_user = Some(asked.from_user).filter(|user| !user.is_empty());
    let thread_id = match asked.thread {
        thread if !thread.is_empty() || !asked.goes_on || source != Source::LocalUi => thread,
        _ => state.tasks().thread_of(state, &meta.session, &meta.workspace).await.unwrap_or_default(),
    };
    let request = UserRequest { source, thread_id, from_user, text: asked.text, meta };
    let id = state.tasks().ask(state, request).await?;
    one(state, &id).await
}

/// Resolves links: the path from the workspace's root, or an absolute path outside it.
fn behind_links(workspace: &Workspace, file: &str) -> Option<String> {
    let path = std::fs::canonicalize(workspace.cwd().join(file)).ok()?;
    Some(path.strip_prefix(workspace.root()).unwrap_or(&path).to_string_lossy().into_owned())
}

async fn say(state: &Arc<State>, id: &Id, asked: Task) -> Result<Tasks, Trouble> {
    let from = source(&asked)?;
    if asked.environment.len() > MAX_VARIABLES {
        return Err(Trouble::Refused(format!("a command gets at most {MAX_VARIABLES} variables")));
    }
    let confine = match asked.confine.as_str() {
        "" => None,
        name => Some(Confine::of(name).ok_or_else(|| Trouble::Refused("confine is `no` or `workspace`".to_owned()))?),
    };
    let said = Said { step: asked.step, digest: asked.digest.clone(), from, by: by(&asked) };
    let word = || match asked.op {
        Op::Approve => Word::Approve { said: said.clone(), environment: asked.environment.clone() },
        Op::Reject => {
            let reason = Some(asked.text.clone()).filter(|reason| !reason.trim().is_empty());
            Word::Reject { said: said.clone(), reason }
        }
        Op::Edit => Word::Edit { said: said.clone(), text: asked.text.clone(), confine },
        Op::Cancel => Word::Cancel,
        Op::Retry => {
            let is_private = asked.private || state.is_private(&asked.session);
            Word::Retry { privacy: if is_private { Privacy::Private } else { Privacy::Open } }
        }
        _ => Word::Show,
    };
    let told = state.tasks().say(state, id, word).await?;
    Ok(Tasks { offer: told.offer.map(Box::new), ..one(state, id).await? })
}

async fn one(state: &Arc<State>, id: &Id) -> Result<Tasks, Trouble> {
    let brief = state.tasks().brief(state, id).await.ok_or(Trouble::Unknown)?;
    Ok(Tasks { tasks: vec![brief], ..Tasks::default() })
}

/// Sends every event after a number, then each new one. None is lost, however slowly the client reads.
async fn watch(state: &Arc<State>, id: &Id, from: u64, stream: &Stream) -> Result<(), Trouble> {
    let (mut reader, mut end) = state.tasks().watch(id, from).await?;
    let teller = stream.clone();
    stream.tell(async move {
        loop {
            let written = *end.borrow_and_update();
            loop {
                let read = tokio::task::spawn_blocking(move || {
                    let lines = reader.next(written);
                    (reader, lines)
                });
                let Ok((back, Ok(lines))) = read.await else { return };
                reader = back;
                if lines.is_empty() {
                    break;
                }
                for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    let Ok(event) = serde_json::from_slice(line) else { continue };
                    if !teller.put(Reply::TaskEvent(Box::new(TaskEvent { event }))).await {
                        return;
                    }
                }
            }
            if end.changed().await.is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Sends the list, and again whenever a task changes.
async fn follow(state: &Arc<State>, asked: &Task, later: &Later) -> Result<Tasks, Trouble> {
    let limit = usize::try_from(asked.limit).unwrap_or(usize::MAX);
    let limit = if limit == 0 { SCREEN } else { limit };
    let stream = later.stream().ok_or_else(|| Trouble::Refused("nobody listens".to_owned()))?;
    let mut moves = state.tasks().moves();
    let list =
        async |state: &Arc<State>| Tasks { tasks: state.tasks().list(state, "", "", limit).await, ..Tasks::default() };
    let first = list(state).await;
    let (teller, state) = (stream.clone(), Arc::clone(state));
    stream.tell(async move {
        while moves.changed().await.is_ok() {
            tokio::time::sleep(PACE).await;
            moves.borrow_and_update();
            let tasks = state.tasks().list(&state, "", "", limit).await;
            if !teller.put(Reply::Task(Box::new(Tasks { tasks, ..Tasks::default() }))).await {
                return;
            }
        }
    });
    Ok(first)
}

/// Who decided, for the log.
fn by(asked: &Task) -> String {
    match asked.by.chars().take(MAX_BY).collect::<String>() {
        nobody if nobody.is_empty() => "this machine".to_owned(),
        by => by,
    }
}

/// The user's login shell, as far as a daemon knows it.
fn own_shell() -> String {
    let shell = std::env::var("SHELL").unwrap_or_default();
    shell.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Where the request comes from. An unknown source is an error.
fn source(asked: &Task) -> Result<Source, Trouble> {
    match asked.source.as_str() {
        "" => Ok(Source::LocalUi),
        other => Source::of(other)
            .ok_or_else(|| Trouble::Refused(format!("unknown source {other:?}; it is local_ui, wecom or webhook"))),
    }
}

fn is_from_here(brief: &Brief) -> bool {
    brief.source == "local_ui"
}

fn local(source: Source) -> Result<(), Trouble> {
    match source {
        Source::LocalUi => Ok(()),
        Source::Wecom | Source::Webhook | Source::Relay => {
            Err(Trouble::Refused("that can be done at this machine only".to_owned()))
        }
    }
}
