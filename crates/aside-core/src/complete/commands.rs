//! Which names a command may have: programs, and what the shell itself knows. Says nothing about what they do.

use crate::complete::ask::Ask;
use crate::line::Dialect;
use crate::world::Known;

/// Whether there is a command of this name. `NotYet` also when the shell has not told its names.
pub fn known(ask: &Ask<'_>, name: &str) -> Known<()> {
    if is_of_shell(ask, name) {
        return Known::Yes(());
    }
    match ask.world.programs() {
        Known::Yes(programs) if programs.binary_search_by(|program| (**program).cmp(name)).is_ok() => Known::Yes(()),
        // A shell always has builtins: without them its aliases and functions are not known either.
        Known::Yes(_) if !ask.names.builtins.is_empty() => Known::No,
        Known::Yes(_) | Known::No | Known::NotYet => Known::NotYet,
    }
}

/// Whether the shell itself runs it.
pub fn is_of_shell(ask: &Ask<'_>, name: &str) -> bool {
    let names = ask.names;
    let among = |list: &[Box<str>]| list.binary_search_by(|known| (**known).cmp(name)).is_ok();
    names.aliases.binary_search_by(|(known, _)| (**known).cmp(name)).is_ok()
        || among(&names.functions)
        || among(&names.builtins)
        || reserved(ask.dialect).contains(&name)
        || builtins(ask.dialect).contains(&name)
}

/// Those of a sorted list that begin with a text.
pub fn beginning<'a, T>(list: &'a [T], typed: &str, name: impl Fn(&T) -> &str) -> &'a [T] {
    let from = list.partition_point(|item| name(item) < typed);
    let count = list[from..].partition_point(|item| name(item).starts_with(typed));
    &list[from..from + count]
}

/// Words that mean something where a command begins.
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

/// What the shell has built in, for as long as it has not said so itself.
pub fn builtins(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zsh => &[
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
        ],
        Dialect::Bash => &[
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
        ],
        // With the functions that come with it.
        Dialect::Fish => &[
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
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::fake::Fake;

    #[test]
    fn the_lists_are_in_the_order_of_names() {
        for dialect in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
            assert!(reserved(dialect).is_sorted());
            assert!(builtins(dialect).is_sorted());
        }
    }

    #[test]
    fn what_is_known_and_what_is_not() {
        let told = "program git\nalias gst=git status\nfunction mkcd\nbuiltin zstat";
        let of = |scene: &str, name: &str| known(&Fake::new(scene).ask(), name);
        for name in ["git", "gst", "mkcd", "zstat", "cd", "setopt", "while"] {
            assert_eq!(of(told, name), Known::Yes(()), "{name}");
        }
        for name in ["gti", "shopt", "gi", ""] {
            assert_eq!(of(told, name), Known::No, "{name}");
        }
        // The shell has not told its aliases, or the programs are still being looked for.
        assert_eq!(of("program git", "gti"), Known::NotYet);
        assert_eq!(of("slow programs\nbuiltin cd", "gti"), Known::NotYet);
        assert_eq!(of("shell bash\nprogram git", "shopt"), Known::Yes(()));
        assert_eq!(of("shell fish\nprogram git", "string"), Known::Yes(()));
    }

    #[test]
    fn a_range_of_names() {
        let list = ["a", "ab", "abc", "b", "ba"];
        let range = |typed| beginning(&list, typed, |name| name);
        assert_eq!(range("a"), ["a", "ab", "abc"]);
        assert_eq!(range("ab"), ["ab", "abc"]);
        assert_eq!(range("b"), ["b", "ba"]);
        assert_eq!(range("c"), [""; 0]);
        assert_eq!(range("0"), [""; 0]);
    }
}
