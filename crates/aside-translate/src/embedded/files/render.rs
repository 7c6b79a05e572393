//! Renders a query about files as commands for this machine's tools, the likeliest first. Actions are in `actions`, disk
//! usage in `disk_usage`, the rest in `spelling`.

use crate::TranslateContext;
use crate::embedded::files::query::{Action, FileType, OutputShape, Query, SortKey};
use crate::embedded::files::spelling::{CommandSpelling, ExplainedCommand};
use crate::embedded::files::{actions, disk_usage};

pub fn render(query: &Query, place: TranslateContext<'_>) -> Vec<ExplainedCommand> {
    let mut all = shown(query, place);
    if let Some(file) = &query.save {
        let file = CommandSpelling { query, place }.path(file);
        all.iter_mut().for_each(|(command, _)| *command = format!("{command} > {file}"));
    }
    all
}

fn shown(query: &Query, place: TranslateContext<'_>) -> Vec<ExplainedCommand> {
    let spell = CommandSpelling { query, place };
    if query.action != Action::Show {
        return actions::render(&spell);
    }
    match query.shape {
        OutputShape::Size => disk_usage::size(&spell),
        OutputShape::DuplicateContents
        | OutputShape::DuplicateNames
        | OutputShape::Tree
        | OutputShape::CountByDirectory
        | OutputShape::CountByEnding => disk_usage::survey(&spell),
        OutputShape::Lines | OutputShape::Words => spell.variants(|spell| vec![spell.lines()]),
        OutputShape::Holders => spell.variants(|spell| vec![spell.holders()]),
        OutputShape::Names | OutputShape::Count => {
            if query.what == FileType::Directories && query.order.is_some_and(|order| order.key == SortKey::Size) {
                return disk_usage::size(&spell);
            }
            spell.listing()
        }
    }
}
