//! Tests with more files than threads read ahead.

use super::*;

static NEVER: AtomicBool = AtomicBool::new(false);

fn workspace(files: usize) -> (tempfile::TempDir, Workspace) {
    let temp = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(temp.path().join("src")).unwrap();
    for number in 0..files {
        std::fs::write(temp.path().join(format!("src/f{number:04}.rs")), format!("text {number}\n")).unwrap();
    }
    let workspace = Workspace::of(temp.path()).unwrap();
    (temp, workspace)
}

fn passed(workspace: &Workspace, filter: &TextFilter<'_>) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let take = |path: &str, text: &str| all.push((path.to_owned(), text.to_owned()));
    workspace.each_text_of(filter, Secrets::Included, &NEVER, take).unwrap();
    all
}

#[test]
fn texts_are_passed_in_the_order_of_their_paths() {
    let files = BATCH * AHEAD * 8 * 3;
    let (_temp, workspace) = workspace(files);
    let expected: Vec<(String, String)> =
        (0..files).map(|number| (format!("src/f{number:04}.rs"), format!("text {number}\n"))).collect();
    assert_eq!(passed(&workspace, &TextFilter::ALL), expected);
    let some = TextFilter { path: &|path| path.ends_with("5.rs"), text: &|_, text| text.contains("1") };
    let wanted: Vec<(String, String)> =
        expected.into_iter().filter(|(path, text)| path.ends_with("5.rs") && text.contains('1')).collect();
    assert_eq!(passed(&workspace, &some), wanted);
}

#[test]
fn what_is_no_text_too_large_denied_or_ignored_is_not_passed() {
    let (temp, workspace) = workspace(1);
    let root = temp.path();
    std::fs::create_dir(root.join(".git")).unwrap();
    std::fs::write(root.join(".gitignore"), "*.log\n").unwrap();
    std::fs::write(root.join("a.log"), "ignored\n").unwrap();
    std::fs::write(root.join(".env"), "denied\n").unwrap();
    std::fs::write(root.join("binary"), b"a\0b").unwrap();
    std::fs::write(root.join("latin1.txt"), b"caf\xe9\n").unwrap();
    std::fs::write(root.join("large.txt"), "x".repeat(MAX_READ + 1)).unwrap();
    let paths: Vec<String> = passed(&workspace, &TextFilter::ALL).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, [".gitignore", "src/f0000.rs"]);
}

#[test]
fn a_look_through_all_texts_can_be_cancelled_from_within() {
    let (_temp, workspace) = workspace(BATCH * 40);
    let (cancelled, mut count) = (AtomicBool::new(false), 0);
    let ended = workspace.each_text(Secrets::Included, &cancelled, |_, _| {
        count += 1;
        cancelled.store(count == 3, Ordering::Relaxed);
    });
    assert_eq!((ended, count), (None, 3));
}

#[test]
fn readers_of_all_threads_see_each_text_once_without_its_secrets() {
    let (temp, workspace) = workspace(BATCH * 10);
    std::fs::write(temp.path().join("src/key.rs"), "ghp_16C7e42F292c6912E7710c838347Ae178B4a\n").unwrap();
    let tree = workspace.tree(&[], &NEVER).unwrap();
    let time = (Duration::from_secs(60), &NEVER);
    let look = |seen: &mut Vec<String>, path: &str, text: &str| {
        assert!(!text.contains("ghp_"));
        seen.push(path.to_owned());
    };
    let readers = workspace.fold_texts(&tree.listed(), Secrets::Masked, time, Vec::new, look);
    let mut seen: Vec<String> = readers.into_iter().flatten().collect();
    seen.sort_unstable();
    let listed: Vec<String> = tree.listed().iter().map(|listed| listed.path.to_owned()).collect();
    assert_eq!(seen, listed);
}
