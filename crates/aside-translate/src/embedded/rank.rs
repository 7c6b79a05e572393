//! Ranks the drafts and drops those that must not be shown. An answer must explain the words of the query: every word
//! that it leaves out counts against it.

use aside_commands::safety::{self, Harm};
use aside_text as text;
use shell_line as line;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::authorize;
use crate::embedded::draft::Draft;
use crate::embedded::existence;
use crate::embedded::learned::FrameScores;
use crate::embedded::learned::verify::{self, Facts, Ruled};
use crate::read_only::is_read_only;
use crate::{Completeness, Proposal, ProposalSource};

/// Confidence from which a proposal is an answer.
const SURE: f32 = 0.9;
/// Factor for the error probability of a rule that explains every word: on held-out requests such a rule is wrong that
/// much less often than the verifier predicts.
const SPELLED_OUT: f32 = 0.2;
/// Upper bound for a command that ignores an unknown word, and for a composed command that leaves a word out, made a
/// name of unknown characters, reads what does not exist or forgets an exception. Too low for an answer.
const LEFT_OUT: f32 = 0.65;
/// Confidence of a rule or composed command that leaves nothing open, whatever frame the classifier prefers.
const NOTHING_OPEN: f32 = 0.92;
/// How far below the best frame that of such a rule may be. A composed domain is one frame for everything it can say, so
/// the rules beside it outscore it easily; what is composed freely needs the classifier, or an explicit search.
const NARROW: f32 = -0.12;
const NARROW_COMPOSED: f32 = -0.55;
/// Score of the label for requests without an answer from which nothing is certain.
const MAY_BE_NONE: f32 = 0.2;
/// Confidence from which a proposal is shown as the closest match; below it, showing nothing is better.
const CLOSE: f32 = 0.5;
/// The same for a draft that matches a rule's words and nearly all of the query: users who say just that nearly always
/// mean it.
const DOUBTFUL: f32 = 0.04;
/// The same for drafts that only the learned classifier proposes, as alternatives.
const OTHERS: f32 = 0.25;
/// How much likelier than the best rule a draft of the learned classifier must be to go first.
const AHEAD: f32 = 0.35;
/// Share from which a draft counts as explaining every word.
const WHOLE: f32 = 0.95;
/// Confidence that a draft of the learned classifier needs to change something.
const CHANGES: f32 = 0.9;
/// Upper bound of any confidence.
const CERTAIN: f32 = 0.99;
/// The share of the words that a draft must explain to change something.
const ANSWERS: f32 = 0.70;
/// The share of the words that a draft must explain to show something.
const GUESSES: f32 = 0.40;
/// Penalty for a word that is used as a name although it means something.
const GUESS: f32 = 0.12;
/// Penalty for a program that is not installed: any other way is better.
const MISSING: f32 = 0.2;
/// A command that deletes more than it names must explain nearly every word: `get rid of everything useless` names
/// nothing.
const SWEEPS: f32 = 0.95;
/// Penalty for a danger that was not asked for: more than any word weighs.
const UNASKED: f32 = 0.6;

/// Answers that are compared for duplicates in effect; the user sees fewer.
const MAX_COMPARED: usize = 24;

/// Share of a draft for a query whose words all weigh nothing.
const LIGHT: f32 = 0.85;

/// A draft with its scores.
pub struct Weighed {
    pub draft: Draft,
    /// The share of the query's weight that it explains, less a penalty for a danger that was not asked for.
    pub share: f32,
    /// The share, less the doubt.
    pub score: f32,
    pub facts: Facts,
    /// Probability that it is what was asked for.
    pub confidence: f32,
}

