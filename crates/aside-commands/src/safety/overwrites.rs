//! Finds files that a command overwrites, and whether something is lost. Nothing is lost where the world knows that a file does not exist;
//! without a world, every certain write counts as overwriting. Which flags and words name a file is data (`data/safety/outputs.toml`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use shell_line::{Redirect, Word};

use crate::safety::code;
use crate::safety::database_clients;
use crate::safety::known_output::{self, TEMPORARY};
use crate::safety::nested_commands::{NestedCommand, RunsWhere, is_flag};
use crate::safety::rules::has_flag;
use crate::safety::startup;
use crate::safety::target::{self, WriteTarget};
use crate::safety::toml_table;
use crate::safety::wrappers::{self, InnerCommand};
use crate::safety::{Danger, Harm};
use crate::world::{DirEntry, Fact, FileKind, World};

const TABLE: &str = include_str!("../../data/safety/outputs.toml");

/// Entries of a directory that are searched linearly.
const MAX_SHORT: usize = 64;
/// Directories above this one that may hold the project.
const MAX_PARENTS: usize = 8;
/// What makes a word a pattern.
const ANY: [char; 3] = ['*', '?', '['];

/// What is known about the machine: nothing, or where the line would run and which files exist.
#[derive(Clone, Copy)]
pub struct WorldView<'w> {
    pub world: Option<&'w dyn World>,
    pub cwd: &'w str,
}

#[derive(Default)]
struct Output {
    sub: Vec<String>,
    /// Flags whose value is the file.
    flags: Vec<String>,
    /// Flags whose value is the directory that the operands go to.
    into: Vec<String>,
    /// With one of these a file is not overwritten.
    careful: Vec<String>,
    /// Without one of these a file is not overwritten.
    needs: Vec<String>,
    /// Flags that take the next word.
    values: Vec<String>,
    operands: Operands,
    certain: bool,
}

/// Which words are files that are written.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Operands {
    #[default]
    None,
    /// The last of several; if it is a directory, the files in it with the names given before.
    Last,
    All,
    Second,
    First,
    /// They are addresses: each gives a file of its own name here.
    Names,
}

static OUTPUTS: LazyLock<HashMap<String, Vec<Output>>> = LazyLock::new(|| read(TABLE));

fn read(table: &str) -> HashMap<String, Vec<Output>> {
    let mut outputs: HashMap<String, Vec<Output>> = HashMap::new();
    for row in toml_table::rows(table, "output") {
        for command in row.list("command") {
            outputs.entry(command).or_default().push(Output {
                sub: row.list("sub"),
                flags: row.list("flags"),
                into: row.list("into"),
                careful: row.list("careful"),
                needs: row.list("needs"),
                values: row.list("values"),
                operands: match row.text("operands").as_deref() {
                    Some("last") => Operands::Last,
                    Some("all") => Operands::All,
                    Some("second") => Operands::Second,
                    Some("first") => Operands::First,
                    Some("names") => Operands::Names,
                    _ => Operands::None,
                },
                certain: row.is("certain"),
            });
        }
    }
    outputs
}

/// One file that is written.
struct Write {
    path: String,
    fixed: bool,
    span: Range<usize>,
    how: How,
    /// The pattern that the names of the written files come from.
    source: Option<String>,
}

