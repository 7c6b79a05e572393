//! Public API tests: bytes in, outputs out, and what the user saw of them.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn seen(stream: &[u8]) -> Vec<CommandOutput> {
    let mut outputs = Vec::new();
    OutputWatcher::default().see(stream, &mut |output| outputs.push(output));
    outputs
}

/// The bytes between a shell's markers, on a screen of 80 × 24.
fn output(bytes: &[u8]) -> CommandOutput {
    let stream =
        [b"\x1b]133;C;aside=0123456789abcdef.7.80.24\x07", bytes, b"\x1b]133;D;1;aside=0123456789abcdef.7\x07"];
    let mut outputs = seen(&stream.concat());
    assert_eq!(outputs.len(), 1);
    outputs.remove(0)
}

fn shown(bytes: impl AsRef<[u8]>) -> String {
    output(bytes.as_ref()).shown()
}

#[test]
fn an_output_is_what_is_between_two_marks() {
    let outputs = seen(
        b"$ ls\r\n\x1b]133;C;aside=ab.3.120.40\x07one\r\ntwo\r\n\x1b]133;D;0;aside=ab.3\x07$ \
          \x1b]7133;C;aside=ab.4.100.30\x1b\\three\x1b]7133;D;1;aside=ab.4\x1b\\$ ",
    );
    let expected = |seq, columns, rows, head: &[u8]| CommandOutput {
        mark: "ab".to_owned(),
        seq,
        columns,
        rows,
        head: head.to_vec(),
        tail: Vec::new(),
        bytes: head.len() as u64,
    };
    assert_eq!(outputs, [expected(3, 120, 40, b"one\r\ntwo\r\n"), expected(4, 100, 30, b"three")]);
}

#[test]
fn other_marks_end_nothing() {
    for other in [
        "133;D;0",
        "133;D",
        "133;A",
        "133;D;0;aside=cd.3",
        "133;D;0;aside=ab.2",
        "133;D;0;aside=",
        "133;C",
        "134;D;0;aside=ab.3",
    ] {
        let stream = format!("\x1b]133;C;aside=ab.3.80.24\x07x\x1b]{other}\x07y\x1b]133;D;0;aside=ab.3\x07");
        let heads: Vec<Vec<u8>> = seen(stream.as_bytes()).into_iter().map(|output| output.head).collect();
        assert_eq!(heads, [b"xy"], "{other}");
    }
}

#[test]
fn a_shell_inside_begins_anew() {
    let stream = b"\x1b]133;C;aside=ab.3.80.24\x07zsh\x1b]133;C;aside=cd.1.80.24\x07in\x1b]133;D;0;aside=cd.1\x07\
                   \x1b]133;D;0;aside=ab.3\x07";
    let outputs: Vec<(String, Vec<u8>)> = seen(stream).into_iter().map(|output| (output.mark, output.head)).collect();
    assert_eq!(outputs, [("cd".to_owned(), b"in".to_vec())]);
}

#[test]
fn a_mark_that_was_not_ended_is_none() {
    assert_eq!(seen(b"\x1b]133;C;aside=ab.3.80.24\x18x\x1b]133;D;0;aside=ab.3\x07"), []);
    assert_eq!(seen(b"\x1b]133;C;aside=ab.3.80.24\x1b[mx\x1b]133;D;0;aside=ab.3\x07"), []);
}

#[test]
fn strings_that_show_nothing_are_not_kept() {
    for string in [
        "\x1b]0;a title\x07",
        "\x1b]8;;http://example.com\x1b\\",
        "\x1b]52;c;aGVsbG8=\x1b\\",
        "\x1bP0;1;0q\"1;1;8;8#0;2;0;0;0~~\n-\n\x1b\\",
        "\x1bPtmux;\x1b\x1b]1337;File=:AAAA\x07\x1b\\",
        "\x1b_Gf=24,s=1,v=1;AAAA\x1b\\",
        "\x1b^private\x1b\\",
        "\x1bXnobody\x07 knows\x1b\\",
        "\x1bka title\x1b\\",
        "\x1b]0;given up\x18",
        "\x1bPgiven up\x1a",
    ] {
        assert_eq!(shown(format!("a{string}b")), "ab", "{string:?}");
    }
    let long = format!("a\x1b_G{}\x1b\\b", "A".repeat(3_000_000));
    assert_eq!(output(long.as_bytes()).bytes, 2);
}

