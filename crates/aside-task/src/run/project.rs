//! What a project's files say about it: its name and version, what its targets and scripts run, its dependencies, and its README. Takes the
//! texts of these files, nearest first; reads none.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use serde_json::Value;
use toml_edit::Document;

/// The names of files that describe a project.
pub const FILES: &[&str] = &[
    "README.md",
    "README.rst",
    "README.txt",
    "README",
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "requirements.txt",
    "Cargo.toml",
    "go.mod",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "composer.json",
    "Gemfile",
    "pom.xml",
    "CMakeLists.txt",
    "Dockerfile",
    "docker-compose.yml",
    "compose.yaml",
    "VERSION",
    "CONTRIBUTING.md",
    "Rakefile",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradlew",
    "Taskfile.yml",
    "Taskfile.yaml",
];

/// Characters of a paragraph, and lines of a section, that are shown.
const MAX_PARAGRAPH: usize = 600;
const MAX_SECTION: usize = 24;
/// Names of one list.
const MAX_LISTED: usize = 60;

/// Each file by its path from the root of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    pub files: Vec<(String, String)>,
}

/// The contents of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    pub file: String,
    pub name: String,
    pub version: String,
    pub description: String,
    /// Each with the required version; empty when any will do.
    pub dependencies: Vec<(String, String)>,
    /// What has to be installed to run it: `node >=18`.
    pub needs: Vec<String>,
}

impl Manifest {
    /// Built from the values of the file's keys, and the language version that it requires.
    fn of(
        path: &str,
        says: impl Fn(&str) -> String,
        dependencies: Vec<(String, String)>,
        (language, version): (&str, &str),
    ) -> Self {
        let needs = if version.is_empty() { Vec::new() } else { vec![format!("{language} {version}")] };
        Self {
            file: path.to_owned(),
            name: says("name"),
            version: says("version"),
            description: says("description"),
            dependencies,
            needs,
        }
    }
}

/// The directories that hold the members of a workspace: `packages` of `packages/*`.
pub fn member_directories(package: &str, pnpm: &str) -> Vec<String> {
    let package: Option<Value> = serde_json::from_str(package).ok();
    let listed = package.as_ref().and_then(|package| {
        let workspaces = package.get("workspaces")?;
        workspaces.as_array().or_else(|| workspaces.get("packages")?.as_array())
    });
    let of_package = listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let of_pnpm = pnpm
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- "))
        .map(|glob| glob.trim_matches(['"', '\'', ' ']).to_owned());
    let globs = of_package.chain(of_pnpm).filter(|glob| !glob.starts_with('!') && !glob.contains(".."));
    globs
        .filter_map(|glob| {
            glob.strip_suffix("/*")
                .or_else(|| glob.strip_suffix("/**"))
                .map(|directory| directory.trim_start_matches("./").to_owned())
        })
        .filter(|directory| !directory.is_empty() && !directory.contains('*'))
        .collect()
}

impl Project {
    /// The members of a workspace of npm, each with its scripts and what they run.
    pub fn members(&self) -> Vec<(String, Vec<(String, String)>)> {
        let is_member =
            |(path, _): &&(String, String)| path.matches('/').count() >= 2 && path.ends_with("/package.json");
        let of = |(_, text): &(String, String)| {
            let package: Value = serde_json::from_str(text).ok()?;
            let name = package.get("name")?.as_str()?.to_owned();
            let scripts = package.get("scripts")?.as_object()?.iter();
            Some((
                name,
                scripts.map(|(name, runs)| (name.clone(), runs.as_str().unwrap_or_default().to_owned())).collect(),
            ))
        };
        self.files.iter().filter(is_member).filter_map(of).collect()
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        let called = |(path, _): &&(String, String)| path.rsplit('/').next() == Some(name);
        self.files.iter().find(called).map(|(_, text)| text.as_str())
    }

    fn makefile(&self) -> Option<(&str, &str)> {
        let is_one = |(path, _): &&(String, String)| {
            matches!(path.rsplit('/').next(), Some("Makefile" | "makefile" | "GNUmakefile"))
        };
        self.files.iter().find(is_one).map(|(path, text)| (path.as_str(), text.as_str()))
    }

