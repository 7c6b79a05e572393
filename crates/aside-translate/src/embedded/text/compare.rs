//! Compares two files: differences, common lines, lines of only one; and concatenates several.

use aside_commands::world::FileKind;

use crate::ToolFlavor;
use crate::embedded::draft::Draft;
use crate::embedded::shell_syntax;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::pipeline::made;
use crate::embedded::text::source::{Source, quote_path};

pub fn drafts(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let mut names = source.files.clone();
    if !source.globs.is_empty() {
        return together(base, source);
    }
    if names.is_empty() {
        return directories(base);
    }
    let mut ask = base.clone();
    source.mark(&mut ask);
    if let ([first, second], true) = (names.as_slice(), base.says("append|=add|追加"))
        && !base.says("line|=text|column|sort")
    {
        ask.take("append|=add|content|=contents|=end|last|追加|file");
        let command = format!("cat {} >> {}", quote_path(&ask, first), quote_path(&ask, second));
        return vec![made(command, "adds one file to another", &ask, source, 0.0)];
    }
    if names.len() < 2 {
        return Vec::new();
    }
    let target = target(&ask, &names);
    let output = target.map(|place| names.remove(place));
    let files: Vec<String> = names.iter().map(|name| quote_path(&ask, name)).collect();
    let [first, second, ..] = files.as_slice() else {
        return Vec::new();
    };
    let to = output.as_ref().map(|name| format!(" > {}", quote_path(&ask, name))).unwrap_or_default();
    if output.is_some() {
        ask.take("save|=write|=output|=put|=store|=result|=called|=named|create|=single|=one");
    }
    let pair = FilePair { first, second, to: &to, source };
    let is_not = ask.says(NOT);
    if is_not && files.len() == 2 && ask.says("line|word|=entries|entry|=what|=values|=items|=names|show|find|=everything|=anything|=rows|only in|unique to|which|行") && !ask.says("both") {
        return pair.only_in_one(ask, &names);
    }
    if files.len() == 2
        && ask.says("common|=both|in both|=shared|intersection|same line|appear in both|=shared by|共同|两个文件都")
        && ask.says("line|word|common|=entries|=values|=shared|intersection|find|show|=same|=what")
        && !ask.says("=differ|count word")
    {
        return pair.in_both(ask);
    }
    if files.len() == 2
        && ask
            .says("compare|=diff|=identical|=same|changed|=equal|=changes|difference|different|=match|=vs|=patch|不同")
        && !ask.says("rename|commit|branch|=git")
    {
        return pair.differences(ask);
    }
    if ask.says(
        "side by side|=paste|as columns|column by column|next to each other|line by line|in parallel|two columns|并排",
    ) {
        ask.take("side by side|=paste|as columns|column by column|next to each other|line by line|merge|join|combine|column|two columns|=together|=columns|line");
        let by = super::columns::delimiter(&mut ask, &Source::default()).map(|letter| match letter {
            ',' | ':' => format!("-d{letter} "),
            '\t' => String::new(),
            other => format!("-d '{other}' "),
        });
        let command = format!("paste {}{}", by.unwrap_or_default(), files.join(" "));
        return vec![pair.draft(command, "puts the files side by side", &ask, 0.0)];
    }
    if ask.says("merge|join|combine|concatenate|=cat|append|put together|=concat|合并|=together")
        && !ask.says("commit|branch|column|=git|=pdf|=key")
    {
        let sorted = ask.take("sort|=sorted");
        let unique = ask.take("unique|=distinct|delete duplicate|not duplicate|remove duplicates|without duplicates");
        ask.take("merge|join|combine|concatenate|=cat|append|put together|=concat|content|=together|=and|合并|file|show|duplicate|line|all|=one");
        let command = match (sorted, unique) {
            (false, true) | (true, true) => format!("sort -u {}", files.join(" ")),
            (true, false) => format!("sort {}", files.join(" ")),
            (false, false) if ask.says("append|追加") && output.is_none() => return Vec::new(),
            (false, false) => format!("cat {}", files.join(" ")),
        };
        return vec![pair.draft(command, "puts the files together", &ask, 0.0)];
    }
    Vec::new()
}

