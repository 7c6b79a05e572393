//! Decides which change a request wants reviewed: "review the last commit", "review this branch against develop", "看看暂存的改动". Does not check
//! whether the commit or branch exists; git does.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::review::described;
use crate::run::review::focus::{self, Focus};

/// Commits that are reviewed together.
pub const MAX_COMMITS: u32 = 100;

/// What is compared with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewTarget {
    /// The working tree against the last commit.
    Now,
    /// The index against the last commit.
    Staged,
    /// The last n commits.
    Last(u32),
    Commit(String),
    /// What a branch has that another lacks; by default the current branch against the main one.
    Branch {
        of: Option<String>,
        against: Option<String>,
    },
    Range(String, String),
    /// The commits that the branch of the remote lacks.
    Unpushed,
}

struct Frames {
    unpushed: Regex,
    range: Regex,
    between: Regex,
    since: Regex,
    unsaved: Regex,
    staged: Regex,
    lasts: Regex,
    lasts_chinese: Regex,
    last: Regex,
    commit: Regex,
    hash: Regex,
    against: Regex,
    branch: Regex,
    this: Regex,
}

static FRAMES: LazyLock<Option<Frames>> = LazyLock::new(|| {
    // A possible name of a commit or a branch.
    let name = r"[\p{L}\p{N}@_][\p{L}\p{N}@_./~^{}+#-]*";
    // In Chinese a name has no blanks around it, so `\w` must match ASCII only.
    let plain = |pattern: &str| pattern.replace(r"\w", "[A-Za-z0-9_]").replace("NAME", name);
    let new = |pattern: &str| Regex::new(&format!("(?i){}", plain(pattern))).ok();
    Some(Frames {
        range: new(
            r"(?:^|[\s`'(])([\w@][\w@/~^{}+#-]*(?:\.[\w@/~^{}+#-]+)*)\.\.\.?([\w@][\w@./~^{}+#-]*)(?:$|[\s`',;)?])",
        )?,
        between: new(
            r"\bbetween `?(NAME)`? and `?(NAME)`?|^(?:please )?(?:compare|diff) (?:the )?(?:branch |tag )?`?(NAME)`? (?:with|to|and|against|vs\.?) (?:the )?(?:branch |tag )?`?(NAME)`?\??$",
        )?,
        since: new(
            r"\bsince (?:the )?(?:tag |commit |release |version )?`?(NAME)`?|自从? ?`?([\w@][\w@./~^-]*)`? ?(?:以来|之后|开始)",
        )?,
        unpushed: new(
            r"\b(?:un-?pushed|not (?:yet )?(?:been )?pushed|(?:haven'?t|have not|didn'?t|did not)(?: yet)?(?: been)? push(?:ed)?|before (?:i |we )?(?:push\w*|open(?:ing)? (?:a|the) (?:pr|pull request|mr))|(?:about|going|ready|want) to (?:push|be pushed)|will be pushed|(?:safe|ok|okay|fine|good|ready) to push|local commits|local-only|ahead of (?:the )?(?:origin|remote|upstream))\b|推送?之?前|(?:没|未|还没)有?推(?:送)?(?:的|上去)?|(?:要|准备|打算)推送?的",
        )?,
        // Changes after the last commit, not the commit itself.
        unsaved: new(
            r"\b(?:since|after) (?:the |my |our )?(?:last|latest|previous|most recent|newest) commit\b|\bnot (?:yet )?(?:been )?committed\b|\buncommitted\b|自?从?(?:上次|上一次|最后一次|最近一次)的?提交(?:以来|之后|以后|后)|未提交|还?没有?提交",
        )?,
        staged: new(
            r"\b(?:staged|cached|(?:in|of) the index|the index|about to commit|(?:going|want) to commit|to be committed)\b|暂存|准备提交|将要提交|要提交的",
        )?,
        lasts: new(
            r"\b(?:last|latest|past|previous|recent|newest) (\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|couple of|few) commits\b",
        )?,
        lasts_chinese: new(
            r"(?:最近|最后|最新|上|过去)的? ?(\d{1,3}|两|二|三|四|五|六|七|八|九|十|几) ?(?:次|个|条)的? ?(?:提交|commit)",
        )?,
        last: new(
            r"\b(?:last|latest|previous|most recent|newest|top) commit\b|\bcommit i just (?:made|did)\b|\b(?:this|that) commit\b|\bmy (?:new )?commit\b|(?:上|最后|最近|最新)(?:一次|一个|次|个)?的? ?(?:提交|commit)|刚才的提交|刚提交的|刚刚的提交",
        )?,
        commit: new(
            r"\b(?:commit|revision|sha|hash) `?([0-9a-f]{4,40})\b|\b(HEAD(?:[~^@][\w~^{}@-]*)?)(?:$|[\s`',;)?])|提交 ?`?([0-9a-f]{4,40})\b",
        )?,
        hash: new(r"(?:^|[\s`'(])([0-9a-f]{7,40})(?:$|[\s`',;)?])")?,
        against: new(
            r"\b(?:against|vs\.?|versus|compared (?:to|with)|relative to|(?:diff|differs?|differences?|changes) (?:to|with|from)|since it left|on top of) (?:the )?(?:branch )?`?(NAME)`?|(?:与|和|跟|同|对比|相对于|相比于?) ?`?([\w@][\w@./~^-]*)`? ?(?:分支)?(?:相比|对比|比较|的(?:差异|区别|不同)|$)",
        )?,
        branch: new(
            r"\bbranch (?:called |named )?`?(NAME)`?|\b(?:the|on|of|in) `?([\w@][\w@./~^{}+#-]*)`? branch\b|(?:^|[\s看查])`?([\w@][\w@./-]*)`? ?分支|分支 ?`?([\w@][\w@./-]*)",
        )?,
        this: new(
            r"\b(?:this|the|my|our|current|whole|entire|feature|working|checked.out) branch\b|\b(?:pull|merge) request\b|\b(?:this|my|the|our) (?:PR|MR)\b|(?:这个|这条|当前|本|我的|整个)分支|合并请求",
        )?,
    })
});

