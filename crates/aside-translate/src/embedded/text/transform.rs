//! Transforms every line, or the whole text, without changing the file.

use crate::ToolFlavor;
use crate::embedded::text::pattern::level;
use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::pipeline::Stage;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transform {
    command: String,
    /// The BSD variant, where it differs.
    bsd: Option<&'static str>,
    reads_input: bool,
    pub about: &'static str,
}

/// The description of reversed order.
const REVERSED: &str = "shows the last line first";

impl Transform {
    fn new(command: impl Into<String>, about: &'static str) -> Self {
        Self { command: command.into(), bsd: None, reads_input: false, about }
    }

    fn input(command: impl Into<String>, about: &'static str) -> Self {
        Self { reads_input: true, ..Self::new(command, about) }
    }

    /// Whether the output is a number already.
    pub fn counts(&self) -> bool {
        self.about.starts_with("counts") || self.about.starts_with("measures")
    }

    pub fn reverses(&self) -> bool {
        self.about == REVERSED
    }

    pub fn stage(&self, system: ToolFlavor) -> Stage {
        let command = match (system, self.bsd) {
            (ToolFlavor::Bsd, Some(bsd)) => bsd.to_owned(),
            _ => self.command.clone(),
        };
        if self.reads_input { Stage::input(command) } else { Stage::files(command) }
    }
}

/// `(phrases, words that are explained with them, command, about)`
const PLAIN: &[(&str, &str, &str, &str)] = &[
    (
        "double space|double-space|=doublespace|blank line after each line|blank line between lines|blank line after every line|empty line after each line|blank line between each line",
        "=add|insert|line|empty|=each|=every",
        "sed G",
        "puts a blank line after each",
    ),
    (
        "one word per line|each word on its own line|each word on a new line|words on separate lines|every word on its own line|each word on a separate line|words one per line|split into words|list of words",
        "word|line|=each|=own|=separate|split|oneline",
        "grep -oE '[[:alnum:]_]+'",
        "puts each word on a line",
    ),
    (
        "first letter of each word|first letter of every word|capitalize each word|capitalize every word|title case|capitalize all words|=titlecase|capitalise each word|first letters of each word",
        "uppercase|=capitalize|=each|word|=every|=make|convert|first|character|=capital|change",
        "sed 's/\\b[[:lower:]]/\\u&/g'",
        "writes words with a capital",
    ),
    (
        "first letter of each line|first letter of every line|capitalize the first letter|capitalize each line|first character of each line uppercase|first letter uppercase|capitalize lines|capitalise each line|first letter to uppercase",
        "uppercase|=capitalize|=each|line|=every|=make|convert|first|character|=capital|change",
        "sed 's/^./\\U&/'",
        "writes lines with a capital",
    ),
    (
        "reverse the characters|reverse characters|reverse each line|reverse every line|reverse the text of each line|mirror|reverse the letters|reverse letters|characters reversed|characters in reverse|each line backwards|each line reversed|reverse the characters of each line|text backwards|reverse the text in|=rev|reverse character|reverse the words letters|character by character backwards|each line in reverse",
        "line|each|character|=every|=of|reverse|text",
        "rev",
        "reverses each line",
    ),
    (
        "squeeze blank lines|collapse blank lines|multiple blank lines|consecutive blank lines|repeated blank lines|squeeze empty lines|collapse empty lines|collapse multiple empty lines|collapse multiple blank lines|consecutive empty lines",
        "line|empty|=squeeze|=collapse|=into|=one|=multiple",
        "cat -s",
        "leaves one of several blank lines",
    ),
    (
        "nonprinting characters|non-printing characters|invisible characters|hidden characters|control characters|whitespace visible|show tabs|special characters|non printing characters|non-printable characters",
        "character|hidden|show",
        "cat -A",
        "makes what is invisible visible",
    ),
    (
        "length of the longest line|longest line length|length of longest line|how long is the longest line|max line length|maximum line length|maximum length",
        "line|=longest|=length|count|=long",
        "awk 'length($0) > m {m = length($0)} END {print m+0}'",
        "measures the longest line",
    ),
    (
        "longest line|the longest|最长的行|最长行",
        "line|=longest|=long",
        "awk 'length($0) > m {m = length($0); l = $0} END {print l}'",
        "shows the longest line",
    ),
    (
        "shortest line|the shortest",
        "line|=shortest",
        "awk 'NR == 1 || length($0) < m {m = length($0); l = $0} END {print l}'",
        "shows the shortest line",
    ),
    (
        "longest word|最长的单词",
        "word|=longest",
        "awk '{for (i = 1; i <= NF; i++) if (length($i) > m) {m = length($i); w = $i}} END {print w}'",
        "shows the longest word",
    ),
    (
        "length of each line|length of every line|line lengths|length of lines|length of the lines|characters in each line|characters per line|characters in every line|characters on each line",
        "line|=each|=length|=every|count|character",
        "awk '{print length($0)}'",
        "measures each line",
    ),
    (
        "words per line|words in each line|words on each line|words in every line|word count of each line|fields per line|number of fields in each line|number of words in each line|columns per line|columns in each line",
        "line|=each|count|word|=every|column|=per",
        "awk '{print NF}'",
        "counts the words of each line",
    ),
    (
        "number of columns|how many columns|count columns|count the columns|count of columns|how many fields",
        "column|count",
        "awk {F}'{print NF; exit}'",
        "counts the columns of the first line",
    ),
    (
        "tabs to spaces|tab to space|tabs into spaces|tabs with spaces|expand tabs|tabs by spaces",
        "convert|replace|=expand|tab|whitespace|change",
        "expand -t 4",
        "makes tabs spaces",
    ),
    (
        "spaces to tabs|space to tab|spaces into tabs",
        "convert|replace|tab|whitespace|change",
        "unexpand -a",
        "makes spaces tabs",
    ),
    (
        "hex dump|=hexdump|in hex|as hex|hexadecimal|十六进制",
        "show|=in|=hex|=dump",
        "od -A x -t x1z",
        "shows the bytes",
    ),
    (
        "header row|=header|the headers|column names|name of the columns|names of the columns|column headers|column headings|=headers|表头",
        "line|column|name|first",
        "head -n 1",
        "shows the header",
    ),
];