const NOT: &str = "not in|not present in|not exist in|not found in|missing from|missing in|=missing|only in|only exist in|only found in|unique to|not appear in|not occur in|not also in|isn't in|aren't in|only appear in|exclusive to|absent from|that are in|but not|不在|只在|not contain";

/// The first two files of the query, quoted.
struct FilePair<'f> {
    first: &'f str,
    second: &'f str,
    /// The redirection to the file that the query names for the result, or nothing.
    to: &'f str,
    source: &'f Source,
}

impl FilePair<'_> {
    fn draft(&self, command: String, about: &str, ask: &PhraseReader<'_, '_>, doubt: f32) -> Draft {
        made(format!("{command}{}", self.to), about, ask, self.source, doubt)
    }

    fn only_in_one(&self, mut ask: PhraseReader<'_, '_>, names: &[String]) -> Vec<Draft> {
        let Self { first, second, .. } = self;
        let mut drafts = Vec::new();
        // `missing from b.txt`, `in a.txt but not in b.txt`, `only in a.txt`
        let only = ask.find("only in|unique to|only exist in|only found in|only appear in|exclusive to|只在");
        let not = ask.find("not in|not present in|not exist in|not found in|missing from|missing in|=missing|not appear in|not occur in|not also in|isn't in|aren't in|but not|absent from|不在");
        let place_of = |name: &str| {
            (0..ask.len()).find(|place| ask.word(*place).is_some_and(|word| word.text == name)).unwrap_or_default()
        };
        let (one, two) = (place_of(&names[0]), place_of(&names[1]));
        let (has, lacks) = match (&only, &not) {
            (Some(only), _) if only.end > one && two > only.end => (second, first),
            (Some(_), _) => (first, second),
            (None, Some(not)) if not.start < one => (second, first),
            (None, _) => (first, second),
        };
        ask.take(NOT);
        ask.take("line|word|=entries|entry|show|find|=values|=items|=names|not|=exist|=present|=exists|=compared|compare|=rows|=but|all|=also|=appear|which|=first|=second|行|contain|=only");
        drafts.push(self.draft(format!("grep -Fxvf {lacks} {has}"), "shows lines that only one file has", &ask, 0.0));
        if shell_syntax::has_process_substitution(ask.reading.place.dialect) {
            let command = format!("comm -23 <(sort {has}) <(sort {lacks})");
            drafts.push(self.draft(command, "shows lines that only one file has, sorted", &ask, 0.06));
        }
        drafts
    }

    fn in_both(&self, mut ask: PhraseReader<'_, '_>) -> Vec<Draft> {
        let Self { first, second, .. } = self;
        let mut drafts = Vec::new();
        let counts = ask.take("count");
        ask.take("common|=both|line|=shared|intersection|=same|find|show|word|=entries|appear|=values|=present|=exist|which|contain|=have|compare|共同");
        let count = if counts { " | wc -l" } else { "" };
        drafts.push(self.draft(
            format!("grep -Fxf {first} {second}{count}"),
            "shows lines that both files have",
            &ask,
            0.0,
        ));
        if shell_syntax::has_process_substitution(ask.reading.place.dialect) {
            drafts.push(self.draft(
                format!("comm -12 <(sort {first}) <(sort {second}){count}"),
                "shows lines that both files have, sorted",
                &ask,
                0.06,
            ));
        }
        drafts
    }

    fn differences(&self, mut ask: PhraseReader<'_, '_>) -> Vec<Draft> {
        let Self { first, second, .. } = self;
        let mut drafts = Vec::new();
        let side = ask.take("side by side|side-by-side|two columns|in two columns|next to each other|并排");
        let brief = ask.take("=identical|the same|are equal|=whether|=equal|=same|if they differ|tell me if|是否相同");
        let space = ask.take(
            "ignoring whitespace|ignore whitespace|whitespace|ignoring white space|not whitespace|ignoring spaces",
        );
        let case = ask.take("case|insensitive");
        let columns = ask.take("=words|word by word|word level");
        ask.take("compare|=diff|difference|changed|=changes|different|=vs|line|change|=versus|find|show|=between|between|=if|=against|=patch|not|create|=what|不同|=differ|=unified|=two|content|=and|match");
        let mut flags = String::new();
        if space {
            flags.push('w');
        }
        if case {
            flags.push('i');
        }
        let more = if flags.is_empty() { String::new() } else { format!(" -{flags}") };
        if side {
            drafts.push(self.draft(format!("diff -y{flags} {first} {second}"), "compares side by side", &ask, 0.0));
        } else if brief {
            let words = if ask.reading.place.system == ToolFlavor::Busybox {
                format!("cmp {first} {second} && echo identical")
            } else {
                format!("diff -s{flags}q {first} {second}")
            };
            drafts.push(self.draft(words, "says whether the files are the same", &ask, 0.0));
            drafts.push(self.draft(format!("cmp {first} {second}"), "compares byte by byte", &ask, 0.06));
        } else if columns {
            drafts.push(self.draft(
                format!("git diff --no-index --word-diff {first} {second}"),
                "compares word by word",
                &ask,
                0.02,
            ));
        } else {
            drafts.push(self.draft(
                format!("diff{more} -u {first} {second}").replace("  ", " "),
                "shows what differs",
                &ask,
                0.0,
            ));
            drafts.push(self.draft(format!("diff{more} {first} {second}"), "shows what differs", &ask, 0.05));
        }
        drafts
    }
}

