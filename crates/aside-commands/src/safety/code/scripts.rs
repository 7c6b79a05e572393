//! Analyses programs of `awk` and `sed`, and commands for editors and debuggers in the line: what they run and what they write.

use crate::safety::Harm;
use crate::safety::code::lex::{Grammar, Token, tokens};
use crate::safety::code::{MAX_ARGUMENTS, Reading, read_code, script};
use crate::safety::known_output;
use crate::safety::nested_commands::{NestedCommand, is_flag, plain_name};
use crate::safety::wrappers;

pub fn read(run: &NestedCommand, reading: &mut Reading) {
    match run.name() {
        "awk" | "mawk" | "nawk" | "goawk" => {
            programs(run, &["-e", "--source"], &["-F", "-v", "-f", "-i", "-l", "--file"], &["-f", "--file", "-E"])
                .iter()
                .for_each(|program| awk(program, reading));
        }
        "sed" => {
            let files = ["-f", "--file", "-l"];
            programs(run, &["-e", "--expression"], &files, &["-f", "--file"]).iter().for_each(|one| sed(one, reading));
        }
        "vim" | "vi" | "nvim" | "gvim" | "mvim" | "ex" | "view" | "vimdiff" | "less" | "more" | "most" => {
            editor(run, reading);
        }
        "ed" | "red" => run.fed.iter().flat_map(|text| text.lines()).for_each(|line| editor_command(line, reading)),
        "gdb" | "lldb" => debugger(run, reading),
        "make" | "gmake" => {
            let makefile = |word: &str| {
                let script = word.strip_prefix("<(")?.strip_suffix(')')?;
                Some(wrappers::recipes(&known_output::substituted(script, run.dialect)?))
            };
            reading.shells.extend(run.arguments().iter().filter_map(|word| makefile(&word.value)));
        }
        _ => {}
    }
}

/// The programs in the words: the values of `flags`, or else the first word. Empty where they are in a file.
fn programs<'r>(run: &'r NestedCommand, flags: &[&str], values: &[&str], files: &[&str]) -> Vec<&'r str> {
    let mut found = Vec::new();
    let mut operand = None;
    let mut from_file = false;
    let mut words = run.arguments().iter().map(|word| word.value.as_str());
    while let Some(word) = words.next() {
        let long = word.split_once('=').filter(|_| word.starts_with("--"));
        if flags.contains(&word) {
            found.extend(words.next());
        } else if let Some((_, value)) = long.filter(|(flag, _)| flags.contains(flag)) {
            found.push(value);
        } else if values.contains(&word) {
            from_file |= files.contains(&word);
            words.next();
        } else if is_flag(word) && !word.starts_with("--") && word.ends_with('e') && flags.contains(&"-e") {
            // `sed -ne p`
            found.extend(words.next());
        } else if !is_flag(word) && operand.is_none() {
            operand = Some(word);
        }
    }
    if found.is_empty() && !from_file {
        found.extend(operand);
    }
    found
}

fn awk(program: &str, reading: &mut Reading) {
    let grammar = Grammar { comment: "#", patterns: true, ..Grammar::default() };
    let tokens = tokens(program, grammar);
    let mut printing = false;
    let mut deep = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        match token {
            Token::Name(name) if name == "print" || name == "printf" => {
                printing = true;
                deep = 0;
            }
            Token::Name(name) if name == "system" && next == Some(&Token::Mark('(')) => {
                reading.shells.push(script(&[inside(&tokens, at + 2)]));
            }
            Token::Name(name) if name == "getline" && before == Some(&Token::Mark('|')) => {
                let command = at.checked_sub(2).and_then(|at| tokens.get(at));
                if let Some(Token::Text(text)) = command {
                    reading.shells.push(text.clone());
                }
            }
            Token::Mark('(' | '[') => deep += 1,
            Token::Mark(')' | ']') => deep = deep.saturating_sub(1),
            Token::Mark(';' | '}') | Token::End => printing = false,
            Token::Mark('|') if printing && deep == 0 => match next {
                // Its output is the script.
                Some(Token::Text(text)) if reads_script(text) => reading.harms.push(Harm::Opaque),
                Some(Token::Text(text)) => reading.shells.push(text.clone()),
                Some(_) => reading.harms.push(Harm::Opaque),
                None => {}
            },
            // `>>` appends.
            Token::Mark('>') if printing && deep == 0 && ![before, next].contains(&Some(&Token::Mark('>'))) => {
                reading.files.extend(awk_file(tokens.get(at + 1..).unwrap_or_default()));
            }
            _ => {}
        }
    }
}

