//! Answers to prose: the table, and the texts of a few of its rows.

use aside_translate::ToolFlavor;
use aside_translate::read_only::is_read_only;

use super::*;
use crate::complete::fake::Fake;

/// `prose => kind`, or `prose => kind: proposal`. `127 prose` ended with that status.
const TABLE: &str = include_str!("tests/sentences.txt");

const MACHINE: &str = "
    program awk
    program cargo
    program cat
    program chmod
    program curl
    program df
    program docker
    program du
    program find
    program fuser
    program git
    program go
    program grep
    program head
    program ip
    program kill
    program ls
    program lsof
    program make
    program mkdir
    program npm
    program ps
    program python3
    program rm
    program rsync
    program sort
    program ss
    program tar
    program test
    program touch
    program wc
    program xargs
    program zip
    builtin cd
    builtin echo
    alias gst=git status
    file README.md
    file Cargo.toml
    file notes.txt
    file run.sh
    directory src
    make-target test
    make-target build
    git-branch main
    git-branch feature-login
    repository /home/me
";

struct Said {
    advice: Advice,
}

impl Said {
    fn to(words: &str) -> Self {
        Self::with(words, 0, None, &[])
    }

    fn with(words: &str, exit: i32, output: Option<&str>, blocklist: &[String]) -> Self {
        let machine = Fake::new(MACHINE);
        let place = TranslateContext {
            cwd: &machine.cwd,
            dialect: machine.dialect,
            system: ToolFlavor::Gnu,
            world: &machine.world,
            names: &machine.names,
            specs: &machine.specs,
        };
        let asked =
            AgentQuery { words, exit, output, history: &machine.history, blocklist, model: ModelAbsence::Unset };
        Self { advice: embedded(&asked, &place) }
    }

    /// As the table spells it.
    fn row(&self) -> String {
        let kind = self.advice.kind.name();
        match &self.advice.proposal {
            Some(offered) => format!("{kind}: {}", offered.command),
            None => kind.to_owned(),
        }
    }

    fn markdown(&self) -> &str {
        &self.advice.markdown
    }
}

