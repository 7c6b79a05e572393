//! Harm that needs more than a table to detect, by the name of the command: the targets of `rm`, the mode of `chmod`, the arguments of `git
//! checkout`.

use shell_line::Word;

use crate::safety::Harm;
use crate::safety::known_output::TEMPORARY;
use crate::safety::nested_commands::{NestedCommand, is_flag};
use crate::safety::rules::{self, has_flag};
use crate::safety::target::{self, PathScope, WriteTarget};

pub fn harms(run: &NestedCommand) -> Vec<Harm> {
    let arguments = run.arguments();
    match run.name() {
        "rm" | "rimraf" | "del" | "trash-rm" => removed(run),
        "find" if rules::own_words(run).any(|word| word.value == "-delete") => found(run),
        // `find / -exec rm {} +`: the inner command is judged by itself, its starting point here.
        "find" if removes(arguments) => found(run).into_iter().filter(|harm| *harm != Harm::DeletesFiles).collect(),
        "chmod" => modes(run),
        "chown" | "chgrp" if has_flag(arguments, &["-R", "--recursive"]) => everything(run, 1),
        "umask" if arguments.iter().any(|word| matches!(word.value.as_str(), "0" | "00" | "000" | "0000")) => {
            vec![Harm::WorldWritable]
        }
        "dd" => disk_dump(arguments),
        "cp" | "mv" | "install" | "ln" | "rsync" => copied(run),
        "truncate" => truncated(arguments),
        "kill" => killed(arguments),
        "git" => checked_out(arguments),
        "perl" | "ruby" if arguments.iter().any(|word| edits_in_place(&word.value)) => vec![Harm::EditsInPlace],
        "shred" | "wipe" | "srm" => swept(&plain(arguments), run, has_flag(arguments, &["-r", "-R", "--recursive"])),
        "tar" if has_word(arguments, "--remove-files") => swept(&plain(arguments), run, true),
        "zip" if has_flag(arguments, &["-m", "--move"]) => swept(&plain(arguments), run, true),
        "fd" | "fdfind" => found_by_fd(run),
        _ => Vec::new(),
    }
}

fn plain(arguments: &[Word]) -> Vec<&Word> {
    let mut dashes = false;
    let mut plain = Vec::new();
    for word in arguments {
        if !dashes && word.value == "--" {
            dashes = true;
        } else if dashes || !is_flag(&word.value) {
            plain.push(word);
        }
    }
    plain
}

fn has_word(arguments: &[Word], wanted: &str) -> bool {
    arguments.iter().any(|word| word.value == wanted)
}

/// The word after one of the flags.
fn after<'w>(arguments: &'w [Word], flags: &[&str]) -> Option<&'w Word> {
    let at = arguments.iter().position(|word| flags.contains(&word.value.as_str()))?;
    arguments.get(at + 1)
}

/// What lies below a word's path, relative to the directory that the line changed to.
fn below(word: &Word, run: &NestedCommand) -> PathScope {
    match run.directory.as_deref() {
        Some(directory) if !word.value.starts_with(['/', '~', '$']) => target::path_scope(
            &target::joined(Some(directory), &word.value),
            word.fixed && !directory.starts_with(['~', '$']),
        ),
        _ => target::path_scope(&word.value, word.fixed),
    }
}

/// The harms of losing everything below these.
fn swept(targets: &[&Word], run: &NestedCommand, deep: bool) -> Vec<Harm> {
    let mut harms = Vec::new();
    for word in targets.iter().filter(|word| deep || word.value.ends_with('*')) {
        match below(word, run) {
            PathScope::System => harms.push(Harm::EndsSystem),
            PathScope::Home => harms.push(Harm::DeletesHome),
            PathScope::Something => {}
        }
    }
    if targets.iter().any(|word| target::write_target(&word.value) == WriteTarget::Disk) {
        harms.push(Harm::RawDisk);
    }
    harms
}

fn removed(run: &NestedCommand) -> Vec<Harm> {
    let arguments = run.arguments();
    let targets = plain(arguments);
    if !targets.is_empty() && targets.iter().all(|word| word.value.starts_with(TEMPORARY) && !word.value.contains(".."))
    {
        return Vec::new();
    }
    // Accepts abbreviations: `--recur` is `--recursive`.
    let short = |word: &Word| word.value.len() > 3 && "--recursive".starts_with(word.value.as_str());
    let deep = has_flag(arguments, &["-r", "-R", "-d"]) || arguments.iter().any(short) || run.name() == "rimraf";
    let mut harms = vec![Harm::DeletesFiles];
    harms.extend(swept(&targets, run, deep));
    if deep && has_word(arguments, "--no-preserve-root") {
        harms.push(Harm::EndsSystem);
    }
    harms
}

