//! `aside relay`: runs the relay of a team, and is its operator's tool. What a relay does is the crate `aside-relay`'s business.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use aside_relay::admin::MAX_LINES;
use aside_relay::chat::webhook;
use aside_relay::relay::{CODE_LIFE, CODE_MINUTES, Relay};
use aside_relay::settings::{self, FILE, PING, Settings};
use aside_relay::{key, milliseconds, outbound_http, seconds, serve};
use clap::Subcommand;
use jiff::Timestamp;
use reqwest::{RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Exit, one_line, print, refuse_commands, span};
use crate::paths::Paths;

/// Bytes of an answer of our own relay: the longest audit log.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// Run a relay for a team's chats: one endpoint, many machines
///
/// Each machine connects outbound with a key of its own; messages of a user go to their machine, wait while it is away, and are
/// delivered once. Approving stays at the machine.
#[derive(clap::Args)]
pub struct Args {
    /// Where its settings, secrets and database are [default: relay in the data directory]
    #[arg(long, value_name = "DIR", global = true)]
    dir: Option<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Run the relay; makes its settings the first time
    Serve {
        /// Print a one-time code for this machine once it listens
        #[arg(long, value_name = "MACHINE")]
        enroll: Option<String>,
        /// With --enroll: whose requests go to that machine; may be repeated
        #[arg(long = "user", value_name = "USER", requires = "enroll")]
        users: Vec<String>,
    },
    /// Print a one-time code that lets a machine in, or gives it a new key
    Enroll {
        /// Small letters, digits and hyphens
        machine: String,
        /// Whose requests go to it; may be repeated
        #[arg(long = "user", value_name = "USER")]
        users: Vec<String>,
        /// How long the code is good, up to 10080
        #[arg(long, value_name = "N", default_value_t = CODE_LIFE.as_secs() / 60, value_parser = clap::value_parser!(u64).range(CODE_MINUTES))]
        minutes: u64,
    },
    /// List the machines, which are connected, and codes that were not used
    Machines {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a machine's key back, and codes for it that were not used
    Revoke { machine: String },
    /// Send a user's requests to this machine first
    Route { user: String, machine: String },
    /// Send no more requests of a user to this machine
    Unroute { user: String, machine: String },
    /// Print who asked, connected and enrolled, as JSON lines
    Audit {
        /// At most so many lines, up to 10000
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=MAX_LINES as u64))]
        last: u64,
    },
    /// Send a message as a chat would, to try a relay
    Say { user: String, text: String },
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let dir = match args.dir {
        Some(dir) => dir,
        None => Paths::from_env()?.data_dir.join("relay"),
    };
    if !matches!(args.action, Action::Machines { .. } | Action::Audit { .. }) {
        refuse_commands("let a machine in")?;
    }
    if let Action::Serve { enroll, users } = args.action {
        return run_relay(dir, enroll, &users);
    }
    if !dir.join(FILE).exists() {
        complain!("aside: there is no relay in {}; `aside relay serve` makes one", dir.display());
        return Ok(Exit::Usage);
    }
    let (settings, _) = settings::of(&dir)?;
    match args.action {
        Action::Serve { .. } => bail!("it serves already"),
        Action::Enroll { machine, users, minutes } => {
            let body = json!({ "machine": machine, "users": users, "minutes": minutes });
            let Some(told) = operates(&settings, Asks::Post("/admin/enroll", &body))? else { return Ok(Exit::Failed) };
            let minutes = told["minutes"].as_u64().unwrap_or(minutes);
            print_code(&settings, told["code"].as_str().unwrap_or_default(), &users, minutes)?;
        }
        Action::Revoke { machine } => {
            let body = json!({ "machine": machine });
            let Some(told) = operates(&settings, Asks::Post("/admin/revoke", &body))? else { return Ok(Exit::Failed) };
            let machine = one_line(&machine);
            if told["key"] != json!(false) {
                print(&format!("The key of {machine} is no longer good.\n"))?;
            }
            match told["codes"].as_u64() {
                None | Some(0) => {}
                Some(1) => print(&format!("A code for {machine} that was not used is void.\n"))?,
                Some(codes) => print(&format!("{codes} codes for {machine} that were not used are void.\n"))?,
            }
        }
        Action::Route { user, machine } => {
            let body = json!({ "user": user, "machine": machine });
            if operates(&settings, Asks::Post("/admin/route", &body))?.is_none() {
                return Ok(Exit::Failed);
            }
            print(&format!(
                "Requests of {} go to {machine}. It acts upon them once they are let in there: `aside remote pair` on {machine}.\n",
                one_line(&user)
            ))?;
        }
        Action::Unroute { user, machine } => {
            let body = json!({ "user": user, "machine": machine });
            if operates(&settings, Asks::Post("/admin/unroute", &body))?.is_none() {
                return Ok(Exit::Failed);
            }
            print(&format!("Requests of {} go to {machine} no more.\n", one_line(&user)))?;
        }
        Action::Machines { json } => {
            let Some(told) = operates(&settings, Asks::Get("/admin/machines"))? else { return Ok(Exit::Failed) };
            print(&if json { format!("{told}\n") } else { table(&told) })?;
        }
        Action::Audit { last } => {
            let path = format!("/admin/audit?last={last}");
            let Some(told) = operates(&settings, Asks::Get(&path))? else { return Ok(Exit::Failed) };
            for entry in told["entries"].as_array().into_iter().flatten() {
                print(&format!("{entry}\n"))?;
            }
        }
        Action::Say { user, text } => return say(&settings, &user, &text),
    }
    Ok(Exit::Done)
}

