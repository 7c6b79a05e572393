//! Answers that one reader of all files gives: what a name's value is, which version of something is used, and which command a file of the
//! project writes down for a request. Core reads the texts; this file passes them on.

use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_redact::redact;
use aside_task::proposal::Proposal;
use aside_task::run::documented::{self, Described, DocumentedCommand};
use aside_task::run::search::definitions::{self, defines};
use aside_task::run::{ModelNeed, RunnerOutcome, code, config_keys, short, values, versions};
use aside_text::edit_distance::{MaxDistance, near_words};

use crate::daemon::tasks::attempt::fact_answers::has_word;
use crate::daemon::tasks::attempt::fact_answers::told;
use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, answer, blocking};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;

/// Values and places that are listed.
const MAX_LISTED: usize = 6;
/// Characters of a value and of a line.
const MAX_SHOWN: usize = 140;
/// Letters from which a name may be near to another one, and how far.
const MIN_NEAR: usize = 4;

impl Attempt {
    /// What a key of a configuration file means, and where the project sets it.
    pub(super) async fn config_key(&self) -> Result<Option<RunnerOutcome>, String> {
        let asked = config_keys::asked(self.words());
        if asked.is_empty() {
            return Ok(None);
        }
        let (workspace, secrets, language) = (self.workspace.clone(), self.secrets(), Language::of(self.words()));
        blocking(move |cancelled| {
            let mut places: Vec<Option<(String, usize, String)>> = vec![None; asked.len()];
            workspace.each_text(secrets, cancelled, |path, text| {
                for (key, place) in asked.iter().zip(&mut places).filter(|(key, _)| key.is_of(path)) {
                    // The file nearest to the root is the project's own.
                    let is_nearer =
                        place.as_ref().is_none_or(|(known, ..)| path.matches('/').count() < known.matches('/').count());
                    if let Some((line, shown)) = key.line(text).filter(|_| is_nearer) {
                        *place = Some((path.to_owned(), line, shown.to_owned()));
                    }
                }
            });
            let set = asked.iter().zip(&places).find(|(_, place)| place.is_some());
            let (key, place) = set.or_else(|| asked.iter().zip(&places).find(|(key, _)| key.is_distinct()))?;
            let place = place.as_ref().map(|(path, line, shown)| (path.as_str(), *line, shown.as_str()));
            let text = key.told(place, language);
            let summary = text.lines().next().unwrap_or_default().to_owned();
            Some(answer(text, summary, String::new(), ModelNeed::Unneeded))
        })
        .await
    }

    /// The value that a question asks for, with its place; `None` where no name of the project has its words.
    pub(super) async fn value_answer(&self) -> Result<Option<RunnerOutcome>, String> {
        let english = aside_task::run::wording::english(self.words());
        let Some(asked) = values::asked(&english) else { return Ok(None) };
        let (workspace, secrets, language) = (self.workspace.clone(), self.secrets(), Language::of(self.words()));
        blocking(move |cancelled| {
            let mut found: Vec<(u32, String, values::NamedValue)> = Vec::new();
            workspace.each_text(secrets, cancelled, |path, text| {
                for value in values::values(path, text) {
                    let fit = asked.fit(path, &value);
                    if fit > 0 {
                        found.push((fit, path.to_owned(), value));
                    }
                }
            })?;
            found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
            let best = found.first().map(|(fit, ..)| *fit)?;
            // The same name elsewhere may be meant as well; others that fit less are not.
            found.retain(|(fit, ..)| fit + 12 >= best);
            let row = |(_, path, value): &(u32, String, values::NamedValue)| {
                let shown = short(&redact(&value.value), MAX_SHOWN);
                let name = value.full_name();
                let is = language.pick("is", "是");
                format!("{} {is} {} (`{path}:{}`)", code(&name), code(&shown), value.line)
            };
            let (_, path, first) = found.first()?;
            let mut text = match found.len() {
                1 => {
                    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
                    let line = redact(&first.text).to_string();
                    format!("{}.\n\n{}", row(found.first()?), super::fenced(ending, &line))
                }
                _ => found.iter().take(MAX_LISTED).map(|one| format!("- {}\n", row(one))).collect(),
            };
            let more = found.len().saturating_sub(MAX_LISTED);
            if more > 0 {
                text.push_str(&match language {
                    Language::English => format!("- and {more} more\n"),
                    Language::Chinese => format!("- 还有 {more} 个\n"),
                });
            }
            Some(told(text))
        })
        .await
    }

