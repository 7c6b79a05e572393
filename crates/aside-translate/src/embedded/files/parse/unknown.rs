//! Words that mean nothing alone, and something beside others.

use crate::embedded::entities::{self, Entity};
use crate::embedded::files::parse::{Reader, SOME, Verb, literal};
use crate::embedded::files::query::{
    Action, Comparison, FileType, Filter, Name, Order, OutputShape, SearchDepth, SortKey, Test,
};

/// Verbs for hiding error messages.
const HIDES: &[&str] =
    &["discarding", "discard", "suppress", "suppressing", "hide", "hiding", "ignoring", "ignore", "without"];

impl<'r, 'a> Reader<'r, 'a> {
    /// An unknown word: a name beside the word for its kind.
    pub(super) fn unknown(&mut self, at: usize) -> usize {
        let Some(word) = self.scan.word(at) else { return 1 };
        let (low, before) = (word.low.as_str(), self.scan.before(at));
        let of_rights = self.scan.is(at + 1, "permission") || self.scan.is(at + 1, "access");
        if self.stamp_of(at).is_some() && !of_rights {
            self.stamp = self.stamp_of(at).map(|stamp| (stamp, at));
            return 1;
        }
        let taken = self
            .unknown_name(at, low)
            .or_else(|| self.unknown_place(at, low))
            .or_else(|| self.unknown_type(at, low))
            .or_else(|| self.unknown_output(at, low));
        if let Some(taken) = taken {
            return taken;
        }
        if self.is_in_name(at + 1).is_some() {
            return self.name_part(at);
        }
        if matches!(self.verb, Some(Verb::Move | Verb::Copy)) && self.scan.is_goal(at) {
            self.take_goal(at, word.text.clone());
            return 1;
        }
        if self.not.is_some()
            && (self.avoided || self.scan.is(at + 1, "directory") || matches!(before, "directory" | "folder" | "in"))
        {
            self.negated(at);
            self.mark(at);
            self.query.avoid.push(word.text.clone());
            return 1;
        }
        if self.of_directories(at) && word.text.len() > 2 {
            // Files and directories at once are more than one query.
            self.is_alien |= !self.query.names.is_empty();
            self.query.what = FileType::Directories;
            self.mark(at + 1);
            self.add_names(at, vec![Name::plain(literal(&word.text))]);
            return 2;
        }
        if let Some(endings) = entities::kind(low).filter(|_| self.not.is_some() && self.query.what != FileType::Unsaid)
        {
            return self.kind(at, &endings);
        }
        // `python files but not tests`: excludes names that contain the word.
        if self.not.is_some() && self.query.what != FileType::Unsaid && !self.query.names.is_empty() {
            let stem = low.strip_suffix('s').filter(|stem| stem.len() > 3).unwrap_or(low);
            self.doubt += 0.02;
            self.add_names(at, vec![Name::plain(format!("*{}*", literal(stem)))]);
            return 1;
        }
        // `py or js files`: a word joined to a kind is a kind too.
        if let Some(endings) = entities::kind(low)
            && self.leads_to_kind(at)
        {
            return self.kind(at, &endings);
        }
        if self.scan.is_inside(at)
            && (self.scan.beside_directory(at)
                || matches!(before, "in" | "inside" | "under" | "within" | "below")
                    && self.query.what != FileType::Unsaid)
        {
            self.mark(at);
            if self.scan.is(at + 1, "directory") {
                self.mark(at + 1);
            }
            self.query.roots.push(word.text.clone());
            return 1;
        }
        if self.scan.is(at + 1, "file")
            && word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        {
            // `foo files`: an ending if it is short, else a substring of the name.
            let is_ending = word.text.len() <= 4 && word.concept.is_none();
            self.doubt += 0.06;
            self.guessed = true;
            let glob = if is_ending { format!("*.{}", word.text) } else { format!("*{}*", word.text) };
            self.add_names(at, vec![Name::plain(glob)]);
            return 1;
        }
        if before == "directory" || before == "folder" || before == "file" {
            self.add_names(at, vec![Name::plain(literal(&word.text))]);
        }
        1
    }

