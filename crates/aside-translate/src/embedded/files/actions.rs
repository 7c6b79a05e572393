//! Renders what is done to the files of a query: removed, moved, copied, their permissions changed, printed. Only what
//! the words ask for, and with all the filters they name.

use shell_line::Dialect;

use crate::ToolFlavor;
use crate::embedded::files::query::{Action, Destination, FileType, OutputShape, Query, SearchDepth, SortKey, Test};
use crate::embedded::files::spelling::{CommandSpelling, ExplainedCommand};

pub fn render(spell: &CommandSpelling<'_, '_>) -> Vec<ExplainedCommand> {
    let query = spell.query;
    if query.order.is_some() || query.shape != OutputShape::Names && query.shape != OutputShape::DuplicateContents {
        return ordered(spell);
    }
    if query.shape == OutputShape::DuplicateContents {
        return Vec::new();
    }
    match &query.action {
        Action::Show => Vec::new(),
        Action::Delete => delete(spell),
        Action::Move(goal) => transfer(spell, goal, "mv"),
        Action::Copy(goal) => transfer(spell, goal, "cp"),
        Action::Rights(mode) => each(spell, &format!("chmod {mode}"), "changes what may be done with the files"),
        Action::Owner(user) => each(spell, &format!("sudo chown {}", spell.path(user)), "changes who owns the files"),
        Action::Print => each(spell, "cat", "prints the files"),
        Action::Gzip => each(spell, "gzip", "compresses each of the files"),
        Action::Sum(sum) => each(spell, sum_tool(spell.system(), sum), "prints a checksum for each of the files"),
        Action::Kind => each(spell, "file", "says what each of the files is"),
    }
}

pub fn sum_tool(system: ToolFlavor, sum: &'static str) -> &'static str {
    match (system, sum) {
        (ToolFlavor::Bsd, "md5sum") => "md5 -r",
        (ToolFlavor::Bsd, "sha256sum") => "shasum -a 256",
        (ToolFlavor::Bsd, "sha512sum") => "shasum -a 512",
        (ToolFlavor::Bsd, "sha1sum") => "shasum",
        _ => sum,
    }
}

/// The shell pattern when name patterns are the only filter, so that no find is needed.
fn globs(query: &Query) -> Option<String> {
    let plain = query.tests.is_empty()
        && query.also.is_empty()
        && query.not_names.is_empty()
        && query.avoid.is_empty()
        && query.texts.is_empty()
        && !query.any_case
        && query.max_depth.is_none()
        && query.min_depth.is_none()
        && matches!(query.what, FileType::Files | FileType::Unsaid);
    // A pattern that matches nothing would abort the whole line, so only a single one is allowed.
    let [name] = query.names.as_slice() else { return None };
    let is_safe = !name.is_loose
        && name.glob.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*?._-".contains(&byte))
        && name.glob.contains('*');
    let root = match query.roots.as_slice() {
        [] => "",
        [root] if root.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte)) => root,
        _ => return None,
    };
    let slash = if root.is_empty() || root.ends_with('/') { "" } else { "/" };
    (plain && is_safe).then(|| format!("{root}{slash}{}", name.glob))
}

/// Without a word about depth a pattern means the files here; files further down would be a surprise.
fn flat_first(query: &Query) -> bool {
    matches!(query.reach, SearchDepth::Here | SearchDepth::Flat)
}

