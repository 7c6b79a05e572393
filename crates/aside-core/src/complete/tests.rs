//! All sources and the ranking together, as scenes (`fake.rs` describes the rows).

use insta::assert_snapshot;

use super::*;
use crate::complete::fake::Fake;

/// One line per candidate: the text, its source and its description.
fn run(scene: &str) -> String {
    let fake = Fake::new(scene);
    let rows = complete(&fake.context()).into_iter().map(|Ranked { candidate, chance: _ }| {
        let Candidate { text, cursor, source, facts: _, about } = candidate;
        let text = match cursor {
            Some(cursor) => format!("{}|{}", &text[..cursor], &text[cursor..]),
            None => text,
        };
        let about = if about.is_empty() { about } else { format!("  {about}") };
        format!("{}  {}{about}", text.replace('\n', "\\n"), source.name())
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// The first candidate, which the ghost text shows.
fn first(scene: &str) -> String {
    run(scene).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn prefers_what_you_ran_in_this_directory() {
    let scene = "
        history  frob status      in /code
        history  frob stop now    in /home
        cwd      /code
        line     frob st|
    ";
    assert_snapshot!(first(scene), @"frob status  history");
}

#[test]
fn prefers_what_follows_the_last_command() {
    let scene = "
        history  frob start
        history  frob watch
        history  frob list
        history  frob start
        history  frob watch
        history  frob list
        history  frob list
        history  frob start
        line     frob |
    ";
    assert_snapshot!(first(scene), @"frob watch  history");
}

#[test]
fn prefers_what_worked_over_what_failed_and_learns_no_words_from_that() {
    let scene = "
        history  frob test --all
        history  frob tset  exit 101
        line     frob t|
    ";
    assert_snapshot!(run(scene), @r"
    frob test --all  history
    frob tset  history
    ");
}

#[test]
fn is_silent_before_the_first_letter_and_when_there_is_nothing_to_add() {
    assert_snapshot!(run("history ls -l\nline |"), @"");
    assert_snapshot!(run("history ls -l\nline    |"), @"");
    assert_snapshot!(run("history frob\nline frob|"), @"");
    assert_snapshot!(run("directory src\nline cd src|"), @"");
}

#[test]
fn a_line_that_never_ran_is_made_of_words_that_did() {
    let scene = "
        history  frob deploy --to staging web
        history  frob deploy --to staging api
        history  frob deploy --to production web
        line     frob deploy --to production a|
    ";
    assert_snapshot!(first(scene), @"frob deploy --to production api  history");
}

#[test]
fn goes_as_far_as_the_past_agrees() {
    let scene = "
        history  frob open reports/2024/march
        history  frob open reports/2024/april
        history  frob open reports/2025/may
        directory reports
        directory reports/2024
        directory reports/2025
        file     reports/2024/march
        file     reports/2024/april
        file     reports/2025/may
        line     frob o|
    ";
    assert_snapshot!(first(scene), @"frob open reports/  history");
}

#[test]
fn what_cannot_run_is_not_offered() {
    let here = "
        builtin  cd
        program  git
        directory src
        history  cd gone
        history  cd src
        history  frob all the things
    ";
    assert_snapshot!(run(&format!("{here}\nline cd |")), @"cd src  history");
    assert_snapshot!(run(&format!("{here}\nline fro|")), @"");
}

#[test]
fn lines_are_found_by_their_middle_and_by_their_first_letters() {
    let scene = "
        history  frob stash pop
        line     stash p|
    ";
    assert_snapshot!(run(scene), @"frob stash pop  history");
    assert_snapshot!(run("history frob stash pop\nline fsp|"), @"frob stash pop  history");
}

#[test]
fn offers_multi_line_commands_but_not_scripts() {
    let scene = "
        history  while true; do\\n  date\\ndone
        line     while t|
    ";
    assert_snapshot!(run(scene), @r"
    while true; do\n  date\ndone  history
    while time  environment  measure how long a command takes
    while type  environment  say what a command name means
    while test  environment  check a condition
    ");
    let script = format!("history frob {}\nline frob|", "x\\n".repeat(40));
    assert_snapshot!(run(&script), @"");
}

#[test]
fn in_the_middle_of_a_line_the_rest_stays() {
    let scene = "
        line     git che| main
    ";
    assert_snapshot!(run(scene), @r"
    git checkout| main  spec  go to a branch, or bring files back
    git cherry-pick| main  spec  take commits over from elsewhere
    git check-ignore| main  spec  why a file is ignored
    git check-attr| main  spec  attributes of files
    ");
}

#[test]
fn specs_paths_and_programs_answer_where_there_is_no_past() {
    assert_snapshot!(first("line git check|"), @"git checkout  spec  go to a branch, or bring files back");
    assert_snapshot!(first("git-branch main\ngit-branch feature/x\nline git switch f|"), @"git switch feature/x  spec");
    assert_snapshot!(first("directory src\nfile setup.py\nline cd s|"), @"cd src/  filesystem");
    assert_snapshot!(first("program kubectl\nbuiltin cd\nline kubec|"), @"kubectl  environment  control a Kubernetes cluster");
}

#[test]
fn a_slip_is_mended() {
    assert_snapshot!(first("program git\nbuiltin cd\nfile x\nline gti status|"), @"git status  correction  gti → git");
    assert_snapshot!(first("line git chekcout main|"), @"git checkout main  correction  chekcout → checkout");
}

#[test]
fn a_models_idea_enters_by_the_same_door() {
    let fake = Fake::new("history frob start\nline frob s|");
    let with = |idea| {
        let context = CompletionContext { idea: Some(idea), ..fake.context() };
        complete(&context).iter().map(|ranked| ranked.candidate.source.name()).collect::<Vec<_>>()
    };
    assert_eq!(with("tatus --all"), ["history", "llm"]);
    assert_eq!(with("tart"), ["history"], "what is known here is not said twice");
    let fake = Fake::new("line zzz |");
    let context = CompletionContext { idea: Some("--help"), ..fake.context() };
    assert_eq!(complete(&context)[0].candidate.text, "zzz --help");
}

/// The candidates with a model's suggestion.
fn with_idea(scene: &str, idea: &str) -> String {
    let fake = Fake::new(scene);
    let context = CompletionContext { idea: Some(idea), ..fake.context() };
    complete(&context).iter().map(|ranked| ranked.candidate.text.as_str()).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_models_idea_stays_behind_what_is_sure_however_long_it_gets() {
    let scene = "
        history  frob start
        history  frob start
        history  frob start
        line     frob s|
    ";
    let long = "end everything that is left to --all of --the --others";
    assert_eq!(with_idea(scene, long), format!("frob start, frob s{long}"));
}

#[test]
fn a_models_idea_has_a_place_among_many() {
    let many = "directory aa\ndirectory ab\ndirectory ac\ndirectory ad\ndirectory ae\nhistory frob a/b/c\nline frob a|";
    let without = with_idea(many, "");
    let with = with_idea(many, "ll --of --them");
    assert_eq!(without.split(", ").count(), 4, "{without}");
    assert_eq!(with.split(", ").count(), 4, "{with}");
    assert_eq!(with.split(", ").filter(|text| *text == "frob all --of --them").count(), 1, "{with}");
    assert!(with.split(", ").filter(|text| without.contains(text)).count() == 3, "{with}");
    let fake = Fake::new("history frob go\nhistory frob go\nline frob g|");
    let context = CompletionContext { idea: Some("et all"), limit: 1, ..fake.context() };
    let only = complete(&context);
    assert_eq!(only.len(), 1);
    assert_eq!(only[0].candidate.text, "frob go");
}

#[test]
fn half_a_word_of_a_model_is_nothing_where_the_word_is_known() {
    assert_eq!(with_idea("line git stat|", "u"), "git status");
    assert_eq!(with_idea("line git stat|", "us"), "git status");
    assert_eq!(with_idea("line git stat|", "us --short"), "git status, git status --short");
    assert_eq!(with_idea("line frob stat|", "u"), "frob statu");
}

#[test]
fn a_models_idea_that_cannot_run_is_not_offered() {
    let here = "builtin cd\nprogram git\nprogram sort\nfile notes.txt";
    assert_eq!(with_idea(&format!("{here}\nline kub|"), "ectl get pods"), "");
    assert_eq!(with_idea(&format!("{here}\nline sort < z|"), "eta.txt"), "");
    assert_eq!(with_idea(&format!("{here}\nline git commit -m |"), "'a b'"), "git commit -m 'a b'");
}

/// Shells tell names of a command from files by the source.
#[test]
fn in_a_list_a_name_that_ran_before_is_still_a_name() {
    let fake =
        Fake::new("program git\ngit-branch main\nhistory git log --oneline\nhistory git log\nline git log --one|");
    let context = CompletionContext { limit: 64, list: true, ..fake.context() };
    let found = complete(&context);
    assert_eq!(found[0].candidate.text.trim_end(), "git log --oneline");
    assert_eq!(found[0].candidate.source, CandidateSource::Spec);
}

/// The candidates when the user asks for a list.
fn listed(scene: &str) -> Vec<String> {
    let fake = Fake::new(scene);
    let context = CompletionContext { limit: 64, list: true, ..fake.context() };
    complete(&context).into_iter().map(|ranked| ranked.candidate.text.trim_end().to_owned()).collect()
}

const LISTED: &str = "
    program git
    program cat
    program rm
    program kill
    program frob
    process 4711
    file src/main.rs
    file src/mod_a.rs
    file src/mod_b.rs
    file src/mod_c.rs
    file src/mod_d.rs
    file src/mod_e.rs
    file src/mod_f.rs
    file src/mod_g.rs
    file src/mod_h.rs
    file src/mod_i.rs
    git-branch main
    git-branch topic
    history git commit --amend --no-edit
";

#[test]
fn a_list_has_all_flags_and_files_of_the_slot() {
    let flags = listed(&format!("{LISTED}\nline git commit --|"));
    assert!(flags.len() > 20, "{flags:?}");
    for flag in ["git commit --amend", "git commit --amend --no-edit", "git commit --all", "git commit --signoff"] {
        assert!(flags.iter().any(|line| line == flag), "{flag}: {flags:?}");
    }
    for line in ["cat src/", "frob src/"] {
        let files = listed(&format!("{LISTED}\nline {line}|"));
        assert_eq!(files.len(), 10, "{files:?}");
    }
    // Before a dash the files come first.
    let all = listed(&format!("{LISTED}\nline cat |"));
    assert_eq!(all.first().map(String::as_str), Some("cat src/"), "{all:?}");
    assert!(all.iter().any(|line| line == "cat -n"), "{all:?}");
    let subcommands = listed(&format!("{LISTED}\nline git |"));
    assert!(subcommands.iter().any(|line| line == "git bisect"), "{subcommands:?}");
    // Without a list request, the rules of the bar apply.
    let fake = Fake::new(&format!("{LISTED}\nline cat src/|"));
    assert_eq!(complete(&fake.context()), []);
}

#[test]
fn a_list_guesses_nothing_that_destroys() {
    for line in ["rm ", "rm src/", "kill ", "git push --", "git branch -D ", "cat > "] {
        let found = listed(&format!("{LISTED}\nline {line}|"));
        let names = |text: &String| ["src", "4711", "topic"].iter().any(|name| text.contains(name));
        let flags = |text: &String| ["--force", "--delete", "--mirror"].iter().any(|flag| text.ends_with(flag));
        let destroys = |text: &String| names(text) || flags(text);
        assert!(!found.iter().any(destroys), "{line}: {found:?}");
    }
}

/// Commands with what they need, and lines of them that do not begin with what is typed.
const TOOLS: &str = r#"
    repository /home/me
    program kubectl
    program npm
    program cargo
    program docker
    program git
    program pip
    program systemctl
    file package.json
    file Cargo.toml
    history kubectl logs web
    history kubectl logs -f api
    history kubectl config use-context prod exit 1
    history kubectl apply -f gone.yml
    history npm install
    history npm test
    history npm start exit 1
    history cargo build
    history cargo clippy --all
    history docker ps
    history docker compose up -d
    history git log --oneline
    history git push
    history pip install requests
    history systemctl status nginx
"#;

#[test]
fn subcommands_come_whatever_else_of_the_command_ran() {
    let cases = [
        ("kubectl g", "kubectl get"),
        ("kubectl ge", "kubectl get"),
        ("kubectl desc", "kubectl describe"),
        ("npm ru", "npm run"),
        ("npm outd", "npm outdated"),
        ("cargo tes", "cargo test"),
        ("cargo met", "cargo metadata"),
        ("docker imag", "docker images"),
        ("git reb", "git rebase"),
        ("pip li", "pip list"),
        ("systemctl resta", "systemctl restart"),
    ];
    // Often, and long ago: what ran often weighs more, what ran long ago less.
    for (runs, later) in [(1, 0), (40, 0), (40, 60)] {
        let others = "\nhistory ls -la".repeat(later);
        for (typed, wanted) in cases {
            let mut fake = Fake::new(&format!("{TOOLS}{}{others}\nline {typed}|", TOOLS.repeat(runs - 1)));
            for limit in [1, 4] {
                let context = CompletionContext { limit, ..fake.context() };
                let found = complete(&context);
                let first = found.first().map(|first| first.candidate.text.trim_end());
                assert_eq!(first, Some(wanted), "{typed}, {limit} asked for, {runs} runs: {found:#?}");
                let needs = ghost::GhostRequirements { threshold: ghost::THRESHOLD, commands: fake.history.len() };
                assert!(ghost::is_fit(typed, &found[0], needs), "{typed} has no ghost text: {found:#?}");
            }
            // With a daemon that has just been started.
            fake.history = Default::default();
            assert!(complete(&fake.context()).iter().any(|found| found.candidate.text.trim_end() == wanted), "{typed}");
        }
    }
}

/// A short name that says another word than it begins is the beginning of others.
#[test]
fn a_short_name_of_another_word_hides_no_subcommand() {
    let spec = r"spec frob about = 'frobs'\n[sub.delete]\naliases = ['r']\n[sub.start]\naliases = ['s']\n[sub.run]\n[sub.restart]\n[sub.stop]";
    let texts = |line: &str| {
        let fake = Fake::new(&format!("{TOOLS}\nprogram frob\n{spec}\nline {line}|"));
        complete(&fake.context()).iter().map(|found| found.candidate.text.trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert!(texts("npm r").contains(&"npm run".to_owned()), "{:?}", texts("npm r"));
    assert_eq!(texts("frob r"), ["frob run", "frob restart"]);
    // A short form of the word, and a full name, are complete.
    assert_eq!(texts("frob s"), ["frob start"]);
    assert_eq!(texts("cargo t"), ["cargo test"]);
    assert_eq!(texts("frob run"), [""; 0]);
}

#[test]
fn a_directory_is_offered_as_a_command_only_where_it_leads_to_one() {
    let tree = "
        directory dist
        file docs/page.md
        directory docs/results
        program target/debug/frob
        program scripts/lint
        file deep/one/page.md
        shell bash
    ";
    let at = |line: &str| run(&format!("{tree}\nline {line}|"));
    assert_snapshot!(at("./d"), @"");
    assert_snapshot!(at("./t"), @"./target/debug/  filesystem");
    assert_snapshot!(at("./s"), @"./scripts/  filesystem");
    // An argument may be any of them, and fish and zsh change to a directory that is named alone.
    assert_snapshot!(at("cd di"), @"cd dist/  filesystem");
    assert_snapshot!(run(&format!("{tree}\nshell fish\nline ./di|")), @"./dist/  filesystem");
}
