//! Ways of doing something with the tools of this project: its package manager, its formatter, its containers.

use aside_core::agent::language::Language;
use aside_task::run::compose;
use aside_task::run::model_reply::fenced;
use aside_task::run::question::way::WayContext;
use aside_task::run::{code, short};

use super::Inquiry;
use crate::daemon::tasks::attempt::project_answers;

impl Inquiry<'_> {
    fn has(&self, file: &str) -> bool {
        self.workspace.root().join(file).is_file()
    }

    fn manager(&self) -> &'static str {
        match () {
            () if self.has("pnpm-lock.yaml") => "pnpm",
            () if self.has("yarn.lock") => "yarn",
            () if self.has("bun.lockb") || self.has("bun.lock") => "bun",
            () => "npm",
        }
    }

    pub(super) fn way_context(&self) -> WayContext {
        let project = self.workspace.project();
        let manifest = project.text("package.json").unwrap_or_default();
        let runner =
            if manifest.contains("\"jest\"") && !manifest.contains("\"vitest\"") { "jest" } else { "vitest run" };
        let test = match () {
            () if project.recipe("test").is_some() => "make test".to_owned(),
            () if project.script("test").is_some() => format!("{} test", self.manager()),
            () if self.has("Cargo.toml") => "cargo test".to_owned(),
            () if self.has("go.mod") => "go test ./...".to_owned(),
            () if self.has("pyproject.toml") || self.has("pytest.ini") => "pytest".to_owned(),
            () => String::new(),
        };
        WayContext { branch: self.workspace.git().branch, test, runner: runner.to_owned() }
    }

    pub(super) fn add_dependency(&self) -> Option<String> {
        let dev = ["dev ", "development", "开发"].iter().any(|word| self.words.contains(word));
        let poetry = self.workspace.project().text("pyproject.toml").is_some_and(|text| text.contains("[tool.poetry"));
        let (cmd, english, chinese) = match () {
            () if self.has("package.json") => {
                let (manager, flag) = (self.manager(), if dev { " -D" } else { "" });
                let verb = if manager == "npm" { "install" } else { "add" };
                let flag = if manager == "npm" && dev { " --save-dev" } else { flag };
                (
                    format!("{manager} {verb}{flag} NAME"),
                    "It writes package.json and the lock file; commit both.",
                    "会写入 package.json 和锁文件，两个都要提交。",
                )
            }
            () if self.has("Cargo.toml") => {
                let flag = if dev { " --dev" } else { "" };
                (
                    format!("cargo add{flag} NAME"),
                    "`-p CRATE` adds it to one member of the workspace.",
                    "`-p CRATE` 加到工作区的一个成员。",
                )
            }
            () if self.has("go.mod") => (
                "go get MODULE@latest && go mod tidy".to_owned(),
                "The first brings go.mod up to date, the second removes what nothing imports.",
                "前一条更新 go.mod，后一条去掉没有导入的模块。",
            ),
            () if self.has("uv.lock") => {
                let flag = if dev { " --dev" } else { "" };
                (
                    format!("uv add{flag} NAME"),
                    "It writes pyproject.toml and uv.lock; commit both.",
                    "会写入 pyproject.toml 和 uv.lock，两个都要提交。",
                )
            }
            () if poetry => {
                let flag = if dev { " --group dev" } else { "" };
                (
                    format!("poetry add{flag} NAME"),
                    "It writes pyproject.toml and poetry.lock; commit both.",
                    "会写入 pyproject.toml 和 poetry.lock，两个都要提交。",
                )
            }
            () if self.has("pyproject.toml") => (
                "pip install NAME".to_owned(),
                "Then write it into `dependencies` of pyproject.toml (or the `dev` extra): `aside task add NAME to the dependencies` does that.",
                "然后写入 pyproject.toml 的 `dependencies`（或 `dev` 扩展）：`aside task 添加依赖 NAME` 可以完成。",
            ),
            () if self.has("requirements.txt") => (
                "pip install NAME && pip freeze | grep -i NAME >> requirements.txt".to_owned(),
                "It installs the package and writes its version down.",
                "安装并记下版本。",
            ),
            () => return None,
        };
        Some(format!("{}\n{}\n", fenced("sh", &cmd), self.language.pick(english, chinese)))
    }

    pub(super) fn remove_dependency(&self) -> Option<String> {
        let cmd = match () {
            () if self.has("package.json") && self.manager() == "npm" => "npm uninstall NAME".to_owned(),
            () if self.has("package.json") => format!("{} remove NAME", self.manager()),
            () if self.has("Cargo.toml") => "cargo remove NAME".to_owned(),
            () if self.has("go.mod") => "go get MODULE@none && go mod tidy".to_owned(),
            () if self.has("uv.lock") => "uv remove NAME".to_owned(),
            () if self.has("pyproject.toml") || self.has("requirements.txt") => "pip uninstall NAME".to_owned(),
            () => return None,
        };
        let says = self.language.pick(
            "Remove its imports too; `aside task where is NAME used` finds them.",
            "也要去掉它的导入；`aside task NAME 在哪里用到` 可以找到它们。",
        );
        Some(format!("{}\n{says}\n", fenced("sh", &cmd)))
    }

    /// For one dependency that the words name, or for all.
    pub(super) fn upgrade_dependency(&self) -> Option<String> {
        let words = &self.reading.things.words;
        let manifests = project_answers::manifests(self.workspace, self.cancelled);
        let known =
            |word: &String| manifests.iter().flat_map(|manifest| &manifest.dependencies).any(|(name, _)| name == word);
        let name = match words.as_slice() {
            [] => None,
            [word] if known(word) => Some(word.as_str()),
            _ => return None,
        };
        let of = |one: &str, all: &str| name.map_or_else(|| all.to_owned(), |name| format!("{one} {name}"));
        let cmd = match () {
            () if self.has("package.json") => match self.manager() {
                "npm" => name.map_or_else(|| "npm update".to_owned(), |name| format!("npm install {name}@latest")),
                manager => name.map_or_else(
                    || format!("{manager} update --latest"),
                    |name| format!("{manager} update --latest {name}"),
                ),
            },
            () if self.has("Cargo.toml") => of("cargo update -p", "cargo update"),
            () if self.has("go.mod") => format!("go get -u {} && go mod tidy", name.unwrap_or("./...")),
            () if self.has("uv.lock") => of("uv lock --upgrade-package", "uv lock --upgrade"),
            () if self.has("pyproject.toml") || self.has("requirements.txt") => {
                of("pip install --upgrade", "pip install --upgrade -r requirements.txt")
            }
            () => return None,
        };
        let says =
            self.language.pick("Run the tests afterwards, and commit the lock file.", "之后运行测试，并提交锁文件。");
        Some(format!("{}\n{says}\n", fenced("sh", &cmd)))
    }

    /// The project's own target for a purpose, else the usual program.
    pub(super) fn script(&self, names: &str) -> Option<String> {
        let project = self.workspace.project();
        let names: Vec<&str> = names.split(' ').collect();
        for (file, scripts) in project.all_scripts() {
            let found = names
                .iter()
                .find_map(|name| scripts.iter().find(|(own, _)| own == name || own.starts_with(&format!("{name}:"))));
            let Some((name, runs)) = found else { continue };
            let cmd = match file.rsplit('/').next() {
                Some("package.json") => format!("{} run {name}", self.manager()),
                Some("justfile" | "Justfile") => format!("just {name}"),
                _ => format!("make {name}"),
            };
            let says = match self.language {
                Language::English => format!("{} has it: it runs {}.", code(file), code(&short(runs, 160))),
                Language::Chinese => format!("{} 里有：它运行 {}。", code(file), code(&short(runs, 160))),
            };
            return Some(format!("{}\n{says}\n", fenced("sh", &cmd)));
        }
        let is_format = names.first() == Some(&"format");
        let cmd = match () {
            () if self.has("Cargo.toml") => {
                if is_format {
                    "cargo fmt"
                } else {
                    "cargo clippy --all-targets"
                }
            }
            () if self.has("go.mod") => {
                if is_format {
                    "gofmt -w ."
                } else {
                    "go vet ./..."
                }
            }
            () if self.has("pyproject.toml") => {
                let manifest = project.text("pyproject.toml").unwrap_or_default();
                match (is_format, manifest.contains("ruff"), manifest.contains("black")) {
                    (true, true, _) => "ruff format .",
                    (true, false, true) => "black .",
                    (false, true, _) => "ruff check .",
                    _ => return None,
                }
            }
            () => return None,
        };
        let says = self.language.pick(
            "No target of the project is called so; this is the usual program.",
            "项目里没有这样的目标；这是通常使用的程序。",
        );
        Some(format!("{}\n{says}\n", fenced("sh", cmd)))
    }

    /// The command for a container of the compose file.
    pub(super) fn compose(&self, how: &str) -> Option<String> {
        let file = compose::FILES.iter().find(|file| self.has(file))?;
        let text = std::fs::read_to_string(self.workspace.root().join(file)).ok()?;
        let services = compose::images(&text);
        let is_named = |(name, image): &&(String, String)| {
            let words = || self.words.split(|letter: char| !(letter.is_alphanumeric() || "-_".contains(letter)));
            words().any(|word| word == name || word.len() > 2 && image.contains(word))
        };
        let is_database = |(name, image): &&(String, String)| {
            let known = ["postgres", "mysql", "mariadb", "redis", "mongo"];
            known.iter().any(|known| image.contains(known)) || ["db", "database"].contains(&name.as_str())
        };
        let named = services.iter().find(is_named);
        // A service that the words name and the file lacks is another question.
        let left = &self.reading.things.words;
        (left.is_empty() || named.is_some()).then_some(())?;
        let asks_database = self.words.contains("database") || self.words.contains("数据库");
        let found = named.or_else(|| services.iter().find(is_database).filter(|_| asks_database));
        let name = found.map_or("", |(name, _)| name);
        if how == "up" {
            let verb = if self.words.contains("restart") { "restart" } else { "up -d" };
            let cmd = format!("docker compose {verb} {name}");
            let says = match self.language {
                Language::English => format!(
                    "It starts what {} names, and what that depends on, in the background; `docker compose stop {name}` stops it.",
                    code(file)
                ),
                Language::Chinese => {
                    format!("在后台启动 {} 里的服务和它依赖的服务；`docker compose stop {name}` 停止。", code(file))
                }
            };
            return Some(format!("{}\n{says}\n", fenced("sh", cmd.trim())));
        }
        if how == "logs" {
            let cmd = format!("docker compose logs -f {name}");
            let says = match self.language {
                Language::English => format!(
                    "It follows the log of the service in {}; `--tail 100` begins with the last lines, without `-f` it ends.",
                    code(file)
                ),
                Language::Chinese => {
                    format!("持续显示 {} 里该服务的日志；`--tail 100` 从最后几行开始，不带 `-f` 就不跟随。", code(file))
                }
            };
            return Some(format!("{}\n{says}\n", fenced("sh", cmd.trim())));
        }
        let (name, image) =
            services.iter().filter(is_database).find(is_named).or_else(|| services.iter().find(is_database))?;
        let variable = |keys: &[&str]| {
            keys.iter().find_map(|key| {
                let line = text.lines().find(|line| line.contains(key))?;
                let value = line.split([':', '=']).next_back()?.trim().trim_matches(['"', '\'']);
                let is_plain = !value.is_empty()
                    && value.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
                is_plain.then(|| value.to_owned())
            })
        };
        let user = variable(&["POSTGRES_USER", "MYSQL_USER", "MARIADB_USER"]);
        let base = variable(&["POSTGRES_DB", "MYSQL_DATABASE", "MARIADB_DATABASE"]);
        let program = match () {
            () if image.contains("mysql") || image.contains("mariadb") => {
                format!("mysql -u {} -p {}", user.as_deref().unwrap_or("root"), base.unwrap_or_default())
            }
            () if image.contains("redis") => "redis-cli".to_owned(),
            () if image.contains("mongo") => "mongosh".to_owned(),
            () => {
                let user = user.unwrap_or_else(|| "postgres".to_owned());
                let base = base.unwrap_or_else(|| user.clone());
                format!("psql -U {user} {base}")
            }
        };
        let cmd = format!("docker compose exec {name} {program}");
        let says = match self.language {
            Language::English => {
                format!("The container {} of {} has to run: `docker compose up -d {name}`.", code(name), code(file))
            }
            Language::Chinese => {
                format!("{} 里的容器 {} 要先运行：`docker compose up -d {name}`。", code(file), code(name))
            }
        };
        Some(format!("{}\n{says}\n", fenced("sh", cmd.trim())))
    }

    pub(super) fn cmake_options(&self) -> Option<String> {
        let mut rows = String::new();
        self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
            if path.rsplit('/').next() != Some("CMakeLists.txt") {
                return;
            }
            for (at, line) in text.lines().enumerate() {
                let lower = line.trim().to_lowercase();
                if lower.starts_with("option(") || lower.starts_with("set(") && lower.contains(" cache ") {
                    rows.push_str(&format!(
                        "- {} {}\n",
                        code(&format!("{path}:{}", at + 1)),
                        code(&short(line.trim(), 160))
                    ));
                }
            }
        })?;
        let presets = self.workspace.project();
        let build = presets.text("CMakePresets.json").and_then(|text| {
            let (_, rest) = text.split_once("\"binaryDir\"")?;
            let value = rest.split('"').nth(1)?;
            Some(value.replace("${sourceDir}/", "").replace("${presetName}", "PRESET"))
        });
        let build = build.unwrap_or_else(|| "build".to_owned());
        let says = match self.language {
            Language::English => {
                "It lists all of a configured build directory with their help; `cmake -DNAME=ON …` sets one. Those of the project:"
            }
            Language::Chinese => {
                "列出已配置的构建目录里的所有选项及说明；`cmake -DNAME=ON …` 设置一个。项目自己的选项："
            }
        };
        Some(format!("{}\n{says}\n\n{rows}", fenced("sh", &format!("cmake -LH {build}"))))
    }
}
