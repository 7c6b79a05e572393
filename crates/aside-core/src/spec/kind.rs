//! What an argument or the value of a flag may be: the small language of `args` and `takes` in a spec. Does not know
//! what exists on the machine.

use crate::world::Live;

/// What one word may be: any of these.
pub type Kinds = Vec<Kind>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file whose name matches one of the globs; any file when there are none.
    File(Vec<Box<str>>),
    Directory,
    /// A file or a directory.
    Path,
    /// An executable file, or a program on PATH.
    Program,
    /// One of a list.
    List(Vec<Choice>),
    Free(Free),
    /// The name of a command.
    Command,
    /// The name of a variable of the environment.
    Variable,
    ManPage,
    Live(Live),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub value: Box<str>,
    pub about: Box<str>,
}

/// Values that only the user knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    Text,
    Number,
    Url,
    /// A name that does not exist yet.
    New,
    /// A system package that is not installed yet.
    Package,
    Port,
    Pattern,
    Date,
    Size,
    Mode,
}

const FREE: [(&str, Free); 10] = [
    ("text", Free::Text),
    ("number", Free::Number),
    ("url", Free::Url),
    ("new", Free::New),
    ("new-package", Free::Package),
    ("port", Free::Port),
    ("pattern", Free::Pattern),
    ("date", Free::Date),
    ("size", Free::Size),
    ("mode", Free::Mode),
];

const SIGNALS: [(&str, &str); 19] = [
    ("TERM", "end, politely"),
    ("KILL", "end at once"),
    ("HUP", "hang up, often: read the settings again"),
    ("INT", "interrupt, as Ctrl-C does"),
    ("QUIT", "end with a core dump, as Ctrl-\\ does"),
    ("STOP", "pause"),
    ("CONT", "go on after a pause"),
    ("TSTP", "pause, as Ctrl-Z does"),
    ("USR1", "whatever the program makes of it"),
    ("USR2", "whatever the program makes of it"),
    ("ABRT", "abort"),
    ("ALRM", "a timer ended"),
    ("CHLD", "a child ended"),
    ("PIPE", "nobody reads any more"),
    ("SEGV", "bad memory access"),
    ("TRAP", "a trap of a debugger"),
    ("TTIN", "reading in the background"),
    ("TTOU", "writing in the background"),
    ("WINCH", "the window changed its size"),
];

/// Kinds joined by ` or `. The error is the unknown part.
pub fn parse(text: &str) -> Result<Kinds, &str> {
    text.split(" or ").map(|part| one(part.trim())).collect()
}

fn one(text: &str) -> Result<Kind, &str> {
    if text.contains('|') {
        return Ok(Kind::List(text.split('|').filter(|part| !part.is_empty()).map(choice).collect()));
    }
    if let Some(globs) = text.strip_prefix("file:") {
        let globs: Vec<Box<str>> = globs.split(',').map(|glob| glob.trim().into()).collect();
        return if globs.iter().any(|glob| glob.is_empty()) { Err(text) } else { Ok(Kind::File(globs)) };
    }
    match text {
        "file" => Ok(Kind::File(Vec::new())),
        "directory" => Ok(Kind::Directory),
        "path" => Ok(Kind::Path),
        "program" => Ok(Kind::Program),
        "command" => Ok(Kind::Command),
        "variable" => Ok(Kind::Variable),
        "man-page" => Ok(Kind::ManPage),
        "signal" => Ok(Kind::List(
            SIGNALS.iter().map(|&(value, about)| Choice { value: value.into(), about: about.into() }).collect(),
        )),
        _ => {
            let free = FREE.iter().find(|(name, _)| *name == text).map(|(_, free)| Kind::Free(*free));
            free.or_else(|| Live::of(text).map(Kind::Live)).ok_or(text)
        }
    }
}

/// `value=about`, the second part being optional.
fn choice(text: &str) -> Choice {
    let (value, about) = text.split_once('=').unwrap_or((text, ""));
    Choice { value: value.trim().into(), about: about.trim().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits() {
        let list = |values: &[(&str, &str)]| {
            let choice = |(value, about): &(&str, &str)| Choice { value: (*value).into(), about: (*about).into() };
            Kind::List(values.iter().map(choice).collect())
        };
        for (text, kinds) in [
            ("path", vec![Kind::Path]),
            ("git-branch or path", vec![Kind::Live(Live::GitBranch), Kind::Path]),
            ("file:*.rs, *.toml", vec![Kind::File(vec!["*.rs".into(), "*.toml".into()])]),
            ("auto|always|never", vec![list(&[("auto", ""), ("always", ""), ("never", "")])]),
            ("a=the first|b=the second", vec![list(&[("a", "the first"), ("b", "the second")])]),
            ("number or max|min", vec![Kind::Free(Free::Number), list(&[("max", ""), ("min", "")])]),
            ("only|", vec![list(&[("only", "")])]),
        ] {
            assert_eq!(parse(text), Ok(kinds), "{text}");
        }
        assert!(matches!(parse("signal").unwrap()[0], Kind::List(ref list) if list.len() == SIGNALS.len()));
    }

    #[test]
    fn misses() {
        for (text, part) in
            [("", ""), ("branch", "branch"), ("path or bush", "bush"), ("file:", "file:"), ("Path", "Path")]
        {
            assert_eq!(parse(text), Err(part), "{text}");
        }
    }
}
