//! Whether a command that another reader found honours what a request says: a word with a known effect on commands, a path, an assignment or
//! a flag has to show in the command. Finds no command itself.

use crate::run::reader::ground::RepositoryFacts;
use crate::run::reader::table::TABLE;
use crate::run::reader::tokens::{Token, TokenKind, tokens};

/// Words for running a file.
const RUN_WORDS: &[&str] = &[
    "run",
    "rerun",
    "execute",
    "start",
    "launch",
    "call",
    "try",
    "do",
    "invoke",
    "fire",
    "kick",
    "go",
    "use",
    "test",
    "跑",
    "运行",
    "执行",
    "启动",
    "试",
    "试试",
    "调用",
    "跑一下",
    "运行一下",
];

/// The words of a request that a command leaves out, if it has any with a known effect.
pub fn unmet(request: &str, command: &str, facts: &RepositoryFacts) -> Option<String> {
    let all = tokens(request, &|word| TABLE.is_han_word(word));
    let recipe = facts.targets.iter().find(|target| is_called(command, &target.command));
    let shown = format!("{command} {}", recipe.map(|target| target.recipe.as_str()).unwrap_or_default()).to_lowercase();
    for effect in &TABLE.effects {
        let Some((at, phrase)) =
            (0..all.len()).find_map(|at| Some((at, effect.words.iter().find(|phrase| phrase.stands_at(&all, at))?)))
        else {
            continue;
        };
        if !effect.shown.iter().any(|text| shown.contains(text.as_str())) {
            let said = all.get(at..at + phrase.len()).unwrap_or_default();
            return Some(said.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" "));
        }
    }
    // A file that is only named is not to be run.
    if runs_file(command) && !all.iter().any(|token| RUN_WORDS.iter().any(|word| token.is(word))) {
        let is_filler = |token: &Token| TABLE.fillers.iter().any(|phrase| phrase.words().eq([token.lower.as_str()]));
        return all.iter().find(|token| !is_filler(token)).map(|token| token.text.clone());
    }
    let is_shown = |text: &str| {
        let lower = text.to_lowercase();
        // `ENV=ENV=staging` takes the assignment for a value.
        let doubled = lower.split_once('=').is_some_and(|(name, _)| shown.contains(&format!("{name}={name}=")));
        shown.contains(&lower) && !doubled
    };
    all.iter().find(|token| is_literal(token) && !is_shown(&token.text)).map(|token| token.text.clone())
}

/// The target that a command for `make` names and the Makefile does not have: "make backup.sh executable" is prose.
pub fn no_target(command: &str, facts: &RepositoryFacts) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let makes = facts.targets.iter().any(|target| target.command.starts_with("make "));
    let [first, rest @ ..] = words.as_slice() else { return None };
    // Without a Makefile, `make prog` may still be known to make; a sentence is not.
    if *first != "make" || !makes && rest.len() < 2 || command.contains([';', '&', '|', '>', '<', '$', '"', '\'']) {
        return None;
    }
    let is_target = |word: &str| {
        word.starts_with('-')
            || word.contains('=') && word.len() > 1 && !word.starts_with('=')
            || facts.targets.iter().any(|target| target.name == word && target.command.starts_with("make "))
    };
    // The value of an option is none of the targets.
    let is_value = |at: usize| at > 0 && rest.get(at - 1).is_some_and(|before| before.starts_with('-'));
    (0..rest.len())
        .filter(|at| !is_value(*at))
        .filter_map(|at| rest.get(at))
        .find(|word| !is_target(word))
        .map(|word| (*word).to_owned())
}

/// Whether a command is an interpreter with a file and no more.
fn runs_file(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let program = match words.as_slice() {
        ["npx", program, _] | [program, _] => program,
        _ => return false,
    };
    ["node", "python", "python3", "bash", "sh", "tsx", "ts-node", "ruby", "perl", "php", "deno"].contains(program)
        && words.last().is_some_and(|file| file.contains('.'))
}

fn is_called(command: &str, target: &str) -> bool {
    command == target || command.strip_prefix(target).is_some_and(|rest| rest.starts_with(' '))
}

/// A word that only means itself: `ENV=staging`, `--locked`.
fn is_literal(token: &Token) -> bool {
    let text = token.text.as_str();
    let assigns = text.split_once('=').is_some_and(|(name, value)| {
        !value.is_empty()
            && !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_' || letter.is_ascii_digit())
    });
    token.kind == TokenKind::Word && (assigns || text.len() > 3 && text.starts_with("--"))
}
