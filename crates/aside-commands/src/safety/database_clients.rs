//! Finds statements that a line passes to a database or a store: in a flag, as a word, on standard input. The clients are data
//! (`data/safety/clients.toml`).

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::safety::nested_commands::{NestedCommand, NestedCommands, is_flag};
use crate::safety::toml_table;
use crate::safety::{Harm, sql};

const TABLE: &str = include_str!("../../data/safety/clients.toml");

#[derive(Default)]
struct Client {
    language: Language,
    flags: Vec<String>,
    values: Vec<String>,
    /// Number of words before the statements, where words are statements.
    operands: Option<usize>,
    /// All words are one statement.
    joined: bool,
    stdin: bool,
    generated: bool,
    escape: Vec<String>,
    writes: Vec<String>,
    loses: Vec<String>,
    ends: Vec<String>,
    memory: Vec<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Language {
    #[default]
    Sql,
    Redis,
    Words,
}

static CLIENTS: LazyLock<HashMap<String, Vec<Client>>> = LazyLock::new(|| read(TABLE));

fn read(table: &str) -> HashMap<String, Vec<Client>> {
    let mut clients: HashMap<String, Vec<Client>> = HashMap::new();
    for row in toml_table::rows(table, "client") {
        for command in row.list("command") {
            clients.entry(command).or_default().push(Client {
                language: match row.text("language").as_deref() {
                    Some("redis") => Language::Redis,
                    Some("words") => Language::Words,
                    _ => Language::Sql,
                },
                flags: row.list("flags"),
                values: row.list("values"),
                operands: row.number("operands"),
                joined: row.is("joined"),
                stdin: row.is("stdin"),
                generated: row.is("generated"),
                escape: row.list("escape"),
                writes: row.list("writes"),
                loses: row.list("loses"),
                ends: row.list("ends"),
                memory: row.list("memory"),
            });
        }
    }
    clients
}

/// What the statements of a command do.
pub fn reading(run: &NestedCommand) -> sql::Statements {
    let mut found = sql::Statements::default();
    for client in CLIENTS.get(run.name()).into_iter().flatten() {
        client.read(run, &mut found);
    }
    found
}

/// Scripts that statements pass to a shell, each with the index of a word.
pub fn shell_texts(run: &NestedCommand) -> Vec<(String, usize)> {
    if !CLIENTS.contains_key(run.name()) {
        return Vec::new();
    }
    reading(run).shells.into_iter().map(|text| (text, 0)).collect()
}

/// What a text does that is sent to a store as it is.
pub fn sent(text: &str) -> Option<Harm> {
    text.lines().find_map(redis)
}

pub fn is_client(name: &str) -> bool {
    CLIENTS.contains_key(name)
}

/// Statements that another program generates, so the line does not show them.
pub fn are_generated(runs: &NestedCommands, run: &NestedCommand) -> bool {
    let reads = CLIENTS.get(run.name()).is_some_and(|clients| clients.iter().any(|client| client.generated));
    let Some(nearest) = run.fed_by.first().filter(|_| reads && run.fed.is_empty()) else { return false };
    let feeds = runs.runs.get(nearest.clone()).unwrap_or_default();
    // Programs that output a file or what the line shows, or that only add data.
    const SHOWN: [&str; 16] = [
        "cat",
        "pv",
        "echo",
        "printf",
        "print",
        "head",
        "tail",
        "pg_dump",
        "pg_dumpall",
        "yes",
        "tee",
        "bat",
        "sudo",
        "ssh",
        "read",
        "time",
    ];
    feeds.last().is_some_and(|feeding| {
        !SHOWN.contains(&feeding.name())
            || feeding.name().starts_with("pg_dump")
                && crate::safety::rules::has_flag(feeding.arguments(), &["-c", "--clean"])
    })
}

impl Client {
    fn read(&self, run: &NestedCommand, found: &mut sql::Statements) {
        let words: Vec<&str> = run.arguments().iter().map(|word| word.value.as_str()).collect();
        if words.iter().any(|word| self.ends.iter().any(|end| end == word)) {
            return;
        }
        let (mut statements, mut operands) = (Vec::new(), Vec::new());
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match self.statement_in(word) {
                Some(None) => statements.extend(rest.next().map(|next| (*next).to_owned())),
                Some(Some(text)) => statements.push(text.to_owned()),
                None if self.values.iter().any(|value| value == word) => drop(rest.next()),
                None if !is_flag(word) => operands.push(*word),
                None => {}
            }
        }
        if operands.first().is_some_and(|first| self.memory.iter().any(|memory| memory == first)) {
            // The database is in memory, so only shell escapes count.
            self.escapes(&operands.join("\n"), found);
            return;
        }
        match self.operands {
            Some(skip) if self.joined => {
                let words: Vec<&str> = operands.iter().skip(skip).copied().collect();
                statements.push(words.join(" "));
            }
            Some(skip) => statements.extend(operands.iter().skip(skip).map(|word| (*word).to_owned())),
            None => {}
        }
        if self.stdin {
            statements.extend(run.fed.iter().cloned());
        }
        for statement in &statements {
            self.statement(statement, found);
        }
    }

