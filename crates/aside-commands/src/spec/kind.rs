//! What an argument or the value of a flag may be: the small language of `args` and `takes` in a spec. Does not know
//! what exists on the machine.

use crate::world::LiveKind;

/// What one word may be: any of these.
pub type ArgKinds = Vec<ArgKind>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A file whose name matches one of the globs; any file when there are none.
    File(Vec<Box<str>>),
    Directory,
    /// A file or a directory.
    Path,
    /// An executable file, or a program on PATH.
    Program,
    /// One of a list.
    List(Vec<Choice>),
    Free(FreeText),
    /// The name of a command.
    Command,
    /// The name of a variable of the environment.
    Variable,
    ManPage,
    Live(LiveKind),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub value: Box<str>,
    pub about: Box<str>,
}

/// Values that only the user knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeText {
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

const FREE: [(&str, FreeText); 10] = [
    ("text", FreeText::Text),
    ("number", FreeText::Number),
    ("url", FreeText::Url),
    ("new", FreeText::New),
    ("new-package", FreeText::Package),
    ("port", FreeText::Port),
    ("pattern", FreeText::Pattern),
    ("date", FreeText::Date),
    ("size", FreeText::Size),
    ("mode", FreeText::Mode),
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
pub fn parse(text: &str) -> Result<ArgKinds, &str> {
    text.split(" or ").map(|part| one(part.trim())).collect()
}

fn one(text: &str) -> Result<ArgKind, &str> {
    if text.contains('|') {
        return Ok(ArgKind::List(text.split('|').filter(|part| !part.is_empty()).map(choice).collect()));
    }
    if let Some(globs) = text.strip_prefix("file:") {
        let globs: Vec<Box<str>> = globs.split(',').map(|glob| glob.trim().into()).collect();
        return if globs.iter().any(|glob| glob.is_empty()) { Err(text) } else { Ok(ArgKind::File(globs)) };
    }
    match text {
        "file" => Ok(ArgKind::File(Vec::new())),
        "directory" => Ok(ArgKind::Directory),
        "path" => Ok(ArgKind::Path),
        "program" => Ok(ArgKind::Program),
        "command" => Ok(ArgKind::Command),
        "variable" => Ok(ArgKind::Variable),
        "man-page" => Ok(ArgKind::ManPage),
        "signal" => Ok(ArgKind::List(
            SIGNALS.iter().map(|&(value, about)| Choice { value: value.into(), about: about.into() }).collect(),
        )),
        _ => {
            let free = FREE.iter().find(|(name, _)| *name == text).map(|(_, free)| ArgKind::Free(*free));
            free.or_else(|| LiveKind::of(text).map(ArgKind::Live)).ok_or(text)
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
            ArgKind::List(values.iter().map(choice).collect())
        };
        for (text, kinds) in [
            ("path", vec![ArgKind::Path]),
            ("git-branch or path", vec![ArgKind::Live(LiveKind::GitBranch), ArgKind::Path]),
            ("file:*.rs, *.toml", vec![ArgKind::File(vec!["*.rs".into(), "*.toml".into()])]),
            ("auto|always|never", vec![list(&[("auto", ""), ("always", ""), ("never", "")])]),
            ("a=the first|b=the second", vec![list(&[("a", "the first"), ("b", "the second")])]),
            ("number or max|min", vec![ArgKind::Free(FreeText::Number), list(&[("max", ""), ("min", "")])]),
            ("only|", vec![list(&[("only", "")])]),
        ] {
            assert_eq!(parse(text), Ok(kinds), "{text}");
        }
        assert!(matches!(parse("signal").unwrap()[0], ArgKind::List(ref list) if list.len() == SIGNALS.len()));
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
