//! Decides whether the module that `python -m` would run exists.

use aside_commands::world::Fact;

use crate::complete::context::CompletionContext;

/// Runnable modules of the standard library; pip is nearly always there too.
const STANDARD: &str = "ast asyncio base64 calendar cProfile code compileall dis doctest email encodings ensurepip \
    filecmp fileinput ftplib gzip http idlelib imaplib inspect json mimetypes pdb pickletools pip \
    platform profile py_compile pydoc quopri random site sqlite3 sysconfig tarfile this timeit \
    tokenize trace turtledemo unittest uuid venv webbrowser zipapp zipfile zoneinfo";
/// Usual names of virtual environments.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];
/// Directories with a subdirectory for each version of Python, and Debian's shared one.
const LIBRARIES: [&str; 2] = ["/usr/local/lib", "/usr/lib"];
const DEBIAN: &str = "/usr/lib/python3/dist-packages";
/// Versions of Python that are searched in each.
const MAX_VERSIONS: usize = 8;

/// A directory that is not listed yet counts as missing: the next keystroke asks again.
pub fn is_there(context: &CompletionContext<'_>, cwd: &str, module: &str) -> bool {
    let name = module.split('.').next().unwrap_or_default();
    if STANDARD.split(' ').any(|standard| standard == name) {
        return true;
    }
    // A directory that cannot be listed is on another machine.
    if !matches!(context.world.entries(cwd), Fact::Yes(_)) {
        return true;
    }
    let is_module = |directory: &str| {
        let Fact::Yes(entries) = context.world.entries(directory) else { return false };
        entries.iter().any(|entry| *entry.name == *name || entry.name.strip_suffix(".py") == Some(name))
    };
    let in_library = |library: &str| {
        let Fact::Yes(versions) = context.world.entries(library) else { return false };
        let versions = versions.iter().filter(|entry| entry.name.starts_with("python")).take(MAX_VERSIONS);
        versions.into_iter().any(|version| {
            let packages = |kind: &str| is_module(&format!("{library}/{}/{kind}", version.name));
            packages("site-packages") || packages("dist-packages")
        })
    };
    let in_environment = |environment: &&str| in_library(&format!("{cwd}/{environment}/lib"));
    is_module(cwd)
        || is_module(&format!("{cwd}/src"))
        || ENVIRONMENTS.iter().any(in_environment)
        || is_module(DEBIAN)
        || LIBRARIES.iter().any(|library| in_library(library))
        || in_library(&format!("{}/.local/lib", context.world.home()))
}
