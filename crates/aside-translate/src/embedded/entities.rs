//! Typed spans of a query: sizes, times, numbers, ports, modes, addresses, patterns, kinds of files. Decided from the
//! words alone, without the machine.

/// What one word or a few words stand for.
#[derive(Clone, Debug, PartialEq)]
pub enum Entity {
    Size(Size),
    Time(Time),
    Number(u64),
    /// The path of a file or directory; `QueryWord::entry` says whether it exists.
    Path(String),
    /// With `*`, `?` or `[…]`.
    Glob(String),
    /// A kind of file by its file name endings: `python files`, `images`, `.log`.
    Kind(Vec<String>),
    /// A quoted text, as typed.
    Text(String),
    Port(u16),
    /// `755`, `u+x`
    Mode(String),
    Address(String),
    Url(String),
    Email(String),
    Host(String),
    /// A path on another machine: `bob@web1:/srv`.
    Elsewhere(String),
    Branch(String),
    Remote(String),
    Tag(String),
    Commit(String),
    User(String),
    /// The name of a running process.
    Process(String),
    /// `$HOME`, with its dollar.
    Variable(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    pub bytes: u64,
    /// A number and `c`, `k`, `M`, `G` or `T`, as find takes it.
    pub spelled: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Time {
    /// A duration before now.
    Ago {
        amount: u64,
        unit: Unit,
    },
    Today,
    Yesterday,
    /// `2024-01-31`, optionally followed by `10:30`.
    Date(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Unit::Second => "second",
            Unit::Minute => "minute",
            Unit::Hour => "hour",
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year => "year",
        }
    }

    pub fn seconds(self) -> u64 {
        match self {
            Unit::Second => 1,
            Unit::Minute => 60,
            Unit::Hour => 3600,
            Unit::Day => 86_400,
            Unit::Week => 7 * 86_400,
            Unit::Month => 30 * 86_400,
            Unit::Year => 365 * 86_400,
        }
    }

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "s" | "sec" | "secs" | "second" | "seconds" | "秒" | "秒钟" => Unit::Second,
            "m" | "min" | "mins" | "minute" | "minutes" | "分钟" => Unit::Minute,
            "h" | "hr" | "hrs" | "hour" | "hours" | "小时" | "个小时" => Unit::Hour,
            "d" | "day" | "days" | "天" | "日" => Unit::Day,
            "w" | "wk" | "week" | "weeks" | "周" | "星期" | "个星期" => Unit::Week,
            "month" | "months" | "mo" | "个月" | "月" => Unit::Month,
            "y" | "yr" | "year" | "years" | "年" => Unit::Year,
            _ => return None,
        })
    }
}

impl Time {
    /// In the syntax of git, `date -d` and journalctl.
    pub fn spoken(&self) -> String {
        match self {
            Time::Ago { amount, unit } => {
                let plural = if *amount == 1 { "" } else { "s" };
                format!("{amount} {}{plural} ago", unit.name())
            }
            Time::Today => "today".to_owned(),
            Time::Yesterday => "yesterday".to_owned(),
            Time::Date(date) => date.clone(),
        }
    }

    /// In the syntax of find's -newermt: the start of the span.
    pub fn newer(&self) -> String {
        match self {
            Time::Today => "today 00:00".to_owned(),
            Time::Yesterday => "yesterday 00:00".to_owned(),
            Time::Ago { .. } | Time::Date(_) => self.spoken(),
        }
    }

    pub fn seconds(&self) -> Option<u64> {
        match self {
            Time::Ago { amount, unit } => Some(amount.saturating_mul(unit.seconds())),
            Time::Today | Time::Yesterday => Some(86_400),
            Time::Date(_) => None,
        }
    }
}

/// The number that a word stands for: `12`, `1,000`, `twelve`, `a couple`.
pub fn number(word: &str) -> Option<u64> {
    const WORDS: [(&str, u64); 33] = [
        ("zero", 0),
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("fifteen", 15),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("hundred", 100),
        ("thousand", 1000),
        ("couple", 2),
        ("dozen", 12),
        ("一", 1),
        ("两", 2),
        ("二", 2),
        ("三", 3),
        ("四", 4),
        ("五", 5),
        ("六", 6),
        ("七", 7),
        ("八", 8),
        ("十", 10),
    ];
    if let Some((_, number)) = WORDS.iter().find(|(known, _)| *known == word) {
        return Some(*number);
    }
    let digits = word.replace(',', "");
    (digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty() && digits.len() < 16)
        .then(|| digits.parse().ok())
        .flatten()
}

