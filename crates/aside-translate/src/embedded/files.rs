//! Queries about files and directories: which ones, and what to do with them. `parse` builds a `Query` from the words;
//! `render`, `disk_usage` and `actions` turn it into a command. `operate`, `rename`, `permissions` and `archive` handle files that
//! are named.

mod actions;
mod archive;
mod disk_usage;
pub mod follow;
mod operate;
mod parse;
mod permissions;
mod query;
mod rename;
mod render;
mod scan;
mod spelling;
mod variants;

#[cfg(test)]
mod tests;

use crate::embedded::analysis::{AnalyzedQuery, ExplainedWords};
use crate::embedded::draft::{Draft, Objects};

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    if let Some(read) = parse::read(reading).filter(|read| !read.query.contradicts()) {
        for (place, (command, about)) in render::render(&read.query, reading.place).into_iter().enumerate() {
            let is_bare_list = command == "ls" || command.starts_with("ls ") && !command.starts_with("ls -");
            let command = match is_bare_list && reading.has("oneline") {
                true => command.replacen("ls", "ls -1", 1),
                false => command,
            };
            let doubt = read.doubt + SECOND * place as f32;
            drafts.push(Draft {
                command,
                about,
                used: read.used.clone(),
                objects: Objects::Spelled,
                doubt,
                specific: read.specific,
                rule: "files",
            });
        }
        for (place, query) in variants::of(&read.query).into_iter().enumerate() {
            let Some((command, about)) = render::render(&query, reading.place).into_iter().next() else { continue };
            let doubt = read.doubt + OTHER + 0.01 * place as f32;
            drafts.push(Draft {
                command,
                about,
                used: read.used.clone(),
                objects: Objects::Spelled,
                doubt,
                specific: read.specific,
                rule: "files",
            });
        }
    }
    drafts.extend(operate::draft(reading));
    drafts.extend(rename::draft(reading));
    drafts.extend(permissions::draft(reading));
    drafts.extend(archive::draft(reading));
    drafts
}

/// Penalty for an interpretation that the words do not support.
const OTHER: f32 = 0.14;
/// Penalty for a second interpretation of the same words.
const SECOND: f32 = 0.05;

/// Drafts for named files, the best first, with the words they explain.
fn several(commands: Vec<(String, &str)>, used: &ExplainedWords, doubt: f32, rule: &'static str) -> Vec<Draft> {
    let draft = |(place, (command, about)): (usize, (String, &str))| Draft {
        command,
        about: about.to_owned(),
        used: used.clone(),
        objects: Objects::Spelled,
        doubt: doubt + SECOND * place as f32,
        specific: 3,
        rule,
    };
    commands.into_iter().enumerate().map(draft).collect()
}
