//! Candidates from names that the shell and the machine have: commands and variables.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use aside_commands::shell_names::builtins;
use aside_commands::world::Fact;
use aside_text as text;
use shell_line::quote::WordEnd;
use shell_line::{CursorRole, CursorSpot, Join};

use crate::complete::candidate::{Candidate, CandidateFacts, CandidateKind, CandidateSource, MatchKind};
use crate::complete::command_names::{self, beginning};
use crate::complete::context::CompletionContext;
use crate::complete::filter;
use crate::complete::project_hints;
use crate::complete::spec::expected;
use crate::history::word_stats::{Locality, Stdin, WordPosition};

/// More than are shown, so that the ranking has a choice.
const MAX_OFFERS: usize = 8;
/// Commands from history that begin with what is typed.
const MAX_USED: usize = 64;
/// Prefix of the functions of our own plugin, and functions of zsh that it autoloads.
const OURS: &str = "aside";
const LOADED: [&str; 2] = ["add-zle-hook-widget", "add-zsh-hook"];

pub fn candidates(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Vec<Candidate> {
    if spot.typed.is_empty() || !spot.fixed || context.is_in_word(spot.quote) {
        return Vec::new();
    }
    match &spot.role {
        CursorRole::Name => names(context, spot, Whose::Shell),
        CursorRole::Variable => variables(context, spot, 0),
        CursorRole::Argument(_) => {
            let expected = expected::expected(context, spot);
            if expected.command && !expected.anything {
                names(context, spot, whose(spot))
            } else if expected.variable {
                variables(context, spot, expected.skip)
            } else {
                Vec::new()
            }
        }
        CursorRole::Target(_) | CursorRole::Value(_) | CursorRole::Other => Vec::new(),
    }
}

/// What will resolve the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The shell: its own names too.
    Shell,
    /// A command that asks the shell, such as type: everything except reserved words and project hints.
    Asked,
    /// Another program, such as sudo: only programs.
    Program,
}

fn whose(spot: &CursorSpot<'_>) -> Whose {
    let name = spot.command.and_then(|command| command.words.first());
    match name.map(|name| &*name.value) {
        Some("which" | "type" | "command" | "where" | "whence" | "builtin" | "functions" | "whatis" | "help") => {
            Whose::Asked
        }
        _ => Whose::Program,
    }
}

/// A matching name and its rank: the user's own names first.
struct Name<'a> {
    name: &'a str,
    rank: u8,
    /// The text of an alias.
    stands: Option<&'a str>,
}

fn names(context: &CompletionContext<'_>, spot: &CursorSpot<'_>, whose: Whose) -> Vec<Candidate> {
    let typed = &*spot.typed;
    if typed.contains('/') || typed.starts_with('-') {
        return Vec::new();
    }
    let programs = context.world.programs().yes();
    let mut found: Vec<Name<'_>> = Vec::new();
    let mut add = |name, rank, stands| found.push(Name { name, rank, stands });
    if whose != Whose::Program {
        for (name, value) in beginning(&context.names.aliases, typed, |(name, _)| name) {
            add(name, 0, Some(&**value));
        }
        beginning(&context.names.functions, typed, |name| name).iter().for_each(|name| add(name, 1, None));
        beginning(&context.names.builtins, typed, |name| name).iter().for_each(|name| add(name, 2, None));
        beginning(builtins::builtins(context.dialect), typed, |name| name).iter().for_each(|name| add(name, 2, None));
    }
    if whose == Whose::Shell {
        beginning(builtins::reserved(context.dialect), typed, |name| name).iter().for_each(|name| add(name, 2, None));
    }
    for name in programs.iter().flat_map(|programs| beginning(programs, typed, |name| name)) {
        add(name, 3, None);
    }
    // Names with a leading underscore are private, such as completion functions. Our own functions are hidden until the
    // user types our prefix, so that they do not mix with the user's.
    let is_ours = |found: &Name<'_>| found.rank == 1 && found.name.starts_with(OURS) && !typed.starts_with(OURS);
    found.retain(|found| (typed.starts_with('_') || !found.name.starts_with('_')) && text::is_clean(found.name));
    found.retain(|found| !is_ours(found) && !LOADED.contains(&found.name));
    if found.iter().any(|found| found.name == typed) {
        return Vec::new();
    }
    found.sort_by(|one, other| (one.name, one.rank).cmp(&(other.name, other.rank)));
    found.dedup_by(|one, other| one.name == other.name);
    let rivals = found.len();
    let hints = if whose == Whose::Shell { project_hints::hints(context, typed) } else { Vec::new() };
    let hints: Vec<project_hints::Hint> = hints.into_iter().filter(|hint| is_there(context, hint.command)).collect();
    found.retain(|found| !hints.iter().any(|hint| hint.command == found.name));
    let is_piped = spot.command.is_some_and(|command| command.join == Join::Pipe) && whose == Whose::Shell;
    let used = used(context, typed);
    // Commands with a spec are well known; of the others, shorter names are commoner.
    found.sort_by_cached_key(|found| {
        let name = found.name;
        let is_unused = !used.contains(name);
        let is_no_filter = is_piped && !filter::empty_word::is_filter(name);
        (is_no_filter, found.rank > 1, is_unused, everyday(name), !context.specs.has(name), name.chars().count())
    });
    let rivals = rivals.max(hints.len());
    let mut candidates: Vec<Candidate> =
        hints.iter().map(|hint| candidate(context, spot, hint.command, 0, rivals, hint.about.to_owned())).collect();
    let first = usize::from(!hints.is_empty());
    let room = MAX_OFFERS.saturating_sub(candidates.len());
    candidates.extend(found.iter().take(room).enumerate().map(|(place, found)| {
        let about = match found.stands {
            Some(stands) => text::clean(stands).into_owned(),
            // Describing a command without a spec would mean running it.
            None if context.specs.has(found.name) => {
                context.specs.about(found.name, context.world).unwrap_or_default().into_string()
            }
            None => String::new(),
        };
        candidate(context, spot, found.name, first + place, rivals, about)
    }));
    candidates
}

