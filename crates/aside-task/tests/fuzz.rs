//! For arbitrary lines and messages: nothing panics, nothing hangs, and parse results are consistent. A second each, or as long as
//! `ASIDE_FUZZ_SECONDS` says; the seed is fixed, so the inputs are the same as far as the time reaches.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a fuzzer needs a clock and a watchdog, and says how far it came"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use aside_proto::stream::{Frame, Stream};
use aside_proto::{Call, CompleteParams, NamesParams, Request, json, record};
use aside_task::diff::parse::parse_patch;
use aside_task::diff::path::RelativePath;
use aside_task::diff::resolve::{FileState, resolve};
use aside_task::run::context::{ContextFile, ModelContext, PickReason};
use aside_task::run::edits::Edits;
use proptest::prelude::*;
use shell_line::quote::{self, WordEnd};
use shell_line::{CursorRole, Dialect, Line, Quote, Syntax, Unclosed, Word, parse, syntax};

/// The longest line that the protocol carries.
const LONGEST: usize = 64 * 1024;

/// An input that takes longer counts as a hang.
const HANG: Duration = Duration::from_secs(2);

/// The longest excerpt of a failing input; its number reproduces the rest.
const LONGEST_SHOWN: usize = 4000;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

const DIALECTS: [Dialect; 3] = [Dialect::Zsh, Dialect::Bash, Dialect::Fish];

/// The pieces of random lines.
const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    ";",
    ";;",
    ";&",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "&!",
    "<",
    ">",
    ">>",
    "<<EOF",
    "<<-'E'",
    "\nEOF\n",
    "<<<",
    "<>",
    ">&",
    "2>&1",
    "&>",
    ">|",
    ">!",
    "{fd}>",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "[",
    "]",
    "[[ ",
    " ]]",
    "$(",
    "$((",
    "${",
    "${(f)",
    "${ ",
    "$[",
    "<(",
    ">(",
    "=(",
    "`",
    "'",
    "\"",
    "$'",
    "$\"",
    "\\",
    "\\\n",
    "#",
    "$",
    "$HOME",
    "$path[(r)*",
    "~",
    "~/",
    "*",
    "?",
    "!",
    "!!",
    "=",
    "+=",
    "a=",
    "a=(",
    "a[1]=",
    "if ",
    "then ",
    "elif ",
    "else ",
    "fi",
    "while ",
    "until ",
    "do ",
    "done",
    "for i in ",
    "for i (",
    "for ((",
    "select x ",
    "case x in ",
    "esac",
    "a) ",
    "function ",
    "f() ",
    "() ",
    "time ",
    "coproc ",
    "noglob ",
    "repeat 3 ",
    "foreach x (",
    "end",
    "always ",
    "begin ",
    "and ",
    "or ",
    "not ",
    "switch ",
    "case ",
    "ls",
    "git",
    "-l",
    "--all",
    "x",
    "y",
    "é",
    "文",
    "\u{1f600}",
    "1",
    "{a,b}",
    "..",
    "-",
    "\r",
    "\0",
    "\x1b",
];

const LINES: &[&str] = &[
    "git commit -m \"$(cat <<'EOF'\nit's \"fixed\nEOF\n)\" && git push",
    "cat <<EOF >> log; echo done\nhi $(who) `date`\nEOF\n",
    "diff <(sort a) <(sort b) > >(tee d)",
    "if [[ -f x && $a =~ ^(x|y)$ ]] { ls } elif (( 1 )) { pwd } else { who }",
    "for f in *.txt; do rm \"$f\"; done < in > out 2>&1",
    "case $x in (a|b)*) ls;; c) pwd;; esac",
    "ls **/*.rs(.om[1,3]) | head -n $((1 + ${x:-2}))",
    "for f in (ls); echo \"$f[1] $(pwd)\" 'it\\'s'; end; and true",
    "a=(1 \"2 3\" $(ls)) b+=x c[1]=y env FOO=~/bar make",
    "f() { echo $1; }; f x &! ls =(ls) >! out",
];

