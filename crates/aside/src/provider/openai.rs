//! Servers that speak as OpenAI's chat completions do: ours on this machine, and most others.

use std::ops::ControlFlow;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use serde::Deserialize;
use serde_json::json;

use crate::config;
use crate::provider::sse::Decoder;
use crate::provider::{Failure, MAX_ANSWER, Patience, Question};

pub struct Server {
    client: Client,
    address: Url,
    model: String,
    key: Option<HeaderValue>,
    patience: Patience,
}

/// One event of a stream, or the whole answer of a server that does not stream.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    choices: Vec<Choice>,
    error: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Said>,
    /// Why it is over, once it is.
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Said {
    content: Option<String>,
}

impl Server {
    pub fn new(settings: &config::Llm, patience: Patience) -> Result<Self, Failure> {
        let wrong = |key: &str, why: &dyn std::fmt::Display| Failure::Settings(format!("llm.{key}: {why}"));
        let address = address(&settings.base_url).map_err(|why| wrong("base_url", &why))?;
        let key = key(&settings.api_key_env).map_err(|why| wrong("api_key_env", &why))?;
        // Fails when somebody was here before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .connect_timeout(patience.connect)
            .read_timeout(patience.read)
            // A key goes where it was meant to go.
            .redirect(redirect::Policy::none())
            .user_agent(concat!("aside/", env!("CARGO_PKG_VERSION")));
        if is_here(&address) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| Failure::Settings(chain(&error)))?;
        Ok(Self { client, address, model: settings.model.clone(), key, patience })
    }

    pub fn patience(&self) -> Patience {
        self.patience
    }

    pub async fn ask(
        &self,
        question: &Question,
        mut hear: impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<String, Failure> {
        let body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
            ],
            "stream": true,
            "temperature": 0,
            "max_tokens": question.max_tokens,
        });
        let mut request = self.client.post(self.address.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let response = request.body(body.to_string()).send().await.map_err(failed)?;
        check(&response)?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            stream(response, &mut hear).await
        } else {
            let said = whole(response).await?;
            let _ = hear(&said);
            Ok(said)
        }
    }
}

async fn stream(mut response: Response, hear: &mut impl FnMut(&str) -> ControlFlow<()>) -> Result<String, Failure> {
    let mut decoder = Decoder::default();
    let mut said = String::new();
    let mut is_over = false;
    while let Some(bytes) = response.chunk().await.map_err(failed)? {
        let events = decoder.push(&bytes).map_err(|_| Failure::Garbled("an event has no end".to_owned()))?;
        let before = said.len();
        for event in events {
            if event.trim() == "[DONE]" {
                return Ok(said);
            }
            let part = read(event.as_bytes())?;
            said.push_str(&part.text);
            is_over |= part.is_over;
        }
        if said.len() > MAX_ANSWER {
            return Err(Failure::Garbled("it does not end".to_owned()));
        }
        if said.len() > before && hear(&said).is_break() {
            return Ok(said);
        }
    }
    // Half a command is another command.
    if is_over { Ok(said) } else { Err(Failure::HungUp("the answer has no end".to_owned())) }
}

async fn whole(mut response: Response) -> Result<String, Failure> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_ANSWER {
            return Err(Failure::Garbled("it does not end".to_owned()));
        }
    }
    let part = read(&body)?;
    // A stream may have events without words, a whole answer not.
    if part.is_over { Ok(part.text) } else { Err(Failure::Garbled("there is no answer in it".to_owned())) }
}

/// What an event or a whole answer says, and whether it says that it is the last.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    text: String,
    is_over: bool,
}

fn read(json: &[u8]) -> Result<Part, Failure> {
    let answer: Answer = serde_json::from_slice(json).map_err(|error| Failure::Garbled(error.to_string()))?;
    if let Some(error) = answer.error {
        let message = error["message"].as_str().unwrap_or("an error without a message");
        return Err(Failure::Garbled(message.chars().take(200).collect()));
    }
    let choice = answer.choices.into_iter().next();
    let is_over = choice.as_ref().is_some_and(|choice| choice.finish_reason.is_some());
    Ok(Part { text: choice.and_then(|choice| choice.delta?.content).unwrap_or_default(), is_over })
}

