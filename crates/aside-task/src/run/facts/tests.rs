//! Which questions are answered from facts, and which are left alone.

use super::*;

#[test]
fn questions_that_facts_answer() {
    let mut wrong = Vec::new();
    for (question, expected) in [
        ("what does this project do?", "Project"),
        ("what is this repo about", "Project"),
        ("explain this codebase", "Project"),
        ("give me an overview of the project", "Project"),
        ("how do I install this?", "Install"),
        ("how do I set up the project locally", "Install"),
        ("how do I get started", "Install"),
        ("how do I run this", "RunIt(\"this\")"),
        ("how can I start the server", "RunIt(\"the server\")"),
        ("how do I run the tests", "RunIt(\"the tests\")"),
        ("what version is this", "Version"),
        ("which version are we on", "Version"),
        ("what are the dependencies", "Dependencies"),
        ("which packages does this use", "Dependencies"),
        ("what are the last commits", "Commits(10)"),
        (
            "show me the last 3 commits",
            "Repository(Commits(CommitFilter { by: None, path: None, when: None, many: Some(3), counted: false, files: false }))",
        ),
        (
            "what happened recently",
            "Repository(Commits(CommitFilter { by: None, path: None, when: None, many: Some(10), counted: false, files: false }))",
        ),
        ("what does make clean do", "Target(\"clean\")"),
        ("explain npm run build", "Target(\"build\")"),
        ("what does the deploy script do", "Target(\"deploy\")"),
        ("how do I undo my last commit", "HowTo(\"undo my last commit\")"),
        ("how to squash two commits", "HowTo(\"squash two commits\")"),
        ("what does average do", "Name(\"average\")"),
        ("explain the Cart class", "Name(\"Cart\")"),
        ("what is MAX_RETRIES", "Name(\"MAX_RETRIES\")"),
        ("find files larger than 1k", "Files(Larger(1024))"),
        ("files smaller than 2 MB", "Files(Smaller(2097152))"),
        ("show the 5 largest files", "Files(Largest(5))"),
        ("how do I find files larger than 1k", "HowTo(\"find files larger than 1k\")"),
        ("which files changed this week", "Files(Days(7))"),
        ("files modified in the last 3 days", "Files(Days(3))"),
        ("files changed by Bob", "Files(Author(\"Bob\"))"),
        ("what did Ada change", "Files(Author(\"Ada\"))"),
        ("find empty files", "Files(Empty)"),
        ("list the files Bo changed", "Files(Author(\"Bo\"))"),
        ("what changed in the last commit", "LastCommit"),
        ("show me the latest commit", "LastCommit"),
        ("how many commits are there", "CommitCount"),
        ("who committed most", "Committers"),
        ("what scripts are in package.json", "Scripts"),
        ("which make targets are there", "Scripts"),
        ("which routes does the server have", "Lines(Routes)"),
        ("what endpoints are there", "Lines(Routes)"),
        ("what port does it listen on", "Lines(Ports)"),
        ("what flags does linkcheck take", "Lines(Flags)"),
        ("which environment variables does it read", "Lines(Environment)"),
        ("where does the program start", "Lines(Start)"),
        ("is anything running on port 3000", "Machine"),
        ("how much disk space is left", "Machine"),
        ("what tasks are waiting for me", "Waiting"),
        ("how is load_invoices used", "Uses(\"load_invoices\")"),
        ("what is WordCounter and who uses it", "Uses(\"WordCounter\")"),
        ("who calls normalize", "Uses(\"normalize\")"),
        ("when was the release script added", "AuthorsOf(\"release script\")"),
        ("这个项目是做什么的", "Project"),
        ("slugify 是做什么的", "Name(\"slugify\")"),
        ("最近一次提交改了什么", "LastCommit"),
        ("端口是多少", "Lines(Ports)"),
        ("tell me about by_customer", "Name(\"by_customer\")"),
        ("what is normalize used for", "Name(\"normalize\")"),
        ("show me what make check runs", "Target(\"check\")"),
        ("which python version do I need", "VersionOf(\"python\")"),
        ("which version of guava do we use", "VersionOf(\"guava\")"),
        ("what kotlin version is this", "VersionOf(\"kotlin\")"),
        ("list gradle tasks", "Scripts"),
    ] {
        let told = parse_question(question, None).map(|ask| format!("{ask:?}")).unwrap_or_default();
        if told != expected {
            wrong.push(format!("{question}: {told}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(parse_question("who changed a.py", Some("a.py")), Some(FactQuestion::Authors("a.py".to_owned())));
    assert_eq!(
        parse_question("when was a.py last updated?", Some("a.py")),
        Some(FactQuestion::Authors("a.py".to_owned()))
    );
    let file = Some("src/counter.rs");
    for (question, expected) in [
        ("explain the function top in src/counter.rs", "NameIn(\"top\", \"src/counter.rs\")"),
        ("what does top in src/counter.rs do", "NameIn(\"top\", \"src/counter.rs\")"),
        ("解释一下 src/counter.rs 里的 top 函数", "NameIn(\"top\", \"src/counter.rs\")"),
        ("what does line 14 of src/counter.rs do", "Line(\"src/counter.rs\", 14)"),
        ("what does src/counter.rs do", ""),
    ] {
        let told = parse_question(question, file).map(|ask| format!("{ask:?}")).unwrap_or_default();
        assert_eq!(told, expected, "{question}");
    }
    for question in [
        "fix the version check",
        "run the tests",
        "why is the parser slow",
        "rename average to mean",
        "files not committed",
        "add a version flag to the cli that prints the version of every dependency and exits",
    ] {
        assert_eq!(parse_question(question, None), None, "{question}");
    }
}

#[test]
fn a_file_is_told_by_what_it_defines() {
    let text = "\"\"\"A cart and its lines.\"\"\"\nimport os\n\nclass Cart:\n    def add(self):\n        total = 1\n\ndef average(cart):\n    return 1\n";
    let told = outline("cart.py", text, Language::English);
    assert!(told.starts_with("`cart.py` has 9 lines. It begins: A cart and its lines."), "{told}");
    assert!(
        told.contains("class Cart:\n    def add(self):\n        total = 1") && told.contains("def average(cart)"),
        "{told}"
    );
    assert!(outline("t.json", "{\n  \"strict\": true\n}\n", Language::English).contains("`\"strict\": true`"));
}

#[test]
fn a_definition_has_its_comment_and_its_body() {
    let python = "x = 1\n\n# The mean.\n@cached\ndef average(cart):\n    return 1\n\n\ndef other():\n    pass\n";
    assert_eq!(definition(python, 5), "# The mean.\n@cached\ndef average(cart):\n    return 1");
    let last = "impl A {\n    fn add(&self) {\n        x();\n    }\n}\n";
    assert_eq!(definition(last, 2), "fn add(&self) {\n    x();\n}");
    let wide = "fn add(\n    one: u8,\n) -> u8 {\n    one\n}\n\nfn b() {}\n";
    assert_eq!(definition(wide, 1), "fn add(\n    one: u8,\n) -> u8 {\n    one\n}");
    let rust = "impl A {\n    /// Adds.\n    fn add(&self) {\n        x();\n    }\n\n    fn b() {}\n}\n";
    assert_eq!(definition(rust, 3), "/// Adds.\nfn add(&self) {\n    x();\n}");
}
