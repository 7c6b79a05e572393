//! What is rendered, and invariants for any text.

use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::markdown::{CodeSpans, Rendered, TextEnd, render, render_with, style};

/// Marks as `‹b›`, by the first letter of their style; `‹/›` ends all.
fn spelt(row: &str) -> String {
    let letters = ['/', 'b', 'd', 'i', 'u', 'c', 'h', 'q', 'l'];
    let spell = |letter: char| match letter {
        '\u{e100}'..='\u{e108}' => format!("‹{}›", letters[letter as usize - 0xe100]),
        _ => letter.to_string(),
    };
    row.chars().map(spell).collect()
}

/// Text, and its rows at a width.
#[track_caller]
fn check(cases: &[(usize, &str, &[&str])]) {
    for (width, text, wanted) in cases {
        let rows: Vec<String> = render(text, *width, TextEnd::Yes).rows.iter().map(|row| spelt(row)).collect();
        assert_eq!(rows, *wanted, "{text:?}");
    }
}

#[test]
fn paragraphs_fill_rows() {
    check(&[
        (30, "", &[]),
        (30, "\n\n  \n", &[]),
        (30, "One row.", &["One row."]),
        (
            30,
            "Words go on in the next row when there is no room.",
            &["Words go on in the next row", "when there is no room."],
        ),
        (30, "Two lines\nof one paragraph.", &["Two lines of one paragraph."]),
        (30, "One paragraph.\n\n\nAnother one.", &["One paragraph.", "", "Another one."]),
        (30, "Ends here.  \nBegins here.\\\nAnd here.", &["Ends here.", "Begins here.", "And here."]),
        (30, "Ends<br>here, and<br/>here.", &["Ends", "here, and", "here."]),
        (30, "A   lot\tof  blanks.", &["A lot of blanks."]),
        (20, "An-unreasonably-long-word-for-a-row", &["An-unreasonably-long", "-word-for-a-row"]),
        (20, "这是一个很长的句子，用来测试换行。", &["这是一个很长的句子，", "用来测试换行。"]),
        (20, "一行\n接着一行", &["一行接着一行"]),
        (20, "한국어 문장은\n띄어 씁니다 그렇죠", &["한국어 문장은 띄어", "씁니다 그렇죠"]),
        (20, "日本語「かぎ括弧」の行末。", &["日本語「かぎ括弧」の", "行末。"]),
        (30, "Emoji ⚠\u{fe0f} and 🦀 and é.", &["Emoji ⚠ and 🦀 and é."]),
    ]);
}

#[test]
fn emphasis_and_code_have_looks() {
    check(&[
        (40, "**bold**, *italic*, ***both***, `code`", &["‹b›bold‹/›, ‹i›italic‹/›, ‹b›‹i›both‹/›, ‹c›code‹/›"]),
        (40, "**bold** and _italic_, but snake_case_name", &["‹b›bold‹/› and ‹i›italic‹/›, but snake_case_name"]),
        (60, "a/__init__.py, __main__.py and _it_; `__x__`", &["a/__init__.py, __main__.py and ‹i›it‹/›; ‹c›__x__‹/›"]),
        (40, "**bold with `code` in it**", &["‹b›bold with ‹c›code‹/›‹b› in it‹/›"]),
        (20, "**bold that goes on in the next row**", &["‹b›bold that goes on in‹/›", "‹b›the next row‹/›"]),
        (40, "5 * 3 * 2 and 2**10", &["5 * 3 * 2 and 2**10"]),
        (40, "`` a ` b `` and `two  blanks`", &["‹c›a ` b‹/› and ‹c›two  blanks‹/›"]),
        (40, "~~gone~~ stays as it is", &["~~gone~~ stays as it is"]),
        (40, "\\*not italic\\* &amp; &lt;b&gt; &copy;", &["*not italic* & <b> ©"]),
        (40, "*never closed and `neither", &["*never closed and `neither"]),
    ]);
}

