//! The answers to "help" and "status", from values that the caller passes.

use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;

use crate::run::{ModelNeed, RunnerOutcome, code};

/// The current status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceStatus {
    pub workspace: String,
    /// Empty outside of a repository.
    pub branch: String,
    /// Files that differ from the last commit.
    pub changed: Vec<ChangedFile>,
    /// How the branch stands to the one of a remote that it follows; empty where it follows none, or is the same.
    pub remote: String,
    /// What else is known about the repository, a row each.
    pub repository: Vec<String>,
    /// The name of the model; empty when none is set up.
    pub model: String,
    /// Why the model does not answer; empty when it does, or when it was not asked yet.
    pub trouble: String,
    /// Tasks that wait for the user, by their names and what they propose.
    pub waiting: Vec<(String, String)>,
    /// Running tasks, likewise.
    pub running: Vec<(String, String)>,
    /// The tasks that ended last, and how.
    pub ended: Vec<(String, String)>,
    /// How many tasks wait or run in other directories.
    pub elsewhere: usize,
}

/// A file that differs from the last commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    /// Git's two letters for it: of the index, then of the working tree.
    letters: String,
}

impl ChangedFile {
    /// What happened to it, where it was not only edited.
    fn how(&self, language: Language) -> &'static str {
        let (index, tree) = (self.letters.get(..1).unwrap_or_default(), self.letters.get(1..).unwrap_or_default());
        match (index, tree) {
            ("U", _) | (_, "U") | ("A", "A") | ("D", "D") => language.pick(" (conflict)", "（冲突）"),
            ("?", _) => language.pick(" (new, untracked)", "（新文件，未跟踪）"),
            ("A", _) => language.pick(" (new, staged)", "（新文件，已暂存）"),
            ("D", _) => language.pick(" (deleted, staged)", "（已删除，已暂存）"),
            (_, "D") => language.pick(" (deleted)", "（已删除）"),
            ("M" | "R", " ") => language.pick(" (staged)", "（已暂存）"),
            ("M" | "R", _) => language.pick(" (partly staged)", "（部分已暂存）"),
            _ => "",
        }
    }
}

/// A changed file with its letters in git's status, as `workspace` has it.
pub fn changed(path: &str, status: &str) -> ChangedFile {
    let letters = status.lines().skip(1).find(|line| line.get(3..) == Some(path)).and_then(|line| line.get(..2));
    ChangedFile { path: path.to_owned(), letters: letters.unwrap_or_default().to_owned() }
}

/// How the branch stands to the one that it follows, from the first line of git's status.
pub fn remote(status: &str, language: Language) -> String {
    let head = status.lines().next().unwrap_or_default();
    let Some((_, remote)) = head.split_once("...") else { return String::new() };
    let Some((name, counts)) = remote.split_once(" [") else { return String::new() };
    let count = |word: &str| {
        let found = counts.trim_end_matches(']').split(", ").find_map(|part| part.strip_prefix(word));
        found.and_then(|number| number.trim().parse::<usize>().ok()).unwrap_or(0)
    };
    match (count("ahead "), count("behind "), language) {
        (0, 0, _) => String::new(),
        (ahead, 0, Language::English) => format!("{ahead} ahead of {}", code(name)),
        (0, behind, Language::English) => format!("{behind} behind {}", code(name)),
        (ahead, behind, Language::English) => format!("{ahead} ahead of {} and {behind} behind it", code(name)),
        (ahead, behind, Language::Chinese) => format!("比 {} 领先 {ahead}，落后 {behind}", code(name)),
    }
}

/// Changed files that are named.
const MAX_FILES: usize = 12;
/// Tasks of each sort that are named.
const MAX_TASKS: usize = 3;
/// Ended ones: `aside task list` has them all.
const MAX_ENDED: usize = 3;

