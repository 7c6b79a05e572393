//! Follow-up requests, which depend on what was said before: "again", "undo that", "why?", "no, call it `total`". Recognises them with
//! `data/task/follow.toml`, and resolves them against the conversation. Performs nothing: a command to run again is proposed again, and
//! nothing is undone here.

use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_redact::redact;
use aside_text::lazy_regex::Regex;

use crate::event::answered_from;
use crate::proposal::{FileSummary, Proposal};
use crate::route::command;
use crate::route::intent::{Intent, IntentParams, TaskKind};
use crate::route::{Route, RouteOptions, Routed, RoutedBy, TaskScope, route};
use crate::run::conversation::EarlierTask;
use crate::run::{ModelNeed, RunnerOutcome, code, short, toml_lists};
use crate::state::StateName;

const LIST: &str = include_str!("../../data/task/follow.toml");

/// Characters of a follow-up; a longer request is complete by itself.
const MAX_LETTERS: usize = 200;
/// Characters of a request and of a command that are shown.
const MAX_SHOWN: usize = 120;
/// Files of a change that are named.
const MAX_FILES: usize = 10;
/// Confidence that a request is a follow-up.
const SURE: f32 = 0.9;

/// What a follow-up asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowUp {
    Again {
        what: Repeat,
        /// Additional flags for the command; mostly empty.
        with: String,
    },
    Back,
    Why,
    Cure,
    On,
}

/// What to repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// The last command.
    Run,
    /// Whatever was requested last.
    Any,
}

struct Rule {
    name: String,
    pattern: Regex,
}

static ALL: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "follow", |table| {
        let pattern = format!("(?is)^(?:{})$", toml_lists::text(table, "pattern")?);
        Some(Rule { name: toml_lists::text(table, "name")?, pattern: Regex::new(&pattern).ok()? })
    })
});

pub fn parse(words: &str) -> Option<FollowUp> {
    let words = bare(words)?;
    let rule = ALL.iter().filter(|rule| rule.name != "refers").find(|rule| rule.pattern.is_match(words))?;
    Some(match rule.name.as_str() {
        "again" => {
            let with =
                rule.pattern.captures(words).and_then(|found| Some(found.name("with")?.as_str().trim().to_owned()));
            let lower = words.to_lowercase();
            let runs =
                ["run", "execute", "command", "launch", "跑", "运行", "执行"].iter().any(|word| lower.contains(word));
            let with = with.unwrap_or_default();
            let what = if runs || !with.is_empty() { Repeat::Run } else { Repeat::Any };
            FollowUp::Again { what, with }
        }
        "back" => FollowUp::Back,
        "why" => FollowUp::Why,
        "cure" => FollowUp::Cure,
        _ => FollowUp::On,
    })
}

/// Whether it refers to something earlier.
pub fn refers(words: &str) -> bool {
    let refers = |words: &str| ALL.iter().any(|rule| rule.name == "refers" && rule.pattern.is_match(words));
    parse(words).is_some() || bare(words).is_some_and(refers)
}

/// Without courtesies and final punctuation.
fn bare(words: &str) -> Option<&str> {
    const BEFORE: [&str; 8] = ["please ", "ok, ", "okay, ", "can you ", "could you ", "请", "麻烦你", "帮我"];
    const AFTER: [&str; 7] = [" please", ", please", " now", ", thanks", " thanks", " for me", "谢谢"];
    let mut words = words.trim();
    if words.chars().nth(MAX_LETTERS).is_some() {
        return None;
    }
    loop {
        let before = words;
        for courtesy in BEFORE {
            if words.get(..courtesy.len()).is_some_and(|head| head.eq_ignore_ascii_case(courtesy)) {
                words = words.get(courtesy.len()..).unwrap_or_default().trim_start();
            }
        }
        words = words.trim_end_matches(['!', '?', ',', '。', '！', '？', '，', ' ']);
        // The dot in `--path=.` does not end a sentence.
        let stopped = words.strip_suffix('.').filter(|rest| rest.ends_with(|letter: char| letter.is_alphanumeric()));
        words = stopped.unwrap_or(words);
        for courtesy in AFTER {
            let start = words.len().saturating_sub(courtesy.len());
            if words.get(start..).is_some_and(|tail| tail.eq_ignore_ascii_case(courtesy)) {
                words = words.get(..start).unwrap_or_default();
            }
        }
        if words == before {
            return Some(words).filter(|words| !words.is_empty());
        }
    }
}

