//! Commands that a request spells out, where the letter alone would not do what is meant: a runner with a mode in words, variables of
//! the environment behind "with", and CMake's programs outside of the build directory.

use std::sync::LazyLock;

use aside_commands::world::Fact;
use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;

use super::arguments::Arguments;
use super::{RUNNERS, ScriptContext, is_there, proposed};
use crate::route::literal_command::{self, Literal};
use crate::run::{ModelNeed, RunnerOutcome, code};

/// Directories that CMake usually builds in.
const BUILD_DIRECTORIES: [&str; 6] = ["build", "out", "builddir", "cmake-build-debug", "cmake-build-release", "_build"];

/// Whether a command is the name of a runner with a mode in words: `vitest in watch mode`.
pub fn is_runner_with_words(cmd: &str) -> bool {
    let said = Arguments::of(cmd);
    !said.all.is_empty() && RUNNERS.contains(&said.rest.as_str()) && !cmd.contains(" -")
}

/// A command with variables behind it: `npm run dev with PORT=5000`.
pub fn with_variables(text: &str, place: &ScriptContext<'_>) -> Option<RunnerOutcome> {
    let (head, variables) = variables(text)?;
    let programs = place.world.programs().yes();
    let is_program =
        |name: &str| programs.as_ref().is_some_and(|programs| programs.iter().any(|known| &**known == name));
    let Literal::Line(cmd) = literal_command::read(head, &is_program) else { return None };
    let reason = match place.language {
        Language::English => format!("This is the command, with {} set for it.", code(&variables)),
        Language::Chinese => format!("这是那条命令，并为它设置 {}。", code(&variables)),
    };
    Some(proposed(format!("{variables} {cmd}"), place.cwd, place, reason))
}

/// The request without the variables at its end, and the variables.
pub fn variables(text: &str) -> Option<(&str, String)> {
    static WITH: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?P<head>.+?)[\s,]+(?:but\s+)?(?:with|and|using|setting)\s+(?:the\s+)?(?:env(?:ironment)?\s*)?(?:var(?:iable)?s?\s+)?(?P<all>`?[A-Z_][A-Z0-9_]*=[\w./:@+,-]+`?(?:(?:\s+and\s+|\s*,\s*|\s+)`?[A-Z_][A-Z0-9_]*=[\w./:@+,-]+`?)*)(?:\s+set|\s+in the environment)?$").ok()
    });
    let text = text.trim().trim_end_matches(['!', '?']).trim_end_matches(" please");
    let found = WITH.as_ref()?.captures(text)?;
    let all = found.name("all")?.as_str();
    let each = all.split([' ', ',', '`']).filter(|word| word.contains('='));
    Some((found.name("head")?.as_str(), each.collect::<Vec<_>>().join(" ")))
}

/// `ctest` outside of the build directory finds no tests; there it names the directory.
pub fn of_cmake(cmd: &str, place: &ScriptContext<'_>) -> Fact<RunnerOutcome> {
    let mut words = cmd.split_whitespace();
    let names_directory = cmd.contains("--test-dir") || cmd.contains("--preset") || cmd.contains(['&', '|', ';']);
    if words.next() != Some("ctest") || names_directory {
        return Fact::No;
    }
    match is_there("CTestTestfile.cmake", place) {
        Fact::Yes(()) => return Fact::No,
        Fact::NotYet => return Fact::NotYet,
        Fact::No => {}
    }
    for directory in BUILD_DIRECTORIES {
        match is_there(&format!("{directory}/CTestTestfile.cmake"), place) {
            Fact::Yes(()) => {
                let rest: Vec<&str> = words.collect();
                let rest = if rest.is_empty() { String::new() } else { format!(" {}", rest.join(" ")) };
                let reason = match place.language {
                    Language::English => {
                        format!("The tests are built in {}; here `ctest` finds none.", code(directory))
                    }
                    Language::Chinese => format!("测试构建在 {} 里；在这里 `ctest` 找不到测试。", code(directory)),
                };
                return Fact::Yes(proposed(format!("ctest --test-dir {directory}{rest}"), place.cwd, place, reason));
            }
            Fact::NotYet => return Fact::NotYet,
            Fact::No => {}
        }
    }
    if place.project.text("CMakeLists.txt").is_none() {
        return Fact::No;
    }
    let text = place.language.pick(
        "Nothing is built here yet, so `ctest` would find no tests: `cmake -B build && cmake --build build` builds them, then `ctest --test-dir build` runs them.",
        "这里还没有构建，`ctest` 找不到测试：先用 `cmake -B build && cmake --build build` 构建，再用 `ctest --test-dir build` 运行。",
    );
    Fact::Yes(RunnerOutcome::answer(format!("{text}\n"), text, ModelNeed::Unneeded))
}
