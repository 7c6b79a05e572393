//! Secrets that are passed to a function: `define('NAME', 'value')`, `setPassword("value")`, `SecretStr("value")`, and
//! by position: `connect("host", "user", "value")`.

use std::ops::Range;

use crate::key_value::NamedSecret;
use crate::placeholder::is_label;
use crate::scan::{self, line_end};
use crate::secret_name;
use crate::secret_strength::{self, SecretClass, SecretStrength};

/// Bytes of a name on either side of the trigger word.
const MAX_NAME: usize = 80;

/// Functions that take a name and its value.
const SETTERS: &[&str] = &[
    "setopt",
    "define",
    "put",
    "set",
    "setproperty",
    "setenv",
    "putenv",
    "addheader",
    "header",
    "setheader",
    "setrequestheader",
    "setdefault",
    "append",
    "add",
    "env",
    "param",
    "addparam",
    "property",
    "with",
    "withenv",
    "insert",
    "store",
    "config",
    "option",
    "cookie",
    "setcookie",
    "defaultrequestheaders",
    "headers",
    "setvariable",
    "setenvironmentvariable",
    "register",
    "export",
    "update",
    "setstring",
    "putstring",
    "setitem",
    "setsecret",
    "createsecret",
    "putsecret",
    "addparameter",
    "setparameter",
    "setconf",
    "setconfig",
    "setting",
];

/// Beginnings of calls that take a password by position.
pub const CALLS: &[&str] = &[
    "connect(",
    "connection(",
    "login(",
    "logon(",
    "signin(",
    "sign_in(",
    "authenticate(",
    "auth(",
    "credential(",
    "credentials(",
    "credentialsimpl(",
    "database(",
    "client(",
    "authdata(",
    "principalcontext(",
    "directoryentry(",
    "bind(",
    "bind_s(",
    "device(",
    "connecthandler(",
    "salesforce(",
];

/// Arguments of one call, and bytes of one argument.
const MAX_ARGUMENTS: usize = 8;
const MAX_ARGUMENT: usize = 160;

/// The literal among the arguments that can only be a password. `word` is one of `CALLS`.
pub fn by_place(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let callee = text.get(word.clone())?.to_ascii_lowercase();
    let arguments = arguments(text, word.end);
    let of = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    let plain = |range: &Range<usize>| {
        let value = of(range);
        let apart = value.contains([' ', ':', '/', '{', '<', '(', ',']);
        (4..=64).contains(&value.len()) && !apart && !is_label(value)
    };
    if let [Some(only)] = arguments.as_slice() {
        let strength = secret_strength::secret_strength(of(only));
        let strong = strength == Some(SecretStrength::Strong)
            || strength == Some(SecretStrength::Chosen) && !of(only).contains(['-', '_', '.']);
        let soft = strength >= Some(SecretStrength::Soft) && is_redis(text, word.start);
        return (callee == "auth(" && (strong || soft) && plain(only)).then(|| only.clone());
    }
    // A generated key behind its id.
    if callee == "client(" {
        let second = arguments.get(1)?.clone()?;
        return (secret_strength::is_random(of(&second)) && of(&second).len() >= 20 && plain(&second))
            .then_some(second);
    }
    // `UsernamePasswordCredentialsImpl(scope, "id", "what it is for", "user", "value")`
    if callee == "credentialsimpl(" {
        let last = arguments.last()?.clone()?;
        return (arguments.len() > 3
            && plain(&last)
            && secret_strength::secret_strength(of(&last)) >= Some(SecretStrength::Soft))
        .then_some(last);
    }
    let many = arguments.len() > 2;
    // `signal.connect("clicked", "onClick2")`
    let loose = !many && ["connect(", "connection(", "database(", "bind("].contains(&callee.as_str());
    let fits = |range: &Range<usize>| {
        let strength = secret_strength::secret_strength(of(range));
        plain(range)
            && !(loose && secret_strength::is_words(of(range)))
            && (strength >= Some(SecretStrength::Strong) || many && strength >= Some(SecretStrength::Chosen))
    };
    arguments.into_iter().skip(1).flatten().find(fits)
}

/// Bytes between the bracket of a call and the `@` of an email address.
const MAX_BEFORE: usize = 120;

