//! Tests of what each key does, by focus, and that nothing is approved by accident.

use aside_proto::task::{ApprovalOffer, OfferRow as Told};
use serde_json::{Value, json};

use super::*;
use crate::lone_key::{BEFORE, READ};

/// A conversation with a fake clock. Each key comes long after the last paint, unless a test says otherwise.
pub struct Chat {
    pub model: Model,
    pub now: u64,
    seq: u64,
}

impl Chat {
    pub fn new(width: u16, height: u16) -> Self {
        let who = UserContext {
            by: "pts/3".to_owned(),
            cwd: "/home/me/work".to_owned(),
            shell: "zsh".to_owned(),
            private: false,
            environment: vec!["LANG=C".to_owned()],
            home: Some("/home/me".to_owned()),
        };
        let mut chat = Self { model: Model::new(who, String::new(), (width, height)), now: 1000, seq: 0 };
        assert_eq!(ops(&chat.feed(ChatEvent::Connected)), ["follow", "welcome"]);
        chat.feed(ChatEvent::Answer(ReplyTag::Follow, Ok(Box::default())));
        chat.feed(ChatEvent::Answer(ReplyTag::Welcome, Ok(Box::default())));
        chat
    }

    pub fn feed(&mut self, happened: ChatEvent) -> Vec<ChatAction> {
        self.model.update(happened, self.now)
    }

    pub fn paint(&mut self) {
        self.model.lay();
        self.model.painted(self.now);
    }

    /// Paints, waits, presses, and waits, like a user.
    pub fn press(&mut self, key: Key) -> Vec<ChatAction> {
        self.paint();
        self.now += 1000;
        let mut out = self.feed(ChatEvent::Key(key));
        out.extend(self.rests());
        out
    }

    /// Presses before anything was painted.
    fn press_at_once(&mut self, key: Key) -> Vec<ChatAction> {
        self.feed(ChatEvent::Key(key))
    }

    fn rests(&mut self) -> Vec<ChatAction> {
        self.now += 1000;
        self.feed(ChatEvent::Quiet)
    }

    pub fn types(&mut self, text: &str) {
        for letter in text.chars() {
            self.press_at_once(Key::Char(letter));
        }
    }

    /// Sends a request that the daemon accepts as `t1`.
    pub fn asked(&mut self, text: &str) {
        self.types(text);
        let sent = self.press(Key::Enter);
        let [ChatAction::Send(tag @ ReplyTag::Ask(..), task)] = &sent[..] else { panic!("{sent:?}") };
        assert_eq!(task.text, text);
        let brief = TaskBrief {
            task_id: "t1".to_owned(),
            thread_id: "main".to_owned(),
            text: text.to_owned(),
            state: "RECEIVED".to_owned(),
            attempt: 1,
            ..TaskBrief::default()
        };
        let told = TaskList { tasks: vec![brief], ..TaskList::default() };
        let watched = self.feed(ChatEvent::Answer(tag.clone(), Ok(Box::new(told))));
        assert_eq!(ops(&watched), ["watch"]);
        self.feed(ChatEvent::Answer(ReplyTag::Watch, Ok(Box::default())));
        self.state("RECEIVED", json!({}));
    }

    pub fn event(&mut self, mut event: Value) -> Vec<ChatAction> {
        self.seq += 1;
        let common =
            json!({ "threadId": "main", "taskId": "t1", "attempt": 1, "seq": self.seq, "at": self.now, "v": 1 });
        for (name, value) in common.as_object().unwrap() {
            event.as_object_mut().unwrap().entry(name.clone()).or_insert(value.clone());
        }
        self.feed(ChatEvent::Event(Box::new(serde_json::from_value(event).unwrap())))
    }

    pub fn state(&mut self, state: &str, more: Value) -> Vec<ChatAction> {
        let mut event = json!({ "type": "task_state", "state": state });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.event(event)
    }

