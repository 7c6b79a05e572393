//! Output that a request names by its file, as in `why does build.log say that`: which words name a file, which questions are about a
//! failure, and which texts are output. Reads no files itself.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::diagnose::is_known;
use crate::run::review::file_kind;

struct Patterns {
    asks: Regex,
    else_wanted: Regex,
    fails: Regex,
    spoken: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let new = |pattern: &str| Regex::new(&format!("(?i){pattern}")).ok();
    Some(Patterns {
        asks: new(
            r"\bwhy\b|\bhow come\b|\bwhat(?:'s| is| was| went| goes| broke| breaks| happened| do(?:es)?| failed| fails| caused?)\b|\bbroke(?:n)?\b|\bfix\b|\bsolve\b|\brepair\b|\bresolve\b|\bfail\w*|\berrors?\b|\bcrash\w*|\bwrong\b|\bmeans?\b|\bexplain\b|\bdiagnos\w*|\bhelp\b|\bcomplain\w*|\bproblem\b|\bstuck\b|\bunderstand\b|\bmake sense\b|为什么|怎么|解释|错误|报错|失败|问题|修复",
        )?,
        // An order to search, to review or to change the file itself.
        else_wanted: new(
            r"^(?:please |now |can you |could you )*(?:find|search|grep|rg|count|list|how many|review|remove|delete|replace|rename|move|copy|add|append|sort|truncate|empty|rotate|compress|summari[sz]e|translate|change|set|ignore|commit|diff|compare|run|rerun|execute|open|where (?:is|are) .*\b(?:defined|declared|used|called)|which files?|show (?:me )?(?:all |every |the )?(?:lines?|occurrences|matches)|搜索|查找|评审|删除|替换)\b",
        )?,
        fails: Regex::new(
            r"(?m)^\W*(?:[\w./\[\]-]+[:\s]\s*)?(?:(?i:error|fatal|panic|traceback|failed|failure|err!|exception)\b|ERROR\b|E\d{3,4}\b)|\b[A-Z]\w*(?:Error|Exception)\b|(?i:: (?:fatal )?error\b|\bundefined reference\b|\bsegmentation fault\b|\bcore dumped\b|\bcommand not found\b|\bpermission denied\b|\bconnection refused\b|\bexit (?:code|status) [1-9]|\bcould(?:n't| not) (?:find|load|resolve|open|connect)\b|\bsomething went wrong\b|\bLeakSanitizer\b|\bAddressSanitizer\b|\bTests?:? .*\bfailed\b)",
        )
        .ok()?,
        spoken: new(r"\b(?:the |my |our )?(?P<name>[\w-]{3,})(?:'s)? (?:logs?|log file|output|output file)\b")?,
    })
});

/// Whether words ask what failed, why, or how to mend it; an order for something else does not.
pub fn asks(words: &str) -> bool {
    PATTERNS
        .as_ref()
        .is_some_and(|patterns| patterns.asks.is_match(words) && !patterns.else_wanted.is_match(words.trim()))
}

/// Whether words over piped text are an order to search it, to review or to change something.
pub fn wants_else(words: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|patterns| patterns.else_wanted.is_match(words.trim()))
}

/// Whether a text is the output of something that failed, as opposed to a source or prose that only has words for errors.
pub fn is_failure(text: &str) -> bool {
    is_known(text) || PATTERNS.as_ref().is_some_and(|patterns| patterns.fails.is_match(text))
}

/// Whether a file is a log by its name.
pub fn is_log(path: &str) -> bool {
    file_kind::of(path) == "log"
}

/// Whether the file of this path and text is output that can be diagnosed. Sources and settings are not, whatever they say.
pub fn is_output(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_log = is_log(path) || ["log", "err", "out", "stderr", "stdout", "trace"].contains(&ending);
    let is_text = ["txt", "text", ""].contains(&ending)
        && !["readme", "license", "changelog", "cmakelists", "requirements", "makefile", "dockerfile", "notes"]
            .iter()
            .any(|known| name.starts_with(known));
    (is_log || is_text) && is_failure(text)
}

/// The words of a request that may name a file, as they are written.
pub fn files(words: &str) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for word in words.split(|letter: char| letter.is_whitespace() || "(),;".contains(letter)) {
        let word = word.trim_matches(['`', '"', '\'', '?', '!', ':', '<', '>']).trim_end_matches('.');
        let is_path =
            word.contains('/') || word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty());
        if is_path && !word.contains("://") && !word.contains("..") && !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// The file that is only spoken of: `the gunicorn log`. One of the paths, if no other is called so.
pub fn spoken<'a>(words: &str, paths: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let found = PATTERNS.as_ref()?.spoken.captures(words)?;
    let name = found.name("name")?.as_str().to_lowercase();
    let is_called = |path: &&str| {
        let file = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let (stem, ending) = file.rsplit_once('.').unwrap_or((&file, ""));
        ["log", "txt", "out", "err"].contains(&ending) && stem.split(['-', '_', '.']).any(|part| part == name)
    };
    let mut called = paths.filter(is_called);
    match (called.next(), called.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_a_failure_are_told_from_orders() {
        for words in [
            "why does build.log end like that",
            "ci/nightly.txt - what broke",
            "look at deploy.err and tell me how to fix it",
            "I get a linker error, see ld.txt",
            "can you explain out/compile.log",
            "help, the worker died: worker.log",
        ] {
            assert!(asks(words), "{words}");
        }
        for words in [
            "find errors in build.log",
            "count the errors in app.log",
            "delete build.log",
            "grep failed in nightly.txt",
            "review deploy.err",
            "open build.log",
            "where is LogError defined",
        ] {
            assert!(!asks(words), "{words}");
        }
    }

    #[test]
    fn output_is_told_from_sources_and_prose() {
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'x'\n";
        for path in ["worker.log", "ci/run-12.txt", "make.err", "nohup.out"] {
            assert!(is_output(path, trace), "{path}");
        }
        for path in ["src/a.py", "README.txt", "CMakeLists.txt", "settings.toml", "docs/errors.md"] {
            assert!(!is_output(path, trace), "{path}");
        }
        assert!(!is_output("worker.log", "started\nlistening on 80\n"));
        assert!(is_failure("x.cc:3:1: error: expected ';'\n"));
        assert!(is_failure("==77==ERROR: LeakSanitizer: detected memory leaks\n"));
        assert!(!is_failure("def handle(error):\n    return retry(error)\n"));
        assert!(!is_failure("all 12 tests passed, 0 errors\n"));
    }

    #[test]
    fn files_are_found_in_the_words() {
        assert_eq!(files("why does `out/make.log` fail, see also ld.txt?"), ["out/make.log", "ld.txt"]);
        assert_eq!(files("what broke. Is it https://a.b/c.log"), Vec::<&str>::new());
        let paths = ["logs/celery.log", "src/celery.py", "web-out.txt"];
        assert_eq!(spoken("why does the celery log say that", paths.into_iter()), Some("logs/celery.log"));
        assert_eq!(spoken("what is wrong in the web output", paths.into_iter()), Some("web-out.txt"));
        assert_eq!(spoken("why is the change log empty", paths.into_iter()), None);
    }
}
