//! Which formatter writes a file: the one that the request names, else the one that the project uses, from `data/task/formatters.toml`.
//! Without one there is no command, since any other would lay the file out in its own way.

use std::sync::LazyLock;

use crate::run::project::Project;
use crate::run::toml_lists;

const LIST: &str = include_str!("../../../../data/task/formatters.toml");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatFile {
    pub file: String,
    /// The formatter, as the request calls it.
    pub tool: Option<String>,
    pub goal: FileGoal,
}

/// What a tool does with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileGoal {
    /// It is laid out anew, in place.
    Format,
    /// Faults are reported.
    Lint,
    Types,
}

struct Formatter {
    names: Vec<String>,
    endings: Vec<String>,
    command: String,
    files: Vec<String>,
    says: Vec<(String, String)>,
    packages: Vec<String>,
    always: bool,
    only_named: bool,
    goal: FileGoal,
}

static ALL: LazyLock<Vec<Formatter>> = LazyLock::new(|| read("formatter").into_iter().chain(read("linter")).collect());

fn read(name: &str) -> Vec<Formatter> {
    toml_lists::tables(LIST, name, |table| {
        let says = toml_lists::texts(table, "says");
        let says =
            says.iter().filter_map(|says| says.split_once(": ")).map(|(file, text)| (file.to_owned(), text.to_owned()));
        Some(Formatter {
            names: toml_lists::texts(table, "names"),
            endings: toml_lists::texts(table, "endings"),
            command: toml_lists::text(table, "command")?,
            files: toml_lists::texts(table, "files"),
            says: says.collect(),
            packages: toml_lists::texts(table, "packages"),
            always: toml_lists::text(table, "always").is_some(),
            only_named: toml_lists::text(table, "only_named").is_some(),
            goal: match toml_lists::text(table, "goal").as_deref() {
                Some("lint") => FileGoal::Lint,
                Some("types") => FileGoal::Types,
                _ => FileGoal::Format,
            },
        })
    })
}

/// What the tools of a goal are called in requests, the longest first.
pub fn names(goal: FileGoal) -> Vec<String> {
    let of_goal = |formatter: &&Formatter| formatter.goal == goal;
    let mut all: Vec<String> = ALL
        .iter()
        .filter(of_goal)
        .flat_map(|formatter| formatter.names.iter().map(|name| name.replace(' ', r"\s+")))
        .collect();
    all.sort_by_key(|name| std::cmp::Reverse(name.len()));
    all
}

impl FormatFile {
    /// The command for the file at a path, and what shows that it is meant: a file, or a package. The error is the ending of the file.
    pub fn command(
        &self,
        path: &str,
        project: &Project,
        has_file: &dyn Fn(&str) -> bool,
    ) -> Result<(String, String), String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_plain =
            !path.starts_with('-') && path.chars().all(|letter| letter.is_alphanumeric() || "./_-+@".contains(letter));
        let error = || Err(ending.to_owned());
        if !is_plain {
            return error();
        }
        let packages: Vec<String> =
            project.manifests().into_iter().flat_map(|manifest| manifest.dependencies).map(|(name, _)| name).collect();
        let tool = self.tool.as_ref().map(|tool| tool.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase());
        let sign = |formatter: &Formatter| -> Option<String> {
            if let Some(tool) = &tool {
                return formatter.names.contains(tool).then(String::new);
            }
            if !formatter.endings.iter().any(|known| known == ending) || formatter.only_named {
                return None;
            }
            let file = formatter.files.iter().find(|file| has_file(file));
            let text = formatter
                .says
                .iter()
                .find(|(file, text)| project.text(file).is_some_and(|known| known.contains(text.as_str())));
            let package = formatter.packages.iter().find(|package| packages.contains(package));
            file.or(text.map(|(file, _)| file)).or(package).cloned().or_else(|| formatter.always.then(String::new))
        };
        let Some((formatter, sign)) = ALL
            .iter()
            .filter(|formatter| formatter.goal == self.goal)
            .find_map(|formatter| Some((formatter, sign(formatter)?)))
        else {
            return error();
        };
        let command = formatter.command.replace("{}", path);
        // The project keeps its Python tools in an environment of its own.
        let through = match ending {
            "py" | "pyi" if has_file("poetry.lock") => "poetry run ",
            "py" | "pyi" if has_file("uv.lock") => "uv run ",
            "py" | "pyi" if has_file("Pipfile.lock") => "pipenv run ",
            _ => "",
        };
        let command = match command.strip_prefix("npx ") {
            Some(rest) if has_file("pnpm-lock.yaml") => format!("pnpm exec {rest}"),
            Some(rest) if has_file("yarn.lock") => format!("yarn {rest}"),
            Some(rest) if has_file("bun.lock") || has_file("bun.lockb") => format!("bunx {rest}"),
            _ => command,
        };
        Ok((format!("{through}{command}"), sign))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &str, tool: Option<&str>, files: &[(&str, &str)]) -> String {
        let project =
            Project { files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect() };
        let has = |name: &str| files.iter().any(|(path, _)| *path == name);
        let format = FormatFile { file: file.to_owned(), tool: tool.map(str::to_owned), goal: FileGoal::Format };
        match format.command(file, &project, &has) {
            Ok((command, _)) => command,
            Err(ending) => format!("? {ending}"),
        }
    }

    #[test]
    fn the_formatter_of_the_project_writes_the_file() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "formatter") + toml_lists::count(LIST, "linter"));
        let node = ("package.json", "{\"name\": \"a\", \"devDependencies\": {\"prettier\": \"3\"}}");
        assert_eq!(told("src/a.ts", None, &[node]), "npx prettier --write src/a.ts");
        assert_eq!(told("src/a.ts", None, &[node, ("pnpm-lock.yaml", "")]), "pnpm exec prettier --write src/a.ts");
        assert_eq!(told("a.py", None, &[("pyproject.toml", "[tool.black]\n[tool.ruff]\n")]), "black a.py");
        assert_eq!(
            told("a.py", None, &[("pyproject.toml", "[tool.ruff]\n"), ("poetry.lock", "")]),
            "poetry run ruff format a.py"
        );
        assert_eq!(told("a/b.go", None, &[("go.mod", "")]), "gofmt -w a/b.go");
        assert_eq!(told("a.rs", None, &[]), "rustfmt a.rs");
        assert_eq!(told("a.c", None, &[(".clang-format", "")]), "clang-format -i a.c");
        assert_eq!(told("a.c", None, &[]), "? c");
        assert_eq!(told("A.java", None, &[("pom.xml", "")]), "? java");
        assert_eq!(told("a.c", Some("clang-format"), &[]), "clang-format -i a.c");
    }
}
