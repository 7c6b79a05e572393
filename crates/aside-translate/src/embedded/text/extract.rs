//! Extracts things with a recognizable shape from a text: addresses, links, numbers.

use crate::embedded::text::phrases::PhraseReader;
use crate::embedded::text::source::Source;

const SHAPES: &[(&str, &str)] = &[
    (
        "email|emails|email address|email addresses|e-mail|e-mails|e-mail addresses|mail address|邮箱|邮件地址|emailaddress",
        "grep -oE '[[:alnum:]._%+-]+@[[:alnum:].-]+\\.[[:alpha:]]{2,}'",
    ),
    (
        "=url|=urls|=link|=links|http link|web address|hyperlink|http url|网址|链接|=hyperlinks",
        "grep -oE 'https?://[^[:space:]\"<>)]+'",
    ),
    (
        "ip address|ip addresses|=ip|=ips|ip's|ipv4 addresses|ipv4 address|=ipv4|ip地址|ip 地址",
        "grep -oE '([0-9]{1,3}\\.){3}[0-9]{1,3}'",
    ),
    ("phone number|phone numbers|telephone number|=phones|电话号码|手机号", "grep -oE '\\+?[0-9][0-9() -]{6,}[0-9]'"),
    (
        "quoted string|quoted strings|strings in quotes|text in quotes|text between quotes|quoted text|strings in double quotes|words in quotes",
        "grep -oE '\"[^\"]*\"'",
    ),
    ("hashtag|hashtags", "grep -oE '#[[:alnum:]_]+'"),
    ("hex color|hex colors|color codes|colour codes|hex colour", "grep -oE '#[0-9a-fA-F]{6}'"),
    ("=dates|date|=timestamps|日期", "grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2}'"),
    ("text in parentheses|text between parentheses|text inside parentheses|in brackets", "grep -oE '\\([^)]*\\)'"),
];
const NUMBERS: &str = "=numbers|=integers|=digits|数字";

/// Variant of the command that prints the whole lines.
fn whole_lines(command: &'static str) -> &'static str {
    const LINES: &[(&str, &str)] = &[
        ("@[[:alnum:]", "grep -E '[[:alnum:]._%+-]+@[[:alnum:].-]+\\.[[:alpha:]]{2,}'"),
        ("https?", "grep -E 'https?://'"),
        ("{1,3}", "grep -E '([0-9]{1,3}\\.){3}[0-9]{1,3}'"),
        ("{4}-", "grep -E '[0-9]{4}-[0-9]{2}-[0-9]{2}'"),
    ];
    LINES.iter().find(|(part, _)| command.contains(part)).map_or(command, |(_, lines)| lines)
}

/// A stage that extracts what has the shape of the requested thing.
pub fn read(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<&'static str> {
    const VERBS: &str = "extract|find|show|=get|pull|=pull|grab|count|unique|all|=collect|=list|most|first|=parse|sort|=what|=which|=how|提取|grep|=pick|=scrape|=match|=per|=by|request|requests|=top|duplicate|contain|line|frequent|=whats|=what's";
    for (names, command) in SHAPES {
        let Some(at) = ask.find(names) else { continue };
        let is_date = names.starts_with("=dates");
        if is_date && !ask.says("extract|pull|=grab|提取|=all") || !ask.says(VERBS) {
            continue;
        }
        // `the email column`, `ip in the first column`: the query asks for a column.
        if ask.begins(at.end, "column").is_some() || ask.says("replace|insert|delete|=where|=whose|=add") {
            continue;
        }
        // The lines that contain one are another query, and so is a specific one.
        if ask.begins(at.end, "=is").is_some() {
            continue;
        }
        if names.starts_with("=url") && source.files.iter().any(|file| file.contains("access")) {
            ask.mark(at);
            ask.take("=requested|=visited|request|requests|=hits|=hit");
            return Some("awk '{print $7}'");
        }
        // In an access log the address comes first.
        let is_access = names.starts_with("ip address") && source.files.iter().any(|file| file.contains("access"));
        ask.mark(at);
        ask.take("extract|pull|=grab|提取|=address|=addresses|=collect|=pick|=parse|=client|=visitor|=valid|=scrape|=valid|=visiting|visitor|=clients");
        if is_access {
            ask.take("request|requests|=hits|=hitting|=make|=making|=made|=visits|=traffic|=hit");
            return Some("awk '{print $1}'");
        }
        let of_lines = ask.says("line with|line that have|line contain|line that contain|line having|line has|line which have|line that has|line have|line which contain");
        if of_lines {
            ask.take("line|contain|match|=have|=has");
            return Some(whole_lines(command));
        }
        return Some(command);
    }
    if ask.says("extract|pull|=grab|提取|=only the numbers|=just")
        && let Some(at) = ask.find(NUMBERS)
    {
        ask.mark(at);
        ask.take("extract|pull|=grab|提取|=only|=just");
        return Some("grep -oE '[0-9]+'");
    }
    status(ask, source).or_else(|| span(ask, source))
}

/// Counts per hour or day use the beginning of the line, or the bracketed time of an access log.
fn span(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<&'static str> {
    let is_access = source.files.iter().any(|file| file.contains("access"));
    for (phrases, access, plain) in [
        (BY_HOUR, "sed 's/.*\\[\\([^:]*:[0-9]*\\).*/\\1/'", "cut -c1-13"),
        (BY_DAY, "sed 's/.*\\[\\([^:]*\\).*/\\1/'", "cut -c1-10"),
        (BY_MINUTE, "sed 's/.*\\[\\([^:]*:[0-9]*:[0-9]*\\).*/\\1/'", "cut -c1-16"),
    ] {
        if ask.take(phrases) {
            ask.take("request|requests|=hits|=number|count|=lines|line|=entries|=logs|=messages|=log");
            return Some(if is_access { access } else { plain });
        }
    }
    None
}

pub const BY_HOUR: &str = "per hour|by hour|each hour|every hour|=hourly|of the hour";
pub const BY_DAY: &str = "per day|by day|each day|every day|=daily|by date|per date";
pub const BY_MINUTE: &str = "per minute|by minute|each minute|every minute";

/// An access log in the usual format: the ninth column is the status, the seventh the page.
fn status(ask: &mut PhraseReader<'_, '_>, source: &Source) -> Option<&'static str> {
    if !source.files.iter().any(|file| file.contains("access")) {
        return None;
    }
    let names_one = (0..ask.len()).any(|place| {
        let low = ask.low(place);
        low.len() == 3
            && low.is_ascii()
            && low.starts_with(['1', '2', '3', '4', '5'])
            && low[1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'x')
    });
    if names_one {
        return None;
    }
    if ask.take("status code|status codes|response code|response codes|http code|http codes|http status|http status codes|=statuses|=status|return codes|状态码") {
        return Some("awk '{print $9}'");
    }
    if !ask.says("=status") && ask.says("most|frequent|first|=each|=per|unique|=popular|count") && ask.take("=page|=pages|=path|=paths|requested page|requested pages|=endpoint|=endpoints|=uri|=uris|requested urls|requested path|visited pages|=visited|=resources") {
        ask.take("=requested|=visited|request|requests|=hits|=requested|=hit");
        return Some("awk '{print $7}'");
    }
    if ask.take("user agent|user agents|=browsers|user-agent|user-agents") {
        return Some("awk -F'\"' '{print $6}'");
    }
    None
}
