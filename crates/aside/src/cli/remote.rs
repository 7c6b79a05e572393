//! `aside remote`: lets users of a chat ask for tasks on this machine, says how that goes, and takes it back. What a message does is the
//! daemon's business.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use aside_proto::task::{TaskOp, TaskParams};
use aside_proto::{RemoteStatus, Reply, Request};
use aside_relay::address::is_machine;
use aside_relay::key::MachineKey;
use aside_relay::outbound_http;
use aside_relay::protocol::{ENROL_PATH, Enrol, Enrolled};
use aside_text::visible;
use clap::Subcommand;
use reqwest::StatusCode;
use ring::rand::{SecureRandom, SystemRandom};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::bridge::remote::pairing;
use crate::bridge::remote::secrets::Secrets;
use crate::bridge::remote::status::digest;
use crate::cli::{Exit, change_setting, current_dir, from_home, home, one_line, print, refuse_commands, span};
use crate::client;
use crate::config::schema::Value;
use crate::config::{Chat, Config};
use crate::confirm::{self, confirm};
use crate::daemon::control;
use crate::paths::{self, Paths};

/// How long `setup` waits for a connection.
const CONNECT: Duration = Duration::from_secs(20);
/// A trouble that lasts so long does not go away by itself.
const SETTLES: Duration = Duration::from_secs(4);
/// How long the daemon may take to act by changed settings: it looks at them once a second.
const IN_FORCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(300);

/// Let users of a chat ask for tasks; approving stays here
///
/// The chat is WeCom, through an intelligent robot of your own: this machine opens the connection, so it needs no public address. An app of
/// WeCom and a signed webhook of any other chat call this machine instead. A team's relay is reached like the robot.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Connect this machine to a chat; asks for what is not given
    ///
    /// Secrets are asked for, or read as lines of standard input: the robot's secret; of an app the token, the EncodingAESKey and the
    /// secret; of a relay the one-time code; a webhook's key is made here and printed once.
    Setup {
        /// How the chat is reached
        #[arg(long, value_name = "CHAT", default_value = "robot", value_parser = ["robot", "app", "webhook", "relay"])]
        chat: String,
        /// The robot's id, from its page in WeCom
        #[arg(long, value_name = "ID")]
        bot_id: Option<String>,
        /// The directory that requests are about [default: this one]
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
        /// The relay: wss://…; or the server of a WeCom of your own: wss://… for a robot, https://… for an app's API
        #[arg(long, value_name = "ADDRESS")]
        server: Option<String>,
        /// Of an app: the company's id
        #[arg(long, value_name = "ID")]
        corp_id: Option<String>,
        /// Of an app: its number
        #[arg(long, value_name = "N")]
        agent_id: Option<u32>,
        /// Of an app or a webhook: where it calls this machine
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<String>,
        /// Of a webhook: where the answers go
        #[arg(long, value_name = "ADDRESS")]
        reply_url: Option<String>,
        /// Let this user ask, without pairing; may be repeated
        #[arg(long = "user", value_name = "USER")]
        users: Vec<String>,
    },
    /// Say whether the chat is reached, who may ask, and who was turned away
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a code that lets the user in who sends it to the robot
    Pair {
        /// Let them in without asking here
        #[arg(long)]
        yes: bool,
    },
    /// Let a user ask no more on this machine
    Revoke {
        /// As `aside remote status` names them
        user: String,
    },
    /// Close the connection; `aside remote on` opens it again
    Off,
    /// Open the connection of the last setup again
    ///
    /// With the chat, the secrets, the users and the directories that are stored; asks for nothing.
    On,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let action = args.action.unwrap_or(Action::Status { json: false });
    if !matches!(action, Action::Status { .. }) {
        refuse_commands("let a chat in")?;
    }
    match action {
        Action::Setup { .. } => setup(&paths, action),
        Action::Status { json } => status(&paths, json),
        Action::Pair { yes } => pair(&paths, yes),
        Action::Revoke { user } => revoke(&paths, &user),
        Action::Off => {
            change_setting(&paths, "remote.enabled", &Value::Bool(false))?;
            let done = "No chat is reached any more; `aside remote on` opens it again.";
            confirmed(&paths, done, "the chat may still be reached")
        }
        Action::On => on(&paths),
    }
}

