//! Notes under a heading about passwords, with a line for each: `kim: correct horse`, `PACS: viewer / value`.

use std::ops::Range;

use crate::scan::{line_end, line_start, next_line};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::{classifier, vocabulary};

/// Words of a heading.
pub const HEADINGS: &[&str] = &[
    "passwords",
    "logins",
    "passwörter",
    "kennwörter",
    "zugänge",
    "zugangsdaten",
    "hasła",
    "contraseñas",
    "mots de passe",
    "identifiants",
    "senhas",
    "wachtwoorden",
    "parolalar",
    "şifreler",
    "пароли",
];

/// Lines below a heading, words of a heading and of a title, and words of a passphrase.
const MAX_LINES: usize = 30;
const MAX_HEADING: usize = 4;
const MAX_TITLE: usize = 3;
const MAX_WORDS: usize = 4;

/// Titles of lines that hold no password.
const OTHERS: &[&str] = &[
    "url",
    "host",
    "user",
    "username",
    "login",
    "name",
    "email",
    "mail",
    "ip",
    "port",
    "note",
    "notes",
    "site",
    "updated",
    "expires",
    "owner",
    "link",
    "type",
    "kind",
    "id",
    "path",
    "file",
    "min",
    "max",
    "length",
    "policy",
    "rotation",
    "status",
    "date",
    "server",
    "benutzer",
    "stand",
    "hinweis",
    "siehe",
    "see",
    "todo",
    "min_length",
    "max_age",
    "history",
    "store",
    "location",
    "version",
    "validator",
    "validation",
    "backend",
    "storage",
    "backup",
    "sharing",
    "manager",
    "generator",
    "hash",
    "hasher",
    "hashing",
    "algorithm",
    "expiry",
    "provider",
    "format",
    "complexity",
    "rotacja",
    "właściciel",
    "ablauf",
    "verlauf",
    "inhaber",
    "caducidad",
    "historial",
    "propietario",
];

/// The passwords below the heading that contains `word`.
pub fn passwords(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let head = line_start(text, word.start)..line_end(text, word.end);
    let mut found = Vec::new();
    if !text.get(head.clone()).is_some_and(is_heading) {
        return found;
    }
    // Below `Logins` a single word may be a schedule or a status.
    let low = text.get(word).unwrap_or_default().to_lowercase();
    let pairs = !["pass", "wörter", "hasł", "contra", "senha", "wacht", "parol", "şifre", "парол"]
        .iter()
        .any(|part| low.contains(part));
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = text.get(head.clone()).map_or(0, indent);
    let mut at = head.end;
    for number in 0..MAX_LINES {
        let Some(line) = next_line(text, at) else { break };
        at = line.end;
        let content = text.get(line.clone()).unwrap_or_default();
        if content.trim_matches([' ', '\t', '=', '-', '\r']).is_empty() && number == 0 {
            continue;
        }
        if indent(content) != own {
            break;
        }
        let Some(entry) = entry(content) else { break };
        let entry = entry.filter(|entry| {
            let value = content.get(entry.clone()).unwrap_or_default();
            !pairs || content.contains(" / ") || secret_strength::secret_strength(value) >= Some(SecretStrength::Soft)
        });
        found.extend(entry.map(|entry| line.start + entry.start..line.start + entry.end));
    }
    // Single words such as `weekly` and `forbidden` need not be passwords: at least one entry must be stronger.
    let telling = |span: &Range<usize>| {
        let value = text.get(span.clone()).unwrap_or_default();
        let pair = text.get(..span.start).is_some_and(|before| before.ends_with(" / "));
        pair || value.contains(' ') || secret_strength::secret_strength(value) >= Some(SecretStrength::Soft)
    };
    if found.iter().any(telling) { found } else { Vec::new() }
}

