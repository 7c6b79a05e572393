//! Parses a rules file. Refuses an entry that it does not understand or whose examples do not hold, with its line and the reason; the
//! others count. Does not know where the file lies.

use aside_commands::safety::Harm;
use regex::{Regex, RegexBuilder};
use shell_line::Dialect;
use toml_edit::{Document, Item, Table};

use crate::gate::rules::{RefusedRule, Rule, RuleLayer, Rules, RulesFile};
use crate::gate::{Decision, GateContext, RuleOrigin, confirmed, excerpt, read_only};
use crate::proposal::RequestSource;

/// Bytes of a file, which is written by hand.
const MAX_BYTES: usize = 256 * 1024;
const MAX_RULES: usize = 500;
/// Examples of one rule, hits and misses together.
const MAX_EXAMPLES: usize = 100;
/// Bytes of a compiled pattern.
const MAX_PATTERN: usize = 1 << 18;
/// Characters of the explanation of a rule.
const MAX_REASON: usize = 600;
/// Where the examples of an allow rule would run.
const EXAMPLE: &str = "/home/ada/project";

const KEYS: [&str; 8] = ["program", "sub", "flags", "arguments", "harm", "why", "hits", "misses"];

pub(super) fn parse_file(text: &str, layer: RuleLayer) -> RulesFile {
    let mut file = RulesFile::default();
    let mut refuse = |line: usize, reason: String| {
        // The reason quotes an untrusted file.
        file.refused.push(RefusedRule { line, reason: excerpt::cut(&reason, MAX_REASON) });
    };
    if text.len() > MAX_BYTES {
        refuse(1, format!("the file has more than {MAX_BYTES} bytes"));
        return file;
    }
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = line_of(text, error.span().map(|span| span.start));
            refuse(line, error.message().trim().replace('\n', ", "));
            return file;
        }
    };
    let mut rules = Vec::new();
    for (key, item) in document.iter() {
        let here = line_of(text, item.span().map(|span| span.start));
        let decision = match key {
            "allow" => Decision::Allow,
            "ask" => Decision::Ask,
            "deny" => Decision::Deny,
            _ => {
                refuse(here, format!("`{key}` is neither allow nor ask nor deny"));
                continue;
            }
        };
        let Some(tables) = item.as_array_of_tables() else {
            refuse(here, format!("write [[{key}]] above each rule"));
            continue;
        };
        for table in tables {
            let line = line_of(text, table.span().map(|span| span.start));
            if rules.len() >= MAX_RULES {
                refuse(line, format!("there are more than {MAX_RULES} rules"));
                break;
            }
            match rule(table, decision, RuleOrigin { layer, line }) {
                Ok(rule) => rules.push(rule),
                Err(reason) => refuse(line, reason),
            }
        }
    }
    file.refused.sort_by_key(|refused| refused.line);
    file.rules = rules;
    file
}

fn line_of(text: &str, at: Option<usize>) -> usize {
    let before = at.and_then(|at| text.as_bytes().get(..at)).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

fn rule(table: &Table, decision: Decision, origin: RuleOrigin) -> Result<Rule, String> {
    if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(key)) {
        return Err(format!("there is no `{key}` in a rule"));
    }
    if decision == Decision::Allow && origin.layer != RuleLayer::Person {
        return Err("a repository cannot allow anything, it can only ask and deny".to_owned());
    }
    let harms = strings(table, "harm")?.iter().map(|name| harm(name)).collect::<Result<Vec<Harm>, String>>()?;
    let subs = strings(table, "sub")?;
    let rule = Rule {
        decision,
        origin,
        why: text(table, "why")?.ok_or("say `why`")?,
        programs: strings(table, "program")?,
        subs: subs.iter().map(|sub| sub.split_whitespace().map(str::to_owned).collect()).collect(),
        flags: strings(table, "flags")?,
        arguments: text(table, "arguments")?.map(|pattern| ready(&pattern)).transpose()?,
        harms,
    };
    if rule.programs.is_empty() && (rule.harms.is_empty() || decision == Decision::Allow) {
        return Err("say which `program`".to_owned());
    }
    if let Some(odd) = rule.programs.iter().find(|name| name.is_empty() || name.contains(['/', ' '])) {
        return Err(format!("`{odd}` is not the name of a program; what follows the name is `sub`"));
    }
    if let Some(odd) = rule.flags.iter().find(|flag| flag.len() < 2 || !flag.starts_with('-')) {
        return Err(format!("`{odd}` is not a flag"));
    }
    if rule.programs.is_empty() && !rule.subs.is_empty() {
        return Err("a `sub` needs its `program`".to_owned());
    }
    if rule.subs.iter().any(Vec::is_empty) {
        return Err("an empty `sub` means nothing".to_owned());
    }
    if decision == Decision::Allow {
        may_be_allowed(&rule)?;
    }
    proven(rule, &strings(table, "hits")?, &strings(table, "misses")?)
}

