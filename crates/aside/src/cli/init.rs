//! `aside init`: prints the plugin for a shell, after the few settings it needs to find us.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use aside_core::detect::word_lists::{markers, reserved_in};
use clap::ValueEnum;
use shell_line::Dialect;

use crate::cli::Exit;
use crate::client;
use crate::config::{Config, check};
use crate::daemon::tasks::rules;
use crate::exec::{self, Own};
use crate::paths::{self, Paths};
use crate::trusted_file;

mod capture_setup;
mod deferred_plugin;
mod proxy_entry;

use deferred_plugin::DeferredPlugin;
use proxy_entry::RequestedLine;

/// Print the plugin for a shell; put it in your rc file
#[derive(clap::Args)]
#[command(
    after_help = "zsh:   eval \"$(aside init zsh)\"\nbash:  eval \"$(aside init bash)\"\nfish:  aside init fish | source"
)]
pub struct Args {
    /// The shell
    shell: Shell,
    /// Only the line that runs the shell in a terminal of ours, for the top of the rc file; nothing where it is not wanted
    #[arg(long)]
    proxy: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shell {
    Zsh,
    Bash,
    Fish,
}

impl Args {
    /// `aside init SHELL`, which every new shell waits for: making the parser takes longer than parsing.
    pub fn at_once(words: &[OsString]) -> Option<Self> {
        let [_, verb, shell] = words else { return None };
        let shell = Shell::from_str(shell.to_str()?, false).ok().filter(|_| verb == "init")?;
        Some(Self { shell, proxy: false })
    }
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let program = std::env::current_exe()?;
    // Ignores errors in the file: the daemon and `aside doctor` report them.
    let config = || Config::load(&paths.config_file).unwrap_or_default();
    if args.proxy {
        let line = proxy_entry::line(args.shell, &config(), RequestedLine::ForProxy, &program).unwrap_or_default();
        std::io::stdout().write_all(line.as_bytes())?;
        return Ok(Exit::Done);
    }
    let socket = paths.socket.clone();
    // Creates the directory before another user can: the shell sends what is typed to the socket in it.
    paths::prepare_socket_dir(&socket)?;
    paths.create_lock_file();
    let script = script(args.shell, &program, &socket);
    let script = match args.shell {
        Shell::Zsh => script,
        Shell::Bash => {
            let settings = followed(&config(), &socket);
            settings.iter().map(|(name, value)| format!("{name}={}\n", quoted(value))).collect::<String>() + &script
        }
        Shell::Fish => {
            // fish has no clock without a process.
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            let settings = followed(&config(), &socket).into_iter().chain([("_aside_now", now.to_string())]);
            settings.map(|(name, value)| fish_set(name, &value)).collect::<String>() + &script
        }
    };
    // Parsing the settings takes longer than all the rest, and most users have not set this: searches the text first.
    let may_ask = check::read_text(&paths.config_file).is_ok_and(|text| text.is_some_and(|text| text.contains("pty")));
    let enter = may_ask
        .then(|| proxy_entry::line(args.shell, &config(), RequestedLine::ForPlugin, &program))
        .flatten()
        .unwrap_or_default();
    std::io::stdout().write_all((enter + &script).as_bytes())?;
    if !is_read_by_a_shell() {
        return Ok(Exit::Done);
    }
    for file in [rules::of_person(&paths), paths.config_file] {
        if let Err(refused) = trusted_file::find(&file) {
            complain!("aside: {} {refused}", file.display());
        }
    }
    if client::connect(&socket).is_err() {
        // Starts the daemon here for zsh, which may lose what it draws when a child ends at the prompt; and for bash and fish, whose first
        // line may be prose. If that fails, the plugin and `aside doctor` will notice.
        let _ = exec::own(Own::Daemon);
    }
    Ok(Exit::Done)
}

/// An interactive shell, and one that will use a daemon.
fn is_read_by_a_shell() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let dumb = set("TERM").is_none_or(|term| term == "dumb");
    std::io::stdin().is_terminal() && !std::io::stdout().is_terminal() && !dumb && set("ASIDE_DISABLE").is_none()
}

/// What bash reads before its first prompt. aside.bash comes last: it sets up the others.
const BASH: [&str; 3] = [
    include_str!("../../shell/aside.output.bash"),
    include_str!("../../shell/aside.talk.bash"),
    include_str!("../../shell/aside.bash"),
];