/// `1st`, `3rd`, `second` as a place.
pub fn ordinal(word: &str) -> Option<u64> {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    if let Some(place) = WORDS.iter().position(|known| *known == word) {
        return Some(place as u64 + 1);
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))?;
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A size of one word or two: `100MB`, `100 MB`, `1.5 gigs`; and how many words it took.
pub fn size(first: &str, second: Option<&str>) -> Option<(Size, usize)> {
    // `a megabyte`
    let first = if matches!(first, "a" | "one") && second.is_some_and(|unit| unit.len() > 2) { "1" } else { first };
    let first = first.trim_start_matches(['+', '>', '<', '=']);
    let split =
        first.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',').unwrap_or(first.len());
    let (digits, unit) = first.split_at(split);
    let (unit, words) = match (unit, second) {
        ("", Some(second)) => (second, 2),
        ("", None) => return None,
        (unit, _) => (unit, 1),
    };
    let amount: f64 = match digits {
        "" => return None,
        digits => digits.replace(',', "").parse().ok()?,
    };
    let (letter, factor) = match unit {
        "b" | "byte" | "bytes" | "字节" => ('c', 1.0),
        // A lone `m` means minutes as often; directly after a number it is a size: `100m`.
        "k" | "kb" | "kib" | "kbs" | "kilobyte" | "kilobytes" => ('k', 1024.0),
        "mb" | "mib" | "mbs" | "meg" | "megs" | "megabyte" | "megabytes" | "兆" => ('M', 1048576.0),
        "m" if words == 1 => ('M', 1048576.0),
        "g" if words == 1 => ('G', 1073741824.0),
        "gb" | "gib" | "gbs" | "gig" | "gigs" | "gigabyte" | "gigabytes" => ('G', 1073741824.0),
        "t" | "tb" | "tib" | "terabyte" | "terabytes" => ('T', 1099511627776.0),
        _ => return None,
    };
    let bytes = amount * factor;
    if !(0.0..1e18).contains(&bytes) {
        return None;
    }
    Some((Size { bytes: bytes as u64, spelled: spell(amount, letter) }, words))
}

/// find accepts no fractions.
fn spell(amount: f64, letter: char) -> String {
    if amount.fract() == 0.0 {
        return format!("{}{letter}", amount as u64);
    }
    let (factor, smaller) = match letter {
        'T' => (1024.0, 'G'),
        'G' => (1024.0, 'M'),
        'M' => (1024.0, 'k'),
        _ => (1024.0, 'c'),
    };
    format!("{}{smaller}", (amount * factor).round() as u64)
}

