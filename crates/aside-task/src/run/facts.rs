//! Questions that a project's files and history answer without a model: what it does, its version, who changed a file, what a target runs,
//! what a name stands for. Parses the question and words the answer; reads no files itself.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;

use crate::run::model_reply::fenced;
use crate::run::project::{Manifest, Project};
use crate::run::repository::{self, RepositoryQuestion};
use crate::run::scan::Scan;
use crate::run::search::definitions;
use crate::run::{code, directory, documented, explain, short, wording};

/// The question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactQuestion {
    Project,
    Install,
    /// How to run it, and which part: `the tests`.
    RunIt(String),
    Version,
    /// The version of something that the project uses.
    VersionOf(String),
    Dependencies,
    Commits(usize),
    /// The last commit with its files.
    LastCommit,
    CommitCount,
    /// Who made how many commits.
    Committers,
    /// Who changed a file, and when.
    Authors(String),
    /// The same for a file that is only described: "the release script".
    AuthorsOf(String),
    /// The first lines of a table.
    Columns(String),
    /// All targets and scripts.
    Scripts,
    /// Lines of the project that answer it.
    Lines(Scan),
    /// A line of a file.
    Line(String, usize),
    /// A question about the machine, which a command answers.
    Machine,
    /// Tasks that wait for the user.
    Waiting,
    /// What a target or a script runs.
    Target(String),
    /// The command for something, in words.
    HowTo(String),
    /// A single identifier.
    Name(String),
    /// An identifier in a file.
    NameIn(String, String),
    /// Where an identifier is used.
    Uses(String),
    Files(FileFilter),
    /// How the project is laid out.
    Layout,
    /// What a directory is for, by its path or its name.
    Directory(String),
    /// What git knows: commits of a time, branches, stashes.
    Repository(RepositoryQuestion),
}

/// Selects files by metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFilter {
    Larger(u64),
    Smaller(u64),
    Largest(usize),
    Newest(usize),
    Empty,
    /// Changed within so many days.
    Days(u64),
    /// In commits of this author.
    Author(String),
}

const PROJECT: &str = r"(?:project|repo|repository|code ?base|app|application|program|package|library|tool|code|service|server|daemon|api|site|website|module|monorepo|thing|plugin|bot|crate|cli)";
const MAX_COMMITS: usize = 10;

