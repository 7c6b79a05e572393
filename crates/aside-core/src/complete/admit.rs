//! Whether a candidate of any source fits the slot it goes into: it parses, it names what exists, its flags are the command's, and it does
//! not destroy something that was not typed. Judges only what the candidate adds; what is typed already is the user's.

pub(super) mod git;
mod needs;
mod tail;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use crate::complete::ask::Ask;
use crate::complete::candidate::{Candidate, Facts, Fit, Kind as Adds, Outcome, Place, Source};
use crate::complete::commands;
use crate::complete::resolve;
use crate::complete::spec::reach::{self, Reach, Reached};
use crate::line::{self, Command, Join, Line, Role, Spot, Word};
use crate::safety::{self, Harm};
use crate::spec::format::Flag;
use crate::spec::kind::{Free, Kind};
use crate::spec::walk::{Next, Piece, Step};
use crate::world::{self, Known, Live};

/// Words of a line that are looked at.
const MAX_WORDS: usize = 64;

/// What is known about a candidate beside its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// The whole line ran in this very directory, and did not fail.
    RanHere,
    /// The whole line ran, and did not fail.
    Ran,
    /// Its words were used in this very slot.
    Habit,
    None,
}

impl Proof {
    fn of(facts: &Facts) -> Self {
        match (facts.past, facts.habit) {
            (Some(past), _) if past.outcome == Outcome::Failed => Proof::None,
            (Some(past), _) if past.place == Place::Here => Proof::RanHere,
            (Some(_), _) => Proof::Ran,
            (None, Some(_)) => Proof::Habit,
            (None, None) => Proof::None,
        }
    }

    /// The user has used such a word with this command.
    fn is_used(self) -> bool {
        self != Proof::None
    }
}

pub fn admits(ask: &Ask<'_>, candidate: &Candidate) -> bool {
    let text = candidate.text.trim_end();
    let line = line::parse(text, ask.dialect);
    // Enter would ask for the rest of it.
    let is_typed_open = || line::parse(ask.left, ask.dialect).open.is_some();
    if line.open.is_some() && (candidate.facts.past.is_some() || !is_typed_open()) {
        return false;
    }
    let from = changed_from(ask.left, text);
    // Words are guessed for one command: what would come behind it is another guess.
    let is_guess = candidate.facts.kind == Adds::Words;
    if is_guess && line.commands.iter().any(|command| command.span.start > ask.left.len()) {
        return false;
    }
    let proof = Proof::of(&candidate.facts);
    if candidate.source == Source::History && names_old_date(ask, text, from) {
        return false;
    }
    if !tail::agrees(ask, candidate) {
        return false;
    }
    let to = text.len() - unchanged_at_end(ask, text, from);
    let slot = Slot { ask, candidate, from, to, proof };
    let fits =
        line.commands.iter().filter(|command| command.span.end > from).all(|command| slot.admits(&line, command));
    // Last, since judging a line costs most: few are left by now.
    fits && !guesses_destruction(ask, candidate, text, from, proof)
}

/// Whether it adds a word with a date in it that names nothing here, or writes to such a file: `backup-2024-03-01.tar.gz` was made on that day.
fn names_old_date(ask: &Ask<'_>, text: &str, from: usize) -> bool {
    let begin = text.get(..from).and_then(|typed| typed.rfind(char::is_whitespace)).map_or(0, |blank| blank + 1);
    let words = text
        .get(begin..)
        .unwrap_or_default()
        .split(|letter: char| letter.is_whitespace() || "'\"`;|&<>()".contains(letter));
    let is_target = text.get(..begin).unwrap_or_default().trim_end().ends_with('>');
    let added = text.get(if is_target { begin } else { from }..).unwrap_or_default();
    let is_written = || added.split('>').skip(usize::from(!is_target)).any(has_date);
    words.filter(|word| has_date(word)).any(|word| is_missing(ask, word)) || is_written()
}

/// `2024-03-01`, `20240301`
fn has_date(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is = |at: usize, form: &[u8]| {
        bytes.get(at..at + form.len()).is_some_and(|part| {
            part.iter().zip(form).all(|(byte, form)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form })
        })
    };
    let is_alone = |at: usize, length: usize| {
        let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        !digit(at.checked_sub(1)) && !digit(Some(at + length))
    };
    (0..bytes.len()).any(|at| {
        word.get(at..at + 2).is_some_and(|century| matches!(century, "19" | "20"))
            && (is(at, b"0000-00-00") && is_alone(at, 10) || is(at, b"00000000") && is_alone(at, 8))
    })
}

