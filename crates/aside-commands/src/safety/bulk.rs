//! Harm to directories and to many files at once: recursive changes of modes and owners, globs that match everything, and what `find` and
//! `xargs` run on all that they find. Deleting and editing in place warn for a single file already, elsewhere.

use shell_line::Word;

use crate::safety::Harm;
use crate::safety::files::is_mode_flag;
use crate::safety::known_output::TEMPORARY;
use crate::safety::nested_commands::{NestedCommand, is_flag, plain_name};
use crate::safety::rules::has_flag;
use crate::safety::target;
use crate::safety::wrappers::{self, InnerCommand};

const RECURSIVE: [&str; 2] = ["-R", "--recursive"];
/// Words of a command that only runs another one.
const PREFIXES: [&str; 5] = ["sudo", "doas", "command", "nice", "env"];

/// `feeding`: the command whose output it reads.
pub fn harms(run: &NestedCommand, feeding: Option<&NestedCommand>) -> Option<Harm> {
    let arguments = run.arguments();
    let mut paths = arguments.iter().map(|word| word.value.as_str()).filter(|word| word.contains('/')).peekable();
    if paths.peek().is_some() && paths.all(|path| path.starts_with(TEMPORARY) && !path.contains("..")) {
        return None;
    }
    match run.name() {
        "find" | "fd" | "fdfind" => driven(run, run),
        "xargs" | "parallel" => feeding.and_then(|feeding| driven(run, feeding)),
        "chmod" => {
            let (mode, targets) = mode(arguments)?;
            let all = targets.iter().any(|word| !word.fixed && matches_directories(&word.value));
            let deep = has_flag(arguments, &RECURSIVE) && !only_adds(mode);
            (deep || all && takes_search(mode)).then_some(Harm::ChangesOwner)
        }
        "chown" | "chgrp" => {
            let owner = arguments.iter().find(|word| !is_flag(&word.value))?;
            (has_flag(arguments, &RECURSIVE) && !is_oneself(&owner.value)).then_some(Harm::ChangesOwner)
        }
        "setfacl" | "chattr" | "chcon" => has_flag(arguments, &RECURSIVE).then_some(Harm::ChangesOwner),
        "mv" => {
            let plain: Vec<&Word> = arguments.iter().filter(|word| !is_flag(&word.value)).collect();
            let named = has_flag(arguments, &["-t", "--target-directory"]);
            let (target, sources) = if named { (plain.first()?, plain.get(1..)?) } else { plain.split_last()? };
            let all = sources.iter().any(|word| !word.fixed && is_everything(&word.value));
            // `mv "$f" photo.jpg` in a loop: each overwrites the one before.
            let glob = sources.iter().any(|word| !word.fixed && word.value.contains('*'));
            let file = target.fixed && !named && target.value.rsplit('/').next().is_some_and(has_extension);
            let gives = (all || glob && file) && !target.value.contains('$');
            (gives && !asks(arguments)).then_some(Harm::Overwrites)
        }
        _ => None,
    }
}