static SHAPES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let rows = [
        ("waiting", r"^(?:what|which|how many|list|show|are there)\b.*\b(?:tasks?|proposals?|approvals?)\b.*\b(?:wait(?:ing)?|pending|approv\w*|open|queued)\b.*$|^(?:what|which|are there|is there)\b.*\b(?:waiting|pending)\b.*\b(?:tasks?|proposals?|approvals?|me|my approval)\b.*$|^(?:pending|waiting) (?:tasks|proposals|approvals)$".to_owned()),
        ("machine", r"^(?:is|are|what|what's|who|who's|which|show me|see|check)\b.*\bports? \d{2,5}\b.*$|^(?:is|what's|what is|does) (?:anything|something|a program) (?:already )?(?:(?:listening|running|bound|listen|run) )?(?:on|at|using|use|to) (?:port |:)?\d{2,5}$|^(?:what|who|which (?:program|process)) (?:is |'s )?(?:listening|listens|runs|running) on (?:port |:)?\d{2,5}$|^how (?:much|many) (?:free |available |disk |hard ?drive |hard ?disk )*(?:space|storage|disk|memory|ram|swap)\b.*$|^(?:is the|how full is the) disk(?: full)?$|^(?:disk|memory|cpu|ram) usage$|^what(?:'s| is) my (?:local |public )?ip(?: address)?$|^(?:which|what) process(?:es)? (?:use|uses|is using|are using|take|takes|eat|eats)\b.*$|^how long has (?:this|the|my) (?:machine|computer|system|server) been (?:up|running)$|^(?:what|which) (?:kernel|os|distro|distribution|operating system) (?:is this|am i (?:on|running)|do i have)$|^is (?:docker|nginx|postgres(?:ql)?|mysql|redis|apache|sshd|ssh) running$|^who is logged in$".to_owned()),
        ("scripts", r"^(?:what|which|list|show)\b(?: me)?(?: all)?(?: (?:the|of the))?(?: (?:available|npm|yarn|pnpm|package|make|makefile|just|project|gradle|rake|composer|maven|ant|build))* (?:scripts|targets|recipes|make targets|tasks) ?(?:are (?:there|available|defined|in .+)|exist(?: here)?|can i (?:run|use)(?: here)?|does .+ (?:have|define|offer)|do we have|in (?:the )?(?:package\.json|makefile|justfile|project)|of (?:the )?(?:package\.json|makefile|justfile|project)|here)?$|^(?:what|which) are (?:the |our )?(?:available |existing |npm |pnpm |yarn |make )*(?:scripts|targets|recipes)$|^(?:available|all) (?:scripts|targets|recipes)$|^what can i run(?: here| in this (?:project|repo))?$|^what(?:'s| is) in the (?:makefile|justfile)$".to_owned()),
        ("layout", format!(r"^how (?:is|are) (?:this|the|that|our) (?:{PROJECT}|files|directories|folders|packages|crates|modules)(?: here)? (?:laid out|organi[sz]ed|structured|arranged|split(?: up)?|set up|built up)$|^(?:what(?:'s| is)|explain|describe|show me|give me) (?:the |an? )?(?:overall |general |directory |folder |code |project |repo |file )*(?:structure|layout|architecture|organi[sz]ation)(?: of (?:this|the|that|our) {PROJECT})?(?: here)?$|^(?:what|which) (?:directories|folders|packages|crates|modules|parts|members) (?:are there|are here|do we have|does (?:this|the|it)(?: {PROJECT})? (?:have|consist of)|make up (?:this|the) {PROJECT})$")),
        ("subcommands", r"^(?:what|which|list|show)\b.*\b(?:sub)?commands\b.*\b(?:have|has|take|takes|support|supports|offer|offers|there|provide|provides|does the (?:cli|tool|program))\b.*$".to_owned()),
        ("columns", r"^(?:what|which|list|show)\b.*\b(?:columns?|fields|headers?)\b.*$".to_owned()),
        ("ci", r"^(?:what|which commands?) (?:does|do|is|are|will) (?:the |our )?(?:ci|pipeline|workflow|github actions?|gitlab ci|build server)(?: \w+)?(?: (?:do|run|runs|check|checks|execute))?$|^what runs (?:in|on) (?:the |our )?(?:ci|pipeline)$|^what (?:happens|is checked|gets checked|is done|gets run|is run) (?:in|on|by|during) (?:the |our )?(?:ci|pipeline|workflow|github actions?)$|^(?:explain|describe|how does|show me) (?:the |our )?(?:ci|pipeline|ci workflow|ci pipeline|ci config|github actions?)(?: (?:work|works|setup|workflows?))?$|^when does (?:the |our )?(?:ci|pipeline) run$|^how (?:does|do|is) (?:the |our )?(?:ci|pipeline|ci workflow|github actions?)\b.*$|^(?:which|what) (?:commands?|checks?|steps?|jobs?|tests?|things|tools?|linters?) (?:does|do|is|are) (?:the |our )?(?:ci|pipeline|workflow|github actions?) (?:test|run|check|build|use|cover|support|need)\w*\b.*$|^(?:which|what) [\w ]+ (?:is|are|gets?) (?:tested|checked|used|run|built) (?:in|on|by) (?:the |our )?(?:ci|pipeline|github actions?)$".to_owned()),
        ("routes", r"^(?:what|which|list|show)\b.*\b(?:routes|endpoints|api calls|http paths)\b.*$".to_owned()),
        ("ports", r"^(?:what|which) port\b.*$|^on (?:what|which) port\b.*$|^where does (?:it|the (?:server|app|service)) listen$".to_owned()),
        ("build-options", r"^(?:what|which|list|show)\b.*\b(?:cmake|build|meson|configure|compile|autoconf)(?:[- ]time)? (?:options|flags|switches|settings)\b.*$".to_owned()),
        ("flags", r"^(?:what|which|list|show)\b.*\b(?:flags?|options|arguments|args|command[- ]line (?:options|arguments|parameters))\b.*\b(?:take|takes|accept|accepts|have|has|support|supports|there|understand|understands|available)\b.*$".to_owned()),
        ("environment", r"^(?:what|which|list|show)\b.*\benv(?:ironment)?[ -]?var(?:iable)?s?\b.*$".to_owned()),
        ("start", r"^(?:where|which file)\b.*\b(?:program|app|application|code|it|project|server|cli|execution|tool|binary|service)\b.*\b(?:start|starts|begin|begins|started|entry)\b.*$|^(?:where|what) is the (?:entry ?point|main function|entrypoint|main file)\b.*$|^(?:entry ?points?|where is main)$".to_owned()),
        ("line", r"\bline (?P<line>\d+) (?:of|in) \S+|\S+:(?P<other>\d+)\b.*|\bline (?P<third>\d+)\b".to_owned()),
        ("last-commit", r"^(?:what|which files?) (?:was |were |has |have |did )?(?:been )?(?:chang\w*|modif\w*|done|happened|touch\w*|in|is in|was in)\b.*\b(?:the )?(?:last|latest|newest|most recent|previous) commit\b.*$|^what (?:did|does|was in|is in) the (?:last|latest|newest|most recent) commit\b.*$|^(?:show|explain|describe|summari[sz]e)(?: me)? (?:the )?(?:last|latest|newest|most recent) commit$|^what(?:'s| is| was) (?:the|my|our) (?:last|latest|newest|most recent) commit\b.*$|^(?:show|explain) head$".to_owned()),
        ("commit-count", r"^how many commits(?: (?:are there|are here|are|do we have|does (?:this|the|it)(?: \w+)? have|in (?:total|all|this \w+)|so far|altogether|were made|have been made|on this branch|here|there|have we made|has it got))*$|^(?:number|count) of commits$".to_owned()),
        ("committers", r"^who (?:committed|commits|contributed|wrote) (?:the )?most\b.*$|^who (?:are|were) the (?:main |top )?(?:contributors|committers|authors)\b.*$|^(?:list|show)(?: me)?(?: the)? (?:contributors|committers|authors)$|^who (?:works|worked) on (?:this|the) (?:project|repo|repository|code)$|^who wrote (?:this|the) (?:project|code|repo)$".to_owned()),
        ("uses", r"^(?:how|where) (?:is|are|do we use|does .* use) (?:the )?(?:(?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro) )?`?(?P<name>[a-z_$][\w$]*(?:(?:\.|::)[a-z_$][\w$]*)*)(?:\(\))?`?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro))? (?:used|called|referenced|invoked)?(?: here| in this \w+)?$|^(?:who|what|which \w+) (?:uses|use|calls|call|references|depends on|invokes) (?:the )?(?:(?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro) )?`?(?P<name2>[a-z_$][\w$]*(?:(?:\.|::)[a-z_$][\w$]*)*)(?:\(\))?`?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro))?$|^what (?:does|is) (?:the )?(?:(?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro) )?`?(?P<name3>[a-z_$][\w$]*(?:(?:\.|::)[a-z_$][\w$]*)*)(?:\(\))?`?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro))?(?: do)?,? and (?:who|what|where)\b.*\b(?:uses?|calls?|used|called)\b.*$".to_owned()),
        ("name-in", r"^(?:what (?:does|is|are|do)|what's|explain|describe|how does|tell me about|show me|what happens in|go through|walk me through)(?: the| what the| how the| what| how)? ?(?:(?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro) )?`?(?P<name>[a-z_$][\w$]*(?:(?:\.|::)[a-z_$][\w$]*)*)(?:\(\))?`?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module|macro))?(?: (?:do|does|mean|for|work|works|about|return|returns|from))* (?:in|of|inside|from) (?:the )?(?:file )?`?[\w./@+-]+`?(?: (?:do|does|mean|work|works|for))?$".to_owned()),
        ("project", format!(r"^what (?:does|is|can) (?:this|the|that) {PROJECT}(?: (?:do|does|for|about|all about|good for))?$|^what(?:'s| is) this(?: {PROJECT})?(?: (?:about|for|all about))?$|^(?:explain|describe|summari[sz]e|introduce) (?:this|the|me (?:this|the)) {PROJECT}(?: to me)?$|\b(?:overview|summary|purpose) of (?:this|the) {PROJECT}$|^what am i looking at$")),
        ("install", r"^how (?:do|can|should|would|to|does one)(?: (?:i|we|you|one))?(?: get)? (?:install|set ?up|get started|begin|build)(?: (?:with )?(?:this|it|the (?:project|app|repo|package|dependencies)|everything|the environment))?(?: (?:locally|here|up|on my machine|for development))?$|^(?:installation|setup) (?:instructions|steps|guide)$".to_owned()),
        ("run", format!(r"^how (?:do|can|should|would|to|does one)(?: (?:i|we|you|one))? (?:run|start|launch|use|execute) (?P<what>this|it|(?:the|this|my|our|all(?: the)?) [\w ]+|{PROJECT}|tests)(?: (?:locally|here))?$")),
        ("howto", r"^how (?:do|can|would|should|could)(?: (?:i|we|you|one)) (?P<what>.+)$|^how to (?P<other>.+)$|^what(?:'s| is) the (?:command|way) (?:to|for) (?P<third>.+)$|^which command (?P<fourth>.+)$".to_owned()),
        ("size", r"\b(?:files?|anything)\b.*\b(?P<way>larger|bigger|over|above|smaller|under|below|less|more) (?:than )?(?P<size>\d+(?:\.\d+)?) ?(?P<unit>b|bytes|k|kb|kib|m|mb|mib|g|gb|gib|kilobytes?|megabytes?|gigabytes?)\b".to_owned()),
        ("largest", r"\b(?P<many>\d+)? ?(?:largest|biggest) files?\b|\bfiles? (?:that )?(?:take|use)s? (?:up )?(?:the )?most (?:space|room)\b".to_owned()),
        ("newest", r"\b(?P<many>\d+)? ?(?:newest|latest|most recent(?:ly (?:changed|modified|edited))?|recently (?:changed|modified|edited)|last (?:changed|modified|edited)) files?\b".to_owned()),
        ("empty", r"\bempty files?\b".to_owned()),
        ("days", r"\bfiles?\b.*\b(?:changed|modified|edited|touched|updated|created|new)\b.*\b(?:(?P<when>today|yesterday|this week|this month|last week|last month)|(?:in|within) the (?:last|past) (?P<number>\d+)? ?(?P<unit>days?|weeks?|months?|hours?))\b".to_owned()),
        ("author", r"\bfiles? (?:that (?:were |was )?|which (?:were |was )?)?(?:changed|modified|edited|touched|written|committed|added) by (?P<name>[\w .@-]+)$|\bfiles? (?:that |which )?(?P<third>[\w.@-]+) (?:has |have |had )?(?:changed|modified|edited|touched|written|wrote|committed|added)\b|\bwhat (?:did|has) (?P<other>[\w.@-]+) (?:change|changed|edit|edited|touch|touched|commit|committed|do|done)\b".to_owned()),
        ("version-of", r"^(?:what|which)(?:'s| is)? (?:the )?(?:current )?version of (?:the )?(?P<name>[@\w./-]+(?: [a-z][\w-]*)?)(?: (?:do we|does (?:this|it|the \w+)|are we|is|are)\b.*)?$|^(?:what|which) (?P<other>[@\w./-]+(?: [a-z]+)?) version\b.*$|^(?:what|which) version of (?:the )?(?P<third>[@\w./-]+) .*$|^(?P<fourth>[@\w./-]+) version$".to_owned()),
        ("version", r"^(?:what|which)(?:'s| is)?(?: the)?(?: current)? version(?: (?:is|of))?(?: (?:this|it|the|that|we|are we)(?: \w+)?)?(?: (?:on|at|now|here))?$|^(?:what|which) version(?: of (?:this|it|the \w+|the))?\b.*$|^(?:what|which) (?:python|node|go|rust|java|ruby|php)(?:\.?js)? version\b.*$|^version\??$".to_owned()),
        ("dependencies", r"\b(?:what|which|list|show)\b.*\b(?:dependencies|deps|packages|libraries|crates|requirements)\b.*|^what (?:does|do) (?:this|it|the \w+|we) depend on$".to_owned()),
        ("commits", r"\b(?:last|latest|recent|newest|previous) (?P<many>\d+ |few |couple of )?commits?\b|\b(?:git|commit) (?:history|log)\b|^what (?:happened|has happened|changed|has changed|was done) (?:recently|lately|last|here lately|in the last)\b.*".to_owned()),
        ("authors", r"^(?:who|when)\b.*\b(?:changed?|wrote|written|edited|touched|made|modified|owns?|authored|created|added|last|updated|worked on)\b.*$|\bhistory of\b.*$|\bblame\b.*$".to_owned()),
        ("target", r"^(?:what (?:does|is|will|would)|what happens (?:when|if) (?:i|we|you) (?:run|do|call|type|execute|use)|what gets run (?:by|with)|what do i get (?:from|with)|explain|describe|show me what|tell me what) (?:the )?(?:command )?`?(?:make|just|npm run|npm run-script|npm|yarn run|yarn|pnpm run|pnpm|bun run) (?P<target>[\w:.-]+)`?(?: (?:do|does|target|script|for|run|runs))?(?: here| in this \w+)?$|^(?:what (?:does|is)|explain|describe) the `?(?P<other>[\w:.-]+)`? (?:target|script|recipe|make target|npm script|task)(?: (?:do|for|run))?$".to_owned()),
        ("name", r"^(?:what (?:does|is|are|do)|what's|explain|describe|how does|tell me about|about|show me|summari[sz]e|what about)(?: the| how the| how| what the| what)?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module))? `?(?P<name>[a-z_$][\w$]*(?:(?:\.|::)[a-z_$][\w$]*)*)(?:\(\))?`?(?: (?:function|method|class|type|struct|interface|constant|variable|enum|trait|module))?(?: (?:do|does|mean|for|used for|good for|work|works|about|return))?(?: (?:here|in this \w+))?$".to_owned()),
    ];
    rows.into_iter().filter_map(|(name, pattern)| Some((name, Regex::new(&format!("(?i){pattern}")).ok()?))).collect()
});

