//! Checks `[[ … ]]` of zsh and bash: whether its words form conditions. Does not check which operators exist; refuses what can only be
//! prose.

use crate::scan::is_end_of_word;
use crate::syntax::{Judge, Judged, Stop};
use crate::word::{Place, is_plain};
use crate::{Dialect, Unclosed};

impl<'a> Judge<'a> {
    pub(super) fn condition(&mut self) -> Judged<()> {
        self.begin();
        self.scan.at += 2;
        let mut words: Vec<&'a str> = Vec::new();
        let mut deep = 0usize;
        loop {
            let Some(byte) = self.new_lines()? else {
                return Err(if is_condition(&words, self.scan.dialect) {
                    Stop::More(Unclosed::Bracket)
                } else {
                    self.refused_condition()
                });
            };
            let from = self.scan.at;
            match byte {
                b'(' if words.iter().all(|word| *word == "!") => {
                    self.scan.at += 1;
                    deep += 1;
                    continue;
                }
                b')' if deep > 0 => {
                    self.scan.at += 1;
                    deep -= 1;
                    continue;
                }
                b'&' | b'|' if self.scan.ahead(1) == Some(byte) => {
                    if !is_condition(&words, self.scan.dialect) {
                        return Err(self.refused_condition());
                    }
                    self.scan.at += 2;
                    words.clear();
                    continue;
                }
                b'<' | b'>' if !self.scan.is_word_after_angle() => self.scan.at += 1,
                b';' | b'&' | b'|' | b')' => return Err(Stop::Doubt),
                _ => drop(self.scan.word(Place::Condition)),
            }
            self.whole_so_far()?;
            if self.scan.at == from {
                return Err(Stop::Doubt);
            }
            let word = self.scan.text.get(from..self.scan.at).unwrap_or_default();
            if word == "]]" {
                if words.is_empty() {
                    return Err(Stop::Doubt);
                }
                return match is_condition(&words, self.scan.dialect) {
                    _ if deep > 0 => Err(Stop::Doubt),
                    true => Ok(()),
                    false => Err(self.refused_condition()),
                };
            }
            words.push(word);
        }
    }

    /// The shell may ask for the end of a later quote first.
    fn refused_condition(&self) -> Stop {
        let rest = self.scan.text.get(self.scan.at..).unwrap_or_default();
        if rest.contains(['"', '\'', '`', '$', '(']) { Stop::Doubt } else { Stop::Broken }
    }
}

/// False when the words cannot form a condition.
fn is_condition(words: &[&str], dialect: Dialect) -> bool {
    let negations = words.iter().take_while(|word| **word == "!").count();
    let words = words.get(negations..).unwrap_or_default();
    // A flag, or something that may expand to one.
    let may_be_flag = |word: &str| word.starts_with('-') || !word.bytes().all(is_plain);
    match *words {
        [] | [_] => true,
        [flag, _] => may_be_flag(flag),
        [flag, operator, _] => may_be_flag(operator) || (dialect == Dialect::Zsh && may_be_flag(flag)),
        // Parentheses join many words to one pattern.
        _ if words.iter().any(|word| word.contains('(')) => true,
        [flag, ..] => {
            dialect == Dialect::Zsh && may_be_flag(flag) || words.iter().any(|word| word.bytes().any(is_end_of_word))
        }
    }
}