fn setup(paths: &Paths, given: Action) -> anyhow::Result<Exit> {
    let Action::Setup { chat, bot_id, workspace, server, corp_id, agent_id, listen, reply_url, users } = given else {
        bail!("only setup sets up");
    };
    let chat = Chat::named(&chat).context("there is no such chat")?;
    let workspace = workspace_of(workspace.as_deref())?;
    let mut secrets = Secrets::read(&paths.remote_secrets()).unwrap_or_default();
    let mut settings: Vec<(&str, Option<Value>)> =
        vec![("remote.chat", Some(text(chat.name()))), ("remote.listen", listen.as_deref().map(text))];
    let read = match chat {
        Chat::Robot => {
            let Some(id) =
                bot_id.or_else(|| asked("The robot's id (WeCom, the robot's page, API mode, long connection): "))
            else {
                complain!("aside: say which robot: aside remote setup --bot-id ID < FILE-WITH-ITS-SECRET");
                return Ok(Exit::Usage);
            };
            settings.extend([("remote.bot_id", Some(text(&id))), ("remote.server", server.as_deref().map(text))]);
            read_secrets(&mut [("Its secret", &mut secrets.robot)])?
        }
        Chat::App => {
            let (Some(corp_id), Some(agent_id)) = (corp_id, agent_id) else {
                complain!("aside: say which app: aside remote setup --chat app --corp-id ID --agent-id N");
                return Ok(Exit::Usage);
            };
            settings.extend([
                ("remote.corp_id", Some(text(&corp_id))),
                ("remote.agent_id", Some(Value::Integer(agent_id.into()))),
                ("remote.api", server.as_deref().map(text)),
            ]);
            let Secrets { token, aes_key, corp_secret, .. } = &mut secrets;
            read_secrets(&mut [
                ("The token", token),
                ("The EncodingAESKey", aes_key),
                ("The app's secret", corp_secret),
            ])?
        }
        Chat::Webhook => {
            let Some(reply_url) = reply_url else {
                complain!("aside: say where answers go: aside remote setup --chat webhook --reply-url ADDRESS");
                return Ok(Exit::Usage);
            };
            settings.push(("remote.reply_url", Some(text(&reply_url))));
            secrets.webhook = key()?;
            print(&format!("The key that both sides sign with; it is shown once:\n\n    {}\n\n", secrets.webhook))?;
            true
        }
        Chat::Relay => {
            let Some(server) = server else {
                complain!("aside: say which relay: aside remote setup --chat relay --server ADDRESS");
                return Ok(Exit::Usage);
            };
            let (relay, http) = relay_addresses(&server)?;
            settings.push(("remote.relay", Some(text(&relay))));
            // A code that was brought is void, also if something fails behind that.
            ready(paths)?;
            let mut code = String::new();
            let read = read_secrets(&mut [("The one-time code", &mut code)])?;
            if read {
                (secrets.relay_key, secrets.relay_machine) = match enrolled(&http, &code)? {
                    Ok(known) => known,
                    Err(why) => {
                        complain!("aside: {why}");
                        return Ok(Exit::Failed);
                    }
                };
                print(&format!("The relay knows this machine as {}.\n", one_line(&secrets.relay_machine)))?;
            }
            read
        }
    };
    if !read {
        complain!("aside: there was no secret; the robot's or the app's page in WeCom has it, or `aside relay enroll`");
        return Ok(Exit::Usage);
    }
    let config = ready(paths)?;
    let mut workspaces = config.remote.workspaces.clone();
    workspaces.retain(|known| *known != workspace);
    workspaces.insert(0, workspace.clone());
    secrets.write(&paths.remote_secrets()).context("could not keep the secret")?;
    for (name, value) in settings {
        value.map_or(Ok(()), |value| change_setting(paths, name, &value))?;
    }
    change_setting(paths, "remote.workspaces", &Value::List(workspaces))?;
    if !users.is_empty() {
        let mut allowed = config.remote.users.clone();
        allowed.extend(users.into_iter().filter(|user| !config.remote.users.contains(user)));
        change_setting(paths, "remote.users", &Value::List(allowed))?;
    }
    opened(paths, &workspace)
}

