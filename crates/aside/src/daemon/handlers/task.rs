//! Handles `task`: requests, events and the user's decisions about proposals. Only translates between the wire and the task modules, which
//! decide what may happen.

use std::sync::Arc;
use std::time::Duration;

use aside_proto::Reply;
use aside_proto::task::{TaskBrief, TaskEvent, TaskList, TaskOp, TaskParams};
use aside_task::denied_files::denied;
use aside_task::event::TaskId;
use aside_task::proposal::{RequestMeta, RequestSource, UserRequest, WriteConfinement};
use aside_task::remote::meant::newest_and_open;
use aside_task::route::{RouteOptions, applies};
use shell_line::Dialect;

use crate::bridge::web::session::PageContext;
use crate::daemon::blocking_io;
use crate::daemon::state::{SessionRef, State};
use crate::daemon::tasks::TaskError;
use crate::daemon::tasks::actor::message::{UserCommand, Vote};
use crate::daemon::tasks::attempt::welcome::welcome;
use crate::daemon::tasks::rules;
use crate::daemon::tasks::summary::SearchedWords;
use crate::daemon::updates::{ReplyStream, Updates};
use crate::daemon::web_page::WebPage;
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

pub async fn handle(state: &Arc<State>, mut asked: TaskParams, privacy: Privacy, updates: &Updates) -> Reply {
    asked.private = privacy == Privacy::Private;
    match told(state, asked, updates).await {
        Ok(tasks) => Reply::Task(Box::new(tasks)),
        Err(TaskError::Unknown) => Reply::error("not_found", "there is no such task; `aside task list` shows them"),
        Err(TaskError::Refused(why)) => Reply::error("refused", why),
        Err(TaskError::Broken(why)) => Reply::error("unavailable", why),
    }
}

/// Whether an operation is reserved to the user. A running command must not approve the next one, open the page that could, or create a
/// proposal that looks like the user's own request.
pub fn is_for_the_user(op: TaskOp) -> bool {
    match op {
        TaskOp::Ask | TaskOp::Cancel | TaskOp::Retry => true,
        TaskOp::Approve
        | TaskOp::Reject
        | TaskOp::Edit
        | TaskOp::Undo
        | TaskOp::Page
        | TaskOp::SignOut
        | TaskOp::Pair
        | TaskOp::Clean => true,
        TaskOp::List | TaskOp::Show | TaskOp::Watch | TaskOp::Follow | TaskOp::Rules | TaskOp::Welcome => false,
    }
}

