//! What a verb governs: whether the words after it make it an order, or a noun, a report, a condition or a text to be
//! written.

use crate::speech_act::token::{Token, TokenKind};
use crate::speech_act::verbs::VerbForm;
use crate::speech_act::word_lists::English;
use crate::speech_act::{SpeechAct, VerbEffect};

/// A verb that could be an order.
pub struct VerbObject {
    /// Index of the token.
    pub place: usize,
    /// `None` when the clause governs no verb after all.
    pub act: Option<VerbEffect>,
    /// The kind of the clause, if it differs from what its beginning says.
    pub kind: Option<SpeechAct>,
}

/// The verb at a place, judged by the tokens after it. `None` when there is no verb in its base form.
pub fn governed(lists: &'static English, tokens: &[Token], at: usize, kind: SpeechAct) -> Option<VerbObject> {
    let phrase = Phrase { lists, tokens, kind };
    let verb = phrase.verb(at);
    let Some(place) = verb else { return phrase.caused(at).or_else(|| phrase.newly(at)) };
    let low = phrase.low(place);
    let (verb, form) = match lists.verbs.get(low) {
        Some(found) => found,
        None => (lists.verbs.base(low)?, VerbForm::Base),
    };
    debug_assert!(form == VerbForm::Base || form == VerbForm::Gerund);
    let instead = |kind: SpeechAct| Some(VerbObject { place, act: None, kind: Some(kind) });
    if phrase.looks(place) {
        return Some(VerbObject { place, act: Some(VerbEffect::Reads), kind: None });
    }
    if phrase.checks_out(place) {
        return Some(VerbObject { place, act: Some(VerbEffect::Light), kind: None });
    }
    if !verb.acts {
        return match verb.reads {
            true => Some(VerbObject { place, act: Some(VerbEffect::Reads), kind: None }),
            false => instead(SpeechAct::Writing),
        };
    }
    if let Some(kind) = phrase.undone(place) {
        return instead(kind);
    }
    if let Some(caused) = phrase.caused(place) {
        return Some(caused);
    }
    let shows = matches!(low, "get" | "give") && matches!(phrase.low(place + 1), "me" | "us");
    let act = match () {
        () if shows => VerbEffect::Reads,
        () if verb.light => VerbEffect::Light,
        () => VerbEffect::Changes,
    };
    Some(VerbObject { place, act: Some(act), kind: None })
}

struct Phrase<'t> {
    lists: &'static English,
    tokens: &'t [Token],
    kind: SpeechAct,
}

