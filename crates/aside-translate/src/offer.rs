//! Turns the proposals for a query into what the client is sent: ranked, checked, without duplicates, the best first.
//! Asks no model.

use std::sync::Arc;

use aside_commands::project;
use aside_commands::world::{DirEntry, Fact, LiveItem, LiveKind, World};
use aside_proto::query;
use aside_text as text;

use crate::check::{CheckRefusal, CheckedCommand, check};
use crate::explain::explain;
use crate::{Completeness, Proposal, ProposalSource, TranslateContext, TranslateQuery, embedded};

/// Characters of a command's description.
const MAX_ABOUT: usize = 200;

/// Keeps the order of `thoughts`: a model's come before those of the embedded engine, which stay where they differ.
/// Blocklist entries are prefixes of commands.
pub fn offers<'a>(
    thoughts: impl IntoIterator<Item = &'a Proposal>,
    place: &TranslateContext<'_>,
    blocklist: &[String],
    limit: usize,
) -> Vec<query::WireProposal> {
    let mut offers: Vec<query::WireProposal> = Vec::new();
    for proposal in thoughts {
        if offers.len() == limit {
            break;
        }
        if let Ok(checked) = check(&proposal.command, place, blocklist)
            && !offers.iter().any(|known| is_same(&known.text, &checked.command))
        {
            let mut offer = offer(proposal, checked);
            let says_something = |description: &str| {
                !repeats(description, &offer.warning) && !offers.iter().any(|known| known.description == description)
            };
            if !says_something(&offer.description) {
                let summary = line(&explain(&offer.text, place).summary);
                offer.description = if says_something(&summary) { summary } else { String::new() };
            }
            offers.push(offer);
        }
    }
    offers
}

/// Whether the description only repeats the warning: "deletes the files" beside "deletes files".
fn repeats(description: &str, warning: &str) -> bool {
    const FILLERS: [&str; 5] = ["the", "a", "it", "them", "your"];
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str())).collect()
    };
    let warned = words(warning);
    !warned.is_empty() && words(description).iter().all(|word| warned.contains(word))
}

/// For a request without an answer here: why, if the best answer names a program that is not installed and lacks nothing
/// else. The user needs that program then, and no model.
pub fn missing_program(query: &TranslateQuery<'_>, blocklist: &[String]) -> Option<String> {
    // A task answers requests for what a project defines.
    if project::requested_goal(query.words).is_some() {
        return None;
    }
    let world = WithEveryProgram(query.place.world);
    let equipped = TranslateContext { world: &world, ..query.place };
    let answers = embedded::answer(&TranslateQuery { place: equipped, ..*query });
    let best = answers.first().filter(|best| best.nearness == Completeness::Answer)?;
    check(&best.command, &equipped, blocklist).ok()?;
    match check(&best.command, &query.place, blocklist) {
        Err(CheckRefusal::NotFound(name)) => Some(format!("`{name}` is not installed here")),
        Ok(_) | Err(_) => None,
    }
}

/// The machine, if every program were installed on it.
struct WithEveryProgram<'a>(&'a dyn World);

impl World for WithEveryProgram<'_> {
    fn home(&self) -> &str {
        self.0.home()
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        self.0.entries(directory)
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        self.0.programs()
    }

    fn has_program(&self, _name: &str) -> Fact<bool> {
        Fact::Yes(true)
    }

    fn is_root(&self) -> bool {
        self.0.is_root()
    }

    fn repository(&self, directory: &str) -> Fact<Arc<str>> {
        self.0.repository(directory)
    }

    fn live(&self, what: LiveKind, directory: &str) -> Fact<Arc<[LiveItem]>> {
        self.0.live(what, directory)
    }

    fn learnt(&self, command: &str) -> Fact<Arc<str>> {
        self.0.learnt(command)
    }

    fn manual(&self, command: &str) -> Fact<Arc<str>> {
        self.0.manual(command)
    }
}

