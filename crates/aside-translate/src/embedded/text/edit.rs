//! Edits text in files: replace, delete, add. Edits in place, which is the usual intent; prints only when the query
//! says so.

use std::ops::Range;

use crate::ToolFlavor;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::slots;
use crate::embedded::text::lines;
use crate::embedded::text::pattern::{Edge, Pattern, Whole, is_identifier, is_regex, literal};
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::pipeline::made;
use crate::embedded::text::query;
use crate::embedded::text::source::{Source, quote_path};
use crate::embedded::text::transform;

/// Where the result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Goal {
    InPlace,
    Screen,
    File(String),
    /// In place, with a backup of the old file.
    Backup,
}

pub fn drafts(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let mut found = Vec::new();
    found.extend(replace(base, source));
    found.extend(delete(base, source));
    found.extend(insert(base, source));
    found.extend(tidy(base, source));
    found
}

/// `sed` with a program, for all sources and goals.
fn sed(program: &str, about: &str, ask: &PhraseReader<'_, '_>, source: &Source, goal: &Goal, doubt: f32) -> Vec<Draft> {
    let bsd = ask.reading.place.system == ToolFlavor::Bsd;
    let extended = if program.starts_with("-E ") { "-E " } else { "" };
    let program = program.strip_prefix("-E ").unwrap_or(program);
    let in_place = match (goal, bsd) {
        (Goal::Backup, false) => "-i.bak",
        (Goal::Backup, true) => "-i .bak",
        (_, true) => "-i ''",
        (_, false) => "-i",
    };
    let quoted = slots::single(program);
    if let Some(files) = source.arguments(ask).filter(|_| source.is_named()) {
        let command = match goal {
            Goal::InPlace | Goal::Backup => format!("sed {in_place} {extended}{quoted} {files}"),
            Goal::Screen => format!("sed {extended}{quoted} {files}"),
            Goal::File(name) => format!("sed {extended}{quoted} {files} > {}", quote_path(ask, name)),
        };
        let mut drafts = vec![made(command, about, ask, source, doubt)];
        if *goal == Goal::InPlace {
            drafts.push(made(
                format!("sed {extended}{quoted} {files}"),
                &format!("{about}, on the screen only"),
                ask,
                source,
                doubt + 0.1,
            ));
        }
        return drafts;
    }
    let says_many = !source.globs.is_empty()
        || source.directory.is_some()
        || ask.says("all file|every file|file|here|=everywhere|=codebase|=project|recursive");
    if !says_many || !matches!(goal, Goal::InPlace | Goal::Backup) {
        return Vec::new();
    }
    let guard = if source.globs.is_empty() { " -not -path '*/.git/*'" } else { "" };
    vec![made(
        format!("{}{guard} -exec sed {in_place} {extended}{quoted} {{}} +", source.find(ask)),
        about,
        ask,
        source,
        doubt,
    )]
}

fn goal(ask: &mut PhraseReader<'_, '_>, source: &mut Source) -> Goal {
    if ask.take("not changing the file|not modifying|without changing|without modifying|on screen|to stdout|on the screen|not change the file|not touching the file|not saving|to the screen|dry run|just print|just show|only print|only show|print only|print the result|show the result|print it|to standard output|without saving") {
        return Goal::Screen;
    }
    if ask
        .take("keep a backup|with a backup|make a backup|with backup|backup|keeping a backup|create a backup|保留备份")
    {
        ask.take("=keeping|=bak|create|=keep|copy");
        return Goal::Backup;
    }
    // `save to new.txt`, `into out.txt`
    if source.files.len() == 2
        && ask.says("save|=write|=output|=into|=store|new file|=as")
        && let Some(last) = source.files.last().cloned()
        && let Some(place) = (0..ask.len()).find(|place| ask.word(*place).is_some_and(|word| word.text == last))
        && place
            .checked_sub(1)
            .is_some_and(|before| matches!(ask.low(before), "to" | "into" | "as" | "in" | "file" | "called" | "named"))
    {
        source.files.pop();
        ask.take("save|=write|=output|=into|=store|new|=result|=as|=called|=named|create");
        return Goal::File(last);
    }
    if ask.says("show|=print|=display|=output") && !ask.says("replace|=in place|change") {
        ask.take("show");
        return Goal::Screen;
    }
    ask.take("in place|in-place|=inplace|the file itself");
    Goal::InPlace
}

