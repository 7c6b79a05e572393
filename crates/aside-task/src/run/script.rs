//! Decides which command of a project "the tests", "the build" or "the deploy script" means: its own targets first, then scripts in the
//! project, then its tool's usual command. Lists the candidates where several fit equally well, instead of guessing.

mod arguments;
pub mod call;
pub mod cmake;
pub mod loose_test;
pub mod member_goal;
mod members;
pub mod part;
mod programs;
mod spelled_out;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use aside_commands::project::goal::{self, RequestedGoal};
use aside_commands::project::targets::{self, ProjectTarget, TargetOrigin, TargetReason};
use aside_commands::project::{TargetFit, matching_targets};
use aside_commands::world::{Fact, World};
use aside_core::agent::language::{Bilingual, Language};

use crate::proposal::{Proposal, WriteConfinement};
use crate::route::intent::{IntentParams, UnparsedCommand};
use crate::route::literal_command::{self, Literal};
use crate::run::diagnose::own::NodeManager;
use crate::run::documented;
use crate::run::project::Project;
use crate::run::{ModelNeed, RunnerOutcome, code};
use arguments::{Argument, Arguments};

/// Programs that run tests.
const RUNNERS: [&str; 8] = ["pytest", "vitest", "jest", "mocha", "rspec", "phpunit", "go test", "cargo test"];
/// Rows of a list of candidates.
const MAX_LISTED: usize = 20;

/// The user's location and settings.
#[derive(Clone, Copy)]
pub struct ScriptContext<'a> {
    pub cwd: &'a str,
    pub world: &'a dyn World,
    /// `defaultTestCommand`; empty when it is not set.
    pub test_command: &'a str,
    /// The language of the request.
    pub language: Language,
    /// What the project's own files say.
    pub project: &'a Project,
    /// The path of the package, module or file whose tests the request asks for, if the project has it.
    pub part: Option<&'a str>,
}

/// `Fact::NotYet` while the project's files are still being read: the caller asks again.
pub fn command(params: &IntentParams, place: &ScriptContext<'_>) -> Fact<RunnerOutcome> {
    if let Some(cmd) = &params.cmd {
        return spelled_line(cmd, params, place);
    }
    let words = params.query.as_deref().unwrap_or_default();
    let unclear = match params.written.as_deref() {
        Some(UnparsedCommand::Piped) => return Fact::Yes(piped(place.language)),
        Some(UnparsedCommand::Unclear(text)) => Some(text.as_str()),
        Some(UnparsedCommand::Rest(_)) | None => Some(words).filter(|words| literal_command::restricts(words)),
    };
    if let Some(outcome) = spelled_out::with_variables(unclear.unwrap_or(words), place) {
        return Fact::Yes(outcome);
    }
    // "The tests of the parser only" restricts nothing more than its part.
    let of_part = unclear.filter(|text| place.part.is_some() && part::named(text).is_some()).map(|text| {
        let text = text.trim().trim_end_matches(['.', '!', '?']);
        let text = text.trim_end_matches(" please").trim_end_matches(" only").trim_end_matches(" alone");
        let bare = ["just ", "only "].iter().find_map(|first| text.strip_prefix(first));
        bare.filter(|bare| bare.starts_with("the ")).unwrap_or(text)
    });
    let of_part = of_part.filter(|text| !literal_command::restricts(text));
    let unclear = unclear.filter(|_| of_part.is_none());
    let said = of_part.or(unclear).map_or(words, |text| literal_command::rest(text).unwrap_or(text));
    let (arguments, files) = match arguments(said, &params.files, place) {
        Fact::Yes(found) => found,
        Fact::No | Fact::NotYet => return Fact::NotYet,
    };
    match missing_file(&files, place) {
        Fact::Yes(file) => return Fact::Yes(no_file(&file, place.language)),
        Fact::No => {}
        Fact::NotYet => return Fact::NotYet,
    }
    // "Test core only", "build just the web app": a member is named, and nothing is left out.
    if unclear.is_some() {
        let offers = match targets::project_targets(place.cwd, place.world, &[]) {
            Fact::Yes(offers) => offers,
            Fact::No => Vec::new(),
            Fact::NotYet => return Fact::NotYet,
        };
        let (offers, ..) = installed(offers.into_iter().chain(members::scripts(place)).collect(), place);
        if let Some(offer) = members::meant(words, &offers) {
            let reason = reason(&offer.why).of(place.language).to_owned();
            return Fact::Yes(proposed(offer.cmd.clone(), &offer.directory, place, reason));
        }
    }
    if let Some(text) = unclear.filter(|_| literal_command::restricts(&arguments.rest) || arguments.rest == said) {
        return Fact::Yes(not_understood(text, place.language));
    }
    // "Build and run it" is two goals as well, though the second is the verb of any request.
    let pair = ["build and run", "build and then run", "build it and run it", "compile and run", "build and start"];
    if pair.contains(&said.trim_end_matches(" it").trim()) {
        return one_after_the_other(&["build", "start"], said, place);
    }
    // "The build and then the tests" is two goals: running only one of them would be wrong.
    let parts = goal::several(&arguments.rest);
    if !parts.is_empty() {
        return if arguments.all.is_empty() && files.is_empty() {
            one_after_the_other(&parts, said, place)
        } else {
            Fact::Yes(not_understood(said, place.language))
        };
    }
    // "A clean build" is two commands, where the project can clean.
    if RequestedGoal::of(&arguments.rest).is_clean_build() && arguments.all.is_empty() && files.is_empty() {
        return one_after_the_other(&["clean", "build"], said, place);
    }
    // "Pytest without the slow tests" names the runner, which has to be the one of the project.
    let runner = Some(arguments.rest.as_str()).filter(|rest| RUNNERS.contains(rest) && !arguments.all.is_empty());
    let runner = runner.map(str::to_owned);
    let wanted = match (arguments.rest.is_empty(), &runner) {
        (true, _) => RequestedGoal::of(arguments.goal()),
        (false, Some(_)) => RequestedGoal::of("tests"),
        (false, None) => RequestedGoal::of(&arguments.rest),
    };
    if arguments.all.is_empty()
        && wanted.goal.is_some_and(|goal| goal.name == "test")
        && wanted.rest.is_empty()
        && files.is_empty()
        && !place.test_command.trim().is_empty()
    {
        let reason = place.language.pick("The settings say that this runs the tests.", "设置里写明用它运行测试。");
        return Fact::Yes(proposed(place.test_command.trim().to_owned(), place.cwd, place, reason.to_owned()));
    }
    let offers = match targets::project_targets(place.cwd, place.world, &files) {
        Fact::Yes(offers) => offers,
        Fact::No => Vec::new(),
        Fact::NotYet => return Fact::NotYet,
    };
    let named = place.project.manifests().into_iter().filter(|manifest| manifest.file.ends_with("package.json"));
    let packages: Vec<String> = named.flat_map(|manifest| manifest.dependencies).map(|(name, _)| name).collect();
    let offers: Vec<ProjectTarget> =
        offers.into_iter().chain(targets::of_packages(&packages, place.cwd)).chain(members::scripts(place)).collect();
    let mut offers = as_configured(offers, place.project);
    // "Lint a.py" is not to run it.
    if wanted
        .goal
        .is_some_and(|goal| !["test", "start", "bench", "deploy", "release", "migrate"].contains(&goal.name.as_str()))
    {
        offers.retain(|offer| offer.origin != TargetOrigin::File);
    }
    if let Some(runner) = &runner {
        offers.retain(|offer| offer.cmd.contains(runner.as_str()) || offer.about.contains(runner.as_str()));
    }
    let (offers, missing, lacking) = installed(offers, place);
    let asked = Request { params, wanted: &wanted, arguments: &arguments.all, missing: &missing, lacking: &lacking };
    Fact::Yes(chosen(&asked, &offers, place))
}

