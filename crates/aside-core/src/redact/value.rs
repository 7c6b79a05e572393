//! Whether what stands where a secret would stand is one. A placeholder, a variable, a type or a path is none.

use crate::redact::REDACTED;

/// How much a value must look like a secret, by what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A password may be any word.
    Password,
    Secret,
    /// Made by a machine: an ordinary word is none.
    Token,
    /// What it is called says little, so that it must look like nothing else.
    Random,
}

/// Bytes of a value in which it may say that it is none.
const MAX_PLACEHOLDER: usize = 200;

/// What people write where a secret is to be filled in, and what says that there is one.
const PLACEHOLDERS: &[&str] = &[
    "",
    "abc",
    "abcdef",
    "any",
    "array",
    "await",
    "basic",
    "bearer",
    "blank",
    "bool",
    "boolean",
    "bytes",
    "change_it",
    "change_me",
    "changeit",
    "changeme",
    "char",
    "const",
    "default",
    "digest",
    "disabled",
    "dummy",
    "empty",
    "enabled",
    "encrypted",
    "example",
    "expired",
    "failed",
    "false",
    "field",
    "foo",
    "foobar",
    "foo-bar",
    "function",
    "generated",
    "hidden",
    "incorrect",
    "inherit",
    "int",
    "integer",
    "invalid",
    "key",
    "let",
    "masked",
    "missing",
    "mysecret",
    "mytoken",
    "n/a",
    "new",
    "nil",
    "no",
    "none",
    "not",
    "null",
    "number",
    "object",
    "off",
    "on",
    "opaque",
    "optional",
    "option",
    "pass",
    "passwd",
    "password",
    "placeholder",
    "private",
    "public",
    "pw",
    "redacted",
    "removed",
    "required",
    "result",
    "return",
    "secret",
    "self",
    "some",
    "str",
    "string",
    "stdin",
    "symbol",
    "test",
    "text",
    "tbd",
    "todo",
    "token",
    "true",
    "undefined",
    "unset",
    "unknown",
    "user",
    "username",
    "uuid",
    "value",
    "var",
    "varchar",
    "void",
    "with",
    "wrong",
    "xxx",
    "yes",
    "yourpassword",
];

/// What appears inside of a placeholder and of no secret.
const TELLTALES: &[&str] = &[
    "your-",
    "your_",
    "yourapi",
    "yourtoken",
    "yoursecret",
    "yourkey",
    "yourpass",
    "my-api",
    "my_api",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "replace-",
    "replace_",
    "insert-",
    "insert_",
    "-here",
    "_here",
    "redacted",
    "<your",
    "dummy",
    "xxxx",
    "****",
    "....",
    "••••",
    "___",
    "…",
    "process.env",
    "os.environ",
    "getenv",
    "env.var",
    "secrets.",
    "import.meta",
    "${{",
    "{{",
    "#{",
    "%(",
];

/// Words of sentences, which follow a name without being its value.
const PROSE: &[&str] = &[
    "a",
    "also",
    "an",
    "and",
    "are",
    "argument",
    "arguments",
    "as",
    "at",
    "be",
    "because",
    "but",
    "by",
    "bytes",
    "can",
    "cannot",
    "characters",
    "does",
    "error",
    "failed",
    "field",
    "fields",
    "file",
    "files",
    "flag",
    "flags",
    "for",
    "from",
    "has",
    "have",
    "header",
    "headers",
    "if",
    "in",
    "incorrect",
    "instead",
    "into",
    "invalid",
    "is",
    "it",
    "its",
    "long",
    "may",
    "mismatch",
    "missing",
    "must",
    "need",
    "needs",
    "no",
    "not",
    "of",
    "on",
    "only",
    "option",
    "options",
    "or",
    "parameter",
    "prompt",
    "required",
    "reset",
    "set",
    "should",
    "that",
    "the",
    "this",
    "to",
    "too",
    "use",
    "used",
    "using",
    "was",
    "when",
    "which",
    "will",
    "with",
    "works",
    "would",
    "wrong",
    "you",
    "your",
];

pub fn fits(class: Class, value: &str) -> bool {
    if is_placeholder(value) {
        return false;
    }
    match class {
        Class::Password => value.chars().nth(1).is_some() && !is_type(value),
        Class::Secret => value.len() >= 4 && !is_type(value) && !is_path(value),
        Class::Token => is_token(value) && !is_path(value),
        Class::Random => is_random(value),
    }
}

pub fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    if value.contains(REDACTED) {
        // What is left of it may be half of a secret that was found.
        return value.replace(REDACTED, "").chars().filter(|letter| letter.is_alphanumeric()).count() < 4;
    }
    let plain = value.trim_matches(|letter: char| ".,;:!?()\"'`".contains(letter));
    // A placeholder says so at its beginning.
    let low = plain.get(..plain.floor_char_boundary(MAX_PLACEHOLDER)).unwrap_or(plain).to_ascii_lowercase();
    let mut letters = plain.chars();
    let first = letters.next();
    PLACEHOLDERS.contains(&low.as_str())
        // `aaaa`, `********`
        || letters.all(|letter| Some(letter) == first)
        || value.starts_with(['$', '(', '`'])
        || value.starts_with('%') && value.len() <= 3
        || value.starts_with("&#")
        || value.starts_with("&lt;")
        || is_within(value, '<', '>') || is_within(value, '[', ']') || is_within(value, '{', '}')
        || is_within(value, '%', '%')
        || value.starts_with("!") && value.get(1..).is_some_and(|tag| tag.chars().all(|letter| letter.is_ascii_lowercase()))
        || value.starts_with(".*") || value.starts_with(".+") || value.starts_with("[^") || value.starts_with("\\S")
        || ["env:", "file:", "fd:", "@/", "@~", "op://", "vault:", "arn:", "ref+"].iter().any(|start| low.starts_with(start))
        || low.ends_with("example") || low.ends_with("examplekey")
        || TELLTALES.iter().any(|telltale| low.contains(telltale))
        || is_url(value)
        || is_only_variables(value)
}