#[test]
fn headings_and_rules_stand_apart() {
    check(&[
        (30, "# Title\nText", &["‹h›Title‹/›", "Text"]),
        (30, "Text\n## Part\n\nText", &["Text", "", "‹h›Part‹/›", "", "Text"]),
        (30, "### With `code` and *more* ###", &["‹h›With ‹c›code‹/›‹h› and ‹i›more‹/›"]),
        (30, "Underlined\n==========\nText", &["Underlined", "‹d›──────────────────────────────‹/›", "Text"]),
        (30, "Underlined\n---", &["Underlined", "‹d›──────────────────────────────‹/›"]),
        (30, "above\n\n---\n\nbelow", &["above", "", "‹d›──────────────────────────────‹/›", "", "below"]),
        (30, "***", &["‹d›──────────────────────────────‹/›"]),
        (30, "#no heading", &["#no heading"]),
    ]);
}

#[test]
fn lists_hang() {
    check(&[
        (30, "- one\n- two\n- three", &["• one", "• two", "• three"]),
        (30, "* one\n\n* two\n\n* three", &["• one", "", "• two", "", "• three"]),
        (
            30,
            "- an item that is longer than one row of this width",
            &["• an item that is longer than", "  one row of this width"],
        ),
        (30, "- one\n  - two\n    - three\n- four", &["• one", "  • two", "    • three", "• four"]),
        (30, "1. one\n2. two\n   - in two\n3. three", &["1. one", "2. two", "   • in two", "3. three"]),
        (
            30,
            "9. nine\n10. ten, which goes on in the next row",
            &["9. nine", "10. ten, which goes on in the", "    next row"],
        ),
        (30, "3) three\n4) four", &["3. three", "4. four"]),
        (30, "Text:\n- one\n- two\n\nText.", &["Text:", "• one", "• two", "", "Text."]),
        (30, "- first\n\n  second paragraph\n- next", &["• first", "", "  second paragraph", "• next"]),
        (
            30,
            "1. Run:\n\n   ```sh\n   make all\n   ```\n\n2. Done",
            &["1. Run:", "", "     ‹c›make all‹/›", "", "2. Done"],
        ),
        (30, "- [ ] open\n- [x] done\n- [X] done too", &["[ ] open", "[x] done", "[x] done too"]),
        (30, "-\n- two", &["•", "• two"]),
        (30, "- - deep", &["• • deep"]),
        (
            20,
            "- l0\n  - l1\n    - l2\n      - l3\n        - l4\n          - l5\n            - l6\n              - l7\n                - l8\n",
            &[
                "• l0",
                "  • l1",
                "    • l2",
                "      • l3",
                "        • l4",
                "          • l5",
                "          • l6",
                "          • l7",
                "          • l8",
            ],
        ),
    ]);
}

#[test]
fn code_is_left_as_it_is() {
    check(&[
        (30, "```\nls -l\n```", &["  ‹c›ls -l‹/›"]),
        (
            30,
            "Run:\n```bash\ncd x\n\tmake\n\n\nmake install\n\n```\nDone.",
            &["Run:", "  ‹c›cd x‹/›", "  ‹c›    make‹/›", "", "", "  ‹c›make install‹/›", "Done."],
        ),
        (
            20,
            "```\na long line of code that is folded\n```",
            &["  ‹c›a long line of cod‹/›", "  ‹c›e that is folded‹/›"],
        ),
        (30, "```python\n**not bold** <b> &amp; [a](b)\n", &["  ‹c›**not bold** <b> &amp; [a](b‹/›", "  ‹c›)‹/›"]),
        (30, "    indented\n      more\n\nText", &["  ‹c›indented‹/›", "  ‹c›  more‹/›", "", "Text"]),
        (30, "~~~\n```\n~~~", &["  ‹c›```‹/›"]),
        (30, "```\n```", &[]),
        (
            30,
            "[name]: in prose\n\n```\n[name]: x\n| a |\n|---|\n```",
            &["[name]: in prose", "", "  ‹c›[name]: x‹/›", "  ‹c›| a |‹/›", "  ‹c›|---|‹/›"],
        ),
    ]);
}

