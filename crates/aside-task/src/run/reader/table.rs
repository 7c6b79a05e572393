//! The table of operations, `data/task/operations.toml`: trigger words, slots, and what an operation is written as.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use crate::run::phrase::{Phrase, longest_first};
use crate::run::reader::Reading;
use crate::run::reader::ground::{RepositoryFacts, SlotKind, Target, is_key_noun};
use crate::run::reader::keys::KeyLine;
use crate::run::reader::tokens::{Token, TokenKind};
use crate::run::toml_lists;

pub const LIST: &str = include_str!("../../../data/task/operations.toml");

impl Phrase {
    /// Whether it is more than a sign that stands for a verb.
    pub fn is_verb(&self) -> bool {
        self.words().all(|word| !["->", "=", "from", "to"].contains(&word))
    }

    /// Whether its words follow each other from an index on.
    pub fn stands_at(&self, tokens: &[Token], at: usize) -> bool {
        self.words().enumerate().all(|(offset, known)| {
            tokens.get(at + offset).is_some_and(|token| token.kind == TokenKind::Word && token.is(known))
        })
    }
}

/// Words that change what a command has to be, and the texts of which one then shows in it.
pub struct CommandEffect {
    pub words: Vec<Phrase>,
    pub shown: Vec<String>,
}

/// Words that forbid something, and the words that a command may not have then: none where no operation does it.
pub struct Forbidden {
    pub words: Vec<Phrase>,
    pub texts: Vec<String>,
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
    /// Words that add something to a command, the longest first.
    pub options: Vec<(Vec<Phrase>, String)>,
    /// Its trigger may stand in a clause that says how something is: "allready is misspelt, correct it".
    pub is_stated: bool,
    /// It is only meant with a value or an option.
    pub is_special: bool,
    /// A tool that the project has to use.
    pub when: Option<String>,
    /// The slot whose text is changed only in the files that the request limits it to.
    pub scoped: Option<String>,
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
    /// What a reason begins with, and where that may be in the middle of a clause.
    pub because: Vec<Phrase>,
    pub because_anywhere: Vec<Phrase>,
    /// What an order after its reason begins with.
    pub conclusions: Vec<Phrase>,
    /// Words of a clause that says how something is.
    pub statements: Vec<Phrase>,
    /// What such a clause begins with.
    pub subjects: Vec<Phrase>,
    /// Words of a clause that is more than a reason.
    pub restricting: Vec<Phrase>,
    pub effects: Vec<CommandEffect>,
    pub forbids: Vec<Forbidden>,
    markers: BTreeMap<String, Vec<Phrase>>,
    pub words: HashSet<String>,
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
    let mut table = Table {
        operations: toml_lists::tables(LIST, "operation", operation),
        fillers: longest_first(listed("fillers")),
        tails: longest_first(listed("tails")),
        articles: listed("articles"),
        questions: listed("questions"),
        describing: listed("describing"),
        because: listed("because").into_iter().chain(listed("because-anywhere")).collect(),
        because_anywhere: listed("because-anywhere"),
        conclusions: listed("conclusions"),
        statements: listed("statements"),
        subjects: listed("subjects"),
        restricting: listed("restricting"),
        effects: toml_lists::tables(LIST, "effect", |table| {
            let words = longest_first(phrases(&toml_lists::text(table, "words")?));
            let shown = toml_lists::text(table, "shown")?;
            Some(CommandEffect { words, shown: shown.split('|').map(str::to_owned).collect() })
        }),
        forbids: toml_lists::tables(LIST, "forbid", |table| {
            let words = longest_first(phrases(&toml_lists::text(table, "words")?));
            let texts = toml_lists::text(table, "text")?;
            let texts = texts.split('|').filter(|text| !text.is_empty()).map(str::to_owned).collect();
            Some(Forbidden { words, texts })
        }),
        markers: markers.into_iter().collect(),
        words: HashSet::new(),
    };
    table.words = table.collect_words();
    table
});

impl Table {
    pub fn markers(&self, name: &str) -> &[Phrase] {
        self.markers.get(name).map_or(&[], Vec::as_slice)
    }

