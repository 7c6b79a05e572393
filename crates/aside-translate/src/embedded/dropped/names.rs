//! Patterns, kinds, times and forms of names that a request says.

use shell_line::Word;

use crate::embedded::dropped::Order;
use crate::embedded::lexicon::is_han;

const NAME_TESTS: &[&str] = &["-name", "-iname", "-lname", "-ilname"];
/// Behind these a word is a part of a name.
const NAMING: &[&str] = &[
    "named",
    "called",
    "containing",
    "contain",
    "contains",
    "matching",
    "match",
    "matches",
    "starting",
    "start",
    "starts",
    "ending",
    "end",
    "ends",
    "begin",
    "begins",
    "beginning",
    "with",
    "like",
    "prefix",
    "prefixed",
    "suffix",
    "extension",
    "extensions",
    "ext",
    "name",
    "names",
    "glob",
    "pattern",
    "have",
    "has",
    "having",
    "type",
    "word",
    "text",
];
/// Endings that are words of other meanings too.
const AMBIGUOUS: &[&str] = &[
    "go", "so", "in", "do", "me", "it", "is", "as", "at", "or", "no", "com", "bat", "key", "lock", "part", "old",
    "new", "class", "map", "make", "pages", "numbers", "am", "to", "be", "by", "my", "us", "up", "on", "if", "an",
    "the", "us", "he",
];
/// Words by which files are meant whose names have them.
const NAMES: &[&str] = &[
    "test",
    "backup",
    "copy",
    "copie",
    "thumbnail",
    "screenshot",
    "readme",
    "license",
    "makefile",
    "temp",
    "cache",
    "draft",
    "dockerfile",
    "changelog",
    "report",
    "invoice",
    "core",
    "screen",
];

