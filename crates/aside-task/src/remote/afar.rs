//! Answers are written for the user at the machine. A reader of a chat is not there: what waits does not wait for them, a shell of theirs
//! has no `aside`, and they have nothing to pipe.

use aside_core::agent::language::Language;

/// What is said to the user at the machine, and what stands for it in a chat. The first that fits a place is taken.
const PHRASES: [(&str, &str); 12] = [
    (
        "paste it with its last lines, pipe it in (`make 2>&1 | aside task why`), or run the command again in this shell and ask then.",
        "send it with its last lines.",
    ),
    (
        "请粘贴错误信息的最后几行，用管道传入（`make 2>&1 | aside task 为什么`），或者在这个 shell 里再运行一次该命令，然后再问。",
        "请发送错误信息的最后几行。",
    ),
    ("Waiting for you", "Waiting for approval"),
    ("waiting for you", "waiting for approval"),
    ("waits for you", "waits for approval"),
    ("wait for you", "wait for approval"),
    ("在等你决定", "在等待批准"),
    ("等你决定", "等待批准"),
    ("`aside task show ID` shows one and asks.", "`aside task show ID` shows one and asks for approval."),
    ("`aside task show ID` 显示其中一个并询问。", "`aside task show ID` 显示其中一个并询问是否批准。"),
    ("before you have seen it and said yes", "before it was seen and approved at the machine"),
    ("在你看过并同意之前", "在机器上看过并批准之前"),
];

/// An answer for a reader who is not at this machine.
pub fn afar(text: &str, machine: &str, language: Language) -> String {
    let mut told = text.to_owned();
    for (here, there) in PHRASES {
        told = told.replace(here, there);
    }
    if ["`aside ", "| aside "].iter().any(|command| told.contains(command)) {
        let place = match language {
            Language::English => format!("(`aside …` is run on {machine}, at a terminal.)"),
            Language::Chinese => format!("（`aside …` 请在 {machine} 的终端里运行。）"),
        };
        told = format!("{}\n{place}", told.trim_end());
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposal::Proposal;
    use crate::run::help_and_status::{self, WorkspaceStatus};

    #[test]
    fn no_answer_takes_the_reader_for_the_user_at_the_machine() {
        let waiting = vec![("t1".to_owned(), "run `make`".to_owned()), ("t2".to_owned(), "run `make x`".to_owned())];
        let status = WorkspaceStatus { waiting, ..WorkspaceStatus::default() };
        for request in ["what waits", "有什么在等待"] {
            let language = Language::of(request);
            for outcome in [
                help_and_status::status(request, &status),
                help_and_status::waiting(request, &status),
                help_and_status::help(request, "@dev"),
            ] {
                let Proposal::Answer { text } = outcome.proposal else { panic!("no answer") };
                let told = afar(&text, "dev-1", language);
                for here in ["for you", "等你", "said yes", "你看过"] {
                    assert!(!told.contains(here), "{told}");
                }
                assert_eq!(told.contains("`aside "), told.contains(" dev-1"), "{told}");
            }
        }
        let set_up = "This needs a model, and none is set up. To get one: `aside model pull x`.";
        assert!(afar(set_up, "dev-1", Language::English).ends_with("\n(`aside …` is run on dev-1, at a terminal.)"));
        assert_eq!(afar("2 tests failed", "dev-1", Language::English), "2 tests failed");
    }
}
