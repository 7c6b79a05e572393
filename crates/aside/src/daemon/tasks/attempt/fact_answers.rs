//! Answers questions from files, git and the machine, without a model. Core parses the question and renders the answer; this file looks it
//! up.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use aside_core::agent::language::Language;
use aside_task::diff::compute::unified_diff;
use aside_task::diff::path::RelativePath;
use aside_task::machine::may;
use aside_task::proposal::{Proposal, SearchResult};
use aside_task::route::TaskScope;
use aside_task::route::intent::{ApprovalAction, Intent, IntentParams, TaskKind};
use aside_task::run::context::{Ignored, MAX_READ};
use aside_task::run::directory;
use aside_task::run::facts::{self, FactQuestion, FileFilter};
use aside_task::run::model_reply::fenced;
use aside_task::run::project::Project;
use aside_task::run::repository::RepositoryQuestion;
use aside_task::run::review;
use aside_task::run::review::target::ReviewTarget;
use aside_task::run::scan::Scan;
use aside_task::run::search::definitions::defines;
use aside_task::run::{ModelNeed, RunnerOutcome, code, config_keys, orders, short, wording};

use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, answer, blocking, project_answers, repository_answers, with_paths};
use crate::exec::git::{Question, Revision};
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;
use crate::workspace::texts::TextFilter;

/// Caps on rows of a list, definitions of a name, and its uses.
const MAX_ROWS: usize = 30;
const MAX_DEFINITIONS: usize = 3;
const MAX_USES: usize = 12;
/// Lines of a diff that are shown, and commits that are counted.
const MAX_DIFF: usize = 40;
const MAX_COUNTED: usize = 5000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Attempt {
    /// The question, if facts can answer it.
    pub(super) fn fact_question(&self, params: &IntentParams) -> Option<FactQuestion> {
        facts::parse_question(self.words(), params.files.first().map(String::as_str))
    }

    /// The answer; `None` if a model has to give it.
    pub(super) async fn fact_answer(&self, intent: &Intent) -> Result<Option<RunnerOutcome>, String> {
        if let Some(outcome) = self.config_key().await? {
            return Ok(Some(outcome));
        }
        let Some(ask) = self.fact_question(&intent.params) else {
            return self.of_file(intent).await;
        };
        let language = Language::of(self.words());
        let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        let workspace = self.workspace.clone();
        let project = blocking(move |_| workspace.project()).await?;
        Ok(match &ask {
            FactQuestion::RunIt(what) => self.how_to_run(what, &here, &project).await,
            FactQuestion::HowTo(what) => {
                let meant = self.files_meant(&intent.params.files).await?;
                self.how_to(&with_paths(what, &intent.params.files, &meant), &here).await?
            }
            FactQuestion::Commits(_)
            | FactQuestion::LastCommit
            | FactQuestion::CommitCount
            | FactQuestion::Committers
            | FactQuestion::Authors(_)
            | FactQuestion::AuthorsOf(_)
            | FactQuestion::Files(_)
            | FactQuestion::Repository(_)
            | FactQuestion::Directory(_)
            | FactQuestion::Layout
            | FactQuestion::Name(_)
            | FactQuestion::NameIn(..)
            | FactQuestion::Uses(_)
            | FactQuestion::Lines(_)
            | FactQuestion::Columns(_)
            | FactQuestion::Line(..) => {
                let (workspace, asked, secrets) = (self.workspace.clone(), ask.clone(), self.secrets());
                blocking(move |cancelled| Lookup { workspace: &workspace, secrets, language, cancelled }.answer(&asked))
                    .await?
            }
            FactQuestion::Version => match facts::of_project(&ask, &project, language) {
                Some(text) => Some(told(text)),
                None => self.stated_version().await?,
            },
            FactQuestion::VersionOf(name) => match self.version_answer(name).await? {
                Some(outcome) => Some(outcome),
                None => self.value_answer().await?,
            },
            FactQuestion::Dependencies => {
                let (workspace, words) = (self.workspace.clone(), wording::english(self.words()).into_owned());
                blocking(move |cancelled| project_answers::dependencies(&workspace, &words, language, cancelled))
                    .await?
            }
            FactQuestion::Project | FactQuestion::Install | FactQuestion::Target(_) | FactQuestion::Scripts => {
                facts::of_project(&ask, &project, language).map(told)
            }
            // A command needs approval, which only a run asks for.
            FactQuestion::Machine => None,
            FactQuestion::Waiting => Some(self.status().await?),
        })
    }

    /// Describes a named file by what it defines.
    async fn of_file(&self, intent: &Intent) -> Result<Option<RunnerOutcome>, String> {
        let [file] = intent.params.files.as_slice() else { return Ok(None) };
        let english = wording::english(self.words());
        let words = english.split_whitespace().count();
        // An outline does not answer a question about something in the file.
        let about = [
            "what", "explain", "columns", "fields", "header", "rows", "describe", "summar", "show", "outline", "walk",
            "through", "about", "overview", "解释", "说明", "介绍",
        ];
        let lower = english.to_lowercase();
        if words > 9 || !about.iter().any(|word| lower.contains(word)) {
            return Ok(None);
        }
        let language = Language::of(self.words());
        let (workspace, named, secrets) = (self.workspace.clone(), file.clone(), self.secrets());
        let lookup =
            move |cancelled: &AtomicBool| Lookup { workspace: &workspace, secrets, language, cancelled }.text(&named);
        let read = blocking(lookup).await?;
        let Some((path, text)) = read else { return Ok(None) };
        // Before lines are cut: a part of a secret is not recognised as one.
        let text = aside_redact::redact(&text);
        if is_script(&path, &text) {
            let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
            return Ok(Some(told(here.script(&path, &text, language))));
        }
        let outline = config_keys::explained(&path, &text, language);
        let outline = outline.unwrap_or_else(|| facts::outline(&path, &text, language));
        let (workspace, secrets) = (self.workspace.clone(), self.secrets());
        let users =
            blocking(move |cancelled| project_answers::users(&workspace, &path, "", secrets, cancelled)).await?;
        let outline = outline.trim_end().to_owned() + "\n";
        Ok(Some(told(format!("{outline}{}", directory::used_by(&users, language)))))
    }

    /// The command that would be proposed, in words; else what the README says.
    async fn how_to_run(&self, what: &str, here: &MachineFacts, project: &Project) -> Option<RunnerOutcome> {
        let it = ["this", "it", "project", "the project", "the app", "this project", "the server", "the service"];
        let it = it.contains(&what);
        let query = if it { "start".to_owned() } else { what.to_owned() };
        let params = IntentParams { query: Some(query), ..IntentParams::default() };
        let test_command = self.state.config().task.default_test_command.clone();
        let command = here.command(&params, &test_command, project, Language::of(self.words()), None).await;
        let section = project.section(&["run", "running", "usage", "use", "start", "started", "quickstart"]);
        let section = section
            .filter(|_| it)
            .map(|(file, text)| format!("{text}\n\n{}\n", facts::source(file, Language::of(self.words()))));
        match command.map(|outcome| outcome.proposal) {
            Some(Proposal::Command { cmd, reason, .. }) => {
                let section = section.map(|section| format!("\n{section}")).unwrap_or_default();
                Some(told(format!("{}\n{}{section}", fenced("sh", &cmd), reason.unwrap_or_default())))
            }
            _ => section.map(told),
        }
    }
}

