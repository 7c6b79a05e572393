//! Lines with their verdicts: the reference table of requirement 001, the mistakes of the systems we replace, and every
//! list.

mod examples;
mod fuzz;

use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};
use shell_line::Dialect;

use crate::detect::{DetectContext, FailureVerdict, FirstWord, PreRunVerdict, RunEnd, after_failure, before_run};

const PROGRAMS: &str = "awk bash cargo cat chmod chown clear cp curl cut date diff docker env false file find free gcc git go grep head \
     kill killall last less ls make man mkdir more mv nano npm open ping pip psql python3 rm sed sh sleep sort ssh sudo tail \
     tar tee test top touch tr uniq vim wall watch wc which who yes zsh";

/// A project with a few files in it.
struct Project;

impl World for Project {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if directory != "/home/me/project" {
            return Fact::No;
        }
        let mut names = vec!["Makefile", "README.md", "code", "data", "package.json", "src", "tests", "notes.txt"];
        names.sort_unstable();
        Fact::Yes(names.into_iter().map(|name| DirEntry { name: name.into(), kind: FileKind::File }).collect())
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        let mut names: Vec<Box<str>> = PROGRAMS.split_whitespace().map(Box::from).collect();
        names.sort();
        Fact::Yes(names.into())
    }

    fn live(&self, what: LiveKind, _directory: &str) -> Fact<Arc<[LiveItem]>> {
        let names: &[&str] = match what {
            LiveKind::MakeTarget => &["all", "test", "build"],
            LiveKind::NpmScript => &["build", "dev"],
            _ => return Fact::No,
        };
        Fact::Yes(names.iter().map(|name| LiveItem { name: (*name).into(), about: "".into() }).collect())
    }
}

fn with<T>(dialect: Dialect, judge: impl FnOnce(&DetectContext<'_>) -> T) -> T {
    let mut names = ShellNames::default();
    names.take("alias", 0, "gst=git status\ngrep=grep --color=auto\nplease=sudo\n");
    names.take("function", 0, "how2\nnpm\n");
    let specs = Specs::default();
    judge(&DetectContext {
        cwd: "/home/me/project",
        dialect,
        first: FirstWord::Unasked,
        world: &Project,
        names: &names,
        specs: &specs,
        agent_prefix: "@",
    })
}

/// Collects all wrong verdicts, to report them at once.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn judge(&mut self, line: &str, is_right: impl Fn(PreRunVerdict) -> bool) {
        for dialect in [Dialect::Zsh, Dialect::Bash] {
            let ruling = with(dialect, |facts| before_run(line, facts));
            if !is_right(ruling.verdict) {
                self.0.push(format!("{} {line}: {:?}, {}", dialect.name(), ruling.verdict, ruling.reason));
            }
        }
    }

    fn end(&mut self, line: &str, exit: i32, output: Option<&str>, verdict: FailureVerdict) {
        let end = RunEnd { exit, unreadable: false, output };
        let ruling = with(Dialect::Zsh, |facts| after_failure(line, &end, facts));
        if ruling.verdict != verdict {
            self.0.push(format!("{line} ({exit}, {output:?}): {:?}, {}", ruling.verdict, ruling.reason));
        }
    }

    #[track_caller]
    fn none(self) {
        assert!(self.0.is_empty(), "\n{}\n", self.0.join("\n"));
    }
}

#[test]
fn every_row_of_the_documents_table() {
    let mut wrong = Wrong::default();
    for line in [
        "do We already have a way to uninstall?",
        "do We already have an easy way to uninstall lacy?",
        "in the codebase where is auth?",
        "in the codebase where is the auth module?",
        "then what should I do next?",
        "while you are at it fix the tests",
        "make sure the lights are off",
    ] {
        wrong.judge(line, |verdict| verdict == PreRunVerdict::Agent);
    }
    let rows = [
        ("find out how the auth system works", 1, "find: unknown primary or operator"),
        ("find out how the auth system works", 1, "find: ‘out’: No such file or directory"),
        ("make sure the tests pass", 2, "make: *** No rule to make target 'sure'.  Stop."),
        ("git me the latest changes", 1, "git: 'me' is not a git command. See 'git --help'."),
        ("while you are at it fix the tests", 1, "zsh: parse error near `\\n'"),
        ("test the login flow works", 2, "zsh: test: too many arguments"),
        ("test the login flow works", 2, "zsh: unknown condition: the"),
        ("go ahead and fix the tests", 2, "go ahead: unknown command"),
        ("go for it and deploy", 2, "go for: unknown command"),
        ("cargo ahead with the release", 101, "error: no such command: `ahead`"),
    ];
    for (line, exit, output) in rows {
        if !line.starts_with("while") && !line.starts_with("make") {
            wrong.judge(line, |verdict| verdict == PreRunVerdict::Unsure);
        }
        wrong.end(line, exit, Some(output), FailureVerdict::Agent);
        if !line.starts_with("while") {
            wrong.end(line, exit, None, FailureVerdict::Agent);
        }
    }
    wrong.judge("ls -la", |verdict| verdict == PreRunVerdict::Shell);
    wrong.end("ls -la", 0, Some(""), FailureVerdict::Nothing);
    wrong.judge("grep -r foo", |verdict| verdict == PreRunVerdict::Shell);
    wrong.end("grep -r foo", 1, Some(""), FailureVerdict::Nothing);
    wrong.end("grep -r foo", 1, None, FailureVerdict::Nothing);
    wrong.none();
}

