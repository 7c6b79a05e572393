//! Candidates that the facts of the directory, the repository and the rest of the line allow.

use super::check;
use crate::complete::complete;
use crate::complete::fake::Fake;

const HOME: &str = "
    program git
    program make
    program npm
    program cargo
    program docker
    program terraform
    program sudo
    program ls
    builtin cd
    file notes.txt
    directory shop
    repository none
    history git push in /code/shop
    history git commit --amend --no-edit in /code/shop
    history sudo make install in /code/shop
    history make test in /code/shop
    history npm run dev in /code/shop
    history cargo build --release in /code/shop
    history docker compose up -d in /code/shop
    history terraform plan in /code/shop
    history git clone https://example.org/a.git in /code
    history git config --global user.name me in /code
    history docker ps in /code
    history cd shop && git pull in /home/me
";

#[test]
fn lines_that_need_a_project_are_not_offered_where_there_is_none() {
    check(
        HOME,
        &[
            ("git cl", "git clone https://example.org/a.git"),
            ("git con", "git config --global user.name me"),
            ("docker p", "docker ps"),
            ("cd shop ", "cd shop && git pull"),
            // The name alone may be for `make -C`.
            ("mak", "make"),
        ],
        &[
            ("git p", "git p"),
            ("git ", "git push"),
            ("git ", "git commit"),
            ("g", "git push"),
            ("make", "make test"),
            ("make ", "make test"),
            ("sudo ma", "sudo make install"),
            ("npm ", "npm run"),
            ("npm r", "npm run dev"),
            ("carg", "cargo build"),
            ("cargo b", "cargo build"),
            ("docker c", "docker compose up"),
            ("terra", "terraform plan"),
        ],
    );
    let project =
        HOME.replace("repository none", "repository /home/me\nfile Makefile\nfile package.json\nnpm-script dev");
    check(
        &format!("{project}\nmake-target test"),
        &[("git p", "git push"), ("make ", "make test"), ("npm r", "npm run dev")],
        &[("cargo b", "cargo build")],
    );
}

const REPOSITORY: &str = "
    program git
    program grep
    program find
    program cat
    program less
    builtin cd
    repository /home/me
    git-branch main  current
    git-branch topic
    git-branch fix
    git-branch origin/main  remote
    git-branch origin/topic  remote
    git-remote origin
    git-changed src/a.rs  modified
    git-changed new.rs  not tracked
    git-changed out/  not tracked
    git-state commits  1
    file src/a.rs
    file src/b.rs
    file new.rs
    file out/x.o
";

#[test]
fn arguments_that_git_would_refuse() {
    check(
        &format!(
            "{REPOSITORY}
            history git rm new.rs in /elsewhere
            history git branch -D origin/topic in /elsewhere
            history git rebase -i HEAD~3 in /elsewhere
            history git reset --soft HEAD~1 in /elsewhere
            history git rebase --continue in /elsewhere
            history git merge --abort in /elsewhere
            history git cherry-pick --continue in /elsewhere
            history git stash pop in /elsewhere
            history git switch origin/topic in /elsewhere
            history git log origin/main in /elsewhere"
        ),
        &[
            ("git rm sr", "git rm src/"),
            ("git branch -D t", "git branch -D topic"),
            ("git log or", "git log origin/main"),
            ("git merge origin/t", "git merge origin/topic"),
            ("git add n", "git add new.rs"),
        ],
        &[
            ("git rm n", "git rm new.rs"),
            ("git rm o", "git rm out"),
            ("git restore n", "git restore new.rs"),
            ("git diff n", "git diff new.rs"),
            ("git mv n", "git mv new.rs"),
            ("git branch -D o", "git branch -D origin"),
            ("git branch -m o", "git branch -m origin"),
            ("git switch o", "git switch origin"),
            ("git push origin o", "git push origin origin"),
            ("git rebase -i H", "git rebase -i HEAD~3"),
            ("git reset --soft H", "git reset --soft HEAD~1"),
            ("git rebase --c", "git rebase --continue"),
            ("git rebase --a", "git rebase --abort"),
            ("git merge --a", "git merge --abort"),
            ("git cherry-pick --c", "git cherry-pick --continue"),
            ("git stash p", "git stash pop"),
        ],
    );
    let begun = REPOSITORY.replace("git-state commits  1", "git-state rebase\ngit-state commits  9");
    check(
        &format!("{begun}\ngit-stash stash@{{0}}\nhistory git rebase -i HEAD~3 in /elsewhere"),
        &[
            ("git rebase --c", "git rebase --continue"),
            ("git rebase -i H", "git rebase -i HEAD~3"),
            ("git stash p", "git stash pop"),
        ],
        &[("git merge --ab", "git merge --abort")],
    );
}