/// Commands that the user has run and that begin with `typed`.
fn used<'a>(context: &CompletionContext<'a>, typed: &str) -> HashSet<&'a str> {
    let at = WordPosition { before: &[], after: "", typed, reach: Locality::Slot, stdin: Stdin::Inherited };
    context.history.words().next(at, MAX_USED).into_iter().map(|guess| guess.word).collect()
}

/// The rank of a command among the most common ones; last for all others.
fn everyday(name: &str) -> usize {
    EVERYDAY.get(name).copied().unwrap_or(usize::MAX)
}

static EVERYDAY: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let names = include_str!("../../data/complete/everyday.txt").split_whitespace();
    names.enumerate().map(|(place, name)| (name, place)).collect()
});

/// Whether the command of a hint exists, as far as is known.
fn is_there(context: &CompletionContext<'_>, command: &str) -> bool {
    let name = command.split(' ').next().unwrap_or_default();
    match command_names::known(context, name) {
        Fact::Yes(()) => true,
        Fact::No => false,
        Fact::NotYet => context.world.programs() == Fact::NotYet,
    }
}

fn candidate(
    context: &CompletionContext<'_>,
    spot: &CursorSpot<'_>,
    name: &str,
    place: usize,
    rivals: usize,
    about: String,
) -> Candidate {
    let facts = facts(CandidateKind::Command, &spot.typed, name, place, rivals);
    // `docker compose` is two words, of which only the first may be in quotes.
    let (first, others) = name.split_at(name.find(' ').unwrap_or(name.len()));
    let mut candidate =
        context.word(spot, first, CandidateSource::Environment, facts, context.after(spot.quote, WordEnd::End));
    if !others.is_empty() {
        candidate.text.insert_str(candidate.text.len() - context.right.len(), others);
        candidate.cursor = candidate.cursor.map(|cursor| cursor + others.len());
    }
    Candidate { about, ..candidate }
}

/// Variables that most environments have, used until the shell has reported its own.
const VARIABLES: &[&str] = &[
    "DISPLAY",
    "EDITOR",
    "HOME",
    "HOSTNAME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "MANPATH",
    "OLDPWD",
    "PAGER",
    "PATH",
    "PS1",
    "PWD",
    "RANDOM",
    "SHELL",
    "SSH_AUTH_SOCK",
    "TERM",
    "TMPDIR",
    "USER",
    "VISUAL",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
];

fn variables(context: &CompletionContext<'_>, spot: &CursorSpot<'_>, skip: usize) -> Vec<Candidate> {
    let (before, typed) = spot.typed.split_at_checked(skip).unwrap_or_default();
    if typed.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<&str> = if context.names.variables.is_empty() {
        beginning(VARIABLES, typed, |name| name).to_vec()
    } else {
        beginning(&context.names.variables, typed, |name| name).iter().map(|name| &**name).collect()
    };
    found.retain(|name| typed.starts_with('_') || !name.starts_with('_'));
    if found.contains(&typed) {
        return Vec::new();
    }
    found.sort_by_key(|name| !VARIABLES.contains(name));
    let rivals = found.len();
    let expands = spot.role == CursorRole::Variable;
    let braces = expands && context.left[..spot.start].ends_with("${") && !context.right.starts_with('}');
    let found = found.iter().take(MAX_OFFERS).enumerate();
    let candidates = found.map(|(place, name)| {
        let value = [before, name].concat();
        let facts = facts(CandidateKind::Variable, typed, name, place, rivals);
        let after = if expands { WordEnd::More } else { context.after(spot.quote, WordEnd::End) };
        let mut candidate = context.word(spot, &value, CandidateSource::Environment, facts, after);
        if braces {
            candidate.text.insert(candidate.text.len() - context.right.len(), '}');
            candidate.cursor = candidate.cursor.map(|cursor| cursor + 1);
        }
        candidate
    });
    candidates.collect()
}

