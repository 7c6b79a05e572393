//! What a shell writes, and the line read from it; and that ghost text drawn after that line leaves no trace.

use proptest::prelude::*;

use super::*;

const COLUMNS: u16 = 20;
const ROWS: u16 = 8;
const BEGIN: &str = "\x1b]7133;A;aside=secret.bash-1-2\x07";
const END: &str = "\x1b]7133;B;aside=secret.bash-1-2\x07";

fn framed(prompt: &str) -> String {
    format!("{BEGIN}{prompt}{END}")
}

fn seen(written: &str) -> Prompt {
    let mut prompt = Prompt::new("secret", COLUMNS, ROWS);
    prompt.see(written.as_bytes());
    prompt
}

fn line(written: &str) -> Option<String> {
    seen(written).line().map(|line| line.text)
}

/// After a prompt.
fn typed(written: &str) -> Option<String> {
    line(&format!("{}{written}", framed("$ ")))
}

#[test]
fn what_is_typed_is_what_is_behind_the_prompt() {
    assert_eq!(typed(""), Some(String::new()));
    assert_eq!(typed("git st"), Some("git st".to_owned()));
    assert_eq!(typed("git stx\x08\x1b[K"), Some("git st".to_owned()));
    assert_eq!(typed("gitst\x08\x08\x1b[1@ \x1b[C\x1b[C"), Some("git st".to_owned()));
    assert_eq!(typed("echo  "), Some("echo  ".to_owned()));
    assert_eq!(typed("gr\u{fc}n"), Some("gr\u{fc}n".to_owned()));
    // The terminal as the shell found it, or in any state after an output.
    assert_eq!(line(&format!("out\r\nput\r\n{}ls", framed("$ "))), Some("ls".to_owned()));
    let found = seen(&format!("{}git", framed("\x1b[1;32m$ \x1b[0m"))).line().unwrap();
    assert_eq!((found.session.as_str(), found.room), ("bash-1-2", usize::from(COLUMNS) - 1 - "$ git".len()));
}

#[test]
fn a_line_that_is_longer_than_a_row_is_one() {
    let long = "echo 0123456789 012345";
    assert_eq!(typed(long), Some(long.to_owned()));
    // readline makes the terminal wrap with a blank.
    assert_eq!(typed("0123456789abcdefgh \r"), Some("0123456789abcdefgh".to_owned()));
    assert_eq!(typed("0123456789abcdefghi\x08\x1b[K\x1b[A\r\x1b[19C"), None);
}

#[test]
fn prompts_have_rows_and_colours_and_are_drawn_again() {
    assert_eq!(line(&format!("{}ls", framed("~/work\r\n\x1b[31m> \x1b[0m"))), Some("ls".to_owned()));
    assert_eq!(line(&format!("{}ls\x1b[H\x1b[2J{}ls", framed("$ "), framed("$ "))), Some("ls".to_owned()));
    // As for a key that runs a command.
    assert_eq!(line(&format!("{}ls\r\x1b[K{}ls", framed("$ "), framed("$ "))), Some("ls".to_owned()));
    // A list of completions, and the prompt below it.
    assert_eq!(line(&format!("{}ls\x07\r\na  b\r\n{}ls", framed("$ "), framed("$ "))), Some("ls".to_owned()));
    // The line is drawn in a colour that the prompt has left on.
    let found = seen(&format!("{}ls", framed("\x1b[1;38;5;9m$ "))).line().unwrap();
    assert_eq!(found.drawn(" -l", "90").unwrap(), "\x1b[0;90m -l\x1b[0;1;38;5;9m\x1b[3D");
}

