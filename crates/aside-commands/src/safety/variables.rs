//! Tracks what a line assigns and uses later: variables, arrays, positional parameters, aliases, functions, the directory. Only from the
//! line itself; everything else stays as spelled.

use std::collections::BTreeMap;
use std::sync::Arc;

use shell_line::{self as line, Dialect, Word};

use crate::safety::known_output;

/// Names that are kept, of each kind.
const MAX_NAMES: usize = 32;
/// Bytes of one value.
const MAX_VALUE: usize = 1024;
/// Words that braces or a list expand to.
const MAX_WORDS: usize = 64;
/// Nesting of values, and of substitutions.
const MAX_DEPTH: usize = 4;

/// What is known while a script is read. Copy-on-write.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    names: Arc<Names>,
    /// `$1` and the following.
    pub positional: Option<Arc<[String]>>,
    /// Functions being expanded, to stop recursion.
    pub calling: Vec<String>,
    /// The directory that the line changed to, as spelled.
    pub directory: Option<Arc<str>>,
}

#[derive(Clone, Debug, Default)]
struct Names {
    values: BTreeMap<String, Vec<String>>,
    functions: BTreeMap<String, Arc<Body>>,
    aliases: BTreeMap<String, Arc<str>>,
    /// `git config alias.x`
    git_aliases: BTreeMap<String, Arc<str>>,
    /// Files that the line itself has written, by the path as spelled.
    files: BTreeMap<String, Arc<str>>,
    /// Links that it has made, and their targets.
    links: BTreeMap<String, Arc<str>>,
}

/// The body of a function.
#[derive(Debug)]
pub struct Body {
    pub text: String,
    /// Where it begins in the whole line.
    pub start: Option<usize>,
    /// Its range in the whole line.
    pub span: std::ops::Range<usize>,
    pub dialect: Dialect,
}

impl Scope {
    pub fn assign(&mut self, name: &str, words: Vec<String>) {
        let length: usize = words.iter().map(String::len).sum();
        let names = Arc::make_mut(&mut self.names);
        if length > MAX_VALUE || words.len() > MAX_WORDS {
            names.values.remove(name);
        } else if names.values.len() < MAX_NAMES || names.values.contains_key(name) {
            names.values.insert(name.to_owned(), words);
        }
    }

    /// Drops a variable or a function whose value is no longer known.
    pub fn forget(&mut self, name: &str) {
        if self.names.values.contains_key(name) || self.names.functions.contains_key(name) {
            let names = Arc::make_mut(&mut self.names);
            names.values.remove(name);
            names.functions.remove(name);
        }
    }

    pub fn value(&self, name: &str) -> Option<String> {
        self.names.values.get(name).map(|words| words.join(" "))
    }

    pub fn define(&mut self, name: &str, body: Body) {
        if self.names.functions.len() < MAX_NAMES {
            Arc::make_mut(&mut self.names).functions.insert(name.to_owned(), Arc::new(body));
        }
    }

    pub fn function(&self, name: &str) -> Option<Arc<Body>> {
        self.names.functions.get(name).cloned()
    }

    pub fn set_alias(&mut self, name: &str, text: &str) {
        if self.names.aliases.len() < MAX_NAMES && text.len() <= MAX_VALUE {
            Arc::make_mut(&mut self.names).aliases.insert(name.to_owned(), text.into());
        }
    }

    pub fn alias(&self, name: &str) -> Option<Arc<str>> {
        self.names.aliases.get(name).cloned()
    }

    pub fn set_git_alias(&mut self, name: &str, text: &str) {
        if self.names.git_aliases.len() < MAX_NAMES && text.len() <= MAX_VALUE {
            Arc::make_mut(&mut self.names).git_aliases.insert(name.to_owned(), text.into());
        }
    }

    pub fn git_alias(&self, name: &str) -> Option<Arc<str>> {
        self.names.git_aliases.get(name).cloned()
    }

    /// Records a text that the line writes to a file, or appends to it.
    pub fn write(&mut self, path: &str, text: &str, adds: bool) {
        let path = path.strip_prefix("./").unwrap_or(path);
        let before = self.names.files.get(path).filter(|_| adds).cloned();
        let text = before.map_or_else(|| text.to_owned(), |before| format!("{before}{text}"));
        if self.names.files.len() < MAX_NAMES && text.len() <= MAX_VALUE {
            Arc::make_mut(&mut self.names).files.insert(path.to_owned(), text.into());
        }
    }