/// Whether `-exec` runs `rm` with a recursive or forcing flag, or on all of `-type f`.
fn removes(arguments: &[Word]) -> bool {
    let files = arguments.windows(2).any(|words| words[0].value == "-type" && words[1].value == "f");
    arguments.windows(2).enumerate().any(|(at, words)| {
        let runs = matches!(words[0].value.as_str(), "-exec" | "-execdir" | "-x" | "-X" | "--exec" | "--exec-batch");
        let flags = arguments.get(at + 2..at + 3).unwrap_or_default();
        let forces = has_flag(flags, &["-r", "-R", "-f", "--recursive", "--force", "-u"]);
        runs && (files || forces) && matches!(words[1].value.rsplit('/').next(), Some("rm" | "shred" | "srm"))
    })
}

/// `fd . / -X rm`: the first word is a pattern, the others are starting points.
fn found_by_fd(run: &NestedCommand) -> Vec<Harm> {
    let arguments = run.arguments();
    if !removes(arguments) {
        return Vec::new();
    }
    let runs = |word: &&Word| !matches!(word.value.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let mut words = arguments.iter().take_while(runs).filter(|word| !is_flag(&word.value));
    let all = words.next().is_some_and(|pattern| matches!(pattern.value.as_str(), "" | "." | ".*" | "*"));
    let starts: Vec<&Word> = words.collect();
    if all { swept(&starts, run, true) } else { Vec::new() }
}

/// What `find / | xargs rm` deletes, by the `find` that feeds it. A filter between the two may select among its files.
pub fn fed(run: &NestedCommand, feeding: &[&NestedCommand]) -> Vec<Harm> {
    let takes = run.words.last().is_some_and(|word| word.value == "{}" && !word.fixed);
    let [find] = feeding else { return Vec::new() };
    if !takes || !matches!(run.name(), "rm" | "shred" | "srm") || find.name() != "find" {
        return Vec::new();
    }
    found(find).into_iter().filter(|harm| *harm != Harm::DeletesFiles).collect()
}

/// `find / -delete`
fn found(run: &NestedCommand) -> Vec<Harm> {
    let arguments = run.arguments();
    let starts: Vec<&Word> = arguments
        .iter()
        .skip_while(|word| matches!(word.value.as_str(), "-L" | "-H" | "-P"))
        .take_while(|word| !word.value.starts_with(['-', '(', '!']))
        .collect();
    let narrow =
        ["-name", "-iname", "-path", "-regex", "-mtime", "-size", "-newer", "-user", "-mmin", "-empty", "-maxdepth"];
    let all = !arguments.iter().any(|word| narrow.contains(&word.value.as_str()));
    let mut harms = vec![Harm::DeletesFiles];
    if all {
        harms.extend(swept(&starts, run, true));
    }
    harms
}

fn modes(run: &NestedCommand) -> Vec<Harm> {
    let mut harms = Vec::new();
    let arguments = run.arguments();
    let mut targets = plain(arguments);
    // `chmod -x f`, `chmod -rwx f`: the mode looks like a flag.
    let mode = arguments.iter().find(|word| is_mode_flag(&word.value));
    let mode = mode.or_else(|| targets.first().copied());
    let by_reference = arguments.iter().any(|word| word.value.starts_with("--reference"));
    if let Some(mode) = mode.filter(|_| !by_reference) {
        if opens_to_all(&mode.value) {
            harms.push(Harm::WorldWritable);
        }
        if gives_rights(&mode.value) || shows_key(&mode.value, &targets) {
            harms.push(Harm::Unprotects);
        }
        targets.retain(|word| word.span != mode.span || word.value != mode.value);
        let system = ["/bin/", "/sbin/", "/usr/", "/etc/", "/lib"];
        let programs = targets.iter().any(|word| system.iter().any(|begin| word.value.starts_with(begin)));
        let deep = has_flag(arguments, &["-R", "--recursive"]);
        let root = |word: &Word| target::resolved(&word.value) == "/";
        let system = |word: &Word| deep && below(word, run) == PathScope::System;
        if shuts(&mode.value) && targets.iter().any(|word| root(word) || system(word)) {
            harms.push(Harm::EndsSystem);
        }
        if shuts(&mode.value) && (programs || deep) {
            harms.push(Harm::ChangesOwner);
        }
    }
    if has_flag(arguments, &["-R", "--recursive"])
        && targets.iter().any(|word| below(word, run) != PathScope::Something)
    {
        harms.push(Harm::ChangesOwner);
    }
    harms
}

pub fn is_mode_flag(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|one| "rwxXst".contains(one)))
}

