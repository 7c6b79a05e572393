//! What a program may do while it is asked for its help: read, compute and print. It was run by the person before, but not
//! with `--help`, and may take that for nothing and do its work; so it can write nowhere and reach nobody.

/// Restricts this process for good, and what it becomes. Must be called before any thread is started.
pub fn restrict() -> anyhow::Result<()> {
    platform::restrict()
}

/// Whether this machine can restrict a process so far; otherwise nothing is learnt.
pub fn check() -> anyhow::Result<()> {
    platform::check()
}

#[cfg(target_os = "linux")]
mod platform {
    use anyhow::{Context, ensure};
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
    };
    use rustix::process::{Resource, Rlimit, setrlimit};
    use seccompiler::BpfProgram;

    /// Seconds of computing.
    const CPU: u64 = 2;
    const MEMORY: u64 = 1024 * 1024 * 1024;
    /// Some runtimes reserve far more than they use.
    const ADDRESSES: u64 = 64 * MEMORY;
    const FILES: u64 = 256;

    /// From Linux 6.2 on, cutting a file counts as writing to it.
    const NEEDED: ABI = ABI::V3;
    /// What else is refused where the kernel can: TCP, devices, signals to others.
    const WANTED: ABI = ABI::V6;

    /// What Landlock has no word for: sockets of every kind, modes, owners and times of files, signals, the machine itself;
    /// and leaving the group of processes that is ended when time is up.
    const REFUSED: &str = "\
        socket connect bind listen io_uring_setup fchmod fchmodat fchmodat2 fchown fchownat utimensat setxattr \
        lsetxattr fsetxattr removexattr lremovexattr fremovexattr kill tkill pidfd_send_signal rt_sigqueueinfo \
        ptrace process_vm_writev setsid setpgid mount umount2 pivot_root move_mount mount_setattr swapon swapoff \
        reboot kexec_load init_module finit_module delete_module bpf perf_event_open keyctl add_key request_key \
        sethostname setdomainname settimeofday clock_settime clock_adjtime adjtimex acct quotactl syslog \
        setpriority sched_setscheduler mq_open mq_unlink shmget msgget semget";
    /// Older forms of the same, which newer machines do not have.
    const REFUSED_OLD: &[&str] = if cfg!(target_arch = "x86_64") {
        &["chmod", "chown", "lchown", "utime", "utimes", "futimesat", "iopl", "ioperm"]
    } else {
        &[]
    };

    pub fn restrict() -> anyhow::Result<()> {
        let filter = filter()?;
        let everything = PathBeneath::new(PathFd::new("/")?, AccessFs::from_read(NEEDED));
        let nothing = PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::from_file(NEEDED));
        let status = ruleset()?.add_rule(everything)?.add_rule(nothing)?.restrict_self()?;
        ensure!(status.ruleset != RulesetStatus::NotEnforced && status.no_new_privs, "the kernel did not restrict us");
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

    pub fn check() -> anyhow::Result<()> {
        filter()?;
        ruleset()?;
        Ok(())
    }

    fn ruleset() -> anyhow::Result<RulesetCreated> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(NEEDED))
            .context("the kernel has no Landlock that refuses all writing (Linux 6.2 or later)")?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(WANTED))?
            .handle_access(AccessNet::from_all(WANTED))?
            .scope(Scope::from_all(WANTED))?;
        Ok(ruleset.create()?)
    }

    fn filter() -> anyhow::Result<BpfProgram> {
        let names = REFUSED.split(' ').chain(REFUSED_OLD.iter().copied());
        let rules: Vec<_> = names.map(|name| serde_json::json!({ "syscall": name })).collect();
        let policy = serde_json::json!({
            "all": { "mismatch_action": "allow", "match_action": { "errno": 1 }, "filter": rules }
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

    pub fn check() -> anyhow::Result<()> {
        anyhow::bail!("there is no sandbox for this system")
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
}
