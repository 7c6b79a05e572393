//! Questions about the repository that git answers: commits of a time or an author, branches, tags, stashes, what is untracked or staged,
//! whether the working tree is clean, how large it is. Every word of the question counts: one that is not understood makes it another
//! question. Asks git nothing itself.

mod free_words;

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepositoryQuestion {
    Commits(CommitFilter),
    /// Who made commits in a time.
    Committers(Period),
    Branches,
    CurrentBranch,
    Tags,
    /// The newest tag and its day.
    LastRelease,
    Stashes,
    Untracked,
    Staged,
    /// Changed files that are not staged.
    Unstaged,
    Clean,
    Size,
    /// Which commits each of two branches or tags has that the other has not. `HEAD` is the current branch, an empty name the main one.
    Compare(String, String),
    /// Whether a merge, a rebase or the like is unfinished.
    InProgress,
    /// Files with conflicts.
    Conflicts,
    /// How many lines of each file differ from the last commit.
    ChangedLines,
    /// The commits since the newest tag.
    SinceRelease,
    /// How the branch stands to the one that it follows.
    Remote,
    /// What is not committed, pushed, merged or taken out of the stash.
    Overview,
    /// All authors with their numbers of commits.
    Contributors,
    FirstCommit,
    LastMerge,
    /// Branches with their last commits, the newest first.
    BranchesByAge,
    /// The files that most commits changed.
    MostChanged,
    /// What is not committed of a file, and its last commits.
    OfFile(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitFilter {
    /// A part of the author's name.
    pub by: Option<String>,
    /// A file or a directory, as the question names it.
    pub path: Option<String>,
    pub when: Option<Period>,
    pub many: Option<usize>,
    /// Only their number was asked for.
    pub counted: bool,
    /// The files of each are wanted too.
    pub files: bool,
}

/// Days back from today, both included: yesterday is 1 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    Days {
        from: u64,
        to: u64,
    },
    /// Since the last day of this name, Monday being 0.
    Weekday(u8),
    ThisWeek,
    LastWeek,
    ThisMonth,
    LastMonth,
}

/// What a period depends on: days since 1970, the day of the month from 1, and how many days the month before had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    pub days: u64,
    pub of_month: u64,
    pub last_month: u64,
}

impl Period {
    const fn days(from: u64, to: u64) -> Self {
        Self::Days { from, to }
    }

    /// The first and the last day of it, in days before today.
    pub fn on(self, today: Today) -> (u64, u64) {
        // The first day of 1970 was a Thursday.
        let weekday = (today.days + 3) % 7;
        let of_month = today.of_month.saturating_sub(1);
        match self {
            Period::Days { from, to } => (from, to),
            Period::Weekday(wanted) => match (weekday + 7 - u64::from(wanted)) % 7 {
                0 => (7, 0),
                back => (back, 0),
            },
            Period::ThisWeek => (weekday, 0),
            Period::LastWeek => (weekday + 7, weekday + 1),
            Period::ThisMonth => (of_month, 0),
            Period::LastMonth => (of_month + today.last_month, of_month + 1),
        }
    }
}

/// Commits of "recently".
const MANY: usize = 10;

/// A noun, and the words that may stand around it.
struct Bag {
    noun: &'static [&'static str],
    around: &'static [&'static str],
    means: RepositoryQuestion,
}

/// Words of questions that say nothing about what is asked for.
const FILLERS: &[&str] = &[
    "what",
    "which",
    "whats",
    "list",
    "show",
    "me",
    "see",
    "print",
    "display",
    "are",
    "is",
    "there",
    "the",
    "all",
    "any",
    "my",
    "our",
    "do",
    "does",
    "i",
    "we",
    "have",
    "has",
    "exist",
    "exists",
    "here",
    "in",
    "this",
    "repo",
    "repository",
    "project",
    "git",
    "of",
    "how",
    "many",
    "names",
    "please",
    "can",
    "you",
    "now",
    "right",
    "currently",
    "got",
    "a",
    "give",
    "us",
    "tell",
];

