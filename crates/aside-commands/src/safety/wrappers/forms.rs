//! The forms in which a value carries a command: a shell script, `!script`, the arguments of another program, code that a prompt expands.
//! Which settings and variables carry one is data (`data/safety/wrappers.toml`).

use std::sync::LazyLock;

use crate::safety::toml_table;
use crate::safety::wrappers::TABLE;

/// Scripts that one value carries.
const MAX_SCRIPTS: usize = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A shell reads it.
    #[default]
    Shell,
    /// A shell reads it behind `!`; without that it is something else.
    Bang,
    /// It is arguments of this program: `--preview 'rm {}'` of `fzf`.
    Of(String),
    /// It is one argument, the last, of this program.
    Last(String),
    /// Text whose substitutions a shell runs.
    Expanded,
    /// A file that a shell reads.
    File,
    Makefile,
    /// Keys and what they do, as `fzf` spells them: `enter:execute(rm {})`.
    Actions,
    /// A list of scripts: `["a", "b"]`.
    List,
    /// Paths of code that a program loads; where there are flags, behind one of these: `--require ./x.js`.
    Loads(Vec<String>),
    /// A command; only the path of its program counts.
    Program,
    /// Directories in which programs are searched.
    Directories,
}

/// Where the code of installed programs and the user's own settings are.
const TRUSTED: [&str; 15] = [
    "/usr/",
    "/lib",
    "/opt/",
    "/etc/",
    "/bin/",
    "/sbin/",
    "/nix/",
    "/gnu/",
    "/snap/",
    "/var/lib/",
    "/Library/",
    "/System/",
    "/Applications/",
    "/home/",
    "/Users/",
];
/// Directories in which everyone may put a file.
const SHARED: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

impl Form {
    pub fn of(name: Option<&str>) -> Self {
        match name {
            Some("bang") => Form::Bang,
            Some("expanded") => Form::Expanded,
            Some("file") => Form::File,
            Some("makefile") => Form::Makefile,
            Some("actions") => Form::Actions,
            Some("list") => Form::List,
            Some("program") => Form::Program,
            Some("directories") => Form::Directories,
            Some(name) if name == "loads" || name.starts_with("loads ") => {
                Form::Loads(name.split(' ').skip(1).map(str::to_owned).collect())
            }
            Some(name) => match (name.strip_prefix("of "), name.strip_prefix("last ")) {
                (Some(program), _) => Form::Of(program.to_owned()),
                (_, Some(program)) => Form::Last(program.to_owned()),
                _ => Form::Shell,
            },
            None => Form::Shell,
        }
    }

    /// What a shell would run for this value.
    pub fn scripts(&self, value: &str) -> Vec<String> {
        let value = value.trim();
        match self {
            Form::Shell if value.starts_with(['$', '`']) => Form::Expanded.scripts(value),
            Form::Shell => vec![value.trim_start_matches('!').to_owned()],
            Form::Bang if value.starts_with('/') => vec![value.to_owned()],
            Form::Bang => value.strip_prefix('!').map(str::to_owned).into_iter().collect(),
            Form::Of(program) => vec![format!("{program} {value}")],
            Form::Last(program) => vec![format!("{program} '{}'", value.replace('\'', "'\\''"))],
            Form::Expanded if value.contains("$(") || value.contains('`') => vec![format!("echo \"{value}\"")],
            Form::Expanded => Vec::new(),
            Form::File if value.starts_with('$') => Form::Expanded.scripts(value),
            Form::File if value.contains('/') || value.starts_with("<(") => vec![format!("source {value}")],
            Form::File => Vec::new(),
            Form::Makefile => makefile(value),
            Form::Actions => actions(value),
            Form::Loads(flags) => {
                let parts: Vec<&str> = value.split([':', ' ', ',', '=', ';', '\'', '"']).collect();
                let before = std::iter::once("").chain(parts.iter().copied());
                let named = parts.iter().zip(before).filter_map(|(part, before)| match flags.is_empty() {
                    true => Some(*part),
                    false if flags.iter().any(|flag| flag == before) => Some(*part),
                    false => flags.iter().find_map(|flag| part.strip_prefix(flag.as_str())),
                });
                named.filter(|path| is_strange(path)).map(loaded).collect()
            }
            Form::Program => value.split(' ').next().filter(|path| is_strange(path)).map(loaded).into_iter().collect(),
            Form::Directories if value.is_empty() => Vec::new(),
            Form::Directories => {
                let shared = |part: &str| SHARED.iter().any(|directory| below(part, directory));
                let here = |part: &&str| matches!(*part, "" | "." | ".." | "./") || shared(part);
                value.split(':').filter(here).take(1).map(|_| loaded(".")).collect()
            }
            Form::List => value.trim_matches(['[', ']', '"', '\'']).split("\",\"").map(str::to_owned).collect(),
        }
    }
}

