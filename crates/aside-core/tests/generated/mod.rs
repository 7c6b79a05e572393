//! Generated lines: commands with every shell construct, prose, and mixtures of both, on a machine with many programs. And the
//! invariant for each of them: a command that the shell would run is not taken away from it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use aside_commands::shell_names::{ShellNames, builtins};
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, World};
use aside_core::detect::{DetectContext, FirstWord, PreRunVerdict, before_run};
use shell_line::{Dialect, Syntax, parse, syntax};

const SEED: &str = include_str!("../../data/detect/seed.txt");
const ACTS: &str = include_str!("../../data/detect/acts.txt");
const COMMANDS: &str = include_str!("../../data/detect/commands.txt");

/// Programs that every machine has, besides those with a spec.
const PROGRAMS: &str = "awk base64 basename cal cat chmod chown cp cut date dd df diff dirname du env expr factor file find \
     fold free grep groups head host id install join kill last less link ln locate look ls make man mkdir more mount mv nice \
     nl od open paste ps pwd rename rm script sed seq shuf size sleep sort split stat strings su sudo sum tail tar tee test \
     time timeout top touch tr true tsort tty uniq uptime users vi w watch wc which who whoami write xargs yes";

const FILES: &str =
    "Cargo.toml Makefile README.md build code data docs notes.txt package.json report src test tests todo";

const FLAGS: &str =
    "-a -l -n -r -rf -v -x -la -xzvf --all --help --version --force --name=x -m -C .. -- - -1 +x --no-edit";

const THINGS: &str = "file.txt src/ ./a ../b ~/x /etc/hosts /dev/null *.txt **/*.rs a.tar.gz HEAD~3 origin/main user@host \
     host:/path http://localhost:3000/a?b=c 8080 3.5 10.0.0.1 x=1 A=b $HOME $x ${x:-y} $(pwd) `date` $((1+2)) {a,b} {1..9} \
     \"a b\" 'the files' \"what is this\" 'it is' \"$x y\" 'a; b' \"don't\" a\\ b \\* a,b @ % : :: [a-z] ? ! !! ^ = == != \
     's/a/b/g' '{print $1}' .py .[0] sha256:abc 1,5p 755 u+x 2>/dev/null 0xff é 文件 файл größe straße";

const SUBCOMMANDS: &str = "add build checkout clean clone commit config create delete deploy diff fetch get help info init \
     install list log login merge new open ps pull push rebase remove reset restart rm run search serve set show start stash \
     status stop switch sync tag test up update upgrade version";

const SENTENCES: &[&str] = &[
    "make sure the tests pass",
    "find out how the auth system works",
    "git me the latest changes",
    "go ahead and fix the tests",
    "kill the process on port 3000",
    "touch base with me about the release",
    "test the login flow works",
    "which file has the most lines of code",
    "who are you and what can you do",
    "sort the files by size please",
    "cat the file that I changed last",
    "while you are at it fix the tests",
    "do we already have a way to uninstall",
    "in the codebase where is the auth module",
    "then what should I do next",
    "time to go home and sleep",
    "for the love of god stop it",
    "what is my ip address",
    "please list all files",
    "how do I undo the last commit",
    "why does it not work",
    "select the best option for me",
    "function that adds two numbers",
    "open the door and let me in",
    "yes please do it now",
    "watch out for the dog",
    "look at the log and tell me what is wrong",
    "write a function that sorts a list",
    "wie lösche ich alle Dateien",
    "mostra los archivos grandes por favor",
    "列出所有文件",
    "покажи мне все файлы",
    "ファイルを削除して",
    "comment est-ce que je peux lister les fichiers",
    "파일을 보여줘",
    "como posso apagar os ficheiros",
];

/// `%` is a command, `#` the arguments of a command.
const CONSTRUCTS: &[&str] = &[
    "% | %",
    "% | % | %",
    "% && %",
    "% || %",
    "%; %",
    "% &",
    "(%)",
    "{ %; }",
    "! %",
    "time %",
    "% > out.log 2>&1",
    "% >> notes.txt",
    "% < notes.txt",
    "% 2>/dev/null | %",
    "% <<< \"#\"",
    "% | tee out.log",
    "if %; then %; fi",
    "if %; then %; else %; fi",
    "for x in #; do %; done",
    "for x (#) %",
    "while %; do %; done",
    "until %; do %; done",
    "case # in a) %;; *) %;; esac",
    "[[ -f x ]] && %",
    "[ -n \"$x\" ] || %",
    "a=1 %",
    "a=$(%) %",
    "x=(#)",
    "f() { %; }",
    "function f { %; }",
    "echo #",
    "echo \"#\"",
    "printf '%s' #",
    "sudo %",
    "command %",
    "env A=b %",
    "nohup % &",
    "xargs %",
    "watch -n 1 '%'",
    "git commit -m \"#\"",
    "git commit -m '#' && %",
    "grep -r \"#\" .",
    "diff <(%) <(%)",
    "repeat 3 %",
    "select x in #; do %; done",
    "coproc %",
    "cd src && %",
    "% # and a comment",
    "noglob %",
    "exec %",
    "eval \"%\"",
    "alias x='%'",
];

