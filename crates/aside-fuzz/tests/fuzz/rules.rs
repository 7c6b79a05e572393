//! The files of approval rules: whatever a repository's says, it never makes a decision milder; and a broken file allows nothing.

use aside_fuzz::{Target, fuzz};
use aside_task::gate::rules::{RuleLayer, Rules, RulesFile};
use aside_task::gate::{Decision, GateContext, judge};
use aside_task::proposal::RequestSource;
use shell_line::Dialect;

const WORDS: &[&str] = &[
    "[[deny]]\n",
    "[[ask]]\n",
    "[[allow]]\n",
    "program = \"git\"\n",
    "program = [\"docker\", \"podman\"]\n",
    "program = \"*\"\n",
    "sub = [\"push\", \"system prune\"]\n",
    "sub = \"status\"\n",
    "flags = [\"-f\", \"--force\"]\n",
    "arguments = \"/etc/.*\"\n",
    "arguments = \"(a+)+$\"\n",
    "harm = \"shared\"\n",
    "harm = [\"files\", \"data\"]\n",
    "why = \"because\"\n",
    "hits = [\"git push\"]\n",
    "misses = [\"git pull\"]\n",
    "hits = [\"git status -sb\"]\n",
    "misses = [\"git commit\"]\n",
    "\"\"\"",
    "'''",
    "{ a = 1 }",
    "\\u0000",
    "[a.b]\n",
];

const LINES: [&str; 6] =
    ["git status -sb", "git push --force", "ls -l | wc -l", "docker push x", "rm -rf build", "sudo cat /etc/shadow"];

const ALLOWING: &str = "[[allow]]\nprogram = \"git\"\nsub = [\"status\"]\nwhy = \"often\"\nhits = [\"git status\"]\nmisses = [\"git commit\"]\n\
    [[allow]]\nprogram = [\"ls\", \"wc\"]\nwhy = \"often\"\nhits = [\"ls\"]\nmisses = [\"rm x\"]\n";

#[test]
fn fuzz_rules() {
    let seeds = [
        ALLOWING,
        "[[deny]]\nprogram = [\"docker\", \"podman\"]\nsub = [\"push\"]\nwhy = \"x\"\nhits = [\"docker push x\"]\nmisses = [\"docker pull x\"]\n",
        "[[ask]]\nprogram = \"git\"\nflags = [\"-s\"]\nwhy = \"x\"\nhits = [\"git status -s\"]\nmisses = [\"git status\"]\n",
        "[[deny]]\nharm = \"shared\"\nwhy = \"x\"\nhits = [\"git push --force\"]\nmisses = [\"git push\"]\n",
    ];
    let seeds = seeds.map(|seed| seed.as_bytes().to_vec()).to_vec();
    fuzz(Target { name: "rules", seeds, words: WORDS, longest: 8 * 1024, check });
}

fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let place = GateContext {
        source: RequestSource::LocalUi,
        untrusted: false,
        dialect: Dialect::Bash,
        cwd: "/work",
        workspace: "/work",
    };
    let person = || RulesFile::read(ALLOWING, RuleLayer::Person);
    let bare = Rules::new(person(), RulesFile::default());
    let with = Rules::new(person(), RulesFile::read(&text, RuleLayer::Repository));
    let own = Rules::new(RulesFile::read(&text, RuleLayer::Person), RulesFile::default());
    with.listed();
    for line in LINES {
        let (before, after) = (judge(line, &place, &bare), judge(line, &place, &with));
        assert!(after.decision() >= before.decision(), "{line}: {} became {}", before.explain(), after.explain());
        for rules in [&with, &own] {
            let decision = judge(line, &place, rules).decision();
            assert!(!rules.is_broken() || decision > Decision::Allow, "{line} is allowed by a broken file");
        }
    }
    // These write, whatever a file of the user's says.
    for line in ["rm -rf build", "git push --force", "sudo cat /etc/shadow"] {
        assert!(judge(line, &place, &own).decision() > Decision::Allow, "{line} is allowed");
    }
}