    /// All words of the table.
    fn collect_words(&self) -> HashSet<String> {
        let operations = self.operations.iter().flat_map(|one| one.needs.iter().flatten().chain(&one.allows));
        let options = self.operations.iter().flat_map(|one| one.options.iter().flat_map(|(words, _)| words));
        let lists = [&self.fillers, &self.tails, &self.articles, &self.describing, &self.questions];
        let clauses = [&self.because, &self.conclusions, &self.statements, &self.subjects, &self.restricting];
        let listed = lists.into_iter().chain(clauses).flatten().chain(self.markers.values().flatten());
        let rules = self.effects.iter().flat_map(|effect| &effect.words);
        let rules = rules.chain(self.forbids.iter().flat_map(|forbid| &forbid.words));
        let phrases = operations.chain(options).chain(listed).chain(rules);
        phrases.flat_map(Phrase::words).map(str::to_owned).collect()
    }

    /// Whether Chinese letters are a word of the table.
    pub fn is_han_word(&self, word: &str) -> bool {
        self.words.contains(word)
            || is_key_noun(word)
            || ["脚本", "配置", "配置文件", "文档", "组件", "容器", "服务"].contains(&word)
    }
}

/// The alternatives between bars.
fn phrases(text: &str) -> Vec<Phrase> {
    let split = |phrase: &str| Phrase::of(phrase.split_whitespace());
    text.split('|').map(str::trim).filter(|phrase| !phrase.is_empty()).map(split).collect()
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
        options: options(&toml_lists::texts(table, "options")),
        is_stated: table.get("stated").and_then(toml_edit::Item::as_bool).unwrap_or(false),
        is_special: table.get("special").and_then(toml_edit::Item::as_bool).unwrap_or(false),
        when: toml_lists::text(table, "when"),
        scoped: toml_lists::text(table, "scoped"),
        locates: toml_lists::text(table, "locates"),
        targets: toml_lists::texts(table, "targets"),
        runs: toml_lists::text(table, "runs"),
        by: phrases(&toml_lists::text(table, "by").unwrap_or_default())
            .into_iter()
            .flat_map(|phrase| phrase.words().map(str::to_owned).collect::<Vec<_>>())
            .collect(),
        and: toml_lists::texts(table, "and"),
        becomes: toml_lists::text(table, "becomes")?,
    })
}

