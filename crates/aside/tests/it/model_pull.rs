//! `aside model`: how a model is downloaded, over connections that break and from servers that change, and how it is managed.

use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::harness::home::{ASIDE, Home, Said};
use crate::harness::patience;
use crate::model::files::{Files, Host};

/// A file that passes for a model.
fn model(bytes: usize) -> Vec<u8> {
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend((0..bytes).map(|number| (number * 7 % 251) as u8));
    file
}

fn host(etag: &str) -> Host {
    Host { file: model(300_000), etag: Some(etag.to_owned()), ..Host::default() }
}

fn sum(file: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, file);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn pulls(home: &Home, files: &Files, more: &[&str]) -> Said {
    home.aside(&[&["model", "pull", "--yes", &files.url("Some.Model.gguf")], more].concat())
}

const MODELS: &str = ".local/share/aside/models";

fn stored(home: &Home, file: &str) -> Option<Vec<u8>> {
    std::fs::read(home.path(MODELS).join(file)).ok()
}

/// The names in the models directory.
fn names(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.path(MODELS)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_model_comes_whole_and_is_noted_in_the_journal() {
    let (home, files) = (Home::new(), Files::start(host("one")));
    let said = pulls(&home, &files, &[]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(stored(&home, "Some.Model.gguf"), Some(model(300_000)));
    assert_eq!(names(&home), ["Some.Model.gguf"]);
    assert_eq!(home.path(MODELS).metadata().unwrap().mode() & 0o777, 0o700);
    assert!(said.stdout.contains("its checksum is not known"), "{}", said.stdout);
    assert!(said.stdout.contains(&sum(&model(300_000))), "{}", said.stdout);
    assert!(said.stderr.contains("100 % of 300 kB"), "{}", said.stderr);
    let left = home.aside_does(&["privacy"]).stdout;
    assert!(left.contains(&format!("pull  download Some.Model  {}", files.url("Some.Model.gguf"))), "{left}");
    assert!(left.contains("status 200"), "{left}");
    // It is not downloaded twice.
    assert!(pulls(&home, &files, &[]).stdout.contains("is here already"));
    assert_eq!(files.asked().len(), 1);
}

#[test]
fn what_was_cut_off_goes_on_where_it_was() {
    let (home, files) = (Home::new(), Files::start(Host { cuts: vec![100_000, 50_000], ..host("one") }));
    let said = pulls(&home, &files, &["--sha256", &sum(&model(300_000))]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(stored(&home, "Some.Model.gguf"), Some(model(300_000)));
    assert!(said.stdout.contains("its checksum is right"), "{}", said.stdout);
    let asked = files.asked();
    assert_eq!(asked[0], "/Some.Model.gguf - -");
    assert_eq!(asked.len(), 3, "{asked:?}");
    for asked in &asked[1..] {
        assert!(asked.contains(" bytes=") && asked.ends_with(" \"one\"") && !asked.contains("bytes=0-"), "{asked}");
    }
}

#[test]
fn a_pull_that_was_stopped_goes_on_with_the_next_one() {
    let (home, files) = (Home::new(), Files::start(Host { hangs_after: Some(200_000), ..host("one") }));
    let mut command = home.command(ASIDE);
    let mut child = command.args(["model", "pull", "--yes", &files.url("m.gguf")]).spawn().unwrap();
    files.wait_until_sent(200_000);
    let part = home.path(MODELS).join("m.gguf.part");
    let deadline = Instant::now() + patience();
    while part.metadata().map_or(0, |meta| meta.len()) < 100_000 {
        assert!(Instant::now() < deadline, "nothing is written");
        std::thread::sleep(Duration::from_millis(2));
    }
    rustix::process::kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(names(&home), ["m.gguf.part", "m.gguf.part.json"]);
    let have = part.metadata().unwrap().len();
    files.change(|host| host.hangs_after = None);
    let said = home.aside_does(&["model", "pull", "--yes", &files.url("m.gguf")]);
    assert!(said.stderr.contains("goes on after"), "{}", said.stderr);
    assert_eq!(files.asked()[1], format!("/m.gguf bytes={have}- \"one\""));
    assert_eq!(stored(&home, "m.gguf"), Some(model(300_000)));
}

#[test]
fn parts_of_two_files_are_not_glued_together() {
    let (home, files) = (Home::new(), Files::start(Host { cuts: vec![100_000; 9], ..host("one") }));
    // All attempts are cut off, and only the first one makes progress.
    files.change(|host| host.cuts = vec![100_000, 0, 0, 0, 0, 0]);
    let said = pulls(&home, &files, &[]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains("the same command goes on from there"), "{}", said.stderr);
    let other: Vec<u8> =
        model(300_000).into_iter().enumerate().map(|(at, byte)| if at > 8 { !byte } else { byte }).collect();
    files.change(|host| {
        host.cuts = Vec::new();
        host.etag = Some("two".to_owned());
        host.file = other.clone();
    });
    let said = pulls(&home, &files, &[]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("another one now"), "{}", said.stderr);
    assert!(stored(&home, "Some.Model.gguf") == Some(other), "it is glued together");
}

#[test]
fn a_server_that_ignores_the_condition_is_noticed_too() {
    // The server sends a range although the file has changed: the validator that it sends reveals that.
    let (home, files) = (Home::new(), Files::start(Host { cuts: vec![100_000, 0, 0, 0, 0, 0], ..host("one") }));
    assert_eq!(pulls(&home, &files, &[]).code, 1);
    let stamp = home.path(MODELS).join("Some.Model.gguf.part.json");
    let text = std::fs::read_to_string(&stamp).unwrap();
    // As if the partial file came from another version, with only the hub's checksum to tell.
    std::fs::write(
        &stamp,
        text.replace("\"etag\":\"\\\"one\\\"\"", "\"etag\":null").replace("\"sum\":null", "\"sum\":\"0\""),
    )
    .unwrap();
    files.change(|host| host.linked = Some(sum(&host.file)));
    let said = pulls(&home, &files, &[]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("another one now"), "{}", said.stderr);
    assert!(said.stdout.contains("the one that its server tells"), "{}", said.stdout);
    assert_eq!(stored(&home, "Some.Model.gguf"), Some(model(300_000)));
}

#[test]
fn a_wrong_checksum_is_refused_and_nothing_is_deleted() {
    let (home, files) = (Home::new(), Files::start(host("one")));
    let wrong = "0".repeat(64);
    let said = pulls(&home, &files, &["--sha256", &wrong]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains(&wrong) && said.stderr.contains(&sum(&model(300_000))), "{}", said.stderr);
    assert_eq!(names(&home), ["Some.Model.gguf.wrong"]);
    // The hub's own checksum, in the redirect to the file, counts as well.
    files.change(|host| {
        host.linked = Some("1".repeat(64));
        host.location = Some("/there/x.gguf".to_owned());
    });
    let said = home.aside(&["model", "pull", "--yes", "--name", "m", &files.url("sent-on")]);
    assert!(said.stderr.contains(&"1".repeat(64)), "{}", said.stderr);
    assert_eq!(names(&home), ["Some.Model.gguf.wrong", "m.gguf.wrong"]);
    files.change(|host| host.linked = Some(sum(&host.file)));
    let said = home.aside_does(&["model", "pull", "--yes", "--name", "m", &files.url("sent-on")]);
    assert!(said.stdout.contains("the one that its server tells"), "{}", said.stdout);
    let left = home.aside_does(&["privacy"]).stdout;
    assert!(left.contains("/sent-on") && left.contains("/there/x.gguf"), "each address is written down: {left}");
    assert_eq!(home.aside(&["model", "pull", "--sha256", "abc", "x"]).code, 2);
}

#[test]
fn what_cannot_be_had_is_said_and_leaves_nothing() {
    let (home, files) = (Home::new(), Files::start(host("one")));
    let fails = |part: &str| {
        let said = pulls(&home, &files, &[]);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.stderr.contains(part), "no {part:?} in {}", said.stderr);
        assert_eq!(stored(&home, "Some.Model.gguf"), None);
    };
    files.change(|host| host.status = Some(404));
    fails("has no such file (404)");
    files.change(|host| host.status = Some(403));
    fails("refuses to give it");
    files.change(|host| *host = Host { file: b"<html>log in</html>".to_vec(), ..Host::default() });
    fails("is no GGUF model");
    files.change(|host| *host = Host { claims: Some(1 << 60), ..super::model_pull::host("one") });
    fails("there is no room for it");
    files.change(|host| host.location = Some("http://192.0.2.1/x.gguf".to_owned()));
    let said = home.aside(&["model", "pull", "--yes", "--name", "m", &files.url("sent-on")]);
    assert!(said.stderr.contains("can be tampered with"), "{}", said.stderr);
    files.change(|host| host.location = Some("/sent-on".to_owned()));
    let said = home.aside(&["model", "pull", "--yes", "--name", "m", &files.url("sent-on")]);
    assert!(said.stderr.contains("on and on"), "{}", said.stderr);
}

#[test]
fn a_name_from_outside_leads_nowhere_else() {
    let (home, files) = (Home::new(), Files::start(host("one")));
    for (path, name) in
        [("..%2f..%2fevil.gguf", "2f..-2fevil"), ("a/$(touch%20x).gguf", "touch-20x"), ("x.gguf?a=/../b", "x")]
    {
        home.aside_does(&["model", "pull", "--yes", &files.url(path)]);
        assert!(names(&home).contains(&format!("{name}.gguf")), "{:?}", names(&home));
    }
    assert_eq!(home.aside(&["model", "pull", "--yes", "--name", "../x", &files.url("x.gguf")]).code, 1);
    let part = home.aside(&["model", "pull", "--yes", &files.url("m-00001-of-00003.gguf")]);
    assert!(part.stderr.contains("one of several parts"), "{}", part.stderr);
}

#[test]
fn nothing_is_fetched_in_private_or_without_asking() {
    let (mut home, files) = (Home::new(), Files::start(host("one")));
    let said = home.aside(&["model", "pull", &files.url("m.gguf")]);
    assert!(said.code == 1 && said.stderr.contains("say --yes"), "{said:?}");
    home.set_env("ASIDE_PRIVATE", "1");
    let said = pulls(&home, &files, &[]);
    assert!(said.code == 1 && said.stderr.contains("this shell is private"), "{said:?}");
    assert_eq!(files.asked(), Vec::<String>::new());
    let said = home.aside(&["model", "pull", "qwen2.5-coder-1.5"]);
    assert!(said.stderr.contains("did you mean qwen2.5-coder-1.5b?"), "{}", said.stderr);
    // Installing a local file contacts no server, so it works in private.
    home.write("m.gguf", model(10));
    home.aside_does(&["model", "pull", "m.gguf"]);
}

#[test]
fn a_file_is_linked_or_copied_listed_used_and_removed() {
    let home = Home::new();
    home.write("My Model.gguf", model(10));
    home.write("page.gguf", "<html>");
    home.write(
        ".config/aside/config.toml",
        "# mine\n[llm]\nbase_url = \"http://127.0.0.1:1/v1\" # elsewhere\nprovider = \"openai\"\n",
    );
    assert!(home.aside(&["model", "pull", "page.gguf"]).stderr.contains("is no GGUF model"));
    assert!(home.aside(&["model", "use", "My-Model"]).stderr.contains("is not here"));
    home.aside_does(&["model", "pull", "My Model.gguf"]);
    let wrong = home.aside(&["model", "pull", "My Model.gguf", "--name", "w", "--sha256", &"0".repeat(64)]);
    assert!(wrong.stderr.contains(&sum(&model(10))), "{}", wrong.stderr);
    home.aside_does(&["model", "pull", "My Model.gguf", "--copy", "--name", "copy"]);
    assert_eq!(names(&home), ["My-Model.gguf", "copy.gguf"]);
    assert!(home.path(MODELS).join("My-Model.gguf").is_symlink());
    assert!(!home.path(MODELS).join("copy.gguf").is_symlink());
    let used = home.aside_does(&["model", "use", "my-model"]).stdout;
    assert!(
        used.contains("My-Model answers from now on") && used.contains("llama-server, which is not on PATH"),
        "{used}"
    );
    let settings = home.read(".config/aside/config.toml");
    assert!(settings.starts_with("# mine\n[llm]\n") && !settings.contains("base_url"), "{settings}");
    assert!(settings.contains("provider = \"local\"") && settings.contains("model = \"My-Model\""), "{settings}");
    let list = home.aside_does(&["model", "list"]).stdout;
    let line = |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("My-Model").contains("in use") && line("copy").contains("here"), "{list}");
    assert!(line("qwen2.5-coder-1.5b").contains("1.1 GB"), "{list}");
    let json = home.aside_does(&["model", "list", "--json"]).stdout;
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["here"], &first["bytes"]), (&true.into(), &18.into()), "{first}");
    let place = home.aside_does(&["model", "where", "copy"]).stdout;
    assert_eq!(place.trim(), home.path(MODELS).join("copy.gguf").display().to_string());
    assert!(home.aside(&["model", "remove", "My-Model"]).stderr.contains("say --yes"));
    let removed = home.aside_does(&["model", "remove", "My-Model", "--yes"]).stdout;
    assert!(removed.contains("It was in use"), "{removed}");
    assert_eq!(names(&home), ["copy.gguf"]);
    assert!(home.path("My Model.gguf").exists(), "the file of the person's stays");
    home.aside_does(&["model", "use", "embedded"]);
    assert!(home.read(".config/aside/config.toml").contains("provider = \"embedded\""));
}
