//! Searches text in many files: the lines, the files that contain it, the number of matches.

use crate::embedded::draft::Draft;
use crate::embedded::slots;
use crate::embedded::text::pattern::{self, Edge, Joined, Pattern, Whole};
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::pipeline::made;
use crate::embedded::text::source::{Source, quote_path};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Lines,
    Files,
    FilesWithout,
    /// Matching lines in each file.
    CountEach,
    /// Total number.
    Count,
    /// Files, the most matches first.
    CountFiles,
    Matches,
}

pub fn drafts(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let mut ask = base.clone();
    let excluded = excluded(&mut ask, source);
    let mut source = source.clone();
    source.globs.retain(|glob| !excluded.iter().any(|(_, text)| text == glob));
    if excluded.iter().any(|(place, _)| source.places.contains(place))
        && source.directory.as_ref().is_some_and(|name| excluded.iter().any(|(_, text)| text == name))
    {
        source.directory = None;
    }
    if source.is_named() {
        return Vec::new();
    }
    source.mark(&mut ask);
    let Some(pattern) = Pattern::read(&ask, &source) else { return Vec::new() };
    let Some(doubt) = evidence(&ask, &source, &pattern) else { return Vec::new() };
    let mut shape = shape(&ask, &pattern);
    let mut pattern = pattern;
    if shape == Shape::Files && pattern.is_inverted {
        shape = Shape::FilesWithout;
    }
    pattern.mark(&mut ask);
    if shape == Shape::FilesWithout {
        ask.take("not");
        pattern.is_inverted = false;
    }
    ask.take("recursive|=every|=each|=anywhere|=whole|=entire|=project|=codebase|=code|=tree|=source|repository|=everywhere|=subdirectories|all|where");
    ask.take("line number|line numbers|行号");
    let flags = flags(&mut ask, &shape);
    let around = if shape == Shape::Lines { context(&mut ask) } else { String::new() };
    let grep = pattern.grep(&flags);
    let grep = if around.is_empty() { grep } else { grep.replacen("grep ", &format!("grep {around} "), 1) };
    let includes: String = source.globs.iter().map(|glob| format!(" --include={}", slots::single(glob))).collect();
    let excludes: String = excluded
        .iter()
        .map(|(_, text)| {
            if text.contains('*') {
                format!(" --exclude={}", slots::single(text))
            } else {
                format!(" --exclude-dir={}", quote_path(&ask, text.trim_end_matches('/')))
            }
        })
        .collect();
    let directory = source.directory(&ask);
    let mut command = narrowed(format!("{grep}{includes}{excludes} {directory}"), &pattern, &shape);
    if matches!(shape, Shape::Count | Shape::CountFiles) {
        command.push_str(" | wc -l");
    }
    let about = match shape {
        Shape::Lines => "searches a text in files",
        Shape::Files => "names the files that have a text",
        Shape::FilesWithout => "names the files that do not have a text",
        Shape::CountEach => "counts lines with a text in each file",
        Shape::Count => "counts a text in files",
        Shape::CountFiles => "counts the files that have a text",
        Shape::Matches => "shows what matches in files",
    };
    let mut drafts = vec![made(command.clone(), about, &ask, &source, doubt)];
    // The query often does not say whether it wants lines or files, so the other is offered too.
    match shape {
        _ if command.contains("| xargs") => {}
        Shape::Lines => drafts.push(made(
            command.replacen("grep -rn", "grep -rl", 1),
            "names the files that have a text",
            &ask,
            &source,
            doubt + 0.08,
        )),
        Shape::Files => drafts.push(made(
            command.replacen("grep -rl", "grep -rn", 1),
            "searches a text in files",
            &ask,
            &source,
            doubt + 0.08,
        )),
        _ => {}
    }
    // The query does not say whether case matters or whether the text is a whole word, so both are offered.
    if !pattern.is_regex && !pattern.is_class && !command.contains("| xargs") {
        let (one, two) = command.split_at(command.find(" -").map_or(command.len(), |at| at + 2));
        if !pattern.ignores_case {
            drafts.push(made(format!("{one}i{two}"), about, &ask, &source, doubt + 0.15));
        }
        if pattern.whole == Whole::Part && pattern.edge == Edge::Anywhere {
            drafts.push(made(format!("{one}w{two}"), about, &ask, &source, doubt + 0.17));
        }
    }
    drafts
}

