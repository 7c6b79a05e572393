//! Tasks without any model: every kind of request is useful, what needs a model says so and how to get one, and nothing is sent.

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::tasks::TaskClient;

struct Scene {
    home: Home,
    person: TaskClient,
}

impl Scene {
    fn new() -> Self {
        Self::with("")
    }

    fn with(settings: &str) -> Self {
        let mut home = Home::new();
        home.write("project/.git/HEAD", "ref: refs/heads/main\n");
        home.write("project/Makefile", "test:\n\ttrue\n\nbuild:\n\ttrue\n");
        home.write("project/src/user.py", "class User:\n    port = 8080\n");
        home.set_env("PATH", "/usr/bin:/bin");
        home.write(".config/aside/config.toml", settings);
        home.aside_does(&["daemon", "start"]);
        let person = TaskClient::at(&home, &home.path("project"));
        Self { home, person }
    }

    /// The result of a request.
    #[track_caller]
    fn asks(&mut self, text: &str) -> Value {
        let task = self.person.asks(text);
        let events = self.person.hears_until(&task, &["WAITING_APPROVAL", "COMPLETED", "FAILED", "REJECTED"]);
        assert_ne!(events.last().unwrap()["state"], "FAILED", "{text}: {events:#?}");
        let proposed = events.iter().rfind(|event| event["type"] == "task_proposal");
        proposed.unwrap_or_else(|| panic!("{text}: {events:#?}"))["result"].clone()
    }
}

fn text(result: &Value) -> &str {
    result["proposal"]["text"].as_str().unwrap_or_else(|| panic!("no words: {result}"))
}

#[test]
fn every_kind_is_of_use_without_a_model() {
    let mut scene = Scene::new();
    assert!(text(&scene.asks("help")).contains("run the tests"));
    assert!(text(&scene.asks("@dev help")).contains("@dev patch WORDS"));
    assert!(text(&scene.asks("what does tar -xzf do")).contains("tar"));
    assert!(text(&scene.asks("what does exit code 137 mean")).contains("137"));
    let run = scene.asks("run the tests");
    assert_eq!(run["proposal"]["cmd"], "make test", "{run}");
    assert_eq!(run["requires"], json!({"mode": "local_approval", "action": "run_command"}));
    let error = "why does this fail?\nerror[E0308]: mismatched types\n  --> src/main.rs:4:18\n";
    assert!(text(&scene.asks(error)).contains("src/main.rs:4"));
    let found = scene.asks("where is the port configured");
    assert!(found.to_string().contains("src/user.py"), "{found}");
    let status = scene.asks("@dev status");
    assert!(text(&status).contains("- Model: none") && text(&status).contains("Waiting for you"), "{status}");
    assert!(!scene.home.path(".local/state/aside/privacy.jsonl").exists(), "nothing left");
}

#[test]
fn what_is_to_happen_when_something_else_has_is_not_proposed_now() {
    let mut scene = Scene::new();
    scene.home.write("project/a.txt", "one\n");
    for (words, when) in [
        ("as soon as the build is green, delete the branch topic", "as soon as the build is green"),
        ("once CI passes run the tests", "once CI passes"),
        ("run the tests when the build is done", "when the build is done"),
        ("tomorrow delete a.txt", "tomorrow"),
        ("later delete a.txt", "later"),
        ("delete a.txt if the disk is full", "if the disk is full"),
        ("明天删除 a.txt", "明天"),
        ("等构建通过再删除 a.txt", "等"),
    ] {
        let result = scene.asks(words);
        let said = text(&result);
        assert!(said.contains(when) && (said.contains("ask again") || said.contains("再说一次")), "{words}: {said}");
        assert_eq!(scene.home.aside(&["translate", words]).stdout, "", "{words}");
    }
    // The command itself minds what exists; a command line has no moods.
    assert_eq!(scene.asks("run the tests")["proposal"]["cmd"], "make test");
    assert_eq!(scene.asks("echo later")["proposal"]["cmd"], "echo later");
}

#[test]
fn a_change_without_a_model_is_honest() {
    let mut scene = Scene::new();
    for (words, nothing) in [
        ("give the user in src/user.py an address", "Nothing was changed"),
        ("给 src/user.py 加上端口检查", "没有修改"),
    ] {
        let task = scene.person.asks(words);
        let end = scene.person.ends(&task);
        assert_eq!(end["state"], "FAILED", "what needs a model is not done: {end}");
        let message = end["message"].as_str().unwrap();
        assert!(message.contains("aside model pull") && message.contains(nothing), "{message}");
    }
    let result = scene.asks("@dev plan rename the field in src/user.py");
    assert_eq!(result["proposal"]["type"], "plan", "{result}");
    assert!(text(&result).contains("1. Look at `src/user.py`."), "{result}");
    let result = scene.asks("the thing with the stuff");
    assert_eq!(
        (&result["proposal"]["type"], &result["requires"]["mode"]),
        (&json!("plan"), &json!("none")),
        "{result}"
    );
}