#[test]
fn nothing_is_certain_otherwise() {
    for (what, written) in [
        ("nothing is typed where there is no prompt", "ls".to_owned()),
        ("another mark", "\x1b]7133;A;aside=guess.x\x07$ \x1b]7133;B;aside=guess.x\x07ls".to_owned()),
        ("a prompt behind text", format!("text{}ls", framed("$ "))),
        ("a prompt over text", format!("text\r{}ls", framed("$ "))),
        ("a prompt above others", format!("a\r\nb\r\n\x1b[2A{}ls", framed("$ "))),
        ("a prompt anywhere", format!("\x1b[3;1H{}ls", framed("$ "))),
        ("a cursor within", format!("{}ls\x08", framed("$ "))),
        ("a cursor before it", format!("{}ls\r", framed("$ "))),
        ("a line that has ended", format!("{}ls\r\n", framed("$ "))),
        ("what a command prints", format!("{}ls\r\nfile", framed("$ "))),
        ("the second row of a command", format!("{}ls \\\r\n> -l", framed("$ "))),
        ("a search", format!("{}\r(reverse-i-search)`': ", framed("$ "))),
        ("a search without a prompt", format!("{}\r(reverse-i-search)`': ", framed(""))),
        ("a count", format!("{}ls\r(arg: 3) ls", framed("$ "))),
        ("something on the right", format!("{}ls", framed("\x1b7\x1b[15Cdone\x1b8$ "))),
        ("the other screen", format!("\x1b[?1049h{}ls", framed("$ "))),
        ("the screen changed", format!("{}ls\x1b[?1049h", framed("$ "))),
        ("a sequence that has not ended", format!("{}ls\x1b[", framed("$ "))),
        ("half a letter", format!("{}ls", framed("$ "))),
        ("a part of the screen", format!("\x1b[2;5r\r\n{}ls", framed("$ "))),
        ("a sequence that is not known", format!("{}ls\x1b[3L", framed("$ "))),
        ("a tab", format!("{}a\tb", framed("$ "))),
        ("a colour that erases", format!("{}ls", framed("\x1b[44m$ "))),
        ("a row that is painted", format!("\x1b[44m\x1b[K\x1b[m{}ls", framed("$ "))),
        ("rows that are painted", format!("\x1b[44m\x1b[J\x1b[m\r\n{}ls", framed("$ "))),
        ("a picture", format!("{}ls\x1bPq~\x1b\\", framed("$ "))),
    ] {
        let mut prompt = seen(&written);
        if what == "half a letter" {
            prompt.see(&"\u{fc}".as_bytes()[..1]);
        }
        assert_eq!(prompt.line(), None, "{what}");
    }
}

#[test]
fn what_was_lost_comes_back() {
    let lines = "x\r\n".repeat(usize::from(ROWS));
    for lost in ["\x1b[3;1H", "\x1b[5A", "\x1b[2L", "\x1bM"] {
        assert_eq!(line(&format!("{lost}text\r\n{}ls", framed("$ "))), None, "{lost:?}");
        assert!(line(&format!("{lost}{lines}{}ls", framed("$ "))).is_some(), "{lost:?}");
        assert!(line(&format!("{lost}\x1b[H\x1b[2J{}ls", framed("$ "))).is_some(), "{lost:?}");
    }
    // Whatever an editor does on the alternate screen.
    let editor = "\x1b[?1049h\x1b[2J\x1b[5;5Htext\x1b[?1049l";
    assert!(line(&format!("{}vi\r\n\x1b[?2004l\r{editor}{}ls", framed("$ "), framed("$ "))).is_some());
    // Cursor movement up and down again, as for progress bars.
    assert!(line(&format!("a\r\nb\r\n\x1b[2Ac\r\nd\r\ne\r\n{}ls", framed("$ "))).is_some());
}

#[test]
fn a_line_is_the_same_however_its_bytes_come() {
    let written = format!("\u{2713} ok\r\n{}gr\u{fc}n\x1b[K", framed("\x1b[1m\u{276f}\x1b[m "));
    let mut prompt = Prompt::new("secret", COLUMNS, ROWS);
    written.as_bytes().iter().for_each(|byte| prompt.see(&[*byte]));
    assert_eq!(prompt.line().map(|line| line.text).as_deref(), Some("gr\u{fc}n"));
}

#[test]
fn a_resize_ends_the_reading_until_the_next_row() {
    let mut prompt = seen(&format!("{}ls", framed("$ ")));
    prompt.resize(COLUMNS, ROWS);
    assert!(prompt.line().is_some(), "of the same size");
    prompt.resize(30, 10);
    assert_eq!(prompt.line(), None);
    prompt.see(format!("\r\x1b[K{}ls", framed("$ ")).as_bytes());
    assert_eq!(prompt.line(), None);
    prompt.see(format!("\r\n{}ls", framed("$ ")).as_bytes());
    assert!(prompt.line().is_some());
    // With something below, its position is unknown now.
    let mut prompt = seen(&format!("{}0123456789abcdefghij\x1b[A\r", framed("$ ")));
    prompt.resize(30, 10);
    prompt.see(format!("\r\n{}ls", framed("$ ")).as_bytes());
    assert_eq!(prompt.line(), None);
    // Before the shell has written anything.
    let mut prompt = Prompt::new("secret", 0, 0);
    prompt.resize(COLUMNS, ROWS);
    prompt.see(framed("$ ").as_bytes());
    assert!(prompt.line().is_some());
}

