//! Reads the expression of `find`: what it matches, what it does with it, and what a command leaves out. Decides nothing.

use std::ops::Range;

use shell_line::{self as line, Dialect, Word};

use crate::read_only::is_read_only;

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

/// One alternative of the expression: what stands between two `-o` of the top level.
#[derive(Default)]
pub struct Branch {
    /// Where its first test begins.
    pub start: usize,
    pub kind: Option<String>,
    /// Where the test of the type ends.
    pub kind_end: Option<usize>,
    /// Its names are matched; the patterns, negated ones too.
    pub names: Vec<(String, bool)>,
    /// Negated tests `-name` of a pattern with letters.
    pub spared: Vec<Range<usize>>,
    /// The patterns and values of all negated tests.
    pub left_out: Vec<String>,
    pub is_by_own_fact: bool,
    pub is_empty_test: bool,
    pub changes: bool,
    pub removes: bool,
    pub prints: bool,
    pub has_action: bool,
    /// Where a flag against overwriting belongs: behind a `mv` without one.
    pub overwrites: Option<usize>,
    /// `-prune -exec rm -r {} +`
    pub removal: Option<Range<usize>>,
}

/// The alternatives of an expression, which begins behind the roots.
pub fn branches(tests: &[Word], dialect: Dialect) -> Vec<Branch> {
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
        let mut taken = if WITHOUT_VALUE.contains(&name) || !name.starts_with('-') { 1 } else { 2 };
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
                // No name has a slash, so that this leaves out nothing.
                if !(name.ends_with("name") && !name.contains("whole") && value.contains('/')) {
                    branch.left_out.push(value.to_owned());
                }
                if name == "-name" && value.bytes().any(|byte| byte.is_ascii_alphabetic()) {
                    branch.spared.push(word.span.clone());
                }
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
            "-prune" => branch.has_action = true,
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

/// What a command leaves out: the patterns of negated tests, of `grep -v`, of `--exclude`.
pub fn left_out(command: &str, dialect: Dialect) -> Vec<String> {
    let mut all = Vec::new();
    for run in &line::parse(command, dialect).commands {
        let Some((name, arguments)) = run.words.split_first() else { continue };
        if name.value == "find" {
            let roots = arguments.iter().take_while(|word| !word.value.starts_with(['-', '(', '!'])).count();
            all.extend(branches(&arguments[roots..], dialect).into_iter().flat_map(|branch| branch.left_out));
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

/// Whether the program changes the files that it is given.
pub fn is_changer(word: &str) -> bool {
    CHANGES.contains(&word.rsplit('/').next().unwrap_or(word))
}
