//! Defines the settings as types: the user's `config.toml` over the embedded `default.toml`. `schema` lists what can be set, and `check`
//! validates a file.

use std::path::Path;

use aside_core::history::filter;
use serde::Deserialize;
use serde_json::Map;

pub mod atomic_write;
pub mod check;
pub mod edit;
pub mod endpoint;
pub mod file_poll;
#[cfg(test)]
mod fuzz_tests;
pub mod live_reload;
pub mod schema;

use check::{Problems, Values};

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub complete: Complete,
    pub detect: Detect,
    pub suggest: Suggest,
    pub task: Task,
    pub llm: Llm,
    pub security: Security,
    pub history: History,
    pub daemon: Daemon,
    pub mcp: Mcp,
    pub remote: Remote,
}

/// Tasks that are requested from a chat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    pub enabled: bool,
    pub chat: Chat,
    pub users: Vec<String>,
    pub workspaces: Vec<String>,
    pub bot_id: String,
    pub server: String,
    pub listen: String,
    pub corp_id: String,
    pub agent_id: u64,
    pub api: String,
    pub reply_url: String,
    pub relay: String,
}

/// How a chat is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Chat {
    Robot,
    App,
    Webhook,
    Relay,
}

impl Chat {
    pub fn name(self) -> &'static str {
        match self {
            Chat::Robot => "robot",
            Chat::App => "app",
            Chat::Webhook => "webhook",
            Chat::Relay => "relay",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        [Chat::Robot, Chat::App, Chat::Webhook, Chat::Relay].into_iter().find(|chat| chat.name() == name)
    }
}

/// Limits for other agents that call Aside over MCP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mcp {
    pub enabled: bool,
    pub per_minute: u64,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Complete {
    pub enabled: bool,
    pub max_candidates: usize,
    pub ghost_threshold: f32,
    pub ghost_style: String,
    pub right_arrow: RightArrow,
    pub autosuggestions: Autosuggestions,
    pub learn: bool,
    pub min_input: u32,
    pub bar: Bar,
    pub bar_style: String,
    pub hint: bool,
    pub hint_style: String,
    pub tab: Tab,
    pub model_delay_ms: u64,
    pub model_delay_short_ms: u64,
    pub model_delay_threshold: usize,
    pub model_min_chars: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detect {
    pub reroute: Reroute,
    pub agent_prefix: String,
    pub shell_prefix: String,
    pub wrong_key: String,
    pub log: bool,
}

/// What happens to prose that was typed as a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reroute {
    Answer,
    Offer,
    Off,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suggest {
    pub enabled: bool,
    pub model: bool,
    pub capture: Capture,
    pub capture_blocklist: Vec<String>,
    pub capture_blocklist_bare: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub enabled: bool,
    pub use_model_router: bool,
    pub confidence_threshold: f32,
    pub default_test_command: String,
    pub editor_url: String,
    pub allow_apply_patch: bool,
    pub allow_run_terminal: bool,
    pub prefix: String,
    pub confine: Confine,
    pub timeout_s: u64,
    pub output_kb: usize,
    pub agent: String,
    pub agents: Vec<String>,
    pub agent_timeout_s: u64,
    pub keep: usize,
    pub keep_days: u64,
}

/// Where commands of tasks may write, unless the user decides otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confine {
    No,
    Workspace,
}

/// How the output of commands is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capture {
    Auto,
    Tmux,
    Pty,
    Off,
}

/// When a model is asked to translate a request into a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    Always,
    Unsure,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Llm {
    pub reader: bool,
    pub provider: Provider,
    pub base_url: String,
    pub model: String,
    pub api_key_env: String,
    pub api_key_cmd: String,
    pub api_key_keyring: String,
    pub timeout_connect_ms: u64,
    pub timeout_read_ms: u64,
    pub timeout_wish_first_ms: u64,
    pub timeout_wish_ms: u64,
    pub timeout_task_first_ms: u64,
    pub timeout_task_ms: u64,
    pub input_price: f64,
    pub output_price: f64,
    pub natural_language: bool,
    pub nl_prefix: String,
    pub nl_debounce_ms: u64,
    pub nl_min_query_length: usize,
    pub nl_ask: Ask,
    pub nl_explain_key: String,
    pub nl_style: String,
    pub private_key: String,
    pub local: Local,
    pub complete: ModelChoice,
    pub translate: ModelChoice,
    pub task: ModelChoice,
}

