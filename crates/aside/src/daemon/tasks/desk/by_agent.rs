//! Tasks that an agent works through. What it says is streamed like a model's words; what it wants done is refused at the agent and becomes a
//! proposal here, checked against the files like any other. When that was approved and carried out, the agent is told, and goes on.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aside_core::task::deny;
use aside_core::task::diff::Refusal;
use aside_core::task::proposal::{Confine, Proposal};
use aside_core::task::route::intent::{Intent, Kind, Params};
use aside_core::task::route::{By, Route, Scope};
use aside_core::task::run::{Model, Outcome, code, prompt, short};

use crate::agent::setup::{self, Setup};
use crate::agent::{self, Brief, Edit, FileChange, Listener, Reply, Wants};
use crate::daemon::model::agent::hand_over;
use crate::daemon::tasks::desk::edit::{Answered, checked};
use crate::daemon::tasks::desk::voice::{Ending, Heard, sentence};
use crate::daemon::tasks::desk::{Desk, Gathered, Say, answer, blocking};

/// Letters of a command in the line that says what waits.
const MAX_SUMMARY: usize = 200;
/// Files that are hidden from an agent; each takes a mount.
const MAX_HIDDEN: usize = 200;

const ACTS: &str = "You work for a user at a shell prompt, through Aside. For you the workspace is read-only, and so is everything that you \
run. To change files, apply a patch. To run something that has to write, ask for permission to run it outside of your sandbox. Either \
becomes a proposal that the user looks at and decides on, and ends your turn: you are told afterwards what became of it, and then go on. \
Put all changes that belong together into one patch. Do not work around a refusal, and do not say that something was done before you \
are told so.";
const CHANGES: &str =
    " This request is about files: no command is run for it; name those that the user should run in your answer.";
const WORDS: &str = "Answer in words, through Aside, to a user at a shell prompt. You may read files of the workspace. Change nothing, and ask \
for no permission: none is given for this request.";

/// What may come of a request beside words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum May {
    Nothing,
    Change,
    ChangeAndRun,
}

impl Desk {
    /// The agent that works through this task, if the settings name one.
    pub(super) fn agent(&self) -> Option<String> {
        setup::named(&self.state.config().task).map(str::to_owned)
    }

    pub(super) fn is_continued(&self) -> bool {
        !self.request.meta.continues.is_empty()
    }

    /// What the task wanted after which the agent goes on.
    pub(super) async fn continued(&self) -> Option<Route> {
        let before = Some(self.request.meta.continues.as_str()).filter(|id| !id.is_empty())?;
        let kind =
            self.earlier().await.iter().find(|earlier| earlier.id.as_str() == before).and_then(|earlier| earlier.kind);
        let params = Params { change_request: Some(self.request.text.clone()), ..Params::default() };
        let intent =
            Intent { kind: kind.unwrap_or(Kind::Diagnose), confidence: 1.0, summary: "go on".to_owned(), params };
        Some(Route { intent, scope: Scope::Full, by: By::Rule("the agent goes on"), notes: Vec::new(), held: false })
    }

    /// Words alone. The error is for the user.
    pub(super) async fn agent_answers(&self, question: &str, say: Say<'_>) -> Result<String, String> {
        let ears = Ears::new(self, say, May::Nothing);
        let reply = self.asks_agent(&format!("{WORDS}\n\n{question}"), &ears).await?;
        Ok(reply.text)
    }

