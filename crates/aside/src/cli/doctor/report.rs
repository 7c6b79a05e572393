//! Prints findings: aligned text with the marks as words, or JSON. Strips the user's home directory and escape sequences from every line,
//! so that the report can be pasted into a bug report.

use std::fmt::Write;

use aside_text as text;
use serde::Serialize;

use crate::cli::Paint;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    Ok,
    Note,
    Fix,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub mark: Mark,
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Section {
    pub name: &'static str,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
pub struct Report {
    version: &'static str,
    sections: Vec<Section>,
}

impl Finding {
    pub fn ok(what: impl Into<String>) -> Self {
        Self { mark: Mark::Ok, what: what.into(), advice: None }
    }

    pub fn note(what: impl Into<String>) -> Self {
        Self { mark: Mark::Note, what: what.into(), advice: None }
    }

    pub fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    /// Every problem comes with advice.
    pub fn fix(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { mark: Mark::Fix, what: what.into(), advice: Some(advice.into()) }
    }
}

impl Mark {
    fn word(self) -> &'static str {
        match self {
            Mark::Ok => "ok",
            Mark::Note => "note",
            Mark::Fix => "fix",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Mark::Ok => "32",
            Mark::Note => "33",
            Mark::Fix => "1;31",
        }
    }
}

impl Report {
    /// `homes` are the spellings of the home directory.
    pub fn new(sections: Vec<Section>, homes: &[String]) -> Self {
        let presentable = |line: String| tilde(&text::clean(&line).replace(['\n', '\t'], " "), homes);
        let finding = |Finding { mark, what, advice }: Finding| Finding {
            mark,
            what: presentable(what),
            advice: advice.map(presentable),
        };
        let section = |Section { name, findings }: Section| Section {
            name,
            findings: findings.into_iter().map(finding).collect(),
        };
        let sections = sections.into_iter().map(section).filter(|section| !section.findings.is_empty());
        Self { version: env!("CARGO_PKG_VERSION"), sections: sections.collect() }
    }

    pub fn count(&self, mark: Mark) -> usize {
        self.sections.iter().flat_map(|section| &section.findings).filter(|finding| finding.mark == mark).count()
    }

    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        for Section { name, findings } in &self.sections {
            let _ = writeln!(out, "{}", paint.with("1", name));
            for Finding { mark, what, advice } in findings {
                let _ = writeln!(out, "  {}  {what}", paint.with(mark.colour(), &format!("{:4}", mark.word())));
                if let Some(advice) = advice {
                    let _ = writeln!(out, "        → {advice}");
                }
            }
            out.push('\n');
        }
        out.push_str(&self.summary());
        out
    }

    fn summary(&self) -> String {
        match self.count(Mark::Fix) {
            0 => "Nothing needs doing.\n".to_owned(),
            1 => "One thing needs doing: see fix above.\n".to_owned(),
            many => format!("{many} things need doing: see fix above.\n"),
        }
    }

    pub fn json(&self) -> anyhow::Result<String> {
        crate::cli::json_lines(self)
    }
}

/// Writes `~` for each home directory, where it stands as whole components of a path.
fn tilde(text: &str, homes: &[String]) -> String {
    let in_name = |char: char| char.is_alphanumeric() || "._-+@".contains(char);
    let mut text = text.to_owned();
    for home in homes.iter().filter(|home| home.len() > 1) {
        let mut from = 0;
        while let Some(found) = text[from..].find(home.as_str()) {
            let (start, end) = (from + found, from + found + home.len());
            let whole = !text[..start].ends_with(in_name) && !text[end..].starts_with(in_name);
            from = if whole {
                text.replace_range(start..end, "~");
                start + 1
            } else {
                end
            };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let findings = vec![
            Finding::ok("at /home/me/bin"),
            Finding::note("odd \x1b[31m\u{202e}red").advise("look at\n/home/me"),
            Finding::fix("broken", "mend it"),
        ];
        let empty = Section { name: "nothing", findings: vec![] };
        Report::new(vec![Section { name: "thing", findings }, empty], &["/home/me".to_owned()])
    }

    #[test]
    fn the_text_is_aligned_and_the_marks_are_words() {
        let expected = "thing
  ok    at ~/bin
  note  odd [31mred
        → look at ~
  fix   broken
        → mend it

One thing needs doing: see fix above.
";
        assert_eq!(report().text(Paint::Plain), expected);
    }

    #[test]
    fn colour_adds_nothing_but_colour() {
        let colour = report().text(Paint::Colour);
        assert!(colour.contains("\x1b[1;31mfix \x1b[0m  broken\n"), "{colour:?}");
        let escapes = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap();
        assert_eq!(escapes.replace_all(&colour, ""), report().text(Paint::Plain));
    }

    #[test]
    fn json_says_the_same() {
        let json: serde_json::Value = serde_json::from_str(&report().json().unwrap()).unwrap();
        let fix = &json["sections"][0]["findings"][2];
        assert_eq!(fix, &serde_json::json!({ "mark": "fix", "what": "broken", "advice": "mend it" }));
        assert_eq!(json["sections"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn only_the_home_directory_itself_becomes_a_tilde() {
        let homes = ["/home/me".to_owned(), "/r".to_owned(), "/".to_owned()];
        for (text, expected) in [
            ("/home/me", "~"),
            ("/home/me/a and /home/me/b", "~/a and ~/b"),
            ("`/home/me/a`: no", "`~/a`: no"),
            ("/home/me2/a /home/me-too", "/home/me2/a /home/me-too"),
            ("/mnt/r/a /r/a", "/mnt/r/a ~/a"),
            ("/usr/bin", "/usr/bin"),
        ] {
            assert_eq!(tilde(text, &homes), expected);
        }
    }
}