/// A shell that gets no script in its words: `sh`, `/bin/bash -s`.
fn reads_script(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.next().is_some_and(|name| wrappers::is_shell(plain_name(name)))
        && words.all(|word| is_flag(word) && word != "-c")
}

/// The tokens up to the next closing bracket.
fn inside(tokens: &[Token], from: usize) -> Vec<&Token> {
    tokens.iter().skip(from).take(MAX_ARGUMENTS).take_while(|one| **one != Token::Mark(')')).collect()
}

/// The file of `print > "x"`; in a concatenation `*` stands for unknown parts.
fn awk_file(tokens: &[Token]) -> Option<String> {
    let ends = |token: &&Token| !matches!(token, Token::Mark(';' | '}') | Token::End);
    let mut name = String::new();
    for token in tokens.iter().take(MAX_ARGUMENTS).take_while(ends) {
        match token {
            Token::Text(text) => name.push_str(text),
            Token::Mark('(' | ')') => {}
            _ if name.ends_with('*') => {}
            _ => name.push('*'),
        }
    }
    (!name.is_empty()).then_some(name)
}

fn sed(program: &str, reading: &mut Reading) {
    let mut rest = program;
    // Each iteration reads one command.
    while let Some(from) = rest.find(|letter: char| !letter.is_whitespace() && !matches!(letter, ';' | '{' | '}' | '!'))
    {
        rest = rest.get(from..).unwrap_or_default();
        let Some(letter) = rest.chars().next() else { return };
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        // Evaluated only for commands that take the rest of the line.
        let line = || behind.split('\n').next().unwrap_or_default();
        match letter {
            // Addresses.
            '0'..='9' | ',' | '$' | '~' | '+' | 'I' | 'M' => rest = behind,
            '/' => rest = past(behind, '/'),
            '\\' => {
                let mark = behind.chars().next().unwrap_or('/');
                rest = past(behind.get(mark.len_utf8()..).unwrap_or_default(), mark);
            }
            's' | 'y' => {
                let mark = behind.chars().next().unwrap_or('/');
                let second = past(behind.get(mark.len_utf8()..).unwrap_or_default(), mark);
                rest = past(second, mark);
                let flags = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let flags = rest.get(..flags).unwrap_or_default();
                if letter == 's' && flags.contains('w') {
                    let file = rest.split('\n').next().unwrap_or_default();
                    reading.files.extend(file.split_once('w').map(|(_, file)| file.trim().to_owned()));
                    rest = rest.get(file.len()..).unwrap_or_default();
                } else {
                    if letter == 's' && flags.contains('e') {
                        reading.harms.push(Harm::Opaque);
                    }
                    rest = rest.get(flags.len()..).unwrap_or_default();
                }
            }
            'w' | 'W' => {
                reading.files.push(line().trim().trim_end_matches('}').trim().to_owned());
                rest = behind.get(line().len()..).unwrap_or_default();
            }
            'e' => {
                match line().trim().trim_end_matches('}').trim() {
                    "" => reading.harms.push(Harm::Opaque),
                    command => reading.shells.push(command.to_owned()),
                }
                rest = behind.get(line().len()..).unwrap_or_default();
            }
            // Texts, and names of files that are read.
            'a' | 'i' | 'c' | 'r' | 'R' => rest = behind.get(line().len()..).unwrap_or_default(),
            // Labels.
            'b' | 't' | 'T' | ':' => {
                let label = behind.find([';', '}', '\n']).unwrap_or(behind.len());
                rest = behind.get(label..).unwrap_or_default();
            }
            _ => rest = behind,
        }
    }
}

/// The text after the next delimiter that is not escaped.
fn past(text: &str, mark: char) -> &str {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == mark {
            return text.get(at + letter.len_utf8()..).unwrap_or_default();
        }
    }
    ""
}

fn editor(run: &NestedCommand, reading: &mut Reading) {
    let mut words = run.arguments().iter().map(|word| word.value.as_str());
    while let Some(word) = words.next() {
        let cluster = word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
        if cluster || word == "--cmd" {
            words.next().into_iter().for_each(|command| editor_command(command, reading));
        } else if let Some(command) = word.strip_prefix('+') {
            editor_command(command, reading);
        }
    }
    run.fed.iter().flat_map(|text| text.lines()).for_each(|line| editor_command(line, reading));
}

