//! Disk usage, duplicates, and counts of each kind of file.

use crate::ToolFlavor;
use crate::embedded::files::query::{FileType, OutputShape, Query, SearchDepth, SortKey};
use crate::embedded::files::spelling::{CommandSpelling, ExplainedCommand};

/// Sizes: of one thing, of each, or the total of what is selected.
pub fn size(spell: &CommandSpelling<'_, '_>) -> Vec<ExplainedCommand> {
    let query = spell.query;
    let about = || "says how much room it takes".to_owned();
    let sorted = query.order.is_some() || query.top.is_some();
    if query.has_filter() && query.what != FileType::Directories {
        let find = |reach: SearchDepth| {
            let mut query = query.clone();
            query.reach = reach;
            spell.with(&query).find()
        };
        let deep = find(if query.reach == SearchDepth::Flat { SearchDepth::Flat } else { SearchDepth::Deep });
        let mut all =
            vec![(format!("{deep} -exec du -ch {{}} + | tail -n 1"), "adds up the sizes of the files".to_owned())];
        if spell.system() == ToolFlavor::Gnu {
            all.push((
                format!("{deep} -printf '%s\\n' | awk '{{sum += $1}} END {{print sum}}'"),
                "adds up the sizes of the files, in bytes".to_owned(),
            ));
        }
        if query.each {
            all.insert(0, (format!("{deep} -exec du -h {{}} +"), "says how large each file is".to_owned()));
        }
        return all;
    }
    let root = if query.roots.is_empty() { String::new() } else { spell.roots() };
    let inside = |glob: &str| {
        if root.is_empty() { glob.to_owned() } else { format!("{}/{glob}", root.trim_end_matches('/')) }
    };
    let tail = || {
        let down = query.order.is_none_or(|order| order.key != SortKey::Size || order.is_down);
        let sort = if down { " | sort -rh" } else { " | sort -h" };
        let head = query.top.map(|top| format!(" | head -n {top}")).unwrap_or_default();
        if sorted { format!("{sort}{head}") } else { String::new() }
    };
    if query.what == FileType::Directories && (query.has_filter() || query.reach == SearchDepth::Deep) {
        if query.has_filter() {
            return vec![(format!("{} -prune -exec du -sh {{}} +{}", spell.find(), tail()), about())];
        }
        let place = if root.is_empty() { ".".to_owned() } else { root };
        return vec![(format!("du -h {place}{}", tail()), about())];
    }
    if query.what == FileType::Directories && (sorted || query.each || query.all || many(query)) {
        let depth = if spell.system() == ToolFlavor::Bsd { "-d 1" } else { "--max-depth=1" };
        let depth = if spell.system() == ToolFlavor::Busybox { "-d 1" } else { depth };
        let place = if root.is_empty() { ".".to_owned() } else { root.clone() };
        return vec![
            (format!("du -sh {}{}", inside("*/"), tail()), about()),
            (format!("du -h {depth} {place}{}", tail()), about()),
        ];
    }
    if sorted || query.each || query.what == FileType::Both || query.all && query.roots.is_empty() {
        let all = (format!("du -sh {}{}", inside("*"), tail()), about());
        let files = (format!("ls -lh{}", if root.is_empty() { String::new() } else { format!(" {root}") }), about());
        return if query.what == FileType::Files && !sorted { vec![files, all] } else { vec![all] };
    }
    if root.is_empty() {
        if query.what == FileType::Files && query.reach == SearchDepth::Unsaid {
            return vec![("ls -lh".to_owned(), about())];
        }
        return vec![("du -sh .".to_owned(), about()), ("du -sh *".to_owned(), about())];
    }
    // For a file the query asks for its size, not its disk usage.
    let is_file = query.what != FileType::Directories && query.roots.len() == 1 && spell.is_file(&query.roots[0]);
    let mut all = vec![(format!("du -sh {root}"), about())];
    if query.what != FileType::Directories && query.roots.len() == 1 {
        all.push((format!("ls -lh {root}"), about()));
        let bytes = match spell.system() {
            ToolFlavor::Bsd => format!("stat -f %z {root}"),
            ToolFlavor::Gnu | ToolFlavor::Busybox => format!("stat -c %s {root}"),
        };
        all.push((bytes, "says how large it is, in bytes".to_owned()));
    }
    if is_file {
        all.rotate_left(1);
    }
    all
}

