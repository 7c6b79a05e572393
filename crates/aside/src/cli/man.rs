//! `aside man`: generates the man pages and the reference pages from the one definition of the command line. For packagers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{Cli, Exit};

mod facts;
mod pages;

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
    /// Write reference.md and cli.md of the documentation instead
    #[arg(long)]
    reference: bool,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let written = if args.reference { write_pages(&args.dir) } else { write(&args.dir) };
    written.with_context(|| format!("could not write into {}", args.dir.display()))?;
    Ok(Exit::Done)
}

fn write_pages(dir: &Path) -> std::io::Result<()> {
    pages::all().iter().try_for_each(|(name, text)| std::fs::write(dir.join(name), text))
}

fn write(dir: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    clap_mangen::generate_to(Cli::command(), dir)?;
    let keys = facts::KEYS.iter().map(|(key, does)| ((*key).to_owned(), *does));
    let environment = facts::ENVIRONMENT.iter().map(|(name, about)| ((*name).to_owned(), *about));
    let more = [
        section("KEYS", "At a zsh prompt:", keys),
        section("FILES", "With the usual directories:", facts::files().into_iter()),
        section("ENVIRONMENT", "", environment),
    ];
    append(&dir.join("aside.1"), &more.concat())?;
    for (command, codes) in facts::EXITS {
        let codes = codes.iter().map(|(code, about)| ((*code).to_owned(), *about));
        append(&dir.join(format!("aside-{command}.1")), &section("EXIT STATUS", "", codes))?;
    }
    Ok(())
}

fn append(page: &Path, more: &str) -> std::io::Result<()> {
    let text = std::fs::read_to_string(page)?;
    std::fs::write(page, text.trim_end().to_owned() + "\n" + more)
}

fn section(title: &str, lead: &str, rows: impl Iterator<Item = (String, &'static str)>) -> String {
    let mut text = format!(".SH {}\n", if title.contains(' ') { format!("\"{title}\"") } else { title.to_owned() });
    if !lead.is_empty() {
        let _ = writeln!(text, "{}", roff(lead));
    }
    for (name, about) in rows {
        let _ = write!(text, ".TP\n\\fB{}\\fR\n{}\n", roff(&name), roff(about));
    }
    text
}

/// Escapes for roff: a line that begins with a dot or an apostrophe would be a macro.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
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
            assert!(page(&name).contains(".SH \"EXIT STATUS\""), "{name}");
        }
        let first = page("aside.1");
        assert!(first.contains("aside\\-config(1)"), "the first page leads to the others");
        for title in ["KEYS", "FILES", "ENVIRONMENT"] {
            assert!(first.contains(&format!(".SH {title}\n")), "{title}");
        }
        assert!(page("aside-config-set.1").contains(".SH SYNOPSIS"));
    }
}
