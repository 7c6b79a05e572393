//! The part of the plugin that zsh reads after its first prompt is drawn, and bash at the first Enter. Reading it earlier would take longer
//! than everything else that Aside does until then, so it is left in a file; where other users could change such a file, `aside init` prints
//! it instead.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};

use shell_line::Dialect;

use crate::cli::init::{parts, quoted, stripped};
use crate::paths::{is_private, rest_file};
use crate::trusted_file;

/// In the order in which zsh reads them.
pub const FILES: [&str; 11] = [
    include_str!("../../../shell/aside.zsh"),
    include_str!("../../../shell/aside.show.zsh"),
    include_str!("../../../shell/aside.menu.zsh"),
    include_str!("../../../shell/aside.keys.zsh"),
    include_str!("../../../shell/aside.borrow.zsh"),
    include_str!("../../../shell/aside.names.zsh"),
    include_str!("../../../shell/aside.query.zsh"),
    include_str!("../../../shell/aside.below.zsh"),
    include_str!("../../../shell/aside.talk.zsh"),
    include_str!("../../../shell/aside.said.zsh"),
    include_str!("../../../shell/aside.next.zsh"),
];
const PLAIN: &str = include_str!("../../../shell/aside.plain.zsh");

/// What bash reads at the first Enter, or at the first key of ours.
pub const BASH: [&str; 3] = [
    include_str!("../../../shell/aside.answer.bash"),
    include_str!("../../../shell/aside.query.bash"),
    include_str!("../../../shell/aside.keys.bash"),
];

/// Bytes before the first part: the mark, then the length of each part. aside.first.zsh depends on it.
const HEAD: usize = 1024;

pub struct DeferredPlugin {
    parts: Vec<String>,
    /// The part that runs under the user's own options.
    plain: String,
    /// A digest of exactly this text: a file of another version is not used.
    mark: String,
}

/// Comes first, since the files use it.
pub fn words() -> String {
    let set = |name: &str, words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        format!("typeset -ga {name}\n{name}=({})\n", words.join(" "))
    };
    super::words(Dialect::Zsh, set)
}

impl DeferredPlugin {
    pub fn new() -> Self {
        let mut parts = [vec![words()], parts(&FILES.concat())].concat();
        // The last function may have filled the last part exactly.
        parts.retain(|part| !part.is_empty());
        let plain = self::parts(PLAIN).concat();
        let mark = digest(parts.iter().chain([&plain]).map(String::as_str));
        Self { parts, plain, mark }
    }

    /// The file's format: the mark at both ends, so that a partial file is recognized.
    fn text(&self) -> String {
        let Self { parts, plain, mark } = self;
        let parts = || parts.iter().chain([plain]);
        let lengths: Vec<String> = parts().map(|part| part.len().to_string()).collect();
        let head = format!("{mark} {}", lengths.join(" "));
        let parts: String = parts().map(String::as_str).collect();
        format!("{head:<HEAD$}{parts}{mark}")
    }

    /// Writes the file, and returns the settings that tell the plugin where it is.
    pub fn settings(&self, socket: &Path) -> String {
        let Self { parts, plain, mark } = self;
        // Quotes every word, since any may be an alias.
        let set = "'builtin' 'typeset'";
        match leave(rest_file(socket, "zsh"), &self.text()) {
            Some(file) => {
                let file = quoted(&file.display().to_string());
                format!(
                    "{set} '-ga' _aside_rest\n_aside_rest=()\n{set} '-g' _aside_plain= _aside_file={file} _aside_mark={}\n",
                    quoted(mark)
                )
            }
            None => {
                let parts: String = parts.iter().map(|part| quoted(part) + " ").collect();
                format!(
                    "{set} '-ga' _aside_rest\n_aside_rest=({parts})\n{set} '-g' _aside_file= _aside_plain={}\n",
                    quoted(plain)
                )
            }
        }
    }
}

/// Where the file is and its digest, for bash; or its text.
pub fn of_bash(socket: &Path) -> String {
    let text = BASH.map(stripped).concat();
    let digest = digest([&*text]);
    match leave(rest_file(socket, "bash"), &format!("# {digest}\n{text}")) {
        Some(file) => {
            format!("_aside_late={} _aside_digest={}\n", quoted(&file.display().to_string()), quoted(&digest))
        }
        None => format!("_aside_late=''\n{text}"),
    }
}

fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = DefaultHasher::new();
    parts.into_iter().for_each(|part| hasher.write(part.as_bytes()));
    format!("aside {} {:016x}", env!("CARGO_PKG_VERSION"), hasher.finish())
}

/// Writes the file where no other user can write, and returns its path then.
fn leave(file: PathBuf, text: &str) -> Option<PathBuf> {
    let dir = file.parent().filter(|dir| is_private(dir) && trusted_file::is_ours(dir))?;
    // We left a plain file; a link, a pipe or anything else is not ours.
    let is_file = std::fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() == text.len() as u64);
    if !is_file || std::fs::read(&file).ok()? != text.as_bytes() {
        let mut new = tempfile::Builder::new().prefix(".aside-").tempfile_in(dir).ok()?;
        new.write_all(text.as_bytes()).ok()?;
        new.persist(&file).ok()?;
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_left_whole_where_only_we_can_write() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let (socket, file) = (temp.path().join("s.sock"), temp.path().join("s.sock.zsh"));
        let rest = DeferredPlugin::new();
        let left = || std::fs::read_to_string(&file).unwrap();
        for before in [None, Some("half of it"), Some(&*rest.text())] {
            if let Some(before) = before {
                std::fs::write(&file, before).unwrap();
            }
            let settings = rest.settings(&socket);
            assert!(settings.len() < 1000 && settings.contains("/s.sock.zsh' "), "{settings}");
            assert_eq!(left(), rest.text());
        }
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
        // Another user could change it between check and use.
        std::fs::write(&file, "theirs").unwrap();
        std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let settings = rest.settings(&socket);
        assert!(settings.contains("_aside_file= ") && settings.contains("_aside_edit"), "{settings}");
        assert_eq!(left(), "theirs");
    }

    #[test]
    fn it_can_be_taken_apart() {
        let DeferredPlugin { parts, plain, mark } = DeferredPlugin::new();
        assert!(parts.len() * "2000 ".len() + mark.len() < HEAD - 50, "aside.first.zsh reads {HEAD} bytes of lengths");
        assert!(parts.iter().chain([&plain]).all(|part| !part.is_empty()), "there is nothing to read of an empty one");
        assert!(!mark.contains(['*', '?', '[', '(', '|', '\'', '\\']), "it stands in a pattern");
    }
}
