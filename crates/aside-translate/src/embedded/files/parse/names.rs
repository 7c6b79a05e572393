//! Names in a query: kinds, patterns, prefixes, suffixes, substrings, and texts that files contain.

use aside_commands::world::FileKind;

use crate::embedded::entities::{self, Entity};
use crate::embedded::files::parse::{Reader, Verb, literal};
use crate::embedded::files::query::{FileType, Name, OutputShape, SearchDepth, SortKey, Test, Text};

impl<'r, 'a> Reader<'r, 'a> {
    pub(super) fn kind(&mut self, at: usize, endings: &[String]) -> usize {
        if self.scan.is_goal(at) || matches!(self.scan.before(at), "by" | "per") {
            self.is_alien = true;
            return 1;
        }
        let low = self.low(at);
        let is_loose = endings.len() > 1 && !low.starts_with(['.', '*']) && low != "yaml";
        let names: Vec<Name> = endings.iter().map(|ending| Name { glob: format!("*.{ending}"), is_loose }).collect();
        self.add_names(at, names);
        1
    }

    /// Adds names that must match as well: a prefix, a substring.
    pub(super) fn add_also(&mut self, at: usize, names: Vec<Name>) {
        if self.not.is_some() {
            return self.add_names(at, names);
        }
        self.mark(at);
        self.specific += 1;
        self.query.also.push(names);
    }

    pub(super) fn add_names(&mut self, at: usize, names: Vec<Name>) {
        self.mark(at);
        self.specific += 1;
        if self.negated(at) {
            // What is spared is meant widely: `all that are no images`.
            const WIDER: &[(&str, &[&str])] = &[
                ("*.png", &["webp", "svg", "bmp", "tif", "tiff", "heic", "heif", "avif", "gif", "ico", "raw"]),
                ("*.mp4", &["webm", "m4v", "mpg", "mpeg", "wmv", "flv", "3gp"]),
                ("*.mp3", &["opus", "aac", "wma", "m4a", "aiff", "ogg"]),
            ];
            let is_family = names.len() > 1 && names.iter().all(|name| name.is_loose);
            let wider = WIDER.iter().filter(|(glob, _)| is_family && names.iter().any(|name| name.glob == *glob));
            let more = wider
                .flat_map(|(_, endings)| *endings)
                .map(|ending| Name { glob: format!("*.{ending}"), is_loose: true });
            let more: Vec<Name> = more.filter(|name| !names.contains(name)).collect();
            self.query.not_names.extend(names.into_iter().chain(more));
            return;
        }
        // `jpg images` narrows images to jpg.
        let known: Vec<&str> = self.query.names.iter().map(|name| name.glob.as_str()).collect();
        let is_family = names.iter().any(|name| name.is_loose);
        if is_family && known.iter().any(|glob| names.iter().any(|name| name.glob == *glob)) {
            return;
        }
        if self.query.names.iter().any(|name| name.is_loose && names.iter().any(|new| new.glob == name.glob)) {
            self.query.names.retain(|name| !name.is_loose);
        }
        self.query.names.extend(names.into_iter().filter(|name| !name.glob.is_empty()));
    }

    pub(super) fn glob(&mut self, at: usize, glob: &str) -> usize {
        if self.scan.is_goal(at) || glob.contains(['\'', '\n']) {
            self.is_alien = true;
            return 1;
        }
        match glob.rsplit_once('/') {
            None => self.add_names(at, vec![Name::plain(glob)]),
            Some((root, name)) if !root.contains(['*', '?', '[']) && !name.is_empty() => {
                self.query.roots.push(if root.is_empty() { "/".to_owned() } else { root.to_owned() });
                self.query.reach = SearchDepth::Flat;
                self.add_names(at, vec![Name::plain(name)]);
            }
            Some(_) => self.is_alien = true,
        }
        1
    }

