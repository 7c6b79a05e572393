//! Changes that a request specifies exactly: a text, an identifier, an import, a version, an ignored file. Parses the request and produces
//! the new texts. Returns nothing for a request without an exact meaning, which is left to a model.

mod add_to;
pub mod assign;
mod call;
pub mod cleanup;
mod depend;
mod file_edit;
mod imports;
mod lines;
mod lock;
pub mod manifest;
mod matrix;
pub mod moved;
mod normal;
mod place;
mod text;
mod units;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::{orders, versions};
use add_to::Addition;
use assign::{Setting, Value};
use call::Call;
use cleanup::Cleanup;
use depend::NewVersion;
use file_edit::FileEdit;
use manifest::{Dependency, MemberDependency};
use matrix::{MatrixChange, MatrixEntry};
use place::{Place, WORDS};

/// The change to make. File names are as the user wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces a text by another, in one file or in every file that has it.
    Replace {
        from: String,
        to: String,
        file: Option<String>,
    },
    /// Renames an identifier everywhere.
    Rename {
        from: String,
        to: String,
        file: Option<String>,
    },
    /// Gives a constant or a setting another value.
    Set(Setting),
    Move {
        from: String,
        to: String,
    },
    AddImport {
        import: String,
        file: String,
    },
    RemoveImport {
        name: String,
        file: String,
        unused: bool,
    },
    RemoveUnusedImports {
        file: String,
    },
    /// An import that nothing uses, in whichever file has it.
    RemoveUnusedName(String),
    /// Patterns for .gitignore.
    Ignore(Vec<String>),
    Bump(Bump),
    Sort {
        file: String,
    },
    Append {
        line: String,
        file: String,
    },
    DeleteLines {
        lines: Lines,
        file: String,
    },
    /// A script of package.json, or a target of the Makefile.
    AddScript {
        name: String,
        command: String,
        target: bool,
    },
    AddDependency(Dependency),
    RemoveDependency(String),
    /// A dependency of one member of a workspace.
    MemberDependency(MemberDependency),
    /// Another version of a dependency, an image or a tool.
    Depend(NewVersion),
    /// Adds to the value of a variable or a list: `add -Wextra to CFLAGS`.
    AddTo(Addition),
    /// A version that CI tests as well, or no longer.
    Matrix(MatrixEntry),
    /// Statements that are one call.
    RemoveCall(Call),
    /// A part of a file that the request names.
    File(FileEdit),
    Cleanup(Cleanup),
    Format,
}

/// The lines to delete, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    From(usize, usize),
    First(usize),
    Last(usize),
    Containing(String),
    /// Comments with this mark, such as TODO.
    Marked(String),
    Blank,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bump {
    To(String),
    Major,
    Minor,
    Patch,
    /// The request did not say which part.
    Unsaid,
}

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditResult {
    /// The new text of each changed file, and a line about it.
    Texts {
        files: BTreeMap<String, String>,
        summary: String,
        note: String,
    },
    Move {
        from: String,
        to: String,
    },
    /// Nothing is changed: why, and what would help.
    Nothing(String),
}

/// An identifier.
const NAME: &str = r"[A-Za-z_$][\w$]*";
/// What a setting is called: a name, with its sections before it, or up to three words.
const KEY: &str = r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*(?:\s[a-z]+){0,2}?";
/// A version: `1.26.4`, `v5.1.0`, `3.20-alpine`.
const VERSION: &str = r"v?\d[\w.+-]*\w|v?\d";
/// A second word of a name: `spring boot`.
const WORD: &str = r"[a-z][\w-]*";
/// A call, or a statement of a debugger.
const CALL: &str = r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*";
/// A name that code gives to a list or a variable.
const LISTED: &str = r"[A-Z][A-Z0-9_]+|[a-z]\w*_\w+|[a-z]+[A-Z]\w*";
/// What is switched on or off: a name, or up to four words.
const SWITCH: &str = r"[A-Za-z_][\w.-]*(?:\s[a-z]+){0,3}?";
const TOGGLED: &str = r"(?:\s+(?:mode|option|flag|setting|rule|check))?(?:\s+by\s+default)?";
/// What a number counts.
const UNIT: &str = "seconds?|secs?|minutes?|mins?|hours?|days?|ms|milliseconds?|bytes|characters|chars|items|lines|pixels|px|times|rows|entries|columns";
/// Patterns of ignored files: `.venv, dist and *.log`.
const PATTERNS: &str =
    r"`?[\w*.?/\[\]@+-]+`?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)(?:the\s+)?`?[\w*.?/\[\]@+-]+`?){0,7}?";
const PATH: &str = r"[\w./@+-]*\.?[\w+-]+(?:\.[\w]+)*";

