//! What a request says and a command that changes something lacks, or has the other way round: a file to compare with, a directory that is
//! left out, a depth, a guard against overwriting, a kind or an age. Such a command is dropped. Works on the request as it was typed and on
//! the finished command, whichever rule made it.

mod names;
mod places;
#[cfg(test)]
mod tests;

use aside_commands::world::FileKind;
use shell_line::{self as line, Line, Word};

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::lexicon::is_han;

/// A request and a command for it.
struct Order<'a> {
    request: &'a str,
    /// The request in lowercase.
    low: String,
    words: Vec<Said>,
    command: &'a str,
    line: Line<'a>,
    /// Names here, and whether each is a directory.
    entries: Vec<(String, bool)>,
}

/// A word of the request, without the marks of the sentence.
struct Said {
    text: String,
    low: String,
    is_quoted: bool,
    /// A comma or the like behind it.
    is_last: bool,
}

/// Words by which what is below is not meant.
const SHALLOW: &[&str] = &[
    "not in sub",
    "not in any sub",
    "not in the subfolders",
    "not in the subdir",
    "not in its sub",
    "not the sub",
    "not sub",
    "without sub",
    "no sub",
    "not go ",
    "don't go ",
    "dont go ",
    "without going",
    "no going",
    "not going",
    "never go ",
    "not recurs",
    "non-recurs",
    "nonrecurs",
    "no recurs",
    "without recurs",
    "don't recurs",
    "dont recurs",
    "not descend",
    "don't descend",
    "without descend",
    "not below",
    "only here",
    "here only",
    "just here",
    "only in this ",
    "just in this ",
    "only from this ",
    "this folder only",
    "this directory only",
    "only this folder",
    "only this directory",
    "just this folder",
    "just this directory",
    "top level",
    "top-level",
    "toplevel",
    "not deeper",
    "no deeper",
    "touch sub",
    "touch the sub",
    "touch any sub",
    "leave sub",
    "leave the sub",
    "except sub",
    "except in sub",
    "except the sub",
    "excluding sub",
    "exclude sub",
    "ignore sub",
    "ignoring sub",
    "skip sub",
    "skipping sub",
    "not nested",
    "but sub",
    "not inside sub",
    "current directory only",
    "current folder only",
    "enter sub",
    "entering sub",
    "into sub",
    "不要进入",
    "不进入",
    "别进入",
    "不包括子",
    "不包含子",
    "不含子",
    "不递归",
    "不要递归",
    "别递归",
    "仅当前",
    "只在当前",
    "只删除当前",
    "不要子",
    "不要动子",
    "除了子",
];
const OVERWRITES: &[&str] = &[
    "overwrit",
    "clobber",
    "不要覆盖",
    "不覆盖",
    "别覆盖",
    "勿覆盖",
    "避免覆盖",
    "不要替换",
    "跳过已存在",
    "跳过已有",
];

/// Whether something of the request is missing in the command, or turned round.
pub fn drops(reading: &AnalyzedQuery<'_>, command: &str) -> bool {
    let order = Order::new(reading, command);
    order.loses_reference()
        || order.turns_exclusion()
        || order.loses_directory()
        || order.loses_depth()
        || order.overwrites()
        || order.deletes_emptied()
        || order.reads_names_elsewhere()
        || order.loses_parent()
        || order.moves_onto_one()
        || order.changes_only_here()
        || order.takes_article()
        || order.makes_pattern()
        || order.takes_star()
        || order.loses_kind()
        || order.loses_time()
        || order.loses_lines()
        || order.widens_rename()
        || order.packs_each()
        || order.runs_text()
}