fn run_relay(dir: PathBuf, enroll: Option<String>, users: &[String]) -> anyhow::Result<Exit> {
    let _ = tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).try_init();
    let (settings, is_new) = settings::of(&dir)?;
    if is_new {
        print(&format!("Made {}: settings and secrets.\n", dir.join(FILE).display()))?;
    }
    runtime()?.block_on(async {
        let store = serve::store(&settings, &dir).await?;
        let relay = Arc::new(Relay::new(store, settings)?);
        let inviting = Arc::clone(&relay);
        let listens = |public: &TcpListener, operator: &TcpListener| {
            let address = |listener: &TcpListener| listener.local_addr().map(|at| at.to_string()).unwrap_or_default();
            let _ = print(&format!("Listening on {} and, for you, on {}.\n", address(public), address(operator)));
        };
        let invites = async {
            if let Some(machine) = &enroll {
                let code = inviting.invite(machine, users, CODE_LIFE).await?;
                print_code(&inviting.settings, &code, users, CODE_LIFE.as_secs() / 60)?;
            }
            std::future::pending::<anyhow::Result<()>>().await
        };
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            ended = serve::run(relay, listens) => ended.map(|()| Exit::Failed),
            failed = invites => failed.map(|()| Exit::Failed),
            _ = terminated.recv() => Ok(Exit::Done),
            _ = tokio::signal::ctrl_c() => Ok(Exit::Done),
        }
    })
}

fn print_code(settings: &Settings, code: &str, users: &[String], minutes: u64) -> anyhow::Result<()> {
    let flags: String = users.iter().map(|user| format!(" --user {}", one_line(user))).collect();
    print(&format!(
        "On the machine, within {minutes} minutes, with the address at which it reaches this relay\n(wss://… through \
         your proxy; ws://{} on this machine):\n\n    aside remote setup --chat relay --server ADDRESS{flags}\n\n\
         It asks for this code, which is good once:\n\n    {code}\n\n",
        settings.listen
    ))
}

enum Asks<'a> {
    Get(&'a str),
    Post(&'a str, &'a Value),
}

/// What the relay answers to its operator; nothing when it has complained.
fn operates(settings: &Settings, asks: Asks<'_>) -> anyhow::Result<Option<Value>> {
    let base = format!("http://{}", reached(&settings.admin_listen)?);
    let client = outbound_http::client(&base.parse()?)?;
    let request = match asks {
        Asks::Get(path) => client.get(format!("{base}{path}")),
        Asks::Post(path, body) => outbound_http::post(&client, &format!("{base}{path}"), body.to_string()),
    };
    let (status, body) = exchange(request.bearer_auth(&settings.admin_token))?;
    let told: Result<Value, _> = serde_json::from_slice(&body);
    if status == StatusCode::OK {
        let what = if body.len() == MAX_ANSWER { "more than can be read" } else { "what is no JSON" };
        return Ok(Some(told.with_context(|| format!("the relay answered {what}; ask for less, as with --last 100"))?));
    }
    let told = told.unwrap_or_default();
    match status {
        StatusCode::UNAUTHORIZED => {
            complain!("aside: the relay has another admin token; restart it after a change of {FILE}");
            Ok(None)
        }
        status => {
            complain!("aside: {}", one_line(told["error"].as_str().unwrap_or(status.as_str())));
            Ok(None)
        }
    }
}