impl MachineFacts {
    /// The usual command for something, as an answer.
    pub async fn how_to(&self, what: &str, language: Language) -> Option<RunnerOutcome> {
        if orders::is_restricted(what) {
            return None;
        }
        let (cmd, about) = self.usual(what).await?;
        let about = match language {
            Language::English if !about.is_empty() => format!("\nIt {about}.\n"),
            Language::English | Language::Chinese => String::new(),
        };
        Some(told(format!("{}{about}", fenced("sh", &cmd))))
    }

    /// What the commands of a shell script do, destructive ones first.
    fn script(&self, path: &str, text: &str, language: Language) -> String {
        let commands = script_commands(text);
        let mut text = match language {
            Language::English => format!("{} runs:\n\n", code(path)),
            Language::Chinese => format!("{} 运行：\n\n", code(path)),
        };
        let (mut careful, mut rows) = (String::new(), String::new());
        for (line, command) in commands.iter().take(MAX_ROWS) {
            let (about, harm) = self.about(command);
            let shown = code(&short(&aside_redact::redact(command), 120));
            if !harm.is_empty() {
                careful.push_str(&format!("- {line}: {shown}: {}\n", language.warns(&harm)));
            }
            let about = match language {
                Language::English if !about.is_empty() => format!(": {}", short(&about, 160)),
                _ => String::new(),
            };
            rows.push_str(&format!("- {line}: {shown}{about}\n"));
        }
        if !careful.is_empty() {
            text = format!(
                "{}\n\n{careful}\n{text}",
                language.pick("Careful, it can destroy something:", "注意，它可能造成破坏：")
            );
        }
        let more = commands.len().saturating_sub(MAX_ROWS);
        let more = match (more, language) {
            (0, _) => String::new(),
            (more, Language::English) => format!("- and {more} more commands\n"),
            (more, Language::Chinese) => format!("- 还有 {more} 条命令\n"),
        };
        format!("{text}{rows}{more}")
    }
}

