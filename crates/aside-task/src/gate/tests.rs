//! Single decisions, the rules of users and repositories, and approvals.

use std::cell::Cell;
use std::marker::PhantomData;

use aside_commands::world::EmptyWorld;
use proptest::prelude::*;
use shell_line::Dialect;
use toml_edit::Array;

use crate::gate::approve::{
    ApprovalAnswer, ApprovalGate, ApprovalRefusal, Approved, DigestBytes, MAX_STEPS, Permission,
};
use crate::gate::offer::{
    GateOffer, MAX_COMMAND, MAX_TEXT, NotOfferable, OfferStep, OfferedAct, OfferedChange, OfferedRun,
};
use crate::gate::render::Label;
use crate::gate::rules::{RuleLayer, Rules, RulesFile};
use crate::gate::{Decision, GateContext, judge, read_only, render};
use crate::proposal::{RequestSource, WriteConfinement};

const HOME: &str = "/home/ada/project";

pub(super) fn place() -> GateContext<'static> {
    GateContext { source: RequestSource::LocalUi, untrusted: false, dialect: Dialect::Bash, cwd: HOME, workspace: HOME }
}

/// Rules that allow everything that can be allowed.
pub(super) fn all_allowed() -> Rules {
    let mut text = String::new();
    let mut groups: Vec<(Vec<&read_only::ReadOnlyCommand>, &[String])> = Vec::new();
    for entry in read_only::entries() {
        match groups.iter_mut().find(|(_, hits)| *hits == entry.hits) {
            Some((group, _)) => group.push(entry),
            None => groups.push((vec![entry], &entry.hits)),
        }
    }
    for (group, hits) in groups {
        let list = |items: Vec<String>| items.into_iter().collect::<Array>().to_string();
        let mut programs: Vec<String> = group.iter().map(|entry| entry.program.clone()).collect();
        let mut subs: Vec<String> =
            group.iter().map(|entry| entry.sub.join(" ")).filter(|sub| !sub.is_empty()).collect();
        programs.dedup();
        subs.dedup();
        let alone: Vec<String> = hits.iter().filter(|hit| !hit.contains('|')).cloned().collect();
        let (programs, hits) = (list(programs), list(alone));
        text.push_str(&format!(
            "[[allow]]\nprogram = {programs}\nwhy = 'it reads'\nhits = {hits}\nmisses = ['rm x']\n"
        ));
        if !subs.is_empty() {
            text.push_str(&format!("sub = {}\n", list(subs)));
        }
    }
    let file = RulesFile::read(&text, RuleLayer::Person);
    assert_eq!(file.refused(), []);
    Rules::new(file, RulesFile::default())
}

fn person(text: &str) -> Rules {
    let file = RulesFile::read(text, RuleLayer::Person);
    assert_eq!(file.refused(), []);
    Rules::new(file, RulesFile::default())
}

fn refused(text: &str, layer: RuleLayer) -> Vec<String> {
    RulesFile::read(text, layer).refused().iter().map(ToString::to_string).collect()
}