impl Write {
    fn new(word: &Word, path: &str, span: Range<usize>, how: How) -> Self {
        Write { path: path.to_owned(), fixed: word.fixed, span, how, source: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The old contents are lost.
    Certainly,
    /// Like `Certainly`, and that is its only purpose: `: > x`.
    Empties,
    /// Reported only where the file is known to exist.
    Maybe,
    /// Appends.
    Adds,
}

/// What is lost by the files that a command writes.
pub fn dangers(run: &NestedCommand, feeding: Option<&NestedCommand>, view: WorldView<'_>, found: &mut Vec<Danger>) {
    let mut writes = writes(run);
    for given in searched(run, feeding) {
        outputs(&given, &mut writes);
    }
    for write in writes {
        if let Some(harm) = harm(&write, run, view) {
            found.push(Danger { harm, span: write.span.clone() });
        }
        let path = target::joined(run.directory.as_deref(), &write.path);
        if !is_remote(&path) && startup::runs_later(&path, &text(run)) {
            found.push(Danger { harm: Harm::RunsLater, span: write.span });
        }
    }
}

fn writes(run: &NestedCommand) -> Vec<Write> {
    let mut writes = Vec::new();
    for redirection in run.redirections.iter().filter(|_| !run.is_inner) {
        let Some(target) = &redirection.target else { continue };
        let how = match redirection.kind {
            Redirect::Write if empties(run) => How::Empties,
            Redirect::Write => How::Certainly,
            Redirect::Append => How::Adds,
            _ => continue,
        };
        let span = redirection.span.clone();
        writes.push(Write::new(target, &target.value, span, how));
    }
    let read = code::reading(run).files.into_iter().chain(database_clients::reading(run).files);
    writes.extend(read.map(|path| Write {
        fixed: !path.contains(['*', '$', '{']),
        path,
        span: run.span(),
        how: How::Certainly,
        source: None,
    }));
    outputs(run, &mut writes);
    writes
}

/// `: > x`, `cat /dev/null > x`, `> x`
fn empties(run: &NestedCommand) -> bool {
    let words: Vec<&str> = run.words.iter().map(|word| word.value.as_str()).collect();
    matches!(
        words.as_slice(),
        [] | [":" | "true"] | ["cat", "/dev/null"] | ["echo" | "printf", "" | "-n"] | ["echo"] | ["echo", "-n", ""]
    )
}

/// Files that flags and words name.
fn outputs(run: &NestedCommand, writes: &mut Vec<Write>) {
    let arguments = run.arguments();
    let known = OUTPUTS.get(run.name()).map(Vec::as_slice).unwrap_or_default();
    for output in known {
        output.find(run, writes);
    }
    source_overwritten(run, writes);
    if run.name() == "tee" && has_flag(arguments, &["-a", "--append"]) {
        let files = arguments.iter().filter(|word| !is_flag(&word.value));
        writes.extend(files.map(|word| Write::new(word, &word.value, run.span(), How::Adds)));
    }
    if !known.is_empty() || run.name().is_empty() {
        return;
    }
    // Common names of output flags, for any program; reported only where the file exists.
    const OUTPUTS_OF_ANY: [&str; 7] = ["-o", "--output", "--out", "--outfile", "--output-file", "-out", "--out-file"];
    for (at, word) in arguments.iter().enumerate() {
        let glued = word.value.split_once('=').filter(|(flag, _)| OUTPUTS_OF_ANY.contains(flag));
        let next = arguments.get(at + 1).filter(|_| OUTPUTS_OF_ANY.contains(&word.value.as_str()));
        let path = glued.map(|(_, path)| path).or(next.map(|next| next.value.as_str()));
        if let Some(path) = path {
            let fixed = next.map_or(word.fixed, |next| next.fixed);
            writes.push(Write { fixed, ..Write::new(word, path, run.span(), How::Maybe) });
        }
    }
}

/// What a search runs on all that it finds, with the pattern of the found names in their place: `find . -name '*.x' -exec cp {} d \;`.
fn searched(run: &NestedCommand, feeding: Option<&NestedCommand>) -> Vec<NestedCommand> {
    let search = match run.name() {
        "find" | "fd" | "fdfind" => run,
        "xargs" | "parallel" => match feeding.filter(|search| matches!(search.name(), "find" | "fd" | "fdfind")) {
            Some(search) => search,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let pattern = search.arguments().windows(2).find_map(|pair| match pair[0].value.as_str() {
        "-name" | "-iname" => Some(pair[1].value.clone()),
        "-e" | "--extension" => Some(format!("*.{}", pair[1].value)),
        _ => None,
    });
    let pattern = format!("**/{}", pattern.as_deref().unwrap_or("*"));
    let given = wrappers::given_commands(run).into_iter().filter_map(|inner| {
        let InnerCommand::Command { words, more, .. } = inner else { return None };
        let words = run.words.get(words)?.iter().skip_while(|word| word.value == "sudo");
        let name = |value: &str| Word { span: run.span(), value: value.to_owned(), fixed: false };
        let all = more.then(|| name(&pattern)).into_iter();
        let words = words.map(|word| if word.value == "{}" { name(&pattern) } else { word.clone() }).chain(all);
        Some(NestedCommand { words: words.collect(), redirections: Vec::new(), ..run.clone() })
    });
    given.collect()
}

/// `gcc -o main.c`: a compiler may overwrite its earlier output, but hardly a source.
fn source_overwritten(run: &NestedCommand, writes: &mut Vec<Write>) {
    const COMPILERS: [&str; 9] = ["gcc", "cc", "g++", "c++", "clang", "clang++", "rustc", "gfortran", "go"];
    const SOURCES: [&str; 10] = [".c", ".h", ".cpp", ".cc", ".hpp", ".rs", ".go", ".f90", ".java", ".py"];
    if !COMPILERS.contains(&run.name()) {
        return;
    }
    let arguments = run.arguments();
    for (at, word) in arguments.iter().enumerate() {
        let file = match word.value.strip_prefix("-o") {
            Some("") => arguments.get(at + 1),
            Some(_) => Some(word),
            None => None,
        };
        let Some(file) = file.filter(|file| SOURCES.iter().any(|ending| file.value.ends_with(ending))) else {
            continue;
        };
        let path = file.value.strip_prefix("-o").unwrap_or(&file.value);
        writes.push(Write::new(file, path, run.span(), How::Maybe));
    }
}

impl Output {
    fn find(&self, run: &NestedCommand, writes: &mut Vec<Write>) {
        let arguments = run.arguments();
        let plain = self.plain(arguments);
        let mut rest = plain.as_slice();
        if !self.sub.is_empty() {
            let Some((first, behind)) = rest.split_first() else { return };
            if !self.sub.contains(&first.value) {
                return;
            }
            rest = behind;
        }
        let has = |flags: &[String]| has_flag(arguments.iter(), flags);
        if has(&self.careful) || !self.needs.is_empty() && !has(&self.needs) {
            return;
        }
        let how = if self.certain { How::Certainly } else { How::Maybe };
        let span = run.span();
        let mut add = |word: &Word, path: &str| writes.push(Write::new(word, path, span.clone(), how));
        Self::flag_values(&self.flags, arguments, &mut add);
        match self.operands {
            Operands::None => {}
            Operands::All => rest.iter().for_each(|word| add(word, &word.value)),
            Operands::First => rest.first().into_iter().for_each(|word| add(word, &word.value)),
            Operands::Second => rest.get(1).into_iter().for_each(|word| add(word, &word.value)),
            Operands::Names => {
                for word in rest {
                    let path = word.value.split(['?', '#']).next().unwrap_or_default();
                    let path = path.split_once("://").map_or(path, |(_, path)| path);
                    path.rsplit_once('/').into_iter().for_each(|(_, name)| add(word, name));
                }
            }
            Operands::Last => {
                let Some((target, sources)) = rest.split_last().filter(|(_, sources)| !sources.is_empty()) else {
                    return;
                };
                add(target, &target.value);
                // `convert "$f" "$f"`
                if sources.iter().any(|source| source.value == target.value) {
                    writes.push(Write::new(target, &target.value, span.clone(), How::Empties));
                }
                writes.extend(copies(target, &target.value, sources, run));
            }
        }
        Self::flag_values(&self.into, arguments, &mut |word, path| writes.extend(copies(word, path, rest, run)));
    }

    /// The values of flags.
    fn flag_values<'w>(flags: &[String], arguments: &'w [Word], add: &mut impl FnMut(&'w Word, &'w str)) {
        for (at, word) in arguments.iter().enumerate() {
            for flag in flags {
                let mut next = || arguments.get(at + 1).into_iter().for_each(|next| add(next, &next.value));
                match word.value.strip_prefix(flag.as_str()) {
                    Some("") => next(),
                    // `--output=x`, `of=x`
                    Some(glued) if flag.ends_with('=') => add(word, glued),
                    Some(glued) if glued.starts_with('=') => add(word, glued.get(1..).unwrap_or_default()),
                    // `-ox`
                    Some(glued) if flag.len() == 2 => add(word, glued),
                    _ => match in_cluster(&word.value, flag) {
                        // `-sLo x`, `-sLox`
                        Some("") => next(),
                        Some(glued) => add(word, glued),
                        None => {}
                    },
                }
            }
        }
    }

    fn plain<'w>(&self, arguments: &'w [Word]) -> Vec<&'w Word> {
        let mut plain = Vec::new();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if [&self.values, &self.flags, &self.into].iter().any(|flags| flags.contains(&word.value)) {
                words.next();
            } else if word.value == "--" {
                plain.extend(words);
                break;
            } else if !is_flag(&word.value) {
                plain.push(word);
            }
        }
        plain
    }
}