    /// A quoted text: a name, or what the files contain.
    pub(super) fn text(&mut self, at: usize, text: &str) -> usize {
        let before = self.scan.before(at);
        if text.contains(['\n', '\'']) && text.len() > 200 {
            self.is_alien = true;
            return 1;
        }
        if self.is_in_name(at + 1).is_some() {
            return self.name_part(at);
        }
        if self.not.is_some() && self.scan.word(at).is_some_and(|word| word.entry == Some(FileKind::Directory)) {
            return self.path(at);
        }
        if matches!(self.verb, Some(Verb::Move | Verb::Copy)) && self.scan.is_goal(at) {
            self.take_goal(at, text.to_owned());
            return 1;
        }
        let beside_directory = self.scan.beside_directory(at);
        if beside_directory && self.scan.is_inside(at) && self.not.is_none() {
            self.mark(at);
            if self.scan.is(at + 1, "directory") {
                self.mark(at + 1);
            }
            self.query.roots.push(text.to_owned());
            return 1;
        }
        if text.starts_with('.') && (self.scan.is(at + 1, "extension") || self.scan.is(at + 1, "file")) {
            self.add_names(at, vec![Name::plain(format!("*{}", literal(text)))]);
            return 1;
        }
        let listed = matches!(before, "or" | "and")
            && at >= 2
            && self.scan.used.has(at - 2)
            && matches!(self.scan.thing(at - 2), Some(Entity::Text(_)))
            && !self.query.names.is_empty()
            && self.query.texts.is_empty();
        if matches!(before, "named" | "called" | "name" | "is" | "are" | "file" | "directory" | "folder" | "files")
            || listed
            || self.texts_lead_to_files(at)
        {
            self.add_names(at, vec![Name::plain(text)]);
            self.take_name_words(at);
            return 1;
        }
        if text.contains('*') || entities::is_file_name(text) && self.query.texts.is_empty() {
            self.add_names(at, vec![Name::plain(text)]);
            return 1;
        }
        if self.scan.path(at).is_some() {
            return self.path(at);
        }
        if matches!(before, "with" | "have" | "has" | "word" | "text" | "string" | "phrase") {
            let is_negated = self.negated(at);
            self.mark(at);
            self.take_text_words(at);
            self.query.texts.push(Text { is_negated, text: text.to_owned() });
        }
        1
    }

    /// `'a.out', '*.o' and 'core' files`: a list of names.
    pub(super) fn texts_lead_to_files(&self, at: usize) -> bool {
        let mut place = at + 1;
        while matches!(self.scan.thing(place), Some(Entity::Text(_))) || matches!(self.low(place), "and" | "or") {
            place += 1;
        }
        self.scan.is(place, "file")
    }

    /// Marks `word`, `string`, `the text` before a text as part of it.
    pub(super) fn take_text_words(&mut self, at: usize) {
        for place in at.saturating_sub(3)..at {
            if matches!(
                self.low(place),
                "word" | "text" | "string" | "phrase" | "pattern" | "term" | "words" | "keyword" | "letters"
            ) {
                self.mark(place);
            }
        }
    }

    pub(super) fn take_name_words(&mut self, at: usize) {
        for place in at.saturating_sub(3)..at {
            if matches!(self.low(place), "named" | "called") || self.scan.is(place, "name") {
                self.mark(place);
            }
        }
    }

    /// Whether `and`, `or` or commas lead from here to a kind of file.
    pub(super) fn leads_to_kind(&self, at: usize) -> bool {
        let mut place = at + 1;
        for _ in 0..6 {
            match self.low(place) {
                "and" | "or" | "和" | "或" => place += 1,
                low if matches!(self.scan.thing(place), Some(Entity::Kind(_))) => {
                    let _ = low;
                    return true;
                }
                low if entities::kind(low).is_some() && self.scan.thing(place).is_none() => place += 1,
                low => return (low == "files" || low == "file") && place > at + 1,
            }
        }
        false
    }

