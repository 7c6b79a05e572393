//! A simulated user at a prompt: one task after another, each a few commands that belong together.

use super::rng::Rng;
use super::simulated_project::{Project, THINGS};

const HOSTS: &str = "web1 web2 db1 db2 cache1 build edge1 edge2 mail1 bastion staging prod-app1 prod-app2 metrics1";
const UNITS: &str =
    "nginx|postgresql|redis|docker|sshd|haproxy|prometheus|grafana-server|cron|rabbitmq-server|node_exporter";
const PACKAGES: &str = "requests pandas numpy httpx pydantic fastapi pytest rich polars scikit-learn matplotlib seaborn \
    torch transformers lodash axios zod vite eslint prettier tailwindcss react-query dayjs zustand serde tokio clap anyhow \
    tracing reqwest htop jq ripgrep tmux curl tree ncdu iotop strace nmap unzip rsync fd-find bat";
const ONCE: &str = "curl tar find awk sed sort du openssl rsync convert ffmpeg jq base64 dig nc lsof";

/// The user's job. The order is that of the names in `PEOPLE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trade {
    Backend,
    Sysadmin,
    Data,
    Frontend,
    Rust,
}

pub const PEOPLE: [(&str, Trade); 5] = [
    ("backend", Trade::Backend),
    ("sysadmin", Trade::Sysadmin),
    ("data", Trade::Data),
    ("frontend", Trade::Frontend),
    ("rust", Trade::Rust),
];

pub struct SimulatedUser {
    trade: Trade,
    dice: Rng,
    editor: &'static str,
    lists: &'static str,
    searches: &'static str,
    quote: char,
    projects: Vec<Project>,
    /// The current project, if the shell is in its directory.
    here: Option<usize>,
    hosts: Vec<String>,
    lines: Vec<String>,
}

impl SimulatedUser {
    pub fn new(trade: Trade, seed: u64) -> Self {
        let mut dice = Rng::new(seed);
        let editor = dice.word("vim nvim vim nano code hx");
        let lists = dice.word("ls ll ls l");
        let searches = dice.word("rg grep ag rg");
        let quote = if dice.chance(70) { '"' } else { '\'' };
        let hosts = (0..4).map(|_| dice.word(HOSTS).to_owned()).collect();
        let lines = Vec::new();
        let mut person =
            Self { trade, dice, editor, lists, searches, quote, projects: Vec::new(), here: None, hosts, lines };
        (0..2).for_each(|_| person.begins_project());
        person
    }

    pub fn lives(mut self, count: usize) -> Vec<String> {
        while self.lines.len() < count {
            // Work drifts: new projects and hosts appear, old ones are hardly touched again.
            if self.dice.below(60) == 0 {
                self.begins_project();
            }
            if self.dice.below(60) == 0 {
                let host = format!("{}{}", self.dice.word("app db web cache node worker ci"), self.dice.between(1, 30));
                self.hosts.insert(0, host);
            }
            self.does_something();
        }
        self.lines.truncate(count);
        self.lines
    }

    fn begins_project(&mut self) {
        let ending = match self.trade {
            Trade::Backend => self.dice.word("py go java py"),
            Trade::Sysadmin => self.dice.word("yml sh tf"),
            Trade::Data => "py",
            Trade::Frontend => self.dice.word("ts tsx js"),
            Trade::Rust => "rs",
        };
        let project = Project::new(&mut self.dice, ending);
        let known = self.projects.iter().any(|other| other.name == project.name);
        if !known {
            self.projects.insert(0, project);
            self.here = self.here.map(|here| here + 1);
        }
    }

    fn does_something(&mut self) {
        self.idles();
        // Out of twenty.
        let tasks: [usize; 6] = match self.trade {
            //              code hunt ship host data once
            Trade::Backend => [8, 4, 3, 2, 0, 3],
            Trade::Sysadmin => [2, 2, 3, 9, 0, 4],
            Trade::Data => [4, 2, 1, 2, 8, 3],
            Trade::Frontend => [11, 4, 1, 1, 0, 3],
            Trade::Rust => [12, 4, 0, 1, 0, 3],
        };
        let mut roll = self.dice.below(20);
        let mut chosen = 0;
        while roll >= tasks[chosen] {
            roll -= tasks[chosen];
            chosen += 1;
        }
        match chosen {
            0 => self.codes(),
            1 => self.hunts(),
            2 => self.ships(),
            3 => self.looks_after_hosts(),
            4 => self.looks_at_data(),
            _ => self.does_once(),
        }
    }

