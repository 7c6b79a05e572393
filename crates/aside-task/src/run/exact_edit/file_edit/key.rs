//! Adds a key that a file does not have yet: to an environment file, at the top level of JSON or YAML, among the compiler options of
//! TypeScript. A file with sections is left alone, since the right one cannot be told.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use super::ending;
use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::assign::Value;

pub fn is_environment(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with(".env") || matches!(ending(path), "env" | "properties")
}

pub fn add(key: &str, value: &Value, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    let known = Regex::new(&format!(r#"(?m)(?:^|[{{,\s])(?:export\s+)?["']?{}["']?\s*[:=]"#, regex::escape(key)));
    if known.is_ok_and(|known| known.is_match(text)) {
        return EditResult::Nothing(format!(
            "{} has {} already; to change it: set {key} to … in {path}.",
            code(path),
            code(key)
        ));
    }
    let made = match ending(path) {
        _ if is_environment(path) => Some(behind(text, &format!("{key}={}", value.text))),
        "json" | "jsonc" => in_json(path, text, key, value),
        "yml" | "yaml" if !text.lines().any(|line| line.starts_with("---")) => {
            Some(behind(text, &format!("{key}: {}", yaml(value))))
        }
        _ => None,
    };
    match made {
        Some(made) => super::one(path, made, format!("Add {} to {}", code(key), code(path))),
        None => EditResult::Nothing(String::new()),
    }
}

fn behind(text: &str, line: &str) -> String {
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{newline}{line}\n")
}

fn yaml(value: &Value) -> String {
    let plain = value.text.chars().all(|letter| letter.is_alphanumeric() || "_./-".contains(letter));
    if value.quoted || !plain { format!("\"{}\"", value.text.replace('"', "\\\"")) } else { value.text.clone() }
}

/// Behind the last key of the object, indented as that is.
fn in_json(path: &str, text: &str, key: &str, value: &Value) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_typescript = name.starts_with("tsconfig");
    let open = match is_typescript && COMPILER_OPTIONS.contains(&key) {
        true => Regex::new(r#""compilerOptions"\s*:\s*\{"#).ok()?.find(text)?.end(),
        false => text.find('{')? + 1,
    };
    let close = open + closing(text.get(open..)?)?;
    let inner = text.get(open..close)?;
    let items = inner.trim_end().trim_end_matches(',');
    let row = format!("\"{key}\": {}", json(value)?);
    let end = open + items.len();
    let mut made = text.to_owned();
    if items.trim().is_empty() {
        return None;
    }
    let last = items.lines().find(|line| line.trim_start().starts_with('"'));
    let indent = last.map_or("", |line| line.get(..line.len() - line.trim_start().len()).unwrap_or_default());
    // A comma that is there already stays behind what comes now.
    let comma = if inner.trim_end().ends_with(',') { "" } else { "," };
    let row = match items.contains('\n') {
        true if comma.is_empty() => return None,
        true => format!("{comma}\n{indent}{row}"),
        false => format!("{comma} {row}"),
    };
    made.insert_str(end, &row);
    Some(made)
}

fn json(value: &Value) -> Option<String> {
    let is_plain = value.text.parse::<f64>().is_ok() || ["true", "false", "null"].contains(&value.text.as_str());
    if !value.quoted && is_plain { Some(value.text.clone()) } else { serde_json::to_string(&value.text).ok() }
}

/// Where the object that is open at the beginning is closed.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (1, false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Options that tsconfig.json has below `compilerOptions`.
pub const COMPILER_OPTIONS: &[&str] = &[
    "strict",
    "noImplicitAny",
    "strictNullChecks",
    "strictFunctionTypes",
    "strictBindCallApply",
    "noImplicitThis",
    "strictPropertyInitialization",
    "alwaysStrict",
    "noUnusedLocals",
    "noUnusedParameters",
    "noImplicitReturns",
    "noFallthroughCasesInSwitch",
    "noUncheckedIndexedAccess",
    "exactOptionalPropertyTypes",
    "noImplicitOverride",
    "esModuleInterop",
    "allowSyntheticDefaultImports",
    "forceConsistentCasingInFileNames",
    "skipLibCheck",
    "resolveJsonModule",
    "isolatedModules",
    "sourceMap",
    "declaration",
    "declarationMap",
    "incremental",
    "composite",
    "allowJs",
    "checkJs",
    "noEmit",
    "removeComments",
    "experimentalDecorators",
    "emitDecoratorMetadata",
    "target",
    "module",
    "moduleResolution",
    "outDir",
    "rootDir",
    "baseUrl",
    "jsx",
    "verbatimModuleSyntax",
    "noEmitOnError",
    "useUnknownInCatchVariables",
    "downlevelIteration",
    "importHelpers",
    "inlineSourceMap",
];