/// A command line that the request spells out.
fn spelled_line(cmd: &str, params: &IntentParams, place: &ScriptContext<'_>) -> Fact<RunnerOutcome> {
    if spelled_out::is_runner_with_words(cmd) {
        return command(&IntentParams { query: Some(cmd.to_owned()), cmd: None, ..params.clone() }, place);
    }
    match spelled_out::of_cmake(cmd, place) {
        Fact::No => {}
        found => return found,
    }
    // "Run just X" means the program only where it has recipes.
    match cmd.strip_prefix("just ").map(|rest| (rest, has_recipes(place))) {
        Some((_, Fact::NotYet)) => Fact::NotYet,
        Some((rest, Fact::No)) => {
            let query = Some(format!("just {rest}"));
            command(&IntentParams { query, cmd: None, ..params.clone() }, place)
        }
        Some((_, Fact::Yes(()))) | None => Fact::Yes(written(cmd.to_owned(), place)),
    }
}

/// The offers in the terms of what the project configures: its package manager, and its runner of tests.
fn as_configured(mut offers: Vec<ProjectTarget>, project: &Project) -> Vec<ProjectTarget> {
    let named = project.text("package.json").and_then(NodeManager::named);
    let locked = [NodeManager::Pnpm, NodeManager::Yarn, NodeManager::Bun]
        .into_iter()
        .find(|manager| offers.iter().any(|offer| offer.cmd.split(' ').next() == Some(manager.program())));
    if let Some(manager) = named.or(locked) {
        offers.iter_mut().for_each(|offer| offer.cmd = manager.spelled(&offer.cmd, false));
    }
    // A project that configures pytest has tests that Django's runner does not find.
    let says = |name: &str, text: &str| project.text(name).is_some_and(|file| file.contains(text));
    let in_ci = |command: &str| {
        let ci = project.files.iter().filter(|(path, _)| path.starts_with(".github/workflows/"));
        ci.flat_map(|(_, text)| text.lines())
            .any(|line| line.trim_start_matches([' ', '-']).trim_start_matches("run:").trim().starts_with(command))
    };
    let documented = documented::commands(project);
    let written = |command: &str| {
        documented.iter().any(|known| known.cmd == command || known.cmd.starts_with(&format!("{command} ")))
    };
    let by_pytest = says("pyproject.toml", "[tool.pytest")
        || says("setup.cfg", "[tool:pytest]")
        || in_ci("pytest")
        || written("pytest")
        || written("python -m pytest");
    if by_pytest && !written("python manage.py test") && !in_ci("python manage.py test") {
        offers.retain(|offer| !offer.cmd.ends_with("manage.py test"));
    }
    offers
}