static BAGS: &[Bag] = &[
    Bag {
        noun: &["branches"],
        around: &["local", "open", "other", "remote", "existing", "available"],
        means: RepositoryQuestion::Branches,
    },
    Bag { noun: &["tags"], around: &["release", "version", "existing"], means: RepositoryQuestion::Tags },
    Bag {
        noun: &["stash", "stashes", "stashed"],
        around: &["anything", "something", "changes", "stuff", "entries", "left", "still", "work"],
        means: RepositoryQuestion::Stashes,
    },
    Bag { noun: &["another"], around: &["branch", "besides", "main"], means: RepositoryQuestion::Branches },
    Bag { noun: &["touched"], around: &["files", "file", "so", "far"], means: RepositoryQuestion::Clean },
    Bag {
        noun: &["untracked"],
        around: &["files", "file", "new", "not", "yet", "still"],
        means: RepositoryQuestion::Untracked,
    },
    Bag {
        noun: &["staged"],
        around: &["files", "file", "changes", "anything", "already", "for", "commit", "next"],
        means: RepositoryQuestion::Staged,
    },
    Bag {
        noun: &["unstaged"],
        around: &["files", "file", "changes", "anything", "still", "yet"],
        means: RepositoryQuestion::Unstaged,
    },
    Bag {
        noun: &["branch"],
        around: &["am", "on", "current", "checked", "out", "name", "working", "at", "s"],
        means: RepositoryQuestion::CurrentBranch,
    },
    Bag {
        noun: &["clean", "dirty"],
        around: &[
            "working",
            "tree",
            "directory",
            "copy",
            "worktree",
            "checkout",
            "workspace",
            "status",
            "everything",
            "it",
        ],
        means: RepositoryQuestion::Clean,
    },
    Bag {
        noun: &["uncommitted"],
        around: &["changes", "work", "files", "anything", "something", "still", "left", "stuff", "edits"],
        means: RepositoryQuestion::Clean,
    },
    Bag {
        noun: &["conflict", "conflicts", "conflicted", "conflicting", "unmerged"],
        around: &[
            "files",
            "file",
            "merge",
            "unresolved",
            "left",
            "remaining",
            "still",
            "to",
            "resolve",
            "with",
            "need",
            "needs",
            "be",
            "resolved",
            "where",
            "had",
            "paths",
        ],
        means: RepositoryQuestion::Conflicts,
    },
    Bag {
        noun: &["big", "large", "size"],
        around: &["checkout", "codebase", "code", "base", "tree", "s"],
        means: RepositoryQuestion::Size,
    },
];

const TIME: &str = r"(?:(?:since|from|of|during|for)\s+)?(?:(?P<day>today|yesterday|this morning)|(?:last\s+)?(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:over\s+)?(?P<span>this week|last week|the week|this month|last month|the weekend|recently|lately|these days)|(?:in|within|over|during|for)\s+the\s+(?:last|past)\s+(?:(?P<number>\d+|two|three|four|five|six|seven|ten|couple of|few)\s+)?(?P<unit>days?|weeks?|months?|hours?))";

struct Shapes {
    commits: Regex,
    done: Regex,
    happened: Regex,
    who: Regex,
    touched: Regex,
    release: Regex,
    compare: Regex,
    files: Regex,
    here: Regex,
    this: Regex,
    progress: Regex,
}

