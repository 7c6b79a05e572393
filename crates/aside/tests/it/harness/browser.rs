//! A headless Chromium, driven over WebDriver: JSON over plain HTTP to chromedriver, so no node is needed. Knows nothing about the page.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::harness::patience;

/// The key of an element reference, as the WebDriver standard defines it.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The narrowest possible window; narrower pages are shown by other means.
const NARROWEST: u32 = 700;
/// How often the driver may fail to start before the test fails.
const STARTS: usize = 4;
/// The longest excerpt of a page in a failure message.
const LONGEST_REPORT: usize = 4000;

pub struct Browser {
    driver: Child,
    /// The X server of a browser that needs one.
    screen: Option<Child>,
    port: u16,
    session: String,
    _home: tempfile::TempDir,
}

/// Non-letter keys, as WebDriver encodes them.
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";
pub const SHIFT: &str = "\u{e008}";
pub const CONTROL: &str = "\u{e009}";

impl Browser {
    /// `None` where there is no such browser and no way to get it; `make test` installs it on Debian.
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    pub fn start_with(flags: &[&str]) -> Option<Self> {
        let Some(program) = find("chromedriver") else {
            assert!(
                find("apt-get").is_none(),
                "there is no chromedriver; run: scripts/packages chromium chromium-driver"
            );
            eprintln!("skipped: there is no chromedriver, and no apt-get to install it");
            return None;
        };
        let home = tempfile::Builder::new().prefix("as-").tempdir().unwrap();
        let mut command = Command::new(program);
        command.arg("--port=0").env("HOME", home.path()).env("TMPDIR", home.path());
        command.env_remove("DBUS_SESSION_BUS_ADDRESS").env_remove("http_proxy").env_remove("HTTP_PROXY");
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // The port that it picks on one loopback address may be taken on the other; then it exits, and a retry picks another.
        let started = (0..STARTS).find_map(|_| {
            let mut driver = command.spawn().unwrap();
            let port = port(BufReader::new(driver.stdout.take().unwrap()));
            if port.is_none() {
                _ = driver.kill();
                _ = driver.wait();
            }
            Some((driver, port?))
        });
        let (driver, port) = started.expect("chromedriver did not say its port");
        let mut browser = Self { driver, screen: None, port, session: String::new(), _home: home };
        let mut arguments: Vec<&str> =
            "--headless=new --no-sandbox --disable-dev-shm-usage --disable-gpu --no-first-run \
             --disable-background-networking --disable-component-update --disable-sync --disable-default-apps \
             --no-proxy-server --force-color-profile=srgb --hide-scrollbars --lang=en-US --window-size=1280,860"
                .split_whitespace()
                .collect();
        arguments.extend(flags);
        let options = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "unhandledPromptBehavior": "ignore",
        }}});
        let made = browser.call("POST", "/session", &options);
        browser.session = made["sessionId"].as_str().unwrap().to_owned();
        Some(browser)
    }

    /// WebKit, as in Safari and GNOME's browser, on a virtual screen. `None` where it is not installed; `make soak` installs it.
    pub fn start_webkit() -> Option<Self> {
        let mini = std::fs::read_dir("/usr/lib").ok()?.flatten().find_map(|folder| {
            let mini = folder.path().join("webkit2gtk-4.1/MiniBrowser");
            mini.is_file().then_some(mini)
        });
        let (Some(program), Some(xvfb), Some(mini)) = (find("WebKitWebDriver"), find("Xvfb"), mini) else {
            eprintln!("skipped: run scripts/packages webkit2gtk-driver xvfb");
            return None;
        };
        let home = tempfile::Builder::new().prefix("as-").tempdir().unwrap();
        let mut screen = Command::new(xvfb);
        screen.args(["-displayfd", "1", "-screen", "0", "1280x860x24", "-nolisten", "tcp"]).process_group(0);
        let mut screen = screen.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut number = String::new();
        BufReader::new(screen.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let port = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.arg(format!("--port={port}")).env("DISPLAY", format!(":{}", number.trim()));
        command.env("HOME", home.path()).env("TMPDIR", home.path()).env("XDG_RUNTIME_DIR", home.path());
        // WebKit's own sandbox needs namespaces that a container lacks; there is no GPU either.
        command.env("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1").env("LIBGL_ALWAYS_SOFTWARE", "1");
        command.env_remove("DBUS_SESSION_BUS_ADDRESS").env_remove("http_proxy").env_remove("HTTP_PROXY");
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let driver = command.spawn().unwrap();
        let mut browser = Self { driver, screen: Some(screen), port, session: String::new(), _home: home };
        let deadline = Instant::now() + patience() * 3;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(Instant::now() < deadline, "WebKitWebDriver does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        let options = json!({"capabilities": {"alwaysMatch": {
            "webkitgtk:browserOptions": {"binary": mini, "args": ["--automation"]},
        }}});
        let made = browser.call("POST", "/session", &options);
        browser.session = made["sessionId"].as_str().unwrap().to_owned();
        Some(browser)
    }

    pub fn goes(&self, url: &str) -> &Self {
        self.post("/url", &json!({"url": url}));
        self
    }

    pub fn reloads(&self) -> &Self {
        self.post("/refresh", &json!({}));
        self
    }

    /// Runs the body of a function: `browser.script("return document.title")`.
    #[track_caller]
    pub fn script(&self, body: &str) -> Value {
        self.post("/execute/sync", &json!({"script": body, "args": []}))
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn waits(&self, expression: &str) -> &Self {
        let deadline = Instant::now() + patience() * 3;
        let asked = format!("try {{ return Boolean({expression}) }} catch (error) {{ return String(error) }}");
        loop {
            // A page that navigates away in the middle of it returns nothing.
            let path = format!("/session/{}/execute/sync", self.session);
            let is = self.try_call("POST", &path, &json!({"script": asked, "args": []})).unwrap_or_else(Value::from);
            if is == true {
                return self;
            }
            if Instant::now() > deadline {
                let page = self.script("return location.href + '\\n' + document.body.innerText");
                let page = page.as_str().unwrap_or_default();
                let cut = page.floor_char_boundary(page.len().min(LONGEST_REPORT));
                panic!("waited for {expression}, which is {is}; the page:\n{}\n{:#?}", &page[..cut], self.complaints());
            }
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Waits until the text of an element has these words.
    #[track_caller]
    pub fn shows(&self, css: &str, words: &str) -> &Self {
        self.waits(&format!(
            "[...document.querySelectorAll({})].some((one) => one.innerText.includes({}))",
            json!(css),
            json!(words)
        ))
    }

    /// Waits until no element matches.
    #[track_caller]
    pub fn lacks(&self, css: &str) -> &Self {
        self.waits(&format!("!document.querySelector({})", json!(css)))
    }

    #[track_caller]
    pub fn text(&self, css: &str) -> String {
        let text = self.script(&format!("return document.querySelector({})?.innerText ?? null", json!(css)));
        text.as_str().unwrap_or_else(|| panic!("there is no {css}")).to_owned()
    }

    /// A real click in the middle of the element, once it is there and enabled, and in its place for as long as it says that it needs.
    #[track_caller]
    pub fn clicks(&self, css: &str) -> &Self {
        let quoted = json!(css);
        self.waits(&format!("document.querySelector({quoted}) && !document.querySelector({quoted}).disabled"));
        // Scrolling moves it, so that it has to rest again.
        self.waits(&format!(
            "((one) => {{ if (!one?.dataset.steady) return true; const before = one.getBoundingClientRect().top; \
             one.scrollIntoView({{ block: 'nearest', behavior: 'instant' }}); \
             return before === one.getBoundingClientRect().top && one.dataset.steady === 'yes' \
             }})(document.querySelector({quoted}))"
        ));
        self.clicks_at_once(css)
    }

    /// A real click in the middle of the element, whatever it says.
    #[track_caller]
    pub fn clicks_at_once(&self, css: &str) -> &Self {
        let found = self.post("/element", &json!({"using": "css selector", "value": css}));
        let id = found[ELEMENT].as_str().unwrap();
        self.post(&format!("/element/{id}/click"), &json!({}));
        self
    }

    /// Sends keys to the focused element.
    #[track_caller]
    pub fn types(&self, text: &str) -> &Self {
        let letters = text.chars().map(String::from);
        let actions: Vec<Value> = letters
            .flat_map(|letter| [json!({"type": "keyDown", "value": letter}), json!({"type": "keyUp", "value": letter})])
            .collect();
        self.keys(&actions)
    }

    /// Presses a key while others are held: `browser.chord(&[CONTROL], "k")`.
    #[track_caller]
    pub fn chord(&self, held: &[&str], key: &str) -> &Self {
        let down = held.iter().chain([&key]).map(|key| json!({"type": "keyDown", "value": key}));
        let up = [&key].into_iter().chain(held.iter()).map(|key| json!({"type": "keyUp", "value": key}));
        let actions: Vec<Value> = down.chain(up).collect();
        self.keys(&actions)
    }

    fn keys(&self, actions: &[Value]) -> &Self {
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}));
        self
    }

    pub fn size(&self, width: u32, height: u32) -> &Self {
        self.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
        self.post("/window/rect", &json!({"x": 0, "y": 0, "width": width.max(NARROWEST), "height": height}));
        if width < NARROWEST {
            let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        }
        self
    }

    /// Emulates the system's colour scheme, `dark` or `light`.
    pub fn prefers(&self, scheme: &str) -> &Self {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.devtools("Emulation.setEmulatedMedia", &features)
    }

    pub fn devtools(&self, command: &str, params: &Value) -> &Self {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": params}));
        self
    }

    /// Opens and switches to another window of the same browser. Returns its handle.
    pub fn opens_window(&self) -> String {
        let handle = self.post("/window/new", &json!({"type": "window"}))["handle"].as_str().unwrap().to_owned();
        self.turns_to(&handle);
        handle
    }

    pub fn window(&self) -> String {
        self.get("/window").as_str().unwrap().to_owned()
    }

    pub fn turns_to(&self, window: &str) {
        self.post("/window", &json!({"handle": window}));
    }

    /// Writes a screenshot as a PNG file.
    pub fn picture(&self, path: &Path) {
        let encoded = self.get("/screenshot");
        std::fs::write(path, base64(encoded.as_str().unwrap())).unwrap();
    }

    /// The browser's complaints since the last call: script errors and violations of the page's policy, but not error statuses of a server.
    pub fn complaints(&self) -> Vec<String> {
        // Only Chromium reports them.
        if self.screen.is_some() {
            return Vec::new();
        }
        let entries = self.post("/se/log", &json!({"type": "browser"}));
        let severe = entries.as_array().unwrap().iter().filter(|entry| entry["level"] == "SEVERE");
        let messages = severe.map(|entry| entry["message"].as_str().unwrap().to_owned());
        messages.filter(|message| !message.contains("/api/") || !message.contains("Failed to load resource")).collect()
    }

    /// The addresses of everything that the pages requested since the last call.
    pub fn requested(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({"type": "performance"}));
        let messages = entries.as_array().unwrap().iter().filter_map(|entry| entry["message"].as_str());
        let events = messages.filter_map(|message| serde_json::from_str::<Value>(message).ok());
        let sent = events.filter(|event| event["message"]["method"] == "Network.requestWillBeSent");
        sent.filter_map(|event| Some(event["message"]["params"]["request"]["url"].as_str()?.to_owned())).collect()
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("/session/{}{path}", self.session), body)
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        self.call("GET", &format!("/session/{}{path}", self.session), &Value::Null)
    }

    #[track_caller]
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_call(method, path, body).unwrap_or_else(|error| panic!("{method} {path} {body}: {error}"))
    }

    /// Fails with the driver's error message.
    fn try_call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        // The first session may have to wait until the machine has time for a browser.
        stream.set_read_timeout(Some(patience().max(Duration::from_secs(20)) * 3)).unwrap();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let (status, answer) = answer(BufReader::new(stream));
        let value: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        match status {
            200 => Ok(value["value"].clone()),
            _ => Err(value["value"]["message"].to_string()),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.call("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        // Everything that it started is in its process group: a failing test leaves no browser behind.
        _ = rustix::process::kill_process_group(Pid::from_child(&self.driver), Signal::KILL);
        _ = self.driver.wait();
        if let Some(screen) = &mut self.screen {
            _ = screen.kill();
            _ = screen.wait();
        }
    }
}

fn find(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// `ChromeDriver was started successfully on port 41234.`
fn port(mut lines: impl BufRead) -> Option<u16> {
    let mut line = String::new();
    while lines.read_line(&mut line).is_ok_and(|count| count > 0) {
        let said = line.split("started successfully on port ").nth(1);
        if let Some(port) = said.and_then(|rest| rest.trim().trim_end_matches('.').parse().ok()) {
            return Some(port);
        }
        line.clear();
    }
    None
}

fn answer(mut reader: impl BufRead) -> (u16, String) {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status =
        line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no answer: {line:?}"));
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (status, String::from_utf8_lossy(&body).into_owned())
}

fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes() {
        let Some(value) = LETTERS.iter().position(|known| *known == letter) else { continue };
        bits = (bits << 6) | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).unwrap());
        }
    }
    out
}
