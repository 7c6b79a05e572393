//! What a chat is told of a task: short, with its name, what it waits for and what can be done next; never a diff. In the language of the
//! request. Texts are counted in bytes, as WeCom counts them, and cut between characters.

use aside_core::agent::language::Language;
use aside_proto::task::TaskBrief;
use aside_redact::redact;
use aside_text::clean;

use crate::event::{ActOutcome, Event, EventKind, answered_from};
use crate::executed_files;
use crate::proposal::{FileSummary, Proposal, TaskResult};
use crate::remote::afar::afar;
use crate::remote::chinese;
use crate::remote::meant::{Unclear, Verb, has_ended, open_first};
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
const MAX_QUOTED: usize = 40;
const CUT: &str = "…";

/// This machine, as the users of its chats know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    name: String,
    /// A message to it begins with its name: without one it may go to another machine.
    is_named: bool,
}

impl Machine {
    /// The only one behind its chat.
    pub fn alone(name: &str) -> Self {
        Self { name: short(name, MAX_PATH), is_named: false }
    }

    pub fn one_of_several(name: &str) -> Self {
        Self { name: short(name, MAX_PATH), is_named: true }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a user can send as it stands, in the quotes of the language.
    fn send(&self, language: Language, english: &str, chinese: &str) -> String {
        send_to(self.is_named.then_some(&self.name), language, english, chinese)
    }
}

fn send_to(machine: Option<&String>, language: Language, english: &str, chinese: &str) -> String {
    match (language, machine) {
        (Language::English, None) => format!("`{english}`"),
        (Language::English, Some(name)) => format!("`on {name}: {english}`"),
        (Language::Chinese, None) => format!("“{chinese}”"),
        (Language::Chinese, Some(name)) => format!("“在 {name} 上：{chinese}”"),
    }
}

/// Follows the events of one task. `hear` gives the message that is due after an event.
#[derive(Clone, Debug)]
pub struct ChatReport {
    machine: Machine,
    language: Language,
    result: Option<TaskResult>,
    /// The last state that was told.
    told: Option<StateName>,
}

impl ChatReport {
    pub fn new(machine: &Machine, request: &str) -> Self {
        Self { machine: machine.clone(), language: Language::of(request), result: None, told: None }
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
        let machine = self.machine.name();
        let cancel = self.cancel(id);
        let head = match self.language {
            Language::English => format!("[{id}] Proposal ready; waiting for local approval on {machine}."),
            Language::Chinese => format!("[{id}] 方案已就绪，等待在 {machine} 上本地批准。"),
        };
        let next = match self.language {
            Language::English => format!(
                "Next: approve it at that machine (aside chat, the page, or `aside task show {id}`). Here: {cancel} stops it."
            ),
            Language::Chinese => {
                format!(
                    "下一步：请在该机器上批准（aside chat、网页或 `aside task show {id}`）。在这里可以发送：{cancel}"
                )
            }
        };
        let body = self.result.as_ref().map(|result| self.proposed(result)).unwrap_or_default();
        whole(&head, &body, &next)
    }

    fn cancel(&self, id: &str) -> String {
        self.machine.send(self.language, &format!("cancel {id}"), &format!("取消 {id}"))
    }

    fn retry(&self, id: &str) -> String {
        self.machine.send(self.language, &format!("retry {id}"), &format!("重试 {id}"))
    }

    /// Words of a task or a program, in the chat's language as far as there are any.
    fn said(&self, sentence: &str) -> String {
        chinese::said(self.language, &short(sentence, MAX_SUMMARY))
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
            (Some(outcome), _) => self.said(&outcome.summary),
            (None, Some(result)) => self.proposed(result),
            (None, None) => String::new(),
        };
        let next = match self.language {
            Language::English => format!("Next: ask on, or look at {id} on {}.", self.machine.name()),
            Language::Chinese => format!("下一步：可以继续提问，或在 {} 上查看 {id}。", self.machine.name()),
        };
        whole(&head, &body, &next)
    }

    fn failed(&self, id: &str, why: &str) -> String {
        let head = match self.language {
            Language::English => format!("[{id}] Failed."),
            Language::Chinese => format!("[{id}] 失败。"),
        };
        let next = match self.language {
            Language::English => format!("Next: {} tries again.", self.retry(id)),
            Language::Chinese => format!("下一步：发送{}可再试一次。", self.retry(id)),
        };
        whole(&head, &afar(&self.said(why), self.machine.name(), self.language), &next)
    }