/// One command line of `vim`, `ex` or `ed`.
fn editor_command(command: &str, reading: &mut Reading) {
    let command = command.trim().trim_start_matches(':');
    let command = unprefixed(command);
    let word = command.find([' ', '!']).map(|at| command.split_at(at));
    if let Some((name, rest)) = word
        && let Some(language) = language_of(name)
    {
        return read_code(rest.trim().trim_start_matches("<<"), language, 0, reading);
    }
    if let Some(("term" | "terminal" | "te" | "AsyncRun" | "Dispatch" | "Start", rest)) = word {
        return reading.shells.push(rest.trim_start_matches('!').to_owned());
    }
    // `!cmd`, `%!cmd`, `r !cmd`
    let before = command.find('!').map(|at| command.split_at(at));
    if let Some((range, shell)) = before
        && matches!(range.trim(), "" | "%" | "r" | "." | ".." | "1,$" | "read" | "w" | "0r" | "$r")
        && shell.len() > 1
    {
        reading.shells.push(shell.trim_start_matches('!').to_owned());
        return;
    }
    let tokens = tokens(command, Grammar::default());
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        match name.as_str() {
            "system" | "systemlist" | "termopen" if tokens.get(at + 1) == Some(&Token::Mark('(')) => {
                reading.shells.push(script(&[inside(&tokens, at + 2)]));
            }
            "delete" if tokens.get(at + 1) == Some(&Token::Mark('(')) => reading.harms.push(Harm::DeletesFiles),
            "writefile" => reading.harms.push(Harm::Overwrites),
            _ => {}
        }
    }
    let writes = command.split('|').map(|part| part.trim().trim_end_matches('!')).any(|part| {
        matches!(part, "w" | "wq" | "x" | "wa" | "wqa" | "xa" | "up" | "update" | "write" | "W" | "wqall" | "wall")
    });
    if writes {
        reading.harms.push(Harm::EditsInPlace);
    }
}

/// The command after those that run it on every buffer, silently, or from a string.
fn unprefixed(command: &str) -> &str {
    const PREFIXES: [&str; 16] = [
        "silent!",
        "silent",
        "sil!",
        "sil",
        "bufdo",
        "argdo",
        "windo",
        "tabdo",
        "cdo",
        "cfdo",
        "ldo",
        "lfdo",
        "execute",
        "exe",
        "verbose",
        "noautocmd",
    ];
    let mut command = command.trim();
    // Each iteration takes one prefix away.
    loop {
        let behind = PREFIXES.iter().find_map(|prefix| command.strip_prefix(prefix));
        let behind = behind.filter(|rest| rest.starts_with([' ', '!', '"', '\'']));
        let Some(rest) = behind else { return command };
        command = rest.trim().trim_matches(['"', '\'']).trim_start_matches(':');
    }
}

/// The language of a command that runs the rest of its line.
fn language_of(command: &str) -> Option<&'static str> {
    match command {
        "lua" | "luado" => Some("lua"),
        "python" | "python3" | "py" | "py3" | "pyx" | "pythonx" | "pydo" | "py3do" | "pi" | "script" => Some("python"),
        "perl" | "perldo" => Some("perl"),
        "ruby" | "rubydo" => Some("ruby"),
        "tcl" | "tcldo" => Some("tcl"),
        _ => None,
    }
}