/// The command with `-n` for each `cp` and `mv` of a request that forbids overwriting.
pub fn guarded(request: &str, command: &str, dialect: line::Dialect) -> String {
    let mut guarded = command.to_owned();
    if !forbids_overwriting(&request.to_lowercase().replace('’', "'")) {
        return guarded;
    }
    let line = line::parse(command, dialect);
    let mut ends = Vec::new();
    for run in &line.commands {
        for (at, word) in run.words.iter().enumerate() {
            let runs = at == 0 || matches!(run.words[at - 1].value.as_str(), "-exec" | "sudo" | "--" | "-0" | "xargs");
            let is_guarded = run.words[at..].iter().any(|word| matches!(word.value.as_str(), "-n" | "--no-clobber"));
            if runs && matches!(word.value.as_str(), "cp" | "mv") && !is_guarded {
                ends.push(word.span.end);
            }
        }
    }
    ends.sort_unstable();
    ends.into_iter().rev().for_each(|end| guarded.insert_str(end, " -n"));
    guarded
}

/// The request without the words at its end that forbid overwriting, for which `guarded` stands.
pub fn unguarded(request: &str) -> &str {
    const NOTS: &[&str] =
        &["without", "don't", "don’t", "dont", "do not", "no", "never", "not", "and don't", "but don't", "but do not"];
    const ACTS: &[&str] = &["overwriting", "overwrite", "replacing", "replace", "clobbering", "clobber"];
    const WHAT: &[&str] = &[
        "",
        " anything",
        " any",
        " existing",
        " existing files",
        " existing ones",
        " the existing files",
        " the existing ones",
        " any files",
        " files",
        " them",
        " what exists",
        " what is there",
        " any existing files",
    ];
    const OTHERS: &[&str] = &[
        "不要覆盖",
        "不覆盖",
        "别覆盖",
        "不要覆盖已有文件",
        "不要覆盖已有的文件",
        "skip existing",
        "skip existing ones",
        "skip existing files",
        "skip the ones that exist",
        "but skip the ones that exist",
        "but skip existing ones",
    ];
    let bare = request.trim_end_matches(['.', '!', ' ', '。', '！']);
    let cut = |end: &str| {
        let rest = bare.strip_suffix(end)?;
        let is_word = rest.ends_with([' ', ',', '，']) || end.chars().any(is_han);
        (is_word && !rest.trim().is_empty()).then(|| rest.trim_end_matches([' ', ',', '，', ';']))
    };
    if let Some(rest) = OTHERS.iter().rev().find_map(|end| cut(end)) {
        return rest;
    }
    let forms = NOTS
        .iter()
        .rev()
        .flat_map(|not| ACTS.iter().flat_map(move |act| WHAT.iter().map(move |what| format!("{not} {act}{what}"))));
    // A bare `replace` may be the order itself.
    let mut forms = forms.filter(|form| !form.ends_with("replace") && !form.ends_with("replacing"));
    forms.find_map(|form| cut(&form)).unwrap_or(request)
}

fn forbids_overwriting(low: &str) -> bool {
    const NOTS: &[&str] =
        &["without", "not", "don't", "dont", "no", "never", "avoid", "avoiding", "skip", "skipping", "unless", "keep"];
    let words: Vec<&str> = low
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let is_negated = |at: usize| words[at.saturating_sub(3)..at].iter().any(|word| NOTS.contains(word));
    let exists = |word: &str| matches!(word, "existing" | "exist" | "exists" | "present");
    let english = (0..words.len()).any(|at| {
        let word = words[at];
        let replaces = word.starts_with("replac") || word.starts_with("overrid");
        (OVERWRITES[..2].iter().any(|stem| word.starts_with(stem)) || replaces) && is_negated(at)
            || exists(word) && words[at.saturating_sub(6)..at].iter().any(|word| NOTS.contains(word))
    });
    english || OVERWRITES[2..].iter().any(|text| low.contains(text))
}

impl<'a> Order<'a> {
    fn new(reading: &'a AnalyzedQuery<'_>, command: &'a str) -> Self {
        let low = reading.request.to_lowercase().replace('’', "'");
        let words = reading.request.replace('’', "'").split_whitespace().map(Said::new).collect();
        let entries = reading.place.world.entries(reading.place.cwd).yes();
        let entries = entries.iter().flat_map(|entries| entries.iter());
        let entries = entries.map(|entry| (entry.name.to_string(), entry.kind == FileKind::Directory)).collect();
        Self {
            request: &reading.request,
            low,
            words,
            command,
            line: line::parse(command, reading.place.dialect),
            entries,
        }
    }

