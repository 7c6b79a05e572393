//! What a CI file does, in words: when it runs, its jobs, and their commands in order. Understands GitHub's workflows by the indentation of
//! their lines; reads no file itself.

use aside_core::agent::language::Language;

use crate::run::{code, short};

/// Steps of a job that are listed, and characters of one.
const MAX_STEPS: usize = 20;
const MAX_STEP: usize = 120;

struct Job {
    name: String,
    runs_on: String,
    steps: Vec<String>,
}

/// Whether a path is a workflow that `described` reads.
pub fn is_workflow(path: &str) -> bool {
    path.starts_with(".github/workflows/") && (path.ends_with(".yml") || path.ends_with(".yaml"))
}

/// The workflow in words; `None` where it has no jobs.
pub fn described(path: &str, text: &str, language: Language) -> Option<String> {
    let (mut events, mut jobs): (Vec<String>, Vec<Job>) = (Vec::new(), Vec::new());
    let (mut top, mut event_depth, mut job_depth) = (String::new(), None, None);
    // The rows of a block scalar are commands, whatever they look like.
    let mut block: Option<usize> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if let Some(depth) = block {
            if indent > depth {
                if let Some(job) = jobs.last_mut().filter(|_| !trimmed.starts_with('#')) {
                    job.steps.push(code(&short(trimmed, MAX_STEP)));
                }
                continue;
            }
            block = None;
        }
        if trimmed.starts_with('#') {
            continue;
        }
        let row = trimmed.trim_start_matches("- ");
        let (key, value) =
            row.split_once(':').map_or((row, ""), |(key, value)| (key.trim_matches(['"', '\'']), value.trim()));
        if indent == 0 {
            key.clone_into(&mut top);
            if key == "on" {
                events.extend(listed(value));
            }
            continue;
        }
        match top.as_str() {
            "on" => {
                let depth = *event_depth.get_or_insert(indent);
                if indent == depth {
                    events.push(key.to_owned());
                }
            }
            "jobs" => {
                let depth = *job_depth.get_or_insert(indent);
                if indent == depth {
                    jobs.push(Job { name: key.to_owned(), runs_on: String::new(), steps: Vec::new() });
                    continue;
                }
                let Some(job) = jobs.last_mut() else { continue };
                match key {
                    "runs-on" => value.clone_into(&mut job.runs_on),
                    "run" if value.starts_with(['|', '>']) => block = Some(indent),
                    "run" => job.steps.push(code(&short(value, MAX_STEP))),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if jobs.is_empty() {
        return None;
    }
    let path = code(path);
    let mut told = match (events.is_empty(), language) {
        (true, Language::English) => format!("{path} runs:\n\n"),
        (false, Language::English) => format!("{path} runs on {}:\n\n", events.join(", ")),
        (true, Language::Chinese) => format!("{path} 运行：\n\n"),
        (false, Language::Chinese) => format!("{path} 在 {} 时运行：\n\n", events.join("、")),
    };
    for Job { name, runs_on, steps } in jobs {
        let on = if runs_on.is_empty() { String::new() } else { format!(" ({runs_on})") };
        let more = steps.len().saturating_sub(MAX_STEPS);
        let steps = steps.into_iter().take(MAX_STEPS).collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(", … +{more}") } else { String::new() };
        told.push_str(&format!("- {}{on}: {steps}{more}\n", code(&name)));
    }
    Some(told)
}

/// The events of one line: `[push, pull_request]` or `push`.
fn listed(value: &str) -> Vec<String> {
    value.trim_matches(['[', ']']).split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_told_with_their_commands() {
        let text = "name: CI\non:\n  push:\n    branches: [main]\n  pull_request:\njobs:\n  check:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - name: all\n        run: |\n          # first\n          npm test\n          npm run lint\n  docs:\n    steps:\n      - run: make docs\n";
        assert_eq!(
            described(".github/workflows/ci.yml", text, Language::English).unwrap(),
            "`.github/workflows/ci.yml` runs on push, pull_request:\n\n- `check` (ubuntu-latest): `npm ci`, `npm test`, `npm run lint`\n- `docs`: `make docs`\n"
        );
        let short = "on: [push]\njobs:\n  a:\n    steps:\n      - run: x\n";
        assert!(described("a.yml", short, Language::English).unwrap().contains("runs on push:"));
        assert_eq!(described("a.yml", "a: 1\n", Language::English), None);
    }
}
