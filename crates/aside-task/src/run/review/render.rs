//! Renders a review as Markdown: the most important first, and within the number of lines.

use std::collections::BTreeMap;

use aside_core::agent::language::Language;

use crate::run::code;
use crate::run::review::file_kind;
use crate::run::review::{FindingLocation, Review, Risk, Severity};

/// Places of a risk that are listed.
const PLACES: usize = 3;
/// Minimum number of lines; fewer would be useless.
const FEWEST: usize = 8;

/// One line, for a notification.
pub fn summary(review: &Review, language: Language) -> String {
    if review.files.is_empty() {
        return language.pick("Nothing has changed", "没有改动").to_owned();
    }
    let of = |weight| review.risks.iter().filter(|risk| risk.weight == weight).count();
    let (grave, look) = (of(Severity::Grave), of(Severity::Look));
    match language {
        Language::English => {
            let risks = match (grave, look) {
                (0, 0) => "nothing stands out".to_owned(),
                (0, look) => format!("{} to look at", count(look, "thing")),
                (grave, 0) => format!("{} that should not be committed", count(grave, "thing")),
                (grave, look) => {
                    format!("{} that should not be committed, {look} more to look at", count(grave, "thing"))
                }
            };
            format!("{}: {risks}", sizes(review, language))
        }
        Language::Chinese => {
            let risks = match (grave, look) {
                (0, 0) => "没有显眼的问题".to_owned(),
                (0, look) => format!("{look} 处需要看"),
                (grave, 0) => format!("{grave} 处不应提交"),
                (grave, look) => format!("{grave} 处不应提交，另有 {look} 处需要看"),
            };
            format!("{}：{risks}", sizes(review, language))
        }
    }
}

pub fn markdown(review: &Review, lines: usize, language: Language) -> String {
    if review.files.is_empty() {
        let notes: Vec<String> = review.notes.iter().map(|note| format!("\n- {}", note.of(language))).collect();
        let nothing = language.pick("Nothing has changed that could be looked at.", "没有可以看的改动。");
        return format!("{nothing}{}", notes.concat());
    }
    let lines = lines.max(FEWEST);
    let mut told = vec![
        match language {
            Language::English => format!("{}: {}.", sizes(review, language), kinds(review, language)),
            Language::Chinese => format!("{}：{}。", sizes(review, language), kinds(review, language)),
        },
        String::new(),
    ];
    let unseen = language.pick("Not looked at: ", "没有看的：");
    let notes: Vec<String> = review.notes.iter().map(|note| format!("- {unseen}{}", note.of(language))).collect();
    let (grave, minor): (Vec<&Risk>, Vec<&Risk>) = review.risks.iter().partition(|risk| risk.weight != Severity::Minor);
    if grave.is_empty() && minor.is_empty() {
        let nothing = language.pick(
            "Nothing stands out. That is what rules found; whether the change is right, they cannot tell.",
            "没有显眼的问题。这只是规则的发现；改动是否正确，规则无法判断。",
        );
        told.push(nothing.to_owned());
    } else {
        // Room for the files, with their heading and the note about omissions.
        let room = lines.saturating_sub(told.len() + notes.len() + 6).max(2);
        let mut rows = Vec::new();
        if !grave.is_empty() {
            let first = language.pick(
                "Look at these first. Rules found them; nobody has read the change:",
                "请先看这些。它们是规则发现的；还没有人读过这个改动：",
            );
            rows.push(first.to_owned());
            rows.extend(grave.iter().map(|risk| risk_row(risk, language)));
        }
        if !minor.is_empty() {
            if grave.is_empty() {
                rows.push(language.pick("Rules found only small things:", "规则只发现了一些小问题：").to_owned());
            } else {
                // Without an empty line Markdown would continue the last item.
                rows.extend([String::new(), language.pick("Small things:", "小问题：").to_owned()]);
            }
            rows.extend(minor.iter().map(|risk| risk_row(risk, language)));
        }
        told.extend(bounded(rows, room, language));
    }
    told.extend(notes.into_iter().take(3));
    let left = lines.saturating_sub(told.len() + 2);
    if left >= 2 {
        told.push(String::new());
        told.push(language.pick("Files:", "文件：").to_owned());
        told.extend(bounded(file_rows(review, language), left, language));
    }
    told.join("\n") + "\n"
}

