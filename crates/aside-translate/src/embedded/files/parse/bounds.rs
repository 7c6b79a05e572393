//! Sizes, times, depths, permissions and owners in a query: which bound, and which side of it.

use crate::embedded::entities::{Entity, Size, Time};
use crate::embedded::files::parse::{Reader, Verb};
use crate::embedded::files::query::{Action, Comparison, FileType, Filter, OutputShape, SortKey, Test, TimeField};

impl<'r, 'a> Reader<'r, 'a> {
    /// A size or a time, and the side of it that is meant.
    pub(super) fn bound(&mut self, at: usize) -> usize {
        let (later, later_side) = match (self.low(at + 1), self.low(at + 2)) {
            ("or" | "and", "more" | "larger" | "bigger" | "above" | "up" | "over" | "older" | "greater") => {
                (2, Some(Comparison::AtLeast))
            }
            ("or" | "and", "less" | "smaller" | "below" | "under" | "newer" | "fewer") => (2, Some(Comparison::AtMost)),
            ("以上" | "+", _) => (1, Some(Comparison::AtLeast)),
            ("以下" | "以内" | "内", _) => (1, Some(Comparison::AtMost)),
            _ => (0, None),
        };
        self.scan.mark_all(at, at + 1 + later);
        match self.scan.thing(at) {
            Some(Entity::Size(size)) => {
                let side = self.side.take().map(|(side, place)| {
                    self.scan.mark(place);
                    side
                });
                let exactly = matches!(self.scan.before(at), "of" | "is" | "are" | "exactly" | "=" | "size");
                let side = match later_side.or(side) {
                    Some(side) => side,
                    None if exactly => Comparison::Exactly,
                    None => {
                        self.doubt += 0.1;
                        Comparison::More
                    }
                };
                if self.between {
                    self.between = false;
                    self.side = Some((Comparison::Less, at));
                }
                let test = if size.bytes == 0 { Test::Empty } else { Test::Size(side, size.clone()) };
                self.test(at, test);
            }
            Some(Entity::Time(time)) => self.time(at, time, later_side),
            _ => {}
        }
        1 + later
    }

    pub(super) fn time(&mut self, at: usize, time: &Time, later: Option<Comparison>) {
        let flipped = |side: Comparison| match side {
            Comparison::More | Comparison::AtLeast => Comparison::Less,
            Comparison::Less | Comparison::AtMost => Comparison::More,
            Comparison::Exactly => Comparison::Exactly,
        };
        // For an age, more means older; for a date, later.
        let age = self.age.take();
        let side = self.side.take();
        let is_span = matches!(time, Time::Ago { .. });
        let said = age.or(side);
        let ago = self.low(at).ends_with("ago");
        let side = match (age, side, later) {
            (Some((side, _)), _, _) => side,
            (None, Some((side, _)), _) if is_span => flipped(side),
            (None, Some((side, _)), _) => side,
            (None, None, Some(side)) => flipped(side),
            (None, None, None) if self.low(at).ends_with("old") && self.scan.before(at) != "last" => Comparison::Less,
            // A Chinese time with `前` means everything older.
            (None, None, None) if self.low(at).ends_with('前') => Comparison::Less,
            (None, None, None) if ago && self.scan.before(at) != "since" => Comparison::Exactly,
            (None, None, None) if matches!(time, Time::Yesterday | Time::Date(_)) => Comparison::Exactly,
            (None, None, None) => Comparison::More,
        };
        if let Some((_, place)) = said {
            self.scan.mark(place);
        }
        let stamp = self.stamp_near(at);
        // `not modified in the last month`, `more than 30 days without a change`.
        let mut not = self.not.take();
        if not.is_none()
            && self.scan.is(at + 1, "not")
            && (self.scan.is(at + 2, "change") || self.scan.is(at + 2, "access"))
        {
            self.scan.mark_all(at + 1, at + 3);
            if side == Comparison::More {
                not = Some(at + 1);
            }
        }
        if let Some(place) = not {
            self.scan.mark(place);
        }
        // `not touched for more than 6 months` means longer ago, so the negation does not invert the side.
        let is_negated = not.is_some() && !(is_span && side == Comparison::Less);
        if self.between {
            self.between = false;
            self.age = Some((if is_span { Comparison::More } else { Comparison::Less }, at));
        }
        self.specific += 1;
        self.query.tests.push(Filter { is_negated, test: Test::Age(stamp, side, time.clone()) });
    }