/// A world-writable mode. The sticky bit makes that safe.
fn opens_to_all(mode: &str) -> bool {
    let digits = !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit());
    if digits {
        let sticky = mode.len() == 4 && mode.starts_with(['1', '3', '5', '7']);
        return mode.ends_with(['2', '3', '6', '7']) && mode.len() >= 3 && !sticky;
    }
    mode.split(',').any(|clause| {
        let Some(operator) = clause.find(['+', '=']) else { return false };
        let (who, what) = clause.split_at(operator);
        who.contains(['o', 'a']) && what.contains('w')
    })
}

/// A set-user-id mode: `4755`, `u+s`.
fn gives_rights(mode: &str) -> bool {
    let digits = mode.len() == 4 && mode.bytes().all(|byte| byte.is_ascii_digit());
    if digits {
        return mode.starts_with(['4', '6', '7']);
    }
    mode.split(',').any(|clause| {
        let Some(operator) = clause.find(['+', '=']) else { return false };
        let (who, what) = clause.split_at(operator);
        what.contains('s') && (who.is_empty() || who.contains(['u', 'a']))
    })
}

/// A private key that others may read: `chmod 644 ~/.ssh/id_rsa`.
fn shows_key(mode: &str, targets: &[&Word]) -> bool {
    let key = |word: &&Word| {
        let name = word.value.rsplit('/').next().unwrap_or_default();
        ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].contains(&name)
            || name.ends_with(".pem") && word.value.contains("ssh")
    };
    let open = mode.len() >= 3 && mode.bytes().all(|byte| byte.is_ascii_digit()) && !mode.ends_with("00");
    (open || mode.contains("+r")) && targets.iter().any(key)
}

/// A mode that takes rights from the owner: `000`, `a-rwx`.
fn shuts(mode: &str) -> bool {
    matches!(mode, "0" | "00" | "000" | "0000" | "a-rwx" | "a=" | "-rwx" | "ugo-rwx" | "a-x" | "-x" | "-r" | "a-r")
}

fn everything(run: &NestedCommand, skip: usize) -> Vec<Harm> {
    const TREES: [&str; 6] = ["/usr/local", "/var/lib", "/var/log", "/usr/lib", "/usr/share", "/etc/ssl"];
    let tree = |word: &Word| TREES.contains(&target::resolved(&word.value).trim_end_matches('/'));
    let mut targets = plain(run.arguments()).into_iter().skip(skip);
    let all = targets.any(|word| below(word, run) != PathScope::Something || tree(word));
    if all { vec![Harm::ChangesOwner] } else { Vec::new() }
}

fn disk_dump(arguments: &[Word]) -> Vec<Harm> {
    let Some(to) = arguments.iter().find_map(|word| word.value.strip_prefix("of=")) else { return Vec::new() };
    match target::write_target(to) {
        WriteTarget::Nowhere => Vec::new(),
        WriteTarget::Disk | WriteTarget::Kernel | WriteTarget::Setting | WriteTarget::File => vec![Harm::RawDisk],
    }
}

/// Harm of a copy besides overwriting: `mv x /dev/null`, `cp x /dev/sda`, `mv / x`.
fn copied(run: &NestedCommand) -> Vec<Harm> {
    let targets = plain(run.arguments());
    let mut harms = Vec::new();
    let Some((last, sources)) = targets.split_last().filter(|(_, sources)| !sources.is_empty()) else { return harms };
    match target::write_target(&last.value) {
        WriteTarget::Disk => harms.push(Harm::RawDisk),
        WriteTarget::Nowhere if run.name() == "mv" && target::resolved(&last.value) == "/dev/null" => {
            harms.push(Harm::DeletesFiles);
        }
        _ => {}
    }
    // `cp /dev/null x` empties it.
    if run.name() == "cp" && sources.iter().any(|word| target::resolved(&word.value) == "/dev/null") {
        harms.push(Harm::DeletesFiles);
    }
    let mirrors = run.name() == "rsync"
        && run.arguments().iter().any(|word| word.value.starts_with("--del"))
        && !has_flag(run.arguments(), &["-n", "--dry-run"]);
    if mirrors {
        harms.extend(swept(&[last], run, true));
    }
    if run.name() == "mv" {
        for word in sources {
            match below(word, run) {
                PathScope::System => harms.push(Harm::EndsSystem),
                PathScope::Home => harms.push(Harm::DeletesHome),
                PathScope::Something => {}
            }
        }
    }
    harms
}

fn truncated(arguments: &[Word]) -> Vec<Harm> {
    let long = |word: &Word| word.value.strip_prefix("--size=").or(word.value.strip_prefix("-s")).map(str::to_owned);
    let glued = arguments.iter().filter_map(long).find(|size| !size.is_empty());
    let size = glued.or_else(|| after(arguments, &["-s", "--size", "-cs"]).map(|word| word.value.clone()));
    match size.as_deref() {
        None => Vec::new(),
        Some(size) if size.starts_with(['+', '>']) => Vec::new(),
        Some("0") => vec![Harm::DeletesFiles],
        Some(_) => vec![Harm::Overwrites],
    }
}

