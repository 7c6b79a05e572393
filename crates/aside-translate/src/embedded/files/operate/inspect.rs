//! Shows information about one named file, or compares two.

use crate::ToolFlavor;
use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::files::actions::sum_tool;
use crate::embedded::files::scan::WordScan;
use crate::embedded::files::several;

pub fn compare(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if ["commit", "branch", "replace", "name", "permission", "size"].iter().any(|alien| reading.has(alien)) {
        return Vec::new();
    }
    let objects = scan.objects(false);
    let [one, two] = objects.as_slice() else { return Vec::new() };
    one.take(&mut scan);
    two.take(&mut scan);
    scan.take(&["compare", "file", "directory", "content", "find", "show", "recursive"]);
    let same = scan.take_said(&["same", "identical", "equal", "whether"]);
    let brief = scan.take_said(&["brief", "briefly"]) | same;
    let beside = scan.take_said(&["side-by-side", "side"]);
    scan.take_said(&["between"]);
    let (first, second) = (scan.quoted(one.path.trim_end_matches('/')), scan.quoted(two.path.trim_end_matches('/')));
    let commands = if one.is_directory && two.is_directory {
        scan.take_said(&["only", "missing"]);
        vec![
            (format!("diff -rq {first} {second}"), "says in what the directories differ"),
            (format!("diff -r {first} {second}"), "shows in what the directories differ"),
        ]
    } else if beside {
        vec![(format!("diff -y {first} {second}"), "shows both files beside each other")]
    } else if brief {
        vec![
            (format!("cmp {first} {second} && echo same"), "says whether the files are the same"),
            (format!("diff -q {first} {second}"), "says whether the files differ"),
        ]
    } else {
        vec![
            (format!("diff {first} {second}"), "shows in what the files differ"),
            (format!("diff -u {first} {second}"), "shows in what the files differ"),
        ]
    };
    several(commands, &scan.used, 0.0, "files-compare")
}

/// Other operations on a file, and what is asked about its lines.
const ALIEN: &[&str] = &[
    "delete",
    "copy",
    "move",
    "rename",
    "replace",
    "count",
    "compare",
    "compress",
    "extract",
    "merge",
    "split",
    "sort",
    "not",
    "link",
    "backup",
    "larger",
    "smaller",
    "commit",
    "branch",
    "first",
    "last-lines",
    "match",
    "unique",
];

/// Information about one file.
pub fn look(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if ALIEN.iter().any(|alien| reading.has(alien)) {
        return Vec::new();
    }
    let objects = scan.objects(false);
    let [one] = objects.as_slice() else { return Vec::new() };
    if one.is_goal || one.place.is_some() {
        return Vec::new();
    }
    let is_packed = crate::embedded::files::archive::is_archive(&one.path);
    let path = scan.quoted(&one.path);
    one.take(&mut scan);
    let file = LookedAt { path: &path, is_directory: one.is_directory, system: reading.place.system };
    if scan.says(&["verify", "verifying"]).is_some() {
        return Vec::new();
    }
    if scan.take(&["sum-of"]) || scan.take_said(&["hash", "md5sum"]) {
        return file.checksum(&mut scan);
    }
    if scan.take(&["absolute"]) {
        scan.take(&["show", "find", "file", "directory"]);
        return drafts(&scan, vec![(format!("realpath {path}"), "prints the whole path")]);
    }
    let when = scan.says(&["when", "time", "timestamp", "modified", "changed"]).is_some()
        && (reading.has("change") || reading.has("access") || reading.has("create"));
    if when
        && !(0..scan.len()).any(|at| matches!(scan.thing(at), Some(Entity::Time(_))))
        && !reading.has("newer")
        && !reading.has("older")
    {
        return file.time(&mut scan);
    }
    if scan.says(&["type", "kind", "format", "mime"]).is_some() {
        scan.take_said(&["type", "kind", "format", "mime", "sort"]);
        scan.take(&["file", "show", "find"]);
        return drafts(&scan, vec![(format!("file {path}"), "says what kind of file it is")]);
    }
    if scan.take(&["permission"])
        || scan.says(&["who"]).is_some()
            && (reading.has("owned") || reading.has("user") || scan.says(&["owns", "own"]).is_some())
        || reading.has("user")
    {
        return file.owner_and_rights(&mut scan);
    }
    if scan.take_said(&["stat", "info", "information", "metadata", "stats", "properties", "attributes"])
        || scan.take(&["long"])
    {
        scan.take(&["file", "show", "find", "all"]);
        let first = if one.is_directory { format!("ls -l {path}") } else { format!("stat {path}") };
        return drafts(
            &scan,
            vec![(first, "shows what is known about it"), (format!("ls -l {path}"), "shows it with its details")],
        );
    }
    if scan.take_said(&["exist", "exists"]) {
        scan.take(&["file", "directory", "show", "find"]);
        return drafts(&scan, vec![(format!("test -e {path} && echo yes || echo no"), "says whether it is there")]);
    }
    // Only shows the file.
    let shows =
        scan.take(&["show"]) | scan.take_said(&["cat", "read", "what's", "what", "ls"]) | scan.take(&["content"]);
    if !shows || is_packed || reading.has("contain") || reading.has("find") || reading.has("open") {
        return Vec::new();
    }
    scan.take(&["all"]);
    if one.is_directory {
        if reading.has("size") || reading.has("usage") || reading.has("tree") {
            return Vec::new();
        }
        scan.take(&["file", "directory"]);
        return drafts(&scan, vec![(format!("ls {path}"), "lists what is in it")]);
    }
    scan.take(&["file"]);
    let numbered = reading.has("line") && scan.take_said(&["numbers", "numbered", "number"]);
    if numbered {
        scan.take(&["line"]);
        return drafts(&scan, vec![(format!("cat -n {path}"), "prints the file with numbers")]);
    }
    drafts(&scan, vec![(format!("cat {path}"), "prints the file")])
}

