//! Harm through the network: requests that delete, and downloaded code that runs unread.

use std::ops::Range;

use shell_line::Word;

use crate::safety::database_clients;
use crate::safety::nested_commands::{NestedCommand, NestedCommands, is_flag};
use crate::safety::{Harm, code, sql, wrappers};

/// Commands of a line that are searched for a download.
const MAX_BEFORE: usize = 32;
/// Words of each of them.
const MAX_WORDS: usize = 64;

/// What a request to a server destroys.
pub fn request(run: &NestedCommand) -> Option<Harm> {
    let arguments = run.arguments();
    let values = || arguments.iter().map(|word| word.value.as_str());
    match run.name() {
        "curl" | "curlie" | "lwp-request" => curl(arguments),
        "wget" => values().any(|word| word.eq_ignore_ascii_case("--method=delete")).then_some(Harm::DeletesOther),
        "http" | "https" | "xh" | "xhs" | "httpie" | "restish" | "hurl" | "bru" | "hyper" => {
            let first = values().find(|word| !is_flag(word));
            first.is_some_and(|word| word.eq_ignore_ascii_case("delete")).then_some(Harm::DeletesOther)
        }
        "grpcurl" | "evans" | "buf" => {
            let deletes =
                |word: &str| ["/Delete", ".Delete", "/Drop", "/Purge", "/Destroy"].iter().any(|end| word.contains(end));
            values().any(deletes).then_some(Harm::DeletesOther)
        }
        _ => None,
    }
}

fn curl(arguments: &[Word]) -> Option<Harm> {
    let mut method: Option<String> = None;
    let mut bodies: Vec<&str> = Vec::new();
    let mut addresses: Vec<&str> = Vec::new();
    let mut words = arguments.iter().map(|word| word.value.as_str());
    while let Some(word) = words.next() {
        let cluster = word.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'));
        // `-sX DELETE`, `-XDELETE`
        if let Some((before, behind)) = cluster.and_then(|cluster| cluster.split_once('X'))
            && before.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            method = if behind.is_empty() { words.next().map(str::to_owned) } else { Some(behind.to_owned()) };
            continue;
        }
        match word {
            "--request" | "-m" => method = words.next().map(str::to_owned),
            "-d" | "--data" | "--data-raw" | "--data-binary" | "--data-urlencode" | "--json" | "-F" | "--form" => {
                bodies.extend(words.next());
            }
            "-Q" | "--quote" => {
                let deletes = |text: &str| {
                    ["DELE", "RMD", "rm ", "rmdir "]
                        .iter()
                        .any(|begin| text.trim_start_matches(['-', '+']).starts_with(begin))
                };
                if words.next().is_some_and(deletes) {
                    return Some(Harm::DeletesOther);
                }
            }
            "-H" | "--header" | "-u" | "--user" | "-o" | "--output" | "-A" | "-e" | "-b" | "-x" => drop(words.next()),
            _ => {
                if let Some((flag, value)) = word.split_once('=').filter(|(flag, _)| flag.starts_with("--")) {
                    match flag {
                        "--request" => method = Some(value.to_owned()),
                        flag if flag.starts_with("--data") || flag == "--json" => bodies.push(value),
                        _ => {}
                    }
                } else if let Some(body) = word.strip_prefix("-d").filter(|body| !body.is_empty()) {
                    bodies.push(body);
                } else if !is_flag(word) {
                    addresses.push(word);
                }
            }
        }
    }
    let method = method.map(|method| method.to_ascii_uppercase());
    if method.as_deref() == Some("DELETE") || method.as_deref() == Some("PURGE") {
        return Some(Harm::DeletesOther);
    }
    let sends = !bodies.is_empty() || matches!(method.as_deref(), Some("POST" | "PUT" | "PATCH"));
    let destroys = sends && addresses.iter().any(|address| path_destroys(address))
        || bodies.iter().any(|body| body_destroys(body));
    destroys.then_some(Harm::DeletesOther)
}

