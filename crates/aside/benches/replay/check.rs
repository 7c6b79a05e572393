//! Checks the model of zsh-autosuggestions: compares it with the plugin's own functions, in a real zsh with the same history.

use std::io::Write;
use std::process::{Command, Stdio};

use super::autosuggestions::{History, Strategy};
use super::history_lines::HistoryLine;
use super::typist::beginning;

/// Where Debian installs it.
const PLUGIN: &str = "/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
/// How many lines of the history are checked.
const LINES: usize = 200;
/// Every prefix shorter than this is checked, and the whole line.
const SHORT: usize = 30;

/// Reads `s LINE` and `q PREFIX`, each word and text terminated by NUL. At the prompt `$HISTCMD` is the number of the line being
/// typed; in a script it is that of the last one. So a line that nothing can match stands for the one being typed, and each
/// question has its own history.
const ASKED: &str = r#"
zmodload zsh/parameter
source "$1"
HISTSIZE=100000 SAVEHIST=0
typeset -a lines
typeset -i filled=0
while IFS= read -r -d '' verb && IFS= read -r -d '' text; do
  if [[ $verb == s ]]; then
    lines+=("$text")
    continue
  fi
  if (( $#lines != filled )); then
    (( filled )) && fc -P
    fc -p
    HISTSIZE=100000
    for line in "${(@)lines}"; do print -rs -- "$line"; done
    print -rs -- $'\x01'
    filled=$#lines
  fi
  for strategy in history match_prev_cmd; do
    unset suggestion
    _zsh_autosuggest_strategy_$strategy "$text"
    [[ "$suggestion" == "$text"* ]] || suggestion=
    print -rn -- "$suggestion"
    print -n '\0'
  done
done
"#;

struct Question<'a> {
    strategy: Strategy,
    after: &'a str,
    left: &'a str,
    ours: Option<String>,
}

/// The number of questions, or the first few answers that differ.
pub fn check(past: &[HistoryLine]) -> Result<usize, Vec<String>> {
    let past = &past[..past.len().min(LINES)];
    let mut spoken = Vec::new();
    let mut questions = Vec::new();
    let mut history = History::default();
    // Nothing is asked before the first line.
    for (place, typed) in past.iter().enumerate() {
        let after = place.checked_sub(1).map(|before| past[before].command.as_str());
        for left in after.into_iter().flat_map(|_| beginnings(&typed.command)) {
            spoken.extend_from_slice(format!("q\0{left}\0").as_bytes());
            for strategy in [Strategy::History, Strategy::MatchPrevCmd] {
                let ours = history.suggests(strategy, left).map(str::to_owned);
                questions.push(Question { strategy, after: after.unwrap_or_default(), left, ours });
            }
        }
        spoken.extend_from_slice(format!("s\0{}\0", typed.command).as_bytes());
        history.add(&typed.command);
    }
    let answers = answers(&spoken);
    assert_eq!(answers.len(), questions.len(), "zsh answers every question");
    let differ = questions.iter().zip(&answers).filter_map(|(question, answer)| {
        let Question { strategy, after, left, ours } = question;
        // A suggestion that adds nothing is invisible.
        let theirs = Some(answer.as_str()).filter(|answer| answer.len() > left.len());
        (ours.as_deref() != theirs)
            .then(|| format!("{strategy:?} for {left:?} after {after:?}: ours {ours:?}, the plugin's {theirs:?}"))
    });
    let differ: Vec<String> = differ.take(10).collect();
    if differ.is_empty() { Ok(questions.len()) } else { Err(differ) }
}

fn beginnings(command: &str) -> impl Iterator<Item = &str> {
    let length = command.chars().count();
    (1..length.min(SHORT)).chain([length]).map(|count| beginning(command, count))
}

fn answers(questions: &[u8]) -> Vec<String> {
    let mut zsh = Command::new("zsh")
        .args(["-f", "-c", ASKED, "zsh", PLUGIN])
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("zsh is installed");
    let mut stdin = zsh.stdin.take().expect("it is piped");
    let questions = questions.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(&questions));
    let ended = zsh.wait_with_output().expect("zsh ends");
    writer.join().expect("the writer does not panic").expect("zsh reads");
    assert!(ended.status.success(), "zsh failed");
    let text = String::from_utf8(ended.stdout).expect("histories are UTF-8");
    text.split_terminator('\0').map(str::to_owned).collect()
}
