//! Serves Synapse's zsh plugin: answers a query in tab-separated fields, as that plugin reads them. The plugin finds us as SYNAPSE_BIN, a
//! link named `synapse`; `docs/compat.md` explains how. Supports nothing else of that program.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aside_proto::query::{TranslateResult, WireProposal};
use clap::{Parser, Subcommand};

use crate::cli::translate::engine::{self, QueryArgs};
use crate::cli::{Exit, is_broken_pipe, one_line, print};

/// Commands that fit into the plugin's list.
const SHOWN: u32 = 3;

/// Answer the zsh plugin of Synapse
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Parser)]
#[command(name = "synapse", version, about = "Aside, answering Synapse's zsh plugin", disable_help_subcommand = true)]
struct Named {
    #[command(flatten)]
    args: Args,
}

#[derive(Subcommand)]
enum What {
    Translate(Wish),
    /// Everything else that Synapse itself can do
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// Answer a request, in fields between tabs
#[derive(clap::Args)]
struct Wish {
    #[arg(allow_hyphen_values = true)]
    query: String,
    #[arg(long)]
    cwd: PathBuf,
    /// Newest first
    #[arg(long, allow_hyphen_values = true)]
    recent_command: Vec<String>,
    /// NAME=VALUE
    #[arg(long, allow_hyphen_values = true)]
    env_hint: Vec<String>,
}

/// Runs when we were called as `synapse`.
pub fn by_name() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    if Path::new(&name).file_name()? != "synapse" {
        return None;
    }
    Some(match run(Named::parse().args) {
        Ok(exit) => exit.into(),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain!("synapse: {error:#}");
            Exit::Failed.into()
        }
    })
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    match args.what {
        Some(What::Translate(wish)) => {
            print(&fields(&engine::answer(wished(wish))?))?;
            Ok(Exit::Done)
        }
        Some(What::Other(words)) => {
            let what = words.first().map(|word| one_line(word)).unwrap_or_default();
            complain!("synapse: this is Aside, which answers requests for Synapse's plugin and does not do `{what}`");
            Ok(Exit::Usage)
        }
        // `eval "$(synapse)"`: prints nothing, so there is nothing to evaluate.
        None => {
            complain!("synapse: this is Aside, which answers Synapse's plugin; source the plugin's own file");
            Ok(Exit::Usage)
        }
    }
}

fn wished(wish: Wish) -> QueryArgs {
    let Wish { query, cwd, mut recent_command, env_hint } = wish;
    recent_command.reverse();
    QueryArgs {
        words: query.split_whitespace().collect::<Vec<_>>().join(" "),
        cwd: Some(cwd.display().to_string()),
        shell: "zsh".to_owned(),
        provider: String::new(),
        number: SHOWN,
        recent_commands: recent_command,
        env_hints: env_hint
            .iter()
            .filter_map(|hint| hint.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    }
}

/// `list`, the count, and four fields for each command; or `error` and the reason.
fn fields(suggestion: &TranslateResult) -> String {
    let TranslateResult { state: _, note, proposals } = suggestion;
    let mut fields = match proposals.len() {
        0 => vec!["error".to_owned(), if note.is_empty() { "no answer".to_owned() } else { one_line(note) }],
        count => vec!["list".to_owned(), count.to_string()],
    };
    for WireProposal { text, source, confidence: _, description, warning, nearness: _ } in proposals {
        let about = if warning.is_empty() { description } else { warning };
        fields.extend([one_line(text), one_line(source), one_line(about), "command".to_owned()]);
    }
    fields.join("\t") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_proto::query::ReplyStage;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Named::command().debug_assert();
    }

    #[test]
    fn every_command_has_four_fields_and_no_tab_within() {
        let proposal = |text: &str, description: &str, warning: &str| WireProposal {
            text: text.to_owned(),
            source: "llm".to_owned(),
            description: description.to_owned(),
            warning: warning.to_owned(),
            ..WireProposal::default()
        };
        let proposals = vec![proposal("ls -l", "", ""), proposal("rm a\tb", "removes", "deletes files")];
        let suggestion = TranslateResult { state: ReplyStage::Done, note: String::new(), proposals };
        assert_eq!(fields(&suggestion), "list\t2\tls -l\tllm\t\tcommand\trm a\\tb\tllm\tdeletes files\tcommand\n");
        assert_eq!(fields(&TranslateResult::none("")), "error\tno answer\n");
        assert_eq!(fields(&TranslateResult::none("not\tnow")), "error\tnot\\tnow\n");
    }
}
