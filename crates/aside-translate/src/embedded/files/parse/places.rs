//! Paths in a query: where to search, the destination, what to exclude.

use crate::embedded::entities::{self, Entity};
use crate::embedded::files::parse::{Reader, Verb, literal};
use crate::embedded::files::query::{Comparison, Destination, FileType, Filter, Name, OutputShape, SearchDepth, Test};

impl<'r, 'a> Reader<'r, 'a> {
    /// Whether the word is the destination of a move or copy, whatever else it means.
    pub(super) fn goes_to(&self, at: usize) -> bool {
        let Some(word) = self.scan.word(at) else { return false };
        matches!(self.verb, Some(Verb::Move | Verb::Copy))
            && self.goal.is_none()
            && self.scan.is_goal(at)
            && (word.thing.is_some() || word.weight >= 1.0)
            && !word.text.contains(['*', '?'])
            && !word.text.starts_with('.')
            && !self.scan.is(at, "directory")
            && !matches!(word.low.as_str(), "new" | "called" | "named" | "another" | "single" | "parent" | "home")
            || matches!(self.verb, Some(Verb::Move | Verb::Copy))
                && self.scan.is_goal(at)
                && matches!(word.thing, Some(Entity::Path(_)))
    }

    pub(super) fn path(&mut self, at: usize) -> usize {
        let Some(word) = self.scan.word(at) else { return 1 };
        let Some(path) = self.scan.path(at) else { return 1 };
        let before = self.scan.before(at);
        if let Some(taken) = self.not_a_path(at) {
            return taken;
        }
        let is_directory = self.scan.is_directory(at);
        let is_named = before == "is" && (at.saturating_sub(3)..at).any(|place| self.scan.is(place, "name"));
        if (matches!(before, "named" | "called" | "name") || is_named) && !self.scan.is_goal(at) {
            self.add_names(at, vec![Name::plain(literal(&path))]);
            self.take_name_words(at);
            return 1;
        }
        if let Some((side, place)) = self.age.filter(|(_, place)| at - place <= 3)
            && !is_directory
        {
            self.scan.mark(place);
            self.age = None;
            let is_negated = (side == Comparison::Less) != self.negated(at);
            self.mark(at);
            self.query.tests.push(Filter { is_negated, test: Test::Newer(path) });
            return 1;
        }
        if self.not.is_some() {
            self.exclude(at, &path, is_directory);
            return 1;
        }
        if matches!(self.verb, Some(Verb::Move | Verb::Copy)) && self.scan.is_goal(at) {
            self.take_goal(at, path);
            return 1;
        }
        if self.scan.is_goal(at) && self.verb.is_none() {
            self.save_to(at, path, is_directory);
            return 1;
        }
        if self.of_directories(at) && !path.contains('/') {
            self.is_alien |= !self.query.names.is_empty();
            self.query.what = FileType::Directories;
            self.mark(at + 1);
            self.add_names(at, vec![Name::plain(literal(&path))]);
            return 2;
        }
        if self.scan.is_goal(at) && self.verb.is_some() {
            self.is_alien = true;
            return 1;
        }
        if is_directory
            && self.query.is_search
            && !self.scan.is_inside(at)
            && self.query.what == FileType::Directories
            && !path.contains('/')
        {
            self.add_names(at, vec![Name::plain(literal(&path))]);
            return 1;
        }
        if is_directory
            && (self.scan.is_inside(at)
                || self.scan.beside_directory(at)
                || self.query.what != FileType::Unsaid
                || self.query.shape == OutputShape::Size)
            || self.query.shape == OutputShape::Size
        {
            self.mark(at);
            if at > 0 && self.scan.is(at - 1, "directory") {
                self.mark(at - 1);
            }
            let mut taken = 1;
            if self.scan.is(at + 1, "directory") {
                self.mark(at + 1);
                taken = 2;
            }
            self.query.roots.push(path);
            return taken;
        }
        if word.entry.is_some() && !self.query.is_search {
            // Operations on a single file are handled by `operate`.
            self.is_alien = true;
            return 1;
        }
        if !path.contains('/') && !self.scan.is_inside(at) {
            self.add_names(at, vec![Name::plain(literal(&path))]);
        } else {
            self.is_alien = true;
        }
        1
    }

    /// A word with the shape of a path that means a kind of file, both kinds, or the project.
    fn not_a_path(&mut self, at: usize) -> Option<usize> {
        let (low, before) = (self.low(at), self.scan.before(at));
        match low {
            "normal/regular" | "regular/normal" => {
                self.mark(at);
                return Some(1);
            }
            "files/directories" | "files/folders" | "directories/files" | "folders/files" | "files/dirs" => {
                self.mark(at);
                self.query.what = FileType::Both;
                return Some(1);
            }
            _ => {}
        }
        // The images that are meant may be in a directory of that name.
        if entities::is_only_a_kind(low)
            && !self.scan.is_inside(at)
            && !self.scan.is_goal(at)
            && !self.scan.beside_directory(at)
            && let Some(endings) = entities::kind(low)
        {
            return Some(self.kind(at, &endings));
        }
        let is_bounded = matches!(
            self.scan.reading.meaning(at + 1),
            "older" | "newer" | "larger" | "smaller" | "change" | "contain"
        ) || matches!(self.low(at + 1), "that" | "which" | "from");
        if low == "logs" && is_bounded && !self.scan.is_inside(at) && !self.scan.is_goal(at) {
            return Some(self.kind(at, &["log".to_owned()]));
        }
        if matches!(before, "this" | "the" | "our" | "my")
            && matches!(low, "project" | "repo" | "repository")
            && self.scan.is_inside(at)
        {
            self.mark(at);
            if self.query.reach == SearchDepth::Unsaid {
                self.query.reach = SearchDepth::Deep;
            }
            return Some(1);
        }
        None
    }