/// `the sizes of the directories here`
fn many(query: &Query) -> bool {
    query.roots.is_empty() && query.reach == SearchDepth::Here
}

/// Duplicates, counts of each kind, and the directory tree.
pub fn survey(spell: &CommandSpelling<'_, '_>) -> Vec<ExplainedCommand> {
    let query = spell.query;
    let mut plain = query.clone();
    plain.order = None;
    let find = spell.with(&plain).find();
    match query.shape {
        OutputShape::DuplicateContents => {
            let (sum, group) = match spell.system() {
                ToolFlavor::Gnu => ("md5sum", "uniq -w32 -D"),
                ToolFlavor::Busybox => ("md5sum", ALIKE),
                ToolFlavor::Bsd => ("md5 -r", ALIKE),
            };
            vec![(
                format!("{find} -exec {sum} {{}} + | sort | {group}"),
                "lists files with the same contents".to_owned(),
            )]
        }
        OutputShape::DuplicateNames => {
            vec![(
                format!("{find} | sed 's|.*/||' | sort | uniq -d"),
                "lists names that occur more than once".to_owned(),
            )]
        }
        OutputShape::CountByDirectory => {
            let names = match spell.system() {
                ToolFlavor::Gnu => format!("{find} -printf '%h\\n'"),
                ToolFlavor::Bsd | ToolFlavor::Busybox => format!("{find} | sed 's|/[^/]*$||'"),
            };
            vec![(format!("{names} | sort | uniq -c | sort -rn"), "counts the files of each directory".to_owned())]
        }
        OutputShape::CountByEnding => vec![(
            format!("{find} | sed -n 's|.*/[^/]*\\.||p' | sort | uniq -c | sort -rn"),
            "counts the files of each kind".to_owned(),
        )],
        OutputShape::Tree => tree(spell),
        OutputShape::Names
        | OutputShape::Count
        | OutputShape::Size
        | OutputShape::Lines
        | OutputShape::Words
        | OutputShape::Holders => Vec::new(),
    }
}

/// Prints all lines whose first word occurs more than once.
const ALIKE: &str = "awk '{n[$1]++; l[$1] = l[$1] $0 \"\\n\"} END {for (k in n) if (n[k] > 1) printf \"%s\", l[k]}'";

fn tree(spell: &CommandSpelling<'_, '_>) -> Vec<ExplainedCommand> {
    let query = spell.query;
    let about = || "draws the tree of files".to_owned();
    let root = if query.roots.is_empty() { String::new() } else { format!(" {}", spell.roots()) };
    let depth = query.max_depth.map(|depth| format!(" -L {depth}")).unwrap_or_default();
    let only = if query.what == FileType::Directories { " -d" } else { "" };
    let ignore = query.avoid.join("|");
    let ignore =
        if ignore.is_empty() { String::new() } else { format!(" -I {}", crate::embedded::slots::single(&ignore)) };
    let hidden = if query.with_hidden { " -a" } else { "" };
    let mut all = Vec::new();
    if query.names.is_empty() && query.tests.is_empty() && query.not_names.is_empty() {
        all.push((format!("tree{hidden}{only}{depth}{ignore}{root}"), about()));
    }
    let mut found = query.clone();
    found.shape = OutputShape::Names;
    if found.what == FileType::Unsaid {
        found.what = FileType::Both;
    }
    all.push((format!("{} | sort", spell.with(&found).find()), about()));
    all
}