#[test]
fn a_string_that_nobody_ends_hides_no_more_than_a_terminal_does() {
    assert_eq!(shown("a\x1b]0;oh\r\nno\x1b[31mred"), "ared");
    assert_eq!(shown(format!("a\x1bk{}b", "t".repeat(1024))), "ab");
    // The marker after it is still found.
    assert_eq!(shown("a\x1bP lost"), "a");
}

#[test]
fn the_other_screen_is_left_out() {
    for (on, off) in [
        ("\x1b[?1049h", "\x1b[?1049l"),
        ("\x1b[?1047h", "\x1b[?1047l"),
        ("\x1b[?47h", "\x1b[?47l"),
        ("\x1b[?1;1049h", "\x1b[?25;1049;12l"),
    ] {
        assert_eq!(shown(format!("before\r\n{on}\x1b[Hdrawn\x1b[?25h{off}after")), "before\nafter");
    }
    assert_eq!(shown("x\x1b[?1049hdrawn\x1bcafter"), "after");
    assert_eq!(shown("x\x1b[?1049\x18hy"), "xhy");
}

#[test]
fn a_program_that_stayed_on_the_other_screen_hides_no_other() {
    let outputs = seen(
        b"\x1b]133;C;aside=ab.1.80.24\x07\x1b[?1049hx\x1b]133;D;0;aside=ab.1\x07\
          \x1b]133;C;aside=ab.2.80.24\x07y\x1b]133;D;0;aside=ab.2\x07",
    );
    assert_eq!(outputs.iter().map(CommandOutput::shown).collect::<Vec<_>>(), ["", "y"]);
}

#[test]
fn megabytes_leave_both_ends() {
    let lines: String = (1..=400_000).map(|number| format!("{number}\r\n")).collect();
    let output = output(lines.as_bytes());
    assert_eq!((output.head.len(), output.tail.len(), output.bytes), (MAX_HEAD, MAX_TAIL, lines.len() as u64));
    let shown = output.shown();
    assert!(shown.len() <= 24 * 1024 + 16, "{}", shown.len());
    let (first, last) = shown.split_once("\n[…]\n").unwrap();
    assert!(first.starts_with("1\n2\n3\n") && last.ends_with("\n399999\n400000"), "{first}{last}");
    // Complete lines on both sides.
    let numbers = |text: &str| text.lines().map(|line| line.parse::<u32>().unwrap()).collect::<Vec<_>>();
    assert!(
        [numbers(first), numbers(last)].iter().all(|numbers| numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]))
    );
}

#[test]
fn an_output_that_is_kept_whole_is_one_piece() {
    // Longer than the head, with a line across its end.
    let text = format!("{}\r\n", "x".repeat(79)).repeat(250);
    let output = output(text.as_bytes());
    assert!(!output.tail.is_empty());
    assert_eq!(output.shown(), text.trim_end().replace('\r', ""));
}