/// The flags of grep for what is shown.
fn flags(ask: &mut PhraseReader<'_, '_>, shape: &Shape) -> String {
    let mut flags = "r".to_owned();
    match shape {
        Shape::Lines => flags.push('n'),
        Shape::Files => {
            flags.push('l');
            ask.take("name|=names|=only|=filenames|which|=list|=paths|file name");
        }
        Shape::FilesWithout => flags.push('L'),
        Shape::CountEach => {
            flags.push('c');
            ask.take("count|=each|=per|occurrence|=times");
        }
        Shape::Count => {
            flags.push_str(if ask.says("occurrence|instance|=times|=often") { "oh" } else { "h" });
            ask.take("count|occurrence|instance|=times|=appear|=appears|=total|total|how often");
        }
        Shape::CountFiles => {
            flags.push('l');
            ask.take("count|file");
        }
        Shape::Matches => {
            flags.push_str("oh");
            ask.take("only matching|only the matching|matching part|only the match|just the match|=only|=part");
        }
    }
    flags
}

/// Pipes the command through further ones if more than one text is searched, or one must be missing.
fn narrowed(mut command: String, pattern: &Pattern, shape: &Shape) -> String {
    if !pattern.without.is_empty() && *shape == Shape::Files && pattern.texts.len() == 1 {
        let not = Pattern { texts: pattern.without.clone(), joined: Joined::Any, ..pattern.clone() };
        command = format!("{} | xargs -0 {}", command.replacen("grep -rl", "grep -rlZ", 1), not.grep("L"));
    } else if !pattern.without.is_empty() || pattern.joined == Joined::All && pattern.texts.len() > 1 {
        if matches!(shape, Shape::Files) {
            let one = |text: &String| Pattern { texts: vec![text.clone()], joined: Joined::Any, ..pattern.clone() };
            let more: Vec<String> = pattern.texts.iter().skip(1).map(|text| one(text).grep("l")).collect();
            command = command.replacen("grep -rl", "grep -rlZ", 1);
            for (place, grep) in more.iter().enumerate() {
                let null = if place + 1 < more.len() { grep.replacen("grep -l", "grep -lZ", 1) } else { grep.clone() };
                command.push_str(&format!(" | xargs -0 {null}"));
            }
        } else {
            for rest in pattern.rest() {
                command.push_str(&format!(" | {rest}"));
            }
        }
    }
    command
}

/// Counts lines in files of a kind at any depth: the total, or for each file.
pub fn counts(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    if source.is_named() || !base.says("line|word|=loc|line-count") {
        return Vec::new();
    }
    let mut ask = base.clone();
    source.mark(&mut ask);
    let flag = if ask.take("line|line-count|=loc") { "-l" } else { "-w" };
    ask.take("word");
    let is_glob = base.says("file|here|directory|=code|=project|=codebase|repository|=source|recursive")
        || !source.globs.is_empty();
    if !is_glob || base.says("contain|match|unique|duplicate|first|replace|delete|sort|=process|commit|=log|blank|compare|frequent|with|empty|=between|longer|larger|smaller|longest") && !base.says("=most") {
        return Vec::new();
    }
    let find = source.find(&ask);
    // `the file with the most lines`
    let most = ask.find("most|=longest|largest|=fewest|least");
    if let Some(most) = most {
        let fewest = matches!(ask.low(most.start), "fewest" | "least");
        ask.mark(most);
        ask.take("file|=which|=has|=have|with|count|=number|number");
        let number = (0..ask.len()).find_map(|place| ask.number(place).map(|number| (place, number)));
        if let Some((place, _)) = number {
            ask.used.mark(place);
        }
        let top = number.map_or(1, |(_, number)| number);
        let order = if fewest { "-n" } else { "-rn" };
        let command = format!("{find} -exec wc {flag} {{}} \\; | sort {order} | head -n {top}");
        return vec![made(command, "names the files with the most lines", &ask, source, 0.0)];
    }
    let is_code = ask.take("lines of code|line of code");
    if !is_code && !ask.says("count|line-count|=loc|=wc|=length") {
        return Vec::new();
    }
    let each = ask.take("=each|=per|=every|each file|per file|=individual|每个");
    let total = ask.take("total|=altogether|combined|=overall|=sum") || ask.says("=how many|how many|=loc");
    ask.take("count|=wc|all|recursive|=there|=length|=loc|=project|=codebase|repository|=code|=source|=written|=in total|show");
    let many = made(
        format!("{find} -exec wc {flag} {{}} +"),
        "counts lines in each file and in all",
        &ask,
        source,
        if total && !each { 0.04 } else { 0.0 },
    );
    let one = made(
        format!("{find} -exec cat {{}} + | wc {flag}"),
        "counts the lines of all files",
        &ask,
        source,
        if total && !each { 0.0 } else { 0.05 },
    );
    vec![many, one]
}

