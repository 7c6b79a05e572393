//! Reads what is asked of the lines of files, from words in any order: which lines, which part of them, how to sort and
//! count. Renders nothing; `pipeline` does.

use crate::ToolFlavor;
use crate::embedded::entities::{Entity, Time};
use crate::embedded::text::columns::{self, Column, Condition, Sum};
use crate::embedded::text::count::{self, Order, Tally, Unique};
use crate::embedded::text::extract;
use crate::embedded::text::lines::{self, Lines};
use crate::embedded::text::pattern::{self, Pattern};
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::source::Source;
use crate::embedded::text::transform::{self, Transform};

/// Everything that was understood.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub delimiter: Option<char>,
    pub extract: Option<&'static str>,
    pub column: Option<Column>,
    pub condition: Option<Condition>,
    pub sum: Option<Sum>,
    /// The column to group by.
    pub per: Option<String>,
    /// Asks for the row with the largest value, not for the value.
    pub of_row: bool,
    pub tally: Option<Tally>,
    /// Asks for words, not lines.
    pub of_words: bool,
    pub unique: Option<Unique>,
    pub order: Option<Order>,
    pub lines: Option<Lines>,
    /// Selects the lines before it searches in them.
    pub lines_first: bool,
    pub filter: Option<String>,
    pub transform: Option<Transform>,
    pub counts: Option<Unit>,
    pub pattern: Option<Pattern>,
    pub context: String,
    pub shows_numbers: bool,
    pub only_matching: bool,
    pub follows: bool,
    pub output: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Lines,
    Words,
    Characters,
    Bytes,
    /// Occurrences, including several in one line.
    Occurrences,
    /// Lines, words and bytes.
    All,
}

