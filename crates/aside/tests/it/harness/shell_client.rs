//! A shell as the daemon sees it: numbered JSON requests of one session in one directory.

use serde_json::Value;

use crate::harness::home::Home;
use crate::harness::socket_client::SocketClient;

pub struct ShellClient {
    pub wire: SocketClient,
    /// The number of the last request.
    pub id: u64,
    session: String,
    pub cwd: String,
}

impl ShellClient {
    pub fn new(home: &Home, session: &str, cwd: String) -> Self {
        Self { wire: home.wire(), id: 0, session: session.to_owned(), cwd }
    }

    pub fn sends(&mut self, mut request: Value) {
        self.id += 1;
        request["request_id"] = self.id.into();
        request["session_id"] = self.session.clone().into();
        request["cwd"] = self.cwd.clone().into();
        self.wire.sends_json(request);
    }

    /// The next reply to the last request.
    #[track_caller]
    pub fn hears(&mut self) -> Value {
        loop {
            let answer = self.wire.reads_json();
            if answer["request_id"] == self.id {
                return answer;
            }
        }
    }
}
