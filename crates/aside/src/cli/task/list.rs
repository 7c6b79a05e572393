//! One-shot output about tasks: the list, the rules, that a task was stopped or undone.

use std::path::Path;

use aside_core::agent::language::needs_model;
use aside_proto::task::{TaskBrief, TaskOp, TaskParams};
use aside_task::remote::meant::{has_ended, open_first};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use unicode_width::UnicodeWidthStr;

use crate::cli::task::proposal::wrapped;
use crate::cli::task::style::{BOLD, DIM, GREEN, RED, Style, YELLOW};
use crate::cli::{current_dir, one_line, print, terminal};
use crate::client::tasks::{TaskError, Tasks};
use crate::screen::{Size, fit};
use crate::workspace::Workspace;

/// A limit that means all of them.
const ALL: u32 = 100_000;
/// Tasks of a list for a user who does not say how many.
const SCREEN: u32 = 50;

pub enum Error {
    Trouble(TaskError),
    Print(anyhow::Error),
}

impl From<TaskError> for Error {
    fn from(trouble: TaskError) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::Print(error)
    }
}

pub fn list(tasks: &mut Tasks, words: &str, all: bool, json: bool) -> Result<(), Error> {
    // One more than is shown, by which it is known that there are more.
    let limit = if json || !words.is_empty() || all { ALL } else { SCREEN + 1 };
    let mut told =
        tasks.call(TaskParams { op: TaskOp::List, text: words.to_owned(), limit, ..TaskParams::default() })?;
    if json {
        return Ok(print(&as_json(&told.tasks)?)?);
    }
    if told.tasks.is_empty() {
        complain!("aside: {}", if words.is_empty() { "there are no tasks" } else { "no task has these words" });
        return Ok(());
    }
    let columns = columns();
    let now = Timestamp::now().as_millisecond();
    let look = Style::here();
    let screen = usize::try_from(SCREEN).unwrap_or(usize::MAX);
    open_first(&mut told.tasks);
    let open = told.tasks.iter().filter(|brief| !has_ended(brief)).count();
    let has_more = limit == SCREEN + 1 && told.tasks.len() > screen.max(open);
    if has_more {
        told.tasks.truncate(screen.max(open));
    }
    let rows = table(&told.tasks, now, columns, look);
    let rows = rows.iter().map(|row| look.written(row).into_owned() + "\n").collect::<String>();
    print(&rows)?;
    if has_more {
        let shown = screen.max(open);
        complain!(
            "aside: these are the open ones and the newest, {shown} in all; `aside task list --all` shows the others"
        );
    }
    Ok(())
}

pub fn rules(tasks: &mut Tasks, json: bool) -> Result<(), Error> {
    let told = tasks.call(TaskParams { op: TaskOp::Rules, cwd: current_dir()?, ..TaskParams::default() })?;
    Ok(print(&if json { as_json(&told.lines)? } else { paragraphs(&told.lines, columns()) })?)
}

/// The width of the terminal, if there is one.
fn columns() -> Option<usize> {
    rustix::termios::tcgetwinsize(std::io::stdout()).is_ok().then(|| Size::here().columns)
}

/// A line each; on a terminal, wraps with an indent.
fn paragraphs(lines: &[String], columns: Option<usize>) -> String {
    const INDENT: &str = "    ";
    let Some(columns) = columns else { return self::lines(lines) };
    let rows = lines.iter().flat_map(|line| {
        let rows = wrapped(&one_line(line), columns.saturating_sub(INDENT.len()).max(ASKED));
        rows.into_iter().enumerate().map(|(number, row)| if number == 0 { row } else { format!("{INDENT}{row}") })
    });
    rows.map(|row| row + "\n").collect()
}

/// Without an id, the newest task of this directory's workspace whose change can be undone: never one of another project.
pub fn undo(tasks: &mut Tasks, id: String) -> Result<(), Error> {
    let id = if id.is_empty() { changed_last(tasks)? } else { id };
    let by = terminal().unwrap_or_default();
    let by = by.strip_prefix("/dev/").unwrap_or(&by).to_owned();
    let told = tasks.call(TaskParams { op: TaskOp::Undo, task: id, by, ..TaskParams::default() })?;
    Ok(print(&lines(&told.lines))?)
}

fn changed_last(tasks: &mut Tasks) -> Result<String, Error> {
    let here = Workspace::of(Path::new(&current_dir()?))?;
    let here = here.root().display().to_string();
    let told = tasks.call(TaskParams { op: TaskOp::List, limit: ALL, ..TaskParams::default() })?;
    match undoable(&told.tasks, &here) {
        Ok(brief) => Ok(brief.task_id.clone()),
        Err(elsewhere) => Err(TaskError::Refused(nothing_to_undo(&here, elsewhere)).into()),
    }
}

/// The newest of this workspace that can be undone; otherwise the newest of another one.
fn undoable<'a>(briefs: &'a [TaskBrief], here: &str) -> Result<&'a TaskBrief, Option<&'a TaskBrief>> {
    let mut all = briefs.iter().filter(|brief| brief.undo && brief.undone_by.is_empty());
    let elsewhere = all.clone().next();
    all.find(|brief| brief.workspace == here).ok_or(elsewhere)
}

