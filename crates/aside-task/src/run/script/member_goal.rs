//! What is done with one package of several: "test the host tool", "build hive-cli in release mode". The package is meant by its directory,
//! its name, or a part of the name that no other package has.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

/// The command for a request. A manifest is its path and the name of its package.
pub fn command(words: &str, manifests: &[(String, String)], has_file: &dyn Fn(&str) -> bool) -> Option<String> {
    static SHAPES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let polite = r"(?:(?:please|pls|can you|could you|now|i want to|let's|lets)[\s,]+)*";
        let noun = r"(?:\s+(?:crate|package|tool|app|application|module|service|member|workspace|binary|program|lib|library|project|subproject))?";
        let rows = [
            format!(r"(?:run|execute)\s+(?:only\s+|just\s+)?(?:all\s+)?(?:the\s+)?(?P<goal>tests?|unit\s+tests|linter|clippy|benchmarks?)\s+(?:of|for|in|on)\s+(?:the\s+)?(?P<name>@?[\w/-]+){noun}"),
            format!(r"(?P<goal>test|build|compile|lint|check|bench|run|start)\s+(?:only\s+|just\s+)?(?:the\s+)?(?P<name>@?[\w/-]+?){noun}"),
            r"(?:run|execute)\s+(?:only\s+|just\s+)?(?:the\s+)?(?P<name>@?[\w/-]+)\s+(?P<goal>tests?|linter|benchmarks?)".to_owned(),
            format!(r"cargo\s+(?P<goal>test|build|check|clippy|run|bench)\s+(?:for|in|on|of)\s+(?:the\s+)?(?P<name>[\w-]+){noun}"),
        ];
        let ends = r"(?P<release>\s+(?:in|with|as)\s+(?:a\s+|the\s+)?release(?:\s+(?:mode|profile|build))?)?(?:\s+with\s+(?P<args>-[\w=-]+(?:\s+[\w=./-]+)*))?(?:\s+(?:only|alone))?(?:\s*,?\s*(?:please|pls|thanks))*";
        rows.iter()
            .filter_map(|row| Regex::new(&format!(r"(?i)^\s*{polite}(?:{row}){ends}\s*[.!?]*\s*$")).ok())
            .collect()
    });
    let readings = SHAPES.iter().filter_map(|shape| shape.captures(words));
    readings
        .filter_map(|found| {
            let (path, package) = member(found.name("name")?.as_str(), manifests)?;
            let goal = found.name("goal")?.as_str().to_lowercase();
            let cmd = spelled(&goal, path, package, found.name("release").is_some(), has_file)?;
            match found.name("args").map(|arguments| arguments.as_str()) {
                None => Some(cmd),
                Some(arguments) if cmd.starts_with("cargo run") => Some(format!("{cmd} -- {arguments}")),
                Some(_) => None,
            }
        })
        .next()
}

/// The manifest of the member that a word means.
fn member<'a>(name: &str, manifests: &'a [(String, String)]) -> Option<&'a (String, String)> {
    let below = || manifests.iter().filter(|(path, _)| path.contains('/'));
    let is_it = |(path, package): &&(String, String)| {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        package == name || directory == name || directory.rsplit('/').next() == Some(name)
    };
    let is_part =
        |(_, package): &&(String, String)| package.split(['-', '_', '/']).any(|part| part.eq_ignore_ascii_case(name));
    let only = |found: Vec<&'a (String, String)>| if found.len() == 1 { found.first().copied() } else { None };
    let exact: Vec<_> = below().filter(is_it).collect();
    if exact.is_empty() { only(below().filter(is_part).collect()) } else { only(exact) }
}

fn spelled(goal: &str, path: &str, package: &str, release: bool, has_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let is_plain = |text: &str| {
        !text.starts_with('-') && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "./_-@".contains(letter))
    };
    let directory = path.rsplit_once('/').map(|(directory, _)| directory)?;
    if !is_plain(path) || !is_plain(package) {
        return None;
    }
    let goal = match goal {
        "test" | "tests" | "unit tests" => "test",
        "build" | "compile" => "build",
        "lint" | "linter" | "clippy" => "lint",
        "check" => "check",
        "bench" | "benchmark" | "benchmarks" => "bench",
        "run" | "start" => "run",
        _ => return None,
    };
    let flag = if release { " --release" } else { "" };
    Some(match path.rsplit('/').next()? {
        "Cargo.toml" => {
            let verb = if goal == "lint" { "clippy" } else { goal };
            let of = if has_file("Cargo.toml") { format!("-p {package}") } else { format!("--manifest-path {path}") };
            format!("cargo {verb} {of}{flag}")
        }
        _ if release => return None,
        // A workspace has commands of its own for its members.
        "package.json" if has_file("package.json") => return None,
        "package.json" => match goal {
            "test" => format!("npm test --prefix {directory}"),
            "build" | "lint" => format!("npm run {goal} --prefix {directory}"),
            _ => return None,
        },
        "go.mod" if goal == "test" || goal == "build" => format!("go -C {directory} {goal} ./..."),
        "pom.xml" if has_file("pom.xml") && goal == "test" => format!("mvn -pl {directory} test"),
        "pom.xml" if has_file("pom.xml") && goal == "build" => format!("mvn -pl {directory} package"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_meant_by_its_directory_or_its_name() {
        let manifest = |path: &str, name: &str| (path.to_owned(), name.to_owned());
        let alone = [manifest("host/Cargo.toml", "kiln-host")];
        let several = [
            manifest("Cargo.toml", ""),
            manifest("crates/hive-core/Cargo.toml", "hive-core"),
            manifest("crates/hive-cli/Cargo.toml", "hive-cli"),
        ];
        let told = |words: &str, manifests: &[(String, String)]| {
            command(words, manifests, &|name| manifests.iter().any(|(path, _)| path == name)).unwrap_or_default()
        };
        assert_eq!(told("run the tests of the host tool", &alone), "cargo test --manifest-path host/Cargo.toml");
        assert_eq!(told("cargo test for the host tool", &alone), "cargo test --manifest-path host/Cargo.toml");
        assert_eq!(told("build hive-cli in release mode", &several), "cargo build -p hive-cli --release");
        assert_eq!(told("run the tests of the core crate", &several), "cargo test -p hive-core");
        assert_eq!(told("run the cli tests", &several), "cargo test -p hive-cli");
        assert_eq!(told("lint the core crate", &several), "cargo clippy -p hive-core");
        assert_eq!(told("run hive-cli with --help", &several), "cargo run -p hive-cli -- --help");
        for other in ["run the tests", "build it", "test the hive", "run the colony tests"] {
            assert_eq!(told(other, &several), "", "{other}");
        }
    }
}
