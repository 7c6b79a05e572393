//! Tests with sentences that mention a change but order none: verbs and objects of the rules' own examples in frames of
//! every mood, in English and Chinese. No such sentence may be answered by a command that changes something; the same
//! verbs and objects as plain orders still are.
//!
//! A sentence that `speech_act` does not read as an order cannot be answered by a change (`authorize`), so every sentence is
//! read and only a sample is answered as well; `ASIDE_SENTENCES=all` answers every one.

use std::collections::BTreeSet;

use aside_text::speech_act::word_lists::LISTS;
use aside_text::speech_act::{SpeechAct, SpeechActs, VerbEffect};
use shell_line::Dialect;

use crate::embedded::BOOK;
use crate::embedded::fake::Fake;
use crate::read_only::is_read_only;

/// One in this many sentences is answered as well as read.
const ANSWERED: usize = 60;

/// `{v}` delete, `{s}` deletes, `{p}` deleted, `{g}` deleting, `{o}` what is deleted.
const ENGLISH: &[&str] = &[
    // Negation.
    "don't {v} {o}",
    "do not {v} {o}",
    "dont {v} {o} pls",
    "never {v} {o}",
    "please don't {v} {o}",
    "you must not {v} {o}",
    "no need to {v} {o}",
    "i don't want to {v} {o}",
    "i don't want you to {v} {o}",
    "i never asked to {v} {o}",
    "under no circumstances {v} {o}",
    "let's not {v} {o}",
    "please avoid {g} {o}",
    "refrain from {g} {o}",
    "show the state without {g} {o}",
    "i'd rather not {v} {o}",
    "can you not {v} {o}",
    "whatever you do, don't {v} {o}",
    "nobody should {v} {o}",
    "we do not {v} {o} here",
    "no {g} of {o} today",
    // Questions about the past and about states.
    "did someone {v} {o}",
    "did you {v} {o}?",
    "who {p} {o}",
    "when did we {v} {o}",
    "why did they {v} {o}",
    "has anyone {p} {o}",
    "have you {p} {o} yet",
    "was it bob who {p} {o}",
    "which script {s} {o}",
    "what {p} {o} last night",
    "how come they {p} {o}",
    "how often do they {v} {o}",
    "does it {v} {o}",
    "could bob have {p} {o}",
    // Questions whether to do it, and what happens then.
    "is it safe to {v} {o}",
    "should i {v} {o}",
    "can i {v} {o}",
    "may i {v} {o}",
    "do i have to {v} {o}",
    "would it help to {v} {o}",
    "what happens if i {v} {o}",
    "what does it mean to {v} {o}",
    "would you ever {v} {o}",
    "is {g} {o} dangerous",
    "how do i avoid {g} {o}",
    "how do i know who {p} {o}",
    // Statements.
    "i {p} {o}",
    "i have already {p} {o}",
    "we {p} {o} last week",
    "someone {p} {o}",
    "they will {v} {o}",
    "bob is going to {v} {o}",
    "he wants to {v} {o}",
    "my script {s} {o}",
    "{g} {o} did not help",
    "{g} {o} takes ages",
    "i was about to {v} {o}",
    "i accidentally {p} {o}",
    "you should {v} {o} at some point",
    "we usually {v} {o} on fridays",
    "i forgot to {v} {o}",
    "i might {v} {o}",
    "there is no reason to {v} {o}",
    "i am afraid to {v} {o}",
    // Conditions.
    "if you {v} {o} it breaks",
    "if i {v} {o}, will it work",
    "when they {v} {o}, we wait",
    "unless you {v} {o} nothing happens",
    "suppose i {v} {o}",
    "imagine we {v} {o}",
    "assuming they {v} {o}, what breaks",
    "had i {p} {o}, it would work",
    "before you {v} {o}, ask me",
    "once you {v} {o}, tell me",
    "hypothetically, {v} {o}",
    // Reported speech.
    "my boss told me to {v} {o}",
    "the docs say to {v} {o}",
    "the ticket says: {v} {o}",
    "he said i should {v} {o}",
    "according to the runbook, {v} {o}",
    "they asked us to {v} {o}",
    "the error tells me to {v} {o}",
    "a friend suggested to {v} {o}",
    "just {v} {o}, they said",
    // Texts to be written.
    "write a script that {s} {o}",
    "explain why we {v} {o}",
    "draft an email about {g} {o}",
    "write a test for {g} {o}",
    "suggest a commit message for {g} {o}",
    "give me a function that {s} {o}",
    "describe what happens when they {v} {o}",
    // Thanks, sighs, other times.
    "thanks for {g} {o}",
    "thank you, i {p} {o} myself",
    "great, somebody {p} {o}",
    "nice, {g} {o} worked",
    "oops, i {p} {o}",
    "{v} {o}, if only",
    "tomorrow we will {v} {o}",
    "next week i'll {v} {o}",
    "someday they will {v} {o}",
    "remind me to {v} {o}",
    // Requests to look at something.
    "show me who {p} {o}",
    "tell me whether they {p} {o}",
    "check if someone {p} {o}",
    "find out who {p} {o}",
    "list everything, but don't {v} {o}",
];

