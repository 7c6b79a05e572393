//! Which commands fit the current directory, according to the files in it.

use std::sync::Arc;

use aside_commands::world::DirEntry;

use crate::complete::context::CompletionContext;

/// A command that fits, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// One word or several.
    pub command: &'static str,
    pub about: &'static str,
}

struct Sign {
    /// Any of these files.
    files: &'static [&'static str],
    /// None of these files: they are more specific signs.
    unless: &'static [&'static str],
    hint: Hint,
}

const fn sign(files: &'static [&'static str], command: &'static str, about: &'static str) -> Sign {
    Sign { files, unless: &[], hint: Hint { command, about } }
}

const OTHER_LOCKS: &[&str] = &["pnpm-lock.yaml", "yarn.lock", "bun.lockb", "bun.lock"];
const COMPOSE: &[&str] = &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

const SIGNS: &[Sign] = &[
    sign(&[".git"], "git", "this is a Git repository"),
    sign(&["Cargo.toml"], "cargo", "this is a Cargo project"),
    Sign {
        files: &["package.json"],
        unless: OTHER_LOCKS,
        hint: Hint { command: "npm", about: "this is a Node project" },
    },
    sign(&["pnpm-lock.yaml"], "pnpm", "this project is locked with pnpm"),
    sign(&["yarn.lock"], "yarn", "this project is locked with Yarn"),
    sign(&["bun.lockb", "bun.lock"], "bun", "this project is locked with Bun"),
    sign(&["package.json"], "node", "this is a Node project"),
    sign(&["deno.json", "deno.jsonc"], "deno", "this is a Deno project"),
    sign(&["GNUmakefile", "Makefile", "makefile"], "make", "there is a makefile here"),
    sign(&["justfile", "Justfile", ".justfile"], "just", "there is a justfile here"),
    sign(&["uv.lock"], "uv", "this project is locked with uv"),
    sign(&["poetry.lock"], "poetry", "this project is locked with Poetry"),
    Sign {
        files: &["pyproject.toml"],
        unless: &["poetry.lock", "uv.lock"],
        hint: Hint { command: "uv", about: "this is a Python project" },
    },
    sign(&["pyproject.toml", "setup.py", "requirements.txt"], "python", "this is a Python project"),
    sign(&["pyproject.toml", "setup.py", "requirements.txt"], "python3", "this is a Python project"),
    sign(&["go.mod"], "go", "this is a Go module"),
    sign(COMPOSE, "docker compose", "there is a compose file here"),
    sign(&["Dockerfile"], "docker", "there is a Dockerfile here"),
    sign(&["CMakeLists.txt"], "cmake", "this is a CMake project"),
    sign(&["build.ninja"], "ninja", "there is a build.ninja here"),
    sign(&["pom.xml"], "mvn", "this is a Maven project"),
    sign(&["build.gradle", "build.gradle.kts"], "gradle", "this is a Gradle project"),
    sign(&["Gemfile"], "bundle", "there is a Gemfile here"),
    sign(&["mix.exs"], "mix", "this is a Mix project"),
    sign(&["flake.nix"], "nix", "there is a flake here"),
];

/// The commands that begin with `typed` and fit this directory or its repository.
pub fn hints(context: &CompletionContext<'_>, typed: &str) -> Vec<Hint> {
    let fitting: Vec<&Sign> = SIGNS.iter().filter(|sign| sign.hint.command.starts_with(typed)).collect();
    if fitting.is_empty() {
        return Vec::new();
    }
    let root = context.world.repository(context.cwd).yes();
    let here = context.world.entries(context.cwd).yes();
    let above = root.filter(|root| **root != *context.cwd).and_then(|root| context.world.entries(&root).yes());
    let places: Vec<Arc<[DirEntry]>> = here.into_iter().chain(above).collect();
    let is_at = |entries: &[DirEntry], file: &str| entries.binary_search_by(|entry| (*entry.name).cmp(file)).is_ok();
    let says = |sign: &Sign| {
        places.iter().any(|entries| {
            sign.files.iter().any(|file| is_at(entries, file)) && !sign.unless.iter().any(|file| is_at(entries, file))
        })
    };
    fitting.into_iter().filter(|sign| says(sign)).map(|sign| sign.hint).collect()
}
