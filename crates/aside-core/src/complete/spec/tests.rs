//! Specs as the user sees them: scenes with a line, `|` being the cursor.

use aside_commands::spec::Specs;
use aside_commands::spec::format;
use insta::assert_snapshot;
use shell_line as line;

use super::*;
use crate::complete::fake::Fake;
use crate::complete::spec::check::{InvalidReason, Validity};
use crate::complete::spec::expected::{Expected, PathKind};

/// A command with one thing of each kind.
const X: &str = r#"
about = "an example"
aliases = ["xx"]
common = ["status", "remote"]
flags_first = true
[flags]
"-C" = { takes = "directory", about = "work there", moves = true }
"-v, --verbose" = { about = "say more", repeats = true }
"--no-pager" = "no pager"
[sub.stash]
about = "set aside"
[sub.status]
about = "what changed"
aliases = ["st"]
[sub.remote.sub.add]
args = ["new", "url"]
[sub.remote.sub.remove]
args = ["git-remote..."]
[sub.show]
args = ["git-branch or git-tag", "path..."]
after_dashes = ["one|two", "three|"]
[sub.show.flags]
"-a, --all" = "all"
"-m, --message" = { takes = "short|long=very long", about = "which" }
"-n" = { takes = "10|20", about = "how many", optional = true }
"--color" = { takes = "auto|always|never", about = "colours", optional = true }
"--color-depth" = { takes = "8|24", about = "bits" }
"-e" = { takes = "red|rose", about = "again", repeats = true }
"#;

/// A scene with `x`, whose names are `main`, `dev`, `v1`.
fn x(line: &str) -> String {
    let spec = X.replace('\n', "\\n");
    format!(
        "spec x {spec}\ngit-branch main\ngit-branch dev\ngit-tag v1\ngit-remote origin\ngit-remote fork\nline {line}"
    )
}

fn candidates_of(fake: &Fake) -> Vec<Candidate> {
    let text = format!("{}{}", fake.left, fake.right);
    let line = line::parse(&text, fake.dialect);
    candidates(&fake.context(), &line.at(fake.left.len()))
}

/// The lines that are offered, in order.
fn offers(scene: &str) -> String {
    let candidates = candidates_of(&Fake::new(scene));
    candidates.iter().map(|candidate| candidate.text.as_str()).collect::<Vec<_>>().join(" / ")
}

