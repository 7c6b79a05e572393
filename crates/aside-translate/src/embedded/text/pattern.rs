//! Finds the search text: a quoted text, the words behind `containing`, or the only word that means nothing else.

use std::ops::Range;

use crate::embedded::entities::Entity;
use crate::embedded::slots;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::source::Source;
use crate::embedded::text::transform;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub texts: Vec<String>,
    pub joined: Joined,
    pub is_regex: bool,
    pub ignores_case: bool,
    pub is_inverted: bool,
    pub edge: Edge,
    pub whole: Whole,
    /// Texts that must not be in the line.
    pub without: Vec<String>,
    /// The text is a character class, already spelled as one.
    pub is_class: bool,
    pub places: Vec<usize>,
    /// Nothing marks this as the search text.
    pub is_guessed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// Any of the texts matches.
    Any,
    /// All on one line.
    All,
}

/// Where in the line it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Anywhere,
    Start,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    Part,
    Word,
    Line,
}

const STARTS: &str = "start with|starts with|starting with|started with|begin with|begins with|beginning with|begin in|starting in|that start with|以|starts by|prefixed with|开头是";
const ENDS: &str = "end with|ends with|ending with|end in|ends in|ending in|finish with|ending on";
/// Markers that are always followed by the search text.
const STRONG: &str = "mention of|mentions of|any mention of|how often|how often does|consist only of|consisting only of|consist of only|made of|only contain|contain only|contain|match|grep for|grep|search for|look for|looking for|searching for|mention|=word|=string|=text|=pattern|=phrase|=keyword|=regex|regular expression|=expression|occurrence of|occurrences of|instance of|instances of|references to|reference to|usages of|usage of|uses of|calls to|where it says|that say|which say|saying|with the text|with text|=search|including|import of|imports of|define|defined|calling|搜索|包含";
/// The same, unless a word with a meaning of its own follows: `files with sizes`, `files without extension`.
const SOFT: &str = "line w|lines w|lines w/|files with|files without|file with|file without|that have|that has|which have|times|lines with|line with|lines without|line without|lines of|lines having|rows with|rows without|rows having";
/// Markers that are followed by the search text only if it is not a known word.
const WEAK: &str = "find|show|with|=for|have|has|=having|not|count|=about|=all|=use|=uses|=using|list|=by|delete|=get|=where|are|=of|=every|=first|=last";

/// Words before the text that are not part of it.
const LEADS: &str = "the|a|an|any|=word|=words|=string|=strings|=text|=texts|=pattern|=phrase|=keyword|=keywords|=term|=regex|expression|regular|=for|either|both|=all|=literal|=letters|=either|=line|=lines|=that|=of|=function|=variable|=with|=to|=there|character|=only|contain|match|=having|=have|mention|=-i|=-n|=-r|=-rn|=-v|=-w|=-e|=me|=-c|=-l|=-rl|=-ri|=exactly|=exact|=of|=nothing|=but|=phrase|=w|=w/|=is|=does|=do|=did|=are|=place|=places|=where|=spots|=identifier|=class|=method";
/// Words that end an unquoted text.
const STOPS: &str = "in|inside|within|=from|under|across|=through|throughout|on|at|file|directory|here|line|case|recursive|=ignoring|=but|=then|=using|sort|count|show|=with|=without|=appears|=appear|occurs|occur|=there|=per|=by|=is|=are|=that|=which|=anywhere|=everywhere|=please|=exists|exist|=mentioned|=found|unique|=along|=plus|=into|comes|=come|=replace|出现|=does|=do|=happens|=happened|=show|=print|=only|=before|=after|=for|=if|=was|=were|=the|=sorted|=or|=and|=reversed|=as|=to|的|行|=has|=have|=excluding|except|=used|=not|=grouped|=whole|=exact|=lines|insensitive|=starting|=ending|=starts|=ends|=file|=occurrences|=times|=over|=defined|=called|=every|=most|=all|=since|=between|=today|=longer|=shorter|=today's|=it|=within";
/// Nouns that describe a text and are not part of it: `TODO comments`.
const NOUNS: &str = "comment|comments|message|messages|entry|entries|statement|statements|tag|tags|marker|markers|line|lines|word|string|text|keyword|=logs|=occurrences|=mentions|request|requests|=calls|=usages|=references|=notes|=items|=annotations|=keywords|=lines|=events|=records|=functions|=function|=placeholders|=occurence";
/// Names of log levels, and the part that all spellings share.
const LEVELS: &[(&str, &str)] = &[
    ("error", "error"),
    ("errors", "error"),
    ("warning", "warn"),
    ("warnings", "warn"),
    ("warn", "warn"),
    ("fail", "fail"),
    ("failed", "fail"),
    ("failure", "fail"),
    ("failures", "fail"),
    ("exception", "exception"),
    ("exceptions", "exception"),
    ("fatal", "fatal"),
    ("critical", "critical"),
    ("debug", "debug"),
    ("timeout", "timeout"),
    ("timeouts", "timeout"),
    ("错误", "error"),
    ("报错", "error"),
    ("出错", "error"),
    ("错误信息", "error"),
    ("告警", "warn"),
    ("警告信息", "warn"),
    ("异常信息", "exception"),
    ("警告", "warn"),
    ("异常", "exception"),
];

