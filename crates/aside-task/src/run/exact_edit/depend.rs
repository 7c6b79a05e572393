//! Gives a dependency, an image or a tool another version, in whatever file writes it: `bump guava to 33.0`, `pin numpy to 1.26.4`.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::place::Place;
use crate::run::versions::{self, WrittenVersion};

/// Places that are listed where it cannot be told which one is meant.
const MAX_PLACES: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    /// As the request has it: `chi`, `spring boot`.
    pub name: String,
    pub version: String,
    /// The operator that the request writes before it; the file's own stays where there is none.
    pub sign: Option<String>,
    /// Exactly this version: operators before it go.
    pub pinned: bool,
    /// The request says that the version rises, so what is newer already is not meant.
    pub rises: bool,
    pub file: Option<String>,
    /// Only files of these purposes; all where it is empty.
    pub places: Vec<Place>,
}

/// The parts of a version that can be compared: `1.21.3` of `v1.21.3-alpine`.
fn numbers(version: &str) -> Vec<u64> {
    let plain = version.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let plain = plain.split(|letter: char| !letter.is_ascii_digit() && letter != '.').next().unwrap_or_default();
    plain.split('.').map_while(|part| part.parse().ok()).collect()
}

pub fn set(wanted: &NewVersion, files: &BTreeMap<String, String>) -> EditResult {
    let mut found: Vec<(&String, WrittenVersion, u8)> = Vec::new();
    for (path, text) in files {
        for one in versions::written(path, text) {
            if let Some(likeness) = versions::likeness(&one.name, &wanted.name) {
                found.push((path, one, likeness));
            }
        }
    }
    let Some(best) = found.iter().map(|(.., likeness)| *likeness).min() else {
        return EditResult::Nothing(String::new());
    };
    found.retain(|(.., likeness)| *likeness == best);
    // A lower bound without a version of its own is only changed by a pin.
    if found.iter().any(|(_, one, _)| !one.version.is_empty()) && !wanted.pinned {
        found.retain(|(_, one, _)| !one.version.is_empty());
    }
    let is_older = |one: &WrittenVersion| numbers(&one.version) <= numbers(&wanted.version);
    if wanted.rises && found.iter().any(|(_, one, _)| is_older(one)) {
        found.retain(|(_, one, _)| is_older(one));
    }
    let names: BTreeSet<&str> = found.iter().map(|(_, one, _)| versions::canonical(&one.name)).collect();
    // `1.21` and `1.21-alpine` are the same version.
    let bare = |version: &'_ str| version.split('-').next().unwrap_or_default().to_owned();
    let known: BTreeSet<String> =
        found.iter().map(|(_, one, _)| bare(&one.version)).filter(|one| !one.is_empty()).collect();
    // Where the request says the place, all there are meant, whatever their versions were.
    let is_placed = wanted.file.is_some() || !wanted.places.is_empty();
    if names.len() > 1 || known.len() > 1 && !is_placed {
        let rows: Vec<String> = found
            .iter()
            .take(MAX_PLACES)
            .map(|(path, one, _)| format!("- `{path}:{}` {} {}", one.line, code(&one.name), one.version))
            .collect();
        return EditResult::Nothing(format!(
            "{} may be one of several. Write its whole name, or the file, as in: update NAME in FILE to VERSION.\n\n{}",
            code(&wanted.name),
            rows.join("\n")
        ));
    }
    if let Some(sign) = &wanted.sign
        && let Some((path, one, _)) = found.iter().find(|(_, one, _)| one.sign.trim() != sign)
    {
        return EditResult::Nothing(format!(
            "{} is {} at `{path}:{}`, with another operator than {}, so nothing is changed. For its own operator: set {} to {}.",
            code(&one.name),
            code(&format!("{}{}", one.sign, one.version)),
            one.line,
            code(sign),
            wanted.name,
            wanted.version
        ));
    }
    let mut made: BTreeMap<String, String> = BTreeMap::new();
    let mut after: BTreeSet<String> = BTreeSet::new();
    // As the file has it now, with the variant of an image.
    let mut written: Option<String> = None;
    // From the end, so that the places before stay where they are.
    for (path, one, _) in found.iter().rev() {
        if one.has_bounds && !wanted.pinned {
            return EditResult::Nothing(format!(
                "{} has several bounds at `{path}:{}`, so which one is to change cannot be told. For exactly one version: pin {} to {}.",
                code(&one.name),
                one.line,
                wanted.name,
                wanted.version
            ));
        }
        let Some((range, new)) = one.replaced(&wanted.version, wanted.pinned) else { continue };
        let text = made.entry((*path).clone()).or_insert_with(|| files.get(*path).cloned().unwrap_or_default());
        text.replace_range(range, &new);
        if !one.version.is_empty() && !wanted.pinned {
            written = Some(new);
        }
        after.extend(one.after.map(|after| after.replace("{path}", path)));
    }
    made.retain(|path, text| files.get(path) != Some(text));
    let name = names.first().copied().unwrap_or_default();
    if made.is_empty() {
        return EditResult::Nothing(format!("{} is {} already.", code(name), code(&wanted.version)));
    }
    let old = known.iter().cloned().collect::<Vec<_>>().join(", ");
    let places: Vec<String> = made.keys().map(|path| code(path)).collect();
    let summary = match old.as_str() {
        "" => format!("Pin {} to {} in {}", code(name), code(&wanted.version), places.join(", ")),
        old => format!(
            "Version of {}: {} becomes {} in {}",
            code(name),
            code(old),
            code(written.as_deref().unwrap_or(&wanted.version)),
            places.join(", ")
        ),
    };
    let note = match after.is_empty() {
        true => String::new(),
        false => {
            let all: Vec<String> = after.iter().map(|after| code(after)).collect();
            format!("To bring what is installed and lock files up to date: {}", all.join(", "))
        }
    };
    EditResult::Texts { files: made, summary, note }
}
