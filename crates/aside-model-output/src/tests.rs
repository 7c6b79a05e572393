//! Answers as models give them, and adversarial ones.

use super::*;
use proptest::prelude::*;

/// An answer, and the commands in it.
const TABLE: &[(&str, &[&str])] = &[
    // Bare.
    ("ls -la", &["ls -la"]),
    ("ls -la\n", &["ls -la"]),
    ("  ls -la  ", &["ls -la"]),
    ("\n\nls\n\n", &["ls"]),
    ("git status", &["git status"]),
    ("find . -type f -size +100M", &["find . -type f -size +100M"]),
    ("lsof -ti:3000 | xargs kill", &["lsof -ti:3000 | xargs kill"]),
    ("cd ..", &["cd .."]),
    ("git add .", &["git add ."]),
    (":", &[":"]),
    ("[ -f x ] && cat x", &["[ -f x ] && cat x"]),
    ("[[ -f x ]] && cat x", &["[[ -f x ]] && cat x"]),
    ("{ echo hi; echo there; }", &["{ echo hi; echo there; }"]),
    ("(cd src && make)", &["(cd src && make)"]),
    ("$EDITOR notes.txt", &["$EDITOR notes.txt"]),
    ("./run.sh --fast", &["./run.sh --fast"]),
    ("Rscript -e 'x'", &["Rscript -e 'x'"]),
    ("sudo apt update", &["sudo apt update"]),
    ("curl -I https://example.com", &["curl -I https://example.com"]),
    ("echo \"Sorry, I cannot\"", &["echo \"Sorry, I cannot\""]),
    ("git commit -m 'I am sorry'", &["git commit -m 'I am sorry'"]),
    ("grep -r \"Sorry\" .", &["grep -r \"Sorry\" ."]),
    ("echo Done.", &["echo Done."]),
    ("awk '{print $1}' f", &["awk '{print $1}' f"]),
    ("echo `date`", &["echo `date`"]),
    ("\"my program\" --x", &["\"my program\" --x"]),
    ("find . -name \"*.rs\"", &["find . -name \"*.rs\""]),
    ("grep  'two  spaces'  f", &["grep  'two  spaces'  f"]),
    ("echo \"it’s\"", &["echo \"it’s\""]),
    ("cat < in", &["cat < in"]),
    ("ls #1", &["ls #1"]),
    ("nix run nixpkgs#hello", &["nix run nixpkgs#hello"]),
    // Fences.
    ("```\nls -la\n```", &["ls -la"]),
    ("```bash\nls -la\n```", &["ls -la"]),
    ("```sh\nls -la\n```\n", &["ls -la"]),
    ("~~~zsh\nls -la\n~~~", &["ls -la"]),
    ("```bash\nls -la", &["ls -la"]),
    ("```ls -la```", &["ls -la"]),
    ("```ls```", &["ls"]),
    ("```bash ls -la```", &["ls -la"]),
    ("```shell\n$ ls -la\n```", &["ls -la"]),
    ("``` bash\nls\n```", &["ls"]),
    ("```{.bash}\nls\n```", &["ls"]),
    ("```bash\nls -la```", &["ls -la"]),
    ("````\n```\nls\n```\n````", &["ls"]),
    ("Here is the command:\n\n```bash\nls -la\n```\n\nThis lists all files.", &["ls -la"]),
    ("Sure! You can use `ls`:\n```\nls -la\n```", &["ls -la"]),
    ("```bash\nls\n```\nOutput:\n```\na b c\n```", &["ls"]),
    ("```bash\nls\n```\nor\n```bash\nfind .\n```", &["ls", "find ."]),
    ("First:\n```bash\ncd src\n```\nThen:\n```bash\nmake\n```", &["cd src && make"]),
    ("```bash\n# List files\nls -la\n```", &["ls -la"]),
    ("```bash\nls -la # all of them\n```", &["ls -la"]),
    ("```bash\n#!/bin/bash\nls\n```", &["ls"]),
    ("```bash\ncd src\nmake\n```", &["cd src && make"]),
    ("```bash\nfind . \\\n  -name x \\\n  -delete\n```", &["find . -name x -delete"]),
    ("```bash\ncat f |\n  sort\n```", &["cat f | sort"]),
    ("```bash\ncat f \\\n  | sort\n```", &["cat f | sort"]),
    ("```bash\ncat f\n| sort\n```", &["cat f | sort"]),
    ("```bash\nfor f in *; do\n  echo \"$f\"\ndone\n```", &["for f in *; do echo \"$f\"; done"]),
    ("```bash\nif true; then\n  ls\nelse\n  pwd\nfi\n```", &["if true; then ls; else pwd; fi"]),
    ("```bash\n# Option 1\nls\n# Option 2\nfind .\n```", &["ls", "find ."]),
    ("```bash\ncat <<EOF\nx\nEOF\n```", &[]),
    ("```bash\necho 'a\nb'\n```", &[]),
    ("```bash\n```", &[]),
    ("```console\n$ ls\na b c\n$ pwd\n/home\n```", &["ls && pwd"]),
    ("```json\n{\"command\": \"ls -la\"}\n```", &["ls -la"]),
    ("```python\nprint(1)\n```", &[]),
    ("```text\nls -la\n```", &["ls -la"]),
    ("```bash\nuser@host:~$ ls -la\n```", &["ls -la"]),
    // Prompts.
    ("$ ls -la", &["ls -la"]),
    ("% ls -la", &["ls -la"]),
    ("> ls -la", &["ls -la"]),
    ("> git status", &["git status"]),
    ("> ./run.sh --fast", &["./run.sh --fast"]),
    ("> $ ls", &["ls"]),
    ("> 1. ls", &["ls"]),
    ("> Here is the command:\n> `ls -la`", &["ls -la"]),
    ("> notes.txt", &["> notes.txt"]),
    ("> access", &["> access"]),
    (">notes.txt", &[">notes.txt"]),
    (">> notes.txt", &[">> notes.txt"]),
    ("> \"my notes\"", &["> \"my notes\""]),
    ("> $LOG", &["> $LOG"]),
    ("> a.log && ls -l a.log", &["> a.log && ls -l a.log"]),
    ("> access; ls", &["> access; ls"]),
    ("> out.txt sort data", &["> out.txt sort data"]),
    ("1. > notes.txt\n2. truncate -s 0 notes.txt", &["> notes.txt", "truncate -s 0 notes.txt"]),
    ("```\n> /var/log/app.log\n```", &["> /var/log/app.log"]),
    ("sort data \\\n> out.txt", &["sort data > out.txt"]),
    ("$ sort \\\n> data", &["sort data"]),
    ("❯ ls -la", &["ls -la"]),
    ("# apt update", &["apt update"]),
    ("ada@host:~/src$ ls -la", &["ls -la"]),
    ("[ada@host ~]$ ls -la", &["ls -la"]),
    ("# This lists the files", &[]),
    ("bash\nls -la", &["ls -la"]),
    // Inline code and prose.
    ("`ls -la`", &["ls -la"]),
    ("``ls -la``", &["ls -la"]),
    ("`$ ls -la`", &["ls -la"]),
    ("**`ls -la`**", &["ls -la"]),
    ("**ls -la**", &["ls -la"]),
    ("\"ls -la\"", &["ls -la"]),
    ("'ls -la'", &["ls -la"]),
    ("“ls -la”", &["ls -la"]),
    ("You can use `ls -la` to list all files.", &["ls -la"]),
    ("Use the `find` command: `find . -size +1M`", &["find . -size +1M"]),
    ("Use `ls`.", &["ls"]),
    ("The `-l` flag makes `ls -l` long.", &["ls -l"]),
    ("`ls -la` lists all files", &["ls -la"]),
    ("Command: ls -la", &["ls -la"]),
    ("**Command:** `ls -la`", &["ls -la"]),
    ("Answer: ls", &["ls"]),
    ("The command is:\nls -la", &["ls -la"]),
    ("Here is the command you need:\n\nls -la\n\nExplanation: it lists files.\nls is short for list.", &["ls -la"]),
    ("ls -la\n\nThis command lists all files.", &["ls -la"]),
    ("ls -la\nExplanation:\n- ls lists\n- -l is long", &["ls -la"]),
    ("ls -la.", &["ls -la"]),
    ("Sure, here you go: ls", &[]),
    ("### Command\nls -la", &["ls -la"]),
    // Lists.
    ("1. ls -la\n2. find .", &["ls -la", "find ."]),
    ("1) ls -la\n2) find .", &["ls -la", "find ."]),
    ("1. `ls -la`\n2. `find .`", &["ls -la", "find ."]),
    ("- ls -la\n- find .", &["ls -la", "find ."]),
    ("* `ls -la` - lists all\n* `find .` - finds", &["ls -la", "find ."]),
    ("1. ls -la - Lists all files\n2. find . - Finds", &["ls -la", "find ."]),
    ("1. **ls -la**\n2. **find .**", &["ls -la", "find ."]),
    ("Here are some options:\n1. git status\n2. git status -s", &["git status", "git status -s"]),
    ("ls -la\nor\nfind .", &["ls -la", "find ."]),
    ("ls -la\n\nAlternatively:\n\nfind .", &["ls -la", "find ."]),
    ("Option 1: ls -la\nOption 2: find .", &["ls -la", "find ."]),
    ("Step 1: cd src\nStep 2: make", &["cd src && make"]),
    ("1. ls\n2. ls\n3. ls -a", &["ls", "ls -a"]),
    ("1. ls", &["ls"]),
    ("cd src\nmake", &["cd src && make"]),
    ("mkdir -p a/b\ncd a/b\ngit init", &["mkdir -p a/b && cd a/b && git init"]),
    ("sleep 5 &\nls -l", &["sleep 5 & ls -l"]),
    // Reasoning.
    ("<think>I should use ls</think>\nls -la", &["ls -la"]),
    ("<think>\nls? find?\n```\nrm x\n```\n</think>\n\n```bash\nls -la\n```", &["ls -la"]),
    ("I should list.</think>ls -la", &["ls -la"]),
    ("<think>I should use", &[]),
    ("<think>", &[]),
    ("<thinking>x</thinking>ls", &["ls"]),
    ("<reasoning>x</reasoning>\nls", &["ls"]),
    ("ls -la\n<think>was that right", &["ls -la"]),
    ("grep '<think>' f", &["grep '<think>' f"]),
    (
        "<|channel|>analysis<|message|>use ls<|end|><|start|>assistant<|channel|>final<|message|>ls -la<|return|>",
        &["ls -la"],
    ),
    ("<|channel|>analysis<|message|>use ls", &[]),
    ("ls -la<|im_end|>\n<|im_start|>user", &["ls -la"]),
    ("ls -la</s>", &["ls -la"]),
    ("<command>ls -la</command>", &["ls -la"]),
    ("<answer>\nls -la\n</answer> because", &["ls -la"]),
    // JSON.
    ("{\"command\": \"ls -la\"}", &["ls -la"]),
    ("{\"command\":\"ls -la\"}", &["ls -la"]),
    ("{\"commands\": [\"ls -la\", \"find .\"]}", &["ls -la", "find ."]),
    ("[\"ls -la\", \"find .\"]", &["ls -la", "find ."]),
    ("[{\"command\": \"ls\"}, {\"command\": \"find .\"}]", &["ls", "find ."]),
    ("{\"commands\": [{\"command\": \"ls\", \"explanation\": \"lists\"}]}", &["ls"]),
    ("{\"cmd\": \"ls\", \"explanation\": \"x\"}", &["ls"]),
    ("{\"explanation\": \"lists\", \"command\": \"ls\"}", &["ls"]),
    ("{\"command\": \"ls\", \"alternatives\": [\"find .\"]}", &["ls", "find ."]),
    ("{\"command\": \"ls -la\"}\n\nThis lists all files.", &["ls -la"]),
    ("Here is the JSON:\n{\"command\": \"ls -la\"}", &["ls -la"]),
    ("{\"command\": \"grep \\\"a b\\\" f\"}", &["grep \"a b\" f"]),
    ("{\"command\": \"ls\\u0020-l\"}", &["ls -l"]),
    ("{\"command\": \"ls -la\", \"expl", &["ls -la"]),
    ("{\"command\": \"ls -l", &[]),
    ("{\"commands\": [\"ls -la\", \"fin", &["ls -la"]),
    ("{'command': 'ls -la'}", &["ls -la"]),
    ("{\"command\": null}", &[]),
    ("{\"command\": \"\"}", &[]),
    ("{\"commands\": []}", &[]),
    ("{\"error\": \"I cannot do that\"}", &[]),
    ("{\"command\": \"cd src\\nmake\"}", &["cd src && make"]),
    ("{\"command\": \"```bash\\nls\\n```\"}", &["ls"]),
    ("{\"name\": \"run\", \"arguments\": {\"command\": \"ls\"}}", &["ls"]),
    ("{\"function\": {\"name\": \"run\", \"arguments\": \"{\\\"command\\\": \\\"ls\\\"}\"}}", &["ls"]),
    ("curl -d '{\"command\": \"x\"}' host", &["curl -d '{\"command\": \"x\"}' host"]),
    ("echo '{\"a\": 1}' | jq .a", &["echo '{\"a\": 1}' | jq .a"]),
    ("{\"command\": \"curl -I x\"}\n{\"command\": \"wget x\"}", &["curl -I x", "wget x"]),
    // Refusals and nothing.
    ("I cannot help with that.", &[]),
    ("I'm sorry, but I can't do that.", &[]),
    ("I’m sorry, but I can’t do that.", &[]),
    ("Sorry, that is not possible.", &[]),
    ("I'm sorry, but I cannot run `rm -rf /` for you.", &[]),
    ("As an AI language model, I cannot execute commands.", &[]),
    ("I can't delete everything, but this is safer:\n```bash\nls -la\n```", &["ls -la"]),
    ("Unable to generate a command for this request.", &[]),
    ("", &[]),
    (" \n ", &[]),
    ("None", &[]),
    ("N/A", &[]),
    ("null", &[]),
    ("...", &[]),
    ("---", &[]),
    ("What do you mean by that?", &[]),
    ("It depends on the shell.", &[]),
    ("find the files that are larger than you want", &[]),
    // Spelling.
    ("grep “a b” f", &["grep \"a b\" f"]),
    ("grep ‘a b’ f", &["grep 'a b' f"]),
    ("ls —all", &["ls --all"]),
    ("ls –l", &["ls -l"]),
    ("echo 'a — b'", &["echo 'a — b'"]),
    ("make &amp;&amp; make test", &["make && make test"]),
    ("ls &gt; out", &["ls > out"]),
    ("grep &quot;a &amp; b&quot; f", &["grep \"a & b\" f"]),
    ("sed 's/&amp;/x/' f", &["sed 's/&amp;/x/' f"]),
    ("ls\u{a0}-la", &["ls -la"]),
    // As small models write it.
    ("To list all files, run:\n\n    ls -la\n\nThe -l flag is for long.", &["ls -la"]),
    ("The command to list files is `ls`.\n\n```\nls -la\n```\n\nThe `-la` option shows all.", &["ls -la"]),
    ("ls -la | grep foo\n```", &["ls -la | grep foo"]),
    ("```\nls -la\n```\n\n```\ntotal 0\n```", &["ls -la", "total 0"]),
    ("$ ls -la\ntotal 0\ndrwxr-xr-x 2 a b", &["ls -la"]),
    ("Command:\n```sh\nls\n```", &["ls"]),
    ("Request: list files\n1. ls -la", &["ls -la"]),
    ("1. ls -la\n\nRequest: next\n1. rm -rf x", &["ls -la"]),
    ("find . -name '*.log' -mtime +30 -print", &["find . -name '*.log' -mtime +30 -print"]),
    ("Sure! Here's the command:\n\n`find . -name \"*.txt\"`", &["find . -name \"*.txt\""]),
    ("The following command will do that: `du -sh *`", &["du -sh *"]),
    ("git log --oneline -5\n\n# Shows the last 5 commits", &["git log --oneline -5"]),
    ("git log --oneline -5  # last five", &["git log --oneline -5"]),
    ("tar -czf a.tar.gz dir/", &["tar -czf a.tar.gz dir/"]),
    ("ps aux | sort -rk 4 | head -n 6", &["ps aux | sort -rk 4 | head -n 6"]),
    ("docker ps --format '{{.Names}}'", &["docker ps --format '{{.Names}}'"]),
    ("for i in 1 2 3; do echo $i; done", &["for i in 1 2 3; do echo $i; done"]),
    ("while read -r line; do echo \"$line\"; done < f", &["while read -r line; do echo \"$line\"; done < f"]),
    ("export PATH=\"$HOME/bin:$PATH\"", &["export PATH=\"$HOME/bin:$PATH\""]),
    ("make", &["make"]),
    ("pwd\n", &["pwd"]),
    ("history | tail -n 20", &["history | tail -n 20"]),
    ("date +%Y-%m-%d", &["date +%Y-%m-%d"]),
    ("kill -9 $(lsof -t -i:3000)", &["kill -9 $(lsof -t -i:3000)"]),
    ("printf '%s\\n' a b", &["printf '%s\\n' a b"]),
    ("sed -n '5,10p' f", &["sed -n '5,10p' f"]),
    ("which is", &["which is"]),
    ("cat a; cat the of", &["cat a; cat the of"]),
    ("GET https://example.com", &["GET https://example.com"]),
    ("xdg-open .", &["xdg-open ."]),
    ("less README.md", &["less README.md"]),
    ("git diff HEAD~1", &["git diff HEAD~1"]),
    ("Please run the following command: git status", &[]),
    ("1. **List files**: `ls -la`\n2. **Find**: `find .`", &["ls -la", "find ."]),
    ("1. List all files:\n   ls -la\n2. Find files:\n   find .", &["ls -la", "find ."]),
    ("1. List all files:\n```bash\nls -la\n```\n2. Find:\n```bash\nfind .\n```", &["ls -la", "find ."]),
    // Adversarial.
    ("\u{1b}[31mls -la\u{1b}[0m", &["ls -la"]),
    ("\u{1b}]0;title\u{7}ls -la", &["ls -la"]),
    ("ls\0 -la", &["ls -la"]),
    ("r\u{200b}m x", &["rm x"]),
    ("ls \u{202e}al-", &["ls al-"]),
    ("ls -la\r\nrm x\r\n", &["ls -la && rm x"]),
    ("ls\rrm", &["ls && rm"]),
    ("ls\t-la", &["ls -la"]),
    ("{\"command\": \"ls\\u001b[31m\\u0000 -la\"}", &["ls -la"]),
    ("{\"command\": \"ls\\u202e -la\"}", &["ls -la"]),
    ("ls \u{9b}31m", &["ls 31m"]),
];

