//! A review as Markdown, for a person: the most important first, and never longer than there is room for.

use std::collections::BTreeMap;

use crate::task::run::code;
use crate::task::run::review::{Review, Risk, Spot, Weight};

/// Places of one risk that are spelled out.
const PLACES: usize = 3;
/// Fewer lines than this say nothing.
const FEWEST: usize = 8;

/// One line, for a message.
pub fn summary(review: &Review) -> String {
    if review.files.is_empty() {
        return "Nothing has changed".to_owned();
    }
    let of = |weight| review.risks.iter().filter(|risk| risk.weight == weight).count();
    let risks = match (of(Weight::Grave), of(Weight::Look)) {
        (0, 0) => "nothing stands out".to_owned(),
        (0, look) => format!("{} to look at", count(look, "thing")),
        (grave, 0) => format!("{} that should not be committed", count(grave, "thing")),
        (grave, look) => format!("{} that should not be committed, {look} more to look at", count(grave, "thing")),
    };
    format!("{}: {risks}", sizes(review))
}

pub fn markdown(review: &Review, lines: usize) -> String {
    if review.files.is_empty() {
        let notes: Vec<String> = review.notes.iter().map(|note| format!("\n- {note}")).collect();
        return format!("Nothing has changed that could be looked at.{}", notes.concat());
    }
    let lines = lines.max(FEWEST);
    let mut told = vec![format!("{}: {}.", sizes(review), kinds(review)), String::new()];
    let notes: Vec<String> = review.notes.iter().map(|note| format!("- Not looked at: {note}")).collect();
    let (grave, minor): (Vec<&Risk>, Vec<&Risk>) = review.risks.iter().partition(|risk| risk.weight != Weight::Minor);
    if grave.is_empty() && minor.is_empty() {
        told.push(
            "Nothing stands out. That is what rules found; whether the change is right, they cannot tell.".to_owned(),
        );
    } else {
        // Room for the files, with their heading and what is left out.
        let room = lines.saturating_sub(told.len() + notes.len() + 6).max(2);
        let mut rows = Vec::new();
        if !grave.is_empty() {
            rows.push("Look at these first. Rules found them; nobody has read the change:".to_owned());
            rows.extend(grave.iter().flat_map(|risk| risk_rows(risk)));
        }
        if !minor.is_empty() {
            if grave.is_empty() {
                rows.push("Rules found only small things:".to_owned());
            } else {
                // Without a gap it would be read as more of the last thing.
                rows.extend([String::new(), "Small things:".to_owned()]);
            }
            rows.extend(minor.iter().flat_map(|risk| risk_rows(risk)));
        }
        told.extend(bounded(rows, room));
    }
    told.extend(notes.into_iter().take(3));
    let left = lines.saturating_sub(told.len() + 2);
    if left >= 2 {
        told.push(String::new());
        told.push("Files:".to_owned());
        told.extend(bounded(file_rows(review), left));
    }
    told.join("\n") + "\n"
}

/// So many rows, the last of which says how many are left out.
fn bounded(mut rows: Vec<String>, room: usize) -> Vec<String> {
    if rows.len() > room {
        let left = rows.len() - room.saturating_sub(1);
        rows.truncate(room.saturating_sub(1));
        rows.push(format!("- and {left} more"));
    }
    rows
}

fn risk_rows(risk: &Risk) -> Vec<String> {
    let what = if risk.weight == Weight::Grave { format!("**{}**", risk.what) } else { risk.what.clone() };
    if let [only] = risk.places.as_slice() {
        return vec![format!("- {what}: {}", place(only))];
    }
    let shown = risk.places.iter().take(PLACES).map(|spot| code(&spot_name(spot)));
    let mut places: Vec<String> = shown.collect();
    if risk.places.len() > PLACES {
        places.push(format!("and {} more", risk.places.len() - PLACES));
    }
    vec![format!("- {what}, {} times: {}", risk.places.len(), places.join(", "))]
}

fn place(spot: &Spot) -> String {
    let name = code(&spot_name(spot));
    if spot.text.is_empty() { name } else { format!("{name} {}", code(&spot.text)) }
}

fn spot_name(spot: &Spot) -> String {
    match spot.line {
        Some(line) => format!("{}:{line}", spot.path),
        None => spot.path.clone(),
    }
}

fn file_rows(review: &Review) -> Vec<String> {
    // What a person wrote, and much of it, before what a program wrote.
    let dull = |kind: &str| ["lock file", "generated", "media"].contains(&kind);
    let mut files: Vec<_> = review.files.iter().collect();
    files.sort_by_key(|file| (dull(file.kind), usize::MAX - (file.added + file.removed)));
    let row = |file: &&crate::task::run::review::File| {
        let change = if file.change.is_empty() { String::new() } else { format!(", {}", file.change) };
        format!("- {} +{} −{} ({}{change})", code(&file.path), file.added, file.removed, file.kind)
    };
    files.iter().map(row).collect()
}

fn sizes(review: &Review) -> String {
    let (added, removed) =
        review.files.iter().fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
    format!("{}, +{added} −{removed}", count(review.files.len(), "file"))
}

fn kinds(review: &Review) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &review.files {
        *kinds.entry(file.kind).or_default() += 1;
    }
    let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, count)| (usize::MAX - count, *kind));
    if let [(kind, _)] = kinds.as_slice() {
        return format!("all {kind}");
    }
    kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