    /// Whether the flag has a statement: in the next word, or in this one.
    fn statement_in<'w>(&self, word: &'w str) -> Option<Option<&'w str>> {
        for flag in &self.flags {
            match word.strip_prefix(flag.as_str()) {
                Some("") => return Some(None),
                Some(rest) if rest.starts_with('=') => return Some(rest.strip_prefix('=')),
                Some(rest) if !flag.starts_with("--") && flag.len() == 2 => return Some(Some(rest)),
                _ => {}
            }
        }
        // `psql -Atqc`
        let cluster = word.strip_prefix('-').filter(|letters| letters.len() > 1 && !letters.starts_with('-'))?;
        let last = cluster.chars().next_back()?;
        let plain = cluster.bytes().all(|byte| byte.is_ascii_alphabetic());
        (plain && self.flags.iter().any(|flag| flag.len() == 2 && flag.ends_with(last))).then_some(None)
    }

    fn statement(&self, text: &str, found: &mut sql::Statements) {
        self.escapes(text, found);
        match self.language {
            Language::Sql => {
                let read = sql::read(text);
                found.harms.extend(read.harms);
                found.shells.extend(read.shells);
                found.files.extend(read.files);
            }
            Language::Redis => found.harms.extend(text.lines().filter_map(redis)),
            Language::Words => {}
        }
        let loses = |line: &str| {
            let line = line.trim().to_lowercase();
            self.loses.iter().any(|word| {
                let rest = line.strip_prefix(word.as_str());
                rest.is_some_and(|rest| rest.is_empty() || word.ends_with([' ', ':', '=', '-']) || !is_word(rest))
            })
        };
        if text.split(['\n', ';']).any(loses) {
            found.harms.push(Harm::DeletesOther);
        }
    }

    fn escapes(&self, text: &str, found: &mut sql::Statements) {
        for line in text.split(['\n', ';']).map(str::trim) {
            let behind = |begin: &String| {
                let (begins, rest) = line.split_at_checked(begin.len())?;
                begins.eq_ignore_ascii_case(begin).then(|| rest.to_owned())
            };
            found.shells.extend(self.escape.iter().find_map(behind));
            let file = self.writes.iter().find_map(|begin| line.strip_prefix(begin.as_str()));
            found.files.extend(file.map(|file| file.trim().trim_matches(['\'', '"']).to_owned()));
        }
    }
}

fn is_word(rest: &str) -> bool {
    rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-')
}

/// One command of redis or memcached.
fn redis(line: &str) -> Option<Harm> {
    let lower = line.trim().to_lowercase();
    let mut words = lower.split_whitespace();
    let first = words.next()?;
    let second = words.next().unwrap_or_default();
    let loses = Some(Harm::DeletesOther);
    match (first, second) {
        (
            "flushall" | "flushdb" | "flush_all" | "del" | "unlink" | "hdel" | "srem" | "zrem" | "lrem" | "xdel"
            | "getdel",
            _,
        ) => loses,
        (
            "ltrim" | "xtrim" | "swapdb" | "migrate" | "del-node" | "zremrangebyscore" | "zremrangebyrank" | "spop",
            _,
        ) => loses,
        ("shutdown", _) => loses,
        ("replicaof" | "slaveof", _) => loses,
        ("config", "set" | "resetstat" | "rewrite") => loses,
        ("debug", "segfault" | "reload" | "flushall" | "sleep") => loses,
        ("script" | "function", "flush" | "kill" | "delete") => loses,
        ("cluster", "reset" | "forget" | "flushslots" | "delslots" | "failover") => loses,
        ("acl", "deluser" | "setuser" | "load") => loses,
        ("client", "kill" | "pause") => loses,
        ("module", "unload" | "load") => loses,
        ("xgroup", "destroy" | "delconsumer") => loses,
        ("eval" | "evalsha", _) => {
            let calls = ["'del'", "\"del\"", "flush", "'unlink'", "\"unlink\"", "'hdel'", "'expire'"];
            calls.iter().any(|call| lower.contains(call)).then_some(Harm::DeletesOther)
        }
        ("delete" | "flush", _) => loses,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety;
    use shell_line::Dialect;

    #[test]
    fn every_client_hits_and_misses() {
        toml_table::tests::is_read_whole(TABLE);
        let table: toml_edit::DocumentMut = TABLE.parse().unwrap();
        let mut wrong = Vec::new();
        for row in table["client"].as_array_of_tables().unwrap() {
            let list = |key: &str| -> Vec<String> {
                let list = row.get(key).and_then(|list| list.as_array()).into_iter().flatten();
                list.map(|item| item.as_str().unwrap().to_owned()).collect()
            };
            assert!(!list("hits").is_empty() && !list("misses").is_empty(), "{row}");
            for hit in list("hits") {
                let dangers = safety::dangers(&hit, Dialect::Bash);
                if !dangers.iter().any(|danger| matches!(danger.harm, Harm::DeletesOther | Harm::Stops)) {
                    wrong.push(format!("silent: {hit}: {}", safety::summary(&dangers)));
                }
            }
            for miss in list("misses") {
                let dangers = safety::dangers(&miss, Dialect::Bash);
                if !dangers.is_empty() {
                    wrong.push(format!("{}: {miss}", safety::summary(&dangers)));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }
}
