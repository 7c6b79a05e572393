//! Commands that the files of a project write down: in its README, and as tasks of Rake, Gradle, Composer and Taskfile. Finds the one that a
//! request describes. A command of which a word of the request is not said is only named, never proposed. Reads no files itself.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::project::Project;
use crate::run::search::identifiers::{parts, stem};

/// Commands of one file that are looked at, and characters of one.
const MAX_COMMANDS: usize = 200;
const MAX_LENGTH: usize = 200;
/// Commands that are named where none fits wholly.
const MAX_NEAR: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentedCommand {
    pub cmd: String,
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What the file says about it.
    about: String,
}

/// The commands for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Described {
    /// One that has every word of the request.
    Whole(DocumentedCommand),
    /// Some that have most of them.
    Near(Vec<DocumentedCommand>),
}

struct Patterns {
    inline: Regex,
    command: Regex,
    blank: Regex,
    rake: Regex,
    desc: Regex,
    namespace: Regex,
    gradle: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        inline: Regex::new(r"`([^`\n]+)`").ok()?,
        command: Regex::new(r"^(?:[A-Z_][A-Z0-9_]*=\S+ )*(?:\./|\.\\)?[a-z][\w./+-]*(?: .+)?$").ok()?,
        blank: Regex::new(r"<[A-Za-z][^>]*>|\.\.\.|…|\b(?:YOUR|MY)_|\b(?:FILE|DIR|NAME|PATH|URL|HOST)\b|\{\{").ok()?,
        rake: Regex::new(r#"^\s*(?:task|multitask)\s*\(?\s*(?::(?P<name>\w+)|["'](?P<text>[\w:-]+)["']|(?P<key>\w+):)"#).ok()?,
        desc: Regex::new(r#"^\s*desc\s*\(?\s*["'](?P<about>[^"']+)["']"#).ok()?,
        namespace: Regex::new(r"^\s*namespace\s*\(?\s*:(?P<name>\w+)").ok()?,
        gradle: Regex::new(r#"^\s*(?:tasks\.(?:register|create)\s*(?:<[^>]*>)?\s*\(\s*["'](?P<name>\w+)["']|task\s+(?P<plain>\w+)|val\s+(?P<by>\w+)\s+by\s+tasks\.(?:registering|creating))"#).ok()?,
    })
});

/// The commands of a project's files, in their order.
pub fn commands(project: &Project) -> Vec<DocumentedCommand> {
    let Some(patterns) = PATTERNS.as_ref() else { return Vec::new() };
    let mut all = Vec::new();
    for (path, text) in &project.files {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "Rakefile" => all.extend(rake(path, text, project, patterns)),
            "build.gradle" | "build.gradle.kts" => all.extend(gradle(path, text, project, patterns)),
            "composer.json" => all.extend(composer(path, text)),
            "Taskfile.yml" | "Taskfile.yaml" => all.extend(taskfile(path, text)),
            name if name.starts_with("README") || name.starts_with("CONTRIBUTING") => {
                all.extend(readme(path, text, patterns))
            }
            _ => {}
        }
    }
    all
}

/// The tasks of one file, as a list for "which tasks are there": the file, and each task with what it says of itself.
pub fn tasks(project: &Project) -> Vec<(String, Vec<(String, String)>)> {
    let mut all: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for command in commands(project).into_iter().filter(|command| {
        !command
            .file
            .rsplit('/')
            .next()
            .is_some_and(|name| name.starts_with("README") || name.starts_with("CONTRIBUTING"))
    }) {
        let DocumentedCommand { cmd, file, about, .. } = command;
        match all.iter_mut().find(|(known, _)| *known == file) {
            Some((_, rows)) => rows.push((cmd, about)),
            None => all.push((file, vec![(cmd, about)])),
        }
    }
    all
}