impl Pattern {
    pub fn of(text: String) -> Self {
        Self {
            texts: vec![text],
            joined: Joined::Any,
            is_regex: false,
            ignores_case: false,
            is_inverted: false,
            edge: Edge::Anywhere,
            whole: Whole::Part,
            without: Vec::new(),
            is_class: false,
            places: Vec::new(),
            is_guessed: false,
        }
    }

    pub fn read(ask: &PhraseReader<'_, '_>, source: &Source) -> Option<Self> {
        let mut pattern = Self {
            texts: Vec::new(),
            is_regex: ask.says("=regex|regexp|regular expression"),
            ignores_case: ask.says("case|=-i|=-ri|=-rin|=-in|insensitive|any case|upper or lower case|不区分大小写"),
            ..Self::of(String::new())
        };
        let (start, end) = (edge_of(ask, STARTS), edge_of(ask, ENDS));
        if let Some(range) = start.clone().or_else(|| end.clone()) {
            pattern.edge = if start.is_some() { Edge::Start } else { Edge::End };
            pattern.places.extend(range);
        }
        pattern.quoted(ask, source);
        if pattern.texts.is_empty() {
            pattern.spoken(ask, source)?;
        }
        pattern.but_not(ask, source);
        pattern.is_inverted = is_inverted(ask, &pattern);
        pattern.whole = whole(ask);
        Some(pattern)
    }

    fn quoted(&mut self, ask: &PhraseReader<'_, '_>, source: &Source) {
        for place in 0..ask.len() {
            if let Some(text) = plain_text(ask, place).filter(|_| ask.is_free(place) && !source.places.contains(&place))
            {
                let is_not = (place.saturating_sub(3)..place)
                    .any(|near| ask.begins(near, "not").is_some_and(|range| range.end <= place));
                if is_not && !self.texts.is_empty() {
                    self.without.push(text.to_owned());
                } else {
                    self.texts.push(text.to_owned());
                }
                self.places.push(place);
            }
        }
        if let [first, .., last] = self.places.as_slice()
            && self.texts.len() > 1
        {
            let between = |word: &str| (*first..*last).any(|place| ask.low(place) == word);
            self.joined = if between("or") || between("或") || between("either") { Joined::Any } else { Joined::All };
            if between("either") || ask.says("either|=any|or|或者|或") {
                self.joined = Joined::Any;
            }
        }
    }

    /// `with foo but not bar`
    fn but_not(&mut self, ask: &PhraseReader<'_, '_>, source: &Source) {
        let Some(last) = self.places.iter().copied().max().filter(|_| self.without.is_empty()) else { return };
        let Some(not) = ask.find_from(last + 1, "but not|and not|not").filter(|range| range.start <= last + 2) else {
            return;
        };
        if ask.begins(not.start, "not the header|not header|not case").is_some() {
            return;
        }
        let Some(run) = self.run(ask, source, not.clone()) else { return };
        if run.clone().all(|place| is_unknown(ask, place) || is_capital(ask, place) || level(ask.low(place)).is_some())
        {
            let words: Vec<&str> =
                run.clone().map(|place| ask.word(place).map_or("", |word| word.text.as_str())).collect();
            let text = words.join(" ");
            self.without.push(level(&text).map_or(text.clone(), str::to_owned));
            self.places.extend(not.start..run.end);
        }
    }

