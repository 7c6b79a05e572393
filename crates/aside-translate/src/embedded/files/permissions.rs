//! Permissions and owners of named files. Many files at once are handled by `parse`.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::files::scan::{NamedFile, WordScan};
use crate::embedded::files::several;

/// Verbs for removing a permission.
const AWAY: &[&str] = &["remove", "revoke", "take", "drop", "unset", "disable", "forbid", "deny", "prevent"];

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut all = owner(reading);
    all.extend(both(reading));
    all.extend(rights(reading));
    all
}

/// Changing owners needs root; root needs no sudo.
pub fn sudo(home: &str) -> &'static str {
    if home == "/root" { "" } else { "sudo " }
}

fn objects(scan: &WordScan<'_, '_>) -> Vec<NamedFile> {
    let mut found = scan.objects(false);
    if found.is_empty() && scan.has("here") {
        let at = scan.reading.find("here").unwrap_or_default();
        found.push(NamedFile {
            at,
            path: ".".to_owned(),
            is_there: true,
            is_directory: true,
            is_goal: false,
            place: None,
        });
    }
    found
}

fn owner(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let asks = scan.says(&["chown", "chgrp", "own"]).is_some()
        || reading.has("change") && (scan.says(&["owner", "ownership", "group"]).is_some() || reading.has("owned"))
        || scan.says(&["set", "make", "give"]).is_some() && scan.says(&["owner", "ownership"]).is_some();
    if !asks || reading.has("show") && scan.says(&["give"]).is_none() {
        return Vec::new();
    }
    let paths: Vec<NamedFile> = objects(&scan);
    let paths: Vec<NamedFile> = paths.into_iter().filter(|object| !object.is_goal || object.is_there).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    if !scan.globs().is_empty()
        || (0..scan.len()).any(|at| matches!(scan.thing(at), Some(Entity::Text(text)) if text.starts_with('.')))
    {
        return Vec::new();
    }
    let of_group = scan.says(&["chgrp", "group"]).is_some() && scan.says(&["owner", "chown", "ownership"]).is_none();
    let taken: Vec<usize> = paths.iter().map(|object| object.at).collect();
    let beside_goal =
        |at: &usize| scan.is_goal(*at) || matches!(scan.before(*at), "chown" | "chgrp" | "make" | "owner");
    let new = (0..scan.len()).filter(|at| !taken.contains(at)).filter(beside_goal).find_map(|at| {
        let word = scan.word(at)?;
        match &word.thing {
            Some(Entity::User(user)) => Some((at, user.clone())),
            Some(Entity::Text(text)) => Some((at, text.clone())),
            // A name may resemble a word: `to alice`.
            None if word.weight >= 0.9 && !scan.is(at, "recursive") => Some((at, word.text.clone())),
            Some(Entity::Branch(name) | Entity::Process(name)) => Some((at, name.clone())),
            _ => None,
        }
    });
    let (at, new) = match new {
        Some(new) => new,
        None => match scan.says(&["me", "myself"]) {
            Some(me) => (me, "$USER".to_owned()),
            None => return Vec::new(),
        },
    };
    scan.mark(at);
    paths.iter().for_each(|path| path.take(&mut scan));
    scan.take(&["change", "user", "owned", "file", "directory", "group", "here"]);
    scan.take_said(&["owner", "ownership", "set", "make", "give", "chown", "chgrp", "own"]);
    let deep = scan.take(&["recursive"]) || reading.has("all");
    scan.take(&["all", "content"]);
    if scan.leaves_out() {
        return Vec::new();
    }
    let flag = if deep { " -R" } else { "" };
    let spelled: Vec<String> = paths.iter().map(|path| scan.quoted(&path.path)).collect();
    let new = scan.quoted(&new);
    let sudo = sudo(reading.place.world.home());
    let tool = if of_group { "chgrp" } else { "chown" };
    let sudo = if of_group { "" } else { sudo };
    let about = if of_group { "changes the group" } else { "changes who owns it" };
    several(vec![(format!("{sudo}{tool}{flag} {new} {}", spelled.join(" ")), about)], &scan.used, 0.0, "files-owner")
}

