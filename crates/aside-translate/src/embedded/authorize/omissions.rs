//! Finds what a draft leaves out of a request, or takes for something that it is not: such a draft is at most the closest.

use std::ops::Range;

use aside_commands::world::FileKind;
use shell_line as line;

use crate::embedded::analysis::{AnalyzedQuery, QueryWord};
use crate::embedded::authorize::contents::is_file_name;
use crate::embedded::authorize::{WEIGHS, announces, arguments, is_typed, occurrences};
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::lexicon::is_han;
use crate::find_expression;

/// What leaves something out, in a request and in a command.
const EXCEPT: &[&str] = &[
    "except",
    "except for",
    "excepting",
    "excluding",
    "exclude",
    "apart from",
    "aside from",
    "other than",
    "besides",
    "leaving out",
    "ignoring",
    "skipping",
    "sparing",
    "but not",
    "除了",
    "除",
    "不包括",
    "排除",
    "以外",
    "之外",
];
const LEAVES_OUT: &[&str] = &["-not", " ! ", "-v", "-x", "exclude", "ignore", "-prune", "[^", "[!", "!="];

/// Whether the request excludes something and the command does not: `all files excluding hidden ones`.
pub fn forgets_exception(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let is_said = reading.words.iter().any(|word| EXCEPT.contains(&word.low.as_str()));
    is_said && draft.rule.starts_with("files") && !leaves_out(draft)
}

fn said_at<'r>(reading: &'r AnalyzedQuery<'_>, place: usize) -> &'r str {
    reading.words.get(place).map_or("", |word| word.low.as_str())
}

fn leaves_out(draft: &Draft) -> bool {
    LEAVES_OUT.iter().any(|mark| draft.command.contains(mark))
}

/// For a command that changes something, where a forgotten limit does what was not asked for, or the opposite: whether the request has an
/// exception or a condition that the command does not have. `discard my changes except in a.ts`, `delete everything but src`,
/// `delete a.json, but only if it is empty`.
pub fn forgets_limit(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const CONDITION: &[&str] = &[
        "if",
        "unless",
        "provided",
        "providing",
        "assuming",
        "until",
        "when",
        "whenever",
        "如果",
        "除非",
        "若",
        "只要",
    ];
    // Politeness, and what the command does anyway.
    const NO_CONDITION: &[&str] =
        &["you", "possible", "needed", "necessary", "exists", "exist", "there", "present", "any", "done", "finished"];
    const TESTS: &[&str] = &[
        "-size", "-empty", "-mtime", "-mmin", "-newer", "-name", "-user", "-perm", "test ", "[ ", "&&", "if ", "-gt",
        "-lt", "until ", "while ",
    ];
    // All but the newest few.
    const ALL_BUT: &[&str] = &["tail -n +", "head -n -"];
    let said: Vec<&str> = reading.words.iter().flat_map(|word| word.low.split_whitespace()).collect();
    let excepts = exception(reading).is_some();
    let is_condition = |(place, word): (usize, &&str)| {
        let after = &said[place + 1..said.len().min(place + 4)];
        CONDITION.contains(word) && !after.iter().any(|next| NO_CONDITION.contains(next))
    };
    let is_empty = |place: usize| {
        reading.is(place, "empty")
            && place > 0
            && ["are", "is", "the", "all", "every", "any", "and", "空的"].contains(&said_at(reading, place - 1))
    };
    const EMPTIES: &[&str] = &["-empty", "-size 0", "rmdir", "truncate", ": >", "[ -s", "! -s"];
    // `older than a day or bigger than 1M`: a command with both tests asks for both.
    let either = said.iter().any(|word| matches!(*word, "or" | "或" | "或者" | "oder"));
    let bounds = ["-size", "-mtime", "-mmin", "-atime", "-newer", "-empty"];
    let tests = bounds.iter().map(|test| draft.command.matches(&format!(" {test}")).count()).sum::<usize>();
    either && tests > 1 && !draft.command.contains(" -o ")
        || (0..reading.words.len()).any(is_empty) && !EMPTIES.iter().any(|mark| draft.command.contains(mark))
        || excepts && !ALL_BUT.iter().any(|mark| draft.command.contains(mark)) && !spares_exception(reading, draft)
        || said.iter().enumerate().any(is_condition) && !TESTS.iter().any(|test| draft.command.contains(test))
}