    /// An unquoted search text.
    fn spoken(&mut self, ask: &PhraseReader<'_, '_>, source: &Source) -> Option<()> {
        let edge = edge_of(ask, STARTS).or_else(|| edge_of(ask, ENDS));
        if let Some(range) = &edge
            && self.letter_at_edge(ask, source, range)
        {
            return Some(());
        }
        let markers: Vec<Range<usize>> = edge.clone().map_or_else(|| strong(ask), |range| vec![range]);
        if self.marked(ask, source, markers) || self.code(ask, source) || self.capitals_or_level(ask, source) {
            return Some(());
        }
        let is_free = |place: &usize| ask.is_free(*place) && !source.places.contains(place);
        let mut from = 0;
        while let Some(range) = ask.find_from(from, WEAK) {
            from = range.end.max(from + 1);
            if let Some(run) = self.run(ask, source, range.clone())
                && (is_meant(ask, &run)
                    || source.is_named()
                        && ask.says("line|row|grep|=search|show|find|count|=print")
                        && run.clone().any(|place| is_unknown(ask, place)))
                && run.clone().all(|place| ask.begins(place, JUNK).is_none())
            {
                self.is_guessed = true;
                self.texts_of(ask, run);
                return Some(());
            }
        }
        let unknown = (0..ask.len())
            .filter(is_free)
            .find(|place| is_unknown(ask, *place) && ask.begins(*place, JUNK).is_none())?;
        let end = (unknown..ask.len()).find(|place| !is_unknown(ask, *place) || !is_free(place)).unwrap_or(ask.len());
        // `foo in a.txt`, but not every unknown word.
        let is_beside = ask.begins(end, "in|inside|within|from|=from").is_some()
            || source.places.contains(&end) && unknown == 0 && end == 1 && ask.len() == 2;
        if !is_beside || end - unknown > 3 {
            return None;
        }
        self.is_guessed = true;
        self.texts_of(ask, unknown..end);
        Some(())
    }

    /// `starting with a #`: a file ending or a character.
    fn letter_at_edge(&mut self, ask: &PhraseReader<'_, '_>, source: &Source, range: &Range<usize>) -> bool {
        let mut at = range.end;
        while ask.begins(at, "=a|=an|=the").is_some() {
            at += 1;
        }
        if let Some(Some(Entity::Kind(_))) = ask.word(at).map(|word| &word.thing)
            && !source.places.contains(&at)
            && let Some(word) = ask.word(at)
        {
            self.texts.push(word.text.clone());
            self.places.extend(range.start..at + 1);
            return true;
        }
        if let Some((letter, end)) = transform::letter(ask, at).filter(|(letter, _)| *letter != '\n') {
            self.texts.push(letter.to_string());
            self.places.extend(range.start..end);
            return true;
        }
        false
    }

    /// The text behind one of the words that announce it.
    fn marked(&mut self, ask: &PhraseReader<'_, '_>, source: &Source, markers: Vec<Range<usize>>) -> bool {
        for range in markers {
            let Some(run) = self.run(ask, source, range.clone()) else { continue };
            if let Some(class) = class(ask, &run) {
                self.texts.push(class.to_owned());
                self.is_class = true;
                self.places.extend(range.start..run.end);
                return true;
            }
            if run.clone().all(|place| ask.begins(place, JUNK).is_some()) {
                continue;
            }
            // For lines of a named file these words can only introduce the search text.
            let is_soft = ask.begins(range.start, SOFT).is_some_and(|soft| soft == range)
                || range.len() == 1
                    && matches!(ask.low(range.start), "including" | "incl" | "incl." | "include" | "includes" | "包括");
            if is_soft && !(source.is_named() && ask.says("line|row")) && !is_meant(ask, &run) {
                continue;
            }
            self.texts_of(ask, run);
            if !self.texts.is_empty() {
                return true;
            }
        }
        false
    }

