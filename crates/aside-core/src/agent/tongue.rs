//! Our own messages, in the language of the question as far as supported. What commands do is explained in English.

use crate::agent::Model;
use crate::proto::wish::Proposal;
use crate::safety::Harm;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tongue {
    English,
    Chinese,
}

/// A text in each language, made before the user's language is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Both {
    pub english: String,
    pub chinese: String,
}

impl Both {
    pub fn new(english: impl Into<String>, chinese: impl Into<String>) -> Self {
        Self { english: english.into(), chinese: chinese.into() }
    }

    pub fn of(&self, tongue: Tongue) -> &str {
        tongue.pick(&self.english, &self.chinese)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phrase {
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
    Beyond(Model),
    /// The project's files do not answer it.
    Project,
}

/// Whether a sentence says that a model is needed, rather than that something went wrong.
pub fn needs_model(sentence: &str) -> bool {
    ["This needs a model, and none is set up", "回答这个需要模型，目前没有设置"]
        .iter()
        .any(|head| sentence.starts_with(head))
}

impl Tongue {
    pub fn of(words: &str) -> Self {
        let is_han = |letter: char| matches!(letter, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}');
        // Japanese and Korean use some of the same characters.
        let is_other = |letter: char| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}');
        if words.chars().any(is_han) && !words.chars().any(is_other) { Tongue::Chinese } else { Tongue::English }
    }

    pub fn pick<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self {
            Tongue::English => english,
            Tongue::Chinese => chinese,
        }
    }

    /// Translates proposals to this language. Descriptions of commands exist only in English, and are left out of an answer in another
    /// language.
    pub fn speak(self, proposals: &mut [Proposal]) {
        for proposal in proposals.iter_mut().filter(|_| self != Tongue::English) {
            proposal.warning = self.warns(&proposal.warning);
            if Tongue::of(&proposal.description) != self {
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
            ("the daemon does not answer", "守护进程没有回答"),
            ("PATH is empty, so no program is known", "PATH 是空的，所以不知道有哪些程序"),
            ("wishes are switched off: ", "请求功能已关闭："),
            (" is set, but llm.provider names no model", " 已设置，但 llm.provider 没有指定模型"),
        ];
        match self {
            Tongue::English => note.to_owned(),
            Tongue::Chinese => {
                SAID.iter().fold(note.to_owned(), |note, (english, chinese)| note.replace(english, chinese))
            }
        }
    }

    /// Translates a warning, which consists of the names of harms.
    pub fn warns(self, warning: &str) -> String {
        match self {
            Tongue::English => warning.to_owned(),
            Tongue::Chinese => {
                let said = |part: &str| {
                    let harm = Harm::ALL.into_iter().find(|harm| harm.words() == part);
                    harm.map_or_else(|| part.to_owned(), |harm| chinese_harm(harm).to_owned())
                };
                warning.split("; ").map(said).collect::<Vec<_>>().join("；")
            }
        }
    }

    pub fn says(self, phrase: Phrase) -> String {
        match self {
            Tongue::English => english(phrase),
            Tongue::Chinese => chinese(phrase),
        }
        .to_owned()
    }
}

fn english(phrase: Phrase) -> &'static str {
    match phrase {
        Phrase::Greeting => {
            "Hello. Say what you want to do, such as `show the largest files`, or ask what a command does."
        }
        Phrase::Thanks => "You are welcome. Whenever you need another command, say what it is to do.",
        Phrase::Assent => "All right. Say what you want to do, such as `show the largest files`.",
        Phrase::Dissent => "All right; nothing was run. Say what you want to do instead.",
        Phrase::Farewell => "Goodbye; `exit` leaves the shell.",
        Phrase::Help => {
            "Say what you want to do (`show the largest files`), or ask about a command (`what does tar -xzf do`)."
        }
        Phrase::AboutWhat => "About what? Name the command or the error, as in `what does tar -xzf do`.",
        Phrase::Careful => "Careful:",
        Phrase::OnlyClose => "Only close to what you asked:",
        Phrase::Others => "Or:",
        Phrase::Meant => "Probably this was meant:",
        Phrase::Beyond(Model::Unset) => {
            "This needs a model, and none is set up. To get one: `aside model pull qwen2.5-coder-1.5b`, then `aside model use qwen2.5-coder-1.5b`."
        }
        Phrase::Beyond(Model::StillUnset) => "This needs a model, and none is set up.",
        Phrase::Beyond(Model::Silent) => "Only a model could answer this.",
        Phrase::Project => "Nothing in this project is called so. `aside task` lists what there is.",
    }
}

