//! Translation queries: the one in progress for each shell, and a cache of a model's answers. Knows neither how a query is answered nor how
//! the answer is encoded.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aside_translate::arbiter::ModelAccuracy;
use aside_translate::{Proposal, ToolFlavor};
use shell_line::Dialect;
use tokio::task::AbortHandle;

use crate::daemon::state::State;
use crate::daemon::ttl_cache::TtlCache;
use crate::provider::Failure;
use crate::store::interactions::{Action, Interaction, Interactions};
use crate::text_work;

/// Cap on cached answers.
const MAX_REMEMBERED: usize = 100;
/// TTL in seconds.
const REMEMBERED_FOR: u64 = 10 * 60;
/// Cap on shells that got a one-time hint, or whose last answer is known.
const MAX_SHELLS: usize = 256;
/// Requests that one may change, one after the other.
const MAX_CHANGES: usize = 8;

/// Everything that determines a model's answer, except for the recent commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheKey {
    pub query: NormalizedQuery,
    pub cwd: String,
    pub system: ToolFlavor,
    pub dialect: Dialect,
    /// The kind of project, in words.
    pub project: String,
    /// What is activated in the shell, in words.
    pub environment: String,
    /// Commands that are shown already, when others are wanted.
    pub besides: String,
    /// The value of PATH, which determines the available tools.
    pub path: String,
    /// The provider and its model.
    pub model: String,
}

/// The normalized words of a query: case, whitespace and final punctuation do not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalizedQuery(String);

impl NormalizedQuery {
    pub fn of(words: &str) -> Self {
        let lower = words.to_lowercase();
        let words = lower.split_whitespace().collect::<Vec<_>>().join(" ");
        Self(unpunctuated(&words).to_owned())
    }
}

/// Final punctuation marks of the languages that users write.
const MARKS: [char; 44] = [
    '.', ',', ';', ':', '?', '!', '"', '\'', ')', '…', '‥', '‽', '⁇', '⁈', '⁉', '–', '—', '”', '’', '»', '›', '。',
    '．', '，', '、', '；', '：', '？', '！', '）', '」', '』', '】', '》', '〉', '・', '～', '؟', '،', '؛', '۔', '।',
    '॥', '·',
];

fn unpunctuated(words: &str) -> &str {
    let mut left = words;
    // A mark may stand alone, after a blank.
    while let Some(word) = left.rsplit(' ').next().filter(|word| word.ends_with(MARKS) && !is_name(word)) {
        let bare = word.trim_end_matches(MARKS);
        left = left[..left.len() - word.len() + bare.len()].trim_end();
    }
    // A query of nothing but marks is about these.
    if left.is_empty() { words } else { left }
}

/// Whether the marks at the end of a word have a meaning: `..` is a directory, `*.c?` a pattern, `$?` a variable.
fn is_name(word: &str) -> bool {
    let bare = word.trim_end_matches(MARKS);
    let is_pattern = word.ends_with('?') && bare.contains(['*', '[', '{']);
    matches!(word, "." | "..") || is_pattern || bare.ends_with(['/', '*', '$', '~', '\\'])
}

#[derive(Default)]
pub struct PendingQueries {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    under_way: HashMap<String, (u64, AbortHandle)>,
    number: u64,
    remembered: TtlCache<CacheKey, Arc<[Proposal]>, MAX_REMEMBERED, REMEMBERED_FOR>,
    told: HashSet<(String, &'static str)>,
    /// By the model's name.
    trust: HashMap<String, ModelAccuracy>,
    answered: HashMap<String, LastAnswer>,
    /// By shell: the last request that was entered, and those that changed it, the oldest first.
    entered: HashMap<String, Vec<String>>,
}

/// How the last query of a shell was answered, for a later `outcome`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastAnswer {
    pub query: String,
    pub ms: u64,
    /// `None` if the embedded engine answered.
    pub model: Option<ModelUsage>,
    /// The requests that this one changes, the oldest first.
    pub changes: Vec<String>,
}