    pub fn chunk(&mut self, channel: &str, text: &str) {
        self.event(json!({ "type": "task_stream_chunk", "messageId": "m", "channel": channel, "chunk": text }));
    }

    pub fn proposes(&mut self, proposal: Value) {
        let intent = json!({ "kind": "run", "confidence": 0.8, "summary": "Run: the tests" });
        let requires = json!({ "mode": "local_approval", "action": "run_command" });
        let result = json!({ "taskId": "t1", "intent": intent, "proposal": proposal, "requires": requires, "summary": "Run make test" });
        self.event(json!({ "type": "task_proposal", "step": 1, "result": result }));
    }

    /// A proposal appears; its offer is requested and arrives.
    pub fn waits(&mut self, offer: ApprovalOffer) {
        let step = offer.step;
        let shown = self.state("WAITING_APPROVAL", json!({ "step": step }));
        assert_eq!(ops(&shown), ["show"]);
        self.offers(offer);
    }

    pub fn offers(&mut self, offer: ApprovalOffer) {
        let told = TaskList { offer: Some(Box::new(offer)), ..TaskList::default() };
        self.feed(ChatEvent::Answer(ReplyTag::Show("t1".to_owned()), Ok(Box::new(told))));
    }
}

pub fn command(step: u32, digest: &str, cmd: &str) -> ApprovalOffer {
    let row = |label: &str, text: &str| Told { label: label.to_owned(), text: text.to_owned() };
    ApprovalOffer {
        task_id: "t1".to_owned(),
        step,
        digest: digest.to_owned(),
        action: "run_command".to_owned(),
        rows: vec![
            row("command", cmd),
            row("in", "/home/me/work"),
            row("because", "the project's tests"),
            row("rule", "no rule"),
        ],
        text: cmd.to_owned(),
        confine: "no".to_owned(),
    }
}

pub fn change(lines: usize) -> ApprovalOffer {
    let body: String = (1..=lines).map(|line| format!("+line {line}\n")).collect();
    let second = "diff --git a/src/b.rs b/src/b.rs\n--- a/src/b.rs\n+++ b/src/b.rs\n@@ -1,2 +1,2 @@\n fn b() {\n-    one()\n+    two()\n";
    let text = format!(
        "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,{lines} @@\n{body}{second}"
    );
    let row = |label: &str, text: &str| Told { label: label.to_owned(), text: text.to_owned() };
    ApprovalOffer {
        task_id: "t1".to_owned(),
        step: 1,
        digest: "d1".to_owned(),
        action: "apply_diff".to_owned(),
        rows: vec![
            row("file", &format!("A new.txt +{lines} -0")),
            row("file", "M src/b.rs +1 -1"),
            row("rule", "no rule"),
        ],
        text,
        confine: String::new(),
    }
}

fn ops(out: &[ChatAction]) -> Vec<String> {
    let name = |out: &ChatAction| match out {
        ChatAction::Send(_, task) => serde_json::to_value(task.op).unwrap().as_str().unwrap().to_owned(),
        other => format!("{other:?}"),
    };
    out.iter().map(name).collect()
}

/// A conversation with a pending command.
fn waiting() -> Chat {
    let mut chat = Chat::new(80, 24);
    chat.asked("run the tests");
    chat.proposes(json!({ "type": "command", "cmd": "make test" }));
    chat.waits(command(1, "d1", "make test"));
    chat
}

