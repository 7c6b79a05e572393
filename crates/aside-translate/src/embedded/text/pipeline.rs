//! Renders the steps of a query as a pipeline: select lines, cut, transform, sort, count.

use crate::embedded::draft::{Draft, Objects};
use crate::embedded::entities::Entity;
use crate::embedded::text::columns::Column;
use crate::embedded::text::count::Unique;
use crate::embedded::text::lines::Lines;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::query::{Query, Unit, output};
use crate::embedded::text::source::{Source, quote_path};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub command: String,
    takes: Takes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// File names as arguments.
    Files,
    /// Only standard input.
    Input,
}

impl Stage {
    pub fn files(command: impl Into<String>) -> Self {
        Self { command: command.into(), takes: Takes::Files }
    }

    pub fn input(command: impl Into<String>) -> Self {
        Self { command: command.into(), takes: Takes::Input }
    }
}

pub fn drafts(base: &PhraseReader<'_, '_>, source: &Source) -> Vec<Draft> {
    let Some(files) = source.arguments(base) else { return Vec::new() };
    let mut ask = base.clone();
    source.mark(&mut ask);
    let (source, output) = output(&mut ask, source);
    let source = &source;
    let files = source.arguments(&ask).unwrap_or(files);
    let mut query = Query::read(&mut ask, source);
    query.output = output;
    if let (Some(_), Some(order)) = (&query.output, &mut query.order) {
        order.prints();
    }
    // Files of a kind probably mean those at any depth.
    let loose = if !source.is_named()
        && !source.is_guessed
        && !(0..ask.len()).any(|place| matches!(ask.word(place).map(|word| &word.thing), Some(Some(Entity::Glob(_)))))
    {
        0.06
    } else {
        0.0
    };
    let mut drafts = Vec::new();
    let plain = (query.clone(), ask.clone());
    if let Some(pattern) = query.pattern(&mut ask, source) {
        let is_guessed = pattern.is_guessed;
        query.pattern = Some(pattern);
        query.around(&mut ask);
        drafts.extend(query.draft(&ask, source, &files, loose + if is_guessed { 0.03 } else { 0.0 }));
    }
    let (mut query, mut ask) = plain;
    query.around(&mut ask);
    drafts.extend(query.draft(&ask, source, &files, loose));
    drafts
}

impl Query {
    fn draft(&self, ask: &PhraseReader<'_, '_>, source: &Source, files: &str, doubt: f32) -> Vec<Draft> {
        // Sorting a count changes nothing, so the query meant something else.
        if self.order.is_some() && self.counts.is_some() && self.unique.is_none() && self.tally.is_none() {
            return Vec::new();
        }
        let system = ask.reading.place.system;
        let mut abouts: Vec<&str> = Vec::new();
        let mut stages: Vec<Stage> = Vec::new();
        let mut ask = ask.clone();
        if self.follows {
            let pattern = self
                .pattern
                .as_ref()
                .map(|pattern| format!(" | {}", pattern.grep("").replacen("grep", "grep --line-buffered", 1)));
            ask.take("line|log|=new|file|output|=tail|=end|last");
            let number = match self.lines {
                Some(Lines::Last(number)) if number != 10 => format!("-n {number} "),
                _ => String::new(),
            };
            let command = format!("tail {number}-f {files}{}", pattern.unwrap_or_default());
            return vec![made(command, "follows the file as it grows", &ask, source, doubt)];
        }
        if let Some(lines) = self.lines.filter(|lines| self.lines_first || matches!(lines, Lines::From(_))) {
            stages.push(lines.stage(system));
            abouts.push(lines.about());
        }
        if let Some(filter) = &self.filter {
            stages.push(Stage::files(filter.clone()));
            abouts.push("chooses lines");
        }
        self.search(&mut stages, &mut abouts, source);
        if let Some(condition) = &self.condition {
            let Some(stage) = condition.stage(self.delimiter, self.column.as_ref()) else { return Vec::new() };
            stages.push(stage);
            abouts.push("chooses rows by a column");
        }
        if let Some(pattern) = self.extract {
            stages.push(Stage::files(pattern));
            abouts.push("takes out what looks like it");
        }
        if let Some(sum) = self.sum {
            let column = self.column.clone().unwrap_or(Column::Numbers(vec![1]));
            let stage = match &self.per {
                Some(per) => column.sum_per(sum, per, self.delimiter),
                None if self.of_row => column.best_row(sum, self.delimiter),
                None => column.sum(sum, self.delimiter),
            };
            let Some(stage) = stage else { return Vec::new() };
            stages.push(stage);
            abouts.push("computes from a column");
            ask.take("line|file|column|=entire|=whole");
        } else if let Some(column) = &self.column
            && self.order.as_ref().is_none_or(|_| self.tally.is_some() || self.unique.is_some())
            && !(self.condition.is_some() && matches!(column, Column::Numbers(_)))
        {
            let is_counted = self.tally.is_some() || self.unique.is_some() || self.counts.is_some();
            let stage = if is_counted { column.values(self.delimiter) } else { column.print(self.delimiter) };
            let Some(stage) = stage else { return Vec::new() };
            stages.push(stage);
            abouts.push("takes a column");
            ask.take("=value|=values|value|=entries|line");
        }
        if let Some(transform) = &self.transform {
            stages.push(transform.stage(system));
            abouts.push(transform.about);
        }
        self.arrange(&mut stages, &mut abouts, &mut ask, files);
        if let Some(lines) = self.lines.filter(|lines| !self.lines_first && !matches!(lines, Lines::From(_))) {
            stages.push(lines.stage(system));
            abouts.push(lines.about());
        }
        if stages.is_empty() && self.counts.is_none() {
            return self.whole(ask, source, files, doubt);
        }
        self.count(&mut stages, &mut abouts, &mut ask, source);
        ask.take("line|=log|log");
        let mut drafts = Vec::new();
        let mut command = compose(&stages, files);
        if let Some(output) = &self.output {
            command = format!("{command} > {}", quote_path(&ask, output));
        }
        let features = [self.column.is_some(), self.sum.is_some(), self.transform.is_some(), self.tally.is_some()];
        let specific = 2 + 2 * features.into_iter().filter(|is| *is).count();
        drafts.push(Draft { specific, ..made(command, &abouts.join(", "), &ask, source, doubt) });
        drafts.extend(self.others(&stages, &ask, source, files, doubt));
        drafts
    }