    /// Words about names, and kinds of files that only a name shows.
    fn unknown_name(&mut self, at: usize, low: &str) -> Option<usize> {
        match low {
            "named" | "called" => Some(self.named(at)),
            "uses" | "use" | "using" | "takes" | "take" | "eats" if self.scan.says(&["space", "room"]).is_some() => {
                Some(1)
            }
            "spaces" | "whitespace"
                if self.scan.has("name") && self.is_in_name(at + 1).is_none() && self.query.action == Action::Show =>
            {
                self.query.what = FileType::Files;
                self.scan.take(&["name"]);
                self.add_also(at, vec![Name::plain("* *")]);
                Some(1)
            }
            "space" | "room"
                if self
                    .scan
                    .says(&["use", "uses", "using", "used", "take", "takes", "taking", "eats", "eating"])
                    .is_some() =>
            {
                if self.scan.says(&["left", "free", "available", "remaining"]).is_some() {
                    self.is_alien = true;
                    return Some(1);
                }
                self.mark(at);
                self.scan.take_said(&[
                    "use", "uses", "using", "used", "take", "takes", "taking", "eats", "eating", "most", "much",
                ]);
                self.scan.take(&["disk"]);
                self.specific += 2;
                self.query.shape = OutputShape::Size;
                let of_one = (0..self.scan.len()).any(|place| self.scan.path(place).is_some());
                if self.query.roots.is_empty() && !of_one {
                    self.query.each = true;
                    self.ordered(SortKey::Size, true);
                    if self.scan.says(&["most"]).is_some() {
                        self.query.top = self.query.top.or(Some(1));
                    }
                }
                Some(1)
            }
            "source" if at > 0 && matches!(self.scan.thing(at - 1), Some(Entity::Kind(_))) => {
                self.mark(at);
                Some(1)
            }
            "numbers" | "digits" | "number" | "digit" if self.is_in_name(at + 1).is_some() => {
                self.take_in_name(at + 1);
                self.add_also(at, vec![Name::plain("*[0-9]*")]);
                Some(1)
            }
            "backup" if self.scan.is(at + 1, "file") => Some(self.kind(at, &["bak".to_owned()])),
            "space" | "spaces" | "whitespace" | "blanks" if self.is_in_name(at + 1).is_some() => {
                self.scan.mark_all(at, at + 1);
                let name = Name::plain("* *");
                self.take_in_name(at + 1);
                if self.negated(at) {
                    self.query.not_names.push(name)
                } else {
                    self.query.names.push(name)
                }
                Some(1)
            }
            "temporary" | "temp" if self.scan.is(at + 1, "file") => Some(self.kind(at, &["tmp".to_owned()])),
            "word" | "excel" | "powerpoint" if self.scan.is(at + 1, "file") => {
                let endings: &[&str] = match low {
                    "word" => &["docx", "doc"],
                    "excel" => &["xlsx", "xls"],
                    _ => &["pptx", "ppt"],
                };
                let names = endings.iter().map(|ending| Name { glob: format!("*.{ending}"), is_loose: true }).collect();
                self.add_names(at, names);
                Some(1)
            }
            "media" if self.scan.is(at + 1, "file") => {
                let endings: Vec<String> =
                    ["image", "video", "audio"].iter().filter_map(|kind| entities::kind(kind)).flatten().collect();
                Some(self.kind(at, &endings))
            }
            "code" if self.query.shape == OutputShape::Lines => {
                self.mark(at);
                Some(1)
            }
            "logs" if !self.scan.is_inside(at) && !self.scan.is_goal(at) => Some(self.kind(at, &["log".to_owned()])),
            "take" | "takes" | "taking" | "consume" | "consuming" | "occupy"
                if self.query.shape == OutputShape::Size =>
            {
                self.mark(at);
                Some(1)
            }
            _ => None,
        }
    }

    /// Where to search, and how deep.
    fn unknown_place(&mut self, at: usize, low: &str) -> Option<usize> {
        let before = self.scan.before(at);
        match low {
            "max" | "maximum" | "most"
                if matches!(self.scan.thing(at + 1), Some(Entity::Number(_))) && self.scan.is(at + 2, "level") =>
            {
                self.mark(at);
                Some(1)
            }
            "computer" | "machine" | "system" if self.scan.is_inside(at) || before == "whole" => {
                self.mark(at);
                self.query.roots.push("/".to_owned());
                Some(1)
            }
            "home" if self.scan.is_inside(at) || self.scan.is(at + 1, "directory") => {
                self.mark(at);
                if self.scan.is(at + 1, "directory") {
                    self.mark(at + 1);
                }
                self.query.roots.push("~".to_owned());
                Some(2)
            }
            "parent" if self.scan.is(at + 1, "directory") => {
                self.scan.mark_all(at, at + 2);
                self.query.roots.push("..".to_owned());
                Some(2)
            }
            "downloads" | "desktop" | "documents" | "pictures" | "music"
                if self.scan.is_inside(at) || self.scan.is(at + 1, "directory") =>
            {
                self.mark(at);
                if self.scan.is(at + 1, "directory") {
                    self.mark(at + 1);
                }
                let mut name = low.to_owned();
                name[..1].make_ascii_uppercase();
                self.query.roots.push(format!("~/{name}"));
                Some(2)
            }
            "project" | "codebase" | "workspace" | "repo" | "tree" if self.scan.is_inside(at) => {
                self.mark(at);
                if self.query.reach == SearchDepth::Unsaid {
                    self.query.reach = SearchDepth::Deep;
                }
                Some(1)
            }
            "most" | "recently" => Some(1),
            "depth" | "maxdepth" => {
                if (at + 1..at + 4).any(|place| matches!(self.scan.thing(place), Some(Entity::Number(_)))) {
                    self.mark(at);
                }
                Some(1)
            }
            "max" | "maximum" if matches!(self.low(at + 1), "depth") => {
                self.mark(at);
                Some(1)
            }
            "immediate" | "direct" | "immediately" | "directly" => {
                self.mark(at);
                self.query.reach = SearchDepth::Flat;
                Some(1)
            }
            _ => None,
        }
    }