#[test]
fn quotations_have_a_bar() {
    check(&[
        (
            30,
            "> quoted text that is longer than one row is",
            &["‹q›│ quoted text that is longer‹/›", "‹q›│ than one row is‹/›"],
        ),
        (30, "> one\n>\n> two\n\nthree", &["‹q›│ one‹/›", "‹q›│‹/›", "‹q›│ two‹/›", "", "three"]),
        (30, "> outer\n> > inner", &["‹q›│ outer‹/›", "‹q›│ │ inner‹/›"]),
        (
            30,
            "> - item\n> - item\n>\n> ```\n> code\n> ```",
            &["‹q›│ • item‹/›", "‹q›│ • item‹/›", "‹q›│‹/›", "‹q›│   ‹c›code‹/›"],
        ),
        (30, "- item\n  > quoted", &["• item", "‹q›  │ quoted‹/›"]),
    ]);
}

#[test]
fn links_say_where_they_lead() {
    check(&[
        (
            60,
            "See [the manual](https://example.com/find).",
            &["See ‹l›the manual‹/›‹d› (https://example.com/find)‹/›."],
        ),
        (
            60,
            "See <https://example.com> and [https://example.com](https://example.com/).",
            &["See ‹l›https://example.com‹/› and ‹l›https://example.com‹/›."],
        ),
        (
            60,
            "[example.com](https://example.com) and [mail](mailto:a@b.c)",
            &["‹l›example.com‹/› and ‹l›mail‹/›‹d› (mailto:a@b.c)‹/›"],
        ),
        (60, "![a picture](pic.png) and ![](empty.png)", &["‹l›a picture‹/›‹d› (pic.png)‹/› and ‹d›empty.png‹/›"]),
        (
            60,
            "[**bold** link](x) [](y) [no link] [ref][1]\n\n[1]: https://example.com",
            &["‹b›‹l›bold‹/›‹l› link‹/›‹d› (x)‹/› ‹d›y‹/› [no link] [ref][1]", "", "[1]: https://example.com"],
        ),
        (60, "https://example.com/a_b_c stays", &["https://example.com/a_b_c stays"]),
        (30, "[good.com](https://evil.com)", &["‹l›good.com‹/›‹d› (https://evil.com)‹/›"]),
    ]);
}

