//! The diff parser against git and patch as oracles: where both accept a diff, the results are equal; and they accept the diffs
//! that Aside renders.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "real programs, and files for them")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use aside_task::diff::parse::parse_patch;
use aside_task::diff::path::RelativePath;
use aside_task::diff::resolve::{FileState, ResolvedChanges, resolve};

const CASES: u64 = 40;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn run(dir: &Path, program: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(dir).stdin(Stdio::null()).stderr(Stdio::null());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CEILING_DIRECTORIES", "/");
    let output = command.output().ok()?;
    // `git diff` exits with 1 when it found a difference.
    matches!(output.status.code(), Some(0 | 1))
        .then_some(output.stdout)
        .filter(|_| output.status.success() || arguments.first() == Some(&"diff"))
}

fn ours(before: &[u8], patch: &[u8]) -> Result<ResolvedChanges, String> {
    let patch = parse_patch(patch).map_err(|refusal| refusal.to_string())?;
    let state = FileState { bytes: before.to_vec(), executable: false };
    let found = BTreeMap::from([(RelativePath::new("x").unwrap(), state)]);
    resolve(&patch, &found).map_err(|refusal| refusal.to_string())
}

fn text(dice: &mut Dice) -> Vec<String> {
    (0..5 + dice.roll(60)).map(|line| if dice.roll(3) == 0 { "}".to_owned() } else { format!("line {line}") }).collect()
}

fn changed(lines: &[String], dice: &mut Dice) -> Vec<String> {
    let mut out = Vec::new();
    for line in lines {
        match dice.roll(12) {
            0 => {}
            1 => out.push(format!("{line} changed")),
            2 => out.extend([line.clone(), format!("new {}", dice.roll(9))]),
            _ => out.push(line.clone()),
        }
    }
    out
}

fn joined(lines: &[String], end: &str, dice: &mut Dice) -> String {
    let text = lines.join(end);
    if dice.roll(4) == 0 || text.is_empty() { text } else { text + end }
}

#[test]
fn git_patch_and_we_make_the_same_of_a_diff() {
    let dir = std::env::temp_dir().join(format!("aside-diff-{}", std::process::id()));
    fs::create_dir_all(dir.join("a")).unwrap();
    fs::create_dir_all(dir.join("b")).unwrap();
    let mut dice = Dice(7);
    let (mut agreed, mut moved, mut patched) = (0, 0, 0);
    for case in 0..CASES {
        let end = if dice.roll(4) == 0 { "\r\n" } else { "\n" };
        let lines = text(&mut dice);
        let old = joined(&lines, end, &mut dice);
        let new = joined(&changed(&lines, &mut dice), end, &mut dice);
        if old == new || old.is_empty() || new.is_empty() {
            continue;
        }
        fs::write(dir.join("a/x"), &old).unwrap();
        fs::write(dir.join("b/x"), &new).unwrap();
        let diff = run(&dir, "git", &["diff", "--no-index", "--no-prefix", "a/x", "b/x"]).unwrap();
        let changes = ours(old.as_bytes(), &diff).unwrap();
        let after = |changes: &ResolvedChanges| changes.files()[0].after().unwrap().bytes.clone();
        assert_eq!(after(&changes), new.as_bytes(), "{case}");
        // git and patch accept the diff that Aside renders.
        let shown = dir.join("shown");
        fs::write(&shown, changes.diff()).unwrap();
        let apply = |before: &str, program: &str, arguments: &[&str]| -> Option<Vec<u8>> {
            fs::write(dir.join("x"), before).unwrap();
            run(&dir, program, arguments).and_then(|_| fs::read(dir.join("x")).ok())
        };
        let git = ["apply", "--whitespace=nowarn", "shown"];
        assert_eq!(apply(&old, "git", &git).as_deref(), Some(new.as_bytes()), "{case}\n{changes}");
        agreed += 1;
        let patch = ["-s", "-p1", "--binary", "-i", "shown"];
        if let Some(other) = apply(&old, "patch", &patch) {
            assert_eq!(other, new.as_bytes(), "{case}\n{changes}");
            patched += 1;
        }
        // In a file that has changed meanwhile, where both accept it.
        let later = format!("first{end}second{end}{old}");
        if let (Some(theirs), Ok(changes)) = (apply(&later, "git", &git), ours(later.as_bytes(), &diff)) {
            assert_eq!(theirs, after(&changes), "{case}\n{changes}");
            moved += 1;
        }
    }
    fs::remove_dir_all(&dir).unwrap();
    assert!(agreed > CASES / 2 && moved > CASES / 4, "{agreed} agreed, {moved} moved, {patched} by patch");
}
