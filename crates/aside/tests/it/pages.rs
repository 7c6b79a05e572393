//! The pages are held to the program: commands in them are run, transcripts compared, exit codes and variables tried.
//! A block that cannot be run says why in the line above it: `<!-- not run: why -->`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::harness::home::{self, Home, Said};

const SHELLS: [&str; 4] = ["sh", "bash", "zsh", "fish"];

/// A picture is in sight without scrolling.
const FIRST_LINES: usize = 16;

/// Two screens.
const MAX_LINES: usize = 110;

/// Written by the program, to be searched and not to be read.
const GENERATED: [&str; 2] = ["docs/reference.md", "docs/cli.md"];

/// Commands in reading order, each with the code that docs/reference.md says for its case.
const ENDS: &[(&str, i32)] = &[
    ("aside why", 1),
    ("aside setup", 1),
    ("aside setup --yes", 0),
    ("aside tutor", 0),
    ("aside doctor", 0),
    ("PATH=/usr/bin:/bin $ASIDE doctor", 1),
    ("aside config list", 0),
    ("aside config get no.such", 2),
    ("aside config set complete.bar sometimes", 2),
    ("aside translate find files larger than 100MB", 0),
    ("aside translate qqq zzz", 1),
    ("aside translate", 2),
    ("aside explain ls -l", 0),
    ("aside explain -- qqzzqq", 1),
    ("aside answer hello", 0),
    ("aside answer", 2),
    ("aside fix --exit 127 -- gti status", 0),
    ("aside fix -- qqzzqq", 1),
    ("aside task list", 0),
    ("aside task show", 1),
    ("aside task run the tests", 4),
    ("aside task list", 0),
    ("aside task --no-such", 2),
    ("ASIDE_SOCKET=/proc/nowhere/aside.sock aside task list", 3),
    ("aside chat", 2),
    ("aside web --sign-out", 0),
    ("ASIDE_SOCKET=/proc/nowhere/aside.sock aside web --print", 1),
    ("aside remote status", 0),
    ("aside remote pair", 1),
    ("aside remote setup </dev/null", 2),
    ("aside config set remote.enabled true", 0),
    ("ASIDE_SOCKET=/proc/nowhere/aside.sock aside remote status", 3),
    ("aside remote off", 0),
    ("aside relay machines", 2),
    ("aside why", 0),
    ("ASIDE_SOCKET=/proc/nowhere/aside.sock aside why", 3),
    ("aside history search status", 0),
    ("aside history search qqzzqq", 1),
    ("aside log", 0),
    ("aside stats", 0),
    ("aside privacy", 0),
    ("aside privacy --last", 0),
    ("aside privacy test no-such-file", 1),
    ("aside model list", 0),
    ("aside model use no-such", 1),
    ("aside agent list", 0),
    ("aside agent use no-such", 1),
    ("aside config set mcp.enabled true", 0),
    ("aside mcp </dev/null", 0),
    ("aside config set mcp.enabled false", 0),
    ("aside mcp </dev/null", 1),
    ("aside init zsh", 0),
    ("aside complete -- git st", 0),
    ("aside complete -- qqjjzz", 1),
    ("ASIDE_SOCKET=/proc/nowhere/aside.sock aside complete -- ls", 3),
    ("aside detect before -- ls", 0),
    ("aside detect wrong --undo -- never marked", 1),
    ("aside suggest --exit 0 -- ls", 0),
    ("aside suggest --exit 1 --output-file no-such -- ls", 1),
    ("aside completions zsh", 0),
    ("aside daemon stop", 0),
    ("aside daemon stop", 0),
    ("aside daemon status", 3),
    ("aside uninstall", 1),
    ("aside uninstall --yes", 0),
];

/// What needs a terminal and a key, or a relay that runs; scenes of their own have them.
const BY_HAND: [(&str, &str); 5] = [("chat", "0"), ("answer", "130"), ("task", "130"), ("relay", "0"), ("relay", "1")];

/// Ours among each other, and those of tests: no user sets them.
const INNER: [&str; 5] = ["ASIDE_", "ASIDE_INHERIT_FDS", "ASIDE_TRY_ZDOTDIR", "ASIDE_API_KEY", "ASIDE_NO_SUCH"];

