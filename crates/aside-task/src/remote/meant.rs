//! Which task a short message is about: the one that it names, or the only one that it can mean. Anything else is asked back, since a guess
//! would stop another task.

use aside_proto::task::TaskBrief;

/// What a short message wants done with a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Cancel,
    Retry,
    /// Approves or rejects: it is told where that is done.
    Answer,
}

/// What else is known about a message without a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The request before it in this chat was refused: it may be about that one, which is no task.
    pub after_refusal: bool,
    /// The user has other machines, and the message names none.
    pub elsewhere: bool,
    /// It may have been acted upon already, by an earlier process.
    pub repeated: bool,
}

/// Why it is asked which task is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    AfterRefusal,
    /// None of the user's tasks is in a state for it.
    Nothing,
    Several,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant<'a> {
    Task(&'a TaskBrief),
    /// It has ended before.
    Ended(&'a TaskBrief),
    /// It has not ended, so it cannot be tried again.
    Open(&'a TaskBrief),
    Unknown,
    /// With those that it can be about.
    Unclear(Unclear, Vec<&'a TaskBrief>),
}

/// `own` are the user's tasks of this chat, the newest first; `name` is empty for a word alone.
pub fn meant<'a>(verb: Verb, name: &str, own: &'a [TaskBrief], about: Circumstances) -> Meant<'a> {
    if !name.is_empty() {
        let exact = own.iter().find(|brief| brief.task_id == name);
        let begin: Vec<&TaskBrief> = own.iter().filter(|brief| brief.task_id.starts_with(name)).collect();
        return match (exact, begin.as_slice()) {
            (Some(brief), _) => state_of(verb, brief),
            (None, [brief]) => state_of(verb, brief),
            (None, []) => Meant::Unknown,
            (None, _) => Meant::Unclear(Unclear::Several, begin),
        };
    }
    let candidates: Vec<&TaskBrief> = own.iter().filter(|brief| can(verb, brief)).collect();
    match candidates.as_slice() {
        _ if about.after_refusal => Meant::Unclear(Unclear::AfterRefusal, candidates),
        [] => Meant::Unclear(Unclear::Nothing, candidates),
        _ if about.elsewhere || about.repeated => Meant::Unclear(Unclear::Several, candidates),
        // "Again" is said of what was there last.
        [last, ..] if verb == Verb::Retry && own.first() == Some(*last) => Meant::Task(last),
        [only] => Meant::Task(only),
        _ => Meant::Unclear(Unclear::Several, candidates),
    }
}

fn state_of(verb: Verb, brief: &TaskBrief) -> Meant<'_> {
    match (verb, has_ended(brief)) {
        (Verb::Cancel | Verb::Answer, true) => Meant::Ended(brief),
        (Verb::Retry, false) => Meant::Open(brief),
        (Verb::Cancel | Verb::Answer, false) | (Verb::Retry, true) => Meant::Task(brief),
    }
}

fn can(verb: Verb, brief: &TaskBrief) -> bool {
    match verb {
        Verb::Cancel => !has_ended(brief),
        Verb::Retry => has_ended(brief),
        Verb::Answer => brief.state == "WAITING_APPROVAL",
    }
}

/// Of tasks, the newest first, keeps so many, and every open one behind them.
pub fn newest_and_open(briefs: &mut Vec<TaskBrief>, limit: usize) {
    let mut place = 0;
    briefs.retain(|brief| {
        place += 1;
        place <= limit || !has_ended(brief)
    });
}

/// Those that wait for approval first, then the others that have not ended; each as they were among themselves.
pub fn open_first(briefs: &mut [TaskBrief]) {
    briefs.sort_by_key(|brief| match brief.state.as_str() {
        "WAITING_APPROVAL" => 0,
        _ if !has_ended(brief) => 1,
        _ => 2,
    });
}

