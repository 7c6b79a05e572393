//! Which code a failed test is about: the names that its message and its lines call, those nearest to the failure first. Where they are
//! defined, the caller looks up. Also the lines of a diff that touch a range of the new file.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::search::definitions;

/// Lines above the failing one that may belong to its test.
const MAX_ABOVE: usize = 25;
/// Names that are looked up.
const MAX_NAMES: usize = 8;
/// Changed lines that are shown.
const MAX_CHANGED: usize = 8;

/// Words of test frameworks and languages that a call may have.
const FRAMEWORK: &[&str] = &[
    "expect",
    "assert",
    "it",
    "test",
    "describe",
    "context",
    "beforeEach",
    "afterEach",
    "beforeAll",
    "render",
    "screen",
    "Errorf",
    "Fatalf",
    "Error",
    "Fatal",
    "Run",
    "Helper",
    "range",
    "len",
    "print",
    "printf",
    "println",
    "format",
    "if",
    "for",
    "while",
    "return",
    "match",
    "switch",
    "Some",
    "Ok",
    "Err",
    "vec",
    "map",
    "main",
    "def",
    "fn",
    "func",
    "new",
    "sizeof",
    "int",
    "str",
    "float",
    "list",
    "dict",
    "set",
    "isinstance",
    "raises",
    "approx",
    "parametrize",
    "fixture",
    "fabs",
    "abs",
    "strcmp",
    "memcmp",
    "memset",
    "String",
    "Number",
    "Date",
    "parse",
    "now",
    "function",
    "async",
    "await",
    "require",
    "import",
    "catch",
    "panic",
    "TEST",
    "TEST_F",
    "EXPECT_EQ",
    "ASSERT_EQ",
    "is",
    "not",
    "and",
    "or",
    "lambda",
    "open",
    "super",
    "get",
    "post",
    "toString",
    "equals",
    "assertEquals",
    "assertTrue",
    "assertThat",
    "of",
];

/// Whether an output reports failed tests.
pub fn is_test_output(output: &str) -> bool {
    let signs = [
        "--- FAIL",
        "FAILED ",
        " FAIL ",
        "AssertionError",
        "test result: FAILED",
        "● ",
        "***Failed",
        "[  FAILED  ]",
        "<<< FAILURE!",
        "Assertion `",
        "AssertionFailedError",
        "panicked at",
        "not ok ",
        "Failures:",
    ];
    signs.iter().any(|sign| output.contains(sign))
}

/// The first failed test that an output names by the name of a function.
pub fn named(output: &str) -> Option<String> {
    static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)^FAILED \S+::(?P<a>\w+)|^\s*--- FAIL: (?P<b>\w+)|^---- (?:\w+::)*(?P<c>\w+) stdout|^\[ERROR\]\s+\w+\.(?P<d>\w+):\d+").ok()
    });
    let found = NAMED.as_ref()?.captures(output)?;
    ["a", "b", "c", "d"].iter().find_map(|group| found.name(group)).map(|name| name.as_str().to_owned())
}

