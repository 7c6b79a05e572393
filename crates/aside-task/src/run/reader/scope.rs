//! The files that a request limits a change to: "but not in the tests", "only in src", "in app.py only".

use crate::run::phrase::Phrase;
use crate::run::reader::ground::{RepositoryFacts, SlotKind, is_test_file};
use crate::run::reader::table::TABLE;
use crate::run::reader::tokens::{Token, TokenKind};

/// A file, a directory, or files by what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Area {
    Path(String),
    Tests,
    Docs,
}

impl Area {
    fn has(&self, path: &str) -> bool {
        match self {
            Area::Path(area) => {
                path == area || path.strip_prefix(area.as_str()).is_some_and(|rest| rest.starts_with('/'))
            }
            Area::Tests => is_test_file(path),
            Area::Docs => path.ends_with(".md") || path.ends_with(".rst") || path.starts_with("docs/"),
        }
    }
}

/// Where a change is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    only: Vec<Area>,
    not: Vec<Area>,
}

impl Scope {
    pub fn has(&self, path: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|area| area.has(path)))
            && !self.not.iter().any(|area| area.has(path))
    }
}

/// What a request limits a change to, and the tokens that say so. `None` if it does not.
pub fn scope(
    tokens: &[Token],
    is_used: &dyn Fn(usize) -> bool,
    facts: &RepositoryFacts,
) -> Option<(Scope, Vec<usize>)> {
    let (mut scope, mut taken) = (Scope::default(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let longest = |name: &str| {
            let phrases = TABLE.markers(name).iter().filter(|phrase| phrase.stands_at(tokens, at));
            phrases.map(Phrase::len).max().filter(|len| (at..at + len).all(|at| !is_used(at)))
        };
        let (len, is_not) = match (longest("not-in"), longest("only-in")) {
            (Some(len), _) => (len, true),
            (None, Some(len)) => (len, false),
            (None, None) => {
                at += 1;
                continue;
            }
        };
        let (areas, end) = areas(tokens, at + len, facts);
        if areas.is_empty() {
            at += 1;
            continue;
        }
        taken.extend(at..end);
        if is_not {
            scope.not.extend(areas)
        } else {
            scope.only.extend(areas)
        }
        at = end;
        // "In app.py only", "leave the tests alone".
        let trailing = TABLE.markers(if is_not { "untouched" } else { "only" });
        let trails = trailing.iter().filter(|phrase| phrase.stands_at(tokens, at)).map(Phrase::len).max();
        if let Some(len) = trails.filter(|len| (at..at + len).all(|at| !is_used(at))) {
            taken.extend(at..at + len);
            at += len;
        }
    }
    (scope != Scope::default()).then_some((scope, taken))
}

/// The areas that are named from an index on, and the index behind them.
fn areas(tokens: &[Token], from: usize, facts: &RepositoryFacts) -> (Vec<Area>, usize) {
    let (mut all, mut at, mut end) = (Vec::new(), from, from);
    while let Some(token) = tokens.get(at).filter(|token| token.kind != TokenKind::Break) {
        let lower = token.text.to_lowercase();
        let skipped = [
            "the",
            "any",
            "all",
            "and",
            "or",
            "in",
            "files",
            "file",
            "folder",
            "directory",
            "和",
            "里",
            "的",
            "里面",
            "目录",
            "文件",
        ];
        if let Some((path, len)) = facts.ground(SlotKind::Place, tokens, at) {
            all.push(Area::Path(path));
            at += len;
            end = at;
        } else if ["test", "tests", "测试", "specs"].contains(&lower.as_str()) {
            all.push(Area::Tests);
            at += 1;
            end = at;
        } else if ["docs", "documentation", "文档"].contains(&lower.as_str()) {
            all.push(Area::Docs);
            at += 1;
            end = at;
        } else if skipped.contains(&lower.as_str()) {
            at += 1;
            // Behind a name, they belong to it.
            if !all.is_empty() && !["and", "or", "in"].contains(&lower.as_str()) {
                end = at;
            }
        } else {
            break;
        }
    }
    (all, end)
}
