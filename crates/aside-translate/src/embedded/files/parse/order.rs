//! The sort order, and how many results.

use crate::embedded::entities::Entity;
use crate::embedded::files::parse::{Reader, SOME};
use crate::embedded::files::query::{FileType, Order, OutputShape, SearchDepth, SortKey};

impl<'r, 'a> Reader<'r, 'a> {
    pub(super) fn ordered(&mut self, key: SortKey, is_down: bool) {
        self.query.order = Some(Order { key, is_down });
    }

    /// `largest`, `newest`: a sort order and a count.
    pub(super) fn superlative(&mut self, at: usize, key: SortKey, is_down: bool) -> usize {
        self.mark(at);
        self.specific += 1;
        if let Some(not) = self.not.take() {
            self.scan.mark(not);
            self.query.is_rest = true;
        }
        let (mut key, mut taken) = (key, 1);
        let noun_first =
            (self.scan.is(at + 1, "file") || self.scan.is(at + 1, "directory")) && self.low(at + 2) == "first";
        if noun_first && self.query.top.is_none() {
            self.ordered(key, is_down);
            self.mark(at + 2);
            return 1;
        }
        if matches!(self.low(at + 1), "last" | "at the bottom") && self.query.order.is_some() {
            self.ordered(key, !is_down);
            self.mark(at + 1);
            return 2;
        }
        if matches!(self.low(at + 1), "first" | "on") && self.query.top.is_none() {
            // `largest first` is only a sort order.
            self.ordered(key, is_down);
            self.mark(at + 1);
            return 2;
        }
        if matches!(
            self.low(at + 1),
            "modified"
                | "changed"
                | "edited"
                | "updated"
                | "accessed"
                | "created"
                | "used"
                | "touched"
                | "written"
                | "opened"
        ) {
            if matches!(self.low(at + 1), "accessed" | "used" | "opened") {
                key = SortKey::Access;
            }
            self.mark(at + 1);
            taken = 2;
        }
        self.ordered(key, is_down);
        let noun = (at..self.scan.len()).find(|place| {
            self.scan.is(*place, "file")
                || self.scan.is(*place, "directory")
                || matches!(self.scan.thing(*place), Some(Entity::Kind(_))) && !self.scan.is(place + 1, "file")
        });
        let many = noun
            .map_or(at + 1 < self.scan.len(), |noun| self.low(noun).ends_with('s') || self.low(noun).ends_with("ies"));
        if self.query.top.is_none() {
            let number = (at + 1..(at + 4).min(self.scan.len())).find_map(|place| match self.scan.thing(place) {
                Some(Entity::Number(number)) => Some((place, *number)),
                _ => None,
            });
            self.query.top = match number {
                Some((place, number)) => {
                    self.mark(place);
                    Some(number)
                }
                None if many => Some(SOME),
                None => Some(1),
            };
        }
        taken
    }

    pub(super) fn sorted(&mut self, at: usize) -> usize {
        let mut key = None;
        let mut last = at;
        for place in at + 1..(at + 6).min(self.scan.len()) {
            if self.scan.thing(place).is_some() {
                break;
            }
            let found = match self.scan.reading.meaning(place) {
                "size" => Some(SortKey::Size),
                "time" | "date" | "change" | "recent" | "newest" => Some(SortKey::Time),
                "access" => Some(SortKey::Access),
                "name" => Some(SortKey::Name),
                "extension" => Some(SortKey::Ending),
                _ => match self.low(place) {
                    "age" | "mtime" | "modification" => Some(SortKey::Time),
                    "alphabetically" | "alphabetical" => Some(SortKey::Name),
                    "type" => Some(SortKey::Ending),
                    _ => None,
                },
            };
            if self.low(place) == "last" {
                self.mark(place);
            }
            if self.scan.is(place, "file") {
                self.mark(place);
                self.query.what = FileType::Files;
            }
            if let Some(found) = found {
                if key.is_none() || found == SortKey::Access {
                    key = Some(found);
                }
                last = place;
                self.mark(place);
            } else if !matches!(
                self.low(place),
                "by" | "on"
                    | "their"
                    | "the"
                    | "its"
                    | "last"
                    | "of"
                    | "in"
                    | "file"
                    | "files"
                    | "them"
                    | "order"
                    | "according"
                    | "to"
            ) {
                break;
            }
        }
        if key.is_none() && at > 0 && matches!(self.scan.reading.meaning(at - 1), "time" | "date" | "name") {
            self.mark(at - 1);
            key = Some(if self.scan.is(at - 1, "name") { SortKey::Name } else { SortKey::Time });
        }
        let Some(key) = key else {
            if self.scan.is(at, "sort") {
                self.unsorted = Some(at);
            }
            return 1;
        };
        self.mark(at);
        let is_down = matches!(key, SortKey::Size | SortKey::Time | SortKey::Access);
        self.ordered(key, is_down);
        last + 1 - at
    }

    pub(super) fn each(&mut self, at: usize) -> usize {
        self.query.each = true;
        if self.scan.is(at + 1, "directory")
            && matches!(self.scan.before(at), "in" | "for" | "per" | "of" | "by" | "inside" | "within")
        {
            self.scan.mark_all(at, at + 2);
            if self.query.shape == OutputShape::Count {
                self.query.shape = OutputShape::CountByDirectory;
            } else if self.query.shape == OutputShape::Size {
                self.query.what = FileType::Directories;
            } else if self.query.what != FileType::Unsaid {
                self.query.reach = SearchDepth::Deep;
            }
            return 2;
        }
        1
    }

    pub(super) fn first(&mut self, at: usize, meaning: &str) -> usize {
        let number = match self.scan.thing(at + 1) {
            Some(Entity::Number(number)) => Some(*number),
            _ => None,
        };
        let Some(number) = number else {
            // `top largest files`
            if self.low(at) == "top" && self.query.top.is_none() {
                self.mark(at);
            }
            return 1;
        };
        let of_files = (at + 2..(at + 5).min(self.scan.len())).any(|place| {
            self.scan.is(place, "file")
                || self.scan.is(place, "directory")
                || self.scan.is(place, "largest")
                || self.scan.is(place, "smallest")
                || self.scan.is(place, "newest")
                || self.scan.is(place, "oldest")
                || self.scan.is(place, "item")
                || matches!(self.scan.thing(place), Some(Entity::Kind(_)))
        });
        if !of_files {
            return 1;
        }
        self.scan.mark_all(at, at + 2);
        self.query.top = Some(number);
        if meaning == "last" {
            self.ordered(SortKey::Time, true);
            if let Some((_, place)) = self.stamp {
                self.mark(place);
            }
            let later: Vec<usize> = (at + 2..self.scan.len()).filter(|place| self.stamp_of(*place).is_some()).collect();
            later.into_iter().for_each(|place| self.scan.mark(place));
        }
        2
    }
}
