//! The relay of a team, run as its operator runs it.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::harness::home::{Home, Said};
use crate::harness::http::free;

pub const KEY: &str = "a webhook key that is long enough too";

pub struct Relay {
    /// Where chats and machines call.
    pub listen: String,
    dir: PathBuf,
    child: Child,
}

impl Relay {
    /// With these lines in its settings. Gives the code for `dev-1`, which is li's machine.
    pub fn start(home: &Home, settings: &str) -> (Self, String) {
        let (listen, admin, dir) = (free(), free(), home.path("relay"));
        let token = "an admin token that is long enough";
        let text = format!("listen = '{listen}'\nadmin_listen = '{admin}'\nadmin_token = '{token}'\n{settings}");
        home.write("relay/relay.toml", text);
        std::fs::set_permissions(dir.join("relay.toml"), std::fs::Permissions::from_mode(0o600)).unwrap();
        let mut command = home.command("aside");
        command.args(["relay", "--dir"]).arg(&dir).args(["serve", "--enroll", "dev-1", "--user", "li"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let is_code = |line: &String| line.starts_with("    ") && line.trim().split('-').all(|part| part.len() == 5);
        let code = lines.find(is_code).expect("the relay prints no code").trim().to_owned();
        (Self { listen, dir, child }, code)
    }

    /// As the operator, at the same machine.
    pub fn operates(&self, home: &Home, args: &[&str]) -> Said {
        let dir = self.dir.display().to_string();
        home.aside(&[&["relay", "--dir", &dir], args].concat())
    }

    /// A machine brings a code.
    pub fn enrols(&self, home: &Home, code: &str) -> Said {
        let (server, project) = (format!("ws://{}", self.listen), home.path("project").display().to_string());
        let args = ["remote", "setup", "--chat", "relay", "--server", &server, "--user", "li", "--workspace", &project];
        home.aside_reads(&args, &format!("{code}\n"))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