/// Scores each draft, in the order of the drafts.
pub fn weigh(reading: &AnalyzedQuery<'_>, drafts: Vec<Draft>, heard: &FrameScores<'_>) -> Vec<Weighed> {
    let scored = scored(reading, drafts);
    let is_ruled = |draft: &Draft| draft.specific > 0;
    let best = scored.iter().filter(|(_, _, draft)| is_ruled(draft)).map(|(score, ..)| *score).fold(0.0, f32::max);
    let rival = |rule: &str| {
        let others = scored.iter().filter(|(_, _, other)| other.rule != rule && is_ruled(other));
        others.map(|(score, ..)| *score).fold(0.0, f32::max)
    };
    let rivals: Vec<f32> = scored.iter().map(|(_, _, draft)| rival(draft.rule)).collect();
    let weighed = scored.into_iter().zip(rivals).map(|((score, share, draft), rival)| {
        let ruled = Ruled { share, doubt: share - score, rival, is_first: score >= best && is_ruled(&draft) };
        let facts = verify::facts(reading, heard, &draft, ruled);
        Weighed { confidence: verify::confidence(&facts), draft, share, score, facts }
    });
    let mut weighed: Vec<Weighed> = weighed.collect();
    // Two ways to the same command support each other; the higher confidence counts.
    let known: Vec<(String, f32)> = weighed.iter().map(|one| (one.draft.command.clone(), one.confidence)).collect();
    for one in &mut weighed {
        let same = known.iter().filter(|(command, _)| *command == one.draft.command);
        one.confidence = same.map(|(_, confidence)| *confidence).fold(0.0, f32::max);
    }
    weighed
}

/// Whether a draft may be shown at all. A draft that explains too little, or that was not ordered, must only read.
pub fn permitted(reading: &AnalyzedQuery<'_>, weighed: &Weighed) -> bool {
    let Weighed { draft, share, .. } = weighed;
    let is_ruled = draft.specific > 0;
    if is_read_only(&draft.command, reading.place.dialect) {
        // For drafts of the learned classifier the verifier accounts for the words that are left over.
        let answers = *share >= ANSWERS || authorize::answers_verbs(reading, draft);
        let explains = !is_ruled || *share >= GUESSES;
        return explains && answers && authorize::permits(reading, draft) && !authorize::invents(reading, draft);
    }
    let is_asked = || !is_vague(reading) && authorize::is_evident(reading, draft);
    *share >= ANSWERS && authorize::permits(reading, draft) && (is_ruled || is_asked())
}

/// Whether a draft that may be shown is likely enough: one of the learned classifier that changes something must be
/// nearly certain.
fn is_likely(reading: &AnalyzedQuery<'_>, weighed: &Weighed) -> bool {
    let Weighed { draft, confidence, .. } = weighed;
    draft.specific > 0 || *confidence >= CHANGES || is_read_only(&draft.command, reading.place.dialect)
}

/// Score, share and draft.
fn scored(reading: &AnalyzedQuery<'_>, drafts: Vec<Draft>) -> Vec<(f32, f32, Draft)> {
    let asks = reading.any(authorize::DESTROYS).is_some();
    let vague = is_vague(reading);
    drafts
        .into_iter()
        .filter_map(|draft| {
            let (command, presence) = shown(reading, &draft.command)?;
            let mut draft = Draft { command, ..draft };
            if let Presence::Missing(program) = presence {
                draft.doubt += MISSING;
                draft.about = format!("{} ({program} is not installed here)", draft.about);
            }
            Some(draft)
        })
        .map(|draft| {
            let (all, explained) = reading.weigh(&draft.used);
            // No word of `who am i` weighs anything, but two that match together are specific enough.
            let share = match all > 0.0 {
                true => explained / all,
                false if draft.specific > 1 => 1.0,
                // `what is in here`: words without weight, all of them understood.
                false if draft.used.any() => LIGHT,
                false => 0.0,
            };
            let danger = safety::dangers(&draft.command, reading.place.dialect).iter().map(|danger| danger.harm).max();
            let unasked = if danger.is_some() && !asks { UNASKED } else { 0.0 };
            let ruin = danger.is_some_and(|harm| harm >= Harm::EndsSystem);
            let sweeps = danger.is_some_and(|harm| harm >= Harm::LosesWork)
                && (share < SWEEPS || vague)
                && sweeps(reading, &draft);
            let share = if ruin || sweeps { 0.0 } else { share - unasked };
            let doubt = draft.doubt + GUESS * draft.used.guesses() as f32;
            (share - doubt, share, draft)
        })
        .collect()
}

