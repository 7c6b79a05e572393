//! Clauses in the third person for what everyday commands do with the given arguments. Covers only what changes the
//! meaning; the parts explain the rest.

use crate::explain::dissect::{CommandPart, DissectedCommand, PartKind, ReadsPipe};
use crate::explain::{mode, revision, script, value};

/// Most names that are listed; beyond it only their number is given.
const MAX_LISTED: usize = 3;

/// `a, b and c`
pub fn list(names: &[&str]) -> Option<String> {
    match names.len() {
        0 => None,
        1..=MAX_LISTED => mode::join(names),
        count => Some(format!("{} and {} more", names.get(..2).unwrap_or_default().join(", "), count - 2)),
    }
}

/// `None` when there is no rule for the command.
pub fn known(taken: &DissectedCommand, fed: ReadsPipe) -> Option<String> {
    if let Some(sub) = taken.chain.strip_prefix("git ") {
        return git(taken, sub);
    }
    filter(taken, fed)
        .or_else(|| text(taken, fed))
        .or_else(|| files(taken))
        .or_else(|| system(taken))
        .or_else(|| network(taken))
}

fn here(names: &[&str], otherwise: &str) -> String {
    match names {
        [] => otherwise.to_owned(),
        ["."] | ["./"] => "this directory".to_owned(),
        ["~"] => "your home directory".to_owned(),
        ["/"] => "the whole machine".to_owned(),
        names => list(names).unwrap_or_default(),
    }
}

fn of_files(names: &[&str]) -> String {
    match names {
        [] | ["-"] => String::new(),
        names => format!(" of {}", list(names).unwrap_or_default()),
    }
}

/// Filters: each reads lines and prints others.
fn filter(taken: &DissectedCommand, fed: ReadsPipe) -> Option<String> {
    let arguments = taken.arguments();
    let lines = |number: &str| if number == "1" { "line".to_owned() } else { format!("{number} lines") };
    Some(match taken.chain.as_str() {
        "grep" => return grep(taken, fed),
        "head" | "tail" => {
            let end = if taken.chain == "head" { "first" } else { "last" };
            let number = taken.value("-n").or_else(|| taken.value("-#")).unwrap_or("10");
            let names = of_files(&arguments);
            if let Some(number) = number.strip_prefix('+') {
                return Some(format!("prints everything{names} from line {number} on"));
            }
            if let Some(number) = number.strip_prefix('-').filter(|_| end == "first") {
                return Some(format!("prints all but the last {}{names}", lines(number)));
            }
            let follows = if taken.has_any(&["-f", "-F", "--follow"]) { ", and whatever is added" } else { "" };
            if let Some(bytes) = taken.value("-c") {
                return Some(format!("prints the {end} {bytes} bytes{names}{follows}"));
            }
            let verb = if fed == ReadsPipe::Yes { "keeps only" } else { "prints" };
            format!("{verb} the {end} {}{names}{follows}", lines(number.trim_start_matches('-')))
        }
        "wc" => {
            let whats = [("-l", "lines"), ("-w", "words"), ("-m", "characters"), ("-c", "bytes")];
            let whats: Vec<&str> = whats.iter().filter(|(flag, _)| taken.has(flag)).map(|(_, what)| *what).collect();
            let whats = mode::join(&whats).unwrap_or_else(|| "lines, words and bytes".to_owned());
            format!("counts the {whats}{}", of_files(&arguments))
        }
        "sort" => {
            let how = match (taken.has("-r"), taken.has("-n"), taken.has("-h")) {
                (true, true, _) | (true, _, true) => ", largest first",
                (true, false, false) => " in reverse",
                (false, true, _) | (false, _, true) => ", smallest first",
                (false, false, false) if taken.has("-R") => " at random",
                (false, false, false) => "",
            };
            let key = taken.value("-k").and_then(|key| value::fill(" by {key}", key)).unwrap_or_default();
            let once = if taken.has("-u") { ", each once" } else { "" };
            let what = if fed == ReadsPipe::Yes && arguments.is_empty() {
                "them".to_owned()
            } else {
                format!("the lines{}", of_files(&arguments))
            };
            format!("sorts {what}{key}{how}{once}")
        }
        "uniq" if taken.has("-c") => "counts how often each line occurs in a row".to_owned(),
        "uniq" if taken.has("-d") => "keeps only lines that repeat".to_owned(),
        "uniq" if taken.has("-u") => "keeps only lines that do not repeat".to_owned(),
        "uniq" => "joins lines that repeat".to_owned(),
        "cut" => {
            let names = of_files(&arguments);
            let part = taken.value("-f").and_then(|fields| value::fill("field{fields}", fields));
            let part = part.or_else(|| taken.value("-c").map(|characters| format!("characters {characters}")));
            format!("prints {} of each line{names}", part?)
        }
        "sed" => {
            let own = (!taken.has_any(&["-e", "-f"])).then(|| arguments.first().copied()).flatten();
            let script = own.or_else(|| taken.value("-e"))?;
            let words = script::sed(script)?;
            let names = if own.is_some() { arguments.get(1..).unwrap_or_default() } else { arguments.as_slice() };
            let place = if taken.has("-i") {
                format!(", in {} itself", here(names, "the file"))
            } else if names.is_empty() {
                String::new()
            } else {
                format!(" in {}, and prints that", list(names)?)
            };
            format!("{words}{place}")
        }
        "awk" => {
            let own = (!taken.has_any(&["-f", "-e"])).then(|| arguments.first().copied()).flatten();
            let words = script::awk(own?)?;
            let names = arguments.get(1..).unwrap_or_default();
            if names.is_empty() { words } else { format!("{words}, in {}", list(names)?) }
        }
        "jq" => {
            let words = script::jq(arguments.first()?)?;
            let names = arguments.get(1..).unwrap_or_default();
            if names.is_empty() {
                format!("takes from the JSON: {words}")
            } else {
                format!("takes from {}: {words}", list(names)?)
            }
        }
        "tr" if taken.has("-d") => format!("removes {}", super::describe::set(arguments.first()?)?),
        "tr" if arguments.len() == 2 => {
            let set = |number: usize| arguments.get(number).and_then(|set| super::describe::set(set));
            format!("replaces {} by {}", set(0)?, set(1)?)
        }
        "base64" if taken.has("-d") => format!("decodes base64{}", of_files(&arguments)),
        "base64" => {
            format!("encodes{} in base64", arguments.first().map(|name| format!(" {name}")).unwrap_or_default())
        }
        "nl" => format!("numbers the lines{}", of_files(&arguments)),
        "tac" => format!("prints the lines{} the other way round", of_files(&arguments)),
        "shuf" => "shuffles the lines".to_owned(),
        "column" if taken.has("-t") => "lines it up as a table".to_owned(),
        _ => return None,
    })
}

