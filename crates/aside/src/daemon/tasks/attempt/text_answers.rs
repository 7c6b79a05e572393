//! Answers in text: explanations, plans, reviews and searches. What the rules find comes first and is never lost; a model adds to it, or
//! answers where they find nothing.

use std::path::Path;

use aside_core::agent;
use aside_core::agent::language::{Language, needs_model};
use aside_proto::task::TaskBrief;
use aside_task::denied_files;
use aside_task::proposal::{Proposal, SearchResult};
use aside_task::route::intent::{Intent, TaskKind};
use aside_task::route::params::split_piped;
use aside_task::run::context::{Ignored, ModelContext};
use aside_task::run::find::Kind;
use aside_task::run::model_reply::TaskAnswer;
use aside_task::run::plan::{PlanReason, plan};
use aside_task::run::prompt::prose as prompt;
use aside_task::run::review::focus::{self, Focus};
use aside_task::run::review::{self, described, signatures, target};
use aside_task::run::{ModelNeed, RunnerOutcome, code, search, short};
use aside_translate::prompt::ModelPrompt;

use crate::daemon::tasks::attempt::fact_answers::{self, History};
use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::model_context::hidden;
use crate::daemon::tasks::attempt::model_stream::{AnswerEnd, ModelStream};
use crate::daemon::tasks::attempt::{
    Attempt, GatheredContext, TextSink, answer, blocking, one_line, repository_answers, value_answers,
};
use crate::workspace::Workspace;
use crate::workspace::git::Change;
use crate::workspace::texts::TextFilter;

/// Lines of what the rules find in a change.
const REVIEW: usize = 60;
/// Calls of one function that are named.
const CALLS: usize = 10;
/// Files that are looked at as they are.
const MAX_WHOLE: usize = 200;
/// Places that are listed for a thing that cannot be explained without a model.
const PLACES: usize = 3;
const PLACES_ENGLISH: &str = " is here:";
const PLACES_CHINESE: &str = " 在这里：";
/// Lines of a file in the same case.
const HEAD: usize = 15;
/// Characters of a request in the status.
const MAX_ASKED: usize = 80;

/// The review of a diff that was piped in. Nothing else of the repository is part of it.
fn of_piped(words: &str, piped: &str, language: Language) -> RunnerOutcome {
    let is_diff =
        piped.lines().any(|line| line.starts_with("@@ ")) && piped.lines().any(|line| line.starts_with("+++ "));
    if !is_diff {
        let text = language.pick(
            "What is piped in is no diff. `git diff | aside task review this` reviews one; `aside task review FILE` a file.",
            "管道传入的不是 diff。`git diff | aside task 审查一下` 审查一个 diff；`aside task 审查 文件` 审查文件。",
        );
        return answer(format!("{text}\n"), text, String::new(), ModelNeed::Better);
    }
    let mut found = review::review(piped, REVIEW, language);
    if let Proposal::Answer { text } = &mut found.proposal {
        let verdict = focus::focus(words).map(|focus| focus::verdict(focus, piped, language)).unwrap_or_default();
        let of = language.pick("Compared: what was piped in.", "比较的是：管道传入的内容。");
        *text = format!("{of}\n\n{verdict}{text}");
    }
    found
}

/// The newest commit of an author whose first line or files mention the words; the newest of all where none does.
fn commit_of(workspace: &Workspace, author: &str, about: &[String]) -> Option<String> {
    let all = fact_answers::history(workspace, &History { many: 200, author, ..History::default() })?;
    let mentions = |commit: &&fact_answers::Commit| {
        let text = format!("{} {}", commit.subject, commit.files.join(" ")).to_lowercase();
        about.iter().all(|word| text.contains(word.as_str()))
    };
    all.iter().find(mentions).or(all.first()).map(|commit| commit.id.clone())
}

/// A short description of a task: a waiting one by its action, all others by their request, which is how the user remembers them.
pub(super) fn about(brief: &TaskBrief, here: &Path, language: Language) -> String {
    let asked = short(brief.text.trim().lines().next().unwrap_or_default(), MAX_ASKED);
    let about = match brief.state.as_str() {
        "WAITING_APPROVAL" if !brief.summary.is_empty() => brief.summary.clone(),
        "FAILED" if needs_model(&brief.summary) => {
            format!("{} {}", code(&asked), language.pick("(needs a model)", "（需要模型）"))
        }
        "FAILED" if !brief.summary.is_empty() => format!("{} ({})", code(&asked), short(&brief.summary, MAX_ASKED)),
        _ => code(&asked),
    };
    // A task of another directory is named with it.
    match Path::new(&brief.workspace).starts_with(here) || brief.workspace.is_empty() {
        true => about,
        false => format!(
            "{about} {}",
            language.pick(&format!("(in {})", code(&brief.workspace)), &format!("（在 {}）", code(&brief.workspace)))
        ),
    }
}

