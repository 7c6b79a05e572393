//! Decides which command of a project "the tests", "the build" or "the deploy script" means: its own targets first, then scripts in the
//! project, then its tool's usual command. Lists the candidates where several fit equally well, instead of guessing.

mod arguments;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::agent::tongue::{Both, Tongue};
use crate::project::goal::{self, Wanted};
use crate::project::offer::{self, Offer, Origin, Why};
use crate::project::{Fit, fitting};
use crate::task::proposal::{Confine, Proposal};
use crate::task::route::intent::{Params, Written};
use crate::task::route::literal::{self, Literal};
use crate::task::run::project::Project;
use crate::task::run::{Model, Outcome, code};
use crate::world::{Known, World};
use arguments::{Argument, Arguments};

/// Rows of a list of candidates.
const MAX_LISTED: usize = 20;

/// The user's location and settings.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub cwd: &'a str,
    pub world: &'a dyn World,
    /// `defaultTestCommand`; empty when it is not set.
    pub test_command: &'a str,
    /// The language of the request.
    pub tongue: Tongue,
    /// What the project's own files say.
    pub project: &'a Project,
    /// The path of the package, module or file whose tests the request asks for, if the project has it.
    pub part: Option<&'a str>,
}

/// `Known::NotYet` while the project's files are still being read: the caller asks again.
pub fn command(params: &Params, place: &Place<'_>) -> Known<Outcome> {
    if let Some(cmd) = &params.cmd {
        // "Run just X" means the program only where it has recipes.
        return match cmd.strip_prefix("just ").map(|rest| (rest, has_recipes(place))) {
            Some((_, Known::NotYet)) => Known::NotYet,
            Some((rest, Known::No)) => {
                let query = Some(format!("just {rest}"));
                command(&Params { query, cmd: None, ..params.clone() }, place)
            }
            Some((_, Known::Yes(()))) | None => Known::Yes(written(cmd.clone(), place)),
        };
    }
    let words = params.query.as_deref().unwrap_or_default();
    let unclear = match params.written.as_deref() {
        Some(Written::Piped) => return Known::Yes(piped(place.tongue)),
        Some(Written::Unclear(text)) => Some(text.as_str()),
        Some(Written::Rest(_)) | None => Some(words).filter(|words| literal::restricts(words)),
    };
    // "The tests of the parser only" restricts nothing more than its part.
    let of_part = unclear.filter(|text| place.part.is_some() && part(text).is_some()).map(|text| {
        let text = text.trim().trim_end_matches(['.', '!', '?']);
        text.trim_end_matches(" only").trim_end_matches(" alone")
    });
    let of_part = of_part.filter(|text| !literal::restricts(text));
    let unclear = unclear.filter(|_| of_part.is_none());
    let said = of_part.or(unclear).map_or(words, |text| literal::rest(text).unwrap_or(text));
    let (arguments, files) = match arguments(said, &params.files, place) {
        Known::Yes(found) => found,
        Known::No | Known::NotYet => return Known::NotYet,
    };
    match missing_file(&files, place) {
        Known::Yes(file) => return Known::Yes(no_file(&file, place.tongue)),
        Known::No => {}
        Known::NotYet => return Known::NotYet,
    }
    if let Some(text) = unclear.filter(|_| literal::restricts(&arguments.rest) || arguments.rest == said) {
        return Known::Yes(not_understood(text, place.tongue));
    }
    // "The build and then the tests" is two goals: running only one of them would be wrong.
    let parts = goal::several(&arguments.rest);
    if !parts.is_empty() {
        return if arguments.all.is_empty() && files.is_empty() {
            one_after_the_other(&parts, said, place)
        } else {
            Known::Yes(not_understood(said, place.tongue))
        };
    }
    // "A clean build" is two commands, where the project can clean.
    if Wanted::of(&arguments.rest).is_clean_build() && arguments.all.is_empty() && files.is_empty() {
        return one_after_the_other(&["clean", "build"], said, place);
    }
    let wanted = Wanted::of(if arguments.rest.is_empty() { arguments.goal() } else { &arguments.rest });
    if arguments.all.is_empty()
        && wanted.goal.is_some_and(|goal| goal.name == "test")
        && wanted.rest.is_empty()
        && files.is_empty()
        && !place.test_command.trim().is_empty()
    {
        let reason = place.tongue.pick("The settings say that this runs the tests.", "设置里写明用它运行测试。");
        return Known::Yes(proposed(place.test_command.trim().to_owned(), place.cwd, place, reason.to_owned()));
    }
    let offers = match offer::offers(place.cwd, place.world, &files) {
        Known::Yes(offers) => offers,
        Known::No => Vec::new(),
        Known::NotYet => return Known::NotYet,
    };
    let named = place.project.manifests().into_iter().filter(|manifest| manifest.file.ends_with("package.json"));
    let packages: Vec<String> = named.flat_map(|manifest| manifest.dependencies).map(|(name, _)| name).collect();
    let offers = offers.into_iter().chain(offer::of_packages(&packages, place.cwd)).collect();
    let (offers, missing) = installed(offers, place);
    let asked = Request { params, wanted: &wanted, arguments: &arguments.all, missing: &missing };
    Known::Yes(chosen(&asked, &offers, place))
}

