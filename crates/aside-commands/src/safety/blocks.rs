//! The structure around the commands of a script: bodies of functions, loops with their variable, subshells. Reads only the text between
//! the commands; where that is unclear, it reports no structure, and a command counts as running.

use std::ops::Range;

use shell_line::{Command, Dialect, Redirect};

use crate::safety::known_output;

/// Nesting of blocks. A deeper one belongs to the innermost known.
const MAX_BLOCKS: usize = 32;
/// Structures of one kind in a script.
const MAX_SHAPES: usize = 64;
/// Maximum length of `{…}` within a word.
const LONGEST_BRACE: usize = 256;

#[derive(Debug, Default)]
pub struct Shape {
    pub functions: Vec<Function>,
    pub loops: Vec<Loop>,
    /// `( … )`: changes inside are undone after it.
    pub subshells: Vec<Range<usize>>,
    /// `{ … }`, `( … )`, loops: a pipe after them reads their output.
    pub groups: Vec<Range<usize>>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub body: Range<usize>,
}

#[derive(Debug)]
pub struct Loop {
    pub variable: String,
    /// The text of the words that it iterates over.
    pub values: Range<usize>,
    pub body: Range<usize>,
}

enum Block {
    Function { name: String, from: usize },
    Brace { from: usize },
    Paren { from: usize },
    For { variable: String, values: Range<usize>, from: usize },
    Do { from: usize },
}

impl Shape {
    pub fn of(text: &str, commands: &[Command], dialect: Dialect) -> Self {
        let mut scan = Scan { text, shape: Shape::default(), blocks: Vec::new(), name: None, header: Header::None };
        if dialect == Dialect::Fish || !text.contains(['{', '(', ';', '\n']) {
            return scan.shape;
        }
        let mut at = 0;
        for command in commands.iter().filter(|command| command.inside.is_none()) {
            scan.gap(at..command.span.start);
            at = at.max(command.span.end);
            if command.redirections.iter().any(|redirection| redirection.kind == Redirect::HereDocument) {
                let documents = command.redirections.iter().filter_map(|one| known_output::document(text, one));
                at = documents.map(|(body, from)| from + body.len()).max().unwrap_or(at).max(at);
            }
        }
        scan.gap(at..text.len());
        scan.shape
    }

    /// The innermost function that contains the position.
    pub fn function(&self, at: usize) -> Option<&Function> {
        self.functions.iter().filter(|function| function.body.contains(&at)).min_by_key(|one| one.body.len())
    }

    pub fn subshell(&self, at: usize) -> Option<&Range<usize>> {
        self.subshells.iter().filter(|range| range.contains(&at)).min_by_key(|range| range.len())
    }

    /// The outermost group that ends before `end` and contains the position.
    pub fn group(&self, at: usize, end: usize) -> Option<&Range<usize>> {
        let inside = |range: &&Range<usize>| range.contains(&at) && range.end <= end;
        self.groups.iter().filter(inside).max_by_key(|range| range.len())
    }
}

/// What a reserved word has announced.
enum Header {
    None,
    /// `function`
    Function,
    /// `for`
    For,
    /// `for x`
    ForName(String),
    /// `for x in …`, from here.
    ForValues(String, usize),
    ForDone(String, Range<usize>),
}

struct Scan<'a> {
    text: &'a str,
    shape: Shape,
    blocks: Vec<Block>,
    /// A function whose body comes next.
    name: Option<String>,
    header: Header,
}

