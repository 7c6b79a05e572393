//! Host names: from the SSH settings, from known_hosts, and from `/etc/hosts`.

use std::net::IpAddr;
use std::path::Path;

use aside_commands::world::LiveItem;

use crate::world::read::{glob, item, read, read_end};

const MAX_INCLUDED: usize = 32;
/// Bytes read from the end of known_hosts, where the latest are.
const KNOWN_BYTES: u64 = 512 * 1024;

pub fn hosts(home: &Path) -> Option<Vec<LiveItem>> {
    let ssh = home.join(".ssh");
    let mut hosts = configured(home, &ssh);
    hosts.extend(known(&read_end(&ssh.join("known_hosts"), KNOWN_BYTES).unwrap_or_default()));
    hosts.extend(local(&read(Path::new("/etc/hosts")).unwrap_or_default()));
    Some(hosts)
}

fn configured(home: &Path, ssh: &Path) -> Vec<LiveItem> {
    let mut hosts = Vec::new();
    let mut included = Vec::new();
    let text = read(&ssh.join("config")).unwrap_or_default();
    named(&text, &mut hosts, &mut included);
    let paths = included.iter().map(|pattern| match pattern.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => ssh.join(pattern),
    });
    for file in glob(paths).iter().take(MAX_INCLUDED) {
        named(&read(file).unwrap_or_default(), &mut hosts, &mut Vec::new());
    }
    hosts
}

/// Adds the names of `Host` lines, with their `HostName`, and the patterns of included files.
fn named(text: &str, hosts: &mut Vec<LiveItem>, included: &mut Vec<String>) {
    let mut current = hosts.len();
    for line in text.lines().map(str::trim) {
        let Some(end) = line.find([' ', '\t', '=']) else { continue };
        let (key, value) = (line[..end].to_ascii_lowercase(), line[end..].trim_start_matches([' ', '\t', '=']));
        let words = value.split_whitespace().map(|word| word.trim_matches('"'));
        match key.as_str() {
            "host" => {
                current = hosts.len();
                hosts.extend(words.filter(|name| !name.contains(['*', '?', '!'])).map(|name| item(name, "")));
            }
            "match" => current = hosts.len(),
            "hostname" => {
                for host in &mut hosts[current..] {
                    host.about = value.trim_matches('"').into();
                }
            }
            "include" => included.extend(words.map(str::to_owned)),
            _ => {}
        }
    }
}

/// Latest first, names before addresses. Skips hashed entries, which cannot be read.
fn known(text: &str) -> Vec<LiveItem> {
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines().rev().filter(|line| !line.starts_with(['#', '@', '|'])) {
        for name in line.split_whitespace().next().unwrap_or("").split(',') {
            let name = match name.strip_prefix('[') {
                Some(rest) => rest.split(']').next().unwrap_or(""),
                None => name,
            };
            if !name.is_empty() && !name.contains(['*', '?', '!', '|']) {
                names.push(name);
            }
        }
    }
    names.sort_by_key(|name| name.parse::<IpAddr>().is_ok());
    names.into_iter().map(|name| item(name, "")).collect()
}

/// Without this machine, and without entries of ad-blocking lists, which have the unspecified address.
fn local(text: &str) -> Vec<LiveItem> {
    let mut hosts = Vec::new();
    for line in text.lines() {
        let mut words = line.split('#').next().unwrap_or("").split_whitespace();
        let Some(Ok(address)) = words.next().map(str::parse::<IpAddr>) else { continue };
        let special = match address {
            IpAddr::V4(address) => address.is_broadcast(),
            IpAddr::V6(address) => address.segments()[0] >= 0xfe00,
        };
        if !address.is_loopback() && !address.is_unspecified() && !special {
            hosts.extend(words.map(|name| item(name, address.to_string())));
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(items: &[LiveItem]) -> Vec<String> {
        items.iter().map(|item| format!("{} {}", item.name, item.about)).collect()
    }

    #[test]
    fn hosts_of_the_settings_and_of_the_files_that_they_include() {
        let temp = tempfile::tempdir().unwrap();
        let ssh = temp.path().join(".ssh");
        std::fs::create_dir_all(ssh.join("config.d")).unwrap();
        let text = "Include config.d/*\nInclude ~/more\n# Host no\nHost web \"db\" *.lan !x\n  HostName 10.0.0.1\n\
                    Host=plain\nMatch host y\n  HostName z\nHost *\n  User me\nhostname\n";
        std::fs::write(ssh.join("config"), text).unwrap();
        std::fs::write(ssh.join("config.d/code"), "host jump\n\tHostName jump.example.invalid\n").unwrap();
        std::fs::write(temp.path().join("more"), "Host other\n").unwrap();
        let found = configured(temp.path(), &ssh);
        let expected = ["web 10.0.0.1", "db 10.0.0.1", "plain ", "jump jump.example.invalid", "other "];
        assert_eq!(names(&found), expected);
    }

    #[test]
    fn hosts_that_were_visited_come_latest_first() {
        let text = "old.example.invalid ssh-rsa AAAA\n|1|abc|def ssh-rsa AAAA\n@cert-authority *.x ssh-rsa AAAA\n\
                    10.1.2.3 ssh-rsa AAAA\n[new.example.invalid]:2222,[10.0.0.9]:2222 ssh-ed25519 AAAA\n*.y ssh-rsa A\n";
        assert_eq!(names(&known(text)), ["new.example.invalid ", "old.example.invalid ", "10.0.0.9 ", "10.1.2.3 "]);
    }

    #[test]
    fn this_machine_and_advertisers_are_left_out() {
        let text = "127.0.0.1 localhost me\n::1 ip6-localhost\nff02::1 ip6-allnodes\nfe00::0 ip6-localnet\n\
                    0.0.0.0 ads.example.invalid\n255.255.255.255 broadcasthost\n192.168.1.5 nas nas.lan # disk\nrubbish x\n";
        assert_eq!(names(&local(text)), ["nas 192.168.1.5", "nas.lan 192.168.1.5"]);
    }
}