/// The commands of several goals, joined so that the next runs where the one before succeeded. None is left out.
fn one_after_the_other(parts: &[&str], said: &str, place: &ScriptContext<'_>) -> Fact<RunnerOutcome> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for part in parts {
        let outcome = match command(&IntentParams { query: Some((*part).to_owned()), ..IntentParams::default() }, place)
        {
            Fact::Yes(outcome) => outcome,
            other => return other,
        };
        match outcome.proposal {
            Proposal::Command { cmd, cwd, .. } => commands.push((cmd, cwd.unwrap_or_default())),
            _ => return Fact::Yes(not_understood(said, place.language)),
        }
    }
    let Some((_, directory)) = commands.first().cloned() else {
        return Fact::Yes(not_understood(said, place.language));
    };
    if commands.iter().any(|(_, other)| *other != directory) {
        return Fact::Yes(not_understood(said, place.language));
    }
    let line = commands.into_iter().map(|(cmd, _)| cmd).collect::<Vec<_>>().join(" && ");
    let reason = place.language.pick(
        "One after the other, in the order of the request; one that fails ends it.",
        "按请求里的顺序依次运行；有一个失败就停止。",
    );
    Fact::Yes(proposed(line, &directory, place, reason.to_owned()))
}

/// Whether a justfile of the project has recipes.
fn has_recipes(place: &ScriptContext<'_>) -> Fact<()> {
    match targets::project_targets(place.cwd, place.world, &[]) {
        Fact::NotYet => Fact::NotYet,
        Fact::Yes(offers) if offers.iter().any(|offer| matches!(offer.why, TargetReason::Recipe(_))) => Fact::Yes(()),
        Fact::Yes(_) | Fact::No => Fact::No,
    }
}

/// Whether a file of this path exists.
fn is_there(file: &str, place: &ScriptContext<'_>) -> Fact<()> {
    let path = if file.starts_with('/') {
        file.to_owned()
    } else {
        format!("{}/{}", place.cwd.trim_end_matches('/'), file.trim_start_matches("./").trim_end_matches('/'))
    };
    let Some((directory, name)) = path.rsplit_once('/') else { return Fact::No };
    match place.world.entries(if directory.is_empty() { "/" } else { directory }) {
        Fact::Yes(entries) if entries.iter().any(|entry| &*entry.name == name) => Fact::Yes(()),
        Fact::Yes(_) | Fact::No => Fact::No,
        Fact::NotYet => Fact::NotYet,
    }
}

/// A named file that does not exist. Names such as `node.js` look like files and are none.
fn missing_file(files: &[String], place: &ScriptContext<'_>) -> Fact<String> {
    for file in files {
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_path = file.contains('/') || ["py", "rs", "ts", "rb", "sh", "txt", "toml", "json"].contains(&ending);
        match is_there(file, place) {
            Fact::No if is_path && !file.contains("..") && !file.contains('*') => return Fact::Yes(file.clone()),
            Fact::NotYet => return Fact::NotYet,
            Fact::No | Fact::Yes(()) => {}
        }
    }
    Fact::No
}

fn no_file(file: &str, language: Language) -> RunnerOutcome {
    let file = code(file);
    let text = match language {
        Language::English => format!("There is no {file} here, so nothing is proposed."),
        Language::Chinese => format!("这里没有 {file}，所以没有提出命令。"),
    };
    RunnerOutcome::answer(format!("{text}\n"), text, ModelNeed::Unneeded)
}

/// All parts of the request.
struct Request<'a> {
    params: &'a IntentParams,
    wanted: &'a RequestedGoal<'a>,
    arguments: &'a [Argument],
    /// Required programs that are not installed.
    missing: &'a [(TargetOrigin, String)],
    /// What they would run.
    lacking: &'a [ProjectTarget],
}