static SHAPES: LazyLock<Option<Shapes>> = LazyLock::new(|| {
    let new = |pattern: String| Regex::new(&format!("(?i)^{pattern}$")).ok();
    let name = r"(?-i:[A-Z])[\w.@-]*(?: (?-i:[A-Z])[\w.-]*)?";
    Some(Shapes {
        commits: new(format!(
            r"(?:(?P<count>how many|number of|count(?: the)?)\s+|(?:show|list|give|find|get|see|print|display|what|which|any)(?:\s+(?:me|us))?(?:\s+(?:are|were))?\s+)?(?:there\s+)?(?:(?:the|all|all the|all of the|our|git)\s+)*(?:(?:last|latest|recent|newest|most recent|previous|past)\s+)?(?:(?P<many>\d{{1,3}}|two|three|four|five|six|seven|eight|nine|ten|couple of|few)\s+)?(?:(?:git\s+)?commits?|log entries)(?:\s+(?:are|were|have been|was|did (?:we|they|you|the team) (?:have|make|push|do|write)|have (?:we|they) (?:made|pushed|done)|do we have|are there|were there))?(?:\s+(?:made|done|pushed|written|committed))?(?:\s+(?:by|of|from)\s+(?P<by>{name}))?(?:\s+(?:made|done|pushed|there|here))?(?:\s+(?P<time>{TIME}))?(?:\s+(?:by|of|from)\s+(?P<later>{name}))?"
        ))?,
        done: new(format!(
            r"what\s+(?:did|has|have)\s+(?:(?P<all>the team|everyone|everybody|people|others|the others|we|they)|(?P<by>{name}))\s+(?:(?:been\s+)?(?:do|done|doing|commit|committed|committing|push|pushed|change|changed|work on|worked on|working on|up to|ship|shipped|merge|merged))(?:\s+(?:here|on main|in (?:the|this) (?:repo|project)))?(?:\s+(?P<time>{TIME}))?"
        ))?,
        happened: new(format!(
            r"what(?:\s+(?:has|was|got|is|'s))?\s+(?:happened|changed|done|been done|landed|merged|committed|pushed|going on|new|been happening|been going on)(?:\s+(?:here|on main|in (?:the|this|our) (?:repo|repository|project|code)))?\s+(?P<time>{TIME})"
        ))?,
        touched: new(format!(
            r"(?:(?:has|have|did)\s+(?:anyone|someone|anybody|people|we|the team|(?P<by>{name}))\s+(?:recently\s+)?(?:touch|touched|change|changed|edit|edited|work on|worked on|modify|modified|update|updated)|what\s+(?:has\s+|was\s+)?(?:changed|happened|been done|done)\s+(?:in|to|with)|(?:when|how often)\s+(?:did|was|were|has)|(?:last|recent|latest)\s+changes\s+(?:to|in|of))\s+(?:the\s+)?(?:file\s+|directory\s+|folder\s+)?`?(?P<path>[\w.-]*[/.][\w./-]+|docs|documentation|tests|readme|migrations|config|configuration|ci|src)`?(?:\s+(?:change|changed|file|folder|directory|touched))?(?:\s+(?:and|by)\s+(?:when|whom|who))*(?:\s+(?P<time>{TIME}))?"
        ))?,
        release: new(
            r"(?:when\s+(?:was|did we)|what\s+(?:is|was)|which\s+(?:is|was)|show\s+me)\s+(?:the\s+|our\s+)?(?:last|latest|newest|most recent|current)\s+(?:release|tag|released version|release tag|git tag)(?:\s+(?:made|cut|tagged|here))?".to_owned(),
        )?,
        compare: new(
            r"(?:how (?:far|many commits|much) (?:is|are) (?:the )?(?:branch )?`?(?P<of>REF)`? (?:ahead of|behind(?: of)?|in front of|before) (?:the )?(?:branch )?`?(?P<to>REF)`?|(?:is|was|has) (?:the )?(?:branch )?`?(?P<of2>REF)`? (?:been )?(?:already |fully |completely )*(?:merged|ahead of|behind)(?: already)?(?: in(?:to)?)? (?:the )?(?:branch )?`?(?P<to2>REF)`?|(?:what|which commits?|what commits?|show(?: me)? (?:the )?commits?|commits?)(?:'s| is| are)? (?:that are |which are )?(?:on|in) (?:the )?(?:branch )?`?(?P<of3>REF)`?,? (?:that |which |but |and )?(?:is |are )?(?:not|missing|isn't|aren't)(?: yet)? (?:on|in|from) (?:the )?(?:branch )?`?(?P<to3>REF)`?|(?:compare|diff) (?:the )?(?:branch(?:es)? )?`?(?P<of4>REF)`? (?:with|to|and|against|vs\.?) (?:the )?(?:branch )?`?(?P<to4>REF)`?|(?:what(?:'s| is| are) the )?differences? between (?:the )?(?:branch(?:es)? )?`?(?P<of5>REF)`? and (?:the )?(?:branch )?`?(?P<to5>REF)`?|how (?:does|do|is) (?:the )?(?:branch )?`?(?P<of6>REF)`? (?:differ|different|diverge) from (?:the )?(?:branch )?`?(?P<to6>REF)`?)"
                .replace("REF", r"[A-Za-z0-9][\w./-]*\w"),
        )?,
        files: new(
            r"(?:(?:what|which files?|what files?)(?:\s+(?:did|do|does|has|have|was|were|got|is|are))?(?:\s+been)?(?:\s+(?:chang\w*|modif\w*|touch\w*|edit\w*|done|happened|affected))?(?:\s+(?:in|by|over|with|during))?|(?:summari[sz]e|explain|describe|go through|walk me through|(?:show|tell)(?:\s+me)?\s+(?:what|which files)\s+(?:has\s+)?changed\s+(?:in|over|by)|(?:show(?:\s+me)?|list)\s+(?:the\s+)?files\s+(?:(?:changed|touched|modified)\s+)?(?:in|of|by)|files\s+(?:changed|touched|modified)\s+(?:in|by)))\s+(?:the|our|my)\s+(?:last|latest|past|previous|newest|most recent)\s+(?P<many>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|couple of|few)\s+commits?(?:\s+(?:do|did|change|changed|touch|touched|modify|modified|about|contain|include|bring))?".to_owned(),
        )?,
        here: new(
            r"(?:what|which|what commits|which commits|show(?: me)?|list|show(?: me)? the commits|list the commits|commits)(?:'s| is| are| has been| was)?(?: the)?(?: new| unmerged| done)?(?: commits?)? (?:on|in|of) HEAD(?: so far| only)?|what(?: did| does| has)? HEAD (?:change|changes|changed|do|done|add|adds|added|bring|contain)(?: so far)?".to_owned(),
        )?,
        this: Regex::new(
            r"(?i)\b(?:this|my|our|the current|current) (?:feature )?branch\b|\b(?P<verb>is|am|are) (?:i|we)\b",
        )
        .ok()?,
        progress: new(
            r"(?:is|are|am|do|did|was|were|have|has|any|still|what)\b.*\b(?:merg(?:e|ing)|rebas(?:e|ing)|cherry[- ]pick(?:ing)?|bisect(?:ing)?|revert(?:ing)?)\b.*".to_owned(),
        )?,
        who: new(format!(
            r"who\s+(?:has\s+)?(?:committed|pushed|worked|been (?:active|working|committing)|was active|contributed)(?:\s+(?:here|on this|on it|code|anything))?\s+(?P<time>{TIME})"
        ))?,
    })
});

