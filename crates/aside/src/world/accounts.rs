//! Users and groups of this machine, from its files. Does not ask a directory service.

use std::path::Path;

use aside_commands::world::LiveItem;

use crate::world::read::{item, read};

/// The first uid of regular users.
const FIRST_PERSON: u32 = 1000;
const NOBODY: u32 = 65_534;

pub fn users() -> Option<Vec<LiveItem>> {
    Some(sorted(&read(Path::new("/etc/passwd"))?, rustix::process::getuid().as_raw()))
}

pub fn groups() -> Option<Vec<LiveItem>> {
    Some(sorted(&read(Path::new("/etc/group"))?, rustix::process::getgid().as_raw()))
}

/// Both files begin with a name, a password and a number. Ours first, then root and regular users, then services.
fn sorted(text: &str, ours: u32) -> Vec<LiveItem> {
    let mut rows: Vec<(u8, &str, &str)> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, number, rest @ ..] = fields.as_slice() else { continue };
        let Ok(number) = number.parse::<u32>() else { continue };
        let weight = match number {
            number if number == ours => 0,
            0 => 1,
            FIRST_PERSON.. if number != NOBODY => 1,
            _ => 2,
        };
        // A user's full name; a group has none.
        let about = rest.get(1).filter(|_| rest.len() > 2).map_or("", |about| about.trim_matches(','));
        rows.push((weight, name, about));
    }
    rows.sort_by_key(|(weight, _, _)| *weight);
    rows.into_iter().map(|(_, name, about)| item(name, about)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_come_before_services() {
        let text = "root:x:0:0:root:/root:/bin/sh\nwww:x:33:33:www:/var/www:/usr/sbin/nologin\n# comment\n\
                    nobody:x:65534:65534:nobody:/:/bin/false\nann:x:1000:1000:Ann Example,,,:/home/ann:/bin/zsh\nben:x:1001:1001::/:/bin/sh\n";
        let found: Vec<_> = sorted(text, 1001).iter().map(|user| format!("{} {}", user.name, user.about)).collect();
        assert_eq!(found, ["ben ", "root root", "ann Ann Example", "www www", "nobody nobody"]);
        assert_eq!(sorted("adm:x:4:ann,ben\nann:x:1000:\n", 5), [item("ann", ""), item("adm", "")]);
    }
}
