//! Tests with ordinary trees, with hostile ones that try to expose other files, and with labelled questions.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use aside_task::proposal::Proposal;
use aside_task::route::{RouteOptions, Routed, route};
use aside_task::run::search::plan::plan;
use aside_task::run::search::render::outcome;
use toml_edit::Document;

use super::*;

fn write(root: &Path, file: &str, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
    std::fs::write(root.join(file), bytes).unwrap();
}

/// The search results of a request, from its words on.
fn told(workspace: &Workspace, words: &str) -> (Vec<(String, String)>, SearchOutcome) {
    told_with(workspace, words, Secrets::Included)
}

fn told_with(workspace: &Workspace, words: &str, secrets: Secrets) -> (Vec<(String, String)>, SearchOutcome) {
    let Routed::Task(routed) = route(words, &RouteOptions::default()) else { panic!("{words}") };
    let params = routed.intent.params;
    let plan = plan(words, params.query.as_deref().unwrap_or_default(), &params.files);
    let searched = workspace.search(&plan, secrets, &AtomicBool::new(false)).unwrap();
    let Proposal::SearchResults { items } = outcome(&plan, &searched).proposal else { panic!("{words}") };
    (items.into_iter().map(|item| (item.path, item.preview.unwrap_or_default())).collect(), searched)
}