    /// Sometimes with a typo first, which is then typed again correctly.
    fn runs(&mut self, line: impl Into<String>) {
        let line = line.into();
        if self.dice.below(45) == 0
            && let Some(typo) = mistyped(&mut self.dice, &line)
        {
            self.lines.push(typo);
        }
        self.lines.push(line);
        if self.dice.chance(9) {
            self.lines.push(self.lists.to_owned());
        }
    }

    fn idles(&mut self) {
        match self.dice.below(8) {
            0 => self.runs("clear"),
            1 => self.runs("cd .."),
            2 => self.runs(self.lists),
            3 => {
                let line =
                    self.dice.usual("git status|ls -la|pwd|git log|history|exit|git branch|top|ls -lh|cd -|df -h|date");
                self.runs(line);
            }
            _ => {}
        }
    }

    /// The current project, after a `cd` if it changes.
    fn project(&mut self) -> usize {
        let (stays, next) = (self.dice.chance(75), self.dice.zipf(self.projects.len()));
        if let Some(here) = self.here.filter(|_| stays) {
            return here;
        }
        let name = self.projects[next].name.clone();
        let line = match self.dice.below(4) {
            0 => format!("cd ../{name}"),
            1 => format!("cd ~/code/{name}"),
            2 => format!("cd code/{name}/"),
            _ => format!("cd {name}"),
        };
        if self.here != Some(next) {
            self.runs(line);
        }
        if self.dice.chance(30) {
            self.runs(self.lists);
        }
        self.here = Some(next);
        next
    }

    fn codes(&mut self) {
        let at = self.project();
        if self.dice.chance(25) {
            let to = self.dice.usual("main|master|develop");
            let line = self.dice.usual("git pull|git fetch|git pull --rebase|git pull origin main").to_owned();
            self.runs(format!("git checkout {to}"));
            self.runs(line);
            let branch = self.projects[at].new_branch(&mut self.dice);
            self.runs(format!("git checkout -b {branch}"));
        } else if self.dice.chance(15) {
            let branch = self.projects[at].old_branch(&mut self.dice);
            self.runs(format!("git checkout {branch}"));
        }
        // The same file and the same test, again and again, until it works.
        let mut file = self.projects[at].file(&mut self.dice);
        let (all, mut one) = self.tests(at);
        let all_of_them = self.dice.chance(60);
        for _ in 0..self.dice.between(1, 5) {
            if self.dice.chance(25) {
                file = self.projects[at].file(&mut self.dice);
            }
            if self.dice.chance(65) {
                self.runs(format!("{} {file}", self.editor));
            }
            if self.dice.chance(10) {
                (_, one) = self.tests(at);
            }
            let line = if all_of_them { all.clone() } else { one.clone() };
            self.runs(line);
        }
        if self.dice.chance(70) {
            self.commits(at);
        }
        if self.dice.chance(12) {
            self.installs();
        }
    }

    /// The command that tests everything, and one that tests a single thing.
    fn tests(&mut self, at: usize) -> (String, String) {
        let dice = &mut self.dice;
        let ending = self.projects[at].ending;
        let (thing, other) = (dice.word(THINGS), dice.word(THINGS));
        let (all, one) = match ending {
            "py" => (
                ["pytest", "python -m pytest -q", "make test"][at % 3].to_owned(),
                format!("pytest tests/test_{thing}.py -k {other}"),
            ),
            "go" => ("go test ./...".to_owned(), format!("go test ./internal/{thing} -run Test{other}")),
            "java" => ("./gradlew test".to_owned(), format!("./gradlew test --tests '*{thing}*'")),
            "rs" => match dice.below(5) {
                0 => ("cargo check".to_owned(), format!("cargo test {thing}")),
                1 => ("cargo clippy".to_owned(), format!("cargo test {thing}_{other} -- --nocapture")),
                2 => ("cargo build --release".to_owned(), format!("cargo run -- --{thing} {}", dice.below(100))),
                3 => ("cargo fmt && cargo clippy".to_owned(), format!("cargo run --example {thing}")),
                _ => ("cargo test".to_owned(), format!("cargo test -p {thing}")),
            },
            "ts" | "tsx" | "js" => (
                dice.usual("npm test|npm run dev|npm run build|npm start|npm run lint|npx tsc --noEmit").to_owned(),
                format!("npm test -- {thing}.test.{ending}"),
            ),
            _ => ("make lint".to_owned(), format!("make {thing}")),
        };
        (all, one)
    }

