//! A pseudo-terminal: the pair of descriptors, the session, the size.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

/// The terminal's descriptor and the program's.
pub fn open() -> (OwnedFd, OwnedFd) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).expect("a pseudo-terminal");
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(name.as_c_str(), flags, Mode::empty()).unwrap();
    (master, slave)
}

/// Makes the program a session leader with `slave` as its controlling terminal, so that ^C and job control work.
#[expect(unsafe_code, reason = "setsid(1) is missing on macOS; both calls here are safe between fork and exec")]
pub fn lead_a_session(command: &mut Command, slave: OwnedFd) {
    let lead = move || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(&slave)?;
        // A terminal starts its shell with the defaults; tests that run in the background of a script inherit ignored signals, under nohup
        // that of hanging up.
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
            // SAFETY: restores the default; no handler is installed.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: `lead` makes four system calls; it allocates nothing and takes no lock.
    unsafe { command.pre_exec(lead) };
}

/// If the size changes, the kernel also signals the program.
pub fn set_size(master: impl AsFd, rows: u16, columns: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(master, size).unwrap();
}
