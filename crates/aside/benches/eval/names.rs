//! Which files and commits an output names, whatever else it says about them: `ls -l`, `find`, `du`, `grep -n`, `git status` and
//! the rest are all parsed alike.

use std::collections::BTreeSet;

use super::tree::{Content, Tree};

/// The context of an output.
pub struct OutputNames<'a> {
    pub tree: &'a Tree,
    /// The home, as the output would write it.
    pub root: &'a str,
    /// Below it, where the command ran.
    pub folder: &'a str,
}

/// For each name, in order, the paths that it may refer to, most likely first. A bare name may be a file in any directory: `ls`
/// does not say which.
pub fn files(output: &str, known: &OutputNames) -> Vec<Vec<String>> {
    let output = without_colours(output).replace('\0', "\n");
    let mut found = Vec::new();
    // `ls -R` and `ls one two` print the directory once, above its files.
    let mut heading = None;
    for line in output.lines() {
        // `find -ls` escapes a space like this.
        let line = line.trim().replace("\\ ", " ");
        let line = line.as_str();
        if line.is_empty() || line.starts_with("Archive:") {
            continue;
        }
        if let Some(folder) = line.strip_suffix(':').and_then(|name| known.folder(name)) {
            heading = Some(folder);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let each: Vec<Option<String>> = words.iter().map(|word| known.path(word)).collect();
        if words.len() > 1 && each.iter().all(Option::is_some) {
            found.extend(each.into_iter().flatten().map(|path| vec![path]));
        } else if let Some(paths) = known.in_line(line, heading.as_deref()) {
            found.push(paths);
        }
    }
    // Drops the directory itself, as `find .` and `ls -la` list it.
    found.retain(|paths| paths[0] != known.folder && !known.folder.starts_with(&format!("{}/", paths[0])));
    found
}

impl OutputNames<'_> {
    fn in_line(&self, line: &str, heading: Option<&str>) -> Option<Vec<String>> {
        // `grep -n` and `file`: the name comes first.
        if let Some(path) = line.split_once(':').and_then(|(head, _)| self.path(head)) {
            return Some(vec![path]);
        }
        let line = line.split_once(" -> ").map_or(line, |(head, _)| head);
        let line = line.split_once(" | ").map_or(line, |(head, _)| head).trim();
        // Names may contain spaces, so the longest suffix of the line that is a name is the name.
        let starts = std::iter::once(0).chain(line.match_indices(char::is_whitespace).map(|(at, _)| at + 1));
        let ends: Vec<&str> = starts.filter_map(|at| line.get(at..)).filter(|end| !end.trim().is_empty()).collect();
        if let Some(heading) = heading {
            let below = |end: &&str| self.exists(&format!("{heading}/{}", bare(end)));
            if let Some(path) = ends.iter().find_map(below) {
                return Some(vec![path]);
            }
        }
        for end in ends {
            if matches!(bare(end), "." | "..") {
                return None;
            }
            let mut paths: Vec<String> = self.path(end).into_iter().collect();
            let tail = format!("/{}", bare(end));
            let below = format!("{}/", self.folder);
            let others = self.tree.keys().filter(|path| path.ends_with(&tail) && path.starts_with(&below));
            let others: Vec<String> = others.filter(|path| !paths.contains(path)).cloned().collect();
            paths.extend(others);
            if !paths.is_empty() {
                return Some(paths);
            }
        }
        None
    }

    fn folder(&self, name: &str) -> Option<String> {
        let path = self.path(name)?;
        (path == self.folder || self.tree.get(&path).is_some_and(|entry| entry.content == Content::Folder))
            .then_some(path)
    }

    /// The file of that name, relative to where the command ran.
    fn path(&self, name: &str) -> Option<String> {
        let name = bare(name);
        if name.is_empty() {
            return None;
        }
        match name.strip_prefix(self.root).or_else(|| name.strip_prefix('~')) {
            Some(below) => self.exists(below.trim_start_matches('/')),
            None if name.starts_with('/') => None,
            None => self.exists(&format!("{}/{name}", self.folder)),
        }
    }

    fn exists(&self, path: &str) -> Option<String> {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        self.tree.contains_key(&path).then_some(path)
    }
}

/// Without quotes, and without the suffix of `ls -F`.
fn bare(name: &str) -> &str {
    let name = name.trim().trim_end_matches(',');
    let quoted = |quote: char| name.strip_prefix(quote).and_then(|name| name.strip_suffix(quote));
    let name = quoted('\'').or_else(|| quoted('"')).unwrap_or(name);
    name.trim_end_matches(['/', '*', '@', '|'])
}

/// The commits that lines name by hash or by message, each once, in order.
pub fn commits(output: &str, all: &[(String, String)]) -> Vec<String> {
    let output = without_colours(output);
    let mut found: Vec<String> = Vec::new();
    for line in output.lines().filter(|line| !line.starts_with("Merge:")) {
        let words = line.split(|letter: char| !letter.is_ascii_alphanumeric());
        let hashes: BTreeSet<&str> =
            words.filter(|word| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())).collect();
        let by_hash = all.iter().find(|(hash, _)| hashes.iter().any(|word| hash.starts_with(word)));
        let by_message =
            || all.iter().filter(|(_, subject)| line.contains(subject)).max_by_key(|(_, subject)| subject.len());
        if let Some((hash, _)) = by_hash.or_else(by_message)
            && !found.contains(hash)
        {
            found.push(hash.clone());
        }
    }
    found
}

/// Without colour escape sequences.
pub fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('\x1b') {
        plain.push_str(head);
        let end = tail.strip_prefix('[').and_then(|tail| tail.find(|letter: char| letter.is_ascii_alphabetic()));
        rest = end.and_then(|end| tail.get(end + 2..)).unwrap_or(tail);
    }
    plain.push_str(rest);
    plain
}
