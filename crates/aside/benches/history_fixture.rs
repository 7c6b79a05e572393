//! A plausible command history: the same in every run of the benchmark, a few commands again and again, most of them once or twice.
//! Written in zsh's history format.

use std::fmt::Write;

/// The share of the history that was typed for the first time, in percent.
#[derive(Clone, Copy, Debug)]
pub struct Novelty(pub u64);

/// `count` commands, oldest first.
pub fn commands(count: usize, novelty: Novelty) -> Vec<String> {
    let mut dice = Dice(0x5eed);
    let mut distinct: Vec<String> = Vec::new();
    let mut past = Vec::with_capacity(count);
    for number in 0..count {
        if distinct.is_empty() || dice.below(100) < novelty.0 {
            distinct.push(invent(&mut dice, number));
            past.push(distinct[distinct.len() - 1].clone());
        } else {
            past.push(distinct[dice.zipf(distinct.len())].clone());
        }
    }
    past
}

/// zsh's extended history: a time and a duration before each command.
pub fn as_zsh_history(commands: &[String]) -> String {
    let mut file = String::with_capacity(commands.len() * 60);
    for (command, when) in commands.iter().zip(1_600_000_000u64..) {
        // Writing to a string cannot fail.
        let _ = writeln!(file, ": {when}:0;{command}");
    }
    file
}

/// What history alone would offer after `prefix`: the newest command that extends it.
pub fn newest<'a>(past: &'a [String], prefix: &str) -> Option<&'a str> {
    let goes_on = |command: &&String| command.len() > prefix.len() && command.starts_with(prefix);
    past.iter().rev().find(goes_on).map(String::as_str)
}

/// A linear congruential generator: no dependency, a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit
    }

    fn pick(&mut self, words: &'static str) -> &'static str {
        let count = words.split(' ').count() as u64;
        words.split(' ').nth(self.below(count) as usize).unwrap_or_default()
    }

    /// The first is twice as likely as the second, three times as likely as the third.
    fn zipf(&mut self, length: usize) -> usize {
        let uniform = self.roll() as f64 / (1u64 << 31) as f64;
        ((length as f64).powf(uniform) as usize).saturating_sub(1)
    }
}

const PLACES: &str = "src/api src/core crates/web docs/guide services/billing services/auth infra/prod tests/it \
    tools/release app/models lib/parser scripts";
const FILES: &str = "main.rs lib.rs README.md config.toml handler.py index.ts values.yaml schema.sql deploy.sh \
    Makefile notes.txt server.go";
const WORDS: &str = "login cache retry timeout upload search parser index worker queue metrics token session billing \
    export layout";
const VERBS: &str = "fix add drop tune rename test document simplify";
const HOSTS: &str = "web db build cache mail edge";

/// A command of 30 to 40 characters that is new, most of the time.
fn invent(dice: &mut Dice, number: usize) -> String {
    let (place, file, word) = (dice.pick(PLACES), dice.pick(FILES), dice.pick(WORDS));
    let (verb, host, other) = (dice.pick(VERBS), dice.pick(HOSTS), dice.pick(WORDS));
    let (issue, hash) = (dice.below(20_000), dice.roll() & 0xff_ffff);
    match dice.below(20) {
        0 => format!("git commit -m '{verb} {word} in {place} (#{issue})'"),
        1 => format!("git checkout -b {word}-{other}-{issue}"),
        2 => format!("git show {hash:06x} -- {place}/{file}"),
        3 => format!("git log --oneline -{} {place}/{file}", dice.below(90)),
        4 => format!("git rebase -i {hash:06x} --autosquash"),
        5 => format!("cargo test -p {word} {other}_{issue} -- --nocapture"),
        6 => format!("cargo run --release -- --{word} {issue}"),
        7 => format!("cd ~/code/{word}-{issue}/{place}"),
        8 => format!("ls -la {place}/{word}/{hash:06x}"),
        9 => format!("vim +{} {place}/{word}_{}/{file}", dice.below(900), number % 5000),
        10 => format!("docker run --rm -it -p {}:80 {word}:{hash:06x}", 1024 + dice.below(60_000)),
        11 => format!("docker logs -f --tail {} {word}-{issue}", dice.below(500)),
        12 => format!("kubectl -n {word} logs {other}-{hash:06x} --since={}m", dice.below(60)),
        13 => format!("kubectl -n {word} describe pod {other}-{hash:06x}"),
        14 => format!("ssh deploy@{host}{issue}.example.org"),
        15 => format!("make -C {place} {word}-{issue} -j{}", 1 + dice.below(16)),
        16 => format!("rg -n '{word}_{other}{issue}' {place}"),
        17 => format!("curl -sS https://{host}.example.org/{word}/{issue}"),
        18 => format!("scp {place}/{word}-{issue}.tar.gz {host}:/srv"),
        _ => format!("python3 {place}/{word}.py --{other}={issue}"),
    }
}