/// `directories to 755 and files to 644`
fn both(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let modes: Vec<(usize, String)> = (0..scan.len())
        .filter_map(|at| match scan.thing(at) {
            Some(Entity::Mode(mode)) => Some((at, mode.clone())),
            _ => None,
        })
        .collect();
    let ([(first, one), (second, two)], Some(directory), Some(file)) =
        (modes.as_slice(), reading.find("directory"), reading.find("file"))
    else {
        return Vec::new();
    };
    // The modes come in the order of the nouns, before or after them.
    let (of_directories, of_files) = if directory < file { (one, two) } else { (two, one) };
    scan.mark(*first);
    scan.mark(*second);
    scan.take(&["directory", "file", "permission", "change", "all", "recursive", "here"]);
    scan.take_said(&["set", "make", "give", "chmod"]);
    let places: Vec<NamedFile> = scan.objects(false).into_iter().filter(|object| object.is_directory).collect();
    places.iter().for_each(|object| object.take(&mut scan));
    let root = places.first().map_or(".".to_owned(), |object| scan.quoted(&object.path));
    let command =
        format!("find {root} -type d -exec chmod {of_directories} {{}} + -o -type f -exec chmod {of_files} {{}} +");
    several(
        vec![(command, "changes what may be done with directories and with files")],
        &scan.used,
        0.0,
        "files-rights",
    )
}

fn rights(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if ["find", "count", "copy", "move", "rename", "compress"].iter().any(|alien| reading.has(alien))
        && scan.says(&["chmod"]).is_none()
    {
        return Vec::new();
    }
    // `not executable`, `others can't read it`, `nobody but me`: nothing but a permission may be negated.
    if let Some(not) = reading.find("not")
        && !is_taken_away(&scan, not)
    {
        return Vec::new();
    }
    let paths = objects(&scan);
    if paths.is_empty()
        || (0..scan.len()).filter(|at| paths.iter().all(|path| path.at != *at)).any(|at| {
            matches!(scan.thing(at), Some(Entity::Kind(_) | Entity::Glob(_) | Entity::Time(_) | Entity::Size(_)))
        })
    {
        return Vec::new();
    }
    let Some(mode) = mode(&mut scan, &paths) else { return Vec::new() };
    let inside = paths.iter().any(|path| scan.is_inside(path.at) && path.is_directory);
    let files = reading.find("file").filter(|at| scan.low(*at) == "files");
    let directories = reading
        .find("directory")
        .filter(|at| matches!(scan.low(*at), "directories" | "folders" | "subdirectories" | "subfolders" | "dirs"));
    let about = "changes what may be done with it";
    paths.iter().for_each(|path| path.take(&mut scan));
    scan.take(&["permission", "change", "here", "access"]);
    scan.take_said(&[
        "set",
        "make",
        "give",
        "chmod",
        "apply",
        "mark",
        "allow",
        "let",
        "grant",
        "add",
        "so",
        "mode",
        "添加",
        "加上",
        "增加",
        "给",
        "设置",
        "设为",
        "设成",
        "设置为",
        "变成",
        "让",
        "should",
        "able",
        "can",
        "be",
        "only",
        "else",
        "sure",
        "ensure",
        "bit",
        "bits",
        "flag",
        "right",
        "rights",
        "protect",
        "restrict",
        "lock",
        "down",
        "that",
        "reset",
        "cannot",
        "longer",
    ]);
    scan.take(&["reset", "set"]);
    let spelled: Vec<String> = paths.iter().map(|path| scan.quoted(&path.path)).collect();
    let spelled = spelled.join(" ");
    // `all files in docs` leaves the directories unchanged.
    if inside && (files.is_some() ^ directories.is_some()) {
        scan.take(&["file", "directory", "all", "recursive"]);
        let kind = if files.is_some() { "f" } else { "d" };
        let command = format!("find {spelled} -type {kind} -exec chmod {mode} {{}} +");
        return several(vec![(command, about)], &scan.used, 0.0, "files-rights");
    }
    let is_within = paths.iter().any(|path| matches!(scan.leads(path.at), "in" | "inside" | "under" | "within"));
    let deep = scan.take(&["recursive"]) || inside && is_within && reading.has("all");
    scan.take(&["file", "directory", "script"]);
    if deep {
        scan.take(&["all", "content"]);
    }
    if scan.leaves_out() {
        return Vec::new();
    }
    let flag = if deep { " -R" } else { "" };
    several(vec![(format!("chmod{flag} {mode} {spelled}"), about)], &scan.used, 0.0, "files-rights")
}

