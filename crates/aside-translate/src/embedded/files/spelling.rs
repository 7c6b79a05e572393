//! Spells the parts of a query about files for this machine's tools: paths, tests, sorting, lists.

use aside_commands::world::FileKind;
use shell_line::quote;

use crate::embedded::entities::{self, Size, Time, Unit};
use crate::embedded::files::query::{
    Comparison, FileType, Filter, Name, Order, OutputShape, Query, SearchDepth, SortKey, Test, TimeField,
};
use crate::embedded::shell_syntax;
use crate::embedded::slots::single;
use crate::{ToolFlavor, TranslateContext};

/// A command, and a line about what it does.
pub type ExplainedCommand = (String, String);

pub struct CommandSpelling<'q, 'a> {
    pub query: &'q Query,
    pub place: TranslateContext<'a>,
}

impl<'a> CommandSpelling<'_, 'a> {
    pub fn system(&self) -> ToolFlavor {
        self.place.system
    }

    /// The same place with another query.
    pub fn with<'o>(&self, query: &'o Query) -> CommandSpelling<'o, 'a> {
        CommandSpelling { query, place: self.place }
    }

    pub fn path(&self, path: &str) -> String {
        if path.starts_with('$') {
            return format!("\"{path}\"");
        }
        let safe = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
        quote::word(&safe, self.place.dialect)
    }

    /// Whether a file of this name exists here, or the name is spelled like one.
    pub fn is_file(&self, path: &str) -> bool {
        let here = self.place.world.entries(self.place.cwd).yes();
        let known = here.and_then(|entries| entries.iter().find(|entry| *entry.name == *path).map(|entry| entry.kind));
        known.map_or_else(|| entities::is_file_name(path), |kind| kind == FileKind::File)
    }

    pub fn roots(&self) -> String {
        if self.query.roots.is_empty() {
            return if self.query.absolute { "\"$PWD\"".to_owned() } else { ".".to_owned() };
        }
        let root = |root: &String| {
            let is_relative = !root.starts_with(['/', '~', '$']);
            if self.query.absolute && is_relative { format!("\"$PWD\"/{}", self.path(root)) } else { self.path(root) }
        };
        self.query.roots.iter().map(root).collect::<Vec<_>>().join(" ")
    }

    /// Both interpretations of `in this directory`: everything below it, or only this level.
    pub fn variants(&self, spell: impl Fn(&CommandSpelling<'_, 'a>) -> Vec<ExplainedCommand>) -> Vec<ExplainedCommand> {
        let query = self.query;
        let mut deep = query.clone();
        let mut flat = query.clone();
        deep.reach = SearchDepth::Deep;
        flat.reach = SearchDepth::Flat;
        let hidden = query.tests.iter().any(|filter| filter.test == Test::Hidden && !filter.is_negated);
        let flat_first =
            !query.is_search && (query.reach == SearchDepth::Here || hidden && query.reach == SearchDepth::Unsaid);
        let order: Vec<&Query> = match query.reach {
            _ if query.max_depth.is_some() || query.min_depth.is_some() => vec![&deep],
            SearchDepth::Flat => vec![&flat],
            SearchDepth::Deep => vec![&deep],
            SearchDepth::Here | SearchDepth::Unsaid if flat_first => vec![&flat, &deep],
            SearchDepth::Here | SearchDepth::Unsaid => vec![&deep, &flat],
        };
        order.into_iter().flat_map(|query| spell(&self.with(query))).collect()
    }

    fn not(&self) -> &'static str {
        if self.system() == ToolFlavor::Busybox { "!" } else { "-not" }
    }

    /// `find` with all filters and without an action.
    pub fn find(&self) -> String {
        let query = self.query;
        let mut parts = vec!["find".to_owned(), self.roots()];
        // GNU find warns when these come after a test.
        if let Some(depth) = query.min_depth {
            parts.push(format!("-mindepth {depth}"));
        }
        if let Some(depth) = query.max_depth {
            parts.push(format!("-maxdepth {depth}"));
        } else if query.reach == SearchDepth::Flat {
            parts.push("-maxdepth 1".to_owned());
            if query.min_depth.is_none() && matches!(query.what, FileType::Directories | FileType::Both) {
                parts.push("-mindepth 1".to_owned());
            }
        } else if query.min_depth.is_none()
            && (query.what == FileType::Both && query.has_filter()
                || matches!(query.what, FileType::Directories | FileType::Both) && query.destroys())
        {
            parts.push("-mindepth 1".to_owned());
        }
        match query.what {
            FileType::Directories => parts.push("-type d".to_owned()),
            FileType::Links => parts.push("-type l".to_owned()),
            FileType::BrokenLinks if self.system() == ToolFlavor::Gnu => parts.push("-xtype l".to_owned()),
            FileType::BrokenLinks => parts.push("-type l ! -exec test -e {} \\;".to_owned()),
            FileType::Sockets => parts.push("-type s".to_owned()),
            FileType::Pipes => parts.push("-type p".to_owned()),
            FileType::Both => {}
            FileType::Files | FileType::Unsaid => parts.push("-type f".to_owned()),
        }
        let names_any_case = query.any_case && query.texts.is_empty();
        let test = |name: &Name| {
            let any_case = name.is_loose || names_any_case;
            match (name.glob.contains('/'), any_case) {
                // A name has no slash: `logs/a.log` is a path, however the roots are spelled.
                (true, false) => format!("-path {}", single(&format!("*{}", name.glob.trim_start_matches("./")))),
                (true, true) => format!("-ipath {}", single(&format!("*{}", name.glob.trim_start_matches("./")))),
                (false, false) => format!("-name {}", single(&name.glob)),
                (false, true) => format!("-iname {}", single(&name.glob)),
            }
        };
        for group in std::iter::once(&query.names).chain(&query.also) {
            match group.as_slice() {
                [] => {}
                [name] => parts.push(test(name)),
                names => {
                    let any: Vec<String> = names.iter().map(test).collect();
                    parts.push(format!("\\( {} \\)", any.join(" -o ")));
                }
            }
        }
        for name in &query.not_names {
            parts.push(format!("{} {}", self.not(), test(name)));
        }
        for directory in &query.avoid {
            // `.env` may be a file.
            if query.what != FileType::Files && query.what != FileType::Unsaid || directory.starts_with('.') {
                parts.push(format!("{} -name {}", self.not(), single(directory)));
            }
            // find prints paths as its roots are spelled.
            let is_below = |root: &String| directory.starts_with(&format!("{}/", root.trim_end_matches('/')));
            let path = match directory.contains('/') {
                true if query.roots.iter().any(is_below) => format!("{directory}/*"),
                true if query.roots.is_empty() => format!("./{directory}/*"),
                true | false => format!("*/{directory}/*"),
            };
            parts.push(format!("{} -path {}", self.not(), single(&path)));
        }
        if self.spares_repositories() {
            parts.push(format!("{} -path '*/.git/*'", self.not()));
        }
        parts.extend(query.tests.iter().map(|filter| self.filter(filter)));
        if query.texts.len() > 1 || query.texts.iter().any(|text| text.is_negated) {
            for text in &query.texts {
                let not = if text.is_negated { "! " } else { "" };
                parts.push(format!("{not}-exec grep -q{} {} {{}} \\;", self.grep_case(), pattern(&text.text)));
            }
        }
        parts.join(" ")
    }

    /// Whether a deletion or move by age, size or kind at any depth must exclude `.git`.
    fn spares_repositories(&self) -> bool {
        let query = self.query;
        let is_named = !query.names.is_empty() || !query.also.is_empty();
        let is_deep = query.reach != SearchDepth::Flat && query.max_depth.is_none_or(|depth| depth > 1);
        let is_said =
            query.avoid.iter().any(|name| name == ".git") || query.roots.iter().any(|root| root.contains(".git"));
        query.destroys() && query.has_filter() && !is_named && is_deep && !is_said
    }

    pub fn grep_case(&self) -> &'static str {
        if self.query.any_case { "i" } else { "" }
    }

    fn filter(&self, filter: &Filter) -> String {
        let not = if filter.is_negated { format!("{} ", self.not()) } else { String::new() };
        let gnu = self.system() == ToolFlavor::Gnu;
        match &filter.test {
            Test::Empty => format!("{not}-empty"),
            Test::Hidden if filter.is_negated => format!("{not}-path '*/.*'"),
            Test::Hidden => "-name '.*'".to_owned(),
            Test::Executable => format!("{not}-perm -u+x"),
            Test::Readable if gnu => format!("{not}-readable"),
            Test::Readable => format!("{not}-perm -u+r"),
            Test::Writable if gnu => format!("{not}-writable"),
            Test::Writable => format!("{not}-perm -u+w"),
            Test::Rights(rights) => format!("{not}-perm {rights}"),
            Test::User(user) if user == "$USER" => {
                // $USER is not set everywhere.
                let me = shell_syntax::quoted_substitution(self.place.dialect, "id -un");
                format!("{not}-user {me}")
            }
            Test::User(user) => format!("{not}-user {}", self.path(user)),
            Test::Group(group) => format!("{not}-group {}", self.path(group)),
            Test::NoUser => format!("{not}-nouser"),
            Test::Newer(path) => format!("{not}-newer {}", self.path(path)),
            Test::Size(side, size) => format!("{not}{}", size_test(*side, size)),
            Test::Age(stamp, side, time) => {
                let side = if filter.is_negated { opposite(*side) } else { *side };
                let not = if filter.is_negated && side == Comparison::Exactly { not.as_str() } else { "" };
                format!("{not}{}", self.age(*stamp, side, time))
            }
        }
    }

    /// More is later, less is earlier.
    fn age(&self, stamp: TimeField, side: Comparison, time: &Time) -> String {
        let letter = match stamp {
            TimeField::Modified => 'm',
            TimeField::Accessed => 'a',
        };
        let sign = match side {
            Comparison::More | Comparison::AtLeast => "-",
            Comparison::Less | Comparison::AtMost => "+",
            Comparison::Exactly => "",
        };
        let since = |start: &str| match self.system() {
            ToolFlavor::Gnu | ToolFlavor::Bsd => format!("-newer{letter}t {}", single(start)),
            // BusyBox find only knows days.
            ToolFlavor::Busybox => format!("-{letter}time -1"),
        };
        let not = self.not();
        match time {
            Time::Ago { amount, unit: unit @ (Unit::Second | Unit::Minute | Unit::Hour) } => {
                let minutes = (amount * unit.seconds()).div_ceil(60).max(1);
                if minutes % 1440 == 0 && side != Comparison::Exactly {
                    return format!("-{letter}time {sign}{}", minutes / 1440);
                }
                format!("-{letter}min {sign}{minutes}")
            }
            Time::Ago { amount, unit } => {
                format!("-{letter}time {sign}{}", (amount * unit.seconds()).div_ceil(86_400))
            }
            Time::Today => match side {
                Comparison::Less | Comparison::AtMost => format!("{not} {}", since("today 00:00")),
                Comparison::More | Comparison::AtLeast | Comparison::Exactly => since("today 00:00"),
            },
            Time::Yesterday => match side {
                Comparison::Less | Comparison::AtMost => format!("{not} {}", since("yesterday 00:00")),
                Comparison::More | Comparison::AtLeast => since("yesterday 00:00"),
                Comparison::Exactly => format!("{} {not} {}", since("yesterday 00:00"), since("today 00:00")),
            },
            Time::Date(date) => match side {
                Comparison::Less | Comparison::AtMost => format!("{not} {}", since(date)),
                Comparison::More | Comparison::AtLeast => since(date),
                Comparison::Exactly if date.contains(' ') => since(date),
                Comparison::Exactly => format!("{} {not} {}", since(date), since(&format!("{date} 23:59:59"))),
            },
        }
    }

    pub fn listing(&self) -> Vec<ExplainedCommand> {
        let query = self.query;
        if let Some(vague) = query.vague {
            return self.vague(vague);
        }
        if query.texts.len() == 1 {
            return self.variants(|spell| vec![spell.holding()]);
        }
        if query.is_rest {
            return self.variants(|spell| vec![spell.found()]);
        }
        let is_plain = !query.has_filter() && query.max_depth.is_none() && query.min_depth.is_none() && !query.absolute;
        if is_plain
            && query.reach != SearchDepth::Deep
            && matches!(query.what, FileType::Files | FileType::Both | FileType::Directories | FileType::Unsaid)
        {
            if query.is_search && query.reach != SearchDepth::Flat {
                let mut all = self.variants(|spell| vec![spell.found()]);
                all.extend(self.flat());
                return all;
            }
            let mut all = self.flat();
            // The query does not limit the depth to this level.
            let mut deep = query.clone();
            deep.reach = SearchDepth::Deep;
            let deep = self.with(&deep).found();
            let of_below = query.order.is_some() && query.top.is_some() && query.reach == SearchDepth::Unsaid;
            let counted = query.shape == OutputShape::Count && query.reach == SearchDepth::Unsaid;
            if of_below || counted {
                all.insert(0, deep);
            } else {
                all.push(deep);
            }
            return all;
        }
        self.variants(|spell| vec![spell.found()])
    }

    /// `large files`, `old files` without a number.
    fn vague(&self, key: SortKey) -> Vec<ExplainedCommand> {
        let mut ordered = self.query.clone();
        ordered.order = Some(Order { key, is_down: key == SortKey::Size });
        ordered.top = Some(10);
        ordered.vague = None;
        let mut bounded = self.query.clone();
        bounded.vague = None;
        let test = match key {
            SortKey::Size => Test::Size(Comparison::More, Size { bytes: 104_857_600, spelled: "100M".to_owned() }),
            SortKey::Time | SortKey::Access | SortKey::Name | SortKey::Ending => {
                Test::Age(TimeField::Modified, Comparison::Less, Time::Ago { amount: 30, unit: Unit::Day })
            }
        };
        bounded.tests.push(Filter { is_negated: false, test });
        vec![self.with(&ordered).found(), self.with(&bounded).found()]
    }

    /// One directory, without descending.
    fn flat(&self) -> Vec<ExplainedCommand> {
        let query = self.query;
        let roots = if query.roots.is_empty() { String::new() } else { format!(" {}", self.roots()) };
        if query.shape == OutputShape::Count {
            let mut flat = query.clone();
            flat.reach = SearchDepth::Flat;
            let mut all = vec![(self.with(&flat).found().0, "counts what is here".to_owned())];
            if query.what != FileType::Directories {
                all.push((format!("ls{roots} | wc -l"), "counts the names here".to_owned()));
            }
            return all;
        }
        if query.what == FileType::Directories {
            return self.directories(&roots);
        }
        let plainly = query.reach == SearchDepth::Flat && query.what == FileType::Files;
        if (query.only_files || plainly) && query.order.is_none() && !query.details {
            let mut flat = query.clone();
            flat.reach = SearchDepth::Flat;
            return vec![self.with(&flat).found()];
        }
        let mut flags = String::new();
        let sizes =
            query.order.is_some_and(|order| matches!(order.key, SortKey::Size | SortKey::Time | SortKey::Access));
        if query.details || sizes && query.top.is_none() && !query.base_names {
            flags.push('l');
        }
        if query.human {
            flags.push('h');
        }
        if query.with_hidden {
            flags.push('A');
        } else if query.all && query.order.is_none() && !query.details {
            flags.push('a');
        }
        if let Some(order) = query.order {
            let reversed = match order.key {
                SortKey::Size => {
                    flags.push('S');
                    !order.is_down
                }
                SortKey::Time => {
                    flags.push('t');
                    !order.is_down
                }
                SortKey::Access => {
                    flags.push_str("tu");
                    !order.is_down
                }
                SortKey::Name => order.is_down,
                SortKey::Ending => {
                    flags.push('X');
                    order.is_down
                }
            };
            if reversed {
                flags.push('r');
            }
        }
        let dash = if flags.is_empty() { String::new() } else { format!(" -{flags}") };
        let about = "lists what is here".to_owned();
        match query.top {
            Some(top) if query.what == FileType::Both || query.what == FileType::Unsaid => {
                vec![(format!("ls{dash}{roots} | head -n {top}"), about)]
            }
            // The trailing slash tells directories from files.
            Some(top) => vec![(format!("ls -{flags}p{roots} | grep -v / | head -n {top}"), about)],
            None if flags == "a" => {
                vec![(format!("ls -a{roots}"), about.clone()), (format!("ls{roots}"), about)]
            }
            None => vec![(format!("ls{dash}{roots}"), about)],
        }
    }

    fn directories(&self, roots: &str) -> Vec<ExplainedCommand> {
        let query = self.query;
        let place = roots.trim();
        let glob = if place.is_empty() { "*/".to_owned() } else { format!("{}/*/", place.trim_end_matches('/')) };
        let flags = match (query.details, query.human) {
            (true, true) => "-ldh",
            (true, false) => "-ld",
            _ => "-d",
        };
        let order = match query.order {
            Some(Order { key: SortKey::Time, is_down: true }) => "t",
            Some(Order { key: SortKey::Time, is_down: false }) => "tr",
            _ => "",
        };
        let head = query.top.map(|top| format!(" | head -n {top}")).unwrap_or_default();
        let about = "lists the directories here".to_owned();
        let mut flat = query.clone();
        flat.reach = SearchDepth::Flat;
        let found = self.with(&flat).found().0;
        let mut all = vec![(format!("ls {flags}{order} {glob}{head}"), about.clone())];
        if query.with_hidden {
            all.insert(0, (found, about));
        }
        all
    }

    /// `find`, and the pipeline that turns its names into the answer.
    pub fn found(&self) -> ExplainedCommand {
        let query = self.query;
        let find = match (query.shape, query.what) {
            // The directory itself is not counted among its subdirectories.
            (OutputShape::Count, FileType::Directories | FileType::Both)
                if query.min_depth.is_none() && query.reach != SearchDepth::Flat =>
            {
                let mut below = query.clone();
                below.min_depth = Some(1);
                self.with(&below).find()
            }
            _ => self.find(),
        };
        let quiet = if query.quiet || query.roots.iter().any(|root| root == "/") { " 2>/dev/null" } else { "" };
        if query.shape == OutputShape::Count {
            let print = if find.contains(" -exec ") { " -print" } else { "" };
            return (format!("{find}{print}{quiet} | wc -l"), "counts the files".to_owned());
        }
        if let Some(order) = query.order {
            return (self.ordered(&find, quiet, order), "lists files in order".to_owned());
        }
        let head = query.top.map(|top| format!(" | head -n {top}")).unwrap_or_default();
        let about = "lists the files".to_owned();
        if query.details {
            let flags = match (query.human, query.what) {
                (_, FileType::Directories) => "-ldh",
                (true, _) => "-lh",
                (false, _) => "-l",
            };
            return (format!("{find} -exec ls {flags} {{}} +{quiet}{head}"), about);
        }
        if query.base_names {
            let names = match self.system() {
                ToolFlavor::Gnu => "-printf '%f\\n'",
                ToolFlavor::Bsd | ToolFlavor::Busybox => "-exec basename {} \\;",
            };
            return (format!("{find} {names}{quiet}{head}"), about);
        }
        // With -exec find prints nothing by itself.
        let runs = find.contains(" -exec ");
        let print = if runs { " -print" } else { "" };
        (format!("{find}{print}{quiet}{head}"), about)
    }

    fn ordered(&self, find: &str, quiet: &str, order: Order) -> String {
        let query = self.query;
        let head = match query.top {
            Some(top) if query.is_rest => format!(" | tail -n +{}", top.saturating_add(1)),
            Some(top) => format!(" | head -n {top}"),
            None => String::new(),
        };
        let down = if order.is_down { "r" } else { "" };
        let with_stamp = |gnu: &str, bsd: &str, busybox: &str| match self.system() {
            ToolFlavor::Gnu => format!("{find} -printf '{gnu}\\t%p\\n'{quiet}"),
            ToolFlavor::Bsd => format!("{find} -exec stat -f '{bsd}%t%N' {{}} +{quiet}"),
            ToolFlavor::Busybox => format!("{find} -exec stat -c '{busybox} %n' {{}} +{quiet}"),
        };
        let names = match self.system() {
            ToolFlavor::Gnu | ToolFlavor::Bsd => " | cut -f2-",
            ToolFlavor::Busybox => " | cut -d' ' -f2-",
        };
        match order.key {
            SortKey::Size => {
                let human =
                    if query.human && self.system() == ToolFlavor::Gnu { " | numfmt --field=1 --to=iec" } else { "" };
                let names = if query.base_names { names } else { human };
                format!("{} | sort -{down}n{head}{names}", with_stamp("%s", "%z", "%s"))
            }
            SortKey::Time => format!("{} | sort -{down}n{head}{names}", with_stamp("%T@", "%m", "%Y")),
            SortKey::Access => format!("{} | sort -{down}n{head}{names}", with_stamp("%A@", "%a", "%X")),
            SortKey::Name => {
                let flag = if order.is_down { " -r" } else { "" };
                format!("{find}{quiet} | sort{flag}{head}")
            }
            SortKey::Ending => {
                // Sorts by the ending, in a temporary first column.
                format!("{find}{quiet} | awk -F. '{{print $NF \" \" $0}}' | sort | cut -d' ' -f2-{head}")
            }
        }
    }

    /// Which files contain a text: plain grep when names are the only filter.
    fn holding(&self) -> ExplainedCommand {
        let query = self.query;
        let Some(text) = query.texts.first() else { return self.found() };
        let about = "names the files that hold the text".to_owned();
        let count = if query.shape == OutputShape::Count { " | wc -l" } else { "" };
        let letter = if text.is_negated { 'L' } else { 'l' };
        let case = self.grep_case();
        let by_grep = query.tests.is_empty()
            && query.order.is_none()
            && matches!(query.what, FileType::Files | FileType::Unsaid)
            && query.reach != SearchDepth::Flat
            && query.max_depth.is_none()
            && query.min_depth.is_none()
            && (self.system() != ToolFlavor::Busybox || query.names.is_empty())
            && query.also.is_empty()
            && query.names.iter().all(|name| !name.is_loose);
        if by_grep {
            let mut parts = vec![format!("grep -r{letter}{case}")];
            parts.extend(query.names.iter().map(|name| format!("--include={}", single(&name.glob))));
            parts.extend(query.not_names.iter().map(|name| format!("--exclude={}", single(&name.glob))));
            parts.extend(query.avoid.iter().map(|name| format!("--exclude-dir={}", self.path(name))));
            parts.push(pattern(&text.text));
            parts.push(self.roots());
            return (format!("{}{count}", parts.join(" ")), about);
        }
        let mut plain = query.clone();
        plain.texts.clear();
        let find = self.with(&plain).find();
        (format!("{find} -exec grep -{letter}{case} {} {{}} +{count}", pattern(&text.text)), about)
    }

    pub fn lines(&self) -> ExplainedCommand {
        let query = self.query;
        let flag = if query.shape == OutputShape::Lines { "-l" } else { "-w" };
        let find = self.find();
        if query.order.is_some() {
            let head = query.top.map(|top| format!(" | head -n {top}")).unwrap_or_default();
            // One file at a time, so that wc prints no total.
            return (format!("{find} -exec wc {flag} {{}} \\; | sort -rn{head}"), "counts in each file".to_owned());
        }
        if query.each {
            return (format!("{find} -exec wc {flag} {{}} +"), "counts in each file".to_owned());
        }
        (format!("{find} -exec cat {{}} + | wc {flag}"), "counts in all files together".to_owned())
    }

    pub fn holders(&self) -> ExplainedCommand {
        let find = self.find();
        let command = match self.system() {
            ToolFlavor::Gnu => format!("{find} -printf '%h\\n' | sort -u"),
            ToolFlavor::Bsd | ToolFlavor::Busybox => format!("{find} -exec dirname {{}} \\; | sort -u"),
        };
        (command, "names the directories that hold such files".to_owned())
    }
}

fn opposite(side: Comparison) -> Comparison {
    match side {
        Comparison::More | Comparison::AtLeast => Comparison::Less,
        Comparison::Less | Comparison::AtMost => Comparison::More,
        Comparison::Exactly => Comparison::Exactly,
    }
}

/// find rounds sizes up to the unit, so a bound from above is exact only in bytes.
fn size_test(side: Comparison, size: &Size) -> String {
    match side {
        Comparison::More => format!("-size +{}", size.spelled),
        Comparison::AtLeast => format!("-size +{}c", size.bytes.saturating_sub(1)),
        Comparison::Less => format!("-size -{}c", size.bytes),
        Comparison::AtMost => format!("-size -{}c", size.bytes.saturating_add(1)),
        Comparison::Exactly => format!("-size {}c", size.bytes),
    }
}

/// A text as grep's pattern; `-e` keeps one with a leading dash from being read as a flag.
pub fn pattern(text: &str) -> String {
    let flag = if text.starts_with('-') { "-e " } else { "" };
    format!("{flag}{}", single(text))
}