#[test]
fn a_request_is_sent_once_and_watched() {
    let mut chat = Chat::new(80, 24);
    chat.types("  why is it slow ");
    let sent = chat.press(Key::Enter);
    let [ChatAction::Send(ReplyTag::Ask(..), task)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((task.text.as_str(), task.cwd.as_str(), task.thread.as_str()), ("why is it slow", "/home/me/work", ""));
    assert!(chat.model.input.is_empty());
    assert_eq!(chat.press(Key::Enter), []);
}

#[test]
fn the_second_request_waits_for_the_conversation_to_have_a_name() {
    let mut chat = Chat::new(80, 24);
    chat.types("one");
    let sent = chat.press(Key::Enter);
    chat.types("two");
    assert_eq!(chat.press(Key::Enter), []);
    let Some(ChatAction::Send(tag, _)) = sent.first() else { panic!() };
    let brief = TaskBrief { task_id: "t1".to_owned(), thread_id: "main".to_owned(), ..TaskBrief::default() };
    let out =
        chat.feed(ChatEvent::Answer(tag.clone(), Ok(Box::new(TaskList { tasks: vec![brief], ..TaskList::default() }))));
    assert_eq!(ops(&out), ["watch", "ask"]);
    let Some(ChatAction::Send(_, task)) = out.last() else { panic!() };
    assert_eq!((task.thread.as_str(), task.text.as_str()), ("main", "two"));
}

#[test]
fn a_request_that_is_refused_can_be_said_again() {
    let mut chat = Chat::new(80, 24);
    chat.types("do it");
    let sent = chat.press(Key::Enter);
    let Some(ChatAction::Send(tag, _)) = sent.first() else { panic!() };
    chat.feed(ChatEvent::Answer(tag.clone(), Err("tasks are switched off".to_owned())));
    assert_eq!(chat.model.input.text(), "do it");
    assert!(
        chat.model
            .notice
            .as_ref()
            .is_some_and(|(text, tone)| text.contains("switched off") && *tone == NoteKind::Trouble)
    );
}

#[test]
fn approving_sends_exactly_what_was_shown() {
    let mut chat = waiting();
    assert_eq!(chat.press(Key::Tab), []);
    assert_eq!(chat.model.focus, Focus::Card);
    let sent = chat.press(Key::Char('y'));
    let [ChatAction::Send(ReplyTag::Approve(task), approval)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(task, "t1");
    let expected = TaskParams {
        op: TaskOp::Approve,
        task: "t1".to_owned(),
        step: 1,
        digest: "d1".to_owned(),
        by: "pts/3".to_owned(),
        environment: vec!["LANG=C".to_owned()],
        ..TaskParams::default()
    };
    assert_eq!(**approval, expected);
    assert_eq!(chat.model.focus, Focus::Input);
}

#[test]
fn keys_that_were_typed_ahead_do_not_approve() {
    // All keys at once, before a single paint.
    let mut chat = waiting();
    for key in [Key::Tab, Key::Char('y'), Key::Char('Y'), Key::Char('y'), Key::Enter] {
        assert_eq!(chat.press_at_once(key), []);
    }
    // Or a held key, however long.
    for _ in 0..50 {
        chat.paint();
        chat.now += BEFORE - 1;
        assert_eq!(chat.press_at_once(Key::Char('y')), []);
    }
    assert_eq!(chat.model.notice.as_ref().map(|(text, _)| text.as_str()), Some("press y alone"));
    chat.now += READ;
    assert_eq!(chat.press_at_once(Key::Char('y')), []);
    assert_eq!(ops(&chat.rests()), ["approve"]);
}

#[test]
fn a_word_typed_at_a_card_answers_nothing() {
    for word in ["maybe", "why", "ecyE", "yY", "okay"] {
        let mut chat = waiting();
        chat.press(Key::Tab);
        chat.paint();
        chat.now += READ;
        for letter in word.chars() {
            chat.now += 100;
            assert_eq!(chat.press_at_once(Key::Char(letter)), []);
            chat.paint();
        }
        assert_eq!((chat.rests(), &chat.model.focus), (vec![], &Focus::Card), "{word}");
    }
}

#[test]
fn a_key_that_waits_answers_no_other_offer() {
    let mut chat = waiting();
    chat.press(Key::Tab);
    chat.paint();
    chat.now += READ;
    assert_eq!(chat.press_at_once(Key::Char('y')), []);
    chat.state("PROPOSAL_READY", json!({}));
    chat.waits(command(2, "d2", "make tests"));
    assert_eq!(chat.rests(), []);
}

#[test]
fn a_card_takes_no_keys_by_itself() {
    let mut chat = Chat::new(80, 24);
    chat.asked("run the tests");
    chat.types("yes");
    chat.waits(command(1, "d1", "make test"));
    chat.paint();
    chat.now += 10_000;
    for letter in "yY please".chars() {
        assert_eq!(chat.press(Key::Char(letter)), []);
    }
    assert_eq!((chat.model.input.text(), &chat.model.focus), ("yesyY please", &Focus::Input));
}

#[test]
fn an_answer_on_the_line_is_no_request_and_no_answer() {
    let mut chat = waiting();
    chat.types("yes");
    assert_eq!(chat.press(Key::Enter), []);
    assert!(chat.model.notice.as_ref().is_some_and(|(text, _)| text.contains("Tab goes to the proposal")));
    chat.types(" and clean up");
    assert_eq!(ops(&chat.press(Key::Enter)), ["ask"]);
}

#[test]
fn a_command_with_a_tab_is_edited_outside() {
    let mut chat = Chat::new(80, 24);
    chat.asked("run it");
    chat.waits(command(1, "d1", "printf 'a\tb'"));
    chat.press(Key::Tab);
    assert_eq!(
        ops(&chat.press(Key::Char('e'))),
        [format!("{:?}", ChatAction::Edit { task: "t1".to_owned(), text: "printf 'a\tb'".to_owned(), suffix: ".sh" })]
    );
}

#[test]
fn another_offer_in_its_place_was_never_seen() {
    let mut chat = waiting();
    chat.press(Key::Tab);
    chat.paint();
    chat.now += 10_000;
    // The command was edited elsewhere.
    chat.state("PROPOSAL_READY", json!({}));
    chat.waits(command(2, "d2", "make tests"));
    assert_eq!(chat.press_at_once(Key::Char('y')), []);
    chat.paint();
    assert_eq!(chat.press_at_once(Key::Char('y')), []);
    let sent = chat.press(Key::Char('y'));
    let [ChatAction::Send(_, approval)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((approval.step, approval.digest.as_str()), (2, "d2"));
}

#[test]
fn a_change_has_to_be_seen_to_its_end_or_insisted_on() {
    let mut chat = Chat::new(80, 24);
    chat.asked("add a file");
    chat.waits(change(100));
    chat.press(Key::Tab);
    assert_eq!(chat.press(Key::Char('y')), []);
    assert!(chat.model.notice.as_ref().is_some_and(|(text, _)| text.contains("not seen yet")));
    // Jumping to the end skips rows, which stay unseen.
    chat.press(Key::Char('G'));
    assert_eq!(chat.press(Key::Char('y')), []);
    chat.press(Key::Char('g'));
    for _ in 0..10 {
        chat.press(Key::PageDown);
    }
    assert_eq!(ops(&chat.press(Key::Char('y'))), ["approve"]);

    let mut chat = Chat::new(80, 24);
    chat.asked("add a file");
    chat.waits(change(100));
    chat.press(Key::Tab);
    assert_eq!(ops(&chat.press(Key::Char('Y'))), ["approve"]);
}

#[test]
fn after_an_edit_the_new_offer_is_asked_for_and_has_to_be_read() {
    let mut chat = waiting();
    chat.press(Key::Tab);
    chat.press(Key::Char('e'));
    assert_eq!((&chat.model.focus, chat.model.words.text()), (&Focus::Editing, "make test"));
    chat.types(" -k");
    let sent = chat.press(Key::Enter);
    let [ChatAction::Send(tag, edit)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((edit.op, edit.text.as_str(), edit.step, edit.digest.as_str()), (TaskOp::Edit, "make test -k", 1, "d1"));
    assert_eq!(chat.model.focus, Focus::Card);
    assert_eq!(ops(&chat.feed(ChatEvent::Answer(tag.clone(), Ok(Box::default())))), ["show"]);
    chat.offers(command(2, "d2", "make test -k"));
    assert_eq!(chat.press_at_once(Key::Char('y')), []);
    let sent = chat.press(Key::Char('y'));
    let [ChatAction::Send(_, approval)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((approval.step, approval.digest.as_str()), (2, "d2"));
}

#[test]
fn what_came_from_the_editor_is_an_edit_if_it_is_another_text() {
    let mut chat = Chat::new(80, 24);
    chat.asked("add a file");
    let offer = change(3);
    chat.waits(offer.clone());
    chat.press(Key::Tab);
    let out = chat.press(Key::Char('e'));
    assert_eq!(out, [ChatAction::Edit { task: "t1".to_owned(), text: offer.text.clone(), suffix: ".diff" }]);
    let edited = |text: Option<&str>| ChatEvent::Edited { task: "t1".to_owned(), text: text.map(str::to_owned) };
    assert_eq!(chat.feed(edited(None)), []);
    assert_eq!(chat.feed(edited(Some(&offer.text))), []);
    assert_eq!(chat.feed(edited(Some(" \n"))), []);
    assert_eq!(ops(&chat.feed(edited(Some("diff"))))[..], ["edit"]);
}

#[test]
fn a_command_can_be_confined_which_is_another_offer() {
    let mut chat = waiting();
    chat.press(Key::Tab);
    let sent = chat.press(Key::Char('c'));
    let [ChatAction::Send(ReplyTag::Edit(_), edit)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((edit.text.as_str(), edit.confine.as_str(), edit.digest.as_str()), ("make test", "workspace", "d1"));
}

#[test]
fn rejecting_needs_a_look_too() {
    let mut chat = waiting();
    chat.press_at_once(Key::Tab);
    assert_eq!(chat.press_at_once(Key::Char('n')), []);
    assert_eq!(ops(&chat.press(Key::Char('n'))), ["reject"]);
}

#[test]
fn what_somebody_else_answered_is_no_longer_answered_here() {
    let mut chat = waiting();
    chat.press(Key::Tab);
    chat.state("EXECUTING", json!({ "step": 1, "by": "page" }));
    assert_eq!(chat.model.focus, Focus::Input);
    assert_eq!(chat.press(Key::Char('y')), []);
    assert_eq!(chat.model.input.text(), "y");
}

#[test]
fn a_refused_approval_is_told_and_the_offer_asked_for_again() {
    let mut chat = waiting();
    chat.press(Key::Tab);
    let sent = chat.press(Key::Char('y'));
    let [ChatAction::Send(tag, _)] = &sent[..] else { panic!("{sent:?}") };
    let out = chat.feed(ChatEvent::Answer(tag.clone(), Err("this is not what waits".to_owned())));
    assert_eq!(ops(&out), ["show"]);
    assert!(chat.model.notice.as_ref().is_some_and(|(_, tone)| *tone == NoteKind::Trouble));
}

#[test]
fn after_the_daemon_was_replaced_the_offer_is_another_one() {
    let mut chat = waiting();
    chat.press(Key::Tab);
    chat.paint();
    chat.feed(ChatEvent::Lost("gone".to_owned()));
    assert_eq!(chat.press(Key::Char('y')), []);
    chat.press(Key::Tab);
    assert_eq!(ops(&chat.feed(ChatEvent::Connected)), ["follow", "watch", "show"]);
    chat.offers(command(1, "d9", "make test"));
    chat.press(Key::Tab);
    let sent = chat.press(Key::Char('y'));
    let [ChatAction::Send(_, approval)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(approval.digest, "d9");
}

#[test]
fn ctrl_c_clears_then_cancels_then_leaves() {
    let mut chat = Chat::new(80, 24);
    chat.asked("run the tests");
    chat.types("half a thought");
    assert_eq!(chat.press_at_once(Key::Ctrl('c')), []);
    assert!(chat.model.input.is_empty());
    assert_eq!(ops(&chat.press_at_once(Key::Ctrl('c'))), ["cancel"]);
    chat.now += 100;
    assert_eq!(chat.press_at_once(Key::Ctrl('c')), [ChatAction::Leave]);
    // Not after another key, or much later.
    let mut chat = Chat::new(80, 24);
    assert_eq!(chat.press_at_once(Key::Ctrl('c')), []);
    chat.now += 5000;
    assert_eq!(chat.press_at_once(Key::Ctrl('c')), []);
    chat.press_at_once(Key::Char('x'));
    chat.press_at_once(Key::Backspace);
    assert_eq!(chat.press_at_once(Key::Ctrl('c')), []);
    assert_eq!(chat.press_at_once(Key::Ctrl('c')), [ChatAction::Leave]);
}

#[test]
fn retry_and_undo_are_for_the_chosen_task_and_undo_is_asked_about() {
    let mut chat = Chat::new(80, 24);
    chat.asked("add a file");
    chat.press(Key::Esc);
    assert_eq!(chat.press(Key::Char('r')), [], "it has not ended");
    chat.state("COMPLETED", json!({ "outcome": { "summary": "1 file written", "undo": "u1" } }));
    assert_eq!(ops(&chat.press(Key::Char('r'))), ["retry"]);
    assert_eq!(chat.press(Key::Char('u')), []);
    assert_eq!(chat.press_at_once(Key::Char('y')), [], "before it could be read");
    assert_eq!(chat.rests(), []);
    assert_eq!(chat.press(Key::Char('j')), [], "something else");
    assert_eq!(chat.press(Key::Char('y')), []);
    assert_eq!(chat.press(Key::Char('u')), []);
    assert_eq!(ops(&chat.press(Key::Char('y'))), ["undo"]);
}

#[test]
fn requests_come_back_with_the_arrows() {
    let mut chat = Chat::new(80, 24);
    chat.asked("first one");
    chat.types("second");
    chat.press(Key::Enter);
    let mut seen = Vec::new();
    for key in [Key::Up, Key::Up, Key::Up, Key::Down, Key::Down] {
        chat.press(key);
        seen.push(chat.model.input.text().to_owned());
    }
    assert_eq!(seen, ["second", "first one", "first one", "second", ""]);
    // A half-typed request is kept.
    chat.types("x");
    chat.press(Key::Up);
    assert_eq!(chat.model.input.text(), "x");
}

#[test]
fn help_and_search_are_for_an_empty_line_and_for_the_conversation() {
    let mut chat = Chat::new(80, 24);
    chat.asked("run the tests");
    chat.types("what? a/b");
    assert_eq!((chat.model.input.text(), &chat.model.focus), ("what? a/b", &Focus::Input));
    chat.press(Key::Ctrl('u'));
    chat.press(Key::Char('?'));
    assert_eq!(chat.model.focus, Focus::Help);
    chat.press(Key::Esc);
    chat.press(Key::Char('/'));
    chat.types("TESTS");
    chat.press(Key::Enter);
    assert_eq!((&chat.model.focus, chat.model.found_row), (&Focus::Talk, None));
    chat.press(Key::Char('/'));
    chat.types("tests");
    chat.press(Key::Enter);
    assert_eq!((&chat.model.focus, chat.model.found_row), (&Focus::Talk, Some(0)));
}

#[test]
fn another_conversation_is_another_connection_once_all_answers_have_come() {
    let mut chat = waiting();
    let brief = |task: &str, thread: &str, at: u64| TaskBrief {
        task_id: task.to_owned(),
        thread_id: thread.to_owned(),
        text: format!("request {task}"),
        state: "COMPLETED".to_owned(),
        since: at,
        at,
        ..TaskBrief::default()
    };
    let briefs = vec![brief("t9", "other", 9), brief("t1", "main", 5), brief("t8", "other", 2)];
    let told = |briefs: &[TaskBrief]| Ok(Box::new(TaskList { tasks: briefs.to_vec(), ..TaskList::default() }));
    assert_eq!(chat.feed(ChatEvent::Answer(ReplyTag::Follow, told(&briefs))), []);
    chat.press(Key::Ctrl('t'));
    chat.press(Key::Char('k'));
    assert_eq!(chat.press(Key::Enter), [ChatAction::Renew]);
    assert_eq!((chat.model.thread.as_str(), chat.model.tasks.len()), ("other", 0));
    assert_eq!(ops(&chat.feed(ChatEvent::Connected)), ["follow"]);
    let out = chat.feed(ChatEvent::Answer(ReplyTag::Follow, told(&briefs)));
    assert_eq!(ops(&out), ["watch", "watch"]);
    let order: Vec<&str> = chat.model.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(order, ["t8", "t9"]);
    // The connection stays while a reply is outstanding.
    chat.types("go on");
    chat.press(Key::Enter);
    assert_eq!(chat.press(Key::Ctrl('n')), []);
}

#[test]
fn earlier_requests_are_loaded_when_somebody_looks_for_them() {
    let mut chat = Chat::new(80, 24);
    let briefs: Vec<TaskBrief> = (0..50)
        .map(|at| TaskBrief {
            task_id: format!("t{at:02}"),
            thread_id: "main".to_owned(),
            since: at,
            at,
            ..TaskBrief::default()
        })
        .collect();
    let told = || Ok(Box::new(TaskList { tasks: briefs.clone(), ..TaskList::default() }));
    chat.feed(ChatEvent::Answer(ReplyTag::Follow, told()));
    chat.press(Key::Ctrl('t'));
    let out = chat.press(Key::Enter);
    assert_eq!((ops(&out).len(), chat.model.earlier), (20, 30));
    for _ in 0..20 {
        chat.feed(ChatEvent::Answer(ReplyTag::Watch, Ok(Box::default())));
    }
    chat.press(Key::Esc);
    let out = chat.press(Key::Char('g'));
    assert_eq!((ops(&out).len(), chat.model.earlier), (20, 10));
    assert_eq!(chat.model.tasks.first().map(|task| task.id.as_str()), Some("t10"));
}

#[test]
fn no_key_anywhere_sends_an_approval_but_y_at_a_card() {
    let keys = || {
        let letters = (' '..='~').map(Key::Char);
        let controls =
            ('a'..='z').filter(|letter| *letter != 'c').flat_map(|letter| [Key::Ctrl(letter), Key::Alt(letter)]);
        let paste = ["y", "Y\n", "\ty\n"].map(|text| Key::Paste(text.to_owned()));
        let others = [
            Key::Enter,
            Key::Newline,
            Key::Tab,
            Key::BackTab,
            Key::Backspace,
            Key::Delete,
            Key::Up,
            Key::Down,
            Key::PageDown,
            Key::F1,
        ];
        letters.chain(controls).chain(paste).chain(others)
    };
    let ways: [&[Key]; 6] =
        [&[], &[Key::Esc], &[Key::Ctrl('t')], &[Key::F1], &[Key::Char('/')], &[Key::Tab, Key::Char('e')]];
    for way in ways {
        for key in keys() {
            let mut chat = waiting();
            for step in way {
                chat.press(step.clone());
            }
            let out = chat.press(key.clone());
            assert!(!ops(&out).contains(&"approve".to_owned()), "{way:?} {key:?}");
        }
    }
    for key in keys() {
        let mut chat = waiting();
        chat.press(Key::Tab);
        let approves = ops(&chat.press(key.clone())).contains(&"approve".to_owned());
        assert_eq!(approves, matches!(key, Key::Char('y' | 'Y')), "{key:?}");
    }
}
