//! Generated lines with a real zsh as the oracle: no line that zsh can parse and whose command exists is rerouted before it runs,
//! except for the permitted cases. zsh parses the lines and runs none of them.

use aside_core::detect::PreRunVerdict;
use shell_line::{Dialect, Syntax};

use crate::line_oracle::ask;

#[path = "../../../aside-core/tests/generated/mod.rs"]
mod generated;

use generated::{Dice, MACHINE};

/// How many lines, unless `ASIDE_ORACLE_LINES` says otherwise.
const LINES: usize = 20_000;

/// How many lines zsh judges in one process: larger batches exceed the timeout for a program.
const BATCH: usize = 2000;

const ZSH: &str = r#"
while IFS= read -r -d $'\0' text; do
  { functions[t]=$text || functions[t]=$text$'\n' } 2>/dev/null
  (( $+functions[t] )) && { unfunction t; print yes } || print no
done <texts
"#;

#[test]
fn no_line_that_zsh_can_read_is_taken_from_it() {
    let lines = std::env::var("ASIDE_ORACLE_LINES").ok().and_then(|text| text.parse().ok()).unwrap_or(LINES);
    let mut dice = Dice(0x0dd5);
    let texts: Vec<String> = std::iter::repeat_with(|| MACHINE.line(&mut dice)).take(lines).collect();
    let mut wrong = Vec::new();
    let (mut readable, mut commands, mut sentences, mut misjudged) = (0, 0, 0, 0);
    for batch in texts.chunks(BATCH) {
        let said = ask(Dialect::Zsh, [ZSH, "", ""], batch);
        assert_eq!(said.lines().count(), batch.len());
        for (text, said) in batch.iter().zip(said.lines()) {
            let found = MACHINE.judge(text, Dialect::Zsh);
            let reads = said == "yes";
            readable += usize::from(reads);
            commands += usize::from(reads && found.exists);
            sentences += usize::from(found.verdict == PreRunVerdict::Agent);
            misjudged += usize::from(!reads && found.syntax == Syntax::Whole);
            // At a prompt zsh would wait for the rest of such a line, but at the end of a file it accepts it: `while you are at it`.
            let whole = reads && !matches!(found.syntax, Syntax::Open(_));
            if whole && found.is_taken() {
                wrong.push(format!("{text:?}: {}", found.reason));
            }
            if reads && found.syntax == Syntax::Broken {
                wrong.push(format!("{text:?} is not broken"));
            }
        }
    }
    // Shown with `--nocapture`.
    eprintln!(
        "zsh reads {readable} of {lines} lines, {commands} with a command that is there; {sentences} are sentences"
    );
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(commands > lines / 3 && sentences > lines / 20, "{commands} {sentences} of {lines}");
    // What our parser calls whole, zsh accepts too, except for 1 line in 200.
    assert!(misjudged * 200 < lines, "{misjudged} of {lines}");
}