/// The route of a follow-up; `None` when the words stand by themselves, as `ours` has them.
pub fn wanted(words: &str, earlier: &[EarlierTask], ours: &Route, options: &RouteOptions<'_>) -> Option<Route> {
    let follow = parse(words)?;
    let last = earlier.iter().rfind(|earlier| earlier.is_about_work());
    let to = |kind, scope, params, summary: String| {
        let intent = Intent { kind, confidence: SURE, summary, params };
        Some(Route { intent, scope, by: RoutedBy::Rule("follow"), notes: Vec::new(), held: ours.held })
    };
    match follow {
        FollowUp::Again { what, .. } => {
            // Skips exchanges that were only talk, unless there is nothing else.
            let asked = spoken_of(earlier).filter(|subject| what == Repeat::Any && subject.command().is_none());
            let run = run_before(earlier);
            match asked.or(last.filter(|_| what == Repeat::Any && run.is_none())) {
                Some(asked) => match route(&asked.request.text, options) {
                    Routed::Task(route) => Some(route),
                    Routed::Apply { .. } => None,
                },
                None => {
                    // If nothing came before, the answer says so, unless the words are clear by themselves.
                    let names_it = what != Repeat::Any || ours.intent.params.cmd.is_some();
                    let clear = ours.scope == TaskScope::Full
                        && match ours.intent.kind {
                            TaskKind::Help => false,
                            TaskKind::Run => names_it,
                            _ => true,
                        };
                    if run.is_none() && clear {
                        return None;
                    }
                    let about = run.and_then(EarlierTask::command).unwrap_or("what ran last");
                    let about = short(&redact(about), MAX_SHOWN);
                    let params = IntentParams { query: Some(words.trim().to_owned()), ..IntentParams::default() };
                    to(TaskKind::Run, TaskScope::Full, params, format!("Run again: {about}"))
                }
            }
        }
        FollowUp::Back => {
            let params = IntentParams { question: Some(words.trim().to_owned()), ..IntentParams::default() };
            to(TaskKind::Explain, TaskScope::Full, params, "Say what can be undone".to_owned())
        }
        FollowUp::Why | FollowUp::Cure => {
            spoken_of(earlier).filter(|last| last.state == StateName::Failed)?;
            let params = IntentParams {
                files: ours.intent.params.files.clone(),
                question: Some(words.trim().to_owned()),
                ..IntentParams::default()
            };
            to(TaskKind::Diagnose, TaskScope::Full, params, format!("Diagnose: {}", short(words, MAX_SHOWN)))
        }
        FollowUp::On => {
            let last = last?;
            let kind = last.kind.filter(|kind| *kind != TaskKind::Run)?;
            // A clear request for an action is not a follow-up.
            if ours.scope == TaskScope::Full && ours.intent.kind.acts() && ours.intent.confidence >= SURE {
                return None;
            }
            let files = ours.intent.params.files.clone();
            let said = Some(words.trim().to_owned());
            let params = match kind {
                TaskKind::Change => IntentParams { files, change_request: said, ..IntentParams::default() },
                _ => IntentParams { files, question: said, ..IntentParams::default() },
            };
            // A remark about search results is a question, not another search.
            let kind = if kind == TaskKind::Search { TaskKind::Explain } else { kind };
            to(kind, last.scope, params, format!("{}: {}", capital(kind.name()), short(words, MAX_SHOWN)))
        }
    }
}

/// The task that "what went wrong" refers to.
fn spoken_of(earlier: &[EarlierTask]) -> Option<&EarlierTask> {
    earlier.iter().rfind(|earlier| earlier.is_about_work() && !earlier.is_talk())
}

/// The last command that ran, or else the last that was proposed.
fn run_before(earlier: &[EarlierTask]) -> Option<&EarlierTask> {
    let command = |earlier: &&EarlierTask| earlier.command().is_some();
    earlier.iter().filter(command).rfind(|earlier| earlier.began.is_some()).or_else(|| earlier.iter().rfind(command))
}

