//! Explains without a model: commands and their flags, exit statuses, and what well-known files are for.

use std::sync::LazyLock;

use aside_core::agent::language::{Bilingual, Language, Message};
use aside_core::agent::{self, AgentQuery, embedded};
use aside_core::history::index::HistoryIndex;
use aside_text::lazy_regex::Regex;
use aside_translate::TranslateContext;

use crate::run::{ModelNeed, RunnerOutcome, code, short, toml_lists};

const STATUSES: &str = include_str!("../../data/task/statuses.toml");
const PATHS: &str = include_str!("../../data/task/paths.toml");

/// Characters of a summary.
const MAX_SUMMARY: usize = 160;

struct Status {
    of: Vec<String>,
    code: i32,
    about: Bilingual,
}

static ALL_STATUSES: LazyLock<Vec<Status>> = LazyLock::new(|| {
    toml_lists::tables(STATUSES, "status", |table| {
        let of = toml_lists::text(table, "of").unwrap_or_default();
        Some(Status {
            of: of.split_whitespace().map(str::to_owned).collect(),
            code: toml_lists::text(table, "code")?.parse().ok()?,
            about: toml_lists::both(table, "about")?,
        })
    })
});

static ALL_PATHS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    toml_lists::tables(PATHS, "path", |table| {
        Some((toml_lists::text(table, "name")?, toml_lists::text(table, "about")?))
    })
});

/// "exit code 23 of rsync", "rsync exit status 23", "退出码 127".
static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:exit(?:s|ed)?(?: with)?(?: code| status)?|return code|status code|退出码|状态码)\s*(?:是|为|of)?\s*(\d{1,3})\b").ok()
});

/// The question, the files that it names, and why no model answers.
pub fn explain(
    question: &str,
    files: &[String],
    place: &TranslateContext<'_>,
    model: agent::ModelAbsence,
) -> RunnerOutcome {
    if let Some(text) = asked_status(question) {
        let summary = short(&text, MAX_SUMMARY);
        return RunnerOutcome::answer(text, summary, ModelNeed::Better);
    }
    let history = HistoryIndex::default();
    let asked = AgentQuery { words: question, exit: 0, output: None, history: &history, blocklist: &[], model };
    let advice = embedded(&asked, place);
    if advice.kind == agent::AdviceKind::About {
        let summary = short(advice.markdown.lines().next().unwrap_or_default(), MAX_SUMMARY);
        return RunnerOutcome::answer(advice.markdown, summary, ModelNeed::Better);
    }
    let known: Vec<String> =
        files.iter().filter_map(|file| Some(format!("{} is {}.", code(file), about_path(file)?))).collect();
    if !known.is_empty() && is_about_files(question) {
        let text = known.join("\n\n");
        let summary = short(&text, MAX_SUMMARY);
        return RunnerOutcome::answer(text, summary, ModelNeed::Better);
    }
    RunnerOutcome::answer(
        Language::of(question).says(Message::Beyond(model)),
        "Only a model could explain this",
        ModelNeed::Needed,
    )
}

/// "What is Cargo.lock", but not "why is the parser in src/a.rs slow".
fn is_about_files(question: &str) -> bool {
    let lower = question.to_lowercase();
    let asks = [
        "what is",
        "what's",
        "what are",
        "what does",
        "explain",
        "purpose",
        "why is there",
        "why do we have",
        " for",
        "是什么",
        "干什么",
        "作用",
        "有什么用",
        "解释",
    ];
    question.split_whitespace().count() <= 10 && asks.iter().any(|ask| lower.contains(ask))
}

/// What a file of this name is for: `the settings of the TypeScript compiler`.
pub fn about_path(path: &str) -> Option<&'static str> {
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let fits = |known: &str| match known.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name.eq_ignore_ascii_case(known),
    };
    ALL_PATHS.iter().find(|(known, _)| fits(known)).map(|(_, about)| about.as_str())
}

/// Words around the name of a file in a request that is about nothing else.
const AROUND: [&str; 24] = [
    "explain",
    "show",
    "read",
    "open",
    "summarize",
    "summarise",
    "describe",
    "tell",
    "what",
    "what's",
    "is",
    "in",
    "does",
    "do",
    "me",
    "the",
    "file",
    "please",
    "about",
    "contents",
    "content",
    "of",
    "say",
    "says",
];
const AROUND_CHINESE: [&str; 10] =
    ["解释一下", "请解释", "解释", "读一下", "看一下", "说明一下", "说明", "文件", "请", "总结"];

