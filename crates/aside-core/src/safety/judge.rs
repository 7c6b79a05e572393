//! Harm that takes more than a table to see: where a redirection goes, what `rm` is pointed at, who feeds a shell.

use std::ops::Range;

use crate::line::{Redirect, Redirection, Word};
use crate::safety::rules::{self, has_flag};
use crate::safety::runs::{Run, Runs, Sign, is_flag};
use crate::safety::target::{self, Below, Goes};
use crate::safety::wrap;
use crate::safety::{Danger, Harm, sql};

/// What one command of a line does.
pub fn judge(runs: &Runs, run: &Run, dangers: &mut Vec<Danger>) {
    for redirection in &run.redirections {
        if let Some(harm) = redirected(redirection) {
            dangers.push(Danger { harm, span: redirection.span.clone() });
        }
    }
    let mut add = |harm: Harm| dangers.push(Danger { harm, span: run.span() });
    match run.sign {
        Sign::Nothing => {}
        Sign::Bomb => add(Harm::TakesDown),
        Sign::Deep => add(Harm::RunsUnseen),
    }
    if run.name().is_empty() || asks_for_help(run) {
        return;
    }
    rules::harms(run).into_iter().for_each(&mut add);
    own(run).into_iter().for_each(&mut add);
    if runs_unseen(runs, run) {
        add(Harm::RunsUnseen);
    }
    if statements(runs, run).iter().any(|text| sql::loses_data(text)) {
        add(Harm::DeletesOther);
    }
}

/// Commands of a line among which one that downloads is looked for.
const MAX_BEFORE: usize = 32;

fn asks_for_help(run: &Run) -> bool {
    let mut before = run.arguments().iter().map(|word| word.value.as_str()).take_while(|word| *word != "--");
    // `cargo yank --version 1.0` asks for something else.
    let version = matches!(run.arguments(), [only] if only.value == "--version");
    // A wrapper's arguments are those of another command.
    wrap::inner(run).is_empty() && (version || before.any(|word| word == "--help"))
}

fn redirected(redirection: &Redirection) -> Option<Harm> {
    let target = redirection.target.as_ref()?;
    match redirection.kind {
        Redirect::Write => {}
        Redirect::Append if target::goes(&target.value) == Goes::Disk => return Some(Harm::RawDisk),
        _ => return None,
    }
    match target::goes(&target.value) {
        Goes::Nowhere => None,
        Goes::Disk => Some(Harm::RawDisk),
        Goes::Kernel => Some(Harm::TakesDown),
        Goes::File => Some(Harm::Overwrites),
    }
}