/// The best first. An answer is nearly always right, a closest match more often than not; anything less likely is not
/// shown.
pub fn rank(reading: &AnalyzedQuery<'_>, drafts: Vec<Draft>, heard: &FrameScores<'_>, limit: usize) -> Vec<Proposal> {
    let mut weighed = weigh(reading, drafts, heard);
    weighed.retain(|weighed| permitted(reading, weighed) && is_likely(reading, weighed));
    let (mut best, mut last) = (Vec::<Proposal>::new(), CERTAIN);
    for weighed in diverse(ordered(weighed)) {
        let confidence = calibrated(reading, &weighed);
        let draft = weighed.draft;
        if best.len() == limit || best.iter().any(|known| known.command == draft.command) {
            continue;
        }
        // A proposal is never surer than the one above it.
        last = confidence.min(last);
        let nearness = if last >= SURE { Completeness::Answer } else { Completeness::Closest };
        let Draft { command, about, .. } = draft;
        best.push(Proposal { command, source: ProposalSource::Embedded, confidence: last, about, nearness });
    }
    best
}

/// Confidence as measured on requests of strangers. Does not change the order.
fn calibrated(reading: &AnalyzedQuery<'_>, weighed: &Weighed) -> f32 {
    let Weighed { draft, share, confidence, facts, .. } = weighed;
    let is_doubtful = || {
        authorize::spells_unknown(reading, draft)
            || authorize::reads_missing(reading, draft)
            || authorize::forgets_exception(reading, draft)
            || authorize::forgets_order(reading, draft)
            || authorize::forgets_each(reading, draft)
            || authorize::searches_unannounced(reading, draft)
    };
    match facts.is_composed {
        _ if authorize::leaves_unknown(reading, draft) || authorize::forgets_scope(reading, draft) => {
            confidence.min(LEFT_OUT)
        }
        true if *share < WHOLE || is_doubtful() => confidence.min(LEFT_OUT),
        false if draft.specific > 0 && *share >= WHOLE => {
            let spelled_out = 1.0 - SPELLED_OUT * (1.0 - confidence);
            if leaves_nothing_open(reading, weighed) { spelled_out.max(NOTHING_OPEN) } else { spelled_out }
        }
        true if leaves_nothing_open(reading, weighed) => confidence.max(NOTHING_OPEN),
        true | false => *confidence,
    }
}

/// Whether every word is explained, none is a guess, no other rule claims the words, and the classifier is not clearly
/// for another frame.
fn leaves_nothing_open(reading: &AnalyzedQuery<'_>, weighed: &Weighed) -> bool {
    let Weighed { draft, share, facts, .. } = weighed;
    let narrow = if facts.is_composed { NARROW_COMPOSED } else { NARROW };
    let is_heard = !facts.is_taught || facts.get("margin") >= narrow && facts.get("known") >= 1.0;
    let is_free = matches!(draft.rule, "files" | "text");
    draft.specific > 0
        && *share >= WHOLE
        && (!is_free || authorize::searches_as_said(reading, draft))
        && is_heard
        && draft.used.guesses() == 0
        && facts.get("first") > 0.0
        && facts.get("rival") < ANSWERS
        && facts.get("none") < MAY_BE_NONE
}

