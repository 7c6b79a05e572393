//! Finds statements that lose data, stop a server or expose it: `DROP`, `TRUNCATE`, `DELETE` and `UPDATE` of every row. Matches words, not
//! the grammar; ignores quoted text and comments.

use crate::safety::Harm;

/// Words of one statement that are examined.
const MAX_WORDS: usize = 512;
/// Nesting of statements in strings.
const MAX_DEPTH: usize = 2;

/// What statements do.
#[derive(Debug, Default)]
pub struct Statements {
    pub harms: Vec<Harm>,
    /// Scripts that the server, or the client, passes to a shell.
    pub shells: Vec<String>,
    /// Files that are written.
    pub files: Vec<String>,
}

/// Whether one of the statements does harm.
pub fn loses_data(text: &str) -> bool {
    !read(text).harms.is_empty()
}

pub fn read(text: &str) -> Statements {
    let mut found = Statements::default();
    read_into(text, 0, &mut found);
    found
}

fn read_into(text: &str, depth: usize, found: &mut Statements) {
    let tokens = tokens(text);
    let statements: Vec<&[Token]> = tokens.split(|token| *token == Token::End).collect();
    let first = |at: Option<&&[Token]>| at.and_then(|one| one.first()).and_then(Token::word).map(str::to_owned);
    // A transaction that is rolled back changes nothing.
    let opened = matches!(first(statements.first()).as_deref(), Some("begin" | "start"));
    let last = statements.iter().rev().find(|one| !one.is_empty());
    let taken_back = opened && first(last).as_deref() == Some("rollback");
    for statement in statements {
        let statement = statement.get(..MAX_WORDS).unwrap_or(statement);
        let said = Statement { tokens: statement };
        if !taken_back {
            found.harms.extend(said.harm());
        }
        said.programs(&mut found.shells);
        said.outputs(&mut found.files);
        // `DO $$ … $$`, `EXECUTE IMMEDIATE '…'`
        let runs_text = matches!(first(Some(&statement)).as_deref(), Some("do" | "exec" | "execute"));
        if runs_text && depth < MAX_DEPTH {
            for token in statement {
                if let Token::Text(text) = token {
                    read_into(text, depth + 1, found);
                }
            }
        }
    }
}

/// Whether a text is unmistakably a statement and not prose: for texts that any program may get.
pub fn is_statement(text: &str) -> bool {
    let tokens = tokens(text.get(..text.floor_char_boundary(4096)).unwrap_or(text));
    let statements = tokens.split(|token| *token == Token::End);
    statements.into_iter().any(|tokens| {
        let statement = Statement { tokens };
        let word = |at: usize| statement.word(at);
        match (word(0), word(1)) {
            ("drop" | "remove", second) => OBJECTS.contains(&second) && statement.tokens.len() > 2,
            ("delete", "from") | ("truncate", "table") | ("insert", "overwrite") => true,
            ("truncate", _) => text.trim_start().starts_with("TRUNCATE") && statement.tokens.len() < 6,
            ("update", _) => (word(2) == "set" || word(3) == "set") && statement.tokens.contains(&Token::Mark('=')),
            ("alter", "table" | "database" | "user" | "role" | "schema" | "keyspace" | "system") => true,
            ("create", "or") => word(2) == "replace",
            ("explain", "analyze") => true,
            ("with", _) => statement.has("as") && (statement.has("delete") || statement.has("update")),
            ("grant", _) => statement.has("to") && statement.has("on") || word(1) == "all",
            ("begin", "transaction") => true,
            _ => false,
        }
    })
}

/// What can be dropped.
const OBJECTS: [&str; 44] = [
    "table",
    "tables",
    "database",
    "schema",
    "index",
    "view",
    "user",
    "role",
    "keyspace",
    "collection",
    "column",
    "sequence",
    "function",
    "trigger",
    "tablespace",
    "type",
    "extension",
    "owned",
    "materialized",
    "procedure",
    "stream",
    "task",
    "stage",
    "warehouse",
    "pipe",
    "measurement",
    "series",
    "retention",
    "bucket",
    "replication",
    "publication",
    "subscription",
    "policy",
    "server",
    "foreign",
    "external",
    "temporary",
    "continuous",
    "shard",
    "partition",
    "graph",
    "constraint",
    "dictionary",
    "catalog",
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// In lower case.
    Word(String),
    /// In quotes.
    Text(String),
    Mark(char),
    /// `;`
    End,
}

impl Token {
    fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

struct Statement<'t> {
    tokens: &'t [Token],
}