/// Bytes at the end of the candidate that are typed already.
fn unchanged_at_end(ask: &Ask<'_>, text: &str, from: usize) -> usize {
    let typed = || ask.right.trim_end().bytes().rev().chain(ask.left.bytes().rev());
    let is_changed = |typed: usize| typed >= text.len() - from;
    let same = text.bytes().rev().zip(typed()).take_while(|(one, other)| one == other).count();
    if is_changed(same) { text.len() - from } else { same }
}

/// Where the candidate begins to say something new.
fn changed_from(left: &str, text: &str) -> usize {
    left.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count()
}

/// Whether it adds something that destroys: a letter of the word that does so has to be typed, and nothing follows it but what ran here.
fn guesses_destruction(ask: &Ask<'_>, candidate: &Candidate, text: &str, from: usize, proof: Proof) -> bool {
    // A line that only has in it what is typed is never one that destroys; a slip is mended as it stands.
    match candidate.facts.fit {
        Fit::Extends => {}
        Fit::Contains => return !safety::dangers_in(text, ask.dialect, ask.cwd, ask.world).is_empty(),
        Fit::Mends { .. } => return false,
    }
    let is_grave = |harm: Harm| match harm {
        // What the user redirects or edits every day.
        Harm::Overwrites | Harm::EditsInPlace => !matches!(proof, Proof::RanHere | Proof::Ran),
        _ => true,
    };
    let dangers = safety::dangers_in(text, ask.dialect, ask.cwd, ask.world);
    let added: Vec<Harm> = dangers
        .iter()
        .filter(|danger| is_grave(danger.harm) && danger.span.end > from)
        .map(|danger| danger.harm)
        .collect();
    if added.is_empty() {
        return false;
    }
    // The only file that has changed is what is meant, and it has to be named.
    let is_only = candidate.facts.kind == Adds::Name && candidate.facts.rivals == 1;
    if is_only && added.iter().all(|harm| *harm == Harm::LosesWork) {
        return false;
    }
    // Only the word at the cursor is completed, and it was begun: of a path, its last part.
    let rest = text.get(from..).unwrap_or_default();
    let is_begun = ask.left.ends_with(|last: char| !last.is_whitespace() && !"/=:,-".contains(last))
        && !rest.starts_with(char::is_whitespace);
    let is_one_word = !rest.trim_end().contains(char::is_whitespace);
    match proof {
        // A habit of this directory, of which that which destroys is typed already.
        Proof::RanHere if is_begun && !is_one_word => {
            let typed = safety::dangers_in(ask.left, ask.dialect, ask.cwd, ask.world);
            !added.iter().all(|harm| typed.iter().any(|danger| danger.harm == *harm))
        }
        _ => !(is_begun && is_one_word),
    }
}

struct Slot<'a, 'k> {
    ask: &'a Ask<'k>,
    candidate: &'a Candidate,
    /// The bytes of the candidate that are not typed.
    from: usize,
    to: usize,
    proof: Proof,
}

impl Slot<'_, '_> {
    fn admits(&self, line: &Line<'_>, command: &Command) -> bool {
        let Some(name) = command.words.first() else { return true };
        let is_new = |word: &Word| word.span.end > self.from && word.span.start < self.to;
        if !self.knows_name(line, name, is_new(name)) {
            return false;
        }
        if self.is_blind(command) {
            return false;
        }
        // Behind a `cd` that only the shell can follow nothing is known about files.
        let cwd = resolve::cwd(self.ask, line, command);
        if let Some(cwd) = &cwd
            && self.may_need()
            && !needs::are_met(&Ask { cwd, ..*self.ask }, line, command, self.past())
        {
            return false;
        }
        let words = command.words.iter().enumerate().take(MAX_WORDS).skip(1).filter(|(_, word)| is_new(word));
        words.into_iter().all(|(number, word)| match &cwd {
            Some(cwd) => self.admits_word(&Ask { cwd, ..*self.ask }, command, number, word),
            None => true,
        })
    }