/// Whether the negated word is a permission: `not executable`, `cannot read`, `no one except me`.
fn is_taken_away(scan: &WordScan<'_, '_>, not: usize) -> bool {
    let right = |at: usize| {
        ["executable", "writable", "readonly", "world-writable", "human"].iter().any(|meaning| scan.is(at, meaning))
            || matches!(
                scan.low(at),
                "one"
                    | "read"
                    | "write"
                    | "write to"
                    | "execute"
                    | "run"
                    | "readable"
                    | "writable"
                    | "writeable"
                    | "modify"
                    | "be"
            )
    };
    let me = |at: usize| matches!(scan.low(at), "me" | "myself" | "i" | "owner" | "the" | "for");
    (not + 1..not + 3).any(|at| right(at) || me(at))
}

/// Verbs that give rights, and the users that sentences without a verb begin with.
const GRANTS: &[&str] = &[
    "添加",
    "加上",
    "增加",
    "给",
    "设置",
    "设为",
    "设成",
    "设置为",
    "变成",
    "使",
    "让",
    "protect",
    "restrict",
    "lock",
    "ensure",
    "should",
    "make",
    "give",
    "add",
    "set",
    "allow",
    "let",
    "grant",
    "chmod",
    "mark",
    "change",
    "everyone",
    "anyone",
    "everybody",
    "only",
];

/// A mode as `chmod` takes it, and the word that has it. A drawing such as `rwxr-xr-x` becomes a number.
fn spelled_mode(scan: &WordScan<'_, '_>) -> Option<(usize, Option<String>)> {
    let given = (0..scan.len()).find_map(|at| match scan.thing(at) {
        Some(Entity::Mode(mode)) => Some((at, mode.clone())),
        // A number may be a mode without a word about permissions: `chmod 755 x`, `make x 644`.
        Some(Entity::Number(_))
            if scan.low(at).len() == 3
                && scan.low(at).bytes().all(|byte| matches!(byte, b'0'..=b'7'))
                && scan.says(&["chmod", "set", "make", "permissions"]).is_some() =>
        {
            Some((at, scan.low(at).to_owned()))
        }
        _ => None,
    });
    if let Some((at, mode)) = given {
        return Some((at, (mode.len() != 9).then_some(mode.clone()).or_else(|| drawn(&mode))));
    }
    // `chmod x file`
    let chmod = scan.says(&["chmod"])?;
    let letters = scan.low(chmod + 1);
    let is_letters =
        !letters.is_empty() && letters.len() <= 3 && letters.bytes().all(|byte| matches!(byte, b'r' | b'w' | b'x'));
    is_letters.then(|| (chmod + 1, Some(format!("+{letters}"))))
}

/// Whose rights change, in `chmod`'s letters. None are needed to make a file executable.
fn who(everyone: bool, owner: bool, group: bool, others: bool, only_runs: bool) -> &'static str {
    match (everyone, owner, group, others) {
        (true, ..) => "a",
        (_, true, true, _) => "ug",
        (_, _, true, true) => "go",
        (_, true, _, _) => "u",
        (_, _, true, _) => "g",
        (_, _, _, true) => "o",
        _ if only_runs => "",
        _ => "u",
    }
}