/// The part of the project whose tests are asked for: `counter` of "run the tests for the counter module only".
pub fn part(words: &str) -> Option<String> {
    static PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\btests?\s+(?:for|of|in|from)\s+(?:the\s+)?`?(?P<name>[\w./-]+)`?(?:\s+(?:package|module|crate|file|directory|folder))?(?:\s+(?:only|alone))?\s*[.!?]?$|\b(?:the\s+)?`?(?P<other>[\w./-]+)`?\s+(?:package|module)(?:'s)?\s+tests?(?:\s+(?:only|alone))?\s*[.!?]?$").ok()
    });
    let found = PART.as_ref()?.captures(words.trim())?;
    let name = found.name("name").or(found.name("other"))?.as_str().trim_matches(['/', '.']).to_owned();
    (!name.is_empty()).then_some(name)
}

/// The one file or directory that a part is called by. Tests themselves do not count.
pub fn path_of_part<'a>(name: &str, paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for path in paths {
        let parts: Vec<&str> = path.split('/').collect();
        let Some((file, above)) = parts.split_last() else { continue };
        if let Some(at) = above.iter().position(|part| part.eq_ignore_ascii_case(name)) {
            found.insert(parts.get(..=at).unwrap_or_default().join("/"));
        } else if path == name || file.split('.').next().is_some_and(|stem| stem.eq_ignore_ascii_case(name)) {
            found.insert(path.to_owned());
        }
    }
    // A file in a directory of the same name belongs to it.
    let all = found.clone();
    found.retain(|path| !all.iter().any(|other| path != other && path.starts_with(&format!("{other}/"))));
    if found.len() == 1 { found.pop_first() } else { None }
}

/// The commands of several goals, joined so that the next runs where the one before succeeded. None is left out.
fn one_after_the_other(parts: &[&str], said: &str, place: &Place<'_>) -> Known<Outcome> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for part in parts {
        let outcome = match command(&Params { query: Some((*part).to_owned()), ..Params::default() }, place) {
            Known::Yes(outcome) => outcome,
            other => return other,
        };
        match outcome.proposal {
            Proposal::Command { cmd, cwd, .. } => commands.push((cmd, cwd.unwrap_or_default())),
            _ => return Known::Yes(not_understood(said, place.tongue)),
        }
    }
    let Some((_, directory)) = commands.first().cloned() else {
        return Known::Yes(not_understood(said, place.tongue));
    };
    if commands.iter().any(|(_, other)| *other != directory) {
        return Known::Yes(not_understood(said, place.tongue));
    }
    let line = commands.into_iter().map(|(cmd, _)| cmd).collect::<Vec<_>>().join(" && ");
    let reason = place.tongue.pick(
        "One after the other, in the order of the request; one that fails ends it.",
        "按请求里的顺序依次运行；有一个失败就停止。",
    );
    Known::Yes(proposed(line, &directory, place, reason.to_owned()))
}