const FISH: [&str; 3] = [
    include_str!("../../shell/aside.fish"),
    include_str!("../../shell/aside.enter.fish"),
    include_str!("../../shell/aside.keys.fish"),
];

/// Settings, then the plugin.
fn script(shell: Shell, program: &Path, socket: &Path) -> String {
    let settings = [
        ("_aside_bin", program.display().to_string()),
        ("_aside_socket", socket.display().to_string()),
        ("_aside_version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let set = settings.map(|(name, value)| match shell {
        Shell::Zsh => format!("'builtin' 'typeset' '-g' {name}={}\n", quoted(&value)),
        Shell::Bash => format!("{name}={}\n", quoted(&value)),
        Shell::Fish => fish_set(name, &value),
    });
    let settings = set.concat();
    match shell {
        Shell::Zsh => {
            let rest = DeferredPlugin::new().settings(socket);
            let first = quoted(&parts(include_str!("../../shell/aside.first.zsh")).concat());
            // Quotes every word, since any may be an alias. The options in force when a text is parsed decide how it is read.
            format!(
                "{settings}{rest}() {{ 'builtin' 'emulate' '-L' 'zsh' '-o' 'no_aliases'; 'builtin' 'eval' \"$1\"; }} {first}\n",
            )
        }
        Shell::Bash => {
            settings
                + &words(Dialect::Bash, |name, words| format!("{name}={}\n", quoted(&format!(" {} ", words.join(" ")))))
                + &BASH.map(stripped).concat()
                + &deferred_plugin::of_bash(socket)
        }
        Shell::Fish => {
            let list = |words: &[&str]| words.iter().map(|word| format!(" {}", fish_quoted(word))).collect::<String>();
            settings
                + &words(Dialect::Fish, |name, words| format!("set -g {name}{}\n", list(words)))
                + &FISH.map(stripped).concat()
        }
    }
}

/// The word lists by which the shell decides which lines to ask about; the daemon has the same lists.
fn words(dialect: Dialect, set: impl Fn(&str, &[&str]) -> String) -> String {
    set("_aside_reserved", &reserved_in(dialect)) + &set("_aside_markers", &markers())
}

/// Settings that zsh gets from the daemon's reply to its greeting, or finds out itself. bash and fish greet it too, but do not wait for that.
fn followed(config: &Config, socket: &Path) -> Vec<(&'static str, String)> {
    let detect = &config.detect;
    let settings = [
        ("_aside_reroute", detect.reroute.name()),
        ("_aside_agent_prefix", &detect.agent_prefix),
        ("_aside_shell_prefix", &detect.shell_prefix),
        ("_aside_query_prefix", query_prefix(config)),
        ("_aside_tab", config.complete.tab.name()),
    ];
    let settings = settings.map(|(name, value)| (name, value.to_owned()));
    settings.into_iter().chain(capture_setup::settings(config, socket)).collect()
}

/// The prefix of a request in the line; empty when that is disabled.
fn query_prefix(config: &Config) -> &str {
    if config.llm.natural_language { &config.llm.nl_prefix } else { "" }
}

fn fish_set(name: &str, value: &str) -> String {
    format!("set -g {name} {}\n", fish_quoted(value))
}

/// Splits the script: zsh's parse time grows faster than the text, so it gets several parts of whole functions, without comments and
/// indentation. Saves more than a millisecond of the first prompt.
fn parts(script: &str) -> Vec<String> {
    const LONG_ENOUGH: usize = 1500;
    let mut parts = vec![String::new()];
    for line in script.lines() {
        if let (Some(part), false) = (parts.last_mut(), bare(line).is_empty()) {
            part.push_str(bare(line));
            part.push('\n');
        }
        let is_long = parts.last().is_none_or(|part| part.len() >= LONG_ENOUGH);
        if line == "}" && is_long {
            parts.push(String::new());
        }
    }
    parts
}