    /// Statements, calls and imports of source code.
    fn code(&mut self, ask: &PhraseReader<'_, '_>, source: &Source) -> bool {
        // `print statements`, `foo calls`
        if let Some(range) = ask.find("=statements|=statement|=calls").filter(|range| range.start > 0)
            && let Some(word) = ask.word(range.start - 1).filter(|word| word.thing.is_none())
            && ask.begins(range.start - 1, "all|the|=any|=function|=find|=list").is_none()
        {
            self.texts.push(word.text.clone());
            self.places.extend(range.start - 1..range.end);
            return true;
        }
        // `that import requests`
        if let Some(range) = ask.find("=import|=imports|=importing").filter(|range| range.end < ask.len())
            && ask.begins(range.end, "in|from|=of|file|statement").is_none()
            && !source.places.contains(&range.end)
            && let Some(word) = ask.word(range.end)
        {
            self.texts.push(format!("import {}", word.text));
            self.places.extend(range.start..range.end + 1);
            return true;
        }
        false
    }

    fn capitals_or_level(&mut self, ask: &PhraseReader<'_, '_>, source: &Source) -> bool {
        // Words in capitals are search texts: TODO, ERROR, FIXME.
        let is_free = |place: &usize| ask.is_free(*place) && !source.places.contains(place);
        let capitals = (0..ask.len()).filter(is_free).find(|place| is_capital(ask, *place));
        if let Some(place) = capitals {
            // `TODO and FIXME` are two texts, each on its own line.
            let mut end = place + 1;
            while matches!(ask.low(end), "and" | "or" | "&") && is_capital(ask, end + 1) {
                end += 2;
            }
            self.texts_of(ask, place..end);
            self.joined = Joined::Any;
            return true;
        }
        let level = (0..ask.len()).filter(is_free).find(|place| level(ask.low(*place)).is_some());
        if let Some(place) = level {
            self.is_guessed = true;
            // `errors and warnings` are on different lines.
            let is_joined = matches!(ask.low(place + 1), "and" | "or" | "&") && level_of(ask, place + 2);
            self.texts_of(ask, place..place + if is_joined { 3 } else { 1 });
            if is_joined {
                self.joined = Joined::Any;
            }
            return true;
        }
        false
    }

    /// The words from a place on that can belong to the search text.
    fn run(&self, ask: &PhraseReader<'_, '_>, source: &Source, marker: Range<usize>) -> Option<Range<usize>> {
        let mut start = marker.end;
        // `the word the`: what follows is literal.
        let is_literal = marker.len() == 1 && matches!(ask.low(marker.start), "word" | "string" | "phrase");
        while let Some(range) = ask.begins(start, LEADS).filter(|range| range.end < ask.len() && !is_literal) {
            start = range.end;
        }
        let mut end = start;
        while end < ask.len() {
            let Some(word) = ask.word(end) else { break };
            let is_taken = source.places.contains(&end) || ask.used.has(end);
            let is_first = end == start;
            let stops = ask.begins(end, STOPS).is_some();
            // `foo or bar`, `foo and bar`: more of it, unless something else begins.
            let joins = matches!(word.low.as_str(), "or" | "and" | "或" | "和" | "nor")
                && !is_first
                && !source.places.contains(&(end + 1))
                && (ask.begins(end + 1, STOPS).is_none()
                    && ask.begins(end + 1, "show|count|sort|delete|replace|save|not|number|give").is_none())
                && end + 1 < ask.len();
            let is_other =
                matches!(word.thing, Some(Entity::Kind(_) | Entity::Glob(_) | Entity::Path(_) | Entity::Time(_)));
            let is_text = is_regex(&word.text) || self.is_regex && matches!(word.thing, Some(Entity::Glob(_)));
            if is_taken || is_other && !is_text || stops && !joins && !(is_first && is_literal) {
                break;
            }
            end += 1;
        }
        while end > start + 1 && ask.begins(end - 1, NOUNS).is_some() {
            end -= 1;
        }
        (start < end).then_some(start..end)
    }

