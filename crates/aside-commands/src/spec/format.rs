//! Parses the text of a spec: docs/specs.md is the reference. Reports what is wrong and where, and keeps the rest. Does
//! not know where a text comes from.

use std::fmt;
use std::sync::Arc;

use aside_text as text;
use toml_edit::{Document, Item, Key, TableLike};

use crate::spec::kind::{self, ArgKind, ArgKinds, FreeText};

/// A larger text is a mistake: no spec of a single command has this size.
const MAX_BYTES: usize = 1 << 20;
/// Nesting of subcommands.
const MAX_DEPTH: usize = 8;
/// Problems of one text that are reported.
const MAX_PROBLEMS: usize = 50;

/// What a command or a subcommand takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    pub about: Box<str>,
    /// Other names of the same command.
    pub aliases: Vec<Box<str>>,
    /// The usual subcommands first, then the others in the order of the text.
    pub subs: Vec<Sub>,
    /// How many of `subs` are the usual ones.
    pub common: usize,
    pub flags: Vec<Arc<Flag>>,
    pub args: Args,
    /// The arguments after a bare `--`, where they are different.
    pub after_dashes: Option<Args>,
    /// The number of the argument, from 1, at which another command line begins.
    pub command_at: Option<usize>,
    pub style: Style,
    /// Its flags come only before the subcommand, or before the first argument.
    pub flags_first: bool,
    /// There are no other subcommands than these: no plugins, no aliases.
    pub closed: bool,
    /// A subcommand of an add-on that may not be installed: recognized, but not offered.
    pub addon: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Sub {
    pub name: Box<str>,
    pub spec: Arc<Spec>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flag {
    /// With their dashes, in the order of the text.
    pub names: Vec<Box<str>>,
    pub about: Box<str>,
    pub takes: Option<Takes>,
    /// May be given repeatedly.
    pub repeats: bool,
    /// Its value is the directory in which the command works.
    pub moves: bool,
    /// The arguments of the command when this flag is given, where they are different.
    pub args: Option<Args>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Takes {
    pub kinds: ArgKinds,
    /// Only as `--flag=value`; `--flag value` is a flag and an argument.
    pub optional: bool,
    /// The words from here to `;` or `+` are another command line.
    pub command: bool,
}

/// The arguments other than flags, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args {
    kinds: Vec<ArgKinds>,
    /// The last one may repeat.
    pub repeats: bool,
}

/// How flags are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// `-a`, `--all`, `-abc` for three flags.
    #[default]
    Dash,
    /// `-name` is one flag.
    Single,
    /// `if=FILE`, `tar xf`.
    Bare,
}

/// A problem in a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl Spec {
    pub fn sub(&self, name: &str) -> Option<&Sub> {
        let by_name = self.subs.iter().find(|sub| &*sub.name == name);
        by_name.or_else(|| self.subs.iter().find(|sub| sub.spec.aliases.iter().any(|alias| &**alias == name)))
    }

    pub fn flag(&self, name: &str) -> Option<&Arc<Flag>> {
        self.flags.iter().find(|flag| flag.is(name))
    }
}

impl Flag {
    pub fn is(&self, name: &str) -> bool {
        self.names.iter().any(|known| &**known == name)
    }
}

impl Args {
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &ArgKinds> {
        self.kinds.iter()
    }

    /// What the argument with this index, from 0, may be.
    pub fn at(&self, number: usize) -> &[ArgKind] {
        let last = self.kinds.last().filter(|_| self.repeats);
        self.kinds.get(number).or(last).map_or(&[], Vec::as_slice)
    }
}

