//! Downloads a large file: resumes after an interruption, verifies its checksum, and moves it into place by an atomic rename. Does not
//! decide what is downloaded or under which name; shows nothing.

mod partial_file;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, IF_RANGE, LAST_MODIFIED, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use ring::digest;

use crate::provider::local::installed_models;
use crate::provider::{Failure, OutboundRequest, RequestEnd, RequestRecorder, displayed_address, http_exchange};
use partial_file::{PartialFile, Stamp};

/// Cap on redirects.
const MAX_HOPS: usize = 10;
/// Cap on attempts in a row that bring nothing new.
const MAX_TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(300);
const CONNECT: Duration = Duration::from_secs(15);
/// Timeout without any data.
const SILENCE: Duration = Duration::from_secs(60);
/// Bytes that are left free on the disk.
const SPARE: u64 = 64 * 1024 * 1024;
/// No model is larger; bounds a download of unknown size.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024 * 1024;

pub struct Fetch<'a> {
    pub url: &'a str,
    /// The final path of the file.
    pub target: &'a Path,
    /// In hexadecimal, if known.
    pub sha256: Option<&'a str>,
    pub trust: Trust,
}

/// Over which connections a file may be downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// HTTPS, and this machine itself.
    Safe,
    /// Any: the user allowed it.
    Any,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Fetched {
    pub bytes: u64,
    pub sha256: String,
    /// Where the expected checksum came from.
    pub checked: Checked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    ByUs,
    ByServer,
    Unverified,
}

/// Progress, for a caller that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownloadEvent {
    /// Resumed after so many bytes.
    GoesOn {
        bytes: u64,
    },
    /// The file on the server has changed.
    StartsAgain,
    At {
        bytes: u64,
        of: Option<u64>,
    },
    CutOff,
    /// The server gave nothing yet.
    Unreached,
    Checking,
}

/// Why an attempt failed.
enum Trouble {
    /// A retry after a pause may succeed.
    Passing(anyhow::Error),
    Final(anyhow::Error),
}

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Self {
        Trouble::Final(error)
    }
}

pub async fn fetch(
    fetch: &Fetch<'_>,
    witness: &impl RequestRecorder,
    mut tell: impl FnMut(DownloadEvent),
) -> anyhow::Result<Fetched> {
    let url = Url::parse(fetch.url.trim()).with_context(|| format!("{} is no address", fetch.url))?;
    let mut part = PartialFile::open(fetch.target)?;
    let (mut tries, mut pause) = (0, FIRST_PAUSE);
    let server_sum = loop {
        let before = part.len();
        match attempt(fetch, &url, &mut part, witness, &mut tell).await {
            Ok(sum) => break sum,
            Err(Trouble::Final(error)) => return Err(error),
            Err(Trouble::Passing(error)) => {
                tries = if part.len() > before { 0 } else { tries + 1 };
                if tries == MAX_TRIES && part.is_empty() {
                    return Err(error.context("it was tried too often, and nothing came"));
                }
                if tries == MAX_TRIES {
                    return Err(error.context(format!(
                        "it was cut off too often; what came is kept in {}, and the same command goes on from there",
                        part.path().display()
                    )));
                }
                tell(if part.is_empty() { DownloadEvent::Unreached } else { DownloadEvent::CutOff });
                tokio::time::sleep(pause).await;
                pause = if tries == 0 { FIRST_PAUSE } else { pause * 2 };
            }
        }
    };
    tell(DownloadEvent::Checking);
    finish(fetch, part, server_sum)
}

/// Verifies a complete download and moves it into place.
fn finish(fetch: &Fetch<'_>, part: PartialFile, server_sum: Option<String>) -> anyhow::Result<Fetched> {
    let bytes = part.len();
    let sum = sha256(part.path()).with_context(|| format!("could not read {}", part.path().display()))?;
    let (expected, checked) = match (fetch.sha256, &server_sum) {
        (Some(sum), _) => (Some(sum), Checked::ByUs),
        (None, Some(sum)) => (Some(sum.as_str()), Checked::ByServer),
        (None, None) => (None, Checked::Unverified),
    };
    if let Some(expected) = expected.filter(|expected| !expected.eq_ignore_ascii_case(&sum)) {
        let aside = part.put_aside()?;
        bail!(
            "it is not the file that it should be: its SHA-256 is {sum}, and not {}; it is kept in {}, to be looked at \
             or deleted",
            expected.to_lowercase(),
            aside.display()
        );
    }
    if !installed_models::is_model(part.path())? {
        let aside = part.put_aside()?;
        bail!("it is no GGUF model; it is kept in {}, to be looked at or deleted", aside.display());
    }
    part.keep(fetch.target)?;
    Ok(Fetched { bytes, sha256: sum, checked })
}

