//! Answers requests with the merged model alone, for `make eval-reader` and for trying it: prints what the model says and checks nothing of it.
//!
//! ```text
//! answer MODEL [OPTION…] [--] WORDS…  the answers to a request, the best first, one a line
//! answer MODEL [OPTION…] < PROMPTS    a prompt in each line, a JSON string; prints a line for each: [[ANSWER, SCORE], …]
//! answer --merge BASE MODEL           makes the merged file of a base and the weights in data/reader
//!     --beams N       4 without it
//!     --min-score S   leaves out answers with a lower score
//!     --scores        the score and a tab before each answer
//!     --commands      prints nothing where the best answer is no command, and only the commands elsewhere
//!     --json          prints what `aside translate --json` prints; the confidence is the probability of the answer
//! ```
#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::error::Error;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_reader::merge;
use aside_reader::model::Model;
use aside_reader::search::{Answer, Reader, Search, Step};
use serde_json::{Value, json};

/// Tokens of an answer, as it was taught (scripts/teach-reader.py).
const TOKENS: usize = 72;
const THREADS: usize = 2;
const WEIGHTS: [&str; 3] = ["reader-1-of-3", "reader-2-of-3", "reader-3-of-3"];

struct Wanted {
    model: PathBuf,
    beams: usize,
    min_score: f32,
    commands: Commands,
    form: Form,
    words: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Commands {
    Only,
    AndOthers,
}

#[derive(Clone, Copy)]
enum Form {
    Plain,
    Scores,
    Json,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, base, model] = arguments.as_slice()
        && option == "--merge"
    {
        return merge_into(Path::new(base), Path::new(model));
    }
    let wanted = wanted(arguments)?;
    let mut reader = Reader::new(Arc::new(Model::open(&wanted.model)?), THREADS);
    if wanted.words.is_empty() {
        return answer_lines(&mut reader, &wanted);
    }
    let prompt = format!("# {}\n$", wanted.words.replace('\n', " ").trim());
    let answers = answers(&mut reader, &wanted, &prompt)?;
    match wanted.form {
        Form::Plain => answers.iter().for_each(|(text, _)| println!("{text}")),
        Form::Scores => answers.iter().for_each(|(text, score)| println!("{score:.3}\t{text}")),
        Form::Json => println!("{}", translation(&answers)),
    }
    Ok(())
}

fn wanted(arguments: Vec<String>) -> Result<Wanted, Box<dyn Error>> {
    let mut arguments = arguments.into_iter();
    let model = arguments.next().ok_or("answer MODEL [OPTION…] WORDS…")?.into();
    let (commands, form) = (Commands::AndOthers, Form::Plain);
    let mut wanted = Wanted { model, beams: 4, min_score: f32::NEG_INFINITY, commands, form, words: String::new() };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--beams" => wanted.beams = value()?.parse()?,
            "--min-score" => wanted.min_score = value()?.parse()?,
            "--scores" => wanted.form = Form::Scores,
            "--json" => wanted.form = Form::Json,
            "--commands" => wanted.commands = Commands::Only,
            // The rest is the request, whatever it looks like.
            "--" => {
                wanted.words = arguments.collect::<Vec<_>>().join(" ");
                break;
            }
            _ => {
                wanted.words = std::iter::once(argument).chain(arguments).collect::<Vec<_>>().join(" ");
                break;
            }
        }
    }
    Ok(wanted)
}

fn merge_into(base: &Path, model: &Path) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/reader");
    let mut weights = Vec::new();
    for name in WEIGHTS {
        weights.push(std::fs::read(folder.join(format!("{name}.safetensors")))?);
    }
    let weights: Vec<&[u8]> = weights.iter().map(Vec::as_slice).collect();
    merge::merge(&std::fs::read(base)?, &weights, model)?;
    Ok(())
}

/// The model is loaded once for all of them.
fn answer_lines(reader: &mut Reader, wanted: &Wanted) -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lock().lines() {
        let prompt: String = serde_json::from_str(&line?)?;
        // A prompt that is too long is not answered, and the others still are.
        let answers = answers(reader, wanted, &prompt).unwrap_or_default();
        println!("{}", json!(answers));
    }
    Ok(())
}

fn answers(
    reader: &mut Reader,
    wanted: &Wanted,
    prompt: &str,
) -> Result<Vec<(String, f32)>, aside_reader::error::Error> {
    let search = Search { beams: wanted.beams, answers: wanted.beams, tokens: TOKENS, deadline: None, cancel: None };
    let found = reader.search(prompt, &search, &mut |_: &Step| true)?;
    let with_score = |answer: Answer| (answer.text.trim().to_owned(), answer.score);
    let mut answers: Vec<(String, f32)> = found.answers.into_iter().map(with_score).collect();
    answers.retain(|(_, score)| *score >= wanted.min_score);
    if wanted.commands == Commands::Only {
        if answers.first().is_some_and(|(text, _)| !is_command(text)) {
            answers.clear();
        }
        answers.retain(|(text, _)| is_command(text));
    }
    Ok(answers)
}

/// Not "there is none", and not a verb (data/pairs/README.md).
fn is_command(text: &str) -> bool {
    !(text.is_empty() || text == "-" || text.starts_with('@'))
}

fn translation(answers: &[(String, f32)]) -> Value {
    let Some(((best, score), others)) = answers.split_first() else { return json!({}) };
    let others: Vec<Value> = others.iter().map(|(text, _)| json!({"command": text})).collect();
    json!({"command": best, "confidence": f64::from(*score).exp(), "alternatives": others})
}