async fn told(state: &Arc<State>, asked: TaskParams, updates: &Updates) -> Result<TaskList, TaskError> {
    // Logs of earlier tasks can be cleaned also while tasks are turned off.
    if asked.op == TaskOp::Clean {
        source(&asked).and_then(local)?;
        return Ok(TaskList { lines: state.tasks().clean().await?, ..TaskList::default() });
    }
    if !state.config().task.enabled {
        return Err(TaskError::Refused(
            "tasks are turned off; `aside config set task.enabled true` turns them on".to_owned(),
        ));
    }
    let tasks = state.tasks();
    match asked.op {
        TaskOp::Ask => ask(state, asked).await,
        TaskOp::List => {
            let words = SearchedWords::of(&asked.text).map_err(TaskError::Refused)?;
            let limit = usize::try_from(asked.limit).unwrap_or(usize::MAX);
            let limit = if limit == 0 { SCREEN } else { limit };
            // A chat lists the tasks of one user: those of others are none of its business.
            if source(&asked)? != RequestSource::LocalUi {
                let mut found = tasks.list(state, &words, &asked.thread, usize::MAX).await;
                found.retain(|brief| is_of(brief, &asked));
                newest_and_open(&mut found, limit);
                return Ok(TaskList { tasks: found, ..TaskList::default() });
            }
            Ok(TaskList { tasks: tasks.list(state, &words, &asked.thread, limit).await, ..TaskList::default() })
        }
        TaskOp::Follow => follow(state, &asked, updates).await,
        TaskOp::Rules => Ok(TaskList { lines: rules(state, &asked.cwd).await?, ..TaskList::default() }),
        TaskOp::Welcome => {
            let cwd = asked.cwd.clone();
            let workspace =
                blocking_io::run(&asked.cwd, move || Workspace::of(std::path::Path::new(&cwd))).await.flatten();
            let workspace = workspace.map_err(|error| TaskError::Refused(format!("{error:#}")))?;
            let welcome = welcome(state, workspace, &asked.shell).await;
            Ok(TaskList { welcome: Some(welcome), ..TaskList::default() })
        }
        TaskOp::Page => {
            source(&asked).and_then(local)?;
            let place = PageContext { cwd: asked.cwd, shell: asked.shell };
            let link = at_page(state, move |page| page.link(place)).await;
            let link = link.map_err(|error| TaskError::Broken(format!("{error:#}")))?;
            Ok(TaskList { lines: vec![link], ..TaskList::default() })
        }
        TaskOp::SignOut => {
            source(&asked).and_then(local)?;
            let count =
                at_page(state, WebPage::sign_out).await.map_err(|error| TaskError::Broken(format!("{error:#}")))?;
            let line = match count {
                0 => "no browser was signed in".to_owned(),
                1 => "one browser is signed out".to_owned(),
                _ => format!("{count} browsers are signed out"),
            };
            Ok(TaskList { lines: vec![line], ..TaskList::default() })
        }
        TaskOp::Pair => {
            source(&asked).and_then(local)?;
            let lines = state.remote().pair(&state.config(), &asked.text).map_err(TaskError::Refused)?;
            Ok(TaskList { lines, ..TaskList::default() })
        }
        TaskOp::Watch => {
            let id = theirs(state, &asked, &asked.task).await?;
            let stream = updates.stream().ok_or_else(|| TaskError::Refused("no client listens".to_owned()))?;
            watch(state, &id, asked.from, stream).await?;
            one(state, &id).await
        }
        // "The newest" could be a change of another directory, so a client says which.
        TaskOp::Undo if asked.task.trim().is_empty() => {
            Err(TaskError::Refused("say which task is to be undone".to_owned()))
        }
        TaskOp::Undo => {
            let id = tasks.named(state, &asked.task).await?;
            source(&asked).and_then(local)?;
            let line = tasks.undo(state, &id, &by(&asked)).await?;
            Ok(TaskList { lines: vec![line], ..one(state, &id).await? })
        }
        TaskOp::Show
        | TaskOp::Approve
        | TaskOp::Reject
        | TaskOp::Edit
        | TaskOp::Cancel
        | TaskOp::Retry
        | TaskOp::Clean => {
            let id = match asked.op {
                TaskOp::Show | TaskOp::Cancel | TaskOp::Retry => theirs(state, &asked, &asked.task).await?,
                // The gate refuses a remote answer to any task.
                _ => tasks.named(state, &asked.task).await?,
            };
            send(state, &id, asked).await
        }
    }
}

/// Where the rules are, and all of them, as they apply in a directory.
async fn rules(state: &Arc<State>, cwd: &str) -> Result<Vec<String>, TaskError> {
    let (paths, directory) = (state.paths().clone(), cwd.to_owned());
    let blocklist = state.config().security.command_blocklist.clone();
    let lines = blocking_io::run(cwd, move || {
        let workspace = Workspace::of(std::path::Path::new(&directory))?;
        let mut lines = vec![
            format!("yours: {}", rules::of_person(&paths).display()),
            format!("the repository's: {}", rules::of_repository(workspace.root()).display()),
        ];
        lines.extend(rules::load(&paths, workspace.root()).blocking(&blocklist).listed());
        anyhow::Ok(lines)
    });
    lines.await.flatten().map_err(|error| TaskError::Refused(format!("{error:#}")))
}