impl Query {
    pub fn read(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Self {
        let mut query = Self::default();
        query.delimiter = columns::delimiter(ask, source).filter(|letter| *letter != ' ');
        query.follows = ask.take("tail -f|=follow|follow|watch|as it grows|=live|real time|as they come|as they arrive|keep watching|stream|=tailing|实时|new lines|keep showing|keep it open|keep open|stay open|keep it running|keep following|keep watching|keep printing|keep reading");
        query.extract = extract::read(ask, source);
        query.column = columns::read(ask, source);
        query.transform = transform::read(ask, query.delimiter);
        query.tally = count::tally(ask);
        query.unique = count::unique(ask);
        if !query.transform.as_ref().is_some_and(Transform::reverses) {
            query.order = count::order(ask);
        }
        query.condition = columns::condition(ask, source, query.column.as_ref(), query.delimiter);
        if query.condition.as_ref().is_some_and(|condition| query.column.as_ref() == Some(&condition.column)) {
            query.column = columns::read(ask, source);
        }
        query.sum(ask, source);
        query.longest(ask);
        query.unnamed_columns(ask, source);
        query.of_words = query.tally.is_none()
            && (query.unique.is_some() || query.order.is_some())
            && query.column.is_none()
            && ask.says("=words|unique word|different word|distinct word");
        query.filter =
            status(ask, source).or_else(|| dated(ask, source)).or_else(|| between(ask, source)).or_else(|| filter(ask));
        let before = ask.used.clone();
        let lines = query.lines.take();
        query.lines = lines.or_else(|| lines::read(ask)).filter(|_| {
            query.tally.is_none() || ask.says("not the header|not header|skip header|not the first|not first")
        });
        query.lines_first = query.lines.is_some() && scopes(base(ask, &before));
        let is_counted = query.transform.as_ref().is_some_and(Transform::counts);
        query.counts = if query.sum.is_some() { None } else { counts(ask).filter(|_| !is_counted) };
        if query.filter.is_some() && query.counts.is_some() {
            query.counts = Some(Unit::Lines);
        }
        query
    }

    /// `the names from data.csv`: columns with such names are common in tables.
    fn plain_column(&mut self, ask: &mut PhraseReader<'_, '_>, source: &Source) {
        const NAMES: &[&str] = &[
            "name",
            "email",
            "age",
            "city",
            "price",
            "country",
            "id",
            "date",
            "phone",
            "address",
            "salary",
            "department",
            "title",
            "status",
            "category",
            "product",
            "amount",
            "score",
            "state",
            "year",
            "team",
            "username",
        ];
        let is_alone = self.column.is_none()
            && self.extract.is_none()
            && self.tally.is_none()
            && self.order.is_none()
            && self.unique.is_none()
            && self.sum.is_none()
            && self.condition.is_none()
            && self.delimiter.is_some();
        if !is_alone || ask.says("count|contain|match|replace|delete|line|column|with|=where|insert|=add") {
            return;
        }
        let found = (0..ask.len()).find_map(|place| {
            let word = ask.word(place).filter(|word| word.thing.is_none())?;
            let name = singular(&word.low);
            let before = place.checked_sub(1).map_or("", |before| ask.low(before));
            let is_asked =
                matches!(before, "the" | "all" | "only" | "just" | "get" | "show" | "list" | "print" | "extract");
            let is_of = ask.begins(place + 1, "in|from|of|=from").is_some() || source.places.contains(&(place + 1));
            (NAMES.contains(&name.as_str()) && is_asked && is_of).then_some((place, name))
        });
        if let Some((place, name)) = found {
            ask.used.mark(place);
            ask.take("extract");
            self.column = Some(Column::Named(name));
        }
    }

    /// `the 5 longest lines`
    fn longest(&mut self, ask: &mut PhraseReader<'_, '_>) {
        let many = (0..ask.len())
            .find_map(|place| Some((place, ask.number(place)?, ask.begins(place + 1, "=longest =lines")?)));
        if let Some((place, number, range)) = many {
            ask.mark(place..range.end);
            self.transform = None;
            self.order = Some(Order::by_length());
            self.lines = Some(Lines::First(number));
        }
    }

    /// Columns without the word column: `per country`, `sort by price`.
    fn unnamed_columns(&mut self, ask: &mut PhraseReader<'_, '_>, source: &Source) {
        if self.column.is_none()
            && source.files.iter().any(|file| file == "/etc/passwd")
            && ask.take("=usernames|username|user|=users|=user|login name|account")
        {
            ask.take("name|=names");
            self.column = Some(Column::Numbers(vec![1]));
            return;
        }
        self.plain_column(ask, source);
        if self.column.is_some()
            || self.delimiter.is_none()
            || self.tally.is_none() && self.order.is_none() && self.unique.is_none()
        {
            return;
        }
        let marker = match (&self.order, &self.unique) {
            (Some(_), _) => "=by|sort by|=on",
            (None, Some(_)) => "unique|=distinct|=different",
            (None, None) => {
                "=per|=by|for each|=each|of each|grouped by|group by|for every|common|most common|frequent|most frequent"
            }
        };
        let Some(at) = ask.find(marker) else { return };
        let mut place = at.end;
        while ask.begins(place, "=the|=each|=every|=value|=values|=of|=by|=most|=common|=frequent|frequent").is_some()
            || ask.number(place).is_some()
        {
            place += 1;
        }
        let Some(word) = ask.word(place).filter(|word| word.thing.is_none() && !source.places.contains(&place)) else {
            return;
        };
        let is_word = word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_word || ask.begins(place, "line|word|column|file|number|character|=length|reverse|=alphabetical|numeric|=in|=from|=order|unique|sort|=descending|=ascending|=to|first|last|=and|=it").is_some() {
            return;
        }
        let text = word.text.clone();
        ask.mark(at);
        ask.used.mark(place);
        // `countries` are in the column `country`.
        let text = if self.order.is_none() { singular(&text) } else { text };
        if let Some(order) = &mut self.order {
            order.of_numbers(&text);
        }
        self.column = Some(Column::Named(text));
    }

    fn sum(&mut self, ask: &mut PhraseReader<'_, '_>, source: &Source) {
        let mut tried = ask.clone();
        let Some(sum) = columns::sum(&mut tried) else { return };
        if self.tally.is_some() || self.order.is_some() || matches!(self.unique, Some(Unique::Duplicated)) {
            return;
        }
        let is_of_numbers = ask.says("number|=numbers|=value|=values|=amounts|=integers|=prices|=figures|数字");
        let is_size = ask.says("line|word|character|file size|size|byte") && !is_of_numbers;
        if self.column.is_none() && self.delimiter.is_some() {
            self.column = unnamed(&mut tried, source);
        }
        let speaks = self.column.is_some()
            || is_of_numbers && !is_size
            || !is_size && matches!(sum, Sum::Total) && ask.says("=sum|add up|求和");
        if !speaks || self.column.is_none() && self.delimiter.is_some() {
            return;
        }
        // `the 3 biggest numbers`
        let many = (0..ask.len()).find_map(|place| {
            let number = ask.number(place)?;
            ask.begins(place + 1, "largest|smallest|=highest|=lowest|=biggest|=max|=min").map(|_| (place, number))
        });
        if let (Some((place, number)), Sum::Largest | Sum::Smallest) = (many, sum) {
            tried.used.mark(place);
            tried.take("=number|=numbers|number|=values");
            *ask = tried;
            self.order = Some(Order::of(sum == Sum::Largest));
            self.lines = Some(Lines::First(number));
            return;
        }
        if matches!(sum, Sum::Largest | Sum::Smallest)
            && ask.says("=row|=line|=record|=entry|=rows|which line|which row|=who|=product|=employee|=person|=item")
            && self.column.is_some()
        {
            self.of_row = true;
            tried.take("line|=record|=entry|=with|=which|=who");
        }
        if let Some(range) = tried.find("=per|=by|for each|grouped by|group by|for every|=each")
            && self.delimiter.is_some()
            && matches!(self.column, Some(Column::Named(_)))
        {
            let mut place = range.end;
            while tried.begins(place, "=the|=each|=every|=by").is_some() {
                place += 1;
            }
            if let Some(word) = tried.word(place).filter(|word| word.thing.is_none() && !source.places.contains(&place))
            {
                self.per = Some(word.text.clone());
                tried.mark(range.start..place + 1);
            }
        }
        tried.take("=number|=numbers|number|numbers|=values|=line|=lines|=integers|of all");
        *ask = tried;
        self.sum = Some(sum);
    }

    pub fn pattern(&self, ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<Pattern> {
        let letter = self.counts.filter(|unit| *unit != Unit::Words).and_then(|_| counted_letter(ask));
        if let Some((letter, range)) = letter {
            let mut pattern = Pattern::of(letter.to_string());
            pattern.places.extend(range);
            pattern.mark(ask);
            return Some(pattern);
        }
        let pattern = Pattern::read(ask, source)?;
        // grep would drop the header that names the columns.
        let is_named = |column: &Column| matches!(column, Column::Named(_) | Column::Names(_));
        let needs_header = self.column.as_ref().is_some_and(is_named)
            || self.condition.as_ref().is_some_and(|condition| is_named(&condition.column));
        if needs_header || self.sum.is_some() && pattern.is_guessed {
            return None;
        }
        // What is counted per group is not a search text.
        let is_quoted = pattern.places.iter().any(|place| ask.quoted(*place).is_some());
        let is_loud =
            pattern.texts.iter().all(|text| text.bytes().all(|byte| byte.is_ascii_uppercase())) || pattern.ignores_case;
        if self.tally.is_some() && !is_quoted && !is_loud && !ask.says("contain|match|line with") {
            return None;
        }
        pattern.mark(ask);
        Some(pattern)
    }

    /// Options of the search itself, and where the output goes.
    pub fn around(&mut self, ask: &mut PhraseReader<'_, '_>) {
        if self.pattern.is_some() {
            self.context = context(ask);
            self.shows_numbers = ask.take("line number|line numbers|=numbered|numbered|with number|with numbers|which line|which lines|what line|=-n|行号|on which line|on what line");
            self.only_matching = ask.take("only matching|only the matching|matching part|only the match|just the match|just the matching part|only the part|matched part|matched text|only what matches|=-o");
            let is_letter =
                self.pattern.as_ref().is_some_and(|pattern| pattern.texts.iter().all(|text| text.chars().count() == 1));
            if self.counts.is_some() && is_letter && !ask.says("line") {
                self.counts = Some(Unit::Occurrences);
                ask.take("character|=number|=occurrences|occurrence");
            } else if self.counts == Some(Unit::Lines)
                && ask.take("occurrence|instance|=times|appearance|how often|次|次数|=often|occurs|=appears")
                || self.counts.is_none() && ask.take("how often|how many times|次数|出现次数|number of times")
            {
                self.counts = Some(Unit::Occurrences);
            } else if self.counts == Some(Unit::Words) {
                self.counts =
                    Some(if ask.take("occurrence|instance|=times|appearance|=occurs|=appears|=appear|occurs|appear") {
                        Unit::Occurrences
                    } else {
                        Unit::Lines
                    });
            }
        }
        ask.take("show|find|all|=content|content|=text|=result|=results|=output|=filter|=select|=pick|=choose");
    }
}

/// `… and save it to b.txt`
pub fn output(ask: &mut PhraseReader<'_, '_>, source: &Source) -> (Source, Option<String>) {
    let mut source = source.clone();
    let saves = ask.says("save|=write|=output|=redirect|=store|=put|=into|=export|=to a file|new file|=as|保存");
    if source.files.len() < 2 || !saves {
        return (source, None);
    }
    let Some(last) = source.files.last().cloned() else { return (source, None) };
    let place = (0..ask.len()).find(|place| ask.word(*place).is_some_and(|word| word.text == last)).unwrap_or_default();
    let goal =
        (0..place).rev().map(|near| ask.low(near)).take(5).find(|low| {
            !matches!(*low, "a" | "the" | "new" | "file" | "called" | "named" | "it" | "output" | "result")
        });
    if !matches!(goal, Some("to" | "into" | "as" | "in" | ">" | "save" | "到" | "write to" | "save to" | "write into"))
    {
        return (source, None);
    }
    source.files.pop();
    ask.take(
        "save|=write|=output|=redirect|=store|=put|=into|=export|=result|=results|new|=as|create|=called|=named|保存",
    );
    (source, Some(last))
}

fn base<'r, 'a>(
    ask: &PhraseReader<'r, 'a>,
    before: &crate::embedded::analysis::ExplainedWords,
) -> (PhraseReader<'r, 'a>, Option<usize>) {
    let first = (0..ask.len()).find(|place| ask.used.has(*place) && !before.has(*place));
    (ask.clone(), first)
}

/// `… in the last 100 lines`: limits the search to these lines.
fn scopes((ask, first): (PhraseReader<'_, '_>, Option<usize>)) -> bool {
    let Some(first) = first else { return false };
    let mut before = (0..first).rev().map(|place| ask.low(place)).filter(|low| !matches!(*low, "the" | "its" | "only"));
    matches!(before.next(), Some("in" | "within" | "from" | "among" | "inside" | "of" | "on")) && first > 1
}

/// `how many commas`
fn counted_letter(ask: &PhraseReader<'_, '_>) -> Option<(char, std::ops::Range<usize>)> {
    if ask.says("line|contain|word|column|separated") {
        return None;
    }
    let free = (0..ask.len()).filter(|place| ask.is_free(*place));
    free.filter_map(|place| transform::letter(ask, place).map(|(letter, end)| (letter, place..end)))
        .find(|(letter, range)| *letter != '\n' && ask.quoted(range.start).is_none())
}

fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if word.ends_with("ss") || word.ends_with("us") => word.to_owned(),
        None => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// The name of a column without the word column: `average age`, `sum of price`.
fn unnamed(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<Column> {
    let from =
        ask.find("average|total|largest|smallest|=sum|=max|=min|=maximum|=minimum|=highest|=lowest|add up|=mean")?;
    let mut at = from.end;
    while ask.begins(at, "=of|=the|=all|=value|=values|=for|=in|=up").is_some() {
        at += 1;
    }
    let word = ask.word(at).filter(|word| word.thing.is_none() && !source.places.contains(&at))?;
    let is_word = word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_word || ask.begins(at, "line|word|column|file|number|character|size").is_some() {
        return None;
    }
    let text = word.text.clone();
    ask.used.mark(at);
    Some(Column::Named(text))
}

/// `404`, `404s`, `5xx` in an access log.
fn status(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<String> {
    if !source.files.iter().any(|file| file.contains("access")) {
        return None;
    }
    for place in 0..ask.len() {
        let low = ask.low(place).trim_end_matches("'s").trim_end_matches('s');
        let is_code = low.len() == 3 && low.starts_with(['1', '2', '3', '4', '5']) && !source.places.contains(&place);
        let before = place.checked_sub(1).map_or("", |before| ask.low(before));
        if !is_code
            || ask.quoted(place).is_some()
            || matches!(before, "top" | "first" | "last" | "line" | "lines")
            || ask.begins(place + 1, "line").is_some()
        {
            continue;
        }
        let found = if low.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("grep -w '{low}'")
        } else if &low[1..] == "xx" {
            format!("awk '$9 ~ /^{}/'", &low[..1])
        } else {
            continue;
        };
        ask.used.mark(place);
        ask.take("=error|=errors|=status|status code|=code|=codes|=response|=responses|request|requests|=http|return|=returned|=hits|=got|=returning|=with");
        return Some(found);
    }
    None
}

/// Lines of one day, if they carry a date as logs do.
fn dated(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<String> {
    if !ask.says("line|=log|=logs|=errors|=entries|entry|=error|=messages|grep|find|show|contain|=happened|record|count|=events|=warnings") {
        return None;
    }
    let (place, time) = (0..ask.len()).find_map(|place| match &ask.word(place)?.thing {
        Some(Entity::Time(time)) if !source.places.contains(&place) => Some((place, time.clone())),
        None if ask.low(place) == "today's" => Some((place, Time::Today)),
        None if ask.low(place) == "yesterday's" => Some((place, Time::Yesterday)),
        _ => None,
    })?;
    let bsd = ask.reading.place.system == ToolFlavor::Bsd;
    let is_access = source.files.iter().any(|file| file.contains("access"));
    let format = if is_access { "+%d/%b/%Y" } else { "+%F" };
    let spelled = match time {
        Time::Today => format!("\"$(date {format})\""),
        Time::Yesterday if bsd => format!("\"$(date -v-1d {format})\""),
        Time::Yesterday => format!("\"$(date -d yesterday {format})\""),
        Time::Date(date) if !is_access => crate::embedded::slots::single(&date),
        Time::Date(_) | Time::Ago { .. } => return None,
    };
    ask.used.mark(place);
    ask.take("=today's|=log|log|=logs|=happened|=entries|=events|=dated|date|=messages");
    Some(format!("grep {spelled}"))
}

/// The lines from one text to another.
pub fn between(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<String> {
    let at = ask.find("between|=from")?;
    if ask.low(at.start) == "from" && !ask.says("line|=everything|=section|=block|=text") {
        return None;
    }
    if source.places.contains(&at.end) {
        return None;
    }
    let text = |place: usize| {
        let word = ask.word(place).filter(|_| !source.places.contains(&place) && ask.number(place).is_none())?;
        let is_text = ask.quoted(place).is_some()
            || word.thing.is_none() && (word.concept.is_none() || word.text.chars().any(char::is_uppercase));
        // `END in` was read as one phrase.
        let text = if ask.quoted(place).is_some() {
            word.text.as_str()
        } else {
            word.text.split(' ').next().unwrap_or_default()
        };
        is_text.then(|| text.to_owned())
    };
    let first = (at.end..at.end + 5).find_map(|place| text(place).map(|text| (place, text)))?;
    let join = (first.0 + 1..first.0 + 3)
        .find(|place| matches!(ask.low(*place), "and" | "to" | "until" | "through" | "till"))?;
    let second = (join + 1..join + 6).find_map(|place| text(place).map(|text| (place, text)))?;
    let spell = |text: &str| pattern::literal(text).replace('/', "\\/").replace('\'', "'\\''");
    ask.mark(at.start..second.0 + 1);
    ask.take("line|=everything|=section|=block|=text|contain|=word|=words|pattern|=markers|=tags|all|content");
    Some(format!("sed -n '/{}/,/{}/p'", spell(&first.1), spell(&second.1)))
}

/// Lines by property: blank, long, short, indented.
fn filter(ask: &mut PhraseReader<'_, '_>) -> Option<String> {
    if let Some(range) = ask.find("non-empty line|nonempty line|non-blank line|not empty line|not blank line|non empty line|non blank line|nonblank line|not the empty line|not the blank line|lines that are not empty|lines that aren't empty|lines that are not blank|lines with text|not empty|not blank|非空行") {
        ask.mark(range);
        ask.take("line|empty|not|=that|=are");
        return Some("grep -v '^[[:space:]]*$'".to_owned());
    }
    if let Some(range) = ask
        .find("empty line|blank line|line that are empty|line that are blank|line which are empty|空行")
        .filter(|range| ask.is_free(range.start))
    {
        ask.mark(range);
        ask.take("line|empty");
        let is_not = ask.take("not");
        return Some(if is_not { "grep -v '^[[:space:]]*$'" } else { "grep '^[[:space:]]*$'" }.to_owned());
    }
    if ask.take("trailing whitespace|trailing space|trailing spaces|whitespace at the end|spaces at the end") {
        ask.take("line|=trailing|whitespace|=with|=have");
        return Some("grep -n '[[:space:]]$'".to_owned());
    }
    // `lines longer than 80 characters`
    let (range, sign) = ask
        .find("longer than|=longer|more than|larger|over|=exceed|exceeding|长于|超过")
        .map(|range| (range, '>'))
        .or_else(|| ask.find("shorter than|=shorter|fewer than|less than|smaller|under").map(|range| (range, '<')))?;
    let at = ask.begins(range.end, "=than").map_or(range.end, |more| more.end);
    let number = ask.number(at)?;
    let is_words = ask.begins(at + 1, "word").is_some();
    let is_columns = ask.begins(at + 1, "column").is_some() && !ask.says("=longer|=wider|=wide");
    let is_length =
        ask.says("=longer|=shorter|longer than|shorter than|character|=long|=length|字符") || is_words || is_columns;
    if !is_length || !ask.says("line") && !is_words {
        return None;
    }
    ask.mark(range.start..at + 1);
    ask.take("character|=long|line|=length|=chars|=than|=columns");
    if is_words || is_columns {
        ask.take("word");
        return Some(format!("awk 'NF {sign} {number}'"));
    }
    Some(format!("awk 'length($0) {sign} {number}'"))
}

fn counts(ask: &mut PhraseReader<'_, '_>) -> Option<Unit> {
    if ask.take("size in bytes|byte count|bytes count|in bytes") {
        ask.take("size|count");
        return Some(Unit::Bytes);
    }
    let asks = ask.says("count|line-count|word-count|=wc|=length|how long|=total");
    if !asks {
        return None;
    }
    if ask.take("word-count") {
        ask.take("count|word|total");
        return Some(Unit::Words);
    }
    if ask.take("line-count") {
        ask.take("count|line|total");
        return Some(Unit::Lines);
    }
    if ask.says("how long|=length") && !ask.says("line|=long") || !ask.says("count|=wc|=total") {
        return None;
    }
    if ask.says("=wc") && !ask.says("line|word|character|byte|=-l|=-w|=-c") {
        ask.take("=wc");
        return Some(Unit::All);
    }
    ask.take("count|=wc|=total|total");
    for (phrases, unit) in [
        ("line and word|word and line|line word and|lines words|word line", Unit::All),
        ("word", Unit::Words),
        ("character", Unit::Characters),
        ("byte|bytes", Unit::Bytes),
    ] {
        if ask.take(phrases) {
            ask.take("character|byte|word|line");
            return Some(unit);
        }
    }
    ask.take("line|row|=records|=entries|entry|record|=there|=code");
    Some(Unit::Lines)
}

/// Context lines around a match.
fn context(ask: &mut PhraseReader<'_, '_>) -> String {
    let mut flags: Vec<String> = Vec::new();
    let numbers: Vec<(usize, u64)> = (0..ask.len())
        .filter(|place| ask.is_free(*place))
        .filter_map(|place| ask.number(place).map(|number| (place, number)))
        .collect();
    for (place, number) in numbers {
        let line = ask.begins(place + 1, "line").map_or(place + 1, |range| range.end);
        let line = ask.begins(line, "of").map_or(line, |range| range.end);
        let found = [
            ("before and after|=around|around|=surrounding|=context|context|either side|on each side|each side|on either side|above and below|surrounding|上下文", "-C"),
            ("=after|after|=below|=following|follow|newer|=afterwards|that follow", "-A"),
            ("=before|before|=above|=preceding|older|preceding|larger|=prior", "-B"),
        ]
        .into_iter()
        .find_map(|(phrases, flag)| ask.begins(line, phrases).map(|range| (range, flag)));
        if let Some((range, flag)) = found {
            ask.mark(place..range.end);
            ask.take("=context|context|=lines|line|=of|=it|=and");
            flags.push(format!("{flag} {number}"));
        }
    }
    if flags.is_empty() {
        let both = ask.take("=context|surrounding lines|lines around|with context|surrounding line");
        if both {
            return "-C 3".to_owned();
        }
        if ask.take("the line after|next line|the following line|line after it|following line") {
            return "-A 1".to_owned();
        }
        if ask.take("the line before|previous line|the preceding line|line before it|preceding line") {
            return "-B 1".to_owned();
        }
    }
    flags.join(" ")
}