/// A span of time at the beginning of the list, and how many words it took: `7 days`, `2 weeks ago`, `last month`,
/// `past 24 hours`, `yesterday`.
pub fn time(words: &[&str]) -> Option<(Time, usize)> {
    let at = |place: usize| words.get(place).copied().unwrap_or_default();
    let ago = |amount: u64, unit: Unit, taken: usize| {
        let more = usize::from(matches!(at(taken), "ago" | "old" | "前" | "以前" | "之前" | "后"));
        Some((Time::Ago { amount, unit }, taken + more))
    };
    match at(0) {
        "today" | "今天" | "今日" => return Some((Time::Today, 1)),
        "yesterday" | "yesterday's" | "yesterdays" | "昨天" | "昨日" => return Some((Time::Yesterday, 1)),
        "tonight" => return Some((Time::Today, 1)),
        "上周" | "本周" | "这周" => return Some((Time::Ago { amount: 1, unit: Unit::Week }, 1)),
        "上个月" => return Some((Time::Ago { amount: 1, unit: Unit::Month }, 1)),
        "fortnight" => return Some((Time::Ago { amount: 2, unit: Unit::Week }, 1)),
        "hourly" | "daily" | "weekly" => return None,
        _ => {}
    }
    if let Some(date) = date(at(0)) {
        let clock = is_clock(at(1)).then(|| format!("{date} {}", at(1)));
        return Some(match clock {
            Some(both) => (Time::Date(both), 2),
            None => (Time::Date(date), 1),
        });
    }
    // `last week`, `the past 3 days`, `previous 24 hours`
    if matches!(at(0), "last" | "past" | "previous" | "this" | "最近" | "过去") {
        if at(0) == "last" && at(1) == "night" {
            return Some((Time::Yesterday, 2));
        }
        if let Some(unit) = long_unit(at(1)).filter(|_| at(0) != "this" || at(1).len() > 3) {
            return ago(1, unit, 2);
        }
        // `last 5 minutes` is a time; `last 5 lines` is not.
        if let (Some(amount), Some(unit)) = (number(at(1)), Unit::of(at(2))) {
            return ago(amount, unit, 3);
        }
        return match (at(1), at(2)) {
            ("few", unit) => long_unit(unit).and_then(|unit| ago(3, unit, 3)),
            ("couple", "of") => long_unit(at(3)).and_then(|unit| ago(2, unit, 4)),
            (first, _) => joined(first).and_then(|(amount, unit)| ago(amount, unit, 2)),
        };
    }
    if let (Some(amount), Some(unit)) = (number(at(0)), Unit::of(at(1))) {
        return ago(amount, unit, 2);
    }
    if let (Some(amount), "个") = (number(at(0)), at(1)) {
        return Unit::of(at(2)).and_then(|unit| ago(amount, unit, 3));
    }
    if matches!(at(0), "a" | "an") {
        if at(1) == "couple" && at(2) == "of" {
            return long_unit(at(3)).and_then(|unit| ago(2, unit, 4));
        }
        if at(1) == "few" {
            return long_unit(at(2)).and_then(|unit| ago(3, unit, 3));
        }
        return long_unit(at(1)).and_then(|unit| ago(1, unit, 2));
    }
    joined(at(0)).and_then(|(amount, unit)| ago(amount, unit, 1))
}

fn long_unit(word: &str) -> Option<Unit> {
    Unit::of(word).filter(|_| word.len() > 2 || !word.is_ascii())
}

/// `7d`, `24h`, `30min`: not `100m`, which is a size.
fn joined(word: &str) -> Option<(u64, Unit)> {
    let split = word.find(|letter: char| !letter.is_ascii_digit())?;
    let (digits, unit) = word.split_at(split);
    let unit = Unit::of(unit).filter(|_| !matches!(unit, "m" | "s" | "y"))?;
    Some((digits.parse().ok()?, unit))
}

fn date(word: &str) -> Option<String> {
    let parts: Vec<&str> = word.split(['-', '/']).collect();
    let is_number = |part: &&str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    match parts.as_slice() {
        [year, month, day] if is_number(year, 4..=4) && is_number(month, 1..=2) && is_number(day, 1..=2) => {
            Some(format!("{year}-{month:0>2}-{day:0>2}"))
        }
        _ => None,
    }
}

fn is_clock(word: &str) -> bool {
    let mut parts = word.split(':');
    let two =
        |part: Option<&str>| part.is_some_and(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()));
    two(parts.next()) && two(parts.next())
}