    /// Which version of something the files of the project name.
    pub(super) async fn version_answer(&self, name: &str) -> Result<Option<RunnerOutcome>, String> {
        let (workspace, secrets, name) = (self.workspace.clone(), self.secrets(), name.to_owned());
        let language = Language::of(self.words());
        blocking(move |cancelled| {
            let mut found: Vec<(u8, String)> = Vec::new();
            workspace.each_text(secrets, cancelled, |path, text| {
                for one in versions::written(path, text) {
                    let Some(likeness) = versions::likeness(&one.name, &name) else { continue };
                    let version = match (one.version.is_empty(), language) {
                        (false, _) => code(&format!("{}{}", one.sign, one.version)),
                        (true, Language::English) => "without a version".to_owned(),
                        (true, Language::Chinese) => "没有写版本".to_owned(),
                    };
                    found.push((likeness, format!("- {} {version} (`{path}:{}`)\n", code(&one.name), one.line)));
                }
            })?;
            let best = found.iter().map(|(likeness, _)| *likeness).min()?;
            Some(told(
                found
                    .iter()
                    .filter(|(likeness, _)| *likeness == best)
                    .take(MAX_LISTED)
                    .map(|(_, row)| row.as_str())
                    .collect(),
            ))
        })
        .await
    }

    /// The version of the project, where only a build file or the program itself says it.
    pub(super) async fn stated_version(&self) -> Result<Option<RunnerOutcome>, String> {
        let (workspace, secrets) = (self.workspace.clone(), self.secrets());
        blocking(move |cancelled| {
            let mut rows: Vec<(usize, String)> = Vec::new();
            workspace.each_text(secrets, cancelled, |path, text| {
                if let Some(range) = versions::of_project(path, text) {
                    let line = text.get(..range.start).unwrap_or_default().matches('\n').count() + 1;
                    let version = text.get(range).unwrap_or_default();
                    rows.push((path.matches('/').count(), format!("- version {} (`{path}:{line}`)\n", code(version))));
                }
            })?;
            rows.sort();
            (!rows.is_empty()).then(|| told(rows.into_iter().take(MAX_LISTED).map(|(_, row)| row).collect()))
        })
        .await
    }

    /// The command that a file of the project writes down for the request.
    pub(super) async fn documented(&self, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        let language = Language::of(self.words());
        let (workspace, words) = (self.workspace.clone(), self.words().to_owned());
        let found =
            blocking(move |_| documented::described(&words, &documented::commands(&workspace.project()))).await?;
        let place = |command: &DocumentedCommand| format!("`{}:{}`", command.file, command.line);
        Ok(match found {
            Some(Described::Whole(command)) => match here.runnable(&spellings(&command.cmd)).await {
                Some(cmd) => {
                    let reason = match language {
                        Language::English => format!("{} has it.", place(&command)),
                        Language::Chinese => format!("{} 里写着它。", place(&command)),
                    };
                    Some(here.proposed(cmd, reason))
                }
                None => {
                    let (cmd, at) = (code(&command.cmd), place(&command));
                    let text = match (here.missing_program(&command.cmd).await.map(|program| code(&program)), language)
                    {
                        (Some(program), Language::English) => {
                            format!("{program} is not installed; {cmd} is the command for that ({at}).")
                        }
                        (Some(program), Language::Chinese) => {
                            format!("{program} 没有安装；这件事的命令是 {cmd}（{at}）。")
                        }
                        (None, Language::English) => {
                            format!("{cmd} is the command for that ({at}), but the rules here do not allow it.")
                        }
                        (None, Language::Chinese) => format!("这件事的命令是 {cmd}（{at}），但这里的规则不允许。"),
                    };
                    Some(answer(format!("{text}\n"), text, String::new(), ModelNeed::Unneeded))
                }
            },
            Some(Described::Near(near)) => {
                let rows: String =
                    near.iter().map(|command| format!("- {} ({})\n", code(&command.cmd), place(command))).collect();
                let head = language.pick(
                    "No command here says all of that, so nothing is proposed. The files of the project have:",
                    "没有哪个命令包含全部要求，所以没有提出命令。项目的文件里有：",
                );
                Some(answer(format!("{head}\n\n{rows}"), head, String::new(), ModelNeed::Better))
            }
            None => None,
        })
    }
}