    /// `named x`, `called x`, `name is x`
    pub(super) fn named(&mut self, at: usize) -> usize {
        let mut place = at + 1;
        while matches!(
            self.low(place),
            "is" | "exactly" | "as" | "the" | "=" | "like" | "either" | "are" | "equal" | "to"
        ) {
            place += 1;
        }
        let alike = (at + 1..place).any(|between| self.low(between) == "like");
        let Some(word) = self.scan.word(place) else { return 1 };
        if matches!(self.scan.reading.meaning(place), "starting-with" | "ending-with" | "contain" | "match" | "not") {
            self.mark(at);
            return 1;
        }
        let glob = match &word.thing {
            Some(Entity::Glob(glob)) => glob.clone(),
            Some(Entity::Kind(_)) => return 1,
            Some(Entity::Text(text)) => text.clone(),
            _ => literal(&word.text),
        };
        let glob = if alike && !glob.contains('*') { format!("*{glob}*") } else { glob };
        self.mark(at);
        self.add_names(place, vec![Name::plain(glob)]);
        // `named a.txt or b.txt`
        let next = place + 1 + usize::from(matches!(self.low(place + 1), "or" | "and"));
        let is_name =
            matches!(self.scan.thing(next), Some(Entity::Path(_) | Entity::Text(_))) || self.scan.is_bare(next);
        if let Some(word) = self.scan.word(next).filter(|_| is_name)
            && next > place + 1
            && !self.scan.is_inside(next)
        {
            self.add_names(next, vec![Name::plain(literal(&word.text))]);
            return next + 1 - at;
        }
        place + 1 - at
    }

    /// The end of an `in the name` phrase that begins at a place.
    pub(super) fn is_in_name(&self, at: usize) -> Option<usize> {
        if !matches!(self.low(at), "in" | "as" | "anywhere") {
            return None;
        }
        (at + 1..at + 5)
            .find(|place| self.scan.is(*place, "name") || matches!(self.low(*place), "filename" | "filenames"))
            .filter(|end| {
                (at + 1..*end).all(|place| {
                    matches!(self.low(place), "the" | "their" | "its" | "in" | "file" | "of" | "a" | "part")
                })
            })
    }

    pub(super) fn take_in_name(&mut self, at: usize) {
        if let Some(end) = self.is_in_name(at) {
            self.scan.mark_all(at, end + 1);
        }
    }

    /// `foo in the name`
    pub(super) fn name_part(&mut self, at: usize) -> usize {
        let Some(word) = self.scan.word(at) else { return 1 };
        let text = match &word.thing {
            Some(Entity::Text(text)) => text.clone(),
            _ => word.text.clone(),
        };
        self.take_in_name(at + 1);
        self.take_text_words(at);
        self.add_also(at, vec![Name::plain(format!("*{}*", literal(&text)))]);
        1
    }

    /// The phrase after `containing`, `starting with`: quoted, or the following words that mean nothing else.
    pub(super) fn phrase_after(&self, at: usize) -> Option<(String, usize, usize)> {
        let skipped = |low: &str| {
            matches!(
                low,
                "the"
                    | "a"
                    | "an"
                    | "word"
                    | "string"
                    | "text"
                    | "phrase"
                    | "pattern"
                    | "term"
                    | "keyword"
                    | "letters"
                    | "letter"
                    | "prefix"
                    | "suffix"
                    | "words"
                    | "either"
                    | "both"
                    | "with"
                    | "only"
                    | "exact"
                    | "literal"
                    | "function"
                    | "expression"
                    | "字符串"
                    | "extension"
                    | "substring"
                    | "following"
                    | "in"
                    | "by"
                    | "number"
                    | "variable"
                    | "class"
                    | "any"
            )
        };
        let mut place = at;
        while place < self.scan.len() && self.scan.thing(place).is_none() && skipped(self.low(place)) {
            place += 1;
        }
        // `starting with a` means the letter, not the article.
        if place >= self.scan.len() && place > at {
            place -= 1;
        }
        let word = self.scan.word(place)?;
        let mut text = match &word.thing {
            Some(Entity::Text(text)) => return Some((text.clone(), place, place + 1)),
            _ => word.text.clone(),
        };
        let mut end = place + 1;
        while let Some(next) = self.scan.word(end) {
            let stands_alone =
                next.thing.is_some() || next.concept.is_some() || matches!(next.low.as_str(), "anywhere" | "somewhere");
            if stands_alone {
                break;
            }
            text.push(' ');
            text.push_str(&next.text);
            end += 1;
        }
        (!matches!(self.scan.reading.meaning(place), "file" | "directory")).then_some((text, place, end))
    }