fn paths(workspace: &Workspace, words: &str) -> Vec<String> {
    told(workspace, words).0.into_iter().map(|(path, _)| path).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

/// Percentages of the labelled questions for which the first result is right, and for which one of the first five is.
#[test]
fn labelled_questions_are_answered() {
    let eval = Path::new(env!("CARGO_MANIFEST_DIR")).join("eval/task/search");
    let temp = tempfile::tempdir().unwrap();
    copy(&eval.join("project"), temp.path());
    let workspace = Workspace::of(temp.path()).unwrap();
    let text = std::fs::read_to_string(eval.join("queries.toml")).unwrap();
    let queries = Document::parse(text.as_str()).unwrap();
    let looks = std::env::var("ASIDE_SEARCH").unwrap_or("dev".to_owned());
    let mut failed = Vec::new();
    for (set, floor_first, floor_five) in [("dev", 90, 95), ("held", 85, 95), ("late", 75, 95)] {
        let (mut all, mut first, mut five) = (0, 0, 0);
        for query in queries["query"].as_array_of_tables().unwrap().iter() {
            if query["set"].as_str() != Some(set) {
                continue;
            }
            let words = query["words"].as_str().unwrap();
            let right: Vec<&str> =
                query["first"].as_array().unwrap().iter().filter_map(|place| place.as_str()).collect();
            let (told, _) = told(&workspace, words);
            let is_right = |(path, preview): &(String, String)| {
                right.iter().any(|right| match right.split_once(": ") {
                    Some((file, part)) => {
                        path.strip_prefix(file).is_some_and(|line| line.starts_with(':')) && preview.contains(part)
                    }
                    None => path == right,
                })
            };
            let place = told.iter().position(is_right);
            all += 1;
            first += usize::from(place == Some(0));
            five += usize::from(place.is_some_and(|place| place < 5));
            if place != Some(0) && looks == set {
                eprintln!("{set}: {words}: {place:?}");
                told.iter().take(3).for_each(|(path, preview)| eprintln!("    {path}  {preview}"));
            }
        }
        eprintln!("{set}: first {first} of {all}, among five {five}");
        if first * 100 < floor_first * all || five * 100 < floor_five * all || all < 20 {
            failed.push(set);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn what_is_ignored_denied_binary_or_behind_a_link_is_not_searched() {
    let temp = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let root = temp.path();
    std::fs::create_dir(root.join(".git")).unwrap();
    write(outside.path(), "secret.txt", "needle_word\n");
    write(root, "src/a.rs", "fn needle_word() {}\n");
    write(root, "target/b.rs", "needle_word\n");
    write(root, ".gitignore", "target/\n*.log\n!keep.log\n");
    write(root, "x.log", "needle_word\n");
    write(root, "keep.log", "needle_word\n");
    write(root, ".git/config", "needle_word\n");
    write(root, ".env", "needle_word=1\n");
    write(root, "keys/id_rsa", "needle_word\n");
    write(root, "blob.bin", b"needle_word\n\0\0needle_word\n");
    write(root, ".github/workflows/ci.yml", "needle_word: 1\n");
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), root.join("link.txt")).unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("linked")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe.txt"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let wide: Vec<u8> = "\u{feff}needle_word\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write(root, "wide.txt", wide);
    let workspace = Workspace::of(root).unwrap();
    let (all, searched) = told(&workspace, "find usages of needle_word");
    let mut found: Vec<&str> = all.iter().map(|(path, _)| path.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, [".github/workflows/ci.yml:1", "keep.log:1", "src/a.rs:1", "wide.txt:1"]);
    assert_eq!(searched.notes, Vec::<String>::new());
    // What was skipped matters if nothing was found.
    let (nothing, searched) = told(&workspace, "find usages of another_word");
    assert!(nothing.is_empty());
    assert_eq!(searched.notes, ["2 files were not searched: no task reads such a file"]);
    assert!(paths(&workspace, "find files named *.txt").iter().eq(["wide.txt"]));
}

#[test]
fn secrets_are_not_told_and_long_lines_are_cut() {
    let temp = tempfile::tempdir().unwrap();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    write(temp.path(), "a.py", format!("upload_token = \"{secret}\"\n"));
    write(temp.path(), "b.js", format!("{}upload_token;{}\n", "x;".repeat(500_000), "y;".repeat(500_000)));
    let workspace = Workspace::of(temp.path()).unwrap();
    let (all, _) = told(&workspace, "where is upload_token");
    assert_eq!(all.len(), 2);
    assert!(!format!("{all:?}").contains(secret), "{all:?}");
    assert!(all.iter().all(|(_, preview)| preview.len() < 800 && preview.contains("upload_token")), "{all:?}");
}

#[test]
fn a_search_can_be_broken_off() {
    let temp = tempfile::tempdir().unwrap();
    (0..50).for_each(|file| write(temp.path(), &format!("f{file}.rs"), "needle\n"));
    let workspace = Workspace::of(temp.path()).unwrap();
    let plan = plan("find needle", "needle", &[]);
    let searched = workspace.search(&plan, Secrets::Included, &AtomicBool::new(true)).unwrap();
    assert!(searched.found.is_empty());
    assert_eq!(searched.notes, ["the search was broken off"]);
}

#[test]
fn a_remote_search_finds_nothing_in_a_secret_and_the_rest_with_its_line() {
    let temp = tempfile::tempdir().unwrap();
    let notes = "deploy with ghp_16C7e42F292c6912E7710c838347Ae178B4a
openai sk-ab12cd34ef56gh78ij90kl12mn34op56qr78st90uv12wx34
password = hunter2-blue-Falcon
-----BEGIN RSA PRIVATE KEY-----
MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF0qB
-----END RSA PRIVATE KEY-----
a prefix of tokens
";
    write(temp.path(), "notes.txt", notes);
    write(temp.path(), ".env", "MIRROR=somewhere\n");
    let workspace = Workspace::of(temp.path()).unwrap();
    let found = |words: &str, secrets: Secrets| -> Vec<(String, String)> { told_with(&workspace, words, secrets).0 };
    let whole = |words: &str| format!("{:?}", told_with(&workspace, words, Secrets::Masked).1);
    for (guess, wrong) in [
        ("search for ghp_", "search for ghq_"),
        ("search for sk-ab", "search for sk-zz"),
        ("find the text sk-ab12", "find the text sk-zz12"),
        ("search for hunter2", "search for hunter3"),
        ("find hunter2-blue", "find hunter2-red"),
        ("find MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn", "find MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfm"),
    ] {
        // The user at this machine finds it.
        assert!(!found(guess, Secrets::Included).is_empty(), "{guess}");
        assert_eq!(found(guess, Secrets::Masked), [], "{guess}");
        assert_eq!(whole(guess), whole(wrong), "the answer to {guess:?} differs");
    }
    assert_eq!(found("search for redacted", Secrets::Masked), []);
    let deploy = [("notes.txt:1".to_owned(), "deploy with [redacted]".to_owned())];
    assert_eq!(found("search for deploy", Secrets::Masked), deploy);
    assert_eq!(found("search for prefix", Secrets::Masked)[0].0, "notes.txt:7");
    for secrets in [Secrets::Included, Secrets::Masked] {
        assert_eq!(found("search for somewhere", secrets), [], "no task reads .env");
    }
}

/// A file is masked as a whole, which can take long: the search does not wait for it, and says that it was cut off.
#[test]
fn a_search_ends_in_time_whatever_a_file_takes_and_says_so() {
    let temp = tempfile::tempdir().unwrap();
    let line = "let password = lookup(\"name-of-the-entry\", 0x12ab34cd56ef); // needle\n";
    for file in 0..40 {
        write(temp.path(), &format!("f{file}.rs"), line.repeat(24_000));
    }
    let workspace = Workspace::of(temp.path()).unwrap();
    let plan = plan("find needle", "needle", &[]);
    let time = std::time::Duration::from_millis(200);
    let begun = std::time::Instant::now();
    let searched = workspace.search_within(time, &plan, Secrets::Masked, &AtomicBool::new(false)).unwrap();
    // Without the limit it takes far longer.
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "it took {:?}", begun.elapsed());
    assert_eq!(searched.notes, ["not everything was looked at: it took longer than 0 seconds"]);
}