impl Phrase<'_> {
    fn low(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|token| token.sort != TokenKind::Quoted).map_or("", |token| token.low.as_str())
    }

    fn rest(&self, at: usize) -> &[Token] {
        self.tokens.get(at..).unwrap_or_default()
    }

    /// A verb at this position: in its base form, or with an ending after `command for` or `would you mind`.
    fn verb(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at).filter(|token| token.is_word())?;
        let gerund = at > 0
            && matches!(self.low(at - 1), "for" | "mind" | "of" | "about" | "in" | "with")
            && self.kind != SpeechAct::Order
            || at > 0 && self.low(at - 1) == "mind";
        let fits = match self.lists.verbs.get(&token.low) {
            Some((_, VerbForm::Base)) => true,
            Some((_, VerbForm::Gerund)) => gerund,
            Some((_, VerbForm::Third | VerbForm::Past | VerbForm::Participle)) => false,
            None => self.lists.verbs.base(&token.low).is_some() && !self.is_known(&token.low),
        };
        fits.then_some(at)
    }

    /// Words that are not typos of a verb.
    fn is_known(&self, word: &str) -> bool {
        let English { determiners, prepositions, subjects, finite, unnamed, texts, compounds, relatives, .. } =
            self.lists;
        [determiners, prepositions, subjects, finite, unnamed, texts, compounds, relatives]
            .iter()
            .any(|set| set.contains(word))
    }

    /// The kind of the clause, if the words after a verb make it something other than an order.
    fn undone(&self, verb: usize) -> Option<SpeechAct> {
        let next = self.low(verb + 1);
        let end = self.tokens.len();
        let lists = self.lists;
        // `interactive rebase of the last 3 commits`
        let named = verb > 0 && matches!(self.low(verb - 1), "interactive" | "hard" | "soft" | "shallow" | "full");
        // `reset failed services`
        let describes = next.ends_with("ed")
            && self.tokens.get(verb + 2).is_some_and(|token| {
                token.is_word()
                    && !lists.determiners.contains(token.low.as_str())
                    && !lists.prepositions.contains(token.low.as_str())
            });
        if lists.finite.contains(next) && !describes || next == "vs" || next == "versus" || next == "of" && !named {
            return Some(SpeechAct::Mention);
        }
        if lists.nothing.contains(next) && !matches!(self.low(verb + 2), "longer") {
            return Some(SpeechAct::Forbids);
        }
        if self.prevents(verb) {
            return Some(SpeechAct::Forbids);
        }
        let last = self.tokens.last().map_or("", |token| token.low.as_str());
        let asks_for_words = matches!(
            last,
            "meaning"
                | "definition"
                | "explained"
                | "explanation"
                | "example"
                | "examples"
                | "tutorial"
                | "syntax"
                | "usage"
                | "documentation"
                | "cheatsheet"
        );
        let leads = end.checked_sub(2).is_some_and(|before| {
            matches!(self.low(before), "to" | "as" | "into" | "called" | "named" | "in" | "the" | "my")
        });
        if asks_for_words && !leads && self.kind == SpeechAct::Order && verb + 1 < end {
            return Some(SpeechAct::Mention);
        }
        if let Some((_, form)) = lists.verbs.get(next) {
            let behind = self.low(verb + 2);
            let is_object = lists.determiners.contains(behind)
                || self.tokens.get(verb + 2).is_some_and(|token| token.sort != TokenKind::Word);
            // `reset deleted my changes`, not `restore deleted files`.
            if form == VerbForm::Participle && is_object && behind != "," {
                return Some(SpeechAct::Statement);
            }
            // `branch deleted on origin`
            let ends = behind.is_empty() || lists.prepositions.contains(behind);
            if form == VerbForm::Participle && ends && !matches!(next, "detached" | "unattended") {
                return Some(SpeechAct::Mention);
            }
            if form == VerbForm::Gerund
                && matches!(self.low(verb), "stop" | "quit" | "finish")
                && !lists.ongoing.contains(next)
            {
                return Some(SpeechAct::Forbids);
            }
        }
        let person = lists.persons.contains(next)
            && (verb + 2 == end || self.tokens.get(verb + 2).is_some_and(|token| token.sort == TokenKind::Mark));
        if person {
            return Some(SpeechAct::Talk);
        }
        if self.is_compound(verb) {
            return Some(SpeechAct::Mention);
        }
        if self.is_text(verb) {
            return Some(SpeechAct::Writing);
        }
        self.told(verb).or_else(|| self.conditional(verb)).or_else(|| self.past(verb))
    }

    /// `stop apt from removing my kernel`
    fn prevents(&self, verb: usize) -> bool {
        let mut pairs = self.rest(verb + 1).windows(2);
        let from = pairs.any(|pair| {
            pair[0].is("from") && self.lists.verbs.get(&pair[1].low).is_some_and(|(_, form)| form == VerbForm::Gerund)
        });
        matches!(self.low(verb), "stop" | "keep" | "block" | "disable" | "hold" | "save") && from
    }

    /// `restart count of all pods`, `delete button`: no article, and a noun that forms a compound with the verb.
    fn is_compound(&self, verb: usize) -> bool {
        const PLAIN: [&str; 24] = [
            "set", "change", "edit", "add", "fix", "run", "send", "clear", "update", "create", "generate", "make",
            "use", "sync", "get", "give", "log", "convert", "open", "show", "resolve", "install", "write", "put",
        ];
        if self.kind != SpeechAct::Order {
            return false;
        }
        if self.lists.pairs.at(self.rest(verb)).is_some() {
            return true;
        }
        if PLAIN.contains(&self.low(verb)) {
            return false;
        }
        let next = self.low(verb + 1);
        let behind = self.low(verb + 2);
        let ends = behind.is_empty() || matches!(behind, "of" | "for" | "in" | "on" | "at" | "is" | "?" | ",");
        self.lists.compounds.contains(next) && ends
    }

    /// `write tests for parser.py`, `create a script that …`: a text to be composed, not one to be put into a file
    /// literally.
    fn is_text(&self, verb: usize) -> bool {
        const WRITES: [&str; 10] =
            ["write", "create", "make", "generate", "add", "build", "produce", "prepare", "provide", "code"];
        let low = self.low(verb);
        if !WRITES.contains(&low) {
            return false;
        }
        if low == "write" && !self.goes(verb) {
            return true;
        }
        let ends = |token: &Token| {
            token.sort == TokenKind::Mark
                || self.lists.prepositions.contains(token.low.as_str())
                    && !matches!(token.low.as_str(), "up" | "out" | "down" | "only" | "next")
        };
        let phrase = self.rest(verb + 1).iter().take_while(|token| !ends(token));
        let mut last = None;
        for token in phrase {
            // A thing with its own name is not a text to be composed, nor is what a program generates.
            let is_thing = matches!(
                token.low.as_str(),
                "qr" | "github"
                    | "gitlab"
                    | "directory"
                    | "folder"
                    | "dir"
                    | "branch"
                    | "user"
                    | "group"
                    | "container"
                    | "volume"
                    | "network"
                    | "database"
            );
            if matches!(token.sort, TokenKind::Name | TokenKind::Quoted) || is_thing {
                return false;
            }
            last = Some(token);
        }
        let named = self.rest(verb + 1).iter().any(|token| matches!(token.low.as_str(), "called" | "named"));
        let is_text = last.is_some_and(|last| self.lists.texts.contains(last.low.as_str()));
        is_text && !named
    }

    /// Whether the request says which file something is put into.
    fn goes(&self, verb: usize) -> bool {
        let leads = |token: &Token| {
            matches!(token.low.as_str(), "to" | "into" | "in" | "onto" | "on" | ">" | ">>" | "inside" | "file")
        };
        let is_file = |token: &Token| token.sort == TokenKind::Name || token.is("file");
        let rest = self.rest(verb + 1);
        let mut to = rest.iter().enumerate().filter(|(_, token)| leads(token)).map(|(at, _)| at + 1);
        to.any(|to| {
            rest.get(to).is_some_and(|token| token.sort == TokenKind::Quoted)
                || rest.iter().skip(to).take(3).any(is_file)
        })
    }

    /// A verb after the object makes it a subject: `delete key does nothing`. In a relative clause it does not: `kill
    /// the process that is listening`, `everything I have changed`.
    fn told(&self, verb: usize) -> Option<SpeechAct> {
        let mut before = self.low(verb);
        for (place, token) in self.tokens.iter().enumerate().skip(verb + 1) {
            let low = token.low.as_str();
            if token.sort == TokenKind::Mark || self.lists.relatives.contains(low) && !matches!(low, "as" | "than") {
                return None;
            }
            let is_past = self.lists.verbs.get(low).is_some_and(|(_, form)| form == VerbForm::Past);
            // `end users deleted their accounts`
            let owner =
                matches!(self.low(place + 1), "my" | "our" | "your" | "his" | "her" | "their" | "its" | "everything");
            if owner
                && self.lists.verbs.get(low).is_some_and(|(_, form)| form == VerbForm::Participle)
                && !self.lists.determiners.contains(before)
            {
                return Some(SpeechAct::Statement);
            }
            // `the hung process`
            let describes = self.lists.determiners.contains(before) || before == self.low(verb) && low.ends_with("ed");
            if token.is_word() && (is_past || self.lists.finite.contains(low)) && !describes {
                return (!self.lists.subjects.contains(before)).then_some(SpeechAct::Statement);
            }
            before = if token.sort == TokenKind::Quoted { "" } else { low };
        }
        None
    }

    /// `restart nginx if it is down`: the command would ignore the condition.
    fn conditional(&self, verb: usize) -> Option<SpeechAct> {
        if self.kind == SpeechAct::HowTo {
            return None;
        }
        for at in verb + 1..self.tokens.len() {
            let is_condition = matches!(
                self.low(at),
                "if" | "unless" | "when" | "whenever" | "once" | "while" | "after" | "provided" | "assuming"
            );
            // `even when I log out` is not a condition, and `before` does not defer the action.
            let is_any = at > 0 && self.low(at - 1) == "even";
            if !is_condition || is_any || self.lists.existence.at(self.rest(at)).is_some() {
                continue;
            }
            let always = matches!(self.low(at), "if" | "unless" | "whenever" | "provided" | "assuming");
            let behind = self.rest(at + 1);
            let tells =
                behind.first().is_some_and(|token| {
                    self.lists.subjects.contains(token.low.as_str())
                        && !matches!(token.low.as_str(), "this" | "that" | "these" | "those" | "one")
                }) || behind.iter().any(|token| token.is_word() && self.lists.finite.contains(token.low.as_str()));
            if always && !behind.is_empty() || tells {
                return Some(SpeechAct::Condition);
            }
        }
        None
    }

    /// `reset the box yesterday`: a base form that is also a past form.
    fn past(&self, verb: usize) -> Option<SpeechAct> {
        const SAME: [&str; 10] = ["reset", "set", "put", "cut", "shut", "split", "quit", "let", "read", "unset"];
        if !SAME.contains(&self.low(verb)) {
            return None;
        }
        let (at, _) = self.lists.past.find(self.rest(verb + 1))?;
        let before = self.low(verb + at);
        let bounds = matches!(
            before,
            "from" | "since" | "of" | "to" | "modified" | "changed" | "created" | "before" | "after" | "than" | "until"
        );
        (!bounds).then_some(SpeechAct::Statement)
    }

    /// `get the image removed`, `I want nginx stopped`: the verb follows its object.
    fn caused(&self, at: usize) -> Option<VerbObject> {
        let causes =
            at > 0 && matches!(self.low(at - 1), "want" | "need" | "like" | "require") && self.kind == SpeechAct::Wish
                || matches!(self.low(at), "get" | "have") && self.kind != SpeechAct::HowTo;
        if !causes {
            return None;
        }
        let object = self.rest(at).iter().take_while(|token| token.sort != TokenKind::Mark);
        let place = object.enumerate().skip(1).find_map(|(index, token)| {
            let is_past =
                self.lists.verbs.get(&token.low).is_some_and(|(verb, form)| verb.acts && form == VerbForm::Participle);
            let behind = self.low(at + index + 1);
            let ends = behind.is_empty()
                || matches!(
                    behind,
                    "from" | "now" | "please" | "pls" | "asap" | "on" | "in" | "right" | "immediately" | "," | "and"
                );
            let before = self.low(at + index - 1);
            let is_object = !self.lists.determiners.contains(before)
                && !matches!(before, "get" | "have" | "got" | "that" | "is" | "are" | "was" | "be" | "been");
            (token.is_word() && is_past && ends && is_object).then_some(at + index)
        })?;
        Some(VerbObject { place, act: Some(VerbEffect::Changes), kind: None })
    }

    /// `take a look at …`, `run me through …`
    fn looks(&self, verb: usize) -> bool {
        let (next, behind) = (self.low(verb + 1), self.low(verb + 2));
        match self.low(verb) {
            "take" | "have" => next == "note" || next == "care" || matches!(behind, "look" | "peek" | "glance"),
            "run" | "walk" | "talk" => matches!(next, "me" | "us") && behind == "through",
            "make" => matches!(next, "sure" | "certain"),
            _ => false,
        }
    }

    /// `check out main`, not `check out what runs`.
    fn checks_out(&self, verb: usize) -> bool {
        let (out, object) = (self.low(verb + 1), self.tokens.get(verb + 2));
        let object =
            object.filter(|token| !self.lists.determiners.contains(token.low.as_str())).or(self.tokens.get(verb + 3));
        let is_git = |token: &Token| {
            token.sort != TokenKind::Word
                || matches!(
                    token.low.as_str(),
                    "branch"
                        | "commit"
                        | "tag"
                        | "pull"
                        | "pr"
                        | "main"
                        | "master"
                        | "develop"
                        | "remote"
                        | "file"
                        | "revision"
                        | "previous"
                )
        };
        self.low(verb) == "check" && out == "out" && object.is_some_and(is_git)
    }

    /// `a new branch called x`, `a zip of docs`: a thing to create, without a verb.
    fn newly(&self, at: usize) -> Option<VerbObject> {
        const MADE: [&str; 9] =
            ["zip", "tarball", "tar", "archive", "backup", "copy", "symlink", "clone", "screenshot"];
        let at = at + usize::from(matches!(self.low(at), "a" | "an"));
        if self.rest(at).iter().any(|token| token.is_word() && self.lists.finite.contains(token.low.as_str())) {
            return None;
        }
        let is_new = self.low(at) == "new" && self.tokens.get(at + 1).is_some_and(Token::is_word);
        let made = (at..at + 3).find(|made| MADE.contains(&self.low(*made)) && matches!(self.low(made + 1), "of"));
        let is_object = |token: &Token| token.is_word() || token.sort == TokenKind::Name;
        let made = made.filter(|made| self.tokens.get(made + 2).is_some_and(is_object));
        match (is_new, made) {
            (true, _) => Some(VerbObject { place: at, act: Some(VerbEffect::Changes), kind: None }),
            (false, Some(place)) => Some(VerbObject { place, act: Some(VerbEffect::Changes), kind: None }),
            (false, None) => None,
        }
    }
}
