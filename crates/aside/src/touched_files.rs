//! Says beside a proposed command over many files what it would touch now: how many, how large, the first few. Runs the search that core
//! derives from the command, which has its tests and not its action.

use std::path::Path;

use aside_core::agent::language::Language;
use aside_proto::query::WireProposal;
use aside_translate::selection::{self, FoundFiles};
use shell_line::Dialect;

use crate::exec::{self, Probe};
use crate::provider::local::installed_models::size;

/// Bytes of a name; a list within so many bytes of its cap was cut off.
const MAX_NAME: usize = 4096;
/// Files whose sizes are added up.
const MAX_MEASURED: usize = 20_000;

/// Where the command would run.
pub struct Place<'a> {
    pub cwd: &'a str,
    pub path: &'a str,
    pub home: &'a str,
}

pub fn is_of_many(proposal: &WireProposal, dialect: Dialect) -> bool {
    selection::search(&proposal.text, dialect, "/").is_some()
}

/// Adds a note to the warning, or to the description of a command without one. Blocks while the files are searched.
pub fn describe(proposals: &mut [WireProposal], dialect: Dialect, place: &Place<'_>, language: Language) {
    for proposal in proposals {
        let Some(search) = selection::search(&proposal.text, dialect, place.home) else { continue };
        let line = match found(&search, place) {
            Some(found) => found.line(&size(found.bytes), language == Language::Chinese),
            None => language.pick("how many was not counted in time", "来不及统计有多少").to_owned(),
        };
        let said = if proposal.warning.is_empty() { &mut proposal.description } else { &mut proposal.warning };
        *said = if said.is_empty() { line } else { format!("{said} ({line})") };
    }
}

/// `None` when the search takes longer than a moment.
fn found(search: &[String], place: &Place<'_>) -> Option<FoundFiles> {
    let printed = exec::probe(&Probe::Found { search, cwd: place.cwd, path: place.path })?;
    let mut found = FoundFiles { is_part: printed.len() + MAX_NAME > exec::LIST_BYTES, ..FoundFiles::default() };
    for name in printed.split_terminator('\0') {
        found.count += 1;
        if found.first.len() < selection::SHOWN {
            found.first.push(aside_text::clean(name.strip_prefix("./").unwrap_or(name)).replace('\n', " "));
        }
        if found.count <= MAX_MEASURED {
            let meta = std::fs::symlink_metadata(Path::new(place.cwd).join(name));
            found.bytes += meta.map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
        }
    }
    Some(found)
}