/// The final reply to a request. `excuse` is why a model was not asked or did not answer; `unknown` are the words that
/// no known rule explains.
pub fn last(
    proposals: Vec<query::WireProposal>,
    excuse: &str,
    query: &str,
    unknown: Option<&str>,
) -> query::TranslateResult {
    let is_ours = proposals.iter().all(|proposal| proposal.source == ProposalSource::Embedded.name());
    let note = match (proposals.is_empty(), excuse) {
        // The project has nothing of this name in this directory; a task looks further and lists what exists.
        (true, "") if project::requested_goal(query).is_some() => {
            "no answer: nothing in this project is called so; `aside task` lists what there is".to_owned()
        }
        (true, "") => match unknown.map(line).filter(|unknown| !unknown.is_empty()) {
            Some(unknown) => format!("I don't know what to do with “{unknown}”; a model may: aside model"),
            None => "no answer; a model would know more: aside model".to_owned(),
        },
        (true, excuse) => format!("no answer: {excuse}"),
        (false, excuse) if !excuse.is_empty() && is_ours => format!("{excuse}; from the embedded engine"),
        (false, excuse) => excuse.to_owned(),
    };
    query::TranslateResult { state: query::ReplyStage::Done, note, proposals }
}

fn offer(proposal: &Proposal, checked: CheckedCommand) -> query::WireProposal {
    let Proposal { command: _, source, confidence, about, nearness } = proposal;
    let confidence = checked.confidence(if confidence.is_finite() { confidence.clamp(0.0, 1.0) } else { 0.0 });
    // A command with placeholders is not an answer.
    let nearness = match nearness {
        Completeness::Answer if checked.holes.is_empty() => query::WireNearness::Answer,
        Completeness::Answer | Completeness::Closest => query::WireNearness::Closest,
    };
    query::WireProposal {
        source: source.name().to_owned(),
        confidence,
        description: line(if about.is_empty() { &checked.about } else { about }),
        text: checked.command,
        warning: checked.warning,
        nearness,
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// One short line of plain text.
fn line(text: &str) -> String {
    let clean = text::clean(text);
    let words = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_ABOUT) {
        Some((end, _)) => format!("{}…", words[..end].trim_end()),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolFlavor;
    use aside_commands::shell_names::ShellNames;
    use aside_commands::spec::Specs;
    use aside_commands::world::EmptyWorld;
    use shell_line::Dialect;

    fn proposal(command: &str, source: ProposalSource) -> Proposal {
        let about = "what\nit \u{1b}[31mdoes".to_owned();
        Proposal { command: command.to_owned(), source, confidence: 0.5, about, nearness: Completeness::Answer }
    }

    fn offered(proposals: &[Proposal], limit: usize) -> Vec<query::WireProposal> {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let place = TranslateContext {
            cwd: "/",
            dialect: Dialect::Zsh,
            system: ToolFlavor::Gnu,
            world: &EmptyWorld,
            names: &names,
            specs: &specs,
        };
        offers(proposals, &place, &["forbidden".to_owned()], limit)
    }

    fn texts(proposals: &[Proposal], limit: usize) -> Vec<String> {
        let offers = offered(proposals, limit);
        assert!(offers.iter().take(1).all(|offer| offer.description == "what it [31mdoes"), "{offers:?}");
        offers.into_iter().map(|offer| format!("{} {}", offer.text, offer.source)).collect()
    }

    #[test]
    fn each_command_is_offered_once_and_from_whom_it_came_first() {
        let found = [
            proposal("ls -l", ProposalSource::Llm),
            proposal(" ls  -l ", ProposalSource::Embedded),
            proposal("ls", ProposalSource::Embedded),
        ];
        assert_eq!(texts(&found, 5), ["ls -l llm", "ls embedded"]);
        assert_eq!(texts(&found, 1), ["ls -l llm"]);
    }

    #[test]
    fn no_description_repeats_the_warning_or_another_description() {
        let named = |command: &str, about: &str| Proposal {
            about: about.to_owned(),
            ..proposal(command, ProposalSource::Embedded)
        };
        let found = [
            named("rm *.log", "deletes the files"),
            named("ls", "lists what is here"),
            named("ls -A", "lists what is here"),
        ];
        let offers = offered(&found, 5);
        let said: Vec<&str> = offers.iter().map(|offer| offer.description.as_str()).collect();
        assert!(said.iter().enumerate().all(|(at, one)| one.is_empty() || !said[..at].contains(one)), "{said:?}");
        assert!(!repeats(said[0], &offers[0].warning), "{said:?}");
        assert_eq!(said[1], "lists what is here");
        assert!(repeats("Deletes it", "deletes files") && !repeats("deletes old logs", "deletes files"));
        assert!(!repeats("lists files", ""));
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_offered() {
        for said in ["ls \u{1b}[2J", "r\u{200d}m x", "ls x\0", "ls a\tb", "\u{202e}ls"] {
            let offers = texts(&[proposal(said, ProposalSource::Llm)], 5);
            assert!(offers.iter().all(|text| text::is_clean(text) && !text.contains('\t')), "{said:?}: {offers:?}");
        }
        for bad in ["a\nb", "", "  ", "forbidden x", "ls | forbidden", "echo 'a"] {
            assert_eq!(texts(&[proposal(bad, ProposalSource::Llm)], 5), [""; 0], "{bad:?}");
        }
    }

    #[test]
    fn what_it_destroys_is_said_and_what_is_to_be_filled_in_is_no_answer() {
        let offers =
            offered(&[proposal("rm -r x", ProposalSource::Llm), proposal("ls YOUR_DIRECTORY", ProposalSource::Llm)], 5);
        assert_eq!((offers[0].warning.as_str(), offers[0].nearness), ("deletes files", query::WireNearness::Answer));
        assert_eq!((offers[1].nearness, offers[1].confidence), (query::WireNearness::Closest, 0.25));
    }

    /// Has `ls` and nothing else.
    struct Bare;

    impl World for Bare {
        fn home(&self) -> &str {
            "/home/ann"
        }

        fn programs(&self) -> Fact<Arc<[Box<str>]>> {
            Fact::Yes(Arc::new(["ls".into()]))
        }
    }

    #[test]
    fn a_request_that_lacks_only_a_program_is_told_which() {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let place = TranslateContext {
            cwd: "/",
            dialect: Dialect::Zsh,
            system: ToolFlavor::Gnu,
            world: &Bare,
            names: &names,
            specs: &specs,
        };
        let missing = |words| missing_program(&TranslateQuery { words, place, limit: 3 }, &["git".to_owned()]);
        for (words, program) in [
            ("list containers", "docker"),
            ("list pods", "kubectl"),
            ("find files larger than 100MB", "find"),
            ("show free disk space", "df"),
        ] {
            assert_eq!(missing(words), Some(format!("`{program}` is not installed here")), "{words}");
        }
        for words in ["list files", "run the tests", "frobnicate the quux", "show the git log"] {
            assert_eq!(missing(words), None, "{words}");
        }
    }

    #[test]
    fn the_last_word_says_who_answered_instead_of_whom() {
        let ours = offered(&[proposal("ls", ProposalSource::Embedded)], 1);
        let theirs = offered(&[proposal("ls", ProposalSource::Llm)], 1);
        let note = |offers: &[query::WireProposal], excuse| last(offers.to_vec(), excuse, "list files", None).note;
        assert_eq!(note(&ours, ""), "");
        assert_eq!(note(&ours, "it rests"), "it rests; from the embedded engine");
        assert_eq!(note(&theirs, "slow"), "slow");
        assert_eq!(note(&[], "it rests"), "no answer: it rests");
        assert_eq!(note(&[], ""), "no answer; a model would know more: aside model");
        assert!(last(Vec::new(), "", "run the tests", None).note.contains("aside task"));
        let unknown = last(Vec::new(), "", "x", Some("digest\u{1b}[2J")).note;
        assert_eq!(unknown, "I don't know what to do with “digest[2J”; a model may: aside model");
    }
}
