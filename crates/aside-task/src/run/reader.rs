//! Reads a request by the things that it names: finds the one operation of `data/task/operations.toml` whose trigger words and slots are
//! all there, with no content word left over, and writes the request in the words that the exact readers know, or as a command. Says which
//! word was not understood, or what is not in the repository; makes no proposal itself.

mod binding;
mod clauses;
pub mod ground;
mod keys;
mod scope;
mod table;
pub mod tokens;
pub mod unmet;

#[cfg(test)]
mod tests;

use crate::run::reader::binding::{Binding, Prepared};
use crate::run::reader::ground::{RepositoryFacts, SlotKind};
use crate::run::reader::table::TABLE;

/// Characters of a request that is read; a longer one is prose.
const MAX_LETTERS: usize = 300;

/// How an operation becomes a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Exact changes, one per line, in the words of `exact_edit`.
    Change(String),
    /// Command lines that do the same, the preferred first.
    Command(Vec<String>),
}

/// A request of which every word is explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    pub reading: Reading,
    /// The request forbids something, and the reading does not do that.
    pub forbids: bool,
    /// An option of the command is in plain words, so that the request is no command line.
    pub is_prose: bool,
}

/// Why a request is no operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadMiss {
    /// No operation has its words there.
    Unknown,
    /// All else fits an operation.
    NotUnderstood(Vec<String>),
    /// The name of a thing that an operation needs, and the repository does not have.
    NotThere(String),
    /// Operations with different effects fit.
    Ambiguous,
}

pub type ReadResult = Result<Understood, ReadMiss>;

/// What has to be looked up to read a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactNeeds {
    pub texts: bool,
    pub git: bool,
}

/// Which facts are needed; `None` if the trigger words of no operation are there.
pub fn needs(request: &str) -> Option<FactNeeds> {
    let facts = RepositoryFacts::default();
    let prepared = Prepared::new(request, &facts);
    let mut needs = None;
    let triggered = TABLE.operations.iter().filter(|operation| Binding::new(operation, &prepared, &facts).triggered());
    for operation in triggered.filter(|_| is_short(request)) {
        let needs: &mut FactNeeds = needs.get_or_insert_default();
        needs.texts |= operation.slots.iter().any(|slot| slot.kind.is_in_texts());
        needs.git |= operation.when.as_deref() == Some("git");
    }
    needs
}

pub fn read(request: &str, facts: &RepositoryFacts) -> ReadResult {
    if !is_short(request) {
        return Err(ReadMiss::Unknown);
    }
    let prepared = Prepared::new(request, facts);
    let mut found: Vec<(usize, Understood)> = Vec::new();
    let mut miss = ReadMiss::Unknown;
    for operation in TABLE.operations.iter().filter(|operation| operation.is_for(facts)) {
        match Binding::new(operation, &prepared, facts).read(request) {
            Ok((score, understood)) => found.push((score, understood)),
            // Where some texts are missing, a name that was not found may be in them.
            Err(ReadMiss::NotThere(_)) if facts.is_partial => {}
            Err(other) => miss = nearer(miss, other),
        }
    }
    // The reading that takes the most words as names or verbs says the most; two of them with different effects are as good as none.
    let best = found.iter().map(|(score, _)| *score).max();
    let mut best = found.into_iter().filter(|(score, _)| Some(*score) == best).map(|(_, understood)| understood);
    let Some(first) = best.next() else { return Err(miss) };
    match best.all(|other| other.reading == first.reading) {
        true => Ok(first),
        false => Err(ReadMiss::Ambiguous),
    }
}

/// The miss that says more: the one with the fewest words that were not understood.
fn nearer(one: ReadMiss, other: ReadMiss) -> ReadMiss {
    let rank = |miss: &ReadMiss| match miss {
        ReadMiss::NotUnderstood(words) => words.len(),
        ReadMiss::NotThere(_) => 5,
        ReadMiss::Ambiguous => 100,
        ReadMiss::Unknown => usize::MAX,
    };
    if rank(&other) < rank(&one) { other } else { one }
}

fn is_short(request: &str) -> bool {
    !request.contains('\n') && request.chars().nth(MAX_LETTERS).is_none()
}

impl SlotKind {
    /// Whether the texts of the files say what fits.
    fn is_in_texts(self) -> bool {
        match self {
            SlotKind::Identifier
            | SlotKind::Function
            | SlotKind::Misspelt
            | SlotKind::Constant
            | SlotKind::Mark
            | SlotKind::Text
            | SlotKind::QuotedText
            | SlotKind::Module
            | SlotKind::Key
            | SlotKind::PartOfKey
            | SlotKind::Switch
            | SlotKind::TestName
            | SlotKind::RustTest
            | SlotKind::TestWord => true,
            SlotKind::Name
            | SlotKind::Word
            | SlotKind::AnyWord
            | SlotKind::Literal
            | SlotKind::Quoted
            | SlotKind::Value
            | SlotKind::File
            | SlotKind::Place
            | SlotKind::Path
            | SlotKind::Pattern
            | SlotKind::Version
            | SlotKind::Print
            | SlotKind::DebugPrint
            | SlotKind::Dependency
            | SlotKind::Member
            | SlotKind::Target
            | SlotKind::TargetWithValue
            | SlotKind::Tag
            | SlotKind::KnownTag
            | SlotKind::Branch
            | SlotKind::NewBranch
            | SlotKind::BranchLike
            | SlotKind::Revision
            | SlotKind::Remote
            | SlotKind::Port
            | SlotKind::Assignment
            | SlotKind::Compose
            | SlotKind::Service
            | SlotKind::TestFile
            | SlotKind::TestStem
            | SlotKind::Rest => false,
        }
    }
}
