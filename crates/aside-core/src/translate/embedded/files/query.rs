//! A question about files, as it was understood: what is looked for, which of it, and what is to become of it. Neither
//! words nor commands: `read` makes one, `render` and its neighbours spell it.

use crate::translate::embedded::things::{Size, Time};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Where to look, as paths; empty is here.
    pub roots: Vec<String>,
    pub what: What,
    /// Any of these names will do.
    pub names: Vec<Name>,
    /// And of each of these, one must fit too.
    pub also: Vec<Vec<Name>>,
    /// None of these.
    pub not_names: Vec<Name>,
    /// Directories that are not looked into.
    pub avoid: Vec<String>,
    pub tests: Vec<Filter>,
    /// Texts that the files hold, or must not hold.
    pub texts: Vec<Text>,
    pub any_case: bool,
    pub max_depth: Option<u64>,
    pub min_depth: Option<u64>,
    pub reach: Reach,
    pub order: Option<Order>,
    pub top: Option<u64>,
    /// All but those.
    pub is_rest: bool,
    /// Complaints are not wanted.
    pub quiet: bool,
    pub shape: Shape,
    pub details: bool,
    pub human: bool,
    pub absolute: bool,
    pub base_names: bool,
    pub with_hidden: bool,
    pub action: Action,
    /// The file that the answer goes to.
    pub save: Option<String>,
    /// Each one by itself: sizes, counts.
    pub each: bool,
    /// Said to be searched for, not just listed.
    pub is_search: bool,
    /// Directories were ruled out.
    pub only_files: bool,
    /// `all files`, `every file`
    pub all: bool,
    /// A rough word without a number: large, old, recent.
    pub vague: Option<Key>,
}

impl Query {
    /// Whether two parts of it exclude each other, so that something was misread: directories named like pictures, a tree in the order
    /// of age.
    pub fn contradicts(&self) -> bool {
        let is_ending = |name: &Name| name.glob.strip_prefix("*.").is_some_and(|ending| !ending.contains(['*', '?']));
        let named_like_files = !self.names.is_empty() && self.names.iter().all(is_ending);
        self.what == What::Directories && named_like_files && self.names.iter().any(|name| name.is_loose)
            || self.shape == Shape::Tree && (self.order.is_some() || self.top.is_some())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum What {
    /// Nothing was said: files, unless the rest says more.
    #[default]
    Unsaid,
    Files,
    Directories,
    Both,
    Links,
    BrokenLinks,
    Sockets,
    Pipes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// A pattern, unquoted.
    pub glob: String,
    /// One of a family such as images, where nobody cares about `.JPG`.
    pub is_loose: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub is_negated: bool,
    pub test: Test,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    Empty,
    Hidden,
    Executable,
    Readable,
    Writable,
    /// As -perm takes it.
    Rights(String),
    User(String),
    Group(String),
    NoUser,
    Size(Side, Size),
    Age(Stamp, Side, Time),
    /// Changed after this file was.
    Newer(String),
}

/// On which side of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    More,
    AtLeast,
    Less,
    AtMost,
    Exactly,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stamp {
    #[default]
    Modified,
    Accessed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub is_negated: bool,
    pub text: String,
}

/// How deep, as far as it was said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    #[default]
    Unsaid,
    /// `here`, `in this directory`: people mean both.
    Here,
    /// Only this level.
    Flat,
    Deep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub key: Key,
    /// The largest, newest, or last letter first.
    pub is_down: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Size,
    Time,
    Access,
    Name,
    Ending,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    #[default]
    Names,
    Count,
    /// How much room it takes.
    Size,
    Lines,
    Words,
    CountByDirectory,
    CountByEnding,
    /// The directories that hold such files.
    Holders,
    DuplicateContents,
    DuplicateNames,
    Tree,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Action {
    #[default]
    Show,
    Delete,
    /// A directory, and whether it is there.
    Move(Goal),
    Copy(Goal),
    /// As chmod takes it.
    Rights(String),
    /// As chown takes it.
    Owner(String),
    Print,
    Gzip,
    /// `md5sum`, `sha256sum`
    Sum(&'static str),
    /// What kind of file it is.
    Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub path: String,
    pub is_there: bool,
}

impl Query {
    pub fn has_filter(&self) -> bool {
        !self.names.is_empty()
            || !self.also.is_empty()
            || !self.not_names.is_empty()
            || !self.avoid.is_empty()
            || !self.tests.is_empty()
            || !self.texts.is_empty()
    }

    pub fn destroys(&self) -> bool {
        matches!(self.action, Action::Delete | Action::Move(_))
    }
}

impl Name {
    pub fn plain(glob: impl Into<String>) -> Self {
        Self { glob: glob.into(), is_loose: false }
    }
}