impl Attempt {
    pub(super) async fn explain(
        &self,
        intent: &Intent,
        gathered: &GatheredContext,
        say: TextSink<'_>,
    ) -> Result<RunnerOutcome, String> {
        let question = intent.params.question.as_deref().unwrap_or(self.words());
        let lack = self.lack();
        let model = lack.map_or(agent::ModelAbsence::Silent, |lack| lack.model());
        let certain = self.fact_question(&intent.params).is_some_and(|ask| ask.is_certain());
        if certain && let Some(known) = self.fact_answer(intent).await? {
            return Ok(known);
        }
        if let Some(known) = self.explained(intent, model).await {
            return Ok(known);
        }
        if lack.is_some()
            && let Some(known) = self.fact_answer(intent).await?
        {
            return Ok(known);
        }
        let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        let mut known = here.explain(question, &intent.params.files, model).await;
        if known.model == ModelNeed::Needed
            && let Some(why) = self.unreadable().await?
        {
            return Ok(answer(why.clone(), why, String::new(), ModelNeed::Unneeded));
        }
        if lack.is_some()
            && known.model == ModelNeed::Needed
            && let Some(found) = self.without_model(&here).await?
        {
            return Ok(found);
        }
        if let Some(lack) = lack {
            if known.model == ModelNeed::Needed && model == agent::ModelAbsence::Silent {
                known = answer(lack.told(question), known.summary, String::new(), ModelNeed::Needed);
            }
            if known.model == ModelNeed::Needed
                && let Proposal::Answer { text } = &mut known.proposal
            {
                // Without any file to show either, the task fails.
                let Some(places) = self.seen(intent, question).await? else { return Err(one_line(text)) };
                // A definition and its uses are an answer; the beginning of a file, or places alone, are not.
                let is_answer = intent.params.files.is_empty() && places.contains("\n\n") && !is_places(&places);
                *text = if is_answer { places } else { format!("{places}\n{text}") };
                if is_answer {
                    known.model = ModelNeed::Better;
                }
            }
            return Ok(known);
        }
        match self.words_of(&gathered.context, say, |context| prompt::explain(question, context)).await {
            Ok(said) => Ok(answer(said.words.clone(), said.summary(), gathered.context.shown(), ModelNeed::Unneeded)),
            Err(sentence) if known.model == ModelNeed::Needed => Err(sentence),
            Err(sentence) => Ok(RunnerOutcome { details: sentence, ..known }),
        }
    }

    /// Why the file that a question is about, and nothing else, is not read: it may hold secrets, is outside the workspace, or is not there.
    async fn unreadable(&self) -> Result<Option<String>, String> {
        let Some(file) = aside_task::run::explain::only_file(self.words()) else { return Ok(None) };
        let (workspace, file, language) = (self.workspace.clone(), file.to_owned(), Language::of(self.words()));
        blocking(move |_| {
            let (name, shown) = (workspace.named(&file), code(&file));
            let path = Path::new(&name);
            let is_outside = path.is_absolute() || name.starts_with('~') || name.split('/').any(|part| part == "..");
            Some(match (denied_files::denial(&name), language) {
                (Some(what), Language::English) => format!("{shown} is never read: {}.", what.english),
                (Some(what), Language::Chinese) => format!("任务从不读取 {shown}：{}。", what.chinese),
                (None, Language::English) if is_outside => format!("{shown} is not in the workspace, and is not read."),
                (None, Language::Chinese) if is_outside => format!("{shown} 不在工作区内，不会读取。"),
                (None, _) if workspace.root().join(path).exists() => return None,
                (None, Language::English) => format!("There is no file {shown} here."),
                (None, Language::Chinese) => format!("这里没有文件 {shown}。"),
            })
        })
        .await
    }

    /// What one reader of all files answers: a value, a command that a file writes down, or the usual one.
    async fn without_model(&self, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        // A name is explained by its definition, not by the value alone.
        let is_named = search::plan::subject(self.words()).is_some();
        if !is_named && let Some(found) = self.value_answer().await? {
            return Ok(Some(found));
        }
        if !value_answers::shows(self.words()) {
            return Ok(None);
        }
        if let Some(found) = self.documented(here).await?.filter(value_answers::acts) {
            return Ok(Some(found));
        }
        Ok(here.certain_command(self.words(), Language::of(self.words())).await)
    }

