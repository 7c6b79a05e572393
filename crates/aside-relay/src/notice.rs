//! What the relay itself says to a chat about a message: short, with what to do next, in the language of the message.

use std::time::Duration;

use crate::protocol::MAX_TEXT;
use crate::store::MAX_WAITING_OF_USER;

/// Letters of a request that are quoted.
const MAX_QUOTED: usize = 40;

/// What a user is told.
pub enum Notice<'a> {
    Offline(Duration),
    Full,
    FullForUser,
    Expired(Duration),
    /// The machine was taken off the relay while the request waited for it.
    Revoked,
    /// With the machines that the user has.
    Unknown(&'a [String]),
    /// The request has more bytes than one may have.
    TooLong,
    /// So many replies of the machine, or of the relay without one.
    LeftOut(u64),
    /// Behind a refusal: so many requests were refused like it.
    Merged(u64),
}

/// In the language of the request.
pub fn notice(machine: &str, request: &str, what: Notice<'_>) -> String {
    let is_chinese = request.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter));
    let (most, quoted) = (MAX_WAITING_OF_USER, quoted(request));
    match (what, is_chinese) {
        (Notice::Offline(wait), false) => format!(
            "{machine} is not connected. What you ask waits for it, at most {}. Next: nothing to do.",
            span(wait, false)
        ),
        (Notice::Offline(wait), true) => {
            format!("{machine} 未连接。请求会等它上线，最多 {}。下一步：无需操作。", span(wait, true))
        }
        (Notice::Full, false) => {
            format!("Not taken: “{quoted}”. Too many requests wait for {machine}. Next: ask again later.")
        }
        (Notice::Full, true) => format!("未受理：“{quoted}”。{machine} 有太多请求在等待。下一步：请稍后再试。"),
        (Notice::FullForUser, false) => {
            format!(
                "Not taken: “{quoted}”. {most} of your requests wait for {machine}, and no more can. Next: ask again when it has taken some."
            )
        }
        (Notice::FullForUser, true) => {
            format!("未受理：“{quoted}”。你已有 {most} 个请求在等待 {machine}，不能再多。下一步：等它处理一些后再试。")
        }
        (Notice::Expired(waited), false) => format!(
            "{machine} was not there for {}: your request “{quoted}” was not delivered. Next: send it again.",
            span(waited, false)
        ),
        (Notice::Expired(waited), true) => {
            format!("{machine} 已有 {} 未连接：请求“{quoted}”没有送达。下一步：请重新发送。", span(waited, true))
        }
        (Notice::Revoked, false) => format!(
            "{machine} was taken off the relay: your request “{quoted}” was not delivered. Next: send it to another machine."
        ),
        (Notice::Revoked, true) => {
            format!("{machine} 已从中继移除：请求“{quoted}”没有送达。下一步：请发送到另一台机器。")
        }
        (Notice::Unknown(machines), false) => {
            let (first, yours) = (machines.first().map_or("", String::as_str), machines.join(", "));
            format!(
                "Not taken: “{quoted}”. You have no machine {machine}. Yours: {yours}. Next: send it again, beginning with `on {first}:`."
            )
        }
        (Notice::Unknown(machines), true) => {
            let (first, yours) = (machines.first().map_or("", String::as_str), machines.join("、"));
            format!(
                "未受理：“{quoted}”。你没有名为 {machine} 的机器。你的机器：{yours}。下一步：以“在 {first} 上：”开头重新发送。"
            )
        }
        (Notice::TooLong, false) => {
            format!("Not taken: “{quoted}”. A request has at most {MAX_TEXT} bytes. Next: say it shorter.")
        }
        (Notice::TooLong, true) => format!("未受理：“{quoted}”。请求最多 {MAX_TEXT} 字节。下一步：请缩短。"),
        (Notice::Merged(count), false) => {
            format!(" {count} requests were not taken for this reason; this is the last.")
        }
        (Notice::Merged(count), true) => format!("因同样原因未受理的请求共 {count} 个，这是最后一个。"),
        (Notice::LeftOut(count), false) => {
            let (were, from) = (if count == 1 { "message was" } else { "messages were" }, from(machine, " from "));
            let ask =
                if machine.is_empty() { "send fewer at once".to_owned() } else { format!("`on {machine}: status`") };
            format!("{count} {were} left out{from}: too many waited for this chat. Next: {ask}.")
        }
        (Notice::LeftOut(count), true) => {
            let from = from(machine, "，来自 ");
            let ask = if machine.is_empty() {
                "请放慢发送".to_owned()
            } else {
                format!("发送“在 {machine} 上：状态”查看")
            };
            format!("有 {count} 条消息被略去{from}：等待发送到此聊天的消息太多。下一步：{ask}。")
        }
    }
}

