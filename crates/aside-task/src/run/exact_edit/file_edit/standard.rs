//! The standard of C or C++: `use C++17` in CMake, in a Makefile and in Meson.

use std::collections::BTreeMap;
use std::ops::Range;

use aside_text::lazy_regex::Regex;

use super::cmake;
use crate::run::code;
use crate::run::exact_edit::EditResult;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standard {
    is_cxx: bool,
    version: String,
}

pub fn reads(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    cmake::is_cmake(path) || ["Makefile", "makefile", "GNUmakefile", "meson.build"].contains(&name)
}

impl Standard {
    pub fn new(language: &str, version: &str) -> Option<Self> {
        let is_cxx = !language.eq_ignore_ascii_case("c");
        let known: &[&str] = if is_cxx {
            &["98", "03", "11", "14", "17", "20", "23", "26"]
        } else {
            &["89", "90", "99", "11", "17", "23"]
        };
        known.contains(&version).then(|| Self { is_cxx, version: version.to_owned() })
    }

    pub fn set(&self, files: &BTreeMap<String, String>) -> EditResult {
        let mut made = BTreeMap::new();
        let mut known = false;
        for (path, text) in files {
            let mut places = self.places(path, text);
            places.sort_by_key(|range| std::cmp::Reverse(range.start));
            known |= !places.is_empty();
            let mut new = text.clone();
            for range in places {
                new.replace_range(range, &self.version);
            }
            if new != *text {
                made.insert(path.clone(), new);
            }
        }
        let name = format!("{}{}", if self.is_cxx { "C++" } else { "C" }, self.version);
        if made.is_empty() {
            return match known {
                true => EditResult::Nothing(format!("{name} is the standard already.")),
                false => EditResult::Nothing(format!(
                    "No build file here says which standard is used, so {name} cannot be put in its place. To say it in CMake: add a line \"set(CMAKE_{}_STANDARD {})\" to CMakeLists.txt.",
                    if self.is_cxx { "CXX" } else { "C" },
                    self.version
                )),
            };
        }
        let places: Vec<String> = made.keys().map(|path| code(path)).collect();
        let summary = format!("Use {name} in {}", places.join(", "));
        EditResult::Texts { files: made, summary, note: String::new() }
    }

    fn places(&self, path: &str, text: &str) -> Vec<Range<usize>> {
        let (variable, feature, flag) = match self.is_cxx {
            true => (
                "CMAKE_CXX_STANDARD",
                r"\bcxx_std_(?P<version>\d\d)\b",
                r"\b(?:std|cpp_std)=(?:c|gnu)\+\+(?P<version>\d\w)\b",
            ),
            false => {
                ("CMAKE_C_STANDARD", r"\bc_std_(?P<version>\d\d)\b", r"\b(?:std|c_std)=(?:c|gnu)(?P<version>\d\d)\b")
            }
        };
        let mut found: Vec<Range<usize>> = Vec::new();
        if cmake::is_cmake(path) {
            let variables = cmake::variables(text).into_iter().filter(|(name, _)| *name == variable);
            found.extend(variables.map(|(_, range)| range));
            let property = format!(r"\b{}\s+(?P<version>\d\d)\b", variable.trim_start_matches("CMAKE_"));
            for line in matched(text, &property) {
                // The property of a target; the variable is found above.
                if !found.iter().any(|known| known.start == line.start) {
                    found.push(line);
                }
            }
            found.extend(matched(text, feature));
        }
        for place in matched(text, flag) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
        found
    }
}

fn matched(text: &str, pattern: &str) -> Vec<Range<usize>> {
    let Ok(pattern) = Regex::new(pattern) else { return Vec::new() };
    pattern.captures_iter(text).filter_map(|found| Some(found.name("version")?.range())).collect()
}
