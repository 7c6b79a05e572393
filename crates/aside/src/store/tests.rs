//! Tests the store against real files: damaged, shared, killed during a write, written by real shells.

#![expect(clippy::disallowed_methods, reason = "a child to kill, and real shells that write history files")]

use std::collections::HashSet;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::process::{Command, Stdio};

use aside_core::history::import::ImportFormat;

use super::*;
use crate::store::search::{Outcome, Tally};

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("data/history.db");
    (temp, path)
}

fn open(path: &Path) -> History {
    let (history, notice) = History::open(path).unwrap();
    assert_eq!(notice, None);
    history
}

fn ran(command: &str) -> HistoryEntry {
    HistoryEntry { command: command.to_owned(), shell: "zsh".to_owned(), ..HistoryEntry::default() }
}

fn ran_at(command: &str, second: i64) -> HistoryEntry {
    HistoryEntry { start_ms: Some(second * 1000), ..ran(command) }
}

fn in_session(command: &str, session: &str) -> HistoryEntry {
    HistoryEntry { session: Some(session.to_owned()), ..ran(command) }
}

fn import(history: &mut History, entries: &[HistoryEntry]) -> (usize, usize) {
    let imported = history.import(entries, &mut |_| {}).unwrap();
    (imported.added, imported.already_there)
}

fn commands(history: &mut History) -> Vec<String> {
    let mut commands = Vec::new();
    history.each_since(0, |row| commands.push(row.command.to_owned())).unwrap();
    commands
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn set_aside(path: &Path) -> Vec<PathBuf> {
    let dir = path.parent().unwrap();
    let ours =
        |name: &String| name.starts_with("history.db.corrupt-") && !name.ends_with("-wal") && !name.ends_with("-shm");
    names(dir).into_iter().filter(ours).map(|name| dir.join(name)).collect()
}

#[test]
fn gives_back_what_was_appended() {
    let (_temp, path) = fresh();
    let entry = HistoryEntry {
        command: "make -j8 \\\n  all".to_owned(),
        cwd: Some("/src".to_owned()),
        exit: Some(2),
        start_ms: Some(1_700_000_000_123),
        duration_ms: Some(4567),
        session: Some("s1".to_owned()),
        shell: "fish".to_owned(),
        host: Some("box".to_owned()),
        private: true,
    };
    let mut history = open(&path);
    assert!(history.is_empty().unwrap());
    assert_eq!(history.append(&entry, Some(7)).unwrap(), Appended::New(1));
    drop(history);

    let mut history = open(&path);
    assert!(!history.is_empty().unwrap());
    assert_eq!(history.count().unwrap(), 1);
    assert_eq!(history.newest(10, None).unwrap(), [Row { id: 1, entry }]);
}

#[test]
fn a_record_that_is_sent_again_is_stored_once() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let mut append = |session, seq| history.append(&in_session("ls", session), seq).unwrap() != Appended::Known;
    assert!(append("s1", Some(1)));
    assert!(!append("s1", Some(1)));
    assert!(append("s1", Some(2)));
    assert!(append("s2", Some(1)));
    assert!(append("s1", None));
    assert!(append("s1", None));
    assert_eq!(history.count().unwrap(), 5);
}

#[test]
fn reads_the_newest_first_page_by_page() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    import(&mut history, &["a", "b", "c", "d"].map(ran));
    let page = |rows: Vec<Row>| rows.into_iter().map(|row| row.entry.command).collect::<String>();
    assert_eq!(page(history.newest(3, None).unwrap()), "dcb");
    assert_eq!(page(history.newest(3, Some(2)).unwrap()), "a");
    assert_eq!(page(history.newest(0, None).unwrap()), "");
}

#[test]
fn streams_in_the_order_of_time_with_the_timeless_first() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    import(
        &mut history,
        &[ran_at("third", 30), ran("first"), ran_at("second", 20), ran("first too"), ran_at("third too", 30)],
    );
    let mut seen = Vec::new();
    history.each_in_time_order(|row| seen.push((row.command.to_owned(), row.start_ms))).unwrap();
    assert_eq!(
        seen,
        [
            ("first", None),
            ("first too", None),
            ("second", Some(20_000)),
            ("third", Some(30_000)),
            ("third too", Some(30_000))
        ]
        .map(|(command, start)| (command.to_owned(), start))
    );
}