/// Whether a word with a dot is a name of code: `console.log`, `fmt.Println`.
pub fn is_code(word: &str) -> bool {
    static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:console|fmt|process|window|document|System|os|sys|self|this|Math|JSON|std)\.\w+$").ok()
    });
    CODE.as_ref().is_some_and(|pattern| pattern.is_match(word))
}

/// Whether words ask about changes of a file, not about the file.
pub fn is_about_changes(words: &str) -> bool {
    static CHANGES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:chang\w*|diff\w*|edit(?:s|ed)?|patch|commit\w*|uncommitted|staged|what i (?:did|wrote)|modif\w*)\b|改动|修改|变更|提交|暂存").ok()
    });
    CHANGES.as_ref().is_some_and(|pattern| pattern.is_match(words))
}

/// Whether a question is about secrets in a change: "did I leave a password in the diff".
pub fn is_about_secrets(words: &str) -> bool {
    static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:secrets?|credentials?|passwords?|api[ -]?keys?|private keys?|access tokens?|tokens)\b|密钥|密码|凭据").ok()
    });
    SECRETS.as_ref().is_some_and(|pattern| pattern.is_match(words))
}

/// Whether a request asks for a review in words that also fit a search or a question: secrets in what will be committed, a commit by
/// its id.
pub fn is_asked(words: &str) -> bool {
    static ASKED: LazyLock<Option<[Regex; 9]>> = LazyLock::new(|| {
        let new = |pattern: &str| Regex::new(&format!("(?i){pattern}")).ok();
        Some([
            new(
                r"\b(?:commit(?:ting|ted)?|diff|my changes?|the changes?|uncommitted|staged|push(?:ing)?|what i (?:changed|wrote))\b|提交|改动",
            )?,
            new(
                r"^(?:please )?(?:are there|is there|any|do i|did i|have i|does|check|look|scan|search|find|make sure|verify|有没有|检查)",
            )?,
            new(
                r"^(?:please )?(?:check|inspect|look at|look over|look through|audit|critique|go over|go through|judge|assess) (?:the )?(?:commit )?`?[0-9a-f]{7,40}`?(?: (?:for|and|critically|carefully)\b.*)?$",
            )?,
            new(
                r"^what(?: have i| did i| has|'s| is)? chang(?:e|ed)(?: here)? since (?:the |my )?(?:last|latest|previous) commit$",
            )?,
            new(
                r"^(?:please )?(?:look over|look through|look at|go over|go through|read over|check over|check|inspect|proofread|vet) (?:all )?(?:my|the|our|these|this) (?:current |local |uncommitted |unstaged |staged |pending |whole )*(?:diff|changes|patch)(?: (?:before|for|and|then|once|please|carefully|again)\b.*)?$",
            )?,
            new(
                r"^(?:is there |do you see |can you see |see |did i (?:do|leave|break) )?(?:anything|something) (?:bad|wrong|suspicious|off|weird|odd|fishy|dangerous|risky|broken|stupid|dumb|i should (?:fix|know))\b.*\b(?:not (?:yet )?committed|uncommitted|my changes|the changes|my diff|the diff|staged|before i (?:commit|push)|what i (?:changed|did|wrote)|commit(?:ted)? yet)\b",
            )?,
            new(
                r"^(?:please )?(?:compare|diff) (?:the )?(?:branch |tag )?`?[\w@][\w@./~^-]*`? (?:with|to|and|against|vs\.?) (?:the )?(?:branch |tag )?`?[\w@]*[\d/.~^-][\w@./~^-]*`?$|^what(?: did| has) [a-z][\w.@-]* (?:changed?|do|done|break|broken|touch|touched) (?:in (?:his|her|their|the) (?:last|latest|newest|most recent) commit|last)$",
            )?,
            new(
                r"^(?:please )?(?:can you |could you |would you )?(?:please )?(?:check|review|look at|look over|have a look at|take a look at|inspect|go over|go through|judge|audit|assess|vet) (?:the )?(?:\p{L}[\p{L}.-]*(?:'s|’s|s) (?:[\w-]+ ){0,3}(?:commits?|changes?|work|push|patch|pr)|(?:my |our |the |all )?(?:[\w-]+ ){0,2}(?:commits?) (?:by|of|from) \p{L}[\p{L}. -]*|(?:my |the |our |all |all my )*(?:unpushed|local|new|own|unmerged)? ?commits?)(?: (?:before|for|and|please|that|which|i)\b.*)?$",
            )?,
            new(
                r"^(?:is|are) (?:it|this|that|everything|my (?:branch|commits|work|changes|code|diff)|all of it|we|they) (?:ok|okay|safe|fine|good|ready|clean enough|alright|good enough) (?:to (?:push|merge|commit|ship|release|go)|for (?:a )?(?:review|merge|release|pr))$|^(?:anything|something|what)(?: (?:else|is there|there))? (?:i|we) (?:should|need to|must|have to|forgot to) (?:fix|change|check|clean ?up|remove|do|look at) before (?:committing|pushing|merging|i commit|i push|i merge|the commit|a commit|this goes in)$|^(?:are there |is there |any |did i leave |have i left |did i forget )(?:any |some )?(?:leftovers?|left-?overs?|junk|cruft|garbage|mistakes?|problems?|bugs?|issues?)(?: left)? (?:in|with) (?:my|the|this|these) (?:changes?|diff|patch|work|commits?|edits)$",
            )?,
        ])
    });
    let Some([change, begins, commit, since, diff, bad, compare, work, ready]) = ASKED.as_ref() else { return false };
    let words = words.trim().trim_end_matches(['?', '.', '!', '？', '。']);
    focus::focus(words).is_some_and(|focus| focus != Focus::Secrets)
        || focus::sought(words).is_some()
        || commit.is_match(words)
        || since.is_match(words)
        || diff.is_match(words)
        || bad.is_match(words)
        || compare.is_match(words)
        || work.is_match(words)
        || ready.is_match(words)
        || is_about_secrets(words)
            && (change.is_match(words) || described::files(words).is_some())
            && begins.is_match(words)
}