impl Statement<'_> {
    /// The word at this index; empty for anything else.
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).and_then(Token::word).unwrap_or_default()
    }

    fn has(&self, wanted: &str) -> bool {
        self.tokens.iter().any(|token| token.word() == Some(wanted))
    }

    /// Whether the words occur in sequence.
    fn says(&self, words: &[&str]) -> bool {
        self.tokens
            .windows(words.len())
            .any(|window| window.iter().zip(words).all(|(token, word)| token.word() == Some(*word)))
    }

    fn harm(&self) -> Option<Harm> {
        let loses = Some(Harm::DeletesOther);
        match self.word(0) {
            "drop" | "truncate" | "purge" | "undefine" | "flush_all" => loses,
            "delete" => (!self.is_narrow()).then_some(Harm::DeletesOther),
            "update" => (self.has("set") && self.touches_all()).then_some(Harm::DeletesOther),
            "alter" => self.alters(),
            "with" if self.has("delete") || self.has("update") => self.touches_all().then_some(Harm::DeletesOther),
            "merge" if self.says(&["then", "delete"]) => loses,
            "flushall" | "flushdb" => loses,
            // Deletes the rows with the same key.
            "replace" if self.word(1) == "into" => loses,
            "explain" if self.has("analyze") && self.runs() => loses,
            "create" if self.word(1) == "or" && self.word(2) == "replace" => {
                let replaced = self.tokens.iter().skip(3).filter_map(Token::word).find(|word| {
                    !matches!(*word, "temporary" | "temp" | "transient" | "global" | "local" | "external" | "hybrid")
                });
                matches!(
                    replaced,
                    Some("table" | "database" | "schema" | "warehouse" | "stage" | "stream" | "user" | "role")
                )
                .then_some(Harm::DeletesOther)
            }
            "remove" if OBJECTS.contains(&self.word(1)) || matches!(self.word(1), "namespace" | "field") => loses,
            "insert" if self.word(1) == "overwrite" => loses,
            "load" if self.has("overwrite") || self.has("replace") => loses,
            "restore" if self.has("replace") => loses,
            "vacuum" if self.has("retain") && !self.has("dry") => loses,
            "detach" if self.word(1) != "delete" || self.has("delete") => loses,
            "match" | "optional" if self.has("delete") || self.has("remove") => loses,
            "reset" if matches!(self.word(1), "master" | "replica" | "slave" | "binary") => loses,
            "stop" if matches!(self.word(1), "replica" | "slave" | "group_replication") => Some(Harm::Stops),
            "shutdown" => Some(Harm::Stops),
            "kill" => Some(Harm::Stops),
            "grant" => self.grants().then_some(Harm::Unprotects),
            "set" | "exec" | "execute" | "call" if self.unprotects() => Some(Harm::Unprotects),
            "startup" if self.has("force") => Some(Harm::Stops),
            "revoke" => loses,
            "select" | "perform" => self.calls(),
            _ => None,
        }
    }

    /// After `EXPLAIN ANALYZE`, which executes it.
    fn runs(&self) -> bool {
        self.has("delete") || self.has("update") || self.has("truncate")
    }

    fn alters(&self) -> Option<Harm> {
        let opens = ["superuser", "nopassword", "trust"].iter().any(|word| self.has(word))
            || self.says(&["disable", "row", "level"])
            || self.says(&["no", "force", "row"]);
        if opens && !self.has("nosuperuser") {
            return Some(Harm::Unprotects);
        }
        let loses =
            ["drop", "truncate", "detach", "exchange", "offline", "single_user"].iter().any(|one| self.has(one))
                || self.has("disable")
                || self.has("delete") && !self.is_narrow()
                || self.has("discard");
        loses.then_some(Harm::DeletesOther)
    }

    fn grants(&self) -> bool {
        let public = self.has("public") || self.tokens.contains(&Token::Text("%".to_owned()));
        self.has("all")
            || self.says(&["grant", "option"])
            || public
            || self.has("sysdba")
            || self.has("dba")
            || self.has("superuser")
    }

    fn unprotects(&self) -> bool {
        let texts = self.tokens.iter().any(|token| matches!(token, Token::Text(text) if text.contains("xp_cmdshell")));
        texts || self.has("xp_cmdshell") || self.has("read_only") && self.has("off")
    }

    /// Server functions that stop or drop something.
    fn calls(&self) -> Option<Harm> {
        let called =
            |name: &str| self.tokens.windows(2).any(|pair| pair[0].word() == Some(name) && pair[1] == Token::Mark('('));
        if ["pg_terminate_backend", "pg_cancel_backend", "pg_promote"].into_iter().any(called) {
            return Some(Harm::Stops);
        }
        let drops = ["pg_drop_replication_slot", "lo_unlink", "drop_chunks", "pg_switch_wal_drop", "dbms_scheduler"];
        drops.into_iter().any(called).then_some(Harm::DeletesOther)
    }

    /// The tokens after `WHERE`.
    fn condition(&self) -> Option<&[Token]> {
        let at = self.tokens.iter().position(|token| token.word() == Some("where"))?;
        self.tokens.get(at + 1..)
    }

    /// No condition, or one that is always true.
    fn touches_all(&self) -> bool {
        self.condition().is_none_or(is_always_true)
    }

    /// Whether the condition selects one row, by comparing a key.
    fn is_narrow(&self) -> bool {
        let Some(condition) = self.condition() else { return false };
        let or = condition.iter().any(|token| token.word() == Some("or"));
        let key = condition.windows(3).any(|window| match window {
            [Token::Word(name), Token::Mark('='), value] => {
                // Compared with a literal, and not with another column.
                let literal = value.word().is_none_or(|word| word.starts_with(|one: char| one.is_ascii_digit()));
                is_key(name) && literal
            }
            _ => false,
        });
        key && !or && !is_always_true(condition)
    }

    /// `COPY … TO PROGRAM '…'`, `xp_cmdshell '…'`
    fn programs(&self, shells: &mut Vec<String>) {
        for pair in self.tokens.windows(2) {
            if let [Token::Word(word), Token::Text(text)] = pair
                && matches!(word.as_str(), "program" | "xp_cmdshell")
            {
                shells.push(text.clone());
            }
        }
    }

    /// `COPY … TO 'x'`, `INTO OUTFILE 'x'`
    fn outputs(&self, files: &mut Vec<String>) {
        let writes = matches!(self.word(0), "copy" | "select" | "export" | "unload" | "vacuum");
        for pair in self.tokens.windows(2) {
            if let [Token::Word(word), Token::Text(text)] = pair
                && writes
                && (matches!(word.as_str(), "to" | "outfile" | "dumpfile")
                    || word == "into" && self.word(0) == "vacuum")
            {
                files.push(text.clone());
            }
        }
    }
}