fn nothing_to_undo(here: &str, elsewhere: Option<&TaskBrief>) -> String {
    let nothing = format!("no task changed files in {here} that could be undone");
    match elsewhere {
        Some(brief) => {
            let TaskBrief { task_id, workspace, .. } = brief;
            format!("{nothing}; the newest change elsewhere is {task_id}, in {workspace}: aside task undo {task_id}")
        }
        None => nothing,
    }
}

pub fn cancel(tasks: &mut Tasks, id: String) -> Result<(), Error> {
    let told = tasks.call(TaskParams { op: TaskOp::Cancel, task: id, ..TaskParams::default() })?;
    for brief in &told.tasks {
        // A running task is only told to stop, and ends a moment later.
        let what = if brief.state == "EXECUTING" { "is being stopped" } else { "was stopped" };
        print(&format!("{} {what}\n", brief.task_id))?;
    }
    Ok(())
}

/// Cancels every task that waits for the user, wherever it was requested.
pub fn dismiss(tasks: &mut Tasks) -> Result<(), Error> {
    let told = tasks.call(TaskParams { op: TaskOp::List, limit: ALL, ..TaskParams::default() })?;
    let waiting: Vec<TaskBrief> = told.tasks.into_iter().filter(|brief| brief.state == "WAITING_APPROVAL").collect();
    let mut dismissed = 0;
    for brief in &waiting {
        match tasks.call(TaskParams { op: TaskOp::Cancel, task: brief.task_id.clone(), ..TaskParams::default() }) {
            Ok(_) => dismissed += 1,
            // It was answered in the meantime.
            Err(TaskError::Refused(_)) => {}
            Err(trouble) => return Err(trouble.into()),
        }
    }
    let line = match dismissed {
        0 => "nothing waits for you".to_owned(),
        1 => "one proposal was dismissed".to_owned(),
        many => format!("{many} proposals were dismissed"),
    };
    Ok(print(&format!("{line}\n"))?)
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| one_line(line) + "\n").collect()
}

fn as_json(value: &impl serde::Serialize) -> anyhow::Result<String> {
    crate::cli::json_lines(value)
}

/// Minimum columns for the request.
const ASKED: usize = 24;
/// Columns of a line where there is no terminal that has a width.
const MAX_LINE: usize = 240;

/// Cut to the width on a terminal. In a narrow one, drops the time first, then the state's text: its colour stays.
fn table(briefs: &[TaskBrief], now: i64, columns: Option<usize>, look: Style) -> Vec<String> {
    let cells = |when_shown: bool, state_shown: bool| -> Vec<[String; 3]> {
        let only = |shown: bool, text: String| if shown { text } else { String::new() };
        let row = |brief: &TaskBrief| {
            let (words, when) = (state(brief).0.to_owned(), when(brief.since, now));
            [brief.task_id.clone(), only(when_shown, when), only(state_shown, words)]
        };
        briefs.iter().map(row).collect()
    };
    let taken = |cells: &[[String; 3]]| -> usize {
        let width = |column: usize| cells.iter().map(|row| row[column].width()).max().unwrap_or(0);
        2 + (0..3).map(|column| width(column) + 2).sum::<usize>()
    };
    let forms = [(true, true), (false, true), (false, false)];
    let fitting = forms.into_iter().map(|(when, state)| cells(when, state));
    let fits = |cells: &Vec<[String; 3]>| columns.is_none_or(|columns| taken(cells) + ASKED <= columns);
    let mut fitting = fitting.collect::<Vec<_>>();
    let form = fitting.iter().position(fits).unwrap_or(forms.len() - 1);
    let cells = fitting.swap_remove(form);
    let width = |column: usize| cells.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let before = 2 + widths.iter().map(|width| if *width == 0 { 0 } else { width + 2 }).sum::<usize>();
    briefs
        .iter()
        .zip(&cells)
        .map(|(brief, [id, when, words])| {
            let (_, style) = state(brief);
            let waits = brief.state == "WAITING_APPROVAL";
            let padded = |cell: &str, width: usize| format!("{cell}{}", " ".repeat(width - cell.width()));
            let what = what(brief);
            let what = fit(&what, columns.unwrap_or(MAX_LINE).saturating_sub(before).max(1));
            let cells = [(BOLD, id, widths[0]), (DIM, when, widths[1]), (style, words, widths[2])];
            let shown = cells.into_iter().filter(|(_, _, width)| *width > 0);
            let shown: String =
                shown.map(|(style, cell, width)| look.with(style, &padded(cell, width)) + "  ").collect();
            format!("{} {shown}{what}", if waits { look.with(YELLOW, "*") } else { " ".to_owned() })
        })
        .collect()
}