/// The names that a failed test calls, the likeliest first. `line` counts from 1; a test that is only named has its definition there.
pub fn called(test: &str, line: usize, message: &str) -> Vec<String> {
    static CALL: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"<?\b([A-Za-z_]\w*)\s*(?:!?\(|::<|\s[\w]+=|\s*/>)").ok());
    let Some(pattern) = CALL.as_ref() else { return Vec::new() };
    let lines: Vec<&str> = test.lines().collect();
    let at = line.saturating_sub(1).min(lines.len().saturating_sub(1));
    let is_begin = |line: &str| {
        let line = line.trim_start();
        let begins = [
            "def test",
            "async def test",
            "it(",
            "test(",
            "it.",
            "test.",
            "func Test",
            "fn ",
            "void ",
            "TEST",
            "@Test",
            "static void",
            "int main",
        ];
        begins.iter().any(|begin| line.starts_with(begin))
    };
    let begin =
        (at.saturating_sub(MAX_ABOVE)..=at).rev().find(|number| lines.get(*number).is_some_and(|line| is_begin(line)));
    let begin = begin.unwrap_or(at.saturating_sub(3));
    // Where only the test is known, its body follows.
    let end = if begin == at { (at + MAX_ABOVE).min(lines.len()) } else { at + 1 };
    let mut rows: Vec<&str> = vec![message];
    rows.extend(lines.get(at));
    rows.extend(lines.get(begin..end).unwrap_or_default().iter().rev());
    let is_own =
        |name: &str| lines.iter().any(|line| definitions::defines(line, name) && !line.starts_with([' ', '\t']));
    let mut is_told = false;
    let mut names: Vec<String> = Vec::new();
    for (at, found) in
        rows.iter().enumerate().flat_map(|(at, row)| pattern.captures_iter(row).map(move |found| (at, found)))
    {
        // What the message calls is what failed; other calls of the test only prepare it.
        if at > 0 && is_told {
            break;
        }
        let name = found.get(1).map_or("", |name| name.as_str());
        let is_framework = FRAMEWORK.contains(&name)
            || name.starts_with("assert")
            || name.starts_with("to") && name.chars().nth(2).is_some_and(char::is_uppercase)
            || name.starts_with("test")
            || name.starts_with("Test");
        if name.len() > 2 && !is_framework && !names.iter().any(|known| known == name) && !is_own(name) {
            is_told |= at == 0;
            names.push(name.to_owned());
        }
    }
    names.truncate(MAX_NAMES);
    names
}

/// The changed lines of a diff of one file that are between two lines of the new file, with their signs; empty where none is.
pub fn touched(diff: &str, from: usize, to: usize) -> String {
    let mut rows = Vec::new();
    let mut at = 0;
    for line in diff.lines() {
        if let Some(rest) = line.strip_prefix("@@ ") {
            let new = rest.split('+').nth(1).and_then(|new| new.split([',', ' ']).next());
            at = new.and_then(|new| new.parse().ok()).unwrap_or(0);
            continue;
        }
        let is_inside = at >= from && at <= to;
        match line.chars().next() {
            Some('+') if !line.starts_with("+++") => {
                rows.extend(is_inside.then_some(line));
                at += 1;
            }
            Some('-') if !line.starts_with("---") => rows.extend(is_inside.then_some(line)),
            Some(' ') => at += 1,
            _ => {}
        }
    }
    rows.truncate(MAX_CHANGED);
    rows.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_that_a_test_calls_comes_before_its_helpers() {
        let go = "func at(h int) time.Time {\n}\nfunc TestIsPeak(t *testing.T) {\n\tfor h, want := range cases {\n\t\tif got := IsPeak(at(h)); got != want {\n\t\t\tt.Errorf(\"IsPeak(%d)\", h)\n";
        assert_eq!(called(go, 6, "IsPeak(22) = true, want false").first().map(String::as_str), Some("IsPeak"));
        let ts = "it('never goes negative', () => {\n  expect(formatAge('2024', Date.parse('x'))).toBe('il y a 0 s');\n});\n";
        assert_eq!(called(ts, 2, "expected 'a' to be 'b'"), ["formatAge"]);
        let py = "def test_margin():\n    assert safe_to_berth(320, 290) is True\n";
        assert_eq!(called(py, 1, "assert False is True"), ["safe_to_berth"]);
        let c = "int main(void) {\n    ringbuf_init(&rb, 4);\n    assert(ringbuf_pop(&rb, &v) == 0);\n";
        assert_eq!(called(c, 3, "ringbuf_pop(&rb, &v) == 0"), ["ringbuf_pop"]);
    }

    #[test]
    fn only_changes_of_the_range_are_shown() {
        let diff = "--- a/t.go\n+++ b/t.go\n@@ -1,4 +1,4 @@\n func IsPeak(h int) bool {\n-\treturn h < 22\n+\treturn h <= 22\n }\n@@ -20,2 +20,3 @@\n x\n+y\n";
        assert_eq!(touched(diff, 1, 3), "-\treturn h < 22\n+\treturn h <= 22");
        assert_eq!(touched(diff, 5, 9), "");
    }
}