/// Escapes a text for a sed pattern between slashes.
fn spell(text: &str) -> String {
    literal(text).replace('/', "\\/").replace('\n', "\\n").replace('\t', "\\t")
}

fn spell_new(text: &str) -> String {
    text.replace('\\', "\\\\").replace('/', "\\/").replace('&', "\\&").replace('\n', "\\n").replace('\t', "\\t")
}

fn replace(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let Some(verb) = base.find("replace all|replace every|replace each|replace|change all|change every|change|convert|=turn|=swap|rename|=sed|=s") else { return Vec::new() };
    let mut ask = base.clone();
    let mut source = source.clone();
    source.mark(&mut ask);
    let verb_low = ask.low(verb.start);
    let is_loose = !ask.reading.is(verb.start, "replace");
    if ask.says("permission|owner|=password|=extension|=branch|directory to|=mode|=hostname|=timezone|=shell|commit|=remote|=author|line ending|crlf|=encoding") {
        return Vec::new();
    }
    let names_code =
        (verb.end..ask.len()).filter(|place| is_identifier(ask.word(*place).map_or("", |word| &word.text))).count() > 1;
    if is_loose
        && verb_low.starts_with("rename")
        && (!names_code || source.globs.is_empty())
        && !ask.says("variable|=function|=class|=method|word|=identifier|=text|=string|=references")
    {
        return Vec::new();
    }
    let Some((old, new, places)) = operands(&ask, &source, verb.end) else { return Vec::new() };
    // `change the time of a.txt to yesterday` is about the file, not its contents.
    let is_quoted = (0..ask.len()).any(|place| ask.quoted(place).is_some());
    let speaks = |place: usize| ask.word(place).is_some_and(|word| word.concept.is_some() && word.thing.is_none());
    let of_file =
        ask.says("=time|=date|=timestamp|=timestamps|=mtime|=modification|=owner|=group|=name|=size|=case|=access");
    if is_loose
        && !is_quoted
        && (of_file || old.contains(' ') && places.clone().filter(|place| speaks(*place)).count() > 1)
    {
        return Vec::new();
    }
    if is_loose && !source.is_named() && source.globs.is_empty() {
        return Vec::new();
    }
    ask.mark(verb);
    ask.mark(places);
    ask.take("replace|occurrence|instance|=every|=each|all|=word|=string|=text|word|=everywhere|recursive|=globally|=variable|=function|=both|line|character|=any|change");
    let target = goal(&mut ask, &mut source);
    let mut flags = "g".to_owned();
    if ask.take("replace the first|replace first|first occurrence|only the first|just the first|first match|first instance|=once") {
        ask.take("=first|first|=line|=each|=only");
        flags.clear();
    }
    if ask.take("case|insensitive") && ask.reading.place.system != ToolFlavor::Bsd {
        flags.push('I');
    }
    let mut address = String::new();
    if let Some(found) = lines::read(&mut ask) {
        let Some(found) = found.address() else { return Vec::new() };
        address = found;
    }
    // `on lines starting with x`
    let gnu = ask.reading.place.system != ToolFlavor::Bsd;
    let whole = ask.take("whole word|whole words|exact word|only whole words") && gnu;
    let mut pattern = spell(&old);
    if whole {
        pattern = format!("\\b{pattern}\\b");
    }
    if old == "\n" {
        return Vec::new();
    }
    let blanks = old == " " && ask.take("multiple|=consecutive|repeated|=several|duplicate|=double|extra|=single");
    if blanks {
        pattern = "  *".to_owned();
    }
    ask.take("whitespace|tab|comma");
    let program = format!("{address}s/{pattern}/{}/{flags}", spell_new(&new));
    sed(&program, "replaces text", &ask, &source, &target, if is_loose { 0.03 } else { 0.0 })
}