#[test]
fn what_a_shell_can_read_and_run_is_the_shells() {
    let mut wrong = Wrong::default();
    let lines = "{ ls; }
        [[ -f x ]] && ls
        ! grep -q a b
        function f { ls; }
        function f {
        select x in a b; do echo $x; done
        select x in a b; do
        coproc cat
        (cd /tmp && ls)
        $(which ls) -la
        $EDITOR f
        arr=(1 2 3)
        \\ls -la
        # what is the meaning of this
        ./missing.sh arg
        ~/bin/foo bar
        gti status
        who
        who am i
        which
        which python3 node
        continue
        yes
        yes | head
        yes n
        ls
        npm run build
        make test
        make all build
        cd code
        cat data
        cat the
        touch a b c
        touch this that
        mkdir new old
        kill 3000
        kill -9 %1
        read line
        read -r a b
        export PATH
        set -o vi
        echo the quick brown fox jumps over it
        printf '%s\\n' the end of it
        git commit -m \"fix the bug in the parser\"
        git commit -m 'this is what we have' && git push
        git checkout -b the-new-one
        grep -rn \"how are you\" src
        for i in a b c; do echo $i; done
        for f in *.txt
        for x in the a
        while true; do sleep 1; done
        while read -r line; do echo $line; done < file
        while true
        until ls; do :; done
        if ls; then echo yes; fi
        if [ -f x ]
        if true
        case $x in
        case x in a) ls;; esac
        time make
        time ls -la
        repeat 3 echo hi
        cat <<EOF
        ls *.txt | wc -l
        find . -name out -o -name in
        a=b ls
        gst
        please make it so
        how2 do this
        npm is what I want
        dcoker run it
        kubectl get pods
        terraform plan
        push origin main
        FOO=bar make sure
        python3 -c \"print('what is this')\"
        ssh me@host what is up
        test -f the
        cp a b
        exit
        2>&1 ls";
    for line in lines.lines().map(str::trim) {
        wrong.judge(line, |verdict| verdict != PreRunVerdict::Agent);
    }
    wrong.judge("for i in a\ndo what is this\ndone", |verdict| verdict == PreRunVerdict::Shell);
    wrong.judge("", |verdict| verdict == PreRunVerdict::Shell);
    wrong.none();
}

#[test]
fn what_would_be_lost_on_a_shell_is_a_sentence() {
    let mut wrong = Wrong::default();
    let lines = "how many files here?
        what's my ip
        how do I use tar -xzf to extract?
        what does git reset --hard HEAD~1 do?
        why is $PATH empty
        please show me the biggest files
        show me all files
        list big files
        undo last commit
        delete node_modules
        hello
        thanks!
        why?
        can you fix this
        is docker running
        tests are failing on main
        that didn't work
        podman is not running, what can I do about it
        and now the same for the other folder
        10 biggest files in this folder
        touch base with me
        kill the process on port 3000
        make sure the lights are off
        make me a sandwich
        while you are at it fix the tests
        if you can, list the files
        until the tests pass keep running them
        for each file in this folder rename it
        time to deploy the app
        find out what's wrong with it
        yes please
        yes please do that
        who wrote this function here
        ssh into the server and restart it
        pip install the latest version of numpy
        read the log and tell me what failed
        export the table to csv for me
        @ ls
        I want to see the log
        ok let's do it";
    for line in lines.lines().map(str::trim) {
        wrong.judge(line, |verdict| verdict == PreRunVerdict::Agent);
    }
    wrong.none();
}