fn rake(path: &str, text: &str, project: &Project, patterns: &Patterns) -> Vec<DocumentedCommand> {
    let program = if project.text("Gemfile").is_some() { "bundle exec rake" } else { "rake" };
    let (mut about, mut space, mut all) = (String::new(), Vec::<(usize, String)>::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let depth = line.len() - line.trim_start().len();
        if !line.trim().is_empty() {
            space.retain(|(open, _)| depth > *open);
        }
        if let Some(found) = patterns.namespace.captures(line) {
            space.push((depth, found["name"].to_owned()));
        } else if let Some(found) = patterns.desc.captures(line) {
            about = found["about"].to_owned();
        } else if let Some(found) = patterns.rake.captures(line) {
            let name =
                ["name", "text", "key"].iter().find_map(|group| found.name(group)).map_or("", |name| name.as_str());
            let name = space.iter().map(|(_, space)| space.as_str()).chain([name]).collect::<Vec<_>>().join(":");
            if name != "default" {
                all.push(DocumentedCommand {
                    cmd: format!("{program} {name}"),
                    file: path.to_owned(),
                    line: at + 1,
                    about: std::mem::take(&mut about),
                });
            }
        }
    }
    all
}

fn gradle(path: &str, text: &str, project: &Project, patterns: &Patterns) -> Vec<DocumentedCommand> {
    let program = if project.text("gradlew").is_some() { "./gradlew" } else { "gradle" };
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(found) = patterns.gradle.captures(line) else { continue };
        let Some(name) = ["name", "plain", "by"].iter().find_map(|group| found.name(group)) else { continue };
        let below =
            lines.iter().skip(at + 1).take(6).map(|line| line.trim()).find(|line| line.starts_with("description"));
        let about = below.and_then(|line| line.split(['"', '\'']).nth(1)).unwrap_or_default().to_owned();
        all.push(DocumentedCommand {
            cmd: format!("{program} {}", name.as_str()),
            file: path.to_owned(),
            line: at + 1,
            about,
        });
    }
    all
}

fn composer(path: &str, text: &str) -> Vec<DocumentedCommand> {
    let package: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let scripts = package.as_ref().and_then(|package| package.get("scripts")?.as_object());
    let line = |name: &str| text.lines().position(|line| line.contains(&format!("\"{name}\""))).map_or(1, |at| at + 1);
    let of = |name: &String| DocumentedCommand {
        cmd: format!("composer {name}"),
        file: path.to_owned(),
        line: line(name),
        about: String::new(),
    };
    scripts
        .into_iter()
        .flatten()
        .map(|(name, _)| of(name))
        .filter(|command| !command.cmd.contains("post-") && !command.cmd.contains("pre-"))
        .collect()
}

fn taskfile(path: &str, text: &str) -> Vec<DocumentedCommand> {
    let mut all: Vec<DocumentedCommand> = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        if !line.starts_with([' ', '#']) && !line.trim().is_empty() {
            inside = line.starts_with("tasks:");
        }
        let name = line.strip_prefix("  ").and_then(|rest| rest.split_once(':')).map(|(name, _)| name);
        if let Some(name) = name.filter(|name| inside && !name.starts_with([' ', '#']) && !name.is_empty()) {
            all.push(DocumentedCommand {
                cmd: format!("task {name}"),
                file: path.to_owned(),
                line: at + 1,
                about: String::new(),
            });
        } else if let (Some(last), Some(about)) = (all.last_mut(), line.trim().strip_prefix("desc:")) {
            last.about = about.trim().to_owned();
        }
    }
    all
}