/// The question, if facts can answer it. `file` is the first file that it names.
pub fn parse_question(question: &str, file: Option<&str>) -> Option<FactQuestion> {
    let english = wording::english(question);
    let trimmed = english.trim().trim_end_matches(['?', '.', '!']).trim();
    let lower = trimmed.to_lowercase();
    let polite =
        ["please ", "can you tell me ", "could you tell me ", "tell me ", "can you ", "could you ", "hey, ", "so, "];
    let start = polite.iter().filter(|polite| lower.starts_with(*polite)).map(|polite| polite.len()).max().unwrap_or(0);
    let asked = trimmed.get(start..).unwrap_or(trimmed).trim_end_matches(" please").trim();
    if asked.contains('\n') || asked.split_whitespace().count() > 16 {
        return None;
    }
    if let Some(question) = repository::read(asked).filter(|_| !asked_for_diff(asked)) {
        return Some(FactQuestion::Repository(question));
    }
    if let Some(path) = directory::asked(asked) {
        return Some(FactQuestion::Directory(path));
    }
    SHAPES.iter().find_map(|(shape, pattern)| ask(shape, asked, &pattern.captures(asked)?, file))
}

fn asked_for_diff(asked: &str) -> bool {
    let lower = asked.to_lowercase();
    [
        "with their changes",
        "with changes",
        "with the changes",
        "with diff",
        "with the diff",
        "with their diff",
        "patch",
        "and their changes",
        "with stat",
    ]
    .iter()
    .any(|words| lower.contains(words))
}

