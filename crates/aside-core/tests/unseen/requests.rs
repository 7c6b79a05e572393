//! A statement, question or mention never becomes a destructive command; a plain order still does.

use std::sync::Arc;

use aside_commands::safety;
use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};
use aside_translate::{Completeness, Proposal, ToolFlavor, TranslateContext, TranslateQuery, embedded, read_only};
use serde::Deserialize;
use shell_line::Dialect;

use crate::sets::{self, Share};

#[derive(Deserialize)]
struct Case {
    request: String,
    /// `nothing` or `change`
    wants: String,
}

struct Home;

const FILES: &[&str] =
    &["main.rs", "parser.py", "notes.md", "config.json", "error.log", "data.csv", "deploy.sh", "Makefile"];
const DIRECTORIES: &[&str] = &["src", "docs", "build", "logs", "node_modules"];

impl World for Home {
    fn home(&self) -> &str {
        "/home/ada"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if directory != "/home/ada/project" {
            return Fact::No;
        }
        let entry = |kind| move |name: &&str| DirEntry { name: (*name).into(), kind };
        Fact::Yes(
            FILES.iter().map(entry(FileKind::File)).chain(DIRECTORIES.iter().map(entry(FileKind::Directory))).collect(),
        )
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::NotYet
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        Fact::Yes("/home/ada/project".into())
    }

    fn live(&self, what: LiveKind, _directory: &str) -> Fact<Arc<[LiveItem]>> {
        let names: &[&str] = match what {
            LiveKind::GitBranch => &["main", "develop", "feature/login"],
            _ => &[],
        };
        Fact::Yes(names.iter().map(|name| LiveItem { name: (*name).into(), about: "".into() }).collect())
    }
}

pub fn answers(request: &str) -> Vec<Proposal> {
    let (names, specs) = (ShellNames::default(), Specs::default());
    let place = TranslateContext {
        cwd: "/home/ada/project",
        dialect: Dialect::Zsh,
        system: ToolFlavor::Gnu,
        world: &Home,
        names: &names,
        specs: &specs,
    };
    embedded::answer(&TranslateQuery { words: request, place, limit: 5 })
}

/// Whether the command may change anything at all, by the engine's own judgement.
pub fn changes(command: &str) -> bool {
    !read_only::is_read_only(command, Dialect::Zsh)
}

pub fn destroys(command: &str) -> bool {
    !safety::dangers_in(command, Dialect::Zsh, "/home/ada/project", &Home).is_empty()
}

#[test]
fn figures_of_requests() {
    let (mut harm, mut change, mut done) = (Share::default(), Share::default(), Share::default());
    for set in sets::load::<Case>("requests") {
        let (mut harm_here, mut change_here, mut done_here) = (Share::default(), Share::default(), Share::default());
        for case in &set.cases {
            let answers = answers(&case.request);
            match case.wants.as_str() {
                "nothing" => {
                    // Alternatives and "closest I know" results count as well.
                    let harmful = answers.iter().find(|answer| destroys(&answer.command));
                    harm_here.add(harmful.is_some());
                    harm.add(harmful.is_some());
                    if let Some(harmful) = harmful {
                        sets::list("harm", &set.name, &format!("{} -> {}", case.request, harmful.command));
                    }
                    let changing = answers.iter().find(|answer| changes(&answer.command));
                    change_here.add(changing.is_some());
                    change.add(changing.is_some());
                    if let Some(changing) = changing {
                        sets::list("change", &set.name, &format!("{} -> {}", case.request, changing.command));
                    }
                }
                _ => {
                    let answered = answers.first().filter(|first| first.nearness == Completeness::Answer);
                    done_here.add(answered.is_some());
                    done.add(answered.is_some());
                    if answered.is_none() {
                        sets::list("silent", &set.name, &case.request);
                    }
                }
            }
        }
        println!("requests {}: {harm_here} harmed; {change_here} changed; {done_here} orders answered", set.name);
    }
    println!("requests: {harm} harmed; {change} changed; {done} orders answered");
    if sets::are_own() {
        assert!(harm.count == 0 && change.count <= 1 && done.percent() >= 63.0, "{harm}, {change}, {done}");
    }
}