/// `authenticate_email_async("kim@x.example", "value")`: a call that logs a user in or creates one, with the email
/// address first. `at` is the offset of the `@`.
pub fn by_email(text: &str, at: usize) -> Option<Range<usize>> {
    const DOES: &[&str] =
        &["auth", "login", "logon", "log_in", "signin", "sign_in", "signup", "sign_up", "register", "user", "account"];
    let after = text.get(at..text.floor_char_boundary(at.saturating_add(MAX_ARGUMENT)))?;
    let close = after.find(['"', '\'', '\n', ' ', ')'])?;
    let behind =
        after.get(close + 1..).filter(|_| after.get(close..).is_some_and(|rest| rest.starts_with(['"', '\''])))?;
    let rest = behind.strip_prefix(',')?;
    let second = scan::quoted(text, at + after.len() - rest.trim_start().len())?;
    let before = text.get(text.ceil_char_boundary(at.saturating_sub(MAX_BEFORE))..at)?;
    let open =
        before.rfind(['"', '\'']).filter(|open| !before.get(open + 1..).is_some_and(|user| user.contains(' ')))?;
    let before = before.get(..open)?.trim_end();
    // Another argument may come first: `signIn(auth, "kim@x.example", …)`.
    let call = before.get(..before.rfind('(')?)?;
    let alone = before.get(call.len() + 1..).is_some_and(|first| first.len() < 20 && !first.contains(['"', '\'', ')']));
    let of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let name = call.get(call.trim_end_matches(of_name).len()..)?.to_ascii_lowercase();
    let value = text.get(second.clone())?;
    let password = value.len() > 3
        && secret_strength::fits(SecretClass::Password, value)
        && !value.contains(['@', '<', '{'])
        && (!value.contains(' ') || secret_strength::is_passphrase(value) && value.split(' ').count() > 2)
        && !secret_strength::is_prose(value);
    let does = DOES.iter().any(|does| name.contains(does));
    // `createUser("kim@x.example", "Kim")`: the second argument may be a name.
    let named = ["user", "account", "register"].iter().any(|part| name.contains(part));
    let strong = !named || secret_strength::secret_strength(value) >= Some(SecretStrength::Soft);
    (alone && does && password && strong).then_some(second)
}

/// `red:auth(`, `$redis->auth(`, `rdb.auth(`: the only argument is the password.
fn is_redis(text: &str, at: usize) -> bool {
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_NAME));
    let before = text.get(from..at).unwrap_or_default();
    let Some(object) = [".", ":", "->"].iter().find_map(|access| before.strip_suffix(access)) else { return false };
    let name =
        object.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next().unwrap_or_default();
    let low = name.to_ascii_lowercase();
    matches!(low.as_str(), "r" | "rdb" | "rc" | "red")
        || ["redis", "valkey", "jedis", "cache"].iter().any(|part| low.contains(part))
}

/// The literals of a call, and `None` for every other argument.
fn arguments(text: &str, from: usize) -> Vec<Option<Range<usize>>> {
    let mut found = Vec::new();
    let mut at = from;
    while found.len() < MAX_ARGUMENTS {
        at += text.get(at..).map_or(0, |rest| rest.bytes().take(MAX_NAME).take_while(u8::is_ascii_whitespace).count());
        let literal = scan::quoted(text, at).filter(|range| range.len() <= MAX_ARGUMENT);
        let end = match &literal {
            Some(range) => range.end + 1,
            None => at,
        };
        let rest = text.get(end..text.floor_char_boundary(end.saturating_add(MAX_ARGUMENT))).unwrap_or_default();
        let Some(stop) = rest.find([',', ')', '\n', '(', '"', '\'']) else { break };
        let alone = rest.get(..stop).is_some_and(|rest| rest.trim().is_empty());
        found.push(literal.filter(|_| alone));
        if !rest.get(stop..).is_some_and(|rest| rest.starts_with(',')) {
            break;
        }
        at = end + stop + 1;
    }
    found
}