/// A signal that notifies a program without ending it: `-HUP`, `-s USR1`.
pub fn is_notice(values: &[&str]) -> bool {
    let signal = match values {
        ["-s" | "--signal", signal, ..] => Some(*signal),
        [flag, ..] => flag.strip_prefix("--signal=").or(flag.strip_prefix('-')),
        [] => None,
    };
    let signal = signal.map(|signal| signal.strip_prefix("SIG").unwrap_or(signal));
    matches!(signal, Some("HUP" | "USR1" | "USR2" | "CONT" | "WINCH" | "INFO" | "CHLD"))
}

fn killed(arguments: &[Word]) -> Vec<Harm> {
    let values: Vec<&str> = arguments.iter().map(|word| word.value.as_str()).collect();
    // Only queries whether it runs, or lists the signals.
    let asks = matches!(
        values.as_slice(),
        ["-l" | "-L" | "--list" | "--table", ..] | ["-0", ..] | ["-s" | "-n" | "--signal", "0", ..]
    );
    // A job of this shell.
    let job = values.last().is_some_and(|word| word.starts_with('%'));
    // For process 1 no signal is just a notification.
    let first = values.get(1..).unwrap_or_default().iter().any(|word| matches!(*word, "1" | "-1"));
    if asks || job || is_notice(&values) && !first {
        return Vec::new();
    }
    // The first word may be a signal: there `-1` is HUP, and after one it means all processes.
    let targets = values.get(1..).unwrap_or_default();
    let all = targets.contains(&"-1") || values.first() == Some(&"1") || targets.contains(&"1") && values.len() == 2;
    vec![if all { Harm::TakesDown } else { Harm::Stops }]
}

/// `git checkout` of files, told from that of a branch by its arguments.
fn checked_out(arguments: &[Word]) -> Vec<Harm> {
    let mut words = arguments.iter().map(|word| word.value.as_str());
    let sub = loop {
        match words.next() {
            Some("-C" | "-c" | "--git-dir" | "--work-tree") => drop(words.next()),
            Some(word) if is_flag(word) => {}
            other => break other,
        }
    };
    let rest: Vec<&str> = words.collect();
    if sub != Some("checkout") {
        return Vec::new();
    }
    let dashes = rest.iter().position(|word| *word == "--");
    let named = dashes.is_some_and(|dashes| dashes + 1 < rest.len());
    let makes = rest.iter().any(|word| matches!(*word, "-b" | "-B" | "--orphan" | "--help"));
    let looks_like_path = |word: &&str| {
        matches!(*word, "." | ".." | ":/" | "*" | "Makefile" | "Dockerfile" | "Gemfile" | "LICENSE" | "README")
            || word.ends_with('/')
            || word.contains('*')
            || word.starts_with("./")
            || word.starts_with("../")
            || has_ending(word)
    };
    // `git checkout main src`: files of another commit.
    let tracks = rest.iter().any(|word| matches!(*word, "-t" | "--track" | "--detach" | "-d" | "-p" | "--patch"));
    let several = !makes && !tracks && rest.iter().filter(|word| !is_flag(word)).count() > 1;
    let loses = named || several || !makes && rest.iter().any(looks_like_path);
    if loses && !rest.iter().any(|word| matches!(*word, "-p" | "--patch")) { vec![Harm::LosesWork] } else { Vec::new() }
}

/// `-pi`, `-i.bak`, `-0777pi`; not the letter in `-Mstrict` or in a program.
fn edits_in_place(flag: &str) -> bool {
    let Some(letters) = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else { return false };
    let own = letters.find(|letter| "eEMmIxFDCVr".contains(letter)).unwrap_or(letters.len());
    letters.get(..own).is_some_and(|own| own.contains('i'))
}

/// Extensions of files that are edited by hand; branch names rarely have them.
fn has_ending(word: &str) -> bool {
    const ENDINGS: [&str; 48] = [
        "rs", "py", "js", "ts", "tsx", "jsx", "c", "h", "cpp", "go", "java", "rb", "sh", "md", "txt", "json", "toml",
        "yaml", "yml", "html", "css", "lock", "php", "kt", "swift", "cs", "vue", "svelte", "scss", "less", "sql",
        "xml", "ini", "cfg", "conf", "env", "csv", "tf", "hcl", "proto", "graphql", "ipynb", "lua", "ex", "exs",
        "scala", "mjs", "mod",
    ];
    word.rsplit_once('.').is_some_and(|(name, ending)| !name.is_empty() && ENDINGS.contains(&ending))
}