#[test]
fn the_settings_name_the_tests() {
    let mut scene = Scene::with("[task]\ndefault_test_command = 'frobnicate test'\nconfine = 'workspace'\n");
    let run = scene.asks("run the tests");
    assert_eq!(
        (&run["proposal"]["cmd"], &run["proposal"]["confine"]),
        (&json!("frobnicate test"), &json!("workspace")),
        "{run}"
    );
    let run = scene.asks("@dev test");
    assert_eq!(run["proposal"]["cmd"], "frobnicate test", "{run}");
    let none = scene.asks("run the frobnication script");
    assert!(text(&none).contains("`make test`"), "{none}");
}

/// The command or the diff of a proposal, or nothing.
fn act(result: &Value) -> String {
    let proposal = &result["proposal"];
    let found = proposal["cmd"].as_str().or_else(|| proposal["unifiedDiff"].as_str());
    found.unwrap_or_default().to_owned()
}

#[test]
fn what_was_said_is_what_is_proposed() {
    let mut scene = Scene::new();
    scene.home.write("project/notes.txt", "b\na\n");
    scene.home.write("project/config.yaml", "workers: 4\ntimeout: 10s\n");
    scene.home.write("project/limits.py", "MAX_ROWS = 30\n\n\ndef rows():\n    return MAX_ROWS\n");
    scene.home.write("project/main.py", "from limits import rows\nfrom src.user import User\n");
    let diff = act(&scene.asks("change MAX_ROWS to 60"));
    assert!(diff.contains("-MAX_ROWS = 30\n+MAX_ROWS = 60\n"), "{diff}");
    let diff = act(&scene.asks("change timeout in config.yaml to 30s"));
    assert!(diff.contains("+timeout: 30s"), "{diff}");
    let diff = act(&scene.asks("sort the lines of notes.txt"));
    assert!(diff.contains("+a\n b\n-a"), "{diff}");
    let diff = act(&scene.asks("delete line 2 of config.yaml"));
    assert!(diff.contains("-timeout: 10s"), "{diff}");
    let moved = act(&scene.asks("rename src/user.py to src/person.py"));
    assert!(moved.contains("+from src.person import User"), "{moved}");
    assert_eq!(act(&scene.asks("build and test")), "make build && make test");
    assert_eq!(act(&scene.asks("run time make test")), "time make test");
    for words in ["run the smoke tests", "run the tests in tests/test_nothing.py", "build in release mode"] {
        assert_eq!(act(&scene.asks(words)), "", "{words}");
    }
}

/// Other words for the same are the same, and what is left out counts.
#[test]
fn strangers_words_mean_what_the_usual_ones_do() {
    let mut scene = Scene::new();
    scene.home.write("project/src/a.c", "int port;\n/* XXX: too small */\nchar b[8];\nstrcpy(b, x);\n");
    let diff = act(&scene.asks("can you rename User to Member?"));
    assert!(diff.contains("+class Member:"), "{diff}");
    let diff = act(&scene.asks("s/8080/9090/g"));
    assert!(diff.contains("+    port = 9090"), "{diff}");
    let diff = act(&scene.asks("delete the XXX comment in a.c"));
    assert!(diff.contains("-/* XXX: too small */\n") && !diff.contains("-char"), "{diff}");
    assert_eq!(act(&scene.asks("kick off the tests")), "make test");
    for (request, expected) in [
        ("how do I undo my last commit but keep the changes?", "git reset --soft HEAD~1"),
        ("how do I rename a branch?", "git branch -m OLD NEW"),
        ("怎么撤销上一次提交", "git reset --soft HEAD~1"),
        ("will you run something without asking me first?", "pressed `y`"),
        ("do you need an account?", "no account"),
        ("how works User", "class User"),
        ("zsh: command not found: pytest", "pip install pytest"),
    ] {
        let result = scene.asks(request);
        assert!(text(&result).contains(expected), "{request}: {result}");
    }
    for words in [
        "discard my changes except in src/user.py",
        "delete src/user.py, but only if it is empty",
        "copy make_user into src/user.py",
    ] {
        let task = scene.person.asks(words);
        let events = scene.person.hears_until(&task, &["WAITING_APPROVAL", "COMPLETED", "FAILED", "REJECTED"]);
        assert_ne!(events.last().unwrap()["state"], "WAITING_APPROVAL", "{words}: {events:#?}");
    }
}