#[test]
fn streams_what_was_added_since() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    import(&mut history, &["a", "b", "c"].map(ran));
    let mut seen = Vec::new();
    history.each_since(1, |row| seen.push(row.command.to_owned())).unwrap();
    assert_eq!(seen, ["b", "c"]);
}

#[test]
fn importing_twice_adds_nothing() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let file = [ran_at("a", 1), ran_at("b", 2), ran_at("a", 2), ran("c"), ran("c")];
    assert_eq!(import(&mut history, &file), (5, 0));
    assert_eq!(import(&mut history, &file), (0, 5));
    assert_eq!(commands(&mut history), ["a", "b", "a", "c", "c"]);
}

#[test]
fn importing_a_file_that_grew_adds_the_growth() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let file = [ran_at("a", 1), ran("c"), ran_at("b", 5), ran("c"), ran_at("a", 9)];
    assert_eq!(import(&mut history, &file[..2]), (2, 0));
    assert_eq!(import(&mut history, &file), (3, 2));
    assert_eq!(commands(&mut history), ["a", "c", "b", "c", "a"]);
}

#[test]
fn importing_a_file_that_the_shell_trimmed_adds_only_its_end() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let file: Vec<HistoryEntry> = (0..10).map(|second| ran_at("make", second * 10)).collect();
    assert_eq!(import(&mut history, &file[..8]), (8, 0));
    assert_eq!(import(&mut history, &file[5..]), (2, 3));
}

#[test]
fn importing_does_not_double_what_was_recorded() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let recorded = HistoryEntry { start_ms: Some(10_950), exit: Some(0), ..in_session("make", "s1") };
    history.append(&recorded, Some(1)).unwrap();
    assert_eq!(import(&mut history, &[ran_at("make", 10), ran_at("make", 60)]), (1, 1));
    assert_eq!(import(&mut history, &[ran("make"), ran("make"), ran("make")]), (1, 2));
}

#[test]
fn an_import_reports_its_progress() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let entries: Vec<HistoryEntry> = (0..2500).map(|second| ran_at("ls", second)).collect();
    let mut reports = Vec::new();
    history.import(&entries, &mut |done| reports.push(done)).unwrap();
    assert_eq!(reports, [0, 1000, 2000, 2500]);
}

#[test]
fn the_oldest_rows_go_when_there_are_too_many() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    history.max_rows = 3;
    import(
        &mut history,
        &[ran_at("newest", 50), ran_at("old", 10), ran("timeless"), ran_at("newer", 40), ran_at("new", 30)],
    );
    assert_eq!(commands(&mut history), ["newest", "newer", "new"]);
    // The id of a pruned row is not reused.
    assert_eq!(history.append(&ran_at("last", 60), None).unwrap(), Appended::New(6));
}

#[test]
fn a_command_beyond_the_cap_is_refused_and_a_long_directory_left_out() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    assert!(history.append(&ran(&"x".repeat(MAX_COMMAND + 1)), None).is_err());
    let entry = HistoryEntry { cwd: Some("/".repeat(MAX_FIELD + 1)), ..ran("ls") };
    history.append(&entry, None).unwrap();
    assert_eq!(history.newest(1, None).unwrap(), [Row { id: 1, entry: ran("ls") }]);
}

#[test]
fn nobody_else_can_read_it() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    history.append(&ran("ls"), None).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = path.parent().unwrap();
    assert_eq!(mode(dir), 0o700);
    for name in ["history.db", "history.db-wal", "history.db-shm"] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
    }
    drop(history);

    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    drop(open(&path));
    assert_eq!((mode(dir), mode(&path)), (0o700, 0o600));
}