    pub(super) fn affix(&mut self, at: usize, shape: impl Fn(&str) -> String) -> usize {
        let Some((text, place, end)) = self.phrase_after(at + 1) else { return 1 };
        self.scan.mark_all(at, end);
        self.take_name_words(at);
        // `ending in .py or .js`
        let text = match text.as_str() {
            "capital" | "capitals" | "uppercase" | "capital letter" | "uppercase letter" => {
                self.take_class(end);
                return self.class(place, "[A-Z]", at, end);
            }
            "digit" | "digits" | "numbers" => return self.class(place, "[0-9]", at, end),
            _ => text,
        };
        let mut names = vec![Name::plain(shape(&text))];
        let mut next = end;
        while matches!(self.low(next), "or" | "and")
            && matches!(self.scan.thing(next + 1), Some(Entity::Kind(_) | Entity::Text(_) | Entity::Path(_)))
            && !self.scan.is(next + 2, "file")
        {
            if let Some(word) = self.scan.word(next + 1) {
                names.push(Name::plain(shape(&word.text)));
            }
            self.scan.mark_all(next, next + 2);
            next += 2;
        }
        self.add_also(place, names);
        next - at
    }

    fn take_class(&mut self, at: usize) {
        if matches!(self.low(at), "letter" | "letters") {
            self.mark(at);
        }
    }

    /// A character class at the beginning or the end of a name.
    fn class(&mut self, place: usize, class: &str, at: usize, end: usize) -> usize {
        let glob = if self.scan.is(at, "starting-with") { format!("{class}*") } else { format!("*{class}") };
        self.add_also(place, vec![Name::plain(glob)]);
        end - at
    }

    pub(super) fn contain(&mut self, at: usize) -> usize {
        if self.scan.is(at + 1, "hidden") {
            self.scan.mark_all(at, at + 2);
            self.query.with_hidden = true;
            return 2;
        }
        if self.scan.is(at + 1, "recursive") || self.scan.is(at + 1, "directory") {
            return 1;
        }
        if self.scan.is(at + 1, "not") || matches!(self.low(at + 1), "nothing") {
            return 1;
        }
        if self.low(at).ends_with("have") && self.have_is_filler(at) {
            self.mark(at);
            return 1;
        }
        let of_names = (at.saturating_sub(3)..at).any(|place| self.scan.is(place, "name"));
        let Some((text, place, end)) = self.phrase_after(at + 1) else { return 1 };
        let in_name = self.is_in_name(end);
        if of_names || in_name.is_some() {
            self.scan.mark_all(at, end);
            self.take_in_name(end);
            self.take_name_words(at);
            if text == "spaces" || text == "space" {
                self.add_also(place, vec![Name::plain("* *")]);
            } else if text.contains('*') {
                self.add_also(place, vec![Name::plain(text)]);
            } else {
                self.add_also(place, vec![Name::plain(format!("*{text}*"))]);
            }
            return end - at;
        }
        if self.scan.is(at, "match") {
            if let Some(Entity::Glob(_)) = self.scan.thing(place) {
                self.mark(at);
                return place - at;
            }
            self.scan.mark_all(at, end);
            self.add_names(place, vec![Name::plain(format!("*{text}*"))]);
            return end - at;
        }
        if self.query.what == FileType::Directories {
            return self.directories_with(at, text, place, end);
        }
        let is_negated = self.negated(place);
        self.scan.mark_all(at, end);
        self.specific += 1;
        self.query.texts.push(Text { is_negated, text });
        let mut end = end;
        if self.low(end) == "and"
            && let Some(word) = self.scan.word(end + 1)
            && (matches!(word.thing, Some(Entity::Text(_))) || self.scan.is_bare(end + 1))
            && !self.scan.is(end + 2, "file")
        {
            self.scan.mark_all(end, end + 2);
            self.query.texts.push(Text { is_negated, text: word.text.clone() });
            end += 2;
        }
        // `in them`, `somewhere in it`
        if matches!(self.low(end), "anywhere" | "somewhere") {
            self.mark(end);
        }
        end - at
    }