/// The commands of a README: lines of code blocks, and code in a sentence, with the heading and the sentence around them.
fn readme(path: &str, text: &str, patterns: &Patterns) -> Vec<DocumentedCommand> {
    let (mut heading, mut prose, mut fenced) = (String::new(), String::new(), None::<bool>);
    let mut all: Vec<DocumentedCommand> = Vec::new();
    let is_command = |line: &str| {
        patterns.command.is_match(line)
            && !patterns.blank.is_match(line)
            && line.len() <= MAX_LENGTH
            && line.matches('"').count().is_multiple_of(2)
            && line.matches('\'').count().is_multiple_of(2)
            && (line.ends_with(" .") || !line.ends_with(['\\', ':', '.', ',', '{', ';']))
    };
    let mut open: Option<String> = None;
    // A comment in a block is about the command below it.
    let mut remark = String::new();
    for (at, line) in text.lines().enumerate().take(5000) {
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix("```") {
            fenced = match fenced {
                Some(_) => None,
                None => Some(
                    ["", "sh", "bash", "shell", "console", "zsh", "text", "terminal"]
                        .contains(&rest.trim().to_lowercase().as_str()),
                ),
            };
            continue;
        }
        let is_code = fenced == Some(true) || fenced.is_none() && (line.starts_with("    ") || line.starts_with('\t'));
        if is_code {
            let bare = trimmed.strip_prefix("$ ").unwrap_or(trimmed);
            let (bare, comment) =
                bare.split_once(" #").map_or((bare, ""), |(bare, comment)| (bare.trim_end(), comment));
            if let Some(note) = bare.strip_prefix('#') {
                remark = note.trim().to_owned();
                continue;
            }
            let whole = match open.take() {
                Some(before) => format!("{before} {bare}"),
                None => bare.to_owned(),
            };
            if let Some(cut) = whole.strip_suffix('\\') {
                open = Some(cut.trim_end().to_owned());
                continue;
            }
            if is_command(&whole) {
                all.push(DocumentedCommand {
                    cmd: whole,
                    file: path.to_owned(),
                    line: at + 1,
                    about: format!("{heading} {prose} {comment} {}", std::mem::take(&mut remark)),
                });
            }
            continue;
        }
        if fenced.is_some() {
            continue;
        }
        if let Some(title) = trimmed.strip_prefix('#') {
            heading = title.trim_start_matches('#').trim().to_owned();
            prose.clear();
            continue;
        }
        if trimmed.is_empty() {
            continue;
        }
        prose = trimmed.to_owned();
        for found in patterns.inline.captures_iter(trimmed) {
            let code = found[1].trim().trim_start_matches("$ ").to_owned();
            // A single word is a name, unless it is a program that runs by itself.
            let runs = code.contains(' ') || ["make", "just", "rake", "tox", "nox"].contains(&code.as_str());
            if runs && is_command(&code) {
                // What stands before the code in its sentence says what it is for.
                let start = found.get(0).map_or(0, |whole| whole.start());
                let before = trimmed.get(..start).unwrap_or_default();
                let before = before.rsplit(['.', ';', '`']).next().unwrap_or(before);
                let end = found.get(0).map_or(trimmed.len(), |whole| whole.end());
                let behind =
                    trimmed.get(end..).unwrap_or_default().split([',', '.', ';', '`']).next().unwrap_or_default();
                all.push(DocumentedCommand {
                    cmd: code,
                    file: path.to_owned(),
                    line: at + 1,
                    about: format!("{before} {behind}"),
                });
            }
        }
    }
    all.truncate(MAX_COMMANDS);
    all
}

/// Words that say nothing about which command is meant.
const EMPTY: &[&str] = &[
    "run",
    "start",
    "execute",
    "launch",
    "do",
    "please",
    "the",
    "a",
    "an",
    "my",
    "our",
    "now",
    "with",
    "using",
    "use",
    "for",
    "me",
    "this",
    "it",
    "can",
    "could",
    "you",
    "show",
    "open",
    "in",
    "on",
    "of",
    "to",
    "and",
    "all",
    "see",
    "project",
    "app",
    "application",
    "server",
    "service",
    "program",
    "tool",
    "repo",
    "command",
    "task",
    "go",
    "again",
    "up",
    "just",
    "i",
    "want",
    "would",
    "like",
    "its",
    "is",
    "get",
    "let",
    "make",
    "perform",
    "script",
    "from",
    "as",
    "by",
    "at",
    "here",
    "files",
    "file",
    "called",
    "named",
    "module",
    "apply",
];

/// Options after which a runner takes only some of the tests.
const NARROWING: &[&str] = &[
    "-k",
    "-m",
    "-run",
    "--run",
    "-R",
    "-t",
    "--grep",
    "-g",
    "--filter",
    "--gtest_filter",
    "--tests",
    "--test",
    "-p",
    "--only",
    "--testNamePattern",
    "-Dtest",
];

/// What a command is narrowed to: `weekend` of `pytest -k weekend`, `a::b` of `pytest a.py::b`.
fn narrowed(cmd: &str) -> Vec<&str> {
    let mut words = cmd.split_whitespace().peekable();
    let mut all = Vec::new();
    while let Some(word) = words.next() {
        if let Some((_, name)) = word.split_once("::") {
            all.push(name);
        }
        match word.split_once('=') {
            Some((flag, value)) if NARROWING.contains(&flag) => all.push(value),
            None if NARROWING.contains(&word) => {
                all.extend(words.peek().filter(|next| !next.starts_with('-')).copied())
            }
            _ => {}
        }
    }
    all
}

