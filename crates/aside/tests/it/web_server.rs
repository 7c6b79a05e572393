//! The page's server behind a real daemon: `aside web`, what its link opens, and what a page on another port can do to it in a real
//! browser. The page itself is covered in `web_page` and `web_live`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::browser::Browser;
use crate::harness::home::Home;
use crate::harness::patience;
use crate::harness::tasks::{ShownProposal, TaskClient};

/// A minimal browser: it has opened the link and keeps its cookie and secrets.
struct Visit {
    port: u16,
    /// The page's host name and port.
    host: String,
    cookie: String,
    proof: String,
}

impl Visit {
    fn new(link: &str) -> Self {
        let rest = link.strip_prefix("http://").unwrap_or_else(|| panic!("{link}"));
        let (host, path) = rest.split_once('/').unwrap();
        let port = host.split(':').nth(1).unwrap().parse().unwrap();
        let host = host.to_owned();
        // When the tests run as root, a running command of another scene keeps the page closed.
        let get = |path: &str| {
            let deadline = Instant::now() + patience();
            loop {
                let answer =
                    exchange(port, &format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
                if !answer.contains("could press buttons here") || Instant::now() >= deadline {
                    return answer;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        };
        let first = get(path);
        // A link takes two requests.
        let (_, again) = first.split_once("url=/").unwrap_or_else(|| panic!("{first}"));
        let opened = get(&again.split('"').next().unwrap().replace("&amp;", "&"));
        assert!(opened.starts_with("HTTP/1.1 200"), "{opened}");
        let behind = |mark: &str, end: char| {
            let (_, found) = opened.split_once(mark).unwrap_or_else(|| panic!("no {mark} in {opened}"));
            found.split(end).next().unwrap().to_owned()
        };
        Self { port, host, cookie: behind("set-cookie: ", ';'), proof: behind("url=/#k=", '"') }
    }

    fn head(&self, first: &str) -> String {
        let Self { host, cookie, proof, .. } = self;
        format!(
            "{first} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nX-Aside: {proof}\r\n\
             Content-Type: application/json\r\nConnection: close\r\n"
        )
    }

    /// The status and the reply.
    #[track_caller]
    fn says(&self, message: &Value) -> (String, Value) {
        let (status, answer) = self.sends(message, "");
        match status.as_str() {
            // Actions reserved for the user need a second, confirmed request.
            "428" => self.sends(message, &format!("X-Aside-Again: {}\r\n", answer["again"].as_str().unwrap())),
            _ => (status, answer),
        }
    }

    #[track_caller]
    fn sends(&self, message: &Value, more: &str) -> (String, Value) {
        let body = message.to_string();
        let head = self.head("POST /api/task");
        let answered = exchange(self.port, &format!("{head}{more}Content-Length: {}\r\n\r\n{body}", body.len()));
        let (head, body) = answered.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answered}"));
        let status = head.split(' ').nth(1).unwrap().to_owned();
        (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answered}")))
    }

    /// The events of a task, until it reaches one of these states.
    #[track_caller]
    fn watches(&self, task: &str, states: &[&str]) -> Vec<Value> {
        let mut stream = connect(self.port);
        // A stream has no length and no body to send.
        let head = self.head(&format!("GET /api/watch?task={task}&from=0"));
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let mut events = Vec::new();
        for line in BufReader::new(stream).lines() {
            let line = line.unwrap_or_else(|error| panic!("{error} behind {events:#?}"));
            let Some(event) = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok())
            else {
                continue;
            };
            events.push(event);
            let state = events[events.len() - 1]["state"].as_str().unwrap_or_default();
            if states.contains(&state) {
                return events;
            }
        }
        panic!("it ended: {events:#?}")
    }
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_read_timeout(Some(patience())).unwrap();
    stream
}

fn exchange(port: u16, request: &str) -> String {
    let mut stream = connect(port);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answered = String::new();
    stream.read_to_string(&mut answered).unwrap_or_else(|error| panic!("{error} behind {answered}"));
    answered
}

/// The commands under `What goes over HTTP`, as they are written there.
#[test]
fn web_server_the_example_of_the_documentation_works() {
    if !std::process::Command::new("curl").arg("--version").output().is_ok_and(|said| said.status.success()) {
        eprintln!("skipped: there is no curl");
        return;
    }
    let docs = include_str!("../../../../docs/web.md");
    let (_, example) = docs.split_once("```\nlink=").expect("an example");
    let example = format!("link={}", example.split("```").next().unwrap());
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut ada = TaskClient::at(&home, &home.path("project"));
    ada.asks("run `echo one`");
    // When the tests run as root, a running command of another scene keeps the page closed.
    let deadline = Instant::now() + patience();
    loop {
        let said = crate::harness::home::run(home.command("/bin/sh").args(["-c", &example]), "");
        let told: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
        if told["tasks"][0]["text"] == "run `echo one`" {
            return;
        }
        assert!(Instant::now() < deadline, "{told}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn home() -> Home {
    let mut home = Home::new();
    home.set_env("SHELL", "/bin/bash");
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home
}

/// Runs `aside web` in the project.
fn link(home: &Home) -> String {
    let mut command = home.command(crate::harness::home::ASIDE);
    let said = crate::harness::home::run(command.args(["web", "--print"]).current_dir(home.path("project")), "");
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{}", said.stdout);
    said.stdout.trim_end().to_owned()
}

/// A command may see the link of a page that is being opened: in the arguments of a browser, on a screen. The link works for the
/// user, and not for the command.
#[cfg(target_os = "linux")]
#[test]
fn web_server_a_command_that_saw_the_link_cannot_open_the_page() {
    let home = home();
    home.write(
        "project/opens.zsh",
        "zmodload zsh/net/tcp || exit 9\nztcp 127.0.0.1 $1 || exit 8\nfd=$REPLY\n\
         print -n -u $fd -- $'GET /?key='$2$' HTTP/1.1\\r\\nHost: '$3$'\\r\\nConnection: close\\r\\n\\r\\n'\n\
         while read -r -t 10 -u $fd line; do print -r -- $line; done\n",
    );
    let link = link(&home);
    let (host, key) = link.strip_prefix("http://").and_then(|rest| rest.split_once("/?key=")).unwrap();
    let (_, port) = host.rsplit_once(':').unwrap();
    let mut ada = TaskClient::at(&home, &home.path("project"));
    let task = ada.asks(&format!("run `zsh -f opens.zsh {port} {key} {host}`"));
    ada.rests(&task);
    let shown: ShownProposal = ada.sees(&task);
    ada.approves(&shown);
    ada.ends(&task);
    let log = std::fs::read_to_string(home.path(&format!(".local/state/aside/tasks/{task}.jsonl"))).unwrap();
    assert!(log.contains("HTTP/1.1 403") && log.contains("could press buttons here"), "{log}");
    assert!(!log.contains("set-cookie"), "{log}");
    // Nor did the attempt use up the link.
    let (status, _) = Visit::new(&link).says(&json!({"op": "list"}));
    assert_eq!(status, "200");
}

/// Connections of another user take no slot, however many there are.
#[cfg(target_os = "linux")]
#[test]
fn web_server_another_user_cannot_lock_the_user_out() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not tried: only root can be another user");
        return;
    }
    let home = home();
    let visit = Visit::new(&link(&home));
    let floods = format!(
        "zmodload zsh/net/tcp || exit 9; repeat 300; do ztcp 127.0.0.1 {} || exit 8; done; print flooded; sleep 60",
        visit.port
    );
    let mut stranger = std::process::Command::new("setpriv");
    stranger.args(["--reuid=65534", "--regid=65534", "--clear-groups", "zsh", "-fc", &floods]);
    let mut stranger = stranger.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(stranger.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "flooded\n");
    for _ in 0..3 {
        assert_eq!(visit.says(&json!({"op": "list"})).0, "200");
    }
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn web_server_a_command_is_asked_for_seen_and_approved_once_from_a_page() {
    let home = home();
    home.write("project/frobnicate", "#!/bin/sh\necho once >>made\necho done\n");
    // Also starts the daemon.
    let (one, two) = (Visit::new(&link(&home)), Visit::new(&link(&home)));
    let (status, asked) =
        one.says(&json!({"op": "ask", "text": "run `./frobnicate`", "environment": ["PATH=/nowhere"]}));
    assert_eq!(status, "200", "{asked}");
    let brief = &asked["tasks"][0];
    assert_eq!((&brief["source"], brief["workspace"].as_str()), (&json!("local_ui"), home.path("project").to_str()));
    let task = brief["taskId"].as_str().unwrap();
    one.watches(task, &["WAITING_APPROVAL"]);
    let (_, shown) = two.says(&json!({"op": "show", "taskId": task}));
    let shown = ShownProposal::of(&shown["offer"]).unwrap();
    assert_eq!(shown.row("command"), ["./frobnicate"]);
    assert!(!home.path("project/made").exists());
    let mut approve = shown.answer("somebody else");
    approve["op"] = json!("approve");

    let mut forged = approve.clone();
    forged["digest"] = json!("0".repeat(64));
    let (status, refused) = two.says(&forged);
    assert_eq!((status.as_str(), &refused["error"]["code"]), ("409", &json!("refused")), "{refused}");
    // Both pages and a terminal at once: the daemon accepts a single approval.
    let answers: Vec<String> = std::thread::scope(|scope| {
        let pages = [&one, &two].map(|page| scope.spawn(|| page.says(&approve).0));
        let terminal =
            scope.spawn(|| match TaskClient::at(&home, &home.path("project")).approves(&shown)["type"].as_str() {
                Some("task") => "200".to_owned(),
                _ => "409".to_owned(),
            });
        pages.into_iter().chain([terminal]).map(|answer| answer.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|status| *status == "200").count(), 1, "{answers:?}");
    let events = one.watches(task, &["COMPLETED", "FAILED"]);
    assert_eq!(events.last().unwrap()["state"], "COMPLETED", "{events:#?}");
    let output: String = events.iter().filter_map(|event| event["chunk"].as_str()).collect();
    assert_eq!(output, "done\n");
    assert_eq!(home.read("project/made"), "once\n");
    let log = home.read(&format!(".local/state/aside/tasks/{task}.jsonl"));
    assert!(!log.contains("somebody else"), "a page does not say who it is: {log}");
    let secrets = [&one.cookie, &one.proof, &two.cookie, &two.proof];
    let told = log + &std::fs::read_to_string(home.daemon_log()).unwrap_or_default();
    assert!(!secrets.iter().any(|secret| told.contains(secret.as_str())), "a secret is written down");
}

#[test]
fn web_server_a_page_does_not_keep_the_daemon_and_ends_with_it() {
    let home = home();
    let visit = Visit::new(&link(&home));
    let mut stream = connect(visit.port);
    stream.write_all(format!("{}\r\n", visit.head("GET /api/follow")).as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with("data: ") {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "it ended");
    }
    home.aside_does(&["daemon", "stop"]);
    let mut rest = Vec::new();
    let _ = reader.read_to_end(&mut rest);
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, visit.port)).is_err(), "somebody still listens");
    // Another daemon has the same port under another host name, and accepts none of the old secrets.
    let next = Visit::new(&link(&home));
    assert_eq!(next.port, visit.port);
    assert_ne!(next.host, visit.host);
    assert_eq!(visit.says(&json!({"op": "list"})).0, "421");
    let old = Visit { host: next.host.clone(), ..visit };
    assert_eq!(old.says(&json!({"op": "list"})).0, "401");
}

