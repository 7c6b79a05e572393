//! Candidates that are rejected, by reason; and similar ones that are still shown.

mod facts;
mod slots;

use crate::complete::complete;
use crate::complete::fake::Fake;

/// Each row of `shown` is a line and a candidate that must be among its candidates; each row of `not`, one that must
/// not.
fn check(scene: &str, shown: &[(&str, &str)], not: &[(&str, &str)]) {
    let candidates = |line: &str| -> Vec<String> {
        let fake = Fake::new(&format!("{scene}\nline {}|", line.replace('|', "\\|")));
        complete(&fake.context()).into_iter().map(|ranked| ranked.candidate.text.trim_end().to_owned()).collect()
    };
    for (line, wanted) in shown {
        let found = candidates(line);
        assert!(found.iter().any(|text| text == wanted), "{line:?} lacks {wanted:?}: {found:?}");
    }
    for (line, unwanted) in not {
        let found = candidates(line);
        assert!(!found.iter().any(|text| text.starts_with(unwanted)), "{line:?} gives {unwanted:?}: {found:?}");
    }
}

#[test]
fn words_of_other_subcommands_and_commands_are_none_here() {
    check(
        "
        program git
        program docker
        program cargo
        git-branch main
        git-branch topic
        history git status --short
        history git commit --amend
        history git checkout topic
        history docker compose up
        history cargo test -- --nocapture
        ",
        &[("git che", "git checkout topic"), ("git status --", "git status --short")],
        &[
            ("git checkout ", "git checkout status"),
            ("git commit --", "git commit --short"),
            ("docker run ", "docker run compose"),
            ("cargo build --", "cargo build --nocapture"),
            ("git push --", "git push --short"),
        ],
    );
}

#[test]
fn names_that_are_not_here_are_not_offered() {
    check(
        "
        program git
        program make
        program cat
        git-branch main
        git-branch topic
        git-remote origin
        git-changed src/a.rs
        directory src
        file src/a.rs
        file src/b.rs
        history git checkout gone
        history git push origin gone
        history git rebase upstream/main
        history git add src/b.rs
        history git diff src/gone.rs
        history cat src/gone.rs
        ",
        &[("git checkout t", "git checkout topic"), ("git add s", "git add src/a.rs"), ("cat src/b", "cat src/b.rs")],
        &[
            ("git checkout g", "git checkout gone"),
            ("git push origin g", "git push origin gone"),
            ("git rebase u", "git rebase upstream"),
            ("git add s", "git add src/b.rs"),
            ("git diff s", "git diff src/gone.rs"),
            ("cat s", "cat src/gone.rs"),
        ],
    );
}