    /// Whether `have` leads to something else than a text: `that have been changed`, `that have 3 in their name`.
    fn have_is_filler(&self, at: usize) -> bool {
        let next = self.scan.reading.meaning(at + 1);
        let glue = matches!(
            self.low(at + 1),
            "been"
                | "read"
                | "write"
                | "execute"
                | "no"
                | "permission"
                | "permissions"
                | "more"
                | "less"
                | "a"
                | "at"
                | "same"
                | "hard"
                | "not"
        ) || matches!(
            next,
            "change"
                | "access"
                | "create"
                | "not"
                | "larger"
                | "smaller"
                | "permission"
                | "name"
                | "extension"
                | "empty"
                | "executable"
                | "world-writable"
                | "hardlink"
                | "size"
        ) || matches!(self.scan.thing(at + 1), Some(Entity::Mode(_) | Entity::Size(_) | Entity::Number(_)));
        let named = (at + 1..at + 4).any(|place| self.is_in_name(place).is_some());
        glue || named
    }

    /// Directories contain files: `directories containing a Makefile`.
    fn directories_with(&mut self, at: usize, text: String, place: usize, end: usize) -> usize {
        let spoken = entities::kind(self.low(place)).filter(|_| entities::is_only_a_kind(self.low(place)));
        if let Some(endings) = spoken.filter(|_| !matches!(self.scan.thing(place), Some(Entity::Kind(_)))) {
            self.query.shape = OutputShape::Holders;
            self.query.what = FileType::Files;
            self.mark(at);
            return self.kind(place, &endings) + place - at;
        }
        if let Some(Entity::Kind(endings)) = self.scan.thing(place) {
            self.query.shape = OutputShape::Holders;
            self.query.what = FileType::Files;
            self.mark(at);
            return self.kind(place, endings) + place - at;
        }
        if entities::is_file_name(&text) || self.scan.word(place).is_some_and(|word| word.entry == Some(FileKind::File))
        {
            self.query.shape = OutputShape::Holders;
            self.query.what = FileType::Files;
            self.mark(at);
            self.add_names(place, vec![Name::plain(literal(&text))]);
            return end - at;
        }
        1
    }

    pub(super) fn name(&mut self, at: usize) -> usize {
        let (before, after) = (self.scan.before(at), self.low(at + 1));
        if self.low(at) == "file named" {
            self.query.what = FileType::Files;
            return self.named(at);
        }
        if self.query.shape == OutputShape::DuplicateContents {
            self.mark(at);
            self.query.shape = OutputShape::DuplicateNames;
            return 1;
        }
        if before == "by" {
            self.mark(at);
            if self.scan.name(at + 1).is_none() {
                self.ordered(SortKey::Name, false);
                return 1;
            }
        }
        if matches!(before, "only" | "just") || after == "only" || matches!(self.scan.leads(at), "only" | "just") {
            self.mark(at);
            self.query.base_names = self.scan.says(&["path", "paths"]).is_none();
            return 1;
        }
        let follows = self.scan.reading.meaning(at + 1);
        if matches!(follows, "contain" | "match" | "starting-with" | "ending-with" | "not")
            || matches!(after, "is" | "=" | "like" | "as")
            || self.low(at) == "named"
        {
            self.mark(at);
            if matches!(after, "is" | "are" | "=" | "like") || self.low(at) == "named" {
                return self.named(at);
            }
            return 1;
        }
        if matches!(before, "with" | "the" | "of" | "has" | "have" | "whose")
            && self.scan.name(at + 1).is_some()
            && after != "of"
        {
            return self.named(at);
        }
        self.mark(at);
        1
    }