/// The author whose work a request wants reviewed: `Aiko` of "review the last commit of Aiko" and "review Aiko's commit".
pub fn author(words: &str) -> Option<String> {
    static AUTHOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\b(?i:commits?|changes|work)\s+(?i:of|by|from|that|which)\s+(?P<name>[A-Z][\w.@-]*(?: [A-Z][\w.-]*)?)|\b(?P<other>[A-Z][\w.@-]*)(?:'s|’s)\s+(?:(?i:last|latest|newest|most recent|new|recent)\s+)?(?i:commits?|changes?|work|push)\b|\b(?i:what)\s+(?P<third>[A-Z][\w.@-]*)\s+(?i:did|committed|pushed|changed|wrote)\b|\b(?i:what\s+(?:did|has))\s+(?P<fourth>[A-Z][\w.@-]*)\s+(?i:change[d]?|do|done|break|broken|touch|touched|commit|push|add|write)\s+(?:(?i:in|with)\s+(?i:his|her|their|the)\b|(?i:last)\W*$)").ok()
    });
    let found = AUTHOR.as_ref()?.captures(words)?;
    let name = ["name", "other", "third", "fourth"].iter().find_map(|group| found.name(group))?.as_str();
    (!["I", "HEAD", "PR", "MR"].contains(&name) && !name.chars().all(|letter| letter.is_uppercase()))
        .then(|| name.to_owned())
}

