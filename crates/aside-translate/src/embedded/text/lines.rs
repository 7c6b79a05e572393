//! Selects lines by position: the first ten, lines 5 to 10, every other one, all but the header.

use crate::ToolFlavor;
use crate::embedded::entities::Entity;
use crate::embedded::text::pattern::level;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::pipeline::Stage;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    First(u64),
    Last(u64),
    From(u64),
    Range(u64, u64),
    Two(u64, u64),
    One(u64),
    ButLast(u64),
    /// Every `n`th, beginning with the given one.
    Step(u64, u64),
    Random(u64),
    LastButOne,
}

/// How many lines are shown when the query gives no number.
const FEW: u64 = 10;
const NOT_FIRST: &str = "not the first|not first|all but the first|all but first|everything but the first|everything but first|but the first|not the top|=after the first|去掉第一|past the first";
const NOT_LAST: &str = "not the last|not last|all but the last|all but last|everything but the last|but the last";
const NO_HEADER: &str = "not the header|not header|not headers|not the headers|no header|skip header|skip the header|without header|without the header|excluding header|excluding the header|ignoring the header|ignore the header|minus the header|not counting the header|drop the header|but the header|not the header line|not the header row|not header row|not header line|delete the header|=headerless|跳过表头|not the column names|not the title line|not including the header|not including header|not count header|not count the header";
const LINE: &str = "line|entry|entries|record|records|result|results|match|matches|occurrence|=hits|=hit|=errors|=error|=warnings|=requests|=items|=values|=exceptions|=messages";

pub fn read(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    header(ask).or_else(|| last_but_one(ask)).or_else(|| read_plain(ask))
}

/// Without `all but`: a deletion names the lines directly.
pub fn read_plain(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    step(ask).or_else(|| random(ask)).or_else(|| range(ask)).or_else(|| one(ask)).or_else(|| ends(ask))
}

fn header(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    if let Some(range) = ask.find(NO_HEADER) {
        ask.mark(range);
        ask.take("line|all|=header");
        return Some(Lines::From(2));
    }
    for (phrases, is_first) in [(NOT_FIRST, true), (NOT_LAST, false)] {
        let Some(range) = ask.find(phrases) else { continue };
        let number = ask.number(range.end);
        let after = range.end + usize::from(number.is_some());
        let Some(noun) = ask
            .begins(after, "line|header|=header row|entry|record")
            .or_else(|| (after == ask.len()).then_some(after..after))
        else {
            continue;
        };
        ask.mark(range.start..noun.end);
        ask.take("all|line");
        let number = number.unwrap_or(1);
        return Some(if is_first { Lines::From(number + 1) } else { Lines::ButLast(number) });
    }
    None
}

fn last_but_one(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    let range = ask.find("last but one line|last but one|last but =one line|second last line|second to last line|second-to-last line|penultimate line|next to last line|second last|倒数第二行")?;
    ask.mark(range);
    ask.take("line");
    Some(Lines::LastButOne)
}

fn step(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    for (phrases, found) in [
        (
            "every other line|every second line|alternate line|odd line|odd numbered line|odd-numbered line|every 2nd line|odd number line|隔行|奇数行",
            Lines::Step(2, 1),
        ),
        ("even line|even numbered line|even-numbered line|偶数行", Lines::Step(2, 2)),
    ] {
        if let Some(range) = ask.find(phrases) {
            ask.mark(range);
            ask.take("number|=numbered");
            return Some(found);
        }
    }
    let every = ask.find("=every|=each")?;
    let number = ask.any_number(every.end)?;
    let line = ask.begins(every.end + 1, "line")?;
    ask.mark(every.start..line.end);
    Some(Lines::Step(number.max(1), number.max(1)))
}

fn random(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    let at = ask.find("=random|=randomly|at random|=sample|随机|=arbitrary")?;
    let line = ask.find("line|entry|record|=sample|word|name")?;
    let number =
        (at.start.saturating_sub(3)..at.end + 4).find_map(|place| ask.number(place).map(|number| (place, number)));
    if number.is_none() && ask.says("sort|=shuffle|order") {
        return None;
    }
    ask.mark(at);
    ask.mark(line.clone());
    ask.take("=pick|=choose|=select|=sample");
    if let Some((place, number)) = number {
        ask.used.mark(place);
        return Some(Lines::Random(number));
    }
    Some(Lines::Random(if ask.low(line.start).ends_with('s') { FEW } else { 1 }))
}