    fn texts_of(&mut self, ask: &PhraseReader<'_, '_>, run: Range<usize>) {
        let capitals: Vec<usize> = run.clone().filter(|place| is_capital(ask, *place)).collect();
        let small =
            run.clone().filter(|place| !is_capital(ask, *place) && !matches!(ask.low(*place), "or" | "and")).count();
        let places: Vec<usize> = run.clone().collect();
        // `TODO comments`, `ERROR in the code`: only the capitals, if all other words are common.
        let code: Vec<usize> =
            run.clone().filter(|place| is_identifier(ask.word(*place).map_or("", |word| &word.text))).collect();
        let places = if let ([one], true) = (code.as_slice(), small > 1) {
            vec![*one]
        } else if !capitals.is_empty()
            && small > 0
            && run.clone().all(|place| is_capital(ask, place) || !is_unknown(ask, place))
            && small <= 1
        {
            capitals
        } else {
            places
        };
        let mut text = String::new();
        for place in &places {
            let Some(word) = ask.word(*place) else { continue };
            match word.low.as_str() {
                "or" | "或" | "或者" if !text.is_empty() => {
                    self.joined = Joined::Any;
                    self.texts.push(std::mem::take(&mut text));
                }
                "and" | "和" if !text.is_empty() => {
                    self.joined = Joined::All;
                    self.texts.push(std::mem::take(&mut text));
                }
                _ => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    let is_plural = is_capital(ask, *place) && word.text.ends_with('s');
                    text.push_str(if is_plural { word.text.trim_end_matches('s') } else { &word.text });
                }
            }
        }
        if !text.is_empty() {
            self.texts.push(text);
        }
        self.places.extend(run);
        for text in &mut self.texts {
            // These markers are written in capitals, however the query spells them.
            if matches!(text.as_str(), "todo" | "todos" | "fixme" | "fixmes") {
                *text = text.trim_end_matches('s').to_uppercase();
            } else if let Some(shared) = level(text) {
                *text = shared.to_owned();
                self.ignores_case = true;
            }
        }
    }

    pub fn mark(&self, ask: &mut PhraseReader<'_, '_>) {
        self.places.iter().for_each(|place| ask.used.mark(*place));
        if self.ignores_case {
            ask.take("case|insensitive|any case|upper or lower case|=-i|=-ri|=-in|=-rin");
        }
        ask.take("=-n|=-r|=-rn|=-e");
        if self.is_inverted {
            ask.take("not|=-v");
        }
        if self.is_regex {
            ask.take("=regex|regexp|regular expression|=pattern");
        }
        match self.whole {
            Whole::Part => {}
            Whole::Word => {
                ask.take("whole word|whole words|exact word|exactly the word|as a word|only the word|full word|=exact|exactly|=whole");
            }
            Whole::Line => {
                ask.take("consist only of|consisting only of|only contain|contain only|=consisting|=consist|whole line|entire line|=exactly|equal to|equal|=exact|=whole|=entire");
            }
        }
        ask.take("contain|match|grep|grep for|find|show|=word|=string|=text|=pattern|=phrase|=keyword|=search|line|occurrence|instance|=mention|=either|=both|reference|usage|=saying|comment|message|entry|statement|all|=appears|=appear|=occurs|=term|=marker|=anywhere|=calls|=defined|tag|=keywords|=requests|=request|=lines|=logs|=log|=messages|=literal|where|=functions|=function|=class|=method|=place|=places|=called|=used|=uses|=use|=calls|define|call|=identifier");
    }

    /// Flags and patterns for grep, without the files.
    pub fn grep(&self, more: &str) -> String {
        let mut flags = more.to_owned();
        if self.ignores_case {
            flags.push('i');
        }
        if self.is_inverted {
            flags.push('v');
        }
        match self.whole {
            Whole::Part => {}
            Whole::Word => flags.push('w'),
            Whole::Line => flags.push('x'),
        }
        let anchor = |text: &str| match self.edge {
            _ if self.is_class && self.whole == Whole::Line => format!("{text}{text}*"),
            Edge::Start if self.is_class => format!("^{text}"),
            Edge::End if self.is_class => format!("{text}$"),
            Edge::Anywhere => text.to_owned(),
            Edge::Start => format!("^{}", literal(text)),
            Edge::End => format!("{}$", literal(text)),
        };
        if self.texts.len() > 1 && self.joined == Joined::Any {
            let parts: Vec<String> = self
                .texts
                .iter()
                .map(|text| if self.edge == Edge::Anywhere && !self.is_regex { extended(text) } else { anchor(text) })
                .collect();
            return format!("grep {} {}", dashed(&format!("{flags}E")), slots::single(&parts.join("|")));
        }
        let Some(text) = self.texts.first() else { return "grep ''".to_owned() };
        let spelled = anchor(text);
        let is_odd =
            spelled.contains(['[', ']', '*', '\\']) || self.edge == Edge::Anywhere && spelled.contains(['^', '$']);
        if self.is_class {
            // Already spelled as a regular expression.
        } else if self.is_regex || self.edge == Edge::Anywhere && is_regex(text) {
            if spelled.contains(['+', '?', '|', '(', '{']) {
                flags.push('E');
            }
        } else if self.edge == Edge::Anywhere && is_odd {
            flags.push('F');
        }
        let dash = if spelled.starts_with('-') { "-e " } else { "" };
        let flags = dashed(&flags);
        let blank = if flags.is_empty() { "" } else { " " };
        format!("grep{blank}{flags} {dash}{}", slots::single(&spelled))
    }

    /// Further grep stages: the other texts if all must match, and the excluded ones.
    pub fn rest(&self) -> Vec<String> {
        let not = |text: &String| Self { texts: vec![text.clone()], is_inverted: true, ..self.clone() }.grep("");
        let without = self.without.iter().map(not);
        if self.joined == Joined::Any {
            return without.collect();
        }
        let one = |text: &String| Self { texts: vec![text.clone()], joined: Joined::Any, ..self.clone() }.grep("");
        self.texts.iter().skip(1).map(one).chain(without).collect()
    }
}

