//! Renames many files by one rule: another ending, a prefix, other letters, numbers. Each shell has its own loop
//! syntax.

use shell_line::Dialect;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::files::scan::WordScan;
use crate::embedded::files::several;
use crate::embedded::slots::single;

/// How a name changes.
enum Change {
    Ending(String, String),
    Lower,
    Upper,
    Replace(String, String),
    Prefix(String),
    Suffix(String),
    NoPrefix(String),
    NoSuffix(String),
    Number(String),
    /// Appended to the whole name: `.bak`
    Behind(String),
}

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let renames = reading.has("rename");
    let of_names = reading.has("name")
        || renames
        || reading.has("extension")
        || scan.says(&["prefix", "suffix", "sequentially"]).is_some()
        || scan.low(0) == "number";
    let alien = ["contain", "find", "show", "count", "sort", "size", "commit", "branch", "column", "line"];
    if alien.iter().any(|alien| reading.has(alien) && !renames) {
        return Vec::new();
    }
    let verbs = ["rename", "change", "replace", "convert", "delete"];
    let verb = verbs.iter().any(|verb| reading.has(verb))
        || scan
            .says(&["add", "append", "prepend", "lowercase", "uppercase", "number", "prefix", "make", "lower"])
            .is_some();
    if !of_names || !verb {
        return Vec::new();
    }
    // A single file is renamed in `operate`.
    if (0..scan.len()).any(|at| scan.path(at).is_some() && scan.is_there(at) && !scan.is_inside(at)) {
        return Vec::new();
    }
    let Some(change) = change(&mut scan) else { return Vec::new() };
    scan.take(&[
        "rename",
        "change",
        "replace",
        "convert",
        "delete",
        "name",
        "extension",
        "file",
        "all",
        "each",
        "here",
        "every",
    ]);
    scan.take_said(&[
        "add",
        "append",
        "prepend",
        "batch",
        "bulk",
        "make",
        "underscores",
        "files",
        "filenames",
        "their",
    ]);
    let place = (0..scan.len()).find(|at| scan.path(*at).is_some() && scan.is_inside(*at) && scan.is_directory(*at));
    if let Some(place) = place {
        scan.mark(place);
    }
    let glob = match &change {
        Change::Ending(from, _) => Some(format!("*.{from}")),
        _ => scan.globs().into_iter().find(|(at, _)| !scan.is_goal(*at)).map(|(at, glob)| {
            scan.mark(at);
            glob
        }),
    };
    if glob
        .as_deref()
        .is_some_and(|glob| !glob.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*?._-".contains(&byte)))
    {
        return Vec::new();
    }
    let deep = scan.take(&["recursive"]);
    if scan.leaves_out() {
        return Vec::new();
    }
    let root = place.and_then(|place| scan.path(place));
    let below = below(&change, glob.clone(), root.as_deref(), &scan);
    if deep {
        return several(below.into_iter().collect(), &scan.used, 0.0, "files-rename");
    }
    let (glob, name, about) = match spelled(&change, glob, reading.place.dialect) {
        Some(spelled) => spelled,
        None => return Vec::new(),
    };
    let command = in_a_loop(&change, reading.place.dialect, &glob, &name);
    let flat = match (&root, reading.place.dialect) {
        // In a subshell, so that the prompt stays where it is.
        (Some(root), Dialect::Zsh | Dialect::Bash) => format!("(cd {} && {command})", scan.quoted(root)),
        (Some(root), Dialect::Fish) => format!("pushd {}; and begin; {command}; popd; end", scan.quoted(root)),
        (None, _) => command,
    };
    // If no file here matches, the query means files further down.
    let is_here = any_here(reading, root.as_deref(), &glob);
    let mut commands = vec![(flat, about)];
    if let Some(below) = below {
        commands.insert(usize::from(is_here), below);
    }
    several(commands, &scan.used, 0.0, "files-rename")
}

/// Renames each file that matches the pattern.
fn in_a_loop(change: &Change, dialect: Dialect, glob: &str, name: &str) -> String {
    match dialect {
        Dialect::Zsh | Dialect::Bash => {
            let test = "[ -f \"$f\" ] && ";
            match change {
                Change::Number(_) => format!("n=1; for f in {glob}; do {test}mv -n -- \"$f\" {name}; n=$((n+1)); done"),
                _ => format!("for f in {glob}; do {test}mv -n -- \"$f\" {name}; done"),
            }
        }
        Dialect::Fish => {
            let test = "test -f $f; and ";
            match change {
                Change::Number(_) => {
                    format!("set n 1; for f in {glob}; {test}mv -n -- $f {name}; set n (math $n + 1); end")
                }
                _ => format!("for f in {glob}; {test}mv -n -- $f {name}; end"),
            }
        }
    }
}

