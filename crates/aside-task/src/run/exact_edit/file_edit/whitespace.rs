//! Blanks that mean nothing: at the ends of lines, the last line break, carriage returns, tabs.

use std::collections::BTreeMap;

use super::ending;
use crate::run::code;
use crate::run::exact_edit::{EditResult, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    Trailing,
    /// The line break at the end of the file.
    LastLine,
    Carriage,
    /// A tab becomes so many spaces.
    Tabs(usize),
}

impl Blanks {
    pub fn change(self, is_named: bool, files: &BTreeMap<String, String>) -> EditResult {
        let mut made = BTreeMap::new();
        let mut skipped = false;
        for (path, text) in files {
            // Two blanks at the end of a line break it in Markdown, and in a patch a blank is a line of its own.
            let means = matches!(ending(path), "md" | "markdown" | "patch" | "diff" | "snap");
            if self == Blanks::Trailing && means && !is_named {
                skipped |= self.of(text) != *text;
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or(path);
            if matches!(self, Blanks::Tabs(_))
                && (matches!(ending(path), "go" | "mk" | "tsv") || name.to_lowercase().ends_with("makefile"))
            {
                return EditResult::Nothing(format!("{} needs its tabs.", code(path)));
            }
            let new = self.of(text);
            if new != *text {
                made.insert(path.clone(), new);
            }
        }
        let what = match self {
            Blanks::Trailing => "Remove trailing whitespace",
            Blanks::LastLine => "End the last line",
            Blanks::Carriage => "Use line feeds alone",
            Blanks::Tabs(_) => "Replace tabs with spaces",
        };
        if made.is_empty() {
            return EditResult::Nothing("There is nothing of that sort, so nothing is changed.".to_owned());
        }
        let note = match skipped {
            true => {
                "Markdown and patches stay as they are: there, blanks at the end of a line mean something.".to_owned()
            }
            false => String::new(),
        };
        let summary = format!("{what} in {}", text::counted(made.len()));
        EditResult::Texts { files: made, summary, note }
    }

    fn of(self, text: &str) -> String {
        match self {
            Blanks::Trailing => text
                .split_inclusive('\n')
                .map(|line| {
                    let body = line.trim_end_matches(['\n', '\r']);
                    format!("{}{}", body.trim_end_matches([' ', '\t']), line.get(body.len()..).unwrap_or_default())
                })
                .collect(),
            Blanks::LastLine if text.is_empty() || text.ends_with('\n') => text.to_owned(),
            Blanks::LastLine => format!("{text}\n"),
            Blanks::Carriage => text.replace("\r\n", "\n"),
            // Inside of a line a tab may be a part of a text.
            Blanks::Tabs(many) => text
                .split_inclusive('\n')
                .map(|line| {
                    let tabs = line.len() - line.trim_start_matches('\t').len();
                    format!("{}{}", " ".repeat(tabs * many), line.get(tabs..).unwrap_or_default())
                })
                .collect(),
        }
    }
}