/// The same with everything that the ranking and the bar get.
fn details(scene: &str) -> String {
    let rows = candidates_of(&Fake::new(scene)).into_iter().map(|candidate| {
        let CandidateFacts { kind, fit, rivals, place, usual: _, typed, adds: _, past: _, habit: _ } = candidate.facts;
        format!("{}: {kind:?} {fit:?} {place} of {rivals}, {typed} typed, {}", candidate.text, candidate.about)
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn expects(scene: &str) -> Expected {
    let fake = Fake::new(scene);
    let text = format!("{}{}", fake.left, fake.right);
    let line = line::parse(&text, fake.dialect);
    expected::expected(&fake.context(), &line.at(fake.left.len()))
}

/// The judgement of the last command of the line.
fn judged(scene: &str) -> Validity {
    let fake = Fake::new(scene);
    let line = line::parse(&fake.left, fake.dialect);
    check::check(&fake.context(), line.commands.last().unwrap())
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(offers(&x(line)), *expected, "{line}");
    }
}

#[test]
fn subcommands() {
    check(&[
        // Before a letter, the usual ones; then all that match, the usual ones first.
        ("x |", "x status / x remote"),
        ("x s|", "x status / x stash / x show"),
        ("x sta|", "x status / x stash"),
        ("x stas|", "x stash"),
        ("x remote |", "x remote add / x remote remove"),
        ("x remote r|", "x remote remove"),
        // The name as a path, and under an alias.
        ("/usr/bin/x stas|", "/usr/bin/x stash"),
        ("xx stas|", "xx stash"),
        // After flags of the command itself.
        ("x -v stas|", "x -v stash"),
        ("x -C /tmp stas|", "x -C /tmp stash"),
        ("x -C/tmp stas|", "x -C/tmp stash"),
        // In the middle of a line, and among other commands.
        ("ls; x stas| --all", "ls; x stash --all"),
        ("ls \\| x stas|", "ls | x stash"),
        ("echo $(x stas|", "echo $(x stash"),
        ("A=1 x stas|", "A=1 x stash"),
        ("x >out stas|", "x >out stash"),
        // In quotes.
        ("x 'stas|", "x 'stash'"),
        // Another case, if nothing fits better.
        ("x STAS|", "x stash"),
    ]);
}

#[test]
fn silence_where_no_subcommand_can_be() {
    check(&[
        ("x|", ""),
        ("x status|", ""),
        ("x zzz|", ""),
        ("x status |", ""),
        ("x zzz |", ""),
        ("x zzz s|", ""),
        ("x -- s|", ""),
        ("x $a s|", ""),
        ("x $a|", ""),
        ("y s|", ""),
        ("x status >s|", ""),
        ("$x s|", ""),
        ("x remote add |", ""),
        ("# x s|", ""),
        ("x s${s|", ""),
    ]);
}

#[test]
fn flags() {
    check(&[
        ("x -|", "x -C / x -v / x --no-pager"),
        ("x --|", "x --verbose / x --no-pager"),
        ("x --n|", "x --no-pager"),
        ("x --N|", "x --no-pager"),
        // Not again, unless it may repeat.
        ("x --no-pager --n|", ""),
        ("x --verbose --v|", "x --verbose --verbose"),
        ("x show -a -|", "x show -a -m / x show -a -n / x show -a --color / x show -a --color-depth / x show -a -e"),
        (
            "x show -ae red -m long -|",
            "x show -ae red -m long -n / x show -ae red -m long --color / x show -ae red -m long --color-depth / x show -ae red -m long -e",
        ),
        ("x show --message=long -m|", ""),
        // Those of the command come only before the subcommand.
        ("x show --no|", ""),
        ("x show --al|", "x show --all"),
        // A lone dash is an argument, and after `--` there are no flags.
        ("x show - -a|", ""),
        ("x show -- -|", ""),
        ("x show -- --al|", ""),
        // A one-letter flag is another flag as a capital.
        ("x show -A|", ""),
        ("x show --no-such|", ""),
    ]);
}

#[test]
fn flags_of_the_command_come_after_subcommands_too_unless_it_says_otherwise() {
    let spec = r#"spec y [flags]\n"-n, --namespace" = { takes = "one|two" }\n[sub.get.flags]\n"-o" = "output""#;
    let case = |line: &str| offers(&format!("{spec}\nline {line}"));
    assert_eq!(case("y get --n|"), "y get --namespace");
    assert_eq!(case("y get -n |"), "y get -n one / y get -n two");
    assert_eq!(case("y get -|"), "y get -o / y get -n");
    assert_eq!(case("y -n one get -|"), "y -n one get -o");
}

#[test]
fn values_of_flags() {
    check(&[
        ("x show -m |", "x show -m short / x show -m long"),
        ("x show -m l|", "x show -m long"),
        ("x show -ml|", "x show -mlong"),
        ("x show -aml|", "x show -amlong"),
        ("x show -am l|", "x show -am long"),
        ("x show --message |", "x show --message short / x show --message long"),
        ("x show --message=|", "x show --message=short / x show --message=long"),
        ("x show --message=l|", "x show --message=long"),
        ("x show --message='l|", "x show --message='long'"),
        // An optional value only with `=`, or joined to a letter.
        ("x show --color=a|", "x show --color=auto / x show --color=always"),
        (
            "x show --color|",
            "x show --color=auto / x show --color=always / x show --color=never / x show --color-depth",
        ),
        ("x show --color m|", "x show --color main"),
        ("x show -n2|", "x show -n20"),
        ("x show -n 2|", ""),
        ("x show -m short m|", "x show -m short main"),
        // A word that looks like a flag is a value where one is required.
        ("x show -m -a m|", "x show -m -a main"),
        ("x show --message=z|", ""),
        ("x show --all=|", ""),
        ("x show --nothing=|", ""),
        ("x show -ax|", ""),
    ]);
}

#[test]
fn arguments() {
    check(&[
        ("x show |", "x show main / x show dev / x show v1"),
        ("x show d|", "x show dev"),
        ("x show D|", "x show dev"),
        ("x show -a -e red d|", "x show -a -e red dev"),
        // Files come from another source.
        ("x show dev |", ""),
        ("x show dev d|", ""),
        ("x show -- |", "x show -- one / x show -- two"),
        ("x show dev -- |", "x show dev -- one / x show dev -- two"),
        ("x show -- one |", "x show -- one three"),
        ("x show -- one three |", ""),
        // Given names are not offered again.
        ("x remote remove |", "x remote remove origin / x remote remove fork"),
        ("x remote remove fork |", "x remote remove fork origin"),
        ("x remote remove fork origin |", ""),
    ]);
}

#[test]
fn what_is_not_known_yet_or_not_there_is_not_offered() {
    assert_eq!(offers("slow git-branch\ngit-branch main\nline git switch |"), "");
    assert_eq!(offers("line git switch |"), "");
}

#[test]
fn a_flag_can_say_where_names_are_looked_for() {
    let scene = |line: &str| {
        format!(
            "git-branch here in /home/me\ngit-branch there in /srv/repo\ngit-branch home in /home/me/x\nline {line}"
        )
    };
    assert_eq!(offers(&scene("git switch |")), "git switch here");
    assert_eq!(offers(&scene("git -C /srv/repo switch |")), "git -C /srv/repo switch there");
    assert_eq!(offers(&scene("git -C ../../srv/repo switch |")), "git -C ../../srv/repo switch there");
    assert_eq!(offers(&scene("git -C /srv -C repo switch |")), "git -C /srv -C repo switch there");
    assert_eq!(offers(&scene("git -C ~/x switch |")), "git -C ~/x switch home");
    assert_eq!(offers(&scene("git -C $there switch |")), "");
    assert_eq!(offers(&scene("env -C /srv git -C repo switch |")), "env -C /srv git -C repo switch there");
}

#[test]
fn aliases_of_the_shell() {
    let scene = |alias: &str, line: &str| offers(&format!("git-branch main\nalias {alias}\nline {line}"));
    assert_eq!(scene("gco=git checkout", "gco |"), "gco main");
    assert_eq!(scene("gco=git checkout", "gco m|"), "gco main");
    assert_eq!(scene("g=git", "g swit|"), "g switch");
    assert_eq!(scene("git=git --no-pager", "git swit|"), "git switch");
    assert_eq!(scene("gg=cd /srv && git", "gg swit|"), "gg switch");
    assert_eq!(scene("gm=git switch main", "gm |"), "");
    assert_eq!(scene("gco=git checkout", "gcx m|"), "");
    // The shell expands no alias after sudo, unless sudo is itself an alias that ends in a blank.
    let two =
        |sudo: &str| offers(&format!("spec sudo command_at = 1\nalias g=git\nalias sudo={sudo}\nline sudo g swit|"));
    assert_eq!(two("sudo"), "");
    assert_eq!(two("sudo "), "sudo g switch");
    // Cyclic aliases.
    assert_eq!(offers("alias a=b\nalias b=a\nline a |"), "");
    assert_eq!(offers("alias a=a a\nline a |"), "");
}

#[test]
fn commands_that_run_another_one() {
    let sudo = r#"spec sudo command_at = 1\n[flags]\n"-u, --user" = { takes = "user" }\n"-E" = "keep""#;
    let limit = r#"spec limit args = ["number", "command"]\ncommand_at = 2"#;
    let find =
        r#"spec seek style = "single"\n[flags]\n"-exec" = { takes = "command..." }\n"-name" = { takes = "pattern" }"#;
    let case = |line: &str| offers(&format!("{sudo}\n{limit}\n{find}\nuser root\ngit-branch main\nline {line}"));
    assert_eq!(case("sudo git swit|"), "sudo git switch");
    assert_eq!(case("sudo -u root git switch |"), "sudo -u root git switch main");
    assert_eq!(case("sudo -u |"), "sudo -u root");
    assert_eq!(case("sudo -E -u root -- git swit|"), "sudo -E -u root -- git switch");
    assert_eq!(case("sudo A=1 git swit|"), "sudo A=1 git switch");
    assert_eq!(case("sudo sudo /usr/bin/git swit|"), "sudo sudo /usr/bin/git switch");
    assert_eq!(case("limit 5 git swit|"), "limit 5 git switch");
    assert_eq!(case("limit git swit|"), "");
    assert_eq!(case("seek -exec git swit|"), "seek -exec git switch");
    assert_eq!(case("seek -exec git status \\; -na|"), "");
    assert_eq!(case("sudo gi|"), "");
    assert_eq!(case("sudo |"), "");
    assert_eq!(case("sudo -|"), "sudo -u / sudo -E");
    assert_eq!(case(&format!("{}git swit|", "sudo ".repeat(40))), "");
}

#[test]
fn flags_of_one_dash() {
    let spec = r#"spec seek style = "single"\nargs = ["directory..."]\n[flags]\n"-name" = { takes = "a|b" }\n"-newer" = { takes = "file" }\n"-print" = "show""#;
    let case = |line: &str| offers(&format!("{spec}\nline {line}"));
    assert_eq!(case("seek . -n|"), "seek . -name / seek . -newer");
    assert_eq!(case("seek . -name |"), "seek . -name a / seek . -name b");
    assert_eq!(case("seek . -name=|"), "seek . -name=a / seek . -name=b");
    assert_eq!(case("seek . -name a -p|"), "seek . -name a -print");
    assert_eq!(case("seek . -np|"), "");
}

#[test]
fn flags_without_a_dash() {
    let dd = r#"spec copy style = "bare"\n[flags]\n"if" = { takes = "file", about = "from" }\n"conv" = { takes = "sync|fsync" }\n"aux" = "all""#;
    let tar = r#"spec pack style = "bare"\nargs = ["x|y"]\n[flags]\n"x, -x" = "extract"\n"f, -f, --file" = { takes = "a.tar|b.tar" }"#;
    let case = |line: &str| offers(&format!("{dd}\n{tar}\nline {line}"));
    assert_eq!(case("copy |"), "copy if= / copy conv= / copy aux");
    assert_eq!(case("copy i|"), "copy if=");
    assert_eq!(case("copy conv=f|"), "copy conv=fsync");
    assert_eq!(case("copy if=a |"), "copy if=a conv= / copy if=a aux");
    assert_eq!(case("copy aux a|"), "");
    assert_eq!(case("pack xf |"), "pack xf a.tar / pack xf b.tar");
    assert_eq!(case("pack -xf b|"), "pack -xf b.tar");
    assert_eq!(case("pack xf a.tar |"), "pack xf a.tar x / pack xf a.tar y");
    assert_eq!(case("pack --file=|"), "pack --file=a.tar / pack --file=b.tar");
}

#[test]
fn facts_and_descriptions() {
    assert_snapshot!(details(&x("x sta|")), @r"
    x status: Subcommand Extends 0 of 2, 3 typed, what changed
    x stash: Subcommand Extends 1 of 2, 3 typed, set aside
    ");
    assert_snapshot!(details(&x("x show -m |")), @r"
    x show -m short: Value Extends 0 of 2, 0 typed, 
    x show -m long: Value Extends 1 of 2, 0 typed, very long
    ");
    assert_snapshot!(details(&x("x show --message=lo|")), @"x show --message=long: Value Extends 0 of 1, 2 typed, very long");
    assert_snapshot!(details(&x("x show --al|")), @"x show --all: Flag Extends 0 of 1, 4 typed, all");
    assert_snapshot!(details("git-branch Main  2 days ago\nline git switch mA|"), @"git switch Main: Name Mends { edits: 2 } 0 of 1, 2 typed, 2 days ago");
    // A word that is typed completely is a rival, but not offered.
    assert_snapshot!(details("git-branch dev\ngit-branch dev-2\nline git switch dev|"), @"git switch dev-2: Name Extends 0 of 2, 3 typed,");
}

#[test]
fn the_persons_own_specs_go_before_ours_and_learnt_ones_after() {
    assert_eq!(offers("spec git [sub.mine]\nline git |"), "git mine");
    assert_eq!(offers("learnt git [sub.learnt]\nline git le|"), "");
    assert_eq!(offers("learnt frob [sub.nicate]\nline frob |"), "frob nicate");
    assert_eq!(offers("learnt frob [sub.nicate]\\n[flags]\\n\"bad\" = 1\nline frob |"), "frob nicate");
    assert_eq!(offers("learnt frob [sub.nicate\nline frob |"), "");
}

#[test]
fn what_is_wrong_with_a_persons_spec_is_said() {
    let own = vec![
        ("one".to_owned(), "about = \"x\"\nargs = [\"bush\"]\n".to_owned()),
        ("two".to_owned(), "about = \n".to_owned()),
        ("git".to_owned(), "about = \n".to_owned()),
    ];
    let (specs, problems) = Specs::with(own);
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_snapshot!(problems.join("\n"), @r#"
    one.toml:2: unknown kind "bush"
    two.toml:1: string values must be quoted, expected literal string
    git.toml:1: string values must be quoted, expected literal string
    "#);
    let world = aside_commands::world::EmptyWorld;
    assert_eq!(specs.about("one", &world).as_deref(), Some("x"));
    assert_eq!(specs.about("two", &world), None);
    assert_eq!(specs.about("git", &world).as_deref(), Some("keep versions of files"));
    assert!(specs.has("one") && specs.has("git") && !specs.has("two"));
}

#[test]
fn what_is_expected() {
    let files = |which, must_exist| Some(expected::ExpectedFiles { which, globs: Vec::new(), must_exist });
    let none = Expected::default();
    let anything = Expected { anything: true, files: files(PathKind::Any, false), ..none.clone() };
    let command = Expected { command: true, ..none.clone() };
    let listed = Expected { listed: true, ..none.clone() };
    let sudo = r#"spec sudo command_at = 1\n[flags]\n"-D" = { takes = "directory" }"#;
    let open = r#"spec open args = ["file:*.a,*.b or file:*.c..."]\n[flags]\n"-o" = { takes = "file or new" }\n"-v" = { takes = "variable" }\n"-p" = { takes = "program" }\n"--in" = { takes = "path" }"#;
    let globs = ["*.a", "*.b", "*.c"].map(Box::from).to_vec();
    for (line, expected) in [
        ("gi|", command.clone()),
        ("sudo gi|", command.clone()),
        ("sudo |", command.clone()),
        ("sudo -D |", Expected { files: files(PathKind::Directory, true), ..none.clone() }),
        ("sudo -D/|", Expected { files: files(PathKind::Directory, true), skip: 2, ..none.clone() }),
        ("unheard-of |", anything.clone()),
        ("git |", listed.clone()),
        ("git -|", listed),
        ("git status -- |", Expected { files: files(PathKind::Any, false), repeats: true, ..none.clone() }),
        ("git nothing |", none.clone()),
        (
            "git -C ../x status -- |",
            Expected {
                files: files(PathKind::Any, false),
                repeats: true,
                directory: Some("/home/x".into()),
                ..none.clone()
            },
        ),
        ("git -C $x status -- |", none.clone()),
        (
            "open |",
            Expected {
                files: Some(expected::ExpectedFiles { which: PathKind::File, globs, must_exist: true }),
                repeats: true,
                ..none.clone()
            },
        ),
        ("open -o |", Expected { files: files(PathKind::File, false), new: true, ..none.clone() }),
        ("open -v |", Expected { variable: true, ..none.clone() }),
        ("open -p |", Expected { files: files(PathKind::Program, true), command: true, ..none.clone() }),
        ("open --in=src/|", Expected { files: files(PathKind::Any, true), skip: 5, ..none.clone() }),
        ("git status > |", Expected { files: files(PathKind::File, false), ..none.clone() }),
        ("git apply < |", Expected { files: files(PathKind::File, true), ..none.clone() }),
        ("A=|", anything),
        ("echo $H|", Expected { variable: true, ..none.clone() }),
        ("# git |", none),
    ] {
        assert_eq!(expects(&format!("{sudo}\n{open}\nline {line}")), expected, "{line}");
    }
}

#[test]
fn judgements() {
    let show = r#"spec show args = ["file..."]\n[flags]\n"-o" = { takes = "file" }"#;
    let go = r#"spec go args = ["directory"]"#;
    let few = r#"spec few closed = true\n[sub.a]\n[sub.b]\naliases = ["bee"]"#;
    let run = r#"spec run args = ["npm-script"]"#;
    let world = "file src/main.rs\nfile notes\ngit-branch main\ngit-branch origin/main\ngit-remote origin\ngit-tag v1\n\
                 git-commit 1234abc\ngit-changed notes\nnpm-script build\nalias ff=few c";
    let judge = |line: &str| match judged(&format!("{show}\n{go}\n{few}\n{run}\n{world}\nline {line}|")) {
        Validity::Possible => "possible".to_owned(),
        Validity::Unknown => "unknown".to_owned(),
        Validity::Impossible(reason) => match (reason.wrong, reason.word) {
            (InvalidReason::Subcommand, word) => format!("no subcommand {word:?}"),
            (InvalidReason::Missing, word) => format!("missing {word:?}"),
            (InvalidReason::Name(live), word) => format!("no {live:?} {word:?}"),
        },
    };
    for (line, expected) in [
        ("few a", "possible"),
        ("few bee", "possible"),
        ("few c", "no subcommand Some(1)"),
        ("sleep 1; few c", "no subcommand Some(1)"),
        ("ff", "no subcommand None"),
        ("few $c", "unknown"),
        ("few -x a", "unknown"),
        ("unheard-of x", "unknown"),
        // Aliases of git and extra installed subcommands are not known.
        ("git st", "unknown"),
        ("git status", "possible"),
        ("show notes", "possible"),
        ("show src/main.rs", "possible"),
        ("show ./src/../notes", "possible"),
        ("show ~/notes", "possible"),
        ("show gone", "missing Some(1)"),
        ("show src/gone", "missing Some(1)"),
        ("show nowhere/gone", "missing Some(1)"),
        ("show ~/gone", "missing Some(1)"),
        ("show 'no notes'", "missing Some(1)"),
        ("show *.rs", "unknown"),
        ("show $gone", "unknown"),
        ("show host:gone", "unknown"),
        ("show -", "unknown"),
        ("show -o gone notes", "unknown"),
        ("show --unheard-of gone", "unknown"),
        ("show ./...", "unknown"),
        ("show gone notes", "missing Some(1)"),
        // The command often creates the last one.
        ("show notes gone", "unknown"),
        // An earlier command may have created it.
        ("touch gone && show gone", "unknown"),
        ("go src", "possible"),
        ("go notes", "missing Some(1)"),
        ("go gone", "missing Some(1)"),
        ("git merge main", "possible"),
        ("git switch gone", "unknown"),
        ("git checkout gone", "unknown"),
        ("git remote remove origin", "possible"),
        ("git remote remove gone", "no GitRemote Some(3)"),
        ("git push https://example.org/x main", "unknown"),
        ("run build", "possible"),
        ("run bulid", "no NpmScript Some(1)"),
    ] {
        assert_eq!(judge(line), expected, "{line}");
    }
}

#[test]
fn branches_are_judged_only_when_all_are_known() {
    let go = r#"spec go args = ["git-branch or git-tag or git-commit"]"#;
    let judge = |world: &str, name: &str| judged(&format!("{go}\n{world}\nline go {name}|"));
    let impossible = |judgement| matches!(judgement, Validity::Impossible(_));
    let all = "git-branch main\ngit-branch origin/main\ngit-remote origin\ngit-tag v1\ngit-commit 1234abc";
    assert!(impossible(judge(all, "gone")));
    assert!(impossible(judge(all, "feature/gone")));
    for name in ["main", "v1", "1234abc", "origin/main"] {
        assert_eq!(judge(all, name), Validity::Possible, "{name}");
    }
    for name in
        ["HEAD", "HEAD~2", "@{u}", "main..dev", "deadbeef", "ORIG_HEAD", "v1-3-gdeadbee", "refs/heads/x", ":/fix", "-"]
    {
        assert_eq!(judge(all, name), Validity::Unknown, "{name}");
    }
    // The remote may have it.
    assert!(!impossible(judge("git-branch main\ngit-remote origin\ngit-tag v1\ngit-commit 1234abc", "gone")));
    assert!(!impossible(judge("git-branch main\nslow git-tag\ngit-commit 1234abc", "gone")));
    assert!(!impossible(judge("", "gone")));
}

#[test]
fn slips_are_found_with_what_would_be_right() {
    let slip = |line: &str| {
        let fake = Fake::new(&x(line));
        let line = line::parse(&fake.left, fake.dialect);
        check::likely_typo(&fake.context(), line.commands.last().unwrap())
    };
    let found = slip("x stauts|").unwrap();
    assert_eq!(found.word, 1);
    assert_eq!(found.known.join(" "), "status st remote stash show");
    let found = slip("x show --al --colur dev|").unwrap();
    assert_eq!((found.word, found.known.len()), (2, 8));
    for line in ["x st|", "x show --all|", "x $y|", "y stauts|", "x show stauts|"] {
        assert_eq!(slip(line), None, "{line}");
    }
}

#[test]
fn a_command_is_described_by_its_innermost_subcommand() {
    let describe = |line: &str| {
        let fake = Fake::new(&x(line));
        let line = line::parse(&fake.left, fake.dialect);
        about(&fake.context(), line.commands.last().unwrap())
    };
    assert_eq!(describe("x|").as_deref(), Some("an example"));
    assert_eq!(describe("x -v st|").as_deref(), Some("what changed"));
    assert_eq!(describe("x remote|"), None);
    assert_eq!(describe("y|"), None);
}

/// Words that specs react to, so that random lines go deep, and some unexpected ones.
const WORDS: &[&str] = &[
    "git", "sudo", "tar", "dd", "find", "env", "x", "a", "checkout", "show", "-C", "-m", "-xvf", "xf", "--", "-",
    "--color=", "-exec", ";", "+", "if=", "=", "A=1", "'q", "\"", "$x", "~/", "é", "日本", "-é", "--é=日", "", "\\",
    "-n2", "{}", "|", "&&", "#", "`",
];

proptest::proptest! {
    #[test]
    fn nothing_typed_makes_it_panic(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..8), end in ".{0,4}") {
        let line = format!("{}{end}", words.join(" "));
        let scene = format!("{}\ndirectory src\nalias a=sudo x \nalias x=a git\nline |", x("|"));
        let mut fake = Fake::new(&scene);
        fake.left = line;
        for dialect in [line::Dialect::Zsh, line::Dialect::Bash, line::Dialect::Fish] {
            fake.dialect = dialect;
            let parsed = line::parse(&fake.left, dialect);
            let context = fake.context();
            for candidate in candidates(&context, &parsed.at(fake.left.len())) {
                assert!(!candidate.text.is_empty());
            }
            expected::expected(&context, &parsed.at(fake.left.len()));
            for command in &parsed.commands {
                check::check(&context, command);
                check::likely_typo(&context, command);
                about(&context, command);
            }
        }
    }

    #[test]
    fn no_text_of_a_spec_makes_it_panic(text in "([a-z]{1,6} = |\\[sub\\.[a-z]\\]\n|\\[flags\\]\n|\"-a, --b\" = |\\{ takes = |\"path\\.\\.\\.\"|\"a\\|b or \"|true|1| \\}|\n|.){0,12}") {
        format::parse("x", &text);
    }
}
