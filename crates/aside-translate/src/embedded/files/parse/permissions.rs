//! Permissions in a sentence: `that everybody can write to`, `i cannot read`.

use crate::embedded::files::parse::Reader;
use crate::embedded::files::query::{FileType, Filter, Test};

/// Words for the user that a permission is about.
pub(super) fn is_who(low: &str) -> bool {
    is_everybody(low) || matches!(low, "i" | "can" | "can't" | "cannot")
}

fn is_everybody(low: &str) -> bool {
    matches!(low, "everybody" | "everyone" | "anybody" | "anyone" | "others" | "world" | "people" | "所有人" | "任何人")
}

impl Reader<'_, '_> {
    /// Reads a permission phrase from a place on, and returns how many words it has.
    pub(super) fn may(&mut self, at: usize) -> Option<usize> {
        let who = self.low(at);
        let everybody = is_everybody(who);
        if !everybody && who != "i" {
            return None;
        }
        let mut place = at + 1;
        let mut is_negated = matches!(self.low(place), "can't" | "cannot" | "cant" | "couldn't" | "couldnt");
        // `which files can anyone read`
        let asked = matches!(self.scan.before(at), "can" | "may" | "could") && everybody;
        let is_said = is_negated || matches!(self.low(place), "can" | "may" | "could" | "is" | "are" | "可以" | "能");
        if !is_said && !asked {
            return None;
        }
        place += usize::from(is_said);
        if matches!(self.low(place), "not" | "no") {
            is_negated = true;
            place += 1;
        }
        while matches!(self.low(place), "able" | "allowed" | "to" | "also") {
            place += 1;
        }
        let letter = match self.low(place) {
            "read" | "see" | "open" | "view" | "读" | "读取" => 'r',
            "write" | "write to" | "modify" | "change" | "edit" | "writing" | "写" | "写入" | "修改" => 'w',
            "execute" | "run" | "executing" | "执行" | "运行" => 'x',
            _ => return None,
        };
        let test = match (everybody, letter) {
            (true, letter) => Test::Rights(format!("-o+{letter}")),
            (false, 'r') => Test::Readable,
            (false, 'w') => Test::Writable,
            (false, _) => Test::Executable,
        };
        self.scan.mark_all(at, place + 1);
        if self.query.what == FileType::Unsaid {
            self.query.what = FileType::Files;
        }
        self.specific += 1;
        self.query.tests.push(Filter { is_negated, test });
        Some(place + 1 - at)
    }
}