    /// Which timestamp is meant; the word is before the time or after it.
    pub(super) fn stamp_near(&mut self, at: usize) -> TimeField {
        if let Some((stamp, place)) = self.stamp {
            self.scan.mark(place);
            return stamp;
        }
        let later =
            (at + 1..(at + 4).min(self.scan.len())).find_map(|place| self.stamp_of(place).map(|stamp| (stamp, place)));
        if let Some((stamp, place)) = later {
            self.scan.mark(place);
            self.stamp = Some((stamp, place));
            return stamp;
        }
        TimeField::Modified
    }

    pub(super) fn stamp_of(&self, at: usize) -> Option<TimeField> {
        match self.scan.reading.meaning(at) {
            "change" => Some(TimeField::Modified),
            "edit" => Some(TimeField::Modified),
            "access" => Some(TimeField::Accessed),
            // Birth times are not stored everywhere, and are not what is meant after a copy.
            "create" if self.low(at) != "create" || at > 0 => Some(TimeField::Modified),
            _ if matches!(self.low(at), "touched" | "written" | "saved" | "added" | "made") => {
                Some(TimeField::Modified)
            }
            _ if matches!(self.low(at), "read" | "opened" | "used") => Some(TimeField::Accessed),
            _ => None,
        }
    }

    pub(super) fn number(&mut self, at: usize, number: u64) -> usize {
        let (before, after) = (self.scan.before(at), self.low(at + 1));
        if self.scan.is(at + 1, "level") {
            self.scan.mark_all(at, at + 2);
            let mut taken = 2;
            if matches!(self.low(at + 2), "deep" | "down" | "depth") {
                self.mark(at + 2);
                taken = 3;
            }
            let side = self.side.take();
            if let Some((_, place)) = side {
                self.mark(place);
            }
            match side {
                Some((Comparison::More | Comparison::AtLeast, _)) => self.query.min_depth = Some(number + 1),
                _ => self.query.max_depth = Some(number),
            }
            return taken;
        }
        if matches!(before, "depth" | "maxdepth" | "level") || self.scan.leads(at) == "depth" {
            self.mark(at);
            self.query.max_depth = Some(number);
            return 1;
        }
        let superlative = |place: usize| {
            matches!(
                self.scan.reading.meaning(place),
                "largest" | "smallest" | "newest" | "oldest" | "first" | "last" | "recent"
            )
        };
        let counted = |place: usize| {
            self.scan.is(place, "file")
                || self.scan.is(place, "directory")
                || self.scan.is(place, "item")
                || matches!(self.scan.thing(place), Some(Entity::Kind(_)))
        };
        let beside = superlative(at + 1) || superlative(at + 2) || at > 0 && superlative(at - 1);
        if beside || after == "most" || counted(at + 1) && self.query.order.is_some() {
            self.mark(at);
            if at > 0 && self.scan.is(at - 1, "first") {
                self.mark(at - 1);
            }
            self.query.top = Some(number);
            return 1;
        }
        if number == 0 && at > 0 && self.scan.is(at - 1, "size") {
            self.mark(at - 1);
            self.query.shape = OutputShape::Names;
            self.test(at, Test::Empty);
            return 1;
        }
        // `between 10 and 20 MB`
        if self.between
            && matches!(self.low(at + 1), "and" | "to" | "-")
            && let Some(Entity::Size(size)) = self.scan.thing(at + 2)
            && let Some(letter) = size.spelled.chars().last().filter(char::is_ascii_alphabetic)
        {
            let amount: u64 = size.spelled.trim_end_matches(letter).parse().unwrap_or_default();
            let unit = size.bytes.checked_div(amount).unwrap_or_default();
            self.between = false;
            self.age = None;
            self.side = Some((Comparison::Less, at));
            self.test(
                at,
                Test::Size(
                    Comparison::More,
                    Size { bytes: number.saturating_mul(unit), spelled: format!("{number}{letter}") },
                ),
            );
            return 1;
        }
        if number == 0 && (self.scan.is(at + 1, "size") || matches!(after, "length" | "byte" | "bytes" | "sized")) {
            self.mark(at + 1);
            self.test(at, Test::Empty);
            return 2;
        }
        1
    }

    pub(super) fn mode(&mut self, at: usize, mode: &str) -> usize {
        let changes = self.verb == Some(Verb::Change)
            || self.scan.is_goal(at)
            || self.scan.says(&["chmod", "set", "give", "make"]).is_some_and(|verb| verb < at);
        self.mark(at);
        self.scan.take(&["permission"]);
        // Two modes are for two kinds of files, which is no query of this domain.
        self.is_alien |= matches!(self.query.action, Action::Rights(_));
        if changes {
            self.scan.take(&["change"]);
            self.scan.take_said(&["set", "give", "apply"]);
            self.query.action = Action::Rights(mode.to_owned());
        } else {
            let rights = if mode.starts_with('+') {
                format!("-a{mode}")
            } else if mode.contains('+') {
                format!("-{mode}")
            } else {
                mode.to_owned()
            };
            if mode.len() == 9 {
                self.is_alien = true;
            }
            self.test(at, Test::Rights(rights));
        }
        1
    }

