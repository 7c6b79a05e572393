//! Decides whether a command finds what it needs in its directory: a repository, a makefile, a stash, a rebase in
//! progress. The table is `data/complete/needs.txt`. What is not known yet counts as present.

use std::collections::HashMap;
use std::sync::LazyLock;

use aside_commands::spec::walk::{self, SpecEnd, SpecWord, WalkStep};
use aside_commands::world::{DirEntry, Fact, LiveKind};
use shell_line::{Command, Line};

use crate::complete::context::CompletionContext;
use crate::complete::path::fits;
use crate::complete::spec::resolve::{self, Resolution, ResolvedCommand};

const TABLE: &str = include_str!("../../../../aside-commands/data/project/needs.txt");

/// Parent directories that are searched.
const MAX_ABOVE: usize = 12;
/// Commands that create nothing that a later command needs.
const HARMLESS: [&str; 6] = ["cd", "echo", "ls", "pwd", "clear", "time"];
/// Flags with which a command only prints information about itself.
const TELLS: [&str; 3] = ["--help", "--version", "-h"];

struct Row {
    /// The command, and optionally a subcommand.
    path: Vec<&'static str>,
    when: When,
    need: Need,
    /// Words that lift the need.
    lifted: Vec<&'static str>,
}

enum When {
    Always,
    With(Vec<&'static str>),
    /// With any other subcommand.
    Without(Vec<&'static str>),
}

enum Need {
    Repository,
    Files(Vec<&'static str>),
    Live(LiveKind),
    /// An unfinished operation of git, such as a rebase.
    Begun(&'static str),
    /// A plugin of docker.
    Plugin(&'static str),
}

/// Directories where docker looks for plugins, beside `~/.docker/cli-plugins`.
const PLUGINS: [&str; 4] = [
    "/usr/libexec/docker/cli-plugins",
    "/usr/lib/docker/cli-plugins",
    "/usr/local/lib/docker/cli-plugins",
    "/usr/local/libexec/docker/cli-plugins",
];

/// Rows by command name.
static ROWS: LazyLock<HashMap<&str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: HashMap<&str, Vec<Row>> = HashMap::new();
    for row in TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(row) {
        rows.entry(row.path[0]).or_default().push(row);
    }
    rows
});

fn row(line: &'static str) -> Option<Row> {
    let mut fields = line.split('|').map(|field| field.split_whitespace().collect::<Vec<_>>());
    let (path, words, what, lifted) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let when = match words.as_slice() {
        ["*"] => When::Always,
        ["!", others @ ..] => When::Without(others.to_vec()),
        words => When::With(words.to_vec()),
    };
    let need = match what.as_slice() {
        ["repository"] => Need::Repository,
        [one] if one.starts_with("live:") => Need::Live(LiveKind::of(&one["live:".len()..])?),
        [one] if one.starts_with("plugin:") => Need::Plugin(&one["plugin:".len()..]),
        [one] if one.starts_with("doing:") => Need::Begun(&one["doing:".len()..]),
        files => Need::Files(files.to_vec()),
    };
    (!path.is_empty()).then_some(Row { path, when, need, lifted })
}

/// What history says about the line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Past {
    /// It succeeded in this directory: the files that it needs may have other names than in our table.
    WorkedHere,
    /// It ran.
    Ran,
    Nothing,
}

/// Whether everything that the command needs is there. `ask.cwd` is where it runs.
pub fn are_met(context: &CompletionContext<'_>, line: &Line<'_>, command: &Command, past: Past) -> bool {
    // An earlier command of the line may create what this one needs.
    let earlier = line.commands.iter().take_while(|earlier| earlier.span.start < command.span.start);
    let makes = |earlier: &Command| earlier.words.first().is_some_and(|name| !HARMLESS.contains(&&*name.value));
    if earlier.filter(|earlier| earlier.span.end <= command.span.start).any(makes) {
        return true;
    }
    let runs = match resolve::resolve(context, command, command.words.len()) {
        Resolution::Spec(reached) => Some(reached),
        Resolution::Command | Resolution::Unknown => None,
    };
    // `bundle exec` has needs itself, whatever it runs.
    let outer = outer(context, command);
    outer.iter().chain(&runs).all(|reached| finds(context, reached, past))
}

/// The outermost of nested commands.
fn outer<'w>(context: &CompletionContext<'_>, command: &'w Command) -> Option<ResolvedCommand<'w>> {
    let pieces: Vec<SpecWord<'w>> = command
        .words
        .iter()
        .enumerate()
        .map(|(number, word)| SpecWord { value: (&*word.value).into(), fixed: word.fixed, word: Some(number) })
        .collect();
    let spec = context.specs.find(&pieces.first()?.value, context.world)?;
    let walk = walk::walk(spec, &pieces);
    matches!(walk.end(), SpecEnd::Command(_)).then_some(ResolvedCommand { pieces, walk })
}

fn finds(context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>, past: Past) -> bool {
    let path: Vec<&str> = reached.walk.path(&reached.pieces).collect();
    let Some(rows) = path.first().and_then(|name| ROWS.get(name)) else { return true };
    let Some(directory) = resolve::directory(context, reached) else { return true };
    // A directory that cannot be listed is on another machine.
    let is_seen = matches!(context.world.entries(&directory), Fact::Yes(_));
    if !is_seen && past != Past::Nothing {
        return true;
    }
    let place = Place { context, directory: &directory, is_seen, past };
    rows.iter().filter(|row| row.applies(&path, reached)).all(|row| place.has(&row.need))
}

impl Row {
    fn applies(&self, path: &[&str], reached: &ResolvedCommand<'_>) -> bool {
        if !path.starts_with(&self.path) {
            return false;
        }
        let words = || reached.pieces.iter().skip(1).map(|piece| &*piece.value);
        let is_given = |flag: &&str| words().any(|word| is_flag(word, flag));
        if TELLS.iter().any(|flag| words().any(|word| word == *flag)) || self.lifted.iter().any(&is_given) {
            return false;
        }
        // A subcommand that the spec lacks, such as an alias of git or a script of yarn, is parsed as an argument.
        let sub = path.get(self.path.len()).copied().or_else(|| {
            let steps = reached.walk.steps.iter().zip(words());
            steps
                .filter(|(step, _)| matches!(step, WalkStep::Argument(..) | WalkStep::Unknown))
                .map(|(_, word)| word)
                .next()
        });
        match &self.when {
            When::Always => true,
            When::With(wanted) => wanted.iter().any(|wanted| match wanted.starts_with('-') {
                true => is_given(wanted),
                false => sub == Some(*wanted),
            }),
            When::Without(others) => sub.is_some_and(|sub| !sub.starts_with('-') && !others.contains(&sub)),
        }
    }
}

/// `--file`, `--file=x`, `-fx`
fn is_flag(word: &str, flag: &str) -> bool {
    let Some(rest) = word.strip_prefix(flag) else { return false };
    rest.is_empty() || rest.starts_with('=') || flag.len() == 2 && flag.starts_with('-')
}

struct Place<'a, 'k> {
    context: &'a CompletionContext<'k>,
    directory: &'a str,
    is_seen: bool,
    past: Past,
}

impl Place<'_, '_> {
    fn has(&self, need: &Need) -> bool {
        let world = self.context.world;
        match need {
            Need::Repository | Need::Files(_) if self.past == Past::WorkedHere => true,
            Need::Repository => !matches!(world.repository(self.directory), Fact::No) || self.is_bare(),
            Need::Files(names) => !self.is_seen || self.has_file(names),
            Need::Live(live) => match world.live(*live, self.directory) {
                Fact::Yes(items) => !items.is_empty(),
                Fact::No => false,
                Fact::NotYet => true,
            },
            Need::Plugin(_) if self.past == Past::WorkedHere => true,
            Need::Plugin(name) => self.has_plugin(name),
            Need::Begun(what) => match world.live(LiveKind::GitState, self.directory) {
                Fact::Yes(items) => items.iter().any(|item| *item.name == **what),
                Fact::No => false,
                Fact::NotYet => true,
            },
        }
    }

    fn has_plugin(&self, name: &str) -> bool {
        let world = self.context.world;
        let own = format!("{}/.docker/cli-plugins", world.home());
        // If the machine is not known at all, everything counts as present.
        let is_known = matches!(world.entries("/usr"), Fact::Yes(_));
        !is_known
            || PLUGINS.iter().copied().chain([own.as_str()]).any(|directory| match world.entries(directory) {
                Fact::Yes(entries) => entries.iter().any(|entry| *entry.name == *name),
                Fact::No => false,
                Fact::NotYet => true,
            })
    }

    /// A bare repository.
    fn is_bare(&self) -> bool {
        let Fact::Yes(entries) = self.context.world.entries(self.directory) else { return false };
        ["HEAD", "objects", "refs"].iter().all(|name| entries.iter().any(|entry| *entry.name == **name))
    }

    fn has_file(&self, names: &[&str]) -> bool {
        let has = |entries: &[DirEntry], name: &str| entries.iter().any(|entry| fits(name, &entry.name));
        let is_there = |entries: &[DirEntry], is_above: bool| {
            let wanted = names.iter().filter(|name| !name.starts_with('!'));
            let mut wanted = wanted.filter_map(|name| match name.strip_prefix('^') {
                Some(name) => Some(name),
                None => (!is_above).then_some(*name),
            });
            wanted.any(|name| has(entries, name))
        };
        let is_others = |entries: &[DirEntry]| {
            names.iter().filter_map(|name| name.strip_prefix('!')).any(|name| has(entries, name))
        };
        let goes_up = names.iter().any(|name| name.starts_with('^'));
        let mut is_known = true;
        for (number, directory) in self.upward().enumerate().take(if goes_up { MAX_ABOVE } else { 1 }) {
            match self.context.world.entries(directory) {
                Fact::Yes(entries) if is_there(&entries, number > 0) => return true,
                Fact::Yes(entries) if is_known && is_others(&entries) => return false,
                Fact::Yes(_) | Fact::No => {}
                // Requests all lookups at once instead of stopping at the first.
                Fact::NotYet => is_known = false,
            }
        }
        !is_known
    }

    /// The directory and its parents, up to the root of the repository or the home directory.
    fn upward(&self) -> impl Iterator<Item = &str> {
        let root = self.context.world.repository(self.directory).yes();
        let home = self.context.world.home();
        let mut next = Some(self.directory);
        std::iter::from_fn(move || {
            let directory = next?;
            let is_last = directory == "/" || directory == home || root.as_deref() == Some(directory);
            next = directory
                .rsplit_once('/')
                .filter(|_| !is_last)
                .map(|(above, _)| if above.is_empty() { "/" } else { above });
            Some(directory)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::fake::Fake;
    use crate::complete::resolve_path;
    use aside_commands::spec::Specs;
    use aside_commands::world::EmptyWorld;
    use shell_line as line;

    #[track_caller]
    fn check(scene: &str, cases: &[(&str, bool)]) {
        let fake = Fake::new(scene);
        for (text, expected) in cases {
            let line = line::parse(text, fake.dialect);
            let met = line.commands.iter().all(|command| {
                let cwd = resolve_path::cwd(&fake.context(), &line, command).expect("a place");
                are_met(&CompletionContext { cwd: &cwd, ..fake.context() }, &line, command, Past::Ran)
            });
            assert_eq!(met, *expected, "{text}");
        }
    }

    #[test]
    fn every_word_of_the_table_is_one_of_the_spec() {
        let mut wrong = Vec::new();
        let rows: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(ROWS.values().map(Vec::len).sum::<usize>(), rows.len(), "a row cannot be read");
        for row in ROWS.values().flatten() {
            let Some(mut spec) = Specs::default().find(row.path[0], &EmptyWorld) else {
                wrong.push(row.path[0].to_owned());
                continue;
            };
            for name in &row.path[1..] {
                spec = std::sync::Arc::clone(&spec.sub(name).expect("a subcommand").spec);
            }
            let words = match &row.when {
                When::Always => &[][..],
                When::With(words) | When::Without(words) => words,
            };
            // An alias of a subcommand would never match.
            let is_known = |word: &&&str| match word.starts_with('-') {
                true => spec.flag(word).is_some(),
                false => spec.subs.iter().any(|sub| *sub.name == ***word) || spec.subs.is_empty(),
            };
            wrong.extend(
                words.iter().filter(|word| !is_known(word)).map(|word| format!("{} {word}", row.path.join(" "))),
            );
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn outside_of_any_project() {
        check(
            "file notes.txt\nrepository none",
            &[
                ("git push", false),
                ("git commit --amend --no-edit", false),
                ("git st", false),
                ("sudo git pull", false),
                ("git", true),
                ("git clone https://example.org/a", true),
                ("git init && git add .", true),
                ("git config --global user.name me", true),
                ("git config user.name me", false),
                ("git diff --no-index a b", true),
                ("git diff", false),
                ("git --help", true),
                ("git log --help", true),
                ("make", false),
                ("make test", false),
                ("make -f other.mk test", true),
                ("npm run dev", false),
                ("npm test", false),
                ("npm init -y", true),
                ("npm i -g typescript", true),
                ("npm install express", true),
                ("yarn dev", false),
                ("yarn global add x", true),
                ("pnpm test", false),
                ("cargo build --release", false),
                ("cargo t", false),
                ("cargo new app", true),
                ("cargo install ripgrep", true),
                ("docker compose up -d", false),
                ("docker compose -f x.yml up", true),
                ("docker-compose logs", false),
                ("docker ps", true),
                ("terraform plan", false),
                ("poetry install", false),
                ("bundle exec rspec", false),
                ("poetry run pytest", false),
                ("mvn package", false),
                ("just build", false),
                ("ls -la", true),
                ("cd notes && ls", true),
                ("ls; make", false),
                ("tar xf a.tgz && make", true),
            ],
        );
    }

    #[test]
    fn inside_of_one_and_below() {
        let project = "
            repository /code/shop
            cwd /code/shop/web/src
            file /code/shop/Makefile
            file /code/shop/Cargo.toml
            file /code/shop/compose.yml
            file /code/shop/web/package.json
            directory /code/shop/web/src
        ";
        check(
            project,
            &[
                ("git push", true),
                ("cargo build", true),
                ("npm run dev", true),
                ("docker compose up", true),
                // make does not search parent directories.
                ("make test", false),
                ("make -C ../.. test", true),
                ("cd ../.. && make test", true),
                ("poetry install", false),
            ],
        );
        // The nearest marker decides which tool the directory is for.
        let python = "repository /code/shop\ncwd /code/shop/api\nfile /code/shop/pyproject.toml\nfile main.py";
        check(python, &[("uv add rich", true), ("poetry add rich", true)]);
        let pip =
            [("uv add rich", false), ("uv sync", true), ("poetry add rich", false), ("uv pip install rich", true)];
        check(&format!("{python}\nfile requirements.txt"), &pip);
        check("file main.tf\nrepository none", &[("terraform plan", true), ("make", false)]);
        check("slow /home\ncwd /home/you\nfile x", &[("cargo build", true), ("make", false)]);
        check("cwd /elsewhere/on/a/server", &[("make test", true), ("git push", true)]);
    }

    #[test]
    fn what_git_has_begun() {
        let repository = "file x\nrepository /home/me";
        let last = [("git stash pop", false), ("git stash", true), ("git stash push", true), ("git stash drop", false)];
        check(repository, &last);
        check(&format!("{repository}\ngit-stash stash@{{0}}"), &[("git stash pop", true)]);
        check(
            repository,
            &[
                ("git rebase --continue", false),
                ("git rebase --abort", false),
                ("git rebase main", true),
                ("git merge --abort", false),
                ("git cherry-pick --continue", false),
                ("git revert --skip", false),
                ("git am --abort", false),
                ("git bisect good", false),
                ("git bisect start", true),
            ],
        );
        check(
            &format!("{repository}\ngit-state rebase"),
            &[("git rebase --continue", true), ("git rebase --skip", true), ("git merge --abort", false)],
        );
    }

    #[test]
    fn a_bare_repository_is_one() {
        check("repository none\nfile HEAD\ndirectory objects\ndirectory refs", &[("git log", true)]);
    }
}