/// Runs on a thread for file access, since the page stores its tabs in a file.
async fn at_page<T: Send + 'static>(
    state: &Arc<State>,
    act: impl FnOnce(&WebPage) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let page = Arc::clone(state);
    blocking_io::run_at_file(&state.paths().page_state(), move || act(page.page())).await.flatten()
}

async fn ask(state: &Arc<State>, mut asked: TaskParams) -> Result<TaskList, TaskError> {
    asked.session = state.session_called(&asked.session);
    if asked.text.trim().is_empty() {
        return Err(TaskError::Refused("say what you want: aside task run the tests".to_owned()));
    }
    let source = source(&asked)?;
    let settings = state.config();
    let options = RouteOptions { prefix: &settings.task.prefix, threshold: settings.task.confidence_threshold };
    if let Some(id) = applies(&asked.text, &options) {
        // Text never approves anything: the waiting proposal is shown again.
        let id = theirs(state, &asked, id).await?;
        return send(state, &id, TaskParams { op: TaskOp::Show, ..TaskParams::default() }).await;
    }
    let (cwd, active) = (asked.cwd.clone(), asked.active.clone());
    let seen = blocking_io::run(&asked.cwd, move || {
        let workspace = Workspace::of(std::path::Path::new(&cwd))?;
        let is_denied =
            denied(&active).is_some() || behind_links(&workspace, &active).is_some_and(|path| denied(&path).is_some());
        Ok((workspace, is_denied))
    });
    let (workspace, is_denied) = seen.await.flatten().map_err(|error| TaskError::Refused(format!("{error:#}")))?;
    let path = |path: &std::path::Path| {
        path.to_str()
            .map(str::to_owned)
            .ok_or_else(|| TaskError::Refused("this directory has no UTF-8 name".to_owned()))
    };
    // The shell is fixed now: commands of the task are parsed in its dialect.
    let dialect = if asked.shell.is_empty() && asked.session.is_empty() {
        Dialect::of(&own_shell())
    } else {
        state.shell(SessionRef { session: &asked.session, shell: &asked.shell, wait: true }).1
    };
    // A selection in a file that no task may read is dropped.
    if is_denied {
        asked.selection.clear();
        asked.diagnostics.clear();
    }
    asked.open.truncate(MAX_OPEN);
    let meta = RequestMeta {
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
        thread if !thread.is_empty() || !asked.goes_on || source != RequestSource::LocalUi => thread,
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

async fn send(state: &Arc<State>, id: &TaskId, asked: TaskParams) -> Result<TaskList, TaskError> {
    let from = source(&asked)?;
    if asked.environment.len() > MAX_VARIABLES {
        return Err(TaskError::Refused(format!("a command gets at most {MAX_VARIABLES} variables")));
    }
    let confine = match asked.confine.as_str() {
        "" => None,
        name => Some(
            WriteConfinement::of(name)
                .ok_or_else(|| TaskError::Refused("confine is `no` or `workspace`".to_owned()))?,
        ),
    };
    let vote = Vote { step: asked.step, digest: asked.digest.clone(), from, by: by(&asked) };
    let word = || match asked.op {
        TaskOp::Approve => UserCommand::Approve { vote: vote.clone(), environment: asked.environment.clone() },
        TaskOp::Reject => {
            let reason = Some(asked.text.clone()).filter(|reason| !reason.trim().is_empty());
            UserCommand::Reject { vote: vote.clone(), reason }
        }
        TaskOp::Edit => UserCommand::Edit { vote: vote.clone(), text: asked.text.clone(), confine },
        TaskOp::Cancel => UserCommand::Cancel,
        TaskOp::Retry => {
            let is_private = asked.private || state.is_private(&asked.session);
            UserCommand::Retry { privacy: if is_private { Privacy::Private } else { Privacy::Open } }
        }
        _ => UserCommand::Show,
    };
    let told = state.tasks().send(state, id, word).await?;
    Ok(TaskList { offer: told.offer.map(Box::new), ..one(state, id).await? })
}

async fn one(state: &Arc<State>, id: &TaskId) -> Result<TaskList, TaskError> {
    let brief = state.tasks().brief(state, id).await.ok_or(TaskError::Unknown)?;
    Ok(TaskList { tasks: vec![brief], ..TaskList::default() })
}

/// Sends every event after a number, then each new one. None is lost, however slowly the client reads.
async fn watch(state: &Arc<State>, id: &TaskId, from: u64, stream: &ReplyStream) -> Result<(), TaskError> {
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
async fn follow(state: &Arc<State>, asked: &TaskParams, updates: &Updates) -> Result<TaskList, TaskError> {
    let limit = usize::try_from(asked.limit).unwrap_or(usize::MAX);
    let limit = if limit == 0 { SCREEN } else { limit };
    let stream = updates.stream().ok_or_else(|| TaskError::Refused("no client listens".to_owned()))?;
    let mut moves = state.tasks().moves();
    let list = async |state: &Arc<State>| TaskList {
        tasks: state.tasks().list(state, &SearchedWords::default(), "", limit).await,
        ..TaskList::default()
    };
    let first = list(state).await;
    let (teller, state) = (stream.clone(), Arc::clone(state));
    stream.tell(async move {
        while moves.changed().await.is_ok() {
            tokio::time::sleep(PACE).await;
            moves.borrow_and_update();
            let tasks = state.tasks().list(&state, &SearchedWords::default(), "", limit).await;
            if !teller.put(Reply::Task(Box::new(TaskList { tasks, ..TaskList::default() }))).await {
                return;
            }
        }
    });
    Ok(first)
}

/// Who decided, for the log.
fn by(asked: &TaskParams) -> String {
    match asked.by.chars().take(MAX_BY).collect::<String>() {
        by if by.is_empty() => "this machine".to_owned(),
        by => by,
    }
}

/// The user's login shell, as far as a daemon knows it.
fn own_shell() -> String {
    let shell = std::env::var("SHELL").unwrap_or_default();
    shell.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Where the request comes from. An unknown source is an error.
fn source(asked: &TaskParams) -> Result<RequestSource, TaskError> {
    match asked.source.as_str() {
        "" => Ok(RequestSource::LocalUi),
        other => RequestSource::of(other)
            .ok_or_else(|| TaskError::Refused(format!("unknown source {other:?}; it is local_ui, wecom or webhook"))),
    }
}

/// The task that a name means. A remote client sees, stops and retries the tasks of its user alone: others are as good as none, and their
/// names are not told either.
async fn theirs(state: &Arc<State>, asked: &TaskParams, name: &str) -> Result<TaskId, TaskError> {
    if source(asked)? == RequestSource::LocalUi {
        return state.tasks().named(state, name).await;
    }
    let own = state.tasks().list(state, &SearchedWords::default(), "", usize::MAX).await;
    let own: Vec<&TaskBrief> =
        own.iter().filter(|brief| is_of(brief, asked) && !name.is_empty() && brief.task_id.starts_with(name)).collect();
    let exact = own.iter().find(|brief| brief.task_id == name);
    let only = own.first().filter(|_| own.len() == 1);
    exact.or(only).and_then(|brief| TaskId::of(&brief.task_id)).ok_or(TaskError::Unknown)
}

fn is_of(brief: &TaskBrief, asked: &TaskParams) -> bool {
    brief.source == asked.source && brief.from_user == asked.from_user
}

fn local(source: RequestSource) -> Result<(), TaskError> {
    match source {
        RequestSource::LocalUi => Ok(()),
        RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay => {
            Err(TaskError::Refused("that can be done at this machine only".to_owned()))
        }
    }
}
