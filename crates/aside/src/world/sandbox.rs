//! What a program may do while it is asked for its help: read, compute and print. The user ran it before, but not with `--help`, and it may
//! ignore that and do its work; so it can write nothing and reach no other program or host. Also limits where a task's command may write.

pub mod agent_sandbox;
#[cfg(target_os = "linux")]
mod elf;
#[cfg(target_os = "linux")]
mod pid_namespace;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Restricts this process for good, and what it execs. Call it before any thread is started.
pub fn restrict() -> anyhow::Result<()> {
    platform::restrict()
}

/// Where a command may write. It may read everything that is not hidden.
pub enum WriteAccess<'a> {
    /// For a reviewed command: beneath these. It may reach any host, and read all but what is hidden.
    Beneath { places: &'a [&'a OwnedFd], hidden: &'a [PathBuf] },
    /// For an unreviewed command: only its own temporary directory, and no network.
    Nothing { temp: &'a OwnedFd },
}

/// Restricts this process for good, and what it execs. Call it before any thread is started.
pub fn confine(writes: &WriteAccess<'_>) -> anyhow::Result<()> {
    platform::confine(writes)
}

/// Restricts this process for good to computing with the files and pipes that are open: no file, no network, no process. Call it before any
/// thread is started. Where the kernel cannot, what it can is done.
pub fn compute_only(memory: u64) -> anyhow::Result<()> {
    platform::compute_only(memory)
}

/// Whether this machine supports these restrictions; otherwise nothing is learnt, and no confined command is run.
pub fn check() -> anyhow::Result<()> {
    platform::check()
}

/// For a program that only reads files: it can write nothing, reach nothing, and start no other program.
pub struct ReadOnly(platform::ReadOnly);

impl ReadOnly {
    /// Does all allocations. `program` is the one that may start; it may read in these places.
    pub fn running(program: &Path, places: &[PathBuf]) -> anyhow::Result<Self> {
        platform::ReadOnly::running(program, places).map(Self)
    }

    /// Restricts this process for good. Runs between fork and exec: allocates nothing.
    pub fn enter(&mut self) -> std::io::Result<()> {
        self.0.enter()
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use std::path::{Path, PathBuf};
    use std::sync::LazyLock;

    use anyhow::{Context, ensure};
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, RestrictionStatus,
        Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
    };
    use rustix::process::{Resource, Rlimit, setrlimit};
    use rustix::thread::{
        CapabilitySet, capabilities, capability_is_in_bounding_set, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities,
    };
    use seccompiler::BpfProgram;

    use crate::world::sandbox::{WriteAccess, elf};

    const EPERM: i32 = 1;
    const EAFNOSUPPORT: i32 = 97;
    const AF_UNIX: u32 = 1;
    /// TCP and UDP, and netlink, which the C library uses to resolve addresses.
    const FAMILIES: [u32; 3] = [2, 10, 16];
    const SOCK_DGRAM: u32 = 2;
    const SOCK_RAW: u32 = 3;
    /// The other bits are flags.
    const SOCKET_TYPE: u32 = 0xf;
    const F_SETLEASE: u32 = 1024;
    const PRIO_PROCESS: u32 = 0;
    const IOPRIO_WHO_PROCESS: u32 = 1;
    const OTHERS: &str = "mq_open mq_unlink add_key keyctl request_key";

    /// Seconds of CPU time.
    const CPU: u64 = 2;
    const MEMORY: u64 = 1024 * 1024 * 1024;
    /// Some runtimes reserve far more than they use.
    const ADDRESSES: u64 = 64 * MEMORY;
    const FILES: u64 = 256;

    /// From Linux 6.2 on, truncating a file counts as writing to it.
    const NEEDED: ABI = ABI::V3;
    /// Also refused where the kernel can: TCP, devices, signals to others.
    const WANTED: ABI = ABI::V6;

