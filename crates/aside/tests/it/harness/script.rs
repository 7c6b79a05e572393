//! A daemon that says what the test wants, when the test wants it, and remembers what it was told.
//!
//! ```ignore
//! let script = Script::new().knows("git st|", &["git status", "git commit -m '▮'"]);
//! let mut scene = Scene::zsh().scripted(&script).start();
//! ```
//!
//! `|` is the cursor in the line that is asked about, `▮` the place where a candidate puts it. Behind `  # ` is what is said
//! about a candidate, to a shell that asks for it.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::harness::keys::Key;
use crate::harness::next::Next;
use crate::harness::patience;
use crate::harness::saying::Say;
use crate::harness::scene::Scene;
use crate::harness::screen::CURSOR;
use crate::harness::talking::{Speech, Talk};

#[derive(Clone)]
pub struct Script(Arc<Mutex<State>>);

struct State {
    known: HashMap<String, Vec<String>>,
    /// The candidates of a list that is asked for.
    listed: HashMap<String, Vec<String>>,
    /// An older daemon: it ignores fields that it does not know.
    old: bool,
    refused: HashSet<String>,
    /// Lines of which the first candidate is not sure enough to be grey.
    unsure: HashSet<String>,
    /// What is said to a wish, one thing after another.
    wishes: HashMap<String, Vec<Say>>,
    explanations: HashMap<String, Vec<String>>,
    /// Lines that are sentences, before they run and after they failed.
    sentences: HashSet<(&'static str, String)>,
    /// Whether a line is one is told when the test says so: `before ls the`.
    slow: HashSet<String>,
    /// What is said to them.
    speeches: HashMap<String, Speech>,
    /// What is said when a command has ended, one thing after another.
    nexts: HashMap<String, Vec<Next>>,
    /// Tier, reason, and the programs that take over the terminal.
    place: [String; 4],
    /// The pid that hello tells.
    pid: u32,
    /// The settings in the answer to hello, by their place in the record.
    settings: Vec<String>,
    pace: Pace,
    told: Vec<Vec<String>>,
    /// Answers that are kept back, oldest first.
    held: Vec<Pending>,
    /// Who asked about a line last, and as which number.
    askers: HashMap<String, (String, UnixStream)>,
    connections: Vec<UnixStream>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    AtOnce,
    WhenTold,
    /// Not even read.
    Never,
}

struct Pending {
    line: String,
    answer: Vec<u8>,
    to: UnixStream,
}

impl Script {
    pub fn new() -> Self {
        let complete = ["on", "fg=8", "all", "replace", "1", "auto", "none", "on", "fg=242", "take"];
        let wish = ["on", "?", "fg=cyan", "5", "ctrl-e", ""];
        let detect = ["off", "@", "", ""];
        let next = ["off", ""];
        let settings = complete.iter().chain(&wish).chain(&detect).chain(&next).map(|value| (*value).to_owned());
        Self(Arc::new(Mutex::new(State {
            known: HashMap::new(),
            listed: HashMap::new(),
            old: false,
            refused: HashSet::new(),
            unsure: HashSet::new(),
            wishes: HashMap::new(),
            explanations: HashMap::new(),
            sentences: HashSet::new(),
            slow: HashSet::new(),
            speeches: HashMap::new(),
            nexts: HashMap::new(),
            place: ["off", "", "", ""].map(str::to_owned),
            pid: 4242,
            settings: settings.collect(),
            pace: Pace::AtOnce,
            told: Vec::new(),
            held: Vec::new(),
            askers: HashMap::new(),
            connections: Vec::new(),
        })))
    }

    /// The candidates for a line. A line without any is answered with none.
    pub fn knows(self, line: &str, candidates: &[&str]) -> Self {
        self.learns(line, candidates);
        self
    }

    pub fn learns(&self, line: &str, candidates: &[&str]) {
        let candidates = candidates.iter().map(|text| (*text).to_owned()).collect();
        self.lock().known.insert(line.to_owned(), candidates);
    }

    /// The first candidate for a line is for the bar alone.
    pub fn doubts(self, line: &str) -> Self {
        self.lock().unsure.insert(line.to_owned());
        self
    }

