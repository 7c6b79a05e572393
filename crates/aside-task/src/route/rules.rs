//! Rules that map the shape of a clause to what it wants. Loads them from `data/task/*.rules`, in the format of docs/task-routes.md, and
//! finds the first that matches. `combine_clauses` decides what several clauses want together.

use std::sync::LazyLock;

use aside_text::is_han;
use aside_text::pattern::Pattern;

use crate::route::intent::TaskKind;
use crate::route::word_lists;

const ENGLISH: &str = include_str!("../../data/task/english.rules");
const CHINESE: &str = include_str!("../../data/task/chinese.rules");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleVerdict {
    Wants(TaskKind),
    /// Change and run nothing.
    Hold,
    Nothing,
}

/// How strongly it is said, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleStrength {
    Report,
    Wish,
    Question,
    Order,
}

pub struct Rule {
    pub name: &'static str,
    pub says: RuleVerdict,
    pub force: RuleStrength,
    pub confidence: f32,
    /// Text joined with `and` belongs to it: "how do I find it and rename it".
    pub goes_on: bool,
    when: Vec<Pattern>,
    not: Vec<Pattern>,
    #[cfg(test)]
    pub hits: Vec<&'static str>,
    #[cfg(test)]
    pub misses: Vec<&'static str>,
}

/// Loaded separately, since most users need only one of the two.
static ALL: [LazyLock<Vec<Rule>>; 2] = [LazyLock::new(|| read(ENGLISH)), LazyLock::new(|| read(CHINESE))];

/// The first rule that matches a clause.
pub fn of(clause: &str) -> Option<&'static Rule> {
    let [english, chinese] = &ALL;
    let rules = if clause.contains(is_han) { chinese } else { english };
    rules.iter().find(|rule| rule.fits(clause))
}

/// Like `of`, for a clause that begins with a gerund, as after "would you mind": "running the tests".
pub fn of_gerund(clause: &str) -> Option<&'static Rule> {
    let (first, rest) = clause.split_once(' ').unwrap_or((clause, ""));
    match word_lists::stem(first) {
        Some(verb) => of(&format!("{verb} {rest}")),
        None => of(clause),
    }
}

impl Rule {
    /// Where the match ends in the clause: the text after it may say something else.
    pub fn end(&self, clause: &str) -> usize {
        self.when.iter().find_map(|when| when.find(clause)).map_or(clause.len(), |found| found.end())
    }

    fn fits(&self, clause: &str) -> bool {
        self.when.iter().any(|when| when.is_match(clause)) && !self.not.iter().any(|not| not.is_match(clause))
    }
}

fn read(text: &'static str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for row in text.lines().filter(|row| !row.trim().is_empty() && !row.starts_with('#')) {
        if !row.starts_with(' ') {
            rules.extend(head(row));
            continue;
        }
        let (Some(rule), Some((key, value))) = (rules.last_mut(), row.trim_start().split_once(' ')) else { continue };
        match key {
            "when" => rule.when.extend(word_lists::pattern(value.trim_start())),
            "not" => rule.not.extend(word_lists::pattern(value.trim())),
            #[cfg(test)]
            "hit" => rule.hits.push(value.trim()),
            #[cfg(test)]
            "miss" => rule.misses.push(value.trim()),
            _ => {}
        }
    }
    rules
}

/// `name: kind force confidence`, optionally `open`.
fn head(row: &'static str) -> Option<Rule> {
    let (name, rest) = row.split_once(':')?;
    let mut parts = rest.split_whitespace();
    let says = match parts.next()? {
        "hold" => RuleVerdict::Hold,
        "-" => RuleVerdict::Nothing,
        kind => RuleVerdict::Wants(TaskKind::of(kind)?),
    };
    let force = match parts.next()? {
        "order" => RuleStrength::Order,
        "question" => RuleStrength::Question,
        "wish" => RuleStrength::Wish,
        "report" => RuleStrength::Report,
        _ => return None,
    };
    let confidence = parts.next()?.parse().ok()?;
    Some(Rule {
        name,
        says,
        force,
        confidence,
        goes_on: parts.next() == Some("open"),
        when: Vec::new(),
        not: Vec::new(),
        #[cfg(test)]
        hits: Vec::new(),
        #[cfg(test)]
        misses: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::normalize::NormalizedRequest;

    fn used(request: &str) -> Vec<&'static str> {
        let reading = NormalizedRequest::of(request);
        reading.clauses.iter().filter_map(|clause| of(reading.text(&clause.range))).map(|rule| rule.name).collect()
    }

    #[test]
    fn every_rule_can_be_read() {
        for (text, rules) in [ENGLISH, CHINESE].iter().zip(&ALL) {
            let begins = |prefix: &str| text.lines().filter(|row| row.starts_with(prefix)).count();
            let heads = text.lines().filter(|row| !row.starts_with([' ', '#']) && !row.is_empty()).count();
            assert_eq!(rules.len(), heads);
            assert_eq!(rules.iter().map(|rule| rule.when.len()).sum::<usize>(), begins("  when "));
            assert_eq!(rules.iter().map(|rule| rule.not.len()).sum::<usize>(), begins("  not "));
        }
    }

    #[test]
    fn every_rule_has_its_examples() {
        let mut wrong = Vec::new();
        for rule in ALL.iter().flat_map(|rules| rules.iter()) {
            assert!(!rule.hits.is_empty() && !rule.misses.is_empty(), "{} has no examples", rule.name);
            let hits = rule.hits.iter().filter(|hit| !used(hit).contains(&rule.name));
            wrong.extend(hits.map(|hit| format!("{} should fit: {hit} {:?}", rule.name, used(hit))));
            let misses = rule.misses.iter().filter(|miss| used(miss).contains(&rule.name));
            wrong.extend(misses.map(|miss| format!("{} should not fit: {miss}", rule.name)));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
