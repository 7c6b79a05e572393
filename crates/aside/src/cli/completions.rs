//! `aside completions`: the completion script of a shell, made from the one definition of the command line.

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

/// Into memory first: the generator panics when it cannot write, as into a closed pipe.
fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "aside", &mut script);
    if shell == Shell::Fish {
        script.extend(fish_keys().into_bytes());
    }
    script
}

/// The generator for fish leaves out what an argument may be; the others offer the keys by themselves.
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
    use super::*;
    use crate::exec;

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