#[test]
fn no_line_makes_the_reader_panic_or_hang() {
    fuzz(
        "lines",
        |random| {
            let text = line(random);
            let cursors: Vec<usize> = (0..4).map(|_| random.below(text.len() + 2)).collect();
            (text, cursors)
        },
        |(text, cursors)| {
            for dialect in DIALECTS {
                let line = parse(text, dialect);
                sound(&line);
                syntax(text, dialect);
                for cursor in cursors {
                    sound_at(&line, *cursor);
                }
            }
        },
    );
}

/// The pieces of random model output.
const ANSWERS: &[&str] = &[
    "<<<<<<< SEARCH\n",
    "<<<<< SEARCH a.py\n",
    "=======\n",
    "=====\n",
    ">>>>>>> REPLACE\n",
    ">>>>>\n",
    "```\n",
    "```python\n",
    "```python a.py\n",
    "````markdown b.md\n",
    "~~~\n",
    "  ```\n",
    "a.py\n",
    "**`sub/b.md`**:\n",
    "# a.py\n",
    "../a.py\n",
    "new.py\n",
    "Here is `a.py`:\n",
    "Create `c.py`:\n",
    "*** Begin Patch\n",
    "*** Update File: a.py\n",
    "*** Add File: d.py\n",
    "*** Delete File: a.py\n",
    "*** Move to: e.py\n",
    "*** End Patch\n",
    "--- a/a.py\n",
    "+++ b/a.py\n",
    "@@ -1,2 +1,2 @@\n",
    "@@\n",
    "-one\n",
    "+two\n",
    " one\n",
    "one\n",
    "  two\n",
    "\ttwo\n",
    "two  \n",
    "three\r\n",
    "# ... rest unchanged\n",
    "[redacted]\n",
    "\n",
    "one",
    "é…\u{202e}",
    "\0",
];

#[test]
fn no_answer_makes_the_reader_of_edits_panic_or_hang() {
    fuzz(
        "answers",
        |random| {
            let mut answer = String::new();
            for _ in 0..random.below(40) {
                answer.push_str(ANSWERS[random.below(ANSWERS.len())]);
            }
            match random.below(200) {
                0 => answer.repeat((LONGEST / answer.len().max(1)).min(500)),
                _ => answer,
            }
        },
        |answer| {
            let real = "one\n\ttwo\r\n  two\n\none\ntoken\nthree";
            let text = real.replace("\r\n", "\n").replace("token", "[redacted]");
            let file = ContextFile {
                path: "a.py".to_owned(),
                reason: PickReason::Named,
                text,
                lines: (1, 7, 7),
                line: 0,
                name: String::new(),
            };
            let shown =
                ModelContext { files: vec![file], tree: "a.py\nsub/b.md\n".to_owned(), ..ModelContext::default() };
            let (edits, _) = Edits::of(answer, &shown);
            let Ok(names) = edits.names() else { return };
            let all = [("a.py", real), ("sub/b.md", "# B\n")];
            let all = all.map(|(name, text)| (RelativePath::new(name).unwrap(), text.as_bytes().to_vec()));
            let found: BTreeMap<RelativePath, Vec<u8>> =
                all.clone().into_iter().filter(|(name, _)| names.contains(name)).collect();
            let Ok(Some(diff)) = edits.diff(&found, &shown) else { return };
            // A diff that the answer itself contains may be anything, and its parser rejects a NUL. A diff built here must apply,
            // render to itself, and keep the final newline.
            if ["--- ", "*** ", "@@", "diff", "\0"].iter().any(|mark| answer.contains(mark)) {
                return;
            }
            let states = all.map(|(name, bytes)| (name, FileState { bytes, executable: false }));
            let changes = resolve(&parse_patch(&diff).unwrap(), &states.into_iter().collect()).unwrap();
            assert_eq!(changes.diff(), diff, "{answer:?}");
            for change in changes.files() {
                let ended = change.before().is_none_or(|before| before.bytes.ends_with(b"\n"));
                let after = &change.after().unwrap().bytes;
                assert!(after.is_empty() || after.ends_with(b"\n") == ended, "{answer:?} {change:?}");
            }
        },
    );
}

