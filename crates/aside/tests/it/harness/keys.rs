//! The bytes that each key sends. A terminal in application mode sends different arrow keys.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Enter,
    Tab,
    ShiftTab,
    Esc,
    Backspace,
    Delete,
    Up,
    Down,
    Right,
    Left,
    Home,
    End,
    AltRight,
    CtrlRight,
    ShiftLeft,
    ShiftRight,
    ShiftDown,
    AltF,
    CtrlC,
    CtrlE,
    Ctrl(char),
    Alt(char),
}

/// The arrow-key mode that the program requested (DECCKM).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrows {
    Normal,
    Application,
}

pub fn bytes(key: Key, arrows: Arrows) -> Vec<u8> {
    let arrow = |letter: char| match arrows {
        Arrows::Normal => format!("\x1b[{letter}"),
        Arrows::Application => format!("\x1bO{letter}"),
    };
    let text = match key {
        Key::Enter => "\r".to_owned(),
        Key::Tab => "\t".to_owned(),
        Key::ShiftTab => "\x1b[Z".to_owned(),
        Key::Esc => "\x1b".to_owned(),
        Key::Backspace => "\x7f".to_owned(),
        Key::Delete => "\x1b[3~".to_owned(),
        Key::Up => arrow('A'),
        Key::Down => arrow('B'),
        Key::Right => arrow('C'),
        Key::Left => arrow('D'),
        Key::Home => arrow('H'),
        Key::End => arrow('F'),
        Key::AltRight => "\x1b[1;3C".to_owned(),
        Key::CtrlRight => "\x1b[1;5C".to_owned(),
        Key::ShiftLeft => "\x1b[1;2D".to_owned(),
        Key::ShiftRight => "\x1b[1;2C".to_owned(),
        Key::ShiftDown => "\x1b[1;2B".to_owned(),
        Key::AltF => "\x1bf".to_owned(),
        Key::CtrlC => "\x03".to_owned(),
        Key::CtrlE => "\x05".to_owned(),
        Key::Ctrl(letter) => char::from(letter as u8 & 0x1f).to_string(),
        Key::Alt(letter) => format!("\x1b{letter}"),
    };
    text.into_bytes()
}

#[test]
fn arrows_follow_the_mode_and_other_keys_do_not() {
    assert_eq!(bytes(Key::Right, Arrows::Normal), b"\x1b[C");
    assert_eq!(bytes(Key::Right, Arrows::Application), b"\x1bOC");
    assert_eq!(bytes(Key::Home, Arrows::Application), b"\x1bOH");
    assert_eq!(bytes(Key::CtrlRight, Arrows::Application), b"\x1b[1;5C");
    assert_eq!(bytes(Key::Ctrl('r'), Arrows::Normal), b"\x12");
    assert_eq!(bytes(Key::Ctrl('c'), Arrows::Normal), bytes(Key::CtrlC, Arrows::Normal));
    assert_eq!(bytes(Key::Alt('f'), Arrows::Normal), bytes(Key::AltF, Arrows::Normal));
    assert_eq!(bytes(Key::Delete, Arrows::Normal), b"\x1b[3~");
    assert_eq!(bytes(Key::ShiftTab, Arrows::Normal), b"\x1b[Z");
    assert_eq!(bytes(Key::AltRight, Arrows::Normal), b"\x1b[1;3C");
}
