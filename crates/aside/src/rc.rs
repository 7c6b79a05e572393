//! Finds the lines of an rc file that start Aside, and gives the file without them. Works on bytes and keeps everything else as it is. A
//! line that does more, or that its neighbours need, is shown to the user instead.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::exec::{self, Probe};

#[derive(Debug, PartialEq)]
pub struct StrippedRc {
    pub rest: Vec<u8>,
    pub removed: Vec<RcLine>,
    /// They mention `aside init`, but only the user knows what else they do.
    pub unsure: Vec<RcLine>,
}

#[derive(Debug, PartialEq)]
pub struct RcLine {
    /// From 1.
    pub number: usize,
    pub text: String,
}

/// Ends a line that `aside setup` wrote.
pub const MARK: &str = "# added by aside setup";

/// Follows `MARK` where the copy has another name than usual, or there is none: a file of the usual name is the user's own then.
const COPY: &str = "; the file as it was: ";
const NO_COPY: &str = "; there was no file";

/// Cap on the copies that are tried.
const MAX_COPIES: usize = 100;

/// Where `aside setup` can keep a copy of the original without touching a file that is there; `None` if every name is taken.
pub fn copy_path(rc: &Path) -> Option<PathBuf> {
    let mut names =
        std::iter::once(usual_copy(rc)).chain((2..MAX_COPIES).map(|number| with_end(rc, &format!("-{number}"))));
    names.find(|path| path.symlink_metadata().is_err())
}

/// The comment behind a line of `aside setup`.
pub fn mark(rc: &Path, copy: Option<&Path>) -> String {
    let usual = usual_copy(rc);
    match copy {
        Some(copy) if copy == usual => MARK.to_owned(),
        Some(copy) => format!("{MARK}{COPY}{}", copy.file_name().unwrap_or_default().to_string_lossy()),
        None if usual.symlink_metadata().is_ok() => format!("{MARK}{NO_COPY}"),
        None => MARK.to_owned(),
    }
}

/// The copy that belongs to a line of `aside setup`, by its comment.
pub fn copy_of(rc: &Path, line: &str) -> Option<PathBuf> {
    let (_, end) = line.split_once(MARK)?;
    match end.strip_prefix(COPY) {
        Some(name) if name.starts_with(&*usual_copy(rc).file_name()?.to_string_lossy()) && !name.contains('/') => {
            Some(rc.with_file_name(name))
        }
        None if end.trim().is_empty() => Some(usual_copy(rc)),
        Some(_) | None => None,
    }
}

fn usual_copy(rc: &Path) -> PathBuf {
    with_end(rc, "")
}

fn with_end(rc: &Path, end: &str) -> PathBuf {
    let mut name = rc.file_name().unwrap_or_default().to_owned();
    name.push(".before-aside");
    name.push(end);
    rc.with_file_name(name)
}

/// The file with the line at its end, which no backslash before it can continue.
pub fn with_line(before: &[u8], line: &str) -> Vec<u8> {
    let mut after = before.to_vec();
    if after.last().is_some_and(|&last| last != b'\n') {
        after.push(b'\n');
    }
    if goes_on(&after) {
        after.push(b'\n');
    }
    after.extend_from_slice(format!("{line}\n").as_bytes());
    after
}

/// Whether a backslash at its end joins the next line to it; two are one backslash.
fn goes_on(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

pub fn without_aside(content: &[u8]) -> StrippedRc {
    let lines: Vec<&[u8]> = content.split_inclusive(|&byte| byte == b'\n').collect();
    let mut fates: Vec<Fate> = lines.iter().map(|line| fate(line)).collect();
    for index in 0..lines.len() {
        if fates[index] != Fate::Removed {
            continue;
        }
        if is_guarded_block(&lines, index) {
            fates[index - 1..=index + 1].fill(Fate::Removed);
        } else if is_needed(&lines, &fates, index) {
            fates[index] = Fate::Unsure;
        }
    }
    let mut cut = StrippedRc { rest: Vec::new(), removed: Vec::new(), unsure: Vec::new() };
    for (index, (line, fate)) in lines.iter().zip(&fates).enumerate() {
        let shown = || RcLine { number: index + 1, text: String::from_utf8_lossy(line).trim().to_owned() };
        match fate {
            Fate::Kept => {}
            Fate::Removed => cut.removed.push(shown()),
            Fate::Unsure => cut.unsure.push(shown()),
        }
        if *fate != Fate::Removed {
            cut.rest.extend_from_slice(line);
        }
    }
    cut
}

/// Lines that may load Aside in another way: they source a file of its name, or name it to a plugin manager.
pub fn loading(content: &[u8]) -> Vec<RcLine> {
    let lines = content.split(|&byte| byte == b'\n').enumerate();
    let found = lines.filter(|(_, line)| LOADS.is_match(line) && fate(line) == Fate::Kept);
    found
        .map(|(index, line)| RcLine { number: index + 1, text: String::from_utf8_lossy(line).trim().to_owned() })
        .collect()
}

/// Starts the shell as a terminal would. `None` if it does not load Aside, or cannot be asked; else the file that does it if that is known.
pub fn loaded_by(shell: &str) -> Option<Option<PathBuf>> {
    let said = exec::probe(&Probe::LoadsAside(shell))?;
    let (_, rest) = said.split_once(exec::LOADED)?;
    let file = rest.lines().next().unwrap_or_default().trim();
    Some(Some(PathBuf::from(file)).filter(|file| file.is_absolute()))
}

#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Removed,
    Unsure,
}