fn range(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    for place in 0..ask.len() {
        // `lines 5-10`, `lines 5,10`
        if let Some((first, last)) = pair(ask.low(place)).filter(|_| {
            ask.word(place).is_some_and(|word| !matches!(word.thing, Some(Entity::Text(_) | Entity::Path(_))))
        }) {
            let near = (place.saturating_sub(2)..place + 2).find_map(|near| ask.begins(near, "line"));
            if let Some(line) = near {
                ask.used.mark(place);
                ask.mark(line);
                return Some(Lines::Range(first, last));
            }
        }
        let Some(first) = ask.number(place) else { continue };
        let Some(join) = ask.begins(place + 1, "to|=through|=thru|=until|=till|=and|up to|=-|=–|到|至|=upto")
        else {
            continue;
        };
        let after = ask.begins(join.end, "the line|line number|=line|=lines").map_or(join.end, |range| range.end);
        let before =
            (place.saturating_sub(3)..place).find_map(|near| ask.begins(near, "line number|line|between line|=rows"));
        if let Some(last) = ask.number(after) {
            let line = before.or_else(|| ask.begins(after + 1, "line"));
            let Some(line) = line else { continue };
            ask.mark(place..after + 1);
            ask.mark(line);
            let between = ask.take("between");
            if ask.low(join.start) == "and" && !between {
                return Some(Lines::Two(first, last));
            }
            return (first <= last).then_some(Lines::Range(first, last));
        }
        if let (Some(line), Some(end)) =
            (before, ask.begins(after, "the end|=end|last|the last|=eof|the bottom|end of file|the end of"))
        {
            ask.mark(place..end.end);
            ask.mark(line);
            return Some(Lines::From(first));
        }
    }
    None
}

/// `5-10`, `5..10`, `5,10`
fn pair(low: &str) -> Option<(u64, u64)> {
    let (first, last) = low
        .split_once('-')
        .or_else(|| low.split_once(".."))
        .or_else(|| low.split_once(','))
        .or_else(|| low.split_once('~'))?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && first > 0).then_some((first, last))
}

fn one(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    for place in 0..ask.len() {
        let Some(line) = ask.begins(place, "line number|line no|line #|line|row number|第") else { continue };
        // `第二列` is a column.
        if ask.low(place) == "第" && ask.begins(line.end + 1, "line|=行").is_none() {
            continue;
        }
        if let Some(number) = ask.number(line.end).filter(|number| *number > 0).or_else(|| hashed(ask.low(line.end))) {
            let before = place.checked_sub(1).map_or("", |before| ask.low(before));
            let earlier = place.checked_sub(2).map_or("", |before| ask.low(before));
            let onwards =
                ask.begins(line.end + 1, "onwards|onward|=on|and beyond|and after|=forward|and on|to end|之后|开始");
            let starts = matches!(before, "from" | "after" | "since" | "past" | "newer") && !matches!(earlier, "text")
                || matches!((earlier, before), ("starting" | "start" | "begin" | "beginning", _))
                || matches!(before, "starting");
            ask.mark(place..line.end + 1);
            ask.take("=行");
            if starts || onwards.is_some() {
                let past = matches!(before, "after" | "past");
                // `5 lines starting from line 20`
                let many = (0..place).find_map(|near| {
                    let number = ask.number(near)?;
                    let noun = ask.begins(near + 1, "=lines|=rows")?;
                    Some((near..noun.end, number))
                });
                if let Some((range, many)) = many {
                    ask.mark(range);
                    ask.take("=starting|=from|start|=after|=past|newer|=following");
                    let first = number + u64::from(past);
                    return Some(Lines::Range(first, first + many.max(1) - 1));
                }
                if let Some(range) = onwards {
                    ask.mark(range);
                }
                ask.take("=starting|=from|start|=after|=past|starting at|starting from");
                return Some(Lines::From(number + u64::from(past)));
            }
            // Lines before or after it are another query.
            if matches!(before, "before" | "until" | "till") || before == "to" && matches!(earlier, "up") {
                ask.take("=before|=until|=till|up to|older");
                return Some(Lines::First(number - u64::from(before == "before")));
            }
            return Some(Lines::One(number));
        }
    }
    for place in 0..ask.len() {
        let Some(number) = ask.ordinal(place).filter(|number| *number > 1) else { continue };
        if let Some(line) = ask.begins(place + 1, "=line|=row|=record|=entry") {
            ask.mark(place..line.end);
            if ask.low(line.end) == "from" && ask.begins(line.end, "from the end|from the bottom").is_some() {
                return None;
            }
            return Some(Lines::One(number));
        }
        if let Some(last) = ask.begins(place + 1, "to last line|last line") {
            ask.mark(place..last.end);
            return None;
        }
    }
    None
}

fn hashed(low: &str) -> Option<u64> {
    low.strip_prefix('#')?.parse().ok().filter(|number| *number > 0)
}