/// The model that was asked, and its token usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUsage {
    pub provider: String,
    pub model: String,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
}

impl ModelUsage {
    /// The name under which its answers are cached.
    pub fn name(&self) -> String {
        format!("{} {}", self.provider, self.model)
    }
}

/// Dropping it cancels the query, down to the connection to a model.
pub struct CancelOnDrop {
    state: Arc<State>,
    who: String,
    number: u64,
}

impl PendingQueries {
    /// Starts answering a query, and cancels the shell's previous one.
    pub fn think(state: &Arc<State>, who: String, thinking: impl Future<Output = ()> + Send + 'static) -> CancelOnDrop {
        let mut inner = state.pending_queries().lock();
        inner.number += 1;
        let number = inner.number;
        let ended = (Arc::clone(state), who.clone());
        let task = text_work::spawn(text_work::NO_TEXT, async move {
            thinking.await;
            let (state, who) = ended;
            state.pending_queries().lock().forget(&who, number);
        });
        if let Some((_, older)) = inner.under_way.insert(who.clone(), (number, task.abort_handle())) {
            older.abort();
        }
        CancelOnDrop { state: Arc::clone(state), who, number }
    }

    /// How often a model is right, as far as known.
    pub fn trust(&self, name: &str) -> ModelAccuracy {
        self.lock().trust.get(name).copied().unwrap_or_default()
    }

    pub fn learn(&self, name: &str, learns: impl FnOnce(&mut ModelAccuracy)) {
        learns(self.lock().trust.entry(name.to_owned()).or_default());
    }

    /// Loads the outcomes of a model's earlier answers in the background, before it is first asked.
    pub fn begin(&self, state: &Arc<State>, name: &str) {
        if self.lock().trust.contains_key(name) {
            return;
        }
        self.learn(name, |_| ());
        let (state, name) = (Arc::clone(state), name.to_owned());
        tokio::task::spawn_blocking(move || {
            let noted = Interactions::new(&state.paths).read().unwrap_or_default();
            let is_this = |past: &&Interaction| {
                let (provider, model) = (past.provider.as_deref(), past.model.as_deref());
                provider.zip(model).is_some_and(|(provider, model)| format!("{provider} {model}") == name)
            };
            let past: Vec<Interaction> = noted.into_iter().map(|noted| noted.interaction).collect();
            let taken: Vec<bool> = past.iter().filter(is_this).map(|past| past.action != Action::Dismiss).collect();
            state.pending_queries().learn(&name, |trust| taken.iter().for_each(|taken| trust.was_taken(*taken)));
        });
    }

    pub fn recall(&self, key: &CacheKey) -> Option<Arc<[Proposal]>> {
        self.lock().remembered.recall(key, Instant::now())
    }

    pub fn remember(&self, key: CacheKey, proposals: Arc<[Proposal]>) {
        self.lock().remembered.put(key, proposals, Instant::now());
    }

    /// Whether a shell has yet to be told this; marks it as told.
    pub fn is_news(&self, who: &str, what: &'static str) -> bool {
        let mut inner = self.lock();
        if inner.told.len() >= MAX_SHELLS {
            inner.told.clear();
        }
        inner.told.insert((who.to_owned(), what))
    }

    /// Why a model did not answer, for the user; what to do about it is said once.
    pub fn excuse(&self, who: &str, failure: &Failure) -> String {
        match failure {
            Failure::NoModel if self.is_news(who, "model") => {
                "there is no such model; `aside model list` shows which there are, `aside model pull` fetches one"
                    .to_owned()
            }
            // Offered once; a user who declined is not asked again.
            Failure::NotHere { .. } if self.is_news(who, "model") => format!("the model {failure}"),
            Failure::NotHere { name, .. } => format!("the model {name} is not here"),
            Failure::NoServer { .. } if self.is_news(who, "server") => failure.to_string(),
            Failure::NoServer { .. } => "no model server is here".to_owned(),
            Failure::Starting => "the model is still starting".to_owned(),
            failure => format!("the model does not answer ({failure})"),
        }
    }