/// What else reads or prints text.
fn text(taken: &DissectedCommand, fed: ReadsPipe) -> Option<String> {
    let arguments = taken.arguments();
    Some(match taken.chain.as_str() {
        "tee" => {
            let how = if taken.has("-a") { "adds it to" } else { "writes it to" };
            format!("{how} {} and prints it too", list(&arguments)?)
        }
        "cat" if arguments.is_empty() => "passes its input on".to_owned(),
        "cat" | "bat" => format!("prints {}", list(&arguments)?),
        "less" if arguments.first().is_some_and(|first| first.starts_with('+')) => {
            format!("shows {} page by page", list(arguments.get(1..)?)?)
        }
        "less" | "more" if arguments.is_empty() => "shows it page by page".to_owned(),
        "less" | "more" => format!("shows {} page by page", list(&arguments)?),
        "diff" if arguments.len() == 2 => {
            format!("shows how {} and {} differ", arguments.first()?, arguments.get(1)?)
        }
        "printf" if arguments.len() > 1 => {
            let words = arguments.get(1..).unwrap_or_default().join(" ");
            format!("prints {} in the form {}", script::quoted(&words), script::quoted(arguments.first()?))
        }
        "echo" | "printf" => match arguments.as_slice() {
            [] => "prints an empty line".to_owned(),
            words => {
                let text = words.join(" ");
                let text = if text.chars().nth(40).is_some() { "a text".to_owned() } else { script::quoted(&text) };
                format!("prints {text}")
            }
        },
        "test" => test(taken)?,
        "sh" | "bash" | "zsh" | "dash"
            if fed == ReadsPipe::Yes && arguments.is_empty() && taken.scripts().next().is_none() =>
        {
            "runs it as commands".to_owned()
        }
        "sh" | "bash" | "zsh" | "dash" if taken.scripts().next().is_none() && !arguments.is_empty() => {
            format!("runs the script {}", arguments.first()?)
        }
        "env" if arguments.is_empty() => "prints the variables of the environment".to_owned(),
        "seq" => match arguments.as_slice() {
            [to] => format!("counts from 1 to {to}"),
            [from, to] => format!("counts from {from} to {to}"),
            [from, step, to] => format!("counts from {from} to {to} in steps of {step}"),
            _ => return None,
        },
        _ => return None,
    })
}