fn ends(ask: &mut PhraseReader<'_, '_>) -> Option<Lines> {
    for place in 0..ask.len() {
        let is_first = ask.begins(place, "first|=head|=top|=beginning|=start|前").is_some()
            && ask.word(place).is_some_and(|word| word.thing.is_none());
        let is_last = ask.begins(place, "last|=tail|=bottom|=end|=latest|newest|后|recent").is_some()
            && ask.word(place).is_some_and(|word| word.thing.is_none());
        if !is_first && !is_last || ask.used.has(place) {
            continue;
        }
        let make = |number: u64| if is_first { Lines::First(number) } else { Lines::Last(number) };
        // `first 5 lines`, `last 5`, `5 last lines`, `first line`, `first few lines`
        if let Some(number) = ask.number(place + 1) {
            let noun = ask.begins(place + 2, LINE);
            let ends = place + 2 >= ask.len()
                || ask.begins(place + 2, "of|in|from|=that|=with|=containing|=inside").is_some()
                || ask.word(place + 2).is_some_and(|word| word.thing.is_some());
            if noun.is_none() && !ends {
                continue;
            }
            // A log level after the number is a search text, so the count does not explain it.
            let noun = noun.filter(|noun| level(ask.low(noun.start)).is_none());
            ask.mark(place..noun.map_or(place + 2, |noun| noun.end));
            return Some(make(number));
        }
        if let Some(number) = place.checked_sub(1).and_then(|before| ask.number(before))
            && let Some(line) = ask.begins(place + 1, LINE)
        {
            ask.mark(place - 1..line.end);
            return Some(make(number));
        }
        if let Some(range) = ask.begins(
            place + 1,
            "few line|couple line|couple of line|several line|some line|=lines|=rows|=entries|=few|=bit|=part",
        ) {
            ask.mark(place..range.end);
            return Some(make(FEW));
        }
        if let Some(line) =
            ask.begins(place + 1, "=line|=row|=record|=entry|行|=match|=occurrence|=error|=hit|=result|=message")
        {
            let is_level = level(ask.low(line.start)).is_some();
            ask.mark(place..if is_level { line.start } else { line.end });
            return Some(make(1));
        }
        let low = ask.low(place);
        let bare = matches!(low, "head" | "tail" | "top" | "bottom" | "beginning" | "start" | "end");
        if bare
            && (ask.begins(place + 1, "of|in|from").is_some()
                || ask.word(place + 1).is_some_and(|word| matches!(word.thing, Some(Entity::Path(_))))
                || place + 1 >= ask.len())
        {
            // `lines at the end of`, but not `at the end of each line`.
            if ask.says("=each|=every|insert|=add|append|=prepend") {
                continue;
            }
            ask.used.mark(place);
            ask.take("=part");
            return Some(make(FEW));
        }
    }
    None
}

impl Lines {
    pub fn stage(self, system: ToolFlavor) -> Stage {
        let command = match self {
            Lines::First(number) => format!("head -n {number}"),
            Lines::Last(number) => format!("tail -n {number}"),
            Lines::From(number) => format!("tail -n +{number}"),
            Lines::Range(first, last) => format!("sed -n '{first},{last}p'"),
            Lines::Two(first, second) => format!("sed -n '{first}p;{second}p'"),
            Lines::One(number) => format!("sed -n '{number}p'"),
            Lines::ButLast(number) => match (number, system) {
                (1, _) => "sed '$d'".to_owned(),
                (_, ToolFlavor::Gnu | ToolFlavor::Busybox) => format!("head -n -{number}"),
                (_, ToolFlavor::Bsd) => format!("awk 'NR>{number}{{print l[NR%{number}]}}{{l[NR%{number}]=$0}}'"),
            },
            Lines::Step(every, from) => {
                let rest = from % every.max(1);
                format!("awk 'NR % {every} == {rest}'")
            }
            Lines::Random(number) => format!("shuf -n {number}"),
            Lines::LastButOne => "sed -n 'x;$p'".to_owned(),
        };
        Stage::files(command)
    }

    pub fn about(self) -> &'static str {
        match self {
            Lines::First(_) => "shows the first lines",
            Lines::Last(_) => "shows the last lines",
            Lines::From(_) => "leaves out the first lines",
            Lines::Range(..) | Lines::Two(..) | Lines::One(_) => "shows lines by their number",
            Lines::ButLast(_) => "leaves out the last lines",
            Lines::Step(..) => "shows every nth line",
            Lines::Random(_) => "shows lines at random",
            Lines::LastButOne => "shows the line before the last",
        }
    }

    /// As a sed address, where there is one.
    pub fn address(self) -> Option<String> {
        Some(match self {
            Lines::First(1) => "1".to_owned(),
            Lines::First(number) => format!("1,{number}"),
            Lines::Last(1) => "$".to_owned(),
            Lines::From(number) => format!("{number},$"),
            Lines::Range(first, last) => format!("{first},{last}"),
            Lines::One(number) => number.to_string(),
            Lines::Last(_)
            | Lines::Two(..)
            | Lines::ButLast(_)
            | Lines::Step(..)
            | Lines::Random(_)
            | Lines::LastButOne => {
                return None;
            }
        })
    }
}
