//! Which shell runs an approved command, and which variables the command gets. A variable that changes how the shell reads the text would
//! change what was approved, so none of those passes.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use aside_task::gate::approve::UNWATCHED;
use shell_line::Dialect;
use tempfile::TempDir;

use crate::exec::is_executable;

pub type Variables = BTreeMap<OsString, OsString>;

/// Variables by which a shell reads a file, starts with other options, or reads a line differently: another directory for `cd`, other
/// words, another command where there is none. Not `ENV`: only an interactive shell reads it, and many projects call their stage so. Not
/// `ZDOTDIR`: `zsh -f` reads nothing in it.
const STEERING: [&str; 19] = [
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_COMPAT",
    "BASH_XTRACEFD",
    "BASH_LOADABLES_PATH",
    "POSIXLY_CORRECT",
    "PS4",
    "CDPATH",
    "GLOBIGNORE",
    "EXECIGNORE",
    "IFS",
    "NULLCMD",
    "READNULLCMD",
    "FPATH",
    "ARGV0",
    "PWD",
    "OLDPWD",
    "_",
];
/// Functions that bash imports from its environment, and fish's settings.
const STEERING_BEGINNINGS: [&str; 4] = ["BASH_FUNC_", "fish_", "__fish_", "FISH_"];

/// Our own variables that a command may see: which Aside is meant, and that nothing may leave the machine. Neither a model's API key, nor
/// the session, since the command is in none of our shells.
const OWN: [&str; 3] = ["ASIDE_HOME", "ASIDE_SOCKET", "ASIDE_PRIVATE"];
const OWN_BEGINNING: &str = "ASIDE_";

/// All that an unreviewed command keeps: who and where the user is, and their locale. None of these affects which programs and libraries it
/// starts or loads.
const PLAIN: [&str; 11] = [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "NO_COLOR",
    "LOCALE_ARCHIVE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];
const PLAIN_BEGINNING: &str = "LC_";

/// Where a shell is when PATH does not say.
const USUAL: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin", "/usr/pkg/bin"];

/// The shell of the dialect in which the command was judged. There is no fallback: another shell would read it differently. A shell inside
/// the workspace is refused, since the workspace controls it.
pub fn shell(dialect: Dialect, base: &[(OsString, OsString)], workspace: &Path) -> anyhow::Result<PathBuf> {
    let name = dialect.name();
    let of = |wanted: &str| base.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_os_str());
    let own = of("SHELL").map(PathBuf::from).filter(|shell| shell.file_name() == Some(OsStr::new(name)));
    let path = std::env::split_paths(of("PATH").unwrap_or_default()).chain(USUAL.map(PathBuf::from));
    let mut shells = own.into_iter().chain(path.map(|place| place.join(name)));
    let fits = |shell: &PathBuf| shell.is_absolute() && !resolves_into(shell, workspace) && is_executable(shell);
    shells.find(fits).with_context(|| {
        format!("{name} is not installed, and the command was judged as {name} reads it; ask again from another shell")
    })
}

/// Arguments that make a shell read the text and nothing else. The text is one argument, whatever it begins with.
pub fn arguments(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zsh => &["-f", "-c", "--"],
        Dialect::Bash => &["--noprofile", "--norc", "-c", "--"],
        // The next word is the command, even if it begins with a dash.
        Dialect::Fish => &["--no-config", "-c"],
    }
}

/// For a command that the user has reviewed: their own variables, and those that they were shown.
pub fn reviewed(base: &[(OsString, OsString)], shown: &[(String, String)]) -> anyhow::Result<Variables> {
    let is_kept = |name: &OsStr| !is_steering(name) && (OWN.iter().any(|own| name == *own) || !is_own(name));
    let mut variables: Variables =
        base.iter().filter(|(name, value)| is_proper(name, value) && is_kept(name)).cloned().collect();
    for (name, value) in shown {
        // Dropping it would run something else than what was shown.
        let changes = is_steering(OsStr::new(name)) || is_own(OsStr::new(name));
        ensure!(!changes, "{name} would change what is made of the command; edit the proposal and leave it out");
        variables.insert(name.into(), value.into());
    }
    Ok(variables)
}

