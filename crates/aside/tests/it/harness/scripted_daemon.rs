//! A scripted stub daemon: it sends the replies that the test wants, when the test wants them, and records every message.
//!
//! ```ignore
//! let script = Script::new().knows("git st|", &["git status", "git commit -m '▮'"]);
//! let mut scene = Scene::zsh().scripted(&script).start();
//! ```
//!
//! `|` is the cursor in the requested line, `▮` the place where a candidate puts it. The text after `  # ` is the candidate's
//! description, for a shell that asks for descriptions.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::prose_script::{ProseReply, ProseStream};
use crate::harness::query_script::QueryReply;
use crate::harness::scene::Scene;
use crate::harness::screen::CURSOR;
use crate::harness::suggestion_script::Suggestion;

#[derive(Clone)]
pub struct ScriptedDaemon(Arc<Mutex<State>>);

struct State {
    known: HashMap<String, Vec<String>>,
    /// The candidates of a list that the shell asks for.
    listed: HashMap<String, Vec<String>>,
    /// An older daemon: it ignores fields that it does not know.
    old: bool,
    refused: HashSet<String>,
    /// Lines whose first candidate is too uncertain for ghost text.
    unsure: HashSet<String>,
    /// The successive replies to a query.
    wishes: HashMap<String, Vec<QueryReply>>,
    explanations: HashMap<String, Vec<String>>,
    /// Lines that are prose, before they run and after they failed.
    sentences: HashSet<(&'static str, String)>,
    /// Lines whose verdict waits until the test releases it: `before ls the`.
    slow: HashSet<String>,
    /// The replies to prose.
    speeches: HashMap<String, ProseStream>,
    /// The successive suggestions after a command has ended.
    nexts: HashMap<String, Vec<Suggestion>>,
    /// Capture tier, reason, and the programs that take over the terminal.
    place: [String; 4],
    /// The pid in the reply to `hello`.
    pid: u32,
    /// The settings in the reply to `hello`, by their position in the record.
    settings: Vec<String>,
    pace: Pace,
    told: Vec<Vec<String>>,
    /// Replies that are held back, oldest first.
    held: Vec<Pending>,
    /// The latest request about each line: its number and its connection.
    askers: HashMap<String, (String, UnixStream)>,
    connections: Vec<UnixStream>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    AtOnce,
    WhenTold,
    /// Does not even read.
    Never,
}

struct Pending {
    line: String,
    answer: Vec<u8>,
    to: UnixStream,
}

impl ScriptedDaemon {
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

    /// The candidates for a line. Any other line gets an empty reply.
    pub fn knows(self, line: &str, candidates: &[&str]) -> Self {
        self.learns(line, candidates);
        self
    }

    pub fn learns(&self, line: &str, candidates: &[&str]) {
        let candidates = candidates.iter().map(|text| (*text).to_owned()).collect();
        self.lock().known.insert(line.to_owned(), candidates);
    }

    /// The first candidate for this line is shown in the bar only.
    pub fn doubts(self, line: &str) -> Self {
        self.lock().unsure.insert(line.to_owned());
        self
    }

    /// The candidates of a list for a line. Any other line gets an empty list.
    pub fn lists(self, line: &str, candidates: &[&str]) -> Self {
        let candidates = candidates.iter().map(|text| (*text).to_owned()).collect();
        self.lock().listed.insert(line.to_owned(), candidates);
        self
    }

    /// Acts as an older daemon that knows neither lists nor descriptions.
    pub fn knows_less(self) -> Self {
        self.lock().old = true;
        self
    }

    /// The replies to a query; the last should be final. Other queries get no result. While replies are held, the shell hears at
    /// once that the daemon waits, and gets the rest one by one, with `releases`.
    pub fn grants(self, words: &str, says: &[QueryReply]) -> Self {
        self.lock().wishes.insert(words.to_owned(), says.to_vec());
        self
    }

    pub fn explains(self, command: &str, lines: &[&str]) -> Self {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        self.lock().explanations.insert(command.to_owned(), lines);
        self
    }

    /// Classifies a line as prose before it runs. Other lines are the shell's.
    pub fn takes(self, line: &str) -> Self {
        self.lock().sentences.insert(("before", line.to_owned()));
        self
    }

