//! What a chat is told of a task: short, with its name, what it waits for and what can be done next; never a diff. In the language of the
//! request. Texts are counted in bytes, as WeCom counts them, and cut between characters.

use aside_core::agent::language::Language;
use aside_proto::task::TaskBrief;
use aside_redact::redact;
use aside_text::clean;

use crate::event::{ActOutcome, Event, EventKind, answered_from};
use crate::proposal::{FileSummary, Proposal, TaskResult};
use crate::run::short;
use crate::state::StateName;

/// Bytes of one message: what a WeCom app may send as text.
pub const MAX_BYTES: usize = 2048;
/// Files and places that are named.
const MAX_NAMED: usize = 8;
/// Letters of a command, a summary, a name of a file.
const MAX_COMMAND: usize = 300;
const MAX_SUMMARY: usize = 200;
const MAX_PATH: usize = 120;
const MAX_LISTED: usize = 60;
const CUT: &str = "…";

/// Follows the events of one task. `hear` gives the message that is due after an event.
#[derive(Clone, Debug)]
pub struct ChatReport {
    /// The machine's, for "waiting for local approval on …".
    machine: String,
    language: Language,
    result: Option<TaskResult>,
    /// The last state that was told.
    told: Option<StateName>,
}

impl ChatReport {
    pub fn new(machine: &str, request: &str) -> Self {
        Self { machine: short(machine, MAX_PATH), language: Language::of(request), result: None, told: None }
    }

    pub fn hear(&mut self, event: &Event) -> Option<String> {
        match &event.what {
            EventKind::TaskProposal(offered) => {
                self.result = Some(offered.result.clone());
                None
            }
            EventKind::TaskState(change) => {
                if let Some(request) = &change.request {
                    self.language = Language::of(&request.text);
                    (self.result, self.told) = (None, None);
                }
                let id = event.task_id.as_str();
                let message = change.message.as_deref().unwrap_or_default();
                let text = match change.state {
                    StateName::WaitingApproval => self.waits(id),
                    StateName::Executing => self.runs(id, change.by.as_deref()),
                    StateName::Completed => self.done(id, change.outcome.as_ref()),
                    StateName::Failed => self.failed(id, message),
                    StateName::Rejected => self.rejected(id, message),
                    StateName::Received
                    | StateName::Routed
                    | StateName::ContextCollected
                    | StateName::Proposing
                    | StateName::ProposalReady => {
                        return None;
                    }
                };
                // An edited proposal waits anew; everything else is said once.
                let is_news = self.told != Some(change.state) || change.state == StateName::WaitingApproval;
                self.told = Some(change.state);
                is_news.then_some(text)
            }
            EventKind::TaskStart { .. } | EventKind::TaskStreamChunk { .. } | EventKind::TaskEnd { .. } => None,
        }
    }

    fn waits(&self, id: &str) -> String {
        let machine = &self.machine;
        let head = match self.language {
            Language::English => format!("[{id}] Proposal ready; waiting for local approval on {machine}."),
            Language::Chinese => format!("[{id}] 方案已就绪，等待在 {machine} 上本地批准。"),
        };
        let next = match self.language {
            Language::English => format!(
                "Next: approve it at that machine (aside chat, the page, or `aside task show {id}`). Here: `cancel {id}` stops it."
            ),
            Language::Chinese => {
                format!(
                    "下一步：请在该机器上批准（aside chat、网页或 `aside task show {id}`）。在这里可以发送：取消 {id}"
                )
            }
        };
        let body = self.result.as_ref().map(|result| self.proposed(result)).unwrap_or_default();
        whole(&head, &body, &next)
    }

    fn runs(&self, id: &str, by: Option<&str>) -> String {
        let place = answered_from(by.unwrap_or_default());
        let head = match self.language {
            Language::English => format!("[{id}] Approved {place}; at work."),
            Language::Chinese => format!("[{id}] 已在本地批准，正在执行。"),
        };
        let next = self.language.pick("Next: nothing to do; the result follows.", "下一步：无需操作，完成后会通知。");
        whole(&head, "", next)
    }

    fn done(&self, id: &str, outcome: Option<&ActOutcome>) -> String {
        let exit = outcome.and_then(|outcome| outcome.exit);
        let head = match (self.language, exit) {
            (Language::English, None | Some(0)) => format!("[{id}] Done."),
            (Language::English, Some(code)) => format!("[{id}] Done; the command ended with {code}."),
            (Language::Chinese, None | Some(0)) => format!("[{id}] 完成。"),
            (Language::Chinese, Some(code)) => format!("[{id}] 完成，命令退出码为 {code}。"),
        };
        let body = match (outcome, &self.result) {
            (Some(outcome), _) => short(&outcome.summary, MAX_SUMMARY),
            (None, Some(result)) => self.proposed(result),
            (None, None) => String::new(),
        };
        let next = match self.language {
            Language::English => format!("Next: ask on, or look at {id} on {}.", self.machine),
            Language::Chinese => format!("下一步：可以继续提问，或在 {} 上查看 {id}。", self.machine),
        };
        whole(&head, &body, &next)
    }