    /// What to read when nothing can explain it: the beginning of the named file, or where the thing is defined.
    async fn seen(&self, intent: &Intent, question: &str) -> Result<Option<String>, String> {
        let Some(name) = intent.params.files.first().map(|file| self.workspace.named(file)) else {
            return self.places(question).await;
        };
        let context = self.gather_context(intent).await;
        let Some(file) = context.files.iter().find(|file| file.path == name) else { return Ok(None) };
        let lines: Vec<&str> = file.text.lines().take(HEAD).collect();
        if lines.is_empty() {
            return Ok(None);
        }
        let head = match Language::of(question) {
            Language::English => format!("{} begins:", code(&name)),
            Language::Chinese => format!("{} 的开头：", code(&name)),
        };
        Ok(Some(format!("{head}\n\n{}", super::fenced("", &lines.join("\n")))))
    }

    /// Where the thing is defined that a question is about.
    async fn places(&self, question: &str) -> Result<Option<String>, String> {
        let Some(name) = search::plan::subject(question) else { return Ok(None) };
        let (workspace, subject, language) = (self.workspace.clone(), name.to_owned(), Language::of(question));
        let secrets = self.secrets();
        let defined =
            blocking(move |cancelled| fact_answers::defined(&workspace, &subject, secrets, language, cancelled))
                .await?;
        if defined.is_some() {
            return Ok(defined);
        }
        let plan = search::plan::plan(&format!("where is {name} defined"), name, &[]);
        let (workspace, wanted, secrets) = (self.workspace.clone(), plan.clone(), self.secrets());
        let searched = blocking(move |cancelled| workspace.search(&wanted, secrets, cancelled)).await?;
        let searched = searched.map_err(|error| format!("{error:#}"))?;
        let Proposal::SearchResults { items } = search::render::outcome(&plan, &searched).proposal else {
            return Ok(None);
        };
        let row = |item: &SearchResult| {
            format!("- {} {}\n", code(&item.path), code(item.preview.as_deref().unwrap_or_default()))
        };
        let rows: String = items.iter().take(PLACES).map(row).collect();
        let head = match Language::of(question) {
            Language::English => format!("{}{PLACES_ENGLISH}", code(name)),
            Language::Chinese => format!("{}{PLACES_CHINESE}", code(name)),
        };
        Ok((!rows.is_empty()).then(|| format!("{head}\n\n{rows}")))
    }

    /// What is certain without a model: a command, a status. File names alone are not enough.
    pub(super) async fn explained(&self, intent: &Intent, model: agent::ModelAbsence) -> Option<RunnerOutcome> {
        if !intent.params.files.is_empty() {
            return None;
        }
        let question = intent.params.question.as_deref().unwrap_or(self.words());
        let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        let known = here.explain(question, &[], model).await;
        (known.model != ModelNeed::Needed).then_some(known)
    }

    /// A plan in text, whatever the intent is.
    pub(super) async fn plan(
        &self,
        intent: &Intent,
        gathered: &GatheredContext,
        say: TextSink<'_>,
    ) -> Result<RunnerOutcome, String> {
        let threshold = self.state.config().task.confidence_threshold;
        let because = if intent.confidence < threshold { PlanReason::Unsure } else { PlanReason::Asked };
        let lack = self.lack();
        if intent.kind != TaskKind::Change
            && let Some(known) = self.explained(intent, agent::ModelAbsence::Silent).await
            && let Proposal::Answer { text } = known.proposal
        {
            return Ok(RunnerOutcome { proposal: Proposal::Plan { text }, ..known });
        }
        let request = self.words();
        if let Some(lack) = lack {
            return Ok(plan(request, intent, because, &lack.told(request)));
        }
        let words = intent.params.change_request.as_deref().or(intent.params.question.as_deref()).unwrap_or(request);
        match self.words_of(&gathered.context, say, |context| prompt::plan(words, context)).await {
            Ok(said) => {
                let summary = said.summary();
                let proposal = Proposal::Plan { text: said.words };
                Ok(RunnerOutcome { proposal, summary, details: String::new(), model: ModelNeed::Unneeded })
            }
            Err(sentence) => Ok(plan(request, intent, because, &sentence)),
        }
    }