/// One test is described; several become just "a condition".
fn test(taken: &DissectedCommand) -> Option<String> {
    let mut tests = taken.flags();
    if let [left, sign @ ("=" | "==" | "!="), right, ..] = taken.arguments().as_slice() {
        let is = if *sign == "!=" { "is not" } else { "is" };
        return Some(format!("checks whether {left} {is} {right}"));
    }
    let (name, flag, given) = tests.next()?;
    let words = super::describe::flag_words(taken, name, flag.map(|flag| &**flag), given)?;
    let one = tests.next().is_none();
    if !one {
        return None;
    }
    match (words.strip_prefix("whether "), taken.arguments().as_slice()) {
        (Some(words), _) => Some(format!("checks whether {words}")),
        (None, [left, ..]) => Some(format!("checks whether {left} {words}")),
        (None, []) => None,
    }
}

fn grep(taken: &DissectedCommand, fed: ReadsPipe) -> Option<String> {
    let arguments = taken.arguments();
    let given = taken.value("-e");
    let own = given.is_none() && !taken.has("-f");
    let pattern = given.or_else(|| arguments.first().copied().filter(|_| own))?;
    let names = if own { arguments.get(1..).unwrap_or_default() } else { arguments.as_slice() };
    let with = if taken.has("-v") { "without" } else { "with" };
    let case = if taken.has("-i") { ", ignoring case" } else { "" };
    let place = match names {
        [] if taken.has_any(&["-r", "-R"]) => " in all files here and below".to_owned(),
        [] => String::new(),
        names if taken.has_any(&["-r", "-R"]) => format!(" in {} and below", here(names, "")),
        names => format!(" in {}", here(names, "")),
    };
    let pattern = script::quoted(pattern);
    Some(if taken.has("-l") {
        format!("prints the names of the files {with} {pattern}{place}{case}")
    } else if taken.has("-L") {
        format!("prints the names of the files without {pattern}{place}{case}")
    } else if taken.has("-c") {
        format!("counts the lines {with} {pattern}{place}{case}")
    } else if taken.has("-o") {
        format!("prints each {pattern}{place}{case}, and nothing else")
    } else if taken.has("-q") {
        format!("checks whether there is {pattern}{place}{case}")
    } else if fed == ReadsPipe::Yes && names.is_empty() {
        format!("keeps the lines {with} {pattern}{case}")
    } else {
        format!("prints the lines {with} {pattern}{place}{case}")
    })
}

