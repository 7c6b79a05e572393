//! Words that name something on this machine right now: branches, remotes, users, running processes, hosts of the ssh
//! settings.

use aside_commands::world::LiveKind;

use crate::embedded::analysis::Reader;
use crate::embedded::entities::Entity;
use crate::embedded::lexicon::Concept;

impl Reader<'_, '_> {
    /// `web1:logs`, where the ssh settings name `web1`.
    pub(super) fn is_at_host(&self, text: &str) -> bool {
        text.split_once(':').is_some_and(|(host, path)| !path.starts_with(':') && self.knows(LiveKind::Host, host))
    }

    fn knows(&self, what: LiveKind, name: &str) -> bool {
        let items = self.place.world.live(what, self.place.cwd).yes();
        items.is_some_and(|items| items.iter().any(|item| &*item.name == name))
    }

    /// The host that files go to or come from: one that the ssh settings name, or a name behind `to server`.
    fn host(&self, at: usize) -> Option<Entity> {
        const LEADS: &[&str] = &["to", "onto", "on", "from", "at", "into", "via", "with", "ssh", "到", "从"];
        const MACHINES: &[&str] = &["server", "host", "machine", "box"];
        let text = self.units.get(at)?.text.as_str();
        let mut before = (0..at).rev().map(|place| self.low(place).unwrap_or_default());
        let mut before = before.by_ref().filter(|low| !matches!(*low, "the" | "my" | "our")).take(2);
        let (first, second) = (before.next().unwrap_or_default(), before.next().unwrap_or_default());
        let after = self.low(at + 1).unwrap_or_default();
        let says_machine = MACHINES.contains(&first);
        let is_led = LEADS.contains(&first) || says_machine && LEADS.contains(&second) || MACHINES.contains(&after);
        let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
        let is_last = at + 1 == self.units.len();
        (is_led
            && is_name
            && (self.knows(LiveKind::Host, text)
                || says_machine && is_last && matches!(second, "to" | "from" | "onto")))
        .then(|| Entity::Host(text.to_owned()))
    }

    /// `the login branch`, where exactly one branch such as `feature/login` exists.
    fn branch_of(&self, at: usize) -> Option<Entity> {
        let text = self.units.get(at)?.text.as_str();
        let beside = |place: Option<usize>| {
            place.and_then(|place| self.low(place)).is_some_and(|low| matches!(low, "branch" | "分支"))
        };
        let makes = self.units.iter().any(|unit| {
            matches!(
                unit.low.as_str(),
                "create" | "make" | "new" | "start" | "rename" | "add" | "创建" | "新建" | "called" | "named"
            )
        });
        if makes || text.len() < 3 || !beside(Some(at + 1)) && !beside(at.checked_sub(1)) {
            return None;
        }
        let branches = self.place.world.live(LiveKind::GitBranch, self.place.cwd).yes()?;
        let has_part = |name: &&str| name.split(['/', '-', '_']).any(|part| part.eq_ignore_ascii_case(text));
        let mut found = branches.iter().map(|item| &*item.name).filter(has_part);
        found.next().filter(|_| found.next().is_none()).map(|name| Entity::Branch(name.to_owned()))
    }

    fn speaks_of_processes(&self) -> bool {
        const SPEAKS: &[&str] = &[
            "kill",
            "stop",
            "process",
            "processes",
            "running",
            "pid",
            "terminate",
            "restart",
            "quit",
            "close",
            "cpu",
            "memory",
            "service",
            "status",
            "start",
            "log",
            "logs",
            "reload",
            "enable",
            "disable",
            "threads",
            "进程",
            "杀死",
            "杀掉",
            "重启",
            "服务",
            "停止",
        ];
        self.units.iter().any(|unit| SPEAKS.contains(&unit.low.as_str()))
    }

    /// Names that change over time: a branch, a remote, a user, a running process.
    pub(super) fn live(&self, at: usize, known: Option<Concept>) -> Option<Entity> {
        let text = self.units.get(at)?.text.as_str();
        let is_name = known.is_none_or(|concept| !self.lexicon.is_spoken(concept));
        let before = at.checked_sub(1).and_then(|before| self.low(before)).unwrap_or_default();
        let knows = |what: LiveKind| {
            let items = self.place.world.live(what, self.place.cwd).yes()?;
            items.iter().any(|item| &*item.name == text).then_some(())
        };
        let name = || text.to_owned();
        knows(LiveKind::GitBranch)
            .map(|()| Entity::Branch(name()))
            .or_else(|| knows(LiveKind::GitRemote).map(|()| Entity::Remote(name())))
            .or_else(|| knows(LiveKind::GitTag).map(|()| Entity::Tag(name())))
            .or_else(|| {
                knows(LiveKind::User)
                    .filter(|()| is_name || matches!(before, "user" | "by" | "does"))
                    .map(|()| Entity::User(name()))
            })
            // Programs named like ordinary words run all the time: `sort`, `sleep`. Listing all processes is slow as
            // well.
            .or_else(|| {
                let is_meant = is_name && self.speaks_of_processes();
                is_meant.then(|| knows(LiveKind::ProcessName)).flatten().map(|()| Entity::Process(name()))
            })
            .or_else(|| is_name.then(|| self.host(at)).flatten())
            .or_else(|| self.branch_of(at))
    }
}
