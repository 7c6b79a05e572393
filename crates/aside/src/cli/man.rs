//! `aside man`: the man pages, made from the one definition of the command line. For whoever packages Aside.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{Cli, Exit};

/// Write the man pages into a directory
///
/// One page for each subcommand: aside.1, aside-config.1, aside-config-set.1 and so on. The directory is made when it is
/// not there; pages of the same name are replaced.
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// For example ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    write(&args.dir).with_context(|| format!("could not write the man pages into {}", args.dir.display()))?;
    Ok(Exit::Done)
}

fn write(dir: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    clap_mangen::generate_to(Cli::command(), dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_in_the_help_has_a_page() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("man1");
        write(&dir).unwrap();
        let page = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
        let command = Cli::command();
        for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
            let name = format!("aside-{}.1", subcommand.get_name());
            assert!(page(&name).contains(".SH SYNOPSIS"), "{name}");
        }
        assert!(page("aside.1").contains("aside\\-config(1)"), "the first page leads to the others");
        assert!(page("aside-config-set.1").contains(".SH SYNOPSIS"));
    }
}