/// Proposes the last command once more. `None` where the words ask for something else.
pub fn again(words: &str, earlier: &[EarlierTask]) -> Option<RunnerOutcome> {
    let Some(FollowUp::Again { with, .. }) = parse(words) else { return None };
    let language = Language::of(words);
    let Some(before) = run_before(earlier) else {
        let text = match language {
            Language::English => "Nothing was run in this conversation yet. Say the command, as in `run make test`.\n",
            Language::Chinese => "这次对话中还没有运行过命令。请说出命令，例如 `运行 make test`。\n",
        };
        return Some(RunnerOutcome::answer(text.to_owned(), text.trim_end(), ModelNeed::Unneeded));
    };
    let Some(Proposal::Command { cmd, cwd, confine, .. }) = &before.proposal else { return None };
    let all = if with.is_empty() { cmd.clone() } else { format!("{} {with}", cmd.trim_end()) };
    // Flags can only be added to a single command, and must not add another command.
    let is_one = |line: &str| command::strip(line).is_some_and(|stripped| stripped.cut.is_empty());
    let fits = with.is_empty() || is_one(cmd) && is_one(&all);
    if !fits {
        let (with, cmd) = (code(&short(&with, MAX_SHOWN)), code(&short(cmd, MAX_SHOWN)));
        let (text, summary) = match language {
            Language::English => (
                format!(
                    "{with} cannot be added to {cmd}: it is not one plain command. Say the whole command, as in `run make -k`.\n"
                ),
                "That cannot be added to the command",
            ),
            Language::Chinese => (
                format!("{with} 不能加到 {cmd} 上：那不是一条简单的命令。请说出完整的命令，例如 `运行 make -k`。\n"),
                "不能把它加到命令上",
            ),
        };
        return Some(RunnerOutcome::answer(text, summary, ModelNeed::Unneeded));
    }
    let how = match (before.began, before.outcome.as_ref().and_then(|outcome| outcome.exit), before.state) {
        (None, ..) => language
            .pick("It was proposed in this conversation, and not run.", "这次对话中提出过，但没有运行。")
            .to_owned(),
        (Some(_), Some(exit), _) => match language {
            Language::English => format!("It ran in this conversation, and ended with status {exit}."),
            Language::Chinese => format!("这次对话中运行过，以状态 {exit} 结束。"),
        },
        (Some(_), None, StateName::Executing) => {
            language.pick("It runs in this conversation already.", "这次对话中已经在运行。").to_owned()
        }
        (Some(_), None, _) => language.pick("It ran in this conversation.", "这次对话中运行过。").to_owned(),
    };
    let added = match language {
        _ if with.is_empty() => String::new(),
        Language::English => format!(" {} is new.", code(&with)),
        Language::Chinese => format!("{} 是新加的。", code(&with)),
    };
    let proposal = Proposal::Command {
        cmd: all.clone(),
        cwd: cwd.clone(),
        reason: Some(format!("{how}{added}")),
        confine: *confine,
    };
    let summary = format!("{}{}", language.pick("Run ", "运行 "), code(&all));
    Some(RunnerOutcome { proposal, summary, details: String::new(), model: ModelNeed::Unneeded })
}

/// What can be undone, and how. `can` are the tasks of the conversation that can be, `other` the last one elsewhere in the workspace.
pub fn back(words: &str, earlier: &[EarlierTask], can: &[&str], other: Option<&EarlierTask>) -> RunnerOutcome {
    let language = Language::of(words);
    let wrote = |earlier: &&EarlierTask| earlier.outcome.as_ref().is_some_and(|outcome| outcome.undo.is_some());
    let acted = earlier.iter().rfind(|earlier| earlier.began.is_some());
    let can_be = earlier.iter().rfind(|earlier| can.contains(&earlier.id.as_str()));
    let undone = earlier.iter().rfind(wrote).filter(|last| last.undone_by.is_some());
    let mut text = String::new();
    if let Some(command) = acted.and_then(|acted| Some(code(&short(&redact(acted.command()?), MAX_SHOWN)))) {
        text.push_str(&match language {
            Language::English => format!("{command} ran last, and what a command did cannot be undone.\n\n"),
            Language::Chinese => format!("最后运行的是 {command}，命令做过的事无法撤销。\n\n"),
        });
    } else if let Some(undone) = undone {
        let (id, by) = (undone.id.as_str(), undone.undone_by.as_deref().unwrap_or_default());
        text.push_str(&match language {
            Language::English => {
                format!("What {id} wrote was undone already, {}.\n\n", answered_from(&short(by, MAX_SHOWN)))
            }
            Language::Chinese => format!("{id} 的修改已经撤销了（{}）。\n\n", short(by, MAX_SHOWN)),
        });
    }
    let elsewhere = can_be.is_none();
    let Some(change) = can_be.or(other) else {
        text.push_str(match language {
            Language::English => {
                "No task here has changed files that could be put back; `git diff` shows what changed otherwise.\n"
            }
            Language::Chinese => "这里没有任务改过可以还原的文件；`git diff` 会显示其他改动。\n",
        });
        let summary = text.lines().last().unwrap_or_default().to_owned();
        return RunnerOutcome::answer(text, summary, ModelNeed::Unneeded);
    };
    let id = change.id.as_str();
    let request = code(&short(&redact(&change.request.text), MAX_SHOWN));
    text.push_str(&match (language, elsewhere) {
        (Language::English, false) => format!("Task {id} ({request}) changed:\n\n"),
        (Language::English, true) => {
            format!("Nothing else was changed in this conversation. Before it, task {id} ({request}) changed:\n\n")
        }
        (Language::Chinese, false) => format!("任务 {id}（{request}）修改了：\n\n"),
        (Language::Chinese, true) => format!("这次对话中没有其他修改。之前任务 {id}（{request}）修改了：\n\n"),
    });
    for FileSummary { path, additions, deletions } in change.files().iter().take(MAX_FILES) {
        text.push_str(&format!("- {} +{additions} −{deletions}\n", code(path)));
    }
    if change.files().len() > MAX_FILES {
        text.push_str(&format!("- … {}\n", change.files().len() - MAX_FILES));
    }
    let undo = format!("aside task undo {id}");
    text.push_str(&match language {
        Language::English => {
            format!("\nNothing was undone yet: `{undo}` does it, if the files are still as the task left them.\n")
        }
        Language::Chinese => format!("\n还没有撤销任何东西：运行 `{undo}` 即可撤销（文件在此之后没有再改动的话）。\n"),
    });
    let summary = match language {
        Language::English => format!("`{undo}` takes it back"),
        Language::Chinese => format!("运行 `{undo}` 即可撤销"),
    };
    RunnerOutcome::answer(text, summary, ModelNeed::Unneeded)
}