/// Opens the connection again with what is stored.
fn on(paths: &Paths) -> anyhow::Result<Exit> {
    let config = Config::load(&paths.config_file).map_err(|problems| anyhow::anyhow!("{problems}"))?;
    let secrets = Secrets::read(&paths.remote_secrets())?;
    let Some(workspace) = config.remote.workspaces.first().filter(|_| is_set_up(&config, &secrets)) else {
        complain!("aside: no chat is set up; `aside remote setup` does that");
        return Ok(Exit::Failed);
    };
    ready(paths)?;
    opened(paths, workspace)
}

/// Whether what the chat of the settings needs is stored.
fn is_set_up(config: &Config, secrets: &Secrets) -> bool {
    let remote = &config.remote;
    let needed: &[&str] = match remote.chat {
        Chat::Robot => &[&remote.bot_id, &secrets.robot],
        Chat::App => &[&remote.corp_id, &secrets.token, &secrets.aes_key, &secrets.corp_secret],
        Chat::Webhook => &[&remote.reply_url, &secrets.webhook],
        Chat::Relay => &[&remote.relay, &secrets.relay_key, &secrets.relay_machine],
    };
    needed.iter().all(|part| !part.is_empty())
}

/// Opens the connection by the settings that are written, and says how that went.
fn opened(paths: &Paths, workspace: &str) -> anyhow::Result<Exit> {
    change_setting(paths, "remote.enabled", &Value::Bool(true))?;
    if !client::is_listening(&paths.socket) {
        control::start(paths)?;
    }
    match connected(paths)? {
        Ok(()) => {
            print(&format!("Connected. Requests are about {}.\n", from_home(workspace, home().as_deref())))?;
            if Config::load(&paths.config_file).is_ok_and(|config| config.remote.users.is_empty()) {
                print("Next: `aside remote pair` lets a user ask.\n")?;
            }
            Ok(Exit::Done)
        }
        Err(why) => {
            complain!("aside: {why}");
            Ok(Exit::Failed)
        }
    }
}

/// The directory that requests are about.
fn workspace_of(given: Option<&Path>) -> anyhow::Result<String> {
    let workspace = match given {
        Some(path) => path.canonicalize().with_context(|| format!("there is no directory {}", path.display()))?,
        None => PathBuf::from(current_dir()?),
    };
    ensure!(workspace.is_dir(), "{} is no directory", workspace.display());
    Ok(workspace.to_str().context("this directory has no UTF-8 name")?.to_owned())
}

/// Whatever setup needs on this machine: settings that can be read, files that can be written, a daemon that answers.
fn ready(paths: &Paths) -> anyhow::Result<Config> {
    let config = Config::load(&paths.config_file).map_err(|problems| anyhow::anyhow!("{problems}"))?;
    ensure!(config.task.enabled, "tasks are turned off; `aside config set task.enabled true` turns them on");
    paths::leave_to_its_owner(&paths.data_dir)?;
    for (file, what) in [(paths.remote_secrets(), "the secret"), (paths.config_file.clone(), "the settings")] {
        let dir = file.parent().context("it has no directory")?;
        let probe = || {
            std::fs::create_dir_all(dir)?;
            tempfile::NamedTempFile::new_in(dir)
        };
        probe().with_context(|| format!("could not keep {what} in {}", dir.display()))?;
    }
    control::start(paths)?;
    Ok(config)
}