/// The question; `None` where a word of it says more than git knows.
pub fn read(question: &str) -> Option<RepositoryQuestion> {
    let trimmed = question.trim().trim_end_matches(['?', '.', '!']).trim();
    if trimmed.contains('\n') || trimmed.split_whitespace().count() > 14 {
        return None;
    }
    let plain = trimmed.trim_end_matches(" please");
    if is_progress(plain) {
        return Some(RepositoryQuestion::InProgress);
    }
    if let Some(question) = of_this_branch(plain) {
        return Some(question);
    }
    if let Some(found) = SHAPES.as_ref().and_then(|shapes| shapes.compare.captures(plain)) {
        let any = |name: &str| ["", "2", "3", "4", "5", "6"].iter().find_map(|end| found.name(&format!("{name}{end}")));
        return Some(RepositoryQuestion::Compare(any("of")?.as_str().to_owned(), any("to")?.as_str().to_owned()));
    }
    of_commits(plain).or_else(|| of_bag(plain)).or_else(|| free_words::read(plain))
}

/// "Am I in a merge".
fn is_inside(words: &[&str]) -> bool {
    matches!(words, ["am" | "are" | "is", "i" | "we" | "it" | "git", "in" | "inside" | "doing", ..])
}

/// "Is a merge in progress", "am I in the middle of a rebase".
fn is_progress(question: &str) -> bool {
    const AROUND: &[&str] = &[
        "merge",
        "merging",
        "rebase",
        "rebasing",
        "cherry",
        "pick",
        "picking",
        "bisect",
        "bisecting",
        "revert",
        "reverting",
        "progress",
        "middle",
        "unfinished",
        "ongoing",
        "pending",
        "still",
        "mid",
        "going",
        "on",
        "half",
        "done",
        "finished",
        "open",
        "running",
        "am",
        "or",
        "was",
        "were",
        "did",
        "that",
        "left",
        "some",
        "an",
    ];
    const SAYS: &[&str] =
        &["progress", "middle", "unfinished", "ongoing", "pending", "mid", "going", "half", "still", "open", "left"];
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    SHAPES.as_ref().is_some_and(|shapes| shapes.progress.is_match(question))
        && (words.iter().any(|word| SAYS.contains(word)) || is_inside(&words))
        && words.iter().all(|word| AROUND.contains(word) || FILLERS.contains(word))
}