/// Where the exception of a request begins.
pub fn exception(reading: &AnalyzedQuery<'_>) -> Option<usize> {
    const WORDS: &[&str] = &["except", "excluding", "besides", "but", "除了", "除"];
    // `but only the logs`, `but keep the order`: not what is left out.
    const GOES_ON: &[&str] = &["only", "also", "please", "just", "be", "do", "with", "in", "first", "then", "i", "it"];
    let low = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    const ALL: &[&str] = &["all", "everything", "every", "anything", "any", "each", "whole", "entire", "所有", "全部"];
    let takes_all = (0..reading.words.len()).any(|place| low(place).split(' ').any(|word| ALL.contains(&word)));
    // `the logs but *.txt`, and not `undo the commit but keep the changes`.
    let names = |place: usize| {
        let thing = |place: usize| reading.words.get(place).and_then(|word| word.thing.as_ref());
        let next = if matches!(low(place), "the" | "any" | "for") { place + 1 } else { place };
        matches!(thing(next), Some(Entity::Kind(_) | Entity::Glob(_) | Entity::Path(_)))
    };
    (0..reading.words.len()).find(|&place| match low(place) {
        "but" => (takes_all || names(place + 1)) && !GOES_ON.contains(&low(place + 1)),
        // `exception` may be what is sought: `lines with exception`.
        "exception" | "exceptions" => {
            matches!(low(place + 1), "of" | "are" | "is" | "in" | "being" | "for") || low(place + 1).ends_with(':')
        }
        word => {
            const STEMS: &[&str] = &["excep", "exclu", "omit", "exempt", "sparing", "spare"];
            let is_stem =
                |part: &str| STEMS.iter().any(|stem| part.starts_with(stem)) && !part.starts_with("exception");
            EXCEPT.contains(&word) || word.split(' ').any(|part| WORDS.contains(&part) || is_stem(part))
        }
    })
}

/// Whether a comparison is negated and the command has it the other way round: `not older than 30 days` as `-mtime +30`. Or whether a period of
/// the calendar became days back from now: `from last month` is no `-mtime -30`.
pub fn inverts_bound(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const NOT: &[&str] = &["not", "no", "isn't", "aren't", "never", "不", "没有"];
    const PERIODS: &[&str] = &[
        "this week",
        "last week",
        "this month",
        "last month",
        "this year",
        "last year",
        "上周",
        "上个月",
        "本周",
        "本月",
    ];
    let is_negated = |place: usize| place.checked_sub(1).is_some_and(|before| NOT.contains(&said_at(reading, before)));
    let bare = |mark: &str| {
        let mut places = draft.command.match_indices(mark).peekable();
        let is_not = |at: usize| draft.command[..at].ends_with("-not ") || draft.command[..at].ends_with("! ");
        places.peek().is_some() && places.all(|(at, _)| !is_not(at))
    };
    let inverted = (0..reading.words.len()).filter(|place| is_negated(*place)).any(|place| {
        let (newer, older) = (["-mtime -", "-mmin -", "-atime -", "-newer"], ["-mtime +", "-mmin +", "-atime +"]);
        reading.is(place, "older") && older.iter().any(|mark| bare(mark))
            || reading.is(place, "newer") && newer.iter().any(|mark| bare(mark))
            || reading.is(place, "larger") && bare("-size +")
            || reading.is(place, "smaller") && bare("-size -")
    });
    let text: Vec<&str> = reading.words.iter().map(|word| word.low.as_str()).collect();
    let text = text.join(" ");
    let is_period = PERIODS.iter().any(|period| text.contains(period)) && !text.contains("than");
    inverted || is_period && (draft.command.contains("-mtime -") || draft.command.contains("-mmin -"))
}

/// Whether a name that was typed in another way stands in a command over many files: `isn't a log` as `a.log`.
pub fn respells_name(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let is_of_many = draft.command.contains("find ") || draft.command.contains('*');
    let respells = |word: &QueryWord| match &word.thing {
        Some(Entity::Path(path)) => {
            let typed = word.text.trim_matches(['"', '\'', '/']).trim_start_matches("./").trim_start_matches("~/");
            let path = path.trim_end_matches('/');
            !path.ends_with(typed) && !typed.ends_with(path.trim_start_matches("./")) && draft.command.contains(path)
        }
        _ => false,
    };
    is_of_many && reading.words.iter().any(respells)
}

