//! Whose process is at the other end of a TCP connection. Every user of this machine can connect to a port of it, and so can a command of
//! a task. Where the kernel tells the owner of a connection, only the user's own processes get past this, whatever secret they bring.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use crate::bridge::web::sock_diag;
use crate::exec::taint::{self, Caller, Rank};

/// The kernel lists connections in pieces, between which others come and go.
const LOOKS: usize = 3;
const ESTABLISHED: &str = "01";
const LISTENING: &str = "0A";

/// The user and the socket of one end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub user: u32,
    pub inode: String,
}

/// Whether the kernel tells the owner of a connection: it does if it knows whose the port is on which we listen.
pub fn is_told(port: u16) -> bool {
    let ours = SocketAddr::from(([127, 0, 0, 1], port));
    table(ours).is_some_and(|table| listener(&table, ours) == Some(us()))
}

/// Of the end `peer` of a connection to `ours`, if it is this user's, or root's, which can do all that we can: a relay into a virtual machine
/// runs as root. One system call or two.
pub fn of_user(peer: SocketAddr, ours: SocketAddr) -> Option<Owner> {
    let owner = match sock_diag::owner(peer, ours) {
        Ok(owner) => owner,
        Err(_) => (0..LOOKS).find_map(|_| owner(&table(peer)?, peer, ours)),
    };
    owner.filter(|owner| owner.user == us() || owner.user == 0)
}

/// Whether the user or a command of a task holds this end of a connection. Looks through all processes, so not where a key waits.
pub fn holder(owner: &Owner) -> Caller {
    judge(processes(owner))
}

/// A process, as far as it matters for one connection.
struct Process {
    rank: Rank,
    /// Whether it has the connection open. None when the system does not tell: it cannot be traced, or is root's.
    holds: Option<bool>,
}

/// While a command of a task runs, or something that one has left behind, only a connection that is seen in the hands of another process is
/// the user's: a command can hide its descriptors, and pass them on. Without any command there is none that could hold it, so that a tunnel
/// of sshd, which cannot be looked into, is the user's.
fn judge(processes: impl IntoIterator<Item = Process>) -> Caller {
    let (mut is_seen, mut has_commands) = (false, false);
    for Process { rank, holds } in processes {
        match (rank, holds) {
            (Rank::Command | Rank::Daemon, Some(true)) => return Caller::Command,
            (Rank::Command, None) => return Caller::Unknown,
            (Rank::Command, Some(false)) => has_commands = true,
            (Rank::User, Some(true)) => is_seen = true,
            (Rank::Daemon | Rank::User, Some(false) | None) => {}
        }
    }
    if is_seen || !has_commands { Caller::User } else { Caller::Unknown }
}

fn processes(owner: &Owner) -> impl Iterator<Item = Process> {
    let wanted = format!("socket:[{}]", owner.inode);
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(move |number: i32| {
        let is_it =
            |open: std::fs::DirEntry| std::fs::read_link(open.path()).is_ok_and(|file| file.as_os_str() == &*wanted);
        let rank = taint::of_process(number)?;
        let holds = match std::fs::read_dir(format!("/proc/{number}/fd")) {
            Ok(open) => Some(open.flatten().any(is_it)),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => None,
            Err(_) => return None,
        };
        // The number may have been given to another process meanwhile: the lower rank counts.
        let rank = taint::of_process(number)?.min(rank);
        (rank == Rank::User || is_ours(number)).then_some(Process { rank, holds })
    })
}

/// Whether it runs as this user, or as root, as what a command has started with sudo. Commands of other users are none of ours.
fn is_ours(number: i32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{number}/status")) else { return false };
    let users = status.lines().find_map(|row| row.strip_prefix("Uid:")).unwrap_or_default();
    users.split_ascii_whitespace().filter_map(|user| user.parse().ok()).any(|user: u32| user == us() || user == 0)
}

fn us() -> u32 {
    rustix::process::getuid().as_raw()
}

fn table(of: SocketAddr) -> Option<String> {
    let file = Path::new(if of.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" });
    std::fs::read_to_string(file).ok()
}

/// Of the end `local`. An end that was closed has no owner any more, and says 0.
fn owner(table: &str, local: SocketAddr, remote: SocketAddr) -> Option<Owner> {
    let (local, remote) = (spelled(local), spelled(remote));
    let row = rows(table).find(|row| row.local == local && row.remote == remote)?;
    Some(Owner { user: row.user()?, inode: row.inode.to_owned() })
}

fn listener(table: &str, local: SocketAddr) -> Option<u32> {
    let local = spelled(local);
    rows(table).find(|row| row.local == local && row.state == LISTENING)?.user()
}

struct Row<'a> {
    local: &'a str,
    remote: &'a str,
    state: &'a str,
    user: &'a str,
    inode: &'a str,
}

