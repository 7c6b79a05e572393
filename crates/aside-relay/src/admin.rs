//! The endpoints of the operator, on a listener of their own: who is enrolled, codes, routes, the audit log; with the admin token. Health
//! and metrics need none, and say nothing about users.

use std::time::Duration;

use hyper::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::{HttpRequest, HttpResponse};
use crate::key;
use crate::relay::{CODE_LIFE, CODE_MINUTES, Relay};

/// Lines of the audit log that are given at once.
pub const MAX_LINES: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Invite {
    machine: String,
    #[serde(default)]
    users: Vec<String>,
    #[serde(default)]
    minutes: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    machine: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Route {
    user: String,
    machine: String,
}

const NO_MACHINE: &str = "no such machine; `aside relay machines` lists them";

pub async fn answer(relay: &Relay, asked: HttpRequest) -> HttpResponse {
    match (&asked.method, asked.path.as_str()) {
        (&Method::GET, "/healthz") => return health(relay).await,
        (&Method::GET, "/metrics") => return HttpResponse::of(StatusCode::OK, &relay.metrics.text()),
        _ => {}
    }
    let token = asked.header("authorization").strip_prefix("Bearer ").unwrap_or_default();
    if !key::is_same(token, &relay.settings.admin_token) {
        relay.metrics.count("admin_calls_total", "refused");
        tracing::warn!("a call of an admin endpoint had no token, or a wrong one");
        return HttpResponse::of(StatusCode::UNAUTHORIZED, "");
    }
    let answered = match act(relay, &asked).await {
        Ok(answered) => answered,
        Err(error) => said(StatusCode::BAD_REQUEST, &format!("{error:#}")),
    };
    relay.metrics.count("admin_calls_total", if answered.status.is_success() { "done" } else { "refused" });
    answered
}

/// Whether messages can be taken: the store answers.
pub async fn health(relay: &Relay) -> HttpResponse {
    match tokio::time::timeout(Duration::from_secs(3), relay.store.waiting()).await {
        Ok(Ok((messages, replies))) => {
            relay.metrics.waiting(messages, replies);
            HttpResponse::of(StatusCode::OK, "ok\n")
        }
        Ok(Err(_)) | Err(_) => HttpResponse::of(StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n"),
    }
}

async fn act(relay: &Relay, asked: &HttpRequest) -> anyhow::Result<HttpResponse> {
    Ok(match (&asked.method, asked.path.as_str()) {
        (&Method::POST, "/admin/enroll") => {
            let Invite { machine, users, minutes } = body(asked)?;
            let (least, most) = (CODE_MINUTES.start(), CODE_MINUTES.end());
            let minutes = minutes.unwrap_or(CODE_LIFE.as_secs() / 60);
            anyhow::ensure!(CODE_MINUTES.contains(&minutes), "a code is good for {least} to {most} minutes");
            let life = Duration::from_secs(60 * minutes);
            let code = relay.invite(&machine, &users, life).await?;
            HttpResponse::json(StatusCode::OK, &json!({ "code": code, "minutes": life.as_secs() / 60 }))
        }
        (&Method::POST, "/admin/revoke") => {
            let Name { machine } = body(asked)?;
            match relay.revoke(&machine).await? {
                Some(revoked) => {
                    HttpResponse::json(StatusCode::OK, &json!({ "key": revoked.key, "codes": revoked.codes }))
                }
                None => said(StatusCode::NOT_FOUND, NO_MACHINE),
            }
        }
        (&Method::POST, "/admin/route") => {
            let Route { user, machine } = body(asked)?;
            match relay.assign(&user, &machine).await? {
                true => HttpResponse::json(StatusCode::OK, &json!({})),
                false => said(StatusCode::NOT_FOUND, NO_MACHINE),
            }
        }
        (&Method::POST, "/admin/unroute") => {
            let Route { user, machine } = body(asked)?;
            match relay.unassign(&user, &machine).await? {
                true => HttpResponse::json(StatusCode::OK, &json!({})),
                false => said(StatusCode::NOT_FOUND, "requests of this user do not go to that machine"),
            }
        }
        (&Method::GET, "/admin/machines") => {
            let machines: Vec<Value> = relay
                .machines()
                .await?
                .into_iter()
                .map(|(name, machine, presence)| {
                    json!({ "machine": name, "users": machine.users, "enrolled": machine.enrolled,
                        "revoked": machine.revoked, "connected": presence.as_ref().map(|presence| presence.since),
                        "heard": presence.as_ref().map(|presence| presence.heard),
                        "copy": presence.map(|presence| presence.copy) })
                })
                .collect();
            let invited: Vec<Value> = relay
                .invited()
                .await?
                .into_iter()
                .map(|(machine, users, until)| json!({ "machine": machine, "users": users, "until": until }))
                .collect();
            HttpResponse::json(StatusCode::OK, &json!({ "machines": machines, "codes": invited }))
        }
        (&Method::GET, "/admin/audit") => {
            let count = asked.query.strip_prefix("last=").and_then(|count| count.parse().ok()).unwrap_or(50);
            let lines = relay.store.audited(count.min(MAX_LINES)).await?;
            let entries: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
            HttpResponse::json(StatusCode::OK, &json!({ "entries": entries }))
        }
        _ => HttpResponse::of(StatusCode::NOT_FOUND, ""),
    })
}

fn body<'a, T: Deserialize<'a>>(asked: &'a HttpRequest) -> anyhow::Result<T> {
    serde_json::from_slice(&asked.body).map_err(|_| anyhow::anyhow!("the body is not what this call needs"))
}

fn said(status: StatusCode, error: &str) -> HttpResponse {
    HttpResponse::json(status, &json!({ "error": error }))
}
