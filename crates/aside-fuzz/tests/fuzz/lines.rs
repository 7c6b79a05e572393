//! The parser of shell lines: spans are inside the text and in order, the cursor may be anywhere, a quoted word is read back, and no line
//! takes more than its length deserves.

use std::time::{Duration, Instant};

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};
use proptest::prelude::*;
use shell_line::quote::{self, WordEnd};
use shell_line::{CursorRole, Dialect, Line, Quote, Syntax, Unclosed, Word, parse, syntax};

/// The longest line that the protocol carries.
const LONGEST: usize = 64 * 1024;

pub const DIALECTS: [Dialect; 3] = [Dialect::Zsh, Dialect::Bash, Dialect::Fish];

/// The pieces of random lines.
pub const PIECES: &[&str] = &[
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

pub const LINES: &[&str] = &[
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
fn fuzz_lines() {
    fuzz(Target {
        name: "lines",
        seeds: LINES.iter().map(|line| line.as_bytes().to_vec()).collect(),
        words: PIECES,
        longest: LONGEST,
        check: |input| {
            let text = String::from_utf8_lossy(input);
            let mut random = Random::of(input);
            for dialect in DIALECTS {
                let line = parse(&text, dialect);
                sound(&line);
                syntax(&text, dialect);
                for _ in 0..4 {
                    sound_at(&line, random.below(text.len() + 2));
                }
            }
        },
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
    let long = std::env::var_os("ASIDE_FUZZ_SECONDS").is_some();
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
