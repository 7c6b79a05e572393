//! Decides whether a line can run at all, as far as is known; lines that cannot are not offered. What is not known is
//! possible.

use aside_commands::world::{Fact, FileKind};
use shell_line::{self as line, Command, Line, Redirect, Word};

use crate::complete::command_names;
use crate::complete::context::CompletionContext;
use crate::complete::resolve_path;
use crate::complete::spec::check::{self, Validity};

/// Commands of a line that are checked.
const MAX_COMMANDS: usize = 16;

pub fn can_run(context: &CompletionContext<'_>, text: &str) -> bool {
    // If the current directory cannot be listed, the shell is probably on another machine.
    if !matches!(context.world.entries(context.cwd), Fact::Yes(_)) {
        return true;
    }
    let line = line::parse(text, context.dialect);
    // Names that the line defines are not known before it runs.
    let defines = ["()", "function ", "alias "].iter().any(|begin| text.contains(begin));
    let mut made = false;
    for command in line.commands.iter().take(MAX_COMMANDS) {
        let place = if made { None } else { resolve_path::cwd(context, &line, command) };
        if let Some(cwd) = place {
            let context = CompletionContext { cwd: &cwd, ..*context };
            if !finds_files(&context, command) {
                return false;
            }
        }
        if !finds_name(context, &line, command, defines) || is_impossible(context, command) {
            return false;
        }
        // Later commands may find what this one creates.
        made |= command.words.first().is_none_or(|name| !matches!(&*name.value, "cd" | "echo" | "ls" | "pwd"));
    }
    true
}

fn finds_name(context: &CompletionContext<'_>, line: &Line<'_>, command: &Command, defines: bool) -> bool {
    let Some(name) = command.words.first().filter(|name| is_plain(name)) else { return true };
    // A quoted or escaped name is not an alias, but still a command.
    if defines || name.value.contains('/') {
        return true;
    }
    match command_names::known(context, &name.value) {
        Fact::Yes(()) | Fact::NotYet => true,
        // In zsh and fish a directory's name changes to it; history expansion makes any name of `!x`.
        Fact::No => {
            name.value.starts_with(['!', '^', '%'])
                || line.text.get(name.span.clone()).is_some_and(|raw| raw.contains('='))
                || is_directory(context, line, command, name)
        }
    }
}

fn is_plain(name: &Word) -> bool {
    name.fixed && !name.value.is_empty()
}

fn is_directory(context: &CompletionContext<'_>, line: &Line<'_>, command: &Command, name: &Word) -> bool {
    let Some(cwd) = resolve_path::cwd(context, line, command) else { return true };
    let context = CompletionContext { cwd: &cwd, ..*context };
    let path = resolve_path::absolute(&context, &name.value, name.fixed);
    path.is_none_or(|path| matches!(resolve_path::kind(&context, &path), Fact::Yes(FileKind::Directory) | Fact::NotYet))
}

/// The program that is given as a path, and the sources of redirections.
fn finds_files(context: &CompletionContext<'_>, command: &Command) -> bool {
    let kind = |word: &Word| {
        resolve_path::absolute(context, &word.value, word.fixed).map(|path| resolve_path::kind(context, &path))
    };
    let name = command.words.first().filter(|name| name.value.contains('/'));
    if let Some(Fact::No | Fact::Yes(FileKind::File)) = name.and_then(kind) {
        return false;
    }
    let reads = command.redirections.iter().filter(|redirection| redirection.kind == Redirect::Read);
    let mut targets = reads.filter_map(|redirection| redirection.target.as_ref());
    targets.all(|word| !matches!(kind(word), Some(Fact::No)))
}

fn is_impossible(context: &CompletionContext<'_>, command: &Command) -> bool {
    match check::check(context, command) {
        Validity::Impossible(_) => true,
        Validity::Possible | Validity::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::fake::Fake;

    const MACHINE: &str = "
        program git
        program cat
        program sort
        program make
        program docker
        builtin cd
        alias gst=git status
        function mkcd
        history deploy now
        file notes.txt
        file src/main.rs
        program ./run.sh
        file /etc/hosts
    ";

    #[track_caller]
    fn check(more: &str, cases: &[(&str, bool)]) {
        for (line, expected) in cases {
            let fake = Fake::new(&format!("{MACHINE}\n{more}"));
            assert_eq!(can_run(&fake.context(), line), *expected, "{line}");
        }
    }

    #[test]
    fn commands_have_to_be_there() {
        check(
            "",
            &[
                ("git status", true),
                ("gti status", false),
                ("gst", true),
                ("mkcd x", true),
                ("cd src", true),
                ("while true; do git status; done", true),
                ("git status; gti log", false),
                ("cat notes.txt | srot", false),
                ("echo $(gti log)", false),
                ("A=1 git status", true),
                ("A=1", true),
                ("$EDITOR x", true),
                ("\\git status", true),
                // A past run does not bring the program back.
                ("deploy now", false),
                // Defined on the line.
                ("f() { git status; }; f", true),
                // A directory to change to.
                ("src", true),
                ("!gti", true),
                ("", true),
                ("# gti", true),
            ],
        );
        check("shell fish", &[("set -x A 1; and git log", true), ("setopt x", false)]);
        check("shell bash", &[("shopt -s nullglob", true), ("string length x", false)]);
    }

    #[test]
    fn files_have_to_be_there() {
        check(
            "",
            &[
                ("./run.sh", true),
                ("./walk.sh", false),
                ("./notes.txt", false),
                ("~/run.sh", true),
                ("~/walk.sh", false),
                ("/elsewhere/x", false),
                ("$DIR/x", true),
                ("cd nowhere", false),
                ("cd ~/src", true),
                ("cd -", true),
                ("cd src && ./run.sh", false),
                ("cd src && ../run.sh", true),
                ("sort <notes.txt", true),
                ("sort <nothing", false),
                ("sort <$file", true),
                ("sort >new", true),
                ("cat notes.txt", true),
                ("cat nothing", false),
                // Created before it is read.
                ("git clone x nothing && cd nothing", true),
                ("make out && sort <out", true),
                ("make && ./out", true),
            ],
        );
        check("slow /home/me", &[("cd nowhere", true), ("./walk.sh", true), ("sort <nothing", true)]);
    }

    #[test]
    fn what_is_not_known_is_possible() {
        let all = |scene: &str, line: &str| can_run(&Fake::new(scene).context(), line);
        assert!(all("program git", "gti status"), "the shell has not told its names");
        assert!(all("slow programs\nbuiltin cd", "gti status"));
        assert!(!all("file x\nprogram git\nbuiltin cd", "gti status"));
        assert!(all("program git\nbuiltin cd", "gti status"), "we do not see the directory");
        assert!(!all("file x\nprogram few\nbuiltin cd\nspec few closed = true\\n[sub.a]", "few b"));
        assert!(all("program few\nbuiltin cd\nspec few closed = true\\n[sub.a]", "few a"));
    }
}
