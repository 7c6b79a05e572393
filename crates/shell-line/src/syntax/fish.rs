//! Checks fish's grammar, as far as blocks and operators go. Accepts the contents of words as they are.

use crate::scan::is_end_of_word;
use crate::syntax::{Judge, Judged, Stop};
use crate::{Unclosed, fish};

/// What `end` closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    If,
    Switch,
    Other,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A command, or nothing.
    Start,
    /// A command, on this line or a later one.
    AfterOperator,
    /// A command, here.
    AfterPrefix,
    /// More words of the command; also the state after `end`.
    Words,
}

impl Judge<'_> {
    pub(super) fn fish(&mut self) -> Judged<()> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut place = Place::Start;
        loop {
            let Some(byte) = self.peek()? else {
                return match (place, blocks.is_empty()) {
                    (Place::AfterOperator, _) => Err(Stop::More(Unclosed::Operator)),
                    (_, false) => Err(Stop::More(Unclosed::Compound)),
                    (Place::AfterPrefix, true) => Err(Stop::Doubt),
                    (Place::Start | Place::Words, true) => Ok(()),
                };
            };
            match byte {
                b'\n' | b'\r' | b';' => {
                    self.scan.at += 1;
                    place = match place {
                        Place::AfterOperator if byte != b';' => place,
                        Place::AfterOperator | Place::AfterPrefix => return Err(Stop::Doubt),
                        Place::Start | Place::Words => Place::Start,
                    };
                }
                b')' => return Err(Stop::Broken),
                b'&' | b'|' | b'<' | b'>' if matches!(place, Place::Start | Place::AfterOperator) => {
                    return Err(Stop::Broken);
                }
                b'&' | b'|' if !self.is_redirection() => place = self.fish_operator(),
                b'(' | b'{' if place != Place::Words => return Err(Stop::Doubt),
                // Redirections have too many forms to be worth checking.
                _ if place == Place::Words && self.is_redirection() => return Err(Stop::Doubt),
                _ if place == Place::Words => self.fish_word()?,
                _ => place = self.fish_command(place, &mut blocks)?,
            }
        }
    }

    fn fish_operator(&mut self) -> Place {
        let joins = self.and_or();
        let pipes = !joins && (self.scan.peek() == Some(b'|') || self.scan.starts_with("&|"));
        if !joins {
            self.scan.at += if self.scan.starts_with("&|") { 2 } else { 1 };
        }
        if joins || pipes { Place::AfterOperator } else { Place::Start }
    }

    fn fish_word(&mut self) -> Judged<()> {
        self.begin();
        let before = self.scan.at;
        fish::word(&mut self.scan);
        self.whole_so_far()?;
        if self.scan.at == before { Err(Stop::Doubt) } else { Ok(()) }
    }

    /// The first word of a command, which may be reserved.
    fn fish_command(&mut self, place: Place, blocks: &mut Vec<Block>) -> Judged<Place> {
        let keyword = self.scan.keyword();
        let known = matches!(
            keyword,
            "if" | "while"
                | "begin"
                | "for"
                | "switch"
                | "function"
                | "else"
                | "end"
                | "case"
                | "and"
                | "or"
                | "not"
                | "!"
                | "time"
        );
        // After something that needs a command, fish takes these for command names, although none exist.
        let name = matches!(keyword, "else" | "case" | "end") && place != Place::Start;
        if !known || name {
            self.fish_word()?;
            return Ok(Place::Words);
        }
        self.scan.at += keyword.len();
        let next = self.peek()?;
        // `function --help` is a command.
        if next == Some(b'-') || next == Some(b'=') {
            return Err(Stop::Doubt);
        }
        match keyword {
            "and" | "or" | "not" | "!" | "time" => Ok(Place::AfterPrefix),
            "begin" => {
                blocks.push(Block::Other);
                Ok(Place::Start)
            }
            "if" | "while" => {
                blocks.push(if keyword == "if" { Block::If } else { Block::Other });
                Ok(Place::AfterPrefix)
            }
            "for" => {
                self.fish_for()?;
                blocks.push(Block::Other);
                Ok(Place::Words)
            }
            "switch" | "function" => {
                blocks.push(if keyword == "switch" { Block::Switch } else { Block::Other });
                Ok(Place::Words)
            }
            "else" if blocks.last() == Some(&Block::If) => {
                let goes_on = self.scan.keyword() == "if";
                self.scan.at += if goes_on { "if".len() } else { 0 };
                Ok(if goes_on { Place::AfterPrefix } else { Place::Start })
            }
            "case" if blocks.last() == Some(&Block::Switch) => Ok(Place::Words),
            "end" if blocks.pop().is_some() => Ok(Place::Words),
            _ => Err(Stop::Broken),
        }
    }

    /// `name in`
    fn fish_for(&mut self) -> Judged<()> {
        if self.scan.peek().is_none_or(is_end_of_word) {
            return Err(Stop::Doubt);
        }
        self.fish_word()?;
        match self.peek()? {
            None => Err(Stop::Doubt),
            Some(_) if self.scan.keyword() == "in" => {
                self.scan.at += "in".len();
                Ok(())
            }
            Some(byte) if is_end_of_word(byte) => Err(Stop::Doubt),
            Some(_) => Err(Stop::Broken),
        }
    }
}