/// What is said beside the goal, and the files that are still to be looked for. A named file is the only test, without further words;
/// after "on" or "with" it is the input of the program.
fn arguments(said: &str, files: &[String], place: &ScriptContext<'_>) -> Fact<(Arguments, Vec<String>)> {
    let Some(file) = files.first() else { return Fact::Yes((Arguments::of(said), Vec::new())) };
    let names = |word: &&str| file == word || file.strip_suffix(*word).is_some_and(|before| before.ends_with('/'));
    let word = said.split_whitespace().map(|word| word.trim_matches(['`', '"', ',', '.'])).find(names);
    let Some(word) = word else { return Fact::Yes((Arguments::of(said), files.to_vec())) };
    let without = said.replacen(word, " ", 1);
    let is_filler = |word: &str| {
        ["only", "just", "alone", "by", "itself", "the", "tests", "test", "file", "in", "of", "from"].contains(&word)
    };
    if without.split_whitespace().all(is_filler) {
        return Fact::Yes((Arguments { all: Vec::new(), rest: file.clone() }, files.to_vec()));
    }
    let before = said.split(word).next().unwrap_or_default().trim_end_matches(['`', '"']).trim_end();
    let links = ["on", "with", "over", "against", "using", "for", "file", "input", "argument", "as", "the"];
    let mut head: Vec<&str> = before.split_whitespace().collect();
    let all = head.len();
    while head.last().is_some_and(|last| links.contains(last)) {
        head.pop();
    }
    let plain = file.chars().all(|letter| letter.is_alphanumeric() || "./_-+@:".contains(letter));
    let rest = format!("{} {}", head.join(" "), said.split(word).nth(1).unwrap_or_default());
    let starts = RequestedGoal::of(&Arguments::of(&rest).rest).goal.is_none_or(|goal| goal.name == "start");
    if head.len() == all || files.len() > 1 || !plain || !starts || file.starts_with('-') {
        return Fact::Yes((Arguments::of(said), files.to_vec()));
    }
    match is_there(file, place) {
        Fact::Yes(()) => {
            let mut arguments = Arguments::of(rest.trim_matches(['`', '"', ' ']));
            arguments.all.push(Argument::Input(file.clone()));
            Fact::Yes((arguments, Vec::new()))
        }
        Fact::No => Fact::Yes((Arguments::of(said), files.to_vec())),
        Fact::NotYet => Fact::NotYet,
    }
}

/// Removes offers whose programs are not installed, and returns those programs and offers. While the list of programs is unknown, keeps all.
fn installed(
    offers: Vec<ProjectTarget>,
    place: &ScriptContext<'_>,
) -> (Vec<ProjectTarget>, Vec<(TargetOrigin, String)>, Vec<ProjectTarget>) {
    let Fact::Yes(programs) = place.world.programs() else { return (offers, Vec::new(), Vec::new()) };
    let has = |name: &str| programs.iter().any(|known| &**known == name);
    let (mut missing, mut lacking) = (Vec::new(), Vec::new());
    let mut here = Vec::new();
    for mut offer in offers {
        let program = offer.cmd.split(' ').next().unwrap_or_default().to_owned();
        // A Python module may be installed without a program of its name.
        let by_module = ["pytest", "mypy", "ruff", "tox", "nox"].contains(&program.as_str())
            && matches!(offer.origin, TargetOrigin::Usual(_) | TargetOrigin::File);
        match () {
            // A program of the project is there or not, whatever is installed.
            () if program.contains('/')
                && matches!(offer.origin, TargetOrigin::Usual(_))
                && offer.directory == place.cwd =>
            {
                match is_there(&program, place) {
                    Fact::No => missing.push((offer.origin, program)),
                    Fact::Yes(()) | Fact::NotYet => here.push(offer),
                }
            }
            () if program.contains('/') || has(&program) => here.push(offer),
            () if by_module && has("python3") => {
                offer.cmd = format!("python3 -m {}", offer.cmd);
                here.push(offer);
            }
            () if program == "python" && has("python3") => {
                offer.cmd = offer.cmd.replacen("python", "python3", 1);
                here.push(offer);
            }
            // A container is another way to the same: that docker is missing matters only where it is named.
            () if program == "docker" && here.iter().any(|other: &ProjectTarget| other.origin == offer.origin) => {
                missing.push((TargetOrigin::Script, program));
            }
            () => {
                missing.push((offer.origin, program));
                lacking.push(offer);
            }
        }
    }
    (here, missing, lacking)
}

