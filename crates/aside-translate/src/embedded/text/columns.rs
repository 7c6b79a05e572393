//! Columns of a table: which ones, their delimiter, and what is asked of them (sum, average, rows that match).

use std::ops::Range;

use crate::embedded::entities::Entity;
use crate::embedded::slots;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::pipeline::Stage;
use crate::embedded::text::source::Source;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    Numbers(Vec<u64>),
    Last,
    /// By the name in the header row.
    Named(String),
    /// An inclusive range.
    Span(u64, u64),
    /// All except these.
    Not(Vec<u64>),
    /// Several by their names.
    Names(Vec<String>),
    /// These two, swapped.
    Swapped(u64, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    Total,
    Average,
    Largest,
    Smallest,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub column: Column,
    pub operator: &'static str,
    pub value: String,
    pub is_number: bool,
}

pub fn delimiter(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<char> {
    let named = [
        (
            "comma separated|comma-separated|comma delimited|separated by comma|split by comma|delimited by comma|comma as|comma as delimiter|comma delimiter|by comma|on comma|with comma|with a comma|a comma as",
            ',',
        ),
        (
            "tab separated|tab-separated|tab delimited|separated by tab|split by tab|delimited by tab|tab delimiter|by tab|on tab",
            '\t',
        ),
        (
            "colon separated|colon-separated|colon delimited|separated by colon|split by colon|delimited by colon|colon delimiter|by colon|on colon|on the colon",
            ':',
        ),
        (
            "semicolon separated|semicolon-separated|semicolon delimited|separated by semicolon|split by semicolon|delimited by semicolon|by semicolon|on semicolon",
            ';',
        ),
        ("pipe separated|pipe-separated|pipe delimited|separated by pipe|delimited by pipe|by pipe|on pipe", '|'),
        (
            "space separated|space-separated|space delimited|separated by space|whitespace separated|delimited by space|separated by whitespace|white space separated",
            ' ',
        ),
    ];
    for (phrases, letter) in named {
        if ask.take(phrases) {
            ask.take("separated|delimited|delimiter");
            return Some(letter);
        }
    }
    // `with ';' as the delimiter`
    if let Some(at) = ask.find("separated|delimited|delimiter|separator") {
        for place in at.start.saturating_sub(4)..at.end + 4 {
            if let Some(text) = ask.quoted(place).filter(|text| text.chars().count() == 1) {
                ask.mark(at);
                ask.used.mark(place);
                return text.chars().next();
            }
        }
    }
    match source.ending() {
        "csv" => Some(','),
        "tsv" => Some('\t'),
        _ if source.files.iter().any(|file| file == "/etc/passwd" || file == "/etc/group") => Some(':'),
        _ => None,
    }
}

pub fn read(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<Column> {
    for place in 0..ask.len() {
        let Some(column) = ask.begins(place, "column number|column no|column").filter(|range| ask.is_free(range.start))
        else {
            continue;
        };
        let is_not = (place.saturating_sub(4)..place).find_map(|near| ask.begins(near, "not the|not|delete|=drop"));
        let (numbers, is_span, at) = numbers_at(ask, column.end);
        if !numbers.is_empty() && numbers.iter().all(|number| *number > 0) {
            ask.mark(place..at);
            if let Some(not) = is_not {
                ask.mark(not);
                return Some(Column::Not(numbers));
            }
            if let [one, two] = numbers.as_slice()
                && ask.take("=swap|=exchange|=switch")
            {
                return Some(Column::Swapped(*one, *two));
            }
            return Some(match numbers.as_slice() {
                [first, last] if is_span => Column::Span(*first, *last),
                _ => Column::Numbers(numbers),
            });
        }
        // `all columns except the third`
        if let Some(not) = ask.begins(column.end, "not the|not") {
            let number = ask.any_number(not.end).or_else(|| ask.number(not.end + 1));
            if let Some(number) = number.filter(|number| *number > 0) {
                ask.mark(place..not.end + 1);
                ask.take("all|=one|column");
                return Some(Column::Not(vec![number]));
            }
        }
        // `the 2nd column`, `first and third columns`, `first 3 columns`, `last column`
        if let Some((start, found)) = before(ask, place) {
            ask.mark(start..column.end);
            if let Some(not) = is_not.filter(|not| not.start < start)
                && let Column::Numbers(numbers) = found
            {
                ask.mark(not);
                return Some(Column::Not(numbers));
            }
            return Some(found);
        }
        if let Some(named) = named(ask, source, place, &column) {
            return Some(named);
        }
    }
    None
}

/// `column 2`, `columns 1 and 3`, `columns 2-4`, `columns 2 to 4`: the numbers, whether they are the ends of a span, and
/// where they end.
fn numbers_at(ask: &PhraseReader<'_, '_>, start: usize) -> (Vec<u64>, bool, usize) {
    let mut numbers = Vec::new();
    let mut at = start;
    let mut is_span = false;
    while at < ask.len() {
        if let Some(number) = ask.number(at) {
            numbers.push(number);
        } else if let Some(more) = list(ask.low(at)) {
            is_span = ask.low(at).contains('-');
            numbers.extend(more);
        } else if ask.begins(at, "=to|=through|=thru|到|=-").is_some()
            && !numbers.is_empty()
            && ask.number(at + 1).is_some()
        {
            is_span = true;
        } else if !(ask.begins(at, "=and|=,|=&|和").is_some()
            && !numbers.is_empty()
            && (ask.number(at + 1).is_some() || list(ask.low(at + 1)).is_some()))
        {
            break;
        }
        at += 1;
    }
    (numbers, is_span, at)
}

/// `the price column`, `column named price`, `column "price"`
fn named(ask: &mut PhraseReader<'_, '_>, source: &Source, place: usize, column: &Range<usize>) -> Option<Column> {
    let called = ask.begins(column.end, "=named|=called|name").map_or(column.end, |range| range.end);
    let name = |ask: &PhraseReader<'_, '_>, place: usize| column_name(ask, source, place);
    if called > column.end
        && let Some(text) = name(ask, called)
    {
        ask.mark(place..called + 1);
        return Some(Column::Named(text));
    }
    if let Some(text) = place.checked_sub(1).and_then(|place| name(ask, place)) {
        // `the name and age columns`
        let mut names = vec![text.clone()];
        let mut start = place - 1;
        while let Some(before) = start.checked_sub(2).filter(|_| matches!(ask.low(start - 1), "and" | "&" | ","))
            && let Some(more) = name(ask, before)
        {
            names.push(more);
            start = before;
        }
        while let Some(before) = start.checked_sub(1)
            && names.len() > 1
            && let Some(more) = name(ask, before)
        {
            names.push(more);
            start = before;
        }
        if names.len() > 1 {
            names.reverse();
            ask.mark(start..column.end);
            return Some(Column::Names(names));
        }
        ask.mark(place - 1..column.end);
        return Some(Column::Named(text));
    }
    if let Some(text) = name(ask, column.end)
        .filter(|_| ask.quoted(column.end).is_some() || ask.word(column.end).is_some_and(|word| word.concept.is_none()))
    {
        ask.mark(place..column.end + 1);
        return Some(Column::Named(text));
    }
    None
}

fn column_name(ask: &PhraseReader<'_, '_>, source: &Source, place: usize) -> Option<String> {
    let word = ask.word(place)?;
    let is_word = word.thing.is_none() && word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        || matches!(word.thing, Some(Entity::User(_) | Entity::Branch(_) | Entity::Process(_)));
    let is_ours = ask.begins(place, "the|a|=this|=that|=of|=in|=and|=numeric|=which|=each|=every|=one|=only|=single|=from|=with|first|last|=by|=to|=for|show|sort|count|=is|=are|=whose|=where|=has|unique|=into|total|average|=per|=value|=as|=numerically|=using|=specific|delete|=a|=all|=aligned|=align|=nicely|=except|=between|=empty|reverse|=largest|largest|=smallest|extract").is_some();
    if let Some(text) = ask.quoted(place) {
        return Some(text.to_owned());
    }
    (is_word && !is_ours && !source.places.contains(&place)).then(|| word.text.clone())
}

/// `1,3`, `2-4`
fn list(low: &str) -> Option<Vec<u64>> {
    if !low.contains([',', '-']) {
        return None;
    }
    low.split([',', '-']).map(|part| part.parse().ok()).collect()
}

fn before(ask: &PhraseReader<'_, '_>, place: usize) -> Option<(usize, Column)> {
    let last = place.checked_sub(1)?;
    if ask.begins(last, "=last|=final|最后").is_some() {
        return Some((last, Column::Last));
    }
    // `first 3 columns`, `first two columns`
    if let Some(number) = ask.number(last)
        && let Some(first) = last.checked_sub(1).filter(|first| ask.begins(*first, "=first|前").is_some())
    {
        return Some((first, Column::Span(1, number)));
    }
    if let Some(number) = ask.number(last).filter(|number| *number > 0)
        && last.checked_sub(1).is_some_and(|first| ask.low(first) == "第")
    {
        return Some((last - 1, Column::Numbers(vec![number])));
    }
    let mut numbers = vec![ask.ordinal(last)?];
    let mut start = last;
    while let Some(join) = start.checked_sub(1) {
        if let Some(number) = ask.ordinal(join) {
            numbers.push(number);
            start = join;
        } else if matches!(ask.low(join), "and" | "&" | "the") && start >= 2 && ask.ordinal(join - 1).is_some() {
            start = join;
        } else {
            break;
        }
    }
    numbers.reverse();
    Some((start, Column::Numbers(numbers)))
}

/// The aggregate over the numbers of a column.
pub fn sum(ask: &mut PhraseReader<'_, '_>) -> Option<Sum> {
    for (phrases, sum) in [
        ("average|=mean", Sum::Average),
        (
            "total|add up|=adding|=sum|add all|add the numbers|add the values|add together|求和|total up|=totals|sum up|sum of",
            Sum::Total,
        ),
        ("largest|=max|=maximum|=highest|=biggest|largest value|=greatest|最大值", Sum::Largest),
        ("smallest|=min|=minimum|=lowest|=least|最小值", Sum::Smallest),
    ] {
        if ask.says(phrases) {
            ask.take(phrases);
            ask.take("=value|=values|=number|=numbers|value|calculate|compute|=calculate|=compute|numeric");
            return Some(sum);
        }
    }
    None
}

/// `where column 3 > 100`, `where status is active`, `with age over 30`.
pub fn condition(
    ask: &mut PhraseReader<'_, '_>,
    source: &Source,
    column: Option<&Column>,
    delimiter: Option<char>,
) -> Option<Condition> {
    const OPERATORS: &[(&str, &str)] = &[
        ("=>=|at least|greater than or equal to|not less than|=or more", ">="),
        ("=<=|at most|less than or equal to|not more than|no more than", "<="),
        (
            "=>|larger|greater than|more than|=over|=above|=exceeds|is greater than|bigger than|higher than|larger than|is over|is above|大于|is more than|is larger than|is bigger than|older than|older",
            ">",
        ),
        (
            "=<|smaller|less than|=under|=below|is less than|lower than|is under|is below|小于|fewer than|younger than|is smaller than",
            "<",
        ),
        ("=!=|is not|not equal to|not equal|=isn't|=<>", "!="),
        ("===|==|equal|equals|equal to|is equal to|=is|=are|等于", "=="),
    ];
    for place in 0..ask.len() {
        // `>100`, `>=5`
        if let Some((operator, value)) = glued(ask.low(place)) {
            let column = subject(ask, source, place, column)?;
            ask.used.mark(place);
            ask.take("=where|=whose|=value|line");
            return Some(Condition { column, operator, value, is_number: true });
        }
        for (phrases, operator) in OPERATORS {
            let Some(range) = ask.begins(place, phrases) else { continue };
            let at = ask.begins(range.end, "=than|=to|the|=value|=number").map_or(range.end, |more| more.end);
            let is_equality = matches!(*operator, "==" | "!=");
            let number = ask.number(at).map(|number| number.to_string()).or_else(|| decimal(ask.low(at)));
            let text = ask.word(at).filter(|word| {
                is_equality
                    && (word.concept.is_none() && word.thing.is_none()
                        || ask.quoted(at).is_some()
                        || matches!(word.thing, Some(Entity::User(_) | Entity::Branch(_)))
                        || word.text.chars().next().is_some_and(char::is_uppercase)
                        || word.concept.is_some() && at + 1 >= ask.len() && word.thing.is_none())
            });
            let (value, is_number) = match (number, text) {
                (Some(number), _) => (number, true),
                (None, Some(word)) => (word.text.clone(), false),
                (None, None) => continue,
            };
            if is_equality && !ask.says("=where|=whose|column|=with|line|=rows") {
                continue;
            }
            // Without columns, `over 80` refers to something else, unless the lines are numbers.
            if delimiter.is_none() && column.is_none() {
                if is_equality
                    || !ask.says("=numbers|=values|=number|=value")
                    || ask.says("character|=longer|word|=long|=lines")
                {
                    continue;
                }
                ask.mark(range.start..at + 1);
                ask.take("=numbers|=values|=number|=value|line|number|=than");
                return Some(Condition { column: Column::Numbers(vec![1]), operator, value, is_number });
            }
            let Some(column) = subject(ask, source, range.start, column) else { continue };
            ask.mark(range.start..at + 1);
            ask.take("=where|=whose|=value|line|=which|=rows|=than|=is");
            return Some(Condition { column, operator, value, is_number });
        }
    }
    None
}

fn glued(low: &str) -> Option<(&'static str, String)> {
    for operator in [">=", "<=", "!=", "==", ">", "<", "="] {
        if let Some(value) = low.strip_prefix(operator).filter(|value| !value.is_empty()) {
            let spelled = match operator {
                "=" => "==",
                other => other,
            };
            return value.parse::<f64>().is_ok().then(|| (spelled, value.to_owned()));
        }
    }
    None
}

fn decimal(low: &str) -> Option<String> {
    low.parse::<f64>().ok().filter(|number| number.is_finite()).map(|_| low.to_owned())
}

/// The subject of a condition: the column that was read, or the name before it.
fn subject(ask: &mut PhraseReader<'_, '_>, source: &Source, place: usize, column: Option<&Column>) -> Option<Column> {
    if let Some(column) = column {
        return Some(column.clone());
    }
    let mut at = place.checked_sub(1)?;
    while ask.begins(at, "=is|=are|=has|=value|=the|=was").is_some() {
        at = at.checked_sub(1)?;
    }
    let word = ask.word(at)?;
    let is_word = word.thing.is_none() && word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_ours = ask.begins(at, "line|=where|=whose|=with|=and|file|=of|=in|=than|=that|column|=rows|=which|word|character|show|find|count|=all|=people|=users|=anyone|=everyone").is_some();
    if !is_word || is_ours || source.places.contains(&at) {
        return None;
    }
    let text = word.text.clone();
    ask.used.mark(at);
    Some(Column::Named(text))
}

impl Column {
    /// The start of an awk program that looks up the column by its name, and the column's expression.
    fn awk(&self) -> Option<(String, String)> {
        Some(match self {
            Column::Numbers(numbers) => (String::new(), format!("${}", numbers.first()?)),
            Column::Last => (String::new(), "$NF".to_owned()),
            Column::Named(name) => {
                let name = name.to_lowercase().replace(['\'', '\\', '"'], "");
                (format!("NR==1 {{for (i=1; i<=NF; i++) if (tolower($i)==\"{name}\") c=i; next}} "), "$c".to_owned())
            }
            Column::Span(..) | Column::Not(_) | Column::Names(_) | Column::Swapped(..) => return None,
        })
    }

    pub fn print(&self, delimiter: Option<char>) -> Option<Stage> {
        let by = flag(delimiter);
        let joined = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let cut = |fields: &str, more: &str| Stage::files(format!("cut {}{more}-f{fields}", cut_flag(delimiter)));
        let is_sorted = |numbers: &[u64]| numbers.is_sorted();
        Some(match (self, delimiter) {
            (Column::Numbers(numbers), Some(_)) if is_sorted(numbers) => cut(&joined(numbers), ""),
            (Column::Numbers(numbers), _) => {
                let fields: Vec<String> = numbers.iter().map(|number| format!("${number}")).collect();
                let output = delimiter.map(|letter| format!("-v OFS={} ", spelled(letter))).unwrap_or_default();
                Stage::files(format!("awk {by}{output}'{{print {}}}'", fields.join(", ")))
            }
            (Column::Last, _) => Stage::files(format!("awk {by}'{{print $NF}}'")),
            (Column::Span(first, last), Some(_)) => cut(&format!("{first}-{last}"), ""),
            (Column::Span(first, last), None) => {
                let fields: Vec<String> =
                    (*first..=(*last).min(first + 20)).map(|number| format!("${number}")).collect();
                Stage::files(format!("awk '{{print {}}}'", fields.join(", ")))
            }
            (Column::Not(numbers), Some(_)) => cut(&joined(numbers), "--complement "),
            (Column::Not(numbers), None) => {
                let empty: Vec<String> = numbers.iter().map(|number| format!("${number}=\"\"")).collect();
                Stage::files(format!("awk '{{{}; print}}'", empty.join("; ")))
            }
            (Column::Swapped(one, two), _) => {
                let output = delimiter.map(|letter| format!("-v OFS={} ", spelled(letter))).unwrap_or_default();
                Stage::files(format!("awk {by}{output}'{{t = ${one}; ${one} = ${two}; ${two} = t; print}}'"))
            }
            (Column::Names(names), _) => {
                let letter = delimiter.unwrap_or(',');
                let by = flag(Some(letter));
                let fields: Vec<String> = names
                    .iter()
                    .map(|name| format!("$h[\"{}\"]", name.to_lowercase().replace(['\'', '\\', '"'], "")))
                    .collect();
                Stage::files(format!(
                    "awk {by}-v OFS={} 'NR==1 {{for (i=1; i<=NF; i++) h[tolower($i)]=i}} {{print {}}}'",
                    spelled(letter),
                    fields.join(", ")
                ))
            }
            (Column::Named(name), _) => {
                let name = name.to_lowercase().replace(['\'', '\\', '"'], "");
                let by = if delimiter.is_none() { "-F, ".to_owned() } else { by };
                Stage::files(format!(
                    "awk {by}'NR==1 {{for (i=1; i<=NF; i++) if (tolower($i)==\"{name}\") c=i}} {{print $c}}'"
                ))
            }
        })
    }

    /// The values without the column's header.
    pub fn values(&self, delimiter: Option<char>) -> Option<Stage> {
        match self {
            Column::Named(_) => {
                let (start, value) = self.awk()?;
                let by = if delimiter.is_none() { "-F, ".to_owned() } else { flag(delimiter) };
                Some(Stage::files(format!("awk {by}'{start}{{print {value}}}'")))
            }
            _ => self.print(delimiter),
        }
    }

    pub fn sum(&self, sum: Sum, delimiter: Option<char>) -> Option<Stage> {
        let by = flag(delimiter);
        let by = if delimiter.is_none() && matches!(self, Column::Named(_)) { "-F, ".to_owned() } else { by };
        let (start, value) = self.awk()?;
        // Skips the header, which is not a number.
        let guard = if delimiter.is_some() && !matches!(self, Column::Named(_)) {
            format!("{value}+0=={value} ")
        } else {
            String::new()
        };
        let program = match sum {
            Sum::Total => format!("{start}{{s+={value}}} END {{print s}}"),
            Sum::Average => format!("{start}{guard}{{s+={value}; n++}} END {{if (n) print s/n}}"),
            Sum::Largest | Sum::Smallest => {
                let sign = if sum == Sum::Largest { '>' } else { '<' };
                let guard = if guard.is_empty() { String::new() } else { format!("{} && ", guard.trim_end()) };
                format!("{start}{guard}(m==\"\" || {value}+0{sign}m) {{m={value}+0}} END {{print m}}")
            }
        };
        Some(Stage::files(format!("awk {by}'{program}'")))
    }

    /// Aggregates the values of one column grouped by another.
    pub fn sum_per(&self, sum: Sum, by: &str, delimiter: Option<char>) -> Option<Stage> {
        let Column::Named(name) = self else { return None };
        let clean = |text: &str| text.to_lowercase().replace(['\'', '\\', '"'], "");
        let letter = delimiter.unwrap_or(',');
        let start = format!(
            "NR==1 {{for (i=1; i<=NF; i++) h[tolower($i)]=i; next}} {{k=$h[\"{}\"]; v=$h[\"{}\"]",
            clean(by),
            clean(name)
        );
        let program = match sum {
            Sum::Total => format!("{start}; s[k]+=v}} END {{for (k in s) print k, s[k]}}"),
            Sum::Average => format!("{start}; s[k]+=v; n[k]++}} END {{for (k in s) print k, s[k]/n[k]}}"),
            Sum::Largest => {
                format!("{start}; if (!(k in s) || v+0>s[k]) s[k]=v+0}} END {{for (k in s) print k, s[k]}}")
            }
            Sum::Smallest => {
                format!("{start}; if (!(k in s) || v+0<s[k]) s[k]=v+0}} END {{for (k in s) print k, s[k]}}")
            }
        };
        Some(Stage::files(format!("awk {}'{program}'", flag(Some(letter)))))
    }

    /// The row with the largest or smallest value.
    pub fn best_row(&self, sum: Sum, delimiter: Option<char>) -> Option<Stage> {
        let sign = match sum {
            Sum::Largest => '>',
            Sum::Smallest => '<',
            Sum::Total | Sum::Average => return None,
        };
        let (start, value) = self.awk()?;
        let by =
            if delimiter.is_none() && matches!(self, Column::Named(_)) { "-F, ".to_owned() } else { flag(delimiter) };
        let guard =
            if delimiter.is_some() && start.is_empty() { format!("{value}+0=={value} && ") } else { String::new() };
        Some(Stage::files(format!(
            "awk {by}'{start}{guard}(m==\"\" || {value}+0{sign}m) {{m={value}+0; l=$0}} END {{print l}}'"
        )))
    }

    /// The key for sort.
    pub fn key(&self) -> Option<String> {
        match self {
            Column::Numbers(numbers) => numbers.first().map(|number| format!("-k{number},{number}")),
            Column::Span(first, last) => Some(format!("-k{first},{last}")),
            Column::Last | Column::Named(_) | Column::Not(_) | Column::Names(_) | Column::Swapped(..) => None,
        }
    }
}

impl Condition {
    pub fn stage(&self, delimiter: Option<char>, print: Option<&Column>) -> Option<Stage> {
        let by = flag(delimiter);
        let by = if delimiter.is_none() && matches!(self.column, Column::Named(_)) { "-F, ".to_owned() } else { by };
        let (start, value) = self.column.awk()?;
        let wanted = if self.is_number {
            self.value.clone()
        } else {
            format!("\"{}\"", self.value.replace(['"', '\\', '\''], ""))
        };
        let header =
            if delimiter.is_some() && !matches!(self.column, Column::Named(_)) && !matches!(self.operator, "==") {
                "NR>1 && "
            } else {
                ""
            };
        let shown = match print {
            None => String::new(),
            Some(Column::Numbers(numbers)) => format!(
                " {{print {}}}",
                numbers.iter().map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
            ),
            Some(_) => return None,
        };
        Some(Stage::files(format!("awk {by}'{start}{header}{value} {} {wanted}{shown}'", self.operator)))
    }
}

fn spelled(letter: char) -> String {
    match letter {
        ',' | ':' => letter.to_string(),
        '\t' => "'\\t'".to_owned(),
        other => slots::single(&other.to_string()),
    }
}

/// The delimiter flag for awk.
pub fn flag(delimiter: Option<char>) -> String {
    match delimiter {
        None | Some(' ') => String::new(),
        Some(letter) => format!("-F{} ", spelled(letter)),
    }
}

fn cut_flag(delimiter: Option<char>) -> String {
    match delimiter {
        None | Some('\t') => String::new(),
        Some(letter) => format!("-d{} ", spelled(letter)),
    }
}

/// The delimiter flag for sort; a tab needs escaping.
pub fn sort_flag(delimiter: Option<char>) -> String {
    match delimiter {
        None | Some(' ') => String::new(),
        Some('\t') => " -t \"$(printf '\\t')\"".to_owned(),
        Some(letter) => format!(" -t{}", spelled(letter)),
    }
}