#[test]
fn no_bytes_make_the_wire_panic_or_hang() {
    fuzz("bytes", bytes_and_cuts, |(bytes, cuts)| {
        let frames = fed(bytes, cuts);
        // The chunk boundaries must not matter.
        if bytes.len() < LONGEST {
            assert_eq!(frames, fed(bytes, &[bytes.len().max(1)]));
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_read_with_the_cursor_anywhere(text in any::<String>()) {
        everywhere(&text);
    }

    #[test]
    fn every_soup_of_shell_is_read_with_the_cursor_anywhere(
        text in prop::collection::vec(prop::sample::select(PIECES), 0..24),
    ) {
        everywhere(&text.concat());
    }

    #[test]
    fn a_spelled_word_is_read_back(value in "[^\\x00]{0,12}", soup in prop::collection::vec(prop::sample::select(PIECES), 0..6)) {
        for value in [value, soup.concat().replace('\0', "")] {
            for dialect in DIALECTS {
                let home = value == "~" || value.starts_with("~/");
                let text = format!("echo {} end", quote::word(&value, dialect));
                let line = parse(&text, dialect);
                let expected = Word { value: value.clone(), fixed: !home, ..line.commands[0].words[1].clone() };
                prop_assert_eq!(&line.commands[0].words[1..], [expected, word_at(&text, "end")], "{:?} {}", dialect, text);
                prop_assert_eq!(line.open, None);
            }
        }
    }

    #[test]
    fn the_rest_of_a_word_is_read_back(rest in "[^\\x00]{0,12}", soup in prop::collection::vec(prop::sample::select(PIECES), 0..6)) {
        for rest in [rest, soup.concat().replace('\0', "")] {
            for dialect in DIALECTS {
                for quote in [Quote::None, Quote::Single, Quote::Double, Quote::Dollar] {
                    if quote == Quote::Dollar && dialect == Dialect::Fish {
                        continue;
                    }
                    let left = format!("echo {}x", opening(quote));
                    let spot_line = parse(&left, dialect);
                    prop_assert_eq!(spot_line.at(left.len()).quote, quote);

                    let text = format!("{left}{}", quote::rest(&rest, quote, dialect, WordEnd::End));
                    let line = parse(&text, dialect);
                    prop_assert_eq!(&line.commands[0].words[1].value, &format!("x{rest}"), "{:?} {}", dialect, text);
                    prop_assert!(line.commands[0].words[1].fixed, "{:?} {}", dialect, text);
                    prop_assert_eq!((line.commands.len(), line.open), (1, None), "{:?} {}", dialect, text);

                    let text = format!("{left}{}", quote::rest(&rest, quote, dialect, WordEnd::More));
                    let line = parse(&text, dialect);
                    let spot = line.at(text.len());
                    prop_assert_eq!((&spot.typed, spot.quote), (&format!("x{rest}"), quote), "{:?} {}", dialect, text);
                }
            }
        }
    }
}

/// Repeats each piece; in a long run also combined with another one, and longer.
#[test]
fn nothing_grows_faster_than_the_line() {
    let long = seconds() > 1;
    let tails = if long { &["", "a) ", "]", " x\n", "(", "[", ";", "`"][..] } else { &[""] };
    let longest = if long { LONGEST } else { LONGEST / 4 };
    for (piece, tail) in PIECES.iter().flat_map(|piece| tails.iter().map(move |tail| (piece, tail))) {
        let text = [*piece, *tail].concat().repeat(longest / (piece.len() + tail.len()));
        for dialect in DIALECTS {
            let start = Instant::now();
            let line = parse(&text, dialect);
            sound_at(&line, text.len() / 2);
            syntax(&text, dialect);
            // Unoptimised and on a busy machine this takes a tenth of a second; a quadratic parser takes a minute.
            assert!(start.elapsed() < Duration::from_secs(10), "{piece:?} {tail:?} {dialect:?}");
        }
    }
}

fn opening(quote: Quote) -> &'static str {
    match quote {
        Quote::None => "",
        Quote::Single => "'",
        Quote::Double => "\"",
        Quote::Dollar => "$'",
    }
}

fn word_at(text: &str, end: &str) -> Word {
    Word { span: text.len() - end.len()..text.len(), value: end.to_owned(), fixed: true }
}

fn everywhere(text: &str) {
    for dialect in DIALECTS {
        let line = parse(text, dialect);
        sound(&line);
        // Both parsers agree about quotes, unless one of them has given up before.
        if let (Syntax::Open(Unclosed::Quote), None) = (syntax(text, dialect), line.open) {
            panic!("{text:?} {dialect:?}");
        }
        for cursor in 0..=text.len() + 1 {
            sound_at(&line, cursor);
        }
    }
}

/// The invariants of every parsed line.
fn sound(line: &Line<'_>) {
    let text = line.text;
    assert!(line.commands.is_sorted_by(|one, next| one.span.start < next.span.start), "{text:?} {line:?}");
    for (index, command) in line.commands.iter().enumerate() {
        assert!(text.get(command.span.clone()).is_some_and(|text| !text.is_empty()), "{text:?} {command:?}");
        if let Some(parent) = command.inside {
            assert!(parent < index, "{text:?} {line:?}");
        }
        let words = command.words.iter().map(|word| &word.span);
        let words = words.chain(command.assignments.iter().map(|assignment| &assignment.span));
        let mut spans: Vec<_> = words.chain(command.redirections.iter().map(|redirection| &redirection.span)).collect();
        spans.sort_by_key(|span| span.start);
        assert!(!spans.is_empty(), "{text:?} {command:?}");
        assert!(spans.is_sorted_by(|one, next| one.end <= next.start), "{text:?} {command:?}");
        for span in spans {
            assert!(text.get(span.clone()).is_some_and(|text| !text.is_empty()), "{text:?} {command:?}");
            assert!(command.span.start <= span.start && span.end <= command.span.end, "{text:?} {command:?}");
        }
        for word in command.words.iter().filter(|word| word.fixed) {
            let raw = &text[word.span.clone()];
            assert!(raw.contains(['\'', '"', '\\']) || raw == word.value, "{text:?} {word:?}");
        }
        let targets =
            command.redirections.iter().filter_map(|redirection| Some((redirection, redirection.target.as_ref()?)));
        for (redirection, target) in targets {
            assert!(redirection.span.start < target.span.start && redirection.span.end == target.span.end, "{text:?}");
        }
    }
}

fn sound_at(line: &Line<'_>, cursor: usize) {
    let spot = line.at(cursor);
    let text = line.text;
    let cursor = text.floor_char_boundary(cursor);
    assert!(spot.start <= cursor && text.is_char_boundary(spot.start), "{text:?} {cursor} {spot:?}");
    let Some(command) = spot.command else { return };
    assert!(command.span.start <= cursor, "{text:?} {cursor} {spot:?}");
    let number = match spot.role {
        CursorRole::Name => 0,
        CursorRole::Argument(number) => number,
        CursorRole::Target(_) | CursorRole::Value(_) | CursorRole::Variable | CursorRole::Other => return,
    };
    // A word that ends at the cursor is the one being typed.
    if let Some(word) = command.words.get(number).filter(|word| word.span == (spot.start..cursor)) {
        assert_eq!((&word.value, word.fixed), (&spot.typed, spot.fixed), "{text:?} {cursor}");
    }
}

/// A mutated line: pieces inserted, removed, doubled, truncated.
fn line(random: &mut Random) -> String {
    let mut text = match random.below(3) {
        0 => String::new(),
        _ => LINES[random.below(LINES.len())].to_owned(),
    };
    for _ in 0..=random.below(12) {
        let at = text.floor_char_boundary(random.below(text.len() + 1));
        let end = text.floor_char_boundary((at + random.below(8)).min(text.len()));
        match random.below(6) {
            0 => drop(text.drain(at..end)),
            1 => text = [&text[..end], &text[at..]].concat(),
            2 => text.truncate(at),
            3 => text.insert(at, char::from_u32(random.below(0x3000) as u32).unwrap_or('x')),
            _ => text.insert_str(at, PIECES[random.below(PIECES.len())]),
        }
    }
    // Now and then a long one.
    match random.below(400) {
        0 => text.repeat((LONGEST / text.len().max(1)).min(2000)),
        _ => text,
    }
}

/// Messages as clients send them, mutated, and the sizes of the chunks.
fn bytes_and_cuts(random: &mut Random) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = Vec::new();
    let encode = if random.below(2) == 0 { record::encode_call } else { json::encode_call };
    for _ in 0..random.below(4) {
        let request = match random.below(4) {
            0 => Request::Status,
            1 => Request::Names(NamesParams { names: line(random), ..NamesParams::default() }),
            _ => {
                Request::Complete(CompleteParams { left: line(random).replace('\0', ""), ..CompleteParams::default() })
            }
        };
        bytes.extend(encode(&Call::new(random.next(), request)));
    }
    for _ in 0..random.below(8) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = random.next() as u8,
            2 => bytes.insert(at, [0, b'\n', b'{', b'"', b'9', b'\\', 0xff][random.below(7)]),
            3 => drop(bytes.drain(at..(at + random.below(20)).min(bytes.len()))),
            _ => bytes.insert(at, random.next() as u8),
        }
    }
    let most = if random.below(2) == 0 { 4 } else { 4000 };
    let cuts = (0..4).map(|_| 1 + random.below(most)).collect();
    (bytes, cuts)
}

