//! The tools that another agent may call. Each reads something that Aside knows and returns text; none runs or writes anything, and none
//! asks a model.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aside_proto::command_ended::{RecallParams, RecalledCommand};
use aside_proto::{CompleteParams, Reply, Request};
use aside_redact::redact;
use aside_task::denied_files;
use aside_text as text;
use aside_translate::explain::{self, Part};
use aside_translate::offer::offers;
use aside_translate::{TranslateQuery, embedded};
use serde_json::{Value, json};

use crate::cli::{current_dir, own_shell, session, terminal};
use crate::client;
use crate::config::Config;
use crate::daemon::user_specs::UserSpecs;
use crate::paths::Paths;
use crate::store::History;
use crate::store::search::{Outcome, Search};
use crate::workspace::Workspace;
use crate::world::Environment;
use crate::world::one_shot::OneShot;

/// Cap on a result, in bytes.
const MAX_TEXT: usize = 32 * 1024;
const MAX_ROWS: usize = 200;
/// Cap on the listed names of a directory.
const MAX_NAMES: usize = 100;
const MAX_COMMANDS: u32 = 10;
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    SearchHistory,
    LastCommand,
    ExplainCommand,
    DescribeDirectory,
    CompleteLine,
    TranslateRequest,
}

const ALL: [Tool; 6] = [
    Tool::SearchHistory,
    Tool::LastCommand,
    Tool::ExplainCommand,
    Tool::DescribeDirectory,
    Tool::CompleteLine,
    Tool::TranslateRequest,
];

impl Tool {
    pub fn of(name: &str) -> Option<Self> {
        ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Tool::SearchHistory => "search_history",
            Tool::LastCommand => "last_command",
            Tool::ExplainCommand => "explain_command",
            Tool::DescribeDirectory => "describe_directory",
            Tool::CompleteLine => "complete_line",
            Tool::TranslateRequest => "translate_request",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Tool::SearchHistory => "Commands that the user ran and that contain all of these words, the newest last.",
            Tool::LastCommand => {
                "What the user's shell ran last, with exit status and, where it was seen, the end of what it printed."
            }
            Tool::ExplainCommand => {
                "What a shell command does, part by part, and what it could destroy. Nothing is run."
            }
            Tool::DescribeDirectory => "The project around a directory: its files, its git branch and what is changed.",
            Tool::CompleteLine => "How a command line that is begun could go on, from history, specs and files.",
            Tool::TranslateRequest => {
                "The shell command that a request in plain words means. Nothing is run, and no model is asked."
            }
        }
    }

    /// Name, description and whether it is required.
    fn parameter(self) -> Option<(&'static str, &'static str, bool)> {
        match self {
            Tool::SearchHistory => Some(("text", "Words that the command contains", false)),
            Tool::LastCommand => None,
            Tool::ExplainCommand => Some(("command", "The command", true)),
            Tool::DescribeDirectory => {
                Some(("directory", "An absolute path; the current directory when absent", false))
            }
            Tool::CompleteLine => Some(("line", "The line up to the cursor", true)),
            Tool::TranslateRequest => Some(("request", "What is wanted", true)),
        }
    }

    /// The error is for the calling agent.
    pub fn answer(self, paths: &Paths, arguments: &Value) -> Result<String, String> {
        let given =
            self.parameter().map(|(name, _, needed)| (name, needed, arguments[name].as_str().unwrap_or_default()));
        let text = match given {
            Some((name, ..)) if !arguments[name].is_null() && !arguments[name].is_string() => {
                return Err(format!("{name} is no text"));
            }
            Some((name, true, "")) => return Err(format!("{name} is missing")),
            Some((_, _, text)) => text,
            None => "",
        };
        let cwd = current_dir().map_err(|error| error.to_string())?;
        match self {
            Tool::SearchHistory => search(paths, text),
            Tool::LastCommand => last(paths),
            Tool::ExplainCommand => Ok(explained(paths, &cwd, text)),
            Tool::DescribeDirectory => described(if text.is_empty() { &cwd } else { text }),
            Tool::CompleteLine => completed(paths, &cwd, text),
            Tool::TranslateRequest => translated(paths, &cwd, text),
        }
    }
}

pub fn list() -> Vec<Value> {
    let one = |tool: Tool| {
        let (properties, required) = match tool.parameter() {
            Some((name, about, needed)) => {
                let required: &[&str] = if needed { &[name] } else { &[] };
                (json!({ name: { "type": "string", "description": about } }), json!(required))
            }
            None => (json!({}), json!([])),
        };
        json!({
            "name": tool.name(),
            "description": tool.about(),
            "inputSchema": { "type": "object", "properties": properties, "required": required },
            "annotations": { "readOnlyHint": true, "destructiveHint": false, "openWorldHint": false },
        })
    };
    ALL.into_iter().map(one).collect()
}

/// Sanitizes a result: removes secrets and escape sequences, and shortens it.
pub fn sanitize(answer: &str) -> String {
    let clean = text::clean(answer);
    let redacted = redact(&clean);
    let cut = redacted.floor_char_boundary(MAX_TEXT);
    redacted.get(..cut).unwrap_or_default().to_owned()
}