fn dashed(flags: &str) -> String {
    if flags.is_empty() { String::new() } else { format!("-{flags}") }
}

/// The markers of a search text, the clearest first.
fn strong(ask: &PhraseReader<'_, '_>) -> Vec<Range<usize>> {
    let mut from = 0;
    let mut found: Vec<Range<usize>> = Vec::new();
    let markers = format!("{STRONG}|{SOFT}");
    while let Some(range) = ask.find_from(from, &markers) {
        from = range.start + 1;
        // `search in a.txt for foo`: the text comes after `for`.
        let leads = ask.begins(range.end, "in|inside|within|of|=from|here|=recursively|=through|all|=under|file|=my|=code|=project|=codebase|=entire|=whole|repository").is_some();
        if leads {
            found.extend(ask.find_from(range.end, "=for"));
        } else if range.end < ask.len() {
            found.push(range);
        }
    }
    found.sort_by_key(|range| {
        !(range.len() == 1 && matches!(ask.low(range.start), "word" | "string" | "phrase" | "keyword"))
    });
    found
}

/// Unknown words that are never a search text.
const JUNK: &str = "=context|=surrounding|=around|=filter|=select|=pick|=choose|=per|=bytes|=byte|=digits|=usernames|=keep|=regex|=numbers|=number|=value|=values|=total|=kind|=type|=length|=usage|=ones|=certain|=specific|=particular|=given|=lot|=different|=same|=most|=least|=many|=much|=few|=format|=formatted|=pretty|=json|=csv|=xml|=yaml|=encoding|=checksum|=md5|=sha256|=hash|=average|=median|=percent|=percentage|=everyone|=anything|=anyone|=nothing|=top|=key|=keys|=array|=elements|=element|=items|=item|=second|=third|=fourth|=half|=middle|=entire|=whole|=it|=permissions|=size|=disk|=explain|=summary|=summarize|=translate|=compile|=execute|=lines|=paragraph|=sentence|=sentences|=paragraphs|=swap|=spell|=spelling|=grammar|=vim|=nano|=editor|=hour|=hourly|=minute|=daily|=day|=base64|=binary|=hex|=octal|=decode|=encode|=ascii|=utf-8|=utf8|=unicode|=gzip|=archive|=backup|=plot|=chart|=graph|=transpose|=median|=mode|=variance|=deviation|=standard|=parse|=validate|=valid|=lint|=minify|=beautify|=query|=table|=select|=insert|=update|=database|=sqlite|=nth|=n|=x|=y|=ones|=repeated|=repeats|=occurring|=every|=each|=contents|=name|=names|=path|=chars|=records|=record|=entries";

