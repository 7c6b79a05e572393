//! Destructive lines carry a warning, and everyday lines do not.

use std::sync::Arc;

use aside_commands::safety;
use aside_commands::world::{DirEntry, Fact, FileKind, World};
use serde::Deserialize;
use shell_line::Dialect;

use crate::sets::{self, Share};

#[derive(Deserialize)]
struct Case {
    line: String,
    destroys: bool,
    /// Files that already exist in the current directory.
    #[serde(default)]
    exists: Vec<String>,
}

const CWD: &str = "/home/ada/project";

impl World for Case {
    fn home(&self) -> &str {
        "/home/ada"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if directory != CWD {
            return Fact::No;
        }
        Fact::Yes(
            self.exists.iter().map(|name| DirEntry { name: name.as_str().into(), kind: FileKind::File }).collect(),
        )
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::NotYet
    }
}

#[test]
fn figures_of_lines() {
    let (mut warned, mut wrong) = (Share::default(), Share::default());
    for set in sets::load::<Case>("lines") {
        let (mut warned_here, mut wrong_here) = (Share::default(), Share::default());
        for case in &set.cases {
            let dangers = safety::dangers_in(&case.line, Dialect::Bash, CWD, case);
            let has_warning = !dangers.is_empty();
            match case.destroys {
                true => {
                    warned_here.add(has_warning);
                    warned.add(has_warning);
                }
                false => {
                    wrong_here.add(has_warning);
                    wrong.add(has_warning);
                }
            }
            match (case.destroys, has_warning) {
                (true, false) => sets::list("silent", &set.name, &case.line),
                (false, true) => {
                    sets::list("wrong", &set.name, &format!("{} ({})", case.line, safety::summary(&dangers)));
                }
                (true, true) | (false, false) => {}
            }
        }
        println!("lines {}: {warned_here} warned; {wrong_here} harmless ones warned", set.name);
    }
    println!("lines: {warned} warned; {wrong} harmless ones warned");
    if sets::are_own() {
        assert!(warned.percent() >= 95.0 && wrong.percent() <= 2.0, "{warned} warned, {wrong} wrong");
    }
}