/// The old and the new text, and the words they were read from.
fn operands(ask: &PhraseReader<'_, '_>, source: &Source, from: usize) -> Option<(String, String, Range<usize>)> {
    // Two quoted texts, or sed's own syntax.
    if let Some(text) = (0..ask.len()).find_map(|place| ask.word(place).filter(|word| word.text.starts_with("s/"))) {
        let mut parts = text.text.split('/').skip(1);
        if let (Some(old), Some(new)) = (parts.next(), parts.next()) {
            let place = (0..ask.len()).find(|place| ask.low(*place) == text.low)?;
            return (!old.is_empty()).then(|| (old.to_owned(), new.to_owned(), place..place + 1));
        }
    }
    let quoted: Vec<usize> =
        (from..ask.len()).filter(|place| ask.quoted(*place).is_some() && !source.places.contains(place)).collect();
    // `把 a.txt 里的 foo 替换成 bar`
    if !ask.low(from.saturating_sub(1)).is_ascii() {
        let text = |place: usize| {
            ask.word(place)
                .filter(|word| !source.places.contains(&place) && word.text.is_ascii())
                .map(|word| word.text.clone())
        };
        let old = (0..from.saturating_sub(1)).rev().find_map(|place| text(place).map(|text| (place, text)));
        let new = (from..ask.len()).find_map(|place| text(place).map(|text| (place, text)));
        if let (Some(old), Some(new)) = (old, new) {
            return Some((old.1, new.1, old.0..new.0 + 1));
        }
    }
    if let [first, second] = quoted.as_slice() {
        let (old, new) = (ask.quoted(*first)?.to_owned(), ask.quoted(*second)?.to_owned());
        return Some((old, new, *first..second + 1));
    }
    let mut join = (from + 1..ask.len()).find(|place| {
        matches!(
            ask.low(*place),
            "with"
                | "by"
                | "to"
                | "into"
                | "for"
                | "->"
                | "=>"
                | "为"
                | "成"
                | "换成"
                | "替换为"
                | "替换成"
                | "as"
                | "→"
                | "replace"
        ) && !source.places.contains(place)
    })?;
    // `change the word to in a.txt`: too few words to go on.
    if join + 1 >= ask.len() {
        return None;
    }
    let old_start = skip(ask, from);
    let mut old_end = join;
    // `replace in a.txt foo with bar`
    let mut start = old_start;
    if ask.begins(start, "in|inside").is_some() {
        start += 1;
        while start < join && (source.places.contains(&start) || ask.begins(start, "the|file|all").is_some()) {
            start += 1;
        }
        start = skip(ask, start);
    }
    if let Some(stop) = (start..join)
        .find(|place| ask.begins(*place, "in|inside|within|across|=from").is_some() || source.places.contains(place))
    {
        old_end = stop;
    }
    if matches!(ask.low(join), "with" | "by" | "to" | "into") && ask.begins(join + 1, "the").is_some() {
        join += 1;
    }
    let new_start = skip(ask, join + 1);
    let new_end = (new_start..ask.len())
        .find(|place| {
            ask.begins(*place, "in|inside|within|across|=throughout|=everywhere|=recursively|=on|=for|=and|=but|=case|case|=using|=only|=from|=keep|=without|=keeping|=of|=ignoring|=at|=globally|=with|=whole|recursive|里|中").is_some()
                || source.places.contains(place)
        })
        .unwrap_or(ask.len());
    let old = text(ask, start..old_end)?;
    let tabs = old == "\t" && ask.low(new_start) == "spaces" && new_end == new_start + 1;
    let new = if tabs {
        "    ".to_owned()
    } else if ask.begins(new_start, "nothing|empty|an empty string|empty string|=blank").is_some() {
        String::new()
    } else {
        text(ask, new_start..new_end)?
    };
    let squeezes = old == " " && ask.says("multiple|=consecutive|=several|=double|=repeated|=extra|duplicate");
    (!old.is_empty() && (old != new || squeezes)).then_some((old, new, start..new_end))
}

/// `every occurrence of the word …`
fn skip(ask: &PhraseReader<'_, '_>, from: usize) -> usize {
    let mut at = from;
    while let Some(range) = ask.begins(at, "all|=every|=each|=the|=a|=an|occurrence|instance|=of|=word|=words|=string|=text|=any|=phrase|=variable|=function|=name|=value|=pattern|multiple|=consecutive|=several|character|=with|=first|=from|=single|=line").filter(|range| range.end < ask.len()) {
        at = range.end;
    }
    at
}

fn text(ask: &PhraseReader<'_, '_>, places: Range<usize>) -> Option<String> {
    if places.is_empty() {
        return None;
    }
    if let Some((letter, end)) = transform::letter(ask, places.start)
        && end >= places.end
        && ask.quoted(places.start).is_none()
    {
        return Some(letter.to_string());
    }
    // `4 spaces`
    if let Some(number) = ask.number(places.start)
        && let Some((letter, end)) = transform::letter(ask, places.start + 1)
        && end >= places.end
    {
        return Some(letter.to_string().repeat(number.min(16) as usize));
    }
    let words: Vec<&str> = places.filter_map(|place| ask.word(place)).map(|word| word.text.as_str()).collect();
    (words.len() <= 8).then(|| words.join(" "))
}