    /// The candidates of a list for a line. Without any it is answered with none.
    pub fn lists(self, line: &str, candidates: &[&str]) -> Self {
        let candidates = candidates.iter().map(|text| (*text).to_owned()).collect();
        self.lock().listed.insert(line.to_owned(), candidates);
        self
    }

    /// As a daemon that knows neither lists nor descriptions.
    pub fn knows_less(self) -> Self {
        self.lock().old = true;
        self
    }

    /// What is said to a wish; the last of it should be final. Other wishes have no answer. While answers are held, the
    /// shell hears at once that the daemon waits, and the rest one by one, with `releases`.
    pub fn grants(self, words: &str, says: &[Say]) -> Self {
        self.lock().wishes.insert(words.to_owned(), says.to_vec());
        self
    }

    pub fn explains(self, command: &str, lines: &[&str]) -> Self {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        self.lock().explanations.insert(command.to_owned(), lines);
        self
    }

    /// A line that is a sentence before it runs. Others are the shell's.
    pub fn takes(self, line: &str) -> Self {
        self.lock().sentences.insert(("before", line.to_owned()));
        self
    }

    /// A line that is one when it has failed.
    pub fn takes_failed(self, line: &str) -> Self {
        self.lock().sentences.insert(("after", line.to_owned()));
        self
    }

    /// Thinks about a line until `releases("before …")`, or `after …`.
    pub fn ponders(self, line: &str) -> Self {
        self.lock().slow.insert(line.to_owned());
        self
    }

    /// What is said to a sentence, one thing after another; the last of it should be final. At once, or one by one with
    /// `goes_on` while answers are held.
    pub fn says(self, words: &str, talks: &[Talk]) -> Self {
        self.lock().speeches.insert(words.to_owned(), Speech::new(talks));
        self
    }

    /// What is said when `command` has ended; other commands have no next one. While answers are held, the shell hears at once
    /// that the daemon thinks, and the rest one by one, with `releases`.
    pub fn suggests(self, command: &str, nexts: &[Next]) -> Self {
        self.lock().nexts.insert(command.to_owned(), nexts.to_vec());
        self.sets("suggest", "on")
    }

    /// Outputs are seen, in this way; these programs take over the terminal, and those without an argument.
    pub fn captures(self, tier: &str, skip: &str, skip_bare: &str) -> Self {
        self.lock().place = [tier, "because", skip, skip_bare].map(str::to_owned);
        self.sets("capture", "auto")
    }

    /// As if it was another daemon from now on.
    pub fn is_replaced(&self) {
        self.lock().pid += 1;
        self.hangs_up();
    }

    /// The questions what comes next, `false 1 #8`: the command, its status and its number. Those that are asked with a line;
    /// what is asked before that is told as `prefetch`.
    pub fn ended(&self) -> Vec<String> {
        let ended = |fields: &Vec<String>| format!("{} {} #{}", fields[4], fields[5], fields[7]);
        self.told("suggest").iter().map(ended).collect()
    }

    /// Says the next thing to a sentence; waits until somebody has asked.
    #[track_caller]
    pub fn goes_on(&self, words: &str) {
        self.waits(&format!("the sentence `{words}`; there were {:?}", self.questions()), |script| {
            script.lock().speeches.get(words).is_some_and(Speech::is_heard)
        });
        let mut state = self.lock();
        let speech = state.speeches.get_mut(words).expect("it was there");
        assert!(speech.goes_on(), "there is nothing more to say to `{words}`");
    }

    /// The sentences that were asked so far, each with its number.
    pub fn questions(&self) -> Vec<String> {
        self.told("ask").iter().map(|fields| format!("{} {}", fields[6], fields[4])).collect()
    }

    /// Waits until just these were asked.
    #[track_caller]
    pub fn has_questions(&self, wanted: &[&str]) {
        self.waits(&format!("{wanted:?}; there were {:?}", self.questions()), |script| script.questions() == wanted);
    }

    /// The lines about which was asked whether they are sentences: `before ls the`, `after 127 ls the`.
    pub fn doubted(&self) -> Vec<String> {
        let doubt = |fields: &Vec<String>| match fields[6].as_str() {
            "before" => format!("before {}", fields[4]),
            phase => format!("{phase} {} {}", fields[7], fields[4]),
        };
        self.told("detect").iter().map(doubt).collect()
    }