/// The text without whole-line comments and indentation, which the shell would read before its first prompt.
fn stripped(script: &str) -> String {
    let lines = script.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

/// A line without indentation and comment. Comments are whole lines, or follow a variable's declaration. No multi-line string in the plugin
/// has an indented line; a test checks that.
fn bare(line: &str) -> &str {
    let line = line.trim_start();
    match line.split_once(" # ") {
        _ if line.starts_with('#') => "",
        Some((code, _)) if line.starts_with("typeset ") => code.trim_end(),
        Some(_) | None => line,
    }
}

/// For zsh and bash: single quotes, with inner single quotes escaped.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

fn fish_quoted(value: &str) -> String {
    format!("'{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the text defines, as zsh prints it.
    fn defined_by(text: &str) -> Option<String> {
        let print = "functions -m '_aside_*' 'aside-*'; typeset -pm '_aside_*'";
        exec::printed_by("zsh", &["-fic", &format!("{text}\n{print}")])
    }

    #[test]
    fn in_parts_it_is_the_same_plugin() {
        let whole = deferred_plugin::FILES.concat();
        let read = |text: &str| format!("emulate zsh -o no_aliases -c {}\n", quoted(text));
        let cut = parts(&whole);
        assert!(cut.len() > 3, "it is worth it");
        let Some(expected) = defined_by(&read(&whole)) else { return };
        assert!(expected.contains("_aside_edit"), "{expected}");
        assert_eq!(defined_by(&cut.iter().map(|part| read(part)).collect::<String>()).unwrap(), expected);
    }

    #[test]
    fn stripped_it_is_the_same_plugin() {
        // Reading it must not fail where nothing is interactive. That file is named by the pid.
        let print = "unset _aside_scratch; declare -f; declare -p ${!_aside_*}";
        let read = |text: &str| defined(&format!("set -eu; _aside_socket=/s\n{text}"), "bash", print);
        let Some(expected) = read(&BASH.concat()) else { return };
        assert!(expected.contains("_aside_leave") && expected.contains("_aside_bind_free"), "{expected}");
        assert_eq!(read(&BASH.map(stripped).concat()).unwrap(), expected);
        let expected = read(&deferred_plugin::BASH.concat()).unwrap();
        assert!(expected.contains("_aside_ask") && expected.contains("_aside_words"), "{expected}");
        assert_eq!(read(&deferred_plugin::BASH.map(stripped).concat()).unwrap(), expected);
    }

    #[test]
    fn every_shell_has_the_words_of_the_one_list() {
        for (shell, dialect) in [(Shell::Zsh, Dialect::Zsh), (Shell::Bash, Dialect::Bash)] {
            let (printed, name) = match shell {
                Shell::Zsh => {
                    (defined(&deferred_plugin::words(), "zsh", "print -r -- $_aside_reserved / $_aside_markers"), "zsh")
                }
                Shell::Bash | Shell::Fish => {
                    let script = script(shell, Path::new("/b"), Path::new("/s"));
                    let lines = script.lines().filter(|line| line.starts_with("_aside_reserved='"));
                    let markers = script.lines().filter(|line| line.starts_with("_aside_markers='"));
                    let text: String = lines.chain(markers).map(|line| format!("{line}\n")).collect();
                    (defined(&text, "bash", "set -f; echo $_aside_reserved / $_aside_markers"), "bash")
                }
            };
            let Some(printed) = printed else { continue };
            let expected = [reserved_in(dialect), vec!["/"], markers()].concat();
            assert_eq!(printed.split_whitespace().collect::<Vec<_>>(), expected, "{name}");
        }
        assert!(reserved_in(Dialect::Zsh).contains(&"[[") && markers().contains(&"you're"));
        // The files contain no copy of the word lists.
        let files = [deferred_plugin::FILES.concat(), include_str!("../../shell/aside.talk.bash").to_owned()].concat();
        assert!(!files.contains("elif|fi") && !files.contains("elif | fi") && !files.contains(" because but "));
    }

    fn defined(text: &str, shell: &str, print: &str) -> Option<String> {
        exec::printed_by(shell, &["-c", &format!("{text}\n{print}")])
    }

    #[test]
    fn paths_with_quotes_survive() {
        let odd = Path::new("/it's a $(touch x) \\ path");
        let bash = script(Shell::Bash, odd, Path::new("/s"));
        assert!(bash.starts_with("_aside_bin='/it'\\''s a $(touch x) \\ path'\n"), "{bash}");
        let fish = script(Shell::Fish, odd, Path::new("/s"));
        assert!(fish.starts_with("set -g _aside_bin '/it\\'s a $(touch x) \\\\ path'\n"), "{fish}");
    }
}
