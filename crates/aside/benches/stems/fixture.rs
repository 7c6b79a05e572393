//! The machine on which stems are typed: five directories, the installed programs, and a history of one of three sizes.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::socket_client::SocketClient;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    Dozen,
    Hundreds,
    Thousands,
}

impl Size {
    pub fn of(name: &str) -> Option<Self> {
        [Size::Dozen, Size::Hundreds, Size::Thousands].into_iter().find(|size| size.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Size::Dozen => "12",
            Size::Hundreds => "400",
            Size::Thousands => "10000",
        }
    }
}

#[derive(Clone, Deserialize)]
struct Ran {
    command: String,
    cwd: String,
    exit: i32,
}

/// In addition to what Debian has: these are only looked up, never run.
const PROGRAMS: &str = "docker kubectl cargo rustc rustup node npm npx pnpm python3 python pip pip3 make just ssh scp sftp rsync tar curl wget jq \
    systemctl journalctl apt apt-get dpkg tmux vim nvim nano grep rg find fd sed awk psql pg_dump terraform ansible ansible-playbook sudo less \
    man htop top ps kill pkill killall df du mount umount ip ping dig nslookup nc openssl gzip gunzip zip unzip xz diff patch tree watch crontab \
    chmod chown ln cp mv rm mkdir rmdir touch cat head tail sort uniq wc cut tr tee xargs ls echo printf date env which file stat basename \
    dirname seq sleep true false test id whoami hostname uname free uptime lsof ss netstat useradd usermod passwd groups ssh-keygen ssh-copy-id \
    ssh-add gpg sha256sum md5sum base64 dd lsblk fdisk mkfs.ext4 helm kubectx docker-compose sqlite3 redis-cli mysql ffmpeg convert pandoc code \
    pytest ruff black mypy uvicorn flask vite vitest eslint prettier tsc bat fzf delta gh ufw iptables nginx service shutdown reboot screen \
    strace gdb perf hyperfine entr parallel shellcheck shfmt poetry uv pipx virtualenv jupyter";

const TREE: &[(&str, &str)] = &[
    (
        "src/shop",
        "README.md requirements.txt docker-compose.yml .gitignore src/shop/__init__.py src/shop/cart.py src/shop/models.py \
      src/shop/api.py tests/test_cart.py tests/test_api.py tests/conftest.py scripts/seed.py data/orders.csv notebooks/explore.ipynb docs/index.md docs/api.md",
    ),
    (
        "src/webapp",
        "README.md pnpm-lock.yaml vite.config.ts tsconfig.json index.html Dockerfile src/App.tsx src/main.tsx src/index.css \
      src/components/LoginForm.tsx src/components/Button.tsx src/lib/api.ts tests/login.spec.ts public/logo.svg .github/workflows/ci.yml",
    ),
    (
        "src/engine",
        "Cargo.lock crates/core/src/lib.rs src/main.rs src/bin/cli.rs examples/echo.rs benches/index.rs tests/it.rs README.md \
      CHANGELOG.md rustfmt.toml",
    ),
    (
        "ops",
        "inventory.ini site.yml playbooks/web.yml playbooks/db.yml k8s/deployment.yaml k8s/service.yaml k8s/ingress.yaml terraform/main.tf \
      terraform/variables.tf terraform/prod.tfvars logs/app.log logs/nginx.log logs/nginx.log.1.gz backups/db-2026-11-01.sql.gz backups/etc.tar.gz hosts.txt notes.md",
    ),
    (
        ".",
        "Documents/thesis.tex Documents/budget.ods Downloads/setup.deb Downloads/ubuntu.iso Downloads/report.pdf Downloads/archive.tar.gz \
      notes.md todo.txt .zshrc .gitconfig",
    ),
];