/// `/_delete_by_query`, `/actuator/shutdown`
fn path_destroys(address: &str) -> bool {
    const WORDS: [&str; 18] = [
        "delete",
        "destroy",
        "purge",
        "shutdown",
        "wipe",
        "drop",
        "terminate",
        "erase",
        "reset",
        "poweroff",
        "reboot",
        "flush",
        "truncate",
        "halt",
        "rollback",
        "kill",
        "close",
        "uninstall",
    ];
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = path.split_once('/').map_or("", |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.split(['/', '_', '-', '.', ':']).any(|part| WORDS.contains(&part.to_ascii_lowercase().as_str()))
}

/// A statement, or a mutation that deletes.
fn body_destroys(body: &str) -> bool {
    let statement =
        body.split_once('=').filter(|(key, _)| matches!(*key, "q" | "query" | "sql")).map_or(body, |(_, one)| one);
    let statement = statement.replace('+', " ").replace("%20", " ");
    let lower = body.to_lowercase();
    let mutation = lower.contains("mutation")
        && ["delete", "remove", "destroy", "drop", "purge"].iter().any(|verb| lower.contains(verb));
    let json = ["\"drop ", "\"delete from", "\"truncate ", "remove_index", "\"query\":\"drop", "\"query\": \"drop"];
    let form = lower.split('&').any(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or_default();
        matches!(key, "action" | "cmd" | "op" | "method" | "_method" | "command")
            && ["delete", "drop", "destroy", "remove", "purge", "shutdown", "wipe"].contains(&value)
    });
    form || mutation
        || json.iter().any(|part| lower.contains(part))
        || sql::is_statement(&statement) && sql::loses_data(&statement)
}

/// Programs that output remote or encoded text.
const BRINGS: [&str; 25] = [
    "curl", "wget", "fetch", "http", "https", "xh", "aria2c", "nc", "ncat", "netcat", "base64", "xxd", "base32",
    "uudecode", "lynx", "w3m", "links", "axel", "socat", "telnet", "openssl", "gpg", "wget2", "ftp", "tftp",
];

/// Programs whose output can be read in the line, or in a file.
const SHOWS: [&str; 4] = ["echo", "printf", "print", "cat"];

/// Whether the command runs code that the user has not seen.
pub fn runs_unseen(runs: &NestedCommands, run: &NestedCommand) -> bool {
    let name = run.name();
    let all = |range: &Range<usize>| runs.runs.get(range.clone()).unwrap_or_default();
    let brings = |range: &Range<usize>| all(range).iter().any(|run| BRINGS.contains(&run.name()));
    // `\x72m` is unreadable to a user.
    let hides = |run: &NestedCommand| {
        !SHOWS.contains(&run.name())
            || run.arguments().iter().any(|word| ["\\x", "\\0", "\\u"].iter().any(|code| word.value.contains(code)))
    };
    let shell = wrappers::is_shell(name) || matches!(name, "eval" | "source" | ".");
    // `ls | parallel` runs each line.
    let lines = name == "parallel" && wrappers::given_commands(run).is_empty() && !run.fed_by.is_empty();
    if wrappers::reads_commands(run) || lines {
        let hidden = |range: &Range<usize>| all(range).first().is_some_and(hides);
        return run.fed_by.iter().any(hidden) || run.substituted.iter().any(brings);
    }
    let downloads = |range: &Range<usize>| all(range).iter().any(is_download);
    // PowerShell.
    let invokes = matches!(name, "iex" | "Invoke-Expression") && !run.fed_by.is_empty();
    if invokes || takes_code(run) && run.fed_by.iter().any(downloads) {
        return true;
    }
    if code::is_interpreter(name) && reads_program(run) && run.fed_by.iter().any(brings) {
        return true;
    }
    (shell || code::is_interpreter(name)) && run.substituted.iter().any(brings) || runs_downloaded(runs, run)
}

/// Whether it downloads.
pub fn is_download(run: &NestedCommand) -> bool {
    matches!(run.name(), "curl" | "wget" | "fetch" | "http" | "xh" | "aria2c" | "wget2")
}

