//! What of an error is the project's own: a module, a package or a member of the workspace is never installed from a registry, and what is
//! installed is installed with the project's package manager. Takes the paths of the project and the texts of its manifests.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;
use aside_text::lazy_regex::Regex;
use regex::Captures;
use serde_json::Value;

use crate::run::toml_lists;

const CURES: &str = include_str!("../../../data/task/cures.toml");

/// Programs that are called otherwise than the packages of npm that have them.
static PACKAGES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let row = |table: &toml_edit::Table| Some((toml_lists::text(table, "program")?, toml_lists::text(table, "of")?));
    toml_lists::tables(CURES, "package", row)
});

/// The package manager that runs the scripts of package.json.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeManager {
    #[default]
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PythonManager {
    #[default]
    Pip,
    Uv,
    Poetry,
    Pipenv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    Node,
    Crate,
    RustModule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct OwnModule {
    language: Language,
    name: String,
    /// The directory or the file.
    path: String,
    /// What an import of it loads, where that is not there yet.
    unbuilt: Option<String>,
    builds: bool,
}

/// The names and the package managers of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnProject {
    modules: Vec<OwnModule>,
    paths: BTreeSet<String>,
    node: NodeManager,
    has_workspace: bool,
    python: PythonManager,
    has_vitest: bool,
    /// What package.json depends on.
    packages: BTreeSet<String>,
}

impl NodeManager {
    /// The manager that a package.json names.
    pub fn named(package: &str) -> Option<Self> {
        let package: Value = serde_json::from_str(package).ok()?;
        match package.get("packageManager")?.as_str()?.split('@').next()? {
            "pnpm" => Some(Self::Pnpm),
            "yarn" => Some(Self::Yarn),
            "bun" => Some(Self::Bun),
            "npm" => Some(Self::Npm),
            _ => None,
        }
    }

    pub fn program(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
        }
    }

    /// How a script of a member of the workspace is run.
    pub fn of_member(self, member: &str, script: &str) -> String {
        match self {
            Self::Npm => format!("npm run {script} -w {member}"),
            Self::Pnpm => format!("pnpm --filter {member} {script}"),
            Self::Yarn => format!("yarn workspace {member} {script}"),
            Self::Bun => format!("bun run --filter {member} {script}"),
        }
    }

    /// A command of npm as this manager spells it.
    pub fn spelled(self, text: &str, has_workspace: bool) -> String {
        static NPM: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r"\bnpm (?:(?P<add>install|i) (?P<flags>(?:-\S+ )*)(?P<name>[@\w<][^\s`;&|]*)|(?P<install>install|ci)\b|(?P<run>run |test\b|start\b))|\bnpx (?:--no-install )?").ok()
        });
        let (Self::Pnpm | Self::Yarn | Self::Bun, Some(pattern)) = (self, NPM.as_ref()) else { return text.to_owned() };
        let program = self.program();
        let spelled = pattern.replace_all(text, |found: &Captures<'_>| {
            let dev = found
                .name("flags")
                .is_some_and(|flags| flags.as_str().contains("-D") || flags.as_str().contains("--save-dev"));
            match (found.name("name"), found.name("install"), found.name("run")) {
                (Some(name), ..) => {
                    let dev = if dev { " -D" } else { "" };
                    let root = if self == Self::Pnpm && has_workspace { " -w" } else { "" };
                    format!("{program} add{dev}{root} {}", name.as_str())
                }
                (None, Some(_), _) => format!("{program} install"),
                (None, None, Some(run)) => format!("{program} {}", run.as_str()),
                (None, None, None) => match self {
                    Self::Pnpm => "pnpm exec ".to_owned(),
                    Self::Yarn => "yarn ".to_owned(),
                    _ => "bunx ".to_owned(),
                },
            }
        });
        let install = format!("`{program} install`");
        spelled.replace(&format!("{install}, {install}"), &install).replace(&format!("{install}、{install}"), &install)
    }
}

