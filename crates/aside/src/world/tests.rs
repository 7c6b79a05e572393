//! Tests of the machine as the daemon asks it, against real directories and repositories.

use std::path::Path;

use aside_commands::world::FileKind;

use super::*;

fn environment(temp: &Path) -> Environment {
    let bin = temp.join("bin");
    Environment { home: temp.to_str().unwrap().into(), path: format!("{}:.:/missing", bin.display()).into() }
}

fn machine() -> Machine {
    Machine::new(Path::new("/nowhere"))
}

/// Asks until everything is known, as the daemon does.
async fn ask<T>(machine: &Machine, temp: &Path, question: impl Fn(&MachineView) -> Fact<T>) -> Option<T> {
    let first = machine.view(environment(temp), Learning::Off);
    question(&first);
    assert!(first.settled(Duration::from_secs(30)).await);
    let second = machine.view(environment(temp), Learning::Off);
    let known = question(&second);
    assert!(!matches!(known, Fact::NotYet));
    known.yes()
}

fn names(entries: &[DirEntry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.name).collect()
}

fn program(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn what_is_not_known_is_known_a_moment_later() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::write(temp.path().join("file"), "").unwrap();
    let machine = machine();
    let here = temp.path().to_str().unwrap();
    let view = machine.view(environment(temp.path()), Learning::Off);
    assert_eq!(view.entries(here), Fact::NotYet);
    assert!(view.settled(Duration::from_secs(30)).await);
    assert!(!view.waits());
    // However early the answer came, the caller learns of it.
    assert_eq!((view.take_news(), view.take_news()), (true, false));
    let entries = view.entries(&format!("{here}/")).yes().unwrap();
    assert!(!view.take_news());
    assert_eq!((names(&entries), entries[0].kind), (vec!["file"], FileKind::File));
    assert_eq!(view.entries(&format!("{here}/missing")), Fact::NotYet);
    assert!(view.settled(Duration::from_secs(30)).await);
    assert_eq!(view.entries(&format!("{here}/missing")), Fact::No);
    assert_eq!(view.entries("relative"), Fact::No);
    assert!(!view.waits());
}

#[tokio::test]
async fn a_file_that_a_command_made_is_there_at_the_next_prompt() {
    let temp = tempfile::tempdir().unwrap();
    let here = temp.path().to_str().unwrap();
    let machine = machine();
    let entries = ask(&machine, temp.path(), |view| view.entries(here)).await;
    assert_eq!(names(&entries.unwrap()), Vec::<&str>::new());
    std::fs::write(temp.path().join("made"), "").unwrap();
    machine.something_ran(here);
    let view = machine.view(environment(temp.path()), Learning::Off);
    // A stale answer is returned at once and refreshed, unless that has happened already.
    view.entries(here);
    assert!(view.settled(Duration::from_secs(30)).await);
    assert_eq!(names(&view.entries(here).yes().unwrap()), ["made"]);
}

#[tokio::test]
async fn programs_are_those_of_the_path_that_was_told() {
    let temp = tempfile::tempdir().unwrap();
    for name in ["zeta", "alpha"] {
        program(&temp.path().join("bin").join(name));
    }
    std::fs::write(temp.path().join("bin/readme"), "").unwrap();
    std::fs::create_dir(temp.path().join("bin/directory")).unwrap();
    let machine = machine();
    let programs = ask(&machine, temp.path(), World::programs).await.unwrap();
    assert_eq!(*programs, ["alpha".into(), "zeta".into()]);
    program(&temp.path().join("bin/new"));
    machine.something_ran("/");
    let programs = ask(&machine, temp.path(), World::programs).await.unwrap();
    assert_eq!(programs.len(), 3);
    let elsewhere = Environment { home: "/".into(), path: "".into() };
    let view = machine.view(elsewhere, Learning::Off);
    view.programs();
    assert!(view.settled(Duration::from_secs(30)).await);
    assert_eq!(view.programs().yes().unwrap().len(), 0);
}

#[tokio::test]
async fn the_repository_is_the_nearest_one_also_through_a_link() {
    let temp = tempfile::tempdir().unwrap();
    let work = temp.path().join("work");
    std::fs::create_dir_all(work.join(".git")).unwrap();
    std::fs::create_dir_all(work.join("a/b")).unwrap();
    std::os::unix::fs::symlink(work.join("a/b"), temp.path().join("link")).unwrap();
    let machine = machine();
    for place in ["work", "work/a/b", "link"] {
        let place = temp.path().join(place);
        let root = ask(&machine, temp.path(), |view| view.repository(place.to_str().unwrap())).await;
        assert_eq!(root.map(|root| Path::new(&*root).canonicalize().unwrap()), Some(work.canonicalize().unwrap()));
    }
    assert_eq!(ask(&machine, temp.path(), |view| view.repository("/")).await, None);
}

#[tokio::test]
async fn a_new_branch_is_there_at_the_next_prompt() {
    let temp = tempfile::tempdir().unwrap();
    let here = temp.path().to_str().unwrap();
    let git = |args: &[&str]| crate::exec::git_in(temp.path(), args);
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    let machine = machine();
    let branches = ask(&machine, temp.path(), |view| view.live(LiveKind::GitBranch, here)).await.unwrap();
    assert_eq!(*branches, [LiveItem { name: "main".into(), about: "current".into() }]);
    git(&["switch", "-q", "-c", "topic"]);
    machine.something_ran(here);
    let branches = ask(&machine, temp.path(), |view| view.live(LiveKind::GitBranch, here)).await.unwrap();
    assert_eq!(branches.iter().map(|branch| &*branch.name).collect::<Vec<_>>(), ["main", "topic"]);
}