pub fn read(ask: &mut PhraseReader<'_, '_>, delimiter: Option<char>) -> Option<Transform> {
    capital(ask, delimiter)
        .or_else(|| case(ask))
        .or_else(|| join(ask))
        .or_else(|| split(ask))
        .or_else(|| table(ask, delimiter))
        .or_else(|| redelimited(ask, delimiter))
        .or_else(|| wrap(ask))
        .or_else(|| cut(ask))
        .or_else(|| plain(ask, delimiter))
        .or_else(|| reverse(ask))
        .or_else(|| number(ask))
}

/// `uppercase the first letter of each word`, which must be read before `uppercase`.
fn capital(ask: &mut PhraseReader<'_, '_>, delimiter: Option<char>) -> Option<Transform> {
    let asks = ask.says("=capitalize|=capitalise|uppercase|=capital|title case|=titlecase")
        && ask.says(
            "first letter|first character|each word|every word|title case|=titlecase|each line|all words|first letters",
        );
    if asks { plain(ask, delimiter) } else { None }
}

fn plain(ask: &mut PhraseReader<'_, '_>, delimiter: Option<char>) -> Option<Transform> {
    // `without the header` drops it.
    let no_header = ask.says("not the header|not header|no header|skip header|delete the header|not headers|not the column names|not counting the header|not including the header|but the header|not include header|not including header|drop the header|minus the header|not count the header|not count header");
    let no_header = no_header || ask.says("with header|with the header|keep the header|keeping the header|keep header|including the header|keeping header");
    let sorts = ask.says("sort");
    for (phrases, more, command, about) in PLAIN {
        if phrases.starts_with("header row") && no_header || phrases.starts_with("length of each line") && sorts {
            continue;
        }
        if ask.take(phrases) {
            ask.take(more);
            let by = super::columns::flag(delimiter);
            return Some(Transform::new(command.replace("{F}", &by), about));
        }
    }
    None
}

