//! `aside translate`, also called `ask`: prints the command for a query, and nothing else, on standard output. `synapse` serves another
//! program's plugin.

mod engine;
pub mod synapse;
mod waiting;

use std::collections::BTreeMap;
use std::io::{IsTerminal, Read};
use std::path::Path;

use aside_core::agent::language::Language;
use aside_proto::query::{TranslateResult, WireNearness, WireProposal};
use serde::Serialize;

use crate::cli::{Exit, one_line, print};
use engine::QueryArgs;
use waiting::Waiting;

/// Cap on a query from standard input.
const MAX_INPUT: u64 = 64 * 1024;

/// Print the command for a request in plain words
///
/// Nothing is run. What the command may destroy is said on standard error, as is why there is no answer.
#[derive(clap::Args)]
#[command(
    visible_alias = "ask",
    after_help = "\
Examples:
  aside translate find files larger than 100MB
  aside translate --json kill whatever is using port 3000
  echo show the last 5 commits | aside translate -n 3"
)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How many commands to print, the best first
    #[arg(short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    number: u32,
    /// Print what to know about them above a line that has the best one; for the plugins of bash and fish
    #[arg(long, hide = true, conflicts_with = "json")]
    for_line: bool,
    /// Who is to answer, whatever the settings say
    #[arg(long, value_name = "PROVIDER", value_parser = ["embedded", "openai", "anthropic", "local"])]
    provider: Option<String>,
    /// The shell whose language the command is to be in
    #[arg(long, value_name = "SHELL", value_parser = ["zsh", "bash", "fish"])]
    shell: Option<String>,
    /// The directory the command is for; this one when absent
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// The request; read from standard input when absent
    words: Vec<String>,
}

/// The best command and the others, as on the wire.
#[derive(Serialize)]
struct Answered<'a> {
    command: &'a str,
    text: &'a str,
    source: &'a str,
    confidence: f32,
    description: &'a str,
    warning: &'a str,
    nearness: WireNearness,
    alternatives: &'a [WireProposal],
    note: &'a str,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let words = if args.words.is_empty() && !std::io::stdin().is_terminal() {
        let mut input = Vec::new();
        std::io::stdin().take(MAX_INPUT).read_to_end(&mut input)?;
        String::from_utf8_lossy(&input).into_owned()
    } else {
        args.words.join(" ")
    };
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        complain!("aside: say what the command is to do: aside translate find files larger than 100MB");
        return Ok(Exit::Usage);
    }
    if let Some(cwd) = args.cwd.as_ref().filter(|cwd| !Path::new(cwd).is_dir()) {
        complain!("aside: there is no directory {}", one_line(&Path::new(cwd).display().to_string()));
        return Ok(Exit::Usage);
    }
    let waiting = args.for_line.then(Waiting::begin);
    let suggestion = engine::answer(QueryArgs {
        words,
        cwd: args.cwd,
        shell: args.shell.unwrap_or_default(),
        provider: args.provider.unwrap_or_default(),
        number: args.number,
        recent_commands: Vec::new(),
        env_hints: BTreeMap::new(),
    });
    drop(waiting);
    let suggestion = suggestion?;
    let number = usize::try_from(args.number).unwrap_or(usize::MAX);
    if args.for_line {
        print(&plain(&suggestion, number))?;
        for line in notes_above_the_line(&suggestion, number) {
            complain!("{line}");
        }
    } else {
        print(&if args.json { json(&suggestion, number)? } else { plain(&suggestion, number) })?;
        for line in remarks(&suggestion, number) {
            complain!("aside: {line}");
        }
    }
    Ok(if suggestion.proposals.is_empty() { Exit::Failed } else { Exit::Done })
}

fn plain(suggestion: &TranslateResult, number: usize) -> String {
    suggestion.proposals.iter().take(number).map(|proposal| format!("{}\n", proposal.text)).collect()
}

fn json(suggestion: &TranslateResult, number: usize) -> anyhow::Result<String> {
    let nothing = WireProposal::default();
    let shown = &suggestion.proposals[..suggestion.proposals.len().min(number)];
    let (best, alternatives) = shown.split_first().unwrap_or((&nothing, &[]));
    let WireProposal { text, source, confidence, description, warning, nearness } = best;
    let answered = Answered {
        command: text,
        text,
        source,
        confidence: *confidence,
        description,
        warning,
        nearness: *nearness,
        alternatives,
        note: &suggestion.note,
    };
    crate::cli::json_lines(&answered)
}

/// Notes for the user.
fn remarks(suggestion: &TranslateResult, number: usize) -> Vec<String> {
    let mut remarks = Vec::new();
    let note = one_line(&suggestion.note);
    match (suggestion.proposals.is_empty(), note.is_empty()) {
        (true, true) => remarks.push("no answer".to_owned()),
        (_, false) => remarks.push(note),
        (false, true) => {}
    }
    for proposal in suggestion.proposals.iter().take(number) {
        let which = if number > 1 { format!("{}: ", proposal.text) } else { String::new() };
        if proposal.nearness == WireNearness::Closest {
            remarks.push(format!("{which}the closest I know; not all of your words are in it"));
        }
        if !proposal.warning.is_empty() {
            let warning = one_line(&proposal.warning);
            remarks.push(match Language::of(&warning) {
                Language::English => format!("{which}careful, it {warning}"),
                Language::Chinese => format!("{which}注意：{warning}"),
            });
        }
    }
    remarks
}

/// What to print above a line with the best command: notes about it, and the alternatives.
fn notes_above_the_line(suggestion: &TranslateResult, number: usize) -> Vec<String> {
    let mut notes = remarks(suggestion, 1);
    for other in suggestion.proposals.iter().take(number).skip(1) {
        let careful = match other.warning.as_str() {
            "" => String::new(),
            warning => format!("   (careful, it {})", one_line(warning)),
        };
        notes.push(format!("or: {}{careful}", one_line(&other.text)));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_proto::query::ReplyStage;

    fn proposal(text: &str, warning: &str, nearness: WireNearness) -> WireProposal {
        WireProposal { text: text.to_owned(), warning: warning.to_owned(), nearness, ..WireProposal::default() }
    }

    #[test]
    fn standard_output_has_commands_and_standard_error_the_rest() {
        let proposals = vec![
            proposal("rm *.log", "deletes files", WireNearness::Answer),
            proposal("ls *.log", "", WireNearness::Closest),
        ];
        let suggestion = TranslateResult { state: ReplyStage::Done, note: "from here".to_owned(), proposals };
        assert_eq!(plain(&suggestion, 1), "rm *.log\n");
        assert_eq!(remarks(&suggestion, 1), ["from here", "careful, it deletes files"]);
        assert_eq!(plain(&suggestion, 5), "rm *.log\nls *.log\n");
        let expected = [
            "from here",
            "rm *.log: careful, it deletes files",
            "ls *.log: the closest I know; not all of your words are in it",
        ];
        assert_eq!(remarks(&suggestion, 5), expected);
        assert_eq!(remarks(&TranslateResult::none(""), 1), ["no answer"]);
    }
}