    pub fn link(&mut self, name: &str, target: &str) {
        let name = name.strip_prefix("./").unwrap_or(name).trim_end_matches('/');
        if self.names.links.len() < MAX_NAMES && target.len() <= MAX_VALUE && !name.is_empty() {
            Arc::make_mut(&mut self.names).links.insert(name.to_owned(), target.into());
        }
    }

    /// Resolves a path through a link, `x/y`, to the link's target. The link itself stays as it is.
    pub fn followed(&self, path: &str) -> Option<String> {
        if self.names.links.is_empty() {
            return None;
        }
        let (name, rest) = path.strip_prefix("./").unwrap_or(path).split_once('/')?;
        let target = self.names.links.get(name)?;
        Some(format!("{}/{rest}", target.trim_end_matches('/')))
    }

    pub fn file(&self, path: &str) -> Option<Arc<str>> {
        self.names.files.get(path.strip_prefix("./").unwrap_or(path)).cloned()
    }

    /// The words of an assigned value: one, or those of `( … )`.
    pub fn assigned(&self, value: &Word, dialect: Dialect, left: &mut usize) -> Vec<String> {
        let list = value.value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).filter(|_| !value.fixed);
        if let Some(list) = list {
            let parsed = line::parse(list, dialect);
            let words = parsed.commands.iter().flat_map(|command| command.words.iter());
            return words.take(MAX_WORDS + 1).map(|word| self.text(word, dialect, left)).collect();
        }
        vec![self.text(value, dialect, left)]
    }

    fn text(&self, word: &Word, dialect: Dialect, left: &mut usize) -> String {
        if word.fixed { word.value.clone() } else { self.replaced(&word.value, dialect, left, 0) }
    }

    /// The words as the command gets them, as far as known. Their spans are ranges of `text`; `left` are the bytes that expansion may still
    /// produce.
    pub fn expand(&self, words: &[Word], text: &str, dialect: Dialect, left: &mut usize) -> Vec<Word> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            if word.fixed || *left == 0 {
                expanded.push(word.clone());
                continue;
            }
            let made = self.word(word, text, dialect, left);
            *left = left.saturating_sub(made.iter().map(|word| word.value.len() + 1).sum());
            expanded.extend(made);
        }
        expanded
    }

    fn word(&self, word: &Word, text: &str, dialect: Dialect, left: &mut usize) -> Vec<Word> {
        let again = |value: String| Word { span: word.span.clone(), fixed: is_fixed(&value), value };
        if let Some(list) = self.list(&word.value) {
            // A list is copied wherever it is named: beyond the budget it stays unknown, and so does all that follows.
            if list.iter().map(|value| value.len() + 1).sum::<usize>() > *left {
                *left = 0;
                return vec![word.clone()];
            }
            return list.iter().cloned().map(again).collect();
        }
        let raw = text.get(word.span.clone()).unwrap_or_default();
        let value = self.replaced(&word.value, dialect, left, 0);
        let changed = value != word.value;
        let bare = !raw.contains(['"', '\'']);
        let parts = self.value("IFS").filter(|parts| !parts.is_empty()).unwrap_or_else(|| " \t\n".to_owned());
        let parts: Vec<char> = parts.chars().collect();
        if changed && bare && value.contains(parts.as_slice()) && !word.value.contains(parts.as_slice()) {
            let words = value.split(parts.as_slice()).filter(|part| !part.is_empty());
            return words.take(MAX_WORDS).map(|part| again(part.to_owned())).collect();
        }
        if bare && value.contains('{') && value.contains(',') && !value.contains("${") {
            return braces(&value).into_iter().map(again).collect();
        }
        if changed { vec![again(value)] } else { vec![word.clone()] }
    }

    /// A word that stands for a whole list.
    fn list(&self, value: &str) -> Option<&[String]> {
        if matches!(value, "$@" | "$*" | "${@}" | "${*}" | "$argv") {
            return self.positional.as_deref();
        }
        let name = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or(value.strip_prefix('$'))?;
        let all = name.strip_suffix("[@]").or(name.strip_suffix("[*]"));
        let words = self.names.values.get(all.unwrap_or(name))?;
        (all.is_some() || words.len() > 1).then_some(words)
    }

    /// Replaces known `$x`, `${x:-y}` and `$(echo y)`.
    fn replaced(&self, text: &str, dialect: Dialect, left: &mut usize, depth: usize) -> String {
        let mut made = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['$', '`']).filter(|_| *left > 0) {
            made.push_str(rest.get(..at).unwrap_or_default());
            let here = rest.get(at..).unwrap_or_default();
            let (value, length) = self.expansion(here, dialect, left, depth);
            match value.filter(|value| made.len() + value.len() <= MAX_VALUE && value.len() <= *left) {
                Some(value) => {
                    *left = left.saturating_sub(value.len());
                    made.push_str(&value);
                }
                None => made.push_str(here.get(..length).unwrap_or_default()),
            }
            rest = here.get(length..).unwrap_or_default();
        }
        made.push_str(rest);
        made
    }

    /// The value of the expansion here, if known, and its length. Begins with `$` or a backquote.
    fn expansion(&self, here: &str, dialect: Dialect, left: &mut usize, depth: usize) -> (Option<String>, usize) {
        if here.starts_with('`') {
            let Some(end) = window(here, 1).find('`') else {
                *left = left.saturating_sub(MAX_VALUE);
                return (None, 1);
            };
            *left = left.saturating_sub(end);
            let script = here.get(1..1 + end).unwrap_or_default();
            return (known_output::substituted(script, dialect), end + 2);
        }
        let behind = window(here, 1);
        if behind.starts_with("((") {
            return (None, 2);
        }
        if let Some(inside) = behind.strip_prefix('(') {
            let Some(end) = closing(inside, '(', ')') else {
                *left = left.saturating_sub(inside.len());
                return (None, 2);
            };
            *left = left.saturating_sub(end);
            let script = inside.get(..end).unwrap_or_default();
            let known = if depth < MAX_DEPTH { self.substitution(script, dialect, left, depth) } else { None };
            return (known, end + 3);
        }
        if let Some(inside) = behind.strip_prefix('{') {
            let Some(end) = closing(inside, '{', '}') else {
                *left = left.saturating_sub(inside.len());
                return (None, 2);
            };
            let parameter = inside.get(..end).unwrap_or_default();
            return (self.parameter(parameter, dialect, left, depth), end + 3);
        }
        let digits = usize::from(behind.starts_with(|letter: char| letter.is_ascii_digit()));
        let name = behind.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let length = if digits > 0 { digits } else { name };
        let name = behind.get(..length).unwrap_or_default();
        match behind.chars().next() {
            Some('@' | '*') => (self.positional.as_ref().map(|words| words.join(" ")), 2),
            Some(_) if length > 0 => (self.named(name), length + 1),
            _ => (None, 1),
        }
    }

    fn substitution(&self, script: &str, dialect: Dialect, left: &mut usize, depth: usize) -> Option<String> {
        if let Some(known) = known_output::substituted(script, dialect) {
            return Some(known);
        }
        let plain = script.contains('$') && ["echo ", "printf ", "print "].iter().any(|name| script.starts_with(name));
        if !plain {
            return None;
        }
        known_output::substituted(&self.replaced(script, dialect, left, depth + 1), dialect)
    }

    fn named(&self, name: &str) -> Option<String> {
        if let Ok(number) = name.parse::<usize>() {
            return self.positional.as_ref()?.get(number.checked_sub(1)?).cloned();
        }
        self.value(name)
    }

    /// `x`, `x:-y`, `!x`, between the braces.
    fn parameter(&self, text: &str, dialect: Dialect, left: &mut usize, depth: usize) -> Option<String> {
        if let Some(name) = text.strip_prefix('!') {
            return self.value(&self.value(name)?);
        }
        let name = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let (name, rest) = text.split_at_checked(name)?;
        let known = self.named(name);
        let operator = rest.trim_start_matches(':');
        match operator.chars().next() {
            None => known,
            Some('-' | '=') if known.is_none() && depth < MAX_DEPTH => {
                let word = operator.get(1..)?.trim_matches('"').trim_matches('\'');
                Some(self.replaced(word, dialect, left, depth + 1))
            }
            Some('-' | '=' | '?') => known,
            Some('[') if matches!(operator, "[@]" | "[*]" | "[0]") => known,
            Some(_) => None,
        }
    }
}