/// Whether a file is a shell script.
fn is_script(path: &str, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let shell = ["sh", "bash", "zsh", "dash", "ksh"];
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    shell.contains(&ending)
        || first.starts_with("#!")
            && first.split(['/', ' ']).next_back().is_some_and(|program| shell.contains(&program))
}

/// The commands of a script with their lines: without comments, options of the shell and what only controls the flow.
fn script_commands(text: &str) -> Vec<(usize, String)> {
    const FLOW: [&str; 16] = [
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "{", "}", "set",
        "shift",
    ];
    let mut commands: Vec<(usize, String)> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let (number, so_far) = open.take().unwrap_or((at + 1, String::new()));
        let joined = if so_far.is_empty() { trimmed.to_owned() } else { format!("{so_far} {trimmed}") };
        if let Some(cut) = joined.strip_suffix('\\') {
            open = Some((number, cut.trim_end().to_owned()));
            continue;
        }
        let first = joined.split([' ', ';', '(']).next().unwrap_or_default();
        let counts =
            !joined.is_empty() && !joined.starts_with('#') && !FLOW.contains(&first) && !joined.ends_with("() {");
        if counts && joined != ";;" {
            commands.push((number, joined));
        }
    }
    commands
}

/// The definition of a name and its uses as text, for a question that goes beyond them.
pub(super) fn defined(
    workspace: &Workspace,
    name: &str,
    secrets: Secrets,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<String> {
    match (Lookup { workspace, secrets, language, cancelled }).named(name, None)?.proposal {
        Proposal::Answer { text } => Some(text),
        _ => None,
    }
}

/// What the rules of a review find in a file, taken as new.
pub(super) fn as_new(workspace: &Workspace, path: &str, secrets: Secrets, rows: usize, language: Language) -> String {
    match review::review(&whole(workspace, path, secrets), rows, language).proposal {
        Proposal::Answer { text } => format!("{}\n\n{text}", language.pick("As it is:", "它现在的样子：")),
        _ => String::new(),
    }
}

/// A file as a diff that adds all of it; empty where it cannot be read.
pub(super) fn whole(workspace: &Workspace, path: &str, secrets: Secrets) -> String {
    let text = Root::open(workspace.root()).ok().and_then(|root| read(&root, path).ok());
    let text = text.filter(|bytes| bytes.len() <= MAX_READ).and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text.and_then(|text| secrets.shown(text)) else { return String::new() };
    let Ok(name) = RelativePath::new(path) else { return String::new() };
    String::from_utf8_lossy(&unified_diff(&name, None, text.as_bytes())).into_owned()
}

/// Whether only the waiting tasks are asked about, not the state of the repository.
pub(super) fn is_about_tasks(words: &str) -> bool {
    facts::parse_question(words, None) == Some(FactQuestion::Waiting)
}

/// A request that only asks for information proposes nothing to approve: the command that would tell it is the answer.
pub(super) fn as_answer(outcome: RunnerOutcome, kind: TaskKind) -> RunnerOutcome {
    match &outcome.proposal {
        Proposal::Command { cmd, reason, .. } if !may(kind, TaskScope::Full, ApprovalAction::RunCommand) => {
            told(format!("{}\n{}", fenced("sh", cmd), reason.as_deref().unwrap_or_default()))
        }
        _ => outcome,
    }
}

/// Whether a command counts, orders or compares what it lists.
pub(super) fn measures(cmd: &str) -> bool {
    const COUNTS: [&str; 4] = ["wc", "sort", "du", "uniq"];
    const PREDICATES: [&str; 4] = ["-size", "-mtime", "-mmin", "-newermt"];
    let words = || cmd.split(|end: char| end.is_whitespace() || "|;&()".contains(end));
    // The lines that a text search finds are an answer of its own.
    let searches = words().next().is_some_and(|first| matches!(first, "grep" | "rg"));
    !searches && words().any(|word| COUNTS.contains(&word) || PREDICATES.contains(&word))
}

pub(super) fn told(text: String) -> RunnerOutcome {
    let first = text.lines().find(|line| line.contains(char::is_alphanumeric) && !line.starts_with("```"));
    let summary = short(first.unwrap_or_default(), 160);
    let text = if text.ends_with('\n') { text } else { format!("{text}\n") };
    answer(text, summary, String::new(), ModelNeed::Better)
}

/// Answers from the files and the history of a workspace.
struct Lookup<'a> {
    workspace: &'a Workspace,
    secrets: Secrets,
    language: Language,
    cancelled: &'a AtomicBool,
}