#[test]
fn a_command_comes_out_of_every_answer() {
    let mut wrong = Vec::new();
    for (said, expected) in TABLE {
        let got = commands(said, Dialect::Zsh);
        if got != *expected {
            wrong.push(format!("{said:?}\n   wanted {expected:?}\n   got    {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(TABLE.len() >= 120, "{}", TABLE.len());
}

#[test]
fn what_is_shown_early_stays() {
    let mut shown_early = 0;
    for (said, _) in TABLE {
        let finally = commands(said, Dialect::Zsh);
        let mut before = String::new();
        for end in (0..=said.len()).filter(|end| said.is_char_boundary(*end)) {
            let Some(shown) = partial(&said[..end], Dialect::Zsh) else { continue };
            shown_early += 1;
            assert!(shown.starts_with(&before), "{said:?} at {end}: {before:?} then {shown:?}");
            // An answer that turns out to be none retracts what was shown.
            let kept = finally.first().is_none_or(|first| first.starts_with(&shown));
            assert!(kept, "{said:?} at {end}: {shown:?}, in the end {finally:?}");
            before = shown;
        }
    }
    assert!(shown_early > 500, "{shown_early}");
}

#[test]
fn words_are_shown_as_they_come() {
    let cases = [
        ("find . -type f", Some("find . -type")),
        ("find . -type f ", Some("find . -type f")),
        ("find", None),
        ("git status", None),
        ("```bash\ngit status --sh", Some("git status")),
        ("Here you go:\n```bash\ngit status\n", Some("git status")),
        ("<think>hm</think>find . -name x", Some("find . -name")),
        ("<think>find . -name x", None),
        ("{\"command\": \"git status --sho", Some("git status")),
        ("{\"commands\": [\"ls -la\", \"x", Some("ls -la")),
        ("1. find . -type f", Some("find . -type")),
        ("To find files, use find . -type", None),
        ("```py", None),
    ];
    for (said, expected) in cases {
        assert_eq!(partial(said, Dialect::Zsh).as_deref(), expected, "{said:?}");
    }
}

#[test]
fn long_answers_have_an_end() {
    let lines = [
        "ls -la\n",
        "```\n",
        "{\"command\":",
        "<think>",
        "1. ls\n",
        "`a` ",
        "for x in *; do\n",
        "\\\n",
        "[",
        "\u{1b}]",
        "echo '",
        "“",
        "&amp;",
    ];
    for piece in lines {
        let said = piece.repeat(64 * 1024 / piece.len());
        for command in commands(&said, Dialect::Bash).iter().chain(&partial(&said, Dialect::Bash)) {
            assert!(command.len() <= MAX_COMMAND, "{piece}");
        }
    }
    assert_eq!(commands(&format!("ls {}", "x".repeat(10_000)), Dialect::Bash), [""; 0]);
}

/// Building blocks of answers.
const PIECES: [&str; 36] = [
    "ls -la",
    "rm",
    " ",
    "\n",
    "```",
    "```bash\n",
    "~~~",
    "`",
    "``",
    "<think>",
    "</think>",
    "{\"command\":",
    "\"",
    "'",
    "}",
    "[",
    "]",
    "\\",
    "\\u001b",
    "1. ",
    "- ",
    "$ ",
    "# ",
    "**",
    "Here is:",
    "Sorry",
    "or",
    "\u{1b}[31m",
    "\0",
    "\u{202e}",
    "é",
    "日本",
    "“",
    "&amp;",
    "|",
    "<<EOF",
];

proptest! {
    #[test]
    fn nothing_that_cannot_be_seen_comes_out(
        parts in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..30),
        text in "(?s).{0,30}",
    ) {
        let said = format!("{}{text}", parts.concat());
        for command in commands(&said, Dialect::Zsh).iter().chain(&partial(&said, Dialect::Zsh)) {
            prop_assert!(!command.contains(char::is_control), "{said:?} {command:?}");
            prop_assert!(text::is_clean(command), "{said:?} {command:?}");
            prop_assert!(!command.trim().is_empty());
        }
    }
}