    fn exclude(&mut self, at: usize, path: &str, is_directory: bool) {
        let is_dotted = self.scan.word(at).is_some_and(|word| word.text.starts_with('.') && !word.text.contains('/'));
        self.avoided = is_directory;
        self.negated(at);
        self.mark(at);
        if self.scan.is(at + 1, "directory") {
            self.mark(at + 1);
        }
        let is_whole = path.trim_end_matches('/').trim_start_matches("./").to_owned();
        if is_directory || is_dotted {
            self.query.avoid.push(is_whole);
        } else {
            self.query.not_names.push(Name::plain(literal(&is_whole)));
        }
    }

    /// `save the list to x.txt`; other destinations are other queries.
    fn save_to(&mut self, at: usize, path: String, is_directory: bool) {
        let saves = self.scan.take(&["save"]) | self.scan.take_said(&["write", "put", "output"]);
        if saves && !is_directory {
            self.mark(at);
            self.query.save = Some(path);
        } else {
            self.is_alien = true;
        }
    }

    /// `node_modules folders`: there may be many of that name.
    pub(super) fn of_directories(&self, at: usize) -> bool {
        let many = matches!(self.low(at + 1), "directories" | "folders" | "dirs" | "subdirectories" | "subfolders");
        many && !self.scan.is_inside(at) && self.not.is_none()
    }

    /// A destination in words instead of a path: here, one level up, home.
    pub(super) fn spoken_goal(&mut self, at: usize) -> bool {
        if !matches!(self.verb, Some(Verb::Move | Verb::Copy)) || self.goal.is_some() || !self.scan.is_goal(at) {
            return false;
        }
        let path = match self.low(at) {
            _ if self.scan.is(at, "here") => ".",
            "parent" | "up" => "..",
            "home" => "~",
            _ => return false,
        };
        self.scan.mark_all(at, at + 1);
        if self.scan.is(at + 1, "directory") {
            self.mark(at + 1);
        }
        self.goal = Some(Destination { path: path.to_owned(), is_there: true });
        true
    }

    pub(super) fn take_goal(&mut self, at: usize, path: String) {
        self.mark(at);
        for before in (at.saturating_sub(4)..at).rev() {
            match self.low(before) {
                "new" => self.mark(before),
                "a" | "the" | "called" | "named" | "folder" | "directory" => {}
                _ => break,
            }
        }
        if matches!(self.scan.before(at), "called" | "named") {
            self.mark(at - 1);
        }
        let is_there = self.scan.is_there(at);
        if at > 0 && self.scan.is(at - 1, "directory") {
            self.mark(at - 1);
        }
        if self.scan.is(at + 1, "directory") {
            self.mark(at + 1);
        }
        self.goal = Some(Destination { path, is_there });
    }

    pub(super) fn directory(&mut self, at: usize) -> usize {
        let before = self.scan.before(at);
        let low = self.low(at);
        self.mark(at);
        if matches!(before, "per" | "by") && self.query.shape == OutputShape::Size {
            self.scan.mark(at - 1);
            self.query.what = FileType::Directories;
            self.query.each = true;
            return 1;
        }
        if before == "per" || before == "by" && self.query.shape == OutputShape::Count {
            self.scan.mark(at - 1);
            self.query.shape = OutputShape::CountByDirectory;
            return 1;
        }
        // `directory src`: the next word is read as a path and sees that it is a directory.
        if matches!(self.scan.thing(at + 1), Some(Entity::Path(_) | Entity::Variable(_)))
            && low != "subdirectories"
            && self.scan.is_inside(at + 1)
        {
            return 1;
        }
        // `into a new folder`: a destination, not a search.
        if matches!(self.verb, Some(Verb::Move | Verb::Copy)) && self.scan.is_goal(at) {
            return 1;
        }
        let leads = self.scan.leads(at);
        let is_place = matches!(leads, "in" | "inside" | "under" | "within" | "into" | "below" | "from")
            && !matches!(before, "and" | "or");
        if is_place && self.query.what != FileType::Unsaid && self.query.what != FileType::Directories {
            if matches!(low, "subdirectories" | "subfolders" | "directories" | "folders") {
                self.query.reach = SearchDepth::Deep;
            }
            return 1;
        }
        if self.not.is_some()
            && matches!(low, "directories" | "folders" | "subdirectories" | "subfolders" | "directory" | "folder")
            && !self.scan.is(at + 1, "contain")
            && self.scan.name(at + 1).is_none()
        {
            // `files but not directories`
            self.negated(at);
            self.query.only_files = true;
            if self.query.what == FileType::Unsaid || self.query.what == FileType::Both {
                self.query.what = FileType::Files;
            } else if low.starts_with("sub") {
                self.query.reach = SearchDepth::Flat;
            }
            return 1;
        }
        self.query.what = match self.query.what {
            FileType::Files if matches!(before, "and" | "or" | "&" | "/") => FileType::Both,
            FileType::Unsaid | FileType::Directories => FileType::Directories,
            same => same,
        };
        1
    }
}