#[test]
fn searches_by_kind_look_at_what_things_are() {
    let mut scene = Scene::new();
    scene.home.write("project/tests/test_user.py", "import user\n\ndef test_port():\n    console.log\n");
    for (words, found) in [
        ("find the test files", "tests/test_user.py"),
        ("list files with more than 3 lines", "tests/test_user.py"),
        ("search for console.log", "tests/test_user.py:4"),
        ("find all test functions", "tests/test_user.py:3"),
        ("list all classes", "src/user.py:1"),
    ] {
        let result = scene.asks(words);
        assert!(result["proposal"]["items"].to_string().contains(found), "{words}: {result}");
    }
}

#[test]
fn questions_about_files_tasks_and_aside_itself_are_answered() {
    let mut scene = Scene::new();
    scene.home.write("project/scripts/release.sh", "#!/bin/sh\nset -eu\ngit tag v1\nrm -rf dist\n");
    scene.home.write(
        "project/src/app.py",
        "from user import User\n\n\n# Makes the default user.\ndef make_user():\n    return User()\n",
    );
    for (request, expected) in [
        ("what does scripts/release.sh do", "`rm -rf dist`"),
        ("explain the function make_user in src/app.py", "# Makes the default user."),
        ("what is User and who uses it", "src/app.py:1"),
        ("User 是做什么的", "使用它的地方"),
        ("what scripts are there", "`build`"),
        ("how do I undo what you did", "`aside task undo`"),
        ("how do I stop you from asking about git status every time", "rules.toml"),
        ("怎么设置模型", "aside model use"),
        ("do you send my code anywhere", "aside privacy"),
        ("what tasks are waiting for me", "No task waits for you."),
        ("what does the error 'linker `cc` not found' mean", "build-essential"),
        ("why does it say KeyError: 'net'", "`.get('net')`"),
    ] {
        let result = scene.asks(request);
        assert!(text(&result).contains(expected), "{request}: {result}");
    }
    let found = scene.asks("what port does it listen on");
    assert!(found.to_string().contains("src/user.py:2"), "{found}");
    let free = scene.asks("how much disk space is left");
    assert_eq!(free["proposal"]["cmd"], "df -h", "{free}");
}

#[test]
fn chinese_changes_are_the_english_ones() {
    let mut scene = Scene::new();
    for (request, summary) in [
        ("把 src/user.py 里的 port 改成 address", "替换"),
        ("将 \"8080\" 替换为 \"9090\"", "替换"),
        ("把 User 改名为 Member", "改名"),
    ] {
        let result = scene.asks(request);
        assert_eq!(result["proposal"]["type"], "diff", "{request}: {result}");
        assert!(result["summary"].as_str().unwrap().contains(summary), "{request}: {result}");
    }
}

#[test]
fn a_piped_error_is_diagnosed_whatever_is_asked() {
    let mut scene = Scene::new();
    let error = "thread 'a::adds' panicked at src/a.rs:3:5:\nassertion failed: false\n";
    for words in ["which test failed", "what do I do now", "what is this", "fix this", "为什么失败"] {
        let result = scene.asks(&format!("{words}\n\n```stdin\n{error}```"));
        assert!(text(&result).contains("a::adds") && text(&result).contains("src/a.rs:3"), "{words}: {result}");
    }
}

/// A question that a command measures is no search for its words, and no request ends in "did not ask for".
#[test]
fn what_counts_or_compares_is_a_command_to_approve() {
    let mut scene = Scene::new();
    for (words, part) in
        [("list the big files", "sort -rn"), ("how many files are here?", "wc -l"), ("show the old files", "sort -n")]
    {
        let run = scene.asks(words);
        assert!(run["proposal"]["cmd"].as_str().is_some_and(|cmd| cmd.contains(part)), "{words}: {run}");
    }
    let found = scene.asks("find port");
    assert!(found.to_string().contains("src/user.py"), "{found}");
}