    fn search(&self, stages: &mut Vec<Stage>, abouts: &mut Vec<&str>, source: &Source) {
        let Some(pattern) = &self.pattern else { return };
        let mut flags = String::new();
        if self.shows_numbers {
            flags.push('n');
        }
        if self.only_matching || self.counts == Some(Unit::Occurrences) {
            flags.push('o');
        }
        let is_last = pattern.rest().is_empty()
            && self.column.is_none()
            && self.unique.is_none()
            && self.lines.is_none()
            && self.condition.is_none()
            && self.extract.is_none();
        let counts = self.counts == Some(Unit::Lines)
            && is_last
            && self.tally.is_none()
            && (source.files.len() == 1 || !source.is_named());
        if counts {
            flags.push('c');
        }
        let mut command = pattern.grep(&flags);
        if !self.context.is_empty() {
            command = command.replacen("grep", &format!("grep {}", self.context), 1);
        }
        let needs_no_names = self.counts == Some(Unit::Occurrences)
            || self.tally.is_some()
            || self.unique.is_some()
            || self.column.is_some();
        if needs_no_names && (source.files.len() > 1 || !source.is_named()) {
            command = command.replacen("grep", "grep -h", 1);
        }
        stages.push(Stage::files(command));
        stages.extend(pattern.rest().into_iter().map(Stage::files));
        abouts.push("finds lines by a text");
    }

    /// Deduplicates, counts, sorts.
    fn arrange(&self, stages: &mut Vec<Stage>, abouts: &mut Vec<&str>, ask: &mut PhraseReader<'_, '_>, files: &str) {
        if self.of_words {
            stages.push(Stage::files("grep -oE '[[:alnum:]_]+'"));
            ask.take("word");
        }
        if let Some(tally) = &self.tally {
            if tally.of_words && self.column.is_none() && self.extract.is_none() {
                stages.push(Stage::files("grep -oE '[[:alnum:]_]+'"));
            }
            stages.extend([Stage::files("sort"), Stage::input("uniq -c"), Stage::input("sort -rn")]);
            if tally.by_time {
                stages.pop();
            }
            if tally.is_rarest {
                stages.pop();
                stages.push(Stage::input("sort -n"));
            }
            if let Some(top) = tally.top {
                stages.push(Stage::input(format!("head -n {top}")));
            }
            abouts.push("counts how often each occurs, the most frequent first");
            ask.take("line|word|=each|=value|=values|=different|count|=occurrence|occurrence|sort|=times|=by|=count|reverse|=appears|=appear");
            return;
        }
        match (&self.unique, &self.order) {
            (Some(Unique::Sorted), None) => stages.push(Stage::files("sort -u")),
            (Some(Unique::InOrder), None) => stages.push(Stage::files("awk '!seen[$0]++'")),
            (Some(Unique::Duplicated), _) => stages.extend([Stage::files("sort"), Stage::input("uniq -d")]),
            (Some(Unique::Once), _) => stages.extend([Stage::files("sort"), Stage::input("uniq -u")]),
            (unique, Some(order)) => {
                let sorted = order.stages(
                    self.column.as_ref().filter(|_| self.unique.is_none()),
                    self.delimiter,
                    unique.is_some(),
                    files,
                );
                stages.extend(sorted);
                abouts.push("sorts");
            }
            (None, None) => return,
        }
        if self.unique.is_some() {
            abouts.push("each line once");
            ask.take("=value|=values|value|line|=different|word");
        }
    }