struct Shapes(Vec<(&'static str, Regex)>);

/// Patterns of such requests, the specific before the general. Case-sensitive, since names differ by case.
static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let quoted = r#"(?:"(?P<A>[^"]+)"|'(?P<B>[^']+)'|`(?P<C>[^`]+)`|“(?P<D>[^”]+)”)"#;
    let two = |one: &str, other: &str| {
        let second = quoted.replace("<A>", "<E>").replace("<B>", "<F>").replace("<C>", "<G>").replace("<D>", "<H>");
        format!("{one}{quoted}{other}{second}")
    };
    let place = format!(
        r"(?:\s+(?:in|on|for)\s+(?P<places>(?:the\s+|our\s+)?{WORDS}(?:(?:,\s*|\s+and\s+)(?:in\s+)?(?:the\s+|our\s+)?{WORDS})*)|\s+(?:in|inside|within|of)\s+(?:the\s+)?(?:file\s+)?`?(?P<file>{PATH})`?|\s+(?:everywhere|in\s+all\s+files|in\s+every\s+file|throughout|in\s+the\s+(?:whole\s+)?(?:project|code|codebase|repo)))?"
    );
    let from = place.replace(r"(?:in|inside|within|of)", r"(?:in|inside|within|of|from)");
    let package = r#"`?(?P<name>@?[\w][\w./-]*(?::[\w.-]+:[\w.+-]+)?)(?:(?P<sign>\s*(?:==|>=|<=|~=|=|@|\^|~)\s*|\s+(?:version\s+|v))["']?(?P<wanted>[\^~<>=]*[\w.*-]+)["']?)?`?"#;
    let rows = [
        ("bump", r"(?i:(?:bump|set|change|update|raise|increase)\s+(?:the\s+)?(?:project|package|crate|app|library|release)?(?:'s)?\s*version(?:\s+number)?\s+(?:from\s+\S+\s+)?to)\s+v?(?P<version>\d+(?:\.\d+)+(?:-[\w.]+)?)".to_owned()),
        ("bump-part", r"(?i:bump|raise|increase|increment)\s+(?:the\s+)?(?P<part>major|minor|patch)(?:\s+version|\s+number)*".to_owned()),
        ("bump-part", r"(?i:bump|raise|increase|increment)\s+(?:the\s+)?(?:project|package|crate|app|library|release)?(?:'s)?\s*version(?:\s+number)?(?:\s+(?:by\s+)?(?:a|one)\s+(?P<part>major|minor|patch)(?:\s+(?:version|step))?)?".to_owned()),
        ("ignore", format!(r"(?i:add|put)\s+(?:the\s+)?(?P<patterns>{PATTERNS})(?:\s+(?P<sort>files?|folders?|director(?:y|ies)|dirs?))?\s*,?\s+(?:to|into|in)\s+(?P<git>(?:the\s+|our\s+|my\s+)?\.?gitignore)(?:\s+file)?")),
        ("ignore", r"(?i:(?:add|create|make|write)\s+a\s+\.gitignore(?:\s+file)?\s+(?:for|with|that\s+ignores))\s+`?(?P<pattern>[\w*.?/\[\]-]+)`?(?:\s+files)?".to_owned()),
        ("ignore", format!(r"(?:(?P<git>(?i:make\s+git|let\s+git|have\s+git|tell\s+git\s+to|get\s+git\s+to|git\s+should|git\s+must|git\s+needs\s+to|gitignore:?|configure\s+git\s+to))\s+)?(?i:ignore\s+)?(?:all\s+|the\s+|any\s+)*(?P<patterns>{PATTERNS})(?:\s+(?P<sort>files?|folders?|director(?:y|ies)|dirs?))?(?P<behind>\s+(?:in|for|with|from|by)\s+(?:the\s+)?\.?git(?:ignore)?(?:\s+file)?)?")),
        ("ignore", format!(r"(?i:stop\s+tracking|keep|don'?t\s+track|do\s+not\s+track|never\s+commit|don'?t\s+commit|exclude|hide)\s+(?:all\s+|the\s+|any\s+)*(?P<patterns>{PATTERNS})(?:\s+(?P<sort>files?|folders?|director(?:y|ies)|dirs?))?(?P<git>\s+(?:in|with|from|out\s+of)\s+git)")),
        ("ignore", format!(r"(?:the\s+)?(?P<patterns>{PATTERNS})(?:\s+(?P<sort>files?|folders?|director(?:y|ies)|dirs?))?\s+(?i:should|must|needs\s+to)\s+(?i:be\s+)(?P<git>(?i:git-?ignored|ignored\s+by\s+git|in\s+(?:the\s+)?\.?gitignore))")),
        ("import-unused", format!(r"(?i:remove|delete|drop|clean\s+up|get\s+rid\s+of)\s+(?:all\s+|any\s+|the\s+)*unused\s+(?:imports?|includes?|use\s+statements?)\s+(?:from|in|of)\s+(?:the\s+file\s+)?`?(?P<file>{PATH})`?")),
        ("unused-name", format!(r"(?i:remove|delete|drop|clean\s+up)\s+(?:the\s+)?unused\s+(?:(?i:import|include|use)\s+(?:of\s+|for\s+)?)?`?(?P<name>{NAME}(?:(?:\.|::){NAME})*|#\s*include\s+\S+|<[\w./]+>)`?(?:\s+(?i:import|include|use))?(?:\s+(?i:statement|line))?(?:\s+(?:from|in|of)\s+`?(?P<file>{PATH})`?)?")),
        ("import-remove", format!(r"(?i:remove|delete|drop)\s+(?:the\s+)?(?P<unused>unused\s+)?import\s+(?:of\s+|for\s+)?`?(?P<name>{NAME}(?:\.{NAME})*)`?\s+(?:from|in)\s+`?(?P<file>{PATH})`?")),
        ("import-remove", format!(r"(?i:remove|delete|drop)\s+(?:the\s+)?(?P<unused>unused\s+)?`?(?P<name>{NAME}(?:\.{NAME})*)`?\s+import\s+(?:from|in)\s+`?(?P<file>{PATH})`?")),
        ("import-add", format!(r#"(?i:add)\s+(?:the\s+|an\s+)?`?(?P<import>(?:(?:import|from|use|using|require|require_relative)\s+|#\s*include\s*[<"])[^`]+?)`?\s+(?:to|in|into|at\s+the\s+top\s+of)\s+`?(?P<file>{PATH})`?"#)),
        ("import-add", format!(r"(?i:add)\s+(?:the\s+|an\s+)?import\s+(?:of|for)\s+`?(?P<module>{NAME}(?:\.{NAME})*)`?\s+(?:to|in|into)\s+`?(?P<file>{PATH})`?")),
        ("import-add", format!(r#"(?i:add|include)\s+(?:the\s+|an?\s+)?(?:(?:include|header)\s+(?:of\s+|for\s+|file\s+)?)?(?P<header>[<"]?[\w./-]+\.h(?:pp|h)?[>"]?)\s+(?:to|in|into)\s+`?(?P<file>{PATH})`?"#)),
        ("import-add", format!(r"(?P<import>import\s+{NAME}(?:\.{NAME})*)\s+(?:in|into|at\s+the\s+top\s+of|on\s+top\s+of)\s+`?(?P<file>{PATH})`?")),
        ("lines", format!(r"(?i:delete|remove|drop|cut)\s+(?:the\s+)?lines?\s+(?P<first>\d+)(?:\s*(?:-|–|to|through|until|and)\s*(?P<last>\d+))?\s+(?:of|from|in)\s+(?:the\s+file\s+)?`?(?P<file>{PATH})`?")),
        ("lines-end", format!(r"(?i:delete|remove|drop|cut)\s+(?:the\s+)?(?P<end>first|last)\s+(?:(?P<many>\d+|two|three|four|five)\s+)?lines?\s+(?:of|from|in)\s+(?:the\s+file\s+)?`?(?P<file>{PATH})`?")),
        ("lines-with", format!(r"(?i:delete|remove|drop)\s+(?:all\s+|every\s+|the\s+)*lines?\s+(?:that\s+|which\s+)?(?:contain(?:s|ing)?|with|ha(?:ve|s|ving)|matching|mention(?:s|ing)?)\s+(?:{quoted}|(?P<word>[\w.-]+))\s+(?:in|from|of)\s+(?:the\s+file\s+)?`?(?P<file>{PATH})`?")),
        ("lines-marked", format!(r"(?i:delete|remove|drop|get\s+rid\s+of)\s+(?:all\s+|every\s+|the\s+)*(?P<word>TODO|FIXME|XXX|HACK)s?(?:[\s-](?i:comments?|notes?|lines?|remarks?))?\s+(?:in|from|of)\s+(?:the\s+file\s+)?`?(?P<file>{PATH})`?")),
        ("lines-blank", format!(r"(?i:delete|remove|drop)\s+(?:all\s+|the\s+)*(?:blank|empty)\s+lines\s+(?:in|from|of)\s+(?:the\s+file\s+)?`?(?P<file>{PATH})`?")),
        ("script", r"(?i:add|create)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?P<sort>(?:npm\s+|package\s+|pnpm\s+|yarn\s+)?script|(?:make\s+|makefile\s+)?target)\s+(?:called\s+|named\s+)?[`\x22']?(?P<name>[\w:.-]+)[`\x22']?\s*(?:,?\s*(?:that|which|to)\s+(?:runs?|calls?|does|executes?)|running|with\s+the\s+command|:)\s+[`\x22']?(?P<command>[^`\x22']+?)[`\x22']?(?:\s+(?:to|in)\s+(?:the\s+)?(?:package\.json|Makefile))?".to_owned()),
        ("script", r"(?i:add|create)\s+(?:an?\s+|the\s+)?(?:new\s+)?[`\x22']?(?P<name>[a-z][\w:.-]*)[`\x22']?\s+(?P<sort>(?:npm\s+|package\s+|pnpm\s+|yarn\s+)?script|(?:make\s+|makefile\s+)?target)(?:\s+(?:to|in)\s+(?:the\s+)?(?:package\.json|Makefile))?\s*(?:,?\s*(?:that|which|to)\s+(?:runs?|calls?|does|executes?)|running|with(?:\s+the\s+command)?|:|=)\s+[`\x22']?(?P<command>[^`\x22']+?)[`\x22']?".to_owned()),
        ("script", r"(?i:add|create)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?P<sort>(?:npm\s+|package\s+|pnpm\s+|yarn\s+)?script|(?:make\s+|makefile\s+)?target)\s+(?:to|in)\s+(?:the\s+)?(?:package\.json|Makefile)\s+(?:called\s+|named\s+)?[`\x22']?(?P<name>[\w:.-]+?)[`\x22']?\s*(?:,?\s*(?:that|which|to)\s+(?:runs?|calls?|does|executes?)|running|with(?:\s+the\s+command)?|:|=)\s+[`\x22']?(?P<command>[^`\x22']+?)[`\x22']?".to_owned()),
        ("script", r"(?i:add)\s+(?P<sort>)[`\x22']?(?P<name>[a-z][\w:.-]*)[`\x22']?\s*:\s*[`\x22'](?P<command>[^`\x22']+?)[`\x22']\s+to\s+(?:the\s+)?(?:npm\s+)?scripts(?:\s+(?:in|of)\s+(?:the\s+)?package\.json)?".to_owned()),
        ("move", format!(r"(?i:rename|move)\s+(?:the\s+)?(?:file\s+)?`?(?P<old>{PATH})`?\s+(?:to|into|as)\s+`?(?P<new>{PATH}/?)`?")),
        ("rename", format!(r"(?i:rename)\s+(?:the\s+)?(?:function|method|class|variable|constant|type|struct|interface|symbol|field|enum|trait|component|hook|module|model|macro|parameter|property|identifier)?\s*`?(?P<old>{NAME})(?:\(\))?`?(?:\s+(?:function|method|class|variable|constant|type|struct|interface|symbol|field|enum|trait|component|hook|module|model|macro|parameter|property|identifier))?\s+(?:to|into|as)\s+`?(?P<new>{NAME})(?:\(\))?`?{place}")),
        ("depend", format!(r#"(?P<verb>(?i:bump|upgrade|update|downgrade|pin|move|raise|set|change|lock|fix|switch))\s+(?:the\s+)?(?:version\s+of\s+(?:the\s+)?)?(?:(?:dependency|package|library|crate|gem|image|module|plugin|provider|action)\s+)?`?(?P<name>@?[A-Za-z][\w./:@-]*(?:\s(?:{WORD}))??)`?(?:\s+(?:dependency|package|library|crate|gem|image|module|plugin|provider|version|tag|action))*(?:\s+from\s+\S+)?\s+(?:to|at|on)\s+(?:version\s+)?["'`]?(?P<version>{VERSION})["'`]?(?:\s+exactly)?{place}"#)),
        ("depend", format!(r#"(?P<verb>(?i:pin|lock))\s+`?(?P<name>@?[A-Za-z][\w./-]*)\s*(?:==|=|@)\s*(?P<version>{VERSION})`?{place}"#)),
        ("depend", format!(r#"(?P<verb>(?i:require|need|depend\s+on|demand))\s+(?:at\s+least\s+)?`?(?P<name>@?[A-Za-z][\w./-]*?)\s*(?P<sign>>=|~=|\^|==|<=|<|>)\s*(?P<version>{VERSION})`?{place}"#)),
        ("depend", format!(r#"(?P<verb>(?i:use|require|depend\s+on|switch\s+to|build\s+on|upgrade\s+to|update\s+to))\s+(?:version\s+)?`?(?P<name>@?[A-Za-z][\w./-]*?)(?:\s+(?:version\s+)?|:|@|==)(?P<version>{VERSION})`?(?:\s+as\s+(?:the\s+)?base(?:\s+image)?)?{place}"#)),
        ("depend", format!(r#"(?P<verb>(?i:upgrade|update|change|set|switch|bump|move))\s+(?:the\s+|our\s+)?(?:docker\s+)?(?:base\s+)?image\s+(?:in\s+(?P<places>(?:the\s+|our\s+)?{WORDS})\s+)?to\s+`?(?P<name>[A-Za-z][\w./-]*?)(?:\s+(?:version\s+)?|:)(?P<version>{VERSION})`?"#)),
        ("depend", format!(r#"(?P<verb>(?i:upgrade|update|change|set|switch|bump|move))\s+(?:the\s+|our\s+)?(?:docker\s+)?(?:base\s+)?image\s+to\s+`?(?P<name>[A-Za-z][\w./-]*?)(?:\s+(?:version\s+)?|:)(?P<version>{VERSION})`?{place}"#)),
        ("add-to", format!(r#"(?i:add|append|put)\s+(?:the\s+)?(?:(?:flag|option|value|entry|element|item|file|object|path|host|warning|library|word)\s+)?(?:{quoted}|(?P<value>-\S+(?:\s+\S+){{0,4}}?|\S+(?:\s+-\S+)*))\s+(?i:to|into|in)\s+(?:the\s+)?(?:(?:variable|list|array|value\s+of|compiler\s+flags|linker\s+flags)\s+)?`?(?P<key>{LISTED})`?(?:\s+(?:variable|list|array|flags))?{place}"#)),
        ("set", format!(r#"(?i:change|set|update|increase|raise|lower|reduce|decrease|switch|bump|put)\s+(?:the\s+|our\s+)?(?:(?:default\s+)?value\s+of\s+(?:the\s+)?)?(?:(?:constant|variable|setting|option|key|field|default|env(?:ironment)?\s+variable)\s+)?`?(?P<key>{KEY})`?(?:\s+(?:setting|option|key|constant|variable|value))?(?:\s+(?:in|of|inside)\s+(?:the\s+)?(?:file\s+)?`?(?P<before>{PATH})`?)?(?:\s+from\s+(?P<was>[^\s]+))?(?:\s+to\s+(?:be\s+)?|\s*=\s*)(?:{quoted}|(?P<value>[^\s"'`]+?)(?P<unit>\s+(?:{UNIT}))?){place}(?:\s+by\s+default)?"#)),
        ("set", format!(r#"(?i:the\s+)?`?(?P<key>{KEY})`?(?:\s+in\s+`?(?P<before>{PATH})`?)?\s+(?i:should|must|needs\s+to|has\s+to)\s+be\s+(?:{quoted}|(?P<value>-?\d[\w.%]*|true|false|on|off)(?P<unit>\s+(?:{UNIT}))?){place}"#)),
        ("set", format!(r#"(?i:use)\s+(?:{quoted}|(?P<value>-?\d[\w.%]*|true|false)(?P<unit>\s+(?:{UNIT}))?)\s+(?:as|for)\s+(?:the\s+)?(?:(?:default|value\s+of)\s+)?`?(?P<key>{KEY})`?{place}"#)),
        ("set", format!(r#"(?i:switch\s+to|move\s+to|use|upgrade\s+to|go\s+to|bump\s+to|update\s+to|target)\s+(?:the\s+)?(?:rust\s+)?(?:(?P<key>edition)\s+(?P<value>20\d\d)|(?P<late>20\d\d)\s+edition){place}"#)),
        ("toggle", format!(r#"(?i:turn|switch)\s+(?P<way>(?i:on|off))\s+(?:the\s+|our\s+)?`?(?P<key>{SWITCH})`?{TOGGLED}{place}"#)),
        ("toggle", format!(r#"(?i:turn|switch|set)\s+(?:the\s+|our\s+)?`?(?P<key>{SWITCH})`?(?:\s+(?:mode|option|flag|setting|rule))?\s+(?P<way>(?i:on|off))(?:\s+by\s+default)?{place}(?:\s+by\s+default)?"#)),
        ("toggle", format!(r#"(?P<way>(?i:enable|disable|activate|deactivate))\s+(?:the\s+|our\s+)?`?(?P<key>{SWITCH})`?{TOGGLED}{place}"#)),
        ("set", r#"(?i:make|let)\s+(?:the|our)\s+(?P<key>[a-z]+(?:\s[a-z]+){0,2}?)\s+(?:be\s+|equal\s+)?(?P<value>-?\d[\w.%]*)"#.to_owned()),
        ("set", format!(r#"(?i:make|turn)\s+(?:the\s+)?(?:(?:constant|variable|setting|option|rule|value\s+of)\s+)?`?(?P<key>{LISTED}|[a-z]+(?:-[a-z]+)+)`?\s+(?:(?:in)?to\s+|be\s+)?(?:an?\s+)?(?:{quoted}|(?P<value>-?\d[\w.]*|true|false|True|False|on|off|error|warn|warning|info|debug|none|null)){place}"#)),
        ("depend", format!(r#"(?P<places>(?i:the\s+|our\s+)?{WORDS}(?:\s+and\s+(?:the\s+)?{WORDS})*)\s+(?P<verb>(?i:(?:should|must|needs\s+to|has\s+to|ought\s+to)\s+(?:use|run\s+on|run\s+with|be\s+on|build\s+on|build\s+with|test\s+on|test\s+with|test\s+against)))\s+`?(?P<name>@?[A-Za-z][\w./-]*?)(?:\s+(?:version\s+)?|:|@|==)(?P<version>{VERSION})`?"#)),
        ("depend", format!(r#"(?P<verb>(?i:run|build|test))\s+(?P<places>(?i:the\s+|our\s+)?{WORDS})\s+(?i:on|with|against|using)\s+`?(?P<name>@?[A-Za-z][\w./-]*?)(?:\s+(?:version\s+)?|:|@|==)(?P<version>{VERSION})`?"#)),
        ("matrix", format!(r#"(?i:also|additionally)\s+(?i:test|run|build|check)(?:\s+(?i:the\s+tests|it|everything))?\s+(?i:on|with|against|under|for)\s+(?P<name>[A-Za-z][\w.-]*?)\s+(?:version\s+)?(?P<version>{VERSION})(?i:\s+(?:in|on)\s+(?:the\s+|our\s+)?(?:ci|pipeline|workflow|github\s+actions|matrix))?"#)),
        ("matrix", format!(r#"(?i:(?:let|make|have)\s+ci\s+also|ci\s+should\s+also)\s+(?i:test|run|build|check)(?:\s+(?i:the\s+tests|it|everything))?\s+(?i:on|with|against|under|for)\s+(?P<name>[A-Za-z][\w.-]*?)\s+(?:version\s+)?(?P<version>{VERSION})"#)),
        ("matrix", format!(r#"(?i:add|put)\s+(?P<name>[A-Za-z][\w.-]*?)\s+(?:version\s+)?(?P<version>{VERSION})\s+(?i:to|into|in)\s+(?i:the\s+|our\s+)?(?i:(?:ci|test|build|version|python|node|go)\s+)*(?i:matrix|ci|workflow|pipeline)"#)),
        ("matrix", format!(r#"(?P<drop>(?i:drop|remove|delete|take\s+out|no\s+longer\s+test\s+on|stop\s+testing\s+on))\s+(?i:support\s+for\s+)?(?P<name>[A-Za-z][\w.-]*?)\s+(?:version\s+)?(?P<version>{VERSION})(?i:\s+(?:from|in|of)\s+(?:the\s+|our\s+)?(?:(?:ci|test|build|version|python|node|go)\s+)*(?:matrix|ci|workflow|pipeline|github\s+actions))"#)),
        ("call", format!(r#"(?i:remove|take\s+out|delete|drop|get\s+rid\s+of|strip(?:\s+out)?)\s+(?P<all>(?i:all|every|all\s+of)\s+)?(?:the\s+|my\s+|that\s+|those\s+)?(?:(?i:debug(?:ging)?|leftover|stray)\s+)?`?(?P<call>{CALL})!?(?:\(\))?`?\s+(?P<noun>(?i:calls?|statements?|logs?|prints?|lines?)){from}"#)),
        ("call", format!(r#"(?i:remove|take\s+out|delete|drop|get\s+rid\s+of|strip(?:\s+out)?)\s+(?P<all>(?i:all|every|all\s+of)\s+)?(?:the\s+|my\s+|that\s+|those\s+)?(?:(?i:debug(?:ging)?|leftover|stray)\s+)?`?(?P<call>console\.(?:log|debug|trace)|debugger|breakpoint|dbg|fmt\.Println|{CALL})(?P<brackets>!\(\)|!|\(\))?(?P<plural>s)?`?{from}"#)),
        ("depend", format!(r#"(?i:the\s+)?`?(?P<file>(?:[\w./-]*/)?(?:[Dd]ockerfile|[\w-]+\.\w+))`?\s+(?P<verb>(?i:should\s+(?:use|run\s+on|be\s+on|build\s+on)|needs\s+to\s+use|must\s+use))\s+`?(?P<name>@?[A-Za-z][\w./-]*?)(?:\s+(?:version\s+)?|:|@|==)(?P<version>{VERSION})`?"#)),
        ("replace", two(r"(?i:replace|change|substitute|swap|turn)\s+(?:all\s+|every\s+)?(?:occurrences?\s+of\s+)?(?:the\s+(?:text|string|word)\s+)?", r"\s+(?:with|by|to|into|for)\s+(?:the\s+(?:text|string|word)\s+)?") + &place),
        ("replace", format!(r"(?i:replace|change|substitute)\s+(?:all\s+|every\s+)?(?:occurrences?\s+of\s+)?(?P<old>\S(?:.*?\S)?)\s+(?:with|by|to|into)\s+(?P<new>\S(?:.*?\S)?){place}")),
        ("append", format!(r"(?i:add|append)\s+(?:the\s+line\s+|a\s+line\s+)?{quoted}\s+to\s+(?:the\s+end\s+of\s+)?`?(?P<file>{PATH})`?")),
        ("sort", format!(r"(?i:sort)\s+(?:the\s+)?(?:lines\s+(?:of|in)\s+)?`?(?P<file>{PATH})`?(?:\s+alphabetically)?")),
        ("dependency-add", format!(r"(?i:add|install)\s+(?:the\s+)?(?:package\s+|library\s+|crate\s+|dependency\s+)?{package}\s+(?:to|as|in|into)\s+(?:the\s+|an?\s+|our\s+|my\s+)?(?:project(?:'s)?\s+)?(?P<dev>(?i:dev(?:elopment)?|test(?:ing)?)[\s-]*)?(?i:dependenc(?:y|ies)|deps|(?P<list>requirements(?:[\w/-]*\.txt)?|pyproject\.toml|package\.json|Cargo\.toml|go\.mod))")),
        ("dependency-add", format!(r"(?i:add|install)\s+(?:an?\s+|the\s+)?(?P<dev>(?i:dev(?:elopment)?|test(?:ing)?)[\s-]+)?(?:dependency|package|library|crate)\s+(?:on\s+|called\s+|named\s+)?{package}")),
        ("dependency-add", r"(?i:add|install|require)\s+`?(?P<name>[\w-]+(?:\.[\w-]+)+/[\w./-]+)`?(?:@(?P<wanted>v?\d[\w.]*))?".to_owned()),
        ("member", r#"(?P<verb>(?i:add|install|remove|drop|uninstall))\s+(?:the\s+)?(?:(?:package|library|crate|dependency)\s+)?`?(?P<name>@?[\w][\w./-]*(?:@[\w.^~-]+)?)(?:\s*(?:==?|:)\s*["']?(?P<wanted>[\^~]?\d[\w.]*)["']?|\s+(?:version\s+|v)?(?P<number>\d[\w.]*))?`?(?:\s+with\s+(?:the\s+)?(?P<features>[\w-]+)\s+feature)?\s+(?i:to|in|into|from|for)\s+(?:the\s+|our\s+)?`?(?P<member>@?[\w][\w./-]*)`?(?:\s+(?i:app|package|workspace|crate|member|module))?(?P<dev>\s+(?i:as\s+a\s+dev(?:elopment)?\s+dependency))?"#.to_owned()),
        ("dependency-remove", r"(?i:remove|drop|delete|uninstall)\s+(?:the\s+)?(?:package\s+|library\s+|crate\s+|dependency\s+(?:on\s+)?)?`?(?P<name>@?[\w][\w./-]*)`?(?:\s+(?:dependency|package|library|crate))?(?:\s+from\s+(?:the\s+|our\s+|my\s+)?(?:project|(?:dev\s+)?dependenc(?:y|ies)|deps|requirements(?:\.txt)?|package\.json|pom(?:\.xml)?|go\.mod|Cargo\.toml|pyproject\.toml|build\.gradle(?:\.kts)?|composer\.json|Gemfile))?".to_owned()),
        ("format", r"(?i:format|reformat|prettify|beautify)\s+(?:all\s+|the\s+|my\s+|our\s+|this\s+)*(?:code|files?|project|sources?|code\s*base|repo|everything)".to_owned()),
    ];
    Shapes(rows.iter().filter_map(|(name, pattern)| Some((*name, whole(pattern)?))).collect())
});

/// The pattern of a whole request, with the courtesies around it.
fn whole(pattern: &str) -> Option<Regex> {
    let polite =
        r"(?i:(?:please|pls|can you|could you|would you|now|kindly|i want to|i'd like to|we should|let's|lets)[\s,]+)*";
    Regex::new(&format!(
        r"^\s*{polite}(?:{pattern})(?i:\s*,?\s*(?:please|pls|thanks|thank you)|\s+for\s+me)?\s*[.!]?\s*$"
    ))
    .ok()
}

/// The exact change that a request specifies; `None` where it is less than exact.
pub fn parse(request: &str) -> Option<Edit> {
    readings(request).into_iter().next()
}

/// All readings of a request, the likeliest first: `update regex to 1.11` is a version of a dependency, or the value of a setting.
pub fn readings(request: &str) -> Vec<Edit> {
    let request = normal::normal(without_question(request));
    let mut all: Vec<Edit> = file_edit::readings(&request).into_iter().map(Edit::File).collect();
    all.extend(cleanup::readings(&request).into_iter().map(Edit::Cleanup));
    for edit in SHAPES.0.iter().filter_map(|(name, pattern)| edit(name, &pattern.captures(&request)?)) {
        // Only a reading that may not be meant leaves room for another.
        let is_last = match &edit {
            Edit::Depend(_) | Edit::AddTo(_) | Edit::MemberDependency(_) => false,
            Edit::Set(setting) => !setting.is_switch,
            _ => true,
        };
        if !all.contains(&edit) {
            all.push(edit);
        }
        if is_last {
            break;
        }
    }
    all
}

/// Whether a request asks to have one file laid out by a formatter.
pub fn formats(request: &str) -> bool {
    readings(request).iter().any(|edit| matches!(edit, Edit::Cleanup(Cleanup::Format(_))))
}

/// A file without an ending that is also the name of a purpose: "in the Dockerfile".
fn build_file(found: &Captures<'_>) -> Option<String> {
    let named = found.name("places")?.as_str().to_lowercase();
    let named = named.trim_start_matches("the ").trim_start_matches("our ");
    ["Dockerfile", "Makefile"].into_iter().find(|file| file.to_lowercase() == named).map(str::to_owned)
}

/// "Can you rename a to b?" is an order; its question mark is no part of a name.
fn without_question(request: &str) -> &str {
    let asks = ["can ", "could ", "would ", "will "];
    let is_question =
        asks.iter().any(|ask| request.get(..ask.len()).is_some_and(|head| head.eq_ignore_ascii_case(ask)));
    if is_question { request.trim_end().trim_end_matches('?') } else { request }
}

fn edit(name: &str, found: &Captures<'_>) -> Option<Edit> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let any =
        |groups: &[&str]| groups.iter().find_map(|group| found.name(group).map(|value| value.as_str().to_owned()));
    Some(match name {
        "bump" => Edit::Bump(Bump::To(of("version")?)),
        "bump-part" => Edit::Bump(match of("part").as_deref() {
            Some("major") => Bump::Major,
            Some("minor") => Bump::Minor,
            Some("patch") => Bump::Patch,
            _ => Bump::Unsaid,
        }),
        "ignore" => {
            let is_git = found.name("git").is_some() || found.name("behind").is_some();
            let is_order = found.get(0).is_some_and(|whole| whole.as_str().to_lowercase().contains("ignore"));
            (is_git || is_order).then_some(())?;
            Edit::Ignore(all_ignored(&of("patterns").or_else(|| of("pattern"))?, of("sort").as_deref(), is_git)?)
        }
        "import-remove" => {
            Edit::RemoveImport { name: of("name")?, file: of("file")?, unused: found.name("unused").is_some() }
        }
        "unused-name" => {
            let name = of("name")
                .filter(|name| !["import", "imports", "code", "variables", "includes"].contains(&name.as_str()))?;
            let is_said = found.get(0).is_some_and(|whole| {
                let lower = whole.as_str().to_lowercase();
                ["import", "include", " use "].iter().any(|word| lower.contains(word))
            });
            is_said.then_some(())?;
            match of("file").filter(|file| is_file(file)) {
                Some(file) => Edit::RemoveImport { name, file, unused: true },
                None if found.name("file").is_some() => return None,
                None => Edit::RemoveUnusedName(name),
            }
        }
        "import-unused" => Edit::RemoveUnusedImports { file: of("file").filter(|file| is_file(file))? },
        "lines" | "lines-end" | "lines-with" | "lines-marked" | "lines-blank" => {
            let number = |group: &str| of(group).and_then(|number| number.parse::<usize>().ok());
            let many = || match of("many").as_deref() {
                None => Some(1),
                Some("two") => Some(2),
                Some("three") => Some(3),
                Some("four") => Some(4),
                Some("five") => Some(5),
                Some(_) => number("many"),
            };
            let lines = match (name, of("end").map(|end| end.to_lowercase()).as_deref()) {
                ("lines", _) => Lines::From(number("first")?, number("last").or_else(|| number("first"))?),
                ("lines-end", Some("first")) => Lines::First(many()?),
                ("lines-end", _) => Lines::Last(many()?),
                ("lines-marked", _) => Lines::Marked(of("word")?),
                ("lines-with", _) => Lines::Containing(any(&["A", "B", "C", "D", "word"])?),
                _ => Lines::Blank,
            };
            Edit::DeleteLines { lines, file: of("file").filter(|file| is_file(file))? }
        }
        "script" => {
            let target = of("sort")?.to_lowercase().ends_with("target");
            let mut command = of("command")?;
            // A dot behind a blank is a directory, not the end of the sentence.
            if found.get(0).is_some_and(|whole| whole.as_str().trim_end().ends_with(" .")) && !command.ends_with(" .") {
                command.push_str(" .");
            }
            Edit::AddScript { name: of("name")?, command, target }
        }
        "set" => {
            let text = any(&["A", "B", "C", "D"]);
            let quoted = text.is_some();
            let text = text.or_else(|| of("value")).or_else(|| of("late"))?;
            let file = of("before").or_else(|| of("file")).filter(|file| is_file(file)).or_else(|| build_file(found));
            // "In the sidebar" is no file, so the sentence is about something else.
            let has_place = ["before", "file", "places"].iter().any(|group| found.name(group).is_some());
            if file.is_none() && has_place {
                return None;
            }
            let key = of("key").or_else(|| of("late").map(|_| "edition".to_owned()));
            let name = key.filter(|name| !NO_SETTINGS.contains(&name.to_lowercase().as_str()))?;
            // `README.md` is a file, whatever follows it.
            if name.rsplit_once('.').is_some_and(|(_, ending)| FILE_ENDINGS.contains(&ending)) {
                return None;
            }
            let unit = of("unit");
            Edit::Set(Setting { name, was: of("was"), to: Value { text, quoted }, file, unit, is_switch: false })
        }
        "toggle" => {
            let file = of("file").filter(|file| is_file(file)).or_else(|| build_file(found));
            if file.is_none() && ["file", "places"].iter().any(|group| found.name(group).is_some()) {
                return None;
            }
            let name = of("key").filter(|name| !NO_SETTINGS.contains(&name.to_lowercase().as_str()))?;
            let is_on = ["on", "enable", "activate"].contains(&of("way")?.to_lowercase().as_str());
            let to = Value { text: if is_on { "on" } else { "off" }.to_owned(), quoted: false };
            Edit::Set(Setting { name, was: None, to, file, unit: None, is_switch: true })
        }
        "import-add" => {
            let header = || {
                let header = of("header")?;
                let named = header.starts_with(['<', '"']);
                Some(if named { format!("#include {header}") } else { format!("#include <{header}>") })
            };
            let import = of("import").or_else(header).or_else(|| Some(format!("import {}", of("module")?)))?;
            Edit::AddImport { import, file: of("file")? }
        }
        "move" => {
            let (from, to) = (of("old")?, of("new")?);
            if !is_file(&from) || !is_file(&to) && !to.ends_with('/') {
                return None;
            }
            let to = if to.ends_with('/') { format!("{to}{}", from.rsplit('/').next()?) } else { to };
            Edit::Move { from, to }
        }
        "rename" => {
            let (from, to) = (of("old")?, of("new")?);
            (from != to).then_some(())?;
            found.name("places").is_none().then_some(())?;
            Edit::Rename { from, to, file: of("file") }
        }
        "replace" => {
            let quoted = any(&["A", "B", "C", "D"]).zip(any(&["E", "F", "G", "H"]));
            let is_quoted = quoted.is_some();
            let (from, to) = quoted.or_else(|| of("old").zip(of("new")))?;
            // Unquoted prose is not a text of a file: "change the button to blue".
            (is_quoted || is_text(&from) && !has_quotes(&from)).then_some(())?;
            // "to 60 but don't touch anything else" is more than a text, without quotes to say so.
            (is_quoted || !orders::is_restricted(&to)).then_some(())?;
            let file = of("file").or_else(|| build_file(found));
            (file.is_some() || found.name("places").is_none()).then_some(())?;
            Edit::Replace { from, to, file }
        }
        "append" => Edit::Append { line: any(&["A", "B", "C", "D"])?, file: of("file").filter(|file| is_file(file))? },
        "sort" => Edit::Sort { file: of("file").filter(|file| is_file(file))? },
        "dependency-add" => {
            let name = of("name").filter(|name| is_package(name))?;
            let version = of("wanted").map(|version| {
                let sign = of("sign").map(|sign| sign.trim().to_owned()).unwrap_or_default();
                let is_range = ["==", ">=", "<=", "~=", "^", "~"].contains(&sign.as_str());
                if is_range { format!("{sign}{version}") } else { version }
            });
            let file = of("list").filter(|list| is_file(list));
            Edit::AddDependency(Dependency { name, version, dev: found.name("dev").is_some(), file })
        }
        "depend" => {
            let place = of("file");
            let places = of("places").map(|words| Place::all(&words)).unwrap_or_default();
            let file = place.clone().filter(|file| is_file(file) || versions::reads(file));
            // "In the sidebar" is no file, so the sentence is about something else.
            if file.is_none() && place.is_some() {
                return None;
            }
            let name =
                of("name").filter(|name| is_package(name) && !NO_SETTINGS.contains(&name.to_lowercase().as_str()))?;
            // A package may have the name of an image.
            let is_image = found.get(0).is_some_and(|whole| whole.as_str().contains(" image "));
            let places = if is_image && places.is_empty() && file.is_none() { Place::IMAGES.to_vec() } else { places };
            let pinned = ["pin", "lock", "fix"].contains(&of("verb")?.to_lowercase().as_str());
            let rises = ["bump", "upgrade", "raise"].contains(&of("verb")?.to_lowercase().as_str());
            Edit::Depend(NewVersion { name, version: of("version")?, sign: of("sign"), pinned, rises, file, places })
        }
        "add-to" => {
            let text = any(&["A", "B", "C", "D"]);
            let quoted = text.is_some();
            let text = text.or_else(|| of("value"))?;
            let file = of("file").filter(|file| is_file(file) || versions::reads(file));
            let is_dependency = of("key")?.to_lowercase().contains("dependenc");
            if is_dependency || file.is_none() && found.name("file").is_some() || found.name("places").is_some() {
                return None;
            }
            Edit::AddTo(Addition { name: of("key")?, value: Value { text, quoted }, file })
        }
        "matrix" => {
            let name = of("name").filter(|name| is_package(name))?.to_lowercase();
            let change = if found.name("drop").is_some() { MatrixChange::Remove } else { MatrixChange::Add };
            Edit::Matrix(MatrixEntry { name, version: of("version")?, change })
        }
        "call" => {
            let name = of("call")?;
            let known =
                ["console.log", "console.debug", "console.trace", "debugger", "breakpoint", "dbg", "fmt.Println"];
            // "Remove lodash" is about something else.
            let is_call =
                pattern_says_call(found) || found.name("brackets").is_some() || known.contains(&name.as_str());
            let file = of("file").filter(|file| is_file(file));
            if !is_call || file.is_none() && found.name("file").is_some() || found.name("places").is_some() {
                return None;
            }
            // "Remove the console.log calls" means each of them, "the call" the only one.
            let is_plural =
                of("noun").is_some_and(|noun| noun.to_lowercase().ends_with('s')) || found.name("plural").is_some();
            Edit::RemoveCall(Call { name, all: found.name("all").is_some() || is_plural, file })
        }
        "member" => {
            let name = of("name")
                .filter(|name| is_package(name) && !is_file(&name.replace('@', "")) || name.starts_with('@'))?;
            let remove = ["remove", "drop", "uninstall"].contains(&of("verb")?.to_lowercase().as_str());
            Edit::MemberDependency(MemberDependency {
                name,
                version: of("wanted").or_else(|| of("number")),
                features: of("features"),
                member: of("member")?,
                dev: found.name("dev").is_some(),
                remove,
            })
        }
        "dependency-remove" => Edit::RemoveDependency(of("name").filter(|name| is_package(name))?),
        "format" => Edit::Format,
        _ => return None,
    })
}

/// Whether the words behind the name say that it is a call.
fn pattern_says_call(found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_lowercase();
    [" call", " statement"].iter().any(|word| whole.contains(word))
}

const FILE_ENDINGS: &[&str] = &[
    "md", "txt", "py", "rs", "ts", "tsx", "js", "jsx", "json", "yaml", "yml", "toml", "html", "css", "sh", "go", "c",
    "h", "rb",
];

/// Words that stand where a setting would, and name none.
const NO_SETTINGS: &[&str] =
    &["it", "this", "that", "everything", "all", "them", "code", "version", "branch", "directory"];

fn is_identifier(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '$')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$')
}

/// `Mode.FAST`, `log::Level::Warn`.
fn is_path_of_names(text: &str) -> bool {
    text.split("::").flat_map(|part| part.split('.')).all(is_identifier)
}

fn is_file(path: &str) -> bool {
    let known = ["makefile", "dockerfile", "procfile", "gemfile", "rakefile", "license", "justfile"];
    path.contains('.') || path.contains('/') || known.contains(&path.to_lowercase().as_str())
}

fn has_quotes(text: &str) -> bool {
    text.contains(['"', '\'', '`', '“'])
}

/// Whether an unquoted text can only come from a file: it has characters that prose does not have, or is camel case.
fn is_text(text: &str) -> bool {
    let sign = |letter: char| "_=.:/()[]{}<>$@#%&*+|\\".contains(letter) || letter.is_ascii_digit();
    let camel = text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    text.contains(sign) || camel
}

fn is_package(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "a",
        "an",
        "the",
        "it",
        "this",
        "that",
        "them",
        "all",
        "tests",
        "test",
        "new",
        "dark",
        "support",
        "some",
        "unused",
        "everything",
        "comments",
        "dead",
    ];
    !WORDS.contains(&name) && !name.starts_with('.') && !name.contains("..") && !name.ends_with('/')
}

/// The .gitignore rules for a list of names. Where git is named, a bare word is one too.
fn all_ignored(patterns: &str, sort: Option<&str>, is_git: bool) -> Option<Vec<String>> {
    let names: Vec<&str> = patterns
        .split(|letter: char| letter == ',' || letter.is_whitespace())
        .map(|name| name.trim_matches('`'))
        .filter(|name| !name.is_empty() && *name != "and" && *name != "the")
        .collect();
    // Without a comma or an "and" between them, words are prose.
    if names.len() > 1 && !patterns.contains(',') && !patterns.contains(" and ") {
        return None;
    }
    names.into_iter().map(|name| ignored(name, sort, is_git)).collect()
}

/// The .gitignore rule for one name.
fn ignored(pattern: &str, sort: Option<&str>, is_git: bool) -> Option<String> {
    const WORDS: &[&str] = &[
        "it",
        "this",
        "that",
        "them",
        "errors",
        "warnings",
        "case",
        "whitespace",
        "me",
        "everything",
        "the",
        "ignore",
        "all",
        "changes",
        "files",
        "file",
        "folder",
        "git",
        "in",
        "of",
        "my",
    ];
    if WORDS.contains(&pattern) || pattern.starts_with('-') {
        return None;
    }
    let exact = pattern.contains(['*', '.', '/', '_'])
        || is_git && !matches!(sort, Some("file" | "files"))
        || sort.is_some_and(|sort| sort != "file" && sort != "files");
    match sort {
        Some("folder" | "directory" | "dir" | "folders" | "directories" | "dirs") => {
            Some(format!("{}/", pattern.trim_end_matches('/')))
        }
        // "ignore log files" names an extension.
        Some("file" | "files") if !exact => Some(format!("*.{pattern}")),
        _ => exact.then(|| pattern.to_owned()),
    }
}

impl Edit {
    /// Whether the request can mean nothing else. A value for words of prose may also be an order to a program: "set the remote url to X".
    pub fn is_certain(&self) -> bool {
        match self {
            Edit::Set(setting) => setting.is_certain(),
            // Only the files say whether there is such a dependency.
            Edit::Depend(wanted) => !wanted.places.is_empty(),
            // Only the workspace says whether there is such a member.
            Edit::Format | Edit::MemberDependency(_) => false,
            Edit::File(edit) => edit.is_certain(),
            Edit::Cleanup(cleanup) => cleanup.is_certain(),
            _ => true,
        }
    }

    /// Whether only the files of the project say that it is meant: "disable the firewall" has the same shape.
    pub fn is_guess(&self) -> bool {
        match self {
            Edit::Set(setting) => setting.is_switch && !setting.is_certain(),
            Edit::File(edit) => !edit.is_certain(),
            Edit::Cleanup(cleanup) => !cleanup.is_certain(),
            _ => false,
        }
    }

    /// The files that it names.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Edit::Replace { file, .. } | Edit::Rename { file, .. } => file.as_deref().into_iter().collect(),
            Edit::AddImport { file, .. }
            | Edit::RemoveImport { file, .. }
            | Edit::RemoveUnusedImports { file }
            | Edit::DeleteLines { file, .. }
            | Edit::Sort { file }
            | Edit::Append { file, .. } => vec![file],
            Edit::Set(setting) => setting.file.as_deref().into_iter().collect(),
            Edit::Depend(NewVersion { file, .. })
            | Edit::AddTo(Addition { file, .. })
            | Edit::RemoveCall(Call { file, .. }) => file.as_deref().into_iter().collect(),
            Edit::Move { from, .. } => vec![from],
            Edit::File(edit) => edit.file().into_iter().collect(),
            Edit::Cleanup(cleanup) => cleanup.file().into_iter().collect(),
            Edit::Ignore(_)
            | Edit::Bump(_)
            | Edit::AddScript { .. }
            | Edit::AddDependency(_)
            | Edit::RemoveDependency(_)
            | Edit::Matrix(_)
            | Edit::MemberDependency(_)
            | Edit::RemoveUnusedName(_)
            | Edit::Format => Vec::new(),
        }
    }

    /// Whether a directory may stand where a file does, for all files below it.
    pub fn may_name_directory(&self) -> bool {
        matches!(self, Edit::Replace { .. } | Edit::RemoveCall(_) | Edit::Cleanup(Cleanup::Prints(_)))
    }

    /// A text that a file must contain to be relevant, if any file may be.
    pub fn needle(&self) -> Option<&str> {
        match self {
            Edit::Replace { from, file: None, .. } | Edit::Rename { from, file: None, .. } => Some(from),
            Edit::Set(setting) if setting.file.is_none() => Some(setting.needle()),
            Edit::AddTo(Addition { name, file: None, .. }) | Edit::RemoveCall(Call { name, file: None, .. }) => {
                Some(name)
            }
            // Other files may import the one that moves.
            Edit::Move { from, .. } => moved::stem(from),
            Edit::RemoveUnusedName(name) => Some(name.rsplit([':', '.']).next().unwrap_or(name)),
            Edit::Cleanup(cleanup) => cleanup.needle(),
            Edit::File(edit) => edit.needle(),
            _ => None,
        }
    }

    /// The files in the project root that it concerns.
    pub fn manifests(&self) -> &'static [&'static str] {
        match self {
            Edit::Ignore(_) => &[".gitignore"],
            Edit::Bump(_) => &["package.json", "pyproject.toml", "Cargo.toml", "VERSION", "setup.cfg", "composer.json"],
            Edit::AddDependency(_) | Edit::RemoveDependency(_) => manifest::LISTS,
            Edit::AddScript { target: true, .. } => &["Makefile", "makefile", "GNUmakefile"],
            Edit::AddScript { target: false, .. } => &["package.json"],
            Edit::File(edit) => edit.manifests(),
            _ => &[],
        }
    }

    /// Whether it concerns a file at this path, wherever that is.
    pub fn concerns(&self, path: &str) -> bool {
        match self {
            Edit::Bump(_) => versions::reads(path) || lock::is_lock(path),
            Edit::RemoveDependency(_) => manifest::is_build_file(path),
            Edit::Depend(NewVersion { file: None, places, .. }) => {
                versions::reads(path) && (places.is_empty() || places.iter().any(|place| place.has(path)))
            }
            Edit::Matrix(_) => Place::Ci.has(path),
            Edit::AddDependency(dependency) => manifest::is_gradle(path) && dependency.is_coordinate(),
            Edit::File(edit) => edit.concerns(path),
            _ => false,
        }
    }

    /// Whether it may concern files that `concerns` selects.
    pub fn concerns_some(&self) -> bool {
        match self {
            Edit::Bump(_)
            | Edit::RemoveDependency(_)
            | Edit::Depend(NewVersion { file: None, .. })
            | Edit::Matrix(_) => true,
            Edit::AddDependency(dependency) => dependency.is_coordinate(),
            Edit::File(edit) => edit.concerns_some(),
            _ => false,
        }
    }
}

/// The new texts of the files, which are given by their paths from the root.
pub fn apply(edit: &Edit, files: &BTreeMap<String, String>) -> EditResult {
    match edit {
        Edit::Replace { from, to, .. } => text::replace(from, to, files),
        Edit::Rename { from, to, .. } => text::rename(from, to, files),
        Edit::Set(setting) => assign::set(setting, files),
        Edit::Move { from, to } => EditResult::Move { from: from.clone(), to: to.clone() },
        Edit::RemoveUnusedImports { .. } => imports::remove_unused(files),
        Edit::DeleteLines { lines, .. } => lines::delete(lines, files),
        Edit::AddScript { name, command, .. } => manifest::script(name, command, files),
        Edit::AddImport { import, .. } => imports::add(import, files),
        Edit::RemoveImport { name, unused, .. } => imports::remove(name, *unused, files),
        Edit::Ignore(patterns) => text::ignore(patterns, files),
        Edit::RemoveUnusedName(name) => imports::remove_unused_name(name, files),
        Edit::Cleanup(cleanup) => cleanup.apply(files),
        Edit::Bump(bump) => manifest::bump(bump, files),
        Edit::Sort { .. } => text::sort(files),
        Edit::Append { line, .. } => text::append(line, files),
        Edit::AddDependency(dependency) => manifest::add(dependency, files),
        Edit::RemoveDependency(name) => manifest::remove(name, files),
        Edit::Depend(wanted) => depend::set(wanted, files),
        Edit::AddTo(addition) => add_to::add(addition, files),
        Edit::Matrix(entry) => matrix::change(entry, files),
        Edit::RemoveCall(call) => call::remove(call, files),
        Edit::File(edit) => edit.apply(files),
        Edit::Format | Edit::MemberDependency(_) => EditResult::Nothing(String::new()),
    }
}

/// The package manager's command, where it maintains its own list. `None` where the list is a file to edit.
pub fn command(edit: &Edit, has: &dyn Fn(&str) -> bool) -> Option<String> {
    match edit {
        Edit::AddDependency(dependency) => manifest::command(dependency, has),
        Edit::RemoveDependency(name) => manifest::remove_command(name, has),
        Edit::File(edit) => edit.command(has),
        _ => None,
    }
}