    pub(super) async fn review(
        &self,
        intent: &Intent,
        gathered: &GatheredContext,
        say: TextSink<'_>,
    ) -> Result<RunnerOutcome, String> {
        let language = Language::of(self.words());
        let (words, piped) = split_piped(self.words());
        if let Some(piped) = piped {
            return Ok(of_piped(words, piped, language));
        }
        if !self.workspace.has_repository() {
            return Err(self.no_repository(language));
        }
        let (what, name) = self.review_target(words, &intent.params.files).await?;
        let workspace = self.workspace.clone();
        // A bare name is the only file of that name further down.
        let meant = self.files_meant(&intent.params.files).await?;
        let is_file = |file: &&String| name.as_ref() != Some(*file);
        // `console.log` is no file, and nothing that could be missing.
        let is_code = |file: &&String| target::is_code(file) && !workspace.root().join(file.as_str()).exists();
        let paths: Vec<String> =
            meant.iter().filter(is_file).filter(|file| !is_code(file)).map(|file| workspace.named(file)).collect();
        let is_now = what == target::ReviewTarget::Now;
        if is_now
            && paths.is_empty()
            && self.lack().is_some()
            && let Some(which) = described::files(words)
        {
            return self.as_they_are(which, language).await;
        }
        let (change, instead) = self.change_meant(what, &paths, language).await?;
        // A named file without a change is looked at as it is: its last commit shows what was done to it.
        if change.diff.trim().is_empty() && !paths.is_empty() && self.lack().is_some() {
            return self.unchanged(&paths, language).await;
        }
        let mut found = review::review(&change.diff, REVIEW, language);
        if let Proposal::Answer { text } = &mut found.proposal {
            let notes: String = change.notes.iter().map(|note| format!("- {}\n", note.of(language))).collect();
            let notes = if notes.is_empty() { notes } else { format!("\n{notes}") };
            let of = match language {
                _ if change.of.english.is_empty() => String::new(),
                Language::English => format!("Compared: {}.\n\n", change.of.english),
                Language::Chinese => format!("比较的是：{}。\n\n", change.of.chinese),
            };
            let verdict = match focus::focus(words) {
                Some(Focus::Tests) => self.tested(&change.diff, language).await?,
                Some(focus) => focus::verdict(focus, &change.diff, language),
                None => match focus::sought(words) {
                    Some(text) => focus::seek(&text, &change.diff, language),
                    None => String::new(),
                },
            };
            // Only the files as they are now can be compared with a change to them.
            let calls = match is_now || matches!(target::review_target(words), target::ReviewTarget::Staged) {
                true => self.calls_left(&change.diff, language).await?,
                false => String::new(),
            };
            // Rules say little about a small change; the change itself says all.
            let is_narrow = !verdict.is_empty() && focus::focus(words) != Some(Focus::Ready);
            let shown = match self.lack().is_some() && !is_narrow {
                true => review::excerpt(&change.diff, language),
                false => String::new(),
            };
            // A named file is meant whole, unless the words are about its changes.
            let whole = match is_now && self.lack().is_some() && !target::is_about_changes(words) {
                true => self.files_as_new(&paths, language).await?,
                false => String::new(),
            };
            *text = format!(
                "{instead}{of}{verdict}{}{calls}{notes}{shown}{whole}",
                text.trim_end_matches('\n').to_owned() + "\n"
            );
        }
        if self.lack().is_some() {
            return Ok(found);
        }
        let nothing_changed = found.model == ModelNeed::Unneeded;
        let remarks = match (nothing_changed, gathered.context.files.is_empty()) {
            (true, true) => return Ok(found),
            // No file has changed, so the files are reviewed as they are.
            (true, false) => {
                self.words_of(&gathered.context, say, |context| prompt::explain(self.words(), context)).await
            }
            (false, _) => {
                let diff = hidden(&change.diff, &self.state).unwrap_or(change.diff);
                let Proposal::Answer { text: rules } = &found.proposal else { return Ok(found) };
                // The same limit as for file contents: the model can read no more.
                let room = self.room().await;
                let shown = ModelContext { git: diff, ..ModelContext::default() }.within(room);
                self.words_of(&shown, say, |shown| prompt::review(self.words(), &shown.git, room, rules)).await
            }
        };
        found.details = match remarks {
            Ok(said) => {
                found.model = ModelNeed::Unneeded;
                format!("{}\n\n{}\n", language.pick("The model's remarks:", "模型的意见："), said.words)
            }
            Err(sentence) => format!("{}{sentence}\n", language.pick("No remarks of a model: ", "没有模型的意见：")),
        };
        Ok(found)
    }