/// The text that may belong to an expansion that begins here: at most the size of one value.
fn window(text: &str, from: usize) -> &str {
    let end = text.floor_char_boundary(MAX_VALUE);
    text.get(from..end).unwrap_or_default()
}

/// Where an already open bracket is closed; skips quotes.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let (mut deep, mut quote) = (0usize, None);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(letters.next()),
            (Some(open), letter) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (_, letter) if letter == open => deep += 1,
            (_, letter) if letter == close && deep == 0 => return Some(at),
            (_, letter) if letter == close => deep -= 1,
            _ => {}
        }
    }
    None
}

/// Whether nothing in it is left to expand.
fn is_fixed(value: &str) -> bool {
    let braces = value.contains('{') && value.contains(',');
    !braces && !value.contains(['$', '`', '*', '?', '[']) && !value.starts_with('~')
}

/// Expands `a{b,c}d`.
pub fn braces(word: &str) -> Vec<String> {
    let mut words = vec![word.to_owned()];
    // Each iteration expands the first remaining pair.
    for _ in 0..MAX_DEPTH {
        let mut opened = Vec::new();
        for word in &words {
            match first_braces(word) {
                Some(made) => opened.extend(made),
                None => opened.push(word.clone()),
            }
        }
        if opened.len() > MAX_WORDS || opened == words {
            break;
        }
        words = opened;
    }
    words
}