/// Whether the command leaves out each thing that the request excepts: a kind, a name, a pattern. A word of the exception that the command
/// does not leave out, or asks for, was not understood.
fn spares_exception(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const END: &[&str] = &["then", "and then", "然后", "afterwards"];
    let Some(marker) = exception(reading) else { return true };
    let left_out = find_expression::left_out(&draft.command, reading.place.dialect);
    let holds = |text: &str| {
        let bare = text.trim_matches(['*', '/', '"', '\'']).trim_start_matches("./").to_lowercase();
        !bare.is_empty() && left_out.iter().any(|pattern| pattern.to_lowercase().contains(&bare))
    };
    let here = reading.place.world.entries(reading.place.cwd).yes();
    let is_directory = |word: &QueryWord| {
        let mut entries = here.iter().flat_map(|entries| entries.iter());
        entries.any(|entry| *entry.name == *word.text.trim_end_matches('/') && entry.kind == FileKind::Directory)
    };
    // In Chinese the exception stands before what it is excepted from: `除了 src 都删掉`.
    let is_behind = |word: &QueryWord| word.text.chars().any(is_han);
    let excepted =
        reading.words.iter().enumerate().skip(marker + 1).take_while(|(_, word)| !END.contains(&word.low.as_str()));
    let mut spared = 0;
    for (place, word) in excepted {
        let is_kept = match &word.thing {
            // `except logs`, where there is a directory of this name.
            // A search that spares the name goes on below it.
            _ if is_directory(word) && draft.command.contains("find ") => {
                left_out.iter().any(|pattern| pattern.contains(&format!("/{}/", word.text.trim_end_matches('/'))))
            }
            Some(Entity::Kind(endings)) => endings.iter().any(|ending| holds(ending)),
            Some(Entity::Path(text) | Entity::Glob(text) | Entity::Text(text)) => holds(text),
            Some(_) => holds(&word.text),
            None if word.weight <= WEIGHS || is_behind(word) => continue,
            None if reading.is(place, "file") || reading.is(place, "directory") || reading.is(place, "here") => {
                continue;
            }
            None if reading.is(place, "hidden") => left_out.iter().any(|pattern| pattern.contains(".*")),
            // A word that is no name of anything is not understood.
            None if word.entry.is_none() => false,
            None => holds(&word.low) || holds(word.low.trim_end_matches('s')),
        };
        if !is_kept {
            return false;
        }
        spared += 1;
    }
    // What every change of many files leaves out is no exception of the request.
    let is_named = |pattern: &String| !matches!(pattern.as_str(), "*/.*" | ".*" | "*/.git/*");
    spared > 0 || left_out.iter().any(is_named) && reading.words.iter().any(is_behind)
}

