//! Judges one command of a line: its redirections, the tables' rules, its code and statements, and whether it can be analysed at all.

use shell_line::{Redirect, Word};

use crate::safety::nested_commands::{Anomaly, NestedCommand, NestedCommands, Persistence, RunsWhere, is_flag};
use crate::safety::overwrites::{self, WorldView};
use crate::safety::target::{self, WriteTarget};
use crate::safety::wrappers::InnerCommand;
use crate::safety::{Danger, Harm};
use crate::safety::{bulk, code, database_clients, files, known_output, network, rules, runners, sql, verbs, wrappers};

pub fn inspect(runs: &NestedCommands, run: &NestedCommand, view: WorldView<'_>, dangers: &mut Vec<Danger>) {
    // The body of a function does nothing until it is called, which is a run of its own.
    if run.role == Persistence::Defined && run.sign != Anomaly::Bomb {
        return;
    }
    let from = dangers.len();
    let own = Own::of(run);
    let feeding: Vec<&NestedCommand> =
        run.fed_by.iter().filter_map(|range| runs.runs.get(range.clone())).filter_map(|runs| runs.first()).collect();
    if !own.is_dry {
        overwrites::dangers(run, feeding.first().copied(), view, dangers);
    }
    let mut harms = harms(runs, run, &own, &feeding);
    if !own.asks_for_help && runners::runs_unknown(run, view) {
        harms.push(Harm::RunsUnseen);
    }
    dangers.extend(harms.into_iter().map(|harm| Danger { harm, span: run.span() }));
    // With a world, `dd` to a file that does not exist loses nothing.
    if view.world.is_some()
        && run.name() == "dd"
        && !dangers.iter().skip(from).any(|danger| danger.harm == Harm::Overwrites)
    {
        let disk = run.arguments().iter().filter_map(|word| word.value.strip_prefix("of="));
        let file = disk.map(target::write_target).all(|goes| goes == WriteTarget::File);
        let mut kept = dangers.split_off(from);
        kept.retain(|danger| !(file && danger.harm == Harm::RawDisk));
        dangers.extend(kept);
    }
    if run.role == Persistence::Discarded {
        let mut kept = dangers.split_off(from);
        kept.retain(|danger| outlasts(danger.harm));
        dangers.extend(kept);
    }
}

/// Harm that goes beyond a discarded container.
fn outlasts(harm: Harm) -> bool {
    match harm {
        Harm::DeletesBuild
        | Harm::Overwrites
        | Harm::EditsInPlace
        | Harm::RunsLater
        | Harm::Uninstalls
        | Harm::WorldWritable
        | Harm::ChangesOwner
        | Harm::DeletesFiles
        | Harm::DeletesHome
        | Harm::EndsSystem => false,
        Harm::Stops
        | Harm::Unprotects
        | Harm::LosesWork
        | Harm::RewritesShared
        | Harm::TakesDown
        | Harm::RunsUnseen
        | Harm::Opaque
        | Harm::DeletesOther
        | Harm::RawDisk => true,
    }
}

/// What a command's own words say, without those of a command that it runs.
struct Own {
    is_wrapper: bool,
    is_dry: bool,
    asks_for_help: bool,
}

impl Own {
    fn of(run: &NestedCommand) -> Self {
        let inner = wrappers::given_commands(run);
        let taken = |at: usize| {
            inner.iter().any(|inner| match inner {
                InnerCommand::Command { words, .. }
                | InnerCommand::Module { words }
                | InnerCommand::Script { words, .. } => words.contains(&at) || at >= words.end,
                InnerCommand::Text { word, .. } => *word == at,
            })
        };
        let words: Vec<&Word> =
            run.words.iter().enumerate().skip(1).filter(|(at, _)| !taken(*at)).map(|(_, word)| word).collect();
        Own {
            is_wrapper: !inner.is_empty(),
            is_dry: verbs::is_dry(run.name(), &words),
            asks_for_help: asks_for_help(run.name(), &words),
        }
    }
}