#[test]
fn patterns_that_nothing_here_fits_are_not_offered() {
    check(
        "
        program cat
        directory notes
        file a.py
        history cd pkg-*/
        history cat *.py
        history cat *.rs
        history cat logs/*.py in /elsewhere
        history cat notes/*.py
        ",
        &[("cat *", "cat *.py"), ("cat notes/*", "cat notes/*.py")],
        &[("cd ", "cd pkg"), ("cd p", "cd pkg"), ("cat *", "cat *.rs"), ("cat l", "cat logs")],
    );
}

#[test]
fn quotes_balance_and_messages_are_for_one_occasion() {
    check(
        "
        program git
        git-branch main
        git-remote origin
        history git commit -m 'fix the parser' && git push origin main
        history git commit -m 'wip'
        history git commit -m 'wip'
        ",
        &[("git commit -m 'w", "git commit -m 'wip'"), ("git push origin m", "git push origin main")],
        &[("git push origin m", "git push origin main'"), ("git commit -m 'f", "git commit -m 'fix the parser'")],
    );
}

#[test]
fn what_destroys_gets_no_guessed_argument() {
    check(
        "
        program rm
        program git
        program kubectl
        program kill
        git-branch main
        git-branch topic
        process 4711
        file Makefile
        file notes.txt
        history kubectl get staging
        history git push --force
        ",
        &[("rm n", "rm notes.txt"), ("git branch -d t", "git branch -d topic")],
        &[
            ("rm ", "rm "),
            ("rm -r ", "rm -r "),
            ("kubectl delete ", "kubectl delete staging"),
            ("git branch -D ", "git branch -D "),
            ("kill ", "kill 4711"),
            ("git push", "git push --force"),
        ],
    );
}

#[test]
fn an_empty_slot_needs_a_reason() {
    check(
        "
        program cat
        program ls
        program git
        program journalctl
        file Makefile
        file a.txt
        file b.txt
        directory docs
        git-branch main
        git-branch topic
        history ls docs
        history ls docs
        history ls docs
        ",
        &[("ls ", "ls docs"), ("git switch ", "git switch topic"), ("cat M", "cat Makefile")],
        &[("cat ", "cat "), ("journalctl ", "journalctl Makefile"), ("which ", "which docs")],
    );
}

#[test]
fn the_value_of_a_flag_is_that_flags_alone() {
    check(
        "
        program python
        program pytest
        file seed.py
        history python -c 'import os'
        history python seed.py
        history pytest seed.py
        ",
        &[("python s", "python seed.py")],
        &[
            ("python -m ", "python -m 'import"),
            ("python -m ", "python -m seed.py"),
            ("pytest -k ", "pytest -k seed.py"),
        ],
    );
}

#[test]
fn a_branch_that_is_left_is_another_one() {
    check(
        "
        program git
        git-branch main
        git-branch topic
        history git merge main
        history git merge main
        ",
        &[("git merge m", "git merge main")],
        &[],
    );
}

#[test]
fn a_host_among_paths_is_a_path_there() {
    check(
        "
        program scp
        program ssh
        host web1
        file a.txt
        ",
        &[("scp a.txt w", "scp a.txt web1:"), ("ssh w", "ssh web1")],
        &[],
    );
}

#[test]
fn nothing_is_guessed_without_a_reason() {
    check(
        "
        program git
        program cat
        program sort
        program uname
        program free
        builtin cd
        program scp
        program docker
        program make
        make-target test
        host web1
        git-branch main
        directory data
        file data/a.csv
        file data/b.csv
        file .gitignore
        history make test
        history ssh web1 uptime
        ",
        &[
            ("free -", "free -h"),
            ("cat x | so", "cat x | sort"),
            ("cat data/a", "cat data/a.csv"),
            ("time make ", "time make test"),
            ("A=1 make t", "A=1 make test"),
            ("scp data/a.csv ", "scp data/a.csv web1:"),
        ],
        &[
            ("free -", "free -b"),
            ("cat x | un", "cat x | uname"),
            ("cat data/", "cat data/"),
            ("docker build .", "docker build .git"),
            ("scp ", "scp web1:"),
        ],
    );
}

#[test]
fn what_was_made_or_written_once_is_not_made_again() {
    check(
        "
        program git
        program pg_dump
        program tar
        git-branch main
        git-branch topic
        file db-2024-03-01.sql
        history git checkout -b topic
        history git checkout -b topic
        history pg_dump shop > db-2024-03-01.sql
        history pg_dump shop > db-2024-03-01.sql
        history tar czf site-20240301.tgz site
        history tar czf site-20240301.tgz site
        ",
        &[("git checkout to", "git checkout topic")],
        &[
            ("git checkout -b ", "git checkout -b topic"),
            ("pg_dump s", "pg_dump shop > db"),
            ("tar czf ", "tar czf site-2024"),
        ],
    );
}

#[test]
fn subcommands_that_can_do_nothing_here_are_not_offered() {
    check(
        "
        program git
        program npm
        program make
        repository none
        file notes.txt
        file package.json
        npm-script dev
        history git commit --amend in /elsewhere
        history make deploy in /elsewhere
        ",
        &[("git cl", "git clone"), ("npm run ", "npm run dev")],
        &[("git ", "git add"), ("git sw", "git switch"), ("npm st", "npm start"), ("make d", "make deploy")],
    );
}

#[test]
fn a_line_found_by_its_middle_neither_destroys_nor_stands_in_for_a_program() {
    check(
        "
        program git
        program node
        program reset
        program rm
        builtin cd
        git-branch main
        directory node_modules
        history rm -rf node_modules
        history git reset --soft main
        history git stash pop
        git-stash stash@{0}
        history kubectl delete pod web
        ",
        &[("stash", "git stash pop")],
        &[
            ("node", "rm"),
            ("node_mod", "rm"),
            ("reset", "git reset"),
            ("delete", "kubectl delete"),
            ("git commit", "git commit-graph"),
            ("git diff", "git difftool"),
        ],
    );
}

#[test]
fn what_destroys_is_not_chosen_among_several() {
    check(
        "
        program rm
        program xargs
        program git
        program sudo
        program reboot
        program docker
        program find
        file s1
        file s2
        file notes.txt
        directory logs
        directory /usr
        git-branch main
        git-branch topic
        git-branch other
        history find . -name *.tmp -print
        history make build&& ls
        ",
        &[("rm n", "rm notes.txt"), ("rm -r l", "rm -r logs/"), ("git sw", "git switch")],
        &[
            ("rm s", "rm s"),
            ("rm l", "rm logs"),
            ("sudo rm l", "sudo rm logs"),
            ("xargs r", "xargs rm"),
            ("sudo re", "sudo reboot"),
            ("git branch -d ", "git branch -d "),
            ("git branch -D ", "git branch -D "),
            ("docker com", "docker compose"),
            ("find src -name ", "find src -name *"),
            ("make tes ", "make tes build&&"),
        ],
    );
}

#[test]
fn who_asks_for_many_candidates_gets_them() {
    let fake = Fake::new("program git\nhistory git status\nline git |");
    let found = |limit: usize| complete(&crate::complete::context::CompletionContext { limit, ..fake.context() }).len();
    assert_eq!(found(8), 8);
    assert!(found(20) >= 15, "{}", found(20));
}
