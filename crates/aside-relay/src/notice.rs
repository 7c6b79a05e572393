//! What the relay itself says to a chat about a message: short, with what to do next, in the language of the message.

use std::time::Duration;

use crate::store::MAX_WAITING_OF_USER;

/// Letters of a request that are quoted.
const MAX_QUOTED: usize = 40;

/// What a user is told.
pub enum Notice<'a> {
    Offline(Duration),
    Full,
    FullForUser,
    Expired(Duration),
    /// With the machines that the user has.
    Unknown(&'a [String]),
}

/// In the language of the request.
pub fn notice(machine: &str, request: &str, what: Notice<'_>) -> String {
    let is_chinese = request.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter));
    let most = MAX_WAITING_OF_USER;
    match (what, is_chinese) {
        (Notice::Offline(wait), false) => format!(
            "{machine} is not connected. The request waits for it, at most {} minutes. Next: nothing to do.",
            wait.as_secs() / 60
        ),
        (Notice::Offline(wait), true) => {
            format!("{machine} 未连接。请求将等待其上线，最多 {} 分钟。下一步：无需操作。", wait.as_secs() / 60)
        }
        (Notice::Full, false) => format!("Too many requests wait for {machine}. Next: ask again later."),
        (Notice::Full, true) => format!("{machine} 有太多请求在等待。下一步：请稍后再试。"),
        (Notice::FullForUser, false) => {
            format!(
                "{most} of your requests wait for {machine}, and no more can. Next: ask again when it has taken some."
            )
        }
        (Notice::FullForUser, true) => {
            format!("你已有 {most} 个请求在等待 {machine}，不能再多。下一步：等它处理一些后再试。")
        }
        (Notice::Expired(waited), false) => format!(
            "{machine} was not there for {} minutes: your request “{}” was not delivered. Next: send it again.",
            waited.as_secs() / 60,
            quoted(request)
        ),
        (Notice::Expired(waited), true) => format!(
            "{machine} 已有 {} 分钟未连接：请求“{}”没有送达。下一步：请重新发送。",
            waited.as_secs() / 60,
            quoted(request)
        ),
        (Notice::Unknown(machines), false) => {
            format!(
                "You have no machine {machine}. Yours: {}. Next: send it again with one of them.",
                machines.join(", ")
            )
        }
        (Notice::Unknown(machines), true) => {
            format!("你没有名为 {machine} 的机器。你的机器：{}。下一步：用其中一个名字重新发送。", machines.join("、"))
        }
    }
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
    fn notices_are_in_the_language_of_the_request() {
        let wait = Duration::from_secs(3600);
        assert!(notice("dev-1", "run it", Notice::Offline(wait)).contains("at most 60 minutes"));
        assert!(notice("dev-1", "运行测试", Notice::Offline(wait)).contains("最多 60 分钟"));
        assert_eq!(
            notice("dev-1", &format!("run\n {}", "x".repeat(90)), Notice::Expired(wait)),
            format!(
                "dev-1 was not there for 60 minutes: your request “run {}…” was not delivered. Next: send it again.",
                "x".repeat(36)
            )
        );
    }
}