#[test]
fn tables_have_columns_as_long_as_there_is_room() {
    check(&[
        (
            40,
            "| Flag | Does |\n|------|------|\n| `-l` | long |\n| `-a` | **all** of them |",
            &[
                "‹h›Flag‹/›  ‹h›Does‹/›",
                "‹d›────‹/›  ‹d›───────────‹/›",
                "‹c›-l‹/›    long",
                "‹c›-a‹/›    ‹b›all‹/› of them",
            ],
        ),
        (
            40,
            "| l | r | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |\n| wide | wide | wide |",
            &[
                "‹h›l‹/›        ‹h›r‹/›   ‹h›c‹/›",
                "‹d›────‹/›  ‹d›────‹/›  ‹d›────‹/›",
                "1        2   3",
                "wide  wide  wide",
            ],
        ),
        (
            30,
            "| Name | What it does |\n|---|---|\n| find | walks a directory and everything below it |",
            &[
                "‹h›Name‹/›  ‹h›What it does‹/›",
                "‹d›────‹/›  ‹d›────────────────────────‹/›",
                "find  walks a directory and",
                "      everything below it",
            ],
        ),
        (
            20,
            "| Name | Size | Owner | Changed |\n|---|---|---|---|\n| a.txt | 12 kB | somebody | yesterday |\n| b.txt |  | nobody | today |",
            &[
                "‹h›Name‹/›: a.txt",
                "‹h›Size‹/›: 12 kB",
                "‹h›Owner‹/›: somebody",
                "‹h›Changed‹/›: yesterday",
                "",
                "‹h›Name‹/›: b.txt",
                "‹h›Owner‹/›: nobody",
                "‹h›Changed‹/›: today",
            ],
        ),
        (
            40,
            "| a | b |\n|---|---|\n| only one |\n| 1 | 2 | 3 |",
            &["‹h›a‹/›         ‹h›b‹/›", "‹d›────────‹/›  ‹d›─‹/›", "only one", "1         2"],
        ),
        (
            40,
            "| a<br>b | c |\n|---|---|\n| 1<br>2 | 3 |",
            &["‹h›a‹/›  ‹h›c‹/›", "‹h›b‹/›", "‹d›─‹/›  ‹d›─‹/›", "1  3", "2"],
        ),
        (
            40,
            "| 文件 | 大小 |\n|---|---|\n| 一 | 12 |",
            &["‹h›文件‹/›  ‹h›大小‹/›", "‹d›────‹/›  ‹d›────‹/›", "一    12"],
        ),
        (40, "Text\n\n| a |\n|---|\n| 1 |\n\nText", &["Text", "", "‹h›a‹/›", "‹d›─‹/›", "1", "", "Text"]),
        (40, "a | b\n--|--\n1 | 2", &["a | b --|-- 1 | 2"]),
        (
            40,
            "| a \\| b | `c` |\n|---|---|\n| 1 | `x \\| y` |",
            &["‹h›a | b‹/›  ‹c›‹h›c‹/›", "‹d›─────‹/›  ‹d›─────‹/›", "1      ‹c›x | y‹/›"],
        ),
        (40, "- | a | b |\n  |---|---|\n  | 1 | 2 |", &["• ‹h›a‹/›  ‹h›b‹/›", "  ‹d›─‹/›  ‹d›─‹/›", "  1  2"]),
    ]);
}

#[test]
fn what_is_no_markdown_is_shown_as_it_is() {
    check(&[
        (40, "<div>\n  <b>text</b>\n</div>\n\nText", &["<div>", "<b>text</b>", "</div>", "", "Text"]),
        (40, "Press <kbd>Ctrl</kbd>+<kbd>C</kbd>", &["Press <kbd>Ctrl</kbd>+<kbd>C</kbd>"]),
        (40, "<!-- a comment -->", &["<!-- a comment -->"]),
        (40, "A note[^1].\n\n[^1]: Which is here.", &["A note[^1].", "", "[^1]: Which is here."]),
    ]);
}

#[test]
fn nothing_reaches_the_terminal_that_it_would_obey() {
    check(&[
        (40, "\u{1b}[31mred\u{1b}[0m &#27;[31m &#x202e;evil \u{202e}txt", &["[31mred[0m [31m evil txt"]),
        (40, "marks \u{e101} are \u{e1ff} removed, &#xe101; too", &["marks are removed, too"]),
        (40, "r\u{200b}m\u{ad} -rf\r\n\r\nnext\r\n", &["rm -rf", "", "next"]),
        (40, "`\u{7}bell` and\u{0}nul", &["‹c›bell‹/› andnul"]),
        (40, "[a](javascript:&#10;alert&#27;)", &["‹l›a‹/›‹d› (javascript: alert)‹/›"]),
    ]);
}

#[test]
fn a_width_that_makes_no_sense_is_another() {
    let text = "words ".repeat(200);
    for (width, used) in [(0, 80), (1, 20), (19, 20), (20, 20), (400, 400), (100_000, 400)] {
        assert_eq!(render(&text, width, TextEnd::Yes), render(&text, used, TextEnd::Yes), "{width}");
    }
}