/// Whether something at this level matches the pattern; true when that is not known.
fn any_here(reading: &AnalyzedQuery<'_>, root: Option<&str>, glob: &str) -> bool {
    let cwd = reading.place.cwd.trim_end_matches('/');
    let directory = match root {
        None => cwd.to_owned(),
        Some(root) if root.starts_with('/') => root.to_owned(),
        Some(root) => format!("{cwd}/{}", root.trim_start_matches("./").trim_end_matches('/')),
    };
    let Some(entries) = reading.place.world.entries(&directory).yes() else { return true };
    let glob = glob.replace("\\ ", " ");
    if glob.contains('[') {
        return true;
    }
    entries.iter().any(|entry| fits(&entry.name, &glob))
}

/// Whether a name matches a pattern of letters and stars.
fn fits(name: &str, glob: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The same for all files below: a subshell changes to each file's directory.
fn below(
    change: &Change,
    glob: Option<String>,
    root: Option<&str>,
    scan: &WordScan<'_, '_>,
) -> Option<(String, &'static str)> {
    if matches!(change, Change::Number(_)) {
        return None;
    }
    let (glob, name, about) = spelled(change, glob, Dialect::Bash)?;
    let shell = if matches!(change, Change::Replace(..)) { "bash" } else { "sh" };
    let root = root.map_or(".".to_owned(), |root| scan.quoted(root));
    let script = format!("cd \"${{1%/*}}\" && f=${{1##*/}} && mv -n -- \"$f\" {name}");
    let named = if glob == "*" { String::new() } else { format!(" -name {}", single(&glob.replace("\\ ", " "))) };
    Some((format!("find {root} -type f{named} -exec {shell} -c {} _ {{}} \\;", single(&script)), about))
}

fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.len() < 60
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+,@".contains(&byte))
}

/// The ending of a file's name that the word at `at` means.
fn ending(scan: &WordScan<'_, '_>, at: usize) -> Option<String> {
    match scan.thing(at) {
        Some(Entity::Kind(endings)) if endings.len() == 1 => {
            let low = scan.low(at).trim_start_matches(['*', '.']);
            Some(if scan.low(at).starts_with(['.', '*']) { low.to_owned() } else { endings[0].clone() })
        }
        Some(Entity::Kind(_)) if matches!(scan.low(at), "yaml" | ".yaml") => Some("yaml".to_owned()),
        Some(Entity::Glob(glob)) => glob.strip_prefix("*.").filter(|ending| is_plain(ending)).map(str::to_owned),
        Some(Entity::Path(path)) if path.starts_with('.') && is_plain(path) && !path.starts_with("..") => {
            Some(path[1..].to_owned())
        }
        Some(Entity::Text(text)) if text.starts_with('.') && is_plain(text) && text.len() < 8 => {
            Some(text[1..].to_owned())
        }
        Some(_) => None,
        None => {
            let low = scan.low(at);
            let known =
                crate::embedded::entities::kind(low).is_some_and(|endings| endings.iter().any(|ending| ending == low));
            (known && (scan.is_goal(at) || scan.before(at) == "from" || scan.is_goal(at + 1))
                || scan.is(at + 1, "extension")
                    && is_plain(low)
                    && low.len() <= 5
                    && scan.word(at).is_some_and(|word| word.weight > 0.5))
            .then(|| low.to_owned())
        }
    }
}

/// The text that follows the word at `at`.
fn text_after(scan: &WordScan<'_, '_>, at: usize) -> Option<(usize, String)> {
    let mut place = at + 1;
    while matches!(
        scan.low(place),
        "the" | "a" | "an" | "of" | "prefix" | "suffix" | "word" | "string" | "text" | "called" | "named"
    ) {
        place += 1;
    }
    let word = scan.word(place)?;
    let text = match &word.thing {
        Some(Entity::Text(text)) => text.clone(),
        _ => word.text.clone(),
    };
    is_plain(&text).then_some((place, text))
}

/// The place of a text before the word at `at`: a quoted one, else the word beside it.
fn text_before(scan: &WordScan<'_, '_>, at: usize) -> Option<usize> {
    (0..at).rev().find(|place| matches!(scan.thing(*place), Some(Entity::Text(_)))).or_else(|| {
        at.checked_sub(1).filter(|place| {
            scan.word(*place).is_some_and(|word| {
                word.weight >= 0.9 && !scan.is(*place, "delete") && word.low != "add" && word.low != "remove"
            })
        })
    })
}

