//! Builds a `Query` about files from the words of a query. Goes from left to right and marks a word only when the
//! result expresses it. Renders nothing.

mod bounds;
mod meaning;
mod names;
mod order;
mod permissions;
mod places;
mod unknown;

use crate::embedded::analysis::{AnalyzedQuery, ExplainedWords};
use crate::embedded::entities::{self, Entity};
use crate::embedded::files::query::{
    Action, Comparison, Destination, FileType, Filter, Name, OutputShape, Query, SearchDepth, SortKey, Test, TimeField,
};
use crate::embedded::files::scan::WordScan;

pub struct Read {
    pub query: Query,
    pub used: ExplainedWords,
    pub doubt: f32,
    pub specific: usize,
}

/// Words that mark a query that is not about files, whatever else it says.
const ALIEN: &[&str] = &[
    "process",
    "port",
    "commit",
    "branch",
    "column",
    "memory",
    "cpu",
    "environment",
    "install",
    "uninstall",
    "download",
    "upload",
    "kill",
    "stop",
    "restart",
    "run",
    "encrypt",
    "decrypt",
    "convert",
    "extract",
    "replace",
    "rename",
    "undo",
    "split",
    "build",
    "watch",
    "edit",
    "open-port",
    "open",
    "average",
    "unique",
    "append",
    "compare",
    "merge",
];

/// Names of tools that have rules of their own.
const TOOLS: &[&str] = &[
    "git",
    "docker",
    "kubectl",
    "npm",
    "pip",
    "cargo",
    "container",
    "containers",
    "staged",
    "unstaged",
    "untracked",
    "tracked",
    "stash",
    "remote",
    "pod",
    "pods",
    "systemd",
    "cron",
    "crontab",
    "package",
    "packages",
    "url",
    "ssh",
];

/// How many are shown when the query gives no number.
const SOME: u64 = 10;

pub fn read(reading: &AnalyzedQuery<'_>) -> Option<Read> {
    let scan = WordScan::new(reading);
    let has_time = (0..scan.len()).any(|at| matches!(scan.thing(at), Some(Entity::Time(_))));
    let alien = |at: usize| {
        let low = scan.low(at);
        let means = |meaning: &&str| scan.is(at, meaning);
        // `files I edited today`, `no execute permission`
        let is_said_otherwise = scan.is(at, "edit") && has_time
            || at > 0 && permissions::is_who(scan.low(at - 1))
            || at > 1 && permissions::is_who(scan.low(at - 2))
            || scan.is(at, "run") && (scan.is(at + 1, "permission") || scan.is(at + 1, "access"));
        scan.thing(at).is_none() && !is_said_otherwise && (ALIEN.iter().any(means) || TOOLS.contains(&low))
    };
    let spelled_as_a_place =
        |at: usize| scan.is(at, "build") && (scan.is(at + 1, "file") || scan.is(at + 1, "directory"));
    if (0..scan.len()).any(|at| alien(at) && !spelled_as_a_place(at)) {
        return None;
    }
    let mut reader = Reader { scan, ..Reader::new(reading) };
    let mut at = 0;
    while at < reader.scan.len() {
        let taken = if reader.scan.used.has(at) { 1 } else { reader.word(at) };
        at += taken.max(1);
    }
    reader.finish()
}

struct Reader<'r, 'a> {
    scan: WordScan<'r, 'a>,
    query: Query,
    /// A comparison that waits for its size or time.
    side: Option<(Comparison, usize)>,
    /// `older` and `newer`, waiting for a time or a file.
    age: Option<(Comparison, usize)>,
    between: bool,
    not: Option<usize>,
    stamp: Option<(TimeField, usize)>,
    /// Words about permissions, owners and sizes that wait for their context.
    verb: Option<Verb>,
    doubt: f32,
    is_alien: bool,
    specific: usize,
    goal: Option<Destination>,
    /// `sorted` without a key.
    unsorted: Option<usize>,
    /// The query contains `ls`.
    listed: bool,
    /// What changed, and when: implies files.
    changed_then: bool,
    /// The last exclusion was a directory.
    avoided: bool,
    /// A word was only guessed to be part of a name, or to mean files at all.
    guessed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Delete,
    Move,
    Copy,
    Change,
    Compress,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn new(reading: &'r AnalyzedQuery<'a>) -> Self {
        Self {
            scan: WordScan::new(reading),
            query: Query::default(),
            side: None,
            age: None,
            between: false,
            not: None,
            stamp: None,
            verb: None,
            doubt: 0.0,
            is_alien: false,
            specific: 1,
            goal: None,
            unsorted: None,
            listed: false,
            changed_then: false,
            avoided: false,
            guessed: false,
        }
    }