/// A model's answers, rendered at every prefix.
const ANSWERS: [&str; 4] = [
    "Your disk is full because of **old logs**. Look at what takes most, before you delete anything:\n\n```bash\nsudo du -xh \
     --max-depth=1 /var | sort -h\n```\n\nThen:\n\n1. Rotate them with `logrotate -f /etc/logrotate.conf`.\n2. Remove *only* what \
     you know:\n   - `/var/log/*.gz`\n   - `/var/log/journal`, with `journalctl --vacuum-size=200M`\n\n> **Careful**: never \
     `rm -rf /var/log`.\n",
    "| Signal | Number | What it does |\n|:-------|-------:|:-------------|\n| `TERM` | 15 | asks a program to end |\n| `KILL` | 9 | \
     ends it |\n\nUse `kill -l` for [all of them](https://man7.org/linux/man-pages/man7/signal.7.html).",
    "## Why\n\nThe test `a_b_c` failed: it compares 2 * 3 with 5, and `assert_eq!` [panics](https://doc.rust-lang.org/std/macro.\
     panic.html)\nwhen they differ. See *also* <https://example.com>.\n\n---\n\n### Fix\n\n- [ ] change the **number**\n- [x] run it\n",
    "磁盘已满，因为旧日志占用了太多空间。先看看哪个目录最大：\n\n```\ndu -sh /var/*\n```\n\n然后删除**不需要**的文件。",
];

#[test]
fn an_answer_stands_more_and_more_and_never_otherwise() {
    for text in ANSWERS {
        for width in [20, 33, 80] {
            let whole = render(text, width, TextEnd::Yes);
            assert_eq!(whole.tail, Vec::<String>::new());
            let mut standing = 0;
            for (cut, _) in text.char_indices() {
                let part = render(&text[..cut], width, TextEnd::No);
                assert!(whole.rows.starts_with(&part.rows) && part.rows.len() >= standing, "{:?}", &text[..cut]);
                standing = part.rows.len();
            }
            assert!(
                standing * 2 > whole.rows.len(),
                "only {standing} rows of {} stood before the end",
                whole.rows.len()
            );
        }
    }
}

#[test]
fn rows_stand_as_soon_as_they_can() {
    let cases: [(&str, &[&str], &[&str]); 12] = [
        ("Words that fill a row and mo", &["Words that fill a"], &["row and mo"]),
        ("Words that **fill a row and mo", &[], &["Words that **fill a", "row and mo"]),
        ("Words that fill a *r*ow, `and` mo", &["Words that fill a"], &["‹i›r‹/›ow, ‹c›and‹/› mo"]),
        ("Done.\n\nNot", &["Done."], &["", "Not"]),
        ("Done.\n", &[], &["Done."]),
        ("```sh\nls -l\ncd", &["  ‹c›ls -l‹/›"], &["  ‹c›cd‹/›"]),
        ("```sh\nls -l\n``", &["  ‹c›ls -l‹/›"], &["  ‹c›``‹/›"]),
        ("- one\n- two\n- thr", &["• one"], &["• two", "• thr"]),
        ("# Title\nTe", &["‹h›Title‹/›"], &["Te"]),
        ("# Title", &[], &["‹h›Title‹/›"]),
        ("Text\n\n| a |\n|---|\n| 1 |\n", &["Text"], &["", "‹h›a‹/›", "‹d›─‹/›", "1"]),
        ("长长的句子没有空格也能换行", &["长长的句子没有空格也"], &["能换行"]),
    ];
    for (text, rows, tail) in cases {
        let part = render(text, 20, TextEnd::No);
        let spell = |rows: &[String]| rows.iter().map(|row| spelt(row)).collect::<Vec<_>>();
        assert_eq!((spell(&part.rows), spell(&part.tail)), (owned(rows), owned(tail)), "{text:?}");
    }
}

fn owned(rows: &[&str]) -> Vec<String> {
    rows.iter().map(|row| (*row).to_owned()).collect()
}

fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        " ",
        " ",
        " ",
        " ",
        "\n",
        "\n",
        "\n",
        "\n\n",
        "  ",
        "    ",
        "\t",
        "*",
        "**",
        "***",
        "_",
        "__",
        "`",
        "``",
        "```",
        "```sh\n",
        "~~~",
        "\n```\n",
        "- ",
        "+ ",
        "* ",
        "\n- ",
        "\n  - ",
        "1. ",
        "2) ",
        "\n10. ",
        "# ",
        "### ",
        "#",
        "> ",
        "\n> ",
        ">",
        "|",
        " | ",
        "|---|",
        "\n|-|-|\n",
        "|:-:|--:|\n",
        "| a | b |\n",
        "---",
        "===",
        "\n---\n",
        "\n===\n",
        "-",
        "=",
        ":",
        "[",
        "]",
        "](",
        ")",
        "(",
        "](http://x.y)",
        "[a](b)",
        "![",
        "[^1]",
        "[a]: b",
        "]: ",
        "<",
        ">",
        "<b>",
        "</b>",
        "<br>",
        "<!--",
        "-->",
        "<div>",
        "<https://x.y>",
        "&",
        "&amp;",
        "&am",
        "&#27;",
        "&#x202e;",
        ";",
        "\\",
        "\\\n",
        "  \n",
        "!",
        "- [ ] ",
        "- [x] ",
        "[x]",
        "a",
        "b",
        "word",
        "some words here",
        "longer-word-than-the-others",
        "这是一个测试",
        "日本語の文。",
        "「",
        "한국어 문장",
        "é",
        "e\u{301}",
        "🦀",
        "\u{1b}[31m",
        "\r\n",
        "\u{200b}",
        "\u{e101}",
        "a_b_c",
        "5 * 3",
        "<!DOCTYPE",
        "<?",
        "<script>",
        "***\n",
        "_ _ _",
        "* * *",
        "- - -",
        "1",
        "1.",
        "http://a.b/c_d",
    ];
    prop_oneof![
        12 => (0..fixed.len()).prop_map(move |place| fixed[place].to_owned()),
        1 => "[a-z]{1,30}",
        1 => "\\PC",
    ]
}

#[test]
fn code_stands_out_without_colours_too() {
    let plain = |text: &str| {
        let rows = render_with(text, 24, TextEnd::Yes, CodeSpans::Quoted).rows;
        rows.iter().map(|row| style::paint(row, style::ColorMode::Plain)).collect::<Vec<String>>()
    };
    assert_eq!(plain("Write it, as in `run ./test.sh`."), ["Write it, as in `run", "./test.sh`."]);
    assert_eq!(plain("Say ``a `b` c`` twice"), ["Say a `b` c twice"]);
}

fn markdown() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_stands_stays_whatever_follows(text in markdown(), width in 20..60_usize) {
        for spans in [CodeSpans::Marked, CodeSpans::Quoted] {
            let whole = render_with(&text, width, TextEnd::Yes, spans);
            let mut before: Vec<String> = Vec::new();
            for (cut, _) in text.char_indices() {
                let part = render_with(&text[..cut], width, TextEnd::No, spans);
                prop_assert!(part.rows.len() >= before.len(), "{:?} has fewer rows: {part:?}", &text[..cut]);
                prop_assert!(whole.rows.starts_with(&part.rows), "{:?}: {part:?}, and then {whole:?}", &text[..cut]);
                before = part.rows;
            }
        }
    }

    #[test]
    fn rows_are_narrow_and_harmless(text in markdown(), width in 20..60_usize) {
        let ways = [TextEnd::Yes, TextEnd::No].into_iter().flat_map(|whole| [(whole, CodeSpans::Marked), (whole, CodeSpans::Quoted)]);
        for (whole, spans) in ways {
            let Rendered { rows, tail } = render_with(&text, width, whole, spans);
            for row in rows.iter().chain(&tail) {
                let plain = style::paint(row, style::ColorMode::Plain);
                prop_assert!(plain.width() <= width, "{row:?}");
                prop_assert!(crate::is_clean(row) && !row.contains(['\n', '\t']), "{row:?}");
                let reset = row.rfind(style::RESET);
                let marked = row.rfind(|letter| style::is_mark(letter) && letter != style::RESET);
                prop_assert!(marked <= reset, "{row:?}");
            }
        }
    }
}