const WRITTEN: &[(&str, &str)] = &[
    (
        "src/shop/Makefile",
        "install:\n\tpip install .\ntest:\n\tpytest\nlint:\n\truff check\nformat:\n\truff format\nrun:\n\tuvicorn\ndocs:\n\tmkdocs\nclean:\n\trm -rf build\n.PHONY: install test lint format run docs clean\n",
    ),
    ("src/shop/pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1.1.0\"\n"),
    (
        "src/shop/docker-compose.yml",
        "services:\n  web:\n    build: .\n  db:\n    image: postgres:16\n  redis:\n    image: redis:7\n",
    ),
    ("src/shop/scripts/migrate.sh", "#!/bin/sh\n"),
    ("src/shop/.gitignore", "venv/\n.env\n"),
    ("src/shop/.env", "X=1\n"),
    ("src/shop/venv/bin/activate", ""),
    ("src/shop/data/Sales 2024.xlsx", ""),
    (
        "src/webapp/package.json",
        "{\"name\": \"webapp\", \"scripts\": {\"dev\": \"vite\", \"build\": \"vite build\", \"test\": \"vitest run\", \"test:watch\": \"vitest\", \"lint\": \"eslint .\", \"format\": \"prettier -w .\", \"preview\": \"vite preview\", \"storybook\": \"storybook dev\"}, \"dependencies\": {\"react\": \"18\", \"vite\": \"5\", \"zod\": \"3\"}, \"devDependencies\": {\"eslint\": \"9\", \"prettier\": \"3\", \"vitest\": \"1\", \"typescript\": \"5\"}}\n",
    ),
    ("src/webapp/.gitignore", "node_modules/\n.env.local\n"),
    ("src/webapp/.env.local", "X=1\n"),
    ("src/webapp/node_modules/react/index.js", ""),
    (
        "src/engine/Cargo.toml",
        "[package]\nname = \"engine\"\nversion = \"0.9.0\"\nedition = \"2021\"\n[features]\ntls = []\nmetrics = []\n[[bin]]\nname = \"server\"\npath = \"src/main.rs\"\n[[bin]]\nname = \"cli\"\npath = \"src/bin/cli.rs\"\n[workspace]\nmembers = [\"crates/core\"]\n",
    ),
    ("src/engine/crates/core/Cargo.toml", "[package]\nname = \"core\"\nversion = \"0.9.0\"\n"),
    (
        "src/engine/justfile",
        "build:\n  cargo build\ntest:\n  cargo test\nbench:\n  cargo bench\nlint:\n  cargo clippy\nrelease:\n  cargo build --release\n",
    ),
    ("src/engine/.gitignore", "target/\n"),
    ("src/engine/target/debug/server", "#!/bin/sh\n"),
    ("ops/deploy.sh", "#!/bin/sh\n"),
    ("Documents/letter to bank.odt", ""),
    ("Downloads/My Photo.jpg", ""),
    ("Desktop/.keep", ""),
    ("Pictures/.keep", ""),
    ("Music/.keep", ""),
    (
        ".ssh/config",
        "Host web1\n  HostName 10.0.0.1\nHost web2\n  HostName 10.0.0.2\nHost db1\n  HostName 10.0.0.3\nHost bastion\n  HostName 10.0.0.4\n",
    ),
];

pub struct Machine {
    home: Home,
    wire: SocketClient,
}

impl Machine {
    pub fn new(size: Size, data: &Path) -> Self {
        let mut home = Home::new();
        for name in PROGRAMS.split_whitespace() {
            home.write(&format!("bin/{name}"), "#!/bin/sh\n");
        }
        std::os::unix::fs::symlink("/usr/bin/git", home.path("bin/git")).unwrap();
        home.set_env("PATH", &home.path("bin").display().to_string());
        for (directory, files) in TREE {
            files.split_whitespace().for_each(|file| home.write(&format!("{directory}/{file}"), "one\n"));
        }
        WRITTEN.iter().for_each(|(file, text)| home.write(file, text));
        repositories(&home);
        home.aside_does(&["daemon", "start"]);
        let mut machine = Self { wire: home.wire(), home };
        machine.lives(&history(size, data));
        machine
    }

    fn at(&self, cwd: &str) -> String {
        let inside = cwd.trim_start_matches('~').trim_start_matches('/');
        self.home.path(inside).display().to_string().trim_end_matches('/').to_owned()
    }