/// xorshift: reproducible.
pub struct Dice(pub u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.get(self.below(of.len())).copied().unwrap_or_default()
    }
}

/// The vocabulary of the generated lines, and the machine on which they are typed.
pub struct Machine {
    programs: Vec<&'static str>,
    sorted: Arc<[Box<str>]>,
    files: Arc<[DirEntry]>,
    names: ShellNames,
    specs: Specs,
    /// The classifier's required list of natural-language words.
    words: Vec<&'static str>,
    flags: Vec<&'static str>,
    things: Vec<&'static str>,
    subcommands: Vec<&'static str>,
    /// Commands whose line may be rerouted although it would run: the agent words that the requirements demand, and commands that
    /// would act on prose.
    excepted: HashSet<&'static str>,
}

pub static MACHINE: LazyLock<Machine> = LazyLock::new(Machine::new);

/// The verdict on a line, with its facts.
pub struct Found {
    pub verdict: PreRunVerdict,
    pub reason: String,
    pub syntax: Syntax,
    /// The first command of the line exists.
    pub exists: bool,
    /// It is one of those that may be rerouted.
    pub excepted: bool,
}

impl Found {
    /// Whether an existing command is taken from the shell, provided that the shell can parse the line.
    pub fn is_taken(&self) -> bool {
        self.verdict == PreRunVerdict::Agent && self.exists && !self.excepted
    }
}

impl Machine {
    #[allow(clippy::disallowed_methods, reason = "the names of our own specs")]
    fn new() -> Self {
        let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aside-commands/data/spec");
        let specs = std::fs::read_dir(specs).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut specs: Vec<String> = specs.filter_map(|name| name.strip_suffix(".toml").map(str::to_owned)).collect();
        specs.sort();
        let specs = specs.into_iter().map(|name| &*Box::leak(name.into_boxed_str()));
        let mut programs: Vec<&str> = PROGRAMS.split_whitespace().chain(specs).collect();
        programs.extend(words_of(COMMANDS));
        programs.sort_unstable();
        programs.dedup();
        let mut names = ShellNames::default();
        names.take("alias", 0, "gst=git status\ngrep=grep --color=auto\nll=ls -l\n");
        names.take("function", 0, "deploy\nmkcd\n");
        names.take("builtin", 0, &builtins::builtins(Dialect::Zsh).join("\n"));
        let acts = ACTS.lines().filter(|row| !row.starts_with('#'));
        let acts = acts.filter_map(|row| row.split_whitespace().next());
        Machine {
            sorted: programs.iter().map(|name| Box::from(*name)).collect(),
            programs,
            files: FILES.split_whitespace().map(|name| DirEntry { name: name.into(), kind: FileKind::File }).collect(),
            names,
            specs: Specs::default(),
            words: section("[words]").collect(),
            flags: FLAGS.split_whitespace().collect(),
            things: split_things(),
            subcommands: SUBCOMMANDS.split_whitespace().collect(),
            excepted: section("[agent]").chain(acts).collect(),
        }
    }