/// Commands that work on files.
fn files(taken: &DissectedCommand) -> Option<String> {
    let arguments = taken.arguments();
    let (target, sources) = match arguments.split_last() {
        Some((target, sources)) if !sources.is_empty() => (*target, sources),
        _ => ("", arguments.as_slice()),
    };
    let to = here(&[target], "");
    Some(match taken.chain.as_str() {
        "ls" | "eza" => {
            let all = if taken.has_any(&["-a", "-A"]) { ", hidden ones too" } else { "" };
            let order = match (taken.has("-S"), taken.has("-t")) {
                (true, _) => ", largest first",
                (_, true) => ", newest first",
                _ => "",
            };
            let order = if taken.has("-r") {
                order.replace("largest", "smallest").replace("newest", "oldest")
            } else {
                order.to_owned()
            };
            let long = if taken.has("-l") { " with size, owner and time" } else { "" };
            let below = if taken.has("-R") { " and below" } else { "" };
            format!("lists what is in {}{below}{long}{all}{order}", here(&arguments, "this directory"))
        }
        "rm" => {
            let below = if taken.has("-r") { " and everything in it" } else { "" };
            let below = if arguments.len() > 1 && !below.is_empty() { " and everything in them" } else { below };
            let asking = if taken.has("-f") { " without asking" } else { "" };
            format!("deletes {}{below}{asking}", here(&arguments, "files"))
        }
        "cp" if !target.is_empty() => format!("copies {} to {to}", list(sources)?),
        "mv" if !target.is_empty() => format!("moves {} to {to}", list(sources)?),
        "ln" if !target.is_empty() => {
            let kind = if taken.has("-s") { "symbolic link" } else { "hard link" };
            format!("makes a {kind} {target} that leads to {}", list(sources)?)
        }
        "mkdir" => {
            format!("makes the {} {}", if arguments.len() > 1 { "directories" } else { "directory" }, list(&arguments)?)
        }
        "rmdir" => format!("removes the empty directory {}", list(&arguments)?),
        "touch" => format!("makes {} if missing, or sets its time to now", list(&arguments)?),
        "cd" => match arguments.as_slice() {
            [] => "goes to your home directory".to_owned(),
            ["-"] => "goes back to the directory before".to_owned(),
            [".."] => "goes to the directory above".to_owned(),
            names => format!("goes to {}", here(names, "")),
        },
        "chmod" => {
            let names = arguments.get(1..).unwrap_or_default();
            let below = if taken.has("-R") { " and everything below" } else { "" };
            let words = mode::words(arguments.first()?)?;
            format!("changes the permissions of {}{below}: {words}", list(names)?)
        }
        "chown" => {
            let below = if taken.has("-R") { " and everything below" } else { "" };
            let names = arguments.get(1..).unwrap_or_default();
            format!("makes {} the owner of {}{below}", arguments.first()?, list(names)?)
        }
        "du" => {
            let each = if taken.has("-s") { "" } else { " each directory in" };
            let depth = taken.value("-d").map(|levels| format!(", {levels} levels deep")).unwrap_or_default();
            let depth = if depth.contains(" 1 ") { ", one level deep".to_owned() } else { depth };
            format!("shows how much space{each} {} takes{depth}", here(&arguments, "this directory"))
        }
        "df" => format!("shows how much space is free on {}", here(&arguments, "each file system")),
        "tar" => return tar(taken),
        "zip" => format!("packs {} into {}", list(arguments.get(1..)?)?, arguments.first()?),
        "unzip" if taken.has("-l") => format!("lists what is in {}", arguments.first()?),
        "unzip" => {
            let place = taken.value("-d").map(|place| format!(" into {place}")).unwrap_or_default();
            format!("unpacks {}{place}", arguments.first()?)
        }
        "history" if taken.has("-c") => "forgets all past commands of this shell".to_owned(),
        "history" if taken.has("-d") => "forgets one of the past commands".to_owned(),
        "gzip" if taken.has("-d") => format!("unpacks {}", list(&arguments)?),
        "gunzip" => format!("unpacks {}", list(&arguments)?),
        "gzip" | "bzip2" | "xz" | "zstd" if !taken.has("-d") => format!("compresses {}", list(&arguments)?),
        "dd" => format!("copies {} to {}, block by block", taken.value("if")?, taken.value("of")?),
        "rsync" | "scp" if !target.is_empty() => {
            let mirror = if taken.has("--delete") { ", and deletes there what is not here" } else { "" };
            let to = value::remote(target).unwrap_or_else(|| target.to_owned());
            let from: Vec<String> =
                sources.iter().map(|source| value::remote(source).unwrap_or_else(|| (*source).to_owned())).collect();
            let from: Vec<&str> = from.iter().map(String::as_str).collect();
            if taken.chain == "rsync" && taken.has("-n") {
                let mirror = if mirror.is_empty() { "" } else { ", and what would be deleted there" };
                return Some(format!("only shows what would be copied from {} to {to}{mirror}", list(&from)?));
            }
            format!("copies {} to {to}{mirror}", list(&from)?)
        }
        _ => return None,
    })
}