/// For a command that was not reviewed.
pub fn unreviewed(base: &[(OsString, OsString)], workspace: &Path) -> Variables {
    let is_plain = |name: &OsStr| {
        PLAIN.iter().any(|plain| name == *plain) || name.as_bytes().starts_with(PLAIN_BEGINNING.as_bytes())
    };
    let mut variables: Variables =
        base.iter().filter(|(name, value)| is_proper(name, value) && is_plain(name)).cloned().collect();
    let given = base.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str()).unwrap_or_default();
    let is_ours = |place: &PathBuf| place.is_absolute() && !resolves_into(place, workspace);
    let places: Vec<PathBuf> = std::env::split_paths(given).filter(is_ours).collect();
    let usual = || std::env::join_paths(USUAL).unwrap_or_default();
    let path = std::env::join_paths(places).ok().filter(|path| !path.is_empty()).unwrap_or_else(usual);
    variables.insert("PATH".into(), path);
    variables.insert("TERM".into(), "dumb".into());
    variables.extend(UNWATCHED.iter().map(|(name, value)| (name.into(), value.into())));
    variables
}

/// Variables that depend on where it runs.
pub fn location(variables: &mut Variables, cwd: &str, temp: Option<&Path>) {
    variables.insert("PWD".into(), cwd.into());
    // A shell that it starts is not interactive.
    variables.insert("ASIDE_DISABLE".into(), "1".into());
    if let Some(temp) = temp {
        for name in ["TMPDIR", "TMP", "TEMP"] {
            variables.insert(name.into(), temp.into());
        }
        // Where zsh puts its here-documents.
        variables.insert("TMPPREFIX".into(), temp.join("zsh").into());
    }
}

/// A directory for temporary files, removed when dropped.
pub fn temporary(base: &[(OsString, OsString)]) -> anyhow::Result<TempDir> {
    let given = base.iter().find(|(name, _)| name == "TMPDIR").map(|(_, value)| PathBuf::from(value));
    let places = given.filter(|place| place.is_absolute()).into_iter().chain([PathBuf::from("/tmp")]);
    let place = places.filter_map(|place| place.canonicalize().ok()).find(|place| place.is_dir());
    let place = place.context("there is no /tmp; set TMPDIR")?;
    // Short, since socket paths in it have a length limit.
    let made = tempfile::Builder::new().prefix("aside-").rand_bytes(8).tempdir_in(&place);
    made.with_context(|| format!("could not make a directory in {}", place.display()))
}

/// A NUL would split a variable in two on its way to the command, and the second was never reviewed.
fn is_proper(name: &OsStr, value: &OsStr) -> bool {
    let has = |text: &OsStr, byte: u8| text.as_bytes().contains(&byte);
    !name.is_empty() && !has(name, b'=') && !has(name, 0) && !has(value, 0)
}

fn is_steering(name: &OsStr) -> bool {
    STEERING.iter().any(|steering| name == *steering)
        || STEERING_BEGINNINGS.iter().any(|beginning| name.as_bytes().starts_with(beginning.as_bytes()))
}

fn is_own(name: &OsStr) -> bool {
    name.as_bytes().starts_with(OWN_BEGINNING.as_bytes())
}

