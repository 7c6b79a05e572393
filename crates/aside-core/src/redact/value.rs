//! How much a value looks like a secret. What says that it is none (placeholders, references) is in `placeholder`.

use crate::redact::placeholder::{is_label, is_placeholder};
use crate::redact::vocabulary::words;

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

/// How unlike an ordinary word a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    Word,
    /// Several words as one, or letters without vowels.
    Soft,
    /// Letters with digits or symbols among them.
    Chosen,
    /// Letters, digits and more, or drawn by a machine.
    Strong,
}

/// Bytes of a value that is worth a look.
const MAX_VALUE: usize = 4096;

const EXTENSIONS: &[&str] = &[
    "pem",
    "key",
    "crt",
    "cer",
    "csr",
    "der",
    "json",
    "txt",
    "yml",
    "yaml",
    "env",
    "toml",
    "p12",
    "pfx",
    "p8",
    "jks",
    "keystore",
    "cfg",
    "conf",
    "cnf",
    "ini",
    "md",
    "rs",
    "py",
    "js",
    "ts",
    "tsx",
    "jsx",
    "go",
    "java",
    "kt",
    "rb",
    "php",
    "sh",
    "sql",
    "xml",
    "html",
    "csv",
    "log",
    "gpg",
    "asc",
    "kdbx",
    "so",
    "exe",
    "dll",
    "zip",
    "gz",
    "tar",
    "tgz",
    "tf",
    "tfvars",
    "lock",
    "service",
    "properties",
    "plist",
    "swift",
    "cpp",
    "h",
    "c",
    "png",
    "jpg",
    "pdf",
    "db",
    "sqlite",
    "bak",
    "pub",
    "ppk",
    "ovpn",
    "age",
    "enc",
    "sops",
    "vault",
    "keytab",
    "mobileprovision",
    "dmp",
    "jar",
    "war",
    "deb",
    "rpm",
    "iso",
    "img",
    "whl",
    "svg",
    "css",
    "scss",
    "vue",
    "lua",
    "pl",
    "ps1",
    "bat",
    "cmd",
    "cs",
    "vb",
    "r",
    "ipynb",
    "tex",
    "rst",
    "adoc",
    "proto",
    "graphql",
    "gradle",
    "kts",
    "snap",
    "patch",
    "diff",
];

const ENDINGS_OF_HOSTS: &[&str] = &[
    "com",
    "net",
    "org",
    "io",
    "dev",
    "app",
    "lan",
    "local",
    "internal",
    "corp",
    "home",
    "localdomain",
    "cloud",
    "edu",
    "gov",
    "info",
    "biz",
    "ai",
    "co",
    "me",
    "tv",
    "de",
    "fr",
    "it",
    "es",
    "nl",
    "be",
    "ch",
    "at",
    "uk",
    "us",
    "ca",
    "jp",
    "cn",
    "kr",
    "in",
    "br",
    "pl",
    "tr",
    "ru",
    "se",
    "no",
    "fi",
    "dk",
    "cz",
    "eu",
    "example",
    "test",
    "invalid",
    "svc",
    "intern",
    "arpa",
];

pub fn fits(class: Class, value: &str) -> bool {
    if is_placeholder(value) || value.len() > MAX_VALUE {
        return false;
    }
    match class {
        Class::Password => {
            value.chars().nth(1).is_some()
                && !is_version(value)
                && !is_type(value)
                && !is_path(value)
                && !is_label(value)
                && !has_ideographs(value)
        }
        Class::Secret => {
            value.len() >= 4 && !is_type(value) && !is_path(value) && !is_label(value) && !has_ideographs(value)
        }
        Class::Token => is_token(value) && !is_path(value) && !is_host(&value.to_ascii_lowercase()),
        Class::Random => is_random(value) && !is_code(value) && !is_small_path(value) || is_basic_pair(value),
    }
}

