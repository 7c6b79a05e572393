//! Finds what stands out in a change: what the rules match in single lines, and what only all lines together show.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;
use aside_redact::{redact, secrets};
use aside_text as text;
use aside_text::lazy_regex::Regex;

use crate::denied_files::denial;
use crate::run::review::file_kind::CODE;
use crate::run::review::patch::{FileChangeKind, PatchFile, PatchRow, RowSide};
use crate::run::review::weakened::{Weakening, is_similar, weakened};
use crate::run::review::{FindingLocation, Risk, Severity, rules};
use crate::run::short;

/// Changed lines from which a file is reported as large.
const LARGE: usize = 1000;
/// Places kept for one risk.
const MAX_PLACES: usize = 200;
/// Bytes of added text that one scan for secrets takes.
const MAX_SECRETS: usize = 1024 * 1024;
/// Characters of a line that are shown.
const MAX_SHOWN: usize = 80;

pub fn risks(files: &[PatchFile<'_>], kinds: &[&'static str]) -> Vec<Risk> {
    let mut found = Found::default();
    let comes = Comes::of(files);
    for (file, kind) in files.iter().zip(kinds) {
        whole(file, kind, &mut found);
        if *kind == "lock file" || *kind == "generated" {
            // Generated files are skipped: they are not written by hand, and their hashes look like secrets.
            continue;
        }
        hidden(file, &mut found);
        leaked(file, kind, &mut found);
        let spaces = only_spaces(file);
        if spaces {
            found.add(
                "whitespace",
                Severity::Minor,
                &Bilingual::new("only blanks changed", "只改了空白"),
                FindingLocation::whole(file),
            );
            continue;
        }
        for rule in rules::ALL.iter().filter(|rule| rule.is_about(&file.path, kind)) {
            for row in file.of_side(rule.side).filter(|row| rule.finds(row.text)) {
                // A line that went with its file, or was only moved, is not missing.
                let went = file.change == FileChangeKind::Deleted || comes.has_line(row.text);
                let went = went || rule.name == "assertion-removed" && is_in_removed_test(file, row);
                // A new version of the line is no removal; what changed in it is named by itself.
                let is_new_version = |added: &PatchRow<'_>| {
                    added.hunk == row.hunk && rule.finds(added.text) && is_similar(row.text, added.text)
                };
                let went = went || rule.side == RowSide::Removed && file.of_side(RowSide::Added).any(is_new_version);
                if rule.side == RowSide::Removed && (went || rule.name == "dependency-removed" && is_renewed(file, row))
                {
                    continue;
                }
                found.add(&rule.name, rule.weight, &rule.what, FindingLocation::at(file, row));
            }
        }
        gone(file, kind, &comes, &mut found);
        unawaited(file, &mut found);
        // A line that a rule has named is not named again.
        for Weakening { rule, weight, what, spot } in weakened(file, kind) {
            let is_moved = rule == "check-removed" && comes.has_line(&spot.text);
            let is_named = rule == "check-removed" && found.has(&spot);
            if !is_moved && !is_named {
                found.add(rule, weight, &what, spot);
            }
        }
    }
    untested(files, kinds, &mut found);
    found.sorted()
}

#[derive(Default)]
struct Found {
    all: Vec<Risk>,
    at: BTreeMap<(String, Bilingual), usize>,
}

impl Found {
    fn add(&mut self, rule: &str, weight: Severity, what: &Bilingual, spot: FindingLocation) {
        let at = *self.at.entry((rule.to_owned(), what.clone())).or_insert_with(|| {
            let risk = Risk { rule: rule.to_owned(), weight, what: what.clone(), places: Vec::new() };
            self.all.push(risk);
            self.all.len() - 1
        });
        if let Some(risk) = self.all.get_mut(at).filter(|risk| risk.places.len() < MAX_PLACES) {
            risk.places.push(spot);
        }
    }

    /// Whether a removed line of this place is named already.
    fn has(&self, spot: &FindingLocation) -> bool {
        let same = |place: &FindingLocation| place.path == spot.path && place.line == spot.line;
        self.all.iter().filter(|risk| risk.rule.ends_with("-removed")).any(|risk| risk.places.iter().any(same))
    }

    fn sorted(mut self) -> Vec<Risk> {
        // A stable sort: equal weights keep the order in which they were found.
        self.all.sort_by_key(|risk| risk.weight);
        self.all
    }
}

impl FindingLocation {
    fn whole(file: &PatchFile<'_>) -> Self {
        Self { path: file.path.clone(), line: None, text: String::new() }
    }