/// The command that stands for a program that loads this file.
fn loaded(path: &str) -> String {
    format!("ld.so --preload '{}'", path.replace('\'', ""))
}

/// A path of a file that is neither installed nor a setting of the user.
fn is_strange(path: &str) -> bool {
    const CODE: [&str; 9] = [".so", ".dylib", ".js", ".mjs", ".cjs", ".py", ".rb", ".jar", ".sh"];
    let begins = ["./", "../", "/"].iter().any(|begin| path.starts_with(begin));
    let named = path.contains('/') && !path.starts_with(['@', '~', '$', '-', '<']);
    let code = named && CODE.iter().any(|ending| path.ends_with(ending));
    (begins || code) && !TRUSTED.iter().any(|begin| path.starts_with(begin)) && !path.starts_with("/dev/null")
}

fn below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The scripts of a makefile that is a value.
fn makefile(text: &str) -> Vec<String> {
    let mut scripts = calls(text, "$(shell ");
    scripts.extend(calls(text, "${shell "));
    scripts.extend(text.lines().filter_map(|line| line.split_once("!=")).map(|(_, script)| script.to_owned()));
    let recipes = text.split(['\n', ';']).skip(1).map(|line| line.trim().trim_start_matches(['@', '-', '+']));
    scripts.extend(recipes.filter(|line| !line.is_empty()).map(str::to_owned));
    scripts.truncate(MAX_SCRIPTS);
    scripts
}

/// The text of each bracket that `begin` opens.
fn calls(text: &str, begin: &str) -> Vec<String> {
    let open = if begin.contains('{') { '{' } else { '(' };
    let behind = text.match_indices(begin).take(MAX_SCRIPTS).filter_map(|(at, _)| text.get(at + begin.len()..));
    behind.map(|behind| enclosed(behind, open).to_owned()).collect()
}

/// The text up to the end of an already open bracket.
fn enclosed(text: &str, open: char) -> &str {
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let mut deep = 0usize;
    for (at, letter) in text.char_indices() {
        if letter == close && deep == 0 {
            return text.get(..at).unwrap_or_default();
        }
        if letter == close {
            deep -= 1;
        } else if letter == open {
            deep += 1;
        }
    }
    text
}

/// `execute(rm {})`, `reload:ls`, `become[vim {}]`
fn actions(text: &str) -> Vec<String> {
    const RUN: [&str; 6] = ["execute", "become", "reload", "preview", "transform", "execute-silent"];
    let mut scripts = Vec::new();
    for (at, _) in text.match_indices(['(', '[', '{', '<', ':', '~', '!', '@', '#', '%', '^', '&', '*', '/', '|']) {
        let Some((before, behind)) = text.split_at_checked(at) else { continue };
        let name = before.trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '-').len();
        let name = before.get(name..).unwrap_or_default();
        let runs = RUN.iter().any(|run| name == *run || name.starts_with(&format!("{run}-")) || name.ends_with(run));
        if !runs || name.ends_with("-key") || scripts.len() >= MAX_SCRIPTS {
            continue;
        }
        let mut letters = behind.chars();
        match letters.next() {
            Some(':') => scripts.push(letters.as_str().to_owned()),
            Some(open) => scripts.push(enclosed(letters.as_str(), open).to_owned()),
            None => {}
        }
    }
    scripts
}