/// A word that may be an author in small letters or without an apostrophe, and what the commit may be about: `priya` and `pid` of "check
/// priyas pid commit". Only the history tells whether there is such an author.
pub fn possible_author(words: &str) -> Option<(String, Vec<String>)> {
    static AUTHOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?P<name>\p{L}[\p{L}.-]+?)(?:'s|’s|s) (?P<about>(?:[\w-]+ ){0,3}?)(?:commits?|changes?|work|push|patch|pr)\b|\bcommits? (?:by|of|from|that) (?P<other>\p{L}[\p{L}.-]+)|\bwhat (?:did|has) (?P<third>\p{L}[\p{L}.-]+) (?:changed?|done?|break|broken|touch|touched|commit|push|add|write)").ok()
    });
    let found = AUTHOR.as_ref()?.captures(words)?;
    let name = ["name", "other", "third"].iter().find_map(|group| found.name(group))?.as_str().to_lowercase();
    let is_word = NO_NAMES.contains(&name.as_str())
        || ["it", "thi", "hi", "her", "their", "who", "what", "wa", "doe", "new", "recent", "latest", "i", "we"]
            .contains(&name.as_str());
    let about = found.name("about").map_or("", |about| about.as_str()).to_lowercase();
    let small = ["last", "latest", "newest", "most", "recent", "new", "first", "own", "big"];
    let about = about.split_whitespace().filter(|word| !small.contains(word)).map(str::to_owned).collect();
    (!is_word).then_some((name, about))
}

/// Words of a request that may be the name of a branch or a tag, and of nothing else: they are no prose. The word alone behind the verb
/// counts too, whatever it looks like.
pub fn possible_names(words: &str) -> Vec<&str> {
    let all: Vec<&str> = words
        .split_whitespace()
        .map(|word| word.trim_matches(['`', '"', '\'', ',', '?', '!', '(', ')']).trim_end_matches('.'))
        .collect();
    let is_name = |word: &&&str| {
        word.len() > 1
            && !word.starts_with('-')
            && (word.contains(['/', '-', '_']) || word.bytes().any(|byte| byte.is_ascii_digit()))
    };
    match all.as_slice() {
        [_, only] => vec![only],
        _ => all.iter().filter(is_name).copied().collect(),
    }
}

/// Words around "branch" that are not names.
const NO_NAMES: &[&str] = &[
    "this",
    "the",
    "my",
    "our",
    "current",
    "feature",
    "working",
    "whole",
    "entire",
    "same",
    "new",
    "for",
    "before",
    "and",
    "with",
    "against",
    "vs",
    "versus",
    "compared",
    "is",
    "are",
    "has",
    "to",
    "as",
    "in",
    "on",
    "of",
    "a",
    "it",
    "please",
    "changes",
    "i",
    "we",
    "you",
    "that",
    "which",
    "yesterday",
    "last",
    "then",
    "so",
    "code",
    "diff",
    "now",
];

