//! The ancestors of this process, from `/proc`: which shell our command was typed in.

/// A longer chain is a loop.
const MAX_ANCESTORS: usize = 64;

pub struct Process {
    pub pid: u32,
    /// Empty where the system does not tell.
    pub name: String,
}

/// Our parent, its parent, and so on as far as the system tells.
pub fn ancestors() -> Vec<Process> {
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_pid() as u32);
    let mut next = parent;
    let mut ancestors = Vec::new();
    while let Some(pid) = next.filter(|pid| *pid > 0 && ancestors.len() < MAX_ANCESTORS) {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let (name, above) = name_and_parent(&stat).unwrap_or_default();
        ancestors.push(Process { pid, name });
        next = above;
    }
    ancestors
}

/// Parses `42 (a name) S 41 …`. The name may contain blanks and parentheses.
fn name_and_parent(stat: &str) -> Option<(String, Option<u32>)> {
    let (start, rest) = stat.rsplit_once(") ")?;
    let (_, name) = start.split_once(" (")?;
    Some((name.to_owned(), rest.split(' ').nth(1)?.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_be_called_anything() {
        assert_eq!(name_and_parent("42 (zsh) S 41 42 0"), Some(("zsh".to_owned(), Some(41))));
        assert_eq!(name_and_parent("42 (a) (b) ) R 1 2"), Some(("a) (b) ".to_owned(), Some(1))));
        assert_eq!(name_and_parent(""), None);
    }

    #[test]
    fn this_process_has_ancestors() {
        let parent = std::os::unix::process::parent_id();
        assert_eq!(ancestors().first().map(|process| process.pid), Some(parent));
    }
}