impl Lookup<'_> {
    fn answer(&self, ask: &FactQuestion) -> Option<RunnerOutcome> {
        match ask {
            FactQuestion::Commits(many) => {
                let rows = history(self.workspace, &History { many: *many, ..History::default() })?;
                Some(told(rows.iter().map(Commit::row).collect()))
            }
            FactQuestion::LastCommit => self.last_commit(),
            FactQuestion::CommitCount => self.commit_count(),
            FactQuestion::Committers => self.committers(),
            FactQuestion::Authors(file) => self.authors(file),
            FactQuestion::AuthorsOf(words) => self.authors_of(words),
            FactQuestion::Files(filter) => files(self.workspace, filter, self.cancelled),
            FactQuestion::Repository(question) => {
                repository_answers::answer(self.workspace, question, self.language, self.cancelled)
                    .or_else(|| self.both(question))
            }
            FactQuestion::Name(name) => self.named(name, None),
            FactQuestion::NameIn(name, file) => self.named(name, Some(file)),
            FactQuestion::Uses(name) => self.named(name, None),
            FactQuestion::Layout => {
                project_answers::layout(self.workspace, self.secrets, self.language, self.cancelled)
            }
            FactQuestion::Directory(path) => {
                project_answers::directory(self.workspace, path, self.secrets, self.language, self.cancelled)
            }
            FactQuestion::Lines(Scan::Ci) => {
                let told = project_answers::workflows(self.workspace, self.secrets, self.language, self.cancelled);
                told.or_else(|| self.lines(Scan::Ci))
            }
            FactQuestion::Lines(scan) => self.lines(*scan),
            FactQuestion::Columns(file) => {
                let (path, text) = self.text(file)?;
                facts::around(&path, &aside_redact::redact(&text), 1, self.language).map(told)
            }
            FactQuestion::Line(file, line) => {
                let (path, text) = self.text(file)?;
                facts::around(&path, &aside_redact::redact(&text), *line, self.language).map(told)
            }
            _ => None,
        }
    }

    /// Two things that are compared and are no branches: each directory or name is described.
    fn both(&self, question: &RepositoryQuestion) -> Option<RunnerOutcome> {
        let RepositoryQuestion::Compare(one, other) = question else { return None };
        let about = |name: &str| {
            let directory =
                project_answers::directory(self.workspace, name, self.secrets, self.language, self.cancelled);
            match directory.or_else(|| self.named(name, None))?.proposal {
                Proposal::Answer { text } => Some(text),
                _ => None,
            }
        };
        Some(told(format!("{}\n{}", about(one)?, about(other)?)))
    }

    /// A named file: by its path, or the only one of that name further down.
    fn text(&self, file: &str) -> Option<(String, String)> {
        let path = self.workspace.named(file);
        let root = Root::open(self.workspace.root()).ok()?;
        let (path, bytes) = match read(&root, &path) {
            Ok(bytes) => (path, bytes),
            Err(_) => {
                let tree = self.workspace.tree(&[], self.cancelled).unwrap_or_default();
                let ends = |path: &str| path.strip_suffix(file).is_some_and(|before| before.ends_with('/'));
                let below =
                    tree.listed().iter().find(|listed| ends(listed.path)).map(|listed| listed.path.to_owned())?;
                let bytes = read(&root, &below).ok()?;
                (below, bytes)
            }
        };
        let is_cut = bytes.len() > MAX_READ;
        let mut text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
        if is_cut {
            // The last line may end inside of a secret.
            text.truncate(text.rfind('\n')?);
        }
        Some((path, self.secrets.shown(text)?))
    }

    /// The path of a named file from the root; of a bare name, the only file that is called so further down.
    fn located(&self, file: &str) -> String {
        let path = self.workspace.named(file);
        if self.workspace.root().join(&path).exists() {
            return path;
        }
        let tree = self.workspace.tree(&[], self.cancelled).unwrap_or_default();
        let ends = |path: &str| path.strip_suffix(file).is_some_and(|before| before.ends_with('/'));
        let mut below = tree.listed().into_iter().filter(|listed| ends(listed.path));
        match (below.next(), below.next()) {
            (Some(only), None) => only.path.to_owned(),
            _ => path,
        }
    }

    fn last_commit(&self) -> Option<RunnerOutcome> {
        let commits = history(self.workspace, &History { many: 1, ..History::default() })?;
        let commit = commits.first()?;
        let files: String = commit.files.iter().take(MAX_ROWS).map(|file| format!("- {}\n", code(file))).collect();
        let more = commit.files.len().saturating_sub(MAX_ROWS);
        let more = if more > 0 { format!("- … +{more}\n") } else { String::new() };
        let diff = self.workspace.change(&ReviewTarget::Last(1), &[]).map(|change| change.diff).unwrap_or_default();
        let lines: Vec<&str> = diff.lines().collect();
        let shown = lines.iter().take(MAX_DIFF).copied().collect::<Vec<_>>().join("\n");
        let rest = match (lines.len().saturating_sub(MAX_DIFF), self.language) {
            (0, _) => String::new(),
            (rest, Language::English) => format!("\n{rest} more lines: `git show`\n"),
            (rest, Language::Chinese) => format!("\n还有 {rest} 行：`git show`\n"),
        };
        let shown =
            if shown.is_empty() { shown } else { format!("\n{}{rest}", fenced("diff", &aside_redact::redact(&shown))) };
        let head = commit.row().trim_start_matches("- ").to_owned();
        Some(told(format!("{head}\n{files}{more}{shown}")))
    }

    fn commit_count(&self) -> Option<RunnerOutcome> {
        let commits = history(self.workspace, &History { many: MAX_COUNTED, ..History::default() })?;
        let more = commits.len() >= MAX_COUNTED;
        let (first, last) = (commits.last()?, commits.first()?);
        Some(told(match self.language {
            Language::English if more => {
                format!("There are more than {MAX_COUNTED} commits; the newest is of {}.", last.date)
            }
            Language::English => {
                let commits =
                    if commits.len() == 1 { "1 commit".to_owned() } else { format!("{} commits", commits.len()) };
                format!("{commits} on this branch, from {} to {}.", first.date, last.date)
            }
            Language::Chinese if more => format!("有 {MAX_COUNTED} 次以上的提交；最新的是 {}。", last.date),
            Language::Chinese => format!("当前分支有 {} 次提交，从 {} 到 {}。", commits.len(), first.date, last.date),
        }))
    }

    fn committers(&self) -> Option<RunnerOutcome> {
        let commits = history(self.workspace, &History { many: MAX_COUNTED, ..History::default() })?;
        let mut people = people(&commits);
        people.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let row = |(name, count): &(&str, usize)| match self.language {
            Language::English if *count == 1 => format!("- {name}: 1 commit\n"),
            Language::English => format!("- {name}: {count} commits\n"),
            Language::Chinese => format!("- {name}：{count} 次提交\n"),
        };
        let rows: String = people.iter().take(MAX_ROWS).map(row).collect();
        (!rows.is_empty()).then(|| told(rows))
    }

    /// The authors of a file that is described, or of the one that defines a name.
    fn authors_of(&self, words: &str) -> Option<RunnerOutcome> {
        let tree = self.workspace.tree(&[], self.cancelled).ok()?;
        let words: Vec<String> =
            words.split_whitespace().map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect();
        let listed = tree.listed();
        let fits = |path: &str| {
            let path = path.to_lowercase();
            words.iter().all(|word| path.contains(word.as_str()) || word == "script" && path.ends_with(".sh"))
        };
        let mut found = listed.iter().filter(|listed| listed.ignored == Ignored::No && fits(listed.path));
        match (found.next(), found.next()) {
            (Some(only), None) => return self.authors(only.path),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
        // One of the words may be the name of a file.
        let stem = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name.split('.').next().unwrap_or_default().to_lowercase()
        };
        let mut named =
            listed.iter().filter(|listed| listed.ignored == Ignored::No && words.contains(&stem(listed.path)));
        match (named.next(), named.next()) {
            (Some(only), None) => self.authors(only.path),
            _ => None,
        }
    }

    fn authors(&self, file: &str) -> Option<RunnerOutcome> {
        let path = self.located(file);
        let commits = history(self.workspace, &History { many: MAX_ROWS, path: &path, ..History::default() })?;
        let (Some(last), Some(first)) = (commits.first(), commits.last()) else {
            return Some(told(match self.language {
                Language::English => format!("No commit has {}.", code(&path)),
                Language::Chinese => format!("没有提交包含 {}。", code(&path)),
            }));
        };
        let people: Vec<String> = people(&commits).iter().map(|(name, count)| format!("{name} ({count})")).collect();
        let rows: String = commits.iter().take(10).map(Commit::row).collect();
        let changed = self.workspace.git().changed.contains(&path);
        let (path, people) = (code(&path), people.join(", "));
        let whole = commits.len() < MAX_ROWS;
        let mut text = match self.language {
            Language::English => format!("{path} was last changed by {} on {}.", last.author, last.date),
            Language::Chinese => format!("{path} 最后由 {} 于 {} 修改。", last.author, last.date),
        };
        text.push_str(&match (whole, self.language) {
            (true, Language::English) => {
                format!(" It was added by {} on {}. Commits: {people}.", first.author, first.date)
            }
            (true, Language::Chinese) => format!("最初由 {} 于 {} 加入。提交：{people}。", first.author, first.date),
            (false, Language::English) => format!(" Its last {MAX_ROWS} commits: {people}."),
            (false, Language::Chinese) => format!("最近 {MAX_ROWS} 次提交：{people}。"),
        });
        if changed {
            text.push_str(self.language.pick(" It has changes that are not committed.", "它有未提交的修改。"));
        }
        Some(told(format!("{text}\n\n{rows}")))
    }

    /// Lines of the whole project that answer a question, code before tests and prose.
    fn lines(&self, scan: Scan) -> Option<RunnerOutcome> {
        let mut items: Vec<(u8, String, String)> = Vec::new();
        let wanted =
            TextFilter { text: &|path: &str, text: &str| !scan.places(path, text).is_empty(), ..TextFilter::ALL };
        self.workspace.each_text_of(&wanted, self.secrets, self.cancelled, |path, text| {
            let is_prose = [".md", ".rst", ".txt", ".adoc"].iter().any(|ending| path.ends_with(ending));
            let is_test =
                path.split(['/', '_', '.']).any(|part| ["test", "tests", "spec", "specs", "fixtures"].contains(&part));
            let rank = if is_prose { 2 } else { u8::from(is_test) };
            let lines: Vec<&str> = text.lines().collect();
            for at in scan.places(path, text) {
                let line = lines.get(at).copied().unwrap_or_default();
                items.push((rank, format!("{path}:{}", at + 1), line.trim().to_owned()));
            }
        })?;
        items.sort_by_key(|(rank, ..)| *rank);
        if items.is_empty() {
            let (english, chinese) = scan.words();
            return Some(told(match self.language {
                Language::English => format!("No line here looks like {english}; what git ignores is not looked at."),
                Language::Chinese => format!("没有找到{chinese}；git 忽略的文件没有查看。"),
            }));
        }
        let what = match self.language {
            Language::English => "lines",
            Language::Chinese => "行",
        };
        Some(listed_as(items, what, |(_, path, line)| SearchResult {
            path,
            preview: Some(short(&aside_redact::redact(&line), 160)),
        }))
    }

    /// Where a name is defined, with its text, and where it is used.
    fn named(&self, name: &str, file: Option<&str>) -> Option<RunnerOutcome> {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let wanted = file.map(|file| self.text(file).map_or_else(|| self.workspace.named(file), |(path, _)| path));
        let (mut definitions, mut uses) = (Vec::new(), Vec::new());
        let filter = TextFilter { text: &|_: &str, text: &str| text.contains(last), ..TextFilter::ALL };
        self.workspace.each_text_of(&filter, self.secrets, self.cancelled, |path, text| {
            for (at, line) in text.lines().enumerate().filter(|(_, line)| has_word(line, last)) {
                let is_impl = line.trim_start().starts_with("impl");
                match defines(line, last) && !is_impl && wanted.as_ref().is_none_or(|wanted| wanted == path) {
                    true if definitions.len() < MAX_DEFINITIONS => {
                        definitions.push((path.to_owned(), at + 1, facts::definition(text, at + 1)));
                    }
                    true => {}
                    false if is_impl => {}
                    false => uses.push((path.to_owned(), at + 1, line.trim().to_owned())),
                }
            }
        })?;
        let (first, ..) = definitions.first()?;
        let mut text = String::new();
        for (path, line, body) in &definitions {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            let body = aside_redact::redact(body);
            let head = match self.language {
                Language::English => format!("{} is defined in `{path}:{line}`:", code(last)),
                Language::Chinese => format!("{} 定义在 `{path}:{line}`：", code(last)),
            };
            text.push_str(&format!("{head}\n\n{}\n", fenced(ending, &body)));
        }
        // Uses elsewhere say more than those beside the definition.
        uses.sort_by_key(|(path, line, _)| (path == first, path.clone(), *line));
        let rows: String = uses
            .iter()
            .take(MAX_USES)
            .map(|(path, line, text)| format!("- `{path}:{line}` {}\n", code(&short(&aside_redact::redact(text), 120))))
            .collect();
        let more = uses.len().saturating_sub(MAX_USES);
        text.push_str(&match (uses.is_empty(), self.language) {
            (true, Language::English) => "No other line of the project names it.\n".to_owned(),
            (true, Language::Chinese) => "项目里没有别的行用到它。\n".to_owned(),
            (false, Language::English) if more > 0 => format!("Used in:\n\n{rows}- and {more} more places\n"),
            (false, Language::English) => format!("Used in:\n\n{rows}"),
            (false, Language::Chinese) if more > 0 => format!("使用它的地方：\n\n{rows}- 还有 {more} 处\n"),
            (false, Language::Chinese) => format!("使用它的地方：\n\n{rows}"),
        });
        Some(told(text))
    }
}