pub fn help(request: &str, prefix: &str) -> RunnerOutcome {
    let text = match Language::of(request) {
        Language::English => format!(
            "Say what you want in your own words. Nothing is written and nothing is run before you have seen it and said yes.\n\n\
             - run: `run the tests`, `build it`, `start the dev server`\n\
             - diagnose: `why did that fail`, or paste an error\n\
             - change: `rename average to mean`, `bump the minor version`; whatever is not exact needs a model\n\
             - search: `where is the port configured`\n\
             - review: `review my changes`\n\
             - explain: `what does this project do`, `explain src/user.rs`, `what does tar -xzf do`, `exit code 137`\n\
             - status, help: `how do I undo what you did`, `how do I set a model`\n\n\
             In a chat with others, begin with `{prefix}`: `{prefix} plan WORDS` (only a plan), `{prefix} patch WORDS` (a change), `{prefix} apply ID`, `{prefix} test --cmd=\"...\"`.\n"
        ),
        Language::Chinese => format!(
            "用自己的话说出想做的事。在你看过并同意之前，不会写入任何文件，也不会运行任何命令。\n\n\
             - 运行：`运行测试`、`编译一下`、`启动服务`\n\
             - 诊断：`为什么失败了`，或者粘贴错误信息\n\
             - 修改：`把 average 改名为 mean`、`把版本改成 0.5.0`；不能精确说明的修改需要模型\n\
             - 搜索：`端口在哪里配置`\n\
             - 审查：`看一下我的改动`\n\
             - 解释：`这个项目是做什么的`、`解释一下 src/user.rs`、`tar -xzf 是什么意思`、`退出码 137`\n\
             - 状态、帮助：`怎么撤销你做的修改`、`怎么设置模型`\n\n\
             在多人聊天里以 `{prefix}` 开头：`{prefix} plan …`（只要计划）、`{prefix} patch …`（修改）、`{prefix} apply ID`、`{prefix} test --cmd=\"...\"`。\n"
        ),
    };
    let summary = text.lines().next().unwrap_or_default().to_owned();
    RunnerOutcome::answer(text, summary, ModelNeed::Unneeded)
}

/// Whether words ask where the work stands, though they are like a search: `where did I leave off`.
pub fn is_asked(words: &str) -> bool {
    static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:so,? )?(?:where (?:did|was|were|have|had) (?:i|we)(?: (?:leave|left|stop|stopped))?(?: (?:things|off|at|last|here|yesterday|last time))*|what was (?:i|we) (?:doing|working on|in the middle of)\b.*|where (?:were|was|am|are) (?:i|we)(?: now| right now)?|what did i (?:last work on|do last|work on last))$").ok()
    });
    let words = words.trim().trim_end_matches(['?', '.', '!']);
    ASKED.as_ref().is_some_and(|pattern| pattern.is_match(words))
}

pub fn status(request: &str, status: &WorkspaceStatus) -> RunnerOutcome {
    let language = Language::of(request);
    let WorkspaceStatus { waiting, running, ended, elsewhere, .. } = status;
    // A question about the repository is not one about tasks that ended, nor about models.
    let is_whole = status.branch.is_empty() || is_bare(request);
    let mut text = match language {
        Language::English => english(status),
        Language::Chinese => chinese(status),
    };
    if is_whole {
        text.push_str(&model(status, language));
    }
    let titles = match language {
        Language::English => ["Waiting for you: ", "Under way: ", "Ended: "],
        Language::Chinese => ["等你决定：", "进行中：", "已结束："],
    };
    let ends = if is_whole { MAX_ENDED } else { 0 };
    for (title, tasks, most) in
        [(titles[0], waiting, MAX_TASKS), (titles[1], running, MAX_TASKS), (titles[2], ended, ends)]
    {
        for (name, about) in tasks.iter().take(most) {
            text.push_str(&format!("- {title}{} {about}\n", code(name)));
        }
        if tasks.len() > MAX_TASKS && most == MAX_TASKS {
            let more = tasks.len() - MAX_TASKS;
            text.push_str(&match language {
                Language::English => format!("- {title}{more} more\n"),
                Language::Chinese => format!("- {title}还有 {more} 个\n"),
            });
        }
    }
    if *elsewhere > 0 && is_whole {
        text.push_str(&match language {
            Language::English => format!("- In other directories: {elsewhere} more (`aside task list`)\n"),
            Language::Chinese => format!("- 其他目录：还有 {elsewhere} 个（`aside task list`）\n"),
        });
    }
    let summary = match (waiting.len(), running.len(), language) {
        (0, 0, language) => language.pick("Nothing is under way", "没有进行中的任务").to_owned(),
        (waiting, running, Language::English) => format!("{waiting} waiting for you, {running} under way"),
        (waiting, running, Language::Chinese) => format!("{waiting} 个等你决定，{running} 个进行中"),
    };
    RunnerOutcome::answer(text, summary, ModelNeed::Unneeded)
}

