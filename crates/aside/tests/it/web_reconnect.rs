//! The page when its daemon ends and another one starts: the open tab reconnects by itself, a program that takes over the port in
//! between learns and gains nothing, and a tab that was signed out stays out. In a real browser, with real daemons.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::browser::{Browser, ENTER};
use crate::harness::home::{self, ASIDE, Home};
use crate::harness::patience;

/// The state on disk by which later daemons recognise a tab.
const STATE: &str = ".local/state/aside/web.json";

fn workspace() -> Home {
    let home = Home::new();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/Makefile", "test:\n\t@echo 12 passed; echo once >> ran\n");
    home
}

fn link(home: &Home) -> String {
    let mut command = home.command(ASIDE);
    let said = home::run(command.args(["web", "--print"]).current_dir(home.path("project")), "");
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    said.stdout.trim().to_owned()
}

fn opened(home: &Home) -> Option<Browser> {
    let browser = Browser::start()?;
    browser.goes(&link(home)).shows(".empty", "Ask in plain words");
    is_known(home, 1);
    Some(browser)
}

#[track_caller]
fn eventually(what: &str, is: impl Fn() -> bool) {
    let deadline = Instant::now() + patience();
    while !is() {
        assert!(Instant::now() < deadline, "{what}: not in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until this many tabs are registered for the next daemon.
#[track_caller]
fn is_known(home: &Home, tabs: usize) {
    eventually("the tabs are known", || {
        let kept = std::fs::read(home.path(STATE)).unwrap_or_default();
        let kept: Value = serde_json::from_slice(&kept).unwrap_or_default();
        kept["tabs"].as_array().is_some_and(|known| known.len() == tabs)
    });
}

fn stops(home: &Home) {
    home.aside_does(&["daemon", "stop"]);
    eventually("the daemon ends", || !home.socket().exists());
}

fn host(browser: &Browser) -> String {
    browser.script("return location.host").as_str().unwrap().to_owned()
}

fn port(host: &str) -> u16 {
    host.rsplit(':').next().unwrap().parse().unwrap()
}

fn ran(home: &Home) -> usize {
    std::fs::read_to_string(home.path("project/ran")).unwrap_or_default().lines().count()
}

#[test]
fn web_return_an_open_tab_goes_on_with_the_next_daemon_and_no_words_are_lost() {
    let home = workspace();
    let Some(browser) = opened(&home) else { return };
    browser.clicks("#input").types("run the tests").types(ENTER);
    browser.shows(".card .command", "make test").clicks("#theme").clicks("#input").types("and then the docs");
    let before = host(&browser);
    let thread = browser.script("return location.hash");
    stops(&home);
    browser.shows("#link", "The daemon is away");
    browser.types(ENTER).shows("#trouble", "Your words are kept");
    home.aside_does(&["daemon", "start"]);
    browser.waits(&format!(
        "location.host != '{before}' && document.getElementById('input')?.value == 'and then the docs'"
    ));
    assert_eq!(port(&host(&browser)), port(&before), "the port is the same");
    assert_eq!(browser.script("return location.hash"), thread);
    assert_eq!(browser.script("return document.documentElement.dataset.theme"), "light");
    // The waiting proposal still waits, under another digest; and the approving tab is the one that asked.
    browser
        .shows(".trail", "asks again")
        .shows(".card .command", "make test")
        .clicks(".approve")
        .shows(".end", "exit 0");
    assert_eq!(ran(&home), 1);
    browser.shows(".trail", "approved by you");
    // It works repeatedly, and also when the daemon was killed.
    is_known(&home, 1);
    let before = host(&browser);
    let pid = home.aside_does(&["daemon", "status", "--json"]).stdout;
    let pid = serde_json::from_str::<Value>(&pid).unwrap()["pid"].as_i64().unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    browser.shows("#link", "The daemon is away");
    home.aside_does(&["daemon", "start"]);
    browser.waits(&format!("location.host != '{before}'")).shows(".end", "exit 0");
    browser.waits("document.getElementById('input').value == 'and then the docs'");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn web_return_every_window_comes_back_with_its_own_words() {
    let home = workspace();
    let Some(browser) = opened(&home) else { return };
    let first = browser.window();
    browser.clicks("#input").types("one");
    let place = browser.script("return location.href").as_str().unwrap().to_owned();
    let second = browser.opens_window();
    browser.goes(&place).shows(".empty", "Ask in plain words").clicks("#input").types("two");
    is_known(&home, 2);
    let before = host(&browser);
    stops(&home);
    home.aside_does(&["daemon", "start"]);
    for (window, words) in [(&second, "two"), (&first, "one")] {
        browser.turns_to(window);
        browser.waits(&format!("location.host != '{before}' && document.getElementById('input')?.value == '{words}'"));
        // The tab is fully connected: it receives updates.
        browser.waits("document.getElementById('where').value.endsWith('/project')");
    }
}

/// Another program on the page's port: sends the same reply to everything, and records the requests.
struct Squatter {
    port: u16,
    heard: Arc<Mutex<String>>,
    is_over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Squatter {
    fn on(port: u16, page: &'static str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        let (heard, is_over) = (Arc::new(Mutex::new(String::new())), Arc::new(AtomicBool::new(false)));
        let (hears, ends) = (Arc::clone(&heard), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
                let mut request = [0; 16384];
                let length = stream.read(&mut request).unwrap_or_default();
                // A browser preconnects, and would take a reply there for the reply to its next request.
                if length == 0 {
                    continue;
                }
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let (kind, body) = match request.starts_with("GET / ") {
                    true => ("text/html", page),
                    // As much as an attacker can know about the server's replies.
                    false => (
                        "application/json",
                        r#"{"nonce":"n","seal":"s","same":true,"tasks":[],"cwd":"/","by":"page 1"}"#,
                    ),
                };
                hears.lock().unwrap().push_str(&request);
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\nContent-Length: {}",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
            }
        });
        Self { port, heard, is_over, thread: Some(thread) }
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for Squatter {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        let _ = self.thread.take().unwrap().join();
    }
}

#[test]
fn web_return_whoever_takes_the_port_in_between_is_told_nothing_and_gains_nothing() {
    let home = workspace();
    let Some(browser) = opened(&home) else { return };
    let proof = browser.script("return localStorage.getItem('aside')").as_str().unwrap().to_owned();
    let before = host(&browser);
    stops(&home);
    browser.shows("#link", "The daemon is away");
    let squatter = Squatter::on(port(&before), "<!doctype html><title>his</title>");
    browser.shows("#link", "Another program has this page's port");
    // Nothing that the user writes here is sent to the squatter.
    browser.clicks("#input").types("the secret plan").types(ENTER).shows("#trouble", "Your words are kept");
    let heard = squatter.heard();
    assert!(heard.contains("/api/again?tab="), "{heard}");
    let told = heard.to_ascii_lowercase();
    assert!(!told.contains("cookie:") && !told.contains("x-aside") && !told.contains("secret"), "{heard}");
    // The squatter leaves, the daemon is back, and the tab reconnects.
    drop(squatter);
    home.aside_does(&["daemon", "start"]);
    browser
        .waits(&format!("location.host != '{before}' && document.getElementById('input')?.value == 'the secret plan'"));

    // This time the user loads the squatter's page at the old address: it has everything that a page there can have.
    is_known(&home, 1);
    let before = host(&browser);
    stops(&home);
    let squatter = Squatter::on(
        port(&before),
        "<!doctype html><title>his</title><script>window.stolen = {...localStorage}</script>",
    );
    browser.reloads().waits("document.title == 'his' && stolen.aside.length == 43");
    let stolen = browser.script("return stolen.aside").as_str().unwrap().to_owned();
    assert_ne!(stolen, proof);
    let heard = squatter.heard();
    let cookie =
        heard.lines().find_map(|line| line.to_ascii_lowercase().starts_with("cookie:").then(|| line[7..].trim()));
    let cookie = cookie.unwrap_or_else(|| panic!("no cookie in {heard}")).to_owned();
    drop(squatter);
    home.aside_does(&["daemon", "start"]);
    // From the squatter's page, which is still open, and from a program with everything that the squatter received.
    let tries = format!(
        "return (async () => {{ const all = [];
           for (const [path, how] of [['/api/task', {{method: 'POST', body: '{{\"op\":\"list\"}}'}}], ['/api/here', {{}}], ['/api/out', {{method: 'POST', body: '{{}}'}}],
             ['/api/again', {{method: 'POST', body: '{{\"tab\":\"\",\"nonce\":\"\",\"signature\":\"\"}}'}}], ['/app.js', {{}}], ['/', {{}}]])
             all.push((await fetch(path, {{...how, headers: {{'X-Aside': '{stolen}', ...(how.body ? {{'Content-Type': 'application/json'}} : {{}})}}}})).status);
           return all }})()"
    );
    eventually("the daemon serves again", || TcpStream::connect((Ipv4Addr::LOCALHOST, port(&before))).is_ok());
    let statuses = browser.script(&tries);
    assert!(statuses.as_array().unwrap().iter().all(|status| status.as_u64().unwrap() >= 400), "{statuses}");
    let new = link(&home);
    let ours = new.strip_prefix("http://").unwrap().split('/').next().unwrap();
    assert_ne!(ours, before, "a link leads to a name under which he can have left nothing");
    for host in [ours, &before] {
        let request = format!(
            "GET /api/here HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nX-Aside: {stolen}\r\nConnection: close\r\n\r\n"
        );
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port(ours))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answered = String::new();
        stream.read_to_string(&mut answered).unwrap();
        assert!(answered.starts_with("HTTP/1.1 4"), "{answered}");
    }
    // The squatter's host name is not served again, and the draft is not lost.
    browser.reloads().shows("body", "aside web");
    assert_eq!(browser.script("return document.querySelector('textarea').value"), "the secret plan");
}