/// A column that identifies one row.
fn is_key(name: &str) -> bool {
    ["id", "uuid", "guid", "key", "pk", "email", "slug", "sku"]
        .iter()
        .any(|key| name.strip_suffix(key).is_some_and(|before| before.is_empty() || before.ends_with(['_', '.'])))
        || matches!(name, "name" | "username" | "login" | "rowid" | "ctid" | "hash" | "token")
}

/// `1`, `true`, `1 = 1`, `x is not null`, `x > 0`, `… or 1 = 1`
fn is_always_true(condition: &[Token]) -> bool {
    let ends = ["returning", "limit", "order", "settings"];
    let end = condition.iter().position(|token| token.word().is_some_and(|word| ends.contains(&word)));
    let condition = condition.get(..end.unwrap_or(condition.len())).unwrap_or(condition);
    let alternatives = condition.split(|token| token.word() == Some("or"));
    alternatives.into_iter().any(|tokens| {
        let bare: Vec<&Token> = tokens.iter().filter(|token| !matches!(token, Token::Mark('(' | ')'))).collect();
        match bare.as_slice() {
            [Token::Word(word)] => word == "true" || word == "1",
            [Token::Text(text)] => text == "1",
            [one, Token::Mark('='), two] => one == two,
            [Token::Word(_), Token::Word(is), Token::Word(not), Token::Word(null)] => {
                is == "is" && not == "not" && null == "null"
            }
            [Token::Word(one), Token::Mark('<' | '>'), Token::Word(two)] if is_number(one) => is_number(two),
            [Token::Word(_), Token::Mark('>'), Token::Word(zero)] => zero == "0",
            [Token::Word(_), Token::Mark('>'), Token::Mark('='), Token::Word(zero)] => zero == "0",
            [Token::Word(_), Token::Word(like), Token::Text(any)] => like == "like" && any == "%",
            _ => false,
        }
    })
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    let finish = |word: &mut String, tokens: &mut Vec<Token>| {
        if !word.is_empty() {
            tokens.push(Token::Word(std::mem::take(word)));
        }
    };
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() || letter == '_' || letter == '.' && !word.is_empty() {
            word.extend(letter.to_lowercase());
            continue;
        }
        finish(&mut word, &mut tokens);
        match letter {
            '\'' | '"' | '`' => {
                let mut quoted = String::new();
                for inside in letters.by_ref() {
                    if inside == letter {
                        break;
                    }
                    quoted.push(inside);
                }
                // Quoted column and table names are words; a string is not.
                let name = letter != '\'' && !quoted.contains(' ');
                tokens.push(if name { Token::Word(quoted.to_lowercase()) } else { Token::Text(quoted) });
            }
            // `$$ … $$`
            '$' if letters.peek() == Some(&'$') => {
                letters.next();
                let mut quoted = String::new();
                while let Some(inside) = letters.next() {
                    if inside == '$' && letters.peek() == Some(&'$') {
                        letters.next();
                        break;
                    }
                    quoted.push(inside);
                }
                tokens.push(Token::Text(quoted));
            }
            '-' if letters.peek() == Some(&'-') => drop(letters.by_ref().find(|end| *end == '\n')),
            '/' if letters.peek() == Some(&'*') => {
                let mut before = ' ';
                letters.by_ref().find(|end| std::mem::replace(&mut before, *end) == '*' && *end == '/');
            }
            ';' => tokens.push(Token::End),
            letter if letter.is_whitespace() => {}
            mark => tokens.push(Token::Mark(mark)),
        }
    }
    finish(&mut word, &mut tokens);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_misses() {
        let hits = [
            "DROP TABLE users",
            "drop database x;",
            "select 1; truncate logs",
            "DELETE FROM users",
            "delete from users; select * from x where y",
            "-- keep\nDELETE FROM users",
            "/* where */ delete from users",
            "delete from users -- where id = 1",
            "alter table x drop column y",
            "UPDATE users SET admin = true",
            "UPDATE users SET admin = true WHERE 1=1",
            "DELETE FROM users WHERE 1 = 1",
            "DELETE FROM users WHERE true",
            "DELETE FROM users WHERE id > 0",
            "DELETE FROM users WHERE id IS NOT NULL",
            "DELETE FROM users WHERE id = 1 OR 1=1",
            "DELETE FROM users WHERE id = id",
            "DELETE FROM logs WHERE created_at < now() - interval '30 days'",
            "DELETE FROM \"users\"",
            "ALTER TABLE events DELETE WHERE 1",
            "EXPLAIN ANALYZE DELETE FROM users",
            "CREATE OR REPLACE TABLE x AS SELECT 1",
            "INSERT OVERWRITE TABLE x SELECT 1",
            "GRANT ALL PRIVILEGES ON *.* TO 'app'@'%'",
            "PURGE BINARY LOGS BEFORE NOW()",
            "RESET MASTER",
            "select pg_terminate_backend(pid) from pg_stat_activity",
            "MATCH (n) DETACH DELETE n",
            "begin; delete from users; commit",
            "DO $$ begin execute 'drop table x'; drop table x; end $$",
            "VACUUM x RETAIN 0 HOURS",
        ];
        for text in hits {
            assert!(loses_data(text), "{text}");
        }
        let misses = [
            "",
            "select * from users",
            "DELETE FROM users WHERE id = 1",
            "DELETE FROM users WHERE user_id = 'x' AND day = 1",
            "select 'drop table x'",
            "insert into x values ('; drop table x')",
            "-- drop table x",
            "/* drop table x */ select 1",
            "update users set a = 1 where id = 2",
            "create table drops (x int)",
            "select \"delete\" from x",
            "EXPLAIN DELETE FROM users",
            "begin; delete from users; rollback",
            "CREATE OR REPLACE VIEW x AS SELECT 1",
            "CREATE OR REPLACE FUNCTION x() RETURNS int",
            "VACUUM x DRY RUN",
            "VACUUM (ANALYZE, VERBOSE) orders",
            "GRANT SELECT ON x TO reader",
            "select count(*) from orders where status = $$deleted$$",
            "show grants",
            "'",
            "/*",
            "--",
            "/*/",
            "$$",
        ];
        for text in misses {
            assert!(!loses_data(text), "{text}");
        }
    }

    #[test]
    fn sentences_are_no_statements() {
        for text in
            ["DROP TABLE x", "delete from x", "TRUNCATE orders CASCADE", "update x set y = 1", "select 1; drop table x"]
        {
            assert!(is_statement(text), "{text}");
        }
        for text in [
            "drop the table",
            "delete the old rows",
            "truncate logs when they are full",
            "update the set of rules",
            "",
            "drop",
        ] {
            assert!(!is_statement(text), "{text}");
        }
    }

    #[test]
    fn programs_and_files_of_statements() {
        assert_eq!(read("COPY (SELECT 1) TO PROGRAM 'rm -rf x'").shells, ["rm -rf x"]);
        assert_eq!(read("COPY x TO 'y.csv' (FORMAT csv)").files, ["y.csv"]);
        assert_eq!(read("COPY x FROM 'y.csv'").files, [""; 0]);
    }
}
