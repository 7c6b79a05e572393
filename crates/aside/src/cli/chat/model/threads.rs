//! Groups the known tasks into conversations. Decides their order and titles.

use aside_proto::task::TaskBrief;
use aside_task::state::StateName;

use crate::cli::chat::model::task;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub id: String,
    /// The first known request.
    pub title: String,
    pub mark: Mark,
    /// When it last changed, in milliseconds since 1970.
    pub at: u64,
}

/// In order of urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    Quiet,
    Failed,
    Busy,
    /// For the user.
    Waits,
}

/// Newest change first.
pub fn of(briefs: &[TaskBrief]) -> Vec<Thread> {
    let mut threads: Vec<(Thread, u64)> = Vec::new();
    for brief in briefs {
        let mark = mark(brief);
        match threads.iter_mut().find(|(thread, _)| thread.id == brief.thread_id) {
            Some((thread, since)) => {
                if brief.since < *since {
                    *since = brief.since;
                    thread.title.clone_from(&brief.text);
                }
                // A failure counts only while it is the latest.
                thread.mark = match (brief.at > thread.at, mark.max(thread.mark)) {
                    (true, Mark::Failed) => mark,
                    (false, Mark::Failed) => thread.mark,
                    (_, strongest) => strongest,
                };
                thread.at = thread.at.max(brief.at);
            }
            None => {
                let thread = Thread { id: brief.thread_id.clone(), title: brief.text.clone(), mark, at: brief.at };
                threads.push((thread, brief.since));
            }
        }
    }
    let mut threads: Vec<Thread> = threads.into_iter().map(|(thread, _)| thread).collect();
    threads.sort_by(|one, other| (other.at, &one.id).cmp(&(one.at, &other.id)));
    threads
}

fn mark(brief: &TaskBrief) -> Mark {
    match task::state(&brief.state) {
        StateName::WaitingApproval => Mark::Waits,
        StateName::Failed => Mark::Failed,
        StateName::Completed | StateName::Rejected => Mark::Quiet,
        StateName::Received
        | StateName::Routed
        | StateName::ContextCollected
        | StateName::Proposing
        | StateName::ProposalReady
        | StateName::Executing => Mark::Busy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(task: &str, thread: &str, state: &str, since: u64, at: u64) -> TaskBrief {
        TaskBrief {
            task_id: task.to_owned(),
            thread_id: thread.to_owned(),
            state: state.to_owned(),
            since,
            at,
            text: format!("request {task}"),
            ..TaskBrief::default()
        }
    }

    #[test]
    fn the_newest_is_first_and_is_called_by_its_first_request() {
        let briefs = [
            brief("t4", "b", "COMPLETED", 40, 41),
            brief("t3", "a", "WAITING_APPROVAL", 30, 31),
            brief("t2", "b", "FAILED", 20, 21),
            brief("t1", "a", "COMPLETED", 10, 50),
            brief("t0", "c", "FAILED", 1, 2),
        ];
        let shown: Vec<(String, String, Mark)> =
            of(&briefs).into_iter().map(|thread| (thread.id, thread.title, thread.mark)).collect();
        let thread = |id: &str, title: &str, mark| (id.to_owned(), title.to_owned(), mark);
        assert_eq!(
            shown,
            [
                thread("a", "request t1", Mark::Waits),
                thread("b", "request t2", Mark::Quiet),
                thread("c", "request t0", Mark::Failed)
            ]
        );
    }
}
