//! The terminal's stream: how it is sliced does not matter, what is kept is bounded, and what is shown has no control characters.

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};
use aside_text::screen::prompt::Prompt;
use aside_text::screen::{CommandOutput, MAX_HEAD, MAX_TAIL, OutputWatcher};

const WORDS: &[&str] = &[
    "\x1b[0m",
    "\x1b[31;1m",
    "\x1b[38;2;1;2;3m",
    "\x1b[K",
    "\x1b[2J",
    "\x1b[H",
    "\x1b[999;999H",
    "\x1b[3A",
    "\x1b[5B",
    "\x1b[70C",
    "\x1b[2D",
    "\x1b[4P",
    "\x1b[4@",
    "\x1b[2L",
    "\x1b[2M",
    "\x1b[1;3r",
    "\x1b7",
    "\x1b8",
    "\x1bM",
    "\x1bc",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[?2004h",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\",
    "\x1bP1$q\x1b\\",
    "\x1bkname\x1b\\",
    "\x1b]133;C;aside=secret.1.80.24\x07",
    "\x1b]133;D;0;aside=secret.1\x07",
    "\x1b]7133;A;aside=secret.bash-1-2\x07",
    "\x1b]7133;B;aside=secret.bash-1-2\x07",
    "\r\n",
    "\r",
    "\t",
    "\x08",
    "\x18",
    "文字",
    "e\u{301}",
    "\u{202e}",
    "\u{200b}",
    "$ ",
    "ls -l",
    "error: no such file\r\n",
];

#[test]
fn fuzz_screen() {
    let (begin, end) = ("\x1b]133;C;aside=secret.1.80.24\x07", "\x1b]133;D;0;aside=secret.1\x07");
    let (prompt, typed) = ("\x1b]7133;A;aside=secret.bash-1-2\x07", "\x1b]7133;B;aside=secret.bash-1-2\x07");
    let seeds = [
        format!("{begin}total 8\r\n\x1b[31mred\x1b[0m\r\n{end}$ ls"),
        format!("{begin}\x1b[?1049hvim\x1b[?1049lprogress 10%\rprogress 20%\r\n\x1b[1Adone\x1b[K\r\n{end}"),
        format!("{begin}文字\x1b[70Cx\r\n\x1b]0;title\x07{end}{prompt}$ {typed}\x1b[1mls\x1b[0m -l\x1b[K"),
        format!("{prompt}\r\n$ {typed}git st"),
    ];
    let seeds = seeds.into_iter().map(String::into_bytes).collect();
    fuzz(Target { name: "screen", seeds, words: WORDS, longest: 256 * 1024, check });
}

fn check(bytes: &[u8]) {
    let mut random = Random::of(bytes);
    let whole = watched(bytes, &[usize::MAX]);
    let most = if random.below(2) == 0 { 3 } else { 3000 };
    let cuts: Vec<usize> = (0..4).map(|_| 1 + random.below(most)).collect();
    assert_eq!(watched(bytes, &cuts), whole, "in pieces of {cuts:?}");
    for output in whole.iter().chain([&CommandOutput::of_file(bytes)]) {
        assert!(output.head.len() <= MAX_HEAD && output.tail.len() <= MAX_TAIL);
        let shown = output.shown();
        assert!(shown.len() <= 64 * 1024, "{} bytes shown", shown.len());
        assert!(!shown.contains(|letter: char| letter.is_control() && letter != '\n' && letter != '\t'), "{shown:?}");
        assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{2066}']), "{shown:?}");
    }
    let columns = 2 + random.below(100) as u16;
    let rows = 1 + random.below(30) as u16;
    let prompt = |cuts: &[usize]| {
        let mut prompt = Prompt::new("secret", columns, rows);
        sliced(bytes, cuts, |piece| prompt.see(piece));
        prompt.line()
    };
    let line = prompt(&[usize::MAX]);
    assert_eq!(prompt(&cuts), line, "a prompt in pieces of {cuts:?}");
    if let Some(line) = line {
        assert!(!line.text.contains(char::is_control), "{line:?}");
        assert!(line.room < usize::from(columns), "{line:?}");
        let drawn = line.drawn("status --short --branch", "2").unwrap_or_default();
        assert!(!drawn.contains('\n'), "{drawn:?}");
    }
}

fn watched(bytes: &[u8], cuts: &[usize]) -> Vec<CommandOutput> {
    let mut watcher = OutputWatcher::default();
    let mut outputs = Vec::new();
    sliced(bytes, cuts, |piece| watcher.see(piece, &mut |output| outputs.push(output)));
    outputs
}

fn sliced(bytes: &[u8], cuts: &[usize], mut see: impl FnMut(&[u8])) {
    let mut rest = bytes;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, behind) = rest.split_at((*cut).min(rest.len()));
        see(piece);
        rest = behind;
    }
}