#[test]
fn web_return_who_signs_out_is_out_and_stays_out() {
    let home = workspace();
    let Some(browser) = opened(&home) else { return };
    let Some(other) = Browser::start() else { return };
    other.goes(&link(&home)).shows(".empty", "Ask in plain words");
    is_known(&home, 2);
    browser.clicks("#keys").clicks("[data-op=out]").shows(".over", "You signed out");
    is_known(&home, 1);
    assert_eq!(browser.script("return localStorage.getItem('aside')"), Value::Null);
    browser.reloads().shows("body", "Run aside web in a terminal");
    // The other tab continues, until the user signs out in a terminal. It is notified at once.
    other.clicks("#input").types("half a");
    let said = home.aside_does(&["web", "--sign-out"]);
    assert_eq!(said.stdout, "one browser is signed out\n");
    other.shows(".over", "session is over");
    assert_eq!(other.script("return document.getElementById('input').value"), "half a");
    is_known(&home, 0);
    // A later daemon admits none of them either.
    let other = link(&home);
    browser.goes(&other).shows(".empty", "Ask in plain words");
    is_known(&home, 1);
    stops(&home);
    home.aside_does(&["web", "--sign-out"]);
    is_known(&home, 0);
    home.aside_does(&["daemon", "start"]);
    browser.shows("#link", "The daemon is away");
}