/// Minutes, or seconds where that is less than one.
fn span(time: Duration, is_chinese: bool) -> String {
    let (count, english, chinese) = match time.as_secs() {
        seconds @ 0..60 => (seconds, "second", "秒"),
        seconds => (seconds / 60, "minute", "分钟"),
    };
    match (is_chinese, count) {
        (true, _) => format!("{count} {chinese}"),
        (false, 1) => format!("1 {english}"),
        (false, _) => format!("{count} {english}s"),
    }
}

fn from(machine: &str, word: &str) -> String {
    if machine.is_empty() { String::new() } else { format!("{word}{machine}") }
}

/// The beginning of a request, in one line.
fn quoted(request: &str) -> String {
    let line = request.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_what_was_refused_and_every_notice_is_in_the_language_of_the_request() {
        let machines = ["dev-1".to_owned(), "dev-2".to_owned()];
        let wait = Duration::from_secs(3600);
        let is_chinese = |text: &str| text.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter));
        let all = |request: &str| {
            [
                Notice::Offline(wait),
                Notice::Full,
                Notice::FullForUser,
                Notice::Expired(wait),
                Notice::Revoked,
                Notice::Unknown(&machines),
                Notice::TooLong,
                Notice::LeftOut(1),
                Notice::LeftOut(7),
                Notice::Merged(7),
            ]
            .map(|what| notice("dev-9", request, what))
        };
        for (english, chinese) in all("run the tests").iter().zip(all("运行测试")) {
            assert!(!is_chinese(english) && is_chinese(&chinese), "{english} {chinese}");
        }
        for refusal in [Notice::Full, Notice::FullForUser, Notice::Unknown(&machines), Notice::TooLong] {
            let told = notice("dev-9", "run the tests", refusal);
            assert!(told.starts_with("Not taken: “run the tests”. "), "{told}");
        }
        assert!(notice("dev-9", "", Notice::LeftOut(7)).starts_with("7 messages were left out from dev-9: "));
    }

    #[test]
    fn notices_are_in_the_language_of_the_request() {
        let wait = Duration::from_secs(3600);
        assert!(notice("dev-1", "run it", Notice::Offline(wait)).contains("at most 60 minutes"));
        assert!(notice("dev-1", "运行测试", Notice::Offline(wait)).contains("最多 60 分钟"));
        for (seconds, english, chinese) in
            [(60, "1 minute.", "1 分钟"), (59, "59 seconds.", "59 秒"), (1, "1 second.", "1 秒")]
        {
            let wait = Duration::from_secs(seconds);
            assert!(notice("dev-1", "run it", Notice::Offline(wait)).contains(&format!("at most {english}")));
            assert!(notice("dev-1", "运行测试", Notice::Offline(wait)).contains(chinese));
        }
        assert_eq!(
            notice("dev-1", &format!("run\n {}", "x".repeat(90)), Notice::Expired(wait)),
            format!(
                "dev-1 was not there for 60 minutes: your request “run {}…” was not delivered. Next: send it again.",
                "x".repeat(36)
            )
        );
    }
}
