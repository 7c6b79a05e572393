//! Runs the examples that rules carry, and the queries that new users try first.

use super::*;
use crate::embedded::fake::Fake;

/// `words => command`; without a command, the rule's own command must come first.
fn example(text: &str) -> (&str, Option<&str>) {
    match text.split_once("=>") {
        Some((words, command)) => (words.trim(), Some(command.trim())),
        None => (text, None),
    }
}

#[test]
fn every_rule_is_well_formed() {
    let book = &*BOOK;
    let body = |rule: &'static Rule| rule.body(&book.lexicon);
    let problems =
        |rule| body(rule).problems.iter().map(move |problem| format!("{} {}: {problem}", rule.file, rule.name));
    let problems: Vec<String> = book.rules.iter().flat_map(problems).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    for (file, text) in RULES {
        let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
        assert!(first.is_none_or(|line| !line.starts_with([' ', '\t'])), "{file}: there is no rule yet: {first:?}");
    }
    let bad: Vec<&str> = book
        .rules
        .iter()
        .filter(|rule| {
            let (runs, hits) = (&body(rule).runs, &body(rule).hits);
            rule.needs.is_empty() || runs.is_empty() || hits.is_empty() || rule.about.is_empty()
        })
        .map(|rule| rule.name)
        .collect();
    assert!(bad.is_empty(), "a rule has about, need, run and hit: {bad:?}");
}

/// `cargo test -p aside-core --lib intents -- --nocapture` prints the number.
#[test]
#[expect(clippy::disallowed_macros, reason = "prints the number for authors of rules")]
fn there_are_at_least_800_intents_each_with_a_name_of_its_own() {
    let mut names: Vec<&str> = BOOK.rules.iter().map(|rule| rule.name).collect();
    let all = names.len();
    names.sort_unstable();
    let twice: Vec<&str> = names.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
    assert!(twice.is_empty(), "two rules of the same name: {twice:?}");
    eprintln!("{all} intents by rule, in {} files", RULES.len() + TAIL.len());
    assert!(all >= 800, "{all} intents");
}

