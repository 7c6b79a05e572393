//! `aside web`: opens the page in the user's browser, or says how to reach it from another machine.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use aside_proto::task::{TaskOp, TaskParams};
use aside_proto::{Reply, Request};

use crate::cli::{Exit, current_dir, own_shell, print};
use crate::client;
use crate::daemon::{control, web_page};
use crate::exec::{self, Own, Probe};
use crate::paths::{self, Paths};

/// Open the page for tasks in your browser
///
/// The daemon serves it to this machine alone. The link works once, within two minutes; the browser that opens it stays in.
#[derive(clap::Args)]
pub struct Args {
    /// Say where it is, and open nothing
    #[arg(long)]
    no_open: bool,
    /// Print the link alone
    #[arg(long)]
    print: bool,
    /// End the sessions of all browsers, and open nothing
    #[arg(long, conflicts_with_all = ["no_open", "print"])]
    sign_out: bool,
}

/// What to do with a link.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    Open,
    /// The user is on another machine: a browser here would not be in front of them.
    FromAfar(Tunnel),
    NoScreen,
    /// The browser cannot read the file that passes it the link.
    Sandboxed,
    Tell,
    Print,
}

/// An ssh tunnel to a port of this machine.
#[derive(Debug, PartialEq, Eq)]
struct Tunnel {
    /// User and host, as `ssh` takes them.
    host: String,
    /// The ssh port, if it is not the usual one.
    port: Option<u16>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    if args.sign_out {
        return sign_out(&paths);
    }
    if !client::is_listening(&paths.socket) {
        control::start(&paths)?;
    }
    let asked = TaskParams { op: TaskOp::Page, cwd: current_dir()?, shell: own_shell(), ..TaskParams::default() };
    let link = match client::ask(&paths.socket, Request::Task(Box::new(asked))) {
        Ok(Reply::Task(tasks)) => tasks.lines.into_iter().next().unwrap_or_default(),
        Ok(Reply::Error(failure)) => {
            complain!("aside: {}", failure.error.message);
            return Ok(Exit::Failed);
        }
        Ok(_) => bail!("the daemon does not know where the page is; restart it: aside daemon stop"),
        Err(error) => {
            complain!("aside: {error}");
            return Ok(Exit::Unreachable);
        }
    };
    let port = port(&link).context("the daemon gave no link to the page; restart it: aside daemon stop")?;
    let way = match way(&args, |name| std::env::var(name).ok().filter(|value| !value.is_empty())) {
        Way::Open if reads_no_files() => Way::Sandboxed,
        way => way,
    };
    let failed = match way {
        Way::Open => open(&paths.socket, &link).err(),
        Way::FromAfar(_) | Way::NoScreen | Way::Sandboxed | Way::Tell | Way::Print => None,
    };
    if let Some(error) = failed {
        complain!("aside: {error:#}");
        print(&words(&Way::Tell, &link, port))?;
        return Ok(Exit::Failed);
    }
    print(&words(&way, &link, port))?;
    Ok(Exit::Done)
}