/// A question about the current branch, compared with another one or with the main one.
fn of_this_branch(question: &str) -> Option<RepositoryQuestion> {
    let shapes = SHAPES.as_ref()?;
    if !shapes.this.is_match(question) {
        return None;
    }
    let named = shapes.this.replace_all(question, |found: &regex::Captures<'_>| match found.name("verb") {
        Some(_) => "is HEAD".to_owned(),
        None => "HEAD".to_owned(),
    });
    if shapes.here.is_match(&named) {
        return Some(RepositoryQuestion::Compare("HEAD".to_owned(), String::new()));
    }
    let found = shapes.compare.captures(&named)?;
    let any = |name: &str| ["", "2", "3", "4", "5", "6"].iter().find_map(|end| found.name(&format!("{name}{end}")));
    let (of, to) = (any("of")?.as_str(), any("to")?.as_str());
    // How it stands to the branch that it follows is another question.
    let is_remote = ["origin", "remote", "upstream", "the", "github", "gitlab"].contains(&to.to_lowercase().as_str());
    (of == "HEAD" && !is_remote).then(|| RepositoryQuestion::Compare(of.to_owned(), to.to_owned()))
}

fn of_bag(question: &str) -> Option<RepositoryQuestion> {
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let bag = BAGS.iter().find(|bag| {
        words.iter().any(|word| bag.noun.contains(word))
            && words.iter().all(|word| {
                bag.noun.contains(word) || bag.around.contains(word) || FILLERS.contains(word) || *word == "anything"
            })
    })?;
    // "How big is it" may be about anything; "how big is the repository" is not. A bare noun is no question.
    let names_repository =
        || words.iter().any(|word| ["repo", "repository", "project", "checkout", "codebase"].contains(word));
    // "How do I resolve conflicts" asks for a way, "how many" for a number.
    let is_way =
        words.first() == Some(&"how") && words.get(1).is_none_or(|word| !["many", "big", "large"].contains(word));
    let is_question = words.len() > 1 && !is_way && (bag.means != RepositoryQuestion::Size || names_repository());
    is_question.then(|| bag.means.clone())
}

fn of_commits(question: &str) -> Option<RepositoryQuestion> {
    let shapes = SHAPES.as_ref()?;
    if shapes.release.is_match(question) {
        return Some(RepositoryQuestion::LastRelease);
    }
    if let Some(found) = shapes.touched.captures(question) {
        let path = found.name("path").map(|path| path.as_str().trim_end_matches('/').to_owned());
        let by = found.name("by").map(|name| name.as_str().to_owned());
        let (when, many) = if found.name("time").is_some() { timed(&found, "")? } else { (None, Some(MANY)) };
        return Some(RepositoryQuestion::Commits(CommitFilter { by, path, when, many, ..CommitFilter::default() }));
    }
    if let Some(found) = shapes.who.captures(question) {
        return Some(RepositoryQuestion::Committers(period(&found, "")?));
    }
    if let Some(found) = shapes.happened.captures(question) {
        let (when, many) = timed(&found, "")?;
        let files = question.to_lowercase().contains("chang");
        return Some(RepositoryQuestion::Commits(CommitFilter { when, many, files, ..CommitFilter::default() }));
    }
    if let Some(found) = shapes.files.captures(question) {
        let many = found.name("many").and_then(|many| number(many.as_str()));
        return Some(RepositoryQuestion::Commits(CommitFilter { many, files: true, ..CommitFilter::default() }));
    }
    if let Some(found) = shapes.done.captures(question) {
        let by = found.name("by").map(|name| name.as_str().to_owned()).filter(|name| is_person(name));
        (by.is_some() || found.name("all").is_some()).then_some(())?;
        let (when, many) = if found.name("time").is_some() { timed(&found, "")? } else { (None, None) };
        // "What did we do" without a time asks for more than a list, and "what did Bo change" for files.
        let is_change = question.to_lowercase().trim_end_matches('d').ends_with("change");
        (when.is_some() || many.is_some() || by.is_some() && !is_change).then_some(())?;
        return Some(RepositoryQuestion::Commits(CommitFilter { by, when, many, ..CommitFilter::default() }));
    }
    let found = shapes.commits.captures(question)?;
    let by = found.name("by").or(found.name("later")).map(|name| name.as_str().to_owned());
    by.as_ref().is_none_or(|name| is_person(name)).then_some(())?;
    let when = if found.name("time").is_some() { Some(period(&found, "")?) } else { None };
    let many = found.name("many").and_then(|many| number(many.as_str()));
    let counted = found.name("count").is_some();
    // The whole history and its length are other questions.
    (by.is_some() || when.is_some() || many.is_some()).then_some(())?;
    Some(RepositoryQuestion::Commits(CommitFilter { by, path: None, when, many, counted, files: false }))
}

