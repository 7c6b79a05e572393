//! Looks up command names: programs, and what the shell itself has. Does not know what they do.

use aside_commands::shell_names::builtins;
use aside_commands::world::Fact;

use crate::complete::context::CompletionContext;

/// Whether a command of this name exists. `NotYet` also while the shell has not reported its names.
pub fn known(context: &CompletionContext<'_>, name: &str) -> Fact<()> {
    builtins::known(context.names, context.world, context.dialect, name)
}

/// Whether it is an alias, a function or a builtin of the shell.
pub fn is_of_shell(context: &CompletionContext<'_>, name: &str) -> bool {
    builtins::has(context.names, context.dialect, name)
}

/// The items of a sorted list that begin with `typed`.
pub fn beginning<'a, T>(list: &'a [T], typed: &str, name: impl Fn(&T) -> &str) -> &'a [T] {
    let from = list.partition_point(|item| name(item) < typed);
    let count = list[from..].partition_point(|item| name(item).starts_with(typed));
    &list[from..from + count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::fake::Fake;

    #[test]
    fn what_is_known_and_what_is_not() {
        let told = "program git\nalias gst=git status\nfunction mkcd\nbuiltin zstat";
        let of = |scene: &str, name: &str| known(&Fake::new(scene).context(), name);
        for name in ["git", "gst", "mkcd", "zstat", "cd", "setopt", "while"] {
            assert_eq!(of(told, name), Fact::Yes(()), "{name}");
        }
        for name in ["gti", "shopt", "gi", ""] {
            assert_eq!(of(told, name), Fact::No, "{name}");
        }
        // The shell has not reported its aliases, or the programs are still being listed.
        assert_eq!(of("program git", "gti"), Fact::NotYet);
        assert_eq!(of("slow programs\nbuiltin cd", "gti"), Fact::NotYet);
        assert_eq!(of("shell bash\nprogram git", "shopt"), Fact::Yes(()));
        assert_eq!(of("shell fish\nprogram git", "string"), Fact::Yes(()));
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