fn delete(spell: &CommandSpelling<'_, '_>) -> Vec<ExplainedCommand> {
    let query = spell.query;
    let about = || "deletes the files".to_owned();
    let mut flat = query.clone();
    flat.reach = SearchDepth::Flat;
    let mut deep = query.clone();
    deep.reach = SearchDepth::Deep;
    let remove = |spell: &CommandSpelling<'_, '_>| {
        let find = spell.find();
        let holds = spell.query.texts.len() == 1 && !spell.query.texts.iter().any(|text| text.is_negated);
        if holds && let Some(text) = spell.query.texts.first() {
            let mut query = spell.query.clone();
            query.texts.clear();
            let find = spell.with(&query).find();
            let text = super::spelling::pattern(&text.text);
            return (format!("{find} -exec grep -q{} {text} {{}} \\; -delete", spell.grep_case()), about());
        }
        let is_full = matches!(spell.query.what, FileType::Directories | FileType::Both)
            && !spell.query.tests.iter().any(|filter| filter.test == Test::Empty && !filter.is_negated);
        if is_full && (spell.query.what == FileType::Directories || spell.query.has_filter()) {
            // `-prune`: rm removes the contents too, so find must not descend.
            return (
                format!("{find} -prune -exec rm -r {{}} +"),
                "deletes the directories and all that is in them".to_owned(),
            );
        }
        let about = if is_full && !spell.query.has_filter() && spell.query.tests.is_empty() {
            "deletes everything, hidden files and .git too".to_owned()
        } else {
            about()
        };
        (format!("{find} -delete"), about)
    };
    let hidden = query.tests.iter().any(|filter| filter.test == Test::Hidden);
    let special = matches!(query.what, FileType::Links | FileType::BrokenLinks | FileType::Sockets | FileType::Pipes);
    let unlimited =
        !special && query.names.is_empty() && query.also.is_empty() && query.tests.is_empty() && query.texts.is_empty();
    if unlimited && matches!(query.what, FileType::Directories) && query.avoid.is_empty() {
        // All directories there are: does not guess.
        return Vec::new();
    }
    if unlimited && query.what == FileType::Both && query.not_names.is_empty() && query.avoid.is_empty() {
        return vec![remove(&spell.with(&deep))];
    }
    if unlimited || !query.not_names.is_empty() && query.names.is_empty() {
        // Without a filter, or with only exclusions, stays at this level.
        return match query.reach {
            SearchDepth::Deep => vec![remove(&spell.with(&deep))],
            SearchDepth::Flat => vec![remove(&spell.with(&flat))],
            _ if query.what == FileType::Both => vec![remove(&spell.with(&flat))],
            _ => vec![remove(&spell.with(&flat)), remove(&spell.with(&deep))],
        };
    }
    let mut all = Vec::new();
    if query.reach != SearchDepth::Deep {
        match globs(query) {
            Some(glob) => all.push((format!("rm {glob}"), about())),
            None => all.push(remove(&spell.with(&flat))),
        }
    }
    if query.reach != SearchDepth::Flat {
        let below = remove(&spell.with(&deep));
        if flat_first(query) || hidden { all.push(below) } else { all.insert(0, below) }
    }
    all
}

fn transfer(spell: &CommandSpelling<'_, '_>, goal: &Destination, tool: &str) -> Vec<ExplainedCommand> {
    let query = spell.query;
    let about = if tool == "mv" { "moves the files" } else { "copies the files" };
    let path = goal.path.trim_end_matches('/');
    let path = if path.is_empty() { "/" } else { path };
    let target = spell.path(path);
    let make = if goal.is_there || path.starts_with('/') || path.starts_with("..") {
        String::new()
    } else {
        format!("mkdir -p {target} && ")
    };
    let mut all = Vec::new();
    let deep_said = query.reach == SearchDepth::Deep;
    let by_find = |query: &Query| {
        let mut query = query.clone();
        // Excludes the destination: what is already there stays, and a directory is not moved into itself.
        if query.reach != SearchDepth::Flat && !path.starts_with(['/', '~', '.', '$']) && query.roots.is_empty() {
            query.avoid.push(path.to_owned());
        }
        let recursive = if tool == "cp" && query.what == FileType::Directories { " -r" } else { "" };
        if query.texts.len() == 1 && !query.texts[0].is_negated {
            let text = super::spelling::pattern(&query.texts[0].text);
            query.texts.clear();
            let find = spell.with(&query).find();
            return (
                format!("{make}{find} -exec grep -q {text} {{}} \\; -exec {tool} {{}} {target}/ \\;"),
                about.to_owned(),
            );
        }
        let find = spell.with(&query).find();
        match spell.system() {
            ToolFlavor::Gnu => (format!("{make}{find} -exec {tool}{recursive} -t {target} {{}} +"), about.to_owned()),
            ToolFlavor::Bsd | ToolFlavor::Busybox => {
                (format!("{make}{find} -exec {tool}{recursive} {{}} {target}/ \\;"), about.to_owned())
            }
        }
    };
    let unlimited = !query.has_filter();
    let mut flat = query.clone();
    flat.reach = SearchDepth::Flat;
    if let Some(glob) = globs(query).filter(|_| !deep_said) {
        all.push((format!("{make}{tool} {glob} {target}/"), about.to_owned()));
    } else if !deep_said && (unlimited || query.tests.is_empty() || flat_first(query)) {
        if unlimited && matches!(query.what, FileType::Both | FileType::Directories) {
            return Vec::new();
        }
        all.push(by_find(&flat));
    }
    if query.reach != SearchDepth::Flat && !unlimited {
        all.push(by_find(query));
    }
    if all.len() == 1 && !deep_said && !query.tests.is_empty() {
        all.push(by_find(&flat));
    }
    all
}

