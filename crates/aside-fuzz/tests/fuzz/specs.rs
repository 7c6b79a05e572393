//! Specs of commands, from files of the user's and of packages: a problem has a line of the file, and a spec without problems has names.

use aside_commands::spec::format;
use aside_fuzz::{Target, fuzz};

const WORDS: &[&str] = &[
    "about = \"x\"\n",
    "aliases = [\"a\"]\n",
    "common = [\"a\"]\n",
    "args = [\"file\"]\n",
    "args = \"file...\"\n",
    "after_dashes = [\"command\"]\n",
    "command_at = 1\n",
    "style = \"single\"\n",
    "flags_first = true\n",
    "closed = true\n",
    "addon = true\n",
    "[flags]\n",
    "\"-a, --all\" = \"x\"\n",
    "\"--name=FILE\" = { about = \"x\", value = \"file\" }\n",
    "[sub.a]\n",
    "[sub.a.sub.b]\n",
    "[[sub]]\n",
    "=",
    "\"\"\"",
    "{}",
    "[",
];

#[test]
fn fuzz_specs() {
    let seeds = [
        include_bytes!("../../../aside-commands/data/spec/aside.toml").get(..4000).unwrap_or_default().to_vec(),
        include_bytes!("../../../aside-commands/data/spec/tar.toml").get(..4000).unwrap_or_default().to_vec(),
        b"about = \"x\"\nargs = [\"file\"]\n[flags]\n\"-a, --all\" = \"x\"\n[sub.b]\nabout = \"y\"\n".to_vec(),
    ];
    fuzz(Target { name: "specs", seeds: seeds.to_vec(), words: WORDS, longest: 16 * 1024, check });
}

fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (spec, problems) = format::parse("x.toml", &text);
    assert!(spec.is_some() || !problems.is_empty());
    let lines = text.split('\n').count();
    for problem in &problems {
        assert!((1..=lines).contains(&problem.line), "{problem:?} of {lines} lines");
    }
}