#[test]
fn every_rule_answers_its_hits_and_not_its_misses() {
    let (book, machine) = (&*BOOK, Fake::default());
    let mut wrong = Vec::new();
    for rule in &book.rules {
        for hit in &rule.body(&BOOK.lexicon).hits {
            let (words, expected) = example(hit);
            let (best, from) = best_with_rule(&machine, words);
            let right = expected.map_or(from == rule.name, |expected| best == expected);
            if !right {
                wrong.push(format!("{} {}: {words:?} gives {best:?} ({from})", rule.file, rule.name));
            }
        }
        for miss in &rule.body(&BOOK.lexicon).misses {
            let (best, from) = best_with_rule(&machine, miss);
            if from == rule.name {
                wrong.push(format!("{} {}: {miss:?} must not give {best:?}", rule.file, rule.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The first answer, and the rule that it comes from.
fn best_with_rule(machine: &Fake, words: &str) -> (String, &'static str) {
    let best = machine.best(words);
    let from = machine.rule_of(words, &best);
    (best, from)
}

#[test]
fn a_file_is_found_where_it_is() {
    let machine = Fake::default();
    let path =
        |words: &str| machine.words(words).into_iter().map(|(_, _, taken)| taken).find(|taken| taken.contains("Path"));
    for (words, expected) in [
        ("last lines of web.log", Some("logs/web.log")),
        ("errors in the web log", Some("logs/web.log")),
        ("errors in the error log", Some("error.log")),
        ("create web.log", Some("\"web.log")),
        ("errors in nothing.log", Some("\"nothing.log")),
        ("the system log", None),
    ] {
        let found = path(words);
        assert!(
            found
                .as_deref()
                .map_or(expected.is_none(), |found| expected.is_some_and(|expected| found.contains(expected))),
            "{words}: {found:?}"
        );
    }
}

#[test]
fn no_answer_has_a_slot_left_in_it() {
    let machine = Fake::default();
    for rule in &BOOK.rules {
        for hit in &rule.body(&BOOK.lexicon).hits {
            for proposal in machine.answers(example(hit).0) {
                assert!(
                    !proposal.command.contains("<parts>") && !proposal.command.contains("{?"),
                    "{}",
                    proposal.command
                );
            }
        }
    }
}

/// Shows how a query is understood, for authors of rules: `QUERY='…' cargo test -p aside-translate --lib try_a_query`.
/// Separate several with `;`. `HERE='a.txt old/'` lists what is in the directory.
#[test]
#[expect(clippy::disallowed_methods, reason = "run by hand, with the query in the environment")]
fn try_a_query() {
    let Ok(queries) = std::env::var("QUERY") else { return };
    let mut machine = Fake::default();
    if let Ok(here) = std::env::var("HERE") {
        let entry = |name: &str| match name.strip_suffix('/') {
            Some(name) => (&*name.to_owned().leak(), aside_commands::world::FileKind::Directory),
            None => (&*name.to_owned().leak(), aside_commands::world::FileKind::File),
        };
        machine.directory = here.split_whitespace().map(entry).collect();
    }
    let mut shown = String::new();
    for words in queries.split(';').map(str::trim) {
        shown.push_str(&format!("\n{words}\n"));
        for (word, weight, concept) in machine.words(words) {
            shown.push_str(&format!("  [{word} {weight} {concept}]"));
        }
        shown.push('\n');
        let weighed = machine.with_reading(words, |reading| {
            let heard = FrameScores::of(reading, learned::embedded_weights());
            let weighed = rank::weigh(reading, candidates(reading, &heard), &heard);
            let shown = weighed.iter().map(|one| {
                let (rule, command, permitted) = (one.draft.rule, &one.draft.command, rank::permitted(reading, one));
                let facts: Vec<String> = learned::verify::NAMES
                    .iter()
                    .zip(one.facts.values)
                    .map(|(name, value)| format!("{name} {value:.2}"))
                    .collect();
                format!("    {:.2} {permitted} {rule}: {command}\n      {}\n", one.confidence, facts.join(", "))
            });
            shown.collect::<String>()
        });
        shown.push_str(&weighed);
        for answer in machine.answers(words) {
            let from = machine.rule_of(words, &answer.command);
            shown
                .push_str(&format!("  {:.2} {:?}  {}  ({from})\n", answer.confidence, answer.nearness, answer.command));
        }
    }
    panic!("{shown}");
}

#[test]
fn a_request_may_change_the_one_before() {
    let machine = Fake::default();
    let follow = |before: &[&str], words: &str| {
        let before: Vec<String> = before.iter().map(|words| (*words).to_owned()).collect();
        machine.follow_up(words, &before)
    };
    for (before, words, expected) in [
        (&["list all pdf files"][..], "same but in docs", "find docs -type f -name '*.pdf'"),
        (&["list all pdf files"], "and count them", "find . -type f -name '*.pdf' | wc -l"),
        (&["find python files"], "only the ones larger than 1MB", "find . -type f -name '*.py' -size +1M"),
        (&["find python files", "same but in src"], "how many are there", "find src -type f -name '*.py' | wc -l"),
        (&["find files larger than 1MB"], "only the python ones", "find . -type f -name '*.py' -size +1M"),
    ] {
        assert_eq!(follow(before, words).as_deref(), Some(expected), "{words} after {before:?}");
    }
    let sorted = follow(&["list all pdf files"], "sorted by size").unwrap_or_default();
    assert!(sorted.contains("'*.pdf'") && sorted.contains("sort -rn"), "{sorted}");
    let big = follow(&["find python files"], "only the big ones").unwrap_or_default();
    assert!(big.contains("'*.py'") && (big.contains("sort") || big.contains("-size")), "{big}");
    let chinese = follow(&["列出所有 pdf 文件"], "按大小排序").unwrap_or_default();
    assert!(chinese.contains("pdf") && chinese.contains("sort"), "{chinese}");
    // No typed query before, a change that is not understood, or one that would change files.
    for (before, words) in [
        (&[][..], "only the big ones"),
        (&["show the last 5 commits"], "only the big ones"),
        (&["list all pdf files"], "only the quuxy ones"),
        (&["list all pdf files"], "and delete them"),
        (&["list all pdf files"], "show the last 5 commits"),
        (&["list all pdf files"], "find python files"),
    ] {
        assert_eq!(follow(before, words), None, "{words} after {before:?}");
    }
}

#[test]
fn a_language_says_which_files_are_meant() {
    let machine = Fake::default();
    for (words, expected) in [
        ("count the lines of javascript in src", "find src -type f -name '*.js'"),
        ("how many lines of python are there", "find . -type f -name '*.py'"),
        ("show me all the typescript in src", "find src -type f -name '*.ts'"),
        ("grep boom in markdown", "grep -rn 'boom' --include='*.md' ."),
        ("where is the rust code", "find . -type f -name '*.rs'"),
        ("统计 src 里有多少行 python 代码", "find src -type f -name '*.py'"),
    ] {
        let best = machine.best(words);
        assert!(best.starts_with(expected), "{words}: {best}");
    }
    for words in ["upgrade all python packages with pip", "which version of python is installed"] {
        assert!(!machine.best(words).contains("*.py"), "{words}");
    }
}

#[test]
fn an_answer_keeps_the_scope_and_the_order_that_were_asked_for() {
    let machine = Fake::default();
    let answers = |words: &str, command: &str| {
        let best = machine.answers(words).into_iter().next();
        best.is_some_and(|best| best.command == command && best.nearness == Completeness::Answer)
    };
    assert!(!answers("show disk usage of this directory", "df -h"));
    assert!(machine.best("show disk usage of this directory").starts_with("du "));
    assert!(!answers("what takes the most space in logs", "du -sh logs"));
    assert_eq!(machine.best("list files one per line"), "ls -1");
    assert_eq!(machine.best("rename docs/guide.md to intro.md"), "mv docs/guide.md docs/intro.md");
    assert_eq!(machine.best("move docs/guide.md to intro.md"), "mv docs/guide.md intro.md");
    // A word that nothing announces as a text, and one result for all instead of one for each.
    let is_answer =
        |words: &str| machine.answers(words).first().is_some_and(|best| best.nearness == Completeness::Answer);
    for words in [
        "show lines that appear in a.txt and b.txt",
        "how many functions are in the python code",
        "count how many files each folder has",
    ] {
        assert!(!is_answer(words), "{words}: {}", machine.best(words));
    }
    assert!(answers("is port 8080 in use", "lsof -i :8080"));
    assert!(answers("run the tests", "make test"));
}
