//! Tests that several threads find what one walk finds.

use std::path::Path;

use super::*;
use crate::workspace::walk::{IgnoredDirs, walk};

#[derive(Default)]
struct Seen {
    files: Mutex<Vec<(String, Ignored)>>,
    /// Files after which it breaks.
    most: Option<usize>,
}

impl Visitor for Seen {
    type Tools = ();

    fn tools(&self) {}

    fn visit(&self, _: &mut (), file: &ScannedFile<'_>) -> ControlFlow<()> {
        let mut files = self.files.lock().unwrap();
        if self.most.is_some_and(|most| files.len() >= most) {
            return ControlFlow::Break(());
        }
        files.push((file.path.to_owned(), file.ignored));
        ControlFlow::Continue(())
    }
}

fn tree() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = temp.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    std::fs::create_dir(temp.path().join(".git")).unwrap();
    write(".gitignore", "build/\n*.log\n");
    for number in 0..BATCH * 3 + 1 {
        write(&format!("wide/f{number}.rs"), "");
        write(&format!("deep/{}f{number}.rs", "d/".repeat(number % 9)), "");
    }
    write("build/out.rs", "");
    write("a.log", "");
    write("sub/.gitignore", "!a.log\n");
    write("sub/a.log", "");
    temp
}

fn scanned(root: &Path, most: usize, visitor: &Arc<Seen>) -> WalkEnd {
    let never = AtomicBool::new(false);
    scan(Root::open(root).unwrap(), most, &WalkDeadline::new(Duration::from_secs(60), &never), visitor).unwrap()
}

#[test]
fn threads_find_what_one_walk_finds() {
    let temp = tree();
    let seen = Arc::new(Seen::default());
    assert_eq!(scanned(temp.path(), 100_000, &seen), WalkEnd::Whole);
    let mut found = std::mem::take(&mut *seen.files.lock().unwrap());
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let (mut walked, never) = (Vec::new(), AtomicBool::new(false));
    let until = WalkDeadline::new(Duration::from_secs(60), &never);
    let root = Root::open(temp.path()).unwrap();
    walk(&root, IgnoredDirs::Tracked, 100_000, &until, &mut |path, ignored| {
        walked.push((path.to_owned(), ignored));
        ControlFlow::Continue(())
    });
    walked.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    assert!(walked.len() > BATCH * 6);
    assert_eq!(found, walked);
}

#[test]
fn a_scan_ends_at_its_cap_when_the_visitor_breaks_and_when_it_is_cancelled() {
    let temp = tree();
    let seen = Arc::new(Seen::default());
    assert_eq!(scanned(temp.path(), 20, &seen), WalkEnd::Many);
    assert!(seen.files.lock().unwrap().len() <= 20 * MAX_THREADS);
    let five = Arc::new(Seen { most: Some(5), ..Seen::default() });
    assert_eq!(scanned(temp.path(), 100_000, &five), WalkEnd::Whole);
    assert_eq!(five.files.lock().unwrap().len(), 5);
    let none = Arc::new(Seen::default());
    let cancelled = AtomicBool::new(true);
    let until = WalkDeadline::new(Duration::from_secs(60), &cancelled);
    assert_eq!(scan(Root::open(temp.path()).unwrap(), 100_000, &until, &none).unwrap(), WalkEnd::Cancelled);
    assert!(none.files.lock().unwrap().is_empty());
}