    /// Whether it says what is to be done. The user who has typed that, and wants a name or a file for it, knows why.
    fn may_need(&self) -> bool {
        let Facts { kind, fit, .. } = self.candidate.facts;
        let says = matches!(kind, Adds::Line | Adds::Words | Adds::Subcommand | Adds::Flag | Adds::Idea);
        says && !matches!(fit, Fit::Mends { .. })
    }

    fn past(&self) -> needs::Past {
        let has_worked = self.candidate.facts.past.is_some_and(|past| past.outcome == Outcome::Succeeded);
        match self.proof {
            Proof::RanHere if has_worked => needs::Past::WorkedHere,
            Proof::RanHere | Proof::Ran | Proof::Habit => needs::Past::Ran,
            Proof::None => needs::Past::Nothing,
        }
    }

    /// Whether it names what a command is to end, and not a letter of that is typed.
    fn is_blind(&self, command: &Command) -> bool {
        let left = self.ask.left;
        let is_open = left.ends_with(|last: char| last.is_whitespace() || "/=:,".contains(last));
        let typed = || command.words.iter().filter(|word| word.span.end <= left.len()).take(MAX_WORDS);
        is_open
            && self.candidate.facts.fit == Fit::Extends
            && self.proof != Proof::RanHere
            && typed().any(|word| ENDS.contains(&&*word.value) && (!word.value.starts_with('-') || self.is_danger()))
    }

    /// `-d` of `git branch` keeps what is not merged, and that of docker has nothing to do with it.
    fn is_danger(&self) -> bool {
        let Ask { dialect, cwd, world, .. } = *self.ask;
        !safety::dangers_in(&self.candidate.text, dialect, cwd, world).is_empty()
    }

    /// A command that is not there is corrected, never completed.
    fn knows_name(&self, line: &Line<'_>, name: &Word, is_new: bool) -> bool {
        if !name.fixed || name.value.is_empty() || name.value.contains('/') {
            return true;
        }
        match commands::known(self.ask, &name.value) {
            Known::Yes(()) => true,
            Known::NotYet => self.proof != Proof::None || !is_new,
            // A function or an alias may be defined on the line itself, and one that is typed may be another shell's, if it ever worked or has
            // a spec of the user's.
            Known::No => {
                let has_worked = self.candidate.facts.past.is_some_and(|past| past.outcome == Outcome::Succeeded);
                let is_meant =
                    self.candidate.source == Source::Correction || has_worked || self.ask.specs.is_own(&name.value);
                let typed = line.commands.iter().filter_map(|command| command.words.first());
                let is_typed = !is_new
                    || typed.take_while(|typed| typed.span.end <= self.from).any(|typed| typed.value == name.value);
                is_typed && is_meant
                    || ["()", "function ", "alias "].iter().any(|begin| line.text.contains(begin))
                    || name.value.starts_with(['!', '^', '%'])
            }
        }
    }

    fn admits_word(&self, ask: &Ask<'_>, command: &Command, number: usize, word: &Word) -> bool {
        let reached = match reach::reach(ask, command, number) {
            Reach::Spec(reached) => reached,
            Reach::Command => return !word.fixed || may_run(ask, &word.value),
            // Only the past of this command says what it takes; a file only if it was begun.
            Reach::Unknown => return self.admits_unknown(ask, word),
        };
        let value = match word.fixed {
            true => Cow::Borrowed(&*word.value),
            // `~` is known; what else the shell expands cannot be looked at.
            false => match resolve::absolute(ask, &word.value, false) {
                Some(path) => Cow::Owned(path),
                None => return self.proof.is_used() || self.candidate.source != Source::History,
            },
        };
        let piece = Piece { value: word.value.as_str().into(), fixed: word.fixed, word: Some(number) };
        let next = reached.walk.next(&word.value);
        let mut walk = reached.walk.clone();
        match walk.go(reached.pieces.len(), &piece) {
            Step::Subcommand => self.has_subcommand(ask, &reached, &word.value),
            Step::Dashes => true,
            Step::Flag => self.admits_flag(ask, &reached, word, &next),
            Step::Unknown => {
                let wants_sub = reached.walk.spec().args.is_empty() && !reached.walk.spec().subs.is_empty();
                let is_lax = !word.value.starts_with('-') && !wants_sub;
                if is_lax { self.proof.is_used() } else { self.is_of_the_line() }
            }
            Step::Value | Step::Argument(..) | Step::AfterDashes => match next {
                Next::Value { flag, skip } => self.admits_value(ask, &reached, flag, skip, word),
                Next::Argument { kinds, .. } => self.takes(ask, &reached, kinds, &value),
                Next::Command => may_run(ask, &word.value),
                // It takes no such word, unless it did.
                Next::Nothing | Next::Flag => self.is_of_the_line(),
            },
        }
    }

