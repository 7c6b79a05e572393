//! Compares the branch with the one of the remote that it follows, for a question about the state: "am I ahead of origin".

use aside_core::agent::language::Language;
use aside_task::run::{ModelNeed, RunnerOutcome, code, short};

use crate::daemon::tasks::attempt::answer;
use crate::exec::git::{Question, Revision};
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;

/// Commits that are named.
const MAX_COMMITS: usize = 20;

/// Whether a question about the state is about the branch that the current one follows.
pub(super) fn is_asked(words: &str) -> bool {
    let lower = words.to_lowercase();
    let parts: Vec<&str> = lower.split(|letter: char| !letter.is_alphanumeric()).collect();
    ["ahead", "behind", "unpushed", "pushed", "upstream"].iter().any(|word| parts.contains(word))
        || parts.contains(&"remote") && ["date", "sync", "same"].iter().any(|word| parts.contains(word))
        || ["领先", "落后", "没推送", "未推送"].iter().any(|word| words.contains(word))
}

/// The commits that one revision has and another has not, as rows.
pub(super) fn lacking(workspace: &Workspace, has: &str, lacks: &str) -> Option<Vec<String>> {
    let (since, of) = (Revision::new(lacks)?, Revision::new(has)?);
    let question = Question::Log { since: Some(&since), of: &of };
    let printed = probe(&Probe::Git { root: workspace.root(), question })?;
    let row = |line: &str| {
        let (id, subject) = line.split_once('\t')?;
        Some(format!("{} {}", code(id), short(&aside_redact::redact(subject), 100)))
    };
    Some(printed.lines().filter_map(row).collect())
}

/// How many commits the branch has that the remote one has not, and the other way round, from the first line of git's status.
pub(super) fn compared(workspace: &Workspace, told: &str, language: Language) -> RunnerOutcome {
    let has_repository = workspace.has_repository();
    let head = told.lines().next().unwrap_or_default().trim_start_matches("branch ");
    let (names, counts) =
        head.split_once(" [").map_or((head, ""), |(names, counts)| (names, counts.trim_end_matches(']')));
    let count = |word: &str| {
        counts.split(", ").find_map(|part| part.strip_prefix(word)?.trim().parse::<usize>().ok()).unwrap_or(0)
    };
    let commits = |many: usize| if many == 1 { "1 commit".to_owned() } else { format!("{many} commits") };
    let text = match (names.split_once("..."), language) {
        (_, Language::English) if !has_repository => "This is no git repository.".to_owned(),
        (_, Language::Chinese) if !has_repository => "这里不是 git 仓库。".to_owned(),
        (None, Language::English) => format!(
            "{} follows no branch of a remote, so there is nothing to be ahead of or behind. `git push -u origin {names}` sets one.",
            code(names)
        ),
        (None, Language::Chinese) => {
            format!("{} 没有对应的远程分支，无法比较。`git push -u origin {names}` 可以设置。", code(names))
        }
        (Some((_, remote)), _) if counts == "gone" => match language {
            Language::English => format!("{} is gone from the remote.", code(remote)),
            Language::Chinese => format!("远程已经没有 {}。", code(remote)),
        },
        (Some((branch, remote)), Language::English) => match (count("ahead "), count("behind ")) {
            (0, 0) => format!("{} and {} have the same commits, as of the last fetch.", code(branch), code(remote)),
            (ahead, 0) => format!(
                "{} is {} ahead of {}; `git push` sends {}.",
                code(branch),
                commits(ahead),
                code(remote),
                if ahead == 1 { "it" } else { "them" }
            ),
            (0, behind) => format!(
                "{} is {} behind {}, as of the last fetch: `git pull` brings them.",
                code(branch),
                commits(behind),
                code(remote)
            ),
            (ahead, behind) => format!(
                "{} is {} ahead of {} and {} behind it, as of the last fetch.",
                code(branch),
                commits(ahead),
                code(remote),
                commits(behind)
            ),
        },
        (Some((branch, remote)), Language::Chinese) => {
            format!(
                "{} 比 {} 领先 {} 次提交，落后 {} 次（以上次 fetch 为准）。",
                code(branch),
                code(remote),
                count("ahead "),
                count("behind ")
            )
        }
    };
    // Their subjects say more than their number.
    let sides = names.split_once("...").filter(|_| counts != "gone");
    let list = |has: &str, lacks: &str| {
        let rows = lacking(workspace, has, lacks).unwrap_or_default();
        rows.iter().take(MAX_COMMITS).map(|row| format!("- {row}\n")).collect::<String>()
    };
    let rows = match sides {
        Some((_, remote)) if count("ahead ") > 0 => list("HEAD", remote),
        Some((_, remote)) if count("behind ") > 0 => list(remote, "HEAD"),
        _ => String::new(),
    };
    let rows = if rows.is_empty() { rows } else { format!("\n{rows}") };
    answer(format!("{text}\n{rows}"), text, String::new(), ModelNeed::Unneeded)
}