fn fate(line: &[u8]) -> Fate {
    if STARTS.is_match(line) {
        Fate::Removed
    } else if MENTIONS.is_match(line) && !line.trim_ascii_start().starts_with(b"#") {
        Fate::Unsure
    } else {
        Fate::Kept
    }
}

/// `if command -v aside …; then`, the line, `fi`: all three are ours.
fn is_guarded_block(lines: &[&[u8]], index: usize) -> bool {
    let [before, after] = [index.checked_sub(1), Some(index + 1)].map(|index| lines.get(index?));
    before.is_some_and(|line| OPENS.is_match(line)) && after.is_some_and(|line| CLOSES.is_match(line))
}

/// Whether removing the line would break the file: it continues the line before, or is the only one in a block of bash, which allows no
/// empty blocks.
fn is_needed(lines: &[&[u8]], fates: &[Fate], index: usize) -> bool {
    let matters = |other: &usize| {
        let line = lines[*other].trim_ascii();
        fates[*other] != Fate::Removed && !line.is_empty() && !line.starts_with(b"#")
    };
    // A backslash continues only the next line, `&&` skips empty ones.
    let is_continued = index.checked_sub(1).is_some_and(|before| goes_on(lines[before]));
    let before = (0..index).rev().find(matters).map_or(&b""[..], |other| lines[other].trim_ascii());
    let after = (index + 1..lines.len()).find(matters).map_or(&b""[..], |other| lines[other].trim_ascii());
    let for_bash = MENTIONS.captures(lines[index]).is_some_and(|found| &found[1] == b"bash");
    is_continued
        || CONTINUES.is_match(before)
        || (for_bash && BLOCK_BEGINS.is_match(before) && BLOCK_ENDS.is_match(after))
}

static STARTS: LazyLock<Regex> = LazyLock::new(|| {
    let (start, condition) = (start(), condition());
    regex(&format!(
        r"^\s*(?:(?:{condition}\s*(?:&&|;\s*and\b)\s*)*(?:{start})(?:\s*\|\|\s*(?:true|:))?
            |if\s+{condition}\s*;\s*then\s+(?:{start})\s*;\s*fi
            |if\s+{condition}\s*;\s*(?:{start})\s*;\s*end
          )\s*;?\s*(?:\#.*)?\s*$"
    ))
});

static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    let condition = condition();
    regex(&format!(r"^\s*if\s+{condition}\s*(?:;\s*then)?\s*$"))
});

static CLOSES: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(?:fi|end)\s*$"));
static MENTIONS: LazyLock<Regex> = LazyLock::new(|| regex(r#"(?:^|[^\w-])aside["']?\s+init\b\s*["']?(\w*)"#));
static LOADS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"^[^\#]*(?:(?:^|[\s;&|])(?:source|\.)\s+[^\#]*/\.?aside(?:[./\s"']|$)
          |(?:zinit|zi|zplug|zgen|zgenom|antidote|antigen|antibody|sheldon|fisher|zplugin|znap)\s[^\#]*[/\s"']aside(?:[./\s"']|$)
          |plugins\+?=\([^\#]*[\s(]aside[\s)])"#,
    )
});
static CONTINUES: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:&&|\|\|?)$"));
static BLOCK_BEGINS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:^|[\s;)])(?:then|else|do|\{|\()$|\)$"));
static BLOCK_ENDS: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:fi|else|elif|done|esac|;;|\}|\))"));