/// Whether a justfile of the project has recipes.
fn has_recipes(place: &Place<'_>) -> Known<()> {
    match offer::offers(place.cwd, place.world, &[]) {
        Known::NotYet => Known::NotYet,
        Known::Yes(offers) if offers.iter().any(|offer| matches!(offer.why, Why::Recipe(_))) => Known::Yes(()),
        Known::Yes(_) | Known::No => Known::No,
    }
}

/// Whether a file of this path exists.
fn is_there(file: &str, place: &Place<'_>) -> Known<()> {
    let path = if file.starts_with('/') {
        file.to_owned()
    } else {
        format!("{}/{}", place.cwd.trim_end_matches('/'), file.trim_start_matches("./").trim_end_matches('/'))
    };
    let Some((directory, name)) = path.rsplit_once('/') else { return Known::No };
    match place.world.entries(if directory.is_empty() { "/" } else { directory }) {
        Known::Yes(entries) if entries.iter().any(|entry| &*entry.name == name) => Known::Yes(()),
        Known::Yes(_) | Known::No => Known::No,
        Known::NotYet => Known::NotYet,
    }
}

/// A named file that does not exist. Names such as `node.js` look like files and are none.
fn missing_file(files: &[String], place: &Place<'_>) -> Known<String> {
    for file in files {
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_path = file.contains('/') || ["py", "rs", "ts", "rb", "sh", "txt", "toml", "json"].contains(&ending);
        match is_there(file, place) {
            Known::No if is_path && !file.contains("..") && !file.contains('*') => return Known::Yes(file.clone()),
            Known::NotYet => return Known::NotYet,
            Known::No | Known::Yes(()) => {}
        }
    }
    Known::No
}

fn no_file(file: &str, tongue: Tongue) -> Outcome {
    let file = code(file);
    let text = match tongue {
        Tongue::English => format!("There is no {file} here, so nothing is proposed."),
        Tongue::Chinese => format!("这里没有 {file}，所以没有提出命令。"),
    };
    Outcome::answer(format!("{text}\n"), text, Model::Unneeded)
}

/// All parts of the request.
struct Request<'a> {
    params: &'a Params,
    wanted: &'a Wanted<'a>,
    arguments: &'a [Argument],
    /// Required programs that are not installed.
    missing: &'a [(Origin, String)],
}