impl Row<'_> {
    fn user(&self) -> Option<u32> {
        let is_held = [ESTABLISHED, LISTENING].contains(&self.state) && self.inode != "0";
        is_held.then(|| self.user.parse().ok())?
    }
}

fn rows(table: &str) -> impl Iterator<Item = Row<'_>> {
    table.lines().skip(1).filter_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let (local, remote, state) = (fields.nth(1)?, fields.next()?, fields.next()?);
        // Between them: queues, timers, how often it was sent again; behind the user how long it was silent.
        let (user, inode) = (fields.nth(3)?, fields.nth(1)?);
        Some(Row { local, remote, state, user, inode })
    })
}

/// Each group of four bytes as the number that it is on this machine, then the port.
fn spelled(address: SocketAddr) -> String {
    let bytes = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let groups = bytes.chunks_exact(4).map(|four| u32::from_ne_bytes([four[0], four[1], four[2], four[3]]));
    let ip: String = groups.map(|group| format!("{group:08X}")).collect();
    format!("{ip}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1603 1 00000000cdac4175 100 0 0 10 0
   1: 0100007F:A001 0100007F:07E8 01 00000000:00000000 00:00000000 00000000  1001        0 1700 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:07E8 0100007F:A001 01 00000000:00000000 00:00000000 00000000  1000        0 1701 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:A002 0100007F:07E8 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 20 4 30 10 -1
   4: 0100007F:A003 0100007F:07E8 06 00000000:00000000 03:00000ABC 00000000     0        0 0 3 0000000000000000
   5: 0100007F:A004 0100007F:07E8 04 00000000:00000000 01:00000ABC 00000000     0        0 0 3 0000000000000000
";

    fn local(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn the_owner_is_that_of_the_other_end() {
        let owner = |port| owner(TABLE, local(port), local(0x07E8));
        assert_eq!(owner(0xA001), Some(Owner { user: 1001, inode: "1700".to_owned() }));
        assert_eq!(owner(0xA009), None, "there is no such connection");
        // An end that was closed at once would otherwise count as root's.
        assert_eq!([0xA002, 0xA003, 0xA004].map(owner), [None, None, None]);
        assert_eq!(listener(TABLE, local(0x07E8)), Some(1000));
        assert_eq!(listener(TABLE, local(0xA001)), None);
    }

    #[test]
    fn a_connection_that_a_command_may_hold_is_not_the_users() {
        let held = |processes: &[(Rank, Option<bool>)]| {
            judge(processes.iter().map(|(rank, holds)| Process { rank: *rank, holds: *holds }))
        };
        let (yes, no) = (Some(true), Some(false));
        for (processes, caller) in [
            (&[][..], Caller::User),
            (&[(Rank::User, yes), (Rank::User, no)], Caller::User),
            (&[(Rank::User, None), (Rank::User, no)], Caller::User),
            (&[(Rank::User, None), (Rank::Daemon, no), (Rank::Daemon, None)], Caller::User),
            (&[(Rank::User, yes), (Rank::Command, no)], Caller::User),
            (&[(Rank::User, None), (Rank::Command, no)], Caller::Unknown),
            (&[(Rank::User, no), (Rank::Command, no)], Caller::Unknown),
            (&[(Rank::User, yes), (Rank::Command, None)], Caller::Unknown),
            (&[(Rank::User, yes), (Rank::Command, yes)], Caller::Command),
            (&[(Rank::Command, yes)], Caller::Command),
            (&[(Rank::Daemon, yes)], Caller::Command),
        ] {
            assert_eq!(held(processes), caller, "{processes:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn our_own_connections_are_ours_and_closed_ones_are_not() {
        for host in ["127.0.0.1", "[::1]"] {
            let Ok(server) = TcpListener::bind(format!("{host}:0")) else { continue };
            let ours = server.local_addr().unwrap();
            let stream = TcpStream::connect(ours).unwrap();
            let peer = stream.local_addr().unwrap();
            let accepted = server.accept().unwrap();
            let owner = of_user(peer, ours).unwrap_or_else(|| panic!("{host}"));
            assert_eq!(holder(&owner), Caller::User, "{host}");
            drop(stream);
            assert_eq!(of_user(peer, ours), None, "{host}");
            drop(accepted);
        }
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        assert!(is_told(port));
        drop(server);
        assert!(!is_told(port), "nothing listens there");
    }
}