fn prefix(scan: &mut WordScan<'_, '_>, at: usize, removes: bool) -> Option<Change> {
    let with = scan.says(&["with"]).filter(|with| *with > at);
    let (place, text) = match (text_before(scan, at), with) {
        (_, Some(with)) => text_after(scan, with)?,
        (Some(before), None) => {
            (before, scan.word(before).map(|word| word.text.clone()).filter(|text| is_plain(text))?)
        }
        (None, None) => text_after(scan, at)?,
    };
    scan.mark(at);
    scan.mark(place);
    Some(if removes { Change::NoPrefix(text) } else { Change::Prefix(text) })
}

fn suffix(scan: &mut WordScan<'_, '_>, at: usize, removes: bool) -> Option<Change> {
    let (place, text) = match text_before(scan, at) {
        Some(before) => (before, scan.word(before).map(|word| word.text.clone()).filter(|text| is_plain(text))?),
        None => text_after(scan, at)?,
    };
    scan.mark(at);
    scan.mark(place);
    Some(if removes {
        Change::NoSuffix(text)
    } else if text.starts_with('.') {
        Change::Behind(text)
    } else {
        Change::Suffix(text)
    })
}

fn spaces(scan: &mut WordScan<'_, '_>) -> Change {
    scan.take_said(&["spaces", "space", "blanks", "whitespace"]);
    let to = if scan.take_said(&["dashes", "dash", "hyphens", "hyphen"]) {
        "-"
    } else if scan.take_said(&["dots", "dot"]) {
        "."
    } else {
        "_"
    };
    scan.take_said(&["underscores", "underscore"]);
    for at in 0..scan.len() {
        if matches!(scan.low(at), "_" | "-") {
            scan.mark(at);
        }
    }
    Change::Replace(" ".to_owned(), to.to_owned())
}

const NUMBERED: &[&str] = &["number", "numbered", "sequential", "sequentially", "numbers", "incrementing"];

fn numbered(scan: &mut WordScan<'_, '_>) -> Option<Change> {
    let base = (0..scan.len())
        .find(|at| matches!(scan.thing(*at), Some(Entity::Text(_))))
        .and_then(|at| scan.word(at).map(|word| (at, word.text.clone())));
    scan.take_said(NUMBERED);
    let base = match base {
        Some((at, base)) if is_plain(&base) => {
            scan.mark(at);
            base
        }
        Some(_) => return None,
        None => String::new(),
    };
    Some(Change::Number(base))
}

fn change(scan: &mut WordScan<'_, '_>) -> Option<Change> {
    let reading = scan.reading;
    // Two endings: renames from the first to the second.
    let endings: Vec<(usize, String)> =
        (0..scan.len()).filter_map(|at| ending(scan, at).map(|ending| (at, ending))).collect();
    let to_other = endings.len() == 2
        && (scan.is_goal(endings[1].0) || scan.before(endings[1].0) == "with" || scan.leads(endings[1].0) == "with");
    if to_other
        && (reading.has("rename") || reading.has("change") || reading.has("extension") || reading.has("replace"))
    {
        let ((from_at, from), (to_at, to)) = (endings[0].clone(), endings[1].clone());
        scan.mark(from_at);
        scan.mark(to_at);
        return (from != to).then_some(Change::Ending(from, to));
    }
    if scan.take_said(&["lowercase", "lower", "lowercased", "小写"]) {
        scan.take(&["case"]);
        scan.take_said(&["case"]);
        return Some(Change::Lower);
    }
    if scan.take_said(&["uppercase", "upper", "capitals"]) {
        scan.take_said(&["case"]);
        return Some(Change::Upper);
    }
    let removes = reading.has("delete") || scan.says(&["remove", "strip", "without", "drop"]).is_some();
    if let Some(at) = scan.says(&["prefix", "prepend", "prefixed"]) {
        return prefix(scan, at, removes);
    }
    if let Some(at) = scan.says(&["suffix"]) {
        return suffix(scan, at, removes);
    }
    if reading.has("extension") && endings.len() == 1 && scan.says(&["add", "append"]).is_some() {
        let (at, ending) = endings[0].clone();
        scan.mark(at);
        return Some(Change::Behind(format!(".{ending}")));
    }
    if scan.says(&["spaces", "space", "blanks", "whitespace"]).is_some() && !removes {
        return Some(spaces(scan));
    }
    if scan.says(&["spaces", "space"]).is_some() && removes {
        scan.take_said(&["spaces", "space"]);
        return Some(Change::Replace(" ".to_owned(), String::new()));
    }
    if scan.says(NUMBERED).is_some() {
        return numbered(scan);
    }
    if (reading.has("replace") || reading.has("change") || reading.has("rename")) && reading.has("name") {
        let verb = reading.any(&["replace", "change"])?;
        let (from_at, from) = text_after(scan, verb)?;
        let with = (from_at + 1..scan.len()).find(|at| matches!(scan.low(*at), "with" | "by" | "to" | "into"))?;
        let (to_at, to) = text_after(scan, with)?;
        scan.mark(from_at);
        scan.mark(to_at);
        return Some(Change::Replace(from, to));
    }
    if removes && reading.has("name") {
        let verb = reading.any(&["delete"]).or_else(|| scan.says(&["remove", "strip", "drop"]))?;
        let (at, text) = text_after(scan, verb)?;
        if scan.is(at, "file") || scan.is(at, "all") || scan.is(at, "directory") {
            return None;
        }
        scan.mark(at);
        scan.take_said(&["strip", "drop", "word", "string", "text"]);
        return Some(Change::Replace(text, String::new()));
    }
    None
}