    pub(super) fn extension(&mut self, at: usize) -> usize {
        let before = self.scan.before(at);
        self.mark(at);
        if matches!(before, "by" | "per" | "each" | "every") || self.scan.says(&["per"]).is_some() {
            if self.query.shape == OutputShape::Count {
                self.query.shape = OutputShape::CountByEnding;
            } else {
                self.ordered(SortKey::Ending, false);
            }
            return 1;
        }
        let mut names = Vec::new();
        let mut place = at + 1;
        loop {
            while matches!(self.low(place), "is" | "=" | "of" | "or" | "and" | "are" | "either" | "the") {
                place += 1;
            }
            let word = match self.scan.word(place) {
                Some(word)
                    if matches!(word.thing, Some(Entity::Kind(_) | Entity::Text(_) | Entity::Glob(_)))
                        || word.concept.is_none() && word.thing.is_none()
                        || entities::kind(&word.low).is_some() && word.thing.is_none() =>
                {
                    word
                }
                _ => break,
            };
            if self.scan.used.has(place) {
                break;
            }
            names.push((place, word.text.trim_start_matches(['*', '.']).to_owned()));
            place += 1;
            if !matches!(self.low(place), "or" | "and") {
                break;
            }
        }
        if names.is_empty()
            && matches!(self.low(at), "extensions" | "exts" | "file extensions")
            && self.query.names.is_empty()
            && (at == 0 || !matches!(self.scan.thing(at - 1), Some(Entity::Kind(_))))
        {
            self.query.shape = OutputShape::CountByEnding;
            return 1;
        }
        if names.is_empty() {
            // `the foo extension`: the word before it, unless that was already read as a kind.
            let already = at > 0 && self.scan.used.has(at - 1) || !self.query.names.is_empty();
            if !already
                && at > 0
                && self.scan.thing(at - 1).is_none()
                && (self.scan.reading.meaning(at - 1).is_empty() || entities::kind(before).is_some())
            {
                let glob = format!("*.{before}");
                self.add_names(at - 1, vec![Name::plain(glob)]);
            }
            return 1;
        }
        let globs = names.iter().map(|(_, ending)| Name::plain(format!("*.{}", literal(ending)))).collect();
        let (first, last) = (names[0].0, names[names.len() - 1].0);
        self.scan.mark_all(first, last + 1);
        self.add_names(first, globs);
        last + 1 - at
    }

    pub(super) fn hidden(&mut self, at: usize) -> usize {
        let before = self.scan.before(at);
        self.mark(at);
        if (self.low(at).contains("file") || self.low(at).contains("文件")) && self.query.what == FileType::Unsaid {
            self.query.what = FileType::Files;
        }
        let too = (at..self.scan.len()).any(|place| matches!(self.low(place), "too" | "also" | "well"));
        let before = if before == "the" { at.checked_sub(2).map_or("", |two| self.low(two)) } else { before };
        let with = at > 0 && self.scan.is(at - 1, "contain") && self.low(at - 1) != "containing";
        if (matches!(
            before,
            "and"
                | "with"
                | "even"
                | "plus"
                | "including"
                | "incl"
                | "incl."
                | "include"
                | "包括"
                | "包含"
                | "连同"
                | "还有"
        ) || with
            || too)
            && self.query.what != FileType::Unsaid
            && self.not.is_none()
        {
            self.query.with_hidden = true;
        } else {
            self.test(at, Test::Hidden);
        }
        1
    }

    /// Joins `test*` and `*.py` to `test*.py`.
    pub(super) fn join_names(&mut self) {
        let ends =
            self.query.names.len() == 1 && self.query.names[0].glob.starts_with("*.") && !self.query.names[0].is_loose;
        if let ([group], true) = (self.query.also.as_slice(), ends)
            && let [name] = group.as_slice()
            && name.glob.ends_with('*')
        {
            let glob = format!("{}{}", name.glob, &self.query.names[0].glob[1..]);
            self.query.names = vec![Name::plain(glob)];
            self.query.also.clear();
        } else if self.query.names.is_empty()
            && self.query.also.len() == 2
            && let ([one], [two]) = (self.query.also[0].as_slice(), self.query.also[1].as_slice())
            && one.glob.ends_with('*')
            && two.glob.starts_with('*')
            && !one.glob.starts_with('*')
        {
            let glob = format!("{}{}", one.glob, &two.glob[1..]);
            self.query.names = vec![Name::plain(glob)];
            self.query.also.clear();
        } else if self.query.names.is_empty() && self.query.also.len() == 1 {
            self.query.names = self.query.also.remove(0);
        }
    }
}