fn tar(taken: &DissectedCommand) -> Option<String> {
    let archive = taken.value("-f").filter(|archive| *archive != "-");
    let name = archive.unwrap_or("the archive");
    let arguments = taken.arguments();
    if taken.has("-c") {
        let squeezed = [("-z", "gzip"), ("-j", "bzip2"), ("-J", "xz"), ("--zstd", "zstd")];
        let with = squeezed.iter().find(|(flag, _)| taken.has(flag));
        let with = with.map(|(_, with)| format!(", compressed with {with}")).unwrap_or_default();
        return Some(format!("packs {} into {name}{with}", here(&arguments, "files")));
    }
    if taken.has("-x") {
        let place = taken.value("-C").map(|place| format!(" into {place}")).unwrap_or_default();
        let what = list(&arguments).map(|what| format!("{what} out of ")).unwrap_or_default();
        return Some(format!("unpacks {what}{name}{place}"));
    }
    taken.has("-t").then(|| format!("lists what is in {name}"))
}

/// Processes and the machine.
fn system(taken: &DissectedCommand) -> Option<String> {
    let arguments = taken.arguments();
    Some(match taken.chain.as_str() {
        "ps" if taken.has_any(&["aux", "-e", "-ef", "-eo", "ax", "-A"]) => "lists every process".to_owned(),
        "ps" => "lists processes".to_owned(),
        "kill" => {
            let hard = taken.has("-9")
                || taken.has("-KILL")
                || taken.value("-s").is_some_and(|signal| signal.ends_with("KILL"));
            let names = list(&arguments)?;
            let spelled = taken.value("-s").or_else(|| taken.value("-n")).or_else(|| taken.value("-#"));
            let first = taken.flags().next().map(|(name, _, _)| name.trim_start_matches('-'));
            let signal = spelled.or(first).and_then(value::signal);
            let signal = signal.as_deref().and_then(|words| words.split(':').next());
            if let Some(other) = signal.filter(|name| !matches!(*name, "KILL" | "TERM")) {
                return Some(format!("sends the signal {other} to process {names}"));
            }
            if hard { format!("ends process {names} at once") } else { format!("asks process {names} to end") }
        }
        "pkill" | "killall" => format!("ends every process called {}", list(&arguments)?),
        "pgrep" => format!("prints the numbers of the processes called {}", list(&arguments)?),
        "lsof" => match taken.value("-i") {
            Some(port) if port.starts_with(':') => format!("lists what uses port {}", port.trim_start_matches(':')),
            _ => {
                let port = arguments.first().and_then(|port| port.strip_prefix(':'))?;
                format!("lists what uses port {port}")
            }
        },
        "python" => match taken.value("-m") {
            Some(module) => format!("runs the python module {module}"),
            None => return None,
        },
        "docker run" => format!("starts a container of the image {}", arguments.first()?),
        "docker exec" => format!("runs a command in the container {}", arguments.first()?),
        "docker ps" if taken.has("-a") => "lists all containers".to_owned(),
        "docker ps" => "lists the containers that run".to_owned(),
        "docker build" => format!("builds the image {}", taken.value("-t").unwrap_or("of this Dockerfile")),
        "kubectl get" => format!("lists {}", list(&arguments)?),
        "crontab" if arguments == ["-"] => "makes that your table of scheduled commands".to_owned(),
        "crontab" if taken.has("-l") => "prints your scheduled commands".to_owned(),
        "crontab" if taken.has("-e") => "edits your scheduled commands".to_owned(),
        "crontab" if taken.has("-r") => "deletes all your scheduled commands".to_owned(),
        "systemctl start" | "systemctl stop" | "systemctl restart" | "systemctl enable" | "systemctl disable" => {
            let verb = taken.chain.rsplit(' ').next()?;
            let also = if taken.has("--now") {
                match verb {
                    "enable" => " and starts it now",
                    "disable" => " and stops it now",
                    _ => "",
                }
            } else {
                ""
            };
            let verb = match verb {
                "stop" => "stops",
                other => return Some(format!("{other}s {}{also}", list(&arguments)?)),
            };
            format!("{verb} {}", list(&arguments)?)
        }
        "sleep" => format!("waits {}", value::duration(arguments.first()?)?),
        "date" => "prints the date and time".to_owned(),
        _ => return None,
    })
}

