//! Which files a command over many would touch, as a search that only lists them: the same tests, and no action. `None` where the command
//! selects in another way, so that what is shown is never another selection than what runs.

use shell_line::{self as line, Dialect, Word};

use crate::find_expression::{branches, is_changer};

/// Tests with a value, and without. A search has no other words: none of them runs or writes anything.
const WITH_VALUE: &[&str] = &[
    "-mindepth",
    "-maxdepth",
    "-type",
    "-xtype",
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newermt",
    "-newerat",
    "-newer",
    "-user",
    "-group",
    "-perm",
];
const ALONE: &[&str] = &[
    "-xdev",
    "-mount",
    "-empty",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-not",
    "!",
    "(",
    ")",
    "-o",
    "-or",
    "-a",
    "-and",
];
/// Bytes of a search.
const MAX_SEARCH: usize = 2000;

/// The arguments of a `find` that prints what the command would act on.
pub fn search(command: &str, dialect: Dialect, home: &str) -> Option<Vec<String>> {
    let line = line::parse(command, dialect);
    if command.len() > MAX_SEARCH || line.open.is_some() {
        return None;
    }
    let mut found = line.commands.iter().filter_map(|run| {
        let (name, arguments) = run.words.split_first()?;
        match name.value.as_str() {
            "find" => Some(of_find(arguments, dialect, home)),
            program if is_changer(program) => Some(of_pattern(program, arguments, home)),
            // `mkdir -p logs && mv …`
            "mkdir" => None,
            _ => Some(None),
        }
    });
    let search = found.next()??;
    found.next().is_none().then_some(search)
}

/// The roots and tests before the action, if that is all there is.
fn of_find(arguments: &[Word], dialect: Dialect, home: &str) -> Option<Vec<String>> {
    let is_action = |word: &Word| matches!(word.value.as_str(), "-delete" | "-exec" | "-execdir" | "-prune");
    let end = arguments.iter().position(is_action)?;
    let (selected, actions) = arguments.split_at(end);
    let roots = selected.iter().take_while(|word| !word.value.starts_with(['-', '(', '!'])).count();
    let all = branches(&arguments[roots..], dialect);
    let [branch] = all.as_slice() else { return None };
    // A `grep -q` before the action selects too.
    let acts = actions.iter().filter(|word| is_action(word) && word.value != "-prune").count() == 1;
    if !branch.changes || !acts {
        return None;
    }
    let mut search = Vec::new();
    for root in &selected[..roots] {
        search.push(spelled(root, home)?);
    }
    let mut tests = selected[roots..].iter();
    while let Some(test) = tests.next() {
        let name = test.value.as_str();
        search.push(name.to_owned());
        if WITH_VALUE.contains(&name) {
            search.push(tests.next().filter(|value| value.fixed)?.value.clone());
        } else if !ALONE.contains(&name) {
            return None;
        }
    }
    Some(search)
}

/// `rm *.log`, `mv -n *.jpg photos/`: the names that one pattern matches.
fn of_pattern(program: &str, arguments: &[Word], home: &str) -> Option<Vec<String>> {
    let operands: Vec<&Word> = arguments.iter().filter(|word| !word.value.starts_with('-')).collect();
    let sources = match (program, operands.as_slice()) {
        ("mv", [sources @ .., _])
        | ("chmod" | "chown" | "chgrp", [_, sources @ ..])
        | ("rm" | "shred" | "gzip", sources) => sources,
        _ => return None,
    };
    let [source] = sources else { return None };
    let is_deep = arguments.iter().any(|word| word.value.starts_with('-') && word.value.contains(['r', 'R']));
    if is_deep || source.fixed || source.value.contains(['{', '$', '`', '[']) {
        return None;
    }
    let (root, name) = source.value.rsplit_once('/').unwrap_or((".", &source.value));
    if root.contains(['*', '?']) || name.contains("**") {
        return None;
    }
    let root = match root.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        Some(_) => return None,
        None => root.to_owned(),
    };
    // With a slash, so that a link to a directory is followed as the shell follows it.
    let root = if root == "." || root.ends_with('/') { root } else { format!("{root}/") };
    let mut search =
        vec![root, "-mindepth".into(), "1".into(), "-maxdepth".into(), "1".into(), "-name".into(), name.to_owned()];
    if !name.starts_with('.') {
        search.extend(["-not", "-name", ".*"].map(str::to_owned));
    }
    Some(search)
}