    /// Reads the word at a place, and returns how many words it took.
    fn word(&mut self, at: usize) -> usize {
        let reading = self.scan.reading;
        if self.spoken_goal(at) {
            return 1;
        }
        if let Some(taken) = self.may(at) {
            return taken;
        }
        if self.goes_to(at)
            && let Some(word) = self.scan.word(at)
        {
            self.take_goal(at, word.text.clone());
            return 1;
        }
        let owner_said =
            || self.scan.has("user") || self.scan.has("owned") || self.scan.says(&["chown", "ownership"]).is_some();
        if self.verb == Some(Verb::Change)
            && self.scan.is_goal(at)
            && owner_said()
            && let Some(name) = self.scan.name(at)
            && matches!(self.scan.thing(at), None | Some(Entity::Text(_) | Entity::User(_)))
        {
            self.mark(at);
            self.scan.take(&["change", "owned", "user"]);
            self.scan.take_said(&["chown", "ownership"]);
            self.query.action = Action::Owner(name);
            return 1;
        }
        match self.scan.thing(at) {
            Some(Entity::Size(_) | Entity::Time(_)) => self.bound(at),
            Some(Entity::Kind(endings)) => self.kind(at, endings),
            Some(Entity::Glob(glob)) => self.glob(at, glob),
            Some(Entity::Path(_) | Entity::Variable(_)) => self.path(at),
            Some(Entity::Text(text)) => self.text(at, text),
            Some(Entity::Number(number)) => self.number(at, *number),
            Some(Entity::Mode(mode)) => self.mode(at, mode),
            Some(Entity::User(user)) => self.user(at, user),
            Some(_) => 1,
            None if entities::is_only_a_kind(self.low(at)) && !self.scan.is_goal(at) && !self.scan.is_inside(at) => {
                self.specific += 2;
                match entities::kind(self.low(at)) {
                    Some(endings) => self.kind(at, &endings),
                    None => 1,
                }
            }
            None => match self.own_meaning(at).unwrap_or_else(|| reading.meaning(at)) {
                "" => self.unknown(at),
                meaning => self.meaning(at, meaning),
            },
        }
    }