fn chinese_harm(harm: Harm) -> &'static str {
    match harm {
        Harm::Overwrites => "会覆盖文件",
        Harm::EditsInPlace => "会直接修改文件",
        Harm::Uninstalls => "会卸载软件",
        Harm::Stops => "会停止正在运行的程序",
        Harm::WorldWritable => "会让所有人都能写入文件",
        Harm::Unprotects => "会去掉一项保护",
        Harm::ChangesOwner => "会改变下面所有文件的属主或权限",
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

fn chinese(phrase: Phrase) -> &'static str {
    match phrase {
        Phrase::Greeting => "你好。说出想做的事，例如 `列出最大的文件`，或者问某个命令是什么意思。",
        Phrase::Thanks => "不客气。需要别的命令时，说出想做的事就行。",
        Phrase::Assent => "好的。说出想做的事，例如 `列出最大的文件`。",
        Phrase::Dissent => "好的，什么都没有运行。说出想做的事就行。",
        Phrase::Farewell => "再见；`exit` 退出 shell。",
        Phrase::Help => "说出想做的事（`列出最大的文件`），或者问某个命令（`tar -xzf 是什么意思`）。",
        Phrase::AboutWhat => "指的是什么？请写出命令或错误，例如 `tar -xzf 是什么意思`。",
        Phrase::Careful => "注意：",
        Phrase::OnlyClose => "只是接近你要的：",
        Phrase::Others => "或者：",
        Phrase::Meant => "大概是想输入：",
        Phrase::Beyond(Model::Unset) => {
            "回答这个需要模型，目前没有设置。获取方法：`aside model pull qwen2.5-coder-1.5b`，然后 `aside model use qwen2.5-coder-1.5b`。"
        }
        Phrase::Beyond(Model::StillUnset) => "回答这个需要模型，目前没有设置。",
        Phrase::Beyond(Model::Silent) => "只有模型能回答这个。",
        Phrase::Project => "这个项目里没有这样的东西。`aside task` 会列出有哪些。",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_to_a_chinese_request_is_chinese() {
        let note = |note: &str| Tongue::Chinese.notes(note);
        assert_eq!(note("no answer; a model would know more: aside model"), "没有答案；模型会知道更多：aside model");
        assert_eq!(note("no answer: the model is still starting"), "没有答案：模型还在启动");
        assert_eq!(
            note("private, so no model was asked; from the embedded engine"),
            "私密会话，所以没有询问模型；答案来自内置引擎"
        );
        assert_eq!(Tongue::English.notes("no answer: x"), "no answer: x");
    }

    #[test]
    fn an_answer_in_chinese_is_wholly_chinese() {
        let spoken = |description: &str| {
            let warning = "deletes files".to_owned();
            let mut proposals = [Proposal { description: description.to_owned(), warning, ..Proposal::default() }];
            Tongue::Chinese.speak(&mut proposals);
            let [Proposal { warning, description, .. }] = proposals;
            (warning, description)
        };
        assert_eq!(spoken("deletes old logs"), ("会删除文件".to_owned(), String::new()));
        assert_eq!(spoken("删除旧日志"), ("会删除文件".to_owned(), "删除旧日志".to_owned()));
    }
}