/// What zsh 5.9 printed in a terminal of 80 columns, up to the end of its mark.
#[test]
fn the_mark_of_zsh_is_gone() {
    let mark = "\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m";
    let (fill, none) = (" ".repeat(79), " ".repeat(80));
    let wide = format!("\x1b[1m\x1b[7m[no nl]\x1b[27m\x1b[1m\x1b[0m{}\r       \r", " ".repeat(73));
    for (printed, expected) in [
        (format!("{mark}{fill}\r \r"), ""),
        (format!("abc{mark}{fill}\r \r"), "abc"),
        (format!("abc\r\n{mark}{fill}\r \r"), "abc"),
        (format!("100%\r\n{mark}{fill}\r \r"), "100%"),
        (format!("100%{mark}{fill}\r \r"), "100%"),
        // PROMPT_EOL_MARK=''
        (format!("abc{none}\r\r"), "abc"),
        (format!("{none}\r\r"), ""),
        // PROMPT_EOL_MARK='%'
        (format!("abc%{fill}\r \r"), "abc"),
        (format!("abc{wide}"), "abc"),
        (format!("abc\r\n{wide}"), "abc"),
        (format!("{}{wide}", "x".repeat(75)), &"x".repeat(75)),
        (format!("{}{wide}", "x".repeat(80)), &"x".repeat(80)),
        (format!("{}{mark}{fill}\r \r", "x".repeat(80)), &"x".repeat(80)),
        (format!("{}{mark}{fill}\r \r", "line\r\n".repeat(30)), "line\n".repeat(30).trim_end()),
        // The screen has become wider meanwhile.
        (format!("abc{mark}{}\r \r", " ".repeat(119)), "abc"),
        // Not zsh.
        ("50 %\r    \r".to_owned(), ""),
        ("50%   \r \r".to_owned(), " 0%"),
    ] {
        assert_eq!(shown(&printed), expected, "{printed:?}");
    }
}

#[test]
fn whatever_a_terminal_does_with_a_line_is_done() {
    for (printed, expected) in [
        ("\x1b[31mred\x1b[0m\r\nplain", "red\nplain"),
        ("10 %\r50 %\rdone\x1b[K\r\n", "done"),
        ("100 %\r9", "900 %"),
        ("abc\x08\x08X", "aXc"),
        ("pulling a\r\npulling b\r\n\x1b[2A\x1b[2Kdone a\r\n\x1b[2Kdone b\r\n", "done a\ndone b"),
        ("old\r\nold\r\n\x1b[H\x1b[2J\x1b[3Jnew\r\n", "new"),
        ("a\x1b[5Gb\x1b[1Gc", "c   b"),
        ("abcdef\x1b[4D\x1b[2P", "abef"),
        ("abcdef\x1b[4D\x1b[2@xy", "abxycdef"),
        ("abcdef\x1b[4D\x1b[2X", "ab  ef"),
        ("abc\x1b[2D\x1b[1K", "  c"),
        ("-\x1b[9b", "----------"),
        ("a\tb\r\n\tc\t\r\n", "a\tb\n\tc"),
        ("a\tb\r\x1b[3Cx", "a  x    b"),
        ("\x1b(0lqk\x1b(B lqk", "┌─┐ lqk"),
        ("e\u{301}\u{301}日\u{fe0f}本", "e\u{301}\u{301}日\u{fe0f}本"),
        ("e\u{301} 日本\r日", "日日本"),
        ("日本\x1b[3Dx", " x本"),
        ("日本\x1b[2Dx", "日x"),
        ("one\ntwo", "one\n   two"),
        ("a  \r\n\r\n b\r\n \r\n\r\n", "a\n\n b"),
        ("a\0b\x07c\x7f", "abc"),
        ("r\u{200b}m \u{202e}x\u{9b}31m", "rm x31m"),
        ("a\x1b7b\x1b8c", "ac"),
        ("\x1b[99999;99999Hx\x1b[Hy\x1b[1G\x1b[99B\x1b[K\x1b[A", "y"),
    ] {
        assert_eq!(shown(printed), expected, "{printed:?}");
    }
}