/// Whether a word became a search text although nothing announces one: `appear` in `lines that appear in a and b`,
/// `functions` in `how many functions are in the code`. Names of log levels are searched for as they are.
pub fn searches_unannounced(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const LEVELS: &[&str] = &["error", "warn", "fail", "fatal", "critical", "debug", "info", "exception", "trace"];
    let is_plain = |place: usize| {
        let word = reading.words.get(place);
        word.is_some_and(|word| !is_typed(word) && word.text.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    let is_unannounced = |argument: &String| {
        let mut said = occurrences(reading, argument).peekable();
        let is_level = LEVELS.iter().any(|level| argument.starts_with(level));
        let is_word = |range: &Range<usize>| range.clone().all(is_plain) && !announces(reading, range);
        !is_level && said.peek().is_some() && said.all(|range| is_word(&range))
    };
    let searches = draft.rule == "text" && draft.command.contains("grep ");
    searches && arguments(&draft.command, reading.place.dialect).iter().any(is_unannounced)
}

/// Whether the request begins with a search and names its text next: `search for TODO in the python files`.
pub fn searches_as_said(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const SEARCH: &[&str] = &["search for", "search", "grep", "grep for", "look for", "for", "find"];
    let is_search = |place: usize| SEARCH.contains(&reading.words[place].low.as_str());
    let first = (0..reading.words.len().min(3)).rev().find(|place| is_search(*place));
    let text = first.and_then(|place| reading.words.get(place + 1)).map(|word| word.text.as_str());
    draft.command.starts_with("grep ") && text.is_some_and(|text| draft.command.contains(&format!("'{text}'")))
}

/// Whether the request asks for something of each directory and the command gives one result for all.
pub fn forgets_each(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const EACH: &[&str] = &["each", "every", "per"];
    const DIVIDES: &[&str] =
        &["uniq -c", "for ", "-exec", "*/", "/*", "-d 1", "depth", "xargs", "cut ", "awk", "-printf"];
    let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let is_each = |place: usize| EACH.contains(&at(place)) && reading.is(place + 1, "directory");
    (0..reading.words.len()).any(is_each) && !DIVIDES.iter().any(|mark| draft.command.contains(mark))
}

/// Whether the request asks for an order or for an extreme and the command neither sorts nor selects: `du -sh logs` for
/// `what takes the most space in logs`.
pub fn forgets_order(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const ORDERS: &[&str] = &["most", "largest", "smallest", "newest", "oldest", "sort", "least"];
    const SORTS: &[&str] =
        &["sort", "head", "tail", "ls -", "-size", "-mtime", "-mmin", "-newer", "awk", "uniq", "max"];
    reading.any(ORDERS).is_some() && !SORTS.iter().any(|sorts| draft.command.contains(sorts))
}

/// Whether the request is about a directory and the command about the whole machine: `df -h` for `disk usage of this
/// directory`.
pub fn forgets_scope(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const MACHINE: &[&str] = &["df", "free", "ps", "top", "uptime", "lsblk", "apt", "dpkg", "systemctl", "journalctl"];
    const HERE: &[&str] = &["this", "current", "that", "these"];
    let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let is_place = |place: usize| {
        let low = at(place);
        let is_phrase = HERE.iter().any(|here| low.starts_with(here)) && low.contains(' ');
        let is_directory = |word: &str| matches!(word, "directory" | "folder" | "dir");
        is_directory(low) && place > 0 && HERE.contains(&at(place - 1))
            || is_phrase && low.rsplit(' ').next().is_some_and(is_directory)
    };
    let line = line::parse(&draft.command, reading.place.dialect);
    let mut commands = line.commands.iter();
    commands.next().is_some_and(|first| match first.words.as_slice() {
        [name, arguments @ ..] => {
            MACHINE.contains(&name.value.as_str()) && arguments.iter().all(|word| word.value.starts_with('-'))
        }
        [] => false,
    }) && (0..reading.words.len()).any(is_place)
}

/// Whether a command reads something that does not exist: a word that was read as a directory (`sizes in megabytes`),
/// or a file that is to be created (`join a.txt and b.txt in all.txt`). What is moved and is no
/// everyday word is something that the user knows.
pub fn reads_missing(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const READERS: &[&str] = &["ls", "find", "du", "tree", "cat", "head", "tail", "wc", "sort", "stat", "file", "less"];
    // The last argument of these is the target.
    const MOVERS: &[&str] = &["mv", "cp"];
    let is_missing = |value: &str| {
        let mut said = reading.words.iter().filter(|word| word.text == value).peekable();
        let is_here = !value.starts_with(['/', '~']) && !value.contains(['*', '$']);
        let is_name = |word: &QueryWord| word.entry.is_none() && matches!(word.thing, None | Some(Entity::Path(_)));
        is_here && said.peek().is_some() && said.all(is_name)
    };
    let is_named =
        |value: &str| is_file_name(value) || reading.words.iter().all(|word| word.text != value || !word.is_spoken);
    let line = line::parse(&draft.command, reading.place.dialect);
    let is_known = reading.place.world.entries(reading.place.cwd).yes().is_some();
    is_known
        && line.commands.iter().any(|command| {
            let mut words = command.words.iter().map(|word| word.value.as_str());
            let name = words.next().unwrap_or_default();
            let moves = MOVERS.contains(&name);
            if moves {
                words.next_back();
            }
            (moves || READERS.contains(&name))
                && words
                    .take_while(|word| *word != "-exec" && !word.starts_with("-name"))
                    .any(|word| is_missing(word) && !(moves && is_named(word)))
        })
}