#[test]
fn commands_of_the_pages_run_and_print_what_they_show() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for page in user_pages() {
        let home = prepared();
        for block in blocks(&text(&page)) {
            if block.reason.is_some() {
                continue;
            }
            if SHELLS.contains(&block.language.as_str()) {
                ran += 1;
                let said = run(&home, &block.language, &block.lines.join("\n"));
                if said.code != 0 {
                    wrong.push(format!("{page} line {}: {said:?}", block.line));
                }
            } else if block.language == "console" {
                ran += 1;
                wrong.extend(untrue(&home, &block).map(|difference| format!("{page} {difference}")));
            }
        }
    }
    assert!(ran > 10, "only {ran} blocks were run");
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn every_command_ends_as_the_reference_says() {
    let reference = text("docs/reference.md");
    let told: BTreeSet<(String, String)> = rows(&reference, "## Exit codes").into_iter().collect();
    assert!(told.len() > 40, "{told:?}");
    let home = prepared();
    let mut tried: BTreeSet<(String, String)> = BY_HAND.map(|(name, code)| (name.to_owned(), code.to_owned())).into();
    let mut wrong = Vec::new();
    for (line, code) in ENDS {
        let said = run(&home, "sh", line);
        if said.code != *code {
            wrong.push(format!("`{line}` ended with {} instead of {code}: {}{}", said.code, said.stdout, said.stderr));
        }
        let mut words = line.split_whitespace().skip_while(|word| word.contains('='));
        let name = words.nth(1).unwrap().to_owned();
        // Every command has it for arguments that make no sense.
        if *code != 2 || told.contains(&(name.clone(), "2".to_owned())) {
            tried.insert((name, code.to_string()));
        }
    }
    let told: BTreeSet<(String, String)> = told.into_iter().filter(|(_, code)| code != "other").collect();
    wrong.extend(told.difference(&tried).map(|(name, code)| format!("nothing tries {name} {code}")));
    wrong.extend(tried.difference(&told).map(|(name, code)| format!("docs/reference.md lacks {name} {code}")));
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn every_variable_of_ours_is_in_the_reference() {
    let reference = text("docs/reference.md");
    let mut wrong = BTreeSet::new();
    for file in sources(&root().join("crates/aside/src")).into_iter().chain(sources(&root().join("crates/aside/shell")))
    {
        let source = std::fs::read_to_string(&file).unwrap();
        for name in variables(&source) {
            let is_inner =
                INNER.contains(&name) || name.starts_with("ASIDE_TEST_") || !source.contains(&format!("\"{name}\""));
            if !is_inner && !reference.contains(&format!("`{name}`")) && !file.ends_with("tests.rs") {
                wrong.insert(format!("{name} ({})", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "docs/reference.md does not name {wrong:?}");
}

#[test]
fn every_slot_of_a_rule_is_on_its_page() {
    let mut wrong = Vec::new();
    for (page, source, function) in [
        ("docs/suggest-rules.md", "crates/aside-core/src/suggest/fill.rs", "fn filled("),
        ("docs/rules.md", "crates/aside-core/src/translate/embedded/slots.rs", "fn fill("),
    ] {
        let (written, source) = (text(page), text(source));
        let (_, body) = source.split_once(function).unwrap_or_else(|| panic!("no {function} for {page}"));
        let (body, _) = body.split_once("\n}\n").unwrap();
        let arms = body.lines().filter_map(|line| line.strip_prefix("        \"")?.split_once("\" =>"));
        let slots: Vec<&str> = arms.map(|(slot, _)| slot).collect();
        assert!(slots.len() > 15, "{slots:?}");
        let is_named = |slot: &str| ["`<", "`"].iter().any(|begin| written.contains(&format!("{begin}{slot}")));
        wrong.extend(
            slots.into_iter().filter(|slot| !is_named(slot)).map(|slot| format!("{page} does not name {slot}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_page_for_users_begins_with_a_picture() {
    for page in user_pages() {
        let text = text(&page);
        let mut first = text.lines().take(FIRST_LINES);
        assert!(first.any(|line| line.starts_with("```") || line.contains("![")), "{page} shows nothing at its top");
    }
}

#[test]
fn every_page_for_users_fits_two_screens() {
    for page in user_pages().iter().filter(|page| !GENERATED.contains(&page.as_str())) {
        let lines = text(page).lines().count();
        assert!(lines <= MAX_LINES, "{page} has {lines} lines: move what only contributors need to a page of theirs");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn text(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// README.md, and what docs/README.md lists above its developers' part.
fn user_pages() -> Vec<String> {
    let index = text("docs/README.md");
    let (users, _) = index.split_once("## For developers").expect("docs/README.md has a part for developers");
    let links = users.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let mut pages: Vec<String> =
        links.filter(|link| link.ends_with(".md") && !link.contains('/')).map(|link| format!("docs/{link}")).collect();
    pages.push("README.md".to_owned());
    assert!(pages.len() > 15, "{pages:?}");
    pages
}

struct Block {
    language: String,
    line: usize,
    lines: Vec<String>,
    reason: Option<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut open, mut above) = (false, "");
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (open, fence) {
            (false, Some(language)) => {
                let reason = above.trim().strip_prefix("<!-- not run: ").map(str::to_owned);
                blocks.push(Block { language: language.to_owned(), line: number + 1, lines: Vec::new(), reason });
                open = true;
            }
            (true, Some(_)) => open = false,
            (true, None) => blocks.last_mut().unwrap().lines.push(line.to_owned()),
            (false, None) => {}
        }
        above = line;
    }
    blocks
}

/// A home with a shell, some history and a project whose tests can be run.
fn prepared() -> Home {
    let mut home = Home::new();
    home.set_env("SHELL", "/bin/zsh");
    home.set_env("ASIDE", home::ASIDE);
    home.write(".zshrc", "");
    home.write(".zsh_history", ": 1700000000:0;git status --short\n: 1700000001:0;git stash pop\n");
    home.write("project/Makefile", "test:\n\t@echo 48 passed\n");
    home.write("project/src/a.txt", "frobnicate\n");
    home.write("project/err.txt", "make: *** No rule to make target 'sure'.  Stop.\n");
    home.write("project/lines.txt", "ls\nhow many files are here?\n");
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write(".bashrc", "eval \"$(aside init bash)\"\n");
    home.write(".config/fish/config.fish", "aside init fish | source\n");
    home.aside_does(&["history", "import", "zsh"]);
    home.aside_does(&["daemon", "start"]);
    home
}

fn run(home: &Home, shell: &str, script: &str) -> Said {
    home::run(home.command(shell).arg("-c").arg(script).current_dir(home.path("project")), "")
}

/// `$ command`, then what it prints; `…` stands for any text, alone on a line for any lines.
fn untrue(home: &Home, block: &Block) -> Option<String> {
    let mut lines = block.lines.iter().peekable();
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("line {}: begin with `$ `", block.line));
        let mut shown = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            shown.push(line.as_str());
        }
        let said = run(home, "sh", &format!("{{ {command}\n}} 2>&1"));
        if !fits(&shown.join("\n"), said.stdout.trim_end()) {
            return Some(format!("line {}: `{command}` prints\n{}", block.line, said.stdout));
        }
    }
    None
}

fn fits(shown: &str, printed: &str) -> bool {
    let mut rest = printed.trim_matches('\n');
    for (number, part) in shown.trim_end().split('…').enumerate() {
        let part = part.trim_matches('\n');
        match rest.find(part) {
            Some(0) => rest = &rest[part.len()..],
            Some(at) if number > 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    rest.trim().is_empty() || shown.trim_end().ends_with('…')
}

/// The first two cells of each row below a heading, without backquotes.
fn rows(page: &str, heading: &str) -> Vec<(String, String)> {
    let (_, below) = page.split_once(heading).unwrap();
    let cells = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
        Some((cells.next()?, cells.next()?))
    };
    below.lines().filter_map(cells).collect()
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn variables(source: &str) -> Vec<&str> {
    let starts = source.match_indices("ASIDE_").map(|(at, _)| &source[at..]);
    starts.map(|rest| &rest[..rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len())]).collect()
}

#[test]
fn what_differs_from_a_page_is_seen() {
    assert!(fits("a\n…\nc", "a\nb\nc") && fits("a …", "a b\nc") && fits("", ""));
    assert!(!fits("a", "a\nb") && !fits("a\n…\nd", "a\nb\nc") && !fits("b", "a b"));
    let found = blocks("x\n<!-- not run: it fetches -->\n```sh\nls\n```\n```console\n$ ls\na\n```\n");
    assert_eq!((found.len(), found[0].reason.is_some(), found[1].reason.is_none()), (2, true, true));
    assert_eq!(variables("\"ASIDE_X\" ASIDE_Y1"), ["ASIDE_X", "ASIDE_Y"]);
}