/// The places where a key of a dictionary is read.
pub(super) fn reads_key(workspace: &Workspace, key: &str, secrets: Secrets, cancelled: &AtomicBool) -> Vec<String> {
    let mut found = Vec::new();
    let forms = [format!("[\"{key}\"]"), format!("['{key}']")];
    let has_form = |_: &str, text: &str| forms.iter().any(|form| text.contains(form.as_str()));
    let wanted = TextFilter { text: &has_form, ..TextFilter::ALL };
    let _ = workspace.each_text_of(&wanted, secrets, cancelled, |path, text| {
        let hits = text.lines().enumerate().filter(|(_, line)| forms.iter().any(|form| line.contains(form.as_str())));
        found.extend(hits.map(|(at, line)| format!("`{path}:{}` {}", at + 1, code(&short(line.trim(), 100)))));
    });
    found.truncate(MAX_DEFINITIONS);
    found
}

/// Authors with their numbers of commits, the newest first.
fn people(commits: &[Commit]) -> Vec<(&str, usize)> {
    let mut people: Vec<(&str, usize)> = Vec::new();
    for commit in commits {
        match people.iter_mut().find(|(name, _)| *name == commit.author) {
            Some((_, count)) => *count += 1,
            None => people.push((&commit.author, 1)),
        }
    }
    people
}