/// Concatenates all files of a kind.
fn together(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    if !base.says("merge|join|combine|concatenate|=cat|put together|=concat|合并|=together")
        || base.says("commit|branch|column|=git|line|=pdf")
    {
        return Vec::new();
    }
    let mut ask = base.clone();
    source.mark(&mut ask);
    let kinds = Source { files: Vec::new(), ..source.clone() };
    let Some(files) = kinds.arguments(&ask) else { return Vec::new() };
    ask.take("merge|join|combine|concatenate|=cat|put together|=concat|合并|=together|all|=one|=single|file|create|=called|=named|save|content|=output|=big|=into");
    let to = match source.files.as_slice() {
        [] => String::new(),
        [name] => format!(" > {}", quote_path(&ask, name)),
        _ => return Vec::new(),
    };
    vec![made(format!("cat {files}{to}"), "puts the files together", &ask, source, 0.0)]
}

/// The output file: after `into`, `to`, `as`.
fn target(ask: &PhraseReader<'_, '_>, names: &[String]) -> Option<usize> {
    let last = names.last()?;
    let place = (0..ask.len()).find(|place| ask.word(*place).is_some_and(|word| word.text == *last))?;
    let mut before = (0..place).rev().map(|place| ask.low(place)).take(6);
    let goal = before.find(|low| {
        !matches!(
            *low,
            "a" | "the"
                | "new"
                | "file"
                | "called"
                | "named"
                | "one"
                | "single"
                | "output"
                | "it"
                | "result"
                | "create"
        )
    })?;
    let compares = ask.says("compare|=diff|difference|=next|=relative");
    (matches!(goal, "into" | "as" | ">")
        || goal == "to" && !compares && names.len() > 2
        || goal == "save"
        || goal == "in" && names.len() > 2 && ask.says("save|=write|=put|=store"))
    .then(|| names.len() - 1)
}

fn directories(base: &PhraseReader<'_, '_>) -> Vec<Draft> {
    let mut ask = base.clone();
    let mut names = Vec::new();
    for place in 0..ask.len() {
        if let Some(word) = ask.word(place)
            && let Some(path) = crate::embedded::slots::path(word)
                .or_else(|| (word.entry == Some(FileKind::Directory)).then(|| word.text.clone()))
        {
            names.push(quote_path(&ask, &path));
            ask.used.mark(place);
        }
    }
    let [first, second] = names.as_slice() else { return Vec::new() };
    if !ask.says("compare|=diff|difference|different|=identical") || ask.says("commit|branch|=git") {
        return Vec::new();
    }
    let full = ask.take("content|=contents|line|=full|line by line");
    ask.take("compare|=diff|difference|different|directory|file|recursive|find|show|which|between|=identical|=two|=vs");
    let source = Source::default();
    let brief = made(
        format!("diff -rq {first} {second}"),
        "names the files that differ",
        &ask,
        &source,
        if full { 0.05 } else { 0.0 },
    );
    let whole = made(
        format!("diff -ru {first} {second}"),
        "shows what differs in all files",
        &ask,
        &source,
        if full { 0.0 } else { 0.05 },
    );
    vec![brief, whole]
}