const PROGRAM: &str = r#"(?:(?:command\s+|\\)?["']?(?:[\w./~@+{}$-]*/)?aside["']?|'/[^'\n]*/aside')"#;

/// Matches every way to start Aside that the documentation shows, and common variations.
fn start() -> String {
    let init =
        format!(r#"\s*{PROGRAM}\s+init\s+["']?(?:zsh|bash|fish)["']?(?:\s+--?[\w=-]+)*(?:\s+2>\s*/dev/null)?\s*"#);
    format!(
        r#"eval\s+"?\$\({init}\)"?
          |eval\s+"?`{init}`"?
          |eval\s+\({init}\)
          |(?:source|\.)\s+<\({init}\)
          |(?:source|\.)\s+\({init}\|\s*psub\s*\)
          |{init}\|\s*(?:source|\.)(?:\s+-)?"#
    )
}

/// Matches a test for Aside, or for an interactive shell.
fn condition() -> String {
    let quiet = r"(?:\s*(?:&>|[12]?>)\s*(?:/dev/null|&[12]))*";
    format!(
        r"(?:(?:(?:builtin\s+)?command\s+-\w+|type(?:\s+-\w+)?|hash|which)\s+{PROGRAM}{quiet}
            |\[\[?\s+-[efx]\s+{PROGRAM}\s+\]\]?
            |test\s+-[efx]\s+{PROGRAM}
            |\(\(\s*\$\+commands\[aside\]\s*\)\)
            |status\s+(?:is-interactive|--is-interactive)
            |\[\[\s+\$-\s+==?\s+\*i\*\s+\]\])"
    )
}

