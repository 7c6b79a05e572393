//! Takes out statements that only print: `remove the print from tasks.py`, `strip the debug output`. A statement goes with all of its lines;
//! one whose absence would change what follows it stays, and is named.

use std::collections::BTreeMap;
use std::ops::Range;

use aside_text::lazy_regex::Regex;

use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::call::is_alone;
use crate::run::exact_edit::text::Quotes;

/// Places that are listed where one was meant and several are there.
const MAX_PLACES: usize = 8;
/// Lines of one statement.
const MAX_LINES: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prints {
    /// What the request calls them, in lower case: `print`, `printf`, `console.log`; empty for all that prints.
    what: String,
    /// Those for debugging, where others are beside them.
    debug: bool,
    all: bool,
    pub file: Option<String>,
}

/// Calls that print, by the ending of the file. A macro of Rust is written without its sign.
fn family(ending: &str) -> &'static [&'static str] {
    match ending {
        "py" => &["print", "pprint", "pprint.pprint", "pp", "breakpoint"],
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "vue" | "svelte" => {
            &["console.log", "console.debug", "console.info", "console.trace", "console.dir", "console.table"]
        }
        "go" => {
            &["fmt.Println", "fmt.Printf", "fmt.Print", "println", "print", "log.Println", "log.Printf", "log.Print"]
        }
        "rs" => &["println", "eprintln", "print", "eprint", "dbg"],
        "java" | "groovy" | "scala" => &[
            "System.out.println",
            "System.out.printf",
            "System.out.print",
            "System.err.println",
            "System.err.printf",
            "println",
        ],
        "kt" | "kts" => &["println", "print", "System.out.println"],
        "c" | "h" => &["printf", "puts", "fprintf"],
        "cc" | "cpp" | "cxx" | "hpp" | "hh" | "ino" => &[
            "std::cout",
            "cout",
            "std::cerr",
            "cerr",
            "printf",
            "puts",
            "fprintf",
            "std::println",
            "std::print",
            "Serial.println",
            "Serial.print",
        ],
        "cs" => &["Console.WriteLine", "Console.Write", "Debug.WriteLine"],
        "rb" => &["puts", "p", "pp", "print"],
        "php" => &["var_dump", "print_r", "dd", "dump"],
        "swift" | "dart" | "lua" => &["print", "debugPrint"],
        _ => &[],
    }
}

/// Logs are no prints unless they are called so.
fn is_log(name: &str) -> bool {
    name.starts_with("log.") || name == "console.info"
}

impl Prints {
    /// `None` where the words are about something else: "remove the line".
    pub fn new(what: &str, debug: bool, all: bool, file: Option<String>) -> Option<Self> {
        let lower = what.to_lowercase();
        let is_vague = ["output", "log", "logging", "line", "statement", "call"].contains(&lower.as_str());
        if is_vague && !debug {
            return None;
        }
        // The request names all of the output for debugging.
        let all = all || ["output", "logging"].contains(&lower.as_str());
        let what = if is_vague { String::new() } else { lower };
        Some(Self { what, debug, all, file })
    }

    pub fn needle(&self) -> &str {
        match self.what.as_str() {
            "" | "console" => "(",
            "cout" | "cerr" => "<<",
            what => what,
        }
    }

    /// Whether a call of this name is meant.
    fn means(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        let last = lower.rsplit(['.', ':']).next().unwrap_or(&lower);
        match self.what.as_str() {
            "" => true,
            "print" => {
                !is_log(name) && !["dbg", "breakpoint", "puts", "p"].contains(&last) || last == "puts" && name == "puts"
            }
            "console" => lower.starts_with("console."),
            "system.out" | "system.err" => lower.starts_with(&format!("{}.", self.what)),
            what if what.contains('.') => lower == what,
            what => last == what,
        }
    }

