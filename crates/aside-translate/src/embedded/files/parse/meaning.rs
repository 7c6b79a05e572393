//! Interprets each known word of a query about files.

use crate::embedded::entities::Entity;
use crate::embedded::files::parse::{Reader, SOME, Verb, literal};
use crate::embedded::files::query::{Action, Comparison, FileType, Name, OutputShape, SearchDepth, SortKey, Test};

impl<'r, 'a> Reader<'r, 'a> {
    /// Takes in the word at `at` with the given meaning, and says how many words that consumed.
    pub(super) fn meaning(&mut self, at: usize, meaning: &str) -> usize {
        let taken = self
            .listing_word(at, meaning)
            .or_else(|| self.type_word(at, meaning))
            .or_else(|| self.depth_word(at, meaning))
            .or_else(|| self.comparison_word(at, meaning))
            .or_else(|| self.order_word(at, meaning))
            .or_else(|| self.measure_word(at, meaning))
            .or_else(|| self.permission_word(at, meaning))
            .or_else(|| self.operation_word(at, meaning));
        match taken {
            Some(taken) => taken,
            None if self.scan.word(at).is_some_and(|word| word.weight >= 0.9) => self.unknown(at),
            None => {
                if let Some(stamp) = self.stamp_of(at) {
                    self.stamp = Some((stamp, at));
                }
                1
            }
        }
    }

