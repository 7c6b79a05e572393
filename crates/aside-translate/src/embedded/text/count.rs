//! Counts per value, unique values, and the sort order.

use crate::embedded::text::columns::{self, Column};
use crate::embedded::text::extract;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::pipeline::Stage;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    pub of_words: bool,
    pub top: Option<u64>,
    pub is_rarest: bool,
    /// In chronological order.
    pub by_time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    Sorted,
    InOrder,
    /// Only values that occur more than once.
    Duplicated,
    /// Only values that occur once.
    Once,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    by: By,
    is_reverse: bool,
    in_place: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum By {
    #[default]
    Text,
    Number,
    Human,
    Version,
    Month,
    Length,
    Chance,
    /// As text, ignoring case.
    Folded,
}

const MOST: &str = "most frequent|most common|most frequently|most often|most used|most repeated|most popular|=popular|commonest|frequent|most active|most visited|most requested|most hits|most requests|appear most|occur most|appears most|occurs most|=top|=most|=busiest|出现最多|最常见|most commonly used|most commonly|最多|most frequently used|=commonest";
const EACH: &str = "frequency|frequencies|how often each|how often does each|how often do each|how often every|how many times does each|how many times does every|how many times each|number of times each|count of each|count for each|count each|count by|count per|count how many of each|group by|grouped by|=histogram|number of each|occurrence of each|occurrences of each|occurrence per|per value|count the occurrence of each|count occurrence of each|how many of each|how many each|how many per|=tally|with count|with counts|and count them|每个|频率|how many times every|distribution|how many lines per|how many entries per|count unique|per ip|per status|per page|per status code|count for every|number of request per|requests per|number of requests per|number of occurrence of each|count how often each|count how many times each|by count|=breakdown";
const KEEPS: &str = "keeping order|keep order|keep the order|preserving order|preserve order|preserve the order|original order|without sorting|not sort|keeping the order|preserving the order|in original order|in the original order|same order|not changing the order|keeping the original order|not change order|first occurrence|keeping first|保持顺序|maintain order|order preserved|keeping the first";
const LEAST: &str = "least frequent|least common|=rarest|=rare";

pub fn tally(ask: &mut PhraseReader<'_, '_>) -> Option<Tally> {
    if ask
        .says("each character|every character|each letter|character frequency|=letter frequency|frequency of character")
    {
        return None;
    }
    if [extract::BY_HOUR, extract::BY_DAY, extract::BY_MINUTE].iter().any(|phrases| ask.says(phrases)) {
        return Some(Tally { of_words: false, top: None, is_rarest: false, by_time: true });
    }
    let number = top(ask);
    let is_rarest = ask.take(LEAST);
    let each = ask.find(EACH);
    let most = ask.find(MOST).filter(|range| {
        // `top 10 lines` are the first ones, `top 10 words` the most frequent.
        let low = ask.low(range.start);
        low != "top"
            || (range.end..range.end + 3).any(|place| ask.begins(place, "word|=values|ip|=ips|ip address|=url|=urls|=pages|status code|=email|=emails|=talkers|=domains|=visitors|=errors|=endpoints|=paths|=user agents|=addresses|frequent|=clients|=countries|=names").is_some())
            || ask.find("frequent|=common|=occurring").is_some()
    });
    let most = most.filter(|range| {
        ask.low(range.start) != "most"
            || range.len() > 1
            || ask.begins(range.end, "=lines|=line|=recent|=of|=recently|=words|=characters").is_none()
    });
    if each.is_none() && most.is_none() && !is_rarest {
        return None;
    }
    // The number of distinct values is a number, not a list.
    if each.is_some()
        && most.is_none()
        && ask.says("count unique|how many unique|number of unique")
        && !ask.says("=each|=per|group")
    {
        return None;
    }
    ask.take(EACH);
    if most.is_some() {
        ask.take(MOST);
        ask.take("=appearing|=occurring|=common|=often|=used|=frequently|appear|occur|=repeated|=times|=hits|=show up");
    }
    // `each fruit`: any noun may stand for the lines.
    if let Some(each) = &each
        && matches!(ask.low(each.end.saturating_sub(1)), "each" | "every")
        && ask.word(each.end).is_some_and(|word| word.thing.is_none())
        && ask.begins(each.end, "word|line|column|=in|=of|=character").is_none()
    {
        ask.used.mark(each.end);
    }
    ask.take("=each|=every|=per|=their|=different|unique|=occur|=occurs|=appear|=appears|occur|appear");
    let is_singular = ask.find("most frequent =word|most common =word|most common =line|most frequent =line|most used =word|most frequent =ip|most common =ip|which =ip|which word|which line|what is the most|most common =value|most frequent =value").is_some();
    let top = match number {
        Some((place, number)) => {
            ask.used.mark(place);
            ask.take("=top|=first");
            Some(number)
        }
        None if most.is_some() || is_rarest => Some(if is_singular { 1 } else { 10 }),
        None => None,
    };
    let of_words = ask.find("word|=term|=terms").is_some_and(|range| {
        ask.low(range.start.saturating_sub(1)) != "the" || ask.low(range.start) == "words" || is_singular
    }) || ask.says("word frequency|word frequencies");
    if of_words {
        ask.take("word|=term|=terms");
    }
    Some(Tally { of_words, top, is_rarest, by_time: false })
}

