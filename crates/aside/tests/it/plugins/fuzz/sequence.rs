//! The keys of a random sequence, determined by its seed.

use crate::harness::keys::Key;

#[derive(Clone, Debug)]
pub enum Action {
    Types(&'static str),
    /// All at once, like a paste without brackets.
    Bursts(&'static str),
    Presses(Key),
    Pastes(&'static str),
    Resizes(u16),
    /// Long enough for a reply of the daemon to be drawn.
    Waits,
    /// Types a line on an empty one and runs it.
    Runs(&'static str),
    /// With `kill -9`. This and the next apply only to the shell with Aside.
    KillsDaemon,
    /// Replaces the program with another build.
    Upgrades,
}

const WORDS: &[&str] = &[
    "ls -l",
    "git st",
    "frob",
    "print x",
    "false",
    "true",
    "(exit 3)",
    "cd /",
    "cd",
    "for i in 1 2",
    "do print $i",
    "done",
    "print 'a",
    "'",
    "sleep 0",
    "print $?",
    " ",
    "x",
    "nosuch",
    "git commit -m ",
    "| cat",
    "&& ",
    "~/",
    "if true",
    "fi",
];
const PASTES: &[&str] = &["print pasted", " && true", "a\nb", "ert says", "frob"];
const LINES: &[&str] =
    &["source ~/.zshrc", "aside-off", "aside-on", "print $?", "false", "clear", "fc -l -2 >/dev/null"];
/// Keys that accept a suggestion are left out: they are meant to make a difference.
const KEYS: &[Key] = &[
    Key::Left,
    Key::Backspace,
    Key::Delete,
    Key::Ctrl('a'),
    Key::Ctrl('u'),
    Key::Ctrl('w'),
    Key::Ctrl('k'),
    Key::Ctrl('y'),
    Key::Ctrl('l'),
    Key::Up,
    Key::Up,
    Key::Down,
    Key::Enter,
    Key::Enter,
    Key::CtrlC,
    Key::Tab,
    Key::Alt('b'),
    Key::Alt('.'),
    Key::Ctrl('t'),
    Key::Ctrl('_'),
];

pub fn sequence(seed: u64) -> Vec<Action> {
    let mut random = Random(seed);
    let count = 6 + random.below(10);
    (0..count).map(|_| action(&mut random)).collect()
}

fn action(random: &mut Random) -> Action {
    match random.below(120) {
        0..36 => Action::Types(random.of(WORDS)),
        36..48 => Action::Bursts(random.of(WORDS)),
        48..90 => Action::Presses(random.of(KEYS)),
        90..100 => Action::Pastes(random.of(PASTES)),
        100..104 => Action::Resizes(random.of(&[30, 50, 80, 110])),
        104..111 => Action::Waits,
        111..116 => Action::Runs(random.of(LINES)),
        116..119 => Action::KillsDaemon,
        _ => Action::Upgrades,
    }
}

/// splitmix64: reproducible for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}