fn debugger(run: &NestedCommand, reading: &mut Reading) {
    let mut words = run.arguments().iter().map(|word| word.value.as_str());
    while let Some(word) = words.next() {
        const FLAGS: [&str; 6] = ["-ex", "--ex", "-eval-command", "--eval-command", "-o", "--one-line"];
        let glued = word.split_once('=').filter(|(flag, _)| FLAGS.contains(flag)).map(|(_, command)| command);
        if glued.is_none() && !FLAGS.contains(&word) {
            continue;
        }
        let Some(command) = glued.or_else(|| words.next()) else { return };
        if let Some((name, code)) = command.split_once(' ')
            && let Some(language) = language_of(name)
        {
            read_code(code, language, 0, reading);
        }
        let shells = ["shell ", "!", "platform shell ", "pipe ", "make "];
        reading.shells.extend(shells.iter().find_map(|begin| command.strip_prefix(begin)).map(str::to_owned));
        if command.starts_with("call ") || command.starts_with("print ") || command == "kill" {
            let harm = command.contains("unlink(") || command.contains("remove(") || command.contains("system(");
            reading.harms.extend(harm.then_some(Harm::DeletesFiles));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::safety;
    use shell_line::Dialect;

    fn said(line: &str) -> String {
        safety::dangers(line, Dialect::Bash).iter().map(|danger| danger.harm.name()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn programs_of_awk_and_sed() {
        let cases = [
            ("awk 'BEGIN{system(\"rm x\")}'", "files"),
            ("awk '{print $1}' f", ""),
            ("awk '{print $1 | \"sh -c rm\"}' f", "files"),
            ("awk '{print | \"sort\"}' f", ""),
            ("awk '{print > \"out\"}' f", "overwrites"),
            ("awk '{print > ($1 \".csv\")}' f", "overwrites"),
            ("awk '{print >> \"out\"}' f", ""),
            ("awk '{print > \"/dev/stderr\"}' f", ""),
            ("awk '$1 > 3 {print $2}' f", ""),
            ("awk '{ if ($1 > 3) print $2 }' f", ""),
            ("awk '{print ($1 > 3)}' f", ""),
            ("awk 'BEGIN{while((\"ls\" | getline x) > 0) print x}'", ""),
            ("awk 'BEGIN{\"rm x\" | getline}'", "files"),
            ("awk -F: '/system\\(\"rm\"\\)/{print}' f", ""),
            ("awk 'BEGIN{print \"rm -rf cache/\"}'", ""),
            ("awk -f prog.awk system", ""),
            ("sed 's/a/b/' f", ""),
            ("sed -n '/^DELETE/p' f", ""),
            ("sed -n '1,5p;10q' f", ""),
            ("sed 's/.*/rm &/e' f", "opaque"),
            ("sed '1e rm x' f", "files"),
            ("sed -n 's/a/b/w out' f", "overwrites"),
            ("sed '/a/w out' f", "overwrites"),
            ("sed '/a/w /dev/stdout' f", ""),
            ("sed 's/e w/ w e/g; y/abc/ewx/' f", ""),
            ("sed 'a\\ e rm x' f", ""),
            ("sed -e 's|a|b|' -e '$d' f", ""),
            ("sed ':a;N;$!ba;s/\\n/ /g' f", ""),
            ("sed 's", ""),
            ("vim -es -c '%d' -c 'wq' f", "edits"),
            ("vim -c '!rm x' -c q", "files"),
            ("vim +10 f", ""),
            ("vim -c 'set nu' f", ""),
            ("nvim --headless +PlugInstall +qa", ""),
            ("vim -c ':call delete(\"x\")' -c q", "files"),
            ("nvim --headless -c 'call system(\"rm x\")' +q", "files"),
            ("ex -sc '%s/a/b/|x' f", "edits"),
            ("printf ',d\\nw\\nq\\n' | ed -s f", "edits"),
            ("ed -s f <<< $'1p\\nq'", ""),
            ("gdb -batch -ex 'shell rm x'", "files"),
            ("gdb -batch -ex 'info registers' a", ""),
            ("gdb -ex 'python import os; os.system(\"rm x\")'", "files"),
            ("gdb --batch --ex='shell rm x'", "files"),
            ("awk '{print \"rm\", $0 | \"/bin/sh\"}' f", "opaque"),
            ("awk '{print | \"bash -s\"}' f", "opaque"),
            ("lldb -o 'script import os; os.remove(\"x\")'", "files"),
            ("vim -c 'lua os.remove(\"x\")'", "files"),
            ("nvim -c 'py3 import os; os.system(\"rm x\")'", "files"),
            ("nvim -c 'terminal rm x'", "files"),
            ("vim -c 'bufdo !rm %'", "files"),
            ("vim -c 'exe \"!rm x\"'", "files"),
            ("vim -c 'silent execute \"!rm x\"'", "files"),
            ("vim -c 'lua print(1)'", ""),
            ("vim -c 'terminal htop'", ""),
            ("vim -c 'silent! colorscheme rm'", ""),
            ("less '+!rm x' f", "files"),
            ("less +G f", ""),
            ("less +/rm f", ""),
            ("more +10 f", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(said(line), expected, "{line}");
        }
    }
}