/// `top 10`, `10 most common`
fn top(ask: &PhraseReader<'_, '_>) -> Option<(usize, u64)> {
    (0..ask.len()).find_map(|place| {
        let number = ask.number(place)?;
        let before = place.checked_sub(1).map_or("", |before| ask.low(before));
        (matches!(before, "top" | "first" | "前")
            || ask.begins(place + 1, "most|least|top|frequent|=commonest|=busiest").is_some())
        .then_some((place, number))
    })
}

pub fn unique(ask: &mut PhraseReader<'_, '_>) -> Option<Unique> {
    if ask.take("only once|exactly once|appear once|occur once|not repeated|not duplicated|appears once|occurs once|not duplicate|just once|=unduplicated") {
        ask.take("line|appear|occur|=appears|=occurs");
        return Some(Unique::Once);
    }
    let deletes = "delete duplicate|delete the duplicate|delete all duplicate|delete repeated|delete duplicate line|strip duplicate|drop duplicate|eliminate duplicate|not duplicate|not repeat|not the duplicate|=deduplicated|=dedup|=dedupe|=deduplicate|without duplicate|without duplicates|remove duplicate|remove duplicates|filter out duplicate|=去重|without repeats|no duplicates";
    let keeps = ask.take(KEEPS);
    if ask.take(deletes) {
        ask.take("line|duplicate|=all|=entries|=rows|=values|=consecutive|=adjacent");
        return Some(Unique::InOrder);
    }
    if ask.take("unique|=distinct|=different") {
        ask.take("=only|=duplicate|=duplicates");
        return Some(if keeps { Unique::InOrder } else { Unique::Sorted });
    }
    if ask.take("duplicate|more than once|=twice|repeated|appear multiple times|occur multiple times|appear more than once|=repeating|=repeat|at least twice") {
        ask.take("line|appear|occur|=times|=entries|=appears|=occurs|=rows|=values");
        return Some(Unique::Duplicated);
    }
    keeps.then_some(Unique::InOrder)
}

pub fn order(ask: &mut PhraseReader<'_, '_>) -> Option<Order> {
    let sorts = ask.says("sort|=shuffle|=shuffled|=alphabetically|=randomize|=randomise|=order|alphabetical order|=ordered|=sorted|随机排序|按字母|打乱|=alphabetical|=alphabetize|=scramble|=numerically");
    if !sorts || ask.says(KEEPS) {
        return None;
    }
    let mut order = Order::default();
    let shuffles =
        ask.take("=shuffle|=shuffled|=randomize|=randomise|random order|=randomly|=random|打乱|=scramble|at random");
    if ask.take("by length|by line length|by the length|by their length|shortest first|longest first|line length|按长度|from shortest|from longest|shortest to longest|longest to shortest") {
        order.by = By::Length;
        if ask.says("longest first|from longest|longest to shortest") {
            order.is_reverse = true;
        }
    } else if ask.take("=version|=versions|version number|version numbers|=semver|by version") {
        order.by = By::Version;
    } else if ask.take("=numerically|=numeric|=numerical|by number|as number|as numbers|number order|numeric order|numerical order|by numeric value|by value|numbers|by numbers|numeric value|按数字|=number|number|by size|numeric") {
        order.by = By::Number;
    } else if ask.take("human|by human sizes|=sizes") {
        order.by = By::Human;
    } else if ask.take("by month|=month|=months") {
        order.by = By::Month;
    } else if ask.take("case|insensitive") {
        order.by = By::Folded;
    }
    if shuffles {
        order.by = By::Chance;
    }
    order.is_reverse |= ask.take("reverse|descending|=desc|highest first|largest first|biggest first|z to a|z-a|decreasing|high to low|from high to low|largest to smallest|biggest to smallest|from largest to smallest|from largest|highest to lowest|from highest to lowest|biggest|=backwards|倒序|降序|从大到小|from z to a|from biggest to smallest|largest|=decreasing|longest first");
    if ask.says("highest|largest|high to low|low to high|lowest|smallest") && order.by == By::Text {
        order.by = By::Number;
    }
    ask.take("ascending|a to z|a-z|increasing|low to high|smallest first|lowest first|smallest to largest|升序|从小到大|smallest|lowest|highest|from low to high");
    order.in_place = ask.take("in place|in-place|=inplace|the file itself|back to the file|back into the file|save it back|to itself|overwriting|overwrite|save it|save the result back|back to itself|and save|save back|write it back|back to the same file|to the same file");
    ask.take("sort|=alphabetically|=order|=alphabetical|=ordered|=sorted|=by|line|=alphabetize|content|alphabetical order|按字母|顺序|=then|word");
    Some(order)
}