fn delete(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    if !deletes_text(base, source) {
        return Vec::new();
    }
    let mut ask = base.clone();
    let mut source = source.clone();
    source.mark(&mut ask);
    let target = goal(&mut ask, &mut source);
    ask.take("delete|=strip|=drop|=clear|=trim|=clean|trim|strip|all|=any|=every|=each");
    let finish = |program: String, about: &str, ask: &PhraseReader<'_, '_>, doubt: f32| {
        sed(&program, about, ask, &source, &target, doubt)
    };
    if let Some((program, about)) = delete_blanks(&mut ask) {
        return finish(program, about, &ask, 0.0);
    }
    if let Some(drafts) = around(&mut ask, &source, &target) {
        return drafts;
    }
    if let Some((program, about, doubt)) = delete_class(&mut ask, &source) {
        return finish(program, about, &ask, doubt);
    }
    // Lines by number.
    let mut numbered = ask.clone();
    if let Some(address) = line_address(&mut numbered) {
        numbered.take("line");
        if let (Some(number), [file]) = (address.strip_prefix("last "), source.files.as_slice()) {
            let file = quote_path(&numbered, file);
            let command = format!("head -n -{number} {file} > {file}.tmp && mv {file}.tmp {file}");
            return vec![made(command, "deletes the last lines", &numbered, &source, 0.0)];
        }
        return finish(format!("{address}d"), "deletes lines by their number", &numbered, 0.0);
    }
    let is_quoted = (0..ask.len()).any(|place| ask.quoted(place).is_some() && !source.places.contains(&place));
    let named = !is_quoted && !ask.says("line|=word|=string|=text|column");
    let pattern = if named && (0..ask.len()).any(|place| transform::letter(&ask, place).is_some()) {
        None
    } else {
        Pattern::read(&ask, &source)
    };
    let Some(pattern) = pattern else {
        // `all spaces`, `the commas`
        let letter =
            (0..ask.len()).find_map(|place| transform::letter(&ask, place).map(|(letter, end)| (letter, place..end)));
        if let Some((letter, range)) = letter.filter(|(letter, _)| *letter != '\n') {
            ask.mark(range);
            ask.take("character");
            return finish(format!("s/{}//g", spell(&letter.to_string())), "deletes a character", &ask, 0.0);
        }
        return Vec::new();
    };
    let matching = delete_matching(&mut ask, &source, &pattern);
    matching.map_or_else(Vec::new, |(program, about, doubt)| finish(program, about, &ask, doubt))
}

const SPACE: &str = "[[:space:]]";

/// Whether the query is about text in files, and not about files or about something else to delete.
fn deletes_text(base: &PhraseReader<'_, '_>, source: &Source) -> bool {
    let deletes = base.says("delete|=strip|=drop|=clear|=trim|=clean|trim|strip");
    if !deletes || base.says("commit|branch|process|=package|=user|=key|=container|duplicate|unique|column|=directory|=history|=alias|=tag|=stash") {
        return false;
    }
    // For unnamed files only words that clearly refer to text count: `delete the ugly files` deletes files.
    let speaks_of_text = base.says("line|whitespace|=trailing|word|=string|=text|comment|carriage return|=tabs|=spaces|occurrence|=tags|=punctuation|=digits")
        || (0..base.len()).any(|place| base.quoted(place).is_some() && !source.places.contains(&place));
    if !source.is_named() && (!speaks_of_text || !base.says("in|=from|inside|within")) {
        return false;
    }
    source.is_named() || !source.globs.is_empty() || base.says("all file|every file|=files")
}

/// The program for blanks at the ends of lines, with its description.
fn delete_blanks(ask: &mut PhraseReader<'_, '_>) -> Option<(String, &'static str)> {
    if ask.take("trailing whitespace|trailing space|trailing spaces|trailing blanks|whitespace at the end|spaces at the end|space at the end|trailing white space|whitespace from the end|行尾空格") {
        ask.take("line|=trailing|whitespace|=end|last");
        return Some((format!("s/{SPACE}*$//"), "deletes blanks at the ends of lines"));
    }
    if ask.take("leading whitespace|leading space|leading spaces|indentation|whitespace at the beginning|spaces at the beginning|whitespace at the start|spaces at the start|leading white space") {
        ask.take("line|=leading|whitespace|first");
        let both = ask.take("=trailing|trailing");
        let program = if both { format!("s/^{SPACE}*//;s/{SPACE}*$//") } else { format!("s/^{SPACE}*//") };
        return Some((program, "deletes blanks at the beginnings of lines"));
    }
    if ask.says("=trim|trim") && ask.take("whitespace|=line|=lines|line|=each") || ask.take("leading and trailing whitespace|leading and trailing spaces|leading and trailing space|surrounding whitespace") {
        ask.take("whitespace|line|=leading|=trailing|trailing|first|=each");
        return Some((format!("s/^{SPACE}*//;s/{SPACE}*$//"), "deletes blanks around lines"));
    }
    None
}