/// Recorded in a terminal of 80 × 24.
#[test]
fn what_programs_printed_is_what_a_person_saw() {
    // ls --color
    let ls = " \x1b[0m\x1b[01;32ma.txt\x1b[0m   \x1b[01;36mlink\x1b[0m   \x1b[01;34msrc\x1b[0m  'two words.txt'\r\n";
    assert_eq!(shown(ls), " a.txt   link   src  'two words.txt'");
    // git status
    let git = "On branch master\r\n\r\nNo commits yet\r\n\r\nChanges to be committed:\r\n  (use \"git rm --cached <file\
         >...\" to unstage)\r\n\t\x1b[32mnew file:   a.txt\x1b[m\r\n\r\nChanges not staged for commit:\r\n  (use \
         \"git add <file>...\" to update what will be committed)\r\n  (use \"git restore <file>...\" to discard c\
         hanges in working directory)\r\n\t\x1b[31mmodified:   a.txt\x1b[m\r\n\r\nUntracked files:\r\n  (use \"gi\
         t add <file>...\" to include in what will be committed)\r\n\t\x1b[31mlink\x1b[m\r\n\t\x1b[31mtwo words.t\
         xt\x1b[m\r\n\r\n";
    let expected = "On branch master\n\nNo commits yet\n\nChanges to be committed:\n  \
         (use \"git rm --cached <file>...\" to unstage)\n\tnew file:   a.txt\n\nChanges not staged for commit:\n  \
         (use \"git add <file>...\" to update what will be committed)\n  \
         (use \"git restore <file>...\" to discard changes in working directory)\n\tmodified:   a.txt\n\nUntracked files:\n  \
         (use \"git add <file>...\" to include in what will be committed)\n\tlink\n\ttwo words.txt";
    assert_eq!(shown(git), expected);
    // curl -o
    let curl = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\r\n                                 \
         Dload  Upload   Total   Spent    Left  Speed\r\n\r  0     0    0     0    0     0      0      0 --:--:-- \
         --:--:-- --:--:--     0\r100 28.6M  100 28.6M    0     0  3493M      0 --:--:-- --:--:-- --:--:-- 3493M\r\
         \n";
    let expected = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 \
         Dload  Upload   Total   Spent    Left  Speed\n\
         100 28.6M  100 28.6M    0     0  3493M      0 --:--:-- --:--:-- --:--:-- 3493M";
    assert_eq!(shown(curl), expected);
    // seq 200 | less, a page on, and out again
    let less = "\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\r1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\r\n10\r\n11\r\n12\r\n13\r\
         \n14\r\n15\r\n16\r\n17\r\n18\r\n19\r\n20\r\n21\r\n22\r\n23\r\n:\x1b[K\r\x1b[K24\r\n25\r\n26\r\n27\r\n28\r\
         \n29\r\n30\r\n31\r\n32\r\n33\r\n34\r\n35\r\n36\r\n37\r\n38\r\n39\r\n40\r\n41\r\n42\r\n43\r\n44\r\n45\r\n\
         46\r\n:\x1b[K\r\x1b[K\x1b[?1l\x1b>\x1b[?1049l\x1b[23;0;0tafter\r\n";
    assert_eq!(shown(less), "after");
    // seq 100; clear; echo new
    let clear = (1..=100).map(|number| format!("{number}\r\n")).collect::<String>() + "\x1b[H\x1b[2J\x1b[3Jnew\r\n";
    assert_eq!(shown(clear), "new");
}