/// By its name, or through links.
pub fn resolves_into(path: &Path, workspace: &Path) -> bool {
    let is_beneath = |path: &Path| path.starts_with(workspace);
    is_beneath(path) || path.canonicalize().is_ok_and(|path| is_beneath(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(variables: &[&str]) -> Vec<(OsString, OsString)> {
        let variables = variables.iter().filter_map(|variable| variable.split_once('='));
        variables.map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn shown(variables: Variables) -> String {
        let variables = variables.iter().map(|(name, value)| format!("{}={}", name.display(), value.display()));
        variables.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_person_keeps_their_variables_but_not_those_that_steer_a_shell() {
        let base = base(&[
            "A=1",
            "ENV=production",
            "LD_LIBRARY_PATH=/opt/lib",
            "BASH_ENV=/tmp/x",
            "BASH_FUNC_ls%%=() { rm; }",
            "SHELLOPTS=xtrace",
            "CDPATH=/",
            "fish_function_path=/tmp",
            "NULLCMD=rm",
            "PWD=/elsewhere",
            "ASIDE_API_KEY=secret",
            "ASIDE_SESSION=9",
            "ASIDE_SOCKET=/run/a.sock",
            "B=1\0BASH_ENV=/tmp/x",
            "C\0=1",
        ]);
        let variables = reviewed(&base, &[("A".to_owned(), "2".to_owned())]).unwrap();
        assert_eq!(shown(variables), "A=2 ASIDE_SOCKET=/run/a.sock ENV=production LD_LIBRARY_PATH=/opt/lib");
    }

    #[test]
    fn a_variable_that_was_shown_and_steers_the_shell_is_refused() {
        for name in ["BASH_ENV", "CDPATH", "BASH_FUNC_x%%", "fish_trace", "ASIDE_SOCKET", "PWD"] {
            let refused = reviewed(&[], &[(name.to_owned(), "x".to_owned())]).unwrap_err().to_string();
            assert!(refused.starts_with(name) && refused.contains("leave it out"), "{refused}");
        }
        assert_eq!(shown(reviewed(&[], &[("LD_PRELOAD".to_owned(), "x".to_owned())]).unwrap()), "LD_PRELOAD=x");
    }

    #[test]
    fn what_nobody_looked_at_keeps_only_plain_variables() {
        let temp = tempfile::tempdir().unwrap();
        let workspace = temp.path().canonicalize().unwrap();
        std::fs::create_dir(workspace.join("bin")).unwrap();
        let outside = tempfile::tempdir().unwrap();
        let link = outside.path().join("link");
        std::os::unix::fs::symlink(workspace.join("bin"), &link).unwrap();
        let path = format!("{}:bin:.::{}:/usr/bin", workspace.join("bin").display(), link.display());
        let base = base(&[
            "HOME=/home/ada",
            "LC_ALL=C",
            "LD_PRELOAD=x",
            "GIT_DIR=x",
            "GIT_PAGER=rm",
            "MANPAGER=x",
            "EDITOR=x",
            "RIPGREP_CONFIG_PATH=x",
            "ENV=x",
            "ZDOTDIR=x",
            "TOKEN=secret",
            &format!("PATH={path}"),
        ]);
        let ours = UNWATCHED.map(|(name, value)| format!("{name}={value}"));
        let mut wanted: Vec<&str> = ours.iter().map(String::as_str).collect();
        wanted.extend(["HOME=/home/ada", "LC_ALL=C", "PATH=/usr/bin", "TERM=dumb"]);
        wanted.sort_unstable_by_key(|variable| variable.split('=').next());
        assert_eq!(shown(unreviewed(&base, &workspace)), wanted.join(" "));
    }

    #[test]
    fn without_a_path_of_its_own_it_gets_the_usual_one() {
        let path = unreviewed(&base(&["PATH=bin:."]), Path::new("/home/ada/work")).remove(OsStr::new("PATH")).unwrap();
        assert_eq!(path, USUAL.join(":").as_str());
    }

    #[test]
    fn the_shell_is_the_one_that_was_judged_and_never_one_of_the_workspace() {
        let temp = tempfile::tempdir().unwrap();
        let workspace = temp.path().join("workspace");
        let elsewhere = temp.path().join("elsewhere");
        for place in [&workspace, &elsewhere] {
            std::fs::create_dir(place).unwrap();
            std::fs::copy("/bin/sh", place.join("bash")).unwrap();
        }
        let (inside, outside) = (workspace.join("bash"), elsewhere.join("bash"));
        let found = |variables: &[&str]| shell(Dialect::Bash, &base(variables), &workspace).unwrap();
        assert_eq!(found(&[&format!("SHELL={}", outside.display())]), outside);
        assert_eq!(found(&[&format!("PATH={}:{}", workspace.display(), elsewhere.display())]), outside);
        for variables in [
            vec![format!("SHELL={}", inside.display())],
            vec!["SHELL=/bin/sh".to_owned()],
            vec!["SHELL=bash".to_owned(), "PATH=.:bin".to_owned()],
        ] {
            let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
            let found = found(&variables);
            assert!(found != inside && found.is_absolute() && found.ends_with("bash"), "{variables:?}: {found:?}");
        }
    }
}