/// Whether a request says no more than "status".
fn is_bare(request: &str) -> bool {
    match Language::of(request) {
        Language::English => request.split_whitespace().count() <= 2,
        Language::Chinese => request.chars().count() <= 4,
    }
}

fn model(status: &WorkspaceStatus, language: Language) -> String {
    let WorkspaceStatus { model, trouble, .. } = status;
    match (model.is_empty(), trouble.is_empty(), language) {
        (true, _, Language::English) => {
            "- Model: none; changes and open questions need one (`aside model pull`)\n".to_owned()
        }
        (true, _, Language::Chinese) => "- 模型：没有；修改代码和开放的问题需要一个（`aside model pull`）\n".to_owned(),
        (false, true, Language::English) => format!("- Model: {}\n", code(model)),
        (false, true, Language::Chinese) => format!("- 模型：{}\n", code(model)),
        (false, false, Language::English) => format!("- Model: {}, which does not answer: {trouble}\n", code(model)),
        (false, false, Language::Chinese) => format!("- 模型：{}，没有应答：{trouble}\n", code(model)),
    }
}

/// Tasks that are named when only they are asked about.
const MAX_WAITING: usize = 30;

/// Only the tasks that wait, all of them.
pub fn waiting(request: &str, status: &WorkspaceStatus) -> RunnerOutcome {
    let language = Language::of(request);
    let waiting = &status.waiting;
    let mut text = match (waiting.len(), language) {
        (0, language) => language.pick("No task waits for you.\n", "没有任务在等你决定。\n").to_owned(),
        (1, Language::English) => "1 task waits for you:\n\n".to_owned(),
        (many, Language::English) => format!("{many} tasks wait for you:\n\n"),
        (many, Language::Chinese) => format!("有 {many} 个任务等你决定：\n\n"),
    };
    let summary = text.trim().trim_end_matches([':', '：']).to_owned();
    for (name, about) in waiting.iter().take(MAX_WAITING) {
        text.push_str(&format!("- {} {about}\n", code(name)));
    }
    match (waiting.len().saturating_sub(MAX_WAITING), language) {
        (0, _) => {}
        (more, Language::English) => text.push_str(&format!("- and {more} more: `aside task list`\n")),
        (more, Language::Chinese) => text.push_str(&format!("- 还有 {more} 个：`aside task list`\n")),
    }
    if !waiting.is_empty() {
        text.push_str(
            language
                .pick("\n`aside task show ID` shows one and asks.\n", "\n`aside task show ID` 显示其中一个并询问。\n"),
        );
    }
    RunnerOutcome::answer(text, summary, ModelNeed::Unneeded)
}

/// The changed files by name.
fn changed_files(changed: &[ChangedFile], language: Language) -> String {
    let row = |file: &ChangedFile| format!("  - {}{}\n", code(&file.path), file.how(language));
    let mut rows: String = changed.iter().take(MAX_FILES).map(row).collect();
    if changed.len() > MAX_FILES {
        let more = changed.len() - MAX_FILES;
        rows.push_str(&match language {
            Language::English => format!("  - and {more} more\n"),
            Language::Chinese => format!("  - 还有 {more} 个\n"),
        });
    }
    rows
}

/// The location and what is changed there.
fn english(status: &WorkspaceStatus) -> String {
    let WorkspaceStatus { workspace, branch, changed, remote, repository, .. } = status;
    let mut text = format!("- Workspace: {}", code(workspace));
    if !branch.is_empty() {
        let changes = match changed.len() {
            0 => "nothing changed".to_owned(),
            1 => "1 file changed".to_owned(),
            many => format!("{many} files changed"),
        };
        text.push_str(&format!(", branch {}, {changes}", code(branch)));
    }
    if !remote.is_empty() {
        text.push_str(&format!(", {remote}"));
    }
    text.push('\n');
    text.push_str(&changed_files(changed, Language::English));
    text.extend(repository.iter().map(|row| format!("- {row}\n")));
    text
}

