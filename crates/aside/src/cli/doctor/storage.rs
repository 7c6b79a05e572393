//! Checks what is kept on disk: the settings and the history. Names keys and counts records; shows neither values nor commands.

use aside_proto::HistoryStatus;

use crate::cli::doctor::facts::{Answer, ConfigFile, Configuration, Facts, History, Records, Shell};
use crate::cli::doctor::report::Finding;
use crate::config::Secrets;
use crate::store::clean::SecretsFound;

/// Cap on the listed problems of a configuration; `aside config list` has the rest.
const MAX_PROBLEMS: usize = 8;

pub fn configuration(config: &Configuration) -> Vec<Finding> {
    let path = config.path.display();
    match &config.file {
        ConfigFile::Absent => vec![Finding::ok(format!("no {path}: every setting has its default"))],
        ConfigFile::Good(keys) => vec![Finding::ok(match keys.as_slice() {
            [] => format!("{path} is valid and changes nothing"),
            [key] => format!("{path} is valid and changes {key}"),
            keys => format!("{path} is valid and changes {} settings: {}", keys.len(), keys.join(", ")),
        })],
        ConfigFile::Refused(refused) => {
            vec![Finding::fix(format!("{path} {}: every setting has its default", refused.what()), refused.advice())]
        }
        ConfigFile::Wrong(problems) => {
            let shown = problems.iter().take(MAX_PROBLEMS).map(|(line, message)| {
                let place = if *line == 0 { path.to_string() } else { format!("{path}:{line}") };
                Finding::fix(format!("{place}: {}", without_pattern(message)), "`aside config edit`")
            });
            let left = problems.len().saturating_sub(MAX_PROBLEMS);
            let more = (left > 0).then(|| Finding::note(format!("{left} more problems are in {path}")));
            shown.chain(more).collect()
        }
    }
}

/// Hides the pattern: it may be the very secret that it keeps out of the history.
fn without_pattern(message: &str) -> &str {
    if message.starts_with("history.ignore:") { "history.ignore has a pattern that cannot be used" } else { message }
}

pub fn history(facts: &Facts) -> Vec<Finding> {
    let History { path, bytes, records, set_aside } = &facts.history;
    let shown = path.display();
    let shell = facts.here.shell().map_or("zsh", Shell::name);
    let import = format!("`aside history import {shell}`");
    let records = match records {
        Records::Count(1..) if !facts.config.values.history.record => {
            let off = Finding::note(format!("{shown} is not added to: history.record is false"));
            off.advise("`aside config set history.record true` remembers commands again")
        }
        Records::Count(1) => Finding::ok(format!("one record in {shown}, {}", size(*bytes))),
        Records::Count(count @ 2..) => Finding::ok(format!("{count} records in {shown}, {}", size(*bytes))),
        Records::NoFile | Records::Count(0) => {
            Finding::fix(format!("there is no history yet in {shown}, so there is little to show"), import)
        }
        Records::Unreadable(why) => {
            let damaged = ["not a database", "malformed"].iter().any(|sign| why.contains(sign));
            let advice = if damaged {
                format!("{import}: it sets a damaged file aside and begins a new one")
            } else {
                "make it readable, or move it away; a new one is begun".to_owned()
            };
            Finding::fix(format!("the history cannot be read: {why}"), advice)
        }
    };
    let damaged = set_aside.first().map(|first| {
        let what = match set_aside.len() {
            1 => format!("a damaged history was set aside: {}", first.display()),
            many => format!("{many} damaged histories were set aside, the first: {}", first.display()),
        };
        Finding::note(what).advise(format!("rm {shown}.corrupt-*, unless you miss something"))
    });
    let full = facts.full.iter().map(|dir| {
        let what = format!("the disk with {} is full, so nothing can be stored and no task can begin", dir.display());
        Finding::fix(what, "free some space; `df -h` shows the disks, `aside model remove` frees that of a model")
    });
    full.chain(unstored(facts)).chain(withheld(facts)).chain([records]).chain(damaged).collect()
}