    /// Whether the subcommand can do anything here: `npm start` needs a script of that name.
    fn has_subcommand(&self, ask: &Ask<'_>, reached: &Reached<'_>, sub: &str) -> bool {
        let [name] = reached.pieces.as_slice() else { return true };
        match &*name.value {
            "npm" | "yarn" | "pnpm" if matches!(sub, "start" | "test") => {
                match ask.world.live(Live::NpmScript, ask.cwd) {
                    Known::Yes(scripts) => scripts.iter().any(|script| *script.name == *sub),
                    Known::No => false,
                    Known::NotYet => true,
                }
            }
            _ => true,
        }
    }

    /// A whole line that ran: what our spec lacks, the command had.
    fn is_of_the_line(&self) -> bool {
        matches!(self.proof, Proof::RanHere | Proof::Ran)
    }

    fn admits_unknown(&self, ask: &Ask<'_>, word: &Word) -> bool {
        match self.candidate.source {
            Source::History | Source::Llm => {
                // A path of another project.
                let is_path = word.fixed && word.value.contains('/') && !word.value.contains("://");
                !is_path || !is_missing(ask, &word.value) || word.value.starts_with('-')
            }
            Source::Spec | Source::Filesystem | Source::Environment | Source::Correction => true,
        }
    }

    fn admits_flag(&self, ask: &Ask<'_>, reached: &Reached<'_>, word: &Word, next: &Next<'_>) -> bool {
        if let Next::Value { flag, skip } = next {
            return self.admits_value(ask, reached, flag, *skip, word);
        }
        // Given once already.
        let is_used = reached.walk.flag(&word.value).is_some_and(|flag| reached.walk.is_used(flag));
        !is_used || self.is_of_the_line()
    }

    fn admits_value(&self, ask: &Ask<'_>, reached: &Reached<'_>, flag: &Flag, skip: usize, word: &Word) -> bool {
        let value = word.value.get(skip..).unwrap_or_default();
        let path = if word.fixed { None } else { resolve::absolute(ask, value, false) };
        let value = path.as_deref().unwrap_or(value);
        // A message is written for one occasion; one that ran again and again is offered once it is begun.
        let is_sentence = is_message(flag);
        let is_old = self.candidate.source == Source::History;
        let is_habit = || self.candidate.facts.past.is_some_and(|past| past.runs >= OFTEN) && self.is_begun(word, skip);
        if is_sentence && is_old && !is_habit() {
            return false;
        }
        let kinds = flag.takes.as_ref().map_or(&[][..], |takes| &takes.kinds);
        self.takes(ask, reached, kinds, value)
    }

    /// Whether a letter of the word is typed, behind the bytes that are no part of its value.
    fn is_begun(&self, word: &Word, skip: usize) -> bool {
        let typed = self.ask.left.get(word.span.start + skip..).unwrap_or_default();
        typed.contains(char::is_alphanumeric)
    }

    /// Whether one of the kinds takes the value.
    fn takes(&self, ask: &Ask<'_>, reached: &Reached<'_>, kinds: &[Kind], value: &str) -> bool {
        if kinds.is_empty() {
            return self.is_of_the_line();
        }
        if kinds.contains(&Kind::Live(Live::GitCommit)) && !git::reaches(ask, reached, value) {
            return false;
        }
        kinds.iter().any(|kind| self.is_one(ask, reached, kind, value, kinds))
    }

