//! The relay's settings and secrets: one TOML file that its owner alone can read. Made with fresh secrets when there is none.

use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use aside_wecom::pace::{self, Limits};
use toml_edit::{DocumentMut, Item};

use crate::chat::{webhook, wecom};
use crate::key;

pub const FILE: &str = "relay.toml";
const MAX_FILE: u64 = 64 * 1024;
/// Characters of the admin token: fewer can be guessed.
const MIN_TOKEN: usize = 32;

/// How often a machine is pinged, and how long it may send nothing before its connection is closed: two pings without an answer.
pub const PING: Duration = Duration::from_secs(10);
pub const SILENCE: Duration = Duration::from_secs(25);

#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where chats and machines call.
    pub listen: String,
    /// Where `aside relay enroll` and Prometheus call: not for the public.
    pub admin_listen: String,
    pub admin_token: String,
    /// How long a message waits for its machine.
    pub expire: Duration,
    /// Not in the file: `PING` and `SILENCE`, but for tests.
    pub ping: Duration,
    pub silence: Duration,
    /// The same: WeCom's.
    pub limits: Limits,
    pub webhook_key: String,
    pub reply_url: String,
    pub wecom: Option<wecom::App>,
    /// Empty: SQLite, in one process.
    pub nats: String,
    pub replicas: usize,
}

/// What a new file says. The names are those that `read` knows.
fn fresh(token: &str, webhook: &str) -> String {
    format!(
        r#"# Settings and secrets of `aside relay`. docs/relay.md
listen = "127.0.0.1:8018"        # chats and machines; a proxy with TLS is in front of it
admin_listen = "127.0.0.1:8019"  # aside relay enroll, /metrics; not for the public
admin_token = "{token}"
expire_minutes = 1440            # how long a message waits for its machine

[webhook]                        # any chat; without a key it is off
key = "{webhook}"
reply_url = ""

[wecom]                          # an app with "receive messages"; without a corp id it is off
corp_id = ""
agent_id = 0
token = ""
aes_key = ""
secret = ""
api = ""

[nats]                           # several copies: the same file for each; without a url SQLite, in one process
url = ""
replicas = 1
"#
    )
}

