//! Decides what a project can run, and which of it "the tests", "the build", "the dev server" means. Shared by translation and tasks.

pub mod goal;
pub mod targets;
pub mod toml_lists;

use crate::project::goal::RequestedGoal;
use crate::project::targets::{ProjectTarget, TargetOrigin};
use crate::world::{Fact, World};

/// The files that commands need in their directory; completion reads the list too.
const NEEDS: &str = include_str!("../data/project/needs.txt");
/// Parent directories that are searched.
const MAX_ABOVE: usize = 12;

/// How well an offer matches the request; lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetFit {
    /// Words of the request that are not in its name.
    pub missing: usize,
    /// Words of the request that say no more than the goal, and are not in its name.
    vague: usize,
    /// Words of its name that are not in the request.
    pub extra: usize,
    /// Targets rank before a tool's usual command.
    origin: u8,
    /// Index of its name among those of the goal.
    name: usize,
}

fn fit(wanted: &RequestedGoal<'_>, offer: &ProjectTarget) -> Option<TargetFit> {
    let parts = goal::parts(&offer.name);
    let origin = match offer.origin {
        TargetOrigin::File => 0,
        TargetOrigin::Target => 1,
        TargetOrigin::Script => 2,
        TargetOrigin::Usual(_) => 3,
    };
    // "Stop the server" does not mean the target that starts it.
    if let Some(verb) = &wanted.verb {
        let named = |word: &&String| parts.contains(word) || goal::GOALS.iter().any(|goal| goal.words.contains(word));
        let fits = parts.contains(verb) && wanted.all.iter().all(|word| named(&word));
        let extra = parts.iter().filter(|part| !wanted.all.contains(part)).count();
        return fits.then_some(TargetFit { missing: 0, vague: 0, extra, origin: 1, name: 0 });
    }
    // "The docker image" is what `docker build` makes.
    let program = match offer.origin {
        TargetOrigin::Usual(_) => offer.cmd.split(' ').next().unwrap_or_default(),
        _ => "",
    };
    let rest = |word: &&String| !parts.contains(word) && word.as_str() != program;
    let also = |word: &&String| wanted.goal.is_some_and(|goal| goal.also.contains(word));
    let missing = wanted.rest.iter().filter(rest).filter(|word| !also(word)).count();
    let vague = wanted.rest.iter().filter(rest).filter(also).count();
    if let TargetOrigin::File = offer.origin {
        return Some(TargetFit { missing: 0, vague: 0, extra: 0, origin, name: 0 });
    }
    if let Some(goal) = wanted.goal {
        let usual = matches!(offer.origin, TargetOrigin::Usual(of) if of == goal.name);
        let part = |target: &String| parts.contains(target) || offer.name.eq_ignore_ascii_case(target);
        let name = if usual { Some(0) } else { goal.targets.iter().position(part) };
        if let Some(name) = name {
            let said =
                |part: &&String| wanted.rest.contains(part) || goal.targets.contains(part) || goal.words.contains(part);
            let extra = if usual { 0 } else { parts.iter().filter(|part| !said(part)).count() };
            // "The integration tests" may be all tests; a deployment to another place is never meant.
            if missing > 0 && !goal.plain {
                return None;
            }
            return Some(TargetFit { missing, vague, extra, origin, name });
        }
    }
    // An unusual name: it must contain all words of the request.
    let said: Vec<&String> = wanted.all.iter().filter(|word| parts.contains(word)).collect();
    let whole = !said.is_empty() && wanted.all.iter().all(|word| parts.contains(word) || goal::is_filler(word));
    let extra = parts.len().saturating_sub(said.len());
    (whole && !matches!(offer.origin, TargetOrigin::Usual(_))).then_some(TargetFit {
        missing: 0,
        vague: 0,
        extra,
        origin,
        name: 0,
    })
}

/// The offers that match the request, the best first. Ties keep their order: the nearer and more specific first.
pub fn matching_targets<'a>(
    wanted: &RequestedGoal<'_>,
    offers: &'a [ProjectTarget],
) -> Vec<(TargetFit, &'a ProjectTarget)> {
    let mut fitting: Vec<(TargetFit, &ProjectTarget)> =
        offers.iter().filter_map(|offer| Some((fit(wanted, offer)?, offer))).collect();
    fitting.sort_by_key(|(fit, _)| *fit);
    fitting
}

/// Verbs that ask for something a project names; those of the goals themselves are added.
const VERBS: [&str; 12] =
    ["run", "rerun", "execute", "launch", "start", "build", "check", "do", "运行", "执行", "启动", "跑"];