fn chosen(asked: &Request<'_>, offers: &[ProjectTarget], place: &ScriptContext<'_>) -> RunnerOutcome {
    let Request { params, wanted, arguments, missing, lacking } = *asked;
    let words = params.query.as_deref().unwrap_or_default();
    if let Some((program, offer)) = bare(words, offers) {
        let reason = match place.language {
            Language::English => format!("{} was named, and no target: it runs the first.", code(program)),
            Language::Chinese => format!("只提到了 {}，没有说目标：它会运行第一个。", code(program)),
        };
        return proposed(program.to_owned(), &offer.directory, place, reason);
    }
    if let Some(offer) = members::meant(words, offers).filter(|_| arguments.is_empty()) {
        return proposed(offer.cmd.clone(), &offer.directory, place, reason(&offer.why).of(place.language).to_owned());
    }
    let fitting = matching_targets(wanted, offers);
    if fitting.first().is_none_or(|(fit, _)| fit.missing > 0 || fit.extra > 0)
        && let Some(outcome) = own_program(asked, offers, place)
    {
        return outcome;
    }
    // The project's own command for it needs a program that is not installed.
    let of_project = |offer: &ProjectTarget| matches!(offer.origin, TargetOrigin::Target | TargetOrigin::Script);
    if fitting.first().is_none_or(|(fit, offer)| fit.missing > 0 || !of_project(offer))
        && let Some((_, offer)) =
            matching_targets(wanted, lacking).into_iter().find(|(fit, offer)| fit.missing == 0 && of_project(offer))
    {
        return not_installed(offer, arguments, place);
    }
    let Some((best, first)) = fitting.first() else {
        let typed = typed(wanted, params, place).or_else(|| spelled(params, place));
        return typed.unwrap_or_else(|| nothing(asked, offers, place));
    };
    let alike: Vec<&ProjectTarget> = fitting.iter().filter(|(fit, _)| fit == best).map(|(_, offer)| *offer).collect();
    // `deploy:staging` or `deploy:prod`: only the user knows.
    if best.extra > 0 && alike.len() > 1 {
        let said = code(words);
        let head = Bilingual::new(format!("Which one do you mean by {said}?"), format!("{said} 指的是哪一个？"));
        return listed(head.of(place.language), "", &alike, place.language);
    }
    // The project's usual build tool is not installed: another tool would build something else.
    let lacks = |origin: &TargetOrigin| matches!(origin, TargetOrigin::Usual(of) if wanted.goal.is_some_and(|goal| goal.name == *of));
    if matches!(first.origin, TargetOrigin::Usual(_)) && missing.iter().any(|(origin, _)| lacks(origin)) {
        return nothing(asked, offers, place);
    }
    if best.missing > 0 {
        // The tests of one package or module, if the runner can be told so.
        let part = place.part.filter(|_| wanted.goal.is_some_and(|goal| goal.name == "test"));
        let stem = |path: &str| {
            path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default().to_lowercase()
        };
        let is_said = |part: &&str| {
            let known = [stem(part).as_str(), "package", "module", "crate", "file", "directory", "folder", "only"]
                .map(str::to_owned);
            let of_part = goal::parts(part);
            let same =
                |word: &String| of_part.iter().any(|part| part.trim_end_matches('s') == word.trim_end_matches('s'));
            wanted.rest.iter().all(|word| known.contains(word) || same(word))
        };
        if let Some(part) = part.filter(is_said) {
            let mut all = arguments.to_vec();
            all.push(Argument::Part(part.to_owned()));
            let mut of_all = fitting.clone();
            of_all.iter_mut().for_each(|(fit, _)| fit.missing = 0);
            return with_arguments(&all, &of_all, place);
        }
        // The program that the request names is not installed.
        if missing.iter().any(|(_, program)| wanted.rest.contains(program)) {
            return nothing(asked, offers, place);
        }
        // A word of the request that no command here honours: running without it would do something else.
        let rest = code(&wanted.rest.join(" "));
        let head = Bilingual::new(
            format!("Nothing here is called {rest}, so nothing is proposed."),
            format!("这里没有叫 {rest} 的，所以没有提出命令。"),
        );
        let on = place.language.pick(" The nearest:", "最接近的：");
        let near =
            RunnerOutcome { model: ModelNeed::Better, ..listed(head.of(place.language), on, &alike, place.language) };
        return spelled(params, place).unwrap_or(near);
    }
    if !arguments.is_empty() {
        return with_arguments(arguments, &fitting, place);
    }
    let mut reason = reason(&first.why).of(place.language).to_owned();
    if let Some((_, other)) =
        fitting.get(1).filter(|(fit, other)| fit.missing == best.missing && other.cmd != first.cmd)
    {
        let other = code(&other.cmd);
        reason.push_str(&match place.language {
            Language::English => format!(" There is also {other}."),
            Language::Chinese => format!("另外还有 {other}。"),
        });
    }
    // The README's own form of it says more: a port, a flag.
    if matches!(first.origin, TargetOrigin::Usual(_))
        && let Some((cmd, command)) = documented::own_form(&first.cmd, &documented::commands(place.project))
    {
        let at = code(&format!("{}:{}", command.file, command.line));
        let reason = match place.language {
            Language::English => format!("{at} has it."),
            Language::Chinese => format!("{at} 里写着它。"),
        };
        return proposed(cmd, &first.directory, place, reason);
    }
    proposed(first.cmd.clone(), &first.directory, place, reason)
}