/// A variable, or several of them, whose value some program runs.
struct Variable {
    names: Vec<String>,
    form: Form,
}

static VARIABLES: LazyLock<Vec<Variable>> = LazyLock::new(|| {
    let variable =
        |row: &toml_table::Row<'_>| Variable { names: row.list("name"), form: Form::of(row.text("form").as_deref()) };
    toml_table::rows(TABLE, "variable").iter().map(variable).collect()
});

/// What some program would run that finds this variable in its environment.
pub fn variable_scripts(name: &str, value: &str) -> Vec<String> {
    let known = VARIABLES.iter().filter(|variable| variable.names.iter().any(|known| matches(known, name)));
    known.flat_map(|variable| variable.form.scripts(value)).collect()
}

/// Whether a name fits a pattern, in which one `*` may stand for any text. Upper and lower case are alike.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((begin, end)) = pattern.split_once('*') else { return pattern.eq_ignore_ascii_case(name) };
    let Some(middle) = name.len().checked_sub(end.len()).filter(|middle| *middle >= begin.len()) else { return false };
    let begins = name.get(..begin.len()).is_some_and(|name| name.eq_ignore_ascii_case(begin));
    begins && name.get(middle..).is_some_and(|name| name.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_yields_its_scripts() {
        let cases: [(&str, &str, &[&str]); 22] = [
            ("shell", "rm x", &["rm x"]),
            ("shell", "$X", &[]),
            ("shell", "$(rm x)", &["echo \"$(rm x)\""]),
            ("bang", "!rm x", &["rm x"]),
            ("bang", "log --oneline", &[]),
            ("of fzf", "--preview ls", &["fzf --preview ls"]),
            ("last vim -c", "!rm 'x'", &["vim -c '!rm '\\''x'\\'''"]),
            ("expanded", "$ ", &[]),
            ("file", "production", &[]),
            ("file", "<(echo x)", &["source <(echo x)"]),
            ("makefile", "x := $(shell rm (y) z)\nx: ; @ls", &["rm (y) z", "x:", "ls"]),
            ("actions", "ctrl-a:select-all,enter:execute(rm {})+reload[ls]", &["rm {}", "ls"]),
            ("actions", "start:reload:rm x", &["rm x"]),
            ("loads", "./x.so", &["ld.so --preload './x.so'"]),
            ("loads", "/usr/lib/libjemalloc.so:libx.so", &[]),
            ("loads --require -r", "--require @a/b/register --title=./x", &[]),
            ("loads --require -r", "-r./x.js", &["ld.so --preload './x.js'"]),
            ("program", "ssh -i ./key", &[]),
            ("program", "../diff.sh -x", &["ld.so --preload '../diff.sh'"]),
            ("directories", "$PATH:./node_modules/.bin:/tmpfs", &[]),
            ("directories", ".:$PATH", &["ld.so --preload '.'"]),
            ("list", "[\"rm x\",\"ls\"]", &["rm x", "ls"]),
        ];
        for (form, value, scripts) in cases {
            assert_eq!(Form::of(Some(form)).scripts(value), scripts, "{form} {value}");
        }
    }

    #[test]
    fn names_fit_patterns() {
        for (pattern, name) in
            [("core.pager", "Core.Pager"), ("diff.*.textconv", "diff.a.b.textconv"), ("*PAGER", "PAGER")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("core.pager", "core.pagers"), ("ab*bc", "abc"), ("*PAGER", "PAGERS")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
