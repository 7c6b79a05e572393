//! Tests with a small repository: three commits, a tag, two branches.

use aside_task::proposal::Proposal;
use aside_task::run::repository::Period;

use super::*;
use crate::exec::git_in;

/// The day of all commits, 2020-03-04, in days since 1970.
const DAY_OF_COMMITS: u64 = 18_325;

static NEVER: AtomicBool = AtomicBool::new(false);

fn write(root: &Path, file: &str, text: &str) {
    std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
    std::fs::write(root.join(file), text).unwrap();
}

fn repository() -> (tempfile::TempDir, Workspace) {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    git_in(root, &["init", "-q", "-b", "main"]);
    for (file, subject) in [("README.md", "begin"), ("src/lib.rs", "add the library"), ("docs/use.md", "document")] {
        write(root, file, &format!("{subject}\n"));
        git_in(root, &["add", "."]);
        git_in(root, &["commit", "-q", "--date", "2020-03-04T12:00:00+0000", "-m", subject]);
        if subject == "begin" {
            git_in(root, &["tag", "v0.1"]);
        }
    }
    git_in(root, &["branch", "topic"]);
    let workspace = Workspace::of(root).unwrap();
    (temp, workspace)
}

fn asked(workspace: &Workspace, question: &RepositoryQuestion) -> String {
    match answer(workspace, question, Language::English, &NEVER).map(|outcome| outcome.proposal) {
        Some(Proposal::Answer { text }) => text,
        other => panic!("{question:?}: {other:?}"),
    }
}

fn commits_of(filter: CommitFilter) -> RepositoryQuestion {
    RepositoryQuestion::Commits(filter)
}

#[test]
fn commits_are_listed_counted_and_filtered() {
    let (_temp, workspace) = repository();
    let all = asked(&workspace, &commits_of(CommitFilter::default()));
    assert!(all.starts_with("3 commits on this branch:\n\n- "), "{all}");
    let lines: Vec<&str> = all.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(lines.len(), 3, "{all}");
    assert!(lines[0].ends_with("document") && lines[2].ends_with("begin"), "{all}");
    let counted = CommitFilter { counted: true, ..CommitFilter::default() };
    assert_eq!(asked(&workspace, &commits_of(counted)), "3 commits on this branch.\n");
    let newest = asked(&workspace, &commits_of(CommitFilter { many: Some(1), ..CommitFilter::default() }));
    assert!(newest.lines().count() == 1 && newest.contains("document"), "{newest}");
    // A bare name is the only file of that name, and `docs` the directory.
    for (path, subject) in [("lib.rs", "add the library"), ("docs", "document")] {
        let of = asked(
            &workspace,
            &commits_of(CommitFilter { path: Some(path.to_owned()), counted: false, ..CommitFilter::default() }),
        );
        assert!(of.starts_with("1 commit that changed") && of.contains(subject), "{of}");
    }
    let by = CommitFilter { by: Some("Zoe".to_owned()), ..CommitFilter::default() };
    assert_eq!(asked(&workspace, &commits_of(by)), "There are no commits by `Zoe` on this branch.\n");
}

#[test]
fn a_period_is_part_of_the_answer() {
    let (_temp, workspace) = repository();
    let back = today().unwrap().days - DAY_OF_COMMITS;
    let of = |from: u64, to: u64| asked(&workspace, &RepositoryQuestion::Committers(Period::Days { from, to }));
    assert_eq!(of(back, back), "Commits on 2020-03-04 on this branch:\n\n- Somebody: 3\n");
    let since = of(back + 1, 0);
    assert!(since.starts_with("Commits since 2020-03-03 on this branch:") && since.contains(": 3\n"), "{since}");
    assert_eq!(of(back + 2, back + 1), "There are no commits from 2020-03-02 to 2020-03-03 on this branch.\n");
}

