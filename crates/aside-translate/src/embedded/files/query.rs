//! A query about files as it was understood: what is searched for, the filters, and the action. Independent of words
//! and commands: `parse` builds it, `render` and its neighbours spell it.

use crate::embedded::entities::{Size, Time};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Paths to search; empty means the current directory.
    pub roots: Vec<String>,
    pub what: FileType,
    /// Any of these names matches.
    pub names: Vec<Name>,
    /// From each of these lists, one name must match as well.
    pub also: Vec<Vec<Name>>,
    /// Excluded names.
    pub not_names: Vec<Name>,
    /// Directories that are not descended into.
    pub avoid: Vec<String>,
    pub tests: Vec<Filter>,
    /// Texts that the files must or must not contain.
    pub texts: Vec<Text>,
    pub any_case: bool,
    pub max_depth: Option<u64>,
    pub min_depth: Option<u64>,
    pub reach: SearchDepth,
    pub order: Option<Order>,
    pub top: Option<u64>,
    /// All except those.
    pub is_rest: bool,
    /// Hides error messages.
    pub quiet: bool,
    pub shape: OutputShape,
    pub details: bool,
    pub human: bool,
    pub absolute: bool,
    pub base_names: bool,
    pub with_hidden: bool,
    pub action: Action,
    /// The file that the output goes to.
    pub save: Option<String>,
    /// For each file separately: sizes, counts.
    pub each: bool,
    /// Asked to search, not just to list.
    pub is_search: bool,
    /// Directories were excluded.
    pub only_files: bool,
    /// `all files`, `every file`
    pub all: bool,
    /// An adjective without a number: large, old, recent.
    pub vague: Option<SortKey>,
}

impl Query {
    /// Whether two parts exclude each other, so that something was misread: directories named like pictures, a tree
    /// sorted by age.
    pub fn contradicts(&self) -> bool {
        let is_ending = |name: &Name| name.glob.strip_prefix("*.").is_some_and(|ending| !ending.contains(['*', '?']));
        let named_like_files = !self.names.is_empty() && self.names.iter().all(is_ending);
        self.what == FileType::Directories && named_like_files && self.names.iter().any(|name| name.is_loose)
            || self.shape == OutputShape::Tree && (self.order.is_some() || self.top.is_some())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileType {
    /// Not said: files, unless the rest says more.
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
    /// One of a family such as images, for which case is ignored (`.JPG`).
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
    /// In the syntax of find's -perm.
    Rights(String),
    User(String),
    Group(String),
    NoUser,
    Size(Comparison, Size),
    Age(TimeField, Comparison, Time),
    /// Modified after this file was.
    Newer(String),
}

/// The side of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    More,
    AtLeast,
    Less,
    AtMost,
    Exactly,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeField {
    #[default]
    Modified,
    Accessed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub is_negated: bool,
    pub text: String,
}

/// The depth, as far as the query says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchDepth {
    #[default]
    Unsaid,
    /// `here`, `in this directory`: users mean either depth by it.
    Here,
    /// Only this level.
    Flat,
    Deep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub key: SortKey,
    /// The largest, newest, or last in the alphabet first.
    pub is_down: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    Size,
    Time,
    Access,
    Name,
    Ending,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputShape {
    #[default]
    Names,
    Count,
    /// Disk usage.
    Size,
    Lines,
    Words,
    CountByDirectory,
    CountByEnding,
    /// The directories that contain such files.
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
    /// A directory, and whether it exists.
    Move(Destination),
    Copy(Destination),
    /// In the syntax of chmod.
    Rights(String),
    /// In the syntax of chown.
    Owner(String),
    Print,
    Gzip,
    /// `md5sum`, `sha256sum`
    Sum(&'static str),
    /// The file type.
    Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
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