#[test]
fn only_what_fits_is_drawn() {
    let found = seen(&format!("{}0123456789abc", framed("$ "))).line().unwrap();
    assert_eq!(found.drawn("defghij", "90").unwrap(), "\x1b[0;90md...\x1b[0m\x1b[4D");
    assert_eq!((found.shown("defghij"), found.shown("defg")), (Some("d"), Some("defg")));
    assert_eq!(found.drawn("defg", "90").unwrap(), "\x1b[0;90mdefg\x1b[0m\x1b[4D");
    assert_eq!(found.drawn("gr\u{fc}n", "90"), None);
    assert_eq!(found.drawn("  ", "90"), None);
    let full = seen(&format!("{}0123456789abcdefg", framed("$ "))).line().unwrap();
    assert_eq!((full.room, full.drawn("h", "90")), (0, None));
}

/// What shells and programs write, one piece at a time.
fn piece() -> impl Strategy<Value = String> {
    let text = |text: &str| Just(text.to_owned());
    let prompts = prop::sample::select(vec!["$ ", "", "~/a\r\n> ", "\x1b[1;32m$ \x1b[0m", "\x1b[31m$ ", "\u{276f} "]);
    let moves = prop::sample::select(vec![
        "\x08",
        "\x1b[C",
        "\x1b[D",
        "\r",
        "\x1b[K",
        "\x1b[J",
        "\x08\x1b[K",
        "\x1b[P",
        "\x1b[2P",
        "\x1b[@",
        "\x1b[A",
        "\r\n",
        "\x1b[3G",
        "\x1b[2X",
        "\x07",
        "\x1b7",
        "\x1b8",
    ]);
    let rare = prop::sample::select(vec![
        "\x1b[H\x1b[2J",
        "\x1b[2;3H",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[44m",
        "\x1b[m",
        "\x1b[2L",
        "\x1b[2;6r",
        "\x1b[r",
        "\x1bM",
        "\x1b[2A",
        "\x1b]0;title\x07",
        "\x1bc",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[7m",
        "\x1b[2J",
    ]);
    prop_oneof![
        4 => prompts.prop_map(framed),
        6 => "[a-z ]{1,6}",
        1 => "[a-z]{15,30}",
        1 => text("\u{65e5}"),
        6 => moves.prop_map(str::to_owned),
        2 => text("\r\n"),
        1 => rare.prop_map(str::to_owned),
    ]
}

/// Everything visible, and the style of the next character. A blank has only a background colour.
fn looks(screen: &vt100::Screen) -> Vec<String> {
    let cell = |row, column| {
        let cell = screen.cell(row, column).unwrap();
        // Written or not: readline makes a row wrap with a blank.
        let text = cell.contents().trim();
        let colours = if text.is_empty() { (vt100::Color::Default, false) } else { (cell.fgcolor(), cell.bold()) };
        format!("{text}{colours:?}{:?}{}", cell.bgcolor(), cell.inverse())
    };
    let rows = (0..ROWS).map(|row| (0..COLUMNS).map(|column| cell(row, column)).collect::<String>());
    let pen = (screen.fgcolor(), screen.bgcolor(), screen.bold(), screen.inverse(), screen.cursor_position());
    rows.chain([format!("{pen:?}")]).collect()
}

proptest! {
    #[test]
    fn grey_text_that_was_erased_leaves_no_trace(pieces in prop::collection::vec(piece(), 0..60)) {
        let size = |size| std::num::NonZeroU16::new(size).unwrap();
        let terminal = || vt100::Parser::new(size(ROWS), size(COLUMNS), 100);
        let (mut bare, mut ours) = (terminal(), terminal());
        let mut prompt = Prompt::new("secret", COLUMNS, ROWS);
        for (number, piece) in pieces.iter().enumerate() {
            bare.process(piece.as_bytes());
            ours.process(piece.as_bytes());
            prompt.see(piece.as_bytes());
            let Some(line) = prompt.line() else { continue };
            let Some(drawn) = line.drawn("GREY TEXT THAT IS LONGER THAN A ROW", "90") else { continue };
            ours.process(drawn.as_bytes());
            let screen = ours.screen();
            prop_assert_eq!(screen.cursor_position(), bare.screen().cursor_position());
            // After the line, on its row, and nowhere else.
            let (row, column) = screen.cursor_position();
            for at in 0..ROWS {
                let cells = |screen: &vt100::Screen, columns: std::ops::Range<u16>| {
                    columns.map(|column| screen.cell(at, column).unwrap().contents().to_owned()).collect::<Vec<_>>()
                };
                let end = if at == row { column } else { COLUMNS };
                prop_assert_eq!(cells(screen, 0..end), cells(bare.screen(), 0..end), "row {} of {:?}", at, &pieces[..=number]);
            }
            ours.process(ERASE);
            prop_assert_eq!(looks(ours.screen()), looks(bare.screen()), "{:?}", &pieces[..=number]);
        }
    }
}
