//! Statements that lose data: `DROP`, `TRUNCATE`, `DELETE` and `UPDATE` of every row. Reads words, not the grammar: what
//! is in quotes or a comment says nothing.

/// Whether one of the statements does.
pub fn loses_data(text: &str) -> bool {
    let mut words: Vec<String> = Vec::new();
    let mut loses = false;
    for token in tokens(text) {
        match token {
            Token::Word(word) => words.push(word),
            Token::End => {
                loses |= is_loss(&words);
                words.clear();
            }
        }
    }
    loses || is_loss(&words)
}

fn is_loss(words: &[String]) -> bool {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    match words.first().map(String::as_str) {
        Some("drop" | "truncate") => true,
        Some("delete") => !has("where"),
        Some("update") => has("set") && !has("where"),
        Some("alter") => has("drop"),
        Some("with") => (has("delete") || has("update")) && !has("where"),
        Some("flushall" | "flushdb") => true,
        Some("explain" | "begin" | "start") => words.get(1..).is_some_and(|_| has("analyze") && has("delete")),
        _ => false,
    }
}

enum Token {
    Word(String),
    /// `;`
    End,
}

/// Bare words in small letters.
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
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter.to_ascii_lowercase());
            continue;
        }
        finish(&mut word, &mut tokens);
        match letter {
            '\'' | '"' | '`' => drop(letters.by_ref().find(|end| *end == letter)),
            '-' if letters.peek() == Some(&'-') => drop(letters.by_ref().find(|end| *end == '\n')),
            '/' if letters.peek() == Some(&'*') => {
                let mut before = ' ';
                letters.by_ref().find(|end| std::mem::replace(&mut before, *end) == '*' && *end == '/');
            }
            ';' => tokens.push(Token::End),
            _ => {}
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
        ];
        for text in hits {
            assert!(loses_data(text), "{text}");
        }
        let misses = [
            "",
            "select * from users",
            "DELETE FROM users WHERE id = 1",
            "select 'drop table x'",
            "insert into x values ('; drop table x')",
            "-- drop table x",
            "/* drop table x */ select 1",
            "update users set a = 1 where id = 2",
            "create table drops (x int)",
            "select \"delete\" from x",
            "'",
            "/*",
            "--",
            "/*/",
        ];
        for text in misses {
            assert!(!loses_data(text), "{text}");
        }
    }
}