    fn count(&self, stages: &mut Vec<Stage>, abouts: &mut Vec<&str>, ask: &mut PhraseReader<'_, '_>, source: &Source) {
        let Some(unit) = self.counts else { return };
        let is_counted = stages.last().is_some_and(|stage| {
            stage.command.starts_with("grep")
                && stage
                    .command
                    .split_whitespace()
                    .nth(1)
                    .is_some_and(|flags| flags.starts_with('-') && flags.contains('c'))
        });
        ask.take("total|=each|=there");
        if is_counted || self.tally.is_some() {
            abouts.push("counts them");
            return;
        }
        if let [Stage { command, .. }] = stages.as_mut_slice()
            && unit == Unit::Lines
            && command.starts_with("grep ")
            && !command.contains(" -o")
            && !command.contains(" -C")
            && source.files.len() == 1
            && self.extract.is_none()
        {
            *command = if command.starts_with("grep -v") || command.starts_with("grep -w") {
                command.replacen("grep -", "grep -c", 1)
            } else {
                command.replacen("grep ", "grep -c ", 1)
            };
            abouts.push("counts them");
            return;
        }
        let wc = match unit {
            _ if self.of_words => "wc -l",
            Unit::Lines | Unit::Occurrences => "wc -l",
            Unit::Words => "wc -w",
            Unit::Characters => "wc -m",
            Unit::Bytes => "wc -c",
            Unit::All => "wc",
        };
        stages.push(Stage::files(wc));
        abouts.push("counts");
    }

    /// Only a file is named: shows it, if the query asks for that.
    fn whole(&self, mut ask: PhraseReader<'_, '_>, source: &Source, files: &str, doubt: f32) -> Vec<Draft> {
        let asks = ask.says("show|=cat|=read|content|=what's|=open|look|=concatenate|=type");
        if !asks
            || !source.is_named()
            || !source.globs.is_empty()
            || ask.says("compare|=file type|=directory|size|permission|=where|=when|=who|find|=execute|run|=edit")
        {
            return Vec::new();
        }
        ask.take("show|=cat|=read|content|=concatenate|=text|=open|=whole|=entire|=type|=screen|=out");
        vec![made(format!("cat {files}"), "shows the file", &ask, source, doubt + 0.02)]
    }

    /// Alternatives to show the same.
    fn others(
        &self,
        stages: &[Stage],
        ask: &PhraseReader<'_, '_>,
        source: &Source,
        files: &str,
        doubt: f32,
    ) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let mut add = |command: String, about: &str| drafts.push(made(command, about, ask, source, doubt + 0.06));
        match stages {
            [Stage { command, .. }] if command == "wc -l" && source.files.len() == 1 => {
                add(format!("wc -l < {files}"), "counts lines, without the name");
                if matches!(source.ending(), "csv" | "tsv") {
                    add(format!("tail -n +2 {files} | wc -l"), "counts rows, without the header");
                }
            }
            [Stage { command, .. }] if command.starts_with("wc -") && source.files.len() == 1 => {
                add(format!("{command} < {files}"), "counts, without the name");
            }
            [Stage { command, .. }] if command == "awk '!seen[$0]++'" => {
                add(format!("sort -u {files}"), "sorts, each line once");
                if source.files.len() == 1 {
                    add(format!("sort -u -o {files} {files}"), "sorts the file itself, each line once");
                }
            }
            [Stage { command, .. }] if command == "sort -u" => {
                add(format!("awk '!seen[$0]++' {files}"), "each line once, in their order")
            }
            _ => {}
        }
        if let Some(Column::Numbers(_)) = self.column
            && self.delimiter.is_some()
            && (self.tally.is_some() || self.unique.is_some())
            && self.lines.is_none()
        {
            let mut skipped = vec![Stage::files("tail -n +2")];
            skipped.extend(stages.iter().cloned());
            add(compose(&skipped, files), "the same without the header");
        }
        drafts
    }
}

pub fn compose(stages: &[Stage], files: &str) -> String {
    let mut command = String::new();
    for (place, stage) in stages.iter().enumerate() {
        if place > 0 {
            command.push_str(" | ");
        } else if stage.takes == Takes::Input {
            if files.contains([' ', '*', '?']) {
                command.push_str(&format!("cat {files} | {}", stage.command));
            } else {
                command.push_str(&format!("{} < {files}", stage.command));
            }
            continue;
        }
        command.push_str(&stage.command);
        if place == 0 {
            command.push(' ');
            command.push_str(files);
        }
    }
    command
}

pub fn made(command: String, about: &str, ask: &PhraseReader<'_, '_>, source: &Source, doubt: f32) -> Draft {
    let guess = if source.is_guessed { 0.03 } else { 0.0 };
    let (about, used, objects) = (about.to_owned(), ask.used.clone(), Objects::Spelled);
    Draft { command, about, used, objects, doubt: doubt + guess, specific: 2, rule: "text" }
}