/// Signs all browsers out. Without a daemon, forgets the stored tabs, so that the next daemon does not accept them.
fn sign_out(paths: &Paths) -> anyhow::Result<Exit> {
    if !client::is_listening(&paths.socket) {
        web_page::drop_saved_tabs(paths.page_state()).context("could not forget the pages that are open")?;
        print("no daemon runs, so no browser is signed in\n")?;
        return Ok(Exit::Done);
    }
    let asked = TaskParams { op: TaskOp::SignOut, ..TaskParams::default() };
    match client::ask(&paths.socket, Request::Task(Box::new(asked))) {
        Ok(Reply::Task(tasks)) => {
            print(&tasks.lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
            Ok(Exit::Done)
        }
        Ok(Reply::Error(failure)) => {
            complain!("aside: {}", failure.error.message);
            Ok(Exit::Failed)
        }
        Ok(_) => bail!("the daemon does not know how to sign out; restart it: aside daemon stop"),
        Err(error) => {
            complain!("aside: {error}");
            Ok(Exit::Unreachable)
        }
    }
}

/// The port of a link in the daemon's own format. Rejects anything else: the link is handed to another program.
fn port(link: &str) -> Option<u16> {
    let (host, rest) = link.strip_prefix("http://")?.split_once(':')?;
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_here = host == "127.0.0.1" || host.strip_suffix(".localhost").is_some_and(is_plain);
    let (port, key) = rest.split_once("/?key=").filter(|_| is_here)?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    port.parse().ok().filter(|_| is_key)
}

fn way(args: &Args, var: impl Fn(&str) -> Option<String>) -> Way {
    if args.print {
        return Way::Print;
    }
    if args.no_open {
        return Way::Tell;
    }
    if let Some(connection) = var("SSH_CONNECTION") {
        return tunnel(&connection, var("USER")).map_or(Way::Tell, Way::FromAfar);
    }
    let has_screen = cfg!(target_os = "macos") || var("DISPLAY").or_else(|| var("WAYLAND_DISPLAY")).is_some();
    if has_screen || var("BROWSER").is_some() { Way::Open } else { Way::NoScreen }
}

/// `$SSH_CONNECTION`: client address and port, server address and port.
fn tunnel(connection: &str, user: Option<String>) -> Option<Tunnel> {
    let mut words = connection.split(' ').skip(2);
    let (address, port) = (words.next()?.parse::<std::net::IpAddr>().ok()?, words.next()?.parse::<u16>().ok()?);
    let is_plain = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let user = user.filter(is_plain).map_or_else(String::new, |user| format!("{user}@"));
    Some(Tunnel { host: format!("{user}{address}"), port: (port != 22).then_some(port) })
}

fn words(way: &Way, link: &str, port: u16) -> String {
    let once = "it works once, within two minutes";
    match way {
        Way::Print => format!("{link}\n"),
        Way::Open => format!("opened in your browser; if it does not show, open this link ({once}):\n  {link}\n"),
        Way::Tell => format!("open this link ({once}):\n  {link}\n"),
        Way::Sandboxed => {
            format!("your browser cannot read files of other programs; open this link ({once}):\n  {link}\n")
        }
        Way::NoScreen => format!("there is no screen here to open a browser on; open this link ({once}):\n  {link}\n"),
        Way::FromAfar(Tunnel { host, port: other }) => {
            let other = other.map_or_else(String::new, |other| format!("-p {other} "));
            format!(
                "on the machine that you sit at, run\n  ssh -N -L {port}:127.0.0.1:{port} {other}{host}\nand open there ({once}):\n  {link}\n"
            )
        }
    }
}

/// Passes the link in a file that only the user can read: every process can read the arguments of a starting browser, and a task's command
/// must not find a link there. The file redirects to the page; the daemon removes it once it was used.
fn open(socket: &Path, link: &str) -> anyhow::Result<()> {
    let file = paths::page_file(socket);
    leave(&file, link).context("could not write the file that leads to the page")?;
    let status = exec::own(Own::Browser(&file))?;
    if !status.success() {
        bail!("no browser could be opened");
    }
    Ok(())
}

/// Whether the browser is sandboxed (snap, flatpak), or on the Windows side of WSL.
fn reads_no_files() -> bool {
    let is_wsl = || std::fs::read_to_string("/proc/version").is_ok_and(|version| version.contains("icrosoft"));
    let home = std::env::home_dir().unwrap_or_default();
    let own = home.join(".local/share/flatpak/exports/share/applications");
    let sandboxed = ["/var/lib/snapd/desktop/applications", "/var/lib/flatpak/exports/share/applications"];
    let browser = || exec::probe(&Probe::DefaultBrowser).unwrap_or_default();
    let is_sandboxed = || {
        let browser = browser();
        let name = Some(browser.trim()).filter(|name| !name.is_empty() && !name.contains('/'));
        let mut places = sandboxed.iter().map(Path::new).chain([own.as_path()]);
        name.is_some_and(|name| places.any(|place| place.join(name).exists()))
    };
    is_wsl() || is_sandboxed()
}

fn leave(file: &Path, link: &str) -> anyhow::Result<()> {
    // Mode 0600 from the beginning, written atomically.
    let mut written = tempfile::NamedTempFile::new_in(file.parent().unwrap_or(file))?;
    let text =
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\"><title>Aside</title>";
    writeln!(
        written,
        "{text}<meta http-equiv=\"refresh\" content=\"0;url={link}\"><a href=\"{link}\">Open the page</a>"
    )?;
    written.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn way_with(no_open: bool, variables: &[(&str, &str)]) -> Way {
        let var = |name: &str| variables.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned());
        way(&Args { no_open, print: false, sign_out: false }, var)
    }

    #[test]
    fn a_browser_is_opened_where_the_person_sees_it() {
        let local = [("DISPLAY", ":0"), ("USER", "ada")];
        assert_eq!(way_with(false, &local), Way::Open);
        assert_eq!(way_with(false, &[("WAYLAND_DISPLAY", "wayland-0")]), Way::Open);
        assert_eq!(way_with(true, &local), Way::Tell);
        #[cfg(not(target_os = "macos"))]
        assert_eq!(way_with(false, &[]), Way::NoScreen);
        let afar = [("DISPLAY", ":10"), ("USER", "ada"), ("SSH_CONNECTION", "198.51.100.7 50123 203.0.113.5 22")];
        let tunnel = |host: &str, port| Way::FromAfar(Tunnel { host: host.into(), port });
        assert_eq!(way_with(false, &afar), tunnel("ada@203.0.113.5", None));
        let odd = [("USER", "a;b"), ("SSH_CONNECTION", "2001:db8::1 50123 2001:db8::2 2222")];
        assert_eq!(way_with(false, &odd), tunnel("2001:db8::2", Some(2222)));
        assert_eq!(way_with(false, &[("SSH_CONNECTION", "$(reboot) 1 `reboot` 22")]), Way::Tell);
    }

    #[test]
    fn from_afar_the_same_port_leads_here() {
        let way = Way::FromAfar(Tunnel { host: "ada@203.0.113.5".into(), port: Some(2222) });
        let told = words(&way, "http://127.0.0.1:4321/?key=abc", 4321);
        assert!(told.contains("ssh -N -L 4321:127.0.0.1:4321 -p 2222 ada@203.0.113.5\n"), "{told}");
        assert!(told.ends_with("  http://127.0.0.1:4321/?key=abc\n"), "{told}");
    }

    #[test]
    fn only_a_link_of_ours_is_opened() {
        assert_eq!(port("http://127.0.0.1:4321/?key=aB-_9"), Some(4321));
        assert_eq!(port("http://aside-abc.localhost:4321/?key=aB-_9"), Some(4321));
        for link in [
            "",
            "http://127.0.0.1/?key=a",
            "http://localhost:1/?key=a",
            "http://evil.example:1/?key=a",
            "http://evil.example/.localhost:1/?key=a",
            "http://a@evil.localhost:1/?key=a",
            "http://abc.localhost.evil.example:1/?key=a",
            "https://127.0.0.1:1/?key=a",
            "http://127.0.0.1:1/?key=",
            "http://127.0.0.1:1@evil.example/?key=a",
            "http://127.0.0.1:99999/?key=a",
            "http://127.0.0.1:1/?key=a\"><script>",
            "-x",
        ] {
            assert_eq!(port(link), None, "{link}");
        }
    }

    #[test]
    fn the_file_that_leads_there_is_ours_alone() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("aside.sock.html");
        std::fs::write(&file, "of last time").unwrap();
        leave(&file, "http://127.0.0.1:4321/?key=abc").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("content=\"0;url=http://127.0.0.1:4321/?key=abc\""), "{text}");
    }
}