/// "Start NAME", where the project is called so or makes a program of that name.
fn own_program(asked: &Request<'_>, offers: &[ProjectTarget], place: &ScriptContext<'_>) -> Option<RunnerOutcome> {
    let Request { params, wanted, arguments, .. } = *asked;
    let words = Arguments::of(params.query.as_deref().unwrap_or_default()).rest;
    let is_other = |word: &&str| !goal::is_filler(&word.to_lowercase()) && !goal::is_start(&word.to_lowercase());
    let inputs: Vec<&str> = arguments.iter().filter_map(Argument::input).collect();
    let names: Vec<&str> = words
        .split_whitespace()
        .map(|word| word.trim_matches(['`', '"', '\'']))
        .filter(is_other)
        .filter(|word| !inputs.contains(word))
        .collect();
    let [name] = names.as_slice() else { return None };
    if wanted.verb.is_some() {
        return None;
    }
    // The project as a whole is started the way that it says itself.
    let is_project = place.project.manifests().iter().any(|manifest| {
        !manifest.name.is_empty() && manifest.name.rsplit('/').next().is_some_and(|own| own.eq_ignore_ascii_case(name))
    });
    let start = RequestedGoal::of("start");
    let of_project = |fit: &TargetFit, offer: &ProjectTarget| {
        fit.missing == 0 && fit.extra == 0 && matches!(offer.origin, TargetOrigin::Target | TargetOrigin::Script)
    };
    let target = matching_targets(&start, offers).into_iter().find(|(fit, offer)| of_project(fit, offer));
    match target.filter(|_| is_project && arguments.is_empty()) {
        Some((_, offer)) => {
            let own = match place.language {
                Language::English => format!("{} is this project. ", code(name)),
                Language::Chinese => format!("{} 就是这个项目。", code(name)),
            };
            let reason = format!("{own}{}", reason(&offer.why).of(place.language));
            Some(proposed(offer.cmd.clone(), &offer.directory, place, reason))
        }
        None => programs::own(name, arguments, place).yes(),
    }
}

fn not_installed(offer: &ProjectTarget, arguments: &[Argument], place: &ScriptContext<'_>) -> RunnerOutcome {
    let applied = arguments::applied(offer, arguments, place.project).map(|applied| applied.cmd);
    let cmd = code(applied.as_deref().unwrap_or(&offer.cmd));
    let program = code(offer.cmd.split(' ').next().unwrap_or_default());
    let text = match place.language {
        Language::English => format!("{program} is not installed; {cmd} is the command for that."),
        Language::Chinese => format!("{program} 没有安装；这件事的命令是 {cmd}。"),
    };
    RunnerOutcome::answer(format!("{text}\n"), text, ModelNeed::Unneeded)
}

/// The first offer that supports the arguments.
fn with_arguments(
    arguments: &[Argument],
    fitting: &[(TargetFit, &ProjectTarget)],
    place: &ScriptContext<'_>,
) -> RunnerOutcome {
    let said = arguments.iter().map(Argument::said).collect::<Vec<_>>().join(", ");
    let applied = fitting
        .iter()
        .filter(|(fit, _)| fit.missing == 0)
        .find_map(|(_, offer)| Some((offer, arguments::applied(offer, arguments, place.project)?)));
    let Some((offer, applied)) = applied else {
        let commands: Vec<&ProjectTarget> = fitting.iter().map(|(_, offer)| *offer).collect();
        let head = Bilingual::new(
            format!("How this project is told {} is not known here, so nothing is proposed.", code(&said)),
            format!("不知道怎样把 {} 告诉这个项目的命令，所以没有提出命令。", code(&said)),
        );
        let on = place.language.pick(" Without it:", "不带它的命令：");
        return listed(head.of(place.language), on, &commands, place.language);
    };
    let mut reason = reason(&offer.why).of(place.language).to_owned();
    if applied.by_recipe {
        reason.push_str(&match place.language {
            Language::English => format!(" This is what {} runs, with {}.", code(&offer.cmd), code(&said)),
            Language::Chinese => format!("这是 {} 运行的命令，加上 {}。", code(&offer.cmd), code(&said)),
        });
    }
    if !applied.needs.is_empty() {
        let needs = code(&applied.needs.join(" "));
        reason.push_str(&match place.language {
            Language::English => format!(" It needs {needs}."),
            Language::Chinese => format!("需要 {needs}。"),
        });
    }
    proposed(applied.cmd, &offer.directory, place, reason)
}

/// A program that has targets here, named without a target.
fn bare<'a>(words: &str, offers: &'a [ProjectTarget]) -> Option<(&'static str, &'a ProjectTarget)> {
    let named = ["make", "just"].into_iter().find(|program| words.trim().eq_ignore_ascii_case(program))?;
    let is_its =
        |offer: &&ProjectTarget| offer.origin == TargetOrigin::Target && offer.cmd.split(' ').next() == Some(named);
    offers.iter().find(is_its).map(|offer| (named, offer))
}

