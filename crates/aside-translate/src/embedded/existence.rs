//! Decides whether a drafted command finds what it names: scripts and targets of the project, something to commit. What
//! is not known yet counts as present.

use aside_commands::world::{Fact, LiveKind};
use shell_line::{Command, Line};

use crate::TranslateContext;

pub fn finds(line: &Line<'_>, place: &TranslateContext<'_>) -> bool {
    let words = |command: &Command| -> Vec<String> { command.words.iter().map(|word| word.value.clone()).collect() };
    let commands: Vec<Vec<String>> = line.commands.iter().map(words).collect();
    let mut before = &commands[..0];
    for (number, command) in commands.iter().enumerate() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        // A command after `cd` finds other files.
        let moves = before.iter().any(|earlier| earlier.first().is_some_and(|name| name == "cd"));
        let found = match words.as_slice() {
            _ if moves => true,
            ["npm" | "pnpm" | "yarn" | "bun", rest @ ..] => has_script(rest, place),
            ["make", rest @ ..] => has_targets(rest, LiveKind::MakeTarget, place),
            ["just", rest @ ..] => has_targets(rest, LiveKind::JustRecipe, place),
            ["git", "commit", rest @ ..] => {
                let adds =
                    before.iter().any(|earlier| earlier.iter().any(|word| matches!(&**word, "add" | "stage" | "rm")));
                adds || has_changes(rest, place)
            }
            _ => true,
        };
        if !found {
            return false;
        }
        before = &commands[..=number];
    }
    true
}

fn has(live: LiveKind, name: &str, place: &TranslateContext<'_>) -> bool {
    match place.world.live(live, place.cwd) {
        Fact::Yes(items) => items.iter().any(|item| &*item.name == name),
        Fact::No => false,
        Fact::NotYet => true,
    }
}

fn has_script(words: &[&str], place: &TranslateContext<'_>) -> bool {
    if words.iter().any(|word| matches!(*word, "--prefix" | "-C" | "--cwd" | "-w" | "--workspace")) {
        return true;
    }
    match words {
        ["run" | "run-script", name, ..] => {
            name.starts_with('-') || name.contains(['.', '/']) || has(LiveKind::NpmScript, name, place)
        }
        ["start", ..] => {
            let entries = place.world.entries(place.cwd).yes();
            let serves = entries.is_some_and(|entries| entries.iter().any(|entry| &*entry.name == "server.js"));
            serves || has(LiveKind::NpmScript, "start", place)
        }
        [name @ ("test" | "stop" | "restart"), ..] => has(LiveKind::NpmScript, name, place),
        _ => true,
    }
}

fn has_targets(words: &[&str], live: LiveKind, place: &TranslateContext<'_>) -> bool {
    let is_plain =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    // A flag may take a value or name another file.
    words.iter().any(|word| word.starts_with('-'))
        || words.iter().filter(|word| is_plain(word)).all(|word| has(live, word, place))
}

fn has_changes(flags: &[&str], place: &TranslateContext<'_>) -> bool {
    let long = |name: &str| flags.contains(&name);
    if long("--amend") || long("--allow-empty") || long("-p") || long("--patch") {
        return true;
    }
    let short = |letter: char| {
        flags.iter().any(|flag| flag.starts_with('-') && !flag.starts_with("--") && flag.contains(letter))
    };
    let changed = |live: LiveKind| place.world.live(live, place.cwd);
    let is_tracked = |items: Fact<std::sync::Arc<[aside_commands::world::LiveItem]>>| match items {
        Fact::Yes(items) => items.iter().any(|item| &*item.about != "not tracked"),
        Fact::No | Fact::NotYet => true,
    };
    is_tracked(changed(LiveKind::GitStaged))
        || (short('a') || long("--all")) && is_tracked(changed(LiveKind::GitChanged))
}

#[cfg(test)]
mod tests {
    use crate::embedded::fake::Fake;

    #[test]
    fn nothing_is_committed_where_nothing_is_staged() {
        let staged = |staged: &'static [&'static str], changed: &'static [&'static str], words: &str| {
            let fake = Fake { staged: Some(staged.to_vec()), changed: changed.to_vec(), ..Fake::default() };
            fake.answers(words).into_iter().map(|answer| answer.command).collect::<Vec<_>>()
        };
        let words = "commit my changes with message hello";
        assert_eq!(staged(&["a.txt"], &[], words)[0], "git commit -am 'hello'");
        assert_eq!(staged(&[], &["a.txt"], words)[0], "git commit -am 'hello'");
        assert!(staged(&[], &[], words).iter().all(|command| !command.contains("git commit")));
        assert!(staged(&[], &["a.txt"], words).iter().all(|command| !command.contains("amend")));
        assert_eq!(staged(&[], &["a.txt"], "add a.txt and commit it")[0], "git add a.txt && git commit");
    }

    #[test]
    fn scripts_and_targets_exist() {
        let fake = Fake::default();
        assert_eq!(fake.best("run the npm script lint"), "npm run lint");
        assert_eq!(fake.best("run the npm script frobnicate"), "");
        assert_eq!(fake.best("run the make target test"), "make test");
        assert_eq!(fake.best("run the make target frobnicate"), "");
    }
}