fn search(paths: &Paths, words: &str) -> Result<String, String> {
    let none = || "there is no history yet".to_owned();
    let opened = History::open_to_read(&paths.history_db()).map_err(|error| format!("{error:#}"))?;
    let words = words.split_whitespace().map(str::to_owned).collect();
    let search = Search { words, directories: Vec::new(), outcome: Outcome::Any, limit: MAX_ROWS };
    let rows = opened.ok_or_else(none)?.search(&search).map_err(|error| format!("{error:#}"))?;
    let lines: Vec<String> =
        rows.iter().filter(|row| !row.entry.private).map(|row| row.entry.command.replace('\n', "\\n")).collect();
    if lines.is_empty() { Err("no command fits".to_owned()) } else { Ok(lines.join("\n")) }
}

fn last(paths: &Paths) -> Result<String, String> {
    let (session, tty) = (session(), terminal().unwrap_or_default());
    let asked = Request::Recall(RecallParams { session, tty, limit: MAX_COMMANDS });
    let recalled = match client::ask(&paths.socket, asked) {
        Ok(Reply::Recall(recalled)) => recalled,
        Ok(_) => return Err("the daemon remembers nothing of this shell".to_owned()),
        Err(error) => return Err(error.to_string()),
    };
    let last = recalled.commands.last().ok_or("the daemon remembers nothing of this shell")?;
    let RecalledCommand { command, cwd, exit, output, s_ago, .. } = last;
    let printed = match output {
        Some(output) if !output.is_empty() => format!("It printed:\n{output}"),
        Some(_) => "It printed nothing.".to_owned(),
        None => "What it printed was not seen.".to_owned(),
    };
    Ok(format!("$ {command}\nin {cwd}, {s_ago} s ago, exit status {exit}\n{printed}"))
}

fn here(paths: &Paths, cwd: &str) -> OneShot {
    OneShot::new(cwd, &own_shell(), Environment::own(), UserSpecs::read(paths.specs_dir()).current())
}

fn explained(paths: &Paths, cwd: &str, command: &str) -> String {
    let known = explain::explain(command, &here(paths, cwd).place());
    let row = |Part { text, about, harm }: &Part| {
        let harm = harm.map(|harm| format!("  ! {}", harm.words())).unwrap_or_default();
        format!("{text}  {about}{harm}\n")
    };
    format!("{}\n{}", known.summary, known.parts.iter().map(row).collect::<String>())
}

fn described(directory: &str) -> Result<String, String> {
    let workspace = Workspace::of(Path::new(directory)).map_err(|error| format!("{error:#}"))?;
    let tree = workspace.tree(&[], &AtomicBool::new(false)).map_err(|error| format!("{error:#}"))?;
    let mut names: BTreeSet<String> = BTreeSet::new();
    let listed = tree.listed();
    for file in listed.iter().filter(|file| denied_files::denied(file.path).is_none()) {
        names.insert(match file.path.split_once('/') {
            Some((directory, _)) => format!("{directory}/"),
            None => file.path.to_owned(),
        });
    }
    let git = workspace.git();
    let names: Vec<String> = names.into_iter().take(MAX_NAMES).collect();
    let branch = if git.branch.is_empty() { String::new() } else { format!("git branch {}, ", git.branch) };
    let changed = git.changed.iter().take(MAX_NAMES).map(|path| format!("changed: {path}\n")).collect::<String>();
    let (root, count) = (workspace.root().display(), listed.len());
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    Ok(format!("{root}: {branch}{files}, {} changed\n{}\n{changed}", git.changed.len(), names.join("\n")))
}

fn completed(paths: &Paths, cwd: &str, line: &str) -> Result<String, String> {
    let asked = CompleteParams {
        session: session(),
        cwd: cwd.to_owned(),
        left: line.to_owned(),
        shell: own_shell(),
        wait: true,
        describe: true,
        list: true,
        ..CompleteParams::default()
    };
    match client::ask_with_timeout(&paths.socket, Request::Complete(asked), PATIENCE) {
        Ok(Reply::Complete(found) | Reply::Update(found)) if !found.candidates.is_empty() => {
            let row = |candidate: &aside_proto::WireCandidate| match candidate.description.as_str() {
                "" => format!("{}\n", candidate.completion),
                about => format!("{}  # {about}\n", candidate.completion),
            };
            Ok(found.candidates.iter().map(row).collect())
        }
        Ok(_) => Err("nothing fits this line".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn translated(paths: &Paths, cwd: &str, request: &str) -> Result<String, String> {
    let config = Config::load(&paths.config_file).unwrap_or_default();
    let here = here(paths, cwd);
    let known = embedded::answer(&TranslateQuery { words: request, place: here.place(), limit: 3 });
    let proposals = offers(&known, &here.place(), &config.security.command_blocklist, 3);
    let rows: Vec<String> = proposals.iter().map(|proposal| proposal.text.clone()).collect();
    if rows.is_empty() { Err("no command is known for this".to_owned()) } else { Ok(rows.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_only_reads_and_says_so() {
        let listed = list();
        assert_eq!(listed.len(), ALL.len());
        for tool in &listed {
            assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
            assert_eq!(Tool::of(tool["name"].as_str().unwrap()).map(Tool::name), tool["name"].as_str());
        }
    }

    #[test]
    fn what_goes_out_has_no_secret_no_escape_sequence_and_an_end() {
        let answer = sanitize("export API_KEY=sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c\n\u{1b}[31mred");
        assert!(!answer.contains("4f9a8b7c") && !answer.contains('\u{1b}'), "{answer}");
        assert!(sanitize(&"word ".repeat(MAX_TEXT)).len() <= MAX_TEXT);
    }
}