/// Why the last task failed, if it ran no command: repeats its own message. `None` where a command failed.
pub fn why(words: &str, earlier: &[EarlierTask]) -> Option<RunnerOutcome> {
    if !matches!(parse(words), Some(FollowUp::Why | FollowUp::Cure)) {
        return None;
    }
    let last = spoken_of(earlier)?;
    if last.state != StateName::Failed || last.failure().is_some() {
        return None;
    }
    let (id, reason) = (last.id.as_str(), redact(&last.message).into_owned());
    let request = code(&short(&redact(&last.request.text), MAX_SHOWN));
    let text = match Language::of(words) {
        Language::English => {
            format!("Task {id} ({request}) failed: {reason}\n\n`aside task retry {id}` tries it again.\n")
        }
        Language::Chinese => format!("任务 {id}（{request}）失败了：{reason}\n\n`aside task retry {id}` 会重试。\n"),
    };
    Some(RunnerOutcome::answer(text, short(&reason, MAX_SHOWN), ModelNeed::Unneeded))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "follow"));
        let examples = toml_lists::tables(LIST, "follow", |table| {
            Some((
                toml_lists::text(table, "name")?,
                toml_lists::texts(table, "hits"),
                toml_lists::texts(table, "misses"),
            ))
        });
        let name = |follow: &FollowUp| match follow {
            FollowUp::Again { .. } => "again",
            FollowUp::Back => "back",
            FollowUp::Why => "why",
            FollowUp::Cure => "cure",
            FollowUp::On => "on",
        };
        let mut wrong = Vec::new();
        for (rule, (wanted, hits, misses)) in ALL.iter().zip(examples) {
            assert!(hits.len() >= 4 && misses.len() >= 3, "{wanted}");
            if wanted == "refers" {
                wrong.extend(hits.iter().filter(|words| !refers(words)).map(|words| format!("refers hit {words}")));
                wrong.extend(misses.iter().filter(|words| refers(words)).map(|words| format!("refers miss {words}")));
                continue;
            }
            for words in &hits {
                let found = parse(words);
                if found.as_ref().map(name) != Some(wanted.as_str()) || !rule.pattern.is_match(bare(words).unwrap()) {
                    wrong.push(format!("{wanted} hit {words}: {found:?}"));
                }
            }
            wrong.extend(
                misses
                    .iter()
                    .filter(|words| parse(words).is_some())
                    .map(|words| format!("{wanted} miss {words}: {:?}", parse(words))),
            );
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn again_without_anything_before_it_says_so() {
        for (words, expected) in
            [("again", "Nothing was run in this conversation yet."), ("再来一次", "这次对话中还没有运行过命令。")]
        {
            let options = RouteOptions::default();
            let Routed::Task(ours) = route(words, &options) else { panic!("{words}") };
            let wanted = wanted(words, &[], &ours, &options).map(|route| (route.intent.kind, route.scope));
            assert_eq!(wanted, Some((TaskKind::Run, TaskScope::Full)), "{words}");
            let told = again(words, &[]).map(|outcome| outcome.summary).unwrap_or_default();
            assert!(told.starts_with(expected), "{told}");
        }
    }

    #[test]
    fn flags_are_taken_as_they_were_written() {
        let with = |words: &str| match parse(words) {
            Some(FollowUp::Again { with, what }) => (with, what),
            other => panic!("{words}: {other:?}"),
        };
        assert_eq!(with("try that again with --verbose -X a.py"), ("--verbose -X a.py".to_owned(), Repeat::Run));
        assert_eq!(with("run it again but with `-x -v`"), ("-x -v".to_owned(), Repeat::Run));
        assert_eq!(with("再来一次"), (String::new(), Repeat::Any));
        assert_eq!(parse(""), None);
        assert_eq!(parse("\u{202e}?!."), None);
        assert_eq!(parse(&"again ".repeat(100)), None);
    }
}