/// A README's own form of a usual command: the same with more flags, or on another port. Examples with operands are not.
pub fn own_form(usual: &str, all: &[DocumentedCommand]) -> Option<(String, DocumentedCommand)> {
    let bare = |cmd: &str| {
        let cmd = cmd.replacen("python3 ", "python ", 1);
        cmd.strip_prefix("python -m ").map_or(cmd.clone(), str::to_owned)
    };
    let wanted = bare(usual);
    all.iter().find_map(|command| {
        let written = bare(&command.cmd);
        let rest = written.strip_prefix(&wanted)?;
        let more: Vec<&str> = rest.strip_prefix(' ').unwrap_or_default().split_whitespace().collect();
        let is_plain = |word: &&str| {
            let is_flag = word.starts_with('-') && **word != *"--" && !word.contains(['/', '"', '\'']);
            let is_port = word.len() >= 2 && word.len() <= 5 && word.chars().all(|letter| letter.is_ascii_digit());
            is_flag || is_port && wanted.contains("serve")
        };
        let is_same =
            rest.starts_with(' ') && !more.is_empty() && more.iter().all(is_plain) && narrowed(&written).is_empty();
        is_same.then(|| (format!("{usual}{rest}"), command.clone()))
    })
}

/// The command that a request describes.
pub fn described(request: &str, all: &[DocumentedCommand]) -> Option<Described> {
    let mut words: Vec<String> = Vec::new();
    for word in request.split_whitespace().flat_map(parts) {
        if !EMPTY.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() || words.len() > 7 {
        return None;
    }
    let has = |text: &str, word: &str| {
        let parts: Vec<String> = text.split_whitespace().flat_map(parts).collect();
        let wanted = stem(word);
        parts.iter().any(|part| {
            let known = stem(part);
            known == wanted
                || wanted.len() > 4 && known.starts_with(&wanted)
                || known.len() > 4 && wanted.starts_with(&known)
        })
    };
    // The more of the words a command itself has, and the fewer others, the better it fits.
    let score = |command: &DocumentedCommand| {
        let in_command = words.iter().filter(|word| has(&command.cmd, word)).count();
        let said = words.iter().filter(|word| has(&command.cmd, word) || has(&command.about, word)).count();
        (said, in_command)
    };
    let mut found: Vec<((usize, usize), &DocumentedCommand)> =
        all.iter().map(|command| (score(command), command)).collect();
    // Operands alone do not say what is done to them: `run ringd on in.txt` is not `valgrind ./ringd in.txt`.
    let is_meant =
        |command: &DocumentedCommand| {
            let tokens: Vec<&str> = command.cmd.split_whitespace().collect();
            let runs_tasks = tokens.iter().take(3).any(|token| {
                ["rake", "./gradlew", "gradle", "composer", "task", "make", "just", "npm"].contains(token)
            });
            // What an interpreter runs is said behind it: `python manage.py migrate`.
            let first = match tokens.first() {
                Some(&("python" | "python3" | "php" | "node" | "ruby" | "bundle" | "poetry" | "uv" | "pipenv")) => 3,
                _ => 2,
            };
            let leading = tokens.iter().enumerate().filter(|(at, token)| {
                *at < first && !token.contains(['/', '.']) || token.starts_with('-') || runs_tasks
            });
            let leading: Vec<&str> = leading.map(|(_, token)| *token).collect();
            let leading = leading.join(" ");
            words.iter().any(|word| has(&leading, word) || has(&command.about, word))
        };
    found.retain(|((said, _), command)| *said > 0 && is_meant(command));
    found.sort_by_key(|((said, own), command)| (std::cmp::Reverse((*said, *own)), command.cmd.len()));
    let (best, first) = found.first().cloned()?;
    let alike: Vec<&DocumentedCommand> =
        found.iter().filter(|(score, _)| *score == best).map(|(_, command)| *command).collect();
    let one = alike.iter().all(|command| command.cmd == first.cmd);
    // One that runs less than was asked for is not it.
    let is_narrower = narrowed(&first.cmd).iter().flat_map(|to| parts(to)).any(|part| !words.contains(&part));
    if best.0 == words.len() && best.1 > 0 && one && !is_narrower {
        return Some(Described::Whole(first.clone()));
    }
    let is_near = best.0 == words.len() || best.0 * 2 >= words.len() && best.1 > 0;
    let mut near: Vec<DocumentedCommand> = Vec::new();
    for command in alike {
        if !near.iter().any(|known| known.cmd == command.cmd) {
            near.push(command.clone());
        }
    }
    near.truncate(MAX_NEAR);
    is_near.then_some(Described::Near(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> Project {
        let readme = "# payd\n\nPays. Check leaks with `valgrind --leak-check=full ./payd in.txt`, see `config.yaml`.\n\n## Running\n\n    go run ./cmd/payd -config config/dev.yaml\n\n## Migrations\n\n```sh\n# undo one\ngo run ./cmd/migrate down\ngo run ./cmd/migrate up\ncurl <URL>\n```\n\n```json\n{\"a\": 1}\n```\n";
        let rake = "desc \"Load the sample books\"\ntask :seed do\nend\nnamespace :db do\n  desc \"Empty the tables\"\n  task reset: :environment do\n  end\nend\ntask default: :spec\n";
        let gradle = "tasks.register(\"printVersion\") {\n    description = \"Prints the version\"\n}\n";
        let files = [
            ("README.md", readme),
            ("Rakefile", rake),
            ("Gemfile", "gem 'rake'\n"),
            ("build.gradle.kts", gradle),
            ("gradlew", "#!/bin/sh\n"),
        ];
        Project { files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect() }
    }

    #[test]
    fn a_command_that_narrows_more_than_asked_is_only_named() {
        let readme = "# mill\n\n## Tests\n\n    pytest\n    pytest mill/tests/test_gears.py -k reverse\n\n## Running\n\n    python manage.py runserver 9020\n    python manage.py migrate\n    cargo run -- grind corn\n    ctest --test-dir build --output-on-failure\n";
        let all = commands(&Project { files: vec![("README.md".to_owned(), readme.to_owned())] });
        assert!(matches!(described("run the gears tests", &all), Some(Described::Near(_)) | None));
        assert!(matches!(described("the reverse gears tests", &all), Some(Described::Whole(_))));
        assert!(
            matches!(described("apply the migrations", &all), Some(Described::Whole(command)) if command.cmd == "python manage.py migrate")
        );
        let form = |usual: &str| own_form(usual, &all).map(|(cmd, _)| cmd).unwrap_or_default();
        assert_eq!(form("python3 manage.py runserver"), "python3 manage.py runserver 9020");
        assert_eq!(form("ctest --test-dir build"), "ctest --test-dir build --output-on-failure");
        // Operands are examples, and a selection is not all of the tests.
        assert_eq!(form("cargo run"), "");
        assert_eq!(form("python3 -m pytest"), "");
    }

    #[test]
    fn a_command_is_found_by_what_is_said_about_it() {
        let all = commands(&project());
        let told = |request: &str| match described(request, &all) {
            Some(Described::Whole(command)) => command.cmd,
            Some(Described::Near(near)) => {
                format!("near {}", near.iter().map(|command| command.cmd.as_str()).collect::<Vec<_>>().join(" | "))
            }
            None => String::new(),
        };
        assert_eq!(told("start the server with the dev config"), "go run ./cmd/payd -config config/dev.yaml");
        assert_eq!(told("check for leaks"), "valgrind --leak-check=full ./payd in.txt");
        assert_eq!(told("undo one migration"), "go run ./cmd/migrate down");
        assert_eq!(told("seed the database"), "near bundle exec rake seed");
        assert_eq!(told("load the sample books"), "near bundle exec rake seed");
        assert_eq!(told("reset the db"), "bundle exec rake db:reset");
        assert_eq!(told("print the version"), "./gradlew printVersion");
        assert_eq!(told("deploy to production"), "");
        assert!(!all.iter().any(|command| command.cmd.contains("curl")
            || command.cmd.contains("config.yaml") && !command.cmd.contains("go run")));
    }
}