    fn is_one(&self, ask: &Ask<'_>, reached: &Reached<'_>, kind: &Kind, value: &str, kinds: &[Kind]) -> bool {
        match kind {
            Kind::File(_) | Kind::Directory | Kind::Path => {
                if self.is_unchanged(ask, reached, value, kinds) || git::is_untracked(ask, reached, value) {
                    return false;
                }
                let at = reach::directory(ask, reached);
                let Some(full) = at.and_then(|at| reach::path(ask, &at, value, true)) else {
                    return self.proof.is_used();
                };
                // To go where the user is already.
                let is_here = full.trim_end_matches('/') == ask.cwd.trim_end_matches('/');
                if *kind == Kind::Directory && is_here && kinds.len() == 1 && !self.goes_on() {
                    return false;
                }
                match resolve::kind(ask, &full) {
                    Known::Yes(world::Kind::File | world::Kind::Program) => *kind != Kind::Directory,
                    Known::Yes(world::Kind::Directory) if matches!(kind, Kind::File(_)) => self.may_lead_to_file(),
                    Known::Yes(world::Kind::Directory | world::Kind::Other) => true,
                    // A directory that cannot be seen is on another machine.
                    Known::No if matches!(ask.world.entries(ask.cwd), Known::No) => self.proof.is_used(),
                    // A name that is to be made, as far as the user has made such here.
                    Known::No => {
                        self.proof == Proof::RanHere && may_be_new(kinds) || is_no_path(value) && self.is_of_the_line()
                    }
                    // It will be known in a moment, and then it is offered.
                    Known::NotYet => false,
                }
            }
            Kind::Live(live) => self.is_live(ask, reached, *live, value),
            Kind::List(choices) => choices.iter().any(|choice| *choice.value == *value) || self.is_of_the_line(),
            // What was made is there by now, unless it is made again and again.
            Kind::Free(Free::New) => {
                self.proof == Proof::RanHere
                    && self.candidate.facts.past.is_some_and(|past| past.runs >= OFTEN)
                    && !self.is_made(ask, reached, value)
            }
            // Beside names that can be looked up, only what cannot be one of them.
            Kind::Free(free) if kinds.iter().any(is_checked) => self.proof.is_used() && is_other(*free, value),
            Kind::Free(_) => self.proof.is_used() || self.candidate.source != Source::History,
            // The first directory is no command.
            Kind::Command | Kind::Program => {
                let is_begun = !ask.left.ends_with(char::is_whitespace);
                match value.contains('/') {
                    true => (is_begun || self.proof.is_used()) && !is_missing(ask, value),
                    false => commands::known(ask, value) != Known::No,
                }
            }
            Kind::Variable | Kind::ManPage => true,
        }
    }

    /// Whether a directory may stand where the command wants a file: on the way to one, or because it was right here before.
    fn may_lead_to_file(&self) -> bool {
        self.candidate.source == Source::Filesystem || self.goes_on() || self.proof == Proof::RanHere
    }

    /// Whether it is the beginning that several paths share.
    fn goes_on(&self) -> bool {
        let text = &self.candidate.text;
        let goes_on = || self.ask.history.starting_with(text, self.ask.cwd, 4);
        self.candidate.facts.kind == Adds::Words
            && text.ends_with('/')
            && goes_on().iter().any(|found| found.command.len() > text.len())
    }

    /// Whether what is to be made is there already, or was: a branch, a tag, a file.
    fn is_made(&self, ask: &Ask<'_>, reached: &Reached<'_>, value: &str) -> bool {
        // A branch that is gone has done its work.
        if reached.pieces.first().is_some_and(|name| name.value == "git") {
            return true;
        }
        let path = resolve::absolute(ask, value, true);
        path.is_some_and(|path| matches!(resolve::kind(ask, &path), Known::Yes(_)))
    }

    /// Whether the command takes files with changes, and this one has none.
    fn is_unchanged(&self, ask: &Ask<'_>, reached: &Reached<'_>, value: &str, kinds: &[Kind]) -> bool {
        let live = kinds.iter().find(|kind| matches!(kind, Kind::Live(Live::GitChanged | Live::GitStaged)));
        let Some(Kind::Live(live)) = live.filter(|_| self.candidate.source == Source::History) else {
            return false;
        };
        !self.is_live(ask, reached, *live, value)
    }