fn chinese(status: &WorkspaceStatus) -> String {
    let WorkspaceStatus { workspace, branch, changed, remote, repository, .. } = status;
    let mut text = format!("- 工作目录：{}", code(workspace));
    if !branch.is_empty() {
        let changes = match changed.len() {
            0 => "没有改动".to_owned(),
            many => format!("改动了 {many} 个文件"),
        };
        text.push_str(&format!("，分支 {}，{changes}", code(branch)));
    }
    if !remote.is_empty() {
        text.push_str(&format!("，{remote}"));
    }
    text.push('\n');
    text.push_str(&changed_files(changed, Language::Chinese));
    text.extend(repository.iter().map(|row| format!("- {row}\n")));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposal::Proposal;
    use crate::route::intent::TaskKind;

    fn text(outcome: RunnerOutcome) -> String {
        match outcome.proposal {
            Proposal::Answer { text } => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn where_the_work_stands_is_the_status() {
        for words in ["where did I leave off", "where was I?", "where did we stop", "what was I working on yesterday"] {
            assert!(is_asked(words), "{words}");
        }
        for words in ["where did I define foo", "where do we stop the server", "what was changed"] {
            assert!(!is_asked(words), "{words}");
        }
    }

    #[test]
    fn help_names_every_kind_in_both_languages() {
        let english = text(help("help", "@dev"));
        for kind in TaskKind::ALL {
            assert!(english.contains(kind.name()), "{}", kind.name());
        }
        assert!(english.contains("`@dev apply ID`"));
        assert!(text(help("你能做什么", "@dev")).contains("运行测试"));
    }

    #[test]
    fn the_status_says_what_is_known() {
        let bare = WorkspaceStatus { workspace: "/p".to_owned(), ..WorkspaceStatus::default() };
        assert_eq!(
            text(status("status", &bare)),
            "- Workspace: `/p`\n- Model: none; changes and open questions need one (`aside model pull`)\n"
        );
        let task = |name: &str| (name.to_owned(), "run `make test`".to_owned());
        let full = WorkspaceStatus {
            branch: "main".to_owned(),
            changed: ["a.py", "b.py"].map(|path| changed(path, "branch main\n M a.py\n?? b.py\n")).to_vec(),
            remote: remote("branch main...origin/main [ahead 2, behind 1]\n M a.py\n", Language::English),
            repository: vec!["1 stash: `git stash list`".to_owned()],
            model: "qwen".to_owned(),
            trouble: "connection refused".to_owned(),
            waiting: vec![task("t1")],
            running: (0..7).map(|_| task("t2")).collect(),
            ..bare
        };
        let told = status("status", &full);
        assert_eq!(told.summary, "1 waiting for you, 7 under way");
        let told = text(told);
        assert!(told.starts_with("- Workspace: `/p`, branch `main`, 2 files changed, 2 ahead of `origin/main` and 1 behind it\n  - `a.py`\n  - `b.py` (new, untracked)\n- 1 stash: `git stash list`\n- Model: `qwen`, which does not answer: connection refused\n- Waiting for you: `t1` run `make test`\n"), "{told}");
        assert!(told.ends_with("- Under way: 4 more\n"), "{told}");
        let short = text(status("what did I change here", &full));
        assert!(!short.contains("Model:") && short.contains("`a.py`"), "{short}");
        let chinese = status("状态", &full);
        assert_eq!(chinese.summary, "1 个等你决定，7 个进行中");
        let chinese = text(chinese);
        assert!(chinese.starts_with("- 工作目录：`/p`，分支 `main`，改动了 2 个文件，2 ahead of `origin/main` and 1 behind it\n  - `a.py`\n  - `b.py`（新文件，未跟踪）\n- 1 stash: `git stash list`\n- 模型：`qwen`，没有应答：connection refused\n- 等你决定：`t1` run `make test`\n"), "{chinese}");
        assert!(chinese.ends_with("- 进行中：还有 4 个\n"), "{chinese}");
    }
}