/// Orders with the same words.
const ORDERS: &[&str] = &[
    "{v} {o}",
    "please {v} {o}",
    "can you {v} {o}",
    "could you please {v} {o}",
    "i want to {v} {o}",
    "i'd like to {v} {o}",
    "how do i {v} {o}",
    "how to {v} {o}",
    "just {v} {o}",
    "ok, now {v} {o}",
    "what's the command to {v} {o}",
];

const CHINESE: &[&str] = &[
    "不要{v}{o}",
    "别{v}{o}",
    "请不要{v}{o}",
    "千万别{v}{o}",
    "先别{v}{o}",
    "不用{v}{o}",
    "没必要{v}{o}",
    "我不想{v}{o}",
    "谁{v}了{o}",
    "{o} 是谁{v}的",
    "什么时候{v}了{o}",
    "为什么要{v}{o}",
    "{v}{o}了吗",
    "{v}{o}了没有",
    "有没有{v}{o}",
    "是否{v}了{o}",
    "能不能{v}{o}",
    "要不要{v}{o}",
    "{v}{o}会怎么样",
    "{v}{o}安全吗",
    "如果{v}{o}会怎样",
    "要是{v}{o}，会丢数据吗",
    "万一{v}{o}怎么办",
    "我{v}了{o}",
    "我已经{v}{o}了",
    "昨天有人{v}了{o}",
    "同事把{o}{v}了",
    "{o} 被{v}了",
    "{o} 已经{v}了",
    "不小心{v}了{o}",
    "老板让我{v}{o}",
    "文档说要{v}{o}",
    "他们会{v}{o}",
    "打算明天{v}{o}",
    "我担心{v}{o}会出问题",
    "谢谢你{v}{o}",
    "{v}{o}之后还能恢复吗",
    "{v}{o}以后就好了",
    "{v}{o}失败了",
    "{v}{o}的时候报错",
    "写一个{v}{o}的脚本",
    "解释一下为什么{v}{o}",
    "怎么又{v}{o}了",
    "怎么知道谁{v}了{o}",
    "系统会自动{v}{o}",
    "每次启动都会{v}{o}",
    "正在{v}{o}",
    "查看谁{v}了{o}",
    "列出来就行，不要{v}{o}",
    "步骤：{v}{o}",
];

const CHINESE_ORDERS: &[&str] =
    &["{v}{o}", "请{v}{o}", "帮我{v}{o}", "麻烦你{v}{o}", "把{o}{v}", "我想{v}{o}", "怎么{v}{o}", "能不能帮我{v}{o}"];

const CHINESE_VERBS: &[&str] = &[
    "删除",
    "删掉",
    "移除",
    "清空",
    "清理",
    "清除",
    "杀掉",
    "杀死",
    "终止",
    "停止",
    "停掉",
    "关闭",
    "关掉",
    "重启",
    "启动",
    "禁用",
    "卸载",
    "安装",
    "升级",
    "更新",
    "重置",
    "撤销",
    "回滚",
    "覆盖",
    "重命名",
    "移动",
    "复制",
    "备份",
    "压缩",
    "解压",
    "创建",
    "新建",
    "修改",
    "提交",
    "推送",
    "强推",
    "合并",
    "格式化",
    "挂载",
    "下载",
    "上传",
    "部署",
    "锁定",
    "加密",
    "替换",
];