/// A rule can allow only what the catalogue lists as read-only.
fn may_be_allowed(rule: &Rule) -> Result<(), String> {
    if !rule.harms.is_empty() {
        return Err("what does harm cannot be allowed".to_owned());
    }
    for program in &rule.programs {
        let entries = || read_only::entries().iter().filter(|entry| entry.program == *program);
        if entries().next().is_none() {
            let why = read_only::never(program).unwrap_or("is not known to only read");
            return Err(format!("`{program}` cannot be allowed: it {why}"));
        }
        let subs = match rule.subs.is_empty() {
            true => vec![Vec::new()],
            false => rule.subs.clone(),
        };
        for sub in &subs {
            let Some(entry) = entries().find(|entry| entry.sub == *sub) else {
                let known: Vec<String> = entries().map(|entry| entry.name()).collect();
                let name = [program.clone()].into_iter().chain(sub.iter().cloned()).collect::<Vec<_>>().join(" ");
                return Err(format!("`{name}` cannot be allowed; what can is {}", known.join(", ")));
            };
            if let Some(flag) = rule.flags.iter().find(|flag| !entry.permits(flag)) {
                return Err(format!("{flag} of `{}` cannot be allowed", entry.name()));
            }
        }
    }
    Ok(())
}

/// Accepts the rule only if its examples behave as its author says.
fn proven(rule: Rule, hits: &[String], misses: &[String]) -> Result<Rule, String> {
    if hits.is_empty() || misses.is_empty() {
        return Err("give at least one example each of `hits` and `misses`".to_owned());
    }
    if hits.len() + misses.len() > MAX_EXAMPLES {
        return Err(format!("there are more than {MAX_EXAMPLES} examples"));
    }
    if rule.decision > Decision::Allow {
        if let Some(hit) = hits.iter().find(|hit| !rule.hits(hit)) {
            return Err(format!("`{hit}` should be hit and is not"));
        }
        if let Some(miss) = misses.iter().find(|miss| rule.hits(miss)) {
            return Err(format!("`{miss}` should be missed and is hit"));
        }
        return Ok(rule);
    }
    let mut alone = Rules::none();
    alone.person.rules.push(rule);
    let place = GateContext {
        source: RequestSource::LocalUi,
        untrusted: false,
        dialect: Dialect::Bash,
        cwd: EXAMPLE,
        workspace: EXAMPLE,
    };
    for hit in hits {
        if let Err(verdict) = confirmed(hit, &place, &alone) {
            return Err(format!("`{hit}` should be allowed and is not: {}", verdict.why));
        }
    }
    if let Some(miss) = misses.iter().find(|miss| confirmed(miss, &place, &alone).is_ok()) {
        return Err(format!("`{miss}` should be missed and is allowed"));
    }
    alone.person.rules.pop().ok_or_else(String::new)
}

fn harm(name: &str) -> Result<Harm, String> {
    let names = || Harm::ALL.iter().map(|harm| harm.name()).collect::<Vec<_>>().join(", ");
    let harm = Harm::ALL.into_iter().find(|harm| harm.name() == name);
    harm.ok_or_else(|| format!("`{name}` is no harm; those that there are: {}", names()))
}

fn ready(pattern: &str) -> Result<Regex, String> {
    let whole = format!("^(?:{pattern})$");
    // Compiled alone first: `a)|(b` is valid only inside the group around it.
    let made = Regex::new(pattern).and_then(|_| RegexBuilder::new(&whole).size_limit(MAX_PATTERN).build());
    made.map_err(|_| format!("the pattern `{pattern}` makes no sense, or is too large"))
}

fn text(table: &Table, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(item) => item.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| format!("`{key}` is a text")),
    }
}

/// A list of strings, or a single string.
fn strings(table: &Table, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` is a list of texts");
    match table.get(key) {
        None => Ok(Vec::new()),
        Some(Item::Value(value)) => match (value.as_str(), value.as_array()) {
            (Some(text), _) => Ok(vec![text.to_owned()]),
            (None, Some(list)) => list.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect(),
            (None, None) => Err(wrong()),
        },
        Some(_) => Err(wrong()),
    }
}