/// What is said beside the goal, and the files that are still to be looked for. A named file is the only test, without further words;
/// after "on" or "with" it is the input of the program.
fn arguments(said: &str, files: &[String], place: &Place<'_>) -> Known<(Arguments, Vec<String>)> {
    let Some(file) = files.first() else { return Known::Yes((Arguments::of(said), Vec::new())) };
    let names = |word: &&str| file == word || file.strip_suffix(*word).is_some_and(|before| before.ends_with('/'));
    let word = said.split_whitespace().map(|word| word.trim_matches(['`', '"', ',', '.'])).find(names);
    let Some(word) = word else { return Known::Yes((Arguments::of(said), files.to_vec())) };
    let without = said.replacen(word, " ", 1);
    let is_filler = |word: &str| {
        ["only", "just", "alone", "by", "itself", "the", "tests", "test", "file", "in", "of", "from"].contains(&word)
    };
    if without.split_whitespace().all(is_filler) {
        return Known::Yes((Arguments { all: Vec::new(), rest: file.clone() }, files.to_vec()));
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
    let starts = Wanted::of(&Arguments::of(&rest).rest).goal.is_none_or(|goal| goal.name == "start");
    if head.len() == all || files.len() > 1 || !plain || !starts || file.starts_with('-') {
        return Known::Yes((Arguments::of(said), files.to_vec()));
    }
    match is_there(file, place) {
        Known::Yes(()) => {
            let mut arguments = Arguments::of(rest.trim_matches(['`', '"', ' ']));
            arguments.all.push(Argument::Input(file.clone()));
            Known::Yes((arguments, Vec::new()))
        }
        Known::No => Known::Yes((Arguments::of(said), files.to_vec())),
        Known::NotYet => Known::NotYet,
    }
}

/// Removes offers whose programs are not installed, and returns those programs. While the list of programs is unknown, keeps all.
fn installed(offers: Vec<Offer>, place: &Place<'_>) -> (Vec<Offer>, Vec<(Origin, String)>) {
    let Known::Yes(programs) = place.world.programs() else { return (offers, Vec::new()) };
    let has = |name: &str| programs.iter().any(|known| &**known == name);
    let mut missing = Vec::new();
    let mut here = Vec::new();
    for mut offer in offers {
        let program = offer.cmd.split(' ').next().unwrap_or_default().to_owned();
        // A Python module may be installed without a program of its name.
        let by_module = ["pytest", "mypy", "ruff", "tox", "nox"].contains(&program.as_str())
            && matches!(offer.origin, Origin::Usual(_) | Origin::File);
        match () {
            () if program.contains('/') || has(&program) => here.push(offer),
            () if by_module && has("python3") => {
                offer.cmd = format!("python3 -m {}", offer.cmd);
                here.push(offer);
            }
            () if program == "python" && has("python3") => {
                offer.cmd = offer.cmd.replacen("python", "python3", 1);
                here.push(offer);
            }
            () => missing.push((offer.origin, program)),
        }
    }
    (here, missing)
}

fn chosen(asked: &Request<'_>, offers: &[Offer], place: &Place<'_>) -> Outcome {
    let Request { params, wanted, arguments, missing } = *asked;
    let words = params.query.as_deref().unwrap_or_default();
    if let Some((program, offer)) = bare(words, offers) {
        let reason = match place.tongue {
            Tongue::English => format!("{} was named, and no target: it runs the first.", code(program)),
            Tongue::Chinese => format!("只提到了 {}，没有说目标：它会运行第一个。", code(program)),
        };
        return proposed(program.to_owned(), &offer.directory, place, reason);
    }
    let fitting = fitting(wanted, offers);
    let Some((best, first)) = fitting.first() else {
        let typed = typed(wanted, params, place).or_else(|| spelled(params, place));
        return typed.unwrap_or_else(|| nothing(wanted, words, offers, missing, place.tongue));
    };
    let alike: Vec<&Offer> = fitting.iter().filter(|(fit, _)| fit == best).map(|(_, offer)| *offer).collect();
    // `deploy:staging` or `deploy:prod`: only the user knows.
    if best.extra > 0 && alike.len() > 1 {
        let said = code(words);
        let head = Both::new(format!("Which one do you mean by {said}?"), format!("{said} 指的是哪一个？"));
        return listed(head.of(place.tongue), "", &alike, place.tongue);
    }
    // The project's usual build tool is not installed: another tool would build something else.
    let lacks =
        |origin: &Origin| matches!(origin, Origin::Usual(of) if wanted.goal.is_some_and(|goal| goal.name == *of));
    if matches!(first.origin, Origin::Usual(_)) && missing.iter().any(|(origin, _)| lacks(origin)) {
        return nothing(wanted, words, offers, missing, place.tongue);
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
            wanted.rest.iter().all(|word| known.contains(word) || goal::parts(&stem(part)).contains(word))
        };
        if let Some(part) = part.filter(is_said) {
            let mut all = arguments.to_vec();
            all.push(Argument::Part(part.to_owned()));
            let mut of_all = fitting.clone();
            of_all.iter_mut().for_each(|(fit, _)| fit.missing = 0);
            return with_arguments(&all, &of_all, place);
        }
        // A word of the request that no command here honours: running without it would do something else.
        let rest = code(&wanted.rest.join(" "));
        let head = Both::new(
            format!("Nothing here is called {rest}, so nothing is proposed."),
            format!("这里没有叫 {rest} 的，所以没有提出命令。"),
        );
        let on = place.tongue.pick(" The nearest:", "最接近的：");
        let near = Outcome { model: Model::Better, ..listed(head.of(place.tongue), on, &alike, place.tongue) };
        return spelled(params, place).unwrap_or(near);
    }
    if !arguments.is_empty() {
        return with_arguments(arguments, &fitting, place);
    }
    let mut reason = reason(&first.why).of(place.tongue).to_owned();
    if let Some((_, other)) =
        fitting.get(1).filter(|(fit, other)| fit.missing == best.missing && other.cmd != first.cmd)
    {
        let other = code(&other.cmd);
        reason.push_str(&match place.tongue {
            Tongue::English => format!(" There is also {other}."),
            Tongue::Chinese => format!("另外还有 {other}。"),
        });
    }
    proposed(first.cmd.clone(), &first.directory, place, reason)
}