const CHINESE_OBJECTS: &[&str] = &[
    " main.rs ",
    " nginx ",
    "容器 web ",
    "分支 develop ",
    " node_modules ",
    "日志文件",
    "所有 .log 文件",
    " 8080 端口的进程",
    "数据库 shop ",
    "用户 bob ",
    "镜像 redis:7 ",
    "服务器",
    " docker ",
    "配置文件",
    " /tmp/cache ",
    "磁盘",
    "进程 1234 ",
    "远程分支",
    "测试环境",
    "缓存",
];

fn said(frame: &str, verb: &[String; 4], object: &str) -> String {
    let [base, third, past, gerund] = verb;
    frame
        .replace("{v}", base)
        .replace("{s}", third)
        .replace("{p}", past)
        .replace("{g}", gerund)
        .replace("{o}", object)
        .trim()
        .to_owned()
}

/// Verbs with their objects, taken from the examples of the rules.
fn pairs() -> Vec<([String; 4], String)> {
    let mut pairs = BTreeSet::new();
    let hits = BOOK.rules.iter().flat_map(|rule| &rule.body(&BOOK.lexicon).hits);
    for hit in hits.map(|hit| hit.split("=>").next().unwrap_or(hit).trim()) {
        let speech_acts = SpeechActs::of(hit);
        let ([clause], false) = (speech_acts.clauses.as_slice(), hit.contains(['"', ','])) else { continue };
        let Some(head) = clause.heads.first().filter(|head| head.act == VerbEffect::Changes && head.span.start == 0)
        else {
            continue;
        };
        let (verb, object) = (&hit[head.span.clone()], hit[head.span.end..].trim());
        // An object with a clause of its own would change the frame: `create branch foo without switching to it`.
        let joins = [" without ", " but ", " if ", " until ", " and ", " that ", " which ", " when "]
            .iter()
            .any(|word| object.contains(word));
        if let Some([third, past, gerund]) = LISTS.verbs.inflected(verb).filter(|_| !object.is_empty() && !joins) {
            pairs.insert(([verb.to_owned(), third, past, gerund], object.to_owned()));
        }
    }
    pairs.into_iter().collect()
}

/// Every verb that can be ordered, with varied objects, in some of the frames.
fn more(every: usize) -> Vec<String> {
    const OBJECTS: &[&str] = &[
        "main.py",
        "the nginx service",
        "the branch develop",
        "process 1234",
        "node_modules",
        "the docker image redis",
        "all log files",
        "my changes",
        "the database shop",
        "the server",
        "everything in docs",
        "port 8080",
        "the user bob",
        "htop",
        "it",
    ];
    let mut sentences = Vec::new();
    for (number, verb) in LISTS.verbs.acts().into_iter().enumerate() {
        let Some([third, past, gerund]) = LISTS.verbs.inflected(verb) else { continue };
        let forms = [verb.to_owned(), third, past, gerund];
        let object = |at: usize| OBJECTS[(number + at) % OBJECTS.len()];
        let frames = ENGLISH.iter().enumerate().skip(number % every).step_by(every);
        sentences.extend(frames.map(|(at, frame)| said(frame, &forms, object(at))));
    }
    sentences
}

/// Whether every sentence is to be answered, and not only read.
fn answers_all() -> bool {
    option_env!("ASIDE_SENTENCES") == Some("all")
}

fn check(sentences: &[String]) {
    let machine = Fake::default();
    let mut wrong = Vec::new();
    let every = if answers_all() { 1 } else { ANSWERED };
    for (number, sentence) in sentences.iter().enumerate() {
        if let Some(order) = SpeechActs::of(sentence).orders().find(|order| order.later.is_none()) {
            wrong.push(format!("{sentence}: {:?} by `{}`", order.kind, &sentence[order.by.clone()]));
        }
        if number % every == 0 {
            let changes =
                machine.answers(sentence).into_iter().filter(|answer| !is_read_only(&answer.command, Dialect::Zsh));
            wrong.extend(changes.map(|answer| format!("{sentence}: {}", answer.command)));
        }
    }
    let shown: Vec<&str> = wrong.iter().map(String::as_str).take(60).collect();
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), sentences.len(), shown.join("\n"));
}

