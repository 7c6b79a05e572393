//! Our own messages, in the language of the question as far as supported. What commands do is explained in English.

use aside_commands::safety::Harm;
use aside_proto::query::WireProposal;

use crate::agent::ModelAbsence;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    Chinese,
}

/// A text in each language, made before the user's language is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bilingual {
    pub english: String,
    pub chinese: String,
}

impl Bilingual {
    pub fn new(english: impl Into<String>, chinese: impl Into<String>) -> Self {
        Self { english: english.into(), chinese: chinese.into() }
    }

    pub fn of(&self, language: Language) -> &str {
        language.pick(&self.english, &self.chinese)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    Greeting,
    Thanks,
    /// Yes, fine, go on.
    Assent,
    /// No, stop, never mind.
    Dissent,
    Farewell,
    /// What can be asked.
    Help,
    /// A question without a subject.
    AboutWhat,
    Careful,
    /// Before a command that ignores words of the request.
    OnlyClose,
    /// Before other commands.
    Others,
    /// Before the corrected line.
    Meant,
    Beyond(ModelAbsence),
    /// The project's files do not answer it.
    Project,
}

/// Whether a sentence says that a model is needed, rather than that something went wrong.
pub fn needs_model(sentence: &str) -> bool {
    ["This needs a model, and none is set up", "回答这个需要模型，目前没有设置"]
        .iter()
        .any(|head| sentence.starts_with(head))
}

impl Language {
    pub fn of(words: &str) -> Self {
        let is_han = |letter: char| matches!(letter, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}');
        // Japanese and Korean use some of the same characters.
        let is_other = |letter: char| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}');
        if words.chars().any(is_han) && !words.chars().any(is_other) { Language::Chinese } else { Language::English }
    }

    pub fn pick<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    /// Translates proposals to this language. Descriptions of commands exist only in English, and are left out of an answer in another
    /// language.
    pub fn speak(self, proposals: &mut [WireProposal]) {
        for proposal in proposals.iter_mut().filter(|_| self != Language::English) {
            proposal.warning = self.warns(&proposal.warning);
            if Language::of(&proposal.description) != self {
                proposal.description.clear();
            }
        }
    }

    /// Translates a note below the proposals. A provider's own message stays as it is.
    pub fn notes(self, note: &str) -> String {
        const SAID: &[(&str, &str)] = &[
            ("no answer; a model would know more: aside model", "没有答案；模型会知道更多：aside model"),
            (
                "nothing in this project is called so; `aside task` lists what there is",
                "这个项目里没有这样的东西；`aside task` 会列出有哪些",
            ),
            ("no answer: ", "没有答案："),
            ("; from the embedded engine", "；答案来自内置引擎"),
            ("history.ignore matches, so no model was asked", "history.ignore 匹配，所以没有询问模型"),
            ("private, so no model was asked", "私密会话，所以没有询问模型"),
            ("the model has no usable answer", "模型没有可用的答案"),
            ("the model is still starting", "模型还在启动"),
            ("the model does not answer", "模型没有回答"),
            ("no model server is here", "这里没有模型服务器"),
            (" is not installed here", " 没有安装在这里"),
            ("the daemon does not answer", "守护进程没有回答"),
            ("PATH is empty, so no program is known", "PATH 是空的，所以不知道有哪些程序"),
            ("wishes are switched off: ", "请求功能已关闭："),
            (" is set, but llm.provider names no model", " 已设置，但 llm.provider 没有指定模型"),
        ];
        match self {
            Language::English => note.to_owned(),
            Language::Chinese => {
                SAID.iter().fold(note.to_owned(), |note, (english, chinese)| note.replace(english, chinese))
            }
        }
    }

    /// Translates a warning, which consists of the names of harms.
    pub fn warns(self, warning: &str) -> String {
        match self {
            Language::English => warning.to_owned(),
            Language::Chinese => {
                let said = |part: &str| {
                    let harm = Harm::ALL.into_iter().find(|harm| harm.words() == part);
                    harm.map_or_else(|| part.to_owned(), |harm| chinese_harm(harm).to_owned())
                };
                warning.split("; ").map(said).collect::<Vec<_>>().join("；")
            }
        }
    }

    pub fn says(self, phrase: Message) -> String {
        match self {
            Language::English => english(phrase),
            Language::Chinese => chinese(phrase),
        }
        .to_owned()
    }
}