/// The files of a directory that get the names of the sources.
fn copies(word: &Word, directory: &str, sources: &[&Word], run: &NestedCommand) -> Vec<Write> {
    let copy = |source: &&Word| {
        let name = source.value.trim_end_matches('/').rsplit('/').next()?;
        let (name, from) = match name {
            // `cp -r a/. b`
            "." => ("*", format!("{}/*", source.value)),
            name => (name, source.value.clone()),
        };
        let fixed = word.fixed && source.fixed && name != "*";
        let path = format!("{directory}/{name}");
        Some(Write { fixed, source: Some(from), ..Write::new(word, &path, run.span(), How::Maybe) })
    };
    sources.iter().filter_map(copy).collect()
}

/// The text after a flag's letter in a cluster of short flags.
fn in_cluster<'w>(word: &'w str, flag: &str) -> Option<&'w str> {
    let letter = flag.strip_prefix('-').filter(|letter| letter.len() == 1)?;
    let cluster = word.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'))?;
    let (before, behind) = cluster.split_once(letter)?;
    (before.len() < 5 && before.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(behind)
}

fn harm(write: &Write, run: &NestedCommand, view: WorldView<'_>) -> Option<Harm> {
    let path = target::joined(run.directory.as_deref(), &write.path);
    match target::write_target(&path) {
        WriteTarget::Nowhere => return None,
        WriteTarget::Disk => return Some(Harm::RawDisk),
        WriteTarget::Kernel => return Some(Harm::TakesDown),
        WriteTarget::Setting => return Some(Harm::Unprotects),
        WriteTarget::File => {}
    }
    if path.starts_with(TEMPORARY) || path.is_empty() || path == "-" {
        return None;
    }
    if is_remote(&path) && write.how == How::Maybe {
        let there = path.split_once(':').is_some_and(|(_, there)| target::is_valuable(there) && !there.ends_with('/'));
        return there.then_some(Harm::Overwrites);
    }
    if write.how != How::Maybe && (target::is_access_file(&path) || path.starts_with("/etc/") && text_unprotects(run)) {
        return Some(Harm::Unprotects);
    }
    if write.how == How::Adds {
        return None;
    }
    let lost = match view.state(&path, write, run) {
        State::There => true,
        State::NotThere => false,
        // Nothing is known: certain writes count.
        State::Unasked => write.how != How::Maybe,
        State::Unknown => {
            let program = path.starts_with("/usr/") || path.starts_with("/bin/") || path.starts_with("/sbin/");
            let valuable = target::is_valuable(&path) && !(write.how == How::Maybe && program);
            write.how == How::Empties
                || valuable
                || run.place == RunsWhere::Elsewhere
                    && write.how == How::Certainly
                    && path.starts_with(['/', '~'])
                    && !path.starts_with("/tmp/")
                    && write.fixed
        }
    };
    lost.then_some(Harm::Overwrites)
}