fn ask(shape: &str, asked: &str, found: &regex::Captures<'_>, file: Option<&str>) -> Option<FactQuestion> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let many = || of("many").and_then(|many| many.parse().ok()).unwrap_or(MAX_COMMITS);
    Some(match shape {
        "size" => {
            let size: f64 = of("size")?.parse().ok()?;
            let unit = match of("unit")?.to_lowercase().chars().next()? {
                'k' => 1024.0,
                'm' => 1024.0 * 1024.0,
                'g' => 1024.0 * 1024.0 * 1024.0,
                _ => 1.0,
            };
            let bytes = (size * unit) as u64;
            match of("way")?.to_lowercase().as_str() {
                "smaller" | "under" | "below" | "less" => FactQuestion::Files(FileFilter::Smaller(bytes)),
                _ => FactQuestion::Files(FileFilter::Larger(bytes)),
            }
        }
        "largest" => FactQuestion::Files(FileFilter::Largest(many())),
        "newest" => FactQuestion::Files(FileFilter::Newest(many())),
        "empty" => FactQuestion::Files(FileFilter::Empty),
        "days" => FactQuestion::Files(FileFilter::Days(days(of("when"), of("number"), of("unit"))?)),
        "author" => {
            // In "files Bo changed" only the capital letter tells a name from an adverb.
            let is_name = |name: &String| name.starts_with(|letter: char| letter.is_uppercase());
            let name = of("name").or_else(|| of("other")).or_else(|| of("third").filter(is_name));
            FactQuestion::Files(FileFilter::Author(name.filter(|name| is_person(name))?))
        }
        "project" => FactQuestion::Project,
        "install" if asked.to_lowercase().contains("build") => FactQuestion::RunIt("build".to_owned()),
        "install" => FactQuestion::Install,
        "run" => FactQuestion::RunIt(of("what")?),
        // A question about the version of a named program or package is not about the project.
        "version" => FactQuestion::Version,
        "version-of" => {
            let name = ["name", "other", "third", "fourth"].iter().find_map(|group| of(group))?;
            let first = name.split(' ').next().unwrap_or_default().to_lowercase();
            let is_own = [
                "this", "it", "the", "that", "project", "app", "package", "our", "current", "program", "library",
                "which", "what", "is", "a",
            ];
            (!is_own.contains(&first.as_str())).then_some(())?;
            let name = name
                .split(' ')
                .filter(|word| !["do", "does", "are", "is", "we", "this", "it", "here"].contains(word))
                .collect::<Vec<_>>()
                .join(" ");
            FactQuestion::VersionOf(name)
        }
        "dependencies" => FactQuestion::Dependencies,
        // What is asked for beside the list is more than the list has.
        "commits" if asked_for_diff(asked) => return None,
        "commits" => FactQuestion::Commits(many()),
        "columns" => {
            FactQuestion::Columns(file.filter(|file| file.ends_with(".csv") || file.ends_with(".tsv"))?.to_owned())
        }
        "ci" => FactQuestion::Lines(Scan::Ci),
        "authors" => match file {
            Some(file) => FactQuestion::Authors(file.to_owned()),
            None => FactQuestion::AuthorsOf(described(&found[0])?),
        },
        "last-commit" => FactQuestion::LastCommit,
        "commit-count" => FactQuestion::CommitCount,
        "committers" => FactQuestion::Committers,
        "scripts" => FactQuestion::Scripts,
        "layout" => FactQuestion::Layout,
        // "What commands do I have" is about the shell.
        "subcommands" if found[0].to_lowercase().contains(" do i ") => return None,
        "subcommands" => FactQuestion::Lines(Scan::Subcommands),
        "routes" => FactQuestion::Lines(Scan::Routes),
        "ports" => FactQuestion::Lines(Scan::Ports),
        // "What options do I have" is not about a command line.
        "flags" if found[0].to_lowercase().contains(" do i ") => return None,
        "build-options" => FactQuestion::Lines(Scan::BuildOptions),
        "flags" => FactQuestion::Lines(Scan::Flags),
        "environment" => FactQuestion::Lines(Scan::Environment),
        "start" => FactQuestion::Lines(Scan::Start),
        "machine" => FactQuestion::Machine,
        "waiting" => FactQuestion::Waiting,
        "line" => {
            let line = ["line", "other", "third"].iter().find_map(|group| of(group)?.parse().ok())?;
            FactQuestion::Line(file?.to_owned(), line)
        }
        "uses" => FactQuestion::Uses(named(found)?),
        "name-in" => FactQuestion::NameIn(named(found)?, file?.to_owned()),
        "target" => FactQuestion::Target(of("target").or_else(|| of("other"))?),
        "howto" => FactQuestion::HowTo(["what", "other", "third", "fourth"].iter().find_map(|group| of(group))?),
        "name" => match (file, named(found)?) {
            (None, name) => FactQuestion::Name(name),
            // "What does src/a.rs do" names a file, no identifier.
            (Some(_), _) => return None,
        },
        _ => return None,
    })
}