    /// What Landlock cannot refuse: sockets of every kind, modes, owners and times of files, signals, changes to the machine itself; and
    /// leaving the process group that is killed at the timeout.
    const REFUSED: &str = "\
        socket connect bind listen io_uring_setup fchmod fchmodat fchmodat2 fchown fchownat utimensat setxattr \
        lsetxattr fsetxattr removexattr lremovexattr fremovexattr kill tkill pidfd_send_signal rt_sigqueueinfo \
        ptrace process_vm_writev setsid setpgid mount umount2 pivot_root move_mount mount_setattr swapon swapoff \
        reboot kexec_load init_module finit_module delete_module bpf perf_event_open keyctl add_key request_key \
        sethostname setdomainname settimeofday clock_settime clock_adjtime adjtimex acct quotactl syslog \
        setpriority sched_setscheduler mq_open mq_unlink shmget msgget semget";
    /// What gives a file or a program by its name, where the kernel has no Landlock.
    const NAMES: &str = "\
        openat openat2 unlinkat renameat renameat2 linkat symlinkat mkdirat mknodat truncate execve execveat chdir chroot \
        name_to_handle_at open_by_handle_at inotify_add_watch fanotify_mark statx readlinkat";
    const NAMES_OLD: &[&str] =
        &["open", "creat", "unlink", "rename", "link", "symlink", "mkdir", "rmdir", "mknod", "readlink"];

    /// Older forms of the same, which newer architectures lack.
    const REFUSED_OLD: &[&str] = if cfg!(target_arch = "x86_64") {
        &["chmod", "chown", "lchown", "utime", "utimes", "futimesat", "iopl", "ioperm"]
    } else {
        &[]
    };

    /// Of these, the calls that change a file without writing into it.
    const MODES: &str = "fchmod fchmodat fchmodat2 fchown fchownat utimensat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr";

    /// What a shell may do nevertheless: make process groups, and kill them.
    const SHELLS: &str = "kill tkill rt_sigqueueinfo pidfd_send_signal setpgid setsid";
    /// Devices without side effects. Not the terminals, which are the user's.
    pub(super) const DEVICES: [&str; 6] =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

    /// What a confined command cannot read. Each may be a link itself: `/dev/shm` was one to `/run/shm`.
    const HIDDEN: [&str; 4] = ["/dev", "/dev/shm", "/run/user", "/var/run/user"];

    /// What an agent is refused besides files: sockets of other programs, and the limits, queues and, where the kernel supports it, signals
    /// of other processes. Allows mounts, since agents sandbox their own commands.
    pub fn alone_with_files() -> anyhow::Result<()> {
        let filters = [no_local_sockets()?, no_others()?];
        drop_capabilities().context("could not give up the rights of root")?;
        let scope = Ruleset::default().set_compatibility(CompatLevel::BestEffort).scope(Scope::from_all(WANTED))?;
        scope.create()?.restrict_self()?;
        for filter in &filters {
            seccompiler::apply_filter(filter).context("could not refuse system calls")?;
        }
        Ok(())
    }

    /// For an agent in Landlock alone: forbids changing modes, owners and times of files, even its own.
    pub fn keep_modes() -> anyhow::Result<()> {
        let filter = filter_of(MODES.split(' ').chain(REFUSED_OLD.iter().copied()))?;
        seccompiler::apply_filter(&filter).context("could not refuse system calls")
    }

