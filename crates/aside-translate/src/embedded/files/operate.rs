//! Operations on named files: copy, move, create, link, write, compare, look at. Does not choose files by their
//! properties; that is `parse`.

mod create;
mod inspect;
mod transfer;
mod write;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::files::scan::WordScan;

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let scan = WordScan::new(reading);
    let meaning = |meaning: &str| scan.has(meaning);
    let mut all = Vec::new();
    let is_link = meaning("link") || meaning("hardlink");
    if is_link {
        all.extend(create::link(reading));
    } else {
        let puts = scan.says(transfer::PUTS).is_some();
        if puts || meaning("copy") || meaning("move") || meaning("rename") || scan.is(0, "duplicate") {
            all.extend(transfer::transfer(reading));
        }
        let sends = scan.says(transfer::SENDS).is_some() || meaning("upload") || meaning("download");
        if puts || sends || meaning("copy") {
            all.extend(transfer::over_ssh(reading));
        }
        if meaning("delete") {
            all.extend(transfer::delete(reading));
        }
        if meaning("create") || scan.says(&["make", "add", "touch", "mkdir"]).is_some() {
            all.extend(create::create(reading));
        }
    }
    all.extend(write::write(reading));
    all.extend(write::truncate(reading));
    if meaning("backup") {
        all.extend(transfer::back_up(reading));
    }
    if scan.says(&["swap", "exchange", "switch"]).is_some() {
        all.extend(transfer::swap(reading));
    }
    if meaning("merge") || scan.says(&["concatenate", "concat", "cat", "join"]).is_some() {
        all.extend(write::merge(reading));
    }
    if meaning("split") {
        all.extend(write::split(reading));
    }
    if meaning("compare") || scan.says(&["same", "identical", "equal"]).is_some() {
        all.extend(inspect::compare(reading));
    }
    all.extend(inspect::look(reading));
    all
}
