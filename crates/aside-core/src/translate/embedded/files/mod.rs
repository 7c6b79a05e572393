//! Queries about files and directories: which ones, and what to do with them. `read` builds a `Query` from the words;
//! `render`, `space` and `act` turn it into a command. `operate`, `rename`, `rights` and `archive` handle files that
//! are named.

mod act;
mod archive;
mod operate;
mod query;
mod read;
mod rename;
mod render;
mod rights;
mod scan;
mod space;
mod variants;

#[cfg(test)]
mod tests;

use crate::translate::embedded::draft::{Draft, Objects};
use crate::translate::embedded::reading::{Reading, Used};

pub fn draft(reading: &Reading<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    if let Some(read) = read::read(reading).filter(|read| !read.query.contradicts()) {
        for (place, (command, about)) in render::render(&read.query, reading.place).into_iter().enumerate() {
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
    drafts.extend(rights::draft(reading));
    drafts.extend(archive::draft(reading));
    drafts
}

/// Penalty for an interpretation that the words do not support.
const OTHER: f32 = 0.14;
/// Penalty for a second interpretation of the same words.
const SECOND: f32 = 0.05;

/// Drafts for named files, the best first, with the words they explain.
fn several(commands: Vec<(String, &str)>, used: &Used, doubt: f32, rule: &'static str) -> Vec<Draft> {
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
