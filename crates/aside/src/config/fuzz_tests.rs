//! The settings file: whatever is in it, problems have a place, and an edit changes the one key and nothing else.

use std::path::Path;

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};

use super::check::Source;
use super::edit;
use super::schema::{Value, schema};

const WORDS: &[&str] = &[
    "[complete]\n",
    "[llm]\n",
    "[task]\n",
    "[history]\n",
    "ghost = true\n",
    "provider = \"openai\"\n",
    "ignore = [\"^ls\", \"(\"]\n",
    "llm.model = \"x\"\n",
    "llm = { provider = \"local\" }\n",
    "enabled = false # why\n",
    "= 1\n",
    "\"\"\"\n",
    "'''",
    "[[llm]]\n",
    "\r\n",
    "0x10",
    "1e400",
    "1979-05-27",
    "{}",
    "\u{feff}",
];

#[test]
fn fuzz_config() {
    let seeds = [
        edit::template(),
        "[llm]\nprovider = \"openai\" # mine\nmodel = 'x'\n\n[history]\nignore = [\n  \"^ls\", # short\n]\n".to_owned(),
        "llm = { provider = \"local\", model = \"x\" }\ncomplete.ghost = true\r\n".to_owned(),
    ];
    let seeds = seeds.map(String::into_bytes).to_vec();
    fuzz(Target { name: "config", seeds, words: WORDS, longest: 16 * 1024, check });
}

fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let source = Source { file: Path::new("config.toml"), text: &text };
    let (values, problems) = source.check();
    let lines = text.split('\n').count();
    for problem in &problems {
        assert!((1..=lines).contains(&problem.line) && problem.column > 0, "{problem:?} of {lines} lines");
    }
    let mut random = Random::of(input);
    let Some(setting) = schema().get(random.below(schema().len())) else { return };
    let quoted = Value::Text("x \"y\" \\".to_owned());
    let samples = [Value::Bool(true), Value::Integer(7), quoted, Value::List(vec!["a".to_owned()])];
    let Some(value) = samples.into_iter().find(|value| setting.accept(value).is_ok()) else { return };
    let Ok(changed) = edit::set(&source, setting, &value) else { return };
    let changed = Source { file: source.file, text: &changed };
    let mut expected = values.clone();
    expected.insert(&setting.key, value);
    assert_eq!(changed.check().0, expected, "after {} was set", setting.key);
    // A key of an inline table may stand where it cannot be removed alone; then nothing changes.
    if let Ok(removed) = edit::unset(&changed, setting) {
        expected.remove(setting.key.as_str());
        assert_eq!(Source { file: source.file, text: &removed }.check().0, expected, "after {} was unset", setting.key);
    }
}