    fn at(file: &PatchFile<'_>, row: &PatchRow<'_>) -> Self {
        Self { path: file.path.clone(), line: Some(row.line), text: short(&redact(row.text), MAX_SHOWN) }
    }
}

/// Findings about the file and not about its lines.
fn whole(file: &PatchFile<'_>, kind: &str, found: &mut Found) {
    let mut add = |rule: &str, weight, what: Bilingual| found.add(rule, weight, &what, FindingLocation::whole(file));
    let comes = file.change != FileChangeKind::Deleted;
    if let Some(what) = denial(&file.path).filter(|_| comes) {
        let what = Bilingual::new(format!("part of the change: {}", what.english), format!("改动里有{}", what.chinese));
        add("denied", Severity::Grave, what);
    }
    match file.modes {
        (_, Some("120000")) if file.modes.0 != Some("120000") => {
            add("link", Severity::Look, Bilingual::new("is now a symbolic link", "变成了符号链接"))
        }
        (_, Some("160000")) => {
            add("submodule", Severity::Look, Bilingual::new("another commit of a submodule", "子模块换了提交"))
        }
        (Some(old), Some(new)) if old != new => match new {
            "100755" => add("mode", Severity::Look, Bilingual::new("may now be run", "变得可以执行")),
            "100644" => add("mode", Severity::Look, Bilingual::new("may no longer be run", "不再可以执行")),
            _ => {
                let english = format!("permissions changed from {old} to {new}");
                add("mode", Severity::Look, Bilingual::new(english, format!("权限从 {old} 变为 {new}")));
            }
        },
        (None, Some("100755")) if !is_script(file) => {
            add("mode", Severity::Minor, Bilingual::new("new, and may be run", "新文件，可以执行"))
        }
        _ => {}
    }
    if file.binary && comes && kind != "media" {
        add(
            "binary",
            Severity::Look,
            Bilingual::new("binary: the change cannot be read", "二进制：没有人能读这个改动"),
        );
    }
    let (added, _) = file.counts();
    if added >= LARGE && !["lock file", "generated"].contains(&kind) {
        add("large", Severity::Look, Bilingual::new("very many lines", "行数非常多"));
    }
    if file.change == FileChangeKind::Deleted && kind == "tests" {
        add("tests-removed", Severity::Look, Bilingual::new("tests deleted", "删除了测试"));
    }
    if kind == "migration" && file.change == FileChangeKind::Modified {
        add(
            "migration",
            Severity::Look,
            Bilingual::new("a migration changed that may have run already", "改了可能已经运行过的迁移"),
        );
    }
}

/// Whether the file begins with a shebang.
fn is_script(file: &PatchFile<'_>) -> bool {
    file.of_side(RowSide::Added).next().is_some_and(|row| row.text.starts_with("#!"))
}

/// Invisible characters, which can make code read differently from what it does.
fn hidden(file: &PatchFile<'_>, found: &mut Found) {
    for row in file.of_side(RowSide::Added) {
        // Ignores a byte order mark at the start, and colour sequences in tests, which are common.
        let line = row.text.trim_start_matches('\u{feff}');
        let hides = line.char_indices().any(|(at, letter)| {
            // A zero-width joiner combines emoji; between plain letters it is suspicious.
            let joins = letter == '\u{200d}'
                && line
                    .get(..at)
                    .and_then(|before| before.chars().next_back())
                    .is_some_and(|before| before > '\u{2fff}');
            letter > '\u{9f}' && !joins && !text::is_clean(letter.encode_utf8(&mut [0; 4]))
        });
        if hides {
            found.add(
                "hidden",
                Severity::Grave,
                &Bilingual::new("invisible characters added", "加入了看不见的字符"),
                FindingLocation::at(file, row),
            );
        }
    }
}