    /// Classifies a line as prose once it has failed.
    pub fn takes_failed(self, line: &str) -> Self {
        self.lock().sentences.insert(("after", line.to_owned()));
        self
    }

    /// Delays the verdict on a line until `releases("before …")`, or `after …`.
    pub fn ponders(self, line: &str) -> Self {
        self.lock().slow.insert(line.to_owned());
        self
    }

    /// The replies to prose; the last should be final. Sent at once, or one by one with `goes_on` while replies are held.
    pub fn says(self, words: &str, talks: &[ProseReply]) -> Self {
        self.lock().speeches.insert(words.to_owned(), ProseStream::new(talks));
        self
    }

    /// The suggestions after `command` has ended; other commands get none. While replies are held, the shell hears at once that the
    /// daemon thinks, and gets the rest one by one, with `releases`.
    pub fn suggests(self, command: &str, nexts: &[Suggestion]) -> Self {
        self.lock().nexts.insert(command.to_owned(), nexts.to_vec());
        self.sets("suggest", "on")
    }

    /// Output is captured with this tier; `skip` are the programs that take over the terminal, `skip_bare` those that do so without
    /// an argument.
    pub fn captures(self, tier: &str, skip: &str, skip_bare: &str) -> Self {
        self.lock().place = [tier, "because", skip, skip_bare].map(str::to_owned);
        self.sets("capture", "auto")
    }

    /// Acts as a different daemon process from now on.
    pub fn is_replaced(&self) {
        self.lock().pid += 1;
        self.hangs_up();
    }

    /// The requests for a suggestion, as `false 1 #8`: the command, its status and its number. Only those sent while a line is
    /// open; earlier ones are recorded as `prefetch`.
    pub fn ended(&self) -> Vec<String> {
        let ended = |fields: &Vec<String>| format!("{} {} #{}", fields[4], fields[5], fields[7]);
        self.told("suggest").iter().map(ended).collect()
    }

    /// Sends the next reply to prose; waits until the request has arrived.
    #[track_caller]
    pub fn goes_on(&self, words: &str) {
        self.waits(&format!("the sentence `{words}`; there were {:?}", self.questions()), |script| {
            script.lock().speeches.get(words).is_some_and(ProseStream::is_heard)
        });
        let mut state = self.lock();
        let speech = state.speeches.get_mut(words).expect("it was there");
        assert!(speech.goes_on(), "there is nothing more to say to `{words}`");
    }

    /// The prose requests so far, each with its number.
    pub fn questions(&self) -> Vec<String> {
        self.told("ask").iter().map(|fields| format!("{} {}", fields[6], fields[4])).collect()
    }

    /// Waits until exactly these were sent.
    #[track_caller]
    pub fn has_questions(&self, wanted: &[&str]) {
        self.waits(&format!("{wanted:?}; there were {:?}", self.questions()), |script| script.questions() == wanted);
    }

    /// The lines that were sent for classification: `before ls the`, `after 127 ls the`.
    pub fn doubted(&self) -> Vec<String> {
        let doubt = |fields: &Vec<String>| match fields[6].as_str() {
            "before" => format!("before {}", fields[4]),
            phase => format!("{phase} {} {}", fields[7], fields[4]),
        };
        self.told("detect").iter().map(doubt).collect()
    }

    /// The queries so far; those that want an immediate reply carry `!`.
    pub fn wished(&self) -> Vec<String> {
        let told = self.told("translate");
        told.iter().map(|fields| fields[4].clone() + if fields[7] == "1" { "!" } else { "" }).collect()
    }

    /// Waits until `words` is the last query.
    #[track_caller]
    pub fn is_wished(&self, words: &str) {
        let asked = |script: &Self| script.wished().last().is_some_and(|last| last == words);
        self.waits(&format!("the wish `{words}`; there were {:?}", self.wished()), asked);
    }

    /// Waits until exactly these outcomes were reported: `accept: words -> command`, with the line that ran in brackets.
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

    /// Answers this line with an error.
    pub fn refuses(self, line: &str) -> Self {
        self.lock().refused.insert(line.to_owned());
        self
    }

    /// Changes a setting in the reply to `hello`.
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

    /// From now on replies about lines wait for `releases`.
    pub fn holds(&self) {
        self.lock().pace = Pace::WhenTold;
    }