    fn justfile(&self) -> Option<(&str, &str)> {
        let is_one = |(path, _): &&(String, String)| matches!(path.rsplit('/').next(), Some("justfile" | "Justfile"));
        self.files.iter().find(is_one).map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The file, and the lines that make or just would run for a target, without the prefixes that only they interpret.
    pub fn recipe(&self, target: &str) -> Option<(&str, Vec<String>)> {
        let of = |(path, text)| Some((path, recipe(text, target)?));
        self.makefile().and_then(of).or_else(|| self.justfile().and_then(of))
    }

    /// What a script of package.json runs.
    /// The targets that a target of the Makefile depends on.
    pub fn prerequisites(&self, target: &str) -> Vec<String> {
        let Some((_, line)) = self.rule(target) else { return Vec::new() };
        let needs =
            line.split_once(':').map_or("", |(_, needs)| needs.split(['#', ';', '|']).next().unwrap_or_default());
        let is_name = |name: &&str| name.chars().all(|letter| letter.is_alphanumeric() || "_-./".contains(letter));
        needs.split_whitespace().filter(is_name).map(str::to_owned).take(MAX_SECTION).collect()
    }

    /// What the Makefile says about a target: `## words` on its line, or the comment above it.
    pub fn comment(&self, target: &str) -> Option<String> {
        let (above, line) = self.rule(target)?;
        let own = line.split_once("##").map(|(_, comment)| comment);
        let comment = own.or_else(|| above.strip_prefix('#'))?.trim_start_matches('#').trim();
        (!comment.is_empty()).then(|| comment.to_owned())
    }

    /// The line of a rule, and the one above it.
    fn rule(&self, target: &str) -> Option<(&str, &str)> {
        let files = ["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile"];
        files.iter().filter_map(|name| self.text(name)).find_map(|text| {
            let lines: Vec<&str> = text.lines().collect();
            let at = lines.iter().position(|line| {
                heading(line).is_some_and(|names| names.split_whitespace().any(|name| name == target))
            })?;
            let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
            Some((above, *lines.get(at)?))
        })
    }

    pub fn script(&self, name: &str) -> Option<String> {
        let package: Value = serde_json::from_str(self.text("package.json")?).ok()?;
        package.get("scripts")?.get(name)?.as_str().map(str::to_owned)
    }

    /// All targets and scripts by their files, each with what it runs, in the order of the file.
    pub fn all_scripts(&self) -> Vec<(&str, Vec<(String, String)>)> {
        let mut all = Vec::new();
        for (path, text) in self.makefile().into_iter().chain(self.justfile()) {
            let mut targets: Vec<(String, String)> = Vec::new();
            for name in text.lines().filter_map(heading).flat_map(|names| names.split_whitespace()) {
                let is_plain = !name.starts_with('.') && !name.contains(['$', '%', '=', '/']);
                if is_plain && !targets.iter().any(|(known, _)| known == name) {
                    let runs = recipe(text, name).unwrap_or_default().join("; ");
                    targets.push((name.to_owned(), runs));
                }
            }
            if !targets.is_empty() {
                all.push((path, targets));
            }
        }
        let called = |(path, _): &&(String, String)| path.rsplit('/').next() == Some("package.json");
        for (path, text) in self.files.iter().filter(called) {
            let package: Option<Value> = serde_json::from_str(text).ok();
            let scripts = package.as_ref().and_then(|package| package.get("scripts")?.as_object());
            let scripts: Vec<(String, String)> = scripts
                .into_iter()
                .flatten()
                .map(|(name, runs)| (name.clone(), runs.as_str().unwrap_or_default().to_owned()))
                .collect();
            if !scripts.is_empty() {
                all.push((path.as_str(), scripts));
            }
        }
        all
    }

    /// Whether the Makefile has a variable of this name, which the command line may set.
    pub fn has_variable(&self, name: &str) -> bool {
        let Some((_, text)) = self.makefile() else { return false };
        text.lines().any(|line| {
            let rest = line.strip_prefix(name).map(str::trim_start);
            rest.is_some_and(|rest| ["=", ":=", "?=", "::="].iter().any(|sign| rest.starts_with(sign)))
        })
    }

    pub fn manifests(&self) -> Vec<Manifest> {
        let read = |(path, text): &(String, String)| match path.rsplit('/').next()? {
            "package.json" | "composer.json" => package(path, text),
            "pyproject.toml" => pyproject(path, text),
            "Cargo.toml" => cargo(path, text),
            "go.mod" => go(path, text),
            "requirements.txt" => Some(requirements(path, text)),
            "VERSION" => Some(Manifest { file: path.clone(), version: text.trim().to_owned(), ..Manifest::default() }),
            _ => None,
        };
        self.files.iter().filter_map(read).collect()
    }

    fn readme(&self) -> Option<(&str, &str)> {
        let is_one =
            |(path, _): &&(String, String)| path.rsplit('/').next().is_some_and(|name| name.starts_with("README"));
        self.files.iter().find(is_one).map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The first meaningful paragraph of the README, with its file.
    pub fn about(&self) -> Option<(&str, String)> {
        let (path, text) = self.readme()?;
        Some((path, paragraph(text)?))
    }

    /// The section of the README whose title has one of these words, as written.
    pub fn section(&self, words: &[&str]) -> Option<(&str, String)> {
        let (path, text) = self.readme()?;
        Some((path, section(text, words)?))
    }
}

/// The names before the colon of a rule.
fn heading(line: &str) -> Option<&str> {
    let (names, rest) = line.split_once(':')?;
    let is_rule = !line.starts_with([' ', '\t', '#']) && !rest.starts_with('=') && !names.contains(['=', '"', '\'']);
    is_rule.then_some(names)
}

fn recipe(text: &str, target: &str) -> Option<Vec<String>> {
    let mut lines = text.lines();
    let heads = |line: &str| {
        let names = line.split_once(':').filter(|(_, rest)| !rest.starts_with('=')).map(|(names, _)| names);
        !line.starts_with([' ', '\t', '#'])
            && names.is_some_and(|names| {
                names.split_whitespace().next() == Some(target) || names.split_whitespace().any(|name| name == target)
            })
    };
    lines.by_ref().find(|line| heads(line))?;
    let body = lines.take_while(|line| line.starts_with([' ', '\t']) || line.trim().is_empty());
    let body: Vec<&str> = body.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let joined = body.join("\n").replace("\\\n", " ");
    let clean = |line: &str| line.trim_start_matches(['@', '-', '+']).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(joined.lines().map(clean).filter(|line| !line.is_empty()).take(MAX_SECTION).collect())
}

fn text_of(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn package(path: &str, text: &str) -> Option<Manifest> {
    let package: Value = serde_json::from_str(text).ok()?;
    let mut dependencies = Vec::new();
    for key in ["dependencies", "devDependencies", "require", "require-dev"] {
        let list = package.get(key).and_then(Value::as_object).into_iter().flatten();
        dependencies.extend(
            list.map(|(name, version)| (name.clone(), version.as_str().unwrap_or_default().to_owned()))
                .take(MAX_LISTED),
        );
    }
    let engines = package.get("engines").and_then(Value::as_object).into_iter().flatten();
    let needs = engines.map(|(name, version)| format!("{name} {}", version.as_str().unwrap_or_default())).collect();
    Some(Manifest {
        file: path.to_owned(),
        name: text_of(&package, "name"),
        version: text_of(&package, "version"),
        description: text_of(&package, "description"),
        dependencies,
        needs,
    })
}

fn pyproject(path: &str, text: &str) -> Option<Manifest> {
    let document = Document::parse(text).ok()?;
    let poetry = document.get("tool").and_then(|tool| tool.get("poetry"));
    let project = document.get("project").or(poetry)?;
    let of = |key: &str| project.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let list = project.get("dependencies").and_then(|list| list.as_array()).into_iter().flatten();
    let mut dependencies: Vec<(String, String)> = list.filter_map(|item| item.as_str().map(requirement)).collect();
    if let Some(table) = poetry.and_then(|poetry| poetry.get("dependencies")).and_then(|table| table.as_table_like()) {
        dependencies.extend(
            table.iter().map(|(name, version)| (name.to_owned(), version.as_str().unwrap_or_default().to_owned())),
        );
    }
    let python = of("requires-python");
    Some(Manifest::of(path, of, dependencies, ("python", &python)))
}

fn cargo(path: &str, text: &str) -> Option<Manifest> {
    let document = Document::parse(text).ok()?;
    let workspace = document.get("workspace").and_then(|workspace| workspace.get("package"));
    let of = |key: &str| {
        let own = document.get("package").and_then(|package| package.get(key)).and_then(|value| value.as_str());
        let shared = workspace.and_then(|package| package.get(key)).and_then(|value| value.as_str());
        own.or(shared).unwrap_or_default().to_owned()
    };
    let mut dependencies = Vec::new();
    for key in ["dependencies", "dev-dependencies"] {
        let table = document.get(key).and_then(|table| table.as_table_like());
        for (name, value) in table.into_iter().flat_map(|table| table.iter()).take(MAX_LISTED) {
            let version = value.as_str().or_else(|| value.get("version").and_then(|version| version.as_str()));
            dependencies.push((name.to_owned(), version.unwrap_or_default().to_owned()));
        }
    }
    let rust = of("rust-version");
    Some(Manifest::of(path, of, dependencies, ("rust", &rust)))
}

fn go(path: &str, text: &str) -> Option<Manifest> {
    let after = |word: &str| text.lines().find_map(|line| line.trim().strip_prefix(word)).map(str::trim);
    let required = text.lines().map(str::trim).map(|line| line.trim_start_matches("require "));
    let required = required.filter_map(|line| {
        let (name, version) = line.split_once(" v")?;
        let version = version.split_whitespace().next()?;
        name.contains('.').then(|| (name.to_owned(), format!("v{version}")))
    });
    Some(Manifest {
        file: path.to_owned(),
        name: after("module ")?.to_owned(),
        dependencies: required.take(MAX_LISTED).collect(),
        needs: after("go ").map(|version| format!("go {version}")).into_iter().collect(),
        ..Manifest::default()
    })
}

fn requirements(path: &str, text: &str) -> Manifest {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '-']));
    let dependencies = lines.map(requirement).take(MAX_LISTED).collect();
    Manifest { file: path.to_owned(), dependencies, ..Manifest::default() }
}

