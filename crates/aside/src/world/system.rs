//! Which vendor's tools are installed (GNU, BSD, BusyBox). Checks where a tool's link leads, and runs none.

use std::path::Path;
use std::sync::LazyLock;

use aside_translate::ToolFlavor;

/// Which flags the tools on this PATH take.
pub fn system(path: &str) -> ToolFlavor {
    if cfg!(any(target_os = "macos", target_os = "freebsd", target_os = "openbsd", target_os = "netbsd")) {
        return ToolFlavor::Bsd;
    }
    let directories = path.split(':').filter(|directory| directory.starts_with('/'));
    let find = directories.map(|directory| Path::new(directory).join("find")).find(|find| find.exists());
    let leads_to = find.and_then(|find| find.canonicalize().ok());
    match leads_to.as_deref().and_then(Path::file_name) {
        Some(name) if name.to_string_lossy().starts_with("busybox") => ToolFlavor::Busybox,
        Some(_) | None => ToolFlavor::Gnu,
    }
}

/// The system's name and version: `Ubuntu 24.04.1 LTS`, `macOS 15.1`.
pub fn os() -> &'static str {
    static OS: LazyLock<String> = LazyLock::new(|| {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let name = if cfg!(target_os = "macos") {
            macos(&read("/System/Library/CoreServices/SystemVersion.plist"))
        } else {
            pretty_name(&read("/etc/os-release"))
        };
        name.unwrap_or_else(|| std::env::consts::OS.to_owned())
    });
    &OS
}

fn pretty_name(release: &str) -> Option<String> {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned()).filter(|name| !name.is_empty())
}

fn macos(plist: &str) -> Option<String> {
    let (_, rest) = plist.split_once("<key>ProductVersion</key>")?;
    let (version, _) = rest.split_once("<string>")?.1.split_once("</string>")?;
    Some(format!("macOS {version}"))
}

/// Both, for callers that must not block on a disk.
pub async fn looked_up(path: &str) -> (ToolFlavor, &'static str) {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || (system(&path), os())).await.unwrap_or_default()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_machine_says_what_it_is() {
        assert_eq!(pretty_name("ID=x\nPRETTY_NAME=\"Some Linux 1.2\"\n").as_deref(), Some("Some Linux 1.2"));
        assert_eq!(pretty_name("ID=x\n"), None);
        let plist = "<key>ProductVersion</key>\n\t<string>15.1</string>";
        assert_eq!(macos(plist).as_deref(), Some("macOS 15.1"));
    }

    #[test]
    fn a_busybox_is_known_by_its_links() {
        let temp = tempfile::tempdir().unwrap();
        for directory in ["gnu", "busy"] {
            std::fs::create_dir(temp.path().join(directory)).unwrap();
        }
        std::fs::write(temp.path().join("gnu/find"), "").unwrap();
        std::fs::write(temp.path().join("busy/busybox"), "").unwrap();
        symlink("busybox", temp.path().join("busy/find")).unwrap();
        let path = |first: &str, second: &str| {
            let [first, second] = [first, second].map(|name| temp.path().join(name).display().to_string());
            format!("{first}:{second}")
        };
        assert_eq!(system(&path("gnu", "busy")), ToolFlavor::Gnu);
        assert_eq!(system(&path("busy", "gnu")), ToolFlavor::Busybox);
        assert_eq!(system(&path("none", "busy")), ToolFlavor::Busybox);
        assert_eq!(system(""), ToolFlavor::Gnu);
    }
}