    /// Which change is meant, and the word that names it, where only the repository tells that it is a branch. A name that is neither a
    /// branch nor a file is an error: reviewing something else instead would mislead.
    async fn review_target(
        &self,
        words: &str,
        files: &[String],
    ) -> Result<(target::ReviewTarget, Option<String>), String> {
        let what = target::review_target(words);
        // The last commit of an author is not the last commit.
        let (workspace, language) = (self.workspace.clone(), Language::of(words));
        if let target::ReviewTarget::Branch { of: None, against: Some(against) } = &what {
            let possible: Vec<String> = target::possible_names(words).into_iter().map(str::to_owned).collect();
            let (against, other) = (against.clone(), what.clone());
            // "Review NAME against main": a branch before the words that compare.
            return blocking(move |_| {
                let names = repository_answers::names(&workspace);
                match possible.into_iter().find(|name| *name != against && names.contains(name)) {
                    Some(name) => {
                        (target::ReviewTarget::Branch { of: Some(name.clone()), against: Some(against) }, Some(name))
                    }
                    None => (other, None),
                }
            })
            .await;
        }
        let may_be_of_author = matches!(what, target::ReviewTarget::Now | target::ReviewTarget::Last(_));
        if let Some((name, about)) =
            target::possible_author(words).filter(|_| may_be_of_author && target::author(words).is_none())
        {
            let workspace = workspace.clone();
            let found = blocking(move |_| commit_of(&workspace, &name, &about)).await?;
            if let Some(id) = found {
                return Ok((target::ReviewTarget::Commit(id), None));
            }
        }
        if !may_be_of_author || what != target::ReviewTarget::Now && target::author(words).is_none() {
            return Ok((what, None));
        }
        let files = files.to_vec();
        let (author, possible): (Option<String>, Vec<String>) =
            (target::author(words), target::possible_names(words).into_iter().map(str::to_owned).collect());
        blocking(move |cancelled| {
            if let Some(name) = author {
                let of = History { many: 1, author: &name, ..History::default() };
                let newest = fact_answers::history(&workspace, &of).and_then(|commits| commits.into_iter().next());
                let none = || match language {
                    Language::English => {
                        format!("No commit of this branch is by {name}, so there is nothing to review.")
                    }
                    Language::Chinese => format!("当前分支没有 {name} 的提交，没有可以审查的内容。"),
                };
                return newest.map(|commit| (target::ReviewTarget::Commit(commit.id), None)).ok_or_else(none);
            }
            if possible.is_empty() {
                return Ok((target::ReviewTarget::Now, None));
            }
            let names = repository_answers::names(&workspace);
            let short = |name: &String| name.strip_prefix("origin/").unwrap_or(name).to_owned();
            if let Some(name) =
                possible.iter().find(|name| names.contains(name) || names.iter().any(|known| short(known) == **name))
            {
                let what = target::ReviewTarget::Branch { of: Some(name.clone()), against: None };
                return Ok((what, Some(name.clone())));
            }
            let tree = workspace.tree(&[], cancelled).unwrap_or_default();
            let is_path = |name: &String| {
                let name = workspace.named(name);
                let name = name.trim_end_matches('/');
                tree.listed().iter().any(|listed| {
                    listed.path == name
                        || listed.path.starts_with(&format!("{name}/"))
                        || listed.path.ends_with(&format!("/{name}"))
                })
            };
            match possible.iter().find(|name| name.contains('/') && !files.contains(name) && !is_path(name)) {
                Some(name) => Err(match language {
                    Language::English => format!("There is no branch, tag or file {} here.", code(name)),
                    Language::Chinese => format!("这里没有叫 {} 的分支、标签或文件。", code(name)),
                }),
                None => Ok((target::ReviewTarget::Now, None)),
            }
        })
        .await?
    }

