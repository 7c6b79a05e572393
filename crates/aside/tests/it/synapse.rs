//! The protocol between Synapse's zsh plugin and its program, as recorded with the real plugin; here `aside` runs under that
//! program's name.

use std::os::unix::fs::symlink;

use crate::harness::home::{ASIDE, Home, Said, run};
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

fn home() -> Home {
    let home = Home::new();
    for program in ["git", "find", "frob", "rm"] {
        home.write(&format!("bin/{program}"), "#!/bin/sh\n");
    }
    symlink(ASIDE, home.path("bin/synapse")).unwrap();
    home
}

/// As the plugin calls it: with the directory, the previous commands, newest first, and two variables.
fn asks(home: &Home, query: &str) -> Said {
    let cwd = home.path("").display().to_string();
    let path = format!("PATH={}", home.path("bin").display());
    let args = [
        &["translate", query, "--cwd", cwd.trim_end_matches('/')][..],
        &["--recent-command", "-x looks like a flag", "--recent-command", "echo one"],
        &["--env-hint", &path, "--env-hint", "VIRTUAL_ENV=/home/ada/venv"],
    ];
    synapse(home, &args.concat())
}

fn synapse(home: &Home, args: &[&str]) -> Said {
    run(home.command(&home.path("bin/synapse").display().to_string()).args(args), "")
}

#[test]
fn synapse_gets_a_list_of_commands() {
    let said = asks(&home(), "show the last 5 commits as one-liners");
    let fields: Vec<&str> = said.stdout.trim_end_matches('\n').split('\t').collect();
    let count: usize = fields[1].parse().unwrap();
    assert_eq!((fields[0], fields.len(), said.code), ("list", 2 + 4 * count, 0), "{said:?}");
    assert!(fields[2].starts_with("git log --oneline "), "{said:?}");
    assert_eq!((fields[3], fields[5]), ("embedded", "command"));
}

#[test]
fn synapse_hears_why_there_is_none() {
    for query in ["frobnicate the quux", "--version", "x", ""] {
        let said = asks(&home(), query);
        let fields: Vec<&str> = said.stdout.trim_end_matches('\n').split('\t').collect();
        assert!(fields.len() == 2 && fields[0] == "error" && !fields[1].is_empty(), "{query:?}: {said:?}");
        assert_eq!(said.code, 0, "another status would have it say less");
    }
}

#[test]
fn synapse_gets_what_a_model_says_and_what_it_may_destroy() {
    let (home, model) = (home(), Model::start());
    let url = model.base_url();
    let settings = format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n");
    home.write(".config/aside/config.toml", settings);
    model.next(ScriptedReply::chat("rm -r quux"));
    let said = asks(&home, "frobnicate the quux");
    assert_eq!(said.stdout, "list\t1\trm -r quux\tllm\tdeletes files\tcommand\n", "{said:?}");
    assert!(model.requests()[0].body.to_string().contains("frobnicate the quux"));
}

#[test]
fn synapse_is_told_what_is_not_done_for_it() {
    for (args, word) in [(&["add", "frob"][..], "`add`"), (&["scan"], "`scan`"), (&[], "plugin")] {
        let said = synapse(&home(), args);
        assert_eq!((said.stdout.as_str(), said.code), ("", 2), "{said:?}");
        assert!(said.stderr.contains(word) && said.stderr.contains("this is Aside"), "{said:?}");
    }
}

#[test]
fn synapse_is_also_a_word_of_ours() {
    let home = home();
    let cwd = home.path("").display().to_string();
    let said = home.aside_does(&["synapse", "translate", "show the last 5 commits as one-liners", "--cwd", &cwd]);
    assert!(said.stdout.starts_with("list\t"), "{said:?}");
}