/// Words for the whole project: `build the app` builds it and starts nothing.
const WHOLE: [&str; 13] = [
    "project",
    "app",
    "application",
    "program",
    "package",
    "crate",
    "workspace",
    "repo",
    "site",
    "website",
    "项目",
    "应用",
    "程序",
];
/// Words that other rules handle better: a named tool, files, or vague words.
const OTHERS: [&str; 20] = [
    "file",
    "files",
    "script",
    "scripts",
    "target",
    "task",
    "job",
    "step",
    "npm",
    "yarn",
    "pnpm",
    "bun",
    "make",
    "just",
    "cargo",
    "this",
    "that",
    "it",
    "up",
    "everything",
];

/// The project goal of a request that asks for nothing else: `run the tests`, `build the project`, `format the code`.
pub fn requested_goal(words: &str) -> Option<RequestedGoal<'static>> {
    let said = words.trim().trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    let said = ["please ", "now ", "请"].iter().find_map(|polite| said.strip_prefix(polite)).unwrap_or(&said);
    if said.split_whitespace().any(|word| OTHERS.contains(&word)) {
        return None;
    }
    let begins = |verb: &str| match verb.is_ascii() {
        true => said.split(' ').next() == Some(verb) && said.contains(' '),
        false => said.starts_with(verb),
    };
    let does = goal::GOALS.iter().find(|goal| goal.name != "start" && goal.words.iter().any(|word| begins(word)));
    let named = match does {
        Some(_) => WHOLE.iter().fold(format!("{said} "), |said, whole| match whole.is_ascii() {
            true => said.replace(&format!(" {whole} "), " "),
            false => said.replace(whole, ""),
        }),
        None => said.to_owned(),
    };
    let wanted = RequestedGoal::of(&named);
    let goal = wanted.goal.filter(|_| wanted.rest.is_empty())?;
    let mut verbs = VERBS.into_iter().chain(goal.words.iter().map(String::as_str));
    verbs.any(begins).then_some(wanted)
}

/// Whether a command needs a project file that is missing: `cargo run` without a Cargo.toml. Unknown directories count as having it.
pub fn lacks_files(words: &[&str], cwd: &str, world: &dyn World) -> bool {
    let [name, rest @ ..] = words else { return false };
    let rows = NEEDS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split('|').map(str::trim);
        Some((fields.next()?, fields.next()?, fields.next()?, fields.next()?))
    });
    let sub = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let applies = |(program, subs, what, lifted): &(&str, &str, &str, &str)| {
        let is_lifted = lifted.split(' ').any(|flag| !flag.is_empty() && rest.contains(&flag));
        let is_meant = match subs.strip_prefix("! ") {
            Some(others) => !sub.is_empty() && !others.split(' ').any(|other| other == sub),
            None => *subs == "*" || subs.split(' ').any(|wanted| wanted == sub),
        };
        program == name && is_meant && !is_lifted && !what.contains(':') && *what != "repository"
    };
    rows.filter(applies).any(|(_, _, files, _)| !has_one(files, cwd, world))
}

/// Whether an output mentions a file that the program needs, such as a missing manifest.
pub fn names_files(output: Option<&str>, program: &str) -> bool {
    let rows = NEEDS.lines().filter_map(|line| {
        let mut fields = line.split('|').map(str::trim);
        (fields.next()? == program).then(|| fields.nth(1)).flatten()
    });
    let files = rows.flat_map(|files| files.split(' ')).filter(|file| !file.starts_with('!'));
    let mut files = files.map(|file| file.trim_start_matches(['^', '*']));
    output.is_none_or(|output| files.any(|file| !file.is_empty() && output.contains(file)))
}

fn has_one(files: &str, cwd: &str, world: &dyn World) -> bool {
    let mut directory = cwd;
    for depth in 0..MAX_ABOVE {
        let Fact::Yes(entries) = world.entries(directory) else { return true };
        let wanted = |file: &str| match file.strip_prefix('^') {
            Some(file) => Some(file.to_owned()),
            None => (depth == 0 && !file.starts_with('!')).then(|| file.to_owned()),
        };
        let fits = |file: String| {
            entries.iter().any(|entry| match file.strip_prefix('*') {
                Some(ending) => entry.name.ends_with(ending),
                None => *entry.name == *file,
            })
        };
        if files.split(' ').filter_map(wanted).any(fits) {
            return true;
        }
        // A nearer file shows that the directory is for another tool.
        let others = |file: &str| file.strip_prefix('!').map(str::to_owned);
        if files.split(' ').filter_map(others).any(fits) {
            return false;
        }
        match directory.rsplit_once('/') {
            Some((above, _)) if !above.is_empty() => directory = above,
            _ => return false,
        }
    }
    false
}
