//! Confines a command that changes many files at once to what the request names: regular files, unless directories were named; nothing
//! hidden, under version control or on another file system, unless that was. Works on the finished command, whichever rule made it, and
//! drops one that cannot be confined. Leaves commands that only read, and files that are spelled out, as they are.

use std::ops::Range;

use aside_commands::world::FileKind;
use shell_line::{self as line, Dialect, Join, Word};

use crate::embedded::analysis::AnalyzedQuery;
use crate::read_only::is_read_only;
use crate::{ToolFlavor, TranslateContext};

/// Programs that change or remove what they are given.
const CHANGES: &[&str] = &[
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "trash",
    "trash-put",
    "mv",
    "chmod",
    "chown",
    "chgrp",
    "setfacl",
    "truncate",
    "gzip",
    "gunzip",
    "bzip2",
    "xz",
    "zstd",
    "dos2unix",
    "unix2dos",
    "sed",
    "perl",
    "rename",
];
/// Those after which a file is no longer where it was.
const REMOVES: &[&str] = &["rm", "rmdir", "unlink", "shred", "trash", "trash-put", "mv"];
/// Those that follow links, or take directories, when a shell pattern matches some.
const TAKES_ALL: &[&str] = &["rm", "mv", "chmod", "chown", "chgrp", "setfacl", "trash", "trash-put"];
/// Programs that only add files elsewhere.
const ADDS: &[&str] = &["cp", "tar", "zip", "rsync", "install", "ln", "mkdir"];
/// Tests by which a directory is old or large although what is in it is not.
const OWN_FACTS: &[&str] = &["-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-used"];
const NAME_TESTS: &[&str] = &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];
const WITHOUT_VALUE: &[&str] = &[
    "-empty",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-delete",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-depth",
    "-xdev",
    "-mount",
    "-true",
    "-false",
    "-ls",
    "-daystart",
    "-follow",
    "-o",
    "-or",
    "-a",
    "-and",
    "-not",
    "!",
    "(",
    ")",
];

/// What the request names besides regular files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named {
    directories: bool,
    hidden: bool,
    repository: bool,
    mounted: bool,
}

impl Named {
    pub fn of(reading: &AnalyzedQuery<'_>) -> Self {
        const HIDDEN: &[&str] = &["hidden", "dotfile", "dotfiles", "dot", "隐藏", "隐藏的", "隐藏文件"];
        const MOUNTED: &[&str] = &["mount", "mounts", "mounted", "filesystem", "filesystems", "挂载"];
        const NOT: &[&str] = &[
            "not",
            "no",
            "except",
            "excluding",
            "without",
            "skip",
            "skipping",
            "ignore",
            "ignoring",
            "but",
            "never",
            "don't",
            "不",
            "除了",
        ];
        const INSIDE: &[&str] =
            &["in", "under", "inside", "within", "from", "of", "into", "to", "including", "this", "current"];
        let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
        let before = |place: usize, list: &[&str], back: usize| {
            (place.saturating_sub(back)..place)
                .any(|place| list.contains(&at(place)) || at(place).split(' ').any(|word| list.contains(&word)))
        };
        let any =
            |list: &[&str]| (0..reading.words.len()).any(|place| list.contains(&at(place)) && !before(place, NOT, 3));
        let is_object = |place: usize| reading.is(place, "directory") && !before(place, INSIDE, 3);
        let typed = |text: &str| reading.words.iter().any(|word| word.text.contains(text));
        Self {
            directories: (0..reading.words.len()).any(is_object),
            hidden: any(HIDDEN)
                || (0..reading.words.len()).any(|place| reading.is(place, "hidden") && !before(place, NOT, 3)),
            repository: typed(".git") || typed(".hg") || typed(".svn"),
            mounted: any(MOUNTED),
        }
    }
}

