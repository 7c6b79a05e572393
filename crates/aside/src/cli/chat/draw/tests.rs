//! Tests of what is on the screen, in three window sizes.

use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;
use serde_json::json;

use super::*;
use crate::cli::chat::keys::Key;
use crate::cli::chat::model::ChatEvent;
use crate::cli::chat::model::tests::{Chat, change, command};

/// The screen as text; `▮` is the cursor.
fn seen(chat: &mut Chat) -> String {
    chat.paint();
    let (width, height) = chat.model.size();
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut cursor = None;
    terminal
        .draw(|frame| {
            cursor = draw(&chat.model, 0, frame.buffer_mut());
        })
        .unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for y in 0..height {
        let mut row = String::new();
        let mut skip = 0;
        for x in 0..width {
            if cursor == Some(Position::new(x, y)) {
                row.push('▮');
            }
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = symbol.width().saturating_sub(1);
            row.push_str(symbol);
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

fn waiting(width: u16, height: u16) -> Chat {
    let mut chat = Chat::new(width, height);
    chat.asked("run the tests, 日本語も 🦀");
    chat.proposes(json!({ "type": "command", "cmd": "make test", "reason": "the project's tests" }));
    chat.waits(command(1, "d1", "make test"));
    chat
}

#[test]
fn a_command_that_waits_in_a_small_window() {
    insta::assert_snapshot!(seen(&mut waiting(40, 10)), @r"
      › run the tests, 日本語も 🦀
        ┃ a command to approve
        ┃ command  make test
        ┃ in       ~/work
        ┃ because  the project's tests
        ● waits for you: Tab looks at it

    ────────────────────────────────────────
    › ▮
    Tab proposal · Enter send · Esc talk
    ");
}

#[test]
fn a_command_that_waits() {
    insta::assert_snapshot!(seen(&mut waiting(80, 24)), @r"
     aside · run the tests, 日本語も 🦀
      › run the tests, 日本語も 🦀
        ┃ a command to approve
        ┃ command  make test
        ┃ in       ~/work
        ┃ because  the project's tests
        ● waits for you: Tab looks at it














    ────────────────────────────────────────────────────────────────────────────────
    › ▮
    Tab proposal · Enter send · Esc talk · Ctrl-T list · F1 keys
    ");
}

#[test]
fn a_command_that_waits_in_a_wide_window_with_the_list() {
    let mut chat = waiting(120, 16);
    let briefs =
        [("t1", "main", "WAITING_APPROVAL", "run the tests"), ("t0", "old", "FAILED", "why is the build slow")];
    let briefs = briefs.map(|(task, thread, state, text)| aside_proto::task::TaskBrief {
        task_id: task.to_owned(),
        thread_id: thread.to_owned(),
        state: state.to_owned(),
        text: text.to_owned(),
        ..aside_proto::task::TaskBrief::default()
    });
    let told = aside_proto::task::TaskList { tasks: briefs.to_vec(), ..Default::default() };
    chat.feed(ChatEvent::Answer(crate::cli::chat::model::ReplyTag::Follow, Ok(Box::new(told))));
    insta::assert_snapshot!(seen(&mut chat), @r"
     conversations               │ aside · run the tests
    ● run the tests              │  › run the tests, 日本語も 🦀
    ✗ why is the build slow      │    ┃ a command to approve
                                 │    ┃ command  make test
                                 │    ┃ in       ~/work
                                 │    ┃ because  the project's tests
                                 │    ● waits for you: Tab looks at it
                                 │
                                 │
                                 │
                                 │
                                 │
                                 │
                                 │──────────────────────────────────────────────────────────────────────────────────────────
                                 │› ▮
                                 │Tab proposal · Enter send · Esc talk · Ctrl-T list · F1 keys
    ");
}

#[test]
fn a_command_that_is_looked_at() {
    let mut chat = waiting(40, 10);
    chat.press(Key::Tab);
    insta::assert_snapshot!(seen(&mut chat), @r"
     Run this command?            all of it
    command  make test
    in       /home/me/work
    because  the project's tests
    rule     no rule


    ────────────────────────────────────────
    ›
    y run · n reject · e edit · Esc back
    ");
    chat.press(Key::Char('e'));
    insta::assert_snapshot!(seen(&mut chat), @r"
     Run this command?            all of it
    command  make test
    in       /home/me/work
    because  the project's tests
    rule     no rule


    ────────────────────────────────────────
    $ make test▮
    Enter propose this · Esc back
    ");
}

fn changing(width: u16, height: u16) -> Chat {
    let mut chat = Chat::new(width, height);
    chat.asked("add a file");
    chat.waits(change(9));
    chat.press(Key::Tab);
    chat
}

#[test]
fn a_change_that_is_looked_at() {
    insta::assert_snapshot!(seen(&mut changing(40, 10)), @r"
     Write this change?      ↓ 18 more rows
    file     A new.txt +9 -0
    file     M src/b.rs +1 -1
    rule     no rule
    diff --git a/new.txt b/new.txt
    new file mode 100644
    --- /dev/null
    ────────────────────────────────────────
    ›
    y write · n reject · e edit · Esc back
    ");
    insta::assert_snapshot!(seen(&mut changing(80, 24)), @r"
     aside · add a file
     Write this change?                                               ↓ 5 more rows
    file     A new.txt +9 -0
    file     M src/b.rs +1 -1
    rule     no rule
    diff --git a/new.txt b/new.txt
    new file mode 100644
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1,9 @@
          1 +line 1
          2 +line 2
          3 +line 3
          4 +line 4
          5 +line 5
          6 +line 6
          7 +line 7
          8 +line 8
          9 +line 9
    diff --git a/src/b.rs b/src/b.rs
    --- a/src/b.rs
    ────────────────────────────────────────────────────────────────────────────────
    ›
    y write · n reject · e edit · Esc back · v sides · ] [ hunks · Tab files
    ");
}

#[test]
fn a_change_side_by_side() {
    let mut chat = changing(131, 24);
    chat.press(Key::Char('v'));
    insta::assert_snapshot!(seen(&mut chat), @r"
     aside · add a file
     Write this change?                                                                                                  ↓ 4 more rows
    file     A new.txt +9 -0
    file     M src/b.rs +1 -1
    rule     no rule
    diff --git a/new.txt b/new.txt
    new file mode 100644
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1,9 @@
                                                                     │   1 +line 1
                                                                     │   2 +line 2
                                                                     │   3 +line 3
                                                                     │   4 +line 4
                                                                     │   5 +line 5
                                                                     │   6 +line 6
                                                                     │   7 +line 7
                                                                     │   8 +line 8
                                                                     │   9 +line 9
    diff --git a/src/b.rs b/src/b.rs
    --- a/src/b.rs
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    ›
    y write · n reject · e edit · Esc back · v sides · ] [ hunks · Tab files
    ");
}

#[test]
fn two_sides_fit_from_a_hundred_columns_on() {
    for (columns, fits) in [(100, true), (99, false)] {
        let mut chat = changing(columns, 24);
        chat.press(Key::Char('v'));
        assert_eq!(seen(&mut chat).contains("│   1 +line 1"), fits, "{columns}");
    }
}

#[test]
fn what_is_said_and_printed_and_how_it_ended() {
    let mut chat = Chat::new(60, 20);
    chat.asked("run the tests");
    chat.event(json!({ "type": "task_start", "scope": "full", "intent": { "kind": "run", "confidence": 0.8, "summary": "Run: the tests" } }));
    chat.state("PROPOSING", json!({}));
    chat.chunk("answer", "There is a **Makefile** with `test`:\n\n- it runs");
    insta::assert_snapshot!(seen(&mut chat), @r"
     aside · run the tests
      › run the tests
        There is a Makefile with test:

        • it runs
        ⣷ thinking











    ────────────────────────────────────────────────────────────
    › ▮
    Enter send · F1 keys · Esc talk · Ctrl-T list · Ctrl-N new
    ");
    chat.proposes(json!({ "type": "command", "cmd": "make test" }));
    chat.waits(command(1, "d1", "make test"));
    chat.state("EXECUTING", json!({ "step": 1 }));
    chat.chunk("output", "one\r\n\u{1b}[32mtwo\u{1b}[0m \u{202e}x\n10%\r20%\r100%\n");
    insta::assert_snapshot!(seen(&mut chat), @r"
     aside · run the tests
      › run the tests
        $ make test
        │ one
        │ two x
        │ 100%
        ⣷ running










    ────────────────────────────────────────────────────────────
    › ▮
    Enter send · F1 keys · Esc talk · Ctrl-T list · Ctrl-N new
    ");
    chat.now += 3000;
    chat.state("COMPLETED", json!({ "outcome": { "summary": "12 tests passed", "exit": 0 } }));
    insta::assert_snapshot!(seen(&mut chat), @r"
     aside · run the tests
      › run the tests
        $ make test
        │ one
        │ two x
        │ 100%
        ✓ 12 tests passed, exit 0, 3 s










    ────────────────────────────────────────────────────────────
    › ▮
    Enter send · F1 keys · Esc talk · Ctrl-T list · Ctrl-N new
    ");
}

#[test]
fn what_was_found() {
    let mut chat = Chat::new(60, 16);
    chat.asked("where is parse_line");
    let items: Vec<_> =
        (1..12).map(|at| json!({ "path": format!("src/f{at}.rs:{at}"), "preview": "    fn parse_line() {" })).collect();
    chat.proposes(json!({ "type": "search_results", "items": items }));
    chat.state("COMPLETED", json!({}));
    insta::assert_snapshot!(seen(&mut chat), @r"
     aside · where is parse_line
        Run make test
        src/f1.rs:1  fn parse_line() {
        src/f2.rs:2  fn parse_line() {
        src/f3.rs:3  fn parse_line() {
        src/f4.rs:4  fn parse_line() {
        src/f5.rs:5  fn parse_line() {
        src/f6.rs:6  fn parse_line() {
        src/f7.rs:7  fn parse_line() {
        src/f8.rs:8  fn parse_line() {
        … 3 more; Esc Enter shows all
        ✓ done

    ────────────────────────────────────────────────────────────
    › ▮
    Enter send · F1 keys · Esc talk · Ctrl-T list · Ctrl-N new
    ");
    chat.press(Key::Esc);
    chat.press(Key::Enter);
    chat.press(Key::Char('j'));
    insta::assert_snapshot!(seen(&mut chat), @r"
     aside · where is parse_line
     found                                       ↓ 11 more rows
    src/f1.rs:1
      fn parse_line() {
    src/f2.rs:2
      fn parse_line() {
    src/f3.rs:3
      fn parse_line() {
    src/f4.rs:4
      fn parse_line() {
    src/f5.rs:5
      fn parse_line() {
    src/f6.rs:6
    ────────────────────────────────────────────────────────────
    ›
    Enter take its name · j k choose · Esc back
    ");
    chat.press(Key::Enter);
    assert_eq!(chat.model.input.text(), "src/f2.rs:2");
}

#[test]
fn nothing_breaks_in_any_window() {
    for width in [1, 2, 3, 5, 10, 20, 39, 63, 64, 99, 100, 101, 200] {
        for height in [1, 2, 3, 5, 9, 12, 60] {
            let mut chat = changing(width, height);
            chat.chunk("output", "日本語\n🦀🦀🦀\n");
            for key in [
                Key::Char('v'),
                Key::PageDown,
                Key::Esc,
                Key::Ctrl('t'),
                Key::Esc,
                Key::F1,
                Key::Esc,
                Key::Esc,
                Key::Char('/'),
            ] {
                seen(&mut chat);
                chat.press(key);
            }
            chat.types("a long thing to look for, 日本語");
            seen(&mut chat);
            chat.feed(ChatEvent::Resized(7, 4));
            seen(&mut chat);
        }
    }
}
