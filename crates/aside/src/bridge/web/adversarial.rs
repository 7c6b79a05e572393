//! Attacks on the page's server: a site in the user's browser, another user of this machine, or an attacker with a part of the secrets.
//! None may reach the daemon, open a session or read a secret.

use std::time::Duration;

use serde_json::json;

use super::tests::{Asking, Scene, Visit};
use super::{LIMITS, Limits};

/// The minimum number of attempts, so that a lost list is noticed.
const FEWEST: usize = 150;

struct Attempts<'a> {
    scene: &'a Scene,
    mine: Visit,
    other: Visit,
    made: Vec<(String, Vec<u8>)>,
}

impl Attempts<'_> {
    fn try_raw(&mut self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.made.push((name.to_owned(), bytes.into()));
    }

    fn attempt(&mut self, name: &str, asking: Asking) {
        self.try_raw(name, asking.spelled());
    }

    /// A request that would act if it were admitted.
    fn honest(&self) -> Asking {
        self.scene.post(&self.mine, &json!({"op": "approve", "taskId": "t1", "step": 1, "digest": "d"}))
    }

    /// Tries each value instead of the one that the page sends in that header.
    fn instead(&mut self, header: &str, values: &[&str]) {
        for value in values {
            self.attempt(&format!("{header}: {value}"), self.honest().but(header, value));
        }
    }
}

#[test]
fn nobody_but_the_page_gets_anything_done() {
    let scene = Scene::with(Limits { body: Duration::from_secs(2), head: Duration::from_secs(5), ..LIMITS });
    let (mine, other) = (scene.visit(), scene.visit());
    let mut attempts = Attempts { scene: &scene, mine, other, made: Vec::new() };
    without_the_session(&mut attempts);
    from_elsewhere(&mut attempts);
    under_another_name(&mut attempts);
    in_another_way(&mut attempts);
    for_other_files(&mut attempts);
    with_keys(&mut attempts);
    for_streams(&mut attempts);
    with_bodies(&mut attempts);
    smuggled(&mut attempts);
    let Attempts { mine, other, made, .. } = attempts;
    assert!(made.len() >= FEWEST, "only {} attempts", made.len());
    let secrets = [&mine.token, &mine.proof, &other.token, &other.proof];
    let mut succeeded = Vec::new();
    for (name, bytes) in &made {
        let got = scene.raw(bytes);
        let told = format!("{}\n{}", got.head, got.body);
        let leaks = secrets.iter().any(|secret| told.contains(secret.as_str())) || told.contains("set-cookie");
        if got.status < 400 && got.status != 0 || leaks || told.contains("access-control") || !scene.heard().is_empty()
        {
            succeeded.push(format!("{name}: {} {:?}", got.status, scene.heard()));
        }
        // Responses of our own, unlike those of the HTTP parser, must carry all security headers.
        let is_ours = !got.body.is_empty();
        if is_ours
            && !(told.contains("frame-ancestors 'none'") && told.contains("nosniff") && told.contains("no-store"))
        {
            succeeded.push(format!("{name}: bare headers in {told}"));
        }
    }
    assert!(succeeded.is_empty(), "{} of {}:\n{}", succeeded.len(), made.len(), succeeded.join("\n"));
    // The page's own request, from which all attempts were derived, succeeds.
    let honest = scene.post(&mine, &json!({"op": "approve", "taskId": "t1", "step": 1, "digest": "d"}));
    for honest in [
        honest.clone(),
        honest.clone().without("Sec-Fetch-Site"),
        honest.clone().but("Content-Type", "application/json; charset=UTF-8"),
        honest.clone().but("Cookie", &format!("x=1; aside-{}=nonsense; {}; y=2", scene.port, mine.cookie)),
    ] {
        let got = scene.ask(&honest);
        assert_eq!(got.status, 200, "{} {got:?}", honest.spelled());
    }
    assert_eq!(scene.heard().len(), 4);
}

