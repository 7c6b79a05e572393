//! Confines a command that changes many files at once to what the request names: regular files, unless directories were named; nothing
//! hidden, under version control or on another file system, unless that was. Works on the finished command, whichever rule made it, and
//! drops one that cannot be confined. Leaves commands that only read, and files that are spelled out, as they are.

use std::ops::Range;

use aside_commands::world::FileKind;
use shell_line::{self as line, Join, Word};

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::authorize::omissions;
use crate::find_expression::{Branch, branches, is_changer};
use crate::read_only::is_read_only;
use crate::{ToolFlavor, TranslateContext};

/// Those that follow links, or take directories, when a shell pattern matches some.
const TAKES_ALL: &[&str] = &["rm", "mv", "chmod", "chown", "chgrp", "setfacl", "trash", "trash-put"];

/// What the request names besides regular files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named {
    directories: bool,
    files: bool,
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
            "不要",
            "别",
            "不是",
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
        // A directory that is excepted is none that is asked for.
        let exception = omissions::exception(reading).unwrap_or(usize::MAX);
        let is_object = |place: usize| {
            place < exception && reading.is(place, "directory") && !before(place, INSIDE, 3) && !before(place, NOT, 3)
        };
        let typed = |text: &str| reading.words.iter().any(|word| word.text.contains(text));
        Self {
            files: reading.has("file"),
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
    // `chmod every file in logs 644` may have become a change of the directory.
    let is_mode = named.files && ["chmod ", "chown ", "chgrp "].iter().any(|program| command.contains(program));
    let is_bulk = is_mode || command.contains("find ") || command.contains(['*', '?', '[']) || command.contains(" -R ");
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
                    command.get(run.span.end..next.span.start).is_some_and(|between| between.contains("| while"))
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

/// The command with `./` before each pattern, where the name of a file here begins with a dash and would be read as an option.
pub fn safe_patterns(command: &str, place: &TranslateContext<'_>) -> String {
    let is_option = || {
        let entries = place.world.entries(place.cwd).yes();
        entries.is_some_and(|entries| entries.iter().any(|entry| entry.name.starts_with('-')))
    };
    let mut safe = command.to_owned();
    if !command.contains(['*', '?', '[']) || !is_option() {
        return safe;
    }
    let line = line::parse(command, place.dialect);
    let words = line.commands.iter().flat_map(|run| run.words.iter().skip(1));
    let is_typed = |word: &Word| command.get(word.span.clone()) == Some(word.value.as_str());
    let is_pattern = |word: &&Word| !word.fixed && word.value.starts_with(['*', '?', '[']) && is_typed(word);
    let mut places: Vec<usize> = words.filter(is_pattern).map(|word| word.span.start).collect();
    places.sort_unstable();
    for place in places.into_iter().rev() {
        safe.insert_str(place, "./");
    }
    safe
}

/// What a confined command does, in a few words.
pub fn about(command: &str) -> String {
    const DOES: &[(&str, &str)] = &[
        ("-delete", "deletes"),
        ("rm ", "deletes"),
        ("mv ", "moves"),
        ("chmod ", "changes what may be done with"),
        ("chown ", "changes who owns"),
        ("gzip ", "compresses"),
        ("sed -i", "changes the text of"),
    ];
    let does = DOES.iter().find(|(mark, _)| command.contains(mark)).map_or("changes", |(_, does)| does);
    let what = match (command.contains("-type d"), command.contains("'*/.*'") || command.contains("-name '.*'")) {
        (true, true) => "the directories, nothing hidden",
        (true, false) => "the directories",
        (false, true) => "the files, no directories and nothing hidden",
        (false, false) => "the files, no directories",
    };
    format!("{does} {what}")
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
            // What is spared is spared in capitals, too.
            edits.extend(branch.spared.iter().map(|span| (span.clone(), "-iname".to_owned())));
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
        if is_said || excludes(".git") {
            return None;
        }
        let is_of_files = branch.kind.as_deref() == Some("f");
        match (is_flat, is_of_files) {
            (true, true) => None,
            (true, false) => Some(format!("{not} -name .git")),
            (false, true) => Some(format!("{not} -path '*/.git/*'")),
            (false, false) => Some(format!("{not} -path '*/.git/*' {not} -name .git")),
        }
    }
}

/// Whether a path or pattern names something hidden.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && part.len() > 1 && part != ".." && part != ".*")
}

fn is_repository(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, ".git" | ".hg" | ".svn"))
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
        // `chmod every file in logs 644`
        let is_of_files = || named.files && is_directory(&root.value, place);
        let is_mode = matches!(program, "chmod" | "chown" | "chgrp");
        let closes = program == "chmod" && is_deep && closes_directories(&mode.value) || is_mode && is_of_files();
        let closes = closes && !named.directories;
        let found = || {
            format!(
                "find {} -xdev -type f {not} -path '*/.*' -exec {program} {} {{}} +",
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

/// Whether a directory of this name is here.
fn is_directory(path: &str, place: &TranslateContext<'_>) -> bool {
    let name = path.trim_end_matches('/').trim_start_matches("./");
    let entries = place.world.entries(place.cwd).yes();
    name == "."
        || entries.is_some_and(|entries| {
            entries.iter().any(|entry| *entry.name == *name && entry.kind == FileKind::Directory)
        })
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