/// `755`, `+x`, or a mode in words: for which users, plus or minus, read, write, execute.
fn mode(scan: &mut WordScan<'_, '_>, paths: &[NamedFile]) -> Option<String> {
    let reading = scan.reading;
    if let Some((at, mode)) = spelled_mode(scan) {
        scan.mark(at);
        return mode;
    }
    // `nobody but me`, `no one else should`: only the owner keeps access.
    let nobody = scan.take_said(&["nobody", "noone", "no-one"]) || {
        let no = scan.says(&["no"]).filter(|no| scan.low(no + 1) == "one");
        if let Some(no) = no {
            scan.mark_all(no, no + 2);
        }
        no.is_some()
    };
    let but_me = scan.says(&["me", "myself", "i", "owner"]).is_some();
    if nobody && (but_me || scan.says(&["else"]).is_some()) {
        scan.take(&["not"]);
        scan.take_said(&["me", "myself", "owner", "else", "read", "see", "open", "write", "access", "readable"]);
        let directory = paths.iter().any(|path| path.is_directory);
        return Some(if directory { "700" } else { "600" }.to_owned());
    }
    let negation = reading.find("not");
    if let Some(not) = negation {
        scan.mark(not);
    }
    // `files that are not executable` is a question.
    let orders = scan
        .says(&["make", "set", "let", "should", "must", "give", "change", "chmod", "no", "prevent", "设为", "让"])
        .is_some()
        || scan.low(0) == "no";
    let asks = scan.says(&["which", "what", "that", "are"]).is_some();
    if negation.is_some() && (!orders || asks) {
        return None;
    }
    let away = scan.says(AWAY).or(negation).or_else(|| nobody.then_some(0));
    let verb = away.or_else(|| scan.says(GRANTS))?;
    let runs = scan.take(&["executable"])
        | scan.take_said(&["execute", "executing", "run", "execution", "runnable", "executed", "执行"]);
    let reads = scan.take_said(&["read", "readable", "reading", "see", "view", "open"]);
    let writes = scan.take_said(&["write", "write to", "writes", "writable", "writing", "writeable", "modify", "edit"])
        | scan.take(&["writable"]);
    let all_rights = scan.take_said(&["full", "every"])
        | (away.is_some() && !runs && !reads && !writes && (scan.take(&["all"]) || scan.take_said(&["any"])));
    if scan.take(&["world-writable"]) {
        scan.mark(verb);
        return Some(if away.is_some() { "o-w" } else { "a+w" }.to_owned());
    }
    if scan.take(&["readonly"]) {
        scan.mark(verb);
        return Some("a-w".to_owned());
    }
    if scan.take_said(&["private", "secret"]) || scan.says(&["only"]).is_some() && scan.take_said(&["accessible"]) {
        scan.take_said(&["me", "myself", "owner", "only"]);
        scan.mark(verb);
        return Some(if paths.iter().any(|path| path.is_directory) { "700" } else { "600" }.to_owned());
    }
    let others = scan.take_said(&["others", "other", "world"]);
    let everyone = scan.take_said(&["everyone", "everybody", "anyone", "anybody", "all"])
        | (reading.has("user") && reading.has("all"));
    let group = scan.take(&["group"]);
    let owner = scan.take_said(&["owner", "user"]);
    let only_me = scan.says(&["only"]).is_some() && (scan.take_said(&["me", "i", "myself"]) || owner);
    scan.mark(verb);
    if all_rights && everyone && away.is_none() {
        return Some("777".to_owned());
    }
    let none_said = !reads && !writes && !runs && (group || others);
    let is_all =
        away.is_some() && (scan.has("permission") || scan.says(&["access"]).is_some()) && (all_rights || none_said);
    let (reads, writes, runs) = (reads || is_all, writes || is_all, runs || is_all);
    let letters: String = [(reads, 'r'), (writes, 'w'), (runs, 'x')]
        .into_iter()
        .filter_map(|(yes, letter)| yes.then_some(letter))
        .collect();
    if only_me && everyone && reads {
        // All users may read, the owner may write.
        return Some("644".to_owned());
    }
    if only_me {
        let directory = paths.iter().any(|path| path.is_directory);
        return Some(if directory || runs { "700" } else { "600" }.to_owned());
    }
    if letters.is_empty() {
        return None;
    }
    let everyone = everyone && !(is_all && (others || group));
    let negated = away.is_some();
    let who = who(everyone, owner, group, others, runs && !reads && !writes);
    let who = if negated && who == "u" && scan.says(&["owner", "user"]).is_none() { "a" } else { who };
    if negated {
        scan.take(&["delete"]);
        scan.take_said(&["away"]);
    }
    Some(format!("{who}{}{letters}", if negated { '-' } else { '+' }))
}

/// `rwxr-xr-x` as an octal number.
fn drawn(mode: &str) -> Option<String> {
    let bytes = mode.as_bytes();
    let digit = |part: &[u8]| {
        let bit = |at: usize, letter: u8, value: u8| if part.get(at) == Some(&letter) { value } else { 0 };
        bit(0, b'r', 4) + bit(1, b'w', 2) + bit(2, b'x', 1)
    };
    (bytes.len() == 9).then(|| bytes.chunks(3).map(|part| char::from(b'0' + digit(part))).collect())
}