fn without_the_session(attempts: &mut Attempts) {
    let (mine, other) = (attempts.mine.clone(), attempts.other.clone());
    let (port, token) = (attempts.scene.port, mine.token.clone());
    attempts.attempt("no cookie", attempts.honest().without("Cookie"));
    attempts.instead(
        "Cookie",
        &[
            "",
            &format!("aside={token}"),
            &format!("aside-{}={token}", port ^ 1),
            &format!("ASIDE-{port}={token}"),
            &format!("aside-{port}"),
            &format!("aside-{port}="),
            &format!("aside-{port}={}", &token[1..]),
            &format!("aside-{port}={}", &token[..42]),
            &format!("aside-{port}={token}A"),
            &format!("aside-{port}={}", token.to_ascii_uppercase()),
            &format!("aside-{port}=\"{token}\""),
            &format!("aside-{port}={}", mine.proof),
            &format!("aside-{port}={}", other.token),
            &format!("x=aside-{port}={token}"),
        ],
    );
    attempts.attempt("no proof: the cookie was sent to another port", attempts.honest().without("X-Aside"));
    attempts.instead("X-Aside", &["", &token, &other.proof, &mine.proof[1..], "null", "undefined", "1"]);
    attempts.attempt("two proofs", attempts.honest().with("X-Aside", &other.proof));
    attempts.attempt("the proof twice", attempts.honest().with("X-Aside", &mine.proof));
    let queried = Asking { path: format!("/api/task?x-aside={}", mine.proof), ..attempts.honest() };
    attempts.attempt("the proof in the address", queried.without("X-Aside"));
    attempts
        .attempt("the proof as authorization", attempts.honest().without("X-Aside").with("Authorization", &mine.proof));
    attempts.attempt(
        "the proof as a cookie",
        attempts.honest().without("X-Aside").with("Cookie", &format!("x-aside={}", mine.proof)),
    );
    for path in ["/", "/app.js", "/app.css", "/icon.svg", "/api/here"] {
        attempts.attempt(&format!("{path} with nothing"), attempts.scene.get(path));
        attempts.attempt(
            &format!("{path} with a guess"),
            attempts.scene.get(path).with("Cookie", &format!("aside-{port}=x")),
        );
    }
    attempts.attempt("/api/here without the proof", attempts.scene.get("/api/here").with("Cookie", &mine.cookie));
}

fn from_elsewhere(attempts: &mut Attempts) {
    let (port, host) = (attempts.scene.port, attempts.scene.host.clone());
    let name = host.split(':').next().unwrap();
    attempts.attempt("no origin", attempts.honest().without("Origin"));
    attempts.instead(
        "Origin",
        &[
            "null",
            "",
            "*",
            "file://",
            "https://evil.example",
            "http://127.0.0.1",
            "http://localhost",
            &format!("http://{name}:{}", port ^ 1),
            &format!("https://{host}"),
            &format!("http://localhost:{port}"),
            &format!("http://[::1]:{port}"),
            &format!("http://{host}/"),
            &format!("http://{host}.evil.example"),
            &format!("http://{host}@evil.example"),
            &format!("http://evil.example#{host}"),
            &format!("http://evil.{host}"),
            &host,
            &format!("HTTP://{host}"),
            &format!("http://{host} http://evil.example"),
        ],
    );
    let ours = format!("http://{host}");
    attempts.attempt("two origins", attempts.honest().with("Origin", "https://evil.example"));
    attempts.attempt("ours twice", attempts.honest().with("Origin", &ours));
    attempts.attempt("a referrer instead", attempts.honest().without("Origin").with("Referer", &ours));
    attempts.instead("Sec-Fetch-Site", &["cross-site", "same-site", "none", "", "Same-Origin"]);
    attempts.attempt("two sites", attempts.honest().with("Sec-Fetch-Site", "cross-site"));
    attempts.attempt("no type", attempts.honest().without("Content-Type"));
    attempts.instead(
        "Content-Type",
        &[
            "text/plain",
            "text/plain;charset=UTF-8",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain; application/json",
            "application/json, text/plain",
            "application/json; text/plain",
            "application/json-patch+json",
            "application/json; charset=utf-16",
            "text/json",
            "*/*",
        ],
    );
    attempts.attempt("two types", attempts.honest().with("Content-Type", "text/plain"));
    // A form that a site makes the browser submit: the cookie goes along from another port.
    let form =
        attempts.honest().without("X-Aside").but("Origin", "http://127.0.0.1:1").but("Content-Type", "text/plain");
    attempts.attempt("a form of another port", form.but("Sec-Fetch-Site", "same-site"));
    let preflight = attempts.honest().without("Content-Type").but("Origin", "https://evil.example");
    let preflight =
        preflight.with("Access-Control-Request-Method", "POST").with("Access-Control-Request-Headers", "x-aside");
    let preflight = preflight.with("Access-Control-Request-Private-Network", "true");
    attempts.attempt("asking whether it may", Asking { method: "OPTIONS".into(), body: String::new(), ..preflight });
}