/// By the name of the command.
fn own(run: &Run) -> Vec<Harm> {
    let arguments = run.arguments();
    match run.name() {
        "rm" => removed(arguments),
        "find" => match has_word(arguments, "-delete") {
            true => vec![Harm::DeletesFiles],
            false => found_into(arguments),
        },
        "chmod" => modes(arguments),
        "chown" | "chgrp" if has_flag(arguments, &["-R", "--recursive"]) => everything(arguments),
        "umask" if arguments.iter().any(|word| matches!(word.value.as_str(), "0" | "00" | "000" | "0000")) => {
            vec![Harm::WorldWritable]
        }
        "dd" => disk_dump(arguments),
        "tee" if !has_flag(arguments, &["-a", "--append"]) => written(&plain(arguments)),
        "cp" | "mv" | "install" | "ln" => copied(run.name(), arguments),
        "sort" => after(arguments, &["-o", "--output"]).map(|file| written(&[file])).unwrap_or_default(),
        "truncate" => truncated(arguments),
        "kill" => killed(arguments),
        "git" => checked_out(arguments),
        "perl" | "ruby" if arguments.iter().any(|word| edits_in_place(&word.value)) => vec![Harm::EditsInPlace],
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

fn removed(arguments: &[Word]) -> Vec<Harm> {
    let targets = plain(arguments);
    if targets.is_empty() {
        // `ls | xargs rm`: the names come later.
        return vec![Harm::DeletesFiles];
    }
    let deep = has_flag(arguments, &["-r", "-R", "--recursive"]);
    let mut harms = vec![Harm::DeletesFiles];
    for word in targets.iter().filter(|word| deep || word.value.ends_with('*')) {
        match target::below(&word.value, word.fixed) {
            Below::System => harms.push(Harm::EndsSystem),
            Below::Home => harms.push(Harm::DeletesHome),
            Below::Something => {}
        }
    }
    if deep && has_word(arguments, "--no-preserve-root") {
        harms.push(Harm::EndsSystem);
    }
    harms
}

/// `find … -fprint file`
fn found_into(arguments: &[Word]) -> Vec<Harm> {
    let flags = ["-fprint", "-fprint0", "-fls", "-fprintf"];
    after(arguments, &flags).map(|file| written(&[file])).unwrap_or_default()
}

fn modes(arguments: &[Word]) -> Vec<Harm> {
    let mut harms = Vec::new();
    let targets = plain(arguments);
    if targets.first().is_some_and(|mode| opens_to_all(&mode.value)) {
        harms.push(Harm::WorldWritable);
    }
    if has_flag(arguments, &["-R", "--recursive"]) {
        harms.extend(everything(targets.into_iter().skip(1)));
    }
    harms
}

/// A mode with which everybody may write. The sticky bit makes that safe.
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

fn everything<'w>(targets: impl IntoIterator<Item = &'w Word>) -> Vec<Harm> {
    let all = targets.into_iter().any(|word| target::below(&word.value, word.fixed) != Below::Something);
    if all { vec![Harm::ChangesOwner] } else { Vec::new() }
}

fn disk_dump(arguments: &[Word]) -> Vec<Harm> {
    let Some(to) = arguments.iter().find_map(|word| word.value.strip_prefix("of=")) else { return Vec::new() };
    match target::goes(to) {
        Goes::Nowhere => Vec::new(),
        Goes::Disk | Goes::Kernel => vec![Harm::RawDisk],
        Goes::File => vec![Harm::RawDisk, Harm::Overwrites],
    }
}

fn written(files: &[&Word]) -> Vec<Harm> {
    let goes = files.iter().map(|word| target::goes(&word.value));
    let harm = |goes: Goes| match goes {
        Goes::Nowhere => None,
        Goes::Disk => Some(Harm::RawDisk),
        Goes::Kernel => Some(Harm::TakesDown),
        Goes::File => Some(Harm::Overwrites),
    };
    goes.filter_map(harm).collect()
}

fn copied(name: &str, arguments: &[Word]) -> Vec<Harm> {
    let targets = plain(arguments);
    let mut harms = Vec::new();
    match targets.last().filter(|_| targets.len() > 1).map(|word| (target::goes(&word.value), &*word.value)) {
        Some((Goes::Disk, _)) => harms.push(Harm::RawDisk),
        Some((Goes::Nowhere, "/dev/null")) if name == "mv" => harms.push(Harm::DeletesFiles),
        _ => {}
    }
    let careful = has_flag(arguments, &["-i", "--interactive", "-n", "--no-clobber", "-b", "--backup"]);
    if has_flag(arguments, &["-f", "--force", "--remove-destination"]) && !careful {
        harms.push(Harm::Overwrites);
    }
    harms
}

fn truncated(arguments: &[Word]) -> Vec<Harm> {
    let long = |word: &Word| word.value.strip_prefix("--size=").or(word.value.strip_prefix("-s")).map(str::to_owned);
    let glued = arguments.iter().filter_map(long).find(|size| !size.is_empty());
    let size = glued.or_else(|| after(arguments, &["-s", "--size"]).map(|word| word.value.clone()));
    match size.as_deref() {
        None => Vec::new(),
        Some(size) if size.starts_with(['+', '>']) => Vec::new(),
        Some("0") => vec![Harm::DeletesFiles],
        Some(_) => vec![Harm::Overwrites],
    }
}

fn killed(arguments: &[Word]) -> Vec<Harm> {
    let values: Vec<&str> = arguments.iter().map(|word| word.value.as_str()).collect();
    // They ask whether it runs, or what signals there are.
    let asks = matches!(values.as_slice(), ["-l" | "-L" | "--list" | "--table", ..] | ["-0", ..] | ["-s", "0", ..]);
    if asks {
        return Vec::new();
    }
    // The first may be a signal: `-1` is HUP there, and all processes behind one.
    let targets = values.get(1..).unwrap_or_default();
    let all = targets.contains(&"-1") || values.first() == Some(&"1") || targets.contains(&"1") && values.len() == 2;
    vec![if all { Harm::TakesDown } else { Harm::Stops }]
}

/// `git checkout` of files, which is told from that of a branch by what it is given.
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
    let makes = rest.iter().any(|word| matches!(*word, "-b" | "-B" | "--orphan"));
    let looks_like_path = |word: &&str| {
        matches!(*word, "." | ".." | ":/" | "*")
            || word.starts_with("./")
            || word.starts_with("../")
            || has_ending(word)
    };
    if named || !makes && rest.iter().any(looks_like_path) { vec![Harm::LosesWork] } else { Vec::new() }
}

/// `-pi`, `-i.bak`, `-0777pi`; not the letter in `-Mstrict` or in a program.
fn edits_in_place(flag: &str) -> bool {
    let Some(letters) = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else { return false };
    let own = letters.find(|letter| "eEMmIxFDCVr".contains(letter)).unwrap_or(letters.len());
    letters.get(..own).is_some_and(|own| own.contains('i'))
}

/// Files that are edited by hand; a branch hardly ends like one.
fn has_ending(word: &str) -> bool {
    const ENDINGS: [&str; 22] = [
        "rs", "py", "js", "ts", "tsx", "jsx", "c", "h", "cpp", "go", "java", "rb", "sh", "md", "txt", "json", "toml",
        "yaml", "yml", "html", "css", "lock",
    ];
    word.rsplit_once('.').is_some_and(|(name, ending)| !name.is_empty() && ENDINGS.contains(&ending))
}

