//! The table of operations, `data/task/operations.toml`: trigger words, slots, and what an operation is written as.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::run::reader::Reading;
use crate::run::reader::ground::{RepositoryFacts, SlotKind, Target};

use crate::run::toml_lists;

pub const LIST: &str = include_str!("../../../data/task/operations.toml");

/// Words that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase(Vec<String>);

impl Phrase {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

pub struct Slot {
    pub name: String,
    pub kind: SlotKind,
    pub marker: Option<String>,
    pub optional: bool,
    /// Takes all that fits.
    pub many: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Change,
    Command,
}

pub struct Operation {
    effect: Effect,
    pub needs: Vec<Vec<Phrase>>,
    pub allows: Vec<Phrase>,
    pub slots: Vec<Slot>,
    /// The slot whose only line explains the words about it.
    pub locates: Option<String>,
    /// Targets of the project, the preferred first; one of them has to be there.
    targets: Vec<String>,
    /// A text that the recipe of such a target has to contain.
    runs: Option<String>,
    /// The programs that such a target is called through.
    by: Vec<String>,
    /// Targets of which one has to be there as well.
    and: Vec<String>,
    becomes: String,
}

pub struct Table {
    pub operations: Vec<Operation>,
    /// Words that restrict nothing, anywhere.
    pub fillers: Vec<Phrase>,
    /// Remarks that restrict nothing.
    pub tails: Vec<Phrase>,
    /// What may stand between a marker and what it points at.
    pub articles: Vec<Phrase>,
    /// How a question begins.
    pub questions: Vec<Phrase>,
    /// What the place of a text may be called.
    pub describing: Vec<Phrase>,
    markers: BTreeMap<String, Vec<Phrase>>,
}

pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let listed = |name: &str| -> Vec<Phrase> {
        toml_lists::tables(LIST, "words", |table| {
            let words = toml_lists::text(table, "words")?;
            (toml_lists::text(table, "name")? == name).then(|| phrases(&words))
        })
        .into_iter()
        .flatten()
        .collect()
    };
    let markers = toml_lists::tables(LIST, "marker", |table| {
        Some((toml_lists::text(table, "name")?, phrases(&toml_lists::text(table, "words")?)))
    });
    Table {
        operations: toml_lists::tables(LIST, "operation", operation),
        fillers: longest_first(listed("fillers")),
        tails: longest_first(listed("tails")),
        articles: listed("articles"),
        questions: listed("questions"),
        describing: listed("describing"),
        markers: markers.into_iter().collect(),
    }
});

impl Table {
    pub fn markers(&self, name: &str) -> &[Phrase] {
        self.markers.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether Chinese letters are a word of the table.
    pub fn is_han_word(&self, word: &str) -> bool {
        let operations = self.operations.iter().flat_map(|one| one.needs.iter().flatten().chain(&one.allows));
        let lists = [&self.fillers, &self.tails, &self.articles, &self.describing, &self.questions];
        let listed = lists.into_iter().flatten().chain(self.markers.values().flatten());
        operations.chain(listed).flat_map(Phrase::words).any(|known| known == word)
            || ["脚本", "配置", "配置文件", "文档", "组件"].contains(&word)
    }
}

/// The alternatives between bars.
fn phrases(text: &str) -> Vec<Phrase> {
    let split = |phrase: &str| Phrase(phrase.split_whitespace().map(str::to_lowercase).collect());
    text.split('|').map(str::trim).filter(|phrase| !phrase.is_empty()).map(split).collect()
}

/// So that no part of a phrase is taken alone.
fn longest_first(mut phrases: Vec<Phrase>) -> Vec<Phrase> {
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    phrases
}

fn operation(table: &toml_edit::Table) -> Option<Operation> {
    let effect = match toml_lists::text(table, "effect")?.as_str() {
        "change" => Effect::Change,
        "command" => Effect::Command,
        _ => return None,
    };
    let slots = toml_lists::texts(table, "slots");
    let read: Vec<Slot> = slots.iter().filter_map(|text| slot(text)).collect();
    (read.len() == slots.len()).then_some(())?;
    Some(Operation {
        effect,
        needs: toml_lists::texts(table, "needs").iter().map(|group| phrases(group)).collect(),
        allows: longest_first(phrases(&toml_lists::text(table, "allows").unwrap_or_default())),
        slots: read,
        locates: toml_lists::text(table, "locates"),
        targets: toml_lists::texts(table, "targets"),
        runs: toml_lists::text(table, "runs"),
        by: phrases(&toml_lists::text(table, "by").unwrap_or_default())
            .into_iter()
            .flat_map(|phrase| phrase.0)
            .collect(),
        and: toml_lists::texts(table, "and"),
        becomes: toml_lists::text(table, "becomes")?,
    })
}

/// `file?:file`, `names+:module`, `new:name:to`.
fn slot(text: &str) -> Option<Slot> {
    let mut parts = text.split(':');
    let name = parts.next()?;
    let kind = SlotKind::of(parts.next()?)?;
    let marker = parts.next().map(str::to_owned);
    Some(Slot {
        name: name.trim_end_matches(['?', '+', '*']).to_owned(),
        kind,
        marker,
        optional: name.ends_with(['?', '*']),
        many: name.ends_with(['+', '*']),
    })
}

impl Operation {
    /// Checks that need more than one value.
    pub fn is_sound(&self, values: &BTreeMap<&str, Vec<String>>, facts: &RepositoryFacts) -> bool {
        let first = |name: &str| values.get(name).and_then(|all| all.first());
        let file = first("file").map(String::as_str);
        let differs = match (first("old"), first("new")) {
            (Some(old), Some(new)) => old != new,
            _ => true,
        };
        // The value that the request says it has now is the one that it has.
        let number = |was: &String| was.split(' ').next().unwrap_or_default().trim_matches('"').to_owned();
        let is_so = match (first("key"), first("was").map(number)) {
            (Some(key), Some(was)) => facts.has_line(key, &was, file),
            _ => true,
        };
        // A text may be replaced only where it stands once, unless the request names the file.
        let located = self.locates.as_deref().and_then(first);
        // Half of a statement is not to be deleted.
        let is_whole = |line: &str| line.matches('(').count() == line.matches(')').count();
        let whole = located.is_none_or(|word| facts.lines_with(word, file).into_iter().all(is_whole));
        let whole = whole || !self.becomes.starts_with("delete the line");
        differs && is_so && whole && located.is_none_or(|word| facts.lines_with(word, file).len() == 1)
    }