/// Recorded as well.
#[test]
fn a_build_that_failed_is_its_errors() {
    let cargo = "\x1b[1m\x1b[92m   Compiling\x1b[0m c v0.1.0 (/code/c)\r\n\x1b[1m\x1b[96m    Building\x1b[0m [                             \
         ] 0/1: c(bin)                      \r\x1b[K\x1b[1m\x1b[91merror[E0308]\x1b[0m\x1b[1m: mismatched types\x1b\
         [0m\r\n \x1b[1m\x1b[94m--> \x1b[0msrc/main.rs:1:26\r\n  \x1b[1m\x1b[94m|\x1b[0m\r\n\x1b[1m\x1b[94m1\x1b[\
         0m \x1b[1m\x1b[94m|\x1b[0m fn main() { let x: u32 = \"a\"; }\r\n  \x1b[1m\x1b[94m|\x1b[0m                    \
         \x1b[1m\x1b[94m---\x1b[0m   \x1b[1m\x1b[91m^^^\x1b[0m \x1b[1m\x1b[91mexpected `u32`, found `&str`\x1b[0m\
         \r\n  \x1b[1m\x1b[94m|\x1b[0m                    \x1b[1m\x1b[94m|\x1b[0m\r\n  \x1b[1m\x1b[94m|\x1b[0m                    \
         \x1b[1m\x1b[94mexpected due to this\x1b[0m\r\n\r\n\x1b[1mFor more information about this error, try `rus\
         tc --explain E0308`.\x1b[0m\r\n\x1b[1m\x1b[96m    Building\x1b[0m [                             ] 0/1: c\
         (bin)                      \r\x1b[K\x1b[1m\x1b[91merror\x1b[0m: could not compile `c` (bin \"c\") due to \
         1 previous error\r\n";
    assert_snapshot!(shown(cargo), @r#"
       Compiling c v0.1.0 (/code/c)
    error[E0308]: mismatched types
     --> src/main.rs:1:26
      |
    1 | fn main() { let x: u32 = "a"; }
      |                    ---   ^^^ expected `u32`, found `&str`
      |                    |
      |                    expected due to this

    For more information about this error, try `rustc --explain E0308`.
    error: could not compile `c` (bin "c") due to 1 previous error
    "#);
    // grep --color, whose end of a colour erases what is after it, in a line that fills the row.
    let grep = format!(
        "\x1b[35m\x1b[Ka.txt\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K{}\x1b[01;31m\x1b[Kb\x1b[m\x1b[Kc\r\n",
        "-".repeat(73)
    );
    assert_eq!(shown(grep), format!("a.txt:{}bc", "-".repeat(73)));
}

#[test]
fn vim_leaves_what_was_there_before_it() {
    let vim = "before\r\n\x1b[?1049h\x1b[22;0;0t\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[1;24r\x1b[?12h\x1b[?12l\x1b[22;2\
         t\x1b[22;1t\x1b[27m\x1b[23m\x1b[29m\x1b[m\x1b[H\x1b[2J\x1b[?25l\x1b[24;1H\"a.txt\" 2 lines, 4 bytes\x1b[\
         1;1Ha\r\nc\r\n\x1b[94m~                                                                               \x1b\
         [4;1H~                                                                               \x1b[5;1H~                                                                               \
         \x1b[6;1H~                                                                               \x1b[7;1H~                                                                               \
         \x1b[8;1H~                                                                               \x1b[9;1H~                                                                               \
         \x1b[10;1H~                                                                               \x1b[11;1H~                                                                               \
         \x1b[12;1H~                                                                               \x1b[13;1H~                                                                               \
         \x1b[14;1H~                                                                               \x1b[15;1H~                                                                               \
         \x1b[16;1H~                                                                               \x1b[17;1H~                                                                               \
         \x1b[18;1H~                                                                               \x1b[19;1H~                                                                               \
         \x1b[20;1H~                                                                               \x1b[21;1H~                                                                               \
         \x1b[22;1H~                                                                               \x1b[23;1H~                                                                               \
         \x1b[1;1H\x1b[?25h\x1b[?4m\x1b[?2004l\x1b[>4;m\x1b[?2004h\x1b[>4;2m\x1b[?25l\x1b[mhelloa\x08\x08\x1b[?25\
         h\x1b[?4m\x1b[?25l\x1b[24;1H\x1b[K\x1b[24;1H:q!\r\x1b[?2004l\x1b[>4;m\x1b[23;2t\x1b[23;1t\x1b[24;1H\x1b[\
         K\x1b[24;1H\x1b[?2004l\x1b[?1l\x1b>\x1b[?1049l\x1b[23;0;0t\x1b[?25h\x1b[>4;mafter\r\n";
    assert_eq!(shown(vim), "before\nafter");
}

#[test]
fn bars_that_are_drawn_again_are_there_once() {
    // docker pull: up to the layer's row, its text, down again.
    let docker = "latest: Pulling from library/hello\r\n\
         \r\n\x1b[1A\x1b[2K\r3da95a905ed5: Pulling fs layer \r\x1b[1B\
         \r\n\x1b[1A\x1b[2K\r5b0d59026729: Pulling fs layer \r\x1b[1B\
         \x1b[2A\x1b[2K\r3da95a905ed5: Downloading [=====>     ]  14.2MB/29.3MB\r\x1b[2B\
         \x1b[1A\x1b[2K\r5b0d59026729: Download complete \r\x1b[1B\
         \x1b[2A\x1b[2K\r3da95a905ed5: Pull complete \r\x1b[2B\
         \x1b[1A\x1b[2K\r5b0d59026729: Pull complete \r\x1b[1B\
         failed to register layer: no space left on device\r\n";
    let expected = "latest: Pulling from library/hello\n3da95a905ed5: Pull complete\n5b0d59026729: Pull complete\n\
         failed to register layer: no space left on device";
    assert_eq!(shown(docker), expected);
    // npm: a spinner at the beginning of the row.
    let npm = "\x1b[1G\x1b[0K⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0Knpm error code E404\r\n\x1b[1G\x1b[0K⠸\x1b[1G\x1b[0K\r\n";
    assert_eq!(shown(npm), "npm error code E404");
    // On a screen of two rows the first frames have scrolled away, and stay.
    let output = CommandOutput { rows: 2, ..output(b"a\r\nb\r\nc\r\n\x1b[3AX\r\n\n\n") };
    assert_eq!(output.shown(), "a\nb\nX");
}

#[test]
fn wrapped_rows_are_one_line() {
    let long = "0123456789".repeat(30);
    assert_eq!(shown(format!("{long}\r\nnext")), format!("{long}\nnext"));
    // Exactly a row, then another line.
    assert_eq!(shown(format!("{}\r\nnext", &long[..80])), format!("{}\nnext", &long[..80]));
    // A wide character does not fit into the last column.
    let wide = format!("x{}", "日".repeat(100));
    assert_eq!(shown(format!("{wide}\r\n")), wide);
    // A line that was longer before is not joined with the next.
    assert_eq!(shown(format!("{}\rshort\x1b[K\r\nnext", &long[..100])), format!("{}\nshort\nnext", &long[..80]));
    // A program that turns wrapping off.
    assert_eq!(shown(format!("\x1b[?7l{}\x1b[?7h", &long[..100])), format!("{}9", &long[..79]));
}

#[test]
fn the_bar_of_apt_stays_out_of_the_lines() {
    let shown = shown(
        "\n\r\x1b7\x1b[0;23r\x1b8\x1b[1ASelecting previously unselected package hello.\r\n\
         \x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [  0%]\x1b[49m\x1b[39m [..........] \x1b8\
         Preparing to unpack hello.deb ...\r\nSetting up hello (2.10-3) ...\r\n\
         \x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [ 80%]\x1b[49m\x1b[39m [########..] \x1b8\
         \n\r\x1b7\x1b[0;24r\x1b8\x1b[1A\x1b[J",
    );
    let expected = "Selecting previously unselected package hello.\nPreparing to unpack hello.deb ...\n\
                    Setting up hello (2.10-3) ...";
    assert_eq!(shown, expected);
}

#[test]
fn long_lines_are_cut() {
    let shown = shown("x".repeat(50_000));
    assert_eq!(shown.chars().count(), 2001);
    assert!(shown.ends_with("x…"));
}

#[test]
fn a_tail_begins_with_nothing_broken() {
    // One line of half a megabyte, with colours all over it.
    let printed = "\x1b[38;5;123mab".repeat(40_000);
    let text = shown(&printed);
    assert!(text.chars().all(|letter| matches!(letter, 'a' | 'b' | '[' | ']' | '…' | '\n')), "{text}");
}

#[test]
fn sizes_that_cannot_be_do_no_harm() {
    for (columns, rows) in [(0, 0), (1, 1), (2, 1), (1, 300), (u16::MAX, u16::MAX)] {
        let head = "ab\u{301}日\tc\r\n\x1b[5;5H\x1b[r\x1b[3L\x1b[M\x1b[9T\x1b[2;3Hx".repeat(20).into_bytes();
        let output = CommandOutput { columns, rows, bytes: head.len() as u64, head, ..CommandOutput::default() };
        assert!(output.shown().contains('x'), "{columns} × {rows}");
    }
}

#[test]
fn a_file_needs_no_carriage_returns() {
    let file = |text: &str| CommandOutput::of_file(text.as_bytes()).shown();
    assert_eq!(file("one\ntwo\r\nthree"), "one\ntwo\nthree");
    assert_eq!(file("10 %\r50 %\rdone\n"), "done");
    assert_eq!(file("\x1b]133;C;aside=ab.3.80.24\x07x\n\x1b]133;D;0;aside=ab.3\x07y"), "x\ny");
}

/// Program output, broken in all ways.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        &b"\x1b]133;C;aside=ab.3.80.24\x07"[..],
        b"\x1b]133;D;0;aside=ab.3\x1b\\",
        b"\x1b]133;D;0;aside=ab.3\x07",
        b"\x1b[?1049h",
        b"\x1b[?1;47l",
        b"\x1b]0;title",
        b"\x1bPq",
        b"\x1b_G",
        b"\x1bk",
        b"\x1b\\",
        b"\x1bc",
        b"\x07",
        b"\x18",
        b"\x1a",
        b"\x1b",
        b"\x1b[",
        b"\x1b[?",
        b"\r\n",
        b"\t",
        "日".as_bytes(),
        "\u{301}".as_bytes(),
        b"\xe6\x97",
    ]);
    let sequence = ("[0-9;?]{0,6}", prop::sample::select(b"@ABCDEFGHIJKLMPSTXZ`abdefhlmrsu".to_vec()));
    prop_oneof![
        4 => known.prop_map(<[u8]>::to_vec),
        3 => sequence.prop_map(|(numbers, action)| [b"\x1b[", numbers.as_bytes(), &[action]].concat()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
        1 => "[a-z ]{0,100}".prop_map(String::into_bytes),
        1 => (prop::sample::select(b"DEM78".to_vec())).prop_map(|byte| vec![0x1b, byte]),
    ]
}

proptest! {
    #[test]
    fn splitting_changes_nothing(pieces in prop::collection::vec(piece(), 0..40), sizes in prop::collection::vec(1_usize..9, 1..40)) {
        let stream = pieces.concat();
        let mut watch = OutputWatcher::default();
        let mut outputs = Vec::new();
        let mut rest = stream.as_slice();
        for size in sizes.into_iter().cycle() {
            let (slice, behind) = rest.split_at(size.min(rest.len()));
            watch.see(slice, &mut |output| outputs.push(output));
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(outputs, seen(&stream));
    }

    #[test]
    fn nothing_that_is_printed_comes_out_unclean(
        pieces in prop::collection::vec(piece(), 0..60),
        columns in 0_u16..90,
        rows in 0_u16..30,
        missing in any::<bool>(),
    ) {
        let head = pieces.concat();
        let bytes = if missing { u64::MAX } else { 0 };
        let output = CommandOutput { columns, rows, tail: head.clone(), head, bytes, ..CommandOutput::default() };
        let text = output.shown();
        prop_assert!(crate::is_clean(&text), "{:?}", text);
        prop_assert_eq!(text.trim_end_matches(['\n', ' ', '\t']), text.as_str());
    }
}