impl Order {
    /// The longest first.
    pub fn by_length() -> Self {
        Self { by: By::Length, is_reverse: true, in_place: false }
    }

    /// Numerically.
    pub fn of(is_reverse: bool) -> Self {
        Self { by: By::Number, is_reverse, in_place: false }
    }

    /// Prints instead of sorting in place.
    pub fn prints(&mut self) {
        self.in_place = false;
    }

    /// Columns with such a name contain numbers.
    pub fn of_numbers(&mut self, name: &str) {
        const NUMBERS: &[&str] = &[
            "price",
            "age",
            "amount",
            "score",
            "count",
            "total",
            "salary",
            "size",
            "quantity",
            "qty",
            "id",
            "year",
            "cost",
            "population",
            "revenue",
            "sales",
            "number",
            "points",
            "rating",
            "weight",
            "height",
            "balance",
            "grade",
            "duration",
        ];
        if self.by == By::Text && NUMBERS.contains(&name.to_lowercase().as_str()) {
            self.by = By::Number;
        }
    }

    pub fn stages(self, column: Option<&Column>, delimiter: Option<char>, is_unique: bool, files: &str) -> Vec<Stage> {
        if self.by == By::Chance {
            return vec![Stage::files("shuf")];
        }
        if self.by == By::Length {
            let reverse = if self.is_reverse { "r" } else { "" };
            return vec![
                Stage::files("awk '{print length($0), $0}'"),
                Stage::input(format!("sort -{reverse}n")),
                Stage::input("cut -d' ' -f2-"),
            ];
        }
        let mut flags = String::new();
        match self.by {
            By::Text | By::Length | By::Chance => {}
            By::Number => flags.push('n'),
            By::Human => flags.push('h'),
            By::Version => flags.push('V'),
            By::Month => flags.push('M'),
            By::Folded => flags.push('f'),
        }
        if self.is_reverse {
            flags.push('r');
        }
        if is_unique {
            flags.push('u');
        }
        let dashed = if flags.is_empty() { String::new() } else { format!(" -{flags}") };
        let mut command = match column {
            None => format!("sort{dashed}"),
            Some(column) => match column.key() {
                Some(key) => format!("sort{}{dashed} {key}", columns::sort_flag(delimiter)),
                None => match column {
                    Column::Last => {
                        let by = columns::flag(delimiter);
                        return vec![
                            Stage::files(format!("awk {by}'{{print $NF \"\\t\" $0}}'")),
                            Stage::input(format!("sort{dashed}")),
                            Stage::input("cut -f2-"),
                        ];
                    }
                    Column::Named(name) if !files.contains(' ') && is_plain(name) => {
                        let letter = delimiter.unwrap_or(',');
                        let key = format!(
                            "\"$(head -n 1 {files} | tr '{}' '\\n' | grep -nixF '{name}' | cut -d: -f1)\"",
                            if letter == '\t' { "\\t".to_owned() } else { letter.to_string() }
                        );
                        return vec![
                            Stage::files("tail -n +2"),
                            Stage::input(format!("sort{}{dashed} -k{key}", columns::sort_flag(Some(letter)))),
                        ];
                    }
                    _ => format!("sort{dashed}"),
                },
            },
        };
        if self.in_place && !files.contains([' ', '*']) {
            command.push_str(&format!(" -o {files}"));
        }
        vec![Stage::files(command)]
    }
}

/// Whether a column's name has no special characters, so that it is safe at any level of quoting.
fn is_plain(name: &str) -> bool {
    name.chars().all(|letter| letter.is_alphanumeric() || " _-.".contains(letter))
}
