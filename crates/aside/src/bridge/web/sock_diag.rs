//! Asks the kernel for the owner of one TCP connection (netlink, `sock_diag(7)`). The cost does not grow with the number of connections.

use std::net::{IpAddr, SocketAddr};

use rustix::io::Errno;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

const BY_FAMILY: u16 = 20;
const IS_REQUEST: u16 = 1;
const ERROR: u16 = 2;
const TCP: u8 = 6;
const ESTABLISHED: u8 = 1;
/// The netlink header: length, type, flags, sequence number and sender.
const HEADER: usize = 16;
/// A reply: family, state, timer, retransmissions; both addresses; then, four bytes each, expiry, both queues, the user and the inode.
const ANSWER: usize = 72;
const USER: usize = 64;
const INODE: usize = 68;

/// The user and the socket of one end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub user: u32,
    pub inode: String,
}

/// The owner of the end `local` of an established connection. `None` when there is no such connection, or its process has closed it. An
/// error when this kernel does not support the request.
pub fn owner(local: SocketAddr, remote: SocketAddr) -> rustix::io::Result<Option<Owner>> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
        Some(SOCK_DIAG),
    )?;
    rustix::net::sendto(&socket, &question(local, remote), SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0; 1024];
    // The kernel replies before `send` returns, so this does not block.
    let (length, _) = rustix::net::recv(&socket, &mut answer[..], RecvFlags::empty())?;
    read(answer.get(..length).unwrap_or_default())
}

fn question(local: SocketAddr, remote: SocketAddr) -> Vec<u8> {
    let family: u8 = if local.is_ipv4() { 2 } else { 10 };
    let mut asked = vec![family, TCP, 0, 0];
    // Matches every state.
    asked.extend(u32::MAX.to_ne_bytes());
    asked.extend(local.port().to_be_bytes());
    asked.extend(remote.port().to_be_bytes());
    for end in [local, remote] {
        let mut address = [0; 16];
        match end.ip() {
            IpAddr::V4(ip) => address[..4].copy_from_slice(&ip.octets()),
            IpAddr::V6(ip) => address = ip.octets(),
        }
        asked.extend(address);
    }
    // No interface, and no cookie.
    asked.extend(0_u32.to_ne_bytes());
    asked.extend([0xff; 8]);
    let length = u32::try_from(HEADER + asked.len()).unwrap_or_default();
    let header = [&length.to_ne_bytes()[..], &BY_FAMILY.to_ne_bytes(), &IS_REQUEST.to_ne_bytes(), &[0; 8]].concat();
    [header, asked].concat()
}

fn read(answer: &[u8]) -> rustix::io::Result<Option<Owner>> {
    let four = |from: usize| Some(u32::from_ne_bytes(answer.get(from..from + 4)?.try_into().ok()?));
    let kind = answer.get(4..6).and_then(|kind| Some(u16::from_ne_bytes(kind.try_into().ok()?)));
    match kind {
        Some(ERROR) => {
            let code = four(HEADER).unwrap_or_default().cast_signed();
            match Errno::from_raw_os_error(-code) {
                Errno::NOENT => Ok(None),
                error => Err(error),
            }
        }
        Some(BY_FAMILY) if answer.len() >= HEADER + ANSWER => {
            let (user, inode) = (four(HEADER + USER), four(HEADER + INODE));
            let is_open = answer.get(HEADER + 1) == Some(&ESTABLISHED);
            let owner = user.zip(inode).filter(|(_, inode)| is_open && *inode != 0);
            Ok(owner.map(|(user, inode)| Owner { user, inode: inode.to_string() }))
        }
        _ => Err(Errno::BADMSG),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::time::{Duration, Instant};

    #[test]
    fn the_kernel_names_the_owner_of_each_end_until_it_is_closed() {
        for host in ["127.0.0.1", "[::1]"] {
            let Ok(server) = TcpListener::bind(format!("{host}:0")) else { continue };
            let ours = server.local_addr().unwrap();
            let client = TcpStream::connect(ours).unwrap();
            let theirs = client.local_addr().unwrap();
            let accepted = server.accept().unwrap();
            // A kernel may lack it; the server then reads the table of all connections.
            let Ok(owner_of) = owner(theirs, ours) else { return };
            let found = owner_of.unwrap();
            assert_eq!(found.user, rustix::process::getuid().as_raw());
            assert_ne!(Some(found), owner(ours, theirs).unwrap(), "the other end has an inode of its own");
            drop(client);
            // A subprocess that another test is starting has a copy of the socket until it executes its program.
            let deadline = Instant::now() + Duration::from_secs(20);
            while owner(theirs, ours).unwrap().is_some() {
                assert!(Instant::now() < deadline, "it is closed, and still has an owner");
                std::thread::sleep(Duration::from_millis(5));
            }
            drop(accepted);
        }
    }

    #[test]
    fn an_answer_that_is_none_is_an_error() {
        for answer in [&[][..], &[0; 20], &[9; 100]] {
            assert!(read(answer).is_err(), "{answer:?}");
        }
    }
}
