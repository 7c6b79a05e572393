//! Targets of a makefile. Parses the text; leaves out what only make can expand.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::LazyLock;

use aside_commands::world::LiveItem;
use regex::Regex;

use crate::world::read::{glob, item, read_below};
use crate::world::repository::base_of;

/// Cap on included makefiles.
const MAX_INCLUDED: usize = 32;

pub fn targets(directory: &Path) -> Option<Vec<LiveItem>> {
    // In the order in which GNU make looks.
    let names = ["GNUmakefile", "makefile", "Makefile"];
    // A foreign makefile must not turn the user's other files into names.
    let base = base_of(directory);
    let text = names.iter().find_map(|name| read_below(&base, &directory.join(name)))?;
    let mut makefile = Makefile::default();
    makefile.read(&text);
    let included: Vec<String> = std::mem::take(&mut makefile.included);
    for file in glob(included.iter().map(|pattern| directory.join(pattern))).iter().take(MAX_INCLUDED) {
        makefile.read(&read_below(&base, file).unwrap_or_default());
    }
    Some(makefile.sorted())
}

#[derive(Default)]
struct Makefile {
    targets: Vec<(String, String)>,
    /// The index of a name in `targets`.
    places: HashMap<String, usize>,
    phony: HashSet<String>,
    included: Vec<String>,
}

impl Makefile {
    fn read(&mut self, text: &str) {
        static LOCAL: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^\s*(?:(?:export|override|private)\s+)*[\w.-]+\s*(?::{0,3}|[?+!])=").unwrap()
        });
        let mut above = String::new();
        let mut defining = false;
        for line in joined(text) {
            let word = line.split_whitespace().next().unwrap_or("");
            match word {
                "define" => defining = true,
                "endef" => defining = false,
                _ => {}
            }
            if defining || line.starts_with('\t') {
                continue;
            }
            if let Some(comment) = line.strip_prefix('#') {
                above = comment.trim_matches(['#', ' ', '-', '=', '*']).to_owned();
                continue;
            }
            let about = std::mem::take(&mut above);
            if matches!(word, "include" | "-include" | "sinclude") {
                let files = line.split_whitespace().skip(1).take_while(|file| !file.starts_with('#'));
                self.included.extend(files.filter(|file| !file.contains('$')).map(str::to_owned));
                continue;
            }
            let (rule, comment) = line.split_once('#').unwrap_or((&line, ""));
            let Some((left, right)) = split_rule(rule) else { continue };
            if LOCAL.is_match(right) {
                continue;
            }
            let about = if comment.is_empty() { about } else { comment.trim_matches(['#', ' ']).to_owned() };
            for name in left.split_whitespace() {
                if name == ".PHONY" {
                    self.phony.extend(right.split_whitespace().map(str::to_owned));
                } else if !name.contains(['%', '$', '(', ')', '=']) && (!name.starts_with('.') || name.contains('/')) {
                    self.target(name, &about);
                }
            }
        }
    }

    fn target(&mut self, name: &str, about: &str) {
        match self.places.get(name) {
            Some(place) => {
                let (_, known) = &mut self.targets[*place];
                if known.is_empty() {
                    about.clone_into(known);
                }
            }
            None => {
                self.places.insert(name.to_owned(), self.targets.len());
                self.targets.push((name.to_owned(), about.to_owned()));
            }
        }
    }

    /// Phony targets first: those are what users ask for.
    fn sorted(mut self) -> Vec<LiveItem> {
        self.targets.sort_by_key(|(name, _)| !self.phony.contains(name));
        self.targets.into_iter().map(|(name, about)| item(name, about)).collect()
    }
}

/// Lines, with continuation lines joined.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let (line, more) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            None => lines.push(line.to_owned()),
        }
        goes_on = more;
    }
    lines
}