fn english(phrase: Message) -> &'static str {
    match phrase {
        Message::Greeting => {
            "Hello. Say what you want to do, such as `show the largest files`, or ask what a command does."
        }
        Message::Thanks => "You are welcome. Whenever you need another command, say what it is to do.",
        Message::Assent => "All right. Say what you want to do, such as `show the largest files`.",
        Message::Dissent => "All right; nothing was run. Say what you want to do instead.",
        Message::Farewell => "Goodbye; `exit` leaves the shell.",
        Message::Help => {
            "Say what you want to do (`show the largest files`), or ask about a command (`what does tar -xzf do`)."
        }
        Message::AboutWhat => "About what? Name the command or the error, as in `what does tar -xzf do`.",
        Message::Careful => "Careful:",
        Message::OnlyClose => "Only close to what you asked:",
        Message::Others => "Or:",
        Message::Meant => "Probably this was meant:",
        Message::Beyond(ModelAbsence::Unset) => {
            "This needs a model, and none is set up. To get one: `aside model pull qwen2.5-coder-1.5b`, then `aside model use qwen2.5-coder-1.5b`."
        }
        Message::Beyond(ModelAbsence::StillUnset) => "This needs a model, and none is set up.",
        Message::Beyond(ModelAbsence::Silent) => "Only a model could answer this.",
        Message::Project => "Nothing in this project is called so. `aside task` lists what there is.",
    }
}

fn chinese_harm(harm: Harm) -> &'static str {
    match harm {
        Harm::DeletesBuild => "会删除构建产物",
        Harm::Overwrites => "会覆盖文件",
        Harm::EditsInPlace => "会直接修改文件",
        Harm::RunsLater => "会改变以后自动运行的内容",
        Harm::Uninstalls => "会卸载软件",
        Harm::Stops => "会停止正在运行的程序",
        Harm::WorldWritable => "会让所有人都能写入文件",
        Harm::Unprotects => "会去掉一项保护",
        Harm::ChangesOwner => "会改变许多文件的属主或权限",
        Harm::LosesWork => "会丢弃可能没有别处保存的工作",
        Harm::RewritesShared => "会改写别人可能已有的历史",
        Harm::TakesDown => "会让机器停下来",
        Harm::RunsUnseen => "会运行你没有看过的代码",
        Harm::Opaque => "会运行 Aside 读不懂的代码",
        Harm::DeletesFiles => "会删除文件",
        Harm::DeletesOther => "会删除数据",
        Harm::DeletesHome => "会删除你的主目录",
        Harm::RawDisk => "会直接写入磁盘",
        Harm::EndsSystem => "会毁掉系统",
    }
}

fn chinese(phrase: Message) -> &'static str {
    match phrase {
        Message::Greeting => "你好。说出想做的事，例如 `列出最大的文件`，或者问某个命令是什么意思。",
        Message::Thanks => "不客气。需要别的命令时，说出想做的事就行。",
        Message::Assent => "好的。说出想做的事，例如 `列出最大的文件`。",
        Message::Dissent => "好的，什么都没有运行。说出想做的事就行。",
        Message::Farewell => "再见；`exit` 退出 shell。",
        Message::Help => "说出想做的事（`列出最大的文件`），或者问某个命令（`tar -xzf 是什么意思`）。",
        Message::AboutWhat => "指的是什么？请写出命令或错误，例如 `tar -xzf 是什么意思`。",
        Message::Careful => "注意：",
        Message::OnlyClose => "只是接近你要的：",
        Message::Others => "或者：",
        Message::Meant => "大概是想输入：",
        Message::Beyond(ModelAbsence::Unset) => {
            "回答这个需要模型，目前没有设置。获取方法：`aside model pull qwen2.5-coder-1.5b`，然后 `aside model use qwen2.5-coder-1.5b`。"
        }
        Message::Beyond(ModelAbsence::StillUnset) => "回答这个需要模型，目前没有设置。",
        Message::Beyond(ModelAbsence::Silent) => "只有模型能回答这个。",
        Message::Project => "这个项目里没有这样的东西。`aside task` 会列出有哪些。",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_to_a_chinese_request_is_chinese() {
        let note = |note: &str| Language::Chinese.notes(note);
        assert_eq!(note("no answer; a model would know more: aside model"), "没有答案；模型会知道更多：aside model");
        assert_eq!(note("no answer: the model is still starting"), "没有答案：模型还在启动");
        assert_eq!(
            note("private, so no model was asked; from the embedded engine"),
            "私密会话，所以没有询问模型；答案来自内置引擎"
        );
        assert_eq!(Language::English.notes("no answer: x"), "no answer: x");
    }

    #[test]
    fn an_answer_in_chinese_is_wholly_chinese() {
        let spoken = |description: &str| {
            let warning = "deletes files".to_owned();
            let mut proposals =
                [WireProposal { description: description.to_owned(), warning, ..WireProposal::default() }];
            Language::Chinese.speak(&mut proposals);
            let [WireProposal { warning, description, .. }] = proposals;
            (warning, description)
        };
        assert_eq!(spoken("deletes old logs"), ("会删除文件".to_owned(), String::new()));
        assert_eq!(spoken("删除旧日志"), ("会删除文件".to_owned(), "删除旧日志".to_owned()));
    }
}