    /// Calls of functions that a change declares otherwise, in lines that it does not touch.
    async fn calls_left(&self, diff: &str, language: Language) -> Result<String, String> {
        let names = signatures::changed(diff);
        if names.is_empty() {
            return Ok(String::new());
        }
        let (workspace, secrets, diff) = (self.workspace.clone(), self.secrets(), diff.to_owned());
        blocking(move |cancelled| {
            let mut rows: Vec<Vec<String>> = vec![Vec::new(); names.len()];
            let _ = workspace.each_text_of(&TextFilter::ALL, secrets, cancelled, |path, text| {
                let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
                let is_same =
                    |of: &str| of.rsplit_once('.').map_or("", |(_, ending)| ending).get(..1) == ending.get(..1);
                let touched = signatures::added_lines(&diff, path);
                for (name, rows) in names.iter().zip(&mut rows).filter(|(name, _)| is_same(&name.path)) {
                    for (at, line) in text.lines().enumerate() {
                        if signatures::calls(line, &name.name) && !touched.contains(&(at + 1)) && rows.len() < CALLS {
                            let shown = code(&short(&aside_redact::redact(line.trim()), 100));
                            rows.push(format!("- {} {shown}\n", code(&format!("{path}:{}", at + 1))));
                        }
                    }
                }
            });
            let told = |(name, rows): (&signatures::ChangedSignature, &Vec<String>)| {
                let of = code(&name.name);
                let head = match (name.new.is_empty(), language) {
                    (false, Language::English) => {
                        format!("{of} takes other parameters now; these calls are as before:")
                    }
                    (false, Language::Chinese) => format!("{of} 的参数变了；这些调用还是原来的："),
                    (true, Language::English) => format!("{of} is gone; these lines still call it:"),
                    (true, Language::Chinese) => format!("{of} 已删除；这些行还在调用它："),
                };
                if rows.is_empty() { String::new() } else { format!("\n{head}\n\n{}", rows.concat()) }
            };
            names.iter().zip(&rows).map(told).collect()
        })
        .await
    }

    /// Which of the functions that a change adds are mentioned in tests.
    async fn tested(&self, diff: &str, language: Language) -> Result<String, String> {
        let (workspace, names, secrets) = (self.workspace.clone(), focus::new_names(diff), self.secrets());
        if names.is_empty() {
            let none = language.pick("The change adds no function or class.", "这个改动没有新增函数或类。");
            return Ok(format!("{none}\n\n"));
        }
        blocking(move |cancelled| {
            let mut places: Vec<Option<String>> = vec![None; names.len()];
            let tests = TextFilter { path: &|path: &str| Kind::Tests.has(path), ..TextFilter::ALL };
            let _ = workspace.each_text_of(&tests, secrets, cancelled, |path, text| {
                for (name, place) in names.iter().zip(&mut places).filter(|(_, place)| place.is_none()) {
                    let found = text.lines().position(|line| fact_answers::has_word(line, &name.name));
                    *place = found.map(|at| format!("{path}:{}", at + 1));
                }
            });
            let row = |(name, place): (&focus::NewName, &Option<String>)| {
                let (of, at) = (code(&name.name), code(&format!("{}:{}", name.path, name.line)));
                match (place, language) {
                    (Some(place), Language::English) => format!("- {of} ({at}): {} mentions it\n", code(place)),
                    (Some(place), Language::Chinese) => format!("- {of}（{at}）：{} 提到它\n", code(place)),
                    (None, Language::English) => format!("- {of} ({at}): no test mentions it\n"),
                    (None, Language::Chinese) => format!("- {of}（{at}）：没有测试提到它\n"),
                }
            };
            let rows: String = names.iter().zip(&places).map(row).collect();
            format!("{}\n\n{rows}\n", language.pick("What the change adds:", "这个改动新增了："))
        })
        .await
    }

    fn no_repository(&self, language: Language) -> String {
        let root = self.workspace.root().display();
        match language {
            Language::English => {
                format!(
                    "{root} is no git repository, so there is nothing to compare with; ask inside of one, or run `git init` first."
                )
            }
            Language::Chinese => {
                format!("{root} 不是 git 仓库，没有可以比较的内容；请在仓库里再问，或者先运行 `git init`。")
            }
        }
    }