    /// The wishes that were asked about so far; those that were to be answered at once with `!`.
    pub fn wished(&self) -> Vec<String> {
        let told = self.told("translate");
        told.iter().map(|fields| fields[4].clone() + if fields[7] == "1" { "!" } else { "" }).collect()
    }

    /// Waits until `words` are the last wish that was asked about.
    #[track_caller]
    pub fn is_wished(&self, words: &str) {
        let asked = |script: &Self| script.wished().last().is_some_and(|last| last == words);
        self.waits(&format!("the wish `{words}`; there were {:?}", self.wished()), asked);
    }

    /// Waits until the daemon has heard just this of what became of commands: `accept: words -> command`, with the line
    /// that ran in brackets.
    #[track_caller]
    pub fn has_heard(&self, wanted: &[&str]) {
        let outcome = |fields: &Vec<String>| {
            let ran = if fields[9].is_empty() { String::new() } else { format!(" [{}]", fields[9]) };
            format!("{}: {} -> {}{ran}", fields[3], fields[4], fields[5])
        };
        let outcomes = |script: &Self| script.told("outcome").iter().map(outcome).collect::<Vec<_>>();
        let deadline = Instant::now() + patience();
        while outcomes(self) != wanted {
            assert!(Instant::now() < deadline, "heard {:?} instead of {wanted:?}", outcomes(self));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// A line that is answered with an error.
    pub fn refuses(self, line: &str) -> Self {
        self.lock().refused.insert(line.to_owned());
        self
    }

    /// One of the settings that a shell hears with the answer to hello.
    pub fn sets(self, name: &str, value: &str) -> Self {
        let names = [
            "complete",
            "ghost_style",
            "right_arrow",
            "autosuggestions",
            "min_input",
            "bar",
            "bar_style",
            "hint",
            "hint_style",
            "tab",
            "wish",
            "wish_prefix",
            "wish_style",
            "wish_min",
            "explain_key",
            "private_key",
            "reroute",
            "agent_prefix",
            "shell_prefix",
            "wrong_key",
            "suggest",
            "capture",
        ];
        let place = names.iter().position(|known| *known == name).expect("a setting of the answer to hello");
        value.clone_into(&mut self.lock().settings[place]);
        self
    }

    /// From now on answers about lines wait for `releases`.
    pub fn holds(&self) {
        self.lock().pace = Pace::WhenTold;
    }

    /// Gives the answer about `line` that was kept back; waits until somebody has asked.
    #[track_caller]
    pub fn releases(&self, line: &str) {
        let mut pending = self.takes_held(line);
        _ = pending.to.write_all(&pending.answer);
    }

    /// The first `length` bytes of it, and later the rest.
    #[track_caller]
    pub fn releases_half(&self, line: &str, length: usize) -> impl FnOnce() + use<> {
        let mut pending = self.takes_held(line);
        let rest = pending.answer.split_off(length);
        _ = pending.to.write_all(&pending.answer);
        move || _ = pending.to.write_all(&rest)
    }

    /// Stops reading, and answers nothing from now on.
    pub fn falls_silent(&self) {
        self.lock().pace = Pace::Never;
    }

    /// Closes every connection, as a daemon that ends.
    pub fn hangs_up(&self) {
        for connection in self.lock().connections.drain(..) {
            // The shell may have been faster.
            _ = connection.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Better candidates for a line that was answered before.
    #[track_caller]
    pub fn updates(&self, line: &str, candidates: &[&str]) {
        let candidates: Vec<String> = candidates.iter().map(|text| (*text).to_owned()).collect();
        let state = self.lock();
        let (number, to) = state.askers.get(line).unwrap_or_else(|| panic!("nobody asked about `{line}`"));
        _ = to.try_clone().unwrap().write_all(&answer(number, "update", &candidates, true));
    }

    /// The lines that were asked about so far, with `|` where the cursor was.
    pub fn asked(&self) -> Vec<String> {
        self.told("complete").iter().map(|fields| format!("{}|{}", fields[4], fields[5])).collect()
    }

    /// Begins another line, by which time a shell has heard the settings and put its keys in place.
    #[track_caller]
    pub fn is_followed(&self, scene: &mut Scene) {
        let begun = self.told("hello").len();
        self.is_told(scene, "a shell to follow", |script| script.told("hello").len() > begun);
        scene.presses(Key::Ctrl('l')).settles();
    }

    /// Begins lines until the daemon has heard what the test waits for: with each of them a shell tells a bit of itself.
    #[track_caller]
    pub fn is_told(&self, scene: &mut Scene, what: &str, heard: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + patience();
        while !heard(self) {
            assert!(Instant::now() < deadline, "waited for {what}: {:?}", self.told("names"));
            scene.runs("true");
        }
    }

    /// Waits until `line` is the last one that was asked about.
    #[track_caller]
    pub fn is_asked(&self, line: &str) {
        let asked = |script: &Self| script.asked().last().is_some_and(|last| last == line);
        self.waits(&format!("a question about `{line}`; there were {:?}", self.asked()), asked);
    }

    /// All messages of one kind, each with its number and its verb.
    pub fn told(&self, verb: &str) -> Vec<Vec<String>> {
        self.lock().told.iter().filter(|fields| fields[1] == verb).cloned().collect()
    }

    #[track_caller]
    pub fn waits(&self, what: &str, condition: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + patience();
        while !condition(self) {
            assert!(Instant::now() < deadline, "waited for {what}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Listens until the test ends.
    pub fn listens(&self, socket: &Path) {
        let listener = UnixListener::bind(socket).unwrap();
        let script = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let script = script.clone();
                std::thread::spawn(move || script.serves(stream));
            }
        });
    }

    fn serves(&self, mut stream: UnixStream) {
        self.lock().connections.push(stream.try_clone().unwrap());
        let mut unread = Vec::new();
        let mut bytes = [0; 8192];
        let mut greeted = false;
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            while self.lock().pace == Pace::Never {
                std::thread::sleep(Duration::from_millis(20));
            }
            unread.extend_from_slice(&bytes[..count]);
            while let Some(mut fields) = next_record(&mut unread) {
                greeted |= fields[1] == "hello";
                // Nobody stays to hear the answer.
                if fields[1] == "suggest" && !greeted {
                    "prefetch".clone_into(&mut fields[1]);
                }
                self.hears(fields, &stream);
            }
        }
    }

    fn hears(&self, fields: Vec<String>, stream: &UnixStream) {
        let mut to = stream.try_clone().unwrap();
        let mut state = self.lock();
        let number = fields[0].clone();
        let reply = match fields[1].as_str() {
            "hello" => {
                let settings = state.settings.join("\x1f");
                Some(format!("{number}\x1fhello\x1f0.1.0\x1f{}\x1f{settings}\0", state.pid).into_bytes())
            }
            "complete" => {
                let line = format!("{}|{}", fields[4], fields[5]);
                state.askers.insert(line.clone(), (number.clone(), stream.try_clone().unwrap()));
                let says = |field: usize| !state.old && fields.get(field).is_some_and(|field| field == "1");
                let known = if says(9) { &state.listed } else { &state.known };
                let known = known.get(&line).cloned().unwrap_or_default();
                let describes = says(8);
                let answer = if state.refused.contains(&line) {
                    format!("{number}\x1ferror\x1funavailable\x1fno model\0").into_bytes()
                } else {
                    let mut answer = answer(&number, "complete", &known, describes);
                    if says(11) {
                        answer.pop();
                        answer.extend(if state.unsure.contains(&line) { b"\x1f0\0" } else { b"\x1f1\0" });
                    }
                    answer
                };
                match state.pace {
                    Pace::AtOnce => Some(answer),
                    Pace::WhenTold | Pace::Never => {
                        state.held.push(Pending { line, answer, to: to.try_clone().unwrap() });
                        None
                    }
                }
            }
            "translate" => {
                let words = match fields.get(11).map(String::as_str) {
                    None | Some("") => fields[4].clone(),
                    Some(besides) => format!("{}, besides {besides}", fields[4]),
                };
                let says = state.wishes.get(&words).cloned().unwrap_or_else(|| vec![Say::nothing("no answer")]);
                let pace = state.pace;
                let mut reply = Vec::new();
                match pace {
                    Pace::AtOnce => says.iter().for_each(|say| reply.extend(say.record(&number))),
                    Pace::WhenTold | Pace::Never => {
                        reply.extend(Say::waiting().record(&number));
                        // Nobody hears of an older question any more.
                        state.held.clear();
                        for say in says {
                            let (line, to) = (words.clone(), to.try_clone().unwrap());
                            state.held.push(Pending { line, answer: say.record(&number), to });
                        }
                    }
                }
                Some(reply)
            }
            "suggest" => {
                let ended = fields[4].clone();
                let nexts = state.nexts.get(&ended).cloned().unwrap_or_else(|| vec![Next::nothing()]);
                let mut reply = Vec::new();
                match state.pace {
                    Pace::AtOnce => nexts.iter().for_each(|next| reply.extend(next.record(&number))),
                    Pace::WhenTold | Pace::Never => {
                        reply.extend(Next::thinking().record(&number));
                        // Nobody hears of an older question any more.
                        state.held.retain(|pending| pending.line != ended);
                        for next in nexts {
                            let (line, to) = (ended.clone(), to.try_clone().unwrap());
                            state.held.push(Pending { line, answer: next.record(&number), to });
                        }
                    }
                }
                Some(reply)
            }
            "capture" => Some(format!("{number}\x1fcapture\x1f{}\0", state.place.join("\x1f")).into_bytes()),
            "explain" => {
                let lines = state.explanations.get(&fields[4]).cloned().unwrap_or_default();
                let text: String = lines.iter().map(|line| format!("\x1f{line}")).collect();
                Some(format!("{number}\x1fexplain\x1fdone\x1fembedded\x1f{}{text}\0", lines.len()).into_bytes())
            }
            "detect" => {
                let phase = if fields[6] == "before" { "before" } else { "after" };
                let verdict = match (state.sentences.contains(&(phase, fields[4].clone())), phase) {
                    (true, _) => "agent",
                    (false, "before") => "shell",
                    (false, _) => "nothing",
                };
                let answer = format!("{number}\x1fdetect\x1f{verdict}\x1fit reads like one\0").into_bytes();
                let line = format!("{phase} {}", fields[4]);
                if state.slow.contains(&line) {
                    state.held.push(Pending { line, answer, to: to.try_clone().unwrap() });
                    None
                } else {
                    Some(answer)
                }
            }
            "ask" => {
                let pace = state.pace;
                let speech = state.speeches.entry(fields[4].clone());
                let speech = speech.or_insert_with(|| Speech::new(&[Talk::done(&[])]));
                let reply = speech.is_asked(&number, stream);
                // Before anything else of it.
                _ = to.write_all(&reply);
                while pace == Pace::AtOnce && speech.goes_on() {}
                None
            }
            _ => Some(format!("{number}\x1fok\0").into_bytes()),
        };
        state.told.push(fields);
        drop(state);
        // The shell may have hung up by now.
        _ = to.write_all(&reply.unwrap_or_default());
    }

    #[track_caller]
    fn takes_held(&self, line: &str) -> Pending {
        let place = |script: &Self| script.lock().held.iter().position(|pending| pending.line == line);
        self.waits(&format!("a question about `{line}`"), |script| place(script).is_some());
        let place = place(self).expect("it was there");
        self.lock().held.remove(place)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn answer(number: &str, verb: &str, candidates: &[String], describes: bool) -> Vec<u8> {
    let mut record = format!("{number}\x1f{verb}\x1f{}", candidates.len());
    for candidate in candidates {
        let (candidate, about) = candidate.split_once("  # ").unwrap_or((candidate, ""));
        let cursor = candidate.chars().position(|letter| letter == CURSOR);
        let cursor = cursor.map(|cursor| cursor.to_string()).unwrap_or_default();
        record.push_str(&format!("\x1f{}\x1f{cursor}\x1fhistory", candidate.replace(CURSOR, "")));
        if describes {
            record.push_str(&format!("\x1f{about}"));
        }
    }
    record.push('\0');
    record.into_bytes()
}

/// A count, then that many fields, each ended by NUL; nothing while it is not whole.
fn next_record(unread: &mut Vec<u8>) -> Option<Vec<String>> {
    let mut parts = unread.split(|byte| *byte == 0);
    let count: usize = String::from_utf8_lossy(parts.next()?).parse().ok()?;
    let fields: Vec<&[u8]> = parts.take(count).collect();
    let length =
        unread.iter().position(|byte| *byte == 0)? + 1 + fields.iter().map(|field| field.len() + 1).sum::<usize>();
    if fields.len() < count || length > unread.len() {
        return None;
    }
    let record = fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    unread.drain(..length);
    Some(record)
}