/// Makes one connection. Returns the checksum that the server reports, if any.
async fn attempt(
    fetch: &Fetch<'_>,
    url: &Url,
    part: &mut PartialFile,
    witness: &impl RequestRecorder,
    tell: &mut impl FnMut(DownloadEvent),
) -> Result<Option<String>, Trouble> {
    // Resumes a part only if it belongs to the same file, or if the checksum would catch a wrong one.
    let stamp = part.stamp().filter(|stamp| stamp.url == url.as_str());
    let may_go_on = stamp.as_ref().is_some_and(|stamp| stamp.says_which() || fetch.sha256.is_some());
    if !may_go_on {
        part.clear()?;
    }
    let from = part.len();
    let Answer { response, server_sum, note, mut ended } =
        ask(fetch, url, from, stamp.filter(|_| may_go_on).as_ref(), witness).await?;
    let outcome = take(fetch, url, part, response, server_sum.as_deref(), from, &mut ended, tell).await;
    ended.failure = match &outcome {
        Ok(()) => None,
        Err(Trouble::Passing(error) | Trouble::Final(error)) => Some(Failure::HungUp(format!("{error:#}"))),
    };
    witness.ended(note, &ended);
    outcome.map(|()| server_sum)
}

struct Answer<N> {
    response: Response,
    server_sum: Option<String>,
    note: N,
    ended: RequestEnd,
}

/// Sends the request and follows redirects.
async fn ask<W: RequestRecorder>(
    fetch: &Fetch<'_>,
    url: &Url,
    from: u64,
    stamp: Option<&Stamp>,
    witness: &W,
) -> Result<Answer<W::Note>, Trouble> {
    let mut url = url.clone();
    let mut server_sum = None;
    for _ in 0..MAX_HOPS {
        check(&url, fetch.trust)?;
        let client = client(&url)?;
        let mut request = client.get(url.clone());
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
            if let Some(validator) = stamp.and_then(Stamp::validator) {
                request = request.header(IF_RANGE, validator);
            }
        }
        let leaving = OutboundRequest { address: &displayed_address(&url), model: "", body: "" };
        let note = witness.leaves(&leaving).await.map_err(|failure| Trouble::Final(anyhow::anyhow!("{failure}")))?;
        let mut ended = RequestEnd::default();
        let sent = tokio::time::timeout(SILENCE, request.send()).await;
        let response = match sent.map_err(|_| "it does not answer".to_owned()).and_then(|sent| sent.map_err(why)) {
            Ok(response) => response,
            Err(reason) => {
                ended.failure = Some(Failure::Offline(reason.clone()));
                witness.ended(note, &ended);
                return Err(Trouble::Passing(anyhow::anyhow!("{}: {reason}", host(&url))));
            }
        };
        ended.status = Some(response.status().as_u16());
        server_sum = server_sum.or_else(|| sum_in(response.headers()));
        if !response.status().is_redirection() {
            return Ok(Answer { response, server_sum, note, ended });
        }
        witness.ended(note, &ended);
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let Some(next) = location.and_then(|location| url.join(location).ok()) else {
            return Err(Trouble::Final(anyhow::anyhow!("{} sends on to nowhere", host(&url))));
        };
        if http_exchange::is_loopback(&next) && !http_exchange::is_loopback(&url) {
            return Err(Trouble::Final(anyhow::anyhow!("{} sends on to this machine itself", host(&url))));
        }
        url = next;
    }
    Err(Trouble::Final(anyhow::anyhow!("{} sends on and on", host(&url))))
}