/// The first offer that supports the arguments.
fn with_arguments(arguments: &[Argument], fitting: &[(Fit, &Offer)], place: &Place<'_>) -> Outcome {
    let said = arguments.iter().map(Argument::said).collect::<Vec<_>>().join(", ");
    let applied = fitting
        .iter()
        .filter(|(fit, _)| fit.missing == 0)
        .find_map(|(_, offer)| Some((offer, arguments::applied(offer, arguments, place.project)?)));
    let Some((offer, applied)) = applied else {
        let commands: Vec<&Offer> = fitting.iter().map(|(_, offer)| *offer).collect();
        let head = Both::new(
            format!("How this project is told {} is not known here, so nothing is proposed.", code(&said)),
            format!("不知道怎样把 {} 告诉这个项目的命令，所以没有提出命令。", code(&said)),
        );
        let on = place.tongue.pick(" Without it:", "不带它的命令：");
        return listed(head.of(place.tongue), on, &commands, place.tongue);
    };
    let mut reason = reason(&offer.why).of(place.tongue).to_owned();
    if applied.by_recipe {
        reason.push_str(&match place.tongue {
            Tongue::English => format!(" This is what {} runs, with {}.", code(&offer.cmd), code(&said)),
            Tongue::Chinese => format!("这是 {} 运行的命令，加上 {}。", code(&offer.cmd), code(&said)),
        });
    }
    if !applied.needs.is_empty() {
        let needs = code(&applied.needs.join(" "));
        reason.push_str(&match place.tongue {
            Tongue::English => format!(" It needs {needs}."),
            Tongue::Chinese => format!("需要 {needs}。"),
        });
    }
    proposed(applied.cmd, &offer.directory, place, reason)
}

/// A program that has targets here, named without a target.
fn bare<'a>(words: &str, offers: &'a [Offer]) -> Option<(&'static str, &'a Offer)> {
    let named = ["make", "just"].into_iter().find(|program| words.trim().eq_ignore_ascii_case(program))?;
    let is_its = |offer: &&Offer| offer.origin == Origin::Target && offer.cmd.split(' ').next() == Some(named);
    offers.iter().find(is_its).map(|offer| (named, offer))
}

fn reason(why: &Why) -> Both {
    let is = |name: &str, english: &str, chinese: &str| {
        let name = code(name);
        Both::new(format!("{name} is {english}."), format!("{name} 是 {chinese}。"))
    };
    match why {
        Why::Recipe(name) => is(name, "a recipe of the justfile", "justfile 里的任务"),
        Why::MakeTarget(name) => is(name, "a target of the Makefile", "Makefile 里的目标"),
        Why::NpmScript(name) => is(name, "a script of package.json", "package.json 里的脚本"),
        Why::Installs => Both::new(
            "package.json is here; this installs what it names.",
            "这里有 package.json；这个命令安装它列出的包。",
        ),
        Why::Package(name) => Both::new(
            format!("package.json names {}; this is the usual command for it.", code(name)),
            format!("package.json 里有 {}；这是它通常的命令。", code(name)),
        ),
        Why::Script(path) => Both::new(
            format!("{} is a script of this project.", code(path)),
            format!("{} 是这个项目的脚本。", code(path)),
        ),
        Why::Usual(file) => Both::new(
            format!("{} is here; this is the usual command for it.", code(file)),
            format!("这里有 {}；这是它通常的命令。", code(file)),
        ),
        Why::Cargo(name) => {
            Both::new(format!("Cargo knows {} here.", code(name)), format!("Cargo 知道这里有 {}。", code(name)))
        }
        Why::Named(path) => Both::new(format!("You named {}.", code(path)), format!("你提到了 {}。", code(path))),
    }
}