#[test]
fn branches_and_tags_are_named() {
    let (temp, workspace) = repository();
    assert_eq!(asked(&workspace, &RepositoryQuestion::CurrentBranch), "You are on `main`.\n");
    let branches = asked(&workspace, &RepositoryQuestion::Branches);
    let mut rows: Vec<&str> = branches.lines().collect();
    rows.sort_unstable();
    assert_eq!(rows, ["- `main`, where you are", "- `topic`"]);
    assert_eq!(asked(&workspace, &RepositoryQuestion::Tags), "- `v0.1`\n");
    let release = asked(&workspace, &RepositoryQuestion::LastRelease);
    assert!(release.starts_with("The newest tag is `v0.1`, of ") && release.contains("begin"), "{release}");
    let mut all = names(&workspace);
    all.sort_unstable();
    assert_eq!(all, ["main", "topic", "v0.1"]);
    git_in(temp.path(), &["tag", "-d", "v0.1"]);
    assert_eq!(asked(&workspace, &RepositoryQuestion::Tags), "There are no tags.\n");
    git_in(temp.path(), &["checkout", "-q", "--detach"]);
    assert!(asked(&workspace, &RepositoryQuestion::CurrentBranch).starts_with("No branch: HEAD is detached."));
}

#[test]
fn the_state_of_the_working_tree_is_told() {
    let (temp, workspace) = repository();
    let root = temp.path();
    assert_eq!(asked(&workspace, &RepositoryQuestion::Clean), "Clean: nothing differs from the last commit.\n");
    assert_eq!(asked(&workspace, &RepositoryQuestion::Staged), "Nothing is staged.\n");
    assert_eq!(asked(&workspace, &RepositoryQuestion::Stashes), "Nothing is stashed.\n");
    write(root, "src/lib.rs", "changed\n");
    write(root, "new.txt", "new\n");
    let untracked = asked(&workspace, &RepositoryQuestion::Untracked);
    assert_eq!(untracked, "- `new.txt`\n");
    let clean = asked(&workspace, &RepositoryQuestion::Clean);
    assert!(clean.starts_with("Not clean: ") && clean.contains("`src/lib.rs`"), "{clean}");
    git_in(root, &["add", "src/lib.rs"]);
    assert_eq!(asked(&workspace, &RepositoryQuestion::Staged), "- `src/lib.rs`\n");
    git_in(root, &["stash", "push", "-q", "-m", "half done"]);
    let stashes = asked(&workspace, &RepositoryQuestion::Stashes);
    assert!(stashes.starts_with("- `stash@{0}` ") && stashes.contains("half done"), "{stashes}");
}

#[test]
fn the_size_leaves_out_what_git_ignores() {
    let (temp, workspace) = repository();
    write(temp.path(), ".gitignore", "big/\n");
    write(temp.path(), "big/data.bin", &"x".repeat(100_000));
    let size = asked(&workspace, &RepositoryQuestion::Size);
    assert!(size.starts_with("4 files, ") && size.contains("The history in `.git` takes"), "{size}");
    assert!(!size.starts_with("4 files, 9") && size.contains(" bytes in all"), "{size}");
}

#[test]
fn outside_of_a_repository_only_the_size_is_known() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "a.txt", "abc\n");
    let workspace = Workspace::of(temp.path()).unwrap();
    assert_eq!(asked(&workspace, &RepositoryQuestion::Branches), "This is no git repository.\n");
    assert_eq!(
        asked(&workspace, &RepositoryQuestion::Size),
        "1 files, 4 bytes in all; what git ignores is not counted.\n"
    );
}

#[test]
fn what_is_open_and_what_came_since_the_tag_are_summed_up() {
    let (temp, workspace) = repository();
    let since = asked(&workspace, &RepositoryQuestion::SinceRelease);
    assert!(since.starts_with("2 commits since `v0.1`, the newest tag:"), "{since}");
    write(temp.path(), "src/lib.rs", "add the library\nmore\n");
    let lines = asked(&workspace, &RepositoryQuestion::ChangedLines);
    assert!(lines.starts_with("1 file differs from the last commit: 1 lines added, 0 removed."), "{lines}");
    let open = asked(&workspace, &RepositoryQuestion::Overview);
    assert!(open.contains("1 modified, not staged: `src/lib.rs`") && open.contains("`topic`"), "{open}");
}
