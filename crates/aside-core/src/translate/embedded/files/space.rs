//! Disk usage, duplicates, and counts of each kind of file.

use crate::translate::System;
use crate::translate::embedded::files::query::{Key, Query, Reach, Shape, What};
use crate::translate::embedded::files::render::{Said, Spell};

/// Sizes: of one thing, of each, or the total of what is selected.
pub fn size(spell: &Spell<'_, '_>) -> Vec<Said> {
    let query = spell.query;
    let about = || "says how much room it takes".to_owned();
    let sorted = query.order.is_some() || query.top.is_some();
    if query.has_filter() && query.what != What::Directories {
        let find = |reach: Reach| {
            let mut query = query.clone();
            query.reach = reach;
            spell.with(&query).find()
        };
        let deep = find(if query.reach == Reach::Flat { Reach::Flat } else { Reach::Deep });
        let mut all =
            vec![(format!("{deep} -exec du -ch {{}} + | tail -n 1"), "adds up the sizes of the files".to_owned())];
        if spell.system() == System::Gnu {
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
        let down = query.order.is_none_or(|order| order.key != Key::Size || order.is_down);
        let sort = if down { " | sort -rh" } else { " | sort -h" };
        let head = query.top.map(|top| format!(" | head -n {top}")).unwrap_or_default();
        if sorted { format!("{sort}{head}") } else { String::new() }
    };
    if query.what == What::Directories && (query.has_filter() || query.reach == Reach::Deep) {
        if query.has_filter() {
            return vec![(format!("{} -prune -exec du -sh {{}} +{}", spell.find(), tail()), about())];
        }
        let place = if root.is_empty() { ".".to_owned() } else { root };
        return vec![(format!("du -h {place}{}", tail()), about())];
    }
    if query.what == What::Directories && (sorted || query.each || query.all || many(query)) {
        let depth = if spell.system() == System::Bsd { "-d 1" } else { "--max-depth=1" };
        let depth = if spell.system() == System::Busybox { "-d 1" } else { depth };
        let place = if root.is_empty() { ".".to_owned() } else { root.clone() };
        return vec![
            (format!("du -sh {}{}", inside("*/"), tail()), about()),
            (format!("du -h {depth} {place}{}", tail()), about()),
        ];
    }
    if sorted || query.each || query.what == What::Both || query.all && query.roots.is_empty() {
        let all = (format!("du -sh {}{}", inside("*"), tail()), about());
        let files = (format!("ls -lh{}", if root.is_empty() { String::new() } else { format!(" {root}") }), about());
        return if query.what == What::Files && !sorted { vec![files, all] } else { vec![all] };
    }
    if root.is_empty() {
        if query.what == What::Files && query.reach == Reach::Unsaid {
            return vec![("ls -lh".to_owned(), about())];
        }
        return vec![("du -sh .".to_owned(), about()), ("du -sh *".to_owned(), about())];
    }
    // For a file the query asks for its size, not its disk usage.
    let is_file = query.what != What::Directories && query.roots.len() == 1 && spell.is_file(&query.roots[0]);
    let mut all = vec![(format!("du -sh {root}"), about())];
    if query.what != What::Directories && query.roots.len() == 1 {
        all.push((format!("ls -lh {root}"), about()));
        let bytes = match spell.system() {
            System::Bsd => format!("stat -f %z {root}"),
            System::Gnu | System::Busybox => format!("stat -c %s {root}"),
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
    query.roots.is_empty() && query.reach == Reach::Here
}

/// Duplicates, counts of each kind, and the directory tree.
pub fn survey(spell: &Spell<'_, '_>) -> Vec<Said> {
    let query = spell.query;
    let mut plain = query.clone();
    plain.order = None;
    let find = spell.with(&plain).find();
    match query.shape {
        Shape::DuplicateContents => {
            let (sum, group) = match spell.system() {
                System::Gnu => ("md5sum", "uniq -w32 -D"),
                System::Busybox => ("md5sum", ALIKE),
                System::Bsd => ("md5 -r", ALIKE),
            };
            vec![(
                format!("{find} -exec {sum} {{}} + | sort | {group}"),
                "lists files with the same contents".to_owned(),
            )]
        }
        Shape::DuplicateNames => {
            vec![(
                format!("{find} | sed 's|.*/||' | sort | uniq -d"),
                "lists names that occur more than once".to_owned(),
            )]
        }
        Shape::CountByDirectory => {
            let names = match spell.system() {
                System::Gnu => format!("{find} -printf '%h\\n'"),
                System::Bsd | System::Busybox => format!("{find} | sed 's|/[^/]*$||'"),
            };
            vec![(format!("{names} | sort | uniq -c | sort -rn"), "counts the files of each directory".to_owned())]
        }
        Shape::CountByEnding => vec![(
            format!("{find} | sed -n 's|.*/[^/]*\\.||p' | sort | uniq -c | sort -rn"),
            "counts the files of each kind".to_owned(),
        )],
        Shape::Tree => tree(spell),
        Shape::Names | Shape::Count | Shape::Size | Shape::Lines | Shape::Words | Shape::Holders => Vec::new(),
    }
}

/// Prints all lines whose first word occurs more than once.
const ALIKE: &str = "awk '{n[$1]++; l[$1] = l[$1] $0 \"\\n\"} END {for (k in n) if (n[k] > 1) printf \"%s\", l[k]}'";

fn tree(spell: &Spell<'_, '_>) -> Vec<Said> {
    let query = spell.query;
    let about = || "draws the tree of files".to_owned();
    let root = if query.roots.is_empty() { String::new() } else { format!(" {}", spell.roots()) };
    let depth = query.max_depth.map(|depth| format!(" -L {depth}")).unwrap_or_default();
    let only = if query.what == What::Directories { " -d" } else { "" };
    let ignore = query.avoid.join("|");
    let ignore = if ignore.is_empty() {
        String::new()
    } else {
        format!(" -I {}", crate::translate::embedded::slots::single(&ignore))
    };
    let hidden = if query.with_hidden { " -a" } else { "" };
    let mut all = Vec::new();
    if query.names.is_empty() && query.tests.is_empty() && query.not_names.is_empty() {
        all.push((format!("tree{hidden}{only}{depth}{ignore}{root}"), about()));
    }
    let mut found = query.clone();
    found.shape = Shape::Names;
    if found.what == What::Unsaid {
        found.what = What::Both;
    }
    all.push((format!("{} | sort", spell.with(&found).find()), about()));
    all
}