fn under_another_name(attempts: &mut Attempts) {
    let (port, host) = (attempts.scene.port, attempts.scene.host.clone());
    let name = host.split(':').next().unwrap();
    attempts.attempt("no host", attempts.honest().without("Host"));
    let hosts = [
        "".to_owned(),
        "127.0.0.1".into(),
        "localhost".into(),
        name.to_owned(),
        format!("{name}:{}", port ^ 1),
        format!("localhost:{port}"),
        format!("{name}.:{port}"),
        host.to_ascii_uppercase(),
        format!("aside-{}.localhost:{port}", "a".repeat(24)),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("evil.localhost:{port}"),
        format!("localhost.:{port}"),
        format!("LOCALHOST:{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f000001:{port}"),
        format!("0.0.0.0:{port}"),
        format!("127.0.0.2:{port}"),
        format!("[::1]:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("{name}:0{port}"),
        format!("{host},evil.example"),
        format!("user@{host}"),
        format!("evil.{host}"),
    ];
    for host in hosts {
        // After DNS rebinding the foreign page is of one origin with its request, and the browser says so.
        let rebound = attempts.honest().but("Host", &host).but("Origin", &format!("http://{host}"));
        attempts.attempt(&format!("host {host}"), rebound);
        let read = attempts.scene.read(&attempts.mine, "/api/here").but("Host", &host);
        attempts.attempt(&format!("reading from host {host}"), read);
    }
    attempts.attempt("two hosts", attempts.honest().with("Host", "evil.example"));
    let ours = host.clone();
    attempts.attempt("ours twice", attempts.honest().with("Host", &ours));
    for header in ["X-Forwarded-Host", "Forwarded", "X-Host"] {
        attempts.attempt(header, attempts.honest().but("Host", "evil.example").with(header, &ours));
    }
    for address in [format!("http://{host}/api/task"), format!("http://evil.example:{port}/api/task")] {
        attempts.attempt(&address, Asking { path: address.clone(), ..attempts.honest() });
    }
    let bound = format!("http://{host}/?key={}", attempts.scene.key());
    attempts.attempt("a key, as a proxy is asked", Asking { path: bound, ..attempts.scene.get("/") });
}

fn in_another_way(attempts: &mut Attempts) {
    for method in ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "GET", "post", "QUERY"] {
        attempts.attempt(method, Asking { method: method.into(), ..attempts.honest() });
    }
    let read = attempts.scene.read(&attempts.mine, "/api/task");
    attempts.attempt("read", read.clone());
    for header in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"] {
        attempts.attempt(header, read.clone().with(header, "POST"));
    }
    attempts.attempt("HEAD /", Asking { method: "HEAD".into(), ..attempts.scene.read(&attempts.mine, "/") });
    attempts.attempt("OPTIONS *", Asking { method: "OPTIONS".into(), ..attempts.scene.read(&attempts.mine, "*") });
    for path in [
        "/",
        "/api",
        "/api/",
        "/api/here",
        "/api/watch",
        "/api/follow",
        "/api/task/",
        "//api/task",
        "/API/task",
        "/api/Task",
        "/./api/task",
        "/x/../api/task",
        "/api/x/../task",
        "/%61pi/task",
        "/api%2ftask",
        "/api/task%00",
        "/api/task;x",
        "api/task",
    ] {
        attempts.attempt(&format!("sent to {path}"), Asking { path: path.into(), ..attempts.honest() });
    }
}

fn for_other_files(attempts: &mut Attempts) {
    for path in [
        "/index.html",
        "/web/app.js",
        "/../Cargo.toml",
        "/../../../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/Cargo.toml",
        "/..\\..\\etc\\passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/app.js/",
        "/app.js/../app.css",
        "/./app.js",
        "//app.js",
        "/app.js%00",
        "/app.js%00.html",
        "/APP.JS",
        "/app.js.map",
        "/.git/config",
        "/aside.sock",
        "/proc/self/environ",
        "/api/../app.js",
        "/favicon.ico",
    ] {
        let asking = attempts.scene.read(&attempts.mine, path);
        attempts.attempt(&format!("file {path}"), asking);
    }
    for site in ["cross-site", "same-site", "none"] {
        let asking = attempts.scene.read(&attempts.mine, "/app.js").but("Sec-Fetch-Site", site);
        attempts.attempt(&format!("a script for a page that is {site}"), asking);
    }
    for place in ["iframe", "frame", "embed", "object", "image", "empty"] {
        let asking = attempts.scene.read(&attempts.mine, "/").with("Sec-Fetch-Dest", place);
        attempts.attempt(&format!("the page as {place}"), asking);
    }
}