/// The file that a request is about, if it is about nothing else: `explain src/a.rs`, but not `explain the parser in src/a.rs`.
pub fn only_file(request: &str) -> Option<&str> {
    let mut text = request.trim().trim_end_matches(['.', '?', '!', '。', '？', '！']);
    while let Some(rest) = AROUND_CHINESE.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest.trim_start();
    }
    let around = |word: &&str| !AROUND.iter().any(|known| word.eq_ignore_ascii_case(known));
    let mut words = text.split_whitespace().map(|word| word.trim_matches(['`', '"', '\''])).filter(around);
    let (only, None) = (words.next()?, words.next()) else { return None };
    let is_asked = only.len() < request.trim().len();
    let has_ending = only.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let is_path = only.contains('/') || only.starts_with(['.', '~']) || has_ending;
    let is_plain = only.chars().all(|letter| letter.is_alphanumeric() || "/._-~+@".contains(letter));
    (is_asked && is_path && is_plain && only.chars().any(char::is_alphabetic)).then_some(only)
}

fn asked_status(question: &str) -> Option<String> {
    let found = ASKED.as_ref()?.captures(question)?;
    let exit: i32 = found.get(1)?.as_str().parse().ok()?;
    let words = question.split(|letter: char| !(letter.is_ascii_alphanumeric() || "-_[".contains(letter)));
    // The tool may be named anywhere in the question; "test" and "find" are also words, and count as tools only in backquotes.
    let quoted = |word: &str| question.contains(&format!("`{word}`"));
    let is_tool = |word: &&str| {
        let known = ALL_STATUSES.iter().any(|status| status.of.iter().any(|of| of == word));
        known
            && (!["test", "find", "make", "go", "service", "node", "["].contains(word)
                || quoted(word)
                || question.contains(&format!("of {word}")))
    };
    status(words.into_iter().find(is_tool).unwrap_or_default(), exit, Language::of(question))
}

/// What the exit status of a command means, in one sentence: `Status 1 of grep: nothing was found.` The command may have arguments.
pub fn status(command: &str, exit: i32, language: Language) -> Option<String> {
    let mut words = command.split_whitespace();
    let name =
        words.find(|word| !["sudo", "time", "env", "command", "exec", "nohup"].contains(word) && !word.contains('='));
    let name = name.unwrap_or_default().rsplit('/').next().unwrap_or_default();
    if let Some(own) = ALL_STATUSES.iter().find(|status| status.code == exit && status.of.iter().any(|of| of == name)) {
        let about = own.about.of(language);
        return Some(match language {
            Language::English => format!("Status {exit} of {}: {about}.", code(name)),
            Language::Chinese => format!("{} 的状态 {exit}：{about}。", code(name)),
        });
    }
    if exit == 0 {
        return Some(language.pick("Status 0: it went well.", "状态 0：成功。").to_owned());
    }
    if let Some(general) = ALL_STATUSES.iter().find(|status| status.code == exit && status.of.is_empty()) {
        let about = general.about.of(language);
        return Some(match language {
            Language::English => format!("Status {exit}: {about}."),
            Language::Chinese => format!("状态 {exit}：{about}。"),
        });
    }
    let number = exit.checked_sub(128).filter(|number| (1..=64).contains(number))?;
    let signal = signal(number);
    Some(match language {
        Language::English => {
            let about = signal.map_or(String::new(), |(name, about, _)| format!(" (SIG{name}: {about})"));
            format!("Status {exit}: signal {number}{about} ended the program.")
        }
        Language::Chinese => {
            let about = signal.map_or(String::new(), |(name, _, about)| format!("（SIG{name}：{about}）"));
            format!("状态 {exit}：信号 {number}{about}结束了程序。")
        }
    })
}