#[test]
fn what_is_plain_is_shown_before_a_letter() {
    check(
        REPOSITORY,
        &[
            ("git restore ", "git restore src/a.rs"),
            ("git diff ", "git diff src/a.rs"),
            ("git checkout ", "git checkout topic"),
            ("git checkout ", "git checkout fix"),
            ("git branch -d t", "git branch -d topic"),
            ("git merge ", "git merge topic"),
            ("cat out/", "cat out/x.o"),
        ],
        &[
            ("git checkout ", "git checkout main"),
            ("git branch -d ", "git branch -d "),
            ("git branch -D ", "git branch -D topic"),
            ("cat src/", "cat src/"),
        ],
    );
    let elsewhere = REPOSITORY.replace("main  current", "main").replace("git-branch fix", "git-branch fix  current");
    check(&elsewhere, &[("git branch -d t", "git branch -d topic")], &[("git branch -d m", "git branch -d main")]);
    // Commits and tags do not count as rivals of branches. With several changed files there is no obvious one whose
    // changes to discard.
    let many: String = (0..40).map(|number| format!("git-commit {number:08x}\ngit-tag v1.{number}\n")).collect();
    check(
        &format!("{REPOSITORY}\n{many}\ngit-changed src/b.rs  modified"),
        &[("git checkout ", "git checkout topic"), ("git diff ", "git diff src/b.rs")],
        &[("git restore ", "git restore src")],
    );
    check(
        "program tar\nfile /home/me/Downloads/a.tar.gz\nfile /home/me/Downloads/b.pdf",
        &[("tar xf ~/Downloads/", "tar xf ~/Downloads/a.tar.gz")],
        &[("tar xf ~/Downloads/", "tar xf ~/Downloads/b.pdf")],
    );
}

#[test]
fn what_an_argument_may_be_depends_on_the_flags() {
    check(
        &format!(
            "{REPOSITORY}
            history grep TODO src in /elsewhere
            history grep -rn FIXME src in /elsewhere
            history cat src in /elsewhere
            history less src/a.rs in /elsewhere
            history find . -name a.rs -name b.rs in /elsewhere"
        ),
        &[
            ("grep -rn F", "grep -rn FIXME src"),
            ("less s", "less src/a.rs"),
            ("find . -name '*.rs' -o -na", "find . -name '*.rs' -o -name"),
            ("find . -ty", "find . -type"),
        ],
        &[
            ("grep T", "grep TODO src"),
            ("grep TODO s", "grep TODO src in"),
            ("cat s", "cat src in"),
            ("find . -name '*.rs' -na", "find . -name '*.rs' -name"),
            ("find . -name '*.rs' -", "find . -name '*.rs' -name"),
        ],
    );
}

#[test]
fn going_where_the_user_is_already() {
    check(
        "
        cwd /home/me/shop
        builtin cd
        program pushd
        directory web
        directory api
        directory /home/me/other
        history cd ~/shop in /home/me
        history cd ~/other in /home/me
        history cd ../shop in /home/me/other
        history cd /home/me/shop/ in /
        history cd ~/gone in /home/me
        history cd $HOME/shop in /
        ",
        &[("cd ~/o", "cd ~/other"), ("cd w", "cd web/")],
        &[
            ("cd ~/s", "cd ~/shop"),
            ("cd ", "cd ~/shop"),
            ("cd ..", "cd ../shop"),
            ("cd /", "cd /home/me/shop"),
            ("cd ~/g", "cd ~/gone"),
            ("cd $", "cd $HOME/shop"),
        ],
    );
}

#[test]
fn a_line_found_by_its_middle_means_the_same_words() {
    check(
        "
        program docker
        program git
        program kubectl
        repository /home/me
        git-branch main
        history docker run --rm -it alpine
        history git push --tags
        history kubectl get pods --all-namespaces
        history git log --oneline main
        ",
        &[("git main", "git log --oneline main")],
        &[
            ("docker rm ", "docker run"),
            ("docker rm", "docker run"),
            ("git tag", "git push"),
            ("git tag ", "git push"),
            ("kubectl all", "kubectl get pods --all"),
        ],
    );
}