fn with_keys(attempts: &mut Attempts) {
    let scene = attempts.scene;
    let used = scene.key();
    assert_eq!(scene.ask(&scene.get(&format!("/?key={used}"))).status, 200);
    let fresh = scene.key();
    let guess = "A".repeat(43);
    for query in [
        format!("key={used}"),
        format!("key={guess}"),
        "key=".to_owned(),
        format!("key={fresh}&key={fresh}"),
        format!("key={guess}&key={fresh}"),
        format!("key={}", &fresh[..42]),
        format!("key={fresh}x"),
        format!("key=%{:02x}{}", fresh.as_bytes()[0], &fresh[1..]),
        format!("key={fresh}%00"),
        format!("KEY={fresh}"),
        format!("key[]={fresh}"),
    ] {
        attempts.attempt(&query, scene.get(&format!("/?{query}")));
    }
    let with_it = |path: &str| scene.get(&format!("{path}?key={fresh}"));
    attempts.attempt("a key for a file", with_it("/app.js"));
    attempts.attempt("a key instead of a session", with_it("/api/here"));
    attempts.attempt("a key under another name", with_it("/").but("Host", &format!("evil.example:{}", scene.port)));
    attempts.attempt("a key in a frame", with_it("/").with("Sec-Fetch-Dest", "iframe"));
    attempts.attempt("a key ahead of time", with_it("/").with("Sec-Purpose", "prefetch;prerender"));
    attempts.attempt("a key ahead of time, as it was", with_it("/").with("Purpose", "prefetch"));
    attempts.attempt("a key that is sent", Asking { method: "POST".into(), ..with_it("/") });
    attempts.attempt("a key that is looked at", Asking { method: "HEAD".into(), ..with_it("/") });
    attempts.attempt("a key as a cookie", scene.get("/").with("Cookie", &format!("aside-{}={fresh}", scene.port)));
}

fn for_streams(attempts: &mut Attempts) {
    let (scene, mine) = (attempts.scene, attempts.mine.clone());
    for path in ["/api/watch?task=t1", "/api/follow"] {
        let honest = scene.read(&mine, path);
        let mark = if path.contains('?') { '&' } else { '?' };
        attempts.attempt("no cookie", honest.clone().without("Cookie"));
        attempts.attempt("no proof", honest.clone().without("X-Aside"));
        attempts.attempt("another's proof", honest.clone().but("X-Aside", &attempts.other.proof.clone()));
        let queried = Asking { path: format!("{path}{mark}x-aside={}", mine.proof), ..honest.clone() };
        attempts.attempt("the proof in the address", queried.without("X-Aside"));
        for site in ["cross-site", "same-site", "none"] {
            attempts.attempt(site, honest.clone().but("Sec-Fetch-Site", site));
        }
        for origin in ["null", "https://evil.example", &format!("http://127.0.0.1:{}", scene.port ^ 1)] {
            attempts.attempt(origin, honest.clone().with("Origin", origin));
        }
        attempts.attempt("rebound", honest.clone().but("Host", &format!("evil.example:{}", scene.port)));
        attempts.attempt("with a body", Asking { body: "{}".into(), ..honest.clone() });
        attempts.attempt("sent", Asking { method: "POST".into(), ..honest });
    }
    for query in [
        "",
        "task=",
        "task=../t1",
        "task=t1%0a",
        "task=t1&task=t2",
        "task=t1&from=-1",
        "task=t1&from=x",
        "task=t1&from=99999999999999999999999",
    ] {
        attempts.attempt(&format!("watch?{query}"), scene.read(&mine, &format!("/api/watch?{query}")));
    }
    attempts.attempt("too many of them", scene.read(&mine, "/api/follow?limit=99999999999"));
}