    pub fn confine(writes: &WriteAccess<'_>) -> anyhow::Result<()> {
        let beneath = |rules: RulesetCreated, place: &std::os::fd::OwnedFd| -> anyhow::Result<RulesetCreated> {
            Ok(rules.add_rule(PathBeneath::new(place, directory()))?)
        };
        let (rules, hidden, filters) = match writes {
            WriteAccess::Beneath { places, hidden } => {
                let rules = files()?.scope(Scope::from_all(WANTED))?.create()?;
                let rules = places.iter().try_fold(rules, |rules, place| beneath(rules, place))?;
                (rules, *hidden, vec![no_local_sockets()?, no_others()?])
            }
            WriteAccess::Nothing { temp } => {
                let names = |name: &&str| !SHELLS.split(' ').any(|allowed| allowed == *name);
                let refused = filter_of(refused().filter(names))?;
                (beneath(ruleset()?, temp)?, [].as_slice(), vec![refused, no_local_sockets()?, no_others()?])
            }
        };
        drop_capabilities().context("could not give up the rights of root")?;
        let mut rules = readable(rules, hidden)?;
        for device in DEVICES.iter().filter_map(|device| PathFd::new(device).ok()) {
            rules = rules.add_rule(PathBeneath::new(device, AccessFs::from_file(WANTED)))?;
        }
        check_status(&rules.restrict_self()?)?;
        for filter in &filters {
            seccompiler::apply_filter(filter).context("could not refuse system calls")?;
        }
        Ok(())
    }

    /// Everything may be read but devices, since any process that opens a terminal reads from it, shared memory, and the user's runtime
    /// directory, which holds sockets and keys.
    fn readable(rules: RulesetCreated, more: &[PathBuf]) -> anyhow::Result<RulesetCreated> {
        let hidden = HIDDEN.iter().filter_map(|place| std::fs::canonicalize(place).ok());
        let hidden: Vec<PathBuf> = hidden.chain(more.iter().cloned()).collect();
        // Directories may be listed everywhere.
        let mut rules = rules.add_rule(PathBeneath::new(PathFd::new("/")?, AccessFs::ReadDir))?;
        for place in places_around(Path::new("/"), &hidden)? {
            // A file that we may not open.
            let Ok(opened) = PathFd::new(&place) else { continue };
            let is_dir = place.is_dir();
            let access = if is_dir { AccessFs::from_read(NEEDED) } else { AccessFs::ReadFile | AccessFs::Execute };
            rules = rules.add_rule(PathBeneath::new(opened, access))?;
        }
        Ok(rules)
    }