/// Orders drafts of rules by score. A draft of the learned classifier goes first where it is much likelier, else behind
/// the best rule.
fn ordered(weighed: Vec<Weighed>) -> Vec<Weighed> {
    let (mut ruled, mut learned): (Vec<_>, Vec<_>) =
        weighed.into_iter().partition(|weighed| weighed.draft.specific > 0);
    ruled.retain(|weighed| match weighed.share >= ANSWERS {
        // The confidence of a rule that the classifier was not taught says nothing.
        true => weighed.confidence >= DOUBTFUL || weighed.facts.is_composed || !weighed.facts.is_taught,
        false => weighed.confidence >= CLOSE,
    });
    learned.retain(|weighed| weighed.confidence >= OTHERS);
    let score = |weighed: &Weighed| weighed.score + 0.01 * weighed.draft.specific as f32;
    ruled.sort_by(|one, two| score(two).total_cmp(&score(one)));
    learned.sort_by(|one, two| two.confidence.total_cmp(&one.confidence));
    let bar = match ruled.first() {
        // A rule that explains every word is seldom wrong.
        Some(lead) if lead.share >= if lead.facts.is_composed { ANSWERS } else { WHOLE } => f32::INFINITY,
        Some(lead) => CLOSE.max(lead.confidence + AHEAD),
        None => CLOSE,
    };
    let is_ahead = learned.first().is_some_and(|best| best.confidence >= bar);
    if ruled.is_empty() && !is_ahead {
        return Vec::new();
    }
    if is_ahead {
        learned.extend(ruled);
        return learned;
    }
    let rest = ruled.split_off(1);
    ruled.extend(learned);
    ruled.extend(rest);
    ruled
}

/// Moves answers that differ from an earlier one only in presentation behind all others: a user who rejects the first
/// wants another effect.
fn diverse(weighed: Vec<Weighed>) -> Vec<Weighed> {
    let count = weighed.iter().take_while(|weighed| weighed.share >= ANSWERS).count().min(MAX_COMPARED);
    let mut rest = weighed;
    let tail = rest.split_off(count);
    let (mut kept, mut alike, mut effects) = (Vec::new(), Vec::new(), Vec::<String>::new());
    for entry in rest {
        let effect = effect(&entry.draft.command);
        let is_known = effects.contains(&effect);
        effects.push(effect);
        if is_known { alike.push(entry) } else { kept.push(entry) }
    }
    kept.extend(alike);
    kept.extend(tail);
    kept
}

/// The command without flags that only change how its output looks.
fn effect(command: &str) -> String {
    let mut program = "";
    let mut words = Vec::new();
    for word in command.split(' ') {
        if program.is_empty() {
            program = word;
        }
        let cosmetic = match program {
            "ls" => "lhp1",
            "diff" => "uy",
            "grep" => "nH",
            _ => "",
        };
        let flags = word.strip_prefix('-').filter(|flags| flags.len() < 5 && !flags.starts_with('-'));
        match (word, flags) {
            ("|" | "&&" | ";", _) => program = "",
            ("<", _) if matches!(program, "wc" | "sort") => continue,
            (_, Some(flags)) if !cosmetic.is_empty() => {
                let kept: String = flags.chars().filter(|flag| !cosmetic.contains(*flag)).collect();
                if !kept.is_empty() {
                    words.push(format!("-{kept}"));
                }
                continue;
            }
            _ => {}
        }
        words.push(word.to_owned());
    }
    words.join(" ")
}

/// Whether the query names nothing that a command could go by: `stuff`, `the wrong files`.
fn is_vague(reading: &AnalyzedQuery<'_>) -> bool {
    const NOTHING: &[&str] = &[
        "stuff",
        "things",
        "thing",
        "junk",
        "mess",
        "garbage",
        "crap",
        "it",
        "ones",
        "东西",
        "wrong",
        "bad",
        "ugly",
        "useless",
        "没用",
        "unnecessary",
        "unwanted",
        "unimportant",
    ];
    const NAMES: &[&str] =
        &["find", "name", "contain", "match", "extension", "starting-with", "ending-with", "not", "user"];
    const NAMING: &[&str] = &["called", "named", "with", "by", "of", "in", "from", "-name", "like", "to"];
    let mut words = reading.words.iter().enumerate();
    words.any(|(place, word)| {
        let is_unknown =
            word.concept.is_none() && word.thing.is_none() && word.low.bytes().all(|byte| byte.is_ascii_alphabetic());
        let before = place.saturating_sub(3)..place;
        let is_named = before.clone().any(|before| {
            NAMES.contains(&reading.meaning(before))
                || reading.words.get(before).is_some_and(|word| NAMING.contains(&word.low.as_str()))
        });
        NOTHING.contains(&word.low.as_str()) || is_unknown && !is_named
    })
}

