//! Commands that try to use the page with a link that they have found, from wherever they hide. The page refuses all of them, the
//! link stays valid for the user, and no session is opened.

use serde_json::json;

use super::fixture::{Attempt, Fixture};
use crate::harness::home::{self, ASIDE};
use crate::harness::tasks::ShownProposal;

/// PORT KEY HOST FILE [ADDRESS]: opens the page with the key. The reply goes to the file.
const OPENS: &str = r#"
zmodload zsh/net/tcp || exit 9
said= query=key=$2
# A link is followed twice.
for round in 1 2; do
  if ! ztcp ${5:-127.0.0.1} $1; then print -r -- "not connected" >> $4; exit 8; fi
  fd=$REPLY
  print -n -u $fd -- $'GET /?'$query$' HTTP/1.1\r\nHost: '$3$'\r\nConnection: close\r\n\r\n'
  said=
  while read -r -t 60 -u $fd line; do said+="$line "; done
  ztcp -c $fd
  [[ $said == *'url=/?'* ]] || break
  query=${${${said#*url=/\?}%%\"*}//&amp;/&}
done
print -r -- "${said:-waited for an answer} end" >> $4
"#;

/// SELF is the command line of OPENS.
const WAYS: [(&str, &str); 12] = [
    ("itself", "SELF"),
    ("in a session of its own", "setsid -w SELF"),
    ("after its task has ended", "setsid sh -c 'sleep 1; SELF' >/dev/null 2>&1 &"),
    ("twice removed", "(setsid sh -c '(setsid sh -c \"sleep 1; SELF\" &)' &) >/dev/null 2>&1"),
    ("over the other loopback", "SELF ::1"),
    ("with the limit raised", "ulimit -Hx unlimited 2>/dev/null; prlimit --pid $$ --locks=unlimited 2>/dev/null; SELF"),
    (
        "from a tmux of its own",
        "tmux -L evilpage -f /dev/null new-session -d 'SELF; tmux -L evilpage kill-server'; WAIT",
    ),
    ("with a terminal of its own", "script -qec 'SELF' /dev/null >/dev/null 2>&1 || SELF"),
    ("in a user namespace", "unshare -Ur SELF 2>/dev/null || SELF"),
    (
        "from a copy of the program that cannot be read",
        "cp $(command -v zsh) ./unread; chmod 111 unread; ./unread ARGUMENTS",
    ),
    ("behind a process that has ended", "sh -c 'SELF &' ; WAIT"),
    ("as a daemon", "setsid -f SELF; WAIT"),
];

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("pages");
    stage.home.write("opens.zsh", OPENS);
    stage.home.write("bin/xdg-open", "#!/bin/sh\nprintf '%s\\n' \"$@\" >> \"$HOME/opened\"\n");
    for (way, how) in WAYS {
        for confine in ["no", "workspace"] {
            stage.attempt(format!("a link in the hands of a command, {way}, confined: {confine}"), |stage| {
                let link = link(stage);
                // In the workspace, where a confined command may write.
                stage.forgive("project/unread");
                tries(stage, &link, how, confine);
            });
        }
    }
    stage.attempt("a link out of the arguments of the browser", |stage| {
        let path = format!("{}:/usr/bin:/bin", stage.home.path("bin").display());
        let mut command = stage.home.command(ASIDE);
        let command = command.arg("web").env("PATH", path).env("DISPLAY", ":0").current_dir(stage.home.path("project"));
        let said = home::run(command, "");
        assert_eq!(said.code, 0, "{said:?}");
        stage.mark();
        let arguments = stage.home.read("opened");
        assert!(!arguments.contains("key="), "{arguments}");
        // The command can read the file, as the user can. That gains it nothing.
        let file = std::fs::read_to_string(arguments.trim()).unwrap();
        let link = file.split("url=").nth(1).unwrap().split('"').next().unwrap().to_owned();
        tries(stage, &link, "SELF", "no");
    });
    stage.done()
}

fn link(stage: &mut Fixture) -> String {
    let mut command = stage.home.command(ASIDE);
    let said = home::run(command.args(["web", "--print"]).current_dir(stage.home.path("project")), "");
    assert_eq!(said.code, 0, "{said:?}");
    stage.mark();
    said.stdout.trim_end().to_owned()
}

#[track_caller]
fn tries(stage: &mut Fixture, link: &str, how: &str, confine: &str) {
    let (host, key) = link.strip_prefix("http://").and_then(|rest| rest.split_once("/?key=")).unwrap();
    let (_, port) = host.rsplit_once(':').unwrap();
    let heard = stage.home.path("project/heard.txt");
    let _ = std::fs::remove_file(&heard);
    stage.mark();
    stage.forgive("project/heard.txt");
    let script = stage.home.path("opens.zsh").display().to_string();
    let arguments = format!("-f {script} {port} {key} {host} {}", heard.display());
    let command = how
        .replace("SELF", &format!("zsh {arguments}"))
        .replace("ARGUMENTS", &arguments)
        .replace("WAIT", &format!("for i in $(seq 30); do [ -s {} ] && break; sleep 0.1; done", heard.display()));
    let shown = stage.proposes("true");
    let mut edit = shown.answer("a test");
    (edit["text"], edit["confine"]) = (json!(command), json!(confine));
    let edited = stage.ada.says("edit", edit);
    let shown = ShownProposal::of(&edited["offer"]).unwrap_or_else(|| panic!("nothing is shown: {edited}"));
    assert_eq!(stage.ada.approves(&shown)["type"], "task");
    stage.granted();
    stage.settles();
    // A confined command leaves no process behind that could retry later, so it may stay silent.
    let limit = if confine == "no" { crate::harness::patience() } else { std::time::Duration::from_secs(4) };
    let deadline = std::time::Instant::now() + limit;
    while !heard.exists() && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let said = std::fs::read_to_string(&heard).unwrap_or_default();
    // The other loopback address may not exist.
    let is_refused = said.contains("403") || said == "not connected\n";
    assert!(is_refused || confine == "workspace" && said.is_empty(), "{said}");
    assert!(!said.contains("set-cookie"), "{said}");
    // The link was not used up, and works again as soon as no process of the command is left.
    stage.until("the user opens the page", |stage| {
        let file = stage.home.path("user.txt").display().to_string();
        home::run(stage.home.command("zsh").args(["-f", &script, port, key, host, &file]), "");
        let opened = stage.home.read("user.txt");
        std::fs::remove_file(&file).unwrap();
        assert!(opened.contains("200") || opened.contains("could press buttons here"), "{opened}");
        opened.contains("set-cookie")
    });
}