/// The candidates for a line with `|` as the cursor.
fn shown(scene: &str, line: &str) -> Vec<String> {
    let fake = Fake::new(&format!("{scene}\nline {line}"));
    complete(&fake.context()).into_iter().map(|ranked| ranked.candidate.text.trim_end().to_owned()).collect()
}

#[test]
fn what_stands_behind_the_cursor_counts() {
    let has = |line: &str, wanted: &str| shown(REPOSITORY, line).iter().any(|text| text == wanted);
    for (line, wanted) in [
        ("git che| topic", "git checkout topic"),
        ("cat sr| new.rs", "cat src/ new.rs"),
        ("git com| -m x", "git commit -m x"),
        ("gre| TODO new.rs", "grep TODO new.rs"),
        ("git log --one| main", "git log --oneline main"),
    ] {
        assert!(has(line, wanted), "{line} lacks {wanted}: {:?}", shown(REPOSITORY, line));
    }
    for line in [
        // In the middle of a word.
        "git che|ckout",
        "git sta|tus",
        "ca|t new.rs",
        "cat ne|w.rs",
        // There is a subcommand already.
        "git | status",
        "git s| log --oneline",
        // The word is already there, or is one too many.
        "cat n| new.rs",
        "git log --one| --oneline",
        "cd s| out",
    ] {
        assert_eq!(shown(REPOSITORY, line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn behind_a_pipe_come_filters() {
    let scene = "
        program git
        program grep
        program gzip
        program make
        program node
        program sort
        program ls
        repository /home/me
        history git status
        history git status
        history git log
        history make
    ";
    let first = |line: &str| shown(scene, line).into_iter().next().unwrap_or_default();
    assert_eq!(first("ls \\| g|"), "ls | grep");
    assert_eq!(first("ls \\| s|"), "ls | sort");
    assert!(!shown(scene, "ls \\| g|").iter().any(|text| text.contains("| git")));
    assert!(!shown(scene, "cat x \\| m|").iter().any(|text| text.contains("| make")));
}

#[test]
fn names_that_the_user_uses_come_first() {
    let programs = "program pr\nprogram ps\nprogram ping\nprogram psql\nprogram pdftotext\nprogram pip\nbuiltin cd";
    let first =
        |more: &str, line: &str| shown(&format!("{programs}\n{more}"), line).into_iter().next().unwrap_or_default();
    assert_eq!(first("history pdftotext a.pdf\nhistory ls\nhistory ls", "p|").split(' ').next(), Some("pdftotext"));
    assert_ne!(first("", "p|"), "pr");
}

#[test]
fn branches_come_before_tags_and_no_changed_file_is_guessed_where_a_branch_may_come() {
    let scene = "
        program git
        git-branch main
        git-branch login
        git-branch search
        git-tag v1
        git-changed src/a.rs
        directory src
        file src/a.rs
    ";
    for line in ["git checkout ", "git merge ", "git rebase "] {
        let fake = Fake::new(&format!("{scene}\nline {line}|"));
        let first = complete(&fake.context()).into_iter().next().expect("something is shown").candidate.text;
        assert!(["main", "login", "search"].iter().any(|branch| first.trim_end().ends_with(branch)), "{first}");
    }
    check(scene, &[("git restore ", "git restore src/a.rs")], &[("git checkout ", "git checkout src/a.rs")]);
}

#[test]
fn a_directory_is_no_reason_by_itself_where_files_of_a_sort_are_wanted() {
    check(
        "
        program tar
        program python
        directory src
        directory src/app
        file src/app/main.py
        file notes.txt
        ",
        &[("tar xf s", "tar xf src/app/")],
        &[("tar xf ", "tar xf src"), ("python ", "python src")],
    );
}

#[test]
fn the_name_behind_a_short_form_is_offered() {
    check(
        "program cargo\nprogram npm\nfile Cargo.toml\nfile package.json\nnpm-script test",
        &[("cargo t", "cargo test"), ("cargo b", "cargo build"), ("npm t", "npm test")],
        &[("cargo t", "cargo tree")],
    );
}
