//! Outputs of many tools, and what is said about them.

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::EmptyWorld;
use shell_line::Dialect;

use super::*;

fn said(command: &str, exit: Option<i32>, output: &str) -> RunnerOutcome {
    let (names, specs) = (ShellNames::default(), Specs::default());
    let place =
        suggest::SuggestContext { cwd: "/p", dialect: Dialect::Bash, world: &EmptyWorld, names: &names, specs: &specs };
    diagnose("why did it fail", &DiagnosedFailure { command, exit, output, project: None }, &place)
}

fn text_of(output: &str) -> String {
    text(said("", None, output))
}

fn text(outcome: RunnerOutcome) -> String {
    match outcome.proposal {
        Proposal::Answer { text } => text,
        Proposal::Command { cmd, .. } => format!("{cmd}\n{}", outcome.details),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cause_place_and_cure_of_what_people_meet() {
    let cases = [
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import click\nModuleNotFoundError: No module named 'click'\n",
            "a.py:1",
            "add click",
        ),
        ("error[E0432]: unresolved import `serde`\n --> src/main.rs:1:5\n", "src/main.rs:1", "cargo add serde"),
        (
            "main.go:4:2: no required module provides package github.com/a/b; to add it:\n",
            "main.go:4",
            "go get github.com/a/b",
        ),
        ("Error: Cannot find module 'express'\nRequire stack:\n- /p/app.js\n", "express", "npm install express"),
        ("OSError: [Errno 98] Address already in use\n", "port", "ss -ltnp"),
        ("bash: ./deploy.sh: Permission denied\n", "deploy.sh", "chmod +x ./deploy.sh"),
        ("cp: error writing '/data/x': No space left on device\n", "disk", "df -h"),
        ("curl: (6) Could not resolve host: api.exampel.com\n", "api.exampel.com", "getent hosts"),
        ("curl: (60) SSL certificate problem: certificate has expired\n", "certificate", "`date`"),
        ("fatal: Authentication failed for 'https://example.com/a/b.git/'\n", "Authentication", "gh auth login"),
        (
            "CONFLICT (content): Merge conflict in shop/cart.py\nAutomatic merge failed; fix conflicts and then commit the result.\n",
            "same lines",
            "git merge --abort",
        ),
        ("fatal: Unable to create '/p/.git/index.lock': File exists.\n", "index.lock", "pgrep -a git"),
        (
            "npm ERR! code EBADENGINE\nnpm ERR! notsup Required: {\"node\":\">=18\"}\n",
            "version of Node",
            "node --version",
        ),
        (
            "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
            "src/a.ts:3",
            "another type",
        ),
        ("  File \"a.py\", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n", "a.py:3", "a bracket"),
        (
            "test cart::total ... FAILED\n\nthread 'cart::total' panicked at src/cart.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n",
            "src/cart.rs:9",
            "cargo test cart::total",
        ),
    ];
    let mut wrong = Vec::new();
    for (output, cause, cure) in cases {
        let told = text(said("", None, output));
        if !told.contains(cause) || !told.contains(cure) {
            wrong.push(format!("{cause} / {cure}: {told}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn all_failures_are_named_not_the_first() {
    let pytest = "tests/test_a.py:11: ZeroDivisionError\ntests/test_b.py:5: AssertionError\nFAILED tests/test_a.py::test_average - ZeroDivisionError: division by zero\nFAILED tests/test_b.py::test_coupon - assert 1 == 2\n";
    let told = text(said("pytest", Some(1), pytest));
    assert!(
        told.contains("2 tests failed") && told.contains("tests/test_a.py:11") && told.contains("tests/test_b.py:5"),
        "{told}"
    );
    let tsc = "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts(9,1): error TS1005: ';' expected.\n";
    let told = text(said("", None, tsc));
    assert!(told.contains("src/a.ts:3") && told.contains("src/b.ts:9"), "{told}");
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
        let cause = cause::cause(output).map(|cause| cause.sentence(Language::English));
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
                   ~~~\nerror[E0308]: mismatched types\n  --> src/main.rs:4:18\n~~~\n\nThe value has another type than the place takes: change the value, the type that is declared there, or convert it.\n"
                .to_owned()
        }
    );
    assert_eq!(outcome.model, ModelNeed::Better);
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
    assert!(outcome.details.contains("This may fix it: `git push --set-upstream origin topic`"), "{}", outcome.details);
    let pasted = format!("why?\n$ git push\n{output}");
    let failure = DiagnosedFailure::pasted(&pasted);
    assert_eq!(failure.command, "git push");
}

#[test]
fn what_nobody_knows_is_said_to_be_so() {
    let quiet = said("", None, "");
    assert_eq!(quiet.model, ModelNeed::Needed);
    let Proposal::Answer { text } = quiet.proposal else { panic!() };
    assert!(text.starts_with("I see no error: paste it") && !text.contains("aside model"), "{text}");
    assert_eq!(text_of("all is well\nso far\n"), "I see no error that I know in this output (2 lines).");
    // A line that says that something is wrong is told, whichever tool it is of.
    assert!(text_of("the frob could not be quuxed\n").starts_with("It says: the frob could not be quuxed."));
    let Proposal::Answer { text } = said("frobnicate", Some(137), "").proposal else { panic!() };
    assert!(text.starts_with("Status 137: signal 9"), "{text}");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let outcome = said("frobnicate", Some(1), &format!("ERROR: bad token {secret}"));
    assert!(!format!("{outcome:?}").contains(secret));
}

/// Output, what has to be said, and what must not be.
#[test]
fn what_is_said_is_true() {
    let cases = [
        (
            "error: linker `cc` not found\n  |\n  = note: No such file or directory (os error 2)\n",
            "build-essential",
            "no such file",
        ),
        ("# a/b\ncmd/b/main.go:19:15: undefined: checker.NewChecker\n", "has no `NewChecker`", "has to be imported"),
        (
            "a/parse.go:6:2: missing go.sum entry for module providing package golang.org/x/net/html; to add:\n\tgo get example.com/a\n",
            "go mod tidy",
            "to add:,",
        ),
        (
            "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n",
            "go mod init",
            "errors:",
        ),
        (
            "npm ERR! code ENOTFOUND\nnpm ERR! errno ENOTFOUND\nnpm ERR! network request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org\n",
            "registry.npmjs.org",
            "errors:",
        ),
        ("Error: ENOSPC: System limit for number of file watchers reached, watch '/p'\n", "max_user_watches", "df -h"),
        ("npm ERR! Error: EACCES: permission denied, mkdir '/usr/lib/node_modules'\n", "npm config set prefix", "pip"),
        (
            "Program.cs(5,13): error CS0103: The name 'x' does not exist in the current context [/p/a.csproj]\n",
            "`Program.cs:5`",
            "I see no error",
        ),
        (
            "** (UndefinedFunctionError) function Foo.bar/1 is undefined (module Foo is not available)\n    lib/app.ex:12: App.run/0\n",
            "mix deps.get",
            "I see no error",
        ),
        (
            "Can't locate JSON/XS.pm in @INC (you may need to install the JSON::XS module) (@INC contains: /etc/perl) at a.pl line 3.\n",
            "cpan JSON::XS",
            "I see no error",
        ),
        (
            "lua: main.lua:3: attempt to index a nil value (global 'x')\nstack traceback:\n",
            "`main.lua:3`",
            "I see no error",
        ),
        (
            "app/Main.hs:5:3: error: [GHC-88464]\n    Variable not in scope: foo :: Int -> Int\n",
            "`foo` is not known",
            "[GHC-88464].",
        ),
        (
            "thread 'main' panicked at src/main.rs:17:45:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }\n",
            "does not exist",
            "A test failed",
        ),
        (
            "CONFLICT (content): Merge conflict in config.yaml\nAutomatic merge failed; fix conflicts and then commit the result.\n",
            "config.yaml",
            "I see no error",
        ),
    ];
    let mut wrong = Vec::new();
    for (output, expected, never) in cases {
        let told = text(said("", None, output));
        if !told.contains(expected) || told.to_lowercase().contains(&never.to_lowercase()) {
            wrong.push(format!("{expected} / {never}: {told}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn failed_tests_are_named_with_their_assertions() {
    let rust = "test a::one ... FAILED\ntest a::two ... ok\ntest b::three ... FAILED\n\nfailures:\n\n---- a::one stdout ----\nthread 'a::one' panicked at src/a.rs:10:5:\nassertion `left == right` failed: sums\n  left: 3\n right: 4\n\n---- b::three stdout ----\nthread 'b::three' panicked at src/b.rs:22:9:\nassertion failed: x.is_empty()\n\ntest result: FAILED. 1 passed; 2 failed\n";
    let told = text(said("", None, rust));
    assert!(told.starts_with("2 tests failed:") && !told.contains("a::two"), "{told}");
    assert!(
        told.contains("- a::one: assertion `left == right` failed: sums; left: 3; right: 4, at `src/a.rs:10`."),
        "{told}"
    );
    assert!(told.contains("- b::three: assertion failed: x.is_empty(), at `src/b.rs:22`."), "{told}");
    let go = "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/empty (0.00s)\n        a_test.go:13: got 1, want 2\nok  \tx/b\t0.1s\n";
    let told = text(said("", None, go));
    assert!(told.starts_with("A test failed: TestA/empty: got 1, want 2, at `a_test.go:13`."), "{told}");
    let jest = "  ● cart › adds a thing\n\n    expect(received).toBe(expected)\n\n    Expected: 3\n    Received: 2\n\n      at Object.toBe (src/cart.test.ts:11:23)\n";
    let told = text(said("", None, jest));
    assert!(
        told.starts_with("A test failed: cart › adds a thing: Expected: 3; Received: 2, at `src/cart.test.ts:11`."),
        "{told}"
    );
}

#[test]
fn an_error_is_found_in_the_question_that_quotes_it() {
    for question in [
        "why does it say KeyError: 'net'",
        "what does the error 'linker `cc` not found' mean",
        "what does \"externally-managed-environment\" mean when I pip install",
        "why am I getting EADDRINUSE: address already in use :::3000",
    ] {
        assert!(quoted(question).is_some(), "{question}");
    }
    for question in ["explain the error handling in a.rs", "what does tar -xzf do", "where do we say hello to the user"]
    {
        assert_eq!(quoted(question), None, "{question}");
    }
}

#[test]
fn what_points_at_a_file_of_tests_is_no_command() {
    let vitest = " ❯ lib/pump.test.ts (3)\n   × pumps\n ❯ lib/pump.test.ts:9:12\n";
    assert_eq!(DiagnosedFailure::pasted(vitest).command, "");
    assert_eq!(DiagnosedFailure::pasted("❯ npx vitest run\n ❯ lib/pump.test.ts (3)\n").command, "npx vitest run");
}

#[test]
fn a_cure_is_in_the_terms_of_the_project() {
    let files = ["pnpm-workspace.yaml", "orchard/__init__.py", "orchard/trees.py"];
    let project = own::OwnProject::of(files.into_iter(), &|_| None, &|_| false);
    let told = |output: &str| {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let place = suggest::SuggestContext {
            cwd: "/p",
            dialect: Dialect::Bash,
            world: &EmptyWorld,
            names: &names,
            specs: &specs,
        };
        let failure = DiagnosedFailure { command: "", exit: None, output, project: Some(&project) };
        text(diagnose("why did it fail", &failure, &place))
    };
    let missing = told(
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nModuleNotFoundError: No module named 'orchard.asgi'\n",
    );
    assert!(missing.contains("`orchard/asgi.py` is missing") && !missing.contains("pip install"), "{missing}");
    let plugin = told("ESLint couldn't find the plugin \"eslint-plugin-moss\".\n");
    assert!(plugin.contains("pnpm add -D -w eslint-plugin-moss"), "{plugin}");
}

#[test]
fn a_question_without_output_names_what_to_run() {
    for (words, expected) in [
        ("why do my tests fail", Some("tests")),
        ("the tests are red", Some("tests")),
        ("why does the build keep failing?", Some("build")),
        ("why is the build broken?", Some("build")),
        ("my tests don't pass", Some("tests")),
        ("what's wrong with the build", Some("build")),
        ("the linter complains", Some("lint")),
        ("the tests pass", None),
        ("why does the login test fail", None),
        ("why does the server crash", None),
        ("the tests are failing, find out why", Some("tests")),
        ("why is test_is_balanced failing", Some("test_is_balanced only")),
        ("why does TestLogin fail?", Some("TestLogin only")),
    ] {
        assert_eq!(goal_asked_about(words).as_deref(), expected, "{words}");
    }
}
