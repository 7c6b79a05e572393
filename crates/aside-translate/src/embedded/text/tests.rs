//! Queries about text and the commands that must come first.

use shell_line::{self as line, Dialect};

use crate::ToolFlavor;
use crate::embedded::fake::Fake;

/// Words, and the command that must come first.
type Table = &'static [(&'static str, &'static str)];

fn check(table: Table) {
    let machine = Fake::default();
    let wrong: Vec<String> = table
        .iter()
        .map(|(words, expected)| (*words, *expected, machine.best(words)))
        .filter(|(_, expected, best)| best != expected)
        .map(|(words, expected, best)| format!("{words}\n  is  {best}\n  not {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}

const TABLES: &[Table] = &[TREES, SEARCHES, COUNTS, PLACES, COLUMNS, EDITS, REST, COMPARISONS];

#[test]
fn text_is_found_in_many_files() {
    check(TREES);
}

#[test]
fn lines_are_found_by_what_is_in_them() {
    check(SEARCHES);
}

#[test]
fn lines_are_sorted_and_counted() {
    check(COUNTS);
}

#[test]
fn lines_are_found_by_their_place() {
    check(PLACES);
}

#[test]
fn columns_are_taken_summed_and_compared() {
    check(COLUMNS);
}

#[test]
fn text_is_replaced_deleted_and_added_in_files() {
    check(EDITS);
}

#[test]
fn text_is_made_into_another() {
    check(REST);
}

#[test]
fn two_files_are_compared() {
    check(COMPARISONS);
}

/// Every draft parses as one complete command line in every shell.
#[test]
fn no_answer_fails_to_parse() {
    let machine = Fake::default();
    for (words, _) in TABLES.iter().copied().flatten().step_by(3) {
        // Reversed, partial and repeated words are still queries.
        let half: String = words.split(' ').rev().collect::<Vec<_>>().join(" ");
        let twice = format!("{words} and {words}");
        let odd = words.replace("foo", "it's \"$(x)\" `y` \\ 'z").replace("a.txt", "a b'c.txt");
        for query in [words, half.as_str(), twice.as_str(), odd.as_str()] {
            for answer in machine.answers(query) {
                let line = line::parse(&answer.command, Dialect::Zsh);
                assert!(line.open.is_none() && !line.commands.is_empty(), "{query}: {}", answer.command);
                assert!(
                    !answer.command.contains("{?") && !answer.command.contains('\n'),
                    "{query}: {}",
                    answer.command
                );
            }
        }
    }
}

#[test]
fn on_a_bsd_the_same_is_said_otherwise() {
    let machine = Fake { system: ToolFlavor::Bsd, ..Fake::default() };
    for (words, expected) in [
        ("replace foo with bar in a.txt", "sed -i '' 's/foo/bar/g' a.txt"),
        ("delete blank lines from a.txt", "sed -i '' '/^[[:space:]]*$/d' a.txt"),
        ("reverse the lines of a.txt", "tail -r a.txt"),
    ] {
        assert_eq!(machine.best(words), expected, "{words}");
    }
}

#[test]
fn what_is_not_about_text_is_left_to_others() {
    let machine = Fake::default();
    for words in [
        "make me a sandwich",
        "hello",
        "a.txt",
        "what is the meaning of life",
        "translate a.txt to french",
        "summarize notes.md",
        "email report.pdf to bob",
        "play some music",
    ] {
        let answers = machine.answers(words);
        let ours = answers.first().filter(|answer| machine.rule_of(words, &answer.command) == "text");
        assert!(ours.is_none(), "{words}: {}", ours.map_or("", |answer| answer.command.as_str()));
    }
}

const TREES: Table = &[
    ("find all TODO comments in python files", "grep -rn 'TODO' --include='*.py' ."),
    ("python files that import requests", "grep -rl 'import requests' --include='*.py' ."),
    (r#"search for "connection refused" in logs"#, "grep -rn 'connection refused' logs"),
    ("search recursively for main in src", "grep -rn 'main' src"),
    ("files without license", "grep -rL 'license' ."),
    ("how many lines of code in this project", "find . -type f -exec cat {} + | wc -l"),
    ("which file has the most lines", r#"find . -type f -exec wc -l {} \; | sort -rn | head -n 1"#),
    ("lines of code per python file", "find . -type f -name '*.py' -exec wc -l {} +"),
    ("how many TODOs are in the code", "grep -rh 'TODO' . | wc -l"),
    ("find every place where parse_config is called", "grep -rn 'parse_config' ."),
    ("where is connect_db defined", "grep -rn 'connect_db' ."),
    ("search my code for deprecated functions", "grep -rn 'deprecated' ."),
    ("search all json files for api_key", "grep -rn 'api_key' --include='*.json' ."),
    (
        r#"find "import os" in all py files excluding node_modules"#,
        "grep -rn 'import os' --include='*.py' --exclude-dir=node_modules .",
    ),
    ("grep for password in this directory but not in node_modules", "grep -rn 'password' --exclude-dir=node_modules ."),
    ("look for the string 'SELECT *' in sql files", "grep -rnF 'SELECT *' --include='*.sql' ."),
    ("who uses the function load_data", "grep -rn 'load_data' ."),
    ("occurrences of foo in src", "grep -rn 'foo' src"),
    ("find the text foo bar in all files", "grep -rn 'foo bar' ."),
    ("serach TODO in src folder", "grep -rn 'TODO' src"),
    ("查找 src 目录下包含 TODO 的文件", "grep -rl 'TODO' src"),
    (r#"find "TODO" or "FIXME" in src"#, "grep -rnE 'TODO|FIXME' src"),
    ("find TODO and FIXME in all python files", "grep -rnE 'TODO|FIXME' --include='*.py' ."),
    ("grep recursively for password", "grep -rn 'password' ."),
    ("search the whole project for api_key", "grep -rn 'api_key' ."),
    ("which python files use pandas", "grep -rl 'pandas' --include='*.py' ."),
    ("what files in docs mention install", "grep -rl 'install' docs"),
];

const SEARCHES: Table = &[
    ("search for foo in a.txt", "grep 'foo' a.txt"),
    ("grep error in error.log", "grep -i 'error' error.log"),
    ("show me all errors in the log", "grep -i 'error' *.log"),
    ("find lines containing hello in a.txt", "grep 'hello' a.txt"),
    (r#"find lines that contain "hello world" in notes.md"#, "grep 'hello world' notes.md"),
    ("lines in a.txt with foo or bar", "grep -E 'foo|bar' a.txt"),
    ("lines in a.txt with foo and bar", "grep 'foo' a.txt | grep 'bar'"),
    ("lines not containing foo in a.txt", "grep -v 'foo' a.txt"),
    ("show lines without debug in error.log", "grep -iv 'debug' error.log"),
    ("count how many times error appears in error.log", "grep -oi 'error' error.log | wc -l"),
    ("how many lines in error.log contain timeout", "grep -ci 'timeout' error.log"),
    ("grep -i warning in error.log with line numbers", "grep -ni 'warn' error.log"),
    ("case insensitive search for readme in notes.md", "grep -i 'readme' notes.md"),
    ("show 3 lines before and after error in error.log", "grep -C 3 -i 'error' error.log"),
    ("search the word cat as a whole word in a.txt", "grep -w 'cat' a.txt"),
    (
        "top 10 most common words in notes.md",
        "grep -oE '[[:alnum:]_]+' notes.md | sort | uniq -c | sort -rn | head -n 10",
    ),
    ("most frequent words in a.txt", "grep -oE '[[:alnum:]_]+' a.txt | sort | uniq -c | sort -rn | head -n 10"),
    ("word frequency in a.txt", "grep -oE '[[:alnum:]_]+' a.txt | sort | uniq -c | sort -rn"),
    ("extract emails from a.txt", r#"grep -oE '[[:alnum:]._%+-]+@[[:alnum:].-]+\.[[:alpha:]]{2,}' a.txt"#),
    ("get all urls from notes.md", r#"grep -oE 'https?://[^[:space:]"<>)]+' notes.md"#),
    ("count 404s in access.log", "grep -cw '404' access.log"),
    ("how many 404 errors in access.log", "grep -cw '404' access.log"),
    ("check if a.txt contains hello", "grep -q 'hello' a.txt && echo yes || echo no"),
    ("blank lines in a.txt count", "grep -c '^[[:space:]]*$' a.txt"),
    ("how many blank lines in a.txt", "grep -c '^[[:space:]]*$' a.txt"),
    ("lines starting with # in deploy.sh", "grep '^#' deploy.sh"),
    ("find lines wiht error or warning in error.log", "grep -iE 'error|warn' error.log"),
    ("print lines containing 'GET' but not '404' in access.log", "grep 'GET' access.log | grep -v '404'"),
    ("show lines from error.log containing ERROR and timeout", "grep -i 'ERROR' error.log | grep -i 'timeout'"),
    ("last 5 errors in error.log", "grep -i 'error' error.log | tail -n 5"),
    ("first error in error.log", "grep -i 'error' error.log | head -n 1"),
    ("show the last 10 lines of error.log that contain ERROR", "grep 'ERROR' error.log | tail -n 10"),
    ("find error in last 50 lines of error.log", "tail -n 50 error.log | grep -i 'error'"),
    ("2 lines after each match of fail in error.log", "grep -A 2 -i 'fail' error.log"),
    ("show only the matching part of 'id=[0-9]+' in access.log", "grep -oE 'id=[0-9]+' access.log"),
    ("lines that start with a number in a.txt", "grep '^[0-9]' a.txt"),
    ("lines beginning with error in error.log", "grep -i '^error' error.log"),
    ("lines that end with .py in a.txt", r#"grep '\.py$' a.txt"#),
    ("lines consisting only of digits in a.txt", "grep -x '[0-9][0-9]*' a.txt"),
    ("lines with exactly foo in a.txt", "grep -x 'foo' a.txt"),
    ("show lines matching the regex ^[A-Z] in a.txt", "grep '^[A-Z]' a.txt"),
    ("count the number of commas in data.csv", "grep -o ',' data.csv | wc -l"),
    ("follow access.log and show only errors", "tail -f access.log | grep --line-buffered -i 'error'"),
    ("monitor error.log for exceptions", "tail -f error.log | grep --line-buffered -i 'exception'"),
    ("lines with foo but not bar in a.txt", "grep 'foo' a.txt | grep -v 'bar'"),
    ("one word per line from notes.md", "grep -oE '[[:alnum:]_]+' notes.md"),
    ("words in a.txt sorted alphabetically", "grep -oE '[[:alnum:]_]+' a.txt | sort"),
    ("list all unique words in notes.md", "grep -oE '[[:alnum:]_]+' notes.md | sort -u"),
    ("how many unique words in notes.md", "grep -oE '[[:alnum:]_]+' notes.md | sort -u | wc -l"),
    (
        "count how many times each word appears in notes.md",
        "grep -oE '[[:alnum:]_]+' notes.md | sort | uniq -c | sort -rn",
    ),
    ("most common word in notes.md", "grep -oE '[[:alnum:]_]+' notes.md | sort | uniq -c | sort -rn | head -n 1"),
    ("show requests with status 500 in access.log", "grep -w '500' access.log"),
    ("log lines from today in error.log", r#"grep "$(date +%F)" error.log"#),
    ("lines from 2024-01-15 in error.log", "grep '2024-01-15' error.log"),
    ("lines with foo in a.txt", "grep 'foo' a.txt"),
    ("在 a.txt 中查找 hello", "grep 'hello' a.txt"),
    ("统计 error.log 中 error 出现的次数", "grep -oi 'error' error.log | wc -l"),
    ("show lines that have an email in a.txt", r#"grep -E '[[:alnum:]._%+-]+@[[:alnum:].-]+\.[[:alpha:]]{2,}' a.txt"#),
    (
        "duplicate emails in data.csv",
        r#"grep -oE '[[:alnum:]._%+-]+@[[:alnum:].-]+\.[[:alpha:]]{2,}' data.csv | sort | uniq -d"#,
    ),
    ("sort ips in a.txt", r#"grep -oE '([0-9]{1,3}\.){3}[0-9]{1,3}' a.txt | sort"#),
    ("how many requests came from 192.168.1.1 in access.log", "grep -c '192.168.1.1' access.log"),
    ("all GET requests in access.log", "grep 'GET' access.log"),
    ("count POST requests in access.log", "grep -c 'POST' access.log"),
    ("how many requests returned 200 in access.log", "grep -cw '200' access.log"),
    ("requests to /login in access.log", "grep '/login' access.log"),
    ("how many errors are in error.log", "grep -ci 'error' error.log"),
    ("how many errors and warnings in error.log", "grep -ciE 'error|warn' error.log"),
    ("show errors but not timeouts in error.log", "grep -i 'error' error.log | grep -iv 'timeout'"),
    ("what happened today in error.log", r#"grep "$(date +%F)" error.log"#),
    ("show warnings from error.log with line numbers", "grep -ni 'warn' error.log"),
    ("search foo in a.txt", "grep 'foo' a.txt"),
    ("look for hello in notes.md", "grep 'hello' notes.md"),
    ("is there any mention of docker in notes.md", "grep -q 'docker' notes.md && echo yes || echo no"),
    (r#"grep "foo bar" a.txt"#, "grep 'foo bar' a.txt"),
    ("find 'foo' in a.txt ignoring case", "grep -i 'foo' a.txt"),
    ("show all lines of a.txt that include foo", "grep 'foo' a.txt"),
    ("lines in a.txt matching foo", "grep 'foo' a.txt"),
    ("give me lines with the word error from error.log", "grep -i 'error' error.log"),
    ("print every line that has foo in a.txt", "grep 'foo' a.txt"),
    ("lines which don't have foo in a.txt", "grep -v 'foo' a.txt"),
    ("exclude lines with debug from error.log", "grep -iv 'debug' error.log"),
    ("show error.log without the debug lines", "grep -iv 'debug' error.log"),
    ("ignore case and search for Error in error.log", "grep -i 'Error' error.log"),
    ("show errors with 2 lines of context in error.log", "grep -C 2 -i 'error' error.log"),
    ("5 lines before fatal in error.log", "grep -B 5 -i 'fatal' error.log"),
    ("count the lines containing foo in a.txt", "grep -c 'foo' a.txt"),
    ("how many times is foo mentioned in a.txt", "grep -o 'foo' a.txt | wc -l"),
    ("number of occurrences of foo in a.txt", "grep -o 'foo' a.txt | wc -l"),
    ("how often does foo appear in a.txt", "grep -o 'foo' a.txt | wc -l"),
    ("count the matches of 'foo' in a.txt", "grep -c 'foo' a.txt"),
    ("count error lines in error.log", "grep -ci 'error' error.log"),
    ("watch error.log for new errors", "tail -f error.log | grep --line-buffered -i 'error'"),
    ("top ten words in notes.md", "grep -oE '[[:alnum:]_]+' notes.md | sort | uniq -c | sort -rn | head -n 10"),
    (
        "what are the most used words in README.md",
        "grep -oE '[[:alnum:]_]+' README.md | sort | uniq -c | sort -rn | head -n 10",
    ),
    ("5 most frequent words of a.txt", "grep -oE '[[:alnum:]_]+' a.txt | sort | uniq -c | sort -rn | head -n 5"),
    ("frequency of words in a.txt", "grep -oE '[[:alnum:]_]+' a.txt | sort | uniq -c | sort -rn"),
    ("find all email addresses in a.txt", r#"grep -oE '[[:alnum:]._%+-]+@[[:alnum:].-]+\.[[:alpha:]]{2,}' a.txt"#),
    ("list urls in notes.md", r#"grep -oE 'https?://[^[:space:]"<>)]+' notes.md"#),
    ("extract links from README.md", r#"grep -oE 'https?://[^[:space:]"<>)]+' README.md"#),
    ("pull the ip addresses out of error.log", r#"grep -oE '([0-9]{1,3}\.){3}[0-9]{1,3}' error.log"#),
    ("extract numbers from a.txt", "grep -oE '[0-9]+' a.txt"),
    ("how many 500 errors in access.log", "grep -cw '500' access.log"),
    ("show 404 requests in access.log", "grep -w '404' access.log"),
    ("does a.txt contain foo", "grep -q 'foo' a.txt && echo yes || echo no"),
    ("see if error.log has any errors", "grep -qi 'error' error.log && echo yes || echo no"),
    ("empty lines in a.txt", "grep '^[[:space:]]*$' a.txt"),
    ("show non-empty lines of a.txt", "grep -v '^[[:space:]]*$' a.txt"),
    ("count empty lines in a.txt", "grep -c '^[[:space:]]*$' a.txt"),
    ("lines that begin with import in main.py", "grep '^import' main.py"),
    (r#"lines starting with "def" in main.py"#, "grep '^def' main.py"),
    ("lines ending in foo in a.txt", "grep 'foo$' a.txt"),
];

const COUNTS: Table = &[
    ("how many lines does data.csv have", "wc -l data.csv"),
    ("number of lines in a.txt", "wc -l a.txt"),
    ("count words in notes.md", "wc -w notes.md"),
    ("how many words are in notes.md", "wc -w notes.md"),
    ("characters in a.txt count", "wc -m a.txt"),
    ("unique lines in a.txt", "sort -u a.txt"),
    ("show duplicate lines in a.txt", "sort a.txt | uniq -d"),
    ("count unique lines in a.txt", "sort -u a.txt | wc -l"),
    ("count occurrences of each line in a.txt", "sort a.txt | uniq -c | sort -rn"),
    ("sort a.txt", "sort a.txt"),
    ("sort a.txt numerically", "sort -n a.txt"),
    ("sort a.txt in reverse order", "sort -r a.txt"),
    ("sort and remove duplicates in a.txt", "sort -u a.txt"),
    ("how many lines are there in a.txt and b.txt", "wc -l a.txt b.txt"),
    ("total lines in a.txt b.txt", "wc -l a.txt b.txt"),
    ("word count of README.md", "wc -w README.md"),
    ("size in bytes of a.txt contents", "wc -c a.txt"),
    ("how many characters in README.md", "wc -m README.md"),
    ("sort a.txt by second column", "sort -k2,2 a.txt"),
    ("sort a.txt alphabetically and save it to b.txt", "sort a.txt > b.txt"),
    ("sort a.txt in place", "sort -o a.txt a.txt"),
    ("sort the file a.txt ignoring case", "sort -f a.txt"),
    ("sort numbers in a.txt from largest to smallest", "sort -nr a.txt"),
    ("most common lines in error.log", "sort error.log | uniq -c | sort -rn | head -n 10"),
    ("number of requests per hour in access.log", r#"sed 's/.*\[\([^:]*:[0-9]*\).*/\1/' access.log | sort | uniq -c"#),
    ("combine a.txt and b.txt, sort and remove duplicates", "sort -u a.txt b.txt"),
    ("统计 a.txt 的行数", "wc -l a.txt"),
    ("a.txt 有多少行", "wc -l a.txt"),
    ("对 a.txt 排序", "sort a.txt"),
    ("统计 notes.md 的单词数", "wc -w notes.md"),
    ("count lines in package.json", "wc -l package.json"),
    ("the 3 biggest numbers in a.txt", "sort -nr a.txt | head -n 3"),
    ("unique lines in a.txt with counts", "sort a.txt | uniq -c | sort -rn"),
    ("count duplicates in a.txt", "sort a.txt | uniq -d | wc -l"),
    ("how many duplicate lines in a.txt", "sort a.txt | uniq -d | wc -l"),
    ("lines that appear more than once in a.txt", "sort a.txt | uniq -d"),
    ("lines that appear exactly once in a.txt", "sort a.txt | uniq -u"),
    ("sort by number in a.txt, biggest first", "sort -nr a.txt"),
    ("sort version numbers in a.txt", "sort -V a.txt"),
    ("sort a.txt by 3rd column numerically in reverse", "sort -nr -k3,3 a.txt"),
    ("show a.txt sorted", "sort a.txt"),
    ("display unique sorted lines of a.txt", "sort -u a.txt"),
    ("count lines words and characters in a.txt", "wc a.txt"),
    ("how big is a.txt in bytes", "wc -c a.txt"),
    ("how many lines total in a.txt and b.txt", "wc -l a.txt b.txt"),
    ("number of characters in a.txt", "wc -m a.txt"),
    ("unique lines of a.txt", "sort -u a.txt"),
    ("distinct lines in a.txt", "sort -u a.txt"),
    ("find repeated lines in a.txt", "sort a.txt | uniq -d"),
    ("print only duplicate lines in a.txt", "sort a.txt | uniq -d"),
    ("how many distinct lines in a.txt", "sort -u a.txt | wc -l"),
    ("occurrences of each line in a.txt", "sort a.txt | uniq -c | sort -rn"),
    ("sort a.txt descending", "sort -r a.txt"),
    ("sort a.txt reverse numeric", "sort -nr a.txt"),
    ("reverse sort a.txt", "sort -r a.txt"),
    ("order the lines of a.txt alphabetically", "sort a.txt"),
    ("sort a.txt and show only unique lines", "sort -u a.txt"),
    ("sort uniq a.txt", "sort -u a.txt"),
    ("sort file sizes in a.txt human readable", "sort -h a.txt"),
];

const PLACES: Table = &[
    ("first 10 lines of a.txt", "head -n 10 a.txt"),
    ("show the last 20 lines of error.log", "tail -n 20 error.log"),
    ("head of data.csv", "head -n 10 data.csv"),
    ("tail error.log", "tail -n 10 error.log"),
    ("line 5 of a.txt", "sed -n '5p' a.txt"),
    ("show line 42 in main.py", "sed -n '42p' main.py"),
    ("print lines 10 to 20 of main.py", "sed -n '10,20p' main.py"),
    ("lines 5-15 in a.txt", "sed -n '5,15p' a.txt"),
    ("every other line of a.txt", "awk 'NR % 2 == 1' a.txt"),
    ("5 random lines from a.txt", "shuf -n 5 a.txt"),
    ("a random line from a.txt", "shuf -n 1 a.txt"),
    ("everything but the first line of data.csv", "tail -n +2 data.csv"),
    ("data.csv without the header", "tail -n +2 data.csv"),
    ("follow error.log", "tail -f error.log"),
    ("watch the log file error.log live", "tail -f error.log"),
    ("shuffle lines of a.txt", "shuf a.txt"),
    ("between START and END in a.txt", "sed -n '/START/,/END/p' a.txt"),
    ("show the header of data.csv", "head -n 1 data.csv"),
    ("top 5 lines of a.txt", "head -n 5 a.txt"),
    ("give me the first line of README.md", "head -n 1 README.md"),
    ("first line of every txt file", "head -n 1 *.txt"),
    ("last line of data.csv", "tail -n 1 data.csv"),
    ("show everything after line 10 of a.txt", "tail -n +11 a.txt"),
    ("lines from 10 to the end of a.txt", "tail -n +10 a.txt"),
    ("second line of a.txt", "sed -n '2p' a.txt"),
    ("skip first 3 lines of a.txt", "tail -n +4 a.txt"),
    ("all but the last 2 lines of a.txt", "head -n -2 a.txt"),
    ("print even lines of a.txt", "awk 'NR % 2 == 0' a.txt"),
    ("every 3rd line of a.txt", "awk 'NR % 3 == 0' a.txt"),
    ("tail -f error.log", "tail -f error.log"),
    ("keep showing new lines of error.log", "tail -f error.log"),
    ("randomize the order of lines in a.txt", "shuf a.txt"),
    ("delete the last 3 lines of a.txt", "head -n -3 a.txt > a.txt.tmp && mv a.txt.tmp a.txt"),
    ("显示 error.log 的最后 20 行", "tail -n 20 error.log"),
    ("查看 a.txt 的前10行", "head -n 10 a.txt"),
    ("显示 a.txt 第5行", "sed -n '5p' a.txt"),
    ("显示 a.txt 第 10 到 20 行", "sed -n '10,20p' a.txt"),
    ("header of the csv", "head -n 1 data.csv"),
    ("lines between 5 and 10 in a.txt", "sed -n '5,10p' a.txt"),
    ("print 5 lines starting from line 20 of main.py", "sed -n '20,24p' main.py"),
    ("10 lines after line 50 in main.py", "sed -n '51,60p' main.py"),
    ("second last line of a.txt", "sed -n 'x;$p' a.txt"),
    ("show rows 5 to 10 of data.csv", "sed -n '5,10p' data.csv"),
    ("show first five lines of README.md", "head -n 5 README.md"),
    ("show top 20 lines of main.py", "head -n 20 main.py"),
    ("print the first few lines of data.csv", "head -n 10 data.csv"),
    ("give me the beginning of notes.md", "head -n 10 notes.md"),
    ("display last 3 lines of a.txt", "tail -n 3 a.txt"),
    ("show me the tail of error.log", "tail -n 10 error.log"),
    ("end of error.log", "tail -n 10 error.log"),
    ("what's the last line of a.txt", "tail -n 1 a.txt"),
    ("print line number 7 of main.py", "sed -n '7p' main.py"),
    ("show the 3rd line of a.txt", "sed -n '3p' a.txt"),
    ("get line 12 from deploy.sh", "sed -n '12p' deploy.sh"),
    ("show lines 3 through 8 of a.txt", "sed -n '3,8p' a.txt"),
    ("view lines 100-120 of main.py", "sed -n '100,120p' main.py"),
    ("from line 5 to line 9 in a.txt", "sed -n '5,9p' a.txt"),
    ("skip the first line of data.csv", "tail -n +2 data.csv"),
    ("data.csv without the first row", "tail -n +2 data.csv"),
    ("everything except the last line of a.txt", "sed '$d' a.txt"),
    ("odd lines of a.txt", "awk 'NR % 2 == 1' a.txt"),
    ("pick a random line from a.txt", "shuf -n 1 a.txt"),
    ("tail and follow access.log", "tail -f access.log"),
    (r#"show everything between "start" and "end" in a.txt"#, "sed -n '/start/,/end/p' a.txt"),
];

const COLUMNS: Table = &[
    ("remove duplicate lines from a.txt", "awk '!seen[$0]++' a.txt"),
    ("remove duplicates from a.txt keeping order", "awk '!seen[$0]++' a.txt"),
    ("how many unique values in column 2 of data.csv", "cut -d, -f2 data.csv | sort -u | wc -l"),
    ("print the second column of data.csv", "cut -d, -f2 data.csv"),
    ("show the 1st and 3rd columns of data.csv", "cut -d, -f1,3 data.csv"),
    ("last column of a.txt", "awk '{print $NF}' a.txt"),
    ("sum the 3rd column of data.csv", "awk -F, '{s+=$3} END {print s}' data.csv"),
    ("average of column 2 in data.csv", "awk -F, '$2+0==$2 {s+=$2; n++} END {if (n) print s/n}' data.csv"),
    ("max value in column 3 of data.csv", r#"awk -F, '$3+0==$3 && (m=="" || $3+0>m) {m=$3+0} END {print m}' data.csv"#),
    ("rows in data.csv where column 3 is greater than 100", "awk -F, 'NR>1 && $3 > 100' data.csv"),
    (
        "sum of the price column in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="price") c=i; next} {s+=$c} END {print s}' data.csv"#,
    ),
    (
        "average age in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="age") c=i; next} {s+=$c; n++} END {if (n) print s/n}' data.csv"#,
    ),
    ("sum the numbers in a.txt", "awk '{s+=$1} END {print s}' a.txt"),
    ("sort data.csv by the second column", "sort -t, -k2,2 data.csv"),
    ("sort data.csv by column 3 numerically descending", "sort -t, -nr -k3,3 data.csv"),
    ("sort lines by length in a.txt", "awk '{print length($0), $0}' a.txt | sort -n | cut -d' ' -f2-"),
    ("extract all ip addresses from access.log", "awk '{print $1}' access.log"),
    ("top 10 ips in access.log", "awk '{print $1}' access.log | sort | uniq -c | sort -rn | head -n 10"),
    ("requests per status code in access.log", "awk '{print $9}' access.log | sort | uniq -c | sort -rn"),
    ("unique ips in access.log", "awk '{print $1}' access.log | sort -u"),
    ("how many unique ips in access.log", "awk '{print $1}' access.log | sort -u | wc -l"),
    ("longest line in a.txt", "awk 'length($0) > m {m = length($0); l = $0} END {print l}' a.txt"),
    ("lines longer than 80 characters in main.py", "awk 'length($0) > 80' main.py"),
    ("number of distinct values in the second column of data.csv", "cut -d, -f2 data.csv | sort -u | wc -l"),
    ("frequency of each value in column 3 of data.csv", "cut -d, -f3 data.csv | sort | uniq -c | sort -rn"),
    (
        "group by country column in data.csv and count",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="country") c=i; next} {print $c}' data.csv | sort | uniq -c | sort -rn"#,
    ),
    (
        "count rows per status in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="status") c=i; next} {print $c}' data.csv | sort | uniq -c | sort -rn"#,
    ),
    (
        "unique values of column city in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="city") c=i; next} {print $c}' data.csv | sort -u"#,
    ),
    ("print columns 2 and 4 of data.csv", "cut -d, -f2,4 data.csv"),
    ("first 3 columns of data.csv", "cut -d, -f1-3 data.csv"),
    ("everything except the first column in data.csv", "cut -d, --complement -f1 data.csv"),
    ("remove the second column from data.csv", "cut -d, --complement -f2 data.csv"),
    (
        "name column from data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="name") c=i} {print $c}' data.csv"#,
    ),
    (
        "rows where age is over 30 in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="age") c=i; next} $c > 30' data.csv"#,
    ),
    (
        "data.csv rows where status is active",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="status") c=i; next} $c == "active"' data.csv"#,
    ),
    (
        "find rows in data.csv with status equal to failed",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="status") c=i; next} $c == "failed"' data.csv"#,
    ),
    ("rows of data.csv where 2nd column equals foo", r#"awk -F, '$2 == "foo"' data.csv"#),
    ("list all usernames from /etc/passwd", "cut -d: -f1 /etc/passwd"),
    ("first field of /etc/passwd", "cut -d: -f1 /etc/passwd"),
    ("print second field separated by colon in a.txt", "cut -d: -f2 a.txt"),
    ("min of column 2 in data.csv", r#"awk -F, '$2+0==$2 && (m=="" || $2+0<m) {m=$2+0} END {print m}' data.csv"#),
    (
        "total of the amount column in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="amount") c=i; next} {s+=$c} END {print s}' data.csv"#,
    ),
    (
        "what's the average price in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="price") c=i; next} {s+=$c; n++} END {if (n) print s/n}' data.csv"#,
    ),
    (
        "highest value in the score column of data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="score") c=i; next} (m=="" || $c+0>m) {m=$c+0} END {print m}' data.csv"#,
    ),
    (
        "sort data.csv by price",
        r#"tail -n +2 data.csv | sort -t, -n -k"$(head -n 1 data.csv | tr ',' '\n' | grep -nixF 'price' | cut -d: -f1)""#,
    ),
    (
        "sort data.csv by age descending",
        r#"tail -n +2 data.csv | sort -t, -nr -k"$(head -n 1 data.csv | tr ',' '\n' | grep -nixF 'age' | cut -d: -f1)""#,
    ),
    ("sort a.txt by last column", r#"awk '{print $NF "\t" $0}' a.txt | sort | cut -f2-"#),
    (
        "unique cities in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="city") c=i; next} {print $c}' data.csv | sort -u"#,
    ),
    ("which ip appears most in access.log", "awk '{print $1}' access.log | sort | uniq -c | sort -rn | head -n 1"),
    (
        "which ips hit the server most in access.log",
        "awk '{print $1}' access.log | sort | uniq -c | sort -rn | head -n 10",
    ),
    ("top 5 requested urls in access.log", "awk '{print $7}' access.log | sort | uniq -c | sort -rn | head -n 5"),
    ("list all status codes in access.log with counts", "awk '{print $9}' access.log | sort | uniq -c | sort -rn"),
    ("requests per ip in access.log", "awk '{print $1}' access.log | sort | uniq -c | sort -rn"),
    ("all 5xx errors in access.log", "awk '$9 ~ /^5/' access.log"),
    ("a.txt 去重", "awk '!seen[$0]++' a.txt"),
    ("显示 data.csv 的第二列", "cut -d, -f2 data.csv"),
    ("what is the longest line in notes.md", "awk 'length($0) > m {m = length($0); l = $0} END {print l}' notes.md"),
    (
        "longest word in notes.md",
        "awk '{for (i = 1; i <= NF; i++) if (length($i) > m) {m = length($i); w = $i}} END {print w}' notes.md",
    ),
    ("how many columns does data.csv have", "awk -F, '{print NF; exit}' data.csv"),
    ("average of the numbers in a.txt", "awk '{s+=$1; n++} END {if (n) print s/n}' a.txt"),
    ("largest number in a.txt", r#"awk '(m=="" || $1+0>m) {m=$1+0} END {print m}' a.txt"#),
    ("numbers greater than 50 in a.txt", "awk '$1 > 50' a.txt"),
    ("show lines with more than 5 words in a.txt", "awk 'NF > 5' a.txt"),
    ("lines with more than 3 columns in a.txt", "awk 'NF > 3' a.txt"),
    ("swap column 1 and 2 in data.csv", "awk -F, -v OFS=, '{t = $1; $1 = $2; $2 = t; print}' data.csv"),
    ("count the number of fields in data.csv", "awk -F, '{print NF; exit}' data.csv"),
    (
        "number of rows where country is France in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="country") c=i; next} $c == "France"' data.csv | wc -l"#,
    ),
    (
        "sum of sales per region in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) h[tolower($i)]=i; next} {k=$h["region"]; v=$h["sales"]; s[k]+=v} END {for (k in s) print k, s[k]}' data.csv"#,
    ),
    (
        "total sales by country in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) h[tolower($i)]=i; next} {k=$h["country"]; v=$h["sales"]; s[k]+=v} END {for (k in s) print k, s[k]}' data.csv"#,
    ),
    ("find duplicates in column 1 of data.csv", "cut -d, -f1 data.csv | sort | uniq -d"),
    ("most common value in column 2 of data.csv", "cut -d, -f2 data.csv | sort | uniq -c | sort -rn | head -n 1"),
    (
        "max price in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="price") c=i; next} (m=="" || $c+0>m) {m=$c+0} END {print m}' data.csv"#,
    ),
    (
        "row with the highest price in data.csv",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="price") c=i; next} (m=="" || $c+0>m) {m=$c+0; l=$0} END {print l}' data.csv"#,
    ),
    (
        "print the name and age columns of data.csv",
        r#"awk -F, -v OFS=, 'NR==1 {for (i=1; i<=NF; i++) h[tolower($i)]=i} {print $h["name"], $h["age"]}' data.csv"#,
    ),
    (
        "filter data.csv for rows with age > 30",
        r#"awk -F, 'NR==1 {for (i=1; i<=NF; i++) if (tolower($i)=="age") c=i; next} $c > 30' data.csv"#,
    ),
    ("sort a.txt by length of line descending", "awk '{print length($0), $0}' a.txt | sort -rn | cut -d' ' -f2-"),
    (
        "what are the 5 most common ips in access.log",
        "awk '{print $1}' access.log | sort | uniq -c | sort -rn | head -n 5",
    ),
    ("show the user agents in access.log", r#"awk -F'"' '{print $6}' access.log"#),
    ("most visited pages in access.log", "awk '{print $7}' access.log | sort | uniq -c | sort -rn | head -n 10"),
    ("dedupe a.txt", "awk '!seen[$0]++' a.txt"),
    ("get rid of duplicate lines in a.txt", "awk '!seen[$0]++' a.txt"),
    ("3rd column of data.csv", "cut -d, -f3 data.csv"),
    ("get column 2 from data.csv", "cut -d, -f2 data.csv"),
    ("extract the first column of data.csv", "cut -d, -f1 data.csv"),
    ("second field of data.csv", "cut -d, -f2 data.csv"),
    ("cut out columns 1 and 2 from data.csv", "cut -d, -f1,2 data.csv"),
    ("show the last field of each line in a.txt", "awk '{print $NF}' a.txt"),
    ("first word of each line in a.txt", "awk '{print $1}' a.txt"),
    ("add up the numbers in the 2nd column of data.csv", "awk -F, '{s+=$2} END {print s}' data.csv"),
    ("total of column 3 in data.csv", "awk -F, '{s+=$3} END {print s}' data.csv"),
    ("mean of column 2 of data.csv", "awk -F, '$2+0==$2 {s+=$2; n++} END {if (n) print s/n}' data.csv"),
    (
        "smallest value in column 2 of data.csv",
        r#"awk -F, '$2+0==$2 && (m=="" || $2+0<m) {m=$2+0} END {print m}' data.csv"#,
    ),
    ("rows of data.csv where column 2 is less than 5", "awk -F, 'NR>1 && $2 < 5' data.csv"),
    ("lines of data.csv where the third column is bigger than 10", "awk -F, 'NR>1 && $3 > 10' data.csv"),
    ("sort by 2nd column of data.csv", "sort -t, -k2,2 data.csv"),
    ("sort data.csv by third column as numbers", "sort -t, -n -k3,3 data.csv"),
    ("top 5 ips in access.log", "awk '{print $1}' access.log | sort | uniq -c | sort -rn | head -n 5"),
    (
        "which ip made the most requests in access.log",
        "awk '{print $1}' access.log | sort | uniq -c | sort -rn | head -n 1",
    ),
    ("count of each status code in access.log", "awk '{print $9}' access.log | sort | uniq -c | sort -rn"),
    ("length of the longest line in a.txt", "awk 'length($0) > m {m = length($0)} END {print m+0}' a.txt"),
    ("lines over 100 characters in main.py", "awk 'length($0) > 100' main.py"),
    ("lines shorter than 10 characters in a.txt", "awk 'length($0) < 10' a.txt"),
];

const EDITS: Table = &[
    ("replace foo with bar in a.txt", "sed -i 's/foo/bar/g' a.txt"),
    (
        "replace all occurrences of 'foo' with 'bar' in all txt files",
        "find . -xdev -type f -not -path '*/.*' -name '*.txt' -exec sed -i 's/foo/bar/g' {} +",
    ),
    ("change localhost to 127.0.0.1 in config.json", "sed -i 's/localhost/127.0.0.1/g' config.json"),
    ("delete blank lines from a.txt", "sed -i '/^[[:space:]]*$/d' a.txt"),
    ("remove empty lines in a.txt", "sed -i '/^[[:space:]]*$/d' a.txt"),
    ("delete lines containing debug from error.log", "sed -i '/debug/Id' error.log"),
    ("delete line 3 of a.txt", "sed -i '3d' a.txt"),
    ("remove trailing whitespace from main.py", "sed -i 's/[[:space:]]*$//' main.py"),
    ("remove the first line of data.csv", "sed -i '1d' data.csv"),
    (r##"insert "# header" at the top of a.txt"##, "sed -i '1i # header' a.txt"),
    ("convert crlf to lf in a.txt", r#"sed -i 's/\r$//' a.txt"#),
    ("replace http with https in notes.md", "sed -i 's/http/https/g' notes.md"),
    (
        r#"replace every "foo" by "baz" in src"#,
        "find src -xdev -type f -not -path '*/.*' -exec sed -i 's/foo/baz/g' {} +",
    ),
    (
        "change the word color to colour in all md files",
        "find . -xdev -type f -not -path '*/.*' -name '*.md' -exec sed -i 's/color/colour/g' {} +",
    ),
    ("substitute foo for bar in a.txt", "sed -i 's/foo/bar/g' a.txt"),
    ("in a.txt replace foo with bar", "sed -i 's/foo/bar/g' a.txt"),
    ("replace foo with bar in a.txt and keep a backup", "sed -i.bak 's/foo/bar/g' a.txt"),
    ("replace the first foo with bar on each line of a.txt", "sed -i 's/foo/bar/' a.txt"),
    ("replace commas with tabs in data.csv", r#"sed -i 's/,/\t/g' data.csv"#),
    ("replace spaces with underscores in a.txt", "sed -i 's/ /_/g' a.txt"),
    ("rename variable count to total in main.py", "sed -i 's/count/total/g' main.py"),
    (
        "replace old.example.com with new.example.com in all conf files recursively",
        r#"find . -xdev -type f -not -path '*/.*' -name '*.conf' -exec sed -i 's/old\.example\.com/new.example.com/g' {} +"#,
    ),
    ("swap foo with bar in every file", "find . -xdev -type f -not -path '*/.*' -exec sed -i 's/foo/bar/g' {} +"),
    ("delete all lines that contain foo in a.txt", "sed -i '/foo/d' a.txt"),
    ("remove lines matching ^# from deploy.sh", "sed -i '/^#/d' deploy.sh"),
    ("remove comment lines from deploy.sh", "sed -i '/^[[:space:]]*#/d' deploy.sh"),
    ("delete lines 3 to 7 from a.txt", "sed -i '3,7d' a.txt"),
    ("delete the last line of a.txt", "sed -i '$d' a.txt"),
    ("delete the first 5 lines of a.txt", "sed -i '1,5d' a.txt"),
    ("remove all spaces from a.txt", "sed -i 's/ //g' a.txt"),
    ("remove the word foo from a.txt", "sed -i 's/foo//g' a.txt"),
    (
        "strip trailing spaces in all py files",
        "find . -xdev -type f -not -path '*/.*' -name '*.py' -exec sed -i 's/[[:space:]]*$//' {} +",
    ),
    ("remove leading whitespace from each line in a.txt", "sed -i 's/^[[:space:]]*//' a.txt"),
    ("trim whitespace in a.txt", "sed -i 's/^[[:space:]]*//;s/[[:space:]]*$//' a.txt"),
    ("remove html tags from a.txt", "sed -i 's/<[^>]*>//g' a.txt"),
    ("remove punctuation from a.txt", "sed -i 's/[[:punct:]]//g' a.txt"),
    ("remove all digits from a.txt", "sed -i 's/[0-9]//g' a.txt"),
    ("delete everything after line 10 in a.txt", "sed -i '11,$d' a.txt"),
    ("comment out line 5 in deploy.sh", "sed -i '5s/^/# /' deploy.sh"),
    ("comment out lines containing debug in main.py", "sed -i '/debug/s/^/# /' main.py"),
    (r#"add "foo" to the beginning of every line in a.txt"#, "sed -i 's/^/foo/' a.txt"),
    ("prepend 'import os' to main.py", "sed -i '1i import os' main.py"),
    ("insert 'hello' after line 3 in a.txt", "sed -i '3a hello' a.txt"),
    ("insert 'hello' before the line containing 'world' in a.txt", "sed -i '/world/i hello' a.txt"),
    ("convert windows line endings to unix in deploy.sh", r#"sed -i 's/\r$//' deploy.sh"#),
    ("dos2unix deploy.sh", r#"sed -i 's/\r$//' deploy.sh"#),
    ("change a.txt to lower case in place", r#"sed -i 's/.*/\L&/' a.txt"#),
    ("把 a.txt 里的 foo 替换成 bar", "sed -i 's/foo/bar/g' a.txt"),
    ("删除 a.txt 的空行", "sed -i '/^[[:space:]]*$/d' a.txt"),
    ("remove lines with less than 3 characters in a.txt", "sed -i -E '/^.{0,2}$/d' a.txt"),
    ("remove everything after # in each line of deploy.sh", "sed -i 's/#.*//' deploy.sh"),
    ("remove everything before the colon in a.txt", "sed -i 's/^[^:]*://' a.txt"),
    ("delete from line 10 to the end of a.txt", "sed -i '10,$d' a.txt"),
    (r#"replace "foo" with "bar" in a.txt"#, "sed -i 's/foo/bar/g' a.txt"),
    ("replace all foo by bar in a.txt", "sed -i 's/foo/bar/g' a.txt"),
    ("find and replace foo with bar in a.txt", "sed -i 's/foo/bar/g' a.txt"),
    ("change all foo to bar in a.txt", "sed -i 's/foo/bar/g' a.txt"),
    ("swap every foo with bar in a.txt", "sed -i 's/foo/bar/g' a.txt"),
    ("replace foo with nothing in a.txt", "sed -i 's/foo//g' a.txt"),
    (
        "replace foo with bar everywhere in src",
        "find src -xdev -type f -not -path '*/.*' -exec sed -i 's/foo/bar/g' {} +",
    ),
    ("replace 8080 with 9090 in config.json", "sed -i 's/8080/9090/g' config.json"),
    (
        "in all python files replace print with log",
        "find . -xdev -type f -not -path '*/.*' -name '*.py' -exec sed -i 's/print/log/g' {} +",
    ),
    ("replace foo with bar on line 3 of a.txt", "sed -i '3s/foo/bar/g' a.txt"),
    ("replace foo with bar case insensitively in a.txt", "sed -i 's/foo/bar/gI' a.txt"),
    ("substitute tabs with commas in a.txt", r#"sed -i 's/\t/,/g' a.txt"#),
    ("delete every line with foo in a.txt", "sed -i '/foo/d' a.txt"),
    ("drop lines that start with # from deploy.sh", "sed -i '/^#/d' deploy.sh"),
    ("remove lines ending with a comma from a.txt", "sed -i '/,$/d' a.txt"),
    ("delete lines 2-4 of a.txt", "sed -i '2,4d' a.txt"),
    ("remove line 10 from a.txt", "sed -i '10d' a.txt"),
    ("delete the first line from a.txt", "sed -i '1d' a.txt"),
    ("get rid of blank lines in a.txt", "sed -i '/^[[:space:]]*$/d' a.txt"),
    (
        "remove blank lines from all txt files",
        "find . -xdev -type f -not -path '*/.*' -name '*.txt' -exec sed -i '/^[[:space:]]*$/d' {} +",
    ),
    ("remove trailing whitespace in a.txt", "sed -i 's/[[:space:]]*$//' a.txt"),
    ("remove leading spaces from a.txt", "sed -i 's/^[[:space:]]*//' a.txt"),
    ("remove all commas from a.txt", "sed -i 's/,//g' a.txt"),
    (r#"insert "first" as the first line of a.txt"#, "sed -i '1i first' a.txt"),
    ("add 'x' to the end of every line in a.txt", "sed -i 's/$/x/' a.txt"),
    (r#"put "title" at the top of notes.md"#, "sed -i '1i title' notes.md"),
    ("insert 'foo' at line 4 of a.txt", "sed -i '4i foo' a.txt"),
    ("convert dos line endings to unix in a.txt", r#"sed -i 's/\r$//' a.txt"#),
    ("remove carriage returns from a.txt", r#"sed -i 's/\r$//' a.txt"#),
];

const REST: Table = &[
    ("replace tabs with spaces in main.py", "expand -t 4 main.py"),
    ("convert a.txt to uppercase", "tr '[:lower:]' '[:upper:]' < a.txt"),
    ("make a.txt lowercase", "tr '[:upper:]' '[:lower:]' < a.txt"),
    ("reverse the lines of a.txt", "tac a.txt"),
    ("reverse each line in a.txt", "rev a.txt"),
    ("join all lines of a.txt with commas", "paste -sd, a.txt"),
    ("split a.txt by commas into lines", r#"tr ',' '\n' < a.txt"#),
    ("number the lines of a.txt", "cat -n a.txt"),
    ("wrap a.txt at 80 characters", "fold -s -w 80 a.txt"),
    ("display data.csv as a table", "column -t -s, data.csv"),
    ("pretty print data.csv", "column -t -s, data.csv"),
    ("show data.csv nicely aligned", "column -t -s, data.csv"),
    ("replace foo with bar in a.txt but only print it", "sed 's/foo/bar/g' a.txt"),
    ("replace newlines with spaces in a.txt", "paste -sd ' ' a.txt"),
    ("convert tabs to spaces in main.py", "expand -t 4 main.py"),
    ("uppercase the first letter of each line in a.txt", r#"sed 's/^./\U&/' a.txt"#),
    ("make everything in notes.md uppercase", "tr '[:lower:]' '[:upper:]' < notes.md"),
    ("reverse the order of lines in a.txt", "tac a.txt"),
    ("print a.txt backwards", "tac a.txt"),
    ("print error.log from bottom to top", "tac error.log"),
    ("join lines in a.txt into one line separated by commas", "paste -sd, a.txt"),
    ("put all lines of a.txt on one line", "paste -sd ' ' a.txt"),
    ("turn a.txt into a comma separated list", "paste -sd, a.txt"),
    ("split data.csv on commas", r#"tr ',' '\n' < data.csv"#),
    ("show a.txt in hex", "od -A x -t x1z a.txt"),
    ("show nonprinting characters in a.txt", "cat -A a.txt"),
    ("squeeze multiple blank lines in a.txt into one", "cat -s a.txt"),
    ("paste a.txt and b.txt together with a comma", "paste -d, a.txt b.txt"),
    ("capitalize every word in a.txt", r#"sed 's/\b[[:lower:]]/\u&/g' a.txt"#),
    ("convert data.csv to tsv", r#"tr ',' '\t' < data.csv"#),
    ("change the delimiter of data.csv from comma to semicolon", "tr ',' ';' < data.csv"),
    ("uppercase a.txt", "tr '[:lower:]' '[:upper:]' < a.txt"),
    ("lower case a.txt", "tr '[:upper:]' '[:lower:]' < a.txt"),
    ("convert all letters in a.txt to upper case", "tr '[:lower:]' '[:upper:]' < a.txt"),
    ("show a.txt in reverse", "tac a.txt"),
    ("reverse a.txt", "tac a.txt"),
    ("mirror each line of a.txt", "rev a.txt"),
    ("join the lines of a.txt with a space", "paste -sd ' ' a.txt"),
    ("merge lines of a.txt with semicolons", "paste -sd ';' a.txt"),
    ("split a.txt on spaces into lines", r#"tr ' ' '\n' < a.txt"#),
    ("add line numbers to a.txt", "cat -n a.txt"),
    ("wrap lines in a.txt to 72 columns", "fold -s -w 72 a.txt"),
];

const COMPARISONS: Table = &[
    ("lines in a.txt that are not in b.txt", "grep -Fxvf b.txt a.txt"),
    ("common lines of a.txt and b.txt", "grep -Fxf a.txt b.txt"),
    ("lines only in b.txt compared to a.txt", "grep -Fxvf a.txt b.txt"),
    ("merge a.txt and b.txt side by side", "paste a.txt b.txt"),
    ("compare a.txt to b.txt ignoring whitespace", "diff -w -u a.txt b.txt"),
    ("what lines are in b.txt but not in a.txt", "grep -Fxvf a.txt b.txt"),
    ("lines missing from a.txt that are in b.txt", "grep -Fxvf a.txt b.txt"),
    ("lines of a.txt missing in b.txt", "grep -Fxvf b.txt a.txt"),
    ("lines in both a.txt and b.txt", "grep -Fxf a.txt b.txt"),
    ("what is in a.txt but not in b.txt", "grep -Fxvf b.txt a.txt"),
    ("put a.txt and b.txt side by side", "paste a.txt b.txt"),
];