/// The identifier of a question, in whichever of its forms.
fn named(found: &regex::Captures<'_>) -> Option<String> {
    let name = ["name", "name2", "name3"].iter().find_map(|group| found.name(group))?.as_str();
    let is_word = ["the", "this", "it", "a", "an", "what", "that", "these", "code", "file", "there"]
        .contains(&name.to_lowercase().as_str());
    (!is_word).then(|| name.to_owned())
}

/// What a question about authors describes: the words that may be part of a file's name.
fn described(question: &str) -> Option<String> {
    let words = question.split_whitespace().skip(1).filter(|word| {
        let small = [
            "was", "is", "the", "a", "an", "did", "has", "have", "been", "to", "of", "this", "that", "it", "last",
            "first", "by", "file", "who", "when", "code",
        ];
        let verbs = [
            "changed", "change", "wrote", "written", "edited", "touched", "made", "modified", "owns", "own",
            "authored", "created", "added", "updated", "worked", "on",
        ];
        !small.contains(&word.to_lowercase().as_str()) && !verbs.contains(&word.to_lowercase().as_str())
    });
    let words: Vec<&str> = words.collect();
    (!words.is_empty() && words.len() <= 3).then(|| words.join(" "))
}

fn is_person(name: &str) -> bool {
    ![
        "i", "me", "you", "we", "it", "this", "that", "the", "git", "they", "were", "was", "are", "have", "has",
        "recently", "just", "is",
    ]
    .contains(&name.to_lowercase().as_str())
        && name.split_whitespace().count() <= 3
}

fn days(when: Option<String>, number: Option<String>, unit: Option<String>) -> Option<u64> {
    if let Some(when) = when {
        return Some(match when.to_lowercase().as_str() {
            "today" => 1,
            "yesterday" => 2,
            "this week" | "last week" => 7,
            _ => 31,
        });
    }
    let number: u64 = number.map_or(Some(1), |number| number.parse().ok())?;
    Some(match unit?.to_lowercase().trim_end_matches('s') {
        "week" => number * 7,
        "month" => number * 31,
        "hour" => number.div_ceil(24),
        _ => number,
    })
}

impl FactQuestion {
    /// Whether the project's README and manifests have the answer.
    pub fn is_about_project(&self) -> bool {
        matches!(
            self,
            FactQuestion::Project
                | FactQuestion::Install
                | FactQuestion::RunIt(_)
                | FactQuestion::Version
                | FactQuestion::Dependencies
        )
    }

    /// Whether files or git answer it better than a model could.
    pub fn is_certain(&self) -> bool {
        match self {
            FactQuestion::Version
            | FactQuestion::VersionOf(_)
            | FactQuestion::Dependencies
            | FactQuestion::Commits(_)
            | FactQuestion::LastCommit
            | FactQuestion::CommitCount
            | FactQuestion::Committers
            | FactQuestion::Authors(_)
            | FactQuestion::Scripts
            | FactQuestion::Lines(_)
            | FactQuestion::Columns(_)
            | FactQuestion::Machine
            | FactQuestion::Waiting
            | FactQuestion::Files(_)
            | FactQuestion::Repository(_)
            | FactQuestion::Target(_)
            | FactQuestion::RunIt(_) => true,
            FactQuestion::Project
            | FactQuestion::Layout
            | FactQuestion::Directory(_)
            | FactQuestion::Install
            | FactQuestion::AuthorsOf(_)
            | FactQuestion::HowTo(_)
            | FactQuestion::Name(_)
            | FactQuestion::NameIn(..)
            | FactQuestion::Uses(_)
            | FactQuestion::Line(..) => false,
        }
    }
}

/// The answer from the project's files; `None` when they have none.
pub fn of_project(ask: &FactQuestion, project: &Project, language: Language) -> Option<String> {
    let manifests = project.manifests();
    match ask {
        FactQuestion::Project => about(project, &manifests, language),
        FactQuestion::Install => install(project, &manifests, language),
        FactQuestion::Version => version(&manifests, language),
        FactQuestion::Dependencies => dependencies(&manifests, language),
        FactQuestion::Target(name) => target(project, name, language),
        FactQuestion::Scripts => scripts(project, language),
        _ => None,
    }
}

