//! Finds the mount of a path without touching the path: an unresponsive mount is found in the list of mounts.

use std::path::{Path, PathBuf};

/// The mount point of this path; the path itself where that is the root, or unknown. Compares text only: does not resolve links.
pub fn mount_point(path: &Path) -> PathBuf {
    // The kernel lists mounts from memory, so this does not block.
    let listed = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    longest(&listed, path).unwrap_or_else(|| path.to_owned())
}

fn longest(listed: &str, path: &Path) -> Option<PathBuf> {
    let places = listed.lines().filter_map(|row| row.split(' ').nth(4)).map(unescaped);
    let around = places.filter(|place| place != Path::new("/") && path.starts_with(place));
    around.max_by_key(|place| place.as_os_str().len())
}

/// Decodes octal escapes: a blank is `\040` there.
fn unescaped(place: &str) -> PathBuf {
    let mut plain = String::with_capacity(place.len());
    let mut rest = place;
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let code = behind.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                plain.push(char::from(code));
                rest = behind.get(3..).unwrap_or_default();
            }
            None => {
                plain.push('\\');
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    PathBuf::from(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_is_found_by_its_name() {
        let listed = "\
21 1 254:0 / / rw - ext4 /dev/vda rw
30 21 0:5 / /mnt/dead rw - nfs x:/ rw
31 21 0:6 / /mnt/dead/inner rw - nfs x:/ rw
32 21 0:7 / /mnt/with\\040blank rw - nfs x:/ rw
";
        let at = |path: &str| longest(listed, Path::new(path)).map(|place| place.display().to_string());
        assert_eq!(at("/mnt/dead/a/b").as_deref(), Some("/mnt/dead"));
        assert_eq!(at("/mnt/dead/inner/x").as_deref(), Some("/mnt/dead/inner"));
        assert_eq!(at("/mnt/with blank/x").as_deref(), Some("/mnt/with blank"));
        assert_eq!(at("/mnt/deadly"), None);
        assert_eq!(at("/home"), None);
        assert_eq!(mount_point(Path::new("/")), Path::new("/"));
    }
}