#[test]
fn two_connections_write_at_once() {
    let (_temp, path) = fresh();
    // Opening races too: each thread finds no file and wants to create the tables.
    std::thread::scope(|scope| {
        for session in ["s1", "s2", "s3", "s4"] {
            let path = &path;
            scope.spawn(move || {
                let mut history = open(path);
                for seq in 0..50 {
                    history.append(&in_session("ls", session), Some(seq)).unwrap();
                }
                let entries: Vec<HistoryEntry> = (0..50).map(|second| ran_at(session, second * 10)).collect();
                assert_eq!(import(&mut history, &entries), (50, 0));
            });
        }
    });
    assert_eq!(open(&path).count().unwrap(), 400);
}

#[test]
fn many_open_a_new_file_at_once() {
    // Each round is another chance for two of them to race for the same lock.
    for _ in 0..20 {
        let (_temp, path) = fresh();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| drop(open(&path)));
            }
        });
        assert_eq!(open(&path).count().unwrap(), 0);
    }
}

#[test]
fn a_file_that_is_no_database_is_set_aside_whole() {
    let (_temp, path) = fresh();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let garbage = b"this is not a database ".repeat(1000);
    std::fs::write(&path, &garbage).unwrap();
    let (mut history, notice) = History::open(&path).unwrap();
    let aside = set_aside(&path);
    assert_eq!(aside.len(), 1);
    assert_eq!(std::fs::read(&aside[0]).unwrap(), garbage);
    let Notice(text) = notice.unwrap();
    assert!(text.contains("was damaged") && text.contains(aside[0].to_str().unwrap()), "{text}");
    history.append(&ran("ls"), None).unwrap();
    assert_eq!(commands(&mut history), ["ls"]);
}

#[test]
fn a_second_damaged_file_does_not_replace_the_first() {
    let (_temp, path) = fresh();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    for round in 0..3_u8 {
        std::fs::write(&path, vec![b'a' + round; 5000]).unwrap();
        History::open(&path).unwrap().1.unwrap();
        let _ = std::fs::remove_file(path.with_file_name("history.db-wal"));
        let _ = std::fs::remove_file(path.with_file_name("history.db-shm"));
    }
    let mut contents: Vec<u8> = set_aside(&path).iter().map(|file| std::fs::read(file).unwrap()[0]).collect();
    contents.sort_unstable();
    assert_eq!(contents, b"abc");
}

#[test]
fn an_empty_file_is_a_new_history() {
    let (_temp, path) = fresh();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, b"").unwrap();
    let mut history = open(&path);
    history.append(&ran("ls"), None).unwrap();
    assert_eq!(commands(&mut history), ["ls"]);
}

/// Overwrites some pages in the middle of a large valid file.
fn damage_the_middle(path: &Path) {
    let size = std::fs::metadata(path).unwrap().len();
    assert!(size > 400_000, "{size}");
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.write_all_at(&vec![0xa5; 200_000], size / 4096 / 3 * 4096).unwrap();
}

fn many() -> Vec<HistoryEntry> {
    (0..20_000).map(|number| ran_at(&format!("echo number {number} of many"), number)).collect()
}

#[test]
fn damage_that_shows_while_reading_is_set_aside_and_the_call_succeeds() {
    let (_temp, path) = fresh();
    import(&mut open(&path), &many());
    damage_the_middle(&path);
    // The damage is not in the pages that opening reads.
    let mut history = History::open(&path).unwrap().0;
    let mut seen = Vec::new();
    history.each_in_time_order(|row| seen.push(row.command.to_owned())).unwrap();
    assert_eq!(set_aside(&path).len(), 1);
    // Two hundred thousand of more than a million bytes cannot be read.
    let saved = history.count().unwrap();
    assert!(saved > 12_000 && saved < 20_000, "{saved}");
    let notice = history.notice().unwrap().0.clone();
    assert!(notice.contains(&format!("a new one begun with the {saved} commands that could be read")), "{notice}");
    // None is seen twice, and what is saved is as it was.
    let mut once = seen.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), seen.len());
    let all: HashSet<String> = many().into_iter().map(|entry| entry.command).collect();
    let kept = commands(&mut history);
    assert!(kept.iter().all(|command| all.contains(command) && seen.contains(command)));
    history.append(&ran("ls"), None).unwrap();
    assert_eq!(commands(&mut history).last().map(String::as_str), Some("ls"));
    assert_eq!(history.count().unwrap(), saved + 1);
}