#[derive(Default)]
pub(super) struct History<'a> {
    pub many: usize,
    pub path: &'a str,
    pub author: &'a str,
    /// The revision whose commits do not count, and the one whose do; empty for none and for the current one.
    pub since: &'a str,
    pub of: &'a str,
}

#[derive(Clone)]
pub(super) struct Commit {
    pub id: String,
    pub author: String,
    pub date: String,
    pub subject: String,
    pub files: Vec<String>,
}

impl Commit {
    pub fn row(&self) -> String {
        format!("- {} {}, {}: {}\n", code(&self.id), self.date, self.author, self.subject)
    }
}

/// Returns `None` outside a repository, or before the first commit.
pub(super) fn history(workspace: &Workspace, history: &History<'_>) -> Option<Vec<Commit>> {
    if !workspace.has_repository() {
        return None;
    }
    let head = Revision::new(if history.of.is_empty() { "HEAD" } else { history.of })?;
    let since = if history.since.is_empty() { None } else { Some(Revision::new(history.since)?) };
    let History { many, path, author, .. } = *history;
    let question = Question::History { since: since.as_ref(), of: &head, many, path, author };
    Some(commits(&probe(&Probe::Git { root: workspace.root(), question })?))
}

/// The commits of a history as git prints it.
pub(super) fn commits(printed: &str) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::new();
    for line in printed.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts.as_slice() {
            [id, author, date, subject @ ..] if !subject.is_empty() => {
                let subject = short(&aside_redact::redact(&subject.join(" ")), 120);
                let (id, author, date) = ((*id).to_owned(), short(author, 60), (*date).to_owned());
                commits.push(Commit { id, author, date, subject, files: Vec::new() });
            }
            [path] if !path.is_empty() => {
                if let Some(last) = commits.last_mut() {
                    last.files.push((*path).to_owned());
                }
            }
            _ => {}
        }
    }
    commits
}