/// Phrases for the beginning or end of a line; `END in` in capitals is a text.
fn edge_of(ask: &PhraseReader<'_, '_>, phrases: &str) -> Option<Range<usize>> {
    ask.find(phrases).filter(|range| {
        ask.word(range.start)
            .is_some_and(|word| !word.text.starts_with(|letter: char| letter.is_ascii_uppercase()) || range.start == 0)
    })
}

/// Names of character classes.
fn class(ask: &PhraseReader<'_, '_>, run: &Range<usize>) -> Option<&'static str> {
    const CLASSES: &[(&str, &str)] = &[
        ("=number|=numbers|=digit|=digits|number|数字|=integer|=integers", "[0-9]"),
        ("=capital|=uppercase|capital letter|uppercase|uppercase letter|uppercase character|=capitals", "[[:upper:]]"),
        ("lowercase letter|lowercase|lowercase character|small letter", "[[:lower:]]"),
        ("=whitespace|=space|=spaces|whitespace", "[[:space:]]"),
        ("=vowel|=vowels", "[aeiouAEIOU]"),
        ("=punctuation", "[[:punct:]]"),
        ("=letter|=letters", "[[:alpha:]]"),
        ("non-ascii character|non-ascii|non ascii", "[^ -~]"),
    ];
    CLASSES
        .iter()
        .find_map(|(names, class)| ask.begins(run.start, names).filter(|range| range.end >= run.end).map(|_| *class))
}

/// Whether a text looks like a regular expression: `^foo`, `a.*b`, `[0-9]+`, `foo\|bar`.
pub fn is_regex(text: &str) -> bool {
    text.contains(".*")
        || text.contains("\\d")
        || text.contains("\\w")
        || text.contains("\\s")
        || text.contains("\\b")
        || text.contains(".+")
        || text.starts_with('^')
        || text.ends_with('$') && text.len() > 1
        || text.contains("[0-9")
        || text.contains("[a-z")
        || text.contains("[A-Z")
        || text.contains("\\|")
}

/// Escapes a text for an extended regular expression (`-E`).
pub fn extended(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\\.[]()*+?{}|^$".contains(letter) {
            spelled.push('\\');
        }
        spelled.push(letter);
    }
    spelled
}

/// Escapes a text for a basic regular expression.
pub fn literal(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\\.[]*^$".contains(letter) {
            spelled.push('\\');
        }
        spelled.push(letter);
    }
    spelled
}

fn is_inverted(ask: &PhraseReader<'_, '_>, pattern: &Pattern) -> bool {
    let Some(first) = pattern.places.iter().copied().filter(|place| ask.word(*place).is_some()).min() else {
        return false;
    };
    if ask.says("=-v") {
        return true;
    }
    let says = |from: usize| {
        (from..first).any(|place| {
            ask.begins(place, "not").is_some_and(|range| range.end <= first)
                && ask.begins(place, "not the first|not first|not the header|not header|not the last").is_none()
        })
    };
    says(first.saturating_sub(5))
}

fn whole(ask: &PhraseReader<'_, '_>) -> Whole {
    if ask.says(
        "=whole =word|=whole =words|exact word|exactly the word|as a word|only the word|full word|words only|整个单词",
    ) {
        return Whole::Word;
    }
    if ask.says(
        "consist only of|consisting only of|only contain|contain only|nothing but|consist of only|with exactly|containing exactly|=whole =line|=entire =line|lines that are exactly|line is exactly|lines equal to|lines that equal|lines exactly",
    ) {
        return Whole::Line;
    }
    Whole::Part
}