    pub(super) async fn by_agent(&self, intent: &Intent, request: &str, say: Say<'_>) -> Result<Outcome, String> {
        let may = match intent.kind {
            Kind::Change => May::Change,
            Kind::Diagnose | Kind::Run => May::ChangeAndRun,
            Kind::Help | Kind::Status | Kind::Explain | Kind::Search | Kind::Review => May::Nothing,
        };
        let became = self.conversation().await.last.clone();
        let about_files = if may == May::Change { CHANGES } else { "" };
        let prompt = match self.is_continued() {
            true => format!(
                "{became}Go on with the request, if anything of it is left to do. Otherwise say in a sentence what was done."
            ),
            false => format!("{ACTS}{about_files}\n\n{became}Request: {request}\n{}", self.before_them()),
        };
        let ears = Ears::new(self, say, may);
        let reply = self.asks_agent(&prompt, &ears).await?;
        let taken = ears.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let (true, Some(mut outcome)) = (reply.wants, taken) {
            outcome.details = reply.text.trim().to_owned();
            return Ok(outcome);
        }
        let gathered = Gathered::default();
        match self.read(&Heard { aloud: reply.text, end: Ending::Whole }, &gathered).await? {
            Answered::Diff(outcome) if may != May::Nothing => Ok(outcome),
            Answered::Diff(Outcome { summary, details, .. }) => {
                Ok(answer(details, summary, String::new(), Model::Unneeded))
            }
            Answered::Words(said) => Ok(answer(said.words.clone(), said.summary(), String::new(), Model::Unneeded)),
            Answered::Refused(refusal) => Err(prompt::given_up(&refusal)),
        }
    }

    /// What the user has before them.
    fn before_them(&self) -> String {
        let meta = &self.request.meta;
        let mut told = String::new();
        if !meta.active.is_empty() && deny::denied(&meta.active).is_none() {
            told.push_str(&format!("The user looks at {}, line {}.\n", meta.active, meta.active_line));
        }
        for (what, text) in [("selected", &meta.selection), ("sees these diagnostics", &meta.diagnostics)] {
            let text: Vec<&str> = text.lines().filter(|line| self.state.may_leave(line)).collect();
            if !text.is_empty() {
                told.push_str(&format!("The user {what}:\n~~~\n{}\n~~~\n", text.join("\n").replace("~~~", "~ ~~")));
            }
        }
        told
    }

    async fn asks_agent(&self, prompt: &str, ears: &Ears<'_>) -> Result<Reply, String> {
        let settings = self.state.config();
        let name = self.agent().unwrap_or_default();
        let said = |failure: agent::Failure| sentence(&failure.to_string());
        let (paths, aside, task) = (self.state.paths.clone(), self.state.program().to_owned(), settings.task.clone());
        let workspace = self.workspace.clone();
        let made = blocking(move |cancelled| {
            let mut setup = Setup::of(&task, &paths, &aside)?;
            let tree = workspace.tree(&[], cancelled).map(|tree| {
                let files = tree.listed().iter().map(|file| file.path.to_owned()).collect::<Vec<_>>();
                files.into_iter().filter(|path| deny::denied(path).is_some()).take(MAX_HIDDEN).collect::<Vec<_>>()
            });
            setup.hides(tree.unwrap_or_default().iter().map(|path| workspace.root().join(path)));
            Ok(setup)
        });
        let setup = made.await?.map_err(said)?;
        let (thread, session) = (&self.request.thread_id, &self.request.meta.session);
        let handed = hand_over(&self.state, session, &name, prompt).await?;
        let theirs = self.state.agents().name(thread, &name);
        let brief = Brief {
            prompt: &handed.text.clone(),
            thread: theirs.as_deref(),
            cwd: self.workspace.cwd(),
            timeout: Duration::from_secs(settings.task.agent_timeout_s),
        };
        let outcome = agent::ask(&setup, &brief, ears).await;
        handed.ended(&outcome);
        let reply = outcome.map_err(said)?;
        let waits = reply.wants.then_some(self.id.as_str());
        let ended = self.state.agents().ended(thread, &name, &reply.thread, waits, self.is_continued());
        if let Err(error) = ended {
            self.state.notice(format!("the conversation with the agent will not be found again: {error}"));
        }
        Ok(reply)
    }
}

/// Hears an agent for a task.
struct Ears<'a> {
    desk: &'a Desk,
    say: Say<'a>,
    may: May,
    taken: Mutex<Option<Outcome>>,
    /// The last thing told is no whole line of its own.
    in_words: AtomicBool,
}

