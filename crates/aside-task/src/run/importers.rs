//! Whether a line of one file imports another file or a directory, by the path that it writes. Names that two files share are not told
//! apart; reads no file itself.

use crate::run::search::definitions;

/// Whether a file stands for its directory: which names do depends on the language.
fn is_index(stem: &str, name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    match family(ending) {
        "py" => ["__init__", "__main__"].contains(&stem),
        "js" => stem == "index",
        "rs" => ["mod", "lib", "main"].contains(&stem),
        _ => ["index", "mod", "lib", "main", "doc"].contains(&stem),
    }
}

/// Whether a file with this path and text imports `target`. Few texts have the name at all, so their lines are not looked at.
pub fn is_importer(target: &str, from: &str, text: &str) -> bool {
    let (above, name) = target.rsplit_once('/').unwrap_or(("", target));
    let is_file = name.contains('.');
    let part = match () {
        () if from.ends_with(".go") && is_file => above,
        () if from.ends_with(".go") => target,
        () => module(target),
    };
    !part.is_empty()
        && text.contains(part)
        && text.lines().any(|line| line.contains(part) && imports(target, from, line))
}

/// The name by which a file or a directory is imported.
fn module(target: &str) -> &str {
    let (above, name) = target.rsplit_once('/').unwrap_or(("", target));
    let stem = name.split('.').next().unwrap_or(name);
    match name.contains('.') && is_index(stem, name) {
        true => above.rsplit('/').next().unwrap_or(above),
        false => stem,
    }
}

/// Whether a line of the file `from` imports `target`, a file or a directory of the project.
pub fn imports(target: &str, from: &str, line: &str) -> bool {
    let trimmed = line.trim();
    let (above, name) = target.rsplit_once('/').unwrap_or(("", target));
    let is_file = name.contains('.');
    let ending = if is_file { name.rsplit('.').next().unwrap_or_default() } else { "" };
    let from_ending = from.rsplit('.').next().unwrap_or_default();
    // Go imports directories, and lists them in a block.
    if from_ending == "go" {
        let directory = if is_file { above } else { target };
        let path = trimmed.trim_start_matches("import ").rsplit(' ').next().unwrap_or_default();
        let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or_default();
        let below = from.rsplit_once('/').map_or("", |(below, _)| below);
        return !directory.is_empty()
            && below != directory
            && (path == directory || path.ends_with(&format!("/{directory}")));
    }
    if !definitions::is_import(line) {
        return false;
    }
    let same_language = ending.is_empty() || family(ending) == family(from_ending);
    // `react-dom/client` is a package; a file of the project is imported by a path that begins in it.
    if family(from_ending) == "js" {
        let quoted = trimmed.rsplit(['"', '\'']).nth(1).unwrap_or_default();
        let is_path =
            ["./", "../", "@/", "~/", "src/", "$"].iter().any(|start| quoted.starts_with(start)) || quoted == ".";
        if !is_path {
            return false;
        }
    }
    let module = module(target);
    same_language && module.len() > 1 && has_part(trimmed, module)
}

fn family(ending: &str) -> &str {
    match ending {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "vue" | "svelte" => "js",
        "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" => "c",
        other => other,
    }
}

/// Whether a part of a path or a module in the line is this name: behind `/`, `.`, `::` or a blank, and followed by no letter.
fn has_part(line: &str, module: &str) -> bool {
    line.match_indices(module).any(|(at, found)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + found.len()..).and_then(|after| after.chars().next());
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        before.is_none_or(|letter| !is_letter(letter)) && after.is_none_or(|letter| !is_letter(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_called_main_is_not_its_package() {
        assert!(!imports("src/shelf/main.py", "src/shelf/loans.py", "from shelf.config import DAYS"));
        assert!(imports("src/shelf/main.py", "tests/test_main.py", "from shelf.main import app"));
        assert!(imports("src/shelf/__init__.py", "tests/test_a.py", "from shelf import app"));
    }

    #[test]
    fn imports_name_a_file_or_its_directory() {
        assert!(imports("src/tideline/clean.py", "src/tideline/cli.py", "from tideline.clean import clean"));
        assert!(!imports("src/tideline/clean.py", "src/tideline/cli.py", "    x = clean(1)"));
        assert!(imports(
            "apps/web/src/cart/useCart.ts",
            "apps/web/src/App.tsx",
            "import { useCart } from \"./cart/useCart\";"
        ));
        assert!(!imports("apps/web/src/cart/useCart.ts", "a.py", "import useCart"));
        assert!(!imports("src/api/client.ts", "src/main.tsx", "import { createRoot } from \"react-dom/client\";"));
        assert!(imports(
            "internal/account/account.go",
            "cmd/main.go",
            "\t\"github.com/acme/ledgerd/internal/account\""
        ));
        assert!(!imports("internal/account/account.go", "internal/account/b.go", "\t\"x/internal/account\""));
        assert!(!imports("internal/account/account.go", "cmd/main.go", "\taccount := 1"));
        assert!(imports("packages/ui/src/index.ts", "a.ts", "import { x } from \"../src\";"));
        assert!(imports("src/route.rs", "src/run.rs", "use crate::route::intent;"));
        assert!(!imports("src/route.rs", "src/run.rs", "use crate::router;"));
    }

    #[test]
    fn a_text_is_an_importer_if_one_of_its_lines_imports() {
        for (target, from, line) in [
            ("src/tideline/clean.py", "src/tideline/cli.py", "from tideline.clean import clean"),
            ("apps/web/src/cart/useCart.ts", "apps/web/src/App.tsx", "import { useCart } from \"./cart/useCart\";"),
            ("internal/account/account.go", "cmd/main.go", "\t\"github.com/acme/ledgerd/internal/account\""),
            ("internal/account", "cmd/main.go", "import \"github.com/acme/ledgerd/internal/account\""),
            ("packages/ui/src/index.ts", "a.ts", "import { x } from \"../src\";"),
            ("src/route.rs", "src/run.rs", "use crate::route::intent;"),
        ] {
            assert!(imports(target, from, line), "{line}");
            assert!(is_importer(target, from, &format!("first\n{line}\nlast\n")), "{line}");
            assert!(!is_importer(target, from, "first\nlast\n"), "{line}");
        }
        assert!(!is_importer("src/route.rs", "src/run.rs", "let route = 1;\n"));
    }
}