    fn commits(&mut self, at: usize) {
        if self.dice.chance(65) {
            self.runs("git status");
        }
        if self.dice.chance(35) {
            let file = self.projects[at].file(&mut self.dice);
            let line = if self.dice.chance(70) { "git diff".to_owned() } else { format!("git diff {file}") };
            self.runs(line);
        }
        let file = self.projects[at].file(&mut self.dice);
        let add = match self.dice.below(6) {
            0 => format!("git add {file}"),
            1 => "git add -p".to_owned(),
            2 | 3 => "git add -A".to_owned(),
            _ => "git add .".to_owned(),
        };
        self.runs(add);
        let message = self.projects[at].message(&mut self.dice);
        let quote = self.quote;
        let commit = match self.dice.below(12) {
            0 => "git commit --amend --no-edit".to_owned(),
            1 => format!("git commit -am {quote}{message}{quote}"),
            _ => format!("git commit -m {quote}{message}{quote}"),
        };
        self.runs(commit);
        let branch = self.projects[at].branch.clone();
        let back = self.dice.between(2, 6);
        match self.dice.below(8) {
            0 => self.runs(format!("git push -u origin {branch}")),
            1 => self.runs(format!("git push origin {branch}")),
            2 => self.runs("git log --oneline -5"),
            3 => self.runs(format!("git rebase -i HEAD~{back}")),
            _ => self.runs("git push"),
        }
    }

    fn hunts(&mut self) {
        let at = self.project();
        let (thing, other) = (self.dice.word(THINGS), self.dice.word(THINGS));
        let area = self.projects[at].areas[0].clone();
        let searches = self.searches;
        let pattern = match self.dice.below(4) {
            0 => thing.to_owned(),
            1 => format!("{thing}_{other}"),
            2 => format!("'{thing}.*{other}'"),
            _ => format!("\"def {thing}\""),
        };
        let flags = if searches == "grep" { " -rn" } else { "" };
        self.runs(format!("{searches}{flags} {pattern} {area}"));
        if self.dice.chance(40) {
            self.runs(format!("{searches}{flags} {pattern} {area} | wc -l"));
        }
        let file = self.projects[at].file(&mut self.dice);
        match self.dice.below(5) {
            0 => self.runs(format!("less {file}")),
            1 => self.runs(format!("cat {file}")),
            2 => self.runs(format!("git log -p {file}")),
            3 => self.runs(format!("git blame {file}")),
            _ => self.runs(format!("{} {file}", self.editor)),
        }
    }

    fn ships(&mut self) {
        let at = self.project();
        let service = self.projects[at].service(&mut self.dice).to_owned();
        let (set, version) = (self.dice.hex(9), self.dice.hex(5));
        let pod = format!("{service}-{set}-{version}");
        match self.dice.below(3) {
            0 => {
                self.runs("docker compose up -d");
                self.runs(format!("docker compose logs -f {service}"));
                if self.dice.chance(40) {
                    self.runs(format!("docker compose exec {service} bash"));
                }
                self.runs("docker compose down");
            }
            1 => {
                self.runs("docker ps");
                self.runs(format!("docker build -t {service}:{version} ."));
                if self.dice.chance(50) {
                    self.runs(format!("docker run --rm -it -p 8080:8080 {service}"));
                }
            }
            _ => {
                let space = self.dice.usual("prod|staging|dev");
                self.runs(format!("kubectl get pods -n {space}"));
                self.runs(format!("kubectl logs -f {pod} -n {space}"));
                match self.dice.below(4) {
                    0 => self.runs(format!("kubectl describe pod {pod} -n {space}")),
                    1 => self.runs(format!("kubectl delete pod {pod} -n {space}")),
                    2 => self.runs(format!("kubectl rollout restart deployment/{service} -n {space}")),
                    _ => {}
                }
            }
        }
    }

    fn looks_after_hosts(&mut self) {
        let host = self.hosts[self.dice.zipf(self.hosts.len())].clone();
        let unit = self.dice.usual(UNITS);
        let (thing, number) = (self.dice.word(THINGS), self.dice.between(1, 99));
        self.here = None;
        match self.dice.below(6) {
            0 | 1 => {
                self.runs(format!("ssh {host}"));
                if self.dice.chance(40) {
                    self.runs(format!("scp {thing}-{number}.tar.gz {host}:/srv/"));
                }
            }
            2 | 3 => {
                self.runs(format!("sudo systemctl status {unit}"));
                if self.dice.chance(60) {
                    self.runs(format!("sudo {} /etc/{unit}/{thing}.conf", self.editor));
                    self.runs(format!("sudo systemctl restart {unit}"));
                }
                self.runs(format!("sudo journalctl -u {unit} -f"));
            }
            4 => {
                let look = self.dice.usual("df -h|free -h|htop|uptime|du -sh *|w|dmesg -T|ip a");
                let log = self.dice.usual("error|access|main");
                self.runs(look);
                self.runs(format!("tail -f /var/log/{unit}/{log}.log"));
                if self.dice.chance(40) {
                    self.runs(format!("grep {thing} /var/log/{unit}/{log}.log | tail -{}", number / 10 * 10 + 10));
                }
            }
            _ => self.installs(),
        }
    }