#[test]
fn what_only_reads_can_be_allowed_and_nothing_else() {
    let rules = all_allowed();
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in read_only::entries() {
        for hit in &entry.hits {
            count += 1;
            let verdict = judge(hit, &place(), &rules);
            if verdict.decision() != Decision::Allow {
                wrong.push(format!("{}: {verdict}", entry.name()));
            }
            assert_eq!(
                judge(hit, &place(), &Rules::none()).decision(),
                Decision::Ask,
                "nothing is allowed by default: {hit}"
            );
            for source in [RequestSource::Wecom, RequestSource::Webhook, RequestSource::Relay] {
                let afar = GateContext { source, ..place() };
                assert_eq!(judge(hit, &afar, &rules).decision(), Decision::Ask, "from afar: {hit}");
            }
            let untrusted = GateContext { untrusted: true, ..place() };
            assert_eq!(
                judge(hit, &untrusted, &rules).decision(),
                Decision::Ask,
                "in a workspace that is not trusted: {hit}"
            );
            let outside = GateContext { cwd: "/home/ada", ..place() };
            assert_eq!(judge(hit, &outside, &rules).decision(), Decision::Ask, "outside: {hit}");
        }
        for miss in &entry.misses {
            count += 1;
            if judge(miss, &place(), &rules).decision() == Decision::Allow {
                wrong.push(format!("{} lets pass: {miss}", entry.name()));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert_eq!(wrong, [""; 0]);
    assert!(count > 400, "{count}");
}

#[test]
fn git_is_allowed_only_where_the_repository_is_the_workspace() {
    let rules = all_allowed();
    let below = GateContext { cwd: "/home/ada/project/vendor/evil.git", ..place() };
    assert_eq!(judge("ls", &below, &rules).decision(), Decision::Allow);
    let verdict = judge("git status", &below, &rules);
    assert_eq!(verdict.explain(), "ask `git status`: git may be set up otherwise below the root of the workspace");
}

#[test]
fn a_decision_is_explained_in_one_line() {
    let text = "
[[deny]]
program = 'docker'
sub = ['push']
why = 'images leave the machine'
hits = ['docker push x']
misses = ['docker pull x']

[[allow]]
program = 'ls'
why = 'harmless'
hits = ['ls -la']
misses = ['ls > x']
";
    let rules = person(text);
    let all = [
        ("docker push x", "deny `docker push x`: images leave the machine (your rules, line 2)"),
        (
            "sudo -u ada docker --tls push x",
            "deny `docker --tls push x`: images leave the machine (your rules, line 2)",
        ),
        ("sh -c 'docker push x'", "deny `docker push x`: images leave the machine (your rules, line 2)"),
        ("ls | xargs docker push", "deny `docker push`: images leave the machine (your rules, line 2)"),
        ("find . -exec docker push {} \\;", "deny `docker push {}`: images leave the machine (your rules, line 2)"),
        ("ls", "allow `ls`: it only reads, and you have chosen not to be asked (your rules, line 9)"),
        ("cat a", "ask `cat a`: it only reads, but you have not allowed it"),
        ("awk 1 a", "ask `awk 1 a`: awk runs programs and writes files from its script"),
        ("frobnicate", "ask `frobnicate`: frobnicate is not known to be harmless"),
        ("rm a", "ask `rm a`: deletes files"),
        ("ls &", "ask `ls &`: it would go on in the background"),
        ("ls\u{a0}x", "ask `⟨U+00A0⟩`: this character is not what it looks like, or cannot be seen"),
        ("sort --outp x", "ask `sort --outp x`: --output writes a file"),
        ("rm -rf /", "deny `rm -rf /`: nothing would be left to approve anything with (built in)"),
    ];
    for (line, expected) in all {
        assert_eq!(judge(line, &place(), &rules).explain(), expected);
    }
}

#[test]
fn what_the_settings_block_is_denied_whatever_the_rules_allow() {
    let rules = all_allowed().blocking(&["find".to_owned(), "git push --force".to_owned()]);
    for (line, entry) in [
        ("find .", "find"),
        ("ls && sudo find / -delete", "find"),
        ("sh -c 'find .'", "find"),
        ("git push -f --force origin", "git push --force"),
    ] {
        for source in [RequestSource::LocalUi, RequestSource::Wecom, RequestSource::Webhook, RequestSource::Relay] {
            let verdict = judge(line, &GateContext { source, ..place() }, &rules);
            assert_eq!(verdict.decision(), Decision::Deny, "{line}");
            let expected = format!("it is in your security.command_blocklist as `{entry}`");
            assert!(verdict.explain().ends_with(&expected), "{}", verdict.explain());
        }
    }
    assert_eq!(judge("ls", &place(), &rules).decision(), Decision::Allow);
    assert!(rules.listed().contains(&"deny find: it is in your security.command_blocklist".to_owned()));
}

#[test]
fn what_ends_a_system_a_home_or_a_disk_is_denied_however_it_is_spelled() {
    let rules = all_allowed();
    let mut wrong = Vec::new();
    for row in include_str!("denied.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let (expected, line) = row.split_once(": ").expect("decision: line");
        let verdict = judge(line, &place(), &rules);
        if (verdict.decision() == Decision::Deny) != (expected == "deny") {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_repository_tightens_and_cannot_loosen() {
    let allow = "[[allow]]\nprogram = 'ls'\nwhy = 'x'\nhits = ['ls']\nmisses = ['rm']\n";
    let expected = "line 1: a repository cannot allow anything, it can only ask and deny";
    assert_eq!(refused(allow, RuleLayer::Repository), [expected]);
    let ask = "[[ask]]\nprogram = 'ls'\nwhy = 'not here'\nhits = ['ls']\nmisses = ['cat']\n";
    let deny = ask.replace("ask", "deny");
    for (theirs, decision) in [("", Decision::Allow), (ask, Decision::Ask), (deny.as_str(), Decision::Deny)] {
        let rules =
            Rules::new(RulesFile::read(allow, RuleLayer::Person), RulesFile::read(theirs, RuleLayer::Repository));
        assert_eq!(judge("ls", &place(), &rules).decision(), decision);
    }
    // Nothing is allowed while a rule to ask may have been lost.
    let rules = Rules::new(RulesFile::read(allow, RuleLayer::Person), RulesFile::read(allow, RuleLayer::Repository));
    assert_eq!(judge("ls", &place(), &rules).decision(), Decision::Ask);
    assert!(rules.listed().contains(&format!("refused: the repository's rules, {expected}")));
    // Passing the user's file as the repository's, or the other way round, allows nothing either.
    let rules = Rules::new(RulesFile::read(ask, RuleLayer::Repository), RulesFile::read(allow, RuleLayer::Person));
    assert_eq!(judge("ls", &place(), &rules).decision(), Decision::Ask);
}

#[test]
fn a_person_narrows_what_they_allow() {
    let rules = person(
        "[[allow]]\nprogram = 'git'\nsub = ['log']\nflags = ['--oneline', '-n', '-p', '-w']\narguments = 'main'\nwhy = 'x'\nhits = ['git log --oneline main', 'git log -pw']\nmisses = ['git log --stat', 'git log topic', 'git status']",
    );
    assert_eq!(judge("git log -wp main", &place(), &rules).decision(), Decision::Allow);
    for line in ["git log --all", "git log -ps", "git log other", "git show main"] {
        assert_eq!(judge(line, &place(), &rules).decision(), Decision::Ask, "{line}");
    }
}

#[test]
fn a_rule_that_does_not_hold_is_refused_with_its_line() {
    let rest = "why = 'x'\nhits = ['ls']\nmisses = ['rm x']";
    let all = [
        ("[[allow]]\nprogram = 'npm'\n", "line 1: `npm` cannot be allowed: it runs what a file of the directory says"),
        ("[[allow]]\nprogram = 'frob'\n", "line 1: `frob` cannot be allowed: it is not known to only read"),
        ("\n[[allow]]\nprogram = '*'\n", "line 2: `*` cannot be allowed: it is not known to only read"),
        (
            "[[allow]]\nprogram = 'git push'\n",
            "line 1: `git push` is not the name of a program; what follows the name is `sub`",
        ),
        ("[[allow]]\nprogram = 'sort'\nflags = ['-o']\n", "line 1: -o of `sort` cannot be allowed"),
        ("[[allow]]\nharm = 'files'\n", "line 1: say which `program`"),
        ("[[allow]]\nprogram = 'ls'\nharm = 'files'\n", "line 1: what does harm cannot be allowed"),
        (
            "[[allow]]\nprogram = 'cat'\n",
            "line 1: `ls` should be allowed and is not: it only reads, but you have not allowed it",
        ),
        ("[[deny]]\nprogram = 'cat'\n", "line 1: `ls` should be hit and is not"),
        ("[[deny]]\nprogram = ['ls', 'rm']\n", "line 1: `rm x` should be missed and is hit"),
        ("[[deny]]\nprogram = 'ls'\nflag = ['-f']\n", "line 1: there is no `flag` in a rule"),
        ("[[deny]]\nprogram = 'ls'\nflags = ['f']\n", "line 1: `f` is not a flag"),
        ("[[deny]]\nprogram = 'ls'\narguments = '('\n", "line 1: the pattern `(` makes no sense, or is too large"),
        (
            "[[deny]]\nprogram = 'ls'\narguments = 'a)|(b'\n",
            "line 1: the pattern `a)|(b` makes no sense, or is too large",
        ),
        ("[[deny]]\nprogram = 7\n", "line 1: `program` is a list of texts"),
        ("[[deny]]\nsub = ['x']\n", "line 1: say which `program`"),
    ];
    for (text, expected) in all {
        assert_eq!(refused(&format!("{text}{rest}"), RuleLayer::Person), [expected]);
    }
    let files = [
        (
            "[[deny]]\nprogram = 'ls'\nwhy = 'x'\nhits = ['ls']",
            "line 1: give at least one example each of `hits` and `misses`",
        ),
        ("[[deny]]\nprogram = 'ls'\nhits = ['ls']\nmisses = ['x']", "line 1: say `why`"),
        ("[permit]\nprogram = 'ls'", "line 1: `permit` is neither allow nor ask nor deny"),
        ("[deny]\nprogram = 'ls'", "line 1: write [[deny]] above each rule"),
    ];
    for (text, expected) in files {
        assert_eq!(refused(text, RuleLayer::Person), [expected]);
    }
    let escape = refused("['\u{1b}[2J']\n", RuleLayer::Repository);
    assert!(escape.iter().all(|reason| !reason.contains('\u{1b}')) && !escape.is_empty(), "{escape:?}");
    let escape = refused("[\"a\\u001b[2J\"]\n", RuleLayer::Repository);
    assert_eq!(escape, ["line 1: `a⟨escape⟩[2J` is neither allow nor ask nor deny"]);
    let broken = refused("x = 1\n[[deny]\n", RuleLayer::Person);
    assert!(broken.len() == 1 && broken[0].starts_with("line 2: "), "{broken:?}");
}

fn step(number: u32) -> OfferStep {
    OfferStep { task: "t1".to_owned(), number }
}

fn command(cmd: &str) -> OfferedRun {
    OfferedRun {
        cmd: cmd.to_owned(),
        cwd: HOME.to_owned(),
        environment: Vec::new(),
        reason: None,
        confine: WriteConfinement::No,
    }
}

fn offer(number: u32, cmd: &str) -> GateOffer {
    GateOffer::run(step(number), command(cmd), &place(), &Rules::none(), &EmptyWorld).unwrap()
}

/// A toy digest, for tests only.
fn digest(bytes: &[u8]) -> DigestBytes {
    let mut digest = [0u8; 32];
    for (lane, slot) in digest.chunks_mut(8).enumerate() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ (lane as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        slot.copy_from_slice(&hash.to_be_bytes());
    }
    digest
}

fn gate() -> ApprovalGate {
    ApprovalGate::new(digest, [7; 32])
}

fn answer(number: u32, digest: DigestBytes) -> ApprovalAnswer {
    ApprovalAnswer { step: step(number), digest, from: RequestSource::LocalUi, by: "terminal 1".to_owned() }
}

#[test]
fn one_approval_is_one_run() {
    let mut gate = gate();
    let shown = gate.show(offer(1, "make")).unwrap();
    assert_eq!(gate.show(offer(1, "make")), Ok(shown), "two may look at it");
    let approved = gate.approve(&answer(1, shown)).unwrap();
    assert_eq!((approved.step(), approved.digest()), (&step(1), &shown));
    assert_eq!(approved.into_act(), OfferedAct::Run(command("make")));
    assert_eq!(gate.approve(&answer(1, shown)).unwrap_err(), ApprovalRefusal::Replayed);
    let second = ApprovalAnswer { by: "page 2".to_owned(), ..answer(1, shown) };
    assert_eq!(gate.approve(&second).unwrap_err(), ApprovalRefusal::SecondApprover);
    assert_eq!(gate.show(offer(1, "make")).unwrap_err(), ApprovalRefusal::Replayed);
}

#[test]
fn what_was_not_seen_is_not_approved() {
    let mut gate = gate();
    assert_eq!(gate.approve(&answer(1, [0; 32])).unwrap_err(), ApprovalRefusal::NotShown);
    let first = gate.show(offer(1, "make")).unwrap();
    assert_eq!(gate.approve(&answer(1, [0; 32])).unwrap_err(), ApprovalRefusal::OtherDigest);
    assert_eq!(gate.approve(&answer(2, first)).unwrap_err(), ApprovalRefusal::OtherStep);
    for from in [RequestSource::Wecom, RequestSource::Webhook, RequestSource::Relay] {
        let afar = ApprovalAnswer { from, ..answer(1, first) };
        assert_eq!(gate.approve(&afar).unwrap_err(), ApprovalRefusal::Remote);
        assert_eq!(gate.reject(&afar).unwrap_err(), ApprovalRefusal::Remote);
    }
    assert_eq!(
        gate.show(offer(1, "make all")).unwrap_err(),
        ApprovalRefusal::Edited,
        "an edited proposal is a new step"
    );
    let edited = gate.show(offer(2, "make all")).unwrap();
    assert_eq!(gate.approve(&answer(1, first)).unwrap_err(), ApprovalRefusal::Edited);
    assert_eq!(gate.approve(&answer(2, first)).unwrap_err(), ApprovalRefusal::Edited);
    assert_eq!(gate.show(offer(1, "make")).unwrap_err(), ApprovalRefusal::OtherStep);
    assert_eq!(gate.show(offer(0, "make")).unwrap_err(), ApprovalRefusal::OtherStep);
    gate.reject(&answer(2, edited)).unwrap();
    assert_eq!(gate.approve(&answer(2, edited)).unwrap_err(), ApprovalRefusal::Rejected);
    let denied = gate.show(offer(3, "rm -rf /"));
    assert_eq!(denied.unwrap_err(), ApprovalRefusal::Denied);
}

#[test]
fn an_answer_to_the_last_daemon_means_nothing() {
    let mut before = gate();
    let old = before.show(offer(1, "make")).unwrap();
    let mut after = ApprovalGate::new(digest, [8; 32]);
    after.show(offer(1, "make")).unwrap();
    assert_eq!(after.approve(&answer(1, old)).unwrap_err(), ApprovalRefusal::OtherDigest);
    // An answer to the same offer from before `forget` does not count either.
    before.forget("t1");
    before.show(offer(1, "make")).unwrap();
    assert_eq!(before.approve(&answer(1, old)).unwrap_err(), ApprovalRefusal::OtherDigest);
}

#[test]
fn only_what_a_person_has_allowed_passes() {
    let rules = all_allowed();
    let made = |number, cmd: OfferedRun, source| {
        let place = GateContext { source, ..place() };
        GateOffer::run(step(number), cmd, &place, &rules, &EmptyWorld).unwrap()
    };
    let mut gate = gate();
    assert_eq!(gate.pass(&step(1)).unwrap_err(), ApprovalRefusal::NotShown);
    gate.show(made(1, command("git status"), RequestSource::LocalUi)).unwrap();
    let approved = gate.pass(&step(1)).unwrap();
    assert_eq!(approved.leave(), Permission::Rules);
    assert_eq!(approved.into_act(), OfferedAct::Run(command("git status")));
    assert_eq!(gate.pass(&step(1)).unwrap_err(), ApprovalRefusal::Replayed);
    gate.show(made(2, command("make"), RequestSource::LocalUi)).unwrap();
    assert_eq!(gate.pass(&step(2)).unwrap_err(), ApprovalRefusal::NeedsPerson);
    gate.show(made(3, command("git status"), RequestSource::Wecom)).unwrap();
    assert_eq!(gate.pass(&step(3)).unwrap_err(), ApprovalRefusal::Remote);
    let preload =
        OfferedRun { environment: vec![("LD_PRELOAD".to_owned(), "./x".to_owned())], ..command("git status") };
    gate.show(made(4, preload, RequestSource::LocalUi)).unwrap();
    assert_eq!(gate.pass(&step(4)).unwrap_err(), ApprovalRefusal::NeedsPerson);
    let change = OfferedChange { digest: [1; 32], rows: vec!["a +1 -0".to_owned()], names: Vec::new(), reason: None };
    gate.show(GateOffer::apply(step(5), change, RequestSource::LocalUi).unwrap()).unwrap();
    assert_eq!(gate.pass(&step(5)).unwrap_err(), ApprovalRefusal::NeedsPerson);
    for number in 6..=MAX_STEPS as u32 {
        gate.show(offer(number, "make")).unwrap();
    }
    assert_eq!(gate.show(offer(MAX_STEPS as u32 + 1, "make")).unwrap_err(), ApprovalRefusal::Full);
}

#[test]
fn a_change_of_what_others_execute_says_so_and_the_digest_covers_it() {
    let offer = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let change = OfferedChange { digest: [1; 32], rows: vec!["M x +1 -0".to_owned()], names, reason: None };
        GateOffer::apply(step(1), change, RequestSource::LocalUi).unwrap()
    };
    let notes = |offer: &GateOffer| -> Vec<String> {
        let rows = render::offer_rows(offer).into_iter().filter(|row| row.label == Label::Note);
        rows.map(|row| row.text).collect()
    };
    let plain = offer(&["src/main.rs"]);
    assert_eq!(notes(&plain), Vec::<String>::new());
    let tasks = offer(&["src/main.rs", ".vscode/tasks.json"]);
    assert_eq!(
        notes(&tasks),
        ["what .vscode/tasks.json says is run by others: VS Code, also by itself when the folder is opened"]
    );
    assert_ne!(plain.bytes(), tasks.bytes());
}

#[test]
fn what_nobody_could_read_is_not_offered() {
    let long = "x".repeat(MAX_COMMAND + 1);
    let variable = OfferedRun { environment: vec![("A=B".to_owned(), String::new())], ..command("ls") };
    let all = [
        (command(" "), NotOfferable::Empty),
        (OfferedRun { cwd: String::new(), ..command("ls") }, NotOfferable::Empty),
        (command(&long), NotOfferable::TooLong),
        (command("ls\0; rm x"), NotOfferable::Nul),
        (OfferedRun { reason: Some("\0".to_owned()), ..command("ls") }, NotOfferable::Nul),
        (variable, NotOfferable::Variable),
    ];
    for (command, expected) in all {
        let offer = GateOffer::run(step(1), command, &place(), &Rules::none(), &EmptyWorld);
        assert_eq!(offer.unwrap_err(), expected);
    }
    assert_eq!(
        GateOffer::apply(step(1), OfferedChange::default(), RequestSource::LocalUi).unwrap_err(),
        NotOfferable::Empty
    );
}

#[test]
fn everything_is_shown_as_it_is() {
    let command = OfferedRun {
        cmd: "rm \u{2013}rf bu\u{200b}ild\nls\r".to_owned(),
        environment: vec![("A".to_owned(), "\u{1b}[8m".to_owned())],
        reason: Some("очистить\u{202e}".to_owned()),
        ..command("")
    };
    let offer = GateOffer::run(step(1), command, &place(), &Rules::none(), &EmptyWorld).unwrap();
    let rows: Vec<String> =
        render::offer_rows(&offer).iter().map(|row| format!("{} {}", row.label.name(), row.text)).collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    command rm ⟨U+2013⟩rf bu⟨U+200B⟩ild
    command ls⟨return⟩
    in /home/ada/project
    with A=⟨escape⟩[8m
    writes anywhere: not confined, it can do all that you can
    because очистить⟨U+202E⟩
    danger deletes files: rm ⟨U+2013⟩rf bu⟨U+200B⟩ild
    rule ask `rm ⟨U+2013⟩rf bu⟨U+200B⟩ild⟨newline⟩ls⟨return⟩`: deletes files
    ");
}

#[test]
fn where_a_confined_command_may_write_is_named_and_part_of_what_is_approved() {
    let confined = |workspace: &str| {
        let command = OfferedRun { confine: WriteConfinement::Workspace, ..command("make") };
        let place = GateContext { workspace, ..place() };
        GateOffer::run(step(1), command, &place, &Rules::none(), &EmptyWorld).unwrap()
    };
    let row = |offer: &GateOffer| {
        let rows = render::offer_rows(offer);
        rows.into_iter().find(|row| row.label == render::Label::Limit).map(|row| row.text)
    };
    assert_eq!(row(&offer(1, "make")).unwrap(), "anywhere: not confined, it can do all that you can");
    assert_eq!(row(&confined(HOME)).unwrap(), "in the workspace only: /home/ada/project");
    assert_eq!(row(&confined("/a\u{202e}b")).unwrap(), "in the workspace only: /a⟨U+202E⟩b");
    assert_ne!(confined(HOME).bytes(), confined("/home/ada").bytes());
    let long = GateContext { workspace: &"x".repeat(MAX_TEXT + 1), ..place() };
    let command = OfferedRun { confine: WriteConfinement::Workspace, ..command("make") };
    assert_eq!(
        GateOffer::run(step(1), command, &long, &Rules::none(), &EmptyWorld).unwrap_err(),
        NotOfferable::TooLong
    );
}

/// Detects at compile time whether a type has a trait: the inherent constant shadows the trait's where it exists.
struct Has<T>(PhantomData<Cell<T>>);

trait HasNot {
    const CLONE: bool = false;
    const DEFAULT: bool = false;
    const SERIALIZE: bool = false;
    const DESERIALIZE: bool = false;
}

impl<T> HasNot for Has<T> {}

impl<T: Clone> Has<T> {
    const CLONE: bool = true;
}

impl<T: Default> Has<T> {
    const DEFAULT: bool = true;
}

impl<T: serde::Serialize> Has<T> {
    const SERIALIZE: bool = true;
}

impl<T: serde::de::DeserializeOwned> Has<T> {
    const DESERIALIZE: bool = true;
}

#[test]
fn an_approval_can_be_neither_copied_nor_sent_nor_made_up() {
    let text = [Has::<String>::CLONE, Has::<String>::DEFAULT, Has::<String>::SERIALIZE, Has::<String>::DESERIALIZE];
    assert_eq!(text, [true; 4], "the trick works");
    let approved =
        [Has::<Approved>::CLONE, Has::<Approved>::DEFAULT, Has::<Approved>::SERIALIZE, Has::<Approved>::DESERIALIZE];
    assert_eq!(approved, [false; 4]);
}

fn offers() -> impl Strategy<Value = GateOffer> {
    let text = || "[ab,=\n]{0,3}";
    let variables = prop::collection::vec(("[ab]{1,2}", text()), 0..3);
    let confine = prop_oneof![Just(WriteConfinement::No), Just(WriteConfinement::Workspace)];
    let run = (0..2u32, "[ab;]{1,3}", "/[ab]{0,2}", variables, prop::option::of(text()), confine, "/[ab]{0,2}")
        .prop_map(|(number, cmd, cwd, environment, reason, confine, workspace)| {
            let command = OfferedRun { cmd, cwd, environment, reason, confine };
            let place = GateContext { workspace: &workspace, ..place() };
            GateOffer::run(step(number), command, &place, &Rules::none(), &EmptyWorld).unwrap()
        });
    let rows = prop::collection::vec(text(), 1..4);
    let names = prop::collection::vec("(a|Makefile|\\.envrc)", 0..3);
    let apply =
        (0..2u32, rows, names, prop::option::of(text()), 0..2u8).prop_map(|(number, rows, names, reason, byte)| {
            let change = OfferedChange { digest: [byte; 32], rows, names, reason };
            GateOffer::apply(step(number), change, RequestSource::LocalUi).unwrap()
        });
    prop_oneof![run, apply]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_two_offers_have_the_same_bytes(one in offers(), other in offers()) {
        prop_assert_eq!(one.bytes() == other.bytes(), one == other);
    }

    #[test]
    fn no_text_is_too_much(text in "[ls;|&$()<>'\"\\\\`{}*~ \n\u{a0}é=#!-]{0,40}") {
        let rules = Rules::none();
        prop_assert!(judge(&text, &place(), &rules).decision() > Decision::Allow);
        prop_assert_eq!(judge(&text, &place(), &rules).explain().lines().count(), 1);
    }
}