    /// A name that is not there is not offered, where all that are there are known.
    fn is_live(&self, ask: &Ask<'_>, reached: &Reached<'_>, live: Live, value: &str) -> bool {
        let Some(directory) = reach::directory(ask, reached) else { return self.proof.is_used() };
        // A path is no host, with or without one before it.
        if live == Live::Host && value.split(':').next().is_some_and(|host| host.contains('/')) {
            return false;
        }
        let items = match ask.world.live(live, &directory) {
            Known::Yes(items) => items,
            Known::NotYet => return false,
            Known::No if live == Live::GitCommit => return is_revision(value) && self.is_of_the_line(),
            // There is no makefile; in a directory that cannot be seen there may be one.
            Known::No if live == Live::MakeTarget => {
                return self.is_of_the_line() && !matches!(ask.world.entries(&directory), Known::Yes(_));
            }
            Known::No => return !is_complete(live) && self.is_of_the_line(),
        };
        if let Some(item) = items.iter().find(|item| *item.name == *value) {
            let is_here = live == Live::GitBranch && &*item.about == "current";
            let has = |names: &[&str]| reached.pieces.iter().any(|piece| names.contains(&&*piece.value));
            let is_old_push = live == Live::GitBranch
                && !is_here
                && self.candidate.facts.past.is_some()
                && self.ask.left.ends_with(char::is_whitespace)
                && has(&["push"]);
            return !(is_here && has(&OTHER_BRANCHES) || is_old_push) && git::takes(reached, live, item);
        }
        match live {
            // `.`, a directory with changes in it, a pattern.
            Live::GitChanged | Live::GitStaged => {
                let inside = format!("{}/", value.trim_end_matches('/'));
                value == "." && !items.is_empty() || items.iter().any(|item| item.name.starts_with(&inside))
            }
            Live::GitBranch | Live::GitTag | Live::GitCommit => is_revision(value) && self.proof.is_used(),
            // `me@web1`, `web1:`
            Live::Host => {
                let host = value.split(':').next().unwrap_or_default().rsplit('@').next().unwrap_or_default();
                items.iter().any(|item| *item.name == *host) || self.is_of_the_line()
            }
            _ => !is_complete(live) && self.is_of_the_line(),
        }
    }
}

/// Whether the world tells all names of this kind that can be used here.
fn is_complete(live: Live) -> bool {
    match live {
        Live::GitBranch | Live::GitRemote | Live::GitTag | Live::GitChanged | Live::GitStaged | Live::GitStash => true,
        Live::GitState => true,
        Live::NpmScript | Live::JustRecipe | Live::CargoPackage | Live::CargoBin | Live::CargoExample => true,
        Live::CargoTest | Live::CargoFeature | Live::TmuxSession | Live::Process | Live::User | Live::Group => true,
        // Patterns and included files make more; hosts, images, units and packages are more than are listed.
        Live::GitCommit | Live::MakeTarget | Live::Host | Live::DockerContainer | Live::DockerImage => false,
        Live::SystemdUnit | Live::ProcessName | Live::Package => false,
    }
}

/// Whether the world can tell what there is of this kind.
fn is_checked(kind: &Kind) -> bool {
    match kind {
        Kind::File(_) | Kind::Directory | Kind::Path | Kind::List(_) => true,
        Kind::Live(live) => is_complete(*live),
        Kind::Program | Kind::Free(_) | Kind::Command | Kind::Variable | Kind::ManPage => false,
    }
}

/// Whether a word is of this kind and can be nothing else.
fn is_other(free: Free, value: &str) -> bool {
    match free {
        Free::Text => is_revision(value) || is_no_path(value),
        Free::Url => value.contains("://") || value.contains('@') && value.contains(':'),
        Free::Pattern => value.contains(['*', '?', '[']) || value.starts_with(':'),
        Free::Number | Free::Port | Free::Date | Free::Size | Free::Mode => {
            value.starts_with(|first: char| first.is_ascii_digit() || "+-".contains(first))
        }
        Free::New => false,
    }
}

/// Whether the value of a flag is a text for people.
fn is_message(flag: &Flag) -> bool {
    const NAMES: [&str; 8] =
        ["--message", "--title", "--body", "--description", "--notes", "--comment", "--subject", "--annotation"];
    flag.names.iter().any(|name| NAMES.contains(&&**name))
}