fn case(ask: &mut PhraseReader<'_, '_>) -> Option<Transform> {
    if ask.says("case|insensitive") && !ask.says("convert|change|=to|=into|make") {
        return None;
    }
    let (to, from, about) = if ask.take("uppercase|=capitals|all caps|capital letters|upper case|upper-case|大写") {
        ("[:upper:]", "[:lower:]", "writes it in capitals")
    } else if ask.take("lowercase|lower case|small letters|lower-case|小写") {
        ("[:lower:]", "[:upper:]", "writes it in small letters")
    } else {
        return None;
    };
    if ask.says("contain|match|=starting|start with|starts with|begin with|find|=words|extract|count|=with")
        && !ask.says("convert|change|to uppercase|to lowercase|make|=in uppercase|=in lowercase|=into")
    {
        return None;
    }
    ask.take(
        "convert|change|make|=text|=content|content|=everything|all|=letters|character|line|=word|=words|word|=put",
    );
    Some(Transform::input(format!("tr '{from}' '{to}'"), about))
}

/// Names of characters.
pub const LETTERS: &[(&str, char)] = &[
    ("=comma|=commas|逗号", ','),
    ("=semicolon|=semicolons|分号", ';'),
    ("=colon|=colons|冒号", ':'),
    ("=space|=spaces|=whitespace|=blanks|空格", ' '),
    ("=tab|=tabs|制表符", '\t'),
    ("=pipe|=pipes", '|'),
    ("=dash|=dashes|=hyphen|=hyphens|=minus", '-'),
    ("=underscore|=underscores|下划线", '_'),
    ("=dot|=dots|=period|=periods|=point", '.'),
    ("=slash|=slashes", '/'),
    ("newline|=newlines|=linebreak|=linebreaks|=enter|换行|line break|line breaks|new line|new lines", '\n'),
    ("=plus", '+'),
    ("=quotes|double quotes|=quote|double quote|quotation marks|引号", '"'),
];

/// A character at a place, by its name or quoted.
pub fn letter(ask: &PhraseReader<'_, '_>, place: usize) -> Option<(char, usize)> {
    if let Some(text) = ask.quoted(place).filter(|text| text.chars().count() == 1) {
        return text.chars().next().map(|letter| (letter, place + 1));
    }
    LETTERS.iter().find_map(|(names, letter)| ask.begins(place, names).map(|range| (*letter, range.end)))
}

fn near_letter(ask: &PhraseReader<'_, '_>, from: usize) -> Option<(char, std::ops::Range<usize>)> {
    (from..ask.len()).find_map(|place| letter(ask, place).map(|(letter, end)| (letter, place..end)))
}

fn join(ask: &mut PhraseReader<'_, '_>) -> Option<Transform> {
    let at = ask.find("join all the line|join all line|join the line|join line|merge all line|merge line|merge the line|combine the line|on one line|into one line|in one line|into a single line|on a single line|=one line|as one line|single line|concatenate line|concatenate all line|lines into one|=flatten|combine line|combine all line|newlines with|newline with|newlines to|newlines by|newline by|newline to|replace newlines|replace newline|line breaks with|line separated by comma|comma separated list|comma separated line|comma-separated list|comma separated string|合并成一行|remove newlines|delete newline|delete line break|delete all newline|strip newline")?;
    if ask.says("each|=per|=every|=own|one line each|last but one|last but =one") {
        return None;
    }
    let deletes = ask.says("delete newline|delete all newline|strip newline|delete line break");
    let from = if ask.says("newline with|newline to|newline by|replace newline|line break with") { at.end } else { 0 };
    let found = near_letter(ask, from).filter(|(letter, _)| *letter != '\n');
    ask.mark(at);
    ask.take("join|line|merge|all|separated|delimited|=single|=newline|=newlines|newline|replace|=one|concatenate|=by|=into|convert|delimiter|=together|=string|=list|comma separated|list|=turn|combine|=put|comma|=a");
    let letter = match found {
        Some((letter, range)) => {
            ask.mark(range);
            letter
        }
        None if deletes => return Some(Transform::input("tr -d '\\n'", "puts all on one line")),
        None if ask.take("comma separated|comma-separated|=csv") => ',',
        None => ' ',
    };
    let spelled = match letter {
        ',' | ':' | '+' | '-' | '_' | '.' | '/' => letter.to_string(),
        '\t' => return Some(Transform::new("paste -s", "puts all lines on one")),
        other => crate::embedded::slots::single(&other.to_string()),
    };
    let blank = if spelled.starts_with('\'') { " " } else { "" };
    Some(Transform::new(format!("paste -sd{blank}{spelled}"), "puts all lines on one"))
}