/// Splits `requests>=2.0` in two.
fn requirement(text: &str) -> (String, String) {
    let end = text.find(|letter: char| "<>=!~;[ ".contains(letter)).unwrap_or(text.len());
    let (name, version) = text.split_at(end);
    (name.to_owned(), version.trim().to_owned())
}

static TITLE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(#{1,6})\s+(.*?)\s*#*$").ok());

fn title(line: &str) -> Option<(usize, String)> {
    let found = TITLE.as_ref()?.captures(line)?;
    Some((found.get(1)?.len(), found.get(2)?.as_str().to_lowercase()))
}

fn paragraph(text: &str) -> Option<String> {
    let is_prose = |part: &&str| {
        let first = part.trim_start();
        !first.is_empty()
            && !first.starts_with(['#', '!', '<', '`', '|', '-', '*', '=', '>', '+'])
            && !first.starts_with("[![")
            && !first.lines().nth(1).is_some_and(|line| line.starts_with("===") || line.starts_with("---"))
            && first.split_whitespace().count() >= 3
    };
    let normal = text.replace("\r\n", "\n");
    // A title directly above its paragraph is not part of it.
    let parted: String = normal
        .lines()
        .map(|line| if title(line).is_some() { format!("{line}\n\n") } else { format!("{line}\n") })
        .collect();
    let found = parted.split("\n\n").find(is_prose)?;
    let line = found.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().take(MAX_PARAGRAPH).collect())
}