/// Runs git in the project of a scene.
fn git(scene: &Scene, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(scene.home.path("project")).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    command.args(["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]).args(arguments);
    let done = command.env("HOME", scene.home.path("")).output().unwrap();
    assert!(done.status.success() || arguments.contains(&"merge"), "{arguments:?}: {done:?}");
}

#[test]
fn the_state_of_the_repository_is_told_in_other_words_too() {
    let mut scene = Scene::new();
    std::fs::remove_dir_all(scene.home.path("project/.git")).unwrap();
    git(&scene, &["init", "-q"]);
    git(&scene, &["add", "-A"]);
    git(&scene, &["commit", "-qm", "Begin"]);
    git(&scene, &["switch", "-qc", "side"]);
    scene.home.write("project/src/user.py", "class User:\n    port = 9090\n");
    git(&scene, &["commit", "-qam", "Side port"]);
    let told = scene.asks("how many commits is this branch ahead of main");
    assert!(text(&told).contains("1 commit") && text(&told).contains("Side port"), "{told}");
    let told = scene.asks("what did the last 2 commits change");
    assert!(text(&told).contains("Begin") && text(&told).contains("`src/user.py`"), "{told}");
    let none = scene.asks("is a merge in progress?");
    assert!(text(&none).starts_with("No merge"), "{none}");
    git(&scene, &["switch", "-q", "main"]);
    scene.home.write("project/src/user.py", "class User:\n    port = 7070\n");
    git(&scene, &["commit", "-qam", "Main port"]);
    git(&scene, &["merge", "-q", "side"]);
    for words in ["is a merge in progress?", "which files have conflicts", "status"] {
        let told = scene.asks(words);
        assert!(text(&told).contains("A merge is in progress, with a conflict in 1 file"), "{words}: {told}");
        assert!(text(&told).contains("src/user.py"), "{words}: {told}");
    }
}

#[test]
fn a_review_names_calls_that_a_change_leaves_behind() {
    let mut scene = Scene::new();
    std::fs::remove_dir_all(scene.home.path("project/.git")).unwrap();
    scene.home.write("project/src/fee.py", "def fee(loan, day):\n    return 1\n");
    scene.home.write("project/src/bill.py", "from fee import fee\n\ntotal = fee(1, 2)\n");
    git(&scene, &["init", "-q"]);
    git(&scene, &["add", "-A"]);
    git(&scene, &["commit", "-qm", "Begin"]);
    scene.home.write("project/src/fee.py", "def fee(loan, day, currency):\n    return 1\n");
    let told = scene.asks("review my changes");
    assert!(text(&told).contains("`fee` takes other parameters now"), "{told}");
    assert!(text(&told).contains("`src/bill.py:3` `total = fee(1, 2)`"), "{told}");
    let told = scene.asks("did I change any public signatures?");
    assert!(text(&told).contains("Yes, these declarations are other ones now:"), "{told}");
    let told = scene.asks("did I leave any console.log in");
    assert!(text(&told).contains("No added line has `console.log`"), "{told}");
}

#[test]
fn keys_and_files_of_settings_are_explained() {
    let mut scene = Scene::new();
    scene.home.write("project/tsconfig.json", "{\n  \"compilerOptions\": { \"noUncheckedIndexedAccess\": true }\n}\n");
    scene.home.write("project/Dockerfile", "FROM alpine\nUSER app\nCMD [\"sh\"]\n");
    let told = scene.asks("whats noUncheckedIndexedAccess for");
    assert!(text(&told).contains("has to check") && text(&told).contains("tsconfig.json:2"), "{told}");
    let told = scene.asks("explain the Dockerfile");
    assert!(text(&told).contains("`USER app`: runs what follows"), "{told}");
}

#[test]
fn questions_are_answered_by_what_they_name_in_other_words() {
    let mut scene = Scene::new();
    std::fs::remove_dir_all(scene.home.path("project/.git")).unwrap();
    scene.home.write("project/Makefile", "test:\n\ttrue\n\nreset: build\n\tdocker compose down -v\n\nbuild:\n\ttrue\n");
    scene.home.write("project/README.md", "# Kiln\n\nFires pots.\n\nExit codes: 0 ok, 3 no kiln.\n");
    scene.home.write("project/src/kiln.py", "# The old kiln cracks above this.\nMAX_HEAT = 1200\n");
    git(&scene, &["init", "-q"]);
    git(&scene, &["add", "-A"]);
    git(&scene, &["commit", "-qm", "Begin"]);
    git(&scene, &["tag", "v1.0.0"]);
    git(&scene, &["switch", "-qc", "glaze"]);
    scene.home.write("project/src/glaze.py", "GLAZE = 3\n");
    git(&scene, &["add", "-A"]);
    git(&scene, &["commit", "-qm", "Add a glaze"]);
    for (words, expected) in [
        ("what has this branch got that main hasn't", "`glaze` has 1 commit that `main` lacks"),
        ("any branches that never made it into main?", "`glaze`, where you are"),
        ("commits since v1.0.0", "Add a glaze"),
        ("who added a glaze", "Ada: Add a glaze"),
        ("if i do make reset do i lose data?", "deletes data"),
        ("kiln returned 3, meaning?", "3 no kiln"),
        ("i staged src/kiln.py by accident, how do i unstage it", "git restore --staged src/kiln.py"),
        ("怎么把最近两个提交合并成一个", "git rebase -i HEAD~2"),
        ("why is the kiln at 1200", "cracks above this"),
        ("any branches that never made it into main, colourwise?", "`colourwise` was not understood"),
    ] {
        let told = scene.asks(words);
        assert!(text(&told).contains(expected), "{words}: {told}");
    }
    // An order stays an order, and a thing without a place is no other question.
    let task = scene.person.asks("unmerged branches of Ada by colour and size");
    scene.person.ends(&task);
}