#[test]
fn any_damaged_pages_lose_only_the_commands_on_them() {
    let (_temp, path) = fresh();
    import(&mut open(&path), &many());
    let whole = std::fs::read(&path).unwrap();
    let pages = whole.len() / 4096;
    for seed in 0..12_usize {
        let (_temp, path) = fresh();
        drop(open(&path));
        let mut bytes = whole.clone();
        let bad: Vec<usize> =
            (0..5).map(|number| 2 + (seed * 7919 + number * 104_729 + seed * number * 31) % (pages - 2)).collect();
        for page in &bad {
            bytes[page * 4096..(page + 1) * 4096].fill(if seed % 2 == 0 { 0xa5 } else { 0 });
        }
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
        std::fs::write(&path, &bytes).unwrap();
        let mut history = History::open(&path).unwrap().0;
        let _ = import(&mut history, &[ran("ls")]);
        history.each_in_time_order(|_| {}).unwrap();
        let kept = history.count().unwrap();
        // A page has about a hundred commands; one in the middle of the tree leads to hundreds of pages.
        assert!(kept > 12_000, "seed {seed}: {kept} of 20001, with damage in {bad:?}");
    }
}

#[test]
fn damage_that_shows_while_writing_loses_no_record() {
    let (_temp, path) = fresh();
    import(&mut open(&path), &many());
    damage_the_middle(&path);
    let mut history = History::open(&path).unwrap().0;
    let (added, known) = import(&mut history, &many());
    assert!(added > 0 && known > 0 && added + known == 20_000, "{added} {known}");
    assert_eq!(set_aside(&path).len(), 1);
    assert_eq!(history.count().unwrap(), 20_000);
}

#[test]
fn ids_go_on_growing_in_the_file_that_replaces_a_damaged_one() {
    let (_temp, path) = fresh();
    import(&mut open(&path), &many());
    damage_the_middle(&path);
    let mut history = History::open(&path).unwrap().0;
    history.each_since(0, |_| {}).unwrap();
    import(&mut history, &[ran("ls")]);
    let mut seen = Vec::new();
    history.each_since(20_000, |row| seen.push(row.command.to_owned())).unwrap();
    assert_eq!(seen, ["ls"]);
}

#[test]
fn a_file_that_another_process_set_aside_is_followed() {
    let (_temp, path) = fresh();
    let mut daemon = open(&path);
    daemon.append(&ran("before"), None).unwrap();
    // Simulates what the other process does.
    for suffix in ["-wal", "-shm", ""] {
        let from = format!("{}{suffix}", path.display());
        std::fs::rename(&from, format!("{}.corrupt-1{suffix}", path.display())).unwrap();
    }
    let mut import_of_another = open(&path);
    import(&mut import_of_another, &[ran("imported")]);
    daemon.append(&ran("after"), None).unwrap();
    assert_eq!(commands(&mut import_of_another), ["imported", "after"]);
    assert_eq!(commands(&mut daemon), ["imported", "after"]);
}

#[test]
fn a_file_that_the_person_removed_is_made_anew() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    history.append(&ran("before"), None).unwrap();
    for name in names(path.parent().unwrap()) {
        std::fs::remove_file(path.with_file_name(name)).unwrap();
    }
    history.append(&ran("after"), None).unwrap();
    assert_eq!(commands(&mut open(&path)), ["after"]);
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let (_temp, path) = fresh();
    open(&path).append(&ran("ls"), None).unwrap();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = format!("{:#}", History::open(&path).err().unwrap());
    assert!(error.contains("a newer Aside wrote it (version 99, this one knows 1); update Aside"), "{error}");
    assert!(History::open_to_read(&path).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(set_aside(&path), Vec::<PathBuf>::new());
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let (_temp, path) = fresh();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE history (id)").unwrap();
    let error = format!("{:#}", History::open(&path).err().unwrap());
    assert!(error.contains("a database of another program"), "{error}");
    assert_eq!(set_aside(&path), Vec::<PathBuf>::new());
}