fn first_braces(word: &str) -> Option<Vec<String>> {
    let open = word.find('{')?;
    let inside = word.get(open + 1..)?;
    let close = closing(inside, '{', '}')?;
    let (list, behind) = (inside.get(..close)?, inside.get(close + 1..)?);
    let before = word.get(..open)?;
    let mut parts = Vec::new();
    let (mut deep, mut from) = (0usize, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => deep += 1,
            '}' => deep = deep.saturating_sub(1),
            ',' if deep == 0 => {
                parts.push(list.get(from..at)?);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list.get(from..)?);
    (parts.len() > 1).then(|| parts.into_iter().map(|part| format!("{before}{part}{behind}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(scope: &Scope, line: &str) -> Vec<String> {
        let parsed = line::parse(line, Dialect::Bash);
        let words = scope.expand(&parsed.commands[0].words, line, Dialect::Bash, &mut 10_000);
        words.into_iter().map(|word| word.value).collect()
    }

    #[test]
    fn what_is_known_takes_the_place_of_its_name() {
        let mut scope = Scope::default();
        scope.assign("d", vec!["/srv".to_owned()]);
        scope.assign("c", vec!["rm -rf".to_owned()]);
        scope.assign("n", vec!["d".to_owned()]);
        scope.assign("l", vec!["rm".to_owned(), "a b".to_owned()]);
        scope.positional = Some(Arc::new(["-f".to_owned(), "x".to_owned()]));
        let cases: [(&str, &[&str]); 22] = [
            ("ls $d", &["ls", "/srv"]),
            ("ls \"${d}/x\"", &["ls", "/srv/x"]),
            ("ls '$d'", &["ls", "$d"]),
            ("ls ${d:-/x}", &["ls", "/srv"]),
            ("ls ${y:-/x}", &["ls", "/x"]),
            ("ls ${y:-$d}", &["ls", "/srv"]),
            ("ls ${y-}", &["ls", ""]),
            ("ls ${y%x}", &["ls", "${y%x}"]),
            ("ls ${!n}", &["ls", "/srv"]),
            ("ls $y", &["ls", "$y"]),
            ("$c $d", &["rm", "-rf", "/srv"]),
            ("\"$c\" x", &["rm -rf", "x"]),
            ("\"${l[@]}\"", &["rm", "a b"]),
            ("rm \"$@\"", &["rm", "-f", "x"]),
            ("rm $2 $1", &["rm", "x", "-f"]),
            ("ls $(echo a)", &["ls", "a"]),
            ("ls $(echo $d)", &["ls", "/srv"]),
            ("ls `echo a`", &["ls", "a"]),
            ("ls $(date)", &["ls", "$(date)"]),
            ("ls /{a,b}/c", &["ls", "/a/c", "/b/c"]),
            ("ls a{b,{c,d}}", &["ls", "ab", "ac", "ad"]),
            ("ls {} {a} '{a,b}'", &["ls", "{}", "{a}", "{a,b}"]),
        ];
        for (line, words) in cases {
            assert_eq!(expanded(&scope, line), words, "{line}");
        }
    }

    #[test]
    fn values_do_not_grow_without_bound() {
        let mut scope = Scope::default();
        scope.assign("x", vec!["y".repeat(1000)]);
        let mut left = 3000;
        let line = format!("ls {}", "$x ".repeat(1000));
        let parsed = line::parse(&line, Dialect::Bash);
        let words = scope.expand(&parsed.commands[0].words, &line, Dialect::Bash, &mut left);
        assert!(words.iter().map(|word| word.value.len()).sum::<usize>() < 10_000);
        assert!(braces(&"{a,b}".repeat(20)).len() <= MAX_WORDS);
    }
}
