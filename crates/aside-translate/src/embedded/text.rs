//! Queries about text: find it, select lines, take columns, sort, count, replace, compare. Reads where the text is and
//! what to do with it, and renders one command or a pipeline.

mod columns;
mod compare;
mod count;
mod edit;
mod extract;
mod lines;
mod pattern;
mod phrases;
mod pipeline;
mod query;
mod search;
mod source;
mod transform;

#[cfg(test)]
mod tests;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::source::Source;

/// Words of a query; a longer one is a story.
const MAX_WORDS: usize = 60;

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    if reading.words.len() > MAX_WORDS || reading.words.is_empty() {
        return Vec::new();
    }
    let ask = PhraseReader::new(reading);
    let source = Source::read(&ask);
    // Output of containers and services is not in a file.
    let elsewhere = ask.says("=container|=containers|=docker|=pod|=pods|=kubectl|=deployment|=systemd|=journal");
    let is_quoted = (0..ask.len()).any(|place| ask.quoted(place).is_some());
    if elsewhere && !is_quoted && !source.is_named() && !ask.says("=grep|=file|=files|=lines|=line") {
        return Vec::new();
    }
    // Archives, pictures and page formats are not read as text.
    if source.files.iter().any(|file| entities::is_packed(file)) {
        return Vec::new();
    }
    // Fields of a structured document are not columns.
    let is_document = |file: &String| [".json", ".yaml", ".yml", ".toml", ".xml"].iter().any(|end| file.ends_with(end));
    if source.files.iter().any(is_document)
        && ask.says("=field|=fields|=key|=property|=properties|=attribute|=column|=columns|=value|=values")
    {
        return Vec::new();
    }
    let mut drafts = edit::drafts(&ask, &source);
    drafts.extend(edit::check(&ask, &source));
    drafts.extend(compare::drafts(&ask, &source));
    drafts.extend(search::drafts(&ask, &source));
    drafts.extend(search::counts(&ask, &source));
    drafts.extend(pipeline::drafts(&ask, &source));
    drafts
}