/// `(from README.md)`.
pub fn source(file: &str, language: Language) -> String {
    match language {
        Language::English => format!("(from {})", code(file)),
        Language::Chinese => format!("（来自 {}）", code(file)),
    }
}

fn about(project: &Project, manifests: &[Manifest], language: Language) -> Option<String> {
    let mut text = String::new();
    let named = manifests.iter().find(|manifest| !manifest.name.is_empty());
    if let Some((file, paragraph)) = project.about() {
        text.push_str(&format!("{paragraph}\n\n{}\n", source(file, language)));
    }
    if let Some(Manifest { file, name, version, description, .. }) = named {
        let version = match (version.is_empty(), language) {
            (true, _) => String::new(),
            (false, Language::English) => format!(", version {version}"),
            (false, Language::Chinese) => format!("，版本 {version}"),
        };
        let description =
            if description.is_empty() { String::new() } else { format!("{}{description}", language.pick(": ", "：")) };
        text.push_str(&match language {
            Language::English => format!("\n{} calls it {}{version}{description}.\n", code(file), code(name)),
            Language::Chinese => format!("\n{} 里的名字是 {}{version}{description}。\n", code(file), code(name)),
        });
    }
    (!text.is_empty()).then_some(text)
}

fn install(project: &Project, manifests: &[Manifest], language: Language) -> Option<String> {
    if let Some((file, section)) = project.section(&[
        "install",
        "installation",
        "installing",
        "setup",
        "started",
        "quickstart",
        "build",
        "building",
    ]) {
        return Some(format!("{section}\n\n{}\n", source(file, language)));
    }
    let command = |manifest: &Manifest| match manifest.file.rsplit('/').next()? {
        "package.json" => Some("npm install"),
        "pyproject.toml" => Some("pip install -e ."),
        "requirements.txt" => Some("pip install -r requirements.txt"),
        "Cargo.toml" => Some("cargo build"),
        "go.mod" => Some("go build ./..."),
        "composer.json" => Some("composer install"),
        _ => None,
    };
    let (manifest, command) = manifests.iter().find_map(|manifest| Some((manifest, command(manifest)?)))?;
    let needs = manifest.needs.join(", ");
    Some(match (needs.is_empty(), language) {
        (true, Language::English) => {
            format!("{} is here, so {} installs what it needs.\n", code(&manifest.file), code(command))
        }
        (false, Language::English) => {
            format!(
                "{} is here, so {} installs what it needs. It needs {needs}.\n",
                code(&manifest.file),
                code(command)
            )
        }
        (true, Language::Chinese) => format!("这里有 {}，{} 会安装所需的内容。\n", code(&manifest.file), code(command)),
        (false, Language::Chinese) => {
            format!("这里有 {}，{} 会安装所需的内容。需要 {needs}。\n", code(&manifest.file), code(command))
        }
    })
}

fn version(manifests: &[Manifest], language: Language) -> Option<String> {
    let rows = manifests.iter().filter(|manifest| !manifest.version.is_empty() || !manifest.needs.is_empty());
    let row = |manifest: &Manifest| {
        let Manifest { file, name, version, needs, .. } = manifest;
        let version = match version.is_empty() {
            true => String::new(),
            false => format!(" {} {}", language.pick("version", "版本"), code(version)),
        };
        let needs = match needs.is_empty() {
            true => String::new(),
            false => format!("{}{}", language.pick(", needs ", "，需要 "), needs.join(", ")),
        };
        format!("- {name}{version}{needs} ({})\n", code(file))
    };
    let text: String = rows.map(row).collect();
    (!text.is_empty()).then_some(text)
}

pub fn dependencies(manifests: &[Manifest], language: Language) -> Option<String> {
    let listed = manifests.iter().filter(|manifest| !manifest.dependencies.is_empty());
    let row = |manifest: &Manifest| {
        let all: String = manifest
            .dependencies
            .iter()
            .map(|(name, version)| {
                format!("- {}{}\n", code(name), if version.is_empty() { String::new() } else { format!(" {version}") })
            })
            .collect();
        format!("{}{}\n\n{all}\n", code(&manifest.file), language.pick(" names:", " 列出："))
    };
    let text: String = listed.map(row).collect();
    if text.is_empty() && !manifests.is_empty() {
        let none = language.pick("No file of the project names a dependency.\n", "项目的文件里没有列出依赖。\n");
        return Some(none.to_owned());
    }
    (!text.is_empty()).then_some(text)
}

fn target(project: &Project, name: &str, language: Language) -> Option<String> {
    if let Some((file, lines)) = project.recipe(name) {
        let (needs, target_name) = (project.prerequisites(name), name.to_owned());
        let (name, file) = (code(name), code(file));
        let head = match language {
            Language::English => format!("{name} is a target of {file}. "),
            Language::Chinese => format!("{name} 是 {file} 里的目标。"),
        };
        let body = match lines.is_empty() {
            true => language
                .pick(
                    "It runs nothing by itself: what it depends on is made.\n",
                    "它本身不运行命令，只构建它依赖的目标。\n",
                )
                .to_owned(),
            false => format!("{}\n\n{}", language.pick("It runs:", "它运行："), fenced("sh", &lines.join("\n"))),
        };
        let before: String = needs
            .iter()
            .map(|needed| match project.recipe(needed).map(|(_, lines)| lines.join("; ")) {
                Some(runs) if !runs.is_empty() => format!("- {}: {}\n", code(needed), code(&short(&runs, 120))),
                _ => format!("- {}\n", code(needed)),
            })
            .collect();
        let before = match before.is_empty() {
            true => before,
            false => {
                format!("{}\n\n{before}\n", language.pick("First it makes what it depends on:", "先构建它依赖的目标："))
            }
        };
        let about = project.comment(&target_name).map(|comment| format!("{comment}\n\n")).unwrap_or_default();
        return Some(format!("{head}{about}{before}{body}"));
    }
    let script = fenced("sh", &project.script(name)?);
    Some(match language {
        Language::English => format!("{} is a script of `package.json`. It runs:\n\n{script}", code(name)),
        Language::Chinese => format!("{} 是 `package.json` 里的脚本。它运行：\n\n{script}", code(name)),
    })
}