/// What could be parsed, or `None` if the syntax is wrong; and all problems.
pub fn parse(file: &str, text: &str) -> (Option<Spec>, Vec<Problem>) {
    let mut reader = Reader { file, text, problems: Vec::new() };
    if text.len() > MAX_BYTES {
        reader.complain(0, format!("is larger than {MAX_BYTES} bytes"));
        return (None, reader.problems);
    }
    let spec = match Document::parse(text) {
        Ok(document) => Some(reader.spec(document.as_table(), Style::default(), 0)),
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            reader.complain(offset, error.message().trim().replace('\n', ", "));
            None
        }
    };
    reader.problems.sort_by_key(|problem| problem.line);
    (spec, reader.problems)
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// `style` is that of the parent command.
    fn spec(&mut self, table: &dyn TableLike, style: Style, depth: usize) -> Spec {
        let mut spec = Spec { style, ..Spec::default() };
        let mut common = Vec::new();
        // Flags depend on the style, which may stand below them.
        if let Some((key, item)) = table.get_key_value("style") {
            spec.style = self.style(key, item).unwrap_or(style);
        }
        for (key, item) in entries(table) {
            match key.get() {
                "about" => spec.about = self.about(key, item),
                "aliases" => spec.aliases = self.names(key, item),
                "common" => common = self.names(key, item),
                "args" => spec.args = self.args(key, item),
                "after_dashes" => spec.after_dashes = Some(self.args(key, item)),
                "command_at" => spec.command_at = self.number(key, item),
                "style" => {}
                "flags_first" => spec.flags_first = self.yes(key, item),
                "closed" => spec.closed = self.yes(key, item),
                "addon" => spec.addon = self.yes(key, item),
                "flags" => spec.flags = self.flags(key, item, spec.style),
                "sub" => spec.subs = self.subs(key, item, spec.style, depth),
                other => self.complain_at(
                    key,
                    format!(
                        "unknown key {other}: there are about, aliases, common, args, after_dashes, command_at, style, \
                         flags_first, closed, addon, flags and sub"
                    ),
                ),
            }
        }
        for (place, name) in common.iter().enumerate() {
            let found = spec.subs.iter().position(|sub| sub.name == *name);
            match found {
                Some(at) if at >= place && place == spec.common => {
                    spec.subs[place..=at].rotate_right(1);
                    spec.common += 1;
                }
                _ => {
                    let key = table.key("common");
                    let message = format!("common has {name}, which is no subcommand or is there twice");
                    self.complain(key.and_then(Key::span).map_or(0, |span| span.start), message);
                    break;
                }
            }
        }
        spec
    }

    fn subs(&mut self, key: &Key, item: &Item, style: Style, depth: usize) -> Vec<Sub> {
        let Some(table) = item.as_table_like() else {
            self.complain_at(key, "sub must be a section of subcommands, such as [sub.add]");
            return Vec::new();
        };
        if depth >= MAX_DEPTH {
            self.complain_at(key, format!("subcommands nest deeper than {MAX_DEPTH}"));
            return Vec::new();
        }
        let mut subs: Vec<Sub> = Vec::new();
        for (key, item) in entries(table) {
            let name = key.get();
            match item.as_table_like() {
                _ if !is_name(name) => self.complain_at(key, format!("{name:?} cannot be the name of a subcommand")),
                None => self.complain_at(key, format!("sub.{name} must be a section")),
                Some(table) => {
                    let spec = Arc::new(self.spec(table, style, depth + 1));
                    subs.push(Sub { name: name.into(), spec });
                }
            }
        }
        subs
    }

    fn flags(&mut self, key: &Key, item: &Item, style: Style) -> Vec<Arc<Flag>> {
        let Some(table) = item.as_table_like() else {
            self.complain_at(key, "flags must be a section of flags");
            return Vec::new();
        };
        let mut flags: Vec<Arc<Flag>> = Vec::new();
        for (key, item) in entries(table) {
            let mut flag = Flag::default();
            for name in key.get().split(',').map(str::trim) {
                // The user types `if=`; the name is `if`.
                let name = if style == Style::Bare { name.strip_suffix('=').unwrap_or(name) } else { name };
                let dashed = name.len() > 1 && name.starts_with(['-', '+']);
                if !is_name(name) || name == "--" || name.contains('=') || (!dashed && style != Style::Bare) {
                    self.complain_at(key, format!("{name:?} cannot be the name of a flag"));
                } else if flags.iter().map(|flag| &**flag).chain([&flag]).any(|flag| flag.is(name)) {
                    self.complain_at(key, format!("{name} is there twice"));
                } else {
                    flag.names.push(name.into());
                }
            }
            self.flag(key, item, &mut flag);
            if !flag.names.is_empty() {
                flags.push(Arc::new(flag));
            }
        }
        flags
    }

    fn flag(&mut self, key: &Key, item: &Item, flag: &mut Flag) {
        let Some(table) = item.as_table_like() else {
            flag.about = self.about(key, item);
            return;
        };
        for (key, item) in entries(table) {
            match key.get() {
                "about" => flag.about = self.about(key, item),
                "takes" => {
                    self.complain_unless_string(key, item);
                    let (kinds, more) = self.kinds(key, item, item.as_str().unwrap_or("text"));
                    let command = more && kinds == [ArgKind::Command];
                    if more && !command {
                        self.complain_at(key, "only command... can go on in takes");
                    }
                    flag.takes = Some(Takes { kinds, optional: false, command });
                }
                "args" => flag.args = Some(self.args(key, item)),
                "optional" | "repeats" | "moves" => {}
                other => self.complain_at(
                    key,
                    format!("unknown key {other} of a flag: there are about, takes, args, optional, repeats and moves"),
                ),
            }
        }
        let mut yes = |name| table.get_key_value(name).is_some_and(|(key, item)| self.yes(key, item));
        let optional = yes("optional");
        flag.repeats = yes("repeats");
        flag.moves = yes("moves");
        match &mut flag.takes {
            Some(takes) => takes.optional = optional,
            None if optional || flag.moves => {
                self.complain_at(key, "optional and moves are about a value: say takes too")
            }
            None => {}
        }
    }

    fn args(&mut self, key: &Key, item: &Item) -> Args {
        let mut args = Args::default();
        for (text, item) in self.strings(key, item) {
            if args.repeats {
                self.complain_at(key, "only the last argument can go on with ...");
                break;
            }
            let (kinds, more) = self.kinds(key, item, text);
            args.kinds.push(kinds);
            args.repeats = more;
        }
        args
    }

    /// Also returns whether `...` follows. An unknown kind accepts anything, so that the words after it keep their
    /// positions.
    fn kinds(&mut self, key: &Key, item: &Item, text: &str) -> (ArgKinds, bool) {
        let (text, more) = text.strip_suffix("...").map_or((text, false), |text| (text, true));
        let wrong = match kind::parse(text) {
            Ok(kinds) if text::is_clean(text) => return (kinds, more),
            Ok(_) => "has characters that a terminal must not get".to_owned(),
            Err(part) => format!("unknown kind {part:?}"),
        };
        let offset = item.span().or_else(|| key.span()).map_or(0, |span| span.start);
        self.complain(offset, wrong);
        (vec![ArgKind::Free(FreeText::Text)], more)
    }

    fn about(&mut self, key: &Key, item: &Item) -> Box<str> {
        let text = item.as_str().unwrap_or_default();
        self.complain_unless_string(key, item);
        if text::is_clean(text) && !text.contains(['\n', '\t']) {
            return text.into();
        }
        self.complain_at(key, "a description is one line of plain text");
        text::clean(text).replace(['\n', '\t'], " ").into()
    }

    fn names(&mut self, key: &Key, item: &Item) -> Vec<Box<str>> {
        let mut names = Vec::new();
        for (name, _) in self.strings(key, item) {
            if is_name(name) {
                names.push(name.into());
            } else {
                self.complain_at(key, format!("{name:?} cannot be a name"));
            }
        }
        names
    }

    fn strings<'i>(&mut self, key: &Key, item: &'i Item) -> Vec<(&'i str, &'i Item)> {
        let array = item.as_array();
        let strings: Option<Vec<&str>> = array.map(|array| array.iter().filter_map(|value| value.as_str()).collect());
        match strings {
            Some(strings) if array.is_some_and(|array| array.len() == strings.len()) => {
                strings.into_iter().map(|string| (string, item)).collect()
            }
            _ => {
                self.complain_at(key, format!("{} must be a list of texts", key.get()));
                Vec::new()
            }
        }
    }

    fn number(&mut self, key: &Key, item: &Item) -> Option<usize> {
        let number = item.as_integer().and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0);
        if number.is_none() {
            self.complain_at(key, format!("{} must be a number from 1", key.get()));
        }
        number
    }

    fn yes(&mut self, key: &Key, item: &Item) -> bool {
        item.as_bool().unwrap_or_else(|| {
            self.complain_at(key, format!("{} must be true or false", key.get()));
            false
        })
    }

    fn style(&mut self, key: &Key, item: &Item) -> Option<Style> {
        match item.as_str() {
            Some("dash") => Some(Style::Dash),
            Some("single") => Some(Style::Single),
            Some("bare") => Some(Style::Bare),
            _ => {
                self.complain_at(key, "style must be \"dash\", \"single\" or \"bare\"");
                None
            }
        }
    }

    fn complain_unless_string(&mut self, key: &Key, item: &Item) {
        if item.as_str().is_none() {
            self.complain_at(key, format!("{} must be a text", key.get()));
        }
    }

    fn complain_at(&mut self, key: &Key, message: impl Into<String>) {
        self.complain(key.span().map_or(0, |span| span.start), message.into());
    }

    fn complain(&mut self, offset: usize, message: String) {
        if self.problems.len() < MAX_PROBLEMS {
            let before = &self.text.as_bytes()[..offset.min(self.text.len())];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
            self.problems.push(Problem { file: self.file.to_owned(), line, message });
        }
    }
}