/// The parts before and after the colon of a rule. `None` for an assignment.
fn split_rule(line: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 => return None,
            b':' if depth == 0 => {
                let rest = line[at..].trim_start_matches(':');
                return (!rest.starts_with('=')).then_some((&line[..at], rest));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::read::repository_beside_a_secret;

    #[test]
    fn files_outside_of_the_repository_are_not_read() {
        let temp = repository_beside_a_secret();
        let at = |name: &str| temp.path().join(name);
        let outside = at("").display().to_string();
        let text = format!("include {outside}netrc {outside}n* ../../netrc ../link ../up.mk\nown:\n");
        std::fs::write(at("repo/below/Makefile"), text).unwrap();
        std::fs::write(at("repo/up.mk"), "shared:\n").unwrap();
        let found = targets(&at("repo/below")).unwrap();
        assert_eq!(found.iter().map(|item| &*item.name).collect::<Vec<_>>(), ["own", "shared"]);
    }

    /// Takes half a minute and more if the cost is quadratic.
    #[test]
    fn hostile_files_cost_no_more_than_others_of_their_size() {
        use crate::world::{cargo, npm};
        let temp = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| std::fs::write(temp.path().join(name), text).unwrap();
        let many = |each: &dyn Fn(usize) -> String| (0..60_000).map(each).collect::<String>();
        for file in 0..2_000 {
            write(&format!("file{file}"), String::new());
        }
        let begin = std::time::Instant::now();
        write("Makefile", format!("{}.PHONY: {}\n", many(&|n| format!("t{n}:\n")), many(&|n| format!("p{n} "))));
        assert_eq!(targets(temp.path()).unwrap().len(), 60_000);
        write("Makefile", format!("include {}\n", many(&|n| format!("*no{n} "))));
        targets(temp.path()).unwrap();
        write("Makefile", format!("include {}{}\n", "*".repeat(500_000), "?".repeat(500_000)));
        targets(temp.path()).unwrap();
        let scripts = many(&|n| format!(r#","pre{n}":"x""#));
        write("package.json", format!(r#"{{"scripts": {{"a":"x"{scripts}}}}}"#));
        assert_eq!(npm::scripts(temp.path()).unwrap().len(), 60_001);
        let listed = many(&|n| format!("'*no{n}',"));
        write("Cargo.toml", format!("[workspace]\nmembers = [{listed}]\nexclude = [{listed}]\n"));
        cargo::packages(temp.path());
        let (features, optional) = (many(&|n| format!("f{n}=[]\n")), many(&|n| format!("d{n}.optional=true\n")));
        write("Cargo.toml", format!("[package]\nname='x'\n[features]\n{features}[dependencies]\n{optional}"));
        cargo::features(temp.path());
        assert!(begin.elapsed() < std::time::Duration::from_secs(25), "{:?}", begin.elapsed());
    }

    #[test]
    fn hits_and_misses() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("mk")).unwrap();
        let text = "\
# Copyright a company

CC := gcc
URL = http://example.invalid:80/
OBJS = a.o \\
  b.o: c
.PHONY: all test \\
  clean deploy
.SUFFIXES: .c .o
.DEFAULT_GOAL := all
include mk/*.mk
-include $(DEPS) local.mk # comment
all: $(OBJS) ## build everything
# ----
# run the tests
test check: all
\techo not: a target
clean::
\trm -f x
%.o: %.c
\t$(CC) $<
.c.o:
$(BIN): all
app: main.o; gcc -o $@
app: CFLAGS += -g
app: extra.o
debug: export CFLAGS := -g
build/out.bin: app | build
build:
ifeq ($(A),b:c)
yes: ; true
endif
define BLOCK
inside: a
endef
a=b: c
";
        std::fs::write(temp.path().join("Makefile"), text).unwrap();
        std::fs::write(temp.path().join("mk/deploy.mk"), "## ship it\ndeploy: all\n").unwrap();
        let items = targets(temp.path()).unwrap();
        let found: Vec<String> = items.iter().map(|item| format!("{} {}", item.name, item.about)).collect();
        let expected = [
            "all build everything",
            "test run the tests",
            "clean ",
            "deploy ship it",
            "check run the tests",
            "app ",
            "build/out.bin ",
            "build ",
            "yes ",
        ];
        assert_eq!(found, expected);
        assert_eq!(targets(&temp.path().join("mk")), None);
    }
}