/// The model server that Aside runs itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Local {
    pub server: String,
    pub threads: u32,
    pub context: u32,
    pub idle_s: u64,
    pub port: u16,
    pub arguments: Vec<String>,
}

/// Settings for one use of a model; empty values are inherited from `[llm]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelChoice {
    #[serde(deserialize_with = "if_any")]
    pub provider: Option<Provider>,
    pub base_url: String,
    pub model: String,
    pub api_key_env: String,
    pub api_key_cmd: String,
    pub api_key_keyring: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    #[serde(alias = "none")]
    Embedded,
    Openai,
    Anthropic,
    Local,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Security {
    pub command_blocklist: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RightArrow {
    All,
    Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Autosuggestions {
    Replace,
    Yield,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bar {
    Auto,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tab {
    Take,
    Leave,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    pub record: bool,
    pub import_first: bool,
    pub secrets: Secrets,
    pub ignore: Vec<String>,
}

/// What happens to a command that contains a secret; the same values as in `filter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Secrets {
    Skip,
    Redact,
    Keep,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Daemon {
    pub idle_exit_s: u64,
    pub log: LogLevel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

impl Config {
    pub fn load(path: &Path) -> Result<Self, Problems> {
        check::read(path).map(|values| Self::over_defaults(&values))
    }

    fn over_defaults(values: &Values) -> Self {
        let mut sections = Map::new();
        for setting in schema::schema() {
            let value = values.get(setting.key.as_str()).unwrap_or(&setting.default);
            let mut section = &mut sections;
            for name in setting.section.split('.') {
                section = section.entry(name).or_insert_with(|| Map::new().into()).as_object_mut().expect("a section");
            }
            section.insert(setting.name.clone(), serde_json::json!(value));
        }
        // The values passed the schema, and the test below keeps the schema and these types in step.
        serde_json::from_value(sections.into()).expect("default.toml and Config agree")
    }
}

/// An empty text means no provider.
fn if_any<'de, D: serde::Deserializer<'de>>(text: D) -> Result<Option<Provider>, D::Error> {
    let text = String::deserialize(text)?;
    if text.is_empty() {
        return Ok(None);
    }
    Provider::deserialize(serde::de::value::StringDeserializer::new(text)).map(Some)
}

impl Provider {
    /// Finds a provider by its name in the settings or on the command line.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Provider::Embedded, Provider::Openai, Provider::Anthropic, Provider::Local];
        let name = if name == "none" { "embedded" } else { name };
        all.into_iter().find(|provider| provider.name() == name)
    }

    /// The provider's name in the settings and in replies.
    pub fn name(self) -> &'static str {
        match self {
            Provider::Embedded => "embedded",
            Provider::Openai => "openai",
            Provider::Anthropic => "anthropic",
            Provider::Local => "local",
        }
    }
}

impl Reroute {
    pub fn name(self) -> &'static str {
        match self {
            Reroute::Answer => "answer",
            Reroute::Offer => "offer",
            Reroute::Off => "off",
        }
    }
}

impl Capture {
    pub fn name(self) -> &'static str {
        match self {
            Capture::Auto => "auto",
            Capture::Tmux => "tmux",
            Capture::Pty => "pty",
            Capture::Off => "off",
        }
    }
}

impl RightArrow {
    pub fn name(self) -> &'static str {
        match self {
            RightArrow::All => "all",
            RightArrow::Word => "word",
        }
    }
}

impl Autosuggestions {
    pub fn name(self) -> &'static str {
        match self {
            Autosuggestions::Replace => "replace",
            Autosuggestions::Yield => "yield",
        }
    }
}