/// The command, confined to what the request names; `None` where it cannot be.
pub fn confined(command: &str, named: Named, place: &TranslateContext<'_>) -> Option<String> {
    let is_bulk = command.contains("find ") || command.contains(['*', '?', '[']) || command.contains(" -R ");
    if !is_bulk || is_read_only(command, place.dialect) {
        return Some(command.to_owned());
    }
    let line = line::parse(command, place.dialect);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (number, run) in line.commands.iter().enumerate() {
        let wrappers =
            run.words.iter().take_while(|word| matches!(word.value.as_str(), "sudo" | "doas" | "command")).count();
        let Some((name, arguments)) = run.words.get(wrappers..).and_then(<[Word]>::split_first) else { continue };
        if name.value == "find" {
            // What reads the names that it prints may change the files.
            let piped = line.commands[number + 1..]
                .iter()
                .take_while(|next| matches!(next.join, Join::Pipe) || next.inside.is_some());
            let is_fed = piped.clone().any(|next| next.words.iter().any(|word| is_changer(&word.value)))
                || run.inside.is_some()
                    && line
                        .commands
                        .iter()
                        .any(|other| other.words.first().is_some_and(|word| is_changer(&word.value)))
                || line.commands[number + 1..].iter().any(|next| {
                    // The body of `… | while read f; do …`
                    command[run.span.end..next.span.start].contains("| while")
                        && next.words.first().is_some_and(|word| is_changer(&word.value))
                });
            Search { command, arguments, named, place, is_fed }.confine(&mut edits)?;
        } else if TAKES_ALL.contains(&name.value.as_str()) {
            edits.extend(patterns(command, name, arguments, named, place)?);
        }
    }
    let mut confined = command.to_owned();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    for (span, text) in edits.into_iter().rev() {
        confined.replace_range(span, &text);
    }
    Some(confined)
}

/// What a command leaves out: the patterns of negated tests, of `grep -v`, of `--exclude`.
pub fn left_out(command: &str, dialect: Dialect) -> Vec<String> {
    let mut all = Vec::new();
    for run in &line::parse(command, dialect).commands {
        let Some((name, arguments)) = run.words.split_first() else { continue };
        if name.value == "find" {
            all.extend(branches(arguments, dialect).into_iter().flat_map(|branch| branch.left_out));
        }
        let is_inverted =
            |word: &Word| word.value.starts_with('-') && !word.value.starts_with("--") && word.value.contains('v');
        if name.value.ends_with("grep") && arguments.iter().any(is_inverted) {
            all.extend(arguments.iter().filter(|word| !word.value.starts_with('-')).map(|word| word.value.clone()));
        }
        let negations = ["--exclude", ":!", ":^", ":(exclude)", "!(", "[^", "[!"];
        if let Some(at) = arguments.iter().position(|word| name.value == "zip" && word.value == "-x") {
            all.extend(arguments[at + 1..].iter().map(|word| word.value.clone()));
        }
        let is_negated = |word: &&Word| negations.iter().any(|mark| word.value.contains(mark));
        all.extend(arguments.iter().filter(is_negated).map(|word| word.value.clone()));
    }
    all
}

fn is_changer(word: &str) -> bool {
    CHANGES.contains(&word.rsplit('/').next().unwrap_or(word))
}

/// A run of `find`.
struct Search<'a> {
    command: &'a str,
    /// All words behind the name.
    arguments: &'a [Word],
    named: Named,
    place: &'a TranslateContext<'a>,
    /// Something that changes files reads what it prints.
    is_fed: bool,
}

/// One alternative of the expression: what stands between two `-o` of the top level.
#[derive(Default)]
struct Branch {
    /// Where its first test begins.
    start: usize,
    kind: Option<String>,
    /// Where the test of the type ends.
    kind_end: Option<usize>,
    /// Its names are matched; the patterns, negated ones too.
    names: Vec<(String, bool)>,
    /// The patterns and values of all negated tests.
    left_out: Vec<String>,
    is_by_own_fact: bool,
    is_empty_test: bool,
    changes: bool,
    removes: bool,
    prints: bool,
    prunes: bool,
    has_action: bool,
    /// Where a flag against overwriting belongs: behind a `mv` without one.
    overwrites: Option<usize>,
    /// `-prune -exec rm -r {} +`
    removal: Option<Range<usize>>,
}