/// Common names for kinds of files, and their file name endings.
const KINDS: &[(&str, &[&str])] = &[
    ("python", &["py"]),
    ("py", &["py"]),
    ("rust", &["rs"]),
    ("rs", &["rs"]),
    ("javascript", &["js"]),
    ("js", &["js"]),
    ("typescript", &["ts"]),
    ("ts", &["ts"]),
    ("tsx", &["tsx"]),
    ("jsx", &["jsx"]),
    ("golang", &["go"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("kotlin", &["kt"]),
    ("ruby", &["rb"]),
    ("php", &["php"]),
    ("perl", &["pl"]),
    ("lua", &["lua"]),
    ("c", &["c"]),
    ("cpp", &["cpp"]),
    ("c++", &["cpp"]),
    ("header", &["h"]),
    ("swift", &["swift"]),
    ("haskell", &["hs"]),
    ("shell", &["sh"]),
    ("sh", &["sh"]),
    ("bash", &["sh"]),
    ("sql", &["sql"]),
    ("css", &["css"]),
    ("scss", &["scss"]),
    ("html", &["html"]),
    ("xml", &["xml"]),
    ("json", &["json"]),
    ("yaml", &["yaml", "yml"]),
    ("yml", &["yml"]),
    ("toml", &["toml"]),
    ("ini", &["ini"]),
    ("csv", &["csv"]),
    ("tsv", &["tsv"]),
    ("txt", &["txt"]),
    ("text", &["txt"]),
    ("log", &["log"]),
    ("logs", &["log"]),
    ("markdown", &["md"]),
    ("md", &["md"]),
    ("pdf", &["pdf"]),
    ("pdfs", &["pdf"]),
    ("doc", &["doc"]),
    ("docx", &["docx"]),
    ("jpg", &["jpg"]),
    ("jpgs", &["jpg"]),
    ("jpeg", &["jpeg"]),
    ("png", &["png"]),
    ("pngs", &["png"]),
    ("gif", &["gif"]),
    ("gifs", &["gif"]),
    ("svg", &["svg"]),
    ("bmp", &["bmp"]),
    ("webp", &["webp"]),
    ("image", &["jpg", "jpeg", "png", "gif"]),
    ("images", &["jpg", "jpeg", "png", "gif"]),
    ("picture", &["jpg", "jpeg", "png", "gif"]),
    ("pictures", &["jpg", "jpeg", "png", "gif"]),
    ("photos", &["jpg", "jpeg", "png"]),
    ("图片", &["jpg", "jpeg", "png", "gif"]),
    ("图像", &["jpg", "jpeg", "png", "gif"]),
    ("照片", &["jpg", "jpeg", "png"]),
    ("日志", &["log"]),
    ("日志文件", &["log"]),
    ("视频", &["mp4", "mkv", "avi", "mov"]),
    ("mp3", &["mp3"]),
    ("mp4", &["mp4"]),
    ("mkv", &["mkv"]),
    ("wav", &["wav"]),
    ("video", &["mp4", "mkv", "avi", "mov"]),
    ("videos", &["mp4", "mkv", "avi", "mov"]),
    ("audio", &["mp3", "wav", "flac", "ogg", "m4a"]),
    ("music", &["mp3", "wav", "flac", "ogg", "m4a"]),
    ("songs", &["mp3", "wav", "flac", "ogg", "m4a"]),
    ("zip", &["zip"]),
    ("zips", &["zip"]),
    ("tar", &["tar"]),
    ("gz", &["gz"]),
    ("tgz", &["tgz"]),
    ("bak", &["bak"]),
    ("tmp", &["tmp"]),
    ("swp", &["swp"]),
    ("pyc", &["pyc"]),
    ("class", &["class"]),
    ("jar", &["jar"]),
    ("o", &["o"]),
    ("conf", &["conf"]),
    ("cfg", &["cfg"]),
    ("env", &["env"]),
    ("ipynb", &["ipynb"]),
    ("parquet", &["parquet"]),
    ("db", &["db"]),
    ("sqlite", &["sqlite"]),
    ("proto", &["proto"]),
    ("vue", &["vue"]),
    ("tf", &["tf"]),
    ("lock", &["lock"]),
    ("exe", &["exe"]),
];

/// The endings of a kind of file. Only the caller knows whether the query is about files at all.
pub fn kind(word: &str) -> Option<Vec<String>> {
    let one = word.strip_suffix('s').filter(|one| is_only_a_kind(one)).unwrap_or(word);
    let found = KINDS.iter().find(|(name, _)| *name == word || *name == one)?;
    Some(found.1.iter().map(|ending| (*ending).to_owned()).collect())
}

/// Whether a word can only be a kind of file: `jpgs`, `images`, but not `go` or `text`.
pub fn is_only_a_kind(word: &str) -> bool {
    const ALONE: &[&str] = &[
        "jpgs",
        "pngs",
        "gifs",
        "pdfs",
        "zips",
        "images",
        "pictures",
        "photos",
        "videos",
        "图片",
        "图像",
        "照片",
        "日志",
        "日志文件",
        "视频",
        "txt",
        "jpg",
        "jpeg",
        "png",
        "gif",
        "pdf",
        "mp3",
        "mp4",
        "mkv",
        "csv",
        "pyc",
        "svg",
        "docx",
    ];
    ALONE.contains(&word) || word.strip_suffix('s').is_some_and(|one| ALONE.contains(&one))
}

/// Whether a word names a language or a format in which text is written.
pub fn is_language(word: &str) -> bool {
    const LANGUAGES: &[&str] = &[
        "python",
        "rust",
        "javascript",
        "js",
        "typescript",
        "ts",
        "golang",
        "go",
        "java",
        "kotlin",
        "ruby",
        "php",
        "perl",
        "lua",
        "c",
        "cpp",
        "c++",
        "swift",
        "haskell",
        "shell",
        "bash",
        "sql",
        "css",
        "scss",
        "html",
        "xml",
        "json",
        "yaml",
        "toml",
        "markdown",
    ];
    LANGUAGES.contains(&word)
}

/// `.log` and `*.log` name an ending, `.bashrc` and `.git` a file.
pub fn ending(word: &str) -> Option<String> {
    let ending = word.strip_prefix("*.").or_else(|| word.strip_prefix('.'))?;
    let is_word = !ending.is_empty()
        && ending.len() <= 12
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    let known = word.starts_with('*') || kind(ending).is_some() || is_archive(ending);
    (is_word && known).then(|| ending.to_owned())
}

fn is_archive(ending: &str) -> bool {
    matches!(
        ending,
        "tar.gz" | "tar.bz2" | "tar.xz" | "tar.zst" | "7z" | "rar" | "bz2" | "xz" | "zst" | "deb" | "rpm" | "iso"
    )
}

/// A name with an ending, as files have: `report.txt`, `main.rs`, `archive.tar.gz`. Not `3.5`, not `e.g`.
pub fn is_file_name(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else { return false };
    let letters = ending.bytes().any(|byte| byte.is_ascii_alphabetic());
    let plain = ending.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~'));
    !stem.is_empty()
        && (1..=8).contains(&ending.len())
        && letters
        && plain
        && !stem.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && !matches!(word, "e.g" | "i.e" | "a.k.a" | "node.js" | "vs.code")
        // The name of a format.
        && !matches!(word, "tar.gz" | "tar.bz2" | "tar.xz" | "tar.zst")
        && !stem.contains("://")
}

pub fn is_address(word: &str) -> bool {
    let word = word.split_once('/').map_or(word, |(address, _)| address);
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok())
}

pub fn is_url(word: &str) -> bool {
    word.contains("://")
        && word
            .find("://")
            .is_some_and(|at| at > 1 && word[..at].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+'))
        || word.starts_with("git@") && word.contains(':')
}

pub fn is_email(word: &str) -> bool {
    word.split_once('@')
        .is_some_and(|(user, host)| !user.is_empty() && host.contains('.') && !host.contains(['/', ':']))
}

/// A path on another machine, as scp writes it: `bob@web1:/srv`, `web1:/srv`, `example.com:logs`.
pub fn is_elsewhere(word: &str) -> bool {
    let Some((host, path)) = word.split_once(':') else { return false };
    let name = host.rsplit_once('@').map_or(host, |(_, name)| name);
    let is_name = |name: &str| {
        name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
    };
    let is_port = !path.is_empty() && path.bytes().all(|byte| byte.is_ascii_digit());
    is_name(name)
        && !path.starts_with("//")
        && !is_port
        && (host.contains('@') || path.starts_with(['/', '~']) || is_host(name) || is_address(name))
}

/// A host name: `example.com`, `db.internal`, `localhost`.
pub fn is_host(word: &str) -> bool {
    const ENDS: &[&str] = &[
        "com", "org", "net", "io", "dev", "edu", "gov", "local", "internal", "lan", "cn", "de", "uk", "co", "app",
        "ai", "me", "info",
    ];
    word == "localhost"
        || word.rsplit_once('.').is_some_and(|(name, end)| {
            ENDS.contains(&end)
                && name.len() > 1
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        })
}

pub fn is_mode(word: &str) -> bool {
    let digits = (3..=4).contains(&word.len()) && word.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    let letters = word.find(['+', '-', '=']).is_some_and(|at| {
        at + 1 < word.len()
            && word[..at].bytes().all(|byte| b"ugoa".contains(&byte))
            && word[at + 1..].bytes().all(|byte| b"rwxXst".contains(&byte))
    });
    let drawn = word.len() == 9 && word.bytes().all(|byte| b"rwx-".contains(&byte)) && word.starts_with(['r', '-']);
    digits || letters || drawn
}

pub fn is_commit(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
        || word.starts_with("HEAD~")
        || word.starts_with("HEAD^")
        || word == "HEAD"
}

/// Archives, pictures, films and documents that are not read or written as text.
pub fn is_packed(file: &str) -> bool {
    const ENDS: &[&str] = &[
        ".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".7z", ".rar", ".jpg", ".jpeg", ".png", ".gif",
        ".mp4", ".mp3", ".pdf", ".docx", ".xlsx",
    ];
    let low = file.to_lowercase();
    ENDS.iter().any(|end| low.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let spelled =
            |first: &str, second: Option<&str>| size(first, second).map(|(size, words)| (size.spelled, words));
        for (first, second, expected) in [
            ("100mb", None, Some(("100M", 1))),
            ("100", Some("mb"), Some(("100M", 2))),
            ("+10k", None, Some(("10k", 1))),
            ("1.5gb", None, Some(("1536M", 1))),
            ("2", Some("gigs"), Some(("2G", 2))),
            ("512", Some("bytes"), Some(("512c", 2))),
            ("5", Some("files"), None),
            ("5", Some("m"), None),
            ("5", None, None),
            ("mb", None, None),
        ] {
            let expected = expected.map(|(text, words): (&str, usize)| (text.to_owned(), words));
            assert_eq!(spelled(first, second), expected, "{first} {second:?}");
        }
    }

    #[test]
    fn times_are_read_as_people_say_them() {
        for (words, expected) in [
            ("7 days", Some(("7 days ago", 2))),
            ("2 weeks ago", Some(("2 weeks ago", 3))),
            ("an hour", Some(("1 hour ago", 2))),
            ("last month", Some(("1 month ago", 2))),
            ("past 24 hours", Some(("24 hours ago", 3))),
            ("last 30 min", Some(("30 minutes ago", 3))),
            ("24h", Some(("24 hours ago", 1))),
            ("a couple of days", Some(("2 days ago", 4))),
            ("yesterday", Some(("yesterday", 1))),
            ("2024-1-5", Some(("2024-01-05", 1))),
            ("2024-01-05 10:30", Some(("2024-01-05 10:30", 2))),
            ("last 5 lines", None),
            ("last commit", None),
            ("100m", None),
            ("a file", None),
        ] {
            let list: Vec<&str> = words.split(' ').collect();
            let found = time(&list).map(|(time, taken)| (time.spoken(), taken));
            assert_eq!(found, expected.map(|(text, taken)| (text.to_owned(), taken)), "{words}");
        }
    }

    #[test]
    fn names_of_files_modes_hosts_and_commits_are_told_apart() {
        for (word, yes) in [
            ("a.txt", true),
            ("archive.tar.gz", true),
            ("3.5", false),
            ("e.g", false),
            ("1.2.3.4", false),
            ("x", false),
        ] {
            assert_eq!(is_file_name(word), yes, "{word}");
        }
        for (word, yes) in [
            ("755", true),
            ("u+x", true),
            ("+x", true),
            ("rwxr-xr-x", true),
            ("888", false),
            ("12", false),
            ("a-b", false),
        ] {
            assert_eq!(is_mode(word), yes, "{word}");
        }
        for (word, yes) in [("example.com", true), ("localhost", true), ("main.rs", false), ("db.internal", true)] {
            assert_eq!(is_host(word), yes, "{word}");
        }
        for (word, yes) in
            [("a1b2c3d", true), ("HEAD~2", true), ("abcdefg", false), ("1234567", false), ("deadbeef", false)]
        {
            assert_eq!(is_commit(word), yes, "{word}");
        }
        assert!(is_url("https://x.org/a") && is_url("git@host:a/b.git") && !is_url("a:b"));
        assert!(is_email("a@b.co") && !is_email("@b"));
    }
}