    pub fn facts(&self, dialect: Dialect) -> DetectContext<'_> {
        DetectContext {
            cwd: "/home/me/project",
            dialect,
            first: FirstWord::Unasked,
            world: self,
            names: &self.names,
            specs: &self.specs,
            agent_prefix: "@",
        }
    }

    pub fn judge(&self, line: &str, dialect: Dialect) -> Found {
        let ruling = before_run(line, &self.facts(dialect));
        let parsed = parse(line, dialect);
        let first = parsed.commands.iter().find_map(|command| command.words.first());
        let name = first.map_or("", |word| word.value.as_str());
        Found {
            verdict: ruling.verdict,
            reason: ruling.reason,
            syntax: syntax(line, dialect),
            exists: first.is_some_and(|word| word.fixed) && self.has(name, dialect),
            excepted: self.excepted.contains(name)
                || line.split_whitespace().next().is_some_and(|word| self.excepted.contains(word)),
        }
    }

    fn has(&self, name: &str, dialect: Dialect) -> bool {
        let reserved = builtins::reserved(dialect).contains(&name);
        builtins::has(&self.names, dialect, name) && !reserved || self.programs.binary_search(&name).is_ok()
    }

    pub fn line(&self, dice: &mut Dice) -> String {
        match dice.below(16) {
            0..=4 => self.command(dice),
            5..=9 => self.construct(dice),
            10 => dice.pick(SENTENCES).to_owned(),
            // A command, followed by prose.
            11 => format!("{} {}", dice.pick(&self.programs), dice.pick(SENTENCES)),
            12 => format!("{} {}", dice.pick(&self.programs), self.prose(dice)),
            13 => self.prose(dice),
            14 => {
                let line = if dice.below(2) == 0 { self.construct(dice) } else { dice.pick(SENTENCES).to_owned() };
                self.mixed(dice, &line)
            }
            _ => garbage(dice),
        }
    }

    fn command(&self, dice: &mut Dice) -> String {
        let mut words = vec![dice.pick(&self.programs)];
        if dice.below(3) == 0 {
            words.push(dice.pick(&self.subcommands));
        }
        for _ in 0..dice.below(7) {
            words.push(match dice.below(8) {
                0 | 1 => dice.pick(&self.flags),
                2 | 3 => dice.pick(&self.things),
                4 => dice.pick(&self.programs),
                _ => dice.pick(&self.words),
            });
        }
        words.join(" ")
    }

    fn prose(&self, dice: &mut Dice) -> String {
        let count = 1 + dice.below(9);
        let words: Vec<&str> = (0..count).map(|_| dice.pick(&self.words)).collect();
        words.join(" ")
    }

    fn construct(&self, dice: &mut Dice) -> String {
        let mut line = String::new();
        for letter in dice.pick(CONSTRUCTS).chars() {
            match letter {
                '%' => line += &self.command(dice).replace(['\'', '"'], ""),
                '#' => line += &self.prose(dice),
                letter => line.push(letter),
            }
        }
        line
    }

    /// Replaces a few words by others.
    fn mixed(&self, dice: &mut Dice, line: &str) -> String {
        let mut words: Vec<&str> = line.split(' ').collect();
        for _ in 0..=dice.below(3) {
            let at = dice.below(words.len());
            let of = match dice.below(4) {
                0 => &self.programs,
                1 => &self.words,
                2 => &self.things,
                _ => &self.flags,
            };
            let word = dice.pick(of);
            match dice.below(3) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, word),
                _ => words[at] = word,
            }
            if words.is_empty() {
                words.push(word);
            }
        }
        words.join(" ")
    }
}

impl World for Machine {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if directory == "/home/me/project" { Fact::Yes(Arc::clone(&self.files)) } else { Fact::No }
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::Yes(Arc::clone(&self.sorted))
    }
}

/// Letters of all kinds, and the characters that shells and terminals interpret.
fn garbage(dice: &mut Dice) -> String {
    let count = dice.below(60);
    let letter = |dice: &mut Dice| match dice.below(6) {
        0 => ' ',
        1 => char::from(dice.below(128) as u8),
        2 => dice
            .pick(&["'", "\"", "`", "$", "(", ")", "{", "}", ";", "|", "&", "\\", "<", ">"])
            .chars()
            .next()
            .unwrap_or(' '),
        3 => char::from_u32(dice.below(0x3000) as u32).unwrap_or('x'),
        4 => char::from_u32(0x4e00 + dice.below(0x5000) as u32).unwrap_or('x'),
        _ => char::from(b'a' + dice.below(26) as u8),
    };
    (0..count).map(|_| letter(dice)).collect::<String>().replace('\0', "")
}

/// Splits at blanks outside of quotes.
fn split_things() -> Vec<&'static str> {
    let mut things = Vec::new();
    let mut rest = THINGS.trim();
    while !rest.is_empty() {
        let mut quote = None;
        let mut escaped = false;
        let end = rest.find(|letter: char| {
            let ends = letter == ' ' && quote.is_none() && !escaped;
            escaped = letter == '\\';
            match quote {
                Some(open) if open == letter => quote = None,
                None if matches!(letter, '"' | '\'') => quote = Some(letter),
                _ => {}
            }
            ends
        });
        let (thing, more) = rest.split_at(end.unwrap_or(rest.len()));
        things.push(thing);
        rest = more.trim_start();
    }
    things
}

fn words_of(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|row| !row.trim_start().starts_with('#')).flat_map(str::split_whitespace)
}

fn section(heading: &'static str) -> impl Iterator<Item = &'static str> {
    let rows = SEED.lines().skip_while(move |row| row.trim() != heading).skip(1);
    let rows = rows.take_while(|row| !(row.starts_with('[') && row.trim_end().ends_with(']') && row.len() > 2));
    rows.filter(|row| !row.starts_with('#')).flat_map(str::split_whitespace)
}