    /// The meaning of a word in this domain, whatever it means elsewhere.
    fn own_meaning(&self, at: usize) -> Option<&'static str> {
        match self.low(at) {
            "broken" | "dangling" if self.scan.has("link") => Some("broken"),
            "tree" => Some("tree"),
            "last" if at > 0 && self.scan.is(at - 1, "change") && at + 1 == self.scan.len() => Some("newest"),
            "modification" | "change" | "access" | "time" | "times" | "date" | "dates"
                if self.query.action == Action::Show
                    && self.verb.is_none()
                    && !self.scan.has("sort")
                    && !self.scan.has("newest")
                    && !self.scan.has("oldest")
                    && (matches!(self.low(at + 1), "time" | "times" | "date" | "dates")
                        || at > 0 && matches!(self.low(at - 1), "modification" | "change" | "access")) =>
            {
                Some("long")
            }
            "put" | "place" | "relocate" | "transfer" | "bring" | "stick" | "throw" | "gather" | "collect" | "放"
            | "放到"
                if (at + 1..self.scan.len()).any(|place| self.is_place_to_go(place)) =>
            {
                Some("move")
            }
            "mention" | "mentions" | "mentioning" | "mentioned" => Some("contain"),
            _ => None,
        }
    }

    fn is_place_to_go(&self, at: usize) -> bool {
        self.scan.is_goal(at) && self.scan.path(at).is_some() && self.scan.is_directory(at)
    }

    fn mark(&mut self, at: usize) {
        self.scan.mark(at);
    }

    fn low(&self, at: usize) -> &'r str {
        self.scan.low(at)
    }

    /// Whether the word at this place is negated. The negation holds for a list: `not a, b or c`.
    fn negated(&mut self, at: usize) -> bool {
        let Some(place) = self.not else { return false };
        self.scan.mark(place);
        let next = at + 1 + usize::from(self.scan.is(at + 1, "directory") || self.scan.is(at + 1, "file"));
        let after = next + usize::from(matches!(self.low(next), "and" | "or" | "nor" | "和" | "或"));
        let bare = self.avoided && self.scan.is_bare(after);
        let goes_on = bare
            || matches!(self.scan.thing(after), Some(Entity::Path(_) | Entity::Kind(_) | Entity::Glob(_)))
            || after > next && self.scan.thing(after).is_none() && entities::kind(self.low(after)).is_some();
        let is_place = self.scan.is_inside(after) && after > next;
        if !goes_on || is_place {
            self.not = None;
        }
        true
    }

    fn test(&mut self, at: usize, test: Test) {
        let is_negated = self.negated(at);
        self.mark(at);
        self.specific += 1;
        self.query.tests.push(Filter { is_negated, test });
    }

    fn finish(mut self) -> Option<Read> {
        self.resolve();
        if self.is_alien {
            return None;
        }
        if self.query.action != Action::Show && (self.guessed || self.scan.leaves_out()) {
            return None;
        }
        self.join_names();
        let query = &self.query;
        let speaks = query.what != FileType::Unsaid
            || self.listed
            || !query.names.is_empty()
            || !query.also.is_empty()
            || matches!(
                query.shape,
                OutputShape::Size
                    | OutputShape::Tree
                    | OutputShape::DuplicateContents
                    | OutputShape::CountByEnding
                    | OutputShape::CountByDirectory
            )
            || self.changed_then
            || query.is_search && query.has_filter();
        if !self.query.texts.is_empty() && self.query.what != FileType::Unsaid {
            self.specific += 2;
        }
        speaks.then_some(Read { query: self.query, used: self.scan.used, doubt: self.doubt, specific: self.specific })
    }

    /// Fills in files as the subject when the query implies them.
    fn speak(&mut self) {
        let query = &mut self.query;
        let unsaid = query.what == FileType::Unsaid
            && query.names.is_empty()
            && query.also.is_empty()
            && query.shape == OutputShape::Names;
        if !unsaid {
            return;
        }
        match query.order.map(|order| order.key) {
            // `the 10 biggest things`
            Some(SortKey::Size) if query.top.is_some() => {
                query.what = FileType::Both;
                query.shape = OutputShape::Size;
                query.each = true;
                self.doubt += 0.05;
            }
            Some(SortKey::Time | SortKey::Access) if self.stamp.is_some() => {
                query.what = FileType::Files;
                self.doubt += 0.1;
            }
            _ if query.reach == SearchDepth::Here
                && self.scan.says(&["what", "what's", "whats", "show", "list"]).is_some()
                && query.tests.is_empty() =>
            {
                query.what = FileType::Both;
            }
            _ if query.absolute && self.scan.has("show") => query.what = FileType::Both,
            _ => {}
        }
        // `find Dockerfile`: the one word that is left is what to find.
        let left: Vec<usize> = (0..self.scan.len())
            .filter(|at| self.scan.word(*at).is_some_and(|word| word.weight >= 0.9) && !self.scan.used.has(*at))
            .collect();
        if let ([at], true, FileType::Unsaid) = (left.as_slice(), self.query.is_search, self.query.what)
            && let Some(word) = self.scan.word(*at)
            && word.thing.is_none()
            && (word.concept.is_none() || entities::is_file_name(&word.low) || word.low.ends_with("file"))
            && !self.query.has_filter()
        {
            self.doubt += 0.15;
            let glob = literal(&word.text);
            self.add_names(*at, vec![Name { glob, is_loose: false }]);
        }
    }

    /// Resolves words that waited for something that never came.
    fn resolve(&mut self) {
        if let Some(place) = self.unsorted {
            self.mark(place);
            if self.query.order.is_none() {
                let key = if matches!(self.query.shape, OutputShape::Size | OutputShape::Lines | OutputShape::Words) {
                    SortKey::Size
                } else {
                    SortKey::Name
                };
                self.ordered(key, key == SortKey::Size);
            }
            if self.query.shape == OutputShape::Size && self.query.roots.is_empty() {
                self.query.each = true;
            }
        }
        if self.stamp.is_some() && self.query.tests.iter().any(|filter| matches!(filter.test, Test::Age(..))) {
            self.changed_then = true;
            if self.query.what == FileType::Unsaid && self.query.names.is_empty() {
                self.doubt += 0.05;
            }
        }
        self.speak();
        if let Some((side, place)) = self.side.take() {
            let rough = matches!(self.low(place), "big" | "large" | "huge" | "大" | "大的" | "bigger");
            if rough && side == Comparison::More && self.query.order.is_none() {
                self.mark(place);
                self.query.vague = Some(SortKey::Size);
            }
        }
        if let Some((side, place)) = self.age.take()
            && matches!(self.low(place), "old" | "旧的")
            && side == Comparison::Less
        {
            self.mark(place);
            self.query.vague = Some(SortKey::Time);
        }
        // A change, removal or move must be unambiguous.
        if self.not.is_some() {
            self.doubt += 0.3;
            if self.query.action != Action::Show {
                self.is_alien = true;
            }
        }
        if let (Some(order), Some((_, place))) = (self.query.order, self.stamp)
            && matches!(order.key, SortKey::Time | SortKey::Access)
        {
            self.mark(place);
        }
        // `move the pdfs from docs here`
        if matches!(self.verb, Some(Verb::Move | Verb::Copy))
            && self.goal.is_none()
            && !self.query.roots.is_empty()
            && self.scan.take(&["here"])
        {
            self.goal = Some(Destination { path: ".".to_owned(), is_there: true });
        }
        match (self.verb, self.goal.take()) {
            (Some(Verb::Move), Some(goal)) => self.query.action = Action::Move(goal),
            (Some(Verb::Copy), Some(goal)) => self.query.action = Action::Copy(goal),
            (Some(Verb::Move | Verb::Copy), None) => self.is_alien = true,
            (Some(Verb::Change), _) if self.query.action == Action::Show => self.is_alien = true,
            _ => {}
        }
        let makes = matches!(
            self.low(0),
            "make" | "create" | "mkdir" | "touch" | "add" | "write" | "put" | "new" | "创建" | "新建"
        );
        if self.query.save.is_some() && self.query.action != Action::Show {
            self.is_alien = true;
        }
        if makes && self.query.save.is_none() && self.query.action == Action::Show && !self.scan.has("show") {
            self.is_alien = true;
        }
        if self.query.action != Action::Show && self.query.vague.is_some() {
            self.is_alien = true;
        }
        // Removing a permission does not remove the file.
        let has_mode = (0..self.scan.len()).any(|at| matches!(self.scan.thing(at), Some(Entity::Mode(_))));
        if self.verb == Some(Verb::Delete)
            && (self.scan.has("permission") || self.scan.has("access"))
            && !has_mode
            && !self.has_time_soon(0)
        {
            self.is_alien = true;
        }
        if self.verb == Some(Verb::Delete) && self.query.action != Action::Delete {
            self.is_alien = true;
        }
    }
}

/// Escapes a text so that it matches only itself as a pattern.
fn literal(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '[' | '\\') {
            glob.push('\\');
        }
        glob.push(letter);
    }
    glob
}