#[test]
fn web_server_the_browser_is_opened_where_somebody_sits_in_front_of_it() {
    let mut home = home();
    home.write("bin/xdg-open", "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/opened\"\n");
    home.set_env("PATH", &format!("{}:/usr/bin:/bin", home.path("bin").display()));
    let said = home.aside_does(&["web"]);
    assert!(said.stdout.starts_with("there is no screen here"), "{}", said.stdout);
    let said = home.aside_does(&["web", "--no-open"]);
    assert!(said.stdout.starts_with("open this link"), "{}", said.stdout);
    home.set_env("DISPLAY", ":0");
    home.set_env("SSH_CONNECTION", "198.51.100.7 50123 203.0.113.5 2222");
    let said = home.aside_does(&["web"]);
    let port = said.stdout.split(":127.0.0.1:").nth(1).unwrap().split(' ').next().unwrap();
    let tunnel = format!("  ssh -N -L {port}:127.0.0.1:{port} -p 2222 somebody@203.0.113.5\n");
    assert!(said.stdout.contains(&tunnel), "{}", said.stdout);
    assert!(!home.path("opened").exists(), "a browser was opened where nobody sees it");

    home.set_env("SSH_CONNECTION", "");
    let said = home.aside_does(&["web"]);
    let told = said.stdout.lines().last().unwrap().trim();
    let opened = home.read("opened");
    // Every process can read the arguments of a browser, so it is given a file that redirects to the link.
    assert!(!opened.contains("key="), "{opened}");
    let file = opened.trim();
    assert!(std::fs::read_to_string(file).unwrap().contains(told), "{opened}");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    Visit::new(told);
    assert!(!std::path::Path::new(file).exists(), "it was used");

    // A sandboxed browser could not read the file.
    home.write(".local/share/flatpak/exports/share/applications/org.mozilla.firefox.desktop", "");
    home.write("bin/xdg-settings", "#!/bin/sh\necho org.mozilla.firefox.desktop\n");
    std::fs::remove_file(home.path("opened")).unwrap();
    let said = home.aside_does(&["web"]);
    assert!(said.stdout.starts_with("your browser cannot read") && !home.path("opened").exists(), "{}", said.stdout);
    home.write("bin/xdg-settings", "#!/bin/sh\nexit 2\n");

    home.write("bin/xdg-open", "#!/bin/sh\nexit 3\n");
    let said = home.aside(&["web"]);
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("no browser could be opened") && said.stdout.contains("/?key="), "{said:?}");

    let home = self::home();
    home.write(".config/aside/config.toml", "[task]\nenabled = false\n");
    let said = home.aside(&["web"]);
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("task.enabled"), "{}", said.stderr);
}