    /// The change to review, and a sentence where it is not the one that was named: without any left, what comes nearest is reviewed.
    async fn change_meant(
        &self,
        what: target::ReviewTarget,
        paths: &[String],
        language: Language,
    ) -> Result<(Change, &'static str), String> {
        let (is_staged, is_now) = (what == target::ReviewTarget::Staged, what == target::ReviewTarget::Now);
        let is_unpushed = what == target::ReviewTarget::Unpushed;
        let is_branch = matches!(what, target::ReviewTarget::Branch { of: None, against: None });
        let of = |what: target::ReviewTarget, paths: &[String]| {
            let (workspace, paths) = (self.workspace.clone(), paths.to_vec());
            blocking(move |_| workspace.change(&what, &paths))
        };
        let change = of(what, paths).await?.map_err(|error| format!("{error:#}"))?;
        if !change.diff.trim().is_empty() {
            return Ok((change, ""));
        }
        // "What I am about to commit" is the working tree while nothing is staged.
        let names_index =
            ["staged", "index", "cached", "暂存"].iter().any(|word| self.words().to_lowercase().contains(word));
        if is_staged && !names_index {
            let now = of(target::ReviewTarget::Now, paths).await?.map_err(|error| format!("{error:#}"))?;
            return Ok((now, ""));
        }
        // The main branch itself, or one that is merged: what is not pushed, then what is not committed.
        if is_branch && paths.is_empty() {
            for other in [target::ReviewTarget::Unpushed, target::ReviewTarget::Now] {
                if let Ok(other) = of(other, &[]).await?
                    && !other.diff.trim().is_empty()
                {
                    return Ok((other, ""));
                }
            }
        }
        if is_unpushed {
            let pushed = language.pick("Every commit is pushed. ", "所有提交都已推送。");
            let now = of(target::ReviewTarget::Now, paths).await?.map_err(|error| format!("{error:#}"))?;
            return Ok((now, pushed));
        }
        // Nothing is left to commit: what was committed last is what can still be looked at.
        if is_now
            && paths.is_empty()
            && self.lack().is_some()
            && let Ok(last) = of(target::ReviewTarget::Last(1), &[]).await?
            && !last.diff.trim().is_empty()
        {
            let instead =
                language.pick("Everything is committed. The last commit:\n\n", "所有改动都已提交。最近一次提交：\n\n");
            return Ok((last, instead));
        }
        Ok((change, ""))
    }

    /// What rules find in named files as they are.
    async fn files_as_new(&self, paths: &[String], language: Language) -> Result<String, String> {
        let (workspace, paths, secrets) = (self.workspace.clone(), paths.to_vec(), self.secrets());
        blocking(move |_| {
            let of = |path: &String| fact_answers::as_new(&workspace, path, secrets, REVIEW, language);
            paths
                .iter()
                .filter(|path| workspace.root().join(path).is_file())
                .map(of)
                .map(|text| format!("\n{text}"))
                .collect()
        })
        .await
    }

    /// A review of files by what they are: CI, code of a language, everything.
    async fn as_they_are(&self, which: described::FileSet, language: Language) -> Result<RunnerOutcome, String> {
        let (workspace, secrets) = (self.workspace.clone(), self.secrets());
        let focused = focus::focus(self.words()).filter(|focus| *focus == Focus::Secrets);
        blocking(move |cancelled| {
            let tree = workspace.tree(&[], cancelled).unwrap_or_default();
            let listed = tree.listed();
            let paths: Vec<&str> = listed
                .iter()
                .filter(|listed| listed.ignored == Ignored::No && which.has(listed.path))
                .map(|listed| listed.path)
                .take(MAX_WHOLE)
                .collect();
            if paths.is_empty() {
                let text = language.pick("No file here is meant by that.\n", "这里没有这样的文件。\n").to_owned();
                return answer(text.clone(), text, String::new(), ModelNeed::Unneeded);
            }
            let whole: String = paths.iter().map(|path| fact_answers::whole(&workspace, path, secrets)).collect();
            let mut found = review::review(&whole, REVIEW, language);
            if let Proposal::Answer { text } = &mut found.proposal {
                let verdict = focused.map(|focus| focus::verdict(focus, &whole, language)).unwrap_or_default();
                let head = language.pick("The files as they are:", "这些文件现在的样子：");
                *text = format!("{head}\n\n{verdict}{text}");
            }
            found
        })
        .await
    }

    /// A review of files that have not changed: their last commits, and what rules find in them as they are.
    async fn unchanged(&self, paths: &[String], language: Language) -> Result<RunnerOutcome, String> {
        let (workspace, paths, secrets) = (self.workspace.clone(), paths.to_vec(), self.secrets());
        blocking(move |_| {
            let mut text = String::new();
            for path in &paths {
                let name = code(path);
                if !workspace.root().join(path).is_file() {
                    text.push_str(&match language {
                        Language::English => format!("There is no file {name} here.\n"),
                        Language::Chinese => format!("这里没有文件 {name}。\n"),
                    });
                    continue;
                }
                let last = fact_answers::history(&workspace, &History { many: 1, path, ..History::default() });
                let last = last.and_then(|commits| commits.first().map(fact_answers::Commit::row)).unwrap_or_default();
                text.push_str(&match language {
                    Language::English => {
                        format!("{name} has no changes that are not committed. Its last commit:\n\n{last}\n")
                    }
                    Language::Chinese => format!("{name} 没有未提交的修改。它最近的提交：\n\n{last}\n"),
                });
                text.push_str(&fact_answers::as_new(&workspace, path, secrets, REVIEW, language));
            }
            let summary = text.lines().next().unwrap_or_default().to_owned();
            answer(text, summary, String::new(), ModelNeed::Better)
        })
        .await
    }

