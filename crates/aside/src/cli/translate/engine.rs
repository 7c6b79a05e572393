//! Who answers a query from the command line: the embedded engine in this process, which needs no daemon and no runtime, or a model through
//! the daemon.

use std::collections::BTreeMap;
use std::time::Duration;

use aside_core::agent::language::Language;
use aside_proto::query::{TranslateParams, TranslateResult, WireNearness};
use aside_proto::{Reply, Request};
use aside_translate::offer::{last, missing_program, offers};
use aside_translate::{TranslateQuery, embedded, facts};

use crate::cli::{current_dir, own_shell};
use crate::client;
use crate::config::Config;
use crate::daemon::control;
use crate::daemon::user_specs::UserSpecs;
use crate::paths::Paths;
use crate::reader_file;
use crate::touched_files;
use crate::world::Environment;
use crate::world::one_shot::OneShot;

/// The daemon's time for an answer of the reader, its start included.
const READER: Duration = Duration::from_secs(15);
/// The daemon's time besides the model's timeout.
const SLACK: Duration = Duration::from_secs(5);

pub struct QueryArgs {
    pub words: String,
    /// Defaults to this directory.
    pub cwd: Option<String>,
    pub shell: String,
    /// Empty for the provider of the settings.
    pub provider: String,
    pub number: u32,
    /// Oldest first.
    pub recent_commands: Vec<String>,
    /// Variables of the asking shell; our own where they are absent.
    pub env_hints: BTreeMap<String, String>,
}

pub fn answer(mut asked: QueryArgs) -> anyhow::Result<TranslateResult> {
    let paths = Paths::from_env()?;
    let cwd = match asked.cwd.take() {
        Some(cwd) => std::path::absolute(cwd)?.display().to_string(),
        None => current_dir()?,
    };
    if asked.shell.is_empty() {
        asked.shell = own_shell();
    }
    let Ok(config) = Config::load(&paths.config_file) else {
        // Invalid settings name no provider, so nothing leaves the machine.
        let excuse = "the settings make no sense, `aside doctor` says where; no model was asked";
        return Ok(here(&paths, &Config::default(), &cwd, &asked, excuse));
    };
    if !names_model(&config, &asked.provider) {
        let known = here(&paths, &config, &cwd, &asked, &config.llm.unused_excuse(&asked.provider));
        let is_known = known.proposals.first().is_some_and(|best| best.nearness == WireNearness::Answer);
        let may_read = config.llm.reader && asked.provider.is_empty() && reader_file::installed(&paths).is_some();
        return match may_read && !is_known {
            true => Ok(through_daemon(&paths, &cwd, &asked, READER).unwrap_or(known)),
            false => Ok(known),
        };
    }
    if client::is_private() {
        return Ok(here(&paths, &config, &cwd, &asked, "private, so no model was asked"));
    }
    let patience = Duration::from_millis(config.llm.timeout_wish_ms) + SLACK;
    match through_daemon(&paths, &cwd, &asked, patience) {
        Some(suggestion) => Ok(suggestion),
        None => Ok(here(&paths, &config, &cwd, &asked, "the daemon does not answer")),
    }
}

/// Whether a model besides the embedded engine is to be asked.
fn names_model(config: &Config, provider: &str) -> bool {
    match provider {
        "embedded" => false,
        "" => config.llm.endpoint(&config.llm.translate).is_some(),
        _ => true,
    }
}

fn through_daemon(paths: &Paths, cwd: &str, asked: &QueryArgs, patience: Duration) -> Option<TranslateResult> {
    if !client::is_listening(&paths.socket) {
        control::start(paths).ok()?;
    }
    let asked = TranslateParams {
        cwd: cwd.to_owned(),
        query: asked.words.clone(),
        shell: asked.shell.clone(),
        wait: true,
        now: true,
        provider: asked.provider.clone(),
        limit: asked.number,
        recent_commands: asked.recent_commands.clone(),
        env_hints: asked.env_hints.clone(),
        ..TranslateParams::default()
    };
    match client::ask_with_timeout(&paths.socket, Request::Translate(asked), patience) {
        Ok(Reply::Translate(suggestion)) => Some(*suggestion),
        Ok(_) | Err(_) => None,
    }
}

/// Answers with the embedded engine alone.
fn here(paths: &Paths, config: &Config, cwd: &str, asked: &QueryArgs, mut excuse: &str) -> TranslateResult {
    let mut environment = Environment::own();
    environment.path = facts::search_path(&asked.env_hints, &environment.path).into();
    if environment.path.is_empty() && excuse.is_empty() {
        excuse = "PATH is empty, so no program is known";
    }
    let path = environment.path.to_string();
    let here = OneShot::new(cwd, &asked.shell, environment, UserSpecs::read(paths.specs_dir()).current());
    let limit = usize::try_from(asked.number).unwrap_or(usize::MAX);
    let query = TranslateQuery { words: &asked.words, place: here.place(), limit };
    let known = embedded::answer(&query);
    let mut proposals = offers(&known, &here.place(), &config.security.command_blocklist, limit);
    let language = Language::of(&asked.words);
    language.speak(&mut proposals);
    let home = here.place().world.home().to_owned();
    let at = touched_files::Place { cwd, path: &path, home: &home };
    touched_files::describe(&mut proposals, here.place().dialect, &at, language);
    let unknown = if known.is_empty() { embedded::not_understood(&query) } else { None };
    let blocklist = &config.security.command_blocklist;
    let missing = if proposals.is_empty() && excuse.is_empty() { missing_program(&query, blocklist) } else { None };
    let excuse = missing.as_deref().unwrap_or(excuse);
    let suggestion = last(proposals, excuse, &asked.words, unknown.as_deref());
    TranslateResult { note: language.notes(&suggestion.note), ..suggestion }
}