#[test]
fn english_that_orders_nothing_changes_nothing() {
    let pairs = pairs();
    let verbs: BTreeSet<&str> = pairs.iter().map(|(verb, _)| verb[0].as_str()).collect();
    assert!(verbs.len() > 130 && pairs.len() > 400, "{} verbs, {} pairs", verbs.len(), pairs.len());
    let every = if answers_all() { 1 } else { 7 };
    let own =
        pairs.iter().flat_map(|(verb, object)| ENGLISH.iter().map(|frame| said(frame, verb, object))).step_by(every);
    let sentences: Vec<String> = own.chain(more(if answers_all() { 1 } else { 11 })).collect();
    assert!(sentences.len() > 13_000, "{}", sentences.len());
    check(&sentences);
}

fn chinese(frames: &[&str]) -> Vec<String> {
    let verb = |verb: &str| [verb, "", "", ""].map(str::to_owned);
    let objects =
        |word: &'static str| CHINESE_OBJECTS.iter().map(move |object| (verb(word), object.trim_end().to_owned()));
    let pairs: Vec<([String; 4], String)> = CHINESE_VERBS.iter().copied().flat_map(objects).collect();
    frames.iter().flat_map(|frame| pairs.iter().map(move |(verb, object)| said(frame, verb, object))).collect()
}

#[test]
fn chinese_that_orders_nothing_changes_nothing() {
    let every = if answers_all() { 1 } else { 4 };
    let sentences: Vec<String> = chinese(CHINESE).into_iter().step_by(every).collect();
    assert!(sentences.len() > 10_000, "{}", sentences.len());
    check(&sentences);
}

#[test]
fn the_same_words_as_an_order_are_one() {
    let mut wrong = Vec::new();
    let asks = |sentence: &String| SpeechActs::of(sentence).asks_to_act();
    for (verb, object) in pairs() {
        let orders = ORDERS.iter().map(|frame| said(frame, &verb, &object));
        wrong.extend(orders.filter(|sentence| !asks(sentence)));
    }
    wrong.extend(chinese(CHINESE_ORDERS).into_iter().filter(|sentence| !asks(sentence)));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A polite frame changes no answer: `can you delete a.txt` is `delete a.txt`.
#[test]
fn a_frame_around_an_order_changes_no_answer() {
    let machine = Fake::default();
    let mut wrong = Vec::new();
    let every = if answers_all() { 1 } else { 9 };
    let mut answered = 0;
    for (verb, object) in pairs().into_iter().step_by(every) {
        let plain = machine.best(&said(ORDERS[0], &verb, &object));
        answered += usize::from(!plain.is_empty());
        for frame in &ORDERS[1..6] {
            let sentence = said(frame, &verb, &object);
            let framed = machine.best(&sentence);
            if framed != plain {
                wrong.push(format!("{sentence}: {framed}, not {plain}"));
            }
        }
    }
    assert!(answered > 40 && wrong.is_empty(), "{answered} answered, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Sentences that failed in trials.
#[test]
fn sentences_of_trials_change_nothing() {
    const SENTENCES: &[&str] = &[
        "don't discard my changes",
        "is nginx stopped",
        "was there a reboot",
        "who deleted main.rs",
        "never kill node",
        "write tests for parser.py",
        "the volume was deleted by mistake",
        "what is the oom killer",
        "add logging to main.py",
        "i want to learn how to kill processes responsibly",
        "give the names of killed processes",
        "can you uninstall mondays",
        "kill the lights",
        "can i delete docs",
    ];
    let machine = Fake::default();
    for sentence in SENTENCES {
        for answer in machine.answers(sentence) {
            assert!(is_read_only(&answer.command, Dialect::Zsh), "{sentence}: {}", answer.command);
        }
    }
    for (sentence, command) in [
        ("is nginx stopped", "systemctl status nginx"),
        ("don't delete the logs, just list all .log files", "find . -type f -name '*.log'"),
        ("restart nginx but don't reboot", "sudo systemctl restart nginx"),
        ("undo my last commit but keep the changes", "git reset --soft HEAD~1"),
    ] {
        assert_eq!(machine.best(sentence), command, "{sentence}");
    }
    assert_eq!(SpeechActs::of("don't delete a.txt").clauses[0].kind, SpeechAct::Forbids);
}
