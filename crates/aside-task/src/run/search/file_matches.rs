//! Collects the matches of one file. Takes matching lines as they are found and keeps the best.

use crate::run::review::file_kind;
use crate::run::search::identifiers::Tokens;
use crate::run::search::plan::{SearchPlan, SearchTarget};
use crate::run::search::rank::worth;
use crate::run::search::term::MAX_TERMS;
use crate::run::search::{FileMatches, MatchedLine, Sort, Strengths, lists};

/// Lines of a file that are examined, and those that are kept.
const MAX_LINES: usize = 2_000;
const MAX_KEPT: usize = 100;
/// Characters of a line that are examined and kept: longer lines are generated.
const MAX_LINE: usize = 400;
/// Distance in lines within which two lines belong together.
const NEAR: usize = 4;

pub struct FileMatcher<'a> {
    plan: &'a SearchPlan,
    path: String,
    lines: Vec<MatchedLine>,
    all: usize,
}

impl<'a> FileMatcher<'a> {
    pub fn new(plan: &'a SearchPlan, path: &str) -> Self {
        Self { plan, path: path.to_owned(), lines: Vec::new(), all: 0 }
    }

    /// Takes a line that matches the plan's pattern, with its number from 1. Returns whether it would examine another one.
    pub fn line(&mut self, number: usize, text: &str) -> bool {
        let text = text.trim_end_matches(['\n', '\r']);
        // The beginning of a line says most about it, but the match may be far behind.
        let head = around(text, self.plan);
        let tokens = Tokens::of(head);
        let mut here = self.plan.strengths(&tokens);
        if here.iter().all(|strength| *strength == 0) {
            return true;
        }
        self.all += 1;
        let defined = lists::defined(head);
        let defines = defined.map_or([0; MAX_TERMS], |name| self.plan.named(name));
        merge(&mut here, &defines);
        let sort = match () {
            () if lists::is_import(head) => Sort::Imports,
            () if lists::is_comment(head) => Sort::Comments,
            () if defines.iter().any(|strength| *strength > 0) => Sort::Defines,
            () if self.plan.want == SearchTarget::Uses && self.calls(&tokens) => Sort::Calls,
            () => Sort::Other,
        };
        self.lines.push(MatchedLine { number, text: head.to_owned(), here, defines, near: [0; MAX_TERMS], sort });
        self.lines.len() < MAX_LINES
    }

    fn calls(&self, tokens: &Tokens<'_>) -> bool {
        let mut called = tokens.names.iter().filter(|token| token.called);
        called.any(|token| self.plan.named(token.text).first().is_some_and(|first| *first > 0))
    }

    /// `None` when nothing matched.
    pub fn done(mut self) -> Option<FileMatches> {
        let plan = self.plan;
        if self.lines.is_empty() && !plan.may_name(&self.path) {
            return None;
        }
        let (above, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let name_has = plan.named(name);
        let mut path_has = plan.named(above);
        merge(&mut path_has, &name_has);
        let kind = file_kind::of(&self.path);
        if kind == "configuration" {
            // Every line of a settings file is about settings.
            let settings = path_has.iter_mut().zip(&plan.terms).filter(|(_, term)| term.is_setting());
            settings.for_each(|(has, _)| *has = (*has).max(80));
        }
        let mut has = path_has;
        for line in &self.lines {
            merge(&mut has, &line.here);
        }
        if has.iter().all(|strength| *strength == 0) && !plan.terms.is_empty() {
            return None;
        }
        let lines = &mut self.lines;
        for at in 0..lines.len() {
            let mut near: Strengths = [0; MAX_TERMS];
            let number = lines.get(at).map_or(0, |line| line.number);
            let before =
                lines.get(..at).unwrap_or_default().iter().rev().take_while(|line| line.number + NEAR >= number);
            let behind = lines.get(at + 1..).unwrap_or_default().iter().take_while(|line| line.number <= number + NEAR);
            for other in before.chain(behind) {
                merge(&mut near, &other.here);
            }
            if let Some(line) = lines.get_mut(at) {
                line.near = near;
            }
        }
        let mut found =
            FileMatches { path: self.path, kind, lines: std::mem::take(lines), all: self.all, path_has, name_has, has };
        if plan.want == SearchTarget::Names {
            found.lines.clear();
        }
        if found.lines.len() > MAX_KEPT {
            let even = [1.0; MAX_TERMS];
            let mut worths: Vec<(f32, MatchedLine)> =
                found.lines.iter().map(|line| (worth(plan, &found, line, &even), line.clone())).collect();
            worths.sort_by(|(one, a), (other, b)| other.total_cmp(one).then(a.number.cmp(&b.number)));
            found.lines = worths.into_iter().take(MAX_KEPT).map(|(_, line)| line).collect();
            found.lines.sort_by_key(|line| line.number);
        }
        Some(found)
    }
}

fn merge(into: &mut Strengths, other: &Strengths) {
    for (one, other) in into.iter_mut().zip(other) {
        *one = (*one).max(*other);
    }
}

/// The line, or the surroundings of the first match when it is long.
fn around<'a>(text: &'a str, plan: &SearchPlan) -> &'a str {
    if text.len() <= MAX_LINE {
        return text;
    }
    let at = plan.first_in(text);
    let start = text.floor_char_boundary(at.saturating_sub(MAX_LINE / 4));
    let end = text.floor_char_boundary((start + MAX_LINE).min(text.len()));
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::run::search::plan::plan;

    /// The cheap check of a path never rules out one that matches a term.
    #[test]
    fn no_path_that_names_a_term_is_ruled_out() {
        let requests = [
            "find where parse_config is used",
            "where is the retry policy configured",
            "where are the flies and copies",
            "find all TODO comments",
            "where is the logging set up",
            "find HTTPServer",
            "哪里处理登录",
            "find files named *.toml",
            "find the text \"no such host\"",
        ];
        let paths = [
            "src/parse_config.rs",
            "src/parseConfig.ts",
            "src/PARSE-CONFIG.md",
            "retries/policies.py",
            "src/fly/copy.rs",
            "TODO.md",
            "log/logger.rs",
            "src/logging2.rs",
            "http_server/mod.rs",
            "src/httpserver.c",
            "登录/form.ts",
            "auth/signin.rs",
            "config/app.toml",
            "settings.yaml",
            "src/other.rs",
        ];
        for request in requests {
            let plan = plan(request, request, &[]);
            for path in paths {
                let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
                let names = [plan.named(above), plan.named(name)].iter().flatten().any(|strength| *strength > 0);
                assert!(!names || plan.may_name(path), "{request}: {path}");
            }
        }
        assert!(!plan("find parse_config", "parse_config", &[]).may_name("src/other.rs"));
    }
}