/// A command as it is written, and as it may be installed.
fn spellings(command: &str) -> Vec<String> {
    let other = command.strip_prefix("python ").map(|rest| format!("python3 {rest}"));
    std::iter::once(command.to_owned()).chain(other).collect()
}

/// What the project knows of the names that an error has: where they are defined, or what is spelled nearly the same.
pub(super) fn known_names(
    workspace: &Workspace,
    names: &[String],
    near: Option<&str>,
    secrets: Secrets,
    language: Language,
    cancelled: &AtomicBool,
) -> String {
    let mut all: Vec<KnownName<'_>> = names.iter().map(|name| KnownName { name, ..KnownName::default() }).collect();
    let _ = workspace.each_text(secrets, cancelled, |path, text| {
        let is_near = near == Some(path);
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.len() < 400) {
            let place = || format!("`{path}:{}` {}", at + 1, code(&short(&redact(line.trim()), 100)));
            all.iter_mut().for_each(|known| known.look(line, is_near, &place));
        }
    });
    // An error in a file that is not the project's has no slip of its names.
    let is_own = near.is_some();
    let mut told = String::new();
    for KnownName { name, defined, declared, near, uses, definitions } in &all {
        // Which of several is meant is not known; a name that other lines have too is no slip.
        let defined = defined.as_ref().filter(|_| *definitions == 1);
        let near = near.as_ref().filter(|_| *uses <= 1 && *definitions == 0 && is_own);
        let name = code(name);
        let row = match (defined, declared, near) {
            (Some(place), ..) => {
                language.pick(&format!("{name} is defined at {place}."), &format!("{name} 定义在 {place}。")).to_owned()
            }
            (None, Some(place), _) => language
                .pick(
                    &format!("{name} is declared at {place}, but no file of the project defines it."),
                    &format!("{name} 在 {place} 声明，但项目里没有文件定义它。"),
                )
                .to_owned(),
            (None, None, Some(near)) => language
                .pick(
                    &format!("Nothing here is called {name}; near it is {near}."),
                    &format!("这里没有叫 {name} 的；相近的有 {near}。"),
                )
                .to_owned(),
            (None, None, None) => continue,
        };
        told.push_str(&format!("{row}\n"));
    }
    told
}

/// What the project knows of one name: its first definition and declaration, and the first name near it.
#[derive(Default)]
struct KnownName<'a> {
    name: &'a str,
    defined: Option<String>,
    declared: Option<String>,
    near: Option<String>,
    /// Lines that have the name.
    uses: usize,
    /// Definitions that may be meant: those in the file of the error, else all.
    definitions: usize,
}

impl KnownName<'_> {
    fn look(&mut self, line: &str, is_same_file: bool, place: &dyn Fn() -> String) {
        let name = self.name;
        let is_there = line.contains(name);
        self.uses += usize::from(is_there && has_word(line, name));
        // A variable within a function of another file is another one.
        if is_there && defines(line, name) && (is_same_file || definitions::is_definition(line)) {
            self.definitions += 1;
            self.defined.get_or_insert_with(place);
        } else if is_there
            && line.contains(&format!("{name}("))
            && line.trim_end().ends_with(';')
            && !line.starts_with([' ', '\t'])
        {
            self.declared.get_or_insert_with(place);
        } else if self.near.is_none()
            && name.len() >= MIN_NEAR
            && definitions::is_definition(line)
            && let Some(other) = definitions::defined(line)
            && other != name
            && is_near(name, other)
        {
            self.near = Some(format!("{} ({})", code(other), place()));
        }
    }
}

/// Whether two names differ by a slip.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    !near_words(&one, std::iter::once(other.as_str()), MaxDistance::Usual).is_empty()
}

/// Whether a request for something to see is one that a command may answer.
pub(super) fn shows(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or_default().to_lowercase();
    ["show", "list", "print", "display", "count", "see", "check", "compare", "view"].contains(&first.as_str())
}

/// Whether a command prints lines of a file by where they are.
pub(super) fn prints(command: &str) -> bool {
    ["head ", "tail ", "sed -n "].iter().any(|program| command.starts_with(program))
}

/// Whether an outcome proposes something to run or to write.
pub(super) fn acts(outcome: &RunnerOutcome) -> bool {
    matches!(outcome.proposal, Proposal::Command { .. } | Proposal::Diff { .. })
}