    fn lives(&mut self, history: &[Ran]) {
        self.wire.json(
            json!({ "type": "hello", "request_id": 1, "protocol": 1, "shell": "zsh", "session_id": "s", "pid": 1 }),
        );
        let path = self.home.path("bin").display().to_string();
        for (kind, names) in [
            ("builtin", "cd\necho\nexport\nsource\nalias\nhistory\nfg\nbg\njobs\nkill\nset\nunset\nread\ntype"),
            ("path", path.as_str()),
        ] {
            self.wire.json(
                json!({ "type": "names", "request_id": 1, "session_id": "s", "kind": kind, "part": 0, "names": names }),
            );
        }
        for (number, Ran { command, cwd, exit }) in history.iter().enumerate() {
            let message = json!({
                "type": "finished", "request_id": number, "session_id": "s", "seq": number, "cwd": self.at(cwd), "exit_status": exit,
                "start_ms": 1_790_000_000_000_u64 + number as u64 * 60_000, "duration_ms": 5, "shell": "zsh", "command": command,
            });
            assert_eq!(self.wire.json(message)["type"], "ok", "{command}");
        }
    }

    /// The lines that would be shown, the ghost text first.
    pub fn complete(&mut self, cwd: &str, left: &str) -> Vec<String> {
        let cwd = self.at(cwd);
        let asked = json!({ "type": "complete", "request_id": 7, "session_id": "s", "cwd": cwd, "left": left, "shell": "zsh", "wait": true });
        // What has to be looked up is available the second time.
        self.wire.json(asked.clone());
        let answer = self.wire.json(asked);
        let candidates = answer["candidates"].as_array().cloned().unwrap_or_default();
        let text = |candidate: &Value| candidate["completion"].as_str().unwrap_or_default().to_owned();
        candidates.iter().map(text).collect()
    }
}

fn history(size: Size, data: &Path) -> Vec<Ran> {
    let read = |name: &str| -> Vec<Ran> {
        let file = data.join(format!("history-{name}.jsonl"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    match size {
        Size::Dozen => read("12"),
        Size::Hundreds => read("400"),
        Size::Thousands => a_year_of(&read("400")),
    }
}

/// The same habits over and over: stretches of the shorter history in a random order from a fixed seed.
fn a_year_of(some: &[Ran]) -> Vec<Ran> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let mut year = Vec::with_capacity(10_000);
    while year.len() < 10_000 - some.len() {
        let (from, length) = (random(some.len()), 4 + random(12));
        year.extend(some.iter().skip(from).take(length).cloned());
    }
    year.extend(some.iter().cloned());
    year
}

fn repositories(home: &Home) {
    let git = |directory: &str, arguments: &[&str]| {
        let mut command = Command::new("/usr/bin/git");
        command.current_dir(home.path(directory)).env_clear().env("HOME", home.path("")).env("PATH", "/usr/bin:/bin");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "init.defaultBranch=main"]);
        let ended = command.args(arguments).output().unwrap();
        assert!(ended.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    };
    for (directory, branches, tags, remotes, checkout) in [
        ("src/shop", "develop feature/checkout fix/rounding", "v1.0.0 v1.1.0", "origin", "develop"),
        ("src/webapp", "next feat/login-form", "", "origin upstream", "feat/login-form"),
        ("src/engine", "perf/index release-0.9", "v0.8.0 v0.9.0", "origin", "main"),
    ] {
        git(directory, &["init", "-q"]);
        git(directory, &["add", "."]);
        git(directory, &["commit", "-q", "-m", "first"]);
        branches.split_whitespace().for_each(|branch| git(directory, &["branch", branch]));
        tags.split_whitespace().for_each(|tag| git(directory, &["tag", tag]));
        for remote in remotes.split_whitespace() {
            let address = format!("git@example.invalid:ada/{}.git", directory.rsplit('/').next().unwrap_or_default());
            git(directory, &["remote", "add", remote, &address]);
        }
        git(directory, &["checkout", "-q", checkout]);
    }
    home.write("src/shop/src/shop/cart.py", "stashed\n");
    git("src/shop", &["stash", "-q"]);
    for file in
        ["src/shop/src/shop/cart.py", "src/shop/tests/test_cart.py", "src/shop/docs/api.md", "src/webapp/src/App.tsx"]
    {
        home.write(file, "two\n");
    }
    git("src/shop", &["add", "docs/api.md"]);
    for file in ["src/shop/notes.txt", "src/shop/debug.log", "src/webapp/src/lib/auth.ts"] {
        home.write(file, "new\n");
    }
}