    /// Writes the operation with its values: one line for each value of a slot that takes several and is written `<name*>`.
    pub fn rendered(&self, values: &BTreeMap<&str, Vec<String>>, facts: &RepositoryFacts) -> Option<Reading> {
        let text = self.with_targets(facts)?;
        let quotes = self.effect == Effect::Command;
        let written = |value: &str| if quotes { quoted(value) } else { value.to_owned() };
        let mut lines = vec![String::new()];
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['<', '[']) {
            let (head, tail) = rest.split_at(at);
            lines.iter_mut().for_each(|line| line.push_str(head));
            if let Some(tail) = tail.strip_prefix('[') {
                let (part, behind) = tail.split_once(']')?;
                rest = behind;
                let (before, name) = part.split_once('<')?;
                let (name, after) = name.split_once('>')?;
                if let Some(value) = values.get(name).and_then(|all| all.first()) {
                    let part = format!("{before}{}{after}", written(value));
                    lines.iter_mut().for_each(|line| line.push_str(&part));
                }
                continue;
            }
            let (name, behind) = tail.strip_prefix('<')?.split_once('>')?;
            rest = behind;
            let all = values.get(name.trim_end_matches('*'))?;
            if name == "target" {
                let target = facts.targets.iter().find(|target| Some(&target.name) == all.first())?;
                lines.iter_mut().for_each(|line| line.push_str(&target.command));
                continue;
            }
            if name.ends_with('*') {
                let of =
                    |line: &String| all.iter().map(|value| format!("{line}{}", written(value))).collect::<Vec<_>>();
                lines = lines.iter().flat_map(of).collect();
            } else {
                let separator = if quotes { " " } else { " and " };
                let joined = all.iter().map(|value| written(value)).collect::<Vec<_>>().join(separator);
                lines.iter_mut().for_each(|line| line.push_str(&joined));
            }
        }
        lines.iter_mut().for_each(|line| line.push_str(rest));
        let text = lines.join("\n");
        Some(match self.effect {
            Effect::Change => Reading::Change(text),
            Effect::Command => Reading::Command(text),
        })
    }

    /// The project's own target that the operation calls.
    pub fn target<'a>(&self, facts: &'a RepositoryFacts) -> Option<&'a Target> {
        let fits = |target: &&Target| {
            let program = target.command.split(' ').next().unwrap_or_default();
            self.runs.as_ref().is_none_or(|runs| target.recipe.contains(runs.as_str()))
                && (self.by.is_empty() || self.by.iter().any(|by| by == program))
        };
        self.targets.iter().find_map(|name| facts.targets.iter().filter(fits).find(|target| target.name == *name))
    }

    /// The template with the command of that target in the place of `{target}`, what it runs in `{recipe}`, and the second one in `{and}`.
    fn with_targets(&self, facts: &RepositoryFacts) -> Option<String> {
        if self.targets.is_empty() {
            return Some(self.becomes.clone());
        }
        let target = self.target(facts)?;
        let is_plain = !target.recipe.contains(['$', ';', '&', '|', '<', '[']);
        (is_plain || !self.becomes.contains("{recipe}")).then_some(())?;
        let text = self.becomes.replace("{target}", &target.command).replace("{recipe}", &target.recipe);
        if self.and.is_empty() {
            return Some(text);
        }
        let other = self.and.iter().find_map(|name| facts.targets.iter().find(|target| target.name == *name))?;
        Some(text.replace("{and}", &other.command))
    }
}

/// A word of a command line.
fn quoted(value: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:@+,".contains(letter);
    match !value.is_empty() && value.chars().all(plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
pub fn is_read_whole() -> bool {
    TABLE.operations.len() == toml_lists::count(LIST, "operation")
}