/// Writes the response to the part.
#[expect(clippy::too_many_arguments, reason = "it is the second half of `attempt`")]
async fn take(
    fetch: &Fetch<'_>,
    url: &Url,
    part: &mut PartialFile,
    mut response: Response,
    server_sum: Option<&str>,
    from: u64,
    ended: &mut RequestEnd,
    tell: &mut impl FnMut(DownloadEvent),
) -> Result<(), Trouble> {
    let status = response.status();
    let now = Stamp::of(url.as_str(), response.headers(), server_sum);
    let (start, whole) = match status {
        StatusCode::PARTIAL_CONTENT => {
            let range = range(response.headers()).filter(|(start, _)| *start == from);
            let Some((start, whole)) = range.filter(|_| part.stamp().is_some_and(|then| then.is_same_file(&now)))
            else {
                part.clear()?;
                tell(DownloadEvent::StartsAgain);
                return Err(Trouble::Passing(anyhow::anyhow!("the file over there is another one now")));
            };
            tell(DownloadEvent::GoesOn { bytes: start });
            (start, whole)
        }
        StatusCode::RANGE_NOT_SATISFIABLE if from > 0 => {
            // The part may be complete already, unless the file is shorter now.
            if range_length(response.headers()) == Some(from)
                && part.stamp().is_some_and(|then| then.is_same_file(&now))
            {
                return Ok(());
            }
            part.clear()?;
            tell(DownloadEvent::StartsAgain);
            return Err(Trouble::Passing(anyhow::anyhow!("the file over there is another one now")));
        }
        StatusCode::OK => {
            if from > 0 {
                part.clear()?;
                tell(DownloadEvent::StartsAgain);
            }
            (0, response.content_length())
        }
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            return Err(Trouble::Passing(anyhow::anyhow!("{} answers {status}", host(url))));
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return Err(Trouble::Final(anyhow::anyhow!("{} refuses to give it ({status})", host(url))));
        }
        StatusCode::NOT_FOUND => return Err(Trouble::Final(anyhow::anyhow!("{} has no such file (404)", host(url)))),
        status => return Err(Trouble::Final(anyhow::anyhow!("{} answers {status}", host(url)))),
    };
    room(fetch.target, whole.unwrap_or(0).saturating_sub(start))?;
    part.begin(&now)?;
    let mut told = Instant::now();
    tell(DownloadEvent::At { bytes: start, of: whole });
    loop {
        let chunk = tokio::time::timeout(SILENCE, response.chunk()).await;
        let chunk = chunk.map_err(|_| Trouble::Passing(anyhow::anyhow!("nothing came for {} s", SILENCE.as_secs())))?;
        let Some(bytes) = chunk.map_err(|error| Trouble::Passing(anyhow::anyhow!("{}", why(error))))? else { break };
        ended.bytes += bytes.len() as u64;
        // Stops at once if the server sends an error page instead of a model.
        if part.is_empty() && !installed_models::begins_as_model(&bytes) {
            part.clear()?;
            return Err(Trouble::Final(anyhow::anyhow!("what {} sends is no GGUF model", host(url))));
        }
        part.write(&bytes).with_context(|| format!("could not write {}", part.path().display()))?;
        if part.len() > whole.unwrap_or(MAX_BYTES) {
            return Err(Trouble::Final(anyhow::anyhow!("{} sends more than it said", host(url))));
        }
        if told.elapsed() >= Duration::from_millis(100) {
            told = Instant::now();
            tell(DownloadEvent::At { bytes: part.len(), of: whole });
        }
    }
    tell(DownloadEvent::At { bytes: part.len(), of: whole });
    match whole {
        Some(whole) if part.len() < whole => Err(Trouble::Passing(anyhow::anyhow!("the connection was lost"))),
        Some(_) | None => Ok(()),
    }
}

/// Data over plain HTTP can be modified on its way.
fn check(url: &Url, trust: Trust) -> anyhow::Result<()> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if trust == Trust::Any || http_exchange::is_loopback(url) => Ok(()),
        "http" => {
            bail!(
                "{} would come over a connection that can be tampered with; --insecure allows it",
                displayed_address(url)
            )
        }
        _ => bail!("{} is no address of a web server", displayed_address(url)),
    }
}

fn client(url: &Url) -> anyhow::Result<Client> {
    // Fails if a default is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .connect_timeout(CONNECT)
        // Redirects are followed by hand: each address is checked and recorded first.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("aside/", env!("CARGO_PKG_VERSION")));
    if http_exchange::is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().context("could not set up the connection")
}