fn harms(runs: &NestedCommands, run: &NestedCommand, own: &Own, feeding: &[&NestedCommand]) -> Vec<Harm> {
    let mut harms = Vec::new();
    match run.sign {
        Anomaly::Nothing => {}
        Anomaly::Bomb => harms.push(Harm::TakesDown),
        Anomaly::Deep => harms.push(Harm::Opaque),
    }
    if is_downloaded(runs, run) {
        harms.push(Harm::RunsUnseen);
    } else if is_unreadable(runs, run) {
        harms.push(Harm::Opaque);
    }
    if run.name().is_empty() || own.asks_for_help || own.is_dry {
        return harms;
    }
    let words: Vec<&str> = run.arguments().iter().map(|word| word.value.as_str()).collect();
    if matches!(run.name(), "pkill" | "killall") && files::is_notice(&words) {
        return harms;
    }
    let said = rules::matching_rules(run);
    if said.harms.is_empty() && !said.harmless && !own.is_wrapper {
        harms.extend(verbs::harm(run));
    }
    harms.extend(said.harms.into_iter().filter(|harm| *harm != Harm::DeletesBuild || !is_followed(runs, run)));
    harms.extend(files::harms(run));
    harms.extend(files::fed(run, feeding));
    harms.extend(bulk::harms(run, feeding.first().copied()));
    harms.extend(network::request(run));
    harms.extend(code::reading(run).harms);
    harms.extend(database_clients::reading(run).harms);
    if network::runs_unseen(runs, run) {
        harms.push(Harm::RunsUnseen);
    } else if database_clients::are_generated(runs, run) {
        harms.push(Harm::Opaque);
    }
    harms.extend(reads_file(run));
    harms.extend(sends(run));
    harms.extend(commands_device(run));
    if fills_disk(run) {
        harms.push(Harm::TakesDown);
    }
    if replaces_jobs(runs, run) {
        harms.push(Harm::Overwrites);
    }
    if gives_statement(run) {
        harms.push(Harm::DeletesOther);
    }
    harms
}

fn asks_for_help(name: &str, own: &[&Word]) -> bool {
    let values: Vec<&str> = own.iter().map(|word| word.value.as_str()).collect();
    // `cargo yank --version 1.0` is not a query for the version.
    let version = matches!(values.as_slice(), ["--version" | "-V" | "-version" | "version"]);
    let help = values.first() == Some(&"help") && !verbs::is_closed(name);
    let last = values.len() > 1 && values.last().is_some_and(|word| matches!(*word, "-h" | "-?" | "-help"));
    let word = values.last() == Some(&"help") && values.len() > 1 && !verbs::is_closed(name);
    version || help || last || word || values.iter().take_while(|word| **word != "--").any(|word| *word == "--help")
}

/// `make clean && make`: what a later command of the same program makes is there again.
fn is_followed(runs: &NestedCommands, run: &NestedCommand) -> bool {
    let end = run.span().end;
    runs.runs.iter().any(|other| other.name() == run.name() && other.span().start >= end)
}

/// A file of statements or commands whose name says what they do: `psql -f drop-all.sql`, `bash < wipe.sh`.
fn reads_file(run: &NestedCommand) -> Option<Harm> {
    let name = run.name();
    let client = database_clients::is_client(name);
    let takes_commands = wrappers::takes_commands(run) || matches!(name, "ssh" | "at" | "batch");
    if !client && !takes_commands && !wrappers::is_shell(name) && !code::is_interpreter(name) {
        return None;
    }
    let read = run.redirections.iter().filter(|redirection| redirection.kind == Redirect::Read);
    let read = read.filter_map(|redirection| redirection.target.as_ref()).find_map(|word| verbs::by_file(&word.value));
    let takes = client || matches!(name, "mongosh" | "mongo" | "at" | "batch");
    let flag = |pair: &[Word]| match pair {
        [flag, file] if matches!(flag.value.as_str(), "-f" | "--file" | "-i" | "--input-file") => {
            verbs::by_file(&file.value)
        }
        _ => None,
    };
    read.or_else(|| run.arguments().windows(2).filter(|_| takes).find_map(flag))
}

/// A statement that is typed as a command, or sent over a socket: `echo flush_all > /dev/tcp/host/11211`.
fn sends(run: &NestedCommand) -> Option<Harm> {
    if matches!(
        run.name(),
        "drop" | "truncate" | "delete" | "alter" | "update" | "DROP" | "TRUNCATE" | "DELETE" | "ALTER" | "UPDATE"
    ) {
        let words: Vec<&str> = run.words.iter().map(|word| word.value.as_str()).collect();
        let text = words.join(" ");
        return (sql::is_statement(&text) && sql::loses_data(&text)).then_some(Harm::DeletesOther);
    }
    let to_socket = run.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
    let to_socket =
        to_socket.into_iter().any(|word| word.value.starts_with("/dev/tcp/") || word.value.starts_with("/dev/udp/"));
    // A reverse shell.
    if to_socket && wrappers::is_shell(run.name()) {
        return Some(Harm::Unprotects);
    }
    let text = to_socket.then(|| known_output::output(run)).flatten()?;
    database_clients::sent(&text)
}

/// A remote command that a device or a store understands: `ssh router 'delete system'`.
fn commands_device(run: &NestedCommand) -> Option<Harm> {
    const VERBS: [&str; 9] =
        ["delete", "erase", "destroy", "reload", "format", "purge", "wipe", "factory-reset", "undo"];
    (run.place == RunsWhere::Elsewhere && VERBS.contains(&run.name())).then_some(Harm::DeletesOther)
}

/// `cat /dev/zero > x`, `yes > x`: endless output that fills the disk.
fn fills_disk(run: &NestedCommand) -> bool {
    let endless = match run.name() {
        "yes" => true,
        "cat" => run
            .arguments()
            .iter()
            .any(|word| matches!(word.value.as_str(), "/dev/zero" | "/dev/urandom" | "/dev/random")),
        _ => false,
    };
    let target = |redirection: &&shell_line::Redirection| {
        let file =
            redirection.target.as_ref().is_some_and(|word| target::write_target(&word.value) == WriteTarget::File);
        file && matches!(redirection.kind, Redirect::Write | Redirect::Append)
    };
    endless && run.redirections.iter().any(|redirection| target(&redirection))
}