    /// The word at a place in lowercase, or nothing.
    fn at(&self, place: usize) -> &str {
        self.words.get(place).map_or("", |word| word.low.as_str())
    }

    fn says(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(&word.low.as_str()))
    }

    /// Whether the request has one of these runs of words or characters.
    fn has_text(&self, list: &[&str]) -> bool {
        list.iter().any(|text| self.low.contains(text))
    }

    /// Whether one of the words is among those before a place.
    fn is_behind(&self, place: usize, back: usize, list: &[&str]) -> bool {
        (place.saturating_sub(back)..place).any(|at| list.contains(&self.at(at)))
    }

    fn is_entry(&self, name: &str) -> bool {
        self.entries.iter().any(|(entry, _)| entry == name)
    }

    fn is_directory(&self, name: &str) -> bool {
        let name = name.trim_start_matches("./").trim_end_matches('/');
        let first = name.split('/').next().unwrap_or_default();
        self.entries
            .iter()
            .any(|(entry, is_directory)| *is_directory && (entry == name || name.contains('/') && entry == first))
    }

    fn is_chinese(&self) -> bool {
        self.low.chars().any(is_han)
    }

    /// Each word of the commands, with the one before it and the one before that.
    fn arguments(&self) -> impl Iterator<Item = (&str, &str, &Word)> {
        self.line.commands.iter().flat_map(|run| {
            run.words.iter().enumerate().skip(1).map(|(at, word)| {
                let before = run.words[at - 1].value.as_str();
                let second = at.checked_sub(2).map_or("", |at| run.words[at].value.as_str());
                (second, before, word)
            })
        })
    }

    fn runs(&self, names: &[&str]) -> bool {
        self.line.commands.iter().any(|run| {
            run.words.iter().enumerate().any(|(at, word)| {
                let runs = at == 0
                    || run.words[0].value == "xargs"
                    || matches!(run.words[at - 1].value.as_str(), "-exec" | "-execdir" | "sudo" | "doas" | "command");
                runs && names.contains(&word.value.as_str())
            })
        })
    }

    /// Whether the command takes many files: what a search finds, or what a pattern matches.
    fn is_many(&self) -> bool {
        let is_glob = |word: &Word| !word.fixed && word.value.contains(['*', '?', '[']);
        self.runs(&["find", "xargs"]) || self.line.commands.iter().any(|run| run.words.iter().any(is_glob))
    }

    /// `older than data.csv`: the file is the operand of a test, in the same direction.
    fn loses_reference(&self) -> bool {
        const THAN: &[&str] = &["than", "before", "after", "since", "als", "que", "чем", "as"];
        const SKIPPED: &[&str] = &["the", "my", "file", "when", "was", "is", "die", "der", "das", "le", "la", "el"];
        const OLDER: &[&str] =
            &["older", "before", "earlier", "old", "älter", "vieux", "anciens", "antiguos", "viejos", "старше"];
        let mut named: Vec<(&str, bool)> = Vec::new();
        for place in 0..self.words.len() {
            if !THAN.contains(&self.at(place)) {
                continue;
            }
            // `as old as a.txt`, and not `save as a.txt`
            if self.at(place) == "as" && !self.is_behind(place, 2, &["as"]) {
                continue;
            }
            let next = (place + 1..self.words.len()).find(|at| !SKIPPED.contains(&self.at(*at)));
            let Some(word) = next.and_then(|at| self.words.get(at)) else { continue };
            if self.is_file_name(&word.text) {
                let is_older = self.is_behind(place + 1, 4, OLDER);
                let is_turned =
                    self.is_behind(place, 4, &["not", "no", "isn't", "aren't", "wasn't", "weren't", "never"]);
                named.push((&word.text, is_older || is_turned));
            }
        }
        let chinese = self.chinese_references();
        named.iter().copied().chain(chinese.iter().map(|(name, older)| (name.as_str(), *older))).any(|(name, older)| {
            let name = name.trim_start_matches("./");
            !self.arguments().any(|(second, before, word)| {
                let is_turned = matches!(second, "-not" | "!");
                let tests = before.contains("newer") || before == if older { "-ot" } else { "-nt" };
                tests && (before == "-ot" || is_turned == older) && word.value.trim_start_matches("./") == name
            })
        })
    }

    fn is_file_name(&self, text: &str) -> bool {
        let is_number = text.chars().all(|letter| letter.is_ascii_digit() || ".,:-/".contains(letter));
        let is_spelled = text.split_once('.').is_some_and(|(stem, ending)| {
            stem.ends_with(char::is_alphanumeric) && ending.starts_with(char::is_alphanumeric)
        });
        !is_number
            && (is_spelled && !text.starts_with(|letter: char| letter.is_ascii_digit())
                || text.contains('/')
                || self.is_entry(text))
    }

    /// `比data.csv旧`, `在a.txt之前`: names, and whether older files are meant.
    fn chinese_references(&self) -> Vec<(String, bool)> {
        const OLDER: &[&str] = &["旧", "老", "早", "之前", "以前", "前"];
        const NEWER: &[&str] = &["新", "晚", "之后", "以后", "后", "年轻"];
        let mut found = Vec::new();
        if !self.is_chinese() {
            return found;
        }
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
        for (at, _) in self.low.match_indices(|letter: char| letter.is_ascii_alphanumeric()) {
            let before = self.low[..at].trim_end_matches([' ', '“', '"', '\'', '「']);
            if self.low[..at].chars().next_back().is_some_and(is_part) {
                continue;
            }
            let name: String = self.low[at..].chars().take_while(|letter| is_part(*letter)).collect();
            let name = self.words_spelling(&name);
            let rest = self.low[at + name.len()..]
                .trim_start_matches([' ', '”', '"', '\'', '」', '文', '件', '还', '更', '要']);
            let compared = before.ends_with(['比', '于']);
            let is_timed = |list: &[&str]| list.iter().any(|word| rest.starts_with(word));
            let times = ["之前", "以前", "之后", "以后"];
            if self.is_file_name(&name) && (compared || is_timed(&times)) {
                found.push((name, is_timed(OLDER) || !is_timed(NEWER)));
            }
        }
        found
    }

    /// A lowercase name of the request as it was typed.
    fn words_spelling(&self, low: &str) -> String {
        let spelled =
            |word: &Said| word.low.find(low).and_then(|at| word.text.get(at..at + low.len())).map(str::to_owned);
        self.words.iter().find_map(spelled).unwrap_or_else(|| low.to_owned())
    }

    /// `not in subfolders`: a search stops here.
    fn loses_depth(&self) -> bool {
        // `move all files into subfolders` is a target.
        let targets =
            self.low.contains("into sub") && !self.has_text(&["not", "don't", "dont", "without", "no ", "never"]);
        if !self.has_text(SHALLOW) || targets {
            return false;
        }
        let searches = self.line.commands.iter().any(|run| {
            let is_find = run.words.first().is_some_and(|word| word.value == "find");
            is_find && !run.words.iter().any(|word| word.value == "-maxdepth")
        });
        let descends = self
            .arguments()
            .any(|(_, _, word)| word.value == "-R" || word.value == "--recursive" || word.value.contains("**"));
        searches || descends
    }

    /// `without overwriting`: each copy and move keeps what exists.
    fn overwrites(&self) -> bool {
        if !forbids_overwriting(&self.low) || !self.runs(&["cp", "mv", "rsync", "install", "ln"]) {
            return false;
        }
        self.line.commands.iter().any(|run| {
            run.words.iter().enumerate().any(|(at, word)| {
                let runs = at == 0
                    || run.words[0].value == "xargs"
                    || matches!(run.words[at - 1].value.as_str(), "-exec" | "-execdir" | "sudo");
                let rest = &run.words[at..];
                let keeps = |flags: &[&str]| rest.iter().any(|word| flags.contains(&word.value.as_str()));
                runs && match word.value.as_str() {
                    "cp" | "mv" => !keeps(&["-n", "--no-clobber"]),
                    "rsync" => !keeps(&["--ignore-existing"]),
                    "install" => true,
                    "ln" => keeps(&["-f", "-sf", "-fs", "-sfn"]),
                    _ => false,
                }
            })
        })
    }

    /// `empty all txt files` leaves the files.
    fn deletes_emptied(&self) -> bool {
        const DELETERS: &[&str] = &["rm", "unlink", "shred", "trash", "trash-put", "rmdir"];
        let deletes = self.runs(DELETERS) || self.arguments().any(|(_, _, word)| word.value == "-delete");
        let says_delete = self.says(&["delete", "remove", "rm", "erase"]);
        let empties = |place: usize| {
            let opens = place == 0
                || ["please", "and", "to", "you", "then", "just", "now"].contains(&self.at(place - 1))
                || self.words[place - 1].is_last;
            self.at(place) == "empty" && opens && !says_delete && self.is_of_files(place + 1)
        };
        let contents = |place: usize| {
            let is_content = ["contents", "content"].contains(&self.at(place));
            is_content && self.at(place + 1) == "of" && self.is_of_files(place + 2)
        };
        let english = (0..self.words.len()).any(|place| empties(place) || contents(place));
        let of_directory = self.has_text(&["目录", "文件夹", "回收站", "缓存", "垃圾"])
            || self.entries.iter().any(|(name, is)| *is && self.low.contains(&format!("清空{}", name.to_lowercase())));
        let chinese = self.low.contains("清空") && (self.low.contains("文件内容") || !of_directory);
        // `rmdir docs` is no answer to `delete the empty files in docs`.
        let empty_files =
            self.has_text(&["empty file", "空文件"]) && !self.has_text(&["空文件夹", "empty fold", "empty dir"]);
        deletes && (english || chinese) || empty_files && self.runs(&["rmdir"])
    }

    /// Whether the phrase at a place is about files, and no directory.
    fn is_of_files(&self, place: usize) -> bool {
        const ENDS: &[&str] =
            &["in", "under", "inside", "within", "except", "but", "from", "older", "that", "which", "larger", "bigger"];
        const DIRECTORIES: &[&str] = &[
            "directory",
            "directories",
            "folder",
            "folders",
            "dir",
            "dirs",
            "trash",
            "bin",
            "cache",
            "this",
            "subfolder",
            "subfolders",
            "subdirectory",
            "subdirectories",
            "downloads",
            "here",
        ];
        let phrase: Vec<&str> =
            (place..self.words.len()).map(|at| self.at(at)).take_while(|word| !ENDS.contains(word)).collect();
        let is_each = phrase.iter().any(|word| ["all", "every", "each"].contains(word));
        let is_place = phrase.iter().any(|word| DIRECTORIES.contains(word) || !is_each && self.is_directory(word));
        !phrase.is_empty() && !is_place
    }

    /// Code in the request is text, and is not run.
    fn runs_text(&self) -> bool {
        let is_code = |word: &Word| !word.fixed && word.value.contains(['`', '$']);
        self.arguments().filter(|(_, _, word)| is_code(word)).any(|(_, _, word)| {
            let low = word.value.to_lowercase();
            self.words.iter().any(|said| {
                let code = said.low.find("$(").or(said.low.find('`')).map(|at| &said.low[at..]);
                code.is_some_and(|code| code.len() > 2 && low.contains(code.trim_end_matches(['"', '\''])))
            })
        })
    }
}

impl Said {
    fn new(raw: &str) -> Self {
        const QUOTES: &[char] = &['"', '\'', '`', '“', '”', '‘', '„', '«', '»'];
        let bare = raw.trim_end_matches([',', '!', '?', ';', ':', '.', ')', '，', '。', '、']);
        let text = bare.trim_start_matches('(').trim_matches(QUOTES);
        let text = if text.is_empty() { bare } else { text };
        Self {
            text: text.to_owned(),
            low: text.to_lowercase(),
            is_quoted: raw.contains(QUOTES) && raw.trim_matches(|letter| letter != '\'').len() != 1,
            is_last: raw.ends_with([',', ';', '.', ':']),
        }
    }
}