/// Whether a command destroys more than the query names: all that a search finds, a pattern, or everything unused.
fn sweeps(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const WHOLE: &[&str] = &[".", "..", "./", "~", "/", "--", ":/", "*", "-A", "--all"];

    let line = line::parse(&draft.command, reading.place.dialect);
    line.commands.iter().any(|command| {
        let mut words = command.words.iter().map(|word| word.value.as_str());
        let is_pattern = |word: &line::Word| !word.fixed && word.value.contains(['*', '?', '[', '$']);
        match words.next().unwrap_or_default() {
            "find" | "fd" => words.any(|word| matches!(word, "-delete" | "-exec" | "-execdir" | "-x" | "--exec")),
            "xargs" | "parallel" => true,
            "rm" | "shred" | "truncate" | "unlink" => {
                command.words.iter().any(|word| is_pattern(word) || WHOLE.contains(&word.value.as_str()))
            }
            "git" => words.any(|word| matches!(word, "clean" | "--hard" | "." | ":/" | "clear" | "-A")),
            _ => words.any(|word| word == "prune" || WHOLE.contains(&word)),
        }
    })
}

/// The command line if it may be shown: complete, without characters that a terminal would interpret, and with programs
/// that are installed or that were asked for.
fn shown(reading: &AnalyzedQuery<'_>, command: &str) -> Option<(String, Presence)> {
    if !text::is_clean(command) || command.contains(['\n', '\t']) {
        return None;
    }
    // Without sudo the user is root, or has to find another way.
    let command = if reading.is_installed("sudo") { command.to_owned() } else { without_sudo(reading, command) };
    let line = line::parse(&command, reading.place.dialect);
    if line.open.is_some() || line.commands.is_empty() || !existence::finds(&line, &reading.place) {
        return None;
    }
    let mut presence = Presence::Here;
    for name in line.commands.iter().flat_map(programs) {
        // No program's name begins with a dash.
        if name.starts_with('-') {
            return None;
        }
        if is_known(reading, name) {
            continue;
        }
        if !is_named(reading, name) {
            return None;
        }
        presence = Presence::Missing(name.to_owned());
    }
    Some((command, presence))
}

/// Removes `sudo` where it is a command, and leaves it alone in texts.
fn without_sudo(reading: &AnalyzedQuery<'_>, command: &str) -> String {
    let line = line::parse(command, reading.place.dialect);
    let mut rest = command.to_owned();
    for command in line.commands.iter().rev() {
        if let [first, second, ..] = command.words.as_slice()
            && first.value == "sudo"
        {
            rest.replace_range(first.span.start..second.span.start, "");
        }
    }
    rest
}

/// Whether all programs of a command are installed.
enum Presence {
    Here,
    Missing(String),
}

/// The program of a command, and the program that it runs in turn.
fn programs(command: &line::Command) -> Vec<&str> {
    let words: Vec<&str> = command.words.iter().map(|word| word.value.as_str()).collect();
    let Some(name) = words.first() else { return Vec::new() };
    let runs = matches!(*name, "sudo" | "xargs" | "command" | "nohup" | "time" | "env" | "watch");
    let inner =
        words.iter().skip(1).find(|word| !word.starts_with('-') && !word.contains('=') && word.parse::<f32>().is_err());
    let inner = inner.filter(|_| runs && !(*name == "command" && words.get(1) == Some(&"-v")));
    std::iter::once(*name).chain(inner.copied()).collect()
}