fn proposed(cmd: String, directory: &str, place: &Place<'_>, reason: String) -> Outcome {
    let cwd = Some(directory.to_owned());
    let summary = match (directory == place.cwd, place.tongue) {
        (true, Tongue::English) => format!("Run {}", code(&cmd)),
        (true, Tongue::Chinese) => format!("运行 {}", code(&cmd)),
        (false, Tongue::English) => format!("Run {} in {}", code(&cmd), code(directory)),
        (false, Tongue::Chinese) => format!("在 {} 中运行 {}", code(directory), code(&cmd)),
    };
    let proposal = Proposal::Command { cmd, cwd, reason: Some(reason), confine: Confine::No };
    Outcome { proposal, summary, details: String::new(), model: Model::Unneeded }
}

/// A program of this machine followed by what can only be its arguments: `sleep 30`, `curl localhost:8080`. Prose does not count, although
/// many programs are named like words.
fn typed(wanted: &Wanted<'_>, params: &Params, place: &Place<'_>) -> Option<Outcome> {
    let programs = place.world.programs().yes().filter(|_| wanted.goal.is_none())?;
    let is_program = |name: &str| programs.iter().any(|known| &**known == name);
    let Written::Rest(rest) = params.written.as_deref()? else { return None };
    match literal::read(rest, &is_program) {
        Literal::Line(cmd) => Some(written(cmd, place)),
        Literal::Unclear | Literal::Words => None,
    }
}

/// A program followed by words that are not its arguments: makes no other command of it.
fn spelled(params: &Params, place: &Place<'_>) -> Option<Outcome> {
    let Written::Rest(rest) = params.written.as_deref()? else { return None };
    let programs = place.world.programs().yes()?;
    let names = literal::names_program(rest, &|name| programs.iter().any(|known| &**known == name));
    names.then(|| not_understood(rest, place.tongue))
}

/// Piped-in text is the subject of a request. It never becomes a command.
fn piped(tongue: Tongue) -> Outcome {
    let text = tongue.pick(
        "What is piped in is only read, and never run. Write the command in the request itself, as in: run `make test`.",
        "管道传入的内容只会被读取，不会被运行。请把命令写在请求里，例如“运行 `make test`”。",
    );
    Outcome::answer(format!("{text}\n"), text, Model::Unneeded)
}

/// Why a command is proposed that the request spells out, in English and Chinese.
pub const AS_WRITTEN: [&str; 2] = ["It is what you wrote.", "这就是你写的命令。"];

/// A command as the request spells it out.
fn written(cmd: String, place: &Place<'_>) -> Outcome {
    let reason = place.tongue.pick(AS_WRITTEN[0], AS_WRITTEN[1]);
    proposed(cmd, place.cwd, place, reason.to_owned())
}

/// Words around a command may say what not to run: dropping them would run something else than the user asked for.
fn not_understood(text: &str, tongue: Tongue) -> Outcome {
    let said = code(text);
    let (summary, rest) = match tongue {
        Tongue::English => (
            format!("What is to be run in {said} is not clear"),
            ", so nothing is proposed. Write the command by itself, in backquotes or in quotes, as in: run `make test`.",
        ),
        Tongue::Chinese => (
            format!("不清楚 {said} 里要运行的是什么"),
            "，所以没有提出命令。请单独写出命令，放在反引号或引号里，例如“运行 `make test`”。",
        ),
    };
    Outcome::answer(format!("{summary}{rest}\n"), summary, Model::Unneeded)
}