pub fn has_ended(brief: &TaskBrief) -> bool {
    matches!(brief.state.as_str(), "COMPLETED" | "FAILED" | "REJECTED")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks of a chat, the newest first: `t3 EXECUTING, t2 COMPLETED`.
    fn tasks(text: &str) -> Vec<TaskBrief> {
        let brief = |row: &str| {
            let (task_id, state) = row.trim().split_once(' ').unwrap();
            TaskBrief { task_id: task_id.into(), state: state.into(), ..TaskBrief::default() }
        };
        text.split(',').filter(|row| !row.trim().is_empty()).map(brief).collect()
    }

    fn said(meant: &Meant<'_>) -> String {
        match meant {
            Meant::Task(brief) => brief.task_id.clone(),
            Meant::Ended(brief) => format!("{} has ended", brief.task_id),
            Meant::Open(brief) => format!("{} is open", brief.task_id),
            Meant::Unknown => "unknown".into(),
            Meant::Unclear(why, of) => {
                let ids: Vec<&str> = of.iter().map(|brief| brief.task_id.as_str()).collect();
                format!("{why:?} {}", ids.join(" ")).trim().to_owned()
            }
        }
    }

    #[test]
    fn an_open_task_is_never_hidden_by_newer_ones() {
        let mut all = tasks("t6 COMPLETED, t5 EXECUTING, t4 FAILED, t3 WAITING_APPROVAL, t2 REJECTED, t1 PROPOSING");
        newest_and_open(&mut all, 2);
        let ids = |briefs: &[TaskBrief]| briefs.iter().map(|brief| brief.task_id.clone()).collect::<Vec<_>>().join(" ");
        assert_eq!(ids(&all), "t6 t5 t3 t1");
        open_first(&mut all);
        assert_eq!(ids(&all), "t3 t5 t1 t6");
    }

    #[test]
    fn a_word_alone_means_the_only_task_that_it_can_be_about_or_none() {
        for (verb, own, expected) in [
            (Verb::Cancel, "", "Nothing"),
            (Verb::Cancel, "t1 COMPLETED", "Nothing"),
            (Verb::Cancel, "t1 EXECUTING", "t1"),
            (Verb::Cancel, "t2 COMPLETED, t1 WAITING_APPROVAL", "t1"),
            (Verb::Cancel, "t3 RECEIVED, t2 FAILED, t1 WAITING_APPROVAL", "Several t3 t1"),
            (Verb::Answer, "t2 COMPLETED, t1 WAITING_APPROVAL", "t1"),
            (Verb::Answer, "t2 EXECUTING", "Nothing"),
            (Verb::Answer, "t2 WAITING_APPROVAL, t1 WAITING_APPROVAL", "Several t2 t1"),
            (Verb::Retry, "t2 FAILED, t1 REJECTED", "t2"),
            (Verb::Retry, "t3 EXECUTING, t2 FAILED, t1 REJECTED", "Several t2 t1"),
            (Verb::Retry, "t3 EXECUTING, t2 FAILED", "t2"),
            (Verb::Retry, "t3 EXECUTING", "Nothing"),
        ] {
            let own = tasks(own);
            assert_eq!(said(&meant(verb, "", &own, Circumstances::default())), expected, "{verb:?} {own:?}");
        }
    }

    #[test]
    fn a_word_after_a_refused_request_is_about_no_other_task() {
        let own = tasks("t2 EXECUTING, t1 FAILED");
        let refused = Circumstances { after_refusal: true, ..Circumstances::default() };
        assert_eq!(said(&meant(Verb::Cancel, "", &own, refused)), "AfterRefusal t2");
        assert_eq!(said(&meant(Verb::Retry, "", &own, refused)), "AfterRefusal t1");
        assert_eq!(said(&meant(Verb::Answer, "", &own, refused)), "AfterRefusal");
        // Nor is one that may be about another machine, or was perhaps acted upon.
        for about in [
            Circumstances { elsewhere: true, ..Circumstances::default() },
            Circumstances { repeated: true, ..Circumstances::default() },
        ] {
            assert_eq!(said(&meant(Verb::Cancel, "", &own, about)), "Several t2");
        }
        // A name is a name, whatever was before.
        let all = Circumstances { after_refusal: true, elsewhere: true, repeated: true };
        assert_eq!(said(&meant(Verb::Cancel, "t2", &own, all)), "t2");
    }

    #[test]
    fn a_name_means_one_task_and_what_has_ended_is_not_stopped() {
        let own = tasks("tab1 EXECUTING, tab12 COMPLETED, tac3 WAITING_APPROVAL");
        for (verb, name, expected) in [
            (Verb::Cancel, "tab1", "tab1"),
            (Verb::Cancel, "tab12", "tab12 has ended"),
            (Verb::Cancel, "tab", "Several tab1 tab12"),
            (Verb::Cancel, "tac", "tac3"),
            (Verb::Cancel, "tad", "unknown"),
            (Verb::Answer, "tab12", "tab12 has ended"),
            (Verb::Retry, "tab12", "tab12"),
            (Verb::Retry, "tab1", "tab1 is open"),
        ] {
            assert_eq!(said(&meant(verb, name, &own, Circumstances::default())), expected, "{verb:?} {name}");
        }
    }
}
