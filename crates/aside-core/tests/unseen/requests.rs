//! A statement, question or mention never becomes a destructive command; a plain order still does.

use std::sync::Arc;

use aside_core::line::Dialect;
use aside_core::names::Names;
use aside_core::safety;
use aside_core::spec::Specs;
use aside_core::translate::{Nearness, Place, Proposal, System, Wish, embedded, reads};
use aside_core::world::{Entry, Item, Kind, Known, Live, World};
use serde::Deserialize;

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

    fn entries(&self, directory: &str) -> Known<Arc<[Entry]>> {
        if directory != "/home/ada/project" {
            return Known::No;
        }
        let entry = |kind| move |name: &&str| Entry { name: (*name).into(), kind };
        Known::Yes(FILES.iter().map(entry(Kind::File)).chain(DIRECTORIES.iter().map(entry(Kind::Directory))).collect())
    }

    fn programs(&self) -> Known<Arc<[Box<str>]>> {
        Known::NotYet
    }

    fn repository(&self, _directory: &str) -> Known<Arc<str>> {
        Known::Yes("/home/ada/project".into())
    }

    fn live(&self, what: Live, _directory: &str) -> Known<Arc<[Item]>> {
        let names: &[&str] = match what {
            Live::GitBranch => &["main", "develop", "feature/login"],
            _ => &[],
        };
        Known::Yes(names.iter().map(|name| Item { name: (*name).into(), about: "".into() }).collect())
    }
}

pub fn answers(request: &str) -> Vec<Proposal> {
    let (names, specs) = (Names::default(), Specs::default());
    let place = Place {
        cwd: "/home/ada/project",
        dialect: Dialect::Zsh,
        system: System::Gnu,
        world: &Home,
        names: &names,
        specs: &specs,
    };
    embedded::answer(&Wish { words: request, place, limit: 5 })
}

/// Whether the command may change anything at all, by the engine's own judgement.
pub fn changes(command: &str) -> bool {
    !reads::only_reads(command, Dialect::Zsh)
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
                    let answered = answers.first().filter(|first| first.nearness == Nearness::Answer);
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
