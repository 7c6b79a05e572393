//! Turns the events of pulldown-cmark into leaves: blocks without nested blocks, each with its rows. Enclosing blocks (items, quotations)
//! become prefixes of the rows.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use crate::markdown::CodeSpans;
use crate::markdown::code::Code;
use crate::markdown::inline::{Text, TextKind};
use crate::markdown::streaming_prose::{Prose, has_blank_line};
use crate::markdown::style::{self, StyledRow, TextStyle};
use crate::markdown::table::Table;
use crate::markdown::wrap::{self, Cell};

/// Columns that are always left for the text itself, however deeply nested.
const LEAST_ROOM: usize = 8;
const WIDEST_RULE: usize = 40;

pub struct Leaf {
    pub kind: Kind,
    /// Where the first enclosing block begins that the previous leaf does not share.
    pub begins: usize,
    /// Its range in the source, without trailing blanks.
    pub start: usize,
    pub end: usize,
    pub rows: Vec<Row>,
}

pub enum Kind {
    Prose(Prose),
    /// Prose with a rule below it.
    Underlined(Prose),
    /// A heading or a rule, which end with their line.
    Line,
    Code,
    Table,
    Html,
    /// A bullet with nothing after it.
    Item,
}

pub struct Row {
    pub text: String,
    /// In an open leaf, how much of the source has to be final for this row to be.
    pub settles: usize,
}

pub fn leaves(source: &str, width: usize, spans: CodeSpans) -> Vec<Leaf> {
    let mut reader = Reader {
        source,
        width,
        spans,
        leaves: Vec::new(),
        around: Vec::new(),
        common: 0,
        lists: Vec::new(),
        begun: None,
        text: None,
        code: None,
        table: None,
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        reader.reads(event, range);
    }
    reader.ends_text();
    reader.leaves
}

struct Reader<'a> {
    source: &'a str,
    width: usize,
    spans: CodeSpans,
    leaves: Vec<Leaf>,
    around: Vec<Around>,
    /// How many of `around` also enclose the last leaf.
    common: usize,
    /// The next number of each enclosing list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// Where the first enclosing block began since the last leaf.
    begun: Option<usize>,
    text: Option<Text>,
    code: Option<Code>,
    table: Option<Table>,
}

/// An enclosing block.
struct Around {
    /// The prefix of the first row, until that is written.
    label: Option<String>,
    rest: String,
    looks: TextStyle,
}