/// One word that is unambiguous without quotes.
fn is_name(name: &str) -> bool {
    !name.is_empty() && text::is_clean(name) && !name.contains(char::is_whitespace)
}

fn entries(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    /// A compact form of a spec, one row for a command and each of its parts.
    fn show(text: &str) -> String {
        let (spec, problems) = parse("x.toml", text);
        let mut rows: Vec<String> = problems.iter().map(ToString::to_string).collect();
        if let Some(spec) = spec {
            rows_of("x", &spec, &mut rows);
        }
        rows.join("\n")
    }

    fn rows_of(name: &str, spec: &Spec, rows: &mut Vec<String>) {
        let args: Vec<usize> = spec.args.iter().map(Vec::len).collect();
        rows.push(format!("{name}: {:?} args {args:?} common {}", spec.style, spec.common));
        for flag in &spec.flags {
            rows.push(format!("  {}: {}", flag.names.join(" "), flag.about));
        }
        for sub in &spec.subs {
            rows_of(&format!("{name} {}", sub.name), &sub.spec, rows);
        }
    }

    #[test]
    fn reads_everything_that_the_format_has() {
        let text = r#"
            about = "do things"
            aliases = ["y"]
            common = ["b", "c"]
            args = ["git-branch or path", "path..."]
            after_dashes = ["command"]
            command_at = 2
            style = "single"
            flags_first = true
            closed = true
            [flags]
            "-v, -verbose" = "say more"
            "-C" = { takes = "directory", about = "there", moves = true }
            "-color" = { takes = "auto|never", about = "colours", optional = true, repeats = true }
            [sub.a]
            [sub.b]
            args = ["new"]
            [sub.c.sub.d]
            style = "dash"
            [sub.c.sub.d.flags]
            "-x" = "the x"
        "#;
        assert_snapshot!(show(text), @r"
        x: Single args [2, 1] common 2
          -v -verbose: say more
          -C: there
          -color: colours
        x b: Single args [1] common 0
        x c: Single args [] common 0
        x c d: Dash args [] common 0
          -x: the x
        x a: Single args [] common 0
        ");
        let spec = parse("x.toml", text).0.unwrap();
        assert!(spec.flags_first && spec.closed && spec.flags[1].moves && spec.flags[2].repeats);
        assert!(spec.flags[2].takes.as_ref().unwrap().optional);
        assert_eq!(spec.after_dashes.unwrap().at(0), [ArgKind::Command]);
        assert_eq!(spec.args.at(7), [ArgKind::Path]);
    }

    #[test]
    fn says_what_is_wrong_and_keeps_the_rest() {
        let text = r#"about = 1
abuot = "x"
args = ["path...", "bush"]
after_dashes = ["bush"]
common = ["a", "z"]
command_at = 0
style = "odd"
closed = "yes"
[flags]
"-a, -a" = "twice"
"v" = "no dash"
"-b" = { takes = "bush", repeats = 1, foo = 2 }
"-c" = { optional = true }
"-d" = "bad \u001b[31m"
"-e" = { takes = "path..." }
[sub]
x = 1
"a b" = {}
[sub.a]
"#;
        assert_snapshot!(show(text), @r#"
        x.toml:1: about must be a text
        x.toml:2: unknown key abuot: there are about, aliases, common, args, after_dashes, command_at, style, flags_first, closed, addon, flags and sub
        x.toml:3: only the last argument can go on with ...
        x.toml:4: unknown kind "bush"
        x.toml:5: common has z, which is no subcommand or is there twice
        x.toml:6: command_at must be a number from 1
        x.toml:7: style must be "dash", "single" or "bare"
        x.toml:8: closed must be true or false
        x.toml:10: -a is there twice
        x.toml:11: "v" cannot be the name of a flag
        x.toml:12: unknown kind "bush"
        x.toml:12: unknown key foo of a flag: there are about, takes, args, optional, repeats and moves
        x.toml:12: repeats must be true or false
        x.toml:13: optional and moves are about a value: say takes too
        x.toml:14: a description is one line of plain text
        x.toml:15: only command... can go on in takes
        x.toml:17: sub.x must be a section
        x.toml:18: "a b" cannot be the name of a subcommand
        x: Dash args [1] common 1
          -a: twice
          -b: 
          -c: 
          -d: bad [31m
          -e: 
        x a: Dash args [] common 0
        "#);
    }

    #[test]
    fn a_syntax_error_leaves_nothing() {
        assert_snapshot!(show("about = \"x\"\nargs = [\n"), @"x.toml:2: unclosed array, expected `]`");
    }
}