/// Reads the settings of a directory; makes both when there are none. Says whether it did.
pub fn of(dir: &Path) -> anyhow::Result<(Settings, bool)> {
    let path = dir.join(FILE);
    let is_new = !path.exists();
    if is_new {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let text = fresh(&key::random()?, &key::random()?);
        made.and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    let file = std::fs::File::open(&path).with_context(|| format!("could not open {}", path.display()))?;
    ensure!(
        file.metadata()?.mode() & 0o077 == 0,
        "other users can read {0}; `chmod 600 {0}` mends that",
        path.display()
    );
    let mut text = String::new();
    file.take(MAX_FILE).read_to_string(&mut text).with_context(|| format!("could not read {}", path.display()))?;
    Ok((read(&text).with_context(|| format!("{} cannot be used", path.display()))?, is_new))
}

pub fn read(text: &str) -> anyhow::Result<Settings> {
    // The error would quote the line, which may hold a secret.
    let document: DocumentMut = text.parse().map_err(|_| anyhow::anyhow!("it is no TOML"))?;
    let mut settings = Settings {
        listen: String::new(),
        admin_listen: String::new(),
        admin_token: String::new(),
        expire: Duration::from_secs(24 * 3600),
        ping: PING,
        silence: SILENCE,
        limits: pace::WECOM,
        webhook_key: String::new(),
        reply_url: String::new(),
        wecom: None,
        nats: String::new(),
        replicas: 1,
    };
    let mut app = wecom::App::default();
    for (name, item) in document.iter() {
        match item.as_table_like() {
            Some(table) => {
                for (key, item) in table.iter() {
                    set(&mut settings, &mut app, &format!("{name}.{key}"), item)?;
                }
            }
            None => set(&mut settings, &mut app, name, item)?,
        }
    }
    for (name, address) in [("listen", &mut settings.listen), ("admin_listen", &mut settings.admin_listen)] {
        if address.is_empty() {
            *address = if name == "listen" { "127.0.0.1:8018" } else { "127.0.0.1:8019" }.to_owned();
        }
        ensure!(address.parse::<std::net::SocketAddr>().is_ok(), "{name} must be like 127.0.0.1:8018");
    }
    ensure!(settings.admin_token.len() >= MIN_TOKEN, "admin_token must have at least {MIN_TOKEN} characters");
    let webhook = &settings.webhook_key;
    ensure!(
        webhook.is_empty() || webhook.len() >= webhook::MIN_KEY,
        "webhook.key must have at least {} characters",
        webhook::MIN_KEY
    );
    if !settings.reply_url.is_empty() {
        crate::outbound_http::address(&settings.reply_url, "webhook.reply_url")?;
    }
    if !app.corp_id.is_empty() {
        wecom::Receiver::new(&app)?;
        settings.wecom = Some(app);
    }
    Ok(settings)
}

fn set(settings: &mut Settings, app: &mut wecom::App, name: &str, item: &Item) -> anyhow::Result<()> {
    let text = || item.as_str().map(str::to_owned).with_context(|| format!("{name} must be a text"));
    let number = |most: u64| {
        let number = item.as_integer().and_then(|number| u64::try_from(number).ok()).filter(|number| *number <= most);
        number.with_context(|| format!("{name} must be a number up to {most}"))
    };
    match name {
        "listen" => settings.listen = text()?,
        "admin_listen" => settings.admin_listen = text()?,
        "admin_token" => settings.admin_token = text()?,
        "expire_minutes" => settings.expire = Duration::from_secs(60 * number(30 * 24 * 60)?.max(1)),
        "webhook.key" => settings.webhook_key = text()?,
        "webhook.reply_url" => settings.reply_url = text()?,
        "wecom.corp_id" => app.corp_id = text()?,
        "wecom.agent_id" => app.agent_id = number(u64::from(u32::MAX))?,
        "wecom.token" => app.token = text()?,
        "wecom.aes_key" => app.aes_key = text()?,
        "wecom.secret" => app.secret = text()?,
        "wecom.api" => app.api = text()?,
        "nats.url" => settings.nats = text()?,
        "nats.replicas" => settings.replicas = usize::try_from(number(5)?.max(1)).unwrap_or(1),
        _ => bail!("there is no setting {name}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_new_file_has_secrets_of_its_own_and_is_the_owners_alone() {
        let temp = tempfile::tempdir().unwrap();
        let (first, is_new) = of(&temp.path().join("a")).unwrap();
        assert!(is_new && first.wecom.is_none() && first.nats.is_empty() && first.listen == "127.0.0.1:8018");
        let (second, _) = of(&temp.path().join("b")).unwrap();
        assert!(first.admin_token != second.admin_token && first.webhook_key != first.admin_token);
        let path = temp.path().join("a").join(FILE);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(of(&temp.path().join("a")).unwrap() == (first, false));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(of(&temp.path().join("a")).err().unwrap().to_string().contains("chmod 600"));
    }

    #[test]
    fn what_cannot_work_is_said_without_the_secret() {
        let token = "t".repeat(MIN_TOKEN);
        let base = format!("admin_token = '{token}'\n");
        assert!(read(&base).is_ok());
        for (text, words) in [
            ("admin_token = 'short'", "admin_token must have"),
            (&format!("{base}listn = '127.0.0.1:1'"), "no setting listn"),
            (&format!("{base}listen = 'here'"), "listen must be like"),
            (&format!("{base}expire_minutes = 'a day'"), "expire_minutes must be a number"),
            (&format!("{base}[webhook]\nkey = 'short'"), "webhook.key must have"),
            (&format!("{base}[webhook]\nreply_url = 'http://example.org'"), "must begin with https://"),
            (&format!("{base}[wecom]\ncorp_id = 'ww1'\ntoken = 't'\naes_key = 'sesame'"), "43 characters"),
            ("admin_token = 'sesame", "no TOML"),
        ] {
            let said = format!("{:#}", read(text).err().unwrap_or_else(|| panic!("{text}")));
            assert!(said.contains(words) && !said.contains("sesame"), "{said}");
        }
    }
}