    fn rejected(&self, id: &str, why: &str) -> String {
        let head = match self.language {
            Language::English => format!("[{id}] Not carried out."),
            Language::Chinese => format!("[{id}] 未执行。"),
        };
        let next = match self.language {
            Language::English => format!("Next: say it in other words, or {}.", self.retry(id)),
            Language::Chinese => format!("下一步：换一种说法，或发送{}。", self.retry(id)),
        };
        whole(&head, &self.said(why), &next)
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
                    Some(reason) => format!("{command}\n{}", self.said(reason)),
                    None => command,
                }
            }
            Proposal::SearchResults { items } => {
                let mut rows: Vec<String> =
                    items.iter().take(MAX_NAMED).map(|found| short(&found.path, MAX_PATH)).collect();
                rows.extend(self.more(items.len()));
                // What was not searched: nothing found does not mean that there is nothing.
                let notes = result.details.as_deref().unwrap_or_default().lines();
                let notes =
                    notes.filter_map(|line| line.strip_prefix("- ")).filter(|note| chinese::known(note).is_some());
                rows.extend(notes.map(|note| self.said(note)));
                format!("{}\n{}", self.said(&result.summary), rows.join("\n"))
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
        let executed = executed_files::notes(files.iter().map(|file| file.path.as_str()));
        rows.extend(executed.iter().map(|note| note.of(self.language).to_owned()));
        let (added, removed) =
            files.iter().fold((0, 0), |(added, removed), file| (added + file.additions, removed + file.deletions));
        let count = files.len();
        let title = match self.language {
            Language::English => format!("{count} {}, +{added} -{removed}:", if count == 1 { "file" } else { "files" }),
            Language::Chinese => format!("{count} 个文件，+{added} -{removed}："),
        };
        // The title says the same in Chinese.
        let is_theirs = self.language == Language::English || Language::of(summary) == self.language;
        let summary = if is_theirs { format!("{}\n", short(summary, MAX_SUMMARY)) } else { String::new() };
        format!("{summary}{title}\n{}", rows.join("\n"))
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
        afar(rows.join("\n").trim(), self.machine.name(), self.language)
    }
}

/// The first words about a request, before anything is known of it.
pub fn received(id: &str, machine: &Machine, request: &str) -> String {
    let language = Language::of(request);
    let cancel = machine.send(language, &format!("cancel {id}"), &format!("取消 {id}"));
    match language {
        Language::English => {
            format!("[{id}] Received. Next: nothing to do; the proposal or the answer follows. {cancel} stops it.")
        }
        Language::Chinese => format!("[{id}] 已收到。下一步：无需操作，稍后回复方案或答案。发送{cancel}可停止。"),
    }
}

/// A request that became no task, with why. It is quoted: others may be under way.
pub fn refused(request: &str, why: &str) -> String {
    let quoted = short(&redact(request), MAX_QUOTED);
    let head = match Language::of(request) {
        Language::English => format!("Not taken: “{quoted}”."),
        Language::Chinese => format!("未受理：“{quoted}”。"),
    };
    whole(&head, why, "")
}

/// Why the daemon of this machine does not do something, in the language of the request.
pub fn daemon_said(sentence: &str, request: &str) -> String {
    let language = Language::of(request);
    whole("", &afar(&chinese::said(language, sentence), language.pick("that machine", "该机器"), language), "")
}

pub fn no_daemon(request: &str) -> String {
    let said = Language::of(request).pick(
        "Aside does not answer on that machine. Next: send it again.",
        "该机器上的 Aside 没有回答。下一步：请重新发送。",
    );
    said.to_owned()
}

/// A message that could not be written down is not acted upon.
pub fn not_noted(request: &str) -> String {
    let why = Language::of(request).pick(
        "It could not be written down on that machine; its log says why. Next: send it again later.",
        "该机器无法记录这条消息，原因见其日志。下一步：请稍后重新发送。",
    );
    refused(request, why)
}

/// The answer to an approval from afar.
pub fn approve_there(id: &str, machine: &Machine, words: &str) -> String {
    let machine = machine.name();
    match Language::of(words) {
        Language::English => {
            format!("[{id}] Approving and rejecting is done on {machine} only. Next: `aside task show {id}` there.")
        }
        Language::Chinese => {
            format!("[{id}] 批准或拒绝只能在 {machine} 上进行。下一步：在那里运行 `aside task show {id}`。")
        }
    }
}

/// The answer to a rejection from afar: the task can be stopped from here.
pub fn reject_there(id: &str, machine: &Machine, words: &str) -> String {
    let language = Language::of(words);
    let cancel = machine.send(language, &format!("cancel {id}"), &format!("取消 {id}"));
    let machine = machine.name();
    match language {
        Language::English => format!("[{id}] Rejecting is done on {machine} only. Next: {cancel} stops it from here."),
        Language::Chinese => format!("[{id}] 拒绝只能在 {machine} 上进行。下一步：在这里发送{cancel}可以停止它。"),
    }
}