fn check(response: &Response) -> Result<(), Failure> {
    match response.status() {
        status if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Failure::Unauthorized),
        StatusCode::TOO_MANY_REQUESTS => {
            let after = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok()?.trim().parse().ok());
            Err(Failure::RateLimited { retry_after: after.map(Duration::from_secs) })
        }
        status => Err(Failure::Status(status.as_u16())),
    }
}

fn failed(error: reqwest::Error) -> Failure {
    if error.is_connect() {
        Failure::Offline(chain(&error.without_url()))
    } else if error.is_timeout() {
        Failure::TooLate
    } else {
        Failure::HungUp(chain(&error.without_url()))
    }
}

/// The cause says more than the error: "connection refused" rather than "error sending request".
fn chain(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// `http://host:1234` and `http://host:1234/v1` are the same server to people.
fn address(base: &str) -> Result<Url, String> {
    let mut url = Url::parse(base.trim()).map_err(|error| format!("{base} is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(format!("{base} is no address of a web server"));
    }
    let path = match url.path().trim_end_matches('/') {
        "" => "/v1/chat/completions".to_owned(),
        path => format!("{path}/chat/completions"),
    };
    url.set_path(&path);
    Ok(url)
}

fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn key(variable: &str) -> Result<Option<HeaderValue>, String> {
    if variable.is_empty() {
        return Ok(None);
    }
    let key = std::env::var(variable)
        .map_err(|_| format!("the daemon's environment has no {variable}; run `aside daemon stop` where it has"))?;
    let mut header = HeaderValue::from_str(&format!("Bearer {}", key.trim()))
        .map_err(|_| format!("{variable} holds what cannot be a key"))?;
    header.set_sensitive(true);
    Ok(Some(header))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        for (base, expected) in [
            ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1/chat/completions"),
            ("http://127.0.0.1:1234/", "http://127.0.0.1:1234/v1/chat/completions"),
            ("https://host/v1", "https://host/v1/chat/completions"),
            ("https://host/v1/", "https://host/v1/chat/completions"),
            (" https://host/api/openai/v1 ", "https://host/api/openai/v1/chat/completions"),
        ] {
            assert_eq!(address(base).unwrap().as_str(), expected);
        }
        for base in ["", "host", "127.0.0.1:80", "ftp://host/v1", "file:///etc/passwd"] {
            assert!(address(base).is_err(), "{base}");
        }
    }

    #[test]
    fn this_machine_is_known() {
        for (base, here) in [
            ("http://localhost:1/v1", true),
            ("http://127.0.0.2", true),
            ("http://[::1]:1", true),
            ("http://localhost.example.org", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_here(&address(base).unwrap()), here, "{base}");
        }
    }

    #[test]
    fn what_was_said_is_found_in_an_event_and_in_a_whole_answer() {
        let part = |text: &str, is_over| Ok(Part { text: text.to_owned(), is_over });
        let said = |json: &str| read(json.as_bytes());
        assert_eq!(said(r#"{"choices":[{"delta":{"content":"a"}}]}"#), part("a", false));
        assert_eq!(said(r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#), part("", true));
        assert_eq!(said(r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#), part("a", true));
        assert_eq!(said(r#"{"choices":[{"delta":{"content":null},"finish_reason":null}]}"#), part("", false));
        assert_eq!(said(r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#), part("", false));
        assert_eq!(said(r#"{"choices":[],"usage":{}}"#), part("", false));
        assert_eq!(said(r#"{"hello":"world"}"#), part("", false));
        assert_eq!(said(r#"{"error":{"message":"full"}}"#), Err(Failure::Garbled("full".to_owned())));
        assert!(matches!(said("<html>"), Err(Failure::Garbled(_))));
        assert!(matches!(said("[]"), Err(Failure::Garbled(_))));
    }
}