/// Settings that weaken a machine's protection, as its files spell them.
fn text_unprotects(run: &NestedCommand) -> bool {
    const SETTINGS: [&str; 10] = [
        "permitrootlogin yes",
        "permitemptypasswords yes",
        "passwordauthentication yes",
        "nopasswd",
        "selinux=disabled",
        "selinux=permissive",
        " trust",
        "no_root_squash",
        "allowusers *",
        "trusted=yes",
    ];
    let text = text(run).to_lowercase();
    SETTINGS.iter().any(|setting| text.contains(setting))
}

/// What it writes, as far as the line tells.
fn text(run: &NestedCommand) -> String {
    known_output::output(run).unwrap_or_else(|| run.fed.join("\n"))
}

/// `host:path`, `s3://…`
fn is_remote(path: &str) -> bool {
    path.contains("://") || path.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    There,
    NotThere,
    /// Only the shell knows the name, or the machine does not tell.
    Unknown,
    /// There is no world to ask, or it has no answer yet.
    Unasked,
}

impl WorldView<'_> {
    fn state(&self, path: &str, write: &Write, run: &NestedCommand) -> State {
        let Some(world) = self.world else { return State::Unasked };
        if run.place == RunsWhere::Elsewhere {
            return State::Unknown;
        }
        let Some(path) = self.absolute(world, path, write.fixed) else { return State::Unknown };
        let Some((directory, name)) = path.rsplit_once('/') else { return State::Unknown };
        let entries = match world.entries(if directory.is_empty() { "/" } else { directory }) {
            Fact::Yes(entries) => entries,
            Fact::No => return State::Unknown,
            Fact::NotYet => return State::Unasked,
        };
        let file = |entry: &DirEntry| matches!(entry.kind, FileKind::File | FileKind::Program);
        if !write.fixed && name.contains(ANY) {
            let from = write.source.as_deref().map(|source| target::joined(run.directory.as_deref(), source));
            let from = from.and_then(|from| self.absolute(world, &from, false));
            let from = from.as_deref().and_then(|from| from.rsplit_once('/')).map(|(from, _)| world.entries(from));
            let given = |entry: &DirEntry| match (&write.source, &from) {
                (None, _) => run.arguments().iter().all(|word| word.value != *entry.name),
                (Some(_), Some(Fact::Yes(sources))) => named(sources, &entry.name).is_some_and(file),
                // Where a search finds them is unknown.
                (Some(_), _) => true,
            };
            let fits = |entry: &DirEntry| file(entry) && fits(&entry.name, name) && given(entry);
            return if entries.iter().any(fits) { State::There } else { State::NotThere };
        }
        if named(&entries, name).is_some_and(file) { State::There } else { State::NotThere }
    }

    /// Whether a project that holds this directory has installed a program.
    pub fn is_installed(&self, run: &NestedCommand, name: &str) -> bool {
        let here = self.world.and_then(|world| {
            Some((world, self.absolute(world, run.directory.as_deref().unwrap_or(self.cwd), false)?))
        });
        let Some((world, here)) = here else { return false };
        std::path::Path::new(&here).ancestors().take(MAX_PARENTS).any(|directory| {
            let programs = directory.join("node_modules/.bin");
            let entries = programs.to_str().map(|programs| world.entries(programs));
            matches!(entries, Some(Fact::Yes(entries)) if named(&entries, name).is_some())
        })
    }

    /// The path from the root. None where only the shell knows it.
    fn absolute(&self, world: &dyn World, path: &str, fixed: bool) -> Option<String> {
        let home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| path.strip_prefix(home)).filter(|_| !fixed);
        let path = match home {
            Some(rest) => format!("{}/{rest}", world.home()),
            None if path.starts_with('/') => path.to_owned(),
            None => format!("{}/{path}", self.cwd),
        };
        let known = fixed || !path.contains(['$', '`', '(']);
        known.then(|| target::resolved(&path).into_owned())
    }
}