fn facts(kind: CandidateKind, typed: &str, name: &str, place: usize, rivals: usize) -> CandidateFacts {
    let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    let letters = typed.chars().count();
    CandidateFacts {
        rivals: short(rivals),
        place: short(place),
        typed: short(letters),
        adds: short(name.chars().count().saturating_sub(letters)),
        ..CandidateFacts::new(kind, MatchKind::Extends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::fake::Fake;
    use shell_line as line;

    const MACHINE: &str = "
        program cargo
        program cat
        program docker
        program git
        program git-lfs
        program gitk
        program gimp
        program grep
        program make
        program npm
        program node
        program pnpm
        program python3
        program sort
        program sudo
        alias gst=git status
        function mkcd
        function _git
        builtin cd
        builtin setopt
        variable HOME
        variable HISTFILE
        variable MY_TOKEN
        variable _secret
    ";

    fn candidates_of(scene: &str) -> Vec<Candidate> {
        let fake = Fake::new(scene);
        let text = format!("{}{}", fake.left, fake.right);
        let line = line::parse(&text, fake.dialect);
        candidates(&fake.context(), &line.at(fake.left.len()))
    }

    fn texts(scene: &str) -> String {
        let candidates = candidates_of(scene);
        candidates.iter().map(|candidate| candidate.text.as_str()).collect::<Vec<_>>().join(" / ")
    }

    fn details(scene: &str) -> String {
        let rows = candidates_of(scene).into_iter().map(|candidate| {
            let CandidateFacts { kind, fit, rivals, place, usual: _, typed, adds, past: _, habit: _ } = candidate.facts;
            let about = candidate.about;
            format!("{}: {kind:?} {fit:?} {place} of {rivals}, {typed} typed, {adds} more, {about}", candidate.text)
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    fn check(more: &str, cases: &[(&str, &str)]) {
        for (line, expected) in cases {
            assert_eq!(texts(&format!("{MACHINE}\n{more}\nline {line}")), *expected, "{line}");
        }
    }

    #[test]
    fn functions_of_ours_wait_for_our_name() {
        let more = "program asciidoctor\nprogram aside\nfunction aside-off\nfunction aside-on\nfunction add-zsh-hook";
        check(
            more,
            &[("asi|", "aside"), ("add|", ""), ("as|", "aside / asciidoctor"), ("aside-o|", "aside-on / aside-off")],
        );
    }

    #[test]
    fn names_of_commands() {
        check(
            "",
            &[
                // The user's own names, then those with a spec, then the shorter ones.
                ("g|", "gst / git / grep / gimp / gitk / getln / getopts / git-lfs"),
                ("gi|", "git / gimp / gitk / git-lfs"),
                ("mk|", "mkcd"),
                ("seto|", "setopt"),
                ("whi|", "which / while"),
                ("ls \\| so|", "ls | sort / ls | source"),
                ("ls; car|", "ls; cargo"),
                ("echo $(car|", "echo $(cargo"),
                ("A=1 car|", "A=1 cargo"),
                ("car| build", "cargo build"),
                ("'car|", "'cargo'"),
                ("'car|' build", "'cargo' build"),
            ],
        );
    }

    #[test]
    fn silence() {
        check(
            "",
            &[
                ("|", ""),
                ("ls \\| |", ""),
                // Typed in full.
                ("git|", ""),
                ("nothing|", ""),
                ("./car|", ""),
                ("$car|", ""),
                ("c*|", ""),
                ("car|go", ""),
                ("echo car|", ""),
                ("cat <car|", ""),
                ("A=car|", ""),
                ("# car|", ""),
                ("-|", ""),
                ("_g|", "_git"),
            ],
        );
        assert_eq!(texts("slow programs\nline carg|"), "");
    }

    #[test]
    fn commands_that_run_or_explain_others() {
        check(
            "",
            &[
                ("sudo car|", "sudo cargo"),
                ("sudo -u me car|", "sudo -u me cargo"),
                // Another program does not see the shell's own names.
                ("sudo gs|", ""),
                ("sudo mk|", ""),
                ("which mk|", "which mkcd"),
                ("type gs|", "type gst"),
                ("which car|", "which cargo"),
                ("which whil|", ""),
                ("sudo |", ""),
            ],
        );
    }

    #[test]
    fn each_shell_has_its_own() {
        for (shell, expected) in [("zsh", "setopt"), ("bash", ""), ("fish", "")] {
            assert_eq!(texts(&format!("shell {shell}\nline setop|")), expected, "{shell}");
        }
        for (shell, expected) in [("zsh", ""), ("bash", "shopt"), ("fish", "")] {
            assert_eq!(texts(&format!("shell {shell}\nline shop|")), expected, "{shell}");
        }
        for (shell, expected) in [("zsh", "until"), ("bash", "until"), ("fish", "")] {
            assert_eq!(texts(&format!("shell {shell}\nline unti|")), expected, "{shell}");
        }
        for (shell, expected) in [("zsh", ""), ("bash", ""), ("fish", "string")] {
            assert_eq!(texts(&format!("shell {shell}\nline strin|")), expected, "{shell}");
        }
    }

    #[test]
    fn what_fits_the_project_comes_first() {
        check("file Cargo.toml", &[("ca|", "cargo / cat / case")]);
        check("file package.json", &[("n|", "npm / node / noglob / nocorrect"), ("pn|", "pnpm")]);
        let locked = "file package.json\nfile pnpm-lock.yaml";
        check(locked, &[("n|", "node / npm / noglob / nocorrect"), ("pn|", "pnpm")]);
        check(
            "file compose.yaml",
            &[("doc|", "docker compose / docker"), ("'doc| up", "'docker' compose up / 'docker' up")],
        );
        // Markers in the repository's root count too.
        check(
            "file /code/aside/Makefile\ndirectory /code/aside/.git\ncwd /code/aside/src\nrepository /code/aside",
            &[("m|", "make / mkcd"), ("gi|", "git / gimp / gitk / git-lfs")],
        );
        // Not if the program is not installed.
        check("file go.mod", &[("go|", "")]);
        assert_eq!(
            details(&format!("{MACHINE}\nfile Cargo.toml\nline car|")),
            "cargo: Command Extends 0 of 1, 3 typed, 2 more, this is a Cargo project"
        );
    }

    #[test]
    fn what_the_ranking_gets() {
        assert_eq!(
            details(&format!("{MACHINE}\nline gs|")),
            "gst: Command Extends 0 of 1, 2 typed, 1 more, git status"
        );
        assert_eq!(
            details(&format!("{MACHINE}\nline ca|")).lines().collect::<Vec<_>>(),
            [
                "cat: Command Extends 0 of 3, 2 typed, 1 more, print files one after the other",
                "cargo: Command Extends 1 of 3, 2 typed, 3 more, build, test and manage Rust packages",
                "case: Command Extends 2 of 3, 2 typed, 2 more, ",
            ]
        );
    }

    #[test]
    fn variables() {
        check(
            "",
            &[
                ("echo $H|", "echo $HOME / echo $HISTFILE"),
                ("echo $HI|", "echo $HISTFILE"),
                ("echo \"$HI|", "echo \"$HISTFILE"),
                ("echo \"$HI|\"", "echo \"$HISTFILE\""),
                ("echo ${HI|", "echo ${HISTFILE}"),
                ("echo ${HI|}", "echo ${HISTFILE}"),
                ("cat $HO|/x", ""),
                ("unset MY|", "unset MY_TOKEN"),
                ("export MY|", "export MY_TOKEN"),
                ("export MY_TOKEN=|", ""),
                // Complete, before a letter, hidden, in single quotes.
                ("echo $HOME|", ""),
                ("echo $|", ""),
                ("unset |", ""),
                ("echo $_s|", "echo $_secret"),
                ("echo '$HI|", ""),
            ],
        );
        // The common ones, until the shell has reported its own.
        assert_eq!(texts("line echo $HO|"), "echo $HOME / echo $HOSTNAME");
        assert_eq!(texts("shell fish\nvariable HOME\nline echo $HO|"), "echo $HOME");
    }

    #[test]
    fn many_names_are_bounded() {
        let programs: String = (0..10_000).map(|number| format!("program tool{number:04}\n")).collect();
        let candidates = candidates_of(&format!("{programs}line too|"));
        assert_eq!(candidates.len(), MAX_OFFERS);
        assert_eq!(candidates[0].facts.rivals, 10_000);
    }
}