fn network(taken: &DissectedCommand) -> Option<String> {
    let arguments = taken.arguments();
    Some(match taken.chain.as_str() {
        "curl" | "wget" => {
            let address = arguments.first()?;
            let method = taken.value("-X").map(str::to_ascii_uppercase);
            let sends = taken.has_any(&["-d", "--data-raw", "--data-binary", "-F", "--json"]);
            let file = taken.value("-o").or_else(|| taken.value("-O")).filter(|file| *file != "-");
            if taken.has("-I") {
                return Some(format!("asks {address} for its headers only"));
            }
            match (method.as_deref(), sends) {
                (Some("DELETE"), _) => format!("asks {address} to delete"),
                (Some(method @ ("PUT" | "PATCH" | "POST")), _) => format!("sends a {method} request to {address}"),
                (_, true) => format!("sends data to {address}"),
                _ => match file {
                    Some(file) => format!("fetches {address} into {file}"),
                    None if taken.value("-O") == Some("-") => format!("fetches {address} and prints it"),
                    None if taken.chain == "wget" || taken.has("-O") => format!("fetches {address} into a file"),
                    None => format!("fetches {address} and prints it"),
                },
            }
        }
        "ssh" => match taken.scripts().next() {
            Some(script) => format!("on {}, runs: {script}", value::host(arguments.first()?)),
            None => format!("opens a shell on {}", value::host(arguments.first()?)),
        },
        "ping" => match taken.value("-c") {
            Some(count) => format!("asks {} {count} times whether it answers", arguments.first()?),
            None => format!("asks {} whether it answers, again and again", arguments.first()?),
        },
        "dig" | "nslookup" | "host" => {
            let name = arguments.iter().find(|name| name.contains('.') && !name.starts_with('@'))?;
            format!("looks up {name} in the DNS")
        }
        _ => return None,
    })
}

/// `git checkout -- a.txt`, `git checkout main -- a.txt`, `git checkout .`: files, and no branch.
fn brings_files_back(taken: &DissectedCommand) -> bool {
    let dashes = taken.items.iter().any(|item| matches!(item.what, PartKind::Dashes));
    dashes || taken.arguments().first().is_some_and(|first| matches!(*first, "." | "./"))
}

fn files_back(taken: &DissectedCommand, arguments: &[&str]) -> Option<String> {
    let dashes = taken.items.iter().position(|item| matches!(item.what, PartKind::Dashes));
    let is_argument = |item: &&CommandPart| matches!(item.what, PartKind::Argument { .. });
    let before = taken.items.iter().take(dashes.unwrap_or(0)).filter(is_argument).count();
    let (from, files) = arguments.split_at_checked(before)?;
    let files = here(files, "files");
    Some(match from.first() {
        Some(from) => {
            let from = revision::words(from).unwrap_or_else(|| (*from).to_owned());
            format!("puts {files} back as in {from}, over what is there")
        }
        None => format!("discards the changes of {files}"),
    })
}

fn git_push(taken: &DissectedCommand, arguments: &[&str]) -> String {
    let mut arguments = arguments.iter();
    let remote = arguments.next().map(|remote| format!(" to {remote}")).unwrap_or_default();
    let what = arguments.next().copied().unwrap_or("the branch");
    if let Some(gone) = what.strip_prefix(':') {
        return format!("deletes {gone}{}", remote.replacen(" to ", " on ", 1));
    }
    if taken.has_any(&["--delete", "-d"]) {
        return format!("deletes {what}{remote}");
    }
    let how = if taken.has_any(&["--force", "-f"]) {
        ", over whatever is there"
    } else if taken.has("--force-with-lease") {
        ", over what is there unless others changed it"
    } else {
        ""
    };
    format!("sends {what}{remote}{how}")
}