    /// Which entries are meant.
    fn unknown_type(&mut self, at: usize, low: &str) -> Option<usize> {
        match low {
            "but" => {
                // `all files but the newest`: excludes what follows. `but only` and `but not` are handled by their own
                // words.
                let of_all = at > 0
                    && (self.scan.is(at - 1, "file")
                        || self.scan.is(at - 1, "all")
                        || self.scan.is(at - 1, "directory"));
                let goes_on = self.scan.is(at + 1, "not")
                    || matches!(self.low(at + 1), "only" | "just" | "also" | "in" | "with" | "sorted");
                if of_all && !goes_on {
                    self.not = Some(at);
                } else {
                    self.mark(at);
                }
                Some(1)
            }
            "non-empty" | "nonempty" => {
                self.mark(at);
                self.query.tests.push(Filter { is_negated: true, test: Test::Empty });
                Some(1)
            }
            "between" | "介于" => {
                self.between = true;
                self.side = Some((Comparison::More, at));
                self.age = Some((Comparison::More, at));
                self.mark(at);
                Some(1)
            }
            "regular" | "normal" | "ordinary" | "actual" | "plain" if self.scan.is(at + 1, "file") => {
                self.mark(at);
                Some(1)
            }
            "dead" | "stale" | "invalid" if self.scan.is(at + 1, "link") => {
                self.mark(at);
                self.query.what = FileType::BrokenLinks;
                Some(1)
            }
            "subdirs" | "subdir" => {
                self.mark(at);
                self.query.what = FileType::Directories;
                Some(1)
            }
            "folders/files" | "files/directories" | "files/folders" => {
                self.mark(at);
                self.query.what = FileType::Both;
                Some(1)
            }
            "anything" | "stuff" => {
                self.mark(at);
                self.guessed = true;
                self.doubt += 0.05;
                self.query.what = FileType::Files;
                Some(1)
            }
            "read" | "write" | "execute" if self.scan.is(at + 1, "permission") || self.scan.is(at + 1, "access") => {
                let test = match low {
                    "read" => Test::Readable,
                    "write" => Test::Writable,
                    _ => Test::Executable,
                };
                self.mark(at + 1);
                self.test(at, test);
                Some(2)
            }
            "group-writable" => {
                self.test(at, Test::Rights("-g+w".to_owned()));
                Some(1)
            }
            "orphaned" | "unowned" => {
                self.test(at, Test::NoUser);
                Some(1)
            }
            "contents" => Some(1),
            _ => None,
        }
    }

    /// What is printed of them, or done to them.
    fn unknown_output(&mut self, at: usize, low: &str) -> Option<usize> {
        let before = self.scan.before(at);
        match low {
            "error" | "errors" | "denied" if self.scan.says(HIDES).is_some_and(|verb| at > verb && at - verb <= 3) => {
                let verb = self.scan.says(HIDES).unwrap_or(at);
                self.scan.mark_all(verb, at + 1);
                if matches!(self.low(at + 1), "messages" | "message" | "output") {
                    self.mark(at + 1);
                }
                self.not = None;
                self.query.quiet = true;
                Some(1)
            }
            "alphabetically" | "alphabetical" => {
                self.mark(at);
                self.query.order = Some(Order { key: SortKey::Name, is_down: false });
                Some(1)
            }
            "format" | "form" | "units" | "listing" | "view"
                if self.query.human || self.query.details || self.query.shape == OutputShape::Size =>
            {
                self.mark(at);
                Some(1)
            }
            "ls" => {
                self.mark(at);
                self.query.what = FileType::Unsaid;
                self.listed = true;
                Some(1)
            }
            "same" | "identical" => {
                let names = (at + 1..at + 3).any(|place| self.scan.is(place, "name"));
                let contents = low == "identical" || (at + 1..at + 3).any(|place| self.scan.is(place, "content"));
                if names || contents {
                    self.mark(at);
                    self.scan.take(&["name", "content"]);
                    self.query.shape = if names { OutputShape::DuplicateNames } else { OutputShape::DuplicateContents };
                }
                Some(1)
            }
            "clean" | "cleanup" | "purge" | "clear" | "clean up" | "clean out" | "tidy up" if at == 0 => {
                self.mark(at);
                if self.low(at + 1) == "up" {
                    self.mark(at + 1);
                }
                self.verb = Some(Verb::Delete);
                self.query.action = Action::Delete;
                Some(1)
            }
            "du" => {
                self.mark(at);
                self.query.shape = OutputShape::Size;
                Some(1)
            }
            "type" | "types" if self.query.what == FileType::Files && before == "file" => {
                self.mark(at);
                self.query.action = Action::Kind;
                Some(1)
            }
            "longest" if self.scan.is(at + 1, "file") => {
                self.mark(at);
                self.query.shape = OutputShape::Lines;
                self.ordered(SortKey::Size, true);
                self.query.top = Some(if self.low(at + 1) == "files" { SOME } else { 1 });
                Some(1)
            }
            _ => None,
        }
    }
}