/// All frames, up to the first after which the stream cannot be decoded.
fn fed(bytes: &[u8], cuts: &[usize]) -> Vec<Frame> {
    let mut stream = Stream::default();
    let mut frames = Vec::new();
    let mut rest = bytes;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() || matches!(frames.last(), Some(Frame::Lost { .. })) {
            break;
        }
        let (chunk, left) = rest.split_at((*cut).min(rest.len()));
        stream.push(chunk);
        frames.extend(stream.frames());
        rest = left;
    }
    frames
}

/// The CPU time of a thread, not its wall time: a busy machine must not look like a hang. Where the system does not report it,
/// falls back to a tenth of the wall time.
fn worked(thread: Option<&Path>) -> Duration {
    let told =
        thread.and_then(|thread| std::fs::read_to_string(Path::new("/proc").join(thread).join("schedstat")).ok());
    let told = told.and_then(|told| told.split(' ').next()?.parse().ok());
    told.map_or_else(|| START.elapsed() / 10, Duration::from_nanos)
}

fn seconds() -> u64 {
    std::env::var("ASIDE_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(1)
}

/// Generates inputs and checks them until the time is up. A check that panics or hangs fails with its input.
fn fuzz<I: Clone + std::fmt::Debug + Send + 'static>(what: &str, make: fn(&mut Random) -> I, check: fn(&I)) {
    let seconds = seconds();
    let end = Instant::now() + Duration::from_secs(seconds);
    let current = Arc::new(Mutex::new((None::<I>, 0u64)));
    let (sender, receiver) = mpsc::channel();
    let shared = Arc::clone(&current);
    let worker = std::thread::spawn(move || {
        sender.send(std::fs::read_link("/proc/thread-self").ok()).unwrap();
        let mut random = Random(0x5eed);
        while Instant::now() < end {
            let input = make(&mut random);
            {
                let mut current = shared.lock().unwrap();
                *current = (Some(input.clone()), current.1 + 1);
            }
            check(&input);
        }
        sender.send(None).unwrap();
    });
    let thread = receiver.recv().unwrap();
    let said = |what_happened: &str| {
        let (input, number) = current.lock().unwrap().clone();
        let mut input = format!("{input:?}");
        input.truncate(input.floor_char_boundary(LONGEST_SHOWN));
        panic!("{what}: input {number} {what_happened}: {input}")
    };
    let mut seen = (0, Duration::ZERO);
    loop {
        match receiver.recv_timeout(HANG / 4) {
            Ok(_) => break,
            Err(RecvTimeoutError::Disconnected) => said("panicked"),
            Err(RecvTimeoutError::Timeout) => {
                let number = current.lock().unwrap().1;
                let worked = worked(thread.as_deref());
                if number != seen.0 {
                    seen = (number, worked);
                } else if worked - seen.1 > HANG {
                    said("hangs");
                }
            }
        }
    }
    worker.join().unwrap();
    let count = current.lock().unwrap().1;
    // Shown with `--nocapture`.
    eprintln!("{what}: {count} inputs in {seconds} s");
    assert!(count > 0);
}

/// xorshift: reproducible.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