/// Commands, subcommands and flags behind which stands what is to end.
const ENDS: [&str; 40] = [
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "dd",
    "kill",
    "pkill",
    "killall",
    "mkfs",
    "wipefs",
    "truncate",
    "userdel",
    "groupdel",
    "delete",
    "del",
    "remove",
    "destroy",
    "drop",
    "purge",
    "prune",
    "uninstall",
    "erase",
    "wipe",
    "rmi",
    "clean",
    "reset",
    "delete-branch",
    "terminate",
    "deregister",
    "revoke",
    "-d",
    "-D",
    "--delete",
    "--remove",
    "stop",
    "down",
    "poweroff",
    "reboot",
    "shutdown",
    "mv",
];

/// Subcommands of git that have no use for the current branch.
const OTHER_BRANCHES: [&str; 7] = ["switch", "checkout", "merge", "rebase", "branch", "cherry-pick", "worktree"];

/// How often a line ran that is a habit.
const OFTEN: u32 = 2;

/// `HEAD~2`, `@{u}`, `main..topic`, a commit: nothing that a list of branches would have.
fn is_revision(value: &str) -> bool {
    is_hash(value) || value.contains("HEAD") || value.contains(['~', '^', '@', ':']) || value == "-"
}

fn is_hash(value: &str) -> bool {
    value.len() >= 7 && value.chars().all(|letter| letter.is_ascii_hexdigit())
}

fn last_word(text: &str) -> &str {
    text.split_whitespace().next_back().unwrap_or_default()
}

/// An address, a number of something, the standard input.
fn is_no_path(value: &str) -> bool {
    value.contains(':') || value.starts_with(['-', '+', '@']) || value.contains("...")
}

fn may_be_new(kinds: &[Kind]) -> bool {
    kinds.contains(&Kind::Free(Free::New))
}

/// Whether there is such a command, by its name or its path.
fn may_run(ask: &Ask<'_>, value: &str) -> bool {
    if value.contains('/') { !is_missing(ask, value) } else { commands::known(ask, value) != Known::No }
}

fn is_missing(ask: &Ask<'_>, value: &str) -> bool {
    resolve::absolute(ask, value, true).is_some_and(|path| matches!(resolve::kind(ask, &path), Known::No))
}

/// Whether there is a reason to show a candidate where no letter of its word is typed: a habit of this very slot, the usual subcommands, a
/// few names. Alphabetical files and the first flags are none.
pub fn has_reason(ask: &Ask<'_>, spot: &Spot<'_>, candidate: &Candidate, chance: f32) -> bool {
    let Facts { kind, rivals, past, habit, .. } = candidate.facts;
    let is_piped = || spot.command.is_some_and(|command| command.join == Join::Pipe);
    if past.is_none() && kind != Adds::Idea && matches!(spot.role, Role::Name) && is_piped() {
        let name = candidate.text.get(spot.start..).and_then(|name| name.split_whitespace().next());
        return name.is_some_and(|name| is_filter(name) || name.contains('/'));
    }
    let word = ask.left.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_open =
        word.is_empty() || word.ends_with(['/', '=', ':']) || word.ends_with("/.") || matches!(word, "-" | "--" | ".");
    if !is_open || candidate.facts.fit != Fit::Extends {
        return true;
    }
    match (past, habit, kind) {
        (Some(_), _, _) => true,
        (None, Some(_), _) => chance >= STRONG,
        (None, None, Adds::Idea | Adds::Line | Adds::Subcommand | Adds::Words) => true,
        // The first argument of scp is a file here, mostly.
        (None, None, Adds::Name) if candidate.text.ends_with(':') && is_first_argument(spot) => false,
        (None, None, Adds::Name | Adds::Value) => rivals <= FEW && !is_hash(last_word(&candidate.text)),
        (None, None, Adds::Flag) => candidate.facts.usual || rivals == 1,
        (None, None, Adds::Path | Adds::Command | Adds::Variable) => rivals == 1,
    }
}

fn is_first_argument(spot: &Spot<'_>) -> bool {
    let words = spot.command.map_or(&[][..], |command| &command.words);
    !words.iter().skip(1).any(|word| !word.value.is_empty() && !word.value.starts_with('-'))
}

/// Whether it makes sense behind a pipe.
pub fn is_filter(name: &str) -> bool {
    FILTERS.contains(name)
}

static FILTERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../../data/complete/filters.txt").split_whitespace().collect());

/// How sure a guess from words has to be where nothing is typed.
const STRONG: f32 = 0.2;
/// Names that are few enough to be read at a glance.
const FEW: u16 = 8;

#[cfg(test)]
mod tests;