/// Blanks in the patterns are for readability; a file need not be UTF-8.
fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?x-u){pattern}")).expect("a pattern of ours")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(content: &str) -> String {
        String::from_utf8(without_aside(content.as_bytes()).rest).unwrap()
    }

    fn numbers(lines: &[RcLine]) -> Vec<usize> {
        lines.iter().map(|line| line.number).collect()
    }

    #[test]
    fn a_line_that_only_starts_aside_goes() {
        for line in [
            r#"eval "$(aside init zsh)""#,
            r#"  eval "$(aside init bash)"  # natural language"#,
            r#"eval "$(aside init zsh)" || true"#,
            "eval $(aside init bash);",
            r#"eval "`aside init bash`""#,
            r#"eval "$(/usr/local/bin/aside init zsh)""#,
            r#"eval "$(~/.cargo/bin/aside init zsh)""#,
            r#"eval "$("$HOME/.cargo/bin/aside" init zsh)""#,
            r#"eval "$(command aside init zsh --no-keys 2>/dev/null)""#,
            r#"command -v aside >/dev/null && eval "$(aside init zsh)""#,
            r#"command -v aside >/dev/null 2>&1 && eval "$(aside init bash)""#,
            r#"(( $+commands[aside] )) && eval "$(aside init zsh)""#,
            r#"[[ -x ~/.local/bin/aside ]] && eval "$(~/.local/bin/aside init zsh)""#,
            r#"[[ $- == *i* ]] && command -v aside &>/dev/null && eval "$(aside init bash)""#,
            r#"if command -v aside >/dev/null; then eval "$(aside init bash)"; fi"#,
            "source <(aside init zsh)",
            ". <(aside init bash)",
            "aside init fish | source",
            "    command -q aside; and aside init fish | source",
            "type -q aside && aside init fish | source -",
            "if type -q aside; aside init fish | source; end",
            "status is-interactive; and aside init fish | source",
            "source (aside init fish | psub)",
        ] {
            for end in ["", "\n", "\r\n"] {
                let cut = without_aside(format!("{line}{end}").as_bytes());
                assert_eq!((cut.rest.as_slice(), numbers(&cut.removed)), (&b""[..], vec![1]), "{line}{end:?}");
            }
        }
    }

    #[test]
    fn a_line_that_does_more_is_shown_and_stays() {
        for line in [
            r#"eval "$(starship init zsh)"; eval "$(aside init zsh)""#,
            r#"eval "$(aside init zsh)" && echo ready"#,
            "aside init zsh > ~/.cache/aside.zsh",
            "_evalcache aside init zsh",
            r#"alias a='eval "$(aside init zsh)"'"#,
            r#"[ "$TERM" = dumb ] || eval "$(aside init zsh)""#,
        ] {
            let cut = without_aside(line.as_bytes());
            assert_eq!((cut.rest.as_slice(), numbers(&cut.unsure)), (line.as_bytes(), vec![1]), "{line}");
        }
    }

    #[test]
    fn other_lines_are_nobodys_business() {
        for line in [
            r#"# eval "$(aside init zsh)""#,
            "alias aside=true",
            r#"eval "$(inside init zsh)""#,
            r#"eval "$(my-aside init zsh)""#,
            "setopt aside",
        ] {
            let cut = without_aside(line.as_bytes());
            assert_eq!(cut, StrippedRc { rest: line.into(), removed: vec![], unsure: vec![] }, "{line}");
        }
    }

    #[test]
    fn other_ways_to_load_it_are_found() {
        for line in [
            "source ~/.zsh/aside.zsh",
            ". \"$HOME/dotfiles/aside.bash\"",
            "[[ -r ~/src/aside/aside.plugin.zsh ]] && source ~/src/aside/aside.plugin.zsh",
            "source $ZSH_CUSTOM/plugins/aside/aside.plugin.zsh # mine",
            "zinit light you/aside",
            "antigen bundle 'you/aside'",
            "zplug \"you/aside\", from:github",
            "plugins=(git aside fzf)",
        ] {
            let found = loading(format!("alias l=ls\n{line}\n").as_bytes());
            assert_eq!(numbers(&found), [2], "{line}");
        }
        for line in [
            "# source ~/.zsh/aside.zsh",
            "source ~/.zsh/asides.zsh",
            "source ~/.zsh/mine.zsh # not aside",
            "alias aside=~/bin/aside",
            "plugins=(git besides)",
            r#"eval "$(aside init zsh)""#,
        ] {
            assert_eq!(loading(line.as_bytes()), [], "{line}");
        }
    }

    #[test]
    fn every_other_byte_stays() {
        let line = r#"eval "$(aside init zsh)""#;
        assert_eq!(rest(&format!("a\n{line}\nb\n")), "a\nb\n");
        assert_eq!(rest(&format!("a\n{line}\n\nb\n  {line}\nc")), "a\n\nb\nc");
        assert_eq!(rest(&format!("a\n\n{line}")), "a\n\n");
        assert_eq!(rest(&format!("a\r\n{line}\r\n\r\nb\r\n")), "a\r\n\r\nb\r\n");
        assert_eq!(rest(line), "");
        let cut = without_aside(&[b"\xff\0\n", line.as_bytes(), b"\n\xfe"].concat());
        assert_eq!(cut.rest, b"\xff\0\n\xfe");
        assert_eq!(cut.removed, [RcLine { number: 2, text: line.to_owned() }]);
    }

    #[test]
    fn a_block_that_exists_only_for_aside_goes_with_it() {
        assert_eq!(rest("a\nif command -v aside >/dev/null; then\n  eval \"$(aside init bash)\"\nfi\nb\n"), "a\nb\n");
        assert_eq!(rest("if type -q aside\n  aside init fish | source\nend\n"), "");
    }

    #[test]
    fn a_line_that_its_neighbours_need_is_shown_and_stays() {
        for content in [
            "if [ -n \"$PS1\" ]; then\n  # Aside\n  eval \"$(aside init bash)\"\n\nfi\n",
            "f() {\n  eval \"$(aside init bash)\"\n}\n",
            "case $- in *i*)\n  eval \"$(aside init bash)\"\nesac\n",
            "command -v aside >/dev/null &&\n  eval \"$(aside init zsh)\"\n",
            "[ -t 0 ] && \\\n  eval \"$(aside init zsh)\"\n",
        ] {
            let cut = without_aside(content.as_bytes());
            assert_eq!(
                (cut.rest.as_slice(), cut.removed, cut.unsure.len()),
                (content.as_bytes(), vec![], 1),
                "{content}"
            );
        }
        let full = "if [ -n \"$PS1\" ]; then\n  eval \"$(aside init bash)\"\n  alias l=ls\nfi\n";
        assert_eq!(rest(full), "if [ -n \"$PS1\" ]; then\n  alias l=ls\nfi\n");
        let template = "if status is-interactive\n    # Commands\n    aside init fish | source\nend\n";
        assert_eq!(rest(template), "if status is-interactive\n    # Commands\nend\n");
    }
}