    /// Sends the reply about `line` that was held back; waits until the request has arrived.
    #[track_caller]
    pub fn releases(&self, line: &str) {
        let mut pending = self.takes_held(line);
        _ = pending.to.write_all(&pending.answer);
    }

    /// Sends its first `length` bytes; the returned function sends the rest.
    #[track_caller]
    pub fn releases_half(&self, line: &str, length: usize) -> impl FnOnce() + use<> {
        let mut pending = self.takes_held(line);
        let rest = pending.answer.split_off(length);
        _ = pending.to.write_all(&pending.answer);
        move || _ = pending.to.write_all(&rest)
    }

    /// Stops reading and replies to nothing from now on.
    pub fn falls_silent(&self) {
        self.lock().pace = Pace::Never;
    }

    /// Closes every connection, as a daemon that exits.
    pub fn hangs_up(&self) {
        for connection in self.lock().connections.drain(..) {
            // The shell may have closed it first.
            _ = connection.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Sends better candidates for a line that was answered before.
    #[track_caller]
    pub fn updates(&self, line: &str, candidates: &[&str]) {
        let candidates: Vec<String> = candidates.iter().map(|text| (*text).to_owned()).collect();
        let state = self.lock();
        let (number, to) = state.askers.get(line).unwrap_or_else(|| panic!("nobody asked about `{line}`"));
        _ = to.try_clone().unwrap().write_all(&answer(number, "update", &candidates, true));
    }

    /// The requested lines so far, with `|` at the cursor.
    pub fn asked(&self) -> Vec<String> {
        self.told("complete").iter().map(|fields| format!("{}|{}", fields[4], fields[5])).collect()
    }

    /// Begins another line, by which time the shell has received the settings and bound its keys.
    #[track_caller]
    pub fn is_followed(&self, scene: &mut Scene) {
        let begun = self.told("hello").len();
        self.is_told(scene, "a shell to follow", |script| script.told("hello").len() > begun);
        scene.presses(Key::Ctrl('l')).settles();
    }

    /// Begins lines until `heard` holds: with each line a shell reports more about itself.
    #[track_caller]
    pub fn is_told(&self, scene: &mut Scene, what: &str, heard: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + patience();
        while !heard(self) {
            assert!(Instant::now() < deadline, "waited for {what}: {:?}", self.told("names"));
            scene.runs("true");
        }
    }

    /// Waits until `line` is the last requested one.
    #[track_caller]
    pub fn is_asked(&self, line: &str) {
        let asked = |script: &Self| script.asked().last().is_some_and(|last| last == line);
        self.waits(&format!("a question about `{line}`; there were {:?}", self.asked()), asked);
    }

    /// All messages with this verb; each includes its number and verb.
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
                // The shell does not wait for this reply.
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
                let says = state.wishes.get(&words).cloned().unwrap_or_else(|| vec![QueryReply::nothing("no answer")]);
                let pace = state.pace;
                let mut reply = Vec::new();
                match pace {
                    Pace::AtOnce => says.iter().for_each(|say| reply.extend(say.record(&number))),
                    Pace::WhenTold | Pace::Never => {
                        reply.extend(QueryReply::waiting().record(&number));
                        // Held replies to an older query are stale.
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
                let nexts = state.nexts.get(&ended).cloned().unwrap_or_else(|| vec![Suggestion::nothing()]);
                let mut reply = Vec::new();
                match state.pace {
                    Pace::AtOnce => nexts.iter().for_each(|next| reply.extend(next.record(&number))),
                    Pace::WhenTold | Pace::Never => {
                        reply.extend(Suggestion::thinking().record(&number));
                        // Held replies to an older request are stale.
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
                let speech = speech.or_insert_with(|| ProseStream::new(&[ProseReply::done(&[])]));
                let reply = speech.is_asked(&number, stream);
                // Sent before the rest of the speech.
                _ = to.write_all(&reply);
                while pace == Pace::AtOnce && speech.goes_on() {}
                None
            }
            _ => Some(format!("{number}\x1fok\0").into_bytes()),
        };
        state.told.push(fields);
        drop(state);
        // The shell may have disconnected by now.
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

/// Parses a count, then that many NUL-terminated fields; `None` while the record is incomplete.
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