/// The state's text and colour.
fn state(brief: &TaskBrief) -> (&'static str, &'static str) {
    match brief.state.as_str() {
        "WAITING_APPROVAL" => ("waits for you", YELLOW),
        "EXECUTING" => ("at work", YELLOW),
        "COMPLETED" if !brief.undone_by.is_empty() => ("undone", DIM),
        "COMPLETED" => ("done", GREEN),
        "FAILED" => ("failed", RED),
        "REJECTED" => ("rejected", DIM),
        _ => ("thinking", YELLOW),
    }
}

/// The request in one line; the outcome when it failed.
fn what(brief: &TaskBrief) -> String {
    let asked = one_line(brief.text.trim().lines().next().unwrap_or_default());
    let asked = match (brief.source.as_str(), brief.from_user.as_str()) {
        ("" | "local_ui", _) => asked,
        (source, "") => format!("{source}: {asked}"),
        (source, user) => format!("{} ({source}): {asked}", one_line(user)),
    };
    match brief.state.as_str() {
        "FAILED" if needs_model(&brief.summary) => format!("{asked} (needs a model)"),
        "FAILED" if !brief.summary.is_empty() => format!("{asked} ({})", one_line(&brief.summary)),
        _ => asked,
    }
}

/// The time for today, the date for what is older.
fn when(millis: u64, now: i64) -> String {
    let zone = TimeZone::system();
    let local = |millis: i64| Timestamp::from_millisecond(millis).ok().map(|time| time.to_zoned(zone.clone()));
    let (Some(time), Some(now)) = (i64::try_from(millis).ok().and_then(local), local(now)) else {
        return String::new();
    };
    let form = if time.date() == now.date() { "%H:%M" } else { "%Y-%m-%d" };
    time.strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Paint;
    use crate::cli::task::style::Charset;

    fn brief(id: &str, state: &str, text: &str, summary: &str) -> TaskBrief {
        TaskBrief {
            task_id: id.to_owned(),
            state: state.to_owned(),
            text: text.to_owned(),
            summary: summary.to_owned(),
            since: 86_400_000 * 400,
            ..TaskBrief::default()
        }
    }

    #[test]
    fn rules_are_not_cut_in_the_middle_of_a_word() {
        let rule = ["deny what destroys the system: nothing would be left to approve anything with".to_owned()];
        let told = "deny what destroys the system:\n    nothing would be left to approve\n    anything with\n";
        assert_eq!(paragraphs(&rule, Some(40)), told);
        assert_eq!(paragraphs(&rule, None), format!("{}\n", rule[0]));
    }

    #[test]
    fn undo_without_an_id_stays_in_its_own_workspace() {
        let told = |id: &str, workspace: &str, undo: bool| TaskBrief {
            undo,
            workspace: workspace.to_owned(),
            ..brief(id, "COMPLETED", "greet", "")
        };
        let undone = |briefs: &[TaskBrief], here: &str| match undoable(briefs, here) {
            Ok(brief) => brief.task_id.clone(),
            Err(elsewhere) => nothing_to_undo(here, elsewhere),
        };
        let all = [
            told("te", "/src/loom", true),
            told("td", "/src/kiln", false),
            told("tc", "/src/kiln", true),
            told("tb", "/src/kiln", true),
        ];
        assert_eq!(undone(&all, "/src/loom"), "te");
        // What was asked since, and changed nothing, does not hide the change before it.
        assert_eq!(undone(&all, "/src/kiln"), "tc");
        // A directory whose name only begins alike, and one above, are others.
        for here in ["/src/kil", "/src", "/src/kiln/bricks"] {
            assert_eq!(
                undone(&all, here),
                format!(
                    "no task changed files in {here} that could be undone; the newest change elsewhere is te, in \
                     /src/loom: aside task undo te"
                )
            );
        }
        let gone = TaskBrief { undone_by: "pts/3".to_owned(), ..told("ta", "/src/loom", true) };
        assert_eq!(undone(&[gone], "/src/loom"), "no task changed files in /src/loom that could be undone");
        assert_eq!(undone(&[], "/src/loom"), "no task changed files in /src/loom that could be undone");
    }

    #[test]
    fn a_list_says_what_waits() {
        let look = Style { paint: Paint::Plain, letters: Charset::All };
        let briefs = [
            brief("tabc", "WAITING_APPROVAL", "run the tests\nwith a log", ""),
            brief("tabcd", "FAILED", "fix 日本語", "no model\x1b[2J"),
        ];
        assert_eq!(
            table(&briefs, 0, None, look),
            [
                "* tabc   1971-02-05  waits for you  run the tests",
                "  tabcd  1971-02-05  failed         fix 日本語 (no model\\u{1b}[2J)",
            ]
        );
        let narrow = |columns| table(&briefs, 0, Some(columns), look);
        assert_eq!(narrow(70)[0], "* tabc   1971-02-05  waits for you  run the tests");
        assert_eq!(narrow(56)[0], "* tabc   waits for you  run the tests");
        assert_eq!(narrow(40)[1], "  tabcd  fix 日本語 (no model\\u{1b}[2J)");
        assert_eq!(narrow(22)[1], "  tabcd  fix 日本語 (…");
    }
}
