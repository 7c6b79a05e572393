//! Translates a request in prose: the command for it, and what it does.

use aside_commands::shell_names::builtins;
use aside_proto::query::{WireNearness, WireProposal};
use aside_translate::embedded;
use aside_translate::explain::explain;
use aside_translate::offer::offers;
use aside_translate::{TranslateContext, TranslateQuery};

use crate::agent::language::{Language, Message};
use crate::agent::phrasing::{self, strip_frame};
use crate::agent::wording::{careful, code, fenced, sentence as capital};
use crate::agent::{Advice, AdviceKind, AgentQuery, OfferedCommand};

/// Commands that are shown: the best, and alternatives.
const SHOWN: usize = 3;
/// Minimum confidence for prose that begins with the name of a command, since it may be about something else.
const SURE: f32 = 0.8;
/// Minimum confidence of a command that is only close.
const CLOSE: f32 = 0.5;

/// Beginnings of questions for a definition or an opinion. No command answers those, although the words after them may match one.
const NOT_WISHED: [&str; 15] = [
    "what is a",
    "what is an",
    "what's a",
    "what's an",
    "what is the difference",
    "what's the difference",
    "what is the meaning",
    "write a",
    "write an",
    "write me",
    "draft",
    "compose a",
    "suggest",
    "come up with",
    "什么是",
];

pub fn answer(asked: &AgentQuery<'_>, place: &TranslateContext<'_>, language: Language) -> Option<Advice> {
    let words = phrasing::without_frame(asked.words);
    let thinks = NOT_WISHED.iter().filter_map(|frame| strip_frame(words, frame)).any(|what| !what.starts_with("file"));
    if thinks {
        return None;
    }
    // "What is in this directory" asks to see it, which the words alone do not say.
    let shown = strip_frame(words, "what is in")
        .or(strip_frame(words, "what's in"))
        .map(|what| format!("show what is in {what}"));
    let query = shown.as_deref().unwrap_or(words);
    // "How do I undo it?": without its frame it is no question any more.
    let is_framed = words.len() + 1 < asked.words.trim_end().len();
    let query = match query.strip_suffix(['?', '？']) {
        Some(plain) if is_framed && !plain.ends_with('*') && !query.contains('*') => plain,
        _ => query,
    };
    let found = embedded::answer_part(&TranslateQuery { words: query, place: *place, limit: SHOWN }, asked.words);
    let mut offers = offers(&found, place, asked.blocklist, SHOWN);
    // The same line would fail again.
    offers.retain(|offer| offer.text != asked.words && !(is_about_one(words) && is_about_all(&offer.text)));
    language.speak(&mut offers);
    let is_answer = |offer: &WireProposal| offer.nearness == WireNearness::Answer && offer.confidence >= SURE;
    let is_close = |offer: &WireProposal| offer.confidence >= CLOSE && !begins_with_command(words, place);
    let best = offers.first().filter(|best| is_answer(best) || is_close(best))?.clone();
    let kind = if best.nearness == WireNearness::Answer { AdviceKind::Query } else { AdviceKind::Close };
    let mut markdown = String::new();
    if kind == AdviceKind::Close {
        markdown.push_str(&language.says(Message::OnlyClose));
        markdown.push_str("\n\n");
    }
    markdown.push_str(&fenced(&best.text));
    let summary = || language.pick(&explain(&best.text, place).summary, "").to_owned();
    let is_silent = best.description.is_empty() && best.warning.is_empty();
    let description = if is_silent { summary() } else { best.description.clone() };
    let careful = careful(&best.warning, language);
    let said: Vec<String> = [capital(&description), careful].into_iter().filter(|part| !part.is_empty()).collect();
    if !said.is_empty() {
        markdown.push_str(&format!("\n{}\n", said.join(" ")));
    }
    let others: Vec<String> = offers.iter().skip(1).map(|offer| code(&offer.text)).collect();
    if !others.is_empty() {
        markdown.push_str(&format!("\n{} {}\n", language.says(Message::Others), others.join(", ")));
    }
    let proposal = Some(OfferedCommand { command: best.text, warning: best.warning });
    Some(Advice { kind, markdown, proposal, lacks_model: kind == AdviceKind::Close })
}

/// "How do I make a file executable": a single thing that is not named.
fn is_about_one(words: &str) -> bool {
    let words: Vec<String> = words.to_lowercase().split(' ').map(str::to_owned).collect();
    let things = ["file", "folder", "directory", "process", "container", "image", "package", "user", "script"];
    words.windows(2).any(|two| {
        matches!(two, [article, thing] if ["a", "an"].contains(&article.as_str())
        && things.iter().any(|known| thing.trim_end_matches(['?', '.', ',']) == *known))
    })
}

/// Whether it acts on everything it finds.
fn is_about_all(command: &str) -> bool {
    let acts = [" -exec ", " -execdir ", " -delete", "| xargs "].iter().any(|part| command.contains(part));
    acts && command.starts_with("find ")
}

pub fn begins_with_command(words: &str, place: &TranslateContext<'_>) -> bool {
    let first = words.split(' ').next().unwrap_or_default();
    place.specs.has(first)
        || builtins::has(place.names, place.dialect, first)
        || place.world.has_program(first).yes() == Some(true)
}