/// The pattern of the names, the new name for `$f`, and the description.
fn spelled(change: &Change, glob: Option<String>, dialect: Dialect) -> Option<(String, String, &'static str)> {
    let fish = dialect == Dialect::Fish;
    let any = || glob.clone().unwrap_or_else(|| "*".to_owned());
    // The ending that the pattern matches, so that a suffix goes before it.
    let ending =
        glob.as_deref().and_then(|glob| glob.strip_prefix("*.")).filter(|ending| is_plain(ending)).map(str::to_owned);
    Some(match change {
        Change::Ending(from, to) if is_plain(from) && is_plain(to) => {
            let name = if fish {
                format!("(string replace -r '\\.{from}$' .{to} $f)")
            } else {
                format!("\"${{f%.{from}}}.{to}\"")
            };
            (any(), name, "gives the files another ending")
        }
        Change::Ending(..) => return None,
        Change::Lower | Change::Upper => {
            let is_lower = matches!(change, Change::Lower);
            let (from, to, word) = if is_lower { ("upper", "lower", "lower") } else { ("lower", "upper", "upper") };
            let name = if fish {
                format!("(string {word} $f)")
            } else {
                format!("\"$(printf %s \"$f\" | tr '[:{from}:]' '[:{to}:]')\"")
            };
            let glob = match (&glob, fish) {
                (Some(glob), _) => glob.clone(),
                (None, true) => "*".to_owned(),
                // Matches only names that change: mv complains about the others.
                (None, false) => format!("*[[:{from}:]]*"),
            };
            (glob, name, "changes the case of the names")
        }
        Change::Replace(from, to) => {
            let blank = from == " ";
            let pattern = if blank { "*\\ *".to_owned() } else { format!("*{from}*") };
            let pattern = match &glob {
                Some(glob) if blank => format!("*\\ {glob}"),
                Some(glob) => format!("*{from}{glob}"),
                None => pattern,
            };
            let name = if fish {
                format!("(string replace -a '{from}' '{to}' $f)")
            } else {
                format!("\"${{f//{from}/{to}}}\"")
            };
            (pattern, name, "replaces it in the names")
        }
        Change::Prefix(prefix) => {
            let name = if fish { format!("{prefix}$f") } else { format!("\"{prefix}$f\"") };
            (any(), name, "puts it before the names")
        }
        Change::Suffix(suffix) => {
            let name = match (ending, fish) {
                (Some(ending), false) => format!("\"${{f%.{ending}}}{suffix}.{ending}\""),
                (Some(ending), true) => format!("(string replace -r '\\.{ending}$' '{suffix}.{ending}' $f)"),
                (None, false) => format!("\"${{f%.*}}{suffix}.${{f##*.}}\""),
                (None, true) => format!("(string replace -r '(\\.[^.]*)$' '{suffix}$1' $f)"),
            };
            let glob = if glob.is_none() { "*.*".to_owned() } else { any() };
            (glob, name, "puts it behind the names")
        }
        Change::Behind(text) => {
            let name = if fish { format!("$f{text}") } else { format!("\"$f{text}\"") };
            (any(), name, "puts it behind the names")
        }
        Change::NoPrefix(prefix) => {
            let name =
                if fish { format!("(string replace -r '^{prefix}' '' $f)") } else { format!("\"${{f#{prefix}}}\"") };
            (format!("{prefix}*"), name, "takes it from the front of the names")
        }
        Change::NoSuffix(suffix) => {
            let name =
                if fish { format!("(string replace -r '{suffix}$' '' $f)") } else { format!("\"${{f%{suffix}}}\"") };
            (format!("*{suffix}"), name, "takes it from the end of the names")
        }
        Change::Number(base) => {
            let ending = ending.map(|ending| format!(".{ending}"))?;
            let name = if fish { format!("{base}$n{ending}") } else { format!("\"{base}$n{ending}\"") };
            (any(), name, "numbers the files")
        }
    })
}
