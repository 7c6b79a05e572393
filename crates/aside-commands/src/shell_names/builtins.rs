//! Names that a shell runs by itself: its reserved words and its builtins. Does not know what they do.

use shell_line::Dialect;

use crate::shell_names::ShellNames;
use crate::world::{Fact, World};

/// Whether there is a command of this name. `NotYet` also when the shell has not sent its names.
pub fn known(names: &ShellNames, world: &dyn World, dialect: Dialect, name: &str) -> Fact<()> {
    if has(names, dialect, name) {
        return Fact::Yes(());
    }
    match world.has_program(name) {
        Fact::Yes(true) => Fact::Yes(()),
        // A shell always has builtins: without them its aliases and functions are not known either.
        Fact::Yes(false) if !names.builtins.is_empty() => Fact::No,
        Fact::Yes(false) | Fact::No | Fact::NotYet => Fact::NotYet,
    }
}

/// Whether the shell itself runs it.
pub fn has(names: &ShellNames, dialect: Dialect, name: &str) -> bool {
    let among = |list: &[Box<str>]| list.binary_search_by(|known| (**known).cmp(name)).is_ok();
    names.aliases.binary_search_by(|(known, _)| (**known).cmp(name)).is_ok()
        || among(&names.functions)
        || among(&names.builtins)
        || reserved(dialect).contains(&name)
        || builtins(dialect).contains(&name)
}

/// Words that are reserved at the start of a command.
pub fn reserved(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zsh => &[
            "!",
            "[[",
            "always",
            "case",
            "coproc",
            "do",
            "done",
            "elif",
            "else",
            "end",
            "esac",
            "fi",
            "for",
            "foreach",
            "function",
            "if",
            "nocorrect",
            "noglob",
            "repeat",
            "select",
            "then",
            "time",
            "until",
            "while",
            "{",
            "}",
        ],
        Dialect::Bash => &[
            "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
            "select", "then", "time", "until", "while", "{", "}",
        ],
        Dialect::Fish => &[
            "!", "and", "begin", "case", "else", "end", "for", "function", "if", "not", "or", "switch", "time",
            "while", "{", "}",
        ],
    }
}

/// The default builtins, until the shell has sent its own.
pub fn builtins(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zsh => ZSH,
        Dialect::Bash => BASH,
        Dialect::Fish => FISH,
    }
}

const ZSH: &[&str] = &[
    "-",
    ".",
    ":",
    "[",
    "alias",
    "autoload",
    "bg",
    "bindkey",
    "break",
    "builtin",
    "bye",
    "cd",
    "chdir",
    "command",
    "compdef",
    "continue",
    "declare",
    "dirs",
    "disable",
    "disown",
    "echo",
    "echotc",
    "echoti",
    "emulate",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "float",
    "functions",
    "getln",
    "getopts",
    "hash",
    "history",
    "integer",
    "jobs",
    "kill",
    "let",
    "limit",
    "local",
    "logout",
    "popd",
    "print",
    "printf",
    "private",
    "pushd",
    "pushln",
    "pwd",
    "r",
    "read",
    "readonly",
    "rehash",
    "return",
    "sched",
    "set",
    "setopt",
    "shift",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "ttyctl",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unfunction",
    "unhash",
    "unlimit",
    "unset",
    "unsetopt",
    "vared",
    "wait",
    "whence",
    "where",
    "which",
    "zcompile",
    "zformat",
    "zle",
    "zmodload",
    "zparseopts",
    "zprof",
    "zpty",
    "zstyle",
];

const BASH: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Includes the functions that come with fish.
const FISH: &[&str] = &[
    ".",
    ":",
    "[",
    "abbr",
    "alias",
    "argparse",
    "bg",
    "bind",
    "block",
    "break",
    "breakpoint",
    "builtin",
    "cd",
    "cdh",
    "command",
    "commandline",
    "complete",
    "contains",
    "continue",
    "count",
    "dirh",
    "dirs",
    "disown",
    "echo",
    "emit",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fg",
    "fish_add_path",
    "fish_config",
    "fish_update_completions",
    "funced",
    "funcsave",
    "functions",
    "help",
    "history",
    "isatty",
    "jobs",
    "math",
    "nextd",
    "open",
    "path",
    "popd",
    "prevd",
    "printf",
    "psub",
    "pushd",
    "pwd",
    "random",
    "read",
    "realpath",
    "return",
    "set",
    "set_color",
    "source",
    "status",
    "string",
    "suspend",
    "test",
    "trap",
    "true",
    "type",
    "ulimit",
    "umask",
    "vared",
    "wait",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_the_order_of_names() {
        for dialect in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
            assert!(reserved(dialect).is_sorted());
            assert!(builtins(dialect).is_sorted());
        }
    }
}