    fn failed(&self, id: &str, why: &str) -> String {
        let head = match self.language {
            Language::English => format!("[{id}] Failed."),
            Language::Chinese => format!("[{id}] 失败。"),
        };
        let next = match self.language {
            Language::English => format!("Next: `retry {id}` tries again."),
            Language::Chinese => format!("下一步：发送“重试 {id}”可再试一次。"),
        };
        whole(&head, &short(why, MAX_SUMMARY), &next)
    }

    fn rejected(&self, id: &str, why: &str) -> String {
        let head = match self.language {
            Language::English => format!("[{id}] Not carried out."),
            Language::Chinese => format!("[{id}] 未执行。"),
        };
        let next = match self.language {
            Language::English => format!("Next: say it in other words, or `retry {id}`."),
            Language::Chinese => format!("下一步：换一种说法，或发送“重试 {id}”。"),
        };
        whole(&head, &short(why, MAX_SUMMARY), &next)
    }

    /// What is proposed, without a line of a diff.
    fn proposed(&self, result: &TaskResult) -> String {
        match &result.proposal {
            Proposal::Plan { text } | Proposal::Answer { text } => self.words(text),
            Proposal::Diff { files, .. } => self.files(&result.summary, files),
            Proposal::Command { cmd, reason, .. } => {
                let title = self.language.pick("Command: ", "命令：");
                let command = format!("{title}{}", short(cmd, MAX_COMMAND));
                match reason {
                    Some(reason) => format!("{command}\n{}", short(reason, MAX_SUMMARY)),
                    None => command,
                }
            }
            Proposal::SearchResults { items } => {
                let mut rows: Vec<String> =
                    items.iter().take(MAX_NAMED).map(|found| short(&found.path, MAX_PATH)).collect();
                rows.extend(self.more(items.len()));
                format!("{}\n{}", short(&result.summary, MAX_SUMMARY), rows.join("\n"))
            }
        }
    }

    fn files(&self, summary: &str, files: &[FileSummary]) -> String {
        let row = |file: &FileSummary| {
            let FileSummary { path, additions, deletions } = file;
            format!("{} (+{additions} -{deletions})", short(path, MAX_PATH))
        };
        let mut rows: Vec<String> = files.iter().take(MAX_NAMED).map(row).collect();
        rows.extend(self.more(files.len()));
        let (added, removed) =
            files.iter().fold((0, 0), |(added, removed), file| (added + file.additions, removed + file.deletions));
        let count = files.len();
        let title = match self.language {
            Language::English => format!("{count} {}, +{added} -{removed}:", if count == 1 { "file" } else { "files" }),
            Language::Chinese => format!("{count} 个文件，+{added} -{removed}："),
        };
        format!("{}\n{title}\n{}", short(summary, MAX_SUMMARY), rows.join("\n"))
    }

    fn more(&self, count: usize) -> Option<String> {
        let more = count.checked_sub(MAX_NAMED).filter(|more| *more > 0)?;
        Some(match self.language {
            Language::English => format!("and {more} more"),
            Language::Chinese => format!("还有 {more} 个"),
        })
    }

    /// An answer in words. A change that it shows is looked at on the machine.
    fn words(&self, text: &str) -> String {
        let left_out = self.language.pick("(a diff: see it at the machine)", "（差异请在机器上查看）");
        let mut rows: Vec<&str> = Vec::new();
        let mut fence: Option<bool> = None;
        for line in text.lines() {
            let start = line.trim_start();
            if start.starts_with("```") {
                let is_diff = ["diff", "patch"].iter().any(|name| start.trim_start_matches('`').starts_with(name));
                fence = match fence {
                    Some(_) => None,
                    None => {
                        if is_diff {
                            rows.push(left_out);
                        }
                        Some(is_diff)
                    }
                };
                continue;
            }
            let is_of_diff = fence == Some(true)
                || ["@@ -", "--- a/", "+++ b/", "diff --git "].iter().any(|mark| start.starts_with(mark));
            if !is_of_diff {
                rows.push(line);
            }
        }
        rows.join("\n").trim().to_owned()
    }
}

/// The first words about a request, before anything is known of it.
pub fn received(id: &str, request: &str) -> String {
    match Language::of(request) {
        Language::English => {
            format!("[{id}] Received. Next: nothing to do; the proposal or the answer follows. `cancel {id}` stops it.")
        }
        Language::Chinese => format!("[{id}] 已收到。下一步：无需操作，稍后回复方案或答案。发送“取消 {id}”可停止。"),
    }
}

/// The answer to an approval from afar.
pub fn approve_there(id: &str, machine: &str, words: &str) -> String {
    match Language::of(words) {
        Language::English => {
            format!("[{id}] Approving and rejecting is done on {machine} only. Next: `aside task show {id}` there.")
        }
        Language::Chinese => {
            format!("[{id}] 批准或拒绝只能在 {machine} 上进行。下一步：在那里运行 `aside task show {id}`。")
        }
    }
}