/// Whether it executes its standard input.
fn takes_code(run: &NestedCommand) -> bool {
    let has = |words: &[&str]| run.arguments().iter().any(|word| words.contains(&word.value.as_str()));
    match run.name() {
        "kubectl" | "oc" | "k" => has(&["apply", "create", "replace"]) && has(&["-", "/dev/stdin", "-f-"]),
        "docker" | "docker-compose" | "podman" => has(&["-f-", "-"]) && has(&["up", "build", "stack", "compose"]),
        "crontab" => has(&["-"]),
        "at" | "batch" | "parallel" => true,
        "ansible-playbook" | "make" => has(&["/dev/stdin", "-"]),
        name => {
            database_clients::is_client(name)
                && !matches!(name, "nc" | "ncat" | "netcat" | "telnet" | "socat" | "openssl" | "sftp" | "ftp")
        }
    }
}

/// `curl -o x … && sh x`, `curl … | tar x && ./x/install`
fn runs_downloaded(runs: &NestedCommands, run: &NestedCommand) -> bool {
    let same = |word: &Word| word.value.strip_prefix("./").unwrap_or(&word.value).to_owned();
    let Some(program) = program_file(run).map(same).filter(|program| !program.is_empty()) else { return false };
    let file = program.rsplit('/').next().unwrap_or(&program);
    let (start, first) = (run.span().start, runs.runs.iter().take(MAX_BEFORE));
    // Excludes the wrappers that run it.
    let before: Vec<&NestedCommand> =
        first.take_while(|before| before.span().start < start).filter(|before| before.span().end <= start).collect();
    let loads = |run: &NestedCommand| matches!(run.name(), "curl" | "wget" | "aria2c" | "http" | "fetch");
    let fed_by_load = |before: &NestedCommand| {
        let mut feeding = before.fed_by.iter().filter_map(|range| runs.runs.get(range.clone())).flatten();
        feeding.any(loads)
    };
    let direct = before.iter().filter(|before| loads(before) || fed_by_load(before)).any(|before| {
        let written = before.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        let mut words = before.arguments().iter().take(MAX_WORDS).chain(written);
        // `wget https://x/i.sh; sh i.sh`, `curl x | sudo tee /usr/local/bin/y; y`
        words.any(|word| {
            let ends = word.value.ends_with(&format!("/{file}"));
            same(word) == program || word.value.contains("://") && ends || before.name() == "tee" && ends
        })
    });
    if program.starts_with("/usr/") || !program.contains(['/', '.']) {
        return direct;
    }
    let first = run.words.first().is_some_and(|word| word.value.contains('/'));
    let scripted = first || wrappers::is_shell(run.name()) || code::is_interpreter(run.name());
    let unpacks = ["tar", "unzip", "bsdtar", "7z", "gunzip", "xz"];
    let unpacks =
        before.iter().any(|before| unpacks.contains(&before.name()) && before.fed_by.is_empty() || fed_by_load(before));
    let clones = |before: &&&NestedCommand| {
        before.name() == "git" && before.arguments().iter().any(|word| word.value == "clone")
    };
    let relative = !program.starts_with('/') || program.starts_with("/tmp/");
    let unpacked = unpacks && before.iter().any(|before| loads(before));
    direct || scripted && relative && (before.iter().any(|before| clones(&before)) || unpacked)
}

/// The file that a command runs or installs: a script, a program by its path or its name, a package.
fn program_file(run: &NestedCommand) -> Option<&Word> {
    match run.name() {
        "dpkg" | "rpm" | "installer" | "dnf" | "yum" | "apt" | "apt-get" | "pip" | "pip3" | "npm" | "source" | "." => {
            let file = |word: &&Word| !is_flag(&word.value) && word.value.contains('.') && word.value.len() > 1;
            run.arguments().iter().find(file)
        }
        name if wrappers::is_shell(name) || code::is_interpreter(name) => {
            run.arguments().iter().find(|word| !is_flag(&word.value))
        }
        _ => run.words.first(),
    }
}

/// Whether it reads its program from standard input: its words name neither a file nor a program.
fn reads_program(run: &NestedCommand) -> bool {
    let mut arguments = run.arguments().iter().map(|word| word.value.as_str());
    arguments.all(|word| word == "-" || matches!(word, "-u" | "-x" | "-w" | "/dev/stdin" | "-s" | "--"))
}