/// `"$USER"`, `${A}:${B}`, `$(pass show x)`
fn is_only_variables(value: &str) -> bool {
    let mut rest = value;
    let mut variables = 0;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        if before.chars().any(char::is_alphanumeric) {
            return false;
        }
        let after = after.get(1..).unwrap_or_default();
        let end = match after.chars().next() {
            Some('{') => after.find('}').map(|end| end + 1),
            Some('(') => after.rfind(')').map(|end| end + 1),
            _ => after.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'),
        };
        rest = after.get(end.unwrap_or(after.len())..).unwrap_or_default();
        variables += 1;
    }
    variables > 0 && !rest.chars().any(char::is_alphanumeric)
}

fn is_within(value: &str, open: char, close: char) -> bool {
    value.starts_with(open) && value.ends_with(close)
}

fn is_url(value: &str) -> bool {
    let Some((scheme, rest)) = value.split_once("://") else { return false };
    !rest.is_empty()
        && scheme.len() <= 12
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(&byte))
}

pub fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/"].iter().any(|root| value.starts_with(root));
    let inner = value.trim_start_matches(['.', '~', '/']);
    rooted && value.len() > 1 && (inner.contains(['/', '.']) || inner.len() < 16)
        || [
            "pem", "key", "crt", "json", "txt", "yml", "yaml", "env", "toml", "p12", "jks", "cfg", "conf", "md", "rs",
            "py", "js", "ts",
        ]
        .iter()
        .any(|end| {
            value.rsplit_once('.').is_some_and(|(stem, found)| {
                found == *end && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
            })
        })
}

/// `Option<String>`, `&str`, `number[]`: what a declaration says behind the colon.
pub fn is_type(value: &str) -> bool {
    let name = value.trim_start_matches(['&', '*', '?']).trim_end_matches(['?', ';', ',', ')', '{', ']', '[']);
    let generic = name.split_once('<').is_some_and(|(outer, inner)| is_identifier(outer) && inner.ends_with('>'));
    generic
        || value.starts_with('&') && is_identifier(name)
        || PLACEHOLDERS.contains(&name.to_ascii_lowercase().as_str())
}

/// Code that gives a value: `getToken(user)`, `settings.API_KEY`, `environ["X"]`.
pub fn is_expression(value: &str) -> bool {
    let value = value.trim_end_matches([';', ',']);
    let end =
        value.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.' && letter != ':');
    let (head, rest) = value.split_at(end.unwrap_or(value.len()));
    let dotted = head.contains(['.', ':']) && head.split(['.', ':']).all(|part| part.is_empty() || is_identifier(part));
    is_identifier(head) && rest.starts_with(['(', '['])
        || dotted && (rest.is_empty() || rest.starts_with(['(', '[', ')', '?', '!', ' ']))
}

pub fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_' || first == '$')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

pub fn is_prose(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_ascii_lowercase();
    PROSE.contains(&word.as_str()) || PLACEHOLDERS.contains(&word.as_str())
}

/// Not an ordinary word or a number: somebody chose it to be hard to guess.
pub fn is_chosen(value: &str) -> bool {
    let has = |test: fn(&char) -> bool| value.chars().any(|letter| test(&letter));
    let letters = has(|letter| letter.is_alphabetic());
    let inner = value.get(..value.len().saturating_sub(1)).unwrap_or(value);
    let symbol = inner.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=']);
    let capitals =
        value.chars().skip(1).any(|letter| letter.is_ascii_uppercase()) && has(|letter| letter.is_ascii_lowercase());
    value.len() >= 4
        && letters
        && !is_placeholder(value)
        && (has(|letter| letter.is_ascii_digit()) || symbol || capitals)
}

/// Long enough, and more than one ordinary word.
pub fn is_token(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let upper = value.bytes().any(|byte| byte.is_ascii_uppercase());
    let one_piece = value.bytes().all(|byte| byte.is_ascii_graphic());
    one_piece
        && value.len() >= 8
        && !is_placeholder(value)
        && (digits > 0 && letters > 0 || value.len() >= 16 && lower && upper && !is_words(value))
}

/// Drawn by a machine, as far as one can tell.
pub fn is_random(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    let body = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/_-.".contains(&byte));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    body && value.len() >= 16 && digits > 0 && variety(value) >= 8 && !is_words(value) && !is_placeholder(value)
}

/// How many different characters there are.
pub fn variety(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// `ThisIsAnIdentifier2`, `left-pad-1-3-0`: pieces long enough to be words, with vowels in them.
pub fn is_words(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (mut pieces, mut numbers, mut letters, mut vowels) = (0, 0, 0, 0);
    let mut before = b'_';
    for &byte in bytes {
        let begins = match byte {
            // A capital and the small letters behind it are one piece, and so are capitals.
            b'a'..=b'z' => !before.is_ascii_alphabetic(),
            b'A'..=b'Z' => !before.is_ascii_uppercase(),
            b'0'..=b'9' => !before.is_ascii_digit(),
            _ => false,
        };
        let letter = byte.is_ascii_alphabetic();
        pieces += usize::from(begins && letter);
        numbers += usize::from(begins && !letter);
        letters += usize::from(letter);
        vowels += usize::from(b"aeiouyAEIOUY".contains(&byte));
        before = byte;
    }
    pieces > 0 && letters >= 4 * pieces && numbers <= 1 + pieces / 2 && vowels * 5 >= letters
}