impl Search<'_> {
    fn confine(&self, edits: &mut Vec<(Range<usize>, String)>) -> Option<()> {
        let options =
            self.arguments.iter().take_while(|word| matches!(word.value.as_str(), "-H" | "-L" | "-P")).count();
        let follows = self.arguments.iter().any(|word| matches!(word.value.as_str(), "-L" | "-follow"));
        let is_root = |word: &&Word| !word.value.starts_with('-') && !matches!(word.value.as_str(), "(" | "!");
        let roots: Vec<&Word> = self.arguments[options..].iter().take_while(is_root).collect();
        let tests = &self.arguments[options + roots.len()..];
        let branches = branches(tests, self.place.dialect);
        let changes = |branch: &Branch| branch.changes || self.is_fed && (branch.prints || !branch.has_action);
        if !branches.iter().any(changes) {
            return Some(());
        }
        if follows {
            return None;
        }
        let is_flat = tests.windows(2).any(|pair| pair[0].value == "-maxdepth" && pair[1].value == "1");
        if !is_flat
            && !self.named.mounted
            && !tests.iter().any(|word| matches!(word.value.as_str(), "-xdev" | "-mount"))
        {
            let at = roots
                .last()
                .or(self.arguments[..options].last().as_ref())
                .map_or_else(|| tests.first().map(|word| word.span.start), |word| Some(word.span.end))?;
            edits.push((at..at, " -xdev".to_owned()));
        }
        let hidden_root = roots.iter().any(|root| is_hidden(&root.value));
        let git_root = roots.iter().any(|root| is_repository(&root.value));
        for branch in branches.iter().filter(|branch| changes(branch)) {
            let is_of_directories = branch.kind.as_deref().is_some_and(|kind| kind.contains('d'));
            let has_name = branch.names.iter().any(|(_, negated)| !negated);
            let spares_directories = match &branch.kind {
                Some(_) => !is_of_directories,
                None => !(self.named.directories && (has_name || branch.is_empty_test)),
            };
            if !spares_directories
                && (branch.is_by_own_fact || !has_name && !branch.is_empty_test && (branch.removes || self.is_fed))
            {
                return None;
            }
            let mut added = String::new();
            if branch.kind.is_none() && spares_directories {
                added.push_str("-type f ");
                if let Some(span) = branch.removal.clone() {
                    edits.push((span, "-delete".to_owned()));
                }
            }
            if let Some(spared) = self.spare_hidden(branch, hidden_root, git_root, is_flat, edits) {
                match branch.kind_end {
                    Some(end) => edits.push((end..end, format!(" {spared}"))),
                    None => added.push_str(&format!("{spared} ")),
                }
            }
            if let Some(end) = branch.overwrites {
                edits.push((end..end, " -n".to_owned()));
            }
            if !added.is_empty() {
                edits.push((branch.start..branch.start, added));
            }
        }
        Some(())
    }

    /// The test that excludes what is hidden, or at least repositories, unless the request or the command names them.
    fn spare_hidden(
        &self,
        branch: &Branch,
        hidden_root: bool,
        git_root: bool,
        is_flat: bool,
        edits: &mut Vec<(Range<usize>, String)>,
    ) -> Option<String> {
        let not = if self.place.system == ToolFlavor::Busybox { "!" } else { "-not" };
        let excludes = |pattern: &str| branch.names.iter().any(|(name, negated)| *negated && name == pattern);
        let named = |test: fn(&str) -> bool| branch.names.iter().any(|(name, negated)| !negated && test(name));
        if excludes("*/.*") || is_flat && excludes(".*") {
            return None;
        }
        if !self.named.hidden && !hidden_root && !named(is_hidden) {
            let narrower = format!("{not} -path '*/.git/*' ");
            if let Some(at) = self.command.get(branch.start..).and_then(|rest| rest.find(&narrower)) {
                edits.push((branch.start + at..branch.start + at + narrower.len(), String::new()));
            }
            return Some(if is_flat { format!("{not} -name '.*'") } else { format!("{not} -path '*/.*'") });
        }
        let is_said = self.named.repository || git_root || named(is_repository) || excludes("*/.git/*");
        (!is_said && !is_flat).then(|| format!("{not} -path '*/.git/*'"))
    }
}

/// Whether a path or pattern names something hidden.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && part.len() > 1 && part != ".." && part != ".*")
}

fn is_repository(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, ".git" | ".hg" | ".svn"))
}

