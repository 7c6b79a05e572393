//! Secrets in command lines: parses the line as shell syntax and asks `program` about each program in it, including its
//! standard input, also for a quoted command line.

use std::ops::Range;

use shell_line::{self as line, Command, Dialect, Join, Redirect, Word};

use crate::program::{Program, inside, programs};
use crate::scan::next_line;
use crate::secret_name;

/// Nesting of command lines: `ssh host "bash -c '…'"`.
const MAX_DEPTH: usize = 3;

/// Words of one program that are read, and programs in one command; a longer line was not typed.
const MAX_WORDS: usize = 256;
const MAX_PROGRAMS: usize = 8;

/// Lines of a here-document.
const MAX_HERE: usize = 20;

/// The secrets in one command line, which is a part of `text`.
pub fn secrets(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    read(text, range, 0, &mut found);
    found
}

fn read(text: &str, range: Range<usize>, depth: usize, found: &mut Vec<Range<usize>>) {
    let Some(source) = text.get(range.clone()) else { return };
    let line = line::parse(source, Dialect::Bash);
    let shift = |span: &Range<usize>| range.start + span.start..range.start + span.end;
    for (number, command) in line.commands.iter().enumerate() {
        let earlier = line.commands.get(..number).unwrap_or_default();
        // `-t; -S host` on Windows: the semicolon belongs to the flag, and the command continues.
        if let Some(before) =
            earlier.last().filter(|_| command.words.first().is_some_and(|word| word.value.starts_with('-')))
        {
            for program in before.words.iter().take(2).flat_map(|word| programs().of(&word.value)) {
                program.arguments(source, &command.words, &mut |span| found.push(shift(&span)));
            }
        }
        let mut count = 0;
        for (at, word) in command.words.iter().enumerate() {
            let arguments = command.words.get(at + 1..command.words.len().min(at + MAX_WORDS)).unwrap_or_default();
            let mut known = false;
            for program in programs().of(&word.value).filter(|_| count < MAX_PROGRAMS) {
                known = true;
                let mut tell = |span: Range<usize>| found.push(shift(&span));
                program.arguments(source, arguments, &mut tell);
                for input in inputs(source, program, command, earlier, arguments) {
                    program.input(source, input, &mut tell);
                }
                if depth == 0 && program.listens(arguments) {
                    found.extend(here_document(text, program, command, range.end));
                }
            }
            count += usize::from(known);
            if depth < MAX_DEPTH && word.value.contains(' ') {
                let inner = inside(source, &quoted_part(source, &word.span));
                if inner.len() < word.span.len() {
                    read(text, shift(&inner), depth + 1, found);
                }
            }
        }
    }
}

/// The quoted part of `--command="…"`, or the whole word.
fn quoted_part(source: &str, span: &Range<usize>) -> Range<usize> {
    let raw = source.get(span.clone()).unwrap_or_default();
    let flag = raw
        .find(['"', '\''])
        .filter(|at| raw.get(..*at).is_some_and(|flag| flag.starts_with('-') && flag.ends_with('=')));
    span.start + flag.unwrap_or(0)..span.end
}

/// Secrets that are piped or here-strung into a program that reads them.
fn inputs(
    source: &str,
    program: &Program,
    command: &Command,
    earlier: &[Command],
    arguments: &[Word],
) -> Vec<Range<usize>> {
    let named = program.named_input && arguments.iter().any(|word| secret_name::class(&word.value).is_some());
    if !named && !program.listens(arguments) {
        return Vec::new();
    }
    let mut inputs: Vec<Range<usize>> = here_strings(command).map(|word| inside(source, &word.span)).collect();
    if command.join == Join::Pipe && !named {
        // `(echo a; echo b) | program`: each of them.
        for (place, before) in earlier.iter().enumerate().rev() {
            let Some(word) = said(before) else { break };
            inputs.push(inside(source, &word.span));
            let grouped =
                earlier.get(place).is_some_and(|before| before.join == Join::Next || before.join == Join::And);
            if !grouped {
                break;
            }
        }
    }
    inputs
}

fn here_strings(command: &Command) -> impl Iterator<Item = &Word> {
    command
        .redirections
        .iter()
        .filter(|redirection| redirection.kind == Redirect::HereString)
        .filter_map(|here| here.target.as_ref())
}

/// The last argument of `echo` and `printf`.
fn said(command: &Command) -> Option<&Word> {
    let name =
        command.words.iter().position(|word| ["echo", "printf", "print", "yes"].contains(&word.value.as_str()))?;
    let last = command.words.last()?;
    (command.words.len() > name + 1).then_some(last)
}

/// The lines of a here-document behind the command line, which ends at `end`.
fn here_document(text: &str, program: &Program, command: &Command, end: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let here = command.redirections.iter().find(|redirection| redirection.kind == Redirect::HereDocument);
    let Some(delimiter) = here.and_then(|here| here.target.as_ref()) else { return found };
    let mut at = end;
    for _ in 0..MAX_HERE {
        let Some(line) = next_line(text, at) else { break };
        at = line.end;
        let content = text.get(line.clone()).unwrap_or_default();
        if content.trim() == delimiter.value {
            break;
        }
        if !content.trim().is_empty() {
            program.input(text, line, &mut |span| found.push(span));
        }
    }
    found
}