fn section(text: &str, words: &[&str]) -> Option<String> {
    let mut depth = None;
    let mut rows: Vec<&str> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        match (depth, title(line).filter(|_| !fenced)) {
            (None, Some((level, title))) if words.iter().any(|word| has_word(&title, word)) => depth = Some(level),
            (Some(depth), Some((level, _))) if level <= depth => break,
            (Some(_), _) => rows.push(line),
            (None, _) => {}
        }
    }
    let told = rows.iter().take(MAX_SECTION).copied().collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned();
    // Closes a fence that was cut open.
    let open = told.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1;
    let told = if open { format!("{told}\n```") } else { told };
    Some(told).filter(|told| !told.trim().is_empty())
}

fn has_word(title: &str, word: &str) -> bool {
    title.split(|letter: char| !letter.is_alphanumeric()).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> Project {
        Project { files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect() }
    }

    #[test]
    fn manifests_of_five_kinds_are_read() {
        let all = project(&[
            (
                "package.json",
                r#"{"name":"a","version":"1.2.0","engines":{"node":">=18"},"dependencies":{"x":"^1"},"devDependencies":{"y":"2"}}"#,
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'b'\nversion = '0.1'\ndescription = 'B'\nrequires-python = '>=3.9'\ndependencies = ['requests>=2']\n",
            ),
            (
                "Cargo.toml",
                "[package]\nname = \"c\"\nversion = \"3.0.0\"\n[dependencies]\nserde = { version = \"1\" }\nlog = \"0.4\"\n",
            ),
            ("go.mod", "module example.com/d\n\ngo 1.21\n\nrequire (\n\tgithub.com/a/b v1.0.0 // indirect\n)\n"),
            ("requirements.txt", "# all\nflask==3.0\nclick\n-r dev.txt\n"),
        ]);
        let told: Vec<String> = all
            .manifests()
            .iter()
            .map(|manifest| {
                let all: Vec<String> =
                    manifest.dependencies.iter().map(|(name, version)| format!("{name} {version}")).collect();
                format!("{}|{}|{}|{}", manifest.name, manifest.version, all.join(","), manifest.needs.join(","))
            })
            .collect();
        assert_eq!(
            told,
            [
                "a|1.2.0|x ^1,y 2|node >=18",
                "b|0.1|requests >=2|python >=3.9",
                "c|3.0.0|serde 1,log 0.4|",
                "example.com/d||github.com/a/b v1.0.0|go 1.21",
                "||flask ==3.0,click |"
            ]
        );
    }

    #[test]
    fn recipes_are_read_as_they_run() {
        let make = project(&[(
            "Makefile",
            "PORT ?= 80\nall: build\n\nclean: ## tidy\n\t@rm -rf build \\\n\t  dist\n\t-rm x\n\nserve run:\n\tx --port $(PORT)\n",
        )]);
        assert_eq!(make.recipe("clean"), Some(("Makefile", vec!["rm -rf build dist".to_owned(), "rm x".to_owned()])));
        assert_eq!(make.recipe("run").map(|(_, lines)| lines), Some(vec!["x --port $(PORT)".to_owned()]));
        assert_eq!(make.recipe("PORT"), None);
        assert!(make.has_variable("PORT") && !make.has_variable("HOST"));
        let just = project(&[("justfile", "test:\n    cargo test\n")]);
        assert_eq!(just.recipe("test").map(|(_, lines)| lines), Some(vec!["cargo test".to_owned()]));
    }

    #[test]
    fn a_readme_says_what_it_is_and_how_to_begin() {
        let text = "# Title\n[![badge](x)](y)\n\n<p>logo</p>\n\nKeeps carts, and\nprices too.\n\n## Installation\n\n```sh\n# not a title\nnpm i\n```\n\n### More\n\nx\n\n## License\n\nMIT\n";
        let all = project(&[("README.md", text)]);
        assert_eq!(all.about().map(|(_, text)| text).as_deref(), Some("Keeps carts, and prices too."));
        let install = all.section(&["install", "installation"]).map(|(_, text)| text).unwrap();
        assert!(install.starts_with("```sh\n# not a title\nnpm i\n```") && !install.contains("MIT"), "{install}");
        assert_eq!(all.section(&["usage"]), None);
    }
}