/// Whether the query is about text in files at all; returns the doubt.
fn evidence(ask: &PhraseReader<'_, '_>, source: &Source, pattern: &Pattern) -> Option<f32> {
    if ask.says("=container|=containers|=pod|=pods|=stash|stash|=untracked|conflict|=conflicts|=staged|=unstaged|=tracked|sum-of|=md5|=hash|=sha256|=sha1|=checksum|base64|=encode|=decode|=spell|=rot13") {
        return None;
    }
    // Words of other domains.
    if ask.says("replace|process|port|commit|branch|download|install|compress|extract|permission|rename|move|copy|disk|memory|package|=git|history|user|=environment|container|=docker|kill|restart|archive|=insert|=append|=older|newer|=size|larger|smaller|service|=npm|=pip|=alias|host|=variable|=variables|environment|=ssh|=url|=website|=log in|delete|create|=run|start|=named|=branches|open-port|=connections") && !ask.says("grep|contain|mention|=code|comment|=text|=search|search for") {
        return None;
    }
    // `files that start with test_`, `folders containing a Makefile`: names, not contents.
    let of_names = pattern.edge != Edge::Anywhere && ask.says("file|=files") && !ask.says("line|grep|=text|row");
    if of_names
        || ask
            .says("directory contain|directory that contain|directory which contain|directory with|directory that have")
    {
        return None;
    }
    let is_quoted = (0..ask.len()).any(|place| ask.quoted(place).is_some());
    let is_code = pattern.texts.iter().any(|text| pattern::is_identifier(text));
    let is_capital = pattern
        .texts
        .iter()
        .any(|text| text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
    let says_text = ask.says("file with|file without|grep|contain|mention|occurrence|instance|comment|=text|=string|=word|=phrase|=pattern|=code|line|=regex|reference|usage|=codebase|import|=imports|=imported|define|=uses|=use|=using|=used|=keyword|call|=calls|match|=say|=says|=includes|have|statement|=defined|=where|=called|=function|define|call");
    let searches = ask.says("search|find|=search|look|which|=what|list|show");
    let somewhere = !source.globs.is_empty()
        || source.directory.is_some()
        || ask.says(
            "file|here|directory|=code|=codebase|=project|recursive|=everywhere|=anywhere|=source|repository|all",
        );
    if ask.says("=named|=called|name")
        && !is_code
        && !ask.says("grep|contain|=function|=variable|=class|=text|mention|=names only|only name|file name|=only")
    {
        return None;
    }
    if pattern.texts.iter().any(|text| text.len() < 2 && !is_quoted) {
        return None;
    }
    if ask.says("grep") {
        return Some(0.0);
    }
    if !source.globs.is_empty() && pattern.texts.iter().any(|text| pattern::level(text).is_some()) {
        return Some(0.02);
    }
    match (is_quoted || is_capital || is_code, says_text, searches || somewhere, somewhere) {
        (true, true, true, _) => Some(0.0),
        (true, false, true, true) => Some(0.02),
        (true, true, false, _) => Some(0.03),
        (true, false, _, false) if ask.says("=search|search for|look for") => Some(0.05),
        (false, true, _, true) if !pattern.is_guessed || !source.globs.is_empty() => Some(0.02),
        (false, true, _, true) => Some(0.08),
        (false, false, _, true)
            if ask.says("in all file|in every file|in all the file|in any file|case|insensitive") =>
        {
            Some(0.05)
        }
        (false, false, _, true) if ask.says("=search|search for|=searching") => Some(0.05),
        (false, false, _, true) if source.directory.is_some() && ask.says("find|look") && pattern.is_guessed => {
            Some(0.15)
        }
        _ => None,
    }
}

fn shape(ask: &PhraseReader<'_, '_>, pattern: &Pattern) -> Shape {
    let first = pattern.places.iter().copied().min().unwrap_or_default();
    let counts = ask.says("count|=how often");
    if counts && ask.says("=each file|per file|in each file|each file|every file|by file|in every file") {
        return Shape::CountEach;
    }
    // `search the json files for x` asks for the lines.
    let searches = ask.says("=search|grep|=searching|search for|=搜索");
    let speaks_of_files = !searches
        && (0..first.min(ask.len())).any(|place| ask.begins(place, "file|=scripts|=script|=modules|文件").is_some());
    let speaks_of_lines =
        ask.says("line|occurrence|instance|comment|=usages|=where|usage|reference|=calls|=todos|=imports|=times|=uses");
    if counts {
        let of_files = ask.says("how many file|number of file|count file|count of file|count the file|how many python file|how many of the file") || speaks_of_files && !speaks_of_lines;
        return if of_files { Shape::CountFiles } else { Shape::Count };
    }
    if ask.says("only matching|only the matching|matching part|just the match|only the match|matched text") {
        return Shape::Matches;
    }
    let names = ask.says("file name|name of file|name of the file|only name|file names|names only|just the name|only the name|filenames|which file|what file|in which file|=filenames|list of file|list file|list the file|文件名|哪些文件");
    if names || speaks_of_files && !speaks_of_lines {
        return Shape::Files;
    }
    let after = pattern.places.iter().copied().max().unwrap_or_default();
    let said_before = (0..ask.len()).take(first).any(|place| matches!(ask.low(place), "files" | "file" | "scripts"));
    if said_before && !searches && !speaks_of_lines && after > 0 {
        return Shape::Files;
    }
    Shape::Lines
}

/// `excluding node_modules`, `except in tests`, `but not *.min.js`
fn excluded(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let Some(at) = ask.find("=excluding|=exclude|=except|=ignoring|=ignore|=skipping|=skip|but not|not in|not the|not =including|=without looking in|除了|排除") else { return found };
    let mut place = at.end;
    while place < ask.len() {
        let Some(word) = ask.word(place) else { break };
        let is_name = source.places.contains(&place)
            || word.thing.is_none() && word.concept.is_none()
            || matches!(
                word.low.as_str(),
                "node_modules" | "build" | "vendor" | "dist" | "target" | "test" | "tests" | ".git"
            );
        if is_name {
            let text = match &word.thing {
                Some(crate::embedded::entities::Entity::Kind(endings)) => {
                    endings.first().map(|ending| format!("*.{ending}"))
                }
                Some(crate::embedded::entities::Entity::Path(path)) => Some(path.clone()),
                Some(crate::embedded::entities::Entity::Glob(glob)) => Some(glob.clone()),
                None => Some(word.text.clone()),
                _ => None,
            };
            if let Some(text) = text {
                found.push((place, text));
            }
        } else if ask.begins(place, "directory|file|in|the|and|or").is_none() {
            break;
        }
        place += 1;
    }
    if !found.is_empty() {
        ask.mark(at.start..place);
    }
    found
}

fn context(ask: &mut PhraseReader<'_, '_>) -> String {
    for place in 0..ask.len() {
        let Some(number) = ask.number(place).filter(|_| ask.is_free(place)) else { continue };
        let line = ask.begins(place + 1, "line of|line").map_or(place + 1, |range| range.end);
        for (phrases, flag) in [
            ("before and after|=around|=surrounding|=context", "-C"),
            ("=after|=following", "-A"),
            ("=before|=preceding", "-B"),
        ] {
            if let Some(range) = ask.begins(line, phrases) {
                ask.mark(place..range.end);
                return format!("{flag} {number}");
            }
        }
    }
    if ask.take("with context|=context|surrounding lines") {
        return "-C 3".to_owned();
    }
    String::new()
}
