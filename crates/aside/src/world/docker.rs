//! Containers and images, from the local engine's socket. Never asks a remote engine: typing must not cause network traffic.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aside_commands::world::LiveItem;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::world::read::item;

const PATIENCE: Duration = Duration::from_secs(1);
const MAX_ANSWER: u64 = 4 * 1024 * 1024;
/// Letters of the id of an image without a name.
const SHORT: usize = 12;

pub fn containers() -> Option<Vec<LiveItem>> {
    sockets().iter().find_map(|socket| containers_of(socket))
}

pub fn images() -> Option<Vec<LiveItem>> {
    sockets().iter().find_map(|socket| images_of(socket))
}

/// Sockets of Docker, rootless Docker, Docker Desktop, Podman.
fn sockets() -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let home = std::env::home_dir();
    let mut sockets = vec![PathBuf::from("/var/run/docker.sock")];
    sockets.extend(runtime.iter().flat_map(|dir| [dir.join("docker.sock"), dir.join("podman/podman.sock")]));
    sockets.extend(
        home.iter().flat_map(|dir| [dir.join(".docker/run/docker.sock"), dir.join(".docker/desktop/docker.sock")]),
    );
    sockets
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Container {
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    image: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Image {
    id: String,
    repo_tags: Option<Vec<String>>,
}

/// Running ones first; the engine lists the newest first.
fn containers_of(socket: &Path) -> Option<Vec<LiveItem>> {
    let mut containers: Vec<Container> = get(socket, "/containers/json?all=1")?;
    containers.sort_by_key(|container| container.state != "running");
    let named = containers.iter().filter_map(|container| {
        let name = container.names.first()?.trim_start_matches('/');
        Some(item(name, format!("{}, {}", container.image, container.status)))
    });
    Some(named.collect())
}

fn images_of(socket: &Path) -> Option<Vec<LiveItem>> {
    let images: Vec<Image> = get(socket, "/images/json")?;
    let mut items = Vec::new();
    for image in images {
        let tags = image.repo_tags.unwrap_or_default();
        let id = image.id.strip_prefix("sha256:").unwrap_or(&image.id);
        let id = id.get(..SHORT).unwrap_or(id);
        let named = tags.iter().filter(|tag| !tag.contains("<none>"));
        let before = items.len();
        // A name without a tag means `latest`.
        items.extend(named.map(|tag| item(tag.strip_suffix(":latest").unwrap_or(tag), id)));
        if items.len() == before {
            items.push(item(id, "no name"));
        }
    }
    items.sort_by_key(|image| &*image.about == "no name");
    Some(items)
}

fn get<T: DeserializeOwned>(socket: &Path, path: &str) -> Option<T> {
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    // With HTTP/1.0 the response is not chunked and ends with the connection.
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER).read_to_end(&mut answer).ok()?;
    let body = answer.windows(4).position(|end| end == b"\r\n\r\n")?;
    let status = answer.split(|byte| *byte == b' ').nth(1)?;
    if status != b"200" { None } else { serde_json::from_slice(&answer[body + 4..]).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    /// A stub engine with one response.
    fn engine(status: &'static str, body: &'static str) -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("docker.sock");
        let listener = UnixListener::bind(&path).unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 512];
            let _ = stream.read(&mut asked).unwrap();
            let _ = write!(stream, "HTTP/1.0 {status}\r\nContent-Type: application/json\r\n\r\n{body}");
        });
        (temp, path)
    }

    fn names(items: Option<Vec<LiveItem>>) -> Vec<String> {
        items.unwrap().iter().map(|item| format!("{} ({})", item.name, item.about)).collect()
    }

    #[test]
    fn containers_that_run_come_first() {
        let (_temp, socket) = engine(
            "200 OK",
            r#"[{"Id":"1","Names":["/old"],"Image":"redis:7","State":"exited","Status":"Exited (0) 2 days ago"},
                {"Id":"2","Names":["/web"],"Image":"nginx","State":"running","Status":"Up 3 hours"}]"#,
        );
        let expected = ["web (nginx, Up 3 hours)", "old (redis:7, Exited (0) 2 days ago)"];
        assert_eq!(names(containers_of(&socket)), expected);
    }

    #[test]
    fn images_have_names_or_numbers() {
        let (_temp, socket) = engine(
            "200 OK",
            r#"[{"Id":"sha256:0123456789abcdef","RepoTags":null},
                {"Id":"sha256:fedcba9876543210","RepoTags":["nginx:latest","nginx:1.27"]}]"#,
        );
        let expected = ["nginx (fedcba987654)", "nginx:1.27 (fedcba987654)", "0123456789ab (no name)"];
        assert_eq!(names(images_of(&socket)), expected);
    }

    #[test]
    fn an_engine_that_refuses_or_is_missing_gives_nothing() {
        let (_temp, socket) = engine("500 Oh", "{}");
        assert_eq!(containers_of(&socket), None);
        assert_eq!(containers_of(Path::new("/missing")), None);
    }
}
