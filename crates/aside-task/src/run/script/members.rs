//! Members of a workspace: their scripts as commands, and the one that a request means by the member's name.

use aside_commands::project::targets::{ProjectTarget, TargetOrigin, TargetReason};

use crate::run::diagnose::own::NodeManager;
use crate::run::script::ScriptContext;

/// Words that say no more than the member and the script.
const FILLERS: &[&str] = &[
    "just",
    "only",
    "the",
    "app",
    "application",
    "package",
    "workspace",
    "member",
    "run",
    "start",
    "please",
    "in",
    "for",
    "of",
    "script",
    "a",
    "all",
    "packages",
    "crate",
    "crates",
    "apps",
    "do",
    "alone",
    "server",
    "its",
];

/// The script of a member that a request names with nothing else: "build just the web app", "the tests in packages/utils".
pub fn meant<'a>(words: &str, offers: &'a [ProjectTarget]) -> Option<&'a ProjectTarget> {
    let lower = words.to_lowercase();
    let all: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_' && letter != ':')
        .filter(|word| !word.is_empty())
        .collect();
    let fits = |offer: &&ProjectTarget| {
        let Some((member, script)) = member_and_script(offer) else { return false };
        let is_script = |word: &&str| *word == script || word.strip_suffix('s') == Some(script);
        all.contains(&member)
            && all.iter().any(&is_script)
            && all.iter().all(|word| *word == member || is_script(word) || FILLERS.contains(word))
    };
    let mut found = offers.iter().filter(fits);
    found.next().filter(|_| found.next().is_none())
}

/// `web build` of a workspace of packages, `cargo test -p core` of one of crates.
fn member_and_script(offer: &ProjectTarget) -> Option<(&str, &str)> {
    if let (TargetReason::NpmScript(_), TargetOrigin::Script) = (&offer.why, offer.origin) {
        return offer.name.split_once(' ');
    }
    match offer.cmd.split(' ').collect::<Vec<_>>().as_slice() {
        ["cargo", script, "-p", member] => Some((member, script)),
        _ => None,
    }
}

/// Scripts of all members.
pub fn scripts(place: &ScriptContext<'_>) -> Vec<ProjectTarget> {
    let manager = place.project.text("package.json").and_then(NodeManager::named);
    let has = |file: &str| {
        place.world.entries(place.cwd).yes().is_some_and(|all| all.iter().any(|entry| &*entry.name == file))
    };
    let manager = manager.unwrap_or(match () {
        () if has("pnpm-workspace.yaml") || has("pnpm-lock.yaml") => NodeManager::Pnpm,
        () if has("yarn.lock") => NodeManager::Yarn,
        () if has("bun.lockb") || has("bun.lock") => NodeManager::Bun,
        () => NodeManager::Npm,
    });
    let is_plain = |name: &str| {
        !name.is_empty()
            && !name.starts_with('-')
            && name.chars().all(|letter| letter.is_alphanumeric() || "./_-@:".contains(letter))
    };
    let mut all = Vec::new();
    for (member, scripts) in place.project.members() {
        let short = member.rsplit('/').next().unwrap_or(&member).to_owned();
        for (script, runs) in scripts.into_iter().filter(|(script, _)| is_plain(script) && is_plain(&member)) {
            all.push(ProjectTarget {
                name: format!("{short} {script}"),
                cmd: manager.of_member(&member, &script),
                directory: place.cwd.to_owned(),
                origin: TargetOrigin::Script,
                about: runs,
                why: TargetReason::NpmScript(format!("{script} of {member}")),
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_meant_by_its_name() {
        let offer = |name: &str| ProjectTarget {
            name: name.to_owned(),
            cmd: name.replace(' ', "/"),
            directory: "/w".to_owned(),
            origin: TargetOrigin::Script,
            about: String::new(),
            why: TargetReason::NpmScript(name.to_owned()),
        };
        let offers = [offer("web build"), offer("utils test"), offer("utils build")];
        let told = |words: &str| meant(words, &offers).map_or("-", |offer| offer.cmd.as_str()).to_owned();
        assert_eq!(told("build just the web app"), "web/build");
        assert_eq!(told("the tests in packages/utils"), "utils/test");
        assert_eq!(told("utils build"), "utils/build");
        assert_eq!(told("build the web and deploy it"), "-");
        assert_eq!(told("build"), "-");
        let crates = [ProjectTarget {
            cmd: "cargo test -p sieve-core".to_owned(),
            why: TargetReason::Cargo("sieve-core".to_owned()),
            ..offer("sieve-core")
        }];
        let of = |words: &str| meant(words, &crates).map(|offer| offer.cmd.clone()).unwrap_or_default();
        assert_eq!(of("test sieve-core only"), "cargo test -p sieve-core");
        assert_eq!(of("the tests of the sieve-core crate"), "cargo test -p sieve-core");
        assert_eq!(of("bench sieve-core"), "");
        assert_eq!(told("the web tests"), "-");
    }
}