/// Programs that are implied when the query names their things, installed or not.
const OF: &[(&str, &[&str])] = &[
    ("docker", &["docker", "container", "image", "compose", "volume"]),
    ("kubectl", &["kubernetes", "pod", "deployment", "namespace", "cluster", "configmap", "ingress"]),
    ("helm", &["helm", "chart"]),
    (
        "systemctl",
        &["service", "systemd", "start", "stop", "restart", "enable", "disable", "timer", "reload", "status"],
    ),
    ("journalctl", &["service", "systemd", "journal", "log"]),
    ("apt", &["install", "uninstall", "package", "upgrade", "apt"]),
    ("apt-mark", &["package", "apt"]),
    ("apt-cache", &["package", "apt"]),
    ("dpkg", &["package", "installed"]),
    ("npm", &["npm", "node", "dev"]),
    ("npx", &["npm", "node", "typescript", "eslint", "prettier"]),
    ("node", &["node", "javascript"]),
    ("pip", &["pip", "python", "requirements"]),
    ("python3", &["python"]),
    ("cargo", &["cargo", "rust", "crate"]),
    ("rustup", &["rust", "toolchain"]),
    ("rustc", &["rust"]),
    ("go", &["golang"]),
    ("mvn", &["maven", "java"]),
    ("javac", &["java"]),
    ("java", &["java", "jar"]),
    ("jar", &["jar"]),
    ("bundle", &["bundler", "ruby", "rails"]),
    ("rails", &["rails"]),
    ("gem", &["gem", "ruby"]),
    ("composer", &["composer", "php"]),
    ("php", &["php", "laravel"]),
    ("crontab", &["cron", "every", "daily", "hourly", "weekly"]),
    ("ssh", &["ssh", "connect", "login", "tunnel"]),
    ("ssh-keygen", &["ssh", "key"]),
    ("ssh-add", &["ssh", "agent"]),
    ("rsync", &["sync"]),
    ("ping", &["ping"]),
    ("gpg", &["gpg", "encrypt", "decrypt", "sign"]),
    ("openssl", &["certificate", "encrypt", "decrypt", "csr", "rsa"]),
    ("tmux", &["tmux"]),
    ("ffmpeg", &["video", "audio", "gif", "film"]),
    ("ffprobe", &["video", "audio"]),
    ("convert", &["image", "resize", "crop", "rotate", "thumbnail"]),
    ("identify", &["image"]),
    ("montage", &["image", "collage"]),
    ("exiftool", &["exif", "metadata"]),
    ("pdftotext", &["pdf"]),
    ("pdfunite", &["pdf"]),
    ("pdfinfo", &["pdf"]),
    ("qpdf", &["pdf"]),
    ("gs", &["pdf"]),
    ("psql", &["postgres"]),
    ("pg_dump", &["postgres"]),
    ("mysql", &["mysql"]),
    ("mysqldump", &["mysql"]),
    ("sqlite3", &["sqlite"]),
    ("redis-cli", &["redis"]),
    ("mongosh", &["mongo"]),
    ("mongodump", &["mongo"]),
    ("aws", &["aws", "s3", "ec2", "lambda"]),
    ("gcloud", &["gcloud"]),
    ("terraform", &["terraform"]),
    ("ansible", &["ansible"]),
    ("ansible-playbook", &["ansible", "playbook"]),
    ("xdg-open", &["open", "browser"]),
    ("xclip", &["clipboard"]),
    ("ufw", &["firewall"]),
    ("reboot", &["reboot"]),
    ("shutdown", &["shutdown"]),
];

fn is_named(reading: &AnalyzedQuery<'_>, program: &str) -> bool {
    let said = reading.words.iter().any(|word| word.low == program);
    said || OF.iter().any(|(name, meanings)| *name == program && reading.any(meanings).is_some())
}

fn is_known(reading: &AnalyzedQuery<'_>, name: &str) -> bool {
    const BUILT_IN: &[&str] = &[
        "cd", "echo", "export", "alias", "unalias", "set", "unset", "history", "jobs", "fg", "bg", "kill", "pwd",
        "type", "source", ".", "wait", "read", "printf", "test", "[", "true", "false", "exit", "ulimit", "umask",
        "command", "time", "dirs", "pushd", "popd", "disown", "exec", "eval", "trap", "bindkey", "fc", "hash", "which",
        "whence", "setopt", "for", "while", "if", "{", "(", ":",
    ];
    name.contains(['/', '$']) || BUILT_IN.contains(&name) || reading.is_installed(name)
}