/// What the inner command of `find` or `xargs` does to all that the search finds.
fn driven(run: &NestedCommand, search: &NestedCommand) -> Option<Harm> {
    wrappers::given_commands(run).into_iter().find_map(|inner| {
        let InnerCommand::Command { words, .. } = inner else { return None };
        let words = run.words.get(words)?;
        let start = words.iter().position(|word| !PREFIXES.contains(&word.value.as_str()) && !is_flag(&word.value))?;
        let (name, arguments) = words.get(start..)?.split_first()?;
        match plain_name(&name.value) {
            "chmod" => {
                let (mode, _) = mode(arguments)?;
                let harms = match found(search) {
                    Found::Files => false,
                    Found::Directories => takes_search(mode),
                    Found::All => !only_adds(mode),
                };
                harms.then_some(Harm::ChangesOwner)
            }
            "chown" | "chgrp" | "setfacl" | "chattr" | "chcon" => {
                let oneself =
                    arguments.iter().find(|word| !is_flag(&word.value)).is_some_and(|who| is_oneself(&who.value));
                (!oneself).then_some(Harm::ChangesOwner)
            }
            "mv" if !asks(arguments) => {
                // `mv {} {}.bak` gives each a name of its own.
                let several = arguments.iter().filter(|word| word.value.contains("{}")).count() > 1;
                (!several).then_some(Harm::Overwrites)
            }
            _ => None,
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Files,
    Directories,
    All,
}

/// What a search finds.
fn found(search: &NestedCommand) -> Found {
    let arguments = search.arguments();
    let pair = |flags: &[&str], kinds: &[&str]| {
        let separate = arguments
            .windows(2)
            .any(|pair| flags.contains(&pair[0].value.as_str()) && kinds.contains(&pair[1].value.as_str()));
        let glued = |word: &Word| {
            flags.iter().any(|flag| word.value.strip_prefix(flag).is_some_and(|kind| kinds.contains(&kind)))
        };
        separate || arguments.iter().any(glued)
    };
    let kinds = ["-type", "-t", "--type"];
    match search.name() {
        "find" | "fd" | "fdfind" if pair(&kinds, &["d", "directory", "dir"]) => Found::Directories,
        "find" | "fd" | "fdfind" if pair(&kinds, &["f", "l", "x", "file", "f,l"]) => Found::Files,
        // Directories rarely have an extension.
        "find"
            if arguments
                .windows(2)
                .any(|pair| matches!(pair[0].value.as_str(), "-name" | "-iname") && pair[1].value.contains("*.")) =>
        {
            Found::Files
        }
        "fd" | "fdfind" if has_flag(arguments, &["-e", "--extension"]) => Found::Files,
        "find" | "fd" | "fdfind" | "ls" | "echo" => Found::All,
        // Most programs name files: `git ls-files`, `grep -l`.
        _ => Found::Files,
    }
}

/// The mode and the targets of `chmod`.
fn mode(arguments: &[Word]) -> Option<(&str, Vec<&Word>)> {
    let at = arguments.iter().position(|word| !is_flag(&word.value) || is_mode_flag(&word.value))?;
    if arguments.iter().any(|word| word.value.starts_with("--reference")) {
        return None;
    }
    let targets = arguments.iter().enumerate().filter(|(number, word)| *number != at && !is_flag(&word.value));
    Some((arguments.get(at)?.value.as_str(), targets.map(|(_, word)| word).collect()))
}

/// A mode that only adds rights: `u+rwX`, `+r`. `+x` makes programs of all files.
fn only_adds(mode: &str) -> bool {
    mode.split(',').all(|clause| clause.contains('+') && !clause.contains(['-', '=', 'x', 's', 't']))
}

/// A mode without the owner's right to enter a directory: `644`, `-x`, `u=rw`.
fn takes_search(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    if !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit()) {
        let owner = digits.len().checked_sub(3).and_then(|at| digits.as_bytes().get(at));
        return owner.is_none_or(|owner| owner % 2 == 0);
    }
    mode.split(',').any(|clause| {
        let Some(operator) = clause.find(['-', '+', '=']) else { return false };
        let (who, what) = clause.split_at(operator);
        let owner = who.is_empty() || who.contains(['u', 'a']);
        let takes = what.starts_with('-') && what.contains('x');
        owner && (takes || what.starts_with('=') && !what.contains(['x', 'X', 'u', 'g', 'o']))
    })
}

/// The user who types: giving files to oneself repairs them.
fn is_oneself(owner: &str) -> bool {
    let user = owner.split([':', '.']).next().unwrap_or(owner);
    let user = user.trim_matches(['"', '{', '}']);
    ["$USER", "${USER", "$LOGNAME", "$UID", "$(whoami", "$(id ", "`whoami", "`id "]
        .iter()
        .any(|begin| user.starts_with(begin))
}

/// A glob that matches directories too: one without an extension.
fn matches_directories(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    path.contains('*') && !last.contains("*.") && (last.ends_with('*') || path.ends_with('/'))
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(name, ending)| !name.is_empty() && !ending.is_empty())
}

fn is_everything(path: &str) -> bool {
    path.trim_end_matches('/').rsplit('/').next().is_some_and(target::is_everything)
}

/// It does not overwrite.
fn asks(arguments: &[Word]) -> bool {
    has_flag(arguments, &["-n", "--no-clobber", "-i", "--interactive", "-b", "--backup", "--update"])
}

#[cfg(test)]
mod tests {
    use crate::safety;
    use shell_line::Dialect;

    fn said(line: &str) -> String {
        safety::dangers(line, Dialect::Bash).iter().map(|danger| danger.harm.name()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_reaches_directories_or_many_files_is_said() {
        let owner = [
            "chmod -R 644 .",
            "chmod 755 -R dir",
            "sudo chmod -R a-x src",
            "chmod -R u+x .",
            "chmod --recursive g-w .",
            "chmod 644 *",
            "chmod 0600 dir/*",
            "sudo chmod 644 /srv/x/*",
            "chmod -x *",
            "chmod u=rw */",
            "chmod a=r dir/**",
            "chown -R ada .",
            "sudo chown --recursive www-data:www-data /var/www/site",
            "chgrp -R staff dir",
            "setfacl -R -m u:bob:rx .",
            "chattr -R +i .",
            "find . -exec chmod 644 {} +",
            "find . -exec chmod 755 {} \\;",
            "find . -type d -exec chmod 600 {} +",
            "find . -type f -exec chmod -R 700 {} +",
            "find . -exec sudo chown bob {} +",
            "find . -execdir chmod a-x {} +",
            "fd . -x chmod 644",
            "find . -print0 | xargs -0 chmod 644",
            "ls | xargs chmod 600",
            "find . | xargs -I % chown bob %",
        ];
        for line in owner {
            assert_eq!(said(line), "owner", "{line}");
        }
        let overwrites = [
            "mv * elsewhere",
            "mv ./* ../old/",
            "mv -v dir/* .",
            "mv -t dir *",
            "for f in *.jpeg; do mv \"$f\" photo.jpg; done",
            "for f in *; do mv \"$f\" x/; done",
            "find . -name '*.log' -exec mv {} old \\;",
            "find . -type f -exec mv -t old {} +",
            "find . -type f | xargs mv -t old",
            "fd -e jpg -x mv {} old",
        ];
        for line in overwrites {
            assert_eq!(said(line), "overwrites", "{line}");
        }
        let harmless = [
            "chmod 644 file",
            "chmod 644 *.txt",
            "chmod 755 *",
            "chmod +x *.sh",
            "chmod -R u+rwX .",
            "chmod -R g+r,o+r .",
            "d=$(mktemp -d); chmod -R 755 $d/x",
            "sudo chown -R $USER:$USER .",
            "chown -R \"$(whoami)\" src",
            "chown ada file",
            "find . -type f -exec chmod 644 {} +",
            "find . -type d -exec chmod 755 {} +",
            "find . -name '*.sh' -exec chmod +x {} +",
            "find . -name '*.sh' | xargs chmod 755",
            "git ls-files | xargs chmod 644",
            "find . -name '*.txt' -exec mv {} {}.bak \\;",
            "find . -type f -exec mv -n {} old \\;",
            "mv *.txt dir/",
            "for f in *.jpeg; do mv \"$f\" \"${f%.jpeg}.jpg\"; done",
            "mv -n * dir",
            "mv -i * dir",
            "mv a b c dir",
            "find . -exec grep -l x {} +",
            "ls | xargs wc -l",
        ];
        for line in harmless {
            assert_eq!(said(line), "", "{line}");
        }
    }
}