impl Reader<'_> {
    fn reads(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.opens(tag, range),
            Event::End(tag) => self.closes(tag, range),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.reads(&text, &range),
                None => {
                    let source = self.source;
                    let to = self.text(range.start);
                    to.prose.reads(source, &range);
                    to.push(&text, &range, TextStyle::PLAIN);
                }
            },
            Event::Code(text) => {
                let text = match self.spans {
                    CodeSpans::Quoted if !text.contains('`') => format!("`{text}`"),
                    CodeSpans::Quoted | CodeSpans::Marked => text.into_string(),
                };
                let to = self.text(range.start);
                to.prose.opens(&range);
                to.push(&text, &range, TextStyle::of(style::CODE));
                to.prose.closes();
            }
            Event::InlineHtml(html) => {
                let to = self.text(range.start);
                to.prose.opens(&range);
                // In a quotation the parser takes the bar of the next line for the end of a tag, whatever that line is.
                if html.contains('\n') {
                    to.prose.doubts(range.start);
                }
                if is_break(&html) {
                    to.breaks(range.end)
                } else {
                    to.push(&html, &range, TextStyle::PLAIN)
                }
                to.prose.closes();
            }
            Event::Html(html) => {
                let to = self.text(range.start);
                for line in html.split_inclusive('\n') {
                    to.push(line.trim_end_matches('\n'), &range, TextStyle::PLAIN);
                    if line.ends_with('\n') {
                        to.breaks(range.end);
                    }
                }
            }
            Event::SoftBreak => self.text(range.start).soft_break(range.end),
            Event::HardBreak => self.text(range.start).breaks(range.end),
            Event::Rule => {
                self.ends_text();
                self.rule(range);
            }
            Event::TaskListMarker(done) => {
                if let Some(item) = self.around.last_mut().filter(|around| around.label.is_some()) {
                    *item = Around::item(if done { "[x] " } else { "[ ] " }.to_owned());
                }
            }
            // Extensions that are not enabled.
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn opens(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis => self.text(range.start).opens(style::ITALIC, &range),
            Tag::Strong => self.text(range.start).opens(style::BOLD, &range),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.text(range.start).opens_link(dest_url.into_string(), &range);
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.text = Some(Text::new(TextKind::TableCell, range.start)),
            Tag::Paragraph => {
                self.ends_text();
                self.text = Some(Text::new(TextKind::Paragraph, range.start));
            }
            Tag::Heading { .. } => {
                self.ends_text();
                let has_underline = self.source.get(range.clone()).is_some_and(|text| text.trim_end().contains('\n'));
                let kind = if !has_underline { TextKind::Heading } else { TextKind::Underlined };
                self.text = Some(Text::new(kind, range.start));
            }
            Tag::HtmlBlock => {
                self.ends_text();
                self.text = Some(Text::new(TextKind::Html, range.start));
            }
            Tag::CodeBlock(_) => {
                self.ends_text();
                self.code = Some(Code::new(range.start));
            }
            Tag::BlockQuote(_) => {
                self.ends_text();
                self.begins(&range);
                self.around.push(Around { label: None, rest: "│ ".to_owned(), looks: TextStyle::of(style::QUOTE) });
            }
            Tag::List(first) => {
                self.ends_text();
                self.lists.push(first);
            }
            Tag::Item => {
                self.ends_text();
                self.begins(&range);
                let label = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let label = format!("{number}. ");
                        *number = number.saturating_add(1);
                        label
                    }
                    Some(None) | None => "• ".to_owned(),
                };
                self.around.push(Around::item(label));
            }
            Tag::Table(alignments) => {
                self.ends_text();
                self.table = Some(Table { alignments, rows: Vec::new() });
            }
            // Extensions that are not enabled.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn closes(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong => self.text(range.start).closes(range.end),
            TagEnd::Link | TagEnd::Image => self.text(range.start).closes_link(range.end),
            TagEnd::TableCell => {
                let cells = self.text.take().map(|text| text.cells).unwrap_or_default();
                let cells = trimmed_cells(&cells).to_vec();
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cells);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.leaf(Kind::Table, range, |room| {
                        let rows = table.rows(room).into_iter();
                        rows.map(|cells| (cells, usize::MAX)).collect()
                    });
                }
            }
            TagEnd::CodeBlock => {
                if let Some(code) = self.code.take() {
                    let range = code.start..range.end;
                    self.leaf(Kind::Code, range, |room| code.rows(room));
                }
            }
            TagEnd::Heading(_) if self.text.as_ref().is_some_and(|text| text.kind == TextKind::Underlined) => {
                self.ends_text();
                self.underlines(range);
            }
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::HtmlBlock => self.ends_text(),
            TagEnd::BlockQuote(_) => {
                self.ends_text();
                self.leaves_block();
            }
            TagEnd::Item => {
                self.ends_text();
                if self.around.last().is_some_and(|item| item.label.is_some()) {
                    self.leaf(Kind::Item, range, |_| vec![(Vec::new(), usize::MAX)]);
                }
                self.leaves_block();
            }
            TagEnd::List(_) => {
                self.ends_text();
                self.lists.pop();
            }
            TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn begins(&mut self, range: &Range<usize>) {
        // After a tab, pulldown-cmark reports an item to begin at the end of the line before.
        let text = self.source.get(range.clone()).unwrap_or_default();
        let start = range.end - text.trim_start_matches('\n').len();
        self.begun.get_or_insert(start);
    }

    fn leaves_block(&mut self) {
        self.around.pop();
        self.common = self.common.min(self.around.len());
    }

    /// The text being read. An item with text directly in it has no paragraph around it.
    fn text(&mut self, start: usize) -> &mut Text {
        self.text.get_or_insert_with(|| Text::new(TextKind::Paragraph, start))
    }

    fn ends_text(&mut self) {
        let Some(Text { kind, start, end, cells, prose, .. }) = self.text.take() else { return };
        let kind = match kind {
            TextKind::Paragraph => Kind::Prose(prose),
            TextKind::Underlined => Kind::Underlined(prose),
            TextKind::Heading => Kind::Line,
            TextKind::Html | TextKind::TableCell => Kind::Html,
        };
        self.leaf(kind, start..end, |room| {
            let lines = wrap::wrap(&cells, room).into_iter();
            let row = |line: wrap::Line| {
                let cells = cells.get(line.cells).unwrap_or_default().to_vec();
                (cells, line.settles.unwrap_or(usize::MAX))
            };
            lines.map(row).collect()
        });
    }

    fn rule(&mut self, range: Range<usize>) {
        self.leaf(Kind::Line, range, |room| vec![(rule(room), usize::MAX)]);
    }

    /// The line below a setext heading, which alone makes it one.
    fn underlines(&mut self, range: Range<usize>) {
        let room = self.room();
        let (_, rest) = self.beginnings();
        let Some(leaf) = self.leaves.last_mut().filter(|leaf| !leaf.rows.is_empty()) else { return };
        leaf.end = trimmed(self.source, range.end);
        leaf.rows.push(Row { text: rest.row(&rule(room)), settles: usize::MAX });
    }

    /// Adds a leaf: makes its rows for the available width, prefixed by its enclosing blocks.
    fn leaf(&mut self, kind: Kind, range: Range<usize>, rows: impl FnOnce(usize) -> Vec<(Vec<Cell>, usize)>) {
        let rows = rows(self.room());
        let (first, rest) = self.beginnings();
        let begins = self.begun.take().unwrap_or_else(|| self.begins_below(&kind, &range));
        let end = trimmed(self.source, range.end).max(range.start);
        let mut leaf = Leaf { kind, begins, start: range.start, end, rows: Vec::with_capacity(rows.len() + 1) };
        if rows.is_empty() {
            // Even without rows, it ends the leaf before it.
            self.leaves.push(leaf);
            return;
        }
        if let Some(before) = self.leaves.last() {
            let stands_apart = matches!(leaf.kind, Kind::Line);
            if stands_apart || has_blank_line(self.source, before.end..leaf.start) {
                let settles = rows.first().map_or(usize::MAX, |(_, settles)| *settles);
                leaf.rows.push(Row { text: self.blank_row(), settles });
            }
        }
        for (place, (cells, settles)) in rows.into_iter().enumerate() {
            let beginning = if place == 0 { &first } else { &rest };
            leaf.rows.push(Row { text: beginning.row(&cells), settles });
        }
        self.leaves.push(leaf);
        self.common = self.around.len();
        self.around.iter_mut().for_each(|around| around.label = None);
    }

    /// A line right below a paragraph is the head of a table only when the line below that is complete. Until then it may be taken for one,
    /// or for a paragraph of its own.
    fn begins_below(&self, kind: &Kind, range: &Range<usize>) -> usize {
        let Some(Leaf { kind: Kind::Prose(_), end, .. }) = self.leaves.last() else { return range.start };
        match kind {
            Kind::Table | Kind::Prose(_) if !has_blank_line(self.source, *end..range.start) => {
                let head = self.source.get(range.start..).unwrap_or_default();
                range.start + head.find('\n').map_or(head.len(), |length| length + 1)
            }
            _ => range.start,
        }
    }

    /// Of `around`, the innermost that leave room for text.
    fn kept(&self) -> usize {
        let mut used = 0;
        let kept = self.around.iter().rev().take_while(|around| {
            used += around.rest.width();
            used + LEAST_ROOM <= self.width
        });
        self.around.len() - kept.count()
    }

    fn room(&self) -> usize {
        let around = self.around.iter().skip(self.kept());
        self.width - around.map(|around| around.rest.width()).sum::<usize>()
    }

    fn beginnings(&self) -> (Beginning, Beginning) {
        let around = self.around.iter().skip(self.kept());
        let label = |around: &Around| around.label.clone().unwrap_or_else(|| around.rest.clone());
        let quoted = self.around.iter().fold(TextStyle::PLAIN, |looks, around| looks | around.looks);
        let first = around.clone().map(label).collect();
        let rest = around.map(|around| around.rest.as_str()).collect();
        (Beginning { text: first, looks: quoted }, Beginning { text: rest, looks: quoted })
    }

    /// Only the bars of the quotations that continue.
    fn blank_row(&self) -> String {
        let around = self.around.iter().take(self.common).skip(self.kept());
        let text: String = around.clone().map(|around| around.rest.as_str()).collect();
        let looks = around.fold(TextStyle::PLAIN, |looks, around| looks | around.looks);
        Beginning { text, looks }.row(&[])
    }
}