fn drafts(scan: &WordScan<'_, '_>, commands: Vec<(String, &str)>) -> Vec<Draft> {
    several(commands, &scan.used, 0.0, "files-look")
}

/// The one file that the query is about.
struct LookedAt<'l> {
    /// Quoted.
    path: &'l str,
    is_directory: bool,
    system: ToolFlavor,
}

impl LookedAt<'_> {
    fn stat(&self, gnu: &str, bsd: &str) -> String {
        match self.system {
            ToolFlavor::Gnu | ToolFlavor::Busybox => format!("stat -c {gnu} {}", self.path),
            ToolFlavor::Bsd => format!("stat -f {bsd} {}", self.path),
        }
    }

    fn checksum(&self, scan: &mut WordScan<'_, '_>) -> Vec<Draft> {
        scan.take(&["file", "show", "find"]);
        scan.take_said(&["hash", "calculate", "compute", "sum", "verify"]);
        let sum = ["sha1", "sha256", "sha512"]
            .into_iter()
            .find(|sum| (0..scan.len()).any(|at| scan.low(at).starts_with(sum)));
        let sum = match sum {
            Some("sha1") => "sha1sum",
            Some("sha512") => "sha512sum",
            Some("sha256") => "sha256sum",
            _ if scan.says(&["md5", "md5sum", "md5 hash"]).is_some() => "md5sum",
            _ => "sha256sum",
        };
        drafts(scan, vec![(format!("{} {}", sum_tool(self.system, sum), self.path), "prints the checksum")])
    }

    fn time(&self, scan: &mut WordScan<'_, '_>) -> Vec<Draft> {
        scan.take(&["time", "change", "last", "date", "file", "show", "find"]);
        let command = if scan.take(&["access"]) {
            self.stat("%x", "%Sa")
        } else if scan.take(&["create"]) {
            self.stat("%w", "%SB")
        } else {
            self.stat("%y", "%Sm")
        };
        let mut found = drafts(
            scan,
            vec![
                (command, "says when it was last changed"),
                (format!("ls -l {}", self.path), "shows it with its details"),
            ],
        );
        // Prefers the file itself over its git history, which is another query.
        found.iter_mut().for_each(|draft| draft.specific += 2);
        found
    }

    fn owner_and_rights(&self, scan: &mut WordScan<'_, '_>) -> Vec<Draft> {
        if scan.reading.has("change") || scan.says(&["set", "give", "make", "chmod", "chown"]).is_some() {
            return Vec::new();
        }
        let owner = scan.take_said(&["owns", "own", "owner"]) | scan.take(&["owned", "user"]);
        scan.take(&["file", "show", "find", "directory"]);
        let flag = if self.is_directory { "-ld" } else { "-l" };
        let listed = (format!("ls {flag} {}", self.path), "shows it with its owner and its rights");
        let octal = scan.take_said(&["octal", "numeric", "number", "numerical"]);
        if octal {
            return drafts(scan, vec![(self.stat("%a", "%Lp"), "shows its rights as a number")]);
        }
        if owner {
            drafts(scan, vec![(self.stat("%U", "%Su"), "says who owns it"), listed])
        } else {
            drafts(scan, vec![listed, (self.stat("%a", "%Lp"), "shows its rights as a number")])
        }
    }
}
