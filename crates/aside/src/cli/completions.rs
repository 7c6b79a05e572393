//! `aside completions`: a shell's completion script, generated from the one definition of the command line.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, Exit};
use crate::config::schema::{Setting, schema};

/// Print the completion script for a shell
///
/// Load it from your rc file, or save it where your shell looks for completions:
///
///   zsh   aside completions zsh > "${fpath[1]}/_aside"
///   bash  aside completions bash > ~/.local/share/bash-completion/completions/aside
///   fish  aside completions fish > ~/.config/fish/completions/aside.fish
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The shell that will read the script
    shell: Shell,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    std::io::stdout().write_all(&script(args.shell))?;
    Ok(Exit::Done)
}

/// Generates into memory first: the generator panics on a write error, such as a closed pipe.
fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "aside", &mut script);
    if shell == Shell::Fish {
        script.extend(fish_keys().into_bytes());
    }
    script
}

/// clap's generator for fish leaves out an argument's possible values; the other shells get the keys from it.
fn fish_keys() -> String {
    let keys: Vec<&str> = schema().iter().map(|setting| setting.key.as_str()).collect();
    let condition = format!(
        "__fish_aside_using_subcommand config; and __fish_seen_subcommand_from get set unset; and not __fish_seen_subcommand_from {}",
        keys.join(" ")
    );
    let quoted = |text: &str| text.replace('\\', r"\\").replace('\'', r"\'");
    let line = |setting: &Setting| {
        format!("complete -c aside -n '{condition}' -f -a '{}' -d '{}'\n", setting.key, quoted(&setting.why))
    };
    schema().iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aside_commands::spec::format::{self, Spec};

    use super::*;
    use crate::exec;

    /// The spec by which Aside itself completes `aside`.
    const SPEC: &str = include_str!("../../../aside-commands/data/spec/aside.toml");

    #[track_caller]
    fn assert_same(command: &clap::Command, spec: &Spec) {
        let name = command.get_name();
        let subs = command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(clap::Command::get_name);
        assert_eq!(subs.collect::<BTreeSet<_>>(), spec.subs.iter().map(|sub| &*sub.name).collect(), "below {name}");
        let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
        let flags = shown.filter_map(|argument| argument.get_long().map(|long| format!("--{long}")));
        let known = spec.flags.iter().flat_map(|flag| &flag.names).filter(|name| name.starts_with("--"));
        // Every command has these two; the spec lists them once.
        let known = known.map(|name| name.to_string()).filter(|name| !["--help", "--version"].contains(&name.as_str()));
        assert_eq!(flags.collect::<BTreeSet<_>>(), known.collect(), "flags of {name}");
        for sub in &spec.subs {
            assert_same(command.find_subcommand(&*sub.name).unwrap(), &sub.spec);
        }
    }

    #[test]
    fn our_own_spec_has_every_command_and_flag_and_no_other() {
        let (spec, problems) = format::parse("aside.toml", SPEC);
        assert_eq!(problems, []);
        assert_same(&Cli::command(), &spec.unwrap());
    }

    #[test]
    fn our_own_spec_has_every_setting() {
        let keys: Vec<&str> = schema().iter().map(|setting| setting.key.as_str()).collect();
        assert_eq!(SPEC.matches(&format!("\"{} or text\"", keys.join("|"))).count(), 3, "get, set and unset");
    }

    #[test]
    fn the_shells_can_read_their_scripts() {
        for (name, shell) in [("zsh", Shell::Zsh), ("bash", Shell::Bash), ("fish", Shell::Fish)] {
            let script = String::from_utf8(script(shell)).unwrap();
            assert!(script.contains("uninstall"), "{name}");
            assert!(script.contains("complete.right_arrow"), "{name} completes the keys of the configuration");
            assert_ne!(exec::parses(name, &script), Some(false), "{name} -n");
        }
    }
}