    pub(super) fn user(&mut self, at: usize, user: &str) -> usize {
        if matches!(self.low(at), "home") {
            return 1;
        }
        let owns = (at.saturating_sub(3)..at).any(|place| {
            self.scan.is(place, "owned")
                || self.scan.is(place, "user")
                || matches!(self.low(place), "by" | "of" | "from" | "not")
        });
        if self.scan.is_goal(at) && (self.scan.has("owned") || self.scan.has("user")) {
            self.mark(at);
            self.scan.take(&["change", "owned", "user"]);
            self.query.action = Action::Owner(user.to_owned());
        } else if owns {
            self.scan.take(&["owned", "user"]);
            self.test(at, Test::User(user.to_owned()));
        }
        1
    }

    /// Whether a size, a time or a number comes next.
    pub(super) fn bounds(&self, at: usize) -> bool {
        (at + 1..at + 3)
            .any(|place| matches!(self.scan.thing(place), Some(Entity::Size(_) | Entity::Time(_) | Entity::Number(_))))
    }

    pub(super) fn has_time_soon(&self, at: usize) -> bool {
        (at + 1..self.scan.len()).any(|place| matches!(self.scan.thing(place), Some(Entity::Time(_))))
    }

    pub(super) fn size(&mut self, at: usize) -> usize {
        let (before, low) = (self.scan.before(at), self.low(at));
        let bound = (at + 1..(at + 5).min(self.scan.len()))
            .any(|place| matches!(self.scan.thing(place), Some(Entity::Size(_))))
            || at > 0 && matches!(self.scan.thing(at - 1), Some(Entity::Size(_)))
            || matches!(before, "in")
                && self.scan.reading.words[..at].iter().any(|word| matches!(word.thing, Some(Entity::Size(_))));
        self.mark(at);
        if bound {
            return 1;
        }
        if self.scan.is(at + 1, "sort") {
            self.mark(at + 1);
            self.ordered(SortKey::Size, true);
            return 2;
        }
        if before == "by" || before == "in" && matches!(self.low(at + 1), "order") {
            if self.query.order.is_none() {
                self.ordered(SortKey::Size, true);
            }
            if self.query.top.is_none() {
                return 1;
            }
            return 1;
        }
        let asks = matches!(low, "how big" | "how large")
            || self.scan.is(at.wrapping_sub(1), "total")
            || matches!(self.low(at + 1), "of" | "for")
            || matches!(before, "directory" | "folder" | "file" | "总")
            || self.scan.is(at + 1, "directory");
        if low == "sizes"
            && self.query.what == FileType::Files
            && !matches!(self.low(at + 1), "of" | "for")
            && self.scan.reading.find("total").is_none()
        {
            self.query.details = true;
            self.query.human = true;
            return 1;
        }
        if matches!(before, "with" | "their" | "and" | "the" | "its") && !asks && self.query.what != FileType::Unsaid
            || matches!(before, "with" | "their") && self.query.what != FileType::Unsaid
        {
            self.query.details = true;
            self.query.human = true;
            return 1;
        }
        self.specific += 1;
        if matches!(low, "sizes") && self.query.roots.is_empty() && self.query.what != FileType::Unsaid {
            self.query.each = true;
        }
        if self.query.order.is_none() || self.query.each {
            self.query.shape = OutputShape::Size;
        }
        1
    }

    pub(super) fn owned(&mut self, at: usize) -> usize {
        let mut place = at + 1;
        while matches!(self.low(place), "the" | "by" | "user" | "to" | "group" | "me" | "is") && self.low(place) != "me"
        {
            if self.low(place) == "group" {
                self.mark(at);
                return 1;
            }
            place += 1;
        }
        if matches!(self.low(place), "me" | "myself") {
            self.scan.mark_all(at, place + 1);
            self.test(place, Test::User("$USER".to_owned()));
            return place + 1 - at;
        }
        if matches!(self.low(place), "nobody" | "no") && self.scan.is(place + 1, "user") {
            self.scan.mark_all(at, place + 2);
            self.test(place, Test::NoUser);
            return place + 2 - at;
        }
        if let Some(name) = self.scan.name(place) {
            self.scan.mark_all(at, place + 1);
            self.test(place, Test::User(name));
            return place + 1 - at;
        }
        1
    }
}
