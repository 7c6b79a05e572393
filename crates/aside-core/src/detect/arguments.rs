//! What the words behind a failed command mean to it. Prose is what the command cannot interpret and a reader can.

use crate::detect::english::{ProseScore, Token, TokenKind};
use crate::detect::phrase::{
    has_between, has_content, has_predicate, is_article, is_counted, is_determined, is_joined, is_nameless, is_object,
    is_polite, is_predicate, is_qualified, is_question, is_single,
};
use crate::detect::word_lists::lists;
use crate::detect::{DetectContext, local_names};

/// Words after `go` that do not refer to the Go tool.
const WAYS: [&str; 12] =
    ["ahead", "back", "home", "on", "out", "over", "up", "down", "away", "there", "here", "faster"];

/// Of the commands that accept no words, those that accept nothing else either.
const MUTE: [&str; 11] =
    ["free", "true", "false", "clear", "reset", "uptime", "users", "whoami", "top", "htop", "reboot"];

/// Programs that run targets, which may have any name.
const RUNS_TARGETS: [&str; 11] =
    ["make", "gmake", "just", "npm", "yarn", "pnpm", "bun", "rake", "ninja", "gradle", "mvn"];

/// Subcommands behind which the user may have forgotten `-m`.
const TAKES_TEXT: [&str; 5] = ["commit", "stash", "save", "notes", "tag"];

/// Subcommands that are followed by any program.
const RUNS_PROGRAMS: [&str; 9] = ["run", "exec", "test", "start", "x", "script", "r", "bench", "eval"];

/// Subcommands that are followed by the name of a package.
const TAKES_PACKAGES: [&str; 8] = ["install", "i", "add", "remove", "uninstall", "search", "show", "info"];

/// Commands that take two names, of which one may be `a`.
const TAKES_TWO: [&str; 10] = ["cp", "mv", "ln", "diff", "cmp", "comm", "join", "paste", "cat", "ls"];

/// Flags of `find` whose dash was forgotten.
const FIND_FLAGS: [&str; 6] = ["name", "iname", "type", "path", "exec", "size"];

pub struct ArgumentReading<'m, 'l> {
    pub command: &'m str,
    pub words: &'m [Token<'l>],
    pub rest: &'m ProseScore,
    pub facts: &'m DetectContext<'m>,
}

impl ArgumentReading<'_, '_> {
    /// Whether the words have no meaning for this command.
    pub fn is_missing(&self) -> bool {
        let Some(second) = self.words.first() else { return false };
        // `tar xf the archive` has its flags in a word.
        if self.command == "tar" && !second.is_english() {
            return false;
        }
        if is_polite(self.words) && (self.words.len() >= 2 || second.sort == TokenKind::Core) {
            return true;
        }
        if is_determined(self.words) && self.is_about_a_thing(second) {
            return !lists().patterns.contains(self.command) || self.words.len() >= 3;
        }
        if self.is_script() || self.is_way(second) {
            return true;
        }
        if self.is_pattern() {
            return false;
        }
        if self.is_plain() && lists().bare.contains(self.command) {
            let is_said = second.sort == TokenKind::Core;
            let is_noun = MUTE.contains(&self.command) && second.is_english() && second.sort != TokenKind::Speech;
            let is_amount = second.sort == TokenKind::Number && !(self.words.len() >= 3 && self.rest.functional() >= 1);
            return (self.words.len() >= 2 || is_said || is_noun) && !is_amount;
        }
        self.is_done_to_something()
            || has_content(self.words) && (self.is_spoken(second) || self.is_plain() && self.is_strange(second))
    }

    /// Whether the words are those of a program that this one runs: `ssh box cat the log`.
    pub fn runs_another(&self) -> bool {
        let Some(second) = self.words.first() else { return false };
        if lists().scripts.contains(self.command) {
            return second.sort == TokenKind::Name;
        }
        let is_run = |token: &Token<'_>| !token.is_functional() && local_names::is_known_command(token.raw, self.facts);
        let third = self.words.get(1).filter(|third| !second.is_functional() && third.sort != TokenKind::Listed);
        lists().runs.contains(self.command)
            && (second.sort == TokenKind::Name || is_run(second) || third.is_some_and(is_run))
    }

    /// A statement about a subcommand or a file: `npm install hangs forever`, `sort data by date`.
    pub fn is_about_known(&self) -> bool {
        let Some((second, rest)) = self.words.split_first() else { return false };
        if lists().files.contains(self.command) {
            let is_absent = |token: &Token<'_>| !self.is_here(token) && !local_names::exists(&token.plain, self.facts);
            return has_between(self.words) && self.words.iter().any(is_absent);
        }
        if is_nameless(rest) && rest.len() == 1 || self.is_about_target() {
            return true;
        }
        if rest.len() >= 2 && is_question(rest) && rest.last().is_some_and(Token::is_english) {
            return true;
        }
        if rest.len() < 2 || rest.iter().any(|token| !token.is_plain() || self.is_known(token)) {
            return false;
        }
        let is_reported = rest.first().is_some_and(|verb| lists().reports.contains(verb.plain.as_str()));
        if has_predicate(rest) || is_predicate(rest) && is_reported {
            return true;
        }
        let is_sentence = is_predicate(rest) || is_determined(rest) || is_object(rest) || is_joined(rest);
        let is_broken =
            is_predicate(rest) && rest.len() == 2 && has_content(rest) && rest.iter().all(Token::is_english);
        let is_package = TAKES_PACKAGES.contains(&second.plain.as_str());
        is_sentence && has_content(rest) && !self.takes_anything(second) || is_broken && !is_package
    }