/// None for what is no value at all: a placeholder, a number, a date, an address, a file.
pub fn strength(value: &str) -> Option<Strength> {
    if value.len() > MAX_VALUE || is_placeholder(value) || is_ordinary(value) || has_ideographs(value) {
        return None;
    }
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let upper = value.chars().any(char::is_uppercase);
    let lower = value.chars().any(char::is_lowercase);
    let symbol = has_symbol(value);
    if letters == 0 || value.chars().count() < 4 {
        return Some(Strength::Word);
    }
    let long = value.len() >= 6;
    Some(match () {
        () if digits > 0 && long && (symbol || upper && lower) || is_random(value) => Strength::Strong,
        () if digits > 0 || symbol => Strength::Chosen,
        () if has_inner_capital(value) || is_compound(value) || is_unpronounceable(value) => Strength::Soft,
        () => Strength::Word,
    })
}

/// A symbol that passwords have and ordinary words have not, not at the end of a sentence.
fn has_symbol(value: &str) -> bool {
    let inner = value.trim_end_matches(['!', '?', '.', ',', ';', ':', ')', '*', '+', '=']);
    inner.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~', '|'])
}

fn has_inner_capital(value: &str) -> bool {
    value.chars().zip(value.chars().skip(1)).any(|(one, two)| one.is_lowercase() && two.is_uppercase())
}

/// `hase-im-feld`, `ambar.sayim`, `martilar_ucar`
fn is_compound(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.']).collect();
    parts.len() > 1 && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric))
}

/// Sixteen letters without a vowel among any six: an app password.
fn is_unpronounceable(value: &str) -> bool {
    let mut longest = 0;
    let mut run = 0;
    for letter in value.bytes() {
        run = if letter.is_ascii_alphabetic() && !b"aeiouyAEIOUY".contains(&letter) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest >= 6 || value.len() >= 12 && longest >= 5
}

/// Chinese, Japanese and Korean letters: people type passwords in ASCII there.
pub fn has_ideographs(value: &str) -> bool {
    if !value.is_empty() && value.chars().all(|letter| letter.is_alphabetic() && !letter.is_ascii() || letter == ' ') {
        return true;
    }
    value
        .chars()
        .any(|letter| matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}'))
}

/// A number, a date, a version, an address, a file, the name of an algorithm.
pub fn is_ordinary(value: &str) -> bool {
    let plain = value.trim_matches(|letter: char| "\"'`()[]{}.,;:*_<>‘’“”".contains(letter));
    let bytes = plain.as_bytes();
    let low = plain.to_ascii_lowercase();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    // `8-20`, `2024-01-01`, `10:15`, `+4.5%`, `10.0.0.1:80`
    let number = letters == 0 && bytes.iter().all(|byte| byte.is_ascii_digit() || b"-.:,/+%()~xX ".contains(byte));
    // `12ch`, `30min`, `1st`, `64-bit`, `2x`
    let unit = bytes.first().is_some_and(u8::is_ascii_digit) && letters <= 5 && {
        let rest = low.trim_start_matches(|letter: char| letter.is_ascii_digit() || ".,-+".contains(letter));
        [
            "s", "ms", "m", "h", "d", "w", "y", "kb", "mb", "gb", "tb", "k", "g", "b", "bit", "bits", "byte", "bytes",
            "char", "chars", "st", "nd", "rd", "th", "x", "px", "min", "sec", "days", "day", "hrs", "fa", "gib", "mib",
            "kib", "am", "pm", "utc",
        ]
        .contains(&rest)
    };
    number
        || unit
        || is_version(&low)
        || is_term(&low, digits)
        || is_email(plain)
        || is_host(&low)
        || is_path(plain)
        || is_file(plain)
        || is_code(value)
        || plain.contains('/') && (!is_random(plain) || is_small_path(plain))
        || is_pairs_of_hex(plain)
        || is_day(bytes)
        || low.starts_with("--")
        || low.starts_with("0x") && plain.len() < 12
        || plain.starts_with("S-1-5-")
        || is_mac(bytes)
}

/// `2024-01-01T10:00:00Z`
fn is_day(bytes: &[u8]) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..4).all(digit)
        && bytes.get(4) == Some(&b'-')
        && digit(5)
        && digit(6)
        && bytes.get(7) == Some(&b'-')
        && digit(8)
        && digit(9)
}

