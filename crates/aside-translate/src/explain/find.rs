//! The expression of find as a sentence: which files, and what happens to them.

use crate::explain::dissect::{DissectedCommand, PartKind};
use crate::explain::value;

/// `finds files larger than 100 MB here and below, then deletes them`
/// `clause` describes a command that `-exec` runs.
pub fn clause(taken: &DissectedCommand, clause: impl Fn(&DissectedCommand) -> String) -> String {
    let mut what = "files and directories";
    let mut tests: Vec<String> = Vec::new();
    let mut actions: Vec<String> = Vec::new();
    let mut depth = None;
    let mut not = false;
    let mut or = false;
    let (mut complicated, mut is_flat) = (false, false);
    for item in &taken.items {
        match &item.what {
            PartKind::Argument { value, .. } if value.value == "!" => not = true,
            PartKind::Argument { value, .. } if matches!(value.value.as_str(), "(" | ")") => {}
            PartKind::Flag { name, value, .. } => {
                let value = value.as_ref().map_or("", |value| value.value.as_str());
                match (name.as_str(), value) {
                    ("-not", _) => {
                        not = true;
                        continue;
                    }
                    ("-o" | "-or", _) => {
                        or = true;
                        continue;
                    }
                    ("-type", "f") if !not => what = "files",
                    ("-type", "d") if !not => what = "directories",
                    ("-type", "l") if !not => what = "links",
                    ("-maxdepth", "1") => is_flat = true,
                    ("-maxdepth", number) => depth = Some(format!(", {number} levels deep at most")),
                    ("-delete", _) => actions.push("deletes them".to_owned()),
                    ("-print" | "-depth", _) | ("-mindepth", "0" | "1") if !not => {}
                    ("-print0", _) => actions.push("prints their paths with a zero byte after each".to_owned()),
                    ("-printf" | "-ls" | "-fprint", _) => actions.push("prints facts about them".to_owned()),
                    ("-prune", _) => complicated = true,
                    ("-exec" | "-execdir" | "-ok" | "-okdir", _) => {}
                    (name, value) => {
                        let is_hidden = matches!((name, value), ("-path", "*/.*") | ("-name", ".*"));
                        let Some(test) = test(name, value) else { continue };
                        let test = match (not, is_hidden) {
                            (true, true) => "that are not hidden".to_owned(),
                            (true, false) => format!("but not {test}"),
                            (false, _) => test,
                        };
                        match tests.last_mut() {
                            Some(last) if or => {
                                // `whose names end in .jpg or .png`
                                let shared = ["whose names end in ", "whose names begin with ", "whose names "];
                                let shared = shared.iter().find(|start| last.starts_with(**start));
                                let rest = shared.and_then(|start| test.strip_prefix(start)).unwrap_or(&test);
                                *last = format!("{last} or {rest}");
                            }
                            _ => tests.push(test),
                        }
                        or = false;
                    }
                }
                not = false;
            }
            PartKind::Runs(inner) => {
                let clause = clause(inner);
                let target = inner.arguments().contains(&"{}");
                let clause = if target { clause.replace("{}", "them") } else { clause };
                actions.push(format!("on them: {clause}").replace("on them: deletes them", "deletes them"));
            }
            _ => {}
        }
    }
    let mut place = place(taken);
    if is_flat {
        // Only the directory itself: nothing below its entries is looked at.
        place = match place.strip_suffix(" and below") {
            Some(here) => here.to_owned(),
            None => "in /".to_owned(),
        };
    }
    let is_all = tests.is_empty() && !complicated && depth.is_none() && !is_flat && what == "files and directories";
    if is_all && actions == ["deletes them"] {
        return format!("deletes everything {place}, hidden files and .git too");
    }
    let tests = if complicated { " that fit".to_owned() } else { joined(&tests) };
    let mut clause = format!("finds {what}{tests} {place}{}", depth.unwrap_or_default());
    for action in actions {
        clause = format!("{clause}, then {action}");
    }
    clause
}

fn joined(tests: &[String]) -> String {
    let mut words = String::new();
    for (number, test) in tests.iter().enumerate() {
        words.push_str(if number == 0 { " " } else { ", " });
        words.push_str(test);
    }
    if tests.len() > 1 {
        words.push(',');
    }
    words
}

fn place(taken: &DissectedCommand) -> String {
    let places = taken.items.iter().map_while(|item| match &item.what {
        PartKind::Argument { value, .. } if !matches!(value.value.as_str(), "(" | "!" | ")") => {
            Some(value.value.as_str())
        }
        PartKind::Flag { name, .. } if matches!(name.as_str(), "-L" | "-H" | "-P" | "-E") => Some(""),
        _ => None,
    });
    let places: Vec<&str> = places.filter(|place| !place.is_empty()).collect();
    match places.as_slice() {
        [] | ["." | "./"] => "here and below".to_owned(),
        ["/"] => "on the whole machine".to_owned(),
        ["~" | "$HOME"] => "in your home directory and below".to_owned(),
        places => format!("in {} and below", places.join(" and ")),
    }
}

/// What a test checks, as a phrase that follows `files`.
fn test(name: &str, value: &str) -> Option<String> {
    let fill = |phrase: &str| value::fill(phrase, value);
    match name {
        "-name" | "-iname" => fill("whose names {glob}"),
        "-path" | "-wholename" | "-ipath" => fill("whose paths {glob}"),
        "-regex" | "-iregex" => fill("whose paths match {}"),
        "-size" => fill("{size}"),
        "-mtime" => fill("changed {days}"),
        "-mmin" => fill("changed {minutes}"),
        "-atime" => fill("read {days}"),
        "-amin" => fill("read {minutes}"),
        "-ctime" => fill("whose status changed {days}"),
        "-newer" => fill("newer than {}"),
        "-newermt" => fill("changed since {}"),
        "-empty" => Some("that are empty".to_owned()),
        "-user" => fill("of {}"),
        "-group" => fill("of the group {}"),
        "-perm" => fill("{mode}"),
        "-executable" => Some("that you may run".to_owned()),
        "-readable" => Some("that you may read".to_owned()),
        "-writable" => Some("that you may write".to_owned()),
        _ => None,
    }
}