/// What a message without a request is told.
pub fn hint(machine: &str, words: &str) -> String {
    match Language::of(words) {
        Language::English => format!(
            "Say what you want done on {machine}, as in: run the tests. Also: status, cancel, retry. Approving is done there."
        ),
        Language::Chinese => {
            format!(
                "请直接说出要在 {machine} 上做的事，例如：运行测试。还可以发送：状态、取消、重试。批准只能在该机器上进行。"
            )
        }
    }
}

/// To a user who has brought the code of a pairing.
pub fn paired(machine: &str, words: &str) -> String {
    match Language::of(words) {
        Language::English => format!("The code is right. Next: it has to be confirmed on {machine}."),
        Language::Chinese => format!("配对码正确。下一步：请在 {machine} 上确认。"),
    }
}

/// A task is being cancelled; how it ended is told by the task.
pub fn stopping(id: &str, words: &str) -> String {
    match Language::of(words) {
        Language::English => format!("[{id}] Stopping it."),
        Language::Chinese => format!("[{id}] 正在停止。"),
    }
}

/// How the tasks of a user stand, the newest first.
pub fn standing(briefs: &[TaskBrief], machine: &str, words: &str) -> String {
    let language = Language::of(words);
    if briefs.is_empty() {
        let none = language.pick("You have asked for nothing yet.", "你还没有提出过任务。");
        return whole(none, "", &hint(machine, words));
    }
    let row = |brief: &TaskBrief| {
        let state = match brief.state.as_str() {
            "WAITING_APPROVAL" => language.pick("waits for local approval", "等待本地批准"),
            "EXECUTING" => language.pick("at work", "正在执行"),
            "COMPLETED" => language.pick("done", "完成"),
            "FAILED" => language.pick("failed", "失败"),
            "REJECTED" => language.pick("not carried out", "未执行"),
            _ => language.pick("thinking", "思考中"),
        };
        format!("[{}] {state}: {}", brief.task_id, short(&brief.text, MAX_LISTED))
    };
    let rows: Vec<String> = briefs.iter().take(MAX_NAMED).map(row).collect();
    whole("", &rows.join("\n"), "")
}

pub fn no_such(name: &str, words: &str) -> String {
    match (Language::of(words), name) {
        (Language::English, "") => "You have no task yet. Next: say what you want done.".to_owned(),
        (Language::English, name) => format!("You have no task {name}. Next: `status` lists yours."),
        (Language::Chinese, "") => "你还没有任务。下一步：请说出要做的事。".to_owned(),
        (Language::Chinese, name) => format!("你没有任务 {name}。下一步：发送“状态”查看。"),
    }
}

pub fn too_many(open: usize, words: &str) -> String {
    match Language::of(words) {
        Language::English => {
            format!("{open} of your tasks are still open, in all of your chats. Next: wait for one, or `cancel` it.")
        }
        Language::Chinese => format!("你在所有聊天中还有 {open} 个未结束的任务。下一步：等待其结束，或发送“取消”。"),
    }
}

/// More messages than are acted upon one after the other.
pub fn too_fast(waiting: usize, words: &str) -> String {
    match Language::of(words) {
        Language::English => {
            format!("{waiting} of your messages wait already; this one was not read. Next: send it again later.")
        }
        Language::Chinese => format!("你已有 {waiting} 条消息在等待，这一条没有处理。下一步：请稍后重新发送。"),
    }
}

pub fn too_long(bytes: usize, words: &str) -> String {
    match Language::of(words) {
        Language::English => format!("A request has at most {bytes} bytes. Next: say it shorter."),
        Language::Chinese => format!("请求最多 {bytes} 字节。下一步：请缩短。"),
    }
}

pub fn no_workspace(machine: &str, words: &str) -> String {
    match Language::of(words) {
        Language::English => {
            format!("{machine} has no directory for remote requests. Next: its user sets remote.workspaces.")
        }
        Language::Chinese => {
            format!("{machine} 没有可供远程请求的目录。下一步：请该机器的用户设置 remote.workspaces。")
        }
    }
}

/// Three parts, of which the middle one is cut when all of them are too long.
pub fn whole(head: &str, body: &str, next: &str) -> String {
    let body = redact(body);
    let body = clean(&body);
    let around = head.len() + next.len() + 2;
    let body = cut(body.trim(), MAX_BYTES.saturating_sub(around));
    let parts = [head, &body, next];
    let text = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<&str>>().join("\n");
    cut(&text, MAX_BYTES)
}

/// At most so many bytes, between two characters, and not before a mark that belongs to the one before it.
pub fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = text.floor_char_boundary(bytes.saturating_sub(CUT.len()));
    while text[end..].chars().next().is_some_and(joins) || text[..end].ends_with('\u{200d}') {
        let Some(last) = text[..end].chars().next_back() else { break };
        end -= last.len_utf8();
    }
    let mut cut = text[..end].trim_end().to_owned();
    if cut.len() + CUT.len() <= bytes {
        cut.push_str(CUT);
    }
    cut
}

fn joins(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}