/// `keyid:06:B5:A4:…`: a fingerprint.
fn is_pairs_of_hex(value: &str) -> bool {
    let pairs = value
        .split(':')
        .rev()
        .take_while(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .count();
    pairs >= 6
}

fn is_mac(bytes: &[u8]) -> bool {
    bytes.len() >= 17
        && bytes.chunks(3).all(|three| {
            three.iter().take(2).all(u8::is_ascii_hexdigit) && three.get(2).is_none_or(|byte| b":-".contains(byte))
        })
}

fn is_version(low: &str) -> bool {
    let rest = low.strip_prefix('v').unwrap_or(low);
    let rest = rest.trim_start_matches("rc").trim_start_matches("release-");
    let head: &str = rest.split(['-', '+', 'a', 'b', 'r']).next().unwrap_or_default();
    !head.is_empty() && head.contains('.') && head.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        || low.starts_with('v') && rest.len() <= 3 && rest.bytes().all(|byte| byte.is_ascii_digit()) && !rest.is_empty()
}

/// `sha-256`, `rs256`, `utf8`, `oauth2`, `python3`, `x509`: a word of the trade with a number.
fn is_term(low: &str, digits: usize) -> bool {
    const TERMS: &[&str] = &[
        "sha",
        "sha2",
        "md",
        "aes",
        "rsa",
        "dsa",
        "hmac",
        "hs",
        "rs",
        "es",
        "ps",
        "ed",
        "utf",
        "latin",
        "base",
        "oauth",
        "http",
        "https",
        "ipv",
        "tls",
        "tlsv",
        "ssl",
        "sslv",
        "pbkdf",
        "argon",
        "wpa",
        "python",
        "php",
        "java",
        "node",
        "mp",
        "ext",
        "x",
        "pkcs",
        "secp",
        "curve",
        "blake",
        "crc",
        "des",
        "rc",
        "chacha",
        "poly",
        "win",
        "windows",
        "ubuntu",
        "debian",
        "centos",
        "rhel",
        "mysql",
        "ec",
        "s",
        "k",
        "p",
        "i",
        "n",
        "w",
        "h",
        "v",
        "api",
        "web",
        "fido",
        "u",
        "iso",
        "rfc",
        "cve",
        "step",
        "day",
        "week",
        "part",
        "test",
        "user",
        "line",
        "page",
        "q",
        "ps",
        "eth",
        "wlan",
        "ens",
        "sda",
        "nvme",
        "tty",
        "sms",
        "kdf",
        "cbc",
        "gcm",
        "int",
        "uint",
        "float",
        "size",
        "len",
        "vlan",
        "room",
        "level",
        "type",
        "phase",
        "id",
        "log4j",
        "db",
        "dc",
        "esx",
        "srv",
        "host",
        "gpt",
        "figure",
        "chapter",
        "section",
        "table",
        "form",
        "case",
        "issue",
        "pr",
        "bug",
        "ticket",
        "jira",
        "office",
        "word",
        "excel",
        "vs",
        "kb",
        "bitlocker",
        "ntlmv",
        "snmpv",
        "smbv",
        "imap",
        "pop",
        "mschapv",
        "bcrypt",
        "sm",
        "gb",
        "pm",
        "log",
        "c",
        "d",
        "f",
        "g",
        "a",
        "b",
        "e",
        "r",
        "t",
        "l",
        "m",
        "o",
        "y",
        "z",
        "j",
    ];
    let head = low.trim_end_matches(|letter: char| letter.is_ascii_digit() || "-_.".contains(letter));
    digits > 0 && digits <= 4 && TERMS.contains(&head)
}

fn is_email(value: &str) -> bool {
    let Some((local, domain)) = value.rsplit_once('@') else { return false };
    let domain = domain.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
    local.len() > 1
        && !local.contains(['@', ':', '/', '!', '#', '$', '%', '^', '&', '*'])
        && is_host(&domain.to_ascii_lowercase())
}

fn is_host(low: &str) -> bool {
    let host = low.split([':', '/']).next().unwrap_or_default();
    let Some((stem, end)) = host.rsplit_once('.') else { return false };
    ENDINGS_OF_HOSTS.contains(&end)
        && !stem.is_empty()
        && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
}

/// Brackets of a call, an arrow, a path of names: no password that anybody chose.
fn is_code(value: &str) -> bool {
    value.contains("()")
        || value.contains("->")
        || value.contains("::")
        || value.contains("=>")
        || value.contains("</")
        || value.contains("&&")
        || value.contains("||")
        || value.trim_end_matches('=').contains("==")
        || value.contains("!=")
        || value.starts_with(['<', '{', '|', '\\']) && !value.bytes().any(|byte| byte.is_ascii_digit())
        || value
            .find('(')
            .is_some_and(|open| open > 0 && value.get(..open).is_some_and(|head| head.split('.').all(is_identifier)))
}

/// `pki/issue/consul-dc1`: base64 has capitals too.
fn is_small_path(value: &str) -> bool {
    value.contains('/')
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/_-.:".contains(&byte))
}

pub fn is_path(value: &str) -> bool {
    // Base64 may begin with a slash.
    if value.ends_with('=') && is_random(value) {
        return false;
    }
    let rooted =
        ["/", "./", "../", "~/", "C:\\", "D:\\", "\\\\", "${", "c:/"].iter().any(|root| value.starts_with(root));
    let inner = value.trim_start_matches(['.', '~', '/']);
    rooted && value.len() > 1 && (inner.contains(['/', '.', '\\']) || inner.len() < 16) || is_file(value)
}

fn is_file(value: &str) -> bool {
    value.rsplit_once('.').is_some_and(|(stem, found)| {
        EXTENSIONS.contains(&found)
            && !stem.is_empty()
            && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-*\\:~$".contains(&byte))
    })
}

/// `Option<String>`, `&str`, `number[]`: what a declaration says behind the colon.
pub fn is_type(value: &str) -> bool {
    let name = value.trim_start_matches(['&', '*', '?']).trim_end_matches(['?', ';', ',', ')', '{', ']', '[']);
    let generic = name.split_once('<').is_some_and(|(outer, inner)| is_identifier(outer) && inner.ends_with('>'));
    generic
        || value.starts_with('&') && is_identifier(name)
        || words().placeholders.contains(name.to_ascii_lowercase().as_str())
}

/// Code that gives a value: `getToken(user)`, `settings.API_KEY`, `environ["X"]`, `Read-Host`.
pub fn is_expression(value: &str) -> bool {
    let value = value.trim_end_matches([';', ',']);
    let end =
        value.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.' && letter != ':');
    let (head, rest) = value.split_at(end.unwrap_or(value.len()));
    let dotted = head.contains(['.', ':']) && head.split(['.', ':']).all(|part| part.is_empty() || is_identifier(part));
    is_identifier(head) && rest.starts_with(['(', '['])
        || dotted && (rest.is_empty() || rest.starts_with(['(', '[', ')', '?', '!', ' ']))
        || is_cmdlet(value)
}

/// `Get-Secret -Name X`: a verb and a noun of PowerShell, with arguments.
fn is_cmdlet(value: &str) -> bool {
    const VERBS: &[&str] =
        &["Get", "Read", "ConvertTo", "ConvertFrom", "New", "Import", "Invoke", "Select", "Unprotect", "Set"];
    let first = value.split_whitespace().next().unwrap_or_default();
    first.split_once('-').is_some_and(|(verb, noun)| {
        VERBS.contains(&verb)
            && noun.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase())
            && noun.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

pub fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_' || first == '$')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

pub fn is_prose(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    words().prose.contains(word.as_str()) || words().placeholders.contains(word.as_str())
}

/// Words with blanks between them, in quotes where a password stands: no code, no label, no list of options.
pub fn is_passphrase(value: &str) -> bool {
    let words = value.split_whitespace().count();
    (2..=12).contains(&words)
        && value.len() <= 200
        && value.chars().any(char::is_alphabetic)
        && !value.contains(['$', '(', '{', '<', '=', '"', '`', '|', '/'])
        && !value.starts_with('-')
        && !value.contains(" -")
        && !is_placeholder(value)
        && !is_label(value)
}

/// Not an ordinary word or a number: chosen to be hard to guess.
pub fn is_chosen(value: &str) -> bool {
    let letters = value.chars().any(char::is_alphabetic);
    let inner = value.get(..value.floor_char_boundary(value.len().saturating_sub(1))).unwrap_or(value);
    let symbol = inner.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=']);
    value.len() >= 4
        && letters
        && !is_placeholder(value)
        && (value.bytes().any(|byte| byte.is_ascii_digit()) || symbol || has_inner_capital(value) || is_mixed(value))
}

/// Capitals behind the first letter, and small letters.
fn is_mixed(value: &str) -> bool {
    value.chars().skip(1).any(|letter| letter.is_ascii_uppercase())
        && value.chars().any(|letter| letter.is_ascii_lowercase())
}

/// Long enough, and more than one ordinary word.
pub fn is_token(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let upper = value.bytes().any(|byte| byte.is_ascii_uppercase());
    let one_piece = value.chars().all(|letter| letter.is_ascii_graphic() || letter.is_alphabetic());
    one_piece
        && !has_ideographs(value)
        && value.len() >= 8
        && !is_placeholder(value)
        && (digits > 0 && letters > 0 || value.len() >= 16 && lower && upper && !is_words(value))
}

/// Drawn by a machine, as far as one can tell.
pub fn is_random(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    let body = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/_-.%".contains(&byte));
    let graphic = value.len() >= 24
        && variety(value) >= 16
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !value.contains([',', ';', '(']);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (body || graphic)
        && value.len() >= 16
        && digits > 0
        && variety(value) >= 8
        && !is_words(value)
        && !is_placeholder(value)
}

/// Twelve hexadecimal digits or more, with letters among them.
pub fn is_short_key(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (12..16).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        && digits > 2
        && digits + 2 < value.len()
}

/// Only hexadecimal digits, of the length of a hash.
pub fn is_hash(value: &str) -> bool {
    [32, 40, 56, 64, 96, 128].contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Base64 of `user:password`.
pub fn is_basic_pair(value: &str) -> bool {
    (8..=400).contains(&value.len())
        && decoded(value).is_some_and(|text| {
            text.split_once(':').is_some_and(|(user, password)| !user.is_empty() && !password.is_empty())
                && text.chars().all(|letter| !letter.is_control())
        })
}

/// What base64 stands for, if that is text.
pub fn decoded(value: &str) -> Option<String> {
    let body = value.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(body.len());
    let (mut bits, mut count) = (0u32, 0);
    for byte in body.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).ok()
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
    // Two capitals or more directly before a small letter: rare in names, common in what a machine draws.
    let clusters = bytes.windows(3).filter(|three| {
        matches!(three, [one, two, three] if one.is_ascii_uppercase() && two.is_ascii_uppercase() && three.is_ascii_lowercase())
    });
    if bytes.len() >= 24 && clusters.count() >= 4 {
        return false;
    }
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

/// Letters with vowels, and a year or a small number behind them: no code of a machine.
pub fn is_ordinary_word(value: &str) -> bool {
    let stem = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem.len() >= 4 && is_words(stem) && stem.bytes().all(|byte| byte.is_ascii_alphabetic())
}