fn reason(why: &TargetReason) -> Bilingual {
    let is = |name: &str, english: &str, chinese: &str| {
        let name = code(name);
        Bilingual::new(format!("{name} is {english}."), format!("{name} 是 {chinese}。"))
    };
    match why {
        TargetReason::Recipe(name) => is(name, "a recipe of the justfile", "justfile 里的任务"),
        TargetReason::MakeTarget(name) => is(name, "a target of the Makefile", "Makefile 里的目标"),
        TargetReason::NpmScript(name) => is(name, "a script of package.json", "package.json 里的脚本"),
        TargetReason::Installs => Bilingual::new(
            "package.json is here; this installs what it names.",
            "这里有 package.json；这个命令安装它列出的包。",
        ),
        TargetReason::Package(name) => Bilingual::new(
            format!("package.json names {}; this is the usual command for it.", code(name)),
            format!("package.json 里有 {}；这是它通常的命令。", code(name)),
        ),
        TargetReason::Script(path) => Bilingual::new(
            format!("{} is a script of this project.", code(path)),
            format!("{} 是这个项目的脚本。", code(path)),
        ),
        TargetReason::Usual(file) => Bilingual::new(
            format!("{} is here; this is the usual command for it.", code(file)),
            format!("这里有 {}；这是它通常的命令。", code(file)),
        ),
        TargetReason::Cargo(name) => {
            Bilingual::new(format!("Cargo knows {} here.", code(name)), format!("Cargo 知道这里有 {}。", code(name)))
        }
        TargetReason::Named(path) => {
            Bilingual::new(format!("You named {}.", code(path)), format!("你提到了 {}。", code(path)))
        }
    }
}

fn proposed(cmd: String, directory: &str, place: &ScriptContext<'_>, reason: String) -> RunnerOutcome {
    let cwd = Some(directory.to_owned());
    let summary = match (directory == place.cwd, place.language) {
        (true, Language::English) => format!("Run {}", code(&cmd)),
        (true, Language::Chinese) => format!("运行 {}", code(&cmd)),
        (false, Language::English) => format!("Run {} in {}", code(&cmd), code(directory)),
        (false, Language::Chinese) => format!("在 {} 中运行 {}", code(directory), code(&cmd)),
    };
    let proposal = Proposal::Command { cmd, cwd, reason: Some(reason), confine: WriteConfinement::No };
    RunnerOutcome { proposal, summary, details: String::new(), model: ModelNeed::Unneeded }
}

/// A program of this machine followed by what can only be its arguments: `sleep 30`, `curl localhost:8080`. Prose does not count, although
/// many programs are named like words.
fn typed(wanted: &RequestedGoal<'_>, params: &IntentParams, place: &ScriptContext<'_>) -> Option<RunnerOutcome> {
    let programs = place.world.programs().yes().filter(|_| wanted.goal.is_none())?;
    let is_program = |name: &str| programs.iter().any(|known| &**known == name);
    let UnparsedCommand::Rest(rest) = params.written.as_deref()? else { return None };
    match literal_command::read(rest, &is_program) {
        Literal::Line(cmd) => Some(written(cmd, place)),
        Literal::Unclear | Literal::Words => None,
    }
}

/// A program followed by words that are not its arguments: makes no other command of it.
fn spelled(params: &IntentParams, place: &ScriptContext<'_>) -> Option<RunnerOutcome> {
    let UnparsedCommand::Rest(rest) = params.written.as_deref()? else { return None };
    let programs = place.world.programs().yes()?;
    let names = literal_command::names_program(rest, &|name| programs.iter().any(|known| &**known == name));
    names.then(|| not_understood(rest, place.language))
}

/// Piped-in text is the subject of a request. It never becomes a command.
fn piped(language: Language) -> RunnerOutcome {
    let text = language.pick(
        "What is piped in is only read, and never run. Write the command in the request itself, as in: run `make test`.",
        "管道传入的内容只会被读取，不会被运行。请把命令写在请求里，例如“运行 `make test`”。",
    );
    RunnerOutcome::answer(format!("{text}\n"), text, ModelNeed::Unneeded)
}

/// Why a command is proposed that the request spells out, in English and Chinese.
pub const AS_WRITTEN: [&str; 2] = ["It is what you wrote.", "这就是你写的命令。"];

/// A command as the request spells it out.
fn written(cmd: String, place: &ScriptContext<'_>) -> RunnerOutcome {
    let reason = place.language.pick(AS_WRITTEN[0], AS_WRITTEN[1]);
    proposed(cmd, place.cwd, place, reason.to_owned())
}

/// Words around a command may say what not to run: dropping them would run something else than the user asked for.
fn not_understood(text: &str, language: Language) -> RunnerOutcome {
    let said = code(text);
    let (summary, rest) = match language {
        Language::English => (
            format!("What is to be run in {said} is not clear"),
            ", so nothing is proposed. Write the command by itself, in backquotes or in quotes, as in: run `make test`.",
        ),
        Language::Chinese => (
            format!("不清楚 {said} 里要运行的是什么"),
            "，所以没有提出命令。请单独写出命令，放在反引号或引号里，例如“运行 `make test`”。",
        ),
    };
    RunnerOutcome::answer(format!("{summary}{rest}\n"), summary, ModelNeed::Better)
}