pub fn review_target(words: &str) -> ReviewTarget {
    let Some(frames) = FRAMES.as_ref() else { return ReviewTarget::Now };
    if let Some(found) = frames.range.captures(words).or_else(|| frames.between.captures(words))
        && let Some((one, other)) = name(&found, 1).zip(name(&found, 2)).or_else(|| {
            // What is compared with an older state is the newer one.
            let (newer, older) = (found.get(3).and(name(&found, 3)), found.get(4).and(name(&found, 4)));
            older.zip(newer)
        })
    {
        return ReviewTarget::Range(one, other);
    }
    if let Some(count) = frames.lasts.captures(words).or_else(|| frames.lasts_chinese.captures(words)) {
        return ReviewTarget::Last(number(count.get(1).map_or("", |found| found.as_str())).clamp(1, MAX_COMMITS));
    }
    // "My changes before I push" may be uncommitted; "my commits" are not.
    let is_commits = words.to_lowercase().contains("commit ") || !frames.unsaved.is_match(words);
    if is_commits && frames.unpushed.is_match(words) {
        return ReviewTarget::Unpushed;
    }
    if frames.unsaved.is_match(words) {
        return ReviewTarget::Now;
    }
    if frames.last.is_match(words) {
        return ReviewTarget::Last(1);
    }
    if let Some(since) = frames.since.captures(words).and_then(|found| any(&found)).filter(|name| is_named(name)) {
        return ReviewTarget::Range(since, "HEAD".to_owned());
    }
    if let Some(commit) =
        frames.commit.captures(words).or_else(|| frames.hash.captures(words)).and_then(|found| any(&found))
        && (!is_word(&commit) || words.contains(&format!("commit {commit}")))
    {
        return ReviewTarget::Commit(commit);
    }
    let against = frames
        .against
        .captures(words)
        .and_then(|found| any(&found))
        .filter(|name| !NO_NAMES.contains(&name.to_lowercase().as_str()));
    let named = frames.branch.captures_iter(words).filter_map(|found| any(&found));
    let of = named
        .into_iter()
        .find(|name| !NO_NAMES.contains(&name.to_lowercase().as_str()) && Some(name) != against.as_ref());
    if of.is_some() || frames.this.is_match(words) {
        return ReviewTarget::Branch { of, against };
    }
    if frames.staged.is_match(words) {
        return ReviewTarget::Staged;
    }
    match against.filter(|name| is_named(name)) {
        Some(against) => ReviewTarget::Branch { of: None, against: Some(against) },
        None => ReviewTarget::Now,
    }
}

fn any(found: &Captures<'_>) -> Option<String> {
    (1..found.len()).find_map(|group| name(found, group))
}