    pub fn answered(&self, who: &str, answered: LastAnswer) {
        let mut inner = self.lock();
        if inner.answered.len() >= MAX_SHELLS {
            inner.answered.clear();
        }
        inner.answered.insert(who.to_owned(), answered);
    }

    pub fn last_answer(&self, who: &str, query: &str) -> Option<LastAnswer> {
        self.lock().answered.get(who).filter(|answered| answered.query == query).cloned()
    }

    /// The requests that a new one of this shell may change.
    pub fn entered(&self, who: &str, query: &str) -> Vec<String> {
        let mut entered = self.lock().entered.get(who).cloned().unwrap_or_default();
        // Asked for once more, it changes what it changed before.
        if entered.last().is_some_and(|last| last == query) {
            entered.pop();
        }
        entered
    }

    /// Records a request that was entered, behind those that it changes.
    pub fn enter(&self, who: &str, query: &str, changes: Vec<String>) {
        let mut inner = self.lock();
        if inner.entered.len() >= MAX_SHELLS {
            inner.entered.clear();
        }
        let mut entered = changes;
        entered.push(query.to_owned());
        // A long chain is no longer what the user has in mind.
        if entered.len() > MAX_CHANGES {
            entered.clear();
        }
        inner.entered.insert(who.to_owned(), entered);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while it was held lost one answer; the remaining state is valid.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn forget(&mut self, who: &str, number: u64) -> Option<AbortHandle> {
        match self.under_way.get(who) {
            Some((current, _)) if *current == number => self.under_way.remove(who).map(|(_, task)| task),
            Some(_) | None => None,
        }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let task = self.state.pending_queries().lock().forget(&self.who, self.number);
        if let Some(task) = task {
            task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(words: &str) -> CacheKey {
        let [cwd, project, environment, besides, path, model] = [(); 6].map(|()| String::new());
        let (system, dialect) = (ToolFlavor::Gnu, Dialect::Zsh);
        CacheKey { query: NormalizedQuery::of(words), cwd, system, dialect, project, environment, besides, path, model }
    }

    #[test]
    fn a_query_is_the_same_in_other_letters_and_with_other_blanks() {
        let same = "find large files|  FIND   Large files  |find large files?|find large files...|find large files !|\
            find large files?!|find large files ?!|find large files;|find large files…|find large files：|\
            find large files —|find large files。|find large files\"|find large files).";
        for same in same.split('|') {
            assert_eq!(NormalizedQuery::of(same), NormalizedQuery("find large files".to_owned()), "{same}");
        }
        for (query, kept) in [
            ("what is in my_file.txt?", "what is in my_file.txt"),
            ("delete *.tmp!", "delete *.tmp"),
            ("what is in node_modules.", "what is in node_modules"),
            ("find foo(bar)", "find foo(bar"),
            ("大きいファイルを探す。", "大きいファイルを探す"),
        ] {
            assert_eq!(NormalizedQuery::of(query), NormalizedQuery(kept.to_owned()));
        }
        let kept =
            "list files in ..|list files in .|list ../..|show *.c?|show a[0-9]?|what is $?|what is in ~/.|cd -|?|...|";
        for kept in kept.split('|') {
            assert_eq!(NormalizedQuery::of(kept), NormalizedQuery(kept.to_owned()));
        }
    }

    #[test]
    fn an_answer_is_good_at_the_same_place_and_from_the_same_model() {
        let pending_queries = PendingQueries::default();
        let asked = CacheKey { cwd: "/a".to_owned(), ..key("Find x.") };
        pending_queries.remember(asked.clone(), Arc::from([]));
        let same = CacheKey { cwd: "/a".to_owned(), ..key("find X") };
        assert!(pending_queries.recall(&same).is_some());
        let other_model = CacheKey { model: "other".to_owned(), ..asked.clone() };
        for other in [CacheKey { cwd: "/b".to_owned(), ..asked }, other_model, key("find y")] {
            assert!(pending_queries.recall(&other).is_none(), "{other:?}");
        }
    }
}