fn named<'e>(entries: &'e [DirEntry], name: &str) -> Option<&'e DirEntry> {
    let found = entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok().and_then(|at| entries.get(at));
    // A short list need not be sorted.
    found.or_else(|| entries.iter().take(MAX_SHORT).find(|entry| *entry.name == *name))
}

/// Whether a name begins and ends as the pattern does.
fn fits(name: &str, pattern: &str) -> bool {
    let (Some(first), Some(last)) = (pattern.find(ANY), pattern.rfind([']', '*', '?'])) else { return false };
    let (begin, end) = (pattern.get(..first).unwrap_or_default(), pattern.get(last + 1..).unwrap_or_default());
    name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::safety;
    use shell_line::Dialect;

    struct There;

    impl World for There {
        fn home(&self) -> &str {
            "/home/ada"
        }

        fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
            let entry = |name: &str, kind| DirEntry { name: name.into(), kind };
            match directory {
                "/home/ada" => Fact::Yes(Arc::new([
                    entry("old", FileKind::Directory),
                    entry("src", FileKind::Directory),
                    entry("there", FileKind::File),
                ])),
                "/home/ada/src" => Fact::Yes(Arc::new([entry("a.csv", FileKind::File)])),
                "/home/ada/old" => {
                    Fact::Yes(Arc::new([entry("a.csv", FileKind::File), entry("b.txt", FileKind::File)]))
                }
                _ => Fact::No,
            }
        }
    }

    fn overwrites(line: &str) -> bool {
        let dangers = safety::dangers_in(line, Dialect::Bash, "/home/ada", &There);
        dangers.iter().any(|danger| danger.harm == Harm::Overwrites)
    }

    #[test]
    fn every_output_hits_and_misses() {
        toml_table::tests::is_read_whole(TABLE);
        let table: toml_edit::DocumentMut = TABLE.parse().unwrap();
        let mut wrong = Vec::new();
        for row in table["output"].as_array_of_tables().unwrap() {
            let list = |key: &str| -> Vec<String> {
                let list = row.get(key).and_then(|list| list.as_array()).into_iter().flatten();
                list.map(|item| item.as_str().unwrap().to_owned()).collect()
            };
            wrong.extend(list("hits").into_iter().filter(|hit| !overwrites(hit)));
            wrong
                .extend(list("misses").into_iter().filter(|miss| overwrites(miss)).map(|miss| format!("miss: {miss}")));
        }
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn only_what_is_there_is_overwritten() {
        let cases = [
            ("ls > there", true),
            ("ls > new", false),
            ("ls > ./src/../there", true),
            ("ls > ~/there", true),
            ("ls > $HOME/new", false),
            ("cd src && ls > there", false),
            ("cd src && ls > a.csv", true),
            ("(cd src; ls); ls > there", true),
            ("ls > /etc/fstab", true),
            ("ls > /tmp/x", false),
            (": > $x", true),
            ("ls > $x", false),
            ("f=there; : > $f", true),
            ("set -o noclobber; ls > there", false),
            ("set -o noclobber; ls >| there", true),
            ("ssh host 'ls > /srv/x'", true),
            ("ssh host 'ls > /tmp/x'", false),
            ("tool --output there", true),
            ("tool --output=new", false),
            ("cd src && awk '{print > ($1 \".csv\")}' x", true),
            ("awk '{print > ($1 \".csv\")}' x", false),
            ("python3 -c \"open('there','w')\"", true),
            ("python3 -c \"open('new','w')\"", false),
            ("d=$(mktemp -d); ls > $d/x", false),
            ("cp old/*.csv src", true),
            ("mv old/* src/", true),
            ("cp ./old/?.csv ~/src/", true),
            ("cp old/*.txt src", false),
            ("cp ./*.csv src/", false),
            ("cd old; cp *.csv ../src", true),
            ("cp -n old/*.csv src", false),
            ("cp -r old/. src", true),
            ("cp -r old src", false),
            ("find old -name '*.csv' -exec cp -t src {} +", true),
            ("find . -type f -exec cp {} src/ \\;", true),
            ("find . -name '*.jpg' -exec cp {} src/ \\;", false),
            ("find . -name '*.csv' -exec cp -n -t src {} +", false),
            ("find . -name '*.csv' -print0 | xargs -0 cp -t src", true),
            ("find . -name '*.csv' -print0 | xargs -0 cp -t new", false),
            ("fd -e csv -x cp {} src", true),
            ("ls | xargs cp -t src", false),
            ("echo x 1<> there", true),
            ("echo x 1<> new", false),
            ("exec 3<> there", false),
        ];
        for (line, expected) in cases {
            assert_eq!(overwrites(line), expected, "{line}");
        }
    }
}