/// The program for kinds of lines and of characters, with its description and doubt.
fn delete_class(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<(String, &'static str, f32)> {
    if let Some(range) = ask.find("empty line|blank line|line that are empty|空行|empty rows") {
        ask.mark(range);
        ask.take("line|empty");
        return Some((format!("/^{SPACE}*$/d"), "deletes blank lines", 0.0));
    }
    if ask.says("comment|=comments|comment line|注释") && ask.take("comment|=comments") {
        ask.take("line");
        let mark = match source.ending() {
            "js" | "ts" | "c" | "cpp" | "java" | "go" | "rs" | "h" => "\\/\\/",
            "sql" | "lua" | "hs" => "--",
            _ => "#",
        };
        return Some((format!("/^{SPACE}*{mark}/d"), "deletes lines that are comments", 0.02));
    }
    if ask.take("carriage return|=crlf|windows line ending|dos line ending|=\\r|^m") {
        return Some(("s/\\r$//".to_owned(), "makes the line ends those of Unix", 0.0));
    }
    for (phrases, class, about) in [
        ("=digits|=numbers|=digit|数字", "[0-9]", "deletes digits"),
        ("=punctuation|punctuation marks|标点", "[[:punct:]]", "deletes punctuation"),
        ("html tag|html tags|=tags", "<[^>]*>", "deletes tags"),
        ("non-ascii characters|non ascii characters|non-ascii", "[^ -~]", "deletes what is not ASCII"),
    ] {
        if !ask.says("line") && ask.take(phrases) {
            ask.take("character|=html");
            return Some((format!("s/{class}//g"), about, 0.0));
        }
    }
    None
}

/// Lines by their number, as sed's address, or `last` and a number, for which sed has none.
fn line_address(numbered: &mut PhraseReader<'_, '_>) -> Option<String> {
    let first_line =
        numbered.find("first line|the header|=header|header line|header row|first row|the first line|表头|top line");
    if let Some(range) = first_line {
        numbered.mark(range);
        numbered.take("line|=header");
        Some("1".to_owned())
    } else {
        lines::read_plain(numbered).and_then(|found| match found {
            lines::Lines::Last(number) if number > 1 => Some(format!("last {number}")),
            found => found.address(),
        })
    }
}

/// The program for lines or texts that match, with its description and doubt.
fn delete_matching(
    ask: &mut PhraseReader<'_, '_>,
    source: &Source,
    pattern: &Pattern,
) -> Option<(String, &'static str, f32)> {
    let gnu = ask.reading.place.system != ToolFlavor::Bsd;
    let speaks_of_lines = ask.says("line|=entries|entry|row|=records|行");
    pattern.mark(ask);
    let edge = |text: &str| match pattern.edge {
        _ if pattern.is_class => text.to_owned(),
        Edge::Anywhere if is_regex(text) => text.replace('/', "\\/"),
        Edge::Anywhere => spell(text),
        Edge::Start => format!("^{}", spell(text)),
        Edge::End => format!("{}$", spell(text)),
    };
    let word = |text: String| if pattern.whole == Whole::Word && gnu { format!("\\b{text}\\b") } else { text };
    if speaks_of_lines {
        let suffix = match (pattern.ignores_case, gnu) {
            (true, true) => "I",
            _ => "",
        };
        let bang = if pattern.is_inverted { "!" } else { "" };
        let programs: Vec<String> =
            pattern.texts.iter().map(|text| format!("/{}/{suffix}{bang}d", word(edge(text)))).collect();
        return Some((programs.join(";"), "deletes lines by a text", 0.0));
    }
    let [only] = pattern.texts.as_slice() else { return None };
    // `remove all foo from a.txt`: the text directly before `from`.
    let end = pattern.places.iter().copied().max().map_or(0, |last| last + 1);
    let is_said = ask.says("word|=string|=text|character|occurrence")
        || ask.begins(end, "in|=from|inside").is_some() && source.is_named();
    if pattern.is_inverted || pattern.is_guessed && !is_said || !source.is_named() && pattern.is_guessed {
        return None;
    }
    Some((format!("s/{}//g", word(edge(only))), "deletes a text", 0.02))
}

/// `everything after #`, `lines shorter than 3 characters`
fn around(ask: &mut PhraseReader<'_, '_>, source: &Source, target: &Goal) -> Option<Vec<Draft>> {
    if let Some(range) = ask.find("=last character|=first character|=last char|=first char|=last letter|=first letter")
    {
        let program = if ask.low(range.start) == "last" { "s/.$//" } else { "s/^.//" };
        ask.mark(range);
        ask.take("line|=each|=every|all");
        return Some(sed(program, "deletes a character of each line", ask, source, target, 0.0));
    }
    if let Some(program) = between(ask, source) {
        return Some(sed(&program, "deletes all lines between two", ask, source, target, 0.0));
    }
    for (phrases, is_after) in [
        ("everything after|all after|text after|all text after|anything after|=after", true),
        ("everything before|all before|text before|all text before|anything before|=before", false),
    ] {
        let Some(range) = ask.find(phrases).filter(|_| ask.says("=everything|=text|=anything|all")) else { continue };
        let mut at = range.end;
        while ask.begins(at, "=the|=first|=a|=an|=character|=symbol|=sign").is_some() {
            at += 1;
        }
        if ask.begins(at, "line").is_some() {
            return None;
        }
        let (text, end) = match transform::letter(ask, at) {
            Some((letter, end)) => (letter.to_string(), end),
            None => (
                ask.quoted(at)
                    .or_else(|| ask.word(at).filter(|word| word.thing.is_none()).map(|word| word.text.as_str()))?
                    .to_owned(),
                at + 1,
            ),
        };
        ask.mark(range.start..end);
        ask.take("=everything|=text|=anything|all|line|=each|=every|first|=character|=symbol|=sign");
        let text = spell(&text);
        let program = if is_after {
            format!("s/{text}.*//")
        } else {
            format!(
                "s/^{}//",
                if text.chars().count() == 1 { format!("[^{text}]*{text}") } else { format!(".*{text}") }
            )
        };
        return Some(sed(&program, "deletes the rest of lines", ask, source, target, 0.02));
    }
    let (range, is_longer) = ask
        .find("longer than|more than|=longer")
        .map(|range| (range, true))
        .or_else(|| ask.find("shorter than|fewer than|less than|=shorter|smaller").map(|range| (range, false)))?;
    let number = ask.number(range.end)?;
    if !ask.says("line") || !ask.says("character|=longer|=shorter|longer than|shorter than") {
        return None;
    }
    ask.mark(range.start..range.end + 1);
    ask.take("line|character|=with|=than|=long");
    let program = if is_longer {
        format!("-E /^.{{{},}}$/d", number + 1)
    } else {
        format!("-E /^.{{0,{}}}$/d", number.saturating_sub(1))
    };
    Some(sed(&program, "deletes lines by their length", ask, source, target, 0.0))
}

/// `lines between START and END`
fn between(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<String> {
    let stage = query::between(ask, source)?;
    Some(stage.strip_prefix("sed -n '")?.strip_suffix("p'")?.replace("'\\''", "'").to_owned() + "d")
}

fn insert(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    if !source.is_named() || !base.says("insert|append|=add|=prepend|=put|=write|=prefix|追加|添加|插入|=suffix") || base.says("commit|=remote|line number|number the line|user|=permission|=stage|=sum|add up|number line|=numbers to|path|=key|=column|sort") {
        return Vec::new();
    }
    let mut ask = base.clone();
    let source = source.clone();
    source.mark(&mut ask);
    let Some(files) = source.arguments(&ask) else { return Vec::new() };
    let quoted: Vec<usize> =
        (0..ask.len()).filter(|place| ask.quoted(*place).is_some() && !source.places.contains(place)).collect();
    let texts: Vec<String> = quoted.iter().filter_map(|place| ask.quoted(*place)).map(str::to_owned).collect();
    quoted.iter().for_each(|place| ask.used.mark(*place));
    let text = match texts.first() {
        Some(text) => text.clone(),
        None => {
            let letter = (0..ask.len())
                .find_map(|place| transform::letter(&ask, place).map(|(letter, end)| (letter.to_string(), place..end)));
            let Some((text, range)) = letter.or_else(|| said(&ask, &source)) else { return Vec::new() };
            ask.mark(range);
            text
        }
    };
    let bsd = ask.reading.place.system == ToolFlavor::Bsd;
    let each = ask.take("each line|every line|all lines|each row|of all lines|every row|每行");
    let top = ask
        .says("=top|=beginning|=start|=front|=prepend|first line|=prefix|=begin|开头|at the top|first|=header|header");
    let before = ask.says("=before|=above|older");
    let after = ask.says("=after|=below|newer");
    ask.take("insert|append|=add|=prepend|=put|=write|=line|line|=text|=end|=top|=beginning|=start|=front|=bottom|last|first|=new|=content|=string|word|=prefix|=suffix|追加|添加|插入|=file|末尾|=reading|=saying|save|=called|create");
    let about = "adds text to the file";
    let edit = |program: String, ask: &PhraseReader<'_, '_>, doubt: f32| {
        sed(&program, about, ask, &source, &Goal::InPlace, doubt)
    };
    if each {
        let end = base.says("=end|=suffix|append|after|末尾") && !top;
        let program = if end { format!("s/$/{}/", spell_new(&text)) } else { format!("s/^/{}/", spell_new(&text)) };
        return edit(program, &ask, 0.0).into_iter().map(|draft| Draft { specific: 6, ..draft }).collect();
    }
    let line = |letter: char, address: &str| {
        if bsd {
            format!("{address}{letter}\\\\\n{text}")
        } else {
            format!("{address}{letter} {}", text.replace('\\', "\\\\"))
        }
    };
    if bsd && (top || before || after) {
        return Vec::new();
    }
    if (before || after) && !top {
        ask.take("=before|=after|=above|=below|newer|older|contain|match|=that|=says|with");
        let letter = if before { 'i' } else { 'a' };
        if let Some(second) = texts.get(1) {
            return edit(line(letter, &format!("/{}/", spell(second))), &ask, 0.0);
        }
        let number = (0..ask.len()).find_map(|place| ask.number(place).map(|number| (place, number)));
        if let Some((place, number)) = number {
            ask.used.mark(place);
            return edit(line(letter, &number.to_string()), &ask, 0.0);
        }
        return Vec::new();
    }
    if let Some(number) = ask.find("=line").and_then(|range| ask.number(range.end).map(|number| (range.end, number))) {
        ask.used.mark(number.0);
        return edit(line('i', &number.1.to_string()), &ask, 0.0);
    }
    if top {
        return edit(line('i', "1"), &ask, 0.0);
    }
    if source.files.len() != 1 {
        return Vec::new();
    }
    let text = slots::single(&text);
    let adds = made(format!("echo {text} >> {files}"), about, &ask, &source, 0.0);
    // `write` overwrites the file.
    if base.says("=write|=put|save") && !base.says("insert|append|=add|=end") {
        let writes = made(format!("echo {text} > {files}"), "writes the text to the file", &ask, &source, 0.0);
        return vec![writes, Draft { doubt: 0.06, ..adds }];
    }
    vec![adds]
}

/// `add hello world to a.txt`: the text between the verb and `to`.
fn said(ask: &PhraseReader<'_, '_>, source: &Source) -> Option<(String, Range<usize>)> {
    let verb = ask.find("insert|append|=add|=prepend|=put|=write|=prefix|追加|添加|插入")?;
    let mut start = verb.end;
    while let Some(range) = ask
        .begins(start, "=a|=the|=line|=text|=word|=string|=new|=saying|=reading|=an")
        .filter(|range| range.end < ask.len())
    {
        start = range.end;
    }
    let end = (start..ask.len()).find(|place| {
        ask.begins(*place, "=to|=in|=at|=into|=on|=as|=after|=before|到|在").is_some() || source.places.contains(place)
    })?;
    let words: Vec<&str> = (start..end).filter_map(|place| ask.word(place)).map(|word| word.text.as_str()).collect();
    (!words.is_empty()
        && words.len() <= 8
        && !words.iter().any(|word| matches!(*word, "content" | "contents" | "it" | "file" | "lines" | "numbers")))
    .then(|| (words.join(" "), start..end))
}

/// Line endings, and case changes in place.
fn tidy(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let mut ask = base.clone();
    let source = source.clone();
    source.mark(&mut ask);
    if !source.is_named() && source.globs.is_empty() {
        return Vec::new();
    }
    let unix = "crlf to lf|=dos2unix|windows line ending|dos line ending|windows to unix|dos to unix|unix line ending|carriage return|lf line ending|=crlf|windows newline|to lf|windows format to unix|windows to linux|dos format to unix|unix format";
    if base.says(unix)
        && !base.says(
            "to crlf|to windows|to dos|unix2dos|find|contain|=which|count|check|lf to crlf|unix to dos|unix to windows",
        )
    {
        ask.take(unix);
        ask.take("convert|change|replace|delete|=fix|=dos|=unix|=windows|=lf|=crlf|line ending|line|=endings|=line-endings|carriage return|=style|format|=to|=newlines|=ending|=linux|=format|newline|last|all");
        return sed("s/\\r$//", "makes the line ends those of Unix", &ask, &source, &Goal::InPlace, 0.0);
    }
    if base.says("=unix2dos|to crlf|to windows line ending|to dos line ending|lf to crlf|unix to dos|unix to windows|windows line ending|to windows") && base.says("convert|change|=unix2dos|lf to crlf") {
        ask.take("=unix2dos|=crlf|=lf|convert|change|=windows|=dos|=unix|line ending|line|=endings|=to|format|newline|last|windows line ending");
        return sed("s/$/\\r/", "makes the line ends those of Windows", &ask, &source, &Goal::InPlace, 0.0);
    }
    let in_place = ask.take("in place|in-place|=inplace|the file itself");
    if in_place && ask.reading.place.system != ToolFlavor::Bsd {
        let (program, said) =
            if ask.says("uppercase|=capitals") { ("s/.*/\\U&/", true) } else { ("s/.*/\\L&/", ask.says("lowercase")) };
        if said {
            ask.take(
                "uppercase|lowercase|convert|change|=text|content|all|=everything|=capitals|line|letters|character",
            );
            return sed(program, "changes the case of letters in the file", &ask, &source, &Goal::InPlace, 0.0);
        }
    }
    comment_out(&ask, &source)
}

fn comment_out(ask: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let mut ask = ask.clone();
    let off = ask.take("comment out|=comment-out|注释掉");
    let on = !off && ask.take("=uncomment|remove the comment from");
    if !off && !on || !source.is_named() {
        return Vec::new();
    }
    let mark = match source.ending() {
        "js" | "ts" | "c" | "cpp" | "java" | "go" | "rs" | "h" => "\\/\\/ ",
        "sql" | "lua" => "-- ",
        _ => "# ",
    };
    let address = if let Some(found) = lines::read(&mut ask) {
        let Some(address) = found.address() else { return Vec::new() };
        address
    } else if let Some(pattern) = Pattern::read(&ask, source) {
        pattern.mark(&mut ask);
        let Some(text) = pattern.texts.first() else { return Vec::new() };
        format!("/{}/", spell(text))
    } else {
        return Vec::new();
    };
    ask.take("line");
    let program = if off { format!("{address}s/^/{mark}/") } else { format!("{address}s/^{} *//", mark.trim_end()) };
    sed(&program, "makes lines comments, or no comments", &ask, source, &Goal::InPlace, 0.0)
}

/// Whether a text occurs: a yes or no question.
pub fn check(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let asks = !base.says("=where|=which|=how") && base.says("check if|check whether|=does|=is there|is there|see if|tell me if|test if|=whether|check that|is the word|是否") && !base.says("=how many|count|which");
    let [file] = source.files.as_slice() else { return Vec::new() };
    if !asks || base.says("exist|exists|empty|executable|=file a|running|=same|=identical|compare|=open|=larger|=duplicate|sort|larger") {
        return Vec::new();
    }
    let mut ask = base.clone();
    source.mark(&mut ask);
    let Some(pattern) = Pattern::read(&ask, source) else { return Vec::new() };
    if (0..ask.len())
        .any(|place| matches!(ask.word(place).map(|word| &word.thing), Some(Some(Entity::Time(_) | Entity::Size(_)))))
    {
        return Vec::new();
    }
    pattern.mark(&mut ask);
    ask.take("check|=check|=if|=whether|test|=see|=does|=is|=there|=tell|是否|=anywhere|appear|occur|=exists|exist");
    let file = quote_path(&ask, file);
    vec![
        made(
            format!("{} {file} && echo yes || echo no", pattern.grep("q")),
            "says whether the text is in the file",
            &ask,
            source,
            0.0,
        ),
        made(format!("{} {file}", pattern.grep("")), "shows the lines with the text", &ask, source, 0.05),
    ]
}