impl Scan<'_> {
    fn gap(&mut self, gap: Range<usize>) {
        let bytes = self.text.as_bytes();
        let mut at = gap.start;
        while at < gap.end {
            let Some(byte) = bytes.get(at) else { return };
            match byte {
                b'#' => at += rest_of_line(bytes, at, gap.end),
                b';' | b'\n' | b'&' | b'|' => {
                    self.ends_values(at);
                    at += 1;
                }
                b'{' | b'(' => {
                    self.opens(*byte, at);
                    at += 1;
                }
                b'}' | b')' => {
                    self.closes(*byte, at);
                    at += 1;
                }
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => {
                    let end = word_end(bytes, at, gap.end);
                    self.word(at..end);
                    at = end;
                }
            }
        }
    }

    fn word(&mut self, span: Range<usize>) {
        let Some(word) = self.text.get(span.clone()) else { return };
        self.header = match std::mem::replace(&mut self.header, Header::None) {
            Header::Function => {
                self.name = Some(word.to_owned());
                return;
            }
            Header::For => Header::ForName(word.to_owned()),
            Header::ForName(variable) if word == "in" => Header::ForValues(variable, span.end),
            Header::ForValues(variable, from) if word != "do" => Header::ForValues(variable, from),
            Header::ForValues(variable, from) => Header::ForDone(variable, from..span.start),
            other => other,
        };
        match word {
            "function" => self.header = Header::Function,
            "for" | "foreach" | "select" => self.header = Header::For,
            "do" => {
                let block = match std::mem::replace(&mut self.header, Header::None) {
                    Header::ForDone(variable, values) => Block::For { variable, values, from: span.end },
                    _ => Block::Do { from: span.end },
                };
                self.push(block);
            }
            "done" => self.pop(span.start, |block| matches!(block, Block::For { .. } | Block::Do { .. })),
            _ => {
                // `name()`: the brackets come next.
                let behind = self.text.get(span.end..).unwrap_or_default().trim_start_matches([' ', '\t']);
                let brackets = behind.strip_prefix('(').map(|rest| rest.trim_start_matches([' ', '\t']));
                if brackets.is_some_and(|rest| rest.starts_with(')')) {
                    self.name = Some(word.to_owned());
                }
            }
        }
    }

    fn ends_values(&mut self, at: usize) {
        self.header = match std::mem::replace(&mut self.header, Header::None) {
            Header::ForValues(variable, from) => Header::ForDone(variable, from..at),
            Header::ForDone(variable, values) => Header::ForDone(variable, values),
            _ => Header::None,
        };
    }

    fn opens(&mut self, byte: u8, at: usize) {
        let empty = byte == b'('
            && self.text.get(at + 1..).is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(')'));
        if empty || matches!(self.header, Header::ForValues(..)) {
            return;
        }
        let from = at + 1;
        let block = match (self.name.take(), byte) {
            (Some(name), _) => Block::Function { name, from },
            (None, b'{') => Block::Brace { from },
            (None, _) => Block::Paren { from },
        };
        self.push(block);
    }

    fn closes(&mut self, byte: u8, at: usize) {
        match byte {
            b'}' => self.pop(at, |block| matches!(block, Block::Brace { .. } | Block::Function { .. })),
            // The `)` of a `case` pattern closes nothing.
            _ if matches!(self.blocks.last(), Some(Block::Paren { .. } | Block::Function { .. })) => {
                self.pop(at, |block| matches!(block, Block::Paren { .. } | Block::Function { .. }));
            }
            _ => {}
        }
    }

    fn push(&mut self, block: Block) {
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push(block);
        }
    }

    fn pop(&mut self, at: usize, fits: impl Fn(&Block) -> bool) {
        let Some(found) = self.blocks.iter().rposition(fits) else { return };
        let Some(block) = self.blocks.drain(found..).next() else { return };
        let shape = &mut self.shape;
        if shape.groups.len() >= MAX_SHAPES || shape.functions.len() >= MAX_SHAPES {
            return;
        }
        match block {
            Block::Function { name, from } => shape.functions.push(Function { name, body: from..at }),
            Block::Brace { from } | Block::Do { from } => shape.groups.push(from..at),
            Block::Paren { from } => {
                shape.groups.push(from..at);
                shape.subshells.push(from..at);
            }
            Block::For { variable, values, from } => {
                shape.groups.push(from..at);
                shape.loops.push(Loop { variable, values, body: from..at });
            }
        }
    }
}

fn rest_of_line(bytes: &[u8], at: usize, end: usize) -> usize {
    bytes.get(at..end).unwrap_or_default().iter().take_while(|byte| **byte != b'\n').count().max(1)
}

/// The end of a word; skips quotes in it.
fn word_end(bytes: &[u8], from: usize, end: usize) -> usize {
    let mut at = from;
    let mut quote = None;
    while at < end {
        let Some(byte) = bytes.get(at) else { break };
        match (quote, byte) {
            (_, b'\\') => at += 1,
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            // `${x}` and `{a,b}` within a word close nothing.
            (None, b'{') if at > from => {
                let inside = bytes.get(at..end).unwrap_or_default();
                at += inside.iter().take(LONGEST_BRACE).position(|byte| *byte == b'}').unwrap_or(0);
            }
            (None, b';' | b'&' | b'|' | b'(' | b')' | b'}') => break,
            (None, byte) if byte.is_ascii_whitespace() => break,
            (None, _) => {}
        }
        at += 1;
    }
    at.min(end).max(from + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shell_line as line;

    fn shape(text: &str) -> Shape {
        Shape::of(text, &line::parse(text, Dialect::Bash).commands, Dialect::Bash)
    }

    #[test]
    fn bodies_of_functions_are_found() {
        let cases = [
            ("f() { rm x; }; f", "f", " rm x; "),
            ("function f { rm x; }", "f", " rm x; "),
            ("f () (rm x)", "f", "rm x"),
            ("f() { { a; }; b; }; c", "f", " { a; }; b; "),
            ("f() { echo \"}\"; rm ${x}; }", "f", " echo \"}\"; rm ${x}; "),
            ("a; f() { for x in 1 2; do rm $x; done; }", "f", " for x in 1 2; do rm $x; done; "),
        ];
        for (text, name, body) in cases {
            let shape = shape(text);
            let found: Vec<_> =
                shape.functions.iter().map(|one| (one.name.as_str(), &text[one.body.clone()])).collect();
            assert_eq!(found, [(name, body)], "{text}");
        }
        for text in ["ls", "echo '() {'", "{ rm x; }", "(rm x)", "cat <<E\nf() { x; }\nE\nls", "f() { x"] {
            assert!(shape(text).functions.is_empty(), "{text}");
        }
    }

    #[test]
    fn loops_and_subshells_are_found() {
        let text = "for d in / \"a b\"; do rm -r $d; done; (cd x; ls)";
        let shape = shape(text);
        let found = shape.loops.first().unwrap();
        assert_eq!((found.variable.as_str(), &text[found.values.clone()]), ("d", " / \"a b\""));
        assert_eq!(&text[found.body.clone()], " rm -r $d; ");
        assert_eq!(shape.subshells.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["cd x; ls"]);
    }
}