#[test]
fn reading_creates_nothing() {
    let (temp, path) = fresh();
    assert!(History::open_to_read(&path).unwrap().is_none());
    assert_eq!(names(temp.path()), Vec::<String>::new());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, b"").unwrap();
    assert!(History::open_to_read(&path).unwrap().is_none());
}

#[test]
fn reading_sees_what_a_living_daemon_wrote() {
    let (_temp, path) = fresh();
    let mut daemon = open(&path);
    daemon.append(&ran("ls"), None).unwrap();
    let mut reader = History::open_to_read(&path).unwrap().unwrap();
    assert_eq!(reader.count().unwrap(), 1);
    daemon.append(&ran("pwd"), None).unwrap();
    assert_eq!(reader.count().unwrap(), 2);
}

#[test]
fn reading_a_damaged_file_says_so_and_renames_nothing() {
    let (_temp, path) = fresh();
    import(&mut open(&path), &many());
    damage_the_middle(&path);
    let mut history = History::open_to_read(&path).unwrap().unwrap();
    let error = format!("{:#}", history.each_in_time_order(|_| {}).unwrap_err());
    assert!(error.contains("is damaged; `aside history import` or the daemon"), "{error}");
    assert_eq!(set_aside(&path), Vec::<PathBuf>::new());
}

/// Runs as a child of the test below; does nothing in a normal run.
#[test]
fn appends_until_it_is_killed() {
    let Some(path) = std::env::var_os("ASIDE_TEST_APPEND_TO") else { return };
    let mut history = open(Path::new(&path));
    for number in 0.. {
        history.append(&ran(&format!("echo {number}")), None).unwrap();
        // The acknowledgement: from here on the record must survive.
        eprintln!("kept {number}");
    }
}

#[test]
fn a_killed_process_loses_no_acknowledged_record() {
    use std::io::BufRead;
    let (_temp, path) = fresh();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::appends_until_it_is_killed", "--nocapture"])
        .env("ASIDE_TEST_APPEND_TO", &path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "kept 300"));
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = 301 + lines.filter(|line| line.starts_with("kept ")).count();
    let rows = commands(&mut open(&path));
    assert!(rows.len() >= kept, "{} rows of {kept}", rows.len());
    assert_eq!(rows[kept - 1], format!("echo {}", kept - 1));
}

#[test]
fn searches_for_all_words_and_takes_them_literally() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let entries = [
        HistoryEntry { cwd: Some("/src".to_owned()), exit: Some(0), ..ran_at("Cargo test --all", 30) },
        HistoryEntry { cwd: Some("/src".to_owned()), exit: Some(101), ..ran_at("cargo test", 20) },
        ran("echo 100%"),
        ran_at("echo 100 cargo_test", 40),
    ];
    import(&mut history, &entries);
    let mut found = |words: &[&str], directories: &[&str], outcome, limit| {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let search = Search { words: own(words), directories: own(directories), outcome, limit };
        history.search(&search).unwrap().into_iter().map(|row| row.entry.command).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(found(&["cargo", "TEST"], &[], Outcome::Any, 9), "cargo test; Cargo test --all; echo 100 cargo_test");
    assert_eq!(found(&["cargo", "TEST"], &[], Outcome::Any, 2), "Cargo test --all; echo 100 cargo_test");
    assert_eq!(found(&["0%"], &[], Outcome::Any, 9), "echo 100%");
    assert_eq!(found(&["cargo_"], &[], Outcome::Any, 9), "echo 100 cargo_test");
    assert_eq!(found(&[], &["/elsewhere", "/src"], Outcome::Any, 9), "cargo test; Cargo test --all");
    assert_eq!(found(&[], &[], Outcome::Failed, 9), "cargo test");
    assert_eq!(found(&["nothing"], &[], Outcome::Any, 9), "");
}

