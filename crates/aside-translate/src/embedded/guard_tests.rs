//! Tests that small talk, moods and orders that name nothing are not read as destructive queries.

use shell_line::Dialect;

use crate::embedded::fake::Fake;
use crate::read_only::is_read_only;

/// About something in a file that only the user knows how to find. Neither a word of it is a text to replace, nor are files to delete.
const CONTENTS: &[&str] = &[
    "remove old entries from notes.txt",
    "strip output cells from analysis.ipynb in place",
    "delete trailing commas from config.json",
    "change the port to 8080 in config.json",
    "remove expired sessions from sessions.json",
    "drop outdated records from users.csv",
    "delete stale items from cache.json",
    "set the timeout to 30 in app.ini",
    "clean old rows from log.csv",
    "remove unused imports from app.py",
    "delete dead code from main.rs",
    "strip debug statements from src/app.py",
    "delete the newest items from todo.md",
    "erase large numbers from data.csv",
];

/// Small talk, or too vague to act on. No answer is right; a command that only reads is tolerated.
const VAGUE: &[&str] = &[
    "get rid of everything useless",
    "clean up this mess",
    "make it faster",
    "fix my computer",
    "what do you think about rust",
    "delete stuff",
    "tell me a joke",
    "remove junk",
    "clean this up",
    "tidy up",
    "delete things i don't need",
    "remove what is not needed anymore",
    "throw away the old garbage",
    "kill it",
    "stop it",
    "undo everything i did wrong",
    "fix this",
    "fix the bug in my code",
    "make my code better",
    "refactor this project",
    "why is it so slow",
    "it does not work",
    "nothing works anymore",
    "help me please",
    "i hate this computer",
    "good morning",
    "how are you today",
    "who won the world cup",
    "what is the meaning of life",
    "write me a poem about the sea",
    "translate hello to french",
    "is it going to rain tomorrow",
    "can you write a web app for me",
    "should i learn python or rust",
    "delete the bad ones",
    "remove the wrong files",
    "erase my mistakes",
    "reset",
    "wipe it all away somehow",
    "nuke it",
    "free up some space by deleting unimportant things",
    "delete whatever you think is best",
    "make everything secure",
    "optimize my system",
    "speed up my machine",
    "make room",
    "do the usual cleanup",
    "change it back to how it was before i broke it",
    "replace the old with the new",
    "overwrite it",
    "move fast and break things",
    "drop it",
    "format this nicely for my boss",
    "shred the evidence",
    "get rid of my ex",
    "purge the unworthy",
    "remove temptation from my life",
    "delete the internet",
    "kill all humans",
    "请讲个笑话",
    "把没用的东西都删掉",
    "清理一下这个烂摊子",
    "电脑太慢了怎么办",
    "你觉得怎么样",
];

#[test]
fn talk_and_vague_orders_destroy_nothing() {
    let machine = Fake::default();
    let mut wrong = Vec::new();
    for words in VAGUE.iter().chain(CONTENTS) {
        for answer in machine.answers(words) {
            if !is_read_only(&answer.command, Dialect::Zsh) {
                wrong.push(format!("{words}: {} ({})", answer.command, machine.rule_of(words, &answer.command)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn all_is_deleted_only_where_it_is_said_and_where() {
    let machine = Fake::default();
    let sweeps = |words: &str| {
        let commands = machine.answers(words).into_iter().map(|answer| answer.command);
        commands.filter(|command| command.contains("-delete") || command.contains("rm ")).collect::<Vec<_>>()
    };
    for words in [
        "delete everything in the build directory",
        "delete all files here",
        "remove all .log files",
        "删除所有 .log 文件",
    ] {
        assert!(!sweeps(words).is_empty(), "{words}: {:?}", machine.answers(words));
    }
    for words in [
        "delete everything useless here",
        "delete all the ugly files here",
        "remove all files nobody wants",
        "delete everything i never use",
        "remove everything suspicious in docs",
    ] {
        assert_eq!(sweeps(words), Vec::<String>::new(), "{words}");
    }
}