fn nothing(asked: &Request<'_>, offers: &[ProjectTarget], place: &ScriptContext<'_>) -> RunnerOutcome {
    let Request { params, wanted, missing, .. } = *asked;
    let (words, language) = (params.query.as_deref().unwrap_or_default(), place.language);
    let what = if words.is_empty() { language.pick("that", "这个").to_owned() } else { code(words) };
    let unknown = match language {
        Language::English => format!("Nothing here is called {what}."),
        Language::Chinese => format!("这里没有叫 {what} 的。"),
    };
    let goal = wanted.goal.filter(|_| wanted.verb.is_none()).map(|goal| goal.name.as_str());
    let of_goal = |(origin, program): &(TargetOrigin, String)| match origin {
        TargetOrigin::Usual(of) => (Some(*of) == goal).then(|| code(program)),
        TargetOrigin::File => Some(code(program)),
        TargetOrigin::Target | TargetOrigin::Script => wanted.rest.contains(program).then(|| code(program)),
    };
    let programs: BTreeSet<String> = missing.iter().filter_map(of_goal).collect();
    if !programs.is_empty() {
        let programs = programs.into_iter().collect::<Vec<_>>().join(", ");
        let text = match language {
            Language::English => {
                format!(
                    "What would run {what} here is not installed: {programs}. Install it, or write another command."
                )
            }
            Language::Chinese => format!("运行 {what} 所需的程序没有安装：{programs}。请先安装，或者写出别的命令。"),
        };
        // Unlike a list of what nearly fits, this is the answer: no other reader of the request knows better.
        return RunnerOutcome::answer(format!("{text}\n"), text, ModelNeed::Unneeded);
    }
    // Never guesses a deployment target; lists the existing ones instead.
    let near = |offer: &&ProjectTarget| {
        let parts = goal::parts(&offer.name);
        // Another goal of the same words, as in "build in release mode", is not near.
        let first = wanted.all.first().is_some_and(|first| wanted.goal.is_some_and(|goal| goal.words.contains(first)));
        let last = wanted.all.last().is_some_and(|last| wanted.goal.is_some_and(|goal| goal.words.contains(last)));
        wanted.verb.is_none()
            && (first || last)
            && wanted.goal.is_some_and(|goal| goal.targets.iter().any(|target| parts.contains(target)))
    };
    let near: Vec<&ProjectTarget> = offers.iter().filter(near).collect();
    if !near.is_empty() {
        return listed(&unknown, language.pick(" The nearest:", "最接近的："), &near, language);
    }
    let mine: Vec<&ProjectTarget> =
        offers.iter().filter(|offer| !matches!(offer.origin, TargetOrigin::Usual(_))).collect();
    let shown = if mine.is_empty() { offers.iter().collect() } else { mine };
    if shown.is_empty() {
        let example = wanted.goal.map_or("script", |goal| goal.name.as_str());
        let build_file = place.project.files.iter().map(|(path, _)| path.as_str()).find(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            !["README", "VERSION", "CONTRIBUTING", "requirements"].iter().any(|other| name.starts_with(other))
                && !path.starts_with('.')
        });
        let (summary, rest) = match language {
            Language::English if build_file.is_some() => (
                format!("Nothing here says how to run {what}"),
                format!(
                    ": {} is here, and has no command for it. Write the command itself, as in `run ./{example}.sh`.",
                    code(build_file.unwrap_or_default())
                ),
            ),
            Language::Chinese if build_file.is_some() => (
                format!("这里没有说明怎样运行 {what}"),
                format!(
                    "：这里有 {}，但没有对应的命令。请直接写出命令，例如 `运行 ./{example}.sh`。",
                    code(build_file.unwrap_or_default())
                ),
            ),
            Language::English => (
                format!("Nothing here says how to run {what}"),
                format!(
                    ": there is no Makefile, justfile, package.json or other file of a project in this directory or above it. \
                     Write the command itself, as in `run ./{example}.sh`."
                ),
            ),
            Language::Chinese => (
                format!("这里没有说明怎样运行 {what}"),
                format!(
                    "：这个目录和上级目录里都没有 Makefile、justfile、package.json 之类的项目文件。\
                     请直接写出命令，例如 `运行 ./{example}.sh`。"
                ),
            ),
        };
        return RunnerOutcome::answer(format!("{summary}{rest}"), summary, ModelNeed::Better);
    }
    RunnerOutcome {
        model: ModelNeed::Better,
        ..listed(&unknown, language.pick(" There is:", "有这些："), &shown, language)
    }
}

/// The summary, its continuation before the list, and the list.
fn listed(summary: &str, on: &str, offers: &[&ProjectTarget], language: Language) -> RunnerOutcome {
    let mut text = format!("{summary}{on}\n\n");
    for offer in offers.iter().take(MAX_LISTED) {
        let about = if offer.about.is_empty() { String::new() } else { format!(": {}", offer.about) };
        text.push_str(&format!("- {}{about}\n", code(&offer.cmd)));
    }
    if offers.len() > MAX_LISTED {
        let more = offers.len() - MAX_LISTED;
        text.push_str(&match language {
            Language::English => format!("- and {more} more\n"),
            Language::Chinese => format!("- 还有 {more} 个\n"),
        });
    }
    RunnerOutcome::answer(text, summary, ModelNeed::Unneeded)
}