/// The time of a question, or a number of commits: recently is no time, the newest commits are recent however old they are.
fn timed(found: &regex::Captures<'_>, suffix: &str) -> Option<(Option<Period>, Option<usize>)> {
    let span = found.name(&format!("span{suffix}")).map(|span| span.as_str().to_lowercase()).unwrap_or_default();
    match ["recently", "lately", "these days"].contains(&span.as_str()) {
        true => Some((None, Some(MANY))),
        false => Some((Some(period(found, suffix)?), None)),
    }
}

fn is_person(name: &str) -> bool {
    let lower = name.to_lowercase();
    !["i", "we", "they", "it", "main", "master", "head", "ci", "readme", "git"].contains(&lower.as_str())
}

fn number(text: &str) -> Option<usize> {
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    match text.to_lowercase().as_str() {
        "couple of" => Some(2),
        "few" => Some(3),
        text => text.parse().ok().or_else(|| words.iter().position(|word| *word == text).map(|at| at + 1)),
    }
}

fn period(found: &regex::Captures<'_>, suffix: &str) -> Option<Period> {
    let of = |group: &str| found.name(&format!("{group}{suffix}")).map(|value| value.as_str().to_lowercase());
    if let Some(day) = of("weekday") {
        let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        let at = days.iter().position(|name| *name == day)?;
        return Some(Period::Weekday(u8::try_from(at).ok()?));
    }
    if let Some(day) = of("day") {
        let since = of("time").is_some_and(|time| time.starts_with("since"));
        return Some(match day.as_str() {
            "yesterday" => Period::days(1, u64::from(!since)),
            _ => Period::days(0, 0),
        });
    }
    if let Some(span) = of("span") {
        return Some(match span.as_str() {
            "this week" | "the week" => Period::ThisWeek,
            "last week" => Period::LastWeek,
            "last month" => Period::LastMonth,
            "this month" => Period::ThisMonth,
            "the weekend" => Period::days(3, 0),
            _ => Period::days(6, 0),
        });
    }
    let many = u64::try_from(of("number").map_or(Some(1), |text| number(&text))?).ok()?;
    let from = match of("unit")?.trim_end_matches('s') {
        "week" => many * 7 - 1,
        "month" => many * 31 - 1,
        "hour" => many / 24,
        _ => many,
    };
    Some(Period::days(from, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(when: Period) -> String {
        match when {
            Period::Days { from, to } => format!("{from}-{to}"),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn told(question: &str) -> String {
        match read(question) {
            None => "-".to_owned(),
            Some(RepositoryQuestion::Commits(CommitFilter { by, path, when, many, counted, files })) => {
                let path = path.map(|path| format!(" of {path}")).unwrap_or_default();
                let when = when.map(|when| format!(" {}", named(when))).unwrap_or_default();
                let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
                let many = many.map(|many| format!(" {many}")).unwrap_or_default();
                let more =
                    [(counted, " counted"), (files, " files")].map(|(is, word)| if is { word } else { "" }).concat();
                format!("commits{by}{path}{when}{many}{more}")
            }
            Some(RepositoryQuestion::Committers(when)) => format!("committers {}", named(when)),
            Some(RepositoryQuestion::Compare(of, to)) => format!("compare {of} {to}"),
            Some(other) => format!("{other:?}").to_lowercase(),
        }
    }

    #[test]
    fn questions_about_the_repository_are_read_word_by_word() {
        for (question, expected) in [
            ("last three commits", "commits 3"),
            ("show me the last 5 commits", "commits 5"),
            ("commits by Sam this month", "commits by Sam thismonth"),
            ("commits this week by Bo Li", "commits by Bo Li thisweek"),
            ("how many commits were made in the last 3 days", "commits 3-0 counted"),
            ("what did the team do this week?", "commits thisweek"),
            ("what has Mei been working on lately", "commits by Mei 10"),
            ("what happened since last monday", "commits weekday(0)"),
            ("what did Mei do", "commits by Mei"),
            ("what happened yesterday", "commits 1-1"),
            ("what happened recently", "commits 10"),
            ("what did Mei change this week", "commits by Mei thisweek"),
            ("what changed in the repo since yesterday", "commits 1-0 files"),
            ("what changed this week", "commits thisweek files"),
            ("what did the last 2 commits change", "commits 2 files"),
            ("which files were touched by the last three commits", "commits 3 files"),
            ("summarize the last 4 commits", "commits 4 files"),
            ("is a merge in progress?", "inprogress"),
            ("am I in the middle of a rebase", "inprogress"),
            ("any unfinished cherry-pick?", "inprogress"),
            ("am I in a merge", "inprogress"),
            ("which files have conflicts", "conflicts"),
            ("are there still unresolved merge conflicts", "conflicts"),
            ("how many commits is this branch ahead of main", "compare HEAD main"),
            ("how far am I behind develop", "compare HEAD develop"),
            ("is my branch merged into main", "compare HEAD main"),
            ("what's on this branch", "compare HEAD "),
            ("which commits are on this branch", "compare HEAD "),
            ("who committed this week", "committers thisweek"),
            ("how many commits did we make this month", "commits thismonth counted"),
            ("has anyone touched the docs lately", "commits of docs 10"),
            ("what changed in config.yaml and when", "commits of config.yaml 10"),
            ("when did src/a.rs change", "commits of src/a.rs 10"),
            ("when was the last release?", "lastrelease"),
            ("am I ahead of origin", "remote"),
            ("what's in flight here", "overview"),
            ("how many lines did I change", "changedlines"),
            ("which branches are there", "branches"),
            ("list all local branches", "branches"),
            ("what branch am I on?", "currentbranch"),
            ("is there another branch?", "branches"),
            ("which files have I touched", "clean"),
            ("show me the tags", "tags"),
            ("do I have any stashes", "stashes"),
            ("is anything stashed", "stashes"),
            ("which files are untracked", "untracked"),
            ("what is staged", "staged"),
            ("is the working tree clean", "clean"),
            ("do I have uncommitted changes?", "clean"),
            ("how big is the repository", "size"),
            ("how far is fix/a ahead of main?", "compare fix/a main"),
            ("is dev merged into main", "compare dev main"),
            ("what's on dev that is not on main", "compare dev main"),
            ("compare the branch dev with main", "compare dev main"),
        ] {
            assert_eq!(told(question), expected, "{question}");
        }
    }

    #[test]
    fn weeks_and_months_are_those_of_the_calendar() {
        // Tuesday, 17 November 2026.
        let today = Today { days: 20_774, of_month: 17, last_month: 31 };
        assert_eq!(Period::Weekday(0).on(today), (1, 0));
        assert_eq!(Period::Weekday(1).on(today), (7, 0));
        assert_eq!(Period::ThisWeek.on(today), (1, 0));
        assert_eq!(Period::LastWeek.on(today), (8, 2));
        assert_eq!(Period::ThisMonth.on(today), (16, 0));
        assert_eq!(Period::LastMonth.on(today), (47, 17));
        assert_eq!(Period::days(3, 0).on(today), (3, 0));
    }

    #[test]
    fn a_word_that_says_more_makes_it_another_question() {
        for question in [
            "merge main into this branch",
            "is the merge sort still slow",
            "how do I resolve conflicts",
            "check for leftover conflict markers",
            "delete merged branches",
            "push the tags",
            "apply the stash",
            "add untracked files",
            "how many commits are there",
            "commits about docs",
            "which branches contain abc123",
            "what does the clean target do",
            "make clean",
            "clean",
            "how big is the header",
            "what happened to the login page",
            "what did we decide",
            "which files did Mei change",
            "what did Mei change",
            "commits to main",
            "branch",
        ] {
            assert_eq!(told(question), "-", "{question}");
        }
    }
}
