//! `aside detect`: says whether a line is a command or prose, and why, for scripts and the curious. Needs no daemon: looks up this
//! machine's commands itself. `wrong` reports a wrong verdict.

mod wrong;

use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_core::detect::{DetectContext, FirstWord};
use aside_proto::prose::{DetectParams, DetectPhase, DetectResult};
use clap::Subcommand;
use serde::Serialize;

use crate::cli::{Exit, current_dir, one_line, own_shell, print};
use crate::config::{self, Config};
use crate::daemon::routing_overrides::classify;
use crate::daemon::user_specs::UserSpecs;
use crate::paths::Paths;
use crate::store::marked_commands::MarkedCommands;
use crate::world::Environment;
use crate::world::one_shot::OneShot;

/// Bytes of an output that are read, from its end, where the error is.
const MAX_OUTPUT: usize = 256 * 1024;
/// Cap on the file that it is read from.
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Cap on a line of standard input, in bytes.
const MAX_LINE: usize = 1024 * 1024;

/// Say whether a line is a command or a sentence
///
/// Nothing is run, and no model is asked. The word that is printed first is the answer.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  aside detect before -- make sure the tests pass
  aside detect after --exit 2 --output-file err.txt --explain -- make sure the tests pass
  aside detect before --json - < lines.txt
  aside detect wrong")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What becomes of a line before it runs: shell, agent, or unsure (it runs, and its end tells)
    Before {
        #[command(flatten)]
        common: Common,
    },
    /// What becomes of a line that has run: agent or nothing
    After {
        /// The status that it ended with
        #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(0..))]
        exit: i32,
        /// A file with what it printed; - for standard input
        #[arg(long, value_name = "F")]
        output_file: Option<PathBuf>,
        /// The shell could not read it as a command
        #[arg(long)]
        unreadable: bool,
        #[command(flatten)]
        common: Common,
    },
    Wrong(wrong::Args),
}

#[derive(clap::Args)]
struct Common {
    /// Print JSON, one object for each line
    #[arg(long)]
    json: bool,
    /// Say why, too
    #[arg(long)]
    explain: bool,
    /// The shell that the line is for; yours when absent
    #[arg(long, value_name = "SHELL", value_parser = ["zsh", "bash", "fish"])]
    shell: Option<String>,
    /// What that shell finds for the first word: alias, function, builtin, reserved, program, directory or none
    #[arg(long, value_name = "KIND", hide = true, default_value = "")]
    first: String,
    /// The directory the line is typed in; this one when absent
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The line, in as many words as you like; - for the lines of standard input
    #[arg(required = true, trailing_var_arg = true)]
    line: Vec<String>,
}

#[derive(Serialize)]
struct Told<'a> {
    verdict: &'a str,
    reason: &'a str,
    line: &'a str,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    match args.command {
        Command::Before { common } => answer(DetectParams::default(), None, common),
        Command::After { exit, output_file, unreadable, common } => {
            let ended = DetectParams { phase: DetectPhase::After, exit, unreadable, ..DetectParams::default() };
            answer(ended, output_file.as_deref(), common)
        }
        Command::Wrong(args) => wrong::run(args),
    }
}

fn answer(mut asked: DetectParams, output_file: Option<&Path>, common: Common) -> anyhow::Result<Exit> {
    let Common { json, explain, shell, first, cwd, line } = common;
    let reads_lines = line == ["-"];
    if reads_lines && output_file == Some(Path::new("-")) {
        complain!("aside: standard input cannot be both the lines and what they printed; put one into a file");
        return Ok(Exit::Usage);
    }
    if let Some(file) = output_file {
        asked.output = output(file)?;
    }
    asked.cwd = match cwd {
        Some(cwd) => std::path::absolute(cwd)?.display().to_string(),
        None => current_dir()?,
    };
    asked.shell = shell.unwrap_or_else(own_shell);
    asked.first = first;
    let paths = Paths::from_env()?;
    let mut judge = Judge::new(&paths, asked);
    let shape = match (json, explain) {
        (true, _) => Shape::Json,
        (false, true) if reads_lines => Shape::Columns,
        (false, true) => Shape::Rows,
        (false, false) => Shape::Word,
    };
    if reads_lines {
        return each(&mut judge, shape);
    }
    let line = line.join(" ");
    let ruling = judge.rules(&line);
    print(&shape.write(&line, &ruling)?)?;
    Ok(Exit::Done)
}