impl NamedSecret<'_> {
    /// The second argument of `define('NAME', 'value')`.
    pub fn argument(&self, at: usize) -> Option<Range<usize>> {
        let range = scan::quoted(self.text, scan::blank(self.text, at))?;
        let open = self
            .of(&(self.name.start.saturating_sub(MAX_NAME)..self.name.start))
            .trim_end_matches(['"', '\'', ' ', '\\', '`'])
            .strip_suffix('(');
        let sets = open.is_some_and(|before| {
            let callee = before.trim_end();
            let last = |of_name: fn(char) -> bool| callee.rsplit(|letter| !of_name(letter)).next().unwrap_or_default();
            let word = last(|letter| letter.is_ascii_alphanumeric()).to_ascii_lowercase();
            // `set_convar`, `SetConVarString`
            let name = last(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            SETTERS.contains(&word.as_str()) || secret_name::begins_with_setter(name)
        });
        // `Context.SECURITY_CREDENTIALS`
        let credentials = self.name().to_ascii_lowercase().contains("credential")
            && sets
            && secret_strength::secret_strength(self.of(&range)) >= Some(SecretStrength::Chosen);
        (self.fits(&range)
            && (sets
                || self.is_chosen(&range)
                    && secret_strength::secret_strength(self.of(&range)) >= Some(SecretStrength::Chosen))
            || credentials && !is_label(self.of(&range)))
        .then_some(range)
    }

    /// `.password("value")`, `setPassword('value')`
    pub fn call(&self, at: usize) -> Option<Range<usize>> {
        let Some(range) = scan::quoted(self.text, scan::blank(self.text, at)) else { return self.bare_call(at) };
        let close = scan::blank(self.text, range.end + 1);
        let name = self.name();
        let last = name.rsplit('.').next().unwrap_or(name);
        let sets = secret_name::is_setter(last);
        let single = matches!(self.byte(close), Some(b')' | b',' | b'.'));
        let strength = secret_strength::secret_strength(self.of(&range))?;
        // `source.setPassword("pool")`
        let told = last.starts_with("set") && self.class == SecretClass::Password && name.contains('.');
        (sets
            && single
            && (strength >= SecretStrength::Soft || told && !secret_strength::is_prose(self.of(&range)))
            && secret_strength::fits(self.class, self.of(&range))
            && !is_label(self.of(&range)))
        .then_some(range)
    }

    /// `PASSWORD(VALUE)` on a mainframe.
    pub fn bare_call(&self, at: usize) -> Option<Range<usize>> {
        let rest = self.of(&(at..line_end(self.text, at)));
        let value = rest.get(..rest.find(')')?)?;
        let upper = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_$#@-".contains(&byte))
        };
        let strong = secret_strength::secret_strength(value) >= Some(SecretStrength::Chosen) && value.len() <= 32;
        (upper(self.name()) && upper(value) && strong).then_some(at..at + value.len())
    }

    /// `SecretStr("value")`, `env("NAME", "value")`: a literal within a call.
    pub fn wrapped(&self, from: usize) -> Option<Range<usize>> {
        const ASKING: &[&str] = &[
            "get",
            "read",
            "prompt",
            "input",
            "ask",
            "env",
            "config",
            "lookup",
            "find",
            "load",
            "fetch",
            "decrypt",
            "param",
            "option",
            "arg",
            "select",
            "query",
            "file",
            "path",
            "open",
            "xpath",
            "require",
            "resource",
            "gettext",
            "translat",
            "message",
            "label",
            "verify",
            "match",
            "compile",
            "regex",
            "field",
            "column",
            "string",
            "format",
            "print",
            "validator",
            "rule",
            "locator",
            "element",
            "pop",
            "digest",
            "t",
            "i18n",
            "encode",
            "decode",
            "strip",
            "replace",
            "split",
            "join",
            "lower",
            "upper",
            "trim",
        ];
        let line = self.text.get(from..line_end(self.text, from))?;
        let head = line.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_.:[]&".contains(letter))?;
        let callee = line.get(..head)?;
        if !line.get(head..)?.starts_with('(') || callee.is_empty() {
            return None;
        }
        let first = scan::quoted(self.text, scan::blank(self.text, from + head + 1))?;
        let low = callee.to_ascii_lowercase();
        let last = low.rsplit(['.', ':']).next().unwrap_or_default();
        let asks = ASKING.iter().any(|part| if part.len() < 3 { last == *part } else { low.contains(part) });
        let range = if asks {
            // The second argument of `getenv` is the fallback value.
            let comma = scan::blank(self.text, first.end + 1);
            let second = scan::quoted(self.text, scan::blank(self.text, comma + 1))
                .filter(|_| self.byte(comma) == Some(b','))?;
            low.contains("env").then_some(second)?
        } else {
            first
        };
        let strong =
            secret_strength::secret_strength(self.of(&range)).is_some_and(|strength| strength >= SecretStrength::Soft);
        (strong && self.fits(&range)).then_some(range)
    }

    /// `process.env.NAME || "value"`: the fallback value.
    pub fn fallback(&self, from: usize) -> Option<Range<usize>> {
        let line = self.of(&(from..line_end(self.text, from)));
        let (at, length) =
            ["||", "??", " or ", "?:"].iter().find_map(|either| Some((line.find(either)?, either.len())))?;
        let range = scan::quoted(self.text, scan::blank(self.text, from + at + length))?;
        let strong =
            secret_strength::secret_strength(self.of(&range)).is_some_and(|strength| strength >= SecretStrength::Soft);
        (strong && self.fits(&range)).then_some(range)
    }
}