    pub fn remove(&self, files: &BTreeMap<String, String>) -> EditResult {
        let mut found: Vec<Statement> = Vec::new();
        for (path, text) in files {
            found.extend(statements(path, text).into_iter().filter(|one| self.means(&one.name)));
        }
        if found.iter().any(|one| !is_log(&one.name)) && self.what.is_empty() {
            found.retain(|one| !is_log(&one.name) || one.is_debug());
        }
        if self.debug
            && found.iter().any(Statement::is_debug)
            && (self.what.is_empty() || !found.iter().all(Statement::is_debug))
        {
            found.retain(Statement::is_debug);
        }
        let rows = |all: &[&Statement]| {
            all.iter().take(MAX_PLACES).map(|one| format!("- {}", one.place())).collect::<Vec<_>>().join("\n")
        };
        let (go, stay): (Vec<&Statement>, Vec<&Statement>) = found.iter().partition(|one| one.may_go);
        let place = self.file.as_ref().map_or("the files of the project".to_owned(), |_| {
            files.keys().next().map(|path| code(path)).unwrap_or_default()
        });
        match go.len() {
            0 if stay.is_empty() => EditResult::Nothing(format!("No line of {place} only prints.")),
            0 => EditResult::Nothing(format!(
                "What prints here is part of another statement, so it cannot simply go:\n\n{}",
                rows(&stay)
            )),
            many if many > 1 && !self.all => {
                EditResult::Nothing(format!("{many} statements print. Say `all`, or which one:\n\n{}", rows(&go)))
            }
            many => {
                let mut made = BTreeMap::new();
                for (path, text) in files {
                    let lines: Vec<&Statement> = go.iter().copied().filter(|one| one.path == path).collect();
                    if !lines.is_empty() {
                        made.insert(path.clone(), without(path, text, &lines));
                    }
                }
                let what = if many == 1 { "1 statement".to_owned() } else { format!("{many} statements") };
                let note = match stay.is_empty() {
                    true => String::new(),
                    false => format!("Left, since they are part of another statement:\n\n{}", rows(&stay)),
                };
                let places: Vec<String> = made.keys().map(|path| code(path)).collect();
                let places = if places.len() > 3 { format!("{} files", places.len()) } else { places.join(", ") };
                EditResult::Texts { files: made, summary: format!("Remove {what} that only print in {places}"), note }
            }
        }
    }
}

struct Statement<'a> {
    path: &'a str,
    /// Its lines, counted from 0.
    lines: Range<usize>,
    text: String,
    name: String,
    may_go: bool,
    /// It is all that its block has, in a language where a block may not be empty.
    is_alone: bool,
}

impl Statement<'_> {
    fn is_debug(&self) -> bool {
        let lower = self.text.to_lowercase();
        self.name == "dbg"
            || ["debug", "dbg", "xxx", "here", "todo", "tmp", "===", ">>>", "***"]
                .iter()
                .any(|mark| lower.get(self.name.len()..).is_some_and(|rest| rest.contains(mark)))
    }

    fn place(&self) -> String {
        format!(
            "`{}:{}` {}",
            self.path,
            self.lines.start + 1,
            code(self.text.lines().next().unwrap_or_default().trim())
        )
    }
}

/// The statements of a file that only print.
fn statements<'a>(path: &'a str, text: &str) -> Vec<Statement<'a>> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let names = family(ending);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines.get(at).map_or("", |line| line.trim());
        let name = names.iter().find(|name| begins(line, name)).copied();
        let length = name.and_then(|name| length(&lines, at, name));
        if let (Some(name), Some(length)) = (name, length) {
            let range = at..at + length;
            let may_go = ending == "py" || is_free(&lines, &range);
            let is_alone = ending == "py" && is_alone(&lines, &range);
            let text = lines.get(range.clone()).unwrap_or_default().concat().trim().to_owned();
            found.push(Statement { path, lines: range, text, name: name.to_owned(), may_go, is_alone });
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

fn begins(line: &str, name: &str) -> bool {
    let Some(rest) = line.strip_prefix(name) else { return false };
    match name.rsplit(':').next() {
        Some("cout" | "cerr") => rest.trim_start().starts_with("<<"),
        _ => rest.starts_with('(') || rest.starts_with("!("),
    }
}

/// How many lines the statement has; `None` where something else follows its closing bracket.
fn length(lines: &[&str], at: usize, name: &str) -> Option<usize> {
    let is_stream = matches!(name.rsplit(':').next(), Some("cout" | "cerr"));
    let (mut depth, mut quotes, mut closed) = (0_i32, Quotes::default(), false);
    for (number, line) in lines.iter().enumerate().skip(at).take(MAX_LINES) {
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                _ if quotes.open().is_some() => _ = quotes.hold(letter, ""),
                '/' if letters.peek() == Some(&'/') => break,
                '#' if closed => break,
                ';' if depth == 0 => {
                    let rest: String = letters.clone().collect();
                    let rest = rest.trim();
                    return (rest.is_empty() || rest.starts_with("//")).then_some(number + 1 - at);
                }
                _ if closed && !letter.is_whitespace() => return None,
                _ if quotes.hold(letter, "\"'`") => {}
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth -= 1;
                    closed = depth == 0 && !is_stream;
                }
                _ => {}
            }
        }
        if closed {
            return Some(number + 1 - at);
        }
        // A text in simple quotes ends with its line.
        if quotes.open().is_some_and(|open| open != '`') {
            return None;
        }
    }
    None
}

