//! Parses rules: a few words that must be in the query, and the command that they ask for. Written in
//! data/translate/*.rules; docs/rules.md is the reference. Matching is in `matching`.

use std::sync::{Arc, OnceLock};

use crate::embedded::lexicon::{Concept, Lexicon};

#[derive(Debug)]
pub struct Rule {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name the file of a wrong rule"))]
    pub file: &'static str,
    pub name: &'static str,
    /// One line: what the command does.
    pub about: &'static str,
    /// Alternatives: one is enough, and all of its terms must match.
    pub needs: Vec<Vec<Term>>,
    lines: &'static str,
    everywhere: Arc<[Term]>,
    body: OnceLock<Body>,
}

/// The part of a rule that is parsed only when the words of a query may match it, which is rare: parsing every rule in
/// full would take longer than everything else that a process does for one answer.
#[derive(Debug, Default)]
pub struct Body {
    pub may: Vec<Term>,
    pub not: Vec<Term>,
    pub parts: Vec<Part>,
    /// Commands, the best first.
    pub runs: Vec<&'static str>,
    /// Instead of `runs` where the tools are those of macOS.
    pub bsd: Vec<&'static str>,
    /// Instead of either where the shell is fish.
    pub fish: Vec<&'static str>,
    pub hits: Vec<&'static str>,
    pub misses: Vec<&'static str>,
    pub problems: Vec<Problem>,
}

/// Words that add something to the command when they occur.
#[derive(Debug)]
pub struct Part {
    pub terms: Vec<Term>,
    pub adds: &'static str,
}

/// Any one of these choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term(pub Vec<Choice>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    Means(Concept),
    /// Exactly this word, as typed: `=up`.
    Is(&'static str),
    /// This word in any of its forms, if no `*.words` file has it.
    Form(&'static str),
    /// A thing that can fill this slot: `<port>`.
    Slot(&'static str),
}

/// What is wrong with a rule, and where.
pub type Problem = String;

impl Rule {
    /// Needs the lexicon with which `needs` was parsed.
    pub fn body(&self, lexicon: &Lexicon) -> &Body {
        self.body.get_or_init(|| {
            let mut body = Body::read(self.lines, lexicon);
            body.may.extend(self.everywhere.iter().cloned());
            body
        })
    }
}

impl Body {
    fn read(lines: &'static str, lexicon: &Lexicon) -> Self {
        let mut body = Self::default();
        for (key, value) in lines.lines().filter_map(statement) {
            match key {
                "need" => {}
                "may" => body.may.extend(terms(value, lexicon)),
                "not" => body.not.extend(terms(value, lexicon)),
                "part" => match value.split_once(" = ") {
                    Some((words, adds)) => body.parts.push(Part { terms: terms(words, lexicon), adds: adds.trim() }),
                    None => body.problems.push(format!("a part is `words = text`, not {value}")),
                },
                "run" => body.runs.push(value),
                "bsd" => body.bsd.push(value),
                "fish" => body.fish.push(value),
                "hit" => body.hits.push(value),
                "miss" => body.misses.push(value),
                _ => body.problems.push(format!("there is no `{key}`")),
            }
        }
        body
    }
}

/// Splits a line into its keyword and the rest; `None` for a blank line or a comment.
fn statement(line: &'static str) -> Option<(&'static str, &'static str)> {
    let line = line.trim_ascii();
    let is_said = !line.is_empty() && !line.starts_with('#');
    is_said.then(|| {
        let end = line.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(line.len());
        let (key, value) = line.split_at(end);
        (key, value.trim_ascii_start())
    })
}

/// A rule begins with `name: about` at the margin; its lines are indented. The `may` words of `*` apply to all rules
/// after it in the file. The lexicon must have learnt its words before.
pub fn parse(file: &'static str, text: &'static str, lexicon: &Lexicon, rules: &mut Vec<Rule>) {
    let mut everywhere: Arc<[Term]> = Arc::from([]);
    let begins = |line: &str| !line.starts_with([' ', '\t', '#', '\n', '\r']) && !line.is_empty();
    let mut rest = text;
    while let Some((line, below)) = next_line(rest) {
        rest = below;
        if !begins(line) {
            continue;
        }
        let mut needs = Vec::new();
        while let Some((line, further)) = next_line(rest).filter(|(line, _)| !begins(line)) {
            rest = further;
            if let Some(("need", value)) = statement(line) {
                needs.push(terms(value, lexicon));
            }
        }
        let lines = below.get(..below.len() - rest.len()).unwrap_or_default();
        let (name, about) = line.split_once(':').unwrap_or((line, ""));
        let (name, about) = (name.trim(), about.trim());
        if name == "*" {
            everywhere = everywhere.iter().cloned().chain(Body::read(lines, lexicon).may).collect();
        } else {
            let everywhere = Arc::clone(&everywhere);
            rules.push(Rule { file, name, about, needs, lines, everywhere, body: OnceLock::new() });
        }
    }
}

fn next_line(text: &'static str) -> Option<(&'static str, &'static str)> {
    let end = text.bytes().position(|byte| byte == b'\n').map_or(text.len(), |end| end + 1);
    (!text.is_empty()).then(|| text.split_at(end))
}

/// Adds the words of these rules to the lexicon, the shortest first, so that `tracked` is a form of `track` in whatever
/// order the rules come.
pub fn learn(texts: &[(&'static str, &'static str)], lexicon: &mut Lexicon) {
    let statements = texts.iter().flat_map(|(_, text)| text.lines()).filter_map(statement);
    let terms = statements.filter_map(|(key, value)| match key {
        "need" | "may" | "not" => Some(value),
        "part" => value.split_once(" = ").map(|(words, _)| words),
        _ => None,
    });
    let words = terms.flat_map(|terms| terms.split([' ', '|'])).map(|word| word.trim_start_matches('='));
    let is_new = |word: &&str| !word.is_empty() && !word.starts_with('<') && lexicon.get(word).is_none();
    let mut new: Vec<&str> = words.filter(is_new).collect();
    new.sort_unstable_by_key(|word| (word.len(), *word));
    new.dedup();
    for word in new {
        if lexicon.meaning(word).is_none() {
            lexicon.add(word);
        }
    }
    lexicon.settle();
}

fn terms(text: &'static str, lexicon: &Lexicon) -> Vec<Term> {
    let choice = |word: &'static str| {
        if let Some(exact) = word.strip_prefix('=') {
            return Choice::Is(exact);
        }
        if let Some(slot) = word.strip_prefix('<').and_then(|word| word.strip_suffix('>')) {
            return Choice::Slot(slot);
        }
        // A word that was not learnt matches by its forms alone.
        let known = lexicon.meaning(word).or_else(|| lexicon.whole_han(word));
        known.map_or(Choice::Form(word), Choice::Means)
    };
    text.split_ascii_whitespace().map(|term| Term(term.split('|').map(choice).collect())).collect()
}