fn files(workspace: &Workspace, filter: &FileFilter, cancelled: &AtomicBool) -> Option<RunnerOutcome> {
    if let FileFilter::Author(name) = filter {
        let commits = history(workspace, &History { many: 200, author: name, ..History::default() })?;
        let mut items: Vec<SearchResult> = Vec::new();
        for commit in &commits {
            for path in &commit.files {
                if !items.iter().any(|item| item.path == *path) {
                    items.push(SearchResult {
                        path: path.clone(),
                        preview: Some(format!("{} {}", commit.date, commit.subject)),
                    });
                }
            }
        }
        return Some(listed(items, &format!("files in commits of {name}")));
    }
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listing = tree.listed();
    let mut rows: Vec<(u64, SystemTime, &str)> = listing
        .iter()
        .filter(|listed| listed.ignored == Ignored::No)
        .filter_map(|listed| {
            let meta =
                std::fs::symlink_metadata(workspace.root().join(listed.path)).ok().filter(|meta| meta.is_file())?;
            Some((meta.len(), meta.modified().ok()?, listed.path))
        })
        .collect();
    let now = SystemTime::now();
    let age = |time: &SystemTime| now.duration_since(*time).unwrap_or_default();
    match filter {
        FileFilter::Larger(bytes) => rows.retain(|(size, ..)| size > bytes),
        FileFilter::Smaller(bytes) => rows.retain(|(size, ..)| size < bytes),
        FileFilter::Empty => rows.retain(|(size, ..)| *size == 0),
        FileFilter::Days(days) => {
            rows.retain(|(_, time, _)| age(time) <= DAY * u32::try_from(*days).unwrap_or(u32::MAX))
        }
        FileFilter::Largest(_) | FileFilter::Newest(_) | FileFilter::Author(_) => {}
    }
    match filter {
        FileFilter::Days(_) | FileFilter::Newest(_) => rows.sort_by_key(|(_, time, path)| (age(time), *path)),
        _ => rows.sort_by_key(|(size, _, path)| (std::cmp::Reverse(*size), *path)),
    }
    if let FileFilter::Largest(many) | FileFilter::Newest(many) = filter {
        rows.truncate(*many);
    }
    let row = |(size, time, path): &(u64, SystemTime, &str)| SearchResult {
        path: (*path).to_owned(),
        preview: Some(format!("{}, changed {} ago", bytes(*size), ago(age(time)))),
    };
    Some(listed(rows.iter().map(row).collect(), "files"))
}

