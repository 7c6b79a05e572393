//! Reads the output of tools that no pattern knows: the first line that says that something is wrong, with the place that it or a line below
//! it names. Tells headlines, which only say that something failed, from the lines that say why.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

/// Lines below the message that may have its place.
const NEAR: usize = 6;
/// Lines that a message may go on over.
const MAX_JOINED: usize = 3;

/// What an unknown tool says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidError {
    pub message: String,
    pub place: Option<(String, usize)>,
    /// The lines of the output, from the message to the place.
    pub lines: Vec<String>,
}

struct Patterns {
    headline: Regex,
    wrong: Regex,
    fine: Regex,
    place: Regex,
    label: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        headline: Regex::new(
            r"(?i)^\W*(?:error|failure|fatal|err!)?\W*(?:active: failed\b.*|process: \d+ exec\w+=.*|\S+: (?:main process exited|failed with result|control process exited)\b.*|(?:the )?(?:build|compilation|task|job|command|tests?|pipeline|deployment|installation|process|linker command|run) (?:has |have )?(?:failed|errored)\b.*|failed to push some refs\b.*|.*\breturned? (?:a )?(?:non-zero|1) (?:exit )?(?:status|code).*|.*\bexit(?:ed)? (?:with )?(?:status|code)[ :]+\d+.*|process completed with exit code.*|build failed with an exception.*|execution failed for task.*|.*\bfailed with exit code \d+.*|.*\bELIFECYCLE\b.*|could not compile .* due to .*|aborting due to .*|\[?.*\]? Error \d+|make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+|Compilation error\. See log.*|.*\bcommand failed\b[.:]?$|(?:\d+ )?errors? (?:occurred|found|generated).*|.*: stopped after \d+ .*|collect2: error: ld returned.*|bundler: failed to load command.*)$",
        )
        .ok()?,
        wrong: Regex::new(
            r"(?i)\b(?:errors?|fail(?:ed|s|ure|ures)?|fatal|panic(?:ked)?|exception|traceback|cannot|can't|could ?n[o']t|couldn't|unable|invalid|denied|refused|missing|not found|no such|undefined|undeclared|unresolved|unknown|unexpected|unsupported|illegal|forbidden|rejected|abort(?:ed|ing)?|violat\w+|exceed\w*|corrupt\w*|mismatch\w*|conflict\w*|incompatible|timed out|timeout|leak(?:s|ed)?|race|overflow|segmentation|assert\w*|problem|critical|not (?:a|an|been|allowed|defined|exist|installed|supported|declared|valid|permitted)|doesn't|does not|must (?:be|have|not)|expected|too (?:many|few|long|large|wide|small))\b|!!|✗|✖|×",
        )
        .ok()?,
        fine: Regex::new(r"(?i)\?\s*$|\b(?:0|no) (?:errors?|failures?|problems?|warnings?|issues?)\b|\bwithout errors?\b|\bsuccess|\berrors?: 0\b|^\s*(?:at|from|by|in) \S|^\s*(?:hint|note|help|info|debug|try)\b\W|^\s*\d+ (?:passed|examples?|tests?)\b").ok()?,
        place: Regex::new(r#"(?:File "(?P<quoted>[^"]+)", line (?P<number>\d+)|\bon (?P<on>[\w./-]+\.\w+) line (?P<nth>\d+)|(?P<file>[\w./@+-]*[\w-]\.[A-Za-z]\w{0,9})[:(](?P<line>\d{1,6})\b|(?P<bare>(?:[\w./-]*/)?(?:Makefile|Dockerfile|Gemfile|Rakefile|Jenkinsfile|CMakeLists\.txt)):(?P<at>\d{1,6})\b)"#).ok()?,
        label: Regex::new(r"^(?:==\d+==\s*|[│|┃╷╵>*!•·\s]+|\[\d{2}:\d{2}:\d{2}\]\s*|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\s+)+").ok()?,
    })
});

/// Whether a line only says that something failed.
pub fn is_headline(line: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|patterns| patterns.headline.is_match(line.trim()))
}

/// All places of an output in its order, each with its line.
pub fn places(output: &str) -> Vec<(String, usize)> {
    let Some(patterns) = PATTERNS.as_ref() else { return Vec::new() };
    output
        .lines()
        .take(4000)
        .filter(|line| !is_headline(line))
        .flat_map(|line| patterns.place.captures_iter(line))
        .filter_map(|found| place(&found))
        .collect()
}