fn branches(tests: &[Word], dialect: Dialect) -> Vec<Branch> {
    let mut all = Vec::new();
    let mut branch = Branch::default();
    let (mut at, mut depth, mut negated) = (0, 0_usize, false);
    // Whether each open parenthesis is negated.
    let mut open: Vec<bool> = Vec::new();
    let mut is_begun = false;
    while let Some(word) = tests.get(at) {
        let name = word.value.as_str();
        let value = tests.get(at + 1).map_or("", |word| word.value.as_str());
        if !is_begun && !matches!(name, "-mindepth" | "-maxdepth" | "-xdev" | "-mount" | "-depth") {
            branch.start = word.span.start;
            is_begun = true;
        }
        let is_not = negated != open.iter().fold(false, |all, one| all != *one);
        let mut taken = if WITHOUT_VALUE.contains(&name) { 1 } else { 2 };
        let keeps_negation = matches!(name, "-not" | "!");
        match name {
            "-not" | "!" => negated = !negated,
            "(" => {
                open.push(negated);
                depth += 1;
            }
            ")" => {
                open.pop();
                depth = depth.saturating_sub(1);
            }
            "-o" | "-or" if depth == 0 => {
                all.push(std::mem::take(&mut branch));
                is_begun = false;
            }
            _ if is_not
                && taken == 2
                && name.starts_with('-')
                && !name.starts_with("-exec")
                && !name.starts_with("-ok") =>
            {
                branch.left_out.push(value.to_owned());
                if NAME_TESTS.contains(&name) {
                    branch.names.push((value.to_owned(), true));
                }
                branch.is_by_own_fact |= OWN_FACTS.contains(&name) || name.starts_with("-newer");
            }
            "-type" | "-xtype" => {
                branch.kind = Some(value.to_owned());
                branch.kind_end = tests.get(at + 1).map(|word| word.span.end);
            }
            "-empty" => branch.is_empty_test |= !is_not,
            "-delete" => (branch.changes, branch.removes, branch.has_action) = (true, true, true),
            "-print" | "-print0" | "-printf" | "-ls" => (branch.prints, branch.has_action) = (true, true),
            "-prune" => (branch.prunes, branch.has_action) = (true, true),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &tests[at + 1..];
                let length =
                    rest.iter().position(|word| matches!(word.value.as_str(), ";" | "+")).unwrap_or(rest.len());
                taken = length + 2;
                let inner: Vec<&str> = rest[..length].iter().map(|word| word.value.as_str()).collect();
                let program = inner.iter().find(|word| !matches!(**word, "sudo" | "doas" | "env" | "command"));
                let program = program.map_or("", |word| word.rsplit('/').next().unwrap_or(word));
                let spelled = inner.join(" ");
                if !ADDS.contains(&program) && !is_read_only(&spelled, dialect) {
                    branch.changes = true;
                    // A script may do anything.
                    branch.removes |= REMOVES.contains(&program) || !CHANGES.contains(&program);
                    let flags = inner.get(1).copied().unwrap_or_default();
                    let keeps = inner
                        .iter()
                        .any(|word| matches!(*word, "-n" | "-i" | "-f" | "-b" | "--no-clobber" | "--backup"));
                    let moves = rest[..length].iter().find(|word| word.value == "mv").filter(|_| !keeps);
                    branch.overwrites = moves.map(|word| word.span.end).or(branch.overwrites);
                    let previous = at.checked_sub(1).and_then(|at| tests.get(at)).filter(|word| word.value == "-prune");
                    if program == "rm" && flags.starts_with('-') && flags.contains(['r', 'R']) {
                        let end = rest.get(length).map_or(word.span.end, |word| word.span.end);
                        branch.removal = Some(previous.map_or(word.span.start, |word| word.span.start)..end);
                    }
                    branch.has_action = true;
                }
            }
            _ if NAME_TESTS.contains(&name) => branch.names.push((value.to_owned(), false)),
            _ if OWN_FACTS.contains(&name) || name.starts_with("-newer") => branch.is_by_own_fact = true,
            _ => {}
        }
        if !keeps_negation {
            negated = false;
        }
        at += taken;
    }
    if !is_begun {
        branch.start = tests.last().map_or(0, |word| word.span.end);
    }
    all.push(branch);
    all
}