fn exchange(request: RequestBuilder) -> anyhow::Result<(StatusCode, Vec<u8>)> {
    let answered = runtime()?.block_on(outbound_http::exchange_within(request, MAX_ANSWER));
    answered.map_err(|why| anyhow::anyhow!("the relay does not answer: {why}; `aside relay serve` runs it"))
}

/// The address by which this machine reaches a listener of its own.
fn reached(listen: &str) -> anyhow::Result<SocketAddr> {
    let mut address: SocketAddr = listen.parse().context("admin_listen is no address")?;
    if address.ip().is_unspecified() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    Ok(address)
}

fn say(settings: &Settings, user: &str, text: &str) -> anyhow::Result<Exit> {
    if settings.webhook_key.is_empty() {
        complain!("aside: webhook.key is not set; a message is sent the way a webhook does");
        return Ok(Exit::Failed);
    }
    let body = json!({ "id": key::random()?, "user": user, "text": text }).to_string();
    let (timestamp, signature) = webhook::headers(&settings.webhook_key, seconds(), &body);
    let base = format!("http://{}", reached(&settings.listen)?);
    let request = outbound_http::post(&outbound_http::client(&base.parse()?)?, &format!("{base}/webhook"), body)
        .header(webhook::TIMESTAMP, timestamp)
        .header(webhook::SIGNATURE, signature);
    match exchange(request)? {
        (StatusCode::ACCEPTED, _) => {
            let answer = match settings.reply_url.as_str() {
                "" => {
                    "webhook.reply_url is empty, so the answer goes nowhere: `aside task list` on the machine shows it"
                }
                _ => "the answer goes to webhook.reply_url",
            };
            print(&format!("Sent. `aside relay audit` says what became of it; {answer}.\n"))?;
            Ok(Exit::Done)
        }
        (status, _) => {
            complain!("aside: the relay answered {status}; its log says why");
            Ok(Exit::Failed)
        }
    }
}

fn table(told: &Value) -> String {
    let list = |name: &str| told[name].as_array().cloned().unwrap_or_default();
    let (machines, codes) = (list("machines"), list("codes"));
    if machines.is_empty() && codes.is_empty() {
        return "No machine is enrolled; `aside relay enroll MACHINE --user USER` makes a code.\n".to_owned();
    }
    let names = |machine: &Value| {
        let users: Vec<&str> = machine["users"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        one_line(&users.join(", "))
    };
    let row = |machine: &Value| {
        let state = match (machine["revoked"].as_bool(), machine["connected"].as_u64()) {
            (Some(true), _) => "revoked".to_owned(),
            (_, Some(since)) => {
                let ago = |at: u64| Duration::from_millis(milliseconds().saturating_sub(at));
                let silent = machine["heard"].as_u64().map(ago).unwrap_or_default();
                // Each ping is answered; it is written down at the next one.
                if silent > PING * 2 {
                    format!("silent for {}", span(silent.as_secs()))
                } else {
                    format!("connected for {}", span(ago(since).as_secs()))
                }
            }
            _ => {
                let enrolled = machine["enrolled"].as_i64().and_then(|at| Timestamp::from_millisecond(at).ok());
                let enrolled = enrolled.map(|at| at.strftime("%Y-%m-%d").to_string()).unwrap_or_default();
                format!("not connected; enrolled {enrolled}")
            }
        };
        let name = machine["machine"].as_str().unwrap_or_default();
        format!("{name:<20} {state:<32} {}\n", names(machine))
    };
    let code = |code: &Value| {
        let left = Duration::from_millis(code["until"].as_u64().unwrap_or_default().saturating_sub(milliseconds()));
        let state = format!("a code, good for {}", span(left.as_secs()));
        format!("{:<20} {state:<32} {}\n", code["machine"].as_str().unwrap_or_default(), names(code))
    };
    machines.iter().map(row).chain(codes.iter().map(code)).collect()
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start the runtime")
}