/// What is the same for all lines, looked up once.
struct Judge {
    here: OneShot,
    marks: MarkedCommands,
    settings: config::Detect,
    asked: DetectParams,
}

impl Judge {
    fn new(paths: &Paths, asked: DetectParams) -> Self {
        let config = Config::load(&paths.config_file).unwrap_or_else(|_| {
            complain!("aside: the settings make no sense, so these are not in force; `aside doctor` says where");
            Config::default()
        });
        let specs = UserSpecs::read(paths.specs_dir()).current();
        let here = OneShot::new(&asked.cwd, &asked.shell, Environment::own(), specs);
        let marks = MarkedCommands::new(paths);
        marks.reload_if_changed();
        Self { here, marks, settings: config.detect, asked }
    }

    fn rules(&mut self, line: &str) -> DetectResult {
        line.clone_into(&mut self.asked.line);
        let place = self.here.place();
        let facts = DetectContext {
            cwd: place.cwd,
            dialect: place.dialect,
            first: FirstWord::of(&self.asked.first),
            world: place.world,
            names: place.names,
            specs: place.specs,
            agent_prefix: &self.settings.agent_prefix,
        };
        classify(&self.asked, &facts, &self.marks, &self.settings)
    }
}

#[derive(Clone, Copy)]
enum Shape {
    /// The verdict alone.
    Word,
    /// With the reason on a line of its own.
    Rows,
    /// With the reason behind a tab.
    Columns,
    Json,
}

impl Shape {
    fn write(self, line: &str, DetectResult { verdict, reason }: &DetectResult) -> anyhow::Result<String> {
        Ok(match self {
            Shape::Word => format!("{verdict}\n"),
            Shape::Rows => format!("{verdict}\n{}\n", one_line(reason)),
            Shape::Columns => format!("{verdict}\t{}\n", one_line(reason)),
            Shape::Json => crate::cli::json_line(&Told { verdict, reason, line })?,
        })
    }
}

/// One verdict for each line of standard input, in order.
fn each(judge: &mut Judge, shape: Shape) -> anyhow::Result<Exit> {
    let mut input = std::io::stdin().lock();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = input.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut bytes);
        if read.context("could not read standard input")? == 0 {
            break;
        }
        if bytes.len() == MAX_LINE && !bytes.ends_with(b"\n") {
            out.flush()?;
            complain!("aside: a line of standard input is longer than {} MiB", MAX_LINE >> 20);
            return Ok(Exit::Usage);
        }
        let line = String::from_utf8_lossy(bytes.strip_suffix(b"\n").unwrap_or(&bytes));
        let ruling = judge.rules(&line);
        out.write_all(shape.write(&line, &ruling)?.as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn output(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let name = || format!("could not read {}", file.display());
    if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_FILE).read_to_end(&mut bytes).with_context(name)?;
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes)).with_context(name)?;
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text[text.ceil_char_boundary(text.len().saturating_sub(MAX_OUTPUT))..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_the_first_word_however_it_is_written() {
        let ruling = DetectResult { verdict: "agent".to_owned(), reason: "“sure”\nis no target".to_owned() };
        let written = |shape: Shape| shape.write("make sure", &ruling).unwrap();
        assert_eq!(written(Shape::Word), "agent\n");
        assert_eq!(written(Shape::Rows), "agent\n“sure”\\nis no target\n");
        assert_eq!(written(Shape::Columns), "agent\t“sure”\\nis no target\n");
        let json: serde_json::Value = serde_json::from_str(&written(Shape::Json)).unwrap();
        let expected = serde_json::json!({ "verdict": "agent", "reason": "“sure”\nis no target", "line": "make sure" });
        assert_eq!(json, expected);
    }
}