/// Programs that bring text from elsewhere, or out of a form that nobody reads.
const BRINGS: [&str; 14] = [
    "curl", "wget", "fetch", "http", "https", "xh", "aria2c", "nc", "ncat", "netcat", "base64", "xxd", "base32",
    "uudecode",
];

/// What is fed to a shell and can be read in the line, or in a file.
const SHOWS: [&str; 4] = ["echo", "printf", "print", "cat"];

fn runs_unseen(runs: &Runs, run: &Run) -> bool {
    let name = run.name();
    let all = |range: &Range<usize>| runs.runs.get(range.clone()).unwrap_or_default();
    let brings = |range: &Range<usize>| all(range).iter().any(|run| BRINGS.contains(&run.name()));
    // `\x72m` is read by nobody.
    let hides = |run: &Run| {
        !SHOWS.contains(&run.name())
            || run.arguments().iter().any(|word| ["\\x", "\\0", "\\u"].iter().any(|code| word.value.contains(code)))
    };
    let shell = wrap::is_shell(name) || matches!(name, "eval" | "source" | ".");
    if wrap::reads_commands(run) {
        return run.fed_by.iter().any(|range| all(range).first().is_some_and(hides))
            || run.substituted.iter().any(brings);
    }
    if is_interpreter(name) && reads_program(run) && run.fed_by.iter().any(brings) {
        return true;
    }
    (shell || is_interpreter(name)) && run.substituted.iter().any(brings) || runs_downloaded(runs, run)
}

/// `curl -o x … && sh x`
fn runs_downloaded(runs: &Runs, run: &Run) -> bool {
    let same = |word: &Word| word.value.strip_prefix("./").unwrap_or(&word.value).to_owned();
    let program = match wrap::is_shell(run.name()) || is_interpreter(run.name()) {
        true => run.arguments().iter().find(|word| !is_flag(&word.value)),
        false => run.words.first().filter(|word| word.value.contains('/')),
    };
    let Some(program) = program.map(same).filter(|program| !program.is_empty()) else { return false };
    let before = runs.runs.iter().take(MAX_BEFORE).take_while(|before| before.span().start < run.span().start);
    let mut loads = before.filter(|before| matches!(before.name(), "curl" | "wget"));
    loads.any(|before| {
        let written = before.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        before.arguments().iter().chain(written).any(|word| same(word) == program)
    })
}

fn is_interpreter(name: &str) -> bool {
    let version = |ending: &str| ending.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    ["python", "perl", "ruby", "node", "php", "deno", "lua", "osascript"]
        .iter()
        .any(|known| name.strip_prefix(known).is_some_and(version))
}

/// Its program is what it is fed: no file and no program is among its words.
fn reads_program(run: &Run) -> bool {
    let mut arguments = run.arguments().iter().map(|word| word.value.as_str());
    arguments.all(|word| word == "-" || matches!(word, "-u" | "-x" | "-w" | "/dev/stdin"))
}

/// Texts that a database reads.
fn statements(runs: &Runs, run: &Run) -> Vec<String> {
    let arguments = run.arguments();
    let flags: &[&str] = match run.name() {
        "psql" => &["-c", "--command"],
        "mysql" | "mariadb" => &["-e", "--execute"],
        "sqlite3" | "sqlite" | "duckdb" => &[],
        "clickhouse-client" => &["-q", "--query"],
        "redis-cli" => {
            let words = plain(arguments).into_iter().map(|word| word.value.to_lowercase());
            return words.filter(|word| word.starts_with("flush")).collect();
        }
        _ => return Vec::new(),
    };
    let mut texts = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        for flag in flags {
            match word.value.strip_prefix(flag) {
                Some("") => texts.extend(arguments.get(at + 1).map(|next| next.value.clone())),
                Some(rest) if flag.starts_with("--") => texts.extend(rest.strip_prefix('=').map(str::to_owned)),
                Some(rest) => texts.push(rest.to_owned()),
                None => {}
            }
        }
    }
    if flags.is_empty() {
        // The first is the file.
        texts.extend(plain(arguments).iter().skip(1).map(|word| word.value.clone()));
    }
    let handed = run.redirections.iter().filter(|redirection| redirection.kind == Redirect::HereString);
    texts.extend(handed.filter_map(|redirection| redirection.target.as_ref()).map(|word| word.value.clone()));
    let fed = run.fed_by.first().and_then(|fed| runs.runs.get(fed.start));
    if let Some(fed) = fed.filter(|fed| matches!(fed.name(), "echo" | "printf" | "print")) {
        let words = fed.arguments().iter().map(|word| word.value.as_str()).skip_while(|word| is_flag(word));
        texts.push(words.collect::<Vec<_>>().join(" "));
    }
    texts
}