    pub(super) async fn search(&self, intent: &Intent, say: TextSink<'_>) -> Result<RunnerOutcome, String> {
        if let Some(found) = self.found_by_kind().await? {
            return Ok(found);
        }
        let query = intent.params.query.as_deref().unwrap_or(self.words());
        let files = self.files_here(&intent.params.files).await?;
        let plan = search::plan::plan(self.words(), query, &files);
        let (workspace, wanted, secrets) = (self.workspace.clone(), plan.clone(), self.secrets());
        let searched = blocking(move |cancelled| workspace.search(&wanted, secrets, cancelled)).await?;
        let searched = searched.map_err(|error| format!("{error:#}"))?;
        let found = search::render::outcome(&plan, &searched);
        if searched.found.is_empty() && self.lack().is_some() {
            // No text has these words; a name, a version or the engine of `? ` may.
            let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
            return Ok(self.without_model(&here).await?.unwrap_or(found));
        }
        if !searched.found.is_empty() || self.lack().is_some() {
            return Ok(found);
        }
        // The term does not occur here; a model may know what it is called.
        let context = self.gather_context(intent).await;
        let request = format!("{}\n(Nothing in the files has these words.)", self.words());
        match self.words_of(&context, say, |context| prompt::explain(&request, context)).await {
            Ok(said) => Ok(answer(said.words.clone(), said.summary(), found.summary, ModelNeed::Unneeded)),
            Err(sentence) => Ok(RunnerOutcome { details: sentence, ..found }),
        }
    }

    /// The named files that exist, or that the request names as the place to search. `console.log` is the name of no file.
    async fn files_here(&self, files: &[String]) -> Result<Vec<String>, String> {
        let (workspace, words) = (self.workspace.clone(), self.words().to_owned());
        let named: Vec<String> = files.iter().map(|file| workspace.named(file)).collect();
        blocking(move |cancelled| {
            if named.iter().all(|file| workspace.root().join(file).exists()) {
                return named;
            }
            let tree = workspace.tree(&[], cancelled).unwrap_or_default();
            let listed = tree.listed();
            let is_there = |file: &String| {
                let ends = |path: &str| path.strip_suffix(file.as_str()).is_some_and(|before| before.ends_with('/'));
                workspace.root().join(file).exists()
                    || listed.iter().any(|listed| listed.path == *file || ends(listed.path))
            };
            named.into_iter().filter(|file| is_there(file) || search::plan::is_place(&words, file)).collect()
        })
        .await
    }

    /// Streams a model's text. Keeps what was received before a failure; the error is for the user.
    async fn words_of(
        &self,
        context: &ModelContext,
        say: TextSink<'_>,
        make: impl Fn(&ModelContext) -> ModelPrompt,
    ) -> Result<TaskAnswer, String> {
        let voice = ModelStream::new(self, say, prompt::MAX_TOKENS);
        let language = Language::of(self.words());
        let (aloud, note) = match voice.asks(context, make).await {
            Ok(exchange) => match exchange.heard.end {
                AnswerEnd::Whole => (exchange.heard.aloud, ""),
                AnswerEnd::Cut => {
                    (exchange.heard.aloud, language.pick("The model had no room for more.", "模型没有空间继续写了。"))
                }
                AnswerEnd::Stuck => {
                    let stuck = language.pick(
                        "The model only repeated itself from here on, and was stopped.",
                        "模型从这里开始只是重复，已经停止。",
                    );
                    (exchange.heard.aloud, stuck)
                }
            },
            Err(silence) if !silence.aloud.trim().is_empty() => (
                silence.aloud,
                language
                    .pick("The model broke off here; retry for the rest.", "模型在这里中断了；重试可以得到其余部分。"),
            ),
            Err(silence) => return Err(silence.excuse()),
        };
        let words = TaskAnswer::told(&aloud);
        if words.words.is_empty() {
            let nothing = language.pick(
                "The model said nothing that could be used. Retry, or ask in other words.",
                "模型没有说出可用的内容。请重试，或者换一种说法。",
            );
            return Err(nothing.to_owned());
        }
        let note = if note.is_empty() { String::new() } else { format!("\n\n({note})") };
        Ok(TaskAnswer::words(format!("{}{note}", words.words)))
    }
}

fn is_places(text: &str) -> bool {
    text.lines().next().is_some_and(|head| head.ends_with(PLACES_ENGLISH) || head.ends_with(PLACES_CHINESE))
}