fn split(ask: &mut PhraseReader<'_, '_>) -> Option<Transform> {
    let at = ask.find("split|=break|each on a new line|each on its own line|one per line|=separate|on separate lines|into line|into lines|with newline|to newline|into newline|by newline|with newlines|into separate line")?;
    let (letter, range) = near_letter(ask, 0).filter(|(letter, _)| !matches!(letter, '\n'))?;
    let says_lines = ask.says("line|newline|oneline|into lines|to newline");
    if !says_lines && !ask.says("=split|拆分") || ask.says("column") {
        return None;
    }
    ask.mark(at);
    ask.mark(range);
    ask.take("split|line|newline|=new|=own|=separate|replace|convert|oneline|=break|=at|=on|=each|=every|=newlines|separated|=values|=items|=elements|change|into line");
    let spelled = match letter {
        '\t' => "\\t".to_owned(),
        '\'' => return None,
        other => other.to_string(),
    };
    Some(Transform::input(format!("tr '{spelled}' '\\n'"), "puts each part on a line"))
}

fn table(ask: &mut PhraseReader<'_, '_>, delimiter: Option<char>) -> Option<Transform> {
    // Structured formats are not tables.
    if delimiter.is_none() && !ask.says("column|=table|=tabular|=aligned|=align|as a table|表格") {
        return None;
    }
    if !ask.take("as a table|=aligned|=align|=pretty table|nice table|in a table|=tabular|aligned columns|align columns|columns aligned|formatted table|nicely formatted|=prettify|=neatly|table format|pretty print|pretty-print|=nicely|as table|=table|表格") {
        return None;
    }
    ask.take("column|format|=pretty|=print|=formatted|=columns|=neat");
    Some(match delimiter {
        None => Transform::new("column -t", "aligns the columns"),
        Some('\t') => Transform::new("column -t -s \"$(printf '\\t')\"", "aligns the columns"),
        Some(letter @ (',' | ':')) => Transform::new(format!("column -t -s{letter}"), "aligns the columns"),
        Some(letter) => Transform::new(format!("column -t -s '{letter}'"), "aligns the columns"),
    })
}

/// `to tsv`, `to tab separated`, `from comma to semicolon`
fn redelimited(ask: &mut PhraseReader<'_, '_>, delimiter: Option<char>) -> Option<Transform> {
    let from = delimiter?;
    let to = if from == ',' && ask.says("=tsv|to tab|to tabs|tab separated|tab-separated|tab delimited") {
        "\\t"
    } else if from == ',' && ask.says("to semicolon|to semicolons|semicolon separated") {
        ";"
    } else if from == ',' && ask.says("to pipe|to pipes|pipe separated") {
        "|"
    } else if from == '\t' && ask.says("=csv|to comma|to commas|comma separated") {
        ","
    } else {
        return None;
    };
    if !ask.says("convert|change|=turn|=make|=switch|=save") || ask.says("replace|column|sort") {
        return None;
    }
    ask.take("convert|change|=turn|=switch|=tsv|=csv|=tab|=tabs|=comma|=commas|=semicolon|=semicolons|=pipe|=pipes|separated|delimited|delimiter|tab separated|tab-separated|=from|comma separated");
    let from = if from == '\t' { "\\t".to_owned() } else { from.to_string() };
    Some(Transform::input(format!("tr '{from}' '{to}'"), "divides the columns otherwise"))
}

fn wrap(ask: &mut PhraseReader<'_, '_>) -> Option<Transform> {
    let at = ask.find("=wrap|=wrapped|=fold|wrap|=reflow|换行显示")?;
    let number = (at.end..ask.len()).find_map(|place| ask.number(place).map(|number| (place, number)));
    ask.mark(at);
    ask.take("line|character|=text|=long|=width|=columns|column|=at|text|long|=wide|=words");
    let width = match number {
        Some((place, number)) => {
            ask.used.mark(place);
            number
        }
        None => 80,
    };
    Some(Transform::new(format!("fold -s -w {width}"), "wraps long lines"))
}

