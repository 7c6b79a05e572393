//! The checks that must pass in every setup.

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

use crate::harness::keys::Key;
use crate::harness::screen::{GHOST, Screen};
use crate::plugins::setups::{Keys, Order, Setup};
use crate::plugins::zsh::Zsh;

/// Words that a shell prints only when something is wrong.
const ERRORS: [&str; 8] =
    ["No such widget", "maximum nested", "parse error", "not found", "bad ", "no such", "undefined", "aside:"];

/// The names of the checks that fail.
pub fn run(setup: &Setup, order: Order, plugins: &Path) -> Vec<String> {
    let zsh = Zsh::start(setup, order, plugins);
    let name = super::row_name(setup, order);
    let mut table = Table { name, zsh, failed: Vec::new(), when: "" };
    table.all(setup);
    table.check("off", |_| gives_all_back(setup, order, plugins));
    let again = Zsh::start(setup, order, plugins);
    again.types("true").presses(Key::Enter).rests();
    again.types("source ~/.zshrc").presses(Key::Enter).rests();
    again.types("true").presses(Key::Enter).rests();
    table.zsh = again;
    table.when = "again ";
    table.all(setup);
    table.failed
}

struct Table {
    name: String,
    zsh: Zsh,
    failed: Vec<String>,
    when: &'static str,
}

impl Table {
    fn all(&mut self, setup: &Setup) {
        self.check("start", |zsh| !has_errors(&zsh.screen()));
        self.check("enter", enter);
        self.check("ghost", ghost);
        self.check("tab", tab);
        self.check("ctrl-c", ctrl_c);
        self.check("ctrl-c after Tab", ctrl_c_after_tab);
        self.check("paste", paste);
        self.check("history", history);
        self.check("resize", resize);
        self.check("prose", prose);
        if setup.keys == Keys::Vi {
            self.check("normal mode", normal_mode);
        }
        self.check("errors", |zsh| !has_errors(&zsh.screen()));
    }

    fn check(&mut self, name: &str, holds: impl Fn(&Zsh) -> bool) {
        if !name.starts_with("err") && !super::is_wanted_check(name) {
            return;
        }
        let screen_before = self.zsh.text();
        if !holds(&self.zsh) {
            self.failed.push(format!("{}{name}", self.when));
            if std::env::var_os("ASIDE_TEST_SHOW").is_some() {
                let rows = self.zsh.screen().rendered(GHOST).join("\n");
                let (row, when) = (&self.name, self.when);
                eprintln!("--- {row}, {when}{name}: before:\n{screen_before}\n--- after:\n{rows}\n---");
            }
        }
        self.zsh.clears();
    }
}

fn has_errors(screen: &Screen) -> bool {
    ERRORS.iter().any(|error| screen.contains(error))
}

fn has_ghost(screen: &Screen) -> bool {
    (0..screen.size().0).any(|row| screen.has_ghost(row, GHOST))
}

fn shows_ghost(zsh: &Zsh) -> bool {
    zsh.types("frob");
    zsh.comes(|screen| screen.contains("frobnicate") && has_ghost(screen))
}

fn shows_bar(zsh: &Zsh) -> bool {
    zsh.types("frob");
    zsh.comes(|screen| screen.contains("(1/"))
}

/// Whether the condition becomes true and stays true. A theme may take longer to start than it takes for the screen to seem idle.
fn comes_to_stay(zsh: &Zsh, condition: impl Fn(&Screen) -> bool) -> bool {
    zsh.comes(&condition) && {
        zsh.rests();
        condition(&zsh.screen())
    }
}

fn enter(zsh: &Zsh) -> bool {
    zsh.types("print ran$((20+3))").presses(Key::Enter);
    zsh.comes(|screen| screen.contains("ran23")) && !has_errors(&zsh.screen())
}

fn ghost(zsh: &Zsh) -> bool {
    shows_ghost(zsh) && {
        zsh.presses(Key::Right);
        // The rest of the line may be ghost text again.
        zsh.comes(|screen| screen.rendered(GHOST).iter().any(|row| row.contains("frobnicate")))
    }
}

/// Where the bar says that Tab takes its candidate, it does.
fn tab(zsh: &Zsh) -> bool {
    shows_bar(zsh);
    zsh.rests();
    if !zsh.screen().contains("[↹]") {
        return true;
    }
    zsh.presses(Key::Tab);
    zsh.comes(|screen| screen.rendered(GHOST).iter().any(|row| row.contains("frobnicate")))
}

/// A plugin that is busy when Ctrl-C arrives may lose it, without Aside too.
fn ctrl_c(zsh: &Zsh) -> bool {
    for _ in 0..3 {
        if breaks_off(zsh) {
            return true;
        }
        zsh.clears();
    }
    false
}

fn breaks_off(zsh: &Zsh) -> bool {
    shows_bar(zsh);
    zsh.rests();
    zsh.presses(Key::CtrlC);
    let shows_nothing =
        |screen: &Screen| !screen.contains("--all now") && !has_ghost(screen) && !screen.contains("(1/");
    let gone = comes_to_stay(zsh, shows_nothing);
    zsh.types("print code$?").presses(Key::Enter);
    gone && zsh.comes(|screen| screen.contains("code130"))
}

fn ctrl_c_after_tab(zsh: &Zsh) -> bool {
    zsh.types("print /usr/shar\t").rests();
    zsh.presses(Key::Ctrl('u')).rests();
    ctrl_c(zsh)
}