fn with_bodies(attempts: &mut Attempts) {
    for body in [
        "",
        "null",
        "[]",
        "{}",
        "1",
        "\"approve\"",
        r#"{"op":"watch","taskId":"t1"}"#,
        r#"{"op":"follow"}"#,
        r#"{"op":"page"}"#,
        r#"{"op":"stop"}"#,
        r#"{"op":null}"#,
        r#"{"op":["approve"]}"#,
        r#"{"type":"stop"}"#,
        r#"{"OP":"approve"}"#,
        r#"{"op":"list","op":"approve"}"#,
        r#"{"op":"approve","taskId":"a","taskId":"b"}"#,
        r#"{"op":"approve"}{"op":"approve"}"#,
        "{\"op\":\"approve\"}\n{\"type\":\"stop\"}",
        "op=approve",
        "{'op':'approve'}",
        r#"{"op":"approve","step":-1}"#,
        r#"{"op":"approve","step":"1"}"#,
        r#"{"op":"approve","taskId":["t1"]}"#,
        r#"{"op":"approve","environment":{"A":"b"}}"#,
        "\u{feff}{\"op\":\"approve\"}",
        "{\"op\":\"approve\",\"text\":\"\u{0}\"}",
    ] {
        attempts.attempt(&format!("body {body}"), Asking { body: body.into(), ..attempts.honest() });
    }
    let deep = format!("{}{}", r#"{"op":"list","x":"#.repeat(5000), "}".repeat(5000));
    attempts.attempt("a deep body", Asking { body: deep, ..attempts.honest() });
    let long = format!(r#"{{"op":"ask","text":"{}"}}"#, "x".repeat(1024 * 1024));
    attempts.attempt("a long body", Asking { body: long.clone(), ..attempts.honest() });
    let chunked = attempts.honest().with("Transfer-Encoding", "chunked");
    let head = Asking { body: String::new(), ..chunked }.spelled();
    attempts.try_raw("a long body in chunks", format!("{head}{:x}\r\n{long}\r\n0\r\n\r\n", long.len()));
    attempts.try_raw("a chunk without an end", format!("{head}ffffffffffffffff\r\n{{}}"));
    for packed in ["gzip", "br", "identity"] {
        attempts.attempt(packed, attempts.honest().with("Content-Encoding", packed));
    }
    let head = Asking { body: String::new(), ..attempts.honest().with("Content-Length", "1099511627776") }.spelled();
    attempts.try_raw("a body of a terabyte", head);
}

fn smuggled(attempts: &mut Attempts) {
    let honest = attempts.honest();
    let whole = honest.spelled();
    let bare = Asking { body: String::new(), ..honest.clone() };
    let both = bare.clone().with("Content-Length", "4").with("Transfer-Encoding", "gzip, identity").spelled();
    attempts.try_raw("a coding that is none", format!("{both}{}", honest.body));
    let two = bare.clone().with("Content-Length", "4").with("Content-Length", &honest.body.len().to_string()).spelled();
    attempts.try_raw("two lengths", format!("{two}{}", honest.body));
    for length in ["+84", "-1", "0x54", "84, 4", "18446744073709551616"] {
        let head = bare.clone().with("Content-Length", length).spelled();
        attempts.try_raw(&format!("a length of {length}"), format!("{head}{}", honest.body));
    }
    // A request inside the body of a refused one, or behind it, must not count as another request (request smuggling).
    for refused in [
        honest.clone().without("Origin"),
        honest.clone().but("Host", "evil.example"),
        honest.clone().but("Content-Type", "text/plain"),
    ] {
        let kept = refused.without("Connection");
        attempts.attempt("in a body", Asking { body: whole.clone(), ..kept.clone() });
        attempts.try_raw("behind one", format!("{}{whole}", kept.spelled()));
    }
    let get = attempts.scene.get("/").without("Connection").with("Content-Length", &whole.len().to_string()).spelled();
    attempts.try_raw("in the body of what has none", format!("{get}{whole}"));
    attempts.try_raw("a blank before the colon", whole.replacen("Origin:", "Origin :", 1));
    attempts.try_raw(
        "a folded header",
        whole.replacen("Origin: ", "Origin:\r\n ", 1).replacen("http://127", "\r\n http://127", 1),
    );
    attempts.try_raw("no version", whole.replacen(" HTTP/1.1", "", 1));
    attempts.try_raw("version 2", whole.replacen("HTTP/1.1", "HTTP/2.0", 1));
    attempts.try_raw("the preface of version 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    attempts.try_raw("a NUL in a header", whole.replacen("X-Aside: ", "X-Aside: \0", 1));
    attempts.try_raw("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".as_slice());
    attempts.attempt("a long header", honest.clone().with("X-Long", &"x".repeat(20 * 1024)));
    let many = (0..100).fold(honest.clone(), |asking, number| asking.with(&format!("X-{number}"), "x"));
    attempts.attempt("many headers", many);
    attempts.attempt("a long address", Asking { path: format!("/api/task?{}", "x".repeat(100 * 1024)), ..honest });
}