/// What a message without a request is told.
pub fn hint(machine: &Machine, words: &str) -> String {
    let language = Language::of(words);
    let status = machine.send(language, "status", "状态");
    let machine = machine.name();
    match language {
        Language::English => format!(
            "Say what you want done on {machine}, as in: run the tests. Also: {status}, cancel, retry. Approving is done there."
        ),
        Language::Chinese => {
            format!(
                "请直接说出要在 {machine} 上做的事，例如：运行测试。还可以发送：{status}、取消、重试。批准只能在该机器上进行。"
            )
        }
    }
}

/// To a user who has brought the code of a pairing.
pub fn paired(machine: &Machine, words: &str) -> String {
    let machine = machine.name();
    match Language::of(words) {
        Language::English => format!("The code is right. Next: it has to be confirmed on {machine}."),
        Language::Chinese => format!("配对码正确。下一步：请在 {machine} 上确认。"),
    }
}

/// To the same user, once that was confirmed.
pub fn admitted(machine: &Machine, words: &str) -> String {
    let head = match Language::of(words) {
        Language::English => format!("You may ask for tasks on {} now.", machine.name()),
        Language::Chinese => format!("你现在可以向 {} 提出任务了。", machine.name()),
    };
    whole(&head, "", &hint(machine, words))
}

/// A task was cancelled, and has ended or is about to; how is told by the task.
pub fn stopping(brief: &TaskBrief, words: &str) -> String {
    let id = &brief.task_id;
    match (Language::of(words), has_ended(brief)) {
        (Language::English, true) => format!("[{id}] Stopped."),
        (Language::English, false) => format!("[{id}] Stopping it."),
        (Language::Chinese, true) => format!("[{id}] 已停止。"),
        (Language::Chinese, false) => format!("[{id}] 正在停止。"),
    }
}

/// A task that a message is about has ended before.
pub fn ended(brief: &TaskBrief, machine: &Machine, words: &str) -> String {
    let (id, language) = (&brief.task_id, Language::of(words));
    let state = standing_of(brief, language);
    let retry = machine.send(language, &format!("retry {id}"), &format!("重试 {id}"));
    match language {
        Language::English => format!("[{id}] It has ended already: {state}. Next: {retry} tries it again."),
        Language::Chinese => format!("[{id}] 已经结束：{state}。下一步：发送{retry}可再试一次。"),
    }
}

/// A task that is to be tried again has not ended.
pub fn still_open(brief: &TaskBrief, machine: &Machine, words: &str) -> String {
    let (id, language) = (&brief.task_id, Language::of(words));
    let state = standing_of(brief, language);
    let cancel = machine.send(language, &format!("cancel {id}"), &format!("取消 {id}"));
    match language {
        Language::English => format!("[{id}] It has not ended yet: {state}. Next: wait for it, or {cancel}."),
        Language::Chinese => format!("[{id}] 还没有结束：{state}。下一步：请等待，或发送{cancel}。"),
    }
}

/// Asks which task is meant, and lists those that can be. `others` are other machines of the user.
pub fn which(
    (verb, why): (Verb, Unclear),
    of: &[&TaskBrief],
    machine: &Machine,
    others: &[String],
    words: &str,
) -> String {
    let language = Language::of(words);
    let head = match (why, verb) {
        (Unclear::AfterRefusal, _) => language.pick(
            "Your last request was not taken, so there is nothing to do about it.",
            "你的上一个请求没有受理，所以没有可操作的任务。",
        ),
        (Unclear::Several, _) => language.pick("Which one? Name it.", "是哪一个？请写出任务号。"),
        (Unclear::Nothing, Verb::Cancel) => {
            language.pick("Nothing of yours is under way in this chat.", "你在此聊天中没有进行中的任务。")
        }
        (Unclear::Nothing, Verb::Retry) => {
            language.pick("Nothing of yours has ended in this chat.", "你在此聊天中没有已结束的任务。")
        }
        (Unclear::Nothing, Verb::Answer) => {
            language.pick("Nothing of yours waits for approval.", "你没有等待批准的任务。")
        }
    };
    let rows: Vec<String> = of.iter().take(MAX_NAMED).map(|brief| row(brief, language)).collect();
    let first = of.first().map(|brief| brief.task_id.as_str());
    let mut ways: Vec<String> = match (verb, first) {
        (Verb::Cancel, Some(id)) => vec![machine.send(language, &format!("cancel {id}"), &format!("取消 {id}"))],
        (Verb::Retry, Some(id)) => vec![machine.send(language, &format!("retry {id}"), &format!("重试 {id}"))],
        (Verb::Answer, Some(id)) => {
            let machine = machine.name();
            vec![match language {
                Language::English => format!("approve it on {machine} with `aside task show {id}`"),
                Language::Chinese => format!("在 {machine} 上用 `aside task show {id}` 批准"),
            }]
        }
        (_, None) => vec![machine.send(language, "status", "状态")],
    };
    ways.extend(others.iter().map(|other| send_to(Some(other), language, "status", "状态")));
    let next = match language {
        Language::English => format!("Next: {}.", ways.join(", or ")),
        Language::Chinese => format!("下一步：{}。", ways.join("，或 ")),
    };
    whole(head, &rows.join("\n"), &next)
}