/// Where machines connect, and where a code is brought.
fn relay_addresses(given: &str) -> anyhow::Result<(String, String)> {
    let (scheme, rest) = given.split_once("://").context("the relay's address must begin with wss://")?;
    let rest = rest.trim_end_matches('/');
    let (socket, http) = match scheme {
        "wss" | "https" => ("wss", "https"),
        "ws" | "http" => ("ws", "http"),
        _ => bail!("the relay's address must begin with wss://"),
    };
    let http = format!("{http}://{rest}");
    outbound_http::address(&http, "the relay's address")?;
    Ok((format!("{socket}://{rest}"), http))
}

/// A new key of this machine, and the name that the relay gives it for the code; or why it does not.
fn enrolled(http: &str, code: &str) -> anyhow::Result<Result<(String, String), String>> {
    let (machine_key, kept) = MachineKey::generate()?;
    let body = serde_json::to_string(&Enrol { code: code.to_owned(), public_key: machine_key.public() })?;
    let request = outbound_http::post(&outbound_http::client(&http.parse()?)?, &format!("{http}{ENROL_PATH}"), body);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start the runtime")?;
    Ok(match runtime.block_on(outbound_http::exchange(request)) {
        Ok((StatusCode::OK, body)) => match serde_json::from_slice(&body) {
            Ok(Enrolled { machine }) if is_machine(&machine) => Ok((kept, machine)),
            Ok(_) | Err(_) => Err(format!("what answers at {http} is no relay; check the address")),
        },
        Ok((StatusCode::FORBIDDEN, _)) => {
            Err("the code is wrong, used or expired; `aside relay enroll` at the relay makes another".to_owned())
        }
        Ok((status, _)) => {
            Err(format!("{http} answered {status}; check the address, and the proxy in front of the relay"))
        }
        Err(why) => Err(format!("{http} cannot be reached: {why}; check the network, HTTPS_PROXY and the address")),
    })
}

/// Whether the daemon acts by the settings that are on the disk.
enum InForce {
    /// With how the chat is, if one is to be reached; without a daemon none is.
    Yes(Option<RemoteStatus>),
    NotYet,
}

/// Waits until the daemon acts by the settings that were just written.
fn in_force(paths: &Paths) -> anyhow::Result<InForce> {
    let config = Config::load(&paths.config_file).map_err(|problems| anyhow::anyhow!("{problems}"))?;
    let wanted = digest(&config, &paths.remote_secrets());
    let began = Instant::now();
    while began.elapsed() < IN_FORCE {
        if !client::is_listening(&paths.socket) {
            return Ok(InForce::Yes(None));
        }
        if let Ok(status) = control::status(paths)
            && status.remote.as_ref().map(|remote| &remote.settings) == wanted.as_ref()
        {
            return Ok(InForce::Yes(status.remote));
        }
        std::thread::sleep(LOOK);
    }
    Ok(InForce::NotYet)
}

/// Says what has changed once it has, or that it may not have yet.
fn confirmed(paths: &Paths, done: &str, otherwise: &str) -> anyhow::Result<Exit> {
    match in_force(paths)? {
        InForce::Yes(_) => {
            print(&format!("{done}\n"))?;
            Ok(Exit::Done)
        }
        InForce::NotYet => {
            let seconds = IN_FORCE.as_secs();
            complain!(
                "aside: the setting is written, but the daemon has not confirmed it within {seconds} seconds, so {otherwise}; `aside daemon stop` ends that"
            );
            Ok(Exit::Failed)
        }
    }
}