/// The name of a signal and what it means, in both languages.
fn signal(number: i32) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match number {
        1 => ("HUP", "the terminal was closed", "终端被关闭"),
        2 => ("INT", "Ctrl-C", "Ctrl-C"),
        3 => ("QUIT", "Ctrl-\\", "Ctrl-\\"),
        4 => ("ILL", "an instruction that the processor does not know", "处理器不认识的指令"),
        6 => ("ABRT", "the program gave up, mostly after an assertion", "程序自行中止，多因断言失败"),
        7 => ("BUS", "memory that cannot be reached", "访问了无法到达的内存"),
        8 => ("FPE", "a wrong calculation, such as a division by zero", "错误的运算，例如除以零"),
        9 => (
            "KILL",
            "killed by a user or another program, or by the system because memory ran out",
            "被用户或其他程序终止，或者因内存不足被系统终止",
        ),
        11 => ("SEGV", "memory that is not its own", "访问了不属于它的内存"),
        13 => ("PIPE", "its output was not read any more", "没有程序再读取它的输出"),
        14 => ("ALRM", "its own alarm", "它自己的定时器"),
        15 => ("TERM", "it was asked to end", "被要求结束"),
        24 => ("XCPU", "too much time of the processor", "占用处理器的时间过长"),
        31 => ("SYS", "a system call that is forbidden", "被禁止的系统调用"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposal::Proposal;
    use aside_commands::shell_names::ShellNames;
    use aside_commands::spec::Specs;
    use aside_commands::world::EmptyWorld;
    use aside_translate::ToolFlavor;
    use shell_line::Dialect;

    fn said(question: &str, files: &[&str]) -> (String, ModelNeed) {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let place = TranslateContext {
            cwd: "/p",
            dialect: Dialect::Bash,
            system: ToolFlavor::Gnu,
            world: &EmptyWorld,
            names: &names,
            specs: &specs,
        };
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let outcome = explain(question, &files, &place, agent::ModelAbsence::Unset);
        let Proposal::Answer { text } = outcome.proposal else { panic!("{outcome:?}") };
        (text, outcome.model)
    }

    #[test]
    fn a_request_is_about_one_file_and_nothing_else_or_it_is_not() {
        for (request, expected) in [
            ("explain .env", Some(".env")),
            ("Explain the file /etc/passwd.", Some("/etc/passwd")),
            ("what is in ../x", Some("../x")),
            ("explain `nothere.py`", Some("nothere.py")),
            ("解释一下 src/a.rs", Some("src/a.rs")),
            ("解释 ~/.ssh/id_rsa。", Some("~/.ssh/id_rsa")),
            ("explain the parser in src/a.rs", None),
            ("explain a.rs and b.rs", None),
            ("explain tar -xzf", None),
            ("explain 1.2", None),
            ("explain it", None),
            ("a.rs", None),
        ] {
            assert_eq!(only_file(request), expected, "{request}");
        }
    }

    #[test]
    fn the_lists_are_read_whole() {
        assert_eq!(ALL_STATUSES.len(), toml_lists::count(STATUSES, "status"));
        assert_eq!(ALL_PATHS.len(), toml_lists::count(PATHS, "path"));
    }

    #[test]
    fn statuses_are_known_by_their_tools() {
        let cases = [
            ("grep x a.txt", 1, "Status 1 of `grep`: nothing was found; that is no error."),
            ("sudo -n true", 0, "Status 0: it went well."),
            ("/usr/bin/curl -s x", 6, "Status 6 of `curl`: the name of the host could not be resolved."),
            ("A=1 sudo rsync a b", 23, "Status 23 of `rsync`: some files were not transferred."),
            ("frobnicate", 127, "Status 127: there is no such command."),
            ("frobnicate", 139, "Status 139: signal 11 (SIGSEGV: memory that is not its own) ended the program."),
            ("cargo test", 101, "Status 101 of `cargo`: it did not compile, a test failed, or the program panicked."),
            ("", 130, "Status 130: signal 2 (SIGINT: Ctrl-C) ended the program."),
        ];
        for (command, exit, expected) in cases {
            assert_eq!(status(command, exit, Language::English).as_deref(), Some(expected), "{command}");
        }
        assert_eq!(status("frobnicate", 77, Language::English), None);
        assert_eq!(status("frobnicate", i32::MIN, Language::English), None);
    }

    #[test]
    fn questions_that_need_no_model() {
        let cases = [
            ("what does exit code 23 of rsync mean", "Status 23 of `rsync`"),
            ("why does curl exit with 60", "Status 60 of `curl`"),
            ("exit status 137?", "Status 137: signal 9"),
            ("退出码 126 是什么意思", "状态 126："),
            ("what does tar -xzf do", "`tar -xzf`:"),
            ("what does the -z flag of tar do", "`tar -z`:"),
        ];
        for (question, expected) in cases {
            let (text, model) = said(question, &[]);
            assert!(text.starts_with(expected) && model == ModelNeed::Better, "{question}: {text}");
        }
        let (text, _) = said("what is Cargo.lock", &["Cargo.lock"]);
        assert_eq!(
            text,
            "`Cargo.lock` is the exact versions that Cargo chose; written by Cargo, and committed for programs."
        );
    }

    #[test]
    fn the_rest_needs_one() {
        for (question, files) in [
            ("how does the parser work", &[][..]),
            ("explain the retry logic in src/net.rs", &["src/net.rs"]),
            ("why is the build slow with Cargo.toml as it is since the last release", &["Cargo.toml"]),
        ] {
            let (text, model) = said(question, files);
            assert!(model == ModelNeed::Needed && text.contains("model"), "{question}: {text}");
        }
    }
}
