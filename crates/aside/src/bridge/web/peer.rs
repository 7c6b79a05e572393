//! Which user owns the far end of a TCP connection. Every user of this machine can connect to a port of it. Where the kernel reports the
//! owner, only the user's own processes get past this check, whatever secret they bring. It cannot tell which process it is: a socket can
//! be passed on, and hidden (see `exec::presence`).

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use crate::bridge::web::sock_diag::{self, Owner};

/// Reads of the table: the kernel lists connections in pieces, between which others come and go.
const LOOKS: usize = 3;
const ESTABLISHED: &str = "01";
const LISTENING: &str = "0A";

/// Whether the kernel reports owners: it does if it reports us as the owner of our listening port.
pub fn kernel_reports_owners(port: u16) -> bool {
    let ours = SocketAddr::from(([127, 0, 0, 1], port));
    table(ours).is_some_and(|table| listener(&table, ours) == Some(us()))
}

/// Whether the end `peer` of a connection to `ours` belongs to this user, or to root, which can do all that we can: a relay into a virtual
/// machine runs as root. Costs one or two system calls.
pub fn is_of_user(peer: SocketAddr, ours: SocketAddr) -> bool {
    let owner = match sock_diag::owner(peer, ours) {
        Ok(owner) => owner,
        Err(_) => (0..LOOKS).find_map(|_| owner(&table(peer)?, peer, ours)),
    };
    owner.is_some_and(|owner| owner.user == us() || owner.user == 0)
}

fn us() -> u32 {
    rustix::process::getuid().as_raw()
}

fn table(of: SocketAddr) -> Option<String> {
    let file = Path::new(if of.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" });
    std::fs::read_to_string(file).ok()
}

/// The owner of the end `local`. A closed end has no owner; the table says user 0.
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
        // Skips queues, timers and retransmissions; behind the user, the timeout.
        let (user, inode) = (fields.nth(3)?, fields.nth(1)?);
        Some(Row { local, remote, state, user, inode })
    })
}

/// As in /proc/net/tcp: each group of four bytes as a native-endian number, then the port.
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
        // A closed end reports user 0, and would otherwise count as root's.
        assert_eq!([0xA002, 0xA003, 0xA004].map(owner), [None, None, None]);
        assert_eq!(listener(TABLE, local(0x07E8)), Some(1000));
        assert_eq!(listener(TABLE, local(0xA001)), None);
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
            assert!(is_of_user(peer, ours), "{host}");
            drop(stream);
            assert!(!is_of_user(peer, ours), "{host}");
            drop(accepted);
        }
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        assert!(kernel_reports_owners(port));
        drop(server);
        assert!(!kernel_reports_owners(port), "nothing listens there");
    }
}