/// Waits until the daemon has reached the chat by the settings that were just written; or why it has not.
fn connected(paths: &Paths) -> anyhow::Result<Result<(), String>> {
    let began = Instant::now();
    let mut last = String::new();
    while began.elapsed() < CONNECT {
        // The connection of the settings before may still be there, and says nothing about these.
        match in_force(paths)? {
            InForce::Yes(Some(RemoteStatus { state, .. })) if state == "connected" => return Ok(Ok(())),
            InForce::Yes(Some(RemoteStatus { trouble, .. })) if !trouble.is_empty() && began.elapsed() > SETTLES => {
                return Ok(Err(trouble));
            }
            InForce::Yes(Some(RemoteStatus { trouble, .. })) => last = trouble,
            InForce::Yes(None) => {}
            InForce::NotYet => {
                return Ok(Err("the daemon does not act by these settings; restart it: aside daemon stop".to_owned()));
            }
        }
        std::thread::sleep(LOOK);
    }
    let waits = "the server has not answered yet; `aside remote status` says how it goes".to_owned();
    Ok(Err(if last.is_empty() { waits } else { last }))
}

fn status(paths: &Paths, json: bool) -> anyhow::Result<Exit> {
    let config = Config::load(&paths.config_file).map_err(|problems| anyhow::anyhow!("{problems}"))?;
    let settings = &config.remote;
    if !settings.enabled {
        let is_off = Secrets::read(&paths.remote_secrets()).is_ok_and(|secrets| is_set_up(&config, &secrets));
        print(match (json, is_off) {
            (true, _) => "{}\n",
            (false, true) => "The chat is turned off; `aside remote on` opens it again.\n",
            (false, false) => "No chat is set up; `aside remote setup` does that.\n",
        })?;
        return Ok(Exit::Done);
    }
    let remote = match control::status(paths) {
        Ok(status) => status.remote,
        Err(error) => {
            complain!("aside: {error}");
            return Ok(Exit::Unreachable);
        }
    };
    let remote = remote.unwrap_or_else(|| RemoteStatus { state: "connecting".to_owned(), ..RemoteStatus::default() });
    if json {
        print(&crate::cli::json_line(&remote)?)?;
    } else {
        let list = |items: &[String]| {
            items.iter().map(|item| visible::exact(item).into_owned()).collect::<Vec<String>>().join(", ")
        };
        let from_home = |path: &String| from_home(path, home().as_deref());
        let (since, chat) = (span(remote.since_s), settings.chat.name());
        print(&match remote.state.as_str() {
            "connected" => format!("{chat:<10} connected for {since}; {} in, {} out\n", remote.received, remote.sent),
            "trouble" => format!("{chat:<10} not connected: {}\n", one_line(&remote.trouble)),
            _ => format!("{chat:<10} connecting\n"),
        })?;
        print(&match settings.users.as_slice() {
            [] => "may ask    no user yet; `aside remote pair` lets a user in\n".to_owned(),
            users => format!("may ask    {}\n", list(users)),
        })?;
        print(&match settings.workspaces.as_slice() {
            [] => "about      nothing yet; set remote.workspaces\n".to_owned(),
            paths => format!("about      {}\n", list(&paths.iter().map(from_home).collect::<Vec<String>>())),
        })?;
        if !remote.refused.is_empty() {
            print(&format!("turned away  {}\n", list(&remote.refused)))?;
        }
    }
    Ok(if remote.state == "trouble" { Exit::Failed } else { Exit::Done })
}