    /// The name of a file with blanks: `cat my file.txt`.
    pub fn is_name(&self) -> bool {
        let names: Vec<&str> = self.words.iter().map(|token| token.raw).collect();
        names.len() <= 4 && local_names::exists(&names.join(" "), self.facts)
    }

    /// Too few words for a sentence behind a command that searches for any text.
    pub fn is_pattern(&self) -> bool {
        let is_file = self.words.last().is_some_and(|last| last.sort == TokenKind::Name);
        let is_short = self.words.len() < 3 || self.rest.functional() < 2 || is_file;
        // `test x is y`
        let is_compared = |token: &Token<'_>| matches!(token.plain.as_str(), "is" | "or" | "and" | "not" | "equals");
        let is_condition =
            self.command == "test" && self.words.len() == 3 && self.words.get(1).is_some_and(is_compared);
        lists().patterns.contains(self.command) && is_short || is_condition
    }

    fn is_plain(&self) -> bool {
        self.words.iter().all(Token::is_plain)
    }

    fn is_here(&self, token: &Token<'_>) -> bool {
        local_names::exists(token.raw, self.facts)
    }

    fn is_known(&self, token: &Token<'_>) -> bool {
        self.is_here(token) || local_names::is_live(self.command, token.raw, self.facts)
    }

    /// Whether a subcommand or a target accepts any word.
    fn takes_anything(&self, second: &Token<'_>) -> bool {
        let is_among = |words: &[&str], token: &Token<'_>| words.contains(&token.plain.as_str());
        self.words.iter().take(2).any(|token| is_among(&RUNS_PROGRAMS, token))
            || is_among(&TAKES_TEXT, second)
            || is_among(&TAKES_PACKAGES, second)
            || self.is_here(second)
    }

    /// `make docs for the parser`: a function word is no target.
    fn is_about_target(&self) -> bool {
        let is_strange = |token: &Token<'_>| token.sort == TokenKind::Link && !self.is_known(token);
        matches!(self.command, "make" | "just") && has_between(self.words) && self.words.iter().any(is_strange)
    }

    fn is_about_a_thing(&self, second: &Token<'_>) -> bool {
        self.is_plain() && self.words.len() >= 2 || self.rest.functional() >= 2 && second.is_plain()
    }

    /// Words in place of a script: `sed remove the first line`.
    fn is_script(&self) -> bool {
        let is_english = self.words.len() >= 3 && self.words.iter().all(Token::is_english);
        matches!(self.command, "sed" | "awk" | "jq") && is_english
    }

    /// `go ahead`
    fn is_way(&self, second: &Token<'_>) -> bool {
        self.command == "go" && WAYS.contains(&second.plain.as_str())
    }

    /// `make it faster`, `docker stop everything`
    fn is_done_to_something(&self) -> bool {
        let is_plain = self.is_plain();
        is_object(self.words) && !lists().users.contains(self.command) && (is_plain || self.rest.functional() >= 2)
            || is_nameless(self.words) && is_plain && !RUNS_TARGETS.contains(&self.command)
    }

    /// Whether the words are joined as in a sentence.
    fn is_spoken(&self, second: &Token<'_>) -> bool {
        let Self { command, words, .. } = self;
        let (is_plain, count) = (self.is_plain(), words.len());
        if count >= 2 && second.is_plain() && (is_predicate(words) || is_joined(words)) {
            return true;
        }
        // `who changed the parser`
        let is_asked = lists().agent.contains(command) && second.is_english() && second.plain.ends_with("ed");
        if is_asked && count >= 2 {
            return true;
        }
        if is_plain && (count >= 3 && has_predicate(words) || is_article(words) && !TAKES_TWO.contains(command)) {
            return true;
        }
        let is_script =
            lists().scripts.contains(command) && words.iter().filter(|token| token.is_english()).count() < 4;
        let is_absent = |token: &Token<'_>| token.is_plain() && !self.is_here(token);
        let is_linked = has_between(words) && words.iter().any(is_absent);
        *command == "find" && self.is_search() || is_linked && !is_script && !lists().runs.contains(command)
    }

    /// Words behind `find`, which takes existing paths and flags.
    fn is_search(&self) -> bool {
        let words = self.words;
        if words.iter().take(2).any(|token| FIND_FLAGS.contains(&token.plain.as_str())) {
            return false;
        }
        let is_place = |token: &Token<'_>| token.sort == TokenKind::Name || self.is_here(token);
        let english = words.iter().filter(|token| token.is_english()).count();
        let is_nowhere = self.is_plain() && !words.iter().any(is_place);
        let begins = words.first().is_some_and(|second| !is_place(second)) && self.rest.quoted == 0;
        words.len() >= 2 && is_nowhere && english >= 1 || words.len() >= 3 && begins && english >= 2
    }

    /// Whether the command knows none of the words.
    fn is_strange(&self, second: &Token<'_>) -> bool {
        let Self { command, words, rest, facts } = self;
        let is_file = lists().files.contains(command);
        if is_question(words) && (rest.functional() >= 1 || second.is_english() && !is_file) {
            return true;
        }
        if is_qualified(words) || is_single(words) || is_counted(words) && !RUNS_TARGETS.contains(command) {
            return true;
        }
        if words.len() < 3 {
            return false;
        }
        if is_file {
            return rest.functional() >= 1 && words.iter().filter(|token| !self.is_here(token)).count() >= 2;
        }
        // As many words as a missing subcommand would have.
        let is_listed = words.iter().any(|token| token.sort == TokenKind::Listed);
        (rest.functional() >= 1 || is_listed) && !local_names::is_misspelt_subcommand(command, second.raw, facts)
    }
}
