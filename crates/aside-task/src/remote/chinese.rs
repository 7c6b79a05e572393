//! Sentences of the daemon and of tasks that exist in English alone, for a chat in Chinese. Numbers and names in them stay. What is not
//! known is shown as it is, marked as the original.

use aside_core::agent::language::Language;

/// Parts of a sentence and what stands for them; `*` is anything.
const SENTENCES: &[(&str, &str)] = &[
    ("cancelled", "已取消"),
    ("stopping", "正在停止"),
    ("rejected", "已拒绝"),
    ("what it wrote was taken back", "它写入的内容已撤回"),
    (
        "something was proposed that the request did not ask for; nothing was done",
        "给出的方案超出了请求的范围，没有执行任何操作",
    ),
    ("the command ended with exit status *", "命令以退出码 * 结束"),
    ("the daemon ended before there was a proposal; retry it", "守护进程在给出方案之前结束了，请重试"),
    ("the daemon was started again and asks again", "守护进程已重新启动，并再次询问"),
    ("the daemon ended while it ran", "执行期间守护进程结束了"),
    ("there is no such task; `aside task list` shows them", "没有这个任务"),
    ("tasks are turned off; `aside config set task.enabled true` turns them on", "该机器关闭了任务功能"),
    ("say what you want: aside task run the tests", "请说出要做的事，例如：运行测试"),
    ("the task could not be written down", "该机器无法记录这个任务"),
    ("* tasks wait for you; `aside task list` shows them", "该机器上已有 * 个任务在等待批准，请稍后再试"),
    (
        "* tasks of remote users are under way on this machine, and no more can be; ask again in a moment",
        "该机器上已有 * 个远程任务在进行，请稍后再试",
    ),
    ("* tasks are under way; wait for one, or cancel it", "该机器上已有 * 个任务在进行，请等待或取消一个"),
    ("only the first * entries of the workspace were looked at", "只查看了工作区的前 * 个条目"),
    ("not everything was looked at: it took longer than * seconds", "没有查看全部内容：已超过 * 秒的限制"),
    ("the search was broken off", "搜索被中断"),
    ("too much was found: the search ended after * files", "结果太多：搜索在 * 个文件后停止"),
    ("* file was not searched: no task reads such a file", "有 * 个文件没有搜索：任务不读取这类文件"),
    ("* files were not searched: no task reads such a file", "有 * 个文件没有搜索：任务不读取这类文件"),
    ("* file was not searched: larger than 2 MB", "有 * 个文件没有搜索：大于 2 MB"),
    ("* files were not searched: larger than 2 MB", "有 * 个文件没有搜索：大于 2 MB"),
    ("* file was not searched: they could not be read", "有 * 个文件没有搜索：无法读取"),
    ("* files were not searched: they could not be read", "有 * 个文件没有搜索：无法读取"),
];

/// A sentence for a chat in this language.
pub fn said(language: Language, sentence: &str) -> String {
    let is_theirs = language == Language::English || Language::of(sentence) == Language::Chinese;
    if is_theirs || sentence.trim().is_empty() {
        return sentence.to_owned();
    }
    known(sentence).unwrap_or_else(|| format!("原文：{sentence}"))
}

/// The Chinese for a sentence of ours.
pub fn known(sentence: &str) -> Option<String> {
    let bare = sentence.trim().trim_end_matches('.');
    SENTENCES.iter().find_map(|(english, chinese)| match english.split_once('*') {
        None => (*english == bare).then(|| (*chinese).to_owned()),
        Some((before, behind)) => {
            let middle = bare.strip_prefix(before)?.strip_suffix(behind)?;
            Some(chinese.replace('*', middle))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_ours_is_translated_with_its_numbers_and_the_rest_is_marked() {
        let said = |sentence: &str| said(Language::Chinese, sentence);
        assert_eq!(said("cancelled"), "已取消");
        assert_eq!(said("the command ended with exit status 101"), "命令以退出码 101 结束");
        assert_eq!(said("3 files were not searched: larger than 2 MB"), "有 3 个文件没有搜索：大于 2 MB");
        assert_eq!(said("2 of 9 tests failed"), "原文：2 of 9 tests failed");
        assert_eq!(said("已经是中文"), "已经是中文");
        assert_eq!(said(""), "");
        assert_eq!(super::said(Language::English, "cancelled"), "cancelled");
    }
}