impl Bar {
    pub fn name(self) -> &'static str {
        match self {
            Bar::Auto => "auto",
            Bar::Off => "off",
        }
    }
}

impl Tab {
    pub fn name(self) -> &'static str {
        match self {
            Tab::Take => "take",
            Tab::Leave => "leave",
        }
    }
}

impl Secrets {
    pub fn name(self) -> &'static str {
        match self {
            Secrets::Skip => "skip",
            Secrets::Redact => "redact",
            Secrets::Keep => "keep",
        }
    }
}

impl From<Secrets> for filter::SecretPolicy {
    fn from(secrets: Secrets) -> Self {
        match secrets {
            Secrets::Skip => filter::SecretPolicy::Skip,
            Secrets::Redact => filter::SecretPolicy::Redact,
            Secrets::Keep => filter::SecretPolicy::Keep,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::over_defaults(&Values::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema::{Rule, Value, schema};

    #[test]
    fn the_embedded_defaults_are_a_configuration() {
        let config = Config::default();
        assert_eq!(
            config.complete,
            Complete {
                enabled: true,
                max_candidates: 4,
                ghost_threshold: 0.35,
                ghost_style: "fg=8".to_owned(),
                right_arrow: RightArrow::All,
                autosuggestions: Autosuggestions::Replace,
                learn: true,
                min_input: 1,
                bar: Bar::Auto,
                bar_style: "none".to_owned(),
                hint: true,
                hint_style: "fg=242".to_owned(),
                tab: Tab::Take,
                model_delay_ms: 200,
                model_delay_short_ms: 100,
                model_delay_threshold: 8,
                model_min_chars: 3,
            }
        );
        assert_eq!(config.llm.provider, Provider::Embedded, "nothing leaves the machine unless somebody says so");
        for choice in [&config.llm.complete, &config.llm.translate, &config.llm.task] {
            assert_eq!(choice.provider, None);
        }
        assert_eq!((config.history.record, config.history.import_first), (true, true));
        assert_eq!(config.daemon, Daemon { idle_exit_s: 3600, log: LogLevel::Warn });
    }

    #[test]
    fn whatever_the_schema_accepts_the_types_can_hold() {
        for setting in schema() {
            let values = match &setting.rule {
                Rule::OneOf(words) => words.iter().cloned().map(Value::Text).collect(),
                Rule::Between(low, high) => vec![Value::Integer(*low), Value::Integer(*high)],
                Rule::Any | Rule::Highlight | Rule::Patterns | Rule::Form(_) => vec![setting.default.clone()],
            };
            for value in values {
                assert_eq!(setting.accept(&value), Ok(()));
                Config::over_defaults(&Values::from([(setting.key.as_str(), value)]));
            }
        }
    }

    #[test]
    fn every_variant_is_offered_by_default_toml() {
        // Exhaustive on purpose: a new variant must be added here, and then to its `one of:` line.
        let log = |log| match log {
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
        };
        let one_of = |key: &str, words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(schema::setting(key).unwrap().rule, Rule::OneOf(words), "{key}");
        };
        one_of("complete.right_arrow", &[RightArrow::All, RightArrow::Word].map(RightArrow::name));
        one_of(
            "complete.autosuggestions",
            &[Autosuggestions::Replace, Autosuggestions::Yield].map(Autosuggestions::name),
        );
        one_of("complete.bar", &[Bar::Auto, Bar::Off].map(Bar::name));
        one_of("history.secrets", &[Secrets::Skip, Secrets::Redact, Secrets::Keep].map(Secrets::name));
        one_of("complete.tab", &[Tab::Take, Tab::Leave].map(Tab::name));
        let [embedded, openai, anthropic, local] =
            [Provider::Embedded, Provider::Openai, Provider::Anthropic, Provider::Local].map(Provider::name);
        one_of("llm.provider", &[embedded, "none", openai, anthropic, local]);
        for section in ["complete", "translate", "task"] {
            one_of(&format!("llm.{section}.provider"), &["", embedded, "none", openai, anthropic, local]);
        }
        one_of("daemon.log", &[LogLevel::Error, LogLevel::Warn, LogLevel::Info, LogLevel::Debug].map(log));
    }

    #[test]
    fn the_file_wins_over_the_defaults_key_by_key() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        assert_eq!(Config::load(&file), Ok(Config::default()));
        std::fs::write(&file, "complete.right_arrow = 'word'\n[history]\nsecrets = 'redact'\nignore = ['^a']\n")
            .unwrap();
        let mut expected = Config::default();
        expected.complete.right_arrow = RightArrow::Word;
        expected.history.secrets = Secrets::Redact;
        expected.history.ignore.push("^a".to_owned());
        assert_eq!(Config::load(&file), Ok(expected));
    }

    #[test]
    fn a_section_may_lie_within_another() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        std::fs::write(&file, "[llm]\nprovider = 'none'\ninput_price = 3\n[llm.task]\nprovider = 'local'\n").unwrap();
        let mut expected = Config::default();
        expected.llm.input_price = 3.0;
        expected.llm.task.provider = Some(Provider::Local);
        assert_eq!(Config::load(&file), Ok(expected));
    }