/// Runs the same command for each file.
fn each(spell: &CommandSpelling<'_, '_>, command: &str, about: &str) -> Vec<ExplainedCommand> {
    let query = spell.query;
    let about = || about.to_owned();
    let find = |reach: SearchDepth| {
        let mut query = query.clone();
        query.reach = reach;
        (format!("{} -exec {command} {{}} +", spell.with(&query).find()), about())
    };
    let glob = globs(query).map(|glob| (format!("{command} {glob}"), about()));
    let unlimited = !query.has_filter();
    let by_one_name = query.tests.is_empty() && query.names.iter().all(|name| !name.glob.contains('*'));
    if by_one_name && matches!(query.action, Action::Gzip) {
        return Vec::new();
    }
    if unlimited && query.roots.is_empty() && query.reach == SearchDepth::Unsaid && matches!(query.action, Action::Gzip)
    {
        return Vec::new();
    }
    let mut all = Vec::new();
    match query.reach {
        SearchDepth::Deep => all.push(find(SearchDepth::Deep)),
        SearchDepth::Flat => all.push(glob.unwrap_or_else(|| find(SearchDepth::Flat))),
        SearchDepth::Here => {
            all.push(glob.unwrap_or_else(|| find(SearchDepth::Flat)));
            all.push(find(SearchDepth::Deep));
        }
        SearchDepth::Unsaid => {
            all.push(find(SearchDepth::Deep));
            all.push(glob.unwrap_or_else(|| find(SearchDepth::Flat)));
        }
    }
    let shown = matches!(query.action, Action::Print | Action::Gzip | Action::Sum(_));
    if shown && query.tests.is_empty() && query.reach == SearchDepth::Unsaid {
        all.reverse();
    }
    all
}

/// The largest, the oldest: sorted names are piped to a command. Only in forms that survive names with blanks.
fn ordered(spell: &CommandSpelling<'_, '_>) -> Vec<ExplainedCommand> {
    let query = spell.query;
    let Action::Delete = query.action else { return Vec::new() };
    let (Some(order), Some(top), OutputShape::Names) = (query.order, query.top, query.shape) else { return Vec::new() };
    if matches!(query.what, FileType::Directories | FileType::Both) {
        return Vec::new();
    }
    let mut listed = query.clone();
    listed.action = Action::Show;
    listed.base_names = true;
    if query.reach == SearchDepth::Here {
        listed.reach = SearchDepth::Flat;
    }
    let list = spell.with(&listed).found().0;
    let rm = match (spell.system(), spell.place.dialect) {
        (ToolFlavor::Gnu, _) => "xargs -r -d '\\n' rm",
        (_, Dialect::Fish | Dialect::Zsh | Dialect::Bash) => "while IFS= read -r f; do rm \"$f\"; done",
    };
    if spell.place.dialect == Dialect::Fish && spell.system() != ToolFlavor::Gnu {
        return Vec::new();
    }
    let about = "deletes the files";
    let listed = (format!("{list} | {rm}"), about.to_owned());
    // For the current directory ls is the easiest to read.
    if !query.has_filter()
        && query.roots.is_empty()
        && query.reach != SearchDepth::Deep
        && matches!(order.key, SortKey::Time | SortKey::Size)
    {
        let letter = if order.key == SortKey::Time { 't' } else { 'S' };
        let reversed = if order.is_down { "" } else { "r" };
        let cut = if query.is_rest { format!("tail -n +{}", top.saturating_add(1)) } else { format!("head -n {top}") };
        let flat = (format!("ls -{letter}{reversed}p | grep -v / | {cut} | {rm}"), about.to_owned());
        return if query.reach == SearchDepth::Unsaid && !query.is_rest { vec![listed, flat] } else { vec![flat] };
    }
    vec![listed]
}
