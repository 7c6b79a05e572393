//! By which files of a workspace git may run commands later, and which of them a command has changed. Landlock cannot except a directory
//! within one that may be written, and git itself has to write there: so it is told instead of refused.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Names from the workspace, with what tells one state of a file from another. The kernel sets the time, and nobody else can.
pub type Hooks = BTreeMap<String, (u64, i64, i64)>;

const SETTINGS: [&str; 6] =
    [".git/config", ".git/config.worktree", ".git", ".git/commondir", ".git/info/attributes", ".gitmodules"];
const HOOKS: &str = ".git/hooks";
const MODULES: &str = ".git/modules";
/// Git itself brings a dozen.
const MAX_HOOKS: usize = 200;
const MAX_MODULES: usize = 50;
/// Longer settings are not read for what they include.
const MAX_SETTINGS: u64 = 1024 * 1024;
/// One says enough.
const MAX_TOLD: usize = 5;

pub fn hooks(workspace: &Path) -> Hooks {
    let listed = |directory: &str, most: usize| -> Vec<String> {
        let entries = std::fs::read_dir(workspace.join(directory)).into_iter().flatten().flatten().take(most);
        entries.filter_map(|entry| Some(format!("{directory}/{}", entry.file_name().to_str()?))).collect()
    };
    let mut names: Vec<String> = SETTINGS.map(str::to_owned).to_vec();
    names.extend(listed(HOOKS, MAX_HOOKS));
    for module in listed(MODULES, MAX_MODULES) {
        names.push(format!("{module}/config"));
        names.extend(listed(&format!("{module}/hooks"), MAX_HOOKS));
    }
    for named in named(workspace) {
        names.extend(listed(&named, MAX_HOOKS));
        names.push(named);
    }
    let states = names.into_iter().flat_map(|name| {
        let path = workspace.join(&name);
        // A link may be changed, and so may what it leads to.
        let (own, there) = (std::fs::symlink_metadata(&path), std::fs::metadata(&path));
        let there = there.ok().map(|file| (format!("{name} (what it leads to)"), file));
        let is_link = own.as_ref().is_ok_and(|file| file.file_type().is_symlink());
        own.ok().map(|file| (name, file)).into_iter().chain(there.filter(|_| is_link))
    });
    states
        .map(|(name, file)| {
            // Of a directory it only matters which one it is.
            let changed = if file.is_dir() { (0, 0) } else { (file.ctime(), file.ctime_nsec()) };
            (name, (file.ino(), changed.0, changed.1))
        })
        .collect()
}

/// Files of settings that the repository's own include, and its directory of hooks, as far as they are in the workspace.
fn named(workspace: &Path) -> Vec<String> {
    let git = workspace.join(".git");
    let settings = git.join("config");
    let is_short = std::fs::metadata(&settings).is_ok_and(|file| file.is_file() && file.len() <= MAX_SETTINGS);
    let text = if is_short { std::fs::read_to_string(settings).unwrap_or_default() } else { String::new() };
    let values = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let key = key.trim().to_ascii_lowercase();
        let base = match key.as_str() {
            "path" => &*git,
            "hookspath" => workspace,
            _ => return None,
        };
        let place = base.join(value.trim().trim_matches('"'));
        let inside = place.strip_prefix(workspace).ok()?.to_str()?.to_owned();
        (!inside.contains("..")).then_some(inside)
    });
    values.take(MAX_MODULES).collect()
}

pub fn changed(before: &Hooks, after: &Hooks) -> Vec<String> {
    let new = after.iter().filter(|(name, state)| before.get(*name) != Some(state));
    new.map(|(name, _)| name.clone()).take(MAX_TOLD).collect()
}