impl Order<'_> {
    /// A pattern of a word that the request does not say as a part of names.
    pub fn makes_pattern(&self) -> bool {
        let is_test = |before: &str, word: &Word| {
            NAME_TESTS.contains(&before)
                || !word.fixed && word.value.contains('*') && !word.value.contains(['$', '{', '['])
        };
        let arguments = self.arguments().filter(|(_, before, word)| is_test(before, word));
        let patterns =
            arguments.filter(|(_, _, word)| word.value.contains('*')).map(|(_, _, word)| word.value.to_lowercase());
        let patterns: Vec<String> = patterns.collect();
        patterns.iter().any(|pattern| {
            let name = pattern.rsplit('/').next().unwrap_or_default();
            let core = name.trim_matches(['*', '?', '.']);
            let is_ending = name.starts_with("*.");
            if core.chars().any(is_han) {
                return !is_ending && !self.names_chinese(core);
            }
            if core.is_empty() || !core.chars().all(char::is_alphabetic) || !core.is_ascii() {
                return false;
            }
            let is_doubtful = if is_ending { AMBIGUOUS.contains(&core) } else { !NAMES.contains(&core) };
            is_doubtful && self.has_plain(core) && !self.is_pattern(core)
        })
    }

    fn names_chinese(&self, core: &str) -> bool {
        const NAMING: &[&str] =
            &["包含", "含有", "名为", "名字", "名称", "文件名", "叫", "开头", "结尾", "带有", "含", "以", "带"];
        let quoted = ["\"", "“", "'", "「", "‘"].iter().any(|quote| self.low.contains(&format!("{quote}{core}")));
        quoted || NAMING.iter().any(|word| self.low.contains(word)) && !self.low.contains(&format!("不要{core}"))
    }

    /// Whether the word stands in the request, alone or with an ending.
    fn has_plain(&self, core: &str) -> bool {
        self.words.iter().any(|word| {
            word.low
                .split(|letter: char| !letter.is_alphanumeric())
                .any(|part| part.trim_end_matches('s') == core.trim_end_matches('s'))
        })
    }

    /// Whether the request writes the word as a pattern, behind a word about names, or as a kind of files.
    fn is_pattern(&self, core: &str) -> bool {
        const FILES: &[&str] = &["file", "files", "source", "sources", "code", "scripts", "modules"];
        let forms = [
            format!(".{core}"),
            format!("*{core}"),
            format!("{core}*"),
            format!("{core}_"),
            format!("{core}-"),
            format!("_{core}"),
            format!("-{core}"),
        ];
        (0..self.words.len()).any(|place| {
            let said = &self.words[place];
            let is_word = said.low.trim_end_matches('s') == core.trim_end_matches('s');
            let is_form = forms.iter().any(|form| said.low.contains(form.as_str()));
            let is_named = self.is_behind(place, 4, NAMING)
                || ["in", "as"].contains(&self.at(place + 1)) && self.has_text(&["name"])
                || self.has_text(&["filename", "file name", "folder name", " names"]);
            let is_age = ["old", "new"].contains(&core);
            let is_kind =
                FILES.contains(&self.at(place + 1)) && !is_age && !self.is_behind(place, 1, &["don't", "to", "not"]);
            is_form || is_word && (said.is_quoted || is_named || is_kind)
        })
    }

    /// `the file called *` is one file.
    pub fn takes_star(&self) -> bool {
        let is_wild = |letter: char| matches!(letter, '*' | '?' | '[' | ']');
        let literal = |place: usize| {
            let said = &self.words[place];
            let is_star = !said.text.is_empty() && said.text.chars().all(is_wild) && said.text.contains(['*', '?']);
            let is_called =
                self.is_behind(place, 1, &["called", "named", "is", "name"]) || self.is_behind(place, 1, &["file"]);
            let is_one = self.is_behind(place, 5, &["file", "folder", "directory", "one"])
                && !self.is_behind(place, 6, &["all", "every", "each", "any"]);
            is_star && (is_called || said.is_quoted)
                || said.text.contains(is_wild) && is_called && is_one && said.is_quoted
        };
        let mut names: Vec<String> =
            (0..self.words.len()).filter(|place| literal(*place)).map(|place| self.words[place].text.clone()).collect();
        let chinese = ["叫", "名为", "叫做", "名字是", "名叫"].iter().any(|word| {
            self.low.split(word).skip(1).any(|rest| {
                rest.trim_start_matches([' ', '"', '“', '\'', '‘', '「']).starts_with(['*', '?']) && {
                    let rest = rest.trim_start_matches([' ', '"', '“', '\'', '‘', '「']);
                    !rest.chars().nth(1).is_some_and(|letter| letter == '.' || letter.is_ascii_alphanumeric())
                }
            })
        });
        if chinese {
            names.push("*".to_owned());
        }
        names.iter().any(|name| {
            let is_taken = |before: &str, word: &Word| {
                let bare = word.value.trim_start_matches("./");
                let tests = before.ends_with("name") || before.ends_with("path");
                bare == name && (tests || !word.fixed)
            };
            let escaped: String = name
                .chars()
                .map(|letter| if is_wild(letter) { format!("\\{letter}") } else { letter.to_string() })
                .collect();
            let is_kept = self.arguments().any(|(_, before, word)| {
                let bare = word.value.trim_start_matches("./");
                bare == escaped
                    || bare == name && word.fixed && !before.ends_with("name")
                    || bare == format!("[{name}]")
            });
            self.arguments().any(|(_, before, word)| is_taken(before, word)) || !is_kept
        })
    }

    /// Whether the search tests a name, or a pattern has letters.
    fn tests_name(&self) -> bool {
        let turned = |second: &str| matches!(second, "-not" | "!");
        let has_letters = |text: &str| text.chars().any(char::is_alphabetic);
        self.arguments().any(|(second, before, word)| {
            let tests = before.starts_with('-')
                && (before.ends_with("name") || before.ends_with("regex") || before.ends_with("path"));
            !turned(second) && tests && has_letters(&word.value)
                || !word.fixed
                    && word.value.contains('*')
                    && has_letters(word.value.rsplit('/').next().unwrap_or_default())
        })
    }

    /// `all config files`: the command tests what kind each is.
    pub fn loses_kind(&self) -> bool {
        const NOTS: &[&str] = &[
            "not",
            "no",
            "aren't",
            "isn't",
            "except",
            "excluding",
            "including",
            "also",
            "but",
            "skip",
            "skipping",
            "ignoring",
            "non",
            "even",
            "without",
            "leave",
            "keep",
        ];
        const FILES: &[&str] = &["file", "files"];
        const PLACES: &[&str] = &["in", "from", "under", "to", "into", "inside", "within", "of"];
        let kind = (0..self.words.len()).any(|place| {
            let next = self.at(place + 1);
            // `in the logs`
            let articles = usize::from(self.is_behind(place, 1, &["the", "my"]));
            let is_kind = match self.at(place) {
                "log" | "document" | "script" | "picture" | "image" | "photo" | "video" | "spreadsheet"
                    if self.is_behind(place, 1, &["every", "each"]) =>
                {
                    true
                }
                "config" | "configuration" | "settings" | "source" | "document" | "data" | "script" | "log"
                | "code" => FILES.contains(&next),
                "configs" | "documents" | "sources" | "spreadsheets" | "scripts" | "logs" | "pictures" | "images"
                | "photos" | "videos" => {
                    !self.is_behind(place, 1, PLACES) && !self.is_behind(place - articles, articles, PLACES)
                }
                _ => false,
            };
            is_kind && !self.is_directory(self.at(place)) && !self.is_behind(place, 3, NOTS)
        });
        let hidden = (0..self.words.len()).any(|place| self.at(place) == "hidden" && !self.is_behind(place, 3, NOTS))
            || self.low.contains("隐藏文件") && !self.has_text(&["除", "不", "包括"]);
        let is_hidden = || {
            self.command.contains("hidden")
                || self.arguments().any(|(second, before, word)| {
                    let tests = before.ends_with("name") || before.ends_with("path") || before.ends_with("regex");
                    let last = word.value.rsplit('/').next().unwrap_or_default();
                    let is_dotted = last.starts_with('.') && last.len() > 1;
                    is_dotted && !matches!(second, "-not" | "!") && (tests || !word.fixed || !last.contains('*'))
                })
        };
        // `find . -type f -perm` and the like test no kind.
        let runs_over = self.is_many() && !self.command.starts_with("git ");
        runs_over && (kind && !self.tests_name() && !self.tests_content() || hidden && !is_hidden())
    }

    /// Whether the kind is tested by other means.
    fn tests_content(&self) -> bool {
        self.command.contains("file -")
            || self.command.contains("-perm")
            || self.command.contains("-executable")
            || self.command.contains("grep -l")
    }

    /// `changed today`: the command tests when.
    pub fn loses_time(&self) -> bool {
        const VERBS: &[&str] = &[
            "modified",
            "changed",
            "created",
            "touched",
            "edited",
            "accessed",
            "updated",
            "opened",
            "written",
            "downloaded",
        ];
        const WHEN: &[&str] = &[
            "ago",
            "since",
            "last",
            "recently",
            "week",
            "weeks",
            "day",
            "days",
            "hour",
            "hours",
            "month",
            "months",
            "year",
            "years",
            "minute",
            "minutes",
            "before",
            "after",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
        ];
        const TESTS: &[&str] =
            &["time", "-mmin", "-cmin", "-amin", "-newer", "-daystart", "date", "ls -t", "%T", "-mtime", "stat "];
        let day = (0..self.words.len())
            .any(|place| ["today", "yesterday", "tonight"].contains(&self.at(place)) && self.at(place + 1) != "date");
        let changed = self.says(VERBS) && self.says(WHEN);
        let chinese = self.has_text(&["今天", "昨天", "前天", "本周", "上周", "天前", "小时前", "个月前", "最近"]);
        let is_replaced = ["today", "yesterday"].iter().any(|word| self.command.to_lowercase().contains(word));
        let tests = TESTS.iter().any(|test| self.command.contains(test)) || is_replaced || self.runs(&["git", "touch"]);
        self.is_many() && (day || changed || chinese) && !tests
    }

    /// `in lines that start with old`: an edit of those lines alone.
    pub fn loses_lines(&self) -> bool {
        const LIMITS: &[&str] =
            &["that", "which", "starting", "beginning", "ending", "containing", "with", "where", "having"];
        let limits = (0..self.words.len())
            .any(|place| ["line", "lines"].contains(&self.at(place)) && LIMITS.contains(&self.at(place + 1)))
            || self.low.contains("的行") && self.has_text(&["开头的行", "结尾的行", "包含", "含有"]);
        let is_open =
            |word: &Word| word.value.starts_with("s/") || word.value.starts_with("s|") || word.value.starts_with("s#");
        let edits = self.runs(&["sed", "perl"]);
        limits && edits && self.arguments().any(|(_, _, word)| is_open(word) && !word.value.contains(['^', '$']))
    }

    /// `lowercase the extensions`, `rename the folders`, `remove the (1)`: no more than that of the names.
    pub fn widens_rename(&self) -> bool {
        let turns_case = self.command.contains("[:upper:]")
            || self.command.contains("[:lower:]")
            || ["${f,,", "${f^^", "${f:l", "${f:u", "${(L)", "${(U)", "string lower", "string upper"]
                .iter()
                .any(|form| self.command.contains(form))
            || self.command.contains(r"\L")
            || self.command.contains(r"\U")
            || self.command.contains("y/A-Z/a-z/")
            || self.command.contains("y/a-z/A-Z/");
        let of_ending = ["extension", "extensions", "ending", "endings", "suffix", "suffixes"];
        let splits =
            ["##*.", "%.*", "string split", "path extension", ":e"].iter().any(|form| self.command.contains(form));
        let ending = turns_case && (self.says(&of_ending) || self.has_text(&["扩展名", "后缀"])) && !splits;
        let folders = (0..self.words.len()).any(|place| {
            ["folders", "directories", "dirs", "subfolders", "subdirectories"].contains(&self.at(place))
                && !self.is_behind(
                    place,
                    4,
                    &["in", "of", "inside", "within", "from", "under", "into", "to", "and", "with"],
                )
        }) || self.has_text(&["文件夹改名", "文件夹名", "目录名", "文件夹重命名"]);
        let of_files =
            self.command.contains("[ -f ") || self.command.contains("test -f") || self.command.contains("-type f");
        let both = self.says(&["files", "file"]);
        ending || folders && of_files && !both || self.loses_parenthesis()
    }

    /// `(1)` stands for itself, marks and all.
    fn loses_parenthesis(&self) -> bool {
        let inner = self.low.split('(').skip(1).filter_map(|rest| rest.split_once(')')).map(|(inner, _)| inner);
        let short =
            inner.filter(|inner| !inner.is_empty() && inner.len() < 5 && inner.chars().all(char::is_alphanumeric));
        let low = self.command.to_lowercase();
        let forms = |inner: &str| {
            [format!("({inner}"), format!("(\\{inner}"), format!("[(]{inner}")]
                .iter()
                .any(|form| low.contains(form.as_str()))
        };
        let renames = self.command.contains("mv ") || self.runs(&["rename", "sed", "perl", "find", "rm"]);
        let lost: Vec<&str> = short.filter(|inner| !forms(inner)).collect();
        renames && !lost.is_empty()
    }

    /// `into one archive`: no file of its own for each.
    pub fn packs_each(&self) -> bool {
        const ONE: &[&str] = &[
            "one archive",
            "one file",
            "single archive",
            "single file",
            "single zip",
            "one zip",
            "one tar",
            "single tar",
            "an archive",
            "one gz",
            "single gz",
            "one big",
            "a zip",
            "a tar",
            "a single",
            "one compressed",
            "一个压缩",
            "一个文件",
            "一个zip",
            "一个归档",
            "一个 zip",
            "一个tar",
            "单个",
        ];
        const EACH: &[&str] = &["gzip", "bzip2", "xz", "zstd", "lz4", "compress", "pigz"];
        let each = self.runs(EACH) && !self.runs(&["tar", "cpio", "zip"]) && !self.command.contains('>');
        let loops = self.command.starts_with("for ") && self.runs(&["zip", "tar", "gzip"]);
        let is_each = self.says(&["each", "every", "per"]) || self.has_text(&["每个", "各自", "分别"]);
        self.has_text(ONE) && self.is_packing() && (each || loops && !is_each)
    }

    fn is_packing(&self) -> bool {
        self.has_text(&[
            "compress", "zip", "pack", "archive", "bundle", "tar", "put", "压缩", "打包", "归档", "combine",
        ])
    }
}