/// A root without expansions but `~`.
fn spelled(root: &Word, home: &str) -> Option<String> {
    match root.value.strip_prefix('~') {
        _ if root.fixed => Some(root.value.clone()),
        Some(rest) if (rest.is_empty() || rest.starts_with('/')) && !rest.contains(['*', '?', '[', '$', '`', '{']) => {
            Some(format!("{home}{rest}"))
        }
        _ => None,
    }
}

/// What a search found: how much, and how it is shown in one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundFiles {
    pub count: usize,
    pub bytes: u64,
    /// The first few, in the order in which they were found.
    pub first: Vec<String>,
    /// The search was cut off: there are more.
    pub is_part: bool,
}

/// Names that are shown.
pub const SHOWN: usize = 3;

impl FoundFiles {
    /// `12 files, 3.4 MB: a.log, b.log, c.log, …`
    pub fn line(&self, size: &str, is_chinese: bool) -> String {
        let FoundFiles { count, bytes: _, first, is_part } = self;
        if *count == 0 {
            return if is_chinese {
                "现在没有符合的文件".to_owned()
            } else {
                "nothing matches now".to_owned()
            };
        }
        let names = first.join(if is_chinese { "、" } else { ", " });
        let rest = if *count > first.len() || *is_part { if is_chinese { " 等" } else { ", …" } } else { "" };
        let more = if *is_part { if is_chinese { "超过 " } else { "more than " } } else { "" };
        match (is_chinese, *count) {
            (true, count) => format!("{more}{count} 个，{size}：{names}{rest}"),
            (false, 1) => format!("{more}1 entry, {size}: {names}{rest}"),
            (false, count) => format!("{more}{count} entries, {size}: {names}{rest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(command: &str) -> Option<String> {
        search(command, Dialect::Bash, "/home/ada").map(|words| words.join(" "))
    }

    #[test]
    fn a_search_has_the_tests_of_the_command_and_no_action() {
        for (command, listed) in [
            ("find . -xdev -type f -not -path '*/.*' -mtime +30 -delete", ". -xdev -type f -not -path */.* -mtime +30"),
            (
                "find ~/logs -type f \\( -name '*.a' -o -name '*.b' \\) -exec rm {} +",
                "/home/ada/logs -type f ( -name *.a -o -name *.b )",
            ),
            ("find . -type d -name build -prune -exec rm -r {} +", ". -type d -name build"),
            ("mkdir -p old && find . -type f -mtime +9 -exec mv -n -t old {} +", ". -type f -mtime +9"),
            ("rm *.log", ". -mindepth 1 -maxdepth 1 -name *.log -not -name .*"),
            ("mv -n docs/*.md notes/", "docs/ -mindepth 1 -maxdepth 1 -name *.md -not -name .*"),
            ("chmod 644 ~/x/*.txt", "/home/ada/x/ -mindepth 1 -maxdepth 1 -name *.txt -not -name .*"),
        ] {
            assert_eq!(searched(command).as_deref(), Some(listed), "{command}");
        }
    }

    #[test]
    fn what_selects_in_another_way_is_not_listed() {
        for command in [
            "find . -type f",
            "find . -type f -exec grep -q x {} \\; -delete",
            "find . -type f -exec cat {} +",
            "find . -type f -printf '%p\\n' | sort | head -n 3 | xargs rm",
            "find \"$(pwd)\" -type f -delete",
            "find . -type f -fprint out -delete",
            "find . -type f -ok id \\; -delete",
            "find . -type f -delete; find /tmp -type f -delete",
            "rm a.log b.log",
            "rm -r *",
            "rm **/*.log",
            "rm $X/*.log",
            "ls *.log",
            "cd x && rm *.log",
            "sudo rm *.log",
            "rm *.log && curl x",
        ] {
            assert_eq!(searched(command), None, "{command}");
        }
    }

    #[test]
    fn what_was_found_is_one_line() {
        let found = FoundFiles { count: 5, bytes: 0, first: vec!["a".into(), "b".into(), "c".into()], is_part: false };
        assert_eq!(found.line("3 MB", false), "5 entries, 3 MB: a, b, c, …");
        assert_eq!(found.line("3 MB", true), "5 个，3 MB：a、b、c 等");
        let one = FoundFiles { count: 1, first: vec!["a".into()], ..FoundFiles::default() };
        assert_eq!(one.line("0 B", false), "1 entry, 0 B: a");
        assert_eq!(FoundFiles::default().line("0 B", false), "nothing matches now");
    }
}
