//! The answer where only a plan is allowed and no model makes one: how the request was understood, what is missing, and how to rephrase it.
//! Proposes no action.

use aside_core::agent::language::Language;
use aside_redact::redact;

use crate::proposal::Proposal;
use crate::route::intent::{Intent, TaskKind};
use crate::run::{ModelNeed, RunnerOutcome, code, short};

const MAX_SHOWN: usize = 200;

/// Why there is only a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanReason {
    /// The user asked for a plan.
    Asked,
    /// The request could not be understood.
    Unsure,
}

/// `lack` says in a sentence why no model plans, and what to do about it; empty when none could do better.
pub fn plan(request: &str, intent: &Intent, because: PlanReason, lack: &str) -> RunnerOutcome {
    let files: Vec<String> = intent.params.files.iter().map(|file| code(&short(file, MAX_SHOWN))).collect();
    let words = intent.params.change_request.as_deref().or(intent.params.question.as_deref()).unwrap_or(request);
    let words = short(&redact(words), MAX_SHOWN);
    let mut rows: Vec<String> = Vec::new();
    let summary;
    match Language::of(request) {
        Language::English => {
            summary = match because {
                PlanReason::Asked => format!("A plan only: {words}"),
                PlanReason::Unsure => "Not sure what is wanted; say it more clearly".to_owned(),
            };
            rows.push(match because {
                PlanReason::Asked => format!("Nothing is changed and nothing is run. What you want: {words}"),
                PlanReason::Unsure => "I could not tell what you want, so nothing is proposed.".to_owned(),
            });
            rows.push(String::new());
            match (intent.kind, files.is_empty()) {
                (TaskKind::Change, false) => rows.push(format!("1. Look at {}.", files.join(", "))),
                (TaskKind::Change, true) => rows.push(
                    "1. Find the files that it is about; naming them, as in `in src/user.rs`, makes the change better."
                        .to_owned(),
                ),
                (_, false) => rows.push(format!("1. The question is about {}.", files.join(", "))),
                (_, true) => {
                    rows.push("1. Say what it is about: a file, a command, or the error as it was printed.".to_owned());
                }
            }
            if intent.kind == TaskKind::Change {
                rows.push("2. Write the change as a diff, which you see before anything is written.".to_owned());
                rows.push("3. Run the tests of the project, if you say yes to that as well.".to_owned());
            } else {
                rows.push(
                    "2. Begin with what to do: `change …`, `run …`, `find …`, `explain …`, `review …`.".to_owned(),
                );
            }
        }
        Language::Chinese => {
            summary = match because {
                PlanReason::Asked => format!("只是计划：{words}"),
                PlanReason::Unsure => "不确定想要什么，请说得更清楚一些".to_owned(),
            };
            rows.push(match because {
                PlanReason::Asked => format!("不会修改任何文件，也不会运行任何命令。你想要的是：{words}"),
                PlanReason::Unsure => "没能明白你想要什么，所以没有提出任何内容。".to_owned(),
            });
            rows.push(String::new());
            match (intent.kind, files.is_empty()) {
                (TaskKind::Change, false) => rows.push(format!("1. 查看 {}。", files.join("、"))),
                (TaskKind::Change, true) => {
                    rows.push("1. 找到相关文件；写出文件名（例如 `src/user.rs`）会让修改更准确。".to_owned());
                }
                (_, false) => rows.push(format!("1. 问题涉及 {}。", files.join("、"))),
                (_, true) => rows.push("1. 请写明涉及什么：文件、命令，或者打印出来的错误。".to_owned()),
            }
            if intent.kind == TaskKind::Change {
                rows.push("2. 把修改写成 diff，写入之前先给你看。".to_owned());
                rows.push("3. 如果你同意，再运行项目的测试。".to_owned());
            } else {
                rows.push("2. 开头写明要做什么：`修改…`、`运行…`、`查找…`、`解释…`、`审查…`。".to_owned());
            }
        }
    }
    if !lack.is_empty() {
        rows.extend([String::new(), lack.to_owned()]);
    }
    let text = rows.join("\n") + "\n";
    RunnerOutcome { proposal: Proposal::Plan { text }, summary, details: String::new(), model: ModelNeed::Better }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::intent::IntentParams;

    fn text(request: &str, kind: TaskKind, files: &[&str], because: PlanReason, lack: &str) -> String {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let intent = Intent {
            kind,
            confidence: 0.4,
            summary: String::new(),
            params: IntentParams { files, ..IntentParams::default() },
        };
        match plan(request, &intent, because, lack).proposal {
            Proposal::Plan { text } => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_plan_says_what_is_known_and_how_to_go_on() {
        assert_eq!(
            text("rename it", TaskKind::Change, &["a.rs"], PlanReason::Asked, "It needs a model."),
            "Nothing is changed and nothing is run. What you want: rename it\n\n1. Look at `a.rs`.\n2. Write the change as a diff, which you \
             see before anything is written.\n3. Run the tests of the project, if you say yes to that as well.\n\nIt needs a model.\n"
        );
        let unsure = text("the thing", TaskKind::Explain, &[], PlanReason::Unsure, "");
        assert!(unsure.starts_with("I could not tell what you want") && unsure.contains("`run …`"), "{unsure}");
        assert!(text("那个东西", TaskKind::Explain, &[], PlanReason::Unsure, "").contains("`运行…`"));
    }

    #[test]
    fn no_secret_is_repeated() {
        let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        assert!(!text(&format!("use {secret}"), TaskKind::Change, &[], PlanReason::Asked, "").contains(secret));
    }
}