fn git(taken: &DissectedCommand, sub: &str) -> Option<String> {
    let arguments = taken.arguments();
    let commit = |text: &str| revision::words(text).unwrap_or_else(|| text.to_owned());
    Some(match sub {
        "status" => "shows what is changed and staged".to_owned(),
        "add" if taken.has("-A") => "stages every change, new files too".to_owned(),
        "add" if taken.has("-u") => "stages every change of tracked files".to_owned(),
        "add" if taken.has("-p") => "asks which changes to stage".to_owned(),
        "add" => format!("stages the changes of {}", here(&arguments, "files")),
        "commit" => {
            let all = if taken.has("-a") { "every change" } else { "what is staged" };
            match (taken.has("--amend"), taken.value("-m")) {
                (true, _) => "replaces the last commit, with what is staged in it".to_owned(),
                (false, Some(message)) => format!("commits {all} as {}", script::quoted(message)),
                (false, None) => format!("commits {all}"),
            }
        }
        "push" => git_push(taken, &arguments),
        "pull" if taken.has("--rebase") => "fetches what is new and puts your commits on top".to_owned(),
        "pull" => "fetches what is new and merges it".to_owned(),
        "fetch" if taken.has("--all") => "fetches what is new from every remote".to_owned(),
        "log" => {
            let number = taken.value("-n").or_else(|| taken.value("-#"));
            let which = number.map_or_else(|| "the commits".to_owned(), |number| format!("the last {number} commits"));
            let short = if taken.has("--oneline") { ", one line each" } else { "" };
            let whose = taken.value("--author").map(|author| format!(" by {author}")).unwrap_or_default();
            let since = taken.value("--since").map(|since| format!(" since {since}")).unwrap_or_default();
            format!("shows {which}{whose}{since}{short}")
        }
        "diff" if taken.has_any(&["--staged", "--cached"]) => "shows what is staged".to_owned(),
        "diff" => match arguments.as_slice() {
            [] => "shows what is changed and not staged".to_owned(),
            [one] => format!("shows what differs: {}", commit(one)),
            names => format!("shows what differs between {}", list(names)?),
        },
        "reset" => {
            let target = commit(arguments.first().unwrap_or(&"HEAD"));
            if taken.has("--hard") {
                format!("goes back to {target} and discards every change since")
            } else if taken.has("--soft") {
                format!("goes back to {target}, and keeps the changes staged")
            } else {
                format!("goes back to {target}, and keeps the changes in the files")
            }
        }
        "checkout" | "switch" if taken.has_any(&["-b", "-c"]) => {
            let name = taken.value("-b").or_else(|| taken.value("-c")).or_else(|| arguments.first().copied())?;
            format!("makes the branch {name} and goes to it")
        }
        "checkout" if brings_files_back(taken) => files_back(taken, &arguments)?,
        "checkout" | "switch" => format!("goes to {}", commit(arguments.first()?)),
        "branch" if taken.has_any(&["-d", "-D"]) => {
            let anyway = if taken.has("-D") { ", merged or not" } else { "" };
            format!("deletes the branch {}{anyway}", list(&arguments).or_else(|| taken.value("-D").map(str::to_owned))?)
        }
        "branch" if arguments.is_empty() => "lists the branches".to_owned(),
        "merge" | "rebase" | "cherry-pick" | "revert" | "am" if taken.has("--abort") => {
            format!("gives up the {sub} that is under way, and goes back to before it")
        }
        "merge" | "rebase" | "cherry-pick" | "revert" | "am" if taken.has("--continue") => {
            format!("goes on with the {sub} that is under way")
        }
        "merge" => format!("merges {} into this branch", list(&arguments)?),
        "rebase"
            if taken.has("-i")
                && arguments.first()?.strip_prefix("HEAD~").is_some_and(|count| count.parse::<u32>().is_ok()) =>
        {
            format!("lets you edit the last {} commits", arguments.first()?.trim_start_matches("HEAD~"))
        }
        "rebase" if taken.has("-i") => format!("edits the commits since {}", commit(arguments.first()?)),
        "rebase" => format!("puts the commits of this branch on top of {}", arguments.first()?),
        "stash" | "stash push" => "puts the changes aside".to_owned(),
        "stash pop" => "brings back the changes that were put aside last".to_owned(),
        "stash list" => "lists what was put aside".to_owned(),
        "clone" => format!("fetches a copy of {}", arguments.first()?),
        "revert" => format!("makes a commit that undoes {}", commit(arguments.first()?)),
        "cherry-pick" => format!("repeats {} on this branch", commit(arguments.first()?)),
        "clean" if taken.has("-n") => "shows which files that git does not track would be deleted".to_owned(),
        "clean" => "deletes files that git does not track".to_owned(),
        "restore" if taken.has("--staged") => format!("unstages {}", here(&arguments, "files")),
        "restore" => format!("discards the changes of {}", here(&arguments, "files")),
        "show" => format!("shows {}", commit(arguments.first().unwrap_or(&"HEAD"))),
        "blame" => format!("shows who changed each line of {} last", list(&arguments)?),
        "init" => "begins a repository here".to_owned(),
        _ => return None,
    })
}