    /// What is asked about the entries: to see them, all of them, or what is in them.
    fn listing_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        let before = self.scan.before(at);
        Some(match meaning {
            "show" => {
                self.mark(at);
                if matches!(self.low(at), "print" | "dump" | "output" | "show" | "display") && self.scan.has("content")
                {
                    self.query.action = Action::Print;
                }
                1
            }
            "find" => {
                self.mark(at);
                self.query.is_search = true;
                1
            }
            "content" => {
                if self.scan.has("show")
                    && self.query.action == Action::Show
                    && (before == "the" || before == "their" || before == "file")
                {
                    self.query.action = Action::Print;
                }
                self.mark(at);
                1
            }
            "all" => {
                self.mark(at);
                if self.low(at) == "everything" {
                    self.query.what = FileType::Both;
                } else {
                    self.query.all = true;
                }
                1
            }
            "called" | "named" if matches!(self.verb, Some(Verb::Move | Verb::Copy)) && self.scan.is_goal(at + 1) => {
                self.mark(at);
                1
            }
            "called" | "named" => self.named(at),
            "every" | "each" => {
                self.mark(at);
                self.each(at)
            }
            "oneline" => {
                self.mark(at);
                1
            }
            "name"
                if self.scan.is(at + 1, "not")
                    && matches!(self.low(at + 2), "path" | "paths" | "directory" | "directories") =>
            {
                self.scan.mark_all(at, at + 3);
                self.query.what = FileType::Files;
                self.query.base_names = true;
                3
            }
            "name" => self.name(at),
            "contain" | "match" => self.contain(at),
            "starting-with" => self.affix(at, |text| format!("{}*", literal(text))),
            "extension" => self.extension(at),
            "empty" => {
                self.test(at, Test::Empty);
                1
            }
            "hidden" => self.hidden(at),
            "long" => {
                self.mark(at);
                self.query.details = true;
                1
            }
            "absolute" => {
                self.mark(at);
                self.query.absolute = true;
                1
            }
            "case" => {
                self.mark(at);
                self.query.any_case = true;
                self.not = None;
                1
            }
            _ => return None,
        })
    }

    /// Which type of entry is meant, and where the search starts.
    fn type_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        let before = self.scan.before(at);
        Some(match meaning {
            // `the subdirectories, not the files`
            "file"
                if self.query.what == FileType::Directories
                    && self.not.is_some_and(|not| {
                        matches!(
                            self.low(not),
                            "not" | "no" | "but not" | "and not" | "excluding" | "except" | "ignore"
                        ) && (self.low(not) != "no" || self.scan.before(not) != "with")
                            && !matches!(
                                self.scan.before(not),
                                "contain" | "containing" | "do" | "does" | "with" | "have"
                            )
                    }) =>
            {
                self.negated(at);
                self.mark(at);
                1
            }
            // `folders without any files`
            "file" if self.query.what == FileType::Directories && self.not.is_some() => {
                self.test(at, Test::Empty);
                if let Some(last) = self.query.tests.last_mut() {
                    last.is_negated = false;
                }
                1
            }
            "with"
                if self.query.what == FileType::Directories
                    && matches!(self.scan.thing(at + 1), Some(Entity::Kind(_))) =>
            {
                self.query.shape = OutputShape::Holders;
                self.query.what = FileType::Files;
                1
            }
            "file" => {
                self.mark(at);
                if matches!(before, "only" | "just") || self.low(at + 1) == "only" {
                    self.query.only_files = true;
                }
                self.query.what = match self.query.what {
                    FileType::Directories if matches!(before, "and" | "or" | "&") => FileType::Both,
                    FileType::Unsaid => FileType::Files,
                    same => same,
                };
                1
            }
            "script" if self.query.names.is_empty() => {
                self.mark(at);
                if !matches!(self.scan.thing(at.saturating_sub(1)), Some(Entity::Kind(_))) {
                    self.doubt += 0.05;
                    return Some(self.kind(at, &["sh".to_owned()]));
                }
                1
            }
            "script" => {
                self.mark(at);
                1
            }
            "directory" => self.directory(at),
            "item" => {
                self.mark(at);
                self.query.what = FileType::Both;
                1
            }
            "link" => {
                self.mark(at);
                if self.query.what != FileType::BrokenLinks {
                    self.query.what = FileType::Links;
                }
                1
            }
            "broken" => {
                self.mark(at);
                self.query.what = FileType::BrokenLinks;
                1
            }
            "socket" => {
                self.mark(at);
                self.query.what = FileType::Sockets;
                1
            }
            "pipe-file" => {
                self.mark(at);
                self.query.what = FileType::Pipes;
                1
            }
            "filesystem" => {
                self.mark(at);
                self.query.roots.push("/".to_owned());
                1
            }
            _ => return None,
        })
    }

    /// How deep the search goes, and what it leaves out.
    fn depth_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        let before = self.scan.before(at);
        Some(match meaning {
            "here" => {
                self.mark(at);
                // `this directory only`, `only in here`
                let behind = |at: usize| matches!(self.low(at).split(' ').next(), Some("only" | "alone" | "itself"));
                let ahead =
                    |back: usize| at.checked_sub(back).is_some_and(|at| matches!(self.low(at), "only" | "just"));
                let noun = usize::from(self.scan.is(at + 1, "directory"));
                if behind(at + 1 + noun) || ahead(1) || ahead(2) {
                    self.query.reach = SearchDepth::Flat;
                } else if self.query.reach == SearchDepth::Unsaid {
                    self.query.reach = SearchDepth::Here;
                }
                1
            }
            "flat" => {
                self.mark(at);
                self.query.reach = SearchDepth::Flat;
                1
            }
            "recursive" => {
                self.mark(at);
                if self.not.is_some() {
                    self.negated(at);
                    self.query.reach = SearchDepth::Flat;
                } else if self.query.reach != SearchDepth::Flat {
                    self.query.reach = SearchDepth::Deep;
                }
                1
            }
            "not" if self.low(at) == "不包含" => {
                self.not = Some(at);
                self.contain(at)
            }
            "not" => {
                if self.scan.is(at + 1, "larger") && self.low(at + 1) == "more than" {
                    self.scan.mark_all(at, at + 2);
                    self.side = Some((Comparison::AtMost, at));
                    return Some(2);
                }
                if self.scan.is(at + 1, "extension") {
                    self.scan.mark_all(at, at + 2);
                    self.query.not_names.push(Name::plain("*.*"));
                    return Some(2);
                }
                self.not = Some(at);
                1
            }
            "keep" if self.verb == Some(Verb::Delete) || self.scan.has("delete") || self.scan.has("rest") => {
                self.mark(at);
                self.not = Some(at);
                1
            }
            "rest" if self.scan.has("keep") => {
                self.mark(at);
                1
            }
            "tree" => {
                self.mark(at);
                let after_path = at > 0
                    && matches!(self.scan.thing(at - 1), Some(Entity::Path(_) | Entity::Variable(_) | Entity::Text(_)));
                let of_it = self.scan.is_inside(at)
                    || after_path
                    || self.scan.leads(at) == "current"
                    || before == "current"
                    || self.query.what != FileType::Unsaid;
                if of_it && !matches!(self.low(at), "tree view" | "as a tree" | "tree structure") {
                    self.query.reach = SearchDepth::Deep;
                } else {
                    self.query.shape = OutputShape::Tree;
                }
                1
            }
            _ => return None,
        })
    }

    /// Bounds on size and age, and the extremes of both.
    fn comparison_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        Some(match meaning {
            "larger" | "smaller"
                if matches!(self.low(at), "under" | "below" | "over" | "above") && !self.bounds(at) =>
            {
                self.mark(at);
                // `under` a directory includes what is deep below it.
                self.query.is_search |= matches!(self.low(at), "under" | "below");
                if self.scan.is(at + 1, "here") || self.scan.is(at + 2, "here") {
                    self.query.reach = SearchDepth::Unsaid;
                    self.scan.mark_all(at, at + 3);
                    return Some(if self.scan.is(at + 1, "here") { 2 } else { 3 });
                }
                1
            }
            "larger" | "smaller" => {
                let at_bound = matches!(self.low(at), "at least" | "at most" | "up to" | "不到");
                let side = match (meaning, at_bound) {
                    ("larger", false) => Comparison::More,
                    ("larger", true) => Comparison::AtLeast,
                    (_, false) => Comparison::Less,
                    (_, true) => Comparison::AtMost,
                };
                // `huge files over 500 MB`: the number replaces the adjective.
                if let Some((_, rough)) = self
                    .side
                    .filter(|(_, place)| matches!(self.low(*place), "big" | "large" | "huge" | "small" | "tiny"))
                {
                    self.mark(rough);
                }
                self.side = Some((side, at));
                1
            }
            "exact" => {
                self.side = Some((Comparison::Exactly, at));
                1
            }
            "older" => {
                self.age = Some((Comparison::Less, at));
                1
            }
            "newer" => {
                self.age = Some((Comparison::More, at));
                1
            }
            "largest" => self.superlative(at, SortKey::Size, true),
            "smallest" => self.superlative(at, SortKey::Size, false),
            "newest" => self.superlative(at, SortKey::Time, true),
            "oldest" => self.superlative(at, SortKey::Time, false),
            "recent" => {
                if (at + 1..at + 4).any(|place| matches!(self.scan.thing(place), Some(Entity::Time(_)))) {
                    self.mark(at);
                    return Some(1);
                }
                self.superlative(at, SortKey::Time, true)
            }
            _ => return None,
        })
    }

    /// In which order, and which end of it.
    fn order_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        Some(match meaning {
            "first" | "ending-with" if matches!(self.low(at), "开头" | "结尾") => {
                if at > 0 && matches!(self.scan.thing(at - 1), Some(Entity::Kind(_))) {
                    self.mark(at);
                    return Some(1);
                }
                let Some(before) = at.checked_sub(1).filter(|before| !self.scan.used.has(*before)) else {
                    return Some(1);
                };
                let Some(word) = self.scan.word(before) else { return Some(1) };
                let text = literal(&word.text);
                self.mark(at);
                let glob = if self.low(at) == "开头" { format!("{text}*") } else { format!("*{text}") };
                self.add_names(before, vec![Name::plain(glob)]);
                1
            }
            "first" | "last" => self.first(at, meaning),
            "sort" => self.sorted(at),
            "ending-with" => self.affix(at, |text| format!("*{}", literal(text.trim_start_matches('*')))),
            "reverse" | "ascending" => {
                self.mark(at);
                if self.query.order.is_none() {
                    self.ordered(SortKey::Name, true);
                } else if let Some(order) = &mut self.query.order {
                    order.is_down = match (meaning, order.key) {
                        ("ascending", _) => false,
                        (_, SortKey::Name | SortKey::Ending) => true,
                        _ if matches!(self.scan.low(at), "descending" | "desc" | "倒序") => true,
                        _ => !order.is_down,
                    };
                }
                1
            }
            "by" if self.query.shape == OutputShape::Names || self.query.shape == OutputShape::Size => self.sorted(at),
            _ => return None,
        })
    }

    /// What is counted or measured instead of listed.
    fn measure_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        let before = self.scan.before(at);
        Some(match meaning {
            "word"
                if matches!(before, "the" | "a") && !self.scan.has("count") && self.query.what != FileType::Unsaid =>
            {
                self.contain(at)
            }
            "size" => self.size(at),
            "usage" => {
                self.mark(at);
                self.query.shape = OutputShape::Size;
                // `what is taking up space` asks for the largest.
                if self.scan.says(&["what", "what's", "whats", "which"]).is_some_and(|asks| asks < at)
                    && self.low(at).contains(['k', 'g', 'e'])
                    && !self.low(at).starts_with("disk")
                {
                    self.query.each = true;
                    self.ordered(SortKey::Size, true);
                }
                self.scan.take_said(&["space", "room", "disk"]);
                1
            }
            "total" => {
                self.mark(at);
                1
            }
            "count" => {
                self.mark(at);
                self.specific += 1;
                if self.query.shape == OutputShape::Names {
                    self.query.shape = OutputShape::Count;
                }
                1
            }
            "line" | "word"
                if self.scan.has("count") || self.scan.says(&["wc"]).is_some() || self.scan.has("total") =>
            {
                if before == "the" && meaning == "word" {
                    return Some(1);
                }
                self.mark(at);
                self.specific += 2;
                self.query.shape = if meaning == "line" { OutputShape::Lines } else { OutputShape::Words };
                if matches!(self.low(at + 1), "count" | "counts") {
                    self.mark(at + 1);
                }
                1
            }
            "line" if before == "most" => {
                self.scan.mark_all(at - 1, at + 1);
                self.query.shape = OutputShape::Lines;
                self.ordered(SortKey::Size, true);
                let many = self.scan.says(&["files"]).is_some();
                self.query.top = self.query.top.or(Some(if many { SOME } else { 1 }));
                1
            }
            "line" => {
                self.is_alien = true;
                1
            }
            "line-count" => {
                self.mark(at);
                self.specific += 2;
                self.query.shape = OutputShape::Lines;
                1
            }
            "duplicate" => {
                self.mark(at);
                self.query.shape =
                    if self.scan.has("name") { OutputShape::DuplicateNames } else { OutputShape::DuplicateContents };
                1
            }
            _ => return None,
        })
    }

    /// Owners and permissions: as a test, as a detail to list, or to be set.
    fn permission_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        Some(match meaning {
            "human" | "writable" | "executable"
                if matches!(self.low(at), "readable" | "writable" | "writeable" | "executable")
                    && self.low(at + 1) == "by" =>
            {
                let letter = match self.low(at) {
                    "readable" => 'r',
                    "executable" => 'x',
                    _ => 'w',
                };
                let place = at + 2 + usize::from(matches!(self.low(at + 2), "the" | "its" | "their"));
                let who = match self.low(place) {
                    "others" | "other" | "everyone" | "anyone" | "world" | "all" | "everybody" => 'o',
                    "group" | "groups" => 'g',
                    "owner" | "user" | "owners" => 'u',
                    _ => return Some(1),
                };
                self.mark(place);
                self.test(at, Test::Rights(format!("-{who}+{letter}")));
                place + 1 - at
            }
            "executable" if self.scan.says(&["make", "mark", "set"]).is_some_and(|verb| verb < at) => {
                self.mark(at);
                self.scan.take_said(&["mark", "set"]);
                let sign = if self.negated(at) || self.scan.says(&["no longer"]).is_some() { '-' } else { '+' };
                self.query.action = Action::Rights(format!("{sign}x"));
                1
            }
            "executable" => {
                self.test(at, Test::Executable);
                if self.query.what == FileType::Unsaid {
                    self.query.what = FileType::Files;
                }
                1
            }
            "readonly" if self.scan.says(&["make", "set"]).is_some_and(|verb| verb < at) => {
                self.mark(at);
                self.query.action = Action::Rights("a-w".to_owned());
                1
            }
            "readonly" => {
                self.test(at, Test::Rights("-u+w".to_owned()));
                if let Some(last) = self.query.tests.last_mut() {
                    last.is_negated = !last.is_negated;
                }
                1
            }
            "writable" => {
                self.test(at, Test::Writable);
                1
            }
            "human" if self.low(at) == "readable" && self.not.is_some() => {
                self.test(at, Test::Readable);
                1
            }
            "human" => {
                self.mark(at);
                self.query.human = true;
                if self.query.shape == OutputShape::Names {
                    self.query.details = true;
                }
                1
            }
            "owned" => self.owned(at),
            "user" if self.low(at) == "owner" && self.query.action == Action::Show && !self.scan.has("change") => {
                self.mark(at);
                self.query.details = true;
                1
            }
            "group" => {
                if let Some(name) = self.scan.name(at + 1).filter(|_| self.low(at + 1) != "to") {
                    self.scan.take(&["owned"]);
                    self.mark(at);
                    self.test(at + 1, Test::Group(name));
                    return Some(2);
                }
                1
            }
            "permission" => {
                self.mark(at);
                if (0..self.scan.len()).all(|place| !matches!(self.scan.thing(place), Some(Entity::Mode(_)))) {
                    self.query.details = true;
                }
                1
            }
            "world-writable" => {
                self.test(at, Test::Rights("-o+w".to_owned()));
                1
            }
            "setuid" | "setgid" => {
                let bits = if meaning == "setuid" { "-4000" } else { "-2000" };
                self.test(at, Test::Rights(bits.to_owned()));
                1
            }
            _ => return None,
        })
    }

    /// What is done to the entries.
    fn operation_word(&mut self, at: usize, meaning: &str) -> Option<usize> {
        Some(match meaning {
            "compress" if self.low(at) == "compressed" && self.scan.is(at + 1, "file") => {
                let endings = ["gz", "zip", "bz2", "xz", "7z", "zst"];
                let names = endings.iter().map(|ending| Name { glob: format!("*.{ending}"), is_loose: true }).collect();
                self.add_names(at, names);
                1
            }
            "sum-of" => {
                self.mark(at);
                let low = self.low(at);
                let sum = ["sha1", "sha256", "sha512"]
                    .into_iter()
                    .find(|sum| low.starts_with(sum) || self.scan.before(at).starts_with(sum));
                self.query.action = Action::Sum(match sum {
                    Some("sha1") => "sha1sum",
                    Some("sha256") => "sha256sum",
                    Some("sha512") => "sha512sum",
                    _ => "md5sum",
                });
                1
            }
            "delete" if self.low(at) != "deleted" => {
                self.mark(at);
                self.verb = Some(Verb::Delete);
                self.query.action = Action::Delete;
                1
            }
            "move" | "copy" => {
                self.mark(at);
                self.verb = Some(if meaning == "move" { Verb::Move } else { Verb::Copy });
                1
            }
            "compress" => {
                // The other verbs make one archive of all files.
                if !matches!(self.low(at), "compress" | "gzip" | "compressing" | "压缩") {
                    self.is_alien = true;
                }
                self.mark(at);
                self.verb = Some(Verb::Compress);
                self.query.action = Action::Gzip;
                1
            }
            "change" if at == 0 || matches!(self.low(at), "change" | "set" | "更改") && !self.has_time_soon(at) => {
                self.verb = Some(Verb::Change);
                1
            }
            "create" if self.low(at) == "new" && self.verb.is_some() => 1,
            "change" | "access" | "create" => {
                self.stamp = self.stamp_of(at).map(|stamp| (stamp, at));
                if self.stamp.is_none() {
                    self.is_alien = true;
                }
                1
            }
            "archive" => {
                let names = ["tar", "tar.gz", "tgz", "zip", "tar.bz2", "tar.xz", "7z", "rar"];
                let names = names.iter().map(|ending| Name { glob: format!("*.{ending}"), is_loose: true }).collect();
                if at == 0 && self.low(at) == "archive" && self.scan.len() > 1
                    || self.scan.is_goal(at)
                    || self.verb == Some(Verb::Compress)
                {
                    self.is_alien = true;
                } else {
                    self.add_names(at, names);
                }
                1
            }
            _ => return None,
        })
    }
}
