//! Explains shell syntax that is no command, as far as bash and zsh agree; fish has its own words for most.

use shell_line::Dialect;

use crate::agent::wording::{code, sentence, unquoted};

const SIGNS: &[(&str, &str)] = &[
    ("&&", "runs the next command only if the one before succeeded"),
    ("||", "runs the next command only if the one before failed"),
    ("|", "gives what the command before prints to the one after"),
    ("|&", "gives what the command before prints, errors too, to the one after"),
    (";", "runs the next command when the one before has ended, however it ended"),
    ("&", "runs the command before it in the background"),
    (">", "writes what a command prints into a file, in place of what was there"),
    (">>", "writes what a command prints to the end of a file"),
    (">|", "writes into a file even where `noclobber` forbids that"),
    ("<", "lets a command read a file as its input"),
    ("<<", "lets a command read the lines that follow, up to a word of your choice"),
    ("<<<", "lets a command read the text after it as its input"),
    ("2>", "writes the errors of a command into a file"),
    ("2>&1", "sends errors where the output goes"),
    (">&2", "sends the output where errors go"),
    ("1>&2", "sends the output where errors go"),
    ("&>", "writes output and errors into a file"),
    ("2>/dev/null", "throws errors away"),
    (">/dev/null", "throws the output away"),
    ("> /dev/null", "throws the output away"),
    ("&>/dev/null", "throws output and errors away"),
    (">/dev/null 2>&1", "throws output and errors away"),
    ("/dev/null", "swallows whatever is written to it, and is empty when read"),
    ("$?", "how the last command ended: 0 when it succeeded"),
    ("$$", "the number of this shell as a process"),
    ("$!", "the number of the last process in the background"),
    ("$@", "all arguments, each as a word of its own inside double quotes"),
    ("$*", "all arguments, as one word inside double quotes"),
    ("$#", "how many arguments there are"),
    ("$0", "the name of the script or the shell"),
    ("$1", "the first argument"),
    ("$_", "the last argument of the command before"),
    ("$()", "stands for what a command prints"),
    ("$(...)", "stands for what a command prints"),
    ("!!", "the line before, once more"),
    ("!$", "the last word of the line before"),
    ("~", "your home directory"),
    (".", "this directory; as a command, it runs a file in this shell"),
    ("..", "the directory above this one"),
    ("*", "any characters in the name of a file"),
    ("**", "any directories below, where the shell is set to that"),
    ("#!", "at the beginning of a file: the program that is to run it"),
    ("#!/bin/sh", "at the beginning of a file: `sh` is to run it"),
    ("#!/bin/bash", "at the beginning of a file: `bash` is to run it"),
];

/// One sentence about a symbol, as Markdown.
pub fn explain(text: &str, dialect: Dialect) -> Option<String> {
    let sign = unquoted(text);
    let (_, about) = SIGNS.iter().find(|(known, _)| *known == sign).filter(|_| dialect != Dialect::Fish)?;
    Some(format!("{}: {}", code(sign), sentence(about)))
}