impl OwnProject {
    /// `text` reads a file, `exists` says whether one is there that git may ignore.
    pub fn of<'a>(
        paths: impl Iterator<Item = &'a str>,
        text: &dyn Fn(&str) -> Option<String>,
        exists: &dyn Fn(&str) -> bool,
    ) -> Self {
        let paths: BTreeSet<String> = paths.map(str::to_owned).collect();
        let has = |name: &str| paths.contains(name);
        let mut modules: Vec<OwnModule> = Vec::new();
        let plain = |language, name: &str, path: &str| OwnModule {
            language,
            name: name.to_owned(),
            path: path.to_owned(),
            unbuilt: None,
            builds: false,
        };
        for path in &paths {
            let (above, file) = path.rsplit_once('/').unwrap_or(("", path));
            match file.rsplit_once('.') {
                Some((stem, "py")) => {
                    let below = path.strip_prefix("src/").unwrap_or(path);
                    let source = if below.len() < path.len() { "src/" } else { "" };
                    match below.split_once('/') {
                        Some((package, _)) => {
                            modules.push(plain(Language::Python, package, &format!("{source}{package}")))
                        }
                        None => modules.push(plain(Language::Python, stem, path)),
                    }
                }
                Some((stem, "rs")) if !["main", "lib", "build", "mod"].contains(&stem) => {
                    modules.push(plain(Language::RustModule, stem, path));
                }
                Some(("mod", "rs")) => {
                    modules.push(plain(Language::RustModule, above.rsplit('/').next().unwrap_or(above), path));
                }
                _ => {}
            }
            if file == "package.json"
                && let Some(package) = text(path).and_then(|text| serde_json::from_str::<Value>(&text).ok())
                && let Some(name) = package.get("name").and_then(Value::as_str)
            {
                let of = |key: &str| package.get(key).and_then(Value::as_str).map(|file| file.trim_start_matches("./"));
                let loaded = of("main").or_else(|| of("module")).or_else(|| of("types"));
                let loaded =
                    loaded.map(|file| if above.is_empty() { file.to_owned() } else { format!("{above}/{file}") });
                modules.push(OwnModule {
                    unbuilt: loaded.filter(|file| !paths.contains(file) && !exists(file)),
                    builds: package.get("scripts").and_then(|scripts| scripts.get("build")).is_some(),
                    ..plain(Language::Node, name, if above.is_empty() { "." } else { above })
                });
            }
            if file == "Cargo.toml"
                && let Some(manifest) = text(path).and_then(|text| text.parse::<toml_edit::DocumentMut>().ok())
                && let Some(name) = manifest.get("package").and_then(|package| package.get("name")?.as_str())
            {
                modules.push(plain(Language::Crate, name, if above.is_empty() { "." } else { above }));
            }
        }
        let root = text("package.json").unwrap_or_default();
        let node = NodeManager::named(&root).unwrap_or(match () {
            () if has("pnpm-workspace.yaml") || has("pnpm-lock.yaml") => NodeManager::Pnpm,
            () if has("yarn.lock") => NodeManager::Yarn,
            () if has("bun.lockb") || has("bun.lock") => NodeManager::Bun,
            () => NodeManager::Npm,
        });
        let python = match () {
            () if has("uv.lock") => PythonManager::Uv,
            () if has("poetry.lock") => PythonManager::Poetry,
            () if has("Pipfile") => PythonManager::Pipenv,
            () if text("pyproject.toml").is_some_and(|text| text.contains("[tool.poetry]")) => PythonManager::Poetry,
            () => PythonManager::Pip,
        };
        let of_vitest = |path: &String| path.rsplit('/').next().is_some_and(|name| name.starts_with("vitest."));
        let has_vitest = paths.iter().any(of_vitest) || root.contains("\"vitest\"");
        let manifest = serde_json::from_str::<Value>(&root).unwrap_or_default();
        let listed = ["dependencies", "devDependencies", "optionalDependencies"];
        let lists = listed.iter().filter_map(|key| manifest.get(*key)?.as_object());
        let packages = lists.flat_map(|list| list.keys().cloned()).collect();
        Self { modules, has_vitest, has_workspace: has("pnpm-workspace.yaml"), paths, node, python, packages }
    }

    /// What to do about a missing module of the project itself; `None` where the line names none.
    pub fn advice(&self, lines: &str) -> Option<Bilingual> {
        static MISSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r"No module named '?(?P<python>[A-Za-z_][\w.]*)|Cannot find (?:module|package) '(?P<node>@?\w[^']*)'|(?:unresolved import `|(?:undeclared|unresolved) (?:crate or module|module or unlinked crate) `|can't find crate for `)(?P<rust>\w+)").ok()
        });
        if let Some(advice) = self.of_program(lines).or_else(|| self.of_database(lines)) {
            return Some(advice);
        }
        let found = MISSING.as_ref()?.captures(lines)?;
        let of = |languages: &[Language], name: &str| {
            let same = |module: &&OwnModule| {
                module.name == name || languages.contains(&Language::Crate) && module.name.replace('-', "_") == name
            };
            self.modules.iter().filter(|module| languages.contains(&module.language)).find(same)
        };
        if let Some(name) = found.name("python") {
            let mut parts = name.as_str().trim_end_matches('.').split('.');
            let module = of(&[Language::Python], parts.next()?)?;
            return Some(self.of_python(module, parts));
        }
        if let Some(name) = found.name("node") {
            let mut parts = name.as_str().split('/');
            let first = parts.next()?;
            let package = if first.starts_with('@') { format!("{first}/{}", parts.next()?) } else { first.to_owned() };
            let module = of(&[Language::Node], &package)?;
            return Some(self.of_node(module));
        }
        let name = found.name("rust")?.as_str();
        let module = of(&[Language::Crate, Language::RustModule], name)?;
        let path = &module.path;
        Some(match module.language {
            Language::Crate => Bilingual::new(
                format!("`{name}` is a crate of this project, so it is added by its path: `cargo add --path {path}`."),
                format!("`{name}` 是本项目的 crate，请按路径添加：`cargo add --path {path}`。"),
            ),
            _ => Bilingual::new(
                format!(
                    "`{name}` is a module of this project (`{path}`): declare it with `mod {name};` and write `crate::{name}`."
                ),
                format!("`{name}` 是本项目的模块（`{path}`）：用 `mod {name};` 声明，并写 `crate::{name}`。"),
            ),
        })
    }

    /// A table or a column that the database lacks: the project's own migrations make it.
    fn of_database(&self, lines: &str) -> Option<Bilingual> {
        static MISSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r#"relation "(?P<a>[^"]+)" does not exist|no such (?P<kind>table|column): (?P<b>[\w.]+)|column "?(?P<c>[\w.]+)"?(?: of relation "[^"]+")? does not exist|Table '(?P<d>[^']+)' doesn't exist|Unknown column '(?P<e>[^']+)'|has no column named (?P<f>\w+)"#).ok()
        });
        let found = MISSING.as_ref()?.captures(lines)?;
        let of =
            |groups: &[&str]| groups.iter().find_map(|group| found.name(group)).map(|name| name.as_str().to_owned());
        let is_column = found.name("kind").is_some_and(|kind| kind.as_str() == "column");
        let (kind, name) = match of(&["c", "e", "f"]) {
            Some(name) => ("column", name),
            None => (if is_column { "column" } else { "table" }, of(&["a", "b", "d"])?),
        };
        let has = |end: &str| self.paths.iter().any(|path| path == end || path.ends_with(&format!("/{end}")));
        let below = |part: &str| self.paths.iter().any(|path| path.contains(part));
        let script = self.paths.iter().find(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            ["migrate.sh", "migrate.py", "migrate.js", "migrate.ts"].contains(&name)
        });
        let command = match () {
            () if has("manage.py") => "python manage.py migrate".to_owned(),
            () if has("alembic.ini") => "alembic upgrade head".to_owned(),
            () if has("schema.prisma") => "npx prisma migrate deploy".to_owned(),
            () if below("db/migrate/") => "bin/rails db:migrate".to_owned(),
            () if has("diesel.toml") => "diesel migration run".to_owned(),
            () if has("knexfile.js") || has("knexfile.ts") => "npx knex migrate:latest".to_owned(),
            () if has("mix.exs") => "mix ecto.migrate".to_owned(),
            () if has("artisan") => "php artisan migrate".to_owned(),
            () => format!("./{}", script?),
        };
        let chinese = if kind == "column" { "列" } else { "表" };
        Some(Bilingual::new(
            format!("The database has no {kind} `{name}`, which the code expects: a migration has not been applied. `{command}` applies what is missing (first `makemigrations` or the like where none was written yet).")
                .replace(" (first `makemigrations` or the like where none was written yet)", if has("manage.py") { " (`python manage.py showmigrations` lists them; `makemigrations` first where the model is newer)" } else { "" }),
            format!("数据库里没有代码需要的{chinese} `{name}`：有迁移没有执行。`{command}` 执行缺少的迁移。"),
        ))
    }

    /// A missing program that a package of package.json has: it is installed with the others.
    fn of_program(&self, lines: &str) -> Option<Bilingual> {
        static PROGRAM: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r"(?m)command not found: (?P<a>[\w.-]+)$|(?:^|: )(?P<b>[\w.-]+): (?:command )?not found$").ok()
        });
        let found = PROGRAM.as_ref()?.captures(lines)?;
        let name = found.name("a").or(found.name("b"))?.as_str();
        let package =
            PACKAGES.iter().find(|(program, _)| program == name).map_or(name, |(_, package)| package.as_str());
        if !self.packages.contains(package) {
            return None;
        }
        let install = self.in_terms("npm install");
        Some(Bilingual::new(
            format!(
                "`{name}` is a program of `{package}`, which package.json has: `{install}` installs it into `node_modules`. Scripts of package.json find it there; by hand it is `npx {name}`."
            ),
            format!(
                "`{name}` 是 `{package}` 里的程序，package.json 里有它：`{install}` 把它装进 `node_modules`。package.json 的脚本能找到它；手动运行用 `npx {name}`。"
            ),
        ))
    }

    fn of_python<'a>(&self, module: &OwnModule, parts: impl Iterator<Item = &'a str>) -> Bilingual {
        let OwnModule { name, path, .. } = module;
        let mut at = path.trim_end_matches(".py").to_owned();
        for part in parts {
            at = format!("{at}/{part}");
            let file = format!("{at}.py");
            let is_there =
                self.paths.contains(&file) || self.paths.iter().any(|path| path.starts_with(&format!("{at}/")));
            if !is_there {
                return Bilingual::new(
                    format!(
                        "`{name}` is this project's own, so there is nothing to install: `{file}` is missing in it."
                    ),
                    format!("`{name}` 是本项目自己的，不需要安装：其中缺少 `{file}`。"),
                );
            }
        }
        let install = self.in_terms("pip install -e .");
        let top = path.rsplit_once('/').map_or("the top of the project".to_owned(), |(above, _)| format!("`{above}`"));
        Bilingual::new(
            format!(
                "`{name}` is this project's own (`{path}`), and not on Python's path: run from {top}, or install the project: `{install}`."
            ),
            format!(
                "`{name}` 是本项目自己的（`{path}`），但不在 Python 的路径里：请从它所在的目录运行，或者安装本项目：`{install}`。"
            ),
        )
    }

    fn of_node(&self, module: &OwnModule) -> Bilingual {
        let OwnModule { name, path, unbuilt, builds, .. } = module;
        let install = format!("{} install", self.node.program());
        let build = self.node.of_member(name, "build");
        match unbuilt {
            Some(file) if *builds => Bilingual::new(
                format!(
                    "`{name}` is a package of this project (`{path}`), and `{file}`, which an import of it loads, is not there: build it with `{build}`. `{install}` links it."
                ),
                format!(
                    "`{name}` 是本项目的包（`{path}`），导入它所需的 `{file}` 还不存在：用 `{build}` 构建。`{install}` 会链接它。"
                ),
            ),
            Some(file) => Bilingual::new(
                format!(
                    "`{name}` is a package of this project (`{path}`), and `{file}`, which an import of it loads, is not there."
                ),
                format!("`{name}` 是本项目的包（`{path}`），导入它所需的 `{file}` 不存在。"),
            ),
            None => Bilingual::new(
                format!(
                    "`{name}` is a package of this project (`{path}`), so it is linked and not added: `{install}`."
                ),
                format!("`{name}` 是本项目的包（`{path}`），只需链接：`{install}`。"),
            ),
        }
    }

    /// Whether a command would install something that is the project's own.
    pub fn installs_own(&self, command: &str) -> bool {
        let words: Vec<&str> = command.split_whitespace().collect();
        let installs = words.iter().any(|word| ["install", "add", "i"].contains(word));
        let is_own = |word: &&str| {
            let bare = word.trim_matches(['\'', '"']);
            self.modules.iter().any(|module| {
                module.name == bare || module.language == Language::Crate && module.name.replace('-', "_") == bare
            })
        };
        installs && words.iter().skip(2).any(is_own)
    }

    /// A text about npm and pip in terms of the project's package managers.
    pub fn in_terms(&self, text: &str) -> String {
        // Of two runners, the project has one.
        static RUNNERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r"(?P<jest>`npx jest [^`]*`) ?[(（](?:or|或) ?(?P<vitest>`npx vitest [^`]*`)[)）]").ok()
        });
        let spelled = match RUNNERS.as_ref() {
            Some(pattern) if self.has_vitest => pattern.replace_all(text, "$vitest").into_owned(),
            _ => text.to_owned(),
        };
        let spelled = self.node.spelled(&spelled, self.has_workspace);
        let (all, add) = match self.python {
            PythonManager::Pip => return spelled,
            PythonManager::Uv => ("uv sync", "uv add"),
            PythonManager::Poetry => ("poetry install", "poetry add"),
            PythonManager::Pipenv => ("pipenv install -e .", "pipenv install"),
        };
        static PIP: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r"\b(?:python3? -m )?pip3? install (?:(?P<own>-e \.)|(?P<name>[A-Za-z][^\s`;&|]*))").ok()
        });
        let Some(pattern) = PIP.as_ref() else { return spelled };
        let told = pattern.replace_all(&spelled, |found: &Captures<'_>| match found.name("name") {
            Some(name) => format!("{add} {}", name.as_str()),
            None => all.to_owned(),
        });
        told.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> OwnProject {
        let text = |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
        OwnProject::of(files.iter().map(|(path, _)| *path), &text, &|_| false)
    }

    fn said(project: &OwnProject, line: &str) -> String {
        project.advice(line).map(|says| says.english).unwrap_or_default()
    }

    #[test]
    fn a_module_of_the_project_is_never_installed() {
        let shop = project(&[("shop/__init__.py", ""), ("shop/cart.py", ""), ("src/till/a.py", ""), ("uv.lock", "")]);
        assert!(
            said(&shop, "ModuleNotFoundError: No module named 'shop.asgi'")
                .ends_with("`shop/asgi.py` is missing in it.")
        );
        assert!(
            said(&shop, "No module named shop.cart")
                .contains("run from the top of the project, or install the project: `uv sync`")
        );
        assert!(said(&shop, "No module named 'till'").contains("run from `src`"));
        assert_eq!(said(&shop, "No module named 'requests'"), "");
        assert!(shop.installs_own("pip install shop") && !shop.installs_own("pip install requests"));
        let ts = project(&[
            ("package.json", "{\"name\": \"atlas\", \"packageManager\": \"yarn@4.0.0\"}"),
            (
                "libs/geo/package.json",
                "{\"name\": \"@atlas/geo\", \"main\": \"./out/geo.js\", \"scripts\": {\"build\": \"tsc\"}}",
            ),
            ("libs/ui/package.json", "{\"name\": \"@atlas/ui\"}"),
        ]);
        let geo = said(&ts, "a.ts(1,2): error TS2307: Cannot find module '@atlas/geo' or its types");
        assert!(geo.contains("`libs/geo/out/geo.js`") && geo.contains("`yarn workspace @atlas/geo build`"), "{geo}");
        assert!(said(&ts, "Cannot find package '@atlas/ui/button' imported").contains("`yarn install`"));
        assert_eq!(said(&ts, "Cannot find module 'left-pad'"), "");
        assert!(ts.installs_own("npm install @atlas/geo"));
        let rust = project(&[
            ("Cargo.toml", "[package]\nname = \"mill\"\n"),
            ("src/gear.rs", ""),
            ("crates/mill-core/Cargo.toml", "[package]\nname = \"mill-core\"\n"),
        ]);
        assert!(said(&rust, "error[E0432]: unresolved import `gear`").contains("`mod gear;`"));
        assert!(
            said(&rust, "error[E0433]: use of undeclared crate or module `mill_core`")
                .contains("--path crates/mill-core")
        );
        assert_eq!(said(&rust, "error[E0432]: unresolved import `serde`"), "");
        assert!(rust.installs_own("cargo add mill_core") && !rust.installs_own("cargo add serde"));
    }

    #[test]
    fn the_package_manager_is_the_one_of_the_project() {
        for (files, text, expected) in [
            (
                &[("pnpm-workspace.yaml", "")][..],
                "`npm install left-pad`, or `npm install`",
                "`pnpm add -w left-pad`, or `pnpm install`",
            ),
            (&[("yarn.lock", "")], "npm install --save-dev chalk", "yarn add -D chalk"),
            (&[("bun.lockb", "")], "npx --no-install tsc; npm run build", "bunx tsc; bun run build"),
            (&[("package-lock.json", "")], "npm install x", "npm install x"),
            (
                &[("pnpm-lock.yaml", "")],
                "(`npm install`, `pnpm install`, `cargo build`)",
                "(`pnpm install`, `cargo build`)",
            ),
            (
                &[("poetry.lock", "")],
                "`pip install attrs` or `pip install -e .`",
                "`poetry add attrs` or `poetry install`",
            ),
            (
                &[("vitest.config.ts", "")],
                "`npx jest a.ts` (or `npx vitest run a.ts`) runs it",
                "`npx vitest run a.ts` runs it",
            ),
            (&[("Pipfile", "")], "pip install attrs", "pipenv install attrs"),
            (&[("package.json", "{\"packageManager\": \"pnpm@9.1.0\"}"), ("yarn.lock", "")], "npm test", "pnpm test"),
        ] {
            assert_eq!(project(files).in_terms(text), expected, "{files:?}");
        }
    }
}