/// `the first 10 characters of each line`, `the first 100 bytes`
fn cut(ask: &mut PhraseReader<'_, '_>) -> Option<Transform> {
    if ask.says("delete|=drop|=strip") {
        return None;
    }
    for place in 0..ask.len() {
        let is_first = ask.begins(place, "=first|=leading|前").is_some();
        let is_last = ask.begins(place, "=last|=trailing|最后").is_some();
        if !is_first && !is_last {
            continue;
        }
        let number = ask.number(place + 1);
        let after = place + 1 + usize::from(number.is_some());
        let Some(unit) = ask.begins(after, "character|byte|bytes|word") else {
            // `first 100 bytes` is read as a size.
            if let Some(crate::embedded::entities::Entity::Size(size)) =
                ask.word(place + 1).and_then(|word| word.thing.clone())
            {
                ask.mark(place..place + 2);
                let tool = if is_first { "head" } else { "tail" };
                return Some(Transform::new(format!("{tool} -c {}", size.bytes), "shows the first or last bytes"));
            }
            continue;
        };
        let number = number.unwrap_or(1);
        let is_word = ask.begins(unit.start, "word").is_some();
        let each = ask
            .says("each line|every line|each row|of lines|all lines|per line|of line|of the lines|=each|=every|每行");
        ask.mark(place..unit.end);
        if each {
            ask.take("line|=each|=every|all");
        }
        return Some(match (is_word, each, is_first) {
            (true, _, true) => Transform::new(
                if number == 1 { "awk '{print $1}'".to_owned() } else { format!("cut -d' ' -f1-{number}") },
                "takes the first words of each line",
            ),
            (true, _, false) => Transform::new("awk '{print $NF}'", "takes the last word of each line"),
            (false, true, true) => Transform::new(
                if number == 1 { "cut -c1".to_owned() } else { format!("cut -c1-{number}") },
                "takes the first characters of each line",
            ),
            (false, true, false) => {
                Transform::new(format!("grep -oE '.{{1,{number}}}$'"), "takes the last characters of each line")
            }
            (false, false, true) => Transform::new(format!("head -c {number}"), "shows the first bytes"),
            (false, false, false) => Transform::new(format!("tail -c {number}"), "shows the last bytes"),
        });
    }
    // `characters 5 to 10 of each line`
    let unit = ask.find("character")?;
    let first = ask.number(unit.end)?;
    if matches!(ask.low(unit.end + 1), "to" | "through" | "-" | "until")
        && let Some(last) = ask.number(unit.end + 2)
    {
        ask.mark(unit.start..unit.end + 3);
        ask.take("line|=each|=every");
        return Some(Transform::new(format!("cut -c{first}-{last}"), "takes characters of each line"));
    }
    None
}

fn reverse(ask: &mut PhraseReader<'_, '_>) -> Option<Transform> {
    let says = ask.says("=tac|line in reverse|reverse the order|reverse order of line|reverse the line|reverse line|line reversed|upside down|bottom to top|last line first|from bottom to top|from the bottom up|=backwards|in reverse order|reverse order|reversed|逆序|倒序|reverse");
    if !says || ask.says("=sort|=sorted|=sorting|=arrange|=rank|排序|=character|=characters|=alphabetically|order by|=numerically|=alphabetical|numeric|=descending|=desc|sorted by|=ordered|按") {
        return None;
    }
    ask.take("=tac|reverse|line|=order|sort|upside down|bottom to top|last line first|=backwards|from bottom to top|from the bottom up|content|=flip|=last|=first|倒序|逆序");
    Some(Transform { bsd: Some("tail -r"), ..Transform::new("tac", REVERSED) })
}

fn number(ask: &mut PhraseReader<'_, '_>) -> Option<Transform> {
    let at = ask.find("line number|line numbers|number the line|number line|number each line|number all line|number every line|=numbered|=nl|numbering|numbered lines|行号|numbers the lines|lines numbered|=line-number")?;
    // For a search, grep numbers the lines.
    if (0..ask.len()).any(|place| level(ask.low(place)).is_some()) {
        return None;
    }
    if ask.says("contain|match|grep|=search|=where|=which|=error|=errors|occurrence|=word|=mention")
        || (0..ask.len()).any(|place| ask.quoted(place).is_some() && ask.is_free(place))
    {
        return None;
    }
    let number_after = ask.number(at.end).is_some();
    if number_after {
        return None;
    }
    ask.mark(at);
    ask.take("=add|insert|=prefix|=prepend|line|number|=each|=every|=front|=display");
    Some(Transform::new("cat -n", "numbers the lines"))
}
