//! Reads the sets and prints figures.

use std::path::PathBuf;

use serde::de::DeserializeOwned;

/// The cases of an author.
pub struct Set<C> {
    pub name: String,
    pub cases: Vec<C>,
}

/// All sets of a kind, by name. Empty when there are none.
pub fn load<C: DeserializeOwned>(kind: &str) -> Vec<Set<C>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/eval/unseen");
    let directory = std::env::var_os("ASIDE_UNSEEN").map_or_else(|| PathBuf::from(own), PathBuf::from).join(kind);
    let files = std::fs::read_dir(&directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let case = |(number, line)| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}:{}: {error}", number + 1))
            };
            let cases = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(case).collect();
            Set { name, cases }
        })
        .collect()
}

/// Whether the repository's own sets are measured, for which figures are promised.
pub fn are_own() -> bool {
    std::env::var_os("ASIDE_UNSEEN").is_none()
}

/// Prints a failed case, if the listing is on.
pub fn list(what: &str, set: &str, case: &str) {
    if std::env::var_os("ASIDE_UNSEEN_LIST").is_some() {
        println!("{what}\t{set}\t{}", case.escape_debug());
    }
}

/// A count and its share of all cases, in percent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    pub count: usize,
    pub all: usize,
}

impl Share {
    pub fn add(&mut self, counts: bool) {
        self.all += 1;
        self.count += usize::from(counts);
    }

    pub fn percent(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "some hundred cases")]
        let percent = self.count as f64 * 100.0 / self.all.max(1) as f64;
        percent
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {} ({:.1} %)", self.count, self.all, self.percent())
    }
}