/// Without the punctuation at the end of a sentence.
fn name(found: &Captures<'_>, group: usize) -> Option<String> {
    let name = found.get(group)?.as_str().trim_end_matches(['.', ',', '?', '!']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Only letters, so a word and not a hash: `defaced` is one.
fn is_word(name: &str) -> bool {
    name.len() < 40 && name.bytes().all(|byte| byte.is_ascii_alphabetic()) && !name.starts_with("HEAD")
}

/// A revision and not an ordinary word: "since v1.2" and "since origin/main", but not "since yesterday".
fn is_named(name: &str) -> bool {
    name.contains(['/', '.', '~', '^', '@', '_', '#'])
        || name.bytes().any(|byte| byte.is_ascii_digit())
        || ["main", "master", "develop", "dev", "trunk", "HEAD", "upstream", "staging", "production", "release"]
            .contains(&name)
}

fn number(text: &str) -> u32 {
    let words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let signs = ["二", "三", "四", "五", "六", "七", "八", "九", "十"];
    let lower = text.to_lowercase();
    let place = |list: &[&str]| list.iter().position(|known| *known == lower).and_then(|at| u32::try_from(at + 2).ok());
    match lower.as_str() {
        "couple of" | "两" => 2,
        "few" | "几" => 3,
        _ => lower.parse().ok().or_else(|| place(&words)).or_else(|| place(&signs)).unwrap_or(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &str) -> String {
        match review_target(words) {
            ReviewTarget::Now => "now".to_owned(),
            ReviewTarget::Staged => "staged".to_owned(),
            ReviewTarget::Last(count) => format!("last {count}"),
            ReviewTarget::Commit(name) => format!("commit {name}"),
            ReviewTarget::Branch { of, against } => {
                format!("branch {} against {}", of.unwrap_or("-".to_owned()), against.unwrap_or("-".to_owned()))
            }
            ReviewTarget::Range(one, other) => format!("{one} to {other}"),
            ReviewTarget::Unpushed => "unpushed".to_owned(),
        }
    }

    #[test]
    fn an_author_is_guessed_from_small_letters() {
        let guessed = |words: &str| possible_author(words).map(|(name, about)| format!("{name} {}", about.join(" ")));
        assert_eq!(guessed("can you check priyas pid commit").as_deref(), Some("priya pid"));
        assert_eq!(guessed("look at dale's last commit").as_deref(), Some("dale "));
        assert_eq!(guessed("what did tess change in her last commit").as_deref(), Some("tess "));
        assert_eq!(guessed("review this commit"), None);
        assert_eq!(guessed("review my last commits"), None);
        for words in [
            "can you check priyas pid commit",
            "check dale's last commit",
            "is it safe to push",
            "review my commits before i push",
        ] {
            assert!(is_asked(words), "{words}");
        }
    }

    #[test]
    fn a_request_says_which_change_it_means() {
        for (words, expected) in [
            ("review", "now"),
            ("review my changes", "now"),
            ("review src/a.rs", "now"),
            ("what did I change since yesterday", "now"),
            ("look over this function before I commit", "now"),
            ("review the branching logic in src/a.rs", "now"),
            ("review the changes with fresh eyes", "now"),
            ("看看我的改动", "now"),
            ("what changed since the last commit", "now"),
            ("review everything after my latest commit", "now"),
            ("look at the uncommitted changes", "now"),
            ("看看上次提交之后的改动", "now"),
            ("审查未提交的改动", "now"),
            ("review my commits before i push", "unpushed"),
            ("check my unpushed commits", "unpushed"),
            ("is it safe to push?", "unpushed"),
            ("推送之前帮我看看提交", "unpushed"),
            ("review this commit", "last 1"),
            ("review the staged changes", "staged"),
            ("look at what I'm about to commit", "staged"),
            ("检查一下暂存的改动", "staged"),
            ("review the last commit", "last 1"),
            ("please look over my most recent commit", "last 1"),
            ("审查上一次提交", "last 1"),
            ("看下最近的提交", "last 1"),
            ("review the last 3 commits", "last 3"),
            ("review my last two commits", "last 2"),
            ("审查最近三次提交", "last 3"),
            ("review the last 999 commits", "last 100"),
            ("review commit 1a2b3c4", "commit 1a2b3c4"),
            ("review 1a2b3c4d5e", "commit 1a2b3c4d5e"),
            ("check HEAD~2", "commit HEAD~2"),
            ("审查提交 1a2b3c4", "commit 1a2b3c4"),
            ("review the defaced page", "now"),
            ("review this branch", "branch - against -"),
            ("review my PR", "branch - against -"),
            ("review this branch against develop", "branch - against develop"),
            ("review branch fix/login", "branch fix/login against -"),
            ("review the fix-login branch", "branch fix-login against -"),
            ("review the fix-login branch against release/1.2", "branch fix-login against release/1.2"),
            ("审查当前分支", "branch - against -"),
            ("看看 fix/login 分支", "branch fix/login against -"),
            ("和 main 相比有什么变化", "branch - against main"),
            ("review everything against origin/main", "branch - against origin/main"),
            ("review main..fix/login", "main to fix/login"),
            ("review v1.0...HEAD please", "v1.0 to HEAD"),
            ("review the changes between v1.0 and v1.1", "v1.0 to v1.1"),
            ("compare main with v0.4.1", "v0.4.1 to main"),
            ("review everything since v1.0", "v1.0 to HEAD"),
            ("审查自 v1.0 以来的改动", "v1.0 to HEAD"),
        ] {
            assert_eq!(told(words), expected, "{words}");
        }
    }

    #[test]
    fn authors_and_names_are_found() {
        let author = |words: &str| author(words).unwrap_or_default();
        assert_eq!(author("review the commit of Aiko"), "Aiko");
        assert_eq!(author("review Bo's last commit"), "Bo");
        assert_eq!(author("review what Ana pushed"), "Ana");
        assert_eq!(author("what did Lena change in her latest commit"), "Lena");
        assert_eq!(author("what did Sam change last?"), "Sam");
        assert_eq!(author("review the commits by Bo Li"), "Bo Li");
        assert_eq!(author("review the work of the last week"), "");
        assert_eq!(author("review my last commit"), "");
        assert_eq!(author("review the changes of HEAD"), "");
        assert_eq!(possible_names("review feature/redis-limits"), ["feature/redis-limits"]);
        assert_eq!(possible_names("review develop"), ["develop"]);
        assert_eq!(possible_names("please review fix-2 carefully"), ["fix-2"]);
        assert_eq!(possible_names("review all of my changes"), Vec::<&str>::new());
    }

    #[test]
    fn reviews_in_other_words() {
        for words in [
            "are there any secrets in what I am about to commit",
            "did I leave a password in the diff?",
            "check my changes for api keys",
            "check commit f7ba9c2 for problems",
            "look over 6ed0fca1",
            "what did I change since the last commit",
            "look over my diff before I push",
            "go through the staged changes",
            "anything wrong in my changes?",
            "is there something fishy in what I have not committed yet",
            "compare main with v0.4.1",
            "what did Lena change in her latest commit",
            "what did Sam change last?",
        ] {
            assert!(is_asked(words), "{words}");
        }
        for words in [
            "find the password check",
            "where are tokens parsed",
            "check the build",
            "add secrets to the diff",
            "is anything wrong with the server",
        ] {
            assert!(!is_asked(words), "{words}");
        }
    }
}