#[test]
fn counts_what_there_is() {
    let (_temp, path) = fresh();
    let mut history = open(&path);
    let entries = [
        HistoryEntry { cwd: Some("/src".to_owned()), exit: Some(0), ..ran_at("make", 30) },
        HistoryEntry { cwd: Some("/src".to_owned()), exit: Some(2), ..ran_at("make", 20) },
        HistoryEntry { shell: "bash".to_owned(), cwd: Some("/tmp".to_owned()), ..ran("ls") },
    ];
    import(&mut history, &entries);
    let tally = |name: &str, count| Tally { name: name.to_owned(), count };
    assert_eq!(
        history.stats().unwrap(),
        Stats {
            total: 3,
            distinct: 2,
            first_ms: Some(20_000),
            last_ms: Some(30_000),
            ok: 1,
            failed: 1,
            commands: vec![tally("make", 2), tally("ls", 1)],
            shells: vec![tally("zsh", 2), tally("bash", 1)],
            directories: vec![tally("/src", 2), tally("/tmp", 1)],
        }
    );
}

fn atuin(schema: &str) -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("history.db");
    Connection::open(&path).unwrap().execute_batch(schema).unwrap();
    (temp, path)
}

#[test]
fn reads_what_atuin_knows() {
    let (_temp, path) = atuin(
        "CREATE TABLE history (id TEXT PRIMARY KEY, timestamp TEXT NOT NULL, duration INTEGER NOT NULL,
             exit INTEGER NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL, session TEXT NOT NULL,
             hostname TEXT NOT NULL, deleted_at INTEGER);
         INSERT INTO history VALUES
             ('b', 1700000009123456789, 2500000000, 1, 'make', '/src', 's1', 'box:me', NULL),
             ('a', 1700000000000000000, -1, -1, 'ls', 'unknown', 's1', 'box:me', NULL),
             ('c', 1700000010000000000, 5, 0, 'secret', '/src', 's1', 'box:me', 1700000011000000000);",
    );
    let ls = HistoryEntry {
        command: "ls".to_owned(),
        start_ms: Some(1_700_000_000_000),
        session: Some("s1".to_owned()),
        shell: "atuin".to_owned(),
        host: Some("box".to_owned()),
        ..HistoryEntry::default()
    };
    let make = HistoryEntry {
        command: "make".to_owned(),
        cwd: Some("/src".to_owned()),
        exit: Some(1),
        start_ms: Some(1_700_000_009_123),
        duration_ms: Some(2500),
        ..ls.clone()
    };
    assert_eq!(atuin::read(&path).unwrap().entries, [ls, make]);
}

#[test]
fn reads_atuin_of_other_versions() {
    let (_temp, path) = atuin(
        "CREATE TABLE history (timestamp INTEGER, command TEXT, shell TEXT);
         INSERT INTO history VALUES (1700000000000000000, 'ls', 'fish');",
    );
    let ls = HistoryEntry { start_ms: Some(1_700_000_000_000), shell: "fish".to_owned(), ..ran("ls") };
    assert_eq!(atuin::read(&path).unwrap().entries, [ls]);
}

#[test]
fn says_what_is_wrong_with_what_is_not_atuins() {
    let complaint = |path: &Path| format!("{:#}", atuin::read(path).unwrap_err());
    let (_temp, path) = atuin("CREATE TABLE other (id)");
    assert!(complaint(&path).contains("has no table `history`"), "{}", complaint(&path));
    let (_temp, path) = atuin("CREATE TABLE history (command TEXT)");
    assert!(complaint(&path).contains("has no column `timestamp`"), "{}", complaint(&path));
    std::fs::write(&path, b"ls\n".repeat(500)).unwrap();
    assert!(complaint(&path).contains("not a database"), "{}", complaint(&path));
    assert_eq!(std::fs::read(&path).unwrap(), b"ls\n".repeat(500));
    assert!(complaint(&path.with_file_name("missing")).contains("could not read"));
}