/// Secrets in added lines. Some secrets span many lines.
fn leaked(file: &PatchFile<'_>, kind: &str, found: &mut Found) {
    let mut all = String::new();
    let mut starts: Vec<(usize, &PatchRow<'_>)> = Vec::new();
    for row in file.of_side(RowSide::Added) {
        if all.len() + row.text.len() > MAX_SECRETS {
            break;
        }
        starts.push((all.len(), row));
        all.push_str(row.text);
        all.push('\n');
    }
    for secret in secrets(&all) {
        let after = starts.partition_point(|(start, _)| *start <= secret.span.start);
        let Some((_, row)) = after.checked_sub(1).and_then(|at| starts.get(at)) else { continue };
        // A random-looking string is as often a hash or an image, and secrets in tests are mostly fake.
        let (weight, what) = match (secret.kind, kind) {
            ("random string", _) => (Severity::Look, Bilingual::new("may be a secret", "可能是机密")),
            (sort, "tests") => {
                let english = format!("may be a secret, in a test ({sort})");
                (Severity::Look, Bilingual::new(english, format!("测试里可能有机密（{sort}）")))
            }
            (sort, _) => (
                Severity::Grave,
                Bilingual::new(format!("a secret is added ({sort})"), format!("加入了机密（{sort}）")),
            ),
        };
        let mut spot = FindingLocation::at(file, row);
        // A single line of a multi-line key looks harmless alone, so none is shown.
        if !spot.text.contains(aside_redact::REDACTED) {
            spot.text = String::new();
        }
        found.add("secret", weight, &what, spot);
    }
}

/// Whether the test of an assertion went as a whole, which is named by itself.
fn is_in_removed_test(file: &PatchFile<'_>, row: &PatchRow<'_>) -> bool {
    declared(file, RowSide::Removed).iter().any(|(test, sort, _)| *sort == Sort::Test && test.hunk == row.hunk)
}

/// Whether another line of the file names the same dependency: its version changed.
fn is_renewed(file: &PatchFile<'_>, row: &PatchRow<'_>) -> bool {
    let name = |text: &str| {
        let text = text.trim_start().trim_start_matches(['"', '\'']);
        text.split(|end: char| !end.is_alphanumeric() && !"@/_-.".contains(end)).next().map(str::to_owned)
    };
    let own = name(row.text).filter(|name| !name.is_empty());
    own.is_some() && file.of_side(RowSide::Added).any(|added| name(added.text) == own)
}

/// Whether added and removed text differ only in whitespace.
fn only_spaces(file: &PatchFile<'_>) -> bool {
    let of = |side| -> String {
        file.of_side(side).flat_map(|row| row.text.chars()).filter(|letter| !letter.is_whitespace()).collect()
    };
    let (added, removed) = file.counts();
    // In these languages whitespace is significant.
    let meant = file.path.ends_with(".py") || file.path.ends_with(".yml") || file.path.ends_with(".yaml");
    added + removed > 0 && !meant && of(RowSide::Added) == of(RowSide::Removed)
}

/// All added lines and names of the change.
struct Comes<'a> {
    lines: BTreeSet<&'a str>,
    names: BTreeSet<(Sort, &'a str)>,
    /// Public declarations with their path and name.
    declarations: Vec<(&'a str, &'a str, PatchRow<'a>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Test,
    Public,
}

impl<'a> Comes<'a> {
    fn of(files: &'a [PatchFile<'a>]) -> Self {
        let added = |file: &PatchFile<'a>| declared(file, RowSide::Added);
        let lines = files.iter().flat_map(|file| file.of_side(RowSide::Added)).map(|row| row.text.trim()).collect();
        let names = files.iter().flat_map(added).map(|(_, sort, name)| (sort, name)).collect();
        let public = |file: &'a PatchFile<'a>| {
            let all = added(file).into_iter().filter(|(_, sort, _)| *sort == Sort::Public);
            all.map(|(row, _, name)| (file.path.as_str(), name, row)).collect::<Vec<_>>()
        };
        let declarations = files.iter().flat_map(public).collect();
        Self { lines, names, declarations }
    }

    fn has_line(&self, line: &str) -> bool {
        self.lines.contains(line.trim())
    }
}

/// Reports tests and public names that are removed and not added elsewhere.
fn gone(file: &PatchFile<'_>, kind: &str, comes: &Comes<'_>, found: &mut Found) {
    for (row, sort, name) in declared(file, RowSide::Removed) {
        let again = comes.names.contains(&(sort, name));
        let spot = FindingLocation::at(file, &row);
        match sort {
            Sort::Test if !again && file.change != FileChangeKind::Deleted => {
                found.add(
                    "test-removed",
                    Severity::Look,
                    &Bilingual::new("test removed or renamed", "删除或改名了测试"),
                    spot,
                );
            }
            Sort::Public if kind == "tests" || comes.has_line(row.text) => {}
            Sort::Public if again => {
                let new = comes.declarations.iter().find(|(_, known, _)| *known == name);
                let spot = match new {
                    Some((path, _, new)) => FindingLocation {
                        path: (*path).to_owned(),
                        line: Some(new.line),
                        text: format!("{} → {}", spot.text.trim(), short(&redact(new.text.trim()), MAX_SHOWN)),
                    },
                    None => spot,
                };
                found.add(
                    "api-changed",
                    Severity::Minor,
                    &Bilingual::new("public declaration changed", "公开的声明变了"),
                    spot,
                );
            }
            Sort::Public => {
                found.add(
                    "api-removed",
                    Severity::Look,
                    &Bilingual::new("public name removed or renamed", "删除或改名了公开的名字"),
                    spot,
                );
            }
            Sort::Test => {}
        }
    }
}

/// A call that was awaited and no longer is, with nothing else changed in its line.
fn unawaited(file: &PatchFile<'_>, found: &mut Found) {
    let ending = file.path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !["js", "jsx", "ts", "tsx", "mjs", "cjs", "vue", "svelte", "py"].contains(&ending) {
        return;
    }
    let awaited: Vec<String> = file
        .of_side(RowSide::Removed)
        .map(|row| row.text.trim())
        .filter(|line| line.contains("await "))
        .map(|line| line.replacen("await ", "", 1))
        .collect();
    for row in file.of_side(RowSide::Added).filter(|row| awaited.iter().any(|line| line == row.text.trim())) {
        let what = Bilingual::new("is no longer awaited", "不再等待（await）");
        found.add("await-removed", Severity::Look, &what, FindingLocation::at(file, row));
    }
}

/// Added lines of code from which a change without any test is reported.
const UNTESTED: usize = 10;

/// Code is added, and no test is part of the change.
fn untested(files: &[PatchFile<'_>], kinds: &[&'static str], found: &mut Found) {
    if kinds.contains(&"tests") {
        return;
    }
    let code = files.iter().zip(kinds).filter(|(_, kind)| **kind == CODE).map(|(file, _)| file);
    let most = code.clone().max_by_key(|file| file.counts().0);
    // Tests of Rust and D are in the same file.
    let is_inside = |file: &PatchFile<'_>| file.path.ends_with(".rs") || file.path.ends_with(".d");
    if let Some(file) = most.filter(|file| !is_inside(file))
        && code.map(|file| file.counts().0).sum::<usize>() >= UNTESTED
    {
        let what = Bilingual::new("no test is part of the change", "改动里没有测试");
        found.add("untested", Severity::Minor, &what, FindingLocation::whole(file));
    }
}

struct Names {
    test: Regex,
    function: Regex,
    public: Regex,
}

static NAMES: LazyLock<Option<Names>> = LazyLock::new(|| {
    Some(Names {
        test: Regex::new(
            r#"^\s*(?:async\s+)?(?:def\s+(test_\w+)|func\s+(Test\w+)|(?:x|f)?(?:it|test|describe)(?:\.\w+)*\s*\(\s*(["'`][^"'`]+)|(?:public\s+)?void\s+(test\w+)\s*\(|(?:it|specify|test)\s+(["'][^"']+))"#,
        )
        .ok()?,
        function: Regex::new(r"^\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)").ok()?,
        public: Regex::new(
            r"^(?:\s*pub\s+(?:async\s+|const\s+|unsafe\s+)*(?:fn|struct|enum|trait|type|const|static|mod)\s+(\w+)|export\s+(?:default\s+)?(?:async\s+)?(?:function\*?|class|const|let|interface|type|enum)\s+(\w+)|func\s+(?:\([^)]*\)\s*)?([A-Z]\w*)\s*\(|(?:def|class)\s+([A-Za-z]\w*)|module\.exports\.(\w+)\s*=|\s*public\s+(?:static\s+|final\s+|abstract\s+|async\s+)*(?:class|interface|record|enum|[\w<>\[\],]+)\s+(\w+)\s*[({])",
        )
        .ok()?,
    })
});

/// The name of the function that a line declares.
pub fn declared_name(line: &str) -> Option<String> {
    static NAME: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(?:fn|func|def|function\*?|fun)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)").ok());
    Some(NAME.as_ref()?.captures(line)?.get(1)?.as_str().to_owned())
}

/// The tests and public names that the lines of one side declare.
fn declared<'a>(file: &PatchFile<'a>, side: RowSide) -> Vec<(PatchRow<'a>, Sort, &'a str)> {
    let Some(names) = NAMES.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    let mut is_test = false;
    for row in file.of_side(side) {
        let line = row.text.trim();
        // Rust marks a test on the line above.
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.contains("::test");
            continue;
        }
        let of =
            |pattern: &Regex| pattern.captures(row.text)?.iter().skip(1).flatten().next().map(|name| name.as_str());
        let test = of(&names.test).or_else(|| of(&names.function).filter(|_| is_test));
        if let Some(name) = test {
            found.push((*row, Sort::Test, name));
        } else if let Some(name) = of(&names.public) {
            found.push((*row, Sort::Public, name));
        }
        is_test = false;
    }
    found
}