/// Every target and script, with what it runs.
fn scripts(project: &Project, language: Language) -> Option<String> {
    let mut text = String::new();
    let of_tasks = documented::tasks(project);
    let tasks = of_tasks.iter().map(|(file, rows)| (file.as_str(), rows.clone()));
    for (file, all) in project.all_scripts().into_iter().chain(tasks) {
        let rows: String = all
            .iter()
            .take(MAX_OUTLINE)
            .map(|(name, runs)| match runs.is_empty() {
                true => format!("- {}\n", code(name)),
                false => format!("- {}: {}\n", code(name), code(&short(runs, 100))),
            })
            .collect();
        let more = all.len().saturating_sub(MAX_OUTLINE);
        let more = match (more, language) {
            (0, _) => String::new(),
            (more, Language::English) => format!("- and {more} more\n"),
            (more, Language::Chinese) => format!("- 还有 {more} 个\n"),
        };
        text.push_str(&format!("{}{}\n\n{rows}{more}\n", code(file), language.pick(" has:", " 里有：")));
    }
    if project.files.iter().any(|(path, _)| path.contains("build.gradle")) {
        let wrapper = if project.text("gradlew").is_some() { "./gradlew" } else { "gradle" };
        text.push_str(&match language {
            Language::English => format!(
                "Gradle and its plugins add more: {} lists them all.\n",
                code(&format!("{wrapper} tasks --all"))
            ),
            Language::Chinese => {
                format!("Gradle 和插件还带有别的任务：{} 会全部列出。\n", code(&format!("{wrapper} tasks --all")))
            }
        });
    }
    match text.is_empty() {
        true => Some(
            language
                .pick(
                    "No file of the project names scripts or tasks: a Makefile, a justfile, package.json, a Rakefile or build.gradle would.\n",
                    "项目的文件里没有脚本或任务：Makefile、justfile、package.json、Rakefile 或 build.gradle 里会有。\n",
                )
                .to_owned(),
        ),
        false => Some(text),
    }
}

/// Lines of a definition, and names of an outline, that are shown.
const MAX_BODY: usize = 24;
const MAX_OUTLINE: usize = 40;

/// The outline of a file: what it says about itself, and what it defines.
pub fn outline(path: &str, text: &str, language: Language) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let name = code(path);
    let mut told = match (lines.len(), language) {
        (1, Language::English) => format!("{name} has 1 line."),
        (many, Language::English) => format!("{name} has {many} lines."),
        (many, Language::Chinese) => format!("{name} 有 {many} 行。"),
    };
    if let (Some(about), Language::English) = (explain::about_path(path), language) {
        told = format!("{name} is {about}. {}", told.replacen(&name, "It", 1));
    }
    if let Some(about) = head(&lines) {
        told.push_str(&format!("{}{about}", language.pick(" It begins: ", "开头写着：")));
    }
    told.push_str("\n\n");
    let is_data = matches!(
        path.rsplit_once('.').map_or("", |(_, ending)| ending),
        "json" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "md" | "txt"
    );
    let found: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| if is_data { is_key(line) } else { definitions::is_definition(line) })
        .map(|(at, _)| at)
        .collect();
    if found.is_empty() {
        told.push_str(&fenced("", &lines.iter().take(MAX_BODY).copied().collect::<Vec<_>>().join("\n")));
        return told;
    }
    // A short file is shown rather than described.
    if !is_data && found.len() <= MAX_SHOWN && lines.len() <= MAX_BODY * 2 {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let shown: Vec<String> = found.iter().map(|at| definition(text, at + 1)).collect();
        let mut whole: Vec<&String> = Vec::new();
        for body in &shown {
            let inner = |other: &&String| {
                other.len() > body.len()
                    && other.contains(body.lines().last().unwrap_or_default())
                    && other.contains(body.trim())
            };
            if !shown.iter().any(|other| inner(&other)) {
                whole.push(body);
            }
        }
        let body = whole.iter().map(|body| body.as_str()).collect::<Vec<_>>().join("\n\n");
        told.push_str(&fenced(ending, &body));
        return told;
    }
    let row = |at: &usize| {
        let line = lines.get(*at).copied().unwrap_or_default();
        let doc = if is_data { None } else { doc(&lines, *at) };
        let doc = doc.map(|doc| format!("{}{}", language.pick(": ", "："), short(&doc, MAX_DOC))).unwrap_or_default();
        format!("- {}: {}{doc}\n", at + 1, code(&short(line.trim().trim_end_matches(['{', ':', ' ']), 100)))
    };
    let more = found.len().saturating_sub(MAX_OUTLINE);
    found.iter().take(MAX_OUTLINE).for_each(|at| told.push_str(&row(at)));
    match (more, language) {
        (0, _) => {}
        (more, Language::English) => told.push_str(&format!("- and {more} more\n")),
        (more, Language::Chinese) => told.push_str(&format!("- 还有 {more} 个\n")),
    }
    told
}

/// Definitions of a short file, which is shown whole, and characters of a doc comment.
const MAX_SHOWN: usize = 3;
const MAX_DOC: usize = 120;