/// Makes a real shell write its history file, from commands that are hard to encode.
fn written_by(shell: &str, script: &str, commands: &[&str]) -> Vec<u8> {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("history");
    let output = Command::new(shell)
        .args(match shell {
            "zsh" => ["-f", "-i", "-c", script, shell],
            _ => ["--norc", "--noprofile", "-c", script, shell],
        })
        .arg(&file)
        .args(commands)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", temp.path())
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    std::fs::read(&file).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

const HARD: [&str; 14] = [
    "echo plain",
    "echo one \\\ntwo",
    "for i in 1; do\n\n  echo $i\ndone",
    "ends with a backslash\\",
    "ends with two\\\\",
    "ends with an escaped space\\ ",
    "ends with escaped spaces\\   ",
    "a backslash and a space\\ \nbefore the end of a line",
    "echo é ü Ã 中文 😀 ホ",
    "ends with a space ",
    ": 1700000000:5;looks like a header",
    ": a colon",
    "# a comment",
    "\ttab\tin between",
];

#[test]
fn reads_what_a_real_zsh_wrote() {
    let script = "file=$1; shift; fc -p $file 1000 1000; for line; do print -rs -- $line; done; fc -W";
    for options in ["", "setopt extended_history; "] {
        let file = written_by("zsh", &format!("{options}{script}"), &HARD);
        let parsed = ImportFormat::Zsh.parse(&file);
        let read: Vec<&str> = parsed.entries.iter().map(|entry| entry.command.as_str()).collect();
        assert_eq!((read.as_slice(), parsed.skipped), (HARD.as_slice(), 0));
        assert!(parsed.entries.iter().all(|entry| entry.start_ms.is_some() != options.is_empty()));
    }
}

#[test]
fn reads_what_a_real_bash_wrote() {
    let script = "set -o history; HISTCONTROL= HISTFILE=$1 HISTTIMEFORMAT='%F '; shift; history -c
        for line; do history -s \"$line\"; done; history -w; unset HISTFILE";
    let file = written_by("bash", script, &HARD);
    let parsed = ImportFormat::Bash.parse(&file);
    // bash records the lines of the script, too.
    let read: Vec<&str> = parsed.entries.iter().map(|entry| entry.command.as_str()).collect();
    let read: Vec<&str> = read.into_iter().filter(|command| HARD.contains(command)).collect();
    // A line that is complete by itself ends a command: what follows it without a timestamp is another one.
    let hard: Vec<&str> = HARD.into_iter().filter(|command| !command.starts_with("a backslash and a space")).collect();
    assert_eq!((read, parsed.skipped), (hard, 0));
}

/// A file of an older version has no column for private shells.
#[test]
fn a_file_of_an_older_version_is_read_and_gets_the_mark_of_private_shells() {
    let (_temp, path) = fresh();
    drop(open(&path));
    let old = Connection::open(&path).unwrap();
    old.execute_batch(
        "ALTER TABLE history DROP COLUMN private; INSERT INTO history (command, shell) VALUES ('ls', 'zsh')",
    )
    .unwrap();
    drop(old);
    let private = |history: &mut History| {
        let mut found = Vec::new();
        history.each_since(0, |row| found.push((row.command.to_owned(), row.private))).unwrap();
        found
    };
    let mut reader = History::open_to_read(&path).unwrap().unwrap();
    assert_eq!(private(&mut reader), [("ls".to_owned(), false)]);
    assert!(!reader.newest(1, None).unwrap()[0].entry.private);
    let mut history = open(&path);
    history.append(&HistoryEntry { private: true, ..ran("deploy") }, None).unwrap();
    history.append(&ran("make"), None).unwrap();
    drop(history);
    let expected =
        [("ls", false), ("deploy", true), ("make", false)].map(|(command, private)| (command.to_owned(), private));
    assert_eq!(private(&mut open(&path)), expected);
    let newest = open(&path).newest(3, None).unwrap();
    assert_eq!(newest.iter().map(|row| row.entry.private).collect::<Vec<_>>(), [false, true, false]);
}

/// SQLite opens a file of a read-only disk for reading, and the connection stays so when the disk can be written again.
#[test]
fn a_connection_that_became_read_only_is_opened_again() {
    let temp = tempfile::tempdir().unwrap();
    let (mut history, _) = History::open(&temp.path().join("history.db")).unwrap();
    let entry = HistoryEntry { command: "ls".to_owned(), shell: "bash".to_owned(), ..HistoryEntry::default() };
    history.append(&entry, None).unwrap();
    history.database.as_ref().unwrap().connection.pragma_update(None, "query_only", true).unwrap();
    history.append(&entry, None).unwrap();
    assert_eq!(history.count().unwrap(), 2);
}