/// How the tasks of a user stand: those that wait first, then the newest.
pub fn standing(briefs: &[TaskBrief], machine: &Machine, words: &str) -> String {
    let language = Language::of(words);
    let mut briefs = briefs.to_vec();
    open_first(&mut briefs);
    if briefs.is_empty() {
        let none = language.pick("You have asked for nothing yet.", "你还没有提出过任务。");
        return whole(none, "", &hint(machine, words));
    }
    let rows: Vec<String> = briefs.iter().take(MAX_NAMED).map(|brief| row(brief, language)).collect();
    let more = briefs.len().saturating_sub(MAX_NAMED);
    let more = match language {
        _ if more == 0 => String::new(),
        Language::English => format!("and {more} more"),
        Language::Chinese => format!("还有 {more} 个"),
    };
    whole("", &rows.join("\n"), &more)
}

fn row(brief: &TaskBrief, language: Language) -> String {
    format!("[{}] {}: {}", brief.task_id, standing_of(brief, language), short(&brief.text, MAX_LISTED))
}

fn standing_of(brief: &TaskBrief, language: Language) -> &'static str {
    match brief.state.as_str() {
        "WAITING_APPROVAL" => language.pick("waits for local approval", "等待本地批准"),
        "EXECUTING" => language.pick("at work", "正在执行"),
        "COMPLETED" => language.pick("done", "完成"),
        "FAILED" => language.pick("failed", "失败"),
        "REJECTED" => language.pick("not carried out", "未执行"),
        _ => language.pick("thinking", "思考中"),
    }
}

/// `others` are other machines of the user, which may have it.
pub fn no_such(name: &str, machine: &Machine, others: &[String], words: &str) -> String {
    let language = Language::of(words);
    let mut ways = vec![machine.send(language, "status", "状态")];
    ways.extend(others.iter().map(|other| send_to(Some(other), language, "status", "状态")));
    match language {
        Language::English => format!("You have no task {name}. Next: {} lists yours.", ways.join(" or ")),
        Language::Chinese => format!("你没有任务 {name}。下一步：发送{}查看。", ways.join("或")),
    }
}

pub fn too_many(open: usize, newest: &str, machine: &Machine, words: &str) -> String {
    let language = Language::of(words);
    let cancel = machine.send(language, &format!("cancel {newest}"), &format!("取消 {newest}"));
    match language {
        Language::English => {
            format!("{open} of your tasks are still open, in all of your chats. Next: wait for one, or {cancel}.")
        }
        Language::Chinese => {
            format!("你在所有聊天中还有 {open} 个未结束的任务。下一步：等待其结束，或发送{cancel}。")
        }
    }
}

/// More messages than are acted upon one after the other.
pub fn too_fast(waiting: usize, words: &str) -> String {
    let why = match Language::of(words) {
        Language::English => format!("{waiting} of your messages wait already. Next: send it again later."),
        Language::Chinese => format!("你已有 {waiting} 条消息在等待。下一步：请稍后重新发送。"),
    };
    refused(words, &why)
}

pub fn too_long(bytes: usize, words: &str) -> String {
    let why = match Language::of(words) {
        Language::English => format!("A request has at most {bytes} bytes. Next: say it shorter."),
        Language::Chinese => format!("请求最多 {bytes} 字节。下一步：请缩短。"),
    };
    refused(words, &why)
}

/// In a chat for which too many messages waited; `words` are those of one of them.
pub fn left_out(count: usize, words: &str) -> String {
    match Language::of(words) {
        Language::English => {
            let were = if count == 1 { "message was" } else { "messages were" };
            format!("{count} {were} left out: too many waited for this chat. Next: `status` lists your tasks.")
        }
        Language::Chinese => {
            format!("有 {count} 条消息被略去：等待发送到此聊天的消息太多。下一步：发送“状态”查看任务。")
        }
    }
}

pub fn no_workspace(machine: &Machine, words: &str) -> String {
    let machine = machine.name();
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