fn place(found: &regex::Captures<'_>) -> Option<(String, usize)> {
    let of =
        |groups: [&str; 4]| groups.iter().find_map(|group| found.name(group)).map(|value| value.as_str().to_owned());
    let file = of(["quoted", "on", "file", "bare"])?;
    let line = of(["number", "nth", "line", "at"])?.parse().ok()?;
    Some((file, line))
}

/// What an output says that is wrong; `None` where no line does.
pub fn said(output: &str) -> Option<SaidError> {
    let patterns = PATTERNS.as_ref()?;
    let lines: Vec<&str> = output.lines().take(4000).collect();
    // A single word, such as `Failures:`, is the title of what follows.
    let is_title = |line: &str| line.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count() < 2;
    let is_wrong = |line: &&str| {
        patterns.wrong.is_match(line) && !patterns.fine.is_match(line) && !is_headline(line) && !is_title(line)
    };
    // A line with its own place says most; then any line that something is wrong; then a headline.
    let placed = lines.iter().position(|line| {
        let located = patterns.place.find(line).is_some_and(|found| {
            line.get(found.end()..).is_some_and(|rest| rest.chars().filter(|letter| letter.is_alphabetic()).count() > 5)
        });
        located && is_wrong(line)
    });
    let wrong = lines.iter().position(is_wrong);
    let at = match (placed, wrong) {
        (Some(placed), Some(wrong)) if placed <= wrong + NEAR => placed.min(wrong),
        (_, Some(wrong)) => wrong,
        (placed, None) => placed.or_else(|| lines.iter().position(|line| is_headline(line)))?,
    };
    let line = lines.get(at)?;
    let own = patterns.place.captures(line);
    let mut message = patterns.label.replace(line, "").trim().to_owned();
    // What stands before the message is its place: `src/a.h:12:5: problem: …`.
    if let Some(found) = own.as_ref().and_then(|found| found.get(0)) {
        let behind = line.get(found.end()..).unwrap_or_default();
        let behind =
            behind.trim_start_matches(|letter: char| letter.is_ascii_digit() || ":),. ".contains(letter)).trim();
        let starts = line.get(..found.start()).unwrap_or_default().trim().len() < 4;
        if starts && behind.chars().filter(|letter| letter.is_alphabetic()).count() > 5 {
            message = behind.to_owned();
        }
    }
    // A line that ends in a colon goes on below it, as often behind a blank line.
    let mut last = at;
    for _ in 0..MAX_JOINED {
        let below = lines.iter().enumerate().skip(last + 1).take(2);
        let mut below = below.map(|(near, next)| (near, patterns.label.replace(next, "").trim().to_owned()));
        let Some((near, next)) =
            below.find(|(_, next)| !next.is_empty()).filter(|_| message.ends_with(':') || message.ends_with("):"))
        else {
            break;
        };
        message = format!("{message} {next}");
        last = near;
    }
    let found = own.and_then(|found| place(&found));
    let near = |found: Option<(String, usize)>| {
        found.map(|place| (at, place)).or_else(|| {
            let below = lines.get(at + 1..).unwrap_or_default().iter().take(NEAR).enumerate();
            below.filter_map(|(near, line)| Some((at + 1 + near, place(&patterns.place.captures(line)?)?))).next()
        })
    };
    let located = near(found);
    last = last.max(located.as_ref().map_or(at, |(line, _)| *line));
    let lines = lines.get(at..=last).unwrap_or_default().iter().map(|line| line.trim_end().to_owned()).collect();
    Some(SaidError { message, place: located.map(|(_, place)| place), lines })
}

