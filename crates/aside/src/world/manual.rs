//! The man page of a program, as plain text. Decides which names may be asked for; core parses the page.

use std::sync::Arc;

use crate::exec::{Probe, probe};

/// Longer than any program's name.
const MAX_NAME: usize = 64;

pub fn page(command: &str, path: &str) -> Option<Arc<str>> {
    if !is_fit(command) {
        return None;
    }
    let text = probe(&Probe::Manual { command, path })?;
    (!text.trim().is_empty()).then(|| text.into())
}

/// A plain name: neither a path, which man would read as a page itself, nor an option.
pub fn is_fit(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    first
        && name.len() <= MAX_NAME
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_plain_names_are_asked_for() {
        for name in ["ls", "g++", "x-y_z", "7z", "mkfs.ext4"] {
            assert!(is_fit(name), "{name}");
        }
        for name in ["", "-k", "a/b", "./x", ".x", "a b", "ü", "a\nb", "$(x)", &"x".repeat(65)] {
            assert!(!is_fit(name), "{name}");
        }
    }

    #[test]
    fn what_man_prints_is_the_page() {
        let temp = tempfile::tempdir().unwrap();
        let man = temp.path().join("man");
        // A stub that prints its arguments.
        std::fs::write(&man, "#!/bin/sh\n[ \"$5\" = missing ] && exit 16\necho \"$*\"; echo \"$MANPAGER\"\n").unwrap();
        std::fs::set_permissions(&man, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", temp.path().display());
        assert_eq!(page("frob", &path).as_deref(), Some("-S 1:8:6 -P cat frob\ncat\n"));
        assert_eq!(page("missing", &path), None);
        assert_eq!(page("../frob", &path), None);
    }
}