#[test]
fn every_sentence_of_the_table_is_answered_so() {
    let rows = TABLE.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#'));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for row in rows {
        let (sentence, expected) = row.split_once(" => ").expect("a sentence and what is said");
        let status = sentence.split_once(' ').and_then(|(status, words)| Some((status.parse().ok()?, words)));
        let (exit, words) = status.unwrap_or((0, sentence));
        let said = Said::with(words, exit, None, &[]).row();
        if said != expected.trim() {
            wrong.push(format!("{sentence} => {said}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 60, "{count}");
}

#[test]
fn a_query_is_said_with_what_it_does_and_what_it_destroys() {
    let said = Said::to("kill the process on port 3000");
    insta::assert_snapshot!(said.markdown(), @r#"
    ```sh
    lsof -ti:3000 | xargs kill
    ```

    Ends whatever listens on the port. **Careful:** stops a running program.

    Or: `fuser -k 3000/tcp`
    "#);
    let offered = said.advice.proposal.unwrap();
    assert_eq!((offered.warning.as_str(), said.advice.lacks_model), ("stops a running program", false));
    insta::assert_snapshot!(Said::to("how many files are here?").markdown(), @r#"
    ```sh
    find . -maxdepth 1 -type f | wc -l
    ```

    Counts what is here.

    Or: `git ls-files | wc -l`, `ls | wc -l`
    "#);
}

#[test]
fn a_command_that_failed_is_told_of_no_model() {
    for words in ["kill it", "kill that", "git together"] {
        assert_eq!(Said::with(words, 1, None, &[]).markdown(), "", "{words}");
    }
    for (words, exit) in [("kill it", 0), ("make the page load faster", 2), ("why is everything slow", 127)] {
        assert!(Said::with(words, exit, None, &[]).markdown().contains("needs a model"), "{words}");
    }
}

#[test]
fn an_answer_in_chinese_has_no_english_sentence() {
    for words in ["删除所有日志", "怎么删除 notes.txt", "杀掉占用 8080 端口的进程"] {
        let said = Said::to(words);
        let markdown = said.markdown();
        let around = markdown.split("```").step_by(2).collect::<String>();
        let told: String = around.split('`').step_by(2).collect();
        assert!(!told.contains(|letter: char| letter.is_ascii_alphabetic()), "{words}: {markdown}");
    }
}

#[test]
fn a_command_is_explained_by_its_parts() {
    insta::assert_snapshot!(Said::to("explain git reset --hard HEAD~1").markdown(), @r#"
    `git reset --hard HEAD~1`: Goes back to the commit before the current one and discards every change since.

    - `--hard`: changes the files too: whatever is not committed is lost
    - `HEAD~1`: the commit before the current one

    **Careful:** discards work that may be nowhere else.
    "#);
    insta::assert_snapshot!(Said::to("what is git").markdown(), @r#"
    `git`: Keeps the versions of a project.

    - `git status`: show what changed
    - `git add`: stage changes for the next commit
    - `git commit`: record the staged changes
    - `git push`: send commits to a remote
    - `git pull`: fetch and integrate what others did
    "#);
    insta::assert_snapshot!(Said::to("what is the difference between grep and find").markdown(), @r#"
    `grep`: Prints lines that match.

    `find`: Finds files and directories here and below.
    "#);
    for (words, start) in [
        ("what does tar xzf do", "`tar xzf`: Unpacks"),
        ("what does ps aux do?", "`ps aux`: Lists every process"),
        ("explain tar czf", "`tar czf`: "),
    ] {
        assert!(Said::to(words).markdown().starts_with(start), "{words}: {}", Said::to(words).markdown());
    }
}

#[test]
fn an_error_is_said_in_a_line() {
    let output = Some("cat: diary.txt: No such file or directory\n");
    assert_eq!(Said::with("cat diary.txt", 1, output, &[]).markdown(), "There is no `diary.txt` in `/home/me`.");
    let missing = Said::with("jq . Cargo.toml", 127, None, &[]);
    assert!(missing.markdown().starts_with("There is no command `jq` (") && missing.advice.lacks_model);
    // An existing file may have failed for another reason.
    assert_eq!(Said::with("cat notes.txt", 1, Some("cat: notes.txt: Input/output error"), &[]).row(), "beyond");
}

#[test]
fn what_is_beyond_us_says_how_to_get_a_model() {
    let said = Said::to("why is my build slow");
    assert!(said.advice.lacks_model && said.advice.proposal.is_none());
    assert!(said.markdown().lines().count() <= 2 && said.markdown().contains("`aside model pull "));
    assert!(Said::to("修复这个错误").markdown().starts_with("回答这个需要模型"));
}

#[test]
fn what_is_on_the_blocklist_is_not_proposed() {
    let blocklist = ["lsof".to_owned(), "fuser".to_owned(), "git status".to_owned()];
    for words in ["kill the process on port 3000", "gti status"] {
        let offered = Said::with(words, 0, None, &blocklist).advice.proposal;
        let blocked = offered.is_some_and(|offered| blocklist.iter().any(|entry| offered.command.contains(entry)));
        assert!(!blocked, "{words}");
    }
}

#[test]
fn no_text_is_too_strange() {
    let strange =
        ["", " ", "?", "`", "``", "what does ` do", "what does  do", "explain", "the -", "-z of", "what is \u{0}"];
    let strange =
        strange.into_iter().map(str::to_owned).chain(["é".repeat(5000), "what is ".repeat(80), "和".repeat(9)]);
    let rows = TABLE.lines().filter_map(|row| row.split_once(" => "));
    let beginnings = rows.flat_map(|(words, _)| {
        let ends = words.char_indices().map(|(end, _)| end).step_by(3);
        ends.map(|end| words[..end].to_owned()).collect::<Vec<_>>()
    });
    for words in strange.chain(beginnings) {
        for exit in [0, 127] {
            let said = Said::with(&words, exit, Some(&words), &[]);
            assert!(!said.markdown().is_empty() && text::is_clean(said.markdown()), "{words:?}");
        }
    }
}

/// Prints the answers, for work on the rules: `SENTENCE='…' cargo test -p aside-core --lib try_a_sentence`. `;` separates several.
#[test]
#[expect(clippy::disallowed_methods, reason = "a person asks by hand")]
fn try_a_sentence() {
    let Ok(sentences) = std::env::var("SENTENCE") else { return };
    let said = sentences.split(';').map(str::trim).map(|words| format!("\n{words} => {}", Said::to(words).row()));
    panic!("{}", said.collect::<String>());
}

/// The whole sentence, and not only what is left without its frame, decides whether something is to be changed.
#[test]
fn what_is_only_asked_or_told_proposes_no_change() {
    for words in [
        "can i delete notes.txt",
        "may i remove the src folder",
        "is it possible to delete all .log files",
        "i have to delete notes.txt someday",
        "can we delete the feature-login branch",
        "who deleted notes.txt",
        "don't delete notes.txt",
        "the src folder was deleted by mistake",
        "could you please not delete notes.txt",
        "能不能删除 notes.txt",
        "可以删除 notes.txt 吗",
        "怎么又把 notes.txt 删了",
    ] {
        let proposal = Said::to(words).advice.proposal;
        let changes =
            proposal.as_ref().is_some_and(|offered| !is_read_only(&offered.command, shell_line::Dialect::Zsh));
        assert!(!changes, "{words}: {proposal:?}");
    }
    for words in ["can you delete notes.txt", "how do i delete notes.txt", "我想删除 notes.txt", "怎么删除 notes.txt"]
    {
        let proposal = Said::to(words).advice.proposal;
        assert_eq!(proposal.map(|offered| offered.command).as_deref(), Some("rm notes.txt"), "{words}");
    }
}