impl<'a> Ears<'a> {
    fn new(desk: &'a Desk, say: Say<'a>, may: May) -> Self {
        Self { desk, say, may, taken: Mutex::default(), in_words: AtomicBool::new(false) }
    }

    async fn proposed(&self, wants: Wants) -> Result<Outcome, String> {
        match (wants, self.may) {
            (_, May::Nothing) => Err("this request is answered in words alone; answer it".to_owned()),
            (Wants::Change(files), May::Change | May::ChangeAndRun) => {
                let root = self.desk.workspace.root().to_owned();
                let checked = blocking(move |_| checked(&root, diff_of(&root, &files)?.as_bytes())).await?;
                let checked = checked.map_err(|error| format!("{error:#}"))?;
                let count = match checked.files.len() {
                    1 => "1 file".to_owned(),
                    many => format!("{many} files"),
                };
                let proposal =
                    Proposal::Diff { diff_id: String::new(), unified_diff: checked.unified_diff, files: checked.files };
                Ok(Outcome {
                    proposal,
                    summary: format!("Change {count}"),
                    details: String::new(),
                    model: Model::Unneeded,
                })
            }
            (Wants::Command { .. }, May::Change) => {
                Err("no command is run for a request to change files; name it in your answer instead".to_owned())
            }
            (Wants::Command { cmd, cwd, reason }, May::ChangeAndRun) => {
                let inside = cwd.is_empty() || Path::new(&cwd).starts_with(self.desk.workspace.root());
                if !inside {
                    return Err(format!("{cwd} is outside of the workspace"));
                }
                let summary = format!("Run {}", code(&short(&cmd, MAX_SUMMARY)));
                let reason = Some(reason).filter(|reason| !reason.is_empty());
                let cwd = Some(cwd).filter(|cwd| !cwd.is_empty());
                let proposal = Proposal::Command { cmd, cwd, reason, confine: Confine::No };
                Ok(Outcome { proposal, summary, details: String::new(), model: Model::Unneeded })
            }
        }
    }
}

impl Listener for Ears<'_> {
    fn says(&self, text: &str) {
        self.in_words.store(true, Ordering::Relaxed);
        (self.say)(text);
    }

    fn step(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let before = if self.in_words.swap(false, Ordering::Relaxed) { "\n\n" } else { "" };
        (self.say)(&format!("{before}{text}\n\n"));
    }

    async fn wants(&self, wants: Wants) -> Result<(), String> {
        let outcome = match self.proposed(wants).await {
            Ok(outcome) => outcome,
            Err(why) => {
                self.step(&format!("That cannot be proposed ({why})."));
                return Err(why);
            }
        };
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        Ok(())
    }
}

/// The change as one diff, with names from the top of the workspace. Blocks: of a file that goes, or is written anew, the content is read.
fn diff_of(root: &Path, files: &[FileChange]) -> anyhow::Result<String> {
    let mut diff = String::new();
    for FileChange { path, edit } in files {
        let name = within(root, path)?;
        let before = || std::fs::read_to_string(root.join(&name)).ok();
        match edit {
            Edit::Whole(content) => {
                let before = before().unwrap_or_default();
                let old = if before.is_empty() { "/dev/null".to_owned() } else { format!("a/{name}") };
                diff.push_str(&whole(&old, &format!("b/{name}"), &before, content));
            }
            Edit::Delete => {
                let before = before().ok_or_else(|| Refusal::of(&name, "it is no text file that could be deleted"))?;
                diff.push_str(&whole(&format!("a/{name}"), "/dev/null", &before, ""));
            }
            Edit::Hunks { diff: hunks, moved_to } => {
                let to = match moved_to {
                    Some(to) => within(root, to)?,
                    None => name.clone(),
                };
                if to != name {
                    diff.push_str(&format!("diff --git a/{name} b/{to}\nrename from {name}\nrename to {to}\n"));
                }
                diff.push_str(&format!("--- a/{name}\n+++ b/{to}\n{}\n", hunks.trim_end_matches('\n')));
            }
        }
    }
    Ok(diff)
}