fn pair(paths: &Paths, yes: bool) -> anyhow::Result<Exit> {
    if !client::is_listening(&paths.socket) {
        control::start(paths)?;
    }
    let Some(code) = asks_daemon(paths, "")? else { return Ok(Exit::Failed) };
    let code = code.into_iter().next().unwrap_or_default();
    let config = Config::load(&paths.config_file).map_err(|problems| anyhow::anyhow!("{problems}"))?;
    print(&match config.remote.chat {
        Chat::Relay => {
            let machine = Secrets::read(&paths.remote_secrets())?.relay_machine;
            format!(
                "Within ten minutes, the user sends this to the chat:\n\n    on {machine}: pair {code}\n\nThe relay passes on \
                 only what users of {machine} write. For another one, run this at the relay first:\n\n    \
                 aside relay route USER {machine}\n\n"
            )
        }
        Chat::Robot => format!("Within ten minutes, send this to the robot:\n\n    pair {code}\n\n"),
        Chat::App | Chat::Webhook => format!("Within ten minutes, send this to the chat:\n\n    pair {code}\n\n"),
    })?;
    let until = Instant::now() + pairing::LIFE;
    while Instant::now() < until {
        std::thread::sleep(LOOK);
        let Some(claimed) = asks_daemon(paths, &code)? else { return Ok(Exit::Failed) };
        let Some(user) = claimed.into_iter().next() else { continue };
        let question = format!("{} has sent it. Let them ask for tasks on this machine?", one_line(&user));
        if !yes && confirm(&question, confirm::Default::No)? != Some(true) {
            print("Not let in.\n")?;
            return Ok(Exit::Failed);
        }
        let config = Config::load(&paths.config_file).map_err(|problems| anyhow::anyhow!("{problems}"))?;
        let mut users = config.remote.users;
        if !users.contains(&user) {
            users.push(user.clone());
        }
        change_setting(paths, "remote.users", &Value::List(users))?;
        let may = format!("{0} may ask. `aside remote revoke {0}` takes that back.", one_line(&user));
        return confirmed(paths, &may, "this user gets no answer yet");
    }
    complain!("aside: the code has expired; `aside remote pair` makes another");
    Ok(Exit::Failed)
}

/// What the daemon says about a code; nothing when it has complained.
fn asks_daemon(paths: &Paths, code: &str) -> anyhow::Result<Option<Vec<String>>> {
    let asked = TaskParams { op: TaskOp::Pair, text: code.to_owned(), ..TaskParams::default() };
    match client::ask(&paths.socket, Request::Task(Box::new(asked)))? {
        Reply::Task(told) => Ok(Some(told.lines)),
        Reply::Error(failure) => {
            complain!("aside: {}", failure.error.message);
            Ok(None)
        }
        _ => bail!("the daemon is another version; restart it: aside daemon stop"),
    }
}

fn revoke(paths: &Paths, user: &str) -> anyhow::Result<Exit> {
    let config = Config::load(&paths.config_file).map_err(|problems| anyhow::anyhow!("{problems}"))?;
    let mut users = config.remote.users;
    if !users.iter().any(|known| known == user) {
        complain!("aside: {user} may not ask anyway; `aside remote status` says who may");
        return Ok(Exit::Failed);
    }
    users.retain(|known| known != user);
    change_setting(paths, "remote.users", &Value::List(users))?;
    let done = format!("{} may ask no more; what they asked for stays in `aside task list`.", one_line(user));
    confirmed(paths, &done, "this user may still ask")
}

/// Nothing without a terminal.
fn asked(question: &str) -> Option<String> {
    std::io::stdin().is_terminal().then(|| confirm::line(question).ok()).flatten().filter(|answer| !answer.is_empty())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// 256 bits, as text.
fn key() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    SystemRandom::new().fill(&mut bytes).ok().context("this machine has no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether all of them were given.
fn read_secrets(wanted: &mut [(&str, &mut String)]) -> anyhow::Result<bool> {
    for (name, place) in wanted {
        **place = secret(name)?;
        if place.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Typed without being shown, or a line of what is piped in: never an argument, which every process can read.
fn secret(name: &str) -> anyhow::Result<String> {
    let input = std::io::stdin();
    let Ok(before) = tcgetattr(&input) else {
        let mut line = String::new();
        input.lock().read_line(&mut line).context("could not read the secret")?;
        return Ok(line.trim().to_owned());
    };
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&input, OptionalActions::Now, &silent)?;
    let line = confirm::line(&format!("{name} (not shown): "));
    tcsetattr(&input, OptionalActions::Now, &before)?;
    print("\n")?;
    line
}