#[test]
fn ordinary_failures_are_left_alone() {
    let mut wrong = Wrong::default();
    let missing = "No such file or directory";
    let rows = [
        ("npm run build", 1, "npm error Missing script: \"build\""),
        ("grep what this.txt that.txt", 1, ""),
        ("string match this that", 1, ""),
        ("contains me in here", 1, ""),
        ("diff this that", 1, "1c1"),
        ("cat file", 1, missing),
        ("python3 test", 2, missing),
        ("cargo run", 101, "error: could not find `Cargo.toml`: no such file or directory"),
        ("make test", 2, "make: *** No rule to make target 'test'.  Stop."),
        ("make build", 2, "make: *** No rule to make target 'build'.  Stop."),
        ("kubectl get pods", 127, "command not found: kubectl"),
        ("docker run img", 127, "command not found"),
        ("cd code", 1, "cd: no such file or directory: code"),
        ("go run main.go", 1, missing),
        ("cp file dest/", 1, missing),
        ("ls data", 2, missing),
        ("cat config", 1, missing),
        ("docker build .", 1, "unknown command"),
        ("git update", 1, "git: 'update' is not a git command."),
        ("gti status", 127, "zsh: command not found: gti"),
        ("find . -name the", 1, "invalid option"),
        ("grep for main.c", 2, "grep: main.c: No such file or directory"),
        ("ls a b", 2, missing),
        ("make install", 2, "No rule to make target"),
        ("./run the tests now", 127, "no such file or directory: ./run"),
        ("ssh the", 255, "unknown option"),
        ("make the tests pass", 130, "No rule to make target"),
        ("git show that", 128, "unknown revision"),
    ];
    for (line, exit, output) in rows {
        wrong.end(line, exit, Some(output), FailureVerdict::Nothing);
        wrong.end(line, exit, None, FailureVerdict::Nothing);
    }
    wrong.none();
}

#[test]
fn the_documents_rules_hold_where_nothing_here_speaks_against_them() {
    let mut wrong = Wrong::default();
    let no_rule = "make: *** No rule to make target 'x'.  Stop.";
    let syntax = "bash: syntax error near unexpected token `('";
    let rows = [
        // From 128 on a status may be a program's own.
        (
            "git log for the last week",
            128,
            "fatal: ambiguous argument 'for': unknown revision or path",
            FailureVerdict::Agent,
        ),
        ("git me the latest changes", 129, "git: 'me' is not a git command.", FailureVerdict::Agent),
        ("git me the latest changes", 137, "git: 'me' is not a git command.", FailureVerdict::Nothing),
        // Without an error pattern there is no reroute.
        ("make the tests pass for me", 2, "connect: Connection refused", FailureVerdict::Nothing),
        ("go ahead and fix the tests", 1, "3 tests failed", FailureVerdict::Nothing),
        ("git show me what is wrong with it", 1, "permission denied", FailureVerdict::Nothing),
        // With one, a listed second word is enough, unless it is known here.
        ("make release better", 2, no_rule, FailureVerdict::Agent),
        ("make release package", 2, no_rule, FailureVerdict::Nothing),
        ("go feature complete", 2, "go feature: unknown command", FailureVerdict::Agent),
        ("cargo issue triage", 101, "error: no such command: `issue`", FailureVerdict::Agent),
        ("make test better", 2, no_rule, FailureVerdict::Nothing),
        ("make data bigger", 2, no_rule, FailureVerdict::Nothing),
        ("git commit message", 1, "error: pathspec 'message': no such file or directory", FailureVerdict::Nothing),
        // Four words that no shell can parse.
        ("cargo deploy production (cluster)", 2, syntax, FailureVerdict::Agent),
        ("docker ship everything (today)", 1, "zsh: parse error near `)'", FailureVerdict::Agent),
        ("cp report (1).pdf docs/", 2, syntax, FailureVerdict::Nothing),
        ("cat notes backup copy (old)", 2, syntax, FailureVerdict::Nothing),
        ("git commit -m fix (again)", 2, syntax, FailureVerdict::Nothing),
        ("cargo deploy (cluster)", 2, syntax, FailureVerdict::Nothing),
    ];
    for (line, exit, output, verdict) in rows {
        wrong.end(line, exit, Some(output), verdict);
    }
    let unread = RunEnd { exit: 2, unreadable: true, output: None };
    let line = "cargo deploy production (cluster)";
    let ruling = with(Dialect::Bash, |facts| after_failure(line, &unread, facts));
    if ruling.verdict != FailureVerdict::Agent {
        wrong.0.push(format!("{line}, which bash could not read: {}", ruling.reason));
    }
    wrong.none();
}

#[test]
fn a_reserved_line_that_is_unfinished_is_the_shells_only_if_it_could_go_on() {
    let mut wrong = Wrong::default();
    for line in ["{ what is this", "{ how do I fix it", "select one", "select the best option for me"] {
        wrong.judge(line, |verdict| verdict == PreRunVerdict::Agent);
    }
    for line in [
        "{ ls",
        "{ make sure",
        "{ what is this |",
        "select x",
        "select x in a b",
        "select file in *.txt",
        "function f {",
        "for each in a b",
        "for every in 1 2 3",
        "for this in *.txt",
        "for you in me them",
    ] {
        wrong.judge(line, |verdict| verdict != PreRunVerdict::Agent);
    }
    wrong.none();
}