struct Beginning {
    text: String,
    looks: TextStyle,
}

impl Beginning {
    fn row(&self, cells: &[Cell]) -> String {
        let blanks = cells.iter().rev().take_while(|cell| cell.letter == ' ').count();
        let cells = cells.get(..cells.len() - blanks).unwrap_or_default();
        let text = if cells.is_empty() { self.text.trim_end() } else { &self.text };
        let mut writing = StyledRow::default();
        writing.push_str(text, self.looks);
        for cell in cells {
            writing.push(cell.letter, cell.looks | self.looks);
        }
        writing.finish()
    }
}

impl Around {
    fn item(label: String) -> Self {
        Self { rest: " ".repeat(label.width()), label: Some(label), looks: TextStyle::PLAIN }
    }
}

fn rule(room: usize) -> Vec<Cell> {
    (0..room.min(WIDEST_RULE)).map(|_| Cell::new('─', TextStyle::of(style::DIM), 0)).collect()
}

fn trimmed_cells(cells: &[Cell]) -> &[Cell] {
    let is_text = |cell: &Cell| cell.letter != ' ';
    match (cells.iter().position(is_text), cells.iter().rposition(is_text)) {
        (Some(first), Some(last)) => cells.get(first..=last).unwrap_or_default(),
        _ => &[],
    }
}

fn trimmed(source: &str, end: usize) -> usize {
    source.get(..end).map_or(end, |text| text.trim_end_matches([' ', '\t', '\n']).len())
}

/// `<br>` is the only way to end a line in a table cell.
fn is_break(html: &str) -> bool {
    let name: String = html.chars().filter(|letter| !letter.is_whitespace()).collect();
    matches!(name.to_ascii_lowercase().as_str(), "<br>" | "<br/>")
}