pub(super) fn listed(items: Vec<SearchResult>, what: &str) -> RunnerOutcome {
    listed_as(items, what, |item| item)
}

/// A list of items, of which only the shown ones are made: redacting a line takes long.
fn listed_as<T>(items: Vec<T>, what: &str, shown: impl Fn(T) -> SearchResult) -> RunnerOutcome {
    let count = items.len();
    let summary = match count {
        0 => format!("There are no such {what}"),
        many => format!("{many} {what}"),
    };
    if items.is_empty() {
        return told(format!("{summary}; what git ignores is not looked at."));
    }
    let details = if count > MAX_ROWS { format!("{} more are not shown.\n", count - MAX_ROWS) } else { String::new() };
    let items = items.into_iter().take(MAX_ROWS).map(shown).collect();
    RunnerOutcome { proposal: Proposal::SearchResults { items }, summary, details, model: ModelNeed::Unneeded }
}

pub(super) fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} bytes"),
        1024..1_048_576 => format!("{:.1} KB", size as f64 / 1024.0),
        _ => format!("{:.1} MB", size as f64 / 1_048_576.0),
    }
}

fn ago(age: Duration) -> String {
    match age.as_secs() / 60 {
        0 => "a moment".to_owned(),
        minutes @ 1..60 => format!("{minutes} min"),
        minutes @ 60..2880 => format!("{} h", minutes / 60),
        minutes => format!("{} days", minutes / 1440),
    }
}

pub(super) fn has_word(line: &str, name: &str) -> bool {
    let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    line.match_indices(name).any(|(at, found)| {
        edge(line.get(..at).and_then(|before| before.chars().next_back()))
            && edge(line.get(at + found.len()..).and_then(|behind| behind.chars().next()))
    })
}