/// All lines of the one, then all of the other.
fn whole(old: &str, new: &str, before: &str, after: &str) -> String {
    let count = |text: &str| text.lines().count();
    let range = |text: &str| if text.is_empty() { "0,0".to_owned() } else { format!("1,{}", count(text)) };
    let mut hunk = format!("--- {old}\n+++ {new}\n@@ -{} +{} @@\n", range(before), range(after));
    for (sign, text) in [('-', before), ('+', after)] {
        for line in text.split_inclusive('\n') {
            hunk.push(sign);
            hunk.push_str(line);
            if !line.ends_with('\n') {
                hunk.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    hunk
}

fn within(root: &Path, path: &str) -> anyhow::Result<String> {
    let given = PathBuf::from(path);
    let inside = if given.is_absolute() { given.strip_prefix(root).ok() } else { Some(given.as_path()) };
    let name = inside.and_then(Path::to_str).filter(|name| !name.is_empty() && !name.contains('\n'));
    Ok(name.ok_or_else(|| Refusal::of(path, "it is outside of the workspace"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(root.join("a.txt"), "one\ntwo\n").unwrap();
        std::fs::write(root.join("b.txt"), "last without its end").unwrap();
        (dir, root)
    }

    fn made(root: &Path, files: &[(&str, Edit)]) -> Result<String, String> {
        let file = |(path, edit): &(&str, Edit)| FileChange { path: (*path).to_owned(), edit: edit.clone() };
        let files: Vec<FileChange> = files.iter().map(file).collect();
        let made = diff_of(root, &files).and_then(|diff| checked(root, diff.as_bytes()));
        made.map(|checked| checked.unified_diff).map_err(|error| format!("{error:#}"))
    }

    fn hunks(diff: &str, to: Option<&str>) -> Edit {
        Edit::Hunks { diff: diff.to_owned(), moved_to: to.map(str::to_owned) }
    }

    #[test]
    fn each_form_of_a_change_becomes_the_diff_that_it_means() {
        let (_dir, root) = workspace();
        let at = |name: &str| root.join(name).display().to_string();
        let update = made(&root, &[(&at("a.txt"), hunks("@@ -1,2 +1,2 @@\n one\n-two\n+three\n", None))]).unwrap();
        assert!(update.ends_with(" one\n-two\n+three\n"), "{update}");
        let new = made(&root, &[(&at("sub/new.txt"), Edit::Whole("brand\nnew".to_owned()))]).unwrap();
        assert!(new.ends_with("+brand\n+new\n\\ No newline at end of file\n"), "{new}");
        let again = made(&root, &[(&at("a.txt"), Edit::Whole("one\n2\n".to_owned()))]).unwrap();
        assert!(again.ends_with(" one\n-two\n+2\n"), "{again}");
        let gone = made(&root, &[(&at("b.txt"), Edit::Delete)]).unwrap();
        assert!(gone.contains("+++ /dev/null"), "{gone}");
        let moved =
            made(&root, &[(&at("a.txt"), hunks("@@ -1,2 +1,2 @@\n one\n-two\n+3\n", Some(&at("c.txt"))))]).unwrap();
        assert!(moved.contains("rename to c.txt"), "{moved}");
    }

    #[test]
    fn what_leads_out_of_the_workspace_or_is_denied_is_refused() {
        let (_dir, root) = workspace();
        std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
        let at = |name: &str| root.join(name).display().to_string();
        for path in [
            "/etc/passwd".to_owned(),
            at("../x"),
            at("out/x"),
            at(".env"),
            at(".git/hooks/x"),
            "../x".to_owned(),
            at("a\nb"),
        ] {
            let refused = made(&root, &[(&path, Edit::Whole("x\n".to_owned()))]);
            assert!(refused.is_err(), "{path}: {refused:?}");
        }
        let moved = made(&root, &[(&at("a.txt"), hunks("@@ -1 +1 @@\n-one\n+1\n", Some("/tmp/x")))]);
        assert!(moved.is_err(), "{moved:?}");
    }
}