/// Whether a statement stands for itself: no condition without braces before it, no chain behind it.
fn is_free(lines: &[&str], range: &Range<usize>) -> bool {
    let is_code = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let before =
        lines.get(..range.start).unwrap_or_default().iter().rev().find(is_code).map_or("", |line| line.trim_end());
    let after = lines.get(range.end..).unwrap_or_default().iter().find(is_code).map_or("", |line| line.trim_start());
    let first = before.trim_start();
    let opens = ["if ", "if(", "for ", "for(", "while ", "while(", "else if", "} else"]
        .iter()
        .any(|word| first.starts_with(word));
    let is_condition = (opens || first == "else") && !before.ends_with(['{', '}', ';', ':']);
    // A case of a match, an arrow, an argument.
    let is_part =
        before.ends_with("=>") || before.ends_with([',', '(', '=', '?', '&', '|', '+']) && !before.ends_with("++");
    !is_condition && !is_part && !after.starts_with(['.', '?'])
}

/// The text without these statements; a block of Python that would be empty gets `pass`.
fn without(path: &str, text: &str, gone: &[&Statement<'_>]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut made = String::new();
    for (at, line) in lines.iter().enumerate() {
        match gone.iter().find(|one| one.lines.contains(&at)) {
            Some(one) if one.is_alone && one.lines.start == at => {
                let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
                made.push_str(&format!("{indent}pass\n"));
            }
            Some(_) => {}
            None => made.push_str(line),
        }
    }
    if path.ends_with(".go") { without_unused_packages(&made, gone) } else { made }
}

/// Go does not compile with an import that nothing uses.
fn without_unused_packages(text: &str, gone: &[&Statement<'_>]) -> String {
    let mut made = text.to_owned();
    for package in ["fmt", "log"] {
        let was_used = gone.iter().any(|one| one.name.starts_with(&format!("{package}.")));
        let is_used = Regex::new(&format!(r"\b{package}\.")).is_ok_and(|word| word.is_match(&made));
        if was_used && !is_used {
            let is_import = |line: &str| {
                let line = line.trim();
                line == format!("\"{package}\"") || line == format!("import \"{package}\"")
            };
            made = made.split_inclusive('\n').filter(|line| !is_import(line)).collect();
        }
    }
    // Brackets without an import, and the blank line behind them.
    made.replace("import (\n)\n\n", "").replace("import (\n)\n", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(path: &str, text: &str, what: &str, debug: bool, all: bool) -> String {
        let files = BTreeMap::from([(path.to_owned(), text.to_owned())]);
        match Prints::new(what, debug, all, Some(path.to_owned())).unwrap().remove(&files) {
            EditResult::Texts { files, .. } => files.into_values().next().unwrap(),
            EditResult::Nothing(why) => format!("? {why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_only_prints_goes_in_every_language() {
        assert_eq!(removed("a.py", "x = 1\nprint(\n    x,\n)\ny = 2\n", "print", false, false), "x = 1\ny = 2\n");
        assert_eq!(removed("a.py", "def f():\n    print(1)\n", "print", false, false), "def f():\n    pass\n");
        assert_eq!(removed("a.ts", "a();\nconsole.log('(');\nb();\n", "print", true, false), "a();\nb();\n");
        assert_eq!(
            removed("a.rs", "fn f() {\n    dbg!(x);\n    println!(\"{}\", 1);\n}\n", "dbg", false, false),
            "fn f() {\n    println!(\"{}\", 1);\n}\n"
        );
        assert_eq!(
            removed("A.java", "{\n    System.out.println(\"x\");\n    go();\n}\n", "print", false, false),
            "{\n    go();\n}\n"
        );
        assert_eq!(
            removed("a.cpp", "a();\nstd::cout << \"debug\" << x << std::endl;\nb();\n", "cout", true, false),
            "a();\nb();\n"
        );
        assert_eq!(removed("a.c", "printf(\"%d\", 1);\ngo();\n", "printf", false, false), "go();\n");
        assert_eq!(
            removed(
                "a.go",
                "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc f() {\n\tfmt.Println(\"debug\", os.Args)\n\tos.Exit(1)\n}\n",
                "print",
                true,
                false
            ),
            "package a\n\nimport (\n\t\"os\"\n)\n\nfunc f() {\n\tos.Exit(1)\n}\n"
        );
    }

    #[test]
    fn output_for_debugging_is_chosen_among_others() {
        let text = "print(\"debug\", x)\nprint(result)\n";
        assert_eq!(removed("a.py", text, "print", true, true), "print(result)\n");
        assert!(removed("a.py", text, "print", false, false).starts_with("? 2 statements"));
        assert_eq!(removed("a.py", text, "print", false, true), "");
        assert!(Prints::new("line", false, false, None).is_none());
    }

    #[test]
    fn what_would_change_the_code_around_it_stays() {
        assert!(
            removed("a.ts", "if (x)\n  console.log(x);\ngo();\n", "print", false, true).starts_with("? What prints")
        );
        assert!(
            removed("a.ts", "const y = x =>\n  console.log(x);\n", "print", false, true).starts_with("? What prints")
        );
        assert!(removed("a.ts", "go(console.log(x));\n", "print", false, true).starts_with("? No line"));
        assert!(removed("a.py", "print(a) or b()\n", "print", false, true).starts_with("? No line"));
    }
}