/// `words|other words => text`.
fn options(rows: &[String]) -> Vec<(Vec<Phrase>, String)> {
    let of = |row: &String| {
        let (words, text) = row.split_once(" => ")?;
        Some((longest_first(phrases(words)), text.to_owned()))
    };
    rows.iter().filter_map(of).collect()
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
    /// The project's own target goes before a command that does the same.
    pub fn rank(&self) -> usize {
        usize::from(!self.targets.is_empty())
    }

    /// Whether the project uses the tool that it is for.
    pub fn is_for(&self, facts: &RepositoryFacts) -> bool {
        match self.when.as_deref() {
            None => true,
            Some("git") => !facts.git.branches.is_empty(),
            Some(tool) => facts.tools.iter().any(|known| known == tool),
        }
    }

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
        let is_so = is_so && self.fits_value(values, facts);
        // A text may be replaced only where it stands once, unless the request names the file.
        let located = self.locates.as_deref().and_then(first);
        // Half of a statement is not to be deleted.
        let is_whole = |line: &str| line.matches('(').count() == line.matches(')').count();
        let whole = located.is_none_or(|word| facts.lines_with(word, file).into_iter().all(is_whole));
        let whole = whole || !self.becomes.starts_with("delete the line");
        // A function of another file is not meant by the file that is named.
        let is_there = |name: &String| file.is_none() || !facts.lines_with(name, file).is_empty();
        let whole = whole && (!self.becomes.starts_with("delete the function") || first("name").is_none_or(is_there));
        differs && is_so && whole && located.is_none_or(|word| facts.lines_with(word, file).len() == 1)
    }

    /// Whether a word takes the place of a word, and a number that of a number: `1.75` is none for `image: rust:1.68`.
    fn fits_value(&self, values: &BTreeMap<&str, Vec<String>>, facts: &RepositoryFacts) -> bool {
        let first = |name: &str| values.get(name).and_then(|all| all.first());
        let Some(key) = first("key") else { return true };
        let file = first("file");
        let is_word = |bare: &str| {
            bare.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '.' || letter == '/')
                && !bare.contains([' ', '(', '{', '[', '$'])
        };
        let starts_number =
            |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit() || "-.:".contains(letter));
        let fits = |line: &KeyLine| {
            let bare = line.value.trim_matches(['"', '\'']);
            match (first("word"), first("value")) {
                (Some(word), _) => is_word(bare) && !line.is_switch() && bare != word,
                (None, Some(value)) if starts_number(value) => starts_number(bare) || line.value.contains("from_"),
                (None, _) => true,
            }
        };
        let of_key = |line: &&KeyLine| line.key == *key && file.is_none_or(|file| line.file == *file);
        facts.keys().iter().filter(of_key).all(fits)
    }

    /// Writes the operation with its values: one line for each value of a slot that takes several and is written `<name*>`. Commands that
    /// do the same are between `;;`, the preferred first.
    pub fn rendered(
        &self,
        values: &BTreeMap<&str, Vec<String>>,
        options: &str,
        facts: &RepositoryFacts,
    ) -> Option<Reading> {
        let text = self.with_targets(facts)?.replace("{options}", options);
        match self.effect {
            Effect::Change => self.filled(&text, values, facts).map(Reading::Change),
            Effect::Command => {
                let all: Vec<String> = text.split(" ;; ").filter_map(|text| self.filled(text, values, facts)).collect();
                (!all.is_empty()).then_some(Reading::Command(all))
            }
        }
    }

    fn filled(&self, text: &str, values: &BTreeMap<&str, Vec<String>>, facts: &RepositoryFacts) -> Option<String> {
        let quotes = self.effect == Effect::Command;
        let written = |value: &str| if quotes { quoted(value) } else { value.to_owned() };
        let joined = |all: &[String]| {
            let separator = if quotes { " " } else { " and " };
            all.iter().map(|value| written(value)).collect::<Vec<_>>().join(separator)
        };
        let mut lines = vec![String::new()];
        let mut rest = text;
        while let Some(at) = rest.find(['<', '[']) {
            let (head, tail) = rest.split_at(at);
            lines.iter_mut().for_each(|line| line.push_str(head));
            if let Some(tail) = tail.strip_prefix('[') {
                let (part, behind) = tail.split_once(']')?;
                rest = behind;
                let (before, name) = part.split_once('<')?;
                let (name, after) = name.split_once('>')?;
                if let Some(all) = values.get(name) {
                    let part = format!("{before}{}{after}", joined(all));
                    lines.iter_mut().for_each(|line| line.push_str(&part));
                }
                continue;
            }
            let (name, behind) = tail.strip_prefix('<')?.split_once('>')?;
            rest = behind;
            if let Some(known) = known_value(name, facts) {
                lines.iter_mut().for_each(|line| line.push_str(&quoted(&known)));
                continue;
            }
            let all = values.get(name.trim_end_matches('*'))?;
            if name == "target" {
                let target = facts.targets.iter().find(|target| Some(&target.name) == all.first())?;
                self.is_by(target).then_some(())?;
                lines.iter_mut().for_each(|line| line.push_str(&target.command));
            } else if name.ends_with('*') {
                let of =
                    |line: &String| all.iter().map(|value| format!("{line}{}", written(value))).collect::<Vec<_>>();
                lines = lines.iter().flat_map(of).collect();
            } else {
                lines.iter_mut().for_each(|line| line.push_str(&joined(all)));
            }
        }
        lines.iter_mut().for_each(|line| line.push_str(rest));
        Some(lines.join("\n"))
    }

    fn is_by(&self, target: &Target) -> bool {
        let program = target.command.split(' ').next().unwrap_or_default();
        self.by.is_empty() || self.by.iter().any(|by| by == program)
    }

    /// The project's own target that the operation calls.
    pub fn target<'a>(&self, facts: &'a RepositoryFacts) -> Option<&'a Target> {
        let fits = |target: &&Target| {
            self.runs.as_ref().is_none_or(|runs| target.recipe.contains(runs.as_str())) && self.is_by(target)
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

/// A value that git knows and no word of the request has.
fn known_value(name: &str, facts: &RepositoryFacts) -> Option<String> {
    match name {
        "current-branch" => Some(facts.git.current.clone()).filter(|name| !name.is_empty()),
        "default-remote" => facts.git.remote().map(str::to_owned),
        _ => None,
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