/// Checks the free space before hours are spent.
pub fn room(target: &Path, bytes: u64) -> anyhow::Result<()> {
    let dir = target.parent().unwrap_or(Path::new("/"));
    let disk = rustix::fs::statvfs(dir).with_context(|| format!("could not look at {}", dir.display()))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if bytes.saturating_add(SPARE) > free {
        bail!(
            "there is no room for it in {}: it needs {}, and {} are free",
            dir.display(),
            installed_models::size(bytes),
            installed_models::size(free)
        );
    }
    Ok(())
}

/// The checksum from a header of the hub or the server.
fn sum_in(headers: &HeaderMap) -> Option<String> {
    let names = ["x-linked-etag", "x-checksum-sha256"];
    names.iter().find_map(|name| {
        let value = headers.get(*name)?.to_str().ok()?;
        let sum = value.trim().trim_start_matches("W/").trim_matches('"');
        is_sum(sum).then(|| sum.to_lowercase())
    })
}

pub fn is_sum(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `bytes 100-199/200`: where it starts, and the total length.
fn range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let value = headers.get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?;
    let (span, whole) = value.split_once('/')?;
    let start = span.split_once('-')?.0.parse().ok()?;
    Some((start, whole.parse().ok()))
}

/// `bytes */200`
fn range_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes */")?.parse().ok()
}

impl Stamp {
    fn of(url: &str, headers: &HeaderMap, server_sum: Option<&str>) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        // A weak ETag is equal for files that differ in their bytes.
        let etag = text(ETAG).filter(|etag| !etag.starts_with("W/"));
        Self { url: url.to_owned(), etag, modified: text(LAST_MODIFIED), sum: server_sum.map(str::to_owned) }
    }
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or("the server")
}

fn why(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut last: &dyn std::error::Error = &error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// The SHA-256 of a file, in hexadecimal.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut context = digest::Context::new(&digest::SHA256);
    let mut buffer = vec![0; 1024 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => context.update(&buffer[..count]),
        }
    }
    Ok(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Copies a file of the user's, completely or not at all.
pub fn copy(from: &Path, target: &Path) -> anyhow::Result<()> {
    let length = std::fs::metadata(from).with_context(|| format!("could not read {}", from.display()))?.len();
    room(target, length)?;
    let mut part = PartialFile::open(target)?;
    part.clear()?;
    let mut file = File::open(from).with_context(|| format!("could not read {}", from.display()))?;
    let mut buffer = vec![0; 1024 * 1024];
    loop {
        match file.read(&mut buffer).with_context(|| format!("could not read {}", from.display()))? {
            0 => break,
            count => part.write(&buffer[..count]).context("could not write the copy")?,
        }
    }
    part.keep(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_taken_only_from_what_is_one() {
        let sum = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
        let found = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            sum_in(&headers)
        };
        assert_eq!(found("x-linked-etag", &format!("\"{sum}\"")).as_deref(), Some(sum));
        assert_eq!(found("x-checksum-sha256", &sum.to_uppercase()).as_deref(), Some(sum));
        assert_eq!(found("x-linked-etag", "\"abc\""), None);
        assert_eq!(found("etag", &format!("\"{sum}\"")), None, "that may be anything");
    }

    #[test]
    fn files_come_over_safe_connections_unless_somebody_says_otherwise() {
        let checked = |url: &str, trust| check(&Url::parse(url).unwrap(), trust).is_ok();
        assert!(checked("https://host/x", Trust::Safe));
        assert!(checked("http://127.0.0.1:1/x", Trust::Safe));
        assert!(!checked("http://host/x", Trust::Safe));
        assert!(checked("http://host/x", Trust::Any));
        assert!(!checked("ftp://host/x", Trust::Any));
    }

    #[test]
    fn ranges_are_read() {
        let headers = |value: &str| HeaderMap::from_iter([(CONTENT_RANGE, value.parse().unwrap())]);
        assert_eq!(range(&headers("bytes 100-199/200")), Some((100, Some(200))));
        assert_eq!(range(&headers("bytes 100-199/*")), Some((100, None)));
        assert_eq!(range(&headers("lines 1-2/3")), None);
        assert_eq!(range_length(&headers("bytes */200")), Some(200));
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_comes() {
        let temp = tempfile::tempdir().unwrap();
        assert!(room(&temp.path().join("x"), 1).is_ok());
        let error = room(&temp.path().join("x"), u64::MAX).unwrap_err().to_string();
        assert!(error.starts_with("there is no room for it in"), "{error}");
    }
}