    fn looks_at_data(&mut self) {
        let at = self.project();
        let thing = self.dice.word(THINGS);
        let month = format!("2024-{:02}", self.dice.between(1, 12));
        match self.dice.below(5) {
            0 => {
                self.runs("conda activate base");
                self.runs("jupyter lab");
            }
            1 => {
                self.runs(format!("head data/{thing}_{month}.csv"));
                self.runs(format!("wc -l data/{thing}_{month}.csv"));
            }
            2 | 3 => {
                let file = self.projects[at].file(&mut self.dice);
                for _ in 0..self.dice.between(1, 4) {
                    let (rate, epochs) = (self.dice.usual("0.001|0.01|0.0003|0.1|3e-4"), self.dice.between(1, 6) * 5);
                    self.runs(format!("python {file} --lr {rate} --epochs {epochs}"));
                    if self.dice.chance(30) {
                        self.runs("nvidia-smi");
                    }
                }
                if self.dice.chance(50) {
                    self.runs(format!("{} {file}", self.editor));
                }
            }
            _ => {
                let host = self.hosts[0].clone();
                self.runs(format!("rsync -avz data/ {host}:/data/{thing}/"));
            }
        }
    }

    fn installs(&mut self) {
        let package = self.dice.word(PACKAGES);
        let line = match self.trade {
            Trade::Sysadmin => format!("sudo apt install {package}"),
            Trade::Backend | Trade::Data => format!("pip install {package}"),
            Trade::Frontend => format!("npm install {package}"),
            Trade::Rust => format!("cargo add {package}"),
        };
        if self.trade == Trade::Sysadmin && self.dice.chance(60) {
            self.runs("sudo apt update");
        }
        self.runs(line);
    }

    /// Something that is unlikely to recur.
    fn does_once(&mut self) {
        let (thing, other, number) = (self.dice.word(THINGS), self.dice.word(THINGS), self.dice.between(2, 900));
        let line = match self.dice.word(ONCE) {
            "curl" => format!("curl -s http://localhost:8080/api/{thing}/{number} | jq ."),
            "tar" => format!("tar czf {thing}-{number}.tar.gz {other}/"),
            "find" => format!("find . -name '*{thing}*' -mtime -{}", number % 30),
            "awk" => format!("awk -F, '{{print ${}}}' {thing}.csv | sort | uniq -c", number % 9 + 1),
            "sed" => format!("sed -i 's/{thing}/{other}/g' {thing}.txt"),
            "sort" => format!("sort -k{} {thing}.tsv | head -{number}", number % 7 + 1),
            "du" => format!("du -sh {thing}*/ | sort -h"),
            "openssl" => format!("openssl rand -hex {}", number % 64 + 8),
            "rsync" => format!("rsync -av {thing}/ backup/{thing}-{number}/"),
            "convert" => format!("convert {thing}.png -resize {number}x {thing}-small.png"),
            "ffmpeg" => format!("ffmpeg -i {thing}.mov -ss {} {thing}.mp4", number % 60),
            "jq" => format!("jq '.{thing}[] | .{other}' {thing}.json"),
            "base64" => format!("echo {thing}{number} | base64"),
            "dig" => format!("dig {thing}.example.org +short"),
            "nc" => format!("nc -vz {} {number}", self.hosts[0]),
            _ => format!("lsof -i :{number}"),
        };
        self.runs(line);
        match self.dice.below(8) {
            0 => self.runs(format!("mkdir -p {thing}/{other}")),
            1 => self.runs(format!("rm {thing}-{number}.txt")),
            2 => self.runs(format!("mv {thing}.txt {other}.txt")),
            3 => self.runs(format!("chmod +x {thing}.sh")),
            4 => self.runs(format!("./{thing}.sh")),
            5 => {
                let about = self.dice.usual("tar|find|rsync|ssh|awk|jq|xargs");
                self.runs(format!("man {about}"));
            }
            _ => {}
        }
    }
}

/// Swaps two letters of the first word.
fn mistyped(dice: &mut Rng, line: &str) -> Option<String> {
    let first = line.split(' ').next()?;
    let place = dice.below(first.len().checked_sub(1).filter(|letters| *letters > 0)?);
    let mut bytes = line.as_bytes().to_vec();
    bytes.swap(place, place + 1);
    String::from_utf8(bytes).ok().filter(|typo| typo != line)
}