/// `crontab x`, unless the input contains the old table.
fn replaces_jobs(runs: &NestedCommands, run: &NestedCommand) -> bool {
    let words = || run.arguments().iter().map(|word| word.value.as_str());
    if run.name() != "crontab" || words().any(|word| matches!(word, "-l" | "-e" | "-r" | "-T" | "-i")) {
        return false;
    }
    let mut plain = words().filter(|word| !is_flag(word));
    let keeps = |run: &NestedCommand| run.name() == "crontab" && run.arguments().iter().any(|word| word.value == "-l");
    let kept = run.fed_by.iter().filter_map(|range| runs.runs.get(range.clone())).flatten().any(keeps);
    // `crontab < x`
    let reads = run.redirections.iter().any(|redirection| redirection.kind == Redirect::Read);
    let drops = |run: &NestedCommand| match run.name() {
        "grep" | "egrep" | "fgrep" => rules::has_flag(run.arguments(), &["-v", "--invert-match"]),
        "sed" => run.arguments().iter().any(|word| word.value.ends_with('d')),
        _ => false,
    };
    let dropped = run.fed_by.iter().filter_map(|range| runs.runs.get(range.clone())).flatten().any(drops);
    (plain.next().is_some() || reads) && (!kept || dropped)
}

/// Variables that by convention hold the name of a program.
const PROGRAMS: [&str; 30] = [
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "SHELL",
    "BASH",
    "TERMINAL",
    "MANPAGER",
    "GIT_EDITOR",
    "PYTHON",
    "CC",
    "CXX",
    "MAKE",
    "JAVA",
    "NODE",
    "RUBY",
    "PERL",
    "GO",
    "CARGO",
    "DOCKER",
    "KUBECTL",
    "SUDO",
    "AWK",
    "SED",
    "GREP",
    "LD",
    "AR",
    "NPM",
    "CMAKE",
    "PIP",
];

/// The command is the output of a download: `s=$(curl …); eval "$s"`.
fn is_downloaded(runs: &NestedCommands, run: &NestedCommand) -> bool {
    let made = run.words.first().is_some_and(|first| first.value.starts_with("$(") || first.value.starts_with('`'));
    let mut inner = run.substituted.iter().flat_map(|range| runs.runs.get(range.clone()).unwrap_or_default());
    made && run.name().is_empty() && inner.any(network::is_download)
}

/// Whether the name of the command is in a variable that the line does not set, or is the output of a filter.
fn is_unreadable(runs: &NestedCommands, run: &NestedCommand) -> bool {
    let Some(first) = run.words.first() else { return false };
    let value = first.value.as_str();
    // The placeholders of xargs, also as a script: `xargs -I% sh -c %`.
    if matches!(value, "%" | "@" | "{}") || value.starts_with("{1") {
        return true;
    }
    if first.fixed || !run.name().is_empty() {
        return false;
    }
    // A glob for a name: `/bin/r?`
    if value.starts_with('/') && value.contains(['?', '*', '[']) || value.starts_with("$(<") {
        return true;
    }
    if value.starts_with("$(") || value.starts_with('`') {
        // A tool that prints commands to be run is trusted; the contents of a file or a decoder's output are not.
        const PRINTS: [&str; 12] =
            ["cat", "head", "tail", "sed", "awk", "tr", "rev", "cut", "base64", "xxd", "openssl", "jq"];
        let mut inner = run.substituted.iter().flat_map(|range| runs.runs.get(range.clone()).unwrap_or_default());
        return inner.any(|inner| PRINTS.contains(&inner.name()));
    }
    let name = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or(value.strip_prefix('$'));
    name.is_some_and(|name| !name.is_empty() && !name.starts_with('(') && !PROGRAMS.contains(&name))
}

/// A statement that any program gets as a word, unless the word is a message or the program only prints it.
fn gives_statement(run: &NestedCommand) -> bool {
    if verbs::is_closed(run.name()) {
        return false;
    }
    const MESSAGES: [&str; 12] = [
        "-m",
        "--message",
        "--title",
        "--body",
        "-t",
        "--description",
        "--comment",
        "--notes",
        "--subject",
        "--query",
        "--jq",
        "--filter",
    ];
    let mut before = "";
    run.arguments().iter().any(|word| {
        let value =
            word.value.split_once('=').filter(|(flag, _)| is_flag(flag)).map_or(word.value.as_str(), |(_, one)| one);
        let message = MESSAGES.contains(&before) && !matches!(run.name(), "bq" | "athena");
        before = word.value.as_str();
        !message && value.contains(' ') && sql::is_statement(value) && sql::loses_data(value)
    })
}