/// The identifiers that an error names in quotes or behind a colon: what is not known, missing or wrong.
pub fn names(message: &str) -> Vec<String> {
    static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"[`'"‘“](?P<quoted>[A-Za-z_][\w.]*(?:::\w+)*)(?:\(\))?[`'"’”]|(?i:undefined|unresolved reference|undeclared|not declared|unknown \w+|undefined (?:method|symbol|variable)|cannot find(?: symbol)?|symbol:\s+\w+)\s*:?\s+(?P<bare>[A-Za-z_][\w.]*)|(?:Error: |^)(?P<call>[A-Za-z_][\w.]*)\(\) (?:missing|takes|got)"#).ok()
    });
    // What a server or a registry calls things is no name of the code.
    static ELSEWHERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:password|authentication|role|database|host|hostname|connection|certificate|container|relation|registry)\b").ok()
    });
    let Some(pattern) = NAMES.as_ref().filter(|_| !ELSEWHERE.as_ref().is_some_and(|other| other.is_match(message)))
    else {
        return Vec::new();
    };
    let mut all: Vec<String> = Vec::new();
    for found in pattern.captures_iter(message) {
        let name =
            ["quoted", "bare", "call"].iter().find_map(|group| found.name(group)).map_or("", |name| name.as_str());
        let name = name.rsplit(['.', ':']).next().unwrap_or(name).to_owned();
        let is_word = [
            "reference",
            "symbol",
            "variable",
            "method",
            "local",
            "function",
            "input",
            "name",
            "std",
            "module",
            "package",
            "file",
            "type",
        ]
        .contains(&name.as_str());
        if name.len() > 2 && !is_word && !all.contains(&name) {
            all.push(name);
        }
    }
    all.truncate(3);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(output: &str) -> String {
        said(output).map_or_else(String::new, |said| {
            let place = said.place.map(|(file, line)| format!(" @ {file}:{line}")).unwrap_or_default();
            format!("{}{place}", said.message)
        })
    }

    #[test]
    fn an_unknown_tool_is_read_by_what_it_says() {
        for (output, expected) in [
            (
                "frob 2.1: reading a.h\nsrc/a.h:12:5: problem: field too wide\nfrob: stopped after 1 problem\n",
                "problem: field too wide @ src/a.h:12",
            ),
            (
                "==42== Invalid read of size 4\n==42==    at 0x10: push (ring.c:10)\n",
                "Invalid read of size 4 @ ring.c:10",
            ),
            (
                "│ Error: Reference to undeclared input variable\n│ \n│   on main.tf line 20, in resource \"a\" \"b\":\n",
                "Error: Reference to undeclared input variable @ main.tf:20",
            ),
            (
                "WARNING: DATA RACE\nWrite at 0x0 by goroutine 8:\n  a.B()\n      /home/u/store/store.go:41 +0x44\n",
                "WARNING: DATA RACE @ /home/u/store/store.go:41",
            ),
            ("Makefile:12: *** missing separator.  Stop.\n", "*** missing separator.  Stop. @ Makefile:12"),
            (
                "loading\nthe licence key has been rejected by the server\n",
                "the licence key has been rejected by the server",
            ),
            ("Build failed\nconfig/x.yml:3: unknown key colour\n", "unknown key colour @ config/x.yml:3"),
            (
                "CMake Error at lib/CMakeLists.txt:4 (add_executable):\n  Cannot find source file:\n\n    pump.cpp\n\n  Tried\n",
                "CMake Error at lib/CMakeLists.txt:4 (add_executable): Cannot find source file: pump.cpp @ lib/CMakeLists.txt:4",
            ),
            ("all good\n0 errors\n", ""),
            ("3 passed\n", ""),
        ] {
            assert_eq!(
                told(output).replace("*** missing", "missing"),
                expected.replace("*** missing", "missing"),
                "{output}"
            );
        }
    }

    #[test]
    fn headlines_say_only_that_it_failed() {
        for line in [
            "FAILURE: Build failed with an exception.",
            "error: failed to push some refs to 'github.com:a/b.git'",
            "make: *** [Makefile:8: ringd] Error 1",
            "collect2: error: ld returned 1 exit status",
            "##[error]Process completed with exit code 1.",
            "npm ERR! code ELIFECYCLE",
            "error: could not compile `a` (bin \"a\") due to 1 previous error",
        ] {
            assert!(is_headline(line), "{line}");
        }
        for line in [
            "error: linker `cc` not found",
            "make: *** No rule to make target 'x'.  Stop.",
            "E: Could not get lock",
            "KeyError: 'a'",
        ] {
            assert!(!is_headline(line), "{line}");
        }
    }

    #[test]
    fn names_of_an_error_are_those_in_quotes_or_behind_the_colon() {
        assert_eq!(names("undefined reference to `ring_each'"), ["ring_each"]);
        assert_eq!(names("Unresolved reference: parcls"), ["parcls"]);
        assert_eq!(names("module 'shop' has no attribute 'averge'"), ["shop", "averge"]);
        assert_eq!(names("undefined: checker.NewChecker"), ["NewChecker"]);
        assert_eq!(names("'getenv' is not a member of 'std'"), ["getenv"]);
        assert_eq!(
            names("TypeError: late_fee() missing 1 required positional argument: 'currency'"),
            ["late_fee", "currency"]
        );
        assert!(names("FATAL: password authentication failed for user \"shelf\"").is_empty());
        assert!(names("connection refused").is_empty());
    }
}
