//! Outputs of many tools, and what is said about them.

use super::*;
use crate::line::Dialect;
use crate::names::Names;
use crate::spec::Specs;
use crate::world::Nothing;

fn said(command: &str, exit: Option<i32>, output: &str) -> Outcome {
    let (names, specs) = (Names::default(), Specs::default());
    let place = suggest::Place { cwd: "/p", dialect: Dialect::Bash, world: &Nothing, names: &names, specs: &specs };
    diagnose("why did it fail", &Failure { command, exit, output }, &place)
}

#[test]
fn outputs_of_many_tools() {
    let rust = "   Compiling a v0.1.0\nerror[E0308]: mismatched types\n  --> src/main.rs:4:18\n   |\n4 |     let x: u32 = \"a\";\n\nerror: could not compile `a`\n";
    let python = "Traceback (most recent call last):\n  File \"/usr/lib/python3/json.py\", line 3, in load\n  File \"app/main.py\", line 12, in <module>\n    x['name']\nKeyError: 'name'\n";
    let node = "/p/app.js:3\n  x.y\n    ^\n\nTypeError: Cannot read properties of undefined (reading 'y')\n    at Object.<anonymous> (/p/app.js:3:5)\n    at node:internal/x:1:1\n";
    let go = "# example.com/a\n./main.go:7:2: undefined: foo\n";
    let panic = "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3\nnote: run with `RUST_BACKTRACE=1`\n";
    let pytest = "tests/test_a.py:9: AssertionError\n=== short test summary info ===\nFAILED tests/test_a.py::test_login - assert 1 == 2\n";
    let eslint = "\n/p/src/a.js\n  12:7  error  'x' is never used  no-unused-vars\n\n1 problem\n";
    let cases = [
        (rust, "The Rust compiler says: mismatched types, at `src/main.rs:4`."),
        (python, "Python says: KeyError: 'name', at `app/main.py:12`."),
        (node, "Node says: TypeError: Cannot read properties of undefined (reading 'y'), at `/p/app.js:3`."),
        (go, "Go says: undefined: foo, at `main.go:7`."),
        (panic, "The program panicked: index out of bounds: the len is 3, at `src/main.rs:4`."),
        (pytest, "A test failed: test_login - assert 1 == 2, in `tests/test_a.py`."),
        (eslint, "ESLint says: 'x' is never used  no-unused-vars, at `/p/src/a.js:12`."),
        (
            "main.c:4:5: error: 'x' undeclared\nmake: *** [Makefile:3: all] Error 1",
            "The compiler says: 'x' undeclared, at `main.c:4`.",
        ),
        (
            "Error: listen EADDRINUSE: address already in use :::3000",
            "The port is taken: Error: listen EADDRINUSE: address already in use :::3000.",
        ),
        ("KeyError: 'name'", "The program says: KeyError: 'name'."),
        ("ERROR: the thing is broken.", "It says: the thing is broken."),
        ("error: boom", "It says: boom."),
        (
            "ModuleNotFoundError: No module named 'flask'",
            "The program says: ModuleNotFoundError: No module named 'flask'.",
        ),
        ("报错: KeyError: 'name'", "The program says: KeyError: 'name'."),
        ("编译失败：main.c:4:5: error: 'x' undeclared", "The compiler says: 'x' undeclared, at `main.c:4`."),
    ];
    let mut wrong = Vec::new();
    for (output, expected) in cases {
        let cause = cause::cause(output).map(|cause| cause.sentence(Tongue::English));
        if cause.as_deref() != Some(expected) {
            wrong.push(format!("{expected}\n  {cause:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(cause::cause("all is well\n0 errors\n"), None);
    assert_eq!(places(python), [("app/main.py".to_owned(), 12), ("/usr/lib/python3/json.py".to_owned(), 3)]);
}

#[test]
fn the_decisive_lines_are_quoted() {
    let rust = "error[E0308]: mismatched types\n  --> src/main.rs:4:18\n   |\n4 |     let x: u32 = \"a\";\n";
    let outcome = said("frobnicate build", Some(101), rust);
    assert_eq!(
        outcome.proposal,
        Proposal::Answer {
            text: "`frobnicate build` failed with status 101. The Rust compiler says: mismatched types, at `src/main.rs:4`.\n\n\
                   ~~~\nerror[E0308]: mismatched types\n  --> src/main.rs:4:18\n~~~\n"
                .to_owned()
        }
    );
    assert_eq!(outcome.model, Model::Better);
}

#[test]
fn a_cure_that_is_known_is_proposed() {
    let output = "fatal: The current branch topic has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream origin topic\n";
    let outcome = said("git push", Some(128), output);
    let Proposal::Command { cmd, cwd, reason, confine: _ } = &outcome.proposal else { panic!("{outcome:?}") };
    assert_eq!((cmd.as_str(), cwd.as_deref()), ("git push --set-upstream origin topic", Some("/p")));
    assert!(
        reason
            .as_ref()
            .is_some_and(|reason| reason.starts_with("Git says: The current branch topic has no upstream branch.")),
        "{reason:?}"
    );
    assert!(
        outcome.details.contains("This may mend it: `git push --set-upstream origin topic`"),
        "{}",
        outcome.details
    );
    let pasted = format!("why?\n$ git push\n{output}");
    let failure = Failure::pasted(&pasted);
    assert_eq!(failure.command, "git push");
}

#[test]
fn what_nobody_knows_is_said_to_be_so() {
    let quiet = said("", None, "");
    assert_eq!(quiet.model, Model::Needed);
    let Proposal::Answer { text } = quiet.proposal else { panic!() };
    assert!(text.starts_with("Paste the error") && text.contains("aside model"), "{text}");
    let Proposal::Answer { text } = said("frobnicate", Some(137), "").proposal else { panic!() };
    assert!(text.starts_with("Status 137: signal 9"), "{text}");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let outcome = said("frobnicate", Some(1), &format!("ERROR: bad token {secret}"));
    assert!(!format!("{outcome:?}").contains(secret));
}