    #[test]
    fn lines_with_secrets_are_ignored_and_everyday_lines_are_not() {
        let History { ignore, secrets, .. } = Config::default().history;
        let filter = filter::HistoryFilter::new(&ignore, secrets.into()).unwrap();
        let hits = [
            "export PASSWORD=hunter2",
            "PGPASSWORD='hunter2' psql -h db",
            "export AWS_SECRET_ACCESS_KEY=wJa1rXUtnFEMIK7MDENGbPxRfiCYzQ3kV8sT2mLp",
            "DB_PASS=hunter2 ./run",
            "MYSQL_PWD=hunter2 mysql",
            "GITHUB_TOKEN=t0psecret9 gh pr list",
            "OPENAI_API_KEY=\"Zk3vQ9wLm2pT\" ./run",
            "docker run -e POSTGRES_PASSWORD=hunter2 postgres",
            "kubectl create secret generic s --from-literal=password=hunter2",
            "curl 'https://host/v1?access_token=q8Zr4Tn2'",
            "curl https://host/v1?page=2&api_key=q8Zr4Tn2Lw",
            "curl -d client_secret=q8Zr4Tn2 https://host",
            "set -gx GITHUB_TOKEN q8Zr4Tn2",
            "set -x API_KEY q8Zr4Tn2Lw",
            "aws configure set aws_secret_access_key wJa1rXUtnFEMIK7MDENGbPxRfiCYzQ3kV8sT2mLp",
            "mc login --password hunter2",
            "wget --http-password=hunter2 https://host",
            "az login --service-principal -u id --password hunter2",
            "tool --client-secret q8Zr4Tn2",
            "huggingface-cli login --token q8Zr4Tn2",
            "tool --api-key q8Zr4Tn2Lw",
            r#"curl -d '{"user":"a","password":"hunter2"}' https://host"#,
            r#"curl -H "Authorization: Bearer q8Zr4Tn2Lw" https://host"#,
            "curl -H 'authorization: q8Zr4Tn2Lw' https://host",
            "http host Authorization:q8Zr4Tn2Lw",
            "curl -H 'X-Api-Key: q8Zr4Tn2Lw' https://host",
            "curl -H 'PRIVATE-TOKEN: q8Zr4Tn2Lw' https://host",
            "curl -H 'Cookie: session=q8Zr4Tn2Lw' https://host",
            "git clone https://me:hunter2@host/repo.git",
            "psql postgres://me:hunter2@host/db",
            "redis-cli -u redis://:hunter2@host",
            "curl -u me:hunter2 https://host",
            "curl -sS --user 'me:hunter2' https://host",
            "curl -ume:hunter2 https://host",
            "http -a me:hunter2 host",
            "sshpass -p hunter2 ssh host",
            "sshpass -v -phunter2 ssh host",
            "mysql -u root -phunter2 db",
            "mysqldump -p'hunter2' db",
            "mongosh -u me -p hunter2",
            "redis-cli -h host -a hunter2",
            "docker login -u me -p hunter2",
            "zip -P hunter2 a.zip a",
            "7z x -phunter2 a.7z",
            "openssl enc -aes256 -pass pass:hunter2 -in a",
            "htpasswd -bc file me hunter2",
            "echo me:hunter2 | sudo chpasswd",
            "echo hunter2 | sudo -S apt update",
            "echo AKIAZ3QWE7RTY2UIP5LK",
            "echo ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "git remote add o https://github_pat_11ZQWERTY0xK8vLm2NpT4rS_q7Wz3YbC5dF9gH1jK6lP0oI8uY2tR4eW@github.com/a/b",
            "echo glpat-abcdefghij0123456789",
            "echo sk-q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT",
            "echo sk-ant-api03-q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT",
            "echo sk_live_abcdefghij0123456789",
            "echo xoxb-123456789012-abcdefghij",
            "echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.Qk3vZ9wLm2pTx7Rb",
            "echo '-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW' > key",
        ];
        let misses = [
            "git log --author=token",
            "cat password.txt",
            "ssh-keygen -t ed25519",
            "docker run -p 80:80 x",
            "docker run -u 1000:1000 x",
            "export PATH=$HOME/bin:$PATH",
            "mkdir -p a",
            "pass show mail",
            "pass generate -n mail 20",
            "passwd",
            "git commit -m 'token: expire after a day'",
            "git commit -m 'Fix the password: prompt twice'",
            "git checkout sk-some-long-branch-name-of-mine",
            "git checkout -b task-force-rename-everything",
            "grep -rn password src",
            "grep -rn 'api_key' .",
            "rg --no-heading token",
            "vim secret.rs token.rs",
            "kubectl get secrets",
            "kubectl describe secret db",
            "docker build --secret id=npm,src=.npmrc .",
            "gh secret set NAME < file",
            "vault token lookup",
            "llm --max-tokens 100 hello",
            "llm --max-tokens=100 hello",
            "docker login --password-stdin",
            "echo $TOKEN | docker login -u me --password-stdin",
            "export GITHUB_TOKEN=$(pass show github)",
            "GITHUB_TOKEN=\"$(gh auth token)\" make",
            "unset GITHUB_TOKEN",
            "export TOKEN=",
            "set -e",
            "set -o pipefail",
            r#"curl -H "Authorization: Bearer $TOKEN" https://host"#,
            "curl -u me https://host",
            "curl -u \"me:$PASSWORD\" https://host",
            "curl -fsSL https://host:8080/a@b",
            "curl -a https://host/x",
            "git clone git@github.com:a/b.git",
            "git clone https://github.com/a/b.git",
            "ssh -p 2222 me@host",
            "ssh -i ~/.ssh/id_ed25519 me@host uptime",
            "rsync -avP src/ me@host:dst/",
            "mysql -u root -p db",
            "mysql -h 127.0.0.1 -P 3306 -u root",
            "mysql --protocol=tcp -p",
            "redis-cli -h host -p 6379",
            "sshpass -f file ssh host",
            "sshpass -e ssh host",
            "zip -r a.zip a",
            "unzip -p a.zip b",
            "7z x a.7z",
            "openssl x509 -in cert.pem -noout -text",
            "echo hello | sudo tee /etc/motd",
            "sudo -s",
            "npm run build --workspace=tokens",
            "cargo test passes_through",
            "python -m http.server 8000",
            "tar -xzf a.tar.gz --no-same-owner",
            "bypass=true make",
            "uname -a | tee log",
        ];
        for line in hits {
            assert_eq!(filter.refuses(line), Some(filter::NotStored::Secret), "must be skipped: {line}");
        }
        for line in misses {
            assert_eq!(filter.refuses(line), None, "must be remembered: {line}");
        }
    }
}
