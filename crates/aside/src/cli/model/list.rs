//! `aside model list`: lists the installed and downloadable models, with their size, memory and quality.

use std::fmt::Write as _;

use serde::Serialize;

use crate::cli::{Exit, from_home, home, one_line, print};
use crate::config::Config;
use crate::paths::Paths;
use crate::provider::local::catalogue::{Entry, catalogue};
use crate::provider::local::installed_models::{InstalledModels, Model, ResolvedModel, size};

#[derive(Debug, PartialEq, Serialize)]
struct Row {
    name: String,
    here: bool,
    in_use: bool,
    /// Size of the file, local or remote.
    bytes: Option<u64>,
    ram_mb: Option<u64>,
    quality: String,
    speed: String,
    about: String,
    license: String,
    /// Where it can be downloaded.
    url: String,
}

pub fn run(paths: &Paths, json: bool) -> anyhow::Result<Exit> {
    let installed_models = InstalledModels::new(paths);
    let rows = rows(&installed_models.list(), &in_use(paths));
    if json {
        for row in &rows {
            print(&crate::cli::json_line(row)?)?;
        }
        return Ok(Exit::Done);
    }
    print(&table(&rows))?;
    let dir = from_home(&installed_models.dir().display().to_string(), home().as_deref());
    print(&format!(
        "\nModels are in {dir}. `aside model pull NAME` fetches one, `aside model use NAME` lets it answer.\n"
    ))?;
    Ok(Exit::Done)
}

/// The models that the settings use through the managed server.
pub fn in_use(paths: &Paths) -> Vec<String> {
    let Ok(config) = Config::load(&paths.config_file) else { return Vec::new() };
    let llm = &config.llm;
    let choices = [&llm.complete, &llm.translate, &llm.task].into_iter();
    let kept = choices.filter_map(|choice| llm.endpoint(choice)).filter(|endpoint| endpoint.server.is_kept());
    kept.map(|endpoint| match InstalledModels::new(paths).chosen(&endpoint.model) {
        ResolvedModel::Here { name, .. } | ResolvedModel::Missing { name, .. } => name,
    })
    .collect()
}

fn rows(here: &[Model], in_use: &[String]) -> Vec<Row> {
    let known = catalogue().iter().map(|entry| {
        let model = here.iter().find(|model| model.name == entry.name);
        row(&entry.name, model, Some(entry), in_use)
    });
    let own = here.iter().filter(|model| catalogue().iter().all(|entry| entry.name != model.name));
    let mut rows: Vec<Row> = known.chain(own.map(|model| row(&model.name, Some(model), None, in_use))).collect();
    rows.sort_by_key(|row| !row.here);
    rows
}

fn row(name: &str, model: Option<&Model>, entry: Option<&Entry>, in_use: &[String]) -> Row {
    let text = |field: fn(&Entry) -> &String| entry.map(field).cloned().unwrap_or_default();
    Row {
        name: name.to_owned(),
        here: model.is_some_and(|model| model.bytes.is_some()),
        in_use: in_use.iter().any(|used| used == name),
        bytes: model.and_then(|model| model.bytes).or(entry.map(|entry| entry.bytes)),
        ram_mb: entry.and_then(|entry| entry.ram_mb),
        quality: text(|entry| &entry.quality),
        speed: text(|entry| &entry.speed),
        about: match (model, entry) {
            (Some(Model { bytes: None, .. }), None) => "the file that it is a link to has gone".to_owned(),
            _ => text(|entry| &entry.about),
        },
        license: text(|entry| &entry.license),
        url: text(|entry| &entry.url),
    }
}

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut table = String::new();
    for row in rows {
        let mark = match (row.in_use, row.here) {
            (true, true) => "in use",
            (true, false) => "wanted",
            (false, true) => "here",
            (false, false) => "",
        };
        let bytes = row.bytes.map_or_else(|| "-".to_owned(), size);
        let ram = row.ram_mb.map_or_else(|| "-".to_owned(), |mb| size(mb * 1_000_000));
        let _ = writeln!(table, "{:width$}  {mark:6}  {bytes:>7}, {ram:>7} of memory", one_line(&row.name));
        let indent = " ".repeat(width + 2);
        let measured: Vec<&str> =
            [&row.quality, &row.speed].into_iter().filter(|text| !text.is_empty()).map(String::as_str).collect();
        for line in [row.about.clone(), measured.join("; ")].iter().filter(|line| !line.is_empty()) {
            let _ = writeln!(table, "{indent}{line}");
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_here_comes_first_with_what_is_known_about_it() {
        let model = |name: &str, bytes| Model { name: name.to_owned(), path: "/x".into(), bytes };
        let here = [model("mine", Some(5_000_000)), model("gone", None), model("smollm2-135m", Some(98_362_432))];
        let rows = rows(&here, &["smollm2-135m".to_owned()]);
        let table = table(&rows);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "smollm2-135m             in use    98 MB,  269 MB of memory");
        assert_eq!(lines[2].trim(), "requests 3 of 30, completions 11 of 20; 0.2 s a line, 107 tokens/s");
        assert_eq!(lines[3], "mine                     here       5 MB,       - of memory");
        assert!(table.contains("the file that it is a link to has gone"), "{table}");
    }
}