/// A program that changes what a shell pattern matches, or a directory and all below it. A pattern also matches directories and links, so
/// it becomes a search for regular files where that matters.
fn patterns(
    command: &str,
    name: &Word,
    arguments: &[Word],
    named: Named,
    place: &TranslateContext<'_>,
) -> Option<Vec<(Range<usize>, String)>> {
    let program = name.value.as_str();
    let is_flag = |word: &&Word| word.value.starts_with('-') && word.value.len() > 1 && word.fixed;
    let (flags, operands): (Vec<&Word>, Vec<&Word>) = arguments.iter().partition(is_flag);
    let is_deep = flags
        .iter()
        .any(|word| !word.value.starts_with("--") && word.value.contains(['r', 'R']) || word.value == "--recursive");
    let is_pattern =
        |word: &&&Word| !word.fixed && word.value.contains(['*', '?', '[']) && !word.value.contains(['$', '`', '{']);
    let globs: Vec<&Word> = operands.iter().filter(is_pattern).copied().collect();
    let end = arguments.last().map_or(name.span.end, |word| word.span.end);
    let is_busybox = place.system == ToolFlavor::Busybox;
    let not = if is_busybox { "!" } else { "-not" };
    if globs.is_empty() {
        // `chmod -R 644 docs` would close the directories.
        let [mode, root] = operands.as_slice() else { return Some(Vec::new()) };
        let closes = program == "chmod" && is_deep && closes_directories(&mode.value) && !named.directories;
        let found = || {
            format!(
                "find {} -xdev -type f {not} -path '*/.*' -exec chmod {} {{}} +",
                command.get(root.span.clone()).unwrap_or_default(),
                mode.value
            )
        };
        return Some(if closes { vec![(name.span.start..end, found())] } else { Vec::new() });
    }
    let first_operand = match program {
        "chmod" | "chown" | "chgrp" => 1,
        _ => 0,
    };
    let moves = program == "mv";
    let last = operands.len() - usize::from(moves);
    let sources = operands.get(first_operand..last)?;
    let is_plain_removal = program == "rm" && !is_deep && globs.iter().all(|glob| !is_everything(&glob.value));
    let is_safe_move = moves && globs.iter().all(|glob| matches_only_files(glob, place));
    if is_plain_removal {
        return Some(Vec::new());
    }
    if is_safe_move {
        let quiet = flags.iter().any(|flag| matches!(flag.value.as_str(), "-n" | "-i" | "-f" | "-b"));
        return Some(if quiet { Vec::new() } else { vec![(name.span.end..name.span.end, " -n".to_owned())] });
    }
    let [glob] = globs.as_slice() else { return None };
    if sources.len() != 1 || named.directories && is_deep {
        return (named.directories && is_deep && !is_everything(&glob.value)).then(Vec::new);
    }
    let (root, pattern) = glob.value.rsplit_once('/').unwrap_or((".", &glob.value));
    if root.contains(['*', '?', '[']) || root.starts_with('~') && !command.contains(root) {
        return None;
    }
    let root = if root.is_empty() { "/" } else { root };
    let is_hidden = pattern.starts_with('.');
    let hidden = if is_hidden { String::new() } else { format!(" {not} -name '.*'") };
    let pattern =
        if pattern == "*" { String::new() } else { format!(" -name {}", crate::embedded::slots::single(pattern)) };
    let depth = if is_deep { " -xdev" } else { " -maxdepth 1" };
    let hidden = if is_deep { format!(" {not} -path '*/.*'") } else { hidden };
    let found = format!("find {root}{depth} -type f{hidden}{pattern}");
    let spelled = |words: &[&Word]| {
        words.iter().map(|word| command.get(word.span.clone()).unwrap_or_default()).collect::<Vec<_>>().join(" ")
    };
    let kept: Vec<&Word> = flags.iter().filter(|flag| !flag.value.contains(['r', 'R'])).copied().collect();
    let mut act = vec![program.to_owned()];
    if !kept.is_empty() {
        act.push(spelled(&kept));
    }
    if first_operand > 0 {
        act.push(spelled(&operands[..first_operand]));
    }
    let action = match program {
        "rm" => "-delete".to_owned(),
        "mv" => {
            let goal = spelled(&operands[last..]);
            match place.system {
                ToolFlavor::Gnu => format!("-exec mv -n -t {} {{}} +", goal.trim_end_matches('/')),
                ToolFlavor::Bsd | ToolFlavor::Busybox => {
                    format!("-exec mv -n {{}} {}/ \\;", goal.trim_end_matches('/'))
                }
            }
        }
        _ => format!("-exec {} {{}} +", act.join(" ")),
    };
    Some(vec![(name.span.start..end, format!("{found} {action}"))])
}

/// Whether this mode of chmod takes away what opens a directory.
fn closes_directories(mode: &str) -> bool {
    let digits = mode.bytes().all(|byte| byte.is_ascii_digit());
    let is_closed = |digit: u8| (digit - b'0') & 1 == 0 && digit != b'0';
    digits && mode.bytes().rev().take(3).any(is_closed)
        || mode.contains("-x")
        || mode.contains('=') && !mode.contains(['x', 'X'])
}

/// Whether a pattern matches every name.
fn is_everything(glob: &str) -> bool {
    matches!(glob.rsplit('/').next(), Some("*" | "**" | "*.*"))
}

/// Whether it is known that the pattern matches no directory.
fn matches_only_files(glob: &Word, place: &TranslateContext<'_>) -> bool {
    if glob.value.contains('/') || is_everything(&glob.value) {
        return false;
    }
    let Some(entries) = place.world.entries(place.cwd).yes() else { return false };
    let is_other = |kind: FileKind| matches!(kind, FileKind::Directory | FileKind::Other);
    !entries.iter().any(|entry| is_other(entry.kind) && matches_glob(&glob.value, &entry.name))
}

/// `*` and `?` only; any other pattern counts as a match.
fn matches_glob(glob: &str, name: &str) -> bool {
    if glob.contains('[') {
        return true;
    }
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut at, mut place, mut star) = (0, 0, None);
    while place < name.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[place] => {
                at += 1;
                place += 1;
            }
            _ => match star {
                Some((stood, tried)) => {
                    (at, place) = (stood + 1, tried + 1);
                    star = Some((stood, tried + 1));
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|letter| *letter == '*')
}