pub fn level(word: &str) -> Option<&'static str> {
    LEVELS.iter().find(|(known, _)| *known == word).map(|(_, shared)| *shared)
}

/// Properties of files themselves, after `with` and `without`.
const OF_FILES: &str = "extension|size|newest|oldest|largest|smallest|larger|smaller|permission|hidden|empty|owned|user|group|name|content|same|duplicate|date|time|change|access|create|human|long|count|link|executable|writable|readonly|space|number|all|prefix|suffix|starting-with|ending-with|directory|file|line|word|show|detail|owner|type|first|last|most|least|older|newer|level|sort|not|recursive|here|total|modified|recent";

/// Whether no word of it has a meaning of its own, so that it can only be a text.
fn is_meant(ask: &PhraseReader<'_, '_>, run: &Range<usize>) -> bool {
    if run.len() == 1
        && ask.begins(run.start, OF_FILES).is_none()
        && ask.word(run.start).is_some_and(|word| word.weight >= 1.0)
    {
        return true;
    }
    run.clone().all(|place| {
        let joins = matches!(ask.low(place), "or" | "and" | "nor" | "或" | "和");
        joins || is_unknown(ask, place) || is_capital(ask, place) || level_of(ask, place)
    })
}

fn level_of(ask: &PhraseReader<'_, '_>, place: usize) -> bool {
    level(ask.low(place)).is_some()
}

fn is_capital(ask: &PhraseReader<'_, '_>, place: usize) -> bool {
    ask.word(place).is_some_and(|word| {
        matches!(word.thing, None | Some(Entity::Branch(_) | Entity::User(_)))
            && word.text.len() > 1
            && word.text.bytes().any(|byte| byte.is_ascii_uppercase())
            && word
                .text
                .strip_suffix('s')
                .unwrap_or(&word.text)
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
            && word.text.len() > 2
            && !matches!(
                word.text.as_str(),
                "CSV"
                    | "JSON"
                    | "IP"
                    | "URL"
                    | "TSV"
                    | "IPS"
                    | "CRLF"
                    | "LF"
                    | "DOS"
                    | "UTF"
                    | "MD5"
                    | "SHA256"
                    | "URLS"
                    | "XML"
                    | "HTTP"
                    | "YAML"
                    | "ASCII"
            )
    })
}

/// Whether it looks like an identifier: `parse_config`, `parseConfig`, `main()`.
pub fn is_identifier(text: &str) -> bool {
    let is_word = !text.contains(' ') && text.len() > 3;
    let mixed = text.bytes().any(|byte| byte.is_ascii_lowercase())
        && text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    is_word
        && (text.contains('_')
            || text.ends_with("()")
            || mixed && text.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// A text that can only be searched for literally: quoted, an address, or a path that is not the source.
fn plain_text<'r>(ask: &PhraseReader<'r, '_>, place: usize) -> Option<&'r str> {
    match &ask.word(place)?.thing {
        Some(Entity::Text(text) | Entity::Address(text) | Entity::Url(text) | Entity::Email(text)) => Some(text),
        Some(Entity::Path(path)) => Some(path),
        _ => None,
    }
}

fn is_unknown(ask: &PhraseReader<'_, '_>, place: usize) -> bool {
    let is_letter = |text: &str| text.chars().count() == 1 && !text.is_ascii();
    ask.word(place).filter(|word| !is_letter(&word.text)).is_some_and(|word| match &word.thing {
        // The name of a tool has no meaning in a sentence.
        None => word.concept.is_none() || !word.is_spoken && word.weight >= 1.0 || ask.is_misspelt(place),
        Some(
            Entity::Branch(_)
            | Entity::User(_)
            | Entity::Process(_)
            | Entity::Tag(_)
            | Entity::Host(_)
            | Entity::Email(_)
            | Entity::Url(_)
            | Entity::Address(_)
            | Entity::Commit(_),
        ) => true,
        Some(_) => false,
    })
}