/// While the daemon cannot store what shells tell it.
fn unstored(facts: &Facts) -> Option<Finding> {
    let Answer::Alive(status) = &facts.daemon.answer else { return None };
    let HistoryStatus { waiting, problem, .. } = &status.history;
    let waits = match waiting {
        0 => String::new(),
        1 => "; one command waits in memory".to_owned(),
        many => format!("; {many} commands wait in memory"),
    };
    let dir = facts.history.path.parent().unwrap_or(&facts.history.path).display();
    (!problem.is_empty()).then(|| {
        let advice =
            format!("make {dir} writable, and see that its disk has room; what waits is then stored by itself");
        Finding::fix(format!("commands are not stored now: {problem}{waits}"), advice)
    })
}

/// Commands that the daemon left out of the history because of a secret.
fn withheld(facts: &Facts) -> Option<Finding> {
    let Answer::Alive(status) = &facts.daemon.answer else { return None };
    let what = match status.history.withheld {
        0 => return None,
        1 => "1 command was not stored since the daemon's start: a secret was seen in it".to_owned(),
        many => format!("{many} commands were not stored since the daemon's start: a secret was seen in each"),
    };
    Some(Finding::note(format!("{what} (history.secrets)")))
}

/// How much of what is stored contains secrets: numbers only, since the report is pasted.
pub fn secrets(facts: &Facts) -> Vec<Finding> {
    let Some(SecretsFound { commands, lines, logs, is_part }) = &facts.secrets else { return Vec::new() };
    let parts = [
        (commands.len(), "command", "commands"),
        (*lines, "line of a log", "lines of logs"),
        (*logs, "log of a task", "logs of tasks"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many })).collect();
    let keeps = facts.config.values.history.secrets == Secrets::Keep;
    let kept = keeps.then(|| Finding::note("commands are stored with their secrets: history.secrets is keep"));
    // Stored commands are not searched in that case.
    if parts.is_empty() && keeps {
        return kept.into_iter().collect();
    }
    let stored = if parts.is_empty() {
        let looked = if *is_part { "what could be looked at in time" } else { "what is stored" };
        Finding::ok(format!("no secret found in {looked}"))
    } else {
        let least = if *is_part { "at least " } else { "" };
        Finding::fix(
            format!("secrets are stored in {least}{}", parts.join(", ")),
            "`aside privacy clean`; with --dry-run it only says what it would do",
        )
    };
    std::iter::once(stored).chain(kept).collect()
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::healthy;
    use crate::trusted_file::Refused;

    fn judge(file: ConfigFile) -> Vec<Finding> {
        configuration(&Configuration { path: "c.toml".into(), file, ..healthy().config })
    }

    #[test]
    fn changed_settings_are_named_without_their_values() {
        assert_eq!(judge(ConfigFile::Absent), [Finding::ok("no c.toml: every setting has its default")]);
        assert_eq!(judge(ConfigFile::Good(vec![])), [Finding::ok("c.toml is valid and changes nothing")]);
        assert_eq!(judge(ConfigFile::Good(vec!["a.b"])), [Finding::ok("c.toml is valid and changes a.b")]);
        let two = Finding::ok("c.toml is valid and changes 2 settings: a.b, c.d");
        assert_eq!(judge(ConfigFile::Good(vec!["a.b", "c.d"])), [two]);
    }

    #[test]
    fn a_file_that_others_can_write_to_is_told_with_the_way_out() {
        let refused = Refused::Writable { path: "c.toml".into() };
        let what = "c.toml is not read: other users can write to c.toml: every setting has its default";
        let advice = "look through it, then `chmod go-w c.toml`";
        assert_eq!(judge(ConfigFile::Refused(refused)), [Finding::fix(what, advice)]);
    }

    #[test]
    fn problems_are_listed_up_to_a_cap_and_patterns_are_not_shown() {
        let secret = "history.ignore: hunter2( is not a regular expression: unclosed group";
        let problems =
            vec![(3, "unknown key a.b".to_owned()), (0, "is not a plain file".to_owned()), (9, secret.into())];
        assert_eq!(
            judge(ConfigFile::Wrong(problems)),
            [
                Finding::fix("c.toml:3: unknown key a.b", "`aside config edit`"),
                Finding::fix("c.toml: is not a plain file", "`aside config edit`"),
                Finding::fix("c.toml:9: history.ignore has a pattern that cannot be used", "`aside config edit`"),
            ]
        );
        let many = judge(ConfigFile::Wrong(vec![(1, "x".to_owned()); 10]));
        assert_eq!((many.len(), many[8].what.as_str()), (9, "2 more problems are in c.toml"));
    }

    #[test]
    fn a_full_disk_is_a_problem_with_its_own_advice() {
        let facts = Facts { full: vec!["/home/me/.local/state/aside".into()], ..healthy() };
        let first = history(&facts).remove(0);
        assert!(first.what.starts_with("the disk with /home/me/.local/state/aside is full"), "{}", first.what);
        assert_eq!(history(&healthy()).len() + 1, history(&facts).len());
    }

    #[test]
    fn a_history_that_cannot_be_written_is_a_problem_while_it_lasts() {
        let mut facts = healthy();
        let count = history(&facts).len();
        let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
        (status.history.problem, status.history.waiting) = ("it is read-only".to_owned(), 3);
        let found = history(&facts);
        assert_eq!(found[0].what, "commands are not stored now: it is read-only; 3 commands wait in memory");
        assert_eq!(found.len(), count + 1);
    }

    fn judge_history(records: Records) -> Vec<Finding> {
        let mut facts = healthy();
        facts.history = History { path: "h.db".into(), records, ..facts.history };
        history(&facts)
    }

    #[test]
    fn a_history_is_counted_begun_or_replaced() {
        assert_eq!(judge_history(Records::Count(12)), [Finding::ok("12 records in h.db, 5 kB")]);
        let empty = "there is no history yet in h.db, so there is little to show";
        for records in [Records::NoFile, Records::Count(0)] {
            assert_eq!(judge_history(records), [Finding::fix(empty, "`aside history import zsh`")]);
        }
        let advice = "`aside history import zsh`: it sets a damaged file aside and begins a new one";
        let damaged = Finding::fix("the history cannot be read: not a database", advice);
        assert_eq!(judge_history(Records::Unreadable("not a database".into())), [damaged]);
        let locked = judge_history(Records::Unreadable("permission denied".into())).remove(0);
        assert_eq!(locked.advice.as_deref(), Some("make it readable, or move it away; a new one is begun"));
    }

    #[test]
    fn a_history_that_is_switched_off_is_noted() {
        let mut facts = healthy();
        facts.config.values.history.record = false;
        assert!(history(&facts)[0].what.ends_with("is not added to: history.record is false"));
    }

    #[test]
    fn damaged_files_are_for_the_person_to_delete() {
        let mut facts = healthy();
        facts.history.path = "h.db".into();
        facts.history.set_aside = vec!["h.db.corrupt-1".into()];
        let advice = "rm h.db.corrupt-*, unless you miss something";
        let one = Finding::note("a damaged history was set aside: h.db.corrupt-1").advise(advice);
        assert_eq!(history(&facts)[1], one);
        facts.history.set_aside.push("h.db.corrupt-2".into());
        let two = Finding::note("2 damaged histories were set aside, the first: h.db.corrupt-1").advise(advice);
        assert_eq!(history(&facts)[1], two);
    }

    #[test]
    fn secrets_are_counted_and_never_shown() {
        let mut facts = healthy();
        assert_eq!(secrets(&facts), [Finding::ok("no secret found in what is stored")]);
        facts.secrets = Some(SecretsFound { lines: 1, logs: 2, is_part: true, ..SecretsFound::default() });
        let what = "secrets are stored in at least 1 line of a log, 2 logs of tasks";
        let advice = "`aside privacy clean`; with --dry-run it only says what it would do";
        assert_eq!(secrets(&facts), [Finding::fix(what, advice)]);
        facts.secrets = Some(SecretsFound { is_part: true, ..SecretsFound::default() });
        facts.config.values.history.secrets = Secrets::Keep;
        let kept = "commands are stored with their secrets: history.secrets is keep";
        assert_eq!(secrets(&facts), [Finding::note(kept)]);
        facts.config.values.history.secrets = Secrets::Skip;
        assert_eq!(secrets(&facts), [Finding::ok("no secret found in what could be looked at in time")]);
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!([0, 1, 999_999, 12_340_000].map(size), ["0 kB", "1 kB", "1000 kB", "12.3 MB"]);
    }
}