    /// Everything in a directory but the hidden places, as few paths as possible. Skips links, whose rule would apply to their target, such
    /// as `/run/shm` to `/dev/shm`; a target has a path of its own.
    pub(super) fn places_around(directory: &Path, hidden: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let entries =
            std::fs::read_dir(directory).with_context(|| format!("could not list {}", directory.display()))?;
        let mut places = Vec::new();
        for entry in entries.flatten() {
            let (path, is_link) = (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_symlink()));
            if is_link || hidden.contains(&path) {
                continue;
            }
            if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
                places.extend(places_around(&path, hidden).unwrap_or_default());
            } else {
                places.push(path);
            }
        }
        Ok(places)
    }

    /// Servers on local sockets act for any process of their user: tmux types, docker and systemd start what they are told, an ssh agent
    /// signs. A confined command can create no such socket, nor one of another family, which may reach the host of a virtual machine, nor
    /// an io_uring, which could create one, nor a datagram pair, which can send elsewhere. Stream pairs and the network stay allowed.
    fn no_local_sockets() -> anyhow::Result<BpfProgram> {
        let is_local = serde_json::json!({ "index": 0, "type": "dword", "op": "eq", "val": AF_UNIX });
        let is_type = |kind: u32| {
            let op = serde_json::json!({ "masked_eq": SOCKET_TYPE });
            serde_json::json!({ "index": 1, "type": "dword", "op": op, "val": kind })
        };
        let is_other =
            FAMILIES.map(|family| serde_json::json!({ "index": 0, "type": "dword", "op": "ne", "val": family }));
        compiled(
            EAFNOSUPPORT,
            vec![
                serde_json::json!({ "syscall": "socket", "args": is_other }),
                serde_json::json!({ "syscall": "socketpair", "args": [is_local, is_type(SOCK_DGRAM)] }),
                serde_json::json!({ "syscall": "socketpair", "args": [is_local, is_type(SOCK_RAW)] }),
                serde_json::json!({ "syscall": "io_uring_setup" }),
            ],
        )
    }

    /// Refuses what affects other processes of the user besides signals: their limits, priority and queues, keys, leases on files that they
    /// open. A limit could mark them as a command's, or kill them. In `setpriority`, a target of 0 means this process only with
    /// PRIO_PROCESS, not for groups or users. `sched_setaffinity` stays allowed: it takes a thread id, and a filter cannot tell the ids of
    /// this process's threads from others.
    fn no_others() -> anyhow::Result<BpfProgram> {
        let of_another = |call: &str, index: u32| {
            let is_another = serde_json::json!({ "index": index, "type": "dword", "op": "ne", "val": 0 });
            serde_json::json!({ "syscall": call, "args": [is_another] })
        };
        let other_than = |call: &str, kind: u32| {
            let is_other = serde_json::json!({ "index": 0, "type": "dword", "op": "ne", "val": kind });
            serde_json::json!({ "syscall": call, "args": [is_other] })
        };
        let takes_lease = serde_json::json!({ "index": 1, "type": "dword", "op": "eq", "val": F_SETLEASE });
        let mut rules = vec![
            of_another("prlimit64", 0),
            of_another("setpriority", 1),
            other_than("setpriority", PRIO_PROCESS),
            of_another("ioprio_set", 1),
            other_than("ioprio_set", IOPRIO_WHO_PROCESS),
            of_another("migrate_pages", 0),
            of_another("move_pages", 0),
            of_another("sched_setscheduler", 0),
            of_another("sched_setparam", 0),
            of_another("sched_setattr", 0),
            serde_json::json!({ "syscall": "fcntl", "args": [takes_lease] }),
        ];
        rules.extend(OTHERS.split(' ').map(|name| serde_json::json!({ "syscall": name })));
        compiled(EPERM, rules)
    }

    /// Keeps those capabilities of root that foreign files in the workspace need.
    fn drop_capabilities() -> rustix::io::Result<()> {
        let kept = CapabilitySet::CHOWN
            | CapabilitySet::DAC_OVERRIDE
            | CapabilitySet::FOWNER
            | CapabilitySet::FSETID
            | CapabilitySet::NET_BIND_SERVICE;
        let mut sets = capabilities(None)?;
        if sets.effective.contains(CapabilitySet::SETPCAP) {
            for right in CapabilitySet::all().difference(kept).iter() {
                // A kernel need not know all of them.
                if capability_is_in_bounding_set(right).unwrap_or(false) {
                    remove_capability_from_bounding_set(right)?;
                }
            }
        }
        let _ = clear_ambient_capability_set();
        sets.effective &= kept;
        sets.permitted &= kept;
        sets.inheritable &= kept;
        set_capabilities(None, sets)
    }

    /// All rights, except those that only root has and no program needs.
    fn directory() -> BitFlags<AccessFs> {
        AccessFs::from_all(WANTED) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
    }

    fn check_status(status: &RestrictionStatus) -> anyhow::Result<()> {
        ensure!(status.ruleset != RulesetStatus::NotEnforced && status.no_new_privs, "the kernel did not restrict us");
        Ok(())
    }

    /// Compiled once: it takes a millisecond.
    static FILTERS: LazyLock<Option<[BpfProgram; 3]>> =
        LazyLock::new(|| Some([filter_of(refused()).ok()?, alone().ok()?, no_clone3().ok()?]));

    const CLONE_THREAD: u64 = 0x1_0000;
    const ENOSYS: i32 = 38;

    /// Allows threads, but no processes: a program that may exec itself and its loader could run anything through them, such as a filter
    /// that a repository names. Nor may it limit other processes, or run from memory.
    fn alone() -> anyhow::Result<BpfProgram> {
        let argument = |index: u8, op: serde_json::Value, value: u64| serde_json::json!([{ "index": index, "type": "qword", "op": op, "val": value }]);
        let mut rules = vec![
            serde_json::json!({ "syscall": "clone", "args": argument(0, serde_json::json!({ "masked_eq": CLONE_THREAD }), 0) }),
            serde_json::json!({ "syscall": "prlimit64", "args": argument(0, serde_json::json!("ne"), 0) }),
            serde_json::json!({ "syscall": "memfd_create" }),
        ];
        if cfg!(target_arch = "x86_64") {
            rules.extend(["fork", "vfork"].map(|name| serde_json::json!({ "syscall": name })));
        }
        compiled(EPERM, rules)
    }

    /// Its flags are in memory, where no filter sees them; on ENOSYS the C library falls back to `clone`.
    fn no_clone3() -> anyhow::Result<BpfProgram> {
        compiled(ENOSYS, vec![serde_json::json!({ "syscall": "clone3" })])
    }

    pub struct ReadOnly {
        /// `None` once entered.
        rules: Option<RulesetCreated>,
        filters: &'static [BpfProgram; 3],
    }

    impl ReadOnly {
        pub fn running(program: &Path, places: &[PathBuf]) -> anyhow::Result<Self> {
            let filters = FILTERS.as_ref().context("could not make a filter of system calls")?;
            let reads = AccessFs::from_read(NEEDED) & !AccessFs::Execute;
            let nothing = PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::from_file(NEEDED));
            let mut rules = ruleset()?.add_rule(nothing)?;
            for place in places {
                let Ok(opened) = PathFd::new(place) else { continue };
                let access = if place.is_dir() { reads } else { AccessFs::ReadFile.into() };
                rules = rules.add_rule(PathBeneath::new(opened, access))?;
            }
            let interpreter = elf::interpreter(program);
            for file in [Some(program), interpreter.as_deref()].into_iter().flatten() {
                let begins = AccessFs::Execute | AccessFs::ReadFile;
                rules = rules.add_rule(PathBeneath::new(PathFd::new(file)?, begins))?;
            }
            Ok(Self { rules: Some(rules), filters })
        }

        pub fn enter(&mut self) -> std::io::Result<()> {
            let refused = || std::io::Error::from(std::io::ErrorKind::PermissionDenied);
            setrlimit(Resource::Data, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) })?;
            let status = self.rules.take().ok_or_else(refused)?.restrict_self().map_err(|_| refused())?;
            if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
                return Err(refused());
            }
            self.filters.iter().try_for_each(|filter| seccompiler::apply_filter(filter).map_err(|_| refused()))
        }
    }

    pub fn restrict() -> anyhow::Result<()> {
        let filter = filter_of(refused())?;
        let everything = PathBeneath::new(PathFd::new("/")?, AccessFs::from_read(NEEDED));
        let nothing = PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::from_file(NEEDED));
        check_status(&ruleset()?.add_rule(everything)?.add_rule(nothing)?.restrict_self()?)?;
        for (resource, most) in [
            (Resource::Cpu, CPU),
            (Resource::Fsize, 0),
            (Resource::Core, 0),
            (Resource::Data, MEMORY),
            (Resource::As, ADDRESSES),
            (Resource::Nofile, FILES),
        ] {
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            setrlimit(resource, limit).context("could not limit what may be used")?;
        }
        seccompiler::apply_filter(&filter).context("could not refuse system calls")
    }

    pub fn compute_only(memory: u64) -> anyhow::Result<()> {
        for (resource, most) in [(Resource::Data, memory), (Resource::Fsize, 0), (Resource::Core, 0)] {
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            setrlimit(resource, limit).context("could not limit what may be used")?;
        }
        if let Ok(nothing) = ruleset() {
            check_status(&nothing.restrict_self()?)?;
        }
        close_others();
        for filter in FILTERS.as_ref().context("could not make a filter of system calls")? {
            seccompiler::apply_filter(filter).context("could not refuse system calls")?;
        }
        let old = NAMES_OLD.iter().copied();
        let filter = filter_of(NAMES.split_whitespace().chain(old.filter(|_| cfg!(target_arch = "x86_64"))))?;
        seccompiler::apply_filter(&filter).context("could not refuse system calls")
    }

    /// Closes what was inherited: a shell may have started the daemon with files open.
    #[expect(unsafe_code, reason = "the files of a caller belong to no object here")]
    fn close_others() {
        let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return };
        let names = open.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        for number in names.filter(|number| *number > 2).collect::<Vec<_>>() {
            // SAFETY: nothing in this process uses a file besides its three streams; that of the listing is closed already.
            unsafe { rustix::io::close(number) };
        }
    }

    pub fn check() -> anyhow::Result<()> {
        filter_of(refused())?;
        ruleset()?;
        Ok(())
    }

    /// Also denies the network and other processes.
    fn ruleset() -> anyhow::Result<RulesetCreated> {
        let ruleset = files()?.handle_access(AccessNet::from_all(WANTED))?.scope(Scope::from_all(WANTED))?;
        Ok(ruleset.create()?)
    }

    fn files() -> anyhow::Result<Ruleset> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(NEEDED))
            .context("the kernel has no Landlock that refuses all writing (Linux 6.2 or later)")?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(WANTED))?;
        Ok(ruleset)
    }

    fn refused() -> impl Iterator<Item = &'static str> {
        REFUSED.split(' ').chain(REFUSED_OLD.iter().copied())
    }

    fn filter_of(names: impl Iterator<Item = &'static str>) -> anyhow::Result<BpfProgram> {
        compiled(EPERM, names.map(|name| serde_json::json!({ "syscall": name })).collect())
    }

    /// A filter that refuses these system calls with this error, and allows all others.
    fn compiled(error: i32, rules: Vec<serde_json::Value>) -> anyhow::Result<BpfProgram> {
        let policy = serde_json::json!({
            "all": { "mismatch_action": "allow", "match_action": { "errno": error }, "filter": rules }
        });
        let machine = std::env::consts::ARCH.try_into().context("no filter for this kind of machine")?;
        let mut filters = seccompiler::compile_from_json(policy.to_string().as_bytes(), machine)
            .context("could not make a filter of system calls")?;
        filters.remove("all").context("the filter is empty")
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    pub fn restrict() -> anyhow::Result<()> {
        check()
    }

    pub fn confine(_: &super::WriteAccess<'_>) -> anyhow::Result<()> {
        check()
    }

    /// The reader is our own code, and reads only what it is given.
    pub fn compute_only(_: u64) -> anyhow::Result<()> {
        Ok(())
    }

    pub fn check() -> anyhow::Result<()> {
        anyhow::bail!("there is no sandbox for this system")
    }

    pub struct ReadOnly(());

    impl ReadOnly {
        pub fn running(_: &std::path::Path, _: &[std::path::PathBuf]) -> anyhow::Result<Self> {
            check().map(Self)
        }

        pub fn enter(&mut self) -> std::io::Result<()> {
            Err(std::io::ErrorKind::Unsupported.into())
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_filter_knows_every_name_that_it_refuses() {
        if cfg!(target_os = "linux") {
            super::check().unwrap();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_makes_nothing_readable_that_is_hidden() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        for directory in ["dev/shm", "dev/pts", "run/user/1000", "run/lock", "var/lib", "usr/bin"] {
            std::fs::create_dir_all(at(directory)).unwrap();
        }
        std::fs::write(at("run/pid"), "1").unwrap();
        for (link, to) in [
            ("run/shm", "dev/shm"),
            ("run/me", "run/user/1000"),
            ("var/run", "run"),
            ("bin", "usr/bin"),
            ("devices", "dev"),
            ("all", ""),
        ] {
            std::os::unix::fs::symlink(at(to), at(link)).unwrap();
        }
        let readable = |hidden: &[&str]| {
            let hidden: Vec<_> = hidden.iter().map(|name| at(name)).collect();
            let mut places = super::platform::places_around(&root, &hidden).unwrap();
            places.sort();
            places.iter().map(|place| place.strip_prefix(&root).unwrap().display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(readable(&["dev", "dev/shm", "run/user"]), ["run/lock", "run/pid", "usr", "var"]);
        assert_eq!(readable(&["dev/shm"]), ["dev/pts", "run", "usr", "var"]);
    }
}