/// At most `room` rows, the last of which says how many are left out.
fn bounded(mut rows: Vec<String>, room: usize, language: Language) -> Vec<String> {
    if rows.len() > room {
        let left = rows.len() - room.saturating_sub(1);
        rows.truncate(room.saturating_sub(1));
        rows.push(match language {
            Language::English => format!("- and {left} more"),
            Language::Chinese => format!("- 还有 {left} 项"),
        });
    }
    rows
}

fn risk_row(risk: &Risk, language: Language) -> String {
    let what = risk.what.of(language);
    let what = if risk.weight == Severity::Grave { format!("**{what}**") } else { what.to_owned() };
    let colon = language.pick(": ", "：");
    if let [only] = risk.places.as_slice() {
        return format!("- {what}{colon}{}", place(only));
    }
    let shown = risk.places.iter().take(PLACES).map(|spot| code(&spot_name(spot)));
    let mut places: Vec<String> = shown.collect();
    let (all, more) = (risk.places.len(), risk.places.len().saturating_sub(PLACES));
    match language {
        Language::English => {
            places.extend((more > 0).then(|| format!("and {more} more")));
            format!("- {what}, {all} times: {}", places.join(", "))
        }
        Language::Chinese => {
            places.extend((more > 0).then(|| format!("还有 {more} 处")));
            format!("- {what}，{all} 处：{}", places.join("、"))
        }
    }
}

fn place(spot: &FindingLocation) -> String {
    let name = code(&spot_name(spot));
    if spot.text.is_empty() { name } else { format!("{name} {}", code(&spot.text)) }
}

fn spot_name(spot: &FindingLocation) -> String {
    match spot.line {
        Some(line) => format!("{}:{line}", spot.path),
        None => spot.path.clone(),
    }
}

fn file_rows(review: &Review, language: Language) -> Vec<String> {
    // Handwritten and large files before generated ones.
    let dull = |kind: &str| ["lock file", "generated", "media", "log", "data"].contains(&kind);
    let mut files: Vec<_> = review.files.iter().collect();
    files.sort_by_key(|file| (dull(file.kind), usize::MAX - (file.added + file.removed)));
    let row = |file: &&crate::run::review::ReviewedFile| {
        let (kind, change) = (file_kind::called(file.kind, language), file.change.of(language));
        let sizes = format!("{} +{} −{}", code(&file.path), file.added, file.removed);
        match (language, change.is_empty()) {
            (Language::English, true) => format!("- {sizes} ({kind})"),
            (Language::English, false) => format!("- {sizes} ({kind}, {change})"),
            (Language::Chinese, true) => format!("- {sizes}（{kind}）"),
            (Language::Chinese, false) => format!("- {sizes}（{kind}，{change}）"),
        }
    };
    files.iter().map(row).collect()
}

fn sizes(review: &Review, language: Language) -> String {
    let (added, removed) =
        review.files.iter().fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
    match language {
        Language::English => format!("{}, +{added} −{removed}", count(review.files.len(), "file")),
        Language::Chinese => format!("{} 个文件，+{added} −{removed}", review.files.len()),
    }
}

fn kinds(review: &Review, language: Language) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &review.files {
        *kinds.entry(file.kind).or_default() += 1;
    }
    let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, count)| (usize::MAX - count, *kind));
    if let [(kind, _)] = kinds.as_slice() {
        return format!("{}{}", language.pick("all ", "都是"), file_kind::called(kind, language));
    }
    let row = |(kind, count): &(&str, usize)| format!("{count} {}", file_kind::called(kind, language));
    match language {
        Language::English => kinds.iter().map(row).collect::<Vec<_>>().join(", "),
        Language::Chinese => {
            let row = |(kind, count): &(&str, usize)| format!("{} {count} 个", file_kind::called(kind, language));
            kinds.iter().map(row).collect::<Vec<_>>().join("、")
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