/// The doc comment of the definition at a line (from 0): above it, or in Python below it.
fn doc(lines: &[&str], at: usize) -> Option<String> {
    let above: Vec<&str> = lines
        .get(..at)?
        .iter()
        .rev()
        .map(|line| line.trim())
        .skip_while(|line| line.starts_with("#[") || line.starts_with('@'))
        .take_while(|line| {
            ["//", "#", "*", "/*", "--", ";;"].iter().any(|sign| line.starts_with(sign)) && !line.starts_with("#[")
        })
        .collect();
    let clean = |line: &str| {
        line.trim_start_matches(['/', '#', '*', '!', '-', ';', ' ']).trim_end_matches(['/', '*', ' ']).trim().to_owned()
    };
    let comment: Vec<String> = above.into_iter().rev().map(clean).filter(|line| !line.is_empty()).collect();
    let comment = comment.join(" ");
    if !comment.is_empty() {
        return Some(first_sentence(&comment));
    }
    let below = lines.get(at + 1..)?.iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
    let text = below.strip_prefix("\"\"\"").or_else(|| below.strip_prefix("'''"))?;
    let text = text.trim_end_matches(['"', '\'']).trim();
    (!text.is_empty()).then(|| first_sentence(text))
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text.get(..end).unwrap_or(text).to_owned()
}

/// A line of a file with its neighbours, and the definition that it is in.
pub fn around(path: &str, text: &str, line: usize, language: Language) -> Option<String> {
    const NEAR: usize = 3;
    let lines: Vec<&str> = text.lines().collect();
    let at = line.checked_sub(1)?;
    lines.get(at)?;
    let start = at.saturating_sub(NEAR);
    let rows: Vec<String> = (start..(at + NEAR + 1).min(lines.len()))
        .map(|number| {
            let mark = if number == at { ">" } else { " " };
            format!("{mark} {:>4}  {}", number + 1, lines.get(number).copied().unwrap_or_default())
        })
        .collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = lines.get(at).map_or(0, |line| indent(line));
    let within = (0..=at).rev().find(|number| {
        lines.get(*number).is_some_and(|line| {
            definitions::is_definition(line)
                && definitions::defined(line).is_some()
                && (*number == at || indent(line) < own)
        })
    });
    // A block that ends in between has ended what it defines.
    let is_open = |number: &usize| {
        let closes = |line: &&str| {
            line.trim_start().starts_with('}') && indent(line) <= lines.get(*number).map_or(0, |line| indent(line))
        };
        !lines.get(number + 1..at).unwrap_or_default().iter().any(closes)
    };
    let within = within.filter(is_open).and_then(|number| Some((number, definitions::defined(lines.get(number)?)?)));
    let within = match (within, language) {
        (Some((number, name)), Language::English) => format!(", in {} (line {})", code(name), number + 1),
        (Some((number, name)), Language::Chinese) => format!("，在 {} 里（第 {} 行）", code(name), number + 1),
        (None, _) => String::new(),
    };
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let place = code(&format!("{path}:{line}"));
    Some(format!("{place}{within}{}\n\n{}", language.pick(":", "："), fenced(ending, &rows.join("\n"))))
}

/// The first sentence of a file's header comment.
pub(in crate::run) fn head(lines: &[&str]) -> Option<String> {
    let first = lines.iter().map(|line| line.trim()).find(|line| !line.is_empty() && !line.starts_with("#!"))?;
    let comment = ["//!", "///", "//", "/**", "/*", "\"\"\"", "'''", "#", "--", ";"]
        .iter()
        .find_map(|sign| first.strip_prefix(sign))?;
    let comment = comment.trim_matches(['*', '/', '"', '\'', '#', ' ']);
    (comment.split_whitespace().count() >= 2).then(|| format!("{}.", short(comment.trim_end_matches('.'), 200)))
}

fn is_key(line: &str) -> bool {
    let plain = line.trim_start_matches("  ");
    let depth = (line.len() - plain.len()) / 2;
    depth <= 1 && (plain.starts_with('[') || plain.starts_with('#') || plain.contains([':', '=']))
}

/// The definition at a line (from 1), with the comments above it and its body.
pub fn definition(text: &str, line: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = line.saturating_sub(1);
    // `} ring_t;` ends what begins above it.
    let ends = lines.get(at).is_some_and(|line| line.starts_with('}'));
    let above = lines.get(..at).unwrap_or_default();
    let start = above.iter().rposition(|line| line.trim_end().ends_with('{') && !line.starts_with([' ', '\t']));
    let at = start.filter(|_| ends).unwrap_or(at);
    let belongs = |line: &&str| {
        let line = line.trim_start();
        ["//", "#", "*", "/*", "@", "--"].iter().any(|sign| line.starts_with(sign))
            && !["#define", "#include", "#if", "#endif", "#undef", "#pragma"].iter().any(|sign| line.starts_with(sign))
    };
    let above = lines.get(..at).unwrap_or_default().iter().rev().take_while(|line| belongs(line)).count();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = lines.get(at).map_or(0, |line| indent(line));
    let mut body = 0;
    for line in lines.get(at + 1..).unwrap_or_default() {
        let is_blank = line.trim().is_empty();
        let closes = line.trim_start().starts_with(['}', ')', ']']);
        let opens = line.trim_start().starts_with('{') || line.trim_end().ends_with(['{', '(', '[', ':']);
        if !is_blank && (indent(line) < own || indent(line) == own && !closes && !line.trim_start().starts_with('{')) {
            break;
        }
        body += 1;
        // The bracket that closes the definition is its end, unless it only closes the arguments.
        if closes && indent(line) == own && !opens {
            break;
        }
    }
    let body = body.min(MAX_BODY);
    let shown = lines.get(at - above..(at + 1 + body).min(lines.len())).unwrap_or_default();
    let cut: Vec<&str> = shown.iter().map(|line| line.get(own.min(indent(line))..).unwrap_or(line)).collect();
    cut.join("\n").trim_end().to_owned()
}