fn nothing(
    wanted: &Wanted<'_>,
    words: &str,
    offers: &[Offer],
    missing: &[(Origin, String)],
    tongue: Tongue,
) -> Outcome {
    let what = if words.is_empty() { tongue.pick("that", "这个").to_owned() } else { code(words) };
    let unknown = match tongue {
        Tongue::English => format!("Nothing here is called {what}."),
        Tongue::Chinese => format!("这里没有叫 {what} 的。"),
    };
    let goal = wanted.goal.filter(|_| wanted.verb.is_none()).map(|goal| goal.name.as_str());
    let of_goal = |(origin, program): &(Origin, String)| match origin {
        Origin::Usual(of) => (Some(*of) == goal).then(|| code(program)),
        Origin::File => Some(code(program)),
        Origin::Target | Origin::Script => None,
    };
    let programs: BTreeSet<String> = missing.iter().filter_map(of_goal).collect();
    if !programs.is_empty() {
        let programs = programs.into_iter().collect::<Vec<_>>().join(", ");
        let text = match tongue {
            Tongue::English => {
                format!(
                    "What would run {what} here is not installed: {programs}. Install it, or write another command."
                )
            }
            Tongue::Chinese => format!("运行 {what} 所需的程序没有安装：{programs}。请先安装，或者写出别的命令。"),
        };
        return Outcome::answer(format!("{text}\n"), text, Model::Better);
    }
    // Never guesses a deployment target; lists the existing ones instead.
    let near = |offer: &&Offer| {
        let parts = goal::parts(&offer.name);
        // Another goal of the same words, as in "build in release mode", is not near.
        let first = wanted.all.first().is_some_and(|first| wanted.goal.is_some_and(|goal| goal.words.contains(first)));
        let last = wanted.all.last().is_some_and(|last| wanted.goal.is_some_and(|goal| goal.words.contains(last)));
        wanted.verb.is_none()
            && (first || last)
            && wanted.goal.is_some_and(|goal| goal.targets.iter().any(|target| parts.contains(target)))
    };
    let near: Vec<&Offer> = offers.iter().filter(near).collect();
    if !near.is_empty() {
        return listed(&unknown, tongue.pick(" The nearest:", "最接近的："), &near, tongue);
    }
    let mine: Vec<&Offer> = offers.iter().filter(|offer| !matches!(offer.origin, Origin::Usual(_))).collect();
    let shown = if mine.is_empty() { offers.iter().collect() } else { mine };
    if shown.is_empty() {
        let example = wanted.goal.map_or("script", |goal| goal.name.as_str());
        let (summary, rest) = match tongue {
            Tongue::English => (
                format!("Nothing here says how to run {what}"),
                format!(
                    ": there is no Makefile, justfile, package.json or other file of a project in this directory or above it. \
                     Write the command itself, as in `run ./{example}.sh`."
                ),
            ),
            Tongue::Chinese => (
                format!("这里没有说明怎样运行 {what}"),
                format!(
                    "：这个目录和上级目录里都没有 Makefile、justfile、package.json 之类的项目文件。\
                     请直接写出命令，例如 `运行 ./{example}.sh`。"
                ),
            ),
        };
        return Outcome::answer(format!("{summary}{rest}"), summary, Model::Better);
    }
    Outcome { model: Model::Better, ..listed(&unknown, tongue.pick(" There is:", "有这些："), &shown, tongue) }
}

/// The summary, its continuation before the list, and the list.
fn listed(summary: &str, on: &str, offers: &[&Offer], tongue: Tongue) -> Outcome {
    let mut text = format!("{summary}{on}\n\n");
    for offer in offers.iter().take(MAX_LISTED) {
        let about = if offer.about.is_empty() { String::new() } else { format!(": {}", offer.about) };
        text.push_str(&format!("- {}{about}\n", code(&offer.cmd)));
    }
    if offers.len() > MAX_LISTED {
        let more = offers.len() - MAX_LISTED;
        text.push_str(&match tongue {
            Tongue::English => format!("- and {more} more\n"),
            Tongue::Chinese => format!("- 还有 {more} 个\n"),
        });
    }
    Outcome::answer(text, summary, Model::Unneeded)
}