/// `the login is jansen / tulp-in-regen`: the word behind the slash, if the line mentions an account.
pub fn behind_slash(text: &str, slash: Range<usize>) -> Option<Range<usize>> {
    let line = line_start(text, slash.start)..line_end(text, slash.end);
    let before = text.get(line.start..slash.start)?;
    let user = before.rsplit(|letter: char| letter.is_whitespace() || ":：(（「".contains(letter)).next()?;
    let rest = text.get(slash.end..line.end)?;
    let word = rest.split_whitespace().next()?;
    let word = word.split([')', '）', '」', '。', '，', '、']).next()?.trim_end_matches([',', '.', ';', ':']);
    let is_user = (2..=40).contains(&user.len())
        && user.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._-@".contains(letter));
    let told = before.get(..before.len() - user.len())?;
    let strong = secret_strength::secret_strength(word) >= Some(SecretStrength::Soft)
        && !secret_strength::is_prose(word)
        && !secret_strength::is_prose(user);
    let many = rest.contains(" / ") || told.contains(" / ");
    (is_user && strong && !many && classifier::speaks_of_accounts(told)).then_some(slash.end..slash.end + word.len())
}

/// `Passwords`, `## Logins (office)`, `Zugänge Praxis:`
fn is_heading(line: &str) -> bool {
    let title = line.trim().trim_start_matches(['#', '=', '*', ' ']).trim_end_matches([':', '=', '*', ' ']);
    let plain = |letter: char| letter.is_alphanumeric() || " &()/'-".contains(letter);
    !title.is_empty() && title.split_whitespace().count() <= MAX_HEADING && title.chars().all(plain)
}

/// The password of a line `title: password`. The inner `None` is a line without one; the outer `None` ends the list.
fn entry(line: &str) -> Option<Option<Range<usize>>> {
    let start = line.len() - line.trim_start_matches([' ', '\t', '-', '*', '•']).len();
    let (title, rest) = line.get(start..)?.split_once(": ")?;
    let plain = |letter: char| letter.is_alphanumeric() || " ._-/()@".contains(letter);
    if title.split_whitespace().count() > MAX_TITLE || !title.chars().all(plain) {
        return None;
    }
    if OTHERS.contains(&title.to_lowercase().as_str()) {
        return Some(None);
    }
    let note = rest.trim();
    // `viewer / value`
    let password = match note.split_once(" / ") {
        Some((user, password)) if !user.contains(' ') => password.trim(),
        Some(_) => return None,
        None => note,
    };
    let end = start + title.len() + 2 + rest.trim_end().len();
    let found = end.checked_sub(password.len())?..end;
    Some(Some(found).filter(|_| is_password(password)))
}

fn is_password(note: &str) -> bool {
    let words: Vec<&str> = note.split_whitespace().collect();
    let small = |word: &&str| word.chars().all(char::is_lowercase);
    let phrase = (2..=MAX_WORDS).contains(&words.len()) && words.iter().all(small);
    let ordinary = secret_strength::is_ordinary(note) || note.contains("://") || note.ends_with([':', '.', '?']);
    (words.len() == 1 || phrase)
        && note.chars().count() >= 4
        && !ordinary
        && !words
            .iter()
            .any(|word| vocabulary::words().prose.contains(*word) || ["ask", "unset", "none"].contains(word))
        && (phrase || !secret_strength::is_prose(note))
        && secret_strength::fits(SecretClass::Password, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        let heading = HEADINGS.iter().find(|heading| text.to_lowercase().contains(*heading)).unwrap();
        let at = text.to_lowercase().find(heading).unwrap();
        passwords(text, at..at + heading.len()).into_iter().filter_map(|span| text.get(span)).collect()
    }

    #[test]
    fn lines_below_a_heading() {
        assert_eq!(
            all("Passwords\nkim: correct horse\nNAS: lighthouse\n\nport: other"),
            ["correct horse", "lighthouse"]
        );
        assert_eq!(
            all("# Logins Praxis\n\n- PACS: viewer / roentgen\n- url: x.example\n- KIS: arzt / stethoskop"),
            ["roentgen", "stethoskop"]
        );
        assert_eq!(all("Zugänge:\nVPN: see the wiki"), Vec::<&str>::new());
        assert_eq!(all("passwords:\n  min: eight\n  policy: strict"), Vec::<&str>::new());
        assert_eq!(all("Passwords are kept in the vault, as the policy says\nkim: correct horse"), Vec::<&str>::new());
    }
}