fn paste(zsh: &Zsh) -> bool {
    shows_ghost(zsh);
    zsh.pastes("ert says");
    comes_to_stay(zsh, |screen| !screen.contains("nicate") && screen.contains("frobert says"))
}

fn history(zsh: &Zsh) -> bool {
    shows_ghost(zsh);
    zsh.presses(Key::Up);
    comes_to_stay(zsh, |screen| !has_ghost(screen) && !has_errors(screen))
}

fn resize(zsh: &Zsh) -> bool {
    if !shows_bar(zsh) {
        return false;
    }
    // Output still in flight would wrap in the narrower terminal.
    zsh.rests();
    zsh.resizes(24, 50);
    let is_one_bar = |screen: &Screen| {
        let text = screen.text();
        text.matches("(1/").count() == 1 && text.matches("navigate").count() <= 1
    };
    let is_narrow = comes_to_stay(zsh, is_one_bar);
    zsh.resizes(24, 80).rests();
    zsh.presses(Key::CtrlC);
    is_narrow && comes_to_stay(zsh, |screen| !screen.contains("(1/"))
}

fn prose(zsh: &Zsh) -> bool {
    zsh.types("how many files are here?").presses(Key::Enter);
    if !zsh.comes(|screen| screen.contains("wc -l")) {
        return false;
    }
    comes_to_stay(zsh, has_one_prompt_below_the_words)
}

/// Below the prose there must be exactly one prompt like the one before it: that of the waiting line.
fn has_one_prompt_below_the_words(screen: &Screen) -> bool {
    let rows: Vec<String> = (0..screen.size().0).map(|row| screen.row(row)).collect();
    let Some(words) = rows.iter().position(|row| row.contains("how many files")) else { return false };
    let prompt = rows[words].split("how many").next().unwrap_or_default().trim_end().to_owned();
    let later = rows[words + 1..].iter().filter(|row| !prompt.is_empty() && row.starts_with(&prompt)).count();
    later == 1
}

fn normal_mode(zsh: &Zsh) -> bool {
    shows_bar(zsh);
    zsh.presses(Key::Esc);
    let gone = comes_to_stay(zsh, |screen| !has_ghost(screen) && !screen.contains("(1/"));
    zsh.types("i");
    gone
}

/// After the same keys, `aside-off` leaves the same state as a zsh without Aside.
fn gives_all_back(setup: &Setup, order: Order, plugins: &Path) -> bool {
    let (bare, zsh) = (Zsh::start(setup, Order::Absent, plugins), Zsh::start(setup, order, plugins));
    for zsh in [&bare, &zsh] {
        zsh.types("true").presses(Key::Enter).rests();
        zsh.types("frob").rests();
        zsh.pastes("ert says").rests();
        zsh.presses(Key::CtrlC).rests();
        zsh.presses(Key::Up).rests();
        zsh.presses(Key::CtrlC).rests();
        if setup.keys == Keys::Vi {
            // Some vi plugins bind more keys when a mode is entered for the first time.
            zsh.presses(Key::Esc).rests();
            zsh.types("i").rests();
        }
    }
    zsh.types("aside-off").presses(Key::Enter).rests();
    // The last function removes itself a second later, while a line waits for keys.
    zsh.comes(|_| zsh.told("print $+functions[_aside_end]${${(M)${(v)widgets}:#*_aside_end}:+held}").trim() != "1");
    let (wanted, is) = (state(&bare), state(&zsh));
    let missing: Vec<&String> = wanted.difference(&is).collect();
    let added: Vec<&String> = is.difference(&wanted).collect();
    if std::env::var_os("ASIDE_TEST_SHOW").is_some() && missing.len() + added.len() > 0 {
        let name = super::row_name(setup, order);
        eprintln!("--- {name}, off: missing {missing:#?}\nadded {added:#?}");
    }
    zsh.types("aside-on").presses(Key::Enter).rests();
    zsh.types("true").presses(Key::Enter).rests();
    // A shell with many functions reports their names over several lines.
    let comes_back = (0..3).any(|_| {
        zsh.clears();
        shows_ghost(&zsh)
    });
    missing.is_empty() && added.is_empty() && !is.is_empty() && comes_back
}

/// Keys, widgets, traps, hooks, options and functions, line by line. zsh's own functions are left out: they are autoloaded by the
/// first completion, which some plugins start in the background.
fn state(zsh: &Zsh) -> BTreeSet<String> {
    let told = zsh.told(
        r#"for m in ${(f)"$(bindkey -l)"}; do bindkey -M $m -L | sed "s/^/$m /"; done
        zle -lL; trap; zstyle -L 'zle-*'; setopt
        for f in ${${(ok)functions}:#(_|)aside[-_]*}; do
          [[ $functions[$f] == *'builtin autoload -X'* || ${functions_source[$f]} == */functions/* ]] || functions -- $f
        done
        functions -m '_aside_*' | grep -v '^[_}]'
        print precmd $precmd_functions; print preexec $preexec_functions
        print chpwd $chpwd_functions; print addhistory $zshaddhistory_functions"#,
    );
    // Ignores three differences: the two switches stay; a plugin that wrapped a hook of Aside's keeps calling a function that does
    // nothing now; and highlighters have random numbers in the names of their wrappers.
    let random = Regex::new(r"orig-s[\d.]+-r\d+").unwrap();
    let is_kept = |line: &&str| !line.contains("aside-o") && !line.contains("_aside_") && *line != "\t:";
    told.lines().filter(is_kept).map(|line| random.replace_all(line, "orig").into_owned()).collect()
}