/// A page on another port, and everything that its server receives.
fn stranger(page: String) -> (u16, Arc<Mutex<String>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Arc::new(Mutex::new(String::new()));
    let hears = Arc::clone(&heard);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            // A browser opens connections in advance.
            let _ = stream.set_read_timeout(Some(std::time::Duration::from_millis(300)));
            let mut request = [0; 8192];
            let length = stream.read(&mut request).unwrap_or_default();
            hears.lock().unwrap().push_str(&String::from_utf8_lossy(&request[..length]));
            let length = page.len();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {length}");
            let _ = stream.write_all(format!("{head}\r\n\r\n{page}").as_bytes());
        }
    });
    (port, heard)
}

#[test]
fn web_server_a_page_of_another_port_gets_the_cookie_and_nothing_for_it() {
    let home = home();
    let Some(browser) = Browser::start() else { return };
    // As from the redirecting file: to a browser, another site.
    let file = home.path("leads.html");
    std::fs::write(&file, format!("<meta http-equiv=\"refresh\" content=\"0;url={}\">", link(&home))).unwrap();
    browser.goes(&format!("file://{}", file.display()));
    browser.waits("location.protocol === 'http:' && location.pathname === '/' && !location.search && !location.hash");
    browser.waits("document.querySelector('script[src]') && localStorage.getItem('aside')?.length === 43");
    let ours = browser.script("return location.host").as_str().unwrap().to_owned();
    let here = "return await (await fetch('/api/here', {headers: {'X-Aside': localStorage.getItem('aside')}})).json()";
    let here = browser.script(&format!("return (async () => {{ {here} }})()"));
    assert_eq!(here["cwd"].as_str(), home.path("project").to_str(), "{here}");
    let proof = browser.script("return localStorage.getItem('aside')").as_str().unwrap().to_owned();

    let page = format!(
        r#"<!doctype html><title>other</title>
        <form id="form" action="http://{ours}/api/task" method="post" enctype="text/plain" target="frame">
        <input name='{{"op":"ask","text":"run `touch stolen`","x":"' value='"}}'></form>
        <iframe name="frame"></iframe><iframe id="framed" src="http://{ours}/"></iframe>
        <script>
        window.tried = [];
        const tell = (what) => (answer) => tried.push([what, answer]);
        const body = JSON.stringify({{op: "ask", text: "run `touch stolen`"}});
        const post = (how) => fetch("http://{ours}/api/task", {{method: "POST", credentials: "include", body, ...how}})
          .then(async (answer) => "read: " + await answer.text(), () => "refused");
        const all = [
          post({{}}).then(tell("plain")),
          post({{headers: {{"Content-Type": "application/json"}}}}).then(tell("json")),
          post({{headers: {{"Content-Type": "application/json", "X-Aside": "x"}}}}).then(tell("proof")),
          post({{mode: "no-cors"}}).then((answer) => tell("opaque")(answer === "read: " ? "refused" : answer)),
          fetch("http://{ours}/", {{credentials: "include"}}).then(() => "read", () => "refused").then(tell("page")),
          fetch("http://{ours}/api/here", {{credentials: "include"}}).then(() => "read", () => "refused").then(tell("here")),
          new Promise((done) => {{ const source = new EventSource("http://{ours}/api/follow", {{withCredentials: true}});
            source.onerror = () => {{ source.close(); done("refused"); }}; source.onmessage = () => done("read"); }}).then(tell("stream")),
          new Promise((done) => {{ const script = document.createElement("script"); script.src = "http://{ours}/app.js";
            script.onload = () => done("run"); script.onerror = () => done("refused"); document.head.append(script); }}).then(tell("script")),
        ];
        document.getElementById("form").submit();
        Promise.all(all).then(() => {{ window.ended = true; }});
        </script>"#
    );
    let (port, heard) = stranger(page);
    // Under another host name it gets nothing at all; under the page's own, which it would have to know, it gets the cookie.
    browser.goes(&format!("http://127.0.0.1:{port}/"));
    browser.waits("window.ended");
    assert!(!heard.lock().unwrap().to_ascii_lowercase().contains("cookie:"), "it was sent to another name");
    browser.goes(&format!("http://{}:{port}/", ours.split(':').next().unwrap()));
    browser.waits("window.ended");
    let tried = browser.script("return tried");
    let tried = tried.as_array().unwrap();
    assert_eq!(tried.len(), 8);
    assert!(tried.iter().all(|attempt| attempt[1] == "refused"), "{tried:?}");
    assert_eq!(browser.script("return localStorage.getItem('aside')"), Value::Null);
    // The trap is real: this server received the cookie. The cookie gives access to the static files, and no further.
    let heard = heard.lock().unwrap().clone();
    let cookie =
        heard.lines().find_map(|line| line.to_ascii_lowercase().starts_with("cookie:").then(|| line[7..].trim()));
    let cookie = cookie.unwrap_or_else(|| panic!("no cookie in {heard}")).to_owned();
    assert!(!heard.contains(&proof), "{heard}");
    let port = ours.rsplit(':').next().unwrap().parse().unwrap();
    let thief = Visit { port, host: ours.clone(), cookie, proof: String::new() };
    assert_eq!(thief.says(&json!({"op": "list"})).0, "401");
    let page = exchange(thief.port, &format!("{}\r\n", thief.head("GET /")));
    assert!(page.starts_with("HTTP/1.1 200") && !page.contains(&proof), "{page}");

    // No request reached the daemon, and the page still works.
    let tasks = TaskClient::at(&home, &home.path("project")).says("list", json!({}))["tasks"].clone();
    assert_eq!(tasks, json!([]));
    browser.goes(&format!("http://{ours}/"));
    browser.waits(&format!("localStorage.getItem('aside') === {}", json!(proof)));
}
