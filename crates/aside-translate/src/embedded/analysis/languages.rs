//! Languages and formats as kinds of files.

use crate::embedded::analysis::Reader;

impl Reader<'_, '_> {
    /// Whether a language stands for the files that are written in it: `lines of javascript`, `rust lines`, `all the
    /// markdown`, `find TODO in python`. A question about the language itself (`reverse a list in python`) has no verb
    /// of searching.
    pub fn is_written_in(&self, at: usize) -> bool {
        const SEARCHES: &[&str] = &["grep", "search", "find", "look", "count", "查找", "搜索", "统计"];
        const AFTER: &[&str] =
            &["", "in", "under", "inside", "within", "here", "only", "is", "are", "do", "does", "code"];
        let back = |count: usize| at.checked_sub(count).and_then(|before| self.low(before)).unwrap_or_default();
        let (before, after) = (back(1), self.low(at + 1).unwrap_or_default());
        let is_amount = |word: &str| matches!(word, "line" | "lines" | "loc" | "行");
        let searches = || self.units.iter().any(|unit| !unit.is_quoted && SEARCHES.contains(&unit.low.as_str()));
        let ends = AFTER.contains(&after) || is_amount(after);
        match before {
            "of" => ends && is_amount(back(2)),
            "行" => true,
            "all" | "any" => ends,
            "the" if back(2) == "all" => ends,
            "in" | "across" => ends && searches(),
            "much" => ends && back(2) == "how",
            _ => is_amount(after),
        }
    }
}
