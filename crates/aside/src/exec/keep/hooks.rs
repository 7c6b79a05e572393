//! By which files of a workspace git may run commands later, and which of them a command has changed. Landlock cannot except a directory
//! within one that may be written, and git itself has to write there: so it is told instead of refused.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Names from the workspace, with what tells one state of a file from another. The kernel sets the time, and nobody else can.
pub type Hooks = BTreeMap<String, (u64, i64, i64)>;

const SETTINGS: [&str; 3] = [".git/config", ".git/config.worktree", ".git"];
const HOOKS: &str = ".git/hooks";
/// Git itself brings a dozen.
const MAX_HOOKS: usize = 200;
/// One says enough.
const MAX_TOLD: usize = 5;

pub fn hooks(workspace: &Path) -> Hooks {
    let entries = std::fs::read_dir(workspace.join(HOOKS)).into_iter().flatten().flatten().take(MAX_HOOKS);
    let hooks = entries.filter_map(|entry| Some(format!("{HOOKS}/{}", entry.file_name().to_str()?)));
    let names = hooks.chain(SETTINGS.map(str::to_owned));
    names
        .filter_map(|name| {
            let file = std::fs::symlink_metadata(workspace.join(&name)).ok()?;
            // Of a directory it only matters which one it is.
            let changed = if file.is_dir() { (0, 0) } else { (file.ctime(), file.ctime_nsec()) };
            Some((name, (file.ino(), changed.0, changed.1)))
        })
        .collect()
}

pub fn changed(before: &Hooks, after: &Hooks) -> Vec<String> {
    let new = after.iter().filter(|(name, state)| before.get(*name) != Some(state));
    new.map(|(name, _)| name.clone()).take(MAX_TOLD).collect()
}
